#pragma once

#include <string>
#include <vector>

#include "ui/tree_panel.h"
#include "ui/widget_report.h"

namespace pelt::ui {

struct Desk;

/// A small picture at the end of a row of the tree that a click changes.
struct RowMark {
  /// The eye of a node or a part: whether it is drawn, which a click changes for this session. The padlock of a joint,
  /// in the Weights mode: whether edits of weights leave what it has alone.
  enum class Kind { kEye, kLock } kind = Kind::kEye;
  bool on = false;  ///< hidden; locked
  std::string help = {};
  float left = 0;  ///< pixels, where it was drawn
};
/// Of a row, from the right: those that tell something, and where the mouse points at the row all it can have.
std::vector<RowMark> row_marks(const Desk& desk, const TreeRow& row, bool hovered);
void draw_mark(Desk& desk, const TreeRow& row, const RowMark& mark, const Rect& at, bool current);
void click_mark(Desk& desk, const TreeRow& row, const RowMark& mark);

}  // namespace pelt::ui
