#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "bind/problem.h"
#include "core/progress.h"

namespace pelt::bind {

/// Cubes that fill a box. Counts are odd and the box lies in the middle, so that a symmetric shape meets symmetric
/// cubes and its middle lies in the middle of one; the outermost cubes are empty.
struct VoxelGrid {
  glm::ivec3 size = glm::ivec3(1);
  double edge = 1;        ///< metres
  glm::dvec3 lower = {};  ///< the corner of cube 0

  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(size.x) * static_cast<std::size_t>(size.y) * static_cast<std::size_t>(size.z);
  }
  [[nodiscard]] bool contains(const glm::ivec3& at) const {
    return at.x >= 0 && at.y >= 0 && at.z >= 0 && at.x < size.x && at.y < size.y && at.z < size.z;
  }
  [[nodiscard]] std::size_t index(const glm::ivec3& at) const {
    return (static_cast<std::size_t>(at.z) * static_cast<std::size_t>(size.y) + static_cast<std::size_t>(at.y)) *
               static_cast<std::size_t>(size.x) +
           static_cast<std::size_t>(at.x);
  }
  [[nodiscard]] glm::ivec3 cell(std::size_t index) const {
    const auto x = static_cast<std::size_t>(size.x);
    const auto y = static_cast<std::size_t>(size.y);
    return {static_cast<int>(index % x), static_cast<int>(index / x % y), static_cast<int>(index / (x * y))};
  }
  /// In edges from the corner of cube 0.
  [[nodiscard]] glm::dvec3 to_grid(const glm::dvec3& p) const { return (p - lower) / edge; }
  [[nodiscard]] glm::ivec3 cell_at(const glm::dvec3& p) const { return glm::ivec3(glm::floor(to_grid(p))); }
  [[nodiscard]] glm::dvec3 center(const glm::ivec3& at) const { return lower + edge * (glm::dvec3(at) + 0.5); }
};

/// A grid with about n cubes along the longest side of what is given. No point lies on a border between cubes by being
/// at the border or in the middle of the box. @pre  n >= 4
VoxelGrid grid_round(std::span<const glm::dvec3> positions, int n);

enum class Voxel : std::uint8_t { kOutside, kInside, kSurface };

/// A surface as cubes.
struct Voxels {
  VoxelGrid grid;
  std::vector<Voxel> cell;   ///< [grid.count()]
  std::vector<char> turned;  ///< [T] triangles whose corners go round the wrong way
  std::size_t inside_count = 0;
  std::size_t surface_count = 0;

  /// Outside also where there is no cube.
  [[nodiscard]] Voxel at(const glm::ivec3& where) const {
    return grid.contains(where) ? cell[grid.index(where)] : Voxel::kOutside;
  }
  [[nodiscard]] Voxel at(const glm::dvec3& p) const { return at(grid.cell_at(p)); }
};

/// Which cubes a surface meets, and which lie within it. ALGORITHMS.md §36.
///
/// A cube belongs to the surface where it and a triangle overlap or touch, or where a place is in it. What cannot be
/// reached from outside past those is inside. What can be reached is inside as well where most of the directions look
/// at the surface's back (a generalised winding number of at least a half on every few cubes, carried on to the cubes
/// between them), so that holes, open borders and shells that overlap leave a volume. Triangles that go round the
/// wrong way are turned first: neighbours agree, and each sheet shows its front to those who look from afar.
/// Source of the winding number: A. Jacobson, L. Kavan, O. Sorkine-Hornung, "Robust Inside-Outside Segmentation using
/// Generalized Winding Numbers", SIGGRAPH 2013; of its fast evaluation: G. Barill et al., "Fast Winding Numbers for
/// Soups and Clouds", SIGGRAPH 2018.
/// @return nothing where the progress asked to stop @cost O(n^3 + T) and some bytes a cube
std::optional<Voxels> voxelised(const Problem& problem, int n, const Progress& progress = {});

/// [T] which triangles go round the wrong way, as voxelised() says at this resolution; it costs less.
std::optional<std::vector<char>> turned_triangles(const Problem& problem, int n, const Progress& progress = {});

/// Calls `visit(index)` for the cubes that a triangle overlaps or touches; some that it touches with a corner more than
/// once. Corners in edges of the grid.
void for_each_cube(const VoxelGrid& grid, const std::array<glm::dvec3, 3>& corners,
                   const std::function<void(std::size_t)>& visit);
/// The corners of a triangle in edges of the grid.
std::array<glm::dvec3, 3> corners_in_grid(const VoxelGrid& grid, const Problem& problem, std::size_t t);

/// Calls `visit(cube)` for the cubes that the segment from a to b passes, in this order, also for those that the grid
/// lacks; stops where it returns false. @return whether it was never false
bool walk_cubes(const VoxelGrid& grid, const glm::dvec3& a, const glm::dvec3& b,
                const std::function<bool(const glm::ivec3&)>& visit);

/// Whether the segment stays out of what is outside.
bool within(const Voxels& voxels, const glm::dvec3& a, const glm::dvec3& b);

/// The normals of the places, of the triangles as they should go round, weighted by angle; 0 where none tells.
std::vector<glm::dvec3> outward_normals(const Problem& problem, std::span<const char> turned);

}  // namespace pelt::bind
