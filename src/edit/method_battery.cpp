#include "edit/method_battery.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/expect.h"
#include "deform/skin_meter.h"
#include "deform/skinning_methods.h"
#include "edit/csv.h"
#include "rig/kinematics.h"

namespace pelt::edit {
namespace {

void take(BatteryCell& cell, const deform::ZoneMeasures& zone, int pose) {
  if (std::abs(zone.volume_ratio - 1) > cell.severity()) {
    cell.volume_ratio = zone.volume_ratio;
    cell.volume_pose = pose;
  }
  if (zone.max_edge_stretch > cell.max_edge_stretch) {
    cell.max_edge_stretch = zone.max_edge_stretch;
    cell.stretch_pose = pose;
  }
  if (zone.flipped_triangles > cell.flipped_triangles) {
    cell.flipped_triangles = zone.flipped_triangles;
    cell.flipped_pose = pose;
  }
}

}  // namespace

double BatteryCell::severity() const {
  return std::abs(volume_ratio - 1);
}

double MethodBattery::mean_severity(std::size_t method) const {
  double sum = 0;
  for (const std::vector<BatteryCell>& row : cells) {
    sum += row[method].severity();
  }
  return cells.empty() ? 0 : sum / static_cast<double>(cells.size());
}

int MethodBattery::best_method() const {
  int best = -1;
  double least = 0;
  for (std::size_t m = 0; m < methods.size() && !cells.empty(); ++m) {
    const double severity = mean_severity(m);
    if (best < 0 || severity < least) {
      best = static_cast<int>(m);
      least = severity;
    }
  }
  return best;
}

int MethodBattery::worst_joint(std::size_t method) const {
  const auto worst =
      std::ranges::max_element(cells, {}, [&](const std::vector<BatteryCell>& row) { return row[method].severity(); });
  return worst == cells.end() ? -1 : static_cast<int>(worst - cells.begin());
}

std::optional<MethodBattery> run_battery(const Document& document, std::span<const int> methods,
                                         const BatteryOptions& options, const std::shared_ptr<deform::SkinCache>& cache,
                                         const Progress& progress) {
  PELT_EXPECT(cache != nullptr, "a battery needs a cache");
  const rig::Character& character = *document.character;
  MethodBattery battery;
  battery.methods.assign(methods.begin(), methods.end());
  battery.poses = make_battery(document, options);
  battery.tried_from = document.state;
  battery.character_version = document.character_version;
  std::vector<deform::SkinningSettings> settings(methods.size(), skinning_of(document.state, document.active_pane));
  for (std::size_t m = 0; m < methods.size(); ++m) {
    settings[m].method = methods[m];
    settings[m].backend = deform::Backend::kCpu;
    if (!cache->prepare(character, settings[m], progress)) {
      return std::nullopt;
    }
  }
  const deform::SkinMeter meter(character, true);
  std::vector<deform::CpuDeformer> deformers;
  for (std::size_t m = 0; m < methods.size(); ++m) {
    deformers.emplace_back(cache);
  }
  std::vector<deform::DeformedCharacter> shapes(methods.size());
  Document lean = document;  // copied for each pose
  lean.undo_stack.clear();
  lean.redo_stack.clear();
  rig::WorldMatrices world;
  for (std::size_t i = 0; i < battery.poses.size(); ++i) {
    const float done = static_cast<float>(i) / static_cast<float>(battery.poses.size());
    if (!report(progress, done, battery.poses[i].label)) {
      return std::nullopt;
    }
    const rig::Pose pose = evaluate_pose(posed(lean, battery.poses[i]));
    world.evaluate(character.skeleton, pose);
    for (std::size_t m = 0; m < methods.size(); ++m) {
      deformers[m].deform(character, pose, world.world(), settings[m], shapes[m]);
      const std::vector<deform::ZoneMeasures> zones = meter.zones(shapes[m], world.world());
      if (battery.joints.empty()) {
        for (const deform::ZoneMeasures& zone : zones) {
          battery.joints.push_back(zone.joint);
        }
        battery.cells.assign(zones.size(), std::vector<BatteryCell>(methods.size()));
      }
      for (std::size_t z = 0; z < zones.size(); ++z) {
        take(battery.cells[z][m], zones[z], static_cast<int>(i));
      }
    }
  }
  return battery;
}

std::string to_csv(const MethodBattery& battery, const rig::Character& character) {
  const auto methods = deform::skinning_methods();
  const auto pose = [&](int index) {
    return index < 0 ? std::string() : csv_cell(battery.poses[static_cast<std::size_t>(index)].label);
  };
  std::string text =
      "joint,method,volume_ratio,volume_pose,max_edge_stretch,stretch_pose,flipped_triangles,flipped_pose\n";
  for (std::size_t j = 0; j < battery.cells.size(); ++j) {
    for (std::size_t m = 0; m < battery.methods.size(); ++m) {
      const BatteryCell& cell = battery.cells[j][m];
      text += fmt::format("{},{},{},{},{},{},{},{}\n", csv_cell(character.skeleton.label(battery.joints[j])),
                          methods[static_cast<std::size_t>(battery.methods[m])].id, csv_cell(cell.volume_ratio),
                          pose(cell.volume_pose), csv_cell(cell.max_edge_stretch), pose(cell.stretch_pose),
                          cell.flipped_triangles, pose(cell.flipped_pose));
    }
  }
  return text;
}

}  // namespace pelt::edit
