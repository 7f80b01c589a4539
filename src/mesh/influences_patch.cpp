#include "mesh/influences_patch.h"

#include <cstring>
#include <utility>

#include "core/expect.h"

namespace pelt::mesh {
namespace {

using Block = Influences::Block;

bool same_bits(const void* a, const void* b, std::size_t bytes) {
  return bytes == 0 || std::memcmp(a, b, bytes) == 0;
}

// To the bit, so that what is put back is what was there; by whole arrays first, since most rows are equal.
bool same_rows(const Block& a, const Block& b, std::size_t first, std::size_t end) {
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

// Calls f(row) for each row that differs, halving the block where halves are equal.
template <typename F>
void for_different_rows(const Block& a, const Block& b, std::size_t first, std::size_t end, const F& f) {
  constexpr std::size_t kFew = 16;
  if (same_rows(a, b, first, end)) {
    return;
  }
  if (end - first > kFew) {
    const std::size_t middle = first + (end - first) / 2;
    for_different_rows(a, b, first, middle, f);
    for_different_rows(a, b, middle, end, f);
    return;
  }
  for (std::size_t r = first; r < end; ++r) {
    if (end - first == 1 || !same_rows(a, b, r, r + 1)) {
      f(r);
    }
  }
}

void append(Block& rows, const InfluenceRow& row) {
  rows.joint.insert(rows.joint.end(), row.joints.begin(), row.joints.end());
  rows.weight.insert(rows.weight.end(), row.weights.begin(), row.weights.end());
  rows.offset.push_back(static_cast<std::uint32_t>(rows.joint.size()));
  rows.stored_sum.push_back(row.stored_sum);
}

// Rows [first, end) of a block.
void append(Block& rows, const Block& block, std::size_t first, std::size_t end) {
  const auto more = static_cast<std::uint32_t>(rows.joint.size()) - block.offset[first];  // wraps, and back
  for (std::size_t r = first; r < end; ++r) {
    rows.offset.push_back(block.offset[r + 1] + more);
  }
  const auto part = [&](auto& to, const auto& from, std::size_t begin, std::size_t stop) {
    to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(begin),
              from.begin() + static_cast<std::ptrdiff_t>(stop));
  };
  part(rows.stored_sum, block.stored_sum, first, end);
  part(rows.joint, block.joint, block.offset[first], block.offset[end]);
  part(rows.weight, block.weight, block.offset[first], block.offset[end]);
}

// As much as `append` would add.
std::size_t bytes_of(const InfluenceRow& row) {
  return 2 * sizeof(std::uint32_t) + sizeof(float) + row.joints.size() * (sizeof(std::uint16_t) + sizeof(float));
}

void fit(InfluencesPatch& patch) {
  patch.vertices.shrink_to_fit();
  patch.rows.offset.shrink_to_fit();
  patch.rows.joint.shrink_to_fit();
  patch.rows.weight.shrink_to_fit();
  patch.rows.stored_sum.shrink_to_fit();
  patch.blocks.shrink_to_fit();
}

// A block with other rows at some places. @param places  [R] rows of the block, ascending
Block with_rows(const Block& block, std::span<const std::uint32_t> places, std::size_t first_vertex, const Block& rows,
                std::size_t first_row) {
  Block out;
  out.offset.reserve(block.offset.size());
  out.stored_sum.reserve(block.row_count());
  std::size_t entries = block.joint.size();
  for (std::size_t i = 0; i < places.size(); ++i) {
    entries += rows.row(first_row + i).joints.size() - block.row(places[i] - first_vertex).joints.size();
  }
  out.joint.reserve(entries);
  out.weight.reserve(entries);
  std::size_t done = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::size_t r = places[i] - first_vertex;
    append(out, block, done, r);
    append(out, rows.row(first_row + i));
    done = r + 1;
  }
  append(out, block, done, block.row_count());
  return out;
}

}  // namespace

std::size_t bytes_of(const Influences::Block& block) {
  return block.offset.size() * sizeof(std::uint32_t) + block.joint.size() * sizeof(std::uint16_t) +
         block.weight.size() * sizeof(float) + block.stored_sum.size() * sizeof(float);
}

std::size_t InfluencesPatch::bytes() const {
  std::size_t bytes = vertices.size() * sizeof(std::uint32_t) + bytes_of(rows) + blocks.size() * sizeof(WholeBlock);
  for (const WholeBlock& whole : blocks) {
    bytes += sizeof(Block) + bytes_of(*whole.rows);
  }
  return bytes;
}

InfluencesPatch patch_between(const Influences& from, const Influences& to) {
  PELT_EXPECT(from.vertex_count() == to.vertex_count(), "influences of the same vertices");
  InfluencesPatch patch;
  std::vector<std::size_t> changed;  // rows of one block
  for_changed_blocks(from, to, [&](std::size_t b, std::size_t first, std::size_t) {
    const Block& now = to.block(b);
    changed.clear();
    std::size_t bytes = 0;
    for_different_rows(from.block(b), now, 0, now.row_count(), [&](std::size_t r) {
      changed.push_back(r);
      bytes += bytes_of(now.row(r));
    });
    if (bytes > sizeof(InfluencesPatch::WholeBlock) + sizeof(Block) + bytes_of(now)) {
      patch.blocks.push_back({b, to.blocks()[b]});
      return;
    }
    for (const std::size_t r : changed) {
      patch.vertices.push_back(static_cast<std::uint32_t>(first + r));
      append(patch.rows, now.row(r));
    }
  });
  fit(patch);
  return patch;
}

Influences patched(Influences from, const InfluencesPatch& patch) {
  for (const InfluencesPatch::WholeBlock& whole : patch.blocks) {
    from.put_block(whole.block, whole.rows);
  }
  for (std::size_t i = 0; i < patch.vertices.size();) {
    const std::size_t b = patch.vertices[i] / Influences::kBlockRows;
    std::size_t end = i + 1;
    while (end < patch.vertices.size() && patch.vertices[end] / Influences::kBlockRows == b) {
      ++end;
    }
    PELT_EXPECT(b < from.block_count(), "a patch of these vertices");
    from.put_block(b, with_rows(from.block(b), std::span(patch.vertices).subspan(i, end - i),
                                b * Influences::kBlockRows, patch.rows, i));
    i = end;
  }
  return from;
}

}  // namespace pelt::mesh
