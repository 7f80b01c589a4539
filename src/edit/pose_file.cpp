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
#include "edit/pose_library.h"
#include "edit/pose_reader.h"

namespace pelt::edit {
namespace {

using PoseJson = nlohmann::json;  // no name that others use for a value: sources are compiled together

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
  struct OfName {
    int first;
    float weight;
    bool has_one_weight = true;
    bool is_changed = false;
  };
  std::map<std::string_view, OfName> names;
  for (const MorphSlot& slot : slots) {
    const float weight = pose.morph_weights[slot.index];
    OfName& of_name = names.try_emplace(slot.name, OfName{slot.index, weight}).first->second;
    of_name.has_one_weight = of_name.has_one_weight && of_name.weight == weight;
    of_name.is_changed = of_name.is_changed || weight_changed(slot);
  }
  std::vector<std::string> morphs;
  std::vector<int> weight_nodes;
  for (const MorphSlot& slot : slots) {
    const float weight = pose.morph_weights[slot.index];
    const auto key = slot.name.empty() ? std::nullopt : quoted(slot.name);
    const OfName& of_name = names.at(slot.name);
    const bool named = key && of_name.has_one_weight;
    if (named && of_name.first == slot.index && of_name.is_changed) {
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

// What a file says of the pose of one character.
struct PoseLines {
  std::vector<std::string> joints;
  std::vector<std::string> morphs;
  std::vector<std::string> nodes;
};

std::map<std::string, int> name_uses(const rig::Skeleton& skeleton) {
  std::map<std::string, int> uses;
  for (const std::string& name : skeleton.name) {
    ++uses[name];
  }
  return uses;
}

// @param listed  [J] joints that are said also where they are at rest; empty: none is
// @param posed   [J] receives 1 for those that are said
PoseLines pose_lines(const rig::Character& character, const std::map<std::string, int>& uses, const rig::Pose& pose,
                     const std::vector<char>& listed, std::vector<char>& posed) {
  const rig::Skeleton& skeleton = character.skeleton;
  const rig::Pose rest = rig::rest_pose(character);
  PoseLines out;
  std::map<int, std::string> nodes;  // what of a joint goes under "nodes"
  for (int j = 0; j < skeleton.size(); ++j) {
    const std::size_t i = j;
    std::string what = components(rest.local[i], pose.local[i]);
    const bool is_listed = !listed.empty() && listed[i] != 0;
    if (what.empty() && !is_listed) {
      continue;
    }
    posed[i] = 1;
    if (const std::string key = unique_key(skeleton, uses, i); !key.empty()) {
      out.joints.push_back(fmt::format("{}: {{{}}}", key, what));
    } else {
      const glm::vec3& t = rest.local[i].translation;
      nodes[j] = what.empty() ? fmt::format("\"translation\": {}", numbers({t.x, t.y, t.z})) : std::move(what);
    }
  }
  out.morphs = morph_lines(character, rest, pose, nodes);
  for (const auto& [j, what] : nodes) {
    out.nodes.push_back(fmt::format("\"{}\": {{{}}}", skeleton.source_node[j], what));
  }
  return out;
}

// "Fist" as an entry of a library.
std::string library_entry(const rig::Character& character, const std::map<std::string, int>& uses,
                          const StoredPose& stored, std::vector<char>& posed) {
  rig::Pose pose = rig::rest_pose(character);
  std::vector<char> listed(pose.local.size(), 0);
  for (const auto& [joint, local] : stored.joints) {
    pose.local[joint] = local;
    listed[joint] = 1;
  }
  for (const auto& [shape, weight] : stored.shapes) {
    pose.morph_weights[shape] = weight;
  }
  const PoseLines lines = pose_lines(character, uses, pose, listed, posed);
  std::vector<std::string> sections = {fmt::format("  \"name\": {}", quoted(stored.name).value_or("\"Pose\"")),
                                       section("joints", lines.joints)};
  if (!stored.shapes.empty()) {
    sections.push_back(section("morphs", lines.morphs));
  }
  if (!lines.nodes.empty()) {
    sections.push_back(section("nodes", lines.nodes));
  }
  std::string text = fmt::format("{{\n{}\n}}", fmt::join(sections, ",\n"));
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
    text.insert(at + 1, "    ");
  }
  return "    " + text;
}

}  // namespace

std::string poses_to_json(const Document& document, const PoseLibrary& poses) {
  const rig::Character& character = *document.character;
  const std::map<std::string, int> uses = name_uses(character.skeleton);
  std::vector<char> posed(character.skeleton->parent.size(), 0);
  std::vector<std::string> entries;
  for (const StoredPose& pose : poses) {
    entries.push_back(library_entry(character, uses, pose, posed));
  }
  return fmt::format("{{\n  \"pelt\": \"poses\",\n  \"version\": {},\n  \"poses\": [\n{}\n  ],\n{}\n}}\n", kPoseVersion,
                     fmt::join(entries, ",\n"), rest_section(character, uses, posed));
}

namespace {

// What of the rig that a pose comes from has no counterpart here; empty where all has.
std::string note_of(const PoseReport& report) {
  std::vector<std::string> parts;
  constexpr std::size_t kMostNoted = 8;
  if (report.missing() > 0) {
    parts.push_back(fmt::format("{} of {} joints found; without counterpart: {}", report.joints_found, report.joints,
                                listed(report.not_found, kMostNoted)));
  }
  if (!report.guessed.empty()) {
    parts.push_back(fmt::format("{} by similar names: {}", report.guessed.size(), listed(report.guessed, kMostNoted)));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

// @param whole  joints and shapes that it does not name are at rest
Result<StoredPose> stored_from(const Document& document, const PoseJson& root, std::string name, bool whole) {
  PoseReport report;
  PELT_TRY_TO(const ReplacePose pose, read_pose(document, root, report));
  const rig::Pose rest = rig::rest_pose(*document.character);
  StoredPose out{.name = std::move(name), .joints = {}, .shapes = {}, .note = note_of(report)};
  for (std::size_t j = 0; whole && j < rest.local.size(); ++j) {
    out.joints[static_cast<int>(j)] = rest.local[j];
  }
  for (const auto& [joint, posed] : pose.overrides) {
    out.joints[joint] = posed.local;
  }
  for (std::size_t i = 0; (whole || root.contains("morphs")) && i < rest.morph_weights.size(); ++i) {
    out.shapes[static_cast<int>(i)] = rest.morph_weights[i];
  }
  for (const auto& [shape, weight] : pose.morphs) {
    out.shapes[shape] = weight;
  }
  return out;
}

// One entry of a library, as if it were a file of its own.
Result<StoredPose> library_pose(const Document& document, const PoseJson& library, const PoseJson& entry) {
  PoseJson root = {{"pelt", "pose"}, {"version", kPoseVersion}};
  for (const auto& item : entry.items()) {
    if (item.key() == "joints" || item.key() == "morphs" || item.key() == "nodes") {
      root[item.key()] = item.value();
    } else if (item.key() != "name") {
      return error("unknown entry \"{}\"; expected one of name, joints, morphs, nodes", printable(item.key()));
    }
  }
  if (const auto rest = library.find("rest"); rest != library.end()) {
    root["rest"] = *rest;
  }
  return stored_from(document, root, entry["name"].get<std::string>(), false);
}

}  // namespace

bool is_poses(std::string_view beginning) {
  std::string words;
  std::ranges::copy_if(beginning, std::back_inserter(words),
                       [](char c) { return c != ' ' && c != '\n' && c != '\r' && c != '\t'; });
  return words.starts_with('{') && (words.find("\"pelt\":\"pose\"") != std::string::npos ||
                                    words.find("\"pelt\":\"poses\"") != std::string::npos);
}

Result<OpenedPoses> poses_from_json(const Document& document, std::string_view text, const std::string& name) {
  PELT_TRY_TO(const PoseJson root, parse_json<PoseJson>(text));
  OpenedPoses out;
  if (!root.is_object() || !root.contains("pelt") || root["pelt"] != "poses") {
    PELT_TRY_TO(StoredPose pose, stored_from(document, root, name, true));
    out.poses.push_back(std::move(pose));
    return out;
  }
  if (!root.contains("version") || root["version"] != kPoseVersion) {
    return error("version of the pose library: expected {}", kPoseVersion);
  }
  if (!root.contains("poses") || !root["poses"].is_array()) {
    return error("\"poses\": expected an array");
  }
  if (root["poses"].size() > kMostPoses) {
    return error("\"poses\": expected at most {}, got {}", kMostPoses, root["poses"].size());
  }
  for (std::size_t i = 0; i < root["poses"].size(); ++i) {
    const PoseJson& entry = root["poses"][i];
    if (!entry.is_object() || !entry.contains("name") || !entry["name"].is_string()) {
      return error("pose {}: expected an object with a name", i);
    }
    Result<StoredPose> pose = library_pose(document, root, entry);
    if (pose) {
      out.poses.push_back(*std::move(pose));
    } else {
      out.lost.push_back(fmt::format("{}: {}", printable(entry["name"].get<std::string>(), 80), pose.error().message));
    }
  }
  if (out.poses.empty() && !out.lost.empty()) {
    return error("{}", listed(out.lost, 3));
  }
  return out;
}

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
  const std::map<std::string, int> uses = name_uses(character.skeleton);
  std::vector<char> posed(character.skeleton->parent.size(), 0);
  const PoseLines lines = pose_lines(character, uses, evaluate_pose(document), {}, posed);
  std::vector<std::string> sections = {"  \"pelt\": \"pose\"", fmt::format("  \"version\": {}", kPoseVersion),
                                       section("joints", lines.joints)};
  if (!lines.morphs.empty()) {
    sections.push_back(section("morphs", lines.morphs));
  }
  if (!lines.nodes.empty()) {
    sections.push_back(section("nodes", lines.nodes));
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
