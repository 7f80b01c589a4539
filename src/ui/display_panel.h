#pragma once

namespace pelt::ui {

struct Desk;

/// Look, overlays, light, camera and the window itself.
struct DisplayPanel {};

void draw(DisplayPanel& panel, Desk& desk);

}  // namespace pelt::ui
