#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <glm/glm.hpp>

#include "core/result.h"
#include "deform/deform.h"
#include "deform/settings.h"
#include "render/gl_objects.h"
#include "render/gpu_layout.h"
#include "render/gpu_plan.h"
#include "render/program_cache.h"
#include "render/renderer.h"
#include "rig/character.h"
#include "rig/hiding.h"

namespace pelt::render {

/// What update() is given. Everything must stay valid during the call.
struct GpuInput {
  const rig::Character* character = nullptr;  ///< what is uploaded follows from its shared parts, compared by pointer
  const rig::Pose* pose = nullptr;
  std::span<const glm::mat4> world;  ///< [J]
  std::uint64_t pose_version = 0;
  deform::SkinningSettings skinning;
  deform::SkinCache* cache = nullptr;                   ///< shared with the CPU; null: one of the character's own
  const deform::DeformedCharacter* deformed = nullptr;  ///< of the same pose; required where needs_cpu() says so
  bool paint = false;  ///< weights are being edited: the layout that takes changed rows, see plan_character()
  std::shared_ptr<const CharacterPlan> plan = nullptr;  ///< computed elsewhere; used where it is of the same parts
  rig::SharedHiding hiding = nullptr;  ///< faces that are not drawn, of this character; parts are left to the caller
};

/// What the last update() uploaded.
struct UploadStats {
  std::int64_t palette_bytes = 0;  ///< matrices, without alignment
  std::int64_t packed_joints = 0;  ///< joints made ready for it, each once however many batches read it
  std::int64_t vertex_bytes = 0;   ///< streamed vertices
  std::int64_t static_bytes = 0;   ///< vertices, elements, influences of batches, morph deltas
  std::int64_t row_bytes = 0;      ///< influences of the paint layout
  std::int64_t row_ranges = 0;     ///< in how many pieces
  std::int64_t element_bytes = 0;  ///< elements that are drawn while faces are hidden
  std::int64_t look_bytes = 0;     ///< colours of heat maps since update()
  bool took_plan = false;          ///< GpuInput::plan was used
  double milliseconds = 0;         ///< wall clock of the whole update
};

/// A character in GPU memory. Create and use on the thread of the context, which must outlive it.
///
/// Each buffer follows the shared parts that it was made from, and is kept for both backends, so that switching between
/// them uploads nothing old again. Per pose only palettes, morph weights and streamed vertices move; in the paint
/// layout an edit of weights moves the rows that it changed.
class GpuCharacter {
 public:
  explicit GpuCharacter(const DeviceLimits& limits);
  ~GpuCharacter();
  GpuCharacter(GpuCharacter&&) noexcept;
  GpuCharacter& operator=(GpuCharacter&&) noexcept;

  /// Brings the GPU in line; does nothing where parts, pose version and settings are those of the last call. Fails only
  /// where the driver runs out of memory.
  Status update(const GpuInput& input);

  /// Which program draws the part; see ProgramCache::get().
  [[nodiscard]] const VertexVariant& variant(int part) const;
  [[nodiscard]] VertexPath path(int part) const;

  /// Draws a part with the current program, which must be of the part's variant: binds vertex array, uniform ranges
  /// (Part, Palette, Morph) and the morph texture, sets the front face by the handedness of what places the part. Frame
  /// and Material blocks, other textures, culling and depth are the caller's.
  /// @returns draw calls issued
  int draw(int part) const;

  /// Draws a part with a program of surface/identify.frag, which writes `part` + 1 and the number of the element in the
  /// buffers.
  void draw_ids(int part, const Program& program) const;
  /// The element of the primitive that stands there in the buffers.
  [[nodiscard]] std::uint32_t source_element(int part, std::uint32_t element) const;
  /// World positions of a triangle's corners as the shader makes them. @param element  in the buffers
  Result<std::array<glm::vec3, 3>> posed_triangle(int part, std::uint32_t element, ProgramCache& programs) const;

  /// Grows whenever update() rebuilt the parts: look colours are then gone and must be set again.
  [[nodiscard]] std::uint64_t plan_version() const;
  /// Colours for a_look, one per source vertex; an empty span returns to zero.
  void set_look_colors(int part, std::span<const glm::vec4> colors);
  /// The same with one colour per palette batch; @pre one per batch of the part, see batch_count().
  void set_look_batch_colors(int part, std::span<const glm::vec4> colors);
  /// Whether the part can show weights from its blend attributes, by a program with the define WEIGHT_LOOK; else look
  /// colours are needed.
  [[nodiscard]] bool shows_weights(int part) const;
  /// What such programs show from now on: choosing another joint uploads nothing.
  /// @param joint  skeleton index; -1: all joints in blended colours
  /// @param mask   from black to white, instead of by the ramp; another one uploads the colours again
  void set_weight_look(const rig::Character& character, int joint, bool mask = false);

  /// Batches of a part with elements; 1 where it is not skinned in the shader.
  [[nodiscard]] int batch_count(int part) const;

  /// The rows of the batch table, parts skinned in the shader only.
  [[nodiscard]] std::vector<BatchInfo> batches() const;
  [[nodiscard]] const UploadStats& uploads() const;
  /// Sentences about parts that are drawn otherwise than the settings ask.
  [[nodiscard]] const std::vector<std::string>& notes() const;
  /// Bytes of vertex and index data kept for the character, morph textures included.
  [[nodiscard]] std::int64_t resident_bytes() const;
  /// Of these, joint indices and weights.
  [[nodiscard]] std::int64_t influence_bytes() const;

  /// What the shader makes of the vertices, captured by transform feedback and put into source vertex order. Streamed
  /// parts hold what was streamed. Leaves no OpenGL state behind. @pre update() was called
  Result<deform::DeformedCharacter> read_back(ProgramCache& programs) const;
  /// Skins each vertex once, draws nothing and reads nothing back: for whoever times the skinning alone.
  /// @pre update() was called
  Status skin_once(ProgramCache& programs) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pelt::render
