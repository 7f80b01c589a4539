#pragma once

#include <optional>
#include <span>
#include <vector>

#include "deform/deform.h"
#include "render/camera.h"
#include "rig/character.h"
#include "rig/hiding.h"

namespace pelt::render {

struct VertexHit {
  int part;
  int vertex;  ///< nearest corner of the triangle that was hit
  int triangle;
  glm::vec3 position;  ///< of the hit, world
  float distance;      ///< along the ray, metres
};
/// First triangle of the deformed shape under the ray, from either side. Vertices that are not finite are passed over.
/// @param hidden  parts and faces that the ray passes
/// @pre deformed belongs to character  @cost O(V + T), on all threads
std::optional<VertexHit> pick_vertex(const rig::Character& character, const deform::DeformedCharacter& deformed,
                                     const Ray& ray, const rig::HiddenSurface& hidden = {});

/// Where a ray meets the plane of a triangle that is known to be seen there; nothing where it has none.
/// @param vertices  of the corners, in the part's primitive
std::optional<VertexHit> hit_on_triangle(const Ray& ray, int part, int triangle, std::span<const glm::vec3, 3> corners,
                                         std::span<const std::uint32_t, 3> vertices);

/// Radius of the ball drawn at a bone's head, in radii of the bone.
inline constexpr float kJointBallRadius = 0.55f;

/// The joint whose bone (drawn octahedron) or pivot is nearest to the cursor within `radius` pixels, in front to back
/// order; -1 where there is none. Only nodes that the skeleton overlay draws.
/// @param cursor  -1..1, y up
/// @param only    as of bones()
int pick_joint(const rig::Character& character, std::span<const glm::mat4> world, const Camera& camera,
               glm::vec2 cursor, glm::ivec2 size, float radius, std::span<const char> only = {});

/// One bone of the skeleton overlay.
struct Bone {
  int joint;
  int child;       ///< the joint at its tail; -1: a stub
  glm::vec3 head;  ///< world
  glm::vec3 tail;
  float radius;
};
/// Bones as drawn and picked: every joint to its child joints (across nodes that are none), leaves as short stubs. In a
/// file without skins: all nodes where there is no mesh, else the nodes that its clips move.
/// @param world  [J]
/// @param only   [J] or empty: the joints to draw, as rig::deforming_joints() tells them; where none is set, all. The
///               last of them still reach to their child joints
std::vector<Bone> bones(const rig::Character& character, std::span<const glm::mat4> world,
                        std::span<const char> only = {});

}  // namespace pelt::render
