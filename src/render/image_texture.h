#pragma once

#include <cstdint>
#include <memory>

#include "render/renderer.h"

namespace pelt::render {

/// An image on the GPU for panels to show. Create and use on the thread of the context.
class ImageTexture {
 public:
  /// @pre the image has as many pixels as it says, at least one
  explicit ImageTexture(const ImageRgba& image);
  ~ImageTexture();
  ImageTexture(ImageTexture&&) noexcept;
  ImageTexture& operator=(ImageTexture&&) noexcept;

  /// OpenGL's name of the texture, never 0.
  [[nodiscard]] std::uint64_t name() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pelt::render
