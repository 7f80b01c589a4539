#include "render/image_texture.h"

#include "core/expect.h"
#include "render/gl_objects.h"

namespace pelt::render {

struct ImageTexture::Impl {
  Texture texture;
};

ImageTexture::ImageTexture(const ImageRgba& image) : impl_(std::make_unique<Impl>()) {
  PELT_EXPECT(image.width > 0 && image.height > 0 &&
                  image.pixels.size() ==
                      std::size_t{4} * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height),
              "an image of the size that it says");
  GLint bound = 0;
  glGetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
  impl_->texture = Texture::make();
  glBindTexture(GL_TEXTURE_2D, impl_->texture.id());
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, image.width, image.height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
               image.pixels.data());
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(bound));
}

ImageTexture::~ImageTexture() = default;
ImageTexture::ImageTexture(ImageTexture&&) noexcept = default;
ImageTexture& ImageTexture::operator=(ImageTexture&&) noexcept = default;

std::uint64_t ImageTexture::name() const {
  return impl_->texture.id();
}

}  // namespace pelt::render
