#include "cli/compare_runner.h"

#include <utility>

#include "core/parallel.h"

namespace pelt::cli {

CompareRunner::CompareRunner(const CompareOptions& options, const std::vector<ComparedSide>& sides,
                             std::size_t reference, const edit::Document& document, render::GpuSkinner* gpu)
    : options_(options),
      sides_(sides),
      reference_(reference),
      bind_(measure::bind_shape(*document.character)),
      meter_(*document.character, options.battery) {
  for (const ComparedSide& side : sides) {
    shapers_.emplace_back(gpu);
    battery_.methods.push_back(side.settings.method);
  }
  for (const measure::Measure measure : kSurfaceMeasures) {
    fields_.emplace_back(*document.character, measure);
  }
}

void CompareRunner::prepare(edit::Document document) {
  for (std::size_t m = 0; m < shapers_.size(); ++m) {
    use(document, m);
    shapers_[m].prepare(document);
  }
}

Status CompareRunner::add(edit::Document document, std::string label, std::optional<double> value) {
  PoseResult pose;
  pose.label = std::move(label);
  pose.value = value;
  use(document, reference_);
  const Result<deform::DeformedCharacter> reference = shapers_[reference_].shape(document);
  if (!reference) {
    return reference.error().in(pose.label);
  }
  for (std::size_t m = 0; m < shapers_.size(); ++m) {
    use(document, m);
    const Result<deform::DeformedCharacter> other =
        m == reference_ ? Result<deform::DeformedCharacter>(deform::DeformedCharacter()) : shapers_[m].shape(document);
    if (!other) {
      return other.error().in(pose.label);
    }
    const deform::DeformedCharacter& shape = m == reference_ ? *reference : *other;
    const edit::Evaluation& evaluation = shapers_[m].evaluation();
    pose.methods.push_back(measured(document, *reference, shape, evaluation));
    if (options_.battery) {
      battery_.enter(meter_.zones(shape, evaluation.pose(), evaluation.world()), m, static_cast<int>(poses_.size()));
    }
  }
  poses_.push_back(std::move(pose));
  return {};
}

void CompareRunner::use(edit::Document& document, std::size_t m) {
  document.content.skinning = sides_[m].settings;
  document.state_version = ++version_;
}

MethodResult CompareRunner::measured(const edit::Document& document, const deform::DeformedCharacter& reference,
                                     const deform::DeformedCharacter& shape, const edit::Evaluation& evaluation) const {
  MethodResult result;
  result.difference = measure::difference(reference, shape);
  parallel_for(fields_.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      // Normals turn with the pose: against the bind shape their angle says nothing of a method.
      const bool bind =
          options_.against == StrainsAgainst::kBind && kSurfaceMeasures[i] != measure::Measure::kNormalAngle;
      result.surface[i] = measure::summary_of(fields_[i].values(shape, bind ? bind_ : reference));
    }
  });
  result.collapse = meter_.collapse(shape);
  result.flipped_triangles = meter_.flipped_triangles(shape, evaluation.pose(), evaluation.world());
  result.bones = meter_.bone_distance(shape, evaluation.pose(), evaluation.world());
  if (ring_) {
    result.ring = meter_.radius(*ring_, shape);
  }
  if (options_.intersections) {
    result.self_intersections = meter_.self_intersections(shape);
  }
  result.teaching = edit::teaching_rows(document, shape);
  return result;
}

}  // namespace pelt::cli
