#pragma once

#include <memory>

#include <glm/glm.hpp>

#include "core/result.h"
#include "render/renderer.h"

namespace pelt::render {

/// An image to draw into and to keep: what Renderer::draw() takes as its target, so that the same picture can be shown
/// again without being drawn again, or read back. Create and use on the thread of the context.
class Picture {
 public:
  /// @param size  pixels, both positive
  static Result<Picture> make(glm::ivec2 size);
  ~Picture();
  Picture(Picture&&) noexcept;
  Picture& operator=(Picture&&) noexcept;

  [[nodiscard]] unsigned framebuffer() const;
  [[nodiscard]] glm::ivec2 size() const;
  /// Makes it what OpenGL draws into, whole.
  void bind() const;
  /// Copies it into framebuffer `target` (0: the window) with its lower left corner at `origin`, and leaves that bound.
  void copy_to(unsigned target, glm::ivec2 origin) const;
  /// Its pixels.
  [[nodiscard]] Result<ImageRgba> read() const;

 private:
  struct Impl;
  explicit Picture(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace pelt::render
