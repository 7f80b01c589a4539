#include "render/section.h"

#include <cmath>

namespace pelt::render {
namespace {

constexpr int kBlock = 16;                // pixels; derivatives are taken within blocks of two
constexpr float kLargestSection = 0.75f;  // of the picture; a larger one is not worth its seams

}  // namespace

Section section_around(const Bounds& bounds, const glm::mat4& clip_from_world, glm::ivec2 picture, int margin) {
  if (bounds.empty()) {
    return Section::whole(picture);
  }
  glm::vec2 lower(1.0f);
  glm::vec2 upper(-1.0f);
  for (int corner = 0; corner < 8; ++corner) {
    const glm::vec4 clip = clip_from_world * glm::vec4((corner & 1) != 0 ? bounds.upper.x : bounds.lower.x,
                                                       (corner & 2) != 0 ? bounds.upper.y : bounds.lower.y,
                                                       (corner & 4) != 0 ? bounds.upper.z : bounds.lower.z, 1.0f);
    if (!(clip.w > 0.0f) || !std::isfinite(clip.x / clip.w) || !std::isfinite(clip.y / clip.w)) {
      return Section::whole(picture);
    }
    // What is far outside changes nothing, and must not leave the range of integers.
    const glm::vec2 at = glm::clamp(glm::vec2(clip) / clip.w, glm::vec2(-2.0f), glm::vec2(2.0f));
    lower = glm::min(lower, at);
    upper = glm::max(upper, at);
  }
  const glm::vec2 size(picture);
  const glm::ivec2 first = glm::ivec2(glm::floor((0.5f * lower + 0.5f) * size)) - margin;
  const glm::ivec2 last = glm::ivec2(glm::ceil((0.5f * upper + 0.5f) * size)) + margin;
  const glm::ivec2 begin = glm::max(first, glm::ivec2(0)) / kBlock * kBlock;
  const glm::ivec2 end = glm::min((last + kBlock - 1) / kBlock * kBlock, picture);
  if (end.x <= begin.x || end.y <= begin.y ||
      static_cast<float>(end.x - begin.x) * static_cast<float>(end.y - begin.y) > kLargestSection * size.x * size.y) {
    return Section::whole(picture);
  }
  return {picture, begin, end - begin};
}

}  // namespace pelt::render
