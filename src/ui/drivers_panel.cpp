#include "ui/drivers_panel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "core/text.h"
#include "edit/behaviour_readings.h"
#include "ui/icons.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr int kDriverSamples = 96;
constexpr double kShownBreath = 4;  // seconds of a curve over time without a clip

// The stretch of an input that its curve shows, and its name.
struct Stretch {
  double lower = 0;
  double upper = 1;
  std::string name;
  const char* unit = "";
};

Stretch stretch_of(const motion::ExpressionInput& input, const motion::FoundInput& found, double now,
                   const Desk& desk) {
  const rig::Character& character = desk.character();
  const edit::Content& content = desk.document().content;
  switch (input.kind) {
    case motion::InputKind::kDof: {
      const rig::Dof& dof = character.skeleton->dofs[found.control.joint].dofs[found.control.dof];
      const double factor = motion::shown_per_stored(dof);
      const bool is_angle = dof.kind == rig::DofKind::kRotation;
      return {static_cast<double>(dof.lower) * factor, static_cast<double>(dof.upper) * factor,
              fmt::format("{}.{}", input.joint, input.other), is_angle ? "°" : ""};
    }
    case motion::InputKind::kSwing:
      return {0, 180, fmt::format("swing of {}", input.joint), "°"};
    case motion::InputKind::kTwist:
      return {-180, 180, fmt::format("twist of {}", input.joint), "°"};
    case motion::InputKind::kDistance:
      return {0, std::max(2 * now, 1e-3), fmt::format("{} to {}", input.joint, input.other), " m"};
    case motion::InputKind::kShape:
      return {std::min(0.0, now), std::max(1.0, now), input.other, ""};
    default:
      break;
  }
  const double length =
      content.clip >= 0 ? static_cast<double>(character.clips[content.clip].end - character.clips[content.clip].start)
                        : kShownBreath;
  return {0, std::max(length, 1e-3), "time", " s"};
}

// The expression over the first thing that it reads, the others as they are, with a dot where it is.
void draw_curve(const motion::DriverRig::Row& row, const edit::DriverState& state, const std::string& name,
                Desk& desk) {
  const auto inputs = row.expression.inputs();
  const auto moving = std::ranges::find_if(
      inputs, [](const motion::ExpressionInput& input) { return input.kind != motion::InputKind::kStep; });
  if (moving == inputs.end() || state.inputs.size() != inputs.size()) {
    return;
  }
  const std::size_t which = moving - inputs.begin();
  const Stretch stretch = stretch_of(*moving, row.inputs[which], state.inputs[which], desk);
  std::vector<double> at = state.inputs;
  std::array<std::optional<double>, kDriverSamples> values;
  double lowest = state.value.value_or(0);
  double highest = lowest;
  for (int i = 0; i < kDriverSamples; ++i) {
    at[which] = stretch.lower + (stretch.upper - stretch.lower) * i / (kDriverSamples - 1);
    values[i] = row.expression.value(at);
    lowest = std::min(lowest, values[i].value_or(lowest));
    highest = std::max(highest, values[i].value_or(highest));
  }
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = desk.theme.px(54);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton(("##" + name).c_str(), ImVec2(width, height));
  report_item(desk, name);
  tip(fmt::format("Over {} from {:.4g}{} to {:.4g}{}: {:.4g} to {:.4g}", printable(stretch.name, 60), stretch.lower,
                  stretch.unit, stretch.upper, stretch.unit, lowest, highest));
  const float pad = desk.theme.px(5);
  const double span = highest - lowest > 1e-12 ? highest - lowest : 1;
  const auto place = [&](double share, double value) {
    return ImVec2(corner.x + pad + static_cast<float>(share) * (width - 2 * pad),
                  corner.y + height - pad - static_cast<float>((value - lowest) / span) * (height - 2 * pad));
  };
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(corner, ImVec2(corner.x + width, corner.y + height), color::kRaised, desk.theme.px(3));
  for (int i = 1; i < kDriverSamples; ++i) {
    if (values[i - 1] && values[i]) {
      list.AddLine(place((i - 1.0) / (kDriverSamples - 1), *values[i - 1]),
                   place(i * 1.0 / (kDriverSamples - 1), *values[i]), color::kAccent, desk.theme.px(1.5f));
    }
  }
  if (state.value) {
    const double share = (state.inputs[which] - stretch.lower) / (stretch.upper - stretch.lower);
    list.AddCircleFilled(place(std::clamp(share, 0.0, 1.0), *state.value), desk.theme.px(3.5f), IM_COL32_WHITE);
  }
}

// What a change of the drivers would be refused with; without one it is requested.
std::string try_drivers(std::vector<motion::Driver> drivers, const std::string& key, Desk& desk) {
  const edit::SetDrivers change{std::move(drivers)};
  std::string why = edit::refusal(desk.document(), change);
  if (why.empty()) {
    desk.change(change, key);
  }
  return why;
}

// Without the target, which stands above it.
std::string_view shown_fault(std::string_view fault, const motion::Driver& driver) {
  const std::string target = printable(driver.target, 60) + ": ";
  return fault.starts_with(target) ? fault.substr(target.size()) : fault;
}

void draw_expression(DriversPanel& panel, int d, const edit::DriverState& state, Desk& desk) {
  const std::vector<motion::Driver>& drivers = desk.document().content.behaviour->drivers;
  const motion::Driver& driver = drivers[d];
  const std::string name = fmt::format("drivers.{}.expression", d);
  if (panel.edited == d && driver.expression != panel.base) {
    panel.edited = -1;
  }
  std::string own = driver.expression;
  std::string& text = panel.edited == d ? panel.text : own;
  ImGui::SetNextItemWidth(-1);
  const bool edited = ImGui::InputText(("##" + name).c_str(), &text);
  report_item(desk, name);
  if (edited) {
    panel.text = text;
    panel.edited = d;
  }
  std::string fault = state.fault;
  if (panel.edited == d) {
    std::vector<motion::Driver> changed = drivers;
    changed[d].expression = panel.text;
    if (edited) {
      fault = try_drivers(changed, name, desk);
      panel.base = fault.empty() ? panel.text : driver.expression;
    } else {
      fault = driver.expression == panel.text ? state.fault : edit::refusal(desk.document(), {std::move(changed)});
    }
    desk.requests.end_merge |= ImGui::IsItemDeactivatedAfterEdit();
    if (!ImGui::IsItemActive() && fault.empty()) {
      panel.edited = -1;
    }
  }
  if (!fault.empty()) {
    wrapped_text(shown_fault(fault, driver), severity_color(static_cast<int>(Severity::kError)));
  }
}

void draw_driver(DriversPanel& panel, int d, const motion::DriverRig& rig, const edit::DriverState& state, Desk& desk) {
  const std::vector<motion::Driver>& drivers = desk.document().content.behaviour->drivers;
  const motion::Driver& driver = drivers[d];
  const std::string name = fmt::format("drivers.{}", d);
  bool on = driver.on;
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  const std::string value = state.value                 ? fmt::format("{:.4g}", *state.value)
                            : state.fault.empty() && on ? "no value"
                                                        : "";
  const float value_at = right - ImGui::GetFrameHeight() - ImGui::CalcTextSize(value.c_str()).x - desk.theme.px(8);
  const std::string target = printable(driver.target, 40);
  const float width = value_at - ImGui::GetCursorPosX() - ImGui::GetFrameHeight() - desk.theme.px(12);
  if (checkbox(desk, name.c_str(), fitted(target, width).c_str(), on, target + ". Off: it goes its own way")) {
    std::vector<motion::Driver> changed = drivers;
    changed[d].on = on;
    if (const std::string why = try_drivers(changed, "", desk); !why.empty()) {
      panel.edited = -1;
    }
  }
  ImGui::SameLine(value_at, 0);
  ImGui::AlignTextToFramePadding();
  dim_text(value);
  report_item(desk, name + ".value");
  ImGui::SameLine(right - ImGui::GetFrameHeight(), 0);
  if (icon_button(desk, (name + ".remove").c_str(), icon::kClose, "Remove this driver")) {
    std::vector<motion::Driver> changed = drivers;
    changed.erase(changed.begin() + d);
    panel.edited = -1;
    desk.change(edit::SetDrivers{std::move(changed)});
    return;
  }
  draw_expression(panel, d, state, desk);
  const auto row = std::ranges::find(rig.rows, d, &motion::DriverRig::Row::driver);
  if (row != rig.rows.end()) {
    draw_curve(*row, state, name + ".curve", desk);
  }
  ImGui::Spacing();
}

// Sliders of the active joint, then shapes: what can be driven.
std::vector<std::string> targets(const Desk& desk) {
  const rig::Character& character = desk.character();
  std::vector<std::string> out;
  if (const int joint = desk.document().view.selected_joint(); joint >= 0) {
    for (int d = 0; d < static_cast<int>(character.skeleton->dofs[joint].dofs.size()); ++d) {
      out.push_back(motion::control_text(character, joint, d));
    }
  }
  for (const std::string& shape : motion::shape_names(character)) {
    out.push_back(motion::shape_text(shape));
  }
  return out;
}

// Sliders that turn joints: what is usually followed.
std::vector<std::string> followed(const rig::Character& character, std::string_view filter) {
  std::vector<std::string> out;
  for (int j = 0; j < character.skeleton->size(); ++j) {
    const std::vector<rig::Dof>& dofs = character.skeleton->dofs[j].dofs;
    for (int d = 0; d < static_cast<int>(dofs.size()); ++d) {
      if (!dofs[d].folded && dofs[d].kind == rig::DofKind::kRotation) {
        std::string text = motion::control_text(character, j, d);
        if (contains_ignoring_case(text, filter)) {
          out.push_back(std::move(text));
        }
      }
    }
  }
  return out;
}

// A drop-down of texts; the first where none is chosen yet.
void choose(const char* name, const std::vector<std::string>& choices, std::string& chosen, Desk& desk) {
  const auto found = std::ranges::find(choices, chosen);
  int current = found == choices.end() ? -1 : static_cast<int>(found - choices.begin());
  if (current < 0 && !choices.empty()) {
    current = 0;
    chosen = choices.front();
  }
  ImGui::SetNextItemWidth(-1);
  if (combo(desk, name, static_cast<int>(choices.size()), current,
            [&](int i) { return printable(choices[static_cast<std::size_t>(i)], 60); })) {
    chosen = choices[static_cast<std::size_t>(current)];
  }
}

// Of the joint above the active one, which a helper follows; of the active one itself for a shape.
std::string usual_source(const std::string& target, const Desk& desk) {
  const rig::Character& character = desk.character();
  int joint = desk.document().view.selected_joint();
  if (joint >= 0 && !target.starts_with("shape(") && character.skeleton->parent[joint] >= 0) {
    joint = character.skeleton->parent[joint];
  }
  const std::size_t none = 0;
  const std::vector<rig::Dof>& dofs = character.skeleton->dofs[joint < 0 ? none : static_cast<std::size_t>(joint)].dofs;
  const auto bend = std::ranges::find(dofs, "bend", &rig::Dof::name);
  return joint < 0 || dofs.empty()
             ? ""
             : motion::control_text(character, joint, bend == dofs.end() ? 0 : static_cast<int>(bend - dofs.begin()));
}

void draw_adding(DriversPanel& panel, Desk& desk) {
  const std::vector<std::string> possible = targets(desk);
  if (possible.empty()) {
    dim_text("Select a joint to drive one of its sliders.");
    return;
  }
  const auto presets = motion::driver_presets();
  row_label(desk, "Drive", "A slider of the active joint, or a shape");
  const std::string before = panel.target;
  choose("drivers.target", possible, panel.target, desk);
  if (panel.target != before) {
    panel.source.clear();
  }
  row_label(desk, "As", presets[static_cast<std::size_t>(panel.preset)].help);
  ImGui::SetNextItemWidth(-1);
  combo(desk, "drivers.preset", static_cast<int>(presets.size()), panel.preset,
        [&](int i) { return std::string(presets[static_cast<std::size_t>(i)].label); });
  const motion::DriverPreset& preset = presets[static_cast<std::size_t>(panel.preset)];
  if (preset.reads_source) {
    row_label(desk, "Follows", "The slider that it follows; any other can be typed into the expression");
    if (panel.source.empty()) {
      panel.source = usual_source(panel.target, desk);
    }
    choose("drivers.source", followed(desk.character(), panel.filter), panel.source, desk);
  }
  const edit::SetDrivers change =
      edit::with_driver(desk.document(), panel.target, preset.expression(panel.target, panel.source));
  const std::string why = edit::refusal(desk.document(), change);
  ImGui::BeginDisabled(!why.empty());
  if (ImGui::Button("Add driver", ImVec2(-1, 0))) {
    desk.change(change);
  }
  ImGui::EndDisabled();
  report_item(desk, "drivers.add");
  if (!why.empty()) {
    wrapped_text(why, color::kTextDim);
  }
}

void draw_language(Desk& desk) {
  if (!section(desk, "What expressions may say", false)) {
    return;
  }
  wrapped_text("Degrees, metres and factors; sin and cos take degrees. + - * / ( ), sliders as elbow_l.bend, t and dt.",
               color::kTextDim);
  for (const motion::ExpressionFunction& function : motion::expression_functions()) {
    text(function.signature);
    wrapped_text(function.help, color::kTextDim);
  }
}

}  // namespace

void draw(DriversPanel& panel, Desk& desk) {
  const std::vector<motion::Driver>& drivers = desk.document().content.behaviour->drivers;
  if (drivers.empty()) {
    wrapped_text("Sliders and shapes can follow expressions: muscles that bulge, a chest that breathes.",
                 color::kTextDim);
  }
  const std::vector<edit::DriverState> states = edit::driver_states(desk.document());
  const motion::DriverRig rig = motion::make_driver_rig(desk.character(), drivers);
  for (int d = 0; d < static_cast<int>(drivers.size()); ++d) {
    ImGui::PushID(d);
    draw_driver(panel, d, rig, states[d], desk);
    ImGui::PopID();
  }
  heading(desk, "New driver");
  draw_adding(panel, desk);
  ImGui::Spacing();
  draw_language(desk);
}

}  // namespace pelt::ui
