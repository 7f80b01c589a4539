#include "render/gpu_feedback.h"

namespace pelt::render {

Status Feedback::make(std::size_t wanted) {
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

FeedbackScope::FeedbackScope(const Feedback& feedback) {
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &draw_framebuffer_);
  glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &read_framebuffer_);
  glGetIntegerv(GL_CURRENT_PROGRAM, &program_);
  // Nothing is rasterised, yet a surfaceless context drops draws silently until a complete framebuffer is bound.
  glBindFramebuffer(GL_FRAMEBUFFER, feedback.framebuffer.id());
  glEnable(GL_RASTERIZER_DISCARD);
}

FeedbackScope::~FeedbackScope() {
  glDisable(GL_RASTERIZER_DISCARD);
  glUseProgram(static_cast<GLuint>(program_));
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(draw_framebuffer_));
  glBindFramebuffer(GL_READ_FRAMEBUFFER, static_cast<GLuint>(read_framebuffer_));
}

}  // namespace pelt::render
