// How two reference poses are brought to match: limbs by their directions, palms by where the fingers lie beside each
// other, soles by the frames in which the feet stand.
#include "motion/retarget_alignment.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "math/angle.h"

namespace pelt::motion {
namespace {

const glm::dvec3 kUpward(0, 1, 0);
constexpr std::array kSideWords = {"left", "right"};

std::string role_of(int side, std::string_view part) {
  return std::string(kSideWords[side]) + std::string(part);
}

// The role of the bone's other end, or an empty one.
std::string next_role(std::string_view role) {
  for (const auto& [part, next] : {std::pair("UpperArm", "LowerArm"), std::pair("LowerArm", "Hand"),
                                   std::pair("UpperLeg", "LowerLeg"), std::pair("LowerLeg", "Foot")}) {
    if (role.ends_with(part)) {
      return std::string(role.substr(0, role.size() - std::string_view(part).size())) + next;
    }
  }
  const bool is_finger = !role.empty() && role.back() >= '0' && role.back() < '3' && !role.starts_with("spine") &&
                         !role.starts_with("neck");
  return is_finger ? std::string(role.substr(0, role.size() - 1)) + static_cast<char>(role.back() + 1) : std::string();
}

// From a hand to its fingers, and from the little finger to the thumb's side.
struct Palm {
  std::optional<glm::dvec3> along;
  std::optional<glm::dvec3> radial;
};

// The first joint below `hand` whose name has "thumb" in it, and how far it reaches.
std::optional<glm::dvec3> named_thumb(const RetargetRig& rig, int hand) {
  const rig::Skeleton& skeleton = rig.character.skeleton;
  for (const int j : skeleton.subtree(hand)) {
    std::string name = skeleton.name[j];
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const std::vector<int> below = skeleton.children(j);
    if (name.find("thumb") != std::string::npos) {
      const glm::dvec3 tip = rig.frames.position[below.empty() ? j : below.front()];
      return tip - rig.frames.position[hand];
    }
  }
  return std::nullopt;
}

Palm palm_of(const RetargetRig& rig, int side) {
  Palm out;
  const int hand = rig.body.find(role_of(side, "Hand"));
  const auto finger = [&](std::string_view name) { return rig.body.find(role_of(side, name)); };
  const auto at = [&](int j) { return rig.frames.position[j]; };
  const int index = finger("Index1");
  const int middle = finger("Middle1") >= 0 ? finger("Middle1") : index;
  const int little = finger("Little1") >= 0 ? finger("Little1") : finger("Ring1");
  if (middle >= 0) {
    out.along = at(middle) - at(hand);
  } else if (const int elbow = rig.body.find(role_of(side, "LowerArm")); elbow >= 0) {
    out.along = at(hand) - at(elbow);
  }
  if (index >= 0 && little >= 0) {
    out.radial = at(index) - at(little);
  } else if (const int thumb = finger("Thumb2"); thumb >= 0) {
    out.radial = at(thumb) - at(hand);
  } else {
    out.radial = named_thumb(rig, hand);
  }
  constexpr double kLeastAcross = 0.35;  // sine of 20 degrees
  const bool across = out.along && out.radial && glm::length(*out.along) > 1e-9 && glm::length(*out.radial) > 1e-9 &&
                      glm::length(glm::cross(glm::normalize(*out.along), glm::normalize(*out.radial))) > kLeastAcross;
  out.radial = across ? out.radial : std::nullopt;
  return out;
}

class Aligner {
 public:
  Aligner(const RetargetRig& source, const RetargetRig& target, const JointMap& map, Alignment alignment,
          const SourceFeet& feet)
      : source_(source),
        target_(target),
        map_(map),
        alignment_(alignment),
        feet_(feet),
        facing_(facing_turn(source, target)),
        turns_(target.reference.size(), glm::dmat3(1.0)) {}

  std::vector<glm::dmat3> run() {
    for (int j = 0; j < static_cast<int>(turns_.size()) && alignment_ != Alignment::kNone; ++j) {
      const int parent = target_.character.skeleton->parent[j];
      const glm::dmat3 above = parent < 0 ? glm::dmat3(1.0) : turns_[parent];
      const MappedJoint* row = map_.find(j);
      turns_[j] = row == nullptr ? above : turn_of(*row, above);
    }
    return std::move(turns_);
  }

 private:
  [[nodiscard]] glm::dmat3 turn_of(const MappedJoint& row, const glm::dmat3& above) const {
    const std::string& role = row.role;
    for (int side = 0; side < 2; ++side) {
      if (role == role_of(side, "Hand")) {
        return hand_turn(side, above);
      }
      if (role == role_of(side, "Foot")) {
        return foot_turn(side, above);
      }
    }
    if (const std::string next = next_role(role); !next.empty()) {
      return along(row, next, above);
    }
    if (role.starts_with("spine ") || role.starts_with("neck ") || role == "hips" || role.ends_with("Shoulder")) {
      return alignment_ == Alignment::kAll ? trunk_turn(row) : glm::dmat3(1.0);
    }
    if (role == "head") {
      return glm::dmat3(1.0);
    }
    return above;
  }

  // The target's direction of a bone, as its parents are turned already, onto the source's.
  [[nodiscard]] glm::dmat3 along(const MappedJoint& row, const std::string& next, const glm::dmat3& above) const {
    const int end = target_.body.find(next);
    const MappedJoint* end_row = end >= 0 ? map_.find(end) : nullptr;
    if (end_row == nullptr) {
      return above;
    }
    return turned_onto(above, target_.frames.position[end] - target_.frames.position[row.target],
                       source_.frames.position[end_row->source] - source_.frames.position[row.source]);
  }

  [[nodiscard]] glm::dmat3 turned_onto(const glm::dmat3& above, const glm::dvec3& ours,
                                       const glm::dvec3& theirs) const {
    return glm::mat3_cast(shortest_rotation(above * ours, facing_ * theirs)) * above;
  }

  [[nodiscard]] glm::dmat3 trunk_turn(const MappedJoint& row) const {
    int end = -1;
    if (row.role == "hips") {
      end = target_.body.chest();
    } else if (row.role.ends_with("Shoulder")) {
      end = target_.body.find(row.role.substr(0, row.role.size() - std::string_view("Shoulder").size()) + "UpperArm");
    } else {
      end = target_.body.find("head");
    }
    const MappedJoint* end_row = end >= 0 && end != row.target ? map_.find(end) : nullptr;
    return end_row == nullptr
               ? glm::dmat3(1.0)
               : turned_onto(glm::dmat3(1.0), target_.frames.position[end] - target_.frames.position[row.target],
                             source_.frames.position[end_row->source] - source_.frames.position[row.source]);
  }

  [[nodiscard]] glm::dmat3 hand_turn(int side, const glm::dmat3& above) const {
    if (source_.body.find(role_of(side, "Hand")) < 0 || target_.body.find(role_of(side, "Hand")) < 0) {
      return above;
    }
    const Palm theirs = palm_of(source_, side);
    const Palm ours = palm_of(target_, side);
    if (theirs.along && ours.along && theirs.radial && ours.radial) {
      return turn_of_pairs(*ours.along, *ours.radial, facing_ * *theirs.along, facing_ * *theirs.radial);
    }
    return above;
  }

  // Direction of a foot over the ground, and its shin's.
  struct FootShape {
    glm::dvec3 ahead = glm::dvec3(0);
    glm::dvec3 shin = glm::dvec3(0);
  };
  static FootShape foot_shape(const RetargetRig& rig, int side) {
    FootShape out;
    const int foot = rig.body.find(role_of(side, "Foot"));
    const int knee = rig.body.find(role_of(side, "LowerLeg"));
    const int toe = toe_joint(rig, side);
    if (foot >= 0 && toe >= 0) {
      out.ahead = rig.frames.position[toe] - rig.frames.position[foot];
    }
    if (foot >= 0 && knee >= 0) {
      out.shin = rig.frames.position[foot] - rig.frames.position[knee];
    }
    return out;
  }

  [[nodiscard]] glm::dmat3 foot_turn(int side, const glm::dmat3& above) const {
    FootShape theirs = foot_shape(source_, side);
    theirs.ahead = facing_ * theirs.ahead;
    theirs.shin = facing_ * theirs.shin;
    const FootShape ours = foot_shape(target_, side);
    const bool both = glm::length(theirs.ahead) > 1e-9 && glm::length(ours.ahead) > 1e-9;
    constexpr double kAlike = kDegree;
    if (both && angle_between(theirs.ahead, ours.ahead) < kAlike && angle_between(theirs.shin, ours.shin) < kAlike) {
      return glm::mat3_cast(shortest_rotation(above * ours.ahead, theirs.ahead)) * above;
    }
    const bool stands_modelled = !target_.character.skins.empty();
    const bool follows = sole_follows_shin(theirs, side);
    const glm::dvec3 our_sole =
        stands_modelled || !follows ? kUpward : shortest_rotation(-kUpward, ours.shin) * kUpward;
    const glm::dvec3 their_sole = source_sole(side);
    const auto over_ground = [](const glm::dvec3& ahead, const glm::dvec3& sole) {
      return ahead - sole * glm::dot(sole, ahead);
    };
    const glm::dvec3 our_way = over_ground(ours.ahead, our_sole);
    const glm::dvec3 their_way = over_ground(theirs.ahead, their_sole);
    if (!both || glm::length(our_way) < 1e-9 || glm::length(their_way) < 1e-9) {
      return glm::mat3_cast(shortest_rotation(our_sole, their_sole));
    }
    return turn_of_pairs(our_sole, our_way, their_sole, their_way);
  }

  // Up as the source's feet have it: level, or at right angles to the shin where the zero pose spreads the legs.
  [[nodiscard]] bool sole_follows_shin(const FootShape& theirs, int side) const {
    if (!feet_.sole[side] || !(glm::length(theirs.shin) > 0)) {
      return false;
    }
    const glm::dvec3 sole = facing_ * *feet_.sole[side];
    const glm::dvec3 hanging = shortest_rotation(-kUpward, theirs.shin) * kUpward;
    return angle_between(sole, hanging) < angle_between(sole, kUpward);
  }
  // Where the feet stand they are flat on the ground on average; without that the zero pose tells.
  [[nodiscard]] glm::dvec3 source_sole(int side) const {
    return feet_.sole[side] ? facing_ * *feet_.sole[side] : kUpward;
  }

  const RetargetRig& source_;
  const RetargetRig& target_;
  const JointMap& map_;
  Alignment alignment_;
  const SourceFeet& feet_;
  glm::dmat3 facing_;
  std::vector<glm::dmat3> turns_;
};

/// What feet do in each frame. Empty where a joint is missing.
struct FootTracks {
  std::array<std::vector<glm::dvec3>, 2> ankle;
  std::array<std::vector<glm::dvec3>, 2> toe;
  std::array<std::vector<glm::dvec3>, 2>
      sole;                        // up of the world as each foot sees it, in the axes of the reference pose
  std::vector<glm::dvec3> lowest;  // of all joints of both feet
};

FootTracks foot_tracks(const RetargetRig& source, const std::vector<float>& times) {
  FootTracks out;
  std::vector<int> joints;
  for (int side = 0; side < 2; ++side) {
    if (const int foot = source.body.find(role_of(side, "Foot")); foot >= 0) {
      const std::vector<int> below = source.character.skeleton->subtree(foot);
      joints.insert(joints.end(), below.begin(), below.end());
    }
  }
  rig::Pose pose = rig::rest_pose(source.character);
  WorldFrames frames;
  for (const float time : times) {
    frames_at(source, time, pose, frames);
    for (int side = 0; side < 2; ++side) {
      const int foot = source.body.find(role_of(side, "Foot"));
      const int toe = toe_joint(source, side);
      if (foot >= 0) {
        out.ankle[side].push_back(frames.position[foot]);
        out.sole[side].push_back(source.frames.orientation[foot] * glm::transpose(frames.orientation[foot]) * kUpward);
      }
      if (toe >= 0) {
        out.toe[side].push_back(frames.position[toe]);
      }
    }
    const auto low = std::ranges::min_element(joints, {}, [&](int j) { return frames.position[j].y; });
    if (low != joints.end()) {
      out.lowest.push_back(frames.position[*low]);
    }
  }
  return out;
}

// Up as a foot has it in the reference pose, from the frames in which ankle and toes stand; nothing where these
// disagree.
std::optional<glm::dvec3> mean_sole(std::span<const glm::dvec3> soles, std::span<const FootContact> contacts,
                                    int side) {
  std::vector<int> parts(soles.size(), 0);  // of the foot that stand in a frame
  int most = 0;
  for (const FootContact& contact : contacts) {
    for (int f = contact.first; f <= contact.last && contact.side == side; ++f) {
      most = std::max(most, parts[f] += contact.is_toe ? 1 : 2);
    }
  }
  glm::dvec3 sum(0);
  int count = 0;
  for (std::size_t f = 0; f < soles.size() && most > 0; ++f) {
    if (parts[f] == most) {
      sum += soles[f];
      ++count;
    }
  }
  constexpr double kSteady = 0.95;  // length of the mean of directions that agree
  constexpr int kEnoughFrames = 8;
  return count >= kEnoughFrames && glm::length(sum) > kSteady * count ? std::optional(glm::normalize(sum))
                                                                      : std::nullopt;
}

}  // namespace

int toe_joint(const RetargetRig& rig, int side) {
  if (const int toes = rig.body.find(role_of(side, "Toes")); toes >= 0) {
    return toes;
  }
  const int foot = rig.body.find(role_of(side, "Foot"));
  const std::vector<int> below = foot < 0 ? std::vector<int>() : rig.character.skeleton->children(foot);
  return below.size() == 1 ? below.front() : -1;
}

glm::dmat3 facing_turn(const RetargetRig& source, const RetargetRig& target) {
  return source.body.faces && target.body.faces ? target.body.facing * glm::transpose(source.body.facing)
                                                : glm::dmat3(1.0);
}

SourceFeet find_source_feet(const RetargetRig& source, const std::vector<float>& times) {
  SourceFeet out;
  out.leg = source.body.leg_length(source.frames);
  if (!(out.leg > 0) || times.empty()) {
    return out;
  }
  const FootTracks tracks = foot_tracks(source, times);
  for (int side = 0; side < 2; ++side) {
    for (const bool is_toe : {false, true}) {
      for (FootContact contact : find_contacts(is_toe ? tracks.toe[side] : tracks.ankle[side], times, out.leg)) {
        contact.side = side;
        contact.is_toe = is_toe;
        out.contacts.push_back(contact);
      }
    }
    out.sole[side] = mean_sole(tracks.sole[side], out.contacts, side);
  }
  if (!tracks.lowest.empty()) {
    out.floor = low_height(tracks.lowest, ContactLimits{}.low_share);
  }
  return out;
}

std::vector<glm::dmat3> alignment_turns(const RetargetRig& source, const RetargetRig& target, const JointMap& map,
                                        Alignment alignment, const SourceFeet& feet) {
  return Aligner(source, target, map, alignment, feet).run();
}

}  // namespace pelt::motion
