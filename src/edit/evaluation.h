#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "deform/deform.h"
#include "deform/skin_cache.h"
#include "edit/document.h"
#include "edit/ghost_poses.h"
#include "rig/kinematics.h"

namespace pelt::edit {

/// What follows from a document: pose, world matrices, deformed shapes of all panes. Recomputed only where the document
/// changed; the window and every verb use this one path.
class Evaluation {
 public:
  Evaluation();

  /// Brings pose and world matrices up to date; one changed joint costs its subtree only (C4.3). Tells whether anything
  /// that decides a deformed shape changed.
  bool update(const Document& document);
  /// What a pane's settings make of the pose on the CPU, computed when first asked for after a change; brings
  /// everything else up to date too. Stays where it is. @pre 0 <= pane < pane_count(document.content)
  const deform::DeformedCharacter& deformed(const Document& document, int pane = 0);
  /// The same under other settings, for a pane to be compared with; kept until the next call for that pane with others.
  const deform::DeformedCharacter& deformed_under(const Document& document, const deform::SkinningSettings& settings,
                                                  int pane = 0);
  /// measure::bind_shape() of the character, kept; weights do not change it while the same joints are followed.
  const deform::DeformedCharacter& bound(const Document& document);

  /// With `held`, settings that would first have to be prepared at length do not take effect before cache() is ready
  /// for them: until then a pane goes on with those it had (linear blending where it had none), and after an edit of
  /// weights, on the CPU, with what was prepared for the weights of before. Whoever holds them prepares the cache on
  /// another thread.
  void hold_unprepared(bool held);
  /// The settings in effect for a pane. @pre update() saw that pane
  [[nodiscard]] const deform::SkinningSettings& skinning(int pane = 0) const;
  /// True where a pane goes on with earlier settings until cache() is prepared for those of the document.
  [[nodiscard]] bool waits(int pane) const { return panes_[pane].waits; }
  /// True where a pane shows the weights of now by what was prepared for earlier ones, until cache() is prepared.
  [[nodiscard]] bool outdated(int pane) const { return panes_[pane].outdated; }
  /// True where a shape under these settings can be had at once, or nothing is held back.
  [[nodiscard]] bool available(const Document& document, const deform::SkinningSettings& settings, int pane = 0) const;
  /// True where such a shape is also that of the weights of now, and nothing is left to prepare.
  [[nodiscard]] bool prepared(const Document& document, const deform::SkinningSettings& settings, int pane = 0) const;
  /// What methods prepare, for both backends and all panes.
  [[nodiscard]] const std::shared_ptr<deform::SkinCache>& cache() const { return cache_; }

  /// Poses before and after the playhead, kept while nothing but the playhead moves. Valid until a call that
  /// finds something changed, so that all panes can share them.
  std::span<const GhostPose> ghosts(const Document& document, const GhostMoments& wanted) {
    return ghosts_.at(document, wanted);
  }
  [[nodiscard]] std::size_t ghosts_made() const { return ghosts_.made(); }

  [[nodiscard]] const rig::Pose& pose() const { return pose_; }
  [[nodiscard]] const std::vector<glm::mat4>& world() const { return world_.world(); }
  /// How many of them the last update() computed.
  [[nodiscard]] std::size_t computed_joints() const { return computed_joints_; }
  /// Grows whenever update() changed something; what others key their uploads on.
  [[nodiscard]] std::uint64_t version() const { return version_; }
  /// For who uploads deformed(): what of a pane's part may have changed since its serial was `since`; see
  /// CpuDeformer::written_since().
  [[nodiscard]] std::uint64_t serial(int pane) const { return panes_[pane].deformer.serial(); }
  [[nodiscard]] std::vector<deform::VertexRange> written_since(int pane, std::uint64_t since, std::size_t part) const {
    return panes_[pane].deformer.written_since(since, part);
  }
  /// Seconds the last CPU deformation of a pane took.
  [[nodiscard]] double cpu_seconds(int pane = 0) const { return panes_[pane].seconds; }

 private:
  struct Shape {
    explicit Shape(const std::shared_ptr<deform::SkinCache>& cache) : deformer(cache) {}
    deform::CpuDeformer deformer;
    deform::SkinningSettings settings;
    deform::DeformedCharacter deformed;
    std::uint64_t version = 0;  ///< of the evaluation it was computed for
    double seconds = 0;
    bool waits = false;
    bool outdated = false;
  };
  bool take_settings(const Document& document, bool other_character);
  bool follow(const rig::Character& character);
  bool follow_stand_ins(const Document& document);
  const deform::DeformedCharacter& bring_up_to_date(const Document& document, int pane, Shape& shape);

  std::shared_ptr<deform::SkinCache> cache_;
  GhostPoses ghosts_;
  rig::Pose pose_;
  rig::WorldMatrices world_;
  std::size_t computed_joints_ = 0;
  std::array<Shape, kPaneLimit> panes_;
  std::array<Shape, kPaneLimit> others_;
  deform::DeformedCharacter bound_;
  rig::Character bound_of_;  ///< whose parts bound_ follows from
  std::shared_ptr<const std::vector<deform::SkinBinding>> bound_bindings_;
  int pane_count_ = 0;
  bool any_waits_ = false;    ///< or is outdated
  bool moved_looks_ = false;  ///< whether the clip before moved materials or what is shown
  bool hold_unprepared_ = false;
  bool known_ = false;        ///< whether there was an update()
  rig::Character character_;  ///< of the last update(): a copy shares its parts, which are compared by pointer
  std::vector<std::shared_ptr<const rig::Character>> stand_ins_;  ///< of the last update()
  std::uint64_t state_version_ = 0;
  std::uint64_t version_ = 0;
};

}  // namespace pelt::edit
