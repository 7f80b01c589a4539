#pragma once

#include "edit/document.h"

namespace pelt::edit {

/// What is to be posed by hand so that the whole stack of layers shows a wanted transform. Sliders, drivers,
/// constraints and springs come after what is posed by hand and add to it; they are taken off. Pins are not: where a
/// pose keeps to them, they add nothing. Exact where what the others add stays the same; a drag that goes on from what
/// is shown then makes up for the rest.
class HandPose {
 public:
  explicit HandPose(const Document& document);

  /// @param wanted  local, as it is to be seen
  /// @return  local; `wanted` itself, to the bit, where no later layer changes the joint
  [[nodiscard]] Transform local(int joint, const Transform& wanted) const;
  /// The same of a shape's weight. @param shape  flat index into Pose::morph_weights
  [[nodiscard]] float weight(int shape, float wanted) const;
  /// What is posed by hand now, over base pose and clips.
  [[nodiscard]] const rig::Pose& now() const { return by_hand_; }

 private:
  rig::Pose by_hand_;
  rig::Pose before_pins_;
  rig::Pose after_pins_;
  rig::Pose shown_;
};

}  // namespace pelt::edit
