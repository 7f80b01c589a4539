#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "bind/binding.h"
#include "bind/character_problem.h"
#include "core/progress.h"
#include "rig/character.h"

namespace pelt::measure {

/// A pose in which weights are compared: where it takes points of the problem's space, per bone.
struct BenchmarkPose {
  std::vector<glm::dmat4> bones;  ///< [B]
  glm::dmat4 root;                ///< of the first root joint, which places without weights follow
};

/// How many poses are taken of clips, and how many random ones are made.
inline constexpr int kClipPoses = 40;
inline constexpr int kRandomPoses = 20;

/// The poses of the binding benchmark, of a character that the problem was made from.
///
/// Of the clips: floor(40 / clips) of each at (i + 1/2) / k of its length, or 40 clips chosen evenly, each at its
/// middle, where there are 40 or more; divided by the mean cube root of the determinants at the file's rest, so that
/// lengths are those of the bind shape. Random ones: 20, SplitMix64(0x50454C54 + r), from the pose as bound: two joints
/// turned by up to 90 degrees, all others but roots by up to 30 about axes even over the sphere.
std::vector<BenchmarkPose> benchmark_poses(const rig::Character& character, const bind::CharacterProblem& problem);

/// How far weights are from others, the artist's. Distances are in percent of the diagonal of the bind shape.
struct BindingScore {
  std::size_t vertices = 0;  ///< compared: used by a triangle and bound by the artist
  std::size_t poses = 0;
  std::size_t unbound = 0;  ///< vertices without a weight; they follow the first root
  double rms = 0;           ///< of the distances between both posed shapes, over all poses and vertices
  double p95 = 0;           ///< 95th percentile of these distances
  double worst = 0;         ///< the largest of them
  double l1_mean = 0;       ///< of the sums of absolute differences of weights, by vertex
  double l1_p95 = 0;
  double agreement = 0;  ///< share of the vertices with the same strongest joint
  double precision = 0;  ///< share of the pairs of vertex and joint above 1e-4 that the artist has, too
  double recall = 0;     ///< share of the artist's pairs above 1e-4 that are found
  double strain_ratio =
      0;  ///< 99.9th percentile over edges of the largest stretch of any pose, divided by the artist's
};

/// A number of a score: how tables and JSON call it, and where it stands.
struct ScoreColumn {
  const char* id;  ///< in JSON
  const char* heading;
  const char* help;  ///< a sentence without its full stop
  double BindingScore::*member;
  bool more_is_better;
};
/// In the order of every table of scores.
std::span<const ScoreColumn> score_columns();

/// What game engines hold of each vertex.
inline constexpr int kBenchmarkLimit = 4;

/// Scores weights against the artist's. Places count as often as vertices lie there.
/// @return nothing where `progress` asks to stop
/// @param truth  a row for each place, empty where the artist bound nothing
/// @param limit  so many of the candidate's largest weights count, renormalised, see bind::limited(); 0: all
/// @cost O(poses * places * influences); 4 bytes for each pose and vertex
std::optional<BindingScore> score_binding(const bind::CharacterProblem& problem, const bind::Rows& candidate,
                                          const bind::Rows& truth, const std::vector<BenchmarkPose>& poses,
                                          const Progress& progress = {}, int limit = kBenchmarkLimit);

/// The shape of the surface under weights alone, where there are none of an artist to hold them against.
struct BindingShape {
  std::size_t vertices = 0;  ///< used by a triangle
  std::size_t poses = 0;
  std::size_t unbound = 0;  ///< vertices without a weight; they follow the first root
  double stretch = 1;       ///< 99.9th percentile over edges of the largest stretch of any pose: 1 is as bound
  /// What the surface encloses in the pose that changes it most, divided by what it encloses as bound; holes are closed
  /// by fans. Nothing for a surface that encloses less than a hundredth of what a ball of its area would.
  std::optional<double> volume = {};
};

/// Measures what weights make of the surface in some poses. Places count as often as vertices lie there.
/// @param rows  a row for each place
/// @return nothing where `progress` asks to stop
/// @cost O(poses * (places * influences + triangles))
std::optional<BindingShape> measure_binding(const bind::CharacterProblem& problem, const bind::Rows& rows,
                                            const std::vector<BenchmarkPose>& poses, const Progress& progress = {});

/// The value below which a share of the values lies, interpolated between neighbours; 0 of none. Reorders the values.
double percentile(std::vector<float>& values, double share);

}  // namespace pelt::measure
