#pragma once

#include <cmath>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <glm/glm.hpp>
#include <glm/gtc/matrix_transform.hpp>

#include "deform/deform.h"
#include "deform/skinning_methods.h"
#include "math/angle.h"
#include "support/fixtures.h"

namespace pelt::test {

inline constexpr double kPrintedDigits = 1e-6;  ///< precision of the examples printed in ALGORITHMS.md

/// One vertex, its matrices and weights: a kernel's smallest input.
struct OneVertex {
  glm::vec3 position = glm::vec3(0.0f);
  glm::vec3 normal = glm::vec3(0, 0, 1);
  glm::vec4 tangent = glm::vec4(1, 0, 0, 1);
  std::vector<glm::mat4> matrices;
  std::vector<float> weights;  ///< one per matrix, in this order
  deform::NormalVariant variant = deform::NormalVariant::kInverseTransposeOfBlend;
  bool as_stored = false;
};

struct OneResult {
  glm::vec3 position;
  glm::vec3 normal;
  glm::vec4 tangent;
};

/// A rotation about an axis through the origin.
inline glm::mat4 turned(double degrees, const glm::dvec3& axis = glm::dvec3(0, 0, 1)) {
  return glm::mat4(glm::rotate(glm::dmat4(1.0), degrees * kDegree, axis));
}

inline OneResult skin_one(const OneVertex& vertex, std::string_view method = "lbs") {
  mesh::Influences influences;
  std::vector<std::uint16_t> joints;
  for (std::size_t j = 0; j < vertex.matrices.size(); ++j) {
    joints.push_back(static_cast<std::uint16_t>(j));
  }
  mesh::append_row(influences, joints, vertex.weights);
  mesh::Primitive primitive;
  primitive.positions = {vertex.position};
  primitive.normals = {vertex.normal};
  primitive.tangents = {vertex.tangent};
  const std::size_t row = deform::find_method(method);
  const deform::DeformedPart out = deform::skin_once(deform::skinning_methods()[row], primitive, influences,
                                                     vertex.matrices, {}, vertex.variant, {}, vertex.as_stored);
  return {out.positions[0], out.normals[0], out.tangents[0]};
}

/// What a vertex turns about, and how that moves along the surface: d point / d position.
struct OneCenter {
  glm::vec3 point = glm::vec3(0.0f);
  glm::mat3 gradient = glm::mat3(0.0f);
};

/// The normal of variant f, where the weights change along the surface.
/// @param gradients  one per matrix, 1/m
/// @param center     where the method has centres
inline glm::vec3 exact_normal(const OneVertex& vertex, std::string_view method, std::span<const glm::vec3> gradients,
                              const deform::MethodParameters& parameters = {}, const OneCenter& center = {}) {
  const deform::SkinningMethod& row = deform::skinning_methods()[deform::find_method(method)];
  mesh::Influences influences;
  deform::WeightGradients weight_gradients;
  std::vector<std::uint16_t> joints;
  for (std::size_t j = 0; j < vertex.matrices.size(); ++j) {
    joints.push_back(static_cast<std::uint16_t>(j));
    weight_gradients.joint.push_back(static_cast<std::uint16_t>(j));
    weight_gradients.gradient.push_back(gradients[j]);
  }
  weight_gradients.offset = {0, static_cast<std::uint32_t>(joints.size())};
  mesh::append_row(influences, joints, vertex.weights);
  std::vector<glm::vec4> palette;
  deform::pack_palette(row, deform::loose_binding(std::vector<glm::vec3>(joints.size(), glm::vec3(0.0f))),
                       vertex.matrices, palette);
  deform::SkinInput input;
  input.positions = {&vertex.position, 1};
  input.normals = {&vertex.normal, 1};
  input.influences = &influences;
  input.skin_matrices = vertex.matrices;
  input.palette = palette;
  input.normal_variant = deform::NormalVariant::kExact;
  input.parameters = parameters;
  input.weight_gradients = &weight_gradients;
  deform::Prepared prepared;
  if (row.has_centers) {
    prepared.per_vertex = {glm::vec4(center.point, 1.0f)};
    weight_gradients.center = {center.gradient};
    input.prepared = &prepared;
  }
  glm::vec3 position;
  glm::vec3 normal;
  deform::skin_all(row, input, {{&position, 1}, {&normal, 1}, {}});
  return normal;
}

/// The same influences with those behind the heaviest, which stays in front by contract, in a random order.
inline mesh::Influences shuffled_rows(const mesh::Influences& influences, Random& random) {
  mesh::FlatInfluences rows = flat(influences);
  for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
    const std::uint32_t second = rows.offset[v] + 1;
    for (std::uint32_t k = rows.offset[v + 1]; k > second; --k) {
      const std::uint32_t other = second + static_cast<std::uint32_t>(random.below(static_cast<int>(k - second)));
      std::swap(rows.joint[k - 1], rows.joint[other]);
      std::swap(rows.weight[k - 1], rows.weight[other]);
    }
  }
  return in_blocks(rows);
}

/// The pose with every third node or so mirrored, along any of its axes; what hangs on it is mirrored with it.
inline rig::Pose mirrored(rig::Pose pose, Random& random) {
  for (Transform& local : pose.local) {
    if (random.below(3) == 0) {
      local.scale[random.below(3)] *= -1.0f;
    }
  }
  return pose;
}

inline double angle_between(const glm::vec3& a, const glm::vec3& b) {
  return std::atan2(glm::length(glm::cross(glm::dvec3(a), glm::dvec3(b))), glm::dot(glm::dvec3(a), glm::dvec3(b)));
}

inline testing::AssertionResult vectors_near(const char* actual_text, const char* expected_text, const char*,
                                             const glm::dvec3& actual, const glm::dvec3& expected, double tolerance) {
  const glm::dvec3 difference = glm::abs(actual - expected);
  if (difference.x <= tolerance && difference.y <= tolerance && difference.z <= tolerance) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << actual_text << " is (" << actual.x << ", " << actual.y << ", " << actual.z
                                     << "), " << expected_text << " is (" << expected.x << ", " << expected.y << ", "
                                     << expected.z << "), further apart than " << tolerance << " ";
}

}  // namespace pelt::test

/// Two vectors agree in every coordinate.
#define EXPECT_VEC_NEAR(actual, expected, tolerance) \
  EXPECT_PRED_FORMAT3(::pelt::test::vectors_near, glm::dvec3(actual), glm::dvec3(expected), tolerance)
