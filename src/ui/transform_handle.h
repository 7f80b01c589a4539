#pragma once

#include <optional>
#include <string>

#include <glm/glm.hpp>

#include "ui/handled_joints.h"

namespace pelt::ui {

struct Desk;
struct Projector;
struct Rect;

/// What of the handle of the tools Move and Scale is grabbed: arrow or cube of an axis, square between two, centre.
enum class HandlePart { kNone, kX, kY, kZ, kYZ, kZX, kXY, kCenter };

/// The handle of the tools Move and Scale while it is dragged, and what of it is under the mouse.
struct TransformHandle {
  HandlePart hovered = HandlePart::kNone;
  HandlePart grabbed = HandlePart::kNone;  ///< kNone: nothing is dragged
  bool scales = false;                     ///< else moves
  HandledJoints start = {};
  glm::dvec2 pressed_at = glm::dvec2(0);  ///< pixels of the window
  glm::dvec2 gripped = glm::dvec2(0);     ///< place on the axis or in the plane where it was grabbed, metres
  glm::dvec3 wanted = glm::dvec3(0);      ///< moved by, metres along the axes; or factors
  double length = 1;                      ///< of an arrow, metres, at the start
  double step = 0.01;                     ///< that Ctrl stops at, metres or a factor
};

/// Whether a tool is in the hand that has the handle, and something is selected.
bool handle_shown(const Desk& desk);
/// The part under a pixel.
HandlePart handle_under(const Desk& desk, const Projector& project, glm::vec2 at);
/// Grabs the hovered part; false where there is none.
bool begin_handle(TransformHandle& handle, const Projector& project, Desk& desk);
void drag_handle(TransformHandle& handle, const Projector& project, Desk& desk);
void draw_handle(const TransformHandle& handle, const Projector& project, Desk& desk);

/// Steps of 1, 2 or 5 times a power of ten that suit something of that size: about a hundredth of it.
double round_step(double size);

// Where the picture of a point lies that goes along a line, or in a plane. Pixels, in double precision, exactly in
// perspective as well.

/// The place on the line whose picture is nearest to a pixel, as seen across the line's picture.
/// @param axis  direction of the line in the world
/// @returns a multiple of `axis` from `point`; nothing behind the eye or where the line is seen as a point
std::optional<double> place_on_line(const Projector& project, const glm::dvec3& point, const glm::dvec3& axis,
                                    const glm::dvec2& pixel);
/// The place in the plane through `point` whose picture is the pixel. @returns multiples of `u` and `v`; nothing where
/// the plane is seen as a line or the place is behind the eye
std::optional<glm::dvec2> place_in_plane(const Projector& project, const glm::dvec3& point, const glm::dvec3& u,
                                         const glm::dvec3& v, const glm::dvec2& pixel);

}  // namespace pelt::ui
