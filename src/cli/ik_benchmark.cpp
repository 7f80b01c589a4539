#include "cli/ik_benchmark.h"

#include <dlfcn.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/output.h"
#include "core/expect.h"
#include "motion/ik_score.h"

namespace pelt::cli {
namespace {

using motion::IkChain;
using motion::IkGoal;
using motion::IkReport;
using motion::IkScore;
using motion::IkSettings;
using motion::IkSolver;
using motion::IkTree;

using PeerIk = int (*)(const double* joints, int dof, const double* start, const double* target, double tolerance,
                       double* solution);

struct PeerSolver {
  std::shared_ptr<void> library;
  PeerIk solve = nullptr;
  std::string name;
};

Result<PeerSolver> load_solver(const std::string& path) {
  const std::string at = path.find('/') == std::string::npos ? "./" + path : path;
  void* const library = dlopen(at.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return error("{}: cannot be loaded ({})", path, dlerror());
  }
  PeerSolver peer;
  peer.library = {library, [](void* handle) { dlclose(handle); }};
  peer.solve = reinterpret_cast<PeerIk>(dlsym(library, "peer_ik"));
  if (peer.solve == nullptr) {
    return error("{}: has no function peer_ik", path);
  }
  const auto name = reinterpret_cast<const char* (*)()>(dlsym(library, "peer_name"));
  peer.name = name != nullptr ? name() : "peer";
  return peer;
}

// A chain as the peer sees it: axes and origins of its rotations from root to tip, with all of them at zero, in the
// frame that the tip then has.
struct PeerChain {
  std::vector<double> joints;       // [8 * D]: axis, origin, lower, upper
  std::vector<std::size_t> values;  // [D] where they stand in IkTree::values
  glm::dmat4 tip_from_world = glm::dmat4(1);
};

PeerChain peer_chain(const IkTree& tree, int tip) {
  PeerChain out;
  const std::vector<float> zero(tree.values.size(), 0.0f);
  std::vector<glm::dmat4> world(tree.joints.size());
  motion::ik_world(tree, zero, world);
  out.tip_from_world = glm::inverse(world[tip]);
  for (const int i : motion::chain_to(tree, tip)) {
    const motion::IkJoint& joint = tree.joints[i];
    const glm::dmat4 above = (joint.parent < 0 ? tree.root_world : world[joint.parent]) * joint.place;
    const glm::dvec3 origin(out.tip_from_world * world[i][3]);
    // The rotation that is applied last stands nearest to the root.
    for (std::size_t d = joint.dofs.dofs.size(); d-- > 0;) {
      const glm::dvec3 axis = glm::dmat3(out.tip_from_world) * motion::axis_in_world(tree, i, d, above, zero);
      const rig::Dof& dof = joint.dofs.dofs[d];
      out.joints.insert(out.joints.end(), {axis.x, axis.y, axis.z, origin.x, origin.y, origin.z, dof.lower, dof.upper});
      out.values.push_back(joint.first + d);
    }
  }
  return out;
}

motion::IkSolve peer_solver(const PeerSolver& peer, const PeerChain& chain) {
  return [&peer, &chain](const IkTree& tree, std::span<const IkGoal> goals, const IkSettings& settings,
                         std::span<float> values, IkReport&) {
    std::vector<double> start;
    for (const std::size_t value : chain.values) {
      start.push_back(values[value]);
    }
    glm::dmat4 target = glm::mat4_cast(*goals.front().orientation);
    target[3] = glm::dvec4(goals.front().target, 1);
    target = chain.tip_from_world * target;
    const glm::dmat4 rows = glm::transpose(target);
    std::vector<double> solution = start;
    peer.solve(chain.joints.data(), static_cast<int>(chain.values.size()), start.data(), &rows[0][0],
               settings.tolerance * tree.length, solution.data());
    for (std::size_t d = 0; d < solution.size(); ++d) {
      values[chain.values[d]] = static_cast<float>(solution[d]);
    }
  };
}

bool suits_peer(const IkChain& chain) {
  return chain.oriented && chain.tips.size() == 1;
}

// Scores all chains one after the other, and says how far it is.
class Scoring {
 public:
  Scoring(std::span<const IkChain> chains, const PeerSolver& peer, int targets) : peer_(peer), targets_(targets) {
    for (const IkChain& chain : chains) {
      rows_ += 2 * static_cast<std::size_t>(std::ranges::count_if(
                       motion::ik_solvers(), [&](const IkSolver& solver) { return motion::suits(solver, chain); }));
      rows_ += peer.solve != nullptr && suits_peer(chain) ? 2 : 0;
    }
  }
  void score_chain(const IkChain& chain);
  [[nodiscard]] const std::vector<IkScore>& scores() const { return scores_; }

 private:
  void score(const IkChain& chain, std::string_view solver, bool oriented, const motion::IkSolve& solve,
             bool previous) {
    const Progress progress = [&](float fraction, std::string_view) {
      line_.show((static_cast<float>(scores_.size()) + fraction) / static_cast<float>(rows_), "reaching for targets,");
      return true;
    };
    scores_.push_back(motion::score_ik(chain, solver, oriented, solve, targets_, previous, progress));
  }

  const PeerSolver& peer_;
  int targets_;
  std::size_t rows_ = 0;  // number of scores in the finished table
  std::vector<IkScore> scores_;
  ProgressLine line_;
};

void Scoring::score_chain(const IkChain& chain) {
  for (const bool previous : {false, true}) {
    for (const IkSolver& solver : motion::ik_solvers()) {
      if (motion::suits(solver, chain)) {
        const auto solve = [&solver](const IkTree& tree, std::span<const IkGoal> goals, const IkSettings& settings,
                                     std::span<float> values,
                                     IkReport& report) { report = solver.solve(tree, goals, settings, values); };
        score(chain, solver.id, chain.oriented && solver.oriented, solve, previous);
      }
    }
    if (peer_.solve != nullptr && suits_peer(chain)) {
      rig::Pose pose = chain.rest;
      rig::PoseBuilder builder(chain.skeleton, pose);
      const IkTree tree = motion::make_ik_tree(builder, 0, chain.tips);
      const PeerChain peer_view = peer_chain(tree, motion::find_joint(tree, chain.tips.front()));
      score(chain, peer_.name, true, peer_solver(peer_, peer_view), previous);
    }
  }
}

std::string ik_json(std::span<const IkScore> scores) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const IkScore& score : scores) {
    rows.push_back({{"chain", score.chain},
                    {"solver", score.solver},
                    {"start", score.start},
                    {"oriented", score.oriented},
                    {"targets", score.targets},
                    {"solved_percent", score.solved_percent},
                    {"limit_violations", score.limit_violations},
                    {"mean_ms", score.mean_ms},
                    {"p99_ms", score.p99_ms},
                    {"iterations", score.iterations}});
  }
  return nlohmann::ordered_json{{"ik", std::move(rows)}}.dump(2) + "\n";
}

std::string ik_text(std::span<const IkScore> scores) {
  std::string out = fmt::format("{:<10} {:<10} {:<9} {:<9} {:>8} {:>11} {:>9} {:>9} {:>11}\n", "chain", "solver",
                                "start", "oriented", "solved", "violations", "mean", "p99", "iterations");
  for (const IkScore& score : scores) {
    out += fmt::format("{:<10} {:<10} {:<9} {:<9} {:>6.2f} % {:>11} {:>6.4f} ms {:>6.4f} ms {:>8.1f}\n", score.chain,
                       score.solver, score.start, score.oriented ? "yes" : "no", score.solved_percent,
                       score.limit_violations, score.mean_ms, score.p99_ms, score.iterations);
  }
  return out;
}

}  // namespace

Result<std::string> benchmark_ik(int targets, const std::string& peer_path, bool json) {
  PeerSolver peer;
  if (!peer_path.empty()) {
    PELT_TRY_TO(peer, load_solver(peer_path));
  }
  const std::vector<IkChain> chains = motion::ik_chains();
  Scoring scoring(chains, peer, targets);
  for (const IkChain& chain : chains) {
    scoring.score_chain(chain);
  }
  return json ? ik_json(scoring.scores()) : ik_text(scoring.scores());
}

}  // namespace pelt::cli
