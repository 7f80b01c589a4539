#pragma once

#include <span>
#include <string>

#include "core/file.h"
#include "core/result.h"

namespace pelt::formats {

/// By what a session knows its character's file again: "sha256:" and the hash of the file and of what it was read with,
/// pictures left out, since they change nothing of what is edited. Of a bundled character its own bytes.
/// @param name    path or "@mannequin"
/// @param beside  as gltf::ImportOptions::files gave them
/// @cost  reads the files again
Result<std::string> source_hash(const std::string& name, std::span<const StampedFile> beside);

}  // namespace pelt::formats
