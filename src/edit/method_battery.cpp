#include "edit/method_battery.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/expect.h"
#include "core/text.h"
#include "deform/skinning_methods.h"
#include "edit/csv.h"
#include "rig/kinematics.h"

namespace pelt::edit {
namespace {

bool is_odd(double ratio) {
  return !(std::abs(ratio) <= kLargestRatio);
}

void take(BatteryCell& cell, const measure::ZoneMeasures& zone, int pose) {
  if (!cell.odd_ratio && (is_odd(zone.volume_ratio.value_or(1)) || is_odd(zone.max_edge_stretch))) {
    cell.odd_ratio = is_odd(zone.volume_ratio.value_or(1)) ? *zone.volume_ratio : zone.max_edge_stretch;
    cell.odd_pose = pose;
  }
  if (zone.volume_ratio && !cell.volume_ratio) {
    cell.volume_ratio = 1;
  }
  if (zone.volume_ratio && std::abs(*zone.volume_ratio - 1) > cell.severity()) {
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

const deform::SkinningMethod& row_of(int method) {
  return deform::skinning_methods()[method];
}

/// The first row in which a method's numbers are odd.
std::optional<std::size_t> odd_row(const MethodBattery& battery, std::size_t method) {
  for (std::size_t row = 0; row < battery.cells.size(); ++row) {
    if (battery.cells[row][method].odd_ratio) {
      return row;
    }
  }
  return std::nullopt;
}

/// The candidate with the smallest mean severity but for `left_out`, the first of equals; -1 where there is none.
int least_severe(const MethodBattery& battery, int left_out) {
  const bool only_rigid = std::ranges::all_of(battery.methods, [](int method) { return row_of(method).id == "rigid"; });
  int best = -1;
  double least = 0;
  for (std::size_t m = 0; m < battery.methods.size() && battery.judged_joints() > 0; ++m) {
    const bool candidate = only_rigid || row_of(battery.methods[m]).id != "rigid";
    const double severity = battery.mean_severity(m);
    if (candidate && static_cast<int>(m) != left_out && !odd_row(battery, m) && (best < 0 || severity < least)) {
      best = static_cast<int>(m);
      least = severity;
    }
  }
  return best;
}

std::string off_text(const MethodBattery& battery, std::size_t method) {
  return fmt::format("{:.1f} % off on average", battery.mean_severity(method) * 100);
}

/// The standard method's number beside the winner's; where the winner is the standard, that of the next best.
std::string margin_text(const MethodBattery& battery, std::size_t best) {
  const int standard = battery.standard_method();
  const bool is_standard = standard == static_cast<int>(best);
  const int other = is_standard ? battery.second_method() : standard;
  if (other < 0) {
    return "";
  }
  const std::size_t o = other;
  const double margin = (battery.mean_severity(o) - battery.mean_severity(best)) * 100;
  return fmt::format(" {}, {}, is {}, {} more.", row_of(battery.methods[o]).label,
                     is_standard ? "the next best" : "the standard", off_text(battery, o),
                     margin < 0.05 ? std::string("hardly") : fmt::format("{:.1f} points", margin));
}

}  // namespace

double BatteryCell::severity() const {
  return volume_ratio ? std::abs(*volume_ratio - 1) : 0.0;
}

void MethodBattery::enter(std::span<const measure::ZoneMeasures> zones, std::size_t method, int pose) {
  if (joints.empty()) {
    std::ranges::transform(zones, std::back_inserter(joints), &measure::ZoneMeasures::joint);
    cells.assign(zones.size(), std::vector<BatteryCell>(methods.size()));
  }
  PELT_EXPECT(zones.size() == cells.size() && method < methods.size(), "the same joints in every pose");
  for (std::size_t z = 0; z < zones.size(); ++z) {
    take(cells[z][method], zones[z], pose);
  }
}

std::size_t MethodBattery::judged_joints() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      cells, [](const std::vector<BatteryCell>& row) { return row.front().volume_ratio.has_value(); }));
}

double MethodBattery::mean_severity(std::size_t method) const {
  double sum = 0;
  for (const std::vector<BatteryCell>& row : cells) {
    sum += row[method].severity();
  }
  const std::size_t judged = judged_joints();
  return judged == 0 ? 0 : sum / static_cast<double>(judged);
}

std::optional<MethodBattery::Odd> MethodBattery::beyond_reason() const {
  const int standard = standard_method();
  std::optional<Odd> first;
  for (std::size_t m = 0; m < methods.size(); ++m) {
    const std::optional<std::size_t> row = cells.empty() ? std::nullopt : odd_row(*this, m);
    if (row && (!first || static_cast<int>(m) == standard)) {
      first = Odd{*row, m};
    }
  }
  return first;
}

int MethodBattery::standard_method() const {
  const auto found = std::ranges::find(methods, deform::SkinningSettings().method);
  return found == methods.end() ? -1 : static_cast<int>(found - methods.begin());
}

int MethodBattery::best_method() const {
  const std::optional<Odd> odd = beyond_reason();
  return odd && static_cast<int>(odd->method) == standard_method() ? -1 : least_severe(*this, -1);
}

int MethodBattery::second_method() const {
  const int best = best_method();
  return best < 0 ? -1 : least_severe(*this, best);
}

int MethodBattery::worst_joint(std::size_t method) const {
  const auto worst =
      std::ranges::max_element(cells, {}, [&](const std::vector<BatteryCell>& row) { return row[method].severity(); });
  return judged_joints() == 0 ? -1 : static_cast<int>(worst - cells.begin());
}

std::vector<std::size_t> MethodBattery::worst_first() const {
  std::vector<std::size_t> order(cells.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto badness = [&](std::size_t row) {
    double volume = 0;
    double stretch = 0;
    for (const BatteryCell& cell : cells[row]) {
      volume = std::max(volume, cell.severity());
      stretch = std::max(stretch, cell.max_edge_stretch);
    }
    return std::pair{volume, stretch};
  };
  std::ranges::stable_sort(order, std::greater<>(), badness);
  return order;
}

std::string volume_change_text(const std::optional<double>& volume_ratio) {
  if (!volume_ratio) {
    return "not closed";
  }
  const double change = std::round((*volume_ratio - 1) * 1000) / 10;
  return change == 0 ? std::string("0 %") : fmt::format("{:+.1f} %", change);
}

std::string verdict(const MethodBattery& battery, const rig::Character& character) {
  if (battery.joints.empty()) {
    return "No skin of this character bends at a joint.";
  }
  const int best = battery.best_method();
  if (const std::optional<MethodBattery::Odd> odd = battery.beyond_reason(); odd && best < 0) {
    const BatteryCell& cell = battery.cells[odd->joint][odd->method];
    return fmt::format(
        "No verdict, the numbers are beyond reason: around {}, {} gives {:.3g} times the volume or edge length of the "
        "bind shape. A file whose skin does that is broken, or its inverse bind matrices do not fit; pelt lint says "
        "more.",
        printable(character.skeleton->label(battery.joints[odd->joint])), row_of(battery.methods[odd->method]).label,
        *cell.odd_ratio);
  }
  if (best < 0) {
    return "The skin is closed around no joint: volume says nothing about the methods.";
  }
  const std::size_t m = best;
  const std::size_t worst = battery.worst_joint(m);
  std::string text = fmt::format("{} keeps the volume best: {}, at worst {} at {}.", row_of(battery.methods[m]).label,
                                 off_text(battery, m), volume_change_text(battery.cells[worst][m].volume_ratio),
                                 printable(character.skeleton->label(battery.joints[worst])));
  text += margin_text(battery, m);
  if (const std::size_t open = battery.joints.size() - battery.judged_joints(); open > 0) {
    text += fmt::format(" Not counted: {} of {} joints, around which the skin is flat or not closed.", open,
                        battery.joints.size());
  }
  return text;
}

std::optional<MethodBattery> run_battery(const Document& document, std::span<const int> methods,
                                         const BatteryOptions& options, const std::shared_ptr<deform::SkinCache>& cache,
                                         const Progress& progress) {
  PELT_EXPECT(cache != nullptr, "a battery needs a cache");
  const rig::Character& character = *document.character;
  MethodBattery battery;
  battery.methods.assign(methods.begin(), methods.end());
  battery.poses = make_battery(document, options);
  battery.options = options;
  battery.tried_from = without_history(document);
  battery.character = document.character;
  std::vector<deform::SkinningSettings> settings(
      methods.size(), in_effect(document, skinning_of(document.content, document.view.active_pane)));
  for (std::size_t m = 0; m < methods.size(); ++m) {
    settings[m].method = methods[m];
    settings[m].backend = deform::Backend::kCpu;
    if (!cache->prepare(character, settings[m], progress)) {
      return std::nullopt;
    }
  }
  const measure::SkinMeter meter(character, true);
  std::vector<deform::CpuDeformer> deformers;
  for (std::size_t m = 0; m < methods.size(); ++m) {
    deformers.emplace_back(cache);
  }
  std::vector<deform::DeformedCharacter> shapes(methods.size());
  const Document& lean = battery.tried_from;  // copied for each pose
  rig::WorldMatrices world;
  for (std::size_t i = 0; i < battery.poses.size(); ++i) {
    const float done = static_cast<float>(i) / static_cast<float>(battery.poses.size());
    if (!report(progress, done, battery.poses[i].label)) {
      return std::nullopt;
    }
    const rig::Pose pose = deformed_pose(lean, evaluate_pose(posed(lean, battery.poses[i])));
    world.evaluate(character.skeleton, pose);
    for (std::size_t m = 0; m < methods.size(); ++m) {
      deformers[m].deform(character, pose, world.world(), settings[m], shapes[m]);
      battery.enter(meter.zones(shapes[m], pose, world.world()), m, static_cast<int>(i));
    }
  }
  return battery;
}

std::string to_csv(const MethodBattery& battery, const rig::Character& character) {
  const auto methods = deform::skinning_methods();
  const auto pose = [&](int index) { return index < 0 ? std::string() : csv_cell(battery.poses[index].label); };
  std::string text =
      "joint,method,volume_ratio,volume_pose,max_edge_stretch,stretch_pose,flipped_triangles,flipped_pose\n";
  for (std::size_t j = 0; j < battery.cells.size(); ++j) {
    for (std::size_t m = 0; m < battery.methods.size(); ++m) {
      const BatteryCell& cell = battery.cells[j][m];
      text += fmt::format("{},{},{},{},{},{},{},{}\n", csv_cell(character.skeleton->label(battery.joints[j])),
                          methods[battery.methods[m]].id, cell.volume_ratio ? csv_cell(*cell.volume_ratio) : "",
                          pose(cell.volume_pose), csv_cell(cell.max_edge_stretch), pose(cell.stretch_pose),
                          cell.flipped_triangles, pose(cell.flipped_pose));
    }
  }
  return text;
}

}  // namespace pelt::edit
