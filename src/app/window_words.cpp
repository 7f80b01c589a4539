// What the running window tells the user.
#include <cstdio>

#include <fmt/format.h>

#include "app/window_state.h"
#include "core/text.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace pelt::app {

void say(std::string_view message) {
  fmt::print(stderr, "pelt: {}\n", printable(message, 2000));
}

void show_error(Window& app, const std::string& message) {
  say(message);
  app.session.workspace.error = ui::Notice{Severity::kError, message, glfwGetTime()};
}

void show_notice(Window& app, const std::string& message) {
  app.session.workspace.notice = ui::Notice{Severity::kInfo, message, glfwGetTime()};
}

void set_title(Window& app) {
  const std::string& session = app.session.workspace.session_path;
  const std::string name =
      session.empty() ? app.session.document.character->name : std::filesystem::path(session).filename().string();
  const std::string title =
      fmt::format("{}{} \u2013 Pelt", has_unsaved_work(app.session) ? "\u2022 " : "", printable(name));
  if (title != app.title) {
    app.title = title;
    if (app.window != nullptr) {  // tests have none
      glfwSetWindowTitle(app.window, title.c_str());
    }
  }
}

void Window::wake_up() {
  woken = true;
  glfwPostEmptyEvent();
}

}  // namespace pelt::app
