// M. Garland, P. Heckbert, "Surface Simplification Using Quadric Error Metrics", SIGGRAPH 1997.
// H. Hoppe, "Progressive Meshes", SIGGRAPH 1996.
// T. Dey, H. Edelsbrunner, S. Guha, D. Nekhayev, "Topology Preserving Edge Contraction", 1999.
#include "mesh/simplify.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <queue>
#include <tuple>

#include "core/expect.h"
#include "mesh/stencils.h"
#include "mesh/weld.h"

namespace pelt::mesh {
namespace {

constexpr std::size_t kMostTriangles = 2000;  // around both ends: hubs stay, or each spoke would cost all of them
constexpr double kFlipCosine = 0.25881904510252074;  // 75 degrees

// Sum of weighted squared distances to planes, about the surface's own middle so that no digits are lost far from the
// origin: x' A x + 2 b' x + c.
struct Quadric {
  double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
  glm::dvec3 b = glm::dvec3(0);
  double c = 0;
  double weight = 0;

  // @param n  unit normal of the plane n . x = d
  void add_plane(const glm::dvec3& n, double d, double w) {
    xx += w * n.x * n.x;
    xy += w * n.x * n.y;
    xz += w * n.x * n.z;
    yy += w * n.y * n.y;
    yz += w * n.y * n.z;
    zz += w * n.z * n.z;
    b -= n * (w * d);
    c += w * d * d;
    weight += w;
  }
  void add(const Quadric& q) {
    xx += q.xx;
    xy += q.xy;
    xz += q.xz;
    yy += q.yy;
    yz += q.yz;
    zz += q.zz;
    b += q.b;
    c += q.c;
    weight += q.weight;
  }
  // Mean squared distance, square metres.
  [[nodiscard]] double at(const glm::dvec3& p) const {
    const double sum = xx * p.x * p.x + yy * p.y * p.y + zz * p.z * p.z +
                       2 * (xy * p.x * p.y + xz * p.x * p.z + yz * p.y * p.z) + 2 * glm::dot(b, p) + c;
    return weight > 0 ? std::max(sum, 0.0) / weight : 0.0;
  }
};

// A half-edge collapse: `from` goes to where `to` is. Both welded.
struct Collapse {
  double cost = 0;  // square metres
  std::uint32_t from = 0, to = 0;
  std::uint32_t from_version = 0, to_version = 0;  // of the quadrics that the cost was computed from

  bool operator>(const Collapse& other) const {
    return std::tie(cost, from, to) > std::tie(other.cost, other.from, other.to);
  }
};

class Simplifier {
 public:
  Simplifier(const Primitive& primitive, std::span<const std::uint32_t> triangle_group)
      : weld_(weld_by_position(primitive.positions)),
        corners_(primitive.indices),
        group_(triangle_group.begin(), triangle_group.end()),
        quadrics_(weld_.size()),
        version_(weld_.size(), 0),
        triangles_(weld_.size()),
        collapsed_(corners_.size()) {
    group_.resize(corners_.size() / 3, 0u);
    alive_.assign(group_.size(), 1);
    group_size_.assign(group_.empty() ? 0 : *std::ranges::max_element(group_) + std::size_t{1}, 0);
    Bounds bounds = bounds_of(primitive.positions);
    const glm::dvec3 center(bounds.center());
    for (const glm::vec3& position : primitive.positions) {
      points_.push_back(glm::dvec3(position) - center);
    }
    for (std::uint32_t t = 0; t < group_.size(); ++t) {
      const std::array<std::uint32_t, 3> at = welded(t);
      if (at[0] == at[1] || at[1] == at[2] || at[2] == at[0]) {
        alive_[t] = 0;  // draws nothing
        continue;
      }
      ++group_size_[group_[t]];
      ++alive_count_;
      for (const std::uint32_t v : at) {
        triangles_[v].push_back(t);
      }
      add_triangle_plane(at);
    }
    add_border_planes();
  }

  // Collapses until at most `target` triangles are left or nothing more may go.
  void run(std::size_t target) {
    while (alive_count_ > target) {
      if (queue_.empty()) {
        // What was refused may have become possible since: look at all edges again, while it is worth it.
        if (collapsed_ * 100 < alive_count_) {
          return;
        }
        collapsed_ = 0;
        for (std::uint32_t v = 0; v < triangles_.size(); ++v) {
          push_collapses(v, false);
        }
        continue;
      }
      const Collapse collapse = queue_.top();
      queue_.pop();
      if (collapse.from_version == version_[collapse.from] && collapse.to_version == version_[collapse.to] &&
          try_collapse(collapse)) {
        ++collapsed_;
        worst_ = std::max(worst_, collapse.cost);
      }
    }
  }

  [[nodiscard]] SimplifiedLevel level(const Primitive& source) const {
    SimplifiedLevel out;
    out.error = std::sqrt(worst_);
    std::vector<std::uint32_t> indices;
    for (std::uint32_t t = 0; t < alive_.size(); ++t) {
      if (alive_[t] != 0) {
        out.source_triangle.push_back(t);
        indices.insert(indices.end(), &corners_[3 * std::size_t{t}], &corners_[3 * std::size_t{t}] + 3);
      }
    }
    out.source_vertex = indices;
    std::ranges::sort(out.source_vertex);
    out.source_vertex.erase(std::unique(out.source_vertex.begin(), out.source_vertex.end()), out.source_vertex.end());
    Stencils rows;
    std::vector<std::uint32_t> new_index(source.vertex_count(), 0);
    for (std::uint32_t v = 0; v < out.source_vertex.size(); ++v) {
      new_index[out.source_vertex[v]] = v;
      rows.copy(out.source_vertex[v]);
    }
    out.primitive = blend(source, rows, rows);
    for (std::uint32_t& index : indices) {
      index = new_index[index];
    }
    out.primitive.indices = std::move(indices);
    return out;
  }

 private:
  [[nodiscard]] std::array<std::uint32_t, 3> welded(std::uint32_t t) const {
    const std::uint32_t* corner = &corners_[3 * std::size_t{t}];
    return {weld_[corner[0]], weld_[corner[1]], weld_[corner[2]]};
  }

  void add_triangle_plane(const std::array<std::uint32_t, 3>& at) {
    const glm::dvec3 normal = glm::cross(points_[at[1]] - points_[at[0]], points_[at[2]] - points_[at[0]]);
    const double length = glm::length(normal);
    if (length > 0) {
      for (const std::uint32_t v : at) {
        quadrics_[v].add_plane(normal / length, glm::dot(normal, points_[at[0]]) / length, length / 2);
      }
    }
  }

  // Section 6: through open borders and seams goes a plane across the triangle, so that they keep their course where
  // the surface is flat.
  void add_border_planes() {
    const std::vector<EdgeUse> uses = edge_uses(corners_, weld_);
    for (std::size_t i = 0; i < uses.size();) {
      const std::size_t end = edge_end(uses, i);
      const auto ends = [&](const EdgeUse& use) {
        const std::uint32_t a = corners_[use.corner];
        const std::uint32_t b = corners_[next_corner(use.corner)];
        return std::array{std::min(a, b), std::max(a, b)};
      };
      if (end - i != 2 || ends(uses[i]) != ends(uses[i + 1])) {
        for (; i < end; ++i) {
          const glm::dvec3 start = points_[uses[i].low];
          const glm::dvec3 along = points_[uses[i].high] - start;
          const glm::dvec3 across = glm::cross(along, glm::cross(along, points_[uses[i].opposite] - start));
          const double length = glm::length(across);
          if (length > 0) {
            for (const std::uint32_t v : {uses[i].low, uses[i].high}) {
              quadrics_[v].add_plane(across / length, glm::dot(across, start) / length, glm::dot(along, along));
            }
          }
        }
      }
      i = end;
    }
  }

  void drop_dead(std::uint32_t v) {
    std::erase_if(triangles_[v], [this](std::uint32_t t) { return alive_[t] == 0; });
  }

  // The vertices around v, ascending, each with the number of triangles on the edge.
  struct Neighbor {
    std::uint32_t vertex = 0;
    std::uint32_t triangles = 0;
  };
  void neighbors(std::uint32_t v, std::vector<Neighbor>& out) const {
    out.clear();
    for (const std::uint32_t t : triangles_[v]) {
      for (const std::uint32_t w : welded(t)) {
        if (w != v && alive_[t] != 0) {
          out.push_back({w, 1});
        }
      }
    }
    std::ranges::sort(out, {}, &Neighbor::vertex);
    std::size_t last = 0;
    for (std::size_t i = 1; i < out.size(); ++i) {
      if (out[i].vertex == out[last].vertex) {
        ++out[last].triangles;
      } else {
        out[++last] = out[i];
      }
    }
    out.resize(out.empty() ? 0 : last + 1);
  }

  void push(std::uint32_t from, std::uint32_t to) {
    Quadric sum = quadrics_[from];
    sum.add(quadrics_[to]);
    queue_.push({sum.at(points_[to]), from, to, version_[from], version_[to]});
  }

  // The collapses of v into its neighbours, and theirs into v where wanted.
  void push_collapses(std::uint32_t v, bool both_ways) {
    neighbors(v, around_from_);
    for (const Neighbor& neighbor : around_from_) {
      push(v, neighbor.vertex);
      if (both_ways) {
        push(neighbor.vertex, v);
      }
    }
  }

  bool try_collapse(const Collapse& collapse) {
    const std::uint32_t from = collapse.from;
    const std::uint32_t to = collapse.to;
    drop_dead(from);
    drop_dead(to);
    if (triangles_[from].size() + triangles_[to].size() > kMostTriangles) {
      return false;
    }
    neighbors(from, around_from_);
    const auto edge = std::ranges::lower_bound(around_from_, to, {}, &Neighbor::vertex);
    if (edge == around_from_.end() || edge->vertex != to) {
      return false;  // another collapse has taken the edge away
    }
    if (!keeps_borders(edge->triangles) || !keeps_links(to, edge->triangles) || !map_copies(from, to) ||
        turns_triangle(from, to) || empties_group(from, to)) {
      return false;
    }
    for (const std::uint32_t t : gone_) {
      alive_[t] = 0;
      --alive_count_;
      --group_size_[group_[t]];
    }
    drop_dead(from);
    drop_dead(to);
    for (const std::uint32_t t : triangles_[from]) {
      for (std::size_t c = 0; c < 3; ++c) {
        std::uint32_t& corner = corners_[3 * std::size_t{t} + c];
        if (weld_[corner] == from) {
          corner = survivor_of(corner)->second;
        }
      }
      triangles_[to].push_back(t);
    }
    triangles_[from].clear();
    ++version_[from];
    ++version_[to];
    quadrics_[to].add(quadrics_[from]);
    push_collapses(to, true);
    return true;
  }

  // A border goes along itself, and only where it is a plain one.
  [[nodiscard]] bool keeps_borders(std::uint32_t edge_triangles) const {
    std::size_t open = 0;
    for (const Neighbor& neighbor : around_from_) {
      if (neighbor.triangles > 2) {
        return false;
      }
      open += neighbor.triangles == 1 ? 1u : 0u;
    }
    return edge_triangles <= 2 && (open == 0 || (open == 2 && edge_triangles == 1));
  }

  // Link condition: what is next to both ends is only what is opposite of the edge.
  bool keeps_links(std::uint32_t to, std::uint32_t edge_triangles) {
    neighbors(to, around_to_);
    std::size_t common = 0;
    for (const Neighbor& neighbor : around_from_) {
      common += std::ranges::binary_search(around_to_, neighbor.vertex, {}, &Neighbor::vertex) ? 1u : 0u;
    }
    return common == edge_triangles;
  }

  // Fills gone_ and survivors_: each copy of `from` and the copy of `to` on its side of the edge. False where a copy is
  // not on the edge or is beside two copies of `to`: its triangles would take on attributes from across a seam.
  bool map_copies(std::uint32_t from, std::uint32_t to) {
    gone_.clear();
    survivors_.clear();
    for (const std::uint32_t t : triangles_[from]) {
      std::uint32_t from_copy = 0;
      std::uint32_t to_copy = 0;
      bool both = false;
      for (std::size_t c = 0; c < 3; ++c) {
        const std::uint32_t corner = corners_[3 * std::size_t{t} + c];
        if (weld_[corner] == from) {
          from_copy = corner;
        } else if (weld_[corner] == to) {
          to_copy = corner;
          both = true;
        }
      }
      if (!both) {
        continue;
      }
      gone_.push_back(t);
      const auto known = survivor_of(from_copy);
      if (known == survivors_.end()) {
        survivors_.emplace_back(from_copy, to_copy);
      } else if (known->second != to_copy) {
        return false;
      }
    }
    return std::ranges::all_of(triangles_[from], [&](std::uint32_t t) {
      return std::ranges::all_of(std::array{0, 1, 2}, [&](int c) {
        const std::uint32_t corner = corners_[3 * std::size_t{t} + static_cast<std::size_t>(c)];
        return weld_[corner] != from || survivor_of(corner) != survivors_.end();
      });
    });
  }

  // Whether a triangle that stays would be turned by more than 75 degrees or lose its area.
  [[nodiscard]] bool turns_triangle(std::uint32_t from, std::uint32_t to) const {
    return std::ranges::any_of(triangles_[from], [&](std::uint32_t t) {
      const std::array<std::uint32_t, 3> at = welded(t);
      if (std::ranges::find(at, to) != at.end()) {
        return false;
      }
      const auto normal = [&](std::uint32_t stand_in) {
        std::array<glm::dvec3, 3> p;
        for (std::size_t c = 0; c < 3; ++c) {
          p[c] = points_[at[c] == from ? stand_in : at[c]];
        }
        return glm::cross(p[1] - p[0], p[2] - p[0]);
      };
      const glm::dvec3 before = normal(from);
      const glm::dvec3 after = normal(to);
      return glm::dot(before, after) <= kFlipCosine * glm::length(before) * glm::length(after);
    });
  }

  // Whether a group of triangles would vanish, or all that hangs together at the edge.
  [[nodiscard]] bool empties_group(std::uint32_t from, std::uint32_t to) const {
    const bool nothing_stays = gone_.size() == triangles_[from].size() && gone_.size() == triangles_[to].size();
    return nothing_stays || std::ranges::any_of(gone_, [&](std::uint32_t t) {
             const auto same = std::ranges::count_if(gone_, [&](std::uint32_t g) { return group_[g] == group_[t]; });
             return group_size_[group_[t]] <= static_cast<std::size_t>(same);
           });
  }

  std::vector<std::uint32_t> weld_;
  std::vector<std::uint32_t> corners_;  // [3T] vertices as indexed, following the collapses
  std::vector<std::uint32_t> group_;    // [T]
  std::vector<char> alive_;             // [T]
  std::vector<std::size_t> group_size_;
  std::size_t alive_count_ = 0;
  std::vector<glm::dvec3> points_;  // [V] about the middle of the surface
  std::vector<Quadric> quadrics_;   // of welded vertices
  std::vector<std::uint32_t> version_;
  std::vector<std::vector<std::uint32_t>> triangles_;  // around each welded vertex; dead ones until visited
  std::priority_queue<Collapse, std::vector<Collapse>, std::greater<>> queue_;
  std::size_t collapsed_;  // since all edges were looked at
  double worst_ = 0;

  // Of the collapse that is being tried.
  std::vector<Neighbor> around_from_;
  std::vector<Neighbor> around_to_;
  std::vector<std::uint32_t> gone_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> survivors_;
  [[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>>::const_iterator survivor_of(
      std::uint32_t copy) const {
    return std::ranges::find(survivors_, copy, &std::pair<std::uint32_t, std::uint32_t>::first);
  }
};

}  // namespace

std::vector<SimplifiedLevel> simplify(const Primitive& primitive, std::span<const std::size_t> target_triangles,
                                      std::span<const std::uint32_t> triangle_group) {
  PELT_EXPECT(primitive.topology == Topology::kTriangles, "triangles");
  PELT_EXPECT(triangle_group.empty() || triangle_group.size() == primitive.triangle_count(), "one group per triangle");
  PELT_EXPECT(std::ranges::is_sorted(target_triangles, std::greater<>()), "each level coarser than the one before");
  Simplifier simplifier(primitive, triangle_group);
  std::vector<SimplifiedLevel> levels;
  for (const std::size_t target : target_triangles) {
    simplifier.run(target);
    levels.push_back(simplifier.level(primitive));
  }
  return levels;
}

}  // namespace pelt::mesh
