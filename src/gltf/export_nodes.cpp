// The nodes of a file that is written, and what hangs on them: skins, cameras, lights, instances, scenes.
#include <algorithm>

#include <fmt/format.h>

#include "core/index.h"
#include "gltf/export_instances.h"
#include "gltf/export_materials.h"
#include "gltf/export_writer.h"

namespace pelt::gltf {
namespace {

Json quat_json(const glm::quat& q) {
  return Json::array({q.x, q.y, q.z, q.w});
}

Json dofs_json(const rig::JointDofs& joint) {
  constexpr const char* kKinds[] = {"rotation", "translation", "scale"};
  Json dofs = Json::array();
  for (const rig::Dof& dof : joint.dofs) {
    Json out = {{"name", dof.name},          {"kind", kKinds[static_cast<int>(dof.kind)]},
                {"axis", json_of(dof.axis)}, {"lower", dof.lower},
                {"upper", dof.upper},        {"default", dof.default_value}};
    if (dof.folded) {
      out["folded"] = true;
    }
    dofs.push_back(std::move(out));
  }
  Json pelt = {{"dofs", std::move(dofs)},
               {"offset", json_of(joint.offset)},
               {"orientation", quat_json(joint.orientation)},
               {"rotation", joint.rotation == rig::RotationKind::kAxes ? "axes" : "vector"}};
  if (joint.scale != glm::vec3(1.0f)) {
    pelt["scale"] = json_of(joint.scale);
  }
  if (joint.swing_limit) {
    pelt["swingLimit"] = *joint.swing_limit;
  }
  return pelt;
}

}  // namespace

void Writer::take_out_instances() {
  instances_ = writable_instances(character_);
  std::vector<char> is_node(node_of_.size(), 1);  // by number
  for (const rig::Instances* instances : instances_) {
    for (const int j : instances->joints) {
      is_node[node_of(j)] = 0;
    }
  }
  // Nodes of the file come before what was made of instances, so they keep their numbers.
  std::vector<int> number(is_node.size(), -1);
  int next = 0;
  for (std::size_t n = 0; n < is_node.size(); ++n) {
    number[n] = is_node[n] != 0 ? next++ : -1;
  }
  for (int& n : node_of_) {
    n = number[n];
  }
  auto written = instances_.begin();  // in the character's order
  for (const rig::Instances& lost : character_.instances) {
    if (written != instances_.end() && *written == &lost) {
      ++written;
      continue;
    }
    const auto lose = [&](const char* code, const std::string& what) {
      exported_.notes.push_back({Severity::kWarning, code, fmt::format("node {}", node_of(lost.joint)),
                                 fmt::format("its instances are written as nodes, without {}", what)});
    };
    if (!lost.unshown.empty()) {
      lose("instances-lost", fmt::format("the {} that are not shown", lost.unshown.size()));
    }
    if (!lost.kept.empty()) {
      lose("attribute-lost",
           mesh::label(lost.kept.front()) +
               (lost.kept.size() > 1 ? fmt::format(" and {} more", lost.kept.size() - 1) : std::string()));
    }
  }
}

Json Writer::instances_json(const rig::Instances& instances) {
  std::vector<glm::vec3> translations;
  std::vector<glm::vec4> rotations;
  std::vector<glm::vec3> scales;
  bool turns = false;
  const auto add = [&](const Transform& place) {
    translations.push_back(place.translation);
    rotations.emplace_back(place.rotation.x, place.rotation.y, place.rotation.z, place.rotation.w);
    scales.push_back(place.scale);
    turns = turns || place.rotation != kIdentityQuat;
  };
  for (const int j : instances.joints) {
    add(character_.skeleton->rest[j]);
  }
  std::for_each(instances.unshown.begin(), instances.unshown.end(), add);
  const auto all_are = [](const std::vector<glm::vec3>& values, float value) {
    return std::all_of(values.begin(), values.end(), [&](const glm::vec3& v) { return v == glm::vec3(value); });
  };
  Json attributes = Json::object();
  // At least one attribute says how many there are.
  if (!all_are(translations, 0) || instances.kept.empty()) {
    attributes["TRANSLATION"] = buffers_.add_vectors(translations, "TRANSLATION");
  }
  if (turns) {
    attributes["ROTATION"] = buffers_.add_vectors(rotations, "ROTATION");
  }
  if (!all_are(scales, 1)) {
    attributes["SCALE"] = buffers_.add_vectors(scales, "SCALE");
  }
  for (const mesh::KeptAttribute& kept : instances.kept) {
    attributes[kept.name] = primitives_.add_kept(kept, {});
  }
  return {{"attributes", std::move(attributes)}};
}

std::vector<int> Writer::nodes_of(const std::vector<int>& joints) const {
  std::vector<int> out;
  for (const int j : joints) {
    out.push_back(node_of(j));
  }
  return out;
}

Result<Json> Writer::node_json(std::size_t j) const {
  const rig::Skeleton& skeleton = character_.skeleton;
  Json node = Json::object();
  if (j < skeleton.name.size() && !skeleton.name[j].empty()) {
    node["name"] = skeleton.name[j];
  }
  const Transform& rest = skeleton.rest[j];
  if (!finite(rest.translation) || !finite(rest.rotation) || !finite(rest.scale)) {
    return error("node {}: its transform is not finite", j);
  }
  if (!skeleton.rest_residual.empty() && skeleton.rest_residual[j] != glm::mat4(1.0f)) {
    const glm::mat4 matrix = to_matrix(rest) * skeleton.rest_residual[j];
    Json values = Json::array();
    for (int i = 0; i < 16; ++i) {
      values.push_back(matrix[i / 4][i % 4]);
    }
    node["matrix"] = std::move(values);
  } else {
    if (rest.translation != glm::vec3(0.0f)) {
      node["translation"] = json_of(rest.translation);
    }
    if (rest.rotation != kIdentityQuat) {
      node["rotation"] = quat_json(rest.rotation);
    }
    if (rest.scale != glm::vec3(1.0f)) {
      node["scale"] = json_of(rest.scale);
    }
  }
  if (j < skeleton.dofs.size() && skeleton.dofs[j].authored) {
    node["extras"] = {{"pelt", dofs_json(skeleton.dofs[j])}};
  }
  return node;
}

Status Writer::carry_meshes(std::vector<Json>& nodes) {
  on_grid_node_.assign(nodes.size(), 0);
  std::set<int> single_weights;  // joints; a pointer to one weight needs the node to have weights
  for (const rig::Clip& clip : character_.clips) {
    for (const rig::Channel& channel : clip.channels) {
      if (channel.morph_target >= 0) {
        single_weights.insert(channel.joint);
      }
    }
  }
  for (std::size_t i = 0; i < character_.mesh_nodes.size(); ++i) {
    const rig::MeshNode& mesh_node = character_.mesh_nodes[i];
    if (!has_index(nodes, mesh_node.joint)) {
      return error("mesh node {}: node {} does not exist, there are {}", i, mesh_node.joint, nodes.size());
    }
    if (!has_index(mesh_index_, mesh_node.mesh)) {
      return error("mesh node {}: mesh {} does not exist, there are {}", i, mesh_node.mesh, mesh_index_.size());
    }
    const std::size_t m = mesh_node.mesh;
    if (mesh_index_[m] < 0) {
      continue;
    }
    Json& node = nodes[mesh_node.joint];
    if (node.contains("mesh")) {
      return error("mesh node {}: node {} already carries a mesh, glTF allows one", i, mesh_node.joint);
    }
    node["mesh"] = mesh_index_[m];
    on_grid_node_[mesh_node.joint] = m < on_grid_.size() ? on_grid_[m] : 0;
    const mesh::Mesh& mesh = character_.meshes[m];
    if (mesh_node.skin >= 0) {
      node["skin"] = mesh_node.skin;
    }
    const std::size_t target_count = mesh.primitives.front().morph_targets.size();
    if (target_count > 0 && mesh_node.morph_weights.size() == target_count &&
        (mesh_node.morph_weights != mesh.morph_weights || single_weights.count(mesh_node.joint) != 0)) {
      node["weights"] = mesh_node.morph_weights;
    }
  }
  return {};
}

Status Writer::carry_cameras(std::vector<Json>& nodes) {
  Json cameras = Json::array();
  for (const rig::Camera* camera : by_source(character_.cameras, character_.spare_cameras)) {
    if (camera->joint >= 0 && !has_index(nodes, camera->joint)) {
      return error("camera {}: node {} does not exist, there are {}", cameras.size(), camera->joint, nodes.size());
    }
    const std::size_t index = add_shared(cameras, camera_json(*camera), camera->source, "/cameras", camera_index_);
    if (camera->joint < 0) {
      continue;
    }
    Json& node = nodes[camera->joint];
    if (node.contains("camera")) {
      return error("camera {}: node {} already carries a camera, glTF allows one", index, camera->joint);
    }
    node["camera"] = index;
  }
  if (!cameras.empty()) {
    root_["cameras"] = std::move(cameras);
  }
  return {};
}

Status Writer::carry_lights(std::vector<Json>& nodes) {
  Json lights = Json::array();
  for (const rig::Light* light : by_source(character_.lights, character_.spare_lights)) {
    if (light->joint >= 0 && !has_index(nodes, light->joint)) {
      return error("light {}: node {} does not exist, there are {}", lights.size(), light->joint, nodes.size());
    }
    const std::size_t index =
        add_shared(lights, light_json(*light), light->source, "/extensions/KHR_lights_punctual/lights", light_index_);
    if (light->joint < 0) {
      continue;
    }
    Json& node = nodes[light->joint];
    if (node.contains("extensions")) {
      return error("light {}: node {} already carries a light, glTF allows one", index, light->joint);
    }
    node["extensions"]["KHR_lights_punctual"] = {{"light", index}};
  }
  if (!lights.empty()) {
    extensions_.used.insert("KHR_lights_punctual");
    root_["extensions"]["KHR_lights_punctual"] = {{"lights", std::move(lights)}};
  }
  return {};
}

void Writer::carry_instances(std::vector<Json>& nodes) {
  for (const rig::Instances* instances : instances_) {
    Json& node = nodes[instances->joint];
    if (!instances->joints.empty()) {
      const Json& first = nodes[instances->joints.front()];
      if (!first.contains("mesh")) {
        exported_.notes.push_back({Severity::kWarning, "instances-lost",
                                   fmt::format("node {}", node_of(instances->joint)),
                                   fmt::format("its {} instances are left out: their mesh is empty and not written",
                                               instances->joints.size() + instances->unshown.size())});
        continue;
      }
      node["mesh"] = first["mesh"];
      if (first.contains("weights")) {
        node["weights"] = first["weights"];
      }
      if (on_grid_node_[instances->joints.front()] != 0) {
        extensions_.require("EXT_mesh_gpu_instancing");  // the mesh alone is in the grid's units
      }
    }
    node["extensions"]["EXT_mesh_gpu_instancing"] = instances_json(*instances);
    extensions_.used.insert("EXT_mesh_gpu_instancing");
  }
}

Status Writer::write_nodes() {
  std::vector<Json> nodes(character_.skeleton->parent.size(), Json::object());  // by joint
  for (std::size_t j = 0; j < nodes.size(); ++j) {
    PELT_TRY_TO(Json node, node_json(j));
    nodes[j] = std::move(node);
    const int parent = character_.skeleton->parent[j];
    if (parent >= 0 && node_of(static_cast<int>(j)) >= 0) {
      nodes[parent]["children"].push_back(node_of(static_cast<int>(j)));
    }
  }
  for (const auto carry : {&Writer::carry_meshes, &Writer::carry_cameras, &Writer::carry_lights}) {
    if (Status carried = (this->*carry)(nodes); !carried) {
      return carried;
    }
  }
  carry_instances(nodes);
  if (nodes.empty()) {
    return {};
  }
  std::vector<Json> ordered(static_cast<std::size_t>(*std::max_element(node_of_.begin(), node_of_.end())) + 1);
  for (std::size_t j = 0; j < nodes.size(); ++j) {
    if (node_of(static_cast<int>(j)) < 0) {
      continue;
    }
    if (!renumbered_.nodes) {
      restore(nodes[j], fmt::format("/nodes/{}", node_of(static_cast<int>(j))));
    }
    ordered[node_of(static_cast<int>(j))] = std::move(nodes[j]);
  }
  add_constraints(ordered);
  root_["nodes"] = Json::array();
  for (Json& node : ordered) {
    root_["nodes"].push_back(std::move(node));
  }
  return {};
}

// Where the file's own words for them are kept, these stand there already.
void Writer::add_constraints(std::vector<Json>& nodes) {
  constexpr const char* kName = "VRMC_node_constraint";
  for (const rig::NodeConstraint& constraint : character_.constraints) {
    const int node = node_of(constraint.joint);
    const int source = node_of(constraint.source);
    if (node < 0 || source < 0) {
      continue;
    }
    Json body = {{"source", source}, {"weight", constraint.weight}};
    const glm::vec3& axis = constraint.axis;
    const int along = axis.x != 0 ? 0 : axis.y != 0 ? 1 : 2;
    const char letter = "XYZ"[along];
    const char* kind = "rotation";
    if (constraint.kind == rig::ConstraintKind::kRoll) {
      kind = "roll";
      body["rollAxis"] = std::string(1, letter);
    } else if (constraint.kind == rig::ConstraintKind::kAim) {
      kind = "aim";
      body["aimAxis"] = fmt::format("{}{}", axis[along] < 0 ? "Negative" : "Positive", letter);
    }
    Json& extensions = nodes[static_cast<std::size_t>(node)]["extensions"];
    if (!extensions.contains(kName)) {
      extensions[kName] = {{"specVersion", "1.0"}, {"constraint", {{kind, std::move(body)}}}};
      extensions_.used.insert(kName);
    }
  }
}

Status Writer::write_skins() {
  for (std::size_t s = 0; s < character_.skins.size(); ++s) {
    const rig::Skin& skin = character_.skins[s];
    if (skin.joints.empty()) {
      return error("skin {}: expected at least one joint, got none", s);
    }
    Json out = Json::object();
    if (!skin.name.empty()) {
      out["name"] = skin.name;
    }
    if (skin.has_inverse_binds) {
      if (skin.joint_from_mesh.size() != skin.joints.size()) {
        return error("skin {}: inverse bind matrices: expected {}, got {}", s, skin.joints.size(),
                     skin.joint_from_mesh.size());
      }
      out["inverseBindMatrices"] =
          buffers_.add_accessor({.stream = "inverseBindMatrices",
                                 .bytes = bytes_of(skin.joint_from_mesh),
                                 .components = 4,
                                 .columns = 4,
                                 .count = skin.joint_from_mesh.size()},
                                ViewUse::kData, form_.string_at(fmt::format("/skins/{}/inverseBindMatrices", s)));
    }
    if (skin.skeleton_root >= 0) {
      out["skeleton"] = node_of(skin.skeleton_root);
    }
    out["joints"] = nodes_of(skin.joints);
    restore(out, fmt::format("/skins/{}", s));
    root_["skins"].push_back(std::move(out));
  }
  return {};
}

void Writer::write_scenes() {
  if (character_.skeleton->size() == 0) {
    return;
  }
  std::vector<rig::Scene> scenes = character_.scenes;
  if (scenes.empty()) {
    scenes.emplace_back();
    for (int j = 0; j < character_.skeleton->size(); ++j) {
      if (character_.skeleton->parent[j] < 0) {
        scenes.back().roots.push_back(j);
      }
    }
  }
  root_["scene"] = std::clamp(character_.scene, 0, static_cast<int>(scenes.size()) - 1);
  for (std::size_t s = 0; s < scenes.size(); ++s) {
    Json out = Json::object();
    if (!scenes[s].name.empty()) {
      out["name"] = scenes[s].name;
    }
    if (!scenes[s].roots.empty()) {
      out["nodes"] = nodes_of(scenes[s].roots);
    }
    restore(out, fmt::format("/scenes/{}", s));
    root_["scenes"].push_back(std::move(out));
  }
}

}  // namespace pelt::gltf
