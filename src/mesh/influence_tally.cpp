#include "mesh/influence_tally.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/parallel.h"

namespace pelt::mesh {
namespace {

constexpr std::size_t kBlocksAtOnce = 64;

void add(InfluenceTally::OfJoint& to, const InfluenceTally::OfJoint& what) {
  to.vertices += what.vertices;
  to.largest = std::max(to.largest, what.largest);
  to.sum += what.sum;
}

void add_row_count(std::vector<std::int64_t>& rows, std::size_t influences, std::int64_t vertices) {
  if (rows.size() <= influences) {
    rows.resize(influences + 1);
  }
  rows[influences] += vertices;
}

}  // namespace

InfluenceTally::OfBlock InfluenceTally::count(const Influences::Block& block) {
  OfBlock out;
  for (std::size_t r = 0; r < block.row_count(); ++r) {
    const InfluenceRow row = block.row(r);
    add_row_count(out.counts.rows, row.joints.size(), 1);
    const float error = std::abs(row.stored_sum - 1);
    out.counts.worst_sum_error = std::max(out.counts.worst_sum_error, error);
    out.counts.bad_sums += error > kSumTolerance ? 1 : 0;
    for (std::size_t k = 0; k < row.joints.size(); ++k) {
      auto found = std::ranges::lower_bound(out.joints, row.joints[k], {}, [](const auto& of) { return of.first; });
      if (found == out.joints.end() || found->first != row.joints[k]) {
        found = out.joints.insert(found, {row.joints[k], OfJoint()});
      }
      add(found->second, {1, row.weights[k], static_cast<double>(row.weights[k])});
    }
  }
  return out;
}

void InfluenceTally::update(const Shared<Influences>& influences) {
  if (influences_.is(influences)) {
    return;
  }
  std::vector<std::size_t> changed;
  for_changed_blocks(*influences_, *influences, [&](std::size_t b, std::size_t, std::size_t) { changed.push_back(b); });
  blocks_.resize(influences->block_count());
  parallel_for(changed.size(), kBlocksAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      blocks_[changed[i]] = count(influences->block(changed[i]));
    }
  });
  whole_ = {};
  joints_.clear();
  for (const OfBlock& block : blocks_) {
    for (std::size_t k = 0; k < block.counts.rows.size(); ++k) {
      add_row_count(whole_.rows, k, block.counts.rows[k]);
    }
    whole_.worst_sum_error = std::max(whole_.worst_sum_error, block.counts.worst_sum_error);
    whole_.bad_sums += block.counts.bad_sums;
    for (const auto& [joint, of] : block.joints) {
      if (joints_.size() <= joint) {
        joints_.resize(std::size_t{joint} + 1);
      }
      add(joints_[joint], of);
    }
  }
  influences_ = influences;
}

}  // namespace pelt::mesh
