#include "render/environment.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <string_view>

#include "core/expect.h"
#include "core/file.h"
#include "core/text.h"

namespace pelt::render {
namespace {

constexpr int kLargestSide = 16384;
constexpr int kWidestKept = 2048;
constexpr float kBrightest = 60000.0f;  // what the maps' 16-bit floats hold, with room for filtering

const glm::vec3 kKeyDirection = glm::normalize(glm::vec3(-0.30f, 0.80f, 0.72f));
const glm::vec3 kSunsetDirection = glm::normalize(glm::vec3(0.8184f, 0.2120f, 0.5341f));  // as in studio/sunset.glsl

/// Reads forwards and says when there is no more.
struct RadianceReader {
  std::span<const std::byte> rest;

  std::optional<std::string_view> line() {
    const std::string_view text(reinterpret_cast<const char*>(rest.data()), rest.size());
    const std::size_t end = text.substr(0, 4096).find('\n');
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    rest = rest.subspan(end + 1);
    return text.substr(0, end);
  }
  bool take(std::span<std::uint8_t> out) {
    if (rest.size() < out.size()) {
      return false;
    }
    std::transform(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(out.size()), out.begin(),
                   [](std::byte b) { return std::to_integer<std::uint8_t>(b); });
    rest = rest.subspan(out.size());
    return true;
  }
};

using Rgbe = std::array<std::uint8_t, 4>;

glm::vec3 linear_of(const Rgbe& p) {
  if (p[3] == 0) {
    return glm::vec3(0.0f);
  }
  const float scale = std::ldexp(1.0f, int{p[3]} - 136);
  return glm::min(glm::vec3(p[0], p[1], p[2]) * scale, glm::vec3(kBrightest));
}

// One row in the newer encoding: each component by itself, in runs (length above 128) and literals.
bool read_components(RadianceReader& reader, std::vector<Rgbe>& row) {
  for (std::size_t c = 0; c < 4; ++c) {
    std::size_t x = 0;
    while (x < row.size()) {
      std::array<std::uint8_t, 2> head{};
      if (!reader.take(std::span(head).first(1))) {
        return false;
      }
      const bool run = head[0] > 128;
      const std::size_t count = run ? head[0] - 128u : head[0];
      if (count == 0 || x + count > row.size()) {
        return false;
      }
      if (run && !reader.take(std::span(head).last(1))) {
        return false;
      }
      for (std::size_t i = 0; i < count; ++i) {
        if (!run && !reader.take(std::span(head).last(1))) {
          return false;
        }
        row[x + i][c] = head[1];
      }
      x += count;
    }
  }
  return true;
}

// The older encoding: whole pixels; (1, 1, 1, n) repeats the one before n times, shifted by eight bits for each repeat
// that follows a repeat.
bool read_pixels(RadianceReader& reader, std::vector<Rgbe>& row, Rgbe first) {
  std::size_t x = 0;
  int shift = 0;
  for (Rgbe p = first;;) {
    if (p[0] == 1 && p[1] == 1 && p[2] == 1) {
      const std::size_t count = std::size_t{p[3]} << shift;
      if (x == 0 || count > row.size() - x) {
        return false;
      }
      std::fill_n(row.begin() + static_cast<std::ptrdiff_t>(x), count, row[x - 1]);
      x += count;
      shift = std::min(shift + 8, 16);
    } else {
      row[x++] = p;
      shift = 0;
    }
    if (x == row.size()) {
      return true;
    }
    if (!reader.take(p)) {
      return false;
    }
  }
}

bool read_row(RadianceReader& reader, std::vector<Rgbe>& row) {
  Rgbe first{};
  if (!reader.take(first)) {
    return false;
  }
  const std::size_t said = std::size_t{first[2]} << 8 | first[3];
  if (row.size() >= 8 && row.size() < 32768 && first[0] == 2 && first[1] == 2 && first[2] < 128) {
    return said == row.size() && read_components(reader, row);
  }
  return read_pixels(reader, row, first);
}

struct RadianceHeader {
  int width = 0;
  int height = 0;
};

Result<RadianceHeader> read_header(RadianceReader& reader) {
  std::optional<std::string_view> line = reader.line();
  if (!line || !line->starts_with("#?")) {
    return error("not a Radiance picture: expected #?RADIANCE at its start");
  }
  while ((line = reader.line()) && !line->empty()) {
    if (line->starts_with("FORMAT=") && !line->starts_with("FORMAT=32-bit_rle_rgbe")) {
      return error("expected FORMAT=32-bit_rle_rgbe, got \"{}\"", printable(line->substr(0, 60)));
    }
  }
  line = reader.line();
  if (!line) {
    return error("the picture ends within its header");
  }
  // -Y H +X W
  std::string_view text = *line;
  const auto number = [&](std::string_view prefix) -> std::optional<int> {
    if (!text.starts_with(prefix)) {
      return std::nullopt;
    }
    text.remove_prefix(prefix.size());
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::optional<int> value = parse_integer(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    return value;
  };
  const std::optional<int> height = number("-Y ");
  const std::optional<int> width = number("+X ");
  if (!width || !height || *width < 1 || *height < 1 || *width > kLargestSide || *height > kLargestSide) {
    return error("expected -Y HEIGHT +X WIDTH with sides from 1 to {}, got \"{}\"", kLargestSide,
                 printable(line->substr(0, 60)));
  }
  return RadianceHeader{*width, *height};
}

}  // namespace

Result<EnvironmentImage> read_radiance_hdr(std::span<const std::byte> bytes) {
  RadianceReader reader{bytes};
  PELT_TRY_TO(const RadianceHeader header, read_header(reader));
  // Blocks of pixels are averaged into one while they are read, so that memory follows what is kept.
  int block = 1;
  while (header.width / block > kWidestKept || header.height / block > kWidestKept) {
    block *= 2;
  }
  EnvironmentImage image;
  image.width = std::max(header.width / block, 1);
  image.height = std::max(header.height / block, 1);
  // The shortest row is one of runs of 127.
  const std::size_t shortest = 4 + 8 * (static_cast<std::size_t>(header.width) / 128);
  if (reader.rest.size() / shortest < static_cast<std::size_t>(header.height)) {
    return error("{} x {} pixels need at least {} bytes, the picture has {}", header.width, header.height,
                 shortest * static_cast<std::size_t>(header.height), reader.rest.size());
  }
  image.pixels.assign(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height), glm::vec3(0.0f));
  std::vector<Rgbe> row(header.width);
  // A picture narrower or lower than a block has fewer pixels to average.
  const int across = std::min(block, header.width);
  const int down = std::min(block, header.height);
  const float share = 1.0f / (static_cast<float>(across) * static_cast<float>(down));
  for (int y = 0; y < header.height; ++y) {
    if (!read_row(reader, row)) {
      return error("row {} of {} is broken", y, header.height);
    }
    if (y / down >= image.height) {
      continue;
    }
    glm::vec3* out = &image.pixels[static_cast<std::size_t>(y / down) * static_cast<std::size_t>(image.width)];
    for (int x = 0; x < image.width * across; ++x) {
      out[x / across] += linear_of(row[x]) * share;
    }
  }
  return image;
}

Result<EnvironmentImage> load_environment(const std::string& path) {
  PELT_TRY_TO(const std::string text, read_file(path));
  Result<EnvironmentImage> image = read_radiance_hdr(std::as_bytes(std::span(text)));
  if (!image) {
    return image.error().in(path);
  }
  image->name = path;
  return image;
}

glm::vec3 brightest_direction(const EnvironmentImage& image) {
  glm::dvec3 sum(0.0);
  for (int y = 0; y < (image.height + 1) / 2; ++y) {
    const double theta = std::numbers::pi * (y + 0.5) / image.height;
    for (int x = 0; x < image.width; ++x) {
      const double phi = 2.0 * std::numbers::pi * ((x + 0.5) / image.width - 0.5);
      const glm::dvec3 p(image.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
                                      static_cast<std::size_t>(x)]);
      const double luminance = 0.2126 * p.r + 0.7152 * p.g + 0.0722 * p.b;
      // Squared, so that a sun counts and the sky does not.
      sum += luminance * luminance * std::sin(theta) *
             glm::dvec3(std::sin(theta) * std::cos(phi), std::cos(theta), std::sin(theta) * std::sin(phi));
    }
  }
  const double level = std::hypot(sum.x, sum.z);
  const double lowest = std::tan(25.0 * std::numbers::pi / 180.0);
  if (!(glm::length(sum) > 0.0)) {
    return {0, 1, 0};
  }
  return glm::normalize(glm::vec3(glm::dvec3(sum.x, std::max(sum.y, lowest * level), sum.z)));
}

EnvironmentLight environment_light(const ViewSettings& view) {
  switch (view.environment) {
    case Environment::kStudio:
      // An umbrella two metres away, not the sun.
      return {.shader = "studio/studio.glsl",
              .key_direction = kKeyDirection,
              .key_half_angle = 0.07f,
              .key_color = glm::vec3(1.95f, 1.88f, 1.79f),
              .rim_color = glm::vec3(0.70f, 0.73f, 0.78f),
              .ground_color = glm::vec3(0.335f, 0.338f, 0.343f),
              .sweep = true};
    case Environment::kOvercast:
      return {.shader = "studio/overcast.glsl",
              .key_direction = glm::normalize(glm::vec3(0.15f, 1.0f, 0.2f)),
              .key_half_angle = 0.35f,
              .rim_color = glm::vec3(0.30f, 0.31f, 0.33f)};
    case Environment::kSunset:
      return {.shader = "studio/sunset.glsl",
              .key_direction = kSunsetDirection,
              .key_half_angle = 0.02f,
              .key_color = glm::vec3(3.1f, 1.75f, 0.85f),
              .rim_color = glm::vec3(0.50f, 0.40f, 0.36f),
              .ground_color = glm::vec3(0.30f, 0.28f, 0.27f)};
    case Environment::kWhite:
      return {.shader = "studio/white.glsl", .key_half_angle = 0.35f};
    case Environment::kImage:
      break;
  }
  PELT_EXPECT(view.environment_image != nullptr, "an image to light with");
  return {.shader = "studio/image.glsl", .key_direction = brightest_direction(*view.environment_image)};
}

}  // namespace pelt::render
