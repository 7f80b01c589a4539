#include "mesh/adjacency.h"

#include <algorithm>

#include "core/expect.h"

namespace pelt::mesh {

namespace {

// The other ends of the lines at each vertex, as compressed rows.
struct LineEnds {
  std::vector<std::uint32_t> offset;
  std::vector<std::uint32_t> end;
};
LineEnds line_ends(std::size_t vertex_count, std::span<const std::uint32_t> lines) {
  LineEnds out;
  out.offset.assign(vertex_count + 1, 0);
  for (const std::uint32_t end : lines) {
    PELT_EXPECT(end < vertex_count, "ends are vertices");
    ++out.offset[end + 1];
  }
  for (std::size_t v = 0; v < vertex_count; ++v) {
    out.offset[v + 1] += out.offset[v];
  }
  out.end.resize(lines.size());
  std::vector<std::uint32_t> next(out.offset.begin(), out.offset.end() - 1);
  for (std::size_t k = 0; k < lines.size(); ++k) {
    out.end[next[lines[k]]++] = lines[k % 2 == 0 ? k + 1 : k - 1];
  }
  return out;
}

}  // namespace

Adjacency make_adjacency(std::size_t vertex_count, std::span<const std::uint32_t> triangles,
                         std::span<const std::uint32_t> lines) {
  PELT_EXPECT(triangles.size() % 3 == 0, "three corners per triangle");
  PELT_EXPECT(lines.size() % 2 == 0, "two ends per line");
  Adjacency out;
  out.corner_offset.assign(vertex_count + 1, 0);
  for (const std::uint32_t corner : triangles) {
    PELT_EXPECT(corner < vertex_count, "corners are vertices");
    ++out.corner_offset[corner + 1];
  }
  for (std::size_t v = 0; v < vertex_count; ++v) {
    out.corner_offset[v + 1] += out.corner_offset[v];
  }
  out.corners.resize(triangles.size());
  std::vector<std::uint32_t> next(out.corner_offset.begin(), out.corner_offset.end() - 1);
  for (std::size_t t = 0; t < triangles.size(); t += 3) {
    for (std::size_t c = 0; c < 3; ++c) {
      out.corners[next[triangles[t + c]]++] = {triangles[t + (c + 1) % 3], triangles[t + (c + 2) % 3]};
    }
  }
  out.offset.reserve(vertex_count + 1);
  out.offset.push_back(0);
  const LineEnds ends = line_ends(lines.empty() ? 0 : vertex_count, lines);
  std::vector<std::uint32_t> ring;
  for (std::size_t v = 0; v < vertex_count; ++v) {
    ring.clear();
    for (const auto& [b, c] : out.corners_at(v)) {
      ring.push_back(b);
      ring.push_back(c);
    }
    if (!lines.empty()) {
      ring.insert(ring.end(), ends.end.begin() + ends.offset[v], ends.end.begin() + ends.offset[v + 1]);
    }
    std::ranges::sort(ring);
    out.neighbor.insert(out.neighbor.end(), ring.begin(), std::unique(ring.begin(), ring.end()));
    out.offset.push_back(static_cast<std::uint32_t>(out.neighbor.size()));
  }
  return out;
}

}  // namespace pelt::mesh
