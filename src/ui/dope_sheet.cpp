#include "ui/dope_sheet.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>

#include "core/index.h"
#include "core/text.h"
#include "ui/selecting.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr float kKeyRow = 19;   // layout units
constexpr float kKeySize = 4;   // half the width of a key
constexpr float kKeyReach = 6;  // of the mouse
constexpr float kKeyStart = 3;  // before a press becomes a drag

using rig::Channel;

const rig::Clip& shown_clip(const Desk& desk) {
  return desk.character().clips[desk.document().content.clip];
}

// Calls it with each channel of a row.
template <typename F>
void for_channels(const rig::Clip& clip, const KeyRow& row, const F& call) {
  if (row.channel >= 0) {
    call(clip.channels[row.channel]);
    return;
  }
  for (const Channel& channel : clip.channels) {
    if (row.joint < 0 || channel.joint == row.joint) {
      call(channel);
    }
  }
}

// Keys of a channel between two times, as an iterator pair.
std::pair<std::vector<float>::const_iterator, std::vector<float>::const_iterator> keys_between(const Channel& channel,
                                                                                               double from, double to) {
  return {std::ranges::lower_bound(channel.times, static_cast<float>(from)),
          std::ranges::upper_bound(channel.times, static_cast<float>(to))};
}

struct RowPlace {
  float top;
  float bottom;
  [[nodiscard]] float middle() const { return std::floor((top + bottom) * 0.5f); }
};

RowPlace place_of(std::size_t row, const KeyEditor& editor, const Rect& rect, const Desk& desk) {
  const float height = key_row_height(desk);
  const float top = rect.y + static_cast<float>(row) * height - editor.scroll;
  return {top, top + height};
}

void draw_mark(ImVec2 at, float size, rig::Interpolation kind, ImU32 ink) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  switch (kind) {
    case rig::Interpolation::kStep:
      list.AddRectFilled(ImVec2(at.x - size * 0.8f, at.y - size * 0.8f), ImVec2(at.x + size * 0.8f, at.y + size * 0.8f),
                         ink);
      break;
    case rig::Interpolation::kLinear:
      list.AddQuadFilled(ImVec2(at.x - size, at.y), ImVec2(at.x, at.y - size), ImVec2(at.x + size, at.y),
                         ImVec2(at.x, at.y + size), ink);
      break;
    case rig::Interpolation::kCubicSpline:
      list.AddCircleFilled(at, size * 0.92f, ink, 10);
      break;
  }
}

/// What stands at a column of pixels of a row.
enum class Column : char { kNothing, kStepKey, kLinearKey, kCubicKey, kDense };

// Keys of one channel into columns: nearer than two pixels to one that stands there they add nothing.
void mark_columns(const float* begin, const float* end, const std::vector<float>* chosen, const TrackArea& area,
                  Column kind, std::vector<Column>& columns) {
  const auto first = static_cast<float>(area.first);
  const auto per_second = static_cast<float>(area.per_second);
  const int last = static_cast<int>(columns.size()) - 1;
  Column* const out = columns.data();
  int before = -2;
  for (const float* key = begin; key != end; ++key) {
    const int column = static_cast<int>((*key - first) * per_second) + 1;
    if (column < before + 2 || column > last || out[column] != Column::kNothing || column < 1 ||
        out[column - 1] != Column::kNothing) {
      continue;
    }
    if (chosen == nullptr || std::ranges::binary_search(*chosen, *key)) {
      out[column] = kind;
      before = column;
    }
  }
}

void draw_columns(const std::vector<Column>& columns, const RowPlace& place, const TrackArea& area, float size,
                  ImU32 ink) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const float x = std::floor(area.rect.x + static_cast<float>(i)) - 1;
    if (columns[i] == Column::kDense) {
      list.AddRectFilled(ImVec2(x, place.middle() - size), ImVec2(x + 1, place.middle() + size), ink);
    } else if (columns[i] != Column::kNothing) {
      const auto kind = static_cast<rig::Interpolation>(static_cast<int>(columns[i]) - 1);
      draw_mark(ImVec2(x + 0.5f, place.middle() + 0.5f), size, kind, ink);
    }
  }
}

bool have_same_times(const Channel& a, const Channel& b) {
  return a.times.size() == b.times.size() &&
         std::memcmp(a.times.data(), b.times.data(), a.times.size() * sizeof(float)) == 0;
}

// Where keys stand close they become lines.
void draw_row_keys(const KeyEditor& editor, const rig::Clip& clip, const KeyRow& row, const RowPlace& place,
                   const TrackArea& area, Desk& desk) {
  const float size = desk.theme.px(kKeySize) * (row.joint < 0 ? 0.9f : 1.0f);
  const ImU32 plain = row.joint < 0 ? color::kTextDim : row.channel < 0 ? color::kText : faded(color::kText, 0.75f);
  std::vector<Column> columns(static_cast<std::size_t>(std::max(0.0f, area.rect.w)) + 2);
  for (const bool chosen : {false, true}) {
    if (chosen && editor.selected.empty()) {
      break;
    }
    std::ranges::fill(columns, Column::kNothing);
    const Channel* before = nullptr;
    for_channels(clip, row, [&](const Channel& channel) {
      const auto keys = chosen ? std::ranges::find(editor.selected, edit::id_of(channel), &edit::ChannelKeys::channel)
                               : editor.selected.end();
      // A capture has the same times in every channel.
      const bool is_again = !chosen && before != nullptr && before->interpolation == channel.interpolation &&
                            have_same_times(*before, channel);
      if ((chosen && keys == editor.selected.end()) || is_again) {
        return;
      }
      before = &channel;
      const auto [begin, end] = keys_between(channel, area.first, area.time(area.rect.x + area.rect.w));
      const double seconds = begin == end ? 1 : static_cast<double>(*(end - 1)) - static_cast<double>(*begin);
      constexpr double kApart = 1.6;  // sizes
      // One key has room, however short its clip is.
      const bool is_dense = end - begin > 1 && static_cast<double>(end - begin) * static_cast<double>(size) * kApart >
                                                   seconds * area.per_second + 1;
      const auto kind = static_cast<Column>(static_cast<int>(channel.interpolation) + 1);
      const float* const all = channel.times.data();
      mark_columns(all + (begin - channel.times.begin()), all + (end - channel.times.begin()),
                   chosen ? &keys->times : nullptr, area, is_dense ? Column::kDense : kind, columns);
    });
    draw_columns(columns, place, area, size, chosen ? color::kWarning : plain);
  }
}

// The key of a row under the mouse, and those of the row at that very time.
edit::KeySelection keys_at(const rig::Clip& clip, const KeyRow& row, const TrackArea& area, float x, float reach) {
  float best = reach;
  float time = -1;
  for_channels(clip, row, [&](const Channel& channel) {
    const auto [begin, end] = keys_between(channel, area.time(x - reach), area.time(x + reach));
    for (auto key = begin; key != end; ++key) {
      if (const float apart = std::abs(area.x(static_cast<double>(*key)) - x); apart < best) {
        best = apart;
        time = *key;
      }
    }
  });
  edit::KeySelection out;
  if (time >= 0) {
    for_channels(clip, row, [&](const Channel& channel) {
      if (rig::find_key(channel, time)) {
        out.push_back({edit::id_of(channel), {time}});
      }
    });
  }
  return out;
}

bool are_selected(const edit::KeySelection& selected, const edit::KeySelection& keys) {
  return std::ranges::all_of(
      keys, [&](const edit::ChannelKeys& one) { return is_selected(selected, one.channel, one.times.front()); });
}

edit::KeySelection keys_in_box(const KeyEditor& editor, const std::vector<KeyRow>& rows, const TrackArea& area,
                               glm::vec2 a, glm::vec2 b, const Desk& desk) {
  edit::KeySelection out;
  const rig::Clip& clip = shown_clip(desk);
  const double from = area.time(std::min(a.x, b.x));
  const double to = area.time(std::max(a.x, b.x));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const RowPlace place = place_of(r, editor, area.rect, desk);
    if (place.middle() < std::min(a.y, b.y) || place.middle() > std::max(a.y, b.y)) {
      continue;
    }
    for_channels(clip, rows[r], [&](const Channel& channel) {
      const auto [begin, end] = keys_between(channel, from, to);
      if (begin != end) {
        out.push_back({edit::id_of(channel), {begin, end}});
      }
    });
  }
  return out;
}

std::shared_ptr<const rig::Clip> clip_now(const Desk& desk) {
  return std::make_shared<const rig::Clip>(shown_clip(desk));
}

// The handles at both ends of what is selected, above the rows.
std::optional<std::pair<Rect, Rect>> scale_handles(const KeyEditor& editor, const TrackArea& area, const Desk& desk) {
  const auto span = selected_span(editor.selected);
  if (!span) {
    return std::nullopt;
  }
  const float width = desk.theme.px(5);
  const float height = key_row_height(desk);
  return std::pair{Rect{area.x(span->first) - 2 * width, area.rect.y, width, height},
                   Rect{area.x(span->second) + width, area.rect.y, width, height}};
}

KeyDrag begun_drag(const KeyEditor& editor, const std::vector<KeyRow>& rows, const TrackArea& area, glm::vec2 mouse,
                   const Desk& desk) {
  KeyDrag drag{.kind = KeyDrag::Kind::kBox, .from = mouse, .before = editor.selected};
  if (const auto handles = scale_handles(editor, area, desk)) {
    const auto span = selected_span(editor.selected);
    const float slack = desk.theme.px(3);
    const auto is_at = [&](const Rect& handle) {
      return Rect{handle.x - slack, handle.y, handle.w + 2 * slack, handle.h}.contains(mouse.x, mouse.y);
    };
    if (is_at(handles->first) || is_at(handles->second)) {
      const bool is_end = is_at(handles->second);
      drag.kind = is_end ? KeyDrag::Kind::kScaleFromStart : KeyDrag::Kind::kScaleFromEnd;
      drag.time = is_end ? span->second : span->first;
      return drag;
    }
  }
  const float height = key_row_height(desk);
  const auto row = static_cast<std::size_t>(std::max(0.0f, (mouse.y - area.rect.y + editor.scroll) / height));
  if (row < rows.size()) {
    const edit::KeySelection hit = keys_at(shown_clip(desk), rows[row], area, mouse.x, desk.theme.px(kKeyReach));
    if (!hit.empty()) {
      drag.kind = KeyDrag::Kind::kKeys;
      drag.keys = hit;
      drag.time = hit.front().times.front();
    }
  }
  return drag;
}

// Where keys go for this place of the mouse.
rig::TimeMap map_of(const KeyDrag& drag, const TrackArea& area, float x, const Desk& desk) {
  const double moved = (static_cast<double>(x) - static_cast<double>(drag.from.x)) / area.per_second;
  const double time = drag.time;
  const bool is_free = ImGui::GetIO().KeyShift;
  const double wanted = is_free ? time + moved : snapped(desk, time + moved);
  rig::TimeMap map;
  if (drag.kind == KeyDrag::Kind::kKeys) {
    map.offset = wanted - time;
    return map;
  }
  const auto span = selected_span(drag.keys);
  map.pivot = drag.kind == KeyDrag::Kind::kScaleFromStart ? span->first : span->second;
  const double length = time - map.pivot;
  map.factor = (wanted - map.pivot) / length;
  constexpr double kLeast = 1e-3;  // all keys at one time would be one
  map.factor = std::abs(map.factor) < kLeast ? kLeast : map.factor;
  map.frame_rate = desk.document().view.timing.snaps && !is_free ? frame_rate(desk) : 0;
  return map;
}

void drag_keys(KeyEditor& editor, const TrackArea& area, float x, Desk& desk) {
  KeyDrag& drag = *editor.drag;
  if (drag.begun == nullptr) {
    // Keys that are dragged are selected.
    if (drag.kind == KeyDrag::Kind::kKeys && !are_selected(editor.selected, drag.keys)) {
      select_keys(editor, drag.keys);
    }
    drag.keys = editor.selected;
    drag.begun = clip_now(desk);
  }
  const rig::TimeMap map = edit::within_time(map_of(drag, area, x, desk), drag.keys);
  desk.change(edit::MoveKeys{desk.document().content.clip, drag.keys, map, drag.begun}, "move-keys");
  editor.selected = mapped(drag.keys, map);
}

void end_drag(KeyEditor& editor, const std::vector<KeyRow>& rows, const TrackArea& area, glm::vec2 mouse, Desk& desk) {
  const KeyDrag drag = *editor.drag;
  editor.drag.reset();
  if (ImGui::IsMouseDown(ImGuiMouseButton_Left)) {  // Esc: what it did is taken back
    editor.selected = drag.before;
    return;
  }
  desk.requests.end_merge = true;
  if (drag.kind == KeyDrag::Kind::kBox) {
    select_keys(editor,
                drag.has_moved ? keys_in_box(editor, rows, area, drag.from, mouse, desk) : edit::KeySelection{});
  } else if (!drag.has_moved && drag.kind == KeyDrag::Kind::kKeys) {
    select_keys(editor, drag.keys);
  }
}

void draw_handles(const KeyEditor& editor, const TrackArea& area, Desk& desk) {
  const auto handles = scale_handles(editor, area, desk);
  if (!handles) {
    return;
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (const auto& [name, handle] :
       {std::pair("keys.scale-start", handles->first), std::pair("keys.scale-end", handles->second)}) {
    list.AddRectFilled(ImVec2(handle.x, handle.y + 2), ImVec2(handle.x + handle.w, handle.y + handle.h - 2),
                       color::kWarning, desk.theme.px(2));
    if (handle.x >= area.rect.x && handle.x < area.rect.x + area.rect.w) {
      desk.report[name] = handle;
    }
  }
}

// Where keys stand, for tests that drive the window: the first ones of each row.
void report_keys(const KeyEditor& editor, const std::vector<KeyRow>& rows, const TrackArea& area, Desk& desk) {
  constexpr int kReported = 8;
  for (std::size_t r = 0; r < rows.size() && r < 64; ++r) {
    const RowPlace place = place_of(r, editor, area.rect, desk);
    if (rows[r].channel >= 0 || place.bottom > area.rect.y + area.rect.h || place.top < area.rect.y) {
      continue;
    }
    int n = 0;
    for_channels(shown_clip(desk), rows[r], [&](const Channel& channel) {
      const auto [begin, end] = keys_between(channel, area.first, area.time(area.rect.x + area.rect.w));
      for (auto key = begin; key != end && n < kReported; ++key, ++n) {
        const float size = desk.theme.px(kKeySize);
        const float x = area.x(static_cast<double>(*key));
        desk.report[fmt::format("key.{}.{}", rows[r].joint, time_text(desk, *key))] = {x - size, place.middle() - size,
                                                                                       2 * size, 2 * size};
      }
    });
  }
}

}  // namespace

float key_row_height(const Desk& desk) {
  return desk.theme.px(kKeyRow);
}

std::string channel_label(const rig::Character& character, const Channel& channel) {
  constexpr const char* kNames[] = {"Translation", "Rotation", "Scale", "Shapes"};
  if (channel.path == rig::ChannelPath::kWeights && channel.morph_target >= 0) {
    for (const rig::MeshNode& node : character.mesh_nodes) {
      const auto& names = character.meshes[node.mesh].morph_names;
      if (node.joint == channel.joint && has_index(names, channel.morph_target)) {
        return printable(names[channel.morph_target]);
      }
    }
  }
  return kNames[static_cast<int>(channel.path)];
}

std::vector<KeyRow> key_rows(const KeyEditor& editor, const Desk& desk) {
  const rig::Clip& clip = shown_clip(desk);
  std::map<int, std::vector<int>> channels;  // by joint
  for (std::size_t c = 0; c < clip.channels.size(); ++c) {
    channels[clip.channels[c].joint].push_back(static_cast<int>(c));
  }
  std::vector<KeyRow> rows = {{-1, -1, "All keys"}};
  const std::vector<int>& selected = desk.document().view.selected_joints;
  for (const auto& [joint, list] : channels) {
    if (editor.only_selected && std::ranges::find(selected, joint) == selected.end()) {
      continue;
    }
    rows.push_back({joint, -1, printable(desk.character().skeleton->label(joint))});
    for (const int c : editor.open.contains(joint) ? list : std::vector<int>()) {
      rows.push_back({joint, c, channel_label(desk.character(), clip.channels[c])});
    }
  }
  return rows;
}

void draw_row_names(KeyEditor& editor, const std::vector<KeyRow>& rows, const Rect& names, Desk& desk) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRect(ImVec2(names.x, names.y), ImVec2(names.x + names.w, names.y + names.h), true);
  const std::vector<int>& selected = desk.document().view.selected_joints;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const KeyRow& row = rows[r];
    const RowPlace place = place_of(r, editor, names, desk);
    if (place.bottom <= names.y || place.top >= names.y + names.h) {
      continue;
    }
    const bool on = row.joint >= 0 && std::ranges::find(selected, row.joint) != selected.end();
    if (on && row.channel < 0) {
      list.AddRectFilled(ImVec2(names.x, place.top), ImVec2(names.x + names.w, place.bottom),
                         faded(color::kAccentSoft, 0.6f));
    }
    const float arrow = desk.theme.px(14);
    const float top = std::max(place.top, names.y);
    const float bottom = std::min(place.bottom, names.y + names.h);
    ImGui::SetCursorScreenPos(ImVec2(names.x, top));
    const std::string id = row.joint < 0     ? "keys.all"
                           : row.channel < 0 ? fmt::format("keys.joint.{}", row.joint)
                                             : fmt::format("keys.channel.{}", row.channel);
    if (ImGui::InvisibleButton(id.c_str(), ImVec2(std::max(1.0f, names.w), std::max(1.0f, bottom - top)))) {
      const bool is_arrow = row.joint >= 0 && row.channel < 0 && ImGui::GetIO().MousePos.x < names.x + arrow;
      if (is_arrow) {
        editor.open.contains(row.joint) ? void(editor.open.erase(row.joint)) : void(editor.open.insert(row.joint));
      } else if (row.joint >= 0) {
        select(desk, {row.joint}, select_by_keys());
      }
    }
    report_item(desk, id);
    const float indent = row.joint < 0 ? desk.theme.px(3) : row.channel < 0 ? arrow : arrow + desk.theme.px(12);
    if (row.joint >= 0 && row.channel < 0) {
      const bool open = editor.open.contains(row.joint);
      const float x = names.x + arrow * 0.45f;
      const float y = place.middle();
      const float s = desk.theme.px(3);
      open ? list.AddTriangleFilled(ImVec2(x - s, y - s * 0.6f), ImVec2(x + s, y - s * 0.6f), ImVec2(x, y + s),
                                    color::kTextDim)
           : list.AddTriangleFilled(ImVec2(x - s * 0.6f, y - s), ImVec2(x + s, y), ImVec2(x - s * 0.6f, y + s),
                                    color::kTextDim);
    }
    clipped_text_at({names.x + indent, place.top + (key_row_height(desk) - ImGui::GetTextLineHeight()) * 0.5f},
                    row.label, names.w - indent - desk.theme.px(4),
                    row.channel >= 0 || row.joint < 0 ? color::kTextDim : color::kText);
  }
  list.PopClipRect();
}

void draw_dope_sheet(KeyEditor& editor, const std::vector<KeyRow>& rows, const TrackArea& area, Desk& desk) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Rect& rect = area.rect;
  const ImGuiIO& io = ImGui::GetIO();
  const glm::vec2 mouse(io.MousePos.x, io.MousePos.y);
  ImGui::SetCursorScreenPos(ImVec2(rect.x, rect.y));
  ImGui::InvisibleButton("##tracks", ImVec2(std::max(1.0f, rect.w), std::max(1.0f, rect.h)));
  report_item(desk, "keys.tracks");
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    fit_time(editor);
  }
  if (ImGui::IsItemActivated()) {
    editor.drag = begun_drag(editor, rows, area, mouse, desk);
  }
  if (editor.drag && ImGui::IsItemActive()) {
    editor.drag->has_moved =
        editor.drag->has_moved || glm::length(mouse - editor.drag->from) > desk.theme.px(kKeyStart);
    if (editor.drag->has_moved && editor.drag->kind != KeyDrag::Kind::kBox) {
      drag_keys(editor, area, mouse.x, desk);
    }
  } else if (editor.drag) {
    end_drag(editor, rows, area, mouse, desk);
  }
  list.PushClipRect(ImVec2(rect.x, rect.y), ImVec2(rect.x + rect.w, rect.y + rect.h), true);
  const rig::Clip& clip = shown_clip(desk);
  const std::vector<int>& selected = desk.document().view.selected_joints;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const RowPlace place = place_of(r, editor, rect, desk);
    if (place.bottom <= rect.y || place.top >= rect.y + rect.h) {
      continue;
    }
    const bool on = rows[r].joint >= 0 && std::ranges::find(selected, rows[r].joint) != selected.end();
    const ImU32 ground = rows[r].joint < 0 ? faded(color::kRaised, 0.8f)
                         : on              ? faded(color::kAccentSoft, 0.28f)
                                           : faded(color::kPanel, r % 2 == 0 ? 0.55f : 0.25f);
    list.AddRectFilled(ImVec2(rect.x, place.top), ImVec2(rect.x + rect.w, place.bottom - 1), ground);
    draw_row_keys(editor, clip, rows[r], place, area, desk);
  }
  draw_handles(editor, area, desk);
  if (editor.drag && editor.drag->kind == KeyDrag::Kind::kBox && editor.drag->has_moved) {
    const ImVec2 a(std::min(mouse.x, editor.drag->from.x), std::min(mouse.y, editor.drag->from.y));
    const ImVec2 b(std::max(mouse.x, editor.drag->from.x), std::max(mouse.y, editor.drag->from.y));
    list.AddRectFilled(a, b, faded(color::kAccent, 0.15f));
    list.AddRect(a, b, color::kAccent);
  }
  list.PopClipRect();
  report_keys(editor, rows, area, desk);
}

}  // namespace pelt::ui
