#include "measure/surface.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <unordered_map>

#include "core/expect.h"
#include "core/index.h"
#include "deform/common_stretch.h"
#include "rig/kinematics.h"

namespace pelt::measure {
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

void weld(const rig::Character& character, Surface& surface) {
  std::unordered_map<glm::vec3, std::uint32_t, BitsHash> first_at;
  for (const Surface::Piece& piece : surface.pieces) {
    for (const glm::vec3& p : character.primitive(character.parts[piece.part]).positions) {
      const auto v = static_cast<std::uint32_t>(surface.welded.size());
      // Adding zero makes -0 and +0 the same key.
      surface.welded.push_back(first_at.try_emplace(p + glm::vec3(0.0f), v).first->second);
    }
  }
}

// A direction keeps what length it has; one of no length has none to keep.
glm::vec3 turned_to(const glm::dvec3& image, const glm::dvec3& from) {
  const double length = glm::length(image);
  return length > 0 ? glm::vec3(image * (glm::length(from) / length)) : glm::vec3(from);
}

void stretch_part(const glm::dmat3& stretch, deform::DeformedPart& shape) {
  const glm::dmat3 of_normals = glm::inverse(glm::transpose(stretch));
  for (glm::vec3& p : shape.positions) {
    p = glm::vec3(stretch * glm::dvec3(p));
  }
  for (glm::vec3& n : shape.normals) {
    n = turned_to(of_normals * glm::dvec3(n), glm::dvec3(n));
  }
  for (glm::vec4& t : shape.tangents) {
    t = glm::vec4(turned_to(stretch * glm::dvec3(t), glm::dvec3(t)), t.w);
  }
}

}  // namespace

std::vector<glm::vec3> Surface::positions(const deform::DeformedCharacter& shape) const {
  std::vector<glm::vec3> out;
  out.reserve(vertex_count());
  for (const Piece& piece : pieces) {
    PELT_EXPECT(has_index(shape.parts, piece.part), "a deformation of this character");
    const std::span<const glm::vec3> part = shape.parts[piece.part].positions;
    out.insert(out.end(), part.begin(), part.end());
  }
  PELT_EXPECT(out.size() == vertex_count(), "a deformation of this character");
  return out;
}

std::vector<Surface> surfaces_of(const rig::Character& character) {
  std::vector<Surface> skinned;
  std::vector<Surface> placed;
  std::map<int, std::size_t> of_skin;
  std::map<int, std::size_t> of_node;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const rig::Part& part = character.parts[p];
    const mesh::Primitive& primitive = character.primitive(part);
    if (primitive.topology != mesh::Topology::kTriangles || primitive.indices.empty()) {
      continue;
    }
    const bool has_skin = deform::is_skinned(character, part);
    std::vector<Surface>& list = has_skin ? skinned : placed;
    const auto [found, is_new] =
        has_skin ? of_skin.try_emplace(part.skin, list.size()) : of_node.try_emplace(part.mesh_node, list.size());
    if (is_new) {
      list.emplace_back();
      list.back().skin = has_skin ? part.skin : -1;
    }
    Surface& surface = list[found->second];
    std::uint32_t first_vertex = 0;
    if (!surface.pieces.empty()) {
      const Surface::Piece& last = surface.pieces.back();
      const rig::Part& last_part = character.parts[last.part];
      first_vertex = last.first_vertex + static_cast<std::uint32_t>(character.primitive(last_part).vertex_count());
    }
    surface.pieces.push_back({static_cast<int>(p), first_vertex, static_cast<std::uint32_t>(surface.triangle_count())});
    for (const std::uint32_t index : primitive.indices) {
      surface.indices.push_back(first_vertex + index);
    }
  }
  skinned.insert(skinned.end(), std::make_move_iterator(placed.begin()), std::make_move_iterator(placed.end()));
  for (Surface& surface : skinned) {
    weld(character, surface);
  }
  return skinned;
}

deform::DeformedCharacter bind_shape(const rig::Character& character) {
  deform::DeformedCharacter out = deform::deform_once(character, rig::rest_pose(character), {});
  const std::vector<glm::dmat3> stretches = deform::common_stretches(character);
  out.bounds = {};
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const rig::Part& part = character.parts[p];
    deform::DeformedPart& shape = out.parts[p];
    if (deform::is_skinned(character, part)) {
      const mesh::Primitive& primitive = character.primitive(part);
      const glm::dmat3& stretch = stretches[part.skin];
      shape.positions.assign(primitive.positions.begin(), primitive.positions.end());
      shape.normals.assign(primitive.normals.begin(), primitive.normals.end());
      shape.tangents.assign(primitive.tangents.begin(), primitive.tangents.end());
      if (stretch != glm::dmat3(1.0)) {
        stretch_part(stretch, shape);
      }
    }
    for (const glm::vec3& p0 : shape.positions) {
      out.bounds.add(p0);
    }
  }
  return out;
}

HoleFans close_holes(const Surface& surface) {
  return close_holes(surface.indices, surface.welded);
}

HoleFans close_holes(std::span<const std::uint32_t> indices, std::span<const std::uint32_t> welded) {
  // How often each edge runs from its lower to its higher vertex, less how often it runs back: zero inside the surface.
  std::unordered_map<std::uint64_t, int> net;
  net.reserve(indices.size());
  for (std::size_t i = 0; i + 2 < indices.size(); i += 3) {
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const std::uint32_t a = welded[indices[i + corner]];
      const std::uint32_t b = welded[indices[i + (corner + 1) % 3]];
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
  HoleFans fans;
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
      fans.loops.push_back(std::move(loop));
    }
  }
  return fans;
}

namespace {

/// Calls `visit(a, b, center)` for the corners of each triangle of the fans.
template <typename Visit>
void for_each_fan_triangle(const HoleFans& fans, std::span<const glm::vec3> positions, Visit&& visit) {
  for (const std::vector<std::uint32_t>& loop : fans.loops) {
    glm::dvec3 center(0.0);
    for (const std::uint32_t v : loop) {
      center += glm::dvec3(positions[v]);
    }
    center /= static_cast<double>(loop.size());
    for (std::size_t i = 0; i < loop.size(); ++i) {
      visit(glm::dvec3(positions[loop[(i + 1) % loop.size()]]), glm::dvec3(positions[loop[i]]), center);
    }
  }
}

}  // namespace

double HoleFans::six_volumes(std::span<const glm::vec3> positions) const {
  double sum = 0;
  for_each_fan_triangle(*this, positions, [&](const glm::dvec3& a, const glm::dvec3& b, const glm::dvec3& center) {
    sum += glm::dot(a, glm::cross(b, center));
  });
  return sum;
}

double HoleFans::area(std::span<const glm::vec3> positions) const {
  double sum = 0;
  for_each_fan_triangle(*this, positions, [&](const glm::dvec3& a, const glm::dvec3& b, const glm::dvec3& center) {
    sum += glm::length(glm::cross(a - center, b - center)) / 2;
  });
  return sum;
}

}  // namespace pelt::measure
