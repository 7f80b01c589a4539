#pragma once

#include <string_view>

namespace pelt::ui {

struct Desk;

inline constexpr std::string_view kSpringsTab = "springs";

/// The tab "Springs": chains that swing with how fast and how long, wind, and a chain for the active joint.
struct SpringsSection {};
void draw(SpringsSection& state, Desk& desk);

}  // namespace pelt::ui
