#include "mesh/elastic_weights.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "core/expect.h"
#include "math/polar.h"

namespace pelt::mesh {
namespace {

// A place of the patch, of its rim, or beside that.
struct Node {
  std::uint32_t place = 0;
  glm::dvec3 reference = {};
  std::vector<glm::dvec3> at = {};       // by pose
  std::vector<glm::dmat3> turn = {};     // by pose, of its cell; empty where the cell counts nothing
  std::vector<std::size_t> beside = {};  // nodes; of those that have a cell
};

// The turn that brings the edges of a cell nearest to what the pose makes of them.
glm::dmat3 best_turn(std::span<const Node> nodes, const Node& of, std::size_t pose) {
  glm::dmat3 sum(0);
  for (const std::size_t j : of.beside) {
    const glm::dvec3 edge = nodes[j].reference - of.reference;
    const double square = glm::dot(edge, edge);
    if (square > 0) {
      sum += glm::outerProduct((nodes[j].at[pose] - of.at[pose]) / square, edge);
    }
  }
  const SingularValues parts = singular_values(sum);
  return parts.u * glm::transpose(parts.v);
}

// Takes the lightest joint out of the problem for good where more than so many have weight, and lets the others begin
// with what the solution gave them. @return whether one went
bool drop_lightest(RowReach& asked, std::span<const double> solved, std::size_t most) {
  ReachProblem& problem = asked.problem;
  std::size_t count = 0;
  std::size_t free = 0;
  std::size_t lightest = solved.size();
  for (std::size_t k = 0; k < solved.size(); ++k) {
    if (solved[k] > 0) {
      ++count;
      if (problem.locked[k] == 0) {
        ++free;
        lightest = lightest == solved.size() || solved[k] < solved[lightest] ? k : lightest;
      }
    }
  }
  if (count <= most || free < 2) {
    return false;  // the last that is free has to take what the locked ones leave
  }
  const double all = std::accumulate(solved.begin(), solved.end(), 0.0);
  double locked = 0;
  for (std::size_t k = 0; k < solved.size(); ++k) {
    locked += problem.locked[k] != 0 ? solved[k] : 0;
  }
  const double others = all - locked - solved[lightest];
  for (std::size_t k = 0; k < solved.size(); ++k) {
    if (problem.locked[k] == 0) {
      problem.weights[k] = solved[k] * ((all - locked) / others);
    }
  }
  const auto at = static_cast<std::ptrdiff_t>(lightest);
  asked.joints.erase(asked.joints.begin() + at);
  problem.weights.erase(problem.weights.begin() + at);
  problem.locked.erase(problem.locked.begin() + at);
  problem.ease.erase(problem.ease.begin() + at);
  for (ReachPose& pose : problem.poses) {
    pose.ghosts.erase(pose.ghosts.begin() + at);
  }
  return true;
}

class RelaxedPatch {
 public:
  RelaxedPatch(const WeldedSurface& surface, std::span<const Influences* const> influences, const Relaxing& relaxing,
               std::span<const std::uint32_t> places, std::span<const float> amounts)
      : surface_(surface), influences_(influences), relaxing_(relaxing), amounts_(amounts) {
    gather(places);
    for (Node& node : nodes_) {
      const InfluenceRow row = row_at(surface_, influences_, node.place);
      node.reference = relaxing_.reference * glm::dvec3(surface_.position(node.place));
      for (const std::span<const glm::dmat4> pose : relaxing_.poses) {
        node.at.push_back(skinned(row, node.place, pose));
      }
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
      WeightRow row(relaxing_.locked);
      const InfluenceRow before = row_at(surface_, influences_, places[i]);
      row.read(before);
      asked_.push_back(
          row_reach(before, row, relaxing_.more, glm::dvec3(surface_.position(places[i])), relaxing_.poses));
      asked_.back().problem.coincident = relaxing_.coincident;
      most_.push_back(most_at(surface_, influences_, places[i]));
      weights_.push_back(asked_.back().problem.weights);
      first_.push_back(nodes_[i].at);
      is_moved_.push_back(0);
    }
  }

  void pass() {
    for (Node& node : nodes_) {
      for (std::size_t p = 0; p < node.at.size() && !node.beside.empty(); ++p) {
        node.turn[p] = best_turn(nodes_, node, p);
      }
    }
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      improve(i);
    }
  }
  [[nodiscard]] bool is_moved(std::size_t i) const { return is_moved_[i] != 0; }
  // What place i follows now.
  [[nodiscard]] std::vector<WeightEntry> row(std::size_t i) const {
    std::vector<WeightEntry> out;
    for (std::size_t k = 0; k < weights_[i].size(); ++k) {
      out.push_back({asked_[i].joints[k], weights_[i][k]});
    }
    return out;
  }

 private:
  // The patch first, then its rim, then what lies beside the rim; the first two have cells.
  void gather(std::span<const std::uint32_t> places) {
    std::unordered_map<std::uint32_t, std::size_t> node_at;
    const auto add = [&](std::uint32_t place) {
      if (node_at.try_emplace(place, nodes_.size()).second) {
        nodes_.emplace_back().place = place;
      }
    };
    std::ranges::for_each(places, add);
    std::size_t cells = 0;
    for (int ring = 0; ring < 2; ++ring) {
      cells = nodes_.size();
      for (std::size_t i = 0; i < cells; ++i) {
        std::ranges::for_each(surface_.adjacency.neighbors(nodes_[i].place), add);
      }
    }
    for (std::size_t i = 0; i < cells; ++i) {
      for (const std::uint32_t u : surface_.adjacency.neighbors(nodes_[i].place)) {
        nodes_[i].beside.push_back(node_at.at(u));
      }
      nodes_[i].turn.resize(relaxing_.poses.size());
    }
  }

  [[nodiscard]] glm::dvec3 skinned(const InfluenceRow& row, std::uint32_t place,
                                   std::span<const glm::dmat4> matrices) const {
    const glm::dvec4 bound(surface_.position(place), 1);
    glm::dvec3 out(0);
    for (std::size_t k = 0; k < row.joints.size(); ++k) {
      PELT_EXPECT(row.joints[k] < matrices.size(), "a matrix for each slot");
      out += static_cast<double>(row.weights[k]) * glm::dvec3(matrices[row.joints[k]] * bound);
    }
    return row.joints.empty() ? glm::dvec3(bound) : out;
  }

  // Where the cells that a place belongs to want it in a pose.
  [[nodiscard]] glm::dvec3 wanted(std::size_t i, std::size_t pose) const {
    glm::dvec3 sum(0);
    double all = 0;
    for (const std::size_t j : nodes_[i].beside) {
      const glm::dvec3 edge = nodes_[i].reference - nodes_[j].reference;
      const double square = glm::dot(edge, edge);
      if (square > 0) {
        const glm::dmat3 turn = 0.5 * (nodes_[i].turn[pose] + nodes_[j].turn[pose]);
        sum += (nodes_[j].at[pose] + turn * edge) / square;
        all += 1 / square;
      }
    }
    return all > 0 ? sum / all : nodes_[i].at[pose];
  }

  void improve(std::size_t i) {
    RowReach& asked = asked_[i];
    const auto amount = static_cast<double>(amounts_[i]);
    for (std::size_t p = 0; p < asked.problem.poses.size(); ++p) {
      asked.problem.poses[p].target = first_[i][p] + amount * (wanted(i, p) - first_[i][p]);
    }
    Reach reach = reachable_weights(asked.problem);
    if (!reach.can_move) {
      return;
    }
    while (drop_lightest(asked, reach.weights, most_[i])) {
      reach = reachable_weights(asked.problem);
    }
    is_moved_[i] = 1;
    weights_[i] = std::move(reach.weights);
    nodes_[i].at = std::move(reach.reached);
  }

  const WeldedSurface& surface_;
  std::span<const Influences* const> influences_;
  const Relaxing& relaxing_;
  std::span<const float> amounts_;
  std::vector<Node> nodes_;
  std::vector<RowReach> asked_;                 // by place of the patch
  std::vector<char> is_moved_;                  // by place: its joints can take it elsewhere
  std::vector<std::size_t> most_;               // by place: influences
  std::vector<std::vector<double>> weights_;    // by place, by joint of asked_
  std::vector<std::vector<glm::dvec3>> first_;  // by place, by pose: before the first pass
};

}  // namespace

std::vector<InfluencesPatch> relaxed_weights(const WeldedSurface& surface,
                                             std::span<const Influences* const> influences, const Relaxing& relaxing) {
  PELT_EXPECT(relaxing.amounts.size() == relaxing.places.size(), "an amount for each place");
  // Places without weights have no joints to follow.
  std::vector<std::pair<std::uint32_t, float>> order;
  for (std::size_t i = 0; i < relaxing.places.size(); ++i) {
    if (relaxing.amounts[i] > 0 && !row_at(surface, influences, relaxing.places[i]).joints.empty()) {
      order.emplace_back(relaxing.places[i], std::min(relaxing.amounts[i], 1.0f));
    }
  }
  std::ranges::sort(order);
  std::vector<std::uint32_t> places;
  std::vector<float> amounts;
  for (const auto& [place, amount] : order) {
    places.push_back(place);
    amounts.push_back(amount);
  }
  if (relaxing.poses.empty() || places.empty()) {
    return edited_weights(surface, influences, {}, relaxing.locked, Copies::kTogether, {});
  }
  RelaxedPatch patch(surface, influences, relaxing, places, amounts);
  for (int pass = 0; pass < relaxing.passes; ++pass) {
    patch.pass();
  }
  return edited_weights(surface, influences, places, relaxing.locked, Copies::kTogether,
                        [&](std::size_t t, WeightRow& row) {
                          if (patch.is_moved(t)) {
                            row.towards(patch.row(t), 1);
                          }
                        });
}

}  // namespace pelt::mesh
