#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mesh/stencils.h"
#include "rig/lint_checks.h"
#include "rig/surface_lint.h"
#include "rig/surface_variants.h"
#include "support/fixtures.h"
#include "support/surfaces.h"

namespace pelt::rig {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Those of algorithms.md §52: vertices that are copies or unused, as some fixtures have, are no fault of a surface.
Findings surface_findings(const Character& character) {
  Findings findings;
  check_surfaces(character, findings);
  std::erase_if(findings, [](const Finding& finding) { return finding.code.ends_with("-vertex"); });
  return findings;
}

std::vector<std::string> codes(const Character& character) {
  std::vector<std::string> out;
  for (const Finding& finding : surface_findings(character)) {
    out.push_back(finding.code);
  }
  return out;
}

TEST(SurfaceFindings, C52_2_NoneOnCleanCharacters) {
  EXPECT_THAT(surface_findings(test::cylinder()), IsEmpty());
  EXPECT_THAT(surface_findings(test::strip100()), IsEmpty());
  EXPECT_THAT(surface_findings(test::elbow()), IsEmpty());
  EXPECT_THAT(surface_findings({}), IsEmpty());
  for (int level = 1; level < kDetailLevels; ++level) {
    EXPECT_THAT(surface_findings(with_detail(test::cylinder(), level)), IsEmpty());
  }
  EXPECT_THAT(surface_findings(*subdivided(test::cylinder(), 1)), IsEmpty());
}

TEST(SurfaceFindings, C52_2_EachKindWithPlaceAndRemedy) {
  Character character = test::cylinder();
  mesh::Primitive& primitive = character.meshes[0].primitives[0];
  const auto add = [&](glm::vec3 position, float w1) {
    primitive.positions.push_back(position);
    primitive.normals.emplace_back(0, 0, 1);
    mesh::append_row(primitive.influences, std::array<std::uint16_t, 2>{0, 1}, std::array{1 - w1, w1});
    return static_cast<std::uint32_t>(primitive.vertex_count() - 1);
  };
  // Beside the tube: an edge from (0,1,0) to (1,1,0) with a vertex in its middle, of other weights.
  const std::uint32_t a = add({0, 1, 0}, 0);
  const std::uint32_t b = add({1, 1, 0}, 1);
  const std::uint32_t c = add({0.5f, 2, 0}, 1);
  const std::uint32_t v = add({0.5f, 1, 0}, 0.5f);
  const std::uint32_t d = add({0.5f, 0.5f, 0}, 1);
  primitive.indices.insert(primitive.indices.end(), {a, b, c, a, d, v, v, d, b});
  EXPECT_THAT(codes(character), ElementsAre("t-junction"));
  // A third sheet on an edge, a torn seam, a triangle without area.
  const std::uint32_t e = add({0.5f, 1, 1}, 1);
  primitive.indices.insert(primitive.indices.end(), {a, d, e});
  const std::uint32_t f = add({0.2f, 3, 0}, 0);
  primitive.indices.insert(primitive.indices.end(), {f, f, e});
  EXPECT_THAT(codes(character), ElementsAre("t-junction", "zero-area-triangle"));
  primitive.indices.insert(primitive.indices.end(), {a, d, f});
  add({0.2f, 3, 0}, 0.75f);
  const Findings findings = surface_findings(character);
  ASSERT_EQ(findings.size(), 4u);
  EXPECT_EQ(findings[0].code, "t-junction");
  EXPECT_EQ(findings[0].severity, Severity::kWarning);
  EXPECT_EQ(findings[0].where, "mesh 0 (\"cylinder\"), primitive 0");
  EXPECT_THAT(findings[0].place.vertices, ElementsAre(1317));
  EXPECT_THAT(findings[0].message, HasSubstr("1 T-junction"));
  EXPECT_THAT(findings[0].message, HasSubstr("the first vertex 1317 between vertex 1314 and vertex 1315"));
  EXPECT_EQ(findings[1].code, "open-seam");
  EXPECT_EQ(findings[1].severity, Severity::kWarning);
  EXPECT_THAT(findings[1].message,
              HasSubstr("1 position shared by vertices of differing weights, expected equal ones, the worst vertex "
                        "1320 and vertex 1321 by 0.75"));
  EXPECT_EQ(findings[2].code, "non-manifold-edge");
  EXPECT_EQ(findings[2].severity, Severity::kInfo);
  EXPECT_THAT(findings[2].message, HasSubstr("1 edge on more than two triangles, the first between vertex 1314 and "
                                             "vertex 1318"));
  EXPECT_EQ(findings[3].code, "zero-area-triangle");
  EXPECT_EQ(findings[3].severity, Severity::kInfo);
  EXPECT_THAT(findings[3].message, HasSubstr("the first triangle 2628 of primitive 0"));
}

TEST(SurfaceFindings, AJunctionThatMovesWithItsEdgeIsInformation) {
  Character character = test::cylinder();
  mesh::Primitive loose;
  loose.positions = {{0, 0, 0}, {2, 0, 0}, {1, 1, 0}, {1, 0, 0}, {1, -1, 0}};
  loose.indices = {0, 1, 2, 0, 4, 3, 3, 4, 1};
  character.meshes[0].primitives = {loose};
  const Findings findings = surface_findings(character);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].severity, Severity::kInfo);
  const std::vector<PlacedTJunction> junctions = t_junctions(character.meshes[0]);
  ASSERT_EQ(junctions.size(), 1u);
  EXPECT_EQ(junctions[0].vertex.vertex, 3u);
  EXPECT_FALSE(junctions[0].can_open);
  EXPECT_THAT(surface_findings(without_t_junctions(character)), IsEmpty());
}

TEST(SurfaceVariants, KeepEverythingButTheSurface) {
  Character character = test::random_rig({.seed = 4, .joints = 9, .vertices = 3, .morph_targets = 2});
  mesh::Primitive& primitive = character.meshes[0].primitives[0];
  const mesh::Primitive triangle = primitive;
  primitive = test::sphere(3);
  const mesh::Stencils rows = [&] {  // the attributes of the random triangle, all over the sphere
    mesh::Stencils out;
    for (std::uint32_t v = 0; v < primitive.vertex_count(); ++v) {
      out.copy(v % 3);
    }
    return out;
  }();
  const mesh::Primitive like = mesh::blend(triangle, rows, rows);
  primitive.influences = like.influences;
  primitive.morph_targets = like.morph_targets;
  primitive.texcoords[0] = like.texcoords[0];
  primitive.material = 3;
  double error = 0;
  const Character variants[] = {*subdivided(character, 0), *subdivided(character, 2), with_detail(character, 0),
                                with_detail(character, 2, &error), without_t_junctions(character)};
  const std::size_t triangles[] = {512, 512 * 16, 512, 128, 512};
  for (std::size_t i = 0; i < std::size(variants); ++i) {
    const Character& variant = variants[i];
    const mesh::Primitive& part = variant.primitive(variant.parts[0]);
    EXPECT_LE(part.triangle_count(), triangles[i]);
    EXPECT_GT(part.triangle_count() + 3, triangles[i]);
    EXPECT_EQ(part.material, 3);
    EXPECT_EQ(part.influences.vertex_count(), part.vertex_count());
    EXPECT_EQ(part.texcoords[0].size(), part.vertex_count());
    ASSERT_EQ(part.morph_targets.size(), 2u);
    EXPECT_EQ(part.morph_targets[1].position_deltas.size(), part.vertex_count());
    EXPECT_EQ(variant.skeleton.parent, character.skeleton.parent);
    EXPECT_EQ(variant.parts.size(), character.parts.size());
    EXPECT_EQ(variant.morph_offset, character.morph_offset);
    EXPECT_EQ(rest_pose(variant).local, rest_pose(character).local);
  }
  EXPECT_GT(error, 0.0);
  EXPECT_LT(error, 0.1);
}

TEST(SurfaceVariants, RefusesToMakeTooManyTriangles) {
  Character character = test::cylinder();
  std::vector<std::uint32_t>& indices = character.meshes[0].primitives[0].indices;
  const std::vector<std::uint32_t> once = indices;
  for (int copy = 1; copy < 128; ++copy) {
    indices.insert(indices.end(), once.begin(), once.end());
  }
  const Result<Character> result = subdivided(character, 3);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "subdividing 335872 triangles 3 times makes 21495808, more than 16777216");
}

TEST(SurfaceVariants, AChoiceIsDoneInOrder) {
  const Character character = test::cylinder();
  const SurfaceChoice choice{.split_t_junctions = true, .detail = 1, .subdivisions = 1};
  double error = -1;
  std::vector<std::string> steps;
  const Progress progress = [&](float, std::string_view what) {
    steps.emplace_back(what);
    return true;
  };
  const Result<Character> made = with_surface(character, choice, &error, progress);
  ASSERT_TRUE(made) << made.error().message;
  const Result<Character> expected = subdivided(with_detail(without_t_junctions(character), 1), 1);
  EXPECT_EQ(made->meshes[0].primitives[0].positions, expected->meshes[0].primitives[0].positions);
  EXPECT_EQ(triangle_count(*made), triangle_count(*expected));
  EXPECT_GE(error, 0);
  EXPECT_EQ(steps.size(), 3u);
  const Result<Character> stopped =
      with_surface(character, choice, nullptr, [](float, std::string_view) { return false; });
  EXPECT_FALSE(stopped);
}

}  // namespace
}  // namespace pelt::rig
