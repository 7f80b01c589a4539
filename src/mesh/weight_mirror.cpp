#include "mesh/weight_mirror.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "core/expect.h"
#include "core/parallel.h"

namespace pelt::mesh {
namespace {

constexpr std::size_t kSearchGrain = 512;

// Places sorted into cubes of a grid, one cube a tolerance wide, to be looked up with those round it.
class PlaceGrid {
 public:
  PlaceGrid(const WeldedSurface& surface, double cell) : surface_(surface), cell_(cell) {
    cells_.reserve(surface.place_count());
    for (std::uint32_t w = 0; w < surface.place_count(); ++w) {
      cells_.push_back({key(cell_of(glm::dvec3(surface.position(w)))), w});
    }
    std::ranges::sort(cells_,
                      [](const Cell& a, const Cell& b) { return a.key != b.key ? a.key < b.key : a.place < b.place; });
  }

  // The nearest place within the cell's width, the lowest among equals; kNoPlace where there is none.
  [[nodiscard]] std::uint32_t nearest(const glm::dvec3& p) const {
    if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z)) {
      return kNoPlace;
    }
    const glm::dvec3 middle = cell_of(p);
    std::uint32_t best = kNoPlace;
    double least = cell_;
    for (int n = 0; n < 27; ++n) {
      const std::uint64_t wanted = key(middle + glm::dvec3(n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1));
      for (auto at = std::ranges::lower_bound(cells_, wanted, {}, &Cell::key); at != cells_.end() && at->key == wanted;
           ++at) {
        const double distance = glm::length(glm::dvec3(surface_.position(at->place)) - p);
        if (distance < least || (distance == least && at->place < best)) {
          least = distance;
          best = at->place;
        }
      }
    }
    return best;
  }

 private:
  struct Cell {
    std::uint64_t key;
    std::uint32_t place;
  };
  [[nodiscard]] glm::dvec3 cell_of(const glm::dvec3& p) const { return glm::floor(p / cell_); }
  // Far cells may have one key: their places are then looked at in vain.
  static std::uint64_t key(const glm::dvec3& cell) {
    std::uint64_t out = 0;
    for (int c = 0; c < 3; ++c) {
      const auto number = static_cast<std::int64_t>(std::clamp(cell[c], -1e18, 1e18));
      out = out * 0x9E3779B97F4A7C15U + static_cast<std::uint64_t>(number);
    }
    return out;
  }

  const WeldedSurface& surface_;
  double cell_;
  std::vector<Cell> cells_;
};

std::vector<WeightEntry> mirror_image(const InfluenceRow& row, std::span<const std::uint16_t> partner_joint) {
  std::vector<WeightEntry> out;
  for (std::size_t k = 0; k < row.joints.size(); ++k) {
    PELT_EXPECT(row.joints[k] < partner_joint.size(), "a partner for each joint");
    out.push_back({partner_joint[row.joints[k]], static_cast<double>(row.weights[k])});
  }
  return out;
}

// The mean of a row and its mirror image: each pair of joints shares alike.
std::vector<WeightEntry> symmetric(const InfluenceRow& row, std::span<const std::uint16_t> partner_joint) {
  std::vector<WeightEntry> out = mirror_image(row, partner_joint);
  for (std::size_t k = 0; k < row.joints.size(); ++k) {
    const auto at = std::ranges::find(out, row.joints[k], &WeightEntry::joint);
    if (at != out.end()) {
      at->weight += static_cast<double>(row.weights[k]);
    } else {
      out.push_back({row.joints[k], static_cast<double>(row.weights[k])});
    }
  }
  for (WeightEntry& one : out) {
    one.weight = static_cast<double>(static_cast<float>(one.weight / 2));
  }
  return out;
}

// As many of the heaviest as there may be, a joint and its partner together or not at all: else one side would lose
// what the other keeps, and another mirroring would change the row again. @returns what those that go have
double keep_pairs(std::vector<WeightEntry>& row, std::span<const std::uint16_t> partner_joint, std::size_t most) {
  if (row.size() <= most) {
    return 0;
  }
  const auto pair_of = [&](const WeightEntry& one) { return std::min(one.joint, partner_joint[one.joint]); };
  std::ranges::sort(row, [&](const WeightEntry& a, const WeightEntry& b) {
    return std::tuple(-a.weight, pair_of(a), a.joint) < std::tuple(-b.weight, pair_of(b), b.joint);
  });
  std::vector<WeightEntry> kept;
  double lost = 0;
  for (std::size_t k = 0; k < row.size();) {
    const std::size_t size = k + 1 < row.size() && pair_of(row[k]) == pair_of(row[k + 1]) ? 2 : 1;
    if (kept.size() + size <= most) {
      kept.insert(kept.end(), row.begin() + static_cast<std::ptrdiff_t>(k),
                  row.begin() + static_cast<std::ptrdiff_t>(k + size));
    } else {
      lost += row[k].weight * static_cast<double>(size);
    }
    k += size;
  }
  if (kept.empty()) {
    return 0;
  }
  row = std::move(kept);
  return lost;
}

}  // namespace

std::vector<std::uint32_t> mirrored_places(const WeldedSurface& surface, const MirrorPlane& plane, double tolerance) {
  const std::size_t count = surface.place_count();
  std::vector<std::uint32_t> image(count, kNoPlace);
  if (!(tolerance > 0)) {
    return image;
  }
  const PlaceGrid grid(surface, tolerance);
  parallel_for(count, kSearchGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t w = begin; w < end; ++w) {
      image[w] = grid.nearest(plane.mirrored(glm::dvec3(surface.position(w))));
    }
  });
  std::vector<std::uint32_t> out(count, kNoPlace);
  for (std::uint32_t w = 0; w < count; ++w) {
    if (image[w] != kNoPlace && image[image[w]] == w) {
      out[w] = image[w];
    }
  }
  return out;
}

std::vector<InfluencesPatch> mirrored_weights(const WeldedSurface& surface,
                                              std::span<const Influences* const> influences,
                                              std::span<const std::uint32_t> places, const WeightMirroring& how) {
  PELT_EXPECT(how.partner.size() == surface.place_count(), "a partner for each place, or none");
  std::vector<std::uint32_t> changing;
  for (const std::uint32_t w : places) {
    const double height = how.plane.height(glm::dvec3(surface.position(w)));
    const bool is_target = how.partner[w] == w || how.way == MirrorWay::kExchange ||
                           (how.way == MirrorWay::kLeftToRight ? height < 0 : height > 0);
    if (how.partner[w] != kNoPlace && is_target) {
      changing.push_back(w);
    }
  }
  return edited_weights(surface, influences, changing, how.locked, Copies::kTogether,
                        [&](std::size_t t, WeightRow& row) {
                          const std::uint32_t w = changing[t];
                          const InfluenceRow source = row_at(surface, influences, how.partner[w]);
                          const bool shares = how.partner[w] == w && how.way != MirrorWay::kExchange;
                          std::vector<WeightEntry> wanted =
                              shares ? symmetric(source, how.partner_joint) : mirror_image(source, how.partner_joint);
                          if (shares) {
                            row.lose(keep_pairs(wanted, how.partner_joint, row.most()));
                          }
                          row.towards(wanted, 1);
                        });
}

}  // namespace pelt::mesh
