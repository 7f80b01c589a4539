#pragma once

#include <string_view>

namespace pelt::ui {

struct Desk;

inline constexpr std::string_view kKeysTab = "keys";

/// How time is counted, automatic keys, and the selected keys: values, interpolation and tangents.
struct KeysPanel {};
void draw(KeysPanel& panel, Desk& desk);

}  // namespace pelt::ui
