#pragma once

// Internal to the importer: what the steps of reading a mesh share.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gltf/reader.h"

namespace pelt::gltf {

/// What the nodes make of a mesh.
struct MeshUse {
  int skin = -1;  ///< of all skins it hangs on, the one with the fewest joints
  std::set<int> skins;
};

/// A set of joint indices that costs what is in it.
struct JointSet {
  std::vector<char> has = std::vector<char>(std::numeric_limits<std::uint16_t>::max() + std::size_t{1}, 0);
  std::vector<std::uint16_t> members;

  void add(std::uint16_t joint) {
    if (has[joint] == 0) {
      has[joint] = 1;
      members.push_back(joint);
    }
  }
  void clear() {
    for (const std::uint16_t joint : members) {
      has[joint] = 0;
    }
    members.clear();
  }
};

/// The primitive that is being read.
struct PrimitiveContext {
  Reader& reader;
  const MeshUse& use;
  JointSet& used;     ///< by any vertex of the mesh
  std::string place;  ///< "mesh 2, primitive 0"
};

/// Vertices with one fault.
struct OddVertices {
  std::size_t count = 0;
  std::vector<std::uint32_t> listed;  ///< ascending, the first kMostListedVertices
  std::size_t last = std::numeric_limits<std::size_t>::max();

  void add(std::size_t v) {
    if (last == v) {
      return;
    }
    last = v;
    ++count;
    if (listed.size() < kMostListedVertices) {
      listed.push_back(static_cast<std::uint32_t>(v));
    }
  }
  /// Those of vertices that come after these.
  void add(const OddVertices& later) {
    count += later.count;
    const std::size_t some = std::min(later.listed.size(), kMostListedVertices - listed.size());
    listed.insert(listed.end(), later.listed.begin(), later.listed.begin() + static_cast<std::ptrdiff_t>(some));
  }
};

/// Where a primitive's attribute is stored, -1 where it has none.
inline int find_attribute(const std::map<std::string, int>& attributes, const std::string& name) {
  const auto entry = attributes.find(name);
  return entry == attributes.end() ? -1 : entry->second;
}

inline Status check_count(std::size_t count, std::size_t vertex_count) {
  if (count != vertex_count) {
    return error("expected {} elements, one per vertex, got {}", vertex_count, count);
  }
  return {};
}

/// Whether a primitive has an attribute that a morph target can move, kept ones aside.
bool has_attribute(const mesh::Primitive& primitive, std::string_view name);

/// Remarks on sets from `next` on. They are numbered without gaps, also where they are written.
void report_gap(PrimitiveContext& context, const tinygltf::Primitive& from, std::string_view prefix, int next);

// import_influences.cpp

/// Fills out.influences where a node gives the mesh a skin. @pre positions are read
Status read_influences(PrimitiveContext& context, const tinygltf::Primitive& from, mesh::Primitive& out);

// import_cages.cpp

/// Fills out.cage and out.cage_rows where the extras hold the control points of a NURBS surface whose vertices these
/// are, and takes them from what is kept. Where they hold others a diagnostic says why not. @pre everything else is
/// read
/// @param pointer  JSON pointer of the primitive in the file
void read_cage(PrimitiveContext& context, const tinygltf::Primitive& from, const std::string& pointer,
               mesh::Primitive& out);

// import_kept_attributes.cpp

/// What the file's makers alone understand, sets that nothing here shows, and what has no meaning without something
/// else that is not there.
/// @pre positions, normals, tangents and colours are read
void keep_attributes(PrimitiveContext& context, const tinygltf::Primitive& from, mesh::Primitive& out);

/// The targets of each attribute that nothing can move.
using LostDeltas = std::map<std::string, std::vector<std::size_t>>;
/// Keeps what a morph target moves that nothing here does.
/// @param lost  receives the targets of each attribute that nothing can move
void keep_deltas(PrimitiveContext& context, const tinygltf::Primitive& from, std::size_t i,
                 const mesh::Primitive& primitive, mesh::MorphTarget& out, LostDeltas& lost);
/// Remarks on them, one for each attribute.
void report_lost_deltas(PrimitiveContext& context, const LostDeltas& lost);

}  // namespace pelt::gltf
