#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rig/hiding.h"

namespace pelt::ui {

struct Desk;

/// All of the shown surface that is out of sight, nodes by file and eye included.
rig::HiddenSurface hidden_surface(const Desk& desk);

// Faces by the selected vertices; what is hidden is selected no longer.
void hide_selected_faces(Desk& desk);
void hide_other_faces(Desk& desk);
void show_all_faces(Desk& desk);
bool hides_faces(const Desk& desk);

/// The parts that "this part" means: what the context menu was opened over, else those with selected vertices, else the
/// pinned vertex's.
std::vector<int> parts_meant(const Desk& desk);
void hide_parts(Desk& desk);
void show_only_parts(Desk& desk);
void set_part_hidden(Desk& desk, int part, bool hidden);

/// "1 · Skin": its number within the mesh and its material.
std::string part_label(const rig::Character& character, int part);

/// Shows all meshes, parts and faces again.
void show_everything(Desk& desk);
bool hides_anything(const Desk& desk);

/// Shows again what was hidden of a surface that is no longer the one shown, and says so. @cost O(P) where it is
void follow_hiding(Desk& desk);

/// How many faces and parts are hidden, counted once for each state.
struct HiddenCount {
  rig::SharedHiding of;
  std::int64_t faces = 0;
};

/// In the status bar, with its right end at `right`: what is hidden; a click shows it again.
/// @returns its width, 0 where nothing is hidden or there is no room
float draw_hidden_fact(Desk& desk, float right);

}  // namespace pelt::ui
