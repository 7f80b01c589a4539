// Selections that have a name, in a session: joints by their keys, vertices of a node's primitive as runs of first and
// count.
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/guarded_json.h"
#include "core/index.h"
#include "core/text.h"
#include "edit/session_parts.h"

namespace pelt::edit {
namespace {

struct Runs {
  std::vector<std::uint32_t> vertices;
  bool complete = true;  ///< the primitive has all of them
};

// Those of a primitive's vertices that the runs name; they must come in ascending order.
Runs read_runs(const Place& place, std::size_t vertex_count) {
  std::vector<std::size_t> numbers;
  place.each(
      [&](const Place& value) { numbers.push_back(value.size_up_to(std::numeric_limits<std::uint32_t>::max())); });
  if (numbers.size() % 2 != 0) {
    place.fail("pairs of a first vertex and a count");
  }
  Runs out;
  std::size_t end = 0;
  for (std::size_t i = 0; i < numbers.size(); i += 2) {
    if (numbers[i] < end) {
      place.fail("runs in ascending order");
    }
    end = numbers[i] + numbers[i + 1];
    if (const std::size_t stop = std::min(end, vertex_count); numbers[i] < stop) {
      out.vertices.resize(out.vertices.size() + (stop - numbers[i]));
      std::iota(out.vertices.end() - static_cast<std::ptrdiff_t>(stop - numbers[i]), out.vertices.end(),
                static_cast<std::uint32_t>(numbers[i]));
    }
  }
  out.complete = end <= vertex_count;
  return out;
}

std::vector<std::string> node_names(const rig::Character& character, const JointKeys& keys) {
  std::vector<std::string> names;
  for (const rig::MeshNode& node : character.mesh_nodes) {
    names.push_back(keys.key(node.joint));
  }
  return names;
}

// Where the vertices of an entry are: a node and primitive or, before version 2, a part of the scene that was shown.
NodeVertices read_where(const SessionReader& from, const Place& place, std::span<const std::string> nodes) {
  if (place.has("node")) {
    const int primitive = place.at("primitive").integer(0, std::numeric_limits<int>::max());
    return {referred(place.at("node"), nodes), primitive, {}};
  }
  const rig::Character& character = *from.document.content.character;
  const int part = place.at("part").integer(0, std::numeric_limits<int>::max());
  if (!has_index(character.parts, part)) {
    return {-1, 0, {}};
  }
  return {character.parts[part].mesh_node, character.parts[part].primitive, {}};
}

// A run of a few digits can name every vertex, so that a short text could ask for more than there is memory.
constexpr std::size_t kMostSelected = std::size_t{1} << 26;

// Whether an entry is about a primitive as the file has it. Before sessions said so, all that is in range was.
bool is_of_file(SessionReader& from, const Place& place, const NodeVertices& where) {
  const mesh::Primitive* const primitive = primitive_at(from.file, where);
  if (primitive == nullptr || !place.has("places")) {
    return true;
  }
  std::string& hash = from.places[primitive];
  hash = hash.empty() ? places_hash(*primitive) : hash;
  return place.at("places").text() == hash;
}

// Keeps an entry about another version of the file, where the session has the surface. @returns whether it has
bool hold_selection(SessionReader& from, const std::string& name, const Place& place, const NodeVertices& where,
                    std::size_t& total) {
  HeldSelection held{name, where.mesh_node, where.primitive, edited_surface(from, place.at("places").text()), {}};
  if (held.surface == nullptr) {
    return false;
  }
  Runs runs = read_runs(place.at("vertices"), held.surface->positions.size());
  total += runs.vertices.size();
  if (!runs.complete || total > kMostSelected) {
    place.at("vertices").fail("vertices of the surface that the session holds");
  }
  held.vertices = std::move(runs.vertices);
  from.held.selections.push_back(std::move(held));
  return true;
}

NamedVertices read_vertices(SessionReader& from, const std::string& name, const Place& list,
                            std::span<const std::string> nodes, std::size_t& total) {
  const rig::Character& character = *from.document.content.character;
  std::map<std::pair<int, int>, NodeVertices> read;  // by node and primitive
  bool complete = true;
  bool is_held = true;  // all that is not complete
  list.each([&](const Place& place) {
    NodeVertices of_node = read_where(from, place, nodes);
    if (!is_of_file(from, place, of_node)) {
      complete = false;
      is_held = hold_selection(from, name, place, of_node, total) && is_held;
      return;
    }
    const mesh::Primitive* const primitive = primitive_at(character, of_node);
    Runs runs = read_runs(place.at("vertices"), primitive != nullptr ? primitive->vertex_count() : 0);
    const bool is_whole = primitive != nullptr && runs.complete;
    complete = complete && is_whole;
    is_held = is_held && is_whole;
    total += runs.vertices.size();
    if (total > kMostSelected) {
      place.fail(fmt::format("at most {} vertices in all selections", kMostSelected));
    }
    of_node.vertices = std::move(runs.vertices);
    const std::pair key(of_node.mesh_node, of_node.primitive);
    if (!of_node.vertices.empty() && !read.try_emplace(key, std::move(of_node)).second) {
      place.fail("each node and primitive once");
    }
  });
  if (!complete) {
    from.lost.push_back(fmt::format("some of the selection {}", printable(name)));
    for (HeldSelection& held : from.held.selections) {
      held.lost = is_held && held.name == name ? from.lost.back() : held.lost;
    }
  }
  NamedVertices out;
  for (auto& entry : read) {
    out.push_back(std::move(entry.second));
  }
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
  return read_runs(place, vertex_count).vertices;
}

void write_selections(SessionWriter& to) {
  const std::vector<std::string> nodes = node_names(*to.file, to.keys);
  std::map<const mesh::Primitive*, std::string> hashes;
  SessionJson sections = SessionJson::object();
  for (const auto& [name, selection] : *to.document.content.selections) {
    SessionJson joints = SessionJson::array();
    for (const int joint : selection.joints) {
      joints.push_back(to.keys.key(joint));
    }
    SessionJson line = {{"joints", std::move(joints)}};
    for (const NodeVertices& of_node : selection.vertices) {
      SessionJson entry = {{"node", session_reference(of_node.mesh_node, nodes[of_node.mesh_node])},
                           {"primitive", of_node.primitive}};
      const mesh::Primitive* const file = primitive_at(*to.file, of_node);
      const mesh::Primitive* const now = primitive_at(*to.document.content.character, of_node);
      if (file != nullptr && now != nullptr) {
        std::string& hash = hashes[file];
        hash = hash.empty() ? places_hash(*file) : hash;
        entry["places"] = hash;
        to.surfaces.try_emplace(hash, static_cast<std::size_t>(to.file->mesh_nodes[of_node.mesh_node].mesh),
                                static_cast<std::size_t>(of_node.primitive));
      }
      entry["vertices"] = vertex_runs(of_node.vertices);
      line["vertices"].push_back(std::move(entry));
    }
    sections[name] = std::move(line);
  }
  if (!sections.empty()) {
    to.json["selections"] = std::move(sections);
  }
  for (const int joint : to.document.content.locked_joints) {
    to.json["locked"].push_back(to.keys.key(joint));
  }
}

void read_selections(SessionReader& from) {
  if (from.root.has("locked")) {
    std::set<int> locked;
    from.root.at("locked").each([&](const Place& key) {
      if (const int joint = from.joint(key.text(), "the lock of"); joint >= 0) {
        locked.insert(joint);
      }
    });
    from.document.content.locked_joints = SharedArray<int>(std::vector<int>(locked.begin(), locked.end()));
  }
  if (!from.root.has("selections")) {
    return;
  }
  std::size_t total = 0;
  const std::vector<std::string> nodes = node_names(from.file, from.keys);
  from.root.at("selections").each_member([&](const std::string& name, const Place& place) {
    NamedSelection selection;
    place.at("joints").each([&](const Place& key) {
      if (const int joint = from.joint(key.text(), "the selection of"); joint >= 0) {
        selection.joints.push_back(joint);
      }
    });
    selection.joints = combined({}, selection.joints, SelectBy::kReplace);
    if (place.has("vertices")) {
      selection.vertices = read_vertices(from, name, place.at("vertices"), nodes, total);
    }
    if (!name.empty() && (!selection.joints.empty() || !selection.vertices.empty())) {
      from.document.content.selections.edit()[name] = std::move(selection);
    }
  });
}

}  // namespace pelt::edit
