#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/file.h"
#include "edit/document.h"
#include "edit/skin_numbers.h"
#include "render/camera.h"
#include "render/picture_text.h"
#include "render/renderer.h"
#include "render/view_settings.h"

namespace pelt::cli {

/// What the command line asks the window to start with; the same flags as `pelt render`.
struct ViewRequest {
  std::string file;         ///< path or "@mannequin"; empty: the bundled mannequin
  edit::Document document;  ///< opened and posed; character null where the file could not be opened
  std::string open_error;   ///< the reason then
  render::ViewSettings view;
  render::Camera camera;
  bool camera_given = false;
  int scene_camera = -1;     ///< of the file, that `camera` is; it is followed
  bool light_given = false;  ///< environment, tone mapping, exposure or occlusion
  glm::ivec2 size = glm::ivec2(1440, 900);
  bool autoplay = true;
  bool allow_outside_uris = false;        ///< of the file that was named
  bool watch = false;                     ///< reload the file when it changes
  std::optional<FileStamp> stamp;         ///< of the file, from before it was read
  std::vector<StampedFile> files_beside;  ///< that were read with it
  std::string tab;                        ///< id of the panel in front; empty: by what is shown
  std::string mode;                       ///< id of the mode it is in front in; empty: one that has it
  std::optional<edit::SeriesAxis> plot;   ///< to be measured at the start
  std::string widget_report;  ///< file that the window keeps up to date with widget rectangles as JSON; for tests
};

/// What only a build with a window can do; app passes it in, so that cli stays free of GLFW and Dear ImGui.
struct WindowHooks {
  /// Opens the window; returns the exit code.
  std::function<int(ViewRequest)> view;
  /// Draws the window's panels over an offscreen picture of frame.size and returns it (pelt render --ui).
  std::function<Result<render::ImageRgba>(render::Renderer&, const ViewRequest&, render::Frame)> render_with_panels;
  /// Writes words into the bound framebuffer, which is a picture of that size.
  std::function<void(std::span<const render::PictureText>, glm::ivec2 size)> write_texts;
};

/// The whole command line. Returns the exit code: 0 done, 1 the work failed, 2 the command line is wrong.
int run(int argc, const char* const* argv, const WindowHooks& hooks);

}  // namespace pelt::cli
