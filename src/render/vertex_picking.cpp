// Ray and triangle: Moeller, Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection", JGT 2(1), 1997.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/expect.h"
#include "core/parallel.h"
#include "render/picking.h"

namespace pelt::render {
namespace {

constexpr std::size_t kVertexGrain = 16384;
constexpr std::size_t kTriangleGrain = 16384;
/// What rounding may make of a vertex's distance from a plane through the ray, in its distance from the ray's origin.
constexpr float kRounding = 4e-6f;

/// Distance along the ray of its hit with a triangle from either side, or a negative number.
double intersect(const glm::dvec3& origin, const glm::dvec3& direction, const glm::dvec3& a, const glm::dvec3& b,
                 const glm::dvec3& c) {
  const glm::dvec3 e1 = b - a;
  const glm::dvec3 e2 = c - a;
  const glm::dvec3 p = glm::cross(direction, e2);
  const double determinant = glm::dot(e1, p);
  if (determinant == 0.0 || !std::isfinite(determinant)) {
    return -1.0;
  }
  const double inverse = 1.0 / determinant;
  const glm::dvec3 s = origin - a;
  const double u = glm::dot(s, p) * inverse;
  const glm::dvec3 q = glm::cross(s, e1);
  const double v = glm::dot(direction, q) * inverse;
  if (!(u >= 0.0 && v >= 0.0 && u + v <= 1.0)) {
    return -1.0;
  }
  return glm::dot(e2, q) * inverse;
}

/// On which sides of the ray a vertex surely lies, seen along it: one bit for each of right, left, above, below. What
/// is not finite lies on none.
class Sides {
 public:
  explicit Sides(const Ray& ray) : origin_(ray.origin) {
    const glm::vec3 steep = glm::abs(ray.direction.y) < 0.9f ? glm::vec3(0, 1, 0) : glm::vec3(1, 0, 0);
    right_ = glm::normalize(glm::cross(ray.direction, steep));
    up_ = glm::cross(right_, ray.direction);
  }
  [[nodiscard]] std::uint8_t of(const glm::vec3& position) const {
    const glm::vec3 d = position - origin_;
    const float tolerance = kRounding * (std::abs(d.x) + std::abs(d.y) + std::abs(d.z));
    const float right = glm::dot(d, right_);
    const float up = glm::dot(d, up_);
    return static_cast<std::uint8_t>((right > tolerance ? 1 : 0) | (right < -tolerance ? 2 : 0) |
                                     (up > tolerance ? 4 : 0) | (up < -tolerance ? 8 : 0));
  }

 private:
  glm::vec3 origin_;
  glm::vec3 right_;
  glm::vec3 up_;
};

struct TriangleHit {
  double distance = std::numeric_limits<double>::infinity();
  std::size_t first = 0;  ///< of its indices
};

/// The first of the triangles [begin, end) that the ray meets. @param sides  [V] of Sides
/// @param hidden  [V] or empty: vertices whose triangles are passed over
TriangleHit first_hit(const Ray& ray, std::span<const std::uint32_t> indices, std::span<const glm::vec3> positions,
                      std::span<const std::uint8_t> sides, std::span<const char> hidden, std::size_t begin,
                      std::size_t end) {
  const glm::dvec3 origin(ray.origin);
  const glm::dvec3 direction(ray.direction);
  TriangleHit best;
  for (std::size_t i = 3 * begin; i < 3 * end; i += 3) {
    const std::array<std::uint32_t, 3> corner = {indices[i], indices[i + 1], indices[i + 2]};
    if ((sides[corner[0]] & sides[corner[1]] & sides[corner[2]]) != 0) {
      continue;  // all on one side
    }
    if (!hidden.empty() && (hidden[corner[0]] | hidden[corner[1]] | hidden[corner[2]]) != 0) {
      continue;
    }
    const double t = intersect(origin, direction, glm::dvec3(positions[corner[0]]), glm::dvec3(positions[corner[1]]),
                               glm::dvec3(positions[corner[2]]));
    if (t > 0.0 && t < best.distance) {
      best = {t, i};
    }
  }
  return best;
}

/// The same of all triangles, side by side; of equally near ones the first.
TriangleHit first_hit(const Ray& ray, std::span<const std::uint32_t> indices, std::span<const glm::vec3> positions,
                      std::span<const char> hidden) {
  const Sides sides(ray);
  std::vector<std::uint8_t> of_vertex(positions.size());
  parallel_for(positions.size(), kVertexGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      of_vertex[v] = sides.of(positions[v]);
    }
  });
  const std::size_t triangles = indices.size() / 3;
  std::vector<TriangleHit> of_chunk((triangles + kTriangleGrain - 1) / kTriangleGrain);
  parallel_for(triangles, kTriangleGrain, [&](std::size_t begin, std::size_t end) {
    of_chunk[begin / kTriangleGrain] = first_hit(ray, indices, positions, of_vertex, hidden, begin, end);
  });
  const auto nearest = std::ranges::min_element(of_chunk, {}, &TriangleHit::distance);
  return nearest == of_chunk.end() ? TriangleHit() : *nearest;
}

}  // namespace

std::optional<VertexHit> pick_vertex(const rig::Character& character, const deform::DeformedCharacter& deformed,
                                     const Ray& ray, const rig::HiddenSurface& hidden) {
  PELT_EXPECT(deformed.parts.size() == character.parts.size(), "one deformed part per part");
  std::optional<VertexHit> best;
  double best_distance = std::numeric_limits<double>::infinity();
  for (std::size_t p = 0; p < deformed.parts.size(); ++p) {
    const mesh::Primitive& primitive = character.primitive(character.parts[p]);
    const std::span<const glm::vec3> positions = deformed.parts[p].positions;
    const bool is_hidden = hidden.hides(character.parts[p], static_cast<int>(p));
    if (primitive.topology != mesh::Topology::kTriangles || positions.empty() || is_hidden) {
      continue;
    }
    const std::span<const std::uint32_t> indices(primitive.indices.data(), primitive.indices.size());
    const TriangleHit met = first_hit(ray, indices, positions, hidden.vertices(static_cast<int>(p)));
    if (!(met.distance < best_distance)) {
      continue;
    }
    best_distance = met.distance;
    const glm::dvec3 hit = glm::dvec3(ray.origin) + glm::dvec3(ray.direction) * met.distance;
    const auto corners = indices.subspan(met.first, 3);
    const std::uint32_t nearest = *std::ranges::min_element(
        corners, {}, [&](std::uint32_t v) { return glm::distance(hit, glm::dvec3(positions[v])); });
    best = VertexHit{.part = static_cast<int>(p),
                     .vertex = static_cast<int>(nearest),
                     .triangle = static_cast<int>(met.first / 3),
                     .position = glm::vec3(hit),
                     .distance = static_cast<float>(met.distance)};
  }
  return best;
}

std::optional<VertexHit> hit_on_triangle(const Ray& ray, int part, int triangle, std::span<const glm::vec3, 3> corners,
                                         std::span<const std::uint32_t, 3> vertices) {
  const glm::dvec3 a(corners[0]);
  const glm::dvec3 normal = glm::cross(glm::dvec3(corners[1]) - a, glm::dvec3(corners[2]) - a);
  const glm::dvec3 origin(ray.origin);
  const glm::dvec3 direction(ray.direction);
  const double distance = glm::dot(a - origin, normal) / glm::dot(direction, normal);
  if (!std::isfinite(distance)) {
    return {};
  }
  const glm::dvec3 hit = origin + direction * distance;
  std::size_t nearest = 0;
  for (std::size_t corner = 1; corner < 3; ++corner) {
    if (glm::distance(hit, glm::dvec3(corners[corner])) < glm::distance(hit, glm::dvec3(corners[nearest]))) {
      nearest = corner;
    }
  }
  return VertexHit{.part = part,
                   .vertex = static_cast<int>(vertices[nearest]),
                   .triangle = triangle,
                   .position = glm::vec3(hit),
                   .distance = static_cast<float>(distance)};
}

}  // namespace pelt::render
