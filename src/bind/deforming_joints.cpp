#include "bind/deforming_joints.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

namespace pelt::bind {
namespace {

constexpr double kUsedWeight = 1e-3;  // above it somewhere a joint deforms

bool is_helper_name(std::string_view name) {
  std::string word;
  std::vector<std::string> words;
  for (std::size_t k = 0; k <= name.size(); ++k) {
    const char c = k < name.size() ? name[k] : '_';
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool starts_word = c >= 'A' && c <= 'Z' && k > 0 && name[k - 1] >= 'a' && name[k - 1] <= 'z';
    if ((!is_letter || starts_word) && !word.empty()) {
      words.push_back(word);
      word.clear();
    }
    if (is_letter) {
      word.push_back(static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c));
    }
  }
  constexpr std::string_view kHelpers[] = {"ik",     "pole", "target", "ctrl",     "control",
                                           "helper", "end",  "nub",    "effector", "handle"};
  return std::ranges::any_of(
      words, [&](const std::string& one) { return std::ranges::find(kHelpers, one) != std::end(kHelpers); });
}

bool is_carrier_name(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  constexpr std::string_view kCarriers[] = {"root", "armature", "reference", "origin", "master", "scene"};
  return std::ranges::find(kCarriers, lower) != std::end(kCarriers);
}

std::vector<int> used_joints(const rig::Character& character) {
  std::vector<char> used(character.skeleton->parent.size(), 0);
  for (const rig::MeshNode& node : character.mesh_nodes) {
    if (node.skin < 0) {
      continue;
    }
    const rig::Skin& skin = character.skins[node.skin];
    for (const mesh::Primitive& primitive : character.meshes[node.mesh].primitives) {
      primitive.influences->for_each_entry([&](std::uint16_t k, float weight) {
        if (k < skin.joints.size() && weight > kUsedWeight) {
          used[skin.joints[k]] = 1;
        }
      });
    }
  }
  std::vector<int> joints;
  for (int j = 0; j < character.skeleton->size(); ++j) {
    if (used[j] != 0) {
      joints.push_back(j);
    }
  }
  return joints;
}

}  // namespace

std::vector<char> pivots_of(const rig::Character& character) {
  std::vector<char> pivot = character.skeleton->is_joint;
  if (std::ranges::none_of(pivot, [](char is) { return is != 0; })) {
    pivot.assign(pivot.size(), 1);
    for (const rig::MeshNode& node : character.mesh_nodes) {
      pivot[node.joint] = 0;
    }
  }
  return pivot;
}

std::vector<std::vector<int>> pivots_below(const rig::Skeleton& skeleton, std::span<const char> pivot) {
  std::vector<std::vector<int>> below(pivot.size());
  for (int j = 0; j < skeleton.size(); ++j) {
    int above = skeleton.parent[j];
    while (above >= 0 && pivot[above] == 0) {
      above = skeleton.parent[above];
    }
    if (pivot[j] != 0 && above >= 0) {
      below[above].push_back(j);
    }
  }
  return below;
}

std::vector<int> proposed_joints(const rig::Character& character) {
  std::vector<int> joints = used_joints(character);
  if (!joints.empty()) {
    return joints;
  }
  const rig::Skeleton& skeleton = character.skeleton;
  const std::vector<char> pivot = pivots_of(character);
  const std::vector<std::vector<int>> below = pivots_below(skeleton, pivot);
  for (int j = 0; j < skeleton.size(); ++j) {
    const bool carries_the_rest = skeleton.parent[j] < 0 || (!below[j].empty() && is_carrier_name(skeleton.name[j]));
    if (pivot[j] != 0 && !is_helper_name(skeleton.name[j]) &&
        !(carries_the_rest && is_carrier_name(skeleton.name[j]))) {
      joints.push_back(j);
    }
  }
  if (joints.empty()) {  // a rig of nothing but such names
    for (int j = 0; j < skeleton.size(); ++j) {
      if (pivot[j] != 0) {
        joints.push_back(j);
      }
    }
  }
  return joints;
}

}  // namespace pelt::bind
