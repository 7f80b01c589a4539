#include "edit/hiding.h"

#include <algorithm>
#include <utility>

#include "core/index.h"

namespace pelt::edit {
namespace {

rig::SharedHiding or_null(rig::Hiding hiding) {
  return hiding.empty() ? nullptr : std::make_shared<const rig::Hiding>(std::move(hiding));
}

rig::Hiding copied(const rig::SharedHiding& hiding, const rig::Character& character) {
  const rig::SharedHiding fitting = rig::fitting(hiding, character);
  return fitting == nullptr ? rig::Hiding{} : *fitting;
}

/// [V] of a part.
std::vector<char> marks(const rig::Character& character, const PartVertices& of_part) {
  std::vector<char> out(character.primitive(character.parts[of_part.part]).vertex_count(), 0);
  for (const std::uint32_t v : of_part.vertices) {
    out[v] = 1;
  }
  return out;
}

}  // namespace

rig::SharedHiding hide_faces(const rig::SharedHiding& hiding, const rig::Character& character, SurfaceCache& surfaces,
                             const VertexSelection& selection) {
  rig::Hiding out = copied(hiding, character);
  for (const PartVertices& of_part : at_same_places(character, surfaces, selection)) {
    rig::hide_vertices(out, character, of_part.part, marks(character, of_part));
  }
  return or_null(std::move(out));
}

rig::SharedHiding hide_other_faces(const rig::SharedHiding& hiding, const rig::Character& character,
                                   SurfaceCache& surfaces, const VertexSelection& selection) {
  rig::Hiding out = copied(hiding, character);
  const VertexSelection stays = at_same_places(character, surfaces, selection);
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const auto found = std::ranges::find(stays, static_cast<int>(p), &PartVertices::part);
    std::vector<char> others = marks(character, found == stays.end() ? PartVertices{static_cast<int>(p), {}} : *found);
    for (char& mark : others) {
      mark = mark == 0 ? 1 : 0;
    }
    rig::hide_vertices(out, character, static_cast<int>(p), others);
  }
  return or_null(std::move(out));
}

rig::SharedHiding show_faces(const rig::SharedHiding& hiding) {
  if (hiding == nullptr || hiding->vertices.empty()) {
    return hiding;
  }
  rig::Hiding out = *hiding;
  out.vertices.clear();
  return or_null(std::move(out));
}

rig::SharedHiding set_part_hidden(const rig::SharedHiding& hiding, const rig::Character& character, int part,
                                  bool hidden) {
  rig::Hiding out = copied(hiding, character);
  rig::hide_part(out, character, part, hidden);
  return or_null(std::move(out));
}

rig::SharedHiding show_only_parts(const rig::SharedHiding& hiding, const rig::Character& character,
                                  std::span<const int> parts) {
  rig::Hiding out = copied(hiding, character);
  for (int p = 0; p < static_cast<int>(character.parts.size()); ++p) {
    rig::hide_part(out, character, p, std::ranges::find(parts, p) == parts.end());
  }
  return or_null(std::move(out));
}

VertexSelection shown(const VertexSelection& selection, const rig::Character& character,
                      const rig::HiddenSurface& hidden) {
  VertexSelection out;
  for (const PartVertices& of_part : selection) {
    if (!has_index(character.parts, of_part.part) || hidden.hides(character.parts[of_part.part], of_part.part)) {
      continue;
    }
    const std::span<const char> marks = hidden.vertices(of_part.part);
    PartVertices kept = of_part;
    std::erase_if(kept.vertices, [&](std::uint32_t v) { return has_index(marks, v) && marks[v] != 0; });
    if (!kept.vertices.empty()) {
      out.push_back(std::move(kept));
    }
  }
  return out;
}

rig::SharedHiding remapped(const Remap& numbers, const rig::SharedHiding& hiding, const rig::Character& after,
                           int& lost) {
  lost = 0;
  if (hiding == nullptr) {
    return nullptr;
  }
  rig::Hiding out;
  for (const int part : hiding->parts) {
    const int now = has_index(numbers.parts, part) ? numbers.parts[part] : -1;
    if (now >= 0) {
      rig::hide_part(out, after, now, true);
    } else {
      ++lost;
    }
  }
  for (const auto& [part, vertices] : hiding->vertices) {
    const int now = has_index(numbers.parts, part) && numbers.same_vertices[part] != 0 ? numbers.parts[part] : -1;
    if (now >= 0 && after.primitive(after.parts[now]).vertex_count() == vertices.hidden.size()) {
      rig::hide_vertices(out, after, now, vertices.hidden.get());
    } else {
      ++lost;
    }
  }
  return or_null(std::move(out));
}

}  // namespace pelt::edit
