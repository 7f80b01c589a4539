// Nodes, skins, scenes and animations.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <glm/glm.hpp>
#include <nlohmann/json.hpp>

#include "core/index.h"
#include "core/text.h"
#include "gltf/conformance_checks.h"
#include "math/transform.h"

namespace pelt::gltf {
namespace {

constexpr std::size_t kMostSteps = std::size_t{50} << 20;

/// The tree of nodes as far as it makes sense. What a hostile file may ask for is bounded: walks up the tree and scenes
/// that are compared take steps from one budget, and behind its end nothing more is told but that.
class NodeTree {
 public:
  explicit NodeTree(Conformance& check);

  [[nodiscard]] std::size_t size() const { return parent_.size(); }
  [[nodiscard]] std::int64_t parent(std::int64_t node) const { return parent_[node]; }
  /// Whether `above` is the node or above it.
  [[nodiscard]] bool is_above(std::int64_t above, std::int64_t node) const {
    const std::size_t a = above;
    const std::size_t n = node;
    return first_[a] <= first_[n] && last_[n] <= last_[a];
  }
  [[nodiscard]] std::int64_t root(std::int64_t node) const { return root_[node]; }
  /// The scenes that list a node.
  [[nodiscard]] const std::set<std::size_t>& scenes(std::int64_t node) const;
  /// The lowest node that is above all of these; -1 for none. Nothing where the budget is spent.
  [[nodiscard]] std::optional<std::int64_t> common_node(std::span<const std::int64_t> nodes);
  [[nodiscard]] bool take_steps(std::size_t count) {
    const bool enough = count <= steps_left_;
    steps_left_ -= enough ? count : steps_left_;
    is_spent_ = is_spent_ || !enough;
    return enough;
  }
  [[nodiscard]] bool is_spent() const { return is_spent_; }

 private:
  void number_nodes(Conformance& check);

  std::vector<std::int64_t> parent_;
  std::vector<std::int64_t> root_;
  std::vector<std::size_t> first_;  ///< of each node: its number in depth-first order
  std::vector<std::size_t> last_;   ///< and the greatest number below it
  std::map<std::int64_t, std::set<std::size_t>> scenes_;
  std::size_t steps_left_ = kMostSteps;
  bool is_spent_ = false;
};

NodeTree::NodeTree(Conformance& check) : parent_(check.count("nodes"), -1) {
  for (std::size_t n = 0; n < parent_.size(); ++n) {
    for (const FileJson& one : list_member(check.item("nodes", static_cast<std::int64_t>(n)), "children")) {
      const std::int64_t child = whole(&one);
      if (check.item("nodes", child) == nullptr) {
        continue;
      }
      std::int64_t& above = parent_[child];
      if (above >= 0) {
        check.tell("node-tree", place_in("nodes", static_cast<std::size_t>(child)),
                   fmt::format("it is a child of node {} and of node {}, expected one parent", above, n));
      }
      above = static_cast<std::int64_t>(n);
    }
  }
  number_nodes(check);
  for (std::size_t s = 0; s < check.count("scenes"); ++s) {
    for (const FileJson& one : list_member(check.item("scenes", static_cast<std::int64_t>(s)), "nodes")) {
      if (const std::int64_t n = whole(&one); check.item("nodes", n) != nullptr) {
        scenes_[n].insert(s);
      }
    }
  }
}

void NodeTree::number_nodes(Conformance& check) {
  const std::size_t count = parent_.size();
  std::vector<std::vector<std::size_t>> children(count);
  std::vector<std::size_t> waiting;
  for (std::size_t n = count; n-- > 0;) {
    if (parent_[n] < 0) {
      waiting.push_back(n);
    } else {
      children[parent_[n]].push_back(n);
    }
  }
  root_.assign(count, -1);
  first_.assign(count, count);
  last_.assign(count, count);
  std::vector<std::size_t> order;
  while (!waiting.empty()) {
    const std::size_t n = waiting.back();
    waiting.pop_back();
    root_[n] = parent_[n] < 0 ? static_cast<std::int64_t>(n) : root_[parent_[n]];
    first_[n] = last_[n] = order.size();
    order.push_back(n);
    waiting.insert(waiting.end(), children[n].begin(), children[n].end());
  }
  for (std::size_t i = order.size(); i-- > 0;) {
    if (const std::int64_t up = parent_[order[i]]; up >= 0) {
      last_[up] = std::max(last_[up], last_[order[i]]);
    }
  }
  for (std::size_t n = 0; n < count; ++n) {
    if (root_[n] < 0) {
      check.tell("node-tree", place_in("nodes", n), "it is its own descendant, or hangs below a node that is");
      root_[n] = static_cast<std::int64_t>(n);
    }
  }
}

const std::set<std::size_t>& NodeTree::scenes(std::int64_t node) const {
  static const std::set<std::size_t> kNone;
  const auto found = scenes_.find(node);
  return found == scenes_.end() ? kNone : found->second;
}

std::optional<std::int64_t> NodeTree::common_node(std::span<const std::int64_t> nodes) {
  std::int64_t common = nodes.empty() ? -1 : nodes.front();
  for (const std::int64_t node : nodes) {
    while (common >= 0 && !is_above(common, node)) {
      if (!take_steps(1) || root(common) != root(node)) {
        return is_spent_ ? std::nullopt : std::optional<std::int64_t>(-1);
      }
      common = parent(common);
    }
  }
  return common;
}

std::vector<double> numbers_of(const FileJson* object, const char* name, std::size_t length) {
  std::vector<double> out;
  for (const FileJson& one : list_member(object, name)) {
    if (one.is_number()) {
      out.push_back(one.get<double>());
    }
  }
  return out.size() == length ? out : std::vector<double>();
}

/// The largest sum of absolute elements of a column.
float column_norm(const glm::mat4& matrix) {
  float norm = 0;
  for (int c = 0; c < 4; ++c) {
    norm = std::max(norm,
                    std::abs(matrix[c][0]) + std::abs(matrix[c][1]) + std::abs(matrix[c][2]) + std::abs(matrix[c][3]));
  }
  return norm;
}

/// Whether a matrix is a translation, rotation and scale: put together again, its elements and its norm are what they
/// were. In single precision, which is what files say.
bool is_decomposable(const std::vector<double>& values) {
  constexpr float kNormTolerance = 5e-5f;
  constexpr float kElementTolerance = 1e-3f;  // of the norm
  glm::mat4 matrix(1.0f);
  for (std::size_t i = 0; i < 16; ++i) {
    matrix[static_cast<int>(i / 4)][static_cast<int>(i % 4)] = static_cast<float>(values[i]);
  }
  if (values[3] != 0 || values[7] != 0 || values[11] != 0 || values[15] != 1 || glm::determinant(matrix) == 0.0f) {
    return false;
  }
  glm::mat3 axes(matrix);
  glm::vec3 scale(glm::length(axes[0]), glm::length(axes[1]), glm::length(axes[2]));
  scale.x *= glm::determinant(axes) < 0 ? -1.0f : 1.0f;
  for (int c = 0; c < 3; ++c) {
    axes[c] /= scale[c];
  }
  glm::mat4 again(glm::mat3_cast(normalized_or_identity(glm::quat_cast(axes))));
  for (int c = 0; c < 3; ++c) {
    again[c] *= scale[c];
  }
  again[3] = matrix[3];
  const float norm = column_norm(matrix);
  return std::abs(column_norm(again) - norm) < kNormTolerance && column_norm(again - matrix) < kElementTolerance * norm;
}

void check_node(Conformance& check, std::size_t n) {
  const FileJson* node = check.item("nodes", static_cast<std::int64_t>(n));
  const std::string place = place_in("nodes", n);
  const std::vector<double> rotation = numbers_of(node, "rotation", 4);
  if (!rotation.empty()) {
    double square = 0;
    for (const double one : rotation) {
      square += one * one;
    }
    if (std::abs(1 - std::sqrt(square)) > kUnitRotation) {
      check.tell("rotation-length", place,
                 fmt::format("expected a unit quaternion, got length {:.4g}", std::sqrt(square)));
    }
  }
  const FileJson* mesh = check.item("meshes", whole_member(node, "mesh"));
  if (node != nullptr && member(node, "mesh") == nullptr) {
    if (member(node, "skin") != nullptr) {
      check.tell("skin-without-mesh", place, "it has a skin but no mesh");
    }
    if (member(node, "weights") != nullptr) {
      check.tell("morph-weights", place, "it has morph weights but no mesh");
    }
  }
  const std::vector<double> matrix = numbers_of(node, "matrix", 16);
  if (!matrix.empty()) {
    for (const char* name : {"translation", "rotation", "scale"}) {
      if (member(node, name) != nullptr) {
        check.tell("node-transform", place, fmt::format("expected either a matrix or {}, got both", name));
      }
    }
    if (!is_decomposable(matrix)) {
      check.tell("node-transform", place, "its matrix is no translation, rotation and scale");
    }
  }
  const std::span<const FileJson> primitives = list_member(mesh, "primitives");
  if (primitives.empty()) {
    return;
  }
  const FileJson* weights = member(node, "weights");
  const std::size_t targets = list_member(&primitives[0], "targets").size();
  if (weights != nullptr && weights->is_array() && weights->size() != targets) {
    check.tell("morph-weights", place, fmt::format("expected {} weights, got {}", targets, weights->size()));
  }
  const FileJson* skin = check.item("skins", whole_member(node, "skin"));
  const bool has_joints = std::ranges::any_of(primitives, [](const FileJson& primitive) {
    const FileJson* attributes = object_member(&primitive, "attributes");
    return member(attributes, "JOINTS_0") != nullptr && member(attributes, "WEIGHTS_0") != nullptr;
  });
  if (skin != nullptr && !has_joints) {
    check.tell("skin-without-weights", place, "it has a skin, but its mesh has no joints and weights");
  }
}

/// The lowest node above all joints of a skin, see NodeTree::common_node().
std::optional<std::int64_t> common_node(const Conformance& check, NodeTree& tree, const FileJson* skin) {
  std::vector<std::int64_t> joints;
  for (const FileJson& one : list_member(skin, "joints")) {
    if (const std::int64_t joint = whole(&one); check.item("nodes", joint) != nullptr) {
      joints.push_back(joint);
    }
  }
  return tree.common_node(joints);
}

/// @param common  of its joints
void check_skin(Conformance& check, const NodeTree& tree, std::size_t s, std::optional<std::int64_t> common) {
  const FileJson* skin = check.item("skins", static_cast<std::int64_t>(s));
  const std::string place = place_in("skins", s);
  const std::size_t joint_count = list_member(skin, "joints").size();
  if (joint_count == 0) {
    return;
  }
  if (common && *common < 0) {
    check.tell("several-roots", place, "no node is above all of its joints, expected one");
  }
  const std::int64_t skeleton = whole_member(skin, "skeleton");
  if (check.item("nodes", skeleton) != nullptr && common && (*common < 0 || !tree.is_above(skeleton, *common))) {
    check.tell("skeleton-root-not-common", place,
               fmt::format("expected a node above all joints, but node {} is not", skeleton));
  }
  const FileJson* binds = check.item("accessors", whole_member(skin, "inverseBindMatrices"));
  const AccessorShape shape = accessor_shape(binds);
  if (binds == nullptr) {
    return;
  }
  if (shape.type != "MAT4" || shape.component_type != 5126 || shape.normalized) {
    check.tell("accessor-format", place,
               fmt::format("inverse bind matrices: expected MAT4 of FLOAT, got {}", shape.text()));
  }
  if (shape.count >= 1 && static_cast<std::size_t>(shape.count) < joint_count) {
    check.tell("inverse-bind-count", place,
               fmt::format("inverse bind matrices: expected {}, got {}", joint_count, shape.count));
  }
}

// A node that shows a skinned mesh in a scene wants the skeleton there. Scenes list roots; what else they list is told
// as such.
// @param common  of each skin
void check_skin_scenes(Conformance& check, NodeTree& tree, const std::vector<std::optional<std::int64_t>>& common) {
  for (std::size_t n = 0; n < tree.size(); ++n) {
    const std::int64_t s = whole_member(check.item("nodes", static_cast<std::int64_t>(n)), "skin");
    if (check.item("skins", s) == nullptr || common[s].value_or(-1) < 0) {
      continue;
    }
    const std::int64_t top = tree.root(*common[s]);
    const std::set<std::size_t>& shown = tree.scenes(tree.root(static_cast<std::int64_t>(n)));
    if (!tree.take_steps(shown.size())) {
      return;
    }
    for (const std::size_t scene : shown) {
      if (!tree.scenes(top).contains(scene)) {
        check.tell("skeleton-outside-scene", fmt::format("skin {}, node {}", s, n),
                   fmt::format("scene {} shows its mesh, but has no node {}, above its joints", scene, top));
      }
    }
  }
}

struct KeyFormat {
  std::string_view path;
  std::string_view type;
  bool may_be_integer;
};
constexpr std::array<KeyFormat, 4> kKeyFormats = {{{"translation", "VEC3", false},
                                                   {"rotation", "VEC4", true},
                                                   {"scale", "VEC3", false},
                                                   {"weights", "SCALAR", true}}};

bool fits_keys(const KeyFormat& format, const AccessorShape& shape) {
  if (shape.type != format.type) {
    return false;
  }
  const bool is_integer = shape.component_type >= 5120 && shape.component_type <= 5123;
  return shape.component_type == 5126 ? !shape.normalized : format.may_be_integer && is_integer && shape.normalized;
}

void check_sampler(Conformance& check, const FileJson& sampler, const std::string& place) {
  const FileJson* input = check.item("accessors", whole_member(&sampler, "input"));
  const AccessorShape times = accessor_shape(input);
  if (input == nullptr) {
    return;
  }
  if (times.type != "SCALAR" || times.component_type != 5126 || times.normalized) {
    check.tell("accessor-format", place, fmt::format("key times: expected SCALAR of FLOAT, got {}", times.text()));
  }
  if (!input->contains("min") || !input->contains("max")) {
    check.tell("accessor-bounds", place,
               fmt::format("key times: expected min and max, {}", input->contains("min")   ? "max is missing"
                                                                  : input->contains("max") ? "min is missing"
                                                                                           : "both are missing"));
  }
  if (text_member(&sampler, "interpolation") == "CUBICSPLINE" && times.count >= 0 && times.count < 2) {
    check.tell("channel", place, fmt::format("CUBICSPLINE: expected 2 keys or more, got {}", times.count));
  }
}

/// @param samplers  of the animation
void check_channel(Conformance& check, const FileJson& channel, std::span<const FileJson> samplers,
                   const std::string& place) {
  const FileJson* target = object_member(&channel, "target");
  const std::string path = text_member(target, "path");
  const FileJson* node = check.item("nodes", whole_member(target, "node"));
  const FileJson* mesh = check.item("meshes", whole_member(node, "mesh"));
  const std::span<const FileJson> primitives = list_member(mesh, "primitives");
  const FileJson* targets = primitives.empty() ? nullptr : member(&primitives[0], "targets");
  const std::size_t target_count = targets != nullptr && targets->is_array() ? targets->size() : 0;
  const auto* format = std::ranges::find(kKeyFormats, std::string_view(path), &KeyFormat::path);
  if (node != nullptr && format != kKeyFormats.end()) {
    if (path != "weights" && numbers_of(node, "matrix", 16).size() == 16) {
      check.tell("channel", place, fmt::format("it moves the {} of a node with a matrix", path));
    }
    if (path == "weights" && targets == nullptr) {
      check.tell("channel", place, "it moves morph weights, but the node has no morph targets");
    }
  }
  if (check.uses("KHR_animation_pointer") &&
      object_member(object_member(target, "extensions"), "KHR_animation_pointer") != nullptr) {
    if (node != nullptr) {
      check.tell("channel", place, "it has a pointer and a node, expected one of them");
    }
    if (path != "pointer") {
      check.tell("channel", place,
                 fmt::format("it has a pointer, expected the path pointer, got {}", printable(path, 40)));
    }
  }
  const std::int64_t s = whole_member(&channel, "sampler");
  if (s >= 0 && !has_index(samplers, s)) {
    check.tell("reference", place, fmt::format("there is no sampler {}", s));
    return;
  }
  const FileJson* sampler = s < 0 ? nullptr : &samplers[s];
  const FileJson* input = check.item("accessors", whole_member(sampler, "input"));
  const FileJson* output = check.item("accessors", whole_member(sampler, "output"));
  if (target == nullptr || output == nullptr || format == kKeyFormats.end()) {
    return;
  }
  const AccessorShape values = accessor_shape(output);
  const AccessorShape times = accessor_shape(input);
  if (!fits_keys(*format, values)) {
    check.tell("accessor-format", place,
               fmt::format("{} is no form that glTF allows for keys of {}", values.text(), path));
  }
  if (input == nullptr || times.count < 1 || values.count < 1) {
    return;
  }
  const std::int64_t per_key = (text_member(sampler, "interpolation") == "CUBICSPLINE" ? 3 : 1) *
                               (path == "weights" ? static_cast<std::int64_t>(target_count) : 1);
  if (per_key > 0 && times.count != values.count / per_key + (values.count % per_key == 0 ? 0 : -1)) {
    check.tell(
        "channel", place,
        fmt::format("expected {} values for each of {} keys, got {} in all", per_key, times.count, values.count));
  }
}

}  // namespace

void check_nodes(Conformance& check) {
  NodeTree tree(check);
  for (std::size_t n = 0; n < tree.size(); ++n) {
    check_node(check, n);
  }
  std::vector<std::optional<std::int64_t>> common;
  for (std::size_t s = 0; s < check.count("skins"); ++s) {
    common.push_back(common_node(check, tree, check.item("skins", static_cast<std::int64_t>(s))));
    check_skin(check, tree, s, common.back());
  }
  check_skin_scenes(check, tree, common);
  if (tree.is_spent()) {
    check.tell_unchecked(
        fmt::format("its tree of nodes takes more than {} steps to walk for its skins, which were not "
                    "all checked for a common node and for their scenes",
                    kMostSteps));
  }
  for (std::size_t s = 0; s < check.count("scenes"); ++s) {
    for (const FileJson& one : list_member(check.item("scenes", static_cast<std::int64_t>(s)), "nodes")) {
      const std::int64_t root = whole(&one);
      if (check.item("nodes", root) != nullptr && tree.parent(root) >= 0) {
        check.tell("scene-root", place_in("scenes", s),
                   fmt::format("node {} is a child of node {}, expected a root", root, tree.parent(root)));
      }
    }
  }
}

void check_animations(Conformance& check) {
  for (std::size_t a = 0; a < check.count("animations"); ++a) {
    const FileJson* animation = check.item("animations", static_cast<std::int64_t>(a));
    const std::span<const FileJson> samplers = list_member(animation, "samplers");
    const std::span<const FileJson> channels = list_member(animation, "channels");
    for (std::size_t s = 0; s < samplers.size() && !channels.empty(); ++s) {
      check_sampler(check, samplers[s], fmt::format("animation {}, sampler {}", a, s));
    }
    std::map<std::pair<std::int64_t, std::string>, std::size_t> seen;
    for (std::size_t c = 0; c < channels.size() && !samplers.empty(); ++c) {
      const std::string place = fmt::format("animation {}, channel {}", a, c);
      check_channel(check, channels[c], samplers, place);
      const FileJson* target = object_member(&channels[c], "target");
      const std::int64_t node = whole_member(target, "node");
      const auto [first, is_new] = seen.try_emplace({node, text_member(target, "path")}, c);
      if (node >= 0 && !is_new) {
        check.tell("channel", place,
                   fmt::format("it moves what channel {} moves, expected one channel for each target", first->second));
      }
    }
  }
}

}  // namespace pelt::gltf
