// Weights as a product down the skeleton: every joint has a field in [0, 1] that says how much of what follows its
// parent follows it in turn, a soft step across a plane through the joint. Which fields a vertex sees depends on the
// part of the body that it belongs to, so that limbs side by side never mix. Diffusion over the surface then rounds off
// what the planes leave, within the same bounds.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "humanoid.h"
#include "shapes.h"

namespace pelt::assets {
namespace {

using glm::dvec3;

constexpr int kSmoothingPasses = 7;
constexpr std::size_t kMostInfluences = 4;
// Weights below this are left out: nobody sees them move.
constexpr double kSmallestWeight = 1e-3;
// How far from the palm and its webs a finger still shares with its neighbours.
constexpr double kWeb = 0.012;

double either(double a, double b) {
  return 1 - (1 - a) * (1 - b);
}

constexpr std::array<const char*, 5> kFingerNames = {"thumb", "index", "middle", "ring", "pinky"};

bool is_arm(int group) {
  return group >= kArm && group < kThumb + 5;
}

class Weights {
 public:
  Weights(const RigBuilder& rig, const Body& body) : rig_(rig), body_(body) {
    for (int j = 0; j < rig.skeleton().size(); ++j) {
      const std::string& name = rig.skeleton().name[at(j)];
      finger_.push_back(-1);
      segment_.push_back(-1);
      right_.push_back(name.ends_with("_r") ? 1 : 0);
      left_.push_back(name.ends_with("_l") ? 1 : 0);
      for (int f = 0; f < 5; ++f) {
        if (name.starts_with(kFingerNames[at(f)])) {
          finger_.back() = f;
          segment_.back() = name[name.size() - 3] - '1';
        }
      }
    }
  }

  /// The part of the body that a point of the left half is nearest to.
  [[nodiscard]] int group(const dvec3& p) const {
    int best = kTorso;
    double nearest = std::numeric_limits<double>::max();
    for (const int g : {int{kTorso}, int{kHead}, int{kLeg}, int{kArm}, int{kPalm}, kThumb + 0, kThumb + 1, kThumb + 2,
                        kThumb + 3, kThumb + 4}) {
      const double d = body_.group_distance(p, g);
      if (d < nearest) {
        nearest = d;
        best = g;
      }
    }
    return best;
  }

  /// Whether a vertex of the left half or of the middle may follow a joint at all.
  [[nodiscard]] bool allowed(const dvec3& p, int g, int j) const {
    if (right_[at(j)] != 0 || (left_[at(j)] != 0 && p.x == 0)) {
      return false;
    }
    const std::string& name = rig_.skeleton().name[at(j)];
    const bool of_hand = finger_[at(j)] >= 0 || name == "wrist_l";
    const bool of_arm = of_hand || name == "elbow_l" || name == "forearm_twist_l";
    const bool of_leg = name == "hip_l" || name == "knee_l" || name == "ankle_l" || name == "toes_l";
    const bool of_hand_vertex = g >= kPalm && is_arm(g);
    if (finger_[at(j)] >= 0) {
      if (segment_[at(j)] == 0 && (g == kPalm || in_web(p, g))) {
        return true;
      }
      return g == kThumb + finger_[at(j)] && (segment_[at(j)] == 0 || !in_web(p, g));
    }
    if (of_hand_vertex) {
      return of_arm;
    }
    if (is_arm(g)) {
      return of_arm || name == "shoulder_l" || name == "clavicle_l" || name == "chest";
    }
    if (of_leg || g == kLeg) {
      return !of_arm && name != "shoulder_l" && name != "clavicle_l" && (of_leg || p.y > 0.745) &&
             (g == kLeg || name == "hip_l" || !of_leg);
    }
    return !of_arm;
  }

  /// Weights of all joints at a point of the left half or of the middle; they sum to 1.
  [[nodiscard]] std::vector<double> evaluate(const dvec3& p, int g) const {
    std::vector<double> w(at(rig_.skeleton().size()), 0.0);
    // How much of an arm a point is, which near the armpit its height does not tell.
    const double arm =
        is_arm(g) && g != kArm
            ? 1.0
            : smooth_step(-0.012, 0.030, body_.group_distance(p, kTorso) - body_.group_distance(p, kArm));
    const double height = glm::mix(p.y, std::max(p.y, joint("shoulder_l").y), arm);

    const double shoulder =
        g == kLeg || g == kHead
            ? 0.0
            : smooth_step(-0.085, 0.072, glm::dot(p - joint("shoulder_l"), glm::normalize(dvec3(0.95, -0.30, 0)))) *
                  smooth_step(-0.050, 0.012, body_.group_distance(p, kTorso) - body_.group_distance(p, kArm));
    const double clavicle = is_arm(g) && g != kArm
                                ? 1.0
                                : either(0.85 * smooth_step(0.010, 0.125, p.x) * smooth_step(1.290, 1.430, p.y) *
                                             (1 - smooth_step(1.480, 1.520, p.y)),
                                         smooth_step(0.0, 0.6, shoulder));

    // Down the spine; each joint hands on what lies above it.
    double rest = 1;
    const std::array<const char*, 6> spine = {"hips", "spine_01", "spine_02", "spine_03", "chest", "neck"};
    const std::array<double, 5> width = {0, 0.055, 0.050, 0.055, 0.060};
    double own_hips = 0;
    for (std::size_t i = 0; i + 1 < spine.size(); ++i) {
      if (i + 2 < spine.size()) {
        const double above = height - joint(spine[i + 1]).y;
        const double on = smooth_step(-width[i + 1], width[i + 1], above);
        w[id(spine[i])] = rest * (1 - on);
        rest *= on;
      }
      if (i == 0) {
        own_hips = w[id("hips")];
      }
    }

    // The neck begins lower in front than behind.
    const double neck = is_arm(g) ? 0.0
                                  : smooth_step(-0.035, 0.045, glm::dot(p - dvec3(0, 1.462, -0.030), {0, 0.91, 0.42})) *
                                        std::max(1 - smooth_step(0.050, 0.115, p.x), smooth_step(1.500, 1.545, p.y));
    // All that stands off the neck, from the jaw up, is skull and moves as one.
    const dvec3 along_neck = glm::normalize(joint("head") - joint("neck"));
    const dvec3 off_neck = p - joint("neck");
    const double out = glm::length(off_neck - along_neck * glm::dot(off_neck, along_neck));
    const double head = is_arm(g) ? 0.0
                                  : either(smooth_step(-0.040, 0.004, glm::dot(p - joint("head"), along_neck)),
                                           smooth_step(0.050, 0.072, out) * smooth_step(1.505, 1.525, p.y));
    w[id("chest")] = rest * (1 - neck) * (1 - clavicle);
    w[id("neck")] = rest * neck * (1 - head);
    w[id("head")] = rest * neck * head;
    const double side = rest * (1 - neck) * clavicle;
    w[id("clavicle_l")] = side * (1 - shoulder);
    arm_weights(p, g, side * shoulder, w);

    if (!is_arm(g)) {
      leg_weights(p, own_hips, w);
    }
    return w;
  }

 private:
  [[nodiscard]] std::size_t id(const std::string& name) const { return at(rig_.find(name)); }
  [[nodiscard]] dvec3 joint(const std::string& name) const { return rig_.bind_position(rig_.find(name)); }
  [[nodiscard]] dvec3 along(const std::string& name) const { return dvec3(rig_.bind_world(rig_.find(name))[0]); }

  // Whether a vertex of a finger lies where the webs are, which stretch between neighbours.
  [[nodiscard]] bool in_web(const dvec3& p, int g) const {
    if (g <= kThumb || g >= kThumb + 5) {
      return false;
    }
    const std::string name = kFingerNames[at(g - kThumb)];
    const dvec3 from = joint(name + "_01_l");
    return glm::dot(p - from, along(name + "_01_l")) < 0.62 * glm::distance(from, joint(name + "_02_l")) &&
           body_.group_distance(p, kPalm) < kWeb;
  }

  // Soft step across the plane that halves the angle between a bone and the one before it.
  [[nodiscard]] double bend(const dvec3& p, const std::string& name, const std::string& before, double width) const {
    return smooth_step(-width, width, glm::dot(p - joint(name), glm::normalize(along(name) + along(before))));
  }

  void arm_weights(const dvec3& p, int g, double whole, std::vector<double>& w) const {
    if (whole <= 0 || !is_arm(g)) {
      w[id("shoulder_l")] = whole;
      return;
    }
    const double elbow = bend(p, "elbow_l", "shoulder_l", 0.034);
    w[id("shoulder_l")] = whole * (1 - elbow);
    // The twist of the forearm grows evenly from elbow to wrist.
    const double t = glm::dot(p - joint("elbow_l"), along("elbow_l"));
    const double twist = glm::mix(glm::clamp((t - 0.02) / 0.21, 0.0, 1.0), smooth_step(0.02, 0.23, t), 0.5);
    w[id("elbow_l")] = whole * elbow * (1 - twist);
    const double wrist = bend(p, "wrist_l", "forearm_twist_l", 0.024);
    w[id("forearm_twist_l")] = whole * elbow * twist * (1 - wrist);
    double hand = whole * elbow * twist * wrist;

    // Between the knuckles every ray takes its share; beyond them a vertex follows its own finger.
    std::array<double, 5> share{};
    double sum = 0;
    const double near_palm = in_web(p, g) ? 1 - smooth_step(0, kWeb, body_.group_distance(p, kPalm)) : 0.0;
    for (int f = 0; f < 5; ++f) {
      if (g == kThumb + f) {
        share[at(f)] = 1;
      } else if (g == kPalm || near_palm > 0) {
        share[at(f)] = (g == kPalm ? 1.0 : near_palm) *
                       std::exp(-std::max(0.0, body_.group_distance(p, kThumb + f)) / (f == 0 ? 0.008 : 0.006));
      }
      sum += share[at(f)];
    }
    double given = 0;
    for (int f = 0; f < 5; ++f) {
      const double s = share[at(f)] / std::max(sum, 1.0);
      if (s <= 0) {
        continue;
      }
      const std::string name = kFingerNames[at(f)];
      const std::string one = name + "_01_l";
      const std::string two = name + "_02_l";
      const std::string three = name + "_03_l";
      const double first =
          f == 0 ? smooth_step(-0.010, 0.022, glm::dot(p - joint(one), along(one))) : bend(p, one, "wrist_l", 0.012);
      const double second = bend(p, two, one, f == 0 ? 0.009 : 0.0075);
      const double third = bend(p, three, two, f == 0 ? 0.008 : 0.0065);
      const double own = hand * s * first;
      given += own;
      w[id(one)] += own * (1 - second);
      w[id(two)] += own * second * (1 - third);
      w[id(three)] += own * second * third;
    }
    w[id("wrist_l")] = hand - given;
  }

  void leg_weights(const dvec3& p, double whole, std::vector<double>& w) const {
    // Across the groin, from the crotch up to the crest of the hip; softer behind, where the muscle is thick.
    const double width = glm::mix(0.046, 0.068, smooth_step(0.03, -0.07, p.z));
    const double plane =
        smooth_step(-width, width, glm::dot(p - joint("hip_l"), glm::normalize(dvec3(0.55, -0.83, 0.0))));
    const double hip = plane * std::max(smooth_step(-0.004, 0.034, p.x), smooth_step(0.808, 0.758, p.y));
    const double knee = bend(p, "knee_l", "hip_l", 0.047);
    const double ankle =
        smooth_step(-0.042, 0.042, glm::dot(p - joint("ankle_l"), glm::normalize(dvec3(0, -0.90, 0.44))));
    const double toes =
        smooth_step(-0.020, 0.020, glm::dot(p - joint("toes_l"), glm::normalize(dvec3(0.10, 0.25, 1.0)))) * ankle;
    w[id("hips")] = whole * (1 - hip);
    w[id("hip_l")] = whole * hip * (1 - knee);
    w[id("knee_l")] = whole * hip * knee * (1 - ankle);
    w[id("ankle_l")] = whole * hip * knee * ankle * (1 - toes);
    w[id("toes_l")] = whole * hip * knee * ankle * toes;
  }

  const RigBuilder& rig_;
  const Body& body_;
  std::vector<int> finger_;
  std::vector<int> segment_;
  std::vector<char> right_;
  std::vector<char> left_;
};

void normalise(std::vector<double>& w) {
  double sum = 0;
  for (const double x : w) {
    sum += x;
  }
  for (double& x : w) {
    x /= sum;
  }
}

}  // namespace

mesh::Influences humanoid_influences(const RigBuilder& rig, const Body& body, const SymmetricMesh& mesh) {
  const rig::Skeleton& skeleton = rig.skeleton();
  const std::vector<dvec3>& positions = mesh.mesh.positions;
  const std::size_t vertex_count = positions.size();
  const std::size_t joint_count = at(skeleton.size());
  std::vector<int> other(joint_count);
  for (int j = 0; j < skeleton.size(); ++j) {
    std::string name = skeleton.name[at(j)];
    if (name.ends_with("_l") || name.ends_with("_r")) {
      name.back() = name.back() == 'l' ? 'r' : 'l';
    }
    other[at(j)] = rig.find(name);
  }

  // The left half and the middle are worked on; the right half is their mirror image.
  const Weights weights(rig, body);
  std::vector<std::vector<double>> w(vertex_count);
  std::vector<std::vector<char>> allowed(vertex_count);
  for (std::size_t v = 0; v < vertex_count; ++v) {
    const dvec3& p = positions[v];
    if (p.x < 0) {
      continue;
    }
    const int g = weights.group(p);
    w[v] = weights.evaluate(p, g);
    allowed[v].resize(joint_count);
    for (std::size_t j = 0; j < joint_count; ++j) {
      allowed[v][j] = weights.allowed(p, g, static_cast<int>(j)) ? 1 : 0;
    }
  }
  const auto restrict_left = [&] {
    for (std::size_t v = 0; v < vertex_count; ++v) {
      if (positions[v].x >= 0) {
        for (std::size_t j = 0; j < joint_count; ++j) {
          w[v][j] = allowed[v][j] != 0 ? w[v][j] : 0.0;
        }
        normalise(w[v]);
      }
    }
  };
  const auto mirror_right = [&] {
    for (std::size_t v = 0; v < vertex_count; ++v) {
      if (positions[v].x < 0) {
        const std::vector<double>& from = w[at(mesh.mirror[v])];
        w[v].resize(joint_count);
        for (std::size_t j = 0; j < joint_count; ++j) {
          w[v][at(other[j])] = from[j];
        }
      }
    }
  };
  restrict_left();
  mirror_right();

  std::vector<std::vector<std::size_t>> ring(vertex_count);
  for (const std::array<int, 3>& t : mesh.mesh.triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      // Each edge is seen once from either side; from both together each neighbour appears once.
      ring[at(t[i])].push_back(at(t[(i + 1) % 3]));
    }
  }
  for (int pass = 0; pass < kSmoothingPasses; ++pass) {
    std::vector<std::vector<double>> smooth = w;
    for (std::size_t v = 0; v < vertex_count; ++v) {
      if (positions[v].x < 0) {
        continue;
      }
      for (std::size_t j = 0; j < joint_count; ++j) {
        double mean = 0;
        for (const std::size_t u : ring[v]) {
          mean += w[u][j];
        }
        smooth[v][j] = 0.5 * w[v][j] + 0.5 * mean / static_cast<double>(ring[v].size());
      }
    }
    w = std::move(smooth);
    restrict_left();
    mirror_right();
  }

  mesh::Influences influences;
  for (std::size_t v = 0; v < vertex_count; ++v) {
    const bool right = positions[v].x < 0;
    const std::vector<double>& row = right ? w[at(mesh.mirror[v])] : w[v];
    std::vector<std::pair<double, std::size_t>> heaviest;
    for (std::size_t j = 0; j < joint_count; ++j) {
      if (row[j] > kSmallestWeight) {
        heaviest.emplace_back(row[j], j);
      }
    }
    std::stable_sort(heaviest.begin(), heaviest.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    heaviest.resize(std::min(heaviest.size(), kMostInfluences));
    std::vector<std::uint16_t> joints;
    std::vector<float> values;
    double sum = 0;
    for (const auto& [value, j] : heaviest) {
      sum += value;
    }
    for (const auto& [value, j] : heaviest) {
      joints.push_back(static_cast<std::uint16_t>(right ? at(other[j]) : j));
      values.push_back(static_cast<float>(value / sum));
    }
    mesh::append_row(influences, joints, values);
  }
  return influences;
}

}  // namespace pelt::assets
