#include "render/box_picking.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/expect.h"
#include "mesh/triangle_bvh.h"
#include "render/picking.h"

namespace pelt::render {
namespace {

/// How much nearer than the vertex a surface has to be to hide it, of the vertex's distance: its own triangles meet the
/// ray there but for rounding.
constexpr double kNearer = 5e-4;

/// Where points lie in the picture; nothing behind the eye.
class ToPicture {
 public:
  ToPicture(const Camera& camera, float aspect) : matrix_(camera.clip_from_view(aspect) * camera.view_from_world()) {}
  [[nodiscard]] std::optional<glm::vec2> operator()(const glm::vec3& point) const {
    const glm::vec4 clip = matrix_ * glm::vec4(point, 1.0f);
    if (!(clip.w > 1e-6f)) {
      return std::nullopt;
    }
    return glm::vec2(clip) / clip.w;
  }

 private:
  glm::mat4 matrix_;
};

bool holds(const PictureBox& box, const std::optional<glm::vec2>& at) {
  return at && at->x >= box.lower.x && at->x <= box.upper.x && at->y >= box.lower.y && at->y <= box.upper.y;
}

// Distance along the ray to a triangle, from either side (Möller and Trumbore 1997).
std::optional<double> distance_to(const glm::dvec3& origin, const glm::dvec3& direction,
                                  const std::array<glm::dvec3, 3>& corner) {
  const glm::dvec3 u = corner[1] - corner[0];
  const glm::dvec3 v = corner[2] - corner[0];
  const glm::dvec3 p = glm::cross(direction, v);
  const double determinant = glm::dot(u, p);
  if (determinant == 0) {
    return std::nullopt;
  }
  const glm::dvec3 s = origin - corner[0];
  const double a = glm::dot(s, p) / determinant;
  const glm::dvec3 q = glm::cross(s, u);
  const double b = glm::dot(direction, q) / determinant;
  if (a < 0 || b < 0 || a + b > 1) {
    return std::nullopt;
  }
  return glm::dot(v, q) / determinant;
}

/// The triangles without a hidden vertex. @param hidden  [V] or empty
SharedArray<std::uint32_t> shown_triangles(const SharedArray<std::uint32_t>& indices, std::span<const char> hidden) {
  if (hidden.empty()) {
    return indices;
  }
  std::vector<std::uint32_t> shown;
  for (std::size_t i = 0; i + 2 < indices.size(); i += 3) {
    if ((hidden[indices[i]] | hidden[indices[i + 1]] | hidden[indices[i + 2]]) == 0) {
      shown.insert(shown.end(), {indices[i], indices[i + 1], indices[i + 2]});
    }
  }
  return shown;
}

/// All triangles that are seen, as one tree each part.
class Occluders {
 public:
  Occluders(const rig::Character& character, const deform::DeformedCharacter& deformed,
            const rig::HiddenSurface& hidden) {
    for (std::size_t p = 0; p < character.parts.size(); ++p) {
      const rig::Part& part = character.parts[p];
      const mesh::Primitive& primitive = character.primitive(part);
      if (primitive.topology == mesh::Topology::kTriangles && !hidden.hides(part, static_cast<int>(p))) {
        const std::span<const glm::vec3> positions = deformed.parts[p].positions;
        SharedArray<std::uint32_t> indices = shown_triangles(primitive.indices, hidden.vertices(static_cast<int>(p)));
        mesh::TriangleBvh boxes(positions, indices);
        trees_.push_back({positions, std::move(indices), std::move(boxes)});
      }
    }
  }
  /// Whether some triangle lies between the ray's origin and `distance`.
  [[nodiscard]] bool between(const Ray& ray, double distance) const {
    const glm::dvec3 origin(ray.origin);
    const glm::dvec3 direction(ray.direction);
    double limit = distance * (1 - kNearer);
    bool found = false;
    for (const Tree& tree : trees_) {
      tree.boxes.for_each_along(origin, direction, limit, [&](std::uint32_t t) {
        std::array<glm::dvec3, 3> corner;
        for (std::size_t k = 0; k < 3; ++k) {
          corner[k] = glm::dvec3(tree.positions[tree.indices[3 * std::size_t{t} + k]]);
        }
        const std::optional<double> at = distance_to(origin, direction, corner);
        if (at && *at > 0 && *at < limit) {
          found = true;
          limit = 0;
        }
      });
      if (found) {
        return true;
      }
    }
    return false;
  }

 private:
  struct Tree {
    std::span<const glm::vec3> positions;
    SharedArray<std::uint32_t> indices;
    mesh::TriangleBvh boxes;
  };
  std::vector<Tree> trees_;
};

}  // namespace

std::vector<int> joints_in_box(const rig::Character& character, std::span<const glm::mat4> world, const Camera& camera,
                               float aspect, const PictureBox& box, std::span<const char> only) {
  const ToPicture to_picture(camera, aspect);
  std::vector<int> joints;
  for (const Bone& bone : bones(character, world, only)) {
    if (holds(box, to_picture(bone.head))) {
      joints.push_back(bone.joint);
    }
  }
  std::ranges::sort(joints);
  const auto again = std::ranges::unique(joints);
  joints.erase(again.begin(), again.end());
  return joints;
}

std::vector<std::vector<std::uint32_t>> vertices_in_box(const rig::Character& character,
                                                        const deform::DeformedCharacter& deformed, const Camera& camera,
                                                        float aspect, const PictureBox& box, bool through,
                                                        const rig::HiddenSurface& hidden) {
  PELT_EXPECT(deformed.parts.size() == character.parts.size(), "the shape of this character");
  const ToPicture to_picture(camera, aspect);
  std::vector<std::vector<std::uint32_t>> out(character.parts.size());
  std::optional<Occluders> occluders;
  for (std::size_t p = 0; p < out.size(); ++p) {
    if (hidden.hides(character.parts[p], static_cast<int>(p))) {
      continue;
    }
    const std::span<const char> hidden_vertices = hidden.vertices(static_cast<int>(p));
    const std::span<const glm::vec3> positions = deformed.parts[p].positions;
    for (std::size_t v = 0; v < positions.size(); ++v) {
      if (!hidden_vertices.empty() && hidden_vertices[v] != 0) {
        continue;
      }
      const std::optional<glm::vec2> at = to_picture(positions[v]);
      if (!holds(box, at)) {
        continue;
      }
      if (!through) {
        if (!occluders) {
          occluders.emplace(character, deformed, hidden);
        }
        const Ray ray = pick_ray(camera, *at, aspect);
        if (occluders->between(ray, glm::dot(glm::dvec3(positions[v] - ray.origin), glm::dvec3(ray.direction)))) {
          continue;
        }
      }
      out[p].push_back(static_cast<std::uint32_t>(v));
    }
  }
  return out;
}

}  // namespace pelt::render
