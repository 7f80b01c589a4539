// The score board of solvers of inverse kinematics, ALGORITHMS.md §46.
#include "motion/ik_score.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>

namespace pelt::motion {
namespace {

struct Limits {
  std::string_view name;
  glm::vec3 axis;
  float lower, upper;  // degrees
};

// Joints are added one below the other; rotations are listed in the order of application.
class ChainMaker {
 public:
  explicit ChainMaker(IkChain chain) : chain_(std::move(chain)) {}

  int add(int parent, const glm::vec3& offset, std::initializer_list<Limits> limits) {
    rig::Skeleton& s = chain_.skeleton;
    Transform rest;
    rest.translation = offset;
    rig::JointDofs dofs;
    dofs.offset = offset;
    for (const Limits& limit : limits) {
      dofs.dofs.push_back({.name = std::string(limit.name),
                           .axis = limit.axis,
                           .lower = glm::radians(limit.lower),
                           .upper = glm::radians(limit.upper)});
    }
    dofs.authored = true;
    s.parent.push_back(parent);
    s.name.push_back(std::string(chain_.id) + std::to_string(s.parent.size()));
    s.rest.push_back(rest);
    s.is_joint.push_back(1);
    s.source_node.push_back(s.size() - 1);
    s.dofs.push_back(std::move(dofs));
    chain_.rest.local.push_back(rest);
    return s.size() - 1;
  }
  void allow_sliding(int joint, float metres) {
    for (const auto& [name, axis] : {std::pair("tx", glm::vec3(1, 0, 0)), std::pair("ty", glm::vec3(0, 1, 0)),
                                     std::pair("tz", glm::vec3(0, 0, 1))}) {
      chain_.skeleton.dofs[joint].dofs.push_back(
          {.name = name, .kind = rig::DofKind::kTranslation, .axis = axis, .lower = -metres, .upper = metres});
    }
    chain_.root_slides = true;
  }
  void add_tip(int joint) { chain_.tips.push_back(joint); }
  IkChain take() {
    chain_.skeleton.link_children();
    return std::move(chain_);
  }

 private:
  IkChain chain_;
};

constexpr glm::vec3 kX(1, 0, 0);
constexpr glm::vec3 kY(0, 1, 0);
constexpr glm::vec3 kZ(0, 0, 1);

// Seven degrees of freedom along -y: shoulder, elbow, twist of the forearm in the wrist.
int add_arm(ChainMaker& chain, int parent, const glm::vec3& shoulder) {
  const int upper =
      chain.add(parent, shoulder, {{"twist", kY, -90, 90}, {"side", kZ, -45, 150}, {"bend", kX, -150, 60}});
  const int lower = chain.add(upper, {0, -0.30f, 0}, {{"bend", kX, -145, 0}});
  const int hand =
      chain.add(lower, {0, -0.26f, 0}, {{"twist", kY, -85, 85}, {"side", kZ, -20, 35}, {"bend", kX, -70, 75}});
  return chain.add(hand, {0, -0.09f, 0}, {});
}

// Six degrees of freedom along -y: hip, knee, ankle.
int add_leg(ChainMaker& chain, int parent, const glm::vec3& hip) {
  const int thigh = chain.add(parent, hip, {{"twist", kY, -45, 45}, {"side", kZ, -30, 45}, {"bend", kX, -120, 30}});
  const int shin = chain.add(thigh, {0, -0.42f, 0}, {{"bend", kX, 0, 140}});
  const int foot = chain.add(shin, {0, -0.40f, 0}, {{"side", kZ, -20, 35}, {"bend", kX, -50, 25}});
  return chain.add(foot, {0, -0.06f, 0.12f}, {});
}

// Balls along +y, each free by so many degrees.
int add_balls(ChainMaker& chain, int parent, int count, float length, float twist, float bend) {
  for (int n = 0; n < count; ++n) {
    parent = chain.add(parent, {0, n == 0 && parent < 0 ? 0 : length, 0},
                       {{"twist", kY, -twist, twist}, {"side", kZ, -bend, bend}, {"bend", kX, -bend, bend}});
  }
  return parent;
}

IkChain whole_body() {
  ChainMaker chain({.id = "body", .label = "Whole body, five goals"});
  const int hips = chain.add(-1, {0, 0.9f, 0}, {{"twist", kY, -60, 60}, {"side", kZ, -40, 40}, {"bend", kX, -60, 60}});
  chain.allow_sliding(hips, 0.5f);
  const int chest = add_balls(chain, hips, 4, 0.12f, 15, 20);
  chain.add_tip(chain.add(add_balls(chain, chest, 2, 0.09f, 35, 30), {0, 0.12f, 0}, {}));
  for (const float side : {1.0f, -1.0f}) {
    const int clavicle = chain.add(chest, {side * 0.05f, 0.05f, 0}, {{"side", kZ, -20, 20}, {"bend", kX, -15, 15}});
    chain.add_tip(add_arm(chain, clavicle, {side * 0.13f, 0, 0}));
    chain.add_tip(add_leg(chain, hips, {side * 0.1f, -0.05f, 0}));
  }
  return chain.take();
}

double percentile(std::vector<double> values, double share) {
  if (values.empty()) {
    return 0;
  }
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, at);
  return *at;
}

// Degrees of freedom outside of their limits.
int count_violations(const IkTree& tree, std::span<const float> values) {
  constexpr float kRounding = 1e-6f;
  int count = 0;
  for (const IkJoint& joint : tree.joints) {
    for (std::size_t d = 0; d < joint.dofs.dofs.size(); ++d) {
      const float value = values[joint.first + d];
      count += value < joint.dofs.dofs[d].lower - kRounding || value > joint.dofs.dofs[d].upper + kRounding ? 1 : 0;
    }
  }
  return count;
}

std::vector<IkGoal> goals_at(const IkTree& tree, const IkChain& chain, bool oriented, std::span<const float> values) {
  std::vector<glm::dmat4> world(tree.joints.size());
  ik_world(tree, values, world);
  std::vector<IkGoal> goals;
  for (const int tip : chain.tips) {
    IkGoal goal;
    goal.joint = find_joint(tree, tip);
    goal.target = glm::dvec3(world[goal.joint][3]);
    if (oriented) {
      goal.orientation = rotation_of(world[goal.joint]);
    }
    goals.push_back(goal);
  }
  return goals;
}

}  // namespace

std::vector<IkChain> ik_chains() {
  std::vector<IkChain> out;
  {
    ChainMaker chain({.id = "arm", .label = "Arm, 7 degrees of freedom", .oriented = true});
    chain.add_tip(add_arm(chain, -1, glm::vec3(0)));
    out.push_back(chain.take());
  }
  {
    ChainMaker chain({.id = "leg", .label = "Leg, 6 degrees of freedom", .oriented = true});
    chain.add_tip(add_leg(chain, -1, glm::vec3(0)));
    out.push_back(chain.take());
  }
  {
    ChainMaker chain({.id = "spine", .label = "Spine, 5 joints"});
    chain.add_tip(chain.add(add_balls(chain, -1, 5, 0.12f, 15, 25), {0, 0.12f, 0}, {}));
    out.push_back(chain.take());
  }
  {
    ChainMaker chain({.id = "tentacle", .label = "Tentacle, 30 joints"});
    chain.add_tip(chain.add(add_balls(chain, -1, 30, 0.05f, 10, 30), {0, 0.05f, 0}, {}));
    out.push_back(chain.take());
  }
  out.push_back(whole_body());
  return out;
}

bool suits(const IkSolver& solver, const IkChain& chain) {
  return (chain.tips.size() == 1 || solver.several) &&
         (solver.bones == 0 || (solver.bones == 2 && (chain.id == "arm" || chain.id == "leg")));
}

IkScore score_ik(const IkChain& chain, std::string_view solver, bool oriented, const IkSolve& solve, int targets,
                 bool from_previous, const Progress& progress) {
  rig::Pose pose = chain.rest;
  rig::PoseBuilder builder(chain.skeleton, pose);
  const IkTree tree = make_ik_tree(builder, 0, chain.tips, chain.root_slides);
  IkSettings settings;
  settings.iterations = 100;
  settings.restarts = 40;
  std::mt19937 random(46);
  std::vector<float> wanted = tree.values;
  std::vector<float> values = tree.values;
  std::vector<double> times;
  IkScore score{.chain = std::string(chain.id),
                .solver = std::string(solver),
                .start = from_previous ? "previous" : "rest",
                .oriented = oriented};
  int solved = 0;
  double iterations = 0;
  for (int n = 0; n < targets; ++n) {
    if (n % 64 == 0 && !report(progress, static_cast<float>(n) / static_cast<float>(targets), solver)) {
      break;
    }
    random_values(tree, random, wanted);
    const std::vector<IkGoal> goals = goals_at(tree, chain, oriented, wanted);
    if (!from_previous) {
      values = tree.values;
    }
    IkReport result;
    const auto begin = std::chrono::steady_clock::now();
    solve(tree, goals, settings, values, result);
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    // Judged here, whatever the solver says of itself.
    solved += judge(tree, goals, settings, values).converged ? 1 : 0;
    iterations += result.iterations;
    score.limit_violations += count_violations(tree, values);
    ++score.targets;
  }
  const double count = std::max(score.targets, 1);
  score.solved_percent = 100.0 * solved / count;
  score.iterations = iterations / count;
  score.mean_ms = std::accumulate(times.begin(), times.end(), 0.0) / count;
  score.p99_ms = percentile(std::move(times), 0.99);
  return score;
}

}  // namespace pelt::motion
