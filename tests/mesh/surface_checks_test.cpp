#include "mesh/surface_checks.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mesh/joined.h"
#include "mesh/stencils.h"
#include "mesh/weld.h"
#include "support/fixtures.h"
#include "support/surfaces.h"

namespace pelt::mesh {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SurfaceChecks, C52_5_OpenSeamsHaveDifferingWeights) {
  Primitive surface;
  surface.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}, {-0.0f, 1, 0}, {1, 1, 0}};
  surface.indices = {0, 1, 2, 3, 5, 4};
  EXPECT_THAT(find_open_seams(surface), IsEmpty());  // nothing moves it
  const std::uint16_t joints[] = {4, 7};
  for (const float w : {0.5f, 0.25f, 0.5f, 0.25f + 5e-5f, 0.125f, 0.0f}) {
    append_row(surface.influences.edit(), joints, std::array{w, 1 - w});
  }
  const std::vector<OpenSeam> seams = find_open_seams(surface);
  ASSERT_EQ(seams.size(), 1u);
  EXPECT_EQ(seams[0].vertex, 2u);
  EXPECT_EQ(seams[0].other, 4u);
  EXPECT_FLOAT_EQ(seams[0].difference, 0.375f);
}

TEST(SurfaceChecks, WeightDifferenceCountsJointsOfBoth) {
  Influences rows;
  append_row(rows, std::array<std::uint16_t, 2>{1, 2}, std::array{0.5f, 0.5f});
  append_row(rows, std::array<std::uint16_t, 1>{3}, std::array{2.0f});
  append_row(rows, {}, {});
  EXPECT_EQ(largest_weight_difference(rows, 0, 0), 0.0f);
  EXPECT_EQ(largest_weight_difference(rows, 0, 1), 1.0f);
  EXPECT_EQ(largest_weight_difference(rows, 1, 0), 1.0f);
  EXPECT_EQ(largest_weight_difference(rows, 2, 0), 0.5f);
}

TEST(SurfaceChecks, C52_2_NonManifoldEdges) {
  EXPECT_THAT(find_non_manifold_edges(test::hard_cube().positions, test::hard_cube().indices), IsEmpty());
  Primitive book;
  book.positions = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, 0}};
  book.indices = {0, 1, 2, 1, 0, 3};
  EXPECT_THAT(find_non_manifold_edges(book.positions, book.indices), IsEmpty());
  book.indices.append({5, 1, 4});  // through a copy of vertex 0
  EXPECT_THAT(find_non_manifold_edges(book.positions, book.indices), ElementsAre(std::array<std::uint32_t, 2>{0, 1}));
}

TEST(SurfaceChecks, C52_2_ZeroAreaTriangles) {
  Primitive surface;
  surface.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.25f, 0, 0}, {0.3f, 1e-4f, 0}, {1, 0, 0}};
  surface.indices = {0, 1, 2,   // sound
                     0, 1, 3,   // collinear
                     0, 1, 4,   // thin, but a triangle
                     0, 0, 1,   // one corner twice
                     1, 2, 5};  // two corners in one place
  EXPECT_THAT(find_zero_area_triangles(surface.positions, surface.indices), ElementsAre(1u, 3u, 4u));
  EXPECT_THAT(find_zero_area_triangles(test::sphere(4).positions, test::sphere(4).indices), IsEmpty());
}

TEST(JoinedMesh, SeparateIsTheWayBack) {
  Mesh mesh;
  mesh.name = "both";
  mesh.morph_names = {"m"};
  Primitive plain = test::octahedron();
  Primitive rich = test::cylinder_primitive();
  rich.colors.assign(rich.vertex_count(), glm::vec4(0.5f));
  rich.morph_targets.push_back({"m", std::vector<glm::vec3>(rich.vertex_count(), glm::vec3(1)), {}, {}});
  const auto numbered = [](const Primitive& primitive, std::uint8_t first) {
    KeptAttribute kept{"_ID", NumberType::kUnsignedByte};
    for (std::size_t v = 0; v < primitive.vertex_count(); ++v) {
      kept.bytes.push_back(static_cast<std::uint8_t>(first + v));
    }
    return kept;
  };
  rich.kept = {numbered(rich, 7), numbered(rich, 9)};
  rich.kept.edit()[1].name = "_OTHER";
  rich.morph_targets.edit(0).kept = {rich.kept[0]};
  plain.kept = {numbered(plain, 3)};
  plain.kept.edit()[0].normalized = true;  // no values of rich._ID
  Primitive points;
  points.topology = Topology::kPoints;
  points.positions = {{9, 9, 9}};
  points.indices = {0};
  mesh.primitives = {plain, points, rich, test::hard_cube()};
  const JoinedMesh joined = join(mesh);
  EXPECT_EQ(joined.whole.vertex_count(), 6u + 1314u + 24u);
  EXPECT_EQ(joined.whole.influences->vertex_count(), joined.whole.vertex_count());
  EXPECT_EQ(joined.whole.kept.size(), 1u);
  EXPECT_EQ(joined.place(5).primitive, 0u);
  EXPECT_EQ(joined.place(6).primitive, 2u);
  EXPECT_EQ(joined.place(6 + 1314 + 3).vertex, 3u);
  const Mesh back = separate(mesh, joined.whole, joined.triangle_primitive);
  ASSERT_EQ(back.primitives.size(), 4u);
  for (std::size_t p = 0; p < 4; ++p) {
    const Primitive& a = mesh.primitives[p];
    const Primitive& b = back.primitives[p];
    EXPECT_EQ(a.positions, b.positions);
    EXPECT_EQ(a.normals, b.normals);
    EXPECT_EQ(a.colors, b.colors);
    EXPECT_EQ(a.indices, b.indices);
    EXPECT_TRUE(a.influences == b.influences);
    EXPECT_EQ(a.morph_targets.size(), b.morph_targets.size());
    EXPECT_EQ(a.kept, b.kept);
  }
  EXPECT_EQ(back.primitives[2].morph_targets[0].kept, rich.morph_targets[0].kept);
  EXPECT_EQ(back.primitives[2].morph_targets[0].position_deltas, rich.morph_targets[0].position_deltas);
}

// Padded to all vertices these would be 64 GB.
TEST(JoinedMesh, ManyNamesTakeNoMoreThanTheirOwnElements) {
  Mesh mesh;
  Primitive large = test::octahedron();
  large.positions.resize(100000);
  mesh.primitives = {large};
  for (int p = 0; p < 100; ++p) {
    Primitive& part = mesh.primitives.emplace_back(test::octahedron());
    for (int i = 0; i < 400; ++i) {
      part.kept.push_back({"_" + std::to_string(400 * p + i), NumberType::kFloat, false, 4, 1,
                           std::vector<std::uint8_t>(16 * part.vertex_count(), static_cast<std::uint8_t>(i))});
      part.kept.push_back({"COLOR_" + std::to_string(400 * p + i), NumberType::kFloat, false, 4, 1,
                           std::vector<std::uint8_t>(16 * part.vertex_count(), static_cast<std::uint8_t>(p))});
    }
  }
  const JoinedMesh joined = join(mesh);
  EXPECT_EQ(joined.whole.kept.size(), 1u);
  const Mesh back = separate(mesh, joined.whole, joined.triangle_primitive);
  for (std::size_t p = 0; p < mesh.primitives.size(); ++p) {
    EXPECT_EQ(back.primitives[p].kept, mesh.primitives[p].kept);
  }
}

TEST(Stencils, KeptAttributesAreSummedWhereTheyAreKnownToBeCoordinates) {
  Primitive two;
  two.positions = {{0, 0, 0}, {1, 0, 0}};
  two.kept = {{"TEXCOORD_2", NumberType::kByte, true, 2, 1, {0x80, 10, 0x7f, 21}},
              {"TEXCOORD_3", NumberType::kFloat, false, 2, 1, std::vector<std::uint8_t>(16, 0)},
              {"_ID", NumberType::kUnsignedByte, false, 1, 1, {10, 21}}};
  const std::vector<float> uv = {0, 1, 4, 2};
  std::memcpy(two.kept.edit()[1].bytes.data(), uv.data(), 16);
  Stencils rows;
  rows.copy(1);
  rows.add(0, 0.25f);
  rows.add(1, 0.75f);
  rows.end_row();
  const Primitive out = blend(two, rows, rows);
  ASSERT_EQ(out.kept.size(), 3u);
  // -128 / 4 + 127 * 3 / 4 = 63.25, 10 / 4 + 21 * 3 / 4 = 18.25
  EXPECT_THAT(out.kept[0].bytes, ElementsAre(0x7f, 21, 63, 18));
  std::vector<float> sums(4);
  std::memcpy(sums.data(), out.kept[1].bytes.data(), 16);
  EXPECT_THAT(sums, ElementsAre(4, 2, 3, 1.75f));
  EXPECT_THAT(out.kept[2].bytes, ElementsAre(21, 21));
}

TEST(Weld, CopiesHaveTheSameKeptAttributes) {
  Primitive three;
  three.positions.assign(3, glm::vec3(1, 2, 3));
  EXPECT_THAT(weld_copies(three), ElementsAre(0u, 0u, 0u));
  three.kept = {{"_ID", NumberType::kUnsignedShort, false, 1, 1, {1, 2, 1, 3, 1, 2}}};
  EXPECT_THAT(weld_copies(three), ElementsAre(0u, 1u, 0u));
}

}  // namespace
}  // namespace pelt::mesh
