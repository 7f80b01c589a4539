#include "edit/pose_file.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "core/text.h"

namespace pelt::edit {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;
// A rotation whose squared length is off by more than this is normalised; less is rounding, and stays exact in a round
// trip.
constexpr float kUnitTolerance = 1e-6f;

// --- writing ---------------------------------------------------------------------------------------------------------

// The name as a JSON string, or nothing where it is not UTF-8 and so could not be read back.
std::optional<std::string> quoted(const std::string& name) {
  try {
    return json(name).dump();
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

// fmt's "{}" of a float is the shortest text that reads back as the same float.
std::string numbers(std::initializer_list<float> values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}
std::string numbers(std::span<const float> values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

// What of `now` is not as in `rest`: `"rotation": [...], "scale": [...]`, or empty.
std::string components(const Transform& rest, const Transform& now) {
  std::vector<std::string> parts;
  if (now.rotation != rest.rotation) {
    const glm::quat& q = now.rotation;
    parts.push_back(fmt::format("\"rotation\": {}", numbers({q.x, q.y, q.z, q.w})));
  }
  if (now.translation != rest.translation) {
    const glm::vec3& t = now.translation;
    parts.push_back(fmt::format("\"translation\": {}", numbers({t.x, t.y, t.z})));
  }
  if (now.scale != rest.scale) {
    const glm::vec3& s = now.scale;
    parts.push_back(fmt::format("\"scale\": {}", numbers({s.x, s.y, s.z})));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// One morph target on one node.
struct MorphSlot {
  int joint;
  int index;  ///< flat
  std::string name;
};

std::vector<MorphSlot> morph_slots(const rig::Character& character) {
  std::vector<MorphSlot> slots;
  for (int j = 0; j < character.skeleton.size(); ++j) {
    const int first = character.morph_offset[static_cast<std::size_t>(j)];
    const int last = character.morph_offset[static_cast<std::size_t>(j) + 1];
    if (first == last) {
      continue;
    }
    const auto node = std::ranges::find(character.mesh_nodes, j, &rig::MeshNode::joint);
    for (int i = first; i < last; ++i) {
      std::string name;
      if (node != character.mesh_nodes.end()) {
        const auto& names = character.meshes[static_cast<std::size_t>(node->mesh)].morph_names;
        const std::size_t target = static_cast<std::size_t>(i - first);
        name = target < names.size() ? names[target] : "";
      }
      slots.push_back({j, i, std::move(name)});
    }
  }
  return slots;
}

std::string section(std::string_view name, const std::vector<std::string>& lines) {
  return lines.empty() ? fmt::format("  \"{}\": {{}}", name)
                       : fmt::format("  \"{}\": {{\n    {}\n  }}", name, fmt::join(lines, ",\n    "));
}

// --- reading ---------------------------------------------------------------------------------------------------------

Status check_keys(const json& object, std::string_view what, const std::vector<std::string>& allowed) {
  if (!object.is_object()) {
    return error("{}: expected an object, got {}", what, object.type_name());
  }
  for (const auto& item : object.items()) {
    if (std::ranges::find(allowed, item.key()) == allowed.end()) {
      return error("{}: unknown entry \"{}\"{}; expected one of {}", what, printable(item.key()),
                   suggestion(item.key(), allowed), fmt::join(allowed, ", "));
    }
  }
  return {};
}

// `count` finite numbers.
Result<std::vector<float>> read_numbers(const json& value, std::string_view what, std::size_t count) {
  if (!value.is_array() || value.size() != count) {
    return error("{}: expected an array of {} numbers, got {}", what, count,
                 value.is_array() ? fmt::format("{} of them", value.size()) : std::string(value.type_name()));
  }
  std::vector<float> result;
  for (std::size_t i = 0; i < count; ++i) {
    const float number = value[i].is_number() ? static_cast<float>(value[i].get<double>()) : 0.0f;
    if (!value[i].is_number() || !std::isfinite(number)) {
      return error("{}: number {}: expected a finite number, got {}", what, i,
                   printable(value[i].dump(-1, ' ', true, json::error_handler_t::replace), 24));
    }
    result.push_back(number);
  }
  return result;
}

// Replaces the components that `object` names in `local`.
Status read_components(const json& object, std::string_view what, Transform& local) {
  if (const auto found = object.find("rotation"); found != object.end()) {
    const auto q = read_numbers(*found, fmt::format("{}: rotation", what), 4);
    if (!q) {
      return q.error();
    }
    const glm::quat rotation = quat_xyzw((*q)[0], (*q)[1], (*q)[2], (*q)[3]);
    // In double precision, since the square of a large float overflows.
    const double squared = static_cast<double>(rotation.x) * rotation.x + static_cast<double>(rotation.y) * rotation.y +
                           static_cast<double>(rotation.z) * rotation.z + static_cast<double>(rotation.w) * rotation.w;
    if (squared < 1e-12) {
      return error("{}: rotation: expected a quaternion of length 1, got length {:.3g}", what, std::sqrt(squared));
    }
    local.rotation = rotation;
    if (std::abs(squared - 1.0) > kUnitTolerance) {
      local.rotation = glm::quat(glm::dquat(rotation) / std::sqrt(squared));
    }
  }
  for (const auto& [name, target] : {std::pair{"translation", &local.translation}, std::pair{"scale", &local.scale}}) {
    if (const auto found = object.find(name); found != object.end()) {
      const auto v = read_numbers(*found, fmt::format("{}: {}", what, name), 3);
      if (!v) {
        return v.error();
      }
      *target = glm::vec3((*v)[0], (*v)[1], (*v)[2]);
    }
  }
  return {};
}

class Reader {
 public:
  explicit Reader(const Document& document) : document_(document), character_(*document.character) {}

  Result<ReplacePose> read(const json& root) {
    if (!root.is_object() || !root.contains("pelt")) {
      return error("not a pose file: expected an object with \"pelt\": \"pose\"");
    }
    if (root["pelt"] != "pose") {
      return error("not a pose file: \"pelt\": expected \"pose\", got {}", text(root["pelt"]));
    }
    if (!root.contains("version") || root["version"] != kVersion) {
      return error("version: expected {}, got {}", kVersion,
                   root.contains("version") ? text(root["version"]) : std::string("none"));
    }
    if (Status keys = check_keys(root, "pose", {"pelt", "version", "joints", "morphs", "nodes"}); !keys) {
      return keys.error();
    }
    for (const auto& [name, function] :
         {std::pair{"joints", &Reader::read_joint}, std::pair{"morphs", &Reader::read_morph},
          std::pair{"nodes", &Reader::read_node}}) {
      const auto found = root.find(name);
      if (found == root.end()) {
        continue;
      }
      if (!found->is_object()) {
        return error("\"{}\": expected an object, got {}", name, found->type_name());
      }
      for (const auto& item : found->items()) {
        if (Status status = (this->*function)(item.key(), item.value()); !status) {
          return status.error();
        }
      }
    }
    for (auto& [joint, joint_override] : pose_.overrides) {
      joint_override.dof_values = rig::dofs_from_local(joint_dofs(document_, joint), joint_override.local);
    }
    return std::move(pose_);
  }

 private:
  static std::string text(const json& value) {
    return printable(value.dump(-1, ' ', true, json::error_handler_t::replace), 40);
  }

  Transform& local(int joint) {
    const auto [entry, is_new] = pose_.overrides.try_emplace(joint);
    if (is_new) {
      entry->second.local = character_.skeleton.rest[static_cast<std::size_t>(joint)];
    }
    return entry->second.local;
  }

  Status read_joint(const std::string& name, const json& value) {
    const std::string what = fmt::format("joint \"{}\"", printable(name));
    const auto& names = character_.skeleton.name;
    const auto count = std::ranges::count(names, name);
    if (name.empty() || count == 0) {
      return error("{}: the character has no such joint{}", what, suggestion(name, names));
    }
    if (count > 1) {
      return error("{}: {} nodes have that name; address the node by its index under \"nodes\"", what, count);
    }
    if (Status keys = check_keys(value, what, {"rotation", "translation", "scale"}); !keys) {
      return keys;
    }
    return read_components(value, what, local(character_.skeleton.find(name)));
  }

  Status read_morph(const std::string& name, const json& value) {
    const std::string what = fmt::format("morph \"{}\"", printable(name));
    const float weight = value.is_number() ? static_cast<float>(value.get<double>()) : 0.0f;
    if (!value.is_number() || !std::isfinite(weight)) {
      return error("{}: expected a finite number, got {}", what, text(value));
    }
    bool found = false;
    std::vector<std::string> names;
    for (const MorphSlot& slot : slots_) {
      if (!name.empty() && slot.name == name) {
        pose_.morphs[slot.index] = weight;
        found = true;
      }
      names.push_back(slot.name);
    }
    if (!found) {
      return error("{}: the character has no such morph target{}", what, suggestion(name, names));
    }
    return {};
  }

  Status read_node(const std::string& key, const json& value) {
    const std::string what = fmt::format("node {}", printable(key));
    const std::optional<int> node = parse_integer(key);
    const int joint = node ? character_.skeleton.from_source_node(*node) : -1;
    if (joint < 0) {
      return error("{}: the character has no such node; its {} nodes are addressed by their index in the file", what,
                   character_.skeleton.size());
    }
    if (Status keys = check_keys(value, what, {"rotation", "translation", "scale", "weights"}); !keys) {
      return keys;
    }
    if (value.contains("rotation") || value.contains("translation") || value.contains("scale")) {
      if (Status status = read_components(value, what, local(joint)); !status) {
        return status;
      }
    }
    if (const auto weights = value.find("weights"); weights != value.end()) {
      const int first = character_.morph_offset[static_cast<std::size_t>(joint)];
      const int count = character_.morph_offset[static_cast<std::size_t>(joint) + 1] - first;
      const auto read = read_numbers(*weights, fmt::format("{}: weights", what), static_cast<std::size_t>(count));
      if (!read) {
        return read.error();
      }
      for (int i = 0; i < count; ++i) {
        pose_.morphs[first + i] = (*read)[static_cast<std::size_t>(i)];
      }
    }
    return {};
  }

  const Document& document_;
  const rig::Character& character_;
  std::vector<MorphSlot> slots_ = morph_slots(character_);
  ReplacePose pose_;
};

}  // namespace

std::string pose_to_json(const Document& document) {
  const rig::Character& character = *document.character;
  const rig::Skeleton& skeleton = character.skeleton;
  const rig::Pose rest = rig::rest_pose(character);
  const rig::Pose pose = evaluate_pose(document);
  const std::vector<MorphSlot> slots = morph_slots(character);
  const auto weight_changed = [&](const MorphSlot& slot) {
    const auto i = static_cast<std::size_t>(slot.index);
    return pose.morph_weights[i] != rest.morph_weights[i];
  };

  std::map<std::string, int> uses;
  for (const std::string& name : skeleton.name) {
    ++uses[name];
  }
  std::vector<std::string> joints;
  std::map<int, std::string> nodes;  // what of a joint goes under "nodes"
  for (int j = 0; j < skeleton.size(); ++j) {
    const auto i = static_cast<std::size_t>(j);
    const std::string what = components(rest.local[i], pose.local[i]);
    if (what.empty()) {
      continue;
    }
    const std::string& name = skeleton.name[i];
    const auto key = !name.empty() && uses[name] == 1 ? quoted(name) : std::nullopt;
    if (key) {
      joints.push_back(fmt::format("{}: {{{}}}", *key, what));
    } else {
      nodes[j] = what;
    }
  }

  // A name says the weight of all targets that bear it; where they differ, or have no name, the node lists its weights.
  std::vector<std::string> morphs;
  std::vector<int> weight_nodes;
  for (const MorphSlot& slot : slots) {
    const float weight = pose.morph_weights[static_cast<std::size_t>(slot.index)];
    const auto key = slot.name.empty() ? std::nullopt : quoted(slot.name);
    const bool named =
        key && std::ranges::all_of(slots, [&](const MorphSlot& other) {
          return other.name != slot.name || pose.morph_weights[static_cast<std::size_t>(other.index)] == weight;
        });
    const bool first_of_name = std::ranges::find(slots, slot.name, &MorphSlot::name)->index == slot.index;
    const bool any_changed = std::ranges::any_of(
        slots, [&](const MorphSlot& other) { return other.name == slot.name && weight_changed(other); });
    if (named && first_of_name && any_changed) {
      morphs.push_back(fmt::format("{}: {}", *key, weight));
    } else if (!named && weight_changed(slot)) {
      weight_nodes.push_back(slot.joint);
    }
  }
  for (const int j : weight_nodes) {
    if (nodes[j].find("\"weights\"") != std::string::npos) {
      continue;
    }
    const std::string weights = fmt::format("\"weights\": {}", numbers(character.morph_weights(pose, j)));
    nodes[j] = nodes[j].empty() ? weights : nodes[j] + ", " + weights;
  }
  std::vector<std::string> node_lines;
  for (const auto& [j, what] : nodes) {
    node_lines.push_back(fmt::format("\"{}\": {{{}}}", skeleton.source_node[static_cast<std::size_t>(j)], what));
  }

  std::vector<std::string> sections = {"  \"pelt\": \"pose\"", fmt::format("  \"version\": {}", kVersion),
                                       section("joints", joints)};
  if (!morphs.empty()) {
    sections.push_back(section("morphs", morphs));
  }
  if (!node_lines.empty()) {
    sections.push_back(section("nodes", node_lines));
  }
  return fmt::format("{{\n{}\n}}\n", fmt::join(sections, ",\n"));
}

Result<ReplacePose> pose_from_json(const Document& document, std::string_view text) {
  json root;
  try {
    root = json::parse(text);
  } catch (const json::parse_error& failure) {
    return error("not JSON: stopped at byte {} of {}", failure.byte, text.size());
  } catch (const json::exception&) {
    return error("not JSON: a number is out of range");
  }
  return Reader(document).read(root);
}

Status save_pose(const Document& document, const std::filesystem::path& path) {
  return write_file_atomically(path, pose_to_json(document));
}

Result<ReplacePose> load_pose(const Document& document, const std::filesystem::path& path) {
  const Result<std::string> text = read_file(path);
  if (!text) {
    return text.error();
  }
  Result<ReplacePose> pose = pose_from_json(document, *text);
  if (!pose) {
    return pose.error().in(printable(path.string(), 200));
  }
  return pose;
}

}  // namespace pelt::edit
