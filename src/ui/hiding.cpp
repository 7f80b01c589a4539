#include "ui/hiding.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>

#include "core/index.h"
#include "core/text.h"
#include "edit/hiding.h"
#include "rig/appearance.h"
#include "ui/icons.h"
#include "ui/selecting.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

edit::SurfaceCache& surfaces(Desk& desk) {
  return desk.workspace.panel<SelectionSection>().surfaces;
}

void set_hiding(Desk& desk, rig::SharedHiding hiding) {
  desk.workspace.view.hiding = std::move(hiding);
  // What is out of sight is not to be changed by what is done next.
  const edit::VertexSelection& selected = desk.document().view.selected_vertices;
  edit::VertexSelection seen = edit::shown(selected, desk.character(), hidden_surface(desk));
  if (seen != selected) {
    desk.requests.select_vertices = std::move(seen);
  }
}

std::string number_of(std::int64_t count, const char* one, const char* several) {
  return count == 1 ? fmt::format("1 {}", one) : fmt::format("{} {}", count_text(count), several);
}

std::string hidden_text(Desk& desk) {
  const rig::Hiding& hiding = *desk.workspace.view.hiding;
  HiddenCount& count = desk.workspace.panel<HiddenCount>();
  if (count.of != desk.workspace.view.hiding) {
    count = {desk.workspace.view.hiding, rig::hidden_face_count(hiding, desk.character())};
  }
  std::string what;
  if (!hiding.vertices.empty()) {
    what = number_of(count.faces, "face", "faces");
  }
  if (!hiding.parts.empty()) {
    what += (what.empty() ? "" : ", ") + number_of(static_cast<std::int64_t>(hiding.parts.size()), "part", "parts");
  }
  return what + " hidden";
}

}  // namespace

rig::HiddenSurface hidden_surface(const Desk& desk) {
  const edit::Document& document = desk.document();
  return rig::hidden_surface(desk.character(), {.toggled = desk.workspace.view.toggled_nodes,
                                                .clip = document.content.clip,
                                                .time = document.view.time,
                                                .by_hand = desk.workspace.view.hiding});
}

void hide_selected_faces(Desk& desk) {
  set_hiding(desk, edit::hide_faces(desk.workspace.view.hiding, desk.character(), surfaces(desk),
                                    desk.document().view.selected_vertices));
}

void hide_other_faces(Desk& desk) {
  set_hiding(desk, edit::hide_other_faces(desk.workspace.view.hiding, desk.character(), surfaces(desk),
                                          desk.document().view.selected_vertices));
}

void show_all_faces(Desk& desk) {
  set_hiding(desk, edit::show_faces(desk.workspace.view.hiding));
}

bool hides_faces(const Desk& desk) {
  return desk.workspace.view.hiding != nullptr && !desk.workspace.view.hiding->vertices.empty();
}

std::vector<int> parts_meant(const Desk& desk) {
  const edit::View& view = desk.document().view;
  const int parts = static_cast<int>(desk.character().parts.size());
  std::vector<int> out;
  if (desk.workspace.context_part >= 0) {
    out.push_back(desk.workspace.context_part);
  } else if (!view.selected_vertices.empty()) {
    for (const edit::PartVertices& of_part : view.selected_vertices) {
      out.push_back(of_part.part);
    }
  } else if (view.pinned_part >= 0) {
    out.push_back(view.pinned_part);
  }
  std::erase_if(out, [&](int part) { return part >= parts; });
  return out;
}

void hide_parts(Desk& desk) {
  for (const int part : parts_meant(desk)) {
    set_part_hidden(desk, part, true);
  }
}

void show_only_parts(Desk& desk) {
  const std::vector<int> parts = parts_meant(desk);
  set_hiding(desk, edit::show_only_parts(desk.workspace.view.hiding, desk.character(), parts));
}

void set_part_hidden(Desk& desk, int part, bool hidden) {
  set_hiding(desk, edit::set_part_hidden(desk.workspace.view.hiding, desk.character(), part, hidden));
}

std::string part_label(const rig::Character& character, int part) {
  const rig::Part& of = character.parts[part];
  const int material = character.primitive(of).material;
  const std::string name =
      has_index(character.materials, material) ? printable(character.materials[material].name) : "";
  return name.empty() ? fmt::format("Part {}", of.primitive) : fmt::format("{} \u00b7 {}", of.primitive, name);
}

void show_everything(Desk& desk) {
  desk.workspace.view.toggled_nodes.clear();
  desk.workspace.view.hiding = nullptr;
}

bool hides_anything(const Desk& desk) {
  return !desk.workspace.view.toggled_nodes.empty() || desk.workspace.view.hiding != nullptr;
}

void follow_hiding(Desk& desk) {
  const rig::SharedHiding before = desk.workspace.view.hiding;
  rig::SharedHiding now = rig::fitting(before, desk.character());
  if (now == before) {
    return;
  }
  desk.workspace.view.hiding = std::move(now);
  desk.workspace.notice =
      Notice{Severity::kInfo, "What was hidden is shown again: the surface is another one", desk.scene.now};
}

float draw_hidden_fact(Desk& desk, float right) {
  if (desk.workspace.view.hiding == nullptr) {
    return 0;
  }
  const std::string what = fmt::format("{}  {}", icon::kEyeClosed, hidden_text(desk));
  const float width = ImGui::CalcTextSize(what.c_str()).x;
  if (right - width < 0) {
    return 0;
  }
  ImGui::SetCursorPosX(right - width);
  ImGui::PushStyleColor(ImGuiCol_Text, color::kWarning);
  text(what);
  ImGui::PopStyleColor();
  report_item(desk, "status.hidden");
  if (ImGui::IsItemHovered()) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  }
  tip("Out of sight: neither drawn nor picked nor selected; a click shows all of it again");
  if (ImGui::IsItemClicked()) {
    desk.workspace.view.hiding = nullptr;
  }
  return width;
}

}  // namespace pelt::ui
