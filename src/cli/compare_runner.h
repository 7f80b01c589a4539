#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/compare_options.h"
#include "cli/compare_report.h"
#include "cli/shape.h"

namespace pelt::cli {

/// Runs every side over poses and collects what there is to say.
class CompareRunner {
 public:
  /// @param options, sides  outlive it
  /// @param gpu  may be null where no side wants it; outlives it
  CompareRunner(const CompareOptions& options, const std::vector<ComparedSide>& sides, std::size_t reference,
                const edit::Document& document, render::GpuSkinner* gpu);

  [[nodiscard]] const measure::SkinMeter& meter() const { return meter_; }
  void set_ring(measure::Ring ring) { ring_ = std::move(ring); }

  /// Computes what the methods need once, with its progress.
  void prepare(edit::Document document);

  /// Measures all sides in one pose. @param value  of the swept DOF
  Status add(edit::Document document, std::string label, std::optional<double> value);

  std::vector<PoseResult> take_poses() { return std::move(poses_); }
  edit::MethodBattery take_battery() { return std::move(battery_); }

 private:
  void use(edit::Document& document, std::size_t m);

  MethodResult measured(const edit::Document& document, const deform::DeformedCharacter& reference,
                        const deform::DeformedCharacter& shape, const edit::Evaluation& evaluation) const;

  const CompareOptions& options_;
  const std::vector<ComparedSide>& sides_;
  std::size_t reference_;
  deform::DeformedCharacter bind_;
  measure::SkinMeter meter_;
  std::vector<measure::SurfaceField> fields_;  ///< of kSurfaceMeasures
  std::vector<Shaper> shapers_;                ///< one per side
  std::optional<measure::Ring> ring_;
  std::uint64_t version_ = 1;
  std::vector<PoseResult> poses_;
  edit::MethodBattery battery_;
};

}  // namespace pelt::cli
