// What was done to meshes, in a session: rows of weights, and attributes where a repair changed them. Numbers lie in a
// file beside the session, one for each primitive.
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/sha256.h"
#include "core/text.h"
#include "edit/session_data.h"
#include "edit/session_parts.h"
#include "rig/character_parts.h"

namespace pelt::edit {
namespace {

using mesh::Influences;

constexpr std::size_t kDigits = 32;  // of names
constexpr const char* kEnding = ".bin";

// The skin whose list the joints of a mesh's weights are counted in; null where it hangs on none.
const rig::Skin* skin_of_mesh(const rig::Character& character, std::size_t mesh) {
  const int skin = rig::first_skin_of(character, static_cast<int>(mesh));
  return skin >= 0 ? &character.skins[static_cast<std::size_t>(skin)] : nullptr;
}

// --- arrays of plain numbers -----------------------------------------------------------------------------------------

// f(id, array) for each of them that is one value per vertex, of several primitives at once.
template <typename F, typename... P>
void for_each_attribute(F f, P&... primitive) {
  f("positions", primitive.positions...);
  f("normals", primitive.normals...);
  f("tangents", primitive.tangents...);
  f("texcoord_0", primitive.texcoords[0]...);
  f("texcoord_1", primitive.texcoords[1]...);
  f("colors", primitive.colors...);
}
template <typename F, typename... T>
void for_each_delta(F f, T&... target) {
  f("positions", target.position_deltas...);
  f("normals", target.normal_deltas...);
  f("tangents", target.tangent_deltas...);
}

template <typename T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return std::ranges::equal(std::as_bytes(std::span(a)), std::as_bytes(std::span(b)));
}

template <typename T>
SessionJson array_json(const std::vector<T>& values, DataWriter& data) {
  return {{"at", data.put(std::span<const T>(values))}, {"count", values.size()}};
}

template <typename T>
std::vector<T> read_array(const Place& place, const DataReader& data) {
  constexpr std::size_t kMost = std::size_t{1} << 32;
  std::size_t at = place.at("at").size_up_to(kMost);
  std::vector<T> values = data.get<T>(at, place.at("count").size_up_to(kMost), place);
  if constexpr (requires(T v) { v.x; }) {
    const std::span<const float> floats(reinterpret_cast<const float*>(values.data()),
                                        values.size() * sizeof(T) / sizeof(float));
    if (!std::ranges::all_of(floats, [](float value) { return std::isfinite(value); })) {
      place.fail("finite numbers");
    }
  }
  return values;
}

// Attributes that nothing gives a meaning have their file's form; only their elements change.
void write_kept(const SharedArray<mesh::KeptAttribute>& before, const SharedArray<mesh::KeptAttribute>& now,
                SessionJson& line, DataWriter& data) {
  if (before == now) {
    return;
  }
  SessionJson kept = SessionJson::object();
  for (const mesh::KeptAttribute& one : now) {
    kept[one.name] = array_json(one.bytes, data);
  }
  line["kept"] = std::move(kept);
}

void read_kept(const Place& line, const DataReader& data, SharedArray<mesh::KeptAttribute>& kept) {
  if (!line.has("kept")) {
    return;
  }
  const Place values = line.at("kept");
  for (mesh::KeptAttribute& one : kept.edit()) {
    one.bytes = read_array<std::uint8_t>(values.at(one.name.c_str()), data);
    if (one.bytes.size() % one.element_size() != 0) {
      values.at(one.name.c_str()).fail("whole elements");
    }
  }
}

// --- weights ---------------------------------------------------------------------------------------------------------

struct Rows {
  std::vector<std::uint32_t> vertex;
  std::vector<std::uint32_t> count;
  std::vector<float> sum;
  std::vector<std::uint16_t> joint;
  std::vector<float> weight;

  void add(std::size_t v, const mesh::InfluenceRow& row) {
    vertex.push_back(static_cast<std::uint32_t>(v));
    count.push_back(static_cast<std::uint32_t>(row.joints.size()));
    sum.push_back(row.stored_sum);
    joint.insert(joint.end(), row.joints.begin(), row.joints.end());
    weight.insert(weight.end(), row.weights.begin(), row.weights.end());
  }
};

// The rows that are others than the file's. @param places  in the file's list of joints by those in the edited one
Rows rows_changed(const Influences& before, const Influences& now, std::span<const int> places) {
  Rows rows;
  std::vector<int> same(places.size());
  std::iota(same.begin(), same.end(), 0);
  if (before.vertex_count() == now.vertex_count() && std::ranges::equal(places, same)) {
    mesh::for_changed_rows(before, now, [&](std::size_t v) { rows.add(v, now.row(v)); });
    return rows;
  }
  for (std::size_t v = 0; v < now.vertex_count(); ++v) {
    const mesh::InfluenceRow row = now.row(v);
    const bool is_same = before.vertex_count() == now.vertex_count() && !places.empty() &&
                         before.stored_sum(v) == row.stored_sum && std::ranges::equal(before.weights(v), row.weights) &&
                         std::ranges::equal(before.joints(v), row.joints, [&](std::uint16_t b, std::uint16_t n) {
                           return places[n] == static_cast<int>(b);
                         });
    if (!is_same) {
      rows.add(v, row);
    }
  }
  return rows;
}

SessionJson rows_json(const Rows& rows, DataWriter& data) {
  const std::size_t at = data.put(std::span<const std::uint32_t>(rows.vertex));
  data.put(std::span<const std::uint32_t>(rows.count));
  data.put(std::span<const float>(rows.sum));
  data.put(std::span<const std::uint16_t>(rows.joint));
  data.put(std::span<const float>(rows.weight));
  return {{"at", at}, {"rows", rows.vertex.size()}, {"entries", rows.joint.size()}};
}

Rows read_rows(const Place& place, const DataReader& data) {
  constexpr std::size_t kMost = std::size_t{1} << 32;
  std::size_t at = place.at("at").size_up_to(kMost);
  const std::size_t count = place.at("rows").size_up_to(kMost);
  const std::size_t entries = place.at("entries").size_up_to(kMost);
  Rows rows;
  rows.vertex = data.get<std::uint32_t>(at, count, place);
  rows.count = data.get<std::uint32_t>(at, count, place);
  rows.sum = data.get<float>(at, count, place);
  rows.joint = data.get<std::uint16_t>(at, entries, place);
  rows.weight = data.get<float>(at, entries, place);
  if (std::accumulate(rows.count.begin(), rows.count.end(), std::uint64_t{0}) != entries ||
      !std::ranges::is_sorted(rows.vertex) || std::ranges::adjacent_find(rows.vertex) != rows.vertex.end()) {
    place.fail("ascending rows that have all entries");
  }
  return rows;
}

// Whether a row is as rows are, see mesh::Influences. @param last  for each joint the number of the last row that has
// it
bool is_sound(const mesh::InfluenceRow& row, std::size_t number, std::vector<std::size_t>& last) {
  constexpr double kRounding = 1e-3;
  double sum = 0;
  for (std::size_t k = 0; k < row.joints.size(); ++k) {
    const float weight = row.weights[k];
    if (!(weight > 0) || !(weight <= 2) || (k > 0 && weight > row.weights[k - 1]) ||
        std::exchange(last[row.joints[k]], number) == number) {
      return false;
    }
    sum += double{weight};
  }
  return std::isfinite(row.stored_sum) && row.stored_sum >= 0 && (row.joints.empty() || std::abs(sum - 1) <= kRounding);
}

// Puts rows in. @param places  in the file's list of joints by those in the session's, -1: gone
// @returns how many rows could not be put
std::size_t put_rows(const Rows& rows, std::span<const int> places, const Place& place, Influences& to) {
  std::size_t lost = 0;
  std::size_t begin = 0;
  std::vector<std::uint16_t> joints;
  std::vector<std::size_t> last(std::size_t{1} << 16, rows.vertex.size());
  for (std::size_t r = 0; r < rows.vertex.size(); ++r) {
    const std::span<const float> weights = std::span(rows.weight).subspan(begin, rows.count[r]);
    joints.clear();
    bool is_there = true;
    for (const std::uint16_t k : std::span(rows.joint).subspan(begin, rows.count[r])) {
      if (k >= places.size()) {
        place.fail(fmt::format("joints below {}", places.size()));
      }
      is_there = is_there && places[k] >= 0;
      joints.push_back(static_cast<std::uint16_t>(std::max(places[k], 0)));
    }
    begin += rows.count[r];
    const mesh::InfluenceRow row{joints, weights, rows.sum[r]};
    if (rows.vertex[r] >= to.vertex_count() || (is_there && !is_sound(row, r, last))) {
      place.fail("rows of weights, heaviest first, that sum to 1");
    }
    if (is_there) {
      to.put_row(rows.vertex[r], row);
    } else {
      ++lost;
    }
  }
  return lost;
}

// --- primitives ------------------------------------------------------------------------------------------------------

void write_primitive(SessionWriter& to, std::size_t m, std::size_t p) {
  const mesh::Primitive& before = to.file->meshes[m].primitives[p];
  const mesh::Primitive& now = to.document.content.character->meshes[m].primitives[p];
  DataWriter data;
  SessionJson arrays = SessionJson::object();
  const auto add = [&](const char* id, const auto& was, const auto& is) {
    if (!was.is(is) && !same_bits(was.get(), is.get())) {
      arrays[id] = array_json(is.get(), data);
    }
  };
  add("indices", before.indices, now.indices);
  for_each_attribute(add, before, now);
  write_kept(before.kept, now.kept, arrays, data);
  SessionJson targets = SessionJson::array();
  bool are_targets_changed = false;
  for (std::size_t t = 0; t < now.morph_targets.size() && t < before.morph_targets.size(); ++t) {
    SessionJson target = SessionJson::object();
    for_each_delta(
        [&](const char* id, const auto& was, const auto& is) {
          if (!was.is(is) && !same_bits(was.get(), is.get())) {
            target[id] = array_json(is.get(), data);
          }
        },
        before.morph_targets[t], now.morph_targets[t]);
    write_kept(before.morph_targets[t].kept, now.morph_targets[t].kept, target, data);
    are_targets_changed |= !target.empty();
    targets.push_back(std::move(target));
  }
  if (are_targets_changed) {
    arrays["shapes"] = std::move(targets);
  }
  const rig::Skin* const skin = skin_of_mesh(*to.document.content.character, m);
  const rig::Skin* const file_skin = skin_of_mesh(*to.file, m);
  const bool is_same_list = skin == nullptr || file_skin == nullptr || skin->joints == file_skin->joints;
  if (!before.influences.is(now.influences) || !is_same_list) {
    const std::vector<int> places =
        skin != nullptr && file_skin != nullptr ? places_in(file_skin->joints, skin->joints) : std::vector<int>();
    const Rows rows = rows_changed(before.influences, now.influences, places);
    if (!rows.vertex.empty()) {
      SessionJson names = SessionJson::array();
      for (const int joint : skin != nullptr ? skin->joints : std::vector<int>()) {
        names.push_back(to.keys.key(joint));
      }
      arrays["weights"] = rows_json(rows, data);
      arrays["weights"]["joints"] = std::move(names);
      if (now.influences->budget() != before.influences->budget()) {
        arrays["weights"]["budget"] = now.influences->budget();
      }
    }
  }
  if (before.has_cage() && !now.has_cage()) {
    arrays["control_points"] = false;
  }
  if (arrays.empty()) {
    return;
  }
  if (arrays.contains("weights")) {
    to.surfaces.try_emplace(places_hash(before), m, p);
  }
  SessionJson entry = {{"mesh", session_reference(static_cast<int>(m), to.file->meshes[m].name)},
                       {"primitive", p},
                       {"vertices", before.vertex_count()},
                       {"places", places_hash(before)},
                       {"data", add_data(to, data.take())}};
  entry.update(arrays);
  to.json["meshes"].push_back(std::move(entry));
}

// Every array is as long as there are vertices, or empty, and triangles are of vertices that there are.
void check_primitive(const Place& entry, const mesh::Primitive& primitive) {
  const std::size_t count = primitive.vertex_count();
  bool fits = primitive.influences->empty() || primitive.influences->vertex_count() == count;
  const auto check = [&](const char*, const auto& array) { fits = fits && (array.empty() || array.size() == count); };
  const auto check_kept = [&](const SharedArray<mesh::KeptAttribute>& kept) {
    fits = fits && std::ranges::all_of(kept, [&](const auto& one) { return one.count() == count; });
  };
  for_each_attribute(check, primitive);
  check_kept(primitive.kept);
  for (const mesh::MorphTarget& target : primitive.morph_targets) {
    for_each_delta(check, target);
    check_kept(target.kept);
  }
  const std::size_t corners = primitive.topology == mesh::Topology::kTriangles ? 3
                              : primitive.topology == mesh::Topology::kLines   ? 2
                                                                               : 1;
  fits = fits && primitive.indices.size() % corners == 0 && (count == 0 || !primitive.indices.empty()) &&
         std::ranges::all_of(primitive.indices.get(), [&](std::uint32_t v) { return v < count; });
  if (!fits) {
    entry.fail("arrays of as many elements as there are vertices, and triangles of these");
  }
}

// @param skin  that the mesh hangs on, null: none
void read_weights(SessionReader& from, const Place& entry, const DataReader& data, const rig::Skin* skin,
                  mesh::Primitive& primitive, const std::string& label) {
  const Place weights = entry.at("weights");
  std::vector<int> joints;
  weights.at("joints").each([&](const Place& key) { joints.push_back(from.keys.find(key.text())); });
  const std::vector<int> places = skin != nullptr ? places_in(skin->joints, joints) : std::vector<int>();
  Influences rows;
  if (primitive.vertex_count() == primitive.influences->vertex_count()) {
    rows = primitive.influences;
  } else {
    rows.push_empty(primitive.vertex_count());
  }
  const std::size_t lost = put_rows(read_rows(weights, data), places, weights, rows);
  if (weights.has("budget")) {
    rows.set_budget(static_cast<std::uint32_t>(weights.at("budget").integer(0, std::numeric_limits<int>::max())));
  } else if (rows.budget() == 0) {
    rows.set_budget(std::max(mesh::kInfluencesOfSet, rows.max_count()));
  }
  primitive.influences = Shared<Influences>(std::move(rows));
  if (lost > 0) {
    from.lost.push_back(
        fmt::format("weights of {} {} of {}: joints that are gone", lost, lost == 1 ? "vertex" : "vertices", label));
  }
}

// Keeps the rows of an entry that is about another version of the file, where the session has the surface that they
// were made on. @param primitive  of the file's, -1: all @param phrase  of what is lost
void hold_weights(SessionReader& from, const Place& entry, int mesh, int primitive, const std::string& phrase) {
  if (!entry.has("weights")) {
    return;
  }
  HeldWeights held{.mesh = mesh, .primitive = primitive};
  held.surface = edited_surface(from, entry.at("places").text());
  // Any number of primitives that the file has not could name one array.
  const bool is_repeated = primitive < 0 && !from.held_data.insert(entry.at("data").text()).second;
  if (held.surface == nullptr || is_repeated) {
    return;
  }
  const Place weights = entry.at("weights");
  weights.at("joints").each([&](const Place& key) { held.joints.push_back(from.keys.find(key.text())); });
  const std::string bytes = read_data(from, entry);
  Rows rows = read_rows(weights, DataReader(bytes));
  std::vector<std::size_t> last(std::size_t{1} << 16, rows.vertex.size());
  std::size_t begin = 0;
  for (std::size_t r = 0; r < rows.vertex.size(); ++r) {
    const mesh::InfluenceRow row{std::span(rows.joint).subspan(begin, rows.count[r]),
                                 std::span(rows.weight).subspan(begin, rows.count[r]), rows.sum[r]};
    begin += rows.count[r];
    const bool has_names = std::ranges::all_of(row.joints, [&](std::uint16_t k) { return k < held.joints.size(); });
    if (!has_names || !is_sound(row, r, last)) {
      weights.fail("rows of weights, heaviest first, that sum to 1");
    }
    if (rows.vertex[r] >= held.surface->positions.size()) {
      return;  // of another primitive with the same positions, which a mend gave other vertices
    }
    held.rows.push_row(row);
  }
  held.vertices = std::move(rows.vertex);
  constexpr auto kOfWeights =
      std::to_array<std::string_view>({"mesh", "primitive", "vertices", "places", "data", "weights"});
  bool is_all = true;
  entry.each_member([&](const std::string& id, const Place&) {
    is_all = is_all && std::ranges::find(kOfWeights, id) != kOfWeights.end();
  });
  held.lost = is_all ? phrase : "";
  from.held.weights.push_back(std::move(held));
}

using PrimitiveSet = std::set<std::pair<std::size_t, std::size_t>>;

void read_primitive(SessionReader& from, const Place& entry, rig::Character& character, const ReferredNames& names,
                    PrimitiveSet& seen) {
  const Place reference = entry.at("mesh");
  const int found = names.find(reference);
  const std::size_t p = entry.at("primitive").size_up_to(std::numeric_limits<std::int32_t>::max());
  const std::string label =
      fmt::format("{}, primitive {}", reference.has("name") ? printable(reference.at("name").text()) : "a mesh", p);
  const std::size_t m = std::max(found, 0);
  const auto lose = [&](std::string phrase, int primitive) {
    if (found >= 0) {
      hold_weights(from, entry, found, primitive, phrase);
    }
    from.lost.push_back(std::move(phrase));
  };
  if (found < 0 || p >= from.file.meshes[m].primitives.size()) {
    lose(fmt::format("edits of {}", label), -1);
    return;
  }
  if (!seen.emplace(m, p).second) {
    reference.fail("each primitive once");
  }
  const mesh::Primitive& file = from.file.meshes[m].primitives[p];
  const std::size_t count = entry.at("vertices").size_up_to(std::numeric_limits<std::uint32_t>::max());
  if (count != file.vertex_count()) {
    lose(fmt::format("edits of {}: {} vertices, now {}", label, count, file.vertex_count()), static_cast<int>(p));
    return;
  }
  if (entry.at("places").text() != places_hash(file)) {
    lose(fmt::format("edits of {}: its vertices lie elsewhere", label), static_cast<int>(p));
    return;
  }
  const std::string bytes = read_data(from, entry);
  const DataReader data(bytes);
  mesh::Primitive& primitive = character.meshes.edit(m).primitives.edit(p);
  const auto take = [&](const Place& line, const char* id, auto& array) {
    if (line.has(id)) {
      using Value = std::decay_t<decltype(array[0])>;
      array = read_array<Value>(line.at(id), data);
    }
  };
  take(entry, "indices", primitive.indices);
  for_each_attribute([&](const char* id, auto& array) { take(entry, id, array); }, primitive);
  read_kept(entry, data, primitive.kept);
  if (entry.has("shapes")) {
    std::size_t t = 0;
    entry.at("shapes").each([&](const Place& line) {
      if (t == primitive.morph_targets.size()) {
        line.fail(fmt::format("{} shapes", t));
      }
      mesh::MorphTarget& target = primitive.morph_targets.edit(t++);
      for_each_delta([&](const char* id, auto& array) { take(line, id, array); }, target);
      read_kept(line, data, target.kept);
    });
  }
  if (entry.has("control_points") && !entry.at("control_points").flag()) {
    primitive.drop_cage();
  }
  if (entry.has("weights")) {
    read_weights(from, entry, data, skin_of_mesh(character, m), primitive, label);
  }
  check_primitive(entry, primitive);
}

}  // namespace

std::string places_hash(const mesh::Primitive& primitive) {
  Sha256 hash;
  hash.add(std::as_bytes(std::span(primitive.positions.get())));
  return hash.hex().substr(0, 16);
}

bool is_data_name(std::string_view name) {
  return name.size() == kDigits + std::string_view(kEnding).size() && name.ends_with(kEnding) &&
         std::ranges::all_of(name.substr(0, kDigits),
                             [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

std::string add_data(SessionWriter& to, std::string bytes) {
  SessionFile file{"", std::move(bytes)};
  Sha256 hash;
  hash.add(file.bytes);
  file.name = hash.hex().substr(0, kDigits) + kEnding;
  std::string name = file.name;
  if (std::ranges::find(to.files, name, &SessionFile::name) == to.files.end()) {
    to.files.push_back(std::move(file));
  }
  return name;
}

std::string read_data(SessionReader& from, const Place& entry) {
  const std::string name = entry.at("data").text();
  const Result<std::string> bytes = is_data_name(name) ? from.files(name) : error("not a name of data");
  if (!bytes) {
    throw SessionFault{fmt::format("{}: {}", entry.at("data").path(), bytes.error().message)};
  }
  Sha256 hash;
  hash.add(*bytes);
  if (!hash.hex().starts_with(name.substr(0, kDigits))) {
    throw SessionFault{
        fmt::format("{}: {} is damaged: its content is not what its name says", entry.at("data").path(), name)};
  }
  return *bytes;
}

void write_meshes(SessionWriter& to) {
  const rig::Character& file = *to.file;
  const rig::Character& edited = *to.document.content.character;
  for (std::size_t m = 0; m < edited.meshes.size(); ++m) {
    for (std::size_t p = 0; p < edited.meshes[m].primitives.size() && p < file.meshes[m].primitives.size(); ++p) {
      write_primitive(to, m, p);
    }
  }
}

void read_meshes(SessionReader& from, rig::Character& character) {
  if (!from.root.has("meshes")) {
    return;
  }
  std::vector<std::string> names;
  for (const mesh::Mesh& mesh : from.file.meshes) {
    names.push_back(mesh.name);
  }
  const ReferredNames by_name(std::move(names));
  PrimitiveSet seen;
  const Place entries = from.root.at("meshes");
  float done = 0;
  entries.each([&](const Place& entry) {
    from.report(0.1f + 0.8f * done++ / static_cast<float>(entries.json().size()));
    read_primitive(from, entry, character, by_name, seen);
  });
}

}  // namespace pelt::edit
