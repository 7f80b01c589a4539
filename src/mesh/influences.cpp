#include "mesh/influences.h"

#include <array>
#include <cstring>
#include <numeric>
#include <utility>

#include "core/expect.h"
#include "mesh/row_divisor.h"

namespace pelt::mesh {
namespace {

using InfluenceBlock = Influences::Block;

void append_to(InfluenceBlock& block, const InfluenceRow& row) {
  block.joint.insert(block.joint.end(), row.joints.begin(), row.joints.end());
  block.weight.insert(block.weight.end(), row.weights.begin(), row.weights.end());
  block.offset.push_back(static_cast<std::uint32_t>(block.joint.size()));
  block.stored_sum.push_back(row.stored_sum);
}

// A block that will not grow any more gives back what it has asked for beyond need.
void fit(InfluenceBlock& block) {
  block.offset.shrink_to_fit();
  block.joint.shrink_to_fit();
  block.weight.shrink_to_fit();
  block.stored_sum.shrink_to_fit();
}

// How many entries of a row stay.
std::size_t kept_of(std::span<const float> weights, int limit, float threshold) {
  std::size_t kept = std::min<std::size_t>(weights.size(), static_cast<std::size_t>(limit));
  while (kept > 1 && weights[kept - 1] < threshold) {
    --kept;
  }
  return kept;
}

bool same_bits(const void* a, const void* b, std::size_t bytes) {
  return bytes == 0 || std::memcmp(a, b, bytes) == 0;
}

// To the bit, so that what is put back is what was there; by whole arrays first, since most rows are equal.
bool same_rows(const Influences::Block& a, const Influences::Block& b, std::size_t first, std::size_t end) {
  const std::size_t begin_a = a.offset[first];
  const std::size_t begin_b = b.offset[first];
  const std::size_t entries = a.offset[end] - begin_a;
  if (b.offset[end] - begin_b != entries) {
    return false;
  }
  for (std::size_t r = first + 1; r < end; ++r) {
    if (a.offset[r] - begin_a != b.offset[r] - begin_b) {
      return false;
    }
  }
  return same_bits(&a.stored_sum[first], &b.stored_sum[first], (end - first) * sizeof(float)) &&
         same_bits(a.weight.data() + begin_a, b.weight.data() + begin_b, entries * sizeof(float)) &&
         same_bits(a.joint.data() + begin_a, b.joint.data() + begin_b, entries * sizeof(std::uint16_t));
}

// Adds the rows that differ, halving the block where halves are equal.
void add_changed_rows(const Influences::Block& a, const Influences::Block& b, std::size_t first, std::size_t end,
                      std::vector<std::uint16_t>& out) {
  constexpr std::size_t kFew = 16;
  if (same_rows(a, b, first, end)) {
    return;
  }
  if (end - first > kFew) {
    const std::size_t middle = first + (end - first) / 2;
    add_changed_rows(a, b, first, middle, out);
    add_changed_rows(a, b, middle, end, out);
    return;
  }
  for (std::size_t r = first; r < end; ++r) {
    if (end - first == 1 || !same_rows(a, b, r, r + 1)) {
      out.push_back(static_cast<std::uint16_t>(r));
    }
  }
}

}  // namespace

std::vector<std::uint16_t> changed_rows(const Influences::Block& before, const Influences::Block& now) {
  const std::size_t common = std::min(before.row_count(), now.row_count());
  std::vector<std::uint16_t> out;
  if (common > 0) {
    add_changed_rows(before, now, 0, common, out);
  }
  for (std::size_t r = common; r < now.row_count(); ++r) {
    out.push_back(static_cast<std::uint16_t>(r));
  }
  return out;
}

std::uint32_t Influences::max_count() const {
  std::uint32_t most = 0;
  for (const Shared<Block>& block : blocks_) {
    const std::vector<std::uint32_t>& offset = block->offset;
    for (std::size_t r = 1; r < offset.size(); ++r) {
      most = std::max(most, offset[r] - offset[r - 1]);
    }
  }
  return most;
}

std::size_t Influences::entry_count() const {
  std::size_t count = 0;
  for (const Shared<Block>& block : blocks_) {
    count += block->joint.size();
  }
  return count;
}

std::size_t Influences::bytes() const {
  return (vertex_count_ + 1) * sizeof(std::uint32_t) + vertex_count_ * sizeof(float) +
         entry_count() * (sizeof(std::uint16_t) + sizeof(float));
}

Influences::Block& Influences::open_block() {
  if (vertex_count_ % kBlockRows == 0) {
    if (!blocks_.empty()) {
      fit(blocks_.back().edit());
    }
    blocks_.emplace_back(Block());
  }
  ++vertex_count_;
  return blocks_.back().edit();
}

void Influences::push_row(const InfluenceRow& row) {
  PELT_EXPECT(row.joints.size() == row.weights.size(), "one weight per joint");
  append_to(open_block(), row);
}

void Influences::push_empty(std::size_t count) {
  for (; count > 0; --count) {
    push_row({});
  }
}

void Influences::append(const Influences& rows) {
  const Influences from = rows;  // may be this
  blocks_.reserve((vertex_count_ + from.vertex_count_ + kBlockRows - 1) / kBlockRows);
  for (const Shared<Block>& block : from.blocks_) {
    if (vertex_count_ % kBlockRows == 0) {
      push_block(block);
      continue;
    }
    for (std::size_t r = 0; r < block->row_count(); ++r) {
      push_row(block->row(r));
    }
  }
}

void Influences::push_block(Shared<Block> block) {
  PELT_EXPECT(vertex_count_ % kBlockRows == 0, "whole blocks so far");
  PELT_EXPECT(block->row_count() > 0 && block->row_count() <= kBlockRows, "1 to kBlockRows rows");
  PELT_EXPECT(block->offset.size() == block->row_count() + 1 && block->offset.back() == block->joint.size() &&
                  block->joint.size() == block->weight.size(),
              "offsets that fit the entries");
  vertex_count_ += block->row_count();
  blocks_.push_back(std::move(block));
}

void Influences::put_block(std::size_t b, Shared<Block> block) {
  PELT_EXPECT(block->row_count() == blocks_[b]->row_count(), "as many rows as before");
  blocks_[b] = std::move(block);
}

void Influences::put_row(std::size_t v, const InfluenceRow& row) {
  PELT_EXPECT(v < vertex_count_, "a row that there is");
  PELT_EXPECT(row.joints.size() == row.weights.size(), "one weight per joint");
  Block& block = blocks_[v / kBlockRows].edit();
  const std::size_t r = v % kBlockRows;
  const auto begin = static_cast<std::ptrdiff_t>(block.offset[r]);
  const auto end = static_cast<std::ptrdiff_t>(block.offset[r + 1]);
  const auto count = static_cast<std::ptrdiff_t>(row.joints.size());
  if (count != end - begin) {
    const auto make_room = [&](auto& entries) {
      if (count < end - begin) {
        entries.erase(entries.begin() + begin + count, entries.begin() + end);
      } else {
        entries.insert(entries.begin() + end, static_cast<std::size_t>(count - (end - begin)), {});
      }
    };
    make_room(block.joint);
    make_room(block.weight);
    // Wraps where rows become shorter, and back: what is stored is never below zero.
    const auto more = static_cast<std::uint32_t>(count - (end - begin));
    for (std::size_t next = r + 1; next < block.offset.size(); ++next) {
      block.offset[next] += more;
    }
  }
  std::ranges::copy(row.joints, block.joint.begin() + begin);
  std::ranges::copy(row.weights, block.weight.begin() + begin);
  block.stored_sum[r] = row.stored_sum;
}

void Influences::set_row(std::size_t v, std::span<const std::uint16_t> joints, std::span<const float> weights) {
  std::vector<std::uint16_t> row_joints;
  std::vector<float> row_weights;
  const float sum = append_normalised(joints, weights, row_joints, row_weights);
  put_row(v, {row_joints, row_weights, sum});
}

void Influences::set_stored_sum(std::size_t v, float sum) {
  blocks_[v / kBlockRows].edit().stored_sum[v % kBlockRows] = sum;
}

float append_normalised(std::span<const std::uint16_t> joints, std::span<const float> weights,
                        std::vector<std::uint16_t>& out_joints, std::vector<float>& out_weights) {
  PELT_EXPECT(joints.size() == weights.size(), "one weight per joint");
  struct Slot {
    std::uint16_t joint;
    float weight;
  };
  // Rows are many and short: only long ones ask for memory.
  std::array<Slot, 16> few;
  std::vector<Slot> many(joints.size() > few.size() ? joints.size() : 0);
  const std::span<Slot> slots = many.empty() ? std::span<Slot>(few) : std::span<Slot>(many);
  std::size_t count = 0;
  double sum = 0;
  for (std::size_t k = 0; k < joints.size(); ++k) {
    if (!(weights[k] > 0)) {
      continue;
    }
    sum += static_cast<double>(weights[k]);
    std::size_t same = 0;
    while (same < count && slots[same].joint != joints[k]) {
      ++same;
    }
    if (same < count) {
      slots[same].weight += weights[k];
    } else {
      slots[count++] = {joints[k], weights[k]};
    }
  }
  sum = row_divisor(sum);
  const std::span<Slot> row = slots.first(count);
  const auto precedes = [](const Slot& a, const Slot& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.joint < b.joint;
  };
  if (many.empty()) {
    for (std::size_t k = 1; k < count; ++k) {
      const Slot slot = row[k];
      std::size_t at = k;
      for (; at > 0 && precedes(slot, row[at - 1]); --at) {
        row[at] = row[at - 1];
      }
      row[at] = slot;
    }
  } else {
    std::sort(row.begin(), row.end(), precedes);
  }
  for (const Slot& slot : row) {
    const auto weight = static_cast<float>(static_cast<double>(slot.weight) / sum);
    if (weight > 0) {  // the smallest floats may round to nothing
      out_joints.push_back(slot.joint);
      out_weights.push_back(weight);
    }
  }
  return static_cast<float>(sum);
}

void append_row(Influences& influences, std::span<const std::uint16_t> joints, std::span<const float> weights) {
  PELT_EXPECT(joints.size() == weights.size(), "one weight per joint");
  InfluenceBlock& block = influences.open_block();
  const float sum = append_normalised(joints, weights, block.joint, block.weight);
  block.offset.push_back(static_cast<std::uint32_t>(block.joint.size()));
  block.stored_sum.push_back(sum);
}

Shared<Influences::Block> limit_block(const Shared<Influences::Block>& block, int limit, float threshold,
                                      float* largest_dropped) {
  PELT_EXPECT(limit >= 1, "at least one influence per vertex");
  const std::size_t row_count = block->row_count();
  std::size_t first = 0;  // row that loses something
  while (first < row_count &&
         kept_of(block->row(first).weights, limit, threshold) == block->row(first).weights.size()) {
    ++first;
  }
  if (first == row_count) {
    return block;
  }
  InfluenceBlock out;
  out.offset.reserve(row_count + 1);
  out.stored_sum.reserve(row_count);
  std::vector<float> weights;
  for (std::size_t r = 0; r < row_count; ++r) {
    const InfluenceRow row = block->row(r);
    const std::size_t kept = kept_of(row.weights, limit, threshold);
    if (kept == row.weights.size()) {  // an untouched row keeps its bits
      append_to(out, row);
      continue;
    }
    const double sum =
        std::accumulate(row.weights.begin(), row.weights.begin() + static_cast<std::ptrdiff_t>(kept), 0.0);
    weights.clear();
    for (const float weight : row.weights.first(kept)) {
      weights.push_back(static_cast<float>(static_cast<double>(weight) / sum));
    }
    append_to(out, {row.joints.first(kept), weights, row.stored_sum});
    if (largest_dropped != nullptr) {
      const std::span<const float> lost = row.weights.subspan(kept);
      *largest_dropped = std::max(*largest_dropped, static_cast<float>(std::accumulate(lost.begin(), lost.end(), 0.0)));
    }
  }
  fit(out);
  return out;
}

Influences limit_influences(const Influences& influences, int limit, float threshold, float* largest_dropped) {
  if (largest_dropped != nullptr) {
    *largest_dropped = 0;
  }
  Influences out = influences;
  for (std::size_t b = 0; b < out.block_count(); ++b) {
    out.put_block(b, limit_block(out.blocks()[b], limit, threshold, largest_dropped));
  }
  return out;
}

void FlatInfluences::push_row(const InfluenceRow& row) {
  joint.insert(joint.end(), row.joints.begin(), row.joints.end());
  weight.insert(weight.end(), row.weights.begin(), row.weights.end());
  offset.push_back(static_cast<std::uint32_t>(joint.size()));
  stored_sum.push_back(row.stored_sum);
}

FlatInfluences flat(const Influences& influences) {
  FlatInfluences out;
  const std::size_t entry_count = influences.entry_count();
  out.offset.reserve(influences.vertex_count() + 1);
  out.stored_sum.reserve(influences.vertex_count());
  out.joint.reserve(entry_count);
  out.weight.reserve(entry_count);
  for (const Shared<Influences::Block>& block : influences.blocks()) {
    const auto before = static_cast<std::uint32_t>(out.joint.size());
    for (std::size_t r = 0; r < block->row_count(); ++r) {
      out.offset.push_back(before + block->offset[r + 1]);
    }
    out.joint.insert(out.joint.end(), block->joint.begin(), block->joint.end());
    out.weight.insert(out.weight.end(), block->weight.begin(), block->weight.end());
    out.stored_sum.insert(out.stored_sum.end(), block->stored_sum.begin(), block->stored_sum.end());
  }
  return out;
}

Influences in_blocks(const FlatInfluences& rows) {
  Influences out;
  for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
    const std::size_t begin = rows.offset[v];
    const std::size_t count = rows.count(v);
    out.push_row({std::span(rows.joint).subspan(begin, count), std::span(rows.weight).subspan(begin, count),
                  rows.stored_sum[v]});
  }
  return out;
}

}  // namespace pelt::mesh
