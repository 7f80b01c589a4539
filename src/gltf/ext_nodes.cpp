// KHR_node_visibility, EXT_mesh_gpu_instancing.

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/index.h"
#include "gltf/extension_values.h"
#include "gltf/unit_vectors.h"
#include "math/transform.h"

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
  for (const tinygltf::Primitive& primitive : model.meshes[mesh].primitives) {
    const auto position = primitive.attributes.find("POSITION");
    if (position != primitive.attributes.end() && position->second >= 0 &&
        has_index(model.accessors, position->second)) {
      // Bounded one by one, so that no sum can overflow.
      sum += std::min(model.accessors[position->second].count, kMostInstancedVertices + 1);
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

/// What the file's makers alone understand of each instance.
/// @param list   the extension's attributes
/// @param given  how many instances there are; 0: the first attribute that can be read says it
std::vector<mesh::KeptAttribute> keep_instances(Reader& reader, const tinygltf::Value& list,
                                                const ExtensionValues& attributes, std::size_t& given) {
  std::vector<mesh::KeptAttribute> out;
  for (const std::string& name : list.Keys()) {
    if (!name.starts_with('_')) {
      if (name != "TRANSLATION" && name != "ROTATION" && name != "SCALE") {
        attributes.warn(
            fmt::format("{}: instances have no attribute of that name, and others begin with an underscore; left out",
                        printable(name, 40)));
      }
      continue;
    }
    const int accessor = whole_number(list, name);
    if (accessor < 0) {
      attributes.warn(fmt::format("{}: expected the number of an accessor, got {}; left out", printable(name, 40),
                                  ExtensionValues::label(list.Get(name))));
      continue;
    }
    const auto view = reader.view_accessor(accessor);
    given = given == 0 && view ? view->count : given;
    if (view && view->count != given) {
      attributes.warn(fmt::format("{}: expected {} elements, one per instance, got {}; left out", printable(name, 40),
                                  given, view->count));
      continue;
    }
    auto values = reader.read_kept(accessor, name);
    if (values) {
      out.push_back(*std::move(values));
    } else {
      attributes.warn(fmt::format("{}: {}; left out", printable(name, 40), values.error().message));
    }
  }
  return out;
}

/// Makes rotations unit quaternions and says how many were far from it. @param made_unit  grows by those that changed
void tidy_rotations(const tinygltf::Accessor& accessor, const ExtensionValues& attributes,
                    std::vector<glm::vec4>& rotations, std::size_t& made_unit) {
  // Four bytes, each off by half a step, miss the unit sphere by up to 1/127.
  const bool is_float = accessor.componentType == TINYGLTF_COMPONENT_TYPE_FLOAT;
  const double tolerance = is_float ? 1e-3 : 1.0 / 127;
  std::size_t odd = 0;
  for (glm::vec4& rotation : rotations) {
    const glm::dquat q = quat_xyzw<double>(rotation.x, rotation.y, rotation.z, rotation.w);
    const bool is_odd = std::abs(glm::length(q) - 1) > tolerance;
    odd += is_odd ? 1U : 0U;
    const glm::quat unit = unit_as_read(q);
    made_unit += (is_odd || is_float) && unit != glm::quat(q) ? 1U : 0U;
    rotation = {unit.x, unit.y, unit.z, unit.w};
  }
  if (odd > 0) {
    attributes.warn(fmt::format("ROTATION: {} of {} do not have length 1; normalised", odd, rotations.size()));
  }
}

/// What one node says of its instances.
struct InstanceValues {
  std::size_t count = 0;
  std::vector<glm::vec3> translations;  ///< these have `count` elements or fewer
  std::vector<glm::vec4> rotations;
  std::vector<glm::vec3> scales;
  std::vector<mesh::KeptAttribute> kept;

  [[nodiscard]] Transform place(std::size_t i) const {
    Transform out;
    out.translation = i < translations.size() ? translations[i] : out.translation;
    out.scale = i < scales.size() ? scales[i] : out.scale;
    if (i < rotations.size()) {
      out.rotation = quat_xyzw(rotations[i].x, rotations[i].y, rotations[i].z, rotations[i].w);
    }
    return out;
  }
};

InstanceValues read_instance_values(Reader& reader, const tinygltf::Value& list, const ExtensionValues& attributes) {
  InstanceValues out;
  out.translations = read_instances<3>(reader, attributes, "TRANSLATION");
  out.rotations = read_instances<4>(reader, attributes, "ROTATION");
  if (!out.rotations.empty()) {
    tidy_rotations(reader.model.accessors[whole_number(list, "ROTATION")], attributes, out.rotations,
                   reader.made_unit.rotations);
  }
  out.scales = read_instances<3>(reader, attributes, "SCALE");
  const std::size_t counts[] = {out.translations.size(), out.rotations.size(), out.scales.size()};
  out.count = *std::max_element(std::begin(counts), std::end(counts));
  out.kept = keep_instances(reader, list, attributes, out.count);
  for (const std::size_t count : counts) {
    if (count != 0 && count != out.count) {
      attributes.warn(fmt::format("expected {} values of each attribute, got {}; the others are as if not given",
                                  out.count, count));
    }
  }
  return out;
}

/// Keeps what is written back of the instances of node n, whose first `shown` are nodes.
void keep_group(Reader& reader, std::size_t n, const ExtensionValues& attributes, InstanceValues values,
                std::size_t shown) {
  rig::Instances out;
  out.kept = std::move(values.kept);
  if (const Status status = reader.kept_budget.take(values.count - shown, sizeof(Transform)); !status) {
    attributes.warn(fmt::format("there is no room to keep the {} instances that are not shown; they are left out",
                                values.count - shown));
    if (shown == 0) {
      return;  // glTF has no empty accessors
    }
    for (mesh::KeptAttribute& kept : out.kept) {
      kept.bytes.resize(shown * kept.element_size());
      kept.bytes.shrink_to_fit();
    }
  } else {
    out.unshown.reserve(values.count - shown);
    for (std::size_t i = shown; i < values.count; ++i) {
      out.unshown.push_back(values.place(i));
    }
  }
  reader.kept_instances[static_cast<int>(n)] = std::move(out);
}

}  // namespace

std::string Reader::node_place(int n) const {
  if (n < 0 || has_node(n)) {
    return fmt::format("node {}", n);
  }
  const int node = file_node(n);
  return fmt::format("node {}, instance {}", node, n - instances.at(node).front());  // numbered one after another
}

void expand_instances(Reader& reader) {
  tinygltf::Model& model = reader.model;
  std::size_t instances = 0;
  std::size_t vertices = 0;
  reader.node_count = model.nodes.size();
  for (std::size_t n = 0; n < reader.node_count; ++n) {
    const tinygltf::Value* object = find_extension(model.nodes[n].extensions, kInstancing);
    if (object == nullptr) {
      continue;
    }
    const std::string place = fmt::format("node {}", n);
    const tinygltf::Value* list = find_member(*object, "attributes");
    const ExtensionValues attributes(reader, list != nullptr ? *list : *object, kInstancing, place);
    InstanceValues values = list != nullptr ? read_instance_values(reader, *list, attributes) : InstanceValues();
    const int mesh = model.nodes[n].mesh;
    if (values.count == 0) {
      attributes.warn(mesh < 0 ? "it has no instances and no mesh" : "it has no instances; its mesh is shown once");
      continue;
    }
    const auto warn_unshown = [&](const std::string& message) {
      reader.warn("instances-unshown", place, fmt::format("{}: {}", kInstancing, message));
    };
    if (!has_index(model.meshes, mesh) || model.nodes[n].skin >= 0) {
      warn_unshown(mesh < 0 ? "it has no mesh to repeat"
                            : "a skinned mesh is not repeated: it does not follow its node, so an instance's transform "
                              "has nothing to apply to");
      keep_group(reader, n, attributes, std::move(values), 0);
      continue;
    }
    // Each node shows one at least: that is what it would without the extension.
    const std::size_t each = promised_vertices(model, mesh);
    const std::size_t room = std::min(kMostInstances - std::min(instances, kMostInstances),
                                      (kMostInstancedVertices - std::min(vertices, kMostInstancedVertices)) / each);
    const std::size_t count = std::clamp<std::size_t>(room, 1, values.count);
    if (count < values.count) {
      warn_unshown(fmt::format("{} of {} instances are shown; more than {} of them or {} vertices are too many", count,
                               values.count, kMostInstances, kMostInstancedVertices));
    }
    instances += count;
    vertices += count * each;
    std::vector<int>& made = reader.instances[static_cast<int>(n)];
    tinygltf::Node instance;
    instance.mesh = mesh;
    model.nodes[n].mesh = -1;
    // What the file says once is not repeated in full: the name is cut as the skeleton's, with room for the number, and
    // the weights stay with the node.
    const std::string name =
        model.nodes[n].name.empty() ? "instance" : single_line(model.nodes[n].name, kNameLimit - 5);
    for (std::size_t i = 0; i < count; ++i) {
      const Transform at = values.place(i);
      instance.name = fmt::format("{} {}", name, i);
      instance.translation = {at.translation.x, at.translation.y, at.translation.z};
      instance.rotation = {at.rotation.x, at.rotation.y, at.rotation.z, at.rotation.w};
      instance.scale = {at.scale.x, at.scale.y, at.scale.z};
      made.push_back(static_cast<int>(model.nodes.size()));
      reader.node_of_made.push_back(static_cast<int>(n));
      model.nodes.push_back(instance);
    }
    keep_group(reader, n, attributes, std::move(values), count);
  }
}

void read_instances(Reader& reader) {
  for (auto& [node, instances] : reader.kept_instances) {
    instances.joint = reader.joint_of_node[node];
    if (const auto made = reader.instances.find(node); made != reader.instances.end()) {
      for (const int n : made->second) {
        instances.joints.push_back(reader.joint_of_node[n]);
      }
    }
    reader.character.instances.push_back(std::move(instances));
  }
}

void read_visibility(Reader& reader) {
  std::vector<char>& hidden = reader.character.node_hidden.edit();
  for (int j = 0; j < reader.character.skeleton->size(); ++j) {
    const int n = reader.character.skeleton->source_node[j];
    const tinygltf::Value* object = find_extension(reader.model.nodes[n].extensions, "KHR_node_visibility");
    const tinygltf::Value* visible = object != nullptr ? find_member(*object, "visible") : nullptr;
    if (visible == nullptr) {
      continue;
    }
    if (!visible->IsBool()) {
      ExtensionValues(reader, *object, "KHR_node_visibility", fmt::format("node {}", n))
          .warn(fmt::format("visible: expected true or false, got {}; the node is shown",
                            ExtensionValues::label(*visible)));
    } else if (!visible->Get<bool>()) {
      hidden.resize(reader.character.skeleton->size(), 0);
      hidden[j] = 1;
    }
  }
}

}  // namespace pelt::gltf
