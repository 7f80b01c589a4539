#include "deform/common_stretch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "core/expect.h"
#include "deform/followed_joints.h"
#include "math/polar.h"
#include "rig/kinematics.h"
#include "rig/tree_walk.h"

namespace pelt::deform {
namespace {

// What single precision leaves of products of matrices, in any element relative to their size: less is no stretch.
constexpr double kRounding = 1e-5;
// Joints of which each is compared with each; of more, as many evenly spread ones are. 15 ms at most.
constexpr std::size_t kMostCompared = 1024;

bool entries_are_finite(const glm::dmat3& m) {
  double sum = 0;
  for (int c = 0; c < 3; ++c) {
    sum += std::abs(m[c].x) + std::abs(m[c].y) + std::abs(m[c].z);
  }
  return std::isfinite(sum);
}

double largest_difference(const glm::dmat3& a, const glm::dmat3& b) {
  double largest = 0;
  for (int c = 0; c < 3; ++c) {
    for (int r = 0; r < 3; ++r) {
      largest = std::max(largest, std::abs(a[c][r] - b[c][r]));
    }
  }
  return largest;
}

double trace_of_product(const glm::dmat3& a, const glm::dmat3& b) {
  return glm::dot(a[0], b[0]) + glm::dot(a[1], b[1]) + glm::dot(a[2], b[2]);
}

// A^T A with its inverse: all that is left of a joint's matrix if its rotation is forgotten.
struct Metric {
  glm::dmat3 gram;
  glm::dmat3 inverse;
};

std::optional<Metric> metric_of(const glm::dmat3& linear) {
  const glm::dmat3 gram = glm::transpose(linear) * linear;
  const double size = (gram[0][0] + gram[1][1] + gram[2][2]) / 3;
  if (!entries_are_finite(gram) || !(glm::determinant(gram) > 1e-12 * size * size * size)) {
    return {};
  }
  return Metric{gram, glm::inverse(gram)};
}

// How far two metrics are apart: tr(A B^-1) + tr(B A^-1) - 6, zero where they are equal and the same in any units.
double metric_distance(const Metric& a, const Metric& b) {
  return std::sqrt(std::max(0.0, trace_of_product(a.gram, b.inverse) + trace_of_product(b.gram, a.inverse) - 6));
}

// The symmetric positive root. @pre  a Gram matrix that can be inverted
glm::dmat3 root_of(const glm::dmat3& gram) {
  const SingularValues s = singular_values(gram);
  const glm::dmat3 scaled(s.v[0] * std::sqrt(s.sigma.x), s.v[1] * std::sqrt(s.sigma.y), s.v[2] * std::sqrt(s.sigma.z));
  return scaled * glm::transpose(s.v);
}

// FollowedJoints of a character that nobody edits.
std::vector<std::vector<char>> followed_joints(const rig::Character& character) {
  FollowedJoints joints;
  joints.follow(character.meshes);
  return joints.of_skins(character);
}

glm::dmat3 rest_stretch(const rig::Skin& skin, std::span<const char> follows, std::span<const glm::mat4> rest_world) {
  std::vector<glm::dmat3> linear;
  for (std::size_t j = 0; j < skin.joints.size(); ++j) {
    if (follows[j] != 0) {
      linear.emplace_back(rig::skin_matrix(skin, rest_world, j));
    }
  }
  const glm::dmat3 stretch = common_stretch(linear);
  return largest_difference(stretch, glm::dmat3(1.0)) > kRounding ? stretch : glm::dmat3(1.0);
}

// Without its size; the identity where it is nothing but size.
glm::dmat3 shape_of(const glm::dmat3& stretch) {
  const glm::dmat3 shape = stretch / std::cbrt(glm::determinant(stretch));
  return largest_difference(shape, glm::dmat3(1.0)) > kRounding ? shape : glm::dmat3(1.0);
}

// @pre  `order` and `parent` are filled
int anchor_of(const SkinBinding& binding) {
  std::vector<std::uint32_t> hanging(binding.joint_count(), 1);
  for (auto j = binding.order.rbegin(); j != binding.order.rend(); ++j) {
    if (binding.parent[*j] >= 0) {
      hanging[binding.parent[*j]] += hanging[*j];
    }
  }
  int anchor = -1;
  for (const std::uint16_t j : binding.order) {
    if (binding.parent[j] < 0 && (anchor < 0 || hanging[j] > hanging[anchor])) {
      anchor = j;
    }
  }
  return anchor;
}

SkinBinding binding_of(const rig::TreeWalk& walk, const rig::Skin& skin, std::span<const char> follows,
                       const glm::dmat3& stretch) {
  SkinBinding out = loose_binding(joint_pivots(skin), follows);
  out.shape_from_mesh = shape_of(stretch);
  std::ranges::stable_sort(out.order, {}, [&](std::uint16_t j) { return skin.joints[j]; });  // parents come first
  std::vector<int> nodes;
  for (const std::uint16_t j : out.order) {
    nodes.push_back(skin.joints[j]);
  }
  const std::vector<int> above = rig::nearest_listed(walk, nodes);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    out.parent[out.order[i]] = above[i] >= 0 ? int{out.order[above[i]]} : -1;
  }
  out.anchor = anchor_of(out);
  return out;
}

}  // namespace

glm::dmat3 common_stretch(std::span<const glm::dmat3> linear) {
  std::vector<Metric> metrics;
  for (const glm::dmat3& a : linear) {
    if (const std::optional<Metric> metric = metric_of(a)) {
      metrics.push_back(*metric);
    }
  }
  if (metrics.empty()) {
    return glm::dmat3(1.0);
  }
  const bool all_alike = std::ranges::all_of(metrics, [&](const Metric& other) {
    return largest_difference(other.gram, metrics[0].gram) <= kRounding * std::cbrt(glm::determinant(metrics[0].gram));
  });
  if (all_alike) {
    return root_of(metrics[0].gram);
  }
  if (metrics.size() > kMostCompared) {
    for (std::size_t i = 0; i < kMostCompared; ++i) {
      metrics[i] = metrics[i * metrics.size() / kMostCompared];
    }
    metrics.resize(kMostCompared);
  }
  std::size_t middle = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    double sum = 0;
    for (const Metric& other : metrics) {
      sum += metric_distance(metrics[i], other);
    }
    if (sum < least * (1 - kRounding) || i == 0) {
      least = sum;
      middle = i;
    }
  }
  return root_of(metrics[middle].gram);
}

std::vector<glm::dmat3> common_stretches(const rig::Character& character) {
  rig::WorldMatrices rest;
  rest.evaluate(character.skeleton, rig::rest_pose(character));
  const std::vector<std::vector<char>> follows = followed_joints(character);
  std::vector<glm::dmat3> out;
  for (std::size_t s = 0; s < character.skins.size(); ++s) {
    out.push_back(rest_stretch(character.skins[s], follows[s], rest.world()));
  }
  return out;
}

std::vector<SkinBinding> skin_bindings(const rig::Character& character) {
  return skin_bindings(character, followed_joints(character));
}

std::vector<SkinBinding> skin_bindings(const rig::Character& character, std::span<const std::vector<char>> follows) {
  PELT_EXPECT(follows.size() == character.skins.size(), "one list of flags per skin");
  rig::WorldMatrices rest;
  rest.evaluate(character.skeleton, rig::rest_pose(character));
  const rig::TreeWalk walk = rig::walk_tree(character.skeleton);
  std::vector<SkinBinding> out;
  for (std::size_t s = 0; s < character.skins.size(); ++s) {
    const rig::Skin& skin = character.skins[s];
    out.push_back(binding_of(walk, skin, follows[s], rest_stretch(skin, follows[s], rest.world())));
  }
  return out;
}

SkinBinding loose_binding(std::span<const glm::vec3> pivots, std::span<const char> follows) {
  PELT_EXPECT(follows.empty() || follows.size() == pivots.size(), "one flag per joint or none");
  SkinBinding out;
  out.pivots.assign(pivots.begin(), pivots.end());
  out.parent.assign(pivots.size(), -1);
  for (std::size_t j = 0; j < pivots.size(); ++j) {
    if (follows.empty() || follows[j] != 0) {
      out.order.push_back(static_cast<std::uint16_t>(j));
    }
  }
  out.anchor = out.order.empty() ? -1 : out.order.front();
  return out;
}

void stretched_pivots(const SkinBinding& binding, std::span<const glm::dmat3> stretch, std::span<glm::dvec3> out) {
  PELT_EXPECT(stretch.size() == binding.joint_count() && out.size() == stretch.size(), "one per joint");
  // What is not finite moves its own vertices alone.
  const auto stretch_of = [&](int j) {
    const glm::dmat3& s = stretch[j];
    return entries_are_finite(s) ? s : glm::dmat3(1.0);
  };
  for (const std::uint16_t j : binding.order) {
    const glm::dvec3 pivot(binding.pivots[j]);
    const int above = binding.parent[j];
    if (above < 0) {
      out[j] = stretch_of(binding.anchor) * (binding.shape_from_mesh * pivot);
    } else {
      const std::size_t parent = above;
      out[j] =
          out[parent] + stretch_of(above) * (binding.shape_from_mesh * (pivot - glm::dvec3(binding.pivots[parent])));
    }
  }
}

std::vector<glm::vec3> joint_pivots(const rig::Skin& skin) {
  std::vector<glm::vec3> pivots;
  pivots.reserve(skin.joint_from_mesh.size());
  for (const glm::mat4& joint_from_mesh : skin.joint_from_mesh) {
    const glm::dmat3 linear(joint_from_mesh);
    const glm::dvec3 pivot = -(glm::inverse(linear) * glm::dvec3(joint_from_mesh[3]));
    const bool finite = std::isfinite(pivot.x) && std::isfinite(pivot.y) && std::isfinite(pivot.z);
    pivots.emplace_back(finite ? glm::vec3(pivot) : glm::vec3(0.0f));
  }
  return pivots;
}

}  // namespace pelt::deform
