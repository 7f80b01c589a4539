#pragma once

#include <string_view>

namespace pelt::ui {

/// Of its row of tabs().
inline constexpr std::string_view kDisplayTab = "display";

struct Desk;

/// Look, overlays, light, camera and the window itself.
struct DisplayPanel {};

void draw(DisplayPanel& panel, Desk& desk);

}  // namespace pelt::ui
