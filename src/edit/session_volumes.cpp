// Volumes round joints, in a session: the numbers of the binder by volumes, and the volumes that were made by hand.
#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include <nlohmann/json.hpp>

#include "bind/binders.h"
#include "core/guarded_json.h"
#include "edit/bind_edits.h"
#include "edit/session_parts.h"

namespace pelt::edit {
namespace {

// By bind::VolumeKind.
constexpr std::array<const char*, bind::kVolumeKindCount> kKindWords = {"tapered-capsule", "cylinder", "ellipsoid",
                                                                        "sphere",          "box",      "capsule"};

bind::VolumeKind read_kind(const Place& place) {
  const std::string word = place.text();
  const auto found = std::ranges::find(kKindWords, word);
  if (found == kKindWords.end()) {
    place.fail("a kind of volume");
  }
  return static_cast<bind::VolumeKind>(found - kKindWords.begin());
}

float read_size(const Place& place) {
  const float size = place.number();
  if (size < 0) {
    place.fail("a size of 0 or more");
  }
  return size;
}

bind::JointVolume read_volume(const Place& place) {
  bind::JointVolume out;
  out.kind = read_kind(place.at("kind"));
  out.center = place.at("center").vector();
  out.rotation = place.at("rotation").rotation();
  out.half = place.at("half").vector();
  if (!(out.half.x >= 0 && out.half.y >= 0 && out.half.z >= 0)) {
    place.at("half").fail("sizes of 0 or more");
  }
  out.head_radius = read_size(place.at("head"));
  out.tail_radius = read_size(place.at("tail"));
  return out;
}

}  // namespace

void write_volumes(SessionWriter& to) {
  const bind::JointVolumes& volumes = *to.document.content.volumes;
  if (volumes == bind::JointVolumes{}) {
    return;
  }
  const bind::ContainmentNumbers& numbers = volumes.numbers;
  SessionJson json = {{"kind", kKindWords[static_cast<std::size_t>(numbers.kind)]},
                      {"size", session_number(static_cast<float>(numbers.size))},
                      {"soft", numbers.how.soft},
                      {"range", session_number(static_cast<float>(numbers.how.range))},
                      {"passes", numbers.how.passes}};
  for (const bind::JointVolume& volume : volumes.of_joints) {
    json["by_hand"].push_back({{"joint", to.keys.key(volume.joint)},
                               {"kind", kKindWords[static_cast<std::size_t>(volume.kind)]},
                               {"center", session_numbers(volume.center)},
                               {"rotation", session_numbers(volume.rotation)},
                               {"half", session_numbers(volume.half)},
                               {"head", session_number(volume.head_radius)},
                               {"tail", session_number(volume.tail_radius)}});
  }
  to.json["volumes"] = std::move(json);
}

void read_volumes(SessionReader& from) {
  if (!from.root.has("volumes")) {
    return;
  }
  const Place place = from.root.at("volumes");
  bind::JointVolumes out;
  out.numbers.kind = read_kind(place.at("kind"));
  out.numbers.size = double{read_size(place.at("size"))};
  out.numbers.how.soft = place.at("soft").flag();
  out.numbers.how.range = double{read_size(place.at("range"))};
  out.numbers.how.passes = place.at("passes").integer(0, std::numeric_limits<int>::max());
  const std::vector<double> values = bind::containment_values(out.numbers);
  const auto fields = bind::find_binder(kVolumesBinder)->fields;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    if (values[f] < double{static_cast<float>(fields[f].minimum)} ||
        values[f] > double{static_cast<float>(fields[f].maximum)}) {
      place.fail("numbers in the range of the binder's");
    }
  }
  if (place.has("by_hand")) {
    place.at("by_hand").each([&](const Place& one) {
      bind::JointVolume volume = read_volume(one);
      volume.joint = from.joint(one.at("joint").text(), "the volume of");
      if (volume.joint >= 0) {
        out.of_joints.push_back(volume);
      }
    });
    std::ranges::stable_sort(out.of_joints, {}, &bind::JointVolume::joint);
  }
  from.document.content.volumes = std::move(out);
}

}  // namespace pelt::edit
