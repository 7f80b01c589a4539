// Rogue vertices of a real binding, ALGORITHMS.md §38.
#include "mesh/rogues.h"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "support/binding.h"

namespace pelt::bind {
namespace {

TEST(Rogues, C38_3_PatchesOfAThickFingerThatFollowTheThinOne) {
  const Problem problem = test::fingers_to_bind();
  const Binding binding = test::bound(problem, "point-to-line", {{"bones", 1}});
  mesh::Primitive primitive;
  mesh::Influences rows;
  for (std::size_t w = 0; w < problem.place_count(); ++w) {
    primitive.positions.emplace_back(problem.positions[w]);
    const auto joint = static_cast<std::uint16_t>(binding.rows.strongest(w));
    const float weight = 1;
    mesh::append_row(rows, {&joint, 1}, {&weight, 1});
  }
  primitive.influences = rows;
  for (const auto& [a, b, c] : problem.triangles) {
    primitive.indices.append({a, b, c});
  }
  mesh::Mesh merged;
  merged.primitives.push_back(primitive);
  const auto surface = mesh::welded_surface(merged);
  const std::vector<const mesh::Influences*> influences = {&*merged.primitives[0].influences};
  const mesh::BoneDistance distance = [&](std::uint16_t slot, const glm::dvec3& p) {
    return distance_to_bone(p, problem.bones[slot]);
  };
  const std::vector<mesh::RoguePatch> found = mesh::find_rogues(*surface, influences, distance, {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].joint, 1) << "the bone of B";
  std::set<std::uint32_t> named;
  for (const std::uint32_t place : found[0].places) {
    named.insert(surface->copies(place)[0]);
  }
  std::set<std::uint32_t> expected;
  for (std::uint32_t ring = 0; ring < 21; ++ring) {
    for (std::uint32_t k = 0; k < 64; ++k) {
      const double angle = std::min(k, 64 - k) * 360.0 / 64;
      if (angle < 41.409622) {
        expected.insert(ring * 64 + k);
      }
    }
  }
  EXPECT_EQ(expected.size(), 15u * 21u);
  EXPECT_EQ(named, expected);
  // Repaired, A follows its own bone everywhere.
  const mesh::Influences after =
      mesh::patched(*influences[0], mesh::repaired_rogues(*surface, influences, distance, {}, {})[0]);
  for (std::size_t v = 0; v < 1346; ++v) {
    ASSERT_EQ(after.joints(v)[0], 0) << v;
  }
}

}  // namespace
}  // namespace pelt::bind
