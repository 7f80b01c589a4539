#include "edit/selection.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/index.h"
#include "edit/hiding.h"

namespace pelt::edit {
namespace {

// Keeps the last of equal joints where `last` says so, else the first.
std::vector<int> each_once(std::vector<int> joints) {
  std::vector<int> out;
  std::vector<int> seen;
  for (const int joint : joints) {
    const auto place = std::ranges::lower_bound(seen, joint);
    if (place == seen.end() || *place != joint) {
      seen.insert(place, joint);
      out.push_back(joint);
    }
  }
  return out;
}

using Vertices = std::vector<std::uint32_t>;

Vertices combined_vertices(const Vertices& selected, const Vertices& picked, SelectBy by) {
  Vertices out;
  switch (by) {
    case SelectBy::kReplace:
      return picked;
    case SelectBy::kAdd:
      std::ranges::set_union(selected, picked, std::back_inserter(out));
      break;
    case SelectBy::kToggle:
      std::ranges::set_symmetric_difference(selected, picked, std::back_inserter(out));
      break;
  }
  return out;
}

// The parts of one node that share a mesh, with what of them is selected, by places of the mesh's surface.
struct NodeSelection {
  std::vector<int> parts;    ///< of each primitive, -1: none
  std::vector<char> places;  ///< [W]
  std::vector<char> unseen;  ///< [W] all of its vertices are hidden; empty: none are
  const mesh::WeldedSurface* surface = nullptr;
};

NodeSelection node_selection(const rig::Character& character, const rig::MeshNode& node,
                             const mesh::WeldedSurface& surface, const VertexSelection& selection) {
  NodeSelection out;
  out.surface = &surface;
  out.parts.assign(surface.sources.size(), -1);
  out.places.assign(surface.place_count(), 0);
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const rig::Part& part = character.parts[p];
    if (part.joint == node.joint && part.mesh == node.mesh) {
      out.parts[part.primitive] = static_cast<int>(p);
    }
  }
  for (std::size_t primitive = 0; primitive < out.parts.size(); ++primitive) {
    const auto found = std::ranges::find(selection, out.parts[primitive], &PartVertices::part);
    if (out.parts[primitive] < 0 || found == selection.end()) {
      continue;
    }
    for (const std::uint32_t v : found->vertices) {
      out.places[surface.place[surface.first[primitive] + v]] = 1;
    }
  }
  return out;
}

// Sets what is out of sight, and lets go of it.
void leave_out_hidden(NodeSelection& of_node, const rig::Character& character, const rig::HiddenSurface& hidden) {
  const mesh::WeldedSurface& surface = *of_node.surface;
  of_node.unseen.assign(surface.place_count(), 1);
  for (std::size_t primitive = 0; primitive < of_node.parts.size(); ++primitive) {
    const int p = of_node.parts[primitive];
    if (p < 0 || hidden.hides(character.parts[p], p)) {
      continue;
    }
    const std::span<const char> vertices = hidden.vertices(p);
    for (std::uint32_t v = surface.first[primitive]; v < surface.first[primitive + 1]; ++v) {
      if (vertices.empty() || vertices[v - surface.first[primitive]] == 0) {
        of_node.unseen[surface.place[v]] = 0;
      }
    }
  }
  for (std::size_t w = 0; w < of_node.places.size(); ++w) {
    of_node.places[w] &= static_cast<char>(1 - of_node.unseen[w]);
  }
}

// Every vertex at the places that are set.
void append(const NodeSelection& from, VertexSelection& out) {
  const mesh::WeldedSurface& surface = *from.surface;
  for (std::size_t primitive = 0; primitive < from.parts.size(); ++primitive) {
    PartVertices of_part{from.parts[primitive], {}};
    for (std::uint32_t v = surface.first[primitive]; of_part.part >= 0 && v < surface.first[primitive + 1]; ++v) {
      if (from.places[surface.place[v]] != 0) {
        of_part.vertices.push_back(v - surface.first[primitive]);
      }
    }
    if (!of_part.vertices.empty()) {
      out.push_back(std::move(of_part));
    }
  }
}

template <typename Change>
VertexSelection by_places(const rig::Character& character, SurfaceCache& surfaces, const VertexSelection& selection,
                          const rig::HiddenSurface& hidden, const Change& change) {
  surfaces.follow(character);
  const bool all_seen = hidden.by_hand == nullptr && hidden.nodes.empty();
  VertexSelection out;
  for (const rig::MeshNode& node : character.mesh_nodes) {
    const bool concerned = std::ranges::any_of(selection, [&](const PartVertices& of_part) {
      const rig::Part& part = character.parts[of_part.part];
      return part.joint == node.joint && part.mesh == node.mesh;
    });
    if (concerned) {
      NodeSelection of_node = node_selection(character, node, *surfaces.of(character, node.mesh), selection);
      if (!all_seen) {
        leave_out_hidden(of_node, character, hidden);
      }
      change(of_node.surface->adjacency, of_node);
      append(of_node, out);
    }
  }
  std::ranges::sort(out, {}, &PartVertices::part);
  return all_seen ? out : shown(out, character, hidden);
}

// Of NodeSelection::places.
constexpr char kNot = 0;
constexpr char kSelected = 1;

bool is_unseen(const NodeSelection& of_node, std::size_t place) {
  return !of_node.unseen.empty() && of_node.unseen[place] != 0;
}

}  // namespace

std::size_t vertex_count(const VertexSelection& selection) {
  std::size_t count = 0;
  for (const PartVertices& part : selection) {
    count += part.vertices.size();
  }
  return count;
}

std::size_t vertex_count(const NamedVertices& vertices) {
  std::size_t count = 0;
  for (const NodeVertices& of_node : vertices) {
    count += of_node.vertices.size();
  }
  return count;
}

NamedVertices named_vertices(const rig::Character& character, const VertexSelection& selection) {
  NamedVertices out;
  for (const PartVertices& of_part : selection) {
    if (has_index(character.parts, of_part.part)) {
      const rig::Part& part = character.parts[of_part.part];
      out.push_back({part.mesh_node, part.primitive, of_part.vertices});
    }
  }
  std::ranges::sort(out, {},
                    [](const NodeVertices& of_node) { return std::pair(of_node.mesh_node, of_node.primitive); });
  keep_valid(out, character);
  return out;
}

VertexSelection shown_vertices(const rig::Character& character, const NamedVertices& vertices) {
  VertexSelection out;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const rig::Part& part = character.parts[p];
    for (const NodeVertices& of_node : vertices) {
      if (of_node.mesh_node == part.mesh_node && of_node.primitive == part.primitive) {
        out.push_back({static_cast<int>(p), of_node.vertices});
      }
    }
  }
  keep_valid(out, character);
  return out;
}

std::vector<int> combined(std::span<const int> selected, std::span<const int> picked, SelectBy by) {
  const std::vector<int> wanted = each_once({picked.begin(), picked.end()});
  if (by == SelectBy::kReplace) {
    return wanted;
  }
  std::vector<int> sorted = wanted;
  std::ranges::sort(sorted);
  std::vector<int> before = each_once({selected.begin(), selected.end()});
  std::vector<int> out;
  for (const int joint : before) {
    if (!std::ranges::binary_search(sorted, joint)) {
      out.push_back(joint);
    }
  }
  std::ranges::sort(before);
  for (const int joint : wanted) {
    if (by == SelectBy::kAdd || !std::ranges::binary_search(before, joint)) {
      out.push_back(joint);
    }
  }
  return out;
}

VertexSelection combined(const VertexSelection& selected, const VertexSelection& picked, SelectBy by) {
  VertexSelection out;
  auto a = selected.begin();
  auto b = picked.begin();
  static const Vertices kNone;
  while (a != selected.end() || b != picked.end()) {
    const bool from_a = b == picked.end() || (a != selected.end() && a->part <= b->part);
    const bool from_b = a == selected.end() || (b != picked.end() && b->part <= a->part);
    PartVertices both{from_a ? a->part : b->part,
                      combined_vertices(from_a ? a->vertices : kNone, from_b ? b->vertices : kNone, by)};
    a += from_a ? 1 : 0;
    b += from_b ? 1 : 0;
    if (!both.vertices.empty()) {
      out.push_back(std::move(both));
    }
  }
  return out;
}

std::vector<int> branch(const rig::Skeleton& skeleton, std::span<const int> joints) {
  if (joints.empty()) {
    return {};
  }
  std::vector<char> inside(skeleton.size(), 0);
  for (const int joint : joints) {
    inside[joint] = 1;
  }
  std::vector<int> out;
  for (int j = 0; j < skeleton.size(); ++j) {  // parents come first
    const int parent = skeleton.parent[j];
    inside[j] |= static_cast<char>(parent >= 0 && inside[parent] != 0);
    if (inside[j] != 0 && j != joints.back()) {
      out.push_back(j);
    }
  }
  out.push_back(joints.back());
  return out;
}

std::vector<int> chain(const rig::Skeleton& skeleton, int from, int to) {
  std::vector<int> up;
  for (int j = from; j >= 0; j = skeleton.parent[j]) {
    up.push_back(j);
    if (skeleton.is_within(to, j)) {
      std::vector<int> down;
      for (int k = to; k != j; k = skeleton.parent[k]) {
        down.push_back(k);
      }
      up.insert(up.end(), down.rbegin(), down.rend());
      return up;
    }
  }
  return {};
}

std::vector<int> above(const rig::Skeleton& skeleton, std::span<const int> joints) {
  std::vector<int> out;
  for (const int joint : joints) {
    const int parent = skeleton.parent[joint];
    out.push_back(parent >= 0 ? parent : joint);
  }
  return each_once(std::move(out));
}

std::vector<int> below(const rig::Skeleton& skeleton, std::span<const int> joints) {
  std::vector<int> carried(skeleton.size(), 1);
  for (int j = skeleton.size() - 1; j >= 0; --j) {
    if (const int parent = skeleton.parent[j]; parent >= 0) {
      carried[parent] += carried[j];
    }
  }
  std::vector<int> out;
  for (const int joint : joints) {
    int next = joint;
    int most = 0;
    for (const int child : skeleton.children(joint)) {
      if (carried[child] > most) {
        most = carried[child];
        next = child;
      }
    }
    out.push_back(next);
  }
  return each_once(std::move(out));
}

std::vector<int> mirrored(const rig::Skeleton& skeleton, std::span<const int> joints) {
  const std::vector<int> partner = rig::mirrored_joints(skeleton);
  std::vector<int> out;
  for (const int joint : joints) {
    if (partner[joint] >= 0) {
      out.push_back(partner[joint]);
    }
  }
  return each_once(std::move(out));
}

const std::shared_ptr<const mesh::WeldedSurface>& SurfaceCache::of(const rig::Character& character, int mesh) {
  std::shared_ptr<const mesh::WeldedSurface>& kept = surfaces_[mesh];
  if (kept == nullptr) {
    kept = mesh::welded_surface(character.meshes[mesh]);
  }
  return kept;
}

void SurfaceCache::follow(const rig::Character& character) {
  std::erase_if(surfaces_, [&](const auto& kept) {
    return !has_index(character.meshes, kept.first) || !mesh::is_surface_of(*kept.second, character.meshes[kept.first]);
  });
}

VertexSelection grown(const rig::Character& character, SurfaceCache& surfaces, const VertexSelection& selection,
                      const rig::HiddenSurface& hidden) {
  return by_places(character, surfaces, selection, hidden,
                   [](const mesh::Adjacency& adjacency, NodeSelection& of_node) {
                     const std::vector<char> before = of_node.places;
                     for (std::size_t w = 0; w < before.size(); ++w) {
                       for (const std::uint32_t next : adjacency.neighbors(w)) {
                         of_node.places[w] |= is_unseen(of_node, w) ? kNot : before[next];
                       }
                     }
                   });
}

VertexSelection shrunk(const rig::Character& character, SurfaceCache& surfaces, const VertexSelection& selection,
                       const rig::HiddenSurface& hidden) {
  return by_places(character, surfaces, selection, hidden,
                   [](const mesh::Adjacency& adjacency, NodeSelection& of_node) {
                     const std::vector<char> before = of_node.places;
                     for (std::size_t w = 0; w < before.size(); ++w) {
                       for (const std::uint32_t next : adjacency.neighbors(w)) {
                         of_node.places[w] &= is_unseen(of_node, next) ? kSelected : before[next];
                       }
                     }
                   });
}

VertexSelection connected(const rig::Character& character, SurfaceCache& surfaces, const VertexSelection& selection,
                          const rig::HiddenSurface& hidden) {
  return by_places(character, surfaces, selection, hidden,
                   [](const mesh::Adjacency& adjacency, NodeSelection& of_node) {
                     std::vector<char>& places = of_node.places;
                     std::vector<std::uint32_t> waiting;
                     for (std::uint32_t w = 0; w < places.size(); ++w) {
                       if (places[w] != 0) {
                         waiting.push_back(w);
                       }
                     }
                     while (!waiting.empty()) {
                       const std::uint32_t w = waiting.back();
                       waiting.pop_back();
                       for (const std::uint32_t next : adjacency.neighbors(w)) {
                         if (places[next] == 0 && !is_unseen(of_node, next)) {
                           places[next] = 1;
                           waiting.push_back(next);
                         }
                       }
                     }
                   });
}

VertexSelection at_same_places(const rig::Character& character, SurfaceCache& surfaces,
                               const VertexSelection& selection) {
  return by_places(character, surfaces, selection, {}, [](const mesh::Adjacency&, NodeSelection&) {});
}

VertexSelection with_weight(const rig::Character& character, int joint, float lower, float upper) {
  VertexSelection out;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const rig::Part& part = character.parts[p];
    if (part.skin < 0) {
      continue;
    }
    const auto& joints = character.skins[part.skin].joints;
    const mesh::Influences& influences = character.primitive(part).influences;
    PartVertices of_part{static_cast<int>(p), {}};
    for (std::size_t v = 0; v < influences.vertex_count(); ++v) {
      float weight = 0;
      const auto slots = influences.joints(v);
      const auto weights = influences.weights(v);
      for (std::size_t k = 0; k < slots.size(); ++k) {
        weight += joints[slots[k]] == joint ? weights[k] : 0.0f;
      }
      if (weight > 0 && weight >= lower && weight <= upper) {
        of_part.vertices.push_back(static_cast<std::uint32_t>(v));
      }
    }
    if (!of_part.vertices.empty()) {
      out.push_back(std::move(of_part));
    }
  }
  return out;
}

VertexSelection all_vertices(const rig::Character& character) {
  VertexSelection out;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    PartVertices of_part{static_cast<int>(p), {}};
    of_part.vertices.resize(character.primitive(character.parts[p]).vertex_count());
    for (std::size_t v = 0; v < of_part.vertices.size(); ++v) {
      of_part.vertices[v] = static_cast<std::uint32_t>(v);
    }
    if (!of_part.vertices.empty()) {
      out.push_back(std::move(of_part));
    }
  }
  return out;
}

bool is_valid(std::span<const PartVertices> selection, const rig::Character& character) {
  return std::ranges::all_of(selection, [&](const PartVertices& of_part) {
    return has_index(character.parts, of_part.part) && !of_part.vertices.empty() &&
           of_part.vertices.back() < character.primitive(character.parts[of_part.part]).vertex_count();
  });
}

const mesh::Primitive* primitive_at(const rig::Character& character, const NodeVertices& where) {
  if (!has_index(character.mesh_nodes, where.mesh_node)) {
    return nullptr;
  }
  const auto& primitives = character.meshes[character.mesh_nodes[where.mesh_node].mesh].primitives;
  return has_index(primitives, where.primitive) ? &primitives[where.primitive] : nullptr;
}

void keep_valid(VertexSelection& selection, const rig::Character& character) {
  for (PartVertices& of_part : selection) {
    const std::size_t part = of_part.part;
    const std::size_t count =
        part < character.parts.size() ? character.primitive(character.parts[part]).vertex_count() : 0;
    std::erase_if(of_part.vertices, [&](std::uint32_t v) { return v >= count; });
  }
  std::erase_if(selection, [](const PartVertices& of_part) { return of_part.vertices.empty(); });
}

void keep_valid(NamedVertices& vertices, const rig::Character& character) {
  for (NodeVertices& of_node : vertices) {
    const mesh::Primitive* const primitive = primitive_at(character, of_node);
    const std::size_t count = primitive != nullptr ? primitive->vertex_count() : 0;
    std::erase_if(of_node.vertices, [&](std::uint32_t v) { return v >= count; });
  }
  std::erase_if(vertices, [](const NodeVertices& of_node) { return of_node.vertices.empty(); });
}

}  // namespace pelt::edit
