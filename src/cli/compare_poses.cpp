#include "cli/compare_poses.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "cli/open.h"
#include "cli/output.h"
#include "core/text.h"
#include "edit/pose_file.h"
#include "edit/sweep.h"

namespace pelt::cli {
namespace {

Result<edit::Sweep> resolve_sweep(const edit::Document& document, const SweepFlag& flag, double& unit) {
  const std::string what = fmt::format("--sweep {}.{}", printable(flag.joint), printable(flag.dof));
  const Result<ResolvedDof> slider = resolve_dof(document, flag.joint, flag.dof);
  if (!slider) {
    return slider.error().in(what);
  }
  const rig::Dof& dof = slider->dof;
  unit = slider->unit;
  edit::Sweep sweep{slider->joint, slider->index, static_cast<float>(flag.from * unit),
                    static_cast<float>(flag.to * unit), flag.steps};
  // The range ends at the limit, so that no value is there twice.
  for (float* value : {&sweep.from, &sweep.to}) {
    if (!std::isfinite(*value)) {
      return error("{}: the value is too large", what);
    }
    const float used = std::clamp(*value, dof.lower, dof.upper);
    if (std::abs(used - *value) > 1e-4f) {
      print_note(fmt::format("{}: {:g} is outside of the limits; {:.6g} is used", what,
                             static_cast<double>(*value) / unit, static_cast<double>(used) / unit));
    }
    *value = used;
  }
  return sweep;
}

Result<std::vector<edit::TrialPose>> pose_files(const edit::Document& document, const EvaluationOptions& options,
                                                const std::string& folder) {
  std::error_code failed;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    if (entry.path().extension() == ".json") {
      paths.push_back(entry.path());
    }
  }
  if (failed) {
    return error("--poses {}: {}", printable(folder), failed.message());
  }
  if (paths.empty()) {
    return error("--poses {}: no pose file (.json) is in this folder", printable(folder));
  }
  std::ranges::sort(paths);
  std::vector<edit::TrialPose> poses;
  for (const std::filesystem::path& path : paths) {
    note_read(path, "--poses");
    std::vector<std::string> notes;
    Result<edit::ReplacePose> pose = open_pose(document, path, options, notes);
    if (!pose) {
      return pose.error().in("--poses");
    }
    std::ranges::for_each(notes, print_note);
    poses.push_back({path.stem().string(), *std::move(pose)});
  }
  return poses;
}

/// The moments that --clip and --frames ask for.
Result<std::vector<edit::TrialPose>> clip_moments(const CompareOptions& options, const edit::Document& document) {
  const rig::Clip& clip = document.character->clips[document.content.clip];
  // All of a clip with its end, at 30 frames per second unless that is very many.
  const double steps = std::clamp(std::ceil(static_cast<double>(clip.duration()) * 30), 1.0, 1000.0);
  const FrameRange whole{.last = clip.duration() > 0 ? static_cast<int>(steps) : 0,
                         .fps = clip.duration() > 0 ? steps / static_cast<double>(clip.duration()) : 30};
  std::vector<edit::TrialPose> poses;
  PELT_TRY_TO(const std::vector<float> times, frame_times(document, options.frames.value_or(whole)));
  for (const float time : times) {
    poses.push_back({fmt::format("{:g} s", time), edit::ClipMoment{document.content.clip, time}});
  }
  return poses;
}

Result<std::vector<edit::TrialPose>> battery_poses(const CompareOptions& options, const edit::Document& document) {
  edit::BatteryOptions battery = options.random.battery();
  if (options.battery_of_clips) {
    if (document.character->clips.empty()) {
      return error("--battery=clips: the file has no clips");
    }
    battery = edit::kClipBattery;
    battery.random = options.random.count;
    battery.seed = options.random.battery().seed;
  }
  return edit::make_battery(document, battery);
}

}  // namespace

std::optional<double> ComparedPoses::value(std::size_t p) const {
  if (p >= swept_count) {
    return std::nullopt;
  }
  return std::round(static_cast<double>(std::get<edit::SetDof>(poses[p].what).value) / swept_unit * 1e4) / 1e4 + 0.0;
}

Result<ComparedPoses> compared_poses(const CompareOptions& options, const edit::Document& document) {
  ComparedPoses out;
  if (options.sweep) {
    PELT_TRY_TO(const edit::Sweep sweep, resolve_sweep(document, *options.sweep, out.swept_unit));
    out.poses = edit::make_sweep(document, sweep);
    out.swept_joint = sweep.joint;
  }
  out.swept_count = out.poses.size();
  const auto append = [&](std::vector<edit::TrialPose> more) {
    std::ranges::move(more, std::back_inserter(out.poses));
  };
  if (!options.poses.empty()) {
    PELT_TRY_TO(std::vector<edit::TrialPose> files, pose_files(document, options.evaluation, options.poses));
    append(std::move(files));
  }
  if (options.battery) {
    PELT_TRY_TO(std::vector<edit::TrialPose> battery, battery_poses(options, document));
    append(std::move(battery));
  } else if (options.random.count > 0) {
    append(edit::random_poses(options.random.count, options.random.battery().seed));
  }
  const bool whole_clip = document.content.clip >= 0 && !options.evaluation.time && out.poses.empty();
  if (options.frames || whole_clip) {
    PELT_TRY_TO(std::vector<edit::TrialPose> moments, clip_moments(options, document));
    append(std::move(moments));
  }
  return out;
}

}  // namespace pelt::cli
