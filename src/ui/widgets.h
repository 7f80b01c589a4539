#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>
#include <glm/glm.hpp>

#include "math/angle.h"
#include "rig/dofs.h"
#include "ui/theme.h"
#include "ui/widget_report.h"

namespace pelt::ui {

struct Desk;

inline constexpr auto kDegreesPerRadian = static_cast<float>(1 / kDegree);

/// Puts the last item's rectangle into the report under `name`, if it is visible.
void report_item(Desk& desk, std::string_view name);

/// A bold heading with a hairline.
void heading(Desk& desk, const char* text);
/// A foldable section; open unless `open` is false at first. Tells whether the content is to be drawn.
bool section(Desk& desk, const char* text, bool open = true);
void dim_text(std::string_view text);
void text(std::string_view what);
void wrapped_text(std::string_view what, ImU32 color = color::kText);
/// The text in lines of at most `width` pixels, broken at spaces alone: a number stays whole, and with the unit that a
/// thin space ties to it. A word that is wider has a line of its own.
std::string in_lines(std::string_view what, float width);
/// A whole sentence in as many lines as it takes, which can be clicked. Tells whether it was.
/// @param on      the sentence stands on the colour of what is chosen
/// @param beside  pixels at the right that the sentence leaves free
bool clickable_sentence(Desk& desk, std::string_view name, std::string_view what, bool on = false, float beside = 0);
/// Text in the current line, cut with an ellipsis at `width` pixels; what is cut has a tooltip with the whole.
void clipped_text(std::string_view what, float width, ImU32 color = color::kText);
/// The same at a place on the screen, without being an item.
void clipped_text_at(glm::vec2 at, std::string_view what, float width, ImU32 color = color::kText);
/// As much of it as has room in `width` pixels, cut with an ellipsis.
std::string fitted(std::string what, float width);
/// As much of it as a closed drop-down of the next item's width can show beside its arrow.
std::string fitted_in_combo(std::string what);
/// What is seen of the last item, pixels of the window.
Rect item_rect();
/// Shows `what` beside the last item while it is hovered, see tooltip.h.
void tip(std::string_view what);
/// The same at the side of the window that the item is in, so that a tooltip covers no other row of a list.
void tip_beside_window(std::string_view what);

/// "label" at the left, the cursor at the value column; the next item fills the rest.
void row_label(Desk& desk, const char* label, std::string_view help = {});

/// A row of `label` and a text, cut where it does not fit.
void number_line(Desk& desk, const char* label, const std::string& value, std::string_view help = {});

/// Frameless square button with an icon. @param on  drawn in the accent colour
bool icon_button(Desk& desk, const char* id, const char* icon, std::string_view help, bool on = false,
                 bool enabled = true);

/// A box that is seen as one also where it is empty. Tells whether it was clicked; `value` is the other one then.
bool checkbox(Desk& desk, const char* name, const char* label, bool& value, std::string_view help = {});
/// One of several rows that exclude each other. Tells whether it was clicked.
bool radio(Desk& desk, const char* name, const char* label, bool on, std::string_view help = {});

/// One choice of several as adjoining buttons. Tells whether `current` changed.
bool segmented(Desk& desk, const char* name, std::span<const char* const> labels, int& current, float width = 0);

/// A drop-down of `count` choices labelled by `label(i)`. Tells whether `current` changed.
/// @param closed  what it shows while it is closed; by default the label of the current choice
template <typename Label>
bool combo(Desk& desk, const char* name, int count, int& current, const Label& label, std::string closed = {});

/// A value between limits: a slider and a field to type or drag in. Values are shown times `factor` (57.3 for degrees).
/// A double click on the slider goes back to its origin, or sets `reset` where the caller knows what that means.
/// Sets `ended` when the field was left; a slider's changes end with the next press of the mouse, as a click may become
/// a double click. Tells whether the value changed.
struct SliderStyle {
  float lower = 0;
  float upper = 1;
  float factor = 1;
  const char* format = "%.2f";
  ImU32 color = 0;                    ///< of the filled part; 0: accent
  float origin = 0;                   ///< the usual value, where the filled part begins (unscaled)
  std::span<const float> marks = {};  ///< values with a tick above the track (unscaled); none outside the limits
  float step = 0;                     ///< values are whole multiples of it (unscaled); 0: any
  /// The lowest and highest value that the field takes (unscaled), where that is more than the track shows.
  std::optional<glm::vec2> number = {};
};
bool value_slider(Desk& desk, const char* name, float& value, const SliderStyle& style, float width, bool& ended,
                  bool* reset = nullptr);

/// A filled bar with a number: weights.
void bar(Desk& desk, float fraction, ImU32 color, float width, std::string_view label);
/// How far work has come, as tall as a button. @param label  in its middle, cut where it does not fit
void progress_bar(Desk& desk, float fraction, float width, std::string_view label = {});

/// The key went down in this frame, or with `repeat` is held.
bool pressed(ImGuiKey key, bool repeat = false);

/// Counts with thousands separated, "12 345"; bytes as "1.2 MB".
std::string count_text(std::int64_t value);
/// "1 joint", "1 200 joints": a count with its noun. @param plural  the noun for any number but one
std::string count_of(std::int64_t count, std::string_view singular, std::string_view plural);
std::string bytes_text(std::int64_t value);

/// Of a slider and its ring: twist red, side green, bend blue, others by their axis.
ImU32 dof_color(const rig::Dof& dof);
ImU32 severity_color(int severity);
/// Of the panes, in captions, tables and curves.
ImU32 pane_color(int pane);
/// Draws a small square in the pane's colour; what follows stands beside it.
void pane_chip(int pane, const Desk& desk);
ImU32 faded(ImU32 color, float alpha);
/// @param srgb  0..1
ImU32 packed(const glm::vec3& srgb);

// ---------------------------------------------------------------------------------------------------------------------

template <typename Label>
bool combo(Desk& desk, const char* name, int count, int& current, const Label& label, std::string closed) {
  bool changed = false;
  if (closed.empty() && current >= 0 && current < count) {
    closed = label(current);
  }
  const std::string id = std::string("##") + name;
  closed = fitted_in_combo(std::move(closed));
  const bool open = ImGui::BeginCombo(id.c_str(), closed.c_str(), ImGuiComboFlags_HeightLarge);
  if (!open) {
    report_item(desk, name);
  } else {
    for (int i = 0; i < count; ++i) {
      ImGui::PushID(i);
      if (ImGui::Selectable(std::string(label(i)).c_str(), i == current)) {
        changed = i != current;
        current = i;
      }
      report_item(desk, fmt::format("{}.{}", name, i));
      if (i == current && ImGui::IsWindowAppearing()) {
        ImGui::SetScrollHereY();
        ImGui::SetItemDefaultFocus();
      }
      ImGui::PopID();
    }
    ImGui::EndCombo();
  }
  return changed;
}

}  // namespace pelt::ui
