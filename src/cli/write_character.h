#pragma once

#include <string>

#include "core/result.h"
#include "gltf/export.h"

namespace pelt::cli {

/// The form that the ending of an output's name asks for; "-" is a .glb. Throws UsageError for other endings, and for
/// what cannot be embedded.
gltf::FileForm form_of_output(const std::string& output, bool embed);

/// Writes a character as glTF, to standard output where `output` is "-", and prints notes on what the new file lacks.
/// Refuses to write over files that were read. @param read  as it was read
Status write_character(const rig::Character& read, const rig::Character& character, const std::string& output,
                       gltf::ExportOptions how);

}  // namespace pelt::cli
