#pragma once

// A character as `convert --quantize` writes it, and how far that may move its vertices.

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "deform/deform.h"
#include "gltf/export.h"
#include "gltf/import.h"
#include "math/polar.h"
#include "rig/kinematics.h"

namespace pelt::test {

struct Quantized {
  rig::Character original;
  rig::Character quantized;
};

inline Quantized quantized(rig::Character original) {
  const Result<gltf::Exported> exported = gltf::export_character(original, {.quantize = true});
  EXPECT_TRUE(exported) << (exported ? "" : exported.error().message);
  Result<rig::Character> again = exported
                                     ? gltf::import_memory(exported->files.front().bytes, {}, {.decode_images = false})
                                     : Result<rig::Character>(exported.error());
  EXPECT_TRUE(again) << (again ? "" : again.error().message);
  return {std::move(original), again ? *std::move(again) : rig::Character()};
}

/// The same pose of the quantised character. Its nodes are those of the original, and some more that stay at rest.
inline rig::Pose same_pose(const Quantized& pair, const rig::Pose& pose) {
  rig::Pose out = rig::rest_pose(pair.quantized);
  for (std::size_t j = 0; j < pose.local.size(); ++j) {
    const int node = pair.original.skeleton->source_node[j];
    const auto found = std::ranges::find(pair.quantized.skeleton->source_node, node);
    EXPECT_NE(found, pair.quantized.skeleton->source_node.end());
    out.local[found - pair.quantized.skeleton->source_node.begin()] = pose.local[j];
  }
  return out;
}

/// A part that follows a skin in the original and in the quantised character, whose nodes may come in another order.
struct SkinnedPair {
  std::size_t original;
  std::size_t quantized;
};
inline std::vector<SkinnedPair> skinned_parts(const Quantized& pair) {
  std::vector<SkinnedPair> out;
  for (std::size_t p = 0; p < pair.original.parts.size(); ++p) {
    const rig::Part& part = pair.original.parts[p];
    if (!deform::is_skinned(pair.original, part)) {
      continue;
    }
    const auto node_of = [](const rig::Character& character, const rig::Part& of) {
      return character.skeleton->source_node[of.joint];
    };
    const auto found = std::ranges::find_if(pair.quantized.parts, [&](const rig::Part& other) {
      return node_of(pair.quantized, other) == node_of(pair.original, part) && other.primitive == part.primitive;
    });
    EXPECT_NE(found, pair.quantized.parts.end()) << "part " << p;
    out.push_back({p, static_cast<std::size_t>(found - pair.quantized.parts.begin())});
  }
  return out;
}

/// By how much rounding alone may move a vertex of a part that follows a skin, metres: half a step along each axis,
/// times the largest stretch of its joints. A step is a 65535th of the longest side of the box round all meshes that
/// share the skin; that of all skinned ones is not less.
inline double rounding_of(const rig::Character& character, const rig::Part& part, std::span<const glm::mat4> world) {
  Bounds bounds;
  for (const rig::Part& other : character.parts) {
    for (const glm::vec3& p : character.primitive(other).positions) {
      if (other.skin >= 0) {
        bounds.add(p);
      }
    }
  }
  const glm::dvec3 size = glm::dvec3(bounds.upper) - glm::dvec3(bounds.lower);
  double stretch = 0;
  const rig::Skin& skin = character.skins[part.skin];
  for (std::size_t k = 0; k < skin.joints.size(); ++k) {
    stretch = std::max(stretch, singular_values(glm::dmat3(rig::skin_matrix(skin, world, k))).sigma.x);
  }
  return std::sqrt(3.0) / 2 * std::max({size.x, size.y, size.z}) / 65535 * stretch;
}

/// What preparing from the rounded geometry adds, in shares of that: delta mush turns the detail of each vertex by
/// frames of what smoothing leaves of its neighbourhood. Measured, over the characters that tests use: 0.25 of it at
/// most (the dragon's horns). All other methods keep to the rounding itself, centres of rotation and direct delta mush
/// too.
inline double share_by_preparation(const deform::SkinningMethod& method) {
  return method.finish != nullptr ? 0.5 : 0.0;
}

/// Of the diagonal: single precision, in both.
inline constexpr double kQuantizedDigits = 5e-6;

struct QuantizedResult {
  double share = 0;  ///< the largest distance of a vertex, of what it may be
  double angle = 0;  ///< the largest one between normals, radians
};
inline QuantizedResult compare(const Quantized& pair, const rig::Pose& pose, const deform::SkinningMethod& method,
                               const deform::DeformedCharacter& expected, const deform::DeformedCharacter& actual) {
  rig::WorldMatrices world;
  world.evaluate(pair.original.skeleton, pose);
  const double digits = kQuantizedDigits * static_cast<double>(expected.bounds.diagonal());
  QuantizedResult out;
  for (const SkinnedPair& part : skinned_parts(pair)) {
    const deform::DeformedPart& a = expected.parts[part.original];
    const deform::DeformedPart& b = actual.parts[part.quantized];
    EXPECT_EQ(a.positions.size(), b.positions.size());
    const double most = rounding_of(pair.original, pair.original.parts[part.original], world.world()) *
                            (1 + share_by_preparation(method)) +
                        digits;
    for (std::size_t v = 0; v < std::min(a.positions.size(), b.positions.size()); ++v) {
      out.share = std::max(out.share, glm::distance(glm::dvec3(a.positions[v]), glm::dvec3(b.positions[v])) / most);
    }
    for (std::size_t v = 0; v < std::min(a.normals.size(), b.normals.size()); ++v) {
      const glm::dvec3 n(a.normals[v]);
      const glm::dvec3 other(b.normals[v]);
      out.angle = std::max(out.angle, std::atan2(glm::length(glm::cross(n, other)), glm::dot(n, other)));
    }
  }
  return out;
}

}  // namespace pelt::test
