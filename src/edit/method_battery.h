#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/progress.h"
#include "deform/skin_cache.h"
#include "edit/document.h"
#include "edit/pose_battery.h"
#include "measure/skin_meter.h"

namespace pelt::edit {

/// A hundred times the volume or the length: no skin of a sound file does that under any method.
inline constexpr double kLargestRatio = 100;

/// The worst that any pose of a battery does to the zone around one joint under one method.
struct BatteryCell {
  std::optional<double> volume_ratio;  ///< farthest from 1; none where volume says nothing, see measure::ZoneMeasures
  int volume_pose = -1;                ///< in which; -1: no pose changes anything
  double max_edge_stretch = 1;
  int stretch_pose = -1;
  std::int64_t flipped_triangles = 0;
  int flipped_pose = -1;
  /// The first ratio of volume or edge length that measures nothing: not finite, or larger than kLargestRatio.
  std::optional<double> odd_ratio = std::nullopt;
  int odd_pose = -1;

  /// |volume_ratio - 1|: what the joint is sorted and the methods are judged by; 0 where there is no volume.
  [[nodiscard]] double severity() const;
};

/// Which joints suffer most under which method.
struct MethodBattery {
  std::vector<int> methods;  ///< rows of deform::skinning_methods()
  std::vector<TrialPose> poses;
  std::vector<int> joints;                          ///< those that have a zone
  std::vector<std::vector<BatteryCell>> cells;      ///< [joint][method]
  Document tried_from;                              ///< without history; what each pose adds to
  std::shared_ptr<const rig::Character> character;  ///< that it was measured on
  BatteryOptions options;                           ///< that the poses were made by

  /// Enters what a method (index into `methods`) makes of a pose. @param zones  of the same joints in every call
  void enter(std::span<const measure::ZoneMeasures> zones, std::size_t method, int pose);
  /// Joints whose zones enclose a volume; all methods have the same.
  [[nodiscard]] std::size_t judged_joints() const;
  /// The first cell whose numbers are beyond reason, under the standard method where that is there: what such a file
  /// says of methods means nothing.
  struct Odd {
    std::size_t joint = 0;   ///< row of `cells`
    std::size_t method = 0;  ///< index into `methods`
  };
  [[nodiscard]] std::optional<Odd> beyond_reason() const;
  /// Index into `methods` of the one that everything uses unless told otherwise; -1 where that is not among them.
  [[nodiscard]] int standard_method() const;
  /// The next best after best_method(), by the same rules; -1 where there is none.
  [[nodiscard]] int second_method() const;
  /// Index into `methods` of the one with the smallest mean severity, the first of equals; -1 where no joint is judged
  /// and where the numbers of the standard method, or of all, are beyond reason. Those whose own are do not count.
  /// Rigid parts tear the skin instead of deforming it: they are chosen only where there is nothing else.
  [[nodiscard]] int best_method() const;
  /// Mean of the severities of a method over the joints judged.
  [[nodiscard]] double mean_severity(std::size_t method) const;
  /// Index into `joints` of the method's worst, -1 where no joint is judged.
  [[nodiscard]] int worst_joint(std::size_t method) const;
  /// Rows of `cells` by the largest severity under any method, then by stretch, worst first.
  [[nodiscard]] std::vector<std::size_t> worst_first() const;
};

/// The answer to "which method does this character need?" in a sentence or two, as window and command line print it.
std::string verdict(const MethodBattery& battery, const rig::Character& character);
/// What volume was gained or lost: "-85.1 %", "0 %", "not closed".
std::string volume_change_text(const std::optional<double>& volume_ratio);

/// Runs the poses under each of the methods; everything else about skinning is as in the document's active pane.
/// Nothing when `progress` asked to stop.
std::optional<MethodBattery> run_battery(const Document& document, std::span<const int> methods,
                                         const BatteryOptions& options, const std::shared_ptr<deform::SkinCache>& cache,
                                         const Progress& progress);

/// One line per joint and method; no volume where the zone is not closed.
std::string to_csv(const MethodBattery& battery, const rig::Character& character);

}  // namespace pelt::edit
