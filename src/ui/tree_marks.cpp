#include "ui/tree_marks.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <imgui.h>

#include "core/index.h"
#include "edit/paint_edits.h"
#include "ui/hiding.h"
#include "ui/icons.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

// Whether a node or a part is hidden by the file or a click, not by what it hangs below; and whether that is worth an
// icon although nobody points at it.
struct Eye {
  bool own_hidden = false;
  bool drawn = false;
};

Eye eye_of(const Desk& desk, const TreeRow& row) {
  if (row.kind == RowKind::kPart) {
    const rig::SharedHiding& hiding = desk.workspace.view.hiding;
    const bool is_hidden = hiding != nullptr && hiding->hides_part(row.index);
    return {is_hidden, is_hidden};
  }
  const std::vector<char>& hidden = desk.character().node_hidden;
  const std::vector<int>& toggled = desk.workspace.view.toggled_nodes;
  const bool by_file = has_index(hidden, row.index) && hidden[static_cast<std::size_t>(row.index)] != 0;
  const bool changed = std::ranges::find(toggled, row.index) != toggled.end();
  return {by_file != changed, by_file || changed};
}

bool can_be_locked(const Desk& desk, const TreeRow& row) {
  const std::vector<char>& is_joint = desk.character().skeleton->is_joint;
  return desk.workspace.mode == "weights" && row.kind == RowKind::kNode && has_index(is_joint, row.index) &&
         is_joint[static_cast<std::size_t>(row.index)] != 0;
}

}  // namespace

std::vector<RowMark> row_marks(const Desk& desk, const TreeRow& row, bool hovered) {
  std::vector<RowMark> marks;
  if (can_be_locked(desk, row)) {
    const bool locked = edit::is_locked(desk.document().content, row.index);
    if (locked || hovered) {
      marks.push_back({RowMark::Kind::kLock, locked,
                       locked ? "Locked: what this joint has of each vertex stays bit for bit"
                              : "Lock: what this joint has of each vertex is to stay"});
    }
  }
  if (row.kind == RowKind::kNode || row.kind == RowKind::kPart) {
    const Eye eye = eye_of(desk, row);
    if (eye.drawn || hovered) {
      marks.push_back({RowMark::Kind::kEye, eye.own_hidden, eye.own_hidden ? "Hidden: a click shows it" : "Hide"});
    }
  }
  return marks;
}

void draw_mark(Desk& desk, const TreeRow& row, const RowMark& mark, const Rect& at, bool current) {
  const bool is_eye = mark.kind == RowMark::Kind::kEye;
  const char* const icon = is_eye ? (mark.on ? icon::kEyeClosed : icon::kEye) : mark.on ? icon::kLock : icon::kUnlock;
  const ImU32 ink = current ? IM_COL32_WHITE : !is_eye && mark.on ? color::kAccent : color::kTextDim;
  const float text_y = at.y + std::floor((at.h - ImGui::GetTextLineHeight()) * 0.5f) + desk.theme.px(1);
  ImGui::PushFont(desk.theme.small);
  ImGui::GetWindowDrawList()->AddText(ImVec2(at.x + desk.theme.px(2), text_y), ink, icon);
  ImGui::PopFont();
  if (row.kind == RowKind::kNode) {
    desk.report[fmt::format("tree.{}.{}", is_eye ? "eye" : "lock", desk.character().skeleton->label(row.index))] = at;
  }
}

void click_mark(Desk& desk, const TreeRow& row, const RowMark& mark) {
  if (mark.kind == RowMark::Kind::kLock) {
    desk.change(edit::LockJoints{{row.index}, !mark.on});
    return;
  }
  if (row.kind == RowKind::kPart) {
    set_part_hidden(desk, row.index, !mark.on);
    return;
  }
  std::vector<int>& toggled = desk.workspace.view.toggled_nodes;
  if (std::erase(toggled, row.index) == 0) {
    toggled.push_back(row.index);
  }
}

}  // namespace pelt::ui
