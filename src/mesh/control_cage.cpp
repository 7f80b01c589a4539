#include "mesh/control_cage.h"

#include <algorithm>

namespace pelt::mesh {
namespace {

using Line = std::pair<std::uint32_t, std::uint32_t>;

// Rows and columns of a net, without the diagonals that its triangles have.
std::vector<Line> net_lines(const NurbsForm& form) {
  std::vector<Line> lines;
  const auto width = static_cast<std::uint32_t>(form.u.count);
  const auto height = static_cast<std::uint32_t>(form.v.count);
  for (std::uint32_t j = 0; j < height; ++j) {
    for (std::uint32_t i = 0; i < width; ++i) {
      const std::uint32_t c = j * width + i;
      if (i + 1 < width) {
        lines.emplace_back(c, c + 1);
      }
      if (j + 1 < height) {
        lines.emplace_back(c, c + width);
      }
    }
  }
  return lines;
}

}  // namespace

std::vector<Line> cage_lines(const ControlCage& cage) {
  if (cage.nurbs.is_one()) {
    return net_lines(cage.nurbs);
  }
  std::vector<Line> lines;
  lines.reserve(cage.triangles.size());
  for (std::size_t i = 0; i < cage.triangles.size(); ++i) {
    const std::uint32_t next = cage.triangles[i % 3 == 2 ? i - 2 : i + 1];
    lines.push_back(std::minmax({cage.triangles[i], next}));
  }
  std::ranges::sort(lines);
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

}  // namespace pelt::mesh
