#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/open.h"
#include "gltf/export.h"
#include "math/angle.h"
#include "motion/certificate.h"
#include "motion/vrm_animation.h"
#include "support/requirements.h"

namespace pelt::motion {
namespace {

using testing::HasSubstr;

Certificate carried_over(const RetargetRig& source, const rig::Character& onto, rig::Clip* clip = nullptr) {
  const RetargetRig target = target_rig(onto);
  const JointMap map = make_joint_map(source, target);
  const auto made = retarget(source, target, map, {});
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  if (clip != nullptr) {
    *clip = made->clip;
  }
  return certify(source, target, map, *made);
}

TEST(VrmAnimation, AFileOfAnotherProgramMovesTheMannequin) {
  PELT_NEEDS_CORPUS("vrm/test.vrma");
  const auto animation = formats::open_character(std::string(PELT_CORPUS_DIR) + "/vrm/test.vrma");
  ASSERT_TRUE(animation) << animation.error().message;
  EXPECT_EQ(animation->humanoid.size(), 51u);
  EXPECT_EQ(animation->vrm, 1);
  const auto source = source_rig(*animation, 0, {});
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_TRUE(source->body.is_complete());
  EXPECT_EQ(source->body.roles.at("rightUpperArm").reason, "the file says so");
  const auto mannequin = formats::open_character("@mannequin");
  ASSERT_TRUE(mannequin);
  rig::Clip clip;
  EXPECT_LT(carried_over(*source, *mannequin, &clip).all.max, 0.01) << "degrees";
  // The right arm is all that turns.
  const rig::Skeleton& skeleton = mannequin->skeleton;
  const auto turns = [&](const char* joint) {
    rig::Pose pose = rig::rest_pose(*mannequin);
    float most = 0;
    rig::apply(clip, clip.start, mannequin->morph_offset, pose);
    const glm::quat first = pose.local[skeleton.find(joint)].rotation;
    for (int f = 1; f <= 20; ++f) {
      rig::apply(clip, clip.start + clip.duration() * static_cast<float>(f) / 20, mannequin->morph_offset, pose);
      most = std::max(most, glm::angle(glm::inverse(first) * pose.local[skeleton.find(joint)].rotation));
    }
    return std::min(most, 6.2832f - most);
  };
  EXPECT_GT(turns("shoulder_r"), 0.3f);
  EXPECT_LT(turns("shoulder_l"), 1e-3f);
}

TEST(VrmAnimation, AWrittenOneIsReadAsAHumanBodyInTPoseAndComesBack) {
  const auto mannequin = formats::open_character("@mannequin");
  ASSERT_TRUE(mannequin);
  const auto wave = source_rig(*mannequin, 2, {});
  ASSERT_TRUE(wave);
  const auto made = make_vrm_animation(*wave);
  ASSERT_TRUE(made) << made.error().message;
  const auto bytes = gltf::export_glb(*made);
  ASSERT_TRUE(bytes) << bytes.error().message;
  gltf::ImportOptions strict;
  strict.check_conformance = true;
  const auto read = formats::import_memory(*bytes, strict);
  ASSERT_TRUE(read) << read.error().message;
  for (const Diagnostic& one : read->diagnostics) {
    EXPECT_NE(one.severity, Severity::kError) << one.place << ": " << one.message;
  }
  EXPECT_THAT(std::vector<std::string>(read->extensions_used.begin(), read->extensions_used.end()),
              testing::ElementsAre("VRMC_vrm_animation"));
  EXPECT_EQ(read->humanoid.size(), made->humanoid.size());
  EXPECT_GE(read->humanoid.size(), 50u) << "fingers, too";
  const auto source = source_rig(*read, 0, {});
  ASSERT_TRUE(source) << source.error().message;
  const auto at = [&](const char* role) { return source->frames.position[source->body.find(role)]; };
  for (const Transform& rest : read->skeleton->rest) {
    EXPECT_EQ(rest.rotation, kIdentityQuat);
  }
  EXPECT_LT(angle_between(at("leftHand") - at("leftUpperArm"), {1, 0, 0}), 1e-5);
  EXPECT_LT(angle_between(at("rightFoot") - at("rightUpperLeg"), {0, -1, 0}), 1e-5);
  EXPECT_GT((at("leftToes") - at("leftFoot")).z, 0.05) << "faces +z";
  // Back on the mannequin limbs point as they did.
  rig::Character again = *mannequin;
  rig::Clip clip;
  EXPECT_LT(carried_over(*source, *mannequin, &clip).all.max, 0.01) << "degrees";
  again.clips.push_back(clip);
  const auto back = source_rig(again, 3, {});
  ASSERT_TRUE(back);
  rig::Pose pose = rig::rest_pose(*mannequin);
  WorldFrames first;
  WorldFrames second;
  for (const float time : {0.0f, 0.4f, 0.8f, 1.3f}) {
    frames_at(*wave, time, pose, first);
    frames_at(*back, time, pose, second);
    for (const Limb& limb : human_limbs()) {
      const int from = wave->body.find(limb.role);
      const int to = wave->body.find(limb.next);
      EXPECT_LT(angle_between(first.position[to] - first.position[from], second.position[to] - second.position[from]),
                0.01 * kDegree)
          << limb.role << " at " << time;
    }
  }
}

TEST(VrmAnimation, NeedsAWholeBody) {
  const auto elbow = formats::open_character("@elbow");
  ASSERT_TRUE(elbow);
  RetargetRig rig = target_rig(*elbow);
  const auto made = make_vrm_animation(rig);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, "a VRM animation needs a joint for hips, and none was found");
}

}  // namespace
}  // namespace pelt::motion
