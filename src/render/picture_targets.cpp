#include "render/picture_targets.h"

#include "core/expect.h"
#include "render/shader_interface.h"

namespace pelt::render {

Error no_room(glm::ivec2 size, int samples) {
  return error(
      "the OpenGL driver has no room for a picture of {} x {} pixels with {} sample(s) each; make it smaller, or take "
      "fewer samples",
      size.x, size.y, samples);
}

Status Targets::make(const Section& wanted, int wanted_samples, bool software) {
  if (section == wanted && samples == wanted_samples) {
    return {};
  }
  if (!make_drawn(wanted.size, wanted_samples, software && wanted_samples > 1)) {
    section = {};
    return no_room(wanted.picture, wanted_samples);
  }
  if (section.picture != wanted.picture || section.is_whole() != wanted.is_whole()) {
    if (!make_resolved(wanted)) {
      section = {};
      return no_room(wanted.picture, wanted_samples);
    }
  }
  section = wanted;
  samples = wanted_samples;
  return {};
}

Status Targets::make_drawn(glm::ivec2 size, int count, bool for_shader) {
  const auto storage = [&](Renderbuffer& buffer, GLenum format) {
    buffer = Renderbuffer::make();
    glBindRenderbuffer(GL_RENDERBUFFER, buffer.id());
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, count > 1 ? count : 0, format, size.x, size.y);
  };
  in_shader = for_shader;
  drawn = Framebuffer::make();
  glBindFramebuffer(GL_FRAMEBUFFER, drawn.id());
  if (in_shader) {
    color = {};
    samples_texture = Texture::make();
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, samples_texture.id());
    glTexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, count, GL_SRGB8_ALPHA8, size.x, size.y, GL_TRUE);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, 0);
    depth = Renderbuffer::make();
    glBindRenderbuffer(GL_RENDERBUFFER, depth.id());
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, count, GL_DEPTH24_STENCIL8, size.x, size.y);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D_MULTISAMPLE, samples_texture.id(), 0);
  } else {
    samples_texture = {};
    storage(color, GL_SRGB8_ALPHA8);
    storage(depth, GL_DEPTH24_STENCIL8);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color.id());
  }
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER, depth.id());
  return check_framebuffer("the picture");
}

Status Targets::make_resolved(const Section& wanted) {
  const auto texture = [&](Texture& out, GLint internal, GLenum format, GLenum type) {
    out = Texture::make();
    glBindTexture(GL_TEXTURE_2D, out.id());
    glTexImage2D(GL_TEXTURE_2D, 0, internal, wanted.picture.x, wanted.picture.y, 0, format, type, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  };
  resolved = Framebuffer::make();
  glBindFramebuffer(GL_FRAMEBUFFER, resolved.id());
  texture(resolved_color, GL_SRGB8_ALPHA8, GL_RGBA, GL_UNSIGNED_BYTE);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, resolved_color.id(), 0);
  resolved_depth = {};
  if (wanted.is_whole()) {
    texture(resolved_depth, GL_DEPTH24_STENCIL8, GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_TEXTURE_2D, resolved_depth.id(), 0);
  }
  return check_framebuffer("the resolved picture");
}

Status Targets::resolve(ProgramCache& programs, const VertexArray& empty, bool with_depth) const {
  const glm::ivec2 size = section.size;
  const GLbitfield blitted = (in_shader ? 0u : GL_COLOR_BUFFER_BIT) | (with_depth ? GL_DEPTH_BUFFER_BIT : 0u);
  PELT_EXPECT(section.is_whole() || blitted == 0, "a section is resolved by our program and without depth");
  if (blitted != 0) {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, drawn.id());
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, resolved.id());
    glBlitFramebuffer(0, 0, size.x, size.y, 0, 0, size.x, size.y, blitted, GL_NEAREST);
  }
  if (!in_shader) {
    return {};
  }
  const Result<const Program*> program =
      programs.get(ProgramSource{"screen/triangle.vert", "screen/resolve.frag", {}, {}});
  if (!program) {
    return program.error();
  }
  glBindFramebuffer(GL_FRAMEBUFFER, resolved.id());
  glViewport(section.origin.x, section.origin.y, size.x, size.y);
  glUseProgram((*program)->id());
  glUniform1i(uniform(**program, "t_samples"), kUnitSource);
  glUniform1i(uniform(**program, "u_sample_count"), samples);
  glUniform2i(uniform(**program, "u_origin"), section.origin.x, section.origin.y);
  glActiveTexture(GL_TEXTURE0 + kUnitSource);
  glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, samples_texture.id());
  glBindVertexArray(empty.id());
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, 0);
  glActiveTexture(GL_TEXTURE0);
  return {};
}

Status SceneCopy::make(glm::ivec2 wanted_size) {
  if (size == wanted_size) {
    return {};
  }
  size = glm::ivec2(0);
  color = Texture::make();
  glActiveTexture(GL_TEXTURE0 + kUnitScene);
  glBindTexture(GL_TEXTURE_2D, color.id());
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA16F, wanted_size.x, wanted_size.y, 0, GL_RGBA, GL_FLOAT, nullptr);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  depth = Renderbuffer::make();
  glBindRenderbuffer(GL_RENDERBUFFER, depth.id());
  glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, wanted_size.x, wanted_size.y);
  target = Framebuffer::make();
  glBindFramebuffer(GL_FRAMEBUFFER, target.id());
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, color.id(), 0);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth.id());
  if (Status status = check_framebuffer("what stands behind glass"); !status) {
    return status;
  }
  size = wanted_size;
  return {};
}

void SceneCopy::bind() const {
  glActiveTexture(GL_TEXTURE0 + kUnitScene);
  glBindTexture(GL_TEXTURE_2D, color.id());
  glActiveTexture(GL_TEXTURE0);
}

}  // namespace pelt::render
