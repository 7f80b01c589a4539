#include "deform/skin_blocks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <optional>

#include "core/expect.h"
#include "core/parallel.h"
#include "mesh/weight_formats.h"

namespace pelt::deform {
namespace {

/// Writing lanes one by one costs a block about as much as so many joints more in its list.
constexpr std::size_t kScatteringCost = 2;

constexpr std::size_t kWindowsPerChunk = 16;

using Lanes = std::array<std::uint8_t, kMostWindowVertices>;
using Masks = std::array<std::uint64_t, kMostWindowVertices>;

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
    const std::size_t lanes = out_.lanes;
    const std::size_t block_count = (out_.vertex_count + lanes - 1) / lanes;
    out_.vertex.resize(block_count * lanes);
    out_.lane.resize(block_count * lanes);
    const std::size_t per_window = out_.vertices_per_window();
    parallel_for((out_.vertex.size() + per_window - 1) / per_window, kWindowsPerChunk,
                 [&](std::size_t begin, std::size_t end) {
                   for (std::size_t w = begin; w < end; ++w) {
                     arrange(w);
                   }
                 });
    for (std::size_t at = 0; at < out_.vertex.size(); at += lanes) {
      const std::uint8_t* vertices = out_.vertex.data() + at;
      write_block(at / per_window, vertices);
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        out_.blocks.back().scattered |= vertices[lane] != at % per_window + lane;
      }
    }
    PELT_EXPECT(out_.vertex_count % lanes == 0 || !out_.blocks.back().scattered, "a last block in place");
    return std::move(out_);
  }

 private:
  [[nodiscard]] Row row(std::size_t v) const {
    static constexpr float kWhole = 1.0f;
    const mesh::InfluenceRow own = influences_.row(v);
    const auto count = static_cast<std::uint32_t>(own.joints.size());
    PELT_EXPECT(count <= kMostBlockInfluences, "rows short enough for blocks");
    return count == 0 ? Row{&identity_, &kWhole, 1} : Row{own.joints.data(), own.weights.data(), count};
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

  /// Chooses which vertex goes to which lane of window w and notes it. Safe to call for several windows at once.
  void arrange(std::size_t w) {
    const std::size_t first = w * out_.vertices_per_window();
    Lanes best{};
    std::iota(best.begin(), best.end(), std::uint8_t{0});
    // Only wide registers exchange lanes at a price that shorter lists repay.
    if (out_.lanes == kMostBlockLanes) {
      const std::size_t vertex_count = std::min(out_.vertices_per_window(), out_.vertex_count - first);
      if (const std::optional<Masks> masks = joint_masks(w, vertex_count)) {
        exchange(*masks, vertex_count / kMostBlockLanes, best);
      }
    }
    const std::size_t lane_count = std::min(out_.vertices_per_window(), out_.vertex.size() - first);
    for (std::size_t lane = 0; lane < lane_count; ++lane) {
      out_.vertex[first + lane] = best[lane];
      out_.lane[first + best[lane]] = static_cast<std::uint8_t>(lane);
    }
  }

  /// The joints of each vertex of window w, a bit for each that anything in the window follows; none where those are
  /// more than a word has bits.
  [[nodiscard]] std::optional<Masks> joint_masks(std::size_t w, std::size_t vertex_count) const {
    Masks masks{};
    std::vector<std::uint16_t> joints;
    for (std::size_t at = 0; at < vertex_count; ++at) {
      const Row of = row(w, at);
      for (std::uint32_t k = 0; k < of.count; ++k) {
        const auto found = std::find(joints.begin(), joints.end(), of.joint[k]);
        const auto bit = static_cast<std::size_t>(found - joints.begin());
        if (bit >= 64) {
          return std::nullopt;
        }
        if (found == joints.end()) {
          joints.push_back(of.joint[k]);
        }
        masks[at] |= std::uint64_t{1} << bit;
      }
    }
    return masks;
  }

  /// How many joints a block has whose lanes hold these vertices.
  static std::size_t list_length(const Masks& masks, const std::uint8_t* vertices) {
    std::uint64_t all = 0;
    for (std::size_t lane = 0; lane < kMostBlockLanes; ++lane) {
      all |= masks[vertices[lane]];
    }
    return static_cast<std::size_t>(std::popcount(all));
  }

  /// Lets the window's first `block_count` blocks exchange vertices where that pays: those whose lists are longer than
  /// some bound, which is the best of a few. Others stay as they are.
  static void exchange(const Masks& masks, std::size_t block_count, Lanes& vertex_of_lane) {
    std::array<std::size_t, kMostWindowVertices / kMostBlockLanes> length{};
    for (std::size_t block = 0; block < block_count; ++block) {
      length[block] = list_length(masks, vertex_of_lane.data() + block * kMostBlockLanes);
    }
    const Lanes plain = vertex_of_lane;
    std::size_t most_saved = 0;
    std::size_t last_pool = block_count + 1;
    for (const std::size_t bound : {2, 3, 4, 6, 8}) {
      std::vector<std::size_t> pool;  // blocks
      std::size_t before = 0;
      for (std::size_t block = 0; block < block_count; ++block) {
        if (length[block] > bound) {
          pool.push_back(block);
          before += length[block];
        }
      }
      if (pool.size() == last_pool) {
        continue;  // larger bounds leave blocks out: of as many, they are the same ones
      }
      last_pool = pool.size();
      const Lanes gathered = gather(masks, pool);
      Lanes arranged = plain;
      std::size_t after = 0;
      for (std::size_t i = 0; i < pool.size(); ++i) {
        const std::uint8_t* from = gathered.data() + i * kMostBlockLanes;
        std::copy_n(from, kMostBlockLanes, arranged.data() + pool[i] * kMostBlockLanes);
        after += list_length(masks, from) + kScatteringCost;
      }
      if (after + most_saved < before) {
        most_saved = before - after;
        vertex_of_lane = arranged;
      }
    }
  }

  /// The vertices of some blocks, block by block: one of most joints first, then those that add the fewest.
  static Lanes gather(const Masks& masks, std::span<const std::size_t> pool) {
    struct Alike {
      std::uint64_t mask;
      std::vector<std::uint8_t> vertices;  // the next one to be taken last
    };
    std::vector<Alike> groups;
    for (auto block = pool.rbegin(); block != pool.rend(); ++block) {
      for (std::size_t lane = kMostBlockLanes; lane-- > 0;) {
        const std::size_t vertex = *block * kMostBlockLanes + lane;
        const auto group = std::ranges::find(groups, masks[vertex], &Alike::mask);
        (group != groups.end() ? *group : groups.emplace_back(Alike{masks[vertex], {}}))
            .vertices.push_back(static_cast<std::uint8_t>(vertex));
      }
    }
    Lanes out{};
    std::uint64_t list = 0;
    for (std::size_t at = 0; at < pool.size() * kMostBlockLanes; ++at) {
      if (at % kMostBlockLanes == 0) {
        list = 0;
      }
      auto best = groups.begin();
      int least = std::numeric_limits<int>::max();
      for (auto group = groups.begin(); group != groups.end(); ++group) {
        const int more = list == 0 ? 0 : std::popcount(group->mask & ~list);
        const int price = 64 * more - std::popcount(group->mask);
        if (price < least) {
          least = price;
          best = group;
        }
      }
      list |= best->mask;
      out[at] = best->vertices.back();
      best->vertices.pop_back();
      if (best->vertices.empty()) {
        groups.erase(best);
      }
    }
    return out;
  }

  void write_block(std::size_t w, const std::uint8_t* vertices) {
    const std::size_t lanes = out_.lanes;
    std::vector<std::uint16_t> joints = joints_of(w, vertices);
    SkinBlocks::Block block;
    block.joint_count = static_cast<std::uint16_t>(joints.size());
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
        mesh::round_weights({of.weight, of.count}, mesh::weight_total(mesh::WeightFormat::kUnorm16),
                            std::span(quantized).first(of.count));
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
  return blocks.size() * sizeof(Block) + joints.size() * sizeof(std::uint16_t) + weights.size() * sizeof(float) +
         weights16.size() * sizeof(std::uint16_t) + vertex.size() + lane.size();
}

SkinBlocks make_skin_blocks(const mesh::Influences& influences, std::span<const int> joint_ranks, std::uint32_t lanes,
                            BlockWeights format) {
  PELT_EXPECT(lanes == 4 || lanes == 8 || lanes == 16, "4, 8 or 16 lanes");
  PELT_EXPECT(joint_ranks.size() <= 65535, "joints are named by 16 bits, and one more stands for the identity");
  return Builder(influences, joint_ranks, lanes, format).build();
}

}  // namespace pelt::deform
