// The surfaces on which weights were edited and vertices selected, in a session: so that another version of the file,
// with other vertices or in another order, can take them over by position.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "edit/session_data.h"
#include "edit/session_parts.h"

namespace pelt::edit {
namespace {

// Corners of a surface with so many vertices are numbers of 16 bits.
constexpr std::size_t kNarrow = std::size_t{1} << 16;
constexpr std::size_t kMostOfArray = std::size_t{1} << 32;
constexpr std::size_t kMostHeld = std::size_t{1} << 27;  // vertices and corners

template <typename T>
std::vector<std::uint32_t> read_corners(const Place& place, const DataReader& data, std::size_t vertex_count) {
  std::size_t at = place.at("at").size_up_to(kMostOfArray);
  const std::vector<T> corners = data.get<T>(at, place.at("count").size_up_to(kMostOfArray), place);
  std::vector<std::uint32_t> out(corners.begin(), corners.end());
  if (out.size() % 3 != 0 || !std::ranges::all_of(out, [&](std::uint32_t v) { return v < vertex_count; })) {
    place.fail("triangles of the vertices that there are");
  }
  return out;
}

EditedSurface read_surface(const Place& surface, const DataReader& data) {
  EditedSurface out;
  const Place positions = surface.at("positions");
  std::size_t at = positions.at("at").size_up_to(kMostOfArray);
  out.positions = data.get<glm::vec3>(at, positions.at("count").size_up_to(kMostOfArray), positions);
  if (!std::ranges::all_of(out.positions, [](const glm::vec3& position) { return is_finite(position); })) {
    positions.fail("finite numbers");
  }
  out.corners = out.positions.size() <= kNarrow
                    ? read_corners<std::uint16_t>(surface.at("corners"), data, out.positions.size())
                    : read_corners<std::uint32_t>(surface.at("corners"), data, out.positions.size());
  return out;
}

using Surfaces = std::map<std::string, SessionReader::HeldSurface>;

// All that the session has, found once: any number of selections may ask.
Surfaces surfaces_in(const Place& root) {
  Surfaces out;
  if (root.has("surfaces")) {
    root.at("surfaces").each_member([&](const std::string& places, const Place& entry) {
      out.try_emplace(places, SessionReader::HeldSurface{entry});
    });
  }
  return out;
}

// As the document has it, since that has the numbers of the vertices which were edited.
SessionJson surface_json(const mesh::Primitive& primitive, DataWriter& data) {
  const std::vector<std::uint32_t> corners =
      primitive.topology == mesh::Topology::kTriangles ? primitive.indices.get() : std::vector<std::uint32_t>();
  const bool is_narrow = primitive.vertex_count() <= kNarrow;
  const std::vector<std::uint16_t> narrow(corners.begin(), is_narrow ? corners.end() : corners.begin());
  SessionJson out = SessionJson::object();
  out["positions"] = {{"at", data.put(std::span<const glm::vec3>(primitive.positions.get()))},
                      {"count", primitive.vertex_count()}};
  const std::size_t at =
      is_narrow ? data.put(std::span<const std::uint16_t>(narrow)) : data.put(std::span<const std::uint32_t>(corners));
  out["corners"] = {{"at", at}, {"count", corners.size()}};
  return out;
}

}  // namespace

void write_surfaces(SessionWriter& to) {
  for (const auto& [places, where] : to.surfaces) {
    DataWriter data;
    SessionJson surface =
        surface_json(to.document.content.character->meshes[where.first].primitives[where.second], data);
    SessionJson entry = {{"data", add_data(to, data.take())}};
    entry.update(surface);
    to.json["surfaces"][places] = std::move(entry);
  }
}

std::shared_ptr<const EditedSurface> edited_surface(SessionReader& from, const std::string& places) {
  if (!from.surfaces) {
    from.surfaces = surfaces_in(from.root);
  }
  const auto found = from.surfaces->find(places);
  if (found == from.surfaces->end()) {
    return nullptr;
  }
  SessionReader::HeldSurface& held = found->second;
  if (std::exchange(held.is_asked, true)) {
    return held.read;
  }
  // A program that did not know of surfaces may have saved the session since, without their files.
  const std::string file = held.entry.at("data").text();
  if (is_data_name(file) && !from.files(file)) {
    return nullptr;
  }
  const std::string bytes = read_data(from, held.entry);
  EditedSurface surface = read_surface(held.entry, DataReader(bytes));
  from.surface_size += surface.positions.size() + surface.corners.size();
  if (from.surface_size > kMostHeld) {  // any number of them could name one array
    held.entry.fail(fmt::format("at most {} vertices and corners in all surfaces", kMostHeld));
  }
  held.read = std::make_shared<const EditedSurface>(std::move(surface));
  return held.read;
}

}  // namespace pelt::edit
