#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/verbs.h"
#include "deform/compare.h"
#include "deform/skin_meter.h"
#include "edit/teaching.h"

namespace pelt::cli {

/// What one method makes of one pose.
struct MethodResult {
  deform::Difference difference;  ///< from the first method
  deform::CollapseMeasures collapse;
  std::int64_t flipped_triangles = 0;
  deform::BoneDistance bones;
  std::optional<deform::RingRadius> ring;
  std::optional<std::int64_t> self_intersections;
  std::vector<edit::TeachingRow> teaching;
};

struct PoseResult {
  std::string label;
  std::optional<double> value;        ///< of the swept DOF; degrees, metres or factor
  std::vector<MethodResult> methods;  ///< in the order of CompareOptions::methods
};

/// The worst that a method did around one joint, and in which pose.
struct Worst {
  double value = 0;
  std::size_t pose = 0;
};
struct JointResult {
  struct Method {
    Worst volume{1, 0};   ///< ratio of the flesh under the joint's zone, farthest from 1
    Worst stretch{1, 0};  ///< largest edge stretch
    Worst flipped{0, 0};  ///< triangles
  };
  int joint = -1;
  std::vector<Method> methods;
};

struct Comparison {
  std::vector<MethodAndBackend> methods;
  bool pair = false;
  std::vector<PoseResult> poses;    ///< at least one
  std::vector<JointResult> joints;  ///< of a battery; worst first
  double diagonal = 0;              ///< of the rest pose, metres
  std::string ring_joint;           ///< empty: no ring
  double ring_rest = 0;             ///< its mean radius in the bind shape, metres
  std::string swept;                ///< "tip.twist", empty: no sweep
};

// The forms of a comparison. `character` names joints.
std::string text_of(const Comparison& comparison, const rig::Character& character);
std::string json_of(const Comparison& comparison, const rig::Character& character);
std::string csv_of(const Comparison& comparison);

}  // namespace pelt::cli
