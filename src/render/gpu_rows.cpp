#include "render/gpu_rows.h"

#include <vector>

namespace pelt::render {

void BufferTexture::set(std::span<const glm::vec4> texels, GLenum usage) {
  if (!texture_) {
    buffer_ = Buffer::make();
    texture_ = Texture::make();
  }
  // A texture over no memory at all is undefined to read, even where nothing reads it.
  static constexpr glm::vec4 kNothing(0.0f);
  upload(buffer_, texels.empty() ? std::span(&kNothing, 1) : texels, usage);
  glBindTexture(GL_TEXTURE_BUFFER, texture_.id());
  glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA32F, buffer_.id());
  glBindTexture(GL_TEXTURE_BUFFER, 0);
}

void BufferTexture::bind(int unit) const {
  glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(unit));
  glBindTexture(GL_TEXTURE_BUFFER, texture_.id());
  glActiveTexture(GL_TEXTURE0);
}

GpuRows make_rows(const deform::Prepared& prepared, const Layout& layout) {
  std::vector<glm::uvec2> spans;
  spans.reserve(layout.vertex_count);
  for (std::size_t i = 0; i < layout.vertex_count; ++i) {
    const std::uint32_t v = layout.source_of(i);
    const std::uint32_t first = prepared.rows.offset[v];
    spans.emplace_back(first, prepared.rows.offset[v + 1] - first);
  }
  GpuRows rows;
  rows.spans = Buffer::make();
  upload(rows.spans, std::span<const glm::uvec2>(spans), GL_STATIC_DRAW);
  rows.data.set(prepared.row_data, GL_STATIC_DRAW);
  rows.bytes =
      static_cast<std::int64_t>(spans.size() * sizeof(glm::uvec2) + prepared.row_data.size() * sizeof(glm::vec4));
  return rows;
}

}  // namespace pelt::render
