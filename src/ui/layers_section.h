#pragma once

#include <string_view>

namespace pelt::ui {

struct Desk;

inline constexpr std::string_view kLayersTab = "layers";

/// The tab "Layers": what makes pose and shape one after the other, with a switch, the fields of each kind, and a
/// mark behind which nothing more is seen.
struct LayersPanel {};
void draw(LayersPanel& panel, Desk& desk);

}  // namespace pelt::ui
