#include "ui/widgets.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <imgui_internal.h>

#include "ui/ink.h"
#include "ui/tooltip.h"
#include "ui/workspace.h"

namespace pelt::ui {

void report_item(Desk& desk, std::string_view name) {
  if (!ImGui::IsItemVisible()) {
    return;
  }
  const ImVec2 lower = ImGui::GetItemRectMin();
  const ImVec2 upper = ImGui::GetItemRectMax();
  desk.report[std::string(name)] = {lower.x, lower.y, upper.x - lower.x, upper.y - lower.y};
}

Rect item_rect() {
  ImRect rect(ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  rect.ClipWith(ImGui::GetCurrentWindow()->ClipRect);
  return {rect.Min.x, rect.Min.y, std::max(0.0f, rect.GetWidth()), std::max(0.0f, rect.GetHeight())};
}

ImU32 faded(ImU32 color, float alpha) {
  const ImU32 a = (color >> IM_COL32_A_SHIFT) & 0xFF;
  const ImU32 faded_alpha = static_cast<ImU32>(static_cast<float>(a) * alpha + 0.5f);
  return (color & ~IM_COL32_A_MASK) | (faded_alpha << IM_COL32_A_SHIFT);
}

ImU32 packed(const glm::vec3& srgb) {
  return ImGui::ColorConvertFloat4ToU32(ImVec4(srgb.r, srgb.g, srgb.b, 1.0f));
}

ImU32 severity_color(int severity) {
  switch (static_cast<Severity>(severity)) {
    case Severity::kInfo:
      return color::kAccent;
    case Severity::kWarning:
      return color::kWarning;
    case Severity::kError:
      return color::kError;
  }
  return color::kText;
}

ImU32 pane_color(int pane) {
  return color::kPane[static_cast<std::size_t>(pane) % std::size(color::kPane)];
}

void text(std::string_view what) {
  ImGui::TextUnformatted(what.data(), what.data() + what.size());
}

void dim_text(std::string_view what) {
  ImGui::PushStyleColor(ImGuiCol_Text, color::kTextDim);
  text(what);
  ImGui::PopStyleColor();
}

std::string in_lines(std::string_view what, float width) {
  const auto width_of = [](std::string_view part) {
    return ImGui::CalcTextSize(part.data(), part.data() + part.size()).x;
  };
  std::string lines;
  std::string_view line;  // of `what`, as far as it has been filled
  while (!what.empty()) {
    const std::size_t begin = line.empty() ? 0 : line.size() + 1;
    const std::size_t end = std::min(what.find_first_of(" \n", begin), what.size());
    if (!line.empty() && width_of(what.substr(0, end)) > width) {
      lines.append(line).push_back('\n');
      what.remove_prefix(line.size() + 1);
      line = {};
    } else if (end == what.size()) {
      lines.append(what);
      what = {};
    } else if (what[end] == '\n') {
      lines.append(what.substr(0, end + 1));
      what.remove_prefix(end + 1);
      line = {};
    } else {
      line = what.substr(0, end);
      if (line.empty()) {  // a space at the beginning of a line
        what.remove_prefix(1);
      }
    }
  }
  return lines;
}

void wrapped_text(std::string_view what, ImU32 color) {
  ImGui::PushStyleColor(ImGuiCol_Text, color);
  ImGui::PushTextWrapPos(0.0f);  // for words that are wider than a line
  text(in_lines(what, ImGui::GetContentRegionAvail().x));
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
}

bool clickable_sentence(Desk& desk, std::string_view name, std::string_view what, bool on, float beside) {
  const float width = std::max(1.0f, ImGui::GetContentRegionAvail().x - beside);
  const std::string lines = in_lines(what, width);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = ImGui::CalcTextSize(lines.c_str(), nullptr, false, width).y;
  const std::string id = fmt::format("##{}", name);
  const bool clicked = ImGui::Selectable(id.c_str(), on, 0, ImVec2(width, height));
  report_item(desk, name);
  const ImU32 ground = on ? color::kAccentSoft : ImGui::IsItemHovered() ? color::kHover : color::kPanel;
  const ImU32 ink = ink_on(ground, ImGui::GetColorU32(ImGuiCol_Text) | IM_COL32_A_MASK);
  ImGui::GetWindowDrawList()->AddText(ImGui::GetFont(), ImGui::GetFontSize(), at, faded(ink, ImGui::GetStyle().Alpha),
                                      lines.c_str(), nullptr, width);
  if (ImGui::GetCurrentContext()->LogEnabled) {
    ImGui::LogRenderedText(&at, lines.c_str());
  }
  return clicked;
}

void clipped_text(std::string_view what, float width, ImU32 color) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float base = ImGui::GetCurrentWindow()->DC.CurrLineTextBaseOffset;  // of AlignTextToFramePadding()
  clipped_text_at({at.x, at.y + base}, what, width, color);
  ImGui::Dummy(ImVec2(std::max(1.0f, width), ImGui::GetTextLineHeight() + base));
  if (ImGui::CalcTextSize(what.data(), what.data() + what.size()).x > width) {
    tip(what);  // nothing is cut that cannot be read
  }
}

void clipped_text_at(glm::vec2 at, std::string_view what, float width, ImU32 color) {
  ImGui::PushStyleColor(ImGuiCol_Text, color);
  ImGui::RenderTextEllipsis(ImGui::GetWindowDrawList(), ImVec2(at.x, at.y),
                            ImVec2(at.x + width, at.y + ImGui::GetTextLineHeight()), at.x + width, at.x + width,
                            what.data(), what.data() + what.size(), nullptr);
  ImGui::PopStyleColor();
}

std::string fitted(std::string what, float width) {
  constexpr const char* kEllipsis = "\u2026";
  if (ImGui::CalcTextSize(what.c_str()).x <= width) {
    return what;
  }
  const float room = width - ImGui::CalcTextSize(kEllipsis).x;
  const auto inside_a_character = [&] { return (static_cast<unsigned char>(what.back()) & 0xC0) == 0x80; };
  while (!what.empty() && ImGui::CalcTextSize(what.c_str()).x > room) {
    while (what.size() > 1 && inside_a_character()) {
      what.pop_back();
    }
    what.pop_back();
  }
  return what + kEllipsis;
}

std::string fitted_in_combo(std::string what) {
  const float arrow = ImGui::GetFrameHeight() + ImGui::GetStyle().FramePadding.x;
  return fitted(std::move(what), ImGui::CalcItemWidth() - arrow);
}

void tip(std::string_view what) {
  if (!what.empty() && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) {
    tooltip_beside(item_rect(), what);
  }
}

void tip_beside_window(std::string_view what) {
  if (!what.empty() && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) {
    const Rect item = item_rect();
    tooltip_at_side_of({ImGui::GetWindowPos().x, item.y, ImGui::GetWindowWidth(), item.h}, what);
  }
}

void heading(Desk& desk, const char* label) {
  ImGui::Dummy(ImVec2(0, desk.theme.px(2)));
  ImGui::PushFont(desk.theme.strong);
  text(label);
  ImGui::PopFont();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float y = at.y - desk.theme.px(3);
  ImGui::GetWindowDrawList()->AddLine(ImVec2(at.x, y), ImVec2(at.x + ImGui::GetContentRegionAvail().x, y),
                                      color::kHover);
  ImGui::Dummy(ImVec2(0, desk.theme.px(1)));
}

bool section(Desk& desk, const char* label, bool open) {
  ImGui::Dummy(ImVec2(0, desk.theme.px(1)));
  ImGui::PushStyleColor(ImGuiCol_Header, color::kRaised);
  ImGui::PushStyleColor(ImGuiCol_HeaderHovered, color::kHover);
  ImGui::PushStyleColor(ImGuiCol_HeaderActive, color::kHover);
  ImGui::PushFont(desk.theme.strong);
  const bool shown = ImGui::CollapsingHeader(label, open ? ImGuiTreeNodeFlags_DefaultOpen : 0);
  ImGui::PopFont();
  ImGui::PopStyleColor(3);
  const std::string_view text(label);
  const std::size_t id = text.find("###");  // a title that changes has a name that stays
  report_item(desk, fmt::format("section.{}", id == std::string_view::npos ? text : text.substr(id + 3)));
  return shown;
}

void row_label(Desk& desk, const char* label, std::string_view help) {
  const float start = ImGui::GetCursorPosX();
  const float available = ImGui::GetContentRegionAvail().x;
  const float column = std::min(desk.theme.px(108), std::floor(available * 0.38f));
  const float width = column - desk.theme.px(6);
  ImGui::AlignTextToFramePadding();
  ImGui::PushFont(ImGui::CalcTextSize(label).x > width ? desk.theme.small : desk.theme.regular);
  clipped_text(label, width, color::kTextDim);
  ImGui::PopFont();
  tip(help);
  ImGui::SameLine(start + column, 0);
  ImGui::SetNextItemWidth(-1);
}

void number_line(Desk& desk, const char* label, const std::string& value, std::string_view help) {
  row_label(desk, label, help);
  ImGui::AlignTextToFramePadding();
  clipped_text(value, ImGui::GetContentRegionAvail().x);
}

bool icon_button(Desk& desk, const char* id, const char* icon, std::string_view help, bool on, bool enabled) {
  const float side = ImGui::GetFrameHeight();
  ImGui::BeginDisabled(!enabled);
  ImGui::PushID(id);
  const bool pressed = ImGui::InvisibleButton("##icon", ImVec2(side, side)) && enabled;
  ImGui::PopID();
  const bool hovered = ImGui::IsItemHovered();
  const bool held = ImGui::IsItemActive();
  const ImVec2 lower = ImGui::GetItemRectMin();
  const ImVec2 upper = ImGui::GetItemRectMax();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float rounding = ImGui::GetStyle().FrameRounding;
  if (on) {
    list.AddRectFilled(lower, upper, faded(color::kAccentSoft, hovered ? 1.0f : 0.85f), rounding);
  } else if (hovered && enabled) {
    list.AddRectFilled(lower, upper, held ? color::kAccentSoft : color::kHover, rounding);
  }
  const ImVec2 size = ImGui::CalcTextSize(icon);
  const ImU32 ink = enabled ? (on ? IM_COL32_WHITE : color::kText) : faded(color::kTextDim, 0.5f);
  list.AddText(ImVec2(std::floor((lower.x + upper.x - size.x) * 0.5f), std::floor((lower.y + upper.y - size.y) * 0.5f)),
               ink, icon);
  report_item(desk, id);
  ImGui::EndDisabled();
  tip(help);
  return pressed;
}

namespace {

// A mark with a label: ImGui's own has no edge, and unticked it was a black hole in the panel.
// @param draw  draws the mark around its middle, of a size, with the ink of its edge
template <typename Draw>
bool marked_item(Desk& desk, const char* name, const char* label, std::string_view help, const Draw& draw) {
  const float side = ImGui::GetFrameHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::CalcTextSize(label);
  const float gap = ImGui::GetStyle().ItemInnerSpacing.x;
  ImGui::PushID(name);
  const bool clicked = ImGui::InvisibleButton("##mark", ImVec2(side + (size.x > 0 ? gap + size.x : 0.0f), side));
  ImGui::PopID();
  const ImVec2 middle(std::floor(at.x + side * 0.5f), std::floor(at.y + side * 0.5f));
  draw(middle, std::floor(side * 0.36f), ImGui::GetColorU32(ImGui::IsItemHovered() ? color::kText : color::kEdge));
  ImGui::GetWindowDrawList()->AddText(ImVec2(at.x + side + gap, std::floor(at.y + (side - size.y) * 0.5f)),
                                      ImGui::GetColorU32(color::kText), label);
  report_item(desk, name);
  tip(help);
  return clicked;
}

}  // namespace

bool checkbox(Desk& desk, const char* name, const char* label, bool& value, std::string_view help) {
  const bool changed = marked_item(desk, name, label, help, [&](ImVec2 middle, float half, ImU32 edge) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 lower(middle.x - half, middle.y - half);
    const ImVec2 upper(middle.x + half, middle.y + half);
    const float rounding = ImGui::GetStyle().FrameRounding;
    list.AddRectFilled(lower, upper, ImGui::GetColorU32(value ? color::kAccentSoft : color::kField), rounding);
    list.AddRect(lower, upper, edge, rounding, 0, desk.theme.scale);
    if (value) {
      const float inset = std::floor(half * 0.4f);
      ImGui::RenderCheckMark(&list, ImVec2(lower.x + inset, lower.y + inset), ImGui::GetColorU32(ImVec4(1, 1, 1, 1)),
                             2 * (half - inset));
    }
  });
  value = changed ? !value : value;
  return changed;
}

bool radio(Desk& desk, const char* name, const char* label, bool on, std::string_view help) {
  return marked_item(desk, name, label, help, [&](ImVec2 middle, float half, ImU32 edge) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddCircleFilled(middle, half, ImGui::GetColorU32(on ? color::kAccentSoft : color::kField));
    list.AddCircle(middle, half, edge, 0, desk.theme.scale);
    if (on) {
      list.AddCircleFilled(middle, half * 0.45f, ImGui::GetColorU32(ImVec4(1, 1, 1, 1)));
    }
  });
}

bool segmented(Desk& desk, const char* name, std::span<const char* const> labels, int& current, float width) {
  float text_width = 0;
  for (const char* label : labels) {
    text_width += ImGui::CalcTextSize(label).x;
  }
  float whole = width > 0 ? width : ImGui::GetContentRegionAvail().x;
  const float least = text_width + desk.theme.px(6) * static_cast<float>(labels.size());
  if (width <= 0 && least > whole && ImGui::GetCursorPosX() > ImGui::GetCursorStartPos().x) {
    ImGui::NewLine();  // beside its label the words would be cut
    whole = ImGui::GetContentRegionAvail().x;
  }
  const float height = ImGui::GetFrameHeight();
  const ImVec2 start = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float rounding = ImGui::GetStyle().FrameRounding;
  // Equal shares of what the words leave over, so that a long one is not cut before a short one.
  const float spare = (whole - text_width) / static_cast<float>(labels.size());
  float next = start.x;
  list.AddRectFilled(start, ImVec2(start.x + whole, start.y + height), color::kField, rounding);
  bool changed = false;
  ImGui::PushID(name);
  for (int i = 0; i < static_cast<int>(labels.size()); ++i) {
    const float x0 = std::floor(next);
    next += ImGui::CalcTextSize(labels[i]).x + spare;
    const float x1 = std::floor(next);
    ImGui::SetCursorScreenPos(ImVec2(x0, start.y));
    ImGui::PushID(i);
    if (ImGui::InvisibleButton("##segment", ImVec2(std::max(1.0f, x1 - x0), height)) && current != i) {
      current = i;
      changed = true;
    }
    ImGui::PopID();
    report_item(desk, fmt::format("{}.{}", name, i));
    const bool on = current == i;
    const bool hovered = ImGui::IsItemHovered();
    if (on || hovered) {
      list.AddRectFilled(ImVec2(x0 + 1, start.y + 1), ImVec2(x1 - 1, start.y + height - 1),
                         on ? color::kAccentSoft : color::kRaised, rounding);
    }
    const char* label = labels[i];
    const ImVec2 size = ImGui::CalcTextSize(label);
    const float x = std::max(x0 + desk.theme.px(3), std::floor((x0 + x1 - size.x) * 0.5f));
    list.PushClipRect(ImVec2(x0, start.y), ImVec2(x1, start.y + height), true);
    list.AddText(ImVec2(x, std::floor(start.y + (height - size.y) * 0.5f)), on ? IM_COL32_WHITE : color::kText, label);
    list.PopClipRect();
  }
  ImGui::PopID();
  ImGui::SetCursorScreenPos(start);
  ImGui::Dummy(ImVec2(whole, height));
  return changed;
}

namespace {

float stepped(float value, const SliderStyle& style) {
  return style.step > 0 ? std::round(value / style.step) * style.step : value;
}

// A number to type or drag in. Tells whether the value changed.
bool value_field(Desk& desk, const char* name, float& value, const SliderStyle& style, bool& ended) {
  const float range = style.upper - style.lower;
  float shown = value * style.factor;
  if (std::abs(shown) < 1e-4f * range * style.factor) {
    shown = 0;  // never "-0.0"
  }
  const float speed = std::max(range * style.factor / 400.0f, 1e-4f);
  bool changed = false;
  const glm::vec2 bounds = style.factor * style.number.value_or(glm::vec2(style.lower, style.upper));
  if (ImGui::DragFloat("##field", &shown, speed, bounds.x, bounds.y, style.format, ImGuiSliderFlags_AlwaysClamp)) {
    const float wanted = stepped(shown / style.factor, style);
    if (style.step > 0) {  // what a slow drag lacks of the next step counts on, as where ImGui rounds by the format
      ImGui::GetCurrentContext()->DragCurrentAccum += shown - wanted * style.factor;
    }
    changed = style.step <= 0 || wanted != value;
    value = wanted;
  }
  report_item(desk, fmt::format("{}.field", name));
  ended |= ImGui::IsItemDeactivated();
  if (ImGui::IsItemHovered() && !ImGui::IsItemActive()) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  }
  return changed;
}

}  // namespace

bool value_slider(Desk& desk, const char* name, float& value, const SliderStyle& style, float width, bool& ended,
                  bool* reset) {
  const float field = std::min(desk.theme.px(72), std::floor(width * 0.42f));
  const float gap = desk.theme.px(4);
  const float track = std::max(desk.theme.px(24), width - field - gap);
  const float height = ImGui::GetFrameHeight();
  const float range = style.upper - style.lower;
  bool changed = false;
  ImGui::PushID(name);

  // The slider is drawn by hand: filled from its origin, so that the sign of an angle is seen at once.
  const ImVec2 start = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton("##track", ImVec2(track, height));
  report_item(desk, name);
  const bool active = ImGui::IsItemActive();
  const bool hovered = ImGui::IsItemHovered();
  const float margin = desk.theme.px(6);
  const float x0 = start.x + margin;
  const float x1 = start.x + track - margin;
  // A double or triple click goes back to the origin and stays there until the button is up.
  const bool back = active && ImGui::GetIO().MouseClickedLastCount[ImGuiMouseButton_Left] >= 2;
  if (back && reset != nullptr) {
    *reset |= ImGui::IsItemActivated();
  } else if (back && value != style.origin) {
    value = style.origin;
    changed = true;
  } else if (active && !back && range > 0) {
    const float t = std::clamp((ImGui::GetIO().MousePos.x - x0) / std::max(1.0f, x1 - x0), 0.0f, 1.0f);
    float wanted = style.lower + t * range;
    if (ImGui::GetIO().KeyShift) {  // snap to 24 steps: 15 degrees of a full turn
      wanted = style.lower + std::round(t * 24) / 24 * range;
    }
    wanted = stepped(wanted, style);
    const bool moved = ImGui::IsItemActivated() || ImGui::GetIO().MouseDelta.x != 0;
    if (moved && wanted != value) {
      value = wanted;
      changed = true;
    }
  }
  const auto x_of = [&](float v) {
    return x0 + (range > 0 ? std::clamp((v - style.lower) / range, 0.0f, 1.0f) : 0.5f) * (x1 - x0);
  };
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float middle = std::floor(start.y + height * 0.5f);
  const float half = desk.theme.px(2);
  const float from = x_of(std::clamp(style.origin, style.lower, style.upper));
  const float at = x_of(value);
  const ImU32 ink = style.color != 0 ? style.color : color::kAccent;
  list.AddRectFilled(ImVec2(x0 - half, middle - half), ImVec2(x1 + half, middle + half), color::kField, half);
  list.AddRectFilled(ImVec2(std::min(from, at), middle - half), ImVec2(std::max(from, at), middle + half),
                     faded(ink, 0.85f), half);
  list.AddRectFilled(ImVec2(from - 0.5f, middle - desk.theme.px(4)), ImVec2(from + 0.5f, middle + desk.theme.px(4)),
                     color::kTextDim);
  const float slack = 1e-4f * range;  // limits are rounded
  for (const float mark : style.marks) {
    if (mark < style.lower - slack || mark > style.upper + slack) {
      continue;
    }
    const float x = std::floor(x_of(mark)) + 0.5f;
    list.AddTriangleFilled(ImVec2(x - desk.theme.px(3), start.y), ImVec2(x + desk.theme.px(3), start.y),
                           ImVec2(x, middle - half), color::kWarning);
  }
  const float knob = desk.theme.px(active ? 7.0f : 6.0f);
  list.AddCircleFilled(ImVec2(at, middle + 0.5f), knob,
                       active || hovered ? IM_COL32_WHITE : IM_COL32(200, 205, 214, 255));
  list.AddCircle(ImVec2(at, middle + 0.5f), knob, color::kLine);

  ImGui::SameLine(0, gap);
  ImGui::SetNextItemWidth(field);
  changed |= value_field(desk, name, value, style, ended);
  ImGui::PopID();
  return changed;
}

namespace {

// A bar that is filled from its left end, with a label whose ink follows what lies beneath each part of it.
// @param label_x  left end of the label
void filled_bar(const Desk& desk, const Rect& rect, float fraction, ImU32 fill, std::string_view label, float label_x) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float rounding = desk.theme.px(2);
  const float share = rect.w * std::clamp(fraction, 0.0f, 1.0f);
  const float filled = share > 0.5f ? share : 0.0f;
  list.AddRectFilled(ImVec2(rect.x, rect.y), ImVec2(rect.x + rect.w, rect.y + rect.h), color::kField, rounding);
  if (filled > 0) {
    list.AddRectFilled(ImVec2(rect.x, rect.y), ImVec2(rect.x + filled, rect.y + rect.h), fill, rounding);
  }
  const ImVec2 at(label_x, std::floor(rect.y + (rect.h - ImGui::GetTextLineHeight()) / 2));
  text_on(list, {rect.x, rect.y, filled, rect.h}, laid_over(color::kField, fill), at, label);
  text_on(list, {rect.x + filled, rect.y, rect.w - filled, rect.h}, color::kField, at, label);
}

}  // namespace

void bar(Desk& desk, float fraction, ImU32 ink, float width, std::string_view label) {
  const ImVec2 start = ImGui::GetCursorScreenPos();
  const float height = ImGui::GetTextLineHeight();
  const float label_width = ImGui::CalcTextSize(label.data(), label.data() + label.size()).x;
  filled_bar(desk, {start.x, start.y, width, height}, fraction, faded(ink, 0.8f), label,
             start.x + width - label_width - desk.theme.px(4));
  ImGui::Dummy(ImVec2(width, height));
}

void pane_chip(int pane, const Desk& desk) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float side = desk.theme.px(8);
  const float top = std::floor(at.y + (ImGui::GetTextLineHeight() - side) / 2);
  ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(at.x, top), ImVec2(at.x + side, top + side), pane_color(pane),
                                            desk.theme.px(2));
  ImGui::SetCursorScreenPos(ImVec2(at.x + side + desk.theme.px(5), at.y));
}

void progress_bar(Desk& desk, float fraction, float width, std::string_view label) {
  const ImVec2 start = ImGui::GetCursorScreenPos();
  const float height = ImGui::GetFrameHeight();
  const std::string shown = fitted(std::string(label), width - desk.theme.px(8));
  filled_bar(desk, {start.x, start.y, width, height}, fraction, color::kAccent, shown,
             std::floor(start.x + (width - ImGui::CalcTextSize(shown.c_str()).x) / 2));
  ImGui::Dummy(ImVec2(width, height));
}

ImU32 dof_color(const rig::Dof& dof) {
  if (dof.name == "twist") {
    return color::kAxis[0];
  }
  if (dof.name == "side") {
    return color::kAxis[1];
  }
  if (dof.name == "bend") {
    return color::kAxis[2];
  }
  const glm::vec3 size = glm::abs(dof.axis);
  return color::kAxis[size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2];
}

bool pressed(ImGuiKey key, bool repeat) {
  const int index = ImGui::GetKeyIndex(key);  // ImGui asks by the numbers of the window library
  return index >= 0 && ImGui::IsKeyPressed(index, repeat);
}

std::string count_text(std::int64_t value) {
  std::string digits = std::to_string(value);
  for (std::ptrdiff_t i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > (value < 0 ? 1 : 0); i -= 3) {
    digits.insert(static_cast<std::size_t>(i), "\u2009");  // a thin space
  }
  return digits;
}

std::string count_of(std::int64_t count, std::string_view singular, std::string_view plural) {
  return fmt::format("{} {}", count_text(count), count == 1 ? singular : plural);
}

std::string bytes_text(std::int64_t value) {
  const auto bytes = static_cast<double>(value);
  if (value < 1000) {
    return fmt::format("{} B", value);
  }
  if (value < 1000 * 1000) {
    return fmt::format("{:.1f} kB", bytes / 1e3);
  }
  if (value < 1000 * 1000 * 1000) {
    return fmt::format("{:.1f} MB", bytes / 1e6);
  }
  return fmt::format("{:.2f} GB", bytes / 1e9);
}

}  // namespace pelt::ui
