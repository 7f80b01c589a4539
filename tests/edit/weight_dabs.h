#pragma once

// Dabs of a brush, for tests of what a history of weight edits keeps.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "edit/commands.h"
#include "edit/history.h"
#include "support/fixtures.h"

namespace pelt::test {

/// Bytes of a row with `entries` entries: where it begins, joints, weights, its sum.
inline std::size_t row_bytes(std::size_t entries) {
  return sizeof(std::uint32_t) + sizeof(float) + entries * (sizeof(float) + sizeof(std::uint16_t));
}

/// A dab: other weights for these vertices.
/// @return bytes of the rows that changed
inline std::size_t dab(edit::Document& document, const std::vector<std::size_t>& vertices, float share,
                       const std::string& key = {}) {
  auto character = std::make_shared<rig::Character>(*edit::own_character(document));
  mesh::Influences& rows = weights_in(*character, 0, 0);
  std::size_t bytes = 0;
  for (const std::size_t v : vertices) {
    const std::vector<std::uint16_t> joint(rows.joints(v).begin(), rows.joints(v).end());
    std::vector<float> weight(rows.weights(v).begin(), rows.weights(v).end());
    weight.front() += share;
    rows.set_row(v, joint, weight);
    bytes += row_bytes(rows.count(v));
  }
  edit::apply(document, {edit::ReplaceCharacter{character}, key});
  return bytes;
}

}  // namespace pelt::test
