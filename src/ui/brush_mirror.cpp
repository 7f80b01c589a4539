#include "ui/brush_mirror.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "mesh/weight_mirror.h"
#include "rig/skin_sides.h"
#include "ui/workspace.h"

namespace pelt::ui {

bool find_brush_partners(BrushTool& tool, const Desk& desk) {
  constexpr double kPlacesOff = 1e-3;  // of the diagonal
  constexpr double kJointsOff = 0.02;
  const rig::Character& character = *edit::own_character(desk.document());
  const int skin = character.mesh_nodes[static_cast<std::size_t>(tool.mesh_node)].skin;
  const std::vector<int>& joints = character.skins[static_cast<std::size_t>(skin)].joints;
  if (tool.partner_of == tool.posed.surface && tool.partner_skin == skin && tool.partner_joints == joints) {
    return !tool.partner_slots.empty();
  }
  const mesh::WeldedSurface& surface = *tool.posed.surface;
  tool.partner_of = tool.posed.surface;
  tool.partner_skin = skin;
  tool.partner_joints = joints;
  tool.partner.clear();
  tool.partner_slots.clear();
  Bounds bounds;
  for (std::uint32_t w = 0; w < surface.place_count(); ++w) {
    bounds.add(surface.position(w));
  }
  const double diagonal = bounds.empty() ? 0.0 : double{glm::distance(bounds.lower, bounds.upper)};
  if (const std::optional<rig::SkinSides> sides = rig::skin_sides(character, skin, kJointsOff * diagonal)) {
    tool.partner = mesh::mirrored_places(surface, sides->plane, kPlacesOff * diagonal);
    tool.partner_slots = sides->partner;
  }
  return !tool.partner_slots.empty();
}

void add_mirrored_dab(const BrushTool& tool, edit::PaintDab& dab, edit::PaintWeights& change, const Desk& desk) {
  const rig::Character& character = *edit::own_character(desk.document());
  const std::vector<int>& joints = character.skins[static_cast<std::size_t>(tool.partner_skin)].joints;
  const auto other_side = [&](int joint) {
    const auto slot = std::ranges::find(joints, joint);
    return slot == joints.end() ? joint : joints[tool.partner_slots[static_cast<std::size_t>(slot - joints.begin())]];
  };
  edit::PaintDab mirrored = dab;
  mirrored.joint = other_side(dab.joint);
  mirrored.places.clear();
  mirrored.amounts.clear();
  mirrored.values.clear();
  // For a joint of the middle, by place: where in the dab it is.
  std::vector<std::pair<std::uint32_t, std::size_t>> touched;
  for (std::size_t k = 0; mirrored.joint == dab.joint && k < dab.places.size(); ++k) {
    touched.emplace_back(dab.places[k], k);
  }
  std::ranges::sort(touched);
  for (std::size_t k = 0; k < dab.places.size(); ++k) {
    const std::uint32_t there = tool.partner[dab.places[k]];
    if (there == mesh::kNoPlace) {
      continue;
    }
    const auto here = std::ranges::lower_bound(touched, there, {}, &std::pair<std::uint32_t, std::size_t>::first);
    if (here != touched.end() && here->first == there) {
      float& amount = dab.amounts[here->second];
      amount = std::max(amount, dab.amounts[k]);
      continue;
    }
    mirrored.places.push_back(there);
    mirrored.amounts.push_back(dab.amounts[k]);
    if (!dab.values.empty()) {
      mirrored.values.push_back(dab.values[k]);
    }
  }
  for (std::vector<edit::JointShare>* row : {&mirrored.first, &mirrored.second}) {
    for (edit::JointShare& share : *row) {
      share.joint = other_side(share.joint);
    }
  }
  if (!mirrored.places.empty()) {
    change.dabs.push_back(std::move(mirrored));
  }
}

}  // namespace pelt::ui
