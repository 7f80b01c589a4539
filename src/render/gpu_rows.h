#pragma once

#include <cstdint>
#include <span>

#include <glm/glm.hpp>

#include "deform/skinning_methods.h"
#include "render/gl_objects.h"
#include "render/gpu_layout.h"

namespace pelt::render {

/// A buffer that shaders read as a samplerBuffer of vec4: as long as the device allows, where uniform blocks end at
/// some kilobytes.
class BufferTexture {
 public:
  /// Replaces all of it.
  void set(std::span<const glm::vec4> texels, GLenum usage);
  /// @param unit  TextureUnit; leaves unit 0 active. @pre set() was called
  void bind(int unit) const;
  explicit operator bool() const { return static_cast<bool>(texture_); }

 private:
  Buffer buffer_;
  Texture texture_;
};

/// Rows of any length per vertex, deform::Prepared::rows: where a vertex's begin and how long they are is an attribute,
/// what stands in them comes from a buffer texture. See shaders/skinning/rows.glsl.
struct GpuRows {
  Buffer spans;  ///< uvec2 per vertex of the buffers: first entry of row_data, number of entries
  BufferTexture data;
  std::int64_t bytes = 0;
};

GpuRows make_rows(const deform::Prepared& prepared, const Layout& layout);

}  // namespace pelt::render
