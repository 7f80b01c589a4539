#include "edit/surface_marks.h"

#include <algorithm>
#include <iterator>

#include "core/expect.h"
#include "deform/skinning_methods.h"

namespace pelt::edit {
namespace {

// Each edge of a primitive's triangles once.
std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_of(const mesh::Primitive& primitive) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  edges.reserve(primitive.triangle_count() * 3);
  for (std::size_t t = 0; t < primitive.triangle_count(); ++t) {
    for (std::size_t c = 0; c < 3; ++c) {
      edges.push_back(std::minmax({primitive.indices[3 * t + c], primitive.indices[3 * t + (c + 1) % 3]}));
    }
  }
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

}  // namespace

TJunctionLists t_junction_lists(const rig::Character& character) {
  TJunctionLists lists;
  for (const mesh::Mesh& mesh : character.meshes) {
    lists.push_back(rig::t_junctions(mesh));
  }
  return lists;
}

// The lines of control points as they stand, and the points; of each set once, whatever parts share it.
void SurfaceMarks::pose_control_points(const Evaluation& evaluation, const deform::Cages& cages, Pane& at) {
  at.deformer.deform(cages.character, evaluation.pose(), evaluation.world(), at.settings, at.deformed);
  at.cage.clear();
  at.cage_points.clear();
  for (std::size_t p = 0; p < cages.part.size(); ++p) {
    if (cages.part[p] != static_cast<int>(p)) {
      continue;
    }
    const std::span<const glm::vec3> points = at.deformed.parts[p].positions;
    for (const auto& [a, b] : mesh::cage_lines(cages.of_part[p])) {
      at.cage.push_back(points[a]);
      at.cage.push_back(points[b]);
    }
    at.cage_points.insert(at.cage_points.end(), points.begin(), points.end());
  }
}

// Takes the parts of the own character; edges are found again where triangles are others. @returns whether any is
bool SurfaceMarks::follow_own(const rig::Character& own) {
  if (edges_.size() == own.parts.size() && own_.skeleton.is(own.skeleton) && own_.skins.is(own.skins) &&
      own_.meshes.is(own.meshes) && own_.mesh_nodes.is(own.mesh_nodes) && own_.parts.is(own.parts)) {
    return false;
  }
  edges_.resize(own.parts.size());
  for (std::size_t p = 0; p < edges_.size(); ++p) {
    const mesh::Primitive& primitive = own.primitive(own.parts[p]);
    if (!edges_[p].indices.is(primitive.indices)) {
      edges_[p] = {primitive.indices, edges_of(primitive)};
    }
  }
  own_ = own;
  return true;
}

std::span<const glm::vec3> SurfaceMarks::cage(const Document& document, const Evaluation& evaluation, int pane) {
  PELT_EXPECT(pane >= 0 && pane < pane_count(document.content), "pane index out of range");
  if (shows_own_surface(document)) {
    Pane& at = panes_[pane];
    deform::SkinningSettings settings = evaluation.skinning(pane);
    const std::shared_ptr<const deform::Cages> cages = settings.refine == deform::Refine::kAfterSkin
                                                           ? evaluation.cache()->cages(*document.character)
                                                           : std::shared_ptr<const deform::Cages>();
    settings.backend = deform::Backend::kCpu;
    settings.refine = deform::Refine::kBeforeSkin;  // these are the points themselves
    if (cages == nullptr) {
      at.cage_version = 0;
      at.cage_points.clear();
      return {};
    }
    if (at.cage_version != evaluation.version() || at.cage_points.empty() || !(at.settings == settings)) {
      at.settings = settings;
      at.cage_version = evaluation.version();
      pose_control_points(evaluation, *cages, at);
    }
    return at.cage;
  }
  panes_[pane].cage_points.clear();
  if (follow_own(*own_character(document))) {
    for (Pane& each : panes_) {
      each.cage_version = 0;
    }
  }
  deform::SkinningSettings settings = evaluation.skinning(pane);
  settings.backend = deform::Backend::kCpu;
  if (deform::skinning_methods()[settings.method].prepare != nullptr) {
    settings.method = deform::find_method("lbs");
  }
  Pane& at = panes_[pane];
  if (at.cage_version == evaluation.version() && at.settings == settings) {
    return at.cage;
  }
  at.deformer.deform(own_, evaluation.pose(), evaluation.world(), settings, at.deformed);
  at.cage.clear();
  for (std::size_t p = 0; p < edges_.size(); ++p) {
    const std::span<const glm::vec3> positions = at.deformed.parts[p].positions;
    for (const auto& [a, b] : edges_[p].ends) {
      at.cage.push_back(positions[a]);
      at.cage.push_back(positions[b]);
    }
  }
  at.settings = settings;
  at.cage_version = evaluation.version();
  return at.cage;
}

std::span<const glm::vec3> SurfaceMarks::cage_points(const Document& document, const Evaluation& evaluation, int pane) {
  cage(document, evaluation, pane);
  return panes_[pane].cage_points;
}

void SurfaceMarks::set_t_junctions(const SharedList<mesh::Mesh>& meshes, TJunctionLists lists) {
  lists_ = std::move(lists);
  lists_of_ = meshes;
  has_lists_ = true;
  for (Pane& pane : panes_) {
    pane.cracks_version = 0;
  }
}

bool SurfaceMarks::knows_t_junctions(const Document& document) const {
  return has_lists_ && lists_of_.is(document.character->meshes);
}

void SurfaceMarks::bring_cracks_up_to_date(const Document& document, Evaluation& evaluation, int pane) {
  evaluation.update(document);
  Pane& at = panes_[pane];
  if (at.cracks_version == evaluation.version()) {
    return;
  }
  at.cracks.clear();
  at.points.clear();
  if (std::ranges::any_of(lists_, [](const auto& list) { return !list.empty(); })) {
    at.cracks = measure::posed_cracks(*document.character, lists_, evaluation.deformed(document, pane));
    std::ranges::transform(at.cracks, std::back_inserter(at.points), &measure::PosedCrack::vertex);
  }
  at.cracks_version = evaluation.version();
}

std::span<const measure::PosedCrack> SurfaceMarks::cracks(const Document& document, Evaluation& evaluation, int pane) {
  PELT_EXPECT(pane >= 0 && pane < pane_count(document.content), "pane index out of range");
  if (!knows_t_junctions(document)) {
    return {};
  }
  bring_cracks_up_to_date(document, evaluation, pane);
  return panes_[pane].cracks;
}

std::span<const glm::vec3> SurfaceMarks::crack_points(const Document& document, Evaluation& evaluation, int pane) {
  return cracks(document, evaluation, pane).empty() ? std::span<const glm::vec3>() : panes_[pane].points;
}

}  // namespace pelt::edit
