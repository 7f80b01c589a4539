// ALGORITHMS.md §1 as files say it: whose axes point elsewhere, and in which order sixteen numbers stand.

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "deform/deform.h"
#include "gltf/export.h"
#include "gltf/opened.h"
#include "support/fixtures.h"

namespace pelt::gltf {
namespace {

using nlohmann::json;
using test::GlbBuilder;
using test::opened;

/// How a file may put the half turn between a space that faces -Z and its own.
struct HalfTurn {
  const char* id;
  json node;
};

std::vector<HalfTurn> half_turns() {
  return {{"rotation", {{"rotation", {0, 1, 0, 0}}}},
          {"opposite quaternion", {{"rotation", {0, -1, 0, 0}}}},
          {"matrix", {{"matrix", {-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1}}}},
          {"negative scales", {{"scale", {-1, 1, -1}}}}};
}

/// Points on a chain of nodes, which each are `node`: as a mesh of the last one, and as a skin on it.
GlbBuilder points_below(const std::vector<float>& points, const json& node, int nodes) {
  GlbBuilder file;
  const std::size_t count = points.size() / 3;
  const json attributes = {{"POSITION", file.floats(points, "VEC3")}};
  json skinned = attributes;
  skinned["JOINTS_0"] = file.accessor(std::vector<std::uint8_t>(4 * count, 0), test::kU8, "VEC4");
  std::vector<float> weights(4 * count, 0.0f);
  for (std::size_t v = 0; v < count; ++v) {
    weights[4 * v] = 1;
  }
  skinned["WEIGHTS_0"] = file.floats(weights, "VEC4");
  file.push("meshes", {{"primitives", {{{"mode", 0}, {"attributes", attributes}}}}});
  file.push("meshes", {{"primitives", {{{"mode", 0}, {"attributes", skinned}}}}});
  for (int n = 0; n < nodes; ++n) {
    json each = node;
    each["children"] = {n + 1};
    file.push("nodes", each);
  }
  file.push("nodes", {{"mesh", 0}});
  file.push("nodes", {{"mesh", 1}, {"skin", 0}});
  file.push("skins", {{"joints", {nodes}}});
  file.push("scenes", {{"nodes", {0, nodes + 1}}});
  file.root["scene"] = 0;
  return file;
}

/// Where the vertices of each part are in the file's own pose.
std::vector<std::vector<glm::vec3>> places(const rig::Character& character) {
  const deform::DeformedCharacter shape = deform::deform_once(character, rig::rest_pose(character), {});
  std::vector<std::vector<glm::vec3>> out;
  for (const deform::DeformedPart& part : shape.parts) {
    out.emplace_back(part.positions.begin(), part.positions.end());
  }
  return out;
}

rig::Character written_and_read(const rig::Character& character) {
  const auto glb = export_glb(character);
  EXPECT_TRUE(glb) << (glb ? "" : glb.error().message);
  auto again = import_memory(*glb, {});
  EXPECT_TRUE(again) << (again ? "" : again.error().message);
  return *std::move(again);
}

void expect_places(const rig::Character& character, const std::vector<glm::vec3>& expected, float tolerance) {
  for (const rig::Character& each : {character, written_and_read(character)}) {
    const std::vector<std::vector<glm::vec3>> parts = places(each);
    ASSERT_EQ(parts.size(), 2u);
    for (const std::vector<glm::vec3>& part : parts) {
      ASSERT_EQ(part.size(), expected.size());
      for (std::size_t v = 0; v < part.size(); ++v) {
        EXPECT_LE(glm::distance(part[v], expected[v]), tolerance) << "vertex " << v;
      }
    }
  }
}

TEST(Conventions, C1_1_AFileMayTurnItsCharacterAround) {
  const std::vector<float> points = {0.7f, 1.4f, 0, 0, 1.4f, -1};
  for (const HalfTurn& half_turn : half_turns()) {
    SCOPED_TRACE(half_turn.id);
    const rig::Character once = opened(points_below(points, half_turn.node, 1));
    EXPECT_TRUE(test::remarks(once).empty()) << testing::PrintToString(test::remarks(once));
    expect_places(once, {{-0.7f, 1.4f, 0}, {0, 1.4f, 1}}, 1e-6f);
    rig::WorldMatrices world;
    world.evaluate(once.skeleton, rig::rest_pose(once));
    EXPECT_NEAR(glm::determinant(glm::mat3(world[0])), 1.0f, 1e-6f);
    expect_places(opened(points_below(points, half_turn.node, 2)), {{0.7f, 1.4f, 0}, {0, 1.4f, -1}}, 1e-6f);
  }
}

/// Four rows of a matrix that row vectors stand before: v' = v * M.
using Rows = std::array<std::array<double, 4>, 4>;

/// Rotation and scale, and a shear where asked for, above a row of translation.
Rows random_rows(test::Random& random, bool sheared) {
  const glm::dmat3 turned = glm::mat3_cast(random.rotation());
  Rows rows{};
  for (int r = 0; r < 3; ++r) {
    const double scale = random.real(0.5, 2.0);
    for (int c = 0; c < 3; ++c) {
      rows[r][c] = scale * turned[r][c];
    }
    rows[3][r] = random.real(-1.0, 1.0);
  }
  if (sheared) {
    for (std::size_t c = 0; c < 3; ++c) {
      rows[0][c] += 0.75 * rows[1][c];
    }
  }
  rows[3][3] = 1;
  return rows;
}

glm::dvec3 times(const glm::dvec3& v, const Rows& rows) {
  const std::array<double, 4> row = {v.x, v.y, v.z, 1};
  glm::dvec3 out(0.0);
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t r = 0; r < 4; ++r) {
      out[static_cast<int>(c)] += row[r] * rows[r][c];
    }
  }
  return out;
}

std::vector<float> row_after_row(const Rows& rows) {
  std::vector<float> out;
  for (const std::array<double, 4>& row : rows) {
    out.insert(out.end(), row.begin(), row.end());
  }
  return out;
}

// Row after row for row vectors, column after column for column vectors: the same sixteen numbers.
TEST(Conventions, C1_2_MatricesOfRowVectorsAreReadAsTheyStand) {
  test::Random random(12);
  for (int n = 0; n < 20; ++n) {
    const Rows outer = random_rows(random, false);
    const Rows inner = random_rows(random, false);
    const Rows inverse_bind = random_rows(random, true);
    std::vector<float> points;
    std::vector<glm::vec3> expected_on_node;
    std::vector<glm::vec3> expected_of_skin;
    for (int v = 0; v < 5; ++v) {
      const glm::vec3 p = random.vector(-1, 1);
      points.insert(points.end(), {p.x, p.y, p.z});
      expected_on_node.emplace_back(times(times(glm::dvec3(p), inner), outer));
      expected_of_skin.emplace_back(times(times(times(glm::dvec3(p), inverse_bind), inner), outer));
    }
    GlbBuilder file = points_below(points, json::object(), 2);
    file.root["nodes"][0]["matrix"] = row_after_row(outer);
    file.root["nodes"][1]["matrix"] = row_after_row(inner);
    file.root["skins"][0]["inverseBindMatrices"] = file.floats(row_after_row(inverse_bind), "MAT4");
    const rig::Character character = opened(file);
    for (const rig::Character& each : {character, written_and_read(character)}) {
      const std::vector<std::vector<glm::vec3>> parts = places(each);
      ASSERT_EQ(parts.size(), 2u);
      for (std::size_t v = 0; v < expected_on_node.size(); ++v) {
        EXPECT_LE(glm::distance(parts[0][v], expected_on_node[v]), 1e-5f) << v;
        EXPECT_LE(glm::distance(parts[1][v], expected_of_skin[v]), 1e-5f) << v;
      }
    }
  }
}

}  // namespace
}  // namespace pelt::gltf
