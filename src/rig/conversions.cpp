#include "rig/conversions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "core/expect.h"
#include "core/index.h"
#include "rig/kinematics.h"
#include "rig/own_bindings.h"

namespace pelt::rig {
namespace {

/// Skins that share a mesh, directly or by way of others: group[s] is the lowest of them.
std::vector<int> skin_groups(const Character& character) {
  std::vector<int> group(character.skins.size());
  std::iota(group.begin(), group.end(), 0);
  std::vector<int> first_of_mesh(character.meshes.size(), -1);
  for (const MeshNode& node : character.mesh_nodes) {
    if (node.skin < 0) {
      continue;
    }
    int& first = first_of_mesh[node.mesh];
    if (first < 0) {
      first = node.skin;
      continue;
    }
    const int a = group[first];
    const int b = group[node.skin];
    std::replace(group.begin(), group.end(), std::max(a, b), std::min(a, b));
  }
  return group;
}

/// The mean of a vertex's skin matrices; identity for one that follows no joint.
glm::dmat4 blended(const mesh::Influences& influences, std::size_t v, const std::vector<glm::dmat4>& matrices) {
  if (influences.empty() || influences.count(v) == 0) {
    return glm::dmat4(1.0);
  }
  glm::dmat4 sum(0.0);
  double total = 0;
  const mesh::InfluenceRow row = influences.row(v);
  for (std::size_t k = 0; k < row.joints.size(); ++k) {
    sum += static_cast<double>(row.weights[k]) * matrices[row.joints[k]];
    total += static_cast<double>(row.weights[k]);
  }
  return sum / total;
}

/// Bakes the blend of `matrices` into the bind shape.
void bake_shape(mesh::Primitive& primitive, const std::vector<glm::dmat4>& matrices) {
  primitive.drop_cage();  // its sums would make another shape than that of the vertices
  std::vector<glm::vec3>& positions = primitive.positions.edit();
  std::vector<glm::vec3>& vertex_normals = primitive.normals.edit();
  std::vector<glm::vec4>& tangents = primitive.tangents.edit();
  for (std::size_t v = 0; v < primitive.vertex_count(); ++v) {
    const glm::dmat4 affine = blended(primitive.influences, v, matrices);
    const glm::dmat3 linear(affine);
    // Out of the surface, also where the blend mirrors, as the deformer has them (C14.2).
    const double side = glm::determinant(linear) < 0 ? -1.0 : 1.0;
    const glm::dmat3 normals = side * cofactor(linear);
    positions[v] = glm::vec3(affine * glm::dvec4(glm::dvec3(positions[v]), 1.0));
    // Deltas are shortened like what they are added to, so that sums keep their direction.
    double normal_length = 1;
    double tangent_length = 1;
    if (!vertex_normals.empty()) {
      const glm::dvec3 normal = normals * glm::dvec3(vertex_normals[v]);
      normal_length = glm::length(normal);
      if (normal_length > 0) {
        vertex_normals[v] = glm::vec3(normal / normal_length);
      }
    }
    if (!tangents.empty()) {
      const glm::dvec3 tangent = linear * glm::dvec3(tangents[v]);
      tangent_length = glm::length(tangent);
      if (tangent_length > 0) {
        tangents[v] = glm::vec4(glm::vec3(tangent / tangent_length), static_cast<float>(side) * tangents[v].w);
      }
    }
    for (mesh::MorphTarget& target : primitive.morph_targets.edit_each()) {
      const auto turn = [&](SharedArray<glm::vec3>& deltas, const glm::dmat3& by, double length) {
        if (!deltas.empty() && length > 0) {
          deltas.edit()[v] = glm::vec3(by * glm::dvec3(deltas[v]) / length);
        }
      };
      turn(target.position_deltas, linear, 1);
      turn(target.normal_deltas, normals, normal_length);
      turn(target.tangent_deltas, linear, tangent_length);
    }
  }
}

/// True where a skin of these matrices is drawn with the winding turned round: a mirroring root mirrors all its joints,
/// single ones do not turn the whole surface inside out.
bool is_mirrored(const std::vector<glm::dmat4>& matrices) {
  const auto mirrored =
      std::ranges::count_if(matrices, [](const glm::dmat4& m) { return glm::determinant(glm::dmat3(m)) < 0; });
  return static_cast<std::size_t>(2 * mirrored) > matrices.size();
}

/// The other winding: corners of each triangle are exchanged, vertices stay.
void turn_round(mesh::Primitive& primitive) {
  if (primitive.topology != mesh::Topology::kTriangles) {
    return;
  }
  std::vector<std::uint32_t>& indices = primitive.indices.edit();
  for (std::size_t i = 2; i < indices.size(); i += 3) {
    std::swap(indices[i - 1], indices[i]);
  }
}

/// True where some vertex follows the joint in that slot of the skin.
bool moves_a_vertex(const Character& character, int skin, std::size_t slot) {
  return std::ranges::any_of(character.mesh_nodes, [&](const MeshNode& node) {
    return node.skin == skin &&
           std::ranges::any_of(character.meshes[node.mesh].primitives, [&](const mesh::Primitive& primitive) {
             return std::ranges::any_of(primitive.influences->blocks(), [&](const mesh::Influences::Block& block) {
               return std::ranges::find(block.joint, slot) != block.joint.end();
             });
           });
  });
}

/// True where some vertex of a skinned mesh stays where it is or follows the node, for want of influences.
bool follows_no_joint_somewhere(const mesh::Mesh& mesh) {
  return std::any_of(mesh.primitives.begin(), mesh.primitives.end(), [](const mesh::Primitive& primitive) {
    const mesh::Influences& rows = primitive.influences;
    for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
      if (rows.count(v) == 0) {
        return true;
      }
    }
    return rows.empty();
  });
}

/// A cube around positions, and wide enough for morph deltas.
struct Cube {
  Bounds bounds;
  float largest_delta = 0;

  void add(const mesh::Mesh& mesh) {
    for (const mesh::Primitive& primitive : mesh.primitives) {
      bounds.add(bounds_of(primitive.positions));
      for (const mesh::MorphTarget& target : primitive.morph_targets) {
        for (const glm::vec3& delta : target.position_deltas) {
          largest_delta = std::max({largest_delta, std::abs(delta.x), std::abs(delta.y), std::abs(delta.z)});
        }
      }
    }
  }
  [[nodiscard]] float side() const {
    const glm::vec3 extent = bounds.upper - bounds.lower;
    const float largest = std::max({extent.x, extent.y, extent.z, largest_delta});
    return largest > 0 ? largest : 1.0f;
  }
};

void put_on_grid(mesh::Mesh& mesh, const Cube& cube) {
  const glm::vec3 origin = cube.bounds.lower;
  const float side = cube.side();
  for (mesh::Primitive& primitive : mesh.primitives.edit_each()) {
    if (primitive.has_cage()) {  // its points may lie outside of the cube: they are no integers
      mesh::ControlCage& cage = primitive.cage.edit();
      for (glm::vec3& point : cage.positions) {
        point = (point - origin) / side;
      }
      for (std::vector<glm::vec3>& deltas : cage.morph_deltas) {
        for (glm::vec3& delta : deltas) {
          delta /= side;
        }
      }
    }
    for (glm::vec3& position : primitive.positions.edit()) {
      position = glm::clamp((position - origin) / side, glm::vec3(0.0f), glm::vec3(1.0f));
    }
    for (mesh::MorphTarget& target : primitive.morph_targets.edit_each()) {
      for (glm::vec3& delta : target.position_deltas.edit()) {
        delta /= side;
      }
    }
  }
}

}  // namespace

Character with_influence_limit(const Character& character, int limit, float threshold, float* largest_dropped) {
  PELT_EXPECT(limit >= 0, "a number of influences");
  const int most = limit == 0 ? std::numeric_limits<int>::max() : limit;
  Character out = character;
  float worst = 0;
  for (mesh::Mesh& mesh : out.meshes.edit_each()) {
    for (mesh::Primitive& primitive : mesh.primitives.edit_each()) {
      float dropped = 0;
      primitive.influences = mesh::limit_influences(primitive.influences, most, threshold, &dropped);
      worst = std::max(worst, dropped);
      if (primitive.has_cage()) {
        mesh::ControlCage& cage = primitive.cage.edit();
        cage.influences = mesh::limit_influences(cage.influences, most, threshold, &dropped);
        worst = std::max(worst, dropped);
      }
    }
  }
  if (largest_dropped != nullptr) {
    *largest_dropped = worst;
  }
  return out;
}

Character without_unused_joints(const Character& character) {
  const std::vector<int> group = skin_groups(character);
  std::vector<std::vector<char>> used(character.skins.size());  // of each group's lowest skin: slots with weight
  for (std::size_t s = 0; s < group.size(); ++s) {
    std::vector<char>& slots = used[group[s]];
    slots.resize(std::max(slots.size(), character.skins[s].joints.size()), 0);
  }
  std::vector<int> group_of_mesh(character.meshes.size(), -1);
  for (const MeshNode& node : character.mesh_nodes) {
    if (node.skin >= 0) {
      group_of_mesh[node.mesh] = group[node.skin];
    }
  }
  for (std::size_t m = 0; m < character.meshes.size(); ++m) {
    for (const mesh::Primitive& primitive : character.meshes[m].primitives) {
      if (group_of_mesh[m] >= 0) {
        std::vector<char>& of_group = used[group_of_mesh[m]];
        mesh::for_each_entry(primitive, [&](std::uint16_t slot, float) { of_group[slot] = 1; });
      }
    }
  }
  // Slots of each group by their new number.
  std::vector<std::vector<std::uint16_t>> moved(used.size());
  for (std::size_t g = 0; g < used.size(); ++g) {
    if (std::find(used[g].begin(), used[g].end(), 1) == used[g].end()) {
      used[g].assign(used[g].size(), 1);
    }
    std::uint16_t next = 0;
    for (const char is_used : used[g]) {
      moved[g].push_back(next);
      next = static_cast<std::uint16_t>(next + (is_used != 0 ? 1 : 0));
    }
  }
  Character out = character;
  for (std::size_t s = 0; s < out.skins.size(); ++s) {
    const Skin& from = character.skins[s];
    Skin& skin = out.skins.edit(s);
    skin.joints.clear();
    skin.joint_from_mesh.clear();
    for (std::size_t k = 0; k < from.joints.size(); ++k) {
      if (used[group[s]][k] != 0) {
        skin.joints.push_back(from.joints[k]);
        skin.joint_from_mesh.push_back(from.joint_from_mesh[k]);
      }
    }
  }
  for (std::size_t m = 0; m < out.meshes.size(); ++m) {
    if (group_of_mesh[m] < 0) {
      continue;
    }
    const std::vector<std::uint16_t>& number = moved[group_of_mesh[m]];
    for (mesh::Primitive& primitive : out.meshes.edit(m).primitives.edit_each()) {
      mesh::renumber_joints(primitive, [&](std::uint16_t slot) { return number[slot]; });
    }
  }
  finish(out);
  return out;
}

Character with_rest_pose(const Character& character, const Pose& pose) {
  PELT_EXPECT(pose.local.size() == character.skeleton->parent.size(), "the pose is of this character");
  Character out = character;
  out.skeleton.edit().rest = pose.local;
  out.skeleton.edit().rest_residual = pose.residual;  // own bindings of skins stay with their inverse bind matrices
  for (MeshNode& node : out.mesh_nodes.edit()) {
    const std::span<const float> weights = character.morph_weights(pose, node.joint);
    node.morph_weights.assign(weights.begin(), weights.end());
  }
  for (JointDofs& dofs : out.skeleton.edit().dofs) {
    if (!dofs.authored) {
      dofs = {};  // made from the rest pose by finish()
    }
  }
  finish(out);
  return out;
}

Status can_be_bound(const Character& character, std::span<const glm::mat4> world, int only) {
  for (std::size_t s = 0; s < character.skins.size(); ++s) {
    if (only >= 0 && static_cast<int>(s) != only) {
      continue;
    }
    const Skin& skin = character.skins[s];
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      bool singular = false;
      affine_inverse(world[skin.joints[k]], &singular);
      if (singular && moves_a_vertex(character, static_cast<int>(s), k)) {
        return error("skin {}: joint \"{}\" has no extent along some axis in the pose, so it cannot be bound there", s,
                     character.skeleton->label(skin.joints[k]));
      }
    }
  }
  return {};
}

Result<Character> bound_in_pose(const Character& character, const Pose& pose, int only) {
  PELT_EXPECT(pose.local.size() == character.skeleton->parent.size(), "the pose is of this character");
  PELT_EXPECT(only >= -1 && (only < 0 || has_index(character.skins, only)), "a skin of this character");
  const auto is_bound = [only](int skin) { return skin >= 0 && (only < 0 || skin == only); };
  Character out = character;
  std::vector<glm::mat4> local(pose.local.size());
  local_matrices(pose, local);
  const std::vector<glm::dmat4> exact(local.begin(), local.end());
  std::vector<glm::dmat4> world(local.size());
  local_to_world<double>(character.skeleton->parent, exact, world);

  const std::vector<glm::mat4> rounded(world.begin(), world.end());
  PELT_TRY(can_be_bound(character, rounded, only));
  std::vector<std::vector<int>> copies(character.meshes.size());  // skins that have got a mesh of their own
  std::vector<std::vector<int>> copy_mesh(character.meshes.size());
  const auto hangs_elsewhere = [&](int m) {
    return std::any_of(character.mesh_nodes.begin(), character.mesh_nodes.end(),
                       [&](const MeshNode& node) { return node.mesh == m && !is_bound(node.skin); });
  };
  for (MeshNode& node : out.mesh_nodes.edit()) {
    if (!is_bound(node.skin)) {
      continue;
    }
    const std::size_t m = node.mesh;
    const auto known = std::find(copies[m].begin(), copies[m].end(), node.skin);
    if (known != copies[m].end()) {
      node.mesh = copy_mesh[m][known - copies[m].begin()];
      continue;
    }
    const bool in_place = copies[m].empty() && !hangs_elsewhere(node.mesh);
    copies[m].push_back(node.skin);
    if (!in_place) {
      out.meshes.push_back(character.meshes[m]);
      node.mesh = static_cast<int>(out.meshes.size()) - 1;
    }
    copy_mesh[m].push_back(node.mesh);
    const Skin& skin = character.skins[node.skin];
    std::vector<glm::dmat4> matrices;
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      matrices.push_back(world[skin.joints[k]] * posed_joint_from_mesh(character, pose, node.skin, k));
    }
    for (mesh::Primitive& primitive : out.meshes.edit(node.mesh).primitives.edit_each()) {
      bake_shape(primitive, matrices);
      if (is_mirrored(matrices)) {
        turn_round(primitive);
      }
    }
  }
  for (std::size_t s = 0; s < out.skins.size(); ++s) {
    if (!is_bound(static_cast<int>(s))) {
      continue;
    }
    Skin& skin = out.skins.edit(s);
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      bool singular = false;
      affine_inverse(rounded[skin.joints[k]], &singular);
      if (!singular) {
        skin.joint_from_mesh[k] = glm::mat4(glm::inverse(world[skin.joints[k]]));
      }
    }
    skin.has_inverse_binds = true;
  }
  finish(out);
  return out;
}

Result<Character> bound_in_rest_pose(const Character& character) {
  return bound_in_pose(character, rest_pose(character));
}

Result<Character> converted(const Character& character, const Conversion& conversion, const Pose& pose,
                            float* largest_dropped) {
  Result<Character> out = conversion.bake_pose ? with_rest_pose(character, pose) : character;
  if (conversion.rebuild_binds) {
    out = bound_in_rest_pose(*out);
    if (!out) {
      return out.error();
    }
  }
  if (conversion.influence_limit > 0 || conversion.prune_threshold > 0) {
    out = with_influence_limit(*out, conversion.influence_limit, conversion.prune_threshold, largest_dropped);
  }
  if (conversion.strip_joints) {
    out = without_unused_joints(*out);
  }
  return out;
}

OnUnitGrid on_unit_grid(const Character& character) {
  OnUnitGrid out{character, std::vector<char>(character.meshes.size(), 0)};
  Character& made = out.character;
  const std::vector<int> group = skin_groups(character);
  std::vector<Cube> cube_of_group(character.skins.size());
  std::vector<char> stays(character.skins.size(), 0);  // groups with vertices that no matrix could bring back
  std::vector<int> group_of_mesh(character.meshes.size(), -1);
  for (const MeshNode& node : character.mesh_nodes) {
    if (node.skin >= 0 && group_of_mesh[node.mesh] < 0) {
      const mesh::Mesh& mesh = character.meshes[node.mesh];
      const int g = group[node.skin];
      group_of_mesh[node.mesh] = g;
      cube_of_group[g].add(mesh);
      stays[g] = stays[g] != 0 || follows_no_joint_somewhere(mesh) ? 1 : 0;
    }
  }
  std::vector<Cube> cube_of_mesh(character.meshes.size());
  for (const MeshNode& node : character.mesh_nodes) {
    const std::size_t m = node.mesh;
    if (out.mesh_is_on_it[m] != 0) {
      continue;
    }
    if (group_of_mesh[m] >= 0) {
      cube_of_mesh[m] = cube_of_group[group_of_mesh[m]];
    } else {
      cube_of_mesh[m].add(character.meshes[m]);
    }
    const bool can_move = group_of_mesh[m] < 0 || stays[group_of_mesh[m]] == 0;
    if (can_move && !cube_of_mesh[m].bounds.empty()) {
      put_on_grid(made.meshes.edit(m), cube_of_mesh[m]);
      out.mesh_is_on_it[m] = 1;
    }
  }
  for (std::size_t s = 0; s < made.skins.size(); ++s) {
    const Cube& cube = cube_of_group[group[s]];
    if (cube.bounds.empty() || stays[group[s]] != 0) {
      continue;
    }
    glm::dmat4 mesh_from_grid(static_cast<double>(cube.side()));
    mesh_from_grid[3] = glm::dvec4(glm::dvec3(cube.bounds.lower), 1.0);
    for (glm::mat4& matrix : made.skins.edit(s).joint_from_mesh) {
      matrix = glm::mat4(glm::dmat4(matrix) * mesh_from_grid);
    }
    made.skins.edit(s).has_inverse_binds = true;
  }
  Skeleton& skeleton = made.skeleton.edit();
  std::vector<int> carrier(skeleton.size());  // where the mesh of a node hangs now
  std::iota(carrier.begin(), carrier.end(), 0);
  std::vector<Instances*> instances_of(skeleton.size(), nullptr);
  for (Instances& instances : made.instances.edit()) {
    for (const int j : instances.joints) {
      instances_of[j] = &instances;
    }
  }
  for (MeshNode& node : made.mesh_nodes.edit()) {
    if (node.skin >= 0 || out.mesh_is_on_it[node.mesh] == 0) {
      continue;
    }
    const Cube& cube = cube_of_mesh[node.mesh];
    if (cube.bounds.lower == glm::vec3(0.0f) && cube.side() == 1.0f) {
      continue;  // it was on the grid before
    }
    const auto put_on = [&cube](Transform& place) {
      place.translation += place.rotation * (place.scale * cube.bounds.lower);
      place.scale *= cube.side();
    };
    if (Instances* const instances = has_index(instances_of, node.joint) ? instances_of[node.joint] : nullptr;
        instances != nullptr) {
      put_on(skeleton.rest[node.joint]);
      if (node.joint == instances->joints.front()) {
        std::ranges::for_each(instances->unshown, put_on);
      }
      continue;
    }
    Transform rest;
    rest.translation = cube.bounds.lower;
    rest.scale = glm::vec3(cube.side());
    const int j = skeleton.size();
    skeleton.parent.push_back(node.joint);
    skeleton.name.emplace_back();
    skeleton.rest.push_back(rest);
    skeleton.source_node.push_back(j);
    carrier[node.joint] = j;
    node.joint = j;
  }
  for (Clip& clip : made.clips.edit_each()) {
    for (Channel& channel : clip.channels) {
      if (channel.path == ChannelPath::kWeights) {
        channel.joint = carrier[channel.joint];
      }
    }
  }
  finish(made);
  return out;
}

}  // namespace pelt::rig
