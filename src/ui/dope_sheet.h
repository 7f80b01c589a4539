#pragma once

#include <string>
#include <vector>

#include "ui/key_editor.h"

namespace pelt::ui {

/// A row of the dope sheet: all keys of the clip, of a joint, or of one channel.
struct KeyRow {
  int joint = -1;    ///< -1: the summary
  int channel = -1;  ///< of the clip; -1: all of the joint
  std::string label;
};
/// From top to bottom.
std::vector<KeyRow> key_rows(const KeyEditor& editor, const Desk& desk);
float key_row_height(const Desk& desk);

/// The names at the left; a click selects the joint, an arrow opens its channels.
void draw_row_names(KeyEditor& editor, const std::vector<KeyRow>& rows, const Rect& names, Desk& desk);
/// Keys and what the mouse does with them. Only what shows is drawn.
void draw_dope_sheet(KeyEditor& editor, const std::vector<KeyRow>& rows, const TrackArea& area, Desk& desk);

/// "Rotation", "smile": what a channel moves.
std::string channel_label(const rig::Character& character, const rig::Channel& channel);

}  // namespace pelt::ui
