#include "edit/weight_foresight.h"

#include <algorithm>

#include "edit/weight_area.h"

namespace pelt::edit {
namespace {

void add_difference(WeightDifference& total, const WeightDifference& one) {
  const std::size_t vertices = total.vertices + one.vertices;
  const double sum = total.mean * static_cast<double>(total.vertices) + one.mean * static_cast<double>(one.vertices);
  total.mean = vertices > 0 ? sum / static_cast<double>(vertices) : 0;
  total.vertices = vertices;
  total.largest = std::max(total.largest, one.largest);
  total.most_joints = std::max(total.most_joints, one.most_joints);
  total.cuts.vertices += one.cuts.vertices;
  total.cuts.largest = std::max(total.cuts.largest, one.cuts.largest);
}

}  // namespace

std::optional<ForeseenWeights> foreseen_weights(const std::shared_ptr<const rig::Character>& character,
                                                std::vector<UseWeightTool> edits, const Progress& progress) {
  ForeseenWeights out;
  std::shared_ptr<const rig::Character> now = character;
  const auto count = static_cast<float>(edits.size());
  for (UseWeightTool& edit : edits) {
    const float before = static_cast<float>(out.edits.size()) / count;
    const Progress of_mesh = [&](float fraction, std::string_view what) {
      return report(progress, before + fraction / count, what);
    };
    if (!report(progress, before, mesh_name(*now, edit.mesh))) {
      return std::nullopt;
    }
    TransferMatch match;
    WeightCuts cuts;
    Result<std::shared_ptr<const rig::Character>> after = with_weight_tool(*now, edit, &match, of_mesh, &cuts);
    if (!report(progress, before, mesh_name(*now, edit.mesh))) {
      return std::nullopt;  // what a tool has made that was asked to stop means nothing
    }
    auto made = std::make_shared<MadeWeights>(MadeWeights{.from = now, .result = nullptr});
    if (after && *after != nullptr) {
      WeightDifference difference = weight_difference(*now, **after, edit.mesh);
      difference.cuts = cuts;
      add_difference(out.difference, difference);
      made->result = *after;
      now = *std::move(after);
    }
    edit.made = std::move(made);
    out.edits.push_back(std::move(edit));
    out.matches.push_back(std::move(match));
  }
  return out;
}

}  // namespace pelt::edit
