#include "edit/document.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/expect.h"
#include "rig/constraints.h"
#include "rig/own_bindings.h"

namespace pelt::edit {

Document make_document(std::shared_ptr<const rig::Character> character) {
  PELT_EXPECT(character != nullptr, "a document needs a character");
  Document document;
  document.content.character = character;
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

void show_scene(Document& document, int scene) {
  // The scene is where one looks: all steps are seen in it, and those that had one character have one still.
  std::map<std::shared_ptr<const rig::Character>, std::shared_ptr<const rig::Character>> seen;
  const auto in_scene = [&](const std::shared_ptr<const rig::Character>& character) {
    std::shared_ptr<const rig::Character>& shown = seen[character];
    if (shown == nullptr && character != nullptr) {
      auto copy = std::make_shared<rig::Character>(*character);
      rig::show_scene(*copy, scene);
      shown = std::move(copy);
    }
    return shown;
  };
  document.character = in_scene(document.character);
  document.content.character = in_scene(document.content.character);
  document.history.replace_each(document.content, [&](Content content) {
    content.character = in_scene(content.character);
    return content;
  });
  document.view.pinned_part = -1;
  document.view.pinned_vertex = -1;
  ++document.character_version;
  ++document.state_version;
}

Document without_history(const Document& document) {
  Document lean = make_document(document.character);
  lean.surface = document.surface;
  lean.detail_error = document.detail_error;
  lean.content = document.content;
  lean.view = document.view;
  lean.character_version = document.character_version;
  lean.state_version = document.state_version;
  return lean;
}

const std::shared_ptr<const rig::Character>& own_character(const Document& document) {
  return document.content.character;
}

void keep_valid(View& view, const Document& document) {
  const Content& content = document.content;
  const rig::Character& shown = *document.character;
  view.active_pane = std::clamp(view.active_pane, 0, pane_count(content) - 1);
  if (content.clip >= 0) {
    const rig::Clip& clip = shown.clips[static_cast<std::size_t>(content.clip)];
    view.time = std::clamp(view.time, clip.start, std::max(clip.start, clip.end));
  }
  if (view.selected_joint >= shown.skeleton->size()) {
    view.selected_joint = -1;
  }
  const auto part = static_cast<std::size_t>(view.pinned_part);  // -1 is none of them
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
    document.view.pinned_vertex = -1;
  }
  keep_valid(document.view, document);
  ++document.character_version;
}

rig::JointDofs joint_dofs(const Document& document, int joint) {
  const rig::Skeleton& skeleton = document.character->skeleton;
  PELT_EXPECT(joint >= 0 && joint < skeleton.size(), "joint index out of range");
  rig::JointDofs dofs = skeleton.dofs[static_cast<std::size_t>(joint)];
  if (const auto order = document.content.euler_orders->find(joint); order != document.content.euler_orders->end()) {
    rig::set_euler_order(dofs, order->second);
  }
  return dofs;
}

std::vector<float> dof_values(const Document& document, int joint) {
  if (const auto found = document.content.overrides->find(joint); found != document.content.overrides->end()) {
    return found->second.dof_values;
  }
  return rig::dofs_from_local(joint_dofs(document, joint),
                              evaluate_base_pose(document).local[static_cast<std::size_t>(joint)]);
}

double clip_seconds(const Document& document) {
  const Content& content = document.content;
  if (content.clip < 0) {
    return 0;
  }
  const rig::Clip& clip = document.character->clips[static_cast<std::size_t>(content.clip)];
  return static_cast<double>(document.view.time) - static_cast<double>(clip.start);
}

rig::Pose evaluate_base_pose(const Document& document) {
  const rig::Character& character = *document.character;
  const Content& content = document.content;
  rig::Pose pose = content.base == BasePose::kBind   ? rig::bind_pose(character)
                   : content.base == BasePose::kZero ? rig::zero_pose(character)
                                                     : rig::rest_pose(character);
  if (content.clip >= 0) {
    rig::apply(character.clips[static_cast<std::size_t>(content.clip)], document.view.time, character.morph_offset,
               pose);
  } else if (content.base == BasePose::kBind) {
    rig::add_own_bindings(character, pose);  // a clip moves joints, whatever was bound to them where
  }
  return pose;
}

rig::Pose evaluate_pose(const Document& document) {
  rig::Pose pose = evaluate_base_pose(document);
  for (const auto& [joint, joint_override] : *document.content.overrides) {
    pose.local[static_cast<std::size_t>(joint)] = joint_override.local;
  }
  for (const auto& [index, value] : *document.content.morph_overrides) {
    pose.morph_weights[static_cast<std::size_t>(index)] = value;
  }
  if (document.content.base != BasePose::kBind) {
    rig::apply_constraints(document.character->skeleton, document.character->constraints, pose);
  }
  return pose;
}

}  // namespace pelt::edit
