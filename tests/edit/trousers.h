#pragma once

// A character with two sides and weights that mean nothing, for the tools of weights.

#include <array>
#include <cstdint>
#include <memory>
#include <numeric>

#include <gtest/gtest.h>

#include "edit/document.h"
#include "support/fixtures.h"

namespace pelt::test {

/// F-CYL about x from -0.5 to 0.5 with two joints on each side and one in the middle, and random weights: joints are
/// 0 "hip", 1 "leg_l", 2 "foot_l", 3 "leg_r", 4 "foot_r"; the left is where x is positive.
inline rig::Character trousers(std::uint32_t seed, int primitives = 1) {
  rig::Character character;
  character.name = "trousers";
  add_node(character, "hip", -1, {});
  add_node(character, "leg_l", 0, {.translation = {0.2f, 0, 0}});
  add_node(character, "foot_l", 1, {.translation = {0.2f, 0, 0}});
  add_node(character, "leg_r", 0, {.translation = {-0.2f, 0, 0}});
  add_node(character, "foot_r", 3, {.translation = {-0.2f, 0, 0}});
  Random random(seed);
  mesh::Primitive primitive = cylinder_primitive();
  mesh::Influences rows;
  for (glm::vec3& position : primitive.positions.edit()) {
    position.x -= 0.5f;
    std::array<std::uint16_t, 3> joints{};
    std::array<float, 3> weights{};
    for (int k = 0; k < 3; ++k) {
      joints[k] = static_cast<std::uint16_t>(random.below(5));
      weights[k] = random.real(0.01f, 1.0f);
    }
    append_row(rows, joints, weights);
  }
  primitive.influences = rows;
  add_skinned_mesh(character, "trousers", {0, 1, 2, 3, 4}, primitive);
  for (int p = 1; p < primitives; ++p) {  // at the same places, with weights of its own
    mesh::Primitive other = primitive;
    mesh::Influences others;
    for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
      others.push_row(rows.row((v + 1) % rows.vertex_count()));
    }
    other.influences = others;
    character.meshes.edit(0).primitives.push_back(other);
  }
  rig::finish(character);
  return character;
}

inline edit::Document trousers_document(std::uint32_t seed = 1, int primitives = 1) {
  return edit::make_document(std::make_shared<const rig::Character>(trousers(seed, primitives)));
}

inline const mesh::Influences& rows_in(const edit::Document& document, std::size_t primitive = 0) {
  return document.character->meshes[0].primitives[primitive].influences;
}

inline void expect_sums_of_one(const edit::Document& document) {
  for (const mesh::Primitive& primitive : document.character->meshes[0].primitives) {
    for (std::size_t v = 0; v < primitive.influences->vertex_count(); ++v) {
      const auto weights = primitive.influences->weights(v);
      ASSERT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-6) << v;
    }
  }
}

}  // namespace pelt::test
