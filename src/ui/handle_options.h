#pragma once

#include <array>
#include <string_view>

namespace pelt::ui {

/// Along and about which directions handles move, turn and scale.
enum class HandleAxes { kLocal, kParent, kWorld, kView, kBone };
struct HandleAxesInfo {
  HandleAxes axes;
  std::string_view id;  ///< of preferences
  const char* label;
  const char* help;
};
inline constexpr std::array kHandleAxes = {
    HandleAxesInfo{HandleAxes::kLocal, "local", "Local", "The joint's own axes; its rings are its degrees of freedom"},
    HandleAxesInfo{HandleAxes::kParent, "parent", "Parent", "The axes of the joint that it hangs on"},
    HandleAxesInfo{HandleAxes::kWorld, "world", "World", "X to the character's left, Y up, Z to the front"},
    HandleAxesInfo{HandleAxes::kView, "view", "View", "X to the right of the picture, Y up in it, Z to the viewer"},
    HandleAxesInfo{HandleAxes::kBone, "bone", "Bone", "Y along the bone to the joint's main child"},
};

/// What several joints turn and scale about.
enum class HandlePivot { kOwn, kMedian, kActive };
struct HandlePivotInfo {
  HandlePivot pivot;
  std::string_view id;
  const char* label;
  const char* help;
};
inline constexpr std::array kHandlePivots = {
    HandlePivotInfo{HandlePivot::kOwn, "own", "Own pivots", "Each joint about itself"},
    HandlePivotInfo{HandlePivot::kMedian, "median", "Median", "All about the middle of the selected joints"},
    HandlePivotInfo{HandlePivot::kActive, "active", "Active joint", "All about the joint that was selected last"},
};

/// How handles work, kept between sessions.
struct HandleOptions {
  HandleAxes axes = HandleAxes::kLocal;
  HandlePivot pivot = HandlePivot::kOwn;
  bool operator==(const HandleOptions&) const = default;
};

}  // namespace pelt::ui
