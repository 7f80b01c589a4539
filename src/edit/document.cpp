#include "edit/document.h"

#include <utility>

#include "core/expect.h"
#include "rig/constraints.h"
#include "rig/own_bindings.h"

namespace pelt::edit {

Document make_document(std::shared_ptr<const rig::Character> character) {
  PELT_EXPECT(character != nullptr, "a document needs a character");
  Document document;
  document.character = std::move(character);
  return document;
}

int pane_count(const State& state) {
  return 1 + static_cast<int>(state.panes.size());
}

const deform::SkinningSettings& skinning_of(const State& state, int pane) {
  PELT_EXPECT(pane >= 0 && pane < pane_count(state), "pane index out of range");
  return pane == 0 ? state.skinning : state.panes[static_cast<std::size_t>(pane) - 1];
}

void open_character(Document& document, std::shared_ptr<const rig::Character> character) {
  Document fresh = make_document(std::move(character));
  fresh.state.skinning = document.state.skinning;
  fresh.state.panes = std::move(document.state.panes);
  // What a file stores wrongly is looked at in that file; any other would look broken by it.
  fresh.state.skinning.weights_as_stored = false;
  for (deform::SkinningSettings& pane : fresh.state.panes) {
    pane.weights_as_stored = false;
  }
  fresh.active_pane = document.active_pane;
  fresh.character_version = document.character_version + 1;
  fresh.state_version = document.state_version + 1;
  document = std::move(fresh);
}

void show_scene(Document& document, int scene) {
  for (std::shared_ptr<const rig::Character>* shown : {&document.character, &document.own}) {
    if (*shown != nullptr) {
      auto character = std::make_shared<rig::Character>(**shown);
      rig::show_scene(*character, scene);
      *shown = std::move(character);
    }
  }
  document.pinned_part = -1;
  document.pinned_vertex = -1;
  ++document.character_version;
  ++document.state_version;
}

const std::shared_ptr<const rig::Character>& own_character(const Document& document) {
  return document.own != nullptr ? document.own : document.character;
}

void show_surface(Document& document, std::shared_ptr<const rig::Character> own,
                  std::shared_ptr<const rig::Character> character, const rig::SurfaceChoice& surface,
                  double detail_error) {
  PELT_EXPECT(own != nullptr && character != nullptr, "a surface of a character");
  PELT_EXPECT(character->skeleton->size() == document.character->skeleton->size() &&
                  character->morph_offset == document.character->morph_offset,
              "a surface of the document's character");
  rig::SurfaceChoice before = document.surface;
  before.explode = surface.explode;
  document.own = character == own ? nullptr : std::move(own);
  document.character = std::move(character);
  document.surface = surface;
  document.detail_error = detail_error;
  const auto part = static_cast<std::size_t>(document.pinned_part);  // -1 is none of them
  const rig::Character& shown = *document.character;
  const bool is_same_vertex =
      before == surface && part < shown.parts.size() &&
      static_cast<std::size_t>(document.pinned_vertex) < shown.primitive(shown.parts[part]).vertex_count();
  if (!is_same_vertex) {
    document.pinned_part = -1;
    document.pinned_vertex = -1;
  }
  ++document.character_version;
}

rig::JointDofs joint_dofs(const Document& document, int joint) {
  const rig::Skeleton& skeleton = document.character->skeleton;
  PELT_EXPECT(joint >= 0 && joint < skeleton.size(), "joint index out of range");
  rig::JointDofs dofs = skeleton.dofs[static_cast<std::size_t>(joint)];
  if (const auto order = document.state.euler_orders.find(joint); order != document.state.euler_orders.end()) {
    rig::set_euler_order(dofs, order->second);
  }
  return dofs;
}

std::vector<float> dof_values(const Document& document, int joint) {
  if (const auto found = document.state.overrides.find(joint); found != document.state.overrides.end()) {
    return found->second.dof_values;
  }
  return rig::dofs_from_local(joint_dofs(document, joint),
                              evaluate_base_pose(document).local[static_cast<std::size_t>(joint)]);
}

double clip_seconds(const Document& document) {
  const State& state = document.state;
  if (state.clip < 0) {
    return 0;
  }
  const rig::Clip& clip = document.character->clips[static_cast<std::size_t>(state.clip)];
  return static_cast<double>(state.time) - static_cast<double>(clip.start);
}

rig::Pose evaluate_base_pose(const Document& document) {
  const rig::Character& character = *document.character;
  const State& state = document.state;
  rig::Pose pose = state.base == BasePose::kBind   ? rig::bind_pose(character)
                   : state.base == BasePose::kZero ? rig::zero_pose(character)
                                                   : rig::rest_pose(character);
  if (state.clip >= 0) {
    rig::apply(character.clips[static_cast<std::size_t>(state.clip)], state.time, character.morph_offset, pose);
  } else if (state.base == BasePose::kBind) {
    rig::add_own_bindings(character, pose);  // a clip moves joints, whatever was bound to them where
  }
  return pose;
}

rig::Pose evaluate_pose(const Document& document) {
  rig::Pose pose = evaluate_base_pose(document);
  for (const auto& [joint, joint_override] : document.state.overrides) {
    pose.local[static_cast<std::size_t>(joint)] = joint_override.local;
  }
  for (const auto& [index, value] : document.state.morph_overrides) {
    pose.morph_weights[static_cast<std::size_t>(index)] = value;
  }
  if (document.state.base != BasePose::kBind) {
    rig::apply_constraints(document.character->skeleton, document.character->constraints, pose);
  }
  return pose;
}

}  // namespace pelt::edit
