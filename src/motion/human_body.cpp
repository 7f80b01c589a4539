// Human bodies in skeletons: roles by name, checked against and filled up by what the shape of the skeleton tells.
#include "motion/human_body.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include "rig/joint_matching.h"
#include "rig/joint_names.h"

namespace pelt::motion {
namespace {

constexpr std::array kSides = {"left", "right"};
constexpr std::array kCoreRoles = {"UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot"};
constexpr std::array kFingerNames = {"Thumb", "Index", "Middle", "Ring", "Little"};

// Anatomy's words, which the CMU library's ASF files use, in those that rig/joint_names.h knows.
struct Anatomy {
  std::string_view word;
  std::string_view plain;
};
constexpr std::array kAnatomy = {
    Anatomy{"femur", "upleg"},      Anatomy{"tibia", "shin"},   Anatomy{"humerus", "upperarm"},
    Anatomy{"radius", "forearm"},   Anatomy{"ulna", "forearm"}, Anatomy{"clav", "clavicle"},
    Anatomy{"scapula", "clavicle"}, Anatomy{"thorax", "chest"}, Anatomy{"lowerneck", "neck"},
    Anatomy{"skull", "head"},       Anatomy{"tarsus", "foot"}};

std::string small_letters(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// "lfemur" beside "rfemur" is "left upleg"; joints between hips and thigh ("LHipJoint") that only place the thigh are
// none of the body's.
std::vector<std::string> plain_names(std::span<const std::string> names) {
  std::set<std::string> all;
  std::array<bool, 2> has_thigh = {};
  for (const std::string& name : names) {
    all.insert(small_letters(name));
    const rig::JointName parsed = rig::parse_joint_name(name);
    if (rig::body_word(parsed) == "upperLeg" && parsed.joined_words() != "hip") {
      has_thigh[parsed.side == rig::Side::kRight ? 1 : 0] = true;
    }
  }
  std::vector<std::string> out;
  for (const std::string& name : names) {
    const std::string small = small_letters(name);
    const rig::JointName parsed = rig::parse_joint_name(name);
    std::string plain = name;
    std::string word = parsed.joined_words();
    std::string side = parsed.side == rig::Side::kLeft ? "left " : parsed.side == rig::Side::kRight ? "right " : "";
    const bool one_word = side.empty() && small.size() > 2 && (small[0] == 'l' || small[0] == 'r');
    if (one_word && all.contains((small[0] == 'l' ? "r" : "l") + small.substr(1))) {
      word = small.substr(1);
      side = small[0] == 'l' ? "left " : "right ";
      plain = side + word;
    }
    const auto found = std::ranges::find(kAnatomy, std::string_view(word), &Anatomy::word);
    if (found != kAnatomy.end()) {
      plain = side + std::string(found->plain);
    }
    const bool places_thigh = word == "hipjoint" || (word == "hip" && has_thigh[side == "right " ? 1 : 0]);
    out.push_back(!side.empty() && places_thigh ? std::string() : plain);
  }
  return out;
}

bool is_above(const rig::Skeleton& skeleton, int above, int j) {
  return above >= 0 && j >= 0 && skeleton.is_within(j, above);
}

// The lowest joint that both hang below or are.
int common_joint(const rig::Skeleton& skeleton, int a, int b) {
  while (a != b && a >= 0 && b >= 0) {
    (a > b ? a : b) = skeleton.parent[a > b ? a : b];
  }
  return std::min(a, b);
}

// Joints from below `top` down to `j` without both ends, upper end first.
std::vector<int> joints_between(const rig::Skeleton& skeleton, int top, int j) {
  std::vector<int> out;
  for (int at = j < 0 ? -1 : skeleton.parent[j]; at >= 0 && at != top; at = skeleton.parent[at]) {
    out.push_back(at);
  }
  std::ranges::reverse(out);
  return out;
}

HumanBody body_by_name(const rig::Character& character) {
  rig::NamedJoints joints = rig::named_joints(character);
  const bool given = !joints.role.empty();
  joints.name = plain_names(joints.name);
  const std::vector<std::string> roles = rig::human_roles(joints);
  HumanBody body;
  for (std::size_t j = 0; j < roles.size(); ++j) {
    if (!roles[j].empty() && !roles[j].starts_with("spine ") && roles[j] != "neck") {
      body.roles[roles[j]] = {static_cast<int>(j), given ? 1.0 : 0.9, given ? "the file says so" : "by its name"};
    }
  }
  return body;
}

int core_count(const HumanBody& body) {
  int count = 0;
  for (const char* side : kSides) {
    for (const char* role : kCoreRoles) {
      count += body.find(std::string(side) + role) >= 0 ? 1 : 0;
    }
  }
  return count;
}

// The hips are what both legs and the trunk hang on, whatever a joint's name says.
void settle_hips(const rig::Skeleton& skeleton, HumanBody& body) {
  const int left = body.find("leftUpperLeg");
  const int right = body.find("rightUpperLeg");
  const int named = body.find("hips");
  if (left < 0 || right < 0) {
    return;
  }
  const int common = common_joint(skeleton, left, right);
  if (common >= 0 && (named < 0 || !is_above(skeleton, named, common) || common == left || common == right)) {
    body.roles["hips"] = {common, 0.8, "both legs hang on it"};
  }
}

// What of `second` contradicts nothing of `first`: roles that `first` lacks, of joints that it has no role for.
void fill_up(HumanBody& first, const HumanBody& second) {
  std::set<int> taken;
  for (const auto& [role, joint] : first.roles) {
    taken.insert(joint.joint);
  }
  for (const auto& [role, joint] : second.roles) {
    if (const auto known = first.roles.find(role); known != first.roles.end()) {
      if (known->second.joint == joint.joint && known->second.confidence < 1) {
        known->second.confidence = 1;
        known->second.reason += known->second.reason == joint.reason ? "" : " and " + joint.reason;
      }
    } else if (taken.insert(joint.joint).second) {
      first.roles[role] = joint;
    }
  }
}

// Roles that are not where bodies have them are given up: a hand hangs below an arm.
void drop_contradictions(const rig::Skeleton& skeleton, HumanBody& body) {
  for (const char* side : kSides) {
    for (const std::array<const char*, 4>& chain :
         {std::array{"Shoulder", "UpperArm", "LowerArm", "Hand"}, std::array{"UpperLeg", "LowerLeg", "Foot", "Toes"}}) {
      int above = -1;
      for (const char* part : chain) {
        const std::string role = std::string(side) + part;
        const int j = body.find(role);
        if (j >= 0 && above >= 0 && (j == above || !is_above(skeleton, above, j))) {
          body.roles.erase(role);
        } else if (j >= 0) {
          above = j;
        }
      }
    }
  }
}

void find_trunk(const rig::Skeleton& skeleton, HumanBody& body) {
  const int hips = body.find("hips");
  const int head = body.find("head");
  if (hips < 0) {
    return;
  }
  int chest = -1;
  for (const char* role : {"leftShoulder", "rightShoulder", "leftUpperArm", "rightUpperArm"}) {
    const int j = body.find(role);
    if (is_above(skeleton, hips, j) && j != hips) {
      chest = chest < 0 ? skeleton.parent[j] : common_joint(skeleton, chest, skeleton.parent[j]);
    }
  }
  const bool has_head = is_above(skeleton, hips, head) && head != hips;
  if (chest >= 0 && has_head) {
    chest = common_joint(skeleton, chest, skeleton.parent[head]);
  }
  if (chest < 0 && has_head) {
    // No arms: the neck is what hangs right below the head.
    chest = std::max(hips, skeleton.parent[skeleton.parent[head] >= 0 ? skeleton.parent[head] : head]);
  }
  if (!is_above(skeleton, hips, chest)) {
    return;
  }
  if (chest != hips) {
    body.torso = joints_between(skeleton, hips, chest);
    body.torso.push_back(chest);
  }
  if (has_head) {
    body.neck = joints_between(skeleton, chest, head);
  }
}

}  // namespace

int HumanBody::find(std::string_view role) const {
  const auto found = roles.find(role);
  return found == roles.end() ? -1 : found->second.joint;
}

int HumanBody::chest() const {
  return torso.empty() ? find("hips") : torso.back();
}

double HumanBody::leg_length(const WorldFrames& frames) const {
  double longest = 0;
  for (const std::string side : kSides) {
    const int hip = find(side + "UpperLeg");
    const int knee = find(side + "LowerLeg");
    const int foot = find(side + "Foot");
    if (hip >= 0 && knee >= 0 && foot >= 0) {
      longest = std::max(longest, glm::distance(frames.position[hip], frames.position[knee]) +
                                      glm::distance(frames.position[knee], frames.position[foot]));
    }
  }
  return longest;
}

bool HumanBody::is_complete() const {
  return core_count(*this) == static_cast<int>(kSides.size() * kCoreRoles.size()) && find("hips") >= 0 &&
         find("head") >= 0;
}

std::vector<Limb> human_limbs() {
  return {{"leftUpperArm", "leftLowerArm"},   {"leftLowerArm", "leftHand"},     {"rightUpperArm", "rightLowerArm"},
          {"rightLowerArm", "rightHand"},     {"leftUpperLeg", "leftLowerLeg"}, {"leftLowerLeg", "leftFoot"},
          {"rightUpperLeg", "rightLowerLeg"}, {"rightLowerLeg", "rightFoot"}};
}

const std::vector<std::string>& human_body_roles() {
  static const std::vector<std::string> kRoles = [] {
    std::vector<std::string> out = {"hips", "head"};
    for (const std::string side : kSides) {
      for (const char* part :
           {"Shoulder", "UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot", "Toes", "Eye"}) {
        out.push_back(side + part);
      }
      for (const char* finger : kFingerNames) {
        for (const char* bone : {"0", "1", "2", "3"}) {
          out.push_back(side + finger + bone);
        }
      }
    }
    out.emplace_back("jaw");
    return out;
  }();
  return kRoles;
}

void find_facing(const WorldFrames& frames, HumanBody& body) {
  const auto from_to = [&](std::string_view a, std::string_view b) -> std::optional<glm::dvec3> {
    const int i = body.find(a);
    const int k = body.find(b);
    if (i < 0 || k < 0 || glm::distance(frames.position[i], frames.position[k]) < 1e-9) {
      return std::nullopt;
    }
    return glm::normalize(frames.position[k] - frames.position[i]);
  };
  std::optional<glm::dvec3> left = from_to("rightUpperLeg", "leftUpperLeg");
  left = left ? left : from_to("rightUpperArm", "leftUpperArm");
  std::optional<glm::dvec3> up = from_to("hips", "head");
  up = up ? up : from_to("leftFoot", "leftUpperLeg");
  body.faces = left && up && glm::length(glm::cross(*left, *up)) > 0.5;
  if (!body.faces) {
    return;
  }
  // Bodies lean a little and stand along axes: what is within a few degrees of an axis means the axis.
  constexpr double kNearAxis = 0.94;  // cosine of 20 degrees
  const auto snapped = [](const glm::dvec3& v) {
    const glm::dvec3 size = glm::abs(v);
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    glm::dvec3 out(0);
    out[axis] = v[axis] < 0 ? -1 : 1;
    return size[axis] >= kNearAxis ? out : v;
  };
  const glm::dvec3 upward = snapped(*up);
  const glm::dvec3 across = snapped(glm::normalize(*left - upward * glm::dot(upward, *left)));
  const glm::dvec3 sideways = glm::normalize(across - upward * glm::dot(upward, across));
  body.facing = glm::dmat3(sideways, upward, glm::cross(sideways, upward));
}

HumanBody find_human_body(const rig::Character& character, const WorldFrames& rest) {
  const rig::Skeleton& skeleton = character.skeleton;
  HumanBody named = body_by_name(character);
  HumanBody shaped = find_human_body_by_shape(character, rest);
  drop_contradictions(skeleton, named);
  constexpr int kEnoughNames = 8;  // of the twelve parts of arms and legs
  HumanBody body = core_count(named) >= kEnoughNames || core_count(shaped) == 0 ? named : shaped;
  fill_up(body, core_count(named) >= kEnoughNames || core_count(shaped) == 0 ? shaped : named);
  drop_contradictions(skeleton, body);
  settle_hips(skeleton, body);
  find_trunk(skeleton, body);
  find_facing(rest, body);
  return body;
}

}  // namespace pelt::motion
