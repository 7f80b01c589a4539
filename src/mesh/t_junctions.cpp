// ALGORITHMS.md §52.
#include "mesh/t_junctions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "core/expect.h"
#include "core/parallel.h"
#include "math/transform.h"
#include "mesh/stencils.h"
#include "mesh/surface_checks.h"
#include "mesh/weld.h"

namespace pelt::mesh {
namespace {

constexpr double kDistance = 1e-5;  // of the diagonal
constexpr std::size_t kVerticesPerLeaf = 8;
constexpr std::size_t kEdgesPerChunk = 8192;

double squared(const glm::dvec3& v) {
  return glm::dot(v, v);
}

struct Segment {
  glm::dvec3 from, along;
  double squared_length;

  Segment(const glm::vec3& a, const glm::vec3& b)
      : from(a), along(glm::dvec3(b) - glm::dvec3(a)), squared_length(squared(along)) {}
  // The parameter of the point nearest to p on the infinite line.
  [[nodiscard]] double foot(const glm::vec3& p) const {
    return squared_length > 0 ? glm::dot(glm::dvec3(p) - from, along) / squared_length : 0.0;
  }
  [[nodiscard]] double squared_distance(const glm::vec3& p, double parameter) const {
    return squared(glm::dvec3(p) - from - along * parameter);
  }
};

// Points in boxes in boxes, halved at the middle point of the longest side.
class PointTree {
 public:
  PointTree(std::span<const glm::vec3> positions, std::vector<std::uint32_t> vertices)
      : positions_(positions), vertices_(std::move(vertices)) {
    if (!vertices_.empty()) {
      build(0, vertices_.size());
    }
  }

  // Calls visit(vertex) for all points within `reach` of the segment and some more, leaving out boxes that lie within
  // `reach` of an end: all of their points count as duplicates of it.
  template <typename Visit>
  void near(const Segment& segment, double reach, Visit visit) const {
    std::array<std::uint32_t, 64> stack{};  // deeper than a halved list of 2^32 is
    std::size_t depth = nodes_.empty() ? 0 : 1;
    while (depth > 0) {
      const std::uint32_t index = stack[--depth];
      const Node& node = nodes_[index];
      if (!crosses(node.box, segment, reach) || inside_ball(node.box, segment.from, reach) ||
          inside_ball(node.box, segment.from + segment.along, reach)) {
        continue;
      }
      if (node.second_child == 0) {
        for (std::uint32_t i = node.begin; i < node.end; ++i) {
          visit(vertices_[i]);
        }
      } else {
        stack[depth++] = node.second_child;
        stack[depth++] = index + 1;
      }
    }
  }

 private:
  struct Node {
    Bounds box;
    std::uint32_t begin = 0, end = 0;  // of vertices_
    std::uint32_t second_child = 0;    // the first follows its parent; 0: a leaf
  };

  void build(std::size_t begin, std::size_t end) {
    const std::size_t index = nodes_.size();
    nodes_.emplace_back();
    Bounds box;
    for (std::size_t i = begin; i < end; ++i) {
      box.add(positions_[vertices_[i]]);
    }
    nodes_[index].box = box;
    nodes_[index].begin = static_cast<std::uint32_t>(begin);
    nodes_[index].end = static_cast<std::uint32_t>(end);
    if (end - begin <= kVerticesPerLeaf) {
      return;
    }
    const glm::vec3 size = box.upper - box.lower;
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    const std::size_t middle = begin + (end - begin) / 2;
    const auto at = [this](std::size_t i) { return vertices_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(begin), at(middle), at(end), [&](std::uint32_t v, std::uint32_t w) {
      return std::tie(positions_[v][axis], v) < std::tie(positions_[w][axis], w);
    });
    build(begin, middle);
    nodes_[index].second_child = static_cast<std::uint32_t>(nodes_.size());
    build(middle, end);
  }

  // Whether the segment passes the box grown by `reach`: the slabs' parameters have a common part in 0..1.
  static bool crosses(const Bounds& box, const Segment& segment, double reach) {
    double first = 0;
    double last = 1;
    for (int axis = 0; axis < 3; ++axis) {
      const double lower = static_cast<double>(box.lower[axis]) - reach - segment.from[axis];
      const double upper = static_cast<double>(box.upper[axis]) + reach - segment.from[axis];
      const double along = segment.along[axis];
      if (along == 0.0) {
        if (lower > 0 || upper < 0) {
          return false;
        }
        continue;
      }
      const double s = lower / along;
      const double t = upper / along;
      first = std::max(first, std::min(s, t));
      last = std::min(last, std::max(s, t));
    }
    return first <= last;
  }

  static bool inside_ball(const Bounds& box, const glm::dvec3& center, double radius) {
    const glm::dvec3 farthest =
        glm::max(glm::abs(glm::dvec3(box.lower) - center), glm::abs(glm::dvec3(box.upper) - center));
    return squared(farthest) < radius * radius;
  }

  std::span<const glm::vec3> positions_;
  std::vector<std::uint32_t> vertices_;
  std::vector<Node> nodes_;
};

}  // namespace

std::vector<TJunction> find_t_junctions(std::span<const glm::vec3> positions, std::span<const std::uint32_t> indices) {
  const std::vector<std::uint32_t> weld = weld_by_position(positions);
  const std::vector<EdgeUse> uses = edge_uses(indices, weld);
  enum : char { kUnused, kClosed, kOpen };
  std::vector<char> kind(positions.size(), kUnused);
  std::vector<std::size_t> edges;  // where each edge's uses begin
  Bounds bounds;
  for (std::size_t i = 0; i < uses.size();) {
    const std::size_t end = edge_end(uses, i);
    edges.push_back(i);
    for (const std::uint32_t v : {uses[i].low, uses[i].high}) {
      kind[v] = end - i == 1 || kind[v] == kOpen ? kOpen : kClosed;
      bounds.add(positions[v]);
    }
    i = end;
  }
  std::vector<std::uint32_t> vertices;
  std::vector<std::uint32_t> open_vertices;
  for (std::uint32_t v = 0; v < positions.size(); ++v) {
    if (kind[v] != kUnused && is_finite(positions[v])) {
      vertices.push_back(v);
      if (kind[v] == kOpen) {
        open_vertices.push_back(v);
      }
    }
  }
  const double reach = kDistance * static_cast<double>(bounds.diagonal());
  const PointTree all_points(positions, std::move(vertices));
  const PointTree open_points(positions, std::move(open_vertices));

  std::vector<std::vector<TJunction>> found((edges.size() + kEdgesPerChunk - 1) / kEdgesPerChunk);
  parallel_for(found.size(), 1, [&](std::size_t first_chunk, std::size_t last_chunk) {
    for (std::size_t chunk = first_chunk; chunk < last_chunk; ++chunk) {
      std::vector<TJunction>& out = found[chunk];
      const std::size_t end = std::min(edges.size(), (chunk + 1) * kEdgesPerChunk);
      for (std::size_t e = chunk * kEdgesPerChunk; e < end && out.size() < kMostTJunctions; ++e) {
        const EdgeUse& edge = uses[edges[e]];
        const Segment segment(positions[edge.low], positions[edge.high]);
        const double margin = reach / std::sqrt(segment.squared_length);  // delta of §52
        if (!(margin < 0.5)) {  // shorter than two duplicates' distance, or not finite
          continue;
        }
        const std::span<const EdgeUse> sides(uses.data() + edges[e], edge_end(uses, edges[e]) - edges[e]);
        const std::size_t before = out.size();
        const PointTree& tree = sides.size() == 1 ? all_points : open_points;
        tree.near(segment, reach, [&](std::uint32_t v) {
          const double parameter = segment.foot(positions[v]);
          if (parameter > margin && parameter < 1 - margin &&
              segment.squared_distance(positions[v], parameter) < reach * reach &&
              !std::ranges::binary_search(sides, v, {}, &EdgeUse::opposite)) {
            out.push_back({v, edge.low, edge.high, static_cast<float>(parameter)});
          }
        });
        std::sort(out.begin() + static_cast<std::ptrdiff_t>(before), out.end(),
                  [](const TJunction& s, const TJunction& t) {
                    return std::tie(s.parameter, s.vertex) < std::tie(t.parameter, t.vertex);
                  });
      }
    }
  });
  std::vector<TJunction> all;
  for (const std::vector<TJunction>& chunk : found) {
    all.insert(all.end(), chunk.begin(),
               chunk.begin() + static_cast<std::ptrdiff_t>(std::min(chunk.size(), kMostTJunctions - all.size())));
  }
  return all;
}

double posed_crack(const TJunction& junction, std::span<const glm::vec3> posed) {
  const Segment segment(posed[junction.a], posed[junction.b]);
  const glm::vec3& vertex = posed[junction.vertex];
  return std::sqrt(segment.squared_distance(vertex, std::clamp(segment.foot(vertex), 0.0, 1.0)));
}

bool can_open(const Primitive& primitive, const TJunction& junction) {
  const Influences& rows = primitive.influences;
  for (const std::uint32_t end : {junction.a, junction.b}) {
    if (!rows.empty() && largest_weight_difference(rows, junction.vertex, end) > kEqualWeights) {
      return true;
    }
    for (const MorphTarget& target : primitive.morph_targets) {
      if (!target.position_deltas.empty() && target.position_deltas[junction.vertex] != target.position_deltas[end]) {
        return true;
      }
    }
  }
  return false;
}

namespace {

// Cuts triangles at the points on their sides.
class Splitter {
 public:
  Splitter(const Primitive& primitive, std::span<const TJunction> junctions)
      : weld_(weld_by_position(primitive.positions)), vertex_count_(static_cast<std::uint32_t>(weld_.size())) {
    for (const TJunction& junction : junctions) {
      PELT_EXPECT(junction.a < junction.b && junction.b < vertex_count_ && junction.vertex < vertex_count_,
                  "T-junctions of this primitive");
      on_edge_[{junction.a, junction.b}].push_back({junction.vertex, junction.parameter});
    }
    for (auto& [edge, points] : on_edge_) {
      std::sort(points.begin(), points.end(), [](const Point& s, const Point& t) {
        return std::tie(s.parameter, s.vertex) < std::tie(t.parameter, t.vertex);
      });
    }
    for (std::uint32_t v = 0; v < vertex_count_; ++v) {
      motion.copy(v);
      surface.copy(v);
    }
  }

  void add(const std::array<std::uint32_t, 3>& corners) {
    std::array<std::vector<std::uint32_t>, 3> on_side;
    for (std::size_t c = 0; c < 3; ++c) {
      on_side[c] = side(corners[c], corners[(c + 1) % 3]);
    }
    cut(corners, on_side);
  }

  Stencils motion, surface;
  std::vector<std::uint32_t> indices;

 private:
  struct Point {
    std::uint32_t vertex = 0;
    float parameter = 0;
  };

  // The new vertices on a side, from its start to its end. Triangles that share both ends share them.
  std::vector<std::uint32_t> side(std::uint32_t from, std::uint32_t to) {
    const bool forward = weld_[from] < weld_[to];
    const std::uint32_t a = forward ? from : to;
    const std::uint32_t b = forward ? to : from;
    std::vector<std::uint32_t> out;
    const auto points = on_edge_.find({weld_[a], weld_[b]});
    if (points == on_edge_.end()) {
      return out;
    }
    for (const Point& point : points->second) {
      const auto next = static_cast<std::uint32_t>(motion.row_count());
      const auto [made, is_new] = made_.try_emplace({a, b, point.vertex}, next);
      if (is_new) {
        motion.copy(point.vertex);
        surface.add(a, 1.0f - point.parameter);
        surface.add(b, point.parameter);
        surface.end_row();
      }
      out.push_back(made->second);
    }
    if (!forward) {
      std::reverse(out.begin(), out.end());
    }
    return out;
  }

  // Cuts from the middle point of a side to the corner opposite, until no side has points.
  void cut(const std::array<std::uint32_t, 3>& corners, const std::array<std::vector<std::uint32_t>, 3>& on_side) {
    const auto split = std::ranges::find_if(on_side, [](const auto& points) { return !points.empty(); });
    if (split == on_side.end()) {
      indices.insert(indices.end(), corners.begin(), corners.end());
      return;
    }
    const std::size_t c = split - on_side.begin();
    const std::uint32_t start = corners[c];
    const std::uint32_t end = corners[(c + 1) % 3];
    const std::uint32_t opposite = corners[(c + 2) % 3];
    const auto middle = split->begin() + static_cast<std::ptrdiff_t>(split->size() / 2);
    cut({start, *middle, opposite}, {std::vector(split->begin(), middle), {}, on_side[(c + 2) % 3]});
    cut({*middle, end, opposite}, {std::vector(middle + 1, split->end()), on_side[(c + 1) % 3], {}});
  }

  std::vector<std::uint32_t> weld_;
  std::uint32_t vertex_count_;
  std::map<std::array<std::uint32_t, 2>, std::vector<Point>> on_edge_;  // by welded ends
  std::map<std::array<std::uint32_t, 3>, std::uint32_t> made_;          // by ends and junction vertex
};

}  // namespace

Primitive split_t_junctions(const Primitive& primitive, std::span<const TJunction> junctions,
                            std::vector<std::uint32_t>* out_source_triangle) {
  PELT_EXPECT(primitive.topology == Topology::kTriangles, "triangles");
  Splitter splitter(primitive, junctions);
  if (out_source_triangle != nullptr) {
    out_source_triangle->clear();
  }
  for (std::uint32_t t = 0; t < primitive.triangle_count(); ++t) {
    const std::uint32_t* corner = &primitive.indices[3 * std::size_t{t}];
    splitter.add({corner[0], corner[1], corner[2]});
    if (out_source_triangle != nullptr) {
      out_source_triangle->resize(splitter.indices.size() / 3, t);
    }
  }
  Primitive out = blend(primitive, splitter.motion, splitter.surface);
  out.indices = std::move(splitter.indices);
  return out;
}

Mesh without_t_junctions(const Mesh& mesh) {
  // A cut may meet a vertex that lay inside a face: look again. Files that need more turns are not worth it.
  constexpr int kMostTurns = 8;
  JoinedMesh joined = join(mesh);
  bool changed = false;
  for (int turn = 0; turn < kMostTurns; ++turn) {
    const std::vector<TJunction> junctions = find_t_junctions(joined.whole.positions, joined.whole.indices);
    if (junctions.empty()) {
      break;
    }
    changed = true;
    std::vector<std::uint32_t> source;
    joined.whole = split_t_junctions(joined.whole, junctions, &source);
    for (std::uint32_t& triangle : source) {
      triangle = joined.triangle_primitive[triangle];
    }
    joined.triangle_primitive = std::move(source);
  }
  return changed ? separate(mesh, joined.whole, joined.triangle_primitive) : mesh;
}

}  // namespace pelt::mesh
