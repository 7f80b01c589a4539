#include "ui/field_row.h"

#include <algorithm>
#include <cctype>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr std::string_view kOfDiagonal = "of the diagonal";

// How a number is written: with as many decimals as its range needs to be set in a hundred steps or more, and its unit.
std::string format_of(const bind::Field& field) {
  if (field.unit == kOfDiagonal) {
    return field.maximum - field.minimum < 0.5 ? "%.2f\u2009%%" : "%.1f\u2009%%";
  }
  const double range = field.maximum - field.minimum;
  const char* const number = field.kind == bind::Field::Kind::kInteger ? "%.0f"
                             : range < 0.5                             ? "%.4f"
                             : range <= 1                              ? "%.3f"
                                                                       : "%.2f";
  constexpr std::size_t kShortUnit = 2;
  return field.unit == "degrees"          ? "%.1f\u00b0"
         : field.unit.size() > kShortUnit ? number
         : field.unit.empty()             ? number
                                          : fmt::format("{}\u2009{}", number, field.unit);
}

// Where the number itself does not say it.
std::string help_of(const bind::Field& field) {
  return field.unit == kOfDiagonal ? fmt::format("{}, in percent of the mesh's diagonal", field.help)
                                   : std::string(field.help);
}

// "tapered-capsule" as it stands in a list.
std::string words_of(std::string_view id) {
  std::string words(id);
  std::ranges::replace(words, '-', ' ');
  words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(words[0])));
  return words;
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
  row_label(desk, std::string(field.label).c_str(), help_of(field));
  if (!field.choices.empty()) {
    int choice = std::clamp(static_cast<int>(value), 0, static_cast<int>(field.choices.size()) - 1);
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
    const bool changed = combo(desk, name.c_str(), static_cast<int>(field.choices.size()), choice,
                               [&](int i) { return words_of(field.choices[static_cast<std::size_t>(i)]); });
    value = changed ? choice : value;
    return changed;
  }
  const std::string format = format_of(field);
  SliderStyle style{.lower = static_cast<float>(field.minimum), .upper = static_cast<float>(field.maximum)};
  style.format = format.c_str();
  style.factor = field.unit == kOfDiagonal ? 100.0f : 1.0f;
  style.origin = static_cast<float>(field.standard);
  style.step = field.kind == bind::Field::Kind::kInteger ? 1.0f : 0.0f;
  auto shown = static_cast<float>(value);
  bool ended = false;
  const bool changed = value_slider(desk, name.c_str(), shown, style, ImGui::GetContentRegionAvail().x, ended);
  value = changed ? std::clamp(static_cast<double>(shown), field.minimum, field.maximum) : value;
  return changed;
}

}  // namespace pelt::ui
