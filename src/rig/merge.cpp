#include "rig/merge.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace pelt::rig {
namespace {

template <typename T>
bool same(const Shared<T>& a, const Shared<T>& b) {
  return a.is(b);
}
template <typename T>
bool same(const SharedArray<T>& a, const SharedArray<T>& b) {
  return a.is(b);
}
template <typename T>
bool same(const SharedList<T>& a, const SharedList<T>& b) {
  return a.is(b);
}
template <typename T>
bool same(const T& a, const T& b) {
  return a == b;
}

/// What both sides make of the parts of a base, and the first part that both changed.
struct Merge {
  std::string conflict;  ///< empty: none so far
  int taken = 0;         ///< parts of the result

  void refuse(std::string part) {
    if (conflict.empty()) {
      conflict = std::move(part);
    }
  }

  /// @param into  the part as it is now
  template <typename T>
  void part(const T& base, const T& result, T& into, const std::string& name) {
    if (same(result, base) || same(result, into)) {
      return;
    }
    if (same(into, base)) {
      into = result;
      ++taken;
    } else {
      refuse(name);
    }
  }

  /// Item by item where all three have as many. @param item  of a base, a result and one to be changed
  template <typename T, typename Item>
  void list(const SharedList<T>& base, const SharedList<T>& result, SharedList<T>& into, const std::string& name,
            const Item& item) {
    if (result.is(base) || result.is(into)) {
      return;
    }
    if (into.is(base)) {
      into = result;
      ++taken;
      return;
    }
    if (base.size() != result.size() || base.size() != into.size()) {
      refuse(name);
      return;
    }
    for (std::size_t i = 0; i < base.size(); ++i) {
      if (result.shared(i).is(base.shared(i)) || result.shared(i).is(into.shared(i))) {
        continue;
      }
      if (into.shared(i).is(base.shared(i))) {
        into.edit_items()[i] = result.shared(i);
        ++taken;
      } else {
        item(base[i], result[i], into.edit(i), fmt::format("{} {}", name, i));
      }
    }
  }
  template <typename T>
  void whole_items(const SharedList<T>& base, const SharedList<T>& result, SharedList<T>& into,
                   const std::string& name) {
    list(base, result, into, name, [this](const T&, const T&, T&, const std::string& which) { refuse(which); });
  }

  /// Block by block: a stroke here and a solver's result there are both kept.
  void weights(const Shared<mesh::Influences>& base, const Shared<mesh::Influences>& result,
               Shared<mesh::Influences>& into, const std::string& name) {
    const std::size_t blocks = base->block_count();
    const bool apart = base->vertex_count() == result->vertex_count() && base->vertex_count() == into->vertex_count();
    if (!apart || result.is(base) || result.is(into) || into.is(base)) {
      part(base, result, into, name);
      return;
    }
    for (std::size_t b = 0; b < blocks; ++b) {
      const Shared<mesh::Influences::Block>& made = result->blocks()[b];
      if (made.is(base->blocks()[b]) || made.is(into->blocks()[b])) {
        continue;
      }
      if (into->blocks()[b].is(base->blocks()[b])) {
        into.edit().put_block(b, made);
        ++taken;
      } else {
        const std::size_t first = b * mesh::Influences::kBlockRows;
        refuse(fmt::format("{} of vertices {} to {}", name, first, first + made->row_count() - 1));
      }
    }
  }

  void morph_target(const mesh::MorphTarget& base, const mesh::MorphTarget& result, mesh::MorphTarget& into,
                    const std::string& name) {
    part(base.name, result.name, into.name, name + ": name");
    part(base.position_deltas, result.position_deltas, into.position_deltas, name + ": position deltas");
    part(base.normal_deltas, result.normal_deltas, into.normal_deltas, name + ": normal deltas");
    part(base.tangent_deltas, result.tangent_deltas, into.tangent_deltas, name + ": tangent deltas");
    part(base.kept, result.kept, into.kept, name + ": other attributes");
  }

  void primitive(const mesh::Primitive& base, const mesh::Primitive& result, mesh::Primitive& into,
                 const std::string& name) {
    if (base.vertex_count() != result.vertex_count() || base.vertex_count() != into.vertex_count()) {
      refuse(name + ": vertices");
      return;
    }
    part(base.topology, result.topology, into.topology, name + ": topology");
    part(base.indices, result.indices, into.indices, name + ": triangles");
    part(base.positions, result.positions, into.positions, name + ": positions");
    part(base.normals, result.normals, into.normals, name + ": normals");
    part(base.tangents, result.tangents, into.tangents, name + ": tangents");
    for (std::size_t set = 0; set < std::size(base.texcoords); ++set) {
      part(base.texcoords[set], result.texcoords[set], into.texcoords[set],
           fmt::format("{}: texture coordinates {}", name, set));
    }
    part(base.colors, result.colors, into.colors, name + ": colours");
    weights(base.influences, result.influences, into.influences, name + ": weights");
    list(base.morph_targets, result.morph_targets, into.morph_targets, name + ": morph target",
         [this](const auto& b, const auto& r, auto& i, const std::string& which) { morph_target(b, r, i, which); });
    part(base.kept, result.kept, into.kept, name + ": other attributes");
    part(base.material, result.material, into.material, name + ": material");
    part(base.variant_materials, result.variant_materials, into.variant_materials, name + ": materials of variants");
    part(base.cage, result.cage, into.cage, name + ": control points");
    part(base.cage_rows, result.cage_rows, into.cage_rows, name + ": sums of control points");
  }

  void mesh_of(const mesh::Mesh& base, const mesh::Mesh& result, mesh::Mesh& into, const std::string& name) {
    part(base.name, result.name, into.name, name + ": name");
    list(base.primitives, result.primitives, into.primitives, name + ": primitive",
         [this](const auto& b, const auto& r, auto& i, const std::string& which) { primitive(b, r, i, which); });
    part(base.morph_names, result.morph_names, into.morph_names, name + ": names of morph targets");
    part(base.morph_weights, result.morph_weights, into.morph_weights, name + ": morph weights");
  }

  void character(const Character& base, const Character& result, Character& into) {
    part(base.name, result.name, into.name, "name");
    part(base.skeleton, result.skeleton, into.skeleton, "skeleton");
    whole_items(base.skins, result.skins, into.skins, "skin");
    list(base.meshes, result.meshes, into.meshes, "mesh",
         [this](const auto& b, const auto& r, auto& i, const std::string& which) { mesh_of(b, r, i, which); });
    part(base.mesh_nodes, result.mesh_nodes, into.mesh_nodes, "nodes with meshes");
    part(base.instances, result.instances, into.instances, "instances");
    part(base.materials, result.materials, into.materials, "materials");
    part(base.textures, result.textures, into.textures, "textures");
    whole_items(base.images, result.images, into.images, "image");
    whole_items(base.clips, result.clips, into.clips, "clip");
    part(base.cameras, result.cameras, into.cameras, "cameras");
    part(base.lights, result.lights, into.lights, "lights");
    part(base.spare_cameras, result.spare_cameras, into.spare_cameras, "cameras without a node");
    part(base.spare_lights, result.spare_lights, into.spare_lights, "lights without a node");
    part(base.scenes, result.scenes, into.scenes, "scenes");
    part(base.scene, result.scene, into.scene, "scene shown");
    part(base.variants, result.variants, into.variants, "variants");
    part(base.node_hidden, result.node_hidden, into.node_hidden, "visibility of nodes");
    part(base.humanoid, result.humanoid, into.humanoid, "roles of joints");
    part(base.vrm, result.vrm, into.vrm, "version of VRM");
    part(base.constraints, result.constraints, into.constraints, "constraints");
    part(base.spring_bones, result.spring_bones, into.spring_bones, "spring bones");
    part(base.spring_colliders, result.spring_colliders, into.spring_colliders, "colliders of spring bones");
    part(base.extensions_used, result.extensions_used, into.extensions_used, "extensions used");
    part(base.extensions_required, result.extensions_required, into.extensions_required, "extensions required");
    part(base.generator, result.generator, into.generator, "generator");
    part(base.copyright, result.copyright, into.copyright, "copyright");
    part(base.kept, result.kept, into.kept, "data kept for the file");
    part(base.parts, result.parts, into.parts, "parts");
    part(base.morph_offset, result.morph_offset, into.morph_offset, "places of morph weights");
  }
};

// Whether indices into one mean in the other what they meant.
bool same_places(const Character& a, const Character& b) {
  if (a.skeleton->parent != b.skeleton->parent || a.skins.size() != b.skins.size() ||
      a.meshes.size() != b.meshes.size() || a.clips.size() != b.clips.size()) {
    return false;
  }
  for (std::size_t s = 0; s < a.skins.size(); ++s) {
    if (a.skins[s].joints != b.skins[s].joints) {
      return false;
    }
  }
  return true;
}

bool says_the_same(const Diagnostics& a, const Diagnostics& b) {
  return std::ranges::equal(a, b, [](const Diagnostic& one, const Diagnostic& other) {
    return one.code == other.code && one.place == other.place && one.message == other.message &&
           one.vertices == other.vertices;
  });
}

bool differs(const Character& base, const Character& other) {
  Merge merge;
  Character taken = base;
  merge.character(base, other, taken);
  return merge.taken > 0;
}

}  // namespace

Result<Character> merged(const Character& base, const Character& result, const Character& now) {
  if ((!same_places(base, result) && differs(base, now)) || (!same_places(base, now) && differs(base, result))) {
    return error("joints, skins, meshes or clips came or went while other parts were changed");
  }
  Merge merge;
  Character character = now;
  merge.character(base, result, character);
  if (!merge.conflict.empty()) {
    return error("{}: changed by both", merge.conflict);
  }
  if (says_the_same(now.diagnostics, base.diagnostics)) {
    character.diagnostics = result.diagnostics;  // what was mended is not said any more
  }
  return character;
}

}  // namespace pelt::rig
