#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "core/progress.h"
#include "core/result.h"
#include "rig/character.h"

namespace pelt::formats {

/// Reads a Biovision BVH file: an animated skeleton without a mesh, one clip (ALGORITHMS.md §48).
///
/// A joint's local transform is T(its position channels, else its OFFSET) times its rotations in the order in which the
/// file lists the channels, degrees. End sites become nodes, since without them the last bones have no length. Its
/// sliders turn in the file's order.
/// @param path  for the name; may be empty
/// @param metres_per_unit  what one unit of the file is; nothing: guessed from the size of the skeleton as if it were a
///                         person's, and said in a diagnostic
Result<rig::Character> import_bvh(std::string_view text, const std::filesystem::path& path,
                                  std::optional<double> metres_per_unit = {}, const Progress& progress = {});

}  // namespace pelt::formats
