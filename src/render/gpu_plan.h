#pragma once

#include <string>
#include <vector>

#include "deform/draw_batches.h"
#include "deform/settings.h"
#include "render/gl_objects.h"
#include "render/program_cache.h"
#include "rig/character.h"

namespace pelt::render {

using deform::kShaderInfluences;

/// What moves the vertices of a part.
enum class VertexPath {
  kNode,      ///< the node's world matrix, in the shader
  kSkinned,   ///< palette batches, in the shader
  kStreamed,  ///< the CPU; world-space vertices are uploaded whenever the pose changes
};

/// How a part is drawn under given settings; follows from the character and the settings alone.
struct PartPlan {
  VertexPath path = VertexPath::kNode;
  VertexVariant variant;
  int palette_cap = 0;             ///< joints per batch; 0 where not skinned in the shader
  bool partition = false;          ///< rigid triangles are drawn apart
  bool morph_on_cpu = false;       ///< the deltas exceed a texture of this device: the base shape is streamed
  int influences = 0;              ///< most that a vertex may have; of a paint layout, which has slots for more
  std::vector<std::string> notes;  ///< one sentence for each way in which the settings cannot be met
  bool operator==(const PartPlan&) const = default;
};
/// @param paint  in the layout for weights that are being edited, see plan_character()
PartPlan plan_part(const rig::Character& character, int part, const deform::SkinningSettings& settings,
                   const DeviceLimits& limits, bool paint = false);

/// Influence slots per vertex in the paint layout: what the widest row needs and some to grow, in whole attributes.
int paint_slots(int influences, deform::WeightFormat format);

/// True where the GPU backend can do what the settings ask; else skinned parts are streamed. Backend aside.
bool skinned_in_shader(const deform::SkinningSettings& settings);

/// True where some part needs the CPU result of the pose: with the CPU backend, with methods and normals
/// that only the CPU computes, or with more than eight influences.
bool needs_cpu(const rig::Character& character, const deform::SkinningSettings& settings);

/// Where a primitive's morph deltas stand in their texture, see shaders/skinning/morph.glsl.
struct MorphLayout {
  int kinds = 1;  ///< texels per target and vertex: position, then normal and tangent where some target has such deltas
  bool normals = false;
  bool tangents = false;
  int columns = 0;
  int rows = 0;
};
MorphLayout morph_layout(const mesh::Primitive& primitive, int texture_size);

}  // namespace pelt::render
