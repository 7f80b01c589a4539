// VRM 0.x (extension VRM), VRM 1.0 (VRMC_vrm), VRMC_vrm_animation 1.0 and VRMC_node_constraint 1.0.

#include <algorithm>
#include <array>
#include <set>

#include "gltf/extension_values.h"
#include "rig/constraints.h"

namespace pelt::gltf {
namespace {

constexpr const char* kConstraint = "VRMC_node_constraint";
// Each may depend on every node above it, so their number is what time and memory hang on; avatars have a few dozen.
constexpr std::size_t kMostConstraints = 1000;

class HumanoidReader {
 public:
  HumanoidReader(Reader& reader, const char* extension) : reader_(reader), extension_(extension) {}

  void add(const std::string& role, const tinygltf::Value& bone) {
    const ExtensionValues values(reader_, bone, extension_, "bone " + printable(role, 40));
    const std::optional<int> node = values.index_below("node", reader_.node_count);
    if (!node || role.empty()) {
      return;
    }
    const int joint = reader_.joint_of_node[*node];
    if (!roles_.insert(role).second || !joints_.insert(joint).second) {
      values.warn(fmt::format("node {} or the bone itself is named a second time; left out", *node));
      return;
    }
    reader_.character.humanoid.push_back({single_line(role, kNameLimit), joint});
  }

 private:
  Reader& reader_;
  const char* extension_;
  std::set<std::string> roles_;
  std::set<int> joints_;
};

/// One of the two forms of a humanoid: a list of {bone, node}, or an object of {node} by bone.
bool read_humanoid(Reader& reader, const char* extension) {
  const tinygltf::Value* root = find_extension(reader.model.extensions, extension);
  const tinygltf::Value* humanoid = root != nullptr ? find_member(*root, "humanoid") : nullptr;
  const tinygltf::Value* bones = humanoid != nullptr ? find_member(*humanoid, "humanBones") : nullptr;
  if (bones == nullptr) {
    return root != nullptr;
  }
  HumanoidReader out(reader, extension);
  for (std::size_t b = 0; b < bones->ArrayLen(); ++b) {
    const tinygltf::Value& bone = bones->Get(static_cast<int>(b));
    const tinygltf::Value* role = find_member(bone, "bone");
    out.add(role != nullptr && role->IsString() ? role->Get<std::string>() : std::string(), bone);
  }
  for (const std::string& role : bones->Keys()) {
    out.add(role, bones->Get(role));
  }
  return true;
}

struct AxisName {
  const char* name;
  glm::vec3 axis;
};
const std::array<AxisName, 9> kAxisNames = {{{"X", {1, 0, 0}},
                                             {"Y", {0, 1, 0}},
                                             {"Z", {0, 0, 1}},
                                             {"PositiveX", {1, 0, 0}},
                                             {"PositiveY", {0, 1, 0}},
                                             {"PositiveZ", {0, 0, 1}},
                                             {"NegativeX", {-1, 0, 0}},
                                             {"NegativeY", {0, -1, 0}},
                                             {"NegativeZ", {0, 0, -1}}}};

/// @param axes  of kAxisNames: from, up to
bool read_axis(const ExtensionValues& values, const tinygltf::Value& object, const char* member, std::size_t from,
               std::size_t to, glm::vec3& out) {
  const tinygltf::Value* given = find_member(object, member);
  const std::string name = given != nullptr && given->IsString() ? given->Get<std::string>() : std::string();
  for (std::size_t i = from; i < to; ++i) {
    if (name == kAxisNames[i].name) {
      out = kAxisNames[i].axis;
      return true;
    }
  }
  values.warn(fmt::format("{}: '{}' names no axis; left out", member, printable(name, 40)));
  return false;
}

std::optional<rig::NodeConstraint> read_constraint(Reader& reader, const tinygltf::Value& object, int j,
                                                   const std::string& place) {
  struct Kind {
    const char* member;
    rig::ConstraintKind kind;
  };
  constexpr std::array<Kind, 3> kKinds = {{{"roll", rig::ConstraintKind::kRoll},
                                           {"aim", rig::ConstraintKind::kAim},
                                           {"rotation", rig::ConstraintKind::kRotation}}};
  const tinygltf::Value* constraint = find_member(object, "constraint");
  for (const Kind& kind : kKinds) {
    const tinygltf::Value* body = constraint != nullptr ? find_member(*constraint, kind.member) : nullptr;
    if (body == nullptr) {
      continue;
    }
    const ExtensionValues values(reader, *body, fmt::format("{}: {}", kConstraint, kind.member), place);
    rig::NodeConstraint out;
    out.kind = kind.kind;
    out.joint = j;
    const std::optional<int> source = values.index_below("source", reader.node_count);
    if (!source || reader.joint_of_node[*source] == j) {
      values.warn(source ? "its source is the node itself; left out" : "it has no source; left out");
      return std::nullopt;
    }
    out.source = reader.joint_of_node[*source];
    out.weight = values.number("weight", 0, 1, 1);
    if ((kind.kind == rig::ConstraintKind::kRoll && !read_axis(values, *body, "rollAxis", 0, 3, out.axis)) ||
        (kind.kind == rig::ConstraintKind::kAim && !read_axis(values, *body, "aimAxis", 3, 9, out.axis))) {
      return std::nullopt;
    }
    return out;
  }
  reader.warn("extension-value", place,
              fmt::format("{}: expected a roll, aim or rotation constraint, got none", kConstraint));
  return std::nullopt;
}

// "elbow -> hand -> elbow": what follows what, with the names of the first few of many.
std::string cycle_text(const rig::Skeleton& skeleton, const std::vector<int>& joints) {
  constexpr std::size_t kMostNames = 8;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(joints.size(), kMostNames); ++i) {
    names.push_back(printable(skeleton.label(joints[i]), 40));
  }
  if (joints.size() > kMostNames) {
    names.push_back(fmt::format("{} more", joints.size() - kMostNames));
  }
  names.push_back(names.front());
  return fmt::format("{}", fmt::join(names, " -> "));
}

void warn_of_cycles(Reader& reader, std::span<const rig::NodeConstraint> constraints) {
  const rig::Skeleton& skeleton = reader.character.skeleton;
  const std::vector<std::vector<int>> cycles = rig::constraint_cycles(skeleton, constraints);
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    if (!cycles[c].empty()) {
      const int joint = constraints[c].joint;
      const bool on_it = std::ranges::find(cycles[c], joint) != cycles[c].end();
      reader.warn("constraint-cycle", fmt::format("node {}", skeleton.source_node[joint]),
                  fmt::format("{}: it follows {}: {}; left out", kConstraint,
                              on_it ? "itself by way of others" : "joints that follow each other",
                              cycle_text(skeleton, cycles[c])));
    }
  }
}

}  // namespace

void read_vrm(Reader& reader) {
  rig::Character& character = reader.character;
  if (read_humanoid(reader, "VRMC_vrm") || read_humanoid(reader, "VRMC_vrm_animation")) {
    character.vrm = 1;
  } else if (read_humanoid(reader, "VRM")) {
    character.vrm = 0;
  }
  std::vector<rig::NodeConstraint> constraints;
  std::size_t ignored = 0;
  for (int j = 0; j < character.skeleton->size(); ++j) {
    const int n = character.skeleton->source_node[j];
    const tinygltf::Value* object = find_extension(reader.model.nodes[n].extensions, kConstraint);
    if (object == nullptr) {
      continue;
    }
    if (constraints.size() == kMostConstraints) {
      ++ignored;
    } else if (const auto constraint = read_constraint(reader, *object, j, fmt::format("node {}", n)); constraint) {
      constraints.push_back(*constraint);
    }
  }
  if (ignored > 0) {
    reader.warn("extension-value", "file",
                fmt::format("{}: more than {} constraints; {} are left out", kConstraint, kMostConstraints, ignored));
  }
  const std::vector<int> order = rig::constraint_order(character.skeleton, constraints);
  for (const int c : order) {
    character.constraints.push_back(constraints[c]);
  }
  warn_of_cycles(reader, constraints);
}

}  // namespace pelt::gltf
