#include "mesh/mesh.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/expect.h"
#include "mesh/row_divisor.h"

namespace pelt::mesh {

std::uint32_t Influences::max_count() const {
  std::uint32_t most = 0;
  for (std::size_t v = 0; v < vertex_count(); ++v) {
    most = std::max(most, count(v));
  }
  return most;
}

void append_row(Influences& influences, std::span<const std::uint16_t> joints, std::span<const float> weights) {
  PELT_EXPECT(joints.size() == weights.size(), "one weight per joint");
  struct Slot {
    std::uint16_t joint;
    float weight;
  };
  // Rows are many and short: only long ones ask for memory.
  std::array<Slot, 16> few;
  std::vector<Slot> many(joints.size() > few.size() ? joints.size() : 0);
  const std::span<Slot> slots = many.empty() ? std::span<Slot>(few) : std::span<Slot>(many);
  std::size_t count = 0;
  double sum = 0;
  for (std::size_t k = 0; k < joints.size(); ++k) {
    if (!(weights[k] > 0)) {
      continue;
    }
    sum += static_cast<double>(weights[k]);
    std::size_t same = 0;
    while (same < count && slots[same].joint != joints[k]) {
      ++same;
    }
    if (same < count) {
      slots[same].weight += weights[k];
    } else {
      slots[count++] = {joints[k], weights[k]};
    }
  }
  sum = row_divisor(sum);
  const std::span<Slot> row = slots.first(count);
  const auto precedes = [](const Slot& a, const Slot& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.joint < b.joint;
  };
  if (many.empty()) {
    for (std::size_t k = 1; k < count; ++k) {
      const Slot slot = row[k];
      std::size_t at = k;
      for (; at > 0 && precedes(slot, row[at - 1]); --at) {
        row[at] = row[at - 1];
      }
      row[at] = slot;
    }
  } else {
    std::sort(row.begin(), row.end(), precedes);
  }
  for (const Slot& slot : row) {
    const auto weight = static_cast<float>(static_cast<double>(slot.weight) / sum);
    if (weight > 0) {  // the smallest floats may round to nothing
      influences.joint.push_back(slot.joint);
      influences.weight.push_back(weight);
    }
  }
  influences.offset.push_back(static_cast<std::uint32_t>(influences.joint.size()));
  influences.stored_sum.push_back(static_cast<float>(sum));
}

Influences limit_influences(const Influences& influences, int limit, float threshold, float* largest_dropped) {
  PELT_EXPECT(limit >= 1, "at least one influence per vertex");
  Influences out;
  out.offset.reserve(influences.offset.size());
  out.stored_sum = influences.stored_sum;
  float worst = 0;
  for (std::size_t v = 0; v < influences.vertex_count(); ++v) {
    const std::size_t begin = influences.offset[v];
    const std::size_t available = influences.count(v);
    std::size_t kept = std::min<std::size_t>(available, static_cast<std::size_t>(limit));
    while (kept > 1 && influences.weight[begin + kept - 1] < threshold) {
      --kept;
    }
    double sum = 0;
    for (std::size_t k = 0; k < kept; ++k) {
      sum += static_cast<double>(influences.weight[begin + k]);
    }
    for (std::size_t k = 0; k < kept; ++k) {
      const float weight = influences.weight[begin + k];
      out.joint.push_back(influences.joint[begin + k]);
      // An untouched row keeps its bits.
      out.weight.push_back(kept == available ? weight : static_cast<float>(static_cast<double>(weight) / sum));
    }
    if (kept < available) {
      const double dropped =
          std::accumulate(influences.weight.begin() + static_cast<std::ptrdiff_t>(begin + kept),
                          influences.weight.begin() + static_cast<std::ptrdiff_t>(begin + available), 0.0);
      worst = std::max(worst, static_cast<float>(dropped));
    }
    out.offset.push_back(static_cast<std::uint32_t>(out.joint.size()));
  }
  if (largest_dropped != nullptr) {
    *largest_dropped = worst;
  }
  return out;
}

}  // namespace pelt::mesh
