#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <glm/glm.hpp>

#include "bind/joint_volumes.h"
#include "core/jobs.h"
#include "core/result.h"
#include "ui/viewport_geometry.h"
#include "ui/volume_work.h"

namespace pelt::ui {

struct Desk;

/// Parts of a volume that the mouse can take.
enum class VolumePart : std::uint8_t { kNone, kCenter, kHead, kTail, kHeadRadius, kTailRadius, kSideY, kSideZ };

/// Volumes round the bones while the tab Bind has their binder: lines in the picture, handles that are dragged, and the
/// weights that follow them.
struct VolumeHandles {
  using Prepared = Result<std::shared_ptr<const VolumeWork>>;
  bool symmetric = true;  ///< what is done on one side is done on the other as well
  int chosen = 0;         ///< which of the volumes of the active joint the panel is about
  bool patient = false;   ///< pictures wait for results

  std::shared_ptr<const VolumeWork> work = nullptr;
  std::unique_ptr<JobSlot<Prepared>> preparing = nullptr;
  std::shared_ptr<const VolumeWork> asked = nullptr;  ///< whose surface, joints and numbers are being prepared
  std::string error = {};                             ///< or what is to be said of a mesh
  bool is_error = false;

  using Opened = Result<std::shared_ptr<const rig::Character>>;
  using Shaped = Result<bind::JointVolume>;
  std::unique_ptr<JobSlot<Shaped>> shaping = nullptr;  ///< a mesh that becomes a volume
  std::optional<std::size_t> shaped_from = {};         ///< where the history stood when it began
  int opened_for = -1;                                 ///< the joint that gets that of a file

  int hovered = -1;  ///< of the volumes shown
  VolumePart part = VolumePart::kNone;
  bool dragging = false;
  std::vector<bind::JointVolume> before = {};  ///< by hand, as the drag found them
  std::vector<bind::Volume> shown_before = {};
  glm::vec3 start = {};    ///< of the handle, world
  glm::vec3 grabbed = {};  ///< the point of its plane that the mouse took
  glm::vec3 facing = {};   ///< that plane, unit
  glm::dvec3 way = {};     ///< in which a radius grows, unit, in the space of the problem

  std::optional<std::vector<bind::JointVolume>> wish = {};  ///< by hand, the newest, until a job has it
  std::optional<std::vector<bind::JointVolume>> sent = {};  ///< what the job at work makes, or the last one made
  std::string merge_key = {};
  std::shared_ptr<const rig::Character> file = nullptr;  ///< of the document when the job began
  std::size_t step = 0;                                  ///< and where its history stood
  bool ending = false;                                   ///< the drag is over: the step ends with the last result
  std::unique_ptr<JobSlot<std::shared_ptr<const VolumeBinding>>> binding = nullptr;
  std::shared_ptr<VolumeBinding> live = nullptr;
};

/// Whether they are in the picture: the tab with the binder by volumes is in front, and there is something to bind.
bool shows_volumes(Desk& desk);
/// Whether the mouse can take them: also the tool in the hand is Select.
bool drags_volumes(Desk& desk);
/// All volumes as they are shown, by ascending bone, in the space of the problem. Nothing before they were prepared.
std::vector<bind::Volume> shown_volumes(const VolumeHandles& handles, const Desk& desk);

/// Which volume is under the mouse, and which part of it. Tells whether there is one.
bool hover_volume(VolumeHandles& handles, glm::vec2 at, Desk& desk);
/// The joint whose volume hover_volume() has found. @pre  it found one
int hovered_volume_joint(const VolumeHandles& handles, const Desk& desk);
/// Begins to drag what is under the mouse; false where no handle is.
bool begin_volume(VolumeHandles& handles, glm::vec2 pressed_at, Desk& desk);
void drag_volume(VolumeHandles& handles, Desk& desk);
/// @param taken_back  by Esc
void end_volume(VolumeHandles& handles, bool taken_back);
void draw_volumes(const VolumeHandles& handles, const Projector& project, Desk& desk);

}  // namespace pelt::ui
