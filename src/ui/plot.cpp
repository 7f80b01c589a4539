#include "ui/plot.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "ui/tooltip.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr float kDash = 5;  // layout units

/// From values to pixels.
struct PlotSpace {
  Rect area;
  PlotAxis x_axis;
  PlotAxis y_axis;

  [[nodiscard]] float x(double value) const {
    return area.x + area.w * static_cast<float>((value - x_axis.lower) / (x_axis.upper - x_axis.lower));
  }
  [[nodiscard]] float y(double value) const {
    return area.y + area.h * static_cast<float>((y_axis.upper - value) / (y_axis.upper - y_axis.lower));
  }
};

std::string number(double value, int decimals) {
  const std::string text = fmt::format("{:.{}f}", value, decimals);
  return text.find_first_not_of("-0.") == std::string::npos && text.front() == '-' ? text.substr(1) : text;
}

// The values of all curves with a little air, so that a curve along its limit is seen.
PlotAxis values_axis(const Plot& plot, int most_ticks) {
  double lower = std::numeric_limits<double>::infinity();
  double upper = -lower;
  for (const PlotCurve& curve : plot.curves) {
    for (const float value : curve.y) {
      if (std::isfinite(value)) {
        lower = std::min(lower, double{value});
        upper = std::max(upper, double{value});
      }
    }
  }
  if (!(lower <= upper)) {
    return make_axis(0, 1, most_ticks);
  }
  const double missing = std::max(0.0, plot.least_extent - (upper - lower));
  const double air = 0.06 * std::max(upper - lower, plot.least_extent);
  return make_axis(lower - missing / 2 - air, upper + missing / 2 + air, most_ticks);
}

void draw_grid(const PlotSpace& space, Desk& desk) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Rect& area = space.area;
  const float line = ImGui::GetTextLineHeight();
  list.AddRectFilled(ImVec2(area.x, area.y), ImVec2(area.x + area.w, area.y + area.h), color::kField, desk.theme.px(2));
  const ImU32 ink = faded(color::kTextDim, 0.18f);
  float free_x = -1e9f;
  for (double tick = space.x_axis.first_tick(); tick <= space.x_axis.upper + 1e-6 * space.x_axis.step;
       tick += space.x_axis.step) {
    const float x = std::floor(space.x(tick));
    list.AddLine(ImVec2(x, area.y), ImVec2(x, area.y + area.h), ink);
    const std::string label = number(tick, space.x_axis.decimals);
    const float width = ImGui::CalcTextSize(label.c_str()).x;
    // Labels stay within the area, and off each other.
    const float at = std::clamp(x - width / 2, area.x - desk.theme.px(8), area.x + area.w - width + desk.theme.px(4));
    if (at > free_x) {
      list.AddText(ImVec2(std::floor(at), area.y + area.h + desk.theme.px(3)), color::kTextDim, label.c_str());
      free_x = at + width + desk.theme.px(5);
    }
  }
  for (double tick = space.y_axis.first_tick(); tick <= space.y_axis.upper + 1e-6 * space.y_axis.step;
       tick += space.y_axis.step) {
    const float y = std::floor(space.y(tick));
    list.AddLine(ImVec2(area.x, y), ImVec2(area.x + area.w, y), ink);
    const std::string label = number(tick, space.y_axis.decimals);
    const ImVec2 size = ImGui::CalcTextSize(label.c_str());
    list.AddText(ImVec2(std::floor(area.x - size.x - desk.theme.px(5)), std::floor(y - line / 2)), color::kTextDim,
                 label.c_str());
  }
}

void draw_curve(const PlotSpace& space, const Plot& plot, const PlotCurve& curve, Desk& desk) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float width = 1.7f * desk.theme.scale;
  const std::size_t count = std::min(plot.x.size(), curve.y.size());
  const auto point = [&](std::size_t i) { return ImVec2(space.x(plot.x[i]), space.y(curve.y[i])); };
  if (!curve.dashed) {
    for (std::size_t i = 0; i < count;) {
      list.PathClear();
      std::size_t end = i;
      for (; end < count && std::isfinite(curve.y[end]); ++end) {
        list.PathLineTo(point(end));
      }
      if (end == i + 1) {
        list.AddCircleFilled(point(i), width, curve.color);
      }
      list.PathStroke(curve.color, 0, width);
      i = end + 1;
    }
    return;
  }
  const float dash = kDash * desk.theme.scale;
  float along = 0;  // through dash and gap
  for (std::size_t i = 1; i < count; ++i) {
    if (!std::isfinite(curve.y[i - 1]) || !std::isfinite(curve.y[i])) {
      continue;
    }
    const ImVec2 a = point(i - 1);
    const ImVec2 b = point(i);
    const float length = std::hypot(b.x - a.x, b.y - a.y);
    for (float done = 0; done < length;) {
      const bool on = along < dash;
      const float next = std::min(length, done + std::max(0.01f, (on ? dash : 2 * dash) - along));
      if (on) {
        const auto mix = [&](float t) { return ImVec2(a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t); };
        list.AddLine(mix(done / length), mix(next / length), curve.color, width);
      }
      along = std::fmod(along + next - done, 2 * dash);
      done = next;
    }
  }
}

std::size_t nearest(const std::vector<float>& sorted, double value) {
  const auto above = std::lower_bound(sorted.begin(), sorted.end(), static_cast<float>(value));
  if (above == sorted.begin()) {
    return 0;
  }
  if (above == sorted.end()) {
    return sorted.size() - 1;
  }
  const std::size_t i = above - sorted.begin();
  return value - sorted[i - 1] < sorted[i] - value ? i - 1 : i;
}

void draw_readout(const PlotSpace& space, const Plot& plot, std::size_t sample, Desk& desk) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Rect& area = space.area;
  const float x = std::floor(space.x(plot.x[sample]));
  list.AddLine(ImVec2(x, area.y), ImVec2(x, area.y + area.h), faded(color::kText, 0.5f));
  const int x_decimals = plot.degrees ? 1 : space.x_axis.decimals + 1;
  begin_tooltip_beside(area);
  ImGui::PushFont(desk.theme.small);
  dim_text(fmt::format("{}{}", number(plot.x[sample], x_decimals), plot.x_unit));
  for (const PlotCurve& curve : plot.curves) {
    if (sample >= curve.y.size() || !std::isfinite(curve.y[sample])) {
      continue;
    }
    list.AddCircleFilled(ImVec2(x + 0.5f, space.y(curve.y[sample])), 3.0f * desk.theme.scale, curve.color);
    ImGui::PushStyleColor(ImGuiCol_Text, curve.color);
    text(fmt::format("{}{}", number(curve.y[sample], space.y_axis.decimals + 2), plot.y_unit));
    ImGui::PopStyleColor();
    ImGui::SameLine(0, desk.theme.px(8));
    text(curve.label);
  }
  ImGui::PopFont();
  ImGui::EndTooltip();
}

void draw_curve_names(const Plot& plot, Desk& desk) {
  const float whole = ImGui::GetContentRegionAvail().x;
  const float sample = desk.theme.px(14);
  const float gap = desk.theme.px(5);
  const float line = ImGui::GetTextLineHeight();
  const ImVec2 start = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  float x = 0;
  float y = 0;
  for (const PlotCurve& curve : plot.curves) {
    const float width = sample + gap + ImGui::CalcTextSize(curve.label.c_str()).x;
    if (x > 0 && x + width > whole) {
      x = 0;
      y += line + desk.theme.px(2);
    }
    const float middle = std::floor(start.y + y + line / 2);
    const float left = start.x + x;
    if (curve.dashed) {
      list.AddLine(ImVec2(left, middle), ImVec2(left + kDash * desk.theme.scale, middle), curve.color,
                   2 * desk.theme.scale);
      list.AddLine(ImVec2(left + sample - kDash * desk.theme.scale, middle), ImVec2(left + sample, middle), curve.color,
                   2 * desk.theme.scale);
    } else {
      list.AddLine(ImVec2(left, middle), ImVec2(left + sample, middle), curve.color, 2 * desk.theme.scale);
    }
    list.AddText(ImVec2(left + sample + gap, start.y + y), color::kText, curve.label.c_str());
    x += width + 3 * gap;
  }
  ImGui::Dummy(ImVec2(whole, y + line));
}

}  // namespace

double PlotAxis::first_tick() const {
  return std::ceil(lower / step - 1e-6) * step;
}

PlotAxis make_axis(double lower, double upper, int most_ticks, bool degrees) {
  if (!std::isfinite(lower) || !std::isfinite(upper)) {
    lower = -0.5;
    upper = 0.5;
  }
  if (upper - lower < 1e-12 * std::max(std::abs(lower), std::abs(upper)) || !(lower < upper)) {
    const double center = (lower + upper) / 2;
    lower = center - 0.5;
    upper = center + 0.5;
  }
  PlotAxis axis{lower, upper, 1, 0};
  const double shortest = (upper - lower) / std::max(1, most_ticks - 1);
  if (degrees && shortest > 0.5 && shortest <= 90) {
    for (const double step : {1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 45.0, 90.0}) {
      if (step >= shortest) {
        axis.step = step;
        return axis;
      }
    }
  }
  const double power = std::pow(10.0, std::floor(std::log10(shortest)));
  axis.step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * power >= shortest) {
      axis.step = factor * power;
    }
  }
  axis.decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(axis.step) - 1e-9)));
  return axis;
}

std::optional<float> draw_plot(Desk& desk, const char* name, const Plot& plot, float height) {
  ImGui::PushFont(desk.theme.small);
  const float line = ImGui::GetTextLineHeight();
  const float whole = ImGui::GetContentRegionAvail().x;
  const ImVec2 start = ImGui::GetCursorScreenPos();
  const int most_rows = std::max(2, static_cast<int>(height / (2.2f * line)));
  const int most_columns = std::max(2, static_cast<int>(whole / (4.2f * line)));

  PlotSpace space;
  space.y_axis = values_axis(plot, most_rows);
  space.x_axis = plot.x.empty() ? make_axis(0, 1, most_columns)
                                : make_axis(plot.x.front(), plot.x.back(), most_columns, plot.degrees);
  float widest = 0;
  for (const double value : {space.y_axis.lower, space.y_axis.upper}) {
    widest = std::max(widest, ImGui::CalcTextSize(number(value, space.y_axis.decimals).c_str()).x);
  }
  const float left = widest + desk.theme.px(6);
  const float below = line + desk.theme.px(4);
  const float above = line + desk.theme.px(4);
  space.area = {start.x + left, start.y + above, std::max(1.0f, whole - left - desk.theme.px(6)),
                std::max(1.0f, height - above - below)};

  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddText(start, color::kText, plot.y_label.c_str());
  const float x_width = ImGui::CalcTextSize(plot.x_label.c_str()).x;
  list.AddText(ImVec2(std::max(start.x + ImGui::CalcTextSize(plot.y_label.c_str()).x + desk.theme.px(10),
                               start.x + whole - x_width - desk.theme.px(6)),
                      start.y),
               color::kTextDim, plot.x_label.c_str());

  const Rect& area = space.area;
  ImGui::SetCursorScreenPos(ImVec2(area.x, area.y));
  ImGui::PushID(name);
  ImGui::InvisibleButton("##area", ImVec2(area.w, area.h));
  ImGui::PopID();
  report_item(desk, name);
  const bool hovered = ImGui::IsItemHovered();
  const bool active = ImGui::IsItemActive() || ImGui::IsItemDeactivated();  // where it was let go counts

  draw_grid(space, desk);
  list.PushClipRect(ImVec2(area.x, area.y), ImVec2(area.x + area.w, area.y + area.h), true);
  if (plot.marker && !plot.x.empty()) {
    const float x = std::floor(space.x(*plot.marker));
    list.AddLine(ImVec2(x, area.y), ImVec2(x, area.y + area.h), faded(color::kWarning, 0.8f), desk.theme.scale);
  }
  for (const PlotCurve& curve : plot.curves) {
    draw_curve(space, plot, curve, desk);
  }
  list.PopClipRect();

  std::optional<float> scrubbed;
  if ((hovered || active) && !plot.x.empty()) {
    const double mouse =
        space.x_axis.lower + (ImGui::GetIO().MousePos.x - area.x) / area.w * (space.x_axis.upper - space.x_axis.lower);
    if (active) {
      const double value = std::clamp(mouse, space.x_axis.lower, space.x_axis.upper);
      scrubbed = static_cast<float>(value);
    }
    draw_readout(space, plot, nearest(plot.x, mouse), desk);
  }
  ImGui::SetCursorScreenPos(ImVec2(start.x, start.y + height + desk.theme.px(2)));
  draw_curve_names(plot, desk);
  ImGui::PopFont();
  return scrubbed;
}

}  // namespace pelt::ui
