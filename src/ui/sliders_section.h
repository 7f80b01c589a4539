#pragma once

#include <string>

namespace pelt::ui {

struct Desk;

/// Sliders that mean something, in the tab "Shapes": moved, proposed from names, learned from the pose, taken away.
struct SlidersSection {
  std::string name;  ///< for the one to be learned
};
void draw(SlidersSection& state, Desk& desk);

}  // namespace pelt::ui
