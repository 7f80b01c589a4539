// Shoemake, "Animating rotation with quaternion curves", SIGGRAPH 1985; Grassia, "Practical parameterization of
// rotations using the exponential map", Journal of Graphics Tools 3(3), 1998.
#include "rig/dofs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/expect.h"

namespace pelt::rig {
namespace {

constexpr double kPi = std::numbers::pi;

// Indices of the DOFs of one kind, in the listed order.
std::vector<std::size_t> of_kind(const JointDofs& joint, DofKind kind) {
  std::vector<std::size_t> out;
  for (std::size_t d = 0; d < joint.dofs.size(); ++d) {
    if (joint.dofs[d].kind == kind) {
      out.push_back(d);
    }
  }
  return out;
}

glm::dvec3 unit_axis(const Dof& dof) {
  const glm::dvec3 axis(dof.axis);
  const double length = glm::length(axis);
  return length > 0 ? axis / length : glm::dvec3(1, 0, 0);
}

// A scale DOF drives the components along which its axis points: one, or all three for (1,1,1).
bool drives(const Dof& dof, int component) {
  return std::abs(dof.axis[component]) > 0.5f;
}

// R(phi) of the joint.
glm::dquat rotation_of(const JointDofs& joint, std::span<const float> values) {
  glm::dquat q(1, 0, 0, 0);
  glm::dvec3 vector(0);
  for (std::size_t d = 0; d < joint.dofs.size(); ++d) {
    if (joint.dofs[d].kind != DofKind::kRotation) {
      continue;
    }
    const glm::dvec3 turn = unit_axis(joint.dofs[d]) * static_cast<double>(values[d]);
    vector += turn;
    if (joint.rotation == RotationKind::kAxes) {
      q = quat_from_rotation_vector(turn) * q;
    }
  }
  return joint.rotation == RotationKind::kAxes ? q : quat_from_rotation_vector(vector);
}

// `angle` plus the multiple of 2 pi that comes nearest to `target`.
double nearest_turn(double angle, double target) {
  return angle + 2 * kPi * std::round((target - angle) / (2 * kPi));
}

// How far `angle` is outside of the limits.
double excess(const Dof& dof, double angle) {
  // A rounded limit must not refuse the angle it was made from.
  constexpr double kSlack = 1e-6;
  return std::max(
      {0.0, static_cast<double>(dof.lower) - kSlack - angle, angle - static_cast<double>(dof.upper) - kSlack});
}

// Without a hint: the principal value, unless only another turn is within the limits.
double turn_within(const Dof& dof, double angle) {
  double best = angle;
  for (const double other : {angle - 2 * kPi, angle + 2 * kPi}) {
    if (excess(dof, other) < excess(dof, best)) {
      best = other;
    }
  }
  return best;
}

using Triple = std::array<double, 3>;

// The angles of q = R(a2, t2) R(a1, t1) R(a0, t0) for mutually perpendicular axes of either handedness, middle one
// within
// +-90 degrees.
struct Extraction {
  Triple angles{};
  bool locked = false;  // at gimbal lock only t0 - lock_sign * t2 is determined; t2 is then zero
  double lock_sign = 0;
};

Extraction extract(const glm::dquat& q, const std::array<glm::dvec3, 3>& axes) {
  const glm::dmat3 frame(axes[0], axes[1], axes[2]);
  // In a left-handed frame every rotation appears with the opposite angle.
  const double hand = glm::determinant(frame) < 0 ? -1.0 : 1.0;
  const glm::dmat3 m = glm::transpose(frame) * glm::mat3_cast(q) * frame;  // = Rz(t2) Ry(t1) Rx(t0), angles times hand
  const double sine = std::clamp(-m[0][2], -1.0, 1.0);
  const double cosine = std::sqrt(m[0][0] * m[0][0] + m[0][1] * m[0][1]);
  Extraction out;
  out.angles[1] = hand * std::atan2(sine, cosine);
  // Single-precision rotations carry no more digits than this about the lost axis.
  constexpr double kGimbal = 1e-6;
  if (cosine > kGimbal) {
    out.angles[0] = hand * std::atan2(m[1][2], m[2][2]);
    out.angles[2] = hand * std::atan2(m[0][1], m[0][0]);
  } else {
    out.locked = true;
    out.lock_sign = sine > 0 ? 1.0 : -1.0;
    // With the third angle at zero: Ry(+-90) Rx(t0).
    out.angles[0] = hand * std::atan2(-m[2][1], m[1][1]);
  }
  return out;
}

// Up to three perpendicular axes made exactly orthonormal and completed to three.
std::array<glm::dvec3, 3> complete_frame(std::span<const glm::dvec3> given) {
  std::array<glm::dvec3, 3> axes{};
  axes[0] = given[0];
  glm::dvec3 second = given[1] - axes[0] * glm::dot(axes[0], given[1]);
  if (glm::length(second) < 1e-6) {
    const glm::dvec3 helper = std::abs(axes[0].x) < 0.8 ? glm::dvec3(1, 0, 0) : glm::dvec3(0, 1, 0);
    second = glm::cross(axes[0], helper);
  }
  axes[1] = glm::normalize(second);
  axes[2] = glm::cross(axes[0], axes[1]);
  if (given.size() > 2 && glm::dot(axes[2], given[2]) < 0) {
    axes[2] = -axes[2];
  }
  return axes;
}

// The angles for which R(a1, t1) R(a0, t0) comes closest to q, exact where q is such a product. Nothing locks here: a
// zero in the matrix leaves each angle two elements of its own.
std::array<double, 2> extract_two(const glm::dquat& q, const std::array<glm::dvec3, 3>& axes) {
  const glm::dmat3 frame(axes[0], axes[1], axes[2]);
  const glm::dmat3 m = glm::transpose(frame) * glm::mat3_cast(q) * frame;  // Ry(t1) Rx(t0) if q is reachable
  double t0 = std::atan2(-m[2][1], m[1][1]);
  double t1 = std::atan2(-m[0][2], m[0][0]);
  // Otherwise: the trace of the difference grows with each angle's best value for the other.
  for (int step = 0; step < 20; ++step) {
    t0 = std::atan2(std::cos(t1) * m[1][2] + std::sin(t1) * m[1][0] - m[2][1],
                    std::cos(t1) * m[2][2] + std::sin(t1) * m[2][0] + m[1][1]);
    t1 = std::atan2(std::sin(t0) * m[1][0] + std::cos(t0) * m[2][0] - m[0][2],
                    m[0][0] + std::sin(t0) * m[1][2] + std::cos(t0) * m[2][2]);
  }
  return {t0, t1};
}

// Angles of two or three perpendicular axis rotations, first listed applied first.
void extract_axes(const JointDofs& joint, const std::vector<std::size_t>& rotations, const glm::dquat& q,
                  std::span<const float> hint, std::span<float> out) {
  const std::size_t count = rotations.size();
  std::array<glm::dvec3, 3> given{};
  for (std::size_t i = 0; i < count; ++i) {
    given[i] = unit_axis(joint.dofs[rotations[i]]);
  }
  const std::array<glm::dvec3, 3> axes = complete_frame(std::span(given).first(count));
  const auto nearest = [&](std::size_t i, double angle) {
    return hint.empty() ? turn_within(joint.dofs[rotations[i]], nearest_turn(angle, 0))
                        : nearest_turn(angle, static_cast<double>(hint[rotations[i]]));
  };
  if (count == 2) {
    const std::array<double, 2> angles = extract_two(q, axes);
    for (std::size_t i = 0; i < 2; ++i) {
      out[rotations[i]] = static_cast<float>(nearest(i, angles[i]));
    }
    return;
  }
  Extraction found = extract(q, axes);
  if (found.locked && !hint.empty()) {
    // Only one combination of the outer angles is determined: share what the hint misses of it between the two.
    const auto first = static_cast<double>(hint[rotations[0]]);
    const auto third = static_cast<double>(hint[rotations[2]]);
    const double hinted = first - found.lock_sign * third;
    const double missing = nearest_turn(found.angles[0], hinted) - hinted;
    found.angles[0] = first + missing / 2;
    found.angles[2] = third - found.lock_sign * missing / 2;
  } else if (found.locked) {
    found.angles[2] = -found.lock_sign * found.angles[0];
    found.angles[0] = 0;
  }
  Triple best{};
  double best_cost = std::numeric_limits<double>::infinity();
  for (Triple candidate : {found.angles, Triple{found.angles[0] + kPi, kPi - found.angles[1], found.angles[2] + kPi}}) {
    double cost = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      candidate[i] = nearest(i, candidate[i]);
      const double miss = hint.empty() ? excess(joint.dofs[rotations[i]], candidate[i])
                                       : candidate[i] - static_cast<double>(hint[rotations[i]]);
      cost += miss * miss;
    }
    if (cost < best_cost) {
      best_cost = cost;
      best = candidate;
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    out[rotations[i]] = static_cast<float>(best[i]);
  }
}

// The rotation vector of q, of all that differ by whole turns the one nearest to `target`.
glm::dvec3 nearest_rotation_vector(const glm::dquat& q, const glm::dvec3& target) {
  const glm::dvec3 r = rotation_vector(q);
  const double angle = glm::length(r);
  const double reach = glm::length(target);
  if (angle < 1e-9) {
    const double turns = std::round(reach / (2 * kPi));
    return turns > 0 ? target / reach * (turns * 2 * kPi) : r;
  }
  const glm::dvec3 axis = r / angle;
  return axis * nearest_turn(angle, glm::dot(axis, target));
}

// The coefficients c that bring sum c_i axis_i closest to `vector`: least squares through the normal equations.
void project(const JointDofs& joint, const std::vector<std::size_t>& which, const glm::dvec3& vector,
             std::span<float> out) {
  const std::size_t count = std::min<std::size_t>(which.size(), 3);
  glm::dmat3 gram(1.0);
  glm::dvec3 right(0);
  for (std::size_t i = 0; i < count; ++i) {
    const glm::dvec3 axis = unit_axis(joint.dofs[which[i]]);
    right[static_cast<int>(i)] = glm::dot(axis, vector);
    for (std::size_t k = 0; k < count; ++k) {
      gram[static_cast<int>(k)][static_cast<int>(i)] = glm::dot(axis, unit_axis(joint.dofs[which[k]]));
    }
  }
  const glm::dvec3 solved =
      std::abs(glm::determinant(gram)) > 1e-9 ? glm::inverse(gram) * right : right;  // dependent axes: each by itself
  for (std::size_t i = 0; i < count; ++i) {
    out[which[i]] = static_cast<float>(solved[static_cast<int>(i)]);
  }
}

// The joint's twist axis, the axis of its swing cone: the DOF of that name, else the first rotation.
std::size_t twist_dof(const JointDofs& joint, const std::vector<std::size_t>& rotations) {
  for (const std::size_t d : rotations) {
    if (joint.dofs[d].name == "twist") {
      return d;
    }
  }
  return rotations.front();
}

void clamp_to_cone(const JointDofs& joint, double limit, std::span<float> values) {
  const std::vector<std::size_t> rotations = of_kind(joint, DofKind::kRotation);
  if (rotations.size() < 3) {
    return;
  }
  const std::size_t twist = twist_dof(joint, rotations);
  const glm::dvec3 axis = unit_axis(joint.dofs[twist]);
  std::vector<float> trial(values.begin(), values.end());
  // Both swing angles shrink in proportion, which keeps each within its own limits and leaves the twist alone.
  const auto swing_at = [&](double fraction) {
    for (const std::size_t d : rotations) {
      if (d != twist) {
        const float straight = std::clamp(0.0f, joint.dofs[d].lower, joint.dofs[d].upper);
        trial[d] =
            static_cast<float>(static_cast<double>(straight) + fraction * static_cast<double>(values[d] - straight));
      }
    }
    return std::acos(std::clamp(glm::dot(axis, rotation_of(joint, trial) * axis), -1.0, 1.0));
  };
  if (swing_at(1.0) <= limit + 1e-6) {
    return;
  }
  double inside = 0;
  double outside = 1;
  for (int step = 0; step < 40; ++step) {
    const double middle = (inside + outside) / 2;
    (swing_at(middle) <= limit ? inside : outside) = middle;
  }
  swing_at(inside);
  std::copy(trial.begin(), trial.end(), values.begin());
}

Dof rotation_dof(std::string name, const glm::vec3& axis) {
  return {.name = std::move(name),
          .kind = DofKind::kRotation,
          .axis = axis,
          .lower = -static_cast<float>(kPi),
          .upper = static_cast<float>(kPi)};
}

// Name of the rotation DOF about axis 0 x, 1 y, 2 z of the bone frame.
constexpr std::array<std::string_view, 3> kBoneAxisNames = {"twist", "side", "bend"};

}  // namespace

Status check_dofs(const JointDofs& joint) {
  constexpr float kUnit = 1e-3f;
  for (std::size_t i = 0; i < joint.dofs.size(); ++i) {
    const Dof& dof = joint.dofs[i];
    if (dof.name.empty()) {
      return error("degree of freedom {}: it has no name", i);
    }
    if (joint.find(dof.name) != static_cast<int>(i)) {
      return error("degree of freedom {}: the name '{}' is taken", i, dof.name);
    }
    if (!(std::abs(glm::length(dof.axis) - 1) <= kUnit)) {
      return error("'{}': its axis is not of length 1", dof.name);
    }
    if (!(dof.lower <= dof.upper)) {
      return error("'{}': expected limits with lower <= upper", dof.name);
    }
  }
  if (!std::ranges::is_sorted(joint.dofs, {}, &Dof::kind)) {
    return error("expected rotations first, then translations, then scales");
  }
  const std::size_t rotations = joint.count(DofKind::kRotation);
  if (rotations > 3 || (joint.rotation == RotationKind::kRotationVector && rotations != 3)) {
    return error("expected {} rotations, got {}",
                 joint.rotation == RotationKind::kAxes ? "at most three" : "the three of a vector", rotations);
  }
  for (std::size_t a = 0; a < rotations; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (std::abs(glm::dot(joint.dofs[a].axis, joint.dofs[b].axis)) > kUnit) {
        return error("the axes of '{}' and '{}' are not perpendicular", joint.dofs[b].name, joint.dofs[a].name);
      }
    }
  }
  if (joint.swing_limit && !(*joint.swing_limit >= 0 && *joint.swing_limit <= std::numbers::pi_v<float>)) {
    return error("its swing limit is not between 0 and pi");
  }
  return {};
}

int JointDofs::find(std::string_view dof_name) const {
  for (std::size_t d = 0; d < dofs.size(); ++d) {
    if (dofs[d].name == dof_name) {
      return static_cast<int>(d);
    }
  }
  return -1;
}

int JointDofs::count(DofKind kind) const {
  return static_cast<int>(std::count_if(dofs.begin(), dofs.end(), [&](const Dof& dof) { return dof.kind == kind; }));
}

void clamp_to_limits(const JointDofs& joint, std::span<float> values) {
  PELT_EXPECT(values.size() == joint.dofs.size(), "one value per DOF");
  for (std::size_t d = 0; d < values.size(); ++d) {
    const Dof& dof = joint.dofs[d];
    values[d] = std::isnan(values[d]) ? dof.default_value : values[d];
    values[d] = std::max(dof.lower, std::min(values[d], dof.upper));
  }
  if (joint.swing_limit) {
    clamp_to_cone(joint, static_cast<double>(*joint.swing_limit), values);
  }
}

Transform local_from_dofs(const JointDofs& joint, std::span<const float> values) {
  PELT_EXPECT(values.size() == joint.dofs.size(), "one value per DOF");
  glm::dvec3 translation(joint.offset);
  Transform out;
  out.scale = joint.scale;
  std::array<bool, 3> driven{};
  for (std::size_t d = 0; d < values.size(); ++d) {
    const Dof& dof = joint.dofs[d];
    if (dof.kind == DofKind::kTranslation) {
      translation += unit_axis(dof) * static_cast<double>(values[d]);
    } else if (dof.kind == DofKind::kScale) {
      for (int c = 0; c < 3; ++c) {
        if (drives(dof, c)) {
          bool& seen = driven[c];
          out.scale[c] = seen ? out.scale[c] * values[d] : values[d];
          seen = true;
        }
      }
    }
  }
  out.translation = glm::vec3(translation);
  out.rotation = glm::quat(glm::dquat(joint.orientation) * rotation_of(joint, values));
  return out;
}

std::vector<float> dofs_from_local(const JointDofs& joint, const Transform& local, std::span<const float> hint) {
  PELT_EXPECT(hint.empty() || hint.size() == joint.dofs.size(), "one hint per DOF or none");
  std::vector<float> out = default_values(joint);
  const std::vector<std::size_t> rotations = of_kind(joint, DofKind::kRotation);
  PELT_EXPECT(rotations.size() <= 3, "at most three rotations");
  const glm::dquat q =
      normalized_or_identity(glm::conjugate(glm::dquat(joint.orientation)) * glm::dquat(local.rotation));
  if (!rotations.empty() && joint.rotation == RotationKind::kRotationVector) {
    glm::dvec3 target(0);
    for (const std::size_t d : rotations) {
      target += hint.empty() ? glm::dvec3(0) : unit_axis(joint.dofs[d]) * static_cast<double>(hint[d]);
    }
    project(joint, rotations, nearest_rotation_vector(q, target), out);
  } else if (rotations.size() == 1) {
    const std::size_t d = rotations.front();
    const glm::dvec3 axis = unit_axis(joint.dofs[d]);
    const double angle = twist_angle(swing_twist(q, axis).twist, axis);
    out[d] = static_cast<float>(hint.empty() ? turn_within(joint.dofs[d], angle)
                                             : nearest_turn(angle, static_cast<double>(hint[d])));
  } else if (!rotations.empty()) {
    extract_axes(joint, rotations, q, hint, out);
  }
  project(joint, of_kind(joint, DofKind::kTranslation), glm::dvec3(local.translation) - glm::dvec3(joint.offset), out);
  for (std::size_t d = 0; d < joint.dofs.size(); ++d) {
    if (joint.dofs[d].kind != DofKind::kScale) {
      continue;
    }
    float sum = 0;
    int components = 0;
    for (int c = 0; c < 3; ++c) {
      if (drives(joint.dofs[d], c)) {
        sum += local.scale[c];
        ++components;
      }
    }
    if (components > 0) {
      out[d] = components == 1 ? sum : sum / static_cast<float>(components);
    }
  }
  return out;
}

std::vector<float> default_values(const JointDofs& joint) {
  std::vector<float> out(joint.dofs.size());
  std::transform(joint.dofs.begin(), joint.dofs.end(), out.begin(), [](const Dof& dof) { return dof.default_value; });
  return out;
}

glm::quat bone_frame(const glm::vec3& bone_direction) {
  const glm::dvec3 direction(bone_direction);
  const double length = glm::length(direction);
  if (!(length > 0)) {
    return kIdentityQuat;
  }
  const glm::dvec3 x = direction / length;
  // A clear advantage is asked of the less preferred axes, so that nearly equal bones (left and right) agree.
  constexpr double kPreference = 0.05;
  int bend = 2;
  for (const int axis : {0, 1}) {
    if (std::abs(x[axis]) < std::abs(x[bend]) - kPreference) {
      bend = axis;
    }
  }
  glm::dvec3 z(0);
  z[bend] = 1;
  z = glm::normalize(z - x * glm::dot(x, z));
  return glm::quat(normalized_or_identity(glm::quat_cast(glm::dmat3(x, glm::cross(z, x), z))));
}

JointDofs default_dofs(const Transform& rest, const glm::vec3& bone_direction, EulerOrder order) {
  JointDofs out;
  out.offset = rest.translation;
  out.orientation = rest.rotation;
  out.scale = rest.scale;
  const glm::mat3 frame = glm::mat3_cast(bone_frame(bone_direction));
  for (const int axis : axes_of(order)) {
    out.dofs.push_back(rotation_dof(std::string(kBoneAxisNames[axis]), glm::normalize(frame[axis])));
  }
  const float reach = std::max(1.0f, 2.0f * glm::length(rest.translation));
  for (int c = 0; c < 3; ++c) {
    glm::vec3 axis(0.0f);
    axis[c] = 1.0f;
    out.dofs.push_back({.name = std::string("t") + "xyz"[c],
                        .kind = DofKind::kTranslation,
                        .axis = axis,
                        .lower = -reach,
                        .upper = reach});
  }
  for (int c = 0; c < 3; ++c) {
    glm::vec3 axis(0.0f);
    axis[c] = 1.0f;
    // The range of a mirrored or flat rest scale runs through it as well.
    const float size = rest.scale[c] == 0.0f ? 1.0f : rest.scale[c];
    const float lower = rest.scale[c] == 0.0f ? 0.0f : std::min(0.01f * size, 10.0f * size);
    out.dofs.push_back({.name = std::string("s") + "xyz"[c],
                        .kind = DofKind::kScale,
                        .axis = axis,
                        .lower = lower,
                        .upper = std::max(0.01f * size, 10.0f * size),
                        .default_value = rest.scale[c],
                        .folded = true});
  }
  return out;
}

std::optional<EulerOrder> euler_order(const JointDofs& joint) {
  const std::vector<std::size_t> rotations = of_kind(joint, DofKind::kRotation);
  if (joint.rotation != RotationKind::kAxes || rotations.size() != 3) {
    return std::nullopt;
  }
  for (const EulerOrder order : kEulerOrders) {
    const std::array<int, 3> axes = axes_of(order);
    bool same = true;
    for (std::size_t i = 0; i < 3; ++i) {
      same = same && joint.dofs[rotations[i]].name == kBoneAxisNames[axes[i]];
    }
    if (same) {
      return order;
    }
  }
  return std::nullopt;
}

void set_euler_order(JointDofs& joint, EulerOrder order) {
  PELT_EXPECT(euler_order(joint).has_value(), "three rotations named twist, side and bend");
  const std::vector<std::size_t> rotations = of_kind(joint, DofKind::kRotation);
  const std::array<int, 3> axes = axes_of(order);
  std::array<Dof, 3> reordered;
  for (std::size_t i = 0; i < 3; ++i) {
    reordered[i] = joint.dofs[joint.find(kBoneAxisNames[axes[i]])];
  }
  for (std::size_t i = 0; i < 3; ++i) {
    joint.dofs[rotations[i]] = reordered[i];
  }
}

}  // namespace pelt::rig
