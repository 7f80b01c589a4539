#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb_image.h>
#include <stb_image_write.h>
#pragma GCC diagnostic pop

namespace pelt::test {

// Limits in 8-bit steps. Software rendering repeats itself exactly on one machine; the room is for other compilers' and
// drivers' rounding, which moves edges by less than a pixel.
inline constexpr double kMeanLimit = 0.6;               // mean absolute difference over all channels
inline constexpr int kPixelLimit = 24;                  // a pixel differs when a channel differs by more than this
inline constexpr double kDifferingPixelsLimit = 0.004;  // share of pixels that may
// A colour that is a little off all over the character is no rounding, however little of the picture that is.
inline constexpr int kSlightLimit = 3;
inline constexpr double kSlightPixelsLimit = 0.02;

struct Picture {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;  ///< RGBA
};

inline Picture load_picture(const std::filesystem::path& path) {
  Picture picture;
  int channels = 0;
  std::uint8_t* data = stbi_load(path.c_str(), &picture.width, &picture.height, &channels, 4);
  if (data != nullptr) {
    picture.pixels.assign(data, data + static_cast<std::ptrdiff_t>(picture.width) * picture.height * 4);
    stbi_image_free(data);
  }
  return picture;
}

/// Empty where the pictures agree within the limits; else a sentence with the figures, and the difference times eight
/// is written to `difference_path`.
inline std::string compare_pictures(const std::filesystem::path& actual_path,
                                    const std::filesystem::path& recorded_path,
                                    const std::filesystem::path& difference_path) {
  const Picture actual = load_picture(actual_path);
  const Picture recorded = load_picture(recorded_path);
  if (actual.pixels.empty() || recorded.pixels.empty()) {
    return fmt::format("{} cannot be read; ./dev golden records pictures",
                       actual.pixels.empty() ? actual_path.string() : recorded_path.string());
  }
  if (actual.width != recorded.width || actual.height != recorded.height) {
    return fmt::format("{} is {} x {}, recorded {} x {}", actual_path.string(), actual.width, actual.height,
                       recorded.width, recorded.height);
  }
  std::vector<std::uint8_t> difference(actual.pixels.size(), 255);
  double sum = 0;
  std::size_t differing = 0;
  std::size_t slightly = 0;
  for (std::size_t i = 0; i < actual.pixels.size(); i += 4) {
    int worst = 0;
    for (std::size_t c = 0; c < 4; ++c) {
      const int step = std::abs(static_cast<int>(actual.pixels[i + c]) - static_cast<int>(recorded.pixels[i + c]));
      sum += step;
      worst = std::max(worst, step);
      if (c < 3) {
        difference[i + c] = static_cast<std::uint8_t>(std::min(step * 8, 255));
      }
    }
    differing += worst > kPixelLimit ? 1u : 0u;
    slightly += worst > kSlightLimit ? 1u : 0u;
  }
  const double mean = sum / static_cast<double>(actual.pixels.size());
  const double pixels = static_cast<double>(actual.pixels.size()) / 4;
  const double share = static_cast<double>(differing) / pixels;
  const double slight_share = static_cast<double>(slightly) / pixels;
  if (mean <= kMeanLimit && share <= kDifferingPixelsLimit && slight_share <= kSlightPixelsLimit) {
    return {};
  }
  stbi_write_png(difference_path.c_str(), actual.width, actual.height, 4, difference.data(), actual.width * 4);
  return fmt::format("mean difference {:.3f} (at most {}), {:.2f} % of the pixels differ (at most {} %), {:.2f} % a "
                     "little (at most {} %); see {} and {}",
                     mean, kMeanLimit, share * 100, kDifferingPixelsLimit * 100, slight_share * 100,
                     kSlightPixelsLimit * 100, actual_path.string(), difference_path.string());
}

}  // namespace pelt::test
