#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <glm/glm.hpp>

#include "core/shared.h"
#include "math/transform.h"
#include "mesh/kept_attribute.h"

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

/// A vertex's joints and weights for all vertices: compressed rows, any number per vertex.
///
/// Row v is [offset[v], offset[v + 1]); within a row joints are distinct, weights > 0, heaviest first (ties: lowest
/// joint), and sum to 1 where `stored_sum[v]` > 0. A vertex may have an empty row: it then follows no joint.
/// `stored_sum` keeps what the file's weights summed to, so the weights as stored are `weight * stored_sum[v]`.
struct Influences {
  std::vector<std::uint32_t> offset = {0};  ///< [V + 1]
  std::vector<std::uint16_t> joint;         ///< index into the skin's joint list
  std::vector<float> weight;                ///< normalised
  std::vector<float> stored_sum;            ///< [V]

  [[nodiscard]] std::size_t vertex_count() const { return offset.size() - 1; }
  [[nodiscard]] bool empty() const { return offset.size() <= 1; }
  [[nodiscard]] std::uint32_t count(std::size_t v) const { return offset[v + 1] - offset[v]; }
  /// Largest row.
  [[nodiscard]] std::uint32_t max_count() const;
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

  [[nodiscard]] std::size_t vertex_count() const { return positions.size(); }
  [[nodiscard]] std::size_t triangle_count() const { return topology == Topology::kTriangles ? indices.size() / 3 : 0; }
};

/// A named group of primitives that are placed and morphed together (a glTF mesh).
struct Mesh {
  std::string name;
  SharedList<Primitive> primitives;
  std::vector<std::string> morph_names;  ///< one per morph target
  std::vector<float> morph_weights;      ///< default weights, one per morph target
};

/// Appends one vertex's row to `influences`: merges repeated joints, drops zero weights, sorts, normalises and records
/// the stored sum. An all-zero row becomes an empty row with stored sum 0.
/// @param joints, weights  K entries, weights finite and >= 0
void append_row(Influences& influences, std::span<const std::uint16_t> joints, std::span<const float> weights);

/// algorithms.md §16: keeps the `limit` heaviest weights of each vertex that are at least `threshold`, renormalised;
/// never fewer than one where there was one. `stored_sum` is kept.
/// @param largest_dropped  if given, receives the largest sum of weights that a vertex lost
Influences limit_influences(const Influences& influences, int limit, float threshold = 0.0f,
                            float* largest_dropped = nullptr);

}  // namespace pelt::mesh
