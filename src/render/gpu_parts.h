#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "render/gl_objects.h"
#include "render/gpu_geometry.h"
#include "render/gpu_plan.h"
#include "render/shader_interface.h"
#include "render/shown_elements.h"

namespace pelt::render {

/// Morph deltas of a primitive, see shaders/skinning/morph.glsl.
struct MorphTexture {
  SharedList<mesh::MorphTarget> made_of;
  Texture texture;
  MorphLayout layout;
  std::int64_t bytes = 0;

  /// True where these are the targets that the texture was made from, names aside.
  [[nodiscard]] bool is_of(const mesh::Primitive& primitive) const;
};
std::unique_ptr<MorphTexture> make_morph_texture(const mesh::Primitive& primitive, int texture_size);

/// What of a part is drawn how: vertex arrays over its geometry, and where its blocks lie in the uniform buffer.
struct PartState {
  PartPlan plan;
  int skin = -1;  ///< whose palette texture it reads, where it reads one
  const Geometry* geometry = nullptr;
  const MorphTexture* morphs = nullptr;
  VertexArray vertex_array;
  VertexArray rigid_array;  ///< without influences; where there are rigid batches
  GLenum mode = GL_TRIANGLES;
  bool has_normals = false;
  bool has_tangents = false;
  bool has_colors = false;

  // Streamed vertices: world space on the path kStreamed, the morphed base shape where morph_on_cpu.
  bool streams = false;
  Buffer stream_positions;
  Buffer stream_normals;
  Buffer stream_tangents;
  std::vector<float> streamed_weights;  ///< morph weights of what is in the buffers

  Buffer look;
  bool has_look = false;

  // In place of the geometry's elements where faces are hidden.
  SharedArray<char> hidden_vertices;  ///< [V] that `shown` follows from; empty: all are shown
  ShownElements shown;                ///< without the indices, which are in the buffer
  Buffer shown_indices;

  /// Where the elements of a batch lie in the buffer that is drawn from.
  [[nodiscard]] ElementRange elements_of(std::size_t batch) const {
    const BatchRange& all = geometry->layout->batches[batch];
    return hidden_vertices.empty() ? ElementRange{all.first_index, all.index_count} : shown.batches[batch];
  }

  // Weight looks: where each batch's colours of joints begin in their texture.
  std::vector<int> first_look_color;

  // Into the uniform buffer.
  GLintptr part_offset = 0;
  GLintptr rigid_part_offset = 0;
  GLintptr morph_offset = 0;
  std::vector<GLintptr> palette_offsets;
  GLsizeiptr palette_size = 0;
  bool mirrored = false;

  [[nodiscard]] bool reads_palette_texture() const { return plan.variant.palette_texture || geometry->rows != nullptr; }
};

/// Where an attribute's values begin in a buffer, and from one vertex to the next, bytes.
struct AttributeSource {
  GLuint buffer = 0;
  std::size_t offset = 0;
  GLsizei stride = 0;
};

/// Blend indices and weights of the bound vertex array: sets of four, the last one as long as it is.
void set_influence_attributes(const mesh::PackedInfluences& layout, const AttributeSource& indices,
                              const AttributeSource& weights);

/// A float attribute of the bound vertex array.
void set_attribute(GLuint location, const Buffer& buffer, GLint components);

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

/// Makes both arrays over the part's geometry.
void make_vertex_arrays(PartState& part);
/// Position, normal and tangent from the streamed buffers or from the static ones.
void bind_vertices(const PartState& part);
/// Draws the part without the faces of hidden vertices from now on. Uploads elements alone.
/// @param hidden  [V] of the primitive, or empty
/// @returns bytes uploaded
std::int64_t hide_faces(PartState& part, const mesh::Primitive& primitive, const SharedArray<char>& hidden);
/// A part as it is before anything of a pose is known.
PartState make_part(const rig::Character& character, const rig::Part& source, const PartPlan& plan,
                    const Geometry& geometry, const MorphTexture* morphs);

}  // namespace pelt::render
