#pragma once

#include <glm/glm.hpp>

#include "core/result.h"
#include "render/gl_objects.h"
#include "render/program_cache.h"
#include "render/section.h"

namespace pelt::render {

/// What is said where the driver runs out of memory.
Error no_room(glm::ivec2 size, int samples);

/// The picture before it is presented: drawn with several samples per pixel, resolved into textures. Where only a
/// section needs several samples, only that has them, and no depth is resolved.
struct Targets {
  Section section;
  int samples = 0;
  bool in_shader = false;   ///< resolve colours by a program of ours, and depth only where it is asked for
  Texture samples_texture;  ///< instead of `color` then
  Renderbuffer color;
  Renderbuffer depth;
  Framebuffer drawn;
  Texture resolved_color;
  Texture resolved_depth;
  Framebuffer resolved;

  Status make(const Section& wanted, int wanted_samples, bool software);

  Status make_drawn(glm::ivec2 size, int count, bool for_shader);

  Status make_resolved(const Section& wanted);

  /// Colours into their place in resolved_color; the depth of a whole picture where `with_depth` asks for it.
  Status resolve(ProgramCache& programs, const VertexArray& empty, bool with_depth) const;
};

/// What stands behind transmitting surfaces: exposed, before tone mapping, in halves of its size down to a pixel.
struct SceneCopy {
  glm::ivec2 size = glm::ivec2(0);
  Texture color;
  Renderbuffer depth;
  Framebuffer target;

  Status make(glm::ivec2 wanted_size);

  void bind() const;
};

}  // namespace pelt::render
