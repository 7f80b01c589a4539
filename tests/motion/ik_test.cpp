#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "math/angle.h"
#include "math/transform.h"
#include "motion/ik_ccd.h"
#include "motion/ik_chain_state.h"
#include "motion/ik_fabrik.h"
#include "motion/ik_solvers.h"
#include "motion/ik_two_bone.h"
#include "rig/kinematics.h"
#include "rig/pose.h"

namespace pelt::motion {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

// A chain of joints along x, the first at the origin and one more at the end, each a ball without limits.
struct Chain {
  rig::Skeleton skeleton;
  rig::Pose pose;

  explicit Chain(std::span<const double> lengths, double unit = 1) {
    for (std::size_t j = 0; j <= lengths.size(); ++j) {
      Transform rest;
      rest.translation.x = j == 0 ? 0.0f : static_cast<float>(lengths[j - 1] * unit);
      skeleton.parent.push_back(static_cast<int>(j) - 1);
      skeleton.name.push_back(fmt::format("link{}", j));
      skeleton.rest.push_back(rest);
      skeleton.is_joint.push_back(1);
      skeleton.source_node.push_back(static_cast<int>(j));
      skeleton.dofs.push_back(rig::default_dofs(rest, glm::vec3(1, 0, 0)));
      pose.local.push_back(rest);
    }
    skeleton.link_children();
  }
  [[nodiscard]] int tip() const { return skeleton.size() - 1; }
  IkTree tree() {
    rig::PoseBuilder builder(skeleton, pose);
    const std::array tips = {tip()};
    return make_ik_tree(builder, 0, tips);
  }
  // Limits of -40 to 70 degrees for all rotations.
  void limit() {
    for (rig::JointDofs& joint : skeleton.dofs) {
      for (rig::Dof& dof : joint.dofs) {
        if (dof.kind == rig::DofKind::kRotation) {
          dof.lower = static_cast<float>(-40 * kDegree);
          dof.upper = static_cast<float>(70 * kDegree);
        }
      }
    }
  }
};

IkGoal goal_at(const IkTree& tree, const glm::dvec3& target) {
  return {.joint = static_cast<int>(tree.joints.size()) - 1, .target = target};
}

// Where the tip is for DOF values, by the kinematics of the rig instead of the solver's own.
glm::dvec3 tip_of(Chain chain, const IkTree& tree, std::span<const float> values) {
  rig::PoseBuilder builder(chain.skeleton, chain.pose);
  apply_ik(tree, values, builder);
  return glm::dvec3(builder.world(chain.tip())[3]);
}

void expect_lengths_kept(Chain chain, const IkTree& tree, std::span<const float> values) {
  const rig::Pose before = chain.pose;
  rig::PoseBuilder builder(chain.skeleton, chain.pose);
  apply_ik(tree, values, builder);
  for (int j = 1; j <= chain.tip(); ++j) {
    const glm::dvec3 bone = glm::dvec3(builder.world(j)[3]) - glm::dvec3(glm::dmat4(builder.world(j - 1))[3]);
    EXPECT_NEAR(glm::length(bone), glm::length(before.local[j].translation), 1e-6 * tree.length) << "bone " << j;
  }
}

void expect_within_limits(const IkTree& tree, std::span<const float> values) {
  for (const IkJoint& joint : tree.joints) {
    for (std::size_t d = 0; d < joint.dofs.dofs.size(); ++d) {
      EXPECT_GE(values[joint.first + d], joint.dofs.dofs[d].lower);
      EXPECT_LE(values[joint.first + d], joint.dofs.dofs[d].upper);
    }
  }
}

// A unit vector, uniform on the sphere.
glm::dvec3 direction(std::mt19937& random) {
  const double z = 2 * (static_cast<double>(random()) / 4294967296.0) - 1;
  const double angle = 2 * std::numbers::pi * (static_cast<double>(random()) / 4294967296.0);
  const double r = std::sqrt(std::max(0.0, 1 - z * z));
  return {r * std::cos(angle), r * std::sin(angle), z};
}

TEST(InverseKinematics, C46_1_TheLawOfCosines) {
  const TwoBones right = two_bones(1, 1, std::sqrt(2.0));
  EXPECT_NEAR(right.elbow / kDegree, 90, 1e-9);
  EXPECT_NEAR(right.root_offset / kDegree, 45, 1e-9);
  const TwoBones arm = two_bones(0.3, 0.25, 0.4);
  EXPECT_NEAR(arm.elbow / kDegree, 92.865984, 1e-6);
  EXPECT_NEAR(arm.root_offset / kDegree, 38.624833, 1e-6);
  for (const double far : {0.55, 0.56, 100.0}) {
    EXPECT_NEAR(two_bones(0.3, 0.25, far).elbow / kDegree, 180, 1e-6) << far;
    EXPECT_DOUBLE_EQ(two_bones(0.3, 0.25, far).distance, 0.55);
  }
  EXPECT_NEAR(two_bones(0.3, 0.25, 0).distance, 0.05, 1e-12);  // nearer than the lengths allow
  EXPECT_TRUE(std::isfinite(two_bones(0.3, 0.3, 0).elbow));    // the target at the root
}

TEST(InverseKinematics, C46_2_APassOfFabrikByHand) {
  std::vector<glm::dvec3> p = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}};
  const std::vector<double> lengths(3, 1.0);
  const glm::dvec3 target(1, 2, 0);
  fabrik_pass(p, lengths, target);
  EXPECT_NEAR(p[3].x, 1.012355, 1e-6);
  EXPECT_NEAR(p[3].y, 1.972814, 1e-6);
  fabrik_pass(p, lengths, target);
  fabrik_pass(p, lengths, target);
  EXPECT_NEAR(glm::length(p[3] - target), 5.91e-4, 1e-6);
  for (int pass = 3; pass < 12; ++pass) {
    fabrik_pass(p, lengths, target);
  }
  EXPECT_NEAR(p[1].x, 0.983250, 1e-6);
  EXPECT_NEAR(p[1].y, 0.182261, 1e-6);
  EXPECT_NEAR(p[2].x, 1.408604, 1e-6);
  EXPECT_NEAR(p[2].y, 1.087288, 1e-6);
}

TEST(InverseKinematics, C46_2_ASweepOfCcdByHand) {
  std::vector<glm::dvec3> p = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}};
  const glm::dvec3 target(1, 2, 0);
  ccd_sweep(p, target);
  EXPECT_NEAR(p[3].x, 0.648933, 1e-6);
  EXPECT_NEAR(p[3].y, 1.297867, 1e-6);
  EXPECT_NEAR(glm::length(p[3] - target), 0.785009, 1e-6);
  for (int sweep = 1; sweep < 10; ++sweep) {
    ccd_sweep(p, target);
  }
  EXPECT_NEAR(glm::length(p[3] - target), 6.2e-5, 1e-6);
}

TEST(InverseKinematics, C46_2_JointsDoWhatPointsDo) {
  const std::array lengths = {1.0, 1.0, 1.0};
  Chain chain(lengths);
  const IkTree tree = chain.tree();
  const std::array goals = {goal_at(tree, {1, 2, 0})};
  IkSettings settings;
  settings.iterations = 1;
  settings.tolerance = 0;
  settings.limits = false;
  std::vector<float> values = tree.values;
  solve_fabrik(tree, goals, settings, values);
  EXPECT_NEAR(glm::length(tip_of(chain, tree, values) - glm::dvec3(1.012355, 1.972814, 0)), 0, 2e-6);
  values = tree.values;
  solve_ccd(tree, goals, settings, values);
  EXPECT_NEAR(glm::length(tip_of(chain, tree, values) - glm::dvec3(0.648933, 1.297867, 0)), 0, 2e-6);
}

struct Share {
  int solved = 0;
  int all = 0;
  [[nodiscard]] double percent() const { return 100.0 * solved / all; }
};

// Targets that are tips of random poses of chains with 3 to 10 links, begun straight.
Share solve_random(const IkSolver& solver, int least_links, int most_links, bool limits, double unit, int count) {
  std::mt19937 random(46);
  Share share;
  for (int n = 0; n < count; ++n) {
    const int links = least_links + static_cast<int>(random() % static_cast<unsigned>(most_links - least_links + 1));
    std::vector<double> lengths(links);
    for (double& length : lengths) {
      length = 0.2 + 0.8 * (static_cast<double>(random()) / 4294967296.0);
    }
    Chain chain(lengths, unit);
    if (limits) {
      chain.limit();
    }
    const IkTree tree = chain.tree();
    glm::dvec3 target(0);
    std::vector<float> values = tree.values;
    if (limits) {
      random_values(tree, random, values);
      target = tip_of(chain, tree, values);
      values = tree.values;
    } else {
      for (const double length : lengths) {
        target += direction(random) * (length * unit);
      }
    }
    const std::array goals = {goal_at(tree, target)};
    IkSettings settings;
    settings.limits = limits;
    const IkReport report = solver.solve(tree, goals, settings, values);
    const double off = glm::length(tip_of(chain, tree, values) - target);
    EXPECT_NEAR(report.residual, off, 1e-5 * tree.length) << solver.id;  // C46.4
    EXPECT_EQ(report.converged, report.residual <= 1e-4 * tree.length);
    expect_lengths_kept(chain, tree, values);
    if (limits) {
      expect_within_limits(tree, values);
    }
    share.solved += report.converged ? 1 : 0;
    ++share.all;
  }
  return share;
}

TEST(InverseKinematics, C46_3_ChainsWithoutLimits) {
  for (const double unit : {0.01, 1.0, 100.0}) {
    EXPECT_GE(solve_random(*find_ik_solver("fabrik"), 3, 10, false, unit, 200).percent(), 95) << unit;
    EXPECT_GE(solve_random(*find_ik_solver("ccd"), 3, 10, false, unit, 200).percent(), 90) << unit;
    EXPECT_GE(solve_random(*find_ik_solver("damped"), 3, 10, false, unit, 200).percent(), 99) << unit;
    EXPECT_EQ(solve_random(*find_ik_solver("two-bone"), 2, 2, false, unit, 200).percent(), 100) << unit;
  }
}

TEST(InverseKinematics, C46_3_LimitsAreNeverBroken) {
  for (const IkSolver& solver : ik_solvers()) {
    const bool two = solver.bones == 2;
    const Share share = solve_random(solver, two ? 2 : 3, two ? 2 : 8, true, 1, 200);
    RecordProperty(std::string(solver.id), fmt::format("{:.1f} %", share.percent()));
    std::printf("%s with limits: %.1f %%\n", std::string(solver.id).c_str(), share.percent());
  }
}

// A leg below mirrored hips: whatever the solver, the foot goes where it is wanted, and not to the other side.
TEST(InverseKinematics, ReachesBelowMirroredNodes) {
  constexpr std::array kLengths = {0.2, 0.5, 0.5};
  for (const glm::vec3 scale : {glm::vec3(-1, 1, 1), glm::vec3(1, -1, 1), glm::vec3(1, 1, -1), glm::vec3(-1, -1, -1)}) {
    for (const IkSolver& solver : ik_solvers()) {
      Chain chain(kLengths);
      chain.skeleton.rest[0].scale = scale;
      chain.pose.local[0].scale = scale;
      chain.pose.local[2].rotation = glm::angleAxis(0.3f, glm::vec3(0, 0, 1));
      rig::PoseBuilder builder(chain.skeleton, chain.pose);
      const std::array tips = {chain.tip()};
      const IkTree tree = make_ik_tree(builder, 1, tips);
      const glm::dvec3 root(builder.world(1)[3]);
      for (const glm::dvec3& way :
           {glm::dvec3(0.3, 0.2, 0.6), glm::dvec3(-0.4, 0.5, -0.1), glm::dvec3(0.1, -0.6, 0.4)}) {
        std::vector<float> values = tree.values;
        const IkGoal goal = goal_at(tree, root + way);
        const IkReport report = solver.solve(tree, {&goal, 1}, {.iterations = 200}, values);
        EXPECT_TRUE(report.converged) << solver.id << ' ' << scale.x << scale.y << scale.z << ' ' << report.residual;
        EXPECT_LT(glm::distance(tip_of(chain, tree, values), goal.target), 2e-4 * tree.length) << solver.id;
      }
    }
  }
}

}  // namespace
}  // namespace pelt::motion
