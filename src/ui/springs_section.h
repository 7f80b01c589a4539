#pragma once

namespace pelt::ui {

struct Desk;

/// Springs, in the tab "Layers": chains that swing with how fast and how long, wind, and a chain for the active joint.
struct SpringsSection {};
void draw(SpringsSection& state, Desk& desk);

}  // namespace pelt::ui
