#pragma once

namespace pelt::ui {

struct ComparePanel;
struct Desk;

/// What is plotted over what, the plot and its file: a section of the Compare tab.
void draw_plot_section(ComparePanel& panel, Desk& desk);

}  // namespace pelt::ui
