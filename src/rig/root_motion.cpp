#include "rig/root_motion.h"

#include <algorithm>

#include "core/expect.h"
#include "rig/clip_changes.h"
#include "rig/keys.h"
#include "rig/kinematics.h"

namespace pelt::rig {
namespace {

bool is_above(const Skeleton& skeleton, int above, int joint) {
  for (int j = skeleton.parent[joint]; j >= 0; j = skeleton.parent[j]) {
    if (j == above) {
      return true;
    }
  }
  return false;
}

/// What taking the travel out has to know.
struct Travel {
  std::size_t channel = 0;
  int joint = -1;
  int parent = -1;
  glm::dmat3 of_parent = glm::dmat3(1.0);  ///< world from the traveller's translation
  glm::dmat3 above = glm::dmat3(1.0);      ///< world from the parent's translation
};

Result<Travel> travel_of(const Character& character, const Clip& clip) {
  Travel travel{.joint = traveller(character, clip)};
  if (travel.joint < 0) {
    return error("the clip moves no joint from its place, so there is no way to take out");
  }
  const Skeleton& skeleton = character.skeleton;
  for (std::size_t c = 0; c < clip.channels.size(); ++c) {
    const Channel& channel = clip.channels[c];
    if (channel.joint == travel.joint && channel.path == ChannelPath::kTranslation) {
      travel.channel = c;
    }
    if (channel.path != ChannelPath::kWeights && is_above(skeleton, channel.joint, travel.joint)) {
      return error("{} moves, which is above {}: the way of {} alone says little", skeleton.label(channel.joint),
                   skeleton.label(travel.joint), skeleton.label(travel.joint));
    }
  }
  travel.parent = skeleton.parent[travel.joint];
  WorldMatrices world;
  world.evaluate(skeleton, rest_pose(character));
  if (travel.parent >= 0) {
    travel.of_parent = glm::dmat3(glm::mat3(world[travel.parent]));
    const int grandparent = skeleton.parent[travel.parent];
    travel.above = grandparent < 0 ? glm::dmat3(1.0) : glm::dmat3(glm::mat3(world[grandparent]));
  }
  constexpr double kSingular = 1e-12;
  if (std::abs(glm::determinant(travel.of_parent)) < kSingular ||
      std::abs(glm::determinant(travel.above)) < kSingular) {
    return error("the joints above {} have no size", skeleton.label(travel.joint));
  }
  return travel;
}

// Values through `map`; of keys, not of tangents, `stays` is what the map leaves out and what is added.
Channel through(const Channel& channel, const glm::dmat3& map, const glm::dvec3& about, const glm::dvec3& added) {
  Channel out = channel;
  const std::size_t parts = floats_per_key(channel) / 3;
  for (std::size_t i = 0; i < channel.values.size() / 3; ++i) {
    const glm::dvec3 before(channel.values[3 * i], channel.values[3 * i + 1], channel.values[3 * i + 2]);
    const bool is_value = parts == 1 || i % 3 == 1;
    const glm::dvec3 after = is_value ? added + map * (before - about) : map * before;
    for (int k = 0; k < 3; ++k) {
      out.values[3 * i + static_cast<std::size_t>(k)] = static_cast<float>(after[k]);
    }
  }
  return out;
}

glm::dvec3 start_of(const Channel& channel, float start) {
  float value[3] = {};
  sample(channel, start, value);
  return {value[0], value[1], value[2]};
}

const glm::dmat3 kHorizontal(1, 0, 0, 0, 0, 0, 0, 0, 1);

Clip on_the_spot(const Travel& travel, const Clip& clip) {
  Clip out = clip;
  const glm::dmat3 travelled = glm::inverse(travel.of_parent) * kHorizontal * travel.of_parent;
  const glm::dvec3 start = start_of(clip.channels[travel.channel], clip.start);
  out.channels[travel.channel] = through(clip.channels[travel.channel], glm::dmat3(1.0) - travelled, start, start);
  return out;
}

}  // namespace

int traveller(const Character& character, const Clip& clip) {
  int found = -1;
  for (const Channel& channel : clip.channels) {
    if (channel.path == ChannelPath::kTranslation && channel.times.size() > 1 &&
        (found < 0 || is_above(character.skeleton, channel.joint, found))) {
      found = channel.joint;
    }
  }
  return found;
}

std::vector<glm::vec3> travelled_way(const Character& character, const Clip& clip, std::span<const float> times) {
  std::vector<glm::vec3> way;
  const int joint = traveller(character, clip);
  WorldMatrices world;
  for (std::size_t i = 0; i < times.size() && joint >= 0; ++i) {
    Pose pose = rest_pose(character);
    apply(clip, times[i], character.morph_offset, pose);
    world.evaluate(character.skeleton, pose);
    way.emplace_back(world[joint][3]);
  }
  return way;
}

Result<Clip> without_travel(const Character& character, const Clip& clip) {
  PELT_TRY_TO(const Travel travel, travel_of(character, clip));
  return on_the_spot(travel, clip);
}

Result<Clip> with_travel_above(const Character& character, const Clip& clip) {
  PELT_TRY_TO(const Travel travel, travel_of(character, clip));
  if (travel.parent < 0) {
    return error("{} has no joint above it that could go its way", character.skeleton->label(travel.joint));
  }
  Clip out = on_the_spot(travel, clip);
  const Channel& way = clip.channels[travel.channel];
  const glm::dmat3 map = glm::inverse(travel.above) * kHorizontal * travel.of_parent;
  const glm::dvec3 rest(character.skeleton->rest[travel.parent].translation);
  Channel above = through(way, map, start_of(way, clip.start), rest);
  above.joint = travel.parent;
  above.source = -1;
  above.source_sampler = -1;
  out.channels.push_back(std::move(above));
  update_range(out);
  return out;
}

}  // namespace pelt::rig
