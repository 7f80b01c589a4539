#pragma once

#include <filesystem>
#include <string_view>

#include "core/progress.h"
#include "core/result.h"
#include "gltf/import.h"
#include "rig/character.h"

namespace pelt::formats {

/// Reads a Wavefront OBJ file as a mesh without a skeleton: objects become meshes on nodes, groups and materials their
/// primitives; polygons are triangulated; lines and points stay what they are.
///
/// Materials come from the file's material libraries, and these and their pictures from the file's own folder under the
/// rules of gltf (a path that leaves it is refused and reported). Corners without normals get smoothed ones within
/// smoothing groups; where nothing is smooth there are none, and the surface is shaded flat.
/// @param path  for the name and for what the file names; may be empty where there is no folder
Result<rig::Character> import_obj(std::string_view text, const std::filesystem::path& path,
                                  const gltf::ImportOptions& options = {}, const Progress& progress = {});

}  // namespace pelt::formats
