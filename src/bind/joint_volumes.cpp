#include "bind/joint_volumes.h"

#include <cmath>

namespace pelt::bind {
namespace {

// What of a joint's matrix a rigid body of any size can follow.
struct Similarity {
  glm::dmat3 rotation = glm::dmat3(1.0);
  glm::dvec3 origin = {};
  double scale = 1;
};

Similarity similarity_of(const glm::dmat4& matrix) {
  const glm::dmat3 linear(matrix);
  Similarity out;
  out.origin = glm::dvec3(matrix[3]);
  const double volume = std::abs(glm::determinant(linear));
  if (!(volume > 0) || !std::isfinite(volume)) {
    return out;  // a joint of no size: the world's axes and unit
  }
  out.scale = std::cbrt(volume);
  const glm::dvec3 x = glm::normalize(linear[0]);
  const glm::dvec3 y = glm::normalize(linear[1] - glm::dot(linear[1], x) * x);
  out.rotation = {x, y, glm::cross(x, y)};  // of a mirrored joint, too: volumes are no mirror images
  return out;
}

}  // namespace

Volume placed(const JointVolume& volume, std::size_t bone, const glm::dmat4& space_from_joint) {
  const Similarity from = similarity_of(space_from_joint);
  glm::dmat3 axes = glm::mat3_cast(glm::normalize(glm::dquat(volume.rotation)));
  axes[2] *= volume.flipped ? -1.0 : 1.0;
  return {.kind = volume.kind,
          .bone = bone,
          .center = from.origin + from.scale * (from.rotation * glm::dvec3(volume.center)),
          .axes = from.rotation * axes,
          .half = from.scale * glm::dvec3(volume.half),
          .head_radius = from.scale * double{volume.head_radius},
          .tail_radius = from.scale * double{volume.tail_radius},
          .shape = volume.shape};
}

JointVolume on_joint(const Volume& volume, int joint, const glm::dmat4& space_from_joint) {
  const Similarity from = similarity_of(space_from_joint);
  const glm::dmat3 back = glm::transpose(from.rotation);
  glm::dmat3 axes = back * volume.axes;
  const bool flipped = glm::determinant(axes) < 0;
  axes[2] *= flipped ? -1.0 : 1.0;
  return {.joint = joint,
          .kind = volume.kind,
          .center = glm::vec3(back * (volume.center - from.origin) / from.scale),
          .rotation = glm::quat(glm::normalize(glm::quat_cast(axes))),
          .half = glm::vec3(volume.half / from.scale),
          .head_radius = static_cast<float>(volume.head_radius / from.scale),
          .tail_radius = static_cast<float>(volume.tail_radius / from.scale),
          .flipped = flipped,
          .shape = volume.shape};
}

}  // namespace pelt::bind
