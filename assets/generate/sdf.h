#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include <glm/glm.hpp>

namespace pelt::assets {

/// A cone between two spheres. Exact distance.
struct RoundCone {
  glm::dvec3 a{0.0}, b{0.0};
  double radius_a = 0.1, radius_b = 0.1;
};

/// An ellipsoid. First-order distance: right near the surface, which is where it matters.
struct Ellipsoid {
  glm::dvec3 center{0.0};
  glm::dmat3 axes{1.0};  ///< columns
  glm::dvec3 radii{0.1};
};

/// One cross section of a Loft: a (super)ellipse given by its extent along the two section axes.
struct LoftKey {
  double t = 0;  ///< metres along the axis
  double u_low = 0, u_high = 0, v_low = 0, v_high = 0;
};

/// A body swept along a straight axis through smoothly interpolated cross sections: silhouettes as an artist draws
/// them, from the front (u) and from the side (v). Flat ends, meant to be buried in neighbours. First-order distance.
struct Loft {
  glm::dvec3 origin{0.0};
  glm::dmat3 axes{1.0};  ///< columns: axis, u, v
  std::vector<LoftKey> keys;
  double exponent = 2;  ///< 2 ellipse, more is squarer
  double round = 0;     ///< radius of the rims of both ends, metres, within the sections
};

/// Everything on the side the normal points away from.
struct HalfSpace {
  glm::dvec3 point{0.0};
  glm::dvec3 normal{0, 1, 0};
};

/// What a half-space leaves of an ellipsoid, with a rounded rim.
struct Cap {
  Ellipsoid ball;
  HalfSpace side;
  double round = 0;  ///< metres
};

using Solid = std::variant<RoundCone, Ellipsoid, Loft, HalfSpace, Cap>;

/// Signed distance, metres, negative inside.
double distance(const Solid& solid, const glm::dvec3& p);

/// The solid seen in the mirror x = 0.
Solid mirrored(const Solid& solid);

enum class Blend { kUnion, kSubtract, kIntersect };

/// A signed-distance body: shapes blended one after the other with C2 smooth minima (cubic polynomial), each with its
/// own blend radius in metres. Groups name the body parts for the weights.
class Body {
 public:
  void add(Solid solid, double blend, int group, Blend operation = Blend::kUnion);
  /// The solid and its mirror image (group and group + mirror_offset).
  void add_both(const Solid& solid, double blend, int group, int mirror_offset, Blend operation = Blend::kUnion);

  /// Distance of the whole body.
  [[nodiscard]] double operator()(const glm::dvec3& p) const;
  /// Distance of the unions of one group.
  [[nodiscard]] double group_distance(const glm::dvec3& p, int group) const;
  /// Gradient by central differences, not normalised.
  [[nodiscard]] glm::dvec3 gradient(const glm::dvec3& p) const;
  /// Moves a point near the surface onto it by Newton steps along the gradient. With `in_plane` x stays 0.
  [[nodiscard]] glm::dvec3 project(glm::dvec3 p, bool in_plane) const;

  /// Prepares cells of `size` metres that cover the box: evaluation then looks only at shapes that matter in the cell.
  /// Returns, for each cell the surface may pass through, its integer coordinates (x fastest, ascending).
  std::vector<glm::ivec3> prepare(const glm::dvec3& lower, const glm::dvec3& upper, double size);

 private:
  struct Item {
    Solid solid;
    double blend = 0;
    int group = 0;
    Blend operation = Blend::kUnion;
  };
  [[nodiscard]] double evaluate(const glm::dvec3& p, const std::vector<std::uint16_t>& items) const;
  [[nodiscard]] const std::vector<std::uint16_t>& items_near(const glm::dvec3& p) const;

  std::vector<Item> items_;
  std::vector<std::uint16_t> all_;
  glm::dvec3 lower_{0.0};
  double size_ = 0;
  glm::ivec3 counts_{0};
  std::vector<std::vector<std::uint16_t>> cells_;
};

}  // namespace pelt::assets
