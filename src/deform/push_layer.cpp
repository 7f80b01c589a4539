#include "deform/push_layer.h"

#include <cmath>

#include "core/expect.h"

namespace pelt::deform {

void push(std::span<const float> values, const MovedVertices& vertices) {
  PELT_EXPECT(values.size() == kPushFields.size(), "values of the push layer");
  PELT_EXPECT(vertices.normals.empty() || vertices.normals.size() == vertices.positions.size(),
              "a normal per vertex, or none");
  const float distance = values[0] * values[1];
  for (std::size_t v = 0; v < vertices.normals.size(); ++v) {
    const float length = glm::length(vertices.normals[v]);
    if (length > 0 && std::isfinite(length)) {
      vertices.positions[v] += distance / length * vertices.normals[v];
    }
  }
}

float push_reach(std::span<const float> values) {
  PELT_EXPECT(values.size() == kPushFields.size(), "values of the push layer");
  return std::abs(values[0] * values[1]);
}

}  // namespace pelt::deform
