#include "ui/dialogs.h"

#include <algorithm>
#include <cmath>
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
