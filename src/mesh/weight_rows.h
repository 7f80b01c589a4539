#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "mesh/influences.h"
#include "mesh/influences_patch.h"
#include "mesh/welded_surface.h"

namespace pelt::mesh {

/// One weight in double precision.
struct WeightEntry {
  std::uint16_t joint = 0;
  double weight = 0;
  bool operator==(const WeightEntry&) const = default;
};

/// The weights of one vertex while they are edited, ALGORITHMS.md §39. Index letter i of a joint: its slot in the skin.
///
/// Locked joints keep their weights bit for bit, that of 0 included; Lambda is their sum. The others share the room
/// 1 - Lambda. Whatever is done, the weights of a row that had any sum to 1 but for rounding to floats. Changes that
/// name a locked joint or a number that is not finite do nothing, as do all where the locked ones leave no room.
class WeightRow {
 public:
  /// @param locked  ascending; not owned
  explicit WeightRow(std::span<const std::uint16_t> locked = {}) : locked_(locked) {}
  /// Starts with another row. Keeps its memory.
  void read(const InfluenceRow& row);

  [[nodiscard]] bool is_locked(std::uint16_t i) const;
  [[nodiscard]] double weight(std::uint16_t i) const;
  /// What the joints that are not locked share, 0 where it is but rounding.
  [[nodiscard]] double room() const;
  /// The joints that are not locked, in no particular order; some may be 0.
  [[nodiscard]] std::span<const WeightEntry> free() const { return free_; }
  /// Whether anything was changed since read().
  [[nodiscard]] bool is_changed() const { return changed_; }

  /// w_i = clamp(value, 0, room), the others scale to what is left; where they have nothing, i takes all of the room.
  void set(std::uint16_t i, double value);
  void add(std::uint16_t i, double difference) { set(i, weight(i) + difference); }
  void scale(std::uint16_t i, double factor) { set(i, weight(i) * factor); }
  /// Gives a share (0 to 1) of what `from` has to `to`.
  void move(std::uint16_t from, std::uint16_t to, double share = 1);
  void swap(std::uint16_t a, std::uint16_t b);
  /// (1 - t) w + t target, the target's joints that are not locked brought to the room before. Nothing where these
  /// have nothing. @param t  0 to 1 @param target  weights >= 0, no joint twice
  void towards(std::span<const WeightEntry> target, double t);
  /// w + t (w - mean), not below 0, brought to the room: what towards() takes, given back.
  void away_from(std::span<const WeightEntry> mean, double t);
  /// Drops weights below the threshold and gives the others what those had. One that is not locked stays in any case,
  /// the heaviest, and `keep` where it has any. @param keep  a joint, or kNone
  void prune(double threshold, int keep = kNone);
  /// Keeps the heaviest so that there are at most so many together with the locked ones; otherwise as prune().
  void limit(std::size_t count, int keep = kNone);
  /// Scales the weights that are not locked to the room. Counts as a change, since the row is then stored as 1.
  void normalise();
  /// Brings weights to multiples of 1 / steps by largest remainders, all to what they were together; what of the room
  /// is no multiple, since locked ones are none, the heaviest has beside.
  void quantise(int steps);

  /// Influences that an edit may leave the row; what is beyond goes when the edit has ended (edited_weights()). Any
  /// number unless somebody says; an edit with a limit of its own says that.
  [[nodiscard]] std::size_t most() const { return most_; }
  void set_most(std::size_t most) { most_ = most; }
  /// Notes that an edit itself has left out so much, to keep to most().
  void lose(double weight) { lost_ += weight; }
  /// limit() to most(), and notes what is lost.
  void cut_to_most(int keep = kNone);
  /// Weight that went so since read().
  [[nodiscard]] double lost() const { return lost_; }

  /// The row as influences have it, heaviest first: into this, until it is changed or read again.
  [[nodiscard]] InfluenceRow stored();

  static constexpr int kNone = -1;

 private:
  struct Kept {
    std::uint16_t joint;
    float weight;
  };
  WeightEntry& entry(std::uint16_t i);  // made where there is none
  void fill();                          // brings what is not locked to the room
  void keep_first(std::size_t count);   // of free_, which is sorted; the others' share goes to them
  void sort_heaviest(int keep);

  std::span<const std::uint16_t> locked_;
  std::vector<Kept> kept_;  // locked ones
  std::vector<WeightEntry> free_;
  std::vector<Kept> order_;  // of stored()
  std::vector<std::uint16_t> joints_;
  std::vector<float> weights_;
  bool changed_ = false;
  std::size_t most_ = std::numeric_limits<std::size_t>::max();
  double lost_ = 0;
};

/// The row of a place: that of its first copy that is skinned; of nothing where none is.
/// @param influences  [P] one per primitive, of its vertices or empty where it is not skinned
InfluenceRow row_at(const WeldedSurface& surface, std::span<const Influences* const> influences, std::uint32_t place);

/// What a row has of one slot; 0 without.
float weight_on(const InfluenceRow& row, std::size_t slot);

/// Influences that an edit may leave each of the skinned copies of a place; any number where there is none.
std::size_t most_at(const WeldedSurface& surface, std::span<const Influences* const> influences, std::uint32_t place);

/// Notes what the vertex's row has lost by a cut, where that is more than kLeastCut.
void push_cut(InfluencesPatch& patch, std::uint32_t vertex, double lost);

/// The mean of the rows of a place's neighbours that have weights, each counted the same, by joint; nothing where there
/// is none. @param out  overwritten
void mean_of_neighbors(const WeldedSurface& surface, std::span<const Influences* const> influences, std::uint32_t place,
                       std::vector<WeightEntry>& out);

/// The mean of the rows at these places that have weights, by joint.
std::vector<WeightEntry> mean_row(const WeldedSurface& surface, std::span<const Influences* const> influences,
                                  std::span<const std::uint32_t> places);

/// What an edit is given of the vertices at one place.
enum class Copies {
  kTogether,  ///< one row for all, that of row_at(), which all then get; those with other locked weights go by
              ///< themselves
  kEach,      ///< each has its own row, and rows that differ at a seam may stay different
};

/// Changes a row. @param t  index of its place @param row  to be changed; may be called from several threads at once
using RowEdit = std::function<void(std::size_t t, WeightRow& row)>;

/// What an edit makes of the rows at some places. Where it gives a vertex more influences than Influences::most(), the
/// heaviest stay and share what the others had; rows that go to all copies of a place have as many as each may have.
/// @param places  ascending, each once
/// @param locked  slots of the skin, in any order
/// @return [P] for patched(): the rows that are others than they were, with the stored sum 1
/// @cost O(places * K), never O(W), for any number of threads to the bit the same
std::vector<InfluencesPatch> edited_weights(const WeldedSurface& surface, std::span<const Influences* const> influences,
                                            std::span<const std::uint32_t> places,
                                            std::span<const std::uint16_t> locked, Copies copies, const RowEdit& edit);

}  // namespace pelt::mesh
