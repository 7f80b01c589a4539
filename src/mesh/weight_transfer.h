#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "core/progress.h"
#include "mesh/weight_rows.h"

namespace pelt::mesh {

/// A surface of places to take weights from or to give them to, all in one space.
struct TransferSurface {
  std::vector<glm::dvec3> positions;                    ///< [W]
  std::vector<std::array<std::uint32_t, 3>> triangles;  ///< [T] no corner twice
};

/// A row for each place; joints by whatever number both surfaces share.
using TransferRows = std::vector<std::vector<WeightEntry>>;

struct TransferSettings {
  double distance = 0.05;  ///< the closest point may be as far off, in the units of positions
  double angle = 1.0472;   ///< between the normals there, radians; normals that turn away by more are no match
  bool nearest = false;    ///< what has no match takes the closest point all the same, instead of its neighbours' rows
};

enum class TransferCause : std::uint8_t {
  kMatched,    ///< by the closest point
  kInpainted,  ///< harmonic between places that have a row
  kNearest,    ///< the closest point, though none matched: asked for, or nothing round it has a row
};

struct Transfer {
  TransferRows rows;                 ///< [W] of the target; each sums to 1, or is empty where the source has nothing
  std::vector<TransferCause> cause;  ///< [W]
  std::vector<double> distance;  ///< [W] from the closest point; 0 of fixed rows and where the source has no triangle
  std::array<std::size_t, 3> count = {};  ///< of each cause
};

/// Weights by the closest point of another surface: the rows at the corners of its triangle by barycentric coordinates,
/// brought to 1. Rows that are empty give nothing: what is closest to these alone is not matched.
///
/// Places without a match get what solves sum_u a_wu (x_w - x_u) = 0 over the edges of the target, a the sum of the
/// cotangents that face the edge and a hundred-millionth: between the weights round them, so never below 0 nor above 1.
/// Source: Abdrashitov, Raichstat, Monsen and Hill, "Robust skin weights transfer via weight inpainting", SIGGRAPH Asia
/// 2023 (technical communications), which minimises the bending of weights where this one does their slope.
/// @param source_rows  [W] of the source
/// @param fixed        [W] rows of the target that stay, and that others are inpainted from; empty: none
/// @param progress     where it asks to stop, the rest of the result means nothing
/// @cost O((W + T) log T) and the solving of what has no match, on all threads
Transfer transferred_weights(const TransferSurface& source, const TransferRows& source_rows,
                             const TransferSurface& target, const TransferRows& fixed, const TransferSettings& how,
                             const Progress& progress = {});

/// Where a surface is closest to a point.
struct SurfacePoint {
  std::uint32_t triangle = 0;
  std::array<double, 3> share = {};  ///< barycentric, each 0 to 1
  double distance = 0;
};
SurfacePoint closest_on_triangle(const glm::dvec3& p, const glm::dvec3& a, const glm::dvec3& b, const glm::dvec3& c);

}  // namespace pelt::mesh
