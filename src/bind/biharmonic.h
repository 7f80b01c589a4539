#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bind/binders.h"
#include "bind/bounded_quadratic.h"
#include "bind/volume_elements.h"

namespace pelt::bind {

/// Bounded biharmonic weights, ALGORITHMS.md §35: the weights of a bone are 1 on it, 0 on the others, between 0 and 1
/// everywhere, and bend as little as they can within the volume, as voxels have it. Each bone is solved for itself, and
/// then the weights of each node are divided by their sum.
/// Source: A. Jacobson, I. Baran, J. Popović, O. Sorkine, "Bounded Biharmonic Weights for Real-Time Deformation", ACM
/// TOG 30(4), 2011.
std::span<const Field> biharmonic_fields();
std::optional<Binding> bind_biharmonic(const Problem& problem, std::span<const double> values, const Watcher& watcher);

/// As that, on a coarser grid where the volume has more than `most` cubes, which a remark says.
/// @param n  cubes along the longest side
std::optional<Binding> biharmonic_binding(const Problem& problem, int n, std::size_t most, const Watcher& watcher);

/// What is solved on one grid.
struct BiharmonicSystem {
  VolumeElements elements;
  SymmetricRows bending;
  std::vector<std::vector<std::uint16_t>> on;  ///< [N] the bones that go through the node, ascending; each has 1/k
  std::vector<char> given;         ///< [N] 1: a bone goes through it, or none reaches its part of the volume
  std::vector<char> held_part;     ///< [parts of the volume] 1: a bone goes through it
  std::vector<NodesOnBone> nodes;  ///< [B]
};
BiharmonicSystem biharmonic_system(const Voxels& voxels, std::span<const Bone> bones);

/// The weights of a bone at the nodes, each between 0 and 1.
/// @param weights  [N] in: where to begin (what is at most 0 or at least 1 begins there); out: the result
/// @return nothing where go_on said no
std::optional<BoundedReport> biharmonic_weights(const BiharmonicSystem& system, std::size_t bone,
                                                std::span<double> weights, const std::function<bool()>& go_on = {});

struct FittingVoxels {
  int n = 0;
  Voxels voxels;
};
/// A grid of n cubes along the longest side, or of as many fewer as it takes to have at most `most` in the volume.
/// @return nothing where the progress asked to stop
std::optional<FittingVoxels> fitting_voxels(const Problem& problem, int n, std::size_t most, const Progress& progress);

}  // namespace pelt::bind
