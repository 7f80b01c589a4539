// T. Sugihara, "Solvability-unconcerned inverse kinematics by the Levenberg-Marquardt method", IEEE Transactions on
// Robotics 27(5), 2011; C. W. Wampler, "Manipulator inverse kinematic solutions based on vector formulations and damped
// least-squares methods", IEEE Transactions on Systems, Man, and Cybernetics 16(1), 1986; ALGORITHMS.md §46.
#include "motion/ik_damped.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "core/expect.h"
#include "math/transform.h"
#include "motion/ik_solvers.h"

namespace pelt::motion {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic>;
using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1>;

// One number that the solver moves.
struct Column {
  std::size_t joint;  // in the tree
  std::size_t dof;    // of the joint
  std::size_t value;  // in the values
  double lower, upper;
};

glm::dvec3 unit(const glm::vec3& axis) {
  return glm::normalize(glm::dvec3(axis));
}

// The derivative of exp([r]x) v with respect to r along e is the cross product of this with exp([r]x) v.
glm::dvec3 left_jacobian(const glm::dvec3& r, const glm::dvec3& e) {
  const double angle = glm::length(r);
  if (angle < 1e-8) {
    return e + 0.5 * glm::cross(r, e);
  }
  const double a = (1 - std::cos(angle)) / (angle * angle);
  const double b = (angle - std::sin(angle)) / (angle * angle * angle);
  return e + a * glm::cross(r, e) + b * glm::cross(r, glm::cross(r, e));
}

// The tree while it is solved; everything that a step needs is kept from step to step.
class Problem {
 public:
  Problem(const IkTree& tree, std::span<const IkGoal> goals, const IkSettings& settings)
      : tree_(tree), goals_(goals), settings_(settings), world_(tree.joints.size()), in_chain_(goals.size()) {
    for (std::size_t g = 0; g < goals.size(); ++g) {
      in_chain_[g].assign(tree.joints.size(), 0);
      for (const int i : chain_to(tree, goals[g].joint)) {
        in_chain_[g][i] = 1;
      }
      rows_ += goals[g].orientation ? 6 : 3;
    }
    for (std::size_t i = 0; i < tree.joints.size(); ++i) {
      add_columns(i);
    }
    jacobian_.resize(rows_, static_cast<Eigen::Index>(columns_.size()));
    error_.resize(rows_);
  }

  // Half the squared weighted error in units of the length and radians; world matrices are those of the values.
  double measure(std::span<const float> values) {
    ik_world(tree_, values, world_);
    Eigen::Index row = 0;
    is_there_ = true;
    for (const IkGoal& goal : goals_) {
      const glm::dmat4 effector = world_[goal.joint] * goal.effector;
      const glm::dvec3 off = goal.target - glm::dvec3(effector[3]);
      is_there_ = is_there_ && glm::length(off) <= settings_.tolerance * tree_.length;
      const double weight = std::sqrt(goal.weight);
      put(row, off * (weight / tree_.length));
      row += 3;
      if (goal.orientation) {
        const glm::dvec3 turn = rotation_vector(*goal.orientation * glm::conjugate(rotation_of(effector)));
        is_there_ = is_there_ && glm::length(turn) <= settings_.angle_tolerance;
        put(row, turn * (weight * kRadian));
        row += 3;
      }
    }
    return 0.5 * error_.squaredNorm();
  }

  [[nodiscard]] bool is_there() const { return is_there_; }
  [[nodiscard]] bool can_move() const { return !columns_.empty(); }

  // How the effectors move with each number, in the pose of the last measure().
  void differentiate(std::span<const float> values) {
    jacobian_.setZero();
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const Column& column = columns_[c];
      const IkJoint& joint = tree_.joints[column.joint];
      const bool slides = joint.dofs.dofs[column.dof].kind == rig::DofKind::kTranslation;
      const glm::dmat4 above = (joint.parent < 0 ? tree_.root_world : world_[joint.parent]) * joint.place;
      const glm::dvec3 axis = slides ? glm::dmat3(above) * glm::dvec3(joint.dofs.dofs[column.dof].axis)
                                     : turning_axis(column, above, values);
      const glm::dvec3 pivot(world_[column.joint][3]);
      Eigen::Index row = 0;
      for (std::size_t g = 0; g < goals_.size(); ++g) {
        const IkGoal& goal = goals_[g];
        const double weight = std::sqrt(goal.weight);
        if (in_chain_[g][column.joint] != 0) {
          const glm::dvec3 tip((world_[goal.joint] * goal.effector)[3]);
          put(row, c, (slides ? axis : glm::cross(axis, tip - pivot)) * (weight / tree_.length));
          if (goal.orientation && !slides) {
            put(row + 3, c, axis * (weight * kRadian));
          }
        }
        row += goal.orientation ? 6 : 3;
      }
    }
  }

  // The step of Levenberg and Marquardt under limits. Numbers that it takes beyond a limit go there, and the others
  // make up for it.
  void step(double damping, std::span<const float> from, std::span<float> to) {
    const auto count = static_cast<Eigen::Index>(columns_.size());
    Matrix free = jacobian_;
    Vector left = error_;
    Vector change = Vector::Zero(count);
    std::vector<char> is_held(columns_.size(), 0);
    for (std::size_t round = 0; round <= columns_.size(); ++round) {
      const Vector next = shortest(free, left, damping);
      bool any = false;
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        if (is_held[c] != 0) {
          continue;
        }
        const double value = from[columns_[c].value];
        const double wanted = value + next[static_cast<Eigen::Index>(c)];
        const double kept = std::clamp(wanted, columns_[c].lower, columns_[c].upper);
        change[static_cast<Eigen::Index>(c)] = kept - value;
        if (settings_.limits && kept != wanted) {
          is_held[c] = 1;
          any = true;
          left -= jacobian_.col(static_cast<Eigen::Index>(c)) * (kept - value);
          free.col(static_cast<Eigen::Index>(c)).setZero();
        } else {
          change[static_cast<Eigen::Index>(c)] = wanted - value;
        }
      }
      if (!any) {
        break;
      }
    }
    std::ranges::copy(from, to.begin());
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      to[columns_[c].value] = static_cast<float>(from[columns_[c].value] + change[static_cast<Eigen::Index>(c)]);
    }
    if (settings_.limits) {
      keep_limits(tree_, to);
    }
  }

  [[nodiscard]] double gradient() const { return (jacobian_.transpose() * error_).norm(); }

 private:
  // A radian counts as much as this share of the length.
  static constexpr double kRadian = 0.5;

  void add_columns(std::size_t i) {
    const IkJoint& joint = tree_.joints[i];
    for (std::size_t d = 0; d < joint.dofs.dofs.size(); ++d) {
      const rig::Dof& dof = joint.dofs.dofs[d];
      const bool moves =
          dof.kind == rig::DofKind::kRotation || (dof.kind == rig::DofKind::kTranslation && joint.slides);
      if (moves && (!settings_.limits || dof.lower < dof.upper)) {
        columns_.push_back({i, d, joint.first + d, dof.lower, dof.upper});
      }
    }
  }

  [[nodiscard]] glm::dvec3 turning_axis(const Column& column, const glm::dmat4& above,
                                        std::span<const float> values) const {
    const IkJoint& joint = tree_.joints[column.joint];
    if (joint.dofs.rotation == rig::RotationKind::kAxes) {
      return axis_in_world(tree_, column.joint, column.dof, above, values);
    }
    glm::dvec3 vector(0);
    for (std::size_t d = 0; d < joint.dofs.dofs.size(); ++d) {
      if (joint.dofs.dofs[d].kind == rig::DofKind::kRotation) {
        vector += unit(joint.dofs.dofs[d].axis) * static_cast<double>(values[joint.first + d]);
      }
    }
    const glm::dvec3 rate = left_jacobian(vector, unit(joint.dofs.dofs[column.dof].axis));
    return turning_axis_in_world(above, glm::dquat(joint.dofs.orientation) * rate);
  }

  void put(Eigen::Index row, const glm::dvec3& v) {
    for (int i = 0; i < 3; ++i) {
      error_[row + i] = v[i];
    }
  }
  void put(Eigen::Index row, std::size_t column, const glm::dvec3& v) {
    for (int i = 0; i < 3; ++i) {
      jacobian_(row + i, static_cast<Eigen::Index>(column)) = v[i];
    }
  }

  // argmin |J x - e|^2 + damping |x|^2, by whichever of the two normal matrices is smaller.
  static Vector shortest(const Matrix& jacobian, const Vector& error, double damping) {
    if (jacobian.rows() <= jacobian.cols()) {
      Matrix normal = jacobian * jacobian.transpose();
      normal.diagonal().array() += damping;
      return jacobian.transpose() * normal.ldlt().solve(error);
    }
    Matrix normal = jacobian.transpose() * jacobian;
    normal.diagonal().array() += damping;
    return normal.ldlt().solve(jacobian.transpose() * error);
  }

  const IkTree& tree_;
  std::span<const IkGoal> goals_;
  const IkSettings& settings_;
  std::vector<glm::dmat4> world_;
  std::vector<std::vector<char>> in_chain_;  // [goal][joint]
  std::vector<Column> columns_;
  Eigen::Index rows_ = 0;
  Matrix jacobian_;
  Vector error_;
  bool is_there_ = false;
};

// Steps down from `values`; returns the error there. Counts iterations up to settings.iterations.
double descend(Problem& problem, const IkSettings& settings, std::vector<float>& values, int& iterations) {
  constexpr double kLeastDamping = 1e-7;
  constexpr double kStall = 1e-4;  // of the error that a step must at least take away
  std::vector<float> next(values.size());
  double error = problem.measure(values);
  double caution = 1;
  int idle = 0;
  while (iterations < settings.iterations && !problem.is_there()) {
    problem.differentiate(values);
    ++iterations;
    bool better = false;
    for (int attempt = 0; attempt < 6 && !better; ++attempt) {
      problem.step(caution * (error + kLeastDamping), values, next);
      const double now = problem.measure(next);
      better = now < error;
      if (better) {
        idle = now > error * (1 - kStall) ? idle + 1 : 0;
        error = now;
        values.swap(next);
        caution = std::max(caution / 3, 1e-3);
      } else {
        caution *= 8;
        error = problem.measure(values);
      }
    }
    if (!better || idle >= 3) {
      break;
    }
  }
  return error;
}

}  // namespace

IkReport solve_damped(const IkTree& tree, std::span<const IkGoal> goals, const IkSettings& settings,
                      std::span<float> values) {
  PELT_EXPECT(!goals.empty(), "a goal");
  Problem problem(tree, goals, settings);
  int total = 0;
  if (problem.can_move()) {
    std::vector<float> best(values.begin(), values.end());
    double least = descend(problem, settings, best, total);
    std::mt19937 random(20110914);
    for (int restart = 0; restart < settings.restarts && !problem.is_there(); ++restart) {
      std::vector<float> other(values.begin(), values.end());
      random_values(tree, random, other);
      int iterations = 0;
      const double error = descend(problem, settings, other, iterations);
      total += iterations;
      if (error < least) {
        least = error;
        best = other;
      }
    }
    std::ranges::copy(best, values.begin());
  }
  IkReport report = judge(tree, goals, settings, values);
  report.iterations = total;
  return report;
}

}  // namespace pelt::motion
