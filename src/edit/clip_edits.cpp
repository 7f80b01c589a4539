#include "edit/clip_edits.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/expect.h"
#include "core/free_names.h"
#include "core/index.h"
#include "core/text.h"
#include "edit/character_edits.h"
#include "rig/clip_changes.h"
#include "rig/root_motion.h"

namespace pelt::edit {
namespace {

constexpr std::array kTrimFields = {ClipField{"from", "From", "s", 0, 0, 3600}, ClipField{"to", "To", "s", 1, 0, 3600}};
constexpr std::array kRetimeFields = {ClipField{"factor", "Times as long", "", 2, 0.01, 100}};
constexpr std::array kResampleFields = {ClipField{"rate", "Frames per second", "1/s", 30, 1, 240}};
constexpr std::array kFitFields = {ClipField{"distance", "Within", "mm", 1, 0.001, 1000},
                                   ClipField{"angle", "and within", "degrees", 0.1, 0.001, 90}};

Result<rig::Clip> reverse_clip(const rig::Character&, const rig::Clip& clip, const ClipNumbers&) {
  return rig::reversed(clip);
}
Result<rig::Clip> trim_clip(const rig::Character&, const rig::Clip& clip, const ClipNumbers& numbers) {
  const auto start = static_cast<float>(numbers[0]);
  const auto end = static_cast<float>(numbers[1]);
  if (!(start < end)) {
    return error("trim: expected an end behind the start at {:g} s, got {:g} s", numbers[0], numbers[1]);
  }
  return rig::trimmed(clip, start, end);
}
Result<rig::Clip> retime_clip(const rig::Character&, const rig::Clip& clip, const ClipNumbers& numbers) {
  return rig::retimed(clip, numbers[0]);
}
Result<rig::Clip> resample_clip(const rig::Character&, const rig::Clip& clip, const ClipNumbers& numbers) {
  constexpr double kMostFrames = 1e6;  // of a channel
  if (static_cast<double>(clip.duration()) * numbers[0] > kMostFrames) {
    return error("resample: expected at most {:g} frames, got {:g}", kMostFrames,
                 static_cast<double>(clip.duration()) * numbers[0]);
  }
  return rig::resampled(clip, numbers[0]);
}
Result<rig::Clip> fit_clip(const rig::Character&, const rig::Clip& clip, const ClipNumbers& numbers) {
  constexpr double kMillimetre = 1e-3;
  constexpr double kDegree = 0.017453292519943295;
  return rig::fitted(clip, {.distance = numbers[0] * kMillimetre, .angle = numbers[1] * kDegree});
}

Result<rig::Clip> stay_on_the_spot(const rig::Character& character, const rig::Clip& clip, const ClipNumbers&) {
  return rig::without_travel(character, clip);
}
Result<rig::Clip> travel_above(const rig::Character& character, const rig::Clip& clip, const ClipNumbers&) {
  return rig::with_travel_above(character, clip);
}

constexpr std::array kOperations = {
    ClipOperation{"reverse", "Reverse", "Plays it backwards", {}, reverse_clip},
    ClipOperation{"trim", "Trim", "Keeps what lies between two times; the first becomes 0", kTrimFields, trim_clip},
    ClipOperation{"retime", "Retime", "Slower or faster about its start", kRetimeFields, retime_clip},
    ClipOperation{"resample", "Resample", "A key for every frame, straight between them", kResampleFields,
                  resample_clip},
    ClipOperation{"fit", "Fit curves", "Smooth curves with few keys, which stay so close to the clip", kFitFields,
                  fit_clip},
    ClipOperation{"on-the-spot",
                  "On the spot",
                  "Takes the way over the ground out: the hips stay above their start",
                  {},
                  stay_on_the_spot},
    ClipOperation{"travel-to-root",
                  "Way to the root",
                  "The joint above the hips goes their way over the ground instead",
                  {},
                  travel_above},
};

constexpr float kNewClipSeconds = 2;

std::string name_of_clip(const Document& document, int clip) {
  if (!has_index(document.character->clips, clip)) {
    return "?";
  }
  const std::string& name = document.character->clips[clip].name;
  return name.empty() ? fmt::format("clip {}", clip) : name;
}

// Layers that play clips go on playing them.
void rename_clips(const rig::Character& before, const rig::Character& after, const std::vector<int>& numbers,
                  Content& content) {
  motion::Behaviour behaviour = motion::with_clips_renamed(*content.behaviour, before, after, numbers);
  if (behaviour != *content.behaviour) {
    content.behaviour = std::move(behaviour);
  }
}

bool are_in_range(const ClipOperation& operation, const ClipNumbers& numbers) {
  for (std::size_t f = 0; f < operation.fields.size(); ++f) {
    if (!(numbers[f] >= operation.fields[f].minimum && numbers[f] <= operation.fields[f].maximum)) {
      return false;
    }
  }
  return true;
}

Result<rig::Clip> changed_clip(const Document& document, const ChangeClip& change) {
  const rig::Character& character = *own_character(document);
  if (!has_index(character.clips, change.clip) || !has_index(kOperations, change.operation)) {
    return error("clip {}: expected one of {} clips", change.clip, character.clips.size());
  }
  const ClipOperation& operation = kOperations[change.operation];
  if (!are_in_range(operation, change.numbers)) {
    return error("{}: expected numbers within the ranges of its fields, got {:g} and {:g}", operation.label,
                 change.numbers[0], change.numbers[1]);
  }
  return operation.apply(character, character.clips[change.clip], change.numbers);
}

}  // namespace

std::span<const ClipOperation> clip_operations() {
  return kOperations;
}

int find_clip_operation(std::string_view id) {
  const auto found = std::ranges::find(kOperations, id, &ClipOperation::id);
  return found == kOperations.end() ? -1 : static_cast<int>(found - kOperations.begin());
}

std::string own_clip_name(std::string_view wish, const SharedList<rig::Clip>& clips, int but) {
  FreeNames names(kLongestName);
  for (std::size_t c = 0; c < clips.size(); ++c) {
    if (static_cast<int>(c) != but) {
      names.take(clips[c].name);
    }
  }
  return names.give(wish, "clip");
}

ClipNumbers standard_numbers(const ClipOperation& operation) {
  ClipNumbers numbers = {};
  std::ranges::transform(operation.fields, numbers.begin(), &ClipField::standard);
  return numbers;
}

void carry_out(const Document& document, const SetClip& change, Content& content, View& view) {
  const SharedList<rig::Clip>& clips = document.character->clips;
  PELT_EXPECT(change.clip >= -1 && change.clip < static_cast<int>(clips.size()), "clip index out of range");
  content.clip = change.clip;
  if (change.clip >= 0) {
    view.time = clips[change.clip].start;
  }
}

void carry_out(const Document& document, const SetTime& change, Content& content, View& view) {
  if (content.clip < 0 || !std::isfinite(change.time)) {
    return;
  }
  const TimeRange range = playhead_range(document, content.clip);
  view.time = std::clamp(change.time, range.start, range.end);
}

std::string label(const Document& document, const SetClip& change) {
  if (change.clip < 0) {
    return "No clip";
  }
  const std::string& name = document.character->clips[change.clip].name;
  return name.empty() ? fmt::format("Clip {}", change.clip) : fmt::format("Clip {}", name);
}

std::string label(const Document&, const SetTime&) {
  return "Scrub";
}

void carry_out(const Document& document, const AddClip& change, Content& content, View& view) {
  const rig::Character& character = *own_character(document);
  rig::Clip clip;
  if (has_index(character.clips, change.copy_of)) {
    clip = character.clips[change.copy_of];
    for (rig::Channel& channel : clip.channels) {
      channel.source = -1;  // the file says nothing of it
      channel.source_sampler = -1;
    }
    for (rig::PropertyChannel& property : clip.properties) {
      property.keys.source = -1;
      property.keys.source_sampler = -1;
    }
  }
  clip.source = -1;
  clip.room = clip.channels.empty() && clip.properties.empty() ? kNewClipSeconds : clip.room;
  clip.name = own_clip_name(change.name, character.clips);
  auto changed = std::make_shared<rig::Character>(character);
  changed->clips.push_back(std::move(clip));
  content.clip = static_cast<int>(changed->clips.size()) - 1;
  view.time = changed->clips[content.clip].start;
  content.character = std::move(changed);
}

void carry_out(const Document& document, const RenameClip& change, Content& content, View&) {
  const rig::Character& character = *own_character(document);
  if (!has_index(character.clips, change.clip)) {
    return;
  }
  std::string name = own_clip_name(change.name, character.clips, change.clip);
  if (name != character.clips[change.clip].name) {
    auto changed = std::make_shared<rig::Character>(character);
    changed->clips.edit(change.clip).name = std::move(name);
    std::vector<int> same(character.clips.size());
    std::iota(same.begin(), same.end(), 0);
    rename_clips(character, *changed, same, content);
    content.character = std::move(changed);
  }
}

void carry_out(const Document& document, const RemoveClip& change, Content& content, View& view) {
  const rig::Character& character = *own_character(document);
  if (!has_index(character.clips, change.clip)) {
    return;
  }
  auto changed = std::make_shared<rig::Character>(character);
  rig::remove_clip(*changed, change.clip);
  if (content.clip == change.clip) {
    content.clip = changed->clips.empty() ? -1 : std::max(0, change.clip - 1);
    view.time = content.clip < 0 ? 0 : changed->clips[content.clip].start;
  } else if (content.clip > change.clip) {
    --content.clip;
  }
  std::vector<int> numbers(character.clips.size());
  for (int c = 0; c < static_cast<int>(numbers.size()); ++c) {
    numbers[static_cast<std::size_t>(c)] = c == change.clip ? -1 : c > change.clip ? c - 1 : c;
  }
  rename_clips(character, *changed, numbers, content);
  content.character = std::move(changed);
}

void carry_out(const Document& document, const ChangeClip& change, Content& content, View&) {
  Result<rig::Clip> clip = changed_clip(document, change);
  if (!clip) {
    return;
  }
  const rig::Clip& before = own_character(document)->clips[change.clip];
  const bool is_same = std::ranges::equal(clip->channels, before.channels, rig::same_channel) &&
                       std::ranges::equal(clip->properties, before.properties, rig::same_channel,
                                          &rig::PropertyChannel::keys, &rig::PropertyChannel::keys);
  if (!is_same) {
    auto changed = std::make_shared<rig::Character>(*own_character(document));
    changed->clips.edit_items()[change.clip] = *std::move(clip);
    content.character = std::move(changed);
  }
}

std::string refusal(const Document& document, const ChangeClip& change) {
  const Result<rig::Clip> clip = changed_clip(document, change);
  return clip ? "" : clip.error().message;
}

std::string label(const Document& document, const AddClip& change) {
  return change.copy_of < 0 ? fmt::format("New clip {}", change.name)
                            : fmt::format("Duplicate {}", name_of_clip(document, change.copy_of));
}

std::string label(const Document& document, const RenameClip& change) {
  return fmt::format("Rename {} to {}", name_of_clip(document, change.clip), single_line(change.name, kLongestName));
}

std::string label(const Document& document, const RemoveClip& change) {
  return fmt::format("Remove {}", name_of_clip(document, change.clip));
}

std::string label(const Document& document, const ChangeClip& change) {
  const char* const what = has_index(kOperations, change.operation) ? kOperations[change.operation].label : "Change";
  return fmt::format("{}: {}", what, name_of_clip(document, change.clip));
}

}  // namespace pelt::edit
