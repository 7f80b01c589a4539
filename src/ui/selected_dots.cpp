#include "ui/selected_dots.h"

#include <utility>
#include <vector>

#include <imgui.h>

#include "ui/selecting.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

// What is drawn in time: a dot costs two triangles, and a picture has time for them beside everything else.
constexpr std::size_t kMostDrawn = 10000;

// Every vertex, or every so many, so that they are no more than that.
std::vector<deform::VertexChoice> evenly(std::span<const edit::PartVertices> selection, std::size_t total) {
  const std::size_t step = (total + kMostDrawn - 1) / kMostDrawn;
  std::vector<deform::VertexChoice> out;
  std::size_t first = 0;  // of the next part, counted from its beginning
  for (const edit::PartVertices& of_part : selection) {
    deform::VertexChoice choice{of_part.part, {}};
    std::size_t i = first;
    for (; i < of_part.vertices.size(); i += step) {
      choice.vertices.push_back(of_part.vertices[i]);
    }
    first = i - of_part.vertices.size();
    if (!choice.vertices.empty()) {
      out.push_back(std::move(choice));
    }
  }
  return out;
}

void follow(SelectedDots& dots, const SharedArray<edit::PartVertices>& selection) {
  if (!dots.of.is(selection)) {
    dots.of = selection;
    dots.total = edit::vertex_count(selection);
    dots.drawn = evenly(selection, dots.total);
    dots.own = {};
  }
}

/// One choice of vertices in the shape that has them.
struct Points {
  const deform::DeformedPart* part;
  const std::vector<std::uint32_t>* vertices;  ///< null: all of the part, from the first on
  std::size_t count;

  [[nodiscard]] std::size_t at(std::size_t i) const { return vertices != nullptr ? (*vertices)[i] : i; }
};

// With the CPU backend the whole shape is at hand, and some methods need it all the same; else the drawn vertices are
// deformed alone.
std::vector<Points> points_of(SelectedDots& dots, int pane, const Desk& desk) {
  const edit::Document& document = desk.document();
  const deform::SkinningSettings settings = edit::in_effect(document, edit::skinning_of(document.content, pane));
  const bool alone = settings.backend == deform::Backend::kGpu && deform::VertexSample::covers(settings);
  std::vector<Points> out;
  if (!alone) {
    const deform::DeformedCharacter& shape = desk.scene.deformed(pane);
    for (const deform::VertexChoice& choice : dots.drawn) {
      out.push_back({&shape.parts[choice.part], &choice.vertices, choice.vertices.size()});
    }
    return out;
  }
  std::optional<deform::VertexSample>& own = dots.own[pane];
  if (!own) {
    own.emplace(dots.drawn);
  }
  const deform::DeformedCharacter& shape = own->deform(desk.character(), *desk.scene.pose, desk.scene.world, settings);
  for (std::size_t i = 0; i < dots.drawn.size(); ++i) {
    out.push_back({&shape.parts[i], nullptr, dots.drawn[i].vertices.size()});
  }
  return out;
}

}  // namespace

void draw_selected_dots(const std::function<std::optional<glm::vec2>(const glm::vec3&)>& project,
                        const std::function<glm::vec3(const glm::vec3&)>& towards_eye, int pane, Desk& desk) {
  const SharedArray<edit::PartVertices>& selection = desk.document().view.selected_vertices;
  if (selection.empty() || !selects_vertices(desk) || !desk.scene.deformed) {
    return;
  }
  SelectedDots& dots = desk.workspace.panel<SelectedDots>();
  follow(dots, selection);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const bool edged = dots.total <= 500;
  const float half = desk.theme.px(edged ? 1.6f : dots.total <= 4000 ? 1.0f : 0.7f);
  for (const Points& points : points_of(dots, pane, desk)) {
    const deform::DeformedPart& part = *points.part;
    for (std::size_t i = 0; i < points.count; ++i) {
      const std::size_t v = points.at(i);
      const auto at = v < part.positions.size() ? project(part.positions[v]) : std::nullopt;
      if (!at) {
        continue;
      }
      const bool away = v < part.normals.size() && glm::dot(part.normals[v], towards_eye(part.positions[v])) < 0;
      if (edged && !away) {
        list.AddRectFilled(ImVec2(at->x - half - 1, at->y - half - 1), ImVec2(at->x + half + 1, at->y + half + 1),
                           IM_COL32(0, 0, 0, 150));
      }
      list.AddRectFilled(ImVec2(at->x - half, at->y - half), ImVec2(at->x + half, at->y + half),
                         away ? faded(color::kWarning, 0.25f) : color::kWarning);
    }
  }
}

}  // namespace pelt::ui
