#pragma once

#include <memory>

#include "core/result.h"

namespace pelt::render {

/// An OpenGL context without window or X server: EGL surfaceless, else a 1x1 pbuffer of the default display. Current on
/// the creating thread while it lives.
class OffscreenContext {
 public:
  static Result<std::unique_ptr<OffscreenContext>> create();
  ~OffscreenContext();
  OffscreenContext(const OffscreenContext&) = delete;
  OffscreenContext& operator=(const OffscreenContext&) = delete;

 private:
  OffscreenContext() = default;
  void* display_ = nullptr;
  void* context_ = nullptr;
  void* surface_ = nullptr;
};

using GlProcLoader = void (*(*)(const char*))();
/// Loads OpenGL for a context that something else made (GLFW). @param loader  for example glfwGetProcAddress
Status load_gl(GlProcLoader loader);

}  // namespace pelt::render
