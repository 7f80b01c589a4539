#pragma once

namespace pelt::ui {

struct Desk;

/// The section "Surface": levels of subdivision and of detail, T-junctions (algorithms.md §52).
void draw_surface_section(Desk& desk);

}  // namespace pelt::ui
