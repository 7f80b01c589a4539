#include "cli/compare_report.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "deform/skinning_methods.h"
#include "edit/csv.h"

namespace pelt::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kJointsShown = 12;

std::string_view method_id(const ComparedSide& side) {
  return deform::skinning_methods()[side.settings.method].id;
}

std::string_view backend_id(const ComparedSide& side) {
  return side.settings.backend == deform::Backend::kGpu ? "gpu" : "cpu";
}

/// The variant that is shown, whatever was asked for.
char normals_of(const ComparedSide& side) {
  const deform::SkinningMethod& method = deform::skinning_methods()[side.settings.method];
  return deform::letter_of(deform::normals_under(method, side.settings.normals));
}

/// A key or the beginning of a column's name: "edge_strain".
std::string key_of(measure::Measure measure) {
  std::string key(measure::info(measure).id);
  std::ranges::replace(key, '-', '_');
  return key;
}

/// Which pose and which method (other than the reference, where there is one) lie farthest from the reference.
struct Farthest {
  std::size_t pose = 0;
  std::size_t method = 0;
};
Farthest farthest_in(const Comparison& comparison, std::size_t index) {
  const PoseResult& pose = comparison.poses[index];
  const std::size_t reference = comparison.reference;
  Farthest found{index, reference == 0 && pose.methods.size() > 1 ? std::size_t{1} : std::size_t{0}};
  for (std::size_t m = 0; m < pose.methods.size(); ++m) {
    if (m != reference && pose.methods[m].difference.max > pose.methods[found.method].difference.max) {
      found.method = m;
    }
  }
  return found;
}
Farthest farthest_of(const Comparison& comparison) {
  Farthest worst = farthest_in(comparison, 0);
  const auto distance = [&](const Farthest& f) { return comparison.poses[f.pose].methods[f.method].difference.max; };
  for (std::size_t p = 1; p < comparison.poses.size(); ++p) {
    const Farthest here = farthest_in(comparison, p);
    if (distance(here) > distance(worst)) {
      worst = here;
    }
  }
  return worst;
}

double over_diagonal(const Comparison& comparison, double distance) {
  return comparison.diagonal > 0 ? distance / comparison.diagonal : 0.0;
}

// How far a ratio is from 1, shrinking and growing alike.
double strain(double ratio) {
  return ratio > 0 ? std::abs(std::log(ratio)) : std::numeric_limits<double>::infinity();
}

/// Of one number per pose, the worst over all poses.
double worst_over_poses(const Comparison& comparison, std::size_t method,
                        const std::function<double(const MethodResult&)>& value,
                        const std::function<bool(double, double)>& worse) {
  double worst = value(comparison.poses[0].methods[method]);
  for (const PoseResult& pose : comparison.poses) {
    const double here = value(pose.methods[method]);
    worst = worse(here, worst) ? here : worst;
  }
  return worst;
}

const auto kFarther = [](double a, double b) { return strain(a) > strain(b); };
const auto kLarger = [](double a, double b) { return a > b; };
const auto kSmaller = [](double a, double b) { return a < b; };

// --- JSON

Json json_of_difference(const Comparison& comparison, const measure::Difference& difference) {
  return {{"max", difference.max},
          {"rms", difference.rms},
          {"worst_vertex", difference.worst_vertex},
          {"worst_part", difference.worst_part},
          {"max_over_diagonal", over_diagonal(comparison, difference.max)},
          {"max_normal_angle", difference.max_normal_angle}};
}

Json json_of_side(const ComparedSide& side) {
  return {{"method", method_id(side)},
          {"backend", backend_id(side)},
          {"normals", std::string(1, normals_of(side))},
          {"influences", side.settings.influence_limit},
          {"refine", side.settings.refine == deform::Refine::kAfterSkin ? "after" : "before"}};
}

Json json_of_method(const Comparison& comparison, std::size_t method, const MethodResult& result) {
  Json json = json_of_side(comparison.sides[method]);
  json.update({{"volume_ratio", result.collapse.volume_ratio},
               {"area_ratio", result.collapse.area_ratio},
               {"max_edge_stretch", result.collapse.max_edge_stretch},
               {"min_edge_stretch", result.collapse.min_edge_stretch},
               {"flipped_triangles", result.flipped_triangles},
               {"bone_distance",
                {{"min", result.bones.min},
                 {"max", result.bones.max},
                 {"min_ratio", result.bones.min_ratio},
                 {"max_ratio", result.bones.max_ratio}}}});
  Json surface;
  surface["against"] = comparison.against == StrainsAgainst::kBind ? "bind" : "reference";
  for (std::size_t i = 0; i < kSurfaceMeasures.size(); ++i) {
    surface[key_of(kSurfaceMeasures[i])] = {{"max", result.surface[i].worst},
                                            {"rms", result.surface[i].rms},
                                            {"worst_part", result.surface[i].worst_part},
                                            {"worst_vertex", result.surface[i].worst_vertex}};
  }
  json["surface"] = std::move(surface);
  if (result.ring) {
    json["ring"] = {{"joint", comparison.ring_joint},
                    {"rest", comparison.ring_rest},
                    {"mean", result.ring->mean},
                    {"min", result.ring->min},
                    {"max", result.ring->max}};
  }
  if (result.self_intersections) {
    json["self_intersections"] = *result.self_intersections;
  }
  if (!result.teaching.empty()) {
    json["theory"] = Json::array();
    for (const edit::TeachingRow& row : result.teaching) {
      Json one = {{"name", row.name}, {"measured", row.measured}};
      if (row.closed_form) {
        one["closed_form"] = *row.closed_form;
      }
      json["theory"].push_back(std::move(one));
    }
  }
  return json;
}

void add_battery(Json& json, const Comparison& comparison, const rig::Character& character) {
  const edit::MethodBattery& battery = *comparison.battery;
  json["verdict"] = {{"text", edit::verdict(battery, character)}, {"judged_joints", battery.judged_joints()}};
  if (const auto odd = battery.beyond_reason(); odd && battery.best_method() < 0) {
    json["verdict"]["beyond_reason"] = json_of_side(comparison.sides[odd->method]);
    json["verdict"]["beyond_reason"]["joint"] = character.skeleton->label(battery.joints[odd->joint]);
    const int pose = battery.cells[odd->joint][odd->method].odd_pose;
    json["verdict"]["beyond_reason"]["pose"] = comparison.poses[pose].label;
  }
  if (const int best = battery.best_method(); best >= 0) {
    const std::size_t m = best;
    const std::size_t worst = battery.worst_joint(m);
    json["verdict"].update(json_of_side(comparison.sides[m]));
    json["verdict"].update({{"mean_volume_change", battery.mean_severity(m)},
                            {"worst_joint", character.skeleton->label(battery.joints[worst])},
                            {"worst_volume_ratio", *battery.cells[worst][m].volume_ratio}});
    if (const int standard = battery.standard_method(); standard >= 0) {
      const double change = battery.mean_severity(static_cast<std::size_t>(standard));
      json["verdict"]["standard"] = json_of_side(comparison.sides[standard]);
      json["verdict"]["standard"]["mean_volume_change"] = change;
      json["verdict"]["margin"] = change - battery.mean_severity(m);
    }
  }
  json["joints"] = Json::array();
  for (const std::size_t row : battery.worst_first()) {
    Json methods = Json::array();
    for (std::size_t m = 0; m < comparison.sides.size(); ++m) {
      const edit::BatteryCell& cell = battery.cells[row][m];
      Json method = json_of_side(comparison.sides[m]);
      const auto name_pose = [&](const char* key, int pose) {
        if (pose >= 0) {
          method[key] = comparison.poses[pose].label;
        }
      };
      if (cell.volume_ratio) {
        method["volume_ratio"] = *cell.volume_ratio;
        name_pose("volume_pose", cell.volume_pose);
      }
      method["max_edge_stretch"] = cell.max_edge_stretch;
      name_pose("stretch_pose", cell.stretch_pose);
      method["flipped_triangles"] = cell.flipped_triangles;
      name_pose("flipped_pose", cell.flipped_pose);
      methods.push_back(std::move(method));
    }
    json["joints"].push_back(
        {{"joint", character.skeleton->label(battery.joints[row])}, {"methods", std::move(methods)}});
  }
}

// --- text

/// The room that the longest name of a side takes, and no less than `least`.
std::size_t name_width(const Comparison& comparison, std::size_t least) {
  for (const ComparedSide& side : comparison.sides) {
    least = std::max(least, side.label.size());
  }
  return least;
}

/// One row per pose, one column per method.
void add_block(const Comparison& comparison, std::string& text, const std::string& title,
               const std::function<std::string(const MethodResult&)>& cell) {
  const std::size_t width = name_width(comparison, 22);
  text += fmt::format("\n  {}\n  {:<24}", title, comparison.swept);
  for (const ComparedSide& side : comparison.sides) {
    text += fmt::format(" {:>{}}", side.label, width);
  }
  text += "\n";
  for (const PoseResult& pose : comparison.poses) {
    text += fmt::format("  {:<24}", pose.value ? fmt::format("{:g}", *pose.value) : printable(pose.label, 24));
    for (const MethodResult& result : pose.methods) {
      text += fmt::format(" {:>{}}", cell(result), width);
    }
    text += "\n";
  }
}

std::string sweep_text(const Comparison& comparison) {
  std::string text;
  // Without the sign of a zero, which rounding may leave.
  const auto number = [](double value) { return fmt::format("{:.6f}", std::abs(value) < 0.5e-6 ? 0.0 : value); };
  add_block(comparison, text, "volume against rest",
            [&](const MethodResult& r) { return number(r.collapse.volume_ratio); });
  add_block(comparison, text, "area against rest",
            [&](const MethodResult& r) { return number(r.collapse.area_ratio); });
  if (!comparison.ring_joint.empty()) {
    add_block(comparison, text,
              fmt::format("mean radius of the ring at {}, metres (at rest {:.6f})", printable(comparison.ring_joint),
                          comparison.ring_rest),
              [&](const MethodResult& r) { return number(r.ring ? r.ring->mean : 0.0); });
  }
  // What theory says of the same names in every pose and method.
  const std::vector<edit::TeachingRow>& names = comparison.poses.back().methods[0].teaching;
  for (std::size_t i = 0; i < names.size(); ++i) {
    add_block(comparison, text,
              fmt::format("{}: measured and closed form, = where all digits shown agree", names[i].name),
              [&](const MethodResult& r) {
                const auto row = std::ranges::find(r.teaching, names[i].name, &edit::TeachingRow::name);
                if (row == r.teaching.end()) {
                  return std::string("-");
                }
                const std::string measured = number(row->measured);
                const std::string expected = row->closed_form ? number(*row->closed_form) : fmt::format("{:>8}", "-");
                return fmt::format("{} {} {}", measured,
                                   !row->closed_form      ? ""
                                   : measured == expected ? "="
                                                          : "!=",
                                   expected);
              });
  }
  return text;
}

/// Fields over the surface; over all poses each in the pose that is worst for it.
std::string surface_text(const Comparison& comparison, std::size_t worst_pose, bool over_all) {
  constexpr int kCell = 34;
  const std::string& reference = comparison.sides[comparison.reference].label;
  const std::size_t names = name_width(comparison, 18);
  std::string text = fmt::format("\n  {:<{}}", "on the surface", names);
  for (const measure::Measure measure : kSurfaceMeasures) {
    text += fmt::format(" {:>{}}", measure::info(measure).label, kCell);
  }
  text += "\n";
  for (std::size_t m = 0; m < comparison.sides.size(); ++m) {
    text += fmt::format("  {:<{}}", comparison.sides[m].label, names);
    for (std::size_t i = 0; i < kSurfaceMeasures.size(); ++i) {
      const measure::FieldSummary* worst = &comparison.poses[worst_pose].methods[m].surface[i];
      for (std::size_t p = 0; over_all && p < comparison.poses.size(); ++p) {
        const measure::FieldSummary& here = comparison.poses[p].methods[m].surface[i];
        worst = std::abs(here.worst) > std::abs(worst->worst) ? &here : worst;
      }
      const measure::MeasureInfo& shown = measure::info(kSurfaceMeasures[i]);
      text += fmt::format(
          " {:>{}}",
          fmt::format("{:.4g} {}, {:.3g} {} ({}, {})", worst->worst * shown.shown_per_unit, shown.unit,
                      worst->rms * shown.shown_per_unit, shown.unit, worst->worst_part, worst->worst_vertex),
          kCell);
    }
    text += "\n";
  }
  return text + fmt::format("  Worst and RMS (part, vertex of the worst); strains against {}, normals against {}\n",
                            comparison.against == StrainsAgainst::kBind ? std::string("the bind shape") : reference,
                            reference);
}

std::string joints_text(const Comparison& comparison, const rig::Character& character) {
  const edit::MethodBattery& battery = *comparison.battery;
  std::string text = fmt::format("\n  {}\n", edit::verdict(battery, character));
  if (battery.joints.empty()) {
    return text;
  }
  text += fmt::format(
      "\n  worst joints: change of the volume around the joint, edge stretch, flipped triangles\n  {:<24}", "");
  const std::size_t width = name_width(comparison, 24);
  for (const ComparedSide& side : comparison.sides) {
    text += fmt::format(" {:>{}}", side.label, width);
  }
  text += "  in pose\n";
  const std::vector<std::size_t> order = battery.worst_first();
  for (std::size_t i = 0; i < std::min(kJointsShown, order.size()); ++i) {
    const std::vector<edit::BatteryCell>& row = battery.cells[order[i]];
    text += fmt::format("  {:<24}", printable(character.skeleton->label(battery.joints[order[i]]), 24));
    const edit::BatteryCell* worst = &row[0];
    for (const edit::BatteryCell& cell : row) {
      text += fmt::format(" {:>{}} {:>5.2f} {:>5}", edit::volume_change_text(cell.volume_ratio), width - 12,
                          cell.max_edge_stretch, cell.flipped_triangles);
      worst = cell.severity() > worst->severity() ? &cell : worst;
    }
    const int pose = worst->volume_ratio ? worst->volume_pose : worst->stretch_pose;
    text += pose < 0 ? "\n" : fmt::format("  {}\n", printable(comparison.poses[pose].label));
  }
  if (order.size() > kJointsShown) {
    text += fmt::format("  and {} more (all with --json)\n", order.size() - kJointsShown);
  }
  return text;
}

}  // namespace

std::string json_of(const Comparison& comparison, const rig::Character& character) {
  const Farthest worst = farthest_of(comparison);
  const PoseResult& worst_pose = comparison.poses[worst.pose];
  const std::size_t reference = comparison.reference;
  Json json;
  json["poses"] = comparison.poses.size();
  json["worst_pose"] = worst_pose.label;
  json["difference"] = json_of_difference(comparison, worst_pose.methods[worst.method].difference);
  json["a"] = json_of_method(comparison, reference, worst_pose.methods[reference]);
  json["b"] = json_of_method(comparison, worst.method, worst_pose.methods[worst.method]);
  if (comparison.battery) {
    add_battery(json, comparison, character);
  }
  json["per_pose"] = Json::array();
  for (std::size_t p = 0; p < comparison.poses.size(); ++p) {
    const PoseResult& pose = comparison.poses[p];
    const std::size_t other = farthest_in(comparison, p).method;
    Json one;
    one["label"] = pose.label;
    if (pose.value) {
      one["value"] = *pose.value;
    }
    one["difference"] = json_of_difference(comparison, pose.methods[other].difference);
    one["a"] = json_of_method(comparison, reference, pose.methods[reference]);
    one["b"] = json_of_method(comparison, other, pose.methods[other]);
    if (!comparison.pair) {
      one["methods"] = Json::array();
      for (std::size_t m = 0; m < pose.methods.size(); ++m) {
        Json method = json_of_method(comparison, m, pose.methods[m]);
        method["difference"] = json_of_difference(comparison, pose.methods[m].difference);
        one["methods"].push_back(std::move(method));
      }
    }
    json["per_pose"].push_back(std::move(one));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string csv_of(const Comparison& comparison, const rig::Character& character) {
  std::string text =
      "pose,value,method,backend,max_distance (m),rms_distance (m),max_normal_angle (rad),volume_ratio,area_ratio,"
      "max_edge_stretch,min_edge_stretch,flipped_triangles,bone_distance_min (m),bone_distance_max (m),ring_mean (m),"
      "ring_min (m),ring_max (m),self_intersections,normals,influences";
  for (const measure::Measure measure : kSurfaceMeasures) {
    const std::string name = key_of(measure);
    const char* const unit = measure == measure::Measure::kNormalAngle ? " (rad)" : "";
    text += fmt::format(",{0}_max{1},{0}_rms{1},{0}_part,{0}_vertex", name, unit);
  }
  // What theory says of the same names in every pose and method, as on the screen.
  const std::vector<edit::TeachingRow>& names = comparison.poses.back().methods[0].teaching;
  for (const edit::TeachingRow& row : names) {
    const std::string unit = row.unit.empty() ? "" : fmt::format(" ({})", row.unit);
    text += "," + edit::csv_cell(fmt::format("{}: measured{}", row.name, unit)) + "," +
            edit::csv_cell(fmt::format("{}: closed form{}", row.name, unit));
  }
  text += "\n";
  for (const PoseResult& pose : comparison.poses) {
    for (std::size_t m = 0; m < pose.methods.size(); ++m) {
      const MethodResult& r = pose.methods[m];
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", edit::csv_cell(pose.label),
                          pose.value ? fmt::format("{}", *pose.value) : "", method_id(comparison.sides[m]),
                          backend_id(comparison.sides[m]), r.difference.max, r.difference.rms,
                          r.difference.max_normal_angle, r.collapse.volume_ratio, r.collapse.area_ratio,
                          r.collapse.max_edge_stretch, r.collapse.min_edge_stretch, r.flipped_triangles, r.bones.min,
                          r.bones.max, r.ring ? fmt::format("{},{},{}", r.ring->mean, r.ring->min, r.ring->max) : ",,",
                          r.self_intersections ? fmt::format("{}", *r.self_intersections) : "");
      text += fmt::format(",{},{}", normals_of(comparison.sides[m]), comparison.sides[m].settings.influence_limit);
      for (const measure::FieldSummary& field : r.surface) {
        text += fmt::format(",{},{},{},{}", field.worst, field.rms, field.worst_part, field.worst_vertex);
      }
      for (const edit::TeachingRow& name : names) {
        const auto row = std::ranges::find(r.teaching, name.name, &edit::TeachingRow::name);
        const bool found = row != r.teaching.end();
        text += "," + (found ? edit::csv_cell(row->measured) : "") + "," +
                (found && row->closed_form ? edit::csv_cell(*row->closed_form) : "");
      }
      text += "\n";
    }
  }
  if (comparison.battery) {
    edit::MethodBattery battery = *comparison.battery;
    for (const PoseResult& pose : comparison.poses) {
      battery.poses.push_back({pose.label, edit::RandomPose{}});  // only labels are read
    }
    text += "\n" + edit::to_csv(battery, character);
  }
  return text;
}

std::string text_of(const Comparison& comparison, const rig::Character& character) {
  const Farthest worst = farthest_of(comparison);
  const PoseResult& worst_pose = comparison.poses[worst.pose];
  const measure::Difference& d = worst_pose.methods[worst.method].difference;
  std::string text =
      comparison.pair ? fmt::format("{} against {}, {} pose(s); worst: {}\n", comparison.sides[0].label,
                                    comparison.sides[1].label, comparison.poses.size(), printable(worst_pose.label))
                      : fmt::format("{} method(s) against {}, {} pose(s); worst: {} in {}\n", comparison.sides.size(),
                                    comparison.sides[comparison.reference].label, comparison.poses.size(),
                                    comparison.sides[worst.method].label, printable(worst_pose.label));
  text += fmt::format("  largest distance  {:.6g} m = {:.3g} of the diagonal (part {}, vertex {})\n", d.max,
                      over_diagonal(comparison, d.max), d.worst_part, d.worst_vertex);
  text += fmt::format("  RMS distance      {:.6g} m\n", d.rms);
  // A pair is shown in its worst pose; of several methods each number is the worst over all poses.
  const bool over_all = !comparison.pair && comparison.poses.size() > 1;
  const std::size_t names = name_width(comparison, 18);
  text += fmt::format("  {:<{}}{:>12} {:>10} {:>10} {:>14} {:>12} {:>8}{}{}\n",
                      over_all ? "worst of all poses" : "against bind", names, "distance", "volume", "area",
                      "edge stretch", "edge shrink", "flipped", "   bone distance",
                      worst_pose.methods[0].self_intersections ? "  crossings" : "");
  for (std::size_t m = 0; m < comparison.sides.size(); ++m) {
    const auto of = [&](const std::function<double(const MethodResult&)>& value, auto&& worse) {
      return over_all ? worst_over_poses(comparison, m, value, worse) : value(worst_pose.methods[m]);
    };
    text += fmt::format("  {:<{}}{:>12.6g} {:>10.4f} {:>10.4f} {:>14.4f} {:>12.4f} {:>8.0f} {:>7.4f}-{:.4f}",
                        comparison.sides[m].label, names,
                        of([](const MethodResult& r) { return r.difference.max; }, kLarger),
                        of([](const MethodResult& r) { return r.collapse.volume_ratio; }, kFarther),
                        of([](const MethodResult& r) { return r.collapse.area_ratio; }, kFarther),
                        of([](const MethodResult& r) { return r.collapse.max_edge_stretch; }, kLarger),
                        of([](const MethodResult& r) { return r.collapse.min_edge_stretch; }, kSmaller),
                        of([](const MethodResult& r) { return static_cast<double>(r.flipped_triangles); }, kLarger),
                        of([](const MethodResult& r) { return r.bones.min; }, kSmaller),
                        of([](const MethodResult& r) { return r.bones.max; }, kLarger));
    if (worst_pose.methods[m].self_intersections) {
      text += fmt::format(
          " {:>10.0f}",
          of([](const MethodResult& r) { return static_cast<double>(r.self_intersections.value_or(0)); }, kLarger));
    }
    text += "\n";
  }
  text += surface_text(comparison, worst.pose, over_all);
  if (!comparison.swept.empty()) {
    text += sweep_text(comparison);
  } else if (!comparison.ring_joint.empty() || !worst_pose.methods[0].teaching.empty()) {
    for (std::size_t m = 0; m < comparison.sides.size(); ++m) {
      const MethodResult& result = worst_pose.methods[m];
      if (result.ring) {
        text += fmt::format("  {:<{}}ring at {}: mean {:.6f} m, {:.6f} to {:.6f}; at rest {:.6f}\n",
                            comparison.sides[m].label, names, printable(comparison.ring_joint), result.ring->mean,
                            result.ring->min, result.ring->max, comparison.ring_rest);
      }
      for (const edit::TeachingRow& row : result.teaching) {
        text += fmt::format("  {:<{}}{}: measured {:.6f}{}\n", comparison.sides[m].label, names, row.name, row.measured,
                            row.closed_form ? fmt::format(", closed form {:.6f}", *row.closed_form) : "");
      }
    }
  }
  if (comparison.battery) {
    text += joints_text(comparison, character);
  }
  return text;
}

}  // namespace pelt::cli
