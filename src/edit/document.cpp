#include "edit/document.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "core/expect.h"
#include "core/index.h"
#include "edit/behaviour_readings.h"
#include "edit/file_behaviour.h"
#include "edit/file_layers.h"
#include "edit/local_transforms.h"
#include "edit/pose_sources.h"
#include "rig/character_parts.h"
#include "rig/clip_changes.h"

namespace pelt::edit {
namespace {

bool same_skin_joints(const rig::Character& a, const rig::Character& b) {
  return a.skins.is(b.skins) || std::ranges::equal(a.skins, b.skins, {}, &rig::Skin::joints, &rig::Skin::joints);
}

std::shared_ptr<const rig::Character> in_scene(const rig::Character& character, int scene) {
  auto copy = std::make_shared<rig::Character>(character);
  rig::show_scene(*copy, scene);
  return copy;
}

class InScene : public ContentMap {
 public:
  explicit InScene(int scene) : scene_(scene) {}

  [[nodiscard]] Content mapped(const Content& content, std::vector<std::string>*) const override {
    Content out = content;
    if (content.character != nullptr) {
      out.character = mapped(content.character);
    }
    return out;
  }
  [[nodiscard]] std::shared_ptr<const rig::Character> mapped(
      const std::shared_ptr<const rig::Character>& character) const {
    return characters_.mapped(character, [&] { return in_scene(*character, scene_); });
  }

 private:
  int scene_;
  MappedCharacters characters_;
};

rig::Pose pose_of_layers(const Document& document, std::span<const rig::Layer> layers) {
  const MotionCache::Prepared prepared = document.motion->prepared(document.content, *document.character);
  return motion::layered_pose(layers, pose_sources(document, prepared));
}

TimeRange with_room(const rig::Clip& clip) {
  return clip.room > 0 ? TimeRange{std::min(clip.start, 0.0f), std::max(clip.end, clip.room)}
                       : TimeRange{clip.start, std::max(clip.start, clip.end)};
}

TimeRange reachable(const rig::Character& character, int number, const TimeSettings& timing) {
  const TimeRange range = with_room(character.clips[number]);
  return timing.has_work_range()
             ? TimeRange{std::min(range.start, timing.work_start), std::max(range.end, timing.work_end)}
             : range;
}

// How many of `count` layers that stand behind `before` others work.
std::size_t working_layers(const Document& document, std::size_t before, std::size_t count) {
  if (document.view.layer_limit < 0) {
    return count;
  }
  const std::size_t limit = document.view.layer_limit;
  return std::min(count, limit - std::min(limit, before));
}

void deformer_layers_take_part(const Document& document, rig::Pose& pose, deform::SkinningSettings& settings) {
  const Content& content = document.content;
  deform::take_part(content.deformer_layers,
                    working_layers(document, content.pose_layers.size(), content.deformer_layers.size()), pose,
                    settings);
}

}  // namespace

Document make_document(std::shared_ptr<const rig::Character> character) {
  PELT_EXPECT(character != nullptr, "a document needs a character");
  Document document;
  FileLayers layers = file_layers(*character);
  document.content.pose_layers = std::move(layers.pose_layers);
  document.content.deformer_layers = std::move(layers.deformer_layers);
  document.content.behaviour = file_behaviour(*character).behaviour;
  document.content.character = character;
  document.file = character;
  document.character = std::move(character);
  return document;
}

void open_character(Document& document, std::shared_ptr<const rig::Character> character) {
  Document fresh = make_document(std::move(character));
  fresh.content.skinning = document.content.skinning;
  fresh.content.panes = std::move(document.content.panes);
  // What a file stores wrongly is looked at in that file; any other would look broken by it.
  fresh.content.skinning.weights_as_stored = false;
  for (deform::SkinningSettings& pane : fresh.content.panes.edit()) {
    pane.weights_as_stored = false;
  }
  fresh.view.active_pane = document.view.active_pane;
  fresh.character_version = document.character_version + 1;
  fresh.state_version = document.state_version + 1;
  document = std::move(fresh);
}

void open_document(Document& document, Document opened) {
  opened.character_version = document.character_version + 1;
  opened.state_version = document.state_version + 1;
  document = std::move(opened);
}

void show_scene(Document& document, int scene) {
  // The scene is where one looks: all steps are seen in it.
  const auto map = std::make_shared<const InScene>(scene);
  const bool shows_own = shows_own_surface(document);
  Content content = map->mapped(document.content, nullptr);
  document.history.map(document.content, content, map);
  document.character = shows_own ? content.character : in_scene(*document.character, scene);
  document.file = map->mapped(document.file);
  document.content = std::move(content);
  document.view.pinned_part = -1;
  document.view.selected_vertices.clear();
  document.view.pinned_vertex = -1;
  ++document.character_version;
  ++document.state_version;
}

Document without_history(const Document& document) {
  Document lean = make_document(document.character);
  lean.file = document.file;
  lean.surface = document.surface;
  lean.detail_error = document.detail_error;
  lean.content = document.content;
  lean.origin = document.origin;
  lean.meant = document.meant;
  lean.motion = document.motion;
  lean.view = document.view;
  lean.character_version = document.character_version;
  lean.state_version = document.state_version;
  return lean;
}

const std::shared_ptr<const rig::Character>& own_character(const Document& document) {
  return document.content.character;
}

const rig::Character& shown_character(const Document& document, int pane) {
  const auto& others = document.stand_ins;
  return has_index(others, pane) && others[pane] != nullptr ? *others[pane] : *document.character;
}

bool same_joints(const Shared<rig::Skeleton>& a, const Shared<rig::Skeleton>& b) {
  return a.is(b) ||
         (a->parent == b->parent && a->name == b->name && a->rest == b->rest && a->rest_residual == b->rest_residual);
}

bool can_stand_in(const rig::Character& candidate, const rig::Character& character) {
  if (!same_joints(candidate.skeleton, character.skeleton) || candidate.parts.size() != character.parts.size() ||
      candidate.meshes.size() != character.meshes.size() || candidate.skins.size() < character.skins.size()) {
    return false;
  }
  for (std::size_t s = 0; s < character.skins.size(); ++s) {
    const std::vector<int>& joints = character.skins[s].joints;
    const std::vector<int>& longer = candidate.skins[s].joints;
    if (longer.size() < joints.size() || !std::equal(joints.begin(), joints.end(), longer.begin())) {
      return false;
    }
  }
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const rig::Part& of = character.parts[p];
    const rig::Part& part = candidate.parts[p];
    if (part.mesh != of.mesh || part.primitive != of.primitive || part.joint != of.joint ||
        (part.skin != of.skin && of.skin >= 0) ||
        !candidate.primitive(part).positions.is(character.primitive(of).positions) ||
        !candidate.primitive(part).indices.is(character.primitive(of).indices)) {
      return false;
    }
  }
  return true;
}

std::shared_ptr<const rig::Character> stand_in(const rig::Character& candidate, const rig::Character& character) {
  PELT_EXPECT(can_stand_in(candidate, character), "one character can stand in for the other");
  auto out = std::make_shared<rig::Character>(character);
  out->meshes = candidate.meshes;
  out->mesh_nodes = candidate.mesh_nodes;
  out->parts = candidate.parts;
  // Which nodes are joints follows from the skins. The very skeleton where they list the same: what was computed for it
  // still holds.
  if (!same_skin_joints(candidate, character)) {
    out->skeleton = candidate.skeleton;
  }
  out->skins = candidate.skins;
  return out;
}

bool same_weights(const rig::Character& a, const rig::Character& b) {
  if (!can_stand_in(a, b) || !same_skin_joints(a, b)) {
    return false;
  }
  return a.meshes.is(b.meshes) || std::ranges::all_of(std::views::iota(std::size_t{0}, a.parts.size()), [&](auto p) {
           return a.parts[p].skin == b.parts[p].skin &&
                  a.primitive(a.parts[p]).influences == b.primitive(b.parts[p]).influences;
         });
}

void keep_valid(View& view, const Document& document) {
  const Content& content = document.content;
  const rig::Character& shown = *document.character;
  view.active_pane = std::clamp(view.active_pane, 0, pane_count(content) - 1);
  if (content.clip >= 0) {
    const TimeRange range = reachable(shown, content.clip, view.timing);
    view.time = std::clamp(view.time, range.start, range.end);
  }
  std::erase_if(view.selected_joints, [&](int joint) { return joint < 0 || joint >= shown.skeleton->size(); });
  if (!is_valid(view.selected_vertices, shown)) {
    keep_valid(view.selected_vertices.edit(), shown);
  }
  const std::size_t part = view.pinned_part;  // -1 is none of them
  if (part >= shown.parts.size() ||
      static_cast<std::size_t>(view.pinned_vertex) >= shown.primitive(shown.parts[part]).vertex_count()) {
    view.pinned_part = -1;
    view.pinned_vertex = -1;
  }
}

void show_surface(Document& document, std::shared_ptr<const rig::Character> character,
                  const rig::SurfaceChoice& surface, double detail_error) {
  PELT_EXPECT(character != nullptr, "a surface of a character");
  PELT_EXPECT(character->skeleton->size() == document.character->skeleton->size() &&
                  character->morph_offset == document.character->morph_offset,
              "a surface of the document's character");
  rig::SurfaceChoice before = document.surface;
  before.explode = surface.explode;
  document.character = std::move(character);
  document.surface = surface;
  document.detail_error = detail_error;
  if (before != surface) {
    document.view.pinned_part = -1;
    document.view.selected_vertices.clear();
    document.view.pinned_vertex = -1;
  }
  keep_valid(document.view, document);
  ++document.character_version;
}

rig::JointDofs joint_dofs(const Document& document, int joint) {
  const rig::Skeleton& skeleton = document.character->skeleton;
  PELT_EXPECT(joint >= 0 && joint < skeleton.size(), "joint index out of range");
  rig::JointDofs dofs = skeleton.dofs[joint];
  if (const auto order = document.content.euler_orders->find(joint); order != document.content.euler_orders->end()) {
    rig::set_euler_order(dofs, order->second);
  }
  return dofs;
}

std::vector<float> dof_values(const Document& document, int joint) {
  if (const auto found = document.content.overrides->find(joint); found != document.content.overrides->end()) {
    return found->second.dof_values;
  }
  return dof_values(document, joint, evaluate_base_pose(document));
}

std::vector<float> dof_values(const Document& document, int joint, const rig::Pose& base) {
  if (const auto found = document.content.overrides->find(joint); found != document.content.overrides->end()) {
    return found->second.dof_values;
  }
  return base_dof_values(document, joint, base);
}

std::vector<float> base_dof_values(const Document& document, int joint, const rig::Pose& base) {
  // A key may lie a rounding of time away from the playhead: half a frame of the fastest turn is closer than this.
  constexpr float kCloseBy = 0.9990f;  // cosine of half of 5 degrees
  const rig::JointDofs dofs = joint_dofs(document, joint);
  const Transform& local = base.local[joint];
  const auto found = document.meant.find(joint);
  if (found == document.meant.end() || !rig::equal(found->second.dofs, dofs)) {
    return rig::dofs_from_local(dofs, local);
  }
  const JointOverride& meant = found->second.pose;
  if (same(meant.local, local)) {
    return meant.dof_values;
  }
  return std::abs(glm::dot(meant.local.rotation, local.rotation)) >= kCloseBy
             ? rig::dofs_from_local(dofs, local, meant.dof_values)
             : rig::dofs_from_local(dofs, local);
}

void keep_meant_sliders(Document& document, const Shared<std::map<int, JointOverride>>& posed, const Content& content) {
  // A joint of another skeleton is another joint; without another clip the override did not become a key.
  const rig::Character& after = *content.character;
  const rig::Character& before = *document.content.character;
  if (posed.is(content.overrides) || !after.skeleton.is(before.skeleton) || after.clips.is(before.clips)) {
    return;
  }
  for (const auto& [joint, pose] : *posed) {
    if (!content.overrides->contains(joint)) {
      document.meant.insert_or_assign(joint, MeantSliders{joint_dofs(document, joint), pose});
    }
  }
}

TimeRange playhead_range(const Document& document, int clip) {
  return reachable(*document.character, clip, document.view.timing);
}

TimeRange played_range(const Document& document, int clip) {
  const TimeSettings& timing = document.view.timing;
  const rig::Clip& all = document.character->clips[clip];
  return timing.has_work_range() ? TimeRange{timing.work_start, timing.work_end}
         : all.end > all.start   ? TimeRange{all.start, all.end}
                                 : with_room(all);
}

float frame_rate(const Document& document) {
  constexpr float kCommon = 30;
  const int clip = document.content.clip;
  const float chosen = document.view.timing.frame_rate;
  return chosen > 0 ? chosen : clip >= 0 ? rig::guess_frame_rate(document.character->clips[clip]) : kCommon;
}

double clip_seconds(const Document& document) {
  const Content& content = document.content;
  if (content.clip < 0) {
    return 0;
  }
  const rig::Clip& clip = document.character->clips[content.clip];
  return static_cast<double>(document.view.time) - static_cast<double>(clip.start);
}

rig::Pose evaluate_base_pose(const Document& document) {
  return pose_before(document, "pose");
}

rig::Pose pose_before(const Document& document, std::string_view kind) {
  const SharedArray<rig::Layer>& layers = document.content.pose_layers;
  return pose_of_layers(document, {layers.begin(), std::ranges::find(layers, kind, &rig::Layer::kind)});
}

rig::Pose evaluate_pose(const Document& document) {
  const SharedArray<rig::Layer>& layers = document.content.pose_layers;
  return pose_of_layers(document, {layers.begin(), working_layers(document, 0, layers.size())});
}

rig::Pose deformed_pose(const Document& document, rig::Pose pose) {
  deform::SkinningSettings settings;
  deformer_layers_take_part(document, pose, settings);
  return pose;
}

deform::SkinningSettings in_effect(const Document& document, deform::SkinningSettings settings) {
  rig::Pose none;
  settings.layers = {};
  deformer_layers_take_part(document, none, settings);
  return settings;
}

}  // namespace pelt::edit
