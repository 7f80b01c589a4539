#include "gltf/export.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/file.h"
#include "gltf/image_codec.h"

namespace pelt::gltf {
namespace {

static_assert(std::endian::native == std::endian::little,
              "glTF is little-endian and attributes are copied as they are");

// Members keep the order in which they are written, and a float prints as the shortest text that reads back as itself:
// together these make the bytes of a file depend on the character alone.
using Json =
    nlohmann::basic_json<nlohmann::ordered_map, std::vector, std::string, bool, std::int64_t, std::uint64_t, float>;

constexpr int kByte = 5121;
constexpr int kShort = 5123;
constexpr int kInt = 5125;
constexpr int kFloat = 5126;
constexpr int kVertexTarget = 34962;
constexpr int kIndexTarget = 34963;
constexpr int kNoTarget = 0;

template <typename T>
std::span<const std::uint8_t> bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()};
}
template <typename T>
std::span<const std::uint8_t> bytes_of(const std::vector<T>& values) {
  return bytes_of(std::span<const T>(values));
}

template <int N>
Json json_of(const glm::vec<N, float>& v) {
  Json out = Json::array();
  for (int i = 0; i < N; ++i) {
    out.push_back(v[i]);
  }
  return out;
}
Json json_of(const glm::quat& q) {
  return Json::array({q.x, q.y, q.z, q.w});
}

template <typename V>
bool finite(const V& v) {
  for (int i = 0; i < V::length(); ++i) {
    if (!std::isfinite(v[i])) {
      return false;
    }
  }
  return true;
}

const char* type_name(int components) {
  constexpr const char* kNames[] = {"SCALAR", "VEC2", "VEC3", "VEC4"};
  return components == 16 ? "MAT4" : kNames[components - 1];
}

class Writer {
 public:
  explicit Writer(const rig::Character& character) : character_(character) {}

  Result<std::vector<std::uint8_t>> write();

 private:
  int add_view(std::span<const std::uint8_t> bytes, int target);
  int add_accessor(std::span<const std::uint8_t> bytes, int component_type, int components, std::size_t count,
                   int target);
  /// The same, once for equal content: clips share their key times and often whole tracks.
  int add_shared_accessor(std::span<const float> values, int components, bool bounds);
  template <int N>
  int add_vectors(const std::vector<glm::vec<N, float>>& values) {
    return add_accessor(bytes_of(values), kFloat, N, values.size(), kVertexTarget);
  }
  /// @param values  [V] or empty, which stands for zeros
  int add_deltas(const std::vector<glm::vec3>& values, std::size_t vertex_count, bool bounds);
  static void add_bounds(Json& accessor, std::span<const glm::vec3> values, bool include_zero);

  Status write_meshes();
  Status write_primitive(const mesh::Primitive& primitive, std::size_t target_count, Json& out);
  Status write_influences(const mesh::Influences& influences, Json& attributes);
  Status write_nodes();
  Status write_skins();
  void write_materials();
  void write_textures();
  void write_images();
  Status write_clips();
  void write_cameras();
  void write_scenes();
  Json texture_info(const rig::TextureRef& ref, const char* strength_name) const;

  const rig::Character& character_;
  Json root_ = Json::object();
  Json views_ = Json::array();
  Json accessors_ = Json::array();
  std::vector<std::uint8_t> bin_;
  std::map<std::pair<int, std::string>, int> shared_;
  std::vector<int> image_index_;  ///< of each image in the file, -1 where it has no bytes
  std::vector<int> mesh_index_;   ///< of each mesh in the file, -1 where it has no vertices
  std::vector<std::string> extensions_;
};

int Writer::add_view(std::span<const std::uint8_t> bytes, int target) {
  bin_.resize((bin_.size() + 3) / 4 * 4, 0);
  Json view = {{"buffer", 0}, {"byteOffset", bin_.size()}, {"byteLength", bytes.size()}};
  if (target != kNoTarget) {
    view["target"] = target;
  }
  bin_.insert(bin_.end(), bytes.begin(), bytes.end());
  views_.push_back(std::move(view));
  return static_cast<int>(views_.size()) - 1;
}

int Writer::add_accessor(std::span<const std::uint8_t> bytes, int component_type, int components, std::size_t count,
                         int target) {
  accessors_.push_back({{"bufferView", add_view(bytes, target)},
                        {"componentType", component_type},
                        {"count", count},
                        {"type", type_name(components)}});
  return static_cast<int>(accessors_.size()) - 1;
}

int Writer::add_shared_accessor(std::span<const float> values, int components, bool bounds) {
  const auto bytes = bytes_of(values);
  std::string content(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto [entry, is_new] = shared_.try_emplace({components, std::move(content)}, 0);
  if (is_new) {
    entry->second =
        add_accessor(bytes, kFloat, components, values.size() / static_cast<std::size_t>(components), kNoTarget);
  }
  Json& accessor = accessors_[static_cast<std::size_t>(entry->second)];
  if (bounds && !accessor.contains("min")) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    accessor["min"] = Json::array({*least});
    accessor["max"] = Json::array({*most});
  }
  return entry->second;
}

void Writer::add_bounds(Json& accessor, std::span<const glm::vec3> values, bool include_zero) {
  glm::vec3 lower = include_zero ? glm::vec3(0.0f) : values.front();
  glm::vec3 upper = lower;
  for (const glm::vec3& value : values) {
    lower = glm::min(lower, value);
    upper = glm::max(upper, value);
  }
  accessor["min"] = json_of(lower);
  accessor["max"] = json_of(upper);
}

int Writer::add_deltas(const std::vector<glm::vec3>& values, std::size_t vertex_count, bool bounds) {
  std::vector<std::uint32_t> moved;
  for (std::size_t v = 0; v < values.size(); ++v) {
    if (values[v] != glm::vec3(0.0f)) {
      moved.push_back(static_cast<std::uint32_t>(v));
    }
  }
  if (2 * moved.size() >= vertex_count) {
    const int index = add_vectors(values);
    if (bounds) {
      add_bounds(accessors_.back(), values, false);
    }
    return index;
  }
  Json accessor = {{"componentType", kFloat}, {"count", vertex_count}, {"type", "VEC3"}};
  std::vector<glm::vec3> moved_values;
  moved_values.reserve(moved.size());
  for (const std::uint32_t v : moved) {
    moved_values.push_back(values[v]);
  }
  if (bounds) {
    add_bounds(accessor, moved_values, true);
  }
  if (!moved.empty()) {
    const bool narrow = vertex_count <= 0xffff;
    const std::vector<std::uint16_t> narrow_indices(moved.begin(), narrow ? moved.end() : moved.begin());
    const int indices_view = add_view(narrow ? bytes_of(narrow_indices) : bytes_of(moved), kNoTarget);
    const int values_view = add_view(bytes_of(moved_values), kNoTarget);
    accessor["sparse"] = {{"count", moved.size()},
                          {"indices", {{"bufferView", indices_view}, {"componentType", narrow ? kShort : kInt}}},
                          {"values", {{"bufferView", values_view}}}};
  }
  accessors_.push_back(std::move(accessor));
  return static_cast<int>(accessors_.size()) - 1;
}

Status Writer::write_influences(const mesh::Influences& influences, Json& attributes) {
  const std::size_t vertex_count = influences.vertex_count();
  const std::size_t sets = std::max<std::size_t>(1, (influences.max_count() + 3) / 4);
  const bool narrow = std::all_of(influences.joint.begin(), influences.joint.end(), [](auto j) { return j < 256; });
  for (std::size_t set = 0; set < sets; ++set) {
    std::vector<std::uint16_t> joints(4 * vertex_count, 0);
    std::vector<float> weights(4 * vertex_count, 0.0f);
    for (std::size_t v = 0; v < vertex_count; ++v) {
      for (std::size_t k = 4 * set; k < std::min<std::size_t>(4 * set + 4, influences.count(v)); ++k) {
        const std::size_t from = influences.offset[v] + k;
        joints[4 * v + k - 4 * set] = influences.joint[from];
        weights[4 * v + k - 4 * set] = influences.weight[from] * influences.stored_sum[v];
      }
    }
    const std::vector<std::uint8_t> narrow_joints = [&] {
      std::vector<std::uint8_t> out(narrow ? joints.size() : 0);
      std::transform(joints.begin(), joints.begin() + static_cast<std::ptrdiff_t>(out.size()), out.begin(),
                     [](std::uint16_t j) { return static_cast<std::uint8_t>(j); });
      return out;
    }();
    attributes[fmt::format("JOINTS_{}", set)] = add_accessor(narrow ? bytes_of(narrow_joints) : bytes_of(joints),
                                                             narrow ? kByte : kShort, 4, vertex_count, kVertexTarget);
    attributes[fmt::format("WEIGHTS_{}", set)] =
        add_accessor(bytes_of(weights), kFloat, 4, vertex_count, kVertexTarget);
  }
  return {};
}

Status Writer::write_primitive(const mesh::Primitive& primitive, std::size_t target_count, Json& out) {
  const std::size_t vertex_count = primitive.vertex_count();
  for (std::size_t v = 0; v < vertex_count; ++v) {
    if (!finite(primitive.positions[v])) {
      return error("position {} is not finite", v);
    }
  }
  const auto check = [&](const char* name, std::size_t size) -> Status {
    if (size != 0 && size != vertex_count) {
      return error("{}: expected {} elements, one per vertex, got {}", name, vertex_count, size);
    }
    return {};
  };
  for (const auto& [name, size] :
       {std::pair{"normals", primitive.normals.size()}, std::pair{"tangents", primitive.tangents.size()},
        std::pair{"texture coordinates 0", primitive.texcoords[0].size()},
        std::pair{"texture coordinates 1", primitive.texcoords[1].size()},
        std::pair{"colours", primitive.colors.size()}, std::pair{"influences", primitive.influences.vertex_count()}}) {
    if (const Status status = check(name, size); !status) {
      return status;
    }
  }
  if (primitive.morph_targets.size() != target_count) {
    return error("expected {} morph targets as in the mesh's first primitive, got {}", target_count,
                 primitive.morph_targets.size());
  }
  for (const std::uint32_t index : primitive.indices) {
    if (index >= vertex_count) {
      return error("index {} names no vertex, there are {}", index, vertex_count);
    }
  }

  Json attributes = Json::object();
  attributes["POSITION"] = add_vectors(primitive.positions);
  add_bounds(accessors_.back(), primitive.positions, false);
  if (!primitive.normals.empty()) {
    attributes["NORMAL"] = add_vectors(primitive.normals);
  }
  if (!primitive.tangents.empty()) {
    attributes["TANGENT"] = add_vectors(primitive.tangents);
  }
  if (!primitive.texcoords[0].empty()) {
    attributes["TEXCOORD_0"] = add_vectors(primitive.texcoords[0]);
  } else if (!primitive.texcoords[1].empty()) {
    // Sets must be numbered without gaps; an accessor without a view reads as zeros and costs nothing.
    accessors_.push_back({{"componentType", kFloat}, {"count", vertex_count}, {"type", "VEC2"}});
    attributes["TEXCOORD_0"] = accessors_.size() - 1;
  }
  if (!primitive.texcoords[1].empty()) {
    attributes["TEXCOORD_1"] = add_vectors(primitive.texcoords[1]);
  }
  if (!primitive.colors.empty()) {
    attributes["COLOR_0"] = add_vectors(primitive.colors);
  }
  if (!primitive.influences.empty()) {
    if (const Status status = write_influences(primitive.influences, attributes); !status) {
      return status;
    }
  }
  out["attributes"] = std::move(attributes);

  if (vertex_count <= 0xffff) {
    const std::vector<std::uint16_t> narrow(primitive.indices.begin(), primitive.indices.end());
    out["indices"] = add_accessor(bytes_of(narrow), kShort, 1, narrow.size(), kIndexTarget);
  } else {
    out["indices"] = add_accessor(bytes_of(primitive.indices), kInt, 1, primitive.indices.size(), kIndexTarget);
  }
  constexpr int kModes[] = {0, 1, 4};
  out["mode"] = kModes[static_cast<int>(primitive.topology)];
  if (primitive.material >= 0) {
    out["material"] = primitive.material;
  }
  for (std::size_t i = 0; i < target_count; ++i) {
    const mesh::MorphTarget& target = primitive.morph_targets[i];
    for (const auto& [name, size] : {std::pair{"position deltas", target.position_deltas.size()},
                                     std::pair{"normal deltas", target.normal_deltas.size()},
                                     std::pair{"tangent deltas", target.tangent_deltas.size()}}) {
      if (const Status status = check(name, size); !status) {
        return status.error().in(fmt::format("morph target {}", i));
      }
    }
    Json entry = Json::object();
    entry["POSITION"] = add_deltas(target.position_deltas, vertex_count, true);
    if (!target.normal_deltas.empty() && !primitive.normals.empty()) {
      entry["NORMAL"] = add_deltas(target.normal_deltas, vertex_count, false);
    }
    if (!target.tangent_deltas.empty() && !primitive.tangents.empty()) {
      entry["TANGENT"] = add_deltas(target.tangent_deltas, vertex_count, false);
    }
    out["targets"].push_back(std::move(entry));
  }
  return {};
}

Status Writer::write_meshes() {
  Json meshes = Json::array();
  for (std::size_t m = 0; m < character_.meshes.size(); ++m) {
    const mesh::Mesh& mesh = character_.meshes[m];
    Json primitives = Json::array();
    const std::size_t target_count = mesh.primitives.empty() ? 0 : mesh.primitives.front().morph_targets.size();
    for (std::size_t p = 0; p < mesh.primitives.size(); ++p) {
      if (mesh.primitives[p].vertex_count() == 0 || mesh.primitives[p].indices.empty()) {
        continue;  // glTF has no empty accessors
      }
      Json out = Json::object();
      if (const Status status = write_primitive(mesh.primitives[p], target_count, out); !status) {
        return status.error().in(fmt::format("mesh {}, primitive {}", m, p));
      }
      primitives.push_back(std::move(out));
    }
    if (primitives.empty()) {
      mesh_index_.push_back(-1);
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
    mesh_index_.push_back(static_cast<int>(meshes.size()));
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
               {"orientation", json_of(joint.orientation)},
               {"rotation", joint.rotation == rig::RotationKind::kAxes ? "axes" : "vector"}};
  if (joint.swing_limit) {
    pelt["swingLimit"] = *joint.swing_limit;
  }
  return pelt;
}

Status Writer::write_nodes() {
  const rig::Skeleton& skeleton = character_.skeleton;
  const auto joint_count = static_cast<std::size_t>(skeleton.size());
  std::vector<Json> nodes(joint_count, Json::object());
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
        node["rotation"] = json_of(rest.rotation);
      }
      if (rest.scale != glm::vec3(1.0f)) {
        node["scale"] = json_of(rest.scale);
      }
    }
    if (skeleton.parent[j] >= 0) {
      nodes[static_cast<std::size_t>(skeleton.parent[j])]["children"].push_back(j);
    }
    if (j < skeleton.dofs.size() && skeleton.dofs[j].authored) {
      node["extras"] = {{"pelt", dofs_json(skeleton.dofs[j])}};
    }
  }
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
    const mesh::Mesh& mesh = character_.meshes[m];
    if (mesh_node.skin >= 0) {
      node["skin"] = mesh_node.skin;
    }
    const std::size_t target_count = mesh.primitives.front().morph_targets.size();
    if (target_count > 0 && mesh_node.morph_weights.size() == target_count &&
        mesh_node.morph_weights != mesh.morph_weights) {
      node["weights"] = mesh_node.morph_weights;
    }
  }
  for (std::size_t i = 0; i < character_.cameras.size(); ++i) {
    const int joint = character_.cameras[i].joint;
    if (joint < 0) {
      continue;
    }
    if (static_cast<std::size_t>(joint) >= joint_count) {
      return error("camera {}: node {} does not exist, there are {}", i, joint, joint_count);
    }
    Json& node = nodes[static_cast<std::size_t>(joint)];
    if (node.contains("camera")) {
      return error("camera {}: node {} already carries a camera, glTF allows one", i, joint);
    }
    node["camera"] = i;
  }
  if (!nodes.empty()) {
    root_["nodes"] = Json::array();
    for (Json& node : nodes) {
      root_["nodes"].push_back(std::move(node));
    }
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
          add_accessor(bytes_of(skin.joint_from_mesh), kFloat, 16, skin.joint_from_mesh.size(), kNoTarget);
    }
    if (skin.skeleton_root >= 0) {
      out["skeleton"] = skin.skeleton_root;
    }
    out["joints"] = skin.joints;
    root_["skins"].push_back(std::move(out));
  }
  return {};
}

Json Writer::texture_info(const rig::TextureRef& ref, const char* strength_name) const {
  Json out = {{"index", ref.texture}};
  if (ref.texcoord != 0) {
    out["texCoord"] = ref.texcoord;
  }
  if (strength_name != nullptr && ref.strength != 1.0f) {
    out[strength_name] = ref.strength;
  }
  return out;
}

void Writer::write_materials() {
  for (const rig::Material& material : character_.materials) {
    Json out = Json::object();
    if (!material.name.empty()) {
      out["name"] = material.name;
    }
    Json pbr = Json::object();
    if (material.base_color != glm::vec4(1.0f)) {
      pbr["baseColorFactor"] = json_of(material.base_color);
    }
    if (material.base_color_texture.texture >= 0) {
      pbr["baseColorTexture"] = texture_info(material.base_color_texture, nullptr);
    }
    if (material.metallic != 1.0f) {
      pbr["metallicFactor"] = material.metallic;
    }
    if (material.roughness != 1.0f) {
      pbr["roughnessFactor"] = material.roughness;
    }
    if (material.metallic_roughness_texture.texture >= 0) {
      pbr["metallicRoughnessTexture"] = texture_info(material.metallic_roughness_texture, nullptr);
    }
    if (!pbr.empty()) {
      out["pbrMetallicRoughness"] = std::move(pbr);
    }
    if (material.normal_texture.texture >= 0) {
      out["normalTexture"] = texture_info(material.normal_texture, "scale");
    }
    if (material.occlusion_texture.texture >= 0) {
      out["occlusionTexture"] = texture_info(material.occlusion_texture, "strength");
    }
    if (material.emissive_texture.texture >= 0) {
      out["emissiveTexture"] = texture_info(material.emissive_texture, nullptr);
    }
    // The factor is limited to one; what glows brighter is split off into the extension.
    const float strength = std::max({1.0f, material.emissive.x, material.emissive.y, material.emissive.z});
    if (material.emissive != glm::vec3(0.0f)) {
      out["emissiveFactor"] = json_of(material.emissive / strength);
    }
    if (material.alpha_mode == rig::AlphaMode::kMask) {
      out["alphaMode"] = "MASK";
      if (material.alpha_cutoff != 0.5f) {
        out["alphaCutoff"] = material.alpha_cutoff;
      }
    } else if (material.alpha_mode == rig::AlphaMode::kBlend) {
      out["alphaMode"] = "BLEND";
    }
    if (material.double_sided) {
      out["doubleSided"] = true;
    }
    if (material.unlit) {
      out["extensions"]["KHR_materials_unlit"] = Json::object();
      extensions_.emplace_back("KHR_materials_unlit");
    }
    if (strength > 1.0f) {
      out["extensions"]["KHR_materials_emissive_strength"] = {{"emissiveStrength", strength}};
      extensions_.emplace_back("KHR_materials_emissive_strength");
    }
    root_["materials"].push_back(std::move(out));
  }
}

void Writer::write_images() {
  for (const rig::Image& image : character_.images) {
    const std::string_view known = sniff_mime_type(image.encoded);
    const bool writable = known == "image/png" || known == "image/jpeg";
    std::vector<std::uint8_t> made;
    if (!writable && image.width > 0 && image.height > 0 &&
        image.pixels.size() == 4 * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height)) {
      made = encode_png(image.pixels, {image.width, image.height});
    }
    if (!writable && made.empty()) {
      image_index_.push_back(-1);
      continue;
    }
    Json out = Json::object();
    if (!image.name.empty()) {
      out["name"] = image.name;
    }
    out["bufferView"] = add_view(writable ? bytes_of(image.encoded) : bytes_of(made), kNoTarget);
    out["mimeType"] = writable ? std::string(known) : "image/png";
    image_index_.push_back(root_.contains("images") ? static_cast<int>(root_["images"].size()) : 0);
    root_["images"].push_back(std::move(out));
  }
}

void Writer::write_textures() {
  Json samplers = Json::array();
  for (const rig::Texture& texture : character_.textures) {
    constexpr int kWraps[] = {10497, 33071, 33648};
    const bool nearest = texture.minify == rig::Filter::kNearest;
    Json sampler = {{"magFilter", texture.magnify == rig::Filter::kNearest ? 9728 : 9729},
                    {"minFilter", texture.mipmaps ? (nearest ? 9986 : 9987) : (nearest ? 9728 : 9729)},
                    {"wrapS", kWraps[static_cast<int>(texture.wrap_s)]},
                    {"wrapT", kWraps[static_cast<int>(texture.wrap_t)]}};
    const auto same = std::find(samplers.begin(), samplers.end(), sampler);
    Json out = {{"sampler", same - samplers.begin()}};
    if (same == samplers.end()) {
      samplers.push_back(std::move(sampler));
    }
    if (texture.image >= 0 && static_cast<std::size_t>(texture.image) < image_index_.size() &&
        image_index_[static_cast<std::size_t>(texture.image)] >= 0) {
      out["source"] = image_index_[static_cast<std::size_t>(texture.image)];
    }
    root_["textures"].push_back(std::move(out));
  }
  if (!samplers.empty()) {
    root_["samplers"] = std::move(samplers);
  }
}

Status Writer::write_clips() {
  constexpr const char* kPaths[] = {"translation", "rotation", "scale", "weights"};
  constexpr const char* kInterpolations[] = {"STEP", "LINEAR", "CUBICSPLINE"};
  for (std::size_t c = 0; c < character_.clips.size(); ++c) {
    const rig::Clip& clip = character_.clips[c];
    Json channels = Json::array();
    Json samplers = Json::array();
    std::map<std::tuple<int, int, int>, std::size_t> known;
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
      const bool weights = channel.path == rig::ChannelPath::kWeights;
      const int input = add_shared_accessor(channel.times, 1, true);
      const int output = add_shared_accessor(channel.values, weights ? 1 : channel.width, false);
      const auto [entry, is_new] =
          known.try_emplace({input, output, static_cast<int>(channel.interpolation)}, samplers.size());
      if (is_new) {
        samplers.push_back({{"input", input},
                            {"interpolation", kInterpolations[static_cast<int>(channel.interpolation)]},
                            {"output", output}});
      }
      channels.push_back({{"sampler", entry->second},
                          {"target", {{"node", channel.joint}, {"path", kPaths[static_cast<int>(channel.path)]}}}});
    }
    if (channels.empty()) {
      continue;  // glTF has no empty animations
    }
    Json out = Json::object();
    if (!clip.name.empty()) {
      out["name"] = clip.name;
    }
    out["channels"] = std::move(channels);
    out["samplers"] = std::move(samplers);
    root_["animations"].push_back(std::move(out));
  }
  return {};
}

void Writer::write_cameras() {
  for (const rig::Camera& camera : character_.cameras) {
    Json out = Json::object();
    if (!camera.name.empty()) {
      out["name"] = camera.name;
    }
    if (camera.perspective) {
      Json lens = {{"yfov", camera.yfov}, {"znear", camera.znear}};
      if (camera.aspect > 0) {
        lens["aspectRatio"] = camera.aspect;
      }
      if (camera.zfar > 0) {
        lens["zfar"] = camera.zfar;
      }
      out["type"] = "perspective";
      out["perspective"] = std::move(lens);
    } else {
      out["type"] = "orthographic";
      out["orthographic"] = {
          {"xmag", camera.xmag}, {"ymag", camera.ymag}, {"zfar", camera.zfar}, {"znear", camera.znear}};
    }
    root_["cameras"].push_back(std::move(out));
  }
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
  for (const rig::Scene& scene : scenes) {
    Json out = Json::object();
    if (!scene.name.empty()) {
      out["name"] = scene.name;
    }
    if (!scene.roots.empty()) {
      out["nodes"] = scene.roots;
    }
    root_["scenes"].push_back(std::move(out));
  }
}

Result<std::vector<std::uint8_t>> Writer::write() {
  root_["asset"] = {{"version", "2.0"}, {"generator", "Pelt"}};
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
  write_images();
  write_textures();
  write_cameras();
  if (!extensions_.empty()) {
    std::sort(extensions_.begin(), extensions_.end());
    extensions_.erase(std::unique(extensions_.begin(), extensions_.end()), extensions_.end());
    root_["extensionsUsed"] = extensions_;
  }
  bin_.resize((bin_.size() + 3) / 4 * 4, 0);
  if (!accessors_.empty()) {
    root_["accessors"] = std::move(accessors_);
  }
  if (!views_.empty()) {
    root_["bufferViews"] = std::move(views_);
    root_["buffers"].push_back({{"byteLength", bin_.size()}});
  }

  // Names come from anywhere; invalid UTF-8 in one must not stop the writing.
  std::string json = root_.dump(-1, ' ', false, Json::error_handler_t::replace);
  json.resize((json.size() + 3) / 4 * 4, ' ');
  const std::size_t total = 12 + 8 + json.size() + (bin_.empty() ? 0 : 8 + bin_.size());
  if (total > std::numeric_limits<std::uint32_t>::max()) {
    return error("the character takes {} bytes, a .glb file holds at most 4294967295", total);
  }
  std::vector<std::uint8_t> out;
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
  if (!bin_.empty()) {
    put(bin_.size());
    put(0x004E4942);
    out.insert(out.end(), bin_.begin(), bin_.end());
  }
  return out;
}

}  // namespace

Result<std::vector<std::uint8_t>> export_glb(const rig::Character& character) {
  return Writer(character).write();
}

Status export_file(const rig::Character& character, const std::filesystem::path& path) {
  const Result<std::vector<std::uint8_t>> bytes = export_glb(character);
  if (!bytes) {
    return bytes.error().in(path.filename().string());
  }
  return write_file_atomically(path, {reinterpret_cast<const char*>(bytes->data()), bytes->size()});
}

}  // namespace pelt::gltf
