#include "mesh/influences_patch.h"

#include <utility>

#include "core/expect.h"
#include "core/parallel.h"

namespace pelt::mesh {
namespace {

using Block = Influences::Block;

// Blocks of a chunk: rows in random order lie in nearly as many blocks as there are rows.
constexpr std::size_t kBlockGrain = 16;

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
  std::size_t bytes = vertices.size() * sizeof(std::uint32_t) + bytes_of(rows) + blocks.size() * sizeof(WholeBlock) +
                      cuts.size() * sizeof(Cut);
  for (const WholeBlock& whole : blocks) {
    bytes += sizeof(Block) + bytes_of(*whole.rows);
  }
  return bytes;
}

InfluencesPatch patch_between(const Influences& from, const Influences& to) {
  PELT_EXPECT(from.vertex_count() == to.vertex_count(), "influences of the same vertices");
  struct ChangedBlock {
    std::size_t block = 0;
    std::vector<std::uint16_t> rows;
    std::size_t bytes = 0;  // of these rows in a patch
  };
  std::vector<ChangedBlock> changed;
  for_changed_blocks(from, to, [&](std::size_t b, std::size_t, std::size_t) { changed.push_back({b, {}, 0}); });
  parallel_for(changed.size(), kBlockGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      ChangedBlock& of = changed[i];
      const Block& now = to.block(of.block);
      of.rows = changed_rows(from.block(of.block), now);
      for (const std::uint16_t r : of.rows) {
        of.bytes += bytes_of(now.row(r));
      }
    }
  });
  InfluencesPatch patch;
  patch.budget = to.budget();
  for (const ChangedBlock& of : changed) {
    const Block& now = to.block(of.block);
    if (of.bytes > sizeof(InfluencesPatch::WholeBlock) + sizeof(Block) + bytes_of(now)) {
      patch.blocks.push_back({of.block, to.blocks()[of.block]});
      continue;
    }
    for (const std::uint16_t r : of.rows) {
      push_row(patch, static_cast<std::uint32_t>(of.block * Influences::kBlockRows + r), now.row(r));
    }
  }
  fit(patch);
  return patch;
}

void push_row(InfluencesPatch& patch, std::uint32_t vertex, const InfluenceRow& row) {
  PELT_EXPECT(patch.vertices.empty() || patch.vertices.back() < vertex, "rows of a patch in their order");
  patch.vertices.push_back(vertex);
  append(patch.rows, row);
}

Influences patched(Influences from, const InfluencesPatch& patch) {
  from.set_budget(patch.budget > 0 ? patch.budget : from.budget());
  for (const InfluencesPatch::WholeBlock& whole : patch.blocks) {
    from.put_block(whole.block, whole.rows);
  }
  const auto block_of = [&](std::size_t i) { return patch.vertices[i] / Influences::kBlockRows; };
  std::vector<std::size_t> first;  // row of the patch in each block that has any, and behind the last
  for (std::size_t i = 0; i < patch.vertices.size(); ++i) {
    if (i == 0 || block_of(i) != block_of(i - 1)) {
      first.push_back(i);
    }
  }
  const std::size_t count = first.size();
  first.push_back(patch.vertices.size());
  PELT_EXPECT(count == 0 || block_of(first[count - 1]) < from.block_count(), "a patch of these vertices");
  std::vector<Shared<Block>> blocks(count);
  parallel_for(count, kBlockGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t b = block_of(first[i]);
      blocks[i] = with_rows(from.block(b), std::span(patch.vertices).subspan(first[i], first[i + 1] - first[i]),
                            b * Influences::kBlockRows, patch.rows, first[i]);
    }
  });
  for (std::size_t i = 0; i < count; ++i) {
    from.put_block(block_of(first[i]), std::move(blocks[i]));
  }
  return from;
}

}  // namespace pelt::mesh
