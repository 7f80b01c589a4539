#pragma once

#include <string>

#include "deform/settings.h"

namespace pelt::ui {

struct Desk;
struct SkinningPanel;

/// Smaller weights, what they cost and what they save: a section of the Skinning tab.
/// @param merge  receives what a drag of one of its sliders is merged under, so that it is one step of undo
void draw_diet_section(SkinningPanel& panel, deform::SkinningSettings& settings, std::string& merge, Desk& desk);

}  // namespace pelt::ui
