// Botsch, Kobbelt, "A remeshing approach to multiresolution modeling", SGP 2004, with a field of edge lengths instead
// of one length, a straight border, and feature lines given as level sets.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "polygonize.h"

namespace pelt::assets {
namespace {

class Remesher {
 public:
  Remesher(const TriangleMesh& mesh, const Body& body, const EdgeLength& edge_length)
      : body_(body), edge_length_(edge_length), p_(mesh.positions), tri_(mesh.triangles) {
    alive_.assign(tri_.size(), 1);
    around_.resize(p_.size());
    border_.resize(p_.size());
    feature_.assign(p_.size(), -1);
    wanted_.resize(p_.size());
    for (std::size_t t = 0; t < tri_.size(); ++t) {
      for (const int v : tri_[t]) {
        around_[at(v)].push_back(static_cast<int>(t));
      }
    }
    for (std::size_t v = 0; v < p_.size(); ++v) {
      border_[v] = p_[v].x == 0;
      wanted_[v] = edge_length_(p_[v]);
    }
  }

  void split_long() {
    for (std::size_t v = 0; v < p_.size(); ++v) {
      for (std::size_t k = 0; k < around_[v].size(); ++k) {
        const auto t = tri_[at(around_[v][k])];
        for (const int b : t) {
          const int a = static_cast<int>(v);
          if (b > a && length(a, b) > 4.0 / 3.0 * wanted(a, b)) {
            const glm::dvec3 middle = (p_[at(a)] + p_[at(b)]) * 0.5;
            const bool on_border = is_border_edge(a, b);
            // In a crease the nearest surface may be elsewhere; a midpoint that strays would never make edges shorter.
            glm::dvec3 position = body_.project(middle, on_border);
            if (!(glm::length(position - middle) < 0.25 * length(a, b))) {
              position = middle;
            }
            split(a, b, position, on_border);
            k = static_cast<std::size_t>(-1);  // the fan changed: look at it again
            break;
          }
        }
      }
    }
  }

  void collapse_short() {
    for (std::size_t v = 0; v < p_.size(); ++v) {
      for (std::size_t k = 0; k < around_[v].size(); ++k) {
        const auto t = tri_[at(around_[v][k])];
        bool removed = false;
        for (const int b : t) {
          const int a = static_cast<int>(v);
          if (b != a && length(a, b) < 4.0 / 5.0 * wanted(a, b) && collapse(a, b)) {
            removed = true;
            break;
          }
        }
        if (removed) {
          break;
        }
      }
    }
  }

  void flip_towards_regular(bool keep_features) {
    for (std::size_t t = 0; t < tri_.size(); ++t) {
      if (!alive_[t]) {
        continue;
      }
      for (std::size_t i = 0; i < 3; ++i) {
        const int a = tri_[t][i];
        const int b = tri_[t][(i + 1) % 3];
        const int c = tri_[t][(i + 2) % 3];
        if (keep_features && feature_[at(a)] >= 0 && feature_[at(b)] >= 0) {
          continue;
        }
        const int other = neighbour(static_cast<int>(t), a, b);
        if (other < 0) {
          continue;
        }
        const int d = third(other, a, b);
        if (keep_features && crosses_feature(c, d)) {
          continue;
        }
        const auto deviation = [&](int v, int change) {
          const int best = border_[at(v)] ? 4 : 6;
          const int x = valence(v) + change - best;
          return x * x;
        };
        const int before = deviation(a, 0) + deviation(b, 0) + deviation(c, 0) + deviation(d, 0);
        const int after = deviation(a, -1) + deviation(b, -1) + deviation(c, 1) + deviation(d, 1);
        if (after >= before || connected(c, d) || !flip_keeps_shape(a, b, c, d)) {
          continue;
        }
        set_triangle(static_cast<int>(t), {c, a, d});
        set_triangle(other, {d, b, c});
        break;
      }
    }
  }

  // Flips an edge where that makes the smallest of the angles larger (Delaunay by angles), for the last touch.
  void flip_towards_delaunay() {
    for (std::size_t t = 0; t < tri_.size(); ++t) {
      if (!alive_[t]) {
        continue;
      }
      for (std::size_t i = 0; i < 3; ++i) {
        const int a = tri_[t][i];
        const int b = tri_[t][(i + 1) % 3];
        const int c = tri_[t][(i + 2) % 3];
        if (feature_[at(a)] >= 0 && feature_[at(b)] >= 0) {
          continue;
        }
        const int other = neighbour(static_cast<int>(t), a, b);
        if (other < 0) {
          continue;
        }
        const int d = third(other, a, b);
        if (angle(c, a, b) + angle(d, a, b) <= 3.3 || crosses_feature(c, d) || connected(c, d) ||
            !flip_keeps_shape(a, b, c, d)) {
          continue;
        }
        set_triangle(static_cast<int>(t), {c, a, d});
        set_triangle(other, {d, b, c});
        break;
      }
    }
  }

  // One Jacobi step of tangential smoothing, weighted by the wanted density, then back onto the surface.
  void relax(const std::vector<FeatureLine>& features) {
    std::vector<glm::dvec3> next = p_;
    for (std::size_t v = 0; v < p_.size(); ++v) {
      if (around_[v].empty()) {
        continue;
      }
      glm::dvec3 sum(0.0);
      double weight = 0;
      const bool line = border_[v] || feature_[v] >= 0;
      for (const int t : around_[v]) {
        if (line) {
          for (const int u : tri_[at(t)]) {
            const bool along =
                at(u) != v && (!border_[v] || border_[at(u)]) && (feature_[v] < 0 || feature_[at(u)] == feature_[v]);
            if (along) {
              sum += p_[at(u)];
              weight += 1;
            }
          }
        } else {
          const auto& q = tri_[at(t)];
          const glm::dvec3 center = (p_[at(q[0])] + p_[at(q[1])] + p_[at(q[2])]) / 3.0;
          const double wanted_here = (wanted_[at(q[0])] + wanted_[at(q[1])] + wanted_[at(q[2])]) / 3.0;
          const double w = area(t) / (wanted_here * wanted_here);
          sum += center * w;
          weight += w;
        }
      }
      if (weight <= 0 || (border_[v] && feature_[v] >= 0)) {
        continue;
      }
      const glm::dvec3 target = sum / weight;
      glm::dvec3 n = body_.gradient(p_[v]);
      if (border_[v]) {
        n.x = 0;
      }
      n = glm::normalize(n);
      glm::dvec3 move = (target - p_[v]) * (line ? 0.4 : 0.8);
      move -= n * glm::dot(n, move);
      if (border_[v]) {
        move.x = 0;
      }
      next[v] = body_.project(p_[v] + move, border_[v]);
    }
    p_ = std::move(next);
    for (std::size_t v = 0; v < p_.size(); ++v) {
      if (feature_[v] >= 0) {
        p_[v] = onto_line(p_[v], features[at(feature_[v])], border_[v]);
      }
      wanted_[v] = edge_length_(p_[v]);
    }
  }

  // Makes edges follow the zero set of `f`: near vertices move onto it, edges that still cross are split there.
  void cut(const FeatureLine& f, int index) {
    std::vector<double> value(p_.size());
    for (std::size_t v = 0; v < p_.size(); ++v) {
      value[v] = f(p_[v]);
    }
    for (std::size_t v = 0; v < p_.size(); ++v) {
      if (around_[v].empty() || feature_[v] >= 0) {
        continue;
      }
      // Only a vertex with a crossing edge is near the line; how near, along that edge.
      double nearest = 1;
      for (const int t : around_[v]) {
        for (const int u : tri_[at(t)]) {
          if (value[v] * value[at(u)] < 0) {
            nearest = std::min(nearest, value[v] / (value[v] - value[at(u)]));
          }
        }
      }
      if (nearest < 0.38) {
        const glm::dvec3 moved = onto_line(p_[v], f, border_[v]);
        if (glm::length(moved - p_[v]) < 0.6 * wanted_[v]) {
          p_[v] = moved;
          value[v] = 0;
          feature_[v] = index;
        }
      }
    }
    for (std::size_t v = 0; v < p_.size(); ++v) {
      for (std::size_t k = 0; k < around_[v].size(); ++k) {
        const auto t = tri_[at(around_[v][k])];
        for (const int b : t) {
          const int a = static_cast<int>(v);
          if (b == a || value[v] * value[at(b)] >= 0 || std::abs(value[v]) < 1e-12) {
            continue;
          }
          const double s = value[v] / (value[v] - value[at(b)]);
          const bool on_border = is_border_edge(a, b);
          const glm::dvec3 m = p_[v] + (p_[at(b)] - p_[v]) * s;
          split(a, b, onto_line(body_.project(m, on_border), f, on_border), on_border);
          feature_.back() = index;
          value.push_back(0);
          k = static_cast<std::size_t>(-1);
          break;
        }
      }
    }
  }

  [[nodiscard]] TriangleMesh result() const {
    TriangleMesh out;
    std::vector<int> renamed(p_.size(), -1);
    for (std::size_t v = 0; v < p_.size(); ++v) {
      if (!around_[v].empty()) {
        renamed[v] = static_cast<int>(out.positions.size());
        out.positions.push_back(border_[v] ? glm::dvec3(0, p_[v].y, p_[v].z) : p_[v]);
      }
    }
    for (std::size_t t = 0; t < tri_.size(); ++t) {
      if (alive_[t]) {
        out.triangles.push_back({renamed[at(tri_[t][0])], renamed[at(tri_[t][1])], renamed[at(tri_[t][2])]});
      }
    }
    return out;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] double length(int a, int b) const { return glm::length(p_[at(a)] - p_[at(b)]); }
  [[nodiscard]] double wanted(int a, int b) const { return std::min(wanted_[at(a)], wanted_[at(b)]); }
  [[nodiscard]] double area(int t) const {
    const auto& q = tri_[at(t)];
    return glm::length(glm::cross(p_[at(q[1])] - p_[at(q[0])], p_[at(q[2])] - p_[at(q[0])])) / 2;
  }
  [[nodiscard]] double angle(int at_vertex, int a, int b) const {
    const glm::dvec3 u = glm::normalize(p_[at(a)] - p_[at(at_vertex)]);
    const glm::dvec3 w = glm::normalize(p_[at(b)] - p_[at(at_vertex)]);
    return std::acos(std::clamp(glm::dot(u, w), -1.0, 1.0));
  }
  [[nodiscard]] bool has(int t, int v) const {
    const auto& q = tri_[at(t)];
    return q[0] == v || q[1] == v || q[2] == v;
  }
  [[nodiscard]] int third(int t, int a, int b) const {
    for (const int v : tri_[at(t)]) {
      if (v != a && v != b) {
        return v;
      }
    }
    return -1;
  }
  // The other triangle at edge ab, -1 at the border.
  [[nodiscard]] int neighbour(int t, int a, int b) const {
    for (const int u : around_[at(a)]) {
      if (u != t && has(u, b)) {
        return u;
      }
    }
    return -1;
  }
  [[nodiscard]] int triangles_at(int a, int b) const {
    int n = 0;
    for (const int u : around_[at(a)]) {
      n += has(u, b) ? 1 : 0;
    }
    return n;
  }
  [[nodiscard]] bool is_border_edge(int a, int b) const {
    return border_[at(a)] && border_[at(b)] && triangles_at(a, b) == 1;
  }
  [[nodiscard]] bool connected(int a, int b) const { return triangles_at(a, b) > 0; }
  [[nodiscard]] int valence(int v) const { return static_cast<int>(around_[at(v)].size()) + (border_[at(v)] ? 1 : 0); }
  [[nodiscard]] glm::dvec3 normal(int a, int b, int c) const {
    return glm::cross(p_[at(b)] - p_[at(a)], p_[at(c)] - p_[at(a)]);
  }
  [[nodiscard]] bool crosses_feature(int c, int d) const {
    return feature_[at(c)] >= 0 && feature_[at(c)] == feature_[at(d)];
  }
  // Edge ab of triangles abc and bad may become cd: both new triangles face the way the old ones did, with no sliver.
  [[nodiscard]] bool flip_keeps_shape(int a, int b, int c, int d) const {
    const glm::dvec3 n = glm::normalize(normal(a, b, c)) + glm::normalize(normal(b, a, d));
    const glm::dvec3 n0 = normal(c, a, d);
    const glm::dvec3 n1 = normal(d, b, c);
    const double smallest = 0.05 * (glm::length(normal(a, b, c)) + glm::length(normal(b, a, d)));
    return glm::dot(glm::normalize(n0), n) > 1.0 && glm::dot(glm::normalize(n1), n) > 1.0 &&
           glm::length(n0) > smallest && glm::length(n1) > smallest;
  }

  void set_triangle(int t, const std::array<int, 3>& corners) {
    for (const int v : tri_[at(t)]) {
      auto& fan = around_[at(v)];
      fan.erase(std::find(fan.begin(), fan.end(), t));
    }
    tri_[at(t)] = corners;
    for (const int v : corners) {
      around_[at(v)].push_back(t);
    }
  }

  void split(int a, int b, const glm::dvec3& position, bool on_border) {
    const int m = static_cast<int>(p_.size());
    p_.push_back(position);
    border_.push_back(on_border ? 1 : 0);
    feature_.push_back(-1);
    wanted_.push_back(edge_length_(position));
    around_.emplace_back();
    const std::vector<int> fan = around_[at(a)];
    for (const int t : fan) {
      if (!has(t, b)) {
        continue;
      }
      std::array<int, 3> first = tri_[at(t)];
      std::array<int, 3> second = first;
      std::replace(first.begin(), first.end(), b, m);
      std::replace(second.begin(), second.end(), a, m);
      set_triangle(t, first);
      const int fresh = static_cast<int>(tri_.size());
      tri_.push_back(second);
      alive_.push_back(1);
      for (const int v : second) {
        around_[at(v)].push_back(fresh);
      }
    }
  }

  // Moves a onto b, if the surface stays a manifold and no triangle turns over.
  bool collapse(int a, int b) {
    if (border_[at(a)] && (!border_[at(b)] || !is_border_edge(a, b))) {
      return false;
    }
    std::vector<int> ring_a = ring(a);
    std::vector<int> ring_b = ring(b);
    int common = 0;
    for (const int v : ring_a) {
      common += std::find(ring_b.begin(), ring_b.end(), v) != ring_b.end() ? 1 : 0;
    }
    if (common != triangles_at(a, b)) {
      return false;
    }
    for (const int v : ring_a) {
      if (v != b && length(v, b) > 4.0 / 3.0 * wanted(v, b)) {
        return false;
      }
      // A border vertex may not gain an edge across to another border vertex: that would pinch the border.
      if (v != b && border_[at(v)] && border_[at(b)] && !border_[at(a)]) {
        return false;
      }
    }
    for (const int t : around_[at(a)]) {
      if (has(t, b)) {
        continue;
      }
      std::array<int, 3> q = tri_[at(t)];
      const glm::dvec3 old_normal = normal(q[0], q[1], q[2]);
      std::replace(q.begin(), q.end(), a, b);
      const glm::dvec3 new_normal = normal(q[0], q[1], q[2]);
      const double product = glm::length(old_normal) * glm::length(new_normal);
      if (glm::dot(old_normal, new_normal) < 0.5 * product || glm::length(new_normal) < 1e-12) {
        return false;
      }
    }
    const std::vector<int> fan = around_[at(a)];
    for (const int t : fan) {
      if (has(t, b)) {
        for (const int v : tri_[at(t)]) {
          auto& others = around_[at(v)];
          others.erase(std::find(others.begin(), others.end(), t));
        }
        alive_[at(t)] = 0;
      } else {
        std::array<int, 3> q = tri_[at(t)];
        std::replace(q.begin(), q.end(), a, b);
        set_triangle(t, q);
      }
    }
    return true;
  }

  [[nodiscard]] std::vector<int> ring(int v) const {
    std::vector<int> out;
    for (const int t : around_[at(v)]) {
      for (const int u : tri_[at(t)]) {
        if (u != v && std::find(out.begin(), out.end(), u) == out.end()) {
          out.push_back(u);
        }
      }
    }
    return out;
  }

  // Alternates between the level set of f (within the tangent plane) and the surface.
  [[nodiscard]] glm::dvec3 onto_line(glm::dvec3 p, const FeatureLine& f, bool in_plane) const {
    constexpr double h = 1e-5;
    constexpr double kLongestStep = 0.01;  // metres
    for (int i = 0; i < 4; ++i) {
      glm::dvec3 g;
      for (int k = 0; k < 3; ++k) {
        glm::dvec3 step(0.0);
        step[k] = h;
        g[k] = (f(p + step) - f(p - step)) / (2 * h);
      }
      glm::dvec3 n = body_.gradient(p);
      if (in_plane) {
        g.x = 0;
        n.x = 0;
      }
      n = glm::normalize(n);
      g -= n * glm::dot(n, g);
      const double l2 = glm::dot(g, g);
      if (l2 < 1e-12) {
        break;
      }
      // Where the line runs along the surface's level a step would lead anywhere.
      const glm::dvec3 move = g * (f(p) / l2);
      p = body_.project(p - move * std::min(1.0, kLongestStep / std::max(glm::length(move), 1e-12)), in_plane);
    }
    return p;
  }

  const Body& body_;
  const EdgeLength& edge_length_;
  std::vector<glm::dvec3> p_;
  std::vector<std::array<int, 3>> tri_;
  std::vector<char> alive_;
  std::vector<std::vector<int>> around_;
  std::vector<char> border_;
  std::vector<int> feature_;
  std::vector<double> wanted_;
};

}  // namespace

TriangleMesh remesh(const TriangleMesh& mesh, const Body& body, const EdgeLength& edge_length,
                    const std::vector<FeatureLine>& features, const RemeshParameters& parameters) {
  Remesher remesher(mesh, body, edge_length);
  for (int i = 0; i < parameters.iterations; ++i) {
    remesher.split_long();
    remesher.collapse_short();
    remesher.flip_towards_regular(false);
    remesher.relax(features);
    remesher.relax(features);
  }
  for (std::size_t f = 0; f < features.size(); ++f) {
    remesher.cut(features[f], static_cast<int>(f));
  }
  for (int i = 0; i < parameters.final_relaxations; ++i) {
    remesher.flip_towards_regular(true);
    remesher.relax(features);
    remesher.flip_towards_delaunay();
  }
  return remesher.result();
}

}  // namespace pelt::assets
