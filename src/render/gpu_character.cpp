#include "render/gpu_character.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstring>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/expect.h"
#include "deform/common_stretch.h"
#include "deform/morph.h"
#include "deform/skinning_methods.h"
#include "render/gpu_rows.h"
#include "render/shader_interface.h"
#include "rig/own_bindings.h"

namespace pelt::render {
namespace {

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

std::size_t size(int n) {
  return static_cast<std::size_t>(n);
}

GLenum mode_of(mesh::Topology topology) {
  switch (topology) {
    case mesh::Topology::kPoints:
      return GL_POINTS;
    case mesh::Topology::kLines:
      return GL_LINES;
    case mesh::Topology::kTriangles:
      break;
  }
  return GL_TRIANGLES;
}

/// What decides the content of the static buffers. Fields that make no difference to a primitive that is not skinned
/// are left at their defaults, so that both backends share it.
struct GeometryKey {
  int mesh = 0;
  int primitive = 0;
  bool skinned = false;
  int palette_cap = 0;
  bool partition = false;
  int influence_limit = 0;
  float prune_threshold = 0;
  deform::WeightFormat weight_format = deform::WeightFormat::kFloat;
  bool weights_as_stored = false;
  int prepared_for = -1;                     // method, where it prepares anything
  deform::MethodParameters parameters = {};  // likewise
  auto operator<=>(const GeometryKey&) const = default;
};

/// Where one batch lies in the buffers.
struct BatchRange {
  std::vector<std::uint16_t> palette;
  GLint first_vertex = 0;
  GLsizei vertex_count = 0;
  std::size_t first_index = 0;
  GLsizei index_count = 0;
  bool rigid = false;
};

/// Buffers that stay while the pose changes, shared by all parts that show the same primitive in the same way.
struct Geometry {
  std::vector<BatchRange> batches;    // skinned ones, perhaps one without elements, rigid ones
  std::vector<std::uint32_t> source;  // buffer vertex -> vertex of the primitive
  int drawn_batches = 0;              // those with elements
  bool has_rigid = false;
  std::int64_t bytes = 0;
  Buffer positions;
  Buffer normals;
  Buffer tangents;
  Buffer texcoords[2];
  Buffer colors;
  Buffer blend_indices;
  Buffer blend_weights;
  mesh::PackedInfluences influence_layout;  // of these two, without the bytes
  std::int64_t influence_bytes = 0;
  Buffer source_vertex;
  Buffer prepared;
  std::unique_ptr<GpuRows> rows;  // in place of blend indices and weights
  Buffer indices;
};

struct MorphTexture {
  Texture texture;
  MorphLayout layout;
  std::int64_t bytes = 0;
};

/// A skin in one pose: what all parts and batches that follow it copy from.
struct SkinPose {
  std::vector<glm::mat4> matrices;
  std::vector<glm::vec4> palette;  // by joint, as the method packs them
  BufferTexture texture;           // the whole palette, for vertices with rows of their own
  bool mirrored = false;
  // Whether it is that of this pose.
  bool posed = false;
  bool packed = false;
  bool uploaded = false;
};

struct PartState {
  PartPlan plan;
  int skin = -1;  // whose texture it reads; where vertices have rows of their own
  const Geometry* geometry = nullptr;
  const MorphTexture* morphs = nullptr;
  VertexArray vertex_array;
  VertexArray rigid_array;  // without influences; where there are rigid batches
  GLenum mode = GL_TRIANGLES;
  bool has_normals = false;
  bool has_tangents = false;
  bool has_colors = false;

  // Streamed vertices: world space on the path kStreamed, the morphed base shape where morph_on_cpu.
  bool streams = false;
  Buffer stream_positions;
  Buffer stream_normals;
  Buffer stream_tangents;
  std::vector<float> streamed_weights;  // morph weights of what is in the buffers

  Buffer look;
  bool has_look = false;

  // Into the uniform buffer.
  GLintptr part_offset = 0;
  GLintptr rigid_part_offset = 0;
  GLintptr morph_offset = 0;
  std::vector<GLintptr> palette_offsets;
  GLsizeiptr palette_size = 0;
  bool mirrored = false;
};

void set_attribute(GLuint location, const Buffer& buffer, GLint components) {
  glBindBuffer(GL_ARRAY_BUFFER, buffer.id());
  glVertexAttribPointer(location, components, GL_FLOAT, GL_FALSE, 0, nullptr);
  glEnableVertexAttribArray(location);
}

void set_integer_attribute(GLuint location, const Buffer& buffer, GLint components, GLenum type) {
  glBindBuffer(GL_ARRAY_BUFFER, buffer.id());
  glVertexAttribIPointer(location, components, type, 0, nullptr);
  glEnableVertexAttribArray(location);
}

/// The elements of `values` that the batches' vertices are copies of.
template <typename T>
std::vector<T> gathered(std::span<const T> values, std::span<const std::uint32_t> source) {
  std::vector<T> out;
  out.reserve(source.size());
  for (const std::uint32_t v : source) {
    out.push_back(values[v]);
  }
  return out;
}

template <typename T>
void make_static(Buffer& buffer, std::span<const T> values, std::int64_t& bytes) {
  buffer = Buffer::make();
  upload(buffer, values, GL_STATIC_DRAW);
  bytes += static_cast<std::int64_t>(values.size_bytes());
}

template <typename T>
void make_gathered(Buffer& buffer, std::span<const T> values, std::span<const std::uint32_t> source,
                   std::int64_t& bytes) {
  if (!values.empty()) {
    make_static<T>(buffer, gathered(values, source), bytes);
  }
}

/// The rows of the vertices of skinned batches, which come first in the buffers, in which joints are slots of the
/// batch's palette.
mesh::Influences rows_by_slot(const Geometry& geometry, const mesh::Influences& influences, bool as_stored) {
  mesh::Influences rows;
  std::vector<std::uint16_t> slot_of;
  std::vector<std::uint16_t> joints;
  std::vector<float> weights;
  for (const BatchRange& batch : geometry.batches) {
    if (batch.rigid) {
      continue;
    }
    slot_of.assign(
        batch.palette.empty() ? 0 : *std::max_element(batch.palette.begin(), batch.palette.end()) + std::size_t{1}, 0);
    for (std::size_t slot = 0; slot < batch.palette.size(); ++slot) {
      slot_of[batch.palette[slot]] = static_cast<std::uint16_t>(slot);
    }
    for (std::size_t i = size(batch.first_vertex); i < size(batch.first_vertex + batch.vertex_count); ++i) {
      const std::uint32_t v = geometry.source[i];
      const float scale = as_stored ? influences.stored_sum(v) : 1.0f;
      const mesh::InfluenceRow row = influences.row(v);
      joints.clear();
      weights.clear();
      for (std::size_t k = 0; k < row.joints.size(); ++k) {
        joints.push_back(slot_of[row.joints[k]]);
        weights.push_back(row.weights[k] * scale);
      }
      rows.push_row({joints, weights, row.stored_sum});
    }
  }
  return rows;
}

/// Attributes as short as the format and the longest row allow; unused slots are 0 and 0.
void make_influences(Geometry& geometry, const mesh::Influences& influences, mesh::WeightFormat format,
                     bool as_stored) {
  std::size_t largest_palette = 0;
  for (const BatchRange& batch : geometry.batches) {
    largest_palette = std::max(largest_palette, batch.palette.size());
  }
  const std::int64_t before = geometry.bytes;
  mesh::PackedInfluences packed =
      mesh::pack_influences(rows_by_slot(geometry, influences, as_stored), format, largest_palette);
  make_static<std::uint8_t>(geometry.blend_indices, packed.indices, geometry.bytes);
  make_static<std::uint8_t>(geometry.blend_weights, packed.weights, geometry.bytes);
  geometry.influence_bytes = geometry.bytes - before;
  packed.indices.clear();
  packed.weights.clear();
  geometry.influence_layout = std::move(packed);
}

Result<std::unique_ptr<Geometry>> make_geometry(const rig::Character& character, const rig::Part& part,
                                                const PartPlan& plan, const deform::SkinningSettings& settings,
                                                const DeviceLimits& limits, deform::SkinCache& cache) {
  const mesh::Primitive& primitive = character.primitive(part);
  auto geometry = std::make_unique<Geometry>();
  const bool skinned = plan.path == VertexPath::kSkinned;

  std::vector<std::uint32_t> indices;
  std::shared_ptr<const deform::SkinData> data;
  if (skinned) {
    data = cache.get(character, part.mesh, settings);
  }
  if (plan.variant.palette_joints > 0) {
    const mesh::Influences& influences = data->influences[size(part.primitive)];
    auto batches = deform::make_draw_batches(primitive, influences, plan.palette_cap, plan.partition);
    if (!batches) {
      return batches.error();
    }
    for (deform::DrawBatch& batch : *batches) {
      const auto first_vertex = static_cast<std::uint32_t>(geometry->source.size());
      geometry->batches.push_back({std::move(batch.palette), static_cast<GLint>(first_vertex),
                                   static_cast<GLsizei>(batch.vertices.size()), indices.size(),
                                   static_cast<GLsizei>(batch.indices.size()), batch.rigid});
      geometry->has_rigid = geometry->has_rigid || batch.rigid;
      geometry->drawn_batches += batch.indices.empty() ? 0 : 1;
      geometry->source.insert(geometry->source.end(), batch.vertices.begin(), batch.vertices.end());
      for (const std::uint32_t index : batch.indices) {
        indices.push_back(first_vertex + index);
      }
    }
  } else {
    geometry->source.resize(primitive.vertex_count());
    for (std::uint32_t v = 0; v < geometry->source.size(); ++v) {
      geometry->source[v] = v;
    }
    indices = primitive.indices;
    std::vector<std::uint16_t> palette(skinned ? character.skins[size(part.skin)].joints.size() : 0);
    std::iota(palette.begin(), palette.end(), std::uint16_t{0});
    geometry->batches.push_back({std::move(palette), 0, static_cast<GLsizei>(geometry->source.size()), 0,
                                 static_cast<GLsizei>(indices.size()), false});
    geometry->drawn_batches = 1;
  }

  Geometry& g = *geometry;
  make_gathered<glm::vec3>(g.positions, primitive.positions, g.source, g.bytes);
  make_gathered<glm::vec3>(g.normals, primitive.normals, g.source, g.bytes);
  make_gathered<glm::vec4>(g.tangents, primitive.tangents, g.source, g.bytes);
  make_gathered<glm::vec2>(g.texcoords[0], primitive.texcoords[0], g.source, g.bytes);
  make_gathered<glm::vec2>(g.texcoords[1], primitive.texcoords[1], g.source, g.bytes);
  make_gathered<glm::vec4>(g.colors, primitive.colors, g.source, g.bytes);
  make_static<std::uint32_t>(g.indices, indices, g.bytes);
  if (!primitive.morph_targets.empty()) {
    make_static<std::uint32_t>(g.source_vertex, g.source, g.bytes);
  }
  if (skinned) {
    const deform::SkinningMethod& method = deform::skinning_methods()[size(plan.variant.method)];
    if (method.vec4s_per_row > 0) {
      const deform::Prepared& own = data->prepared[size(part.primitive)];
      if (own.row_data.size() > size(limits.texture_buffer_texels)) {
        return error("{} needs {} texels for mesh {}, a buffer texture of this device holds {}: use the CPU backend",
                     method.label, own.row_data.size(), part.mesh, limits.texture_buffer_texels);
      }
      g.rows = std::make_unique<GpuRows>(make_rows(own, g.source));
      g.bytes += g.rows->bytes;
      g.influence_bytes = g.rows->bytes;
    } else {
      make_influences(g, data->influences[size(part.primitive)], settings.weight_format, settings.weights_as_stored);
    }
    if (method.vec4s_per_vertex > 0) {
      const auto stride = size(method.vec4s_per_vertex);
      const std::vector<glm::vec4>& prepared = data->prepared[size(part.primitive)].per_vertex;
      std::vector<glm::vec4> rows;
      for (const std::uint32_t v : g.source) {
        const auto row = prepared.begin() + static_cast<std::ptrdiff_t>(v * stride);
        rows.insert(rows.end(), row, row + static_cast<std::ptrdiff_t>(stride));
      }
      make_static<glm::vec4>(g.prepared, rows, g.bytes);
    }
  }
  return geometry;
}

std::unique_ptr<MorphTexture> make_morph_texture(const mesh::Primitive& primitive, int texture_size) {
  auto made = std::make_unique<MorphTexture>();
  made->layout = morph_layout(primitive, texture_size);
  std::vector<glm::vec4> texels(size(made->layout.columns) * size(made->layout.rows), glm::vec4(0.0f));
  std::size_t at = 0;
  for (const mesh::MorphTarget& target : primitive.morph_targets) {
    for (std::size_t v = 0; v < primitive.vertex_count(); ++v) {
      const auto put = [&](const std::vector<glm::vec3>& deltas) {
        texels[at++] = deltas.empty() ? glm::vec4(0.0f) : glm::vec4(deltas[v], 0.0f);
      };
      put(target.position_deltas);
      if (made->layout.normals) {
        put(target.normal_deltas);
      }
      if (made->layout.tangents) {
        put(target.tangent_deltas);
      }
    }
  }
  made->texture = Texture::make();
  made->bytes = static_cast<std::int64_t>(texels.size() * sizeof(glm::vec4));
  glActiveTexture(GL_TEXTURE0 + kUnitMorphDeltas);
  glBindTexture(GL_TEXTURE_2D, made->texture.id());
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F, made->layout.columns, made->layout.rows, 0, GL_RGBA, GL_FLOAT,
               texels.data());
  glActiveTexture(GL_TEXTURE0);
  return made;
}

/// Calls `set` with each of the part's vertex arrays bound.
template <typename Set>
void with_vertex_arrays(const PartState& part, const Set& set) {
  for (const VertexArray* array : {&part.vertex_array, &part.rigid_array}) {
    if (*array) {
      glBindVertexArray(array->id());
      set();
    }
  }
  glBindVertexArray(0);
}

/// Position, normal and tangent from the streamed buffers or from the static ones.
void bind_vertices(const PartState& part) {
  const Geometry& g = *part.geometry;
  if (!g.positions) {
    return;  // a primitive without vertices
  }
  with_vertex_arrays(part, [&] {
    set_attribute(kAttributePosition, part.streams ? part.stream_positions : g.positions, 3);
    if (part.has_normals) {
      set_attribute(kAttributeNormal, part.streams ? part.stream_normals : g.normals, 3);
    }
    if (part.has_tangents) {
      set_attribute(kAttributeTangent, part.streams ? part.stream_tangents : g.tangents, 4);
    }
  });
}

GLenum weight_type(mesh::WeightFormat format) {
  switch (format) {
    case mesh::WeightFormat::kFloat:
      return GL_FLOAT;
    case mesh::WeightFormat::kUnorm16:
      return GL_UNSIGNED_SHORT;
    case mesh::WeightFormat::kUnorm8:
    case mesh::WeightFormat::kPacked56:
      break;
  }
  return GL_UNSIGNED_BYTE;
}

/// Sets of four, the last one as long as it is.
void set_influence_attributes(const Geometry& g) {
  const mesh::PackedInfluences& layout = g.influence_layout;
  glBindBuffer(GL_ARRAY_BUFFER, g.blend_indices.id());
  const auto byte_offset = [](int bytes) { return reinterpret_cast<const void*>(size(bytes)); };
  for (int set = 0; 4 * set < layout.slots; ++set) {
    const GLuint location = set == 0 ? kAttributeBlendIndices : kAttributeBlendIndices1;
    glVertexAttribIPointer(location, std::min(4, layout.slots - 4 * set),
                           layout.index_bytes == 1 ? GL_UNSIGNED_BYTE : GL_UNSIGNED_SHORT,
                           layout.slots * layout.index_bytes, byte_offset(4 * set * layout.index_bytes));
    glEnableVertexAttribArray(location);
  }
  glBindBuffer(GL_ARRAY_BUFFER, g.blend_weights.id());
  for (int set = 0; 4 * set < layout.stored_weights; ++set) {
    const GLuint location = set == 0 ? kAttributeBlendWeights : kAttributeBlendWeights1;
    glVertexAttribPointer(location, std::min(4, layout.stored_weights - 4 * set), weight_type(layout.format), GL_TRUE,
                          layout.stored_weights * layout.weight_bytes(), byte_offset(4 * set * layout.weight_bytes()));
    glEnableVertexAttribArray(location);
  }
}

/// u_part.w: influence slots in the attributes, negative where the last weight is implied.
int influence_slots(const Geometry& g) {
  const mesh::PackedInfluences& layout = g.influence_layout;
  return layout.stored_weights < layout.slots ? -layout.slots : layout.slots;
}

void make_vertex_arrays(PartState& part) {
  const Geometry& g = *part.geometry;
  part.vertex_array = VertexArray::make();
  if (g.has_rigid) {
    part.rigid_array = VertexArray::make();
  }
  const auto optional = [](GLuint location, const Buffer& buffer, GLint components) {
    if (buffer) {
      set_attribute(location, buffer, components);
    }
  };
  with_vertex_arrays(part, [&] {
    optional(kAttributeTexcoord0, g.texcoords[0], 2);
    optional(kAttributeTexcoord1, g.texcoords[1], 2);
    optional(kAttributeColor, g.colors, 4);
    if (g.rows != nullptr) {
      set_integer_attribute(kAttributeRow, g.rows->spans, 2, GL_UNSIGNED_INT);
    }
    if (g.source_vertex) {
      set_integer_attribute(kAttributeSourceVertex, g.source_vertex, 1, GL_UNSIGNED_INT);
    }
    if (g.prepared) {
      const int rows = deform::skinning_methods()[size(part.plan.variant.method)].vec4s_per_vertex;
      glBindBuffer(GL_ARRAY_BUFFER, g.prepared.id());
      for (int row = 0; row < rows; ++row) {
        const GLuint location = kAttributePrepared + static_cast<GLuint>(row);
        glVertexAttribPointer(location, 4, GL_FLOAT, GL_FALSE, rows * static_cast<GLsizei>(sizeof(glm::vec4)),
                              reinterpret_cast<const void*>(size(row) * sizeof(glm::vec4)));
        glEnableVertexAttribArray(location);
      }
    }
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, g.indices.id());
  });
  if (g.blend_indices) {
    glBindVertexArray(part.vertex_array.id());
    set_influence_attributes(g);
    glBindVertexArray(0);
  }
  glBindBuffer(GL_ARRAY_BUFFER, 0);
  bind_vertices(part);
}

/// What rigid batches read in place of influences; belongs to the context and not to the vertex array.
void set_rigid_influence() {
  glVertexAttribI4ui(kAttributeBlendIndices, 0, 0, 0, 0);
  glVertexAttrib4f(kAttributeBlendWeights, 1.0f, 0.0f, 0.0f, 0.0f);
}

/// The bytes of the uniform buffer, block after block on the device's alignment.
struct UniformWriter {
  std::vector<std::byte>& bytes;
  std::size_t alignment;

  /// Starts a block of `count` bytes and returns where.
  std::size_t open(std::size_t count) {
    const std::size_t at = (bytes.size() + alignment - 1) / alignment * alignment;
    bytes.resize(at + count);
    return at;
  }
  template <typename T>
  GLintptr put(const T& block) {
    const std::size_t at = open(sizeof(T));
    std::memcpy(bytes.data() + at, &block, sizeof(T));
    return static_cast<GLintptr>(at);
  }
};

int active_targets(std::span<const float> weights, std::size_t target_count) {
  const std::size_t count = std::min(weights.size(), target_count);
  return static_cast<int>(std::count_if(weights.begin(), weights.begin() + static_cast<std::ptrdiff_t>(count),
                                        [](float w) { return w != 0.0f; }));
}

/// Whether settings differ at most in what is a uniform: normals that the shader makes, and parameters that nothing is
/// prepared from.
bool same_geometry(const deform::SkinningSettings& a, const deform::SkinningSettings& b) {
  deform::SkinningSettings like_b = a;
  const deform::SkinningMethod& method = deform::skinning_methods()[size(b.method)];
  if (skinned_in_shader(a) == skinned_in_shader(b)) {
    like_b.normals = b.normals;
  }
  if (deform::preparing_parameters(method, a.parameters) == deform::preparing_parameters(method, b.parameters)) {
    like_b.parameters = b.parameters;
  }
  return like_b == b;
}

/// What the vertex shader makes of one vertex.
struct Captured {
  glm::vec3 position;
  glm::vec3 normal;
  glm::vec4 tangent;
};
static_assert(sizeof(Captured) == 40);

/// Where the vertex shader's results go when they themselves are wanted.
struct Feedback {
  Framebuffer framebuffer;
  Renderbuffer pixel;
  Buffer captured;
  std::size_t vertices = 0;

  /// Leaves what is there as long as it is large enough.
  Status make(std::size_t wanted) {
    if (!framebuffer) {
      GLint draw_framebuffer = 0;
      GLint read_framebuffer = 0;
      glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &draw_framebuffer);
      glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &read_framebuffer);
      framebuffer = Framebuffer::make();
      pixel = Renderbuffer::make();
      glBindFramebuffer(GL_FRAMEBUFFER, framebuffer.id());
      glBindRenderbuffer(GL_RENDERBUFFER, pixel.id());
      glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 1, 1);
      glBindRenderbuffer(GL_RENDERBUFFER, 0);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, pixel.id());
      const Status status = check_framebuffer("capturing the GPU's vertices");
      glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(draw_framebuffer));
      glBindFramebuffer(GL_READ_FRAMEBUFFER, static_cast<GLuint>(read_framebuffer));
      if (!status) {
        framebuffer = Framebuffer();
        return status;
      }
      captured = Buffer::make();
    }
    if (vertices < wanted) {
      allocate(captured, wanted * sizeof(Captured), GL_STREAM_READ);
      vertices = wanted;
    }
    return {};
  }
};

/// Rasterises nothing as long as it lives, and leaves no state behind.
class FeedbackScope {
 public:
  explicit FeedbackScope(const Feedback& feedback) {
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &draw_framebuffer_);
    glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &read_framebuffer_);
    glGetIntegerv(GL_CURRENT_PROGRAM, &program_);
    // Nothing is rasterised, yet a surfaceless context drops draws silently until a complete framebuffer is bound.
    glBindFramebuffer(GL_FRAMEBUFFER, feedback.framebuffer.id());
    glEnable(GL_RASTERIZER_DISCARD);
  }
  ~FeedbackScope() {
    glDisable(GL_RASTERIZER_DISCARD);
    glUseProgram(static_cast<GLuint>(program_));
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(draw_framebuffer_));
    glBindFramebuffer(GL_READ_FRAMEBUFFER, static_cast<GLuint>(read_framebuffer_));
  }
  FeedbackScope(const FeedbackScope&) = delete;
  FeedbackScope& operator=(const FeedbackScope&) = delete;

 private:
  GLint draw_framebuffer_ = 0;
  GLint read_framebuffer_ = 0;
  GLint program_ = 0;
};

}  // namespace

struct GpuCharacter::State {
  DeviceLimits limits;

  // What was last asked for.
  bool valid = false;
  const rig::Character* character = nullptr;
  std::uint64_t character_version = 0;
  std::uint64_t pose_version = 0;
  deform::SkinningSettings skinning;

  std::map<GeometryKey, std::unique_ptr<Geometry>> geometries;
  std::map<std::pair<int, int>, std::unique_ptr<MorphTexture>> morph_textures;
  std::vector<PartState> parts;
  std::uint64_t plan_version = 0;
  std::vector<std::string> plan_notes;
  std::vector<std::string> notes;
  UploadStats uploads;
  deform::SkinCache own_cache;  // where the caller gives none

  Buffer uniforms;
  std::vector<std::byte> uniform_bytes;  // of it, kept for its capacity
  Feedback feedback;
  std::shared_ptr<const std::vector<deform::SkinBinding>> bindings;  // per skin, of the character
  std::vector<SkinPose> skins;
  std::vector<glm::vec3> morphed_positions;
  std::vector<glm::vec3> morphed_normals;
  std::vector<glm::vec4> morphed_tangents;

  Status replan(const GpuInput& input);
  void stream_vertices(PartState& part, std::span<const glm::vec3> positions, std::span<const glm::vec3> normals,
                       std::span<const glm::vec4> tangents);
  void stop_streaming(PartState& part);
  void stream_morphed_base(PartState& part, const mesh::Primitive& primitive, std::span<const float> weights);
  SkinPose& posed_skin(const GpuInput& input, int s);
  void pack(int s, const deform::SkinningMethod& method);
  void write_palettes(PartState& part, int s, const deform::SkinningMethod& method, UniformWriter& writer);
  void write_uniforms(const GpuInput& input);
  void bind_uniforms(const PartState& part) const;
  void bind_batch(const PartState& part, std::size_t batch) const;
  void set_look(PartState& part, std::span<const glm::vec4> by_buffer_vertex);
  [[nodiscard]] std::size_t largest_part() const;
  Status capture(const PartState& part, ProgramCache& programs) const;
};

Status GpuCharacter::State::replan(const GpuInput& input) {
  const rig::Character& c = *input.character;
  std::vector<PartState> made(c.parts.size());
  std::map<GeometryKey, std::unique_ptr<Geometry>> kept;
  plan_notes.clear();
  for (std::size_t p = 0; p < c.parts.size(); ++p) {
    const rig::Part& source = c.parts[p];
    const mesh::Primitive& primitive = c.primitive(source);
    PartState& part = made[p];
    part.plan = plan_part(c, static_cast<int>(p), input.skinning, limits);
    part.skin = source.skin;
    plan_notes.insert(plan_notes.end(), part.plan.notes.begin(), part.plan.notes.end());
    part.mode = mode_of(primitive.topology);
    part.has_normals = !primitive.normals.empty();
    part.has_tangents = !primitive.tangents.empty();
    part.has_colors = !primitive.colors.empty();

    GeometryKey key{.mesh = source.mesh, .primitive = source.primitive};
    if (part.plan.path == VertexPath::kSkinned) {
      key.skinned = true;
      key.palette_cap = part.plan.palette_cap;
      key.partition = part.plan.partition;
      key.influence_limit = input.skinning.influence_limit;
      key.weights_as_stored = input.skinning.weights_as_stored;
      key.prune_threshold = input.skinning.prune_threshold;
      key.weight_format = input.skinning.weight_format;
      const deform::SkinningMethod& method = deform::skinning_methods()[size(input.skinning.method)];
      if (method.prepare != nullptr) {
        key.prepared_for = input.skinning.method;
        key.parameters = deform::preparing_parameters(method, input.skinning.parameters);
      }
    }
    std::unique_ptr<Geometry>& geometry = kept[key];
    if (geometry == nullptr) {
      if (const auto found = geometries.find(key); found != geometries.end() && found->second != nullptr) {
        geometry = std::move(found->second);
      } else {
        auto fresh = make_geometry(c, source, part.plan, input.skinning, limits,
                                   input.cache != nullptr ? *input.cache : own_cache);
        if (!fresh) {
          return fresh.error();
        }
        geometry = std::move(*fresh);
      }
    }
    part.geometry = geometry.get();

    if (part.plan.variant.morphs && primitive.vertex_count() > 0) {
      std::unique_ptr<MorphTexture>& morphs = morph_textures[{source.mesh, source.primitive}];
      if (morphs == nullptr) {
        morphs = make_morph_texture(primitive, limits.texture_size);
      }
      part.morphs = morphs.get();
    }
    make_vertex_arrays(part);
  }
  // The other backend's geometry is kept for the next toggle; that of other settings goes.
  for (auto& [key, geometry] : geometries) {
    if (geometry != nullptr && (!key.skinned || (key.influence_limit == input.skinning.influence_limit &&
                                                 key.prune_threshold == input.skinning.prune_threshold &&
                                                 key.weight_format == input.skinning.weight_format &&
                                                 key.weights_as_stored == input.skinning.weights_as_stored &&
                                                 input.skinning.backend == deform::Backend::kCpu))) {
      kept.try_emplace(key, std::move(geometry));
    }
  }
  geometries = std::move(kept);
  parts = std::move(made);
  ++plan_version;
  return {};
}

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
  const std::vector<std::uint32_t>& source = part.geometry->source;
  stream_vertices(part, gathered<glm::vec3>(morphed_positions, source),
                  part.has_normals ? gathered<glm::vec3>(morphed_normals, source) : std::vector<glm::vec3>(),
                  part.has_tangents ? gathered<glm::vec4>(morphed_tangents, source) : std::vector<glm::vec4>());
  part.streamed_weights.assign(weights.begin(), weights.end());
}

SkinPose& GpuCharacter::State::posed_skin(const GpuInput& input, int s) {
  SkinPose& skin = skins[size(s)];
  if (!skin.posed) {
    const rig::Skin& source = input.character->skins[size(s)];
    skin.matrices.resize(source.joints.size());
    rig::posed_skin_matrices(*input.character, *input.pose, input.world, s, skin.matrices);
    // A skin under a mirroring root has only mirrored joints; single ones do not turn the whole surface inside out.
    const auto mirrored = std::count_if(skin.matrices.begin(), skin.matrices.end(),
                                        [](const glm::mat4& m) { return glm::determinant(glm::mat3(m)) < 0.0f; });
    skin.mirrored = 2 * size(static_cast<int>(mirrored)) > skin.matrices.size();
    skin.posed = true;
  }
  return skin;
}

/// The palette of a skin. Joints are taken apart (polar decompositions, where the method blends rotations) once per
/// pose however many parts and batches read them, and those that no vertex follows not at all.
void GpuCharacter::State::pack(int s, const deform::SkinningMethod& method) {
  SkinPose& skin = skins[size(s)];
  if (!skin.packed) {
    const deform::SkinBinding& binding = (*bindings)[size(s)];
    deform::pack_palette(method, binding, skin.matrices, skin.palette);
    skin.packed = true;
    uploads.packed_joints += static_cast<std::int64_t>(binding.order.size());
  }
}

void GpuCharacter::State::write_palettes(PartState& part, int s, const deform::SkinningMethod& method,
                                         UniformWriter& writer) {
  const std::size_t vec4s_per_joint = size(method.vec4s_per_joint);
  const std::size_t bytes_per_joint = vec4s_per_joint * sizeof(glm::vec4);
  pack(s, method);
  SkinPose& skin = skins[size(s)];
  if (part.geometry->rows != nullptr) {
    if (!skin.uploaded) {
      skin.texture.set(skin.palette, GL_STREAM_DRAW);
      uploads.palette_bytes += static_cast<std::int64_t>(skin.matrices.size() * bytes_per_joint);
      skin.uploaded = true;
    }
    return;
  }
  part.palette_size = static_cast<GLsizeiptr>(size(part.plan.variant.palette_joints) * bytes_per_joint);
  part.palette_offsets.clear();
  for (const BatchRange& batch : part.geometry->batches) {
    const std::size_t at = writer.open(batch.palette.size() * bytes_per_joint);
    part.palette_offsets.push_back(static_cast<GLintptr>(at));
    std::byte* out = writer.bytes.data() + at;
    for (const std::uint16_t joint : batch.palette) {
      std::memcpy(out, &skin.palette[joint * vec4s_per_joint], bytes_per_joint);
      out += bytes_per_joint;
    }
    uploads.palette_bytes += static_cast<std::int64_t>(batch.palette.size() * bytes_per_joint);
  }
}

void GpuCharacter::State::write_uniforms(const GpuInput& input) {
  const rig::Character& c = *input.character;
  const deform::SkinningMethod& method = deform::skinning_methods()[size(input.skinning.method)];
  for (SkinPose& skin : skins) {
    skin.posed = skin.packed = skin.uploaded = false;
  }
  uniform_bytes.clear();
  UniformWriter writer{uniform_bytes, size(limits.uniform_alignment)};
  std::size_t largest_block = sizeof(MorphBlock);

  for (std::size_t p = 0; p < parts.size(); ++p) {
    PartState& part = parts[p];
    const rig::Part& source = c.parts[p];
    const mesh::Primitive& primitive = c.primitive(source);
    const glm::mat4& world = input.world[size(source.joint)];

    SkinPose* const skin = deform::is_skinned(c, source) ? &posed_skin(input, source.skin) : nullptr;
    part.mirrored = skin != nullptr ? skin->mirrored : glm::determinant(glm::mat3(world)) < 0.0f;

    const bool placed = part.plan.path == VertexPath::kNode;
    PartBlock block{
        placed                                   ? world
        : part.plan.path == VertexPath::kSkinned ? glm::mat4(glm::mat3((*bindings)[size(source.skin)].shape_from_mesh))
                                                 : glm::mat4(1.0f),
        glm::ivec4(static_cast<int>(deform::normals_under(method, input.skinning.normals)), part.has_normals ? 1 : 0,
                   part.has_tangents ? 1 : 0, influence_slots(*part.geometry)),
        method.shader_parameters != nullptr ? method.shader_parameters(input.skinning.parameters) : glm::vec4(0.0f)};
    part.part_offset = writer.put(block);
    if (part.geometry->has_rigid) {
      block.part.w = 1;
      part.rigid_part_offset = writer.put(block);
    }

    if (part.plan.path == VertexPath::kStreamed) {
      PELT_EXPECT(input.deformed != nullptr && input.deformed->parts.size() == c.parts.size(),
                  "the CPU result is given where needs_cpu() says so");
      const deform::DeformedPart& deformed = input.deformed->parts[p];
      stream_vertices(part, deformed.positions, deformed.normals, deformed.tangents);
      continue;
    }

    if (!primitive.morph_targets.empty()) {
      const std::span<const float> weights = c.morph_weights(*input.pose, source.joint);
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
      if (part.morphs != nullptr) {
        const MorphLayout& layout = part.morphs->layout;
        MorphBlock morph{};
        int used = 0;
        for (std::size_t t = 0; !on_cpu && t < std::min(weights.size(), primitive.morph_targets.size()); ++t) {
          if (weights[t] != 0.0f) {
            morph.targets[size(used++)] = glm::vec4(static_cast<float>(t), weights[t], 0.0f, 0.0f);
          }
        }
        morph.layout = glm::ivec4(used, static_cast<int>(primitive.vertex_count()), layout.kinds,
                                  (layout.normals ? 1 : 0) + (layout.tangents ? 2 : 0));
        part.morph_offset = writer.put(morph);
      }
    }

    if (part.plan.path == VertexPath::kSkinned) {
      write_palettes(part, source.skin, method, writer);
      largest_block = std::max(largest_block, static_cast<std::size_t>(part.palette_size));
    }
  }
  // A range must be as long as its block, also that of the last, partly filled palette.
  writer.bytes.resize(writer.bytes.size() + largest_block);
  if (!uniforms) {
    uniforms = Buffer::make();
  }
  upload(uniforms, std::span<const std::byte>(writer.bytes), GL_STREAM_DRAW);
}

void GpuCharacter::State::bind_uniforms(const PartState& part) const {
  glBindBufferRange(GL_UNIFORM_BUFFER, kBindingPart, uniforms.id(), part.part_offset, sizeof(PartBlock));
  if (part.morphs != nullptr) {
    glBindBufferRange(GL_UNIFORM_BUFFER, kBindingMorph, uniforms.id(), part.morph_offset, sizeof(MorphBlock));
    glActiveTexture(GL_TEXTURE0 + kUnitMorphDeltas);
    glBindTexture(GL_TEXTURE_2D, part.morphs->texture.id());
    glActiveTexture(GL_TEXTURE0);
  }
  if (part.geometry->rows != nullptr) {
    part.geometry->rows->data.bind(kUnitRows);
    skins[size(part.skin)].texture.bind(kUnitPalette);
  }
}

/// Palette and vertex array. Rigid batches come after the skinned ones.
void GpuCharacter::State::bind_batch(const PartState& part, std::size_t b) const {
  const std::vector<BatchRange>& batches = part.geometry->batches;
  if (!part.palette_offsets.empty()) {
    glBindBufferRange(GL_UNIFORM_BUFFER, kBindingPalette, uniforms.id(), part.palette_offsets[b], part.palette_size);
  }
  if (batches[b].rigid && (b == 0 || !batches[b - 1].rigid)) {
    glBindBufferRange(GL_UNIFORM_BUFFER, kBindingPart, uniforms.id(), part.rigid_part_offset, sizeof(PartBlock));
    glBindVertexArray(part.rigid_array.id());
    set_rigid_influence();
  }
}

/// Buffer vertices.
std::size_t GpuCharacter::State::largest_part() const {
  std::size_t largest = 0;
  for (const PartState& part : parts) {
    largest = std::max(largest, part.geometry->source.size());
  }
  return largest;
}

/// Sends each vertex of a part through the vertex shader once, into `feedback`. @pre within a FeedbackScope
Status GpuCharacter::State::capture(const PartState& part, ProgramCache& programs) const {
  const Geometry& geometry = *part.geometry;
  if (geometry.source.empty()) {
    return {};
  }
  const Result<const Program*> program = programs.get_feedback(part.plan.variant);
  if (!program) {
    return program.error();
  }
  glUseProgram((*program)->id());
  glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, feedback.captured.id());
  glVertexAttrib3f(kAttributeNormal, 0.0f, 0.0f, 0.0f);
  glVertexAttrib4f(kAttributeTangent, 0.0f, 0.0f, 0.0f, 0.0f);
  bind_uniforms(part);
  glBindVertexArray(part.vertex_array.id());
  glBeginTransformFeedback(GL_POINTS);
  for (std::size_t b = 0; b < geometry.batches.size(); ++b) {
    bind_batch(part, b);
    glDrawArrays(GL_POINTS, geometry.batches[b].first_vertex, geometry.batches[b].vertex_count);
  }
  glEndTransformFeedback();
  glBindVertexArray(0);
  glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0);
  return {};
}

GpuCharacter::GpuCharacter(const DeviceLimits& limits) : state_(std::make_unique<State>()) {
  state_->limits = limits;
}
GpuCharacter::~GpuCharacter() = default;
GpuCharacter::GpuCharacter(GpuCharacter&&) noexcept = default;
GpuCharacter& GpuCharacter::operator=(GpuCharacter&&) noexcept = default;

Status GpuCharacter::update(const GpuInput& input) {
  PELT_EXPECT(input.character != nullptr && input.pose != nullptr, "a character and its pose");
  PELT_EXPECT(input.world.size() == input.character->skeleton->parent.size(), "one world matrix per node");
  State& s = *state_;
  const auto start = std::chrono::steady_clock::now();
  s.uploads = {};
  const bool new_character =
      !s.valid || s.character != input.character || s.character_version != input.character_version;
  const bool new_settings = new_character || s.skinning != input.skinning;
  if (!new_settings && s.pose_version == input.pose_version) {
    return {};
  }
  s.valid = false;
  if (new_character) {
    s.own_cache.reset();
    s.skins.clear();
    deform::SkinCache& cache = input.cache != nullptr ? *input.cache : s.own_cache;
    s.bindings = cache.bindings(*input.character);
    s.skins.resize(s.bindings->size());
    s.parts.clear();
    s.geometries.clear();
    s.morph_textures.clear();
  }
  if (new_character || !same_geometry(s.skinning, input.skinning)) {
    if (Status planned = s.replan(input); !planned) {
      s.parts.clear();
      s.geometries.clear();
      return planned;
    }
  }
  s.notes = s.plan_notes;
  s.write_uniforms(input);
  if (Status status = check_gl("uploading the character"); !status) {
    return status;
  }
  s.valid = true;
  s.character = input.character;
  s.character_version = input.character_version;
  s.pose_version = input.pose_version;
  s.skinning = input.skinning;
  s.uploads.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return {};
}

const VertexVariant& GpuCharacter::variant(int part) const {
  return state_->parts[size(part)].plan.variant;
}

VertexPath GpuCharacter::path(int part) const {
  return state_->parts[size(part)].plan.path;
}

int GpuCharacter::draw(int p) const {
  const PartState& part = state_->parts[size(p)];
  const Geometry& geometry = *part.geometry;
  if (!geometry.positions) {
    return 0;
  }
  // Attributes without an array read these; they belong to the context and not to the vertex array.
  if (!part.has_normals) {
    glVertexAttrib3f(kAttributeNormal, 0.0f, 0.0f, 0.0f);
  }
  if (!part.has_tangents) {
    glVertexAttrib4f(kAttributeTangent, 0.0f, 0.0f, 0.0f, 0.0f);
  }
  if (!part.has_colors) {
    glVertexAttrib4f(kAttributeColor, 1.0f, 1.0f, 1.0f, 1.0f);
  }
  if (!part.has_look) {
    glVertexAttrib4f(kAttributeLook, 0.0f, 0.0f, 0.0f, 0.0f);
  }
  if (!geometry.texcoords[0]) {
    glVertexAttrib2f(kAttributeTexcoord0, 0.0f, 0.0f);
  }
  if (!geometry.texcoords[1]) {
    glVertexAttrib2f(kAttributeTexcoord1, 0.0f, 0.0f);
  }
  glFrontFace(part.mirrored ? GL_CW : GL_CCW);
  state_->bind_uniforms(part);
  glBindVertexArray(part.vertex_array.id());
  int draws = 0;
  for (std::size_t b = 0; b < geometry.batches.size(); ++b) {
    const BatchRange& batch = geometry.batches[b];
    if (batch.index_count == 0) {
      continue;
    }
    state_->bind_batch(part, b);
    glDrawElements(part.mode, batch.index_count, GL_UNSIGNED_INT,
                   reinterpret_cast<const void*>(batch.first_index * sizeof(std::uint32_t)));
    ++draws;
  }
  glBindVertexArray(0);
  return draws;
}

std::uint64_t GpuCharacter::plan_version() const {
  return state_->plan_version;
}

void GpuCharacter::State::set_look(PartState& part, std::span<const glm::vec4> by_buffer_vertex) {
  part.has_look = !by_buffer_vertex.empty();
  if (part.has_look) {
    if (!part.look) {
      part.look = Buffer::make();
    }
    upload(part.look, by_buffer_vertex, GL_DYNAMIC_DRAW);
  }
  with_vertex_arrays(part, [&] {
    if (part.has_look) {
      set_attribute(kAttributeLook, part.look, 4);
    } else {
      glDisableVertexAttribArray(kAttributeLook);
    }
  });
}

void GpuCharacter::set_look_colors(int p, std::span<const glm::vec4> colors) {
  PartState& part = state_->parts[size(p)];
  const std::vector<std::uint32_t>& source = part.geometry->source;
  PELT_EXPECT(colors.empty() || source.empty() || colors.size() > *std::max_element(source.begin(), source.end()),
              "one colour per source vertex");
  state_->set_look(part, colors.empty() ? std::vector<glm::vec4>() : gathered<glm::vec4>(colors, source));
}

void GpuCharacter::set_look_batch_colors(int p, std::span<const glm::vec4> colors) {
  PartState& part = state_->parts[size(p)];
  PELT_EXPECT(colors.size() == size(part.geometry->drawn_batches), "one colour per batch");
  std::vector<glm::vec4> by_vertex(part.geometry->source.size(), glm::vec4(0.0f));
  auto color = colors.begin();
  for (const BatchRange& batch : part.geometry->batches) {
    if (batch.index_count > 0) {
      std::fill_n(by_vertex.begin() + batch.first_vertex, batch.vertex_count, *color++);
    }
  }
  state_->set_look(part, by_vertex);
}

int GpuCharacter::batch_count(int part) const {
  return state_->parts[size(part)].geometry->drawn_batches;
}

std::vector<BatchInfo> GpuCharacter::batches() const {
  std::vector<BatchInfo> rows;
  for (std::size_t p = 0; p < state_->parts.size(); ++p) {
    const PartState& part = state_->parts[p];
    if (part.plan.path != VertexPath::kSkinned) {
      continue;
    }
    for (const BatchRange& batch : part.geometry->batches) {
      if (batch.index_count == 0) {
        continue;
      }
      rows.push_back({.part = static_cast<int>(p),
                      .batch = static_cast<int>(rows.size()),
                      .joints = static_cast<int>(batch.palette.size()),
                      .triangles = part.mode == GL_TRIANGLES ? batch.index_count / 3 : 0,
                      .vertices = batch.vertex_count,
                      .palette = {batch.palette.begin(), batch.palette.end()},
                      .rigid_slot = batch.rigid ? static_cast<int>(batch.palette.front()) : -1});
    }
  }
  return rows;
}

const UploadStats& GpuCharacter::uploads() const {
  return state_->uploads;
}

const std::vector<std::string>& GpuCharacter::notes() const {
  return state_->notes;
}

std::int64_t GpuCharacter::resident_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& [key, geometry] : state_->geometries) {
    bytes += geometry->bytes;
  }
  for (const auto& [key, morphs] : state_->morph_textures) {
    bytes += morphs->bytes;
  }
  return bytes;
}

std::int64_t GpuCharacter::influence_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& [key, geometry] : state_->geometries) {
    bytes += geometry->influence_bytes;
  }
  return bytes;
}

Status GpuCharacter::skin_once(ProgramCache& programs) const {
  PELT_EXPECT(state_->valid, "update() comes before skin_once()");
  if (Status status = state_->feedback.make(state_->largest_part()); !status) {
    return status;
  }
  const FeedbackScope scope(state_->feedback);
  Status status;
  for (std::size_t p = 0; status && p < state_->parts.size(); ++p) {
    status = state_->capture(state_->parts[p], programs);
  }
  return status;
}

Result<deform::DeformedCharacter> GpuCharacter::read_back(ProgramCache& programs) const {
  PELT_EXPECT(state_->valid, "update() comes before read_back()");
  if (Status status = state_->feedback.make(state_->largest_part()); !status) {
    return status.error();
  }
  deform::DeformedCharacter out;
  out.parts.resize(state_->parts.size());
  {
    const FeedbackScope scope(state_->feedback);
    for (std::size_t p = 0; p < state_->parts.size(); ++p) {
      const PartState& part = state_->parts[p];
      const Geometry& geometry = *part.geometry;
      if (geometry.source.empty()) {
        continue;
      }
      if (Status status = state_->capture(part, programs); !status) {
        return status.error();
      }
      std::vector<Captured> vertices(geometry.source.size());
      glBindBuffer(GL_COPY_READ_BUFFER, state_->feedback.captured.id());
      glGetBufferSubData(GL_COPY_READ_BUFFER, 0, static_cast<GLsizeiptr>(vertices.size() * sizeof(Captured)),
                         vertices.data());
      glBindBuffer(GL_COPY_READ_BUFFER, 0);

      deform::DeformedPart& result = out.parts[p];
      const std::size_t vertex_count =
          *std::max_element(geometry.source.begin(), geometry.source.end()) + std::size_t{1};
      result.positions.resize(vertex_count);
      result.normals.resize(part.has_normals ? vertex_count : 0);
      result.tangents.resize(part.has_tangents ? vertex_count : 0);
      for (std::size_t i = 0; i < vertices.size(); ++i) {
        const std::uint32_t v = geometry.source[i];
        result.positions[v] = vertices[i].position;
        if (part.has_normals) {
          result.normals[v] = vertices[i].normal;
        }
        if (part.has_tangents) {
          result.tangents[v] = vertices[i].tangent;
        }
      }
      out.bounds.add(bounds_of(result.positions));
    }
  }
  if (Status checked = check_gl("reading the GPU's vertices back"); !checked) {
    return checked.error();
  }
  return out;
}

}  // namespace pelt::render
