#include "render/offscreen_context.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include <glad/gl.h>

#define EGL_NO_X11
#include <EGL/egl.h>
#include <EGL/eglext.h>

#include "core/text.h"
#include "render/gl_objects.h"

namespace pelt::render {
namespace {

bool has_extension(const char* list, std::string_view name) {
  if (list == nullptr) {
    return false;
  }
  const std::string_view all(list);
  for (std::size_t at = all.find(name); at != std::string_view::npos; at = all.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || all[at - 1] == ' ') && (end == all.size() || all[end] == ' ')) {
      return true;
    }
  }
  return false;
}

/// The surfaceless platform needs no server of any kind; it is Mesa's, others offer a device or only the default
/// display.
EGLDisplay surfaceless_display() {
  if (!has_extension(eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS), "EGL_MESA_platform_surfaceless")) {
    return EGL_NO_DISPLAY;
  }
  const auto get_display =
      reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
  return get_display != nullptr ? get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr)
                                : EGL_NO_DISPLAY;
}

EGLContext create_context(EGLDisplay display, EGLConfig config) {
  const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION,
                               3,
                               EGL_CONTEXT_MINOR_VERSION,
                               3,
                               EGL_CONTEXT_OPENGL_PROFILE_MASK,
                               EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
#ifndef NDEBUG
                               EGL_CONTEXT_FLAGS_KHR,
                               EGL_CONTEXT_OPENGL_DEBUG_BIT_KHR,
#endif
                               EGL_NONE};
  return eglCreateContext(display, config, EGL_NO_CONTEXT, attributes);
}

/// "3.1 Mesa 22" as a number to compare, 301; 0 where it begins with no version.
int version_number(std::string_view text) {
  const std::size_t dot = text.find('.');
  const std::size_t end = std::min(text.find_first_not_of("0123456789", dot + 1), text.size());
  if (dot == std::string_view::npos) {
    return 0;
  }
  return 100 * parse_integer(text.substr(0, dot)).value_or(0) +
         parse_integer(text.substr(dot + 1, end - dot - 1)).value_or(0);
}

/// Why there is no context of the version that create_context() asks for: EGL's error, or that there are only older
/// ones.
Error no_context(EGLDisplay display, EGLConfig config, EGLint failure) {
  std::string got;
  const EGLint any[] = {EGL_NONE};
  EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, any);
  if (context != EGL_NO_CONTEXT && eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) == EGL_TRUE) {
    const auto get_string = reinterpret_cast<PFNGLGETSTRINGPROC>(eglGetProcAddress("glGetString"));
    const GLubyte* const version = get_string != nullptr ? get_string(GL_VERSION) : nullptr;
    if (version != nullptr) {
      got = printable(reinterpret_cast<const char*>(version));
    }
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  }
  if (context != EGL_NO_CONTEXT) {
    eglDestroyContext(display, context);
  }
  if (const int version = version_number(got); version > 0 && version < 303) {
    return error("OpenGL is too old: expected 3.3, got {}", got);
  }
  return error("no OpenGL without a window: EGL refuses a context of version 3.3, error 0x{:04x}{}", failure,
               got.empty() ? "" : fmt::format(", though it has {}", got));
}

}  // namespace

Result<std::unique_ptr<OffscreenContext>> OffscreenContext::create() {
  std::unique_ptr<OffscreenContext> made(new OffscreenContext);
  std::optional<Error> refused;  // by the surfaceless platform: the default display may do better

  EGLDisplay display = surfaceless_display();
  if (display != EGL_NO_DISPLAY && eglInitialize(display, nullptr, nullptr) == EGL_TRUE &&
      eglBindAPI(EGL_OPENGL_API) == EGL_TRUE &&
      has_extension(eglQueryString(display, EGL_EXTENSIONS), "EGL_KHR_surfaceless_context")) {
    EGLContext context = create_context(display, EGL_NO_CONFIG_KHR);
    if (context == EGL_NO_CONTEXT) {
      refused = no_context(display, EGL_NO_CONFIG_KHR, eglGetError());
    } else {
      made->display_ = display;
      made->context_ = context;
    }
  }

  if (made->context_ == nullptr) {
    display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    const EGLint one_pixel[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
    EGLConfig config = nullptr;
    EGLint count = 0;
    if (display == EGL_NO_DISPLAY || eglInitialize(display, nullptr, nullptr) != EGL_TRUE) {
      return refused.value_or(
          error("no OpenGL without a window: EGL has neither a surfaceless platform nor a default display"));
    }
    if (eglBindAPI(EGL_OPENGL_API) != EGL_TRUE || eglChooseConfig(display, wanted, &config, 1, &count) != EGL_TRUE ||
        count < 1) {
      return refused.value_or(error("no OpenGL without a window: EGL {} offers no offscreen configuration for OpenGL",
                                    eglQueryString(display, EGL_VERSION)));
    }
    made->display_ = display;
    made->context_ = create_context(display, config);
    if (made->context_ == nullptr) {
      return refused.value_or(no_context(display, config, eglGetError()));
    }
    made->surface_ = eglCreatePbufferSurface(display, config, one_pixel);
    if (made->surface_ == nullptr) {
      return error("no OpenGL without a window: EGL refuses a 1x1 pixel buffer, error 0x{:04x}", eglGetError());
    }
  }

  if (eglMakeCurrent(made->display_, made->surface_, made->surface_, made->context_) != EGL_TRUE) {
    return error("no OpenGL without a window: the context cannot be made current, EGL error 0x{:04x}", eglGetError());
  }
  PELT_TRY(load_gl(eglGetProcAddress));
  return made;
}

// The display itself stays initialised: it is one per process, and eglTerminate would pull it from under other
// contexts.
OffscreenContext::~OffscreenContext() {
  if (display_ == nullptr) {
    return;
  }
  if (eglGetCurrentContext() == context_) {
    eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  }
  if (surface_ != nullptr) {
    eglDestroySurface(display_, surface_);
  }
  if (context_ != nullptr) {
    eglDestroyContext(display_, context_);
  }
}

Status load_gl(GlProcLoader loader) {
  const int version = gladLoadGL(loader);
  if (version == 0) {
    return error("OpenGL cannot be loaded: the current context has no OpenGL functions");
  }
  if (version < GLAD_MAKE_VERSION(3, 3)) {
    return error("OpenGL is too old: expected 3.3, got {}.{}", GLAD_VERSION_MAJOR(version),
                 GLAD_VERSION_MINOR(version));
  }
  install_debug_output();
  return {};
}

}  // namespace pelt::render
