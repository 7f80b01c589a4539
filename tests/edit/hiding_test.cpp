// Faces and parts out of sight: what is hidden by a selection, what a selection takes of it, and where it goes with a
// newer version of the file.
#include "edit/hiding.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "edit/edit_fixtures.h"
#include "gltf/bundled.h"
#include "support/fixtures.h"
#include "support/surfaces.h"

namespace pelt {
namespace {

using namespace edit;  // NOLINT: the names that the tests are about

constexpr int kColumns = 6;

/// Two grids side by side as two primitives of one mesh: the last column of the first lies where the first column of
/// the second does.
rig::Character two_grids() {
  mesh::Primitive left = test::grid(kColumns, 2);
  mesh::Primitive right = test::grid(kColumns, 2);
  for (glm::vec3& position : right.positions.edit()) {
    position.x += 1;
  }
  rig::Character character;
  test::add_node(character, "node", -1, {});
  mesh::Mesh mesh;
  mesh.primitives.push_back(std::move(left));
  mesh.primitives.push_back(std::move(right));
  character.meshes.push_back(std::move(mesh));
  character.mesh_nodes.push_back({.joint = 0, .mesh = 0, .skin = -1, .morph_weights = {}});
  character.scenes.push_back({.name = "", .roots = {0}});
  rig::finish(character);
  return character;
}

constexpr std::uint32_t at(int column, int row) {
  return static_cast<std::uint32_t>(row * (kColumns + 1) + column);
}

std::int64_t face_count(const rig::Character& character) {
  std::int64_t count = 0;
  for (const rig::Part& part : character.parts) {
    count += static_cast<std::int64_t>(character.primitive(part).indices.size() / 3);
  }
  return count;
}

rig::HiddenSurface surface(const rig::SharedHiding& hiding) {
  return {{}, hiding};
}

TEST(Hiding, TakesTheFacesOfOneVertexAcrossTheSeam) {
  const rig::Character character = two_grids();
  SurfaceCache surfaces;
  // A vertex within has six faces in this triangulation.
  const rig::SharedHiding one = hide_faces(nullptr, character, surfaces, {{0, {at(3, 1)}}});
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(rig::hidden_face_count(*one, character), 6);
  EXPECT_EQ(one->vertices.size(), 1u);
  // One on the seam is hidden in both primitives.
  const rig::SharedHiding seam = hide_faces(nullptr, character, surfaces, {{0, {at(kColumns, 1)}}});
  ASSERT_EQ(seam->vertices.size(), 2u);
  EXPECT_EQ(seam->of_part(1)[at(0, 1)], 1);
  EXPECT_EQ(rig::hidden_face_count(*seam, character), 6);
}

TEST(Hiding, TwiceIsOnceAndTheOthersAreTheRest) {
  const rig::Character character = two_grids();
  SurfaceCache surfaces;
  test::Random random(3);
  for (int round = 0; round < 20; ++round) {
    VertexSelection selection;
    for (int part = 0; part < 2; ++part) {
      PartVertices of_part{part, {}};
      for (std::uint32_t v = 0; v < 3 * (kColumns + 1); ++v) {
        if (random.below(3) == 0) {
          of_part.vertices.push_back(v);
        }
      }
      if (!of_part.vertices.empty()) {
        selection.push_back(std::move(of_part));
      }
    }
    const VertexSelection everywhere = at_same_places(character, surfaces, selection);
    const rig::SharedHiding hidden = hide_faces(nullptr, character, surfaces, selection);
    const rig::SharedHiding again = hide_faces(hidden, character, surfaces, selection);
    const rig::SharedHiding others = hide_other_faces(nullptr, character, surfaces, selection);
    for (int part = 0; part < 2; ++part) {
      const auto found = std::ranges::find(everywhere, part, &PartVertices::part);
      for (std::uint32_t v = 0; v < 3 * (kColumns + 1); ++v) {
        const bool selected = found != everywhere.end() && std::ranges::binary_search(found->vertices, v);
        const auto hides = [&](const rig::SharedHiding& hiding) {
          return hiding != nullptr && !hiding->of_part(part).empty() && hiding->of_part(part)[v] != 0;
        };
        EXPECT_EQ(hides(hidden), selected);
        EXPECT_EQ(hides(again), selected) << "twice is once";
        EXPECT_EQ(hides(others), !selected) << "the others are the rest";
      }
    }
    const VertexSelection seen = shown(all_vertices(character), character, surface(hidden));
    EXPECT_EQ(vertex_count(seen) + vertex_count(everywhere), vertex_count(all_vertices(character)));
    EXPECT_EQ(show_faces(hidden), nullptr);
  }
}

TEST(Hiding, AllFacesButThoseOfTheSelection) {
  const rig::Character character = two_grids();
  SurfaceCache surfaces;
  // A square: two faces have all of their corners in it.
  const VertexSelection square = {{0, {at(1, 0), at(2, 0), at(1, 1), at(2, 1)}}};
  const rig::SharedHiding others = hide_other_faces(nullptr, character, surfaces, square);
  EXPECT_EQ(face_count(character) - rig::hidden_face_count(*others, character), 2);
}

TEST(Hiding, GrowthGoesRoundWhatIsHiddenAndWaysEndThere) {
  const rig::Character character = two_grids();
  SurfaceCache surfaces;
  // The seam is hidden: nothing leads from one grid to the other.
  const rig::SharedHiding wall =
      hide_faces(nullptr, character, surfaces, {{0, {at(kColumns, 0), at(kColumns, 1), at(kColumns, 2)}}});
  const VertexSelection start = {{0, {at(0, 0)}}};
  EXPECT_EQ(vertex_count(connected(character, surfaces, start)), vertex_count(all_vertices(character)));
  const VertexSelection reached = connected(character, surfaces, start, surface(wall));
  ASSERT_EQ(reached.size(), 1u);
  EXPECT_EQ(reached[0].vertices.size(), 3u * kColumns);
  const VertexSelection beside = {{0, {at(kColumns - 1, 1)}}};
  for (const PartVertices& of_part : grown(character, surfaces, beside, surface(wall))) {
    EXPECT_EQ(of_part.part, 0);
    for (const std::uint32_t v : of_part.vertices) {
      EXPECT_NE(v % (kColumns + 1), static_cast<std::uint32_t>(kColumns));
    }
  }
  // All that is in sight: what is hidden makes no rim to shrink from.
  EXPECT_EQ(shrunk(character, surfaces, reached, surface(wall)), reached);
  EXPECT_NE(shrunk(character, surfaces, reached), reached);
}

TEST(Hiding, PartsAreHiddenShownAndIsolated) {
  const rig::Character character = two_grids();
  const rig::SharedHiding first = set_part_hidden(nullptr, character, 0, true);
  EXPECT_TRUE(first->hides_part(0));
  EXPECT_FALSE(first->hides_part(1));
  EXPECT_EQ(shown(all_vertices(character), character, surface(first)).front().part, 1);
  EXPECT_EQ(set_part_hidden(first, character, 0, false), nullptr);
  const std::vector<int> only = {1};
  EXPECT_EQ(show_only_parts(first, character, only)->parts, std::vector<int>{0});
  EXPECT_EQ(show_only_parts(set_part_hidden(nullptr, character, 1, true), character, only)->parts, std::vector<int>{0})
      << "a part that is meant is seen";
  // Parts apart, faces stay.
  SurfaceCache surfaces;
  const rig::SharedHiding both = hide_faces(first, character, surfaces, {{1, {at(3, 1)}}});
  EXPECT_EQ(show_faces(both)->parts, std::vector<int>{0});
}

TEST(Hiding, IsOfOneSurface) {
  const rig::Character character = two_grids();
  SurfaceCache surfaces;
  const rig::SharedHiding hiding =
      set_part_hidden(hide_faces(nullptr, character, surfaces, {{0, {at(3, 1)}}}), character, 1, true);
  EXPECT_EQ(rig::fitting(hiding, character), hiding);
  rig::Character moved = character;
  moved.meshes.edit(0).primitives.edit(0).positions.edit()[0].x = -1;
  EXPECT_EQ(rig::fitting(hiding, moved), hiding) << "the same faces";
  rig::Character other = character;
  other.meshes.edit(0).primitives.edit(0).indices.edit().pop_back();
  const rig::SharedHiding rest = rig::fitting(hiding, other);
  ASSERT_NE(rest, nullptr);
  EXPECT_TRUE(rest->vertices.empty()) << "other faces";
  EXPECT_EQ(rest->parts, std::vector<int>{1}) << "the same parts";
  rig::Character alone = character;
  alone.parts = {character.parts[0]};
  EXPECT_EQ(rig::fitting(hiding, alone), nullptr) << "other parts";
}

TEST(Hiding, GoesOverToANewerVersion) {
  const rig::Character character = two_grids();
  SurfaceCache surfaces;
  const rig::SharedHiding hiding =
      set_part_hidden(hide_faces(nullptr, character, surfaces, {{0, {at(3, 1)}}, {1, {at(3, 1)}}}), character, 1, true);
  rig::Character newer = two_grids();  // arrays of its own
  ASSERT_EQ(rig::fitting(hiding, newer)->vertices.size(), 0u);
  int lost = 0;
  const rig::SharedHiding now = remapped(matching(character, character, newer), hiding, newer, lost);
  EXPECT_EQ(lost, 0);
  EXPECT_EQ(rig::fitting(now, newer), now);
  EXPECT_EQ(rig::hidden_face_count(*now, newer), rig::hidden_face_count(*hiding, character));
  EXPECT_EQ(now->parts, hiding->parts);
  // One vertex more in the first part.
  mesh::Primitive& first = newer.meshes.edit(0).primitives.edit(0);
  first.positions.push_back({0, 0, 9});
  first.normals.push_back({0, 0, 1});
  first.tangents.push_back({1, 0, 0, 1});
  first.texcoords[0].push_back({0, 0});
  const rig::SharedHiding rest = remapped(matching(character, character, newer), hiding, newer, lost);
  EXPECT_EQ(lost, 1);
  EXPECT_TRUE(rest->of_part(0).empty());
  EXPECT_FALSE(rest->of_part(1).empty());
}

}  // namespace
}  // namespace pelt
