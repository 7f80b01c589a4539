#include "ui/status_bar.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/text.h"
#include "deform/skinning_methods.h"
#include "ui/brush_tool.h"
#include "ui/hiding.h"
#include "ui/icons.h"
#include "ui/jobs_list.h"
#include "ui/tools.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

// What each gesture does. That of the brush depends on what it paints.
std::string help_of(const Tool& tool, const Desk& desk) {
  const BrushTool& brush = desk.workspace.panel<BrushTool>();
  if (paints(desk) && brush_modes()[static_cast<std::size_t>(brush.mode)].is_line) {
    return "Drag a line on the skin: the weight runs from one value to the other \u00b7 Ctrl turns it round, Shift "
           "smooths \u00b7 J: the joint under the mouse, L locks it \u00b7 beside the skin, or with Alt: orbits \u00b7 "
           "Esc cancels";
  }
  return tool.help;
}

}  // namespace

void draw_status(Desk& desk) {
  const edit::Document& document = desk.document();
  const Workspace& workspace = desk.workspace;
  ImGui::PushFont(desk.theme.small);
  // From the right: what always stays; the message gets the rest.
  std::vector<std::pair<std::string, ImU32>> facts;
  facts.emplace_back(
      desk.scene.frames_per_second > 0 ? fmt::format("{:.0f} fps", desk.scene.frames_per_second) : "idle",
      color::kTextDim);
  const deform::SkinningSettings& skinning = edit::skinning_of(document.content, document.view.active_pane);
  const auto methods = deform::skinning_methods();
  const std::string_view method = methods[skinning.method].label;
  const bool cpu = skinning.backend == deform::Backend::kCpu;
  if (const auto& crowd = desk.scene.stats->crowd; crowd && crowd->refused.empty()) {
    facts.emplace_back(fmt::format("{}  A crowd, by linear blend from baked matrices", icon::kChip), color::kAccent);
  } else {
    facts.emplace_back(fmt::format("{}  {}, {}", icon::kChip, method, cpu ? "CPU" : "GPU"),
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
  if (const int joint = document.view.selected_joint(); joint >= 0) {
    const std::size_t others = document.view.selected_joints.size() - 1;
    const std::string more = others == 0 ? "" : fmt::format(" and {} more", others);
    facts.emplace_back(fmt::format("{}  {}{}", icon::kJoint, printable(desk.character().skeleton->label(joint)), more),
                       color::kText);
  }
  const float width = ImGui::GetContentRegionAvail().x;
  const float gap = desk.theme.px(20);
  // What has just happened is read before what always stands there.
  constexpr float kMostOfNotice = 0.6f;
  const bool fresh = workspace.notice && desk.scene.now - workspace.notice->shown_since < workspace.notice->seconds();
  const float kept =
      fresh ? std::min(ImGui::CalcTextSize(workspace.notice->text.c_str()).x + gap, kMostOfNotice * width) : 0;
  float x = width;
  const float start = ImGui::GetCursorPosX();
  const float y = ImGui::GetCursorPosY();
  for (const auto& [what, ink] : facts) {
    const float fact = ImGui::CalcTextSize(what.c_str()).x;
    if (x - fact < kept) {
      break;
    }
    ImGui::SetCursorPos(ImVec2(start + x - fact, y));
    ImGui::PushStyleColor(ImGuiCol_Text, ink);
    text(what);
    ImGui::PopStyleColor();
    x -= fact + gap;
  }
  ImGui::SetCursorPosY(y);
  if (const float jobs = draw_jobs_fact(desk, start + x); jobs > 0) {
    x -= jobs + gap;
  }
  draw_jobs_list(desk);
  ImGui::SetCursorPosY(y);
  if (const float hidden = draw_hidden_fact(desk, start + x); hidden > 0) {
    x -= hidden + gap;
  }
  if (x > desk.theme.px(60)) {
    ImGui::SetCursorPos(ImVec2(start, y));
    if (fresh) {
      const Notice& notice = *workspace.notice;
      clipped_text(notice.text, x, severity_color(static_cast<int>(notice.severity)));
      report_item(desk, "status.notice");
      tip(notice.details);  // below the whole text, where that is cut
    } else {
      const bool blender = workspace.preferences.mouse == MouseScheme::kBlender;
      const Tool& tool = current_tool(workspace);
      const std::string help = blender && tool.id != kBoxTool
                                   ? "Middle drag orbits \u00b7 Shift+middle pans \u00b7 click selects, Shift adds, "
                                     "Ctrl toggles \u00b7 H keys"
                                   : fmt::format("{} \u00b7 H keys", help_of(tool, desk));
      clipped_text(help, x, color::kTextDim);
    }
  }
  ImGui::PopFont();
}

}  // namespace pelt::ui
