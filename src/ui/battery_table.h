#pragma once

#include <cstdint>
#include <vector>

namespace pelt::ui {

struct Desk;

/// The table of worst joints per method, from scene.measurements.
struct BatteryTable {
  int battery = 0;      ///< Measurements::battery_serial of what is sorted
  int sort_column = 1;  ///< 0: joint, 1 + m: method m
  bool ascending = false;
  std::vector<int> order;  ///< rows as shown
  int asked_at = -1;       ///< Workspace::presses when the button asked for it
};

/// Button, progress, verdict and table. A click on a cell selects its joint and sets its worst pose.
void draw(BatteryTable& table, Desk& desk);

/// Asks for the battery over all methods that blend.
void request_battery(Desk& desk);

}  // namespace pelt::ui
