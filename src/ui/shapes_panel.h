#pragma once

#include <string>

namespace pelt::ui {

struct Desk;

/// One slider per morph target.
struct ShapesPanel {
  std::string filter;
};

void draw(ShapesPanel& panel, Desk& desk);

}  // namespace pelt::ui
