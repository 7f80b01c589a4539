#pragma once

#include <array>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "render/crowd_scene.h"
#include "render/gpu_character.h"
#include "render/gpu_materials.h"
#include "render/gpu_timer.h"
#include "render/id_tile.h"
#include "render/openness.h"
#include "render/overlay.h"
#include "render/picture_targets.h"
#include "render/program_cache.h"
#include "render/renderer.h"
#include "render/section.h"
#include "render/studio.h"
#include "render/surface_parts.h"
#include "rig/appearance.h"

namespace pelt::render {

/// Surfaces by when they are drawn.
enum class SurfacePass {
  kSolid,         ///< opaque and masked
  kTransmitting,  ///< opaque, with what was drawn before showing through
  kBlended,
};

/// What the look colours on the GPU were made from.
struct LookKey {
  std::uint64_t plan_version = 0;
  SurfaceParts of;
  Look look = Look::kShaded;
  int weight_joint = -1;
  deform::SkinningSettings skinning;
  std::uint64_t map = 0;  ///< of the difference look only, as the next one
  DifferenceScale scale;
  bool operator==(const LookKey&) const = default;
};

/// What a difference map was made from.
struct MapKey {
  SurfaceParts of;
  std::uint64_t pose = 0;
  deform::SkinningSettings skinning;
  Compare compare;  ///< the range apart
  const deform::DeformedCharacter* reference = nullptr;
  bool operator==(const MapKey&) const = default;
};

/// What difference maps need of a character, by measure.
struct MapFields {
  SurfaceParts of;
  std::map<measure::Measure, measure::SurfaceField> by_measure;
};

/// What is kept for one pane.
struct PaneState {
  explicit PaneState(const DeviceLimits& limits) : character(limits) {}
  GpuCharacter character;
  std::unique_ptr<GpuCharacter> ghosts;  ///< where there are any: the same surface, in one pose after the other
  LookKey look_key;
  MapKey map_key;
  DifferenceMap map;
  std::shared_ptr<MapFields> fields;  ///< shared by panes that show the same weights
  std::uint64_t map_version = 0;      ///< grows with each map; 0: none was made
  bool shows_map = false;
  GpuTimer drawing_timer;
  GpuTimer skinning_timer;
  double software_skinning = 0;  ///< milliseconds, instead of skinning_timer
  std::uint64_t timed_plan = 0;
  bool shows_weights = false;  ///< of the look in work, see GpuCharacter::shows_weights()
  IdTile ids;
  RenderStats stats;
};

// Rectangles are given from the upper left of a picture of `size`, OpenGL counts from the lower left of `origin`.
void scissor(const PixelRect& rect, glm::ivec2 size, glm::ivec2 origin);
void fill(const PixelRect& rect, glm::ivec2 size, glm::ivec2 origin, const glm::vec4& color);

/// Renderer's parts and passes; its definitions are parted by what they are about (renderer_*.cpp).
struct Renderer::Impl {
  Impl(ProgramCache cache, const DeviceLimits& device_limits, Studio room, Overlay lines)
      : programs(std::move(cache)), limits(device_limits), studio(std::move(room)), overlay(std::move(lines)) {}

  ProgramCache programs;
  DeviceLimits limits;
  Studio studio;
  Overlay overlay;
  std::array<std::unique_ptr<PaneState>, kMostPanes> panes;
  GpuMaterials materials;
  Targets targets;
  SceneCopy behind;
  std::shared_ptr<const BackPicture> back_picture;  ///< that back_texture holds
  Texture back_texture;
  Openness openness;
  Buffer frame_block = Buffer::make();
  VertexArray empty = VertexArray::make();
  Texture image;  ///< of render_image()
  Framebuffer image_target;
  glm::ivec2 image_size = glm::ivec2(0);
  bool has_character = false;
  SurfaceParts of;  ///< of the character that ground and looks are of
  AppearanceParts looks_of;
  rig::AppearanceChoice appearance_choice;
  rig::Appearance looks;  ///< of the character under that choice
  float ground_height = 0;
  CrowdScene crowd;
  bool crowded = false;  ///< the picture in work shows the crowd
  /// The picture in work is one pane for itself. Windows keep whole targets, whose size does not change with the pose.
  bool alone = false;

  PaneState& pane(int index);
  PaneState& pane(const Frame& frame) { return pane(frame.pane); }
  GpuCharacter& gpu(const Frame& frame) { return pane(frame).character; }

  GpuInput input_of(const Frame& frame) const;

  /// What all panes share of a character.
  void update_character(const Frame& frame);

  void update_looks(const Frame& frame);

  /// Of the character that a pane shows, kept until it shows another.
  const measure::SurfaceField& field_of(const Frame& frame, measure::Measure measure);
  /// Brings the map that the look kDifference shows of a pane up to date.
  Status update_difference(const Frame& frame);

  Result<deform::DeformedCharacter> read_back(const Frame& frame);

  Status update_look_colors(const Frame& frame, const DifferenceScale& scale);
  void set_batch_looks(const Frame& frame);
  /// Whether the part shows weights by its program, see weight_look.glsl.
  [[nodiscard]] bool shows_weights(const Frame& frame, int part);

  /// @param scene_linear  for SceneCopy: no tone mapping, one sample per pixel
  /// @param origin  the pixel of the picture at the lower left of what is drawn into
  void bind_frame(const Frame& frame, const glm::mat4& clip_from_world, bool scene_linear = false,
                  glm::ivec2 origin = glm::ivec2(0)) const;

  [[nodiscard]] const rig::Material* material_of(int part) const;

  VertexVariant variant_of(const Frame& frame, int part);
  int draw_geometry(const Frame& frame, int part) { return crowded ? crowd.gpu().draw(part) : gpu(frame).draw(part); }

  [[nodiscard]] bool hides(const Frame& frame, int part) const;

  Status draw_part(const Frame& frame, int part, std::string_view fragment, const std::vector<Define>& defines);

  [[nodiscard]] SurfacePass pass_of(const Frame& frame, int part) const;

  [[nodiscard]] bool shows_through(const Frame& frame) const;

  /// Solid parts in order, others from back to front by where their middles are; of a two-sided one the far sides
  /// first. Triangles of one part keep the file's order.
  /// @param multisampled  masks may cover some samples of a pixel
  Status draw_surfaces(const Frame& frame, SurfacePass pass, bool multisampled);

  /// Each sample is darkened once, however many triangles share an edge.
  Status draw_wireframe(const Frame& frame);

  /// All triangle parts with surface/depth.frag. @param glass  blended and transmitting parts too
  Status draw_depth(const Frame& frame, bool glass);

  /// Backdrop, solid surfaces and ground into what is bound.
  Status draw_solid(const Frame& frame, const glm::mat4& clip_from_world, bool multisampled);

  /// Silhouettes in other poses over backdrop and ground, and under all of the character.
  Status draw_ghosts(const Frame& frame);
  Status draw_ghost(const Frame& frame, const Ghost& ghost);
  [[nodiscard]] std::vector<Define> hole_defines(int part) const;

  /// The picture behind the character, where there is one.
  Status draw_back_picture(const Frame& frame);
  Status upload_back_picture(const Frame& frame);

  /// Fills SceneCopy; the picture's Frame block is bound again afterwards.
  Status draw_behind(const Frame& frame, const glm::mat4& clip_from_world);

  /// Where the character is: only there does a picture need several samples a pixel, occlusion and depth. Backdrop and
  /// ground have no edges.
  [[nodiscard]] Section section_of(const Frame& frame, const glm::mat4& clip_from_world) const;

  /// Backdrop and ground around a section, one sample a pixel.
  Status draw_around(const Frame& frame, const glm::mat4& clip_from_world, const Section& section);

  /// @param shown  the part of the picture that is wanted
  Status draw_scene(const Frame& frame, const glm::mat4& clip_from_world, const PixelRect& shown);

  /// One pane into its place in the target.
  Status draw_pane(const Frame& frame, const PixelRect& picture, const PixelRect& shown, glm::ivec2 size,
                   unsigned target, glm::ivec2 origin);

  void collect_stats(const Frame& frame);

  /// Times what the vertices alone cost, which a picture spends several times over, mixed with everything else.
  Status time_skinning(const Frame& frame);

  /// Makes sure that the camera's depth range holds all of the character.
  static void keep_in_view(Frame& frame);

  /// See Renderer::pick().
  Result<std::optional<VertexHit>> pick(const Frame& frame, glm::ivec2 pixel, int radius);
  Status draw_ids(const Frame& frame, const PixelRect& rect);
  Result<std::optional<VertexHit>> hit_at(const Frame& frame, glm::ivec2 pixel, const IdTile::Ids& ids);
};

}  // namespace pelt::render
