#include "mesh/dab.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/expect.h"
#include "mesh/weight_smoothing.h"

namespace pelt::mesh {
namespace {

double amount_of(std::span<const float> amounts, std::size_t k) {
  const auto amount = static_cast<double>(amounts[k]);
  return amount > 0 ? std::min(amount, 1.0) : 0;
}

// (1 - t) first + t second; both sum to 1.
std::vector<WeightEntry> between(std::span<const WeightEntry> first, std::span<const WeightEntry> second, double t) {
  std::vector<WeightEntry> out(first.begin(), first.end());
  for (WeightEntry& one : out) {
    one.weight *= 1 - t;
  }
  for (const WeightEntry& one : second) {
    const auto at = std::ranges::find(out, one.joint, &WeightEntry::joint);
    if (at != out.end()) {
      at->weight += t * one.weight;
    } else {
      out.push_back({one.joint, t * one.weight});
    }
  }
  return out;
}

bool is_of_one_joint(DabMode mode) {
  return mode == DabMode::kAdd || mode == DabMode::kSubtract || mode == DabMode::kReplace || mode == DabMode::kScale;
}

void paint_joint(WeightRow& row, const Dab& dab, double amount, double value) {
  const double before = row.weight(dab.joint);
  constexpr double kOfRounding = 1e-6;  // floats that sum to 1
  if (row.free().size() == 1 && before > 0 && std::abs(row.room() - before) <= kOfRounding) {
    return;  // it has all there is, and no other takes any of it
  }
  switch (dab.mode) {
    case DabMode::kAdd:
      row.set(dab.joint, before + amount * value);
      break;
    case DabMode::kSubtract:
      row.set(dab.joint, before - amount * value);
      break;
    case DabMode::kReplace:
      row.set(dab.joint, before + amount * (value - before));
      break;
    default:
      row.set(dab.joint, before * (1 + amount * (value - 1)));
      break;
  }
}

}  // namespace

std::vector<InfluencesPatch> dabbed_weights(const WeldedSurface& surface, std::span<const Influences* const> influences,
                                            const Dab& dab) {
  PELT_EXPECT(dab.amounts.size() == dab.places.size(), "an amount for each place");
  PELT_EXPECT(dab.values.empty() || dab.values.size() == dab.places.size(), "a value for each place, or none");
  PELT_EXPECT(dab.limit >= 0, "influences of a vertex, or 0 for all");
  std::vector<std::size_t> order(dab.places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t k) { return dab.places[k]; });
  std::vector<std::uint32_t> places;
  for (const std::size_t k : order) {
    places.push_back(dab.places[k]);
  }
  const auto value_at = [&](std::size_t k) {
    return static_cast<double>(dab.values.empty() ? dab.value : dab.values[k]);
  };
  if (dab.mode == DabMode::kSmooth) {
    WeightSmoothing how = {.strength = 1, .limit = dab.limit, .threshold = dab.threshold};
    how.locked.assign(dab.locked.begin(), dab.locked.end());
    std::vector<float> strengths;
    for (const std::size_t k : order) {
      strengths.push_back(static_cast<float>(amount_of(dab.amounts, k) * value_at(k)));
    }
    return smoothed_weights(surface, influences, places, strengths, how);
  }
  const bool of_joint = is_of_one_joint(dab.mode);
  return edited_weights(surface, influences, places, dab.locked, Copies::kTogether, [&](std::size_t t, WeightRow& row) {
    const double amount = amount_of(dab.amounts, order[t]);
    const double value = value_at(order[t]);
    if (amount == 0 || !std::isfinite(value)) {
      return;
    }
    if (of_joint) {
      paint_joint(row, dab, amount, value);
    } else if (dab.mode == DabMode::kSharpen) {
      std::vector<WeightEntry> mean;
      mean_of_neighbors(surface, influences, places[t], mean);
      if (!mean.empty()) {
        row.away_from(mean, amount * value);
      }
    } else {
      row.towards(between(dab.first, dab.second, std::clamp(value, 0.0, 1.0)), amount);
    }
    if (!row.is_changed()) {
      return;  // nothing is dropped where nothing was painted
    }
    const int keep = of_joint ? dab.joint : WeightRow::kNone;
    const double painted = of_joint ? row.weight(dab.joint) : 0;
    row.prune(static_cast<double>(dab.threshold), keep);
    if (dab.limit > 0) {
      row.set_most(static_cast<std::size_t>(dab.limit));
    }
    row.cut_to_most(keep);
    if (painted > 0 && !row.is_locked(dab.joint) && row.weight(dab.joint) != painted) {
      row.set(dab.joint, painted);  // what was dropped goes to the others
    }
  });
}

}  // namespace pelt::mesh
