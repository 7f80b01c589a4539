#include "rig/hiding.h"

#include <algorithm>

#include "core/expect.h"
#include "core/index.h"

namespace pelt::rig {
namespace {

/// Corners of an element.
std::size_t corners(mesh::Topology topology) {
  switch (topology) {
    case mesh::Topology::kPoints:
      return 1;
    case mesh::Topology::kLines:
      return 2;
    case mesh::Topology::kTriangles:
      break;
  }
  return 3;
}

bool fits(const Hiding::Vertices& vertices, const Character& character, int part) {
  if (!has_index(character.parts, part)) {
    return false;
  }
  const mesh::Primitive& primitive = character.primitive(character.parts[part]);
  return vertices.elements.is(primitive.indices) && vertices.hidden.size() == primitive.vertex_count();
}

}  // namespace

bool Hiding::hides_part(int part) const {
  return std::ranges::binary_search(parts, part);
}

std::span<const char> Hiding::of_part(int part) const {
  const auto found = vertices.find(part);
  return found == vertices.end() ? std::span<const char>() : std::span<const char>(found->second.hidden.get());
}

void hide_vertices(Hiding& hiding, const Character& character, int part, std::span<const char> more) {
  const mesh::Primitive& primitive = character.primitive(character.parts[part]);
  PELT_EXPECT(more.size() == primitive.vertex_count(), "one mark per vertex of the part");
  hiding.made_of = character.parts;
  if (std::ranges::find_if(more, [](char mark) { return mark != 0; }) == more.end()) {
    return;
  }
  Hiding::Vertices& of_part = hiding.vertices[part];
  if (!fits(of_part, character, part)) {
    of_part = {primitive.indices, SharedArray<char>(primitive.vertex_count(), 0)};
  }
  std::vector<char>& hidden = of_part.hidden.edit();
  for (std::size_t v = 0; v < more.size(); ++v) {
    hidden[v] = hidden[v] != 0 || more[v] != 0 ? 1 : 0;
  }
}

void hide_part(Hiding& hiding, const Character& character, int part, bool hidden) {
  hiding.made_of = character.parts;
  const auto at = std::ranges::lower_bound(hiding.parts, part);
  const bool is_hidden = at != hiding.parts.end() && *at == part;
  if (hidden && !is_hidden) {
    hiding.parts.insert(at, part);
  } else if (!hidden && is_hidden) {
    hiding.parts.erase(at);
  }
}

SharedHiding fitting(SharedHiding hiding, const Character& character) {
  if (hiding == nullptr || hiding->empty()) {
    return nullptr;
  }
  if (!hiding->made_of.is(character.parts) && !std::ranges::equal(hiding->made_of, character.parts)) {
    return nullptr;
  }
  if (std::ranges::all_of(hiding->vertices,
                          [&](const auto& of_part) { return fits(of_part.second, character, of_part.first); })) {
    return hiding;
  }
  auto rest = std::make_shared<Hiding>(*hiding);
  std::erase_if(rest->vertices, [&](const auto& of_part) { return !fits(of_part.second, character, of_part.first); });
  return rest->empty() ? nullptr : SharedHiding(std::move(rest));
}

std::int64_t hidden_face_count(const Hiding& hiding, const Character& character) {
  std::int64_t count = 0;
  for (const auto& [part, vertices] : hiding.vertices) {
    if (!fits(vertices, character, part)) {
      continue;
    }
    const mesh::Primitive& primitive = character.primitive(character.parts[part]);
    const std::vector<std::uint32_t>& indices = primitive.indices;
    const std::vector<char>& hidden = vertices.hidden;
    const std::size_t step = corners(primitive.topology);
    for (std::size_t i = 0; i + step <= indices.size(); i += step) {
      bool any = false;
      for (std::size_t k = 0; k < step; ++k) {
        any = any || hidden[indices[i + k]] != 0;
      }
      count += any ? 1 : 0;
    }
  }
  return count;
}

bool HiddenSurface::hides(const Part& part, int p) const {
  return (!nodes.empty() && nodes[part.joint] != 0) || (by_hand != nullptr && by_hand->hides_part(p));
}

std::span<const char> HiddenSurface::vertices(int part) const {
  return by_hand == nullptr ? std::span<const char>() : by_hand->of_part(part);
}

}  // namespace pelt::rig
