#include "edit/pose_file.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "core/guarded_json.h"
#include "core/text.h"
#include "edit/pose_reader.h"

namespace pelt::edit {
namespace {

using PoseJson = nlohmann::json;

// --- writing ---------------------------------------------------------------------------------------------------------

// The name as a JSON string, or nothing where it is not UTF-8 and so could not be read back.
std::optional<std::string> quoted(const std::string& name) {
  try {
    return PoseJson(name).dump();
  } catch (const PoseJson::exception&) {
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

// Nodes that a skin lists (all where none does), those in `also`, and what they hang below.
std::vector<char> nodes_of_rig(const rig::Skeleton& skeleton, const std::vector<char>& also) {
  std::vector<char> wanted = skeleton.is_joint;
  if (std::ranges::find(wanted, 1) == wanted.end()) {
    wanted.assign(wanted.size(), 1);
  }
  for (std::size_t j = wanted.size(); j-- > 0;) {
    wanted[j] = static_cast<char>(wanted[j] != 0 || also[j] != 0);
    if (wanted[j] != 0 && skeleton.parent[j] >= 0) {
      wanted[skeleton.parent[j]] = 1;
    }
  }
  return wanted;
}

std::string unique_key(const rig::Skeleton& skeleton, const std::map<std::string, int>& uses, std::size_t j) {
  const std::string& name = skeleton.name[j];
  return !name.empty() && uses.at(name) == 1 ? quoted(name).value_or("") : "";
}

// The rig at rest, one node per line: parents come first and are counted from 0.
std::string rest_section(const rig::Character& character, const std::map<std::string, int>& uses,
                         const std::vector<char>& posed) {
  const rig::Skeleton& skeleton = character.skeleton;
  const std::vector<char> wanted = nodes_of_rig(skeleton, posed);
  std::vector<int> line_of(wanted.size(), -1);
  std::vector<std::string> lines;
  for (std::size_t j = 0; j < wanted.size(); ++j) {
    if (wanted[j] == 0) {
      continue;
    }
    std::vector<std::string> parts;
    if (const std::string key = unique_key(skeleton, uses, j); !key.empty()) {
      parts.push_back(fmt::format("\"name\": {}", key));
    } else {
      parts.push_back(fmt::format("\"node\": {}", skeleton.source_node[j]));
    }
    if (skeleton.parent[j] >= 0) {
      parts.push_back(fmt::format("\"parent\": {}", line_of[skeleton.parent[j]]));
    }
    const auto bone = std::ranges::find(character.humanoid, static_cast<int>(j), &rig::HumanBone::joint);
    if (bone != character.humanoid.end()) {
      parts.push_back(fmt::format("\"human\": {}", quoted(bone->role).value_or("\"\"")));
    }
    if (const std::string what = components(Transform{}, skeleton.rest[j]); !what.empty()) {
      parts.push_back(what);
    }
    line_of[j] = static_cast<int>(lines.size());
    lines.push_back(fmt::format("{{{}}}", fmt::join(parts, ", ")));
  }
  return fmt::format("  \"rest\": [\n    {}\n  ]", fmt::join(lines, ",\n    "));
}

std::string section(std::string_view name, const std::vector<std::string>& lines) {
  return lines.empty() ? fmt::format("  \"{}\": {{}}", name)
                       : fmt::format("  \"{}\": {{\n    {}\n  }}", name, fmt::join(lines, ",\n    "));
}

// A name says the weight of all targets that bear it; where they differ, or have no name, the node lists its weights.
// @param nodes  what of a joint goes under "nodes"; receives the weights
std::vector<std::string> morph_lines(const rig::Character& character, const rig::Pose& rest, const rig::Pose& pose,
                                     std::map<int, std::string>& nodes) {
  const std::vector<MorphSlot> slots = morph_slots(character);
  const auto weight_changed = [&](const MorphSlot& slot) {
    const std::size_t i = slot.index;
    return pose.morph_weights[i] != rest.morph_weights[i];
  };
  std::vector<std::string> morphs;
  std::vector<int> weight_nodes;
  for (const MorphSlot& slot : slots) {
    const float weight = pose.morph_weights[slot.index];
    const auto key = slot.name.empty() ? std::nullopt : quoted(slot.name);
    const bool named = key && std::ranges::all_of(slots, [&](const MorphSlot& other) {
                         return other.name != slot.name || pose.morph_weights[other.index] == weight;
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
  return morphs;
}

}  // namespace

std::string summary(const PoseReport& report) {
  if (report.exact()) {
    return {};
  }
  std::vector<std::string> parts;
  if (report.joints > 0) {
    parts.push_back(fmt::format("{} of {} joints", report.joints_found, report.joints));
    if (!report.guessed.empty()) {
      parts.back() += fmt::format(", {} by similar names", report.guessed.size());
    }
  }
  if (report.shapes > 0) {
    parts.push_back(fmt::format("{} of {} shapes", report.shapes_found, report.shapes));
  }
  if (report.missing() > 0) {
    parts.push_back(fmt::format("{} not found", report.missing()));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string details(const PoseReport& report, std::size_t most) {
  std::vector<std::string> parts;
  if (!report.not_found.empty()) {
    parts.push_back("missing: " + listed(report.not_found, most));
  }
  if (!report.guessed.empty()) {
    parts.push_back(listed(report.guessed, most));
    if (!report.rest_known) {
      parts.emplace_back("the file does not tell its rest pose, so rotations were taken as they are");
    }
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string pose_to_json(const Document& document) {
  const rig::Character& character = *document.character;
  const rig::Skeleton& skeleton = character.skeleton;
  const rig::Pose rest = rig::rest_pose(character);
  const rig::Pose pose = evaluate_pose(document);
  std::map<std::string, int> uses;
  for (const std::string& name : skeleton.name) {
    ++uses[name];
  }
  std::vector<std::string> joints;
  std::map<int, std::string> nodes;  // what of a joint goes under "nodes"
  std::vector<char> posed(skeleton.parent.size(), 0);
  for (int j = 0; j < skeleton.size(); ++j) {
    const std::size_t i = j;
    const std::string what = components(rest.local[i], pose.local[i]);
    if (what.empty()) {
      continue;
    }
    posed[i] = 1;
    if (const std::string key = unique_key(skeleton, uses, i); !key.empty()) {
      joints.push_back(fmt::format("{}: {{{}}}", key, what));
    } else {
      nodes[j] = what;
    }
  }

  const std::vector<std::string> morphs = morph_lines(character, rest, pose, nodes);
  std::vector<std::string> node_lines;
  for (const auto& [j, what] : nodes) {
    node_lines.push_back(fmt::format("\"{}\": {{{}}}", skeleton.source_node[j], what));
  }

  std::vector<std::string> sections = {"  \"pelt\": \"pose\"", fmt::format("  \"version\": {}", kPoseVersion),
                                       section("joints", joints)};
  if (!morphs.empty()) {
    sections.push_back(section("morphs", morphs));
  }
  if (!node_lines.empty()) {
    sections.push_back(section("nodes", node_lines));
  }
  if (std::ranges::find(posed, 1) != posed.end()) {
    sections.push_back(rest_section(character, uses, posed));
  }
  return fmt::format("{{\n{}\n}}\n", fmt::join(sections, ",\n"));
}

Result<ReplacePose> pose_from_json(const Document& document, std::string_view text, PoseReport* report) {
  PELT_TRY_TO(const PoseJson root, parse_json<PoseJson>(text));
  PoseReport found;
  return read_pose(document, root, report != nullptr ? *report : found);
}

Status save_pose(const Document& document, const std::filesystem::path& path) {
  return write_file_atomically(path, pose_to_json(document));
}

Result<ReplacePose> load_pose(const Document& document, const std::filesystem::path& path, PoseReport* report,
                              std::string* content) {
  PELT_TRY_TO(std::string text, read_file(path, JsonLimits().bytes));
  Result<ReplacePose> pose = pose_from_json(document, text, report);
  if (!pose) {
    return pose.error().in(printable(path.string(), 200));
  }
  if (content != nullptr) {
    *content = std::move(text);
  }
  return pose;
}

}  // namespace pelt::edit
