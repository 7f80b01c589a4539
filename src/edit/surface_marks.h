#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "deform/deform.h"
#include "deform/skin_cache.h"
#include "edit/document.h"
#include "edit/evaluation.h"
#include "measure/posed_cracks.h"

namespace pelt::edit {

/// T-junctions of each mesh, from rig::t_junctions().
using TJunctionLists = std::vector<std::vector<rig::PlacedTJunction>>;
TJunctionLists t_junction_lists(const rig::Character& character);

/// What is drawn over a surface to tell how it came about (ALGORITHMS.md §52): the cage it was made from, and its
/// T-junctions. Recomputed where the document changed.
class SurfaceMarks {
 public:
  /// World-space ends of the edges of the character's own surface in the same pose, two points per edge. Where the own
  /// surface is what is shown, the lines of its control points, if the pane makes the surface of these; else empty. A
  /// method that would have to prepare for it is left aside for linear blending.
  /// @pre evaluation.update() saw the document and the pane
  std::span<const glm::vec3> cage(const Document& document, const Evaluation& evaluation, int pane);

  /// The control points that cage() has lines of, world space; empty where it has none of such.
  std::span<const glm::vec3> cage_points(const Document& document, const Evaluation& evaluation, int pane);

  /// Takes the lists of a surface, whose search takes long for a big one. @param meshes  that they were found in
  void set_t_junctions(const SharedList<mesh::Mesh>& meshes, TJunctionLists lists);
  /// Whether they are known for what is shown.
  [[nodiscard]] bool knows_t_junctions(const Document& document) const;
  /// As they stand in the pose; empty where they are not known.
  std::span<const measure::PosedCrack> cracks(const Document& document, Evaluation& evaluation, int pane);
  /// The vertices of cracks().
  std::span<const glm::vec3> crack_points(const Document& document, Evaluation& evaluation, int pane);

 private:
  struct Pane {
    deform::CpuDeformer deformer;
    deform::DeformedCharacter deformed;
    deform::SkinningSettings settings;
    std::uint64_t cage_version = 0;  ///< of the evaluation; 0: none
    std::vector<glm::vec3> cage;
    std::vector<glm::vec3> cage_points;
    std::uint64_t cracks_version = 0;
    std::vector<measure::PosedCrack> cracks;
    std::vector<glm::vec3> points;
  };
  void bring_cracks_up_to_date(const Document& document, Evaluation& evaluation, int pane);

  /// Those of a part's triangles, each once.
  struct Edges {
    SharedArray<std::uint32_t> indices;  ///< that they are of
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ends;
  };
  bool follow_own(const rig::Character& own);
  void pose_control_points(const Evaluation& evaluation, const deform::Cages& cages, Pane& at);

  rig::Character own_;        ///< that edges_ are of
  std::vector<Edges> edges_;  ///< [parts]
  std::array<Pane, kPaneLimit> panes_;
  TJunctionLists lists_;
  SharedList<mesh::Mesh> lists_of_;
  bool has_lists_ = false;
};

}  // namespace pelt::edit
