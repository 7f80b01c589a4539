#pragma once

#include <cstdint>

namespace pelt::ui {

struct Desk;

/// What was found in a pose.
struct FastNormals {
  std::uint64_t pose_version = 0;  ///< it grows with another character and other settings, too
  int pane = -1;
  float worst = 0;  ///< how far a normal is from unit length
};

/// The error of fast renormalisation, as a curve and in the pose shown. Only for panes that show normals of that kind.
void draw_fast_normals_section(FastNormals& known, Desk& desk);

}  // namespace pelt::ui
