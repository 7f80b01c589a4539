#include "ui/joints_panel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "core/text.h"
#include "edit/commands.h"
#include "rig/character_parts.h"
#include "rig/joint_types.h"
#include "ui/axis_fields.h"
#include "ui/icons.h"
#include "ui/joint_choice.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr float kTurn = 2 * std::numbers::pi_v<float>;

std::string degrees(float radians) {
  return fmt::format("{:.0f}\u00b0", radians * kDegreesPerRadian);
}

void give(int joint, rig::JointDofs dofs, const std::string& merge_key, Desk& desk) {
  dofs.authored = true;
  desk.change(edit::SetJointSliders{joint, std::move(dofs)}, merge_key);
}

glm::vec3 bone_of(const Desk& desk, int joint) {
  return rig::bone_direction(desk.character().skeleton, joint);
}

void draw_type(int joint, const rig::JointDofs& dofs, Desk& desk) {
  if (!section(desk, "Type")) {
    return;
  }
  const std::optional<rig::JointMotion> motion = rig::joint_type(dofs);
  rig::JointMotion wished = motion.value_or(rig::JointMotion{});
  int type = motion ? static_cast<int>(motion->type) : -1;
  row_label(desk, "Joint type", "How many axes it turns about: none, one, two, three by Euler angles, or any");
  ImGui::SetNextItemWidth(-1);
  const auto label = [](int i) {
    std::string name(rig::name_of(static_cast<rig::JointType>(i)));
    name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
    return name;
  };
  bool changed = combo(desk, "joints.type", rig::kJointTypeCount, type, label, motion ? "" : "None of the usual");
  wished.type = static_cast<rig::JointType>(std::max(0, type));
  row_label(desk, "");
  changed |= checkbox(desk, "joints.translates", "Translates", wished.translates, "It has sliders for its place");
  // Beside it where there is room.
  const float needed = ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x + ImGui::CalcTextSize("Scales").x;
  ImGui::SameLine(0, desk.theme.px(14));
  if (ImGui::GetContentRegionAvail().x < needed) {
    ImGui::NewLine();
    row_label(desk, "");
  }
  changed |= checkbox(desk, "joints.scales", "Scales", wished.scales, "It has sliders for its size");
  if (changed) {
    give(joint, rig::change_type(dofs, wished, bone_of(desk, joint)), "", desk);
  }
  number_line(desk, "Source", dofs.authored ? "the file, or edited here" : "default: the usual sliders of a joint");
}

struct LimitStyle {
  float reach;     ///< of the track, from -reach to reach
  float furthest;  ///< that the number goes, either way
  float factor;
  const char* format;
};
LimitStyle limit_style(const rig::Dof& dof, const Desk& desk) {
  switch (dof.kind) {
    case rig::DofKind::kRotation:
      return {kTurn / 2, 100 * kTurn, kDegreesPerRadian, "%.0f\u00b0"};
    case rig::DofKind::kTranslation:
      return {std::max({1e-3f, desk.scene.bounds.diagonal(), std::abs(dof.lower), std::abs(dof.upper)}), 1e9f, 1,
              "%.3f m"};
    case rig::DofKind::kScale:
      break;
  }
  return {std::max(10.0f, std::abs(dof.upper)), 1e6f, 1, "%.2f"};
}

// The track holds the value, wherever a number has put it. While it is dragged the range must stay, or the value would
// run away under the pointer.
SliderStyle limit_track(JointsPanel& panel, const rig::Dof& dof, const std::string& name, float value,
                        const Desk& desk) {
  const LimitStyle style = limit_style(dof, desk);
  const float lowest = dof.kind == rig::DofKind::kScale ? 0.0f : -style.reach;
  const bool is_held = panel.held.slider == name && panel.held.press == desk.workspace.presses && ImGui::IsMouseDown(0);
  if (!is_held && panel.held.slider == name) {
    panel.held = {};
  }
  return {.lower = is_held ? panel.held.lower : std::min(lowest, value),
          .upper = is_held ? panel.held.upper : std::max(style.reach, value),
          .factor = style.factor,
          .format = style.format,
          .color = dof_color(dof),
          .origin = dof.default_value,
          .number = glm::vec2(-style.furthest, style.furthest)};
}

// One number of a DOF. A limit pushes the other one before it, and both the default value.
void draw_limit(JointsPanel& panel, int joint, const rig::JointDofs& dofs, std::size_t index, bool is_upper,
                Desk& desk) {
  const rig::Dof& dof = dofs.dofs[index];
  float value = is_upper ? dof.upper : dof.lower;
  const std::string name = fmt::format("joints.{}.{}", dof.name, is_upper ? "upper" : "lower");
  bool ended = false;
  const SliderStyle look = limit_track(panel, dof, name, value, desk);
  row_label(desk, is_upper ? "to" : "from");
  if (value_slider(desk, name.c_str(), value, look, ImGui::GetContentRegionAvail().x, ended)) {
    panel.held = {desk.workspace.presses, name, look.lower, look.upper};
    rig::JointDofs wanted = dofs;
    rig::Dof& changed = wanted.dofs[index];
    (is_upper ? changed.upper : changed.lower) = value;
    changed.lower = is_upper ? std::min(changed.lower, value) : value;
    changed.upper = is_upper ? value : std::max(changed.upper, value);
    changed.default_value = std::clamp(changed.default_value, changed.lower, changed.upper);
    give(joint, std::move(wanted), name, desk);
  }
  desk.requests.end_merge |= ended;
}

void draw_name(JointsPanel& panel, int joint, const rig::JointDofs& dofs, std::size_t index, float width, Desk& desk) {
  const rig::Dof& dof = dofs.dofs[index];
  const bool typing = panel.naming == static_cast<int>(index);
  std::string text = typing ? panel.name : dof.name;
  ImGui::SetNextItemWidth(width);
  const bool given = ImGui::InputText("##name", &text, ImGuiInputTextFlags_EnterReturnsTrue);
  report_item(desk, fmt::format("joints.{}.name", dof.name));
  if (ImGui::IsItemActive()) {
    panel.naming = static_cast<int>(index);
    panel.name = text;
  }
  const bool left = ImGui::IsItemDeactivated();
  if ((given || left) && !text.empty() && text != dof.name && !desk.workspace.escape) {
    rig::JointDofs wanted = dofs;
    wanted.dofs[index].name = text;
    if (const Status sound = edit::check_sliders(wanted); sound) {
      give(joint, std::move(wanted), "", desk);
    } else {
      desk.workspace.error = Notice{Severity::kError, sound.error().message, desk.scene.now};
    }
  }
  if (left) {
    panel.naming = -1;
  }
}

// Which of the joint's rotations is applied first; they exchange their places, with axes and limits.
void draw_order(int joint, const rig::JointDofs& dofs, std::size_t index, Desk& desk) {
  const bool turns = dofs.dofs[index].kind == rig::DofKind::kRotation && dofs.rotation == rig::RotationKind::kAxes;
  const bool movable = turns && index > 0 && dofs.dofs[index - 1].kind == rig::DofKind::kRotation;
  const std::string name = fmt::format("joints.{}.earlier", dofs.dofs[index].name);
  if (icon_button(desk, name.c_str(), icon::kUp, "Applied earlier: it exchanges its place with the one above", false,
                  movable)) {
    rig::JointDofs wanted = dofs;
    std::swap(wanted.dofs[index], wanted.dofs[index - 1]);
    give(joint, std::move(wanted), "", desk);
  }
}

void draw_dofs(JointsPanel& panel, int joint, const rig::JointDofs& dofs, Desk& desk) {
  if (!section(desk, "Degrees of freedom")) {
    return;
  }
  if (dofs.dofs.empty()) {
    dim_text("This joint is fixed");
  }
  const float side = ImGui::GetFrameHeight();
  for (std::size_t i = 0; i < dofs.dofs.size(); ++i) {
    const rig::Dof& dof = dofs.dofs[i];
    ImGui::PushID(static_cast<int>(i));
    const float width = ImGui::GetContentRegionAvail().x - 2 * (side + desk.theme.px(2));
    draw_name(panel, joint, dofs, i, width, desk);
    ImGui::SameLine(0, desk.theme.px(2));
    draw_order(joint, dofs, i, desk);
    ImGui::SameLine(0, desk.theme.px(2));
    const glm::vec3 turned = dof.kind == rig::DofKind::kRotation ? glm::vec3(-dof.axis) : dof.axis;
    if (icon_button(desk, fmt::format("joints.{}.flip", dof.name).c_str(), icon::kPingPong,
                    "The other way round: axis, limits and default value change their sign", false,
                    dof.kind == rig::DofKind::kRotation && dofs.rotation == rig::RotationKind::kAxes)) {
      rig::JointDofs wanted = dofs;
      rig::Dof& flipped = wanted.dofs[i];
      flipped.axis = turned;
      flipped.lower = -dof.upper;
      flipped.upper = -dof.lower;
      flipped.default_value = -dof.default_value;
      give(joint, std::move(wanted), "", desk);
    }
    draw_axis(panel, joint, dofs, i, desk);
    draw_limit(panel, joint, dofs, i, false, desk);
    draw_limit(panel, joint, dofs, i, true, desk);
    ImGui::Spacing();
    ImGui::PopID();
  }
  if (dofs.count(rig::DofKind::kRotation) == 3) {
    row_label(desk, "Swing", "How far the bone may lean away from its axis, in any direction: a cone");
    bool limited = dofs.swing_limit.has_value();
    rig::JointDofs wanted = dofs;
    if (checkbox(desk, "joints.swing-limited", "limited", limited)) {
      wanted.swing_limit = limited ? std::optional(kTurn / 4) : std::nullopt;
      give(joint, std::move(wanted), "", desk);
    } else if (limited) {
      float value = *dofs.swing_limit;
      bool ended = false;
      row_label(desk, "to");
      const SliderStyle look{.lower = 0, .upper = kTurn / 2, .factor = kDegreesPerRadian, .format = "%.0f\u00b0"};
      if (value_slider(desk, "joints.swing", value, look, ImGui::GetContentRegionAvail().x, ended)) {
        wanted.swing_limit = value;
        give(joint, std::move(wanted), "joints.swing", desk);
      }
      desk.requests.end_merge |= ended;
    }
  }
}

std::string learned_text(const rig::Dof& dof, const rig::LearnedDof& learned) {
  if (learned.confidence <= 0) {
    return "not moved";
  }
  const bool turns = dof.kind == rig::DofKind::kRotation;
  return turns ? fmt::format("{} to {}", degrees(learned.lower), degrees(learned.upper))
               : fmt::format("{:.3g} to {:.3g}", learned.lower, learned.upper);
}

// Takes the limits of the selected joints, or says how far that has come.
void draw_taking(LimitLearning& learning, Desk& desk) {
  const float width = ImGui::GetContentRegionAvail().x;
  if (const auto row = learning.collecting ? learning.collecting->row() : std::nullopt) {
    const float button = std::min(desk.theme.px(72), width / 2);
    bar(desk, row->fraction, color::kAccent, width - button - desk.theme.px(4),
        row->what.empty() ? "Looking at the clips" : row->what);
    ImGui::SameLine(0, desk.theme.px(4));
    if (ImGui::Button("Cancel###take", ImVec2(button, 0))) {
      learning.collecting->cancel();
    }
    report_item(desk, "joints.take-cancel");
    return;
  }
  const std::size_t count = desk.document().view.selected_joints.size();
  const std::string label =
      count > 1 ? fmt::format("Take the limits for {} joints###take", count) : std::string("Take these limits###take");
  if (ImGui::Button(label.c_str(), ImVec2(width, 0))) {
    take_limits(learning, desk);
  }
  report_item(desk, "joints.take-limits");
  tip("Limits that the clips tell with a confidence of at least 50 %");
}

// "a hinge", "fixed"
std::string article_of(rig::JointType type) {
  const std::string_view name = rig::name_of(type);
  switch (type) {
    case rig::JointType::kFixed:
      return std::string(name);
    case rig::JointType::kUniversal:
      return fmt::format("a {} joint", name);
    default:
      return fmt::format("a {}", name);
  }
}

void draw_recognised(const ClipLook& look, int joint, const rig::JointDofs& dofs, Desk& desk) {
  const rig::JointRecognition& found = *look.findings->recognised;
  const std::string kind(rig::name_of(found.motion.type));
  number_line(
      desk, "It moves as",
      found.motion.type == rig::JointType::kHinge
          ? fmt::format("{}, {:.1f}\u00b0 off its axis", kind, found.residual * static_cast<double>(kDegreesPerRadian))
          : kind);
  rig::JointDofs wanted = look.current ? rig::recommended_dofs(found, dofs, bone_of(desk, joint)) : dofs;
  ImGui::BeginDisabled(rig::equal(wanted, dofs));
  if (ImGui::Button(fmt::format("Make it {}###recognised", article_of(found.motion.type)).c_str(),
                    ImVec2(ImGui::GetContentRegionAvail().x, 0))) {
    give(joint, std::move(wanted), "", desk);
  }
  report_item(desk, "joints.make-recognised");
  ImGui::EndDisabled();
}

void draw_clips(JointsPanel& panel, int joint, const rig::JointDofs& dofs, Desk& desk) {
  if (!section(desk, "What the clips show", !desk.character().clips.empty())) {
    return;
  }
  if (desk.character().clips.empty()) {
    dim_text("There are no clips");
    return;
  }
  const ClipLook look = look_at_clips(panel.learning, joint, dofs, desk);
  const JointFindings* findings = look.findings;
  if (findings == nullptr && panel.learning.looking->failed()) {
    dim_text("There is not enough memory to look at them");
    return;
  }
  for (std::size_t i = 0; i < dofs.dofs.size(); ++i) {
    const rig::LearnedDof learned = findings != nullptr ? findings->limits.dofs[i] : rig::LearnedDof{};
    row_label(desk, dofs.dofs[i].name.c_str(),
              findings == nullptr
                  ? std::string("The clips are being looked at")
                  : fmt::format("Confidence {:.0f} %: {:.0f} % of the motion lies within limits learned without it, "
                                "{:.1f} sweeps from end to end",
                                100 * learned.confidence, 100 * learned.coverage, learned.sweeps));
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + ImGui::GetStyle().FramePadding.y);  // beside its label
    bar(desk, learned.confidence, learned.confidence >= rig::kTrustedConfidence ? color::kGood : color::kWarning,
        ImGui::GetContentRegionAvail().x, findings != nullptr ? learned_text(dofs.dofs[i], learned) : "\u2026");
  }
  draw_taking(panel.learning, desk);
  if (findings != nullptr && findings->recognised) {
    draw_recognised(look, joint, dofs, desk);
  }
}

const std::vector<int>& partners(JointsPanel& panel, const rig::Skeleton& skeleton) {
  if (panel.partners.names != skeleton.name) {
    panel.partners = {skeleton.name, rig::mirrored_joints(skeleton)};
  }
  return panel.partners.of;
}

void draw_other_side(JointsPanel& panel, int joint, Desk& desk) {
  if (!section(desk, "Other side")) {
    return;
  }
  const rig::Skeleton& skeleton = desk.character().skeleton;
  const std::vector<int>& partner_of = partners(panel, skeleton);
  const int partner = partner_of[joint];
  if (partner == joint) {
    dim_text("Its name tells no side");
  } else if (partner < 0) {
    dim_text("There is no such joint on the other side");
  } else if (partner_of[partner] != joint) {
    wrapped_text(
        fmt::format("{} is the other side of another joint with this name", printable(skeleton.label(partner))),
        color::kTextDim);
  } else {
    const float width = ImGui::GetContentRegionAvail().x;
    const std::string label =
        fmt::format("{}  Copy to {}###mirror", icon::kPingPong, printable(skeleton.label(partner)));
    if (ImGui::Button(fitted(label, width).c_str(), ImVec2(width, 0))) {
      give(partner, rig::mirrored_dofs(desk.character(), joint, partner, edit::joint_dofs(desk.document(), joint)), "",
           desk);
    }
    report_item(desk, "joints.copy-to-other-side");
  }
}

}  // namespace

void draw(JointsPanel& panel, Desk& desk) {
  draw_joint_choice(panel.filter, desk);
  const int joint = desk.document().view.selected_joint();
  if (joint < 0) {
    ImGui::Spacing();
    wrapped_text(
        "Select a joint: which degrees of freedom it has, how far each goes, and what the clips tell of that. The "
        "limits are drawn as arcs in the picture.",
        color::kTextDim);
    return;
  }
  const rig::JointDofs dofs = edit::joint_dofs(desk.document(), joint);
  ImGui::PushID(joint);
  draw_type(joint, dofs, desk);
  draw_clips(panel, joint, dofs, desk);
  draw_other_side(panel, joint, desk);
  draw_dofs(panel, joint, dofs, desk);  // may be long
  ImGui::PopID();
}

}  // namespace pelt::ui
