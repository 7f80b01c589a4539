#include <filesystem>
#include <numeric>

#include <gtest/gtest.h>

#include "edit/commands.h"
#include "edit/evaluation.h"
#include "formats/open.h"
#include "gltf/export.h"
#include "gltf/import.h"
#include "rig/kinematics.h"
#include "support/effort.h"
#include "support/requirements.h"

namespace pelt::edit {
namespace {

std::shared_ptr<const rig::Character> opened(const std::filesystem::path& below) {
  Result<rig::Character> character = formats::open_character((std::filesystem::path(PELT_CORPUS_DIR) / below).string());
  EXPECT_TRUE(character) << character.error().message;
  return std::make_shared<const rig::Character>(*std::move(character));
}

Document playing(std::shared_ptr<const rig::Character> character) {
  Document document = make_document(std::move(character));
  edit::apply(document, {SetClip{0}, {}, false});
  return document;
}

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

TEST(KeyedCapture, C47_15_AnEditOfOneJointOfALongCaptureIsCheap) {
  PELT_NEEDS_CORPUS("mocap/cmu_01_01.bvh");
  Document document = playing(opened("mocap/cmu_01_01.bvh"));
  const rig::Clip& clip = document.character->clips[0];
  ASSERT_GE(clip.channels[0].times.size(), 2752U);
  const ChannelId id = id_of(*std::ranges::find(clip.channels, rig::ChannelPath::kRotation, &rig::Channel::path));
  constexpr int kEdits = 100;
  constexpr double kMilliseconds = 1000.0 / kEdits;
  document.view.timing.auto_key = true;
  const double posed = test::processor_seconds([&] {
                         for (int i = 0; i < kEdits; ++i) {
                           edit::apply(document, {SetTime{0.1f * static_cast<float>(i)}, {}, false});
                           edit::apply(document, {SetDof{id.joint, 0, 0.01f * static_cast<float>(i)}, {}, true});
                         }
                       }) *
                       kMilliseconds;
  document.view.timing.auto_key = false;
  const double moved =
      test::processor_seconds([&] {
        for (int i = 0; i < kEdits; ++i) {
          const std::vector<float>& times = find_channel(document.character->clips[0], id)->times;
          edit::apply(document, {MoveKeys{0, {{id, {times[20 * i + 10]}}}, {.offset = 0.003}}, {}, true});
        }
      }) *
      kMilliseconds;
  const std::size_t bytes = document.history.bytes() / (document.history.size() - 1);
  const double undone = test::processor_seconds([&] {
                          while (can_undo(document)) {
                            undo(document);
                          }
                        }) *
                        kMilliseconds / 2;
  RecordProperty("posed_ms", std::to_string(posed));
  RecordProperty("moved_ms", std::to_string(moved));
  RecordProperty("undone_ms", std::to_string(undone));
  std::printf("%zu frames, %zu channels: %.2f ms a posed key, %.2f ms a moved key, %.2f ms an undo, %zu bytes a step\n",
              find_channel(clip, id)->times.size(), clip.channels.size(), posed, moved, undone, bytes);
  EXPECT_LT(posed, 5 * test::kSlowness);
  EXPECT_LT(moved, 5 * test::kSlowness);
  EXPECT_LT(undone, 5 * test::kSlowness);
  // A step keeps the channel that changed, not the clip.
  const std::size_t channel_bytes = find_channel(clip, id)->times.size() * 5 * sizeof(float);
  EXPECT_LT(bytes, channel_bytes + 64 * 1024);
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
    const auto character = opened(std::filesystem::path("characters") / entry.path().filename());
    if (character->clips.empty()) {
      continue;
    }
    SCOPED_TRACE(entry.path().filename());
    ++characters;
    Document document = playing(character);
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
