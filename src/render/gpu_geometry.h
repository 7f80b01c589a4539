#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "render/gl_objects.h"
#include "render/gpu_layout.h"
#include "render/gpu_paint.h"
#include "render/gpu_rows.h"

namespace pelt::render {

/// The elements of `values` that the buffers' vertices are copies of.
template <typename T>
std::vector<T> gathered(std::span<const T> values, const Layout& layout) {
  std::vector<T> out;
  out.reserve(layout.vertex_count);
  for (std::size_t i = 0; i < layout.vertex_count; ++i) {
    out.push_back(values[layout.source_of(i)]);
  }
  return out;
}

/// An attribute that stays while the pose changes, with the array that it was made from.
template <typename T>
class StaticArray {
 public:
  /// Uploads the array in the layout's order, unless that is what it holds.
  /// @param in_place  the layout is the one of the last call
  void set(const SharedArray<T>& values, const Layout& layout, bool in_place, std::int64_t& uploaded) {
    if (in_place && values.is(values_)) {
      return;
    }
    values_ = values;
    bytes_ = 0;
    if (values.empty()) {
      buffer_ = Buffer();
      return;
    }
    if (!buffer_) {
      buffer_ = Buffer::make();
    }
    if (layout.source.empty()) {
      upload(buffer_, std::span<const T>(values), GL_STATIC_DRAW);
    } else {
      upload(buffer_, std::span<const T>(gathered<T>(values, layout)), GL_STATIC_DRAW);
    }
    bytes_ = static_cast<std::int64_t>(layout.vertex_count * sizeof(T));
    uploaded += bytes_;
  }
  [[nodiscard]] const Buffer& buffer() const { return buffer_; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

 private:
  SharedArray<T> values_;
  Buffer buffer_;
  std::int64_t bytes_ = 0;
};

/// What GpuCharacter uploaded that no pose moves.
struct StaticUpload {
  std::int64_t bytes = 0;  ///< vertices, elements, influences of batches, morph deltas
  RowUpload rows;          ///< influences of the paint layout
};

/// Buffers that stay while the pose changes, shared by all parts that show the same primitive in the same way. Each
/// follows the shared parts that it was made from.
struct Geometry {
  std::shared_ptr<const Layout> layout;
  StaticArray<glm::vec3> positions;
  StaticArray<glm::vec3> normals;
  StaticArray<glm::vec4> tangents;
  StaticArray<glm::vec2> texcoords[2];
  StaticArray<glm::vec4> colors;
  Buffer source_vertex;
  Buffer indices;
  Buffer blend_indices;
  Buffer blend_weights;
  mesh::PackedInfluences influence_layout;       ///< of these two, without the bytes
  PaintRows paint;                               ///< in their place while weights are edited
  std::unique_ptr<GpuRows> rows;                 ///< in their place where the method has rows of its own
  Buffer prepared;                               ///< a_prepared
  std::shared_ptr<const deform::SkinData> data;  ///< what rows and prepared were made from
  std::int64_t index_bytes = 0;
  std::int64_t source_bytes = 0;
  std::int64_t prepared_bytes = 0;
  std::int64_t influence_bytes = 0;

  [[nodiscard]] std::int64_t bytes() const;
  /// u_part.w: influence slots in the attributes, negative where the last weight is implied.
  [[nodiscard]] int influence_slots() const;
};

/// What following a character did to a geometry.
struct GeometryChange {
  bool arrays = false;        ///< vertex arrays must be made again
  bool other_joints = false;  ///< painting made some joint followed or left it without followers
};

/// Brings the buffers in line with the character.
/// @param data  of the part's mesh under the settings; null where the part is not skinned in the shader
/// @pre  `planned` is of the geometry's own key
Result<GeometryChange> follow(Geometry& geometry, const rig::Character& character, const rig::Part& part,
                              const PartPlan& plan, const GeometryKey& key, const PlannedLayout& planned,
                              std::shared_ptr<const deform::SkinData> data, const DeviceLimits& limits,
                              StaticUpload& upload);

}  // namespace pelt::render
