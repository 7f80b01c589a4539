#pragma once

#include <string>
#include <string_view>

namespace pelt::ui {

/// Of its row of tabs().
inline constexpr std::string_view kShapesTab = "shapes";

struct Desk;

/// One slider per morph target, or for all of one name: as --morph means them.
struct ShapesPanel {
  std::string filter;
  bool together = true;  ///< targets of the same name move as one
};

void draw(ShapesPanel& panel, Desk& desk);

}  // namespace pelt::ui
