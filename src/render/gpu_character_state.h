#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "render/gpu_character.h"
#include "render/gpu_feedback.h"
#include "render/gpu_geometry.h"
#include "render/gpu_palettes.h"
#include "render/gpu_parts.h"
#include "render/shader_interface.h"

namespace pelt::render {

// The blocks of common/part.glsl and skinning/morph.glsl, std140.
struct PartBlock {
  glm::mat4 from_mesh;
  glm::ivec4 part;
  glm::vec4 method;
};
static_assert(sizeof(PartBlock) == 96);
struct MorphBlock {
  glm::ivec4 layout;
  std::array<glm::vec4, kMorphLimit> targets;
};
static_assert(sizeof(MorphBlock) == 16 + 16 * kMorphLimit);

using Geometries = std::map<GeometryKey, std::unique_ptr<Geometry>>;
using MorphTextures = std::map<std::pair<int, int>, std::unique_ptr<MorphTexture>>;

/// What GpuCharacter keeps; its definitions are parted by what they are about (gpu_character*.cpp).
struct GpuCharacter::State {
  DeviceLimits limits;

  // What was last asked for.
  bool valid = false;
  SurfaceParts of;
  std::uint64_t pose_version = 0;
  deform::SkinningSettings skinning;
  bool paint = false;
  rig::SharedHiding hiding;
  std::uint64_t hiding_plan = 0;  // plan version whose parts follow it

  Geometries geometries;
  MorphTextures morph_textures;
  std::vector<PartState> parts;
  std::vector<GeometryKey> keys;  // [P]
  std::uint64_t plan_version = 0;
  std::vector<std::string> plan_notes;
  std::vector<std::string> notes;
  UploadStats uploads;
  deform::SkinCache own_cache;  // where the caller gives none

  Buffer uniforms;
  std::vector<std::byte> uniform_bytes;   // of this pose
  std::vector<std::byte> uploaded_bytes;  // what the buffer holds
  Feedback feedback;
  SkinPalettes skins;
  std::vector<glm::vec3> morphed_positions;
  std::vector<glm::vec3> morphed_normals;
  std::vector<glm::vec4> morphed_tangents;

  BufferTexture look_colors;         // of weight looks: ramp, joints of each batch
  std::uint64_t look_colors_of = 0;  // plan version, and what its joints are
  SharedList<rig::Skin> look_skins;
  int look_joint = -1;          // skeleton index; -1: all
  bool look_mask = false;       // the ramp goes from black to white
  std::vector<int> look_slots;  // [P] of the joint in the part's skin

  deform::SkinCache& cache(const GpuInput& input) { return input.cache != nullptr ? *input.cache : own_cache; }
  Result<std::shared_ptr<const CharacterPlan>> plan(const GpuInput& input);
  Status take_plan(const GpuInput& input, const CharacterPlan& plan, bool& other_joints);
  const MorphTexture* morphs_of(const rig::Part& part, const mesh::Primitive& primitive, MorphTextures& kept);
  void keep_for_toggling(const GpuInput& input, Geometries& kept);
  Status follow_character(const GpuInput& input, const SurfaceParts& now);
  void follow_hiding(const GpuInput& input);
  void stream_vertices(PartState& part, std::span<const glm::vec3> positions, std::span<const glm::vec3> normals,
                       std::span<const glm::vec4> tangents);
  void stop_streaming(PartState& part);
  void stream_morphed_base(PartState& part, const mesh::Primitive& primitive, std::span<const float> weights);
  void write_part(const GpuInput& input, std::size_t p, UniformWriter& writer);
  void write_morphs(const GpuInput& input, std::size_t p, UniformWriter& writer);
  std::int64_t write_palettes(PartState& part, int s, const deform::SkinningMethod& method, UniformWriter& writer);
  void write_uniforms(const GpuInput& input);
  void bind_uniforms(const PartState& part) const;
  void bind_batch(const PartState& part, std::size_t batch) const;
  void set_constant_attributes(const PartState& part) const;
  void make_look_colors(const rig::Character& character, bool mask);
  void set_weight_look_of(std::size_t p, std::size_t batch) const;
  void set_look(PartState& part, std::span<const glm::vec4> by_buffer_vertex);
  [[nodiscard]] std::size_t largest_part() const;
  Status begin_capture(const PartState& part, ProgramCache& programs) const;
  Status capture(const PartState& part, ProgramCache& programs) const;
  template <typename EachBatch>
  int draw_batches(const PartState& part, const EachBatch& each) const;
};

}  // namespace pelt::render
