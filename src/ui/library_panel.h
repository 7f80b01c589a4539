#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "edit/library_edits.h"

namespace pelt::ui {

struct Desk;

inline constexpr std::string_view kLibraryTab = "library";

/// A drag over the thumbnail of a pose that blends to it.
struct PoseBlend {
  Shared<edit::StoredPose> pose;
  std::shared_ptr<const edit::BlendStart> start = nullptr;  ///< null: there is none
  float share = 0;
};

/// The tab "Library": poses with thumbnails. Pointing at one shows the character in it, a click applies it, dragging
/// sideways blends to it.
struct LibraryPanel {
  std::string name;    ///< for the next pose; empty: the proposed one
  std::string search;  ///< a part of names
  bool selected_only = false;
  bool flipped = false;
  int pressed = -1;  ///< the thumbnail that the button went down on
  PoseBlend blend = {};
  int renamed = -1;  ///< the place of the pose whose name is being typed
  Shared<edit::StoredPose> renamed_pose = {};
  int rename_picture = 0;  ///< number of the last picture that had the field for it
  std::string new_name = {};
  bool focus_name = false;
};

void draw(LibraryPanel& panel, Desk& desk);
/// Nothing is being dragged or typed any more.
void put_down(LibraryPanel& panel);

}  // namespace pelt::ui
