#pragma once

#include "render/camera.h"
#include "render/view_settings.h"
#include "ui/playback.h"

namespace pelt::ui {

struct Desk;

/// Begins a picture: notes what a drag may have to go back to, and lets Esc end what is on top: the drag in progress,
/// else open menus and drop-downs, wherever the keyboard is. What it leaves for dialogs is in Workspace::escape.
/// @return whether a drag was cancelled, for end_escape()
bool begin_escape(Desk& desk);

/// What widgets may change, as it was before they were drawn.
struct BeforeWidgets {
  render::Camera camera;
  render::ViewSettings view;
  Playback playback;
};
BeforeWidgets before_widgets(Desk& desk);
/// After they were drawn: what has become another is what the drag in progress has done.
void note_drag(const BeforeWidgets& before, Desk& desk);

/// Ends the picture in which a drag was cancelled: no widget's last word keeps what it did.
void end_escape(Desk& desk);

}  // namespace pelt::ui
