#pragma once

#include <memory>
#include <string>
#include <vector>

#include <glm/glm.hpp>

#include "ui/actions.h"

struct GLFWwindow;

namespace pelt::app {

inline constexpr int kFramesAfterEvent = 3;  ///< ImGui settles hovering and layout within as many

/// The modifiers of a click count as they were when the button went down: where pictures take long, they are up again
/// before anyone looks.
struct ClickModifiers {
  int mods = 0;           ///< of GLFW, when the button went down
  double since = 0;       ///< seconds on GLFW's clock
  bool pending = false;   ///< its release has not been in a picture yet
  bool is_click = false;  ///< it was released soon: a drag follows what is held at the moment
};

/// What GLFW's callbacks leave for the loop.
struct Events {
  int frames_wanted = kFramesAfterEvent;
  std::vector<ui::Chord> pressed;
  std::vector<int> released;   ///< keys as ui::Chord::key has them
  std::vector<int> went_down;  ///< keys by GLFW's numbers, since the last picture
  ClickModifiers click;
  std::string dropped;
  bool close = false;  ///< the window's own button
};

/// Draws some pictures more.
void wake(GLFWwindow* window);
/// @pre the window's user pointer is its Events
void install_callbacks(GLFWwindow* window);

/// Tells ImGui which modifiers are down, those of a click in progress as they were when it began; to be called before
/// ImGui::NewFrame(), and after it with `begun`.
void apply_modifiers(GLFWwindow* window, bool begun);

/// What GLFW said last.
std::string glfw_error();

/// GLFW for as long as it lives.
struct GlfwLibrary {
  bool ready = false;
  GlfwLibrary();
  ~GlfwLibrary();
  GlfwLibrary(const GlfwLibrary&) = delete;
  GlfwLibrary& operator=(const GlfwLibrary&) = delete;
};

struct DestroyWindow {
  void operator()(GLFWwindow* window) const;
};
using WindowPointer = std::unique_ptr<GLFWwindow, DestroyWindow>;

/// ImGui and its two backends for as long as it lives.
struct ImGuiLibrary {
  explicit ImGuiLibrary(GLFWwindow* window);
  ~ImGuiLibrary();
  ImGuiLibrary(const ImGuiLibrary&) = delete;
  ImGuiLibrary& operator=(const ImGuiLibrary&) = delete;
};

/// A window with an OpenGL 3.3 context, no larger than the monitor's work area; null where there is none.
WindowPointer create_window(glm::ivec2 size);

/// Seconds between two pictures at least: a little less than the monitor's, so that this never fights vertical sync.
double shortest_frame();

}  // namespace pelt::app
