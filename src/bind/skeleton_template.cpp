#include "bind/skeleton_template.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "bind/body_landmarks.h"
#include "core/text.h"

namespace pelt::bind {
namespace {

enum HumanoidJoint : std::uint8_t {
  kHips,
  kSpine,
  kChest,
  kNeck,
  kHead,
  kShoulder,  // the left; the right follows the four of the left
  kUpperArm,
  kForearm,
  kHand,
  kThigh = kShoulder + 8,
  kShin,
  kFoot,
  kToe,
  kHumanoidJoints = kThigh + 8
};

struct HumanoidRow {
  const char* name;
  int parent;
  glm::dvec3 place;
};

// Proportions of an adult with level arms: after R. Drillis, R. Contini, "Body Segment Parameters", 1966.
constexpr std::array<HumanoidRow, 5> kTrunkRows = {{{"hips", -1, {0, 0.53, 0}},
                                                    {"spine", kHips, {0, 0.595, 0}},
                                                    {"chest", kSpine, {0, 0.70, 0}},
                                                    {"neck", kChest, {0, 0.83, 0}},
                                                    {"head", kNeck, {0, 0.87, 0}}}};
constexpr std::array<HumanoidRow, 4> kArmRows = {{{"shoulder", kChest, {0.03, 0.80, 0}},
                                                  {"upper_arm", kShoulder, {0.11, 0.80, 0}},
                                                  {"forearm", kUpperArm, {0.29, 0.80, 0}},
                                                  {"hand", kForearm, {0.43, 0.80, 0}}}};
constexpr std::array<HumanoidRow, 4> kLegRows = {{{"thigh", kHips, {0.055, 0.51, 0}},
                                                  {"shin", kThigh, {0.055, 0.28, 0}},
                                                  {"foot", kShin, {0.055, 0.045, 0}},
                                                  {"toe", kFoot, {0.055, 0.015, 0.075}}}};

// Of an arm, from the shoulder to the tip of the hand. The wrist is the thinnest place, if it is clearly thinner.
constexpr double kWristShare = 0.72;
constexpr double kNearestWrist = 0.55;
constexpr double kFarthestWrist = 0.92;
constexpr double kWristDoubt = 0.3;  // so far from the usual share a place counts as twice as thick
constexpr double kElbowOfWrist = 0.54;
// Of the way from hips to neck.
constexpr double kSpineShare = 0.22;
constexpr double kChestShare = 0.57;

void add_side(std::span<const HumanoidRow> rows, std::vector<TemplateJoint>& out) {
  for (const bool left : {true, false}) {
    const int shift = left ? 0 : static_cast<int>(rows.size());
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const HumanoidRow& row = rows[k];
      const glm::dvec3 place = row.place * glm::dvec3(left ? 1 : -1, 1, 1);
      out.push_back(
          {fmt::format("{}.{}", row.name, left ? 'L' : 'R'), k == 0 ? row.parent : row.parent + shift, place});
    }
  }
}

std::vector<TemplateJoint> humanoid_joints() {
  std::vector<TemplateJoint> out;
  for (const HumanoidRow& row : kTrunkRows) {
    out.push_back({row.name, row.parent, row.place});
  }
  add_side(kArmRows, out);
  add_side(kLegRows, out);
  return out;
}

// Moves a joint to what is inside.
void keep_inside(const Voxels& voxels, glm::dvec3& place) {
  place = nearest_within(voxels, place).value_or(place);
}

class Humanoid {
 public:
  explicit Humanoid(const RestVolume& volume) : volume_(volume), body_(body_landmarks(volume)) {
    out_.joints = humanoid_joints();
    out_.middle = body_.middle.x;
  }

  FittedTemplate fit(bool symmetric) {
    for (TemplateJoint& joint : out_.joints) {  // by proportion, for what is not found
      joint.place = {body_.middle.x + body_.front * joint.place.x * body_.height,
                     body_.floor + joint.place.y * body_.height,
                     body_.middle.y + body_.front * joint.place.z * body_.height};
    }
    place_trunk();
    for (const int which : {0, 1}) {
      place_leg(which);
      place_arm(which);
    }
    for (TemplateJoint& joint : out_.joints) {
      keep_inside(volume_.voxels, joint.place);
    }
    if (symmetric) {
      make_symmetric();
    }
    if (!body_.has_legs) {
      out_.notes.emplace_back("there is no air between the legs: they were placed by proportion");
    }
    for (const int which : {0, 1}) {
      if (body_.arms[static_cast<std::size_t>(which)].points.empty()) {
        out_.notes.push_back(fmt::format("the {} arm was not found beside the body: it was placed by proportion",
                                         which == 0 ? "left" : "right"));
      }
    }
    return std::move(out_);
  }

 private:
  glm::dvec3& place(int joint) { return out_.joints[static_cast<std::size_t>(joint)].place; }

  void place_trunk() {
    const double hips = body_.crotch + 0.055 * body_.height;
    const double base = body_.neck - 0.055 * body_.height;  // where the neck leaves the trunk
    const std::array<std::pair<int, double>, 5> heights = {{{kHips, hips},
                                                            {kSpine, glm::mix(hips, base, kSpineShare)},
                                                            {kChest, glm::mix(hips, base, kChestShare)},
                                                            {kNeck, base},
                                                            {kHead, body_.neck}}};
    for (const auto& [joint, y] : heights) {
      glm::dvec3& at = place(joint);
      at = {body_.middle.x, y, body_.middle.y};
      at = middle_of_section(volume_.voxels, at, {0, 1, 0});
      at.y = y;
    }
  }

  void place_leg(int which) {
    const auto side = static_cast<std::size_t>(which);
    const int first = kThigh + 4 * which;
    const glm::dvec3 hip = body_.hips[side];
    const glm::dvec3 ankle = body_.ankles[side];
    place(first) = hip;
    place(first + 1) = middle_of_section(volume_.voxels, 0.5 * (hip + ankle), {0, 1, 0});
    place(first + 2) = ankle;
    place(first + 3) = body_.toes[side];
  }

  void place_arm(int which) {
    const MiddleLine& arm = body_.arms[static_cast<std::size_t>(which)];
    const int first = kShoulder + 4 * which;
    if (arm.points.empty()) {
      return;
    }
    const auto at = [&](double share) { return arm.at((1 - share) * arm.length()); };
    const double wrist = wrist_share(arm);
    place(first + 1) = at(0);
    place(first + 2) = at(kElbowOfWrist * wrist);
    place(first + 3) = at(wrist);
    // The collarbone begins beside the middle, at the height to which the arm is held.
    const glm::dvec3 chest(place(kNeck).x, std::min(place(first + 1).y, place(kNeck).y), place(kNeck).z);
    place(first) = glm::mix(chest, place(first + 1), 0.25);
  }

  static double wrist_share(const MiddleLine& arm) {
    double best = kWristShare;
    double thinnest = std::numeric_limits<double>::max();
    for (std::size_t k = 0; k < arm.points.size(); ++k) {
      const double share = 1 - arm.distance[k] / arm.length();
      const double doubt = (share - kWristShare) / kWristDoubt;
      const double thickness = arm.section[k] * (1 + doubt * doubt);
      if (share > kNearestWrist && share < kFarthestWrist && thickness < thinnest) {
        thinnest = thickness;
        best = share;
      }
    }
    return best;
  }

  void make_symmetric() {
    const std::vector<int> opposite = opposite_joints(out_.joints);
    const std::vector<TemplateJoint> before = out_.joints;
    for (std::size_t j = 0; j < before.size(); ++j) {
      glm::dvec3 other = before[static_cast<std::size_t>(opposite[j])].place;
      other.x = 2 * out_.middle - other.x;
      out_.joints[j].place = 0.5 * (before[j].place + other);
      if (volume_.voxels.at(out_.joints[j].place) == Voxel::kOutside) {  // of a body that is none
        keep_inside(volume_.voxels, out_.joints[j].place);
      }
    }
  }

  const RestVolume& volume_;
  BodyLandmarks body_;
  FittedTemplate out_;
};

FittedTemplate fit_chain(const TemplateChoice& choice, const RestVolume& volume) {
  FittedTemplate out;
  out.joints = template_joints(choice);
  const MiddleLine line = longest_line(volume);
  if (line.points.empty()) {
    return out;
  }
  const auto count = static_cast<double>(out.joints.size());
  const double length = line.length();
  for (std::size_t k = 0; k < out.joints.size(); ++k) {
    const double here = static_cast<double>(k) / count * length;
    const double near = 0.1 * length / count;
    const glm::dvec3 along = line.at(here + near) - line.at(std::max(0.0, here - near));
    glm::dvec3& place = out.joints[k].place;
    place = line.at(here);
    if (glm::length(along) > 0) {
      place = middle_of_section(volume.voxels, place, glm::normalize(along));
    }
    keep_inside(volume.voxels, place);
  }
  double middle = 0;
  for (const TemplateJoint& joint : out.joints) {
    middle += joint.place.x / count;
  }
  out.middle = middle;
  return out;
}

}  // namespace

Result<TemplateChoice> parse_template(std::string_view text) {
  if (text == "humanoid") {
    return TemplateChoice{};
  }
  constexpr std::string_view kChain = "chain:";
  TemplateChoice chain{.kind = TemplateChoice::Kind::kChain, .joints = 0};
  if (text.starts_with(kChain)) {
    const std::string_view number = text.substr(kChain.size());
    const auto [end, fault] = std::from_chars(number.data(), number.data() + number.size(), chain.joints);
    if (fault == std::errc() && end == number.data() + number.size() && chain.joints >= 1 &&
        chain.joints <= kMostChainJoints) {
      return chain;
    }
  }
  return error("expected humanoid or chain:N with 1 to {} joints, got \"{}\"", kMostChainJoints, printable(text));
}

std::vector<TemplateJoint> template_joints(const TemplateChoice& choice) {
  if (choice.kind == TemplateChoice::Kind::kHumanoid) {
    return humanoid_joints();
  }
  std::vector<TemplateJoint> out;
  for (int k = 0; k < choice.joints; ++k) {
    out.push_back({fmt::format("chain_{}", k + 1), k - 1, {0, static_cast<double>(k) / choice.joints, 0}});
  }
  return out;
}

std::vector<int> opposite_joints(const std::vector<TemplateJoint>& joints) {
  std::vector<int> out;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    std::string name = joints[j].name;
    const bool has_side = name.ends_with(".L") || name.ends_with(".R");
    if (has_side) {
      name.back() = name.back() == 'L' ? 'R' : 'L';
    }
    const auto found = std::ranges::find(joints, name, &TemplateJoint::name);
    out.push_back(found == joints.end() ? static_cast<int>(j) : static_cast<int>(found - joints.begin()));
  }
  return out;
}

FittedTemplate fitted_template(const TemplateChoice& choice, const RestVolume& volume, bool symmetric) {
  return choice.kind == TemplateChoice::Kind::kHumanoid ? Humanoid(volume).fit(symmetric) : fit_chain(choice, volume);
}

std::vector<rig::NewJoint> new_joints(const std::vector<TemplateJoint>& joints) {
  std::vector<rig::NewJoint> out;
  for (const TemplateJoint& joint : joints) {
    const glm::dvec3 above = joint.parent < 0 ? glm::dvec3(0.0) : joints[static_cast<std::size_t>(joint.parent)].place;
    out.push_back({joint.name, joint.parent, {.translation = glm::vec3(joint.place - above)}});
  }
  return out;
}

}  // namespace pelt::bind
