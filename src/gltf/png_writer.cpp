// PNG from 8-bit RGBA, made for pictures that are looked at once: as fast as they are drawn, about as small as others
// make them. Bands of rows are compressed beside each other, each into a Deflate block of its own that looks at no
// other band, so the bytes are the same for any number of threads. PNG (ISO/IEC 15948) for chunks and filters; RFC 1950
// and RFC 1951 for what is inside.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <queue>

#include "core/expect.h"
#include "core/parallel.h"
#include "gltf/image_codec.h"

namespace pelt::gltf {
namespace {

constexpr std::size_t kBandBytes = std::size_t{1} << 18;
constexpr std::size_t kSmallestMatch = 4;
constexpr std::size_t kLongestMatch = 258;
constexpr std::size_t kWindow = 32768;
constexpr int kHashBits = 14;
constexpr std::uint32_t kMatchMark = 0x80000000u;  // of a token; then length - 3 from bit 16, distance - 1 below
constexpr std::size_t kEndOfBlock = 256;
constexpr int kLongestCode = 15;
constexpr int kLongestLengthCode = 7;  // of the code that writes the lengths of the other two

// RFC 1951, 3.2.5: the first length or distance of a symbol, and how many bits follow it.
struct Span {
  std::uint16_t base;
  std::uint8_t extra;
};
constexpr std::array<Span, 29> kLengthSpans = {
    {{3, 0},  {4, 0},  {5, 0},  {6, 0},   {7, 0},   {8, 0},   {9, 0},   {10, 0},  {11, 1}, {13, 1},
     {15, 1}, {17, 1}, {19, 2}, {23, 2},  {27, 2},  {31, 2},  {35, 3},  {43, 3},  {51, 3}, {59, 3},
     {67, 4}, {83, 4}, {99, 4}, {115, 4}, {131, 5}, {163, 5}, {195, 5}, {227, 5}, {258, 0}}};
constexpr std::array<Span, 30> kDistanceSpans = {
    {{1, 0},     {2, 0},     {3, 0},     {4, 0},      {5, 1},      {7, 1},     {9, 2},     {13, 2},
     {17, 3},    {25, 3},    {33, 4},    {49, 4},     {65, 5},     {97, 5},    {129, 6},   {193, 6},
     {257, 7},   {385, 7},   {513, 8},   {769, 8},    {1025, 9},   {1537, 9},  {2049, 10}, {3073, 10},
     {4097, 11}, {6145, 11}, {8193, 12}, {12289, 12}, {16385, 13}, {24577, 13}}};

constexpr std::array<std::uint8_t, kLongestMatch + 1> kLengthSymbol = [] {
  std::array<std::uint8_t, kLongestMatch + 1> symbol{};
  for (std::size_t s = 0; s < kLengthSpans.size(); ++s) {
    for (std::size_t length = kLengthSpans[s].base; length <= kLongestMatch; ++length) {
      symbol[length] = static_cast<std::uint8_t>(s);
    }
  }
  return symbol;
}();

// Above four, each power of two is halved into two symbols.
std::size_t distance_symbol(std::uint32_t distance) {
  const std::uint32_t from_zero = distance - 1;
  if (from_zero < 4) {
    return from_zero;
  }
  const auto power = static_cast<std::uint32_t>(std::bit_width(from_zero)) - 1;
  return 2 * power + ((from_zero >> (power - 1)) & 1u);
}

constexpr std::array<std::uint32_t, 256> kCrcTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t n = 0; n < 256; ++n) {
    std::uint32_t c = n;
    for (int bit = 0; bit < 8; ++bit) {
      c = (c & 1u) != 0 ? 0xedb88320u ^ (c >> 1) : c >> 1;
    }
    table[n] = c;
  }
  return table;
}();

std::uint32_t crc_of(std::span<const std::uint8_t> bytes) {
  std::uint32_t c = 0xffffffffu;
  for (const std::uint8_t byte : bytes) {
    c = kCrcTable[(c ^ byte) & 0xffu] ^ (c >> 8);
  }
  return c ^ 0xffffffffu;
}

/// Adler-32 of a band as if it began from nothing, so that bands can be put together afterwards.
struct Adler {
  static constexpr std::uint64_t kPrime = 65521;
  std::uint64_t sum = 0;
  std::uint64_t sums = 0;  ///< of all sums on the way

  void add(std::span<const std::uint8_t> bytes) {
    constexpr std::size_t kUnreduced = std::size_t{1} << 20;  // far from the end of 64 bits
    for (std::size_t from = 0; from < bytes.size(); from += kUnreduced) {
      for (const std::uint8_t byte : bytes.subspan(from, std::min(kUnreduced, bytes.size() - from))) {
        sum += byte;
        sums += sum;
      }
      sum %= kPrime;
      sums %= kPrime;
    }
  }
  /// What follows has `length` bytes.
  void append(const Adler& next, std::size_t length) {
    sums = (sums + length % kPrime * sum + next.sums) % kPrime;
    sum = (sum + next.sum) % kPrime;
  }
};

void append_big_endian(std::vector<std::uint8_t>& out, std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) {
    out.push_back(static_cast<std::uint8_t>(value >> shift));
  }
}

class BitWriter {
 public:
  explicit BitWriter(std::vector<std::uint8_t>& out) : out_(out) {}

  /// The lowest bit first. @pre count <= 32
  void put(std::uint32_t value, int count) {
    waiting_ |= std::uint64_t{value} << count_;
    count_ += count;
    while (count_ >= 8) {
      out_.push_back(static_cast<std::uint8_t>(waiting_));
      waiting_ >>= 8;
      count_ -= 8;
    }
  }
  void to_byte() { put(0, (8 - count_) % 8); }

 private:
  std::vector<std::uint8_t>& out_;
  std::uint64_t waiting_ = 0;
  int count_ = 0;
};

/// A prefix code: lengths, and codes with the bit that is written first lowest.
template <std::size_t N>
struct PrefixCode {
  std::array<std::uint8_t, N> length{};
  std::array<std::uint16_t, N> code{};

  /// Huffman's code of these counts. Where it is too deep, counts are evened out until it is not.
  void make(std::array<std::uint32_t, N> count, int longest) {
    while (!make_lengths(count, longest)) {
      for (std::uint32_t& c : count) {
        c = c == 0 ? 0 : c / 4 + 1;
      }
    }
    std::uint32_t next = 0;
    for (int bits = 1; bits <= longest; ++bits, next <<= 1) {
      for (std::size_t s = 0; s < N; ++s) {
        if (length[s] == bits) {
          std::uint32_t turned = 0;
          for (int b = 0; b < bits; ++b) {
            turned |= (next >> b & 1u) << (bits - 1 - b);
          }
          code[s] = static_cast<std::uint16_t>(turned);
          ++next;
        }
      }
    }
  }
  void put(BitWriter& out, std::size_t symbol) const { out.put(code[symbol], length[symbol]); }

 private:
  bool make_lengths(const std::array<std::uint32_t, N>& count, int longest) {
    // Leaves first, then the nodes above two others; the counts break ties by age, so the result is unique.
    std::array<std::uint16_t, 2 * N> parent{};
    using Entry = std::pair<std::uint64_t, std::size_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    for (std::size_t s = 0; s < N; ++s) {
      if (count[s] > 0) {
        open.emplace(count[s], s);
      }
    }
    length.fill(0);
    if (open.size() == 1) {
      length[open.top().second] = 1;
      return true;
    }
    std::size_t node = N;
    for (; open.size() > 1; ++node) {
      const Entry a = open.top();
      open.pop();
      const Entry b = open.top();
      open.pop();
      parent[a.second] = static_cast<std::uint16_t>(node);
      parent[b.second] = static_cast<std::uint16_t>(node);
      open.emplace(a.first + b.first, node);
    }
    for (std::size_t s = 0; s < N; ++s) {
      int depth = 0;
      for (std::size_t at = s; count[s] > 0 && at + 1 < node; at = parent[at]) {
        ++depth;
      }
      if (depth > longest) {
        return false;
      }
      length[s] = static_cast<std::uint8_t>(depth);
    }
    return true;
  }
};

// What was seen at the last place with these four bytes is the only one asked; where nothing repeats, steps grow.
std::vector<std::uint32_t> tokens_of(std::span<const std::uint8_t> bytes) {
  std::vector<std::uint32_t> tokens;
  tokens.reserve(bytes.size() / 2);
  std::vector<std::uint32_t> seen(std::size_t{1} << kHashBits, 0);  // place + 1
  const auto word = [&](std::size_t at) {
    std::uint32_t value;
    std::memcpy(&value, bytes.data() + at, sizeof(value));
    return value;
  };
  const auto slot = [](std::uint32_t value) { return (value * 2654435761u) >> (32 - kHashBits); };
  std::size_t at = 0;
  std::size_t misses = 0;
  while (at + kSmallestMatch <= bytes.size()) {
    const std::uint32_t value = word(at);
    std::uint32_t& place = seen[slot(value)];
    const std::size_t before = place;
    place = static_cast<std::uint32_t>(at + 1);
    if (before == 0 || at + 1 - before > kWindow || word(before - 1) != value) {
      constexpr std::size_t kPatience = 5;  // a step more for each 32 misses in a row
      for (std::size_t step = 1 + (misses++ >> kPatience); step > 0 && at < bytes.size(); --step) {
        tokens.push_back(bytes[at++]);
      }
      continue;
    }
    misses = 0;
    const std::size_t from = before - 1;
    const std::size_t room = std::min(kLongestMatch, bytes.size() - at);
    std::size_t length = kSmallestMatch;
    while (length < room && bytes[from + length] == bytes[at + length]) {
      ++length;
    }
    tokens.push_back(kMatchMark | static_cast<std::uint32_t>(length - 3) << 16 |
                     static_cast<std::uint32_t>(at - from - 1));
    at += length;
    if (at >= 2 && at + 2 <= bytes.size()) {
      seen[slot(word(at - 2))] = static_cast<std::uint32_t>(at - 1);
    }
  }
  for (; at < bytes.size(); ++at) {
    tokens.push_back(bytes[at]);
  }
  return tokens;
}

// RFC 1951, 3.2.7: the lengths of both codes, in order, runs shortened.
void put_code_lengths(BitWriter& out, std::span<const std::uint8_t> literals, std::span<const std::uint8_t> distances) {
  std::vector<std::uint8_t> lengths(literals.begin(), literals.end());
  lengths.insert(lengths.end(), distances.begin(), distances.end());
  struct Run {
    std::uint8_t symbol;
    std::uint8_t extra;
    std::uint8_t bits;
  };
  std::vector<Run> runs;
  std::array<std::uint32_t, 19> count{};
  const auto add = [&](std::size_t symbol, std::size_t extra, int bits) {
    runs.push_back(
        {static_cast<std::uint8_t>(symbol), static_cast<std::uint8_t>(extra), static_cast<std::uint8_t>(bits)});
    ++count[symbol];
  };
  for (std::size_t i = 0; i < lengths.size();) {
    std::size_t same = 1;
    while (i + same < lengths.size() && lengths[i + same] == lengths[i]) {
      ++same;
    }
    if (lengths[i] == 0 && same >= 3) {
      same = std::min<std::size_t>(same, 138);
      same > 10 ? add(18, same - 11, 7) : add(17, same - 3, 3);
    } else {
      add(lengths[i], 0, 0);
      same = std::min<std::size_t>(same - 1, 6);
      if (lengths[i] != 0 && same >= 3) {
        add(16, same - 3, 2);
        ++same;
      } else {
        same = 1;
      }
    }
    i += same;
  }
  PrefixCode<19> code;
  code.make(count, kLongestLengthCode);
  constexpr std::array<std::uint8_t, 19> kOrder = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  std::size_t used = kOrder.size();
  while (used > 4 && code.length[kOrder[used - 1]] == 0) {
    --used;
  }
  out.put(static_cast<std::uint32_t>(literals.size() - 257), 5);
  out.put(static_cast<std::uint32_t>(distances.size() - 1), 5);
  out.put(static_cast<std::uint32_t>(used - 4), 4);
  for (std::size_t i = 0; i < used; ++i) {
    out.put(code.length[kOrder[i]], 3);
  }
  for (const Run& run : runs) {
    code.put(out, run.symbol);
    out.put(run.extra, run.bits);
  }
}

// One block, and where it is not the last, an empty stored one that ends on a byte.
std::vector<std::uint8_t> deflated(std::span<const std::uint8_t> bytes, bool last) {
  const std::vector<std::uint32_t> tokens = tokens_of(bytes);
  std::array<std::uint32_t, 286> literal_count{};
  std::array<std::uint32_t, 30> distance_count{};
  literal_count[kEndOfBlock] = 1;
  distance_count[0] = 1;  // some readers want a code although nothing uses it
  for (const std::uint32_t token : tokens) {
    if ((token & kMatchMark) == 0) {
      ++literal_count[token];
    } else {
      ++literal_count[257u + kLengthSymbol[(token >> 16 & 0xffu) + 3]];
      ++distance_count[distance_symbol((token & 0x7fffu) + 1)];
    }
  }
  PrefixCode<286> literals;
  literals.make(literal_count, kLongestCode);
  PrefixCode<30> distances;
  distances.make(distance_count, kLongestCode);
  std::vector<std::uint8_t> out;
  out.reserve(bytes.size() / 2);
  BitWriter bits(out);
  bits.put(last ? 1 : 0, 1);
  bits.put(2, 2);  // codes of its own
  put_code_lengths(bits, literals.length, distances.length);
  for (const std::uint32_t token : tokens) {
    if ((token & kMatchMark) == 0) {
      literals.put(bits, token);
      continue;
    }
    const std::uint32_t length = (token >> 16 & 0xffu) + 3;
    const std::size_t symbol = kLengthSymbol[length];
    literals.put(bits, 257 + symbol);
    bits.put(length - kLengthSpans[symbol].base, kLengthSpans[symbol].extra);
    const std::uint32_t distance = (token & 0x7fffu) + 1;
    const std::size_t far = distance_symbol(distance);
    distances.put(bits, far);
    bits.put(distance - kDistanceSpans[far].base, kDistanceSpans[far].extra);
  }
  literals.put(bits, kEndOfBlock);
  if (!last) {
    bits.put(0, 3);
  }
  bits.to_byte();
  if (!last) {
    bits.put(0xffff0000u, 32);
  }
  return out;
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

std::vector<std::uint8_t> filtered(const Source& source, std::size_t first, std::size_t last) {
  const std::size_t row_bytes = source.width * source.channels;
  std::vector<std::uint8_t> above(row_bytes, 0);
  std::vector<std::uint8_t> row(row_bytes);
  if (first > 0) {
    take_row(source, first - 1, above);
  }
  std::vector<std::uint8_t> out((last - first) * (row_bytes + 1));
  for (std::size_t y = first; y < last; ++y) {
    take_row(source, y, row);
    filter_row(row, above, source.channels, out.data() + (y - first) * (row_bytes + 1));
    std::swap(row, above);
  }
  return out;
}

void append_chunk(std::vector<std::uint8_t>& out, std::string_view type, std::span<const std::uint8_t> data) {
  append_big_endian(out, static_cast<std::uint32_t>(data.size()));
  const std::size_t checked = out.size();
  out.insert(out.end(), type.begin(), type.end());
  out.insert(out.end(), data.begin(), data.end());
  append_big_endian(out, crc_of(std::span(out).subspan(checked)));
}

}  // namespace

std::vector<std::uint8_t> encode_png(std::span<const std::uint8_t> pixels, ImageSize size) {
  PELT_EXPECT(size.width > 0 && size.height > 0, "an image has pixels");
  const auto width = static_cast<std::size_t>(size.width);
  const auto height = static_cast<std::size_t>(size.height);
  PELT_EXPECT(pixels.size() == 4 * width * height, "four bytes per pixel");
  bool opaque = true;
  for (std::size_t i = 3; i < pixels.size() && opaque; i += 4) {
    opaque = pixels[i] == 255;
  }
  const Source source{pixels, width, opaque ? std::size_t{3} : std::size_t{4}};
  const std::size_t rows_per_band = std::max<std::size_t>(kBandBytes / (width * source.channels + 1), 1);
  const std::size_t band_count = (height + rows_per_band - 1) / rows_per_band;
  struct Band {
    std::vector<std::uint8_t> compressed;
    Adler adler;
    std::size_t bytes = 0;
  };
  std::vector<Band> bands(band_count);
  parallel_for(band_count, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) {
      const std::vector<std::uint8_t> bytes =
          filtered(source, b * rows_per_band, std::min((b + 1) * rows_per_band, height));
      bands[b].bytes = bytes.size();
      bands[b].adler.add(bytes);
      bands[b].compressed = deflated(bytes, b + 1 == band_count);
    }
  });
  std::vector<std::uint8_t> data = {0x78, 0x01};
  Adler adler{1, 0};
  for (const Band& band : bands) {
    data.insert(data.end(), band.compressed.begin(), band.compressed.end());
    adler.append(band.adler, band.bytes);
  }
  append_big_endian(data, static_cast<std::uint32_t>(adler.sums << 16 | adler.sum));

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
