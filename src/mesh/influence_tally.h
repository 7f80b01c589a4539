#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/shared.h"
#include "mesh/influences.h"

namespace pelt::mesh {

/// What weights come to when they are counted, kept from one edit of them to the next.
class InfluenceTally {
 public:
  struct OfJoint {
    std::int64_t vertices = 0;  ///< that follow it
    float largest = 0;          ///< weight
    double sum = 0;             ///< of weights
  };

  /// Counts what changed since the last call. @cost O(blocks + rows of changed blocks), on all threads
  void update(const Shared<Influences>& influences);

  /// [k] vertices with k influences; as long as the widest row asks.
  [[nodiscard]] const std::vector<std::int64_t>& rows() const { return whole_.rows; }
  [[nodiscard]] float worst_sum_error() const { return whole_.worst_sum_error; }
  /// Vertices whose stored sum is farther from 1 than mesh::kSumTolerance.
  [[nodiscard]] std::int64_t bad_sums() const { return whole_.bad_sums; }
  /// @param place  in the skin's list of joints
  [[nodiscard]] OfJoint of_joint(std::size_t place) const {
    return place < joints_.size() ? joints_[place] : OfJoint();
  }

 private:
  struct Counts {
    std::vector<std::int64_t> rows;
    float worst_sum_error = 0;
    std::int64_t bad_sums = 0;
  };
  struct OfBlock {
    Counts counts;
    std::vector<std::pair<std::uint16_t, OfJoint>> joints;  // ascending
  };

  static OfBlock count(const Influences::Block& block);

  Shared<Influences> influences_;  // of the last update()
  std::vector<OfBlock> blocks_;
  Counts whole_;
  std::vector<OfJoint> joints_;
};

}  // namespace pelt::mesh
