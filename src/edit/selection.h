#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "mesh/welded_surface.h"
#include "rig/character.h"
#include "rig/hiding.h"

namespace pelt::edit {

/// Selected vertices of one part of a character.
struct PartVertices {
  int part = 0;
  std::vector<std::uint32_t> vertices;  ///< ascending, each once
  bool operator==(const PartVertices&) const = default;
};
/// Of all parts: ascending, each once, none without a vertex.
using VertexSelection = std::vector<PartVertices>;
std::size_t vertex_count(const VertexSelection& selection);

/// Vertices of one primitive of a node that carries a mesh. Unlike the numbers of parts, which are those of the scene
/// that is shown, these mean the same in every scene.
struct NodeVertices {
  int mesh_node = 0;  ///< of Character::mesh_nodes
  int primitive = 0;
  std::vector<std::uint32_t> vertices;  ///< ascending, each once
  bool operator==(const NodeVertices&) const = default;
};
/// Ascending by node and primitive, each once, none without a vertex.
using NamedVertices = std::vector<NodeVertices>;
std::size_t vertex_count(const NamedVertices& vertices);
/// Of the scene that is shown; what the character does not have is left out.
NamedVertices named_vertices(const rig::Character& character, const VertexSelection& selection);
/// Those of them that the scene shows; what the character does not have is left out.
VertexSelection shown_vertices(const rig::Character& character, const NamedVertices& vertices);

/// What a person selected and gave a name to.
struct NamedSelection {
  std::vector<int> joints;
  NamedVertices vertices;  ///< of the file's own surface
  bool operator==(const NamedSelection&) const = default;
};
using NamedSelections = std::map<std::string, NamedSelection>;

/// What a click or a box does to what is selected: alone, with Shift, with Ctrl.
enum class SelectBy { kReplace, kAdd, kToggle };

/// Joints in the order in which they were selected, each once; what is picked comes last, so that the last of it is the
/// active one.
std::vector<int> combined(std::span<const int> selected, std::span<const int> picked, SelectBy by);
VertexSelection combined(const VertexSelection& selected, const VertexSelection& picked, SelectBy by);

// Joints by how they hang together. Each keeps the order of what it is given, and names no joint twice.
/// With all that hangs below them; the active one stays the active one.
std::vector<int> branch(const rig::Skeleton& skeleton, std::span<const int> joints);
/// The way along bones from one joint to another, both included; nothing where they hang in different trees.
std::vector<int> chain(const rig::Skeleton& skeleton, int from, int to);
/// The joints above them; a root stays what it is.
std::vector<int> above(const rig::Skeleton& skeleton, std::span<const int> joints);
/// The child that each goes on in: the one that carries the most joints, the first of equal ones; an end stays what it
/// is.
std::vector<int> below(const rig::Skeleton& skeleton, std::span<const int> joints);
/// Those on the other side; of joints in the middle themselves. Joints without a partner are left out.
std::vector<int> mirrored(const rig::Skeleton& skeleton, std::span<const int> joints);

/// The welded surfaces of a character's meshes, kept from one question to the next while their arrays stay the same.
class SurfaceCache {
 public:
  /// @pre  the mesh is the character's
  const std::shared_ptr<const mesh::WeldedSurface>& of(const rig::Character& character, int mesh);
  /// Lets go of surfaces whose arrays the character no longer has.
  void follow(const rig::Character& character);

 private:
  std::map<int, std::shared_ptr<const mesh::WeldedSurface>> surfaces_;
};

// Vertices by how they hang together along edges, across the seams of a mesh, in all of its primitives that the same
// node carries. What is selected at a place is selected in all vertices there.
// Hidden vertices are as if they were not there: none is selected, no way leads through one, and no rim is made by one.
/// With the ring of their neighbours. @cost O(mesh)
VertexSelection grown(const rig::Character& character, SurfaceCache& surfaces, const VertexSelection& selection,
                      const rig::HiddenSurface& hidden = {});
/// Without those that have a neighbour outside. @cost O(mesh)
VertexSelection shrunk(const rig::Character& character, SurfaceCache& surfaces, const VertexSelection& selection,
                       const rig::HiddenSurface& hidden = {});
/// With all that edges lead to. @cost O(mesh)
VertexSelection connected(const rig::Character& character, SurfaceCache& surfaces, const VertexSelection& selection,
                          const rig::HiddenSurface& hidden = {});
/// With all vertices at the same places, across seams and in all primitives of their nodes. @cost O(mesh)
VertexSelection at_same_places(const rig::Character& character, SurfaceCache& surfaces,
                               const VertexSelection& selection);

/// Those that follow a joint with a weight from `lower` to `upper`, and not with none at all. @cost O(vertices)
VertexSelection with_weight(const rig::Character& character, int joint, float lower, float upper);
VertexSelection all_vertices(const rig::Character& character);

/// Where the vertices are of; null where the character has no such node or primitive.
const mesh::Primitive* primitive_at(const rig::Character& character, const NodeVertices& where);

/// Leaves out what the character does not have.
void keep_valid(VertexSelection& selection, const rig::Character& character);
/// Whether it has all of them. @cost O(parts): the last vertex of each tells
bool is_valid(std::span<const PartVertices> selection, const rig::Character& character);
void keep_valid(NamedVertices& vertices, const rig::Character& character);

}  // namespace pelt::edit
