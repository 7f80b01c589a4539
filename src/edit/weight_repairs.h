#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "edit/selection.h"
#include "edit/weight_tools.h"
#include "rig/lint.h"

namespace pelt::edit {

/// The vertices that a finding is about, counted through all primitives of its mesh, ascending. A finding of the reader
/// lists few of them or none: the rows of weights are searched for what it says. Empty where it is about none.
std::vector<std::uint32_t> found_vertices(const rig::Character& character, const rig::Finding& finding);
/// The few vertices that the place of a finding names, likewise; empty where it names none.
std::vector<std::uint32_t> listed_vertices(const rig::Character& character, const rig::LintPlace& place);
/// Vertices of a mesh as the selection of all parts that show them.
/// @param mesh_vertices  counted through all primitives of the mesh
VertexSelection selection_of(const rig::Character& character, int mesh, std::span<const std::uint32_t> mesh_vertices);

/// The tool that mends what lint found of weights, on the vertices and joints that the finding names and on nothing
/// else; nothing where no tool does, or where the character no longer has what was found.
///
/// Sums that are not 1 are normalised, more than four influences limited, strays given to those round them, seams of
/// differing weights welded, weights that differ from their mirror image taken from the left; vertices without weights,
/// and those on a neutral bone, get those round them, weight on the wrong side goes to the mirrored joint, that on a
/// joint far away to the others of the vertex, and what was cut off becomes a falloff. Unlike
/// what lint fixes by itself, these change how the mesh moves.
/// @param finding  of this character, or of one that has other weights
std::optional<UseWeightTool> repair_of(const rig::Character& character, const rig::Finding& finding);

/// Codes of findings that repair_of() mends.
std::vector<std::string_view> repairable_codes();

/// What one repair did.
struct WeightRepair {
  rig::Finding finding;
  std::string tool;  ///< id; empty where there was nothing to use one on
  WeightDifference difference = {};
  std::size_t named = 0;   ///< vertices that the finding names
  std::size_t beyond = 0;  ///< changed ones that it does not name
  std::size_t left = 0;    ///< vertices that findings of this code and joint name on the mesh when all is done
  std::string why = {};    ///< why nothing changed; empty where something did
};
/// In words: "3 of the 3 vertices named and none beyond, by 0.31 of the weight at most and 0.08 on average; none left".
std::string sentence(const WeightRepair& repair);

/// The character with all of these findings mended that can be, one after the other, and what it took: a row for each
/// finding and round, those that changed nothing with the reason. What mends bring about is looked for again.
/// @param codes  empty: all that can be
/// @return fails where lint does
Result<std::pair<std::shared_ptr<const rig::Character>, std::vector<WeightRepair>>> with_repaired_weights(
    std::shared_ptr<const rig::Character> character, std::span<const std::string> codes);

}  // namespace pelt::edit
