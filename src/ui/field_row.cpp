#include "ui/field_row.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

// As many decimals as a range needs to be set in a hundred steps or more.
const char* decimals_of(const bind::Field& field) {
  const double range = field.maximum - field.minimum;
  return field.kind == bind::Field::Kind::kInteger ? "%.0f" : range < 0.5 ? "%.4f" : range <= 1 ? "%.3f" : "%.2f";
}

}  // namespace

bool field_row(Desk& desk, std::string_view panel, const bind::Field& field, double& value) {
  const std::string name = fmt::format("{}.{}", panel, field.id);
  if (field.kind == bind::Field::Kind::kSwitch) {
    row_label(desk, "");
    bool on = value > 0.5;
    const bool changed = checkbox(desk, name.c_str(), std::string(field.label).c_str(), on, field.help);
    value = changed ? (on ? 1 : 0) : value;
    return changed;
  }
  row_label(desk, std::string(field.label).c_str(), field.help);
  SliderStyle style{.lower = static_cast<float>(field.minimum), .upper = static_cast<float>(field.maximum)};
  style.format = decimals_of(field);
  style.origin = static_cast<float>(field.standard);
  style.step = field.kind == bind::Field::Kind::kInteger ? 1.0f : 0.0f;
  auto shown = static_cast<float>(value);
  bool ended = false;
  const bool changed = value_slider(desk, name.c_str(), shown, style, ImGui::GetContentRegionAvail().x, ended);
  value = changed ? std::clamp(static_cast<double>(shown), field.minimum, field.maximum) : value;
  return changed;
}

}  // namespace pelt::ui
