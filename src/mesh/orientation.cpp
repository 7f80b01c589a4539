#include "mesh/orientation.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "mesh/weld.h"

namespace pelt::mesh {
namespace {

constexpr double kClearly = 0.25;  // cosine between a triangle's own normal and each of its corners'

// How a triangle's corners judge it.
struct Opinion {
  double area = 0;          // times two
  bool is_against = false;  // on the whole
  bool is_clear = false;    // all three, and clearly
};

Opinion opinion_on(const Primitive& primitive, std::size_t t) {
  const std::uint32_t* const corner = primitive.indices.data() + 3 * t;
  const glm::dvec3 a(primitive.positions[corner[0]]);
  const glm::dvec3 normal =
      glm::cross(glm::dvec3(primitive.positions[corner[1]]) - a, glm::dvec3(primitive.positions[corner[2]]) - a);
  Opinion out;
  out.area = glm::length(normal);
  double sum = 0;
  out.is_clear = out.area > 0;
  for (int c = 0; c < 3; ++c) {
    const double along = glm::dot(normal, glm::dvec3(primitive.normals[corner[c]]));
    sum += along;
    out.is_clear = out.is_clear && along < -kClearly * out.area;
  }
  out.is_against = sum < 0;
  return out;
}

// Numbers that are joined into sets.
class Sets {
 public:
  explicit Sets(std::size_t count) : of_(count) { std::iota(of_.begin(), of_.end(), 0U); }
  std::uint32_t operator[](std::uint32_t i) {
    while (of_[i] != i) {
      i = of_[i] = of_[of_[i]];
    }
    return i;
  }
  void join(std::uint32_t a, std::uint32_t b) { of_[(*this)[a]] = (*this)[b]; }

 private:
  std::vector<std::uint32_t> of_;
};

struct Patches {
  Sets of;                      // [T] triangles
  Sets shell;                   // [V] vertices that triangles join
  std::vector<char> disagrees;  // [T] the triangle runs along an edge in the same direction as its only neighbour there
};

Patches patches_wound_alike(const Primitive& primitive) {
  const std::vector<std::uint32_t> weld = weld_by_position(primitive.positions);
  const std::size_t triangles = primitive.triangle_count();
  Patches out{Sets(triangles), Sets(weld.size()), std::vector<char>(triangles, 0)};
  for (std::uint32_t v = 0; v < weld.size(); ++v) {
    out.shell.join(v, weld[v]);
  }
  const std::vector<EdgeUse> uses = edge_uses(primitive.indices, weld);
  const auto runs_up = [&](const EdgeUse& use) { return weld[primitive.indices[use.corner]] == use.low; };
  for (std::size_t i = 0; i < uses.size();) {
    const std::size_t end = edge_end(uses, i);
    out.shell.join(uses[i].low, uses[i].high);
    const std::uint32_t a = uses[i].corner / 3;
    const std::uint32_t b = uses[end - 1].corner / 3;
    if (end - i == 2 && runs_up(uses[i]) != runs_up(uses[i + 1])) {
      out.of.join(a, b);
    } else if (end - i == 2) {
      out.disagrees[a] = out.disagrees[b] = 1;
    }
    i = end;
  }
  return out;
}

}  // namespace

std::vector<std::uint32_t> wrongly_wound(const Primitive& primitive) {
  std::vector<std::uint32_t> out;
  if (primitive.normals.empty() || primitive.triangle_count() == 0) {
    return out;
  }
  std::vector<Opinion> opinions;
  for (std::size_t t = 0; t < primitive.triangle_count(); ++t) {
    opinions.push_back(opinion_on(primitive, t));
  }
  if (std::ranges::none_of(opinions, &Opinion::is_clear)) {
    return out;
  }
  Patches patches = patches_wound_alike(primitive);
  struct Sum {
    double against = 0;
    double with = 0;
    bool is_clear = false;
    bool disagrees = false;
  };
  std::vector<Sum> sums(opinions.size());                 // by patch
  std::vector<double> area(primitive.vertex_count(), 0);  // by shell
  const auto shell_of = [&](std::uint32_t t) { return patches.shell[primitive.indices[3 * t]]; };
  for (std::uint32_t t = 0; t < opinions.size(); ++t) {
    Sum& sum = sums[patches.of[t]];
    (opinions[t].is_against ? sum.against : sum.with) += opinions[t].area;
    sum.is_clear = sum.is_clear || opinions[t].is_clear;
    sum.disagrees = sum.disagrees || patches.disagrees[t] != 0;
    area[shell_of(t)] += opinions[t].area;
  }
  for (std::uint32_t t = 0; t < opinions.size(); ++t) {
    const Sum& sum = sums[patches.of[t]];
    const bool is_most = 2 * (sum.against + sum.with) > area[shell_of(t)];
    if (sum.is_clear && sum.against > sum.with && (sum.disagrees || is_most)) {
      out.push_back(t);
    }
  }
  return out;
}

void turn_round(Primitive& primitive, const std::vector<std::uint32_t>& triangles) {
  if (triangles.empty()) {
    return;
  }
  std::vector<std::uint32_t>& indices = primitive.indices.edit();
  for (const std::uint32_t t : triangles) {
    std::swap(indices[3 * t + 1], indices[3 * t + 2]);
  }
}

}  // namespace pelt::mesh
