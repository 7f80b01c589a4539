#include "edit/pose_library.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/index.h"
#include "core/text.h"
#include "edit/document.h"
#include "edit/pose_reader.h"
#include "edit/remap.h"
#include "rig/joint_names.h"
#include "rig/mirror.h"

namespace pelt::edit {
namespace {

// [shapes] The shape on the other side of the same node by name, itself in the middle, -1 where there is none.
std::map<int, int> shape_partners(const rig::Character& character) {
  std::map<int, std::vector<MorphSlot>> by_node;
  for (MorphSlot& slot : morph_slots(character)) {
    by_node[slot.joint].push_back(std::move(slot));
  }
  std::map<int, int> out;
  for (const auto& [node, slots] : by_node) {
    std::vector<std::string> names;
    for (const MorphSlot& slot : slots) {
      names.push_back(slot.name);
    }
    const std::vector<int> partners = rig::mirrored_names(names);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      out[slots[i].index] = partners[i] < 0 ? -1 : slots[partners[i]].index;
    }
  }
  return out;
}

}  // namespace

StoredPose stored_pose(const Document& document, std::string name, const std::vector<int>& joints) {
  const rig::Pose pose = evaluate_pose(document);
  StoredPose out{.name = std::move(name), .joints = {}, .shapes = {}};
  std::vector<int> meant = joints;
  if (joints.empty()) {
    meant.resize(pose.local.size());
    std::iota(meant.begin(), meant.end(), 0);
    for (std::size_t i = 0; i < pose.morph_weights.size(); ++i) {
      out.shapes[static_cast<int>(i)] = pose.morph_weights[i];
    }
  }
  for (const int j : meant) {
    out.joints[j] = pose.local[j];
  }
  return out;
}

StoredPose flipped(const rig::Character& character, const StoredPose& pose) {
  const rig::Mirror mirror(character);
  StoredPose out = pose;
  out.joints.clear();
  out.shapes.clear();
  for (const auto& [joint, local] : pose.joints) {
    const int partner = has_index(character.skeleton->parent, joint) ? mirror.partner(joint) : -1;
    if (partner >= 0) {
      out.joints[partner] = mirror.image(partner, local);
    }
  }
  const std::map<int, int> partners = pose.shapes.empty() ? std::map<int, int>() : shape_partners(character);
  for (const auto& [shape, weight] : pose.shapes) {
    const auto partner = partners.find(shape);
    if (partner != partners.end() && partner->second >= 0) {
      out.shapes[partner->second] = weight;
    }
  }
  return out;
}

std::string proposed_pose_name(const PoseLibrary& library) {
  for (std::size_t number = library.size() + 1;; ++number) {
    if (std::string name = fmt::format("Pose {}", number); find_pose(library, name) < 0) {
      return name;
    }
  }
}

int find_pose(const PoseLibrary& library, std::string_view name) {
  for (std::size_t i = 0; i < library.size(); ++i) {
    if (library[i].name == name) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

bool remap(StoredPose& pose, const Remap& numbers) {
  const std::map<int, Transform> joints = std::exchange(pose.joints, {});
  const std::map<int, float> shapes = std::exchange(pose.shapes, {});
  bool complete = true;
  for (const auto& [joint, local] : joints) {
    const int j = remapped(numbers.joints, joint);
    complete = (j >= 0 && pose.joints.emplace(j, local).second) && complete;
  }
  for (const auto& [shape, weight] : shapes) {
    const int s = remapped(numbers.morphs, shape);
    complete = (s >= 0 && pose.shapes.emplace(s, weight).second) && complete;
  }
  return complete;
}

PoseLibrary remapped(const Remap& numbers, const PoseLibrary& library, std::vector<std::string>* lost) {
  PoseLibrary out = library;
  for (std::size_t i = 0; i < library.size(); ++i) {
    const StoredPose& pose = library[i];
    StoredPose now = pose;
    const bool complete = remap(now, numbers);
    if (!complete && lost != nullptr) {
      lost->push_back(fmt::format("some of the stored pose {}", printable(pose.name)));
    }
    if (now != pose) {  // what says what it said stays shared
      out.edit(i) = std::move(now);
    }
  }
  return out;
}

}  // namespace pelt::edit
