#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/weight_rows.h"

namespace pelt::mesh {

/// What a brush does where it touches, ALGORITHMS.md §39. a is the amount at a place, v the value there.
enum class DabMode {
  kAdd,       ///< w + a v
  kSubtract,  ///< w - a v
  kReplace,   ///< w + a (v - w); with values by place a gradient, with a = 1 a fill
  kScale,     ///< w (1 + a (v - 1))
  kSmooth,    ///< all joints towards their neighbours' mean by a v
  kSharpen,   ///< all joints away from it by a v
  kBlend,     ///< all joints towards (1 - v) first + v second by a
};

/// One touch of a brush.
struct Dab {
  DabMode mode = DabMode::kAdd;
  std::span<const std::uint32_t> places = {};  ///< in any order, each once
  std::span<const float> amounts = {};      ///< one per place, 0 to 1: strength times falloff; what is not finite is 0
  float value = 1;                          ///< v everywhere
  std::span<const float> values = {};       ///< v by place, or empty
  std::uint16_t joint = 0;                  ///< slot in the skin: of the first four modes
  std::span<const WeightEntry> first = {};  ///< rows that kBlend blends between
  std::span<const WeightEntry> second = {};
  std::span<const std::uint16_t> locked = {};  ///< slots that keep their weights bit for bit
  int limit = 0;            ///< influences of a vertex afterwards, 0: Influences::most(); others get what goes
  float threshold = 1e-4f;  ///< smaller weights are dropped; what is painted is kept
};

/// What a dab makes of the weights, brought to 1 under the locks as WeightRow::set() does. The vertices of a place
/// change together. Vertices of a skinned primitive without weights take the joint that is painted.
/// @param influences  [P] one per primitive
/// @return [P] for patched(): the rows that are others than they were
/// @cost O(places * degree * K), never O(W)
std::vector<InfluencesPatch> dabbed_weights(const WeldedSurface& surface, std::span<const Influences* const> influences,
                                            const Dab& dab);

}  // namespace pelt::mesh
