#include "ui/escape.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <type_traits>
#include <variant>

#include <imgui.h>
#include <imgui_internal.h>
#include <glm/gtc/constants.hpp>

#include "ui/skinning_panel.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr int kMouseButtons = 3;

using render::Camera;
constexpr std::tuple kMovedByHand = {&Camera::pivot,    &Camera::azimuth, &Camera::elevation,   &Camera::roll,
                                     &Camera::distance, &Camera::yfov,    &Camera::orthographic};
static_assert(std::tuple_size_v<decltype(kMovedByHand)> == kCameraMembers);

// Calls body(index, member) for each of them.
template <typename Body>
void for_camera_members(const Body& body) {
  std::apply(
      [&](auto... member) {
        std::size_t index = 0;
        (body(index++, member), ...);
      },
      kMovedByHand);
}

rig::SurfaceChoice wanted_surface(const Desk& desk) {
  return desk.scene.surface_to_come.value_or(desk.document().surface);
}

// What has moved the camera since it was looked at last was no hand: a turntable, a clip, a frame. It moves what Esc
// goes back to as well.
void note_others(Workspace& workspace) {
  BeforeDrag& before = *workspace.before_drag;
  const Camera& now = workspace.camera;
  for_camera_members([&](std::size_t, auto member) {
    if (now.*member == before.seen.*member) {
      return;
    }
    if constexpr (std::is_same_v<decltype(member), bool Camera::*>) {
      before.camera.*member = now.*member;
    } else {
      before.camera.*member += now.*member - before.seen.*member;
    }
  });
  if (now.azimuth != before.seen.azimuth) {  // which leaps where a turn is whole
    before.camera.azimuth = std::remainder(before.camera.azimuth, glm::two_pi<float>());
  }
  before.seen = now;
}

void note_press(Desk& desk) {
  Workspace& workspace = desk.workspace;
  const ImGuiIO& io = ImGui::GetIO();
  int down = 0;
  bool clicked = false;
  for (int button = 0; button < kMouseButtons; ++button) {
    down += io.MouseDown[button] ? 1 : 0;
    clicked = clicked || io.MouseClicked[button];
  }
  if (down == 0) {
    workspace.before_drag.reset();
  } else if ((clicked && down == 1) || !workspace.before_drag) {
    workspace.before_drag =
        BeforeDrag{.camera = workspace.camera,
                   .view = workspace.view,
                   .panels = workspace.preferences.panels,
                   .playback = workspace.playback,
                   .time = desk.document().view.time,
                   .surface = wanted_surface(desk),
                   .follows_camera = workspace.looked_through && *workspace.looked_through == workspace.camera,
                   .seen = workspace.camera};
  } else {
    note_others(workspace);
  }
}

void take_back(const BeforeDrag& before, Desk& desk) {
  Workspace& workspace = desk.workspace;
  for_camera_members([&](std::size_t index, auto member) {
    if (before.moved_camera[index]) {
      workspace.camera.*member = before.camera.*member;
    }
  });
  if (before.moved_camera.any() && before.follows_camera) {
    workspace.looked_through = workspace.camera;  // and goes on with where that is by now
  }
  if (before.changed_view) {
    workspace.view = before.view;
  }
  if (before.changed_playback) {
    workspace.playback.speed = before.playback.speed;
    workspace.playback.playing = before.playback.playing;
  }
  if (before.moved_playhead) {
    desk.requests.playhead = before.time;
  }
  workspace.preferences.panels = before.panels;
  if (workspace.panel<SkinningPanel>().surface.exploding) {
    workspace.panel<SkinningPanel>().surface.exploding.reset();
    if (before.surface != wanted_surface(desk)) {
      desk.requests.surface = before.surface;
    }
  }
}

// Whether the mouse drags something; not where it marks text.
bool drags(const ImGuiContext& context) {
  return ImGui::IsAnyMouseDown() && context.ActiveId != 0 && context.ActiveId != context.InputTextState.ID;
}

// Menus with their sub-menus and drop-downs, down to the dialog that they stand in.
bool close_popups(const ImGuiContext& context) {
  int kept = 0;
  for (int i = 0; i < context.OpenPopupStack.Size; ++i) {
    const ImGuiWindow* window = context.OpenPopupStack[i].Window;
    if (window == nullptr || (window->Flags & ImGuiWindowFlags_Modal) != 0) {
      kept = i + 1;
    }
  }
  if (context.OpenPopupStack.Size == kept) {
    return false;
  }
  ImGui::ClosePopupToLevel(kept, true);
  return true;
}

}  // namespace

bool begin_escape(Desk& desk) {
  Workspace& workspace = desk.workspace;
  note_press(desk);
  workspace.escape = pressed(ImGuiKey_Escape);
  if (!workspace.escape) {
    return false;
  }
  const ImGuiContext& context = *ImGui::GetCurrentContext();
  if (workspace.before_drag && drags(context)) {
    ImGui::ClearActiveID();  // what the mouse does until it is released is lost
    take_back(*workspace.before_drag, desk);
    workspace.escape = false;
    return true;
  }
  if (close_popups(context)) {
    workspace.escape = false;
  } else if (context.OpenPopupStack.Size == 0 &&
             (workspace.help_open || workspace.about_open || workspace.history_open)) {
    workspace.help_open = false;
    workspace.about_open = false;
    workspace.history_open = false;
    workspace.escape = false;
  }
  return false;
}

BeforeWidgets before_widgets(Desk& desk) {
  Workspace& workspace = desk.workspace;
  if (workspace.before_drag) {
    note_others(workspace);
  }
  return {workspace.camera, workspace.view, workspace.playback};
}

void note_drag(const BeforeWidgets& before, Desk& desk) {
  Workspace& workspace = desk.workspace;
  if (!workspace.before_drag) {
    return;
  }
  BeforeDrag& drag = *workspace.before_drag;
  for_camera_members([&](std::size_t index, auto member) {
    if (workspace.camera.*member != before.camera.*member) {
      drag.moved_camera.set(index);
    }
  });
  drag.seen = workspace.camera;
  drag.changed_view = drag.changed_view || !(workspace.view == before.view);
  drag.changed_playback = drag.changed_playback || workspace.playback.speed != before.playback.speed ||
                          workspace.playback.playing != before.playback.playing;
  for (const edit::Command& command : desk.requests.commands) {
    if (command.merge_key.empty()) {
      continue;
    }
    // A finished drag's step stays open for a while, and is not this drag's to take back.
    (command.change.is<edit::SetTime>() ? drag.moved_playhead : drag.changed_document) = true;
  }
}

void end_escape(Desk& desk) {
  desk.requests.end_merge = false;
  if (const std::optional<BeforeDrag>& drag = desk.workspace.before_drag; !drag || drag->changed_document) {
    desk.requests.cancel_merge = desk.document().open_merge_key;
  }
  desk.workspace.before_drag.reset();
}

}  // namespace pelt::ui
