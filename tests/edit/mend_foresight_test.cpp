// What a mend of findings would change, measured on a copy, and the vertices that a finding is about.
#include <array>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "edit/mend_foresight.h"
#include "edit/weight_repairs.h"
#include "edit_fixtures.h"
#include "rig/lint_fix.h"

namespace pelt::edit {
namespace {

using testing::ElementsAre;

// A vertex that no triangle uses.
rig::Character with_unused_vertex() {
  rig::Character character = test::cylinder();
  mesh::Primitive& primitive = character.meshes.edit(0).primitives.edit(0);
  const auto append_first = [](auto& array) {
    if (!array.empty()) {
      const auto first = array[0];
      array.edit().push_back(first);
    }
  };
  append_first(primitive.positions);
  append_first(primitive.normals);
  append_first(primitive.texcoords[0]);
  append_first(primitive.texcoords[1]);
  const mesh::Influences rows = primitive.influences;
  primitive.influences.edit().push_row(rows.row(0));
  rig::finish(character);
  return character;
}

MendedParts foreseen(const rig::Character& character, const std::string& code) {
  const std::array codes = {code};
  return foreseen_mend(character, codes);
}

TEST(MendForesight, SaysHowManyVerticesGoAndThatNoneMoves) {
  const MendedParts parts = foreseen(with_unused_vertex(), "unused-vertex");
  EXPECT_EQ(parts, (MendedParts{.removed = 1}));
  EXPECT_EQ(parts.vertices(), 1u);
  EXPECT_EQ(foreseen(test::cylinder(), "unused-vertex"), MendedParts{});
}

TEST(MendForesight, CountsTrianglesThatAreTurned) {
  rig::Character character = test::cylinder();
  std::vector<std::uint32_t>& indices = character.meshes.edit(0).primitives.edit(0).indices.edit();
  std::swap(indices[0], indices[1]);
  std::swap(indices[3], indices[4]);
  EXPECT_EQ(mended_parts(character, test::cylinder()).turned, 2u);
  EXPECT_EQ(mended_parts(character, character), MendedParts{});
}

TEST(MendForesight, CountsRowsOfWeightsThatAreOthers) {
  const rig::Character before = test::cylinder();
  rig::Character after = before;
  after.meshes.edit(0).primitives.edit(0).influences.edit().set_stored_sum(7, 0.5f);
  EXPECT_EQ(mended_parts(before, after), (MendedParts{.reweighted = 1}));
}

TEST(MendForesight, MeasuresHowFarAnotherInverseBindMatrixMovesVertices) {
  const rig::Character before = test::cylinder();
  rig::Character after = before;
  after.skins.edit(0).joint_from_mesh[0][3] += glm::vec4(0, 0.25f, 0, 0);
  MendedParts parts = mended_parts(before, after);
  EXPECT_EQ(parts.matrices, 1u);
  EXPECT_EQ(parts.moved, 0u) << "not measured yet";
  measure_moves(before, after, {}, parts);
  EXPECT_GT(parts.moved, 0u);
  EXPECT_NEAR(parts.farthest, 0.25, 1e-4) << "vertices that follow the joint alone";
}

TEST(FoundVertices, BecomeASelectionOfAllPrimitivesOfTheMesh) {
  rig::Character character = test::cylinder();
  character.meshes.edit(0).primitives.push_back(character.meshes[0].primitives[0]);
  rig::finish(character);
  ASSERT_EQ(character.parts.size(), 2u);
  const auto count = static_cast<std::uint32_t>(character.meshes[0].primitives[0].vertex_count());
  rig::Finding finding;
  finding.code = "rogue-weight";
  finding.place.mesh = 0;
  finding.mesh_vertices = {2, 5, count + 3, 2 * count};  // the last one is not there any more
  const std::vector<std::uint32_t> found = found_vertices(character, finding);
  EXPECT_THAT(found, ElementsAre(2, 5, count + 3));
  EXPECT_EQ(selection_of(character, 0, found), (VertexSelection{{0, {2, 5}}, {1, {3}}}));
  EXPECT_EQ(selection_of(character, 7, found), VertexSelection{});
  finding.place.primitive = 1;
  finding.place.vertices = {4, count};
  EXPECT_THAT(listed_vertices(character, finding.place), ElementsAre(count + 4));
}

}  // namespace
}  // namespace pelt::edit
