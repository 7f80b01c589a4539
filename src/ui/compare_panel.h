#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <glm/glm.hpp>

#include "deform/settings.h"
#include "edit/document.h"
#include "ui/battery_table.h"

namespace pelt::ui {

/// Of its row of tabs().
inline constexpr std::string_view kCompareTab = "compare";

struct Desk;
struct Measurements;
struct Workspace;

/// Panes and how each is skinned, difference maps, numbers, plots, the battery of poses.
struct ComparePanel {
  int quantity = 0;        ///< of the plot: row of edit::skin_quantities()
  bool over_clip = false;  ///< the plot runs over the clip, else over a DOF of the selected joint
  int dof = 0;             ///< of the selected joint, for the plot
  /// The slider moved last, joint and DOF, until the plot has followed it.
  std::optional<glm::ivec2> moved = {};
  int reveal_plot = 0;     ///< pictures in which the panel still scrolls to the plot once it is there
  int reveal_battery = 0;  ///< pictures in which it still scrolls to the battery
  bool scrubbing = false;  ///< the mouse is dragged over the plot
  /// What a plot is of, besides its axis.
  struct Subject {
    std::vector<deform::SkinningSettings> panes;
    glm::ivec2 pinned;
    bool operator==(const Subject&) const = default;
  };
  /// Of the plot that was measured again by itself: once, so that a cancelled one stays so.
  std::optional<Subject> replotted = {};
  BatteryTable battery;
  int seen_battery = 0;  ///< Measurements::battery_serial when the panel was last drawn
};

void draw(ComparePanel& panel, Desk& desk);

/// Asks for the plot that the panel's controls describe; does nothing where there is neither joint nor clip for it.
void request_plot(const ComparePanel& panel, Desk& desk);
/// Looks through the picture's commands for a slider that was moved, by hand or by its ring: the plot goes over that
/// one from now on.
void note_moved_slider(ComparePanel& panel, const Desk& desk);
/// Scrolls to the plot as soon as it is measured.
void reveal_plot(ComparePanel& panel);
/// Scrolls to the battery of poses.
void reveal_battery(ComparePanel& panel);
/// For a window that leaves the panel no room: what is not drawn would be waited for without end.
void stop_revealing(ComparePanel& panel);
/// Whether the panel is in sight and scrolling to something that is there: that takes more pictures than an event gets.
[[nodiscard]] bool revealing(const Workspace& workspace, const Measurements& measured);
[[nodiscard]] bool can_plot(const ComparePanel& panel, const Desk& desk);

void set_pane_count(Desk& desk, int count);
/// Ends what needs panes that are no longer there, however they went: the wipe, and the comparison with one of them.
/// @pre  no request that changes the panes waits to be carried out
void forget_lost_panes(Workspace& workspace, const edit::Document& document);
void toggle_wipe(Desk& desk);
/// Turns the difference map on, with what was chosen last, or goes back to the look before it.
void toggle_difference(Desk& desk);

}  // namespace pelt::ui
