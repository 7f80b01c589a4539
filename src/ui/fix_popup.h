#pragma once

#include <string>
#include <vector>

#include "rig/lint.h"

namespace pelt::ui {

struct Desk;
struct ListedFindings;

/// The list of what "Fix" mends: a row for each code with a tick.
struct FixPopup {
  struct Row {
    std::string code;
    std::size_t findings = 0;
    bool is_ticked = true;
  };
  std::vector<Row> rows = {};  ///< taken when the list opened
};

/// The button that opens the list, and the list while it is open.
void draw_fix(FixPopup& popup, const ListedFindings& list, Desk& desk);

/// A button that mends all findings of a code. @pre  rig::fixed() mends them
void draw_fix_of(const std::string& code, Desk& desk);

}  // namespace pelt::ui
