#include "edit/pose_reader.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "edit/pose_by_map.h"
#include "edit/pose_transfer.h"

namespace pelt::edit {
namespace {

using PoseJson = nlohmann::json;  // no name that others use for a value: sources are compiled together

// A rotation whose squared length is off by more than this is normalised; less is rounding, and stays exact in a round
// trip.
constexpr float kUnitTolerance = 1e-6f;

Status check_keys(const PoseJson& object, std::string_view what, const std::vector<std::string>& allowed) {
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
Result<std::vector<float>> read_numbers(const PoseJson& value, std::string_view what, std::size_t count) {
  if (!value.is_array() || value.size() != count) {
    return error("{}: expected an array of {} numbers, got {}", what, count,
                 value.is_array() ? fmt::format("{} of them", value.size()) : std::string(value.type_name()));
  }
  std::vector<float> result;
  for (std::size_t i = 0; i < count; ++i) {
    const float number = value[i].is_number() ? static_cast<float>(value[i].get<double>()) : 0.0f;
    if (!value[i].is_number() || !std::isfinite(number)) {
      return error("{}: number {}: expected a finite number, got {}", what, i,
                   printable(value[i].dump(-1, ' ', true, PoseJson::error_handler_t::replace), 24));
    }
    result.push_back(number);
  }
  return result;
}

// The components that `object` names.
Result<PosedJoint> read_components(const PoseJson& object, std::string_view what) {
  PosedJoint out;
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
    out.rotation = rotation;
    if (std::abs(squared - 1.0) > kUnitTolerance) {
      out.rotation = glm::quat(glm::dquat(rotation) / std::sqrt(squared));
    }
  }
  for (const auto& [name, target] : {std::pair{"translation", &out.translation}, std::pair{"scale", &out.scale}}) {
    if (const auto found = object.find(name); found != object.end()) {
      const auto v = read_numbers(*found, fmt::format("{}: {}", what, name), 3);
      if (!v) {
        return v.error();
      }
      *target = glm::vec3((*v)[0], (*v)[1], (*v)[2]);
    }
  }
  return out;
}

// Names that are not UTF-8 cannot stand in a file.
bool is_json_text(const std::string& name) {
  try {
    return !name.empty() && !PoseJson(name).dump().empty();
  } catch (const PoseJson::exception&) {
    return false;
  }
}

// "a", "a or b", "a, b or c".
std::string alternatives(const rig::Skeleton& skeleton, const std::vector<int>& joints) {
  std::string out;
  for (std::size_t n = 0; n < joints.size(); ++n) {
    out += n == 0 ? "" : n + 1 == joints.size() ? " or " : ", ";
    out += printable(skeleton.label(joints[n]));
  }
  return out;
}

class Reader {
 public:
  explicit Reader(const Document& document) : document_(document), character_(*document.character) {}

  Result<ReplacePose> read(const PoseJson& root, PoseReport& report) {
    if (!root.is_object() || !root.contains("pelt")) {
      return error("not a pose file: expected an object with \"pelt\": \"pose\"");
    }
    if (root["pelt"] != "pose") {
      return error("not a pose file: \"pelt\": expected \"pose\", got {}", text(root["pelt"]));
    }
    if (!root.contains("version") || root["version"] != kPoseVersion) {
      return error("version: expected {}, got {}", kPoseVersion,
                   root.contains("version") ? text(root["version"]) : std::string("none"));
    }
    PELT_TRY(check_keys(root, "pose", {"pelt", "version", "joints", "morphs", "nodes", "rest"}));
    if (const auto rest = root.find("rest"); rest != root.end()) {
      PELT_TRY(read_rest(*rest));
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
        PELT_TRY((this->*function)(item.key(), item.value()));
      }
    }
    find_joints();
    report = std::move(report_);
    if (report.joints + report.shapes > 0 && report.joints_found + report.shapes_found == 0) {
      return error("the character has none of the {} that the file poses: {}",
                   report.joints > 0 ? "joints" : "morph targets", listed(report.not_found, 5));
    }
    return std::move(pose_);
  }

 private:
  static std::string text(const PoseJson& value) {
    return printable(value.dump(-1, ' ', true, PoseJson::error_handler_t::replace), 40);
  }

  // An entry of the rig that the file says nothing else of.
  int add_entry(std::string name, int node) {
    rig_.joints.name.push_back(std::move(name));
    rig_.joints.parent.push_back(-1);
    rig_.joints.role.emplace_back();
    node_.push_back(node);
    return static_cast<int>(node_.size()) - 1;
  }

  Status read_rest(const PoseJson& rest) {
    if (!rest.is_array()) {
      return error("\"rest\": expected an array, got {}", rest.type_name());
    }
    for (std::size_t i = 0; i < rest.size(); ++i) {
      const PoseJson& value = rest[i];
      const std::string what = fmt::format("rest, entry {}", i);
      if (Status keys =
              check_keys(value, what, {"name", "node", "parent", "human", "rotation", "translation", "scale"});
          !keys) {
        return keys;
      }
      for (const char* name : {"name", "human"}) {
        if (value.contains(name) && !value[name].is_string()) {
          return error("{}: {}: expected a string, got {}", what, name, text(value[name]));
        }
      }
      const Result<int> node = read_index(value, "node", what, std::numeric_limits<int>::max());
      const Result<int> parent = read_index(value, "parent", what, static_cast<int>(i));
      if (!node || !parent) {
        return node ? parent.error() : node.error();
      }
      PELT_TRY_TO(const PosedJoint local, read_components(value, what));
      const int entry = add_entry(value.value("name", std::string()), *node);
      rig_.joints.parent.back() = *parent;
      rig_.joints.role.back() = value.value("human", std::string());
      rig_.rest.push_back({local.translation.value_or(glm::vec3(0)), local.rotation.value_or(kIdentityQuat),
                           local.scale.value_or(glm::vec3(1))});
      entry_of_.try_emplace(rig_.joints.name.back(), entry);
    }
    report_.rest_known = !rig_.rest.empty();
    return {};
  }

  // A number from 0 to below `end`, -1 where there is none.
  static Result<int> read_index(const PoseJson& object, const char* name, std::string_view what, int end) {
    const auto found = object.find(name);
    if (found == object.end()) {
      return -1;
    }
    if (!found->is_number_unsigned() || found->get<std::uint64_t>() >= static_cast<std::uint64_t>(end)) {
      return error("{}: {}: expected a number below {}, got {}", what, name, end, text(*found));
    }
    return found->get<int>();
  }

  Status read_joint(const std::string& name, const PoseJson& value) {
    const std::string what = fmt::format("joint \"{}\"", printable(name));
    if (Status keys = check_keys(value, what, {"rotation", "translation", "scale"}); !keys) {
      return keys;
    }
    PELT_TRY_TO(const PosedJoint posed, read_components(value, what));
    const auto entry = name.empty() ? entry_of_.end() : entry_of_.find(name);
    const bool known = entry != entry_of_.end();
    rig_.posed[known ? entry->second : add_posed(name, -1)] = posed;
    return {};
  }

  // A joint that is posed although the rest pose, if any, does not list it.
  int add_posed(const std::string& name, int node) {
    const int entry = add_entry(name, node);
    if (report_.rest_known) {
      rig_.rest.emplace_back();
      rig_.unlisted.push_back(entry);
    }
    return entry;
  }

  Status read_morph(const std::string& name, const PoseJson& value) {
    const std::string what = fmt::format("morph \"{}\"", printable(name));
    const float weight = value.is_number() ? static_cast<float>(value.get<double>()) : 0.0f;
    if (!value.is_number() || !std::isfinite(weight)) {
      return error("{}: expected a finite number, got {}", what, text(value));
    }
    bool found = false;
    for (const MorphSlot& slot : slots_) {
      if (!name.empty() && slot.name == name) {
        pose_.morphs[slot.index] = weight;
        found = true;
      }
    }
    ++report_.shapes;
    if (found) {
      ++report_.shapes_found;
    } else {
      missing_shapes_.push_back(printable(name));
    }
    return {};
  }

  Status read_node(const std::string& key, const PoseJson& value) {
    const std::string what = fmt::format("node {}", printable(key));
    const std::optional<int> node = parse_integer(key);
    if (!node || *node < 0) {
      return error("{}: expected the index of a node in its file", what);
    }
    if (Status keys = check_keys(value, what, {"rotation", "translation", "scale", "weights"}); !keys) {
      return keys;
    }
    if (value.contains("rotation") || value.contains("translation") || value.contains("scale")) {
      PELT_TRY_TO(const PosedJoint posed, read_components(value, what));
      const auto entry = std::ranges::find(node_, *node);
      const bool known = entry != node_.end();
      rig_.posed[known ? static_cast<int>(entry - node_.begin()) : add_posed("", *node)] = posed;
    }
    return read_weights(value, what, *node);
  }

  Status read_weights(const PoseJson& value, const std::string& what, int node) {
    const auto weights = value.find("weights");
    if (weights == value.end()) {
      return {};
    }
    const int joint = character_.skeleton->from_source_node(node);
    const auto next = static_cast<std::size_t>(joint) + 1;
    const int first = joint < 0 ? 0 : character_.morph_offset[next - 1];
    const int count = joint < 0 ? 0 : character_.morph_offset[next] - first;
    ++report_.shapes;
    if (!weights->is_array() || count == 0 || weights->size() != static_cast<std::size_t>(count)) {
      if (!weights->is_array()) {
        return error("{}: weights: expected an array, got {}", what, weights->type_name());
      }
      missing_shapes_.push_back(fmt::format("{} of {} weights", what, weights->size()));
      return {};
    }
    const auto read = read_numbers(*weights, fmt::format("{}: weights", what), static_cast<std::size_t>(count));
    if (!read) {
      return read.error();
    }
    ++report_.shapes_found;
    for (int i = 0; i < count; ++i) {
      pose_.morphs[first + i] = (*read)[i];
    }
    return {};
  }

  // Nodes without a name of their own are the same where number and parent are.
  [[nodiscard]] int same_node(std::size_t i, const std::vector<rig::JointMatch>& matches) const {
    const rig::Skeleton& skeleton = character_.skeleton;
    const int j = skeleton.from_source_node(node_[i]);
    if (j < 0 || std::ranges::find(rig_.unlisted, static_cast<int>(i)) != rig_.unlisted.end() || !report_.rest_known) {
      return j;
    }
    const std::string& name = skeleton.name[j];
    const bool own_name = is_json_text(name) && std::ranges::count(skeleton.name, name) == 1;
    const int parent = rig_.joints.parent[i];
    const int their_parent = parent < 0 ? -1 : matches[parent].joint;
    return !own_name && their_parent == skeleton.parent[j] ? j : -1;
  }

  std::vector<rig::JointMatch> match() const {
    std::vector<rig::JointMatch> matches = rig::match_joints(rig_.joints, character_);
    for (std::size_t i = 0; i < matches.size(); ++i) {
      if (node_[i] >= 0) {
        matches[i] = {same_node(i, matches), true, {}};
      }
    }
    return matches;
  }

  [[nodiscard]] std::string entry_name(std::size_t i) const {
    return node_[i] >= 0 ? fmt::format("node {}", node_[i]) : printable(rig_.joints.name[i]);
  }

  // Where names tell next to nothing of the rig, the shapes of the two skeletons may tell more.
  [[nodiscard]] std::optional<MappedPose> by_shape(const std::vector<rig::JointMatch>& matches) const {
    const auto named = std::ranges::count_if(matches, [](const rig::JointMatch& match) { return match.joint >= 0; });
    if (!report_.rest_known || 4 * named >= std::ssize(matches)) {
      return std::nullopt;
    }
    const auto known =
        std::ranges::count_if(rig_.posed, [&](const auto& posed) { return matches[posed.first].joint >= 0; });
    std::optional<MappedPose> mapped = pose_by_joint_map(rig_, character_);
    return mapped && std::ranges::count_if(mapped->follows, [](int joint) { return joint >= 0; }) > known
               ? std::move(mapped)
               : std::nullopt;
  }

  void find_joints() {
    const rig::Skeleton& skeleton = character_.skeleton;
    if (!report_.rest_known) {
      rig_.joints.parent.clear();  // not known
    }
    std::vector<rig::JointMatch> matches = match();
    const std::optional<MappedPose> mapped = by_shape(matches);
    for (std::size_t i = 0; mapped && i < matches.size(); ++i) {
      matches[i] = {mapped->follows[i], false, {}};
    }
    for (const auto& [i, posed] : rig_.posed) {
      const rig::JointMatch& match = matches[i];
      const std::string name = entry_name(i);
      ++report_.joints;
      if (match.joint < 0) {
        report_.not_found.push_back(
            match.ambiguous.empty() ? name : fmt::format("{} ({}?)", name, alternatives(skeleton, match.ambiguous)));
        continue;
      }
      ++report_.joints_found;
      if (!match.exact) {
        report_.guessed.push_back(fmt::format("{} is {}", name, printable(skeleton.label(match.joint))));
      }
    }
    report_.not_found.insert(report_.not_found.end(), missing_shapes_.begin(), missing_shapes_.end());
    for (const auto& [joint, local] : mapped ? mapped->locals : transfer_pose(rig_, matches, character_)) {
      pose_.overrides[joint] = {local, rig::dofs_from_local(joint_dofs(document_, joint), local)};
    }
  }

  const Document& document_;
  const rig::Character& character_;
  std::vector<MorphSlot> slots_ = morph_slots(character_);
  PosedRig rig_;
  std::vector<int> node_;                ///< [I] index in its file of a node without a name of its own, else -1
  std::map<std::string, int> entry_of_;  ///< by name
  PoseReport report_;
  std::vector<std::string> missing_shapes_;
  ReplacePose pose_;
};

}  // namespace

std::vector<MorphSlot> morph_slots(const rig::Character& character) {
  std::vector<MorphSlot> slots;
  for (int j = 0; j < character.skeleton->size(); ++j) {
    const int first = character.morph_offset[j];
    const int last = character.morph_offset[static_cast<std::size_t>(j) + 1];
    if (first == last) {
      continue;
    }
    const auto node = std::ranges::find(character.mesh_nodes, j, &rig::MeshNode::joint);
    for (int i = first; i < last; ++i) {
      std::string name;
      if (node != character.mesh_nodes.end()) {
        const auto& names = character.meshes[node->mesh].morph_names;
        const std::size_t target = i - first;
        name = target < names.size() ? names[target] : "";
      }
      slots.push_back({j, i, std::move(name)});
    }
  }
  return slots;
}

std::string listed(const std::vector<std::string>& names, std::size_t most) {
  const std::span shown = std::span(names).first(std::min(most, names.size()));
  return fmt::format("{}{}", fmt::join(shown, ", "),
                     names.size() > most ? fmt::format(" and {} more", names.size() - most) : "");
}

Result<ReplacePose> read_pose(const Document& document, const PoseJson& root, PoseReport& report) {
  return Reader(document).read(root, report);
}

}  // namespace pelt::edit
