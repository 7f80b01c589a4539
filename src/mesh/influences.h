#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/shared.h"

namespace pelt::mesh {

/// A vertex whose stored weights sum to 1 but for this is as good as one whose weights do.
inline constexpr float kSumTolerance = 1e-3f;

/// Influences that one pair of JOINTS_n and WEIGHTS_n has a place for.
inline constexpr std::uint32_t kInfluencesOfSet = 4;

/// One vertex's joints and weights: views into a block of Influences, gone once that block is edited.
struct InfluenceRow {
  std::span<const std::uint16_t> joints;
  std::span<const float> weights;
  float stored_sum = 0;
};

/// A vertex's joints and weights for all vertices: any number per vertex, in blocks that copies share.
///
/// Within a row joints are distinct, weights > 0, heaviest first (ties: lowest joint), and sum to 1 where the stored
/// sum is above 0. A vertex may have an empty row: it then follows no joint. The stored sum is what the file's weights
/// summed to, so the weights as stored are weight times stored sum.
///
/// A copy costs a pointer per block; an edit of a row clones the block that it lies in, so that whoever compares two
/// by for_changed_blocks() finds what changed without reading the rest. Spans that joints(), weights() and row() give
/// point into a block and are gone once something in that block is written; copy what is to outlive that.
class Influences {
 public:
  /// A whole number of windows of the fast kernels at any width of registers.
  static constexpr std::size_t kBlockRows = 256;

  /// Compressed rows of up to kBlockRows consecutive vertices. Row r is [offset[r], offset[r + 1]). Offsets have 32
  /// bits, since a row may name every joint of a skin and 256 such rows pass any smaller number.
  struct Block {
    std::vector<std::uint32_t> offset = {0};  ///< [rows + 1]
    std::vector<std::uint16_t> joint;         ///< index into the skin's joint list
    std::vector<float> weight;                ///< normalised
    std::vector<float> stored_sum;            ///< [rows]

    [[nodiscard]] std::size_t row_count() const { return stored_sum.size(); }
    [[nodiscard]] InfluenceRow row(std::size_t r) const {
      const std::size_t begin = offset[r];
      const std::size_t count = offset[r + 1] - begin;
      return {{joint.data() + begin, count}, {weight.data() + begin, count}, stored_sum[r]};
    }
    bool operator==(const Block&) const = default;
  };

  [[nodiscard]] std::size_t vertex_count() const { return vertex_count_; }
  [[nodiscard]] bool empty() const { return vertex_count_ == 0; }
  [[nodiscard]] std::uint32_t count(std::size_t v) const {
    const Block& block = *blocks_[v / kBlockRows];
    return block.offset[v % kBlockRows + 1] - block.offset[v % kBlockRows];
  }
  [[nodiscard]] InfluenceRow row(std::size_t v) const { return blocks_[v / kBlockRows]->row(v % kBlockRows); }
  [[nodiscard]] std::span<const std::uint16_t> joints(std::size_t v) const { return row(v).joints; }
  [[nodiscard]] std::span<const float> weights(std::size_t v) const { return row(v).weights; }
  [[nodiscard]] float stored_sum(std::size_t v) const { return blocks_[v / kBlockRows]->stored_sum[v % kBlockRows]; }
  /// Largest row.
  [[nodiscard]] std::uint32_t max_count() const;
  /// Influences of a vertex that the file has a place for, or that a binder was told to make; edits leave no vertex
  /// with more, unless it has more already or the edit names a limit of its own. 0: nobody said, any number. The rows
  /// say what a mesh does, so that two which differ in this alone are equal.
  [[nodiscard]] std::uint32_t budget() const { return budget_; }
  void set_budget(std::uint32_t budget) { budget_ = budget; }
  /// Influences that an edit may leave the vertex.
  [[nodiscard]] std::size_t most(std::size_t v) const {
    return budget_ == 0 ? std::numeric_limits<std::size_t>::max() : std::max<std::size_t>(budget_, count(v));
  }
  /// Of all rows together. @cost O(blocks), as that of bytes()
  [[nodiscard]] std::size_t entry_count() const;
  /// Memory of all rows, shared or not; the heads of blocks, less than a byte per vertex, are not counted.
  [[nodiscard]] std::size_t bytes() const;

  /// All have kBlockRows rows but the last one, which has at least one.
  [[nodiscard]] const std::vector<Shared<Block>>& blocks() const { return blocks_; }
  [[nodiscard]] std::size_t block_count() const { return blocks_.size(); }
  [[nodiscard]] const Block& block(std::size_t b) const { return *blocks_[b]; }

  /// Calls f(joint, weight) for each entry of each row, in their order.
  template <typename F>
  void for_each_entry(F f) const {
    for (const Shared<Block>& block : blocks_) {
      for (std::size_t k = 0; k < block->joint.size(); ++k) {
        f(block->joint[k], block->weight[k]);
      }
    }
  }

  /// Appends a row as it is. @pre  it is as rows are, joints and weights do not lie in this
  void push_row(const InfluenceRow& row);
  /// Appends rows of nothing, whose stored sum is 0.
  void push_empty(std::size_t count);
  /// Appends all rows of another; its blocks are shared where this ends with a whole block.
  void append(const Influences& rows);
  /// Appends a block. @pre  vertex_count() is a multiple of kBlockRows; the block has 1 to kBlockRows rows
  void push_block(Shared<Block> block);

  /// Puts another row in place of v's, made of these as append_row() makes one. @pre  as append_row(), v < V; joints
  /// and weights do not lie in this
  void set_row(std::size_t v, std::span<const std::uint16_t> joints, std::span<const float> weights);
  /// The same with a row as it is.
  void put_row(std::size_t v, const InfluenceRow& row);
  void set_stored_sum(std::size_t v, float sum);
  /// One block to be changed, cloned where others share it: entries at will, the number of rows not. Not to be kept,
  /// see Shared::edit().
  Block& edit_block(std::size_t b) { return blocks_[b].edit(); }
  /// Puts another block in place of b. @pre  it has as many rows
  void put_block(std::size_t b, Shared<Block> block);
  /// Gives joints other numbers. Blocks in which nothing changes stay shared.
  /// @pre  no two joints of a row become one; rows keep their order, so ties may no longer be the lowest joint's first
  template <typename F>
  void renumber_joints(F number) {
    for (Shared<Block>& block : blocks_) {
      const std::vector<std::uint16_t>& joint = block->joint;
      if (std::ranges::any_of(joint, [&](std::uint16_t j) { return static_cast<std::uint16_t>(number(j)) != j; })) {
        for (std::uint16_t& j : block.edit().joint) {
          j = static_cast<std::uint16_t>(number(j));
        }
      }
    }
  }

  /// Whether all rows are equal; blocks that are shared are not read.
  friend bool operator==(const Influences& a, const Influences& b) {
    return a.vertex_count_ == b.vertex_count_ && a.blocks_ == b.blocks_;
  }

 private:
  friend void append_row(Influences&, std::span<const std::uint16_t>, std::span<const float>);
  Block& open_block();  // the last one, or a new one where that is full
  std::vector<Shared<Block>> blocks_;
  std::size_t vertex_count_ = 0;
  std::uint32_t budget_ = 0;
};

/// Appends one vertex's row to `influences`: merges repeated joints, drops zero weights, sorts, normalises and records
/// the stored sum. An all-zero row becomes an empty row with stored sum 0.
/// @param joints, weights  K entries, weights finite and >= 0; they do not lie in `influences`
void append_row(Influences& influences, std::span<const std::uint16_t> joints, std::span<const float> weights);

/// The same row, appended to two arrays. @returns its stored sum
float append_normalised(std::span<const std::uint16_t> joints, std::span<const float> weights,
                        std::vector<std::uint16_t>& out_joints, std::vector<float>& out_weights);

/// ALGORITHMS.md §16: keeps the `limit` heaviest weights of each vertex that are at least `threshold`, renormalised;
/// never fewer than one where there was one. The stored sum is kept, and blocks that lose nothing stay shared.
/// @param largest_dropped  if given, receives the largest sum of weights that a vertex lost
Influences limit_influences(const Influences& influences, int limit, float threshold = 0.0f,
                            float* largest_dropped = nullptr);
Shared<Influences::Block> limit_block(const Shared<Influences::Block>& block, int limit, float threshold,
                                      float* largest_dropped = nullptr);

/// Calls f(block, first row, end row) for each block of `now` that `before` does not share, in ascending order. What
/// was written and happens to be equal counts, too: see for_changed_rows().
/// @cost O(blocks), no block is read
template <typename F>
void for_changed_blocks(const Influences& before, const Influences& now, F f) {
  for (std::size_t b = 0; b < now.block_count(); ++b) {
    if (b >= before.block_count() || !before.blocks()[b].is(now.blocks()[b])) {
      const std::size_t first = b * Influences::kBlockRows;
      f(b, first, std::min(first + Influences::kBlockRows, now.vertex_count()));
    }
  }
}

/// Whether two rows are equal to the bit of their weights (no weight is -0).
inline bool same_row(const InfluenceRow& a, const InfluenceRow& b) {
  return a.stored_sum == b.stored_sum && std::ranges::equal(a.joints, b.joints) &&
         std::ranges::equal(a.weights, b.weights);
}

/// The rows of a block that are others than before, ascending: to the bit, and where few are at little more than the
/// cost of reading both. Those that were not there before are among them.
std::vector<std::uint16_t> changed_rows(const Influences::Block& before, const Influences::Block& now);

/// Calls f(vertex) for each row of `now` that is another than in `before`, in ascending order: vertices in random
/// order touch every block, with one row each.
/// @cost  O(blocks + rows of changed blocks)
template <typename F>
void for_changed_rows(const Influences& before, const Influences& now, F f) {
  for_changed_blocks(before, now, [&](std::size_t b, std::size_t first, std::size_t) {
    const Influences::Block none;
    for (const std::uint16_t r : changed_rows(b < before.block_count() ? before.block(b) : none, now.block(b))) {
      f(first + r);
    }
  });
}

/// Influences as one compressed array, for solvers and whatever keeps something beside each entry. Row v is
/// [offset[v], offset[v + 1]).
struct FlatInfluences {
  std::vector<std::uint32_t> offset = {0};  ///< [V + 1]
  std::vector<std::uint16_t> joint;
  std::vector<float> weight;
  std::vector<float> stored_sum;  ///< [V]

  [[nodiscard]] std::size_t vertex_count() const { return offset.size() - 1; }
  [[nodiscard]] bool empty() const { return offset.size() <= 1; }
  [[nodiscard]] std::uint32_t count(std::size_t v) const { return offset[v + 1] - offset[v]; }
  /// Appends a row as it is.
  void push_row(const InfluenceRow& row);
};
FlatInfluences flat(const Influences& influences);
/// The way back.
Influences in_blocks(const FlatInfluences& rows);

}  // namespace pelt::mesh
