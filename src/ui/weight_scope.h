#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pelt::rig {
struct Character;
}

namespace pelt::ui {

struct Desk;

/// Where an edit of weights applies: the one choice of the tab Tools and of the section Smooth.
struct WeightScope {
  enum Area { kSelection, kJoint, kAll, kVertex };
  /// Goes to the selection when there is one, and back to all when it is gone; kVertex stays, since the click that pins
  /// a vertex selects it.
  int area = kAll;
  bool had_selection = false;  ///< in the last picture
};

/// Brings the scope up to date with the selection, and draws the row "Where" with a sentence that says how much it is.
/// @param id           of the widget: "tools.area"; the sentence is reported as "tools.scope"
/// @param with_vertex  offers the disc round the pinned vertex, too
void draw_weight_scope(WeightScope& scope, const char* id, bool with_vertex, Desk& desk);

/// Why nothing can be edited in the scope; empty where it can, as far as is known without a look at the weights.
std::string why_no_scope(const WeightScope& scope, const Desk& desk);

/// Meshes that hang on a skin, each once.
std::vector<int> skinned_meshes(const rig::Character& character);
/// The vertices of a mesh that the scope names, through all of its primitives, ascending; empty for kAll and kVertex.
std::vector<std::uint32_t> scope_vertices(const WeightScope& scope, int mesh, const Desk& desk);

}  // namespace pelt::ui
