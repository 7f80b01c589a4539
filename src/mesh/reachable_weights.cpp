// Direct manipulation of weights: Mohr, Tokheim and Gleicher, "Direct manipulation of interactive character skins",
// I3D 2003. The quadratic program over the simplex is solved by a primal active set (Nocedal and Wright, "Numerical
// Optimization", 2006, algorithm 16.3) with a little of the distance to the old weights added, which makes it strictly
// convex; that finds which weights are 0. The others then follow without it from a one-sided Jacobi decomposition
// (Hestenes, "Inversion of matrices by biorthogonalization", 1958).
#include "mesh/reachable_weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/expect.h"

namespace pelt::mesh {
namespace {

using Numbers = std::vector<double>;

// Of the squared size of the hull: what the distance to the old weights counts in the search for zeros.
constexpr double kNearness = 1e-9;

// Of pulls, see ReachProblem: a joint without weight still can have some, and one that was offered has its chance.
constexpr double kLeastEase = 1e-3;
constexpr double kEaseOfOffered = 0.25;
constexpr double kThin = 0.05;
constexpr double kThick = 4;  // times that: from here on a direction counts in full

// The problem over the joints that are free, about the middle of their ghosts. Its unknowns are the weights over the
// roots of their ease: by these, near is near alike for all.
struct FreeProblem {
  std::vector<std::size_t> joint;  // [n] among the K
  Numbers scale;                   // [n] weight = scale * unknown
  std::vector<Numbers> columns;    // [n][3 P] ghosts, scaled
  Numbers target;                  // [3 P]
  Numbers old;                     // [n] unknowns, brought to the room
  double room = 0;
  double size = 0;  // of the farthest ghost from the middle
};

double dot(const Numbers& a, const Numbers& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

FreeProblem free_problem(const ReachProblem& problem) {
  FreeProblem out;
  double locked = 0;
  double old = 0;
  for (std::size_t k = 0; k < problem.weights.size(); ++k) {
    if (!problem.locked.empty() && problem.locked[k] != 0) {
      locked += problem.weights[k];
    } else {
      out.joint.push_back(k);
      old += problem.weights[k];
    }
  }
  const std::size_t n = out.joint.size();
  out.room = std::max(0.0, 1 - locked);
  out.columns.resize(n);
  for (const std::size_t k : out.joint) {
    const double weight = old > 0 ? problem.weights[k] * (out.room / old) : out.room / static_cast<double>(n);
    out.scale.push_back(problem.ease.empty() ? 1.0 : std::sqrt(problem.ease[k]));
    out.old.push_back(weight / out.scale.back());
  }
  for (const ReachPose& pose : problem.poses) {
    PELT_EXPECT(pose.ghosts.size() == problem.weights.size(), "a ghost for each joint");
    const double root = std::sqrt(std::max(0.0, pose.importance));
    glm::dvec3 middle(0);
    for (const std::size_t k : out.joint) {
      middle += pose.ghosts[k] / static_cast<double>(std::max<std::size_t>(n, 1));
    }
    glm::dvec3 target = pose.target - middle;
    for (std::size_t k = 0; k < problem.weights.size(); ++k) {
      if (!problem.locked.empty() && problem.locked[k] != 0) {
        target -= problem.weights[k] * (pose.ghosts[k] - middle);
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      const glm::dvec3 ghost = pose.ghosts[out.joint[i]] - middle;
      out.size = std::max(out.size, glm::length(ghost));
      for (int c = 0; c < 3; ++c) {
        out.columns[i].push_back(root * out.scale[i] * ghost[c]);
      }
    }
    for (int c = 0; c < 3; ++c) {
      out.target.push_back(root * target[c]);
    }
  }
  return out;
}

// Solves a square system by elimination with partial pivoting; rows are changed. @return false where it is singular
bool solve(std::vector<Numbers>& rows, Numbers& right) {
  const std::size_t n = rows.size();
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c + 1; r < n; ++r) {
      pivot = std::abs(rows[r][c]) > std::abs(rows[pivot][c]) ? r : pivot;
    }
    if (!(std::abs(rows[pivot][c]) > 0)) {
      return false;
    }
    std::swap(rows[c], rows[pivot]);
    std::swap(right[c], right[pivot]);
    for (std::size_t r = c + 1; r < n; ++r) {
      const double factor = rows[r][c] / rows[c][c];
      for (std::size_t k = c; k < n && factor != 0; ++k) {
        rows[r][k] -= factor * rows[c][k];
      }
      right[r] -= factor * right[c];
    }
  }
  for (std::size_t c = n; c-- > 0;) {
    for (std::size_t k = c + 1; k < n; ++k) {
      right[c] -= rows[c][k] * right[k];
    }
    right[c] /= rows[c][c];
  }
  return true;
}

// The strictly convex program: 1/2 u H u - c u over u >= 0, the weights with the room as sum.
class ConvexProgram {
 public:
  ConvexProgram(const FreeProblem& problem, double thin)
      : n_(problem.joint.size()), room_(problem.room), sum_(problem.scale) {
    double scale = 0;
    for (const Numbers& column : problem.columns) {
      scale = std::max(scale, dot(column, column));
    }
    const double nearness = std::max(kNearness, thin * thin) * scale;
    for (std::size_t i = 0; i < n_; ++i) {
      h_.emplace_back(n_, 0.0);
      for (std::size_t k = 0; k < n_; ++k) {
        h_[i][k] = dot(problem.columns[i], problem.columns[k]) + (i == k ? nearness : 0);
      }
      c_.push_back(dot(problem.columns[i], problem.target) + nearness * problem.old[i]);
    }
    tolerance_ = 1e-13 * scale;
  }

  // From feasible weights to the best ones; `is_free` becomes those that are not 0.
  void minimise(Numbers& w, std::vector<char>& is_free) const {
    is_free.assign(n_, 0);
    for (std::size_t i = 0; i < n_; ++i) {
      is_free[i] = w[i] > 0 ? 1 : 0;
    }
    const std::size_t most = 20 * n_ + 20;
    for (std::size_t step = 0; step < most; ++step) {
      const Numbers best = best_of(is_free);
      double reach = 1;
      std::size_t blocking = n_;
      for (std::size_t i = 0; i < n_; ++i) {
        if (is_free[i] != 0 && best[i] < 0 && w[i] / (w[i] - best[i]) < reach) {
          reach = w[i] / (w[i] - best[i]);
          blocking = i;
        }
      }
      for (std::size_t i = 0; i < n_; ++i) {
        w[i] += reach * (best[i] - w[i]);
      }
      if (blocking < n_) {
        is_free[blocking] = 0;
        w[blocking] = 0;
        continue;
      }
      const std::size_t freed = steepest(w, is_free);
      if (freed == n_) {
        return;
      }
      is_free[freed] = 1;
    }
  }

 private:
  // The minimum where the others are 0, without regard to signs.
  [[nodiscard]] Numbers best_of(const std::vector<char>& is_free) const {
    std::vector<std::size_t> index;
    for (std::size_t i = 0; i < n_; ++i) {
      if (is_free[i] != 0) {
        index.push_back(i);
      }
    }
    const std::size_t m = index.size();
    std::vector<Numbers> rows(m + 1, Numbers(m + 1, 0.0));
    Numbers right(m + 1, room_);
    for (std::size_t a = 0; a < m; ++a) {
      for (std::size_t b = 0; b < m; ++b) {
        rows[a][b] = h_[index[a]][index[b]];
      }
      rows[a][m] = rows[m][a] = sum_[index[a]];
      right[a] = c_[index[a]];
    }
    solve(rows, right);  // strictly convex, so never singular
    Numbers out(n_, 0.0);
    for (std::size_t a = 0; a < m; ++a) {
      out[index[a]] = right[a];
    }
    return out;
  }

  // The weight at 0 whose growth gains most; n_ where none gains.
  [[nodiscard]] std::size_t steepest(const Numbers& w, const std::vector<char>& is_free) const {
    const auto slope = [&](std::size_t i) { return dot(h_[i], w) - c_[i]; };
    double level = 0;  // of the sum's multiplier
    double square = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      level += is_free[i] != 0 ? sum_[i] * slope(i) : 0;
      square += is_free[i] != 0 ? sum_[i] * sum_[i] : 0;
    }
    level /= square > 0 ? square : 1;
    std::size_t best = n_;
    double gain = tolerance_;
    for (std::size_t i = 0; i < n_; ++i) {
      if (is_free[i] == 0 && level * sum_[i] - slope(i) > gain) {
        gain = level * sum_[i] - slope(i);
        best = i;
      }
    }
    return best;
  }

  std::size_t n_;
  double room_;
  Numbers sum_;  // [n] sum_ * u is the room
  std::vector<Numbers> h_;
  Numbers c_;
  double tolerance_ = 0;
};

// Turns columns until they are orthogonal. @param v  gets the product of the turns, by columns
void orthogonalise(std::vector<Numbers>& columns, std::vector<Numbers>& v) {
  const std::size_t n = columns.size();
  v.assign(n, Numbers(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) {
    v[i][i] = 1;
  }
  constexpr int kMostSweeps = 60;
  bool turned = true;
  for (int sweep = 0; sweep < kMostSweeps && turned; ++sweep) {
    turned = false;
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = a + 1; b < n; ++b) {
        const double aa = dot(columns[a], columns[a]);
        const double bb = dot(columns[b], columns[b]);
        const double ab = dot(columns[a], columns[b]);
        if (!(std::abs(ab) > 1e-15 * std::sqrt(aa * bb))) {
          continue;
        }
        turned = true;
        const double zeta = (bb - aa) / (2 * ab);
        const double t = (zeta >= 0 ? 1 : -1) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
        const double cosine = 1 / std::sqrt(1 + t * t);
        const auto turn = [&](std::vector<Numbers>& of) {
          for (std::size_t r = 0; r < of[a].size(); ++r) {
            const double x = of[a][r];
            const double y = of[b][r];
            of[a][r] = cosine * (x - t * y);
            of[b][r] = cosine * (t * x + y);
          }
        };
        turn(columns);
        turn(v);
      }
    }
  }
}

// From unknowns near the best ones to the best ones among those that are not 0, by the least squares themselves and, in
// the directions that move nothing, by the nearest old ones.
Numbers polished(const FreeProblem& problem, const Numbers& u, const std::vector<std::size_t>& index, double coincident,
                 double thin) {
  const std::size_t m = index.size();
  std::vector<Numbers> columns;
  Numbers common(problem.target.size(), 0.0);
  Numbers rest = problem.target;  // what is missing
  Numbers back(m);                // to the old ones
  double square_of_sum = 0;
  double common_back = 0;
  for (std::size_t a = 0; a < m; ++a) {
    const std::size_t i = index[a];
    columns.push_back(problem.columns[i]);
    for (std::size_t r = 0; r < rest.size(); ++r) {
      common[r] += problem.scale[i] * problem.columns[i][r];
      rest[r] -= u[i] * problem.columns[i][r];
    }
    back[a] = problem.old[i] - u[i];
    common_back += problem.scale[i] * back[a];
    square_of_sum += problem.scale[i] * problem.scale[i];
  }
  for (std::size_t a = 0; a < m; ++a) {  // steps leave the sum as it is
    const double share = problem.scale[index[a]] / square_of_sum;
    for (std::size_t r = 0; r < rest.size(); ++r) {
      columns[a][r] -= share * common[r];
    }
    back[a] -= share * common_back;
  }
  std::vector<Numbers> v;
  orthogonalise(columns, v);
  double strongest = 0;
  for (const Numbers& column : columns) {
    strongest = std::max(strongest, std::sqrt(dot(column, column)));
  }
  Numbers out = u;
  for (std::size_t s = 0; s < m; ++s) {
    const double square = dot(columns[s], columns[s]);
    // Between thin and thick by degrees, so that vertices beside each other do not part.
    const double range = (kThick - 1) * thin * strongest;
    const double x = range > 0 ? std::clamp((std::sqrt(square) - thin * strongest) / range, 0.0, 1.0) : 1.0;
    const double counted = square > coincident * coincident ? x * x * (3 - 2 * x) : 0.0;
    double step = (1 - counted) * dot(v[s], back);
    if (counted > 0) {
      step += counted * dot(columns[s], rest) / square;
    }
    for (std::size_t a = 0; a < m; ++a) {
      out[index[a]] += step * v[s][a];
    }
  }
  return out;
}

// Polishes; where a weight falls below 0 on the way it stays there, and the others go on.
void polish(const FreeProblem& problem, double coincident, double thin, Numbers& w, const std::vector<char>& is_free) {
  std::vector<std::size_t> index;
  for (std::size_t i = 0; i < w.size(); ++i) {
    if (is_free[i] != 0) {
      index.push_back(i);
    }
  }
  while (index.size() > 1) {
    const Numbers best = polished(problem, w, index, coincident, thin);
    double reach = 1;
    std::size_t blocking = w.size();
    for (const std::size_t i : index) {
      if (best[i] < 0 && w[i] / (w[i] - best[i]) < reach) {
        reach = w[i] / (w[i] - best[i]);
        blocking = i;
      }
    }
    for (const std::size_t i : index) {
      w[i] += reach * (best[i] - w[i]);
    }
    if (blocking == w.size()) {
      return;
    }
    w[blocking] = 0;
    std::erase(index, blocking);
  }
}

}  // namespace

Reach reachable_weights(const ReachProblem& problem) {
  PELT_EXPECT(!problem.poses.empty(), "at least one pose");
  PELT_EXPECT(problem.locked.empty() || problem.locked.size() == problem.weights.size(), "a lock for each joint");
  PELT_EXPECT(problem.ease.empty() || problem.ease.size() == problem.weights.size(), "the ease of each joint");
  Reach out;
  out.weights = problem.weights;
  const FreeProblem free = free_problem(problem);
  out.can_move = free.joint.size() > 1 && free.room > 0 && free.size > problem.coincident;
  if (out.can_move) {
    Numbers u = free.old;
    std::vector<char> is_free;
    ConvexProgram(free, problem.thin).minimise(u, is_free);
    polish(free, problem.coincident, problem.thin, u, is_free);
    const double sum = dot(free.scale, u);
    for (std::size_t i = 0; i < u.size(); ++i) {
      out.weights[free.joint[i]] = free.scale[i] * u[i] * (free.room / sum);
    }
  }
  for (const ReachPose& pose : problem.poses) {
    glm::dvec3 at(0);
    for (std::size_t k = 0; k < out.weights.size(); ++k) {
      at += out.weights[k] * pose.ghosts[k];
    }
    out.reached.push_back(at);
    out.residual.push_back(glm::length(at - pose.target));
  }
  return out;
}

RowReach row_reach(const InfluenceRow& before, const WeightRow& row, std::span<const std::uint16_t> more,
                   const glm::dvec3& at, std::span<const std::span<const glm::dmat4>> poses) {
  RowReach out;
  out.joints.assign(before.joints.begin(), before.joints.end());
  for (const std::uint16_t slot : more) {
    if (std::ranges::find(out.joints, slot) == out.joints.end()) {
      out.joints.push_back(slot);
    }
  }
  ReachProblem& problem = out.problem;
  problem.thin = kThin;
  for (const std::uint16_t slot : out.joints) {
    const bool is_offered = std::ranges::find(more, slot) != more.end();
    problem.weights.push_back(row.weight(slot));
    problem.ease.push_back(std::max(problem.weights.back(), is_offered ? kEaseOfOffered : kLeastEase));
    problem.locked.push_back(row.is_locked(slot) ? 1 : 0);
  }
  for (const std::span<const glm::dmat4> matrices : poses) {
    ReachPose& goal = problem.poses.emplace_back();
    for (std::size_t k = 0; k < out.joints.size(); ++k) {
      PELT_EXPECT(out.joints[k] < matrices.size(), "a matrix for each slot");
      goal.ghosts.emplace_back(matrices[out.joints[k]] * glm::dvec4(at, 1));
      goal.target += problem.weights[k] * goal.ghosts[k];
    }
  }
  return out;
}

std::vector<InfluencesPatch> pulled_weights(const WeldedSurface& surface, std::span<const Influences* const> influences,
                                            const Pull& pull) {
  PELT_EXPECT(pull.amounts.size() == pull.places.size(), "an amount for each place");
  for (const PullPose& pose : pull.poses) {
    PELT_EXPECT(pose.targets.empty() || pose.targets.size() == pull.places.size(), "a target for each place");
  }
  std::vector<std::size_t> order(pull.places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t k) { return pull.places[k]; });
  std::vector<std::uint32_t> places;
  for (const std::size_t k : order) {
    places.push_back(pull.places[k]);
  }
  std::vector<std::span<const glm::dmat4>> matrices;
  for (const PullPose& pose : pull.poses) {
    matrices.push_back(pose.skin_matrices);
  }
  const auto pull_row = [&](std::size_t t, WeightRow& row) {
    const auto amount = static_cast<double>(pull.amounts[order[t]]);
    const InfluenceRow before = row_at(surface, influences, places[t]);
    if (!(amount > 0) || before.joints.empty()) {
      return;
    }
    RowReach asked =
        row_reach(before, row, pull.more,
                  pull.position ? pull.position(places[t]) : glm::dvec3(surface.position(places[t])), matrices);
    ReachProblem& problem = asked.problem;
    problem.coincident = pull.coincident;
    for (std::size_t p = 0; p < pull.poses.size(); ++p) {
      const PullPose& pose = pull.poses[p];
      ReachPose& goal = problem.poses[p];
      goal.importance = pose.importance;
      goal.target =
          pose.targets.empty() ? goal.target + std::min(amount, 1.0) * pose.displacement : pose.targets[order[t]];
    }
    const Reach reach = reachable_weights(problem);
    if (!reach.can_move) {
      return;
    }
    std::vector<WeightEntry> after;
    for (std::size_t k = 0; k < asked.joints.size(); ++k) {
      after.push_back({asked.joints[k], reach.weights[k]});
    }
    row.towards(after, 1);
    if (pull.limit > 0) {
      row.set_most(static_cast<std::size_t>(pull.limit));
      row.limit(row.most());
    }
  };
  return edited_weights(surface, influences, places, pull.locked, Copies::kTogether, pull_row);
}

}  // namespace pelt::mesh
