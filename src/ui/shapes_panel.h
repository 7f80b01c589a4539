#pragma once

#include <string>

namespace pelt::ui {

struct Desk;

/// One slider per morph target, or for all of one name: as --morph means them.
struct ShapesPanel {
  std::string filter;
  bool together = true;  ///< targets of the same name move as one
};

void draw(ShapesPanel& panel, Desk& desk);

}  // namespace pelt::ui
