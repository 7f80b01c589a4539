#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "core/expect.h"
#include "deform/morph.h"
#include "deform/skinning_methods.h"
#include "render/gpu_character_state.h"

namespace pelt::render {
namespace {

int active_targets(std::span<const float> weights, std::size_t target_count) {
  const std::size_t count = std::min(weights.size(), target_count);
  return static_cast<int>(std::count_if(weights.begin(), weights.begin() + static_cast<std::ptrdiff_t>(count),
                                        [](float w) { return w != 0.0f; }));
}

}  // namespace

void GpuCharacter::State::stream_vertices(PartState& part, std::span<const glm::vec3> positions,
                                          std::span<const glm::vec3> normals, std::span<const glm::vec4> tangents) {
  if (positions.empty()) {
    return;
  }
  if (!part.stream_positions) {
    part.stream_positions = Buffer::make();
    part.stream_normals = Buffer::make();
    part.stream_tangents = Buffer::make();
  }
  upload(part.stream_positions, positions, GL_STREAM_DRAW);
  upload(part.stream_normals, normals, GL_STREAM_DRAW);
  upload(part.stream_tangents, tangents, GL_STREAM_DRAW);
  uploads.vertex_bytes +=
      static_cast<std::int64_t>(positions.size_bytes() + normals.size_bytes() + tangents.size_bytes());
  if (!part.streams) {
    part.streams = true;
    bind_vertices(part);
  }
}

void GpuCharacter::State::stop_streaming(PartState& part) {
  if (part.streams) {
    part.streams = false;
    part.streamed_weights.clear();
    bind_vertices(part);
  }
}

/// The base shape after morphing on the CPU, in the order of the part's own vertices.
void GpuCharacter::State::stream_morphed_base(PartState& part, const mesh::Primitive& primitive,
                                              std::span<const float> weights) {
  if (part.streams &&
      std::equal(weights.begin(), weights.end(), part.streamed_weights.begin(), part.streamed_weights.end())) {
    return;
  }
  morphed_positions.resize(primitive.positions.size());
  morphed_normals.resize(primitive.normals.size());
  morphed_tangents.resize(primitive.tangents.size());
  deform::apply_morph_targets(primitive, weights, morphed_positions, morphed_normals, morphed_tangents);
  const Layout& layout = *part.geometry->layout;
  stream_vertices(part, gathered<glm::vec3>(morphed_positions, layout),
                  part.has_normals ? gathered<glm::vec3>(morphed_normals, layout) : std::vector<glm::vec3>(),
                  part.has_tangents ? gathered<glm::vec4>(morphed_tangents, layout) : std::vector<glm::vec4>());
  part.streamed_weights.assign(weights.begin(), weights.end());
}

/// @returns bytes of matrices written for the uniform buffer
std::int64_t GpuCharacter::State::write_palettes(PartState& part, int s, const deform::SkinningMethod& method,
                                                 UniformWriter& writer) {
  part.palette_offsets.clear();
  if (part.reads_palette_texture()) {
    uploads.palette_bytes += skins.upload(s, method);
    return 0;
  }
  const std::size_t vec4s_per_joint = method.vec4s_per_joint;
  const std::size_t bytes_per_joint = vec4s_per_joint * sizeof(glm::vec4);
  const std::vector<glm::vec4>& palette = skins.palette(s, method);
  std::int64_t bytes = 0;
  part.palette_size = static_cast<GLsizeiptr>(part.plan.variant.palette_joints * bytes_per_joint);
  for (const BatchRange& batch : part.geometry->layout->batches) {
    const std::size_t at = writer.open(batch.palette.size() * bytes_per_joint);
    part.palette_offsets.push_back(static_cast<GLintptr>(at));
    std::byte* out = writer.bytes.data() + at;
    for (const std::uint16_t joint : batch.palette) {
      std::memcpy(out, &palette[joint * vec4s_per_joint], bytes_per_joint);
      out += bytes_per_joint;
    }
    bytes += static_cast<std::int64_t>(batch.palette.size() * bytes_per_joint);
  }
  return bytes;
}

/// The block of one part, of its rigid batches too.
void GpuCharacter::State::write_part(const GpuInput& input, std::size_t p, UniformWriter& writer) {
  const rig::Part& source = input.character->parts[p];
  PartState& part = parts[p];
  const deform::SkinningMethod& method = deform::skinning_methods()[input.skinning.method];
  const glm::mat4& world = input.world[source.joint];
  part.mirrored = deform::is_skinned(*input.character, source)
                      ? skins.mirrored(*input.character, *input.pose, input.world, source.skin)
                      : glm::determinant(glm::mat3(world)) < 0.0f;
  glm::mat4 from_mesh(1.0f);
  if (part.plan.path == VertexPath::kNode) {
    from_mesh = world;
  } else if (part.plan.path == VertexPath::kSkinned) {
    from_mesh = glm::mat4(glm::mat3(skins.binding(source.skin).shape_from_mesh));
  }
  PartBlock block{
      from_mesh,
      glm::ivec4(static_cast<int>(deform::normals_under(method, input.skinning.normals)), part.has_normals ? 1 : 0,
                 part.has_tangents ? 1 : 0, part.geometry->influence_slots()),
      method.shader_parameters != nullptr ? method.shader_parameters(input.skinning.parameters) : glm::vec4(0.0f)};
  part.part_offset = writer.put(block);
  if (part.geometry->layout->has_rigid) {
    block.part.w = 1;
    part.rigid_part_offset = writer.put(block);
  }
}

/// Morph weights, or the morphed base shape where the shader cannot.
void GpuCharacter::State::write_morphs(const GpuInput& input, std::size_t p, UniformWriter& writer) {
  const rig::Part& source = input.character->parts[p];
  const mesh::Primitive& primitive = input.character->primitive(source);
  PartState& part = parts[p];
  const std::span<const float> weights = input.character->morph_weights(*input.pose, source.joint);
  const int active = active_targets(weights, primitive.morph_targets.size());
  const bool on_cpu = part.plan.morph_on_cpu || active > kMorphLimit;
  if (on_cpu) {
    stream_morphed_base(part, primitive, weights);
    if (!part.plan.morph_on_cpu) {
      notes.push_back(fmt::format("part {} has {} active morph targets, the shader takes {}: morphed on the CPU", p,
                                  active, kMorphLimit));
    }
  } else {
    stop_streaming(part);
  }
  if (part.morphs == nullptr) {
    return;
  }
  const MorphLayout& layout = part.morphs->layout;
  MorphBlock morph{};
  int used = 0;
  for (std::size_t t = 0; !on_cpu && t < std::min(weights.size(), primitive.morph_targets.size()); ++t) {
    if (weights[t] != 0.0f) {
      morph.targets[used++] = glm::vec4(static_cast<float>(t), weights[t], 0.0f, 0.0f);
    }
  }
  morph.layout = glm::ivec4(used, static_cast<int>(primitive.vertex_count()), layout.kinds,
                            (layout.normals ? 1 : 0) + (layout.tangents ? 2 : 0));
  part.morph_offset = writer.put(morph);
}

void GpuCharacter::State::write_uniforms(const GpuInput& input) {
  const rig::Character& c = *input.character;
  const deform::SkinningMethod& method = deform::skinning_methods()[input.skinning.method];
  const bool another_pose = pose_version != input.pose_version;
  skins.begin(another_pose);
  uniform_bytes.clear();
  UniformWriter writer{uniform_bytes, static_cast<std::size_t>(limits.uniform_alignment)};
  std::size_t largest_block = sizeof(MorphBlock);
  std::int64_t palette_bytes = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    PartState& part = parts[p];
    write_part(input, p, writer);
    if (part.plan.path == VertexPath::kStreamed) {
      PELT_EXPECT(input.deformed != nullptr && input.deformed->parts.size() == c.parts.size(),
                  "the CPU result is given where needs_cpu() says so");
      const deform::DeformedPart& deformed = input.deformed->parts[p];
      stream_vertices(part, deformed.positions, deformed.normals, deformed.tangents);
      continue;
    }
    if (!c.primitive(c.parts[p]).morph_targets.empty()) {
      write_morphs(input, p, writer);
    }
    if (part.plan.path == VertexPath::kSkinned) {
      palette_bytes += write_palettes(part, c.parts[p].skin, method, writer);
      largest_block = std::max(largest_block, static_cast<std::size_t>(part.palette_size));
    }
  }
  uploads.packed_joints = skins.packed_joints();
  // A range must be as long as its block, also that of the last, partly filled palette.
  writer.bytes.resize(writer.bytes.size() + largest_block);
  if (uniforms && !another_pose && uniform_bytes == uploaded_bytes) {
    return;
  }
  if (!uniforms) {
    uniforms = Buffer::make();
  }
  upload(uniforms, std::span<const std::byte>(writer.bytes), GL_STREAM_DRAW);
  uploads.palette_bytes += palette_bytes;
  std::swap(uploaded_bytes, uniform_bytes);
}

}  // namespace pelt::render
