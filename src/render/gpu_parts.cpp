#include "render/gpu_parts.h"

#include <algorithm>

#include "deform/skinning_methods.h"

namespace pelt::render {
namespace {

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

void set_integer_attribute(GLuint location, const Buffer& buffer, GLint components, GLenum type) {
  glBindBuffer(GL_ARRAY_BUFFER, buffer.id());
  glVertexAttribIPointer(location, components, type, 0, nullptr);
  glEnableVertexAttribArray(location);
}

void set_optional(GLuint location, const Buffer& buffer, GLint components) {
  if (buffer) {
    set_attribute(location, buffer, components);
  }
}

void set_prepared(const PartState& part) {
  const Geometry& g = *part.geometry;
  if (!g.prepared) {
    return;
  }
  const int rows = deform::skinning_methods()[part.plan.variant.method].vec4s_per_vertex;
  glBindBuffer(GL_ARRAY_BUFFER, g.prepared.id());
  for (int row = 0; row < rows; ++row) {
    const GLuint location = kAttributePrepared + static_cast<GLuint>(row);
    glVertexAttribPointer(location, 4, GL_FLOAT, GL_FALSE, rows * static_cast<GLsizei>(sizeof(glm::vec4)),
                          reinterpret_cast<const void*>(row * sizeof(glm::vec4)));
    glEnableVertexAttribArray(location);
  }
}

}  // namespace

bool MorphTexture::is_of(const mesh::Primitive& primitive) const {
  if (made_of.is(primitive.morph_targets)) {
    return true;
  }
  return std::ranges::equal(made_of, primitive.morph_targets,
                            [](const mesh::MorphTarget& a, const mesh::MorphTarget& b) {
                              return a.position_deltas.is(b.position_deltas) && a.normal_deltas.is(b.normal_deltas) &&
                                     a.tangent_deltas.is(b.tangent_deltas);
                            });
}

std::unique_ptr<MorphTexture> make_morph_texture(const mesh::Primitive& primitive, int texture_size) {
  auto made = std::make_unique<MorphTexture>();
  made->made_of = primitive.morph_targets;
  made->layout = morph_layout(primitive, texture_size);
  std::vector<glm::vec4> texels(static_cast<std::size_t>(made->layout.columns) * made->layout.rows, glm::vec4(0.0f));
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

void set_attribute(GLuint location, const Buffer& buffer, GLint components) {
  glBindBuffer(GL_ARRAY_BUFFER, buffer.id());
  glVertexAttribPointer(location, components, GL_FLOAT, GL_FALSE, 0, nullptr);
  glEnableVertexAttribArray(location);
}

void set_influence_attributes(const mesh::PackedInfluences& layout, const AttributeSource& indices,
                              const AttributeSource& weights) {
  const auto place = [](const AttributeSource& source, int set, int bytes) {
    return reinterpret_cast<const void*>(source.offset + 4 * set * bytes);
  };
  glBindBuffer(GL_ARRAY_BUFFER, indices.buffer);
  for (int set = 0; 4 * set < layout.slots; ++set) {
    const GLuint location = set == 0 ? kAttributeBlendIndices : kAttributeBlendIndices1;
    glVertexAttribIPointer(location, std::min(4, layout.slots - 4 * set),
                           layout.index_bytes == 1 ? GL_UNSIGNED_BYTE : GL_UNSIGNED_SHORT, indices.stride,
                           place(indices, set, layout.index_bytes));
    glEnableVertexAttribArray(location);
  }
  glBindBuffer(GL_ARRAY_BUFFER, weights.buffer);
  for (int set = 0; 4 * set < layout.stored_weights; ++set) {
    const GLuint location = set == 0 ? kAttributeBlendWeights : kAttributeBlendWeights1;
    glVertexAttribPointer(location, std::min(4, layout.stored_weights - 4 * set), weight_type(layout.format), GL_TRUE,
                          weights.stride, place(weights, set, layout.weight_bytes()));
    glEnableVertexAttribArray(location);
  }
}

void bind_vertices(const PartState& part) {
  const Geometry& g = *part.geometry;
  if (!g.positions.buffer()) {
    return;  // a primitive without vertices
  }
  with_vertex_arrays(part, [&] {
    set_attribute(kAttributePosition, part.streams ? part.stream_positions : g.positions.buffer(), 3);
    if (part.has_normals) {
      set_attribute(kAttributeNormal, part.streams ? part.stream_normals : g.normals.buffer(), 3);
    }
    if (part.has_tangents) {
      set_attribute(kAttributeTangent, part.streams ? part.stream_tangents : g.tangents.buffer(), 4);
    }
  });
}

void make_vertex_arrays(PartState& part) {
  const Geometry& g = *part.geometry;
  part.vertex_array = VertexArray::make();
  if (g.layout->has_rigid) {
    part.rigid_array = VertexArray::make();
  }
  with_vertex_arrays(part, [&] {
    set_optional(kAttributeTexcoord0, g.texcoords[0].buffer(), 2);
    set_optional(kAttributeTexcoord1, g.texcoords[1].buffer(), 2);
    set_optional(kAttributeColor, g.colors.buffer(), 4);
    if (g.rows != nullptr) {
      set_integer_attribute(kAttributeRow, g.rows->spans, 2, GL_UNSIGNED_INT);
    }
    if (g.source_vertex) {
      set_integer_attribute(kAttributeSourceVertex, g.source_vertex, 1, GL_UNSIGNED_INT);
    }
    set_prepared(part);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, g.indices.id());
  });
  glBindVertexArray(part.vertex_array.id());
  if (!g.paint.empty()) {
    g.paint.set_attributes();
  } else if (g.blend_indices) {
    const mesh::PackedInfluences& layout = g.influence_layout;
    set_influence_attributes(layout, {g.blend_indices.id(), 0, layout.slots * layout.index_bytes},
                             {g.blend_weights.id(), 0, layout.stored_weights * layout.weight_bytes()});
  }
  glBindVertexArray(0);
  glBindBuffer(GL_ARRAY_BUFFER, 0);
  bind_vertices(part);
}

std::int64_t hide_faces(PartState& part, const mesh::Primitive& primitive, const SharedArray<char>& hidden) {
  std::int64_t bytes = 0;
  part.hidden_vertices = hidden;
  part.shown = {};
  if (hidden.empty()) {
    part.shown_indices = Buffer();
  } else {
    part.shown = shown_elements(*part.geometry->layout, primitive, hidden.get());
    if (!part.shown_indices) {
      part.shown_indices = Buffer::make();
    }
    bytes = static_cast<std::int64_t>(part.shown.indices.size() * sizeof(std::uint32_t));
    upload(part.shown_indices, std::span<const std::uint32_t>(part.shown.indices), GL_STATIC_DRAW);
    part.shown.indices = {};
  }
  with_vertex_arrays(part, [&] {
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, hidden.empty() ? part.geometry->indices.id() : part.shown_indices.id());
  });
  return bytes;
}

PartState make_part(const rig::Character& character, const rig::Part& source, const PartPlan& plan,
                    const Geometry& geometry, const MorphTexture* morphs) {
  const mesh::Primitive& primitive = character.primitive(source);
  PartState part;
  part.plan = plan;
  part.skin = source.skin;
  part.geometry = &geometry;
  part.morphs = morphs;
  part.mode = mode_of(primitive.topology);
  part.has_normals = !primitive.normals.empty();
  part.has_tangents = !primitive.tangents.empty();
  part.has_colors = !primitive.colors.empty();
  make_vertex_arrays(part);
  return part;
}

}  // namespace pelt::render
