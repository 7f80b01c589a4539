#pragma once

#include <vector>

#include "rig/character.h"

namespace pelt::ui {

struct Desk;

/// Clip choice, transport and scrub bar. Key times are gathered once per clip and selected joint.
struct TimelinePanel {
  SharedList<rig::Clip> clips;  ///< that the keys are of
  int clip = -2;
  int joint = -2;
  std::vector<float> keys;        ///< of all channels, ascending, seconds
  std::vector<float> joint_keys;  ///< of the selected joint
};

/// The height the timeline needs, pixels.
float timeline_height(const Desk& desk);
void draw(TimelinePanel& panel, Desk& desk);

}  // namespace pelt::ui
