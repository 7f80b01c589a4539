// Poses in which the skin is to stay as it was: what pulls in other poses solve for, too.
#include "edit/kept_poses.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/index.h"
#include "core/sha256.h"
#include "core/text.h"
#include "edit/document.h"
#include "edit/library_edits.h"
#include "edit/remap.h"
#include "math/transform.h"
#include "mesh/welded_surface.h"
#include "rig/kinematics.h"

namespace pelt::edit {
namespace {

constexpr std::size_t kHashDigits = 16;

std::size_t vertices_of(const mesh::Mesh& mesh) {
  std::size_t count = 0;
  for (const mesh::Primitive& primitive : mesh.primitives) {
    count += primitive.vertex_count();
  }
  return count;
}

// Where the vertices of a skin's mesh are in a pose, as posed_places() has it.
std::vector<glm::vec3> posed_vertices(const mesh::Mesh& mesh, const rig::Skin& skin, std::span<const glm::mat4> world) {
  std::vector<glm::dmat4> matrices;
  for (std::size_t k = 0; k < skin.joints.size(); ++k) {
    matrices.push_back(glm::dmat4(world[static_cast<std::size_t>(skin.joints[k])]) *
                       glm::dmat4(skin.joint_from_mesh[k]));
  }
  std::vector<glm::vec3> out;
  out.reserve(vertices_of(mesh));
  for (const mesh::Primitive& primitive : mesh.primitives) {
    for (std::size_t v = 0; v < primitive.vertex_count(); ++v) {
      const glm::dvec4 bound(primitive.positions[v], 1);
      if (primitive.influences->empty() || primitive.influences->joints(v).empty()) {
        out.emplace_back(bound);
        continue;
      }
      const mesh::InfluenceRow row = primitive.influences->row(v);
      glm::dvec3 at(0);
      for (std::size_t k = 0; k < row.joints.size(); ++k) {
        at += static_cast<double>(row.weights[k]) * glm::dvec3(matrices[row.joints[k]] * bound);
      }
      out.emplace_back(at);
    }
  }
  return out;
}

std::string free_name(const KeptPoses& kept) {
  for (std::size_t number = 1;; ++number) {
    std::string name = fmt::format("Pose {}", number);
    if (std::ranges::none_of(kept, [&](const KeptPose& one) { return one.pose->name == name; })) {
      return name;
    }
  }
}

bool has_same_places(const mesh::Mesh& before, const mesh::Mesh& after) {
  return std::ranges::equal(
      before.primitives, after.primitives,
      [](const mesh::Primitive& a, const mesh::Primitive& b) { return a.positions == b.positions; });
}

// Whether the joints make the same poses of the same local transforms.
bool is_same_tree(const Remap& numbers, const rig::Skeleton& before, const rig::Skeleton& after) {
  for (std::size_t j = 0; j < before.parent.size(); ++j) {
    const int now = numbers.joints[j];
    const bool is_kept =
        now < 0 ? before.is_joint[j] == 0
                : after.parent[static_cast<std::size_t>(now)] == remapped(numbers.joints, before.parent[j]);
    if (!is_kept) {
      return false;
    }
  }
  return true;
}

std::string name_of_kept(const Document& document, int index) {
  const KeptPoses& kept = document.content.kept_poses;
  return has_index(kept, index) ? kept[static_cast<std::size_t>(index)].pose->name : free_name(kept);
}

}  // namespace

std::vector<glm::mat4> world_of(const KeptPose& kept, const rig::Character& character) {
  rig::Pose pose = rig::rest_pose(character);  // shear of nodes that a matrix gives, too
  for (const auto& [joint, local] : kept.pose->joints) {
    if (has_index(pose.local, joint)) {
      pose.local[static_cast<std::size_t>(joint)] = local;
    }
  }
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  return world.world();
}

std::vector<glm::vec3> places_then(const KeptPose& kept, int mesh, const mesh::WeldedSurface& surface,
                                   std::span<const std::uint32_t> places) {
  std::vector<glm::vec3> out;
  const auto found = kept.places.find(mesh);
  if (found == kept.places.end() || found->second.size() != surface.vertex_count()) {
    return out;
  }
  for (const std::uint32_t w : places) {
    out.push_back(found->second[surface.copies(w).front()]);
  }
  return out;
}

std::string positions_hash(const mesh::Mesh& mesh) {
  Sha256 hash;
  for (const mesh::Primitive& primitive : mesh.primitives) {
    hash.add(std::as_bytes(std::span(primitive.positions.get())));
  }
  return hash.hex().substr(0, kHashDigits);
}

KeptPoses remapped(const Remap& numbers, const KeptPoses& kept, const rig::Character& before,
                   const rig::Character& after, std::vector<std::string>* lost) {
  const auto lose = [&](const char* what, const KeptPose& one) {
    if (lost != nullptr) {
      lost->push_back(fmt::format("{} {}", what, printable(one.pose->name)));
    }
  };
  KeptPoses out;
  const bool is_same = kept.empty() || is_same_tree(numbers, before.skeleton, after.skeleton);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    KeptPose now = kept[i];
    StoredPose pose = now.pose;
    remap(pose, numbers);
    if (pose != *now.pose) {
      now.pose = std::move(pose);
    }
    now.places.clear();
    for (const auto& [mesh, places] : kept[i].places) {
      const int m = remapped(numbers.meshes, mesh);
      if (m >= 0 &&
          has_same_places(before.meshes[static_cast<std::size_t>(mesh)], after.meshes[static_cast<std::size_t>(m)])) {
        now.places.emplace(m, places);
      }
    }
    if (!is_same || now.places.empty()) {
      lose("the kept pose", kept[i]);
      continue;
    }
    if (now.places.size() < kept[i].places.size()) {
      lose("some of the kept pose", kept[i]);
    }
    out.push_back(now == kept[i] ? kept.shared(i) : Shared<KeptPose>(std::move(now)));
  }
  return out.size() == kept.size() && out == kept ? kept : out;
}

std::size_t exclusive_bytes(const KeptPoses& kept, const KeptPoses& neighbour) {
  if (kept.is(neighbour)) {
    return 0;
  }
  std::set<const void*> shared;
  for (const KeptPose& one : neighbour) {
    shared.insert(&*one.pose);
    for (const auto& [mesh, places] : one.places) {
      shared.insert(places.data());
    }
  }
  std::size_t bytes = kept.size() * sizeof(KeptPose);
  for (const KeptPose& one : kept) {
    bytes += shared.contains(&*one.pose) ? 0 : one.pose->joints.size() * sizeof(std::pair<const int, Transform>);
    for (const auto& [mesh, places] : one.places) {
      bytes += shared.contains(places.data()) ? 0 : places.size() * sizeof(glm::vec3);
    }
  }
  return bytes;
}

std::string label(const Document& document, const KeepPose& change) {
  return fmt::format("Keep {}", name_of_kept(document, change.index));
}

void carry_out(const Document& document, const KeepPose& change, Content& content, View&) {
  if (!refusal(document, change).empty()) {
    return;
  }
  const rig::Character& character = *own_character(document);
  KeptPose kept;
  const std::string name = name_of_kept(document, change.index);
  kept.pose = fitting_pose(document, stored_pose(document, name), name);
  const std::vector<glm::mat4> world = world_of(kept, character);
  for (const rig::MeshNode& node : character.mesh_nodes) {
    if (node.skin < 0 || kept.places.contains(node.mesh)) {
      continue;
    }
    std::vector<glm::vec3> places = posed_vertices(character.meshes[static_cast<std::size_t>(node.mesh)],
                                                   character.skins[static_cast<std::size_t>(node.skin)], world);
    if (!std::ranges::all_of(places, [](const glm::vec3& at) { return is_finite(at); })) {
      return;
    }
    kept.places.emplace(node.mesh, std::move(places));
  }
  if (kept.places.empty() || !is_finite_pose(kept.pose)) {
    return;
  }
  if (change.index < 0) {
    content.kept_poses.push_back(std::move(kept));
  } else if (kept != content.kept_poses[static_cast<std::size_t>(change.index)]) {
    content.kept_poses.edit_items()[static_cast<std::size_t>(change.index)] = std::move(kept);
  }
}

std::string refusal(const Document& document, const KeepPose& change) {
  const std::size_t count = document.content.kept_poses.size();
  if (change.index >= 0 && !has_index(document.content.kept_poses, change.index)) {
    return fmt::format("kept pose {}: expected one of {}", change.index, count);
  }
  if (change.index < 0 && count >= kMostKeptPoses) {
    return fmt::format("at most {} poses are kept, and there are {}", kMostKeptPoses, count);
  }
  const auto& nodes = own_character(document)->mesh_nodes;
  return std::ranges::none_of(nodes, [](const rig::MeshNode& node) { return node.skin >= 0; })
             ? "no mesh hangs on a skin: a kept pose is about where skins are"
             : "";
}

std::string label(const Document& document, const ForgetPose& change) {
  return fmt::format("Forget {}", name_of_kept(document, change.index));
}

void carry_out(const Document&, const ForgetPose& change, Content& content, View&) {
  if (has_index(content.kept_poses, change.index)) {
    auto& items = content.kept_poses.edit_items();
    items.erase(items.begin() + change.index);
  }
}

}  // namespace pelt::edit
