#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>

#include "rig/character.h"

namespace pelt::assets {

/// Returns an index of the character in the type that containers take.
inline std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// One rotational degree of freedom as authored, in degrees.
struct AuthoredDof {
  std::string name;  ///< "twist", "bend", "side"
  glm::vec3 axis{0, 0, 1};
  float lower = -180;
  float upper = 180;
  float rest = 0;  ///< value in the rest pose, which is also the pose of binding
};

inline constexpr glm::vec3 kTwistAxis{1, 0, 0};
inline constexpr glm::vec3 kSideAxis{0, 1, 0};
inline constexpr glm::vec3 kBendAxis{0, 0, 1};

/// Columns x along the bone, y the side the joint flexes to, z the hinge axis: a positive bend flexes.
glm::dmat3 bone_axes(const glm::dvec3& along, const glm::dvec3& flexes_to);

/// A skeleton as it is authored: joints given by position and axes in the zero pose (all DOFs zero), with the DOF
/// values of the rest pose beside.
class RigBuilder {
 public:
  /// @param position, axes  in the world of the zero pose
  int add(std::string name, int parent, const glm::dvec3& position, const glm::dmat3& axes,
          std::vector<AuthoredDof> dofs = {});
  /// add() of a joint named "..._l" and of its mirror image "..._r", so that equal DOF values make mirrored poses.
  /// Parents named "..._l" are mirrored too.
  int add_both(const std::string& name_l, int parent, const glm::dvec3& position, const glm::dmat3& axes,
               const std::vector<AuthoredDof>& dofs = {});
  void add_translation_dofs(int joint, float reach);

  [[nodiscard]] const rig::Skeleton& skeleton() const { return skeleton_; }
  [[nodiscard]] int find(std::string_view name) const;
  [[nodiscard]] const glm::dmat4& zero_world(int j) const { return zero_[static_cast<std::size_t>(j)]; }
  /// World matrix in the rest pose.
  [[nodiscard]] const glm::dmat4& bind_world(int j) const { return bind_[static_cast<std::size_t>(j)]; }
  [[nodiscard]] glm::dvec3 bind_position(int j) const { return glm::dvec3(bind_world(j)[3]); }
  /// A point that hangs on joint j, from the zero pose to the rest pose.
  [[nodiscard]] glm::dvec3 to_bind(int j, const glm::dvec3& zero_point) const;
  [[nodiscard]] glm::dmat3 turn_to_bind(int j) const;

  /// A skin over all joints bound in the rest pose.
  [[nodiscard]] rig::Skin make_skin(std::string name) const;

 private:
  rig::Skeleton skeleton_;
  std::vector<glm::dmat4> zero_;
  std::vector<glm::dmat4> bind_;
};

/// The DOF values that the rest pose has.
std::vector<float> rest_values(const rig::Skeleton& skeleton, int j);

/// A pose being authored: the rest pose with DOFs set by name, in degrees (translations in metres, from the rest pose).
class PoseAuthor {
 public:
  explicit PoseAuthor(const rig::Skeleton& skeleton);
  void set(std::string_view joint, std::string_view dof, double value);
  /// set() on "..._l" and "..._r".
  void set_both(const std::string& joint_l, std::string_view dof, double value);
  [[nodiscard]] double get(std::string_view joint, std::string_view dof) const;
  [[nodiscard]] Transform local(int j) const;
  [[nodiscard]] const rig::Skeleton& skeleton() const { return skeleton_; }
  /// World matrix by walking up the parents.
  [[nodiscard]] glm::dmat4 world(int j) const;

 private:
  const rig::Skeleton& skeleton_;
  std::vector<std::vector<float>> values_;
};

/// A looping clip sampled from poses at evenly spaced times, one key per pose. Channels are made for what moves only;
/// rotation keys stay in one hemisphere.
rig::Clip clip_from_poses(std::string name, float duration, std::span<const PoseAuthor> poses);

/// Adds a channel of morph weights for the mesh on node `joint`.
void add_morph_channel(rig::Clip& clip, int joint, int width, std::vector<float> times, std::vector<float> values);

/// sRGB as on a colour chart, 0..255, to a linear base colour.
glm::vec4 srgb(int r, int g, int b);

}  // namespace pelt::assets
