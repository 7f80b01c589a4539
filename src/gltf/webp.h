#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/result.h"
#include "gltf/image_codec.h"

namespace pelt::gltf {

/// Size from the header of a WebP, without decoding.
Result<ImageSize> webp_size(std::span<const std::uint8_t> encoded);

/// Decodes a WebP to 8-bit RGBA, rows top to bottom. @pre webp_size() gave `size`
Result<std::vector<std::uint8_t>> decode_webp(std::span<const std::uint8_t> encoded, ImageSize size);

}  // namespace pelt::gltf
