// Baked palettes and crowds, ALGORITHMS.md section 51.
#include "deform/crowd.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <glm/gtc/matrix_transform.hpp>

#include "deform/deform.h"
#include "support/fixtures.h"

namespace pelt::deform {
namespace {

// A character of `joints` joints in a chain whose clip turns each of them, `seconds` long.
rig::Character waving(int joints, float seconds) {
  rig::Character character = test::random_rig({.seed = 4, .joints = joints, .vertices = 60, .influences = 4});
  rig::Clip clip;
  clip.end = seconds;
  for (int j = 0; j < joints; ++j) {
    rig::Channel channel;
    channel.joint = character.skins[0].joints[j];
    channel.path = rig::ChannelPath::kRotation;
    channel.width = 4;
    for (int key = 0; key <= 4; ++key) {
      channel.times.push_back(seconds * static_cast<float>(key) / 4);
      const glm::quat q = glm::angleAxis(0.4f * std::sin(static_cast<float>(key + j)), glm::vec3(0, 0, 1));
      channel.values.insert(channel.values.end(), {q.x, q.y, q.z, q.w});
    }
    clip.channels.push_back(channel);
  }
  character.clips = {clip};
  return character;
}

TEST(Crowd, C51_1_SizesOfBakedPalettes) {
  const rig::Character character = waving(50, 59.0f / 30.0f);
  const int clips[] = {0};
  const BakedPalettes baked = bake_palettes(character, clips);
  EXPECT_EQ(baked.matrices, 50);
  EXPECT_EQ(baked.bytes_per_row(), 2400) << "150 texels of 16 bytes";
  EXPECT_EQ(baked.rows, 60);
  EXPECT_EQ(baked.bytes(), 144'000);
  EXPECT_EQ(baked.texels.size() * sizeof(glm::vec4), 144'000u);
  // 10 000 palettes of 50 matrices, not baked.
  EXPECT_NEAR(10'000.0 * static_cast<double>(baked.bytes_per_row()) / (1024.0 * 1024.0), 22.888, 5e-4);
}

TEST(Crowd, C51_2_APeriodLaterIsTheSame) {
  const rig::Character character = waving(8, 1.3f);
  const int clips[] = {0, -1};
  const BakedPalettes baked = bake_palettes(character, clips);
  for (const float phase :
       {0.0f, 0.25f, 0.625f}) {  // exact in binary, so that the whole period is lost without rounding
    std::vector<glm::mat4> now(baked.matrices);
    std::vector<glm::mat4> later(now.size());
    sample_palettes(baked, 0, phase, now);
    sample_palettes(baked, 0, phase + 3.0f, later);
    EXPECT_EQ(now, later);
  }
  const CrowdInstance instance{.phase = 0.25f, .speed = 2.0f};
  EXPECT_NEAR(phase_at(instance, baked.clips[0], 0.65 * 7), 0.25f, 1e-6);
  EXPECT_EQ(phase_at(instance, baked.clips[1], 5.0), 0.0f) << "the rest pose has no time";
}

TEST(Crowd, C51_3_WholeFramesEqualDirectSkinning) {
  const rig::Character character = waving(12, 1.1f);
  const int clips[] = {0};
  const BakedPalettes baked = bake_palettes(character, clips);
  const BakedClip& clip = baked.clips[0];
  ASSERT_EQ(clip.steps, 33);
  const mesh::Primitive& primitive = character.meshes[0].primitives[0];
  const SkinningMethod& lbs = skinning_methods()[find_method("lbs")];
  for (int step = 0; step < clip.steps; ++step) {
    rig::Pose pose = rig::rest_pose(character);
    const float share = static_cast<float>(step) / static_cast<float>(clip.steps);
    rig::apply(character.clips[0], clip.duration * share, character.morph_offset, pose);
    const DeformedCharacter direct = deform_once(character, pose, {});
    std::vector<glm::mat4> matrices(baked.matrices);
    sample_palettes(baked, 0, share, matrices);
    const DeformedPart from_rows = skin_once(lbs, primitive, primitive.influences, matrices);
    for (std::size_t v = 0; v < from_rows.positions.size(); ++v) {
      ASSERT_LE(glm::distance(from_rows.positions[v], direct.parts[0].positions[v]), 1e-5f * direct.bounds.diagonal())
          << "frame " << step;
    }
  }
}

TEST(Crowd, C51_4_EveryInstanceInSightIsListedOnce) {
  Bounds bounds;
  bounds.add(glm::vec3(-0.5f, 0, -0.3f));
  bounds.add(glm::vec3(0.5f, 1.8f, 0.3f));
  const std::vector<CrowdInstance> crowd = arrange_crowd(10'000, 3, bounds);
  ASSERT_EQ(crowd.size(), 10'000u);
  EXPECT_EQ(crowd[0].world, glm::mat4(1.0f));
  EXPECT_EQ(crowd[0].phase, 0.0f);
  // Nobody stands in anybody's place.
  std::vector<std::pair<float, float>> places;
  for (const CrowdInstance& instance : crowd) {
    places.emplace_back(instance.world[3].x, instance.world[3].z);
  }
  std::ranges::sort(places);
  EXPECT_EQ(std::ranges::adjacent_find(places), places.end());

  const glm::vec4 ball(0, 0.9f, 0, 1.1f);
  const glm::mat4 view = glm::lookAt(glm::vec3(4, 3, 12), glm::vec3(-6, 0, -20), glm::vec3(0, 1, 0));
  const glm::mat4 clip_from_world = glm::perspective(0.7f, 1.5f, 0.1f, 1000.0f) * view;
  const std::vector<int> visible = visible_instances(crowd, ball, clip_from_world);
  ASSERT_FALSE(visible.empty());
  ASSERT_LT(visible.size(), crowd.size());
  EXPECT_TRUE(std::ranges::is_sorted(visible, std::ranges::less_equal())) << "ascending, none twice";
  // Whoever has a point of the ball's centre on the screen is among them.
  for (std::size_t i = 0; i < crowd.size(); ++i) {
    const glm::vec4 clip = clip_from_world * crowd[i].world * glm::vec4(glm::vec3(ball), 1.0f);
    const bool on_screen = clip.w > 0 && std::abs(clip.x) <= clip.w && std::abs(clip.y) <= clip.w;
    if (on_screen) {
      EXPECT_TRUE(std::ranges::binary_search(visible, static_cast<int>(i))) << i;
    }
  }
}

TEST(Crowd, C51_5_HalfPrecisionTellsItsError) {
  const rig::Character character = waving(12, 1.0f);
  const int clips[] = {0};
  const BakedPalettes baked = bake_palettes(character, clips);
  float entry = 0;
  for (const glm::vec4& texel : baked.texels) {
    entry = std::max({entry, std::abs(texel.x), std::abs(texel.y), std::abs(texel.z), std::abs(texel.w)});
  }
  float coordinate = 1;
  for (const glm::vec3& p : character.meshes[0].primitives[0].positions) {
    coordinate = std::max({coordinate, std::abs(p.x), std::abs(p.y), std::abs(p.z)});
  }
  const double error = largest_distance(character, baked, in_half_precision(baked));
  // Each of a row's four numbers is off by at most 2^-11 of itself, and three rows make a point.
  EXPECT_GT(error, 0.0);
  EXPECT_LE(error, std::sqrt(3.0) * 4 * std::exp2(-11.0) * static_cast<double>(entry * coordinate));
  EXPECT_EQ(largest_distance(character, baked, baked), 0.0);
}

TEST(Crowd, LevelsFollowTheDistance) {
  CrowdInstance instance;
  instance.world = glm::translate(glm::mat4(1.0f), glm::vec3(0, 0, -10));
  const float limits[] = {5, 10.5f, 20};
  EXPECT_EQ(detail_level(instance, glm::vec3(0, 0, -6), limits), 0);
  EXPECT_EQ(detail_level(instance, glm::vec3(0), limits), 1);
  EXPECT_EQ(detail_level(instance, glm::vec3(0, 0, 10), limits), 3);
}

}  // namespace
}  // namespace pelt::deform
