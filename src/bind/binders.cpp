#include "bind/binders.h"

#include <algorithm>

#include "bind/best.h"
#include "bind/biharmonic.h"
#include "bind/containment.h"
#include "bind/delaunay.h"
#include "bind/geodesic_voxel.h"
#include "bind/heat.h"
#include "bind/point_to_line.h"
#include "bind/volume_heat.h"

namespace pelt::bind {

// In the order of the literature, and of the window's list.
std::span<const Binder> binders() {
  static const Binder rows[] = {
      {"best", "Best", "Volume heat, and for each island what suits it better: layers, small parts, what sees no bone",
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
    remark_on_bones(problem, *binding);
    std::ranges::stable_sort(binding->remarks, [](const Remark& a, const Remark& b) {
      return a.kind != b.kind ? a.kind < b.kind : a.places > b.places;
    });
  }
  return binding;
}

}  // namespace pelt::bind
