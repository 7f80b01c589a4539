#include "render/picture.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/expect.h"
#include "render/gl_objects.h"

namespace pelt::render {

struct Picture::Impl {
  glm::ivec2 size = glm::ivec2(0);
  Texture texture = Texture::make();
  Framebuffer framebuffer = Framebuffer::make();
};

Picture::Picture(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Picture::~Picture() = default;
Picture::Picture(Picture&&) noexcept = default;
Picture& Picture::operator=(Picture&&) noexcept = default;

Result<Picture> Picture::make(glm::ivec2 size) {
  PELT_EXPECT(size.x > 0 && size.y > 0, "a picture has pixels");
  auto impl = std::make_unique<Impl>();
  impl->size = size;
  glBindTexture(GL_TEXTURE_2D, impl->texture.id());
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, size.x, size.y, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glBindTexture(GL_TEXTURE_2D, 0);
  glBindFramebuffer(GL_FRAMEBUFFER, impl->framebuffer.id());
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, impl->texture.id(), 0);
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
    return error("the device cannot draw into an image of {} x {} pixels", size.x, size.y);
  }
  PELT_TRY(check_gl("making a picture"));
  return Picture(std::move(impl));
}

unsigned Picture::framebuffer() const {
  return impl_->framebuffer.id();
}
glm::ivec2 Picture::size() const {
  return impl_->size;
}

void Picture::bind() const {
  glBindFramebuffer(GL_FRAMEBUFFER, impl_->framebuffer.id());
  glViewport(0, 0, impl_->size.x, impl_->size.y);
}

void Picture::copy_to(unsigned target, glm::ivec2 origin) const {
  glBindFramebuffer(GL_READ_FRAMEBUFFER, impl_->framebuffer.id());
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, target);
  glDisable(GL_SCISSOR_TEST);
  glBlitFramebuffer(0, 0, impl_->size.x, impl_->size.y, origin.x, origin.y, origin.x + impl_->size.x,
                    origin.y + impl_->size.y, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glBindFramebuffer(GL_FRAMEBUFFER, target);
}

Result<ImageRgba> Picture::read() const {
  ImageRgba image;
  image.width = impl_->size.x;
  image.height = impl_->size.y;
  const std::size_t row = static_cast<std::size_t>(image.width) * 4;
  image.pixels.resize(row * static_cast<std::size_t>(image.height));
  glBindFramebuffer(GL_READ_FRAMEBUFFER, impl_->framebuffer.id());
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, image.width, image.height, GL_RGBA, GL_UNSIGNED_BYTE, image.pixels.data());
  // OpenGL's rows go upwards.
  const auto at = [&](int y) { return image.pixels.begin() + static_cast<std::ptrdiff_t>(row) * y; };
  for (int y = 0; y < image.height / 2; ++y) {
    std::swap_ranges(at(y), at(y + 1), at(image.height - 1 - y));
  }
  PELT_TRY(check_gl("reading a picture"));
  return image;
}

}  // namespace pelt::render
