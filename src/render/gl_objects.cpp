#include "render/gl_objects.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include <fmt/format.h>

#include "core/expect.h"

namespace pelt::render {
namespace gl {

namespace {
GLuint checked(GLuint id) {
  PELT_EXPECT(id != 0, "OpenGL gave no name; is a context current?");
  return id;
}
}  // namespace

GLuint create_buffer() {
  GLuint id = 0;
  glGenBuffers(1, &id);
  return checked(id);
}
void destroy_buffer(GLuint id) {
  glDeleteBuffers(1, &id);
}

GLuint create_vertex_array() {
  GLuint id = 0;
  glGenVertexArrays(1, &id);
  return checked(id);
}
void destroy_vertex_array(GLuint id) {
  glDeleteVertexArrays(1, &id);
}

GLuint create_texture() {
  GLuint id = 0;
  glGenTextures(1, &id);
  return checked(id);
}
void destroy_texture(GLuint id) {
  glDeleteTextures(1, &id);
}

GLuint create_framebuffer() {
  GLuint id = 0;
  glGenFramebuffers(1, &id);
  return checked(id);
}
void destroy_framebuffer(GLuint id) {
  glDeleteFramebuffers(1, &id);
}

GLuint create_renderbuffer() {
  GLuint id = 0;
  glGenRenderbuffers(1, &id);
  return checked(id);
}
void destroy_renderbuffer(GLuint id) {
  glDeleteRenderbuffers(1, &id);
}

GLuint create_query() {
  GLuint id = 0;
  glGenQueries(1, &id);
  return checked(id);
}
void destroy_query(GLuint id) {
  glDeleteQueries(1, &id);
}

GLuint create_sampler() {
  GLuint id = 0;
  glGenSamplers(1, &id);
  return checked(id);
}
void destroy_sampler(GLuint id) {
  glDeleteSamplers(1, &id);
}

GLuint create_program() {
  return checked(glCreateProgram());
}
void destroy_program(GLuint id) {
  glDeleteProgram(id);
}

}  // namespace gl

// GL_COPY_WRITE_BUFFER belongs to no vertex array and to no draw, so uploading never disturbs what is bound.
void upload(const Buffer& buffer, std::span<const std::byte> bytes, GLenum usage) {
  glBindBuffer(GL_COPY_WRITE_BUFFER, buffer.id());
  glBufferData(GL_COPY_WRITE_BUFFER, static_cast<GLsizeiptr>(bytes.size()), bytes.data(), usage);
  glBindBuffer(GL_COPY_WRITE_BUFFER, 0);
}

void allocate(const Buffer& buffer, std::size_t size, GLenum usage) {
  glBindBuffer(GL_COPY_WRITE_BUFFER, buffer.id());
  glBufferData(GL_COPY_WRITE_BUFFER, static_cast<GLsizeiptr>(size), nullptr, usage);
  glBindBuffer(GL_COPY_WRITE_BUFFER, 0);
}

GLint uniform(const Program& program, const char* name) {
  return glGetUniformLocation(program.id(), name);
}

std::string_view error_name(GLenum error) {
  switch (error) {
    case GL_NO_ERROR:
      return "no error";
    case GL_INVALID_ENUM:
      return "GL_INVALID_ENUM";
    case GL_INVALID_VALUE:
      return "GL_INVALID_VALUE";
    case GL_INVALID_OPERATION:
      return "GL_INVALID_OPERATION";
    case GL_INVALID_FRAMEBUFFER_OPERATION:
      return "GL_INVALID_FRAMEBUFFER_OPERATION";
    case GL_OUT_OF_MEMORY:
      return "GL_OUT_OF_MEMORY";
    default:
      return "an unknown OpenGL error";
  }
}

Status check_gl(std::string_view what) {
  const GLenum first = glGetError();
  if (first == GL_NO_ERROR) {
    return {};
  }
  // A lost context reports for ever; 16 is more than any driver queues.
  for (int i = 0; i < 16 && glGetError() != GL_NO_ERROR; ++i) {
  }
  return error("{}: OpenGL reports {}", what, error_name(first));
}

Status check_framebuffer(std::string_view what) {
  const GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
  if (status == GL_FRAMEBUFFER_COMPLETE) {
    return {};
  }
  return error("{}: framebuffer incomplete, status 0x{:04x}", what, status);
}

#ifndef NDEBUG
namespace {
void GLAD_API_PTR print_debug_message(GLenum source, GLenum type, GLuint /*id*/, GLenum /*severity*/, GLsizei length,
                                      const GLchar* message, const void* /*user*/) {
  // What the shader compiler says reaches the caller of make_program() as an error already.
  if (source != GL_DEBUG_SOURCE_SHADER_COMPILER &&
      (type == GL_DEBUG_TYPE_ERROR || type == GL_DEBUG_TYPE_UNDEFINED_BEHAVIOR)) {
    fmt::print(stderr, "OpenGL: {}\n", std::string_view(message, static_cast<std::size_t>(length)));
  }
}
}  // namespace
#endif

void install_debug_output() {
#ifndef NDEBUG
  if (GLAD_GL_KHR_debug != 0) {
    glEnable(GL_DEBUG_OUTPUT);
    glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
    glDebugMessageCallback(print_debug_message, nullptr);
  }
#endif
}

std::string device_name() {
  const auto* renderer = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  GLint major = 0;
  GLint minor = 0;
  glGetIntegerv(GL_MAJOR_VERSION, &major);
  glGetIntegerv(GL_MINOR_VERSION, &minor);
  return fmt::format("{}, OpenGL {}.{}", renderer != nullptr ? renderer : "unknown device", major, minor);
}

DeviceLimits device_limits() {
  DeviceLimits limits;
  glGetIntegerv(GL_MAX_UNIFORM_BLOCK_SIZE, &limits.uniform_block_bytes);
  glGetIntegerv(GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT, &limits.uniform_alignment);
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &limits.texture_size);
  glGetIntegerv(GL_MAX_TEXTURE_BUFFER_SIZE, &limits.texture_buffer_texels);
  glGetIntegerv(GL_MAX_SAMPLES, &limits.samples);
  glGetIntegerv(GL_MAX_TEXTURE_IMAGE_UNITS, &limits.texture_units);
  GLint timer_bits = 0;
  glGetQueryiv(GL_TIME_ELAPSED, GL_QUERY_COUNTER_BITS, &timer_bits);
  limits.has_timer = timer_bits > 0;
  const std::string device = device_name();
  limits.software = std::ranges::any_of(std::array{"llvmpipe", "softpipe", "swrast"},
                                        [&](const char* name) { return device.find(name) != std::string::npos; });
  return limits;
}

}  // namespace pelt::render
