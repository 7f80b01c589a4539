#include "edit/file_extras.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/guarded_json.h"

namespace pelt::edit {
namespace {

// What the file's own object has of extras; -1 where it has none.
int place_of_extras(const rig::Character& character) {
  const auto found = std::ranges::find_if(character.kept, [](const rig::KeptJson& kept) { return kept.place.empty(); });
  return found == character.kept.end() ? -1 : static_cast<int>(found - character.kept.begin());
}

}  // namespace

SessionJson extras_of(const rig::Character& character) {
  const int at = place_of_extras(character);
  if (at < 0 || character.kept[at].extras.empty()) {
    return SessionJson::object();
  }
  // Whoever made a character in code may have kept anything.
  Result<SessionJson> parsed = parse_json<SessionJson>(character.kept[at].extras);
  return parsed ? *std::move(parsed) : SessionJson();
}

bool may_name(const rig::Character& character, std::string_view member) {
  const int at = place_of_extras(character);
  return at >= 0 && character.kept[at].extras.find(fmt::format("\"{}\"", member)) != std::string::npos;
}

const SessionJson* pelt_member(const SessionJson& extras, const char* member) {
  const auto pelt = extras.is_object() ? extras.find("pelt") : extras.end();
  if (!extras.is_object() || pelt == extras.end() || !pelt->is_object()) {
    return nullptr;
  }
  const auto found = pelt->find(member);
  return found == pelt->end() ? nullptr : &*found;
}

void keep_extras(rig::Character& character, const SessionJson& extras) {
  std::string text =
      extras.empty() ? std::string() : extras.dump(-1, ' ', false, SessionJson::error_handler_t::replace);
  int at = place_of_extras(character);
  if (at < 0 && text.empty()) {
    return;
  }
  std::vector<rig::KeptJson>& kept = character.kept.edit();
  if (at < 0) {
    at = static_cast<int>(kept.size());
    kept.push_back({});
  }
  kept[at].extras = std::move(text);
  if (kept[at].extras.empty() && kept[at].extensions.empty()) {
    kept.erase(kept.begin() + at);
  }
}

}  // namespace pelt::edit
