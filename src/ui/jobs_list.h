#pragma once

namespace pelt::ui {

struct Desk;

/// What runs in the background, for the status bar: the job that has taken longest, and how many there are. What is
/// over within half a second is not shown. Draws nothing where nothing runs.
/// @param right  where it ends, as ImGui counts positions within the line
/// @returns the width taken
float draw_jobs_fact(Desk& desk, float right);
/// The list that a click on that opens: every job with its progress, and a button that cancels it, but for what follows
/// each picture and would begin again with the next.
void draw_jobs_list(Desk& desk);

}  // namespace pelt::ui
