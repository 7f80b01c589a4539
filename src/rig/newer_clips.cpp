#include "rig/newer_clips.h"

#include <algorithm>

#include <fmt/format.h>

#include "rig/clip_changes.h"

namespace pelt::rig {
namespace {

bool says_the_same(const Clip& a, const Clip& b) {
  return a.name == b.name && std::ranges::equal(a.channels, b.channels, same_channel) &&
         std::ranges::equal(a.properties, b.properties, [](const PropertyChannel& x, const PropertyChannel& y) {
           return x.owner == y.owner && x.index == y.index && x.property == y.property && same_channel(x.keys, y.keys);
         });
}

// The clip with the joints' new numbers, and without what moved those that are gone.
Clip for_joints(Clip clip, std::span<const int> numbers) {
  for (Channel& channel : clip.channels) {
    channel.joint = numbers[channel.joint];
  }
  std::erase_if(clip.channels, [](const Channel& channel) { return channel.joint < 0; });
  for (PropertyChannel& property : clip.properties) {
    property.index = property.owner == PropertyOwner::kNode ? numbers[property.index] : property.index;
  }
  std::erase_if(clip.properties, [](const PropertyChannel& property) {
    return property.owner == PropertyOwner::kNode && property.index < 0;
  });
  return clip;
}

int place_of(std::span<const int> list, int number) {
  const auto found = std::ranges::find(list, number);
  return found == list.end() ? -1 : static_cast<int>(found - list.begin());
}

std::string clip_label(const Clip& clip, std::size_t number) {
  return clip.name.empty() ? fmt::format("clip {}", number) : fmt::format("clip \"{}\"", clip.name);
}

}  // namespace

CarriedClips carried_clips(const SharedList<Clip>& file, const SharedList<Clip>& edited, const SharedList<Clip>& newer,
                           std::span<const int> newer_of_file, std::span<const int> newer_of_edited) {
  CarriedClips out;
  const std::vector<int> edited_from = clips_in_file(file, edited);
  const std::vector<int> newer_from = clips_alike(file, newer);
  const auto add_edited = [&](const Clip& clip, std::size_t number, int source) {
    Clip now = for_joints(clip, newer_of_edited);
    if (now.channels.size() + now.properties.size() < clip.channels.size() + clip.properties.size()) {
      out.lost.push_back(fmt::format("keys of joints that are gone, in {}", clip_label(clip, number)));
    }
    update_range(now);
    now.source = source;
    out.clips.push_back(std::move(now));
  };
  for (std::size_t n = 0; n < newer.size(); ++n) {
    const int f = newer_from[n];
    const int e = f < 0 ? -1 : place_of(edited_from, f);
    const bool is_known = f >= 0;
    const bool is_touched =
        is_known && (e < 0 || !(edited.shared(e).is(file.shared(f)) || says_the_same(edited[e], file[f])));
    if (!is_touched) {
      out.clips.push_back(newer.shared(n));
    } else if (!says_the_same(newer[n], for_joints(file[f], newer_of_file))) {
      out.lost.push_back(fmt::format("{} {}: it changed in the file, too", e < 0 ? "the removal of" : "edits of",
                                     clip_label(file[f], f)));
      out.clips.push_back(newer.shared(n));
    } else if (e < 0) {
      out.removed.push_back(static_cast<int>(n));
    } else {
      add_edited(edited[e], e, newer[n].source);
    }
  }
  for (std::size_t e = 0; e < edited.size(); ++e) {
    const int f = edited_from[e];
    if (f < 0) {
      add_edited(edited[e], e, -1);
    } else if (place_of(newer_from, f) < 0 && !says_the_same(edited[e], file[f])) {
      out.lost.push_back(fmt::format("edits of {}", clip_label(edited[e], e)));
    }
  }
  return out;
}

}  // namespace pelt::rig
