// Ranges: American Academy of Orthopaedic Surgeons, "Joint Motion: Method of Measuring and Recording", 1965, as manuals
// of goniometry quote the book. Arm and collar bone share by Inman, Saunders, Abbott, "Observations on the function of
// the shoulder joint", Journal of Bone and Joint Surgery 26, 1944. Where neither has a number, the project chose one,
// and a comment beside the number says so.
#include "motion/plausible_turns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "math/angle.h"
#include "math/transform.h"
#include "rig/character.h"

namespace pelt::motion {
namespace {

constexpr double kLeastTurn = 1;      // degrees; an end that is nearer to rest is no pose of its own
constexpr double kBentAtRest = 8;     // degrees; a limb bent less at rest does not tell its axis
constexpr double kLeastPlane = 0.25;  // sine; directions nearer to each other span no plane
constexpr double kHorizontal = 45;    // degrees; an arm raised more at rest swings forward and back on the level

// What a joint does between two ends, and what its rest pose has of it.
struct Motion {
  std::string_view positive;
  std::string_view negative;
  glm::dvec3 axis{0};  // of a positive turn, world, unit
  double lower = 0;    // degrees from the anatomical zero
  double upper = 0;
  double rest = 0;
};

double angle_about(const glm::dvec3& axis, const glm::dvec3& from, const glm::dvec3& to) {
  return std::atan2(glm::dot(axis, glm::cross(from, to)),
                    glm::dot(from, to) - glm::dot(from, axis) * glm::dot(axis, to)) /
         kDegree;
}

class TurnMaker {
 public:
  TurnMaker(const rig::Skeleton& skeleton, const HumanBody& body, const WorldFrames& rest)
      : skeleton_(skeleton),
        body_(body),
        rest_(rest),
        left_(body.facing[0]),
        up_(body.facing[1]),
        forward_(body.facing[2]) {}

  std::vector<PlausibleTurn> make() {
    add_trunk();
    add_head();
    for (const double side : {1.0, -1.0}) {
      side_ = side;
      prefix_ = side > 0 ? "left" : "right";
      add_collar_bone();
      add_upper_arm();
      add_elbow();
      add_hand();
      add_leg();
      add_eye();
    }
    return std::move(out_);
  }

 private:
  void add(int j, const Motion& motion) {
    if (j < 0 || !(glm::length(motion.axis) > 0.5)) {
      return;  // two directions that span no plane
    }
    const auto one_end = [&](double degrees, bool is_beyond) {
      if (!is_beyond) {
        return;
      }
      const glm::dmat3 above = rest_.orientation_above(skeleton_, j);
      const glm::dmat3 turn = glm::transpose(above) *
                              glm::mat3_cast(glm::angleAxis((degrees - motion.rest) * kDegree, motion.axis)) * above;
      out_.push_back({j, degrees < 0 ? motion.negative : motion.positive, std::abs(degrees),
                      glm::normalize(glm::quat_cast(turn))});
    };
    one_end(motion.lower, motion.lower < motion.rest - kLeastTurn);
    one_end(motion.upper, motion.upper > motion.rest + kLeastTurn);
  }

  [[nodiscard]] int find(const std::string& part) const { return body_.find(prefix_ + part); }

  // Unit, from one joint to another; where there is none, along the bone itself.
  [[nodiscard]] std::optional<glm::dvec3> along(int j, int next) const {
    if (j < 0) {
      return std::nullopt;
    }
    if (next >= 0 && glm::distance(rest_.position[j], rest_.position[next]) > 1e-9) {
      return glm::normalize(rest_.position[next] - rest_.position[j]);
    }
    const glm::dvec3 bone = rest_.orientation[j] * glm::dvec3(rig::bone_direction(skeleton_, j));
    return glm::length(bone) > 0.5 ? std::optional(glm::normalize(bone)) : std::nullopt;
  }

  // The axis that takes `from` towards `to`, or towards `instead` where the two hardly differ.
  [[nodiscard]] static glm::dvec3 towards(const glm::dvec3& from, const glm::dvec3& to, const glm::dvec3& instead) {
    const glm::dvec3 axis = glm::cross(from, to);
    return glm::normalize(glm::length(axis) > kLeastPlane ? axis : glm::cross(from, instead));
  }

  void add_trunk() {
    const auto count = static_cast<double>(std::max<std::size_t>(body_.torso.size(), 1));
    for (const int j : body_.torso) {
      add(j, {"flexion", "extension", left_, -25 / count, 80 / count});
      add(j, {"bend to the right", "bend to the left", forward_, -35 / count, 35 / count});
      add(j, {"rotation to the left", "rotation to the right", up_, -45 / count, 45 / count});
    }
  }

  void add_head() {
    std::vector<int> joints = body_.neck;
    if (const int head = body_.find("head"); head >= 0) {
      joints.push_back(head);
    }
    const auto count = static_cast<double>(std::max<std::size_t>(joints.size(), 1));
    for (const int j : joints) {
      add(j, {"flexion", "extension", left_, -45 / count, 45 / count});
      add(j, {"bend to the right", "bend to the left", forward_, -45 / count, 45 / count});
      add(j, {"rotation to the left", "rotation to the right", up_, -60 / count, 60 / count});
    }
    add(body_.find("jaw"), {"opening", "", left_, 0, 30});  // the project's choice
  }

  // Both ranges are the project's choice.
  void add_eye() {
    add(find("Eye"), {"look down", "look up", left_, -30, 30});
    add(find("Eye"), {"look to the left", "look to the right", up_, -40, 40});
  }

  // Both ranges are the project's choice.
  void add_collar_bone() {
    const int j = find("Shoulder");
    if (const auto bone = along(j, find("UpperArm"))) {
      add(j, {"elevation", "depression", towards(*bone, up_, forward_), -10, 40});
      add(j, {"protraction", "retraction", towards(*bone, forward_, up_), -20, 20});
    }
  }

  void add_upper_arm() {
    const int j = find("UpperArm");
    const auto bone = along(j, find("LowerArm"));
    if (!bone) {
      return;
    }
    // Inman's rhythm: of three degrees of a raised arm the upper arm turns two and the shoulder blade one. A rig's
    // collar bone stands for the shoulder blade.
    const double highest = find("Shoulder") >= 0 ? 120 : 180;
    const glm::dvec3 raise = side_ * forward_;
    const double raised = angle_about(raise, -up_, *bone);
    add(j, {"abduction", "", raise, 0, highest, raised});
    if (raised > kHorizontal) {
      const glm::dvec3 axis = -side_ * up_;
      add(j, {"horizontal flexion", "horizontal extension", axis, -45, 135, angle_about(axis, side_ * left_, *bone)});
    } else {
      add(j, {"flexion", "extension", -left_, -60, highest, angle_about(-left_, -up_, *bone)});
    }
    add(j, {"internal rotation", "external rotation", side_ * *bone, -90, 70});
  }

  // One axis: a limb that is bent at rest shows it, else people bend it towards `to`.
  void add_hinge(int j, int next, int above, const glm::dvec3& to, double upper) {
    const auto upper_bone = along(above, j);
    const auto lower_bone = along(j, next);
    if (!upper_bone || !lower_bone) {
      return;
    }
    constexpr double kBeyondStraight = 5;  // degrees; the project's choice, the Academy's zero is a straight limb
    glm::dvec3 axis = towards(*upper_bone, to, up_);
    const glm::dvec3 bent = glm::cross(*upper_bone, *lower_bone);
    if (angle_between(*upper_bone, *lower_bone) > kBentAtRest * kDegree && glm::dot(bent, axis) > 0) {
      axis = glm::normalize(bent);
    }
    add(j, {"flexion", "hyperextension", axis, -kBeyondStraight, upper, angle_about(axis, *upper_bone, *lower_bone)});
  }
  void add_elbow() { add_hinge(find("LowerArm"), find("Hand"), find("UpperArm"), forward_, 150); }

  void add_hand() {
    const int j = find("Hand");
    const auto forearm = along(find("LowerArm"), j);
    const int middle = find("Middle1");
    const auto bone = middle >= 0 || !forearm ? along(j, middle) : forearm;
    if (j < 0 || !bone) {
      return;
    }
    // The side of the thumb: from the little finger's knuckle to the index finger's, else forward.
    const int index = find("Index1");
    const int little = find("Little1");
    glm::dvec3 radial = forward_;
    if (index >= 0 && little >= 0) {
      radial = rest_.position[index] - rest_.position[little];
    }
    radial -= *bone * glm::dot(*bone, radial);
    if (glm::length(radial) < 1e-6) {
      radial = up_ - *bone * glm::dot(*bone, up_);
    }
    radial = glm::normalize(radial);
    const glm::dvec3 palm = -side_ * glm::cross(radial, *bone);
    const glm::dvec3 close = glm::cross(*bone, palm);
    add(j, {"flexion", "extension", close, -70, 80, forearm ? angle_about(close, *forearm, *bone) : 0});
    add(j, {"radial deviation", "ulnar deviation", glm::cross(*bone, radial), -30, 20});
    // Pronation is of the forearm, but the elbow's hinge does not twist: the hand is what rigs turn.
    add(j, {"pronation", "supination", side_ * *bone, -80, 80});
    for (const char* name : {"Index", "Middle", "Ring", "Little"}) {
      add_finger(name, *bone, palm);
    }
    add_thumb(-radial, palm);
  }

  void add_finger(const std::string& name, const glm::dvec3& hand, const glm::dvec3& palm) {
    struct Knuckle {
      double lower;
      double upper;
    };
    constexpr std::array kKnuckles = {Knuckle{-45, 90}, Knuckle{0, 100}, Knuckle{0, 90}};
    constexpr double kSpread = 20;  // degrees; the project's choice
    glm::dvec3 before = hand;
    for (int n = 1; n <= 3; ++n) {
      const int j = find(name + std::to_string(n));
      const auto bone = along(j, n < 3 ? find(name + std::to_string(n + 1)) : -1);
      if (!bone) {
        return;
      }
      const glm::dvec3 close = towards(*bone, palm, palm + hand);
      const Knuckle& range = kKnuckles[static_cast<std::size_t>(n) - 1];
      add(j, {"flexion", "extension", close, range.lower, range.upper, angle_about(close, before, *bone)});
      if (n == 1) {
        add(j, {"spread to the thumb", "spread from the thumb", side_ * palm, -kSpread, kSpread});
      }
      before = *bone;
    }
  }

  void add_thumb(const glm::dvec3& across, const glm::dvec3& palm) {
    struct Knuckle {
      double lower;
      double upper;
    };
    constexpr std::array kKnuckles = {Knuckle{-20, 15}, Knuckle{0, 50}, Knuckle{-20, 80}};
    std::optional<glm::dvec3> before;
    for (int n = 1; n <= 3; ++n) {
      const int j = find("Thumb" + std::to_string(n));
      const auto bone = along(j, n < 3 ? find("Thumb" + std::to_string(n + 1)) : -1);
      if (!bone) {
        return;
      }
      const glm::dvec3 close = towards(*bone, across, palm);
      const Knuckle& range = kKnuckles[static_cast<std::size_t>(n) - 1];
      add(j,
          {"flexion", "extension", close, range.lower, range.upper, before ? angle_about(close, *before, *bone) : 0.0});
      before = *bone;
    }
  }

  void add_leg() {
    const int hip = find("UpperLeg");
    if (const auto bone = along(hip, find("LowerLeg"))) {
      const glm::dvec3 spread = side_ * forward_;
      add(hip, {"flexion", "extension", -left_, -30, 120, angle_about(-left_, -up_, *bone)});
      add(hip, {"abduction", "adduction", spread, -30, 45, angle_about(spread, -up_, *bone)});
      add(hip, {"internal rotation", "external rotation", side_ * *bone, -45, 45});
    }
    add_hinge(find("LowerLeg"), find("Foot"), hip, -forward_, 135);
    add(find("Foot"), {"dorsiflexion", "plantar flexion", -left_, -50, 20});
    add(find("Foot"), {"inversion", "eversion", -side_ * forward_, -15, 35});
    add(find("Toes"), {"extension", "flexion", -left_, -45, 70});
  }

  const rig::Skeleton& skeleton_;
  const HumanBody& body_;
  const WorldFrames& rest_;
  const glm::dvec3 left_;
  const glm::dvec3 up_;
  const glm::dvec3 forward_;
  double side_ = 1;  // 1 left, -1 right
  std::string prefix_;
  std::vector<PlausibleTurn> out_;
};

}  // namespace

std::vector<PlausibleTurn> plausible_turns(const rig::Skeleton& skeleton, const HumanBody& body,
                                           const WorldFrames& rest) {
  return body.faces ? TurnMaker(skeleton, body, rest).make() : std::vector<PlausibleTurn>();
}

}  // namespace pelt::motion
