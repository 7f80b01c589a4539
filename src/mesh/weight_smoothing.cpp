// Laplacian smoothing of weights on the welded surface (ALGORITHMS.md §37; uniform shares: Taubin, "A signal processing
// approach to fair surface design", 1995; cotangents: Pinkall and Polthier, "Computing discrete minimal surfaces",
// 1993).
#include "mesh/weight_smoothing.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include <glm/glm.hpp>

#include "core/expect.h"
#include "core/parallel.h"

namespace pelt::mesh {
namespace {

constexpr std::size_t kGrain = 256;  // places of a chunk

// Rows are floats, so that their sums are 1 but for rounding, which edits may add to; what is farther off is made 1.
constexpr double kRoundedSum = 5e-7;

using Row = std::vector<WeightEntry>;

bool contains(std::span<const std::uint16_t> sorted, std::uint16_t joint) {
  return std::ranges::binary_search(sorted, joint);
}

// Which joints exchange weights.
class Mixed {
 public:
  explicit Mixed(const WeightSmoothing& how) : locked_(how.locked), across_(how.across) {
    std::ranges::sort(locked_);
    std::ranges::sort(across_);
  }
  [[nodiscard]] bool operator()(std::uint16_t joint) const {
    return !contains(locked_, joint) && (across_.empty() || contains(across_, joint));
  }

 private:
  std::vector<std::uint16_t> locked_;
  std::vector<std::uint16_t> across_;
};

// The weights of a row that are mixed, by joint.
Row mixed_part(const InfluenceRow& row, const Mixed& mixed) {
  Row out;
  for (std::size_t k = 0; k < row.joints.size(); ++k) {
    if (mixed(row.joints[k])) {
      out.push_back({row.joints[k], static_cast<double>(row.weights[k])});
    }
  }
  std::ranges::sort(out, {}, &WeightEntry::joint);
  return out;
}

double sum_of(const Row& row) {
  return std::accumulate(row.begin(), row.end(), 0.0,
                         [](double sum, const WeightEntry& entry) { return sum + entry.weight; });
}

// What the mixed joints of a row are to have together: what they have, but where the row is far from 1 its rest.
double mixed_total(const InfluenceRow& row, const Mixed& mixed) {
  double all = 0;
  double part = 0;
  for (std::size_t k = 0; k < row.joints.size(); ++k) {
    const auto weight = static_cast<double>(row.weights[k]);
    all += weight;
    part += mixed(row.joints[k]) ? weight : 0;
  }
  return std::abs(all - 1) <= kRoundedSum ? part : std::max(0.0, 1 - (all - part));
}

// The cotangent of the angle at `apex` between the directions to a and b, not below 0; 0 in a triangle without area.
double clamped_cotangent(const glm::dvec3& apex, const glm::dvec3& a, const glm::dvec3& b) {
  const double sine = glm::length(glm::cross(a - apex, b - apex));
  const double cotangent = glm::dot(a - apex, b - apex) / sine;
  return std::isfinite(cotangent) && cotangent > 0 ? cotangent : 0;
}

// What each neighbour of w counts before they are made to sum to 1.
std::vector<double> raw_shares(const WeldedSurface& surface, std::uint32_t w, NeighborShares shares) {
  const std::span<const std::uint32_t> neighbors = surface.adjacency.neighbors(w);
  if (shares == NeighborShares::kUniform) {
    return std::vector<double>(neighbors.size(), 1.0);
  }
  std::vector<double> out(neighbors.size(), 0.0);
  const auto add = [&](std::uint32_t u, double share) {
    out[std::ranges::lower_bound(neighbors, u) - neighbors.begin()] += share;
  };
  const glm::dvec3 here(surface.position(w));
  for (const auto& [b, c] : surface.adjacency.corners_at(w)) {
    const glm::dvec3 at_b(surface.position(b));
    const glm::dvec3 at_c(surface.position(c));
    add(b, clamped_cotangent(at_c, here, at_b));
    add(c, clamped_cotangent(at_b, here, at_c));
  }
  return out;
}

// The places whose rows are read, and from where each smoothed one takes.
struct Stencils {
  std::vector<std::uint32_t> place;  ///< [n] ascending: those that are smoothed and their neighbours
  std::vector<std::size_t> target;   ///< [m] the smoothed ones among these
  std::vector<std::size_t> offset;   ///< [m + 1]
  std::vector<std::size_t> source;   ///< among the n
  std::vector<double> share;         ///< of each target they sum to 1
};

std::vector<std::uint32_t> with_neighbors(const WeldedSurface& surface, std::span<const std::uint32_t> places) {
  std::vector<std::uint32_t> all(places.begin(), places.end());
  if (places.size() == surface.place_count()) {
    return all;
  }
  for (const std::uint32_t w : places) {
    const auto neighbors = surface.adjacency.neighbors(w);
    all.insert(all.end(), neighbors.begin(), neighbors.end());
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

Stencils make_stencils(const WeldedSurface& surface, std::span<const Influences* const> influences,
                       std::span<const std::uint32_t> places, NeighborShares shares) {
  Stencils out;
  out.place = with_neighbors(surface, places);
  const bool whole = out.place.size() == surface.place_count();
  const auto index = [&](std::uint32_t w) {
    return whole ? std::size_t{w}
                 : static_cast<std::size_t>(std::ranges::lower_bound(out.place, w) - out.place.begin());
  };
  out.offset.push_back(0);
  for (const std::uint32_t w : places) {
    out.target.push_back(index(w));
    std::vector<double> raw = raw_shares(surface, w, shares);
    const std::span<const std::uint32_t> neighbors = surface.adjacency.neighbors(w);
    // Where no triangle says anything, each neighbour counts the same.
    if (std::ranges::all_of(raw, [](double share) { return share == 0; })) {
      raw.assign(raw.size(), 1.0);
    }
    double sum = 0;
    for (std::size_t k = 0; k < raw.size(); ++k) {
      raw[k] = row_at(surface, influences, neighbors[k]).joints.empty() ? 0 : raw[k];
      sum += raw[k];
    }
    for (std::size_t k = 0; k < raw.size(); ++k) {
      if (raw[k] > 0) {
        out.source.push_back(index(neighbors[k]));
        out.share.push_back(raw[k] / sum);
      }
    }
    out.offset.push_back(out.source.size());
  }
  return out;
}

// One pass for one target: the mean with its neighbours, brought to what it is to have together.
void mix(const std::vector<Row>& rows, const Stencils& stencils, std::size_t t, double lambda, double total,
         Row& gathered, Row& out) {
  const Row& own = rows[stencils.target[t]];
  const std::size_t begin = stencils.offset[t];
  const std::size_t end = stencils.offset[t + 1];
  out = own;
  if (begin == end || lambda == 0 || !(total > 0)) {
    return;
  }
  gathered.clear();
  for (const WeightEntry& entry : own) {
    gathered.push_back({entry.joint, (1 - lambda) * entry.weight});
  }
  for (std::size_t k = begin; k < end; ++k) {
    for (const WeightEntry& entry : rows[stencils.source[k]]) {
      gathered.push_back({entry.joint, lambda * stencils.share[k] * entry.weight});
    }
  }
  std::ranges::stable_sort(gathered, {}, &WeightEntry::joint);
  const double sum = sum_of(gathered);
  if (!(sum > 0)) {
    return;
  }
  out.clear();
  for (const WeightEntry& entry : gathered) {
    if (out.empty() || out.back().joint != entry.joint) {
      out.push_back({entry.joint, 0});
    }
    out.back().weight += entry.weight;
  }
  for (WeightEntry& entry : out) {
    entry.weight *= total / sum;
  }
}

double lambda_of(const WeightSmoothing& how, std::span<const float> strengths, std::size_t t) {
  const double lambda =
      static_cast<double>(how.strength) * (strengths.empty() ? 1.0 : static_cast<double>(strengths[t]));
  return lambda > 0 ? std::min(lambda, 1.0) : 0;  // what is not a number takes nothing
}

// The mixed joints' weights of each target after all passes, by joint.
std::vector<Row> mixed_rows(const WeldedSurface& surface, std::span<const Influences* const> influences,
                            std::span<const std::uint32_t> places, std::span<const float> strengths,
                            const WeightSmoothing& how, const Mixed& mixed) {
  const Stencils stencils = make_stencils(surface, influences, places, how.shares);
  std::vector<Row> rows(stencils.place.size());
  parallel_for(rows.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      rows[i] = mixed_part(row_at(surface, influences, stencils.place[i]), mixed);
    }
  });
  std::vector<Row> next(places.size());
  for (int pass = 0; pass < how.iterations; ++pass) {
    parallel_for(places.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      Row gathered;
      for (std::size_t t = begin; t < end; ++t) {
        const double total = mixed_total(row_at(surface, influences, places[t]), mixed);
        mix(rows, stencils, t, lambda_of(how, strengths, t), total, gathered, next[t]);
      }
    });
    for (std::size_t t = 0; t < places.size(); ++t) {
      rows[stencils.target[t]].swap(next[t]);
    }
  }
  for (std::size_t t = 0; t < places.size(); ++t) {
    next[t] = std::move(rows[stencils.target[t]]);
  }
  return next;
}

// A row as it is stored: locked weights as they were, the others rounded, heaviest first.
struct StoredRow {
  std::vector<std::uint16_t> joints;
  std::vector<float> weights;
  double lost = 0;  // since there may be no more influences
};

// Takes the smallest mixed weights out and gives the rest what they had. @param room  how many there may be
// @returns what those beyond the room had
double prune(Row& row, std::size_t room, double threshold) {
  const double total = sum_of(row);
  std::ranges::stable_sort(row, std::greater<>(), &WeightEntry::weight);
  std::size_t kept = std::min(row.size(), std::max<std::size_t>(room, 1));
  double lost = 0;
  for (std::size_t k = kept; k < row.size(); ++k) {
    lost += row[k].weight;
  }
  while (kept > 1 && row[kept - 1].weight < threshold) {
    --kept;
  }
  row.resize(kept);
  const double left = sum_of(row);
  for (WeightEntry& entry : row) {
    entry.weight *= left > 0 ? total / left : 1;
  }
  return lost;
}

StoredRow stored(const InfluenceRow& before, const Row& row, const Mixed& mixed) {
  struct MixedJoint {
    std::uint16_t joint;
    float weight;
  };
  std::vector<MixedJoint> slots;
  for (std::size_t k = 0; k < before.joints.size(); ++k) {
    if (!mixed(before.joints[k])) {
      slots.push_back({before.joints[k], before.weights[k]});
    }
  }
  for (const WeightEntry& entry : row) {
    const auto weight = static_cast<float>(entry.weight);
    if (weight > 0) {
      slots.push_back({entry.joint, weight});
    }
  }
  std::ranges::sort(slots, [](const MixedJoint& a, const MixedJoint& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.joint < b.joint;
  });
  StoredRow out;
  for (const MixedJoint& slot : slots) {
    out.joints.push_back(slot.joint);
    out.weights.push_back(slot.weight);
  }
  return out;
}

// What joints that exchange nothing have in a row, by joint.
Row kept_part(const InfluenceRow& row, const Mixed& mixed) {
  Row out;
  for (std::size_t k = 0; k < row.joints.size(); ++k) {
    if (!mixed(row.joints[k])) {
      out.push_back({row.joints[k], static_cast<double>(row.weights[k])});
    }
  }
  std::ranges::sort(out, {}, &WeightEntry::joint);
  return out;
}

bool is_same(const InfluenceRow& row, const StoredRow& other) {
  return std::ranges::equal(row.joints, other.joints) && std::ranges::equal(row.weights, other.weights);
}

// The smoothed row of a place as a copy has it whose locked weights are others: they stay, and the rest is divided as
// at the place.
Row for_copy(Row row, const InfluenceRow& copy, const Mixed& mixed) {
  const double sum = sum_of(row);
  const double total = mixed_total(copy, mixed);
  for (WeightEntry& entry : row) {
    entry.weight *= sum > 0 ? total / sum : 0;
  }
  return row;
}

// The row to be stored at a place; nothing where rounding leaves the very weights that it has.
// @param most  influences that it may have where no limit is asked for
std::optional<StoredRow> row_to_store(const InfluenceRow& before, Row row, std::size_t most, const WeightSmoothing& how,
                                      const Mixed& mixed) {
  if (before.joints.empty()) {
    return std::nullopt;
  }
  if (is_same(before, stored(before, row, mixed))) {
    return std::nullopt;  // and nothing of it is dropped
  }
  const std::size_t locked = std::ranges::count_if(before.joints, [&](std::uint16_t joint) { return !mixed(joint); });
  const std::size_t limit = how.limit == 0 ? most : static_cast<std::size_t>(how.limit);
  const double lost = prune(row, limit - std::min(limit, locked), static_cast<double>(how.threshold));
  StoredRow out = stored(before, row, mixed);
  out.lost = lost;
  return is_same(before, out) ? std::nullopt : std::optional(std::move(out));
}

}  // namespace

std::vector<std::vector<WeightEntry>> smoothed_rows(const WeldedSurface& surface,
                                                    std::span<const Influences* const> influences,
                                                    std::span<const std::uint32_t> places,
                                                    std::span<const float> strengths, const WeightSmoothing& how) {
  const Mixed mixed(how);
  std::vector<Row> rows = mixed_rows(surface, influences, places, strengths, how, mixed);
  for (std::size_t t = 0; t < places.size(); ++t) {
    const InfluenceRow before = row_at(surface, influences, places[t]);
    for (std::size_t k = 0; k < before.joints.size(); ++k) {
      if (!mixed(before.joints[k])) {
        rows[t].push_back({before.joints[k], static_cast<double>(before.weights[k])});
      }
    }
    std::ranges::sort(rows[t], {}, &WeightEntry::joint);
  }
  return rows;
}

std::vector<InfluencesPatch> smoothed_weights(const WeldedSurface& surface,
                                              std::span<const Influences* const> influences,
                                              std::span<const std::uint32_t> places, std::span<const float> strengths,
                                              const WeightSmoothing& how) {
  PELT_EXPECT(influences.size() == surface.sources.size(), "influences for each primitive");
  PELT_EXPECT(strengths.empty() || strengths.size() == places.size(), "a strength for each place, or none");
  PELT_EXPECT(how.limit >= 0, "influences of a vertex, or 0 for all");
  const Mixed mixed(how);
  std::vector<Row> rows = mixed_rows(surface, influences, places, strengths, how, mixed);
  std::vector<std::optional<StoredRow>> results(places.size());
  parallel_for(places.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      results[t] = row_to_store(row_at(surface, influences, places[t]), rows[t],
                                most_at(surface, influences, places[t]), how, mixed);
    }
  });
  // All copies of a place by their numbers, so that each primitive's rows come out ascending.
  std::vector<std::pair<std::uint32_t, std::size_t>> vertices;
  for (std::size_t t = 0; t < places.size(); ++t) {
    if (results[t]) {
      for (const std::uint32_t v : surface.copies(places[t])) {
        vertices.emplace_back(v, t);
      }
    }
  }
  std::ranges::sort(vertices);
  std::vector<InfluencesPatch> out(surface.sources.size());
  for (const auto& [v, t] : vertices) {
    const std::size_t p = surface.primitive_of(v);
    if (influences[p]->empty()) {
      continue;
    }
    const InfluenceRow copy = influences[p]->row(v - surface.first[p]);
    std::optional<StoredRow> row = results[t];
    if (kept_part(copy, mixed) != kept_part(row_at(surface, influences, places[t]), mixed)) {
      row = row_to_store(copy, for_copy(rows[t], copy, mixed), influences[p]->most(v - surface.first[p]), how, mixed);
    }
    if (row) {
      push_row(out[p], v - surface.first[p], {row->joints, row->weights, 1.0f});
      push_cut(out[p], v - surface.first[p], row->lost);
    }
  }
  return out;
}

}  // namespace pelt::mesh
