#pragma once

// Small surfaces built in code.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <set>
#include <utility>
#include <vector>

#include <glm/glm.hpp>

#include "mesh/mesh.h"
#include "mesh/weld.h"

namespace pelt::test {

/// columns x rows squares of side 1 / columns in z = 0 from the origin on, two triangles each; texture coordinates run
/// with x and y.
inline mesh::Primitive grid(int columns, int rows) {
  mesh::Primitive primitive;
  for (int j = 0; j <= rows; ++j) {
    for (int i = 0; i <= columns; ++i) {
      const glm::vec2 at(static_cast<float>(i) / static_cast<float>(columns),
                         static_cast<float>(j) / static_cast<float>(columns));
      primitive.positions.emplace_back(at, 0.0f);
      primitive.normals.emplace_back(0.0f, 0.0f, 1.0f);
      primitive.tangents.emplace_back(1.0f, 0.0f, 0.0f, 1.0f);
      primitive.texcoords[0].push_back(at);
    }
  }
  const auto width = static_cast<std::uint32_t>(columns + 1);
  for (std::uint32_t j = 0; j < static_cast<std::uint32_t>(rows); ++j) {
    for (std::uint32_t i = 0; i + 1 < width; ++i) {
      const std::uint32_t a = j * width + i;
      primitive.indices.append({a, a + 1, a + width + 1, a, a + width + 1, a + width});
    }
  }
  return primitive;
}

/// The unit octahedron, outward; normals point from the middle.
inline mesh::Primitive octahedron() {
  mesh::Primitive primitive;
  primitive.positions = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  primitive.normals = primitive.positions;
  primitive.indices = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
  return primitive;
}

/// The octahedron's triangles cut in four `levels` times, all vertices on the unit sphere.
inline mesh::Primitive sphere(int levels) {
  mesh::Primitive primitive = octahedron();
  for (int level = 0; level < levels; ++level) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
    const auto middle = [&](std::uint32_t a, std::uint32_t b) {
      const auto [at, is_new] =
          middles.try_emplace(std::minmax(a, b), static_cast<std::uint32_t>(primitive.positions.size()));
      if (is_new) {
        primitive.positions.push_back(glm::normalize(primitive.positions[a] + primitive.positions[b]));
      }
      return at->second;
    };
    std::vector<std::uint32_t> finer;
    for (std::size_t i = 0; i < primitive.indices.size(); i += 3) {
      const std::uint32_t a = primitive.indices[i];
      const std::uint32_t b = primitive.indices[i + 1];
      const std::uint32_t c = primitive.indices[i + 2];
      const std::uint32_t ab = middle(a, b);
      const std::uint32_t bc = middle(b, c);
      const std::uint32_t ca = middle(c, a);
      finer.insert(finer.end(), {a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca});
    }
    primitive.indices = std::move(finer);
  }
  primitive.normals = primitive.positions;
  return primitive;
}

/// The cube from -1 to 1 with four vertices to a side, so that its edges are hard.
inline mesh::Primitive hard_cube() {
  mesh::Primitive primitive;
  for (int axis = 0; axis < 3; ++axis) {
    for (const float side : {-1.0f, 1.0f}) {
      glm::vec3 normal(0.0f);
      normal[axis] = side;
      glm::vec3 u(0.0f);
      u[(axis + 1) % 3] = 1.0f;
      const glm::vec3 v = glm::cross(normal, u);
      const auto base = static_cast<std::uint32_t>(primitive.positions.size());
      for (const glm::vec2 corner : {glm::vec2(-1, -1), glm::vec2(1, -1), glm::vec2(1, 1), glm::vec2(-1, 1)}) {
        primitive.positions.push_back(normal + u * corner.x + v * corner.y);
        primitive.normals.push_back(normal);
      }
      primitive.indices.append({base, base + 1, base + 2, base, base + 2, base + 3});
    }
  }
  return primitive;
}

/// How many edges, welded by position, have how many triangles.
inline std::map<std::size_t, std::size_t> edge_degrees(const mesh::Primitive& primitive) {
  const auto uses = mesh::edge_uses(primitive.indices, mesh::weld_by_position(primitive.positions));
  std::map<std::size_t, std::size_t> degrees;
  for (std::size_t i = 0; i < uses.size();) {
    const std::size_t end = mesh::edge_end(uses, i);
    ++degrees[end - i];
    i = end;
  }
  return degrees;
}

/// V - E + F of the used vertices, welded by position: 2 for each closed surface without handles.
inline int euler_number(const mesh::Primitive& primitive) {
  const std::vector<std::uint32_t> weld = mesh::weld_by_position(primitive.positions);
  std::set<std::uint32_t> vertices;
  for (const std::uint32_t index : primitive.indices) {
    vertices.insert(weld[index]);
  }
  int edges = 0;
  for (const auto& [degree, count] : edge_degrees(primitive)) {
    edges += static_cast<int>(count);
  }
  return static_cast<int>(vertices.size()) - edges + static_cast<int>(primitive.triangle_count());
}

}  // namespace pelt::test
