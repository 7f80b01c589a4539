#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bind/voxels.h"

namespace pelt::bind {

/// How far a bone is, by a way.
struct WayToBone {
  std::uint16_t bone = 0;
  double distance = 0;  ///< edges of the grid within VoxelWays, metres from at()
  bool operator==(const WayToBone&) const = default;
};

/// A bone that no cube of the volume holds.
struct BoneOutside {
  std::size_t bone = 0;
  double distance = 0;  ///< metres to the nearest cube
};

/// The shortest ways through a volume from each of its cubes to the nearest few bones: along 26 neighbours, from centre
/// to centre, and from the first centre straight to the bone. ALGORITHMS.md §36.
///
/// One search for all bones, in which a cube keeps its nearest `per_cube` only. That loses nothing: along the shortest
/// way from a bone that is among the nearest of a cube, it is among the nearest of every cube, else those that are
/// nearer there would be nearer at the end as well.
class VoxelWays {
 public:
  /// A bone goes out from the cubes that its segments pass; one that passes none, from the cube nearest to each of its
  /// points. @return nothing where the progress asked to stop
  static std::optional<VoxelWays> make(const Voxels& voxels, std::span<const Bone> bones, std::size_t per_cube,
                                       const Progress& progress = {});

  /// The nearest bones of a point, by distance, then by bone: of the cube that holds it (of all, where it lies on their
  /// border), from whose centre it goes on straight. None where no bone can be reached.
  void at(const glm::dvec3& p, std::vector<WayToBone>& out) const;
  /// Of a cube, not sorted.
  [[nodiscard]] std::span<const WayToBone> of_cube(std::size_t index) const;
  [[nodiscard]] std::span<const BoneOutside> outside() const { return outside_; }

 private:
  bool search(const Progress& progress);
  bool offer(std::uint32_t cube, const WayToBone& way);
  bool start(const Voxels& voxels, std::span<const Bone> bones, const Progress& progress);

  struct Entry {
    double distance = 0;
    std::uint32_t cube = 0;
    std::uint16_t bone = 0;
    auto operator<=>(const Entry&) const = default;
  };

  VoxelGrid grid_;
  std::size_t per_cube_ = 0;
  std::vector<std::int32_t> number_;         // [cubes] of those in the volume, -1 outside
  std::vector<std::uint32_t> cube_;          // [N] the way back
  std::vector<WayToBone> ways_;              // [N * per_cube]
  std::vector<std::uint8_t> count_;          // [N]
  std::vector<std::vector<Entry>> waiting_;  // by whole edges
  std::vector<BoneOutside> outside_;
};

}  // namespace pelt::bind
