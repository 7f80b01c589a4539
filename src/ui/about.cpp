#include "ui/about.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <imgui.h>

#include "core/embedded.h"
#include "core/expect.h"
#include "core/version.h"
#include "ui/icons.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::embedded {
std::span<const EmbeddedFile> about_texts();
}

namespace pelt::ui {
namespace {

std::string_view about_text(std::string_view file) {
  const EmbeddedFile* found = find_embedded(embedded::about_texts(), file);
  PELT_EXPECT(found != nullptr, "the text is embedded at build time");
  return found->bytes;
}

std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// "| a | b |" as its cells.
std::vector<std::string> cells_of(std::string_view row) {
  std::vector<std::string> cells;
  while (row.starts_with("| ")) {
    row.remove_prefix(2);
    const std::size_t end = row.find(" |");
    if (end == std::string_view::npos) {
      break;
    }
    cells.emplace_back(row.substr(0, end));
    row.remove_prefix(end + 1);
  }
  return cells;
}

// "MIT License", then the line that begins with "Copyright".
std::string licence_line() {
  std::string_view text = about_text("LICENSE");
  std::string line(next_line(text));
  while (!text.empty()) {
    if (const std::string_view next = next_line(text); next.starts_with("Copyright")) {
      return fmt::format("{}. {}", line, next);
    }
  }
  return line;
}

void draw_packages(float height, Desk& desk) {
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY | ImGuiTableFlags_SizingStretchProp;
  ImGui::PushFont(desk.theme.small);
  if (ImGui::BeginTable("##packages", 3, kFlags, ImVec2(0, height))) {
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableSetupColumn("Package", 0, 3);
    ImGui::TableSetupColumn("For", 0, 4);
    ImGui::TableSetupColumn("Licence", 0, 3);
    ImGui::TableHeadersRow();
    for (const UsedPackage& package : used_packages()) {
      ImGui::TableNextRow();
      for (const std::string* cell : {&package.name, &package.purpose, &package.licence}) {
        ImGui::TableNextColumn();
        wrapped_text(*cell);
      }
    }
    ImGui::EndTable();
  }
  ImGui::PopFont();
}

}  // namespace

std::vector<UsedPackage> used_packages() {
  std::vector<UsedPackage> packages;
  std::string_view text = about_text("third_party/README.md");
  while (!text.empty()) {
    std::vector<std::string> cells = cells_of(next_line(text));
    const bool row = cells.size() == 3 && cells[0] != "Package" && !cells[0].starts_with("---");
    if (row && !cells[1].starts_with("tests") && !cells[1].starts_with("benchmarks")) {
      packages.push_back({std::move(cells[0]), std::move(cells[1]), std::move(cells[2])});
    }
  }
  return packages;
}

void draw_about(Desk& desk) {
  if (!desk.workspace.about_open) {
    return;
  }
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const ImVec2 size(std::min(desk.theme.px(560), window.x - desk.theme.px(24)),
                    std::min(desk.theme.px(480), window.y - desk.theme.px(24)));
  ImGui::SetNextWindowSize(size);
  ImGui::SetNextWindowPos(ImVec2(std::floor((window.x - size.x) / 2), std::floor((window.y - size.y) / 2)));
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings;
  if (ImGui::Begin("About Pelt", &desk.workspace.about_open, kFlags)) {
    const std::string name = fmt::format("Pelt {}", version());
    ImGui::PushFont(desk.theme.strong);
    text(name);
    ImGui::PopFont();
    wrapped_text(fmt::format("{}.", description()));
    wrapped_text(licence_line(), color::kTextDim);
    row_label(desk, "OpenGL", "What draws the picture and, as the GPU, computes the skin");
    ImGui::AlignTextToFramePadding();
    wrapped_text(desk.scene.device);
    desk.report["about"] = {ImGui::GetWindowPos().x, ImGui::GetWindowPos().y, size.x, size.y};
    heading(desk, "Made of");
    const float line = ImGui::GetFrameHeightWithSpacing();
    draw_packages(std::max(ImGui::GetContentRegionAvail().y - line, 2 * line), desk);
    if (ImGui::Button(fmt::format("{}  Copy version and OpenGL", icon::kExport).c_str())) {
      ImGui::SetClipboardText(fmt::format("{}, {}", name, desk.scene.device).c_str());
    }
    report_item(desk, "about.copy");
    tip("For a report of something that went wrong");
  }
  ImGui::End();
}

}  // namespace pelt::ui
