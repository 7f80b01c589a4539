#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "core/result.h"
#include "math/transform.h"
#include "render/environment.h"
#include "render/gl_objects.h"
#include "render/panes.h"
#include "render/program_cache.h"
#include "render/renderer.h"
#include "render/surface_parts.h"

namespace pelt::render {

/// The light around the character: reflection maps of an environment, a key light with its shadow map, the file's own
/// lights, and how much of the ground is covered from close above. Maps are computed when another environment is asked
/// for, shadows when the shape changes; where only weights do, a frame may put that off (Frame::hold_shadows).
class Studio {
 public:
  /// Fills the maps of the built-in studio. Leaves the default framebuffer bound.
  /// @param recorded  most of them from a recording instead of computing them, unless shaders are read live
  static Result<Studio> create(ProgramCache& programs, bool recorded = true);

  /// What is recorded of the built-in studio: diffuse light, reflections but for the sharpest level, the table of
  /// reflection. 16-bit floats, faces in OpenGL's order. @pre its maps are made, without sheen
  [[nodiscard]] std::vector<std::uint16_t> recording() const;

  /// Fills the maps of another environment where that is wanted. Leaves the default framebuffer bound if it did.
  /// @param sheen  the maps for fibres too
  Status prepare(ProgramCache& programs, const ViewSettings& view, bool sheen);

  /// Places lights and ground around a posed character and uploads the Studio block.
  /// @param bounds         of the posed shape, world
  /// @param ground_height  metres
  /// @param lights         of the file, those that shine; at most kLightLimit do
  /// Fails only where the driver has no memory for a further pane's shadows.
  Status place(const Frame& frame, const Bounds& bounds, float ground_height, std::span<const rig::Light> lights);

  /// Other parts cast shadows now, though character and pose are the same.
  void forget_shadows();

  /// Draws all shadow maps, unless they are of this character and pose already. @param draw_casters  draws all parts
  /// with surface/depth.frag, given the program's other uniforms are its own business; called once per map with the
  /// map's Frame block bound
  Status draw_shadows(ProgramCache& programs, const std::function<Status()>& draw_casters);

  /// Where the light that draws silhouettes stands, world: behind the character as the camera sees it, above, and on
  /// the side that the key light leaves dark.
  [[nodiscard]] glm::vec3 rim_direction(const Camera& camera) const;

  /// How many lights of the file shine, of the frame that was placed last.
  [[nodiscard]] int light_count() const { return light_count_; }

  /// Binds the blocks Studio and Lights and all maps to their units.
  void bind() const;

  /// Backdrop over the whole viewport; depth is neither tested nor written.
  Status draw_backdrop(ProgramCache& programs, const Frame& frame, const glm::mat4& clip_from_world) const;
  /// Ground with grid and shadow; blends, tests depth. Draws nothing where ground and grid are off or seen from below.
  Status draw_ground(ProgramCache& programs, const Frame& frame) const;

 private:
  Texture irradiance_;
  Texture radiance_;
  Texture brdf_;
  Texture sheen_;          ///< empty until a material needs it; then brdf_ has a third channel
  Texture image_;          ///< of the environment, while maps are made from it
  bool recorded_ = false;  ///< maps of the built-in studio need not be computed
  bool has_maps_ = false;  ///< of the following
  Environment environment_ = Environment::kStudio;
  std::shared_ptr<const EnvironmentImage> environment_image_;
  EnvironmentLight light_;
  Buffer lights_block_;
  int light_count_ = 0;
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
    SurfaceParts of;
    std::uint64_t pose = 0;
    deform::SkinningSettings skinning;
    glm::vec3 lower = glm::vec3(0.0f);
    glm::vec3 upper = glm::vec3(0.0f);
    float ground_height = 0;
    glm::vec3 key_direction = glm::vec3(0.0f);
    bool operator==(const ShadowKey&) const = default;
    /// True where nothing but weights, what follows from them, and the pose differ.
    [[nodiscard]] bool is_of_other_weights(const ShadowKey& other) const;
  };
  ShadowKey wanted_;

  /// What belongs to one pane's shape: with maps of their own, panes need no new shadows while only the camera moves.
  struct Maps {
    Texture shadow_depth;
    Texture contact_height;
    Texture soft_contact;
    Texture contact;
    Texture ground_shadow;
    Framebuffer shadow_target;
    Framebuffer contact_height_target;
    Framebuffer soft_contact_target;
    Framebuffer contact_target;
    Framebuffer ground_shadow_target;
    std::optional<ShadowKey> drawn;
  };
  static Result<std::unique_ptr<Maps>> make_maps();
  Status draw_contact(ProgramCache& programs, const Maps& maps) const;
  Status fill_environment(ProgramCache& programs, bool sheen);
  Status fill_brdf(ProgramCache& programs, bool sheen);
  [[nodiscard]] bool has_recording() const;
  void take_recorded_cubes() const;
  Status take_recorded_brdf();
  void place_lights(std::span<const rig::Light> lights, std::span<const glm::mat4> world_matrices);
  std::array<std::unique_ptr<Maps>, kMostPanes> maps_;  ///< null: not used yet
  std::size_t pane_ = 0;                                ///< of the frame that was placed last
};

/// The Frame block of one pass. @see shaders/common/frame.glsl
struct FrameBlock {
  glm::mat4 clip_from_world;
  glm::mat4 view_from_world;
  glm::vec4 eye_world;
  glm::vec4 viewport;
  glm::vec4 picture;  ///< z and w: of glm::ivec2(0) where a whole picture is drawn
};

}  // namespace pelt::render
