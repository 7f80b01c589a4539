#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mesh/rigid_partition.h"
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

// Those of ALGORITHMS.md §52: vertices that are copies or unused, as some fixtures have, are no fault of a surface.
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
  mesh::Primitive& primitive = character.meshes.edit(0).primitives.edit(0);
  const auto add = [&](glm::vec3 position, float w1) {
    primitive.positions.push_back(position);
    primitive.normals.emplace_back(0, 0, 1);
    mesh::append_row(primitive.influences.edit(), std::array<std::uint16_t, 2>{0, 1}, std::array{1 - w1, w1});
    return static_cast<std::uint32_t>(primitive.vertex_count() - 1);
  };
  // Beside the tube: an edge from (0,1,0) to (1,1,0) with a vertex in its middle, of other weights.
  const std::uint32_t a = add({0, 1, 0}, 0);
  const std::uint32_t b = add({1, 1, 0}, 1);
  const std::uint32_t c = add({0.5f, 2, 0}, 1);
  const std::uint32_t v = add({0.5f, 1, 0}, 0.5f);
  const std::uint32_t d = add({0.5f, 0.5f, 0}, 1);
  primitive.indices.append({a, b, c, a, d, v, v, d, b});
  EXPECT_THAT(codes(character), ElementsAre("t-junction"));
  // A third sheet on an edge, a torn seam, a triangle without area.
  const std::uint32_t e = add({0.5f, 1, 1}, 1);
  primitive.indices.append({a, d, e});
  const std::uint32_t f = add({0.2f, 3, 0}, 0);
  primitive.indices.append({f, f, e});
  EXPECT_THAT(codes(character), ElementsAre("t-junction", "zero-area-triangle"));
  primitive.indices.append({a, d, f});
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
  character.meshes.edit(0).primitives = {loose};
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
  mesh::Primitive& primitive = character.meshes.edit(0).primitives.edit(0);
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
    EXPECT_EQ(part.influences->vertex_count(), part.vertex_count());
    EXPECT_EQ(part.texcoords[0].size(), part.vertex_count());
    ASSERT_EQ(part.morph_targets.size(), 2u);
    EXPECT_EQ(part.morph_targets[1].position_deltas.size(), part.vertex_count());
    EXPECT_EQ(variant.skeleton->parent, character.skeleton->parent);
    EXPECT_EQ(variant.parts.size(), character.parts.size());
    EXPECT_EQ(variant.morph_offset, character.morph_offset);
    EXPECT_EQ(rest_pose(variant).local, rest_pose(character).local);
  }
  EXPECT_GT(error, 0.0);
  EXPECT_LT(error, 0.1);
}

TEST(SurfaceVariants, RefusesToMakeTooManyTriangles) {
  Character character = test::cylinder();
  std::vector<std::uint32_t>& indices = character.meshes.edit(0).primitives.edit(0).indices.edit();
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

// F-CYL: 1056 triangles follow the root alone and 1056 the tip, 512 lie between (C12.1).
TEST(Surfaces, ExplodedPartsLeaveTheMiddleAndStayWithTheirJoints) {
  const Character cylinder = test::cylinder();
  const mesh::Primitive& source = cylinder.meshes[0].primitives[0];
  const Character apart = exploded(cylinder, 1.0f);
  const mesh::Primitive& pulled = apart.meshes[0].primitives[0];
  EXPECT_EQ(triangle_count(apart), triangle_count(cylinder));
  EXPECT_EQ(apart.parts.size(), cylinder.parts.size());
  const mesh::RigidPartition pieces = mesh::partition_rigid(pulled.indices, pulled.influences);
  ASSERT_EQ(pieces.rigid.size(), 2u);
  EXPECT_EQ(pieces.rigid[0].indices.size(), 3u * 1056);
  EXPECT_EQ(pieces.skinned.size(), 3u * 512);
  for (const std::uint32_t v : pieces.skinned) {
    ASSERT_LT(v, source.vertex_count());
    ASSERT_EQ(pulled.positions[v], source.positions[v]) << "what needs skinning stays";
  }
  // The root's part reaches from x = 0 to 0.4, its middle is 0.3 from that of the whole, and so it moves by 0.3.
  Bounds root;
  for (const std::uint32_t v : pieces.rigid[0].indices) {
    root.add(pulled.positions[v]);
  }
  EXPECT_NEAR(root.lower.x, -0.3f, 1e-5f);
  EXPECT_NEAR(root.upper.x, 0.1f, 1e-5f);
  EXPECT_NEAR(root.lower.y, -0.1f, 1e-5f);
  Bounds tip;
  for (const std::uint32_t v : pieces.rigid[1].indices) {
    tip.add(pulled.positions[v]);
  }
  EXPECT_NEAR(tip.lower.x, 0.9f, 1e-5f);
  // Old vertices keep their numbers, those on the borders are doubled: one ring of 32 on each side.
  EXPECT_EQ(pulled.vertex_count(), source.vertex_count() + 64);
  for (std::size_t v = 0; v < source.vertex_count(); ++v) {
    ASSERT_EQ(pulled.normals[v], source.normals[v]);
  }
  EXPECT_EQ(exploded(cylinder, 0).meshes[0].primitives[0].positions, source.positions);
  const Result<Character> chosen = with_surface(cylinder, {.explode = 1.0f});
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->meshes[0].primitives[0].positions, pulled.positions);
}

// A mesh that two nodes carry, each without a skin: each is pulled its own way.
TEST(Surfaces, ExplodedNodesGetMeshesOfTheirOwn) {
  Character character;
  test::add_node(character, "left", -1, {.translation = {-1, 0, 0}, .scale = glm::vec3(2.0f)});
  test::add_node(character, "right", -1, {.translation = {3, 0, 0}});
  mesh::Primitive triangle;
  triangle.positions = {{-0.5f, 0, 0}, {0.5f, 0, 0}, {0, 1, 0}};
  triangle.indices = {0, 1, 2};
  character.meshes.emplace_back();
  character.meshes.edit(0).primitives.push_back(triangle);
  for (const int node : {0, 1}) {
    character.mesh_nodes.push_back({.joint = node, .mesh = 0, .skin = -1, .morph_weights = {}});
  }
  finish(character);
  const Character apart = exploded(character, 0.5f);
  ASSERT_EQ(apart.meshes.size(), 2u);
  ASSERT_EQ(apart.parts.size(), 2u);
  // The whole spans x from -2 to 3.5 and y from 0 to 2: its middle is (0.75, 1). The left middle is (-1, 1), so it
  // moves by -0.875 in the world, half of that in a node of scale 2; the right one from (3, 0.5) by (1.125, -0.25).
  EXPECT_NEAR(apart.primitive(apart.parts[0]).positions[0].x, -0.5f - 0.4375f, 1e-6f);
  EXPECT_NEAR(apart.primitive(apart.parts[1]).positions[0].x, -0.5f + 1.125f, 1e-6f);
  EXPECT_NEAR(apart.primitive(apart.parts[1]).positions[0].y, -0.25f, 1e-6f);
}

}  // namespace
}  // namespace pelt::rig
