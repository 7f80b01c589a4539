#pragma once

#include <optional>

#include "edit/weight_tools.h"
#include "rig/lint.h"

namespace pelt::edit {

/// The tool that mends what lint found of weights, on the mesh where it was found; nothing where no tool does.
///
/// Sums that are not 1 are normalised, more than four influences limited, strays given to those round them, seams of
/// differing weights welded, and weights that differ from their mirror image taken from the left. Unlike what lint
/// fixes by itself, these change how the mesh moves.
std::optional<UseWeightTool> repair_of(const rig::Finding& finding);

}  // namespace pelt::edit
