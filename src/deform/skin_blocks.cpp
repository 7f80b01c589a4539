#include "deform/skin_blocks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/expect.h"
#include "core/parallel.h"
#include "mesh/weight_formats.h"

namespace pelt::deform {
namespace {

/// Writing lanes one by one costs a block about as much as so many joints more in its list.
constexpr std::size_t kScatteringCost = 2;

constexpr std::size_t kWindowsPerChunk = 16;

/// Joints of lists that nothing names any more, besides a quarter of all: too few to be worth looking for.
constexpr std::size_t kMostJointWaste = 4096;

using Lanes = std::array<std::uint8_t, kMostWindowVertices>;
using Masks = std::array<std::uint64_t, kMostWindowVertices>;

/// What one vertex follows: its own row, or the identity where that is empty.
struct Row {
  const std::uint16_t* joint;
  const float* weight;
  std::uint32_t count;
};

std::span<const std::uint16_t> list_of(const SkinBlocks& blocks, const SkinBlocks::Block& block) {
  return {blocks.joints.data() + block.first_joint, block.joint_count};
}

/// Blocks of one joint need no weights.
std::size_t group_count(const SkinBlocks::Block& block) {
  return block.joint_count > 1 ? block.joint_count : 0;
}

/// Writes influences into blocks, all or some of them.
class Writer {
 public:
  Writer(const mesh::Influences& influences, std::span<const int> joint_ranks, SkinBlocks& blocks)
      : influences_(influences),
        ranks_(joint_ranks),
        identity_(static_cast<std::uint16_t>(joint_ranks.size())),
        out_(blocks) {}

  /// Chooses which vertex goes to which lane of window w and notes it. Safe to call for several windows at once.
  /// @returns whether any went elsewhere before
  bool arrange(std::size_t w) {
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
    bool moved = false;
    for (std::size_t lane = 0; lane < lane_count; ++lane) {
      moved = moved || out_.vertex[first + lane] != best[lane];
      out_.vertex[first + lane] = best[lane];
      out_.lane[first + best[lane]] = static_cast<std::uint8_t>(lane);
    }
    return moved;
  }

  /// Writes the block `at` from its vertices' rows, over what it was.
  void write_block(std::size_t at) {
    const std::uint8_t* const vertices = out_.vertex.data() + at * out_.lanes;
    const std::vector<std::uint16_t> joints = joints_of(at / blocks_per_window(out_.lanes), vertices);
    SkinBlocks::Block& block = out_.blocks[at];
    const std::size_t had = group_count(block);
    write_list(at, joints);
    make_room(block, had, group_count(block));
    if (joints.size() > 1) {
      write_weights(at, joints);
    }
    const std::size_t first = at % blocks_per_window(out_.lanes) * out_.lanes;
    block.scattered = false;
    for (std::size_t lane = 0; lane < out_.lanes; ++lane) {
      block.scattered |= vertices[lane] != first + lane;
    }
    PELT_EXPECT((at + 1) * out_.lanes <= out_.vertex_count || !block.scattered, "a last block in place");
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
      for (std::uint32_t k = 0; k < of.count; ++k) {
        if (std::ranges::find(joints, of.joint[k]) == joints.end()) {
          joints.push_back(of.joint[k]);
        }
      }
    }
    std::sort(joints.begin(), joints.end(), [this](std::uint16_t a, std::uint16_t b) { return precedes(a, b); });
    return joints;
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
        const std::size_t bit = found - joints.begin();
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
      int joints;                          // of the mask
      std::vector<std::uint8_t> vertices;  // the next one to be taken last
    };
    std::vector<Alike> groups;
    for (auto block = pool.rbegin(); block != pool.rend(); ++block) {
      for (std::size_t lane = kMostBlockLanes; lane-- > 0;) {
        const std::size_t vertex = *block * kMostBlockLanes + lane;
        const auto group = std::ranges::find(groups, masks[vertex], &Alike::mask);
        (group != groups.end() ? *group : groups.emplace_back(Alike{masks[vertex], std::popcount(masks[vertex]), {}}))
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
        // What the list has already costs nothing to count.
        const std::uint64_t added = list == 0 ? 0 : group->mask & ~list;
        const int price = (added == 0 ? 0 : 64 * std::popcount(added)) - group->joints;
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

  [[nodiscard]] bool lists(const SkinBlocks::Block& block, std::span<const std::uint16_t> joints) const {
    return std::ranges::equal(list_of(out_, block), joints);
  }

  void write_list(std::size_t at, std::span<const std::uint16_t> joints) {
    SkinBlocks::Block& block = out_.blocks[at];
    if (lists(block, joints)) {
      return;
    }
    if (at > 0 && lists(out_.blocks[at - 1], joints)) {
      block.first_joint = out_.blocks[at - 1].first_joint;
    } else {
      block.first_joint = static_cast<std::uint32_t>(out_.joints.size());
      out_.joints.insert(out_.joints.end(), joints.begin(), joints.end());
    }
    block.joint_count = static_cast<std::uint16_t>(joints.size());
  }

  /// Weights of nothing, where the block's are as far as they have room there.
  void make_room(SkinBlocks::Block& block, std::size_t had, std::size_t needed) {
    const auto clear = [&](auto& weights) {
      if (needed > had || had == 0) {
        block.weight_group = static_cast<std::uint32_t>(weights.size() / out_.lanes);
        weights.resize(weights.size() + needed * out_.lanes, 0);
      } else {
        std::fill_n(weights.begin() + static_cast<std::ptrdiff_t>(block.weight_group * out_.lanes), needed * out_.lanes,
                    typename std::remove_reference_t<decltype(weights)>::value_type{0});
      }
    };
    if (out_.format == BlockWeights::kFloat) {
      clear(out_.weights);
    } else {
      clear(out_.weights16);
    }
    out_.used_groups += needed;
    out_.used_groups -= had;
  }

  void write_weights(std::size_t at, std::span<const std::uint16_t> joints) {
    const std::size_t lanes = out_.lanes;
    const std::size_t w = at / blocks_per_window(out_.lanes);
    const bool as_float = out_.format == BlockWeights::kFloat;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const Row of = row(w, out_.vertex[at * lanes + lane]);
      std::array<std::uint16_t, kMostBlockInfluences> quantized{};
      if (!as_float) {
        mesh::round_weights({of.weight, of.count}, mesh::weight_total(mesh::WeightFormat::kUnorm16),
                            std::span(quantized).first(of.count));
      }
      for (std::uint32_t k = 0; k < of.count; ++k) {
        const std::size_t slot = std::ranges::find(joints, of.joint[k]) - joints.begin();
        const std::size_t to = (out_.blocks[at].weight_group + slot) * lanes + lane;
        if (as_float) {
          out_.weights[to] = of.weight[k];
        } else {
          out_.weights16[to] = quantized[k];
        }
      }
    }
  }

  const mesh::Influences& influences_;
  std::span<const int> ranks_;
  std::uint16_t identity_;
  SkinBlocks& out_;
};

/// The capacity of what an edit appends to: so much more than there is that the first edits need not move all of it.
template <typename T>
void leave_room(T& array) {
  array.reserve(array.size() + array.size() / 4);
}

}  // namespace

std::size_t SkinBlocks::bytes() const {
  return blocks.size() * sizeof(Block) + joints.size() * sizeof(std::uint16_t) + weights.size() * sizeof(float) +
         weights16.size() * sizeof(std::uint16_t) + vertex.size() + lane.size();
}

SkinBlocks make_skin_blocks(const mesh::Influences& influences, std::span<const int> joint_ranks, std::uint32_t lanes,
                            BlockWeights format) {
  PELT_EXPECT(lanes == 4 || lanes == 8 || lanes == 16, "4, 8 or 16 lanes");
  PELT_EXPECT(joint_ranks.size() <= 65535, "joints are named by 16 bits, and one more stands for the identity");
  SkinBlocks out;
  out.lanes = lanes;
  out.format = format;
  out.vertex_count = influences.vertex_count();
  out.blocks.resize((out.vertex_count + lanes - 1) / lanes);
  out.vertex.resize(out.blocks.size() * lanes);
  out.lane.resize(out.blocks.size() * lanes);
  Writer writer(influences, joint_ranks, out);
  parallel_for(out.window_count(), kWindowsPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t w = begin; w < end; ++w) {
      writer.arrange(w);
    }
  });
  for (std::size_t at = 0; at < out.blocks.size(); ++at) {
    writer.write_block(at);
  }
  out.compact_joints = out.joints.size();
  leave_room(out.weights);
  leave_room(out.weights16);
  return out;
}

std::vector<char> arrange_windows(const mesh::Influences& influences, std::span<const int> joint_ranks,
                                  std::span<const std::uint32_t> windows, SkinBlocks& blocks) {
  std::vector<char> moved(windows.size());
  Writer writer(influences, joint_ranks, blocks);
  parallel_for(windows.size(), kWindowsPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      moved[i] = static_cast<char>(writer.arrange(windows[i]));
    }
  });
  return moved;
}

void rewrite_blocks(const mesh::Influences& influences, std::span<const int> joint_ranks,
                    std::span<const std::uint32_t> which, SkinBlocks& blocks) {
  Writer writer(influences, joint_ranks, blocks);
  for (const std::uint32_t at : which) {
    writer.write_block(at);
  }
  const std::size_t groups = (blocks.weights.size() + blocks.weights16.size()) / blocks.lanes;
  if ((groups - blocks.used_groups) * 4 > groups ||
      blocks.joints.size() > blocks.compact_joints + blocks.compact_joints / 4 + kMostJointWaste) {
    compact(blocks);
  }
}

void compact(SkinBlocks& blocks) {
  SkinBlocks old = std::exchange(blocks, {});
  blocks.lanes = old.lanes;
  blocks.format = old.format;
  blocks.vertex_count = old.vertex_count;
  blocks.used_groups = old.used_groups;
  blocks.blocks = old.blocks;
  blocks.vertex = std::move(old.vertex);
  blocks.lane = std::move(old.lane);
  const auto move_groups = [&](const SkinBlocks::Block& block, const auto& from, auto& to) {
    const auto first = from.begin() + static_cast<std::ptrdiff_t>(block.weight_group * old.lanes);
    to.insert(to.end(), first, first + static_cast<std::ptrdiff_t>(group_count(block) * old.lanes));
  };
  const bool as_float = old.format == BlockWeights::kFloat;
  const std::size_t room = old.used_groups * old.lanes + old.used_groups * old.lanes / 4;
  blocks.weights.reserve(as_float ? room : 0);
  blocks.weights16.reserve(as_float ? 0 : room);
  for (std::size_t at = 0; at < old.blocks.size(); ++at) {
    const SkinBlocks::Block& from = old.blocks[at];
    SkinBlocks::Block& block = blocks.blocks[at];
    const std::span<const std::uint16_t> joints = list_of(old, from);
    if (at > 0 && std::ranges::equal(list_of(old, old.blocks[at - 1]), joints)) {
      block.first_joint = blocks.blocks[at - 1].first_joint;
    } else {
      block.first_joint = static_cast<std::uint32_t>(blocks.joints.size());
      blocks.joints.insert(blocks.joints.end(), joints.begin(), joints.end());
    }
    if (as_float) {
      block.weight_group = static_cast<std::uint32_t>(blocks.weights.size() / old.lanes);
      move_groups(from, old.weights, blocks.weights);
    } else {
      block.weight_group = static_cast<std::uint32_t>(blocks.weights16.size() / old.lanes);
      move_groups(from, old.weights16, blocks.weights16);
    }
  }
  blocks.compact_joints = blocks.joints.size();
}

}  // namespace pelt::deform
