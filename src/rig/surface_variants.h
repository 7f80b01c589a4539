#pragma once

#include "core/progress.h"
#include "core/result.h"
#include "rig/character.h"

namespace pelt::rig {

// The same character with other surfaces (ALGORITHMS.md §52): skeleton, skins, clips, materials, nodes and the number
// and order of parts stay, so poses, documents and parts mean the same. Vertex numbers do not. The results are
// finished.

inline constexpr int kMostSubdivisions = 3;
inline constexpr int kDetailLevels = 4;  ///< 0 is the file's own surface
inline constexpr std::size_t kMostSubdividedTriangles = std::size_t{1} << 24;

/// Each mesh refined by `levels` steps of Loop subdivision, its primitives as one surface; influences are interpolated.
/// Fails where more than kMostSubdividedTriangles would come out.
/// @pre  0 <= levels <= kMostSubdivisions
Result<Character> subdivided(const Character& character, int levels);

/// Each mesh collapsed to 1 / 2^level of its triangles, or as few as its seams and borders allow; vertices keep their
/// weights.
/// @param largest_error  if given, receives the largest geometric error of all meshes, metres in mesh space
/// @pre  0 <= level < kDetailLevels
Character with_detail(const Character& character, int level, double* largest_error = nullptr);

/// Each mesh with its edges split at T-junctions.
Character without_t_junctions(const Character& character);

inline constexpr float kMostExploded = 2.0f;

/// The exploded view of ALGORITHMS.md §5: triangles that follow one joint alone (mesh::partition_rigid) and meshes that
/// hang on a node are pulled away from the middle of the rest pose, each as one piece, and stay with their joints in
/// every pose. Triangles that need skinning stay where they are. Vertices on a border between pieces are doubled, new
/// ones follow the old.
/// @param amount  how far: 1 puts the middle of each piece twice as far from the character's; 0..kMostExploded
Character exploded(const Character& character, float amount);

/// Which surface to show: what is asked for is done in the order of the members.
struct SurfaceChoice {
  bool split_t_junctions = false;
  int detail = 0;        ///< level, below kDetailLevels
  int subdivisions = 0;  ///< at most kMostSubdivisions
  float explode = 0;     ///< see exploded()
  bool operator==(const SurfaceChoice&) const = default;
};

/// All of a choice. Fails where subdivided() does, and between two steps where `progress` asks to stop.
/// @param largest_error  as of with_detail()
Result<Character> with_surface(const Character& character, const SurfaceChoice& choice, double* largest_error = nullptr,
                               const Progress& progress = {});

/// Triangles of all meshes.
std::size_t triangle_count(const Character& character);

}  // namespace pelt::rig
