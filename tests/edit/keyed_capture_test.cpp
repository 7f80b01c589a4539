#include <filesystem>
#include <numeric>

#include <gtest/gtest.h>

#include "edit/commands.h"
#include "edit/evaluation.h"
#include "edit/long_capture.h"
#include "formats/open.h"
#include "gltf/export.h"
#include "gltf/import.h"
#include "rig/kinematics.h"
#include "support/requirements.h"

namespace pelt::edit {
namespace {

using test::opened_from_corpus;
using test::playing_document;

// Joints that the first clip turns.
std::vector<int> turned(const Document& document) {
  std::vector<int> joints;
  for (const rig::Channel& channel : document.character->clips[0].channels) {
    if (channel.path == rig::ChannelPath::kRotation) {
      joints.push_back(channel.joint);
    }
  }
  return joints;
}

// A step keeps the channel that changed and not the clip. keyed_capture_cost_test.cpp measures the time.
TEST(KeyedCapture, C47_15_AnEditOfOneJointOfALongCaptureIsCheap) {
  PELT_NEEDS_CORPUS("mocap/cmu_01_01.bvh");
  Document document = playing_document(opened_from_corpus("mocap/cmu_01_01.bvh"));
  const ChannelId id = test::first_turn(document);
  const std::size_t frames = find_channel(document.character->clips[0], id)->times.size();
  ASSERT_GE(document.character->clips[0].channels[0].times.size(), 2752U);
  test::pose_keys(document, id);
  test::move_keys(document, id);
  const std::size_t bytes = document.history.bytes() / (document.history.size() - 1);
  const std::size_t channel_bytes = frames * 5 * sizeof(float);
  EXPECT_LT(bytes, channel_bytes + 64 * 1024);
  test::undo_all(document);
  EXPECT_EQ(document.content.character, document.file);
}

// The largest distance of any node's origin at moments of a clip, over the size of the skeleton.
double largest_distance(const rig::Character& a, const rig::Character& b, const std::vector<int>& node_of, int clip) {
  double distance = 0;
  glm::dvec3 lower(1e30);
  glm::dvec3 upper(-1e30);
  const rig::Clip& times = a.clips[clip];
  for (int i = 0; i <= 40; ++i) {
    const float time = times.start + times.duration() * static_cast<float>(i) / 40;
    rig::Pose p = rig::rest_pose(a);
    rig::Pose q = rig::rest_pose(b);
    rig::apply(a.clips[clip], time, a.morph_offset, p);
    rig::apply(b.clips[clip], time, b.morph_offset, q);
    rig::WorldMatrices v;
    rig::WorldMatrices w;
    v.evaluate(a.skeleton, p);
    w.evaluate(b.skeleton, q);
    for (int j = 0; j < a.skeleton->size(); ++j) {
      const glm::dvec3 x(v[j][3]);
      distance = std::max(distance, glm::length(x - glm::dvec3(w[node_of[j]][3])));
      lower = glm::min(lower, x);
      upper = glm::max(upper, x);
    }
  }
  return distance / glm::length(upper - lower);
}

TEST(KeyedCapture, C47_16_EditedClipsOfCorpusCharactersExportAsTheyPlay) {
  PELT_NEEDS_CORPUS("characters");
  int characters = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(PELT_CORPUS_DIR) / "characters")) {
    if (!entry.is_regular_file()) {
      continue;
    }
    const auto character = opened_from_corpus(std::filesystem::path("characters") / entry.path().filename());
    if (character->clips.empty()) {
      continue;
    }
    SCOPED_TRACE(entry.path().filename());
    ++characters;
    Document document = playing_document(character);
    const std::vector<int> joints = turned(document);
    ASSERT_FALSE(joints.empty());
    const rig::Clip& clip = document.character->clips[0];
    const float middle = clip.start + 0.43f * clip.duration();
    edit::apply(document, {SetTime{middle}, {}, false});
    document.view.timing.auto_key = true;
    // Keys of every kind: posed, inserted, cubic, moved, with a clip made and another one turned around.
    edit::apply(document, {SetDof{joints.back(), 0, 0.3f}, {}, true});
    edit::apply(document, {KeyJoints{0, joints}, {}, true});
    edit::apply(
        document,
        {SetInterpolation{0, {{joints[0], rig::ChannelPath::kRotation}}, rig::Interpolation::kCubicSpline}, {}, true});
    edit::apply(document,
                {MoveKeys{0, {{{joints[0], rig::ChannelPath::kRotation}, {middle}}}, {.offset = 0.01}}, {}, true});
    edit::apply(document, {AddClip{"mirrored", 0}, {}, true});
    edit::apply(document, {ChangeClip{document.content.clip, find_clip_operation("reverse"), {}}, {}, true});
    const rig::Character& edited = *document.content.character;
    const Result<std::vector<std::uint8_t>> bytes = gltf::export_glb(edited);
    ASSERT_TRUE(bytes) << bytes.error().message;
    const Result<rig::Character> again = formats::import_memory(*bytes);
    ASSERT_TRUE(again) << again.error().message;
    ASSERT_EQ(again->clips.size(), edited.clips.size());
    std::vector<int> node_of(edited.skeleton->size());
    for (int j = 0; j < edited.skeleton->size(); ++j) {
      const auto found = std::ranges::find(again->skeleton->source_node, edited.skeleton->source_node[j]);
      ASSERT_NE(found, again->skeleton->source_node.end());
      node_of[j] = static_cast<int>(found - again->skeleton->source_node.begin());
    }
    for (const int c : {0, static_cast<int>(edited.clips.size()) - 1}) {
      EXPECT_LE(largest_distance(edited, *again, node_of, c), 1e-6) << "clip " << c;
    }
  }
  EXPECT_GE(characters, 3);
}

}  // namespace
}  // namespace pelt::edit
