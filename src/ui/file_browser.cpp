#include "ui/file_browser.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <system_error>
#include <tuple>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include "core/file.h"
#include "core/text.h"
#include "ui/browser_purpose.h"
#include "ui/export_choices.h"
#include "ui/icons.h"
#include "ui/typed_path.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

namespace fs = std::filesystem;

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool saves(BrowserPurpose purpose) {
  return info_of(purpose).saves;
}

bool accepts(BrowserPurpose purpose, const fs::path& file) {
  const std::string extension = lower_case(file.extension().string());
  const std::vector<std::string> wanted = info_of(purpose).extensions();
  return std::find(wanted.begin(), wanted.end(), extension) != wanted.end();
}

bool passes(const FileBrowser& browser, const BrowserEntry& entry) {
  return looks_like_path(browser.filter) || contains_ignoring_case(entry.name, browser.filter);
}

// The row that Enter means from now on; a file to be replaced lends its name.
void choose_row(FileBrowser& browser, int index) {
  browser.selected = index;
  browser.row_chosen = true;
  browser.replaced.clear();
  const BrowserEntry& entry = browser.entries[index];
  if (!entry.folder) {
    browser.name = entry.name;
  }
}

void select_next(FileBrowser& browser, int direction, int steps = 1) {
  const int count = static_cast<int>(browser.entries.size());
  int found = -1;
  for (int i = browser.selected + direction; i >= 0 && i < count && steps > 0; i += direction) {
    if (passes(browser, browser.entries[i])) {
      found = i;
      --steps;
    }
  }
  if (found < 0) {
    return;
  }
  choose_row(browser, found);
  browser.scroll_to_selected = true;
  if (saves(browser.purpose)) {
    ImGui::ClearActiveID();  // a field with the keyboard writes its own text over the name
    browser.take_focus = true;
  }
}

void close(FileBrowser& browser) {
  browser.visible = false;
  browser.replaced.clear();
  ImGui::CloseCurrentPopup();
}

// Whether one of the characters that the program brings along will do.
bool takes_bundled(BrowserPurpose purpose) {
  return purpose == BrowserPurpose::kOpenCharacter || purpose == BrowserPurpose::kOpenWeightsFrom;
}

void choose_bundled(FileBrowser& browser, const std::string& name, Desk& desk) {
  (browser.purpose == BrowserPurpose::kOpenCharacter ? desk.requests.open_file : desk.requests.open_weights_from) =
      name;
  close(browser);
}

// Takes the file: asks for it and closes, or says what is in the way.
void choose(FileBrowser& browser, const fs::path& file, Desk& desk) {
  std::error_code failure;
  if (saves(browser.purpose) && fs::exists(file, failure) && browser.replaced != file.string()) {
    browser.replaced = file.string();
    return;
  }
  Requests& requests = desk.requests;
  switch (browser.purpose) {
    case BrowserPurpose::kOpenCharacter:
      requests.open_file = file.string();
      break;
    case BrowserPurpose::kOpenPose:
      requests.open_pose = file.string();
      break;
    case BrowserPurpose::kOpenEnvironment:
      requests.open_environment = file.string();
      break;
    case BrowserPurpose::kOpenBehind:
      requests.open_behind = file.string();
      break;
    case BrowserPurpose::kOpenMotion:
      requests.open_motion = file.string();
      break;
    case BrowserPurpose::kOpenPoses:
      requests.open_poses = file.string();
      break;
    case BrowserPurpose::kSavePoses:
      requests.save_poses = file.string();
      break;
    case BrowserPurpose::kOpenJointMap:
      requests.open_joint_map = file.string();
      break;
    case BrowserPurpose::kSaveJointMap:
      requests.save_joint_map = file.string();
      break;
    case BrowserPurpose::kOpenWeightsFrom:
      requests.open_weights_from = file.string();
      break;
    case BrowserPurpose::kOpenWeightText:
      requests.open_weight_text = file.string();
      break;
    case BrowserPurpose::kOpenVolume:
      requests.open_volume = file.string();
      break;
    case BrowserPurpose::kSaveWeightText:
      requests.save_weight_text = file.string();
      break;
    case BrowserPurpose::kSavePose:
      requests.save_pose = file.string();
      break;
    case BrowserPurpose::kSaveTable:
      requests.save_table = file.string();
      break;
    case BrowserPurpose::kSavePicture:
      requests.picture = file.string();
      break;
    case BrowserPurpose::kSaveSession:
      requests.save_session = file.string();
      break;
    case BrowserPurpose::kPackSession:
      requests.pack_session = file.string();
      break;
    case BrowserPurpose::kLocateCharacter:
      requests.open_file = desk.workspace.locating.file;
      requests.agreed = desk.workspace.locating.agreed;
      requests.located = file.string();
      break;
    case BrowserPurpose::kExportCharacter:
      requests.export_character = browser.export_choices;
      requests.export_character->file = file.string();
      break;
  }
  desk.workspace.preferences.folders[std::string(info_of(browser.purpose).kind)] = file.parent_path().string();
  close(browser);
}

// Where the name or path leads: into a folder, or to the file to be written.
void accept_name(FileBrowser& browser, Desk& desk) {
  browser.take_focus = true;  // Enter took the keyboard from the field
  if (browser.name.find_first_not_of(' ') == std::string::npos) {
    browser.error = "The file needs a name.";
    return;
  }
  fs::path file = typed_path(browser.name, browser.folder, home_folder());
  std::error_code failure;
  if (fs::is_directory(file, failure)) {
    enter(browser, file);
    browser.name = browser.usual_name;
    browser.take_focus = true;
    return;
  }
  if (file.extension().empty()) {
    file += info_of(browser.purpose).extensions().front();
  }
  if (!fs::is_directory(file.parent_path(), failure)) {
    browser.error = fmt::format("{}: there is no such folder.", printable(file.parent_path().string(), 300));
    return;
  }
  // A link is written to where it leads.
  if (const std::error_code why = why_not_writable(file.parent_path()); why && !fs::is_symlink(file, failure)) {
    browser.error = fmt::format("{}: nothing can be written there ({}); choose another folder.",
                                printable(file.parent_path().string(), 300), why.message());
    return;
  }
  if (const PurposeInfo& purpose = info_of(browser.purpose);
      purpose.decides != nullptr && !accepts(browser.purpose, file)) {
    browser.error = fmt::format("The name decides the {}: it must end in {}.", purpose.decides,
                                fmt::join(purpose.extensions(), " or "));
    return;
  }
  browser.error.clear();
  choose(browser, file, desk);
}

// What was typed in place of a part of a name.
void accept_path(FileBrowser& browser, Desk& desk) {
  const fs::path path = typed_path(browser.filter, browser.folder, home_folder());
  std::error_code failure;
  if (fs::is_directory(path, failure)) {
    enter(browser, path);
  } else if (fs::exists(path, failure)) {
    choose(browser, path, desk);
  } else {
    browser.error = fmt::format("{}: there is no such file or folder.", printable(path.string(), 300));
    browser.take_focus = true;
  }
}

void accept(FileBrowser& browser, Desk& desk) {
  const bool row = browser.selected >= 0 && browser.selected < static_cast<int>(browser.entries.size());
  const bool saving = saves(browser.purpose);
  if (row && browser.row_chosen) {
    const BrowserEntry entry = browser.entries[browser.selected];
    if (entry.folder) {
      enter(browser, browser.folder / entry.name);
      browser.take_focus = true;
      return;
    }
    if (!saving) {
      choose(browser, browser.folder / entry.name, desk);
      return;
    }
  }
  const auto& bundled = desk.scene.bundled;
  if (saving) {
    accept_name(browser, desk);
  } else if (takes_bundled(browser.purpose) && std::ranges::count(bundled, browser.filter) > 0) {
    choose_bundled(browser, browser.filter, desk);
  } else if (!browser.filter.empty()) {
    accept_path(browser, desk);
  } else {
    browser.take_focus = true;  // Enter took the keyboard from the field
  }
}

void place(FileBrowser& browser, Desk& desk, const char* icon, const std::string& label, const fs::path& folder) {
  const std::string row = fmt::format("{}  {}##{}", icon, label, folder.string());
  if (ImGui::Selectable(row.c_str(), browser.folder == folder)) {
    enter(browser, folder);
  }
  report_item(desk, "browser.place." + label);
  tip(folder.string());
}

void draw_places(FileBrowser& browser, Desk& desk) {
  dim_text("Places");
  const fs::path home = home_folder();
  place(browser, desk, icon::kHome, "Home", home);
  std::error_code failure;
  for (const char* name : {"Desktop", "Documents", "Downloads"}) {
    if (fs::is_directory(home / name, failure)) {
      place(browser, desk, icon::kFolder, name, home / name);
    }
  }
  place(browser, desk, icon::kFolder, "Working folder", fs::current_path(failure));
  place(browser, desk, icon::kDisk, "File system", "/");

  std::vector<fs::path> recent;
  for (const std::string& file : desk.workspace.preferences.recent_files) {
    const fs::path folder = fs::path(file).parent_path();
    if (!folder.empty() && std::find(recent.begin(), recent.end(), folder) == recent.end() && recent.size() < 6) {
      recent.push_back(folder);
    }
  }
  if (!recent.empty()) {
    ImGui::Spacing();
    dim_text("Recent folders");
    for (const fs::path& folder : recent) {
      place(browser, desk, icon::kRecent, folder.filename().empty() ? folder.string() : folder.filename().string(),
            folder);
    }
  }
  if (takes_bundled(browser.purpose) && !desk.scene.bundled.empty()) {
    ImGui::Spacing();
    dim_text("Bundled characters");
    for (const std::string& name : desk.scene.bundled) {
      if (ImGui::Selectable(fmt::format("{}  {}", icon::kCharacter, name).c_str())) {
        choose_bundled(browser, name, desk);
      }
      report_item(desk, "browser.bundled." + name);
    }
  }
}

void draw_path(FileBrowser& browser, Desk& desk) {
  if (icon_button(desk, "browser.up", icon::kUp, "Parent folder (Backspace)", false,
                  browser.folder.has_parent_path())) {
    enter(browser, browser.folder.parent_path());
    return;
  }
  ImGui::SameLine();
  // The folders of the path as buttons, the last ones when they do not all fit.
  std::vector<fs::path> parts;
  for (fs::path at = browser.folder; parts.empty() || at != parts.back(); at = at.parent_path()) {
    parts.push_back(at);
  }
  std::reverse(parts.begin(), parts.end());
  const auto label = [](const fs::path& part) {
    return part.filename().empty() ? part.string() : part.filename().string();
  };
  const float pad = ImGui::GetStyle().FramePadding.x * 2 + desk.theme.px(3);
  const bool saving = saves(browser.purpose);  // else the filter stands where a name would
  const float filter = saving ? std::min(desk.theme.px(190), std::floor(0.5f * ImGui::GetContentRegionAvail().x)) : 0;
  float room = ImGui::GetContentRegionAvail().x - filter - desk.theme.px(10);
  std::size_t first = parts.size();
  while (first > 0) {
    room -= ImGui::CalcTextSize(label(parts[first - 1]).c_str()).x + pad;
    if (room < 0 && first < parts.size()) {
      break;
    }
    --first;
  }
  for (std::size_t i = first; i < parts.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    // One that is alone and still too long.
    const float width = ImGui::GetContentRegionAvail().x - filter - desk.theme.px(10) - pad;
    if (ImGui::Button(fitted(label(parts[i]), std::max(width, desk.theme.px(24))).c_str())) {
      enter(browser, parts[i]);
      ImGui::PopID();
      return;
    }
    ImGui::PopID();
    ImGui::SameLine(0, desk.theme.px(3));
  }
  if (!saving) {
    ImGui::NewLine();
    return;
  }
  ImGui::SetCursorPosX(ImGui::GetWindowContentRegionMax().x - filter);
  ImGui::SetNextItemWidth(filter);
  ImGui::InputTextWithHint("##filter", "Filter", &browser.filter);
  report_item(desk, "browser.filter");
}

// Tab completes what is typed.
int complete(ImGuiInputTextCallbackData* data) {
  const auto& browser = *static_cast<const FileBrowser*>(data->UserData);
  const std::string typed(data->Buf, static_cast<std::size_t>(data->BufTextLen));
  const std::string completed = completed_path(typed, browser.folder, home_folder(),
                                               [&](const fs::path& file) { return accepts(browser.purpose, file); });
  if (completed != typed) {
    data->DeleteChars(0, data->BufTextLen);
    data->InsertChars(0, completed.c_str());
  }
  return 0;
}

// The field that has the keyboard: the name to save under, or what is looked for. Either may be a path.
void draw_field(FileBrowser& browser, float label_width, Desk& desk) {
  const bool saving = saves(browser.purpose);
  ImGui::AlignTextToFramePadding();
  dim_text(saving ? "Name" : "Find");
  tip("A folder is entered, a file is taken. Tab completes a path");  // over the field it would cover the buttons
  ImGui::SameLine(label_width);
  ImGui::SetNextItemWidth(-1);
  if (browser.take_focus) {
    ImGui::SetKeyboardFocusHere();
    browser.take_focus = false;
  }
  constexpr ImGuiInputTextFlags kFlags = ImGuiInputTextFlags_AutoSelectAll | ImGuiInputTextFlags_CallbackCompletion;
  const char* hint = saving ? "A name or a path" : "A part of the name, or a path: /\u2026, ~/\u2026, ../\u2026";
  const bool typed =
      ImGui::InputTextWithHint("##name", hint, saving ? &browser.name : &browser.filter, kFlags, complete, &browser);
  report_item(desk, saving ? "browser.name" : "browser.filter");
  if (!typed) {
    return;
  }
  browser.replaced.clear();
  browser.error.clear();
  browser.row_chosen = false;
  if (!saving) {
    browser.selected = -1;
    if (!browser.filter.empty() && !looks_like_path(browser.filter)) {
      select_next(browser, 1);  // what Enter opens
    }
  }
}

void draw_entries(FileBrowser& browser, Desk& desk, float height) {
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingStretchProp;
  if (!ImGui::BeginTable("##entries", 2, kFlags, ImVec2(0, height))) {
    return;
  }
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("Name", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("Size", ImGuiTableColumnFlags_WidthFixed, desk.theme.px(84));
  ImGui::TableHeadersRow();
  bool any = false;
  for (int i = 0; i < static_cast<int>(browser.entries.size()); ++i) {
    const BrowserEntry entry = browser.entries[i];
    if (!passes(browser, entry)) {
      continue;
    }
    any = true;
    ImGui::TableNextRow();
    ImGui::TableSetColumnIndex(0);
    ImGui::PushID(i);
    const char* glyph = entry.folder                                        ? icon::kFolder
                        : browser.purpose == BrowserPurpose::kOpenCharacter ? icon::kCharacter
                                                                            : icon::kFile;
    const std::string row = fmt::format("{}  {}", glyph, entry.name);
    constexpr auto kRow = ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick |
                          ImGuiSelectableFlags_DontClosePopups;
    const bool clicked = ImGui::Selectable(row.c_str(), browser.selected == i, kRow);
    report_item(desk, "browser.entry." + entry.name);
    ImGui::PopID();
    if (browser.scroll_to_selected && browser.selected == i) {
      ImGui::SetScrollHereY();
      browser.scroll_to_selected = false;
    }
    ImGui::TableSetColumnIndex(1);
    if (!entry.folder) {
      dim_text(bytes_text(static_cast<std::int64_t>(entry.bytes)));
    }
    if (clicked) {
      choose_row(browser, i);
      if (ImGui::IsMouseDoubleClicked(0)) {
        accept(browser, desk);
        break;  // the list may be another one now
      }
    }
  }
  if (!any) {
    ImGui::TableNextRow();
    ImGui::TableSetColumnIndex(0);
    dim_text(!browser.filter.empty()  ? "Nothing here has that in its name"
             : saves(browser.purpose) ? "No such file here yet"
                                      : "Nothing here that can be opened");
  }
  ImGui::EndTable();
}

void handle_keys(FileBrowser& browser, bool filter_was_empty, Desk& desk) {
  constexpr int kPage = 10;
  const ImGuiContext& context = *ImGui::GetCurrentContext();
  if (desk.workspace.escape) {
    if (!browser.replaced.empty()) {
      browser.replaced.clear();  // only the question is over
      browser.take_focus = true;
    } else {
      close(browser);
    }
    return;
  }
  if (context.OpenPopupStack.Size > context.BeginPopupStack.Size) {  // a drop-down of ours has the keys
    return;
  }
  const bool upwards = ImGui::GetIO().KeyAlt && pressed(ImGuiKey_UpArrow);
  for (const auto& [key, direction, steps] :
       {std::tuple{ImGuiKey_DownArrow, 1, 1}, std::tuple{ImGuiKey_UpArrow, -1, 1},
        std::tuple{ImGuiKey_PageDown, 1, kPage}, std::tuple{ImGuiKey_PageUp, -1, kPage}}) {
    if (!upwards && pressed(key, true)) {
      select_next(browser, direction, steps);
    }
  }
  // An open dialog's field has the keyboard from the start: while it is empty there is nothing else to take back.
  const bool typing = !filter_was_empty || (ImGui::GetIO().WantTextInput && saves(browser.purpose));
  if (upwards || (pressed(ImGuiKey_Backspace) && !typing)) {
    enter(browser, browser.folder.parent_path());
    browser.take_focus = true;
  }
  if (pressed(ImGuiKey_Enter) || pressed(ImGuiKey_KeyPadEnter)) {
    accept(browser, desk);
  }
}

}  // namespace

void enter(FileBrowser& browser, const fs::path& folder) {
  std::error_code failure;
  std::vector<BrowserEntry> entries;
  fs::directory_iterator at(folder, failure);
  for (; !failure && at != fs::directory_iterator(); at.increment(failure)) {
    std::error_code entry_failure;
    BrowserEntry entry;
    entry.name = at->path().filename().string();
    entry.folder = at->is_directory(entry_failure);
    if (entry.name.empty() || entry.name.front() == '.') {
      continue;
    }
    if (!entry.folder) {
      if (!accepts(browser.purpose, at->path()) || !at->is_regular_file(entry_failure)) {
        continue;
      }
      entry.bytes = at->file_size(entry_failure);
    }
    entries.push_back(std::move(entry));
  }
  if (failure) {
    browser.error = fmt::format("{}: {}", folder.string(), failure.message());
    return;
  }
  std::sort(entries.begin(), entries.end(), [](const BrowserEntry& a, const BrowserEntry& b) {
    return a.folder != b.folder ? a.folder : lower_case(a.name) < lower_case(b.name);
  });
  browser.folder = folder;
  browser.entries = std::move(entries);
  browser.selected = -1;
  browser.row_chosen = false;
  browser.take_focus = !saves(browser.purpose);
  browser.filter.clear();
  browser.error.clear();
  browser.replaced.clear();
}

fs::path first_folder(const Desk& desk, std::string_view kind) {
  const auto& folders = desk.workspace.preferences.folders;
  std::error_code failure;
  for (const std::string_view which : {kind, std::string_view("character")}) {
    const auto last = folders.find(which);
    if (last != folders.end() && fs::is_directory(last->second, failure)) {
      return last->second;
    }
  }
  return fs::current_path(failure);
}

void open(FileBrowser& browser, BrowserPurpose purpose, Desk& desk) {
  browser.purpose = purpose;
  browser.visible = true;
  browser.opening = true;
  browser.error.clear();
  browser.usual_name = desk.character().name;
  const std::string_view usual = info_of(purpose).usual_name;
  browser.usual_name += (browser.usual_name.empty() || usual.starts_with('.') ? "" : "-") + std::string(usual);
  std::replace(browser.usual_name.begin(), browser.usual_name.end(), '/', '-');  // a name from a file is no path
  browser.name = browser.usual_name;
  enter(browser, first_folder(desk, info_of(purpose).kind));
  if (!browser.error.empty()) {
    enter(browser, "/");
  }
  browser.take_focus = true;
}

void draw(FileBrowser& browser, Desk& desk) {
  if (!browser.visible) {
    return;
  }
  const PurposeInfo& purpose = info_of(browser.purpose);
  const char* name = purpose.title;
  if (browser.opening) {
    ImGui::OpenPopup(name);
    browser.opening = false;
  }
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const ImVec2 size(std::min(desk.theme.px(860), window.x - desk.theme.px(24)),
                    std::min(desk.theme.px(560), window.y - desk.theme.px(24)));
  ImGui::SetNextWindowSize(size);
  ImGui::SetNextWindowPos(ImVec2(std::floor((window.x - size.x) / 2), std::floor((window.y - size.y) / 2)));
  constexpr ImGuiWindowFlags kFlags =
      ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings;
  bool stay = true;
  if (!ImGui::BeginPopupModal(name, &stay, kFlags)) {
    browser.visible = false;
    return;
  }
  const bool filter_was_empty = browser.filter.empty();
  draw_path(browser, desk);
  const float line = ImGui::GetFrameHeightWithSpacing();
  const bool asking = !browser.replaced.empty();
  const float message = browser.error.empty() && !asking ? 0 : line;
  const bool exporting = browser.purpose == BrowserPurpose::kExportCharacter;
  const float left = ImGui::GetContentRegionAvail().y - 2 * line - message -
                     (exporting ? static_cast<float>(browser.export_rows) * line : 0.0f);
  const float height = std::max(left, 2 * line);
  const float places = std::min(desk.theme.px(190), size.x * 0.3f);
  ImGui::BeginChild("##places", ImVec2(places, height));
  draw_places(browser, desk);
  ImGui::EndChild();
  ImGui::SameLine();
  ImGui::BeginChild("##files", ImVec2(0, height));
  draw_entries(browser, desk, height);
  ImGui::EndChild();

  draw_field(browser, places + ImGui::GetStyle().WindowPadding.x + ImGui::GetStyle().ItemSpacing.x, desk);
  if (exporting) {
    browser.export_rows = draw_export_choices(browser.export_choices, browser.influences, desk);
  }
  if (asking) {
    const std::string file = printable(fs::path(browser.replaced).filename().string(), 120);
    wrapped_text(fmt::format("{}  {} is there already. Replace it?", icon::kWarning, file), color::kWarning);
  } else if (!browser.error.empty()) {
    wrapped_text(fmt::format("{}  {}", icon::kError, browser.error), color::kError);
  }
  std::string kinds;
  for (const std::string& extension : info_of(browser.purpose).extensions()) {
    kinds += (kinds.empty() ? "*" : "  *") + extension;
  }
  ImGui::AlignTextToFramePadding();
  const float button = std::min(desk.theme.px(104), std::floor(0.3f * size.x));
  const float buttons = 2 * button + ImGui::GetStyle().ItemSpacing.x;
  clipped_text(kinds, ImGui::GetContentRegionAvail().x - buttons - desk.theme.px(8), color::kTextDim);
  ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - buttons);
  if (ImGui::Button(asking ? "Keep" : "Cancel", ImVec2(button, 0))) {
    asking ? browser.replaced.clear() : close(browser);
  }
  report_item(desk, "browser.cancel");
  ImGui::SameLine();
  ImGui::PushStyleColor(ImGuiCol_Button, color::kAccentSoft);
  const bool go = ImGui::Button(asking ? "Replace" : purpose.verb, ImVec2(button, 0));
  ImGui::PopStyleColor();
  report_item(desk, "browser.accept");
  if (go) {
    accept(browser, desk);
  }
  if (browser.visible) {
    handle_keys(browser, filter_was_empty, desk);
  }
  if (!stay) {
    browser.visible = false;
  }
  ImGui::EndPopup();
}

}  // namespace pelt::ui
