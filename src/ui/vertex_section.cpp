#include "ui/vertex_section.h"

#include <cmath>

#include <fmt/format.h>

#include "core/index.h"
#include "core/text.h"
#include "deform/skinning_methods.h"
#include "render/look_colors.h"
#include "ui/icons.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr float kStoredSumTolerance = 1e-3f;

std::optional<deform::VertexSteps> steps_of(const Desk& desk, int pane, int part, int vertex) {
  const rig::Character& character = desk.character();
  if (part < 0 || vertex < 0 || !has_index(character.parts, part) || desk.scene.pose == nullptr ||
      !desk.scene.deformed ||
      static_cast<std::size_t>(vertex) >= character.primitive(character.parts[part]).vertex_count()) {
    return std::nullopt;
  }
  const deform::DeformedCharacter& shape = desk.scene.deformed(pane);
  if (shape.parts.size() != character.parts.size()) {
    return std::nullopt;
  }
  return deform::vertex_steps(character, *desk.scene.pose, desk.scene.world,
                              edit::skinning_of(desk.document().content, pane), shape, part, vertex);
}

// Three numbers with as many digits as the panel has room for.
std::string three_numbers(const glm::vec3& v) {
  return fmt::format("{:.4g}, {:.4g}, {:.4g}", v.x, v.y, v.z);
}

void step_line(Desk& desk, const char* name, const char* label, const std::string& value, std::string_view help,
               ImU32 ink = color::kText) {
  row_label(desk, label, help);
  ImGui::AlignTextToFramePadding();
  clipped_text(value, ImGui::GetContentRegionAvail().x, ink);
  report_item(desk, name);
  tip(value);
}

void draw_joint_step(const deform::JointStep& step, Desk& desk) {
  const edit::Document& document = desk.document();
  const std::string name = printable(desk.character().skeleton->label(step.joint));
  const float name_width = std::floor(ImGui::GetContentRegionAvail().x * 0.46f);
  const float start = ImGui::GetCursorPosX();
  if (ImGui::Selectable(name.c_str(), step.joint == document.view.selected_joint(), 0, ImVec2(name_width, 0))) {
    select(desk, step.joint);
  }
  report_item(desk, "weights.influence." + name);
  ImGui::SameLine(start + name_width + desk.theme.px(6), 0);
  bar(desk, step.weight, packed(render::joint_color(step.joint)), ImGui::GetContentRegionAvail().x,
      fmt::format("{:.4f}", step.weight));
  ImGui::PushFont(desk.theme.small);
  step_line(desk, ("vertex.local." + name).c_str(), "B\u207b\u00b9 v", three_numbers(step.in_joint),
            "The vertex in the joint's own space, as it was bound: its inverse bind matrix times v, metres");
  step_line(desk, ("vertex.ghost." + name).c_str(), "M v", three_numbers(step.ghost),
            "Where this joint alone would take it: its world matrix times that, metres. The ghost point");
  ImGui::PopFont();
}

void draw_steps(const deform::VertexSteps& steps, Desk& desk) {
  const int pane = desk.document().view.active_pane;
  const deform::SkinningSettings& settings = edit::skinning_of(desk.document().content, pane);
  const deform::SkinningMethod& method = deform::skinning_methods()[settings.method];
  step_line(desk, "vertex.bind", "v", three_numbers(steps.bind),
            "The vertex of the bind shape in mesh space, shapes applied, metres");
  for (std::size_t k = 0; k < steps.joints.size(); ++k) {
    ImGui::PushID(static_cast<int>(k));
    draw_joint_step(steps.joints[k], desk);
    ImGui::PopID();
  }
  if (steps.joints.empty()) {
    wrapped_text("No joint holds this vertex: it follows its node.", color::kTextDim);
  } else {
    const bool off = std::abs(steps.stored_sum - 1) > kStoredSumTolerance;
    step_line(desk, "vertex.stored", "Stored sum", fmt::format("{:.6g}", steps.stored_sum),
              "What the file's weights sum to; they are divided by it unless they are taken as stored",
              off ? color::kWarning : color::kText);
    step_line(desk, "vertex.sum", "\u03a3 w M v", three_numbers(steps.weighted_sum),
              "The ghost points' mean by weight: what linear blending makes of the vertex, metres");
  }
  step_line(desk, "vertex.result", "Result", three_numbers(steps.result),
            steps.of_control_points
                ? fmt::format("The sum of the control points that {} moved, world space, metres", method.label)
                : fmt::format("Where {} puts the vertex, world space, metres", method.label));
  if (steps.of_control_points) {
    wrapped_text("Its control points were skinned in its place; the weights above are those of the mesh.",
                 color::kTextDim);
  }
  if (!steps.joints.empty()) {
    step_line(desk, "vertex.off", "From the sum",
              fmt::format("{:.3f} mm", 1e3f * glm::distance(steps.result, steps.weighted_sum)),
              "How far the method's result lies from that of linear blending");
  }
  if (steps.bind_normal) {
    step_line(desk, "vertex.normal.bind", "Normal, bound", three_numbers(*steps.bind_normal),
              "Of the bind shape, mesh space");
  }
  if (steps.result_normal) {
    const char letter = deform::letter_of(deform::normals_under(method, settings.normals));
    step_line(desk, "vertex.normal", "Normal, posed", three_numbers(*steps.result_normal),
              fmt::format("By variant {} of the Skinning tab, world space", letter));
  }
}

}  // namespace

std::optional<deform::VertexSteps> pinned_steps(const Desk& desk, int pane) {
  return steps_of(desk, pane, desk.document().view.pinned_part, desk.document().view.pinned_vertex);
}

void draw_vertex_section(Desk& desk) {
  const edit::Document& document = desk.document();
  const ViewportState& viewport = desk.workspace.viewport;
  const bool pinned = document.view.pinned_part >= 0 && document.view.pinned_vertex >= 0;
  const bool hovered = viewport.hovered_vertex.has_value();
  if (!section(desk, "Vertex")) {
    return;
  }
  if (!pinned && !hovered) {
    wrapped_text("Point at the skin to see how its joints move a vertex; click to pin it.", color::kTextDim);
    return;
  }
  const int p = hovered ? viewport.hovered_vertex->part : document.view.pinned_part;
  const int v = hovered ? viewport.hovered_vertex->vertex : document.view.pinned_vertex;
  const std::optional<deform::VertexSteps> steps = steps_of(desk, document.view.active_pane, p, v);
  if (!steps) {
    return;
  }
  const bool is_pinned = pinned && p == document.view.pinned_part && v == document.view.pinned_vertex;
  ImGui::AlignTextToFramePadding();
  text(fmt::format("{}{}  part {}, vertex {}", is_pinned ? icon::kPin : icon::kTarget, is_pinned ? "" : " ", p, v));
  if (is_pinned) {
    ImGui::SameLine(ImGui::GetContentRegionAvail().x - ImGui::GetFrameHeight() + ImGui::GetStyle().WindowPadding.x);
    if (icon_button(desk, "weights.unpin", icon::kClose, "Unpin (Esc)")) {
      desk.requests.pin = glm::ivec2(-1);
    }
  }
  draw_steps(*steps, desk);
  checkbox(desk, "weights.ghosts", "Ghost points", desk.workspace.view.ghost_points,
           "Where each joint alone would put the pinned vertex, with lines to the result. A vertex of two joints also "
           "gets the chord of linear blending and the arc of dual quaternions");
}

}  // namespace pelt::ui
