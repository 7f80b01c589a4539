// Volumes round joints, in a session: the numbers of the binder by volumes, and the volumes that were made by hand.
#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include <nlohmann/json.hpp>

#include "bind/binders.h"
#include "core/guarded_json.h"
#include "edit/bind_edits.h"
#include "edit/session_data.h"
#include "edit/session_parts.h"

namespace pelt::edit {
namespace {

bind::VolumeKind read_kind(const Place& place) {
  const std::string word = place.text();
  const auto found = std::ranges::find(bind::kVolumeKindWords, word);
  if (found == bind::kVolumeKindWords.end()) {
    place.fail("a kind of volume");
  }
  return static_cast<bind::VolumeKind>(found - bind::kVolumeKindWords.begin());
}

SessionJson shape_json(SessionWriter& to, const bind::VolumeShape& shape) {
  DataWriter data;
  data.put(std::span(shape.positions));
  data.put(std::span(shape.triangles));
  return {{"name", written_name(shape.name)},
          {"vertices", shape.positions.size()},
          {"triangles", shape.triangles.size()},
          {"data", add_data(to, data.take())}};
}

bind::VolumeShape read_shape(SessionReader& from, const Place& place) {
  constexpr std::size_t kMostVertices = 3 * bind::kMostShapeTriangles;
  const std::size_t vertices = place.at("vertices").size_up_to(kMostVertices);
  const std::size_t triangles = place.at("triangles").size_up_to(bind::kMostShapeTriangles);
  const std::string bytes = read_data(from, place);
  const DataReader data(bytes);
  std::size_t at = 0;
  std::vector<glm::vec3> positions = data.get<glm::vec3>(at, vertices, place);
  std::vector<std::array<std::uint32_t, 3>> corners = data.get<std::array<std::uint32_t, 3>>(at, triangles, place);
  Result<bind::VolumeShape> shape =
      bind::make_volume_shape(name_written(place.at("name").text()), std::move(positions), std::move(corners));
  if (!shape) {
    place.fail("a mesh that can be a volume (" + shape.error().message + ")");
  }
  return *std::move(shape);
}

float read_size(const Place& place) {
  const float size = place.number();
  if (size < 0) {
    place.fail("a size of 0 or more");
  }
  return size;
}

bind::JointVolume read_volume(SessionReader& from, const Place& place) {
  bind::JointVolume out;
  out.kind = read_kind(place.at("kind"));
  if (out.kind == bind::VolumeKind::kMesh) {
    out.shape = read_shape(from, place.at("mesh"));
    out.flipped = place.at("flipped").flag();
  }
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
  SessionJson json = {{"kind", bind::kVolumeKindWords[static_cast<std::size_t>(numbers.kind)]},
                      {"size", session_number(static_cast<float>(numbers.size))},
                      {"soft", numbers.how.soft},
                      {"range", session_number(static_cast<float>(numbers.how.range))},
                      {"passes", numbers.how.passes}};
  for (const bind::JointVolume& volume : volumes.of_joints) {
    SessionJson one = {{"joint", to.keys.key(volume.joint)},
                       {"kind", bind::kVolumeKindWords[static_cast<std::size_t>(volume.kind)]},
                       {"center", session_numbers(volume.center)},
                       {"rotation", session_numbers(volume.rotation)},
                       {"half", session_numbers(volume.half)},
                       {"head", session_number(volume.head_radius)},
                       {"tail", session_number(volume.tail_radius)}};
    if (volume.kind == bind::VolumeKind::kMesh) {
      one["flipped"] = volume.flipped;
      one["mesh"] = shape_json(to, volume.shape);
    }
    json["by_hand"].push_back(std::move(one));
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
  if (out.numbers.kind == bind::VolumeKind::kMesh) {
    place.at("kind").fail("a kind of volume that is fitted");
  }
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
      bind::JointVolume volume = read_volume(from, one);
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
