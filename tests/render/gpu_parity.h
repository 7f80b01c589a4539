#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "measure/compare.h"
#include "render/gpu_character.h"
#include "rig/kinematics.h"

namespace pelt::render {

inline constexpr double kPositionTolerance = 1e-5;                        // of the diagonal
inline constexpr double kNormalTolerance = 0.1 / 180 * std::numbers::pi;  // radians

/// Runs characters through both backends and compares.
class Parity {
 public:
  Parity() : programs_(ShaderLibrary::from_environment()), gpu_(device_limits()) {}

  /// Uploads a pose, with its CPU result where that is needed.
  void update(const rig::Character& character, const rig::Pose& pose, const deform::SkinningSettings& settings) {
    rig::WorldMatrices world;
    world.evaluate(character.skeleton, pose);
    deform::DeformedCharacter deformed;
    if (needs_cpu(character, settings)) {
      deformed = cpu(character, pose, settings);
    }
    const Status updated = gpu_.update({.character = &character,
                                        .pose = &pose,
                                        .world = world.world(),
                                        .pose_version = ++pose_version_,
                                        .skinning = settings,
                                        .cache = cache_.get(),
                                        .deformed = &deformed});
    EXPECT_TRUE(updated) << updated.error().message;
  }

  deform::DeformedCharacter gpu(const rig::Character& character, const rig::Pose& pose,
                                const deform::SkinningSettings& settings) {
    update(character, pose, settings);
    auto result = gpu_.read_back(programs_);
    EXPECT_TRUE(result) << result.error().message;
    return result ? std::move(*result) : deform::DeformedCharacter();
  }

  deform::DeformedCharacter cpu(const rig::Character& character, const rig::Pose& pose,
                                const deform::SkinningSettings& settings) {
    rig::WorldMatrices world;
    world.evaluate(character.skeleton, pose);
    deformer_.deform(character, pose, world.world(), settings, on_cpu_);
    return on_cpu_;
  }

  /// Both backends agree. @returns the largest distance over the diagonal
  double expect_equal(const rig::Character& character, const rig::Pose& pose, const deform::SkinningSettings& settings,
                      const std::string& what) {
    const deform::DeformedCharacter on_gpu = gpu(character, pose, settings);
    const deform::DeformedCharacter on_cpu = cpu(character, pose, settings);
    const measure::Difference difference = measure::difference(on_gpu, on_cpu);
    const auto diagonal = static_cast<double>(on_cpu.bounds.diagonal());
    const double relative = diagonal > 0 ? difference.max / diagonal : difference.max;
    EXPECT_LE(relative, kPositionTolerance)
        << what << ": part " << difference.worst_part << ", vertex " << difference.worst_vertex;
    EXPECT_LE(difference.max_normal_angle, kNormalTolerance) << what;
    EXPECT_EQ(difference.non_finite, 0) << what;
    expect_equal_tangents(on_gpu, on_cpu, what);
    worst_normal_angle_ = std::max(worst_normal_angle_, difference.max_normal_angle);
    return relative;
  }

  /// The next character is another one: the CPU's side forgets what was prepared.
  void replace_character() {
    deformer_.reset();  // and the cache
  }
  GpuCharacter& character() { return gpu_; }
  ProgramCache& programs() { return programs_; }
  [[nodiscard]] double worst_normal_angle() const { return worst_normal_angle_; }

 private:
  static void expect_equal_tangents(const deform::DeformedCharacter& a, const deform::DeformedCharacter& b,
                                    const std::string& what) {
    ASSERT_EQ(a.parts.size(), b.parts.size());
    double worst = 0;
    for (std::size_t p = 0; p < a.parts.size(); ++p) {
      ASSERT_EQ(a.parts[p].tangents.size(), b.parts[p].tangents.size()) << what;
      for (std::size_t v = 0; v < a.parts[p].tangents.size(); ++v) {
        const glm::dvec3 one(a.parts[p].tangents[v]);
        const glm::dvec3 other(b.parts[p].tangents[v]);
        worst = std::max(worst, std::atan2(glm::length(glm::cross(one, other)), glm::dot(one, other)));
        ASSERT_EQ(a.parts[p].tangents[v].w, b.parts[p].tangents[v].w) << what << ": vertex " << v;
      }
    }
    EXPECT_LE(worst, kNormalTolerance) << what;
  }

  ProgramCache programs_;
  std::shared_ptr<deform::SkinCache> cache_ = std::make_shared<deform::SkinCache>();  // both prepare once
  deform::CpuDeformer deformer_{cache_};
  deform::DeformedCharacter on_cpu_;
  GpuCharacter gpu_;
  std::uint64_t pose_version_ = 0;
  double worst_normal_angle_ = 0;
};

}  // namespace pelt::render
