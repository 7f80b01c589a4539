// I. Baran, J. Popović, "Automatic Rigging and Animation of 3D Characters", ACM TOG 26(3), 2007, section 4.

#include "bind/heat.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

#include "bind/heat_system.h"
#include "core/parallel.h"

namespace pelt::bind {
namespace {

enum HeatField : std::size_t { kSharpness, kCompatible };

constexpr double kLeastShare = 1e-6;
constexpr double kNegativeShare = -1e-6;  // nearer to 0 it is rounding
constexpr double kFadeFrom = 0.05;        // compatible: below it weights go to 0 ...
constexpr double kFadeTo = 0.025;         // ... which they reach here
constexpr float kPartOfSight = 0.3f;      // of the whole work
constexpr float kPartOfFactors = 0.5f;    // where it ends

// What one block of bones has of all places.
struct HeatBlock {
  std::vector<std::uint32_t> first;  // [W + 1] into shares
  std::vector<Share> shares;
};

double faded(double weight) {
  if (weight >= kFadeFrom) {
    return weight;
  }
  return std::max(0.0, (weight - kFadeTo) / (kFadeFrom - kFadeTo) * kFadeFrom);
}

// The nearest bone for each place that nothing better is known of yet.
Binding nearest_binding(const Problem& problem) {
  Binding binding;
  binding.cause.assign(problem.place_count(), Cause::kNearest);
  for (const glm::dvec3& p : problem.positions) {
    const Share share{static_cast<std::uint16_t>(nearest_bone(p, problem.bones)), 1.0};
    binding.rows.push({&share, 1});
  }
  return binding;
}

// The bone that is nearest to a whole component: the least sum of distances.
struct ColdComponent {
  std::vector<double> distances;  // [B]
  std::size_t places = 0;
  std::uint32_t lowest = 0;
  std::uint16_t bone = 0;
};

class HeatRows {
 public:
  HeatRows(const Problem& problem, const HeatSources& sources, const HeatSystem& system, bool compatible)
      : problem_(problem), sources_(sources), system_(system), compatible_(compatible) {
    for (std::size_t b = 0; b < problem.bone_count(); ++b) {
      if (std::ranges::find(sources.bones, static_cast<std::uint16_t>(b)) != sources.bones.end()) {
        warm_.push_back(static_cast<std::uint16_t>(b));
      }
    }
  }

  // False where progress asks it to stop.
  bool solve(const Progress& progress) {
    const std::size_t block_count = (warm_.size() + HeatSystem::kBonesAtOnce - 1) / HeatSystem::kBonesAtOnce;
    blocks_.resize(block_count);
    least_.resize(block_count);
    std::atomic<std::size_t> done = 0;
    std::atomic<bool> stop = false;
    parallel_for(block_count, 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last && !stop; ++i) {
        solve_block(i);
        const float part = static_cast<float>(++done) / static_cast<float>(block_count);
        if (!report(progress, kPartOfFactors + (1.0f - kPartOfFactors) * part, "heat of each bone")) {
          stop = true;
        }
      }
    });
    return !stop;
  }

  Binding binding() {
    Binding out;
    const std::size_t count = problem_.place_count();
    out.cause.assign(count, Cause::kSolved);
    const std::vector<ColdComponent> cold = cold_components();
    std::vector<Share> row;
    std::size_t share_count = 0;
    for (const HeatBlock& block : blocks_) {
      share_count += block.shares.size();
    }
    out.rows.reserve(count, share_count + count);
    Remark unsolved{.kind = RemarkKind::kFallback, .instead = Cause::kNearest};
    for (std::size_t w = 0; w < count; ++w) {
      row.clear();
      const std::uint32_t component = system_.component_of()[w];
      if (cold[component].places > 1) {
        row.push_back({cold[component].bone, 1.0});
        out.cause[w] = Cause::kRigid;
      }
      for (const HeatBlock& block : blocks_) {
        row.insert(row.end(), block.shares.begin() + block.first[w], block.shares.begin() + block.first[w + 1]);
      }
      if (row.empty()) {
        row.push_back({static_cast<std::uint16_t>(nearest_bone(problem_.positions[w], problem_.bones)), 1.0});
        out.cause[w] = Cause::kNearest;
        unsolved.where = unsolved.places++ == 0 ? problem_.positions[w] : unsolved.where;
      }
      out.rows.push(row);
    }
    if (unsolved.places > 0) {
      out.remarks.push_back(unsolved);
    }
    remark_on_cold(cold, out);
    remark_on_negatives(out);
    return out;
  }

 private:
  void solve_block(std::size_t i) {
    const std::size_t begin = i * HeatSystem::kBonesAtOnce;
    const auto bones = std::span(warm_).subspan(begin, std::min(HeatSystem::kBonesAtOnce, warm_.size() - begin));
    std::vector<double> weights;
    system_.solve(bones, weights);
    HeatBlock& block = blocks_[i];
    block.first.reserve(problem_.place_count() + 1);
    block.first.push_back(0);
    least_[i].assign(problem_.place_count(), 0.0f);
    for (std::size_t w = 0; w < problem_.place_count(); ++w) {
      for (std::size_t k = 0; k < bones.size(); ++k) {
        const double solved = weights[w * bones.size() + k];
        least_[i][w] = std::min(least_[i][w], static_cast<float>(solved));
        const double weight = compatible_ ? faded(solved) : solved;
        if (weight > kLeastShare) {
          block.shares.push_back({bones[k], weight});
        }
      }
      block.first.push_back(static_cast<std::uint32_t>(block.shares.size()));
    }
  }

  // [components]; those that have heat stay empty.
  [[nodiscard]] std::vector<ColdComponent> cold_components() const {
    std::vector<ColdComponent> cold;
    for (std::uint32_t w = 0; w < problem_.place_count(); ++w) {
      const std::uint32_t component = system_.component_of()[w];
      cold.resize(std::max<std::size_t>(cold.size(), component + 1));
      if (system_.has_heat(component)) {
        continue;
      }
      ColdComponent& here = cold[component];
      if (here.places++ == 0) {
        here.lowest = w;
        here.distances.assign(problem_.bone_count(), 0.0);
      }
      for (std::size_t b = 0; b < problem_.bone_count(); ++b) {
        here.distances[b] += distance_to_bone(problem_.positions[w], problem_.bones[b]);
      }
    }
    for (ColdComponent& component : cold) {
      if (component.places > 0) {
        const auto least = std::ranges::min_element(component.distances);
        component.bone = static_cast<std::uint16_t>(least - component.distances.begin());
        component.distances = {};
      }
    }
    return cold;
  }

  void remark_on_cold(std::span<const ColdComponent> cold, Binding& out) const {
    for (const ColdComponent& component : cold) {
      if (component.places > 1) {
        out.remarks.push_back({.kind = RemarkKind::kIslandSeesNoBone,
                               .bone = component.bone,
                               .island = static_cast<int>(problem_.island[component.lowest]),
                               .places = component.places,
                               .where = problem_.positions[component.lowest],
                               .instead = Cause::kRigid});
      }
    }
    for (const std::uint32_t island : sources_.inside_out) {
      const auto lowest = std::ranges::find(problem_.island, island) - problem_.island.begin();
      out.remarks.push_back({.kind = RemarkKind::kInsideOut,
                             .island = static_cast<int>(island),
                             .places = problem_.island_size[island],
                             .where = problem_.positions[static_cast<std::size_t>(lowest)]});
    }
  }

  void remark_on_negatives(Binding& out) const {
    Remark remark{.kind = RemarkKind::kNegative};
    for (std::size_t w = 0; w < problem_.place_count(); ++w) {
      double least = 0;
      for (const std::vector<float>& of_block : least_) {
        least = std::min(least, static_cast<double>(of_block[w]));
      }
      if (least < kNegativeShare) {
        ++remark.places;
        if (least < remark.amount) {
          remark.amount = least;
          remark.where = problem_.positions[w];
        }
      }
    }
    if (remark.places > 0) {
      out.remarks.push_back(remark);
    }
  }

  const Problem& problem_;
  const HeatSources& sources_;
  const HeatSystem& system_;
  bool compatible_;
  std::vector<std::uint16_t> warm_;        // bones that heat anything
  std::vector<HeatBlock> blocks_;          // by kBonesAtOnce of them
  std::vector<std::vector<float>> least_;  // [blocks][W] the most negative solution
};

}  // namespace

std::span<const Field> heat_fields() {
  static constexpr Field kFields[] = {
      {"c", "Sharpness", "", "larger: weights change in a narrower band between two bones", Field::Kind::kReal, 0.05,
       20, 1},
      {"compatible", "Like other programs", "",
       "the distances, rules of sight and areas of the published programs, for weights like those made elsewhere",
       Field::Kind::kSwitch, 0, 1, 0},
  };
  return kFields;
}

std::optional<Binding> bind_heat(const Problem& problem, std::span<const double> values, const Watcher& watcher) {
  const Heat how{.c = values[kSharpness], .compatible = values[kCompatible] != 0};
  if (watcher.show) {
    watcher.show(nearest_binding(problem));
  }
  const std::optional<HeatSources> sources = heat_sources(problem, how, [&](float fraction, std::string_view what) {
    return report(watcher.progress, kPartOfSight * fraction, what);
  });
  if (!sources || !report(watcher.progress, kPartOfSight, "factors")) {
    return std::nullopt;
  }
  const HeatSystem system(problem, *sources, how);
  if (!report(watcher.progress, kPartOfFactors, "heat of each bone")) {
    return std::nullopt;
  }
  HeatRows rows(problem, *sources, system, how.compatible);
  if (!rows.solve(watcher.progress)) {
    return std::nullopt;
  }
  return rows.binding();
}

}  // namespace pelt::bind
