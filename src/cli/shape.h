#pragma once

#include "core/result.h"
#include "deform/deform.h"
#include "edit/document.h"
#include "edit/evaluation.h"
#include "render/gpu_skinner.h"

namespace pelt::cli {

/// Deformed shapes of a document by the backend that its settings name.
class Shaper {
 public:
  /// @param gpu  used where the settings say GPU; may be null where they never do; must outlive the shaper
  explicit Shaper(render::GpuSkinner* gpu) : gpu_(gpu) {}
  /// World-space positions, normals and tangents. Fails where a coordinate is not finite, naming part and vertex.
  Result<deform::DeformedCharacter> shape(const edit::Document& document);
  /// What the document's method prepares, see prepare_methods().
  void prepare(const edit::Document& document);
  [[nodiscard]] const edit::Evaluation& evaluation() const { return evaluation_; }

 private:
  edit::Evaluation evaluation_;
  render::GpuSkinner* gpu_;
};

/// Computes what the methods of all panes prepare, with the progress on stderr where it takes longer than a second and
/// somebody looks.
void prepare_methods(const edit::Document& document, edit::Evaluation& evaluation);

/// The document's shape by the GPU, whatever its settings say.
Result<deform::DeformedCharacter> skin_on_gpu(render::GpuSkinner& gpu, const edit::Document& document,
                                              edit::Evaluation& evaluation);

/// Length of the bounding box's diagonal in the rest pose, metres.
double rest_diagonal(const rig::Character& character);

}  // namespace pelt::cli
