#include "ui/jobs_list.h"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/text.h"
#include "ui/icons.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr double kShownAfter = 0.5;  // seconds; numbers of a pose come and go with every step of a drag
constexpr const char* kPopup = "##jobs";

std::vector<Jobs::Row> shown_jobs(const Desk& desk) {
  std::vector<Jobs::Row> rows = desk.workspace.jobs->list();
  std::erase_if(rows, [](const Jobs::Row& row) { return row.seconds < kShownAfter; });
  return rows;
}

std::string progress_text(const Jobs::Row& row) {
  if (!row.running) {
    return "waiting";
  }
  return row.fraction > 0 ? fmt::format("{:.0f} %", row.fraction * 100) : "";
}

void draw_job(const Jobs::Row& row, std::size_t i, Desk& desk) {
  const float width = desk.theme.px(300);
  ImGui::PushID(static_cast<int>(row.slot));
  clipped_text(printable(row.name), width - desk.theme.px(80));
  if (row.kind != Jobs::Kind::kLive) {
    ImGui::SameLine(width - desk.theme.px(72));
    if (ImGui::Button("Cancel", ImVec2(desk.theme.px(72), 0))) {
      desk.requests.cancel_job = row.slot;
    }
    report_item(desk, fmt::format("jobs.cancel.{}", i));
  }
  ImGui::ProgressBar(row.fraction, ImVec2(width, desk.theme.px(6)), "");
  const std::string progress = progress_text(row);
  clipped_text(row.what.empty() || !row.running ? progress
               : progress.empty()               ? row.what
                                                : fmt::format("{}, {}", row.what, progress),
               width, color::kTextDim);
  ImGui::PopID();
}

}  // namespace

float draw_jobs_fact(Desk& desk, float right) {
  const std::vector<Jobs::Row> rows = shown_jobs(desk);
  if (rows.empty()) {
    return 0;
  }
  const Jobs::Row& first = rows.front();
  const std::string progress = progress_text(first);
  std::string what = fmt::format("{}  {}", icon::kRefresh, printable(first.name, 40));
  what += progress.empty() ? "" : " " + progress;
  what += rows.size() > 1 ? fmt::format(" and {} more", rows.size() - 1) : "";
  const float width = ImGui::CalcTextSize(what.c_str()).x;
  if (right - width < 0) {
    return 0;
  }
  ImGui::SetCursorPosX(right - width);
  ImGui::PushStyleColor(ImGuiCol_Text, color::kAccent);
  text(what);
  ImGui::PopStyleColor();
  report_item(desk, "status.jobs");
  if (ImGui::IsItemClicked()) {
    ImGui::OpenPopup(kPopup);
  }
  tip("What runs in the background; a click lists it, to be cancelled one by one");
  return width;
}

void draw_jobs_list(Desk& desk) {
  // Above the status bar, at the window's right edge.
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos(ImVec2(display.x - desk.theme.px(4), ImGui::GetWindowPos().y), ImGuiCond_Always,
                          ImVec2(1, 1));
  if (!ImGui::BeginPopup(kPopup)) {
    return;
  }
  const std::vector<Jobs::Row> rows = shown_jobs(desk);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    draw_job(rows[i], i, desk);
  }
  if (rows.empty()) {
    text("Nothing runs any more");
  }
  ImGui::EndPopup();
}

}  // namespace pelt::ui
