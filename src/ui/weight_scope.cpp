#include "ui/weight_scope.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "edit/weight_edits.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr const char* kSurfaceBack =
    "not on the file's own: set subdivision, detail, explosion and split T-junctions back in the Skinning tab.";

std::int64_t selected_count(const Desk& desk) {
  return static_cast<std::int64_t>(edit::vertex_count(desk.document().view.selected_vertices));
}

// Whoever has just selected vertices means those; whoever has let them go means none of them.
void follow_selection(WeightScope& scope, const Desk& desk) {
  const bool has_selection = selected_count(desk) > 0;
  if (has_selection == std::exchange(scope.had_selection, has_selection) || scope.area == WeightScope::kVertex) {
    return;
  }
  scope.area = has_selection                           ? static_cast<int>(WeightScope::kSelection)
               : scope.area == WeightScope::kSelection ? static_cast<int>(WeightScope::kAll)
                                                       : scope.area;
}

std::string scope_in_words(const WeightScope& scope, const Desk& desk) {
  const edit::View& view = desk.document().view;
  if (scope.area == WeightScope::kVertex) {
    return view.pinned_vertex < 0 ? std::string("No vertex is pinned.")
                                  : fmt::format("Round vertex {}, within the radius.", count_text(view.pinned_vertex));
  }
  if (scope.area == WeightScope::kSelection) {
    const std::int64_t count = selected_count(desk);
    return count == 0 ? std::string("Nothing is selected.")
                      : fmt::format("On {}.", count_of(count, "selected vertex", "selected vertices"));
  }
  if (scope.area == WeightScope::kJoint) {
    const int joint = view.selected_joint();
    return joint < 0
               ? std::string("No joint is selected.")
               : fmt::format("On the vertices that follow {}.", printable(desk.character().skeleton->label(joint), 40));
  }
  const std::vector<int> meshes = skinned_meshes(*edit::own_character(desk.document()));
  return meshes.size() == 1 ? std::string("On the whole mesh.")
                            : fmt::format("On all {} meshes, whole.", count_text(std::ssize(meshes)));
}

std::string why_not_round_vertex(const Desk& desk) {
  const edit::Document& document = desk.document();
  if (document.view.pinned_part < 0 || document.view.pinned_vertex < 0) {
    return "Click a vertex of the skin to pin it; it is the middle.";
  }
  if (!edit::shows_own_surface(document)) {
    return fmt::format("The vertex is one of the surface shown, {}", kSurfaceBack);
  }
  return edit::own_character(document)->parts[document.view.pinned_part].skin < 0
             ? "The pinned vertex hangs on no skin."
             : "";
}

std::string why_not_selection(const Desk& desk) {
  const edit::Document& document = desk.document();
  if (!edit::shows_own_surface(document)) {
    return fmt::format("Vertices are selected on the surface shown, {}", kSurfaceBack);
  }
  const rig::Character& own = *edit::own_character(document);
  const bool skinned = std::ranges::any_of(document.view.selected_vertices, [&](const edit::PartVertices& of_part) {
    return own.parts[of_part.part].skin >= 0;
  });
  return skinned ? "" : "Select vertices of a skin: click, or drag a box (O).";
}

std::string why_not_joint(const Desk& desk) {
  const rig::Character& own = *edit::own_character(desk.document());
  const int joint = desk.document().view.selected_joint();
  if (joint < 0) {
    return "Select a joint; its area is where it has weight.";
  }
  const bool listed = std::ranges::any_of(own.mesh_nodes, [&](const rig::MeshNode& node) {
    return node.skin >= 0 && std::ranges::count(own.skins[node.skin].joints, joint) > 0;
  });
  return listed ? std::string()
                : fmt::format("No mesh hangs on a skin that lists {}.", printable(own.skeleton->label(joint)));
}

}  // namespace

void draw_weight_scope(WeightScope& scope, const char* id, bool with_vertex, Desk& desk) {
  constexpr std::array kAreas = {"Selection", "Joint", "All", "Vertex"};  // as in Area
  follow_selection(scope, desk);
  row_label(desk, "Where",
            fmt::format("In the selected vertices, where the active joint has weight, {}. It goes to the selection as "
                        "soon as there is one, and back to everything when there is none",
                        with_vertex ? "everywhere, or round the pinned vertex" : "or everywhere"));
  segmented(desk, id, std::span(kAreas).first(with_vertex ? 4 : 3), scope.area);
  row_label(desk, "");
  wrapped_text(scope_in_words(scope, desk), color::kTextDim);
  const std::string_view name = id;
  report_item(desk, fmt::format("{}.scope", name.substr(0, name.find('.'))));
}

std::string why_no_scope(const WeightScope& scope, const Desk& desk) {
  switch (scope.area) {
    case WeightScope::kVertex:
      return why_not_round_vertex(desk);
    case WeightScope::kSelection:
      return why_not_selection(desk);
    case WeightScope::kJoint:
      return why_not_joint(desk);
    default:
      return skinned_meshes(*edit::own_character(desk.document())).empty() ? "No mesh hangs on a skin." : "";
  }
}

std::vector<int> skinned_meshes(const rig::Character& character) {
  std::vector<int> meshes;
  for (const rig::MeshNode& node : character.mesh_nodes) {
    if (node.skin >= 0 && std::ranges::find(meshes, node.mesh) == meshes.end()) {
      meshes.push_back(node.mesh);
    }
  }
  return meshes;
}

std::vector<std::uint32_t> scope_vertices(const WeightScope& scope, int mesh, const Desk& desk) {
  const rig::Character& character = *edit::own_character(desk.document());
  const edit::View& view = desk.document().view;
  std::vector<std::uint32_t> vertices;
  if (scope.area == WeightScope::kJoint) {
    vertices = edit::vertices_of_joint(character, mesh, view.selected_joint());
  } else if (scope.area == WeightScope::kSelection) {
    std::uint32_t first = 0;
    for (std::size_t p = 0; p < character.meshes[mesh].primitives.size(); ++p) {
      for (const edit::PartVertices& of_part : view.selected_vertices) {
        const rig::Part& part = character.parts[of_part.part];
        if (part.mesh == mesh && std::cmp_equal(part.primitive, p)) {
          std::ranges::transform(of_part.vertices, std::back_inserter(vertices),
                                 [&](std::uint32_t v) { return first + v; });
        }
      }
      first += static_cast<std::uint32_t>(character.meshes[mesh].primitives[p].vertex_count());
    }
  }
  std::ranges::sort(vertices);
  vertices.erase(std::ranges::unique(vertices).begin(), vertices.end());
  return vertices;
}

}  // namespace pelt::ui
