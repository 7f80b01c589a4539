#include "ui/window.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "deform/skinning_methods.h"
#include "ui/actions.h"
#include "ui/icons.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr double kNoticeSeconds = 6;

void menu_item(const Action& action, Desk& desk) {
  if (action.separated) {
    ImGui::Separator();
  }
  std::string label = action.label;
  // What would be undone is known: say so.
  const edit::Document& document = desk.document();
  if (action.id == "edit.undo" && edit::can_undo(document)) {
    label += fmt::format(" \u201c{}\u201d", document.undo_stack.back().label);
  } else if (action.id == "edit.redo" && edit::can_redo(document)) {
    label += fmt::format(" \u201c{}\u201d", document.redo_stack.back().label);
  }
  const bool checked = action.checked != nullptr && action.checked(desk);
  if (ImGui::MenuItem(label.c_str(), name_of(action.key).c_str(), checked, enabled(action, desk))) {
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
    }
  }
}

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
  // The character's name where a title bar would have it.
  const std::string name = printable(desk.character().name);
  const float width = ImGui::CalcTextSize(name.c_str()).x;
  const Action* reload = find_action("file.reload");
  const float button = enabled(*reload, desk) ? ImGui::GetFrameHeight() + ImGui::GetStyle().ItemSpacing.x : 0.0f;
  const float x = ImGui::GetWindowWidth() - width - button - desk.theme.px(12);
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

// A panel: a child of the root window with a background of its own.
template <typename Body>
void panel(const char* name, const Rect& rect, ImU32 background, ImVec2 padding, Desk& desk, const Body& body,
           ImGuiWindowFlags flags = 0) {
  if (rect.empty()) {
    return;
  }
  desk.report[std::string("panel.") + name] = rect;
  ImGui::SetCursorScreenPos(ImVec2(rect.x, rect.y));
  ImGui::PushStyleColor(ImGuiCol_ChildBg, background);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
  ImGui::PushStyleVar(ImGuiStyleVar_ChildRounding, 0.0f);
  const bool visible =
      ImGui::BeginChild(name, ImVec2(rect.w, rect.h), false, ImGuiWindowFlags_AlwaysUseWindowPadding | flags);
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor();
  if (visible) {
    body();
  }
  ImGui::EndChild();
}

struct TabRow {
  Tab tab;
  const char* label;
  const char* name;
};
constexpr std::array kTabs = {
    TabRow{Tab::kPose, "Pose", "tab.pose"},          TabRow{Tab::kSkinning, "Skinning", "tab.skinning"},
    TabRow{Tab::kCompare, "Compare", "tab.compare"}, TabRow{Tab::kWeights, "Weights", "tab.weights"},
    TabRow{Tab::kShapes, "Shapes", "tab.shapes"},    TabRow{Tab::kDisplay, "Display", "tab.display"},
    TabRow{Tab::kInfo, "Info", "tab.info"}};

void draw_tabs(Desk& desk) {
  Workspace& workspace = desk.workspace;
  // Drawn by hand: ImGui's own shrink to unreadable stumps in a narrow panel, where these go on in a second row.
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = ImGui::GetFrameHeight() + desk.theme.px(4);
  ImVec2 start = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const bool small = width < desk.theme.px(330);
  ImGui::PushFont(small ? desk.theme.small : desk.theme.regular);
  float total = 0;
  for (const TabRow& row : kTabs) {
    total += ImGui::CalcTextSize(row.label).x;
  }
  const std::size_t per_row =
      total + static_cast<float>(kTabs.size()) * desk.theme.px(6) > width ? (kTabs.size() + 1) / 2 : kTabs.size();
  float spare = 0;
  float x = start.x;
  for (std::size_t i = 0; i < kTabs.size(); ++i) {
    if (i % per_row == 0) {
      start.y += i == 0 ? 0 : height;
      x = start.x;
      const auto row_tabs = std::span(kTabs).subspan(i, std::min(per_row, kTabs.size() - i));
      total = 0;
      for (const TabRow& row : row_tabs) {
        total += ImGui::CalcTextSize(row.label).x;
      }
      spare = std::max(0.0f, (width - total) / static_cast<float>(row_tabs.size()));
      list.AddRectFilled(start, ImVec2(start.x + width, start.y + height), color::kBackground);
    }
    const TabRow& row = kTabs[i];
    const ImVec2 size = ImGui::CalcTextSize(row.label);
    const float tab_width = std::min(size.x + spare, start.x + width - x);
    ImGui::SetCursorScreenPos(ImVec2(x, start.y));
    if (ImGui::InvisibleButton(row.name, ImVec2(std::max(1.0f, tab_width), height))) {
      workspace.tab = row.tab;
    }
    report_item(desk, row.name);
    const bool on = workspace.tab == row.tab;
    const bool hovered = ImGui::IsItemHovered();
    if (on || hovered) {
      list.AddRectFilled(ImVec2(x, start.y), ImVec2(x + tab_width, start.y + height),
                         on ? color::kPanel : color::kRaised);
    }
    if (on) {
      list.AddRectFilled(ImVec2(x, start.y), ImVec2(x + tab_width, start.y + desk.theme.px(2)), color::kAccent);
    }
    list.AddText(ImVec2(std::floor(x + (tab_width - size.x) * 0.5f), std::floor(start.y + (height - size.y) * 0.5f)),
                 on ? color::kText : color::kTextDim, row.label);
    if (row.tab == Tab::kInfo) {
      if (const std::optional<Severity> worst = worst_finding(desk); worst && *worst != Severity::kInfo) {
        list.AddCircleFilled(ImVec2(x + tab_width - desk.theme.px(4), start.y + desk.theme.px(6)), desk.theme.px(2.5f),
                             severity_color(static_cast<int>(*worst)), 12);
      }
    }
    x += tab_width;
  }
  ImGui::PopFont();
  ImGui::SetCursorScreenPos(ImVec2(start.x, start.y + height));
  workspace.tab_requested = false;

  const float pad = desk.theme.px(10);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(pad, pad));
  ImGui::PushID(static_cast<int>(workspace.tab));  // every tab keeps its own scroll position
  if (ImGui::BeginChild("##tab", ImVec2(0, 0), false, ImGuiWindowFlags_AlwaysUseWindowPadding)) {
    switch (workspace.tab) {
      case Tab::kPose:
        draw(workspace.pose, desk);
        break;
      case Tab::kSkinning:
        draw(workspace.skinning, desk);
        break;
      case Tab::kCompare:
        draw(workspace.compare, desk);
        break;
      case Tab::kWeights:
        draw(workspace.weights, desk);
        break;
      case Tab::kShapes:
        draw(workspace.shapes, desk);
        break;
      case Tab::kDisplay:
        draw(workspace.display, desk);
        break;
      case Tab::kInfo:
        draw(workspace.info, desk);
        break;
    }
  } else {
    stop_revealing(workspace.compare);
  }
  ImGui::EndChild();
  ImGui::PopID();
  ImGui::PopStyleVar();
}

void splitter(const char* name, const Rect& rect, bool left, glm::vec2 window, Desk& desk) {
  if (rect.empty()) {
    return;
  }
  ImGui::SetCursorScreenPos(ImVec2(rect.x, rect.y));
  ImGui::InvisibleButton(name, ImVec2(rect.w, rect.h));
  report_item(desk, name);
  const bool lit = ImGui::IsItemActive() || ImGui::IsItemHovered();
  ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(rect.x, rect.y), ImVec2(rect.x + rect.w, rect.y + rect.h),
                                            ImGui::IsItemActive() ? color::kAccent
                                            : lit                 ? color::kAccentSoft
                                                                  : color::kLine);
  if (lit) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  }
  // Only a drag: in a narrow window a panel is not as wide as it was wanted, and a click must not make it so.
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, desk.theme.px(2))) {
    PanelSizes& sizes = desk.workspace.preferences.panels;
    const float x = ImGui::GetIO().MousePos.x;
    sizes = left ? drag_left_splitter(sizes, x, window, desk.theme.scale)
                 : drag_right_splitter(sizes, x, window, desk.theme.scale);
  }
}

void draw_status(Desk& desk) {
  const edit::Document& document = desk.document();
  const Workspace& workspace = desk.workspace;
  ImGui::PushFont(desk.theme.small);
  // From the right: what always stays; the message gets the rest.
  std::vector<std::pair<std::string, ImU32>> facts;
  facts.emplace_back(
      desk.scene.frames_per_second > 0 ? fmt::format("{:.0f} fps", desk.scene.frames_per_second) : "idle",
      color::kTextDim);
  const deform::SkinningSettings& skinning = edit::skinning_of(document.state, document.active_pane);
  const auto methods = deform::skinning_methods();
  const std::string_view method = methods[static_cast<std::size_t>(skinning.method)].label;
  const bool cpu = skinning.backend == deform::Backend::kCpu;
  if (const auto& crowd = desk.scene.stats->crowd; crowd && crowd->refused.empty()) {
    facts.emplace_back(fmt::format("{}  A crowd, by linear blend from baked matrices", icon::kChip), color::kAccent);
  } else {
    facts.emplace_back(fmt::format("{}  {} on the {}", icon::kChip, method, cpu ? "CPU" : "GPU"),
                       cpu ? color::kWarning : color::kAccent);
  }
  if (!desk.scene.stats->notes.empty()) {
    const std::size_t count = desk.scene.stats->notes.size();
    facts.emplace_back(fmt::format("{}  {} in Skinning", icon::kInfo, count == 1 ? "a note" : "notes"),
                       color::kWarning);
  }
  if (desk.scene.parity && desk.scene.parity->pose_version == desk.scene.pose_version) {
    const Parity& parity = *desk.scene.parity;
    const double relative = parity.diagonal > 0 ? parity.difference.max / parity.diagonal : 0;
    facts.emplace_back(parity.difference.max == 0 ? std::string("parity exact")
                                                  : fmt::format("parity {:.1e} m max, {:.1e} m RMS",
                                                                parity.difference.max, parity.difference.rms),
                       relative <= 1e-5 ? color::kGood : color::kError);
  }
  if (document.selected_joint >= 0) {
    facts.emplace_back(
        fmt::format("{}  {}", icon::kJoint, printable(desk.character().skeleton.label(document.selected_joint))),
        color::kText);
  }
  const float width = ImGui::GetContentRegionAvail().x;
  const float gap = desk.theme.px(20);
  float x = width;
  const float start = ImGui::GetCursorPosX();
  const float y = ImGui::GetCursorPosY();
  for (const auto& [what, ink] : facts) {
    const float fact = ImGui::CalcTextSize(what.c_str()).x;
    if (x - fact < 0) {
      break;
    }
    ImGui::SetCursorPos(ImVec2(start + x - fact, y));
    ImGui::PushStyleColor(ImGuiCol_Text, ink);
    text(what);
    ImGui::PopStyleColor();
    x -= fact + gap;
  }
  if (x > desk.theme.px(60)) {
    ImGui::SetCursorPos(ImVec2(start, y));
    const bool fresh = workspace.notice && desk.scene.now - workspace.notice->shown_since < kNoticeSeconds;
    if (fresh) {
      clipped_text(workspace.notice->text, x, severity_color(static_cast<int>(workspace.notice->severity)));
    } else {
      const bool blender = workspace.preferences.mouse == MouseScheme::kBlender;
      clipped_text(
          blender ? "Middle drag orbits \u00b7 Shift+middle pans \u00b7 wheel zooms \u00b7 click picks \u00b7 H keys"
                  : "Drag orbits \u00b7 Shift+drag pans \u00b7 wheel zooms \u00b7 click picks \u00b7 H keys",
          x, color::kTextDim);
    }
  }
  ImGui::PopFont();
}

// A card over the viewport. Returns false when there is no room for it.
template <typename Body>
void card(const char* name, float width, float height, float y, ImU32 edge, Desk& desk, const Body& body) {
  const Rect& view = desk.workspace.layout.viewport;
  const float w = std::min(width, view.w - desk.theme.px(16));
  const ImVec2 at(std::floor(view.x + (view.w - w) * 0.5f), std::floor(y));
  ImGui::SetCursorScreenPos(at);
  const float pad = desk.theme.px(12);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(pad, desk.theme.px(9)));
  ImGui::PushStyleVar(ImGuiStyleVar_ChildRounding, desk.theme.px(5));
  ImGui::PushStyleVar(ImGuiStyleVar_ChildBorderSize, 1.0f);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, faded(color::kPanel, 0.97f));
  ImGui::PushStyleColor(ImGuiCol_Border, edge);
  const bool visible = ImGui::BeginChild(name, ImVec2(w, height), true, ImGuiWindowFlags_NoScrollbar);
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar(3);
  if (visible) {
    body();
  }
  ImGui::EndChild();
}

void draw_error(Desk& desk) {
  if (!desk.workspace.error) {
    return;
  }
  const Rect& view = desk.workspace.layout.viewport;
  const float width = std::min(desk.theme.px(620), view.w - desk.theme.px(16));
  const std::string message = printable(desk.workspace.error->text, 1200);
  const float inner = width - desk.theme.px(24 + 26) - ImGui::GetFrameHeight();
  const ImVec2 size = ImGui::CalcTextSize(message.c_str(), nullptr, false, std::max(40.0f, inner));
  const float height = std::max(size.y, ImGui::GetFrameHeight()) + 2 * desk.theme.px(9);
  const float top = view.y + desk.theme.px(50);  // below the toolbar
  card("##error", width, height, top, color::kError, desk, [&] {
    ImGui::PushStyleColor(ImGuiCol_Text, color::kError);
    text(icon::kError);
    ImGui::PopStyleColor();
    ImGui::SameLine(0, desk.theme.px(8));
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + inner);
    text(message);
    ImGui::PopTextWrapPos();
    ImGui::SetCursorPos(ImVec2(width - ImGui::GetFrameHeight() - desk.theme.px(8), desk.theme.px(6)));
    if (icon_button(desk, "error.close", icon::kClose, "Close (Esc)")) {
      desk.workspace.error.reset();
    }
  });
}

void draw_loading(Desk& desk) {
  const Loading& loading = desk.scene.loading;
  if (!loading.active) {
    return;
  }
  const Rect& view = desk.workspace.layout.viewport;
  const float line = ImGui::GetTextLineHeightWithSpacing();
  const float height = 2 * line + ImGui::GetFrameHeight() + 2 * desk.theme.px(12);
  card("##loading", desk.theme.px(360), height, view.y + (view.h - height) * 0.5f, color::kAccentSoft, desk, [&] {
    clipped_text(printable(loading.name), ImGui::GetContentRegionAvail().x);
    ImGui::PushStyleColor(ImGuiCol_PlotHistogram, color::kAccent);
    ImGui::ProgressBar(loading.fraction, ImVec2(-1, desk.theme.px(6)), "");
    ImGui::PopStyleColor();
    ImGui::AlignTextToFramePadding();
    clipped_text(loading.what, ImGui::GetContentRegionAvail().x - desk.theme.px(90), color::kTextDim);
    ImGui::SameLine(ImGui::GetWindowWidth() - desk.theme.px(92));
    if (ImGui::Button("Cancel", ImVec2(desk.theme.px(80), 0))) {
      desk.requests.cancel_loading = true;
    }
    report_item(desk, "loading.cancel");
  });
}

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

void release(Leaving& leaving, Requests& requests) {
  requests.open_file = std::move(leaving.open_file);
  requests.teach = leaving.teach;
  requests.quit = leaving.quit;
}

// Whatever would lose a changed pose waits for an answer.
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
  if (asked && pressed(ImGuiKey_Escape)) {
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

}  // namespace

std::optional<Tab> find_tab(std::string_view id) {
  for (const TabRow& row : kTabs) {
    if (std::string_view(row.name).substr(std::strlen("tab.")) == id) {
      return row.tab;
    }
  }
  return std::nullopt;
}

void draw_window(Desk& desk) {
  Workspace& workspace = desk.workspace;
  const glm::vec2 window(ImGui::GetIO().DisplaySize.x, ImGui::GetIO().DisplaySize.y);
  const float line = ImGui::GetTextLineHeight();
  const StripHeights strips{line + 2 * desk.theme.px(5), timeline_height(desk),
                            std::floor(line * 13 / 15) + 2 * desk.theme.px(4) + desk.theme.px(1)};
  workspace.layout = arrange(window, desk.theme.scale, workspace.preferences.panels, strips, workspace.panels_hidden);
  workspace.viewport.tree_hovered_joint = -1;
  workspace.presses += ImGui::GetIO().MouseClickedCount[ImGuiMouseButton_Left] == 1 ? 1 : 0;
  workspace.viewport.toolbar = toolbar_rect(desk);
  if (desk.requests.commands.empty()) {  // else panes may be on their way
    forget_lost_panes(workspace, desk.document());
  }
  // As long as nobody moved the camera the character keeps filling the picture.
  if (workspace.framed && *workspace.framed == workspace.camera &&
      workspace.framed_room != framing_room(workspace, desk.document())) {
    frame_all(workspace, desk.scene);
  }
  follow_scene_camera(desk);

  ImGui::SetNextWindowPos(ImVec2(0, 0));
  ImGui::SetNextWindowSize(ImVec2(window.x, window.y));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0f);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0f);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(desk.theme.px(8), desk.theme.px(5)));
  const ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                 ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                                 ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollWithMouse |
                                 ImGuiWindowFlags_NoNav | (workspace.panels_hidden ? 0 : ImGuiWindowFlags_MenuBar);
  ImGui::Begin("##root", nullptr, flags);
  ImGui::PopStyleVar(5);
  if (!workspace.panels_hidden) {
    draw_menu_bar(desk);
  }
  const WindowLayout& layout = workspace.layout;
  const float pad = desk.theme.px(8);
  panel(
      "tree", layout.left, color::kPanel, ImVec2(pad, pad), desk, [&] { draw(workspace.tree, desk); },
      ImGuiWindowFlags_NoScrollbar);
  draw_viewport(workspace.viewport, desk);
  panel(
      "tabs", layout.right, color::kPanel, ImVec2(0, 0), desk, [&] { draw_tabs(desk); }, ImGuiWindowFlags_NoScrollbar);
  panel(
      "timeline", layout.timeline, color::kPanel, ImVec2(pad, desk.theme.px(6)), desk,
      [&] { draw(workspace.timeline, desk); }, ImGuiWindowFlags_NoScrollbar);
  panel(
      "status", layout.status, color::kBackground, ImVec2(pad, desk.theme.px(4)), desk, [&] { draw_status(desk); },
      ImGuiWindowFlags_NoScrollbar);
  splitter("splitter.left", layout.left_splitter, true, window, desk);
  splitter("splitter.right", layout.right_splitter, false, window, desk);
  // Hairlines between the strips.
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (const Rect& strip : {layout.timeline, layout.status}) {
    if (!strip.empty()) {
      list.AddLine(ImVec2(strip.x, strip.y), ImVec2(strip.x + strip.w, strip.y), color::kLine);
    }
  }
  draw_error(desk);
  draw_loading(desk);
  draw(workspace.browser, desk);
  hold_back(desk);
  draw_leaving(desk);
  ImGui::End();

  draw_help(desk);
  if (workspace.demo_open) {
    ImGui::ShowDemoWindow(&workspace.demo_open);
  }
  if (workspace.metrics_open) {
    ImGui::ShowMetricsWindow(&workspace.metrics_open);
  }
}

}  // namespace pelt::ui
