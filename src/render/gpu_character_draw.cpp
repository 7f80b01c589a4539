#include <algorithm>

#include "core/expect.h"
#include "render/gpu_character_state.h"
#include "render/look_colors.h"

namespace pelt::render {
namespace {

/// What rigid batches read in place of influences; belongs to the context and not to the vertex array.
void set_rigid_influence() {
  glVertexAttribI4ui(kAttributeBlendIndices, 0, 0, 0, 0);
  glVertexAttrib4f(kAttributeBlendWeights, 1.0f, 0.0f, 0.0f, 0.0f);
}

/// A joint's place among those that a batch reads, -1 where it reads it not.
int slot_of(std::span<const std::uint16_t> palette, int joint) {
  const auto found = std::ranges::find(palette, joint);
  return joint < 0 || found == palette.end() ? -1 : static_cast<int>(found - palette.begin());
}

}  // namespace

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
  }
  if (part.reads_palette_texture()) {
    skins.texture(part.skin).bind(kUnitPalette);
  }
}

/// Palette and vertex array. Rigid batches come after the skinned ones.
void GpuCharacter::State::bind_batch(const PartState& part, std::size_t b) const {
  const std::vector<BatchRange>& batches = part.geometry->layout->batches;
  if (!part.palette_offsets.empty()) {
    glBindBufferRange(GL_UNIFORM_BUFFER, kBindingPalette, uniforms.id(), part.palette_offsets[b], part.palette_size);
  }
  if (batches[b].rigid && (b == 0 || !batches[b - 1].rigid)) {
    glBindBufferRange(GL_UNIFORM_BUFFER, kBindingPart, uniforms.id(), part.rigid_part_offset, sizeof(PartBlock));
    glBindVertexArray(part.rigid_array.id());
    set_rigid_influence();
  }
}

/// Attributes without an array read these; they belong to the context and not to the vertex array.
void GpuCharacter::State::set_constant_attributes(const PartState& part) const {
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
  if (!part.geometry->texcoords[0].buffer()) {
    glVertexAttrib2f(kAttributeTexcoord0, 0.0f, 0.0f);
  }
  if (!part.geometry->texcoords[1].buffer()) {
    glVertexAttrib2f(kAttributeTexcoord1, 0.0f, 0.0f);
  }
}

/// @param each  called with the number of each batch before it is drawn
template <typename EachBatch>
int GpuCharacter::State::draw_batches(const PartState& part, const EachBatch& each) const {
  if (!part.geometry->positions.buffer()) {
    return 0;
  }
  set_constant_attributes(part);
  glFrontFace(part.mirrored ? GL_CW : GL_CCW);
  bind_uniforms(part);
  glBindVertexArray(part.vertex_array.id());
  const std::vector<BatchRange>& batches = part.geometry->layout->batches;
  int draws = 0;
  for (std::size_t b = 0; b < batches.size(); ++b) {
    bind_batch(part, b);  // also of a batch that is hidden: the first rigid one changes the vertex array
    const ElementRange elements = part.elements_of(b);
    if (elements.index_count == 0) {
      continue;
    }
    each(b);
    glDrawElements(part.mode, elements.index_count, GL_UNSIGNED_INT,
                   reinterpret_cast<const void*>(elements.first_index * sizeof(std::uint32_t)));
    ++draws;
  }
  glBindVertexArray(0);
  return draws;
}

int GpuCharacter::draw(int p) const {
  const State& s = *state_;
  const bool weighs = shows_weights(p) && s.look_colors && s.look_colors_of == s.plan_version;
  if (weighs) {
    s.look_colors.bind(kUnitLookColors);
  }
  return s.draw_batches(s.parts[p], [&](std::size_t b) {
    if (weighs) {
      s.set_weight_look_of(p, b);
    }
  });
}

void GpuCharacter::draw_ids(int p, const Program& program) const {
  const PartState& part = state_->parts[p];
  const GLint location = uniform(program, "u_ids");
  state_->draw_batches(part, [&](std::size_t b) {
    const std::size_t first = part.elements_of(b).first_index / 3;
    glUniform2ui(location, static_cast<GLuint>(p) + 1, static_cast<GLuint>(first));
  });
}

std::uint32_t GpuCharacter::source_element(int p, std::uint32_t element) const {
  const PartState& part = state_->parts[p];
  const std::vector<std::uint32_t>& elements =
      part.hidden_vertices.empty() ? part.geometry->layout->elements : part.shown.elements;
  return elements.empty() ? element : elements[element];
}

void GpuCharacter::State::set_look(PartState& part, std::span<const glm::vec4> by_buffer_vertex) {
  part.has_look = !by_buffer_vertex.empty();
  if (part.has_look) {
    if (!part.look) {
      part.look = Buffer::make();
    }
    upload(part.look, by_buffer_vertex, GL_DYNAMIC_DRAW);
    uploads.look_bytes += static_cast<std::int64_t>(by_buffer_vertex.size_bytes());
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
  PartState& part = state_->parts[p];
  const Layout& layout = *part.geometry->layout;
  PELT_EXPECT(colors.empty() || layout.source.empty() || colors.size() > *std::ranges::max_element(layout.source),
              "one colour per source vertex");
  state_->set_look(part, colors.empty() ? std::vector<glm::vec4>() : gathered<glm::vec4>(colors, layout));
}

void GpuCharacter::set_look_batch_colors(int p, std::span<const glm::vec4> colors) {
  PartState& part = state_->parts[p];
  const Layout& layout = *part.geometry->layout;
  PELT_EXPECT(std::cmp_equal(colors.size(), layout.drawn_batches), "one colour per batch");
  std::vector<glm::vec4> by_vertex(layout.vertex_count, glm::vec4(0.0f));
  auto color = colors.begin();
  for (const BatchRange& batch : layout.batches) {
    if (batch.index_count > 0) {
      std::fill_n(by_vertex.begin() + batch.first_vertex, batch.vertex_count, *color++);
    }
  }
  state_->set_look(part, by_vertex);
}

bool GpuCharacter::shows_weights(int p) const {
  const PartState& part = state_->parts[p];
  return part.plan.path == VertexPath::kSkinned && part.geometry->rows == nullptr;
}

/// The colours that shaders/surface/weight_look.glsl reads: the ramp, what shows that there is no weight and no
/// influence, and the joints of each batch.
void GpuCharacter::State::make_look_colors(const rig::Character& character, bool mask) {
  if (look_colors && look_colors_of == plan_version && look_skins.is(character.skins) && look_mask == mask) {
    return;
  }
  std::vector<glm::vec4> colors;
  const auto add = [&](const glm::vec3& color) { colors.emplace_back(color, 1.0f); };
  std::ranges::for_each(mask ? mask_stops() : sequential_stops(), add);
  add(mask ? mask_ramp(0) : kLookZero);
  add(mask ? kLookZero : kLookNoInfluence);
  for (PartState& part : parts) {
    part.first_look_color.clear();
    if (part.plan.path != VertexPath::kSkinned) {
      continue;
    }
    const std::vector<int>& joints = character.skins[part.skin].joints;
    for (const BatchRange& batch : part.geometry->layout->batches) {
      part.first_look_color.push_back(static_cast<int>(colors.size()));
      for (const std::uint16_t slot : batch.palette) {
        add(linear_from_srgb(joint_color(joints[slot])));
      }
    }
  }
  look_colors.set(colors, GL_STATIC_DRAW);
  uploads.look_bytes += static_cast<std::int64_t>(colors.size() * sizeof(glm::vec4));
  look_colors_of = plan_version;
  look_skins = character.skins;
  look_mask = mask;
}

void GpuCharacter::set_weight_look(const rig::Character& character, int joint, bool mask) {
  State& s = *state_;
  s.make_look_colors(character, mask);
  s.look_joint = joint;
  s.look_slots.assign(s.parts.size(), -1);
  for (std::size_t p = 0; p < s.parts.size(); ++p) {
    if (s.parts[p].skin >= 0) {
      const std::vector<int>& joints = character.skins[s.parts[p].skin].joints;
      const auto found = std::ranges::find(joints, joint);
      s.look_slots[p] = joint < 0 || found == joints.end() ? -1 : static_cast<int>(found - joints.begin());
    }
  }
}

/// a_look of a batch, see shaders/surface/weight_look.glsl.
void GpuCharacter::State::set_weight_look_of(std::size_t p, std::size_t b) const {
  const PartState& part = parts[p];
  const int slot = slot_of(part.geometry->layout->batches[b].palette, look_slots[p]);
  const int first_color = look_joint < 0 ? part.first_look_color[b] : -1;
  glVertexAttrib4f(kAttributeLook, static_cast<float>(slot), static_cast<float>(first_color),
                   keys[p].weights_as_stored ? 1.0f : 0.0f, 0.0f);
}

}  // namespace pelt::render
