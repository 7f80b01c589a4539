// Clips that were edited, made or taken out, in a session.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/index.h"
#include "core/sha256.h"
#include "core/text.h"
#include "edit/character_edits.h"
#include "edit/key_edits.h"
#include "edit/session_data.h"
#include "edit/session_parts.h"
#include "rig/clip_changes.h"

namespace pelt::edit {
namespace {

constexpr std::array<const char*, 4> kClipPaths = {"translation", "rotation", "scale", "weights"};
constexpr std::array<const char*, 3> kClipInterpolations = {"STEP", "LINEAR", "CUBICSPLINE"};
constexpr std::array<const char*, 4> kClipOwners = {"node", "material", "light", "camera"};

template <std::size_t N>
int clip_word(const Place& place, const std::array<const char*, N>& words) {
  const std::string text = place.text();
  const auto found = std::ranges::find_if(words, [&](const char* word) { return text == word; });
  if (found == words.end()) {
    place.fail("a word that this member can have");
  }
  return static_cast<int>(found - words.begin());
}

// What the keys of a clip are, to see whether the file has others by now.
std::string clip_hash(const rig::Clip& clip) {
  Sha256 hash;
  const auto add = [&](const rig::Channel& channel) {
    hash.add(fmt::format("{} {} {} {} ", static_cast<int>(channel.path), static_cast<int>(channel.interpolation),
                         channel.width, channel.morph_target));
    hash.add(std::as_bytes(std::span(channel.times)));
    hash.add(std::as_bytes(std::span(channel.values)));
  };
  std::ranges::for_each(clip.channels, add);
  for (const rig::PropertyChannel& property : clip.properties) {
    hash.add(property.property);
    add(property.keys);
  }
  return hash.hex().substr(0, 16);
}

SessionJson keys_json(const rig::Channel& channel, DataWriter& data) {
  SessionJson json = {{"interpolation", kClipInterpolations[static_cast<std::size_t>(channel.interpolation)]},
                      {"width", channel.width},
                      {"keys", channel.times.size()}};
  json["at"] = data.put(std::span(channel.times));
  data.put(std::span(channel.values));
  if (channel.source >= 0) {
    json["source"] = channel.source;
    json["sampler"] = channel.source_sampler;
  }
  return json;
}

SessionJson channel_json(const SessionWriter& to, const rig::Channel& channel, DataWriter& data) {
  SessionJson json = {{"joint", to.keys.key(channel.joint)},
                      {"path", kClipPaths[static_cast<std::size_t>(channel.path)]}};
  if (channel.morph_target >= 0) {
    json["target"] = channel.morph_target;
  }
  json.update(keys_json(channel, data));
  return json;
}

SessionJson property_json(const SessionWriter& to, const rig::PropertyChannel& property, DataWriter& data) {
  SessionJson json = {{"owner", kClipOwners[static_cast<std::size_t>(property.owner)]},
                      {"property", property.property}};
  if (property.owner == rig::PropertyOwner::kNode) {
    json["joint"] = to.keys.key(property.index);
  } else {
    json["index"] = property.index;
  }
  json.update(keys_json(property.keys, data));
  return json;
}

bool is_same_property(const rig::PropertyChannel& a, const rig::PropertyChannel& b) {
  return a.owner == b.owner && a.index == b.index && a.property == b.property && rig::same_channel(a.keys, b.keys);
}

// Each channel, or where the file's clip has it at some place the number of that.
void write_keys(const SessionWriter& to, const rig::Clip* before, const rig::Clip& now, SessionJson& entry,
                DataWriter& data) {
  static const rig::Clip kNoClips;
  const rig::Clip& file = before != nullptr ? *before : kNoClips;
  const auto list = [&](const auto& was, const auto& is, const auto& same, const auto& json) {
    SessionJson out = SessionJson::array();
    bool is_changed = was.size() != is.size();
    for (std::size_t i = 0; i < is.size(); ++i) {
      const auto found = std::ranges::find_if(was, [&](const auto& one) { return same(one, is[i]); });
      const auto place = static_cast<std::size_t>(found - was.begin());
      is_changed = is_changed || place != i;
      out.push_back(found != was.end() ? SessionJson(place) : json(is[i]));
    }
    return is_changed ? std::optional(std::move(out)) : std::nullopt;
  };
  if (auto channels = list(file.channels, now.channels, rig::same_channel,
                           [&](const rig::Channel& one) { return channel_json(to, one, data); })) {
    entry["channels"] = *std::move(channels);
  }
  if (auto properties = list(file.properties, now.properties, is_same_property,
                             [&](const rig::PropertyChannel& one) { return property_json(to, one, data); })) {
    entry["properties"] = *std::move(properties);
  }
}

void write_clip(SessionWriter& to, const rig::Clip* before, const rig::Clip& now, SessionJson entry) {
  DataWriter data;
  const std::size_t members = entry.size();
  if (before == nullptr || before->name != now.name) {
    entry["name"] = now.name;
  }
  if (now.room > 0) {
    entry["room"] = session_number(now.room);
  }
  write_keys(to, before, now, entry, data);
  if (!data.empty()) {
    entry["data"] = add_data(to, data.take());
  }
  if (before == nullptr || entry.size() > members) {
    to.json["clips"].push_back(std::move(entry));
  }
}

// --- reading ---------------------------------------------------------------------------------------------------------

// A clip of a session while it is read.
struct ClipReader {
  SessionReader& from;
  const rig::Character& character;
  const rig::Clip* file;  // null: there is none
  std::string bytes;
  std::string label;
  std::size_t& numbers;  // in all clips so far
  std::set<ChannelId> known = {};
  std::set<std::tuple<rig::PropertyOwner, int, std::string>> known_properties = {};
};

// A short text may name the same keys over and over, so that it could ask for more than there is memory.
constexpr std::size_t kMostNumbers = std::size_t{1} << 28;
void count_numbers(ClipReader& reader, const rig::Channel& channel, const Place& place) {
  reader.numbers += channel.times.size() + channel.values.size();
  if (reader.numbers > kMostNumbers) {
    place.fail(fmt::format("at most {} numbers in all clips", kMostNumbers));
  }
}

// @return nothing where it does not fit any more
std::optional<rig::Channel> read_keys(ClipReader& reader, const Place& place, rig::Channel channel, int width) {
  constexpr int kMost = std::numeric_limits<int>::max();
  channel.interpolation = static_cast<rig::Interpolation>(clip_word(place.at("interpolation"), kClipInterpolations));
  channel.width = place.at("width").integer(1, kMost);
  if (channel.width != width) {
    return std::nullopt;
  }
  if (place.has("source")) {
    channel.source = place.at("source").integer(0, kMost);
    channel.source_sampler = place.at("sampler").integer(-1, kMost);
  }
  const std::size_t count = place.at("keys").size_up_to(reader.bytes.size() / sizeof(float));
  std::size_t at = place.at("at").size_up_to(reader.bytes.size());
  const DataReader data(reader.bytes);
  channel.times = data.get<float>(at, count, place);
  const std::size_t floats = rig::floats_per_key(channel);
  if (count == 0 || floats > reader.bytes.size() / count) {
    place.fail("keys within their file");
  }
  channel.values = data.get<float>(at, count * floats, place);
  const auto is_finite = [](float x) { return std::isfinite(x); };
  if (!std::ranges::all_of(channel.times, is_finite) || !std::ranges::all_of(channel.values, is_finite) ||
      std::ranges::adjacent_find(channel.times, std::greater_equal()) != channel.times.end()) {
    place.fail("keys of finite numbers, the earlier ones first");
  }
  count_numbers(reader, channel, place);
  return channel;
}

int expected_width(const rig::Character& character, const rig::Channel& channel) {
  constexpr std::array kWidths = {3, 4, 3};
  const int count = character.morph_offset[channel.joint + 1] - character.morph_offset[channel.joint];
  if (channel.path != rig::ChannelPath::kWeights) {
    return channel.morph_target < 0 ? kWidths[static_cast<std::size_t>(channel.path)] : 0;
  }
  return channel.morph_target < 0 ? count : channel.morph_target < count ? 1 : 0;
}

void read_channel(ClipReader& reader, const Place& place, rig::Clip& clip) {
  rig::Channel channel;
  if (place.json().is_number()) {
    const std::size_t number = place.size_up_to(std::numeric_limits<int>::max());
    if (reader.file == nullptr || number >= reader.file->channels.size()) {
      place.fail("the number of a channel of the file's clip");
    }
    channel = reader.file->channels[number];
    count_numbers(reader, channel, place);
  } else {
    const std::string key = place.at("joint").text();
    channel.joint = reader.from.keys.find(key);
    channel.path = static_cast<rig::ChannelPath>(clip_word(place.at("path"), kClipPaths));
    channel.morph_target = place.has("target") ? place.at("target").integer(0, std::numeric_limits<int>::max()) : -1;
    std::optional<rig::Channel> made;
    if (channel.joint >= 0) {
      const int width = expected_width(reader.character, channel);
      made = read_keys(reader, place, std::move(channel), width);
    }
    if (!made) {
      reader.from.lost.push_back(fmt::format("keys of {} in {}", printable(key), reader.label));
      return;
    }
    channel = *std::move(made);
  }
  if (!reader.known.insert(id_of(channel)).second) {
    place.fail("each channel once");
  }
  clip.channels.push_back(std::move(channel));
}

// A property that a clip of the file moves, too: which others there can be, only the reader of files knows.
bool is_in_file(const rig::Character& file, const rig::PropertyChannel& property, int& width) {
  for (const rig::Clip& clip : file.clips) {
    for (const rig::PropertyChannel& one : clip.properties) {
      if (one.owner == property.owner && one.index == property.index && one.property == property.property) {
        width = one.keys.width;
        return true;
      }
    }
  }
  return false;
}

void add_property(ClipReader& reader, const Place& place, rig::PropertyChannel property, rig::Clip& clip) {
  if (!reader.known_properties.emplace(property.owner, property.index, property.property).second) {
    place.fail("each property once");
  }
  count_numbers(reader, property.keys, place);
  clip.properties.push_back(std::move(property));
}

void read_property(ClipReader& reader, const Place& place, rig::Clip& clip) {
  if (place.json().is_number()) {
    const std::size_t number = place.size_up_to(std::numeric_limits<int>::max());
    if (reader.file == nullptr || number >= reader.file->properties.size()) {
      place.fail("the number of a property of the file's clip");
    }
    add_property(reader, place, reader.file->properties[number], clip);
    return;
  }
  rig::PropertyChannel property;
  property.owner = static_cast<rig::PropertyOwner>(clip_word(place.at("owner"), kClipOwners));
  property.property = place.at("property").text();
  property.index = property.owner == rig::PropertyOwner::kNode
                       ? reader.from.keys.find(place.at("joint").text())
                       : place.at("index").integer(0, std::numeric_limits<int>::max());
  int width = 0;
  const bool is_known = is_in_file(reader.from.file, property, width);
  std::optional<rig::Channel> keys;
  if (is_known) {
    rig::Channel empty;
    empty.path = rig::ChannelPath::kWeights;
    keys = read_keys(reader, place, std::move(empty), width);
  }
  if (!keys) {
    reader.from.lost.push_back(fmt::format("keys of {} in {}", printable(property.property), reader.label));
    return;
  }
  property.keys = *std::move(keys);
  add_property(reader, place, std::move(property), clip);
}

// @param numbers  in all clips so far; those of the data files that were read count, too
rig::Clip read_clip(SessionReader& from, const Place& entry, const rig::Character& character, const rig::Clip* file,
                    std::size_t& numbers) {
  rig::Clip clip = file != nullptr ? *file : rig::Clip{};
  if (entry.has("name")) {
    clip.name = single_line(entry.at("name").text(), kLongestName);
  }
  if (entry.has("room")) {
    clip.room = std::max(entry.at("room").number(), 0.0f);
  }
  ClipReader reader{
      from, character, file, entry.has("data") ? read_data(from, entry) : std::string(), printable(clip.name), numbers};
  numbers += reader.bytes.size() / sizeof(float);
  if (numbers > kMostNumbers) {
    entry.fail(fmt::format("at most {} numbers in all clips", kMostNumbers));
  }
  if (entry.has("channels")) {
    clip.channels.clear();
    entry.at("channels").each([&](const Place& place) { read_channel(reader, place, clip); });
  }
  if (entry.has("properties")) {
    clip.properties.clear();
    entry.at("properties").each([&](const Place& place) { read_property(reader, place, clip); });
  }
  rig::update_range(clip);
  return clip;
}

// Sessions once said the room of one clip as a work range that was about this clip alone.
void read_room_in_view(SessionReader& from, rig::Character& character) {
  if (!from.root.has("view") || !from.root.at("view").has("timing")) {
    return;
  }
  const Place timing = from.root.at("view").at("timing");
  if (timing.has("work_clip") && timing.has("work_range")) {
    const int clip = timing.at("work_clip").integer(0, std::numeric_limits<int>::max());
    if (has_index(character.clips, clip) && character.clips[clip].source < 0) {
      character.clips.edit(clip).room = std::max(timing.at("work_range").numbers(2)[1], 0.0f);
    }
  }
}

}  // namespace

bool has_clips(const SessionJson& json) {
  return json.contains("clips");
}

void write_clips(SessionWriter& to) {
  const SharedList<rig::Clip>& file = to.file->clips;
  const SharedList<rig::Clip>& edited = to.document.content.character->clips;
  if (edited.is(file)) {
    return;
  }
  const std::vector<int> from = rig::clips_in_file(file, edited);
  for (std::size_t f = 0; f < file.size(); ++f) {
    const auto found = std::ranges::find(from, static_cast<int>(f));
    SessionJson entry = {{"clip", session_reference(static_cast<int>(f), file[f].name)}};
    if (found == from.end()) {
      entry["hash"] = clip_hash(file[f]);
      entry["removed"] = true;
      to.json["clips"].push_back(std::move(entry));
    } else if (const auto e = static_cast<std::size_t>(found - from.begin()); !edited.shared(e).is(file.shared(f))) {
      entry["hash"] = clip_hash(file[f]);
      write_clip(to, &file[f], edited[e], std::move(entry));
    }
  }
  for (std::size_t e = 0; e < edited.size(); ++e) {
    if (from[e] < 0) {
      write_clip(to, nullptr, edited[e], SessionJson::object());
    }
  }
}

void read_clips(SessionReader& from, rig::Character& character) {
  if (!from.root.has("clips")) {
    return;
  }
  std::vector<std::string> names;
  for (const rig::Clip& clip : from.file.clips) {
    names.push_back(clip.name);
  }
  const ReferredNames by_name(std::move(names));
  std::set<int> seen;
  std::vector<int> removed;
  std::size_t numbers = 0;
  from.root.at("clips").each([&](const Place& entry) {
    if (!entry.has("clip")) {
      character.clips.push_back(read_clip(from, entry, character, nullptr, numbers));
      return;
    }
    const Place reference = entry.at("clip");
    const int c = by_name.find(reference);
    const bool is_same = c >= 0 && entry.at("hash").text() == clip_hash(from.file.clips[c]);
    if (!is_same) {
      from.lost.push_back(fmt::format("edits of the clip {}", reference.has("name")
                                                                  ? printable(reference.at("name").text())
                                                                  : reference.at("index").json().dump()));
      return;
    }
    if (!seen.insert(c).second) {
      reference.fail("each clip once");
    }
    if (entry.has("removed") && entry.at("removed").flag()) {
      removed.push_back(c);
    } else {
      character.clips.edit_items()[c] = read_clip(from, entry, character, &from.file.clips[c], numbers);
    }
  });
  std::ranges::sort(removed, std::greater());
  for (const int c : removed) {
    rig::remove_clip(character, c);
  }
  read_room_in_view(from, character);
}

}  // namespace pelt::edit
