#pragma once

#include <span>
#include <string>
#include <vector>

#include "edit/pose_edits.h"
#include "edit/selection.h"
#include "ui/layout.h"

namespace pelt::ui {

struct Desk;

/// What Shift and Ctrl say now: Shift adds, Ctrl toggles.
edit::SelectBy select_by_keys();

/// Selects joints everywhere: tree, viewport, tabs. The last one picked becomes the active one.
void select(Desk& desk, std::vector<int> picked, edit::SelectBy by);
/// One alone; none with -1.
void select(Desk& desk, int joint);
void select_vertices(Desk& desk, const edit::VertexSelection& picked, edit::SelectBy by);
/// Whether clicks and boxes are about vertices: in the Weights mode.
bool selects_vertices(const Desk& desk);

/// A slider of a joint to a value. Where the joint is selected with others, their sliders of the same name and kind
/// move by as much, from where they were when the drag began.
void change_dof(Desk& desk, int joint, int dof, float value, const std::string& merge_key);

/// A slider of another joint that goes with the one that is dragged.
struct FollowingSlider {
  int joint = -1;
  int dof = -1;
  float start = 0;
};
/// The drag that change_dof() was called for last.
struct SliderDrag {
  int press = -1;  ///< Workspace::presses
  int joint = -1;
  int dof = -1;
  float start = 0;
  std::vector<FollowingSlider> others;
};

/// Resets what is selected, in one step.
void reset_selected(Desk& desk, edit::ResetScope scope, edit::ResetTo to);

/// The nodes that carry what is selected: meshes of selected vertices, else those that hang on selected joints.
std::vector<int> selected_mesh_nodes(const Desk& desk);
/// Hides them; shows nothing but them; shows everything that a person has hidden.
void hide_nodes(Desk& desk, std::span<const int> nodes);
void isolate_nodes(Desk& desk, std::span<const int> nodes);

/// The section "Selection": how much is selected, ways to select more, and selections with a name.
struct SelectionSection {
  std::string name;     ///< being typed
  float least = 0.01f;  ///< weight from which on a vertex is one of the joint's
  edit::SurfaceCache surfaces = {};
};
void draw_selection_section(SelectionSection& section, Desk& desk);

}  // namespace pelt::ui
