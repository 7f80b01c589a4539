#include "cli/springs_benchmark.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "motion/memory.h"
#include "motion/pose_layers.h"
#include "motion/vrm_springs.h"

namespace pelt::cli {
namespace {

constexpr std::array kFrameRates = {15, 30, 60, 120, 240, 480};
constexpr int kBraidJoints = 6;
constexpr float kBraidLength = 0.12f;  // metres, of each
constexpr int kBraidSeconds = 3;
constexpr int kComparedRate = 15;  // all rates have its frames

// A braid of six joints at the back of a head, which nods once a second and walks to and fro; hair as avatars have it.
rig::Character braid() {
  rig::Character out;
  rig::Skeleton& skeleton = out.skeleton.edit();
  const auto add = [&](std::string name, int parent, const glm::vec3& at) {
    skeleton.parent.push_back(parent);
    skeleton.name.push_back(std::move(name));
    skeleton.rest.push_back({.translation = at});
  };
  add("head", -1, {0, 1.6f, 0});
  rig::SpringBone spring{.name = "braid", .joints = {}, .colliders = {0}};
  for (int j = 1; j <= kBraidJoints + 1; ++j) {
    add(fmt::format("braid_{}", j), j - 1, j == 1 ? glm::vec3(0, 0.1f, -0.1f) : glm::vec3(0, -kBraidLength, 0));
    spring.joints.push_back({.joint = j, .hit_radius = 0.02f, .stiffness = 0.8f, .gravity_power = 0.2f, .drag = 0.3f});
  }
  rig::Clip clip;
  clip.name = "walk";
  clip.end = kBraidSeconds;
  rig::Channel moves{.joint = 0, .path = rig::ChannelPath::kTranslation, .times = {}, .values = {}, .width = 3};
  rig::Channel nods{.joint = 0, .path = rig::ChannelPath::kRotation, .times = {}, .values = {}, .width = 4};
  constexpr int kKeysPerSecond = 60;
  for (int k = 0; k <= kKeysPerSecond * kBraidSeconds; ++k) {
    const float t = static_cast<float>(k) / kKeysPerSecond;
    const float angle = 0.1f * std::sin(6 * t);
    moves.times.push_back(t);
    nods.times.push_back(t);
    const auto append = [](rig::Channel& channel, std::initializer_list<float> values) {
      channel.values.insert(channel.values.end(), values);
    };
    append(moves, {0.1f * std::sin(3 * t), 1.6f + 0.02f * std::sin(12 * t), 0.1f * std::sin(5 * t)});
    append(nods, {std::sin(angle / 2), 0, 0, std::cos(angle / 2)});
  }
  clip.channels = {std::move(moves), std::move(nods)};
  out.clips.push_back(std::move(clip));
  rig::finish(out);
  out.spring_bones.push_back(std::move(spring));
  out.spring_colliders.push_back({.joint = 0, .radius = 0.11f});
  return out;
}

// Where the braid's end is at each of the compared moments, and what a frame costs.
struct Run {
  std::vector<glm::dvec3> tips;
  double frame_ms = 0;
};

template <typename Frame>
Run run(int rate, const Frame& frame) {
  Run out;
  const auto start = std::chrono::steady_clock::now();
  const int frames = rate * kBraidSeconds;
  for (int f = 0; f <= frames; ++f) {
    const glm::dvec3 tip = frame(f, static_cast<double>(f) / rate);
    if (f % (rate / kComparedRate) == 0) {
      out.tips.push_back(tip);
    }
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  out.frame_ms = seconds * 1e3 / (frames + 1);
  return out;
}

class SpringComparison {
 public:
  SpringComparison() : character_(braid()), rig_(make_spring_rig(character_, motion::springs_of_file(character_))) {}

  [[nodiscard]] Run exact(int rate) const {
    motion::MotionMemory memory;
    return run(rate, [&](int, double time) {
      motion::PoseSources sources = sources_at(time);
      sources.springs = &rig_;
      sources.memory = &memory;
      rig::Pose pose = motion::layered_pose(motion::standard_pose_layers(), sources);
      return tip_of(pose);
    });
  }

  [[nodiscard]] Run reference(int rate) const {
    rig::Pose pose = motion::layered_pose(motion::standard_pose_layers(), sources_at(0));
    rig::PoseBuilder builder(character_.skeleton, pose);
    motion::VrmSprings springs(character_, builder);
    return run(rate, [&](int f, double time) {
      builder.edit() = motion::layered_pose(motion::standard_pose_layers(), sources_at(time));
      if (f == 0) {  // settled, as the exact ones begin
        const rig::Pose still = pose;
        for (int n = 0; n < rate * 4; ++n) {
          builder.edit() = still;
          springs.update(1.0 / rate, builder);
        }
      } else {
        springs.update(1.0 / rate, builder);
      }
      rig::Pose copy = pose;
      return tip_of(copy);
    });
  }

 private:
  [[nodiscard]] motion::PoseSources sources_at(double time) const {
    return {character_, motion::BasePose::kRest, 0, static_cast<float>(time), overrides_, morphs_};
  }
  [[nodiscard]] glm::dvec3 tip_of(rig::Pose& pose) const {
    return glm::dvec3(rig::PoseBuilder(character_.skeleton, pose).world(kBraidJoints + 1)[3]);
  }

  rig::Character character_;
  motion::SpringRig rig_;
  std::map<int, motion::JointOverride> overrides_;
  std::map<int, float> morphs_;
};

struct Apart {
  double largest_mm = 0;
  double mean_mm = 0;
};

Apart apart(const Run& a, const Run& b) {
  Apart out;
  for (std::size_t i = 0; i < a.tips.size(); ++i) {
    const double mm = glm::distance(a.tips[i], b.tips[i]) * 1e3;
    out.largest_mm = std::max(out.largest_mm, mm);
    out.mean_mm += mm / static_cast<double>(a.tips.size());
  }
  return out;
}

nlohmann::ordered_json apart_json(const Apart& a) {
  return {{"largest_mm", a.largest_mm}, {"mean_mm", a.mean_mm}};
}

}  // namespace

std::string benchmark_springs(bool json) {
  const SpringComparison comparison;
  const Run exact_at_60 = comparison.exact(60);
  const Run reference_at_60 = comparison.reference(60);
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  std::string text = fmt::format("{:>7} {:>25} {:>25} {:>25} {:>13} {:>13}\n{:>7} {:>25} {:>25} {:>25} {:>13} {:>13}\n",
                                 "", "reference, from itself", "exact, from itself", "reference from exact",
                                 "reference", "exact", "frames", "at 60, largest and mean", "at 60, largest and mean",
                                 "largest and mean", "a frame", "a frame");
  for (const int rate : kFrameRates) {
    const Run exact = comparison.exact(rate);
    const Run reference = comparison.reference(rate);
    const Apart of_reference = apart(reference, reference_at_60);
    const Apart of_exact = apart(exact, exact_at_60);
    const Apart between = apart(reference, exact);
    rows.push_back({{"frames_per_second", rate},
                    {"reference_from_itself_at_60", apart_json(of_reference)},
                    {"exact_from_itself_at_60", apart_json(of_exact)},
                    {"reference_from_exact", apart_json(between)},
                    {"reference_frame_ms", reference.frame_ms},
                    {"exact_frame_ms", exact.frame_ms}});
    const auto pair = [](const Apart& a) { return fmt::format("{:.3f} {:.3f} mm", a.largest_mm, a.mean_mm); };
    text += fmt::format("{:>7} {:>25} {:>25} {:>25} {:>10.4f} ms {:>10.4f} ms\n", rate, pair(of_reference),
                        pair(of_exact), pair(between), reference.frame_ms, exact.frame_ms);
  }
  return json ? nlohmann::ordered_json{{"springs", std::move(rows)}}.dump(2) + "\n" : text;
}

}  // namespace pelt::cli
