#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <glm/glm.hpp>

#include "core/benchmark_goal.h"
#include "core/result.h"
#include "deform/skinning_methods.h"
#include "mesh/mesh.h"

// Skinning kernels side by side on the same made-up mesh: what `pelt bench --kernels` and `./dev bench` print.

namespace pelt::cli {

/// The C interface by which other libraries are measured in the same process. Positions and normals are [V * 3], joint
/// indices [V * K], weights [V * (K - 1)] with the last one implied, the palette [J * 16] by columns.
using PeerSkin = void (*)(const float* positions, const float* normals, const std::uint16_t* joint_indices,
                          const float* joint_weights, const float* palette_4x4, int joint_count, int vertex_count,
                          int influence_count, float* out_positions, float* out_normals);

/// The same for world matrices: translations and scales [J * 3], rotations [J * 4] as x, y, z, w, parents [J] (a parent
/// stands before its children, -1 for roots), result [J * 16] by columns.
using PeerLocalToWorld = void (*)(const float* translations, const float* rotations, const float* scales,
                                  const int* parents, int joint_count, float* out_world_4x4);

/// A primitive's influences as a peer reads them: all rows as long as the longest, padded with weight 0.
struct PeerInfluences {
  int influence_count = 1;
  std::vector<std::uint16_t> joints;
  std::vector<float> weights;
};
PeerInfluences make_peer_influences(const mesh::Influences& influences);

/// A mesh whose neighbouring vertices share joints, as in real meshes, with a pose of its joints.
struct BenchmarkLoad {
  mesh::Primitive primitive;
  std::vector<glm::mat4> matrices;
};
inline constexpr int kMixedInfluences = 0;  ///< 60 % of vertices with one, 35 % with two, 5 % with three
/// @param influences  per vertex, 1..8, or kMixedInfluences
BenchmarkLoad make_benchmark_load(std::size_t vertex_count, int influences, std::size_t joint_count = 64);

struct KernelBenchmarkOptions {
  std::vector<std::size_t> vertex_counts = {10'000, 100'000, 1'000'000};
  double seconds = 0.3;  ///< per row
  PeerSkin peer = nullptr;
  std::string peer_name;
};

/// One kernel on one load.
struct KernelTiming {
  std::string method;  ///< "lbs" or "dqs"; empty: a copy or a floor
  std::string kernel;
  std::size_t vertex_count = 0;
  int influences = 0;      ///< per vertex, or kMixedInfluences
  std::string attributes;  ///< "p", "pn" or "pnt": positions, normals, tangents
  bool all_threads = false;
  double ns_per_vertex = 0;         ///< median; processor time on one thread, else wall time
  double gigabytes_per_second = 0;  ///< of what has to be read and written
  double times_copy = 0;            ///< against the faster copy of as many bytes, same run and threads
  double times_peer = 0;            ///< how much longer the peer takes where it is faster; 0: no peer on this load
};

/// Runs all kernels of a load in turn, again and again, and takes medians, so that a machine that others slow down
/// slows all alike. Errors: the peer's result differs from ours.
Result<std::vector<KernelTiming>> measure_kernels(const KernelBenchmarkOptions& options);

/// What the kernels should reach, as ratios within one run: the goals that `timings` say something about. A peer is
/// compared with normals as peers make them (variant a), in the memory in which it is faster; where there are rows for
/// several forms of weights, the fastest one counts. The floor is the faster way of FastSkin::run_floor() to write.
std::vector<BenchmarkGoal> kernel_goals(std::span<const KernelTiming> timings);

/// Largest difference of a peer's positions from ours over the diagonal of the posed mesh that is still the same.
inline constexpr double kPeerTolerance = 1e-4;

/// One way from local transforms to world matrices.
struct WorldTiming {
  std::string kernel;
  std::size_t joint_count = 0;
  double ns_per_joint = 0;  ///< median, processor time on one thread
  double times_ours = 0;    ///< how much longer it takes than the first row, which is rig::WorldMatrices
};

struct WorldBenchmarkOptions {
  std::size_t joint_count = 64;
  double seconds = 0.3;  ///< per row
  PeerLocalToWorld peer = nullptr;
  std::string peer_name;
};

/// The product's own path, a plain GLM loop (T * R * S as products of matrices, then the parent's) and the peer's where
/// there is one, in turn, as measure_kernels() does it. Errors: the peer's matrices differ from ours.
Result<std::vector<WorldTiming>> measure_local_to_world(const WorldBenchmarkOptions& options);
/// Goals that the rows say something about.
std::vector<BenchmarkGoal> world_goals(std::span<const WorldTiming> timings);

/// The kernels by name, to be run by others: what one call of `run` computes.
struct KernelCase {
  std::string method;
  std::string kernel;
  double bytes = 0;  ///< read and written
  std::function<void()> run;
};
/// How many of the first cases are copies: through the caches and past them.
inline constexpr std::size_t kCopies = 2;

/// Owns the load and outputs that its cases use.
struct KernelCases {
  std::shared_ptr<void> keep;
  std::vector<KernelCase> cases;  ///< copies first; those without a method are what the others are compared with
};
/// @param normals, tangents  which attributes are skinned
KernelCases make_kernel_cases(std::size_t vertex_count, int influences, bool normals, bool tangents);

}  // namespace pelt::cli
