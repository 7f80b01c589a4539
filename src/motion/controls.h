#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "motion/pose_sources.h"
#include "rig/character.h"
#include "rig/pose_builder.h"

namespace pelt::motion {

/// One number of a pose that has a name: a degree of freedom, or the weights of all morph targets of one name.
struct Control {
  int joint = -1;                ///< of a DOF, else -1
  int dof = -1;                  ///< its place in the DOFs of the character, whatever order was chosen since
  std::vector<int> morphs = {};  ///< of a shape: flat indices into Pose::morph_weights, ascending
  bool operator==(const Control&) const = default;
};

/// The joint of that name (the first of several), else "node 12" by its number in the file; the error suggests another.
Result<int> find_named_joint(const rig::Character& character, std::string_view name);
/// A name by which find_named_joint() finds this very joint.
std::string joint_reference(const rig::Skeleton& skeleton, int joint);
Result<int> find_named_dof(const rig::Character& character, int joint, std::string_view name);
Result<std::vector<int>> find_named_shape(const rig::Character& character, std::string_view name);

/// What `elbow_l.bend` or `shape(smile)` means; names are spelled as in expressions.
Result<Control> find_control(const rig::Character& character, std::string_view text);
/// The text that find_control() takes.
std::string control_text(const rig::Character& character, int joint, int dof);
std::string shape_text(std::string_view shape);

/// Names of shapes that can stand in an expression, each once, in the order of the character's nodes.
std::vector<std::string> shape_names(const rig::Character& character);

/// What a DOF's number is multiplied by for people: degrees per radian, else 1.
double shown_per_stored(const rig::Dof& dof);

/// The limits of a control as people see them: degrees, metres, factors; of shapes none.
struct ControlRange {
  double lower;
  double upper;
};
std::optional<ControlRange> control_range(const PoseSources& sources, const Control& control);

/// Degrees, metres, factors; of a shape the weight of the first. A joint posed by hand that nothing moved since says
/// the value that its slider has.
double control_value(const PoseSources& sources, const Control& control, const rig::PoseBuilder& pose);
/// Only the control's part of the transform changes: translation, rotation or scale; what no DOF expresses stays in a
/// translation. The value is used as it is, if single precision can hold it, else the largest that it can.
void set_control(const PoseSources& sources, const Control& control, double value, rig::PoseBuilder& pose);

}  // namespace pelt::motion
