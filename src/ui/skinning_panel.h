#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "core/jobs.h"
#include "deform/loop_order.h"
#include "measure/degenerate_normals.h"
#include "measure/diet.h"
#include "render/view_settings.h"
#include "ui/diet_run.h"
#include "ui/fast_normals_section.h"
#include "ui/surface_section.h"

namespace pelt::ui {

/// Of its row of tabs().
inline constexpr std::string_view kSkinningTab = "skinning";

struct Desk;

/// What is known about settings on the pose shown.
struct DietFigures {
  std::shared_ptr<const rig::Character> character;
  std::uint64_t pose_version = 0;
  deform::SkinningSettings settings;
  measure::DietCost now;
  measure::DietCost full;  ///< at full precision
  measure::InfluenceHistogram histogram;
  std::optional<measure::DietError> error;  ///< of the pose; nothing where the method would have to prepare for it
  double seconds = 0;                       ///< that measuring took
};

/// How the skin is computed, what it costs, what smaller weights would save, and whether both backends agree.
struct SkinningPanel {
  std::optional<DietFigures> figures;  ///< the latest; of an earlier pose while newer ones are on their way
  std::shared_ptr<JobSlot<DietFigures>> next_figures;  ///< null: none were asked for yet
  std::shared_ptr<measure::DietMeter> meter;           ///< of that work while it goes on
  std::shared_ptr<DietRun> run;                        ///< over a clip or a battery; null: none yet
  std::shared_ptr<const rig::Character> run_character;

  render::Look look_before_map = render::Look::kShaded;

  /// How many normals are lost in a pose; counted again when neither a drag nor playback moves it.
  struct NormalCount {
    std::shared_ptr<const rig::Character> character;
    std::uint64_t pose_version = 0;
    int pane = -1;
    deform::SkinningSettings settings;
    std::optional<measure::DegenerateNormals> normals;  ///< nothing: not known yet
  };
  NormalCount normal_count = {};
  FastNormals fast_normals = {};
  SurfaceSection surface = {};
  std::optional<deform::LoopOrder> loop_order;  ///< measured on request
  std::shared_ptr<const rig::Character> loop_order_character;

  /// Waits for figures instead of showing earlier ones meanwhile: for pictures and tests.
  bool patient = false;
};

void draw(SkinningPanel& panel, Desk& desk);

}  // namespace pelt::ui
