// Rogue vertices, ALGORITHMS.md §38 (Weber, "Run-time skin deformation", 2000).
#include "mesh/rogues.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <queue>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/expect.h"

namespace pelt::mesh {
namespace {

constexpr double kSoundShare = 0.25;  // of a row: so much tells where the rest belongs
constexpr double kForeign = 2;       // times as far from its bone as the places round it are from theirs
constexpr int kMostRounds = 8;       // of find and repair
constexpr std::uint32_t kNoShell = std::numeric_limits<std::uint32_t>::max();

struct Member {
  std::uint32_t place;
  double weight;
};

// By slot the places that follow it, ascending.
std::vector<std::vector<Member>> members_of(const WeldedSurface& surface, std::span<const Influences* const> influences,
                                            double epsilon) {
  std::vector<std::vector<Member>> out;
  for (std::uint32_t w = 0; w < surface.place_count(); ++w) {
    const InfluenceRow row = row_at(surface, influences, w);
    for (std::size_t k = 0; k < row.joints.size(); ++k) {
      const auto weight = static_cast<double>(row.weights[k]);
      if (weight > epsilon) {
        out.resize(std::max<std::size_t>(out.size(), row.joints[k] + std::size_t{1}));
        out[row.joints[k]].push_back({w, weight});
      }
    }
  }
  return out;
}

// [W] by the lowest place that hangs together with it.
std::vector<std::uint32_t> shells_of(const WeldedSurface& surface, std::vector<std::uint32_t>& size) {
  std::vector<std::uint32_t> shell(surface.place_count(), kNoShell);
  std::vector<std::uint32_t> waiting;
  for (std::uint32_t start = 0; start < shell.size(); ++start) {
    if (shell[start] != kNoShell) {
      continue;
    }
    const auto number = static_cast<std::uint32_t>(size.size());
    size.push_back(0);
    shell[start] = number;
    waiting.assign(1, start);
    while (!waiting.empty()) {
      const std::uint32_t w = waiting.back();
      waiting.pop_back();
      ++size[number];
      for (const std::uint32_t u : surface.adjacency.neighbors(w)) {
        if (shell[u] == kNoShell) {
          shell[u] = number;
          waiting.push_back(u);
        }
      }
    }
  }
  return shell;
}

// A patch and what decides whether it strays.
struct Patch {
  RoguePatch told;
  double farthest = 0;     // from the bone
  std::size_t border = 0;  // edges to places where the joint does not count
  std::size_t faded = 0;   // those of them where it still has some weight
  double beside = 0;       // how far the places outside are from the bone that they follow most, at most
};

class PatchFinder {
 public:
  PatchFinder(const WeldedSurface& surface, std::span<const Influences* const> influences, const BoneDistance& distance)
      : surface_(surface), influences_(influences), distance_(distance), weight_of_(surface.place_count(), 0.0) {}

  // The patches of a joint by their first place; none where it has no bone.
  std::vector<Patch> find(std::uint16_t joint, const std::vector<Member>& members) {
    for (const Member& member : members) {
      weight_of_[member.place] = member.weight;
    }
    std::vector<Patch> out;
    for (const Member& start : members) {
      if (weight_of_[start.place] > 0) {
        out.push_back(patch_at(start.place, joint));
      }
    }
    for (const Member& member : members) {
      weight_of_[member.place] = 0;
    }
    if (!out.empty() && !std::isfinite(std::ranges::min(out, {}, nearest_of).told.nearest)) {
      out.clear();
    }
    return out;
  }

  static double nearest_of(const Patch& patch) { return patch.told.nearest; }

 private:
  // Places that were taken have minus their weight.
  Patch patch_at(std::uint32_t start, std::uint16_t joint) {
    Patch out = {.told = {.joint = joint, .nearest = std::numeric_limits<double>::infinity()}};
    std::vector<std::uint32_t> waiting;
    const auto take = [&](std::uint32_t w) {
      out.told.weight += weight_of_[w];
      weight_of_[w] = -weight_of_[w];
      out.told.places.push_back(w);
      waiting.push_back(w);
    };
    take(start);
    while (!waiting.empty()) {
      const std::uint32_t w = waiting.back();
      waiting.pop_back();
      const double here = distance_(joint, glm::dvec3(surface_.position(w)));
      out.told.nearest = std::min(out.told.nearest, here);
      out.farthest = std::max(out.farthest, here);
      for (const std::uint32_t u : surface_.adjacency.neighbors(w)) {
        if (weight_of_[u] > 0) {
          take(u);
        } else if (weight_of_[u] == 0) {
          const InfluenceRow row = row_at(surface_, influences_, u);
          ++out.border;
          out.faded += weight_on(row, joint) > 0 ? 1U : 0U;
          out.beside = row.joints.empty()
                           ? out.beside
                           : std::max(out.beside, distance_(row.joints[0], glm::dvec3(surface_.position(u))));
        }
      }
    }
    std::ranges::sort(out.told.places);
    return out;
  }

  const WeldedSurface& surface_;
  std::span<const Influences* const> influences_;
  const BoneDistance& distance_;
  std::vector<double> weight_of_;
};

// Those of a joint's patches that stray.
std::vector<RoguePatch> strays_among(std::vector<Patch> patches, const RogueSearch& how) {
  std::vector<RoguePatch> out;
  if (patches.size() < 2) {
    return out;
  }
  // The joint's own places: the patch that comes nearest to its bone, the first among equals.
  const auto own = std::ranges::min_element(patches, {}, PatchFinder::nearest_of) - patches.begin();
  const auto heaviest = std::ranges::max_element(patches, {}, [](const Patch& patch) { return patch.told.weight; });
  const double reach = std::max(patches[own].farthest, heaviest->farthest);
  double total = 0;
  for (const Patch& patch : patches) {
    total += patch.told.weight;
  }
  for (std::size_t i = 0; i < patches.size(); ++i) {
    Patch& patch = patches[i];
    // What is heavier than the joint's own places is told by those round it alone: they follow joints close by.
    const bool is_foreign = how.abrupt && patch.border > 0 && patch.faded == 0 &&
                            patch.told.nearest > std::max(how.reach * patches[own].farthest, kForeign * patch.beside);
    const bool is_far = how.reach <= 0 || patch.told.nearest > how.reach * reach;
    const bool is_small = patch.told.weight <= how.largest_share * total;
    const bool ends_at_once = !how.abrupt || (patch.border == 0 ? how.whole_islands : 2 * patch.faded < patch.border);
    if (std::cmp_not_equal(i, own) && (is_foreign || (is_small && is_far && ends_at_once))) {
      patch.told.own_reach = reach;
      out.push_back(std::move(patch.told));
    }
  }
  return out;
}

// Finds for a rogue place the one that supplies what it is to follow instead.
class Supplier {
 public:
  Supplier(const WeldedSurface& surface, std::span<const Influences* const> influences,
           const std::vector<char>& is_rogue)
      : surface_(surface), influences_(influences), is_rogue_(is_rogue) {}

  // One per place: the nearest along edges, or else the nearest in a straight line; kNoShell where no place follows
  // another joint.
  [[nodiscard]] std::vector<std::uint32_t> find(std::span<const std::uint32_t> places, std::uint16_t joint) const {
    const std::unordered_map<std::uint32_t, Reached> reached = along_edges(places, joint);
    std::vector<std::uint32_t> out;
    for (const std::uint32_t w : places) {
      const auto at = reached.find(w);
      out.push_back(at != reached.end() ? at->second.source
                                        : straight(w, [&](std::uint32_t other) { return supplies(other, joint); }));
    }
    return out;
  }

  // For a place of a shell of its own: what it sits on. kNoShell where that follows the joint as well.
  // @param shell  ascending
  [[nodiscard]] std::uint32_t beside(std::uint32_t from, std::uint16_t joint,
                                     std::span<const std::uint32_t> shell) const {
    const std::uint32_t seat = straight(from, [&](std::uint32_t w) {
      return !std::ranges::binary_search(shell, w) && !row_at(surface_, influences_, w).joints.empty();
    });
    if (seat == kNoShell) {
      return kNoShell;
    }
    const InfluenceRow row = row_at(surface_, influences_, seat);
    return std::ranges::find(row.joints, joint) == row.joints.end() ? seat : kNoShell;
  }

 private:
  [[nodiscard]] bool supplies(std::uint32_t w, std::uint16_t joint) const {
    const InfluenceRow row = row_at(surface_, influences_, w);
    return is_rogue_[w] == 0 && std::ranges::any_of(row.joints, [&](std::uint16_t other) { return other != joint; });
  }

  struct Reached {
    double length;
    std::uint32_t source;
    auto operator<=>(const Reached&) const = default;
  };

  // From all that supply at once, through what lies between them and the places.
  [[nodiscard]] std::unordered_map<std::uint32_t, Reached> along_edges(std::span<const std::uint32_t> places,
                                                                       std::uint16_t joint) const {
    using Step = std::pair<Reached, std::uint32_t>;
    std::priority_queue<Step, std::vector<Step>, std::greater<>> waiting;
    std::unordered_map<std::uint32_t, Reached> reached;
    std::unordered_set<std::uint32_t> between(places.begin(), places.end());
    std::vector<std::uint32_t> open(places.begin(), places.end());
    while (!open.empty()) {
      const std::uint32_t w = open.back();
      open.pop_back();
      for (const std::uint32_t u : surface_.adjacency.neighbors(w)) {
        if (!supplies(u, joint)) {
          if (between.insert(u).second) {
            open.push_back(u);
          }
        } else if (reached.emplace(u, Reached{0, u}).second) {
          waiting.push({{0, u}, u});
        }
      }
    }
    while (!waiting.empty()) {
      const auto [here, w] = waiting.top();
      waiting.pop();
      if (here > reached.at(w)) {
        continue;
      }
      for (const std::uint32_t u : surface_.adjacency.neighbors(w)) {
        if (!between.contains(u)) {
          continue;
        }
        const glm::dvec3 edge = glm::dvec3(surface_.position(w)) - glm::dvec3(surface_.position(u));
        const Reached next = {here.length + glm::length(edge), here.source};
        const auto [at, is_new] = reached.emplace(u, next);
        if (is_new || next < at->second) {
          at->second = next;
          waiting.push({next, u});
        }
      }
    }
    return reached;
  }

  template <typename Accept>
  [[nodiscard]] std::uint32_t straight(std::uint32_t from, Accept accept) const {
    const glm::dvec3 here(surface_.position(from));
    std::uint32_t best = kNoShell;
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t w = 0; w < surface_.place_count(); ++w) {
      const double length = glm::distance(here, glm::dvec3(surface_.position(w)));
      if (w != from && length < least && accept(w)) {
        least = length;
        best = w;
      }
    }
    return best;
  }

  const WeldedSurface& surface_;
  std::span<const Influences* const> influences_;
  const std::vector<char>& is_rogue_;
};

// What a row has of joints that are no strays there.
double sound_share(const InfluenceRow& row, const std::set<std::uint16_t>& strays) {
  double share = 0;
  for (std::size_t k = 0; k < row.joints.size(); ++k) {
    share += strays.contains(row.joints[k]) ? 0 : static_cast<double>(row.weights[k]);
  }
  return share;
}

// One round: every rogue place once, all from the weights before. @return [P] by primitive
std::vector<InfluencesPatch> repair_once(const WeldedSurface& surface, std::span<const Influences* const> influences,
                                         const std::vector<RoguePatch>& rogues, std::span<const std::uint16_t> locked,
                                         bool whole_islands) {
  std::vector<char> is_rogue(surface.place_count(), 0);
  struct Wanted {
    std::uint32_t place;
    std::uint16_t joint;
    const RoguePatch* patch;
  };
  std::vector<Wanted> wanted;
  for (const RoguePatch& rogue : rogues) {
    for (const std::uint32_t w : rogue.places) {
      if (!rogue.is_island || whole_islands) {
        is_rogue[w] = rogue.is_island ? is_rogue[w] : 1;
        wanted.push_back({w, rogue.joint, &rogue});
      }
    }
  }
  std::ranges::sort(wanted, [](const Wanted& a, const Wanted& b) {
    return a.place != b.place ? a.place < b.place : a.joint < b.joint;
  });
  std::map<std::uint32_t, std::set<std::uint16_t>> strays_at;
  for (const Wanted& one : wanted) {
    strays_at[one.place].insert(one.joint);
  }
  const Supplier supplier(surface, influences, is_rogue);
  std::map<std::uint16_t, std::vector<std::uint32_t>> places_of;
  for (const Wanted& one : wanted) {
    if (!one.patch->is_island) {
      places_of[one.joint].push_back(one.place);
    }
  }
  std::map<std::pair<std::uint32_t, std::uint16_t>, std::uint32_t> supplier_of;
  for (const auto& [joint, of_joint] : places_of) {
    const std::vector<std::uint32_t> found = supplier.find(of_joint, joint);
    for (std::size_t k = 0; k < found.size(); ++k) {
      supplier_of[{of_joint[k], joint}] = found[k];
    }
  }
  struct Gift {
    std::uint16_t from;
    std::vector<WeightEntry> to;  // sums to 1
  };
  std::vector<std::uint32_t> places;
  std::vector<std::vector<Gift>> gifts;
  for (const auto& [w, joint, patch] : wanted) {
    if (places.empty() || places.back() != w) {
      places.push_back(w);
      gifts.emplace_back();
    }
    // What is left of a row without its strays tells where the rest belongs; where strays are most of it, those round
    // it do.
    const std::uint32_t source = sound_share(row_at(surface, influences, w), strays_at.at(w)) >= kSoundShare ? w
                                 : patch->is_island ? supplier.beside(w, joint, patch->places)
                                                    : supplier_of.at({w, joint});
    if (source == kNoShell) {
      continue;
    }
    Gift gift = {joint, {}};
    double sum = 0;
    const InfluenceRow row = row_at(surface, influences, source);
    for (std::size_t k = 0; k < row.joints.size(); ++k) {
      if (row.joints[k] != joint && (source != w || !strays_at.at(w).contains(row.joints[k]))) {
        gift.to.push_back({row.joints[k], static_cast<double>(row.weights[k])});
        sum += gift.to.back().weight;
      }
    }
    for (WeightEntry& one : gift.to) {
      one.weight /= sum;
    }
    gifts.back().push_back(std::move(gift));
  }
  return edited_weights(surface, influences, places, locked, Copies::kEach, [&](std::size_t t, WeightRow& row) {
    for (const Gift& gift : gifts[t]) {
      // Each takes its share of what is left, so that the last one takes the rest.
      double left = 1;
      for (const WeightEntry& one : gift.to) {
        row.move(gift.from, one.joint, left > 0 ? std::min(1.0, one.weight / left) : 1);
        left -= one.weight;
      }
      // The rest that rounding leaves.
      row.move(gift.from, gift.to.back().joint);
    }
  });
}

// One for each vertex, ascending.
std::vector<InfluencesPatch::Cut> summed(std::vector<InfluencesPatch::Cut> cuts) {
  std::ranges::stable_sort(cuts, {}, &InfluencesPatch::Cut::vertex);
  std::vector<InfluencesPatch::Cut> out;
  for (const InfluencesPatch::Cut& cut : cuts) {
    if (!out.empty() && out.back().vertex == cut.vertex) {
      out.back().lost += cut.lost;
    } else {
      out.push_back(cut);
    }
  }
  return out;
}

}  // namespace

std::vector<RoguePatch> find_rogues(const WeldedSurface& surface, std::span<const Influences* const> influences,
                                    const BoneDistance& distance, const RogueSearch& how) {
  std::vector<std::uint32_t> shell_size;
  const std::vector<std::uint32_t> shell = shells_of(surface, shell_size);
  const std::vector<std::vector<Member>> members = members_of(surface, influences, how.epsilon);
  PatchFinder finder(surface, influences, distance);
  std::vector<RoguePatch> out;
  for (std::size_t joint = 0; joint < members.size(); ++joint) {
    const auto slot = static_cast<std::uint16_t>(joint);
    if (!how.joints.empty() && std::ranges::find(how.joints, slot) == how.joints.end()) {
      continue;
    }
    for (RoguePatch& stray : strays_among(finder.find(slot, members[joint]), how)) {
      stray.is_island = stray.places.size() == shell_size[shell[stray.places.front()]];
      out.push_back(std::move(stray));
    }
  }
  return out;
}

std::vector<InfluencesPatch> repaired_rogues(const WeldedSurface& surface,
                                             std::span<const Influences* const> influences,
                                             const BoneDistance& distance, std::span<const std::uint16_t> locked,
                                             const RogueSearch& how) {
  std::vector<Influences> now;
  for (const Influences* rows : influences) {
    now.push_back(*rows);
  }
  std::vector<const Influences*> views;
  for (const Influences& rows : now) {
    views.push_back(&rows);
  }
  std::vector<std::uint16_t> locks(locked.begin(), locked.end());
  std::ranges::sort(locks);
  std::vector<std::vector<InfluencesPatch::Cut>> cuts(now.size());
  for (int round = 0; round < kMostRounds; ++round) {
    std::vector<RoguePatch> rogues = find_rogues(surface, views, distance, how);
    std::erase_if(rogues, [&](const RoguePatch& rogue) { return std::ranges::binary_search(locks, rogue.joint); });
    const std::vector<InfluencesPatch> patches = repair_once(surface, views, rogues, locks, how.whole_islands);
    if (std::ranges::all_of(patches, &InfluencesPatch::empty)) {
      break;
    }
    for (std::size_t p = 0; p < now.size(); ++p) {
      now[p] = patched(std::move(now[p]), patches[p]);
      cuts[p].insert(cuts[p].end(), patches[p].cuts.begin(), patches[p].cuts.end());
    }
  }
  std::vector<InfluencesPatch> out;
  for (std::size_t p = 0; p < now.size(); ++p) {
    out.push_back(patch_between(*influences[p], now[p]));
    out.back().cuts = summed(std::move(cuts[p]));
  }
  return out;
}

}  // namespace pelt::mesh
