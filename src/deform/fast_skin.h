#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include <glm/glm.hpp>

#include "deform/fast_kernels.h"
#include "deform/skinning_methods.h"
#include "math/transform.h"

namespace pelt::deform {

struct FastSkinOptions {
  FastMethod method = FastMethod::kLinear;  ///< not kNone
  BlockWeights weights = BlockWeights::kFloat;
  std::string_view instruction_set = {};  ///< a name of fast_kernels(); empty: the best
  /// Whether morph targets with normal deltas may come. Where none do, normals are made one long once.
  bool morphs_normals = true;
  /// Results of a mesh that reads and writes more than this many bytes go past the caches, where the kernel can write
  /// them so and they begin on cache lines. The default is the last-level cache of the machine that
  /// cli/kernel_benchmark.md speaks of; there is no portable way to ask, and that machine reports ten times its size.
  std::size_t cache_bytes = std::size_t{32} << 20;
};

/// Skinning of whole registers of vertices, in the order of the source: what skin_lbs() or skin_dqs() computes, within
/// 1e-6 of the posed mesh's size for positions. Equal vertices get equal positions, bit by bit.
///
/// Built once for a mesh; run() then follows each pose. Influences, bind shape and morph targets are kept in their
/// own layout (see skin_blocks.h). What it gains, and what was tried and did not:
/// cli/kernel_benchmark.md.
class FastSkin {
 public:
  /// Whether there is a kernel for these attributes, these influences and this machine. Weights as stored have none.
  static bool covers(const SkinInput& input, FastMethod method = FastMethod::kLinear);

  /// @param input        shape and influences of the mesh; copied
  /// @param joint_ranks  [J] see make_skin_blocks(); the nodes of the skin's joints, so that meshes which share them
  /// meet
  /// @pre  covers(input, options.method), options.instruction_set is empty or one of this machine's, joint indices
  /// below J
  FastSkin(const SkinInput& input, std::span<const int> joint_ranks, const FastSkinOptions& options = {});
  ~FastSkin();
  FastSkin(FastSkin&&) noexcept;
  FastSkin& operator=(FastSkin&&) noexcept;

  /// Morphs the bind shape as apply_morph_targets() does, bit by bit where weights and deltas are finite (normals where
  /// options.morphs_normals). Only vertices
  /// near to what changed are computed again, so that a smile costs a mouth and not a body; deltas are kept in the
  /// kernels' layout from the first time that their target is active.
  /// @param targets  of the mesh; the same in every call
  /// @param weights  [targets]; what is missing is 0
  /// @pre  no target has normal deltas unless options.morphs_normals
  void set_morph_weights(const SharedList<mesh::MorphTarget>& targets, std::span<const float> weights);

  /// Skins on all threads; the result does not depend on their number.
  /// @param input   influences as at construction, spans of the shape as long as there (what they hold is not read);
  ///                skin_matrices, palette, parameters and normal_variant of this call
  /// @param output  as of a SkinFunction, but must not alias the input
  /// @param bounds  if given, receives bounds_of(output.positions)
  /// @pre  covers(input)
  void run(const SkinInput& input, const SkinOutput& output, Bounds* bounds = nullptr);

  /// Vertices that are skinned at a time.
  static constexpr std::size_t kChunkVertices = 2048;

  /// Follows an edit of the rows: blocks of vertices whose rows are others are written again. Vertices stay in their
  /// lanes while the joints that they follow stay; else their window is arranged again, which may move some, as long as
  /// those are few windows. Of more the lanes stay, too, until settle(): results are then those of a new FastSkin but
  /// for the last bits of normals and tangents of vertices of one joint, and for vertices of joints whose sizes are
  /// far apart, which the plain kernel computes where a list names both.
  /// @param before  rows as at construction or in the last call
  /// @param now     as many rows
  /// @returns false where a row is too long for blocks: what was laid out is then that of `before`, as before
  /// @cost O(blocks of rows + rows of changed blocks); without the windows that are arranged
  bool update_rows(const mesh::Influences& before, const mesh::Influences& now);
  /// Windows that were not arranged again though vertices of theirs follow other joints.
  [[nodiscard]] std::size_t loose_windows() const;
  /// Arranges some of them, after which all results are those of a new FastSkin where none is left.
  /// @param now  rows as in the last update_rows()
  void settle(const mesh::Influences& now, std::size_t most);

  /// run() where since the last run nothing but rows changed: not the pose, morph weights, parameters, nor what the
  /// output holds. Computes what they changed, and everything where that cannot be told apart.
  /// @returns  the chunks of kChunkVertices vertices that were written, ascending; valid until the next run
  std::span<const std::uint32_t> run_changed(const SkinInput& input, const SkinOutput& output,
                                             Bounds* bounds = nullptr);

  /// Reads what run() reads of the mesh and writes as much as it writes (but for a last block that is not full), almost
  /// without arithmetic: what run() is measured against. The output holds nothing of use.
  /// @param stream  past the caches
  /// @pre  output as of run(), aligned to 64 bytes
  void run_floor(const SkinOutput& output, bool stream) const;

  /// What run() reads, bytes.
  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] const SkinBlocks& blocks() const;

 private:
  struct State;
  void load_shape(const SkinInput& input);
  void skin(const SkinInput& input, const SkinOutput& output, Bounds* bounds, bool changed_alone);
  std::unique_ptr<State> state_;
};

}  // namespace pelt::deform
