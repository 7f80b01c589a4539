#pragma once

#include <span>
#include <vector>

#include "core/result.h"
#include "rig/character.h"

namespace pelt::rig {

// What `pelt convert` does to a character before it is written. Nodes keep their numbers; what is added comes last.

/// Each vertex with its `limit` heaviest influences of at least `threshold`, renormalised (ALGORITHMS.md §16).
/// @param limit            0 for all
/// @param largest_dropped  if given, receives the largest sum of weights that a vertex lost
/// @pre  limit >= 0
Character with_influence_limit(const Character& character, int limit, float threshold = 0,
                               float* largest_dropped = nullptr);

/// Skins without the joints for which no vertex has weight. Those remain as nodes, so whatever hangs on them or refers
/// to them does not notice. Skins that share a mesh lose the same slots; one that carries no mesh keeps all. Deformed
/// positions are the same to the bit.
Character without_unused_joints(const Character& character);

/// The character with `pose` as its rest pose, morph weights included. Mesh, inverse bind matrices and clips stay, so
/// that every pose that says where all joints are deforms as before.
/// @pre  the pose is of this character
Character with_rest_pose(const Character& character, const Pose& pose);

/// The character bound anew in a pose: the shape that linear blending gives there becomes the bind shape, and inverse
/// bind matrices become the inverses of the pose's world matrices, so that all skin matrices of that pose are the
/// identity. The pose looks the same under linear blending (C8.1), other methods show the new bind shape there, too. So
/// does every other pose where this one and the bind pose were the same already, or differed by one motion of all
/// joints; elsewhere the blend of two motions is not the motion of the blend. Morph targets are carried along. A mesh
/// that hangs on several skins is copied for each that is bound anew. The rest pose stays what it was.
/// @param pose  of this character
/// @param skin  the one to bind, -1 for all
/// Fails where a joint with weight has no inverse in the pose.
Result<Character> bound_in_pose(const Character& character, const Pose& pose, int skin = -1);

/// Why bound_in_pose() would fail; done where it would not. Cheap unless some joint has no inverse.
/// @param world  [J] world matrices of the pose
Status can_be_bound(const Character& character, std::span<const glm::mat4> world, int skin = -1);

/// The same in the character's rest pose, for all skins.
Result<Character> bound_in_rest_pose(const Character& character);

struct Conversion {
  int influence_limit = 0;     ///< 0: all
  float prune_threshold = 0;   ///< weights below it are dropped
  bool bake_pose = false;      ///< with_rest_pose()
  bool rebuild_binds = false;  ///< bound_in_rest_pose()
  bool strip_joints = false;   ///< without_unused_joints()
};

/// The steps that are asked for, in the order in which they depend on each other: pose, binding, influences, joints.
/// @param pose             of this character, for bake_pose
/// @param largest_dropped  as in with_influence_limit()
Result<Character> converted(const Character& character, const Conversion& conversion, const Pose& pose,
                            float* largest_dropped = nullptr);

/// A character whose used meshes lie between 0 and 1, ready for positions in 16 bits, and what says so.
struct OnUnitGrid {
  Character character;
  std::vector<char> mesh_is_on_it;  ///< [meshes] coordinates are from 0 to 1 and morph deltas from -1 to 1
};

/// Moves and scales meshes alike along all axes into the unit box. What undoes it goes into the inverse bind matrices
/// of skins, whose meshes share one box, and into a new node below the one that carries a mesh without a skin, or into
/// the place of an instance. Deformed positions move by rounding of single precision only. Skinned meshes with vertices
/// that follow no joint stay as they are, since nothing would bring those back.
OnUnitGrid on_unit_grid(const Character& character);

}  // namespace pelt::rig
