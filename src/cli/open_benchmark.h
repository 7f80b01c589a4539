#pragma once

#include <string>

#include "core/result.h"

namespace pelt::cli {

/// Opens made-up skinned characters, a .glb of a million vertices and a base64 .gltf of a third of them, again and
/// again for about `seconds` each, in turn with a plain read of the file's bytes and with tinygltf alone. Peak memory
/// is what one opening adds to the process at its highest; 0 where the system does not tell.
/// @returns the table as text, or as JSON
Result<std::string> benchmark_opening(double seconds, bool json);

}  // namespace pelt::cli
