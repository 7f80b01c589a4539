#include "ui/ik_panel.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <imgui.h>

#include "core/text.h"
#include "edit/bake_edits.h"
#include "edit/reach_edits.h"
#include "motion/ik_solvers.h"
#include "ui/icons.h"
#include "ui/reach_tool.h"
#include "ui/tools.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr int kScoreTargets = 100;  // of each chain, for the score board in the window

void draw_solver(ReachTool& tool, Desk& desk) {
  if (!section(desk, "Dragging")) {
    return;
  }
  if (!reaches(desk)) {
    if (ImGui::Button(fmt::format("{}  Take the tool", icon::kReach).c_str(),
                      ImVec2(ImGui::GetContentRegionAvail().x, 0))) {
      take_tool(desk.workspace, kReachTool);
    }
    report_item(desk, "ik.take");
  } else {
    wrapped_text("Drag a hand, a foot, a tail or the hips: the limb follows.", color::kTextDim);
  }
  const auto solvers = motion::ik_solvers();
  const auto found = std::ranges::find(solvers, tool.solver, &motion::IkSolver::id);
  int choice = found == solvers.end() ? 0 : static_cast<int>(found - solvers.begin()) + 1;
  row_label(desk, "Solver",
            "What turns the joints of the limb. Where several joints are to stay, damped least squares "
            "does it whatever is chosen");
  const auto name = [&](int i) {
    return i == 0 ? std::string("The one that suits") : std::string(solvers[i - 1].label);
  };
  if (combo(desk, "ik.solver", static_cast<int>(solvers.size()) + 1, choice, name)) {
    tool.solver = choice == 0 ? std::string() : std::string(solvers[choice - 1].id);
  }
  if (choice > 0) {
    wrapped_text(solvers[choice - 1].help, color::kTextDim);
  }
  row_label(desk, "Iterations", "How often an iterating solver tries per step of the mouse");
  float iterations = static_cast<float>(tool.iterations);
  bool ended = false;
  bool reset = false;
  SliderStyle style{.lower = 1, .upper = 200};
  style.format = "%.0f";
  value_slider(desk, "ik.iterations", iterations, style, ImGui::GetContentRegionAvail().x, ended, &reset);
  tool.iterations = reset ? 32 : std::clamp(static_cast<int>(std::lround(iterations)), 1, 200);
  checkbox(desk, "ik.limits", "Keep to the limits", tool.limits,
           "A joint that is outside of them already does not go further");
  checkbox(desk, "ik.direction", "Keep direction", tool.keep_direction,
           "In the world, as far as the limits of the wrist or ankle allow");
}

void draw_chain_choice(ReachTool& tool, Desk& desk) {
  const int joint = desk.document().view.selected_joint();
  if (joint < 0 || !section(desk, "Chain")) {
    return;
  }
  const motion::ReachChain chain = chain_of(tool, joint, desk);
  const rig::Skeleton& skeleton = desk.character().skeleton;
  const std::size_t count = limbs_of(tool, desk).between(chain.root, joint).size();
  wrapped_text(chain.root == joint && !chain.root_slides
                   ? fmt::format("Nothing above {} follows it.", printable(skeleton.label(joint)))
                   : fmt::format("{} takes {} along, from {}{}.", printable(skeleton.label(joint)),
                                 count_of(count, "joint", "joints"), printable(skeleton.label(chain.root)),
                                 chain.root_slides ? ", which moves" : ""));
  const float spacing = ImGui::GetStyle().ItemInnerSpacing.x;
  const float width = std::floor((ImGui::GetContentRegionAvail().x - 2 * spacing) / 3);
  if (ImGui::Button("Longer", ImVec2(width, 0))) {
    change_chain(tool, joint, 1, desk);
  }
  report_item(desk, "ik.longer");
  tip("One joint more follows; so does the wheel while dragging");
  ImGui::SameLine(0, spacing);
  if (ImGui::Button("Shorter", ImVec2(width, 0))) {
    change_chain(tool, joint, -1, desk);
  }
  report_item(desk, "ik.shorter");
  ImGui::SameLine(0, spacing);
  if (ImGui::Button("Natural", ImVec2(width, 0))) {
    tool.chains.erase(joint);
  }
  report_item(desk, "ik.natural");
  tip("The limb that hangs on the trunk");
}

void draw_pin_list(Desk& desk) {
  if (!section(desk, "Pins")) {
    return;
  }
  const auto& pins = desk.document().content.pins;
  const float spacing = ImGui::GetStyle().ItemInnerSpacing.x;
  const float width = std::floor((ImGui::GetContentRegionAvail().x - spacing) / 2);
  ImGui::BeginDisabled(desk.document().view.selected_joints.empty());
  if (ImGui::Button(fmt::format("{}  Pin selected", icon::kPin).c_str(), ImVec2(width, 0))) {
    toggle_pins(desk);
  }
  ImGui::EndDisabled();
  report_item(desk, "ik.pin");
  tip("Holds the selected joints where they are, or lets them go (Shift+P)");
  ImGui::SameLine(0, spacing);
  if (ImGui::Button("Hands and feet", ImVec2(width, 0))) {
    pin_limbs(desk);
  }
  report_item(desk, "ik.pin-limbs");
  if (pins.empty()) {
    wrapped_text("What is pinned stays where it is while you drag the hips or a clip plays.", color::kTextDim);
    return;
  }
  int gone = -1;
  for (const motion::Pin& pin : pins) {
    const std::string name = desk.character().skeleton->label(pin.joint);
    ImGui::PushID(pin.joint);
    if (icon_button(desk, fmt::format("ik.unpin.{}", name).c_str(), icon::kClose, "Let it go")) {
      gone = pin.joint;
    }
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    const float off = glm::distance(glm::vec3(desk.scene.world[pin.joint][3]), pin.position);
    text(off > 1e-3f ? fmt::format("{}, {:.3g} m away", printable(name), off) : printable(name));
    ImGui::PopID();
  }
  if (gone >= 0) {
    desk.change(edit::PinJoints{{gone}, false});
  }
  const std::string why = edit::refusal(desk.document(), edit::BakePins{});
  ImGui::BeginDisabled(!why.empty());
  if (ImGui::Button("Bake to keys", ImVec2(ImGui::GetContentRegionAvail().x, 0))) {
    desk.change(edit::BakePins{});
  }
  ImGui::EndDisabled();
  report_item(desk, "ik.bake-pins");
  tip(why.empty() ? "Keys of the clip at each frame that hold what is pinned, in any program; the pins are let go"
                  : "Not now: " + why);
  if (pins.size() > 1) {
    if (ImGui::Button("Let all go", ImVec2(ImGui::GetContentRegionAvail().x, 0))) {
      unpin_all(desk);
    }
    report_item(desk, "ik.unpin-all");
  }
}

IkScores measure(const Progress& progress) {
  IkScores out;
  const std::vector<motion::IkChain> chains = motion::ik_chains();
  for (const motion::IkChain& chain : chains) {
    for (const motion::IkSolver& solver : motion::ik_solvers()) {
      if (!suits(solver, chain)) {
        continue;
      }
      const auto solve = [&](const motion::IkTree& tree, std::span<const motion::IkGoal> goals,
                             const motion::IkSettings& settings, std::span<float> values,
                             motion::IkReport& report) { report = solver.solve(tree, goals, settings, values); };
      out.rows.push_back(
          motion::score_ik(chain, solver.id, chain.oriented && solver.oriented, solve, kScoreTargets, true));
      const auto done =
          static_cast<float>(out.rows.size()) / static_cast<float>(chains.size() * motion::ik_solvers().size());
      if (!report(progress, std::min(done, 0.99f), "trying the solvers")) {
        return out;
      }
    }
  }
  return out;
}

void draw_scores(IkPanel& panel, Desk& desk) {
  if (!section(desk, "Score board", false)) {
    return;
  }
  if (panel.scoring != nullptr) {
    if (std::optional<IkScores> done = panel.scoring->take()) {
      panel.scores = std::move(*done);
    }
  }
  const bool running = panel.scoring != nullptr && panel.scoring->active();
  wrapped_text(fmt::format("How many of {} random targets within the limits each solver reaches to 1e-4 of the chain, "
                           "from where it was before, restarts allowed.",
                           kScoreTargets),
               color::kTextDim);
  if (ImGui::Button(running ? "Cancel" : "Try all solvers", ImVec2(ImGui::GetContentRegionAvail().x, 0))) {
    if (running) {
      panel.scoring->cancel();
    } else {
      if (panel.scoring == nullptr) {
        panel.scoring =
            std::make_shared<JobSlot<IkScores>>(desk.workspace.jobs, Jobs::Kind::kLong, "Trying IK solvers");
      }
      panel.scoring->start([](const Progress& progress) { return std::optional(measure(progress)); });
    }
  }
  report_item(desk, "ik.score");
  if (panel.scores.rows.empty() || !ImGui::BeginTable("##scores", 4, ImGuiTableFlags_SizingStretchProp)) {
    return;
  }
  for (const char* column : {"Chain", "Solver", "Solved", "Mean"}) {
    ImGui::TableSetupColumn(column);
  }
  ImGui::TableHeadersRow();
  for (const motion::IkScore& row : panel.scores.rows) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    text(row.chain);
    ImGui::TableNextColumn();
    text(row.solver);
    ImGui::TableNextColumn();
    text(fmt::format("{:.0f} %", row.solved_percent));
    ImGui::TableNextColumn();
    text(fmt::format("{:.2g} ms", row.mean_ms));
  }
  ImGui::EndTable();
}

}  // namespace

void draw(IkPanel& panel, Desk& desk) {
  ReachTool& tool = desk.workspace.panel<ReachTool>();
  draw_solver(tool, desk);
  draw_chain_choice(tool, desk);
  draw_pin_list(desk);
  draw_scores(panel, desk);
}

}  // namespace pelt::ui
