// G. Turk, "The PLY Polygon File Format", 1994.

#include "formats/ply_writer.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

namespace pelt::formats {
namespace {

static_assert(std::endian::native == std::endian::little, "write_ply copies floats as they lie in memory");

template <typename T>
void append_bytes(std::string& out, const T& value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

std::size_t triangle_count(const WrittenPart& part) {
  return part.topology == mesh::Topology::kTriangles ? part.indices.size() / 3 : 0;
}

}  // namespace

std::string write_ply(std::string_view comment, std::span<const WrittenPart> parts) {
  std::size_t vertices = 0;
  std::size_t triangles = 0;
  for (const WrittenPart& part : parts) {
    vertices += part.positions.size();
    triangles += triangle_count(part);
  }
  const bool with_normals = vertices > 0 && std::ranges::all_of(parts, [](const WrittenPart& part) {
                              return part.normals.size() == part.positions.size();
                            });
  std::string out = fmt::format(
      "ply\nformat binary_little_endian 1.0\ncomment {}\nelement vertex {}\nproperty float x\nproperty float y\n"
      "property float z\n{}element face {}\nproperty list uchar uint vertex_indices\nend_header\n",
      comment, vertices, with_normals ? "property float nx\nproperty float ny\nproperty float nz\n" : "", triangles);
  for (const WrittenPart& part : parts) {
    for (std::size_t v = 0; v < part.positions.size(); ++v) {
      append_bytes(out, part.positions[v]);
      if (with_normals) {
        append_bytes(out, part.normals[v]);
      }
    }
  }
  std::uint32_t first = 0;
  for (const WrittenPart& part : parts) {
    for (std::size_t t = 0; t < triangle_count(part); ++t) {
      out += '\3';
      for (const std::uint32_t v : part.indices.subspan(3 * t, 3)) {
        append_bytes(out, first + v);
      }
    }
    first += static_cast<std::uint32_t>(part.positions.size());
  }
  return out;
}

}  // namespace pelt::formats
