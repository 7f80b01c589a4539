#include "render/gpu_paint.h"

#include <algorithm>
#include <numeric>

#include "core/expect.h"
#include "render/gpu_parts.h"

namespace pelt::render {
namespace {

// Vertices between two ranges that are written again rather than starting another call.
constexpr std::size_t kBridgedGap = 8;

// The target that vertex arrays take, also to fill the buffer. NVIDIA's driver (580) takes up to 64 KiB that came
// through another one anew once they are an attribute, and what glBufferSubData wrote before the next draw is lost.
constexpr GLenum kRowTarget = GL_ARRAY_BUFFER;

constexpr std::size_t whole_words(std::size_t bytes) {
  return (bytes + 3) / 4 * 4;
}

}  // namespace

void add_to_ranges(std::vector<RowRange>& ranges, std::size_t vertex) {
  if (!ranges.empty() && vertex <= ranges.back().first + ranges.back().second + kBridgedGap) {
    ranges.back().second = vertex + 1 - ranges.back().first;
  } else {
    ranges.emplace_back(vertex, 1);
  }
}

std::int64_t PaintRows::bytes() const {
  return static_cast<std::int64_t>(stride_ * content_.rows->vertex_count());
}

void PaintRows::write(const Content& content, const std::vector<RowRange>& ranges,
                      std::vector<std::uint8_t>& out) const {
  mesh::RowPacker packer(layout_);
  const auto index_bytes = static_cast<std::size_t>(layout_.slots) * static_cast<std::size_t>(layout_.index_bytes);
  const auto weight_bytes =
      static_cast<std::size_t>(layout_.stored_weights) * static_cast<std::size_t>(layout_.weight_bytes());
  const std::size_t count = std::accumulate(ranges.begin(), ranges.end(), std::size_t{0},
                                            [](std::size_t sum, const RowRange& r) { return sum + r.second; });
  out.assign(count * stride_, 0);
  std::vector<float> scaled;
  std::span<std::uint8_t> at(out);
  for (const auto& [first, length] : ranges) {
    for (std::size_t v = first; v < first + length; ++v) {
      const mesh::InfluenceRow row = content.rows->row(v);
      std::span<const float> weights = row.weights;
      if (content.as_stored) {
        scaled.assign(weights.begin(), weights.end());
        for (float& weight : scaled) {
          weight *= row.stored_sum;
        }
        weights = scaled;
      }
      packer.pack(row.joints, weights, at.first(index_bytes), at.subspan(weight_offset_, weight_bytes));
      at = at.subspan(stride_);
    }
  }
}

void PaintRows::set(const Content& content, const mesh::PackedInfluences& layout, std::size_t joints,
                    RowUpload& upload) {
  content_ = content;
  layout_ = layout;
  weight_offset_ = whole_words(static_cast<std::size_t>(layout.slots) * static_cast<std::size_t>(layout.index_bytes));
  stride_ = weight_offset_ + whole_words(static_cast<std::size_t>(layout.stored_weights) *
                                         static_cast<std::size_t>(layout.weight_bytes()));
  entries_.assign(joints, 0);
  content.source->for_each_entry([&](std::uint16_t joint, float) { ++entries_[joint]; });
  std::vector<std::uint8_t> bytes;
  write(content, {{0, content.rows->vertex_count()}}, bytes);
  if (!buffer_) {
    buffer_ = Buffer::make();
  }
  glBindBuffer(kRowTarget, buffer_.id());
  glBufferData(kRowTarget, static_cast<GLsizeiptr>(bytes.size()), bytes.data(), GL_DYNAMIC_DRAW);
  glBindBuffer(kRowTarget, 0);
  upload.bytes += static_cast<std::int64_t>(bytes.size());
  ++upload.ranges;
}

bool PaintRows::count_joints(const mesh::Influences& before, const mesh::Influences& now) {
  bool other_joints = false;
  mesh::for_changed_rows(before, now, [&](std::size_t v) {
    for (const std::uint16_t joint : now.joints(v)) {
      other_joints |= entries_[joint]++ == 0;
    }
    for (const std::uint16_t joint : before.joints(v)) {
      other_joints |= --entries_[joint] == 0;
    }
  });
  return other_joints;
}

bool PaintRows::follow(const Content& content, RowUpload& upload) {
  PELT_EXPECT(content.rows->vertex_count() == content_.rows->vertex_count(), "as many vertices as before");
  PELT_EXPECT(content.as_stored == content_.as_stored, "weights are taken as before");
  if (content.source.is(content_.source) && content.rows.is(content_.rows)) {
    return false;
  }
  const bool other_joints = count_joints(content_.source, content.source);
  std::vector<RowRange> ranges;
  mesh::for_changed_rows(content_.rows, content.rows, [&](std::size_t v) { add_to_ranges(ranges, v); });
  std::vector<std::uint8_t> bytes;
  write(content, ranges, bytes);
  glBindBuffer(kRowTarget, buffer_.id());
  std::size_t at = 0;
  for (const auto& [first, length] : ranges) {
    glBufferSubData(kRowTarget, static_cast<GLintptr>(first * stride_), static_cast<GLsizeiptr>(length * stride_),
                    bytes.data() + at);
    at += length * stride_;
  }
  glBindBuffer(kRowTarget, 0);
  upload.bytes += static_cast<std::int64_t>(bytes.size());
  upload.ranges += static_cast<std::int64_t>(ranges.size());
  content_ = content;
  return other_joints;
}

void PaintRows::set_attributes() const {
  set_influence_attributes(layout_, {buffer_.id(), 0, static_cast<GLsizei>(stride_)},
                           {buffer_.id(), weight_offset_, static_cast<GLsizei>(stride_)});
}

}  // namespace pelt::render
