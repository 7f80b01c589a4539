#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <glm/glm.hpp>

#include "core/result.h"
#include "deform/deform.h"
#include "deform/settings.h"
#include "measure/compare.h"
#include "render/camera.h"
#include "render/difference_map.h"
#include "render/panes.h"
#include "render/picking.h"
#include "render/view_settings.h"
#include "rig/character.h"

namespace pelt::render {

struct CharacterPlan;

/// The character in another pose, drawn as a silhouette that it hides: see ghost_color().
struct Ghost {
  const rig::Pose* pose = nullptr;
  std::span<const glm::mat4> world;  ///< [J]
  std::uint64_t version = 0;         ///< of the pose, more than 0; another one for each pose
  glm::vec4 color = glm::vec4(0);    ///< linear, straight alpha
};

/// Everything one picture depends on. Spans and references must stay valid during the call.
struct Frame {
  const rig::Character* character = nullptr;  ///< what is uploaded follows from its shared parts, compared by pointer
  const rig::Pose* pose = nullptr;
  std::span<const glm::mat4> world;  ///< [J]
  std::uint64_t pose_version = 0;
  deform::SkinningSettings skinning;
  deform::SkinCache* cache = nullptr;  ///< what methods prepare, shared with the CPU; null: the renderer's own
  const deform::DeformedCharacter* deformed =
      nullptr;  ///< the CPU result of the same pose; required where needs_cpu() says so
  /// What the look kDifference compares with, unless that is the other backend; null: all is shown as equal.
  const deform::DeformedCharacter* reference = nullptr;
  std::span<const glm::vec3> cage = {};           ///< ends of lines, world; drawn where the surface does not hide them
  std::span<const glm::vec3> cage_points = {};    ///< control points, to be marked with dots, world
  std::span<const glm::vec3> surface_marks = {};  ///< points to be marked with dots, world
  /// Skin each vertex once more, alone, so that stats() knows what it costs.
  bool time_skinning = false;
  /// From back to front. Skinned on the GPU, whatever the backend; by linear blending where the method is the CPU's
  /// alone.
  std::vector<Ghost> ghosts = {};
  bool paint = false;  ///< weights are being edited: buffers that take the rows that changed, see plan_character()
  /// Shadows of other weights in the same pose may stay, since all that casts one is drawn twice for new ones. For the
  /// length of a stroke; whoever asks knows that the pose stays.
  bool hold_shadows = false;
  std::shared_ptr<const CharacterPlan> plan = nullptr;  ///< of Renderer::planner(); used where it is of the same parts
  int pane = 0;  ///< whose buffers and shadows these are, so that panes do not evict each other's; below kMostPanes
  ViewSettings view;
  Camera camera;
  glm::ivec2 size = glm::ivec2(1280, 720);    ///< pixels
  float pixel_scale = 1;                      ///< of lines and markers: 1, 1.5, 2
  Bounds bounds;                              ///< of the posed shape, world; for shadow and clipping
  int clip = -1;                              ///< what a crowd plays; -1: each instance another clip of the character
  double clip_seconds = 0;                    ///< since its start, for a crowd; may exceed its duration
  std::span<const int> selected_joints = {};  ///< the last one is the active one
  int hovered_joint = -1;
  int pinned_part = -1;
  int pinned_vertex = -1;
};

/// One row of the batch table.
struct BatchInfo {
  int part;
  int batch;  ///< number in the whole character
  int joints;
  int triangles;
  int vertices;
  std::vector<std::uint16_t> palette = {};  ///< slot in this batch's palette -> slot in the part's skin
  int rigid_slot = -1;  ///< in the part's skin: the one joint that all its triangles follow, where they are drawn apart
};

/// The crowd in the last picture.
struct CrowdStats {
  int instances = 0;
  int visible = 0;                  ///< drawn; the others are out of sight
  Bounds bounds = {};               ///< of everybody at rest, world
  std::int64_t vertices = 0;        ///< of those drawn, in their levels of detail
  std::int64_t resident_bytes = 0;  ///< on the GPU, moved once
  std::int64_t matrix_bytes = 0;    ///< of these, the baked matrices
  std::string refused = {};         ///< why one character is shown instead; empty where the crowd is
};

/// What a pane of the last picture cost and how it was made.
struct RenderStats {
  std::vector<BatchInfo> batches;
  std::optional<CrowdStats> crowd;  ///< where one was asked for
  int draw_calls = 0;
  std::int64_t palette_bytes = 0;  ///< uploaded for this picture
  std::int64_t vertex_bytes = 0;   ///< streamed for this picture (CPU backend, morph weights excluded)
  std::int64_t static_bytes = 0;   ///< of what no pose moves, uploaded because character or settings changed
  std::int64_t row_bytes = 0;      ///< of it apart: influences while weights are edited
  std::int64_t row_ranges = 0;     ///< in how many pieces
  std::int64_t look_bytes = 0;     ///< colours of heat maps
  std::int64_t textures = 0;       ///< of materials
  /// By timer query, of the latest picture whose result has arrived; 0 until then, and where the driver has no timers.
  double drawing_milliseconds = 0;
  /// Likewise, of each vertex once; where Frame::time_skinning asked for it. Software renderers do this part in the
  /// calling thread, where their timers do not look: there it is the wall clock's.
  double skinning_milliseconds = 0;
  bool has_gpu_timer = false;  ///< the driver has timers
  bool software = false;       ///< the CPU rasterises
  double upload_milliseconds = 0;
  std::optional<DifferenceScale> difference;  ///< of the look kDifference, the same for all panes
  std::vector<std::string> notes;             ///< for example: part 3 has 10 influences and is skinned on the CPU
};

struct ImageRgba {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;  ///< sRGB, rows top to bottom, straight alpha
};

/// Draws characters into the current OpenGL 3.3 context. Create and use on the thread of the context.
class Renderer {
 public:
  /// Compiles shaders and makes the studio. The error carries the driver's log.
  static Result<std::unique_ptr<Renderer>> create();
  ~Renderer();
  Renderer(const Renderer&) = delete;
  Renderer& operator=(const Renderer&) = delete;

  /// True where the picture needs Frame::deformed: CPU backend, difference look, parts the shader cannot skin, pinned
  /// vertex.
  [[nodiscard]] bool needs_cpu(const Frame& frame) const;

  /// Brings what the GPU holds of the character up to date, as draw() and pick() do before anything else.
  Status upload_character(const Frame& frame);

  /// Draws into framebuffer `target` (0: the window), rectangle `origin` + Frame::size.
  Status draw(const Frame& frame, unsigned target = 0, glm::ivec2 origin = glm::ivec2(0));
  /// Draws frames of one character beside or over each other, each into its rectangle (whose size counts instead of
  /// Frame::size), with a line between neighbours. Difference maps share one scale.
  /// @pre as many frames as the layout has panes, each of another Frame::pane
  Status draw(std::span<const Frame> panes, const PaneLayout& layout, unsigned target = 0,
              glm::ivec2 origin = glm::ivec2(0));

  /// Draws into an offscreen image. `overlay` (if given) is called with the framebuffer bound and named before it is
  /// read back, so that panels, or another picture by draw(), can be put on top.
  Result<ImageRgba> render_image(const Frame& frame, const std::function<void(unsigned framebuffer)>& overlay = {});
  Result<ImageRgba> render_image(std::span<const Frame> panes, const PaneLayout& layout,
                                 const std::function<void(unsigned framebuffer)>& overlay = {});

  /// The GPU's skinned positions and normals read back through transform feedback, in source vertex order. Parts that
  /// the shader cannot skin hold the CPU result of Frame::deformed.
  Result<deform::DeformedCharacter> read_back(const Frame& frame);

  /// What is seen at a pixel, or at the one nearest to it within `radius` pixels where that shows nothing: by drawing
  /// the triangles' numbers around it, so that it costs what the GPU's skinning costs and nothing that follows from the
  /// CPU's shape. A pixel asked for again near the last one draws nothing while camera, pose, size and settings stay.
  /// @param pixel  of the pane's picture (Frame::size), from its upper left
  /// @returns the hit of the ray through that pixel's middle
  Result<std::optional<VertexHit>> pick(const Frame& frame, glm::ivec2 pixel, int radius = 0);
  /// How often pick() had to draw.
  [[nodiscard]] std::int64_t picking_draws(int pane = 0) const;

  /// What computes on any thread how the character is drawn once its weights are no longer edited, for Frame::plan.
  [[nodiscard]] std::function<Result<std::shared_ptr<const CharacterPlan>>()> planner(
      const rig::Character& character, const deform::SkinningSettings& settings) const;

  /// Of the last picture; times as far as they are known by now, without waiting for the GPU.
  [[nodiscard]] const RenderStats& stats(int pane = 0) const;
  /// What the look kDifference showed of a pane last, for probes; null where it was not shown.
  [[nodiscard]] const DifferenceMap* difference(int pane = 0) const;
  /// "Mesa llvmpipe, OpenGL 4.5" and so on.
  [[nodiscard]] std::string device() const;

 private:
  struct Impl;
  explicit Renderer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace pelt::render
