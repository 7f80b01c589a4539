#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/embedded.h"
#include "core/result.h"
#include "gltf/import.h"

namespace pelt::gltf {

/// The characters of assets/ that are part of the program, as GLB files named "mannequin.glb" and so on.
std::span<const EmbeddedFile> bundled_characters();

/// Reads the bundled character of that name ("mannequin", without "@" and extension). The error lists the names there
/// are.
Result<rig::Character> import_bundled(std::string_view name, const ImportOptions& options = {},
                                      const Progress& progress = {});

/// What a person may name wherever a file is expected: "@mannequin" for a bundled character, else a path.
Result<rig::Character> open_character(const std::string& name, const ImportOptions& options = {},
                                      const Progress& progress = {});

}  // namespace pelt::gltf
