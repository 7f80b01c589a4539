#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/large_memory.h"
#include "mesh/mesh.h"

// How influences are laid out for the fast kernels: in blocks of as many vertices as a vector register has lanes. The
// vertices of a block share one list of joints, and each has a weight for every joint of the list, most of them zero
// where the list is long. A kernel then reads matrix elements as scalars that all lanes share: no lane looks anything
// up. A few consecutive blocks make a window. Blocks of long lists exchange vertices within their window where that
// shortens the lists; a kernel then writes each lane to its vertex's own place, which outputs never leave.

namespace pelt::deform {

/// How blocks store weights. In 16 bits, units of 1/65535 that sum to 65535 by mesh::round_weights(): exact for rows
/// that were rounded before, to 8 bits, too (255 units of 257).
enum class BlockWeights : std::uint8_t { kFloat, kUnorm16 };

/// Rows longer than this have no block form; with 16 lanes a block then names at most 256 joints.
inline constexpr std::uint32_t kMostBlockInfluences = 16;
inline constexpr std::uint32_t kMostBlockLanes = 16;
inline constexpr std::uint32_t kMostBlockJoints = kMostBlockInfluences * kMostBlockLanes;

/// Small enough that a byte tells a vertex's place, and that what a window writes stays in the first-level cache.
constexpr std::uint32_t blocks_per_window(std::uint32_t lanes) {
  return lanes == kMostBlockLanes ? 16 : 8;
}
inline constexpr std::uint32_t kMostWindowVertices = 16 * kMostBlockLanes;

/// Influences of V vertices in blocks.
///
/// Joints stand in their lists by ascending rank, so that the sum over a list is, bit by bit, the sum over the vertex's
/// own joints, whatever its neighbours follow: copies of a vertex along a seam stay together. For the same reason all
/// weights of a list are stored, though the first could be had from the others. A list of one joint needs none.
struct SkinBlocks {
  struct Block {
    std::uint32_t weight_group = 0;  ///< first of joint_count groups of `lanes` weights
    std::uint32_t first_joint = 0;   ///< into `joints`; consecutive blocks with the same list share it
    std::uint16_t joint_count = 0;
    bool scattered = false;  ///< whether its lanes are not simply the vertices from the block's place on; never in a
                             ///< last block that is not full
  };
  std::uint32_t lanes = 0;
  BlockWeights format = BlockWeights::kFloat;
  std::size_t vertex_count = 0;
  std::vector<Block> blocks;            ///< as many as hold all vertices; the last window may have fewer
  std::vector<std::uint16_t> joints;    ///< of the skin; the skin's joint count stands for the identity
  LineVector<float> weights;            ///< kFloat only
  LineVector<std::uint16_t> weights16;  ///< kUnorm16 only, in units of 1 / 65535
  std::vector<std::uint8_t> vertex;  ///< [blocks * lanes] which vertex of its window each lane holds; lanes beyond the
                                     ///< last one are named after themselves
  std::vector<std::uint8_t> lane;    ///< [blocks * lanes] the lane of its window that holds each vertex
  std::size_t used_groups = 0;       ///< groups of weights that blocks name; edits leave others behind
  std::size_t compact_joints = 0;    ///< size of `joints` when nothing was left behind in it

  [[nodiscard]] std::size_t window_count() const {
    return (blocks.size() + blocks_per_window(lanes) - 1) / blocks_per_window(lanes);
  }
  [[nodiscard]] std::size_t vertices_per_window() const { return std::size_t{blocks_per_window(lanes)} * lanes; }
  /// Memory held, bytes.
  [[nodiscard]] std::size_t bytes() const;
};

/// Lays influences out. Lanes beyond the last vertex repeat it. A vertex without influences follows the identity, joint
/// J.
/// @param joint_ranks  [J] what orders the joints of a vertex; should not depend on their places in the skin's list
/// @param lanes        4, 8 or 16
/// @pre  rows have at most kMostBlockInfluences entries, every joint is below J <= 65535
/// @cost O(V * (K log K + S)), S at most 256: the different sets of joints within 256 consecutive vertices
SkinBlocks make_skin_blocks(const mesh::Influences& influences, std::span<const int> joint_ranks, std::uint32_t lanes,
                            BlockWeights format);

/// Chooses lanes for windows again, as make_skin_blocks() would for these influences. Where that moved vertices, all
/// blocks of the window are to be rewritten.
/// @returns  [windows] whether vertices moved
std::vector<char> arrange_windows(const mesh::Influences& influences, std::span<const int> joint_ranks,
                                  std::span<const std::uint32_t> windows, SkinBlocks& blocks);

/// Writes some blocks from the rows of their vertices, which stay in their lanes. Weights are written where the block's
/// were if they have room there, else appended; compacts where more than a quarter is left behind.
/// @param which  blocks, ascending
/// @pre  as many vertices as at first, joints and rows as for make_skin_blocks()
void rewrite_blocks(const mesh::Influences& influences, std::span<const int> joint_ranks,
                    std::span<const std::uint32_t> which, SkinBlocks& blocks);

/// Lays weights and lists out in the order of the blocks, without what no block names.
void compact(SkinBlocks& blocks);

}  // namespace pelt::deform
