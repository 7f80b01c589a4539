#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include <glm/glm.hpp>

#include "core/result.h"
#include "math/transform.h"
#include "render/gl_objects.h"
#include "render/program_cache.h"
#include "render/renderer.h"

namespace pelt::render {

/// The light around the character: reflection maps of an analytic room, a key light with its shadow map, and how much
/// of the ground is covered from close above. Maps of the room are computed once, shadows when asked for.
class Studio {
 public:
  /// Fills the maps of the room. Leaves the default framebuffer bound.
  static Result<Studio> create(ProgramCache& programs);

  /// Places lights and ground around a posed character and uploads the Studio block.
  /// @param bounds         of the posed shape, world
  /// @param ground_height  metres
  void place(const Frame& frame, const Bounds& bounds, float ground_height);

  /// Draws all shadow maps, unless they are of this character and pose already. @param draw_casters  draws all parts
  /// with surface/depth.frag, given the program's other uniforms are its own business; called once per map with the
  /// map's Frame block bound
  Status draw_shadows(ProgramCache& programs, const std::function<Status()>& draw_casters);

  /// Binds the Studio block and all maps to their units.
  void bind() const;

  /// Backdrop over the whole viewport; depth is neither tested nor written.
  Status draw_backdrop(ProgramCache& programs, const Frame& frame, const glm::mat4& clip_from_world) const;
  /// Ground with grid and shadow; blends, tests depth. Draws nothing where ground and grid are off or seen from below.
  Status draw_ground(ProgramCache& programs, const Frame& frame) const;

 private:
  Texture irradiance_;
  Texture radiance_;
  Texture brdf_;
  Texture shadow_depth_;
  Texture contact_height_;
  Texture contact_;
  Texture ground_shadow_;
  Framebuffer shadow_target_;
  Framebuffer contact_height_target_;
  Framebuffer contact_target_;
  Framebuffer ground_shadow_target_;
  Sampler compare_sampler_;
  Sampler plain_sampler_;
  Buffer block_;
  Buffer shadow_frame_;
  Buffer contact_frame_;
  VertexArray empty_;
  float contact_radius_ = 1;  ///< half width of the contact map, metres
  float contact_reach_ = 1;   ///< height that it sees, metres
  bool shadows_ = true;

  /// What the shadow maps were drawn from; the camera is not among it.
  struct ShadowKey {
    std::uint64_t character = 0;
    std::uint64_t pose = 0;
    deform::SkinningSettings skinning;
    glm::vec3 lower = glm::vec3(0.0f);
    glm::vec3 upper = glm::vec3(0.0f);
    float ground_height = 0;
    bool operator==(const ShadowKey&) const = default;
  };
  ShadowKey wanted_;
  std::optional<ShadowKey> drawn_;
};

/// The Frame block of one pass. @see shaders/common/frame.glsl
struct FrameBlock {
  glm::mat4 clip_from_world;
  glm::mat4 view_from_world;
  glm::vec4 eye_world;
  glm::vec4 viewport;
};

}  // namespace pelt::render
