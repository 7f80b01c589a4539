#pragma once

#include "deform/settings.h"

namespace pelt::ui {

struct Desk;

/// Where a skin is computed, as GPU | CPU: the same wherever it can be chosen. Tells whether `backend` changed.
/// @param name   of its halves in the widget report: "NAME.0", "NAME.1"
/// @param width  0: what is left of the line
bool backend_switch(Desk& desk, const char* name, deform::Backend& backend, float width = 0);
/// The least width at which neither word is cut.
float backend_switch_width(const Desk& desk);

}  // namespace pelt::ui
