#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "rig/pose.h"
#include "rig/skeleton.h"

namespace pelt::rig {

/// A pose while layers work on it: each of them reads and writes local transforms, and may ask where a joint stands in
/// the world at that moment. World matrices are computed when they are asked for, of the joint and what is above it,
/// and stay valid until a transform above changes.
class PoseBuilder {
 public:
  /// Both must outlive the builder; whoever changes the pose past it calls edit() first.
  PoseBuilder(const Skeleton& skeleton, Pose& pose);

  [[nodiscard]] const Skeleton& skeleton() const { return *skeleton_; }
  [[nodiscard]] const Pose& pose() const { return *pose_; }
  /// Local transform of a joint. @pre 0 <= j < J, here and below
  [[nodiscard]] const Transform& local(int j) const { return pose_->local[j]; }
  /// @cost O(1), whatever hangs below
  void set_local(int j, const Transform& local);
  /// [morph targets] flat, as Pose has them.
  [[nodiscard]] std::span<float> morph_weights() { return pose_->morph_weights; }
  /// W_j = W_parent(j) * L_j in double precision; equals local_to_world() of the whole pose bit by bit.
  /// @returns a reference that holds until the next call. @cost O(depth)
  const glm::dmat4& world(int j);
  /// The whole pose, to be changed at will before the next call of anything else; all world matrices are forgotten.
  Pose& edit();
  /// World matrices computed so far.
  [[nodiscard]] std::size_t computed() const { return computed_; }

 private:
  const Skeleton* skeleton_;
  Pose* pose_;
  // A moment passes with each change. A world matrix holds while it is younger than all transforms that it is made of.
  std::uint64_t now_ = 1;
  std::vector<std::uint64_t> set_;  // [J] when the local transform changed, or empty until a world matrix was asked for
  std::vector<std::uint64_t> made_;  // [J] when the world matrix was computed, 0: never
  std::vector<glm::dmat4> world_;
  std::vector<int> path_;
  std::size_t computed_ = 0;
};

}  // namespace pelt::rig
