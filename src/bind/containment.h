#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bind/binders.h"
#include "bind/volumes.h"

namespace pelt::bind {

/// How places are given to volumes.
struct Containment {
  bool soft = true;    ///< weights fall with the score; otherwise the best score takes the place alone
  double range = 2.0;  ///< soft: s_max, the score from which on a volume has nothing of a place
  int passes = 0;      ///< hard: how often weights are smoothed afterwards (§37, strength ½, uniform)
};

/// Binds to volumes, ALGORITHMS.md §31, again and again: keeps what depends on the surface alone, for volumes that are
/// dragged while the weights follow.
///
/// Soft: w ~ max(0, 1 - (s / range)²)² with s the best score of each bone; hard: the best score, equal ones share.
/// Where nothing is in range the place is bound as if it were hard, and its cause is kNearest.
class ContainmentSolver {
 public:
  /// Borrows the problem. @cost O(T)
  explicit ContainmentSolver(const Problem& problem);
  /// @pre  at least one volume, their bones in range; a bone may have none
  /// @return without remarks on bones; nothing where progress asks it to stop
  /// @cost O(W * volumes): 20 000 places and 60 volumes take few milliseconds
  [[nodiscard]] std::optional<Binding> bind(std::span<const Volume> volumes, const Containment& how,
                                            const Progress& progress = {}) const;

 private:
  [[nodiscard]] Rows smoothed(const Rows& rows, int passes) const;

  const Problem& problem_;
  std::vector<std::uint32_t> first_neighbor_;  // [W + 1]
  std::vector<std::uint32_t> neighbors_;       // of each place, ascending, each once
};

/// The row of the table: volumes of one kind fitted to the surface.
std::span<const Field> containment_fields();
std::optional<Binding> bind_containment(const Problem& problem, std::span<const double> values, const Watcher& watcher);

}  // namespace pelt::bind
