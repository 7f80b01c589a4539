#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/jobs.h"
#include "core/result.h"
#include "ui/motion_preview.h"

namespace pelt::ui {

struct Desk;
struct Workspace;

inline constexpr std::string_view kMotionTab = "motion";

/// The tab "Motion": motion of another skeleton on this character. What is chosen is tried in the background and shown
/// beside the motion's own skeleton, with its certificate; the document changes when it is applied.
struct MotionPanel {
  std::string name;                              ///< of the motion's file
  std::shared_ptr<const rig::Character> motion;  ///< null: none was opened
  int clip = 0;
  motion::RetargetSettings settings;
  std::optional<motion::JointMap> map;  ///< changed by hand; nothing: made from names and shapes
  float time = 0;                       ///< of the preview, seconds
  float azimuth = 0.5f;
  bool on_character = true;  ///< the character moves so while the tab is in front
  bool beside = true;        ///< and the motion's own skeleton moves beside it
  bool reference = false;    ///< the aligned reference pose is shown instead
  bool playing = false;
  double played_until = 0;  ///< when the last picture was, seconds
  std::string error;        ///< why a file could not be opened

  std::shared_ptr<JobSlot<Result<rig::Character>>> opening;  ///< null: nothing was opened yet
  std::shared_ptr<JobSlot<MotionPreview>> trying;
  std::shared_ptr<const MotionPreview> shown;      ///< the last one that was made
  std::shared_ptr<const MotionPreview> good;       ///< the last one without an error, of the present skeleton
  std::shared_ptr<const rig::Character> tried_on;  ///< what it was made of
  bool changed = false;                            ///< something else was chosen since
  /// Waits for what is made instead of showing that it is to come: for pictures and tests.
  bool patient = false;
};

/// Opens a motion in the background. @param open  reads the file, on another thread
void open_motion(MotionPanel& panel, Workspace& workspace, const std::string& file,
                 std::function<Result<rig::Character>(const Progress&)> open);

void draw(MotionPanel& panel, Desk& desk);

/// The motion's own skeleton in the picture, while the tab is in front and shows it.
/// @param project  a place of the world in the window, nothing behind the eye
void draw_motion_source(const std::function<std::optional<glm::vec2>(const glm::vec3&)>& project, Desk& desk);

}  // namespace pelt::ui
