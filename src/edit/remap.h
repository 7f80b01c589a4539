#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "edit/content.h"

namespace pelt::edit {

/// Numbers of things of one character by those of another that came before it: another version of its file, or one with
/// joints that came, went or have other names. -1: gone. No two joints, shapes, clips, parts or variants become one.
/// Whatever holds such numbers has one function remap().
struct Remap {
  std::vector<int> joints = {};  ///< [J]
  std::vector<int> morphs = {};  ///< flat, see Character::morph_offset
  std::vector<int> clips = {};
  std::vector<int> skins = {};
  std::vector<int> meshes = {};
  std::vector<int> parts = {};           ///< a part of the same node and primitive
  std::vector<char> same_vertices = {};  ///< [parts] whether a vertex of the part has the number that it had
  std::vector<int> mesh_nodes = {};      ///< of Character::mesh_nodes
  std::vector<int> variants = {};
  bool operator==(const Remap&) const = default;
};

/// Whether a vertex of one has the same number in the other: two states of one primitive, of which editing shares the
/// indices unless it gives vertices other numbers.
bool has_same_vertices(const mesh::Primitive& before, const mesh::Primitive& after);

/// The number that `index` has now; -1 stays -1. @pre index < numbers.size()
int remapped(std::span<const int> numbers, int index);
/// Joints that are still there, in their order.
std::vector<int> remapped(const Remap& numbers, std::span<const int> joints);
/// Vertices of parts that are still there with the vertices that they had.
VertexSelection remapped(const Remap& numbers, const VertexSelection& vertices);
/// Vertices of nodes that are still there with the vertices that they had.
NamedVertices remapped(const Remap& numbers, const NamedVertices& vertices, const rig::Character& before,
                       const rig::Character& after);
/// Leaves of a stored pose the joints and shapes that are still there. @returns whether all are
bool remap(StoredPose& pose, const Remap& numbers);
/// Stored poses of joints and shapes that are still there. Of the others one phrase each is added to `lost`.
PoseLibrary remapped(const Remap& numbers, const PoseLibrary& library, std::vector<std::string>* lost);
/// Nothing changes.
Remap identity(const rig::Character& character);
/// First one, then the other. @pre  `then` begins where `first` ends
Remap composed(const Remap& first, const Remap& then);

/// For each joint of `before` the joint of `after` that is the same one by name, -1 where there is none: the one of the
/// same index where that has the name, else the only one of that name, which goes to the first of several that ask for
/// it. Joints without a name keep their index where that one has no name either.
std::vector<int> matching_joints(const rig::Skeleton& before, const rig::Skeleton& after);
/// The same for joints that may have been renamed since they were read: by the names that their file gives them, and
/// those not found so by their own where no other has it.
std::vector<int> matching_joints(const rig::Skeleton& before, const rig::Skeleton& file, const rig::Skeleton& after);

/// What is the same by names in two characters: joints as matching_joints(); morph targets, meshes, skins and parts by
/// the node that they hang on, clips and variants by their own name. Of one name are those of one place, the others in
/// their order, each its own: a second one whose name is there once is gone.
/// @param file  what `before` was read as, whose names `after` is expected to have
Remap matching(const rig::Character& before, const rig::Character& file, const rig::Character& after);

/// What is done to a character goes over to another one. Of what is gone, or would take a place that is taken, one
/// phrase each is added to `lost`: "the pose of hand_l". The sliders of a joint whose DOFs are others are read off its
/// transform, which is the truth.
/// @param after  what the numbers are of, finished
Content remap(const Content& content, const Remap& numbers, std::shared_ptr<const rig::Character> after,
              std::vector<std::string>* lost = nullptr);
void remap(View& view, const Remap& numbers);

}  // namespace pelt::edit
