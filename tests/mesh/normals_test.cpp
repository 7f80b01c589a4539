#include "mesh/normals.h"

#include <gtest/gtest.h>

#include "support/fixtures.h"

namespace pelt::mesh {
namespace {

// A cube of side 2 about the origin with four vertices per face, each face of two triangles.
struct Cube {
  std::vector<glm::vec3> positions;
  std::vector<glm::vec3> face_normals;  // per vertex
  std::vector<std::uint32_t> indices;
};

Cube make_cube() {
  Cube cube;
  for (int axis = 0; axis < 3; ++axis) {
    for (const float side : {-1.0f, 1.0f}) {
      glm::vec3 normal(0.0f);
      normal[axis] = side;
      glm::vec3 u(0.0f);
      u[(axis + 1) % 3] = side;
      const glm::vec3 w = glm::cross(normal, u);
      const auto base = static_cast<std::uint32_t>(cube.positions.size());
      for (const glm::vec2 corner : {glm::vec2(-1, -1), glm::vec2(1, -1), glm::vec2(1, 1), glm::vec2(-1, 1)}) {
        cube.positions.push_back(normal + corner.x * u + corner.y * w);
        cube.face_normals.push_back(normal);
      }
      cube.indices.insert(cube.indices.end(), {base, base + 1, base + 2, base, base + 2, base + 3});
    }
  }
  return cube;
}

TEST(VertexNormals, SplitCubeWithoutWeldingIsFlat) {
  const Cube cube = make_cube();
  std::vector<glm::vec3> normals(cube.positions.size());
  compute_vertex_normals(cube.positions, {}, cube.indices, normals);
  EXPECT_EQ(normals, cube.face_normals);
}

TEST(VertexNormals, SplitCubeWeldedIsSmooth) {
  const Cube cube = make_cube();
  std::vector<glm::vec3> normals(cube.positions.size());
  compute_vertex_normals(cube.positions, cube.positions, cube.indices, normals);
  for (std::size_t v = 0; v < normals.size(); ++v) {
    // By hand: each triangle at the corner adds its face's normal once, all areas being equal.
    glm::vec3 expected(0.0f);
    for (const std::uint32_t corner : cube.indices) {
      if (cube.positions[corner] == cube.positions[v]) {
        expected += cube.face_normals[corner];
      }
    }
    EXPECT_LT(glm::length(normals[v] - glm::normalize(expected)), 1e-6f) << "vertex " << v;
    for (std::size_t other = 0; other < normals.size(); ++other) {
      if (cube.positions[other] == cube.positions[v]) {
        EXPECT_EQ(normals[other], normals[v]);
      }
    }
  }
}

TEST(VertexNormals, WeldingIsDecidedByTheBindShape) {
  // Two triangles that touch along an edge when bound and have come apart since.
  const std::vector<glm::vec3> bind = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -0.0f, 0}, {0, 1, 0}, {-1, 0, 0}};
  std::vector<glm::vec3> posed = bind;
  for (std::size_t v = 3; v < 6; ++v) {
    posed[v] += glm::vec3(-5, 0, 0);
  }
  posed[5] = posed[3] + glm::vec3(0, 0, 1);
  const std::vector<std::uint32_t> indices = {0, 1, 2, 3, 4, 5};
  std::vector<glm::vec3> normals(6);
  compute_vertex_normals(posed, bind, indices, normals);
  EXPECT_EQ(normals[0], normals[3]);  // -0 is 0
  EXPECT_EQ(normals[2], normals[4]);
  EXPECT_EQ(normals[1], glm::vec3(0, 0, 1));
  EXPECT_EQ(normals[5], glm::vec3(1, 0, 0));
}

TEST(VertexNormals, LargerTrianglesCountMore) {
  const std::vector<glm::vec3> positions = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0, 0, 1}};
  const std::vector<std::uint32_t> indices = {0, 1, 2, 0, 2, 3};  // areas 2 about z, 1 about x
  std::vector<glm::vec3> normals(4);
  compute_vertex_normals(positions, {}, indices, normals);
  EXPECT_LT(glm::length(normals[0] - glm::normalize(glm::vec3(1, 0, 2))), 1e-6f);
}

TEST(VertexNormals, NothingToGoByGivesUp) {
  const std::vector<glm::vec3> positions = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {NAN, 0, 0}, {0, 3e38f, 0}, {3e38f, 0, 0}};
  const std::vector<std::uint32_t> indices = {0, 1, 2, 3, 0, 1};
  std::vector<glm::vec3> normals(positions.size());
  compute_vertex_normals(positions, positions, indices, normals);
  for (const glm::vec3& normal : normals) {
    EXPECT_EQ(normal, glm::vec3(0, 1, 0));
  }
}

TEST(VertexNormals, CylinderWallPointsOutward) {
  const Primitive primitive = test::cylinder_primitive();
  std::vector<glm::vec3> normals(primitive.vertex_count());
  compute_vertex_normals(primitive.positions, {}, primitive.indices, normals);
  for (int k = 0; k < test::kCylinderAround; ++k) {
    const std::uint32_t v = test::cylinder_vertex(20, k);
    EXPECT_GT(glm::dot(normals[v], primitive.normals[v]), 0.999f);
  }
  EXPECT_EQ(normals[1312], glm::vec3(-1, 0, 0));
  EXPECT_EQ(normals[1313], glm::vec3(1, 0, 0));
}

}  // namespace
}  // namespace pelt::mesh
