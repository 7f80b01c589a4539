#pragma once

#include <cstdint>
#include <vector>

#include "deform/deform.h"
#include "edit/document.h"
#include "rig/kinematics.h"

namespace pelt::edit {

/// What follows from a document: pose, world matrices, deformed shape. Recomputed only where the document changed; the
/// window and every verb use this one path.
class Evaluation {
 public:
  /// Brings pose and world matrices up to date; one changed joint costs its subtree only (C4.3). Tells whether anything
  /// that decides the deformed shape changed.
  bool update(const Document& document);
  /// The CPU result, computed when first asked for after a change; brings everything else up to date too.
  const deform::DeformedCharacter& deformed(const Document& document);

  [[nodiscard]] const rig::Pose& pose() const { return pose_; }
  [[nodiscard]] const std::vector<glm::mat4>& world() const { return world_.world(); }
  /// Grows whenever update() changed something; what others key their uploads on.
  [[nodiscard]] std::uint64_t version() const { return version_; }
  /// Seconds the last CPU deformation took.
  [[nodiscard]] double cpu_seconds() const { return cpu_seconds_; }

 private:
  rig::Pose pose_;
  rig::WorldMatrices world_;
  deform::CpuDeformer deformer_;
  deform::DeformedCharacter deformed_;
  deform::SkinningSettings skinning_;
  std::uint64_t character_version_ = 0;
  std::uint64_t state_version_ = 0;
  std::uint64_t version_ = 0;
  std::uint64_t deformed_version_ = 0;
  double cpu_seconds_ = 0;
};

}  // namespace pelt::edit
