#include "gltf/image_codec.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "gltf/webp.h"

// The only unit that compiles stb_image, with nothing but the two formats that glTF itself knows.
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_NO_STDIO
#define STBI_MAX_DIMENSIONS 65536
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb_image.h>
#pragma GCC diagnostic pop

namespace pelt::gltf {
namespace {

bool starts_with(std::span<const std::uint8_t> bytes, std::string_view signature, std::size_t at = 0) {
  return bytes.size() >= at + signature.size() &&
         std::equal(signature.begin(), signature.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at),
                    [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
}

// Four 4K textures, and eight pixels for each byte of the file.
constexpr std::size_t kFreePixels = std::size_t{64} << 20;
constexpr std::size_t kPixelsPerFileByte = 8;
// One picture may have the pixels of a 4K texture however few bytes it takes: textures of one colour do. A larger one
// must have a byte for so many; deflate writes a plain surface of one channel in a byte for 1032.
constexpr std::size_t kPlainPixels = std::size_t{4096} * 4096;
constexpr std::size_t kPixelsPerPictureByte = 1032;

std::size_t pixels_of(ImageSize size) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
}

int length_of(std::span<const std::uint8_t> bytes) {
  return static_cast<int>(std::min<std::size_t>(bytes.size(), std::numeric_limits<int>::max()));
}

}  // namespace

std::string_view sniff_mime_type(std::span<const std::uint8_t> encoded) {
  if (starts_with(encoded, "\x89PNG\r\n\x1a\n")) {
    return "image/png";
  }
  if (starts_with(encoded, "\xff\xd8\xff")) {
    return "image/jpeg";
  }
  if (starts_with(encoded, "RIFF") && starts_with(encoded, "WEBP", 8)) {
    return "image/webp";
  }
  if (starts_with(encoded, "\xabKTX 20\xbb\r\n\x1a\n")) {
    return "image/ktx2";
  }
  return {};
}

Result<ImageSize> image_size(std::span<const std::uint8_t> encoded, int max_side) {
  ImageSize size;
  int channels = 0;
  if (sniff_mime_type(encoded) == "image/png" && encoded.size() >= 24) {
    // Read here, since stb_image has no words for a header that promises too much.
    const auto big_endian = [&](std::size_t at) {
      return std::uint32_t{encoded[at]} << 24 | std::uint32_t{encoded[at + 1]} << 16 |
             std::uint32_t{encoded[at + 2]} << 8 | std::uint32_t{encoded[at + 3]};
    };
    if (const std::uint32_t side = std::max(big_endian(16), big_endian(20));
        side > static_cast<std::uint32_t>(max_side)) {
      return error("{} x {} pixels, expected at most {} on a side", big_endian(16), big_endian(20), max_side);
    }
  }
  if (sniff_mime_type(encoded) == "image/webp") {
    PELT_TRY_TO(const ImageSize webp, webp_size(encoded));
    size = webp;
  } else if (stbi_info_from_memory(encoded.data(), length_of(encoded), &size.width, &size.height, &channels) == 0) {
    return error("not a readable PNG, JPEG or WebP ({})", stbi_failure_reason());
  }
  if (size.width < 1 || size.height < 1 || size.width > max_side || size.height > max_side) {
    return error("{} x {} pixels, expected at most {} on a side", size.width, size.height, max_side);
  }
  // Deflate shrinks at most 1032 times, one-bit pixels give eight pixels a byte: a header that promises more lies.
  constexpr std::int64_t kPixelsPerByte = 1032 * 8;
  const std::int64_t pixels = std::int64_t{size.width} * size.height;
  if (sniff_mime_type(encoded) == "image/png" && pixels > kPixelsPerByte * static_cast<std::int64_t>(encoded.size())) {
    return error("{} x {} pixels cannot come out of {} bytes", size.width, size.height, encoded.size());
  }
  return size;
}

PictureBudget::PictureBudget(std::size_t source_bytes)
    : pixels_left_(kFreePixels + kPixelsPerFileByte * source_bytes) {}

void PictureBudget::add(std::size_t source_bytes) {
  pixels_left_ += kPixelsPerFileByte * source_bytes;
}

Status PictureBudget::take(std::span<const std::uint8_t> encoded, ImageSize size) {
  const std::size_t pixels = pixels_of(size);
  if (pixels > std::max(kPlainPixels, kPixelsPerPictureByte * encoded.size())) {
    return error("{} x {} pixels are more than a picture of {} bytes warrants", size.width, size.height,
                 encoded.size());
  }
  if (pixels > pixels_left_) {
    return error("{} x {} pixels are more than a file of this size warrants", size.width, size.height);
  }
  pixels_left_ -= pixels;
  return {};
}

std::size_t decoding_bytes(std::span<const std::uint8_t> encoded, ImageSize size) {
  constexpr std::size_t kDepthByte = 24;
  constexpr std::size_t kInterlaceByte = 28;
  if (sniff_mime_type(encoded) != "image/png" || encoded.size() <= kInterlaceByte) {
    return 16 * pixels_of(size);  // a JPEG's coefficients, planes and colours
  }
  // stb_image holds the inflated and the unfiltered samples, and those of the interlaced picture; then it is copied.
  const std::size_t channels = encoded[kDepthByte] == 16 ? 8 : 4;
  return (encoded[kInterlaceByte] == 0 ? 2 : 3) * channels * pixels_of(size);
}

Result<std::vector<std::uint8_t>> decode_image(std::span<const std::uint8_t> encoded, ImageSize size) {
  if (sniff_mime_type(encoded) == "image/webp") {
    return decode_webp(encoded, size);
  }
  int width = 0;
  int height = 0;
  int channels = 0;
  const std::unique_ptr<stbi_uc, void (*)(void*)> pixels(
      stbi_load_from_memory(encoded.data(), length_of(encoded), &width, &height, &channels, 4), &stbi_image_free);
  if (!pixels) {
    return error("cannot be decoded ({})", stbi_failure_reason());
  }
  if (width != size.width || height != size.height) {
    return error("decoded to {} x {} pixels, its header says {} x {}", width, height, size.width, size.height);
  }
  const std::size_t bytes = 4 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  return std::vector<std::uint8_t>(pixels.get(), pixels.get() + bytes);
}

}  // namespace pelt::gltf
