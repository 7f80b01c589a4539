#include "bind/bounded_quadratic.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include <Eigen/Cholesky>

namespace pelt::bind {
namespace {

constexpr double kBeyondBound = 1e-9;  // so far beyond a bound, or pulled so far away from it, nothing changes
constexpr int kPatience = 10;          // rounds without progress before entries change one by one
constexpr int kMostRounds = 200;
constexpr int kChained = 32;  // entries of a front where the matrix has no blocks

enum class Entry : std::uint8_t { kGiven, kFree, kLow, kHigh };

// A Cholesky factor of the rows and columns of the free entries, by fronts: a block's front holds its own columns
// and the rows that they couple, gathers what the blocks before it leave there, and leaves the rest to its parent.
class FreeFactor {
 public:
  FreeFactor(const SymmetricRows& a, std::span<const Entry> entries);
  // False where the matrix isn't positive definite.
  bool factorise();
  // In: the right side, out: the solution.
  void solve(Eigen::VectorXd& x) const;
  [[nodiscard]] std::span<const std::uint32_t> free() const { return free_; }

 private:
  struct Front {
    int begin = 0;  // free entries
    int end = 0;
    int parent = -1;
    std::vector<int> rows;  // below the columns, ascending
    Eigen::MatrixXd lower;  // [columns and rows] x [columns]
  };
  struct Rest {
    std::vector<int> rows;
    Eigen::MatrixXd values;  // the lower half
  };
  void find_rows(Front& front, std::span<const Rest> rests) const;
  Eigen::MatrixXd gather(const Front& front, std::span<const Rest> rests);

  const SymmetricRows& a_;
  std::vector<std::uint32_t> free_;
  std::vector<int> number_;  // [N] of the free ones, -1 elsewhere
  std::vector<int> place_;   // [free] in the front at hand
  std::vector<Front> fronts_;
};

FreeFactor::FreeFactor(const SymmetricRows& a, std::span<const Entry> entries) : a_(a), number_(a.size(), -1) {
  for (std::uint32_t i = 0; i < a.size(); ++i) {
    if (entries[i] == Entry::kFree) {
      number_[i] = static_cast<int>(free_.size());
      free_.push_back(i);
    }
  }
  place_.resize(free_.size());
  const auto first_from = [&](std::uint32_t i) {
    return static_cast<int>(std::ranges::lower_bound(free_, i) - free_.begin());
  };
  for (const EliminationBlock& block : a.blocks) {
    fronts_.push_back({first_from(block.begin), first_from(block.end), block.parent, {}, {}});
  }
  for (int begin = 0, size = static_cast<int>(free_.size()); a.blocks.empty() && begin < size; begin += kChained) {
    const int end = std::min(begin + kChained, size);
    fronts_.push_back({begin, end, end < size ? static_cast<int>(fronts_.size()) + 1 : -1, {}, {}});
  }
}

void FreeFactor::find_rows(Front& front, std::span<const Rest> rests) const {
  for (int f = front.begin; f < front.end; ++f) {
    const std::uint32_t i = free_[static_cast<std::size_t>(f)];
    for (std::uint32_t k = a_.offset[i]; k < a_.offset[i + 1]; ++k) {
      if (number_[a_.column[k]] >= front.end) {
        front.rows.push_back(number_[a_.column[k]]);
      }
    }
  }
  for (const Rest& rest : rests) {
    std::ranges::copy_if(rest.rows, std::back_inserter(front.rows), [&](int row) { return row >= front.end; });
  }
  std::ranges::sort(front.rows);
  front.rows.erase(std::ranges::unique(front.rows).begin(), front.rows.end());
}

Eigen::MatrixXd FreeFactor::gather(const Front& front, std::span<const Rest> rests) {
  const int columns = front.end - front.begin;
  for (int f = front.begin; f < front.end; ++f) {
    place_[static_cast<std::size_t>(f)] = f - front.begin;
  }
  for (std::size_t k = 0; k < front.rows.size(); ++k) {
    place_[static_cast<std::size_t>(front.rows[k])] = columns + static_cast<int>(k);
  }
  const Eigen::Index size = columns + static_cast<Eigen::Index>(front.rows.size());
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(size, size);
  for (int f = front.begin; f < front.end; ++f) {
    const std::uint32_t i = free_[static_cast<std::size_t>(f)];
    for (std::uint32_t k = a_.offset[i]; k < a_.offset[i + 1]; ++k) {
      const int row = number_[a_.column[k]];
      if (row >= f) {
        out(place_[static_cast<std::size_t>(row)], f - front.begin) += a_.value[k];
      }
    }
  }
  for (const Rest& rest : rests) {
    for (Eigen::Index c = 0; c < rest.values.cols(); ++c) {
      const int column = place_[static_cast<std::size_t>(rest.rows[static_cast<std::size_t>(c)])];
      for (Eigen::Index r = c; r < rest.values.rows(); ++r) {  // rows ascend in both
        out(place_[static_cast<std::size_t>(rest.rows[static_cast<std::size_t>(r)])], column) += rest.values(r, c);
      }
    }
  }
  return out;
}

bool FreeFactor::factorise() {
  std::vector<std::vector<Rest>> rests(fronts_.size());
  for (std::size_t s = 0; s < fronts_.size(); ++s) {
    Front& front = fronts_[s];
    const Eigen::Index columns = front.end - front.begin;
    std::vector<Rest> here = std::move(rests[s]);
    if (columns == 0) {
      for (Rest& rest : here) {
        rests[static_cast<std::size_t>(front.parent)].push_back(std::move(rest));
      }
      continue;
    }
    find_rows(front, here);
    Eigen::MatrixXd all = gather(front, here);
    const auto rows = static_cast<Eigen::Index>(front.rows.size());
    Eigen::Ref<Eigen::MatrixXd> own = all.topLeftCorner(columns, columns);
    const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(own);
    if (factor.info() != Eigen::Success) {
      return false;
    }
    if (rows > 0) {
      auto below = all.bottomLeftCorner(rows, columns);
      own.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(below);
      Rest rest{front.rows, all.bottomRightCorner(rows, rows)};
      rest.values.selfadjointView<Eigen::Lower>().rankUpdate(below, -1.0);
      rests[static_cast<std::size_t>(front.parent)].push_back(std::move(rest));
    }
    front.lower = all.leftCols(columns);
  }
  return true;
}

void FreeFactor::solve(Eigen::VectorXd& x) const {
  const auto own = [](const Front& front) { return front.lower.topRows(front.end - front.begin); };
  const auto below = [](const Front& front) {
    return front.lower.bottomRows(static_cast<Eigen::Index>(front.rows.size()));
  };
  for (const Front& front : fronts_) {
    auto mine = x.segment(front.begin, front.end - front.begin);
    if (mine.size() > 0) {
      own(front).triangularView<Eigen::Lower>().solveInPlace(mine);
      const Eigen::VectorXd change = below(front) * mine;
      for (std::size_t k = 0; k < front.rows.size(); ++k) {
        x[front.rows[k]] -= change[static_cast<Eigen::Index>(k)];
      }
    }
  }
  for (std::size_t s = fronts_.size(); s-- > 0;) {
    const Front& front = fronts_[s];
    auto mine = x.segment(front.begin, front.end - front.begin);
    if (mine.size() > 0) {
      Eigen::VectorXd later(static_cast<Eigen::Index>(front.rows.size()));
      for (std::size_t k = 0; k < front.rows.size(); ++k) {
        later[static_cast<Eigen::Index>(k)] = x[front.rows[k]];
      }
      mine -= below(front).transpose() * later;
      own(front).transpose().triangularView<Eigen::Upper>().solveInPlace(mine);
    }
  }
}

// Solves the rows of the free entries for them.
bool solve_free(const SymmetricRows& a, std::span<const Entry> entries, std::span<double> x) {
  FreeFactor factor(a, entries);
  if (!factor.factorise()) {
    return false;
  }
  const std::span<const std::uint32_t> free = factor.free();
  Eigen::VectorXd solution = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(free.size()));
  for (std::size_t f = 0; f < free.size(); ++f) {
    for (std::uint32_t k = a.offset[free[f]]; k < a.offset[free[f] + 1]; ++k) {
      const std::uint32_t c = a.column[k];
      solution[static_cast<Eigen::Index>(f)] -= entries[c] != Entry::kFree ? a.value[k] * x[c] : 0.0;
    }
  }
  factor.solve(solution);
  for (std::size_t f = 0; f < free.size(); ++f) {
    x[free[f]] = solution[static_cast<Eigen::Index>(f)];
  }
  return true;
}

// Which entries are on the wrong side. @param pull  [N] A x
std::vector<std::uint32_t> infeasible(const SymmetricRows& a, std::span<const Entry> entries, std::span<const double> x,
                                      std::span<const double> pull) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < a.size(); ++i) {
    bool is_wrong = false;
    switch (entries[i]) {
      case Entry::kGiven:
        break;
      case Entry::kFree:
        is_wrong = x[i] < -kBeyondBound || x[i] > 1 + kBeyondBound;
        break;
      case Entry::kLow:
        is_wrong = pull[i] < 0;
        break;
      case Entry::kHigh:
        is_wrong = pull[i] > 0;
        break;
    }
    if (is_wrong) {
      out.push_back(i);
    }
  }
  return out;
}

// The pull on each entry that is large enough to free it, over its diagonal, else 0.
void pulls(const SymmetricRows& a, std::span<const double> x, std::span<double> out) {
  multiply(a, x, out);
  for (std::uint32_t i = 0; i < a.size(); ++i) {
    const auto row = a.column.begin() + a.offset[i];
    const auto at = std::lower_bound(row, a.column.begin() + a.offset[i + 1], i) - a.column.begin();
    out[i] = std::abs(out[i]) > kBeyondBound * a.value[static_cast<std::size_t>(at)] ? out[i] : 0.0;
  }
}

}  // namespace

std::optional<BoundedReport> bounded_minimum(const SymmetricRows& a, std::span<const char> given, std::span<double> x,
                                             const std::function<bool()>& go_on) {
  std::vector<Entry> entries(a.size());
  const auto put_at_bound = [&](std::uint32_t i, bool high) {
    entries[i] = high ? Entry::kHigh : Entry::kLow;
    x[i] = high ? 1 : 0;
  };
  for (std::uint32_t i = 0; i < a.size(); ++i) {
    entries[i] = given[i] != 0 ? Entry::kGiven : Entry::kFree;
    if (given[i] == 0 && (x[i] <= 0 || x[i] >= 1)) {
      put_at_bound(i, x[i] >= 1);
    }
  }
  BoundedReport report;
  std::vector<double> pull(a.size());
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  int patience = kPatience;
  while (report.rounds < kMostRounds) {
    if (go_on && !go_on()) {
      return std::nullopt;
    }
    ++report.rounds;
    if (!solve_free(a, entries, x)) {
      break;
    }
    pulls(a, x, pull);
    std::vector<std::uint32_t> wrong = infeasible(a, entries, x, pull);
    if (wrong.empty()) {
      report.converged = true;
      break;
    }
    if (wrong.size() < fewest) {
      fewest = wrong.size();
      patience = kPatience;
    } else if (--patience < 0) {
      wrong = {wrong.back()};
    }
    for (const std::uint32_t i : wrong) {
      if (entries[i] == Entry::kFree) {
        put_at_bound(i, x[i] > 0.5);
      } else {
        entries[i] = Entry::kFree;
      }
    }
  }
  for (std::uint32_t i = 0; i < a.size(); ++i) {
    x[i] = entries[i] == Entry::kGiven ? x[i] : std::clamp(x[i], 0.0, 1.0);
  }
  return report;
}

void multiply(const SymmetricRows& a, std::span<const double> x, std::span<double> out) {
  std::ranges::fill(out, 0.0);
  for (std::uint32_t i = 0; i < a.size(); ++i) {
    if (x[i] != 0) {  // most entries are at the lower bound
      for (std::uint32_t k = a.offset[i]; k < a.offset[i + 1]; ++k) {
        out[a.column[k]] += a.value[k] * x[i];
      }
    }
  }
}

double energy(const SymmetricRows& a, std::span<const double> x) {
  std::vector<double> product(a.size());
  multiply(a, x, product);
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += 0.5 * x[i] * product[i];
  }
  return sum;
}

}  // namespace pelt::bind
