#pragma once

#include <string>
#include <string_view>

#include "edit/commands.h"

namespace pelt::ui {

/// Of its row of tabs().
inline constexpr std::string_view kPoseTab = "pose";

struct Desk;

/// What the matrices of the selected joint are shown for.
struct JointMatricesSection {
  int skin = 0;  ///< of those that list the joint: their index in the character, where it is among them
};

/// Sliders of the selected joint and what resets, mirrors, opens and saves poses.
struct PosePanel {
  std::string filter;  ///< of the joint list
  edit::ResetScope scope = edit::ResetScope::kJoint;
  edit::ResetTo breakdown_to = edit::ResetTo::kBase;
  std::vector<edit::JointLocal> breakdown_from;     ///< as the slider's drag began; empty: it is not dragged
  std::vector<edit::JointLocal> breakdown_against;  ///< the reference as it was then
  float breakdown = 0;                              ///< of that drag
  bool mirror_limb = true;         ///< the selected joint with what hangs below, where one is selected; else all
  Shared<rig::Skeleton> skeleton;  ///< with the skins, what the difference is of
  SharedList<rig::Skin> skins;
  float rest_bind_difference = 0;
  JointMatricesSection matrices;
};

void draw(PosePanel& panel, Desk& desk);

/// What mirroring means with the panel's choice and the selection.
edit::MirrorPose mirror_change(const Desk& desk, edit::MirrorDirection direction);

}  // namespace pelt::ui
