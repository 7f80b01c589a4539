// J. Weber, "Run-Time Skin Deformation", Game Developers Conference 2000; CSE 169, which smooths afterwards.

#include "bind/containment.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>

#include "core/expect.h"
#include "core/parallel.h"

namespace pelt::bind {
namespace {

enum ContainmentField : std::size_t { kShape, kSize, kSoft, kRange, kPasses };

constexpr std::size_t kPlacesPerContainment = 1024;
constexpr double kEqualScore = 1e-9;  // relative: scores of mirrored volumes differ by rounding
constexpr double kSmoothingStrength = 0.5;

// A ball beyond which a volume's score is above `range`, so that most volumes cost a place one comparison.
struct Reach {
  glm::dvec3 center;
  double squared;
};

Reach reach_of(const Volume& volume, double range) {
  constexpr double kSlack = 1.0 + 1e-9;
  double radius = 0;
  switch (volume.kind) {
    case VolumeKind::kCapsule:
      radius = volume.half.x + range * std::max(volume.head_radius, volume.tail_radius);
      break;
    case VolumeKind::kEvenCapsule:
      radius = volume.half.x + range * volume.head_radius;
      break;
    case VolumeKind::kCylinder:
      radius = range * std::hypot(volume.half.x, volume.head_radius);
      break;
    case VolumeKind::kEllipsoid:
      radius = range * std::max({volume.half.x, volume.half.y, volume.half.z});
      break;
    case VolumeKind::kSphere:
      radius = range * volume.half.x;
      break;
    case VolumeKind::kBox:
      radius = range * glm::length(volume.half);
      break;
    case VolumeKind::kMesh:
      radius = volume.half.x * volume.shape->reach(range);
      break;
  }
  radius *= kSlack;
  return {volume.center, radius * radius};
}

// Shares of one place.
class Scorer {
 public:
  Scorer(std::span<const Volume> volumes, std::size_t bone_count, const Containment& how)
      : volumes_(volumes), how_(how), best_(bone_count, kNone) {
    for (const Volume& volume : volumes) {
      reaches_.push_back(reach_of(volume, how.range));
    }
  }

  // Appends the shares; false where nothing was in range: there the best score takes the place.
  bool add_row(const glm::dvec3& p, std::vector<Share>& shares) {
    touched_.clear();
    double least = kNone;
    for (std::size_t i = 0; i < volumes_.size(); ++i) {
      const glm::dvec3 off = p - reaches_[i].center;
      if (glm::dot(off, off) <= reaches_[i].squared) {
        least = std::min(least, note(volumes_[i].bone, score(volumes_[i], p)));
      }
    }
    const bool in_range = least < how_.range;
    if (in_range && how_.soft) {
      take_soft(shares);
      return true;
    }
    if (!in_range) {  // volumes whose ball is left out may have the best score
      for (const Volume& volume : volumes_) {
        least = std::min(least, note(volume.bone, score(volume, p)));
      }
    }
    for (const std::size_t b : touched_) {
      if (best_[b] <= least * (1.0 + kEqualScore)) {
        shares.push_back({static_cast<std::uint16_t>(b), 1.0});
      }
      best_[b] = kNone;
    }
    return in_range;
  }

 private:
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  double note(std::size_t bone, double value) {
    if (best_[bone] == kNone) {
      touched_.push_back(bone);
    }
    return best_[bone] = std::min(best_[bone], value);
  }

  void take_soft(std::vector<Share>& shares) {
    for (const std::size_t b : touched_) {
      const double s = best_[b] / how_.range;
      const double rest = 1.0 - s * s;
      if (rest > 0) {
        shares.push_back({static_cast<std::uint16_t>(b), rest * rest});
      }
      best_[b] = kNone;
    }
  }

  std::span<const Volume> volumes_;
  Containment how_;
  std::vector<Reach> reaches_;        // of each volume
  std::vector<double> best_;          // [B] score of the place at hand, kNone between places
  std::vector<std::size_t> touched_;  // bones that have one
};

// The rows of places [begin, end).
struct ContainedRows {
  std::vector<std::uint32_t> count;
  std::vector<Share> shares;
};

// [W] places that volumes of either list reach which are not the same in both, and those that none reached.
std::vector<char> places_touched(const Problem& problem, const ContainedPlaces& before,
                                 std::span<const Volume> volumes_before, std::span<const Volume> volumes,
                                 double range) {
  std::vector<Reach> reaches;
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    if (!(volumes[i] == volumes_before[i])) {
      reaches.push_back(reach_of(volumes_before[i], range));
      reaches.push_back(reach_of(volumes[i], range));
    }
  }
  std::vector<char> touched(problem.place_count(), 0);
  for (std::size_t w = 0; w < touched.size() && !reaches.empty(); ++w) {
    touched[w] = static_cast<char>(before.in_range[w] == 0 || std::ranges::any_of(reaches, [&](const Reach& reach) {
                                     const glm::dvec3 off = problem.positions[w] - reach.center;
                                     return glm::dot(off, off) <= reach.squared;
                                   }));
  }
  return touched;
}

void remark_on_what_no_volume_reaches(const Problem& problem, Binding& binding) {
  Remark remark{.kind = RemarkKind::kFallback, .instead = Cause::kNearest};
  for (std::size_t w = 0; w < problem.place_count(); ++w) {
    if (binding.cause[w] == Cause::kNearest && remark.places++ == 0) {
      remark.where = problem.positions[w];
    }
  }
  if (remark.places > 0) {
    binding.remarks.push_back(remark);
  }
}

}  // namespace

ContainmentSolver::ContainmentSolver(const Problem& problem) : problem_(problem) {
  std::vector<std::uint64_t> pairs;
  pairs.reserve(6 * problem.triangles.size());
  for (const auto& triangle : problem.triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint64_t a = triangle[i];
      const std::uint64_t b = triangle[(i + 1) % 3];
      pairs.push_back(a << 32 | b);
      pairs.push_back(b << 32 | a);
    }
  }
  std::ranges::sort(pairs);
  pairs.erase(std::ranges::unique(pairs).begin(), pairs.end());
  first_neighbor_.assign(problem.place_count() + 1, 0);
  neighbors_.reserve(pairs.size());
  for (const std::uint64_t pair : pairs) {
    ++first_neighbor_[(pair >> 32) + 1];
    neighbors_.push_back(static_cast<std::uint32_t>(pair));
  }
  for (std::size_t w = 0; w < problem.place_count(); ++w) {
    first_neighbor_[w + 1] += first_neighbor_[w];
  }
}

std::optional<Binding> ContainmentSolver::bind(std::span<const Volume> volumes, const Containment& how,
                                               const Progress& progress) const {
  const std::optional<ContainedPlaces> contained = places(volumes, how, progress);
  return contained ? std::optional(binding(*contained, how)) : std::nullopt;
}

std::optional<ContainedPlaces> ContainmentSolver::places(std::span<const Volume> volumes, const Containment& how,
                                                         const Progress& progress) const {
  return scored(volumes, how, nullptr, {}, progress);
}

std::optional<ContainedPlaces> ContainmentSolver::places_after(const ContainedPlaces& before,
                                                               std::span<const Volume> volumes_before,
                                                               std::span<const Volume> volumes, const Containment& how,
                                                               const Progress& progress) const {
  PELT_EXPECT(volumes.size() == volumes_before.size(), "as many volumes as before");
  return scored(volumes, how, &before, places_touched(problem_, before, volumes_before, volumes, how.range), progress);
}

// @param before, is_anew  where the rows of places that are not looked at come from; null and empty: all are
std::optional<ContainedPlaces> ContainmentSolver::scored(std::span<const Volume> volumes, const Containment& how,
                                                         const ContainedPlaces* before, std::span<const char> is_anew,
                                                         const Progress& progress) const {
  const std::size_t count = problem_.place_count();
  const std::size_t chunks = (count + kPlacesPerContainment - 1) / kPlacesPerContainment;
  ContainedPlaces out;
  out.in_range = before != nullptr ? before->in_range : std::vector<char>(count, 0);
  std::vector<ContainedRows> rows(chunks);
  std::atomic<std::size_t> done = 0;
  std::atomic<bool> stop = !report(progress, 0.0f, "scores");
  parallel_for(chunks, 1, [&](std::size_t first, std::size_t last) {
    Scorer scorer(volumes, problem_.bone_count(), how);
    for (std::size_t c = first; c < last && !stop; ++c) {
      const std::size_t end = std::min(count, (c + 1) * kPlacesPerContainment);
      for (std::size_t w = c * kPlacesPerContainment; w < end; ++w) {
        if (before != nullptr && is_anew[w] == 0) {
          continue;
        }
        const std::size_t first_share = rows[c].shares.size();
        out.in_range[w] = static_cast<char>(scorer.add_row(problem_.positions[w], rows[c].shares));
        rows[c].count.push_back(static_cast<std::uint32_t>(rows[c].shares.size() - first_share));
      }
      const auto fraction = static_cast<float>(++done) / static_cast<float>(chunks);
      if (!report(progress, fraction, "scores")) {
        stop = true;
      }
    }
  });
  if (stop) {
    return std::nullopt;
  }
  std::size_t share_count = before != nullptr ? before->rows.share_count() : 0;
  for (const ContainedRows& part : rows) {
    share_count += part.shares.size();
  }
  out.rows.reserve(count, share_count);
  for (std::size_t c = 0; c < chunks; ++c) {
    std::size_t at = 0;
    std::size_t row = 0;
    const std::size_t end = std::min(count, (c + 1) * kPlacesPerContainment);
    for (std::size_t w = c * kPlacesPerContainment; w < end; ++w) {
      if (before != nullptr && is_anew[w] == 0) {
        std::size_t stays = w + 1;
        while (stays < end && is_anew[stays] == 0) {
          ++stays;
        }
        out.rows.append(before->rows, w, stays);
        w = stays - 1;
        continue;
      }
      const std::uint32_t of_place = rows[c].count[row++];
      out.rows.push(std::span(rows[c].shares).subspan(at, of_place));
      at += of_place;
    }
  }
  return out;
}

Binding ContainmentSolver::binding(const ContainedPlaces& places, const Containment& how) const {
  Binding out;
  out.cause.assign(problem_.place_count(), Cause::kSolved);
  for (std::size_t w = 0; w < out.cause.size() && how.soft; ++w) {
    out.cause[w] = places.in_range[w] != 0 ? Cause::kSolved : Cause::kNearest;
  }
  out.rows = !how.soft && how.passes > 0 ? smoothed(places.rows, how.passes) : places.rows;
  remark_on_what_no_volume_reaches(problem_, out);
  return out;
}

// §37 on rows that mostly are of one bone: only places with another row next to them are worked on, which are those
// along the borders, one ring more with each pass.
Rows ContainmentSolver::smoothed(const Rows& rows, int passes) const {
  const std::size_t count = problem_.place_count();
  Rows now = rows;
  std::vector<double> sum(problem_.bone_count(), 0.0);
  std::vector<std::uint16_t> bones;
  std::vector<Share> row;
  const auto same = [](std::span<const Share> a, std::span<const Share> b) { return std::ranges::equal(a, b); };
  for (int pass = 0; pass < passes; ++pass) {
    Rows next;
    next.reserve(count, count * 2);
    for (std::size_t w = 0; w < count; ++w) {
      const auto around =
          std::span(neighbors_).subspan(first_neighbor_[w], first_neighbor_[w + 1] - first_neighbor_[w]);
      if (std::ranges::all_of(around, [&](std::uint32_t u) { return same(now[w], now[u]); })) {
        next.push(now[w]);
        continue;
      }
      bones.clear();
      row.clear();
      const auto add = [&](std::span<const Share> shares, double factor) {
        for (const Share& share : shares) {
          if (sum[share.bone] == 0) {
            bones.push_back(share.bone);
          }
          sum[share.bone] += factor * share.weight;
        }
      };
      add(now[w], 1.0 - kSmoothingStrength);
      for (const std::uint32_t u : around) {
        add(now[u], kSmoothingStrength / static_cast<double>(around.size()));
      }
      for (const std::uint16_t b : bones) {
        row.push_back({b, sum[b]});
        sum[b] = 0;
      }
      next.push(row);
    }
    now = std::move(next);
  }
  return now;
}

std::span<const Field> containment_fields() {
  static constexpr Field kFields[] = {
      {"shape", "Volumes", "", "the form of the volumes, one round each bone", Field::Kind::kInteger, 0,
       kVolumeKindCount - 1, 0, std::span(kVolumeKindWords).first(kVolumeKindCount)},
      {"size", "Size", "", "volumes are so much thicker than the surface round their bone", Field::Kind::kReal, 0.25, 4,
       1},
      {"soft", "Soft", "",
       "weights fall towards the rim of each volume; otherwise the best volume takes a vertex alone",
       Field::Kind::kSwitch, 0, 1, 1},
      {"range", "Range", "", "soft: a volume has nothing of vertices that are so many times as far out as its surface",
       Field::Kind::kReal, 0.5, 8, 2},
      {"passes", "Smoothing", "", "hard: passes of smoothing afterwards", Field::Kind::kInteger, 0, 50, 4},
  };
  return kFields;
}

std::optional<Binding> bind_containment(const Problem& problem, std::span<const double> values,
                                        const Watcher& watcher) {
  if (!report(watcher.progress, 0.0f, "volumes")) {
    return std::nullopt;
  }
  const ContainmentNumbers numbers = containment_numbers(values);
  const std::vector<Volume> volumes =
      with_volumes_by_hand(fitted_volumes(problem, numbers.kind, numbers.size), problem.volumes);
  std::optional<Binding> binding = ContainmentSolver(problem).bind(volumes, numbers.how, watcher.progress);
  for (std::size_t i = 0; binding && i < problem.volumes.size(); ++i) {
    const Volume& volume = problem.volumes[i];
    if (std::string text = volume.shape->remark(); !text.empty()) {
      binding->remarks.push_back({.kind = RemarkKind::kVolumeOpen,
                                  .bone = static_cast<int>(volume.bone),
                                  .where = volume.center,
                                  .text = std::move(text)});
    }
  }
  return binding;
}

ContainmentNumbers containment_numbers(std::span<const double> values) {
  return {static_cast<VolumeKind>(static_cast<std::size_t>(values[kShape])),
          values[kSize],
          {.soft = values[kSoft] != 0, .range = values[kRange], .passes = static_cast<int>(values[kPasses])}};
}

std::vector<double> containment_values(const ContainmentNumbers& numbers) {
  return {static_cast<double>(numbers.kind), numbers.size, numbers.how.soft ? 1.0 : 0.0, numbers.how.range,
          static_cast<double>(numbers.how.passes)};
}

}  // namespace pelt::bind
