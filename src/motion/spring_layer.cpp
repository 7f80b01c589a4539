// Springs over a clip: checkpoints, and the way to any moment.
#include <algorithm>
#include <cmath>

#include "motion/memory.h"
#include "motion/pose_layers.h"
#include "motion/springs.h"

namespace pelt::motion {
namespace {

// States are kept every so many steps: a quarter of a second.
constexpr long kCheckpointSteps = 30;
// Of a step: a playhead so little behind it is at it.
constexpr double kStepRounding = 1e-3;
// More are not simulated: ten minutes, behind which springs stand still.
constexpr long kMostSteps = 600 * 120;

using StatePointer = std::shared_ptr<const SpringState>;

bool needs_run_in(const SpringRig& springs) {
  return (springs.wind.gusts > 0 && springs.wind.acceleration != glm::vec3(0.0f)) ||
         std::ranges::any_of(springs.bones, [](const SpringRig::Bone& bone) { return !bone.colliders.empty(); });
}

// Settled in a pose that stands still; the pose is left as the springs turn it.
SpringState stand_still(const SpringRig& springs, rig::PoseBuilder& pose) {
  const rig::Pose wanted = pose.pose();
  SpringState state = settle(springs, pose);
  if (needs_run_in(springs)) {
    const int steps = static_cast<int>(std::lround(kSpringRunIn * kSpringRate));
    for (int n = 1 - steps; n <= 0; ++n) {
      pose.edit() = wanted;
      step(springs, 1 / kSpringRate, n / kSpringRate, state, pose);
    }
  }
  return state;
}

}  // namespace

/// The simulation of one clip, with what a memory knows of it.
class SpringRun {
 public:
  explicit SpringRun(const PoseSources& sources) : sources_(sources), springs_(*sources.springs) {}

  /// The state at the playhead, which turns the pose.
  void turn(rig::PoseBuilder& pose) {
    const double seconds = sources_.clip_seconds();
    const double steps = std::floor(seconds * kSpringRate + kStepRounding);
    const long last = static_cast<long>(std::clamp(steps, 0.0, double{kMostSteps}));
    SpringState state = *state_at(last);
    // A step of no length is a step too, so that a moment on the grid is not another kind of moment.
    const double rest = std::max(seconds - static_cast<double>(last) / kSpringRate, kShortest);
    step(springs_, rest, seconds, state, pose);
  }

 private:
  static constexpr double kShortest = 1e-9;

  StatePointer state_at(long last) {
    long n = -1;
    StatePointer state = known(last, n);
    if (state == nullptr) {
      const PoseSources then = sources_.at(moment(0));
      rig::Pose pose = layered_pose(sources_.layers_before, then);
      rig::PoseBuilder builder(sources_.character.skeleton, pose);
      state = std::make_shared<const SpringState>(stand_still(springs_, builder));
      n = 0;
      keep(n, state, true);
    }
    if (n == last) {
      return state;
    }
    SpringState moving = *state;
    while (n < last) {
      ++n;
      const PoseSources then = sources_.at(moment(n));
      rig::Pose pose = layered_pose(sources_.layers_before, then);
      rig::PoseBuilder builder(sources_.character.skeleton, pose);
      step(springs_, 1 / kSpringRate, static_cast<double>(n) / kSpringRate, moving, builder);
      count_step();
      if (n % kCheckpointSteps == 0 || n == last) {
        state = std::make_shared<const SpringState>(moving);
        keep(n, state, n == last);
      }
    }
    return state;
  }

  [[nodiscard]] float moment(long n) const {
    const float start = sources_.character.clips[sources_.clip].start;
    return static_cast<float>(static_cast<double>(start) + static_cast<double>(n) / kSpringRate);
  }

  // The last state up to a step that the memory has.
  StatePointer known(long last, long& n) const {
    if (sources_.memory == nullptr) {
      return nullptr;
    }
    const std::scoped_lock lock(sources_.memory->mutex_);
    const auto& checkpoints = sources_.memory->checkpoints_;
    const auto behind = checkpoints.upper_bound(last);
    StatePointer state;
    if (behind != checkpoints.begin()) {
      n = std::prev(behind)->first;
      state = std::prev(behind)->second;
    }
    for (const MotionMemory::Recent& recent : sources_.memory->recent_) {
      if (recent.state != nullptr && recent.step <= last && recent.step > n) {
        n = recent.step;
        state = recent.state;
      }
    }
    return state;
  }

  void keep(long n, const StatePointer& state, bool is_asked_for) const {
    if (sources_.memory == nullptr) {
      return;
    }
    const std::scoped_lock lock(sources_.memory->mutex_);
    if (n % kCheckpointSteps == 0) {
      sources_.memory->checkpoints_.emplace(n, state);
    }
    auto& recent = sources_.memory->recent_;
    const bool is_known = std::ranges::any_of(
        recent, [&](const MotionMemory::Recent& one) { return one.state != nullptr && one.step == n; });
    if (is_asked_for && !is_known) {
      recent[sources_.memory->next_recent_] = {n, state};
      sources_.memory->next_recent_ = (sources_.memory->next_recent_ + 1) % recent.size();
    }
  }

  void count_step() const {
    if (sources_.memory != nullptr) {
      const std::scoped_lock lock(sources_.memory->mutex_);
      ++sources_.memory->steps_made_;
    }
  }

  const PoseSources& sources_;
  const SpringRig& springs_;
};

void apply_spring_layer(const PoseSources& sources, std::span<const float>, rig::PoseBuilder& pose) {
  if (sources.springs == nullptr || sources.springs->bones.empty() || sources.base == BasePose::kBind) {
    return;
  }
  if (sources.clip < 0) {
    stand_still(*sources.springs, pose);
    return;
  }
  SpringRun(sources).turn(pose);
}

}  // namespace pelt::motion
