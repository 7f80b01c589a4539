#include "edit/session.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/guarded_json.h"
#include "core/text.h"
#include "edit/session_parts.h"
#include "edit/skeleton_edits.h"
#include "rig/character_parts.h"

namespace pelt::edit {

struct ParsedSession {
  SessionJson json;  ///< without what is packed
};

namespace {

/// Sections that this version of the program knows. Others are kept.
constexpr auto kSections = std::to_array<const char*>(
    {"pelt",     "version",    "source",      "pose",       "pose_layers", "deformer_layers", "behaviour",
     "panes",    "character",  "new_joints",  "joints",     "skins",       "meshes",          "clips",
     "findings", "selections", "library",     "kept_poses", "locked",      "volumes",         "view",
     "window",   "packed",     "packed_data", "surfaces"});

// What goes wrong on the way becomes an error.
template <typename F>
auto caught(F f) -> decltype(f()) {
  try {
    return f();
  } catch (const SessionFault& fault) {
    return Error{fault.message};
  } catch (const SessionJson::exception& failure) {
    return error("session: {}", printable(failure.what()));
  }
}

Result<SessionJson> parsed(std::string_view text) {
  Result<SessionJson> json = parse_json<SessionJson>(text, kSessionLimits);
  if (!json) {
    return json.error().in("session");
  }
  if (!json->is_object() || !json->contains("pelt") || (*json)["pelt"] != "session") {
    return error("not a session: expected an object with \"pelt\": \"session\"");
  }
  const Place version = Place(*json, "session").at("version");
  if (const int number = version.integer(1, std::numeric_limits<int>::max()); number > kSessionVersion) {
    return error("the session was saved by a newer version of Pelt (its form is {}, this program reads up to {})",
                 number, kSessionVersion);
  }
  return json;
}

void read_sections(SessionReader& from) {
  from.report(0);
  if (from.root.has("view") && from.root.at("view").has("scene")) {
    std::vector<std::string> names;
    for (const rig::Scene& scene : from.file.scenes) {
      names.push_back(scene.name);
    }
    if (const int scene = referred(from.root.at("view").at("scene"), names); scene >= 0) {
      show_scene(from.document, scene);
    }
  }
  read_character(from);
  from.report(0.9f);
  read_pose_section(from);
  read_layers(from);
  read_behaviour(from);
  read_panes(from);
  read_selections(from);
  read_volumes(from);
  read_library(from);
  read_kept_poses(from);
  read_view(from);
  std::vector<KeptSection> kept;
  for (const auto& item : from.root.json().items()) {
    if (std::ranges::find(kSections, item.key(), [](const char* id) { return std::string(id); }) == kSections.end()) {
      kept.push_back({item.key(), item.value().dump()});
    }
  }
  if (!kept.empty()) {
    from.document.content.kept = SharedArray<KeptSection>(std::move(kept));
  }
}

/// Something that a session may fail to hold, in words.
template <typename Whole>
struct Held {
  const char* what;
  bool (*is_same)(const Whole& a, const Whole& b);
};

constexpr auto kHeldOfContent = std::to_array<Held<Content>>({
    {"the base pose", [](const Content& a, const Content& b) { return a.base == b.base; }},
    {"the clip", [](const Content& a, const Content& b) { return a.clip == b.clip; }},
    {"what was posed by hand", [](const Content& a, const Content& b) { return a.overrides == b.overrides; }},
    {"what is pinned", [](const Content& a, const Content& b) { return a.pins == b.pins; }},
    {"the weights of shapes",
     [](const Content& a, const Content& b) { return a.morph_overrides == b.morph_overrides; }},
    {"the rotation orders", [](const Content& a, const Content& b) { return a.euler_orders == b.euler_orders; }},
    {"the skinning of the first pane", [](const Content& a, const Content& b) { return a.skinning == b.skinning; }},
    {"the skinning of the other panes", [](const Content& a, const Content& b) { return a.panes == b.panes; }},
    {"the pose layers", [](const Content& a, const Content& b) { return a.pose_layers == b.pose_layers; }},
    {"the deformer layers", [](const Content& a, const Content& b) { return a.deformer_layers == b.deformer_layers; }},
    {"the drivers, springs, sliders, clip layers and constraints",
     [](const Content& a, const Content& b) { return a.behaviour == b.behaviour; }},
    {"the selections that have a name",
     [](const Content& a, const Content& b) { return a.selections == b.selections; }},
    {"the locks of joints", [](const Content& a, const Content& b) { return a.locked_joints == b.locked_joints; }},
    {"the volumes of joints", [](const Content& a, const Content& b) { return a.volumes == b.volumes; }},
    {"the pose library", [](const Content& a, const Content& b) { return a.library == b.library; }},
    {"the kept poses", [](const Content& a, const Content& b) { return a.kept_poses == b.kept_poses; }},
    {"the sections that this program does not know",
     [](const Content& a, const Content& b) { return a.kept == b.kept; }},
});

bool same_skins(const rig::Character& a, const rig::Character& b) {
  return std::ranges::equal(a.skins, b.skins, [](const rig::Skin& x, const rig::Skin& y) {
    return x.name == y.name && x.joints == y.joints && x.joint_from_mesh == y.joint_from_mesh &&
           x.has_inverse_binds == y.has_inverse_binds;
  });
}

using rig::Character;
constexpr auto kHeldOfCharacter = std::to_array<Held<Character>>({
    {"its name", [](const Character& a, const Character& b) { return a.name == b.name; }},
    {"its joints", [](const Character& a, const Character& b) { return rig::equal(*a.skeleton, *b.skeleton); }},
    {"its skins", same_skins},
    {"the skins of its nodes",
     [](const Character& a, const Character& b) {
       return std::ranges::equal(a.mesh_nodes, b.mesh_nodes, {}, &rig::MeshNode::skin, &rig::MeshNode::skin);
     }},
    {"its clips",
     [](const Character& a, const Character& b) {
       Character x;
       Character y;
       x.clips = a.clips;
       y.clips = b.clips;
       return rig::equal(x, y);
     }},
    {"the weights of its constraints",
     [](const Character& a, const Character& b) {
       return std::ranges::equal(a.constraints, b.constraints, {}, &rig::NodeConstraint::weight,
                                 &rig::NodeConstraint::weight);
     }},
    {"its findings",
     [](const Character& a, const Character& b) { return same_findings(a.diagnostics, b.diagnostics); }},
});

// The first mesh that is another one; empty where none is.
std::string other_mesh(const Character& a, const Character& b) {
  for (std::size_t m = 0; m < a.meshes.size() && m < b.meshes.size(); ++m) {
    const bool is_same =
        std::ranges::equal(a.meshes[m].primitives, b.meshes[m].primitives,
                           [](const mesh::Primitive& x, const mesh::Primitive& y) { return rig::equal(x, y); });
    if (!is_same) {
      return fmt::format("mesh {} ({})", m, printable(a.meshes[m].name));
    }
  }
  return {};
}

template <typename List, typename Whole>
std::string first_other(const List& list, const Whole& a, const Whole& b) {
  const auto found = std::ranges::find_if(list, [&](const auto& held) { return !held.is_same(a, b); });
  return found == list.end() ? std::string() : found->what;
}

// What is written must say all of it: whatever a session of this version cannot hold is found here and not when it is
// opened again.
Status check_complete(const Document& document, const SessionText& text) {
  const SessionFiles files = [&](const std::string& name) -> Result<std::string> {
    return std::ranges::find(text.files, name, &SessionFile::name)->bytes;
  };
  const Result<OpenedSession> again = session_from_text(text.json, document.file, files);
  if (!again) {
    return again.error().in("the session could not be opened again");
  }
  Content now = again->document.content;
  const Character& wanted = *document.content.character;
  if (!rig::equal(*now.character, wanted)) {
    std::string what = first_other(kHeldOfCharacter, *now.character, wanted);
    what = what.empty() ? other_mesh(*now.character, wanted) : what;
    return error("a session cannot hold what was changed in the character: {}",
                 what.empty() ? "none of its joints, skins, meshes and clips, but something else" : what);
  }
  now.character = document.content.character;
  if (now != document.content) {
    const std::string what = first_other(kHeldOfContent, now, document.content);
    return error("a session cannot hold {}", what.empty() ? "all that was done" : what);
  }
  return {};
}

}  // namespace

Result<SessionText> session_to_text(const Document& document, const SessionSource& source, std::string_view window) {
  const std::shared_ptr<const rig::Character> extended = file_with_new_joints(document);
  const rig::Character& file = *extended;
  const rig::Character& edited = *document.content.character;
  const bool same_things = edited.skeleton->source_node == file.skeleton->source_node &&
                           edited.skins.size() >= file.skins.size() && edited.meshes.size() == file.meshes.size();
  if (!same_things) {
    return error("a session cannot hold joints, skins or meshes that came or went");
  }
  return caught([&]() -> Result<SessionText> {
    SessionJson json = SessionJson::object();
    SessionWriter to{document, extended, JointKeys(file.skeleton), json};
    to.json["pelt"] = "session";
    to.json["version"] = kSessionVersion;
    to.json["source"] = {{"file", written_name(source.file)}, {"hash", source.hash}};
    if (source.outside_uris) {
      to.json["source"]["outside_uris"] = true;
    }
    write_pose(to);
    write_layers(to);
    write_behaviour(to);
    write_panes(to);
    write_character(to);
    write_selections(to);
    write_surfaces(to);
    write_volumes(to);
    write_library(to);
    write_kept_poses(to);
    for (const KeptSection& section : document.content.kept) {
      to.json[section.name] = SessionJson::parse(section.json);
    }
    write_view(to);
    to.json["version"] = has_clips(to.json) ? kSessionVersion : kSessionVersionWithoutClips;
    if (!window.empty()) {
      to.json["window"] = SessionJson::parse(window);
    }
    SessionText text{laid_out(to.json), std::move(to.files)};
    PELT_TRY(check_complete(document, text));
    return text;
  });
}

namespace {

// What needs no escape, as nearly every data URI, is copied as it is.
void put_text(const std::string& text, std::string& out) {
  const bool is_plain = std::ranges::all_of(text, [](char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; });
  if (!is_plain) {
    out += SessionJson(text).dump();
    return;
  }
  out += '"';
  out += text;
  out += '"';
}

}  // namespace

Result<std::string> packed_session(const SessionText& text, const PackedFiles& files, const PackedFiles& data) {
  // Not through JSON: what is long is copied once.
  return caught([&]() -> Result<std::string> {
    std::size_t size = text.json.size();
    for (const PackedFiles* list : {&files, &data}) {
      for (const auto& [name, uri] : *list) {
        size += uri.size() + 4 * name.size() + 32;
      }
    }
    std::string out;
    out.reserve(size);
    out = std::string_view(text.json).substr(0, text.json.rfind('}'));
    out.resize(out.find_last_not_of('\n') + 1);
    for (const auto& [section, list] : {std::pair("packed", &files), std::pair("packed_data", &data)}) {
      if (list == &data && data.empty()) {
        continue;
      }
      out += fmt::format(",\n  \"{}\": {{", section);
      bool first = true;
      for (const auto& [name, uri] : *list) {
        out += first ? "\n    " : ",\n    ";
        out += SessionJson(written_name(name)).dump();
        out += ": ";
        put_text(uri, out);
        first = false;
      }
      out += "\n  }";
    }
    out += "\n}\n";
    return out;
  });
}

bool is_session(std::string_view beginning) {
  constexpr std::size_t kFar = 256;
  beginning = beginning.substr(0, kFar);
  std::string words;
  std::ranges::copy_if(beginning, std::back_inserter(words),
                       [](char c) { return c != ' ' && c != '\n' && c != '\r' && c != '\t'; });
  return words.starts_with('{') && words.find("\"pelt\":\"session\"") != std::string::npos;
}

bool is_session_data(std::string_view name) {
  return is_data_name(name);
}

namespace {

// A name that a person could have given; the system would end it at a zero.
std::string file_name(const Place& place, const std::string& text) {
  std::string name = name_written(text);
  if (name.empty() || name.find('\0') != std::string::npos) {
    place.fail("the name of a file");
  }
  return name;
}

// Takes the files out of the text: they may be large.
PackedFiles taken_files(SessionJson& json, const char* section) {
  PackedFiles out;
  if (!json.contains(section)) {
    return out;
  }
  Place(json, "session").at(section).each_member([&](const std::string& name, const Place& uri) {
    if (!uri.json().is_string()) {
      uri.fail("text");
    }
    if (name_written(name).find('\0') != std::string::npos) {
      throw SessionFault{fmt::format("{}: expected the name of a file", uri.path())};
    }
  });
  for (const auto& item : json[section].items()) {
    out.emplace(name_written(item.key()), std::move(item.value().get_ref<std::string&>()));
  }
  json[section] = SessionJson::object();
  return out;
}

std::vector<std::string> needed_data(const Place& root) {
  std::vector<std::string> files;
  std::set<std::string> known;
  const auto need = [&](const Place& entry) {
    const std::string name = entry.at("data").text();
    if (!is_data_name(name)) {
      entry.at("data").fail("32 hexadecimal digits and .bin");
    }
    if (known.insert(name).second) {
      files.push_back(name);
    }
  };
  if (root.has("meshes")) {
    root.at("meshes").each(need);
  }
  if (root.has("surfaces")) {
    root.at("surfaces").each_member([&](const std::string&, const Place& entry) { need(entry); });
  }
  if (root.has("clips")) {
    root.at("clips").each([&](const Place& entry) { entry.has("data") ? need(entry) : void(); });
  }
  if (root.has("volumes") && root.at("volumes").has("by_hand")) {
    root.at("volumes").at("by_hand").each(
        [&](const Place& entry) { entry.has("mesh") ? need(entry.at("mesh")) : void(); });
  }
  if (root.has("library")) {
    root.at("library").each([&](const Place& entry) { entry.has("data") ? need(entry) : void(); });
  }
  if (root.has("kept_poses")) {
    root.at("kept_poses").each([&](const Place& entry) {
      entry.has("data") ? need(entry) : void();
      entry.at("places").each(need);
    });
  }
  return files;
}

}  // namespace

Result<SessionHead> session_head(std::string_view text) {
  return caught([&]() -> Result<SessionHead> {
    PELT_TRY_TO(SessionJson json, parsed(text));
    SessionHead head;
    const Place source = Place(json, "session").at("source");
    head.source.file = file_name(source.at("file"), source.at("file").text());
    head.source.hash = source.at("hash").text();
    head.source.outside_uris = source.has("outside_uris") && source.at("outside_uris").flag();
    head.is_in_one_piece = json.contains("packed");
    head.packed = taken_files(json, "packed");
    head.packed_data = taken_files(json, "packed_data");
    head.files = needed_data(Place(json, "session"));
    for (const std::string& name : head.files) {
      // The first program that had them put them among the character's files.
      if (!head.packed_data.contains(name) && head.packed.contains(name)) {
        head.packed_data.insert(head.packed.extract(name));
      }
    }
    if (json.contains("window")) {
      head.window = json["window"].dump();
    }
    head.parsed = std::make_shared<const ParsedSession>(ParsedSession{std::move(json)});
    return head;
  });
}

Result<OpenedSession> session_of(const SessionHead& head, std::shared_ptr<const rig::Character> source,
                                 const SessionFiles& files, const Progress& progress) {
  return caught([&]() -> Result<OpenedSession> {
    const Place root(head.parsed->json, "session");
    const std::vector<rig::NewJoint> new_joints = read_new_joints(root);
    const rig::Character file = new_joints.empty() ? *source : rig::with_new_joints(*source, new_joints);
    SessionReader from{root, file, JointKeys(file.skeleton), files, progress, make_document(source), new_joints};
    read_sections(from);
    from.document.origin.window = head.window;
    if (!from.held.empty()) {
      from.document.origin.held = std::make_shared<const HeldEdits>(std::move(from.held));
    }
    return OpenedSession{std::move(from.document), from.surface, std::move(from.lost)};
  });
}

Result<OpenedSession> session_from_text(std::string_view text, std::shared_ptr<const rig::Character> source,
                                        const SessionFiles& files) {
  PELT_TRY_TO(const SessionHead head, session_head(text));
  return session_of(head, std::move(source), files);
}

}  // namespace pelt::edit
