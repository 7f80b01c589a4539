#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/progress.h"
#include "deform/settings.h"
#include "deform/skin_cache.h"
#include "rig/character.h"

namespace pelt::measure {

/// Vertices with one, two and three influences in production skins of about 2000 triangles, ALGORITHMS.md §16.
inline constexpr std::array<double, 3> kReferenceShares = {0.60, 0.35, 0.05};
inline constexpr double kReferenceMean = 1.45;  ///< influences per vertex of these

/// How many influences vertices have.
struct InfluenceHistogram {
  std::vector<std::int64_t> vertices;  ///< [k] with k influences
  std::int64_t total = 0;              ///< of skinned primitives

  /// Share of the vertices with k influences, 0..1.
  [[nodiscard]] double share(std::size_t k) const;
  [[nodiscard]] double mean() const;
};
/// Of the rows as they are used under these settings; each primitive counts once.
InfluenceHistogram influence_histogram(const rig::Character& character, const deform::SkinningSettings& settings);

/// What an influence limit and a pruning threshold take away, ALGORITHMS.md §16.
struct ReducedInfluences {
  std::int64_t vertices = 0;  ///< that lose influences, each primitive's once
  int most = 0;               ///< influences of one of them in the file
};
/// @cost O(V), nothing where there is neither limit nor threshold
ReducedInfluences reduced_influences(const rig::Character& character, const deform::SkinningSettings& settings);

/// What weights cost on the GPU, on a device whose uniform blocks hold the palettes asked for.
struct DietCost {
  double bytes_per_vertex = 0;         ///< indices and weights, of vertices that have any
  std::int64_t influence_bytes = 0;    ///< indices and weights
  std::int64_t resident_bytes = 0;     ///< all vertex and index data, these included; morph textures are not
  int batches = 0;                     ///< palette batches that are drawn, rigid ones included
  int draw_calls = 0;                  ///< per pass, with parts that are not skinned
  std::int64_t upload_bytes = 0;       ///< per new pose: palettes, and vertices that only the CPU can skin
  std::int64_t rigid_triangles = 0;    ///< drawn with one matrix, where the settings ask for it
  std::int64_t skinned_triangles = 0;  ///< the others of skinned parts
  std::int64_t reduced_vertices = 0;   ///< those that lose influences, each primitive's once
};
/// @cost that of splitting into batches
DietCost diet_cost(const rig::Character& character, const deform::SkinningSettings& settings);

/// The same settings with all influences as floats: what a diet is measured against.
deform::SkinningSettings full_precision(const deform::SkinningSettings& settings);

/// How far limit, threshold and format move vertices.
struct DietError {
  double max = 0;  ///< metres
  double rms = 0;  ///< metres, over all vertices of skinned parts and all poses
  int worst_pose = -1;
  int worst_part = -1;
  std::int64_t worst_vertex = -1;  ///< within that part
};

/// Measures a diet against full precision of the same method, with both shapes kept for the next call, so that a pose
/// that changed in one joint costs little more than skinning it twice.
class DietMeter {
 public:
  /// @param cache  shared with others of the same character; null: one of its own
  explicit DietMeter(std::shared_ptr<deform::SkinCache> cache = nullptr);
  ~DietMeter();
  DietMeter(DietMeter&&) noexcept;
  DietMeter& operator=(DietMeter&&) noexcept;

  /// Nothing when `progress` asked to stop. Nothing is skinned where the settings are full precision already.
  /// @param pose_of  called once for each of 0 .. pose_count - 1, in that order: no more than one pose is kept
  /// @pre  `character` is unchanged since the last call, else reset() came between
  std::optional<DietError> measure(const rig::Character& character, const deform::SkinningSettings& settings,
                                   std::size_t pose_count, const std::function<rig::Pose(std::size_t)>& pose_of,
                                   const Progress& progress = {});
  std::optional<DietError> measure(const rig::Character& character, const deform::SkinningSettings& settings,
                                   std::span<const rig::Pose> poses, const Progress& progress = {});
  /// Forgets the character.
  void reset();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pelt::measure
