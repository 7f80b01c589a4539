#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "edit/weight_tools.h"
#include "rig/lint.h"

namespace pelt::edit {

/// The tool that mends what lint found of weights, on the mesh where it was found; nothing where no tool does, or where
/// the character no longer has what was found.
///
/// Sums that are not 1 are normalised, more than four influences limited, strays given to those round them, seams of
/// differing weights welded, weights that differ from their mirror image taken from the left; vertices without weights,
/// and those on a neutral bone, get those round them, and weight on the wrong side goes to the mirrored joint. Unlike
/// what lint fixes by itself, these change how the mesh moves.
std::optional<UseWeightTool> repair_of(const rig::Character& character, const rig::Finding& finding);

/// Codes of findings that repair_of() mends.
std::vector<std::string_view> repairable_codes();

/// What one repair did.
struct WeightRepair {
  rig::Finding finding;
  std::string tool;  ///< id
  WeightDifference difference;
};

/// The character with all of these findings mended that can be, one after the other, and what it took. A finding that
/// only lists some of its vertices is looked for again.
/// @param codes  empty: all that can be
/// @return fails where lint does
Result<std::pair<std::shared_ptr<const rig::Character>, std::vector<WeightRepair>>> with_repaired_weights(
    std::shared_ptr<const rig::Character> character, std::span<const std::string> codes);

}  // namespace pelt::edit
