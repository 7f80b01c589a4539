#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <glm/glm.hpp>

#include "core/progress.h"
#include "deform/deform.h"
#include "deform/skin_cache.h"
#include "edit/document.h"
#include "edit/teaching.h"
#include "measure/skin_meter.h"

namespace pelt::edit {

/// What one way of skinning makes of one pose, ALGORITHMS.md §53. Always computed on the CPU: a pane that the GPU draws
/// has the numbers of the same settings there, from which its own differ by what the parity figure says.
struct SkinNumbers {
  measure::CollapseMeasures collapse;
  std::int64_t flipped_triangles = 0;
  measure::BoneDistance bones;
  std::optional<measure::RingRadius> ring;  ///< at the joint asked for, metres
  measure::RingRadius bind_ring;            ///< the same in the bind shape
  std::optional<double> pinned;             ///< distance of the pinned vertex from the joint asked for, metres
  double bind_pinned = 0;                   ///< the same in the bind pose
  /// Of surfaces that have control points: largest distance between what is made of these once they were skinned, and
  /// the mesh that is made of them before, both under the same settings, metres.
  std::optional<double> refine_distance;
  glm::ivec2 worst_edge = glm::ivec2(-1);  ///< part and vertex at one end of the edge stretched most; -1 without edges
  std::vector<TeachingRow> teaching;       ///< of the teaching rigs
};

/// One number of those, for tables, plots and files.
struct SkinQuantity {
  std::string_view id;     ///< column of a file
  std::string_view label;  ///< for menus
  std::string_view unit;   ///< as shown
  std::string_view help;
  int decimals;                         ///< as shown
  double shown_per_unit;                ///< times the value gives the number to show
  double (*value)(const SkinNumbers&);  ///< ratio, metres or count; NaN where there is none
};
std::span<const SkinQuantity> skin_quantities();
/// Rows of skin_quantities() that others refer to.
inline constexpr int kVolumeQuantity = 0;
inline constexpr int kRingQuantity = 5;
inline constexpr int kPinnedQuantity = 9;
inline constexpr int kRefineQuantity = 10;  ///< the last one: only of characters with control points
/// How many of skin_quantities() this character has.
std::size_t quantity_count(const rig::Character& character);

/// Measures one character in many poses under many settings. Not for several threads at once.
class SkinNumberMeter {
 public:
  /// @param cache  shared with others; never null
  SkinNumberMeter(std::shared_ptr<const rig::Character> character, std::shared_ptr<deform::SkinCache> cache);

  /// One row per element of `settings`, for the document's pose.
  /// @param ring_joint  of the ring, -1: none
  /// @pre the document's character is the meter's
  std::vector<SkinNumbers> measure(const Document& document, std::span<const deform::SkinningSettings> settings,
                                   int ring_joint);
  /// Why the last measure() had no ring; empty where it had one or none was asked for.
  [[nodiscard]] const std::string& ring_error() const { return ring_error_; }
  [[nodiscard]] const std::shared_ptr<const rig::Character>& character() const { return character_; }

 private:
  struct Pane {
    deform::CpuDeformer deformer;
    deform::DeformedCharacter shape;
    deform::CpuDeformer other_deformer;  ///< of what is refined at the other time
    deform::DeformedCharacter other_shape = {};
  };
  [[nodiscard]] glm::ivec2 worst_edge(const deform::DeformedCharacter& shape) const;

  std::shared_ptr<const rig::Character> character_;
  std::shared_ptr<deform::SkinCache> cache_;
  measure::SkinMeter meter_;
  std::vector<std::vector<glm::vec3>> bind_;  ///< per surface
  std::vector<Pane> panes_;
  int ring_joint_ = -1;
  std::optional<measure::Ring> ring_;
  std::string ring_error_;
};

/// What a series runs over.
struct SeriesAxis {
  enum class Kind { kSweep, kClip } kind = Kind::kSweep;
  int joint = -1;  ///< of a sweep: whose ring is measured, too
  int dof = -1;
  float from = 0;  ///< of a sweep: radians, metres, factor; of a clip: seconds
  float to = 0;
  int clip = -1;
  int samples = 49;
};

/// The axis from limit to limit of a DOF. @pre the joint has that DOF
SeriesAxis sweep_of(const Document& document, int joint, int dof);

/// What theory says of one quantity along a series, as a ratio or length like the quantity's value.
struct ClosedForm {
  std::string quantity;        ///< SkinQuantity::id
  std::string label;           ///< "|cos(\u03b8/2)|" and the like
  std::vector<double> values;  ///< [sample]
};

/// The numbers of all panes over a DOF or a clip.
struct SkinSeries {
  SeriesAxis axis;
  std::string axis_id;                            ///< "tip.twist", or the clip's name
  std::string axis_unit;                          ///< "deg", "m", "1", "s": what x is in
  std::vector<float> x;                           ///< degrees, metres, factor or seconds; ascending
  std::vector<deform::SkinningSettings> panes;    ///< as they were
  glm::ivec2 pinned = glm::ivec2(-1);             ///< part and vertex that were pinned
  std::vector<std::vector<SkinNumbers>> numbers;  ///< [pane][sample]
  std::vector<ClosedForm> closed_forms;           ///< of the teaching rigs
  std::string ring_error;
  std::shared_ptr<const rig::Character> character;  ///< that it was measured on
};

/// Measures the document along the axis: its own pose but for the DOF, or the moments of a clip. Nothing when
/// `progress` asked to stop.
/// @pre the axis' joint and DOF, or its clip, exist; at least two samples
std::optional<SkinSeries> measure_series(SkinNumberMeter& meter, const Document& document, const SeriesAxis& axis,
                                         const Progress& progress);

/// One line per pane and sample; ratios against the bind shape, lengths in metres. The backend is the one that was
/// measured, the CPU.
/// Closed forms get a column each.
std::string to_csv(const SkinSeries& series);

/// What panes are called where room is scarce: "Linear blend", or with what else tells them apart.
std::string pane_label(const deform::SkinningSettings& settings);

}  // namespace pelt::edit
