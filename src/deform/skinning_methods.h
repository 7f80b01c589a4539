#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <glm/glm.hpp>

#include "deform/settings.h"
#include "mesh/mesh.h"

namespace pelt::deform {

/// What a skinning kernel reads. Nothing is owned.
struct SkinInput {
  std::span<const glm::vec3> positions;          ///< [V] mesh space, metres
  std::span<const glm::vec3> normals;            ///< [V] or empty; need not be unit (morphed normals are not)
  std::span<const glm::vec4> tangents;           ///< [V] or empty; w handedness
  const mesh::Influences* influences = nullptr;  ///< V rows
  std::span<const glm::mat4> skin_matrices;      ///< [J] world from mesh, one per joint of the skin
  NormalVariant normal_variant = NormalVariant::kInverseTransposeOfBlend;
  bool weights_as_stored = false;
  std::span<const glm::vec4> prepared;  ///< [V * vec4s_per_vertex] what the method's `prepare` returned
};

/// What it writes: [V] each, world space; normals and tangents empty where the input is. May alias the input.
struct SkinOutput {
  std::span<glm::vec3> positions;
  std::span<glm::vec3> normals;
  std::span<glm::vec4> tangents;
};

/// Skins vertices [begin, end). A vertex of an empty influence row follows no joint: it is placed as if by the
/// identity. No allocation; safe to call concurrently for disjoint ranges.
/// @pre  outputs are as long as the inputs, every joint index is below J
using SkinFunction = void (*)(const SkinInput&, const SkinOutput&, std::size_t begin, std::size_t end);

/// What a method computes once per mesh and keeps per vertex, for example centres of rotation. It depends on the bind
/// shape and the influences only. Returns V * vec4s_per_vertex.
using PrepareFunction = std::vector<glm::vec4> (*)(const mesh::Primitive&, const mesh::Influences&);

/// Writes one joint's share of the palette. @param out  vec4s_per_joint of them
using PackFunction = void (*)(const glm::mat4& skin_matrix, std::span<glm::vec4> out);

/// Laws that tests run over every row, algorithms.md §7 and style.md §2.10.
enum class Law : unsigned {
  kNone = 0,
  kBindIdentity = 1u << 0,
  kRigidEquivariance = 1u << 1,
  kOneHotIsRigid = 1u << 2,
  kPermutation = 1u << 3,
  kUnusedJoints = 1u << 4,
  kCpuEqualsGpu = 1u << 5,
  kAll = (1u << 6) - 1,
};
constexpr bool has(Law laws, Law law) {
  return (static_cast<unsigned>(laws) & static_cast<unsigned>(law)) != 0;
}

/// One skinning method; everything that offers methods iterates these rows.
struct SkinningMethod {
  std::string_view id;  ///< for --method
  std::string_view label;
  std::string_view help;    ///< one sentence
  std::string_view shader;  ///< file below shaders/
  int vec4s_per_joint;      ///< of the palette block
  Law laws;
  SkinFunction skin;
  PackFunction pack;
  int vec4s_per_vertex = 0;
  PrepareFunction prepare = nullptr;  ///< null: nothing to prepare
};

std::span<const SkinningMethod> skinning_methods();
/// Row of the method with that id, -1 where there is none.
int find_method(std::string_view id);

/// A row on all threads: [0, V) in chunks of a fixed size, so the result does not depend on the number of threads.
void skin_all(const SkinningMethod& method, const SkinInput& input, const SkinOutput& output);

}  // namespace pelt::deform
