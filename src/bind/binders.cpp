#include "bind/binders.h"

#include <algorithm>
#include <cmath>

#include "bind/best.h"
#include "bind/biharmonic.h"
#include "bind/containment.h"
#include "bind/delaunay.h"
#include "bind/geodesic_voxel.h"
#include "bind/heat.h"
#include "bind/point_to_line.h"
#include "bind/volume_heat.h"
#include "core/expect.h"

namespace pelt::bind {
namespace {

constexpr double kSumsToOne = 1e-9;
constexpr std::size_t kIslandsNamed = 20;  // of each kind, the largest

// Leaves one remark of those on islands beyond the largest, which a soup has by thousands.
void merge_small_islands(std::vector<Remark>& remarks) {
  constexpr RemarkKind kOnIslands[] = {RemarkKind::kIslandSeesNoBone, RemarkKind::kIslandRigid,
                                       RemarkKind::kIslandFromBody, RemarkKind::kInsideOut};
  for (const RemarkKind kind : kOnIslands) {
    const auto [begin, end] = std::ranges::equal_range(remarks, kind, {}, &Remark::kind);
    if (end - begin <= static_cast<std::ptrdiff_t>(kIslandsNamed) + 1) {
      continue;
    }
    const auto rest = begin + static_cast<std::ptrdiff_t>(kIslandsNamed);
    Remark merged{.kind = kind, .where = rest->where, .islands = static_cast<std::size_t>(end - rest)};
    for (auto it = rest; it != end; ++it) {
      merged.places += it->places;
    }
    *rest = merged;
    remarks.erase(rest + 1, end);
  }
}

[[maybe_unused]] bool is_complete(const Problem& problem, const Binding& binding) {
  if (binding.rows.size() != problem.place_count() || binding.cause.size() != problem.place_count()) {
    return false;
  }
  for (std::size_t w = 0; w < problem.place_count(); ++w) {
    double sum = 0;
    for (const Share& share : binding.rows[w]) {
      sum += share.weight;
    }
    if (!(std::abs(sum - 1) < kSumsToOne)) {
      return false;
    }
  }
  return true;
}

}  // namespace

// In the order of the literature, and of the window's list.
std::span<const Binder> binders() {
  static const Binder rows[] = {
      {"best", "Best",
       "Volume heat, and for each island what suits its shape better: layers, small parts, what sees no bone. Pelt "
       "chooses by shape alone and tries no pose",
       best_fields(), bind_best},
      {"containment", "Volumes", "By volumes round the bones, fitted to the surface", containment_fields(),
       bind_containment},
      {"point-to-line", "Point to line", "By distance to the bones: what every other binder is measured against",
       point_to_line_fields(), bind_point_to_line},
      {"delaunay", "Delaunay", "By ways through the tetrahedra between surface and bones", delaunay_fields(),
       bind_delaunay},
      {"heat", "Bone heat", "Heat that spreads along the surface from where it sees its bones", heat_fields(),
       bind_heat},
      {"biharmonic", "Bounded biharmonic",
       "As smooth as weights between 0 and 1 can be that are 1 on their bone, through the volume on a grid",
       biharmonic_fields(), bind_biharmonic},
      {"geodesic-voxel", "Geodesic voxels",
       "By the shortest ways to the bones within the volume, on a grid: bears holes, shells and bones outside",
       geodesic_voxel_fields(), bind_geodesic_voxel},
      {"volume-heat", "Volume heat",
       "Heat over the surface from the bones that are seen through the volume: bears holes, borders and shells",
       volume_heat_fields(), bind_volume_heat},
  };
  return rows;
}

const Binder* find_binder(std::string_view id) {
  for (const Binder& binder : binders()) {
    if (binder.id == id) {
      return &binder;
    }
  }
  return nullptr;
}

std::vector<double> standard_values(const Binder& binder) {
  std::vector<double> values;
  for (const Field& field : binder.fields) {
    values.push_back(field.standard);
  }
  return values;
}

std::optional<Binding> run(const Binder& binder, const Problem& problem, std::span<const double> values,
                           const Watcher& watcher) {
  std::optional<Binding> binding = binder.bind(problem, values, watcher);
  if (binding) {
    PELT_EXPECT(is_complete(problem, *binding), "a binder gives every place weights that sum to 1");
    remark_on_bones(problem, *binding);
    for (const std::string& text : problem.left_out) {
      binding->remarks.push_back({.kind = RemarkKind::kMeshLeftOut, .text = text});
    }
    std::ranges::stable_sort(binding->remarks, [](const Remark& a, const Remark& b) {
      return a.kind != b.kind ? a.kind < b.kind : a.places > b.places;
    });
    merge_small_islands(binding->remarks);
  }
  return binding;
}

}  // namespace pelt::bind
