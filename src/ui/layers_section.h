#pragma once

namespace pelt::ui {

struct Desk;

/// The section "Layers": what makes pose and shape one after the other, with a switch, the fields of each kind, and a
/// mark behind which nothing more is seen.
void draw_layers_section(Desk& desk);

}  // namespace pelt::ui
