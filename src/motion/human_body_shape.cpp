// Human bodies by the shape of the skeleton alone: two chains that reach the ground and one that goes up meet at the
// hips; two chains to the sides and one that goes up meet at the chest; left is told by where the feet point.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "motion/human_body.h"

namespace pelt::motion {
namespace {

const glm::dvec3 kUp(0, 1, 0);
constexpr std::size_t kMostBranches = 16;  // of hips and chests; each pair is tried

glm::dvec3 level(const glm::dvec3& v) {
  return {v.x, 0, v.z};
}

/// Two branches that mirror each other.
struct Pair {
  int first = -1;
  int second = -1;
};

class ShapeReader {
 public:
  ShapeReader(const rig::Character& character, const WorldFrames& rest)
      : skeleton_(character.skeleton), at_(rest.position), used_(skeleton_.size(), 1), size_(skeleton_.size(), 0) {
    // Where skins list joints, other nodes carry meshes and cameras.
    has_joints_ = std::ranges::any_of(skeleton_.is_joint, [](char is) { return is != 0; });
    for (int j = 0; has_joints_ && j < skeleton_.size(); ++j) {
      used_[j] = skeleton_.is_joint[j];
    }
    for (int j = skeleton_.size(); j-- > 0;) {
      if (skeleton_.parent[j] >= 0 && used_[j] != 0) {
        used_[skeleton_.parent[j]] = 1;
      }
    }
    lowest_.assign(skeleton_.size(), 0);
    highest_.assign(skeleton_.size(), 0);
    length_.assign(skeleton_.size(), 0);
    for (int j = skeleton_.size(); j-- > 0;) {
      measure(j);
    }
  }

  HumanBody read() {
    HumanBody body;
    const std::optional<std::pair<int, Pair>> legs = find_hips();
    if (!legs) {
      return body;
    }
    const auto& [hips, pair] = *legs;
    set(body, "hips", hips, 0.8);
    const std::array legs_joints = {leg(hips, pair.first), leg(hips, pair.second)};
    across_ = level(at_[legs_joints[0][0]] - at_[legs_joints[1][0]]);
    if (glm::length(across_) < 1e-9) {
      return body;
    }
    across_ = glm::normalize(across_);
    const glm::dvec3 left = left_side(legs_joints);
    const bool first_is_left = glm::dot(left, across_) > 0;
    for (const bool second : {false, true}) {
      const std::string side = first_is_left != second ? "left" : "right";
      const std::array<const char*, 4> parts = {"UpperLeg", "LowerLeg", "Foot", "Toes"};
      for (std::size_t n = 0; n < parts.size(); ++n) {
        set(body, side + parts[n], legs_joints[second ? 1 : 0][n], n < 3 ? 0.7 : 0.5);
      }
    }
    find_upper_body(body, hips, pair, left);
    return body;
  }

 private:
  using Chain = std::array<int, 4>;

  // What hangs below joint `j`: all children are done.
  void measure(int j) {
    lowest_[j] = highest_[j] = at_[j].y;
    for (const int child : kids(j)) {
      lowest_[j] = std::min(lowest_[j], lowest_[child]);
      highest_[j] = std::max(highest_[j], highest_[child]);
      length_[j] = std::max(length_[j], length_[child] + glm::distance(at_[j], at_[child]));
      size_[j] += size_[child] + 1;
    }
  }

  [[nodiscard]] std::vector<int> kids(int j) const {
    std::vector<int> out;
    for (const int child : skeleton_.children(j)) {
      if (used_[child] != 0) {
        out.push_back(child);
      }
    }
    return out;
  }

  static void set(HumanBody& body, const std::string& role, int joint, double confidence) {
    if (joint >= 0) {
      body.roles[role] = {joint, confidence, "by the shape of the skeleton"};
    }
  }

  // From `j` down to where the longest chain ends.
  [[nodiscard]] std::vector<int> longest_path(int j) const {
    std::vector<int> path = {j};
    for (std::vector<int> below = kids(j); !below.empty(); below = kids(path.back())) {
      const int from = path.back();
      path.push_back(*std::ranges::max_element(
          below, {}, [&](int child) { return length_[child] + glm::distance(at_[from], at_[child]); }));
    }
    return path;
  }

  [[nodiscard]] static bool is_alike(double a, double b) { return std::abs(a - b) <= 0.2 * std::max(a, b); }

  // Where two chains as long as each other reach the lowest point and something else goes up.
  [[nodiscard]] std::optional<std::pair<int, Pair>> find_hips() const {
    std::optional<std::pair<int, Pair>> best;
    double best_drop = 0;
    for (int j = 0; j < skeleton_.size(); ++j) {
      const std::vector<int> below = kids(j);
      if (used_[j] == 0 || below.size() < 2 || below.size() > kMostBranches) {
        continue;
      }
      const double height = highest_[j] - lowest_[j];
      for (const int a : below) {
        for (const int b : below) {
          const double drop = at_[j].y - std::max(lowest_[a], lowest_[b]);
          const bool both = a < b && size_[a] >= 2 && size_[b] >= 2 && is_alike(length_[a], length_[b]) &&
                            is_alike(at_[j].y - lowest_[a], at_[j].y - lowest_[b]);
          const bool goes_up = std::ranges::any_of(
              below, [&](int c) { return c != a && c != b && highest_[c] > at_[j].y + 0.2 * height; });
          if (both && goes_up && drop > 0.25 * height && drop > best_drop) {
            best = {j, {a, b}};
            best_drop = drop;
          }
        }
      }
    }
    return best;
  }

  // Upper leg, knee, ankle, toes below the hips.
  [[nodiscard]] Chain leg(int hips, int branch) const {
    const std::vector<int> path = longest_path(branch);
    std::size_t upper = 0;
    const double drop = at_[hips].y - lowest_[branch];
    while (upper + 3 < path.size() && glm::length(level(at_[path[upper]] - at_[hips])) < 0.03 * drop) {
      ++upper;
    }
    std::size_t foot = upper + 1;
    while (foot + 1 < path.size() && at_[path[foot]].y - lowest_[branch] > 0.36 * drop) {
      ++foot;
    }
    if (foot < upper + 2) {
      return {path[upper], -1, -1, -1};
    }
    const std::size_t knee = middle(path, upper, foot);
    return {path[upper], path[knee], path[foot], foot + 1 < path.size() ? path[foot + 1] : -1};
  }

  // The place on a path between two others that is nearest to half of the way.
  [[nodiscard]] std::size_t middle(const std::vector<int>& path, std::size_t from, std::size_t to) const {
    std::size_t best = from + 1;
    double least = std::numeric_limits<double>::max();
    for (std::size_t n = from + 1; n < to; ++n) {
      const double off =
          std::abs(glm::distance(at_[path[from]], at_[path[n]]) - glm::distance(at_[path[n]], at_[path[to]]));
      if (off < least) {
        least = off;
        best = n;
      }
    }
    return best;
  }

  // Feet point forward; without feet a body is taken to face +z as glTF's characters do.
  [[nodiscard]] static glm::dvec3 left_of(const glm::dvec3& forward) { return glm::cross(kUp, forward); }
  [[nodiscard]] glm::dvec3 left_side(const std::array<Chain, 2>& legs) const {
    glm::dvec3 forward(0);
    for (const Chain& chain : legs) {
      if (chain[2] >= 0 && chain[3] >= 0) {
        forward += level(at_[chain[3]] - at_[chain[2]]);
      }
    }
    forward -= across_ * glm::dot(across_, forward);
    return left_of(glm::length(forward) > 1e-6 ? glm::normalize(forward) : glm::dvec3(0, 0, 1));
  }

  // Two branches of `j` that go to both sides, about as far as each other.
  [[nodiscard]] std::optional<Pair> arms_at(int j) const {
    std::optional<Pair> best;
    double best_reach = 0;
    std::vector<int> below = kids(j);
    std::erase_if(below, [&](int c) { return size_[c] < 2; });
    if (below.size() < 2 || below.size() > kMostBranches) {
      return best;
    }
    for (const int a : below) {
      for (const int b : below) {
        if (a == b || !is_alike(length_[a], length_[b])) {
          continue;
        }
        const double reach =
            std::min(glm::dot(across_, at_[tip(a)] - at_[j]), -glm::dot(across_, at_[tip(b)] - at_[j]));
        if (reach > best_reach) {
          best = {a, b};
          best_reach = reach;
        }
      }
    }
    return best;
  }
  [[nodiscard]] int tip(int j) const { return longest_path(j).back(); }

  void find_upper_body(HumanBody& body, int hips, const Pair& legs, const glm::dvec3& left) {
    const bool first_is_left = glm::dot(left, across_) > 0;
    int at = hips;
    std::optional<Pair> arms;
    for (;;) {
      arms = at == hips ? std::nullopt : arms_at(at);
      if (arms) {
        break;
      }
      std::vector<int> below = kids(at);
      std::erase_if(below, [&](int c) { return c == legs.first || c == legs.second || size_[c] == 0; });
      if (below.empty()) {
        return;
      }
      at = *std::ranges::max_element(below, {}, [&](int c) { return highest_[c]; });
    }
    for (const bool second : {false, true}) {
      read_arm(body, first_is_left != second ? "left" : "right", at, second ? arms->second : arms->first);
    }
    std::vector<int> above = kids(at);
    std::erase_if(above, [&](int c) { return c == arms->first || c == arms->second; });
    if (above.empty()) {
      return;
    }
    const int neck = *std::ranges::max_element(above, {}, [&](int c) { return highest_[c]; });
    const std::vector<int> path = longest_path(neck);
    // What branches is a head with a face; else the end of the path is where the head ends, if a neck is left.
    const auto branching = std::ranges::find_if(path, [&](int j) { return kids(j).size() > 1; });
    const std::size_t head = branching != path.end()               ? static_cast<std::size_t>(branching - path.begin())
                             : path.size() > (has_joints_ ? 2 : 1) ? path.size() - 2
                                                                   : path.size() - 1;
    set(body, "head", path[head], 0.6);
  }

  // Clavicle, upper arm, elbow, wrist and fingers of the branch of the chest.
  void read_arm(HumanBody& body, const std::string& side, int chest, int branch) {
    std::vector<int> path = longest_path(branch);
    const double reach = std::abs(glm::dot(across_, at_[path.back()] - at_[chest]));
    std::size_t upper = 0;
    while (upper + 3 < path.size() && std::abs(glm::dot(across_, at_[path[upper]] - at_[chest])) < 0.11 * reach) {
      ++upper;
    }
    std::size_t hand = upper + 2;
    double most_alike = 0.6;
    for (std::size_t n = upper + 2; n < path.size(); ++n) {
      if (kids(path[n]).size() >= 2) {
        hand = n;  // fingers
        break;
      }
      // Without fingers: upper and lower arm are nearly as long as each other, and what follows is shorter.
      const std::size_t elbow = middle(path, upper, n);
      const double a = glm::distance(at_[path[upper]], at_[path[elbow]]);
      const double b = glm::distance(at_[path[elbow]], at_[path[n]]);
      const double alike = std::min(a, b) / std::max({a, b, 1e-9});
      if (alike > most_alike - 0.15) {
        hand = n;
        most_alike = std::max(most_alike, alike);
      }
    }
    if (hand >= path.size()) {
      return;
    }
    set(body, side + "Shoulder", upper > 0 ? path[upper - 1] : -1, 0.6);
    set(body, side + "UpperArm", path[upper], 0.7);
    set(body, side + "LowerArm", path[middle(path, upper, hand)], 0.7);
    set(body, side + "Hand", path[hand], 0.7);
    read_fingers(body, side, path[hand], at_[path[hand]] - at_[path[middle(path, upper, hand)]]);
  }

  // Five chains below a hand: the thumb is the one that begins nearest to the wrist, the others follow by their
  // distance from it.
  void read_fingers(HumanBody& body, const std::string& side, int hand, const glm::dvec3& along) {
    std::vector<int> fingers = kids(hand);
    std::erase_if(fingers, [&](int j) { return size_[j] < 1; });
    if (fingers.size() != 5) {
      return;
    }
    const auto ahead = [&](int j) { return glm::dot(along, at_[j] - at_[hand]); };
    const int thumb = *std::ranges::min_element(fingers, {}, ahead);
    std::ranges::sort(fingers, {}, [&](int j) { return j == thumb ? -1.0 : glm::distance(at_[thumb], at_[j]); });
    constexpr std::array kNames = {"Thumb", "Index", "Middle", "Ring", "Little"};
    for (std::size_t f = 0; f < fingers.size(); ++f) {
      int bone = fingers[f];
      for (int n = 1; n <= 3 && bone >= 0; ++n) {
        set(body, side + kNames[f] + std::to_string(n), bone, 0.5);
        const std::vector<int> next = kids(bone);
        bone = next.size() == 1 ? next.front() : -1;
      }
    }
  }

  const rig::Skeleton& skeleton_;
  const std::vector<glm::dvec3>& at_;
  std::vector<char> used_;
  std::vector<int> size_;       ///< [J] joints below
  std::vector<double> lowest_;  ///< [J] of the joint and all below, metres
  std::vector<double> highest_;
  std::vector<double> length_;  ///< [J] of the longest chain below
  bool has_joints_ = false;     ///< some skin lists joints; else the ends of chains are nodes, too
  glm::dvec3 across_ = glm::dvec3(1, 0, 0);
};

}  // namespace

HumanBody find_human_body_by_shape(const rig::Character& character, const WorldFrames& rest) {
  HumanBody body = ShapeReader(character, rest).read();
  find_facing(rest, body);
  return body;
}

}  // namespace pelt::motion
