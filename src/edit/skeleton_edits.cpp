#include "edit/skeleton_edits.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "bind/rest_world.h"
#include "core/text.h"
#include "edit/character_edits.h"
#include "edit/remap.h"
#include "rig/character_parts.h"

namespace pelt::edit {
namespace {

bool is_finite_place(const glm::vec3& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

bool is_sound_rest(const Transform& rest) {
  const glm::quat& q = rest.rotation;
  return is_finite_place(rest.translation) && is_finite_place(rest.scale) && std::isfinite(q.x + q.y + q.z + q.w) &&
         std::abs(glm::length(q) - 1) < 1e-3f;
}

std::string number_of_joints(std::size_t count) {
  return count == 1 ? "1 joint" : fmt::format("{} joints", count);
}

bool is_moved_by_clip(const rig::Character& character, int first) {
  return std::ranges::any_of(character.clips, [&](const rig::Clip& clip) {
    return std::ranges::any_of(clip.channels, [&](const rig::Channel& channel) { return channel.joint >= first; });
  });
}

// What was posed by hand means another pose where the rest or the sliders of its joint are others. Joints that are not
// bound are placed at rest, all of them: beside a posed one, none would be where it was put.
void drop_overrides(const rig::Skeleton& before, const rig::Skeleton& after, int first, Content& content) {
  for (int j = first; j < after.size(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    if (content.overrides->contains(j) && (after.is_joint[at] == 0 || before.rest[at] != after.rest[at] ||
                                           !rig::equal(before.dofs[at], after.dofs[at]))) {
      content.overrides.edit().erase(j);
    }
  }
}

}  // namespace

int first_new_joint(const Document& document) {
  return document.file->skeleton->size();
}

std::shared_ptr<const rig::Character> file_with_new_joints(const Document& document) {
  const rig::Skeleton& skeleton = own_character(document)->skeleton;
  if (skeleton.size() == first_new_joint(document)) {
    return document.file;
  }
  return std::make_shared<const rig::Character>(
      rig::with_new_joints(*document.file, rig::new_joints_of(skeleton, first_new_joint(document))));
}

std::string label(const Document&, const AddJoints& change) {
  return change.what.empty() ? fmt::format("Add {}", number_of_joints(change.joints.size()))
                             : fmt::format("Add {}", change.what);
}

void carry_out(const Document& document, const AddJoints& change, Content& content, View& view) {
  if (!refusal(document, change).empty()) {
    return;
  }
  const rig::Character& character = *own_character(document);
  std::vector<rig::NewJoint> joints = change.joints;
  for (rig::NewJoint& joint : joints) {
    joint.name = single_line(joint.name, kLongestName);
  }
  content.character = std::make_shared<const rig::Character>(rig::with_new_joints(character, joints));
  view.select_only(character.skeleton->size());
}

std::string refusal(const Document& document, const AddJoints& change) {
  if (change.joints.empty() || change.joints.size() > kMostNewJoints) {
    return fmt::format("expected 1 to {} joints to add, got {}", kMostNewJoints, change.joints.size());
  }
  const auto added = static_cast<std::size_t>(own_character(document)->skeleton->size() - first_new_joint(document));
  if (added + change.joints.size() > kMostAddedJoints) {
    return fmt::format("a character can have {} joints added to it, and has {}", kMostAddedJoints, added);
  }
  for (std::size_t j = 0; j < change.joints.size(); ++j) {
    const rig::NewJoint& joint = change.joints[j];
    if (joint.parent < -1 || joint.parent >= static_cast<int>(j)) {
      return fmt::format("joint {} to add: expected a parent before it, got {}", j, joint.parent);
    }
    if (!is_sound_rest(joint.rest)) {
      return fmt::format("joint {} to add: its rest transform is not finite, or its rotation is none", j);
    }
  }
  return {};
}

std::string label(const Document& document, const PlaceJoints& change) {
  return change.joints.size() == 1 ? fmt::format("Place {}", own_character(document)->skeleton->label(change.joints[0]))
                                   : fmt::format("Place {}", number_of_joints(change.joints.size()));
}

void carry_out(const Document& document, const PlaceJoints& change, Content& content, View&) {
  if (!refusal(document, change).empty()) {
    return;
  }
  const rig::Character& character = *own_character(document);
  const rig::Skeleton& skeleton = character.skeleton;
  const int first = first_new_joint(document);
  std::vector<glm::dmat4> world = bind::rest_world(character);
  std::vector<char> is_moved(world.size(), 0);
  std::vector<glm::dvec3> place;
  for (const glm::dmat4& one : world) {
    place.emplace_back(one[3]);
  }
  for (std::size_t k = 0; k < change.joints.size(); ++k) {
    const auto j = static_cast<std::size_t>(change.joints[k]);
    is_moved[j] = glm::vec3(place[j]) != change.places[k] ? 1 : 0;
    place[j] = is_moved[j] != 0 ? glm::dvec3(change.places[k]) : place[j];
  }
  std::vector<Transform> rest(skeleton.rest.begin() + first, skeleton.rest.end());
  for (int j = first; j < skeleton.size(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    const int parent = skeleton.parent[at];
    if (is_moved[at] == 0 && (parent < 0 || is_moved[static_cast<std::size_t>(parent)] == 0)) {
      continue;
    }
    // Rotations and scales stay, so that the axes of what is above are what they were.
    const glm::dmat4 above = parent < 0 ? glm::dmat4(1.0) : world[static_cast<std::size_t>(parent)];
    if (std::abs(glm::determinant(glm::dmat3(above))) > 0) {
      rest[at - static_cast<std::size_t>(first)].translation =
          glm::vec3(glm::inverse(above) * glm::dvec4(place[at], 1.0));
    }
    world[at][3] = glm::dvec4(place[at], 1.0);
  }
  if (std::ranges::find(is_moved, char{1}) == is_moved.end()) {
    return;
  }
  auto moved = std::make_shared<const rig::Character>(rig::with_rest_of_new_joints(character, first, rest));
  drop_overrides(skeleton, moved->skeleton, first, content);
  content.character = std::move(moved);
}

std::string refusal(const Document& document, const PlaceJoints& change) {
  const rig::Skeleton& skeleton = own_character(document)->skeleton;
  if (change.joints.size() != change.places.size()) {
    return fmt::format("expected {} places, got {}", change.joints.size(), change.places.size());
  }
  for (std::size_t k = 0; k < change.joints.size(); ++k) {
    const int j = change.joints[k];
    if (j < first_new_joint(document) || j >= skeleton.size()) {
      return fmt::format("joint {}: only joints that were added can be placed, {} to {}", j, first_new_joint(document),
                         skeleton.size() - 1);
    }
    if (skeleton.is_joint[static_cast<std::size_t>(j)] != 0) {
      return fmt::format("{} is bound: undo the binding to place it", printable(skeleton.label(j)));
    }
    if (!is_finite_place(change.places[k])) {
      return fmt::format("the place of {} is not finite", printable(skeleton.label(j)));
    }
  }
  return {};
}

std::string label(const Document&, const RemoveNewJoints&) {
  return "Take added joints away";
}

void carry_out(const Document& document, const RemoveNewJoints& change, Content& content, View& view) {
  if (!refusal(document, change).empty()) {
    return;
  }
  const rig::Character& character = *own_character(document);
  const int first = first_new_joint(document);
  Remap numbers = identity(character);
  std::fill(numbers.joints.begin() + first, numbers.joints.end(), -1);
  content = remap(content, numbers, std::make_shared<const rig::Character>(rig::without_new_joints(character, first)));
  remap(view, numbers);
}

std::string refusal(const Document& document, const RemoveNewJoints&) {
  const rig::Character& character = *own_character(document);
  const int first = first_new_joint(document);
  if (character.skeleton->size() == first) {
    return "no joints were added";
  }
  const auto& is_joint = character.skeleton->is_joint;
  if (std::any_of(is_joint.begin() + first, is_joint.end(), [](char is) { return is != 0; })) {
    return "added joints are bound: undo the binding to take them away";
  }
  return is_moved_by_clip(character, first) ? "a clip moves added joints" : "";
}

}  // namespace pelt::edit
