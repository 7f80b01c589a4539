#include "edit/bind_candidates.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "bind/character_binding.h"
#include "bind/deforming_joints.h"

namespace pelt::edit {
namespace {

// Shares of the progress: scoring takes about as long as a fast binder.
constexpr float kBindingShare = 0.8f;

// The score as `pelt bind --truth` makes it: on the joints that the file's weights use, and those that were bound to.
// Where the file has no weights, the surface alone is measured. Tells whether all of it was measured.
bool measure_candidate(const rig::Character& file, const Progress& progress, BindCandidate& candidate) {
  const rig::Character& bound = *candidate.character;
  const bool has_truth = has_file_weights(bound, file);
  bind::Request all = candidate.change.request;
  all.meshes.clear();
  all.pose.clear();
  if (has_truth) {
    all.joints = bind::proposed_joints(file);
    for (const int j : candidate.change.request.joints) {
      if (std::ranges::find(all.joints, j) == all.joints.end()) {
        all.joints.push_back(j);
      }
    }
  }
  const rig::Character& measured = has_truth ? file : bound;
  const Result<bind::CharacterProblem> problem = bind::make_problem(measured, all);
  if (!problem) {
    return true;
  }
  const std::vector<measure::BenchmarkPose> poses = measure::benchmark_poses(measured, *problem);
  const bind::Rows rows = bind::rows_of(bound, *problem);
  const float half = has_truth ? 0.5f : 0.0f;
  if (has_truth) {
    candidate.score = measure::score_binding(
        *problem, rows, bind::rows_of(file, *problem), poses,
        [&](float fraction, std::string_view what) { return report(progress, half * fraction, what); }, 0);
  }
  if (!has_truth || candidate.score) {
    candidate.shape = measure::measure_binding(*problem, rows, poses, [&](float fraction, std::string_view what) {
      return report(progress, half + (1 - half) * fraction, what);
    });
  }
  return candidate.shape.has_value();
}

}  // namespace

Result<BindCandidate> make_candidate(const std::shared_ptr<const rig::Character>& character, const rig::Character& file,
                                     const BindSkin& change, std::span<const int> locked,
                                     const bind::Watcher& watcher) {
  BindCandidate out{.label = "Weights of the file", .change = change, .character = nullptr};
  if (change.binder == kFileWeights) {
    if (!has_file_weights(*character, file)) {
      return error("the file has no weights for vertices and joints as they are now");
    }
    out.character = std::make_shared<const rig::Character>(with_file_weights(*character, file, locked));
  } else {
    const bind::Watcher first{
        [&](float fraction, std::string_view what) { return report(watcher.progress, kBindingShare * fraction, what); },
        watcher.show};
    const auto start = std::chrono::steady_clock::now();
    PELT_TRY_TO(out.change.made, make_binding(character, change, first));
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    out.label = bind::find_binder(change.binder)->label;
    out.character =
        std::make_shared<const rig::Character>(with_made_binding(*character, change, *out.change.made, locked));
  }
  const bool is_measured = measure_candidate(
      file,
      [&](float fraction, std::string_view) {
        return report(watcher.progress, kBindingShare + (1 - kBindingShare) * fraction, "Scores");
      },
      out);
  if (!is_measured) {
    return error("binding was cancelled");
  }
  return out;
}

Change use_of(const BindCandidate& candidate) {
  if (candidate.change.binder == kFileWeights) {
    return UseFileWeights{};
  }
  return candidate.change;
}

}  // namespace pelt::edit
