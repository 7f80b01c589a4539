#pragma once

namespace pelt::ui {

struct Desk;

/// Whatever would lose work waits in Workspace::leaving for an answer.
void hold_back(Desk& desk);
/// The question, while something waits.
void draw_leaving(Desk& desk);
/// What sessions ask: work to be recovered, a character that lies elsewhere or is not there.
void draw_session_questions(Desk& desk);

}  // namespace pelt::ui
