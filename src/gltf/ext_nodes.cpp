// KHR_node_visibility, EXT_mesh_gpu_instancing.

#include "gltf/extension_values.h"

namespace pelt::gltf {
namespace {

constexpr const char* kInstancing = "EXT_mesh_gpu_instancing";
// Each instance becomes a node, and each of its vertices is deformed and drawn: what a file may ask for is what a large
// character has.
constexpr std::size_t kMostInstances = 4096;
constexpr std::size_t kMostInstancedVertices = 4'000'000;

/// What the file says, unchecked, of the vertices of a mesh.
std::size_t promised_vertices(const tinygltf::Model& model, int mesh) {
  std::size_t sum = 1;
  for (const tinygltf::Primitive& primitive : model.meshes[index(mesh)].primitives) {
    const auto position = primitive.attributes.find("POSITION");
    if (position != primitive.attributes.end() && position->second >= 0 &&
        index(position->second) < model.accessors.size()) {
      // Bounded one by one, so that no sum can overflow.
      sum += std::min(model.accessors[index(position->second)].count, kMostInstancedVertices + 1);
    }
  }
  return sum;
}

/// An attribute of the instances, empty where there is none or it is not sound.
template <int N>
std::vector<glm::vec<N, float>> read_instances(Reader& reader, const ExtensionValues& attributes, const char* name) {
  const std::optional<int> accessor = attributes.index_below(name, reader.model.accessors.size());
  if (!accessor) {
    return {};
  }
  auto values = reader.read_vectors<N>(*accessor);
  if (!values) {
    attributes.warn(fmt::format("{}: {}; left out", name, values.error().message));
    return {};
  }
  const auto odd = std::find_if(values->begin(), values->end(), [](const auto& v) { return !reasonable(v); });
  if (odd != values->end()) {
    attributes.warn(
        fmt::format("{}: instance {} is not finite or beyond {}; left out", name, odd - values->begin(), kLargest));
    return {};
  }
  return *std::move(values);
}

/// What the file's makers alone understand of each instance, of as many as can be shown.
/// @param list   the extension's attributes
/// @param given  how many instances there are; 0: the first attribute that can be read says it
std::vector<mesh::KeptAttribute> keep_instances(Reader& reader, const tinygltf::Value& list,
                                                const ExtensionValues& attributes, std::size_t& given) {
  std::vector<mesh::KeptAttribute> out;
  for (const std::string& name : list.Keys()) {
    if (!name.starts_with('_')) {
      continue;
    }
    const int accessor = whole_number(list, name);
    const auto view = reader.view_accessor(accessor);
    given = given == 0 && view ? view->count : given;
    if (view && view->count != given) {
      attributes.warn(fmt::format("{}: expected {} elements, one per instance, got {}; left out", printable(name, 40),
                                  given, view->count));
      continue;
    }
    auto values = reader.read_kept(accessor, name, kMostInstances);
    if (values) {
      out.push_back(*std::move(values));
    } else {
      attributes.warn(fmt::format("{}: {}; left out", printable(name, 40), values.error().message));
    }
  }
  return out;
}

}  // namespace

std::string Reader::node_place(int n) const {
  if (!has_node(n)) {
    for (const auto& [node, made] : instances) {
      // Numbered one after another.
      if (!made.empty() && n >= made.front() && n <= made.back()) {
        return fmt::format("node {}, instance {}", node, n - made.front());
      }
    }
  }
  return fmt::format("node {}", n);
}

void expand_instances(Reader& reader) {
  tinygltf::Model& model = reader.model;
  std::size_t instances = 0;
  std::size_t vertices = 0;
  reader.node_count = model.nodes.size();
  for (std::size_t n = 0; n < reader.node_count; ++n) {
    const tinygltf::Value* object = find_extension(model.nodes[n].extensions, kInstancing);
    const tinygltf::Value* list = object != nullptr ? find_member(*object, "attributes") : nullptr;
    if (list == nullptr) {
      continue;
    }
    const std::string place = fmt::format("node {}", n);
    const ExtensionValues attributes(reader, *list, kInstancing, place);
    const int mesh = model.nodes[n].mesh;
    if (mesh < 0 || index(mesh) >= model.meshes.size() || model.nodes[n].skin >= 0) {
      attributes.warn(mesh < 0 ? "it has no mesh to repeat"
                               : "a skinned mesh is not repeated: it does not follow its node, so an "
                                 "instance's transform has nothing to apply to");
      continue;
    }
    const auto translations = read_instances<3>(reader, attributes, "TRANSLATION");
    const auto rotations = read_instances<4>(reader, attributes, "ROTATION");
    const auto scales = read_instances<3>(reader, attributes, "SCALE");
    std::size_t given = std::max({translations.size(), rotations.size(), scales.size()});
    std::vector<mesh::KeptAttribute> kept = keep_instances(reader, *list, attributes, given);
    for (const std::size_t count : {translations.size(), rotations.size(), scales.size()}) {
      if (count != 0 && count != given) {
        attributes.warn(
            fmt::format("expected {} values of each attribute, got {}; the others are as if not given", given, count));
      }
    }
    const std::size_t each = promised_vertices(model, mesh);
    const std::size_t room = std::min(kMostInstances - instances, (kMostInstancedVertices - vertices) / each);
    const std::size_t count = std::min(given, room);
    if (count < given) {
      attributes.warn(fmt::format("{} of {} instances are shown; more than {} of them or {} vertices are too many",
                                  count, given, kMostInstances, kMostInstancedVertices));
    }
    instances += count;
    vertices += count * each;
    if (given == 0) {
      continue;
    }
    tinygltf::Node instance;
    instance.mesh = mesh;
    instance.weights = model.nodes[n].weights;
    for (mesh::KeptAttribute& values : kept) {
      values.bytes.resize(count * values.element_size());
    }
    reader.instance_attributes[static_cast<int>(n)] = std::move(kept);
    std::vector<int>& made = reader.instances[static_cast<int>(n)];
    model.nodes[n].mesh = -1;
    model.nodes[n].weights.clear();
    for (std::size_t i = 0; i < count; ++i) {
      instance.name = fmt::format("{} {}", model.nodes[n].name.empty() ? "instance" : model.nodes[n].name, i);
      if (i < translations.size()) {
        instance.translation = {translations[i].x, translations[i].y, translations[i].z};
      }
      if (i < rotations.size()) {
        instance.rotation = {rotations[i].x, rotations[i].y, rotations[i].z, rotations[i].w};
      }
      if (i < scales.size()) {
        instance.scale = {scales[i].x, scales[i].y, scales[i].z};
      }
      made.push_back(static_cast<int>(model.nodes.size()));
      model.nodes.push_back(instance);
      instance.translation.clear();
      instance.rotation.clear();
      instance.scale.clear();
    }
  }
}

void read_instances(Reader& reader) {
  for (const auto& [node, made] : reader.instances) {
    rig::Instances instances;
    instances.joint = reader.joint_of_node[index(node)];
    for (const int n : made) {
      instances.joints.push_back(reader.joint_of_node[index(n)]);
    }
    instances.kept = std::move(reader.instance_attributes[node]);
    reader.character.instances.push_back(std::move(instances));
  }
}

void read_visibility(Reader& reader) {
  std::vector<char>& hidden = reader.character.node_hidden;
  for (int j = 0; j < reader.character.skeleton.size(); ++j) {
    const int n = reader.character.skeleton.source_node[index(j)];
    const tinygltf::Value* object = find_extension(reader.model.nodes[index(n)].extensions, "KHR_node_visibility");
    const tinygltf::Value* visible = object != nullptr ? find_member(*object, "visible") : nullptr;
    if (visible == nullptr) {
      continue;
    }
    if (!visible->IsBool()) {
      ExtensionValues(reader, *object, "KHR_node_visibility", fmt::format("node {}", n))
          .warn(fmt::format("visible: expected true or false, got {}; the node is shown",
                            ExtensionValues::label(*visible)));
    } else if (!visible->Get<bool>()) {
      hidden.resize(index(reader.character.skeleton.size()), 0);
      hidden[index(j)] = 1;
    }
  }
}

}  // namespace pelt::gltf
