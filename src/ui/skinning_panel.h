#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "deform/diet.h"
#include "ui/diet_run.h"

namespace pelt::ui {

struct Desk;

/// How the skin is computed, what it costs, what smaller weights would save, and whether both backends agree.
struct SkinningPanel {
  /// What follows from character and settings.
  struct Costs {
    std::uint64_t character_version = 0;
    deform::SkinningSettings settings;
    deform::DietCost now;
    deform::DietCost full;
    deform::InfluenceHistogram histogram;
  };
  std::optional<Costs> costs;

  /// The error over the pose on screen.
  struct PoseError {
    std::uint64_t character_version = 0;
    std::uint64_t pose_version = 0;
    deform::SkinningSettings settings;
    deform::DietError error;
    double measured_at = 0;  ///< Scene::now
    double seconds = 0;      ///< that measuring took
  };
  std::optional<PoseError> pose_error;
  std::shared_ptr<deform::DietMeter> meter;

  std::shared_ptr<DietRun> run;  ///< over a clip or a battery; null: none yet
  std::uint64_t run_character_version = 0;

  /// Numbers arrive without a pose or setting having changed.
  [[nodiscard]] bool busy() const { return run != nullptr && run->active(); }
};

void draw(SkinningPanel& panel, Desk& desk);

}  // namespace pelt::ui
