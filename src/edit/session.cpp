#include "edit/session.h"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/guarded_json.h"
#include "core/text.h"
#include "edit/session_parts.h"
#include "rig/character_parts.h"

namespace pelt::edit {
namespace {

/// Sections that this version of the program knows. Others are kept.
constexpr auto kSections = std::to_array<const char*>({"pelt", "version", "source", "pose", "pose_layers",
                                                       "deformer_layers", "panes", "character", "joints", "skins",
                                                       "meshes", "findings", "selections", "view", "window", "packed"});

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
  read_pose_section(from);
  read_layers(from);
  read_panes(from);
  read_selections(from);
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
  const bool same_character = rig::equal(*now.character, *document.content.character);
  now.character = document.content.character;
  if (!same_character || now != document.content) {
    return error("a session cannot hold {}",
                 same_character ? "all of the pose and its layers" : "all that was changed in the character");
  }
  return {};
}

}  // namespace

Result<SessionText> session_to_text(const Document& document, const SessionSource& source, std::string_view window) {
  const rig::Character& file = *document.file;
  const rig::Character& edited = *document.content.character;
  const bool same_things = edited.skeleton->source_node == file.skeleton->source_node &&
                           edited.skins.size() == file.skins.size() && edited.meshes.size() == file.meshes.size();
  if (!same_things) {
    return error("a session cannot hold joints, skins or meshes that came or went");
  }
  return caught([&]() -> Result<SessionText> {
    SessionJson json = SessionJson::object();
    SessionWriter to{document, JointKeys(file.skeleton), json};
    to.json["pelt"] = "session";
    to.json["version"] = kSessionVersion;
    to.json["source"] = {{"file", source.file}, {"hash", source.hash}};
    if (source.outside_uris) {
      to.json["source"]["outside_uris"] = true;
    }
    write_pose(to);
    write_layers(to);
    write_panes(to);
    write_character(to);
    write_selections(to);
    for (const KeptSection& section : document.content.kept) {
      to.json[section.name] = SessionJson::parse(section.json);
    }
    write_view(to);
    if (!window.empty()) {
      to.json["window"] = SessionJson::parse(window);
    }
    SessionText text{laid_out(to.json), std::move(to.files)};
    PELT_TRY(check_complete(document, text));
    return text;
  });
}

std::string packed_session(const SessionText& text, const std::map<std::string, std::string>& files) {
  // Not through JSON: what is long is copied once.
  std::string out = text.json.substr(0, text.json.rfind('}'));
  out.resize(out.find_last_not_of('\n') + 1);
  out += ",\n  \"packed\": {";
  bool first = true;
  for (const auto& [name, uri] : files) {
    out += fmt::format("{}\n    {}: \"{}\"", first ? "" : ",", SessionJson(name).dump(), uri);
    first = false;
  }
  return out + "\n  }\n}\n";
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

Result<SessionHead> session_head(std::string_view text) {
  return caught([&]() -> Result<SessionHead> {
    PELT_TRY_TO(const SessionJson json, parsed(text));
    const Place root(json, "session");
    SessionHead head;
    head.source.file = root.at("source").at("file").text();
    head.source.hash = root.at("source").at("hash").text();
    head.source.outside_uris = root.at("source").has("outside_uris") && root.at("source").at("outside_uris").flag();
    if (head.source.file.empty()) {
      root.at("source").at("file").fail("the name of a file");
    }
    if (root.has("meshes")) {
      root.at("meshes").each([&](const Place& entry) {
        const std::string name = entry.at("data").text();
        if (!is_data_name(name)) {
          entry.at("data").fail("32 hexadecimal digits and .bin");
        }
        if (std::ranges::find(head.files, name) == head.files.end()) {
          head.files.push_back(name);
        }
      });
    }
    if (root.has("packed")) {
      root.at("packed").each_member(
          [&](const std::string& name, const Place& uri) { head.packed.emplace(name, uri.text()); });
    }
    if (root.has("window")) {
      head.window = root.at("window").json().dump();
    }
    return head;
  });
}

Result<OpenedSession> session_from_text(std::string_view text, std::shared_ptr<const rig::Character> source,
                                        const SessionFiles& files) {
  return caught([&]() -> Result<OpenedSession> {
    PELT_TRY_TO(const SessionJson json, parsed(text));
    const rig::Character& file = *source;
    SessionReader from{Place(json, "session"), file, JointKeys(file.skeleton), files, make_document(source)};
    read_sections(from);
    if (from.root.has("window")) {
      from.document.origin.window = from.root.at("window").json().dump();
    }
    return OpenedSession{std::move(from.document), from.surface, std::move(from.lost)};
  });
}

}  // namespace pelt::edit
