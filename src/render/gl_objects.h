#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <glad/gl.h>

#include "core/result.h"

namespace pelt::render {

/// Owns one OpenGL name. Default-made it owns nothing (id 0); make() creates. Move-only; destroys on the thread of the
/// context, which must still be current.
template <GLuint (*kCreate)(), void (*kDestroy)(GLuint)>
class GlName {
 public:
  GlName() = default;
  [[nodiscard]] static GlName make() { return GlName(kCreate()); }
  /// Takes over a name created elsewhere.
  explicit GlName(GLuint id) : id_(id) {}
  GlName(GlName&& other) noexcept : id_(std::exchange(other.id_, 0)) {}
  GlName& operator=(GlName&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~GlName() {
    if (id_ != 0) {
      kDestroy(id_);
    }
  }
  [[nodiscard]] GLuint id() const { return id_; }
  explicit operator bool() const { return id_ != 0; }

 private:
  GLuint id_ = 0;
};

namespace gl {
// Creation is checked: a name of 0 (no current context, out of memory) stops with a PELT_EXPECT.
GLuint create_buffer();
void destroy_buffer(GLuint id);
GLuint create_vertex_array();
void destroy_vertex_array(GLuint id);
GLuint create_texture();
void destroy_texture(GLuint id);
GLuint create_framebuffer();
void destroy_framebuffer(GLuint id);
GLuint create_renderbuffer();
void destroy_renderbuffer(GLuint id);
GLuint create_query();
void destroy_query(GLuint id);
GLuint create_program();
void destroy_program(GLuint id);
GLuint create_sampler();
void destroy_sampler(GLuint id);
}  // namespace gl

using Buffer = GlName<gl::create_buffer, gl::destroy_buffer>;
using VertexArray = GlName<gl::create_vertex_array, gl::destroy_vertex_array>;
using Texture = GlName<gl::create_texture, gl::destroy_texture>;
using Framebuffer = GlName<gl::create_framebuffer, gl::destroy_framebuffer>;
using Renderbuffer = GlName<gl::create_renderbuffer, gl::destroy_renderbuffer>;
using Query = GlName<gl::create_query, gl::destroy_query>;
using Program = GlName<gl::create_program, gl::destroy_program>;
using Sampler = GlName<gl::create_sampler, gl::destroy_sampler>;

/// Replaces a buffer's store and content. With the same size each frame this is orphaning: the driver hands out fresh
/// memory while the GPU still reads the old. Leaves no binding of a vertex array changed.
/// @param usage  GL_STATIC_DRAW, GL_STREAM_DRAW ...
void upload(const Buffer& buffer, std::span<const std::byte> bytes, GLenum usage);
template <typename T>
void upload(const Buffer& buffer, std::span<const T> values, GLenum usage) {
  upload(buffer, std::as_bytes(values), usage);
}
/// Allocates without content.
void allocate(const Buffer& buffer, std::size_t size, GLenum usage);

/// Location of a uniform of `program`, -1 where the linker removed it (GL ignores writes there).
GLint uniform(const Program& program, const char* name);

/// "GL_INVALID_OPERATION" and so on.
std::string_view error_name(GLenum error);
/// Fails where OpenGL has recorded errors since the last call; the sentence starts with `what`.
Status check_gl(std::string_view what);
/// Fails, naming the status, where the framebuffer bound to GL_FRAMEBUFFER is incomplete.
Status check_framebuffer(std::string_view what);

/// In debug builds with KHR_debug: OpenGL reports errors and undefined behaviour on stderr, at the faulty call.
void install_debug_output();

/// "Mesa llvmpipe (LLVM 15.0.6, 256 bits), OpenGL 4.5" and so on.
std::string device_name();

/// What a device is and offers beyond the guaranteed minimum of OpenGL 3.3; queried once per context.
struct DeviceLimits {
  int uniform_block_bytes = 16384;
  int uniform_alignment = 256;
  int texture_size = 1024;
  int texture_buffer_texels = 65536;
  int samples = 4;
  int texture_units = 16;  ///< of a fragment shader
  bool has_timer = false;  ///< GL_TIME_ELAPSED counts
  bool software = false;   ///< Mesa rasterises on the CPU
};
DeviceLimits device_limits();

}  // namespace pelt::render
