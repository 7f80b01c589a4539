// Tests which elements a box over the picture selects.
#include "render/box_picking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>

#include "deform/deform.h"
#include "support/fixtures.h"
#include "support/sheet.h"

namespace pelt::render {
namespace {

using Picked = std::vector<std::vector<std::uint32_t>>;
constexpr PictureBox kAll{{-1, -1}, {1, 1}};

std::size_t count(const Picked& picked) {
  std::size_t out = 0;
  for (const auto& of_part : picked) {
    out += of_part.size();
  }
  return out;
}

deform::DeformedCharacter at_rest(const rig::Character& character) {
  return deform::deform_once(character, rig::rest_pose(character), {.backend = deform::Backend::kCpu});
}

// Distance along the ray to a triangle by Cramer's rule, from either side.
std::optional<double> meets(const Ray& ray, const std::array<glm::dvec3, 3>& corner) {
  const glm::dmat3 m(corner[0] - corner[1], corner[0] - corner[2], glm::dvec3(ray.direction));
  const double determinant = glm::determinant(m);
  const glm::dvec3 s = corner[0] - glm::dvec3(ray.origin);
  const double a = glm::determinant(glm::dmat3(s, m[1], m[2])) / determinant;
  const double b = glm::determinant(glm::dmat3(m[0], s, m[2])) / determinant;
  if (!(a >= 0 && b >= 0 && a + b <= 1)) {
    return std::nullopt;
  }
  return glm::determinant(glm::dmat3(m[0], m[1], s)) / determinant;
}

// Every vertex against every triangle.
Picked seen_in(const rig::Character& character, const deform::DeformedCharacter& shape, const Camera& camera,
               float aspect, const PictureBox& box, std::span<const char> hidden) {
  const glm::mat4 clip_from_world = camera.clip_from_view(aspect) * camera.view_from_world();
  Picked out(character.parts.size());
  const auto is_hidden = [&](const rig::Part& part) { return !hidden.empty() && hidden[part.joint] != 0; };
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    for (std::size_t v = 0; v < shape.parts[p].positions.size() && !is_hidden(character.parts[p]); ++v) {
      const glm::vec3 point = shape.parts[p].positions[v];
      const glm::vec4 clip = clip_from_world * glm::vec4(point, 1);
      const glm::vec2 at = glm::vec2(clip) / clip.w;
      if (clip.w <= 1e-6f || at.x < box.lower.x || at.x > box.upper.x || at.y < box.lower.y || at.y > box.upper.y) {
        continue;
      }
      const Ray ray = pick_ray(camera, at, aspect);
      const double distance = glm::dot(glm::dvec3(point - ray.origin), glm::dvec3(ray.direction));
      bool covered = false;
      for (std::size_t q = 0; q < character.parts.size() && !covered; ++q) {
        const mesh::Primitive& primitive = character.primitive(character.parts[q]);
        for (std::size_t t = 0; t < primitive.triangle_count() && !is_hidden(character.parts[q]); ++t) {
          std::array<glm::dvec3, 3> corner;
          for (std::size_t k = 0; k < 3; ++k) {
            corner[k] = glm::dvec3(shape.parts[q].positions[primitive.indices[3 * t + k]]);
          }
          const std::optional<double> found = meets(ray, corner);
          covered |= found && *found > 0 && *found < distance * (1 - 5e-4);
        }
      }
      if (!covered) {
        out[p].push_back(static_cast<std::uint32_t>(v));
      }
    }
  }
  return out;
}

TEST(BoxPicking, TakesWhatNoTriangleHides) {
  test::Random random(5);
  std::size_t taken = 0;
  std::size_t all = 0;
  for (std::uint32_t seed = 1; seed <= 24; ++seed) {
    const rig::Character character = test::random_rig({.seed = seed, .joints = 4, .vertices = 40});
    const deform::DeformedCharacter shape = at_rest(character);
    Camera camera{.azimuth = random.real(-3.0f, 3.0f), .elevation = random.real(-1.0f, 1.0f)};
    camera.roll = random.real(-1.0f, 1.0f);
    camera.distance = seed % 3 == 0 ? 0.6f : random.real(2.0f, 4.0f);  // also from among the triangles
    camera.orthographic = seed % 4 == 1;
    const PictureBox box{{random.real(-1.0f, 0.0f), random.real(-1.0f, 0.0f)},
                         {random.real(0.0f, 1.0f), random.real(0.0f, 1.0f)}};
    const float aspect = random.real(0.5f, 2.0f);
    const Picked picked = vertices_in_box(character, shape, camera, aspect, box, false);
    EXPECT_EQ(picked, seen_in(character, shape, camera, aspect, box, {})) << seed;
    taken += count(picked);
    all += count(vertices_in_box(character, shape, camera, aspect, box, true));
  }
  EXPECT_GT(taken, 40u);
  EXPECT_GT(all, 2 * taken) << "most are hidden";
}

// So many triangles over each place that they have trees of their own.
TEST(BoxPicking, ManyLayersHideAsFewDo) {
  for (std::uint32_t seed = 1; seed <= 2; ++seed) {
    rig::Character character = test::random_rig({.seed = seed, .joints = 4, .vertices = 500});
    const rig::Character other = test::random_rig({.seed = seed + 7, .joints = 4, .vertices = 300});
    character.meshes.edit(0).primitives.push_back(other.meshes[0].primitives[0]);
    rig::finish(character);
    const deform::DeformedCharacter shape = at_rest(character);
    for (const float distance : {2.5f, 6.0f}) {
      const Camera camera{.azimuth = 1, .elevation = 0.3f, .distance = distance};
      const Picked picked = vertices_in_box(character, shape, camera, 1.5f, kAll, false);
      EXPECT_EQ(picked, seen_in(character, shape, camera, 1.5f, kAll, {})) << seed;
      EXPECT_GT(count(picked), 10u);
    }
  }
}

TEST(BoxPicking, HiddenPartsAreNotTakenAndHideNothing) {
  const rig::Character character = test::sheets(8, 1, std::array{0.0f, -0.5f});
  const deform::DeformedCharacter shape = at_rest(character);
  const Camera front{.pivot = {0.5f, 0.5f, 0}, .azimuth = 0, .elevation = 0, .distance = 4};
  const Picked seen = vertices_in_box(character, shape, front, 1, kAll, false);
  EXPECT_EQ(seen[0].size(), 64u);
  EXPECT_LT(seen[1].size(), 40u) << "perspective leaves the rim of the sheet behind";
  rig::HiddenSurface hidden;
  hidden.nodes.assign(character.skeleton->size(), 0);
  hidden.nodes[character.parts[0].joint] = 1;
  const Picked behind = vertices_in_box(character, shape, front, 1, kAll, false, hidden);
  EXPECT_TRUE(behind[0].empty());
  EXPECT_EQ(behind[1].size(), 64u);
  EXPECT_EQ(count(vertices_in_box(character, shape, front, 1, {{-0.2f, -0.2f}, {-0.2f, 1}}, true)), 0u)
      << "a line between the columns";
}

}  // namespace
}  // namespace pelt::render
