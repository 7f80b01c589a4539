#include "ui/volume_jobs.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include <imgui.h>

#include "core/text.h"
#include "rig/skin_sides.h"
#include "ui/bind_panel.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {

using bind::Volume;

namespace {

constexpr std::chrono::milliseconds kSamePicture(12);  // for weights of the very volumes that are drawn
constexpr std::chrono::seconds kVolumePatience(120);   // for pictures, of machines that are busy

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
    return make_volume_work(character, request, numbers);
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

void cancel_mesh_volume(VolumeHandles& handles) {
  if (handles.shaping != nullptr) {
    handles.shaping->cancel();
  }
  handles.shaped_from.reset();
}

// A mesh that has become a volume takes the place of those of its joint.
void put_mesh_volume(VolumeHandles& handles, const bind::JointVolume& volume, const Desk& desk) {
  if (handles.work == nullptr || !is_about(*handles.work, *edit::own_character(desk.document()))) {
    return;
  }
  const VolumeWork& work = *handles.work;
  const auto& bones = work.problem->problem.bones;
  const auto found = std::ranges::find(bones, volume.joint, &bind::Bone::joint);
  if (found == bones.end()) {  // it was taken out of those that deform meanwhile
    handles.error = printable(desk.character().skeleton->label(volume.joint)) + ": the joint of a volume has to deform";
    handles.is_error = true;
    return;
  }
  std::vector<bind::JointVolume> now = volumes_by_hand(handles, desk);
  const auto put = [&](const bind::JointVolume& one) {
    std::erase_if(now, [&](const bind::JointVolume& other) { return other.joint == one.joint; });
    now.push_back(one);
  };
  put(volume);
  const auto bone = static_cast<std::size_t>(found - bones.begin());
  const int partner = work.partner[bone];
  if (handles.symmetric && work.mirror && partner >= 0 && static_cast<std::size_t>(partner) != bone) {
    const auto& [normal, offset] = *work.mirror;
    const auto& from_joint = work.problem->bind_from_joint;
    const int other = bones[static_cast<std::size_t>(partner)].joint;
    const Volume here = bind::placed(volume, bone, from_joint[static_cast<std::size_t>(volume.joint)]);
    put(bind::on_joint(bind::mirrored(here, static_cast<std::size_t>(partner), normal, offset), other,
                       from_joint[static_cast<std::size_t>(other)]));
  }
  std::ranges::stable_sort(now, {}, &bind::JointVolume::joint);
  handles.wish = std::move(now);
  handles.merge_key.clear();
}

void take_mesh_volume(VolumeHandles& handles, const Desk& desk) {
  if (handles.shaping == nullptr || handles.dragging || handles.ending) {
    return;  // a drag goes on from the volumes that it found, and its step ends first
  }
  const std::size_t step = desk.document().history.cursor();
  if (step < handles.shaped_from.value_or(step)) {
    handles.shaping->cancel();  // what it was asked of was undone meanwhile
  }
  handles.shaped_from = handles.shaping->active() ? std::optional(handles.shaped_from.value_or(step)) : std::nullopt;
  if (handles.patient && handles.shaping->active()) {
    handles.shaping->wait(kVolumePatience);
  }
  if (const std::optional<VolumeHandles::Shaped> made = handles.shaping->take()) {
    handles.is_error = !*made;
    handles.error = *made ? (*made)->shape->remark() : made->error().message;
    if (*made) {
      put_mesh_volume(handles, **made, desk);
    }
  } else if (handles.shaping->failed()) {
    handles.error = "not enough memory for the mesh of a volume";
    handles.is_error = true;
    handles.shaping->cancel();
  }
}

void start_live(VolumeHandles& handles, edit::BindSkin change, Desk& desk) {
  if (handles.binding == nullptr) {
    handles.binding = std::make_unique<JobSlot<std::shared_ptr<const VolumeBinding>>>(
        desk.workspace.jobs, Jobs::Kind::kLive, "Weights of volumes");
  }
  handles.sent = std::exchange(handles.wish, std::nullopt);
  handles.file = desk.document().file;
  handles.step = desk.document().history.cursor();
  change.request.volumes = *handles.sent;
  VolumeBinding now;
  now.work = handles.work;
  now.character = edit::own_character(desk.document());
  now.locked = desk.document().content.locked_joints;
  now.volumes = placed_volumes(*handles.work, *handles.sent);
  now.change = std::move(change);
  std::shared_ptr<const VolumeBinding> before = handles.live;
  if (before == nullptr || !goes_on_from(*before, now)) {
    before = nullptr;
  }
  handles.binding->start([now = std::move(now), before](const Progress& progress) {
    const auto made = bound_by_volumes(now, before, progress);
    return made != nullptr ? std::optional(made) : std::nullopt;
  });
  handles.binding->wait(handles.patient ? std::chrono::milliseconds(kVolumePatience) : kSamePicture);
}

// What a job has made, into the document.
bool take_live(VolumeHandles& handles, Desk& desk) {
  std::optional<std::shared_ptr<const VolumeBinding>> made = handles.binding->take();
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
  handles.live = std::make_shared<VolumeBinding>(**made);
  handles.live->is_in_document = false;
  edit::BindSkin change = handles.live->change;
  change.made = handles.live->made;
  desk.change(std::move(change), handles.merge_key);
  return true;
}

// In the picture after the document has taken it: what it has now is what the next ones begin with.
void note_document(VolumeHandles& handles, const Desk& desk) {
  VolumeBinding* const live = handles.live.get();
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

}  // namespace

const std::vector<bind::JointVolume>& volumes_by_hand(const VolumeHandles& handles, const Desk& desk) {
  const bool waits = handles.binding != nullptr && handles.binding->active();
  const VolumeBinding* const live = handles.live.get();
  return handles.wish                               ? *handles.wish
         : waits && handles.sent                    ? *handles.sent
         : live != nullptr && !live->is_in_document ? live->change.request.volumes
                                                    : desk.document().content.volumes->of_joints;
}

void forget_wish(VolumeHandles& handles) {
  handles.wish.reset();
  handles.sent.reset();
  if (handles.binding != nullptr) {
    handles.binding->cancel();
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
  cancel_mesh_volume(handles);
}

void follow_volumes(VolumeHandles& handles, Desk& desk) {
  if (pressed(ImGuiKey_Escape) && desk.workspace.before_drag) {
    forget_wish(handles);  // a slider's drag is taken back: weights that are still to come are none any more
  }
  if (handles.work != nullptr && !is_about(*handles.work, *edit::own_character(desk.document()))) {
    forget_volume_work(handles);
  }
  const BindPanel& panel = desk.workspace.panel<BindPanel>();
  if (!panel.binder.empty() && panel.binder != edit::kVolumesBinder) {  // what is still to come was asked of this one
    if (handles.wish || handles.ending) {
      forget_wish(handles);
    }
    cancel_mesh_volume(handles);
  }
  note_document(handles, desk);
  take_prepared(handles);
  take_mesh_volume(handles, desk);
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

void change_volumes(VolumeHandles& handles, const std::map<std::size_t, bind::Volume>& changes,
                    const std::string& merge_key, const Desk& desk) {
  if (handles.work == nullptr) {
    return;
  }
  cancel_mesh_volume(handles);  // the newest choice counts
  const std::vector<Volume> shown = shown_volumes(handles, desk);
  handles.wish = with_changes(*handles.work, volumes_by_hand(handles, desk), shown,
                              handles.symmetric ? on_both_sides(*handles.work, shown, changes) : changes);
  handles.merge_key = merge_key;
}

void take_mesh_as_volume(Workspace& workspace, std::function<VolumeHandles::Opened(const Progress&)> open, int mesh,
                         const std::string& name, int joint) {
  VolumeHandles& handles = workspace.panel<VolumeHandles>();
  if (handles.work == nullptr) {
    return;
  }
  if (handles.shaping == nullptr) {
    handles.shaping =
        std::make_unique<JobSlot<VolumeHandles::Shaped>>(workspace.jobs, Jobs::Kind::kAsked, "Making a volume");
  }
  handles.error.clear();
  handles.shaped_from.reset();
  handles.shaping->start([open = std::move(open), mesh, name, joint,
                          work = handles.work](const Progress& progress) -> std::optional<VolumeHandles::Shaped> {
    const VolumeHandles::Opened of = open(progress);
    if (!of) {
      return VolumeHandles::Shaped(of.error());
    }
    if (!report(progress, 0.5f, "Inside and outside")) {
      return std::nullopt;
    }
    return bind::volume_of_surface(name, bind::rest_surface(**of, mesh), *work->character, *work->problem, joint);
  });
}

void open_volume(Workspace& workspace, const std::string& file,
                 std::function<VolumeHandles::Opened(const Progress&)> open) {
  take_mesh_as_volume(workspace, std::move(open), -1, std::filesystem::path(file).filename().string(),
                      workspace.panel<VolumeHandles>().opened_for);
}

void fit_volumes_again(VolumeHandles& handles, int joint, const Desk& desk) {
  cancel_mesh_volume(handles);
  std::vector<bind::JointVolume> kept = volumes_by_hand(handles, desk);
  const std::vector<int> mirrored = rig::mirrored_joints(desk.character().skeleton);
  const int partner = joint >= 0 && handles.symmetric ? mirrored[static_cast<std::size_t>(joint)] : joint;
  std::erase_if(kept,
                [&](const bind::JointVolume& one) { return joint < 0 || one.joint == joint || one.joint == partner; });
  handles.wish = std::move(kept);
  handles.merge_key.clear();
}

}  // namespace pelt::ui
