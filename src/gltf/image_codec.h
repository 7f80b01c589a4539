#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace pelt::gltf {

/// "image/png", "image/jpeg", "image/webp" or "image/ktx2" by the first bytes; empty for anything else.
std::string_view sniff_mime_type(std::span<const std::uint8_t> encoded);

struct ImageSize {
  int width = 0;
  int height = 0;
};

/// Size from the header of a PNG, JPEG or WebP, without decoding. Fails on a side above `max_side` and on a PNG whose
/// pixels cannot possibly come out of so few bytes.
Result<ImageSize> image_size(std::span<const std::uint8_t> encoded, int max_side);

/// Decodes a PNG, JPEG or WebP to 8-bit RGBA, rows top to bottom. @pre image_size() succeeded
Result<std::vector<std::uint8_t>> decode_image(std::span<const std::uint8_t> encoded, ImageSize size);

/// PNG from 8-bit RGBA. @pre pixels.size() == 4 * width * height, both positive
std::vector<std::uint8_t> encode_png(std::span<const std::uint8_t> pixels, ImageSize size);

}  // namespace pelt::gltf
