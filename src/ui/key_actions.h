#pragma once

namespace pelt::ui {

struct Desk;

// What menus, keys and the tab Keys do with keys of the clip that plays.

/// A key at the playhead for the selected joints, and for what else is posed by hand.
void insert_keys(Desk& desk);
void remove_selected_keys(Desk& desk);
/// The clipboard of keys, which also goes from clip to clip.
void copy_keys(Desk& desk);
/// The first copied key comes to the playhead.
void paste_keys(Desk& desk);
/// The playhead to the next key of the selected joints, or of all where none is selected; -1: to the one before.
void go_to_key(Desk& desk, int direction);
/// All keys of the selected joints, or of all joints.
void select_all_keys(Desk& desk);
void snap_selected_keys(Desk& desk);
void toggle_auto_key(Desk& desk);
bool has_selected_keys(const Desk& desk);
bool has_copied_keys(const Desk& desk);

}  // namespace pelt::ui
