#include "bind/volume_elements.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace pelt::bind {
namespace {

constexpr double kTouchesNode = 1e-6;    // edges
constexpr std::size_t kSmallPart = 32;   // nodes that are not parted further
constexpr int kStencilReach = 2;         // how far L M^-1 L couples nodes
constexpr double kMostBonePoints = 256;  // of a segment outside of the volume
constexpr double kSameReach = 1e-9;      // squared edges: nodes that are as near as the nearest

glm::ivec3 corner_by(int k) {
  return {k & 1, (k >> 1) & 1, (k >> 2) & 1};
}

std::size_t corner_index(const VoxelGrid& grid, const glm::ivec3& corner) {
  const glm::ivec3 size = grid.size + 1;
  return (static_cast<std::size_t>(corner.z) * static_cast<std::size_t>(size.y) + static_cast<std::size_t>(corner.y)) *
             static_cast<std::size_t>(size.x) +
         static_cast<std::size_t>(corner.x);
}

// Orders nodes by nested dissection (A. George, 1973): two sides that A does not couple, then the layers between.
// @return the number of the last of the blocks
std::int32_t dissect(std::span<glm::ivec3> nodes, std::uint32_t first, std::vector<EliminationBlock>& blocks) {
  glm::ivec3 lower(std::numeric_limits<int>::max());
  glm::ivec3 upper(std::numeric_limits<int>::min());
  for (const glm::ivec3& node : nodes) {
    lower = glm::min(lower, node);
    upper = glm::max(upper, node);
  }
  const glm::ivec3 side = upper - lower;
  const int axis = side.x >= side.y && side.x >= side.z ? 0 : side.y >= side.z ? 1 : 2;
  const auto end = first + static_cast<std::uint32_t>(nodes.size());
  if (nodes.size() <= kSmallPart || side[axis] < 2 * kStencilReach) {
    blocks.push_back({first, end, -1});
    return static_cast<std::int32_t>(blocks.size()) - 1;
  }
  const auto half = nodes.begin() + static_cast<std::ptrdiff_t>(nodes.size() / 2);
  std::nth_element(nodes.begin(), half, nodes.end(),
                   [&](const glm::ivec3& a, const glm::ivec3& b) { return a[axis] < b[axis]; });
  const int cut = std::clamp((*half)[axis], lower[axis] + 1, upper[axis] - kStencilReach);
  const auto below = std::partition(nodes.begin(), nodes.end(), [&](const glm::ivec3& n) { return n[axis] < cut; });
  const auto above =
      std::partition(below, nodes.end(), [&](const glm::ivec3& n) { return n[axis] >= cut + kStencilReach; });
  std::int32_t sides[] = {-1, -1};
  const auto middle = first + static_cast<std::uint32_t>(below - nodes.begin());
  const auto between = first + static_cast<std::uint32_t>(above - nodes.begin());
  sides[0] = dissect(std::span(nodes.begin(), below), first, blocks);
  sides[1] = dissect(std::span(below, above), middle, blocks);
  blocks.push_back({between, end, -1});
  const auto last = static_cast<std::int32_t>(blocks.size()) - 1;
  blocks[static_cast<std::size_t>(sides[0])].parent = last;
  blocks[static_cast<std::size_t>(sides[1])].parent = last;
  return last;
}

std::uint32_t part_root(std::vector<std::uint32_t>& parent, std::uint32_t n) {
  while (parent[n] != n) {
    parent[n] = parent[parent[n]];
    n = parent[n];
  }
  return n;
}

void find_parts(VolumeElements& elements) {
  std::vector<std::uint32_t> parent(elements.node_count());
  std::iota(parent.begin(), parent.end(), 0u);
  for (std::size_t cube = 0; cube < elements.is_cube.size(); ++cube) {
    if (elements.is_cube[cube] == 0) {
      continue;
    }
    const glm::ivec3 at = elements.grid.cell(cube);
    const std::uint32_t first = part_root(parent, static_cast<std::uint32_t>(elements.node(at)));
    for (int k = 1; k < 8; ++k) {
      parent[part_root(parent, static_cast<std::uint32_t>(elements.node(at + corner_by(k))))] = first;
    }
  }
  elements.part.resize(elements.node_count());
  std::vector<std::int32_t> known(elements.node_count(), -1);
  for (std::uint32_t n = 0; n < elements.node_count(); ++n) {
    const std::uint32_t root = part_root(parent, n);
    if (known[root] < 0) {
      known[root] = static_cast<std::int32_t>(elements.part_count++);
    }
    elements.part[n] = static_cast<std::uint32_t>(known[root]);
  }
}

// What two corners of a cube have to do with each other in -L, by the number of coordinates in which they differ.
constexpr std::array<double, 4> kStiffness = {1.0 / 3, 0.0, -1.0 / 12, -1.0 / 12};

// Whether a segment meets the cube of edge 1 about a node. Lengths in edges.
bool meets_cube_about(const glm::dvec3& node, const glm::dvec3& a, const glm::dvec3& b) {
  double from = 0;
  double to = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const double low = node[axis] - 0.5 - kTouchesNode;
    const double high = node[axis] + 0.5 + kTouchesNode;
    const double by = b[axis] - a[axis];
    if (std::abs(by) < 1e-12) {
      if (a[axis] < low || a[axis] > high) {
        return false;
      }
      continue;
    }
    const double one = (low - a[axis]) / by;
    const double two = (high - a[axis]) / by;
    from = std::max(from, std::min(one, two));
    to = std::min(to, std::max(one, two));
  }
  return from <= to;
}

void sort_out(std::vector<std::uint32_t>& nodes) {
  std::ranges::sort(nodes);
  nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
}

}  // namespace

std::int32_t VolumeElements::node(const glm::ivec3& corner) const {
  const bool is_in =
      glm::all(glm::greaterThanEqual(corner, glm::ivec3(0))) && glm::all(glm::lessThanEqual(corner, grid.size));
  return is_in ? number[corner_index(grid, corner)] : -1;
}

VolumeElements elements_of(const Voxels& voxels) {
  VolumeElements out;
  out.grid = voxels.grid;
  const glm::ivec3 corners = out.grid.size + 1;
  out.number.assign(
      static_cast<std::size_t>(corners.x) * static_cast<std::size_t>(corners.y) * static_cast<std::size_t>(corners.z),
      -1);
  out.is_cube.resize(voxels.cell.size());
  for (std::size_t cube = 0; cube < voxels.cell.size(); ++cube) {
    out.is_cube[cube] = static_cast<char>(voxels.cell[cube] != Voxel::kOutside);
    for (int k = 0; k < 8 && out.is_cube[cube] != 0; ++k) {
      const glm::ivec3 corner = out.grid.cell(cube) + corner_by(k);
      std::int32_t& number = out.number[corner_index(out.grid, corner)];
      if (number < 0) {
        number = 0;
        out.at.push_back(corner);
      }
    }
  }
  if (!out.at.empty()) {
    dissect(out.at, 0, out.blocks);
  }
  for (std::size_t n = 0; n < out.at.size(); ++n) {
    out.number[corner_index(out.grid, out.at[n])] = static_cast<std::int32_t>(n);
  }
  find_parts(out);
  return out;
}

SymmetricRows bending(const VolumeElements& elements) {
  constexpr int kNear = 27;  // nodes that share a cube, by offset
  constexpr int kFar = 125;  // nodes two cubes away
  const std::size_t count = elements.node_count();
  std::vector<std::array<double, kNear>> stiffness(count, std::array<double, kNear>{});
  std::vector<double> volume(count, 0.0);
  for (std::size_t cube = 0; cube < elements.is_cube.size(); ++cube) {
    if (elements.is_cube[cube] == 0) {
      continue;
    }
    const glm::ivec3 at = elements.grid.cell(cube);
    for (int i = 0; i < 8; ++i) {
      const auto n = static_cast<std::size_t>(elements.node(at + corner_by(i)));
      volume[n] += 1.0 / 8;
      for (int k = 0; k < 8; ++k) {
        const glm::ivec3 by = corner_by(k) - corner_by(i) + 1;
        const glm::ivec3 apart = glm::abs(by - 1);
        stiffness[n][static_cast<std::size_t>((by.z * 3 + by.y) * 3 + by.x)] +=
            kStiffness[static_cast<std::size_t>(apart.x + apart.y + apart.z)];
      }
    }
  }
  SymmetricRows out;
  out.blocks = elements.blocks;
  std::vector<std::pair<std::uint32_t, double>> row;
  for (std::size_t n = 0; n < count; ++n) {
    std::array<double, kFar> sum{};
    for (int j = 0; j < kNear; ++j) {
      const double here = stiffness[n][static_cast<std::size_t>(j)];
      if (here == 0) {
        continue;
      }
      const glm::ivec3 by(j % 3, j / 3 % 3, j / 9);
      const auto middle = static_cast<std::size_t>(elements.node(elements.at[n] + by - 1));
      for (int k = 0; k < kNear; ++k) {
        const glm::ivec3 to = by + glm::ivec3(k % 3, k / 3 % 3, k / 9);
        sum[static_cast<std::size_t>((to.z * 5 + to.y) * 5 + to.x)] +=
            here * stiffness[middle][static_cast<std::size_t>(k)] / volume[middle];
      }
    }
    row.clear();
    for (int k = 0; k < kFar; ++k) {
      if (sum[static_cast<std::size_t>(k)] != 0) {
        const glm::ivec3 by(k % 5, k / 5 % 5, k / 25);
        row.emplace_back(static_cast<std::uint32_t>(elements.node(elements.at[n] + by - 2)),
                         sum[static_cast<std::size_t>(k)]);
      }
    }
    std::ranges::sort(row);
    for (const auto& [column, value] : row) {
      out.column.push_back(column);
      out.value.push_back(value);
    }
    out.offset.push_back(static_cast<std::uint32_t>(out.column.size()));
  }
  return out;
}

std::size_t nodes_round(const VolumeElements& elements, const glm::dvec3& p, std::array<NodeShare, 8>& out) {
  const glm::dvec3 from = elements.grid.to_grid(p);
  const glm::ivec3 cube(glm::floor(from));
  const glm::dvec3 within = from - glm::dvec3(cube);
  std::size_t count = 0;
  double sum = 0;
  for (int k = 0; k < 8; ++k) {
    const glm::ivec3 by = corner_by(k);
    const std::int32_t node = elements.node(cube + by);
    if (node >= 0) {
      const double share = (by.x != 0 ? within.x : 1 - within.x) * (by.y != 0 ? within.y : 1 - within.y) *
                           (by.z != 0 ? within.z : 1 - within.z);
      out[count++] = {static_cast<std::uint32_t>(node), share};
      sum += share;
    }
  }
  for (std::size_t k = 0; k < count; ++k) {
    out[k].share = sum > 0 ? out[k].share / sum : 1.0 / static_cast<double>(count);
  }
  return count;
}

NodesOnBone nodes_on_bone(const VolumeElements& elements, const Bone& bone) {
  NodesOnBone out;
  const glm::dvec3 head = elements.grid.to_grid(bone.head);
  for (const glm::dvec3& end : bone.tails) {
    const glm::dvec3 tail = elements.grid.to_grid(end);
    // The point of the segment nearest to a node that it goes through lies in a cube with the node as a corner.
    walk_cubes(elements.grid, bone.head, end, [&](const glm::ivec3& cube) {
      for (int k = 0; k < 8; ++k) {
        const glm::ivec3 corner = cube + corner_by(k);
        const std::int32_t node = elements.node(corner);
        if (node >= 0 && meets_cube_about(glm::dvec3(corner), head, tail)) {
          out.nodes.push_back(static_cast<std::uint32_t>(node));
        }
      }
      return true;
    });
  }
  sort_out(out.nodes);
  if (!out.nodes.empty() || elements.node_count() == 0) {
    return out;
  }
  out.outside = true;
  double least = std::numeric_limits<double>::infinity();
  for (const glm::dvec3& end : bone.tails) {
    const glm::dvec3 tail = elements.grid.to_grid(end);
    const int points = static_cast<int>(std::min(kMostBonePoints, std::ceil(glm::length(tail - head))));
    for (int k = 0; k <= points; ++k) {
      const glm::dvec3 p = glm::mix(head, tail, points > 0 ? static_cast<double>(k) / points : 0.0);
      double nearest = std::numeric_limits<double>::infinity();
      for (const glm::ivec3& at : elements.at) {
        const glm::dvec3 away = glm::dvec3(at) - p;
        nearest = std::min(nearest, glm::dot(away, away));
      }
      for (std::uint32_t n = 0; n < elements.node_count(); ++n) {
        const glm::dvec3 away = glm::dvec3(elements.at[n]) - p;
        if (glm::dot(away, away) <= nearest + kSameReach) {
          out.nodes.push_back(n);
        }
      }
      least = std::min(least, nearest);
    }
  }
  sort_out(out.nodes);
  out.distance = std::sqrt(least) * elements.grid.edge;
  return out;
}

}  // namespace pelt::bind
