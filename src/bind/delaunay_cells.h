#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "core/progress.h"

namespace pelt::bind {

/// Delaunay tetrahedra of points, and the cells that they are parts of: points on one empty sphere are one cell,
/// however it is cut into tetrahedra. Cells do not depend on the order of points, and mirrored points have mirrored
/// cells.
struct DelaunayCells {
  std::vector<std::array<std::uint32_t, 4>> tetrahedra;  ///< those that are not flat, of any orientation
  std::vector<std::uint32_t> first;                      ///< [cells + 1] into `points`
  std::vector<std::uint32_t> points;                     ///< of each cell, ascending, four or more
  [[nodiscard]] std::size_t size() const { return first.size() - 1; }
  [[nodiscard]] std::span<const std::uint32_t> cell(std::size_t c) const {
    return std::span(points).subspan(first[c], first[c + 1] - first[c]);
  }
};

/// @param points  distinct; those so near to others that rounding hides them may be in no cell
/// @return nothing where all lie in a plane, or there are fewer than four
/// @cost about O(N log N) for points on and in a body; cannot be stopped
std::optional<DelaunayCells> delaunay_cells(std::span<const glm::dvec3> points);

/// The same of parts of at most about `most` points, which are worked on in parallel and between which `progress` may
/// stop. Each part sees the points round it, but cells that are larger than that may overlap those of other parts;
/// inside of a body, that is thinner than its points are wide spread, they are not.
/// @return nothing where progress asks it to stop or no part has a cell
std::optional<DelaunayCells> delaunay_cells_in_parts(std::span<const glm::dvec3> points, std::size_t most,
                                                     const Progress& progress = {});

}  // namespace pelt::bind
