#include "ui/context_menu.h"

#include <array>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "core/text.h"
#include "ui/actions.h"
#include "ui/hiding.h"
#include "ui/selecting.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr const char* kContextPopup = "##context";

struct ContextRow {
  const char* action;
  bool separated = false;
};
constexpr std::array kOfJoints = {
    ContextRow{"select.branch"},     ContextRow{"select.mirror"},          ContextRow{"select.above"},
    ContextRow{"select.below"},      ContextRow{"edit.reset-joint", true}, ContextRow{"edit.reset-subtree"},
    ContextRow{"edit.mirror", true}, ContextRow{"edit.copy-pose"},         ContextRow{"edit.paste-pose"},
    ContextRow{"edit.rename-joint"}, ContextRow{"view.frame", true},       ContextRow{"view.hide"},
    ContextRow{"view.isolate"},      ContextRow{"view.hide-part"},         ContextRow{"view.isolate-part"},
    ContextRow{"view.show-all"},     ContextRow{"edit.deselect", true}};
// Where the tree lists the parts of a mesh.
constexpr std::array kOfPart = {ContextRow{"view.hide-part"}, ContextRow{"view.isolate-part"},
                                ContextRow{"view.show-all", true}};
constexpr std::array kOfVertices = {
    ContextRow{"select.connected"},      ContextRow{"select.grow"},        ContextRow{"select.shrink"},
    ContextRow{"select.all-vertices"},   ContextRow{"view.frame", true},   ContextRow{"view.hide-faces", true},
    ContextRow{"view.hide-other-faces"}, ContextRow{"view.show-faces"},    ContextRow{"view.hide-part", true},
    ContextRow{"view.isolate-part"},     ContextRow{"view.hide"},          ContextRow{"view.isolate"},
    ContextRow{"view.show-all"},         ContextRow{"edit.deselect", true}};

void draw_rows(std::span<const ContextRow> rows, Desk& desk) {
  for (const ContextRow& row : rows) {
    if (row.separated) {
      ImGui::Separator();
    }
    const Action& action = *find_action(row.action);
    if (ImGui::MenuItem(action.label, key_here(action, desk).c_str(), false, enabled(action, desk))) {
      run(action, desk);
    }
    report_item(desk, fmt::format("context.{}", row.action));
  }
}

}  // namespace

void open_context_menu(Desk& desk, bool of_vertices) {
  desk.workspace.opens_context_menu = true;
  desk.workspace.context_of_vertices = of_vertices;
}

void draw_context_menu(Desk& desk) {
  if (desk.workspace.opens_context_menu) {
    desk.workspace.opens_context_menu = false;
    ImGui::OpenPopup(kContextPopup);
  }
  const float pad = desk.theme.px(8);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(pad, pad));
  if (ImGui::BeginPopup(kContextPopup)) {
    const edit::View& view = desk.document().view;
    desk.workspace.menu_about_vertices = desk.workspace.context_of_vertices;
    if (desk.workspace.context_is_part) {
      dim_text(part_label(desk.character(), desk.workspace.context_part));
      draw_rows(kOfPart, desk);
    } else if (desk.workspace.context_of_vertices) {
      const auto count = static_cast<std::int64_t>(edit::vertex_count(view.selected_vertices));
      dim_text(count == 0 ? "Nothing selected" : count_of(count, "vertex", "vertices"));
      draw_rows(kOfVertices, desk);
    } else {
      dim_text(view.selected_joints.empty()       ? std::string("Nothing selected")
               : view.selected_joints.size() == 1 ? printable(desk.character().skeleton->label(view.selected_joint()))
                                                  : count_of(std::ssize(view.selected_joints), "joint", "joints"));
      draw_rows(kOfJoints, desk);
    }
    desk.workspace.menu_about_vertices.reset();
    ImGui::EndPopup();
  } else {
    desk.workspace.context_part = -1;
    desk.workspace.context_is_part = false;
  }
  ImGui::PopStyleVar();
}

}  // namespace pelt::ui
