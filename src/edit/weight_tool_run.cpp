#include "edit/weight_tool_run.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "core/text.h"
#include "edit/weight_foresight.h"
#include "math/transform.h"
#include "mesh/rogues.h"
#include "mesh/surface_checks.h"
#include "mesh/weight_mirror.h"
#include "rig/skin_sides.h"

namespace pelt::edit {
namespace {

// Joints that mirror each other may be off by so much of the mesh's diagonal: animators are no surveyors.
constexpr double kJointsOff = 0.05;

double diagonal_of(const mesh::Mesh& mesh) {
  Bounds bounds;
  for (const mesh::Primitive& primitive : mesh.primitives) {
    for (const glm::vec3& position : primitive.positions) {
      bounds.add(position);
    }
  }
  return static_cast<double>(bounds.diagonal());
}

std::vector<mesh::InfluencesPatch> in_mirror(const WeightToolRun& run, mesh::MirrorWay way, double tolerance) {
  const double diagonal = diagonal_of(run.own_mesh());
  const std::optional<rig::SkinSides> sides = rig::skin_sides(run.character, run.skin, kJointsOff * diagonal);
  const std::vector<std::uint32_t> partner = mesh::mirrored_places(*run.surface, sides->plane, tolerance * diagonal);
  if (run.out_match != nullptr) {
    TransferMatch& match = *run.out_match;
    match.places = run.area.places.size();
    for (const std::uint32_t w : run.area.places) {
      if (partner[w] == mesh::kNoPlace) {
        ++match.kept;
        match.unmatched.insert(match.unmatched.end(), run.surface->copies(w).begin(), run.surface->copies(w).end());
      }
    }
    std::ranges::sort(match.unmatched);
  }
  return mesh::mirrored_weights(
      *run.surface, run.influences, run.area.places,
      {.way = way, .plane = sides->plane, .partner = partner, .partner_joint = sides->partner, .locked = run.locked});
}

// The mean of entries of rows, by joint.
class RowMean {
 public:
  void add(std::uint16_t joint, double weight) {
    const auto at = std::ranges::find(sum_, joint, &mesh::WeightEntry::joint);
    if (at != sum_.end()) {
      at->weight += weight;
    } else {
      sum_.push_back({joint, weight});
    }
  }
  void add(const mesh::InfluenceRow& row) {
    for (std::size_t k = 0; k < row.joints.size(); ++k) {
      add(row.joints[k], static_cast<double>(row.weights[k]));
    }
  }
  // Sums to 1; nothing where nothing was added.
  [[nodiscard]] std::vector<mesh::WeightEntry> result() const {
    double total = 0;
    for (const mesh::WeightEntry& one : sum_) {
      total += one.weight;
    }
    std::vector<mesh::WeightEntry> out = sum_;
    for (mesh::WeightEntry& one : out) {
      one.weight /= total;
    }
    return out;
  }

 private:
  std::vector<mesh::WeightEntry> sum_;
};

}  // namespace

std::vector<mesh::InfluencesPatch> edited_rows(const WeightToolRun& run, mesh::Copies copies,
                                               const mesh::RowEdit& edit) {
  return mesh::edited_weights(
      *run.surface, run.influences, run.area.places, run.locked, copies, [&](std::size_t t, mesh::WeightRow& row) {
        const double strength = run.area.strengths.empty() ? 1.0 : static_cast<double>(run.area.strengths[t]);
        if (!(strength > 0)) {
          return;
        }
        if (strength >= 1) {
          edit(t, row);
          return;
        }
        mesh::WeightRow whole = row;
        edit(t, whole);
        if (whole.is_changed()) {
          row.towards(whole.free(), strength);
        }
      });
}

std::vector<mesh::InfluencesPatch> only_where(const WeightToolRun& run, std::vector<mesh::InfluencesPatch> patches,
                                              const std::function<bool(std::size_t, std::size_t)>& wanted) {
  for (std::size_t p = 0; p < patches.size(); ++p) {
    if (patches[p].empty()) {
      continue;
    }
    const mesh::Influences now = mesh::patched(*run.influences[p], patches[p]);
    mesh::InfluencesPatch kept;
    mesh::for_changed_rows(*run.influences[p], now, [&](std::size_t v) {
      if (wanted(p, v)) {
        mesh::push_row(kept, static_cast<std::uint32_t>(v), now.row(v));
      }
    });
    std::ranges::copy_if(patches[p].cuts, std::back_inserter(kept.cuts),
                         [&](const mesh::InfluencesPatch::Cut& cut) { return wanted(p, cut.vertex); });
    patches[p] = std::move(kept);
  }
  return patches;
}

// Ring by ring from the outside, so that a patch of broken weights takes nothing from itself.
std::vector<mesh::InfluencesPatch> hammered(const WeightToolRun& run) {
  const std::vector<std::uint32_t>& places = run.area.places;
  std::vector<std::vector<mesh::WeightEntry>> target(places.size());
  std::vector<std::size_t> open(places.size());
  for (std::size_t t = 0; t < places.size(); ++t) {
    open[t] = t;
  }
  while (!open.empty()) {
    std::vector<std::pair<std::size_t, std::vector<mesh::WeightEntry>>> ring;
    for (const std::size_t t : open) {
      RowMean mean;
      for (const std::uint32_t u : run.surface->adjacency.neighbors(places[t])) {
        const auto at = std::ranges::lower_bound(places, u);
        if (at == places.end() || *at != u) {
          mean.add(mesh::row_at(*run.surface, run.influences, u));
          continue;
        }
        for (const mesh::WeightEntry& one : target[at - places.begin()]) {
          mean.add(one.joint, one.weight);
        }
      }
      if (std::vector<mesh::WeightEntry> row = mean.result(); !row.empty()) {
        ring.emplace_back(t, std::move(row));
      }
    }
    if (ring.empty()) {
      break;
    }
    for (auto& [t, row] : ring) {
      target[t] = std::move(row);
    }
    std::erase_if(open, [&](std::size_t t) { return !target[t].empty(); });
  }
  return edited_rows(run, mesh::Copies::kTogether, [&](std::size_t t, mesh::WeightRow& row) {
    row.towards(target[t], 1);
    row.prune(1e-4);
  });
}

std::vector<mesh::InfluencesPatch> welded(const WeightToolRun& run) {
  return edited_rows(run, mesh::Copies::kTogether, [&](std::size_t t, mesh::WeightRow& row) {
    RowMean mean;
    float difference = 0;
    const mesh::InfluenceRow first = mesh::row_at(*run.surface, run.influences, run.area.places[t]);
    for (const std::uint32_t v : run.surface->copies(run.area.places[t])) {
      const std::size_t p = run.surface->primitive_of(v);
      if (!run.influences[p]->empty()) {
        const mesh::InfluenceRow copy = run.influences[p]->row(v - run.surface->first[p]);
        difference = std::max(difference, mesh::largest_weight_difference(copy, first));
        mean.add(copy);
      }
    }
    if (difference > 0 && static_cast<double>(difference) >= run.values[0]) {
      row.towards(mean.result(), 1);
    }
  });
}

std::vector<mesh::InfluencesPatch> without_rogues(const WeightToolRun& run) {
  const mesh::RogueSearch how = {.epsilon = run.values[0],
                                 .largest_share = run.values[1],
                                 .reach = run.values[3],
                                 .abrupt = !(run.values[4] > 0.5),
                                 .whole_islands = run.values[2] > 0.5,
                                 .joints = run.joints};
  std::vector<mesh::InfluencesPatch> patches = mesh::repaired_rogues(
      *run.surface, run.influences, rig::bone_distances(run.character, run.skin), run.locked, how);
  if (run.is_whole()) {
    return patches;
  }
  // Strays are found on the whole mesh, and mended where it was asked for.
  return only_where(run, std::move(patches), [&](std::size_t p, std::size_t v) {
    return std::ranges::binary_search(run.area.places, run.surface->place[run.surface->first[p] + v]);
  });
}

std::string refuses_sides(const WeightToolRun& run) {
  if (rig::skin_sides(run.character, run.skin, kJointsOff * diagonal_of(run.own_mesh()))) {
    return "";
  }
  return fmt::format(
      "the joints that {} follows do not mirror each other: expected left and right ones, by name or "
      "place, bound within {:g} of its diagonal of the same plane",
      printable(mesh_name(run.character, run.change.mesh)), kJointsOff);
}

std::vector<mesh::InfluencesPatch> mirrored_sides(const WeightToolRun& run) {
  return in_mirror(run, run.values[0] > 0.5 ? mesh::MirrorWay::kRightToLeft : mesh::MirrorWay::kLeftToRight,
                   run.values[1]);
}

std::vector<mesh::InfluencesPatch> exchanged_sides(const WeightToolRun& run) {
  return in_mirror(run, mesh::MirrorWay::kExchange, run.values[0]);
}

std::string refuses_table(const WeightToolRun& run) {
  const WeightTable& table = *run.change.table;
  const mesh::Mesh& mesh = run.own_mesh();
  for (const WeightTable::Part& part : table.parts) {
    if (part.mesh != run.change.mesh) {
      continue;
    }
    const std::size_t p = part.primitive;
    if (p >= mesh.primitives.size() || mesh.primitives[p].influences->vertex_count() != part.vertex_count) {
      return fmt::format("primitive {} of {}: the text is about {} vertices, and it has {}", p,
                         printable(mesh_name(run.character, run.change.mesh)), part.vertex_count,
                         p < mesh.primitives.size() ? mesh.primitives[p].influences->vertex_count() : 0);
    }
  }
  const Result<std::vector<std::uint16_t>> slots = slots_in(table, run.character, run.change.mesh, run.skin);
  return slots ? "" : slots.error().message;
}

// Each copy of a place has a line of its own.
std::vector<mesh::InfluencesPatch> loaded(const WeightToolRun& run) {
  const WeightTable& table = *run.change.table;
  const std::vector<std::uint16_t> slots = *slots_in(table, run.character, run.change.mesh, run.skin);
  std::vector<mesh::InfluencesPatch> out(run.own_mesh().primitives.size());
  for (const WeightTable::Part& part : table.parts) {
    if (part.mesh != run.change.mesh || !out[part.primitive].vertices.empty()) {
      continue;
    }
    const std::size_t p = part.primitive;
    mesh::WeightRow row(run.locked);
    for (std::size_t r = 0; r < part.vertices.size(); ++r) {
      const std::uint32_t v = part.vertices[r];
      if (!std::ranges::binary_search(run.area.places, run.surface->place[run.surface->first[p] + v])) {
        continue;
      }
      std::vector<mesh::WeightEntry> wanted;
      for (std::size_t k = 0; k < part.rows.joints(r).size(); ++k) {
        wanted.push_back({slots[part.rows.joints(r)[k]], static_cast<double>(part.rows.weights(r)[k])});
      }
      const mesh::InfluenceRow before = run.influences[p]->row(v);
      row.read(before);
      row.set_most(run.influences[p]->most(v));
      row.towards(wanted, 1);
      row.cut_to_most();
      const mesh::InfluenceRow after = row.stored();
      if (!std::ranges::equal(before.joints, after.joints) || !std::ranges::equal(before.weights, after.weights)) {
        mesh::push_row(out[p], v, after);
        mesh::push_cut(out[p], v, row.lost());
      }
    }
  }
  return out;
}

}  // namespace pelt::edit
