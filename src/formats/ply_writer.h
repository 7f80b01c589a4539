#pragma once

#include <span>
#include <string>
#include <string_view>

#include "formats/written_part.h"

namespace pelt::formats {

/// A binary little-endian PLY file: the vertices of all parts in order, then the triangles of all parts; lines and
/// points are left out. Normals are written where every part has one per vertex.
/// @param comment  one line
std::string write_ply(std::string_view comment, std::span<const WrittenPart> parts);

}  // namespace pelt::formats
