#pragma once

// What rows of weight_tools() are given; nothing outside src/edit and its tests includes this.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/progress.h"
#include "edit/weight_area.h"
#include "edit/weight_tools.h"
#include "mesh/weight_rows.h"
#include "rig/character.h"

namespace pelt::edit {

/// One use of a tool. Slots are those of the mesh's first skin.
struct WeightToolRun {
  const rig::Character& character;
  const UseWeightTool& change;
  int skin = -1;
  std::vector<double> values = {};         ///< by field, in range
  std::vector<std::uint16_t> joints = {};  ///< slots of the joints that were given, in their order
  std::vector<std::uint16_t> locked = {};  ///< slots, ascending
  // Not there yet when a tool is asked whether it refuses.
  std::shared_ptr<const mesh::WeldedSurface> surface = {};
  std::vector<const mesh::Influences*> influences = {};  ///< by primitive
  WeightArea area = {};
  TransferMatch* out_match = nullptr;  ///< gets what a transfer or a mirror found; null: nobody asks
  Progress progress = {};              ///< where it asks to stop, what is made means nothing

  [[nodiscard]] const mesh::Mesh& own_mesh() const { return character.meshes[change.mesh]; }
  [[nodiscard]] bool is_whole() const { return change.primitive < 0 && change.vertices.empty(); }
};

/// The rows of the area as `edit` makes them, as far as the strength of each place goes.
std::vector<mesh::InfluencesPatch> edited_rows(const WeightToolRun& run, mesh::Copies copies,
                                               const mesh::RowEdit& edit);

/// The patches with the rows of these vertices alone. @param wanted  (primitive, vertex there)
std::vector<mesh::InfluencesPatch> only_where(const WeightToolRun& run, std::vector<mesh::InfluencesPatch> patches,
                                              const std::function<bool(std::size_t, std::size_t)>& wanted);

// The rows' functions by what they look at: one row alone, neighbours, both sides.
std::vector<mesh::InfluencesPatch> hammered(const WeightToolRun& run);
std::vector<mesh::InfluencesPatch> welded(const WeightToolRun& run);
std::vector<mesh::InfluencesPatch> without_rogues(const WeightToolRun& run);
std::string refuses_sides(const WeightToolRun& run);
std::vector<mesh::InfluencesPatch> mirrored_sides(const WeightToolRun& run);
std::vector<mesh::InfluencesPatch> exchanged_sides(const WeightToolRun& run);
std::string refuses_source(const WeightToolRun& run);
std::vector<mesh::InfluencesPatch> transferred(const WeightToolRun& run);
std::vector<mesh::InfluencesPatch> inpainted(const WeightToolRun& run);
std::string refuses_table(const WeightToolRun& run);
std::vector<mesh::InfluencesPatch> loaded(const WeightToolRun& run);

}  // namespace pelt::edit
