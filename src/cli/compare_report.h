#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "edit/method_battery.h"
#include "edit/teaching.h"
#include "measure/compare.h"
#include "measure/skin_meter.h"
#include "measure/surface_fields.h"

namespace pelt::cli {

/// `--against bind|reference`: what the strains of `pelt compare` are measured against.
enum class StrainsAgainst { kBind, kReference };

/// Fields over the surface that are summed up: the first three against the bind shape or the reference, normals against
/// the reference.
inline constexpr std::array kSurfaceMeasures = {measure::Measure::kEdgeStrain, measure::Measure::kAreaStrain,
                                                measure::Measure::kVolumeChange, measure::Measure::kNormalAngle};

/// One way of skinning that is compared.
struct ComparedSide {
  deform::SkinningSettings settings;
  std::string id;     ///< "lbs:cpu", and what else was said of it: "lbs:cpu:f:4"
  std::string label;  ///< the same in words: "Linear blend, CPU, normals f, 4 influences"
};

/// What one side makes of one pose.
struct MethodResult {
  measure::Difference difference;  ///< from the reference
  std::array<measure::FieldSummary, kSurfaceMeasures.size()> surface;
  measure::CollapseMeasures collapse;
  std::int64_t flipped_triangles = 0;
  measure::BoneDistance bones;
  std::optional<measure::RingRadius> ring;
  std::optional<std::int64_t> self_intersections;
  std::vector<edit::TeachingRow> teaching;
};

struct PoseResult {
  std::string label;
  std::optional<double> value;        ///< of the swept DOF; degrees, metres or factor
  std::vector<MethodResult> methods;  ///< in the order of CompareOptions::sides
};

struct Comparison {
  std::vector<ComparedSide> sides;
  bool pair = false;
  std::size_t reference = 0;  ///< of `sides`: what the others are measured against
  StrainsAgainst against = StrainsAgainst::kBind;
  std::vector<PoseResult> poses;               ///< at least one
  std::optional<edit::MethodBattery> battery;  ///< its poses are left empty: pose indices are of `poses`
  double diagonal = 0;                         ///< of the rest pose, metres
  std::string ring_joint;                      ///< empty: no ring
  double ring_rest = 0;                        ///< its mean radius in the bind shape, metres
  std::string swept;                           ///< "tip.twist", empty: no sweep
};

// The forms of a comparison. `character` names joints.
std::string text_of(const Comparison& comparison, const rig::Character& character);
std::string json_of(const Comparison& comparison, const rig::Character& character);
/// With a battery a second table follows after an empty line: one line per joint and method.
std::string csv_of(const Comparison& comparison, const rig::Character& character);

}  // namespace pelt::cli
