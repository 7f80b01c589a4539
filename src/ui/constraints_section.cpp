#include "ui/constraints_section.h"

#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "core/text.h"
#include "edit/commands.h"
#include "ui/icons.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

using motion::Constraint;
using motion::ConstraintKindInfo;

const ConstraintKindInfo& info_of(const Constraint& constraint) {
  return motion::constraint_kinds()[static_cast<std::size_t>(constraint.kind)];
}

template <typename Edit>
edit::SetConstraints changed_constraints(const Desk& desk, std::size_t number, const Edit& change) {
  edit::SetConstraints out{desk.document().content.behaviour->constraints};
  change(out.constraints[number]);
  return out;
}

template <typename Edit>
void constraint_slider(std::size_t c, const std::string& widget, const char* label, const char* help, float now,
                       const SliderStyle& style, const Edit& set, Desk& desk) {
  row_label(desk, label, help);
  float value = now;
  bool ended = false;
  if (value_slider(desk, widget.c_str(), value, style, ImGui::GetContentRegionAvail().x, ended)) {
    desk.change(changed_constraints(desk, c, [&](Constraint& changed) { set(changed, value); }), widget);
  }
  desk.requests.end_merge |= ended;
}

// Which axes of the world it follows.
void draw_world_axes(std::size_t c, const Constraint& constraint, const std::string& name, Desk& desk) {
  constexpr std::array kNames = {"x", "y", "z"};
  row_label(desk, "Axes", "Axes of the world along which it follows");
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    bool on = constraint.axes[i];
    if (i > 0) {
      ImGui::SameLine(0, desk.theme.px(10));
    }
    if (checkbox(desk, fmt::format("{}.{}", name, kNames[i]).c_str(), kNames[i], on)) {
      desk.change(changed_constraints(desk, c, [&](Constraint& changed) { changed.axes[i] = on; }));
    }
  }
}

// An axis of the joint, of six.
void draw_joint_axis(std::size_t c, const Constraint& constraint, const std::string& name, Desk& desk) {
  constexpr std::array kNames = {"+x", "+y", "+z", "-x", "-y", "-z"};
  const auto axis_of = [](int choice) {
    glm::vec3 axis(0.0f);
    axis[choice % 3] = choice < 3 ? 1.0f : -1.0f;
    return axis;
  };
  int current = -1;
  for (int choice = 0; choice < 6; ++choice) {
    current = glm::dot(axis_of(choice), constraint.axis) > 0.999f ? choice : current;
  }
  row_label(desk, "Axis", "The axis of the joint");
  const auto axis_label = [&](int choice) { return std::string(kNames[static_cast<std::size_t>(choice)]); };
  const glm::vec3& axis = constraint.axis;
  if (combo(desk, (name + ".axis").c_str(), 6, current, axis_label,
            current < 0 ? fmt::format("{:.2f}, {:.2f}, {:.2f}", axis.x, axis.y, axis.z) : std::string())) {
    desk.change(changed_constraints(desk, c, [&](Constraint& changed) { changed.axis = axis_of(current); }));
  }
}

void draw_constraint_numbers(std::size_t c, const Constraint& constraint, const std::string& name, Desk& desk) {
  ImGui::Indent(desk.theme.px(12));
  constraint_slider(
      c, name + ".weight", "Weight", "0: the pose as it is, 1: all of what the constraint says", constraint.weight,
      {.origin = 1}, [](Constraint& changed, float value) { changed.weight = value; }, desk);
  if (info_of(constraint).has_axes) {
    draw_world_axes(c, constraint, name, desk);
  }
  if (info_of(constraint).has_axis) {
    draw_joint_axis(c, constraint, name, desk);
  }
  if (constraint.kind == motion::ConstraintKind::kFloor) {
    constraint_slider(
        c, name + ".height", "Height", "Of the plane, along the world's y axis", constraint.height,
        {.lower = -1, .upper = 1, .format = "%.3f m", .number = glm::vec2(-1000, 1000)},
        [](Constraint& changed, float value) { changed.height = value; }, desk);
  }
  ImGui::Unindent(desk.theme.px(12));
}

// @returns whether the list is as long as before
bool draw_constraint(std::size_t c, const std::string& fault, Desk& desk) {
  const Constraint& constraint = desk.document().content.behaviour->constraints[c];
  const std::string name = fmt::format("constraints.{}", c);
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - ImGui::GetFrameHeight();
  const std::string what = info_of(constraint).has_target
                               ? fmt::format("{}: {} \u2192 {}", info_of(constraint).label,
                                             printable(constraint.joint, 24), printable(constraint.target, 24))
                               : fmt::format("{}: {}", info_of(constraint).label, printable(constraint.joint, 24));
  bool on = constraint.on;
  const float width = right - ImGui::GetCursorPosX() - ImGui::GetFrameHeight() - desk.theme.px(8);
  if (checkbox(desk, name.c_str(), fitted(what, width).c_str(), on, what + ". " + info_of(constraint).help)) {
    desk.change(changed_constraints(desk, c, [on](Constraint& changed) { changed.on = on; }));
  }
  ImGui::SameLine(right, 0);
  if (icon_button(desk, (name + ".remove").c_str(), icon::kClose, "Remove this constraint")) {
    edit::SetConstraints change{desk.document().content.behaviour->constraints};
    change.constraints.erase(change.constraints.begin() + static_cast<std::ptrdiff_t>(c));
    desk.change(std::move(change));
    return false;
  }
  if (!fault.empty()) {
    wrapped_text(fault, severity_color(static_cast<int>(Severity::kError)));
  }
  if (on) {
    draw_constraint_numbers(c, constraint, name, desk);
  }
  return true;
}

// Those that the character's file has: their weights alone are ours to change.
void draw_file_constraints(Desk& desk) {
  constexpr std::array kKinds = {"Roll", "Aim", "Rotation"};
  const rig::Skeleton& skeleton = desk.character().skeleton;
  for (std::size_t c = 0; c < desk.character().constraints.size(); ++c) {
    const rig::NodeConstraint& constraint = desk.character().constraints[c];
    const std::string what =
        fmt::format("{}: {} \u2192 {}", kKinds[static_cast<std::size_t>(constraint.kind)],
                    printable(skeleton.label(constraint.joint), 24), printable(skeleton.label(constraint.source), 24));
    ImGui::PushID(static_cast<int>(c));
    dim_text(fitted(what, ImGui::GetContentRegionAvail().x));
    tip(what + ". From the character's file");
    ImGui::Indent(desk.theme.px(12));
    const std::string name = fmt::format("constraints.file.{}.weight", c);
    row_label(desk, "Weight", "0: the joint's rest, 1: all of what the constraint says");
    float weight = constraint.weight;
    bool ended = false;
    if (value_slider(desk, name.c_str(), weight, {.origin = 1}, ImGui::GetContentRegionAvail().x, ended)) {
      desk.change(edit::SetFileConstraintWeight{static_cast<int>(c), weight}, name);
    }
    desk.requests.end_merge |= ended;
    ImGui::Unindent(desk.theme.px(12));
    ImGui::PopID();
  }
}

void draw_constraint_adding(ConstraintsSection& state, Desk& desk) {
  const std::vector<int>& selected = desk.document().view.selected_joints;
  const rig::Skeleton& skeleton = desk.character().skeleton;
  row_label(desk, "New", "What a new constraint does");
  const auto kind_label = [](int kind) {
    return std::string(motion::constraint_kinds()[static_cast<std::size_t>(kind)].label);
  };
  combo(desk, "constraints.kind", static_cast<int>(motion::constraint_kinds().size()), state.kind, kind_label);
  const ConstraintKindInfo& kind = motion::constraint_kinds()[static_cast<std::size_t>(state.kind)];
  tip(kind.help);
  const std::size_t needed = kind.has_target ? 2 : 1;
  if (selected.size() < needed) {
    wrapped_text(kind.has_target ? "Select what is followed, then with Ctrl the joint that follows."
                                 : "Select the joint that stays above the floor.",
                 color::kTextDim);
    return;
  }
  checkbox(desk, "constraints.keep", "Keep offset", state.keep_offset,
           kind.has_target ? "The joint stays where it is now; else it goes to the target"
                           : "The floor is as high as the joint at rest; else at 0");
  const int joint = selected.back();
  const int target = kind.has_target ? selected[selected.size() - 2] : -1;
  const edit::SetConstraints change =
      edit::with_constraint(desk.document(), kind.kind, joint, target, state.keep_offset);
  const std::string why = edit::refusal(desk.document(), change);
  const std::string label = kind.has_target ? fmt::format("{} follows {}", printable(skeleton.label(joint), 30),
                                                          printable(skeleton.label(target), 30))
                                            : fmt::format("Floor for {}", printable(skeleton.label(joint), 30));
  ImGui::BeginDisabled(!why.empty());
  if (ImGui::Button(
          (fitted(label, ImGui::GetContentRegionAvail().x - desk.theme.px(16)) + "###constraints.add").c_str(),
          ImVec2(-1, 0))) {
    desk.change(change);
  }
  ImGui::EndDisabled();
  report_item(desk, "constraints.add");
  tip(why.empty() ? label : why);
}

}  // namespace

void draw(ConstraintsSection& state, Desk& desk) {
  ImGui::PushID("constraints");
  wrapped_text(
      "A constraint lets a joint follow others. Constraints work after posing, clips and drivers, and before springs.",
      color::kTextDim);
  draw_file_constraints(desk);
  const std::vector<Constraint>& constraints = desk.document().content.behaviour->constraints;
  const motion::ConstraintRig rig = motion::make_constraint_rig(desk.character(), constraints);
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    ImGui::PushID(static_cast<int>(c));
    const bool is_whole = draw_constraint(c, rig.faults[c], desk);
    ImGui::PopID();
    if (!is_whole) {
      break;  // the next picture shows the other list
    }
  }
  draw_constraint_adding(state, desk);
  ImGui::PopID();
}

}  // namespace pelt::ui
