// PNG from 8-bit RGBA, made for pictures that are looked at once: as fast as they are drawn, about as small as others
// make them. PNG (ISO/IEC 15948) for chunks and filters; libdeflate compresses.
#include <algorithm>
#include <memory>
#include <new>
#include <string_view>

#include <libdeflate.h>

#include "core/expect.h"
#include "core/parallel.h"
#include "gltf/image_codec.h"

namespace pelt::gltf {
namespace {

// Of twelve levels the fastest: the fourth takes half as much time again for a twentieth less of bytes.
constexpr int kCompression = 1;

void append_big_endian(std::vector<std::uint8_t>& out, std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) {
    out.push_back(static_cast<std::uint8_t>(value >> shift));
  }
}

struct Source {
  std::span<const std::uint8_t> pixels;  ///< RGBA
  std::size_t width;
  std::size_t channels;  ///< written: 3 or 4
};

// One row as it is written.
void take_row(const Source& source, std::size_t y, std::span<std::uint8_t> out) {
  const std::uint8_t* from = source.pixels.data() + 4 * source.width * y;
  for (std::size_t x = 0; x < source.width; ++x) {
    for (std::size_t c = 0; c < source.channels; ++c) {
      out[x * source.channels + c] = from[4 * x + c];
    }
  }
}

// What the smallest sum of differences belongs to: the pixel on the left or the one above.
void filter_row(std::span<const std::uint8_t> row, std::span<const std::uint8_t> above, std::size_t channels,
                std::uint8_t* out) {
  const auto size_of = [](std::uint8_t difference) -> std::uint32_t {
    return difference < 128 ? difference : 256u - difference;
  };
  std::uint32_t left_sum = 0;
  std::uint32_t above_sum = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::uint8_t left = i < channels ? std::uint8_t{0} : row[i - channels];
    left_sum += size_of(static_cast<std::uint8_t>(row[i] - left));
    above_sum += size_of(static_cast<std::uint8_t>(row[i] - above[i]));
  }
  const bool by_left = left_sum < above_sum;
  out[0] = by_left ? 1 : 2;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::uint8_t left = i < channels ? std::uint8_t{0} : row[i - channels];
    out[1 + i] = static_cast<std::uint8_t>(row[i] - (by_left ? left : above[i]));
  }
}

/// Every row behind the number of its filter.
std::vector<std::uint8_t> filtered(const Source& source, std::size_t height) {
  const std::size_t row_bytes = source.width * source.channels;
  std::vector<std::uint8_t> out(height * (row_bytes + 1));
  constexpr std::size_t kRowsTogether = 64;
  parallel_for(height, kRowsTogether, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint8_t> above(row_bytes, 0);
    std::vector<std::uint8_t> row(row_bytes);
    if (begin > 0) {
      take_row(source, begin - 1, above);
    }
    for (std::size_t y = begin; y < end; ++y) {
      take_row(source, y, row);
      filter_row(row, above, source.channels, out.data() + y * (row_bytes + 1));
      std::swap(row, above);
    }
  });
  return out;
}

/// A zlib stream.
std::vector<std::uint8_t> compressed(std::span<const std::uint8_t> bytes) {
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(kCompression), &libdeflate_free_compressor);
  if (compressor == nullptr) {
    throw std::bad_alloc();
  }
  std::vector<std::uint8_t> out(libdeflate_zlib_compress_bound(compressor.get(), bytes.size()));
  const std::size_t size =
      libdeflate_zlib_compress(compressor.get(), bytes.data(), bytes.size(), out.data(), out.size());
  PELT_EXPECT(size > 0, "what is compressed fits into the library's own bound");
  out.resize(size);
  return out;
}

void append_chunk(std::vector<std::uint8_t>& out, std::string_view type, std::span<const std::uint8_t> data) {
  append_big_endian(out, static_cast<std::uint32_t>(data.size()));
  const std::size_t checked = out.size();
  out.insert(out.end(), type.begin(), type.end());
  out.insert(out.end(), data.begin(), data.end());
  append_big_endian(out, libdeflate_crc32(0, out.data() + checked, out.size() - checked));
}

}  // namespace

std::vector<std::uint8_t> encode_png(std::span<const std::uint8_t> pixels, ImageSize size) {
  PELT_EXPECT(size.width > 0 && size.height > 0, "an image has pixels");
  const std::size_t width = size.width;
  const std::size_t height = size.height;
  PELT_EXPECT(pixels.size() == 4 * width * height, "four bytes per pixel");
  bool opaque = true;
  for (std::size_t i = 3; i < pixels.size() && opaque; i += 4) {
    opaque = pixels[i] == 255;
  }
  const std::vector<std::uint8_t> data =
      compressed(filtered({pixels, width, opaque ? std::size_t{3} : std::size_t{4}}, height));

  std::vector<std::uint8_t> header;
  append_big_endian(header, static_cast<std::uint32_t>(size.width));
  append_big_endian(header, static_cast<std::uint32_t>(size.height));
  header.insert(header.end(), {8, static_cast<std::uint8_t>(opaque ? 2 : 6), 0, 0, 0});
  std::vector<std::uint8_t> out = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  append_chunk(out, "IHDR", header);
  // A chunk's length has 31 bits.
  constexpr std::size_t kLongestChunk = std::size_t{1} << 30;
  for (std::size_t from = 0; from < data.size(); from += kLongestChunk) {
    append_chunk(out, "IDAT", std::span(data).subspan(from, std::min(kLongestChunk, data.size() - from)));
  }
  append_chunk(out, "IEND", {});
  return out;
}

}  // namespace pelt::gltf
