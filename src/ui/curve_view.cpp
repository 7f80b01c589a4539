#include "ui/curve_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "core/index.h"
#include "core/text.h"
#include "ui/dope_sheet.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr float kCurvePoint = 3.5f;  // layout units, half of a key
constexpr float kCurveNear = 8;      // of the mouse
constexpr float kCurveHandle = 38;   // length of a tangent
constexpr float kCurveStep = 2;      // between samples of a curve
constexpr float kCurveStart = 3;     // before a press becomes a drag
constexpr double kCurveRoom = 0.12;  // of the range of values, above and below

using edit::ChannelId;

/// One number over time: of a channel, or a slider that is read off it.
struct Curve {
  ChannelId channel;  ///< whose keys it has
  int component = 0;
  int dof = -1;  ///< -1: of the channel itself
  std::string label;
  ImU32 ink = 0;
  double factor = 1;  ///< to what is shown: degrees
};

const rig::Clip& curve_clip(const Desk& desk) {
  return desk.character().clips[desk.document().content.clip];
}

void add_slider_curves(const ChannelId& id, const Desk& desk, std::vector<Curve>& curves) {
  const rig::JointDofs dofs = edit::joint_dofs(desk.document(), id.joint);
  for (std::size_t d = 0; d < dofs.dofs.size(); ++d) {
    if (dofs.dofs[d].kind == rig::DofKind::kRotation) {
      curves.push_back({id, 0, static_cast<int>(d), printable(dofs.dofs[d].name), dof_color(dofs.dofs[d]),
                        static_cast<double>(kDegreesPerRadian)});
    }
  }
}

void add_component_curves(const rig::Channel& channel, const Desk& desk, std::vector<Curve>& curves) {
  constexpr const char* kAxes[] = {"x", "y", "z", "w"};
  const std::string label = channel_label(desk.character(), channel);
  const bool is_shapes = channel.path == rig::ChannelPath::kWeights;
  const std::vector<std::string>* names = nullptr;
  for (const rig::MeshNode& node : desk.character().mesh_nodes) {
    names = is_shapes && node.joint == channel.joint ? &desk.character().meshes[node.mesh].morph_names : names;
  }
  for (int i = 0; i < channel.width; ++i) {
    Curve curve{edit::id_of(channel), i, -1, label, color::kPane[i % 4], 1};
    if (is_shapes && channel.morph_target < 0) {
      curve.label = names != nullptr && has_index(*names, i) && !(*names)[i].empty() ? printable((*names)[i])
                                                                                     : fmt::format("Shape {}", i);
    } else if (!is_shapes) {
      curve.label = fmt::format("{} {}", label, kAxes[i]);
      curve.ink = i < 3 ? color::kAxis[i] : color::kTextDim;
    }
    curves.push_back(std::move(curve));
  }
}

std::vector<Curve> curves_of(const KeyEditor& editor, const Desk& desk) {
  std::vector<Curve> curves;
  const int joint = desk.document().view.selected_joint();
  for (const rig::Channel& channel : curve_clip(desk).channels) {
    if (channel.joint != joint) {
      continue;
    }
    const std::size_t before = curves.size();
    if (editor.shows_sliders && channel.path == rig::ChannelPath::kRotation) {
      add_slider_curves(edit::id_of(channel), desk, curves);
    }
    if (curves.size() == before) {
      add_component_curves(channel, desk, curves);
    }
  }
  return curves;
}

// The joint's own transform at a time.
Transform local_at(const rig::Clip& clip, const rig::Character& character, int joint, float time) {
  Transform local = character.skeleton->rest[joint];
  std::array<float, 4> v{};
  for (const rig::Channel& channel : clip.channels) {
    if (channel.joint != joint || channel.path == rig::ChannelPath::kWeights) {
      continue;
    }
    const auto width = static_cast<std::size_t>(channel.width);
    rig::sample(channel, time, std::span(v).first(width));
    if (channel.path == rig::ChannelPath::kRotation) {
      local.rotation = quat_xyzw(v[0], v[1], v[2], v[3]);
    } else {
      (channel.path == rig::ChannelPath::kScale ? local.scale : local.translation) = {v[0], v[1], v[2]};
    }
  }
  return local;
}

double value_at(const Curve& curve, const rig::Clip& clip, float time, const Desk& desk) {
  if (curve.dof >= 0) {
    const Transform local = local_at(clip, desk.character(), curve.channel.joint, time);
    return rig::dofs_from_local(edit::joint_dofs(desk.document(), curve.channel.joint), local)[curve.dof] *
           curve.factor;
  }
  const rig::Channel* const channel = edit::find_channel(clip, curve.channel);
  std::vector<float> values(channel->width);
  rig::sample(*channel, time, values);
  return values[curve.component] * curve.factor;
}

/// Values up, time to the right.
struct Plane {
  TrackArea area;
  double lowest;
  double per_value;  ///< pixels
  [[nodiscard]] float y(double value) const {
    return area.rect.y + area.rect.h - static_cast<float>((value - lowest) * per_value);
  }
  [[nodiscard]] double value(float y) const {
    return lowest + static_cast<double>(area.rect.y + area.rect.h - y) / per_value;
  }
};

void fit_values(KeyEditor& editor, const std::vector<Curve>& curves, Desk& desk) {
  const int joint = desk.document().view.selected_joint();
  if (editor.curves_of == joint && editor.highest > editor.lowest) {
    return;
  }
  editor.curves_of = joint;
  const rig::Clip& clip = curve_clip(desk);
  double lowest = 1e30;
  double highest = -1e30;
  const auto take = [&](const Curve& curve, float time) {
    const double value = value_at(curve, clip, time, desk);
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
  };
  constexpr int kMoments = 64;
  constexpr std::size_t kMostKeys = 512;  // of a curve: more are looked at in steps
  for (const Curve& curve : curves) {
    for (int i = 0; i <= kMoments; ++i) {
      take(curve, clip.start + clip.duration() * static_cast<float>(i) / kMoments);
    }
    const std::vector<float>& times = edit::find_channel(clip, curve.channel)->times;
    for (std::size_t k = 0; k < times.size(); k += 1 + times.size() / kMostKeys) {
      take(curve, times[k]);
    }
  }
  constexpr double kFlat = 1e-4;
  const double least = curves.front().factor > 1 ? 1 : kFlat;
  const double room = std::max((highest - lowest) * kCurveRoom, least);
  editor.lowest = lowest - room;
  editor.highest = highest + room;
}

void draw_levels(const Plane& plane, Desk& desk) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const double span = static_cast<double>(plane.area.rect.h) / plane.per_value;
  const double power = std::pow(10.0, std::floor(std::log10(span / 3)));
  const double step = span / power > 15 ? 5 * power : span / power > 6 ? 2 * power : power;
  ImGui::PushFont(desk.theme.small);
  constexpr int kMostLevels = 32;  // counted: where values are huge, the next one may be the same number
  const double begin = std::ceil(plane.lowest / step);
  for (int i = 0; i < kMostLevels && (begin + i) * step < plane.lowest + span; ++i) {
    const double n = begin + i;
    const float y = std::floor(plane.y(n * step));
    list.AddRectFilled(ImVec2(plane.area.rect.x, y), ImVec2(plane.area.rect.x + plane.area.rect.w, y + 1),
                       faded(color::kTextDim, n == 0 ? 0.4f : 0.14f));
    list.AddText(ImVec2(plane.area.rect.x + desk.theme.px(3), y), faded(color::kTextDim, 0.8f),
                 fmt::format("{:g}", std::abs(n) < 0.5 ? 0.0 : n * step).c_str());
  }
  ImGui::PopFont();
}

void draw_curve(const Curve& curve, const Plane& plane, Desk& desk) {
  const rig::Clip& clip = curve_clip(desk);
  const Rect& rect = plane.area.rect;
  std::vector<ImVec2> points;
  const bool is_step = edit::find_channel(clip, curve.channel)->interpolation == rig::Interpolation::kStep;
  const float step = desk.theme.px(kCurveStep);
  for (float x = rect.x; x <= rect.x + rect.w; x += step) {
    const float y = plane.y(value_at(curve, clip, static_cast<float>(plane.area.time(x)), desk));
    if (is_step && !points.empty() && std::abs(y - points.back().y) > 0.5f) {
      points.emplace_back(x, points.back().y);
    }
    points.emplace_back(x, y);
  }
  ImGui::GetWindowDrawList()->AddPolyline(points.data(), static_cast<int>(points.size()), curve.ink, 0,
                                          desk.theme.px(1.5f));
}

glm::vec2 point_of(const Curve& curve, const Plane& plane, float time, Desk& desk) {
  return {plane.area.x(static_cast<double>(time)), plane.y(value_at(curve, curve_clip(desk), time, desk))};
}

// The end of a tangent's handle.
glm::vec2 handle_of(const Curve& curve, const Plane& plane, const rig::Channel& channel, std::size_t key,
                    rig::KeySide side, Desk& desk) {
  const double slope = rig::key_tangent(channel, key, side)[curve.component] * curve.factor;
  glm::vec2 way(plane.area.per_second, -slope * plane.per_value);
  way *= desk.theme.px(kCurveHandle) / std::max(1e-6f, glm::length(way));
  return point_of(curve, plane, channel.times[key], desk) + (side == rig::KeySide::kOut ? way : -way);
}

/// What the mouse is at.
struct CurveHit {
  int curve = -1;
  float time = 0;
  bool is_tangent = false;
  rig::KeySide side = rig::KeySide::kIn;
};

bool has_tangents(const Curve& curve, const rig::Channel& channel) {
  return curve.dof < 0 && channel.interpolation == rig::Interpolation::kCubicSpline;
}

// Calls it with each key that shows of each curve that is not hidden.
template <typename F>
void for_points(const KeyEditor& editor, const std::vector<Curve>& curves, const TrackArea& area, Desk& desk,
                const F& call) {
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const rig::Channel& channel = *edit::find_channel(curve_clip(desk), curves[c].channel);
    if (editor.hidden.contains(curves[c].label)) {
      continue;
    }
    const auto begin = std::ranges::lower_bound(channel.times, static_cast<float>(area.first));
    for (auto k = static_cast<std::size_t>(begin - channel.times.begin()); k < channel.times.size(); ++k) {
      if (area.x(static_cast<double>(channel.times[k])) > area.rect.x + area.rect.w) {
        break;
      }
      call(static_cast<int>(c), channel, k);
    }
  }
}

CurveHit hit_at(const KeyEditor& editor, const std::vector<Curve>& curves, const Plane& plane, glm::vec2 mouse,
                Desk& desk) {
  CurveHit hit;
  float best = desk.theme.px(kCurveNear);
  for_points(editor, curves, plane.area, desk, [&](int c, const rig::Channel& channel, std::size_t k) {
    const float time = channel.times[k];
    const auto take = [&](glm::vec2 at, bool is_tangent, rig::KeySide side) {
      if (const float apart = glm::length(at - mouse); apart < best) {
        best = apart;
        hit = {c, time, is_tangent, side};
      }
    };
    if (std::abs(plane.area.x(static_cast<double>(time)) - mouse.x) > desk.theme.px(kCurveHandle + kCurveNear)) {
      return;
    }
    take(point_of(curves[c], plane, time, desk), false, rig::KeySide::kIn);
    if (has_tangents(curves[c], channel) && is_selected(editor.selected, curves[c].channel, time)) {
      for (const rig::KeySide side : {rig::KeySide::kIn, rig::KeySide::kOut}) {
        take(handle_of(curves[c], plane, channel, k, side, desk), true, side);
      }
    }
  });
  return hit;
}

void draw_points(const KeyEditor& editor, const std::vector<Curve>& curves, const Plane& plane, Desk& desk) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float size = desk.theme.px(kCurvePoint);
  std::vector<float> last(curves.size(), -1e9f);
  int reported = 0;
  for_points(editor, curves, plane.area, desk, [&](int c, const rig::Channel& channel, std::size_t k) {
    const float x = plane.area.x(static_cast<double>(channel.times[k]));
    const bool chosen = is_selected(editor.selected, curves[c].channel, channel.times[k]);
    if (!chosen && x - last[c] < 2 * size) {
      return;
    }
    last[c] = x;
    const glm::vec2 at = point_of(curves[c], plane, channel.times[k], desk);
    if (chosen && has_tangents(curves[c], channel)) {
      for (const rig::KeySide side : {rig::KeySide::kIn, rig::KeySide::kOut}) {
        const glm::vec2 end = handle_of(curves[c], plane, channel, k, side, desk);
        list.AddLine(ImVec2(at.x, at.y), ImVec2(end.x, end.y), faded(color::kWarning, 0.8f));
        list.AddCircleFilled(ImVec2(end.x, end.y), size * 0.8f, color::kWarning, 10);
        desk.report[fmt::format("curve.{}.{}.{}", curves[c].label, time_text(desk, channel.times[k]),
                                side == rig::KeySide::kIn ? "in" : "out")] = {end.x - size, end.y - size, 2 * size,
                                                                              2 * size};
      }
    }
    list.AddCircleFilled(ImVec2(at.x, at.y), size, chosen ? color::kWarning : curves[c].ink, 12);
    list.AddCircle(ImVec2(at.x, at.y), size, color::kField, 12);
    constexpr int kReported = 64;
    if (reported++ < kReported) {
      desk.report[fmt::format("curve.{}.{}", curves[c].label, time_text(desk, channel.times[k]))] = {
          at.x - size, at.y - size, 2 * size, 2 * size};
    }
  });
}

// The keys that give a curve that value at a time, of the clip as the drag found it.
std::vector<edit::KeyValue> keys_for(const Curve& curve, const rig::Clip& begun, float from, float time, double value,
                                     const Desk& desk) {
  if (curve.dof >= 0) {
    const rig::JointDofs dofs = edit::joint_dofs(desk.document(), curve.channel.joint);
    const Transform local = local_at(begun, desk.character(), curve.channel.joint, from);
    std::vector<float> sliders = rig::dofs_from_local(dofs, local);
    sliders[curve.dof] = static_cast<float>(value / curve.factor);
    const Transform posed = rig::local_from_dofs(dofs, sliders);
    const glm::quat& q = posed.rotation;
    return {{curve.channel, time, {q.x, q.y, q.z, q.w}}};
  }
  const rig::Channel* const channel = edit::find_channel(begun, curve.channel);
  const auto key = channel == nullptr ? std::nullopt : rig::find_key(*channel, from);
  if (!key) {
    return {};
  }
  const std::span<const float> stored = rig::key_value(*channel, *key);
  std::vector<float> values(stored.begin(), stored.end());
  values[curve.component] = static_cast<float>(value / curve.factor);
  return {{curve.channel, time, std::move(values)}};
}

void drag_value(KeyEditor& editor, const Curve& curve, const Plane& plane, glm::vec2 mouse, Desk& desk) {
  KeyDrag& drag = *editor.drag;
  const int clip = desk.document().content.clip;
  const double seconds = (static_cast<double>(mouse.x) - static_cast<double>(drag.from.x)) / plane.area.per_second;
  const double wanted = snapped(desk, static_cast<double>(drag.time) + seconds);
  const rig::TimeMap map = edit::within_time({.offset = wanted - static_cast<double>(drag.time)}, drag.keys);
  const bool moves = std::abs(mouse.x - drag.from.x) > desk.theme.px(kCurveStart) && !ImGui::GetIO().KeyShift;
  const rig::TimeMap where = moves ? map : rig::TimeMap{};
  desk.change(edit::MoveKeys{clip, drag.keys, where, drag.begun}, "curve-key");
  if (std::abs(mouse.y - drag.from.y) > desk.theme.px(kCurveStart)) {
    const double value =
        value_at(curve, *drag.begun, drag.time, desk) + plane.value(mouse.y) - plane.value(drag.from.y);
    desk.change(edit::SetKeys{clip, keys_for(curve, *drag.begun, drag.time, where(drag.time), value, desk)},
                "curve-key");
  }
  editor.selected = mapped(drag.keys, where);
}

void drag_tangent(KeyEditor& editor, const Curve& curve, const Plane& plane, glm::vec2 mouse, Desk& desk) {
  KeyDrag& drag = *editor.drag;
  const rig::Channel* const channel = edit::find_channel(*drag.begun, curve.channel);
  const auto key = channel == nullptr ? std::nullopt : rig::find_key(*channel, drag.time);
  if (!key) {
    return;
  }
  const bool is_out = drag.side == rig::KeySide::kOut;
  const double key_x = plane.area.x(static_cast<double>(drag.time));
  const double key_y = plane.y(value_at(curve, *drag.begun, drag.time, desk));
  const double along = std::max((static_cast<double>(mouse.x) - key_x) * (is_out ? 1 : -1), 1.0);
  const double up = (key_y - static_cast<double>(mouse.y)) * (is_out ? 1 : -1);
  const std::span<const float> before = rig::key_tangent(*channel, *key, drag.side);
  std::vector<float> slope(before.begin(), before.end());
  slope[curve.component] = static_cast<float>(up / plane.per_value / (along / plane.area.per_second) / curve.factor);
  const bool alone = ImGui::GetIO().KeyAlt || rig::tangents_of(*channel, *key) == rig::Tangents::kBroken;
  desk.change(
      edit::SetTangent{desk.document().content.clip, curve.channel, drag.time, drag.side, std::move(slope), alone},
      "curve-tangent");
}

void begin_curve_drag(KeyEditor& editor, const std::vector<Curve>& curves, const Plane& plane, glm::vec2 mouse,
                      Desk& desk) {
  const CurveHit hit = hit_at(editor, curves, plane, mouse, desk);
  KeyDrag drag{.kind = KeyDrag::Kind::kBox, .from = mouse, .before = editor.selected};
  if (hit.curve >= 0) {
    drag.kind = hit.is_tangent ? KeyDrag::Kind::kTangent : KeyDrag::Kind::kValue;
    drag.time = hit.time;
    drag.curve = hit.curve;
    drag.side = hit.side;
    drag.channel = curves[hit.curve].channel;
    drag.begun = std::make_shared<const rig::Clip>(curve_clip(desk));
    if (!is_selected(editor.selected, drag.channel, hit.time)) {
      select_keys(editor, {{drag.channel, {hit.time}}});
    }
    drag.keys = editor.selected;
  }
  editor.drag = std::move(drag);
}

void end_curve_drag(KeyEditor& editor, const std::vector<Curve>& curves, const Plane& plane, glm::vec2 mouse,
                    Desk& desk) {
  const KeyDrag drag = *editor.drag;
  editor.drag.reset();
  if (ImGui::IsMouseDown(ImGuiMouseButton_Left)) {  // Esc
    editor.selected = drag.before;
    return;
  }
  desk.requests.end_merge = true;
  if (drag.kind != KeyDrag::Kind::kBox) {
    return;
  }
  edit::KeySelection picked;
  const glm::vec2 lower = glm::min(drag.from, mouse);
  const glm::vec2 upper = glm::max(drag.from, mouse);
  for_points(editor, curves, plane.area, desk, [&](int c, const rig::Channel& channel, std::size_t k) {
    const glm::vec2 at = point_of(curves[c], plane, channel.times[k], desk);
    if (drag.has_moved && at.x >= lower.x && at.x <= upper.x && at.y >= lower.y && at.y <= upper.y) {
      picked.push_back({curves[c].channel, {channel.times[k]}});
    }
  });
  select_keys(editor, picked);
}

void draw_curve_names(KeyEditor& editor, const std::vector<Curve>& curves, const Rect& names, Desk& desk) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float height = key_row_height(desk);
  float y = names.y;
  const auto row = [&](const std::string& id, const std::string& label, ImU32 ink, bool on, const char* help) {
    const bool fits = y + height <= names.y + names.h;
    bool clicked = false;
    if (fits) {
      ImGui::SetCursorScreenPos(ImVec2(names.x, y));
      clicked = ImGui::InvisibleButton(id.c_str(), ImVec2(std::max(1.0f, names.w), height));
      report_item(desk, id);
      tip(help);
      const float side = desk.theme.px(7);
      list.AddRectFilled(ImVec2(names.x + 2, y + (height - side) * 0.5f),
                         ImVec2(names.x + 2 + side, y + (height + side) * 0.5f), on ? ink : faded(ink, 0.2f),
                         desk.theme.px(2));
      clipped_text_at({names.x + 2 * side, y + (height - ImGui::GetTextLineHeight()) * 0.5f}, label,
                      names.w - 2 * side - desk.theme.px(3), on ? color::kText : color::kTextDim);
    }
    y += height;
    return clicked;
  };
  if (row("curves.sliders", editor.shows_sliders ? "As sliders" : "As stored", color::kTextDim, editor.shows_sliders,
          "Rotations as the joint's sliders, in degrees, or as the numbers of the key; click for the other")) {
    editor.shows_sliders = !editor.shows_sliders;
    editor.lowest = editor.highest = 0;
  }
  for (const Curve& curve : curves) {
    const bool on = !editor.hidden.contains(curve.label);
    if (row("curves." + curve.label, curve.label, curve.ink, on, "Click to hide or show this curve")) {
      on ? void(editor.hidden.insert(curve.label)) : void(editor.hidden.erase(curve.label));
    }
  }
}

void drag_in_curves(KeyEditor& editor, const std::vector<Curve>& curves, const Plane& plane, Desk& desk) {
  const ImGuiIO& io = ImGui::GetIO();
  const glm::vec2 mouse(io.MousePos.x, io.MousePos.y);
  if (ImGui::IsItemActivated()) {
    begin_curve_drag(editor, curves, plane, mouse, desk);
  }
  if (!editor.drag) {
    return;
  }
  if (!ImGui::IsItemActive()) {
    end_curve_drag(editor, curves, plane, mouse, desk);
    return;
  }
  KeyDrag& drag = *editor.drag;
  drag.has_moved = drag.has_moved || glm::length(mouse - drag.from) > desk.theme.px(kCurveStart);
  if (!drag.has_moved || !has_index(curves, drag.curve)) {
    return;
  }
  if (drag.kind == KeyDrag::Kind::kValue) {
    drag_value(editor, curves[drag.curve], plane, mouse, desk);
  } else if (drag.kind == KeyDrag::Kind::kTangent) {
    drag_tangent(editor, curves[drag.curve], plane, mouse, desk);
  } else if (drag.kind == KeyDrag::Kind::kBox) {
    const ImVec2 a(drag.from.x, drag.from.y);
    ImGui::GetForegroundDrawList()->AddRect(a, io.MousePos, color::kAccent);
  }
}

}  // namespace

void draw_curves(KeyEditor& editor, const Rect& names, const TrackArea& area, Desk& desk) {
  const std::vector<Curve> curves = curves_of(editor, desk);
  draw_curve_names(editor, curves, names, desk);
  ImGui::SetCursorScreenPos(ImVec2(area.rect.x, area.rect.y));
  ImGui::InvisibleButton("##curves", ImVec2(std::max(1.0f, area.rect.w), std::max(1.0f, area.rect.h)));
  report_item(desk, "keys.plane");
  if (curves.empty()) {
    editor.drag.reset();
    const char* const what = desk.document().view.selected_joint() < 0
                                 ? "Select a joint to see its curves"
                                 : "The clip does not move this joint: pose it with automatic keys, or press K";
    clipped_text_at({area.rect.x + desk.theme.px(8), area.rect.y + desk.theme.px(6)}, what,
                    area.rect.w - desk.theme.px(16), color::kTextDim);
    return;
  }
  fit_values(editor, curves, desk);
  const Plane plane{area, editor.lowest,
                    static_cast<double>(area.rect.h) / std::max(editor.highest - editor.lowest, 1e-9)};
  drag_in_curves(editor, curves, plane, desk);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRect(ImVec2(area.rect.x, area.rect.y), ImVec2(area.rect.x + area.rect.w, area.rect.y + area.rect.h),
                    true);
  draw_levels(plane, desk);
  for (const Curve& curve : curves) {
    if (!editor.hidden.contains(curve.label)) {
      draw_curve(curve, plane, desk);
    }
  }
  draw_points(editor, curves, plane, desk);
  list.PopClipRect();
}

}  // namespace pelt::ui
