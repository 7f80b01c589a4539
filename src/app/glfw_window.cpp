#include "app/glfw_window.h"

// GLFW goes last: it brings OpenGL names that nothing here uses.
#include <algorithm>

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace pelt::app {
namespace {

Events& events_of(GLFWwindow* window) {
  return *static_cast<Events*>(glfwGetWindowUserPointer(window));
}
int translated(int key, int scancode) {
  switch (key) {
    case GLFW_KEY_SPACE:
      return ui::kKeySpace;
    case GLFW_KEY_TAB:
      return ui::kKeyTab;
    case GLFW_KEY_HOME:
      return ui::kKeyHome;
    case GLFW_KEY_LEFT:
      return ui::kKeyLeft;
    case GLFW_KEY_RIGHT:
      return ui::kKeyRight;
    case GLFW_KEY_UP:
      return ui::kKeyUp;
    case GLFW_KEY_DOWN:
      return ui::kKeyDown;
    case GLFW_KEY_ESCAPE:
      return ui::kKeyEscape;
    case GLFW_KEY_F1:
      return ui::kKeyF1;
    case GLFW_KEY_F5:
      return ui::kKeyF5;
    case GLFW_KEY_F2:
      return ui::kKeyF2;
    case GLFW_KEY_F12:
      return ui::kKeyF12;
    case GLFW_KEY_DELETE:
      return ui::kKeyDelete;
    default:
      break;
  }
  if (key >= GLFW_KEY_KP_0 && key <= GLFW_KEY_KP_9) {
    return '0' + (key - GLFW_KEY_KP_0);
  }
  // The letter printed on the key in the user's layout, not the one at its place on an American keyboard.
  const char* name = glfwGetKeyName(key, scancode);
  if (name != nullptr && name[0] != '\0' && name[1] == '\0') {
    const char c = name[0];
    if (c >= 'a' && c <= 'z') {
      return c - 'a' + 'A';
    }
    if ((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ',' || c == '.') {
      return c;
    }
  }
  return key >= GLFW_KEY_0 && key <= GLFW_KEY_Z ? key : static_cast<int>(ui::kNoKey);
}

void on_key(GLFWwindow* window, int key, int scancode, int action, int mods) {
  wake(window);
  if (action == GLFW_PRESS && key >= 0) {
    events_of(window).went_down.push_back(key);
  }
  const bool arrow = key == GLFW_KEY_LEFT || key == GLFW_KEY_RIGHT;
  if (action == GLFW_PRESS || (action == GLFW_REPEAT && arrow)) {
    const int translated_key = translated(key, scancode);
    if (translated_key != ui::kNoKey && (mods & GLFW_MOD_SUPER) == 0) {
      events_of(window).pressed.push_back(
          {translated_key, (mods & GLFW_MOD_CONTROL) != 0, (mods & GLFW_MOD_SHIFT) != 0, (mods & GLFW_MOD_ALT) != 0});
    }
  }
  if (action == GLFW_RELEASE) {
    events_of(window).released.push_back(translated(key, scancode));
  }
}

void on_mouse_button(GLFWwindow* window, int, int action, int mods) {
  constexpr double kLongestClick = 0.4;  // seconds
  wake(window);
  ClickModifiers& click = events_of(window).click;
  if (action == GLFW_PRESS) {
    click = {.mods = mods, .since = glfwGetTime(), .pending = true};
  } else {
    click.is_click = glfwGetTime() - click.since < kLongestClick;
  }
}

bool is_down(GLFWwindow* window, int left, int right) {
  return glfwGetKey(window, left) == GLFW_PRESS || glfwGetKey(window, right) == GLFW_PRESS;
}

}  // namespace

void apply_modifiers(GLFWwindow* window, bool begun) {
  ImGuiIO& io = ImGui::GetIO();
  ClickModifiers& click = events_of(window).click;
  if (begun) {
    const bool released = !io.MouseDown[0] && !io.MouseDown[1] && !io.MouseDown[2];
    click.pending = click.pending && !released;
    return;
  }
  const int mods = click.pending && click.is_click ? click.mods : 0;
  io.KeyShift = is_down(window, GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT) || (mods & GLFW_MOD_SHIFT) != 0;
  io.KeyCtrl = is_down(window, GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL) || (mods & GLFW_MOD_CONTROL) != 0;
  io.KeyAlt = is_down(window, GLFW_KEY_LEFT_ALT, GLFW_KEY_RIGHT_ALT) || (mods & GLFW_MOD_ALT) != 0;
}

void wake(GLFWwindow* window) {
  events_of(window).frames_wanted = kFramesAfterEvent;
}

void install_callbacks(GLFWwindow* window) {
  glfwSetKeyCallback(window, on_key);
  glfwSetCharCallback(window, [](GLFWwindow* w, unsigned) { wake(w); });
  glfwSetCursorPosCallback(window, [](GLFWwindow* w, double, double) { wake(w); });
  glfwSetCursorEnterCallback(window, [](GLFWwindow* w, int) { wake(w); });
  glfwSetMouseButtonCallback(window, on_mouse_button);
  glfwSetScrollCallback(window, [](GLFWwindow* w, double, double) { wake(w); });
  glfwSetFramebufferSizeCallback(window, [](GLFWwindow* w, int, int) { wake(w); });
  glfwSetWindowContentScaleCallback(window, [](GLFWwindow* w, float, float) { wake(w); });
  glfwSetWindowRefreshCallback(window, [](GLFWwindow* w) { wake(w); });
  glfwSetWindowFocusCallback(window, [](GLFWwindow* w, int) { wake(w); });
  // Asks like the menu's Quit: a changed pose may be at stake.
  glfwSetWindowCloseCallback(window, [](GLFWwindow* w) {
    wake(w);
    events_of(w).close = true;
    glfwSetWindowShouldClose(w, GLFW_FALSE);
  });
  glfwSetDropCallback(window, [](GLFWwindow* w, int count, const char** paths) {
    wake(w);
    if (count > 0) {
      events_of(w).dropped = paths[0];
    }
  });
}

std::string glfw_error() {
  const char* description = nullptr;
  glfwGetError(&description);
  return description != nullptr ? description : "no reason given";
}

GlfwLibrary::GlfwLibrary() : ready(glfwInit() == GLFW_TRUE) {}
GlfwLibrary::~GlfwLibrary() {
  glfwTerminate();
}

void DestroyWindow::operator()(GLFWwindow* window) const {
  glfwDestroyWindow(window);
}

ImGuiLibrary::ImGuiLibrary(GLFWwindow* window) {
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  ImGui::GetIO().ConfigWindowsMoveFromTitleBarOnly = true;
  ImGui_ImplGlfw_InitForOpenGL(window, true);
  ImGui_ImplOpenGL3_Init("#version 330 core");
}

ImGuiLibrary::~ImGuiLibrary() {
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext();
}

WindowPointer create_window(glm::ivec2 size) {
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
  glfwWindowHint(GLFW_DEPTH_BITS, 0);  // the picture is drawn elsewhere and copied
  glfwWindowHint(GLFW_STENCIL_BITS, 0);
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "pelt");
  glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "pelt");
  if (GLFWmonitor* monitor = glfwGetPrimaryMonitor()) {
    int x = 0;
    int y = 0;
    int width = 0;
    int height = 0;
    glfwGetMonitorWorkarea(monitor, &x, &y, &width, &height);
    float scale_x = 1;
    float scale_y = 1;
    glfwGetMonitorContentScale(monitor, &scale_x, &scale_y);
    if (width > 0 && height > 0) {
      size = glm::min(size, glm::ivec2(glm::vec2(width, height) / glm::vec2(scale_x, scale_y)));
    }
  }
  return WindowPointer(glfwCreateWindow(size.x, size.y, "Pelt", nullptr, nullptr));
}

double shortest_frame() {
  GLFWmonitor* monitor = glfwGetPrimaryMonitor();
  const GLFWvidmode* mode = monitor != nullptr ? glfwGetVideoMode(monitor) : nullptr;
  const int rate = mode != nullptr && mode->refreshRate > 0 ? mode->refreshRate : 60;
  return 0.96 / std::clamp(rate, 30, 240);
}

}  // namespace pelt::app
