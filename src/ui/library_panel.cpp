#include "ui/library_panel.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "core/index.h"
#include "core/text.h"
#include "ui/icons.h"
#include "ui/ink.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr float kThumbnail = 96;       // layout units, at least
constexpr float kBlendDistance = 160;  // layout units to the right for the whole pose

std::vector<int> meant_joints(const LibraryPanel& panel, const Desk& desk) {
  return panel.selected_only ? desk.document().view.selected_joints : std::vector<int>();
}

edit::ApplyPose application(const LibraryPanel& panel, const Shared<edit::StoredPose>& pose, const Desk& desk) {
  return {.pose = pose, .share = 1, .flipped = panel.flipped, .joints = meant_joints(panel, desk), .start = nullptr};
}

// Where nothing is selected, "selected joints only" means nothing at all.
bool can_apply(const LibraryPanel& panel, const Desk& desk) {
  return !panel.selected_only || !desk.document().view.selected_joints.empty();
}

void draw_store(LibraryPanel& panel, Desk& desk) {
  const edit::PoseLibrary& library = desk.document().content.library;
  const std::string proposed = edit::proposed_pose_name(library);
  const std::string label = fmt::format("{}  Store pose", icon::kSave);
  const float spacing = ImGui::GetStyle().ItemInnerSpacing.x;
  const float button = ImGui::CalcTextSize(label.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SetNextItemWidth(std::max(1.0f, ImGui::GetContentRegionAvail().x - button - spacing));
  const bool entered =
      ImGui::InputTextWithHint("##library.name", proposed.c_str(), &panel.name, ImGuiInputTextFlags_EnterReturnsTrue);
  report_item(desk, "library.name");
  tip("The name of the pose that is stored next");
  ImGui::SameLine(0, spacing);
  ImGui::BeginDisabled(!can_apply(panel, desk));
  const bool stores = ImGui::Button(label.c_str()) || (entered && can_apply(panel, desk));
  ImGui::EndDisabled();
  report_item(desk, "library.store");
  tip(panel.selected_only ? "Puts the selected joints as they are now into the library"
                          : "Puts all joints and shapes as they are now into the library");
  if (stores) {
    desk.change(edit::StorePoses{
        {edit::stored_pose(desk.document(), panel.name.empty() ? proposed : panel.name, meant_joints(panel, desk))}});
    panel.name.clear();
  }
}

void draw_options(LibraryPanel& panel, Desk& desk) {
  const std::size_t selected = desk.document().view.selected_joints.size();
  checkbox(desk, "library.selected", "Selected joints only", panel.selected_only,
           selected == 0 ? "Stores and applies what is selected in the tree or the viewport; nothing is selected now"
                         : fmt::format("Stores and applies {} alone", count_of(static_cast<std::int64_t>(selected),
                                                                               "selected joint", "selected joints")));
  checkbox(desk, "library.flip", "Flipped", panel.flipped,
           "Poses are applied seen in a mirror: left and right change places");
  const float spacing = ImGui::GetStyle().ItemInnerSpacing.x;
  const float width = std::floor((ImGui::GetContentRegionAvail().x - spacing) / 2);
  if (ImGui::Button(fmt::format("{}  Open\u2026", icon::kFolderOpen).c_str(), ImVec2(width, 0))) {
    open(desk.workspace.browser, BrowserPurpose::kOpenPoses, desk);
  }
  report_item(desk, "library.open");
  tip("Adds the poses of a library file, or a pose file, also of another character");
  ImGui::SameLine(0, spacing);
  ImGui::BeginDisabled(desk.document().content.library.empty());
  if (ImGui::Button(fmt::format("{}  Save\u2026", icon::kSave).c_str(), ImVec2(width, 0))) {
    open(desk.workspace.browser, BrowserPurpose::kSavePoses, desk);
  }
  ImGui::EndDisabled();
  report_item(desk, "library.save");
  tip("Writes all poses into one file");
}

// What the right button offers of a pose.
void draw_pose_menu(LibraryPanel& panel, int i, Desk& desk) {
  if (!ImGui::BeginPopupContextItem("##menu")) {
    return;
  }
  const edit::PoseLibrary& library = desk.document().content.library;
  const Shared<edit::StoredPose>& pose = library.shared(i);
  const int last = static_cast<int>(library.size()) - 1;
  const auto item = [&](const char* label, const char* name, bool enabled = true) {
    const bool chosen = ImGui::MenuItem(label, nullptr, false, enabled);
    report_item(desk, fmt::format("library.menu.{}", name));
    return chosen;
  };
  if (item("Apply", "apply", can_apply(panel, desk))) {
    desk.change(application(panel, pose, desk));
  }
  if (item("Apply flipped", "flipped", can_apply(panel, desk))) {
    edit::ApplyPose change = application(panel, pose, desk);
    change.flipped = true;
    desk.change(std::move(change));
  }
  ImGui::Separator();
  if (item("Rename", "rename")) {
    panel.renamed = i;
    panel.renamed_pose = pose;
    panel.new_name = pose->name;
    panel.focus_name = true;
  }
  if (item("Replace by the pose shown", "replace")) {
    std::vector<int> joints;
    if (pose->shapes.empty()) {  // a part stays the part that it is
      for (const auto& [joint, local] : pose->joints) {
        joints.push_back(joint);
      }
    }
    desk.change(edit::ReplaceStoredPose{i, edit::stored_pose(desk.document(), pose->name, joints)});
  }
  if (item("Duplicate", "duplicate")) {
    desk.change(edit::StorePoses{{pose}, i + 1});
  }
  ImGui::Separator();
  if (item("Move to the front", "first", i > 0)) {
    desk.change(edit::MoveStoredPose{i, 0});
  }
  if (item("Move before", "before", i > 0)) {
    desk.change(edit::MoveStoredPose{i, i - 1});
  }
  if (item("Move behind", "behind", i < last)) {
    desk.change(edit::MoveStoredPose{i, i + 1});
  }
  if (item("Move to the end", "last", i < last)) {
    desk.change(edit::MoveStoredPose{i, last});
  }
  ImGui::Separator();
  if (item("Delete", "delete")) {
    desk.change(edit::RemoveStoredPose{i});
  }
  ImGui::EndPopup();
}

// Pressing, dragging and pointing at one thumbnail, which is the last item.
void handle_thumbnail(LibraryPanel& panel, int i, bool clicked, Desk& desk) {
  const Shared<edit::StoredPose>& pose = desk.document().content.library.shared(i);
  const bool applies = can_apply(panel, desk);
  if (ImGui::IsItemActivated()) {
    panel.pressed = i;
    panel.blend = {};
  }
  const bool held = panel.pressed == i && ImGui::IsItemActive();
  if (held && applies && (panel.blend.start != nullptr || ImGui::IsMouseDragging(ImGuiMouseButton_Left))) {
    if (panel.blend.start == nullptr) {
      panel.blend = {pose, edit::blend_start(desk.document()), 0};
    }
    const float way = ImGui::GetIO().MousePos.x - ImGui::GetIO().MouseClickedPos[ImGuiMouseButton_Left].x;
    panel.blend.share = std::clamp(way / desk.theme.px(kBlendDistance), 0.0f, 1.0f);
    edit::ApplyPose change = application(panel, panel.blend.pose, desk);
    change.share = panel.blend.share;
    change.start = panel.blend.start;
    desk.change(std::move(change), "library.blend");
  } else if (clicked && applies && panel.blend.start == nullptr) {
    desk.change(application(panel, pose, desk));
  }
  if (applies && panel.blend.start == nullptr && ImGui::IsItemHovered() &&
      !ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel)) {
    desk.requests.preview = {.subject = fmt::format("library.{}", i),
                             .key = fmt::format("library {} {} {}", static_cast<const void*>(&*pose), panel.flipped,
                                                fmt::join(meant_joints(panel, desk), " ")),
                             .changes = {application(panel, pose, desk)}};
  }
}

void draw_picture(const LibraryPanel& panel, int i, ImVec2 corner, float side, Desk& desk) {
  const Shared<edit::StoredPose>& pose = desk.document().content.library.shared(i);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 end(corner.x + side, corner.y + side);
  const bool lit = ImGui::IsItemHovered() || ImGui::IsItemActive();
  list.AddRectFilled(corner, end, color::kRaised, desk.theme.px(4));
  const std::uint64_t texture = desk.scene.pose_picture ? desk.scene.pose_picture(pose) : 0;
  if (texture != 0) {
    const float left = panel.flipped ? 1.0f : 0.0f;
    list.AddImageRounded(reinterpret_cast<ImTextureID>(static_cast<std::uintptr_t>(texture)), corner, end,  // NOLINT
                         ImVec2(left, 0), ImVec2(1 - left, 1), IM_COL32_WHITE, desk.theme.px(4));
  } else {
    const ImVec2 sign = ImGui::CalcTextSize(icon::kCharacter);
    list.AddText(ImVec2(corner.x + (side - sign.x) / 2, corner.y + (side - sign.y) / 2), color::kTextDim,
                 icon::kCharacter);
  }
  if (!pose->note.empty()) {
    list.AddText(ImVec2(corner.x + desk.theme.px(5), corner.y + desk.theme.px(4)), color::kWarning, icon::kWarning);
  }
  if (pose->joints.size() < desk.character().skeleton->rest.size()) {  // of some joints
    const std::string count = std::to_string(pose->joints.size());
    const float width = ImGui::CalcTextSize(count.c_str()).x;
    list.AddText(ImVec2(end.x - width - desk.theme.px(5), corner.y + desk.theme.px(4)), color::kTextDim, count.c_str());
  }
  if (panel.pressed == i && panel.blend.start != nullptr) {
    const float height = desk.theme.px(18);
    list.AddRectFilled(ImVec2(corner.x, end.y - height), end, faded(color::kBackground, 0.8f));
    list.AddRectFilled(ImVec2(corner.x, end.y - height), ImVec2(corner.x + side * panel.blend.share, end.y),
                       color::kAccent);
    const std::string percent = fmt::format("{:.0f}\u2009%", 100 * panel.blend.share);
    const ImVec2 at(corner.x + (side - ImGui::CalcTextSize(percent.c_str()).x) / 2, end.y - height);
    const float filled = side * panel.blend.share;
    text_on(list, {corner.x, at.y, filled, height}, color::kAccent, at, percent);
    text_on(list, {corner.x + filled, at.y, side - filled, height}, color::kBackground, at, percent);
  }
  list.AddRect(corner, end, lit ? color::kAccent : color::kLine, desk.theme.px(4), 0, lit ? desk.theme.px(1.5f) : 1.0f);
}

void draw_new_name(LibraryPanel& panel, int i, float width, Desk& desk) {
  panel.rename_picture = ImGui::GetFrameCount();
  ImGui::SetNextItemWidth(width);
  if (std::exchange(panel.focus_name, false)) {
    ImGui::SetKeyboardFocusHere();
  }
  const bool entered = ImGui::InputText("##rename", &panel.new_name,
                                        ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  report_item(desk, "library.rename");
  if (entered || ImGui::IsItemDeactivated()) {
    if (!desk.workspace.escape && panel.new_name != desk.document().content.library[i].name) {
      desk.change(edit::RenameStoredPose{i, panel.new_name});
    }
    panel.renamed = -1;
  }
}

void draw_thumbnail(LibraryPanel& panel, int i, float side, Desk& desk) {
  const edit::StoredPose& pose = desk.document().content.library[i];
  ImGui::PushID(i);
  ImGui::BeginGroup();
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const bool clicked = ImGui::InvisibleButton("##pose", ImVec2(side, side));
  report_item(desk, fmt::format("library.{}", i));
  handle_thumbnail(panel, i, clicked, desk);
  draw_picture(panel, i, corner, side, desk);
  if (panel.blend.start == nullptr) {
    tip(fmt::format("{}{}{}\nClick: apply. Drag to the right: blend. Right button: more", printable(pose.name, 200),
                    pose.note.empty() ? "" : "\n", printable(pose.note, 400)));
  }
  draw_pose_menu(panel, i, desk);
  if (panel.renamed == i) {
    draw_new_name(panel, i, side, desk);
  } else {
    clipped_text(printable(pose.name, 200), side);
  }
  ImGui::EndGroup();
  ImGui::PopID();
}

// Only rows in sight are drawn: a library of any size costs what can be seen of it.
void draw_pose_grid(LibraryPanel& panel, const std::vector<int>& found, Desk& desk) {
  const float spacing = ImGui::GetStyle().ItemInnerSpacing.x;
  const float room = ImGui::GetContentRegionAvail().x;
  const int columns = std::max(1, static_cast<int>((room + spacing) / (desk.theme.px(kThumbnail) + spacing)));
  const float side = std::floor((room + spacing) / static_cast<float>(columns) - spacing);
  const int rows = (static_cast<int>(found.size()) + columns - 1) / columns;
  const float height = side + 2 * ImGui::GetStyle().ItemSpacing.y + ImGui::GetFrameHeight();
  ImGuiListClipper clipper;
  clipper.Begin(rows, height);
  while (clipper.Step()) {
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) {
      const ImVec2 at = ImGui::GetCursorPos();
      for (int column = 0; column < columns; ++column) {
        const std::size_t place =
            static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column);
        if (place < found.size()) {
          ImGui::SetCursorPos(ImVec2(at.x + static_cast<float>(column) * (side + spacing), at.y));
          draw_thumbnail(panel, found[place], side, desk);
        }
      }
      ImGui::SetCursorPos(at);
      ImGui::Dummy(ImVec2(0, height - ImGui::GetStyle().ItemSpacing.y));
    }
  }
}

}  // namespace

void put_down(LibraryPanel& panel) {
  panel.pressed = -1;
  panel.blend = {};
  panel.renamed = -1;
  panel.renamed_pose = {};
  panel.focus_name = false;
}

void draw(LibraryPanel& panel, Desk& desk) {
  const edit::PoseLibrary& library = desk.document().content.library;
  // Undo, another order or scrolling away may have put another pose, or none, where the name was being typed.
  const bool is_there = has_index(library, panel.renamed) && library.shared(panel.renamed).is(panel.renamed_pose);
  const bool was_drawn = panel.focus_name || panel.rename_picture + 1 >= ImGui::GetFrameCount();
  if (panel.renamed >= 0 && (!is_there || !was_drawn)) {
    panel.renamed = -1;
    panel.renamed_pose = {};
    panel.focus_name = false;
  }
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left) && !ImGui::IsMouseReleased(ImGuiMouseButton_Left)) {
    panel.pressed = -1;
    panel.blend = {};
  } else if (panel.pressed >= 0 && !ImGui::IsAnyItemActive()) {
    panel.pressed = -1;  // Esc took the drag back
    panel.blend = {};
  }
  draw_store(panel, desk);
  draw_options(panel, desk);
  if (library.empty()) {
    ImGui::Spacing();
    wrapped_text(
        "Pose the character and store the pose: its picture appears here. Pose files can be dropped into the "
        "window.",
        color::kTextDim);
    return;
  }
  ImGui::SetNextItemWidth(-1);
  ImGui::InputTextWithHint(
      "##library.search",
      fmt::format("Search {}", count_of(static_cast<std::int64_t>(library.size()), "pose", "poses")).c_str(),
      &panel.search);
  report_item(desk, "library.search");
  std::vector<int> found;
  for (std::size_t i = 0; i < library.size(); ++i) {
    if (panel.search.empty() || contains_ignoring_case(library[i].name, panel.search)) {
      found.push_back(static_cast<int>(i));
    }
  }
  if (found.empty()) {
    dim_text("No pose has that in its name.");
  }
  if (!can_apply(panel, desk)) {
    dim_text("No joint is selected.");
  }
  draw_pose_grid(panel, found, desk);
}

}  // namespace pelt::ui
