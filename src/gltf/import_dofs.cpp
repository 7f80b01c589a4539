// The schema of extras.pelt is in extras_pelt.md of this folder.

#include <algorithm>
#include <array>
#include <numbers>

#include "gltf/reader.h"

namespace pelt::gltf {
namespace {

constexpr std::size_t kMostDofs = 16;

/// Exactly N finite numbers within kLargest.
template <int N>
std::optional<glm::vec<N, float>> read_numbers(const tinygltf::Value& value) {
  if (!value.IsArray() || value.ArrayLen() != N) {
    return std::nullopt;
  }
  glm::vec<N, float> out(0.0f);
  for (int i = 0; i < N; ++i) {
    if (!value.Get(i).IsNumber()) {
      return std::nullopt;
    }
    out[i] = static_cast<float>(value.Get(i).GetNumberAsDouble());
  }
  return reasonable(out) ? std::optional(out) : std::nullopt;
}

std::optional<float> read_number(const tinygltf::Value& value) {
  if (!value.IsNumber()) {
    return std::nullopt;
  }
  const auto out = static_cast<float>(value.GetNumberAsDouble());
  return std::abs(out) <= kLargest ? std::optional(out) : std::nullopt;
}

Result<rig::Dof> read_dof(const tinygltf::Value& from) {
  rig::Dof dof;
  if (!from.IsObject() || !from.Get("name").IsString() || from.Get("name").Get<std::string>().empty()) {
    return error("it has no name");
  }
  dof.name = single_line(from.Get("name").Get<std::string>(), 40);
  constexpr std::array<std::string_view, 3> kKinds = {"rotation", "translation", "scale"};
  const std::string kind = from.Get("kind").IsString() ? from.Get("kind").Get<std::string>() : "";
  const auto entry = std::find(kKinds.begin(), kKinds.end(), kind);
  if (entry == kKinds.end()) {
    return error("'{}': kind '{}' is not rotation, translation or scale", dof.name, printable(kind, 40));
  }
  dof.kind = static_cast<rig::DofKind>(entry - kKinds.begin());
  const auto axis = read_numbers<3>(from.Get("axis"));
  if (!axis || !(glm::length(*axis) > 1e-6f)) {
    return error("'{}': its axis is not three numbers with a direction", dof.name);
  }
  dof.axis = std::abs(glm::dot(*axis, *axis) - 1) > 1e-6f ? glm::normalize(*axis) : *axis;
  const auto lower = read_number(from.Get("lower"));
  const auto upper = read_number(from.Get("upper"));
  if (!lower || !upper || *lower > *upper) {
    return error("'{}': expected limits with lower <= upper", dof.name);
  }
  dof.lower = *lower;
  dof.upper = *upper;
  dof.default_value = read_number(from.Get("default")).value_or(dof.kind == rig::DofKind::kScale ? 1.0f : 0.0f);
  dof.folded = from.Get("folded").IsBool() && from.Get("folded").Get<bool>();
  return dof;
}

Result<rig::JointDofs> read_joint(const tinygltf::Value& from) {
  rig::JointDofs joint;
  joint.authored = true;
  const tinygltf::Value& dofs = from.Get("dofs");
  if (!dofs.IsArray() || dofs.ArrayLen() > kMostDofs) {
    return error("expected a list of at most {} degrees of freedom", kMostDofs);
  }
  for (std::size_t i = 0; i < dofs.ArrayLen(); ++i) {
    Result<rig::Dof> dof = read_dof(dofs.Get(static_cast<int>(i)));
    if (!dof) {
      return dof.error().in(fmt::format("degree of freedom {}", i));
    }
    joint.dofs.push_back(*std::move(dof));
  }
  const std::string rotation = from.Get("rotation").IsString() ? from.Get("rotation").Get<std::string>() : "axes";
  if (rotation != "axes" && rotation != "vector") {
    return error("rotation '{}' is not axes or vector", printable(rotation, 40));
  }
  joint.rotation = rotation == "axes" ? rig::RotationKind::kAxes : rig::RotationKind::kRotationVector;
  if (from.Has("offset")) {
    const auto offset = read_numbers<3>(from.Get("offset"));
    if (!offset) {
      return error("its offset is not three numbers");
    }
    joint.offset = *offset;
  }
  if (from.Has("orientation")) {
    const auto q = read_numbers<4>(from.Get("orientation"));
    if (!q || !(glm::length(*q) > 1e-6f)) {
      return error("its orientation is not a quaternion");
    }
    const glm::quat given = quat_xyzw(q->x, q->y, q->z, q->w);
    joint.orientation = std::abs(glm::dot(*q, *q) - 1) > 1e-6f ? normalized_or_identity(given) : given;
  }
  if (from.Has("scale")) {
    const auto scale = read_numbers<3>(from.Get("scale"));
    if (!scale) {
      return error("its scale is not three numbers");
    }
    joint.scale = *scale;
  }
  if (from.Has("swingLimit")) {
    const auto limit = read_number(from.Get("swingLimit"));
    if (!limit) {
      return error("its swing limit is not between 0 and pi");
    }
    joint.swing_limit = limit;
  }
  PELT_TRY(rig::check_dofs(joint));
  return joint;
}

}  // namespace

void read_dofs(Reader& reader, const tinygltf::Value& extras, int joint) {
  if (!extras.Has("pelt") || !extras.Get("pelt").Has("dofs")) {
    return;
  }
  Result<rig::JointDofs> dofs = read_joint(extras.Get("pelt"));
  if (dofs) {
    reader.character.skeleton.edit().dofs[joint] = *std::move(dofs);
  } else {
    reader.warn("dofs", fmt::format("node {}", reader.character.skeleton->source_node[joint]),
                fmt::format("extras.pelt: {}; the default degrees of freedom are used", dofs.error().message));
  }
}

void check_layers(Reader& reader) {
  const tinygltf::Value& extras = reader.model.extras;
  if (!extras.Has("pelt") || !extras.Get("pelt").Has("layers")) {
    return;
  }
  const tinygltf::Value& layers = extras.Get("pelt").Get("layers");
  const auto warn = [&](std::string_view what) {
    reader.warn("layers", "file", fmt::format("extras.pelt.layers: expected {}; the standard layers are used", what));
  };
  if (!layers.IsObject()) {
    warn("an object");
    return;
  }
  for (const char* const stack : {"pose", "deformers"}) {
    if (layers.Has(stack) && !layers.Get(stack).IsArray()) {
      warn(fmt::format("\"{}\" to be a list of layers", stack));
      return;
    }
  }
}

}  // namespace pelt::gltf
