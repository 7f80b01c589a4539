// Rows of weights under locks, ALGORITHMS.md §39.
#include "mesh/weight_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/expect.h"
#include "core/parallel.h"

namespace pelt::mesh {
namespace {

constexpr std::size_t kRowGrain = 256;  // places of a chunk

// Sums of floats that are to be 1 are so but for this; a room as small is none.
constexpr double kSumRounding = 5e-7;

double total_of(std::span<const WeightEntry> entries) {
  return std::accumulate(entries.begin(), entries.end(), 0.0,
                         [](double sum, const WeightEntry& entry) { return sum + entry.weight; });
}

void sort_by_joint(std::vector<WeightEntry>& entries) {
  std::ranges::stable_sort(entries, {}, &WeightEntry::joint);
}

// Entries of one joint become one. @pre  sorted by joint
void merge_equal_joints(std::vector<WeightEntry>& entries) {
  std::size_t count = 0;
  for (const WeightEntry& entry : entries) {
    if (count > 0 && entries[count - 1].joint == entry.joint) {
      entries[count - 1].weight += entry.weight;
    } else {
      entries[count++] = entry;
    }
  }
  entries.resize(count);
}

bool has_weights_of(const InfluenceRow& row, const InfluenceRow& other) {
  return std::ranges::equal(row.joints, other.joints) && std::ranges::equal(row.weights, other.weights);
}

// A row that an edit made, until all are put in their order.
struct NewRow {
  std::uint32_t vertex = 0;  // among all V
  std::vector<std::uint16_t> joints;
  std::vector<float> weights;
  double lost = 0;  // by a cut
};

// Reads `before`, edits it and adds it for a vertex where it became another.
class RowMaker {
 public:
  RowMaker(std::span<const std::uint16_t> locked, const RowEdit& edit) : row_(locked), edit_(edit) {}

  // The edited row, a view until the next call.
  InfluenceRow edit(std::size_t t, const InfluenceRow& before, std::size_t most) {
    row_.read(before);
    row_.set_most(most);
    edit_(t, row_);
    if (!row_.is_changed()) {
      return before;
    }
    row_.cut_to_most();
    return row_.stored();
  }
  [[nodiscard]] double lost() const { return row_.lost(); }

 private:
  WeightRow row_;
  const RowEdit& edit_;
};

bool has_locked_of(const InfluenceRow& a, const InfluenceRow& b, std::span<const std::uint16_t> locked) {
  const auto weight_in = [](const InfluenceRow& row, std::uint16_t joint) {
    const auto at = std::ranges::find(row.joints, joint);
    return at == row.joints.end() ? 0.0f : row.weights[at - row.joints.begin()];
  };
  return std::ranges::all_of(locked, [&](std::uint16_t joint) { return weight_in(a, joint) == weight_in(b, joint); });
}

void add_if_new(std::uint32_t v, const InfluenceRow& before, const InfluenceRow& after, double lost,
                std::vector<NewRow>& out) {
  if (!has_weights_of(before, after) || before.stored_sum != after.stored_sum) {
    out.push_back({v, {after.joints.begin(), after.joints.end()}, {after.weights.begin(), after.weights.end()}, lost});
  }
}

}  // namespace

void WeightRow::read(const InfluenceRow& row) {
  kept_.clear();
  free_.clear();
  changed_ = false;
  most_ = std::numeric_limits<std::size_t>::max();
  lost_ = 0;
  for (std::size_t k = 0; k < row.joints.size(); ++k) {
    if (is_locked(row.joints[k])) {
      kept_.push_back({row.joints[k], row.weights[k]});
    } else {
      free_.push_back({row.joints[k], static_cast<double>(row.weights[k])});
    }
  }
}

bool WeightRow::is_locked(std::uint16_t i) const {
  return std::ranges::binary_search(locked_, i);
}

double WeightRow::weight(std::uint16_t i) const {
  for (const Kept& kept : kept_) {
    if (kept.joint == i) {
      return static_cast<double>(kept.weight);
    }
  }
  for (const WeightEntry& entry : free_) {
    if (entry.joint == i) {
      return entry.weight;
    }
  }
  return 0;
}

double WeightRow::room() const {
  double locked = 0;
  for (const Kept& kept : kept_) {
    locked += static_cast<double>(kept.weight);
  }
  return locked < 1 - kSumRounding ? 1 - locked : 0;
}

WeightEntry& WeightRow::entry(std::uint16_t i) {
  const auto at = std::ranges::find(free_, i, &WeightEntry::joint);
  return at != free_.end() ? *at : free_.emplace_back(WeightEntry{i, 0});
}

void WeightRow::fill() {
  const double sum = total_of(free_);
  const double to = room();
  constexpr double kExact = 6e-8;  // rounding to floats alone: such rows keep their bits
  if (sum > 0 && std::abs(sum - to) > kExact) {
    for (WeightEntry& one : free_) {
      one.weight *= to / sum;
    }
  }
}

void WeightRow::set(std::uint16_t i, double value) {
  const double to = room();
  if (is_locked(i) || !std::isfinite(value) || to == 0) {
    return;
  }
  const double before = weight(i);
  double others = 0;
  for (const WeightEntry& one : free_) {
    others += one.joint == i ? 0 : one.weight;
  }
  const double after = others > 0 ? std::clamp(value, 0.0, to) : to;
  if (static_cast<float>(after) == static_cast<float>(before) || (before == 0 && value <= 0)) {
    return;
  }
  for (WeightEntry& one : free_) {
    one.weight *= one.joint == i ? 1 : (to - after) / others;
  }
  entry(i).weight = after;
  changed_ = true;
}

void WeightRow::move(std::uint16_t from, std::uint16_t to, double share) {
  const double moved = weight(from) * std::clamp(share, 0.0, 1.0);
  if (is_locked(from) || is_locked(to) || from == to || !(moved > 0)) {
    return;
  }
  entry(from).weight -= moved;
  entry(to).weight += moved;
  fill();
  changed_ = true;
}

void WeightRow::swap(std::uint16_t a, std::uint16_t b) {
  if (is_locked(a) || is_locked(b) || weight(a) == weight(b)) {
    return;
  }
  for (WeightEntry& one : free_) {
    one.joint = one.joint == a ? b : one.joint == b ? a : one.joint;
  }
  changed_ = true;
}

void WeightRow::towards(std::span<const WeightEntry> target, double t) {
  const double to = room();
  double sum = 0;
  for (const WeightEntry& one : target) {
    sum += is_locked(one.joint) ? 0 : one.weight;
  }
  if (!(t > 0) || !(sum > 0) || !std::isfinite(sum) || to == 0) {
    return;
  }
  // A whole row that takes the place of another keeps its bits where it sums to the room but for rounding.
  const double factor = std::abs(sum - to) <= kSumRounding ? 1 : to / sum;
  const double share = free_.empty() ? 1 : std::min(t, 1.0);  // who has nothing takes all
  for (WeightEntry& one : free_) {
    one.weight *= 1 - share;
  }
  for (const WeightEntry& one : target) {
    if (!is_locked(one.joint)) {
      entry(one.joint).weight += share * one.weight * factor;
    }
  }
  if (share < 1) {
    fill();
  }
  changed_ = true;
}

void WeightRow::away_from(std::span<const WeightEntry> mean, double t) {
  if (!(t > 0) || !std::isfinite(t) || room() == 0) {
    return;
  }
  const std::vector<WeightEntry> before = free_;
  for (WeightEntry& one : free_) {
    const auto at = std::ranges::find(mean, one.joint, &WeightEntry::joint);
    one.weight = std::max(0.0, one.weight + t * (one.weight - (at == mean.end() ? 0 : at->weight)));
  }
  if (!(total_of(free_) > 0)) {
    free_ = before;
    return;
  }
  fill();
  changed_ = true;
}

void WeightRow::sort_heaviest(int keep) {
  std::ranges::sort(free_, [&](const WeightEntry& a, const WeightEntry& b) {
    const bool keeps_a = a.joint == keep && a.weight > 0;
    const bool keeps_b = b.joint == keep && b.weight > 0;
    if (keeps_a != keeps_b) {
      return keeps_a;
    }
    return a.weight != b.weight ? a.weight > b.weight : a.joint < b.joint;
  });
}

void WeightRow::keep_first(std::size_t count) {
  const double dropped = total_of(std::span(free_).subspan(count));
  const bool is_real = std::ranges::any_of(free_.begin() + static_cast<std::ptrdiff_t>(count), free_.end(),
                                           [](const WeightEntry& one) { return one.weight > 0; });
  free_.resize(count);
  if (!is_real) {
    return;
  }
  const double left = total_of(free_);
  for (WeightEntry& one : free_) {
    one.weight *= (left + dropped) / left;
  }
  changed_ = true;
}

void WeightRow::prune(double threshold, int keep) {
  sort_heaviest(keep);
  std::size_t count = free_.size();
  while (count > 1 && free_[count - 1].weight < threshold) {
    --count;
  }
  keep_first(count);
}

void WeightRow::limit(std::size_t count, int keep) {
  sort_heaviest(keep);
  const std::size_t room = count - std::min(count, kept_.size());
  keep_first(std::min(free_.size(), std::max<std::size_t>(room, 1)));
}

void WeightRow::cut_to_most(int keep) {
  if (kept_.size() + free_.size() <= most_) {
    return;
  }
  const std::size_t count = std::max<std::size_t>(most_ - std::min(most_, kept_.size()), 1);
  sort_heaviest(count > 1 ? keep : kNone);  // the only one would get all that the heaviest has
  lost_ += total_of(std::span(free_).subspan(std::min(count, free_.size())));
  keep_first(std::min(count, free_.size()));
}

void WeightRow::normalise() {
  fill();
  changed_ = !free_.empty() || !kept_.empty();
}

void WeightRow::quantise(int steps) {
  PELT_EXPECT(steps > 0, "at least one step");
  sort_heaviest(kNone);
  const double room_in_steps = room() * steps;
  const double sum = total_of(free_);
  if (free_.empty() || room_in_steps == 0 || !(sum > 0)) {
    return;
  }
  // A room of whole steps but for rounding is one of whole steps.
  const double whole = std::abs(room_in_steps - std::round(room_in_steps)) < 1e-3 ? std::round(room_in_steps)
                                                                                  : std::floor(room_in_steps);
  struct Part {
    std::size_t k;
    double units;
    double rest;
  };
  std::vector<Part> parts;
  double given = 0;
  for (std::size_t k = 0; k < free_.size(); ++k) {
    const double exact = free_[k].weight * (whole / sum);
    // What stands on a step already, but for rounding to floats, stays there.
    const double units = std::floor(exact + 1e-6 * steps);
    parts.push_back({k, units, exact - units});
    given += units;
  }
  std::ranges::stable_sort(parts, std::greater<>(), &Part::rest);
  for (Part& part : parts) {
    if (given >= whole) {
      break;
    }
    part.units += 1;
    given += 1;
  }
  std::vector<WeightEntry> after = free_;
  for (const Part& part : parts) {
    after[part.k].weight = part.units / steps;
  }
  after[0].weight += (room_in_steps - whole) / steps;
  const bool same = std::ranges::equal(after, free_, [](const WeightEntry& a, const WeightEntry& b) {
    return static_cast<float>(a.weight) == static_cast<float>(b.weight);
  });
  if (!same) {
    free_ = std::move(after);
    changed_ = true;
  }
}

InfluenceRow WeightRow::stored() {
  order_ = kept_;
  for (const WeightEntry& one : free_) {
    const auto weight = static_cast<float>(one.weight);
    if (weight > 0) {
      order_.push_back({one.joint, weight});
    }
  }
  std::ranges::sort(order_, [](const Kept& a, const Kept& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.joint < b.joint;
  });
  joints_.clear();
  weights_.clear();
  for (const Kept& one : order_) {
    joints_.push_back(one.joint);
    weights_.push_back(one.weight);
  }
  return {joints_, weights_, joints_.empty() ? 0.0f : 1.0f};
}

float weight_on(const InfluenceRow& row, std::size_t slot) {
  const auto at = std::ranges::find(row.joints, slot);
  return at == row.joints.end() ? 0.0f : row.weights[static_cast<std::size_t>(at - row.joints.begin())];
}

InfluenceRow row_at(const WeldedSurface& surface, std::span<const Influences* const> influences, std::uint32_t place) {
  for (const std::uint32_t v : surface.copies(place)) {
    const std::size_t p = surface.primitive_of(v);
    if (!influences[p]->empty()) {
      return influences[p]->row(v - surface.first[p]);
    }
  }
  return {};
}

std::size_t most_at(const WeldedSurface& surface, std::span<const Influences* const> influences, std::uint32_t place) {
  std::size_t most = std::numeric_limits<std::size_t>::max();
  for (const std::uint32_t v : surface.copies(place)) {
    const std::size_t p = surface.primitive_of(v);
    if (!influences[p]->empty()) {
      most = std::min(most, influences[p]->most(v - surface.first[p]));
    }
  }
  return most;
}

void push_cut(InfluencesPatch& patch, std::uint32_t vertex, double lost) {
  if (lost > kLeastCut) {
    patch.cuts.push_back({vertex, static_cast<float>(lost)});
  }
}

void mean_of_neighbors(const WeldedSurface& surface, std::span<const Influences* const> influences, std::uint32_t place,
                       std::vector<WeightEntry>& out) {
  out = mean_row(surface, influences, surface.adjacency.neighbors(place));
}

std::vector<WeightEntry> mean_row(const WeldedSurface& surface, std::span<const Influences* const> influences,
                                  std::span<const std::uint32_t> places) {
  std::vector<WeightEntry> out;
  std::size_t count = 0;
  for (const std::uint32_t w : places) {
    const InfluenceRow row = row_at(surface, influences, w);
    count += row.joints.empty() ? 0 : 1;
    for (std::size_t k = 0; k < row.joints.size(); ++k) {
      out.push_back({row.joints[k], static_cast<double>(row.weights[k])});
    }
    if (out.size() > 4096) {  // means of many rows are not to hold them all
      sort_by_joint(out);
      merge_equal_joints(out);
    }
  }
  sort_by_joint(out);
  merge_equal_joints(out);
  for (WeightEntry& one : out) {
    one.weight /= static_cast<double>(count);
  }
  return out;
}

std::vector<InfluencesPatch> edited_weights(const WeldedSurface& surface, std::span<const Influences* const> influences,
                                            std::span<const std::uint32_t> places,
                                            std::span<const std::uint16_t> locked, Copies copies, const RowEdit& edit) {
  PELT_EXPECT(influences.size() == surface.sources.size(), "influences for each primitive");
  std::vector<std::uint16_t> sorted(locked.begin(), locked.end());
  std::ranges::sort(sorted);
  std::vector<std::vector<NewRow>> chunks((places.size() + kRowGrain - 1) / kRowGrain);
  parallel_for(chunks.size(), 1, [&](std::size_t first_chunk, std::size_t end_chunk) {
    RowMaker at_place(sorted, edit);
    RowMaker of_copy(sorted, edit);
    for (std::size_t c = first_chunk; c < end_chunk; ++c) {
      for (std::size_t t = c * kRowGrain; t < std::min(places.size(), (c + 1) * kRowGrain); ++t) {
        const InfluenceRow before = row_at(surface, influences, places[t]);
        const InfluenceRow after = at_place.edit(t, before, most_at(surface, influences, places[t]));
        // Copies that differ go on from what they have where the first one is there already.
        const bool stays = has_weights_of(before, after) && before.stored_sum == after.stored_sum;
        for (const std::uint32_t v : surface.copies(places[t])) {
          const std::size_t p = surface.primitive_of(v);
          if (influences[p]->empty()) {
            continue;
          }
          const InfluenceRow own = influences[p]->row(v - surface.first[p]);
          const bool by_itself = copies == Copies::kEach
                                     ? !has_weights_of(own, before) || own.stored_sum != before.stored_sum
                                     : !has_locked_of(own, before, sorted);
          if (by_itself || (stays && !has_weights_of(own, before))) {
            const InfluenceRow edited = of_copy.edit(t, own, influences[p]->most(v - surface.first[p]));
            add_if_new(v, own, edited, of_copy.lost(), chunks[c]);
          } else if (!stays) {
            add_if_new(v, own, after, at_place.lost(), chunks[c]);
          }
        }
      }
    }
  });
  std::vector<const NewRow*> rows;
  for (const std::vector<NewRow>& chunk : chunks) {
    for (const NewRow& row : chunk) {
      rows.push_back(&row);
    }
  }
  std::ranges::sort(rows, {}, &NewRow::vertex);
  std::vector<InfluencesPatch> out(surface.sources.size());
  for (const NewRow* row : rows) {
    const std::size_t p = surface.primitive_of(row->vertex);
    push_row(out[p], row->vertex - surface.first[p], {row->joints, row->weights, row->joints.empty() ? 0.0f : 1.0f});
    push_cut(out[p], row->vertex - surface.first[p], row->lost);
  }
  return out;
}

}  // namespace pelt::mesh
