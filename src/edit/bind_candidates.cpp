#include "edit/bind_candidates.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "bind/character_binding.h"
#include "bind/deforming_joints.h"

namespace pelt::edit {
namespace {

// Shares of the progress: scoring takes about as long as a fast binder.
constexpr float kBindingShare = 0.8f;

// The score as `pelt bind --truth` makes it: on the joints that the file's weights use, and those that were bound to.
std::optional<measure::BindingScore> score_of(const rig::Character& bound, const rig::Character& file,
                                              const bind::Request& request, const Progress& progress) {
  if (!has_file_weights(bound, file)) {
    return std::nullopt;
  }
  bind::Request all = request;
  all.meshes.clear();
  all.joints = bind::proposed_joints(file);
  for (const int j : request.joints) {
    if (std::ranges::find(all.joints, j) == all.joints.end()) {
      all.joints.push_back(j);
    }
  }
  const Result<bind::CharacterProblem> problem = bind::make_problem(file, all);
  if (!problem) {
    return std::nullopt;
  }
  return measure::score_binding(*problem, bind::rows_of(bound, *problem), bind::rows_of(file, *problem),
                                measure::benchmark_poses(file, *problem), progress, 0);
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
  bool stopped = false;
  out.score = score_of(*out.character, file, change.request, [&](float fraction, std::string_view) {
    stopped = !report(watcher.progress, kBindingShare + (1 - kBindingShare) * fraction, "Scores");
    return !stopped;
  });
  if (stopped) {
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
