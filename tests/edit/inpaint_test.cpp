// Inpainting as a tool of weights: a falloff as wide as what is chosen, ALGORITHMS.md §39.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "edit/weight_tools.h"
#include "edit_fixtures.h"
#include "trousers.h"

namespace pelt::edit {
namespace {

double tip_weight(const mesh::Influences& rows, std::size_t v) {
  const auto at = std::ranges::find(rows.joints(v), 1);
  return at == rows.joints(v).end() ? 0 : static_cast<double>(rows.weights(v)[at - rows.joints(v).begin()]);
}

// F-CYL with its falloff cut off in the middle, and a triangle that lies on it as a shell of its own.
rig::Character cut_cylinder(std::vector<std::uint32_t>& band, std::vector<std::uint32_t>& shell) {
  rig::Character character = test::cylinder();
  mesh::Primitive& primitive = character.meshes.edit(0).primitives.edit(0);
  const std::array<float, 1> whole = {1};
  for (int ring = 17; ring <= 23; ++ring) {
    const std::array<std::uint16_t, 1> joint = {static_cast<std::uint16_t>(ring < 20 ? 0 : 1)};
    for (int k = 0; k < test::kCylinderAround; ++k) {
      band.push_back(test::cylinder_vertex(ring, k));
      primitive.influences.edit().set_row(band.back(), joint, whole);
    }
  }
  for (const auto& [ring, k] : {std::pair(18, 0), std::pair(19, 0), std::pair(18, 1)}) {
    const std::uint32_t below = test::cylinder_vertex(ring, k);
    const glm::vec3 normal = primitive.normals[below];
    const glm::vec3 position = primitive.positions[below] + 0.001f * normal;
    const mesh::Influences rows = *primitive.influences;
    shell.push_back(static_cast<std::uint32_t>(primitive.positions.size()));
    primitive.positions.edit().push_back(position);
    primitive.normals.edit().push_back(normal);
    primitive.influences.edit().push_row(rows.row(below));
    primitive.indices.edit().push_back(shell.back());
  }
  rig::finish(character);
  return character;
}

TEST(Inpaint, GivesACutFalloffBack) {
  std::vector<std::uint32_t> chosen;
  std::vector<std::uint32_t> shell;
  Document document = make_document(std::make_shared<const rig::Character>(cut_cylinder(chosen, shell)));
  chosen.insert(chosen.end(), shell.begin(), shell.end());
  test::apply(document, UseWeightTool{.tool = "inpaint", .vertices = chosen});
  const mesh::Influences rows = test::rows_in(document);
  const rig::Character sound = test::cylinder();
  for (std::size_t v = 0; v < sound.meshes[0].primitives[0].vertex_count(); ++v) {
    ASSERT_NEAR(tip_weight(rows, v), tip_weight(*sound.meshes[0].primitives[0].influences, v), 1e-6) << v;
  }
  // What nothing holds goes with what it lies on.
  EXPECT_NEAR(tip_weight(rows, shell[0]), 0.25, 1e-3);
  EXPECT_NEAR(tip_weight(rows, shell[1]), 0.375, 1e-3);
  EXPECT_NEAR(tip_weight(rows, shell[2]), 0.25, 1e-3);
}

TEST(Inpaint, ChangesOnlyWhatIsChosenAndNeedsSomethingRoundIt) {
  std::vector<std::uint32_t> chosen;
  std::vector<std::uint32_t> shell;
  Document document = make_document(std::make_shared<const rig::Character>(cut_cylinder(chosen, shell)));
  const mesh::Influences before = test::rows_in(document);
  test::apply(document, UseWeightTool{.tool = "inpaint", .vertices = chosen});
  const mesh::Influences rows = test::rows_in(document);
  for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
    if (std::ranges::find(chosen, v) == chosen.end()) {
      ASSERT_EQ(tip_weight(rows, v), tip_weight(before, v)) << v;
    }
  }
  EXPECT_THAT(why_refused(document, UseWeightTool{.tool = "inpaint"}), testing::HasSubstr("chosen vertices"));
}

}  // namespace
}  // namespace pelt::edit
