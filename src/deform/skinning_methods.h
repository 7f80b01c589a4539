#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <glm/glm.hpp>

#include "core/progress.h"
#include "deform/common_stretch.h"
#include "deform/settings.h"
#include "deform/weight_gradients.h"
#include "mesh/mesh.h"
#include "mesh/mesh_surface.h"

namespace pelt::deform {

class DeltaMush;

/// What a method computes once for a primitive and keeps. It depends on bind shape, influences and parameters only.
struct Prepared {
  std::vector<glm::vec4> per_vertex;  ///< [V * vec4s_per_vertex], the shader's a_prepared
  mesh::FlatInfluences rows;          ///< empty, or joints that each vertex follows in place of its influences
  std::vector<glm::vec4> row_data;    ///< [rows.joint.size() * vec4s_per_row], one entry per joint of a row
  std::shared_ptr<const DeltaMush> delta_mush;  ///< of the whole mesh, shared by its primitives
};

/// What a skinning kernel reads. Nothing is owned.
struct SkinInput {
  std::span<const glm::vec3> positions;          ///< [V] mesh space, metres
  std::span<const glm::vec3> normals;            ///< [V] or empty; need not be unit (morphed normals are not)
  std::span<const glm::vec4> tangents;           ///< [V] or empty; w handedness
  const mesh::Influences* influences = nullptr;  ///< V rows
  std::span<const glm::mat4> skin_matrices;      ///< [J] world from mesh, one per joint of the skin
  std::span<const glm::vec4> palette;            ///< [J * vec4s_per_joint] as packed; where the method reads it
  glm::mat3 shape_from_mesh = glm::mat3(1.0f);   ///< of the skin's binding
  NormalVariant normal_variant = NormalVariant::kInverseTransposeOfBlend;  ///< one that the method distinguishes
  bool weights_as_stored = false;
  MethodParameters parameters = {};
  const Prepared* prepared = nullptr;                 ///< where the method prepares anything
  const WeightGradients* weight_gradients = nullptr;  ///< V rows, for variant f
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

/// Computes what the method keeps, for all primitives of a mesh at once; those that are not skinned get none.
/// @param out  one per primitive of the surface
/// @returns false when `progress` asked to stop
using PrepareFunction = bool (*)(const mesh::MeshSurface&, const MethodParameters&, const Progress&,
                                 std::span<Prepared> out);

/// Changes a whole mesh after its vertices were skinned one by one, in world space.
/// @param skin_matrices    [J] of the skin that all skinned primitives follow
/// @param prepared, inout  one per primitive of the surface; parts that are not skinned stay as they are
using FinishFunction = void (*)(const mesh::MeshSurface&, const MethodParameters&, std::span<const Prepared> prepared,
                                std::span<const glm::mat4> skin_matrices, std::span<const SkinOutput> inout);

/// Writes the palette of a skin in one pose; of joints that no vertex follows, anything that is finite.
/// @param skin_matrices  [J]
/// @param out            [J * vec4s_per_joint]
using PackFunction = void (*)(const SkinBinding& binding, std::span<const glm::mat4> skin_matrices,
                              std::span<glm::vec4> out);

/// Laws that tests run over every row, ALGORITHMS.md §7.
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
constexpr Law without(Law laws, Law law) {
  return static_cast<Law>(static_cast<unsigned>(laws) & ~static_cast<unsigned>(law));
}

/// Something that can be adjusted about a method; a slider, or a check box where it is a switch.
struct MethodParameter {
  std::string_view id;  ///< for --parameter
  std::string_view label;
  std::string_view help;
  enum class Kind { kReal, kInteger, kSwitch } kind;
  float minimum;
  float maximum;
  float (*get)(const MethodParameters&);
  void (*set)(MethodParameters&, float);
  bool prepares = false;  ///< a change makes the method prepare again
};

/// Which kernel of FastSkin computes the same as a row's `skin`.
enum class FastMethod { kNone, kHeaviest, kLinear, kDualQuaternion };

/// One skinning method; everything that offers methods iterates these rows.
struct SkinningMethod {
  std::string_view id;  ///< for --method
  std::string_view label;
  std::string_view help;    ///< one sentence
  std::string_view shader;  ///< file below shaders/; empty: on the CPU only, the GPU backend streams its result
  int vec4s_per_joint;      ///< of the palette block
  Law laws;
  SkinFunction skin;
  PackFunction pack;
  bool reads_palette = false;  ///< the CPU kernel reads SkinInput::palette
  FastMethod fast = FastMethod::kNone;
  /// Variants that this method offers; where another is asked for, `default_normals` is shown.
  NormalVariants normals = kAllNormalVariants;
  NormalVariant default_normals = NormalVariant::kInverseTransposeOfBlend;
  int vec4s_per_vertex = 0;
  int vec4s_per_row = 0;              ///< above 0: rows of its own in place of influences, the shader's t_rows
  PrepareFunction prepare = nullptr;  ///< null: nothing to prepare
  bool has_centers = false;           ///< what it prepares are centres of rotation, see pose_centers()
  FinishFunction finish = nullptr;    ///< null: vertices are independent of each other
  std::string_view smooths = {};      ///< id of the method whose shape `finish` changes, where there is one
  std::span<const MethodParameter> parameters = {};
  /// What the shader reads as u_method; null: nothing.
  glm::vec4 (*shader_parameters)(const MethodParameters&) = nullptr;
};

std::span<const SkinningMethod> skinning_methods();
/// Row of the method with that id, -1 where there is none.
int find_method(std::string_view id);

/// The variant that the method really computes where `wanted` is asked for.
constexpr NormalVariant normals_under(const SkinningMethod& method, NormalVariant wanted) {
  return (method.normals & one_of(wanted)) != 0 ? wanted : method.default_normals;
}

/// Those that `prepare` reads; all others at their defaults.
MethodParameters preparing_parameters(const SkinningMethod& method, const MethodParameters& parameters);

/// A row's `pack`. @param out  resized to J * vec4s_per_joint
void pack_palette(const SkinningMethod& method, const SkinBinding& binding, std::span<const glm::mat4> skin_matrices,
                  std::vector<glm::vec4>& out);

/// A row's `skin` on all threads: [0, V) in chunks of a fixed size, so the result does not depend on the number of
/// threads. `finish` is the caller's.
void skin_all(const SkinningMethod& method, const SkinInput& input, const SkinOutput& output);

}  // namespace pelt::deform
