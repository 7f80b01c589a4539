#include "motion/ik_solvers.h"

#include <algorithm>
#include <array>
#include <numbers>

#include "motion/ik_ccd.h"
#include "motion/ik_damped.h"
#include "motion/ik_fabrik.h"
#include "motion/ik_two_bone.h"

namespace pelt::motion {
namespace {

constexpr std::array kSolvers = {
    IkSolver{.id = "damped",
             .label = "Damped least squares",
             .help = "All joints share the way; several goals, orientations and limits at once",
             .several = true,
             .oriented = true,
             .bones = 0,
             .solve = solve_damped},
    IkSolver{.id = "fabrik",
             .label = "FABRIK",
             .help = "The points of the chain are pulled to the target and back; natural curves of long chains",
             .several = false,
             .oriented = false,
             .bones = 0,
             .solve = solve_fabrik},
    IkSolver{.id = "ccd",
             .label = "Cyclic coordinate descent",
             .help = "One joint after the other aims at the target, the tip first: it curls up",
             .several = true,
             .oriented = false,
             .bones = 0,
             .solve = solve_ccd},
    IkSolver{.id = "two-bone",
             .label = "Two bones, closed form",
             .help = "Arms and legs by the law of cosines, with a pole for elbow and knee",
             .several = false,
             .oriented = false,
             .bones = 2,
             .solve = solve_two_bone},
};

}  // namespace

std::span<const IkSolver> ik_solvers() {
  return kSolvers;
}

const IkSolver* find_ik_solver(std::string_view id) {
  const auto found = std::ranges::find(kSolvers, id, &IkSolver::id);
  return found == kSolvers.end() ? nullptr : &*found;
}

std::vector<int> chain_to(const IkTree& tree, int joint) {
  std::vector<int> chain;
  for (int i = joint; i >= 0; i = tree.joints[i].parent) {
    chain.push_back(i);
  }
  std::ranges::reverse(chain);
  return chain;
}

void random_values(const IkTree& tree, std::mt19937& random, std::span<float> values) {
  for (const IkJoint& joint : tree.joints) {
    for (std::size_t d = 0; d < joint.dofs.dofs.size(); ++d) {
      const rig::Dof& dof = joint.dofs.dofs[d];
      const double share = static_cast<double>(random()) / 4294967296.0;
      if (dof.kind == rig::DofKind::kRotation || (dof.kind == rig::DofKind::kTranslation && joint.slides)) {
        values[joint.first + d] = static_cast<float>(dof.lower + share * (static_cast<double>(dof.upper) - dof.lower));
      }
    }
  }
  keep_limits(tree, values);
}

}  // namespace pelt::motion
