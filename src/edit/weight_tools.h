#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bind/binders.h"
#include "core/progress.h"
#include "core/result.h"
#include "edit/document.h"
#include "edit/weight_text.h"
#include "mesh/influences_patch.h"
#include "mesh/welded_surface.h"

namespace pelt::edit {

struct MadeWeights;
struct TransferMatch;
struct WeightCuts;

/// Changes the weights of one mesh by a row of weight_tools(), ALGORITHMS.md §38 and §39, on the file's own surface:
/// with another one shown, the own one comes back. Weights of every node that carries the mesh change.
struct UseWeightTool {
  std::string tool = {};            ///< id of a row
  std::vector<double> values = {};  ///< one per field, taken into its range; empty: as the fields stand
  int mesh = 0;
  int primitive = -1;                        ///< -1: vertices are counted through all primitives of the mesh
  SharedArray<std::uint32_t> vertices = {};  ///< which, in any order; empty: all
  SharedArray<float> strengths = {};         ///< one per vertex, 0 to 1: how far they go; empty: 1 each
  /// Copies of the chosen vertices at the same places stay unless they are chosen, too: of a mend, which changes what
  /// it was asked to and nothing else. Otherwise a place changes as a whole, so that no seam opens.
  bool only_chosen = false;
  std::vector<int> joints = {};                            ///< as the row asks for (ToolJoints)
  std::vector<int> locked = {};                            ///< joints that keep their weights bit for bit
  std::shared_ptr<const rig::Character> source = nullptr;  ///< whom a row takes weights from
  std::shared_ptr<const WeightTable> table = nullptr;      ///< or a text
  /// The mesh's, from whoever keeps it from one edit to the next; made anew where it is null or of other arrays.
  std::shared_ptr<const mesh::WeldedSurface> surface = nullptr;
  /// The same change of the very character it is carried out on, see weight_foresight.h; else it is made here.
  std::shared_ptr<const MadeWeights> made = nullptr;
};

/// Which joints a tool asks for.
enum class ToolJoints : std::uint8_t {
  kNone,     ///< none; those that are given are not looked at
  kOne,      ///< the one whose weight it changes
  kTwo,      ///< from the first to the second
  kSeveral,  ///< two or more: the last one gets what the others have
  kAny,      ///< those it looks at; none: all
};

struct WeightToolRun;

/// A tool of weights: a row, of which window, verbs, tests and help make theirs.
struct WeightTool {
  std::string_view id;     ///< of the operation: "hammer"
  std::string_view label;  ///< of the button
  std::string_view help;
  ToolJoints joints = ToolJoints::kNone;
  std::span<const bind::Field> fields = {};
  bool needs_source = false;  ///< takes weights from another character
  bool needs_table = false;   ///< takes weights from a text
  /// Why it cannot be used, in words; null: nothing but what all tools ask for.
  std::string (*refusal)(const WeightToolRun& run) = nullptr;
  /// [P] by primitive. @pre  it is not refused
  std::vector<mesh::InfluencesPatch> (*make)(const WeightToolRun& run) = nullptr;
};
std::span<const WeightTool> weight_tools();
/// Null where there is none of that id.
const WeightTool* find_weight_tool(std::string_view id);
/// The fields as they are before anybody changed them.
std::vector<double> standard_values(const WeightTool& tool);

/// The character with what the tool changes, null where it changes nothing; fails where the tool is refused, saying
/// why. @pre  mesh, primitive, vertices and joints are the character's
/// @param out_match  gets what a transfer or a mirror found, where it is not null and the tool is one
/// @param progress   of a transfer; where it asks to stop, the result means nothing
/// @param out_cuts   gets what was cut, where it is not null
Result<std::shared_ptr<const rig::Character>> with_weight_tool(const rig::Character& character,
                                                               const UseWeightTool& change,
                                                               TransferMatch* out_match = nullptr,
                                                               const Progress& progress = {},
                                                               WeightCuts* out_cuts = nullptr);

/// Vertices to which an edit would have given more influences than they may have (mesh::Influences::most()), and which
/// lost more than mesh::kLeastCut of their weight so.
struct WeightCuts {
  std::size_t vertices = 0;
  double largest = 0;  ///< weight, 0 to 1
};
WeightCuts cuts_in(std::span<const mesh::InfluencesPatch> patches);
/// In words: "3 of them lost influences for which there is no place, 0.05 of the weight at most"; empty for none.
std::string sentence(const WeightCuts& cuts);

/// What an edit made of a mesh's weights, to be shown before it is accepted.
struct WeightDifference {
  std::size_t vertices = 0;     ///< whose weights are others
  double largest = 0;           ///< of a vertex: how much weight went from joints to others, 0 to 1
  double mean = 0;              ///< over these vertices
  std::size_t part = 0;         ///< primitive of the largest
  std::size_t vertex = 0;       ///< and its vertex there
  std::size_t most_joints = 0;  ///< influences of a vertex afterwards
  WeightCuts cuts = {};         ///< influences that these vertices lost; zeros where nobody asked the edit for them
};
/// What was cut cannot be seen in the two. @pre  both have the mesh with the same vertices
/// @cost O(rows that are not shared)
WeightDifference weight_difference(const rig::Character& before, const rig::Character& after, int mesh);
/// In words: "12 vertices, by 0.31 of the weight at most and 0.08 on average", and what was cut.
std::string sentence(const WeightDifference& difference);

// In words, what it makes of the document, what whoever asked for it should know, and why it is refused.
std::string label(const Document& document, const UseWeightTool& change);
void carry_out(const Document& document, const UseWeightTool& change, Content& content, View& view);
std::string remark(const Document& document, const UseWeightTool& change);
std::string refusal(const Document& document, const UseWeightTool& change);

}  // namespace pelt::edit
