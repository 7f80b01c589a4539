#include "cli/back_picture.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cli/session_file.h"
#include "core/file.h"
#include "core/sha256.h"
#include "core/text.h"
#include "gltf/image_codec.h"

namespace pelt::cli {
namespace {

constexpr int kKeptSide = 4096;                                   // pixels: more is not seen behind a character
constexpr std::uintmax_t kMostBytes = std::uintmax_t{256} << 20;  // of the file

/// Averages of two by two; an odd last row or column is left out. Colours count as much as they cover.
void halve(render::BackPicture& picture) {
  const int width = std::max(picture.width / 2, 1);
  const int height = std::max(picture.height / 2, 1);
  const auto at = [&](int x, int y) {
    return (static_cast<std::size_t>(std::min(y, picture.height - 1)) * static_cast<std::size_t>(picture.width) +
            static_cast<std::size_t>(std::min(x, picture.width - 1))) *
           4;
  };
  std::vector<std::uint8_t> out;
  out.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const std::size_t from[] = {at(2 * x, 2 * y), at(2 * x + 1, 2 * y), at(2 * x, 2 * y + 1),
                                  at(2 * x + 1, 2 * y + 1)};
      unsigned alpha = 0;
      for (const std::size_t i : from) {
        alpha += picture.pixels[i + 3];
      }
      for (std::size_t channel = 0; channel < 3; ++channel) {
        unsigned sum = 0;
        for (const std::size_t i : from) {
          sum += unsigned{picture.pixels[i + channel]} * picture.pixels[i + 3];
        }
        out.push_back(static_cast<std::uint8_t>(alpha == 0 ? 0 : (sum + alpha / 2) / alpha));
      }
      out.push_back(static_cast<std::uint8_t>((alpha + 2) / 4));
    }
  }
  picture.width = width;
  picture.height = height;
  picture.pixels = std::move(out);
}

Result<render::BackPicture> decoded(std::span<const std::uint8_t> encoded) {
  if (const std::string_view type = gltf::sniff_mime_type(encoded);
      type != "image/png" && type != "image/jpeg" && type != "image/webp") {
    return error("expected a PNG, JPEG or WebP picture");
  }
  PELT_TRY_TO(const gltf::ImageSize size, gltf::image_size(encoded, kLargestBackPicture));
  gltf::PictureBudget budget(encoded.size());
  PELT_TRY(budget.take(encoded, size));
  render::BackPicture picture;
  PELT_TRY_TO(picture.pixels, gltf::decode_image(encoded, size));
  picture.width = size.width;
  picture.height = size.height;
  while (std::max(picture.width, picture.height) > kKeptSide) {
    halve(picture);
  }
  return picture;
}

}  // namespace

Result<std::shared_ptr<const render::BackPicture>> load_back_picture(const std::filesystem::path& path) {
  PELT_TRY_TO(const FileBytes file, read_file_bytes(path, kMostBytes));
  Result<render::BackPicture> picture = decoded(file.bytes());
  if (!picture) {
    return picture.error().in(printable(path.string(), 200));
  }
  picture->path = path.string();
  Sha256 hash;
  hash.add(std::as_bytes(file.bytes()));
  picture->hash = hash.hex();
  return std::make_shared<const render::BackPicture>(*std::move(picture));
}

std::string open_session_picture(render::Behind& behind, const std::filesystem::path& session) {
  if (behind.picture == nullptr || behind.picture->width > 0) {
    return {};
  }
  const std::string& path = behind.picture->path;
  Result<std::shared_ptr<const render::BackPicture>> opened = load_back_picture(path);
  if (!opened) {
    return fmt::format("The picture behind is not shown: {}", opened.error().message);
  }
  const std::filesystem::path folder = session.has_parent_path() ? session.parent_path() : std::filesystem::path(".");
  if ((*opened)->hash != behind.picture->hash && !lies_within(path, folder)) {
    return fmt::format(
        "The picture behind is not shown: '{}' lies outside of the session's folder and is not the one that it was "
        "saved with",
        printable(path, 200));
  }
  behind.picture = *std::move(opened);
  return {};
}

}  // namespace pelt::cli
