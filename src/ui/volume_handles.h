#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <glm/glm.hpp>

#include "bind/joint_volumes.h"
#include "core/jobs.h"
#include "core/result.h"
#include "edit/bind_edits.h"
#include "ui/viewport_geometry.h"

namespace pelt::ui {

struct Desk;
struct Workspace;

/// What stays while volumes are dragged: a surface, its bones, and the volumes that fit it.
struct VolumeWork {
  explicit VolumeWork(bind::CharacterProblem of);
  std::shared_ptr<const rig::Character> character;
  std::vector<int> joints;  ///< that deform
  bind::ContainmentNumbers numbers;
  Shared<bind::CharacterProblem> problem;
  bind::ContainmentSolver solver;
  std::vector<bind::Volume> fitted;
  std::vector<glm::dmat4> joint_from_space;             ///< [J]
  std::vector<int> partner;                             ///< [B] bone on the other side, itself in the middle, -1: none
  std::optional<std::pair<glm::dvec3, double>> mirror;  ///< the plane between both sides: unit normal, offset
};

/// Parts of a volume that the mouse can take.
enum class VolumePart : std::uint8_t { kNone, kCenter, kHead, kTail, kHeadRadius, kTailRadius, kSideY, kSideZ };

/// Volumes round the bones while the tab Bind has their binder: lines in the picture, handles that are dragged, and the
/// weights that follow them.
struct VolumeHandles {
  using Prepared = Result<std::shared_ptr<const VolumeWork>>;
  /// What volumes made of the character, for the next ones to begin with.
  struct Live {
    std::shared_ptr<const VolumeWork> work;
    edit::BindSkin change;        ///< without what was made
    SharedArray<int> locked;      ///< joints
    bool is_in_document = false;  ///< `character` is what the document had after it
    std::shared_ptr<const rig::Character> character;
    std::vector<bind::Volume> volumes;
    std::shared_ptr<const bind::ContainedPlaces> places;
    std::shared_ptr<const edit::MadeBinding> made;
  };

  bool symmetric = true;  ///< what is done on one side is done on the other as well
  int chosen = 0;         ///< which of the volumes of the active joint the panel is about
  bool patient = false;   ///< pictures wait for results

  std::shared_ptr<const VolumeWork> work = nullptr;
  std::unique_ptr<JobSlot<Prepared>> preparing = nullptr;
  std::shared_ptr<const VolumeWork> asked = nullptr;  ///< whose surface, joints and numbers are being prepared
  std::string error = {};                             ///< or what is to be said of a mesh
  bool is_error = false;

  using Opened = Result<std::shared_ptr<const rig::Character>>;
  std::unique_ptr<JobSlot<Opened>> opening = nullptr;  ///< a file whose surface becomes a volume
  std::string opened_file = {};
  int opened_for = -1;  ///< the joint that gets it

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
  std::unique_ptr<JobSlot<std::shared_ptr<const Live>>> binding = nullptr;
  std::shared_ptr<Live> live = nullptr;
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
/// Of another character, or another version of it, all is made anew.
void forget_volume_work(VolumeHandles& handles);
/// Prepares what is shown, and puts the weights of the newest volumes into the document; in every picture.
void follow_volumes(VolumeHandles& handles, Desk& desk);
void draw_volumes(const VolumeHandles& handles, const Projector& project, Desk& desk);

/// Other volumes in place of some of those shown, and of their partners where both sides are alike.
/// @param changes  by their place among shown_volumes()
void change_volumes(VolumeHandles& handles, const std::map<std::size_t, bind::Volume>& changes,
                    const std::string& merge_key, const Desk& desk);
/// A mesh as it lies at rest becomes the only volume of a joint, and in the mirror that of its partner where both sides
/// are alike. What is wrong with it, or to be said of it, stands in `error`.
/// @param mesh  of the character; -1: all of them
void take_character_as_volume(VolumeHandles& handles, const rig::Character& of, int mesh, const std::string& name,
                              int joint, const Desk& desk);
/// The same with all of a file, which `open` reads in the background, for the joint `opened_for`.
void open_volume(Workspace& workspace, const std::string& file,
                 std::function<VolumeHandles::Opened(const Progress&)> open);
/// Those of a joint fit the surface again, of -1: all do.
void fit_volumes_again(VolumeHandles& handles, int joint, const Desk& desk);

}  // namespace pelt::ui
