#pragma once

#include <string_view>

namespace pelt::ui {

struct Desk;

inline constexpr std::string_view kConstraintsTab = "constraints";

/// The tab "Constraints": those of the document, each with its numbers, and one made of the selected joints.
struct ConstraintsSection {
  int kind = 0;             ///< of what is made, in motion::constraint_kinds()
  bool keep_offset = true;  ///< of what is made
};
void draw(ConstraintsSection& state, Desk& desk);

}  // namespace pelt::ui
