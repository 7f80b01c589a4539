#pragma once

#include <string>

#include "core/result.h"

namespace pelt::cli {

/// Lets every solver of inverse kinematics try the same targets on the chains of motion::ik_chains(), from rest and
/// from the previous result.
/// @param targets  per chain
/// @param peer  path of a shared object with another library's solver, empty: none; machine_output.md says of which
/// form
/// @returns the table as text, or as JSON
Result<std::string> benchmark_ik(int targets, const std::string& peer, bool json);

}  // namespace pelt::cli
