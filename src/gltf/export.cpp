#include "gltf/export.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/text.h"
#include "gltf/export_buffers.h"
#include "gltf/export_files.h"
#include "gltf/export_instances.h"
#include "gltf/export_materials.h"
#include "gltf/export_primitives.h"
#include "gltf/image_codec.h"
#include "gltf/kept.h"
#include "gltf/source_form.h"
#include "gltf/uri.h"
#include "rig/conversions.h"

namespace pelt::gltf {
namespace {

static_assert(std::endian::native == std::endian::little,
              "glTF is little-endian and attributes are copied as they are");

Json quat_json(const glm::quat& q) {
  return Json::array({q.x, q.y, q.z, q.w});
}

/// Part of a file's name that every system takes.
std::string safe_file_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool safe =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    out += safe ? c : '_';
  }
  return out.substr(0, 60);
}

class Writer {
 public:
  Writer(const rig::Character& character, const ExportOptions& options, std::vector<char> on_grid,
         const Progress& progress);

  Result<Exported> write();

 private:
  /// Where the writer puts the node that is joint j.
  [[nodiscard]] int node_of(int j) const { return node_of_[static_cast<std::size_t>(j)]; }
  [[nodiscard]] std::vector<int> nodes_of(const std::vector<int>& joints) const;
  /// Finds those that need no nodes, and numbers the others.
  void take_out_instances();
  /// The number in the new file of an image, -1 where it has none.
  [[nodiscard]] int image_of(int image) const {
    return image >= 0 && static_cast<std::size_t>(image) < image_index_.size()
               ? image_index_[static_cast<std::size_t>(image)]
               : -1;
  }
  /// Gives an object, and those that are members of it at any depth, the extras and extensions that the source file had
  /// there. Elements of lists have numbers of their own: theirs are given to them one by one.
  void restore(Json& object, const std::string& place);
  void restore_one(Json& object, const rig::KeptJson& kept);
  /// The object that a JSON pointer names below `object`, null where there is none. In a material those are made that
  /// say nothing while they are empty.
  Json* object_at(Json& object, std::string_view pointer, bool of_material);
  /// The place in `list` of what several nodes may share: the same for one `source`, or, without one, for equal
  /// content.
  /// @param list_place  JSON pointer of the list in the source file
  std::size_t add_shared(Json& list, Json value, int source, const char* list_place,
                         std::map<int, std::size_t>& index_of_source);
  /// The object of EXT_mesh_gpu_instancing.
  Json instances_json(const rig::Instances& instances);
  Status write_meshes();
  Status write_nodes();
  Status write_skins();
  void write_materials();
  void write_textures();
  Status write_images();
  Status write_clips();
  /// The target of a channel of KHR_animation_pointer.
  Json pointer_json(std::string pointer);
  /// The same of a property; null where that is not in the file.
  Json pointer_target(const rig::PropertyChannel& channel);
  /// Key times and values. @param sampler  its place in the source file
  int add_key_times(const rig::Channel& keys, const std::string& sampler) {
    return buffers_.add_shared({.stream = "times", .bytes = bytes_of(keys.times), .count = keys.times.size()}, true,
                               form_.string_at(sampler + "/input"));
  }
  int add_key_values(const rig::Channel& keys, std::string_view stream, const std::string& sampler);
  int add_property_keys(const rig::PropertyChannel& channel, const std::string& sampler);
  void write_scenes();
  void write_extensions();
  Result<Exported> pack();

  const rig::Character& character_;
  const ExportOptions& options_;
  const Progress& progress_;
  std::vector<char> on_grid_;  ///< [meshes] coordinates lie between 0 and 1, to be written as integers
  Json root_ = Json::object();
  SourceForm form_;
  BufferWriter buffers_;
  ExtensionLists extensions_;
  PrimitiveWriter primitives_;
  std::vector<const rig::Instances*> instances_;  ///< those that are no nodes in the file
  std::vector<int> node_of_;                      ///< [J], -1 for these
  std::vector<int> image_index_;                  ///< of each image in the file, -1 where it has no bytes
  std::vector<int> mesh_index_;                   ///< of each mesh in the file, -1 where it has no vertices
  std::map<int, std::size_t> camera_index_;       ///< by Camera::source
  std::map<int, std::size_t> light_index_;        ///< by Light::source
  std::vector<float> emissive_strength_;          ///< of each material, see material_json()
  std::set<std::pair<int, std::string>> moved_;   ///< material and the object in it of which a clip moves a member
  Renumbered renumbered_;
  std::multimap<std::string_view, const rig::KeptJson*> kept_;
  Exported exported_;
};

bool moves_nothing(const rig::Clip& clip) {
  return clip.channels.empty() && clip.properties.empty();
}

bool is_empty(const mesh::Primitive& primitive) {
  return primitive.vertex_count() == 0 || primitive.indices.empty();
}

bool is_writable(const rig::Image& image) {
  return !sniff_mime_type(image.encoded).empty() ||
         (image.width > 0 && image.height > 0 &&
          image.pixels.size() == 4 * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height));
}

/// What nodes carry and what none carries, in the order of the file's numbers; those that are from no file come last.
template <typename T>
std::vector<const T*> by_source(const std::vector<T>& carried, const std::vector<T>& spare) {
  std::vector<const T*> out;
  for (const std::vector<T>* list : {&carried, &spare}) {
    for (const T& one : *list) {
      out.push_back(&one);
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const T* a, const T* b) {
    return static_cast<unsigned>(a->source) < static_cast<unsigned>(b->source);
  });
  return out;
}

constexpr float kMostEmissiveStrength = 1e6f;

/// Large enough for a factor of at most 1, also while clips move it; no larger than the importer takes, lest one absurd
/// key make everything else black.
std::vector<float> emissive_strengths(const rig::Character& character) {
  std::vector<float> out;
  for (const rig::Material& material : character.materials) {
    out.push_back(std::max({1.0f, material.emissive.x, material.emissive.y, material.emissive.z}));
  }
  for (const rig::Clip& clip : character.clips) {
    for (const rig::PropertyChannel& channel : clip.properties) {
      if (channel.owner != rig::PropertyOwner::kMaterial || channel.property != "emissiveFactor" ||
          static_cast<std::size_t>(channel.index) >= out.size()) {
        continue;
      }
      float& strength = out[static_cast<std::size_t>(channel.index)];
      const bool cubic = channel.keys.interpolation == rig::Interpolation::kCubicSpline;
      for (std::size_t i = 0; i < channel.keys.values.size(); ++i) {
        if (!cubic || i / 3 % 3 == 1) {  // between the tangents
          strength = std::max(strength, channel.keys.values[i]);
        }
      }
      strength = std::min(strength, kMostEmissiveStrength);
    }
  }
  return out;
}

Writer::Writer(const rig::Character& character, const ExportOptions& options, std::vector<char> on_grid,
               const Progress& progress)
    : character_(character),
      options_(options),
      progress_(progress),
      on_grid_(std::move(on_grid)),
      form_(character.kept),
      buffers_(options.meshopt),
      primitives_(options, form_, buffers_, extensions_),
      emissive_strength_(emissive_strengths(character)) {
  // The source's numbers, where they number all nodes: what is kept refers to nodes by them, and so do pose files.
  const auto count = static_cast<std::size_t>(character.skeleton.size());
  node_of_ = character.skeleton.source_node;
  std::vector<char> taken(count, 0);
  for (const int n : node_of_) {
    renumbered_.nodes = renumbered_.nodes || n < 0 || static_cast<std::size_t>(n) >= count ||
                        std::exchange(taken[static_cast<std::size_t>(n)], 1) != 0;
  }
  if (renumbered_.nodes || node_of_.size() != count) {
    renumbered_.nodes = true;
    node_of_.resize(count);
    std::iota(node_of_.begin(), node_of_.end(), 0);
  }
  take_out_instances();
  int meshes = 0;
  for (const mesh::Mesh& mesh : character.meshes) {
    const bool dropped = std::all_of(mesh.primitives.begin(), mesh.primitives.end(), is_empty);
    mesh_index_.push_back(dropped ? -1 : meshes++);
    renumbered_.meshes = renumbered_.meshes || dropped;
  }
  int images = 0;
  for (const rig::Image& image : character.images) {
    image_index_.push_back(is_writable(image) ? images++ : -1);
    renumbered_.images = renumbered_.images || image_index_.back() < 0;
  }
  renumbered_.clips = std::any_of(character.clips.begin(), character.clips.end(), moves_nothing);
  int lights = 0;
  for (const rig::Light* light : by_source(character.lights, character.spare_lights)) {
    // Nodes may share one, then it keeps the number it got.
    renumbered_.lights = renumbered_.lights || light->source > lights;
    lights = std::max(lights, light->source + 1);
  }
  for (const rig::KeptJson& kept : character.kept) {
    if (!kept.place.starts_with(kFormPlace)) {
      kept_.emplace(kept.place, &kept);
    }
  }
}

void Writer::take_out_instances() {
  instances_ = writable_instances(character_);
  std::vector<char> is_node(node_of_.size(), 1);  // by number
  for (const rig::Instances* instances : instances_) {
    for (const int j : instances->joints) {
      is_node[static_cast<std::size_t>(node_of(j))] = 0;
    }
  }
  // Nodes of the file come before what was made of instances, so they keep their numbers.
  std::vector<int> number(is_node.size(), -1);
  int next = 0;
  for (std::size_t n = 0; n < is_node.size(); ++n) {
    number[n] = is_node[n] != 0 ? next++ : -1;
  }
  for (int& n : node_of_) {
    n = number[static_cast<std::size_t>(n)];
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
    add(character_.skeleton.rest[static_cast<std::size_t>(j)]);
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

void Writer::restore(Json& object, const std::string& place) {
  for (auto entry = kept_.lower_bound(place); entry != kept_.end() && entry->first.starts_with(place);) {
    Json* target = object_at(object, entry->first.substr(place.size()), place.starts_with("/materials/"));
    if (target == nullptr) {
      ++entry;
      continue;
    }
    restore_one(*target, *entry->second);
    entry = kept_.erase(entry);
  }
}

Json* Writer::object_at(Json& object, std::string_view pointer, bool of_material) {
  if (!pointer.empty() && pointer.front() != '/') {
    return nullptr;  // another place that begins with the same letters
  }
  constexpr std::array<std::string_view, 7> kMayBeEmpty = {
      "KHR_materials_clearcoat", "KHR_materials_emissive_strength", "KHR_materials_ior",    "KHR_materials_sheen",
      "KHR_materials_specular",  "KHR_materials_transmission",      "KHR_texture_transform"};
  const auto may_be_empty = [&](std::string_view name) {
    return std::find(kMayBeEmpty.begin(), kMayBeEmpty.end(), name) != kMayBeEmpty.end();
  };
  const std::vector<std::string_view> names =
      pointer.empty() ? std::vector<std::string_view>() : split(pointer.substr(1), '/');
  Json* at = &object;
  for (std::size_t i = 0; i < names.size() && at->is_object(); ++i) {
    const std::string name(names[i]);
    if (!at->contains(name)) {
      const std::size_t left = names.size() - i;
      const bool is_extension = i > 0 && names[i - 1] == "extensions";
      const bool makes = of_material && ((left == 1 && name == "pbrMetallicRoughness") ||
                                         (left == 1 && is_extension && may_be_empty(name)) ||
                                         (left == 2 && name == "extensions" && may_be_empty(names[i + 1])));
      if (!makes) {
        return nullptr;
      }
      (*at)[name] = Json::object();
      if (is_extension) {
        extensions_.used.insert(name);
      }
    }
    at = &(*at)[name];
  }
  return at->is_object() ? at : nullptr;
}

void Writer::restore_one(Json& object, const rig::KeptJson& kept) {
  for (const KeptMember& member : kept_extensions(
           kept, renumbered_, [this](int image) { return image_of(image); }, extensions_.used, exported_.notes)) {
    Json& extensions = object["extensions"];
    if (!extensions.contains(member.name)) {
      extensions[member.name] = raw_json(member.text);
    }
  }
  if (!kept.extras.empty() && !object.contains("extras")) {
    object["extras"] = raw_json(kept.extras);
  } else if (!kept.extras.empty() && (kept.extras.front() != '{' || !object["extras"].is_object())) {
    exported_.notes.push_back(kept_nowhere(kept, 1));  // what stands there has no room for it
  } else if (!kept.extras.empty()) {
    Json& extras = object["extras"];
    for (const KeptMember& member : members_of(kept.extras)) {
      if (!extras.contains(member.name)) {
        extras[member.name] = raw_json(member.text);
      }
    }
  }
}

std::size_t Writer::add_shared(Json& list, Json value, int source, const char* list_place,
                               std::map<int, std::size_t>& index_of_source) {
  if (const auto known = index_of_source.find(source); known != index_of_source.end()) {
    return known->second;
  }
  const auto same = source < 0 ? std::find(list.begin(), list.end(), value) : list.end();
  const auto index = static_cast<std::size_t>(same - list.begin());
  if (same == list.end()) {
    list.push_back(std::move(value));
  }
  if (source >= 0) {
    restore(list[index], fmt::format("{}/{}", list_place, source));
    index_of_source.emplace(source, index);
  }
  return index;
}

Status Writer::write_meshes() {
  Json meshes = Json::array();
  for (std::size_t m = 0; m < character_.meshes.size(); ++m) {
    const mesh::Mesh& mesh = character_.meshes[m];
    Json primitives = Json::array();
    const std::size_t target_count = mesh.primitives.empty() ? 0 : mesh.primitives.front().morph_targets.size();
    for (std::size_t p = 0; p < mesh.primitives.size(); ++p) {
      if (is_empty(mesh.primitives[p])) {
        continue;  // glTF has no empty accessors
      }
      if (!report(progress_, 0.5f + 0.3f * static_cast<float>(m) / static_cast<float>(character_.meshes.size()),
                  "Encoding")) {
        return error("cancelled");
      }
      Json out = Json::object();
      const bool on_grid = m < on_grid_.size() && on_grid_[m] != 0;
      const std::string place = fmt::format("/meshes/{}/primitives/{}", m, p);
      if (const Status status = primitives_.write(mesh.primitives[p], place, target_count, on_grid, out); !status) {
        return status.error().in(fmt::format("mesh {}, primitive {}", m, p));
      }
      restore(out, place);
      primitives.push_back(std::move(out));
    }
    if (primitives.empty()) {
      continue;
    }
    Json out = Json::object();
    if (!mesh.name.empty()) {
      out["name"] = mesh.name;
    }
    out["primitives"] = std::move(primitives);
    if (target_count > 0 && mesh.morph_weights.size() == target_count) {
      out["weights"] = mesh.morph_weights;
    }
    if (target_count > 0 && mesh.morph_names.size() == target_count) {
      out["extras"] = {{"targetNames", mesh.morph_names}};
    }
    restore(out, fmt::format("/meshes/{}", m));
    meshes.push_back(std::move(out));
  }
  if (!meshes.empty()) {
    root_["meshes"] = std::move(meshes);
  }
  return {};
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
  if (joint.swing_limit) {
    pelt["swingLimit"] = *joint.swing_limit;
  }
  return pelt;
}

Status Writer::write_nodes() {
  const rig::Skeleton& skeleton = character_.skeleton;
  const auto joint_count = static_cast<std::size_t>(skeleton.size());
  std::vector<Json> nodes(joint_count, Json::object());  // by joint
  for (std::size_t j = 0; j < joint_count; ++j) {
    Json& node = nodes[j];
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
    if (skeleton.parent[j] >= 0 && node_of(static_cast<int>(j)) >= 0) {
      nodes[static_cast<std::size_t>(skeleton.parent[j])]["children"].push_back(node_of(static_cast<int>(j)));
    }
    if (j < skeleton.dofs.size() && skeleton.dofs[j].authored) {
      node["extras"] = {{"pelt", dofs_json(skeleton.dofs[j])}};
    }
  }
  std::set<int> single_weights;  // joints; a pointer to one weight needs the node to have weights
  for (const rig::Clip& clip : character_.clips) {
    for (const rig::Channel& channel : clip.channels) {
      if (channel.morph_target >= 0) {
        single_weights.insert(channel.joint);
      }
    }
  }
  std::vector<char> is_on_grid(joint_count, 0);  // the mesh there is written in the units of its grid
  for (std::size_t i = 0; i < character_.mesh_nodes.size(); ++i) {
    const rig::MeshNode& mesh_node = character_.mesh_nodes[i];
    if (mesh_node.joint < 0 || static_cast<std::size_t>(mesh_node.joint) >= joint_count) {
      return error("mesh node {}: node {} does not exist, there are {}", i, mesh_node.joint, joint_count);
    }
    if (mesh_node.mesh < 0 || static_cast<std::size_t>(mesh_node.mesh) >= mesh_index_.size()) {
      return error("mesh node {}: mesh {} does not exist, there are {}", i, mesh_node.mesh, mesh_index_.size());
    }
    const auto m = static_cast<std::size_t>(mesh_node.mesh);
    if (mesh_index_[m] < 0) {
      continue;
    }
    Json& node = nodes[static_cast<std::size_t>(mesh_node.joint)];
    if (node.contains("mesh")) {
      return error("mesh node {}: node {} already carries a mesh, glTF allows one", i, mesh_node.joint);
    }
    node["mesh"] = mesh_index_[m];
    is_on_grid[static_cast<std::size_t>(mesh_node.joint)] = m < on_grid_.size() ? on_grid_[m] : 0;
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
  Json cameras = Json::array();
  for (const rig::Camera* camera : by_source(character_.cameras, character_.spare_cameras)) {
    if (camera->joint >= 0 && static_cast<std::size_t>(camera->joint) >= joint_count) {
      return error("camera {}: node {} does not exist, there are {}", cameras.size(), camera->joint, joint_count);
    }
    const std::size_t index = add_shared(cameras, camera_json(*camera), camera->source, "/cameras", camera_index_);
    if (camera->joint < 0) {
      continue;
    }
    Json& node = nodes[static_cast<std::size_t>(camera->joint)];
    if (node.contains("camera")) {
      return error("camera {}: node {} already carries a camera, glTF allows one", index, camera->joint);
    }
    node["camera"] = index;
  }
  if (!cameras.empty()) {
    root_["cameras"] = std::move(cameras);
  }
  Json lights = Json::array();
  for (const rig::Light* light : by_source(character_.lights, character_.spare_lights)) {
    if (light->joint >= 0 && static_cast<std::size_t>(light->joint) >= joint_count) {
      return error("light {}: node {} does not exist, there are {}", lights.size(), light->joint, joint_count);
    }
    const std::size_t index =
        add_shared(lights, light_json(*light), light->source, "/extensions/KHR_lights_punctual/lights", light_index_);
    if (light->joint < 0) {
      continue;
    }
    Json& node = nodes[static_cast<std::size_t>(light->joint)];
    if (node.contains("extensions")) {
      return error("light {}: node {} already carries a light, glTF allows one", index, light->joint);
    }
    node["extensions"]["KHR_lights_punctual"] = {{"light", index}};
  }
  if (!lights.empty()) {
    extensions_.used.insert("KHR_lights_punctual");
    root_["extensions"]["KHR_lights_punctual"] = {{"lights", std::move(lights)}};
  }
  for (const rig::Instances* instances : instances_) {
    Json& node = nodes[static_cast<std::size_t>(instances->joint)];
    if (!instances->joints.empty()) {
      const Json& first = nodes[static_cast<std::size_t>(instances->joints.front())];
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
      if (is_on_grid[static_cast<std::size_t>(instances->joints.front())] != 0) {
        extensions_.require("EXT_mesh_gpu_instancing");  // the mesh alone is in the grid's units
      }
    }
    node["extensions"]["EXT_mesh_gpu_instancing"] = instances_json(*instances);
    extensions_.used.insert("EXT_mesh_gpu_instancing");
  }
  if (nodes.empty()) {
    return {};
  }
  std::vector<Json> ordered(static_cast<std::size_t>(*std::max_element(node_of_.begin(), node_of_.end())) + 1);
  for (std::size_t j = 0; j < joint_count; ++j) {
    if (node_of(static_cast<int>(j)) < 0) {
      continue;
    }
    if (!renumbered_.nodes) {
      restore(nodes[j], fmt::format("/nodes/{}", node_of(static_cast<int>(j))));
    }
    ordered[static_cast<std::size_t>(node_of(static_cast<int>(j)))] = std::move(nodes[j]);
  }
  root_["nodes"] = Json::array();
  for (Json& node : ordered) {
    root_["nodes"].push_back(std::move(node));
  }
  return {};
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

void Writer::write_materials() {
  for (std::size_t m = 0; m < character_.materials.size(); ++m) {
    Json out = material_json(character_.materials[m], emissive_strength_[m], extensions_.used);
    for (auto moved = moved_.lower_bound({static_cast<int>(m), ""});
         moved != moved_.end() && moved->first == static_cast<int>(m); ++moved) {
      object_at(out, moved->second, true);
    }
    restore(out, fmt::format("/materials/{}", m));
    root_["materials"].push_back(std::move(out));
  }
}

Status Writer::write_images() {
  for (std::size_t i = 0; i < character_.images.size(); ++i) {
    const rig::Image& image = character_.images[i];
    if (!report(progress_, 0.8f + 0.1f * static_cast<float>(i) / static_cast<float>(character_.images.size()),
                "Encoding")) {
      return error("cancelled");
    }
    if (image_index_[i] < 0) {
      exported_.notes.push_back({Severity::kWarning, "image-lost", fmt::format("image {}", i),
                                 "it could not be read and is not written; its textures have no image"});
      continue;
    }
    std::string type(sniff_mime_type(image.encoded));
    std::vector<std::uint8_t> made;
    if (type.empty()) {
      made = encode_png(image.pixels, {image.width, image.height});
      type = "image/png";
    }
    const std::vector<std::uint8_t>& bytes = made.empty() ? image.encoded : made;
    Json out = Json::object();
    if (!image.name.empty()) {
      out["name"] = image.name;
    }
    if (options_.form == FileForm::kSeparate) {
      const std::string extension = type == "image/jpeg" ? "jpg" : type.substr(type.find('/') + 1);
      const std::string label =
          image.name.empty() ? fmt::format("{}", i) : safe_file_name(std::filesystem::path(image.name).stem().string());
      const std::string name = content_name(options_.stem, label, bytes, extension);
      out["uri"] = percent_encoded(name);
      // Pictures of one name and content are one file.
      if (std::ranges::find(exported_.files, name, &ExportedFile::name) == exported_.files.end()) {
        exported_.files.push_back({name, bytes});
      }
    } else {
      out["bufferView"] = buffers_.add_view(bytes);
      out["mimeType"] = type;
    }
    restore(out, fmt::format("/images/{}", i));
    root_["images"].push_back(std::move(out));
  }
  return {};
}

void Writer::write_textures() {
  Json samplers = Json::array();
  std::map<int, std::size_t> index_of_source;
  for (std::size_t t = 0; t < character_.textures.size(); ++t) {
    const rig::Texture& texture = character_.textures[t];
    Json out = Json::object();
    if (!texture.name.empty()) {
      out["name"] = texture.name;
    }
    if (needs_sampler(texture)) {
      Json sampler = sampler_json(texture, form_.object_at(fmt::format("/samplers/{}", texture.sampler)));
      out["sampler"] = add_shared(samplers, std::move(sampler), texture.sampler, "/samplers", index_of_source);
    }
    const int image = image_of(texture.image);
    const int fallback = image_of(texture.fallback);
    const std::string_view type =
        image < 0 ? "" : sniff_mime_type(character_.images[static_cast<std::size_t>(texture.image)].encoded);
    if (type == "image/webp" || type == "image/ktx2") {
      const char* extension = type == "image/webp" ? "EXT_texture_webp" : "KHR_texture_basisu";
      out["extensions"][extension] = {{"source", image}};
      extensions_.used.insert(extension);
      if (fallback >= 0) {
        out["source"] = fallback;
      } else {
        extensions_.required.insert(extension);
      }
    } else if (image >= 0) {
      out["source"] = image;
    }
    restore(out, fmt::format("/textures/{}", t));
    root_["textures"].push_back(std::move(out));
  }
  if (!samplers.empty()) {
    root_["samplers"] = std::move(samplers);
  }
}

Json Writer::pointer_target(const rig::PropertyChannel& channel) {
  std::string pointer;
  const auto of_source = [&](const char* list, const std::map<int, std::size_t>& index_of_source) {
    const auto known = index_of_source.find(channel.index);
    return known == index_of_source.end() ? std::string() : fmt::format("{}/{}", list, known->second);
  };
  switch (channel.owner) {
    case rig::PropertyOwner::kNode:
      pointer = fmt::format("/nodes/{}", node_of(channel.index));
      break;
    case rig::PropertyOwner::kMaterial:
      pointer = fmt::format("/materials/{}", channel.index);
      if (const std::size_t slash = channel.property.rfind('/'); slash != std::string::npos) {
        moved_.emplace(channel.index, "/" + channel.property.substr(0, slash));
      }
      break;
    case rig::PropertyOwner::kLight:
      pointer = of_source("/extensions/KHR_lights_punctual/lights", light_index_);
      break;
    case rig::PropertyOwner::kCamera:
      pointer = of_source("/cameras", camera_index_);
      break;
  }
  if (pointer.empty()) {
    return {};
  }
  return pointer_json(fmt::format("{}/{}", pointer, channel.property));
}

Json Writer::pointer_json(std::string pointer) {
  extensions_.used.insert("KHR_animation_pointer");
  return {{"path", "pointer"}, {"extensions", {{"KHR_animation_pointer", {{"pointer", std::move(pointer)}}}}}};
}

int Writer::add_key_values(const rig::Channel& keys, std::string_view stream, const std::string& sampler) {
  const std::string name = form_.string_at(sampler + "/output");
  const bool weights = keys.path == rig::ChannelPath::kWeights && keys.joint >= 0;
  const bool plain = keys.path == rig::ChannelPath::kRotation && options_.short_rotations &&
                     keys.interpolation != rig::Interpolation::kCubicSpline;
  const auto width = static_cast<std::size_t>(weights ? 1 : keys.width);
  const Elements elements{.stream = stream,
                          .bytes = bytes_of(keys.values),
                          .components = static_cast<int>(width),
                          .count = keys.values.size() / width};
  if (!plain) {
    return buffers_.add_shared(elements, false, name);
  }
  std::vector<std::int16_t> shorts;
  shorts.reserve(keys.values.size());
  for (const float value : keys.values) {
    shorts.push_back(static_cast<std::int16_t>(std::lround(std::clamp(value, -1.0f, 1.0f) * 32767.0f)));
  }
  Elements narrow = elements;
  narrow.bytes = bytes_of(shorts);
  narrow.component_type = kSignedShort;
  narrow.normalized = true;
  return buffers_.add_shared(narrow, false, name);
}

int Writer::add_property_keys(const rig::PropertyChannel& channel, const std::string& sampler) {
  if (channel.owner == rig::PropertyOwner::kNode) {  // a truth value
    std::vector<std::uint8_t> bytes;
    for (const float value : channel.keys.values) {
      bytes.push_back(value != 0 ? 1 : 0);
    }
    return buffers_.add_shared({.stream = "visible", .bytes = bytes, .component_type = kByte, .count = bytes.size()},
                               false, form_.string_at(sampler + "/output"));
  }
  if (channel.owner == rig::PropertyOwner::kMaterial && channel.property == "emissiveFactor") {
    // The material's strength is split off, see material_json().
    rig::Channel keys = channel.keys;
    const float strength = emissive_strength_[static_cast<std::size_t>(channel.index)];
    for (float& value : keys.values) {
      value /= strength;
    }
    return add_key_values(keys, "properties", sampler);
  }
  return add_key_values(channel.keys, "properties", sampler);
}

Status Writer::write_clips() {
  constexpr const char* kPaths[] = {"translation", "rotation", "scale", "weights"};
  constexpr const char* kInterpolations[] = {"STEP", "LINEAR", "CUBICSPLINE"};
  for (std::size_t c = 0; c < character_.clips.size(); ++c) {
    const rig::Clip& clip = character_.clips[c];
    Json channels = Json::array();
    Json samplers = Json::array();
    const std::string place = fmt::format("/animations/{}", c);
    // Made from those of the file one by one, since each may have extras.
    std::map<std::tuple<int, int, int, int>, std::size_t> known;
    const auto add_channel = [&](const rig::Channel& keys, int input, int output, Json target) {
      const auto [entry, is_new] = known.try_emplace(
          {input, output, static_cast<int>(keys.interpolation), keys.source_sampler}, samplers.size());
      if (is_new) {
        samplers.push_back({{"input", input}, {"output", output}});
        if (keys.interpolation != rig::Interpolation::kLinear) {  // which a sampler means that says nothing
          samplers.back()["interpolation"] = kInterpolations[static_cast<int>(keys.interpolation)];
        }
        restore(samplers.back(), fmt::format("{}/samplers/{}", place, keys.source_sampler));
      }
      channels.push_back({{"sampler", entry->second}, {"target", std::move(target)}});
      restore(channels.back(), fmt::format("{}/channels/{}", place, keys.source));
    };
    for (std::size_t i = 0; i < clip.channels.size(); ++i) {
      const rig::Channel& channel = clip.channels[i];
      const std::size_t per_key = static_cast<std::size_t>(std::max(channel.width, 0)) *
                                  (channel.interpolation == rig::Interpolation::kCubicSpline ? 3U : 1U);
      if (channel.times.empty() || per_key == 0 || channel.values.size() != per_key * channel.times.size()) {
        return error("clip {}, channel {}: expected {} values for {} keys, got {}", c, i,
                     per_key * channel.times.size(), channel.times.size(), channel.values.size());
      }
      if (channel.joint < 0 || channel.joint >= character_.skeleton.size()) {
        return error("clip {}, channel {}: node {} does not exist, there are {}", c, i, channel.joint,
                     character_.skeleton.size());
      }
      const std::string sampler = fmt::format("{}/samplers/{}", place, channel.source_sampler);
      const char* path = kPaths[static_cast<int>(channel.path)];
      const int input = add_key_times(channel, sampler);
      const int output = add_key_values(channel, path, sampler);
      const int node = node_of(channel.joint);
      add_channel(channel, input, output,
                  channel.morph_target < 0
                      ? Json({{"node", node}, {"path", path}})
                      : pointer_json(fmt::format("/nodes/{}/weights/{}", node, channel.morph_target)));
    }
    for (const rig::PropertyChannel& property : clip.properties) {
      Json target = pointer_target(property);
      if (target.is_null()) {
        exported_.notes.push_back(
            {Severity::kWarning, "channel-lost", fmt::format("animation {}", c),
             fmt::format("what moves {} is left out: what it belongs to could not be read", property.property)});
        continue;
      }
      const std::string sampler = fmt::format("{}/samplers/{}", place, property.keys.source_sampler);
      const int input = add_key_times(property.keys, sampler);
      add_channel(property.keys, input, add_property_keys(property, sampler), std::move(target));
    }
    if (channels.empty()) {
      renumbered_.clips = true;
      continue;  // glTF has no empty animations
    }
    Json out = Json::object();
    if (!clip.name.empty()) {
      out["name"] = clip.name;
    }
    out["channels"] = std::move(channels);
    out["samplers"] = std::move(samplers);
    restore(out, place);
    root_["animations"].push_back(std::move(out));
  }
  return {};
}

void Writer::write_scenes() {
  if (character_.skeleton.size() == 0) {
    return;
  }
  std::vector<rig::Scene> scenes = character_.scenes;
  if (scenes.empty()) {
    scenes.emplace_back();
    for (int j = 0; j < character_.skeleton.size(); ++j) {
      if (character_.skeleton.parent[static_cast<std::size_t>(j)] < 0) {
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

void Writer::write_extensions() {
  restore(root_, "");
  if (!kept_.empty()) {
    exported_.notes.push_back(kept_nowhere(*kept_.begin()->second, kept_.size()));
  }
  if (buffers_.compressed()) {
    extensions_.require("EXT_meshopt_compression");
  }
  for (const std::string& name : character_.extensions_required) {
    if (extensions_.used.count(name) != 0) {
      extensions_.required.insert(name);
    }
  }
  if (!extensions_.used.empty()) {
    root_["extensionsUsed"] = extensions_.used;
  }
  if (!extensions_.required.empty()) {
    root_["extensionsRequired"] = extensions_.required;
  }
}

Result<Exported> Writer::pack() {
  const bool binary = options_.form == FileForm::kBinary;
  std::string uri;
  if (options_.form != FileForm::kBinary) {
    buffers_.bin().resize((buffers_.bin().size() + 3) / 4 * 4, 0);
  }
  if (options_.form == FileForm::kSeparate && !buffers_.bin().empty()) {
    const std::string name = content_name(options_.stem, "", buffers_.bin(), "bin");
    exported_.files.insert(exported_.files.begin(), {name, buffers_.bin()});
    uri = percent_encoded(name);
  } else if (options_.form == FileForm::kEmbedded) {
    uri = data_uri(buffers_.bin());
  }
  buffers_.finish(root_, uri);
  std::string json = json_text(root_);
  std::vector<std::uint8_t> out;
  if (!binary) {
    json += '\n';
    out.assign(json.begin(), json.end());
  } else {
    const std::vector<std::uint8_t>& bin = buffers_.bin();
    json.resize((json.size() + 3) / 4 * 4, ' ');
    const std::size_t total = 12 + 8 + json.size() + (bin.empty() ? 0 : 8 + bin.size());
    if (total > std::numeric_limits<std::uint32_t>::max()) {
      return error("the character takes {} bytes, a .glb file holds at most 4294967295", total);
    }
    out.reserve(total);
    const auto put = [&](std::size_t value) {
      const auto narrow = static_cast<std::uint32_t>(value);
      const auto bytes = bytes_of(std::span(&narrow, 1));
      out.insert(out.end(), bytes.begin(), bytes.end());
    };
    for (const std::size_t word :
         {std::size_t{0x46546C67}, std::size_t{2}, total, json.size(), std::size_t{0x4E4F534A}}) {
      put(word);
    }
    out.insert(out.end(), json.begin(), json.end());
    if (!bin.empty()) {
      put(bin.size());
      put(0x004E4942);
      out.insert(out.end(), bin.begin(), bin.end());
    }
  }
  exported_.files.insert(exported_.files.begin(), {options_.stem + (binary ? ".glb" : ".gltf"), std::move(out)});
  return std::move(exported_);
}

Result<Exported> Writer::write() {
  root_["asset"] = {{"version", "2.0"}, {"generator", "Pelt"}};
  if (const std::string least = form_.string_at("/asset/minVersion"); !least.empty()) {
    root_["asset"]["minVersion"] = least;
  }
  if (!character_.copyright.empty()) {
    root_["asset"]["copyright"] = character_.copyright;
  }
  restore(root_["asset"], "/asset");
  write_scenes();
  if (const Status status = write_meshes(); !status) {
    return status.error();
  }
  for (const auto step : {&Writer::write_nodes, &Writer::write_skins, &Writer::write_clips}) {
    if (const Status status = (this->*step)(); !status) {
      return status.error();
    }
  }
  write_materials();
  if (const Status status = write_images(); !status) {
    return status.error();
  }
  write_textures();
  buffers_.lay_out();
  write_extensions();
  return pack();
}

}  // namespace

Result<Exported> export_character(const rig::Character& character, const ExportOptions& options,
                                  const Progress& progress) {
  if (!options.quantize) {
    return Writer(character, options, {}, progress).write();
  }
  const rig::OnUnitGrid grid = rig::on_unit_grid(character);
  return Writer(grid.character, options, grid.mesh_is_on_it, progress).write();
}

Result<std::vector<std::uint8_t>> export_glb(const rig::Character& character) {
  Result<Exported> exported = export_character(character, {});
  if (!exported) {
    return exported.error();
  }
  return std::move(exported->files.front().bytes);
}

}  // namespace pelt::gltf
