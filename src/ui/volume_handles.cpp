#include "ui/volume_handles.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <imgui.h>

#include "core/index.h"
#include "core/text.h"
#include "rig/skin_sides.h"
#include "ui/bind_panel.h"
#include "ui/picture_text.h"
#include "ui/tools.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

using bind::Volume;
using bind::VolumeKind;

constexpr float kHandleReach = 10;                     // layout units round a handle
constexpr float kLineReach = 6;                        // layout units beside a line
constexpr double kMirrorTolerance = 0.05;              // diagonals: what of a pose still has two sides
constexpr double kLeastVolume = 1e-4;                  // diagonals: no size is dragged below it
constexpr std::chrono::milliseconds kSamePicture(12);  // for weights of the very volumes that are drawn
constexpr std::chrono::seconds kVolumePatience(120);   // for pictures, of machines that are busy
constexpr const char* kVolumeMerge = "volumes";

struct PartPoint {
  VolumePart part;
  glm::dvec3 at;
  glm::dvec3 way = {};  // of sizes: unit, in which they grow
};

// Where a volume can be taken, in the space of the problem. @param eye  the way towards the eye, there
std::vector<PartPoint> part_points(const Volume& volume, const glm::dvec3& eye) {
  const glm::dvec3 x = volume.axes[0];
  const glm::dvec3 aside = glm::cross(x, eye);
  const glm::dvec3 side = glm::length(aside) > 1e-6 ? glm::normalize(aside) : volume.axes[1];
  const glm::dvec3 head = volume.center - volume.half.x * x;
  const glm::dvec3 tail = volume.center + volume.half.x * x;
  switch (volume.kind) {
    case VolumeKind::kSphere:
      return {{VolumePart::kCenter, volume.center},
              {VolumePart::kHeadRadius, volume.center + volume.half.x * side, side}};
    case VolumeKind::kMesh:
      return {{VolumePart::kCenter, volume.center}, {VolumePart::kHead, head}, {VolumePart::kTail, tail}};
    case VolumeKind::kEllipsoid:
    case VolumeKind::kBox:
      return {{VolumePart::kHead, head},
              {VolumePart::kTail, tail},
              {VolumePart::kSideY, volume.center + volume.half.y * volume.axes[1], volume.axes[1]},
              {VolumePart::kSideZ, volume.center + volume.half.z * volume.axes[2], volume.axes[2]}};
    default: {
      const double at_tail = volume.kind == VolumeKind::kCapsule ? volume.tail_radius : volume.head_radius;
      return {{VolumePart::kHead, head},
              {VolumePart::kTail, tail},
              {VolumePart::kHeadRadius, head + volume.head_radius * side, side},
              {VolumePart::kTailRadius, tail + at_tail * side, side}};
    }
  }
}

// The volume with one part moved. @param grown  along the way of a size
Volume moved(const Volume& volume, VolumePart part, const glm::dvec3& by, double grown, double least) {
  Volume out = volume;
  const glm::dvec3 along = volume.half.x * volume.axes[0];
  const auto size = [&](double before) { return std::max(before + grown, least); };
  switch (part) {
    case VolumePart::kCenter:
      out.center += by;
      break;
    case VolumePart::kHead:
      return bind::between(volume, volume.center - along + by, volume.center + along);
    case VolumePart::kTail:
      return bind::between(volume, volume.center - along, volume.center + along + by);
    case VolumePart::kHeadRadius:
      (volume.kind == VolumeKind::kSphere ? out.half.x : out.head_radius) =
          size(volume.kind == VolumeKind::kSphere ? volume.half.x : volume.head_radius);
      break;
    case VolumePart::kTailRadius:
      (volume.kind == VolumeKind::kCapsule ? out.tail_radius : out.head_radius) =
          size(volume.kind == VolumeKind::kCapsule ? volume.tail_radius : volume.head_radius);
      break;
    case VolumePart::kSideY:
      out.half.y = size(volume.half.y);
      break;
    case VolumePart::kSideZ:
      out.half.z = size(volume.half.z);
      break;
    case VolumePart::kNone:
      break;
  }
  return out;
}

const char* part_name(VolumePart part) {
  constexpr std::array kNames = {"none", "center", "head", "tail", "head_radius", "tail_radius", "side_y", "side_z"};
  return kNames[static_cast<std::size_t>(part)];
}

int joint_of_volume(const VolumeHandles& handles, const Volume& volume) {
  return handles.work->problem->problem.bones[volume.bone].joint;
}

// Volumes move with the joint that they hang on, as a vertex does that follows it alone.
glm::dmat4 world_from_volume(const VolumeHandles& handles, const Volume& volume, const Desk& desk) {
  const int joint = joint_of_volume(handles, volume);
  return glm::dmat4(desk.scene.world[static_cast<std::size_t>(joint)]) *
         handles.work->joint_from_space[static_cast<std::size_t>(joint)];
}

glm::vec3 in_world(const glm::dmat4& world, const glm::dvec3& at) {
  return glm::vec3(world * glm::dvec4(at, 1.0));
}

std::vector<PartPoint> parts_seen(const VolumeHandles& handles, const Volume& volume, const Desk& desk) {
  const glm::dmat4 world = world_from_volume(handles, volume, desk);
  const glm::dvec3 eye(towards_eye(desk, in_world(world, volume.center)));
  const glm::dmat3 linear(world);
  return part_points(volume, std::abs(glm::determinant(linear)) > 0 ? glm::inverse(linear) * eye : eye);
}

bool is_selected(const VolumeHandles& handles, const Volume& volume, const Desk& desk) {
  const std::vector<int>& joints = desk.document().view.selected_joints;
  return std::ranges::find(joints, joint_of_volume(handles, volume)) != joints.end();
}

// Calls body(at) for the pixels of each run of its lines, and of each line between.
template <typename Body>
void for_lines(const VolumeHandles& handles, const Volume& volume, const Projector& project, const Desk& desk,
               const Body& body) {
  const glm::dmat4 world = world_from_volume(handles, volume, desk);
  for (const std::vector<glm::dvec3>& run : bind::outlines(volume)) {
    std::optional<glm::vec2> last;
    for (const glm::dvec3& point : run) {
      const std::optional<glm::vec2> here = project(in_world(world, point));
      if (last && here) {
        body(*last, *here);
      }
      last = here;
    }
  }
}

// A mesh of a file that was opened becomes the volume of the joint it was asked for.
void take_opened(VolumeHandles& handles, const Desk& desk) {
  if (handles.opening == nullptr) {
    return;
  }
  if (handles.patient && handles.opening->active()) {
    handles.opening->wait(kVolumePatience);
  }
  if (std::optional<VolumeHandles::Opened> opened = handles.opening->take()) {
    if (*opened) {
      take_character_as_volume(handles, ***opened, -1, std::filesystem::path(handles.opened_file).filename().string(),
                               handles.opened_for, desk);
    } else {
      handles.error = opened->error().message;
      handles.is_error = true;
    }
  } else if (handles.opening->failed()) {
    handles.error = "not enough memory to open the file of a volume";
    handles.is_error = true;
    handles.opening->cancel();
  }
}

// By hand in the document, or what is about to be.
const std::vector<bind::JointVolume>& by_hand(const VolumeHandles& handles, const Desk& desk) {
  const bool waits = handles.binding != nullptr && handles.binding->active();
  const VolumeHandles::Live* const live = handles.live.get();
  return handles.wish                               ? *handles.wish
         : waits && handles.sent                    ? *handles.sent
         : live != nullptr && !live->is_in_document ? live->change.request.volumes
                                                    : desk.document().content.volumes->of_joints;
}

std::vector<Volume> placed_volumes(const VolumeWork& work, std::span<const bind::JointVolume> volumes) {
  std::vector<Volume> placed;
  for (std::size_t b = 0; b < work.problem->problem.bone_count(); ++b) {
    const int joint = work.problem->problem.bones[b].joint;
    for (const bind::JointVolume& volume : volumes) {
      if (volume.joint == joint) {
        placed.push_back(bind::placed(volume, b, work.problem->bind_from_joint[static_cast<std::size_t>(joint)]));
      }
    }
  }
  return bind::with_volumes_by_hand(work.fitted, placed);
}

bool has_same_surface(const rig::Character& of, const rig::Character& character) {
  return of.meshes.size() == character.meshes.size() &&
         std::ranges::equal(of.meshes, character.meshes, [](const mesh::Mesh& one, const mesh::Mesh& other) {
           return std::ranges::equal(one.primitives, other.primitives,
                                     [](const mesh::Primitive& a, const mesh::Primitive& b) {
                                       return a.positions.is(b.positions) && a.indices.is(b.indices);
                                     });
         });
}

bool is_work_of(const VolumeWork& work, const rig::Character& character, std::span<const int> joints,
                const bind::ContainmentNumbers& numbers) {
  const rig::Character& of = *work.character;
  const bool same_places = of.skins.is(character.skins) && of.mesh_nodes.is(character.mesh_nodes) &&
                           edit::same_joints(of.skeleton, character.skeleton);
  if (!same_places || !std::ranges::equal(work.joints, joints) || work.numbers.kind != numbers.kind ||
      work.numbers.size != numbers.size) {
    return false;
  }
  return has_same_surface(of, character);
}

void find_sides(VolumeWork& work) {
  const bind::Problem& problem = work.problem->problem;
  const std::vector<int> mirrored = rig::mirrored_joints(work.character->skeleton);
  std::vector<std::optional<glm::dvec3>> heads;
  for (const bind::Bone& bone : problem.bones) {
    heads.emplace_back(bone.head);
    const auto found =
        std::ranges::find(problem.bones, mirrored[static_cast<std::size_t>(bone.joint)], &bind::Bone::joint);
    work.partner.push_back(found == problem.bones.end() ? -1 : static_cast<int>(found - problem.bones.begin()));
  }
  if (const auto plane = rig::mirror_plane(heads, work.partner, kMirrorTolerance * problem.diagonal)) {
    work.mirror = {plane->normal, plane->offset};
  }
}

VolumeHandles::Prepared make_work(const std::shared_ptr<const rig::Character>& character, const bind::Request& request,
                                  const bind::ContainmentNumbers& numbers) {
  PELT_TRY_TO(bind::CharacterProblem problem, bind::make_problem(*character, request));
  auto work = std::make_shared<VolumeWork>(std::move(problem));
  work->character = character;
  work->joints = request.joints;
  work->numbers = numbers;
  work->fitted = bind::fitted_volumes(work->problem->problem, numbers.kind, numbers.size);
  for (const glm::dmat4& from_joint : work->problem->bind_from_joint) {
    const bool is_flat = !(std::abs(glm::determinant(glm::dmat3(from_joint))) > 0);
    work->joint_from_space.push_back(is_flat ? glm::dmat4(1.0) : glm::inverse(from_joint));
  }
  find_sides(*work);
  return std::shared_ptr<const VolumeWork>(std::move(work));
}

// Fits volumes to the character as the panel says it, unless these are there.
void prepare(VolumeHandles& handles, const edit::BindSkin& change, Desk& desk) {
  const std::shared_ptr<const rig::Character> character = edit::own_character(desk.document());
  const bind::ContainmentNumbers numbers = edit::volumes_of(change).numbers;
  const auto is_it = [&](const std::shared_ptr<const VolumeWork>& work) {
    return work != nullptr && is_work_of(*work, *character, change.request.joints, numbers);
  };
  if (handles.preparing == nullptr) {
    handles.preparing =
        std::make_unique<JobSlot<VolumeHandles::Prepared>>(desk.workspace.jobs, Jobs::Kind::kLive, "Fitting volumes");
  }
  if (is_it(handles.work) || is_it(handles.asked)) {
    return;
  }
  auto asked = std::make_shared<VolumeWork>(bind::CharacterProblem{});
  asked->character = character;
  asked->joints = change.request.joints;
  asked->numbers = numbers;
  handles.asked = std::move(asked);
  handles.error.clear();
  bind::Request request = change.request;
  request.volumes.clear();
  handles.preparing->start([character, request, numbers](const Progress&) -> std::optional<VolumeHandles::Prepared> {
    return make_work(character, request, numbers);
  });
  handles.preparing->wait(handles.patient ? std::chrono::milliseconds(kVolumePatience) : kSamePicture);
}

void take_prepared(VolumeHandles& handles) {
  if (handles.preparing == nullptr || handles.dragging) {
    return;  // what is dragged is of those before
  }
  if (handles.patient && handles.preparing->active()) {
    handles.preparing->wait(kVolumePatience);
  }
  if (std::optional<VolumeHandles::Prepared> made = handles.preparing->take()) {
    handles.hovered = -1;
    handles.work = *made ? **made : nullptr;
    handles.error = *made ? std::string() : made->error().message;
    handles.is_error = !*made;
  } else if (handles.preparing->failed()) {
    handles.error = "not enough memory to fit volumes";
    handles.preparing->cancel();
  }
}

// Whether the rows that a character has are those of the volumes before, so that few of them can change.
bool goes_on_from(const VolumeHandles::Live& before, const VolumeHandles::Live& now) {
  return before.is_in_document && before.work == now.work && before.character == now.character &&
         before.volumes.size() == now.volumes.size() && before.change.values == now.change.values &&
         before.change.limit == now.change.limit && before.change.joints == now.change.joints &&
         before.change.vertices == now.change.vertices && before.locked == now.locked &&
         std::ranges::equal(before.volumes, now.volumes, {}, &Volume::bone, &Volume::bone);
}

std::shared_ptr<const VolumeHandles::Live> bound_by_volumes(VolumeHandles::Live now,
                                                            const std::shared_ptr<const VolumeHandles::Live>& before,
                                                            const Progress& progress) {
  const bind::Containment how = bind::containment_numbers(now.change.values).how;
  const bind::ContainmentSolver& solver = now.work->solver;
  std::optional<bind::ContainedPlaces> places =
      before != nullptr ? solver.places_after(*before->places, before->volumes, now.volumes, how, progress)
                        : solver.places(now.volumes, how, progress);
  if (!places) {
    return nullptr;
  }
  auto made = std::make_shared<edit::MadeBinding>();
  made->character = now.character;
  made->problem = now.work->problem;
  made->binding = solver.binding(*places, how);
  if (before != nullptr) {
    const bind::Rows& was = before->made->binding.rows;
    std::vector<std::uint32_t>& changed = made->changed.emplace();
    for (std::uint32_t w = 0; w < was.size(); ++w) {
      if (!std::ranges::equal(was[w], made->binding.rows[w])) {
        changed.push_back(w);
      }
    }
  }
  now.places = std::make_shared<const bind::ContainedPlaces>(*std::move(places));
  now.made = std::move(made);
  return std::make_shared<const VolumeHandles::Live>(std::move(now));
}

void start_live(VolumeHandles& handles, edit::BindSkin change, Desk& desk) {
  if (handles.binding == nullptr) {
    handles.binding = std::make_unique<JobSlot<std::shared_ptr<const VolumeHandles::Live>>>(
        desk.workspace.jobs, Jobs::Kind::kLive, "Weights of volumes");
  }
  handles.sent = std::exchange(handles.wish, std::nullopt);
  handles.file = desk.document().file;
  handles.step = desk.document().history.cursor();
  change.request.volumes = *handles.sent;
  VolumeHandles::Live now;
  now.work = handles.work;
  now.character = edit::own_character(desk.document());
  now.locked = desk.document().content.locked_joints;
  now.volumes = placed_volumes(*handles.work, *handles.sent);
  now.change = std::move(change);
  std::shared_ptr<const VolumeHandles::Live> before = handles.live;
  if (before == nullptr || !goes_on_from(*before, now)) {
    before = nullptr;
  }
  handles.binding->start([now = std::move(now), before](const Progress& progress) {
    const auto made = bound_by_volumes(now, before, progress);
    return made != nullptr ? std::optional(made) : std::nullopt;
  });
  handles.binding->wait(handles.patient ? std::chrono::milliseconds(kVolumePatience) : kSamePicture);
}

void forget_wish(VolumeHandles& handles) {
  handles.wish.reset();
  handles.sent.reset();
  if (handles.binding != nullptr) {
    handles.binding->cancel();
  }
}

// What a job has made, into the document.
bool take_live(VolumeHandles& handles, Desk& desk) {
  std::optional<std::shared_ptr<const VolumeHandles::Live>> made = handles.binding->take();
  const edit::Document& document = desk.document();
  if (made && (handles.file != document.file || document.history.cursor() < handles.step)) {
    forget_wish(handles);  // the step that it goes on from was undone meanwhile, or it is another file
    handles.ending = false;
    return false;
  }
  if (!made) {
    if (handles.binding->failed()) {
      handles.error = "not enough memory for the weights of volumes";
      handles.binding->cancel();
    }
    return false;
  }
  handles.live = std::make_shared<VolumeHandles::Live>(**made);
  handles.live->is_in_document = false;
  edit::BindSkin change = handles.live->change;
  change.made = handles.live->made;
  desk.change(std::move(change), handles.merge_key);
  return true;
}

// In the picture after the document has taken it: what it has now is what the next ones begin with.
void note_document(VolumeHandles& handles, const Desk& desk) {
  VolumeHandles::Live* const live = handles.live.get();
  if (live == nullptr || live->is_in_document) {
    return;
  }
  if (desk.document().content.volumes->of_joints == live->change.request.volumes) {
    live->is_in_document = true;
    handles.step = desk.document().history.cursor();
    live->character = edit::own_character(desk.document());
  } else {
    handles.live.reset();  // it was refused
  }
}

// Which of the volumes shown is the mirror image of another one; -1 where none is.
int partner_of(const VolumeWork& work, std::span<const Volume> shown, std::size_t volume) {
  const int bone = work.partner[shown[volume].bone];
  if (bone < 0 || !work.mirror) {
    return -1;
  }
  const auto& [normal, offset] = *work.mirror;
  const glm::dvec3 image = bind::mirrored(shown[volume], 0, normal, offset).center;
  int best = -1;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < shown.size(); ++k) {
    const double distance = glm::distance(shown[k].center, image);
    if (shown[k].bone == static_cast<std::size_t>(bone) && distance < least) {
      least = distance;
      best = static_cast<int>(k);
    }
  }
  return best == static_cast<int>(volume) ? -1 : best;
}

// The volumes by hand with some of those shown changed: all of a bone are by hand from then on.
std::vector<bind::JointVolume> with_changes(const VolumeWork& work, std::span<const bind::JointVolume> before,
                                            std::span<const Volume> shown,
                                            const std::map<std::size_t, Volume>& changes) {
  std::set<std::size_t> bones;
  for (const auto& [k, volume] : changes) {
    bones.insert(shown[k].bone);
  }
  std::vector<bind::JointVolume> out(before.begin(), before.end());
  for (const std::size_t bone : bones) {
    const int joint = work.problem->problem.bones[bone].joint;
    const glm::dmat4& from_joint = work.problem->bind_from_joint[static_cast<std::size_t>(joint)];
    std::vector<bind::JointVolume> stored;
    std::ranges::copy_if(before, std::back_inserter(stored), [&](const auto& one) { return one.joint == joint; });
    std::erase_if(out, [&](const auto& one) { return one.joint == joint; });
    std::size_t nth = 0;
    for (std::size_t k = 0; k < shown.size(); ++k) {
      if (shown[k].bone != bone) {
        continue;
      }
      const auto changed = changes.find(k);
      out.push_back(changed != changes.end() ? bind::on_joint(changed->second, joint, from_joint)
                    : nth < stored.size()    ? stored[nth]
                                             : bind::on_joint(shown[k], joint, from_joint));
      ++nth;
    }
  }
  std::ranges::stable_sort(out, {}, &bind::JointVolume::joint);
  return out;
}

// With those of the other side.
std::map<std::size_t, Volume> on_both_sides(const VolumeHandles& handles, std::span<const Volume> shown,
                                            std::map<std::size_t, Volume> changes) {
  if (!handles.symmetric || !handles.work->mirror) {
    return changes;
  }
  const auto& [normal, offset] = *handles.work->mirror;
  const std::map<std::size_t, Volume> asked = changes;
  for (const auto& [k, volume] : asked) {
    const int other = partner_of(*handles.work, shown, k);
    if (other >= 0) {
      changes.try_emplace(static_cast<std::size_t>(other),
                          bind::mirrored(volume, shown[static_cast<std::size_t>(other)].bone, normal, offset));
    }
  }
  return changes;
}

// Where the ray through a pixel meets the plane that the handle was taken in.
glm::vec3 in_handle_plane(const VolumeHandles& handles, const Desk& desk, glm::vec2 at) {
  const render::Ray ray = ray_at(desk, at);
  const float slope = glm::dot(ray.direction, handles.facing);
  if (std::abs(slope) < 1e-4f) {
    return handles.start;
  }
  return ray.origin + glm::dot(handles.start - ray.origin, handles.facing) / slope * ray.direction;
}

// Of other joints than the character has by now nothing can be drawn, and nothing bound of another surface.
bool is_about(const VolumeWork& work, const Desk& desk) {
  const rig::Character& now = *edit::own_character(desk.document());
  return edit::same_joints(work.character->skeleton, now.skeleton) && has_same_surface(*work.character, now);
}

ImU32 line_ink(bool is_hot, bool is_on) {
  return is_hot ? IM_COL32_WHITE : is_on ? color::kAccent : faded(color::kAccent, 0.45f);
}

}  // namespace

VolumeWork::VolumeWork(bind::CharacterProblem of) : problem(std::move(of)), solver(problem->problem) {}

bool shows_volumes(Desk& desk) {
  BindPanel& panel = desk.workspace.panel<BindPanel>();
  return desk.workspace.tab == kBindTab && desk.workspace.mode == "weights" &&
         !edit::own_character(desk.document())->meshes.empty() && why_not_bind(panel, desk).empty() &&
         panel.binder == edit::kVolumesBinder;
}

bool drags_volumes(Desk& desk) {
  const std::shared_ptr<const VolumeWork>& work = desk.workspace.panel<VolumeHandles>().work;
  return current_tool(desk.workspace).id == kSelectTool && work != nullptr && is_about(*work, desk) &&
         shows_volumes(desk);
}

std::vector<bind::Volume> shown_volumes(const VolumeHandles& handles, const Desk& desk) {
  return handles.work != nullptr && is_about(*handles.work, desk)
             ? placed_volumes(*handles.work, by_hand(handles, desk))
             : std::vector<Volume>{};
}

bool hover_volume(VolumeHandles& handles, glm::vec2 at, Desk& desk) {
  const Projector project(desk);
  const std::vector<Volume> shown = shown_volumes(handles, desk);
  const int before = handles.hovered;
  handles.hovered = -1;
  handles.part = VolumePart::kNone;
  float nearest = kHandleReach * desk.theme.scale;
  for (std::size_t k = 0; k < shown.size(); ++k) {
    if (static_cast<int>(k) != before && !is_selected(handles, shown[k], desk)) {
      continue;  // it has no handles
    }
    const glm::dmat4 world = world_from_volume(handles, shown[k], desk);
    for (const PartPoint& point : parts_seen(handles, shown[k], desk)) {
      const auto there = project(in_world(world, point.at));
      if (there && glm::distance(*there, at) < nearest) {
        nearest = glm::distance(*there, at);
        handles.hovered = static_cast<int>(k);
        handles.part = point.part;
      }
    }
  }
  if (handles.part != VolumePart::kNone) {
    return true;
  }
  nearest = kLineReach * desk.theme.scale;
  for (std::size_t k = 0; k < shown.size(); ++k) {
    for_lines(handles, shown[k], project, desk, [&](glm::vec2 a, glm::vec2 b) {
      if (const float distance = distance_to_segment(at, a, b); distance < nearest) {
        nearest = distance;
        handles.hovered = static_cast<int>(k);
      }
    });
  }
  return handles.hovered >= 0;
}

int hovered_volume_joint(const VolumeHandles& handles, const Desk& desk) {
  return joint_of_volume(handles, shown_volumes(handles, desk)[static_cast<std::size_t>(handles.hovered)]);
}

bool begin_volume(VolumeHandles& handles, glm::vec2 pressed_at, Desk& desk) {
  if (!drags_volumes(desk) || !hover_volume(handles, pressed_at, desk) || handles.part == VolumePart::kNone) {
    return false;
  }
  if (handles.ending) {  // the step of the last drag ends first
    return false;
  }
  handles.before = by_hand(handles, desk);
  handles.shown_before = shown_volumes(handles, desk);
  const Volume& volume = handles.shown_before[static_cast<std::size_t>(handles.hovered)];
  const std::vector<PartPoint> points = parts_seen(handles, volume, desk);
  const auto point = std::ranges::find(points, handles.part, &PartPoint::part);
  handles.start = in_world(world_from_volume(handles, volume, desk), point->at);
  handles.way = point->way;
  handles.facing = towards_eye(desk, handles.start);
  handles.grabbed = in_handle_plane(handles, desk, pressed_at);
  handles.dragging = true;
  return true;
}

void drag_volume(VolumeHandles& handles, Desk& desk) {
  if (!handles.dragging || handles.work == nullptr || !has_index(handles.shown_before, handles.hovered)) {
    return;
  }
  const auto k = static_cast<std::size_t>(handles.hovered);
  const Volume& volume = handles.shown_before[k];
  const glm::dmat3 world(world_from_volume(handles, volume, desk));
  if (!(std::abs(glm::determinant(world)) > 0)) {
    return;
  }
  const glm::dvec3 by(in_handle_plane(handles, desk, mouse()) - handles.grabbed);
  // A size grows until its handle, as it is seen, is where the mouse is.
  const glm::dvec3 facing(handles.facing);
  glm::dvec3 seen = world * handles.way;
  seen -= glm::dot(seen, facing) * facing;
  const double length2 = glm::dot(seen, seen);
  const glm::dvec3 way = world * handles.way;
  const double grown = length2 > 0.02 * glm::dot(way, way) ? glm::dot(by, seen) / length2 : 0.0;
  const double least = kLeastVolume * handles.work->problem->problem.diagonal;
  const std::map<std::size_t, Volume> changes = on_both_sides(
      handles, handles.shown_before, {{k, moved(volume, handles.part, glm::inverse(world) * by, grown, least)}});
  handles.wish = with_changes(*handles.work, handles.before, handles.shown_before, changes);
  handles.merge_key = kVolumeMerge;
}

void end_volume(VolumeHandles& handles, bool taken_back) {
  if (!handles.dragging) {
    return;
  }
  handles.dragging = false;
  handles.ending = !taken_back;
  if (taken_back) {
    forget_wish(handles);
  }
}

void forget_volume_work(VolumeHandles& handles) {
  end_volume(handles, true);
  handles.ending = false;
  handles.hovered = -1;
  handles.work.reset();
  handles.asked.reset();
  handles.live.reset();
  handles.opened_for = -1;
  forget_wish(handles);
  if (handles.preparing != nullptr) {
    handles.preparing->cancel();
  }
  if (handles.opening != nullptr) {
    handles.opening->cancel();
  }
}

void follow_volumes(VolumeHandles& handles, Desk& desk) {
  if (pressed(ImGuiKey_Escape) && desk.workspace.before_drag) {
    forget_wish(handles);  // a slider's drag is taken back: weights that are still to come are none any more
  }
  if (handles.work != nullptr && !is_about(*handles.work, desk)) {
    forget_volume_work(handles);
  }
  const BindPanel& panel = desk.workspace.panel<BindPanel>();
  if (!panel.binder.empty() && panel.binder != edit::kVolumesBinder) {  // what is still to come was asked of this one
    if (handles.wish || handles.ending) {
      forget_wish(handles);
    }
    if (handles.opening != nullptr) {
      handles.opening->cancel();
    }
  }
  note_document(handles, desk);
  take_prepared(handles);
  take_opened(handles, desk);
  const bool is_busy = handles.binding != nullptr && handles.binding->active();
  if (shows_volumes(desk) && !handles.dragging && !handles.wish && !is_busy) {
    prepare(handles, wished_binding(desk.workspace.panel<BindPanel>(), desk), desk);
    take_prepared(handles);
  }
  if (is_busy) {
    handles.binding->wait(handles.patient ? std::chrono::milliseconds(kVolumePatience) : kSamePicture);
  }
  const bool has_changed = handles.binding != nullptr && take_live(handles, desk);
  // One at a time: the next begins with what the document has made of this one.
  if (!has_changed && handles.wish && handles.work != nullptr &&
      (handles.binding == nullptr || !handles.binding->active())) {
    start_live(handles, wished_binding(desk.workspace.panel<BindPanel>(), desk), desk);
    take_live(handles, desk);
  }
  const bool goes_on = handles.wish || (handles.binding != nullptr && handles.binding->active());
  if (!goes_on && handles.ending) {
    handles.ending = false;
    desk.requests.end_merge = true;
  }
  desk.requests.next_picture |= goes_on || (handles.preparing != nullptr && handles.preparing->active());
}

void draw_volumes(const VolumeHandles& handles, const Projector& project, Desk& desk) {
  if (handles.work == nullptr || !shows_volumes(desk)) {
    return;
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const std::vector<Volume> shown = shown_volumes(handles, desk);
  const bool takes = drags_volumes(desk);
  const bool is_over = takes && (handles.dragging || desk.workspace.viewport.hovered);
  std::map<int, int> count;  // of each joint's
  for (std::size_t k = 0; k < shown.size(); ++k) {
    const int joint = joint_of_volume(handles, shown[k]);
    const bool is_hot = is_over && handles.hovered == static_cast<int>(k);
    const bool is_on = is_selected(handles, shown[k], desk);
    const ImU32 ink = line_ink(is_hot, is_on);
    for_lines(handles, shown[k], project, desk, [&](glm::vec2 a, glm::vec2 b) {
      list.AddLine(ImVec2(a.x, a.y), ImVec2(b.x, b.y), ink, desk.theme.px(is_hot || is_on ? 1.5f : 1));
    });
    const std::string name = fmt::format("volume.{}.{}", desk.character().skeleton->label(joint), count[joint]++);
    if (!takes || !(is_hot || is_on)) {
      continue;
    }
    const glm::dmat4 world = world_from_volume(handles, shown[k], desk);
    for (const PartPoint& point : parts_seen(handles, shown[k], desk)) {
      if (const auto at = project(in_world(world, point.at))) {
        const bool is_taken = is_hot && handles.part == point.part;
        const bool is_end = point.way == glm::dvec3(0.0);
        const ImVec2 p(at->x, at->y);
        list.AddCircleFilled(p, desk.theme.px(is_taken ? 6.5f : 5), faded(color::kBackground, 0.75f));
        list.AddCircleFilled(p, desk.theme.px(is_taken ? 5 : 3.5f),
                             is_taken ? IM_COL32_WHITE
                             : is_end ? color::kAccent
                                      : color::kWarning);
        desk.report[fmt::format("{}.{}", name, part_name(point.part))] = {p.x - 2, p.y - 2, 4, 4};
      }
    }
    if (is_hot && !is_on) {
      std::vector<Rect> taken;
      if (const auto at = project(in_world(world, shown[k].center))) {
        draw_picture_text(list, desk.theme, *at, printable(desk.character().skeleton->label(joint)), IM_COL32_WHITE,
                          taken, WhereTaken::kStay);
      }
    }
  }
}

void change_volumes(VolumeHandles& handles, const std::map<std::size_t, bind::Volume>& changes,
                    const std::string& merge_key, const Desk& desk) {
  if (handles.work == nullptr) {
    return;
  }
  const std::vector<Volume> shown = shown_volumes(handles, desk);
  handles.wish = with_changes(*handles.work, by_hand(handles, desk), shown, on_both_sides(handles, shown, changes));
  handles.merge_key = merge_key;
}

void take_character_as_volume(VolumeHandles& handles, const rig::Character& of, int mesh, const std::string& name,
                              int joint, const Desk& desk) {
  if (handles.work == nullptr || !is_about(*handles.work, desk)) {
    return;
  }
  const VolumeWork& work = *handles.work;
  const Result<bind::JointVolume> volume = bind::volume_of_surface(
      name, bind::rest_surface(of, mesh), *edit::own_character(desk.document()), *work.problem, joint);
  handles.is_error = !volume;
  handles.error = volume ? volume->shape->remark() : volume.error().message;
  if (!volume) {
    return;
  }
  std::vector<bind::JointVolume> now = by_hand(handles, desk);
  const auto put = [&](const bind::JointVolume& one) {
    std::erase_if(now, [&](const bind::JointVolume& other) { return other.joint == one.joint; });
    now.push_back(one);
  };
  put(*volume);
  const auto& bones = work.problem->problem.bones;
  const std::size_t bone =
      static_cast<std::size_t>(std::ranges::find(bones, joint, &bind::Bone::joint) - bones.begin());
  const int partner = work.partner[bone];
  if (handles.symmetric && work.mirror && partner >= 0 && static_cast<std::size_t>(partner) != bone) {
    const auto& [normal, offset] = *work.mirror;
    const auto& from_joint = work.problem->bind_from_joint;
    const int other = bones[static_cast<std::size_t>(partner)].joint;
    const Volume here = bind::placed(*volume, bone, from_joint[static_cast<std::size_t>(joint)]);
    put(bind::on_joint(bind::mirrored(here, static_cast<std::size_t>(partner), normal, offset), other,
                       from_joint[static_cast<std::size_t>(other)]));
  }
  std::ranges::stable_sort(now, {}, &bind::JointVolume::joint);
  handles.wish = std::move(now);
  handles.merge_key.clear();
}

void open_volume(Workspace& workspace, const std::string& file,
                 std::function<VolumeHandles::Opened(const Progress&)> open) {
  VolumeHandles& handles = workspace.panel<VolumeHandles>();
  if (handles.opening == nullptr) {
    handles.opening =
        std::make_unique<JobSlot<VolumeHandles::Opened>>(workspace.jobs, Jobs::Kind::kAsked, "Opening a volume");
  }
  handles.error.clear();
  handles.opened_file = file;
  handles.opening->start([open = std::move(open)](const Progress& progress) -> std::optional<VolumeHandles::Opened> {
    return open(progress);
  });
}

void fit_volumes_again(VolumeHandles& handles, int joint, const Desk& desk) {
  std::vector<bind::JointVolume> kept = by_hand(handles, desk);
  const std::vector<int> mirrored = rig::mirrored_joints(desk.character().skeleton);
  const int partner = joint >= 0 && handles.symmetric ? mirrored[static_cast<std::size_t>(joint)] : joint;
  std::erase_if(kept,
                [&](const bind::JointVolume& one) { return joint < 0 || one.joint == joint || one.joint == partner; });
  handles.wish = std::move(kept);
  handles.merge_key.clear();
}

}  // namespace pelt::ui
