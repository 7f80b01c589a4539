#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/jobs.h"
#include "rig/learned_limits.h"

namespace pelt::ui {

struct Desk;

/// What the clips' words on a joint follow from. Limits are not among it: they change with every step of a drag and say
/// nothing of what the clips do.
struct LimitSource {
  int joint = -1;
  SharedList<rig::Clip> clips;
  Transform rest;
  glm::vec3 bone = glm::vec3(0.0f);
  rig::JointDofs dofs;  ///< without limits
};
bool same(const LimitSource& a, const LimitSource& b);

/// What the clips tell of one joint.
struct JointFindings {
  LimitSource of;
  rig::LearnedLimits limits;
  std::optional<rig::JointRecognition> recognised;
};

/// What they tell of many, for their limits to be taken over.
struct LimitsOfJoints {
  std::vector<LimitSource> of;
  std::vector<rig::LearnedLimits> limits;  ///< one for each
};

/// Learns in the background, and keeps what was learned of the joint that is looked at.
struct LimitLearning {
  std::optional<JointFindings> findings;
  std::optional<LimitSource> wanted;                    ///< what is being looked at
  std::shared_ptr<JobSlot<JointFindings>> looking;      ///< null: nothing was looked at yet
  std::shared_ptr<JobSlot<LimitsOfJoints>> collecting;  ///< null: none were taken yet
  /// Waits for what is learned instead of showing that it is to come: for pictures and tests.
  bool patient = false;
};

/// What is known of a joint in this picture.
struct ClipLook {
  const JointFindings* findings = nullptr;  ///< of as many DOFs as the joint has now; null: nothing yet
  bool current = false;                     ///< else they are of what it was a moment ago
};
/// What the clips tell of the joint; what is not known begins to be found out. A small clip's findings are there at
/// once.
/// @param dofs  the joint's, as the document has them
ClipLook look_at_clips(LimitLearning& learning, int joint, const rig::JointDofs& dofs, const Desk& desk);

/// Takes the limits of all selected joints that the clips tell, in one step: that of the joint that is looked at now,
/// those of several when they have been learned, unless that is cancelled.
void take_limits(LimitLearning& learning, Desk& desk);

/// Asks for what take_limits() has learned meanwhile. Once per picture, whatever tab is in front.
void follow_learning(LimitLearning& learning, Desk& desk);

}  // namespace pelt::ui
