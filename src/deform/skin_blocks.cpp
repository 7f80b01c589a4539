#include "deform/skin_blocks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/expect.h"

namespace pelt::deform {
namespace {

constexpr float kUnits16 = 65535.0f;
/// Exchanging lanes costs a window about as much as so many joints more in one of its lists.
constexpr std::size_t kSortingCost = 2;

using Lanes = std::array<std::uint8_t, 2 * kMostBlockLanes>;

/// What one vertex follows: its own row, or the identity where that is empty.
struct Row {
  const std::uint16_t* joint;
  const float* weight;
  std::uint32_t count;
};

class Builder {
 public:
  Builder(const mesh::Influences& influences, std::span<const int> joint_ranks, std::uint32_t lanes,
          BlockWeights format)
      : influences_(influences), ranks_(joint_ranks), identity_(static_cast<std::uint16_t>(joint_ranks.size())) {
    out_.lanes = lanes;
    out_.format = format;
    out_.vertex_count = influences.vertex_count();
  }

  SkinBlocks build() {
    const std::size_t per_window = out_.vertices_per_window();
    const std::size_t window_count = (out_.vertex_count + per_window - 1) / per_window;
    out_.sorted.resize(window_count);
    out_.order.resize(window_count * per_window);
    for (std::size_t w = 0; w < window_count; ++w) {
      const Lanes vertex_of_lane = arrange(w);
      for (std::size_t block = 0; block < 2; ++block) {
        write_block(w, vertex_of_lane.data() + block * out_.lanes);
      }
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] Row row(std::size_t v) const {
    static constexpr float kWhole = 1.0f;
    const std::uint32_t begin = influences_.offset[v];
    const std::uint32_t count = influences_.offset[v + 1] - begin;
    PELT_EXPECT(count <= kMostBlockInfluences, "rows short enough for blocks");
    return count == 0 ? Row{&identity_, &kWhole, 1}
                      : Row{influences_.joint.data() + begin, influences_.weight.data() + begin, count};
  }

  /// Row of the vertex that stands `at` places behind the window's first; beyond the last vertex, that one's.
  [[nodiscard]] Row row(std::size_t w, std::size_t at) const {
    return row(std::min(w * out_.vertices_per_window() + at, out_.vertex_count - 1));
  }

  /// The order of a list: by rank, the identity last.
  [[nodiscard]] bool precedes(std::uint16_t a, std::uint16_t b) const {
    if (a == identity_ || b == identity_ || ranks_[a] == ranks_[b]) {
      return a < b;
    }
    return ranks_[a] < ranks_[b];
  }

  /// The joints of one block in order.
  [[nodiscard]] std::vector<std::uint16_t> joints_of(std::size_t w, const std::uint8_t* vertices) const {
    std::vector<std::uint16_t> joints;
    for (std::size_t lane = 0; lane < out_.lanes; ++lane) {
      const Row of = row(w, vertices[lane]);
      joints.insert(joints.end(), of.joint, of.joint + of.count);
    }
    std::sort(joints.begin(), joints.end(), [this](std::uint16_t a, std::uint16_t b) { return precedes(a, b); });
    joints.erase(std::unique(joints.begin(), joints.end()), joints.end());
    return joints;
  }

  /// Chooses which vertex goes to which lane of window w and notes it in `order`.
  Lanes arrange(std::size_t w) {
    const std::size_t per_window = out_.vertices_per_window();
    const auto end = [&](Lanes& lanes) { return lanes.begin() + static_cast<std::ptrdiff_t>(per_window); };
    const auto cost = [&](const Lanes& lanes) {
      return joints_of(w, lanes.data()).size() + joints_of(w, lanes.data() + out_.lanes).size();
    };
    Lanes best{};
    std::iota(best.begin(), best.end(), std::uint8_t{0});
    // Only wide registers exchange lanes at a price that shorter lists repay.
    if (out_.lanes == kMostBlockLanes) {
      const std::size_t plain_cost = cost(best);
      std::array<std::vector<std::uint16_t>, 2 * kMostBlockLanes> joints;
      for (std::size_t at = 0; at < per_window; ++at) {
        const Row of = row(w, at);
        joints[at].assign(of.joint, of.joint + of.count);  // heaviest first
      }
      Lanes by_joints = best;
      std::stable_sort(by_joints.begin(), end(by_joints),
                       [&](std::uint8_t a, std::uint8_t b) { return joints[a] < joints[b]; });
      Lanes by_count = best;
      std::stable_sort(by_count.begin(), end(by_count),
                       [&](std::uint8_t a, std::uint8_t b) { return joints[a].size() < joints[b].size(); });
      const std::size_t joints_cost = cost(by_joints);
      const std::size_t count_cost = cost(by_count);
      if (std::min(joints_cost, count_cost) + kSortingCost < plain_cost) {
        best = joints_cost <= count_cost ? by_joints : by_count;
        out_.sorted[w] = 1;
      }
    }
    for (std::size_t lane = 0; lane < per_window; ++lane) {
      out_.order[w * per_window + best[lane]] = static_cast<std::uint8_t>(lane);
    }
    return best;
  }

  void write_block(std::size_t w, const std::uint8_t* vertices) {
    const std::size_t lanes = out_.lanes;
    std::vector<std::uint16_t> joints = joints_of(w, vertices);
    SkinBlocks::Block block;
    block.joint_count = static_cast<std::uint32_t>(joints.size());
    const bool as_float = out_.format == BlockWeights::kFloat;
    const std::size_t weight_at = as_float ? out_.weights.size() : out_.weights16.size();
    block.weight_group = static_cast<std::uint32_t>(weight_at / lanes);
    if (joints == last_joints_) {
      block.first_joint = out_.blocks.back().first_joint;
    } else {
      block.first_joint = static_cast<std::uint32_t>(out_.joints.size());
      out_.joints.insert(out_.joints.end(), joints.begin(), joints.end());
    }
    if (as_float && joints.size() > 1) {
      out_.weights.resize(weight_at + joints.size() * lanes, 0.0f);
    } else if (joints.size() > 1) {
      out_.weights16.resize(weight_at + joints.size() * lanes, 0);
    }
    for (std::size_t lane = 0; lane < lanes && joints.size() > 1; ++lane) {
      const Row of = row(w, vertices[lane]);
      std::array<std::uint16_t, kMostBlockInfluences> quantized{};
      if (!as_float) {
        quantize_weights16(of.weight, of.count, quantized.data());
      }
      for (std::uint32_t k = 0; k < of.count; ++k) {
        const auto slot =
            static_cast<std::size_t>(std::find(joints.begin(), joints.end(), of.joint[k]) - joints.begin());
        const std::size_t at = weight_at + slot * lanes + lane;
        if (as_float) {
          out_.weights[at] = of.weight[k];
        } else {
          out_.weights16[at] = quantized[k];
        }
      }
    }
    out_.blocks.push_back(block);
    last_joints_ = std::move(joints);
  }

  const mesh::Influences& influences_;
  std::span<const int> ranks_;
  std::uint16_t identity_;
  SkinBlocks out_;
  std::vector<std::uint16_t> last_joints_;
};

}  // namespace

std::size_t SkinBlocks::bytes() const {
  return blocks.size() * sizeof(Block) + sorted.size() + joints.size() * sizeof(std::uint16_t) +
         weights.size() * sizeof(float) + weights16.size() * sizeof(std::uint16_t) + order.size();
}

SkinBlocks make_skin_blocks(const mesh::Influences& influences, std::span<const int> joint_ranks, std::uint32_t lanes,
                            BlockWeights format) {
  PELT_EXPECT(lanes == 4 || lanes == 8 || lanes == 16, "4, 8 or 16 lanes");
  PELT_EXPECT(joint_ranks.size() <= 65535, "joints are named by 16 bits, and one more stands for the identity");
  return Builder(influences, joint_ranks, lanes, format).build();
}

void quantize_weights16(const float* weights, std::uint32_t count, std::uint16_t* out) {
  std::uint32_t missing = 65535;
  for (std::uint32_t k = 0; k < count; ++k) {
    const float floor = std::min(std::floor(weights[k] * kUnits16), static_cast<float>(missing));
    out[k] = static_cast<std::uint16_t>(floor);
    missing -= out[k];
  }
  for (; missing > 0; --missing) {
    std::uint32_t best = 0;
    for (std::uint32_t k = 1; k < count; ++k) {
      if (weights[k] * kUnits16 - static_cast<float>(out[k]) >
          weights[best] * kUnits16 - static_cast<float>(out[best])) {
        best = k;
      }
    }
    ++out[best];
  }
}

}  // namespace pelt::deform
