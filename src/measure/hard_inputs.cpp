#include "measure/hard_inputs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "bind/rest_world.h"
#include "math/transform.h"
#include "rig/surface_variants.h"

namespace pelt::measure {
namespace {

constexpr double kFinHeight = 0.02;  // of the diagonal, as all lengths here
constexpr double kCrack = 2e-5;      // more than what welding closes
constexpr double kClothes = 0.01;
constexpr double kSpeckDistance = 0.06;
constexpr double kSpeckSize = 0.01;
constexpr std::size_t kSpecks = 13;
constexpr double kSkeletonOff = 0.12;
constexpr double kManyVertices = 110000;

// A number that looks as if it were drawn, the same for the same i.
std::uint32_t scrambled(std::uint32_t i) {
  i = (i ^ (i >> 16)) * 0x45D9F3Bu;
  i = (i ^ (i >> 16)) * 0x45D9F3Bu;
  return i ^ (i >> 16);
}

/// A skinned mesh's primitives, and how they lie at rest.
struct Placed {
  glm::dmat4 world_from_mesh = glm::dmat4(1.0);
  glm::dmat4 mesh_from_world = glm::dmat4(1.0);
};

// What lies where at rest, of all that is skinned.
struct Extent {
  std::map<int, Placed> meshes;
  glm::dvec3 lower = glm::dvec3(1e300);
  glm::dvec3 upper = glm::dvec3(-1e300);
  [[nodiscard]] double diagonal() const { return glm::length(upper - lower); }
  [[nodiscard]] double height(const glm::dvec3& p) const { return (p.y - lower.y) / (upper.y - lower.y); }
};

Extent extent_of(const rig::Character& character) {
  const std::vector<glm::dmat4> world = bind::rest_world(character);
  Extent extent;
  for (const rig::MeshNode& node : character.mesh_nodes) {
    if (node.skin < 0 || character.skins[node.skin].joints.empty() || extent.meshes.contains(node.mesh)) {
      continue;
    }
    const rig::Skin& skin = character.skins[node.skin];
    Placed placed;
    placed.world_from_mesh = world[skin.joints[0]] * glm::dmat4(skin.joint_from_mesh[0]);
    placed.mesh_from_world = glm::inverse(placed.world_from_mesh);
    for (const mesh::Primitive& primitive : character.meshes[node.mesh].primitives) {
      for (const glm::vec3& p : primitive.positions) {
        const glm::dvec3 at(placed.world_from_mesh * glm::dvec4(p, 1.0));
        extent.lower = glm::min(extent.lower, at);
        extent.upper = glm::max(extent.upper, at);
      }
    }
    extent.meshes.emplace(node.mesh, placed);
  }
  return extent;
}

// A primitive to be changed, in the world at rest.
struct Shell {
  std::vector<glm::dvec3> positions;
  std::vector<std::uint32_t> source;  // the vertex of which attributes and weights are
  std::vector<std::uint32_t> indices;

  [[nodiscard]] std::size_t triangle_count() const { return indices.size() / 3; }
  [[nodiscard]] std::array<std::uint32_t, 3> triangle(std::size_t t) const {
    return {indices[3 * t], indices[3 * t + 1], indices[3 * t + 2]};
  }
  [[nodiscard]] glm::dvec3 middle(std::size_t t) const {
    const auto [a, b, c] = triangle(t);
    return (positions[a] + positions[b] + positions[c]) / 3.0;
  }
  // Zero of a triangle without area.
  [[nodiscard]] glm::dvec3 normal(std::size_t t) const {
    const auto [a, b, c] = triangle(t);
    const glm::dvec3 cross = glm::cross(positions[b] - positions[a], positions[c] - positions[a]);
    const double length = glm::length(cross);
    return length > 0 ? cross / length : glm::dvec3(0.0);
  }
  std::uint32_t add(const glm::dvec3& position, std::uint32_t like) {
    positions.push_back(position);
    source.push_back(source[like]);
    return static_cast<std::uint32_t>(positions.size() - 1);
  }
  // [V] by area, zero where nothing tells. Vertices at one place share theirs, so that shells stay closed.
  [[nodiscard]] std::vector<glm::dvec3> vertex_normals() const {
    std::map<std::array<double, 3>, glm::dvec3> sums;
    const auto key = [&](std::uint32_t v) { return std::array{positions[v].x, positions[v].y, positions[v].z}; };
    for (std::size_t t = 0; t < triangle_count(); ++t) {
      const auto [a, b, c] = triangle(t);
      const glm::dvec3 cross = glm::cross(positions[b] - positions[a], positions[c] - positions[a]);
      for (const std::uint32_t v : {a, b, c}) {
        sums[key(v)] += cross;
      }
    }
    std::vector<glm::dvec3> normals;
    for (std::uint32_t v = 0; v < positions.size(); ++v) {
      const auto found = sums.find(key(v));
      const double length = found == sums.end() ? 0 : glm::length(found->second);
      normals.push_back(length > 0 ? found->second / length : glm::dvec3(0.0));
    }
    return normals;
  }
};

Shell shell_of(const mesh::Primitive& primitive, const Placed& placed) {
  Shell shell;
  for (std::uint32_t v = 0; v < primitive.vertex_count(); ++v) {
    shell.positions.emplace_back(placed.world_from_mesh * glm::dvec4(primitive.positions[v], 1.0));
    shell.source.push_back(v);
  }
  shell.indices = primitive.indices;
  return shell;
}

template <typename T>
void gather(SharedArray<T>& array, const std::vector<std::uint32_t>& source) {
  if (array.empty()) {
    return;
  }
  std::vector<T> out;
  out.reserve(source.size());
  for (const std::uint32_t v : source) {
    out.push_back(array[v]);
  }
  array = std::move(out);
}

void put_shell(mesh::Primitive& primitive, const Shell& shell, const Placed& placed) {
  gather(primitive.normals, shell.source);
  gather(primitive.tangents, shell.source);
  gather(primitive.texcoords[0], shell.source);
  gather(primitive.texcoords[1], shell.source);
  gather(primitive.colors, shell.source);
  mesh::Influences rows;
  for (const std::uint32_t v : shell.source) {
    rows.push_row(primitive.influences->row(v));
  }
  primitive.influences = std::move(rows);
  primitive.kept = SharedArray<mesh::KeptAttribute>();
  primitive.morph_targets = SharedList<mesh::MorphTarget>();
  primitive.drop_cage();
  std::vector<glm::vec3> positions;
  for (const glm::dvec3& p : shell.positions) {
    positions.emplace_back(placed.mesh_from_world * glm::dvec4(p, 1.0));
  }
  primitive.positions = std::move(positions);
  primitive.indices = shell.indices;
}

// Changes each skinned primitive of triangles. @param change  gets the shell and the extent of all
rig::Character with_shells(const rig::Character& character, const std::function<void(Shell&, const Extent&)>& change) {
  rig::Character out = character;
  const Extent extent = extent_of(character);
  for (const auto& [m, placed] : extent.meshes) {
    mesh::Mesh& mesh = out.meshes.edit(static_cast<std::size_t>(m));
    for (mesh::Primitive& primitive : mesh.primitives.edit_each()) {
      if (primitive.topology == mesh::Topology::kTriangles && !primitive.influences->empty()) {
        Shell shell = shell_of(primitive, placed);
        change(shell, extent);
        put_shell(primitive, shell, placed);
      }
    }
    mesh.morph_names.clear();
    mesh.morph_weights.clear();
  }
  for (rig::MeshNode& node : out.mesh_nodes.edit()) {
    if (extent.meshes.contains(node.mesh)) {
      node.morph_weights.clear();
    }
  }
  for (rig::Clip& clip : out.clips.edit_each()) {
    std::erase_if(clip.channels, [](const rig::Channel& one) { return one.path == rig::ChannelPath::kWeights; });
  }
  rig::finish(out);
  return out;
}

// Keeps the triangles for which `keep` holds.
void keep_triangles(Shell& shell, const std::function<bool(std::size_t)>& keep) {
  std::vector<std::uint32_t> kept;
  for (std::size_t t = 0; t < shell.triangle_count(); ++t) {
    if (keep(t)) {
      const auto corners = shell.triangle(t);
      kept.insert(kept.end(), corners.begin(), corners.end());
    }
  }
  shell.indices = std::move(kept);
}

Result<rig::Character> with_holes(const rig::Character& character) {
  return with_shells(character, [](Shell& shell, const Extent&) {
    keep_triangles(shell, [](std::size_t t) { return scrambled(static_cast<std::uint32_t>(t)) % 20 != 0; });
  });
}

Result<rig::Character> with_open_back(const rig::Character& character) {
  return with_shells(character, [](Shell& shell, const Extent& extent) {
    keep_triangles(shell,
                   [&](std::size_t t) { return extent.height(shell.middle(t)) < 0.5 || shell.normal(t).z > -0.3; });
  });
}

Result<rig::Character> with_fins(const rig::Character& character) {
  return with_shells(character, [](Shell& shell, const Extent& extent) {
    const std::size_t count = shell.triangle_count();
    for (std::size_t t = 0; t < count; ++t) {
      if (scrambled(static_cast<std::uint32_t>(t)) % 40 == 0) {
        const auto [a, b, c] = shell.triangle(t);
        const std::uint32_t top = shell.add(shell.middle(t) + kFinHeight * extent.diagonal() * shell.normal(t), a);
        shell.indices.insert(shell.indices.end(), {a, b, c, a, b, top});
      }
    }
  });
}

Result<rig::Character> as_soup(const rig::Character& character) {
  return with_shells(character, [](Shell& shell, const Extent&) {
    Shell soup;
    for (const std::uint32_t v : shell.indices) {
      soup.indices.push_back(static_cast<std::uint32_t>(soup.positions.size()));
      soup.positions.push_back(shell.positions[v]);
      soup.source.push_back(shell.source[v]);
    }
    // Nothing welds what lies a crack apart.
    for (std::size_t v = 0; v < soup.positions.size(); ++v) {
      const glm::dvec3 middle = soup.middle(v / 3);
      soup.positions[v] = middle + (1 - 1e-3) * (shell.positions[shell.indices[v]] - middle);
    }
    shell = std::move(soup);
  });
}

Result<rig::Character> with_cracks(const rig::Character& character) {
  return with_shells(character, [](Shell& shell, const Extent& extent) {
    for (std::uint32_t v = 0; v < shell.positions.size(); ++v) {
      const std::uint32_t bits = scrambled(v);
      const glm::dvec3 by(static_cast<double>(bits & 1023) / 511.5 - 1,
                          static_cast<double>((bits >> 10) & 1023) / 511.5 - 1,
                          static_cast<double>((bits >> 20) & 1023) / 511.5 - 1);
      shell.positions[v] += kCrack * extent.diagonal() * by;
    }
  });
}

// How far the halves of the lower part of the body are from the plane between them.
double gap_of(const rig::Character& character, const Extent& extent) {
  double gap = extent.diagonal();
  for (const auto& [m, placed] : extent.meshes) {
    for (const mesh::Primitive& primitive : character.meshes[m].primitives) {
      for (const glm::vec3& p : primitive.positions) {
        const glm::dvec3 at(placed.world_from_mesh * glm::dvec4(p, 1.0));
        if (extent.height(at) < 0.3) {
          gap = std::min(gap, std::abs(at.x - (extent.lower.x + extent.upper.x) / 2));
        }
      }
    }
  }
  return gap;
}

Result<rig::Character> with_touching_legs(const rig::Character& character) {
  const double gap = gap_of(character, extent_of(character));
  return with_shells(character, [&](Shell& shell, const Extent& extent) {
    const double middle = (extent.lower.x + extent.upper.x) / 2;
    for (glm::dvec3& p : shell.positions) {
      const double share = std::clamp((0.45 - extent.height(p)) / 0.15, 0.0, 1.0);
      const double inward = std::min(share * gap, std::abs(p.x - middle));
      p.x -= p.x > middle ? inward : -inward;
    }
  });
}

Result<rig::Character> with_clothes(const rig::Character& character) {
  return with_shells(character, [](Shell& shell, const Extent& extent) {
    const std::vector<glm::dvec3> normals = shell.vertex_normals();
    std::vector<std::uint32_t> copy(shell.positions.size(), 0);
    std::vector<char> copied(shell.positions.size(), 0);
    const std::size_t count = shell.triangle_count();
    for (std::size_t t = 0; t < count; ++t) {
      const double height = extent.height(shell.middle(t));
      if (height < 0.4 || height > 0.8) {
        continue;
      }
      for (const std::uint32_t v : shell.triangle(t)) {
        if (copied[v] == 0) {
          copied[v] = 1;
          copy[v] = shell.add(shell.positions[v] + kClothes * extent.diagonal() * normals[v], v);
        }
        shell.indices.push_back(copy[v]);
      }
    }
  });
}

void add_cube(Shell& shell, const glm::dvec3& middle, double size, std::uint32_t like) {
  std::array<std::uint32_t, 8> corner{};
  for (std::size_t k = 0; k < 8; ++k) {
    const glm::dvec3 by((k & 1) != 0 ? 0.5 : -0.5, (k & 2) != 0 ? 0.5 : -0.5, (k & 4) != 0 ? 0.5 : -0.5);
    corner[k] = shell.add(middle + size * by, like);
  }
  constexpr std::size_t kFaces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                         {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  for (const auto& face : kFaces) {
    for (const std::size_t k : face) {
      shell.indices.push_back(corner[k]);
    }
  }
}

Result<rig::Character> with_specks(const rig::Character& character) {
  std::size_t left = kSpecks;
  return with_shells(character, [&](Shell& shell, const Extent& extent) {
    const std::vector<glm::dvec3> normals = shell.vertex_normals();
    const std::size_t count = shell.positions.size();
    const std::size_t step = std::max<std::size_t>(1, count / kSpecks);
    for (std::size_t v = step / 2; v < count && left > 0; v += step, --left) {
      add_cube(shell, shell.positions[v] + kSpeckDistance * extent.diagonal() * normals[v],
               kSpeckSize * extent.diagonal(), static_cast<std::uint32_t>(v));
    }
  });
}

Result<rig::Character> inside_out(const rig::Character& character) {
  return with_shells(character, [](Shell& shell, const Extent&) {
    for (std::size_t t = 0; t < shell.triangle_count(); ++t) {
      std::swap(shell.indices[3 * t + 1], shell.indices[3 * t + 2]);
    }
  });
}

Result<rig::Character> beside_skeleton(const rig::Character& character) {
  return with_shells(character, [](Shell& shell, const Extent& extent) {
    for (glm::dvec3& p : shell.positions) {
      p.z += kSkeletonOff * extent.diagonal();
    }
  });
}

std::size_t skinned_vertices(const rig::Character& character) {
  std::size_t count = 0;
  for (const mesh::Mesh& mesh : character.meshes) {
    for (const mesh::Primitive& primitive : mesh.primitives) {
      count += primitive.influences->empty() ? 0 : primitive.vertex_count();
    }
  }
  return count;
}

Result<rig::Character> made_dense(const rig::Character& character) {
  const double count = std::max(1.0, static_cast<double>(skinned_vertices(character)));
  const auto levels = static_cast<int>(std::lround(std::log(kManyVertices / count) / std::log(4.0)));
  return rig::subdivided(character, std::clamp(levels, 0, rig::kMostSubdivisions));
}

// The mesh in another unit: what its skin makes of it stays where it was.
rig::Character in_units(const rig::Character& character, double unit) {
  rig::Character out = character;
  const Extent extent = extent_of(character);
  for (const auto& [m, placed] : extent.meshes) {
    for (mesh::Primitive& primitive : out.meshes.edit(static_cast<std::size_t>(m)).primitives.edit_each()) {
      for (glm::vec3& p : primitive.positions.edit()) {
        p = glm::vec3(unit * glm::dvec3(p));
      }
      primitive.morph_targets = SharedList<mesh::MorphTarget>();
      primitive.drop_cage();
    }
    out.meshes.edit(static_cast<std::size_t>(m)).morph_names.clear();
    out.meshes.edit(static_cast<std::size_t>(m)).morph_weights.clear();
  }
  for (rig::MeshNode& node : out.mesh_nodes.edit()) {
    if (extent.meshes.contains(node.mesh)) {
      node.morph_weights.clear();
    }
  }
  for (rig::Skin& skin : out.skins.edit_each()) {
    for (glm::mat4& joint_from_mesh : skin.joint_from_mesh) {
      for (int c = 0; c < 3; ++c) {
        joint_from_mesh[c] = glm::vec4(glm::dvec4(joint_from_mesh[c]) / unit);
      }
    }
  }
  for (rig::Clip& clip : out.clips.edit_each()) {
    std::erase_if(clip.channels, [](const rig::Channel& one) { return one.path == rig::ChannelPath::kWeights; });
  }
  rig::finish(out);
  return out;
}

}  // namespace

std::span<const HardInput> hard_inputs() {
  static const HardInput rows[] = {
      {"holes", "One triangle in twenty is missing", with_holes},
      {"open-back", "The back of the upper half is cut away", with_open_back},
      {"fins", "One face in forty stands twice, with a fin on it", with_fins},
      {"soup", "Every triangle has vertices of its own, a little apart", as_soup},
      {"unwelded", "Seams gape by more than what is welded", with_cracks},
      {"touching", "The legs touch", with_touching_legs},
      {"clothes", "A shell a hundredth of the diagonal outside, in the same mesh", with_clothes},
      {"specks", "Thirteen small cubes float beside the surface", with_specks},
      {"inside-out", "All faces look inwards", inside_out},
      {"beside", "The skeleton lies beside the mesh by 12 % of the diagonal", beside_skeleton},
      {"dense", "Subdivided to about 110 000 vertices", made_dense},
      {"small", "The mesh in units of 100",
       [](const rig::Character& one) -> Result<rig::Character> { return in_units(one, 0.01); }},
      {"large", "The mesh in units of 0.01",
       [](const rig::Character& one) -> Result<rig::Character> { return in_units(one, 100); }},
  };
  return rows;
}

}  // namespace pelt::measure
