#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/shared.h"
#include "mesh/influences.h"
#include "mesh/weight_formats.h"
#include "render/gl_objects.h"

namespace pelt::render {

/// Bytes that went to the GPU, and in how many calls.
struct RowUpload {
  std::int64_t bytes = 0;
  std::int64_t ranges = 0;
};

/// First vertex and count.
using RowRange = std::pair<std::size_t, std::size_t>;

/// Adds a vertex to ascending ranges. A gap that costs less to write again than a call does is bridged.
void add_to_ranges(std::vector<RowRange>& ranges, std::size_t vertex);

/// The influences of one primitive for the paint layout: vertices in the file's order with a fixed number of slots
/// each, joints as the skin counts them, indices and weights of a vertex side by side in one buffer. What an edit
/// changed is written into it, the rest stays.
class PaintRows {
 public:
  /// What is in the buffer, and how.
  struct Content {
    Shared<mesh::Influences> source;  ///< the primitive's own
    Shared<mesh::Influences> rows;    ///< as they are used under the settings
    bool as_stored = false;
  };

  /// @param layout  without bytes; rows may fill all of its slots
  /// @param joints  of the skin
  void set(const Content& content, const mesh::PackedInfluences& layout, std::size_t joints, RowUpload& upload);
  /// Writes what differs from the last content. @pre  as many vertices, rows that fit slots(), as_stored as before
  /// @returns true where a joint began to be followed by some vertex, or ceased to be
  bool follow(const Content& content, RowUpload& upload);

  /// Makes the bound vertex array read from here.
  void set_attributes() const;

  [[nodiscard]] const Content& content() const { return content_; }
  [[nodiscard]] const mesh::PackedInfluences& layout() const { return layout_; }
  [[nodiscard]] int slots() const { return layout_.slots; }
  /// Of the skin.
  [[nodiscard]] std::size_t joint_count() const { return entries_.size(); }
  [[nodiscard]] bool empty() const { return !buffer_; }
  [[nodiscard]] std::int64_t bytes() const;

 private:
  void write(const Content& content, const std::vector<RowRange>& ranges, std::vector<std::uint8_t>& out) const;
  bool count_joints(const mesh::Influences& before, const mesh::Influences& now);

  Content content_;
  mesh::PackedInfluences layout_;
  std::size_t weight_offset_ = 0;  // within a vertex
  std::size_t stride_ = 0;
  std::vector<std::uint32_t> entries_;  // [joints] how many rows of the source name the joint
  Buffer buffer_;
};

}  // namespace pelt::render
