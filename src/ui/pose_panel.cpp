#include "ui/pose_panel.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>
#include <glm/gtc/constants.hpp>

#include "core/index.h"
#include "core/text.h"
#include "edit/driven_sliders.h"
#include "edit/teaching.h"
#include "rig/dofs.h"
#include "ui/bind_comparison.h"
#include "ui/bind_panel.h"
#include "ui/icons.h"
#include "ui/joint_choice.h"
#include "ui/joint_matrices.h"
#include "ui/selecting.h"
#include "ui/skeleton_section.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr float kRestBindThreshold = 1e-4f;  // see rig::rest_bind_difference()

std::string title_case(std::string name) {
  if (name.size() == 2 && (name[0] == 't' || name[0] == 's') && name[1] >= 'x' && name[1] <= 'z') {
    return std::string(1, static_cast<char>(std::toupper(static_cast<unsigned char>(name[1]))));
  }
  if (!name.empty()) {
    name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  }
  return name;
}

struct KindStyle {
  rig::DofKind kind;
  const char* title;
  float factor;
  const char* format;
};
constexpr KindStyle kKindStyles[] = {
    {rig::DofKind::kRotation, "Rotation", kDegreesPerRadian, "%.1f\u00b0"},
    {rig::DofKind::kTranslation, "Translation", 1.0f, "%.3f m"},
    {rig::DofKind::kScale, "Scale", 1.0f, "%.2f"},
};

std::string dof_help(const rig::Dof& dof, std::span<const float> marks) {
  std::string text = dof.kind == rig::DofKind::kRotation
                         ? fmt::format("{}: {:.0f}\u00b0 to {:.0f}\u00b0", dof.name, dof.lower * kDegreesPerRadian,
                                       dof.upper * kDegreesPerRadian)
                         : fmt::format("{}: {:.3g} to {:.3g}", dof.name, dof.lower, dof.upper);
  text += ". Shift snaps; double-click the number to type.";
  if (!marks.empty()) {
    text += marks.back() > 90 * kDegree
                ? " Marks at 60\u00b0 and 180\u00b0: linear blending does well up to the first and collapses towards "
                  "the second."
                : " Marks at 60\u00b0: linear blending does well up to there, and collapses towards half a turn.";
  }
  return text;
}

void draw_dof(int joint, int index, const rig::Dof& dof, float value, float base_value, const KindStyle& kind,
              Desk& desk) {
  const std::string joint_name = desk.character().skeleton->label(joint);
  const std::string name = fmt::format("dof.{}.{}", joint_name, dof.name);
  ImGui::PushID(index);
  const ImU32 ink = dof_color(dof);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = ImGui::GetFrameHeight();
  ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(at.x, at.y + desk.theme.px(5)),
                                            ImVec2(at.x + desk.theme.px(3), at.y + height - desk.theme.px(5)), ink,
                                            desk.theme.px(1));
  const float start = ImGui::GetCursorPosX();
  const float label_width = desk.theme.px(58);
  ImGui::SetCursorPosX(start + desk.theme.px(9));
  ImGui::AlignTextToFramePadding();
  clipped_text(title_case(dof.name), label_width - desk.theme.px(4));
  const std::vector<float> marks = edit::teaching_marks(desk.character(), dof);
  tip(dof_help(dof, marks));
  ImGui::SameLine(start + desk.theme.px(9) + label_width, 0);
  const float width = ImGui::GetContentRegionAvail().x - height - desk.theme.px(2);
  bool ended = false;
  bool reset = false;
  float wanted = value;
  const SliderStyle style{dof.lower, dof.upper, kind.factor, kind.format, ink, dof.default_value, marks};
  if (value_slider(desk, name.c_str(), wanted, style, width, ended, &reset)) {
    change_dof(desk, joint, index, wanted, name);
  }
  if (reset) {
    reset_dof(desk, joint, index, name);  // in one step with what the first click did
  }
  desk.requests.end_merge |= ended;
  ImGui::SameLine(0, desk.theme.px(2));
  const bool moved = std::abs(value - base_value) > 1e-5f;
  if (icon_button(desk, (name + ".reset").c_str(), icon::kReset, "Back to the base pose's value", false, moved)) {
    reset_dof(desk, joint, index, "");
  }
  ImGui::PopID();
}

// What changes the number after it was set, below its slider: else a knob that moves nothing looks broken.
void draw_driven(int joint, int index, const rig::Dof& dof, float now, const KindStyle& kind, Desk& desk) {
  const std::vector<edit::SliderDriver> drivers = edit::drivers_of_slider(desk.document(), joint, index);
  if (drivers.empty()) {
    return;
  }
  // The last one that replaces what is set decides; where none does, the last one moves it.
  const auto replacing = std::ranges::find_if(drivers.rbegin(), drivers.rend(), &edit::SliderDriver::replaces);
  const bool is_replaced = replacing != drivers.rend();
  const edit::SliderDriver& deciding = is_replaced ? *replacing : drivers.back();
  char value[32];
  ImFormatString(value, sizeof value, kind.format, static_cast<double>(now * kind.factor));
  std::string words =
      fmt::format("{}  {} {} by {}", icon::kChain, is_replaced ? "Driven to" : "Moved to", value, deciding.by);
  if (drivers.size() > 1) {
    words += fmt::format(" and {} more", drivers.size() - 1);
  }
  std::string help;
  for (const edit::SliderDriver& one : drivers) {
    std::string sentence = fmt::format("{}: {}", one.by, one.fate);
    sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
    help += (help.empty() ? "" : "\n") + sentence;
  }
  ImGui::Indent(desk.theme.px(9));
  wrapped_text(words, is_replaced ? color::kWarning : color::kTextDim);
  report_item(desk, fmt::format("dof.{}.{}.driven", desk.character().skeleton->label(joint), dof.name));
  tip(help);
  ImGui::Unindent(desk.theme.px(9));
}

void draw_euler_order(int joint, const rig::JointDofs& dofs, Desk& desk) {
  const std::optional<EulerOrder> order = rig::euler_order(dofs);
  if (!order) {
    return;
  }
  row_label(desk, "Order",
            "The order in which twist (X), side (Y) and bend (Z) are applied; the first letter turns first");
  int current = static_cast<int>(std::find(kEulerOrders.begin(), kEulerOrders.end(), *order) - kEulerOrders.begin());
  const auto label = [](int i) { return name_of(kEulerOrders[i]); };
  if (combo(desk, "pose.euler-order", static_cast<int>(kEulerOrders.size()), current, label)) {
    desk.change(edit::SetEulerOrder{joint, kEulerOrders[current]});
  }
}

void draw_sliders(int joint, Desk& desk) {
  const edit::Document& document = desk.document();
  const rig::JointDofs dofs = edit::joint_dofs(document, joint);
  const std::vector<float> values = edit::dof_values(document, joint);
  const rig::Pose base = edit::evaluate_base_pose(document);
  const std::vector<float> base_values = rig::dofs_from_local(dofs, base.local[joint], values);
  if (dofs.dofs.empty()) {
    dim_text("This joint is fixed");
    return;
  }
  const bool is_posed = desk.scene.pose != nullptr && has_index(desk.scene.pose->local, joint);
  const std::vector<float> now = is_posed ? rig::dofs_from_local(dofs, desk.scene.pose->local[joint], values) : values;
  for (const KindStyle& kind : kKindStyles) {
    const auto of_kind = [&](const rig::Dof& dof) { return dof.kind == kind.kind; };
    if (std::none_of(dofs.dofs.begin(), dofs.dofs.end(), of_kind)) {
      continue;
    }
    const bool open = kind.kind == rig::DofKind::kRotation ||
                      (dofs.authored && std::any_of(dofs.dofs.begin(), dofs.dofs.end(),
                                                    [&](const rig::Dof& dof) { return of_kind(dof) && !dof.folded; }));
    ImGui::PushID(static_cast<int>(kind.kind));
    if (section(desk, kind.title, open)) {
      for (int i = 0; i < static_cast<int>(dofs.dofs.size()); ++i) {
        const std::size_t slot = i;
        if (of_kind(dofs.dofs[slot])) {
          draw_dof(joint, i, dofs.dofs[slot], values[slot], base_values[slot], kind, desk);
          draw_driven(joint, i, dofs.dofs[slot], now[slot], kind, desk);
        }
      }
      if (kind.kind == rig::DofKind::kRotation) {
        draw_euler_order(joint, dofs, desk);
      }
    }
    ImGui::PopID();
  }
}

void draw_resets(PosePanel& panel, Desk& desk) {
  if (!section(desk, "Reset")) {
    return;
  }
  constexpr const char* kScopes[] = {"Joint", "And below", "All joints"};
  int scope = static_cast<int>(panel.scope);
  row_label(desk, "What");
  if (segmented(desk, "pose.reset-scope", kScopes, scope)) {
    panel.scope = static_cast<edit::ResetScope>(scope);
  }
  row_label(desk, "To", "Rest: the file's own pose. Bind: where the skin was bound. Zero: every slider at its default");
  const float width = (ImGui::GetContentRegionAvail().x - 2 * ImGui::GetStyle().ItemInnerSpacing.x) / 3;
  const int selected = desk.document().view.selected_joint();
  ImGui::BeginDisabled(selected < 0 && panel.scope != edit::ResetScope::kAll);
  struct Target {
    const char* label;
    const char* name;
    edit::ResetTo to;
  };
  constexpr Target kTargets[] = {{"Rest", "pose.reset.rest", edit::ResetTo::kRest},
                                 {"Bind", "pose.reset.bind", edit::ResetTo::kBind},
                                 {"Zero", "pose.reset.zero", edit::ResetTo::kZero}};
  for (const Target& target : kTargets) {
    if (&target != kTargets) {
      ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
    }
    if (ImGui::Button(target.label, ImVec2(std::floor(width), 0))) {
      reset_selected(desk, panel.scope, target.to);
    }
    report_item(desk, target.name);
  }
  ImGui::EndDisabled();
}

// Towards a reference and away from it. The slider goes back to its middle when it is let go.
void draw_breakdown(PosePanel& panel, Desk& desk) {
  if (!section(desk, "Relax and exaggerate")) {
    return;
  }
  constexpr const char* kReferences[] = {"Before posing", "Rest", "Bind", "Zero"};
  int reference = static_cast<int>(panel.breakdown_to);
  row_label(desk, "Against", "Before posing: what base pose and clip say at this time");
  const auto name = [&](int i) { return std::string(kReferences[i]); };
  if (combo(desk, "pose.breakdown-to", static_cast<int>(std::size(kReferences)), reference, name)) {
    panel.breakdown_to = static_cast<edit::ResetTo>(reference);
  }
  const std::vector<int>& joints = desk.document().view.selected_joints;
  ImGui::BeginDisabled(joints.empty() && panel.scope != edit::ResetScope::kAll);
  row_label(desk, "Pose",
            "To the left it relaxes towards the reference, to the right it goes further away from it. For "
            "the joints that Reset is about: joint, and below, or all");
  SliderStyle style{.lower = -1, .upper = 1};
  style.factor = 100;
  style.format = "%+.0f %%";
  bool ended = false;
  bool reset = false;
  float share = panel.breakdown;
  if (value_slider(desk, "pose.breakdown", share, style, ImGui::GetContentRegionAvail().x, ended, &reset) && !reset) {
    if (panel.breakdown_from.empty()) {
      panel.breakdown_from = edit::posed_joints(desk.document(), joints, panel.scope);
      panel.breakdown_against = edit::in_reference(desk.document(), panel.breakdown_from, panel.breakdown_to);
    }
    panel.breakdown = std::clamp(share, -1.0f, 1.0f);
    desk.change(edit::BreakDownPose{panel.breakdown_from, panel.breakdown_to, panel.breakdown, panel.breakdown_against},
                "breakdown");
  }
  if (ended || desk.workspace.escape || !ImGui::IsAnyItemActive()) {
    desk.requests.end_merge |= ended;
    panel.breakdown_from.clear();
    panel.breakdown = 0;
  }
  ImGui::EndDisabled();
}

void draw_mirror(PosePanel& panel, Desk& desk) {
  if (!section(desk, "Mirror")) {
    return;
  }
  constexpr const char* kScopes[] = {"Limb", "All joints"};
  int scope = panel.mirror_limb ? 0 : 1;
  row_label(desk, "What",
            "Limb: the selected joint, what hangs below and both their partners; without a selection all joints. Only "
            "what was posed is mirrored, what the clip moves goes on as it is");
  if (segmented(desk, "pose.mirror-scope", kScopes, scope)) {
    panel.mirror_limb = scope == 0;
  }
  struct Way {
    const char* label;
    const char* name;
    const char* help;
    edit::MirrorDirection direction;
  };
  constexpr Way kWays[] = {
      {"L \u2192 R", "pose.mirror.left-to-right", "The right side takes the pose of the left, mirrored",
       edit::MirrorDirection::kLeftToRight},
      {"R \u2192 L", "pose.mirror.right-to-left", "The left side takes the pose of the right, mirrored",
       edit::MirrorDirection::kRightToLeft},
      {"Swap", "pose.mirror.swap", "Both sides exchange their poses, mirrored", edit::MirrorDirection::kSwap}};
  const float width =
      std::floor((ImGui::GetContentRegionAvail().x - 2 * ImGui::GetStyle().ItemInnerSpacing.x) / std::size(kWays));
  for (const Way& way : kWays) {
    if (&way != kWays) {
      ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
    }
    if (ImGui::Button(way.label, ImVec2(width, 0))) {
      desk.change(mirror_change(desk, way.direction));
    }
    report_item(desk, way.name);
    tip(way.help);
  }
  bool symmetric = desk.document().view.symmetric_posing;
  if (checkbox(desk, "pose.symmetric", "Symmetric posing", symmetric,
               "What is posed on one side from now on, by slider, ring, handle or limb, is posed on the other as well; "
               "the joint that is moved decides")) {
    desk.requests.symmetric_posing = symmetric;
  }
}

void draw_whole_pose(Desk& desk) {
  if (!section(desk, "Whole pose")) {
    return;
  }
  constexpr const char* kBases[] = {"Rest", "Bind", "Zero"};
  int base = static_cast<int>(desk.document().content.base);
  row_label(desk, "Starts from", "The pose of every joint that no slider and no clip moves");
  if (segmented(desk, "pose.base", kBases, base)) {
    desk.change(edit::SetBasePose{static_cast<edit::BasePose>(base)});
  }
  const std::size_t posed = desk.document().content.overrides->size();
  row_label(desk, "Posed");
  ImGui::AlignTextToFramePadding();
  text(posed == 0 ? "no joint" : posed == 1 ? "1 joint" : fmt::format("{} joints", posed));
  const float spacing = ImGui::GetStyle().ItemInnerSpacing.x;
  const float width = std::floor((ImGui::GetContentRegionAvail().x - spacing) / 2);
  if (ImGui::Button(fmt::format("{}  Open\u2026", icon::kFolderOpen).c_str(), ImVec2(width, 0))) {
    open(desk.workspace.browser, BrowserPurpose::kOpenPose, desk);
  }
  report_item(desk, "pose.open");
  ImGui::SameLine(0, spacing);
  if (ImGui::Button(fmt::format("{}  Save\u2026", icon::kSave).c_str(), ImVec2(width, 0))) {
    open(desk.workspace.browser, BrowserPurpose::kSavePose, desk);
  }
  report_item(desk, "pose.save");
}

// What a pose does to a mesh without a skin: weights that are only tried bend it in the picture.
std::string why_unbound(const Desk& desk) {
  if (const std::string tried = candidate_in_picture(desk); !tried.empty()) {
    return fmt::format("The mesh is not bound to joints yet. The picture shows it with the weights of \"{}\".", tried);
  }
  if (desk.workspace.previewed == kBindSubject) {
    return "The mesh is being bound to joints. The picture shows the weights so far.";
  }
  return "The mesh is not bound to joints yet: no pose bends it.";
}

}  // namespace

edit::MirrorPose mirror_change(const Desk& desk, edit::MirrorDirection direction) {
  return {direction,
          desk.workspace.panel<PosePanel>().mirror_limb ? desk.document().view.selected_joints : std::vector<int>()};
}

void draw(PosePanel& panel, Desk& desk) {
  const edit::Document& document = desk.document();
  const rig::Character& character = *document.character;
  if (!panel.skeleton.is(character.skeleton) || !panel.skins.is(character.skins)) {
    panel.skeleton = character.skeleton;
    panel.skins = character.skins;
    panel.rest_bind_difference = character.skins.empty() ? 0 : rig::rest_bind_difference(character);
  }
  // Several nodes with meshes, or one with clips, may be a machine that moves without a skin.
  if (is_bare(document) && character.clips.empty() && character.mesh_nodes.size() == 1) {
    wrapped_text(why_unbound(desk), color::kTextDim);
    if (ImGui::Button(fmt::format("{}  {}", icon::kWeights,
                                  placeable_joints(document).empty() ? "Put in a skeleton, bind" : "Bind it")
                          .c_str(),
                      ImVec2(ImGui::GetContentRegionAvail().x, 0))) {
      show_tab(desk.workspace, kBindTab);
    }
    report_item(desk, "pose.bind");
    tip("The Bind tab of the mode Weights");
  }
  if (panel.rest_bind_difference > kRestBindThreshold) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float pad = desk.theme.px(8);
    const std::string message = fmt::format("{}  The rest pose is not the bind pose", icon::kInfo);
    const std::string lines = in_lines(message, width - 2 * pad);
    const float height = ImGui::CalcTextSize(lines.c_str()).y + 2 * desk.theme.px(5);
    ImGui::GetWindowDrawList()->AddRectFilled(at, ImVec2(at.x + width, at.y + height), faded(color::kAccentSoft, 0.45f),
                                              ImGui::GetStyle().FrameRounding);
    ImGui::SetCursorScreenPos(ImVec2(at.x + pad, at.y + desk.theme.px(5)));
    text(lines);
    tip(fmt::format(
        "Skin matrices in the rest pose differ from identity by {:.3g} of the character's size. Resetting to "
        "\"Bind\" shows the mesh as it is stored.",
        panel.rest_bind_difference));
    ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + height));
    ImGui::Dummy(ImVec2(width, desk.theme.px(4)));
  }
  draw_joint_choice(panel.filter, desk);
  const int joint = document.view.selected_joint();
  if (joint < 0) {
    ImGui::Spacing();
    wrapped_text("Click a joint in the tree, or a part of the character in the viewport, and its sliders appear here.",
                 color::kTextDim);
  } else {
    draw_sliders(joint, desk);
    draw_joint_matrices(panel.matrices, desk);
  }
  draw_selection_section(desk.workspace.panel<SelectionSection>(), desk);
  draw_resets(panel, desk);
  draw_breakdown(panel, desk);
  draw_mirror(panel, desk);
  draw_whole_pose(desk);
}

}  // namespace pelt::ui
