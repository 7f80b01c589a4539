// DOFs of one kind of joint made from those of another, and those of one side for the other.
#include "rig/joint_types.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "core/expect.h"

namespace pelt::rig {
namespace {

constexpr std::array<std::string_view, kJointTypeCount> kJointTypeNames = {"fixed", "hinge", "universal", "ball",
                                                                           "rotation vector"};

std::size_t rotations_of(JointType type) {
  constexpr std::array<std::size_t, kJointTypeCount> kRotations = {0, 1, 2, 3, 3};
  return kRotations[static_cast<std::size_t>(type)];
}

// The axis of the bone frame that a DOF of this name turns about: 0 "twist", 1 "side", 2 "bend", -1 another name.
int slot_of(std::string_view name) {
  return name == "twist" ? 0 : name == "side" ? 1 : name == "bend" ? 2 : -1;
}

// Leaves `count` rotations: the most telling names first, then the widest limits; their order stays.
void keep_rotations(std::vector<Dof>& rotations, std::size_t count) {
  const auto worth = [](const Dof& dof) {
    const int slot = slot_of(dof.name);
    return std::pair(slot + 1, dof.upper - dof.lower);
  };
  while (rotations.size() > count) {
    const auto least =
        std::ranges::min_element(rotations, [&](const Dof& a, const Dof& b) { return worth(a) < worth(b); });
    rotations.erase(least);
  }
}

// A right-handed frame about whose axes (twist, side, bend) the rotations that stay turn, each at its slot, and
// otherwise as near to the bone frame as that allows. @return by slot the rotation there, -1 for none
std::array<int, 3> fit_frame(const std::vector<Dof>& kept, glm::dmat3& frame) {
  std::array<int, 3> at = {-1, -1, -1};
  const auto put = [&](std::size_t d, int slot) {
    at[slot] = static_cast<int>(d);
    frame[slot] = glm::normalize(glm::dvec3(kept[d].axis));
  };
  const glm::dmat3 bone = frame;
  for (std::size_t d = 0; d < kept.size(); ++d) {
    if (const int slot = slot_of(kept[d].name); slot >= 0) {
      put(d, slot);
    }
  }
  for (std::size_t d = 0; d < kept.size(); ++d) {
    if (slot_of(kept[d].name) >= 0) {
      continue;
    }
    int nearest = -1;
    double most = -1;
    for (int slot = 0; slot < 3; ++slot) {
      const double along = std::abs(glm::dot(bone[slot], glm::dvec3(kept[d].axis)));
      if (at[slot] < 0 && along > most + 1e-6) {
        most = along;
        nearest = slot;
      }
    }
    put(d, nearest);
  }
  // The free axes: what is left of the bone frame's across those that stay. The axis along the bone goes first.
  std::array<bool, 3> is_set = {at[0] >= 0, at[1] >= 0, at[2] >= 0};
  for (int slot = 0; slot < 3; ++slot) {
    if (is_set[slot]) {
      continue;
    }
    const int next = (slot + 1) % 3;
    const int last = (slot + 2) % 3;
    glm::dvec3 axis(0);
    if (is_set[next] && is_set[last]) {
      axis = glm::cross(frame[next], frame[last]);
    } else {
      const int set = is_set[next] ? next : is_set[last] ? last : -1;
      constexpr double kClear = 0.2;  // sine of the least angle between an axis that stays and what becomes another
      for (const int from : {slot, next, last}) {
        axis = bone[from];
        axis -= set < 0 ? glm::dvec3(0) : frame[set] * glm::dot(frame[set], axis);
        if (glm::length(axis) > kClear) {
          break;
        }
      }
    }
    frame[slot] = glm::normalize(axis);
    is_set[slot] = true;
  }
  return at;
}

// Adds rotations of default_dofs() until there are `count`, at their places among those that are there.
void add_rotations(std::vector<Dof>& rotations, std::size_t count, const glm::vec3& bone_direction) {
  if (rotations.size() >= count) {
    return;
  }
  glm::dmat3 frame = glm::mat3_cast(glm::dquat(bone_frame(bone_direction)));
  std::array<int, 3> at = fit_frame(rotations, frame);
  // As default_dofs() orders them; of two the bone's own twist is the one to miss.
  const std::vector<Dof> model = default_dofs({}, glm::vec3(1, 0, 0)).dofs;
  std::array<int, 3> rank{};
  for (int d = 0; d < 3; ++d) {
    rank[slot_of(model[d].name)] = d;
  }
  std::vector<std::pair<int, Dof>> placed;
  for (std::size_t d = 0; d < rotations.size(); ++d) {
    const auto slot = std::ranges::find(at, static_cast<int>(d)) - at.begin();
    placed.emplace_back(rank[slot], rotations[d]);
  }
  for (const int slot : {2, 1, 0}) {
    if (placed.size() == count || at[slot] >= 0) {
      continue;
    }
    const int own_rank = rank[slot];
    Dof added = model[own_rank];
    added.axis = glm::vec3(frame[slot]);
    const auto before = std::ranges::find_if(placed, [&](const auto& other) { return other.first > own_rank; });
    placed.emplace(before, own_rank, std::move(added));
  }
  rotations.clear();
  for (auto& [own_rank, dof] : placed) {
    rotations.push_back(std::move(dof));
  }
}

// Those of one kind: as they are, none, or the default ones where they are wished for and missing.
std::vector<Dof> shifts(const JointDofs& present, DofKind kind, bool wished, const std::vector<Dof>& rule) {
  std::vector<Dof> out;
  if (!wished) {
    return out;
  }
  const auto is_kind = [kind](const Dof& dof) { return dof.kind == kind; };
  std::ranges::copy_if(present.dofs, std::back_inserter(out), is_kind);
  if (out.empty()) {
    std::ranges::copy_if(rule, std::back_inserter(out), is_kind);
  }
  return out;
}

// A new DOF must not take the name of one that stays.
void make_names_unique(JointDofs& joint) {
  for (std::size_t d = 0; d < joint.dofs.size(); ++d) {
    const std::string name = joint.dofs[d].name;
    for (int number = 2; joint.find(joint.dofs[d].name) != static_cast<int>(d); ++number) {
      joint.dofs[d].name = name + "_" + std::to_string(number);
    }
  }
}

// What the DOFs that went did at their default values goes to offset, orientation and scale.
void keep_zero_pose(const Transform& before, JointDofs& joint) {
  const Transform gone = local_from_dofs(joint, default_values(joint));
  const glm::dquat turned = glm::dquat(before.rotation) * glm::conjugate(glm::dquat(gone.rotation));
  constexpr double kRounding = 1e-6;  // radians
  if (glm::length(rotation_vector(turned)) > kRounding) {
    // O' = before (O^-1 gone)^-1: then O' followed by the remaining rotations at their defaults is what it was.
    joint.orientation = glm::quat(normalized_or_identity(
        glm::dquat(before.rotation) * glm::conjugate(glm::dquat(gone.rotation)) * glm::dquat(joint.orientation)));
  }
  if (before.translation != gone.translation) {
    joint.offset = glm::vec3(glm::dvec3(joint.offset) + glm::dvec3(before.translation) - glm::dvec3(gone.translation));
  }
  if (joint.count(DofKind::kScale) == 0) {
    joint.scale = before.scale;
  }
}

// Which component of the own scale follows each component of the partner's.
std::array<int, 3> own_components(const Mirror& mirror, const Skeleton& skeleton, int from, int to) {
  std::array<int, 3> out = {0, 1, 2};
  for (int c = 0; c < 3; ++c) {
    Transform probe = skeleton.rest[from];
    probe.scale[c] = probe.scale[c] == 0 ? 1.0f : 2 * probe.scale[c];
    const glm::vec3 image = mirror.image(to, probe).scale;
    for (int own = 0; own < 3; ++own) {
      if (image[own] != skeleton.rest[to].scale[own]) {
        out[c] = own;
      }
    }
  }
  return out;
}

// Directions come out of products of matrices: what is rounding of zero becomes zero, so that files stay readable.
glm::vec3 tidy(const glm::dvec3& direction) {
  constexpr double kNothing = 1e-7;
  glm::dvec3 out = direction;
  for (int c = 0; c < 3; ++c) {
    out[c] = std::abs(out[c]) < kNothing ? 0 : out[c];
  }
  return glm::vec3(glm::normalize(out));
}

// A scale DOF for the partner: limits and default against the rest pose stay.
void mirror_scale(Dof& dof, const std::array<int, 3>& own_of, const glm::vec3& rest, const glm::vec3& own_rest) {
  glm::vec3 axis(0.0f);
  float factor = 1;
  for (int c = 0; c < 3; ++c) {
    const int own = own_of[c];
    axis[own] = dof.axis[c];
    if (std::abs(dof.axis[c]) > 0.5f && rest[c] != 0) {
      factor = own_rest[own] / rest[c];
    }
  }
  dof.axis = axis;
  dof.lower *= factor;
  dof.upper *= factor;
  dof.default_value *= factor;
  if (dof.lower > dof.upper) {
    std::swap(dof.lower, dof.upper);
  }
}

}  // namespace

std::string_view name_of(JointType type) {
  return kJointTypeNames[static_cast<std::size_t>(type)];
}

std::optional<JointMotion> joint_type(const JointDofs& joint) {
  if (!check_dofs(joint)) {
    return std::nullopt;
  }
  JointMotion out;
  out.translates = joint.count(DofKind::kTranslation) > 0;
  out.scales = joint.count(DofKind::kScale) > 0;
  switch (joint.count(DofKind::kRotation)) {
    case 0:
      out.type = JointType::kFixed;
      break;
    case 1:
      out.type = JointType::kHinge;
      break;
    case 2:
      out.type = JointType::kUniversal;
      break;
    default:
      out.type = joint.rotation == RotationKind::kAxes ? JointType::kBall : JointType::kRotationVector;
  }
  return out;
}

JointDofs change_type(const JointDofs& present, const JointMotion& wished, const glm::vec3& bone_direction) {
  PELT_EXPECT(check_dofs(present).has_value(), "degrees of freedom that a joint can have");
  const Transform before = local_from_dofs(present, default_values(present));
  const std::vector<Dof> rule = default_dofs({present.offset, present.orientation, before.scale}, bone_direction).dofs;
  JointDofs out = present;
  std::erase_if(out.dofs, [](const Dof& dof) { return dof.kind != DofKind::kRotation; });
  const bool was_ball = out.dofs.size() == 3;
  keep_rotations(out.dofs, rotations_of(wished.type));
  add_rotations(out.dofs, rotations_of(wished.type), bone_direction);
  out.rotation = wished.type == JointType::kRotationVector ? RotationKind::kRotationVector : RotationKind::kAxes;
  if (!was_ball || out.dofs.size() != 3) {
    out.swing_limit.reset();
  }
  const std::vector<Dof> translations = shifts(present, DofKind::kTranslation, wished.translates, rule);
  const std::vector<Dof> scales = shifts(present, DofKind::kScale, wished.scales, rule);
  out.dofs.insert(out.dofs.end(), translations.begin(), translations.end());
  out.dofs.insert(out.dofs.end(), scales.begin(), scales.end());
  make_names_unique(out);
  keep_zero_pose(before, out);
  return out;
}

JointDofs mirrored_dofs(const Mirror& mirror, const Skeleton& skeleton, int from_joint, int to_joint,
                        const JointDofs& source) {
  PELT_EXPECT(mirror.partner(to_joint) == from_joint, "partners of one another");
  const std::size_t from = from_joint;
  const std::size_t to = to_joint;
  // Seen from the parents the mirror is K, from the joints at rest G^T = R_to^T K R_from. With Q = O R(phi) the image
  // is K Q R_from^T K^T R_to = (K O R_from^T K^T R_to) (G^T R(phi) G), and a rotation about a becomes one about det(G)
  // G^T a.
  const glm::dmat3 parents = mirror.parent_from_partners_parent(to_joint);
  const glm::dmat3 joints =
      glm::transpose(glm::mat3_cast(normalized_or_identity(glm::dquat(skeleton.rest[to].rotation)))) * parents *
      glm::mat3_cast(normalized_or_identity(glm::dquat(skeleton.rest[from].rotation)));
  const double hand = glm::determinant(joints) < 0 ? -1.0 : 1.0;
  const std::array<int, 3> own_of = own_components(mirror, skeleton, from_joint, to_joint);
  const Transform image = mirror.image(to_joint, {source.offset, source.orientation, source.scale});
  JointDofs out = source;
  out.offset = image.translation;
  out.orientation = image.rotation;
  out.scale = image.scale;
  out.authored = true;
  for (Dof& dof : out.dofs) {
    if (dof.kind == DofKind::kRotation) {
      dof.axis = tidy(hand * (joints * glm::dvec3(dof.axis)));
    } else if (dof.kind == DofKind::kTranslation) {
      dof.axis = tidy(parents * glm::dvec3(dof.axis));
    } else {
      mirror_scale(dof, own_of, skeleton.rest[from].scale, skeleton.rest[to].scale);
    }
  }
  return out;
}

JointDofs mirrored_dofs(const Character& character, int from_joint, int to_joint, const JointDofs& source) {
  return mirrored_dofs(Mirror(character), character.skeleton, from_joint, to_joint, source);
}

}  // namespace pelt::rig
