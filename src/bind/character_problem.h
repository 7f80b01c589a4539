#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <glm/glm.hpp>

#include "bind/binding.h"
#include "bind/joint_volumes.h"
#include "bind/problem.h"
#include "core/result.h"
#include "rig/character.h"

namespace pelt::bind {

/// What of a character is to be bound to what.
struct Request {
  std::vector<int> joints = {};  ///< those that deform, skeleton indices; empty: proposed_joints()
  /// Empty: those that hang on a skin, or all where none does, but for those of why_not_bound().
  std::vector<int> meshes = {};
  /// One segment to the mean of the child bones' pivots instead of one to each.
  bool mean_tails = false;
  /// [J] of the skeleton, joint to world: the surface as it stands in this pose, by today's weights blended linearly,
  /// and the bones as they lie there are what is bound. Empty: as the skin was bound, which a pose without bends is as
  /// well.
  std::vector<glm::mat4> pose = {};
  std::vector<JointVolume> volumes = {};  ///< made by hand, by ascending joint; of joints that do not deform: no matter
};

/// Why a mesh cannot be bound, as a sentence that names it and its nodes, without the full stop; empty where it can.
/// Its vertices have one list of weights: nodes without a skin that stand at different places at rest cannot be held by
/// one skin, and skins that list other joints read other bones from it. Nodes without a skin beside some with one do
/// not count, they stay as they are.
std::string why_not_bound(const rig::Character& character, int mesh);

/// A problem and the way back to the character.
///
/// Its space is the mesh space of the first skin at bind (I its inverse binds; another skin k's vertices go there by
/// `I_0^-1 I_k` of a common joint), or the world at rest where nothing is skinned.
struct CharacterProblem {
  struct Part {
    int mesh = -1;
    int primitive = -1;
    std::size_t first = 0;  ///< where its vertices begin in `place`
  };
  Problem problem;
  std::vector<Part> parts;
  std::vector<std::uint32_t> place;         ///< [V] of the vertices of all parts: which place they are at
  std::vector<std::string> names;           ///< [B] of the bones
  std::vector<glm::dmat4> bind_from_joint;  ///< [J] of the skeleton: joint to the problem's space, as bound
  std::vector<glm::dmat4> bind_from_mesh;   ///< [meshes], of those that are bound
  bool is_posed = false;                    ///< places and bones are those of Request::pose
};

/// Vertices nearer than a millionth of the longest side are at one place. Bones: a pivot is where the inverse bind
/// matrix has it; tails are the pivots of the bones below it that lie farther off than a thousandth of the diagonal (of
/// the joints in between, where no bone does); a leaf goes on as far again as the pivot above it is off; where
/// children cancel each other or nothing tells, a stub of 0.02 diagonals in +y. Published comparisons were made with
/// mean tails and leaves of this length: at half of it, no head is bound as they say.
/// Fails, naming it, on an index out of range, on no joint or no vertex to bind, on a mesh asked for of which
/// why_not_bound() says something; in a pose that bends something, on a mesh that has no weights to follow it.
Result<CharacterProblem> make_problem(const rig::Character& character, const Request& request);

/// A surface in the world.
struct WorldSurface {
  std::vector<glm::dvec3> positions;
  std::vector<std::array<std::uint32_t, 3>> triangles;
};
/// The triangles of a character as it stands at rest, by all of its nodes. @param mesh  of this one alone; -1: of all
WorldSurface rest_surface(const rig::Character& character, int mesh = -1);

/// A surface as the volume of a joint: it hangs on it as it lies beside the joint at rest, both in the world, metres.
/// Fails as make_volume_shape() does, and where the problem has no bone of the joint.
Result<JointVolume> volume_of_surface(std::string name, WorldSurface surface, const rig::Character& character,
                                      const CharacterProblem& problem, int joint);

}  // namespace pelt::bind
