// Clips as functions of a phase that runs from 0 to 1. Feet are placed first; the legs' angles follow from them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

#include "humanoid.h"
#include "shapes.h"

namespace pelt::assets {
namespace {

using glm::dvec3;

constexpr double kTurn = 2 * std::numbers::pi;

double wave(double phase, double shift = 0) {
  return std::sin(kTurn * (phase + shift));
}

double fraction(double x) {
  return x - std::floor(x);
}

// Where a foot is to be: the ankle's world matrix.
using FootTarget = glm::dmat4;

/// The angles of one leg that bring its foot to a target, by damped least squares from where they are.
/// @param side  "_l" or "_r"
void place_foot(PoseAuthor& pose, const std::string& side, const FootTarget& target) {
  struct Angle {
    const char* joint;
    const char* dof;
  };
  constexpr std::array<Angle, 6> kAngles = {
      {{"hip", "twist"}, {"hip", "bend"}, {"hip", "side"}, {"knee", "bend"}, {"ankle", "bend"}, {"ankle", "side"}}};
  constexpr std::size_t kRows = 9;
  using Residual = std::array<double, kRows>;
  const int ankle = pose.skeleton().find("ankle" + side);
  const auto residual = [&] {
    const glm::dmat4 now = pose.world(ankle);
    Residual r{};
    for (int c = 0; c < 3; ++c) {
      r[static_cast<std::size_t>(c)] = now[3][c] - target[3][c];
      r[static_cast<std::size_t>(3 + c)] = 0.1 * (now[0][c] - target[0][c]);
      r[static_cast<std::size_t>(6 + c)] = 0.1 * (now[2][c] - target[2][c]);
    }
    return r;
  };
  const auto get = [&](const Angle& a) { return pose.get(a.joint + side, a.dof); };
  const auto set = [&](const Angle& a, double value) {
    const int j = pose.skeleton().find(a.joint + side);
    const rig::JointDofs& dofs = pose.skeleton().dofs[static_cast<std::size_t>(j)];
    const rig::Dof& dof = dofs.dofs[static_cast<std::size_t>(dofs.find(a.dof))];
    const double lower = glm::degrees(static_cast<double>(dof.lower));
    const double upper = glm::degrees(static_cast<double>(dof.upper));
    pose.set(a.joint + side, a.dof, glm::clamp(value, lower, upper));
  };
  constexpr double h = 0.05;
  constexpr double kDamping = 1e-9;
  for (int iteration = 0; iteration < 40; ++iteration) {
    const Residual r = residual();
    std::array<Residual, kAngles.size()> jacobian{};
    for (std::size_t a = 0; a < kAngles.size(); ++a) {
      const double value = get(kAngles[a]);
      pose.set(kAngles[a].joint + side, kAngles[a].dof, value + h);
      const Residual there = residual();
      pose.set(kAngles[a].joint + side, kAngles[a].dof, value);
      for (std::size_t i = 0; i < kRows; ++i) {
        jacobian[a][i] = (there[i] - r[i]) / h;
      }
    }
    // Normal equations, solved by elimination; damping keeps them definite.
    double m[kAngles.size()][kAngles.size() + 1] = {};
    for (std::size_t a = 0; a < kAngles.size(); ++a) {
      for (std::size_t b = 0; b < kAngles.size(); ++b) {
        for (std::size_t i = 0; i < kRows; ++i) {
          m[a][b] += jacobian[a][i] * jacobian[b][i];
        }
      }
      m[a][a] += kDamping + 1e-3 * m[a][a];
      for (std::size_t i = 0; i < kRows; ++i) {
        m[a][kAngles.size()] -= jacobian[a][i] * r[i];
      }
    }
    for (std::size_t a = 0; a < kAngles.size(); ++a) {
      for (std::size_t b = 0; b < kAngles.size(); ++b) {
        if (b != a) {
          const double f = m[b][a] / m[a][a];
          for (std::size_t c = a; c <= kAngles.size(); ++c) {
            m[b][c] -= f * m[a][c];
          }
        }
      }
    }
    for (std::size_t a = 0; a < kAngles.size(); ++a) {
      set(kAngles[a], get(kAngles[a]) + glm::clamp(m[a][kAngles.size()] / m[a][a], -10.0, 10.0));
    }
  }
}

/// Pitch of the left foot about the line across it that its toes bend about. @param degrees  toes up
glm::dmat3 pitched(double degrees) {
  return glm::dmat3(glm::mat3_cast(glm::angleAxis(glm::radians(-degrees), glm::normalize(dvec3(1, 0, -0.10)))));
}

/// The foot of the rest pose pitched (degrees, toes up) about a point and moved; the point and the way are the left
/// foot's, in the mirror for the right one.
FootTarget pitched_foot(const PoseAuthor& rest, const std::string& side, double pitch, const dvec3& pivot,
                        const dvec3& offset) {
  glm::dmat4 foot = rest.world(rest.skeleton().find("ankle" + side));
  const glm::dmat3 mirror = glm::dmat3({side == "_l" ? 1 : -1, 0, 0}, {0, 1, 0}, {0, 0, 1});
  const glm::dmat3 turn = mirror * pitched(pitch) * mirror;
  const dvec3 center = mirror * pivot;
  const dvec3 moved = center + turn * (dvec3(foot[3]) - center) + mirror * offset;
  for (int c = 0; c < 3; ++c) {
    foot[c] = glm::dvec4(turn * dvec3(foot[c]), 0);
  }
  foot[3] = glm::dvec4(moved, 1);
  return foot;
}

void relax_arms(PoseAuthor& pose) {
  pose.set_both("clavicle_l", "bend", 0);
  pose.set_both("shoulder_l", "side", -74);
  pose.set_both("shoulder_l", "bend", 3);
  pose.set_both("shoulder_l", "twist", 8);
  pose.set_both("elbow_l", "bend", 14);
  pose.set_both("forearm_twist_l", "twist", 10);
}

void curl_fingers(PoseAuthor& pose, const std::string& side, double first, double second, double third) {
  for (const std::string finger : {"index", "middle", "ring", "pinky"}) {
    pose.set(finger + "_01" + side, "bend", first);
    pose.set(finger + "_02" + side, "bend", second);
    pose.set(finger + "_03" + side, "bend", third);
  }
}

template <typename Author>
rig::Clip looped(const std::string& name, const rig::Skeleton& skeleton, double duration, int keys,
                 const Author& author) {
  std::vector<PoseAuthor> poses;
  for (int k = 0; k < keys; ++k) {
    poses.emplace_back(skeleton);
    author(poses.back(), static_cast<double>(k) / keys);
  }
  poses.push_back(poses.front());
  return clip_from_poses(name, static_cast<float>(duration), poses);
}

template <typename Weight>
void add_breathing(rig::Clip& clip, int mesh_joint, int keys, const Weight& weight) {
  std::vector<float> times;
  std::vector<float> values;
  for (int k = 0; k <= keys; ++k) {
    times.push_back(clip.end * static_cast<float>(k) / static_cast<float>(keys));
    for (int m = 0; m < kHumanoidMorphs; ++m) {
      values.push_back(m == kBreathe ? static_cast<float>(weight(static_cast<double>(k % keys) / keys)) : 0.0f);
    }
  }
  add_morph_channel(clip, mesh_joint, kHumanoidMorphs, std::move(times), std::move(values));
}

// In a little faster than out.
double breath(double phase) {
  return 0.5 - 0.5 * std::cos(kTurn * phase + 0.35 * std::sin(kTurn * phase));
}

rig::Clip idle(const rig::Skeleton& skeleton, int mesh_joint) {
  constexpr int kKeys = 32;
  const PoseAuthor rest(skeleton);
  rig::Clip clip = looped("idle", skeleton, 4.0, kKeys, [&](PoseAuthor& pose, double phase) {
    relax_arms(pose);
    const double sway = wave(phase);
    const double air = breath(phase);
    pose.set("hips", "tx", 0.014 * sway);
    pose.set("hips", "ty", -0.005 - 0.002 * std::abs(sway) * std::abs(sway));
    pose.set("hips", "tz", 0.004 * wave(phase, 0.3));
    pose.set("hips", "side", 1.6 * sway);
    pose.set("hips", "twist", 1.5 * wave(phase, 0.1));
    pose.set("spine_01", "side", -0.9 * sway);
    pose.set("spine_03", "side", -0.9 * sway);
    pose.set("spine_02", "bend", 1.5 - 0.6 * air);
    pose.set("chest", "bend", 1.0 - 2.2 * air);
    pose.set("chest", "twist", -1.5 * wave(phase, 0.05));
    pose.set("neck", "bend", 1.0 + 0.8 * air);
    pose.set("neck", "twist", 2.2 * wave(phase, 0.15));
    pose.set("head", "twist", 3.2 * wave(phase, 0.08));
    pose.set("head", "bend", 0.5 + 1.2 * wave(2 * phase, 0.2) - 0.6 * air);
    pose.set("head", "side", 1.2 * wave(phase, 0.6));
    pose.set_both("clavicle_l", "side", 2.5 * air);
    for (const std::string side : {"_l", "_r"}) {
      const double lag = wave(phase, side == "_l" ? -0.10 : 0.40);
      pose.set("shoulder" + side, "side", -74 + 1.6 * air + 0.8 * lag);
      pose.set("shoulder" + side, "bend", 3 + 1.2 * lag);
      pose.set("elbow" + side, "bend", 15 + 2.0 * wave(phase, -0.2));
      curl_fingers(pose, side, 18 + 2 * lag, 22 + 2 * lag, 13 + lag);
      place_foot(pose, side, pitched_foot(rest, side, 0, dvec3(0), dvec3(0)));
    }
  });
  add_breathing(clip, mesh_joint, kKeys, breath);
  return clip;
}

// One foot over a stride, in place: the ground moves backwards under it.
struct Gait {
  double duration = 1.1;
  double speed = 1.12;   // metres per second
  double stance = 0.61;  // share of the stride that the foot is down
};

struct FootState {
  double pitch = 0;  // degrees, toes up
  double toes = 0;   // degrees, bent up against the foot
  dvec3 pivot{0.0};  // in the rest pose; like the offset, of the left foot
  dvec3 offset{0.0};
};

// Centres of what rolls on the ground: the round of the heel, and the joint of the toes.
constexpr dvec3 kHeel(0.1078, 0.023, -0.080);
constexpr dvec3 kBall(0.126, 0.022, 0.096);
constexpr double kToeLength = 0.078;

FootState on_ground(const Gait& gait, double phase) {
  const double travel = gait.speed * gait.duration;
  FootState s;
  s.offset.z = 0.435 * gait.stance * travel - travel * phase;
  if (phase < 0.13) {
    s.pitch = 19 * (1 - smooth_step(0.0, 0.13, phase));
    s.pivot = kHeel;
  } else {
    s.pitch = -46 * std::pow(glm::clamp((phase - 0.30) / (gait.stance - 0.30), 0.0, 1.0), 1.8);
    s.toes = -s.pitch;
    s.pivot = kBall;
  }
  return s;
}

FootState foot_at(const Gait& gait, double phase) {
  if (phase <= gait.stance) {
    return on_ground(gait, phase);
  }
  // Swing: from toe-off to the next strike about the ball, leaving with the speed of the ground and drawn back a little
  // before it arrives.
  const double u = (phase - gait.stance) / (1 - gait.stance);
  const FootState off = on_ground(gait, gait.stance);
  const FootState strike = on_ground(gait, 0);
  constexpr double kSteepest = -54;
  FootState s;
  s.pivot = kBall;
  s.pitch = u < 0.25 ? glm::mix(off.pitch, kSteepest, std::sin(u / 0.25 * 0.5 * std::numbers::pi))
                     : glm::mix(kSteepest, strike.pitch, smooth_step(0.25, 0.88, u));
  s.toes = off.toes * (1 - smooth_step(0.0, 0.50, u)) + 6 * smooth_step(0.5, 1.0, u) * (1 - smooth_step(0.8, 1.0, u));
  const dvec3 lever = kBall - kHeel;
  const dvec3 end = strike.offset - lever + pitched(strike.pitch) * lever;
  const double slope = -gait.speed * gait.duration * (1 - gait.stance);
  const double leave = u * (1 - u) * (1 - u);
  const double arrive = u * u * (u - 1);
  s.offset.z = glm::mix(off.offset.z, end.z, u * u * (3 - 2 * u)) + slope * (leave + 0.4 * arrive);
  s.offset.x = end.x * smooth_step(0.0, 1.0, u);
  // High enough for the toes, which hang below the ball.
  const double hanging = std::sin(glm::radians(std::max(0.0, -s.pitch - s.toes)));
  s.offset.y = end.y * smooth_step(0.3, 1.0, u) + 0.024 * std::sin(std::numbers::pi * u) + kToeLength * hanging;
  return s;
}

rig::Clip walk(const rig::Skeleton& skeleton, int mesh_joint) {
  constexpr int kKeys = 40;
  const Gait gait;
  const PoseAuthor rest(skeleton);
  rig::Clip clip = looped("walk", skeleton, gait.duration, kKeys, [&](PoseAuthor& pose, double phase) {
    relax_arms(pose);
    // Phase 0: the left heel strikes. The body is lowest soon after a strike and highest over the standing leg.
    pose.set("hips", "ty", -0.0235 - 0.0145 * std::cos(2 * kTurn * (phase - 0.04)));
    pose.set("hips", "tx", 0.018 * wave(phase, -0.06));
    pose.set("hips", "tz", 0.008 * wave(2 * phase, 0.1));
    // The pelvis turns with the leading leg and drops on the side that swings.
    pose.set("hips", "twist", -6.0 * std::cos(kTurn * (phase - 0.02)));
    pose.set("hips", "side", -3.6 * wave(phase, -0.03));
    pose.set("hips", "bend", 3.0 + 0.8 * wave(2 * phase));
    pose.set("spine_01", "side", 1.4 * wave(phase, -0.03));
    pose.set("spine_02", "side", 1.4 * wave(phase, -0.03));
    pose.set("spine_03", "side", 1.2 * wave(phase, -0.05));
    pose.set("spine_01", "twist", 2.5 * std::cos(kTurn * (phase - 0.03)));
    pose.set("spine_02", "twist", 3.0 * std::cos(kTurn * (phase - 0.04)));
    pose.set("spine_03", "twist", 3.0 * std::cos(kTurn * (phase - 0.05)));
    pose.set("chest", "twist", 3.5 * std::cos(kTurn * (phase - 0.06)));
    pose.set("spine_02", "bend", 2.0 + 0.8 * wave(2 * phase, 0.2));
    pose.set("neck", "twist", -3.0 * std::cos(kTurn * (phase - 0.05)));
    pose.set("head", "twist", -3.0 * std::cos(kTurn * (phase - 0.05)));
    pose.set("chest", "bend", 2.0);
    pose.set("neck", "bend", -2.0);
    pose.set("head", "bend", -3.0 - 0.8 * wave(2 * phase, 0.1));
    for (const std::string side : {"_l", "_r"}) {
      const double own = side == "_l" ? phase : phase + 0.5;
      // An arm swings against its own leg; the forearm lags and folds in front.
      const double swing = -std::cos(kTurn * (own - 0.03));
      const double late = -std::cos(kTurn * (own - 0.10));
      pose.set("shoulder" + side, "bend", 1 + 21 * swing);
      pose.set("shoulder" + side, "side", -77 + 3 * swing);
      pose.set("shoulder" + side, "twist", 10);
      pose.set("elbow" + side, "bend", 23 + 14 * late);
      pose.set("clavicle" + side, "bend", 3 * swing);
      pose.set("wrist" + side, "side", 3 * late);
      curl_fingers(pose, side, 24, 30, 18);

      const FootState foot = foot_at(gait, fraction(own));
      pose.set("toes" + side, "bend", foot.toes);
      // A narrow track: feet land nearer to the middle than they stand.
      const dvec3 track(-0.032, 0, 0);
      place_foot(pose, side, pitched_foot(rest, side, foot.pitch, foot.pivot, foot.offset + track));
    }
  });
  add_breathing(clip, mesh_joint, kKeys, [](double phase) { return 0.25 + 0.25 * wave(phase, 0.2); });
  return clip;
}

rig::Clip wave_hand(const rig::Skeleton& skeleton, int mesh_joint) {
  constexpr int kKeys = 40;
  const PoseAuthor rest(skeleton);
  rig::Clip clip = looped("wave", skeleton, 2.0, kKeys, [&](PoseAuthor& pose, double phase) {
    relax_arms(pose);
    const double beat = wave(2 * phase);
    const double late = wave(2 * phase, -0.09);
    const double slow = wave(phase);
    pose.set("hips", "tx", 0.016 + 0.006 * slow);
    pose.set("hips", "ty", -0.0055);
    pose.set("hips", "side", 1.8 + 0.6 * slow);
    pose.set("spine_01", "side", -1.2);
    pose.set("spine_02", "side", -1.8 - 0.6 * slow);
    pose.set("spine_03", "side", -1.8 - 0.6 * slow);
    pose.set("chest", "side", -1.0);
    pose.set("chest", "twist", 3.0 + 0.8 * slow);
    pose.set("neck", "side", 2.5 + 0.8 * wave(phase, 0.2));
    pose.set("head", "side", 5.0 + 1.6 * wave(phase, 0.15));
    pose.set("head", "twist", -4.0 + 1.5 * slow);
    pose.set("head", "bend", -2.0 + 1.0 * wave(2 * phase, 0.3));

    pose.set("clavicle_r", "side", 12);
    pose.set("shoulder_r", "side", 6 + 1.5 * late);
    pose.set("shoulder_r", "bend", 22);
    pose.set("shoulder_r", "twist", -72 + 4 * beat);
    pose.set("elbow_r", "bend", 74 + 17 * beat);
    pose.set("forearm_twist_r", "twist", -4 + 6 * late);
    pose.set("wrist_r", "bend", -6);
    pose.set("wrist_r", "side", 1 + 11 * late);
    curl_fingers(pose, "_r", 4 - 2 * late, 6, 4);
    pose.set("index_01_r", "side", 6);
    pose.set("ring_01_r", "side", -4);
    pose.set("pinky_01_r", "side", -9);
    pose.set("thumb_01_r", "bend", -8);

    pose.set("shoulder_l", "side", -73 + 0.8 * slow);
    pose.set("elbow_l", "bend", 18 + 1.5 * slow);
    curl_fingers(pose, "_l", 20, 25, 15);
    for (const std::string side : {"_l", "_r"}) {
      place_foot(pose, side, pitched_foot(rest, side, 0, dvec3(0), dvec3(0)));
    }
  });
  add_breathing(clip, mesh_joint, kKeys, [](double phase) { return breath(phase); });
  // A wave comes with a smile.
  rig::Channel& morphs = clip.channels.back();
  for (std::size_t i = kSmile; i < morphs.values.size(); i += kHumanoidMorphs) {
    morphs.values[i] = 0.8f;
  }
  return clip;
}

}  // namespace

std::vector<rig::Clip> humanoid_clips(const rig::Skeleton& skeleton, int mesh_joint) {
  return {idle(skeleton, mesh_joint), walk(skeleton, mesh_joint), wave_hand(skeleton, mesh_joint)};
}

}  // namespace pelt::assets
