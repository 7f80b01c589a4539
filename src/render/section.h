#pragma once

#include <glm/glm.hpp>

#include "math/transform.h"

namespace pelt::render {

/// The part of a picture that a target holds. Pixels count from the lower left, as OpenGL's do.
struct Section {
  glm::ivec2 picture = glm::ivec2(0);  ///< size
  glm::ivec2 origin = glm::ivec2(0);
  glm::ivec2 size = glm::ivec2(0);

  static Section whole(glm::ivec2 picture) { return {picture, glm::ivec2(0), picture}; }
  [[nodiscard]] bool is_whole() const { return size == picture; }
  bool operator==(const Section&) const = default;
};

/// The pixels that something within `bounds` can cover and `margin` more on each side, widened to blocks of pixels that
/// are shaded together. The whole picture where nothing is known (empty bounds, a box that reaches behind the eye) and
/// where a quarter or less would be left out.
Section section_around(const Bounds& bounds, const glm::mat4& clip_from_world, glm::ivec2 picture, int margin);

}  // namespace pelt::render
