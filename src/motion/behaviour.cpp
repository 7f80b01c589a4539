#include "motion/behaviour.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

namespace pelt::motion {
namespace {

using Names = std::map<std::string, std::string>;

void rename(std::string& joint, const Names& names) {
  if (const auto found = names.find(joint); found != names.end()) {
    joint = found->second;
  }
}

constexpr std::array kPresets = {
    DriverPreset{"biceps", "Biceps", "Grows straight while what it follows goes from 10 to 140 degrees",
                 [](std::string_view target, std::string_view source) {
                   const bool is_shape = target.starts_with("shape(");
                   return fmt::format("{}clamp(({} - 10) / (140 - 10), 0, 1)", is_shape ? "" : "0.02 * ", source);
                 },
                 true},
    DriverPreset{"breathing", "Breathing", "Goes to and fro by 4 percent in 4 seconds of the clip",
                 [](std::string_view target, std::string_view) {
                   const bool is_shape = target.starts_with("shape(");
                   return std::string(is_shape ? "(1 - cos(360 * t / 4)) / 2"
                                               : "1 + 0.04 * (1 - cos(360 * t / 4)) / 2");
                 },
                 false},
    DriverPreset{"belly", "Belly", "Bulges with a soft beginning and end while what it follows goes from 0 to 90",
                 [](std::string_view target, std::string_view source) {
                   const bool is_shape = target.starts_with("shape(");
                   return fmt::format("{}smoothstep(0, 90, {})", is_shape ? "" : "0.03 * ", source);
                 },
                 true},
    DriverPreset{"squash", "Squash across", "Thinner across by 1 / sqrt(a) while what it follows stretches by a",
                 [](std::string_view, std::string_view source) { return fmt::format("1 / sqrt({})", source); }, true},
    DriverPreset{"squash-along", "Squash along", "Longer by 1 / s^2 while what it follows gets thinner by s",
                 [](std::string_view, std::string_view source) { return fmt::format("1 / ({0} * {0})", source); },
                 true},
};

}  // namespace

Behaviour with_joints_renamed(Behaviour behaviour, const rig::Skeleton& before, const rig::Skeleton& after,
                              std::span<const int> numbers) {
  Names names;
  for (int j = 0; j < before.size(); ++j) {
    if (numbers[j] < 0) {
      continue;
    }
    const std::string was = joint_reference(before, j);
    const std::string now = joint_reference(after, numbers[j]);
    if (was != now) {
      names.emplace(was, now);
    }
  }
  if (names.empty()) {
    return behaviour;
  }
  for (Driver& driver : behaviour.drivers) {
    driver.target = with_joints_renamed(driver.target, names);
    driver.expression = with_joints_renamed(driver.expression, names);
  }
  for (SemanticSlider& slider : behaviour.sliders) {
    for (SliderRow& row : slider.rows) {
      row.target = with_joints_renamed(row.target, names);
    }
  }
  for (SpringChain& chain : behaviour.springs.chains) {
    for (SpringJoint& joint : chain.joints) {
      rename(joint.joint, names);
    }
    rename(chain.end, names);
    rename(chain.center, names);
  }
  for (SpringCollider& collider : behaviour.springs.colliders) {
    rename(collider.joint, names);
  }
  for (Constraint& constraint : behaviour.constraints) {
    rename(constraint.joint, names);
    rename(constraint.target, names);
  }
  for (ClipLayer& layer : behaviour.clip_layers) {
    for (std::string& joint : layer.joints) {
      rename(joint, names);
    }
  }
  return behaviour;
}

Behaviour with_clips_renamed(Behaviour behaviour, const rig::Character& before, const rig::Character& after,
                             std::span<const int> numbers) {
  for (ClipLayer& layer : behaviour.clip_layers) {
    const Result<int> clip = find_named_clip(before, layer.clip);
    if (!clip) {
      continue;
    }
    const int now = numbers[static_cast<std::size_t>(*clip)];
    if (now >= 0) {
      const Result<int> still = find_named_clip(after, layer.clip);  // then it is called as before
      layer.clip = still && *still == now ? layer.clip : clip_reference(after, now);
    } else if (layer.clip.starts_with('#') || find_named_clip(after, layer.clip)) {
      layer.clip.clear();  // the name or the number is another clip's now
    }
  }
  return behaviour;
}

std::span<const DriverPreset> driver_presets() {
  return kPresets;
}

}  // namespace pelt::motion
