#include "rig/skin_sides.h"

#include <limits>
#include <memory>
#include <utility>

#include "rig/lint_checks.h"
#include "rig/mirror.h"

namespace pelt::rig {

std::optional<mesh::MirrorPlane> mirror_plane(std::span<const std::optional<glm::dvec3>> heads,
                                              std::span<const int> partner, double tolerance) {
  glm::dvec3 longest(0);
  for (std::size_t k = 0; k < heads.size(); ++k) {
    if (partner[k] >= 0 && heads[k] && heads[partner[k]]) {
      const glm::dvec3 apart = *heads[partner[k]] - *heads[k];
      longest = glm::length(apart) > glm::length(longest) ? apart : longest;
    }
  }
  if (!(glm::length(longest) > tolerance)) {
    return std::nullopt;
  }
  const glm::dvec3 normal = glm::normalize(longest);
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t k = 0; k < heads.size(); ++k) {
    if (partner[k] >= 0 && std::cmp_not_equal(partner[k], k) && heads[k] && heads[partner[k]]) {
      sum += 0.5 * glm::dot(normal, *heads[k] + *heads[partner[k]]);
      ++count;
    }
  }
  const mesh::MirrorPlane plane{normal, sum / static_cast<double>(count)};
  for (std::size_t k = 0; k < heads.size(); ++k) {
    if (partner[k] >= 0 && heads[k] && heads[partner[k]] &&
        glm::length(plane.mirrored(*heads[k]) - *heads[partner[k]]) > tolerance) {
      return std::nullopt;  // the skeleton itself is not symmetric, or not bound so
    }
  }
  return plane;
}

std::optional<SkinSides> skin_sides(const Character& character, int skin, double tolerance) {
  const Skin& bound = character.skins[skin];
  const std::vector<int> partner = partners_in(bound, mirrored_joints(character.skeleton));
  const std::vector<std::optional<glm::dvec3>> heads = bound_heads(bound);
  const std::optional<mesh::MirrorPlane> plane = mirror_plane(heads, partner, tolerance);
  if (!plane) {
    return std::nullopt;
  }
  SkinSides out = {*plane, {}};
  const Mirror mirror(character);
  double left = 0;
  for (std::size_t k = 0; k < partner.size(); ++k) {
    const bool pairs = partner[k] >= 0 && std::cmp_equal(partner[partner[k]], k);
    out.partner.push_back(static_cast<std::uint16_t>(pairs ? partner[k] : static_cast<int>(k)));
    if (heads[k]) {
      const Side side = mirror.side(bound.joints[k]);
      left += (side == Side::kLeft ? 1 : side == Side::kRight ? -1 : 0) * plane->height(*heads[k]);
    }
  }
  if (left < 0) {
    out.plane = {-plane->normal, -plane->offset};
  }
  return out;
}

mesh::BoneDistance bone_distances(const Character& character, int skin) {
  const auto bones = std::make_shared<const BoundBones>(character, character.skins[skin]);
  return [bones](std::uint16_t slot, const glm::dvec3& point) {
    return slot < bones->heads.size() && bones->heads[slot] ? bones->distance(slot, point)
                                                            : std::numeric_limits<double>::infinity();
  };
}

}  // namespace pelt::rig
