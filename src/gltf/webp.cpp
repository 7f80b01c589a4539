// image/webp, as EXT_texture_webp stores it.

#include "gltf/webp.h"

#include <webp/decode.h>

namespace pelt::gltf {

Result<ImageSize> webp_size(std::span<const std::uint8_t> encoded) {
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(encoded.data(), encoded.size(), &features) != VP8_STATUS_OK) {
    return error("not a readable WebP");
  }
  if (features.has_animation != 0) {
    return error("expected one picture, got a WebP animation");
  }
  return ImageSize{features.width, features.height};
}

Result<std::vector<std::uint8_t>> decode_webp(std::span<const std::uint8_t> encoded, ImageSize size) {
  std::vector<std::uint8_t> pixels(4 * static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height));
  // Writes nothing where the picture is larger than what it is given.
  if (WebPDecodeRGBAInto(encoded.data(), encoded.size(), pixels.data(), pixels.size(), 4 * size.width) == nullptr) {
    return error("cannot be decoded (malformed WebP)");
  }
  return pixels;
}

}  // namespace pelt::gltf
