// Rays against triangles: Möller, Trumbore, "Fast, minimum storage ray-triangle intersection", JGT 2(1), 1997.
#include "ui/spot_view.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace pelt::ui {
namespace {

constexpr float kSkin = 2e-3f;     // of the diagonal; what lies nearer to the vertex is the skin it is on
constexpr float kSteepest = 0.9f;  // sine of the elevation: from above or below nobody knows what they see

// Whether a ray from `origin` meets the triangle farther off than `nearest`.
bool meets(const glm::vec3& origin, const glm::vec3& direction, float nearest, const glm::vec3& a, const glm::vec3& b,
           const glm::vec3& c) {
  const glm::vec3 ab = b - a;
  const glm::vec3 ac = c - a;
  const glm::vec3 p = glm::cross(direction, ac);
  const float determinant = glm::dot(ab, p);
  if (std::abs(determinant) < 1e-20f) {
    return false;
  }
  const glm::vec3 from = origin - a;
  const float u = glm::dot(from, p) / determinant;
  const glm::vec3 q = glm::cross(from, ab);
  const float v = glm::dot(direction, q) / determinant;
  return u >= 0 && v >= 0 && u + v <= 1 && glm::dot(ac, q) / determinant > nearest;
}

template <typename F>
void for_triangles(const rig::Character& character, const deform::DeformedCharacter& shape, const F& body) {
  for (std::size_t k = 0; k < character.parts.size(); ++k) {
    const mesh::Primitive& primitive = character.primitive(character.parts[k]);
    const auto& at = shape.parts[k].positions;
    for (std::size_t t = 0; t < primitive.triangle_count(); ++t) {
      const std::uint32_t a = primitive.indices[3 * t];
      const std::uint32_t b = primitive.indices[3 * t + 1];
      const std::uint32_t c = primitive.indices[3 * t + 2];
      body(k, at[a], at[b], at[c], glm::uvec3(a, b, c));
    }
  }
}

glm::vec3 unit_or(const glm::vec3& v, const glm::vec3& instead) {
  const float length = glm::length(v);
  return length > 1e-12f ? v / length : instead;
}

std::vector<glm::vec3> directions(const glm::vec3& present) {
  std::vector<glm::vec3> out = {present};
  for (const float elevation : {-0.5f, 0.0f, 0.5f, 0.9f}) {
    for (int k = 0; k < 12; ++k) {
      const float azimuth = static_cast<float>(k) * glm::radians(30.0f);
      out.emplace_back(std::cos(elevation) * std::sin(azimuth), std::sin(elevation),
                       std::cos(elevation) * std::cos(azimuth));
    }
  }
  return out;
}

}  // namespace

SpotView open_view(const rig::Character& character, const deform::DeformedCharacter& shape, int part,
                   std::uint32_t vertex, const glm::vec3& joint, const glm::vec3& present) {
  const glm::vec3 spot = shape.parts[static_cast<std::size_t>(part)].positions[vertex];
  const float skin = kSkin * std::max(shape.bounds.diagonal(), 1e-6f);
  glm::vec3 normal(0);
  for_triangles(
      character, shape,
      [&](std::size_t k, const glm::vec3& a, const glm::vec3& b, const glm::vec3& c, const glm::uvec3& corners) {
        if (std::cmp_equal(k, part) && (corners.x == vertex || corners.y == vertex || corners.z == vertex)) {
          normal += glm::cross(b - a, c - a);
        }
      });
  normal = unit_or(normal, unit_or(spot - joint, present));
  const std::vector<glm::vec3> tried = directions(present);
  std::vector<char> is_hidden(tried.size(), 0);
  for_triangles(character, shape,
                [&](std::size_t, const glm::vec3& a, const glm::vec3& b, const glm::vec3& c, const glm::uvec3&) {
                  for (std::size_t i = 0; i < tried.size(); ++i) {
                    is_hidden[i] = is_hidden[i] != 0 || meets(spot, tried[i], skin, a, b, c) ? 1 : 0;
                  }
                });
  const glm::vec3 apart = unit_or(joint - spot, glm::vec3(0));
  SpotView best;
  float best_score = -1e9f;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    const glm::vec3& d = tried[i];
    const float beside = glm::length(glm::cross(apart, d));
    const float score = glm::dot(normal, d) + 0.5f * beside + 0.3f * glm::dot(present, d) -
                        (is_hidden[i] != 0 ? 10.0f : 0.0f) - (std::abs(d.y) > kSteepest ? 1.0f : 0.0f);
    if (score > best_score) {
      best_score = score;
      best = {d, is_hidden[i] == 0};
    }
  }
  return best;
}

}  // namespace pelt::ui
