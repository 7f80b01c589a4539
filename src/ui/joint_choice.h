#pragma once

#include <string>

namespace pelt::ui {

struct Desk;

/// A drop-down of all joints with a field to search in, which shows and selects the active one.
/// @param filter  what is being searched for, kept from picture to picture
void draw_joint_choice(std::string& filter, Desk& desk);

}  // namespace pelt::ui
