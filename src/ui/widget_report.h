#pragma once

#include <map>
#include <string>

#include "ui/layout.h"

namespace pelt::ui {

/// Names and rectangles of the widgets drawn in one frame, so that a test (or a screen reader one day) can find them.
/// Only what is visible is listed.
using WidgetReport = std::map<std::string, Rect>;

}  // namespace pelt::ui
