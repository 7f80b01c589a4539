#include "deform/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <unordered_map>

#include "core/expect.h"
#include "mesh/measures.h"
#include "rig/kinematics.h"

namespace pelt::deform {
namespace {

struct BitsHash {
  std::size_t operator()(const glm::vec3& p) const {
    std::uint32_t bits[3];
    std::memcpy(bits, &p, sizeof(bits));
    std::size_t hash = 14695981039346656037ull;
    for (const std::uint32_t word : bits) {
      hash = (hash ^ word) * 1099511628211ull;
    }
    return hash;
  }
};

/// The triangles of all parts of one skin as one surface.
struct Surface {
  std::vector<glm::vec3> bind;
  std::vector<glm::vec3> posed;
  std::vector<std::uint32_t> indices;
};

/// Triangles that close the holes of a surface: each boundary loop becomes a fan around its centroid, which is appended
/// to both shapes. Vertices at one bind position count as one.
std::vector<std::uint32_t> close_holes(Surface& surface) {
  const std::size_t vertex_count = surface.bind.size();
  std::vector<std::uint32_t> welded(vertex_count);
  std::unordered_map<glm::vec3, std::uint32_t, BitsHash> first_at;
  first_at.reserve(vertex_count);
  for (std::uint32_t v = 0; v < vertex_count; ++v) {
    // Adding zero makes -0 and +0 the same key.
    welded[v] = first_at.try_emplace(surface.bind[v] + glm::vec3(0.0f), v).first->second;
  }
  // How often each edge runs from its lower to its higher vertex, less how often it runs back: zero inside the surface.
  std::unordered_map<std::uint64_t, int> net;
  net.reserve(surface.indices.size());
  for (std::size_t t = 0; t + 2 < surface.indices.size(); t += 3) {
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const std::uint32_t a = welded[surface.indices[t + corner]];
      const std::uint32_t b = welded[surface.indices[t + (corner + 1) % 3]];
      if (a < b) {
        ++net[(std::uint64_t{a} << 32) | b];
      } else if (b < a) {
        --net[(std::uint64_t{b} << 32) | a];
      }
    }
  }
  // Every triangle leaves each of its vertices as often as it enters it, so the boundary edges form closed loops.
  // Ordered maps make the walk, and with it the result, independent of hashing.
  std::map<std::uint32_t, std::vector<std::uint32_t>> next;
  for (const auto& [edge, count] : net) {
    const auto low = static_cast<std::uint32_t>(edge >> 32);
    const auto high = static_cast<std::uint32_t>(edge & 0xffffffffu);
    for (int i = 0; i < std::abs(count); ++i) {
      next[count > 0 ? low : high].push_back(count > 0 ? high : low);
    }
  }
  for (auto& [from, targets] : next) {
    std::sort(targets.begin(), targets.end(), std::greater<>());
  }
  std::vector<std::uint32_t> fans;
  for (auto& [from, targets] : next) {
    while (!targets.empty()) {
      std::vector<std::uint32_t> loop = {from};
      for (std::uint32_t at = from;;) {
        std::vector<std::uint32_t>& onward = next[at];
        at = onward.back();
        onward.pop_back();
        if (at == from) {
          break;
        }
        loop.push_back(at);
      }
      glm::dvec3 bind_sum(0.0);
      glm::dvec3 posed_sum(0.0);
      for (const std::uint32_t v : loop) {
        bind_sum += glm::dvec3(surface.bind[v]);
        posed_sum += glm::dvec3(surface.posed[v]);
      }
      const auto center = static_cast<std::uint32_t>(surface.bind.size());
      surface.bind.emplace_back(bind_sum / static_cast<double>(loop.size()));
      surface.posed.emplace_back(posed_sum / static_cast<double>(loop.size()));
      for (std::size_t i = 0; i < loop.size(); ++i) {
        fans.insert(fans.end(), {loop[(i + 1) % loop.size()], loop[i], center});
      }
    }
  }
  return fans;
}

/// The factor by which the file itself shows a skin larger than its bind shape: the cube root of the median determinant
/// of the rest pose's skin matrices. 1 unless scale is folded into the inverse bind matrices, as quantised files do.
double baked_scale(const rig::Skin& skin, std::span<const glm::mat4> rest_world) {
  std::vector<glm::mat4> matrices(skin.joints.size());
  rig::skin_matrices(skin, rest_world, matrices);
  std::vector<double> determinants;
  for (const glm::mat4& m : matrices) {
    determinants.push_back(std::abs(glm::determinant(glm::dmat3(m))));
  }
  if (determinants.empty()) {
    return 1.0;
  }
  const auto middle = determinants.begin() + static_cast<std::ptrdiff_t>(determinants.size() / 2);
  std::nth_element(determinants.begin(), middle, determinants.end());
  return *middle > 0.0 ? std::cbrt(*middle) : 1.0;
}

}  // namespace

Difference difference(const DeformedCharacter& a, const DeformedCharacter& b) {
  PELT_EXPECT(a.parts.size() == b.parts.size(), "two deformations of one character");
  Difference out;
  double sum_of_squares = 0;
  std::int64_t compared = 0;
  for (std::size_t p = 0; p < a.parts.size(); ++p) {
    const DeformedPart& left = a.parts[p];
    const DeformedPart& right = b.parts[p];
    PELT_EXPECT(left.positions.size() == right.positions.size(), "two deformations of one character");
    for (std::size_t v = 0; v < left.positions.size(); ++v) {
      if (!is_finite(left.positions[v]) || !is_finite(right.positions[v])) {
        ++out.non_finite;
        continue;
      }
      const double distance = glm::length(glm::dvec3(left.positions[v]) - glm::dvec3(right.positions[v]));
      sum_of_squares += distance * distance;
      ++compared;
      if (out.worst_vertex < 0 || distance > out.max) {
        out.max = distance;
        out.worst_part = static_cast<int>(p);
        out.worst_vertex = static_cast<std::int64_t>(v);
      }
    }
    if (left.normals.size() == right.normals.size()) {
      for (std::size_t v = 0; v < left.normals.size(); ++v) {
        const glm::dvec3 m(left.normals[v]);
        const glm::dvec3 n(right.normals[v]);
        // By the tangent: acos loses small angles.
        const double angle = std::atan2(glm::length(glm::cross(m, n)), glm::dot(m, n));
        out.max_normal_angle = std::max(out.max_normal_angle, angle);
      }
    }
  }
  out.rms = compared > 0 ? std::sqrt(sum_of_squares / static_cast<double>(compared)) : 0.0;
  return out;
}

CollapseMeasures collapse_measures(const rig::Character& character, const DeformedCharacter& deformed) {
  PELT_EXPECT(deformed.parts.size() == character.parts.size(), "a deformation of this character");
  rig::WorldMatrices rest;
  rest.evaluate(character.skeleton, rig::rest_pose(character));

  std::map<int, Surface> surfaces;  // by skin
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const rig::Part& part = character.parts[p];
    const mesh::Primitive& primitive = character.primitive(part);
    if (!is_skinned(character, part) || primitive.topology != mesh::Topology::kTriangles) {
      continue;
    }
    Surface& surface = surfaces[part.skin];
    const auto base = static_cast<std::uint32_t>(surface.bind.size());
    surface.bind.insert(surface.bind.end(), primitive.positions.begin(), primitive.positions.end());
    const std::vector<glm::vec3>& posed = deformed.parts[p].positions;
    surface.posed.insert(surface.posed.end(), posed.begin(), posed.end());
    for (const std::uint32_t index : primitive.indices) {
      surface.indices.push_back(base + index);
    }
  }

  CollapseMeasures out;
  double bind_volume = 0;
  double posed_volume = 0;
  double bind_area = 0;
  double posed_area = 0;
  double largest_stretch = 0;
  double volume_floor = 0;  // what rounding alone may enclose
  for (auto& [skin_index, surface] : surfaces) {
    const double scale = baked_scale(character.skins[static_cast<std::size_t>(skin_index)], rest.world());
    bind_area += mesh::surface_area(surface.bind, surface.indices) * scale * scale;
    posed_area += mesh::surface_area(surface.posed, surface.indices);
    const double diagonal = static_cast<double>(bounds_of(surface.bind).diagonal()) * scale;
    volume_floor += 1e-9 * diagonal * diagonal * diagonal;
    for (std::size_t i = 0; i + 2 < surface.indices.size(); i += 3) {
      for (std::size_t corner = 0; corner < 3; ++corner) {
        const std::uint32_t a = surface.indices[i + corner];
        const std::uint32_t b = surface.indices[i + (corner + 1) % 3];
        const double bind_length = glm::length(glm::dvec3(surface.bind[a]) - glm::dvec3(surface.bind[b])) * scale;
        if (bind_length > 1e-7 * diagonal) {
          const double length = glm::length(glm::dvec3(surface.posed[a]) - glm::dvec3(surface.posed[b]));
          largest_stretch = std::max(largest_stretch, length / bind_length);
        }
      }
    }
    const std::vector<std::uint32_t> fans = close_holes(surface);
    surface.indices.insert(surface.indices.end(), fans.begin(), fans.end());
    bind_volume += mesh::signed_volume(surface.bind, surface.indices) * scale * scale * scale;
    posed_volume += mesh::signed_volume(surface.posed, surface.indices);
  }
  if (std::abs(bind_volume) > volume_floor) {
    out.volume_ratio = posed_volume / bind_volume;
  }
  if (largest_stretch > 0) {
    out.max_edge_stretch = largest_stretch;
  }
  if (bind_area > 0) {
    out.area_ratio = posed_area / bind_area;
  }
  return out;
}

}  // namespace pelt::deform
