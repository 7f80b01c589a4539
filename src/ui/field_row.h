#pragma once

#include <string_view>

#include "bind/binders.h"

namespace pelt::ui {

struct Desk;

/// A row for a number or switch of a binder or a tool of weights: a box, or a slider in the field's range.
/// @param panel  names the widget together with the field's id: "bind.resolution"
/// @returns whether the value changed
bool field_row(Desk& desk, std::string_view panel, const bind::Field& field, double& value);

}  // namespace pelt::ui
