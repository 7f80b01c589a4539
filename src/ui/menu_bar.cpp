#include "ui/menu_bar.h"

#include <cstring>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "core/text.h"
#include "ui/actions.h"
#include "ui/icons.h"
#include "ui/modes.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

void menu_item(const Action& action, Desk& desk) {
  if (action.separated) {
    ImGui::Separator();
  }
  std::string label = action.label;
  // What would be undone is known: say so.
  const edit::Document& document = desk.document();
  if (action.id == "edit.undo" && edit::can_undo(document)) {
    label += " " + printable(document.history.undo_label());
  } else if (action.id == "edit.redo" && edit::can_redo(document)) {
    label += " " + printable(document.history.redo_label());
  }
  const bool checked = action.checked != nullptr && action.checked(desk);
  if (ImGui::MenuItem(label.c_str(), key_here(action, desk).c_str(), checked, enabled(action, desk))) {
    run(action, desk);
  }
  report_item(desk, fmt::format("menu.{}", action.id));
}

void files_menu(Desk& desk) {
  if (ImGui::BeginMenu("Open recent", !desk.workspace.preferences.recent_files.empty())) {
    for (const std::string& file : desk.workspace.preferences.recent_files) {
      const std::filesystem::path path = file;
      ImGui::PushID(file.c_str());
      if (ImGui::MenuItem(printable(path.filename().string()).c_str())) {
        desk.requests.open_file = file;
      }
      tip(printable(file, 300));
      ImGui::PopID();
    }
    ImGui::EndMenu();
  }
  report_item(desk, "menu.recent");
  if (ImGui::BeginMenu("Bundled characters", !desk.scene.bundled.empty())) {
    for (const std::string& name : desk.scene.bundled) {
      if (ImGui::MenuItem(name.c_str())) {
        desk.requests.open_file = name;
      }
      report_item(desk, "menu.bundled." + name);
    }
    ImGui::EndMenu();
  }
  report_item(desk, "menu.bundled");
}

void tabs_menu(Desk& desk) {
  if (ImGui::BeginMenu("Panel")) {
    for (const Tab& tab : tabs()) {
      if (ImGui::MenuItem(tab.label)) {
        show_tab(desk.workspace, tab.id);
      }
      report_item(desk, fmt::format("menu.tab.{}", tab.id));
    }
    ImGui::EndMenu();
  }
  report_item(desk, "menu.tabs");
}

// The items of one menu; sub-menus appear where their first action stands.
void draw_menu(const char* menu, Desk& desk) {
  const std::string prefix = std::string(menu) + "/";
  std::string last_sub;
  for (const Action& action : actions()) {
    if (std::strcmp(action.menu, menu) == 0) {
      menu_item(action, desk);
      if (action.id == "file.open") {
        files_menu(desk);
      }
    } else if (std::string_view(action.menu).starts_with(prefix) && action.menu != last_sub) {
      last_sub = action.menu;
      if (ImGui::BeginMenu(action.menu + prefix.size())) {
        for (const Action& inner : actions()) {
          if (last_sub == inner.menu) {
            menu_item(inner, desk);
          }
        }
        ImGui::EndMenu();
      }
      if (last_sub == "View/Look") {
        tabs_menu(desk);
      }
    }
  }
}

}  // namespace

void draw_menu_bar(Desk& desk) {
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(desk.theme.px(8), desk.theme.px(5)));
  if (!ImGui::BeginMenuBar()) {
    ImGui::PopStyleVar();
    return;
  }
  ImGui::PopStyleVar();
  for (const char* menu : menus()) {
    if (ImGui::BeginMenu(menu)) {
      draw_menu(menu, desk);
      ImGui::EndMenu();
    }
    report_item(desk, fmt::format("menu.{}", menu));
  }
  // The session's or the character's name where a title bar would have it.
  const std::string& session = desk.workspace.session_path;
  const std::string name =
      fmt::format("{}{}", desk.scene.unsaved ? "\u2022 " : "",
                  printable(session.empty() ? desk.character().name : session.substr(session.rfind('/') + 1)));
  const float width = ImGui::CalcTextSize(name.c_str()).x;
  const Action* reload = find_action("file.reload");
  const float button = enabled(*reload, desk) ? ImGui::GetFrameHeight() + ImGui::GetStyle().ItemSpacing.x : 0.0f;
  const float x = ImGui::GetWindowWidth() - width - button - desk.theme.px(12);
  // Modes go before the name, which the title bar has as well.
  const bool name_fits = x > ImGui::GetCursorPosX() + desk.theme.px(24) + modes_width(desk);
  draw_modes(desk, name_fits ? x - desk.theme.px(12) : ImGui::GetWindowWidth() - desk.theme.px(4));
  if (x > ImGui::GetCursorPosX() + desk.theme.px(12)) {
    ImGui::SetCursorPosX(x);
    if (button > 0) {
      const std::string help = fmt::format("{} ({}){}", reload->label, name_of(reload->key),
                                           desk.workspace.watch ? "; by itself when the file changes" : "");
      if (icon_button(desk, "reload", icon::kRefresh, help, desk.workspace.watch)) {
        run(*reload, desk);
      }
    }
    dim_text(name);
  }
  ImGui::EndMenuBar();
}

}  // namespace pelt::ui
