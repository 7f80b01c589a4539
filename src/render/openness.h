#pragma once

#include <functional>

#include <glm/glm.hpp>

#include "core/result.h"
#include "render/camera.h"
#include "render/gl_objects.h"
#include "render/program_cache.h"
#include "render/section.h"

namespace pelt::render {

/// How much of the room each pixel's surface sees, from the depth of the picture: what darkens armpits, folds and the
/// gap between legs, where a map of the room alone would let light through; and which edges a light behind it draws.
/// Two bytes per pixel, 1 and 0 where nothing stands.
class Openness {
 public:
  /// Draws depth, gathers and smooths. The picture's Frame block must be bound; leaves depth test and blending off.
  /// @param section       of the picture, that holds all that draw_surfaces draws
  /// @param radius        how far a surface can be darkened from, metres
  /// @param rim_direction  towards the light behind, world
  /// @param draw_surfaces  draws all solid parts with surface/depth.frag
  Status draw(ProgramCache& programs, const Camera& camera, const Section& section, float radius,
              const glm::vec3& rim_direction, const std::function<Status()>& draw_surfaces);

  /// Binds the map to its unit. @pre draw()
  void bind() const;
  /// Binds a map in which nothing stands anywhere and no edge is lit.
  void bind_open();

 private:
  Status make(glm::ivec2 size);

  glm::ivec2 size_ = glm::ivec2(0);
  VertexArray empty_;
  Texture depth_;
  Texture rough_;
  Texture smooth_;
  Texture open_;
  Framebuffer depth_target_;
  Framebuffer rough_target_;
  Framebuffer smooth_target_;
};

}  // namespace pelt::render
