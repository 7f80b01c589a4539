#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "core/large_memory.h"
#include "deform/settings.h"
#include "deform/skin_cache.h"
#include "deform/skinning_methods.h"
#include "math/transform.h"
#include "rig/character.h"

namespace pelt::deform {

/// True where the part follows its skin; else it is placed by its node's world matrix. A primitive without influences
/// on a node with a skin is placed by the node, and so is one with influences on a node without a skin.
bool is_skinned(const rig::Character& character, const rig::Part& part);

/// Rows of joint 0 alone: how a part without a skin goes through a kernel.
mesh::Influences rows_of_one(std::size_t vertex_count);

/// One part after morphing and skinning, world space. Vertex order and count of the source.
struct DeformedPart {
  LineVector<glm::vec3> positions;
  LineVector<glm::vec3> normals;   ///< empty where the primitive has none
  LineVector<glm::vec4> tangents;  ///< likewise
};

struct DeformedCharacter {
  std::vector<DeformedPart> parts;  ///< one per Character::parts
  Bounds bounds;                    ///< of all parts
};

/// Consecutive vertices [first, end).
struct VertexRange {
  std::size_t first = 0;
  std::size_t end = 0;
  bool operator==(const VertexRange&) const = default;
};

/// The CPU path for a whole character: morph, then skin or place rigidly. Reuses the memory of `out`.
class CpuDeformer {
 public:
  /// @param cache  where influences and what methods prepare are kept, to be shared with others; null: one of its own
  explicit CpuDeformer(std::shared_ptr<SkinCache> cache = nullptr);
  ~CpuDeformer();
  CpuDeformer(CpuDeformer&&) noexcept;
  CpuDeformer& operator=(CpuDeformer&&) noexcept;

  /// Tells whether anything had to be computed: parts whose matrices, morph weights and settings are those of the last
  /// call into the same `out` keep what they hold (C11.3).
  /// @param world  [J] world matrices of `pose`
  /// The character may be another than in the last call, or be edited since: what was kept of it holds for those of its
  /// shared parts that are the same, and no longer.
  bool deform(const rig::Character& character, const rig::Pose& pose, std::span<const glm::mat4> world,
              const SkinningSettings& settings, DeformedCharacter& out);
  /// Grows with each deform() that computed something.
  [[nodiscard]] std::uint64_t serial() const;
  /// Where the output of the last deform() may differ from what it was when serial() was `since`, for whoever uploads
  /// it: after an edit of weights alone chunks with vertices of that edit, else all. Ascending ranges that do not
  /// touch.
  /// @pre  the output is where it was
  [[nodiscard]] std::vector<VertexRange> written_since(std::uint64_t since, std::size_t part) const;
  /// Forgets the character and what its cache keeps, which gives memory back.
  void reset();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// One primitive alone, with everything that is prepared on the way: for tests and tools.
/// @param pivots  [J] or empty: all at the origin; see joint_pivots(). Joints do not hang on each other.
DeformedPart skin_once(const SkinningMethod& method, const mesh::Primitive& primitive,
                       const mesh::Influences& influences, std::span<const glm::mat4> skin_matrices,
                       std::span<const glm::vec3> pivots = {},
                       NormalVariant normals = NormalVariant::kInverseTransposeOfBlend,
                       const MethodParameters& parameters = {}, bool weights_as_stored = false);

/// The same with the skin's own binding. @param skin_matrices  of all joints of the skin
DeformedPart skin_bound_once(const SkinningMethod& method, const mesh::Primitive& primitive,
                             const mesh::Influences& influences, std::span<const glm::mat4> skin_matrices,
                             const SkinBinding& binding,
                             NormalVariant normals = NormalVariant::kInverseTransposeOfBlend,
                             const MethodParameters& parameters = {}, bool weights_as_stored = false);

/// One call of a fresh CpuDeformer, for verbs and tests.
DeformedCharacter deform_once(const rig::Character& character, const rig::Pose& pose, const SkinningSettings& settings);

}  // namespace pelt::deform
