#include "ui/dialogs.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "ui/actions.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

void release(Leaving& leaving, Requests& requests) {
  requests.open_file = std::move(leaving.open_file);
  requests.teach = leaving.teach;
  requests.quit = leaving.quit;
}

}  // namespace

void draw_help(Desk& desk) {
  if (!desk.workspace.help_open) {
    return;
  }
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const ImVec2 size(std::min(desk.theme.px(720), window.x - desk.theme.px(24)),
                    std::min(desk.theme.px(580), window.y - desk.theme.px(24)));
  ImGui::SetNextWindowSize(size);
  ImGui::SetNextWindowPos(ImVec2(std::floor((window.x - size.x) / 2), std::floor((window.y - size.y) / 2)));
  ImGui::SetNextWindowBgAlpha(0.97f);
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings;
  if (ImGui::Begin("Keys and mouse", &desk.workspace.help_open, kFlags)) {
    const auto line = [&](const std::string& key, std::string_view what) {
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const float column = desk.theme.px(126);
      const ImVec2 text_size = ImGui::CalcTextSize(key.c_str());
      const float pad = desk.theme.px(5);
      ImGui::GetWindowDrawList()->AddRectFilled(
          ImVec2(at.x, at.y - desk.theme.px(1)),
          ImVec2(at.x + text_size.x + 2 * pad, at.y + text_size.y + desk.theme.px(1)), color::kField, desk.theme.px(3));
      ImGui::SetCursorScreenPos(ImVec2(at.x + pad, at.y));
      text(key);
      ImGui::SetCursorScreenPos(ImVec2(at.x + column, at.y));
      clipped_text(what, ImGui::GetContentRegionAvail().x, color::kTextDim);
    };
    const bool wide = size.x > desk.theme.px(560);
    if (wide) {
      ImGui::BeginTable("##columns", 2, ImGuiTableFlags_SizingStretchSame);
      ImGui::TableNextColumn();
    }
    heading(desk, "Mouse");
    const bool blender = desk.workspace.preferences.mouse == MouseScheme::kBlender;
    line(blender ? "Middle drag" : "Left drag", "Orbit");
    line(blender ? "Shift+middle" : "Middle drag", blender ? "Pan" : "Pan, also Shift+left");
    line(blender ? "Ctrl+middle" : "Right drag", "Zoom to the cursor, also the wheel");
    line("Click", "Pick a joint, or pin a vertex");
    line("Double click", "Set the pivot, also middle click");
    line("Drag a ring", "Turn the joint; Ctrl snaps to 15\u00b0");
    line("Drag a bone", "Turn the selected joint freely");
    line("Slider", "Shift snaps, a double click resets");
    bool second = false;
    for (const char* menu : menus()) {
      if (wide && !second && std::strcmp(menu, "View") == 0) {
        ImGui::TableNextColumn();
        second = true;
      }
      heading(desk, menu);
      for (const Action& action : actions()) {
        if (action.key.key != kNoKey && std::string_view(action.menu).starts_with(menu)) {
          line(name_of(action.key), action.label);
        }
      }
    }
    if (wide) {
      ImGui::EndTable();
    }
  }
  ImGui::End();
}

void hold_back(Desk& desk) {
  Requests& requests = desk.requests;
  const bool leaves = !requests.open_file.empty() || requests.teach || requests.quit;
  if (leaves && desk.scene.pose_unsaved) {
    desk.workspace.leaving = Leaving{std::exchange(requests.open_file, {}), std::exchange(requests.teach, std::nullopt),
                                     std::exchange(requests.quit, false), false};
  }
}

void draw_leaving(Desk& desk) {
  std::optional<Leaving>& leaving = desk.workspace.leaving;
  constexpr const char* kName = "Keep the changed pose?";
  if (leaving && leaving->saving) {
    // Saved: on with it. Neither saved nor being saved: the user or the disk has refused.
    if (!desk.scene.pose_unsaved) {
      release(*leaving, desk.requests);
      leaving.reset();
    } else if (!desk.workspace.browser.visible && desk.requests.save_pose.empty()) {
      leaving.reset();
    }
  }
  if (!leaving || leaving->saving) {
    return;
  }
  // The key that asked for the other file answers nothing.
  const bool asked = ImGui::IsPopupOpen(kName);
  if (!asked) {
    ImGui::OpenPopup(kName);
  }
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos(ImVec2(std::floor(window.x / 2), std::floor(window.y / 2)), ImGuiCond_Always,
                          ImVec2(0.5f, 0.5f));
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize;
  if (!ImGui::BeginPopupModal(kName, nullptr, kFlags)) {
    return;
  }
  const float width = std::min(desk.theme.px(420), window.x - desk.theme.px(48));
  ImGui::PushTextWrapPos(width);
  text(leaving->quit ? "The pose was changed and not saved; quitting loses it."
                     : "The pose was changed and not saved; opening another character loses it.");
  ImGui::PopTextWrapPos();
  const ImVec2 size(std::min(desk.theme.px(104), std::floor(0.3f * width)), 0);
  enum class Answer { kNone, kSave, kDiscard, kCancel } answer = Answer::kNone;
  const auto button = [&](const char* label, const char* id, Answer of) {
    answer = ImGui::Button(label, size) ? of : answer;
    report_item(desk, id);
  };
  ImGui::PushStyleColor(ImGuiCol_Button, color::kAccentSoft);  // what Enter does
  button(desk.workspace.pose_path.empty() ? "Save\u2026" : "Save", "leave.save", Answer::kSave);
  ImGui::PopStyleColor();
  ImGui::SameLine();
  button("Discard", "leave.discard", Answer::kDiscard);
  ImGui::SameLine();
  button("Cancel", "leave.cancel", Answer::kCancel);
  if (asked && desk.workspace.escape) {
    answer = Answer::kCancel;
  } else if (asked && (pressed(ImGuiKey_Enter) || pressed(ImGuiKey_KeyPadEnter))) {
    answer = Answer::kSave;
  }
  if (answer != Answer::kNone) {
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
  switch (answer) {
    case Answer::kNone:
      break;
    case Answer::kSave:
      leaving->saving = true;
      run(*find_action("file.save-pose"), desk);
      break;
    case Answer::kDiscard:
      release(*leaving, desk.requests);
      leaving.reset();
      break;
    case Answer::kCancel:
      leaving.reset();
      break;
  }
}

}  // namespace pelt::ui
