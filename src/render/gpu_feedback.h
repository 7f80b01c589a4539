#pragma once

#include <cstddef>

#include <glm/glm.hpp>

#include "core/result.h"
#include "render/gl_objects.h"

namespace pelt::render {

/// What the vertex shader makes of one vertex.
struct Captured {
  glm::vec3 position;
  glm::vec3 normal;
  glm::vec4 tangent;
};
static_assert(sizeof(Captured) == 40);

/// Where the vertex shader's results go when they themselves are wanted.
struct Feedback {
  Framebuffer framebuffer;
  Renderbuffer pixel;
  Buffer captured;
  std::size_t vertices = 0;

  /// Leaves what is there as long as it is large enough.
  Status make(std::size_t wanted);
};

/// Rasterises nothing as long as it lives, and leaves no state behind.
class FeedbackScope {
 public:
  explicit FeedbackScope(const Feedback& feedback);
  ~FeedbackScope();
  FeedbackScope(const FeedbackScope&) = delete;
  FeedbackScope& operator=(const FeedbackScope&) = delete;

 private:
  GLint draw_framebuffer_ = 0;
  GLint read_framebuffer_ = 0;
  GLint program_ = 0;
};

}  // namespace pelt::render
