#include "ui/escape.h"

#include <imgui.h>
#include <imgui_internal.h>

#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr int kMouseButtons = 3;

void note_press(Desk& desk) {
  Workspace& workspace = desk.workspace;
  const ImGuiIO& io = ImGui::GetIO();
  int down = 0;
  bool clicked = false;
  for (int button = 0; button < kMouseButtons; ++button) {
    down += io.MouseDown[button] ? 1 : 0;
    clicked = clicked || io.MouseClicked[button];
  }
  if (clicked && down == 1) {
    workspace.before_drag = BeforeDrag{workspace.camera, workspace.view, workspace.preferences.panels,
                                       desk.document().open_merge_key, desk.document().state_version};
  } else if (down == 0) {
    workspace.before_drag.reset();
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
    workspace.camera = workspace.before_drag->camera;
    workspace.view = workspace.before_drag->view;
    workspace.preferences.panels = workspace.before_drag->panels;
    workspace.escape = false;
    return true;
  }
  if (close_popups(context)) {
    workspace.escape = false;
  } else if (context.OpenPopupStack.Size == 0 && (workspace.help_open || workspace.about_open)) {
    workspace.help_open = false;
    workspace.about_open = false;
    workspace.escape = false;
  }
  return false;
}

void end_escape(Desk& desk) {
  desk.requests.end_merge = false;
  // A finished drag's step stays open for a while, and is not this drag's to take back.
  const std::optional<BeforeDrag>& before = desk.workspace.before_drag;
  const edit::Document& document = desk.document();
  if (!before || before->merge_key != document.open_merge_key || before->state_version != document.state_version) {
    desk.requests.cancel_merge = document.open_merge_key;
  }
}

}  // namespace pelt::ui
