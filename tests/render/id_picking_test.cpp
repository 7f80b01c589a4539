#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gltf/bundled.h"
#include "render/picking.h"
#include "render/picture_test.h"
#include "support/effort.h"
#include "support/fixtures.h"

namespace pelt::render {
namespace {

constexpr glm::ivec2 kPickSize = {160, 120};

/// A posed character in a frame of its own.
struct Shown {
  rig::Character character;
  rig::Pose pose;
  rig::WorldMatrices world;
  deform::DeformedCharacter deformed;
  Frame frame;

  Shown(rig::Character shown, std::uint32_t seed, double angle) : character(std::move(shown)) {
    test::Random random(seed);
    pose = test::random_pose(character, random, angle);
    follow();
    frame.size = kPickSize;
    render::frame(frame.camera, frame.bounds, static_cast<float>(kPickSize.x) / static_cast<float>(kPickSize.y));
  }
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;

  void follow() {
    world.evaluate(character.skeleton, pose);
    deformed = deform::deform_once(character, pose, frame.skinning);
    frame.character = &character;
    frame.pose = &pose;
    frame.world = world.world();
    ++frame.pose_version;
    frame.deformed = &deformed;
    frame.bounds = deformed.bounds;
  }
  [[nodiscard]] glm::ivec2 pixel_of_a_vertex(test::Random& random) const {
    const LineVector<glm::vec3>& positions = deformed.parts[0].positions;
    const glm::vec3 vertex = positions[random.below(static_cast<int>(positions.size()))];
    const float aspect = static_cast<float>(kPickSize.x) / static_cast<float>(kPickSize.y);
    const glm::vec4 clip =
        frame.camera.clip_from_view(aspect) * frame.camera.view_from_world() * glm::vec4(vertex, 1.0f);
    const glm::vec2 at = (glm::vec2(clip.x, -clip.y) / clip.w * 0.5f + 0.5f) * glm::vec2(kPickSize);
    return glm::clamp(glm::ivec2(at), glm::ivec2(0), kPickSize - 1);
  }
  [[nodiscard]] std::optional<VertexHit> by_ray(glm::vec2 pixel, const rig::HiddenSurface& hidden = {}) const {
    const glm::vec2 at = pixel / glm::vec2(kPickSize) * 2.0f - 1.0f;
    return pick_vertex(character, deformed,
                       pick_ray(frame.camera, {at.x, -at.y}, static_cast<float>(kPickSize.x) / kPickSize.y), hidden);
  }
};

class IdPicking : public PictureTest {
 protected:
  std::optional<VertexHit> pick(const Frame& frame, glm::ivec2 pixel, int radius = 0) {
    const auto hit = renderer_->pick(frame, pixel, radius);
    EXPECT_TRUE(hit) << hit.error().message;
    return hit ? *hit : std::nullopt;
  }

  /// Agreement with the ray at random pixels. Where the two differ, the ray half a pixel aside must find what the ids
  /// say, or the two hits lie at one depth: a silhouette, an edge between triangles, surfaces through each other.
  void expect_agreement(Shown& shown, const std::string& what) {
    test::Random random(5);
    int hits = 0;
    int edges = 0;
    for (int i = 0; i < 80; ++i) {
      // Every fourth anywhere, the others next to a vertex.
      const glm::ivec2 pixel = i % 4 == 0 ? glm::ivec2(random.below(kPickSize.x), random.below(kPickSize.y))
                                          : shown.pixel_of_a_vertex(random);
      const std::optional<VertexHit> ids = pick(shown.frame, pixel);
      const std::optional<VertexHit> ray = shown.by_ray(glm::vec2(pixel) + 0.5f);
      hits += ray ? 1 : 0;
      if (ids && ray && ids->part == ray->part && ids->triangle == ray->triangle) {
        EXPECT_EQ(ids->vertex, ray->vertex) << what;
        EXPECT_NEAR(ids->distance, ray->distance, 1e-4f * ray->distance) << what;
        EXPECT_LE(glm::distance(ids->position, ray->position), 1e-4f * ray->distance) << what;
        continue;
      }
      if (!ids && !ray) {
        continue;
      }
      ++edges;
      bool explained = ids && ray && std::abs(ids->distance - ray->distance) < 1e-4f * ray->distance;
      for (int k = 0; k < 16 && !explained; ++k) {
        const float angle = 6.2831853f * static_cast<float>(k) / 16.0f;
        const auto near = shown.by_ray(glm::vec2(pixel) + 0.5f + 0.05f * glm::vec2(std::cos(angle), std::sin(angle)));
        explained = near.has_value() == ids.has_value() &&
                    (!near || (near->part == ids->part && near->triangle == ids->triangle));
      }
      EXPECT_TRUE(explained) << what << ": pixel " << pixel.x << ", " << pixel.y;
    }
    EXPECT_GE(hits, 30) << what;
    EXPECT_LE(4 * edges, hits) << what;
    RecordProperty(what, fmt::format("{} of {} at edges", edges, hits));
  }
};

TEST_F(IdPicking, AgreesWithTheRayInEveryLayout) {
  for (const char* name : test::last_or_all({"mannequin", "robot"})) {
    auto character = gltf::import_bundled(name);
    ASSERT_TRUE(character) << character.error().message;
    Shown shown(*std::move(character), 3, 0.3);
    expect_agreement(shown, fmt::format("{} in batches", name));
    shown.frame.skinning.palette_limit = 12;
    shown.frame.skinning.partition = true;
    expect_agreement(shown, fmt::format("{} in small and rigid batches", name));
    shown.frame.paint = true;
    expect_agreement(shown, fmt::format("{} in the paint layout", name));
    shown.frame.skinning.backend = deform::Backend::kCpu;
    expect_agreement(shown, fmt::format("{} streamed", name));
  }
}

TEST_F(IdPicking, AStillCursorDrawsNothing) {
  Shown shown(test::cylinder(), 1, 0.3);
  const glm::ivec2 middle = kPickSize / 2;
  ASSERT_TRUE(pick(shown.frame, middle));
  const std::int64_t drawn = renderer_->picking_draws();
  EXPECT_TRUE(pick(shown.frame, middle));
  EXPECT_TRUE(pick(shown.frame, middle + glm::ivec2(3, -2), 4));
  EXPECT_EQ(renderer_->picking_draws(), drawn) << "near by too";
  shown.pose.local[1].rotation = glm::angleAxis(0.8f, glm::vec3(0, 0, 1));
  shown.follow();
  EXPECT_EQ(pick(shown.frame, middle).has_value(), shown.by_ray(glm::vec2(middle) + 0.5f).has_value());
  EXPECT_EQ(renderer_->picking_draws(), drawn + 1) << "another pose";
  shown.frame.camera.azimuth += 0.5f;
  pick(shown.frame, middle);
  EXPECT_EQ(renderer_->picking_draws(), drawn + 2) << "another camera";
  shown.character.meshes.edit(0).primitives.edit(0).influences.edit().set_row(0, std::array<std::uint16_t, 1>{1},
                                                                              std::array{1.0f});
  pick(shown.frame, middle);
  EXPECT_EQ(renderer_->picking_draws(), drawn + 3) << "other weights";
}

TEST_F(IdPicking, ABrushFindsTheNearestOfItsDisc) {
  Shown shown(test::cylinder(), 1, 0.0);
  // To the left of the surface, which begins somewhere along the row.
  const int row = kPickSize.y / 2;
  int first = 0;
  while (first < kPickSize.x && !pick(shown.frame, {first, row})) {
    ++first;
  }
  ASSERT_GT(first, 20);
  ASSERT_LT(first, kPickSize.x);
  const glm::ivec2 center(first - 12, row);
  glm::ivec2 nearest(first, row);
  const auto square = [&](glm::ivec2 pixel) {
    const glm::ivec2 away = pixel - center;
    return away.x * away.x + away.y * away.y;
  };
  for (int y = row - 12; y <= row + 12; ++y) {
    for (int x = center.x; x <= center.x + 12; ++x) {
      if (square({x, y}) < square(nearest) && pick(shown.frame, {x, y})) {
        nearest = {x, y};
      }
    }
  }
  const int reach = static_cast<int>(std::ceil(std::sqrt(static_cast<float>(square(nearest)))));
  EXPECT_FALSE(pick(shown.frame, center, reach - 1));
  const auto reached = pick(shown.frame, center, reach);
  const auto edge = pick(shown.frame, nearest);
  ASSERT_TRUE(reached && edge);
  EXPECT_EQ(reached->part, edge->part);
  EXPECT_NEAR(reached->distance, edge->distance, 1e-2f);
  EXPECT_LE(glm::distance(reached->position, edge->position), 0.02f) << "of equally near ones either";
  EXPECT_FALSE(pick(shown.frame, {-50, -50}, 4)) << "beside the picture";
}

TEST_F(IdPicking, HiddenNodesAreSeenThrough) {
  Shown shown(test::cylinder(), 1, 0.0);
  const glm::ivec2 middle = kPickSize / 2;
  ASSERT_TRUE(pick(shown.frame, middle));
  shown.frame.view.toggled_nodes = {shown.character.parts[0].joint};
  EXPECT_FALSE(pick(shown.frame, middle));
}

TEST_F(IdPicking, AWideBrushReachesItsRadius) {
  Shown shown(test::cylinder(), 1, 0.0);
  shown.frame.camera.distance *= 4;  // small, in the middle
  const glm::ivec2 beside = kPickSize / 2 - glm::ivec2(40, 0);
  ASSERT_TRUE(pick(shown.frame, kPickSize / 2));
  EXPECT_FALSE(pick(shown.frame, beside, 8));
  EXPECT_TRUE(pick(shown.frame, beside, 40));
  const std::int64_t drawn = renderer_->picking_draws();
  EXPECT_TRUE(pick(shown.frame, beside, 40));
  EXPECT_EQ(renderer_->picking_draws(), drawn) << "all of it is known";
}

TEST_F(IdPicking, WhatIsDrawnIsFoundWhereverThePivotIs) {
  Shown shown(test::cylinder(), 1, 0.0);
  // The pivot is a metre before the tube, the eye two more; without its bounds all behind the pivot is too far.
  shown.frame.camera = Camera{.pivot = glm::vec3(0.5f, 0, 1), .azimuth = 0, .elevation = 0, .distance = 2};
  shown.frame.camera.near_far_radius = 1e-3f;
  EXPECT_TRUE(pick(shown.frame, kPickSize / 2)) << "the range holds the character's bounds";
}

}  // namespace
}  // namespace pelt::render
