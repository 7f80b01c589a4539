#include "render/gpu_crowd.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "core/expect.h"
#include "deform/morph.h"
#include "render/gpu_plan.h"
#include "render/shader_interface.h"

namespace pelt::render {
namespace {

struct Vertex {
  glm::vec3 position;
  glm::vec3 normal;
  glm::vec4 tangent;
  glm::vec2 texcoord[2];
  glm::vec4 color;
  std::array<std::uint16_t, kShaderInfluences> matrices;
  std::array<float, kShaderInfluences> weights;
};
static_assert(sizeof(Vertex) == 120);

struct Instance {
  std::array<glm::vec4, 3> world;
  glm::vec4 moment;  // two rows, share of the second, tint in 24 bits
};
static_assert(sizeof(Instance) == 64);

// The block of common/part.glsl, std140.
struct PartBlock {
  glm::mat4 from_mesh;
  glm::ivec4 part;
  glm::vec4 method;
};

GLenum mode_of(mesh::Topology topology) {
  return topology == mesh::Topology::kPoints ? GL_POINTS : topology == mesh::Topology::kLines ? GL_LINES : GL_TRIANGLES;
}

/// A part of one level.
struct Piece {
  Buffer vertices;
  Buffer indices;
  VertexArray vertex_array;
  GLsizei vertex_count = 0;
  GLsizei index_count = 0;
  GLenum mode = GL_TRIANGLES;
};

struct PartInfo {
  int influence_sets = 1;
  bool mirrored = false;
  bool has_normals = false;
  bool has_tangents = false;
  GLintptr block_offset = 0;
};

std::vector<Vertex> vertices_of(const rig::Character& character, int p, const deform::BakedPalettes& baked) {
  const rig::Part& part = character.parts[p];
  const mesh::Primitive& primitive = character.primitive(part);
  std::vector<glm::vec3> positions = primitive.positions;
  std::vector<glm::vec3> normals = primitive.normals;
  std::vector<glm::vec4> tangents = primitive.tangents;
  if (!primitive.morph_targets.empty()) {
    const rig::Pose rest = rig::rest_pose(character);
    deform::apply_morph_targets(primitive, character.morph_weights(rest, part.joint), positions, normals, tangents);
  }
  std::vector<Vertex> out(primitive.vertex_count());
  for (std::size_t v = 0; v < out.size(); ++v) {
    Vertex& vertex = out[v];
    vertex.position = positions[v];
    vertex.normal = normals.empty() ? glm::vec3(0.0f) : normals[v];
    vertex.tangent = tangents.empty() ? glm::vec4(0.0f) : tangents[v];
    for (int set = 0; set < 2; ++set) {
      vertex.texcoord[set] = primitive.texcoords[set].empty() ? glm::vec2(0.0f) : primitive.texcoords[set][v];
    }
    vertex.color = primitive.colors.empty() ? glm::vec4(1.0f) : primitive.colors[v];
    vertex.matrices.fill(0);
    vertex.weights.fill(0.0f);
    if (baked.part_matrix[p] >= 0) {
      vertex.matrices[0] = static_cast<std::uint16_t>(baked.part_matrix[p]);
      vertex.weights[0] = 1.0f;
      continue;
    }
    const mesh::InfluenceRow row = primitive.influences->row(v);
    for (std::size_t k = 0; k < row.joints.size(); ++k) {
      vertex.matrices[k] = static_cast<std::uint16_t>(baked.skin_offset[part.skin] + row.joints[k]);
      vertex.weights[k] = row.weights[k];
    }
  }
  return out;
}

void attribute(GLuint location, GLint components, std::size_t offset) {
  glVertexAttribPointer(location, components, GL_FLOAT, GL_FALSE, sizeof(Vertex),
                        reinterpret_cast<const void*>(offset));
  glEnableVertexAttribArray(location);
}

Piece make_piece(const rig::Character& character, int p, const deform::BakedPalettes& baked, std::int64_t& bytes) {
  const mesh::Primitive& primitive = character.primitive(character.parts[p]);
  const std::vector<Vertex> vertices = vertices_of(character, p, baked);
  Piece piece;
  piece.mode = mode_of(primitive.topology);
  piece.vertex_count = static_cast<GLsizei>(vertices.size());
  piece.index_count = static_cast<GLsizei>(primitive.indices.size());
  piece.vertices = Buffer::make();
  upload(piece.vertices, std::span<const Vertex>(vertices), GL_STATIC_DRAW);
  piece.indices = Buffer::make();
  upload(piece.indices, std::span<const std::uint32_t>(primitive.indices), GL_STATIC_DRAW);
  bytes +=
      static_cast<std::int64_t>(vertices.size() * sizeof(Vertex) + primitive.indices.size() * sizeof(std::uint32_t));
  piece.vertex_array = VertexArray::make();
  glBindVertexArray(piece.vertex_array.id());
  glBindBuffer(GL_ARRAY_BUFFER, piece.vertices.id());
  attribute(kAttributePosition, 3, offsetof(Vertex, position));
  attribute(kAttributeNormal, 3, offsetof(Vertex, normal));
  attribute(kAttributeTangent, 4, offsetof(Vertex, tangent));
  attribute(kAttributeTexcoord0, 2, offsetof(Vertex, texcoord));
  attribute(kAttributeTexcoord1, 2, offsetof(Vertex, texcoord) + sizeof(glm::vec2));
  attribute(kAttributeColor, 4, offsetof(Vertex, color));
  attribute(kAttributeBlendWeights, 4, offsetof(Vertex, weights));
  attribute(kAttributeBlendWeights1, 4, offsetof(Vertex, weights) + 4 * sizeof(float));
  for (const GLuint set : {0u, 1u}) {
    const GLuint location = set == 0 ? kAttributeBlendIndices : kAttributeBlendIndices1;
    glVertexAttribIPointer(location, 4, GL_UNSIGNED_SHORT, sizeof(Vertex),
                           reinterpret_cast<const void*>(offsetof(Vertex, matrices) + set * 4 * sizeof(std::uint16_t)));
    glEnableVertexAttribArray(location);
  }
  for (GLuint row = 0; row < 4; ++row) {
    glVertexAttribDivisor(kAttributeInstance + row, 1);
    glEnableVertexAttribArray(kAttributeInstance + row);
  }
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, piece.indices.id());
  glBindVertexArray(0);
  glBindBuffer(GL_ARRAY_BUFFER, 0);
  return piece;
}

float packed_tint(const glm::vec3& tint) {
  const glm::vec3 bytes = glm::round(glm::clamp(tint, 0.0f, 1.0f) * 255.0f);
  return bytes.x + 256.0f * bytes.y + 65536.0f * bytes.z;
}

}  // namespace

struct GpuCrowd::State {
  deform::BakedPalettes baked;
  Texture texture;
  Buffer blocks;
  Buffer instances;
  std::vector<PartInfo> parts;
  std::vector<std::vector<Piece>> levels;  // [level][part]
  std::vector<int> first;                  // per level: its first instance in the buffer
  std::vector<int> count;                  // per level
  std::vector<int> order;                  // buffer -> index into `visible`
  std::int64_t resident = 0;
  std::int64_t uploaded = 0;

  void bind(const PartInfo& part, const Piece& piece, int first_instance) const {
    glBindBufferRange(GL_UNIFORM_BUFFER, kBindingPart, blocks.id(), part.block_offset, sizeof(PartBlock));
    glActiveTexture(GL_TEXTURE0 + kUnitBaked);
    glBindTexture(GL_TEXTURE_2D, texture.id());
    glActiveTexture(GL_TEXTURE0);
    glBindVertexArray(piece.vertex_array.id());
    glBindBuffer(GL_ARRAY_BUFFER, instances.id());
    for (GLuint row = 0; row < 4; ++row) {
      glVertexAttribPointer(kAttributeInstance + row, 4, GL_FLOAT, GL_FALSE, sizeof(Instance),
                            reinterpret_cast<const void*>(first_instance * sizeof(Instance) + row * sizeof(glm::vec4)));
    }
    glBindBuffer(GL_ARRAY_BUFFER, 0);
  }
};

GpuCrowd::GpuCrowd(std::unique_ptr<State> state) : state_(std::move(state)) {}
GpuCrowd::GpuCrowd(GpuCrowd&&) noexcept = default;
GpuCrowd& GpuCrowd::operator=(GpuCrowd&&) noexcept = default;
GpuCrowd::~GpuCrowd() = default;

Result<GpuCrowd> GpuCrowd::create(std::span<const rig::Character* const> levels, std::span<const int> clips,
                                  const DeviceLimits& limits, float rate) {
  PELT_EXPECT(!levels.empty() && !clips.empty(), "a character and a clip");
  const rig::Character& character = *levels.front();
  auto state = std::make_unique<State>();
  State& s = *state;
  // Before anything is baked: a clip may claim to last for years.
  const std::string name = character.name.empty() ? "this character" : character.name;
  double rows = 0;
  for (const int clip : clips) {
    rows += clip < 0
                ? 1.0
                : 1.0 + std::ceil(static_cast<double>(character.clips[clip].duration()) * static_cast<double>(rate));
  }
  if (!(rows <= limits.texture_size)) {
    return error("a crowd of {} needs {:.0f} frames, a texture of this device holds {}", name, rows,
                 limits.texture_size);
  }
  s.baked = deform::bake_palettes(character, clips, rate);
  if (3 * s.baked.matrices > limits.texture_size || s.baked.rows > limits.texture_size) {
    return error("a crowd of {} needs {} matrices and {} frames, a texture of this device holds {} and {}", name,
                 s.baked.matrices, s.baked.rows, limits.texture_size / 3, limits.texture_size);
  }
  const std::size_t alignment = limits.uniform_alignment;
  const std::size_t stride = (sizeof(PartBlock) + alignment - 1) / alignment * alignment;
  std::vector<std::byte> blocks(stride * std::max<std::size_t>(character.parts.size(), 1));
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    PartInfo part;
    for (const rig::Character* level : levels) {
      PELT_EXPECT(level->parts.size() == character.parts.size(), "levels have the same parts");
      const mesh::Primitive& primitive = level->primitive(level->parts[p]);
      const auto most = static_cast<int>(primitive.influences->max_count());
      if (most > kShaderInfluences) {
        return error("part {} has {} influences per vertex, a crowd takes {}", p, most, kShaderInfluences);
      }
      part.influence_sets = std::max(part.influence_sets, most > 4 ? 2 : 1);
    }
    const mesh::Primitive& primitive = character.primitive(character.parts[p]);
    part.has_normals = !primitive.normals.empty();
    part.has_tangents = !primitive.tangents.empty();
    const int matrix = s.baked.part_matrix[p];
    const int first = matrix >= 0 ? matrix : s.baked.skin_offset[character.parts[p].skin];
    const int count = matrix >= 0 ? 1 : static_cast<int>(character.skins[character.parts[p].skin].joints.size());
    std::vector<glm::mat4> matrices(s.baked.matrices);
    deform::sample_palettes(s.baked, 0, 0.0f, matrices);
    const auto mirrored = std::count_if(matrices.begin() + first, matrices.begin() + first + count,
                                        [](const glm::mat4& m) { return glm::determinant(glm::mat3(m)) < 0.0f; });
    part.mirrored = 2 * mirrored > count;
    part.block_offset = static_cast<GLintptr>(p * stride);
    const PartBlock block = {glm::mat4(1.0f),
                             glm::ivec4(static_cast<int>(deform::NormalVariant::kInverseTransposeOfBlend),
                                        part.has_normals ? 1 : 0, part.has_tangents ? 1 : 0, 0),
                             glm::vec4(0.0f)};
    const auto bytes = std::as_bytes(std::span(&block, 1));
    std::ranges::copy(bytes, blocks.begin() + static_cast<std::ptrdiff_t>(p * stride));
    s.parts.push_back(part);
  }
  s.blocks = Buffer::make();
  upload(s.blocks, std::span<const std::byte>(blocks), GL_STATIC_DRAW);
  s.instances = Buffer::make();
  for (const rig::Character* level : levels) {
    std::vector<Piece>& pieces = s.levels.emplace_back();
    for (int p = 0; p < static_cast<int>(level->parts.size()); ++p) {
      pieces.push_back(make_piece(*level, p, s.baked, s.resident));
    }
  }
  s.first.assign(levels.size(), 0);
  s.count.assign(levels.size(), 0);

  s.texture = Texture::make();
  glActiveTexture(GL_TEXTURE0 + kUnitBaked);
  glBindTexture(GL_TEXTURE_2D, s.texture.id());
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F, 3 * s.baked.matrices, s.baked.rows, 0, GL_RGBA, GL_FLOAT,
               s.baked.texels.data());
  glActiveTexture(GL_TEXTURE0);
  s.resident += s.baked.bytes();
  PELT_TRY(check_gl("uploading the crowd"));
  return GpuCrowd(std::move(state));
}

void GpuCrowd::place(std::span<const deform::CrowdInstance> instances, std::span<const int> visible, double time,
                     const glm::vec3& eye, std::span<const float> level_limits) {
  State& s = *state_;
  std::vector<int> level(visible.size());
  std::ranges::fill(s.count, 0);
  for (std::size_t i = 0; i < visible.size(); ++i) {
    const int wanted = deform::detail_level(instances[visible[i]], eye, level_limits);
    level[i] = std::min(wanted, static_cast<int>(s.levels.size()) - 1);
    ++s.count[level[i]];
  }
  std::exclusive_scan(s.count.begin(), s.count.end(), s.first.begin(), 0);
  s.order.resize(visible.size());
  std::iota(s.order.begin(), s.order.end(), 0);
  std::ranges::stable_sort(s.order, {}, [&](int i) { return level[i]; });

  std::vector<Instance> rows;
  rows.reserve(visible.size());
  for (const int i : s.order) {
    const deform::CrowdInstance& instance = instances[visible[i]];
    const deform::BakedClip& clip = s.baked.clips[instance.clip];
    const deform::BakedMoment moment = deform::moment_of(clip, deform::phase_at(instance, clip, time));
    const glm::mat4 world = glm::transpose(instance.world);
    rows.push_back(
        {{world[0], world[1], world[2]},
         {static_cast<float>(moment.row0), static_cast<float>(moment.row1), moment.share, packed_tint(instance.tint)}});
  }
  upload(s.instances, std::span<const Instance>(rows), GL_STREAM_DRAW);
  s.uploaded = static_cast<std::int64_t>(rows.size() * sizeof(Instance));
}

VertexVariant GpuCrowd::variant(int part) const {
  return {.method = -1,
          .influence_sets = state_->parts[part].influence_sets,
          .palette_joints = 0,
          .morphs = false,
          .instanced = true};
}

int GpuCrowd::draw_calls(int p) const {
  int calls = 0;
  for (std::size_t level = 0; level < state_->levels.size(); ++level) {
    calls += state_->count[level] > 0 && state_->levels[level][p].index_count > 0 ? 1 : 0;
  }
  return calls;
}

int GpuCrowd::draw(int p) const {
  const State& s = *state_;
  const PartInfo& part = s.parts[p];
  glFrontFace(part.mirrored ? GL_CW : GL_CCW);
  for (std::size_t level = 0; level < s.levels.size(); ++level) {
    const Piece& piece = s.levels[level][p];
    if (s.count[level] == 0 || piece.index_count == 0) {
      continue;
    }
    glVertexAttrib4f(kAttributeLook, 0.0f, 0.0f, 0.0f, 0.0f);
    s.bind(part, piece, s.first[level]);
    glDrawElementsInstanced(piece.mode, piece.index_count, GL_UNSIGNED_INT, nullptr, s.count[level]);
  }
  glBindVertexArray(0);
  return draw_calls(p);
}

const deform::BakedPalettes& GpuCrowd::baked() const {
  return state_->baked;
}

std::int64_t GpuCrowd::resident_bytes() const {
  return state_->resident;
}

std::int64_t GpuCrowd::uploaded_bytes() const {
  return state_->uploaded;
}

std::span<const int> GpuCrowd::per_level() const {
  return state_->count;
}

std::int64_t GpuCrowd::triangles() const {
  std::int64_t sum = 0;
  for (std::size_t level = 0; level < state_->levels.size(); ++level) {
    for (const Piece& piece : state_->levels[level]) {
      sum += piece.mode == GL_TRIANGLES ? std::int64_t{state_->count[level]} * piece.index_count / 3 : 0;
    }
  }
  return sum;
}

Result<deform::DeformedCharacter> GpuCrowd::read_back(ProgramCache& programs, int instance) const {
  const State& s = *state_;
  const auto found = std::ranges::find(s.order, instance);
  PELT_EXPECT(found != s.order.end(), "a placed instance");
  struct Captured {
    glm::vec3 position;
    glm::vec3 normal;
    glm::vec4 tangent;
  };
  const Framebuffer framebuffer = Framebuffer::make();
  const Renderbuffer pixel = Renderbuffer::make();
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer.id());
  glBindRenderbuffer(GL_RENDERBUFFER, pixel.id());
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 1, 1);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, pixel.id());
  glEnable(GL_RASTERIZER_DISCARD);
  const Buffer captured = Buffer::make();
  deform::DeformedCharacter out;
  Status status;
  for (std::size_t p = 0; p < s.parts.size() && status; ++p) {
    const Piece& piece = s.levels[0][p];
    deform::DeformedPart& result = out.parts.emplace_back();
    const Result<const Program*> program = programs.get_feedback(variant(static_cast<int>(p)));
    if (!program) {
      status = program.error();
      break;
    }
    if (piece.vertex_count == 0) {
      continue;
    }
    allocate(captured, piece.vertex_count * sizeof(Captured), GL_STREAM_READ);
    glUseProgram((*program)->id());
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, captured.id());
    s.bind(s.parts[p], piece, static_cast<int>(found - s.order.begin()));
    glBeginTransformFeedback(GL_POINTS);
    glDrawArraysInstanced(GL_POINTS, 0, piece.vertex_count, 1);
    glEndTransformFeedback();
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0);
    std::vector<Captured> vertices(piece.vertex_count);
    glBindBuffer(GL_COPY_READ_BUFFER, captured.id());
    glGetBufferSubData(GL_COPY_READ_BUFFER, 0, static_cast<GLsizeiptr>(vertices.size() * sizeof(Captured)),
                       vertices.data());
    glBindBuffer(GL_COPY_READ_BUFFER, 0);
    for (const Captured& vertex : vertices) {
      result.positions.push_back(vertex.position);
      if (s.parts[p].has_normals) {
        result.normals.push_back(vertex.normal);
      }
      if (s.parts[p].has_tangents) {
        result.tangents.push_back(vertex.tangent);
      }
    }
    out.bounds.add(bounds_of(result.positions));
  }
  glBindVertexArray(0);
  glDisable(GL_RASTERIZER_DISCARD);
  glUseProgram(0);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  if (status) {
    status = check_gl("reading the crowd back");
  }
  if (!status) {
    return status.error();
  }
  return out;
}

}  // namespace pelt::render
