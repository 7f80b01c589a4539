#pragma once

#include <optional>

#include "deform/vertex_steps.h"

namespace pelt::ui {

struct Desk;

/// How the pinned vertex gets to its place in a pane; nothing where none is pinned that the character has.
std::optional<deform::VertexSteps> pinned_steps(const Desk& desk, int pane);

/// The vertex under the mouse, else the pinned one, step by step: where it was bound, what each of its joints makes of
/// it, their weights, their sum, and what the method of the active pane makes of that.
void draw_vertex_section(Desk& desk);

}  // namespace pelt::ui
