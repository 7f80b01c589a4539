#include <algorithm>
#include <array>

#include "core/expect.h"
#include "render/gpu_character_state.h"

namespace pelt::render {
namespace {

void end_capture() {
  glEndTransformFeedback();
  glBindVertexArray(0);
  glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0);
}

void read_captured(const Feedback& feedback, std::span<Captured> out) {
  glBindBuffer(GL_COPY_READ_BUFFER, feedback.captured.id());
  glGetBufferSubData(GL_COPY_READ_BUFFER, 0, static_cast<GLsizeiptr>(out.size_bytes()), out.data());
  glBindBuffer(GL_COPY_READ_BUFFER, 0);
}

}  // namespace

/// Buffer vertices.
std::size_t GpuCharacter::State::largest_part() const {
  std::size_t largest = 0;
  for (const PartState& part : parts) {
    largest = std::max(largest, part.geometry->layout->vertex_count);
  }
  return largest;
}

/// Makes whatever is drawn next go through the part's vertex shader into `feedback`. @pre within a FeedbackScope
Status GpuCharacter::State::begin_capture(const PartState& part, ProgramCache& programs) const {
  PELT_TRY_TO(const Program* const program, programs.get_feedback(part.plan.variant));
  glUseProgram(program->id());
  glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, feedback.captured.id());
  glVertexAttrib3f(kAttributeNormal, 0.0f, 0.0f, 0.0f);
  glVertexAttrib4f(kAttributeTangent, 0.0f, 0.0f, 0.0f, 0.0f);
  bind_uniforms(part);
  glBindVertexArray(part.vertex_array.id());
  return {};
}

/// Sends each vertex of a part through the vertex shader once, into `feedback`. @pre within a FeedbackScope
Status GpuCharacter::State::capture(const PartState& part, ProgramCache& programs) const {
  const Layout& layout = *part.geometry->layout;
  if (layout.vertex_count == 0) {
    return {};
  }
  if (Status begun = begin_capture(part, programs); !begun) {
    return begun;
  }
  glBeginTransformFeedback(GL_POINTS);
  for (std::size_t b = 0; b < layout.batches.size(); ++b) {
    bind_batch(part, b);
    glDrawArrays(GL_POINTS, layout.batches[b].first_vertex, layout.batches[b].vertex_count);
  }
  end_capture();
  return {};
}

Result<std::array<glm::vec3, 3>> GpuCharacter::posed_triangle(int p, std::uint32_t element,
                                                              ProgramCache& programs) const {
  const State& s = *state_;
  const PartState& part = s.parts[p];
  PELT_TRY(state_->feedback.make(3));
  const FeedbackScope scope(s.feedback);
  PELT_TRY(s.begin_capture(part, programs));
  const std::size_t first = std::size_t{3} * element;
  const std::vector<BatchRange>& batches = part.geometry->layout->batches;
  glBeginTransformFeedback(GL_POINTS);
  for (std::size_t b = 0; b < batches.size(); ++b) {
    const ElementRange elements = part.elements_of(b);
    if (batches[b].index_count == 0) {
      continue;
    }
    s.bind_batch(part, b);
    if (first >= elements.first_index && first < elements.first_index + elements.index_count) {
      glDrawElements(GL_POINTS, 3, GL_UNSIGNED_INT, reinterpret_cast<const void*>(first * sizeof(std::uint32_t)));
    }
  }
  end_capture();
  std::array<Captured, 3> corners{};
  read_captured(s.feedback, corners);
  return std::array{corners[0].position, corners[1].position, corners[2].position};
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
  PELT_TRY(state_->feedback.make(state_->largest_part()));
  deform::DeformedCharacter out;
  out.parts.resize(state_->parts.size());
  {
    const FeedbackScope scope(state_->feedback);
    for (std::size_t p = 0; p < state_->parts.size(); ++p) {
      const PartState& part = state_->parts[p];
      const Layout& layout = *part.geometry->layout;
      if (layout.vertex_count == 0) {
        continue;
      }
      PELT_TRY(state_->capture(part, programs));
      std::vector<Captured> vertices(layout.vertex_count);
      read_captured(state_->feedback, vertices);
      deform::DeformedPart& result = out.parts[p];
      const std::size_t vertex_count =
          layout.source.empty() ? layout.vertex_count : *std::ranges::max_element(layout.source) + std::size_t{1};
      result.positions.resize(vertex_count);
      result.normals.resize(part.has_normals ? vertex_count : 0);
      result.tangents.resize(part.has_tangents ? vertex_count : 0);
      for (std::size_t i = 0; i < vertices.size(); ++i) {
        const std::uint32_t v = layout.source_of(i);
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
  PELT_TRY(check_gl("reading the GPU's vertices back"));
  return out;
}

}  // namespace pelt::render
