#pragma once

#include <memory>
#include <string>

#include "edit/content.h"

namespace pelt::ui {

struct Desk;

/// Clips that play over the chosen one, in the tab "Clips": a list in the order in which they work, all numbers of the
/// one that is open, and a button that bakes them.
struct ClipLayersSection {
  int open = -1;  ///< layer whose numbers are shown
  /// Why the layers cannot be baked, which costs all keys of their clips to find out, and of what it was found out.
  struct Refusal {
    std::weak_ptr<const rig::Character> character;
    Shared<motion::Behaviour> behaviour;
    SharedArray<rig::Layer> pose_layers;
    int clip = -1;
    edit::TimeSettings timing;
    std::string why;
  };
  Refusal refusal;
};
void draw(ClipLayersSection& state, Desk& desk);

}  // namespace pelt::ui
