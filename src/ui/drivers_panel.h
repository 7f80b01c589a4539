#pragma once

#include <string>
#include <string_view>

namespace pelt::ui {

struct Desk;

/// Of its row of tabs().
inline constexpr std::string_view kDriversTab = "drivers";

/// The tab "Drivers": each slider and shape that follows an expression with its live value, a field for the
/// expression that says the column of a fault, and its curve over the first thing that it reads; below presets to add.
struct DriversPanel {
  int edited = -1;     ///< the driver whose text is not (yet) that of the document
  std::string text;    ///< that text
  std::string base;    ///< what the document had when it was typed: another one, by undo perhaps, drops the text
  int preset = 0;      ///< row of motion::driver_presets()
  std::string target;  ///< of the driver to be added
  std::string source;  ///< what it is to follow
  std::string filter;  ///< of the choices for `source`
};
void draw(DriversPanel& panel, Desk& desk);

}  // namespace pelt::ui
