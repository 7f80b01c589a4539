// VRM Consortium, "VRMC_springBone-1.0" and "VRMC_springBone_extended_collider-1.0".

#include <algorithm>
#include <array>
#include <cmath>

#include "gltf/extension_values.h"

namespace pelt::gltf {
namespace {

constexpr const char* kSprings = "VRMC_springBone";
constexpr const char* kExtended = "VRMC_springBone_extended_collider";
// Avatars have a few hundred; each joint is simulated for every frame.
constexpr std::size_t kMostSpringParts = 1000;
constexpr float kLargestSpring = 1e6f;

class SpringReader {
 public:
  SpringReader(Reader& reader, const tinygltf::Value& object) : reader_(reader), object_(object) {}

  void read() {
    read_colliders();
    read_groups();
    const tinygltf::Value* springs = find_member(object_, "springs");
    for (std::size_t s = 0; springs != nullptr && s < springs->ArrayLen(); ++s) {
      read_spring(springs->Get(static_cast<int>(s)), fmt::format("spring {}", s));
    }
    if (ignored_ > 0) {
      reader_.warn(
          "extension-value", "file",
          fmt::format("{}: more than {} colliders or joints; {} are left out", kSprings, kMostSpringParts, ignored_));
    }
  }

 private:
  // Three numbers, each held within bounds.
  glm::vec3 vector(const ExtensionValues& values, const tinygltf::Value& object, const char* member,
                   const glm::vec3& otherwise) const {
    const tinygltf::Value* given = find_member(object, member);
    if (given == nullptr) {
      return otherwise;
    }
    glm::vec3 out;
    for (int i = 0; i < 3; ++i) {
      const bool is_number = given->ArrayLen() == 3 && given->Get(i).IsNumber();
      out[i] = is_number ? static_cast<float>(given->Get(i).GetNumberAsDouble()) : std::nanf("");
      if (!(std::abs(out[i]) <= kLargestSpring)) {
        values.warn(fmt::format("{}: expected three numbers; the default is used", member));
        return otherwise;
      }
    }
    return out;
  }

  // The same, made unit.
  glm::vec3 direction(const ExtensionValues& values, const tinygltf::Value& object, const char* member,
                      const glm::vec3& otherwise) const {
    const glm::vec3 out = vector(values, object, member, otherwise);
    const float length = glm::length(out);
    return length > 0 ? out / length : otherwise;
  }

  // Whether `shape` is one that is known; the extension's shapes are the same and more.
  bool read_shape(const tinygltf::Value& shape, const std::string& extension, const std::string& place,
                  rig::SpringBoneCollider& out) const {
    struct Row {
      const char* member;
      rig::ColliderShape shape;
    };
    constexpr std::array<Row, 3> kShapes = {{{"sphere", rig::ColliderShape::kSphere},
                                             {"capsule", rig::ColliderShape::kCapsule},
                                             {"plane", rig::ColliderShape::kPlane}}};
    for (const Row& row : kShapes) {
      const tinygltf::Value* body = find_member(shape, row.member);
      if (body == nullptr || (row.shape == rig::ColliderShape::kPlane && extension != kExtended)) {
        continue;
      }
      const ExtensionValues values(reader_, *body, fmt::format("{}: {}", extension, row.member), place);
      out.shape = row.shape;
      out.offset = vector(values, *body, "offset", glm::vec3(0.0f));
      out.tail = vector(values, *body, "tail", glm::vec3(0.0f));
      out.normal = direction(values, *body, "normal", glm::vec3(0, 0, 1));
      out.radius = values.number("radius", 0, kLargestSpring, 0);
      const tinygltf::Value* inside = find_member(*body, "inside");
      out.inside = extension == kExtended && inside != nullptr && inside->IsBool() && inside->Get<bool>();
      return true;
    }
    return false;
  }

  void read_colliders() {
    const tinygltf::Value* colliders = find_member(object_, "colliders");
    for (std::size_t c = 0; colliders != nullptr && c < colliders->ArrayLen(); ++c) {
      const tinygltf::Value& object = colliders->Get(static_cast<int>(c));
      const std::string place = fmt::format("spring collider {}", c);
      const ExtensionValues values(reader_, object, kSprings, place);
      place_of_collider_.push_back(-1);
      rig::SpringBoneCollider out;
      const std::optional<int> node = values.index_below("node", reader_.node_count);
      if (!node) {
        continue;
      }
      out.joint = reader_.joint_of_node[*node];
      const tinygltf::Value* extensions = find_member(object, "extensions");
      const tinygltf::Value* extended = extensions != nullptr ? find_member(*extensions, kExtended) : nullptr;
      const tinygltf::Value* better = extended != nullptr ? find_member(*extended, "shape") : nullptr;
      const tinygltf::Value* shape = find_member(object, "shape");
      // The plain shape is for programs that do not know the extension.
      if (!(better != nullptr && read_shape(*better, kExtended, place, out)) &&
          !(shape != nullptr && read_shape(*shape, kSprings, place, out))) {
        values.warn("expected a sphere, a capsule or a plane, got none; left out");
      } else if (reader_.character.spring_colliders.size() == kMostSpringParts) {
        ++ignored_;
      } else {
        place_of_collider_.back() = static_cast<int>(reader_.character.spring_colliders.size());
        reader_.character.spring_colliders.push_back(out);
      }
    }
  }

  void read_groups() {
    const tinygltf::Value* groups = find_member(object_, "colliderGroups");
    for (std::size_t g = 0; groups != nullptr && g < groups->ArrayLen(); ++g) {
      const tinygltf::Value* list = find_member(groups->Get(static_cast<int>(g)), "colliders");
      std::vector<int>& group = groups_.emplace_back();
      for_each_index(list, place_of_collider_.size(), fmt::format("spring collider group {}", g), "colliders",
                     [&](int c) {
                       if (place_of_collider_[c] >= 0) {
                         group.push_back(place_of_collider_[c]);
                       }
                     });
    }
  }

  template <typename Take>
  void for_each_index(const tinygltf::Value* list, std::size_t count, const std::string& place, const char* member,
                      const Take& take) const {
    for (std::size_t i = 0; list != nullptr && i < list->ArrayLen(); ++i) {
      const tinygltf::Value& index = list->Get(static_cast<int>(i));
      if (index.IsInt() && index.GetNumberAsInt() >= 0 && std::cmp_less(index.GetNumberAsInt(), count)) {
        take(index.GetNumberAsInt());
      } else {
        reader_.warn("extension-value", place,
                     fmt::format("{}: {}: expected an index below {}, got {}; left out", kSprings, member, count,
                                 ExtensionValues::label(index)));
      }
    }
  }

  void read_spring(const tinygltf::Value& object, const std::string& place) {
    const ExtensionValues values(reader_, object, kSprings, place);
    rig::SpringBone out;
    const tinygltf::Value* name = find_member(object, "name");
    out.name = name != nullptr && name->IsString() ? single_line(name->Get<std::string>(), kNameLimit) : "";
    const std::optional<int> center = values.index_below("center", reader_.node_count);
    out.center = center ? reader_.joint_of_node[*center] : -1;
    for_each_index(find_member(object, "colliderGroups"), groups_.size(), place, "colliderGroups", [&](int g) {
      for (const int c : groups_[g]) {
        if (std::ranges::find(out.colliders, c) == out.colliders.end()) {
          out.colliders.push_back(c);
        }
      }
    });
    const tinygltf::Value* joints = find_member(object, "joints");
    for (std::size_t j = 0; joints != nullptr && j < joints->ArrayLen(); ++j) {
      if (!read_joint(joints->Get(static_cast<int>(j)), fmt::format("{}, joint {}", place, j), out)) {
        break;
      }
    }
    if (out.joints.size() < 2) {
      values.warn(fmt::format("expected at least two joints, got {}; left out", out.joints.size()));
      return;
    }
    joint_count_ += out.joints.size();
    if (joint_count_ > kMostSpringParts) {
      ignored_ += out.joints.size();
      return;
    }
    reader_.character.spring_bones.push_back(std::move(out));
  }

  // False where the chain ends before it.
  bool read_joint(const tinygltf::Value& object, const std::string& place, rig::SpringBone& chain) const {
    const ExtensionValues values(reader_, object, kSprings, place);
    const std::optional<int> node = values.index_below("node", reader_.node_count);
    if (!node) {
      values.warn("it has no node; the spring ends before it");
      return false;
    }
    rig::SpringBoneJoint joint;
    joint.joint = reader_.joint_of_node[*node];
    const int above = chain.joints.empty() ? -1 : chain.joints.back().joint;
    if (above >= 0 && (above == joint.joint || !reader_.character.skeleton->is_within(joint.joint, above))) {
      values.warn("it is not below the joint before it; the spring ends before it");
      return false;
    }
    joint.hit_radius = values.number("hitRadius", 0, kLargestSpring, 0);
    joint.stiffness = values.number("stiffness", 0, kLargestSpring, 1);
    joint.gravity_power = values.number("gravityPower", 0, kLargestSpring, 0);
    joint.gravity_direction = direction(values, object, "gravityDir", glm::vec3(0, -1, 0));
    joint.drag = values.number("dragForce", 0, 1, 0.5f);
    chain.joints.push_back(joint);
    return true;
  }

  Reader& reader_;
  const tinygltf::Value& object_;
  std::vector<int> place_of_collider_;  // in the character, by place in the file; -1: left out
  std::vector<std::vector<int>> groups_;
  std::size_t joint_count_ = 0;
  std::size_t ignored_ = 0;
};

}  // namespace

void read_springs(Reader& reader) {
  if (const tinygltf::Value* springs = find_extension(reader.model.extensions, kSprings); springs != nullptr) {
    SpringReader(reader, *springs).read();
  }
}

}  // namespace pelt::gltf
