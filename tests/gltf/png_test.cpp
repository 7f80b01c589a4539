// What encode_png() writes, read by two readers: ours (stb_image) and zlib, which checks what stb_image skips.
#include <random>

#include <gtest/gtest.h>
#include <zlib.h>

#include "core/parallel.h"
#include "gltf/image_codec.h"

namespace pelt::gltf {
namespace {

std::uint32_t big_endian(std::span<const std::uint8_t> bytes, std::size_t at) {
  return std::uint32_t{bytes[at]} << 24 | std::uint32_t{bytes[at + 1]} << 16 | std::uint32_t{bytes[at + 2]} << 8 |
         std::uint32_t{bytes[at + 3]};
}

/// Checks every chunk's sum and gives what is in the IDAT chunks.
std::vector<std::uint8_t> checked_data(const std::vector<std::uint8_t>& png) {
  std::vector<std::uint8_t> data;
  for (std::size_t at = 8; at + 12 <= png.size();) {
    const std::size_t length = big_endian(png, at);
    EXPECT_EQ(crc32(0, png.data() + at + 4, static_cast<uInt>(length + 4)), big_endian(png, at + 8 + length));
    if (std::string_view(reinterpret_cast<const char*>(png.data()) + at + 4, 4) == "IDAT") {
      data.insert(data.end(), png.begin() + static_cast<std::ptrdiff_t>(at + 8),
                  png.begin() + static_cast<std::ptrdiff_t>(at + 8 + length));
    }
    at += 12 + length;
  }
  return data;
}

void expect_round_trip(const std::vector<std::uint8_t>& pixels, ImageSize size, bool alpha) {
  SCOPED_TRACE(testing::Message() << size.width << " x " << size.height);
  const std::vector<std::uint8_t> png = encode_png(pixels, size);
  const Result<ImageSize> read_size = image_size(png, 1 << 16);
  ASSERT_TRUE(read_size.has_value()) << read_size.error().message;
  const Result<std::vector<std::uint8_t>> read = decode_image(png, *read_size);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_TRUE(*read == pixels);
  // zlib holds the Adler sum and every code against the standard.
  const std::vector<std::uint8_t> data = checked_data(png);
  const std::size_t row = 1 + static_cast<std::size_t>(size.width) * (alpha ? 4 : 3);
  std::vector<std::uint8_t> rows(row * static_cast<std::size_t>(size.height));
  uLongf length = rows.size();
  EXPECT_EQ(uncompress(rows.data(), &length, data.data(), data.size()), Z_OK);
  EXPECT_EQ(length, rows.size());
}

/// @param noise  of 256, how many bytes are anything
std::vector<std::uint8_t> picture(ImageSize size, unsigned noise, bool alpha) {
  std::mt19937 random(7);
  std::vector<std::uint8_t> pixels;
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      for (int c = 0; c < 4; ++c) {
        const unsigned value =
            static_cast<unsigned>(random() % 256 < noise ? random() : static_cast<unsigned>(x / 3 + y * (c + 1) / 5));
        pixels.push_back(c == 3 && !alpha ? std::uint8_t{255} : static_cast<std::uint8_t>(value));
      }
    }
  }
  return pixels;
}

// One pixel; very wide and very high ones; more rows than are filtered together, the last of them few.
TEST(PngWriter, WritesWhatBothReadersRead) {
  for (const ImageSize size : {ImageSize{1, 1}, {2, 1}, {1, 5}, {3, 3}, {97, 31}, {65536, 2}, {500, 701}, {1, 9000}}) {
    for (const unsigned noise : {0u, 20u, 256u}) {
      for (const bool alpha : {false, true}) {
        expect_round_trip(picture(size, noise, alpha), size, alpha);
      }
    }
  }
}

TEST(PngWriter, WritesTheSameBytesWithAnyNumberOfThreads) {
  const ImageSize size{640, 900};
  const std::vector<std::uint8_t> pixels = picture(size, 12, false);
  const std::vector<std::uint8_t> several = encode_png(pixels, size);
  set_thread_limit(1);
  const std::vector<std::uint8_t> one = encode_png(pixels, size);
  set_thread_limit(0);
  EXPECT_TRUE(several == one);
  EXPECT_LT(several.size(), pixels.size() / 4);
}

}  // namespace
}  // namespace pelt::gltf
