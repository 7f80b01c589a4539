#include "ui/file_browser.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <span>
#include <system_error>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include "core/text.h"
#include "ui/icons.h"
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

std::string home_folder() {
  const char* home = std::getenv("HOME");
  return home != nullptr && *home != '\0' ? home : "/";
}

bool accepts(BrowserPurpose purpose, const fs::path& file) {
  const std::string extension = lower_case(file.extension().string());
  const std::vector<std::string> wanted = extensions(purpose);
  return std::find(wanted.begin(), wanted.end(), extension) != wanted.end();
}

const char* title(BrowserPurpose purpose) {
  switch (purpose) {
    case BrowserPurpose::kOpenCharacter:
      return "Open character";
    case BrowserPurpose::kOpenPose:
      return "Open pose";
    case BrowserPurpose::kSavePose:
      return "Save pose as";
    case BrowserPurpose::kSaveTable:
      return "Save numbers as";
    case BrowserPurpose::kExportCharacter:
      return "Export character";
    case BrowserPurpose::kOpenEnvironment:
      return "Open environment";
  }
  return "";
}

bool saves(BrowserPurpose purpose) {
  return purpose == BrowserPurpose::kSavePose || purpose == BrowserPurpose::kSaveTable ||
         purpose == BrowserPurpose::kExportCharacter;
}

bool passes(const FileBrowser& browser, const BrowserEntry& entry) {
  return contains_ignoring_case(entry.name, browser.filter);
}

void select_next(FileBrowser& browser, int direction) {
  const int count = static_cast<int>(browser.entries.size());
  for (int i = browser.selected + direction; i >= 0 && i < count; i += direction) {
    if (passes(browser, browser.entries[static_cast<std::size_t>(i)])) {
      browser.selected = i;
      browser.scroll_to_selected = true;
      browser.confirm_overwrite = false;
      if (!browser.entries[static_cast<std::size_t>(i)].folder) {
        browser.name = browser.entries[static_cast<std::size_t>(i)].name;
      }
      if (saves(browser.purpose)) {
        ImGui::ClearActiveID();  // a field with the keyboard writes its own text over the name
        browser.take_focus = true;
      }
      return;
    }
  }
}

void close(FileBrowser& browser) {
  browser.visible = false;
  browser.confirm_overwrite = false;
  ImGui::CloseCurrentPopup();
}

// Takes the file: asks for it and closes, or says what is in the way.
void choose(FileBrowser& browser, const fs::path& file, Desk& desk) {
  desk.workspace.preferences.last_folder = browser.folder.string();
  std::error_code failure;
  switch (browser.purpose) {
    case BrowserPurpose::kOpenCharacter:
      desk.requests.open_file = file.string();
      break;
    case BrowserPurpose::kOpenPose:
      desk.requests.open_pose = file.string();
      break;
    case BrowserPurpose::kOpenEnvironment:
      desk.requests.open_environment = file.string();
      break;
    case BrowserPurpose::kSavePose:
    case BrowserPurpose::kSaveTable:
    case BrowserPurpose::kExportCharacter:
      if (fs::exists(file, failure) && !browser.confirm_overwrite) {
        browser.confirm_overwrite = true;
        return;
      }
      if (browser.purpose == BrowserPurpose::kExportCharacter) {
        desk.requests.export_character = browser.export_choices;
        desk.requests.export_character->file = file.string();
        break;
      }
      (browser.purpose == BrowserPurpose::kSavePose ? desk.requests.save_pose : desk.requests.save_table) =
          file.string();
      break;
  }
  close(browser);
}

void accept(FileBrowser& browser, Desk& desk) {
  if (saves(browser.purpose)) {
    if (browser.name.empty()) {
      browser.error = "The file needs a name.";
      return;
    }
    fs::path file = browser.folder / browser.name;
    if (file.extension().empty()) {
      file += extensions(browser.purpose).front();
    }
    if (browser.purpose == BrowserPurpose::kExportCharacter && !accepts(browser.purpose, file)) {
      browser.error = "The name decides the form: it must end in .glb or .gltf.";
      return;
    }
    choose(browser, file, desk);
    return;
  }
  if (browser.selected < 0 || browser.selected >= static_cast<int>(browser.entries.size())) {
    browser.take_focus = true;  // Enter took the keyboard from the filter
    return;
  }
  const BrowserEntry entry = browser.entries[static_cast<std::size_t>(browser.selected)];
  if (entry.folder) {
    enter(browser, browser.folder / entry.name);
  } else {
    choose(browser, browser.folder / entry.name, desk);
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
  if (browser.purpose == BrowserPurpose::kOpenCharacter && !desk.scene.bundled.empty()) {
    ImGui::Spacing();
    dim_text("Bundled characters");
    for (const std::string& name : desk.scene.bundled) {
      if (ImGui::Selectable(fmt::format("{}  {}", icon::kCharacter, name).c_str())) {
        desk.requests.open_file = name;
        close(browser);
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
  const float filter = std::min(desk.theme.px(190), std::floor(0.5f * ImGui::GetContentRegionAvail().x));
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
  ImGui::SetCursorPosX(ImGui::GetWindowContentRegionMax().x - filter);
  ImGui::SetNextItemWidth(filter);
  if (browser.take_focus && !saves(browser.purpose)) {
    ImGui::SetKeyboardFocusHere();
    browser.take_focus = false;
  }
  const bool narrowed = ImGui::InputTextWithHint("##filter", "Filter", &browser.filter);
  report_item(desk, "browser.filter");
  if (narrowed && !saves(browser.purpose)) {
    browser.selected = -1;
    if (!browser.filter.empty()) {
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
    const BrowserEntry entry = browser.entries[static_cast<std::size_t>(i)];
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
      browser.selected = i;
      browser.confirm_overwrite = false;
      if (!entry.folder) {
        browser.name = entry.name;
      }
      if (ImGui::IsMouseDoubleClicked(0)) {
        accept(browser, desk);
        break;  // the list may be another one now
      }
    }
  }
  if (!any) {
    ImGui::TableNextRow();
    ImGui::TableSetColumnIndex(0);
    dim_text(browser.filter.empty() ? "Nothing here that can be opened" : "Nothing here has that in its name");
  }
  ImGui::EndTable();
}

void handle_keys(FileBrowser& browser, bool filter_was_empty, Desk& desk) {
  const ImGuiContext& context = *ImGui::GetCurrentContext();
  if (context.OpenPopupStack.Size > context.BeginPopupStack.Size) {  // a drop-down of ours has the keys
    if (pressed(ImGuiKey_Escape)) {
      ImGui::ClosePopupToLevel(context.BeginPopupStack.Size, true);
    }
    return;
  }
  if (pressed(ImGuiKey_Escape)) {
    close(browser);
    return;
  }
  if (pressed(ImGuiKey_DownArrow, true)) {
    select_next(browser, 1);
  }
  if (pressed(ImGuiKey_UpArrow, true)) {
    select_next(browser, -1);
  }
  // An open dialog's filter has the keyboard from the start: while it is empty there is nothing else to take back.
  const bool typing = !filter_was_empty || (ImGui::GetIO().WantTextInput && saves(browser.purpose));
  if (pressed(ImGuiKey_Backspace) && !typing) {
    enter(browser, browser.folder.parent_path());
  }
  if (pressed(ImGuiKey_Enter) || pressed(ImGuiKey_KeyPadEnter)) {
    accept(browser, desk);
  }
}

// How the character is written, in as many rows as there must be.
void draw_export_choices(FileBrowser& browser, Desk& desk) {
  ExportRequest& choices = browser.export_choices;
  const ImGuiStyle& style = ImGui::GetStyle();
  float room = 0;
  browser.export_rows = 0;
  const auto begin = [&](float width) {
    if (browser.export_rows > 0 && width + style.ItemSpacing.x <= room) {
      ImGui::SameLine();
      room -= width + style.ItemSpacing.x;
    } else {
      room = ImGui::GetContentRegionAvail().x - width;
      ++browser.export_rows;
    }
  };
  const auto check = [&](const char* label, bool& value, const char* help, const char* id) {
    begin(ImGui::GetFrameHeight() + style.ItemInnerSpacing.x + ImGui::CalcTextSize(label).x);
    ImGui::Checkbox(label, &value);
    tip(help);
    report_item(desk, id);
  };
  const auto choose_from = [&](const char* label, std::span<const char* const> names, int& chosen, const char* id) {
    begin(desk.theme.px(110) + style.ItemSpacing.x + ImGui::CalcTextSize(label).x);
    ImGui::SetNextItemWidth(desk.theme.px(110));
    combo(desk, id, static_cast<int>(names.size()), chosen, [&](int i) { return names[static_cast<std::size_t>(i)]; });
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    text(label);
  };
  constexpr std::array kFormats = {"32-bit float", "16 bit", "8 bit"};  // as in WeightFormat
  constexpr std::array kLimits = {"all", "8", "4", "2", "1"};
  constexpr std::array kCounts = {0, 8, 4, 2, 1};
  int format = static_cast<int>(choices.weights);
  choose_from("weights", kFormats, format, "export.weights");
  choices.weights = static_cast<mesh::WeightFormat>(format);
  rig::Conversion& conversion = choices.conversion;
  const auto known = std::find(kCounts.begin(), kCounts.end(), conversion.influence_limit);
  int limit = static_cast<int>(known - kCounts.begin());
  choose_from("influences", kLimits, limit, "export.influences");
  conversion.influence_limit = kCounts[static_cast<std::size_t>(limit)];
  check("Quantise", choices.quantize, "Positions in 16 bits of their box, normals in 8 (KHR_mesh_quantization)",
        "export.quantize");
  check("Compress", choices.meshopt, "Without loss, where readers know EXT_meshopt_compression", "export.meshopt");
  check("Pose as rest", conversion.bake_pose, "The pose shown becomes the rest pose", "export.bake-pose");
  check("Bind there", conversion.rebuild_binds,
        "Rebuild inverse bind matrices: the shape of the rest pose becomes the bind shape", "export.rebuild-binds");
  check("Strip joints", conversion.strip_joints,
        "Take joints that no vertex follows out of the skins; they stay as nodes", "export.strip-joints");
  check("Embed in .gltf", choices.embed, "No files beside the .gltf; a .glb is one file in any case", "export.embed");
}

}  // namespace

std::vector<std::string> extensions(BrowserPurpose purpose) {
  switch (purpose) {
    case BrowserPurpose::kOpenCharacter:
      return {".glb", ".gltf", ".obj", ".ply", ".bvh"};
    case BrowserPurpose::kExportCharacter:
      return {".glb", ".gltf"};
    case BrowserPurpose::kSaveTable:
      return {".csv"};
    case BrowserPurpose::kOpenEnvironment:
      return {".hdr"};
    default:
      return {".json"};
  }
}

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
  browser.take_focus = !saves(browser.purpose);
  browser.filter.clear();
  browser.error.clear();
  browser.confirm_overwrite = false;
}

void open(FileBrowser& browser, BrowserPurpose purpose, Desk& desk) {
  browser.purpose = purpose;
  browser.visible = true;
  browser.opening = true;
  browser.error.clear();
  browser.name.clear();
  if (saves(purpose)) {
    const std::string what = purpose == BrowserPurpose::kSavePose    ? "pose.json"
                             : purpose == BrowserPurpose::kSaveTable ? "numbers.csv"
                                                                     : "export.glb";
    browser.name = desk.character().name.empty() ? what : desk.character().name + "-" + what;
    std::replace(browser.name.begin(), browser.name.end(), '/', '-');  // a name from a file is no path
  }
  std::error_code failure;
  const fs::path last = desk.workspace.preferences.last_folder;
  const fs::path start = !last.empty() && fs::is_directory(last, failure) ? last : fs::current_path(failure);
  enter(browser, start);
  if (!browser.error.empty()) {
    enter(browser, "/");
  }
  browser.take_focus = true;
}

void draw(FileBrowser& browser, Desk& desk) {
  if (!browser.visible) {
    return;
  }
  const char* name = title(browser.purpose);
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
  const bool saving = saves(browser.purpose);
  const float line = ImGui::GetFrameHeightWithSpacing();
  const float message = browser.error.empty() && !browser.confirm_overwrite ? 0 : line;
  const bool exporting = browser.purpose == BrowserPurpose::kExportCharacter;
  const float left = ImGui::GetContentRegionAvail().y - line - message - (saving ? line : 0.0f) -
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

  if (saving) {
    ImGui::AlignTextToFramePadding();
    dim_text("Name");
    ImGui::SameLine(places + ImGui::GetStyle().WindowPadding.x + ImGui::GetStyle().ItemSpacing.x);
    ImGui::SetNextItemWidth(-1);
    if (browser.take_focus) {
      ImGui::SetKeyboardFocusHere();
      browser.take_focus = false;
    }
    if (ImGui::InputText("##name", &browser.name, ImGuiInputTextFlags_AutoSelectAll)) {
      browser.confirm_overwrite = false;
    }
    report_item(desk, "browser.name");
  }
  if (exporting) {
    draw_export_choices(browser, desk);
  }
  if (browser.confirm_overwrite) {
    wrapped_text(fmt::format("{}  {} exists already. {} once more to replace it.", icon::kWarning, browser.name,
                             exporting ? "Export" : "Save"),
                 color::kWarning);
  } else if (!browser.error.empty()) {
    wrapped_text(fmt::format("{}  {}", icon::kError, browser.error), color::kError);
  }
  std::string kinds;
  for (const std::string& extension : extensions(browser.purpose)) {
    kinds += (kinds.empty() ? "*" : "  *") + extension;
  }
  ImGui::AlignTextToFramePadding();
  const float button = std::min(desk.theme.px(104), std::floor(0.3f * size.x));
  const float buttons = 2 * button + ImGui::GetStyle().ItemSpacing.x;
  clipped_text(kinds, ImGui::GetContentRegionAvail().x - buttons - desk.theme.px(8), color::kTextDim);
  ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - buttons);
  if (ImGui::Button("Cancel", ImVec2(button, 0))) {
    close(browser);
  }
  report_item(desk, "browser.cancel");
  ImGui::SameLine();
  ImGui::PushStyleColor(ImGuiCol_Button, color::kAccentSoft);
  const char* verb = exporting ? "Export" : saving ? "Save" : "Open";
  const bool go = ImGui::Button(browser.confirm_overwrite ? "Replace" : verb, ImVec2(button, 0));
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
