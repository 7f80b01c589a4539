#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>

#include "motion/reach.h"
#include "ui/viewport_geometry.h"

namespace pelt::ui {

/// What the tool "Drag with IK" keeps from one picture to the next, and how the tab IK sets it.
struct ReachTool {
  std::string solver;  ///< id of motion::ik_solvers(); empty: the one that suits
  bool limits = true;
  bool keep_direction = true;  ///< hands and feet keep their direction in the world
  int iterations = 32;
  std::map<int, motion::ReachChain> chains;  ///< by joint, where somebody made them longer or shorter

  /// Of the character that is open.
  std::shared_ptr<const motion::Limbs> limbs;
  Shared<rig::Skeleton> limbs_of;

  // Under the mouse, and while it is dragged.
  int joint = -1;
  motion::ReachChain chain;
  bool dragging = false;
  bool swivelling = false;  ///< the pole's dot is dragged: `joint` is the middle, `tip` stays
  int tip = -1;
  glm::vec3 start = glm::vec3(0);    ///< where the joint was, world
  glm::vec3 grabbed = glm::vec3(0);  ///< the point that follows the mouse, at the start
  glm::vec3 facing = glm::vec3(0);   ///< the plane that it moves in, unit
  std::optional<glm::quat> direction;
  glm::vec3 wish = glm::vec3(0);   ///< where the joint is to be
  glm::vec3 asked = glm::vec3(0);  ///< where it was to be in the picture before, which is what shows now
};

/// The limbs of the open character, found again where its skeleton is another.
const motion::Limbs& limbs_of(ReachTool& tool, const Desk& desk);
/// The chain that a drag of a joint moves.
motion::ReachChain chain_of(ReachTool& tool, int joint, const Desk& desk);

/// Whether the tool is in the hand.
bool reaches(const Desk& desk);

/// What a drag from here would take.
void hover_reach(ReachTool& tool, glm::vec2 at, Desk& desk);
/// Begins to drag what is under the mouse; false where nothing is.
bool begin_reach(ReachTool& tool, glm::vec2 pressed_at, Desk& desk);
void drag_reach(ReachTool& tool, Desk& desk);
/// Makes the chain of the joint longer (more than 0) or shorter.
void change_chain(ReachTool& tool, int joint, int more, Desk& desk);

/// The chain, what is pinned, the pole's dot; and how far the joint is from the mouse.
void draw_reach(ReachTool& tool, const Projector& project, Desk& desk);

/// The dot beside the middle of the selected limb, by which elbow and knee are turned about the limb; nothing where the
/// active joint ends none.
struct PoleDot {
  int middle = -1;
  int tip = -1;
  motion::ReachChain chain;  ///< of the middle
  glm::vec3 root = glm::vec3(0);
  glm::vec3 along = glm::vec3(0);  ///< unit, from root to tip
  glm::vec3 at = glm::vec3(0);     ///< world
};
std::optional<PoleDot> pole_dot(ReachTool& tool, const Desk& desk);

/// Pins the selected joints where they are, or lets them go where all are pinned.
void toggle_pins(Desk& desk);
/// Pins hands and feet.
void pin_limbs(Desk& desk);
void unpin_all(Desk& desk);
/// What is pinned becomes keys of the clip; a notice says why where it cannot.
void bake_pins(Desk& desk);

}  // namespace pelt::ui
