#include "measure/weight_profile.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/expect.h"
#include "core/index.h"
#include "rig/bound_bones.h"

namespace pelt::measure {
namespace {

constexpr std::size_t kMostPlaces = 200;
constexpr std::size_t kGathered = 48;
constexpr double kSamePlace = 1e-5;       // of the length of the limb
constexpr double kStraight = 0.9998;      // cosine of the angle between the two bones: 1 degree
constexpr double kRoundness = 0.02;       // of the radius of a tube
constexpr double kShareOnTheTube = 0.95;  // the rest are caps

// The two bones in mesh space.
struct Limb {
  std::size_t slot = 0;  // of the joint in its skin
  std::size_t above = 0;
  glm::dvec3 joint = {};
  glm::dvec3 before = {0, 0, 0};  // directions, of length 1: along the bone above, along the own one
  glm::dvec3 behind = {0, 0, 0};
};

// A vertex of the limb.
struct Sample {
  double along = 0;
  double radius = 0;  // from the bones' line
  std::uint32_t primitive = 0;
  std::uint32_t vertex = 0;
};

std::optional<Limb> limb_of(const rig::Character& character, const rig::Skin& skin, const rig::BoundBones& bones,
                            int joint) {
  const auto slot_of = [&](int j) { return std::ranges::find(skin.joints, j) - skin.joints.begin(); };
  Limb out;
  out.slot = static_cast<std::size_t>(slot_of(joint));
  if (out.slot == skin.joints.size()) {
    return std::nullopt;
  }
  int above = character.skeleton->parent[static_cast<std::size_t>(joint)];
  while (above >= 0 && slot_of(above) == static_cast<std::ptrdiff_t>(skin.joints.size())) {
    above = character.skeleton->parent[static_cast<std::size_t>(above)];
  }
  if (above < 0) {
    return std::nullopt;
  }
  out.above = static_cast<std::size_t>(slot_of(above));
  if (!bones.heads[out.slot] || !bones.heads[out.above]) {
    return std::nullopt;
  }
  out.joint = *bones.heads[out.slot];
  out.before = out.joint - *bones.heads[out.above];
  if (!(glm::length(out.before) > 0)) {
    return std::nullopt;
  }
  out.before = glm::normalize(out.before);
  out.behind = out.before;  // of a joint that ends here
  for (const std::size_t tip : bones.tips[out.slot]) {
    if (const glm::dvec3 way = *bones.heads[tip] - out.joint; glm::length(way) > 0) {
      out.behind = glm::normalize(way);
      break;
    }
  }
  return out;
}

std::vector<Sample> samples_of(const mesh::Mesh& mesh, const rig::Skin& skin, const rig::BoundBones& bones,
                               const Limb& limb) {
  std::vector<Sample> out;
  for (std::uint32_t p = 0; p < mesh.primitives.size(); ++p) {
    const mesh::Primitive& primitive = mesh.primitives[p];
    for (std::uint32_t v = 0; v < primitive.vertex_count(); ++v) {
      const glm::dvec3 at(primitive.positions[v]);
      const double near = std::min(bones.distance(limb.slot, at), bones.distance_to_bone(limb.above, limb.slot, at));
      // Other bones of the joint above are other limbs. Its own head is the end of this one, too.
      bool is_here = bones.tips[limb.above].size() < 2 || bones.distance_to_others(limb.above, limb.slot, at) >= near;
      for (std::size_t k = 0; k < skin.joints.size() && is_here; ++k) {
        is_here = k == limb.slot || k == limb.above || !bones.heads[k] || bones.distance(k, at) >= near;
      }
      if (!is_here) {
        continue;
      }
      const glm::dvec3 from = at - limb.joint;
      const glm::dvec3& way = glm::dot(from, limb.before + limb.behind) < 0 ? limb.before : limb.behind;
      const double along = glm::dot(from, way);
      out.push_back({along, glm::length(from - along * way), p, v});
    }
  }
  std::ranges::sort(out, {}, &Sample::along);
  return out;
}

// Where each place begins among the samples, and their end.
std::vector<std::size_t> places_of(const std::vector<Sample>& samples) {
  const double same = kSamePlace * (samples.back().along - samples.front().along);
  std::vector<std::size_t> out = {0};
  for (std::size_t i = 1; i < samples.size(); ++i) {
    if (samples[i].along - samples[i - 1].along > same) {
      out.push_back(i);
    }
  }
  if (out.size() > kMostPlaces) {
    out.clear();
    for (std::size_t k = 0; k < kGathered; ++k) {
      out.push_back(k * samples.size() / kGathered);
    }
  }
  out.push_back(samples.size());
  return out;
}

std::optional<double> tube_radius(const std::vector<Sample>& samples, const Limb& limb) {
  if (glm::dot(limb.before, limb.behind) < kStraight) {
    return std::nullopt;
  }
  std::vector<double> radii;
  for (const Sample& sample : samples) {
    radii.push_back(sample.radius);
  }
  const auto middle = radii.begin() + static_cast<std::ptrdiff_t>(radii.size() / 2);
  std::ranges::nth_element(radii, middle);
  const double radius = *middle;
  const auto round =
      std::ranges::count_if(radii, [&](double one) { return std::abs(one - radius) <= kRoundness * radius; });
  const bool is_tube = radius > 0 && static_cast<double>(round) >= kShareOnTheTube * static_cast<double>(radii.size());
  return is_tube ? std::optional(radius) : std::nullopt;
}

double weight_on(const rig::Character& character, int mesh, int joint, const Sample& sample) {
  const int skin = rig::first_skin_of(character, mesh);
  const mesh::Influences& rows =
      character.meshes[static_cast<std::size_t>(mesh)].primitives[sample.primitive].influences;
  if (skin < 0 || sample.vertex >= rows.vertex_count()) {
    return 0;
  }
  const std::vector<int>& joints = character.skins[static_cast<std::size_t>(skin)].joints;
  double out = 0;
  const mesh::InfluenceRow row = rows.row(sample.vertex);
  for (std::size_t k = 0; k < row.joints.size(); ++k) {
    out += joints[row.joints[k]] == joint ? static_cast<double>(row.weights[k]) : 0;
  }
  return out;
}

}  // namespace

std::optional<WeightProfile> weight_profile(const rig::Character& bound, int joint,
                                            std::span<const rig::Character* const> characters) {
  PELT_EXPECT(has_index(bound.skeleton->parent, joint), "a joint of the skeleton");
  const std::vector<double> units = rig::mesh_units(bound);
  for (const rig::SkinnedMesh& use : rig::skinned_meshes(bound)) {
    const rig::Skin& skin = bound.skins[static_cast<std::size_t>(use.skin)];
    const rig::BoundBones bones(bound, skin);
    const std::optional<Limb> limb = limb_of(bound, skin, bones, joint);
    if (!limb) {
      continue;
    }
    const std::vector<Sample> samples =
        samples_of(bound.meshes[static_cast<std::size_t>(use.mesh)], skin, bones, *limb);
    if (samples.empty()) {
      continue;
    }
    const double unit = units[static_cast<std::size_t>(use.skin)];
    const std::vector<std::size_t> places = places_of(samples);
    WeightProfile out;
    out.weights.resize(characters.size());
    for (std::size_t k = 0; k + 1 < places.size(); ++k) {
      const auto count = static_cast<double>(places[k + 1] - places[k]);
      double along = 0;
      std::vector<double> sums(characters.size(), 0.0);
      for (std::size_t i = places[k]; i < places[k + 1]; ++i) {
        along += samples[i].along / count;
        for (std::size_t c = 0; c < characters.size(); ++c) {
          sums[c] += weight_on(*characters[c], use.mesh, joint, samples[i]) / count;
        }
      }
      out.along.push_back(static_cast<float>(unit * along));
      for (std::size_t c = 0; c < characters.size(); ++c) {
        out.weights[c].push_back(static_cast<float>(sums[c]));
      }
    }
    if (const std::optional<double> radius = tube_radius(samples, *limb)) {
      out.tube_radius = unit * *radius;
    }
    return out;
  }
  return std::nullopt;
}

double heat_on_tube(double x, double r, double c) {
  const double far = std::exp(-std::sqrt(c) * std::abs(x) / r) / 2;
  return x < 0 ? far : 1 - far;
}

}  // namespace pelt::measure
