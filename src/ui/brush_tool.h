#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <glm/glm.hpp>

#include "edit/kept_poses.h"
#include "edit/paint_edits.h"
#include "mesh/dab.h"
#include "mesh/stroke.h"
#include "mesh/surface_disc.h"
#include "mesh/welded_surface.h"
#include "render/picking.h"
#include "ui/viewport_geometry.h"

namespace pelt::ui {

struct Desk;

/// What a brush does, one row each.
struct BrushMode {
  std::string_view id;  ///< of the widget report: "add"
  const char* label;
  mesh::DabMode mode;
  const char* help;
  bool takes_value;      ///< goes to a value, or scales by it
  bool is_line = false;  ///< a drag is a line, along which the weight runs from one value to another
};
std::span<const BrushMode> brush_modes();

/// The brush's size, layout units.
inline constexpr float kSmallestBrush = 3;
inline constexpr float kLargestBrush = 400;

/// How far a vertex is from the middle of the brush.
enum class BrushDistance { kSurface, kVolume, kScreen };

/// A mesh as it is posed: where its welded places are in the world. Made again where pose or mesh are others; for
/// weights that were painted not before the next stroke.
struct PosedSurface {
  std::shared_ptr<const mesh::WeldedSurface> surface;
  std::vector<glm::vec3> place = {};  ///< [W] world; far away where the primitive is not shown
  int mesh_node = -1;
  std::vector<glm::mat4> world = {};  ///< [J] of the pose
  std::vector<float> morphs = {};
  int pane = -1;
  std::shared_ptr<const rig::Character> character = nullptr;  ///< with the weights that posed it
};

/// How far the skin is from where it was in a kept pose.
struct KeptMeasure {
  Shared<edit::KeptPose> of;
  std::shared_ptr<const rig::Character> measured = nullptr;  ///< the character against whom
  std::vector<glm::mat4> world = {};                         ///< [J] of the kept pose
  float off = 0;  ///< of the vertices that were pulled last: how far one is from where it was, metres
};

/// What the tools "Paint" and "Pull" keep from one picture to the next, and how the tab Paint sets them.
struct BrushTool {
  int mode = 0;           ///< of brush_modes()
  float radius = 40;      ///< layout units on the screen
  float strength = 0.4f;  ///< of one dab
  float value = 1;
  float factor = 0.5f;        ///< of Scale
  float end_value = 0;        ///< of a gradient, at the end of its line
  bool smooth_line = false;   ///< it leaves its ends slowly
  bool offers_joint = false;  ///< pulled vertices may follow the painted joint beside their own
  bool beyond_line = false;   ///< before and behind its line the weight becomes that of the end
  BrushDistance distance = BrushDistance::kSurface;
  bool airbrush = false;
  bool front_only = true;
  bool line_front_only = false;  ///< of a gradient, which goes round a limb
  bool selected_only = false;
  bool weighted_only = false;  ///< only where the joint has weight already
  bool symmetric = false;
  std::optional<int> limit = {};  ///< that a person has set, see brush_limit()

  std::map<int, std::shared_ptr<const mesh::WeldedSurface>> surfaces = {};  ///< by mesh
  PosedSurface posed = {};
  mesh::DiscSearch search = {};
  std::vector<std::uint32_t> partner = {};        ///< [W] of `partner_of`, the places on the other side
  std::vector<std::uint16_t> partner_slots = {};  ///< by slot of the skin; empty where it has no sides
  std::shared_ptr<const mesh::WeldedSurface> partner_of = nullptr;
  int partner_skin = -1;
  std::vector<int> partner_joints = {};  ///< of that skin

  std::optional<render::VertexHit> hit = {};  ///< under the mouse

  std::weak_ptr<const rig::Character> counted = {};  ///< whose vertices have at most `most` influences
  int most = 0;

  // Of a stroke or a pull.
  bool busy = false;
  int stroke_limit = 0;                                      ///< brush_limit() when it began
  std::shared_ptr<const rig::Character> began_on = nullptr;  ///< the weights then
  bool met_locks = false;                                    ///< it came over weight of a locked joint
  Shared<rig::Skeleton> busy_on = {};                        ///< of the character: another one ends it
  bool pulling = false;
  bool was_pull = false;  ///< of the last one that has ended
  bool is_line = false;
  int mesh = -1;
  int mesh_node = -1;
  int joint = -1;
  mesh::DabMode dab_mode = mesh::DabMode::kAdd;
  mesh::StrokeSpacing spacing = {};
  std::optional<mesh::Stroke> stroke = {};
  std::uint32_t nearest = 0;         ///< the place that the last dab was nearest to
  glm::vec3 grabbed = glm::vec3(0);  ///< by a pull, and where a line begins; world
  glm::vec3 line_end = glm::vec3(0);
  bool line_reversed = false;                                 ///< by Ctrl, when it began
  std::shared_ptr<const rig::Character> drag_from = nullptr;  ///< whose weights a pull or a line changes
  std::vector<std::uint32_t> places = {};
  std::vector<float> amounts = {};
  int pulled_mesh = -1;  ///< whose `places` are
  std::shared_ptr<const mesh::WeldedSurface> pulled_surface = nullptr;
  std::vector<edit::PullTo> kept_goals = {};  ///< of a pull, besides the present pose

  std::vector<KeptMeasure> kept = {};  ///< by kept pose of the document

  // While F is held.
  bool resizing = false;
  bool resized = false;
  glm::vec2 resize_at = glm::vec2(0);
  float resize_from = 0;
};

/// Whether a brush is in the hand: the left button paints or pulls on the skin.
bool paints(const Desk& desk);
bool pulls(const Desk& desk);

/// What Shift and Ctrl make of the chosen mode.
const BrushMode& brush_in_hand(const BrushTool& tool);
/// Which of its settings says that what faces away is left alone.
bool BrushTool::*front_setting(const BrushTool& tool, const Desk& desk);
/// Whether another character, or another version of it, has come since the button went down.
bool is_brush_lost(const BrushTool& tool, const Desk& desk);

/// The joint whose weights are painted, -1: none.
int painted_joint(const Desk& desk);

/// Influences that a touched vertex keeps at most, 0: any number. What was set, else as many as a vertex of the
/// character has now or the file has a place for, but no fewer than the last binding allowed, or four. While a brush is
/// busy, as when it began.
int brush_limit(BrushTool& tool, const Desk& desk);
/// The same for edit::PaintWeights::limit: where nobody set it, each vertex keeps what it has or its file has a place
/// for.
int limit_of_edits(const BrushTool& tool);

/// Finds what lies under the mouse.
void hover_brush(BrushTool& tool, glm::vec2 at, Desk& desk);
/// Begins a stroke, or a pull, on what is under the mouse; false where nothing is.
bool begin_brush(BrushTool& tool, glm::vec2 pressed_at, Desk& desk);
/// In every picture while the button is down.
void drag_brush(BrushTool& tool, Desk& desk);
void end_brush(BrushTool& tool);
/// In the picture after a stroke: says so where it changed nothing because of locks.
void say_what_locks_kept(BrushTool& tool, Desk& desk);
/// Shows the weights of the joint that is painted, unless weights are shown already.
void show_painted(int joint, Desk& desk);
/// F went down over the picture: dragging then makes the brush larger or smaller. False where no brush is in the hand.
bool begin_resizing(BrushTool& tool, Desk& desk);

/// Makes all selected vertices of the meshes, or all of them, the value: what the mode Replace does, everywhere.
void fill_selected(BrushTool& tool, Desk& desk);
/// The joint that moves what is under the mouse most becomes the one that is painted.
void pick_painted_joint(Desk& desk);

/// Locks the joint that moves what is under the mouse most, or lets it go.
void lock_joint_under_mouse(Desk& desk);

/// The circle of the brush on the skin, and while a vertex is pulled what it can reach.
void draw_brush(BrushTool& tool, const Projector& project, Desk& desk);

}  // namespace pelt::ui
