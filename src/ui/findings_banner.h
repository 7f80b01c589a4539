#pragma once

#include "ui/layout.h"

namespace pelt::ui {

struct Desk;

/// Where the banner was put, so that it stays there.
struct FindingsBanner {
  bool is_below = false;  ///< at the lower edge of the picture instead of beside the toolbar
};

/// Where the banner stands in the picture; empty where there is nothing to say, or no room.
Rect findings_banner_rect(const Desk& desk);

/// The banner over the picture that says how many errors and warnings the open character has, with buttons that show
/// them in the Info tab and close the banner for this character. While the first search runs it says so.
void draw_findings_banner(Desk& desk);

}  // namespace pelt::ui
