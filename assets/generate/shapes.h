#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <glm/glm.hpp>

#include "mesh/mesh.h"

namespace pelt::assets {

/// A closed surface being modelled, metres; triangles counterclockwise seen from outside.
struct Shape {
  std::vector<glm::dvec3> positions;   ///< [V]
  std::vector<glm::dvec3> normals;     ///< [V] unit
  std::vector<double> station;         ///< [V] of a loft: the ring a vertex belongs to; 0 elsewhere
  std::vector<glm::dvec3> tint;        ///< [V] linear colour by which the material's is multiplied
  std::vector<std::uint32_t> indices;  ///< [3 F]
};

/// Closed rings of equal size, joined in turn and closed at both ends by fans. A first or last ring whose points all
/// coincide becomes a pole. Normals are area-weighted, so that narrow bevels leave broad faces flat.
/// @param rings  points right-handed about the direction in which the rings follow each other
Shape loft(std::span<const std::vector<glm::dvec3>> rings);

/// A ring on the superellipse |x/a|^power + |y/b|^power = 1 in the plane of `side` (x) and `up` (y).
std::vector<glm::dvec3> superellipse(const glm::dvec3& center, const glm::dvec3& side, const glm::dvec3& up, double a,
                                     double b, double power, int around);

/// A tube of round rings along a path, frames carried along without turning about it.
Shape tube(std::span<const glm::dvec3> path, std::span<const double> radius, int around);

/// A surface of revolution about +y. @param profile  (radius, height), heights ascending along the outside
Shape lathe(std::span<const glm::dvec2> profile, int around);

/// About +y from height 0 to `height`, both rims rounded by `bevel`.
Shape cylinder(double radius, double height, double bevel, int around = 32);

Shape sphere(double radius, int around = 28, int stacks = 14);

/// A box about the origin, all edges and corners rounded by `bevel`.
Shape rounded_box(const glm::dvec3& half_size, double bevel, int steps = 2);

/// Joins shapes without welding.
void append(Shape& shape, const Shape& other);

Shape transformed(Shape shape, const glm::dmat4& matrix);
Shape moved(Shape shape, const glm::dvec3& by);
/// Turned so that +y points along `direction`, then moved to `origin`.
Shape aligned(Shape shape, const glm::dvec3& origin, const glm::dvec3& direction);
/// Reflected through the plane x = 0.
Shape mirrored(Shape shape);
Shape tinted(Shape shape, const std::function<glm::dvec3(const glm::dvec3& position, double station)>& tint);

/// Skin joint and weight, any number.
using WeightRow = std::vector<std::pair<int, double>>;
using Weighting = std::function<WeightRow(const glm::dvec3& position, double station)>;

/// Adds a shape to a primitive, with vertex colours where `colored`, with influences where there is a weighting.
void append(mesh::Primitive& primitive, const Shape& shape, bool colored, const Weighting& weighting = {});

/// 0 below `low`, 1 above `high`, smooth between.
double smooth_step(double low, double high, double x);

}  // namespace pelt::assets
