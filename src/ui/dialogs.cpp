#include "ui/dialogs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "edit/held_edits.h"
#include "ui/actions.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

void release(Leaving& leaving, Requests& requests) {
  requests.open_file = std::move(leaving.open_file);
  requests.located = std::move(leaving.located);
  requests.agreed = leaving.agreed;
  requests.teach = leaving.teach;
  requests.quit = leaving.quit;
}

/// One of the answers to a question.
struct Answer {
  const char* label;
  const char* id;
};
constexpr int kNoAnswer = -1;

// A question in the middle of the window. Enter gives the first answer, Esc the last.
// @returns the answer, or kNoAnswer
int ask(Desk& desk, const char* title, const std::string& words, std::span<const Answer> answers) {
  const bool asked = ImGui::IsPopupOpen(title);
  if (!asked) {
    ImGui::OpenPopup(title);
  }
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos(ImVec2(std::floor(window.x / 2), std::floor(window.y / 2)), ImGuiCond_Always,
                          ImVec2(0.5f, 0.5f));
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize;
  if (!ImGui::BeginPopupModal(title, nullptr, kFlags)) {
    return kNoAnswer;
  }
  const float width = std::min(desk.theme.px(420), window.x - desk.theme.px(48));
  ImGui::PushTextWrapPos(width);
  text(words);
  ImGui::PopTextWrapPos();
  const ImVec2 size(std::min(desk.theme.px(104), std::floor(0.3f * width)), 0);
  int given = kNoAnswer;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (i == 0) {
      ImGui::PushStyleColor(ImGuiCol_Button, color::kAccentSoft);  // what Enter does
    } else {
      ImGui::SameLine();
    }
    given = ImGui::Button(answers[i].label, size) ? static_cast<int>(i) : given;
    report_item(desk, answers[i].id);
    if (i == 0) {
      ImGui::PopStyleColor();
    }
  }
  // The key that led here answers nothing.
  if (asked && desk.workspace.escape) {
    given = static_cast<int>(answers.size()) - 1;
  } else if (asked && (pressed(ImGuiKey_Enter) || pressed(ImGuiKey_KeyPadEnter))) {
    given = 0;
  }
  if (given != kNoAnswer) {
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
  return given;
}

void draw_recovery(Desk& desk) {
  Workspace& workspace = desk.workspace;
  const Recoverable& first = workspace.recoverable.front();
  constexpr std::array kAnswers = {Answer{"Recover", "recover.open"}, Answer{"Discard", "recover.discard"},
                                   Answer{"Later", "recover.later"}};
  switch (ask(desk, "Recover unsaved work?",
              fmt::format("Pelt ended before this was saved: {}. It can be opened as it was then.{}{}", first.label,
                          first.session.empty() ? "" : "\n\n", first.session),
              kAnswers)) {
    case 0:
      desk.requests.open_file = first.file;
      workspace.recoverable.clear();  // the others are offered by the next start
      break;
    case 1:
      desk.requests.discard = first.file;
      workspace.recoverable.erase(workspace.recoverable.begin());
      break;
    case 2:
      workspace.recoverable.clear();
      break;
    default:
      break;
  }
}

void draw_outside(Desk& desk) {
  Workspace& workspace = desk.workspace;
  constexpr std::array kAnswers = {Answer{"Cancel", "outside.cancel"}, Answer{"Open", "outside.open"}};
  const int answer =
      ask(desk, "Open a character elsewhere?",
          fmt::format("{}. Open it only where you trust whoever made the session.", workspace.outside.why), kAnswers);
  if (answer == 1 && !workspace.escape) {
    desk.requests.open_file = workspace.outside.file;
    desk.requests.located = workspace.outside.located;
    desk.requests.agreed = true;
  }
  if (answer != kNoAnswer) {
    workspace.outside = {};
  }
}

void draw_missing(Desk& desk) {
  Workspace& workspace = desk.workspace;
  constexpr std::array kAnswers = {Answer{"Find it\u2026", "missing.find"}, Answer{"Cancel", "missing.cancel"}};
  const int answer = ask(desk, "Where is the character?",
                         fmt::format("{}. Find it, and the session opens with it.", workspace.missing.why), kAnswers);
  if (answer == 0) {
    workspace.locating = workspace.missing;
    open(workspace.browser, BrowserPurpose::kLocateCharacter, desk);
  }
  if (answer != kNoAnswer) {
    workspace.missing = {};
  }
}

// Edits of another version of the character's file, which the session goes on holding whatever the answer is.
void draw_held(Desk& desk) {
  const edit::Document& document = desk.document();
  if (document.origin.held == nullptr) {
    desk.workspace.offers_held = false;
    return;
  }
  constexpr std::array kAnswers = {Answer{"Leave out", "held.leave"}, Answer{"Transfer", "held.transfer"}};
  const int answer = ask(
      desk, "Transfer edits by position?",
      fmt::format("{}. They can be transferred by position, each vertex by the nearest point of the surface that was "
                  "edited, or left out. The saved session keeps them either way.",
                  edit::sentence(*document.origin.held, *edit::own_character(document))),
      kAnswers);
  if (answer != kNoAnswer) {
    desk.requests.carry_over_held = answer == 1 && !desk.workspace.escape;
    desk.workspace.offers_held = false;
  }
}

}  // namespace

void hold_back(Desk& desk) {
  Requests& requests = desk.requests;
  const bool leaves = !requests.open_file.empty() || requests.teach || requests.quit;
  // Who was asked already, and has only said more about the same session, is not asked again.
  const bool answered = desk.scene.given_up && (requests.agreed || !requests.located.empty());
  if (leaves && desk.scene.unsaved && !answered) {
    desk.workspace.leaving = Leaving{.open_file = std::exchange(requests.open_file, {}),
                                     .located = std::exchange(requests.located, {}),
                                     .agreed = std::exchange(requests.agreed, false),
                                     .teach = std::exchange(requests.teach, std::nullopt),
                                     .quit = std::exchange(requests.quit, false)};
  }
}

void draw_leaving(Desk& desk) {
  std::optional<Leaving>& leaving = desk.workspace.leaving;
  if (leaving && leaving->saving) {
    // Saved: on with it. Neither saved nor being saved: the user or the disk has refused.
    if (!desk.scene.unsaved) {
      release(*leaving, desk.requests);
      leaving.reset();
    } else if (!desk.workspace.browser.visible && desk.requests.save_session.empty() && !desk.scene.loading.active) {
      leaving.reset();
    }
  }
  if (!leaving || leaving->saving) {
    return;
  }
  const std::array answers = {Answer{desk.workspace.session_path.empty() ? "Save\u2026" : "Save", "leave.save"},
                              Answer{"Discard", "leave.discard"}, Answer{"Cancel", "leave.cancel"}};
  const std::string after = leaving->quit ? "Quitting loses it." : "Opening a character loses it.";
  const std::string words = desk.scene.exported.empty() ? "What was changed is not saved." : desk.scene.exported;
  switch (ask(desk, "Keep what was changed?", fmt::format("{} {}", words, after), answers)) {
    case 0:
      leaving->saving = true;
      run(*find_action("file.save"), desk);
      break;
    case 1:
      release(*leaving, desk.requests);
      leaving.reset();
      break;
    case 2:
      leaving.reset();
      break;
    default:
      break;
  }
}

void draw_session_questions(Desk& desk) {
  if (desk.workspace.leaving) {
    return;
  }
  if (!desk.workspace.recoverable.empty()) {
    draw_recovery(desk);
  } else if (!desk.workspace.outside.file.empty()) {
    draw_outside(desk);
  } else if (!desk.workspace.missing.file.empty()) {
    draw_missing(desk);
  } else if (desk.workspace.offers_held) {
    draw_held(desk);
  }
}

}  // namespace pelt::ui
