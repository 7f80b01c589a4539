#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>
#include <glm/gtc/quaternion.hpp>

#include "rig/kinematics.h"
#include "rig/lint_checks.h"

namespace pelt::rig {
namespace {

// A leap is much more than the steps beside it, within a time in which nobody moves that far on purpose.
constexpr float kLeapSeconds = 0.1f;
constexpr double kLeapAngle = 90 * std::numbers::pi / 180;  // radians
constexpr double kLeapDistance = 0.2;                       // of the skeleton's size
constexpr double kLeapFactor = 1.5;                         // of scale
constexpr double kLeapOverNeighbors = 8;

std::size_t data_index(int i) {
  return static_cast<std::size_t>(i);
}

/// The value part of key f.
const float* key_value(const Channel& channel, std::size_t f) {
  const bool cubic = channel.interpolation == Interpolation::kCubicSpline;
  const std::size_t width = data_index(channel.width);
  return channel.values.data() + f * width * (cubic ? 3 : 1) + (cubic ? width : 0);
}

/// How far a node moves from key f to the next in units of what counts as a leap.
double step_size(const Channel& channel, std::size_t f, double size) {
  const float* a = key_value(channel, f);
  const float* b = key_value(channel, f + 1);
  switch (channel.path) {
    case ChannelPath::kRotation: {
      const glm::dquat p = normalized_or_identity(quat_xyzw<double>(a[0], a[1], a[2], a[3]));
      const glm::dquat q = normalized_or_identity(quat_xyzw<double>(b[0], b[1], b[2], b[3]));
      return 2 * std::acos(std::min(std::abs(glm::dot(p, q)), 1.0)) / kLeapAngle;
    }
    case ChannelPath::kTranslation:
      return glm::length(glm::dvec3(b[0], b[1], b[2]) - glm::dvec3(a[0], a[1], a[2])) / (kLeapDistance * size);
    case ChannelPath::kScale: {
      double most = 0;
      for (int i = 0; i < 3; ++i) {
        const double ratio = a[i] * b[i] > 0 ? static_cast<double>(b[i]) / static_cast<double>(a[i]) : 1.0;
        most = std::max(most, std::abs(std::log(ratio)) / std::log(kLeapFactor));
      }
      return most;
    }
    case ChannelPath::kWeights:
      return 0;  // faces snap open and shut
  }
  return 0;
}

// The first key that the channel leaps from, or the number of keys.
std::size_t find_leap(const Channel& channel, double size) {
  const std::size_t count = channel.times.size();
  if (channel.interpolation == Interpolation::kStep || count < 3) {
    return count;
  }
  for (std::size_t f = 0; f + 1 < count; ++f) {
    const double step = step_size(channel, f, size);
    if (step <= 1 || channel.times[f + 1] - channel.times[f] > kLeapSeconds) {
      continue;
    }
    const double before = f > 0 ? step_size(channel, f - 1, size) : 0;
    const double after = f + 2 < count ? step_size(channel, f + 1, size) : 0;
    if (step > kLeapOverNeighbors * std::max(before, after)) {
      return f;
    }
  }
  return count;
}

void check_clips(const Character& character, Findings& findings) {
  WorldMatrices world;
  world.evaluate(character.skeleton, rest_pose(character));
  Bounds bounds;
  for (std::size_t j = 0; j < character.skeleton.parent.size(); ++j) {
    bounds.add(glm::vec3(world[static_cast<int>(j)][3]));
  }
  const double size = bounds.diagonal() > 0 ? static_cast<double>(bounds.diagonal()) : 1.0;
  constexpr const char* kPaths[] = {"translation", "rotation", "scale", "weights"};
  for (std::size_t c = 0; c < character.clips.size(); ++c) {
    const Clip& clip = character.clips[c];
    if (clip.channels.empty() && clip.properties.empty()) {
      add_finding(findings, character, "clip-empty", {.clip = static_cast<int>(c)},
                  "expected channels that move something, there are none");
      continue;
    }
    std::size_t leaps = 0;
    LintPlace place;
    std::string what;
    for (std::size_t i = 0; i < clip.channels.size(); ++i) {
      const Channel& channel = clip.channels[i];
      // Translations are in the space of the parent, whatever its unit.
      double unit = size;
      if (const int up = character.skeleton.parent[data_index(channel.joint)]; up >= 0) {
        unit /= std::max(static_cast<double>(glm::length(glm::vec3(world[up][0]))), 1e-12);
      }
      const std::size_t f = find_leap(channel, unit);
      if (f == channel.times.size()) {
        continue;
      }
      if (leaps++ == 0) {
        place = {.node = character.skeleton.source_node[data_index(channel.joint)],
                 .clip = static_cast<int>(c),
                 .channel = static_cast<int>(i)};
        what = fmt::format("the {} of {} between key {} at {:.4g} s and the next at {:.4g} s",
                           kPaths[static_cast<int>(channel.path)], character.skeleton.label(channel.joint), f,
                           channel.times[f], channel.times[f + 1]);
      }
    }
    if (leaps > 0) {
      add_finding(findings, character, "clip-jump", std::move(place),
                  fmt::format("{} a single leap, expected steps like those beside it, the first {}",
                              leaps == 1 ? "1 channel has" : fmt::format("{} channels have", leaps), what));
    }
  }
}

template <typename Visit>
void visit_textures(const Material& m, Visit visit) {
  for (const TextureRef* ref :
       {&m.base_color_texture, &m.metallic_roughness_texture, &m.normal_texture, &m.occlusion_texture,
        &m.emissive_texture, &m.specular.texture, &m.specular.color_texture, &m.clearcoat.texture,
        &m.clearcoat.roughness_texture, &m.clearcoat.normal_texture, &m.sheen.color_texture, &m.sheen.roughness_texture,
        &m.transmission.texture}) {
    visit(ref->texture);
  }
}

void check_unused(const Character& character, Findings& findings) {
  const auto mark = [](std::vector<char>& used, int i) {
    if (i >= 0 && data_index(i) < used.size()) {
      used[data_index(i)] = 1;
    }
  };
  std::vector<char> meshes(character.meshes.size(), 0);
  std::vector<char> skins(character.skins.size(), 0);
  std::vector<char> materials(character.materials.size(), 0);
  std::vector<char> textures(character.textures.size(), 0);
  std::vector<char> images(character.images.size(), 0);
  for (const MeshNode& node : character.mesh_nodes) {
    mark(meshes, node.mesh);
    mark(skins, node.skin);
  }
  for (const mesh::Mesh& mesh : character.meshes) {
    for (const mesh::Primitive& primitive : mesh.primitives) {
      mark(materials, primitive.material);
      for (const mesh::VariantMaterial& variant : primitive.variant_materials) {
        mark(materials, variant.material);
      }
    }
  }
  for (const Material& material : character.materials) {
    visit_textures(material, [&](int texture) { mark(textures, texture); });
  }
  for (const Texture& texture : character.textures) {
    mark(images, texture.image);
  }
  const auto tell = [&](const std::vector<char>& used, std::string_view thing, std::string_view by,
                        int LintPlace::*member) {
    const auto count = static_cast<std::size_t>(std::ranges::count(used, char{0}));
    // A skeleton without a mesh is not waste but what the file is for.
    if (count > 0 && !(member == &LintPlace::skin && character.meshes.empty())) {
      LintPlace place;
      place.*member = static_cast<int>(std::ranges::find(used, char{0}) - used.begin());
      add_finding(findings, character, "unused-data", std::move(place),
                  fmt::format("{} of {} used by no {}, the first is this one", count, counted(used.size(), thing), by));
    }
  };
  tell(meshes, "mesh", "node", &LintPlace::mesh);
  tell(skins, "skin", "node", &LintPlace::skin);
  tell(materials, "material", "primitive", &LintPlace::material);
  tell(textures, "texture", "material", &LintPlace::texture);
  tell(images, "image", "texture", &LintPlace::image);
}

}  // namespace

void check_data(const Character& character, Findings& findings) {
  check_clips(character, findings);
  check_unused(character, findings);
}

}  // namespace pelt::rig
