#pragma once

#include <string>

namespace pelt::cli {

/// How VRM's reference algorithm and the exact springs move the same made-up braid at 15 to 480 frames per second, how
/// far each is from itself at 60 frames per second, how far they are from each other, and what a frame costs.
/// @returns the table as text, or as JSON
std::string benchmark_springs(bool json);

}  // namespace pelt::cli
