#pragma once

namespace pelt::ui {

struct Desk;

/// Clips that play over the chosen one, in the tab "Clips": a list in the order in which they work, all numbers of the
/// one that is open, and a button that bakes them.
struct ClipLayersSection {
  int open = -1;  ///< layer whose numbers are shown
};
void draw(ClipLayersSection& state, Desk& desk);

}  // namespace pelt::ui
