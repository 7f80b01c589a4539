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
/// Whether clicks and boxes are about vertices: in the Weights mode. Elsewhere selected vertices are not seen, and
/// nothing is about them.
bool selects_vertices(const Desk& desk);
/// Whether what is done to a selection is about vertices: as the context menu that it is chosen in, else by the mode.
bool is_about_vertices(const Desk& desk);
/// Whether the pinned vertex is seen: in the Weights mode, and where its ghost points are drawn.
bool shows_pin(const Desk& desk);
/// Lets go of what is seen to be selected, by a click beside it or Esc: of vertices with the pinned one, then of
/// joints.
void let_go(Desk& desk);

/// A slider of a joint to a value. Where the joint is selected with others, their sliders of the same name and kind
/// move by as much, from where they were when the drag began.
void change_dof(Desk& desk, int joint, int dof, float value, const std::string& merge_key);

/// One slider back to the base pose's value, and with it those that change_dof() would move, in one step.
/// @param merge_key  of the drag that it ends; empty: it is a step of its own
void reset_dof(Desk& desk, int joint, int dof, const std::string& merge_key);

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

/// The nodes that carry what is selected, as is_about_vertices() says: meshes of selected vertices or of the pinned
/// one, else those that hang on selected joints.
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
