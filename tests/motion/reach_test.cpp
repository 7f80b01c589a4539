// Dragging joints without set-up: natural chains, limits, pins.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "gltf/bundled.h"
#include "gltf/import.h"
#include "math/transform.h"
#include "motion/ik_solvers.h"
#include "motion/reach.h"
#include "rig/pose.h"
#include "support/requirements.h"

namespace pelt::motion {
namespace {

rig::Character bundled(const char* name) {
  const auto files = gltf::bundled_characters();
  const EmbeddedFile* found = find_embedded(files, name);
  EXPECT_NE(found, nullptr) << name;
  auto imported =
      gltf::import_memory({reinterpret_cast<const std::uint8_t*>(found->bytes.data()), found->bytes.size()}, {});
  EXPECT_TRUE(imported);
  return imported ? std::move(*imported) : rig::Character();
}

rig::Character from_corpus(const std::string& name) {
  auto imported = gltf::import_file(std::string(PELT_CORPUS_DIR) + "/characters/" + name);
  EXPECT_TRUE(imported) << name;
  return imported ? std::move(*imported) : rig::Character();
}

std::string root_of(const rig::Character& character, const char* joint) {
  const rig::Skeleton& skeleton = character.skeleton;
  const int j = skeleton.find(joint);
  if (j < 0) {
    return "no such joint";
  }
  const ReachChain chain = Limbs(character).natural_chain(j);
  return skeleton.label(chain.root) + (chain.root_slides ? " slides" : "");
}

// A character, its pose and the chain of one joint.
class Body {
 public:
  explicit Body(const rig::Character& character, float unit = 1) : character_(character) {
    for (Transform& rest : character_.skeleton.edit().rest) {
      rest.translation *= unit;
    }
    for (rig::JointDofs& joint : character_.skeleton.edit().dofs) {
      joint.offset *= unit;
      for (rig::Dof& dof : joint.dofs) {
        const float factor = dof.kind == rig::DofKind::kTranslation ? unit : 1.0f;
        dof.lower *= factor;
        dof.upper *= factor;
      }
    }
    pose_ = rig::rest_pose(character_);
  }
  [[nodiscard]] int joint(const char* name) const { return character_.skeleton->find(name); }
  [[nodiscard]] const rig::Skeleton& skeleton() const { return character_.skeleton; }
  [[nodiscard]] glm::dvec3 place(const char* name) {
    rig::PoseBuilder builder(skeleton(), pose_);
    return glm::dvec3(builder.world(joint(name))[3]);
  }
  [[nodiscard]] glm::dquat direction(const char* name) {
    rig::PoseBuilder builder(skeleton(), pose_);
    return rotation_of(builder.world(joint(name)));
  }
  [[nodiscard]] Pin pin(const char* name) {
    return {joint(name), Limbs(character_).natural_chain(joint(name)), glm::vec3(place(name)),
            glm::quat(direction(name))};
  }
  IkReport drag(const char* name, const glm::dvec3& target, std::span<const Pin> pins = {},
                std::optional<glm::dquat> direction = {}) {
    rig::PoseBuilder builder(skeleton(), pose_);
    Reach wish{.joint = joint(name), .target = target, .chain = Limbs(character_).natural_chain(joint(name))};
    wish.direction = direction;
    wish.most_turn = 0.1;
    return reach(builder, wish, pins);
  }
  void hold(std::span<const Pin> pins) {
    rig::PoseBuilder builder(skeleton(), pose_);
    hold_pins(builder, pins);
  }
  rig::Pose& pose() { return pose_; }
  // The largest step beyond a limit of any DOF, radians or metres.
  [[nodiscard]] double beyond_limits() const {
    double most = 0;
    for (int j = 0; j < skeleton().size(); ++j) {
      const rig::JointDofs& dofs = skeleton().dofs[j];
      const std::vector<float> values = rig::dofs_from_local(dofs, pose_.local[j]);
      for (std::size_t d = 0; d < values.size(); ++d) {
        most = std::max({most, double{dofs.dofs[d].lower - values[d]}, double{values[d] - dofs.dofs[d].upper}});
      }
    }
    return most;
  }

 private:
  rig::Character character_;
  rig::Pose pose_;
};

TEST(Reach, TheNaturalChainsOfTheMannequin) {
  const rig::Character mannequin = bundled("mannequin.glb");
  EXPECT_EQ(root_of(mannequin, "wrist_l"), "shoulder_l") << "the collar bone is left out";
  EXPECT_EQ(root_of(mannequin, "shoulder_l"), "clavicle_l") << "unless its end is dragged";
  EXPECT_EQ(root_of(mannequin, "ankle_r"), "hip_r");
  EXPECT_EQ(root_of(mannequin, "index_03_l"), "index_01_l");
  EXPECT_EQ(root_of(mannequin, "head"), "neck");
  EXPECT_EQ(root_of(mannequin, "chest"), "spine_01");
  EXPECT_EQ(root_of(mannequin, "hips"), "hips slides");
}

TEST(Reach, TheNaturalChainsOfStrangers) {
  PELT_NEEDS(std::filesystem::exists(PELT_CORPUS_DIR), "PELT_REQUIRE_CORPUS", "the corpus is not here");
  const rig::Character human = from_corpus("human.glb");
  EXPECT_EQ(root_of(human, "hand_l"), "upperarm_l");
  EXPECT_EQ(root_of(human, "foot_r"), "thigh_r");
  EXPECT_EQ(root_of(human, "thumb_03_r"), "thumb_01_r");
  EXPECT_EQ(root_of(human, "pelvis"), "pelvis slides");
  const rig::Character knight = from_corpus("knight.glb");
  EXPECT_EQ(root_of(knight, "hand.l"), "upperarm.l") << "beside the weapon in it";
  EXPECT_EQ(root_of(knight, "hips"), "hips slides") << "beside controls that move no skin";
  const rig::Character fox = from_corpus("fox.glb");
  EXPECT_EQ(root_of(fox, "b_LeftFoot02_018"), "b_LeftLeg01_015");
  EXPECT_EQ(root_of(fox, "b_Head_05"), "b_Neck_04");
  EXPECT_EQ(root_of(fox, "b_Hip_01"), "b_Hip_01 slides");
  EXPECT_EQ(root_of(from_corpus("dragon.glb"), "hips"), "hips slides");
}

TEST(Reach, AChainGrowsToTheHipsAndShrinksToOneJoint) {
  const rig::Character mannequin = bundled("mannequin.glb");
  const Limbs limbs(mannequin);
  const rig::Skeleton& skeleton = mannequin.skeleton;
  const int wrist = skeleton.find("wrist_l");
  ReachChain chain = limbs.natural_chain(wrist);
  std::vector<std::string> roots;
  for (ReachChain next = limbs.longer_chain(chain); next != chain; next = limbs.longer_chain(chain)) {
    chain = next;
    roots.push_back(skeleton.label(chain.root) + (chain.root_slides ? " slides" : ""));
  }
  EXPECT_EQ(roots.front(), "clavicle_l");
  EXPECT_EQ(roots.back(), "hips slides");
  for (ReachChain next = limbs.shorter_chain(wrist, chain); next != chain; next = limbs.shorter_chain(wrist, chain)) {
    chain = next;
  }
  EXPECT_EQ(limbs.between(chain.root, wrist).size(), 2u);
  EXPECT_FALSE(chain.root_slides);
}

std::vector<std::string> ends_of(const rig::Character& character) {
  std::vector<std::string> names;
  for (const int joint : Limbs(character).limb_ends()) {
    names.push_back(character.skeleton->label(joint));
  }
  std::ranges::sort(names);
  return names;
}

TEST(Reach, HandsAndFeetAreFoundWhateverTheyAreCalled) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(ends_of(bundled("mannequin.glb")), (Names{"ankle_l", "ankle_r", "wrist_l", "wrist_r"}));
  PELT_NEEDS(std::filesystem::exists(PELT_CORPUS_DIR), "PELT_REQUIRE_CORPUS", "the corpus is not here");
  EXPECT_EQ(ends_of(from_corpus("human.glb")), (Names{"foot_l", "foot_r", "hand_l", "hand_r"}));
  EXPECT_EQ(ends_of(from_corpus("mannequiny.glb")), (Names{"foot.l", "foot.r", "hand.l", "hand.r"}));
  EXPECT_EQ(ends_of(from_corpus("fox.glb")),
            (Names{"b_LeftFoot01_017", "b_LeftHand_011", "b_RightFoot01_021", "b_RightHand_08", "b_Tail03_014"}));
}

TEST(Reach, TakesTheEndOfABoneThatCanMove) {
  const rig::Character mannequin = bundled("mannequin.glb");
  const Limbs limbs(mannequin);
  const auto joint = [&](const char* name) { return mannequin.skeleton->find(name); };
  EXPECT_EQ(limbs.dragged_joint(joint("elbow_l"), joint("wrist_l"), true), joint("wrist_l"));
  EXPECT_EQ(limbs.dragged_joint(joint("elbow_l"), joint("wrist_l"), false), joint("elbow_l"));
  EXPECT_EQ(limbs.dragged_joint(joint("hip_l"), joint("knee_l"), false), joint("knee_l"))
      << "a hip is part of the hips";
  EXPECT_TRUE(limbs.ends_limb(joint("wrist_l"), limbs.natural_chain(joint("wrist_l"))));
  EXPECT_FALSE(limbs.ends_limb(joint("elbow_l"), limbs.natural_chain(joint("elbow_l"))));
  EXPECT_FALSE(limbs.ends_limb(joint("chest"), limbs.natural_chain(joint("chest"))));
}

// A path around a place that a limb reaches: the joint follows, bones keep their lengths, limits hold, nothing else
// moves, and no step of the path makes anything jump.
void follow_a_circle(const char* name, float unit) {
  Body body(bundled("mannequin.glb"), unit);
  const Limbs limbs(bundled("mannequin.glb"));
  const int joint = body.joint(name);
  const std::vector<int> chain = limbs.between(limbs.natural_chain(joint).root, joint);
  const rig::Pose start = body.pose();
  const glm::dquat direction = body.direction(name);
  const glm::dvec3 shoulder = body.place(body.skeleton().name[chain[0]].c_str());
  const glm::dvec3 middle = glm::mix(shoulder, body.place(name), 0.8);
  constexpr int kSteps = 90;
  double most_off = 0;
  for (int i = 0; i <= kSteps; ++i) {
    const double angle = i * 2 * std::numbers::pi / kSteps;
    const glm::dvec3 target = middle + 0.1 * unit * glm::dvec3(std::cos(angle), std::sin(angle), 0.5 * std::sin(angle));
    const rig::Pose before = body.pose();
    const IkReport report = body.drag(name, target, {}, direction);
    EXPECT_LT(report.residual, 1e-3 * unit) << name << " at step " << i;
    EXPECT_LT(glm::length(body.place(name) - target), 1e-3 * unit) << "where it says it is (C46.4)";
    EXPECT_LT(body.beyond_limits(), 1e-5);
    most_off =
        std::max(most_off, double{glm::length(rotation_vector(body.direction(name) * glm::conjugate(direction)))});
    for (int j = 0; j < body.skeleton().size(); ++j) {
      EXPECT_EQ(body.pose().local[j].translation, start.local[j].translation);
      const bool follows = std::ranges::find(chain, j) != chain.end();
      if (!follows) {
        EXPECT_EQ(body.pose().local[j], start.local[j]) << body.skeleton().name[j];
      } else if (i > 0) {
        const double turned =
            glm::length(rotation_vector(body.pose().local[j].rotation * glm::conjugate(before.local[j].rotation)));
        EXPECT_LT(turned, 0.2) << body.skeleton().name[j] << " at step " << i;
      }
    }
  }
  // An ankle bends no further; a wrist has the forearm to help it, some steps later.
  EXPECT_LT(most_off, std::string(name) == "wrist_l" ? 0.1 : 0.3);
}

TEST(Reach, C46_4_ALimbFollowsAPathWithoutAJump) {
  for (const float unit : {1.0f, 0.01f, 100.0f}) {
    follow_a_circle("wrist_l", unit);
    follow_a_circle("ankle_r", unit);
  }
}

TEST(Reach, HipsGoDownOverPinnedFeetAndUpNoFurtherThanTheLegsReach) {
  for (const float unit : {1.0f, 0.01f, 100.0f}) {
    Body body(bundled("mannequin.glb"), unit);
    const std::vector<Pin> pins = {body.pin("ankle_l"), body.pin("ankle_r")};
    const glm::dvec3 hips = body.place("hips");
    const auto feet_hold = [&] {
      return glm::length(body.place("ankle_l") - glm::dvec3(pins[0].position)) < 2e-4 * unit &&
             glm::length(body.place("ankle_r") - glm::dvec3(pins[1].position)) < 2e-4 * unit;
    };
    const glm::dvec3 low = hips + glm::dvec3(0.03, -0.06, 0) * double{unit};
    for (int i = 1; i <= 10; ++i) {
      body.drag("hips", glm::mix(hips, low, i / 10.0), pins);
      EXPECT_TRUE(feet_hold()) << "step " << i;
    }
    EXPECT_LT(glm::length(body.place("hips") - low), 1e-4 * unit);
    EXPECT_LT(glm::length(rotation_vector(body.direction("ankle_l") * glm::conjugate(glm::dquat(pins[0].rotation)))),
              0.02)
        << "the soles stay on the floor";
    EXPECT_LT(body.beyond_limits(), 1e-5);
    const IkReport up = body.drag("hips", hips + glm::dvec3(0, 0.5, 0) * double{unit}, pins);
    EXPECT_GT(up.residual, 0.3 * unit);
    EXPECT_TRUE(feet_hold()) << "they keep the hips down";
    EXPECT_GT(body.place("hips").y, hips.y - 0.02 * unit) << "as high as the legs reach";
  }
}

TEST(Reach, AWholeBodyReachesOverPinnedFeet) {
  const rig::Character mannequin = bundled("mannequin.glb");
  const Limbs limbs(mannequin);
  rig::Pose pose = rig::rest_pose(mannequin);
  rig::PoseBuilder builder(mannequin.skeleton, pose);
  const auto pin = [&](const char* name) {
    const int j = mannequin.skeleton->find(name);
    return Pin{j, limbs.natural_chain(j), glm::vec3(builder.world(j)[3]), glm::quat(rotation_of(builder.world(j)))};
  };
  const std::vector<Pin> pins = {pin("ankle_l"), pin("ankle_r")};
  const int wrist = mannequin.skeleton->find("wrist_l");
  Reach wish{.joint = wrist, .chain = {mannequin.skeleton->find("hips"), true}};
  const glm::dvec3 from(builder.world(wrist)[3]);
  const glm::dvec3 to = from + glm::dvec3(0.1, -0.5, 0.4);  // beyond the arm alone
  IkReport report;
  for (int i = 1; i <= 40; ++i) {
    wish.target = glm::mix(from, to, i / 40.0);
    report = reach(builder, wish, pins);
  }
  EXPECT_LT(report.residual, 2e-3);
  for (const Pin& pinned : pins) {
    EXPECT_LT(glm::length(glm::dvec3(builder.world(pinned.joint)[3]) - glm::dvec3(pinned.position)), 2e-3);
  }
}

TEST(Reach, WhatIsPinnedWhereItStandsStaysToTheBit) {
  Body body(bundled("mannequin.glb"));
  const std::vector<Pin> pins = {body.pin("ankle_l"), body.pin("wrist_r"), body.pin("hips")};
  const rig::Pose before = body.pose();
  body.hold(pins);
  EXPECT_EQ(body.pose().local, before.local);
  // Something above moves: it comes back to its place, and only its chain moves.
  body.pose().local[body.joint("hips")].translation.y -= 0.1f;
  body.hold({{pins[0]}});
  EXPECT_LT(glm::length(body.place("ankle_l") - glm::dvec3(pins[0].position)), 1e-4);
  EXPECT_EQ(body.pose().local[body.joint("ankle_r")], before.local[body.joint("ankle_r")]);
}

TEST(Reach, AStraightLimbBendsWhenItsEndIsPushedTowardsItsRoot) {
  for (const char* name : {"wrist_l", "ankle_l"}) {
    Body body(bundled("mannequin.glb"));
    const Limbs limbs(bundled("mannequin.glb"));
    const int root = limbs.natural_chain(body.joint(name)).root;
    const glm::dvec3 from = body.place(body.skeleton().name[root].c_str());
    const glm::dvec3 target = glm::mix(body.place(name), from, 0.15);
    const IkReport report = body.drag(name, target);
    EXPECT_LT(report.residual, 1e-3) << name;
  }
}

TEST(Reach, EachSolverThatSomebodyChoosesWorks) {
  const rig::Character mannequin = bundled("mannequin.glb");
  const Limbs limbs(mannequin);
  for (const IkSolver& solver : ik_solvers()) {
    rig::Pose pose = rig::rest_pose(mannequin);
    rig::PoseBuilder builder(mannequin.skeleton, pose);
    const int wrist = mannequin.skeleton->find("wrist_l");
    Reach wish{.joint = wrist, .chain = limbs.natural_chain(wrist), .solver = solver.id, .iterations = 200};
    wish.target = glm::dvec3(builder.world(wrist)[3]) + glm::dvec3(-0.1, 0.1, 0.15);
    const double before = glm::length(glm::dvec3(builder.world(wrist)[3]) - wish.target);
    const IkReport report = reach(builder, wish);
    EXPECT_LT(report.residual, 0.75 * before) << solver.id;
  }
}

}  // namespace
}  // namespace pelt::motion
