#pragma once

#include <span>
#include <string>
#include <string_view>

#include "formats/written_part.h"

namespace pelt::formats {

/// A Wavefront OBJ file: one group per part, every vertex in its order, numbers as the shortest text that reads back
/// the same. Texture coordinates are turned upwards as the format wants; those that are not one per vertex are left
/// out. There are no materials. In names stands `_` for blanks, which would end them.
/// @param comment  one line
std::string write_obj(std::string_view comment, std::span<const WrittenPart> parts);

}  // namespace pelt::formats
