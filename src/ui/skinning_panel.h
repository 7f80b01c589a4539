#pragma once

namespace pelt::ui {

struct Desk;

/// How the skin is computed, what it costs, and whether both backends agree.
struct SkinningPanel {};

void draw(SkinningPanel& panel, Desk& desk);

}  // namespace pelt::ui
