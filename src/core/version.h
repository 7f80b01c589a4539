#pragma once

#include <string_view>

namespace pelt {

/// Of the program: "0.1.0".
std::string_view version();
/// What it is, without a full stop.
std::string_view description();

}  // namespace pelt
