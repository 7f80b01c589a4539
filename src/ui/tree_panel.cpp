#include "ui/tree_panel.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "core/text.h"
#include "render/look_colors.h"
#include "rig/appearance.h"
#include "rig/joint_names.h"
#include "ui/context_menu.h"
#include "ui/icons.h"
#include "ui/ink.h"
#include "ui/selecting.h"
#include "ui/tooltip.h"
#include "ui/tree_marks.h"
#include "ui/tree_rows.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

// Of the joints' names alone: what carries them is called otherwise.
std::string joint_prefix(const rig::Skeleton& skeleton) {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < skeleton.name.size(); ++j) {
    if (j < skeleton.is_joint.size() && skeleton.is_joint[j] != 0) {
      names.push_back(skeleton.name[j]);
    }
  }
  return rig::common_joint_prefix(names.empty() ? skeleton.name : names);
}

void add_nodes(TreePanel& panel, const rig::Character& character) {
  const rig::Skeleton& skeleton = character.skeleton;
  // Parents come before children, so lists of children are made in one pass; the walk has its own stack since files may
  // nest deeper than ours should.
  std::vector<std::vector<int>> children(skeleton.size());
  std::vector<std::pair<int, int>> stack;
  for (int j = skeleton.size() - 1; j >= 0; --j) {
    const int parent = skeleton.parent[j];
    if (parent < 0) {
      stack.emplace_back(j, 1);
    } else {
      children[parent].push_back(j);  // descending: the first child is pushed last
    }
  }
  while (!stack.empty()) {
    const auto [j, depth] = stack.back();
    stack.pop_back();
    const std::vector<int>& below = children[j];
    const bool expanded = !panel.collapsed_nodes.contains(j);
    panel.rows.push_back({RowKind::kNode, j, depth, !below.empty(), expanded});
    if (expanded) {
      for (const int child : below) {
        stack.emplace_back(child, depth + 1);
      }
    }
  }
}

// A mesh of several parts lists them below it.
void add_meshes(TreePanel& panel, const rig::Character& character) {
  for (int i = 0; i < static_cast<int>(character.mesh_nodes.size()); ++i) {
    std::vector<TreeRow> parts;
    for (int p = 0; p < static_cast<int>(character.parts.size()); ++p) {
      if (character.parts[p].mesh_node == i) {
        parts.push_back({RowKind::kPart, p, 2, false, false});
      }
    }
    const bool lists = parts.size() > 1;
    const bool expanded = lists && (!panel.filter.empty() || !panel.collapsed_meshes.contains(i));
    const TreeRow row{RowKind::kMesh, i, 1, lists, expanded};
    const bool found = contains_ignoring_case(row_name(character, row), panel.filter);
    if (!panel.filter.empty()) {
      std::erase_if(parts, [&](const TreeRow& part) {
        return !found && !contains_ignoring_case(row_name(character, part), panel.filter);
      });
    }
    if (!found && (!lists || parts.empty())) {
      continue;
    }
    panel.rows.push_back(row);
    if (expanded) {
      panel.rows.insert(panel.rows.end(), parts.begin(), parts.end());
    }
  }
}

void rebuild(TreePanel& panel, const rig::Character& character) {
  panel.rows.clear();
  for (int group = 0; group < kGroupCount; ++group) {
    const int size = tree_group_size(character, group);
    if (size == 0) {
      continue;
    }
    const bool expanded = !panel.filter.empty() || !panel.collapsed_groups.contains(group);
    const std::size_t heading_row = panel.rows.size();
    panel.rows.push_back({RowKind::kGroup, group, 0, true, expanded});
    if (!expanded) {
      continue;
    }
    if (group == kNodes && panel.filter.empty()) {
      add_nodes(panel, character);
      continue;
    }
    if (group == kMeshes) {
      add_meshes(panel, character);
    }
    for (int i = 0; i < size && group != kMeshes; ++i) {
      const TreeRow row{row_kind_of(group), i, 1, false, false};
      if (contains_ignoring_case(row_name(character, row), panel.filter)) {
        panel.rows.push_back(row);
      }
    }
    if (panel.rows.size() == heading_row + 1) {
      panel.rows.pop_back();  // nothing below matches
    }
  }
  panel.rows_valid = true;
}

// Ctrl toggles; Shift adds all rows from the active joint's to this one, as lists do.
void click_joint(const TreePanel& panel, int joint, Desk& desk) {
  const edit::SelectBy by = select_by_keys();
  const auto row_of = [&](int wanted) {
    return std::ranges::find_if(panel.rows,
                                [&](const TreeRow& row) { return row.kind == RowKind::kNode && row.index == wanted; });
  };
  const auto from = row_of(desk.document().view.selected_joint());
  const auto to = row_of(joint);
  if (by != edit::SelectBy::kAdd || from == panel.rows.end() || to == panel.rows.end()) {
    select(desk, std::vector<int>{joint}, by);
    return;
  }
  std::vector<int> joints;
  for (auto row = std::min(from, to); row <= std::max(from, to); ++row) {
    if (row->kind == RowKind::kNode && row->index != joint) {
      joints.push_back(row->index);
    }
  }
  joints.push_back(joint);
  select(desk, std::move(joints), by);
}

void click(TreePanel& panel, const TreeRow& row, Desk& desk) {
  const rig::Character& character = desk.character();
  switch (row.kind) {
    case RowKind::kGroup:
      if (row.expanded) {
        panel.collapsed_groups.insert(row.index);
      } else {
        panel.collapsed_groups.erase(row.index);
      }
      panel.rows_valid = false;
      break;
    case RowKind::kNode:
      panel.last_selected = row.index;  // it is on screen already
      click_joint(panel, row.index, desk);
      break;
    case RowKind::kSkin:
      if (!character.skins[row.index].joints.empty()) {
        select(desk, character.skins[row.index].joints.front());
      }
      break;
    case RowKind::kMesh:
      select(desk, character.mesh_nodes[row.index].joint);
      break;
    case RowKind::kPart:
      select(desk, character.parts[row.index].joint);
      break;
    case RowKind::kClip:
      desk.change(edit::SetClip{row.index});
      break;
    case RowKind::kVariant: {
      int& variant = desk.workspace.view.variant;
      variant = variant == row.index ? -1 : row.index;  // a second click: the file's first materials again
      break;
    }
    case RowKind::kScene:
      if (row.index != character.scene) {
        desk.requests.show_scene = row.index;
      }
      break;
    case RowKind::kCamera:
      look_through(desk, row.index);
      break;
    case RowKind::kLight:
      select(desk, character.lights[row.index].joint);
      break;
    case RowKind::kMaterial: {
      const std::vector<int> worn = rig::part_materials(character, desk.workspace.view.variant);
      const auto part = std::ranges::find(worn, row.index);
      if (part != worn.end()) {
        select(desk, character.parts[part - worn.begin()].joint);
      }
      break;
    }
  }
}

bool is_current(const TreeRow& row, Desk& desk) {
  const std::vector<int>& joints = desk.document().view.selected_joints;
  return (row.kind == RowKind::kNode && std::ranges::find(joints, row.index) != joints.end()) ||
         (row.kind == RowKind::kClip && row.index == desk.document().content.clip) ||
         (row.kind == RowKind::kVariant && row.index == desk.workspace.view.variant) ||
         (row.kind == RowKind::kCamera && desk.workspace.looked_through && row.index == desk.workspace.scene_camera);
}

// Where a row's arrow begins. Very deep chains stop indenting instead of leaving the panel, and a long name moves to
// the left rather than being cut, but not further than the children of the first row.
// @param name  how wide the name is, pixels
float row_start(const TreeRow& row, float width, float name, const Theme& theme) {
  const float indent = theme.px(11);
  const float depth = std::min(static_cast<float>(row.depth), std::max(2.0f, (width - theme.px(100)) / indent));
  const float start = theme.px(3) + indent * (row.depth > 0 ? depth - 1 : depth);
  const float room = width - name - indent - theme.px(22);  // before arrow, icon and name
  return std::min(start, std::max(theme.px(3) + indent, room));
}

// The field in which a joint gets another name, in its row.
void draw_renaming(TreePanel& panel, const TreeRow& row, Desk& desk) {
  Renaming& renaming = *panel.renaming;
  renaming.drawn = true;
  const float height = ImGui::GetFrameHeight() - desk.theme.px(3);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float left = row_start(row, width, 0, desk.theme) + desk.theme.px(11);
  const bool begins = !renaming.open;
  if (begins) {
    renaming.text = desk.character().skeleton->name[renaming.joint];
    renaming.open = true;
    ImGui::SetKeyboardFocusHere();
  }
  ImGui::SetCursorScreenPos(ImVec2(at.x + left, at.y));
  ImGui::SetNextItemWidth(std::max(1.0f, width - left));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                      ImVec2(desk.theme.px(4), std::max(0.0f, (height - ImGui::GetFontSize()) / 2)));
  const bool given = ImGui::InputText("##rename", &renaming.text,
                                      ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  ImGui::PopStyleVar();
  report_item(desk, "tree.rename");
  const bool left_alone = ImGui::IsItemDeactivated();
  const edit::RenameJoint change{renaming.joint, renaming.text};
  if (const std::string remark = edit::notice(desk.document(), change); !remark.empty()) {
    tooltip_beside(item_rect(), printable(remark, 400));
  }
  if (given) {
    desk.change(change);
  }
  if (given || (left_alone && !begins)) {
    panel.renaming.reset();
  }
  ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + height + desk.theme.px(1)));
}

void draw_row(TreePanel& panel, const TreeRow row, Desk& desk) {
  if (panel.renaming && row.kind == RowKind::kNode && row.index == panel.renaming->joint) {
    draw_renaming(panel, row, desk);
    return;
  }
  const float height = ImGui::GetFrameHeight() - desk.theme.px(3);
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const rig::Character& character = desk.character();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const bool pressed = ImGui::InvisibleButton("##row", ImVec2(std::max(1.0f, width), height));
  const bool hovered = ImGui::IsItemHovered();
  const std::string full_name = row_name(character, row);
  const std::string name = row_name(character, row, panel.prefix);
  report_item(desk, row.kind == RowKind::kNode      ? "tree.joint." + full_name
                    : row.kind == RowKind::kClip    ? "tree.clip." + name
                    : row.kind == RowKind::kVariant ? "tree.variant." + name
                    : row.kind == RowKind::kCamera  ? "tree.camera." + name
                    : row.kind == RowKind::kScene   ? "tree.scene." + name
                    : row.kind == RowKind::kPart    ? fmt::format("tree.part.{}", row.index)
                                                    : "tree." + name);
  if (row.kind == RowKind::kNode && hovered && ImGui::IsMouseReleased(ImGuiMouseButton_Right)) {
    const std::vector<int>& joints = desk.document().view.selected_joints;
    if (std::ranges::find(joints, row.index) == joints.end()) {
      panel.last_selected = row.index;
      select(desk, row.index);
    }
    open_context_menu(desk, false);
  }
  if (row.kind == RowKind::kPart && hovered && ImGui::IsMouseReleased(ImGuiMouseButton_Right)) {
    desk.workspace.context_part = row.index;
    desk.workspace.context_is_part = true;
    open_context_menu(desk, false);
  }
  const bool current = is_current(row, desk);
  const ImU32 ground = current ? color::kAccentSoft : hovered ? color::kRaised : color::kPanel;
  if (current || hovered) {
    list.AddRectFilled(at, ImVec2(at.x + width, at.y + height), ground, ImGui::GetStyle().FrameRounding);
  }
  const float indent = desk.theme.px(11);
  const float text_y = at.y + std::floor((height - ImGui::GetTextLineHeight()) * 0.5f);
  float x = at.x + row_start(row, width, ImGui::CalcTextSize(name.c_str()).x, desk.theme);
  const float arrow_end = x + indent;
  if (row.has_children) {
    const float cx = x + indent * 0.42f;
    const float cy = at.y + height * 0.5f;
    const float r = desk.theme.px(3.5f);
    if (row.expanded) {
      list.AddTriangleFilled(ImVec2(cx - r, cy - r * 0.6f), ImVec2(cx + r, cy - r * 0.6f), ImVec2(cx, cy + r * 0.7f),
                             color::kTextDim);
    } else {
      list.AddTriangleFilled(ImVec2(cx - r * 0.6f, cy - r), ImVec2(cx + r * 0.7f, cy), ImVec2(cx - r * 0.6f, cy + r),
                             color::kTextDim);
    }
  }
  x = arrow_end;
  const bool overridden = row.kind == RowKind::kNode && desk.document().content.overrides->contains(row.index);
  if (row.kind != RowKind::kGroup) {
    // In the heat map of all joints the tree is its legend.
    const render::ViewSettings& view = desk.workspace.view;
    const bool coloured = row.kind == RowKind::kNode && render::is_weight_look(view.look) && view.weight_joint < 0 &&
                          character.skeleton->is_joint[row.index] != 0;
    const ImU32 plain = current ? IM_COL32_WHITE : overridden ? color::kAccent : color::kTextDim;
    ImGui::PushFont(desk.theme.small);
    list.AddText(ImVec2(x, text_y + desk.theme.px(1)), coloured ? packed(render::joint_color(row.index)) : plain,
                 coloured ? icon::kClay : row_icon(character, row));
    ImGui::PopFont();
    x += desk.theme.px(20);
  } else {
    x += desk.theme.px(2);
  }
  std::string right = row_note(character, row);
  // A joint's name goes before what it is in a body, which its tooltip says as well.
  const float name_width = row.kind == RowKind::kNode ? ImGui::CalcTextSize(name.c_str()).x : 0;
  const std::string role = row.kind == RowKind::kNode ? right : "";
  if (x + name_width + ImGui::CalcTextSize(right.c_str()).x + desk.theme.px(8) > at.x + width) {
    right = row.kind == RowKind::kNode ? "" : right;
  }
  float right_width = right.empty() ? 0 : ImGui::CalcTextSize(right.c_str()).x + desk.theme.px(8);
  if (!right.empty()) {
    list.AddText(ImVec2(at.x + width - right_width + desk.theme.px(2), text_y),
                 ink_on(ground, current ? IM_COL32_WHITE : color::kTextDim), right.c_str());
  }
  std::vector<RowMark> marks = row_marks(desk, row, hovered);
  for (RowMark& mark : marks) {
    right_width += desk.theme.px(20);
    mark.left = at.x + width - right_width;
    draw_mark(desk, row, mark, {mark.left, at.y, desk.theme.px(20), height}, current);
  }
  const float name_end = at.x + width - right_width;
  ImGui::PushFont(row.kind == RowKind::kGroup ? desk.theme.strong : desk.theme.regular);
  const std::string fitting =
      row.kind == RowKind::kGroup ? fitted(name, name_end - x) : fitted_in_the_middle(name, name_end - x);
  list.AddText(ImVec2(x, text_y), current ? IM_COL32_WHITE : color::kText, fitting.c_str());
  ImGui::PopFont();
  const float mouse = ImGui::GetIO().MousePos.x;
  const auto over = std::ranges::find_if(
      marks, [&](const RowMark& mark) { return mouse >= mark.left && mouse < mark.left + desk.theme.px(20); });
  if (over != marks.end()) {
    tip(over->help);
  } else if (fitting != full_name || right != row_note(character, row)) {
    tip(role.empty() ? full_name : fmt::format("{} ({})", full_name, role));
  }
  if (hovered && row.kind == RowKind::kNode) {
    desk.workspace.viewport.tree_hovered_joint = row.index;
  }
  if (row.kind == RowKind::kNode && hovered && ImGui::IsMouseDoubleClicked(0) &&
      ImGui::GetIO().MousePos.x >= arrow_end && ImGui::GetIO().MousePos.x < name_end) {
    panel.renaming = Renaming{.joint = row.index};
    return;
  }
  if (!pressed) {
    return;
  }
  if (row.has_children && row.kind == RowKind::kMesh && ImGui::GetIO().MousePos.x < arrow_end) {
    if (row.expanded) {
      panel.collapsed_meshes.insert(row.index);
    } else {
      panel.collapsed_meshes.erase(row.index);
    }
    panel.rows_valid = false;
    return;
  }
  if (row.has_children && row.kind == RowKind::kNode && ImGui::GetIO().MousePos.x < arrow_end) {
    if (row.expanded) {
      panel.collapsed_nodes.insert(row.index);
    } else {
      panel.collapsed_nodes.erase(row.index);
    }
    panel.rows_valid = false;
    return;
  }
  if (over != marks.end()) {
    click_mark(desk, row, *over);
    return;
  }
  click(panel, row, desk);
}

// Whether at least half of the names are the same: a joint may have got another one.
bool mostly_equal(const std::vector<std::string>& before, const std::vector<std::string>& now) {
  std::size_t equal = 0;
  for (std::size_t i = 0; i < std::min(before.size(), now.size()); ++i) {
    equal += before[i] == now[i] ? 1 : 0;
  }
  return before.size() == now.size() && 2 * equal >= now.size();
}

// Unfolds the tree down to a joint.
void unfold(TreePanel& panel, const rig::Skeleton& skeleton, int joint) {
  panel.collapsed_groups.erase(static_cast<int>(kNodes));
  for (int j = skeleton.parent[joint]; j >= 0; j = skeleton.parent[j]) {
    panel.collapsed_nodes.erase(j);
  }
  panel.rows_valid = false;
}

}  // namespace

void draw(TreePanel& panel, Desk& desk) {
  const edit::Document& document = desk.document();
  const rig::Skeleton& skeleton = document.character->skeleton;
  if (panel.character_version != document.character_version && panel.parents == skeleton.parent &&
      mostly_equal(panel.names, skeleton.name)) {
    panel.character_version = document.character_version;  // another surface of it, a newer version, or other names
    panel.rows_valid = false;
    if (panel.names != skeleton.name) {
      panel.names = skeleton.name;
      panel.prefix = joint_prefix(skeleton);
    }
  } else if (panel.character_version != document.character_version) {
    panel = {};
    panel.parents = skeleton.parent;
    panel.names = skeleton.name;
    panel.prefix = joint_prefix(skeleton);
    panel.character_version = document.character_version;
    panel.collapsed_groups = {kMaterials, kScenes};
    if (document.character->skins.empty() && document.character->skeleton->size() > 200) {
      panel.collapsed_groups.insert(kNodes);
    }
  }
  ImGui::SetNextItemWidth(-1);
  if (ImGui::InputTextWithHint("##search", fmt::format("{}  Search", icon::kSearch).c_str(), &panel.filter)) {
    panel.rows_valid = false;
  }
  report_item(desk, "tree.search");

  // A joint selected elsewhere is unfolded and brought into view.
  bool scroll = false;
  if (document.view.selected_joint() != panel.last_selected) {
    panel.last_selected = document.view.selected_joint();
    scroll = document.view.selected_joint() >= 0;
    panel.rows_valid = false;
    if (scroll) {
      unfold(panel, skeleton, document.view.selected_joint());
    }
  }
  if (panel.renaming && panel.renaming->joint >= skeleton.size()) {
    panel.renaming.reset();
  } else if (panel.renaming && !panel.renaming->open) {
    // What is typed has to be seen, whatever was searched for.
    panel.filter.clear();
    unfold(panel, skeleton, panel.renaming->joint);
    scroll = scroll || panel.renaming->joint == document.view.selected_joint();
  }
  if (panel.renaming) {
    panel.renaming->drawn = false;
  }
  if (!panel.rows_valid) {
    rebuild(panel, *document.character);
  }

  ImGui::BeginChild("##rows");
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, desk.theme.px(1)));
  if (panel.rows.empty()) {
    dim_text("Nothing has that in its name");
  }
  const float pitch = ImGui::GetFrameHeight() - desk.theme.px(3) + desk.theme.px(1);
  if (scroll) {
    const auto found = std::find_if(panel.rows.begin(), panel.rows.end(), [&](const TreeRow& row) {
      return row.kind == RowKind::kNode && row.index == document.view.selected_joint();
    });
    if (found != panel.rows.end()) {
      const float y = pitch * static_cast<float>(found - panel.rows.begin());
      const float top = ImGui::GetScrollY();
      const float height = ImGui::GetWindowHeight();
      if (y < top || y + pitch > top + height) {
        ImGui::SetScrollY(std::max(0.0f, y - height * 0.4f));
      }
    }
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(panel.rows.size()), pitch);
  if (panel.renaming) {
    // A name that is being typed stays while the list is scrolled.
    const auto found = std::ranges::find_if(panel.rows, [&](const TreeRow& row) {
      return row.kind == RowKind::kNode && row.index == panel.renaming->joint;
    });
    if (const auto row = static_cast<int>(found - panel.rows.begin()); found != panel.rows.end()) {
      clipper.ForceDisplayRangeByIndices(row, row + 1);
    }
  }
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      ImGui::PushID(i);
      draw_row(panel, panel.rows[i], desk);
      ImGui::PopID();
    }
  }
  clipper.End();
  if (panel.renaming && panel.renaming->open && !panel.renaming->drawn) {
    panel.renaming.reset();  // folded away, or not among what is searched for
  }
  ImGui::PopStyleVar();
  ImGui::EndChild();
}

std::string fitted_in_the_middle(const std::string& what, float width) {
  constexpr const char* kEllipsis = "\u2026";
  if (ImGui::CalcTextSize(what.c_str()).x <= width) {
    return what;
  }
  // Where characters begin, since none may be cut in two.
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < what.size(); ++i) {
    if ((static_cast<unsigned char>(what[i]) & 0xC0) != 0x80) {
      starts.push_back(i);
    }
  }
  for (std::size_t kept = starts.size(); kept-- > 1;) {
    const std::size_t tail = kept / 2;
    std::string out = what.substr(0, starts[kept - tail]) + kEllipsis;
    out += tail == 0 ? "" : what.substr(starts[starts.size() - tail]);
    if (ImGui::CalcTextSize(out.c_str()).x <= width) {
      return out;
    }
  }
  return kEllipsis;
}

}  // namespace pelt::ui
