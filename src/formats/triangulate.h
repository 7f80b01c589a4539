#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <glm/glm.hpp>

namespace pelt::formats {

/// Corners beyond which a polygon that is not convex is cut as a fan: cutting ears costs the square of their number.
inline constexpr std::size_t kMostEarCorners = 1024;

/// Cuts a polygon into triangles of its own orientation, whose union is the polygon and which neither overlap nor leave
/// it, as long as the polygon's outline, seen along its normal, does not cross itself.
///
/// Strictly convex polygons are cut as a fan from the first corner, others by cutting ears; corners in line get
/// triangles without area only where nothing else is left, so that no neighbour's edge is met in its middle. Source: D.
/// Eberly, "Triangulation by Ear Clipping", 2002; normal: M. E. Newell after I. E. Sutherland, R. F. Sproull and R. A.
/// Schumacker, "A Characterization of Ten Hidden-Surface Algorithms", 1974.
/// @param corners  [N] in order, N >= 3
/// @param out      3 (N - 2) indices into `corners` are appended
/// @returns false where the outline crosses itself, has no area, or is not convex and longer than kMostEarCorners: the
///          triangles then cover it as well as a fan can
/// @cost O(N) where convex, else O(N^2)
bool triangulate(std::span<const glm::vec3> corners, std::vector<std::uint32_t>& out);

}  // namespace pelt::formats
