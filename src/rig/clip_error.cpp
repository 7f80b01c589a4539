#include "rig/clip_error.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/expect.h"
#include "core/parallel.h"
#include "math/transform.h"
#include "rig/constraints.h"
#include "rig/kinematics.h"

namespace pelt::rig {
namespace {

constexpr int kMomentsPerKey = 10;
constexpr std::size_t kMomentGrain = 16;
constexpr std::size_t kVertexGrain = 2048;

/// The channel with the most keys, null where there is none.
const std::vector<float>* densest_times(const Clip& clip) {
  const std::vector<float>* densest = nullptr;
  const auto consider = [&](const Channel& channel) {
    if (densest == nullptr || channel.times.size() > densest->size()) {
      densest = &channel.times;
    }
  };
  std::ranges::for_each(clip.channels, consider);
  return densest;
}

/// The longest that the linear part makes a unit vector, or a little more.
double largest_stretch(const glm::dmat4& matrix) {
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    const glm::dvec3 column(matrix[i]);
    sum += glm::dot(column, column);
  }
  return std::sqrt(sum);
}

glm::dvec3 corner(const glm::dvec3& lower, const glm::dvec3& upper, int i) {
  return {(i & 1) != 0 ? upper.x : lower.x, (i & 2) != 0 ? upper.y : lower.y, (i & 4) != 0 ? upper.z : lower.z};
}

/// Bind positions with morph targets added.
glm::dvec3 morphed(const mesh::Primitive& primitive, std::size_t v, std::span<const float> weights) {
  glm::dvec3 position(primitive.positions[v]);
  for (std::size_t t = 0; t < std::min(weights.size(), primitive.morph_targets.size()); ++t) {
    const std::vector<glm::vec3>& deltas = primitive.morph_targets[t].position_deltas;
    if (weights[t] != 0 && v < deltas.size()) {
      position += static_cast<double>(weights[t]) * glm::dvec3(deltas[v]);
    }
  }
  return position;
}

}  // namespace

std::vector<float> measured_moments(const Clip& clip) {
  const std::vector<float>* keys = densest_times(clip);
  if (keys == nullptr) {
    return {};
  }
  std::vector<float> moments = *keys;
  const auto between = [&](double from, double to, int parts) {
    for (int i = 0; i <= parts; ++i) {
      moments.push_back(static_cast<float>(from + (to - from) * i / parts));
    }
  };
  for (std::size_t k = 0; k + 1 < keys->size(); ++k) {
    between(static_cast<double>((*keys)[k]), static_cast<double>((*keys)[k + 1]), kMomentsPerKey);
  }
  between(static_cast<double>(clip.start), static_cast<double>(clip.end),
          kMomentsPerKey * static_cast<int>(keys->size()));
  std::ranges::sort(moments);
  const auto repeated = std::ranges::unique(moments);
  moments.erase(repeated.begin(), repeated.end());
  return moments;
}

void ClipMeter::Carried::add(const glm::dvec3& point) {
  lower = any ? glm::min(lower, point) : point;
  upper = any ? glm::max(upper, point) : point;
  any = true;
}

ClipMeter::ClipMeter(const Character& character)
    : character_(character), rest_(rest_pose(character)), carried_(character.skeleton->parent.size()) {
  std::ranges::for_each(character.mesh_nodes, [this](const MeshNode& node) { add_mesh(node); });
}

void ClipMeter::add_mesh(const MeshNode& node) {
  std::vector<double>& largest = largest_delta_.emplace_back();
  const mesh::Mesh& mesh = character_.meshes[node.mesh];
  // As far as morph weights go: at rest, and in any key.
  std::vector<double> weight;
  for (const float w : node.morph_weights) {
    weight.push_back(std::abs(static_cast<double>(w)));
  }
  for (const Clip& clip : character_.clips) {
    for (const Channel& channel : clip.channels) {
      if (channel.joint != node.joint || channel.path != ChannelPath::kWeights) {
        continue;
      }
      for (std::size_t i = 0; i < channel.values.size(); ++i) {
        const std::size_t t = channel.morph_target >= 0 ? static_cast<std::size_t>(channel.morph_target)
                                                        : i % static_cast<std::size_t>(channel.width);
        weight.resize(std::max(weight.size(), t + 1), 0.0);
        weight[t] = std::max(weight[t], std::abs(static_cast<double>(channel.values[i])));
      }
    }
  }
  double spread = 0;  // how far morphs take a vertex
  for (const mesh::Primitive& primitive : mesh.primitives) {
    largest.resize(std::max(largest.size(), primitive.morph_targets.size()), 0.0);
    for (std::size_t t = 0; t < primitive.morph_targets.size(); ++t) {
      for (const glm::vec3& delta : primitive.morph_targets[t].position_deltas) {
        largest[t] = std::max(largest[t], glm::length(glm::dvec3(delta)));
      }
    }
  }
  for (std::size_t t = 0; t < std::min(largest.size(), weight.size()); ++t) {
    spread += weight[t] * largest[t];
  }
  const auto add = [&](int joint, const glm::dmat4& joint_from_mesh, const glm::vec3& position) {
    Carried& carried = carried_[joint];
    const glm::dvec3 point(joint_from_mesh * glm::dvec4(glm::dvec3(position), 1.0));
    const glm::dvec3 around(spread * largest_stretch(joint_from_mesh));
    carried.add(point - around);
    carried.add(point + around);
  };
  for (const mesh::Primitive& primitive : mesh.primitives) {
    for (std::size_t v = 0; v < primitive.vertex_count(); ++v) {
      if (node.skin < 0) {
        add(node.joint, glm::dmat4(1.0), primitive.positions[v]);
        continue;
      }
      const Skin& skin = character_.skins[node.skin];
      const mesh::Influences& rows = primitive.influences;
      for (const std::uint16_t slot : rows.empty() ? std::span<const std::uint16_t>() : rows.joints(v)) {
        add(skin.joints[slot], glm::dmat4(skin.joint_from_mesh[slot]), primitive.positions[v]);
      }
    }
  }
}

std::vector<double> ClipMeter::largest_deltas(int j) const {
  for (std::size_t i = 0; i < largest_delta_.size(); ++i) {
    if (character_.mesh_nodes[i].joint == j) {
      return largest_delta_[i];
    }
  }
  return {};
}

ClipMeter::Posed ClipMeter::posed(const Clip& clip, float time) const {
  Pose pose = rest_;
  apply(clip, time, character_.morph_offset, pose);
  apply_constraints(character_.skeleton, character_.constraints, pose);
  std::vector<glm::mat4> local(pose.local.size());
  local_matrices(pose, local);
  const std::vector<glm::dmat4> exact(local.begin(), local.end());
  Posed out;
  out.world.resize(local.size());
  local_to_world<double>(character_.skeleton->parent, exact, out.world);
  out.orientation.resize(local.size());
  for (std::size_t j = 0; j < local.size(); ++j) {
    const int parent = character_.skeleton->parent[j];
    const glm::dquat own = normalized_or_identity(glm::dquat(pose.local[j].rotation));
    out.orientation[j] = parent < 0 ? own : out.orientation[parent] * own;
  }
  out.morph_weights = std::move(pose.morph_weights);
  return out;
}

double ClipMeter::bound(const Posed& a, const Posed& b) const {
  double most = 0;
  for (std::size_t j = 0; j < carried_.size(); ++j) {
    const glm::dmat4 apart = a.world[j] - b.world[j];
    most = std::max(most, glm::length(glm::dvec3(apart[3])));
    for (int i = 0; i < 8 && carried_[j].any; ++i) {
      const glm::dvec3 at = corner(carried_[j].lower, carried_[j].upper, i);
      most = std::max(most, glm::length(glm::dvec3(apart * glm::dvec4(at, 1.0))));
    }
  }
  double morphs = 0;
  for (std::size_t i = 0; i < character_.mesh_nodes.size(); ++i) {
    const MeshNode& node = character_.mesh_nodes[i];
    const std::size_t begin = character_.morph_offset[node.joint];
    double moved = 0;
    for (std::size_t t = 0; t < largest_delta_[i].size() && begin + t < a.morph_weights.size(); ++t) {
      moved +=
          std::abs(static_cast<double>(a.morph_weights[begin + t]) - static_cast<double>(b.morph_weights[begin + t])) *
          largest_delta_[i][t];
    }
    if (moved == 0) {
      continue;
    }
    double stretch = node.skin < 0 ? largest_stretch(b.world[node.joint]) : 1;
    if (node.skin >= 0) {
      const Skin& skin = character_.skins[node.skin];
      for (std::size_t k = 0; k < skin.joints.size(); ++k) {
        stretch = std::max(stretch, largest_stretch(b.world[skin.joints[k]] * glm::dmat4(skin.joint_from_mesh[k])));
      }
    }
    morphs = std::max(morphs, moved * stretch);
  }
  return most + morphs;
}

double ClipMeter::distance(const Posed& a, const Posed& b) const {
  double most = 0;
  for (std::size_t j = 0; j < a.world.size(); ++j) {
    most = std::max(most, glm::length(glm::dvec3(a.world[j][3]) - glm::dvec3(b.world[j][3])));
  }
  for (const MeshNode& node : character_.mesh_nodes) {
    const std::size_t joint = node.joint;
    const std::size_t begin = character_.morph_offset[joint];
    const std::size_t count = static_cast<std::size_t>(character_.morph_offset[joint + 1]) - begin;
    const auto weights_a = std::span(a.morph_weights).subspan(begin, count);
    const auto weights_b = std::span(b.morph_weights).subspan(begin, count);
    std::vector<glm::dmat4> matrices_a, matrices_b;
    if (node.skin >= 0) {
      const Skin& skin = character_.skins[node.skin];
      for (std::size_t k = 0; k < skin.joints.size(); ++k) {
        const glm::dmat4 joint_from_mesh(skin.joint_from_mesh[k]);
        matrices_a.push_back(a.world[skin.joints[k]] * joint_from_mesh);
        matrices_b.push_back(b.world[skin.joints[k]] * joint_from_mesh);
      }
    }
    for (const mesh::Primitive& primitive : character_.meshes[node.mesh].primitives) {
      const std::size_t vertices = primitive.vertex_count();
      std::vector<double> farthest((vertices + kVertexGrain - 1) / kVertexGrain, 0.0);
      parallel_for(farthest.size(), 1, [&](std::size_t from, std::size_t to) {
        for (std::size_t block = from; block < to; ++block) {
          for (std::size_t v = block * kVertexGrain; v < std::min(vertices, (block + 1) * kVertexGrain); ++v) {
            const glm::dvec4 at_a(morphed(primitive, v, weights_a), 1.0);
            const glm::dvec4 at_b(morphed(primitive, v, weights_b), 1.0);
            glm::dvec4 apart(0.0);
            const mesh::Influences& rows = primitive.influences;
            if (node.skin < 0) {
              apart = a.world[joint] * at_a - b.world[joint] * at_b;
            } else {
              const mesh::InfluenceRow row = rows.empty() ? mesh::InfluenceRow() : rows.row(v);
              for (std::size_t k = 0; k < row.joints.size(); ++k) {
                apart += static_cast<double>(row.weights[k]) *
                         (matrices_a[row.joints[k]] * at_a - matrices_b[row.joints[k]] * at_b);
              }
            }
            farthest[block] = std::max(farthest[block], glm::length(glm::dvec3(apart)));
          }
        }
      });
      most = std::accumulate(farthest.begin(), farthest.end(), most, [](double x, double y) { return std::max(x, y); });
    }
  }
  return most;
}

ClipError ClipMeter::error(const Clip& original, const Clip& changed) const {
  const std::vector<float> moments = measured_moments(original);
  std::vector<double> bounds(moments.size(), 0.0);
  std::vector<double> angles(moments.size(), 0.0);
  parallel_for(moments.size(), kMomentGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t m = begin; m < end; ++m) {
      const Posed a = posed(original, moments[m]);
      const Posed b = posed(changed, moments[m]);
      bounds[m] = bound(a, b);
      for (std::size_t j = 0; j < a.orientation.size(); ++j) {
        angles[m] =
            std::max(angles[m], glm::length(rotation_vector(glm::conjugate(a.orientation[j]) * b.orientation[j])));
      }
    }
  });
  ClipError out;
  out.angle = angles.empty() ? 0.0 : *std::ranges::max_element(angles);
  std::vector<std::size_t> order(moments.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t m) { return bounds[m]; });
  for (const std::size_t m : order) {
    if (!(bounds[m] > out.distance)) {
      break;
    }
    if (const double here = distance(posed(original, moments[m]), posed(changed, moments[m])); here > out.distance) {
      out.distance = here;
      out.time = moments[m];
      out.clip = 0;
    }
  }
  return out;
}

std::vector<double> ClipMeter::reach(const Clip& clip, std::span<const float> times, std::vector<double>& scale) const {
  const std::vector<int>& parent = character_.skeleton->parent;
  std::vector<double> out(parent.size(), 0.0);
  scale.assign(parent.size(), 0.0);
  for (const float time : times) {
    const Posed pose = posed(clip, time);
    std::vector<Carried> below(parent.size());
    for (std::size_t j = parent.size(); j-- > 0;) {
      below[j].add(glm::dvec3(pose.world[j][3]));
      for (int i = 0; i < 8 && carried_[j].any; ++i) {
        below[j].add(glm::dvec3(pose.world[j] * glm::dvec4(corner(carried_[j].lower, carried_[j].upper, i), 1.0)));
      }
      for (int i = 0; i < 8; ++i) {
        const glm::dvec3 at = corner(below[j].lower, below[j].upper, i);
        out[j] = std::max(out[j], glm::length(at - glm::dvec3(pose.world[j][3])));
      }
      if (parent[j] >= 0) {
        const std::size_t above = parent[j];
        below[above].add(below[j].lower);
        below[above].add(below[j].upper);
        scale[j] = std::max(scale[j], largest_stretch(pose.world[above]) / std::sqrt(3.0));
      } else {
        scale[j] = 1;
      }
    }
  }
  return out;
}

ClipError clip_error(const Character& original, const Character& changed, const Progress& progress) {
  PELT_EXPECT(original.clips.size() == changed.clips.size(), "as many clips");
  const ClipMeter meter(original);
  ClipError worst;
  for (std::size_t c = 0; c < original.clips.size(); ++c) {
    if (!report(progress, static_cast<float>(c) / static_cast<float>(original.clips.size()), "measuring clips")) {
      break;
    }
    const ClipError here = meter.error(original.clips[c], changed.clips[c]);
    worst.angle = std::max(worst.angle, here.angle);
    if (here.distance > worst.distance) {
      worst.distance = here.distance;
      worst.clip = static_cast<int>(c);
      worst.time = here.time;
    }
  }
  return worst;
}

}  // namespace pelt::rig
