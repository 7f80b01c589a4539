// Selections that have a name, in a session: joints by their keys, vertices of a part as runs of first and count.
#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/guarded_json.h"
#include "core/index.h"
#include "edit/session_parts.h"

namespace pelt::edit {
namespace {

// A run of a few digits can name every vertex, so that a short text could ask for more than there is memory.
constexpr std::size_t kMostSelected = std::size_t{1} << 26;

VertexSelection read_vertices(SessionReader& from, const Place& list, std::size_t& total) {
  const rig::Character& character = *from.document.content.character;
  VertexSelection out;
  list.each([&](const Place& place) {
    const int part = place.at("part").integer(0, std::numeric_limits<int>::max());
    if (!out.empty() && part <= out.back().part) {
      place.fail("parts in ascending order");
    }
    if (!has_index(character.parts, part)) {
      return;
    }
    const std::size_t count = character.primitive(character.parts[part]).vertex_count();
    PartVertices of_part{part, read_vertex_runs(place.at("vertices"), count)};
    total += of_part.vertices.size();
    if (total > kMostSelected) {
      place.fail(fmt::format("at most {} vertices in all selections", kMostSelected));
    }
    if (!of_part.vertices.empty()) {
      out.push_back(std::move(of_part));
    }
  });
  return out;
}

}  // namespace

SessionJson vertex_runs(const std::vector<std::uint32_t>& vertices) {
  SessionJson runs = SessionJson::array();
  for (std::size_t begin = 0; begin < vertices.size();) {
    std::size_t end = begin + 1;
    while (end < vertices.size() && vertices[end] == vertices[begin] + (end - begin)) {
      ++end;
    }
    runs.push_back(vertices[begin]);
    runs.push_back(end - begin);
    begin = end;
  }
  return runs;
}

std::vector<std::uint32_t> read_vertex_runs(const Place& place, std::size_t vertex_count) {
  std::vector<std::size_t> numbers;
  place.each(
      [&](const Place& value) { numbers.push_back(value.size_up_to(std::numeric_limits<std::uint32_t>::max())); });
  if (numbers.size() % 2 != 0) {
    place.fail("pairs of a first vertex and a count");
  }
  std::vector<std::uint32_t> vertices;
  std::size_t end = 0;
  for (std::size_t i = 0; i < numbers.size(); i += 2) {
    if (numbers[i] < end) {
      place.fail("runs in ascending order");
    }
    end = numbers[i] + numbers[i + 1];
    for (std::size_t v = numbers[i]; v < std::min(end, vertex_count); ++v) {
      vertices.push_back(static_cast<std::uint32_t>(v));
    }
  }
  return vertices;
}

void write_selections(SessionWriter& to) {
  SessionJson sections = SessionJson::object();
  for (const auto& [name, selection] : *to.document.content.selections) {
    SessionJson joints = SessionJson::array();
    for (const int joint : selection.joints) {
      joints.push_back(to.keys.key(joint));
    }
    SessionJson line = {{"joints", std::move(joints)}};
    for (const PartVertices& of_part : selection.vertices) {
      line["vertices"].push_back({{"part", of_part.part}, {"vertices", vertex_runs(of_part.vertices)}});
    }
    sections[name] = std::move(line);
  }
  if (!sections.empty()) {
    to.json["selections"] = std::move(sections);
  }
}

void read_selections(SessionReader& from) {
  if (!from.root.has("selections")) {
    return;
  }
  std::size_t total = 0;
  from.root.at("selections").each_member([&](const std::string& name, const Place& place) {
    NamedSelection selection;
    place.at("joints").each([&](const Place& key) {
      if (const int joint = from.joint(key.text(), "the selection of"); joint >= 0) {
        selection.joints.push_back(joint);
      }
    });
    selection.joints = combined({}, selection.joints, SelectBy::kReplace);
    if (place.has("vertices")) {
      selection.vertices = read_vertices(from, place.at("vertices"), total);
    }
    if (!name.empty() && (!selection.joints.empty() || !selection.vertices.empty())) {
      from.document.content.selections.edit()[name] = std::move(selection);
    }
  });
}

}  // namespace pelt::edit
