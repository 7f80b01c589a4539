#pragma once

#include <string_view>

namespace pelt::ui {

struct Desk;

inline constexpr std::string_view kLessonsTab = "lessons";

/// What can be learned, a card each: what one will see, and a button that sets the stage.
struct LessonsPanel {};
void draw(LessonsPanel& panel, Desk& desk);

}  // namespace pelt::ui
