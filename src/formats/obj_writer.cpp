// Wavefront Technologies, "The Advanced Visualizer Manual", appendix B1 (OBJ).

#include "formats/obj_writer.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace pelt::formats {
namespace {

// OBJ counts from one, over the whole file.
struct NextNumbers {
  std::size_t position = 1;
  std::size_t texcoord = 1;
  std::size_t normal = 1;
};

void append(fmt::memory_buffer& out, std::string_view text) {
  out.append(text.data(), text.data() + text.size());
}

bool has_texcoords(const WrittenPart& part) {
  return part.texcoords.size() == part.positions.size() && !part.positions.empty();
}

void write_vertices(fmt::memory_buffer& out, const WrittenPart& part) {
  const auto at = std::back_inserter(out);
  for (const glm::vec3& v : part.positions) {
    fmt::format_to(at, "v {} {} {}\n", v.x, v.y, v.z);
  }
  if (has_texcoords(part)) {
    for (const glm::vec2& t : part.texcoords) {
      fmt::format_to(at, "vt {} {}\n", t.x, 1.0f - t.y);
    }
  }
  for (const glm::vec3& n : part.normals) {
    fmt::format_to(at, "vn {} {} {}\n", n.x, n.y, n.z);
  }
}

void write_elements(fmt::memory_buffer& out, const WrittenPart& part, const NextNumbers& next) {
  const auto at = std::back_inserter(out);
  const bool with_texcoords = has_texcoords(part);
  const bool with_normals = !part.normals.empty();
  const std::size_t corners = part.topology == mesh::Topology::kTriangles ? 3
                              : part.topology == mesh::Topology::kLines   ? 2
                                                                          : 1;
  for (std::size_t i = 0; i + corners <= part.indices.size(); i += corners) {
    append(out, corners == 3 ? "f" : corners == 2 ? "l" : "p");
    for (std::size_t c = 0; c < corners; ++c) {
      const std::uint32_t v = part.indices[i + c];
      fmt::format_to(at, " {}", next.position + v);
      if (corners == 3 && (with_texcoords || with_normals)) {
        append(out, "/");
        if (with_texcoords) {
          fmt::format_to(at, "{}", next.texcoord + v);
        }
        if (with_normals) {
          fmt::format_to(at, "/{}", next.normal + v);
        }
      }
    }
    append(out, "\n");
  }
}

}  // namespace

std::string write_obj(std::string_view comment, std::span<const WrittenPart> parts) {
  fmt::memory_buffer out;
  fmt::format_to(std::back_inserter(out), "# {}\n", comment);
  NextNumbers next;
  for (const WrittenPart& part : parts) {
    std::string name = part.name;
    std::ranges::replace(name, ' ', '_');
    fmt::format_to(std::back_inserter(out), "g {}\n", name);
    write_vertices(out, part);
    write_elements(out, part, next);
    next.position += part.positions.size();
    next.texcoord += has_texcoords(part) ? part.positions.size() : 0;
    next.normal += part.normals.size();
  }
  return fmt::to_string(out);
}

}  // namespace pelt::formats
