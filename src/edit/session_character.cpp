// What was done to the character itself, in a session: names, sliders and limits of joints, binds of skins, findings.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/sha256.h"
#include "core/text.h"
#include "edit/character_edits.h"
#include "edit/session_parts.h"
#include "edit/skeleton_edits.h"
#include "rig/character_parts.h"
#include "rig/lint.h"

namespace pelt::edit {
namespace {

constexpr std::array<const char*, 3> kDofKinds = {"rotation", "translation", "scale"};
constexpr std::array<const char*, 3> kSeverities = {"info", "warning", "error"};

// The place of text among words.
template <std::size_t N>
std::size_t word_of(const Place& place, const std::array<const char*, N>& words) {
  const auto found = std::ranges::find(words, place.text(), [](const char* word) { return std::string(word); });
  if (found == words.end()) {
    place.fail(fmt::format("one of {}", fmt::join(words, ", ")));
  }
  return static_cast<std::size_t>(found - words.begin());
}

SessionJson dofs_json(const rig::JointDofs& joint) {
  SessionJson dofs = SessionJson::array();
  for (const rig::Dof& dof : joint.dofs) {
    dofs.push_back({{"name", dof.name},
                    {"kind", kDofKinds[static_cast<std::size_t>(dof.kind)]},
                    {"axis", session_numbers(dof.axis)},
                    {"lower", session_number(dof.lower)},
                    {"upper", session_number(dof.upper)},
                    {"default", session_number(dof.default_value)},
                    {"folded", dof.folded}});
  }
  SessionJson out = {{"rotation", joint.rotation == rig::RotationKind::kAxes ? "axes" : "vector"},
                     {"offset", session_numbers(joint.offset)},
                     {"orientation", session_numbers(joint.orientation)},
                     {"scale", session_numbers(joint.scale)},
                     {"authored", joint.authored},
                     {"dofs", std::move(dofs)}};
  if (joint.swing_limit) {
    out["swing_limit"] = session_number(*joint.swing_limit);
  }
  return out;
}

rig::JointDofs read_dofs(const Place& place) {
  constexpr std::size_t kMostDofs = 16;
  constexpr std::size_t kLongestDofName = 40;
  rig::JointDofs out;
  const Place rotation = place.at("rotation");
  constexpr std::array<const char*, 2> kRotations = {"axes", "vector"};
  out.rotation = static_cast<rig::RotationKind>(word_of(rotation, kRotations));
  out.offset = place.at("offset").vector();
  out.orientation = place.at("orientation").rotation();
  out.scale = place.at("scale").vector();
  out.authored = place.at("authored").flag();
  if (place.has("swing_limit")) {
    out.swing_limit = place.at("swing_limit").number();
  }
  place.at("dofs").each([&](const Place& from) {
    rig::Dof dof;
    dof.name = single_line(from.at("name").text(), kLongestDofName);
    dof.kind = static_cast<rig::DofKind>(word_of(from.at("kind"), kDofKinds));
    dof.axis = from.at("axis").vector();
    dof.lower = from.at("lower").number();
    dof.upper = from.at("upper").number();
    dof.default_value = from.at("default").number();
    dof.folded = from.at("folded").flag();
    if (out.dofs.size() == kMostDofs) {
      from.fail(fmt::format("at most {} degrees of freedom", kMostDofs));
    }
    out.dofs.push_back(std::move(dof));
  });
  if (const Status sound = rig::check_dofs(out); !sound) {
    place.fail(fmt::format("degrees of freedom that a joint can have ({})", sound.error().message));
  }
  return out;
}

// 0 and -0 are not the same: what reads back must be what was there.
bool same_bits(const glm::mat4& a, const glm::mat4& b) {
  return std::memcmp(&a, &b, sizeof(glm::mat4)) == 0;
}

SessionJson matrix_json(const glm::mat4& m) {
  return session_numbers(std::span<const float>(&m[0][0], 16));
}

glm::mat4 read_matrix(const Place& place) {
  const std::vector<float> values = place.numbers(16);
  glm::mat4 m(1.0f);
  for (int k = 0; k < 16; ++k) {
    m[k / 4][k % 4] = values[k];
  }
  if (m[0][3] != 0 || m[1][3] != 0 || m[2][3] != 0 || m[3][3] != 1) {
    place.fail("a matrix whose last row is 0, 0, 0, 1");
  }
  return m;
}

void write_new_joints(SessionWriter& to) {
  const std::vector<rig::NewJoint> joints =
      rig::new_joints_of(to.document.content.character->skeleton, first_new_joint(to.document));
  SessionJson list = SessionJson::array();
  for (const rig::NewJoint& joint : joints) {
    SessionJson line = {{"name", joint.name}, {"rest", session_transform(joint.rest)}};
    if (joint.parent >= 0) {
      line["parent"] = joint.parent;
    }
    list.push_back(std::move(line));
  }
  if (!list.empty()) {
    to.json["new_joints"] = std::move(list);
  }
}

void write_joints(SessionWriter& to, const rig::Skeleton& file, const rig::Skeleton& edited) {
  const auto& constraints = to.document.content.character->constraints;
  const auto& in_file = to.file->constraints;
  if (to.file->skeleton.is(to.document.content.character->skeleton) && in_file.is(constraints)) {
    return;
  }
  std::map<int, float> weights;  // by joint, of those that are others
  for (std::size_t c = 0; c < std::min(constraints.size(), in_file.size()); ++c) {
    if (constraints[c].weight != in_file[c].weight) {
      weights[constraints[c].joint] = constraints[c].weight;
    }
  }
  SessionJson joints = SessionJson::object();
  for (std::size_t j = 0; j < file.parent.size(); ++j) {
    SessionJson line = SessionJson::object();
    if (edited.name[j] != file.name[j]) {
      line["name"] = edited.name[j];
    }
    if (!rig::equal(edited.dofs[j], file.dofs[j])) {
      line["sliders"] = dofs_json(edited.dofs[j]);
    }
    if (const auto weight = weights.find(static_cast<int>(j)); weight != weights.end()) {
      line["constraint_weight"] = session_number(weight->second);
    }
    if (!line.empty()) {
      joints[to.keys.key(static_cast<int>(j))] = std::move(line);
    }
  }
  if (!joints.empty()) {
    to.json["joints"] = std::move(joints);
  }
}

SessionJson bind_json(const SessionWriter& to, const rig::Skin& skin, std::size_t k) {
  return {{"joint", to.keys.key(skin.joints[k])}, {"matrix", matrix_json(skin.joint_from_mesh[k])}};
}

// A skin that the file has not, with the nodes whose meshes hang on it.
SessionJson new_skin_json(const SessionWriter& to, const rig::Character& edited, std::size_t s) {
  const rig::Skin& skin = edited.skins[s];
  SessionJson binds = SessionJson::array();
  for (std::size_t k = 0; k < skin.joints.size(); ++k) {
    binds.push_back(bind_json(to, skin, k));
  }
  SessionJson nodes = SessionJson::array();
  for (const rig::MeshNode& node : edited.mesh_nodes) {
    if (std::cmp_equal(node.skin, s)) {
      nodes.push_back(to.keys.key(node.joint));
    }
  }
  return {{"new", single_line(skin.name, kLongestName)}, {"added", std::move(binds)}, {"nodes", std::move(nodes)}};
}

void write_skins(SessionWriter& to, const rig::Character& file, const rig::Character& edited) {
  SessionJson skins = SessionJson::array();
  for (std::size_t s = 0; s < edited.skins.size(); ++s) {
    if (s >= file.skins.size()) {
      skins.push_back(new_skin_json(to, edited, s));
      continue;
    }
    const rig::Skin& before = file.skins[s];
    const rig::Skin& now = edited.skins[s];
    SessionJson line = SessionJson::object();
    const std::vector<int> places = places_in(before.joints, now.joints);
    std::vector<char> stays(before.joints.size(), 0);
    SessionJson binds = SessionJson::array();
    SessionJson added = SessionJson::array();  // by a binder, behind the file's
    for (std::size_t k = 0; k < now.joints.size(); ++k) {
      if (places[k] < 0) {
        added.push_back(bind_json(to, now, k));
        continue;
      }
      stays[places[k]] = 1;
      if (!same_bits(now.joint_from_mesh[k], before.joint_from_mesh[places[k]])) {
        binds.push_back({{"joint", to.keys.key(now.joints[k])},
                         {"place", places[k]},
                         {"matrix", matrix_json(now.joint_from_mesh[k])}});
      }
    }
    SessionJson dropped = SessionJson::array();
    for (std::size_t k = 0; k < before.joints.size(); ++k) {
      if (stays[k] == 0) {
        dropped.push_back({{"joint", to.keys.key(before.joints[k])}, {"place", k}});
      }
    }
    if (now.has_inverse_binds != before.has_inverse_binds) {
      line["has_inverse_binds"] = now.has_inverse_binds;
    }
    if (!binds.empty()) {
      line["binds"] = std::move(binds);
    }
    if (!dropped.empty()) {
      line["dropped"] = std::move(dropped);
    }
    if (!added.empty()) {
      line["added"] = std::move(added);
    }
    if (!line.empty()) {
      SessionJson entry = {{"skin", session_reference(static_cast<int>(s), before.name)}};
      entry.update(line);
      skins.push_back(std::move(entry));
    }
  }
  if (!skins.empty()) {
    to.json["skins"] = std::move(skins);
  }
}

std::string findings_hash(const Diagnostics& findings) {
  Sha256 hash;
  for (const Diagnostic& one : findings) {
    hash.add(one.code + '\n' + one.place + '\n' + one.message + '\n');
  }
  return hash.hex().substr(0, 16);
}

void write_findings(SessionWriter& to, const Diagnostics& file, const Diagnostics& edited) {
  if (same_findings(file, edited)) {
    return;
  }
  SessionJson list = SessionJson::array();
  for (const Diagnostic& one : edited) {
    list.push_back({{"severity", kSeverities[static_cast<std::size_t>(one.severity)]},
                    {"code", one.code},
                    {"place", one.place},
                    {"message", one.message},
                    {"vertices", one.vertices}});
  }
  to.json["findings"] = {{"instead_of", findings_hash(file)}, {"list", std::move(list)}};
}

void read_joints(SessionReader& from, rig::Character& character) {
  if (!from.root.has("joints")) {
    return;
  }
  rig::Skeleton& skeleton = character.skeleton.edit();
  from.root.at("joints").each_member([&](const std::string& key, const Place& line) {
    const int joint = from.joint(key, "changes of");
    if (joint < 0) {
      return;
    }
    const std::size_t j = joint;
    if (line.has("name")) {
      skeleton.name[j] = single_line(line.at("name").text(), kLongestName);
    }
    if (line.has("sliders")) {
      skeleton.dofs[j] = read_dofs(line.at("sliders"));
    }
    if (line.has("constraint_weight")) {
      const float weight = std::clamp(line.at("constraint_weight").number(), 0.0f, 1.0f);
      const auto found = std::ranges::find(character.constraints, joint, &rig::NodeConstraint::joint);
      if (found == character.constraints.end()) {
        from.lost.push_back(fmt::format("the weight of the constraint of {}", printable(key)));
      } else {
        const auto place = found - character.constraints.begin();  // before edit() makes another list
        character.constraints.edit()[place].weight = weight;
      }
    }
  });
}

using FirstPlaces = std::unordered_map<int, int>;  // of joints in the list of a skin

// The place of a skin's list that a line of a session means: the same, else the joint's first.
int place_meant(const SessionReader& from, const rig::Skin& skin, const FirstPlaces& first, const Place& line) {
  const int joint = from.keys.find(line.at("joint").text());
  const std::size_t place = line.at("place").size_up_to(std::numeric_limits<std::uint16_t>::max());
  if (joint >= 0 && place < skin.joints.size() && skin.joints[place] == joint) {
    return static_cast<int>(place);
  }
  const auto found = first.find(joint);
  return joint < 0 || found == first.end() ? -1 : found->second;
}

// Joints that a binder has put behind those of the file.
void read_added(SessionReader& from, const Place& lines, rig::Skin& skin) {
  lines.each([&](const Place& line) {
    const int joint = from.keys.find(line.at("joint").text());
    const glm::mat4 matrix = read_matrix(line.at("matrix"));
    if (joint < 0) {
      from.lost.push_back(fmt::format("the bind of {}", printable(line.at("joint").text())));
    } else if (skin.joints.size() >= std::numeric_limits<std::uint16_t>::max()) {
      line.fail(fmt::format("at most {} joints in a skin", std::numeric_limits<std::uint16_t>::max()));
    } else {
      skin.joints.push_back(joint);
      skin.joint_from_mesh.push_back(matrix);
    }
  });
}

// A skin that the file has not. @returns whether the entry is one
bool read_new_skin(SessionReader& from, const Place& entry, rig::Character& character) {
  if (!entry.has("new")) {
    return false;
  }
  rig::Skin skin;
  skin.name = single_line(entry.at("new").text(), kLongestName);
  read_added(from, entry.at("added"), skin);
  entry.at("nodes").each([&](const Place& key) {
    const int joint = from.keys.find(key.text());
    const auto node = std::ranges::find(character.mesh_nodes, joint, &rig::MeshNode::joint);
    if (joint < 0 || node == character.mesh_nodes.end() || node->skin >= 0 || skin.joints.empty()) {
      from.lost.push_back(fmt::format("the skin of {}", printable(key.text())));
    } else {
      const std::size_t n = node - character.mesh_nodes.begin();  // before edit() makes another array
      character.mesh_nodes.edit()[n].skin = static_cast<int>(character.skins.size());
    }
  });
  character.skins.push_back(std::move(skin));
  return true;
}

std::vector<std::vector<char>> read_skins(SessionReader& from, rig::Character& character) {
  std::vector<std::vector<char>> dropped(character.skins.size());
  if (!from.root.has("skins")) {
    return dropped;
  }
  std::vector<std::string> names;
  for (const rig::Skin& skin : from.file.skins) {
    names.push_back(skin.name);
  }
  const ReferredNames by_name(std::move(names));
  std::vector<char> is_read(character.skins.size(), 0);
  from.root.at("skins").each([&](const Place& entry) {
    if (read_new_skin(from, entry, character)) {
      dropped.emplace_back();
      return;
    }
    const int s = by_name.find(entry.at("skin"));
    if (s < 0) {
      from.lost.push_back(fmt::format("the binds of {}", entry.at("skin").has("name")
                                                             ? printable(entry.at("skin").at("name").text())
                                                             : std::string("a skin")));
      return;
    }
    if (std::exchange(is_read[s], char{1}) != 0) {
      entry.at("skin").fail("each skin once");
    }
    rig::Skin& skin = character.skins.edit(s);
    FirstPlaces first;
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      first.try_emplace(skin.joints[k], static_cast<int>(k));
    }
    if (entry.has("has_inverse_binds")) {
      skin.has_inverse_binds = entry.at("has_inverse_binds").flag();
    }
    if (entry.has("binds")) {
      entry.at("binds").each([&](const Place& line) {
        const int place = place_meant(from, skin, first, line);
        const glm::mat4 matrix = read_matrix(line.at("matrix"));
        if (place < 0) {
          from.lost.push_back(fmt::format("the bind of {}", printable(line.at("joint").text())));
        } else {
          skin.joint_from_mesh[place] = matrix;
        }
      });
    }
    if (entry.has("dropped")) {
      entry.at("dropped").each([&](const Place& line) {
        if (const int place = place_meant(from, skin, first, line); place >= 0) {
          dropped[s].resize(skin.joints.size(), 0);
          dropped[s][place] = 1;
        }
      });
    }
    if (entry.has("added")) {
      read_added(from, entry.at("added"), skin);
      if (!dropped[s].empty()) {
        dropped[s].resize(skin.joints.size(), 0);
      }
    }
  });
  return dropped;
}

const mesh::Primitive* primitive_at(const rig::Character& character, const rig::LintPlace& place) {
  const std::size_t m = place.mesh;  // -1 is none of them
  const std::size_t p = place.primitive;
  return m < character.meshes.size() && p < character.meshes[m].primitives.size() ? &character.meshes[m].primitives[p]
                                                                                  : nullptr;
}

void read_findings(SessionReader& from, rig::Character& character) {
  if (!from.root.has("findings")) {
    return;
  }
  const Place findings = from.root.at("findings");
  Diagnostics list;
  std::set<std::tuple<std::string_view, std::string_view, std::string_view>> known;
  for (const Diagnostic& one : from.file.diagnostics) {
    known.emplace(one.code, one.place, one.message);
  }
  findings.at("list").each([&](const Place& line) {
    Diagnostic one{static_cast<Severity>(word_of(line.at("severity"), kSeverities)), line.at("code").text(),
                   line.at("place").text(), line.at("message").text()};
    line.at("vertices").each([&](const Place& vertex) {
      one.vertices.push_back(static_cast<std::uint32_t>(vertex.size_up_to(std::numeric_limits<std::uint32_t>::max())));
    });
    if (one.vertices.size() > kMostListedVertices) {
      line.at("vertices").fail(fmt::format("at most {} vertices", kMostListedVertices));
    }
    // A repair takes findings away and gives vertices other numbers; it makes none up.
    const bool is_known = known.contains({one.code, one.place, one.message});
    const rig::LintPlace where = rig::place_of(one);
    if (!is_known) {
      return;  // of another version of the file
    }
    const mesh::Primitive* const primitive = primitive_at(character, where);
    std::erase_if(one.vertices,
                  [&](std::uint32_t v) { return primitive == nullptr || v >= primitive->vertex_count(); });
    list.push_back(std::move(one));
  });
  if (findings.at("instead_of").text() == findings_hash(from.file.diagnostics)) {
    character.diagnostics = std::move(list);
  }
}

// Skins whose lists must stay whole: a vertex still follows a joint that is to go, or a mesh also hangs on a skin that
// keeps its numbers.
std::vector<char> needed_skins(const rig::Character& character, const std::vector<std::vector<char>>& dropped) {
  std::vector<char> needed(dropped.size(), 0);
  for (const rig::MeshNode& node : character.mesh_nodes) {
    if (node.skin < 0 || dropped[node.skin].empty()) {
      continue;
    }
    const std::vector<char>& gone = dropped[node.skin];
    for (const mesh::Primitive& primitive : character.meshes[node.mesh].primitives) {
      mesh::for_each_entry(primitive,
                           [&](std::uint16_t k, float) { needed[node.skin] |= k < gone.size() ? gone[k] : char{0}; });
    }
  }
  // The skins of one mesh stay whole together.
  std::map<int, std::set<int>> skins_of;
  for (const rig::MeshNode& node : character.mesh_nodes) {
    if (node.skin >= 0) {
      skins_of[node.mesh].insert(node.skin);
    }
  }
  for (bool again = true; again;) {
    again = false;
    for (const auto& [mesh, skins] : skins_of) {
      const std::vector<char>& gone = dropped[*skins.begin()];
      const bool is_needed = std::ranges::any_of(skins, [&](int s) { return needed[s] != 0 || dropped[s] != gone; });
      for (const int s : is_needed ? skins : std::set<int>()) {
        again |= std::exchange(needed[s], char{1}) == 0;
      }
    }
  }
  return needed;
}

// Takes joints out of skins' lists, and gives the others their numbers.
void drop_joints(SessionReader& from, rig::Character& character, const std::vector<std::vector<char>>& dropped) {
  if (std::ranges::all_of(dropped, &std::vector<char>::empty)) {
    return;
  }
  const std::vector<char> needed = needed_skins(character, dropped);
  std::vector<char> is_renumbered(character.meshes.size(), 0);
  for (const rig::MeshNode& node : character.mesh_nodes) {
    const std::size_t m = node.mesh;
    // Once for a mesh: all of its skins keep the same numbers.
    if (node.skin < 0 || needed[node.skin] != 0 || dropped[node.skin].empty() ||
        std::exchange(is_renumbered[m], char{1}) != 0) {
      continue;
    }
    const std::vector<char>& gone = dropped[node.skin];
    std::vector<std::uint16_t> number(gone.size(), 0);
    std::uint16_t next = 0;
    for (std::size_t k = 0; k < number.size(); ++k) {
      number[k] = next;
      next = static_cast<std::uint16_t>(next + (gone[k] == 0 ? 1 : 0));
    }
    for (mesh::Primitive& primitive : character.meshes.edit(m).primitives.edit_each()) {
      mesh::renumber_joints(primitive, [&](std::uint16_t k) { return number[k]; });
    }
  }
  for (std::size_t s = 0; s < dropped.size(); ++s) {
    if (dropped[s].empty()) {
      continue;
    }
    if (needed[s] != 0) {
      from.lost.push_back(fmt::format("the removal of joints from skin {}", printable(character.skins[s].name)));
      continue;
    }
    rig::Skin& skin = character.skins.edit(s);
    std::size_t to = 0;
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      if (dropped[s][k] == 0) {
        skin.joints[to] = skin.joints[k];
        skin.joint_from_mesh[to++] = skin.joint_from_mesh[k];
      }
    }
    skin.joints.resize(to);
    skin.joint_from_mesh.resize(to);
  }
}

}  // namespace

bool same_findings(const Diagnostics& a, const Diagnostics& b) {
  return std::ranges::equal(a, b, [](const Diagnostic& x, const Diagnostic& y) {
    return x.severity == y.severity && x.code == y.code && x.place == y.place && x.message == y.message &&
           x.vertices == y.vertices;
  });
}

std::vector<int> places_in(std::span<const int> before, std::span<const int> now) {
  std::unordered_map<int, std::vector<int>> left;  // places of each joint, the first at the end
  for (std::size_t k = before.size(); k-- > 0;) {
    left[before[k]].push_back(static_cast<int>(k));
  }
  std::vector<int> out;
  for (const int joint : now) {
    const auto found = left.find(joint);
    if (found == left.end() || found->second.empty()) {
      out.push_back(-1);
      continue;
    }
    out.push_back(found->second.back());
    found->second.pop_back();
  }
  return out;
}

std::vector<rig::NewJoint> read_new_joints(const Place& root) {
  std::vector<rig::NewJoint> out;
  if (!root.has("new_joints")) {
    return out;
  }
  root.at("new_joints").each([&](const Place& line) {
    rig::NewJoint joint;
    joint.name = single_line(line.at("name").text(), kLongestName);
    joint.rest = line.at("rest").transform();
    if (line.has("parent")) {
      joint.parent = line.at("parent").integer(0, static_cast<int>(out.size()) - 1);
    }
    if (out.size() == kMostAddedJoints) {
      line.fail(fmt::format("at most {} new joints", kMostAddedJoints));
    }
    out.push_back(std::move(joint));
  });
  return out;
}

void write_character(SessionWriter& to) {
  const rig::Character& file = *to.file;
  const rig::Character& edited = *to.document.content.character;
  if (to.file == to.document.content.character) {
    return;
  }
  write_new_joints(to);
  if (edited.name != file.name && is_utf8(edited.name)) {
    to.json["character"] = {{"name", edited.name}};
  }
  write_joints(to, file.skeleton, edited.skeleton);
  write_skins(to, file, edited);
  write_meshes(to);
  write_clips(to);
  write_findings(to, file.diagnostics, edited.diagnostics);
}

void read_character(SessionReader& from) {
  rig::Character character = *from.document.file;  // in the scene that the session shows
  const bool is_edited =
      std::ranges::any_of(std::array{"character", "new_joints", "joints", "skins", "meshes", "clips", "findings"},
                          [&](const char* section) { return from.root.has(section); });
  if (!is_edited) {
    return;
  }
  if (!from.new_joints.empty()) {
    character = rig::with_new_joints(character, from.new_joints);
  }
  if (from.root.has("character") && from.root.at("character").has("name")) {
    character.name = single_line(from.root.at("character").at("name").text(), kLongestName);
  }
  read_joints(from, character);
  const std::vector<std::vector<char>> dropped = read_skins(from, character);
  read_meshes(from, character);
  drop_joints(from, character, dropped);
  read_clips(from, character);
  read_findings(from, character);
  rig::finish(character);
  auto made = std::make_shared<const rig::Character>(rig::sharing(std::move(character), *from.document.file));
  from.document.content.character = made;
  from.document.character = std::move(made);
}

}  // namespace pelt::edit
