#include "render/picking.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/expect.h"

namespace pelt::render {
namespace {

constexpr float kBoneThickness = 0.085f;        // of the bone's length
constexpr float kLargestBoneRadius = 0.013f;    // of the skeleton's diagonal
constexpr float kSmallestBoneRadius = 0.0016f;  // likewise; finger bones stay visible
constexpr float kStubLength = 0.45f;            // of the parent bone, for leaves

/// Nodes that the overlay draws: joints; without any, every node of a file that has no mesh or moves its nodes.
std::vector<char> drawn_nodes(const rig::Character& character) {
  const rig::Skeleton& skeleton = character.skeleton;
  const std::size_t count = skeleton.size();
  std::vector<char> drawn(skeleton.is_joint.begin(), skeleton.is_joint.end());
  drawn.resize(count, 0);
  if (std::any_of(drawn.begin(), drawn.end(), [](char c) { return c != 0; })) {
    return drawn;
  }
  if (character.parts.empty()) {
    drawn.assign(count, 1);
    return drawn;
  }
  for (const rig::Clip& clip : character.clips) {
    for (const rig::Channel& channel : clip.channels) {
      if (channel.path != rig::ChannelPath::kWeights && channel.joint >= 0) {
        drawn[channel.joint] = 1;
      }
    }
  }
  return drawn;
}

glm::vec3 position_of(const glm::mat4& matrix) {
  return glm::vec3(matrix[3]);
}

struct ScreenPoint {
  glm::vec2 pixel;
  float depth;             ///< along the view direction, metres
  float pixels_per_metre;  ///< there
  bool in_front;
};

ScreenPoint project(const glm::mat4& clip_from_world, const Camera& camera, glm::ivec2 size, const glm::vec3& point) {
  const glm::vec4 clip = clip_from_world * glm::vec4(point, 1.0f);
  const float w = camera.orthographic ? camera.distance : clip.w;
  const glm::vec2 half = 0.5f * glm::vec2(size);
  return {glm::vec2(clip) / clip.w * half, camera.orthographic ? clip.z : clip.w,
          half.y / (std::tan(0.5f * camera.yfov) * w), clip.w > 0.0f};
}

/// Pixels from `p` to a tapered capsule from `a` (radius ra) to `b` (radius rb); 0 inside.
float distance_to_capsule(glm::vec2 p, glm::vec2 a, float ra, glm::vec2 b, float rb) {
  const glm::vec2 ab = b - a;
  const float length2 = glm::dot(ab, ab);
  const float t = length2 > 0.0f ? std::clamp(glm::dot(p - a, ab) / length2, 0.0f, 1.0f) : 0.0f;
  return std::max(0.0f, glm::length(p - (a + ab * t)) - (ra + (rb - ra) * t));
}

}  // namespace

std::vector<Bone> bones(const rig::Character& character, std::span<const glm::mat4> world, std::span<const char> only) {
  const rig::Skeleton& skeleton = character.skeleton;
  PELT_EXPECT(world.size() == static_cast<std::size_t>(skeleton.size()), "one world matrix per joint");
  const std::vector<char> whole = drawn_nodes(character);
  std::vector<char> drawn = whole;
  const bool restricted = std::ranges::find(only, 1) != only.end();
  for (std::size_t j = 0; restricted && j < drawn.size(); ++j) {
    drawn[j] = static_cast<char>(drawn[j] != 0 && only[j] != 0);
  }

  // The nearest drawn ancestor of each drawn node: bones run across nodes that are no joints.
  std::vector<int> ancestor(drawn.size(), -1);
  std::vector<char> has_bone(drawn.size(), 0);
  Bounds extent;
  for (std::size_t j = 0; j < drawn.size(); ++j) {
    const int parent = skeleton.parent[j];
    if (parent >= 0) {
      ancestor[j] = drawn[parent] != 0 ? parent : ancestor[parent];
    }
    if (whole[j] != 0) {
      extent.add(position_of(world[j]));
    }
  }
  const float diagonal = std::max(extent.diagonal(), 1e-6f);
  const auto radius = [&](float length) {
    const float smallest = std::min(kSmallestBoneRadius * diagonal, 0.25f * length);
    return std::clamp(kBoneThickness * length, smallest, std::max(kLargestBoneRadius * diagonal, smallest));
  };

  std::vector<Bone> result;
  std::vector<float> incoming(drawn.size(), 0.0f);
  for (std::size_t j = 0; j < drawn.size(); ++j) {
    if (drawn[j] == 0 || ancestor[j] < 0) {
      continue;
    }
    const std::size_t from = ancestor[j];
    const glm::vec3 head = position_of(world[from]);
    const glm::vec3 tail = position_of(world[j]);
    const float length = glm::distance(head, tail);
    incoming[j] = length;
    // A child on its parent's pivot makes no bone of its own; the ball at the pivot stands for both.
    if (!is_finite(head) || !is_finite(tail) || length < 1e-5f * diagonal) {
      continue;
    }
    has_bone[from] = 1;
    result.push_back({ancestor[j], static_cast<int>(j), head, tail, radius(length)});
  }
  for (std::size_t j = 0; j < drawn.size(); ++j) {
    if (drawn[j] == 0 || has_bone[j] != 0) {
      continue;
    }
    const glm::vec3 head = position_of(world[j]);
    const float stub = incoming[j] > 1e-5f * diagonal ? kStubLength * incoming[j] : 0.06f * std::max(diagonal, 1e-3f);
    // To an end joint that is not drawn itself, if there is one and it is no control far away.
    float length = stub;
    for (const int c : skeleton.children(static_cast<int>(j))) {
      const float end = glm::distance(head, position_of(world[c]));
      if (whole[c] != 0 && end > 1e-5f * diagonal && end < 0.25f * diagonal) {
        length = end;
      }
    }
    glm::vec3 direction = glm::mat3(world[j]) * rig::bone_direction(skeleton, static_cast<int>(j));
    if (!is_finite(direction) || glm::length(direction) < 1e-12f) {
      direction = glm::vec3(0.0f, 1.0f, 0.0f);
    }
    if (is_finite(head)) {
      result.push_back({static_cast<int>(j), -1, head, head + glm::normalize(direction) * length, radius(length)});
    }
  }
  return result;
}

int pick_joint(const rig::Character& character, std::span<const glm::mat4> world, const Camera& camera,
               glm::vec2 cursor, glm::ivec2 size, float radius, std::span<const char> only) {
  const float aspect = static_cast<float>(size.x) / static_cast<float>(std::max(size.y, 1));
  const glm::mat4 clip_from_world = camera.clip_from_view(aspect) * camera.view_from_world();
  const glm::vec2 p = cursor * 0.5f * glm::vec2(size);

  int best = -1;
  float best_score = radius;
  float best_depth = std::numeric_limits<float>::infinity();
  const auto consider = [&](int joint, float score, float depth) {
    // Within half a pixel the nearer to the eye wins.
    if (score < best_score - 0.5f || (score <= std::min(best_score + 0.5f, radius) && depth < best_depth)) {
      best = joint;
      best_score = score;
      best_depth = depth;
    }
  };
  for (const Bone& bone : bones(character, world, only)) {
    const ScreenPoint head = project(clip_from_world, camera, size, bone.head);
    const ScreenPoint tail = project(clip_from_world, camera, size, bone.tail);
    if (head.in_front) {
      // The ball at the pivot is drawn on top of the bones that meet there, so it wins over them.
      const float ball = kJointBallRadius * bone.radius * head.pixels_per_metre;
      const float distance = std::max(0.0f, glm::length(p - head.pixel) - ball);
      consider(bone.joint, distance > 0.0f ? distance : -1.0f, head.depth);
    }
    if (head.in_front && tail.in_front) {
      const float distance = distance_to_capsule(p, head.pixel, bone.radius * head.pixels_per_metre, tail.pixel, 0.0f);
      consider(bone.joint, distance, std::min(head.depth, tail.depth));
    }
  }
  return best;
}

}  // namespace pelt::render
