#pragma once

namespace pelt::ui {

struct Desk;

/// Colliders of springs, below the chains in the tab "Springs": a list of which one at a time shows its numbers and the
/// chains that keep off it, and a new one for the active joint.
struct CollidersSection {
  int chosen = -1;  ///< whose numbers show, -1: none
  int shape = 0;    ///< of the next one, rig::ColliderShape
};
void draw(CollidersSection& state, Desk& desk);

}  // namespace pelt::ui
