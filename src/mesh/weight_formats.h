#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "mesh/mesh.h"

namespace pelt::mesh {

/// How influences are stored, ALGORITHMS.md §15. What is lost by it is lost on both backends.
enum class WeightFormat {
  kFloat,     ///< 32 bits per weight
  kUnorm16,   ///< 16 bits, rounded so that they sum to 65535
  kUnorm8,    ///< 8 bits, rounded so that they sum to 255
  kPacked56,  ///< four 8-bit indices and three 8-bit weights, the last one implied; at most four influences
};

struct WeightFormatInfo {
  WeightFormat format;
  std::string_view id;  ///< for --weights
  std::string_view label;
};
inline constexpr std::array<WeightFormatInfo, 4> kWeightFormats = {{
    {WeightFormat::kFloat, "float", "32-bit float"},
    {WeightFormat::kUnorm16, "16bit", "16 bit"},
    {WeightFormat::kUnorm8, "8bit", "8 bit"},
    {WeightFormat::kPacked56, "56bit", "56 bit, last implied"},
}};

inline constexpr int kPacked56Slots = 4;

/// What one is in integers: 65535 or 255. @pre  not kFloat
std::uint32_t weight_total(WeightFormat format);

/// Largest-remainder rounding (scheme 1): all floored, the missing units to the largest remainders (ties: lowest slot),
/// so that `out` sums to `total` exactly and each is off by less than one unit. Keeps the order of the weights.
/// @param weights  [K] >= 0, summing to 1; K >= 1
/// @param out      [K]
void round_weights(std::span<const float> weights, std::uint32_t total, std::span<std::uint16_t> out);

/// Rounding for four weights of which the last is implied (scheme 2): the first three to the nearest 1/255, the last is
/// what is missing to 255; where nothing is, one unit is taken back from the largest of the three (ties: highest slot).
/// @param weights  [4] >= 0, summing to 1, heaviest first
/// @param out      [4] sums to 255
void round_weights_implied(std::span<const float> weights, std::span<std::uint16_t> out);

/// The rows as a format gives them back: weights that became zero are gone, the others are k/255 or k/65535, heaviest
/// first, equal ones in their old order. Fixed-point rows sum to one, so `stored_sum` is then 1 (0 for empty rows).
/// kPacked56 keeps the four heaviest influences of a vertex. kFloat returns the rows as they are.
/// Blocks that stay as they are stay shared.
Influences quantized_influences(const Influences& influences, WeightFormat format);
Shared<Influences::Block> quantized_block(const Shared<Influences::Block>& block, WeightFormat format);

/// Influences as bytes, little-endian, slot after slot, vertex after vertex. Unused slots have index and weight 0. An
/// empty row has only zeros; where the last weight is implied, a first weight of 0 says so.
struct PackedInfluences {
  WeightFormat format = WeightFormat::kFloat;
  int slots = 1;                      ///< influences per vertex, at least one
  int index_bytes = 1;                ///< per slot
  int stored_weights = 1;             ///< per vertex: `slots`, or one less where the last is implied
  std::vector<std::uint8_t> indices;  ///< [V * slots * index_bytes]
  std::vector<std::uint8_t> weights;  ///< [V * stored_weights * weight_bytes()]

  [[nodiscard]] int weight_bytes() const;
  [[nodiscard]] int bytes_per_vertex() const { return slots * index_bytes + stored_weights * weight_bytes(); }
};

/// How rows of up to `longest_row` influences are packed, without the bytes.
/// @param joint_count  every joint is below it; up to 256 take one byte per index, more take two
PackedInfluences packed_layout(WeightFormat format, int longest_row, std::size_t joint_count);

/// Packs rows one by one, for whoever writes some of them again.
class RowPacker {
 public:
  /// @param layout  of which the bytes are not read
  explicit RowPacker(const PackedInfluences& layout);
  /// Unused slots become 0. @pre  the row has at most as many influences as there are slots, joints are below the
  /// layout's count
  /// @param out_indices  [slots * index_bytes]
  /// @param out_weights  [stored_weights * weight_bytes()]
  void pack(std::span<const std::uint16_t> joints, std::span<const float> weights, std::span<std::uint8_t> out_indices,
            std::span<std::uint8_t> out_weights);

 private:
  WeightFormat format_;
  std::size_t slots_;
  std::size_t stored_weights_;
  int index_bytes_;
  int weight_bytes_;
  std::vector<std::uint16_t> units_;
  std::vector<std::pair<std::uint16_t, std::uint16_t>> row_;  // joint, units
};

/// @param joint_count  every joint is below it; up to 256 take one byte per index, more take two
/// Weights of kFloat are kept to the bit. Rows longer than kPacked56 holds are cut to the four heaviest.
PackedInfluences pack_influences(const Influences& influences, WeightFormat format, std::size_t joint_count);

/// The inverse: gives quantized_influences() of what was packed.
Influences unpack_influences(const PackedInfluences& packed);

/// PackedInfluences::bytes_per_vertex() without packing.
/// @param slots  the longest row
int influence_bytes_per_vertex(WeightFormat format, int slots, std::size_t joint_count);

}  // namespace pelt::mesh
