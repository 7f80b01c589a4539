#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "rig/kinematics.h"
#include "rig/lint_checks.h"

namespace pelt::rig {
namespace {

// Words of names of joints that are there to hang something on.
constexpr std::array<std::string_view, 9> kAttachmentWords = {"socket", "slot",   "attach",  "mount", "hardpoint",
                                                              "holder", "weapon", "holster", "grip"};

}  // namespace

JointUse joint_use(const Character& character) {
  const std::size_t skin_count = character.skins.size();
  const std::vector<SkinnedMesh> uses = skinned_meshes(character);
  // Skins that must agree on the numbers of joints are one group, named by its first.
  std::vector<std::size_t> group(skin_count);
  std::iota(group.begin(), group.end(), std::size_t{0});
  const auto root = [&](std::size_t s) {
    while (group[s] != s) {
      s = group[s] = group[group[s]];
    }
    return s;
  };
  const auto join = [&](std::size_t a, std::size_t b) {
    group[std::max(root(a), root(b))] = std::min(root(a), root(b));
  };
  std::vector<std::size_t> by_joints(skin_count);
  std::iota(by_joints.begin(), by_joints.end(), std::size_t{0});
  std::ranges::stable_sort(by_joints, {},
                           [&](std::size_t s) -> const std::vector<int>& { return character.skins[s].joints; });
  for (std::size_t i = 1; i < skin_count; ++i) {
    if (character.skins[by_joints[i]].joints == character.skins[by_joints[i - 1]].joints) {
      join(by_joints[i], by_joints[i - 1]);
    }
  }
  std::vector<int> skin_of_mesh(character.meshes.size(), -1);
  for (const SkinnedMesh& use : uses) {
    int& first = skin_of_mesh[use.mesh];
    if (first >= 0) {
      join(first, use.skin);
    }
    first = use.skin;
  }
  std::vector<std::vector<char>> weighted(skin_count);
  for (std::size_t s = 0; s < skin_count; ++s) {
    std::vector<char>& of_group = weighted[root(s)];
    of_group.resize(std::max(of_group.size(), character.skins[s].joints.size()), 0);
  }
  for (std::size_t m = 0; m < character.meshes.size(); ++m) {
    if (skin_of_mesh[m] >= 0) {
      std::vector<char>& of_group = weighted[root(skin_of_mesh[m])];
      for (const mesh::Primitive& primitive : character.meshes[m].primitives) {
        mesh::for_each_entry(primitive, [&](std::uint16_t k, float) { of_group[k] = 1; });
      }
    }
  }
  const std::vector<char> attachments = attachment_joints(character);
  std::vector<std::vector<char>> kept = weighted;
  // The last skin for which weight was found below a joint: one list for all, since many small skins may share a large
  // skeleton.
  std::vector<int> carries_for(character.skeleton->parent.size(), -1);
  for (std::size_t s = 0; s < skin_count; ++s) {
    const int skin = static_cast<int>(s);
    const std::vector<int>& joints = character.skins[s].joints;
    const std::vector<char>& has_weight = weighted[root(s)];
    const bool any = std::ranges::any_of(has_weight, [](char one) { return one != 0; });
    for (std::size_t k = 0; k < joints.size(); ++k) {
      const bool means_something = has_weight[k] != 0 || attachments[joints[k]] != 0;
      for (int j = means_something ? character.skeleton->parent[joints[k]] : -1; j >= 0 && carries_for[j] != skin;
           j = character.skeleton->parent[j]) {
        carries_for[j] = skin;
      }
    }
    for (std::size_t k = 0; k < joints.size(); ++k) {
      if (!any || carries_for[joints[k]] == skin || attachments[joints[k]] != 0) {
        kept[root(s)][k] = 1;
      }
    }
  }
  JointUse out;
  for (std::size_t s = 0; s < skin_count; ++s) {
    const std::size_t joint_count = character.skins[s].joints.size();
    const auto own = [&](const std::vector<std::vector<char>>& of_groups) {
      const std::vector<char>& of_group = of_groups[root(s)];
      return std::vector<char>(of_group.begin(), of_group.begin() + static_cast<std::ptrdiff_t>(joint_count));
    };
    out.weighted.push_back(own(weighted));
    out.kept.push_back(own(kept));
  }
  return out;
}

std::vector<char> attachment_joints(const Character& character) {
  const Skeleton& skeleton = character.skeleton;
  std::vector<char> out(skeleton.parent.size(), 0);
  // The joint nearest above what hangs somewhere.
  const auto mark_carrier = [&](int j) {
    while (j >= 0 && skeleton.is_joint[j] == 0) {
      j = skeleton.parent[j];
    }
    if (j >= 0) {
      out[j] = 1;
    }
  };
  for (const MeshNode& node : character.mesh_nodes) {
    mark_carrier(node.skin < 0 ? node.joint : -1);
  }
  for (const Camera& camera : character.cameras) {
    mark_carrier(camera.joint);
  }
  for (const Light& light : character.lights) {
    mark_carrier(light.joint);
  }
  for (std::size_t j = 0; j < out.size(); ++j) {
    std::string name = skeleton.name[j];
    std::ranges::transform(name, name.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    if (std::ranges::any_of(kAttachmentWords,
                            [&](std::string_view word) { return name.find(word) != std::string::npos; })) {
      out[j] = 1;
    }
  }
  return out;
}

std::vector<int> partners_in(const Skin& skin, const std::vector<int>& mirrored) {
  std::vector<int> slot(mirrored.size(), -1);
  for (std::size_t k = 0; k < skin.joints.size(); ++k) {
    slot[skin.joints[k]] = static_cast<int>(k);
  }
  std::vector<int> out;
  for (const int j : skin.joints) {
    const int other = mirrored[j];
    out.push_back(other < 0 ? -1 : slot[other]);
  }
  return out;
}

}  // namespace pelt::rig
