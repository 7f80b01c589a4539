#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "rig/character.h"

// Many characters of one kind at different moments of its clips, ALGORITHMS.md §51: matrices are baked once, one row
// per frame, and each instance reads the two rows next to its moment. Source: James, Twigg, "Skinning Mesh Animations",
// ACM TOG 24(3), 2005; texture skinning as practised since.

namespace pelt::deform {

/// Frames per second below which blending the matrices of neighbouring frames visibly shrinks limbs.
inline constexpr float kLeastBakeRate = 30;

/// Where a clip lies among the rows. Row r of its `steps` + 1 shows the moment `r / steps` of the duration.
struct BakedClip {
  int first_row = 0;
  int steps = 0;       ///< 0: one row that never changes
  float duration = 0;  ///< seconds
};

/// Matrices of all moments. A row holds the skin matrices of every skin, then the world matrix of every part that hangs
/// on a node; each matrix is its first three rows, in three vec4.
struct BakedPalettes {
  int matrices = 0;  ///< per row
  int rows = 0;
  std::vector<int> skin_offset;   ///< per skin: its first matrix
  std::vector<int> part_matrix;   ///< per part: its matrix, or -1 where it follows its skin
  std::vector<BakedClip> clips;   ///< as asked for
  std::vector<glm::vec4> texels;  ///< [rows * matrices * 3]

  [[nodiscard]] std::int64_t bytes_per_row() const { return std::int64_t{48} * matrices; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_per_row() * rows; }
};

/// Bakes clips at `rate` frames per second or a little more, so that steps divide the duration.
/// @param clips  indices; -1 is the rest pose
/// @pre  rate > 0
BakedPalettes bake_palettes(const rig::Character& character, std::span<const int> clips, float rate = kLeastBakeRate);

/// The matrices at a moment, as the shader makes them: linear between the two rows next to it.
/// @param phase  of the duration; whole numbers are the same moment
/// @param out    [matrices]
void sample_palettes(const BakedPalettes& baked, int clip, float phase, std::span<glm::mat4> out);

/// Where the shader looks: two rows and the share of the second.
struct BakedMoment {
  int row0 = 0;
  int row1 = 0;
  float share = 0;
};
BakedMoment moment_of(const BakedClip& clip, float phase);

/// The same in half precision, as a texture of 16-bit floats would hold it.
BakedPalettes in_half_precision(const BakedPalettes& baked);

/// Largest distance, metres, between vertices placed by the rows of two bakes of one character. Steps over rows where
/// there are very many, never over vertices.
double largest_distance(const rig::Character& character, const BakedPalettes& a, const BakedPalettes& b);

/// One character of the crowd.
struct CrowdInstance {
  glm::mat4 world = glm::mat4(1.0f);  ///< places the character's own world
  int clip = 0;                       ///< of BakedPalettes::clips
  float phase = 0;                    ///< of the clip's duration at time 0
  float speed = 1;
  glm::vec3 tint = glm::vec3(1.0f);  ///< linear, multiplies the base colour
};

/// `count` instances on a square lattice in the plane y = 0, the first at the origin and unchanged (phase 0, speed 1,
/// no tint), the others with phases, small turns and tints that depend on the index alone; all at the clip's own speed,
/// so that a loop of the clip is one of the crowd.
/// @param bounds  of the character, which decides the spacing
std::vector<CrowdInstance> arrange_crowd(int count, int clip_count, const Bounds& bounds);

/// The box of everybody in arrange_crowd() at rest, world. Empty where the character has no geometry.
Bounds crowd_bounds(const rig::Character& character, int count);

/// The phase of an instance at `time` seconds, in 0..1.
float phase_at(const CrowdInstance& instance, const BakedClip& clip, double time);

/// Instances whose ball is at least partly inside the view volume, in ascending order.
/// @param ball  centre and radius of all that the character ever covers, its own world
std::vector<int> visible_instances(std::span<const CrowdInstance> instances, const glm::vec4& ball,
                                   const glm::mat4& clip_from_world);

/// Level of detail by distance: the number of limits that the instance is beyond. @param limits  ascending, metres
int detail_level(const CrowdInstance& instance, const glm::vec3& eye, std::span<const float> limits);

}  // namespace pelt::deform
