#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <glm/glm.hpp>

#include "core/shared.h"
#include "math/transform.h"
#include "mesh/control_cage.h"
#include "mesh/influences.h"
#include "mesh/kept_attribute.h"
#include "mesh/stencil_rows.h"

namespace pelt::mesh {

/// What three, two or one consecutive indices make. Strips, fans and loops are unrolled when a file is read.
enum class Topology { kPoints, kLines, kTriangles };

/// Differences to a base shape. Each array is [V] or empty (all zero). Tangent deltas leave handedness alone.
struct MorphTarget {
  std::string name;
  SharedArray<glm::vec3> position_deltas;  ///< [V] mesh space, metres
  SharedArray<glm::vec3> normal_deltas;    ///< [V]
  SharedArray<glm::vec3> tangent_deltas;   ///< [V]
  SharedArray<KeptAttribute> kept = {};    ///< of [V] elements each: differences to what nothing here moves
};

/// KHR_materials_variants: the material that one variant of the character gives a primitive.
struct VariantMaterial {
  int variant = 0;
  int material = 0;
  bool operator==(const VariantMaterial&) const = default;
};

/// One drawable surface with one material (a glTF primitive), structure of arrays. Vertex order and count are those of
/// the source accessors. Every attribute is [V] or empty.
struct Primitive {
  Topology topology = Topology::kTriangles;
  SharedArray<std::uint32_t>
      indices;                       ///< into the vertices; 3, 2 or 1 per element of the topology; never empty if V > 0
  SharedArray<glm::vec3> positions;  ///< [V] mesh space, metres
  SharedArray<glm::vec3> normals;    ///< [V] unit; empty: to be shaded flat
  SharedArray<glm::vec4> tangents;   ///< [V] xyz unit, w handedness +1 or -1
  SharedArray<glm::vec2> texcoords[2];
  SharedArray<glm::vec4> colors;  ///< linear RGBA
  Shared<Influences> influences;  ///< empty: not skinned
  SharedList<MorphTarget> morph_targets;
  SharedArray<KeptAttribute> kept = {};  ///< of [V] elements each, no name twice
  int material = -1;
  std::vector<VariantMaterial> variant_materials;  ///< ascending variants, each once; the others keep `material`

  Shared<ControlCage> cage = {};    ///< of a surface that is made of control points, else empty
  Shared<Stencils> cage_rows = {};  ///< [V] rows over the points of `cage`

  [[nodiscard]] std::size_t vertex_count() const { return positions.size(); }
  /// Whether control points make this surface. A cage whose rows are not those of the vertices counts as none.
  [[nodiscard]] bool has_cage() const {
    return !cage->positions.empty() && cage_rows->row_count() == vertex_count() && !influences->empty();
  }
  /// For who moves or removes vertices by themselves: from then on it is a mesh like any other.
  void drop_cage() {
    cage = {};
    cage_rows = {};
  }
  [[nodiscard]] std::size_t triangle_count() const { return topology == Topology::kTriangles ? indices.size() / 3 : 0; }
};

/// Gives joints other numbers, in the rows of vertices and control points. @pre  see Influences::renumber_joints()
template <typename F>
void renumber_joints(Primitive& primitive, F number) {
  primitive.influences.edit().renumber_joints(number);
  if (!primitive.cage->positions.empty()) {
    primitive.cage.edit().influences.edit().renumber_joints(number);
  }
}

/// Calls f(joint, weight) for each entry of the rows of vertices and control points.
template <typename F>
void for_each_entry(const Primitive& primitive, F f) {
  primitive.influences->for_each_entry(f);
  primitive.cage->influences->for_each_entry(f);
}

/// A named group of primitives that are placed and morphed together (a glTF mesh).
struct Mesh {
  std::string name;
  SharedList<Primitive> primitives;
  std::vector<std::string> morph_names;  ///< one per morph target
  std::vector<float> morph_weights;      ///< default weights, one per morph target
};

/// [P + 1] where each primitive's vertices begin when they are counted through all primitives of a mesh, and their
/// number.
inline std::vector<std::uint32_t> first_vertices(const Mesh& mesh) {
  std::vector<std::uint32_t> first = {0};
  for (const Primitive& primitive : mesh.primitives) {
    first.push_back(first.back() + static_cast<std::uint32_t>(primitive.vertex_count()));
  }
  return first;
}

}  // namespace pelt::mesh
