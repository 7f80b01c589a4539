#include "rig/kinematics.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "core/expect.h"

namespace pelt::rig {
namespace {

// Left to the compiler the same sums take 7 to 30 ns a joint, by flags and by how they are written; these take 5.
using Four [[gnu::vector_size(4 * sizeof(float))]] = float;

Four load(const float* from) {
  Four four;
  std::memcpy(&four, from, sizeof(four));
  return four;
}
void store(Four four, float* to) {
  std::memcpy(to, &four, sizeof(four));
}

/// Of four vectors, their first elements, their second ones, ...
std::array<Four, 4> transposed(const std::array<Four, 4>& in) {
  const Four low01 = __builtin_shufflevector(in[0], in[1], 0, 4, 1, 5);
  const Four low23 = __builtin_shufflevector(in[2], in[3], 0, 4, 1, 5);
  const Four high01 = __builtin_shufflevector(in[0], in[1], 2, 6, 3, 7);
  const Four high23 = __builtin_shufflevector(in[2], in[3], 2, 6, 3, 7);
  return {__builtin_shufflevector(low01, low23, 0, 1, 4, 5), __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
          __builtin_shufflevector(high01, high23, 0, 1, 4, 5), __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
}

// Joints whose local matrices are made at a time, so that they stay in the nearest cache.
constexpr std::size_t kLocals = 16;

/// The linear parts of to_matrix(), column after column, each element of many joints; equal to those bit by bit where
/// all is finite, so that update() gives what evaluate() gives.
struct LinearParts {
  alignas(Four) float element[9][kLocals];

  /// Fills four joints from `at` on; those that are not there repeat the last one.
  void fill(std::span<const Transform> locals, std::size_t at) {
    static_assert(offsetof(Transform, rotation) + sizeof(glm::quat) == offsetof(Transform, scale));
    static_assert(offsetof(glm::quat, w) == 3 * sizeof(float));
    std::array<Four, 4> rotations;
    std::array<Four, 4> scales;  // with w of the rotation before x
    for (std::size_t i = 0; i < 4; ++i) {
      const auto* const local = reinterpret_cast<const std::byte*>(&locals[std::min(at + i, locals.size() - 1)]);
      std::memcpy(&rotations[i], local + offsetof(Transform, rotation), sizeof(Four));
      std::memcpy(&scales[i], local + offsetof(Transform, scale) - sizeof(float), sizeof(Four));
    }
    const auto [x, y, z, w] = transposed(rotations);
    const auto [w_again, scale_x, scale_y, scale_z] = transposed(scales);
    // Doubled first, which rounds nothing and saves six multiplications.
    const Four x2 = x + x;
    const Four y2 = y + y;
    const Four z2 = z + z;
    const Four xx = x * x2;
    const Four yy = y * y2;
    const Four zz = z * z2;
    const Four xy = x * y2;
    const Four xz = x * z2;
    const Four yz = y * z2;
    const Four wx = w * x2;
    const Four wy = w * y2;
    const Four wz = w * z2;
    store((1.0f - (yy + zz)) * scale_x, element[0] + at);
    store((xy + wz) * scale_x, element[1] + at);
    store((xz - wy) * scale_x, element[2] + at);
    store((xy - wz) * scale_y, element[3] + at);
    store((1.0f - (xx + zz)) * scale_y, element[4] + at);
    store((yz + wx) * scale_y, element[5] + at);
    store((xz + wy) * scale_z, element[6] + at);
    store((yz - wx) * scale_z, element[7] + at);
    store((1.0f - (xx + yy)) * scale_z, element[8] + at);
  }

  [[nodiscard]] glm::vec3 column(std::size_t joint, std::size_t c) const {
    return {element[3 * c][joint], element[3 * c + 1][joint], element[3 * c + 2][joint]};
  }
};

/// The matrix of columns x, y, z and translation below the matrix `above`: their product.
void place(const glm::mat4& above, const glm::vec3& x, const glm::vec3& y, const glm::vec3& z,
           const glm::vec3& translation, glm::mat4& out) {
  const Four above_x = load(&above[0].x);
  const Four above_y = load(&above[1].x);
  const Four above_z = load(&above[2].x);
  const auto turned = [&](const glm::vec3& v) { return above_x * v.x + above_y * v.y + above_z * v.z; };
  const Four origin = turned(translation) + load(&above[3].x);
  store(turned(x), &out[0].x);
  store(turned(y), &out[1].x);
  store(turned(z), &out[2].x);
  store(origin, &out[3].x);
}

glm::mat4 world_matrix(const Pose& pose, int j, int above, const std::vector<glm::mat4>& world) {
  const glm::mat4 local = local_matrix(pose, j);
  if (above < 0) {
    return local;
  }
  const glm::mat4& from = world[above];
  if (!pose.residual.empty()) {
    return from * local;
  }
  glm::mat4 out;
  place(from, local[0], local[1], local[2], local[3], out);
  return out;
}

}  // namespace

template <typename T>
void local_to_world(std::span<const int> parent, std::span<const glm::mat<4, 4, T>> local,
                    std::span<glm::mat<4, 4, T>> world) {
  PELT_EXPECT(local.size() == parent.size() && world.size() == parent.size(), "one matrix per joint");
  for (std::size_t j = 0; j < parent.size(); ++j) {
    PELT_EXPECT(parent[j] < static_cast<int>(j), "parents stand before their children");
    world[j] = parent[j] < 0 ? local[j] : world[parent[j]] * local[j];
  }
}
template void local_to_world(std::span<const int>, std::span<const glm::mat4>, std::span<glm::mat4>);
template void local_to_world(std::span<const int>, std::span<const glm::dmat4>, std::span<glm::dmat4>);

void WorldMatrices::evaluate(const Skeleton& skeleton, const Pose& pose) {
  PELT_EXPECT(pose.local.size() == skeleton.parent.size(), "the pose is of this skeleton");
  const std::size_t count = pose.local.size();
  world_.resize(count);
  computed_ = count;
  const auto parent_of = [&](std::size_t j) {
    const int above = skeleton.parent[j];
    PELT_EXPECT(above < static_cast<int>(j), "parents stand before their children");
    return above;
  };
  if (!pose.residual.empty()) {
    for (std::size_t j = 0; j < count; ++j) {
      world_[j] = world_matrix(pose, static_cast<int>(j), parent_of(j), world_);
    }
    return;
  }
  // Local matrices first: they wait for nothing, where a world matrix waits for its parent's.
  LinearParts linear;
  for (std::size_t first = 0; first < count; first += kLocals) {
    const std::span<const Transform> locals = std::span(pose.local).subspan(first, std::min(kLocals, count - first));
    for (std::size_t i = 0; i < locals.size(); i += 4) {
      linear.fill(locals, i);
    }
    for (std::size_t i = 0; i < locals.size(); ++i) {
      const std::size_t j = first + i;
      const glm::vec3 x = linear.column(i, 0);
      const glm::vec3 y = linear.column(i, 1);
      const glm::vec3 z = linear.column(i, 2);
      const glm::vec3& translation = locals[i].translation;
      if (const int above = parent_of(j); above >= 0) {
        place(world_[above], x, y, z, translation, world_[j]);
      } else {
        world_[j] = {glm::vec4(x, 0), glm::vec4(y, 0), glm::vec4(z, 0), glm::vec4(translation, 1)};
      }
    }
  }
}

void WorldMatrices::update(const Skeleton& skeleton, const Pose& pose, int changed) {
  PELT_EXPECT(world_.size() == skeleton.parent.size() && pose.local.size() == world_.size(),
              "evaluate() was called with the same skeleton");
  PELT_EXPECT(changed >= 0 && changed < skeleton.size(), "joint index in range");
  dirty_.assign(world_.size(), 0);
  dirty_[changed] = 1;
  computed_ = 0;
  for (int j = changed; j < skeleton.size(); ++j) {
    const std::size_t at = j;
    const int above = skeleton.parent[at];
    if (j != changed && (above < 0 || dirty_[above] == 0)) {
      continue;
    }
    dirty_[at] = 1;
    world_[at] = world_matrix(pose, j, above, world_);
    ++computed_;
  }
}

}  // namespace pelt::rig
