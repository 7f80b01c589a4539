#include "bind/character_problem.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "bind/bind_space.h"
#include "bind/deforming_joints.h"
#include "bind/rest_world.h"
#include "core/expect.h"
#include "core/index.h"
#include "core/text.h"
#include "math/transform.h"
#include "mesh/mesh_surface.h"

namespace pelt::bind {
namespace {

constexpr double kNearTail = 1e-3;  // of the diagonal: a tail so near to the head says nothing
constexpr double kStub = 0.02;      // of the diagonal

// A pose in the problem's space, and what it does to what was bound.
struct PosedSpace {
  std::vector<glm::dmat4> from_joint;  // [J]
  std::vector<glm::dmat4> by_joint;    // [J] from the place as bound to the posed one, of what follows the joint alone
};

constexpr double kUnbent = 1e-5;  // of directions, and of the skeleton's size: what floats make of one rigid motion

PosedSpace posed_space(const BindSpace& space, std::span<const glm::mat4> pose) {
  PosedSpace out;
  for (std::size_t j = 0; j < pose.size(); ++j) {
    out.from_joint.push_back(space.from_world * glm::dmat4(pose[j]));
    const bool is_flat = !(std::abs(glm::determinant(glm::dmat3(space.from_joint[j]))) > 0);
    out.by_joint.push_back(is_flat ? glm::dmat4(1.0) : out.from_joint[j] * glm::inverse(space.from_joint[j]));
  }
  return out;
}

// Whether a pose moves all that deforms as one: then what is to be bound is as it was bound.
bool is_unbent(const rig::Character& character, std::span<const int> joints, const BindSpace& space,
               const PosedSpace& posed) {
  std::vector<int> moving(joints.begin(), joints.end());
  for (const rig::Skin& skin : character.skins) {
    moving.insert(moving.end(), skin.joints.begin(), skin.joints.end());
  }
  for (const rig::MeshNode& node : character.mesh_nodes) {
    if (node.skin < 0) {
      moving.push_back(node.joint);
    }
  }
  const glm::dmat4& first = posed.by_joint[joints[0]];
  double size = 0;
  for (const int j : moving) {
    size =
        std::max(size, glm::distance(glm::dvec3(space.from_joint[j][3]), glm::dvec3(space.from_joint[joints[0]][3])));
  }
  return std::ranges::all_of(moving, [&](int j) {
    const glm::dmat4& by = posed.by_joint[j];
    for (int c = 0; c < 3; ++c) {
      if (glm::distance(glm::dvec3(by[c]), glm::dvec3(first[c])) > kUnbent * glm::length(glm::dvec3(first[c]))) {
        return false;
      }
    }
    const glm::dvec4 head = space.from_joint[j][3];
    return glm::distance(glm::dvec3(by * head), glm::dvec3(first * head)) <= kUnbent * std::max(size, 1e-9);
  });
}

// Where the vertices of a primitive stand in the pose, by linear blending; those without weights stay with the node.
void pose_vertices(const rig::Character& character, int mesh, const glm::dmat4& from_mesh, const PosedSpace& posed,
                   mesh::Primitive& primitive, const mesh::Influences& influences) {
  const rig::MeshNode* const node = node_of(character, mesh);
  const rig::Skin* const skin = node != nullptr && node->skin >= 0 ? &character.skins[node->skin] : nullptr;
  std::vector<glm::dmat4> by_slot;
  for (std::size_t k = 0; skin != nullptr && k < skin->joints.size(); ++k) {
    by_slot.push_back(posed.from_joint[skin->joints[k]] * glm::dmat4(skin->joint_from_mesh[k]));
  }
  const glm::dmat4 by_node = (node != nullptr ? posed.by_joint[node->joint] : glm::dmat4(1.0)) * from_mesh;
  std::vector<glm::vec3>& positions = primitive.positions.edit();
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const glm::dvec4 bound(positions[v], 1.0);
    glm::dvec3 at(0.0);
    double sum = 0;
    if (skin != nullptr && !influences.empty()) {
      const mesh::InfluenceRow row = influences.row(v);
      for (std::size_t k = 0; k < row.joints.size(); ++k) {
        at += double{row.weights[k]} * glm::dvec3(by_slot[row.joints[k]] * bound);
        sum += double{row.weights[k]};
      }
    }
    positions[v] = glm::vec3(sum > 0 ? at / sum : glm::dvec3(by_node * bound));
  }
}

// "nodes 2 (here), 5 (there) and 3 more"
std::string named_nodes(const rig::Character& character, std::span<const rig::MeshNode* const> nodes) {
  constexpr std::size_t kNamed = 4;
  std::string text = nodes.size() == 1 ? "node " : "nodes ";
  const std::size_t shown = nodes.size() <= kNamed ? nodes.size() : kNamed - 1;
  for (std::size_t k = 0; k < shown; ++k) {
    const std::string& name = character.skeleton->name[nodes[k]->joint];
    text += k == 0 ? "" : k + 1 == nodes.size() ? " and " : ", ";
    text += std::to_string(nodes[k]->joint) + (name.empty() ? "" : " (" + printable(name) + ")");
  }
  return shown < nodes.size() ? text + " and " + std::to_string(nodes.size() - shown) + " more" : text;
}

bool same_place(const glm::dmat4& a, const glm::dmat4& b) {
  constexpr double kSameMatrix = 1e-6;
  double largest = 1;
  double difference = 0;
  for (int c = 0; c < 4; ++c) {
    for (int r = 0; r < 4; ++r) {
      largest = std::max(largest, std::abs(a[c][r]));
      difference = std::max(difference, std::abs(a[c][r] - b[c][r]));
    }
  }
  return difference <= kSameMatrix * largest;
}

Result<std::vector<int>> meshes_to_bind(const rig::Character& character, const Request& request,
                                        std::vector<std::string>& left_out) {
  std::vector<int> meshes = request.meshes;
  for (const int mesh : meshes) {
    if (!has_index(character.meshes, mesh)) {
      return error("mesh {}: expected 0 to {}", mesh, static_cast<int>(character.meshes.size()) - 1);
    }
    if (const std::string why = why_not_bound(character, mesh); !why.empty()) {
      return error("{}", why);
    }
  }
  for (const bool skinned : {true, false}) {
    for (const rig::MeshNode& node : character.mesh_nodes) {
      if (meshes.empty() && (node.skin >= 0) == skinned) {
        for (const rig::MeshNode& one : character.mesh_nodes) {
          if ((one.skin >= 0) == skinned) {
            meshes.push_back(one.mesh);
          }
        }
      }
    }
  }
  std::ranges::sort(meshes);
  meshes.erase(std::ranges::unique(meshes).begin(), meshes.end());
  std::erase_if(meshes, [&](int mesh) {
    std::string why = why_not_bound(character, mesh);
    if (why.empty()) {
      return false;
    }
    left_out.push_back(std::move(why));
    return true;
  });
  if (meshes.empty() && !left_out.empty()) {
    return error("{}", left_out[0]);
  }
  return meshes;
}

// All vertices of the meshes, welded where they stand. @param posed  null: as bound
void add_surface(const rig::Character& character, std::span<const int> meshes, const PosedSpace* posed,
                 CharacterProblem& out) {
  std::vector<mesh::Primitive> placed;
  std::size_t count = 0;
  for (const int m : meshes) {
    const glm::dmat4& from_mesh = out.bind_from_mesh[m];
    const SharedList<mesh::Primitive>& primitives = character.meshes[m].primitives;
    for (std::size_t p = 0; p < primitives.size(); ++p) {
      const mesh::Primitive& source = primitives[p];
      mesh::Primitive& primitive = placed.emplace_back();
      primitive.topology = source.topology;
      primitive.indices = source.indices;
      primitive.positions = source.positions;
      if (posed != nullptr) {
        pose_vertices(character, m, from_mesh, *posed, primitive, source.influences);
      } else if (from_mesh != glm::dmat4(1.0)) {
        for (glm::vec3& position : primitive.positions.edit()) {
          position = glm::vec3(from_mesh * glm::dvec4(position, 1.0));
        }
      }
      out.parts.push_back({m, static_cast<int>(p), count});
      count += source.vertex_count();
    }
  }
  const mesh::Influences none;
  std::vector<const mesh::Primitive*> primitives;
  const std::vector<const mesh::Influences*> influences(placed.size(), &none);
  for (const mesh::Primitive& primitive : placed) {
    primitives.push_back(&primitive);
  }
  const mesh::MeshSurface surface = mesh::make_mesh_surface(primitives, influences);
  out.place = surface.welded;
  for (const std::uint32_t v : surface.representative) {
    const mesh::VertexPlace at = mesh::place_of(surface, v);
    out.problem.positions.emplace_back(placed[at.primitive].positions[at.vertex]);
  }
  for (std::size_t t = 0; t + 2 < surface.triangles.size(); t += 3) {
    out.problem.triangles.push_back({surface.triangles[t], surface.triangles[t + 1], surface.triangles[t + 2]});
  }
}

// A pose to be bound in; nothing where it bends nothing.
Result<std::optional<PosedSpace>> bending_pose(const rig::Character& character, std::span<const glm::mat4> pose,
                                               std::span<const int> joints, std::span<const int> meshes,
                                               const BindSpace& space) {
  if (pose.size() != character.skeleton->parent.size()) {
    return error("the pose to bind in: expected {} joints, got {}", character.skeleton->size(), pose.size());
  }
  for (std::size_t j = 0; j < pose.size(); ++j) {
    for (int c = 0; c < 4; ++c) {
      for (int r = 0; r < 4; ++r) {
        if (!std::isfinite(pose[j][c][r])) {
          return error("the pose to bind in: joint {}: expected finite numbers", j);
        }
      }
    }
  }
  PosedSpace posed = posed_space(space, pose);
  if (is_unbent(character, joints, space, posed)) {
    return std::optional<PosedSpace>();
  }
  for (const int m : meshes) {
    const rig::MeshNode* const node = node_of(character, m);
    if (node == nullptr || node->skin < 0) {
      const std::string& name = character.meshes[m].name;
      return error("mesh {}{} has no weights that take it to the pose: bind it as it is first", m,
                   name.empty() ? "" : " (" + printable(name) + ")");
    }
  }
  return std::optional(std::move(posed));
}

// The pivots that bones of a joint go to: those far enough off, and of them those with a deforming joint at or below.
std::vector<int> chosen_children(std::span<const int> children, std::span<const char> carries,
                                 std::span<const glm::dmat4> from_joint, int j, double near) {
  std::vector<int> chosen;
  bool carried = false;
  for (const int child : children) {
    if (glm::length(glm::dvec3(from_joint[child][3]) - glm::dvec3(from_joint[j][3])) <= near) {
      continue;
    }
    if (carries[child] != 0 && !carried) {
      carried = true;
      chosen.clear();
    }
    if ((carries[child] != 0) == carried) {
      chosen.push_back(child);
    }
  }
  return chosen;
}

// @param from_joint  [J] to the problem's space, where the bones lie
void add_bones(const rig::Character& character, std::span<const int> joints, bool mean_tails,
               std::span<const glm::dmat4> from_joint, CharacterProblem& out) {
  const rig::Skeleton& skeleton = character.skeleton;
  const std::size_t count = skeleton.parent.size();
  const double diagonal = out.problem.diagonal;
  std::vector<char> pivot = pivots_of(character);
  std::vector<int> bone(count, -1);
  for (std::size_t b = 0; b < joints.size(); ++b) {
    bone[joints[b]] = static_cast<int>(b);
    pivot[joints[b]] = 1;
  }
  std::vector<char> carries(count, 0);
  for (int j = skeleton.size() - 1; j >= 0; --j) {
    carries[j] = static_cast<char>(carries[j] != 0 || bone[j] >= 0);
    if (skeleton.parent[j] >= 0 && carries[j] != 0) {
      carries[skeleton.parent[j]] = 1;
    }
  }
  const std::vector<std::vector<int>> below = pivots_below(skeleton, pivot);
  std::vector<glm::dvec3> along(count, glm::dvec3(0.0));  // [J] from the pivot to the mean of the tails
  out.problem.bones.resize(joints.size());
  for (int j = 0; j < skeleton.size(); ++j) {
    const glm::dvec3 head(from_joint[j][3]);
    int above = skeleton.parent[j];
    while (above >= 0 && pivot[above] == 0) {
      above = skeleton.parent[above];
    }
    std::vector<glm::dvec3> tails;
    for (const int child : chosen_children(below[j], carries, from_joint, j, kNearTail * diagonal)) {
      tails.emplace_back(from_joint[child][3]);
      along[j] += tails.back() - head;
    }
    if (!tails.empty()) {
      along[j] /= static_cast<double>(tails.size());
    } else if (above >= 0) {
      along[j] = head - glm::dvec3(from_joint[above][3]);
    }
    if (glm::length(along[j]) <= kNearTail * diagonal) {
      along[j] = {0, kStub * diagonal, 0};
    }
    if (tails.empty() || mean_tails) {
      tails = {head + along[j]};
    }
    if (bone[j] < 0) {
      continue;
    }
    int parent = skeleton.parent[j];
    while (parent >= 0 && bone[parent] < 0) {
      parent = skeleton.parent[parent];
    }
    out.problem.bones[bone[j]] = {j, parent >= 0 ? bone[parent] : -1, head, std::move(tails)};
  }
}

// By hand, for the joints that have a bone.
void place_volumes(std::span<const JointVolume> volumes, std::span<const glm::dmat4> from_joint,
                   CharacterProblem& out) {
  for (std::size_t b = 0; b < out.problem.bone_count(); ++b) {
    const int joint = out.problem.bones[b].joint;
    for (const JointVolume& volume : volumes) {
      if (volume.joint == joint) {
        out.problem.volumes.push_back(placed(volume, b, from_joint[joint]));
      }
    }
  }
}

}  // namespace

std::string why_not_bound(const rig::Character& character, int mesh) {
  std::vector<const rig::MeshNode*> skinned;
  std::vector<const rig::MeshNode*> plain;
  for (const rig::MeshNode& node : character.mesh_nodes) {
    if (node.mesh == mesh) {
      (node.skin >= 0 ? skinned : plain).push_back(&node);
    }
  }
  const std::string& name = character.meshes[mesh].name;
  const std::string what = "mesh " + std::to_string(mesh) + (name.empty() ? "" : " (" + printable(name) + ")");
  const auto has_other_joints = [&](const rig::MeshNode* node) {
    return character.skins[node->skin].joints != character.skins[skinned[0]->skin].joints;
  };
  if (std::ranges::any_of(skinned, has_other_joints)) {
    return what + " hangs on skins of different joints by " + named_nodes(character, skinned) +
           ", which its one list of weights cannot follow";
  }
  if (skinned.empty() && plain.size() > 1) {
    const std::vector<glm::dmat4> world = rest_world(character);
    if (!std::ranges::all_of(
            plain, [&](const rig::MeshNode* node) { return same_place(world[node->joint], world[plain[0]->joint]); })) {
      return what + " stands at different places by " + named_nodes(character, plain) + ", which no one skin can hold";
    }
  }
  return {};
}

Result<CharacterProblem> make_problem(const rig::Character& character, const Request& request) {
  CharacterProblem out;
  std::vector<int> joints = request.joints.empty() ? proposed_joints(character) : request.joints;
  std::ranges::sort(joints);
  joints.erase(std::ranges::unique(joints).begin(), joints.end());
  for (const int j : joints) {
    if (!has_index(character.skeleton->parent, j)) {
      return error("joint {}: expected 0 to {}", j, character.skeleton->size() - 1);
    }
  }
  constexpr std::size_t kMostBones = 65535;
  if (joints.empty() || joints.size() > kMostBones) {
    return error("expected 1 to {} joints to bind to, got {}", kMostBones, joints.size());
  }
  PELT_TRY_TO(const std::vector<int> meshes, meshes_to_bind(character, request, out.problem.left_out));
  BindSpace space = bind_space(character);
  std::optional<PosedSpace> posed;
  if (!request.pose.empty()) {
    PELT_TRY_TO(posed, bending_pose(character, request.pose, joints, meshes, space));
  }
  out.is_posed = posed.has_value();
  out.bind_from_joint = std::move(space.from_joint);
  out.bind_from_mesh = std::move(space.from_mesh);
  add_surface(character, meshes, posed ? &*posed : nullptr, out);
  if (out.problem.positions.empty()) {
    return error("the character has no vertices to bind");
  }
  finish(out.problem);
  const std::vector<glm::dmat4> from_joint = posed ? std::move(posed->from_joint) : out.bind_from_joint;
  add_bones(character, joints, request.mean_tails, from_joint, out);
  for (const Bone& bone : out.problem.bones) {
    out.names.push_back(character.skeleton->label(bone.joint));
  }
  place_volumes(request.volumes, from_joint, out);
  return out;
}

WorldSurface rest_surface(const rig::Character& character, int mesh) {
  const std::vector<glm::dmat4> world = rest_world(character);
  WorldSurface out;
  for (const rig::MeshNode& node : character.mesh_nodes) {
    if (mesh >= 0 && node.mesh != mesh) {
      continue;
    }
    const rig::Skin* const skin = node.skin >= 0 ? &character.skins[node.skin] : nullptr;
    std::vector<const mesh::Primitive*> primitives;
    std::vector<const mesh::Influences*> influences;
    for (const mesh::Primitive& primitive : character.meshes[node.mesh].primitives) {
      primitives.push_back(&primitive);
      influences.push_back(&*primitive.influences);
    }
    const mesh::MeshSurface surface = mesh::make_mesh_surface(primitives, influences);
    const auto first = static_cast<std::uint32_t>(out.positions.size());
    for (const std::uint32_t v : surface.representative) {
      const mesh::VertexPlace place = mesh::place_of(surface, v);
      const glm::dvec4 p(primitives[place.primitive]->positions[place.vertex], 1.0);
      const mesh::Influences& rows = *influences[place.primitive];
      if (skin == nullptr || rows.empty() || rows.count(place.vertex) == 0) {
        out.positions.emplace_back(world[node.joint] * p);
        continue;
      }
      glm::dvec3 at(0.0);
      const mesh::InfluenceRow row = rows.row(place.vertex);
      for (std::size_t k = 0; k < row.joints.size(); ++k) {
        const glm::dmat4 joint_from_mesh(skin->joint_from_mesh[row.joints[k]]);
        at += double{row.weights[k]} * glm::dvec3(world[skin->joints[row.joints[k]]] * joint_from_mesh * p);
      }
      out.positions.push_back(at);
    }
    for (std::size_t t = 0; t + 2 < surface.triangles.size(); t += 3) {
      out.triangles.push_back(
          {first + surface.triangles[t], first + surface.triangles[t + 1], first + surface.triangles[t + 2]});
    }
  }
  return out;
}

Result<JointVolume> volume_of_surface(std::string name, WorldSurface surface, const rig::Character& character,
                                      const CharacterProblem& problem, int joint) {
  const std::vector<Bone>& bones = problem.problem.bones;
  const auto bone = std::ranges::find(bones, joint, &Bone::joint);
  if (!has_index(character.skeleton->parent, joint)) {
    return error("joint {}: the character has {}", joint, character.skeleton->size());
  }
  if (bone == bones.end()) {
    return error("{}: the joint of a volume has to deform", printable(character.skeleton->label(joint)));
  }
  const glm::dmat4 world = rest_world(character)[joint];
  if (!(std::abs(glm::determinant(glm::dmat3(world))) > 0)) {
    return error("{}: a joint of no size carries no volume", printable(character.skeleton->label(joint)));
  }
  const glm::dmat4 from_world = problem.bind_from_joint[joint] * glm::inverse(world);
  for (glm::dvec3& p : surface.positions) {
    p = glm::dvec3(from_world * glm::dvec4(p, 1.0));
  }
  PELT_TRY_TO(const Volume volume, mesh_volume(std::move(name), surface.positions, std::move(surface.triangles), *bone,
                                               static_cast<std::size_t>(bone - bones.begin())));
  return on_joint(volume, joint, problem.bind_from_joint[joint]);
}

}  // namespace pelt::bind
