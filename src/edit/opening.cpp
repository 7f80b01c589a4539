#include "edit/opening.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "core/expect.h"
#include "rig/constraints.h"
#include "rig/kinematics.h"

namespace pelt::edit {
namespace {

constexpr std::size_t kShapePoints = 1500;  // of the whole character
constexpr int kMoments = 9;                 // of a clip, both ends among them
constexpr float kLowest = 0.8f;             // of the height that counts as standing
constexpr float kHighest = 1.5f;            // likewise: raised arms and weapons reach above the head
constexpr float kFloorChange = 0.2f;        // of the height
constexpr float kTravel = 0.5f;             // of the largest extent
constexpr double kUpright = 0.5;            // of height that is still height, see upright()
constexpr float kTrunk = 0.15f;             // of the largest extent around the middle: arms held out lie beyond

/// Points of a character's surface that follow its pose by linear blending.
class SampledShape {
 public:
  explicit SampledShape(const rig::Character& character) : character_(character) {
    std::size_t vertices = 0;
    for (const rig::Part& part : character.parts) {
      vertices += character.primitive(part).vertex_count();
    }
    const std::size_t stride = std::max<std::size_t>(1, vertices / kShapePoints);
    std::size_t seen = 0;
    for (const rig::Part& part : character.parts) {
      const mesh::Primitive& primitive = character.primitive(part);
      for (std::size_t v = 0; v < primitive.vertex_count(); ++v) {
        if (seen++ % stride == 0) {
          add(part, primitive, v);
        }
      }
    }
    for (int j = 0; seen == 0 && j < character.skeleton->size(); ++j) {
      points_.push_back({static_cast<std::uint32_t>(weights_.size()), static_cast<std::uint32_t>(weights_.size()) + 1});
      weights_.push_back({j, 1.0f, glm::vec3(0.0f)});
    }
    rest_ = places(-1, 0);
    const Bounds bounds = bounds_of(rest_);
    const glm::vec3 extent = bounds.empty() ? glm::vec3(0.0f) : bounds.upper - bounds.lower;
    const float reach = kTrunk * std::max({extent.x, extent.y, extent.z});
    const glm::vec3 middle = bounds.center();
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      if (std::hypot(rest_[i].x - middle.x, rest_[i].z - middle.z) <= reach) {
        trunk_.push_back(i);
      }
    }
  }

  struct Moment {
    Bounds bounds;
    double upright = 1;
  };

  /// @param clip  -1: the rest pose
  [[nodiscard]] Moment at(int clip, float time) const {
    const std::vector<glm::vec3> now = places(clip, time);
    return {bounds_of(now), upright(now)};
  }

  [[nodiscard]] std::vector<Moment> over(int clip) const {
    const rig::Clip& moving = character_.clips[clip];
    std::vector<Moment> out;
    for (int i = 0; i < kMoments; ++i) {
      out.push_back(at(clip, moving.start + moving.duration() * static_cast<float>(i) / (kMoments - 1)));
    }
    return out;
  }

 private:
  struct Weight {
    int joint;
    float weight;
    glm::vec3 local;  ///< of the joint
  };
  struct Point {
    std::uint32_t first;  ///< heaviest first
    std::uint32_t last;
  };

  void add(const rig::Part& part, const mesh::Primitive& primitive, std::size_t v) {
    const auto first = static_cast<std::uint32_t>(weights_.size());
    const mesh::Influences& influences = primitive.influences;
    if (part.skin < 0 || influences.empty() || influences.count(v) == 0) {
      weights_.push_back({part.joint, 1.0f, primitive.positions[v]});
    } else {
      const rig::Skin& skin = character_.skins[part.skin];
      const mesh::InfluenceRow row = influences.row(v);
      for (std::size_t i = 0; i < row.joints.size(); ++i) {
        const std::size_t slot = row.joints[i];
        weights_.push_back({skin.joints[slot], row.weights[i],
                            glm::vec3(skin.joint_from_mesh[slot] * glm::vec4(primitive.positions[v], 1.0f))});
      }
    }
    points_.push_back({first, static_cast<std::uint32_t>(weights_.size())});
  }

  [[nodiscard]] std::vector<glm::vec3> places(int clip, float time) const {
    rig::Pose pose = rig::rest_pose(character_);
    if (clip >= 0) {
      rig::apply(character_.clips[clip], time, character_.morph_offset, pose);
    }
    rig::apply_constraints(character_.skeleton, character_.constraints, pose);
    rig::WorldMatrices world;
    world.evaluate(character_.skeleton, pose);
    std::vector<glm::vec3> out;
    for (const Point& point : points_) {
      glm::vec3 place(0.0f);
      for (std::uint32_t k = point.first; k < point.last; ++k) {
        place += weights_[k].weight * glm::vec3(world[weights_[k].joint] * glm::vec4(weights_[k].local, 1.0f));
      }
      out.push_back(place);
    }
    return out;
  }

  // How much of height at rest is height now, over the trunk: 1 where it stands, 0 where it lies, -1 on its head. The
  // slope of the line through (height at rest, height now).
  [[nodiscard]] double upright(const std::vector<glm::vec3>& now) const {
    double before = 0;
    double after = 0;
    for (const std::size_t i : trunk_) {
      before += static_cast<double>(rest_[i].y) / static_cast<double>(trunk_.size());
      after += static_cast<double>(now[i].y) / static_cast<double>(trunk_.size());
    }
    double spread = 0;
    double common = 0;
    for (const std::size_t i : trunk_) {
      const double high = static_cast<double>(rest_[i].y) - before;
      spread += high * high;
      common += high * (static_cast<double>(now[i].y) - after);
    }
    return spread > 0 && std::isfinite(common) ? common / spread : 1.0;
  }

  const rig::Character& character_;
  std::vector<Weight> weights_;
  std::vector<Point> points_;       ///< of the surface; joints where there is none
  std::vector<glm::vec3> rest_;     ///< where they are in the rest pose
  std::vector<std::size_t> trunk_;  ///< those around the middle
};

/// How a character stands.
struct Standing {
  float height = 0;  ///< metres
  float floor = 0;   ///< height of its feet
  float size = 0;    ///< largest extent
};

float height_of(const Bounds& bounds) {
  return bounds.empty() ? 0.0f : bounds.upper.y - bounds.lower.y;
}

Standing standing_as(const Bounds& bounds) {
  const glm::vec3 extent = bounds.empty() ? glm::vec3(0.0f) : bounds.upper - bounds.lower;
  return {height_of(bounds), bounds.empty() ? 0.0f : bounds.lower.y, std::max({extent.x, extent.y, extent.z})};
}

bool stands_so(const std::vector<SampledShape::Moment>& moments, const Standing& as, bool upright) {
  const glm::vec3 begin = moments.front().bounds.center();
  return std::ranges::all_of(moments, [&](const SampledShape::Moment& moment) {
    const glm::vec3 center = moment.bounds.center();
    return height_of(moment.bounds) >= kLowest * as.height && height_of(moment.bounds) <= kHighest * as.height &&
           std::abs(moment.bounds.lower.y - as.floor) <= kFloorChange * as.height &&
           std::hypot(center.x - begin.x, center.z - begin.z) <= kTravel * as.size &&
           (!upright || moment.upright >= kUpright);
  });
}

float median(std::vector<float> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// As in the median of the beginnings of all clips.
Standing usual_standing(const SampledShape& shape, const rig::Character& character) {
  std::vector<float> heights;
  std::vector<float> floors;
  std::vector<float> sizes;
  for (std::size_t clip = 0; clip < character.clips.size(); ++clip) {
    const Standing one = standing_as(shape.at(static_cast<int>(clip), character.clips[clip].start).bounds);
    heights.push_back(one.height);
    floors.push_back(one.floor);
    sizes.push_back(one.size);
  }
  return {median(heights), median(floors), median(sizes)};
}

}  // namespace

IdleName idle_name(std::string_view clip_name) {
  const std::size_t name_space = clip_name.find_last_of(":|");
  const std::string_view name = name_space == std::string_view::npos ? clip_name : clip_name.substr(name_space + 1);
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  const auto capital = [](char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; };
  int words = 0;
  bool idle = false;
  for (std::size_t i = 0; i < name.size();) {
    std::size_t end = i;
    while (end < name.size() && letter(name[end]) && (end == i || !capital(name[end]) || capital(name[end - 1]))) {
      ++end;
    }
    if (end > i) {
      std::string word(name.substr(i, end - i));
      std::ranges::transform(word, word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      ++words;
      idle = idle || word == "idle";
    }
    i = std::max(end, i + 1);
  }
  return !idle ? IdleName::kNo : words == 1 ? IdleName::kAlone : IdleName::kAmongOthers;
}

bool stands(const rig::Character& character, int clip) {
  const SampledShape shape(character);
  return stands_so(shape.over(clip), standing_as(shape.at(-1, 0).bounds), true);
}

int opening_clip(const rig::Character& character) {
  const int count = static_cast<int>(character.clips.size());
  std::vector<int> idle;
  for (int clip = 0; clip < count; ++clip) {
    const IdleName name = idle_name(character.clips[clip].name);
    if (name == IdleName::kAlone) {
      return clip;
    }
    if (name == IdleName::kAmongOthers) {
      idle.push_back(clip);
    }
  }
  if (count == 0) {
    return -1;
  }
  if (character.parts.empty()) {
    return idle.empty() ? 0 : idle.front();
  }
  const SampledShape shape(character);
  const Standing at_rest = standing_as(shape.at(-1, 0).bounds);
  std::vector<int> all;
  for (int clip = 0; clip < count; ++clip) {
    all.push_back(clip);
  }
  const auto first_standing = [&](const std::vector<int>& clips, const Standing& as,
                                  bool upright) -> std::optional<int> {
    const auto found = std::ranges::find_if(clips, [&](int clip) { return stands_so(shape.over(clip), as, upright); });
    return found == clips.end() ? std::nullopt : std::optional(*found);
  };
  if (!idle.empty()) {
    return first_standing(idle, at_rest, true).value_or(idle.front());
  }
  if (const std::optional<int> clip = first_standing(all, at_rest, true)) {
    return *clip;
  }
  return first_standing(all, usual_standing(shape, character), false).value_or(-1);
}

Bounds clip_bounds(const rig::Character& character, int clip) {
  PELT_EXPECT(clip >= 0 && clip < static_cast<int>(character.clips.size()), "clip index in range");
  Bounds out;
  for (const SampledShape::Moment& moment : SampledShape(character).over(clip)) {
    out.add(moment.bounds);
  }
  return out;
}

}  // namespace pelt::edit
