#include <algorithm>
#include <array>
#include <utility>

#include "core/expect.h"
#include "core/parallel.h"
#include "deform/fast_skin_state.h"

// How FastSkin follows edited rows.

namespace pelt::deform {
namespace {

// Windows that one edit arranges again: 0.1 ms each at worst, so that the others wait for settle().
constexpr std::size_t kMostArranged = 48;

bool same_joints(const mesh::InfluenceRow& a, const mesh::InfluenceRow& b) {
  return a.joints.size() == b.joints.size() && std::ranges::all_of(a.joints, [&](std::uint16_t joint) {
           return std::ranges::find(b.joints, joint) != b.joints.end();
         });
}

}  // namespace

// The joints that blocks name, from their counts. @returns whether they are others than before
bool FastSkin::State::find_used() {
  std::vector<std::uint16_t> now;
  for (std::size_t j = 0; j < named.size(); ++j) {
    if (named[j] != 0) {
      now.push_back(static_cast<std::uint16_t>(j));
    }
  }
  return std::exchange(used, now) != now;
}

// Blocks whose vertices' rows or lanes are others, and all that is kept of them.
void FastSkin::State::rewrite(const mesh::Influences& now, std::span<const std::uint32_t> which) {
  bool appeared = false;
  for (const std::uint32_t b : which) {
    for (const std::uint16_t joint : list(b)) {
      appeared = --named[joint] == 0 || appeared;
    }
  }
  rewrite_blocks(now, joint_ranks, which, blocks);
  for (const std::uint32_t b : which) {
    for (const std::uint16_t joint : list(b)) {
      appeared = named[joint]++ == 0 || appeared;
    }
    stale[b * blocks.lanes / kSkinnedPerChunk] = 1;
    for (std::size_t slot = b * blocks.lanes; !heaviest.empty() && slot < (b + 1) * blocks.lanes; ++slot) {
      const std::span<const std::uint16_t> joints = now.joints(vertex_of(slot));
      heaviest[slot] = joints.empty() ? static_cast<std::uint16_t>(joint_count) : joints[0];
    }
  }
  // What is used decides thresholds, and those which vertices the plain kernel computes.
  if (appeared && find_used()) {
    complete = false;
  }
}

// Takes the shape of one window to where its vertices stand now.
void FastSkin::State::move_lanes(std::size_t window, std::span<const std::uint8_t> lane_before) {
  const std::size_t first = window * blocks.vertices_per_window();
  const std::size_t begin = place(first);
  for (LineVector<float>* values : {&shape, &base}) {
    if (values->empty()) {
      continue;
    }
    const std::vector<float> old(
        values->begin() + static_cast<std::ptrdiff_t>(begin),
        values->begin() + static_cast<std::ptrdiff_t>(begin + lane_before.size() / blocks.lanes * block_floats()));
    for (std::size_t i = 0; i < lane_before.size(); ++i) {
      for (std::size_t c = 0; c < components(); ++c) {
        (*values)[place(first + blocks.lane[first + i]) + c * blocks.lanes] =
            old[place(first + lane_before[i]) - begin + c * blocks.lanes];
      }
    }
  }
  for (FastMorphTarget& target : targets) {
    if (target.loaded) {
      move_deltas(target, window, lane_before);
    }
  }
}

// The same of a target's deltas, of which blocks that do not move have none.
void FastSkin::State::move_deltas(FastMorphTarget& target, std::size_t window,
                                  std::span<const std::uint8_t> lane_before) const {
  const std::size_t lanes = blocks.lanes;
  const std::size_t first_block = window * blocks_per_window(blocks.lanes);
  const std::size_t block_count = lane_before.size() / lanes;
  const std::size_t piece = target.components * lanes;
  std::vector<std::int32_t> free;  // pieces of the window
  std::vector<float> old(block_count * piece, 0.0f);
  for (std::size_t b = 0; b < block_count; ++b) {
    if (std::int32_t& at = target.at[first_block + b]; at != kUnmoved) {
      std::copy_n(target.deltas.data() + static_cast<std::size_t>(at) * piece, piece, old.data() + b * piece);
      free.push_back(std::exchange(at, kUnmoved));
    }
  }
  std::vector<float> moved(old.size());
  for (std::size_t i = 0; i < lane_before.size(); ++i) {
    const std::size_t to = blocks.lane[first_block * lanes + i];
    for (std::size_t c = 0; c < target.components; ++c) {
      moved[to / lanes * piece + c * lanes + to % lanes] =
          old[lane_before[i] / lanes * piece + c * lanes + lane_before[i] % lanes];
    }
  }
  for (std::size_t b = 0; b < block_count; ++b) {
    const std::span<const float> of_block = std::span<const float>(moved).subspan(b * piece, piece);
    if (std::ranges::all_of(of_block, [](float delta) { return delta == 0.0f; })) {
      continue;
    }
    if (free.empty()) {
      free.push_back(static_cast<std::int32_t>(target.deltas.size() / piece));
      target.deltas.resize(target.deltas.size() + piece);
    }
    std::ranges::copy(
        of_block, target.deltas.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(free.back()) * piece));
    target.at[first_block + b] = free.back();
    free.pop_back();
  }
}

// Arranges windows again, and names the blocks of those in which vertices moved.
void FastSkin::State::settle(const mesh::Influences& now, std::span<const std::uint32_t> windows,
                             std::vector<std::uint32_t>& to_rewrite) {
  const std::size_t per_window = blocks.vertices_per_window();
  const std::vector<std::uint8_t> lane_before = [&] {
    std::vector<std::uint8_t> out;
    for (const std::uint32_t w : windows) {
      const auto first = blocks.lane.begin() + static_cast<std::ptrdiff_t>(w * per_window);
      out.insert(out.end(), first,
                 first + static_cast<std::ptrdiff_t>(std::min(per_window, blocks.lane.size() - w * per_window)));
    }
    return out;
  }();
  const std::vector<char> moved = arrange_windows(now, joint_ranks, windows, blocks);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const std::size_t first = windows[i] * per_window;
    loose_count -= static_cast<std::size_t>(std::exchange(loose[windows[i]], char{0}) != 0);
    if (moved[i] != 0) {
      const std::size_t count = std::min(per_window, blocks.lane.size() - first);
      move_lanes(windows[i], std::span(lane_before).subspan(i * per_window, count));
      for (std::size_t b = first / blocks.lanes; b < (first + count) / blocks.lanes; ++b) {
        to_rewrite.push_back(static_cast<std::uint32_t>(b));
      }
    }
  }
}

bool FastSkin::update_rows(const mesh::Influences& before, const mesh::Influences& now) {
  State& state = *state_;
  const SkinBlocks& blocks = state.blocks;
  PELT_EXPECT(before.vertex_count() == blocks.vertex_count && now.vertex_count() == blocks.vertex_count,
              "as many rows as at construction");
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> regrouped;  // windows
  bool covered = true;
  mesh::for_changed_rows(before, now, [&](std::size_t v) {
    rows.push_back(static_cast<std::uint32_t>(v));
    covered = covered && now.count(v) <= kMostBlockInfluences;
    const auto window = static_cast<std::uint32_t>(v / blocks.vertices_per_window());
    if (blocks.lanes == kMostBlockLanes && (regrouped.empty() || regrouped.back() != window) &&
        !same_joints(before.row(v), now.row(v))) {
      regrouped.push_back(window);
    }
  });
  if (!covered) {
    return false;
  }
  for (const std::uint32_t w : regrouped) {
    state.loose_count += static_cast<std::size_t>(std::exchange(state.loose[w], char{1}) == 0);
  }
  std::vector<std::uint32_t> to_rewrite;
  state.settle(now, std::span(regrouped).first(std::min(regrouped.size(), kMostArranged)), to_rewrite);
  for (const std::uint32_t v : rows) {
    to_rewrite.push_back(static_cast<std::uint32_t>(state.slot(v) / blocks.lanes));
  }
  std::ranges::sort(to_rewrite);
  to_rewrite.erase(std::unique(to_rewrite.begin(), to_rewrite.end()), to_rewrite.end());
  state.rewrite(now, to_rewrite);
  return true;
}

std::size_t FastSkin::loose_windows() const {
  return state_->loose_count;
}

void FastSkin::settle(const mesh::Influences& now, std::size_t most) {
  std::vector<std::uint32_t> windows;
  for (std::uint32_t w = 0; state_->loose_count > 0 && w < state_->loose.size() && windows.size() < most; ++w) {
    if (state_->loose[w] != 0) {
      windows.push_back(w);
    }
  }
  std::vector<std::uint32_t> to_rewrite;
  state_->settle(now, windows, to_rewrite);
  state_->rewrite(now, to_rewrite);
}

}  // namespace pelt::deform
