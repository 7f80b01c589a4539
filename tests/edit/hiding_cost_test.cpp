// Tests the cost of hiding a large selection of a large surface.
#include "edit/hiding.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/effort.h"
#include "support/fixtures.h"
#include "support/surfaces.h"

namespace pelt::edit {
namespace {

TEST(Hiding, OfAMillionTrianglesTakesMilliseconds) {
  rig::Character character;
  test::add_node(character, "node", -1, {});
  mesh::Mesh mesh;
  mesh.primitives.push_back(test::grid(708, 708));
  character.meshes.push_back(std::move(mesh));
  character.mesh_nodes.push_back({.joint = 0, .mesh = 0, .skin = -1, .morph_weights = {}});
  character.scenes.push_back({.name = "", .roots = {0}});
  rig::finish(character);
  PartVertices half{0, {}};
  for (std::uint32_t v = 0; v < 250'000; ++v) {
    half.vertices.push_back(v);
  }
  SurfaceCache surfaces;
  const double first = test::processor_seconds([&] { at_same_places(character, surfaces, {half}); });
  const double hiding = test::processor_seconds([&] { hide_faces(nullptr, character, surfaces, {half}); });
  const double others = test::processor_seconds([&] { hide_other_faces(nullptr, character, surfaces, {half}); });
  RecordProperty("milliseconds", fmt::format("{:.1f} welding once, {:.1f} hiding, {:.1f} hiding the others",
                                             1e3 * first, 1e3 * hiding, 1e3 * others));
  EXPECT_LT(hiding, 0.25) << "about a tenth of that is needed";
  EXPECT_LT(others, 0.25);
}

}  // namespace
}  // namespace pelt::edit
