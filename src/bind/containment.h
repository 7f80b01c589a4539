#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bind/binders.h"
#include "bind/volumes.h"

namespace pelt::bind {

/// What volumes give each place, before it is smoothed: what the next ones start from while volumes are dragged.
struct ContainedPlaces {
  Rows rows;                   ///< [W]
  std::vector<char> in_range;  ///< [W] some volume reaches it
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

  /// The two halves of bind().
  [[nodiscard]] std::optional<ContainedPlaces> places(std::span<const Volume> volumes, const Containment& how,
                                                      const Progress& progress = {}) const;
  [[nodiscard]] Binding binding(const ContainedPlaces& places, const Containment& how) const;

  /// places() of volumes of which a few are others than before, bit for bit: only places that one of these reaches, now
  /// or before, and those that none reached are looked at.
  /// @pre  how is the same as before; volumes of the same number and bones
  [[nodiscard]] std::optional<ContainedPlaces> places_after(const ContainedPlaces& before,
                                                            std::span<const Volume> volumes_before,
                                                            std::span<const Volume> volumes, const Containment& how,
                                                            const Progress& progress = {}) const;

 private:
  [[nodiscard]] std::optional<ContainedPlaces> scored(std::span<const Volume> volumes, const Containment& how,
                                                      const ContainedPlaces* before, std::span<const char> is_anew,
                                                      const Progress& progress) const;
  [[nodiscard]] Rows smoothed(const Rows& rows, int passes) const;

  const Problem& problem_;
  std::vector<std::uint32_t> first_neighbor_;  // [W + 1]
  std::vector<std::uint32_t> neighbors_;       // of each place, ascending, each once
};

/// The row of the table: volumes of one kind fitted to the surface, where the problem has none made by hand.
std::span<const Field> containment_fields();
std::optional<Binding> bind_containment(const Problem& problem, std::span<const double> values, const Watcher& watcher);

/// What the values of the fields say of fitting and of giving.
struct ContainmentNumbers {
  VolumeKind kind = VolumeKind::kCapsule;
  double size = 1;
  Containment how = {};
  bool operator==(const ContainmentNumbers&) const = default;
};
/// @pre  one value per field, in range
ContainmentNumbers containment_numbers(std::span<const double> values);
std::vector<double> containment_values(const ContainmentNumbers& numbers);

}  // namespace pelt::bind
