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

/// How much the pictures of one character may take when they are decoded, so that a few kilobytes do not become a
/// gigabyte: a sum that any file may use and a multiple of the file's own size. In bytes of 8-bit RGBA, and while a
/// picture is being decoded.
class PictureBudget {
 public:
  /// @param source_bytes  of the file and of what was read beside it
  explicit PictureBudget(std::size_t source_bytes);
  /// More was read.
  void add(std::size_t source_bytes);

  /// Takes the room for a picture of that size, or says why there is none. @pre image_size(encoded) gave `size`
  Status take(std::span<const std::uint8_t> encoded, ImageSize size);

 private:
  std::size_t pixels_left_;
};

/// Bytes that decode_image() takes at most while it runs, the result included. From the header. @pre as decode_image()
std::size_t decoding_bytes(std::span<const std::uint8_t> encoded, ImageSize size);

/// Pictures that are decoded beside each other take at most so many of decoding_bytes() together; one alone may take
/// more.
inline constexpr std::size_t kDecodedTogether = std::size_t{512} << 20;

/// Decodes a PNG, JPEG or WebP to 8-bit RGBA, rows top to bottom. @pre image_size() succeeded
Result<std::vector<std::uint8_t>> decode_image(std::span<const std::uint8_t> encoded, ImageSize size);

/// PNG from 8-bit RGBA, without alpha where all of it is 255; the same bytes for any number of threads.
/// @pre pixels.size() == 4 * width * height, both positive
std::vector<std::uint8_t> encode_png(std::span<const std::uint8_t> pixels, ImageSize size);

}  // namespace pelt::gltf
