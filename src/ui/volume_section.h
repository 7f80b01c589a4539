#pragma once

namespace pelt::ui {

struct Desk;

/// Of the tab Bind under the binder by volumes: kind and sizes of the volumes of the active joint.
void draw_volume_section(Desk& desk);

}  // namespace pelt::ui
