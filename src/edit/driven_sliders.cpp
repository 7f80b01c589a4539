#include "edit/driven_sliders.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/expect.h"
#include "core/index.h"
#include "core/text.h"
#include "edit/layer_edits.h"
#include "edit/motion_cache.h"
#include "motion/constraints.h"
#include "motion/drivers.h"
#include "motion/sliders.h"
#include "motion/springs.h"

namespace pelt::edit {
namespace {

constexpr std::size_t kMostLetters = 60;  // letters of a name or an expression
constexpr const char* kKept = "The value is kept, and shows again when that is switched off.";

// How much a layer counts; 0 where it does nothing.
float weight_of_layer(const Document& document, std::string_view kind) {
  const SharedArray<rig::Layer>& layers = document.content.pose_layers;
  const auto found = std::ranges::find(layers, kind, &rig::Layer::kind);
  const int limit = document.view.layer_limit;
  const auto at = found - layers.begin();
  if (found == layers.end() || !found->on || (limit >= 0 && at >= limit)) {
    return 0;
  }
  return found->values.empty() ? 1 : found->values[0];
}

std::string of_part(float weight) {
  return weight >= 1 ? fmt::format("The pose does not show a value that is set here. {}", kKept)
                     : fmt::format("The pose takes {:.0f} % of a value that is set here, and the rest from that. {}",
                                   static_cast<double>(1 - weight) * 100, kKept);
}

class Finder {
 public:
  Finder(const Document& document, int joint, const rig::Dof& dof)
      : document_(document),
        behaviour_(*document.content.behaviour),
        character_(*document.character),
        joint_(joint),
        dof_(character_.skeleton->dofs[joint].find(dof.name)),
        kind_(dof.kind) {}

  std::vector<SliderDriver> find() {
    if (document_.content.base == BasePose::kBind) {
      return {};
    }
    const MotionCache::Prepared prepared = document_.motion->prepared(document_.content, character_);
    if (prepared.sliders != nullptr) {  // without behaviours nothing is prepared
      find_sliders(*prepared.sliders);
    }
    find_pins();
    if (prepared.drivers != nullptr) {
      find_drivers(*prepared.drivers);
    }
    find_file_constraints();
    if (prepared.constraints != nullptr) {
      find_constraints(*prepared.constraints);
    }
    if (prepared.springs != nullptr) {
      find_springs(*prepared.springs);
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool is_this(const motion::Control& control) const {
    return control.joint == joint_ && control.dof == dof_;
  }
  [[nodiscard]] std::string name(int j) const { return printable(character_.skeleton->label(j), kMostLetters); }

  void find_sliders(const motion::SliderRig& rig) {
    if (weight_of_layer(document_, "sliders") <= 0) {
      return;
    }
    for (const motion::SliderRig::Row& row : rig.rows) {
      for (const motion::SliderRig::Term& term : row.terms) {
        if (is_this(row.control) && rig.values[term.slider] != 0) {
          out_.push_back({fmt::format("the slider {}", printable(behaviour_.sliders[term.slider].name, kMostLetters)),
                          "It adds to a value that is set here, within the limits.", false});
        }
      }
    }
  }

  void find_pins() {
    const float weight = weight_of_layer(document_, "pins");
    for (const motion::Pin& pin : document_.content.pins) {
      const rig::Skeleton& skeleton = character_.skeleton;
      const bool is_on_chain =
          skeleton.is_within(pin.joint, joint_) && (pin.chain.root < 0 || skeleton.is_within(joint_, pin.chain.root));
      const bool moves = kind_ == rig::DofKind::kRotation ||
                         (kind_ == rig::DofKind::kTranslation && pin.chain.root_slides && joint_ == pin.chain.root);
      if (weight > 0 && is_on_chain && moves) {
        out_.push_back({fmt::format("the pin of {}", name(pin.joint)),
                        "The limb is bent from a value that is set here until the pinned joint is back at its place.",
                        false});
      }
    }
  }

  void find_drivers(const motion::DriverRig& rig) {
    const float weight = weight_of_layer(document_, "drivers");
    for (const motion::DriverRig::Row& row : rig.rows) {
      if (weight > 0 && is_this(row.target)) {
        out_.push_back(
            {fmt::format("the driver {}", printable(behaviour_.drivers[row.driver].expression, kMostLetters)),
             of_part(weight), weight >= 1});
      }
    }
  }

  void find_file_constraints() {
    const float layer = weight_of_layer(document_, "constraints");
    for (const rig::NodeConstraint& constraint : character_.constraints) {
      if (layer > 0 && constraint.joint == joint_ && kind_ == rig::DofKind::kRotation) {
        // VRM lays its share over the rest rotation, so that nothing of the pose before is left.
        out_.push_back({fmt::format("a constraint of the file that follows {}", name(constraint.source)),
                        of_part(layer), layer >= 1});
      }
    }
  }

  void find_constraints(const motion::ConstraintRig& rig) {
    const float layer = weight_of_layer(document_, "constraints");
    for (const motion::ConstraintRig::Row& row : rig.rows) {
      using Kind = motion::ConstraintKind;
      const Kind kind = row.says.kind;
      const bool places = kind == Kind::kPosition || kind == Kind::kParent || kind == Kind::kFloor;
      const bool turns = !places || kind == Kind::kParent;
      const bool concerns = (kind_ == rig::DofKind::kTranslation && places) ||
                            (kind_ == rig::DofKind::kRotation && turns) ||
                            (kind_ == rig::DofKind::kScale && kind == Kind::kParent);
      const float weight = layer * row.says.weight;
      if (row.joint != joint_ || !concerns || weight <= 0) {
        continue;
      }
      const auto& info = motion::constraint_kinds()[static_cast<std::size_t>(kind)];
      const std::string by = row.target < 0 ? fmt::format("the constraint {}", info.label)
                                            : fmt::format("the constraint {} to {}", info.label, name(row.target));
      if (kind == Kind::kFloor) {
        out_.push_back({by, "A value that is set here shows as long as the joint stays above the floor.", false});
      } else if (kind == Kind::kPosition && std::ranges::find(row.says.axes, false) != row.says.axes.end()) {
        out_.push_back({by, "A value that is set here shows along the world's axes that are not followed.", false});
      } else {
        out_.push_back({by, of_part(weight), weight >= 1});
      }
    }
  }

  void find_springs(const motion::SpringRig& rig) {
    if (weight_of_layer(document_, "springs") <= 0 || kind_ != rig::DofKind::kRotation) {
      return;
    }
    if (std::ranges::any_of(rig.bones, [&](const motion::SpringRig::Bone& bone) { return bone.joint == joint_; })) {
      out_.push_back({"a spring", "The joint swings and hangs about a value that is set here.", false});
    }
  }

  const Document& document_;
  const motion::Behaviour& behaviour_;
  const rig::Character& character_;
  int joint_;
  int dof_;
  rig::DofKind kind_;
  std::vector<SliderDriver> out_;
};

}  // namespace

std::vector<SliderDriver> drivers_of_slider(const Document& document, int joint, int dof) {
  PELT_EXPECT(has_index(document.character->skeleton->dofs, joint), "a joint there is");
  const rig::JointDofs dofs = joint_dofs(document, joint);
  PELT_EXPECT(has_index(dofs.dofs, dof), "a slider there is");
  return Finder(document, joint, dofs.dofs[dof]).find();
}

}  // namespace pelt::edit
