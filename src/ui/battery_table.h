#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pelt::ui {

struct Desk;

/// What follows from a battery: looked for once, since it goes over all joints and methods.
struct BatteryJudgement {
  int serial = 0;  ///< Measurements::battery_serial
  std::string verdict;
  int best = -1;                 ///< MethodBattery::best_method()
  std::vector<double> means;     ///< [method] mean severity
  std::vector<int> best_of_row;  ///< [joint] the method with the smallest severity, if it is better than another
};

/// The table of worst joints per method, from scene.measurements.
struct BatteryTable {
  BatteryJudgement judgement = {};
  int battery = 0;      ///< Measurements::battery_serial of what is sorted
  int sort_column = 1;  ///< 0: joint, 1 + m: method m
  bool ascending = false;
  std::vector<int> order;  ///< rows as shown
  int asked_at = -1;       ///< Workspace::presses when the button asked for it
  int shown = 0;           ///< Measurements::battery_serial for which the panel was opened
  bool open = false;       ///< the panel below the picture
};

/// Button, progress, verdict; the table has a panel of its own.
void draw(BatteryTable& table, Desk& desk);

/// Opens the panel once for each battery that has come.
void open_battery_panel(BatteryTable& table, const Desk& desk);
/// What the panel would like to have, pixels; 0 while it is closed or has nothing to show.
float battery_panel_height(const BatteryTable& table, const Desk& desk);
/// All joints under all methods, over the whole width of the window. A click on a cell selects its joint and sets its
/// worst pose.
void draw_battery_panel(BatteryTable& table, Desk& desk);

/// Asks for the battery over all methods that blend.
void request_battery(Desk& desk);

}  // namespace pelt::ui
