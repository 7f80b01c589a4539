#include "cli/shape.h"

#include <utility>

#include "cli/output.h"
#include "core/expect.h"
#include "math/transform.h"

namespace pelt::cli {
namespace {

Status check_finite(const deform::DeformedCharacter& deformed) {
  for (std::size_t p = 0; p < deformed.parts.size(); ++p) {
    const deform::DeformedPart& part = deformed.parts[p];
    for (std::size_t v = 0; v < part.positions.size(); ++v) {
      if (!is_finite(part.positions[v]) || (!part.normals.empty() && !is_finite(part.normals[v]))) {
        return error("part {}: vertex {}: the deformed position or normal is not finite", p, v);
      }
    }
  }
  return {};
}

}  // namespace

void prepare_methods(const edit::Document& document, edit::Evaluation& evaluation) {
  ProgressLine line;
  const Progress progress = [&](float fraction, std::string_view what) {
    line.show(fraction, what);
    return true;
  };
  for (int pane = 0; pane < edit::pane_count(document.content); ++pane) {
    evaluation.cache()->prepare(*document.character,
                                edit::in_effect(document, edit::skinning_of(document.content, pane)), progress);
  }
}

Result<deform::DeformedCharacter> skin_on_gpu(render::GpuSkinner& gpu, const edit::Document& document,
                                              edit::Evaluation& evaluation) {
  evaluation.update(document);
  deform::SkinningSettings settings = edit::in_effect(document, document.content.skinning);
  settings.backend = deform::Backend::kGpu;
  const bool needs_cpu = render::GpuSkinner::needs_cpu(*document.character, settings);
  return gpu.skin(*document.character, evaluation.pose(), evaluation.world(), settings,
                  needs_cpu ? &evaluation.deformed(document) : nullptr);
}

void Shaper::prepare(const edit::Document& document) {
  prepare_methods(document, evaluation_);
}

Result<deform::DeformedCharacter> Shaper::shape(const edit::Document& document) {
  const bool on_gpu = document.content.skinning.backend == deform::Backend::kGpu;
  PELT_EXPECT(!on_gpu || gpu_ != nullptr, "the GPU backend needs a context");
  Result<deform::DeformedCharacter> deformed =
      on_gpu ? skin_on_gpu(*gpu_, document, evaluation_) : Result(evaluation_.deformed(document));
  if (deformed) {
    PELT_TRY(check_finite(*deformed));
  }
  return deformed;
}

double rest_diagonal(const rig::Character& character) {
  deform::SkinningSettings settings;
  settings.backend = deform::Backend::kCpu;
  return static_cast<double>(deform::deform_once(character, rig::rest_pose(character), settings).bounds.diagonal());
}

}  // namespace pelt::cli
