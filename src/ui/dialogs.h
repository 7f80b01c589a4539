#pragma once

namespace pelt::ui {

struct Desk;

/// Whatever would lose a changed pose waits in Workspace::leaving for an answer.
void hold_back(Desk& desk);
/// The question, while something waits.
void draw_leaving(Desk& desk);

}  // namespace pelt::ui
