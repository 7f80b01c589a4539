#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "edit/clip_edits.h"
#include "rig/clip_changes.h"

namespace pelt::ui {

struct Desk;

inline constexpr std::string_view kClipsTab = "clips";

/// The list of clips, what can be done to the one that plays, and its seam.
struct ClipsPanel {
  std::string name;                             ///< being typed
  int named = -1;                               ///< clip that it was typed for
  std::vector<edit::ClipNumbers> numbers = {};  ///< of clip_operations()
  Shared<rig::Clip> measured = {};              ///< that the seam is of
  std::vector<rig::SeamJump> seam = {};
};
void draw(ClipsPanel& panel, Desk& desk);

}  // namespace pelt::ui
