#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <glm/glm.hpp>

#include "core/shared.h"
#include "edit/pose_library.h"
#include "rig/character.h"

namespace pelt::mesh {
struct WeldedSurface;
}

namespace pelt::edit {

struct Content;
struct View;
struct Remap;

/// A pose in which the skin is to stay as it was when the pose was kept: pulls in other poses solve for it, too
/// (ALGORITHMS.md §40).
struct KeptPose {
  Shared<StoredPose> pose;  ///< of all joints that there were
  /// Where linear blend skinning without morph targets put the vertices, by mesh: [V] of its primitives one after the
  /// other, world, metres. Of meshes that hang on a skin.
  std::map<int, SharedArray<glm::vec3>> places = {};
  bool operator==(const KeptPose&) const = default;
};
/// Of a document.
inline constexpr std::size_t kMostKeptPoses = 16;
/// In the order in which they were kept.
using KeptPoses = SharedList<KeptPose>;

/// Keeps the pose that is seen, with where it puts every skin. A pose with a number that is not finite is not kept.
struct KeepPose {
  int index = -1;  ///< of the kept pose in whose place and under whose name; -1: a further one, "Pose 3"
};
/// Keeps one no longer.
struct ForgetPose {
  int index = 0;
};

/// [J] The world matrices of a kept pose; joints that came later are at rest.
std::vector<glm::mat4> world_of(const KeptPose& kept, const rig::Character& character);

/// Where places of a mesh were when the pose was kept, world; empty where the mesh was no skin's then.
/// @param surface  the mesh's @param places  of it
std::vector<glm::vec3> places_then(const KeptPose& kept, int mesh, const mesh::WeldedSurface& surface,
                                   std::span<const std::uint32_t> places);

/// The positions of all vertices of a mesh as a short hash, which says whether places of it still mean something.
std::string positions_hash(const mesh::Mesh& mesh);

/// Those of joints that are still there with the parents that they had, and of meshes with the vertices that they had
/// where they had them. Of the others one phrase each is added to `lost`.
KeptPoses remapped(const Remap& numbers, const KeptPoses& kept, const rig::Character& before,
                   const rig::Character& after, std::vector<std::string>* lost);

/// Bytes that `kept` holds and does not share with `neighbour`.
std::size_t exclusive_bytes(const KeptPoses& kept, const KeptPoses& neighbour);

std::string label(const Document& document, const KeepPose& change);
void carry_out(const Document& document, const KeepPose& change, Content& content, View& view);
std::string refusal(const Document& document, const KeepPose& change);
std::string label(const Document& document, const ForgetPose& change);
void carry_out(const Document& document, const ForgetPose& change, Content& content, View& view);

}  // namespace pelt::edit
