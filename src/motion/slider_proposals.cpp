// Semantic sliders that names suggest. What a slider does to a joint is found by trying: which of its DOFs takes the
// face, or the finger, where the slider is to take it.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "core/text.h"
#include "motion/sliders.h"
#include "motion/springs.h"
#include "rig/joint_matching.h"

namespace pelt::motion {
namespace {

constexpr std::array<std::string_view, 4> kFingers = {"Index", "Middle", "Ring", "Little"};
constexpr std::array<std::string_view, 3> kFingerJoints = {"1", "2", "3"};  // as rig::human_roles() counts them
constexpr double kFistShare = 0.9;                                          // of the limits
constexpr double kThumbShare = 0.6;
constexpr double kSpreadShare = 0.9;
constexpr double kTrial = 5;  // degrees

// Words in names of shapes that a face or a body means something by.
constexpr std::array<std::string_view, 20> kMeaningfulShapes = {
    "smile", "frown",  "blink",    "wink",  "brow",    "jaw",    "mouth", "joy",     "angry",  "anger",
    "sad",   "sorrow", "surprise", "happy", "relaxed", "pucker", "sneer", "breathe", "squint", "cheek"};

class Proposals {
 public:
  explicit Proposals(const rig::Character& character)
      : character_(character),
        roles_(rig::human_roles(rig::named_joints(character))),
        rest_(rig::rest_pose(character)) {}

  std::vector<SemanticSlider> make() {
    for (const auto& [side, word] : {std::pair("left", "left"), std::pair("right", "right")}) {
      add({fmt::format("fist {}", word), 0, 1, fist(side)});
      add({fmt::format("spread {}", word), 0, 1, spread(side)});
    }
    add({"look sideways", -1, 1, look(0)});
    add({"look up", -1, 1, look(1)});
    add({"jaw", 0, 1, jaw()});
    for (const std::string& shape : shape_names(character_)) {
      const bool means_something = std::ranges::any_of(
          kMeaningfulShapes, [&](std::string_view word) { return contains_ignoring_case(shape, word); });
      if (means_something) {
        add({shape, 0, 1, {{shape_text(shape), 1}}});
      }
    }
    return std::move(out_);
  }

 private:
  void add(SemanticSlider slider) {
    const bool is_known = std::ranges::find(out_, slider.name, &SemanticSlider::name) != out_.end();
    if (!slider.rows.empty() && !is_known) {
      out_.push_back(std::move(slider));
    }
  }

  [[nodiscard]] int joint_of(const std::string& role) const {
    const auto found = std::ranges::find(roles_, role);
    return found == roles_.end() ? -1 : static_cast<int>(found - roles_.begin());
  }

  // The hinge of a finger joint bends towards the larger of its limits; where both are alike nothing tells.
  void bend(int joint, double share, std::vector<SliderRow>& rows) const {
    const rig::JointDofs& dofs = character_.skeleton->dofs[joint];
    const int d = dofs.find("bend");
    if (d < 0 || !(std::abs(dofs.dofs[d].upper + dofs.dofs[d].lower) > 0.1f)) {
      return;
    }
    const rig::Dof& dof = dofs.dofs[d];
    const float limit = std::abs(dof.upper) > std::abs(dof.lower) ? dof.upper : dof.lower;
    rows.push_back({control_text(character_, joint, d),
                    static_cast<float>(share * static_cast<double>(limit) * shown_per_stored(dof))});
  }

  [[nodiscard]] std::vector<SliderRow> fist(std::string_view side) const {
    std::vector<SliderRow> rows;
    for (const std::string_view finger : kFingers) {
      for (const std::string_view part : kFingerJoints) {
        if (const int joint = joint_of(fmt::format("{}{}{}", side, finger, part)); joint >= 0) {
          bend(joint, kFistShare, rows);
        }
      }
    }
    for (const std::string_view part : kFingerJoints) {
      if (const int joint = joint_of(fmt::format("{}Thumb{}", side, part)); joint >= 0 && !rows.empty()) {
        bend(joint, kThumbShare, rows);
      }
    }
    return rows;
  }

  // What a small turn of a DOF changes of a number.
  double effect(const Control& control, const std::function<double(rig::PoseBuilder&)>& number) const {
    const std::map<int, JointOverride> no_joints;
    const std::map<int, float> no_morphs;
    const PoseSources sources{character_, BasePose::kRest, -1, 0, no_joints, no_morphs};
    rig::Pose pose = rest_;
    rig::PoseBuilder builder(character_.skeleton, pose);
    const double before = number(builder);
    set_control(sources, control, control_value(sources, control, builder) + kTrial, builder);
    return number(builder) - before;
  }

  // The rotation of a joint that changes a number most, and which way; false where none does.
  bool strongest(int joint, const std::function<double(rig::PoseBuilder&)>& number, double least, Control& control,
                 double& sign) const {
    const rig::JointDofs& dofs = character_.skeleton->dofs[joint];
    double most = least;
    for (int d = 0; d < static_cast<int>(dofs.dofs.size()); ++d) {
      if (dofs.dofs[d].kind != rig::DofKind::kRotation) {
        continue;
      }
      const double change = effect({.joint = joint, .dof = d}, number);
      if (std::abs(change) > most) {
        most = std::abs(change);
        control = {.joint = joint, .dof = d};
        sign = change > 0 ? 1 : -1;
      }
    }
    return control.joint == joint;
  }

  // How far a DOF may go one way from its default, degrees; no more than `most`.
  [[nodiscard]] double room(const Control& control, double sign, double most) const {
    const rig::Dof& dof = character_.skeleton->dofs[control.joint].dofs[control.dof];
    const double limit = static_cast<double>(sign > 0 ? dof.upper : -dof.lower) * shown_per_stored(dof);
    return std::clamp(limit, 0.0, most);
  }

  [[nodiscard]] std::vector<SliderRow> spread(std::string_view side) const {
    std::vector<int> roots;
    std::vector<int> tips;
    for (const std::string_view finger : kFingers) {
      const int root = joint_of(fmt::format("{}{}1", side, finger));
      const int tip = joint_of(fmt::format("{}{}3", side, finger));
      if (root >= 0 && tip >= 0) {
        roots.push_back(root);
        tips.push_back(tip);
      }
    }
    std::vector<SliderRow> rows;
    for (std::size_t f = 0; roots.size() > 2 && f < roots.size(); ++f) {
      const auto apart = [&](rig::PoseBuilder& pose) {
        glm::dvec3 others(0.0);
        for (const int tip : tips) {
          others += glm::dvec3(pose.world(tip)[3]) / static_cast<double>(tips.size());
        }
        return glm::distance(glm::dvec3(pose.world(tips[f])[3]), others);
      };
      const int d = character_.skeleton->dofs[roots[f]].find("side");
      if (d < 0) {
        continue;
      }
      const Control control{.joint = roots[f], .dof = d};
      const double sign = effect(control, apart) > 0 ? 1 : -1;
      // Fingers in the middle go less far than those at the rim.
      const bool is_rim = f == 0 || f + 1 == roots.size();
      const double degrees = sign * kSpreadShare * room(control, sign, 20) * (is_rim ? 1.0 : 0.35);
      rows.push_back({control_text(character_, roots[f], d), static_cast<float>(degrees)});
    }
    return rows;
  }

  // Eyes where there are some, else neck and head. @param component  of where they face: 0 to the character's left,
  // 1 up; it faces +z
  [[nodiscard]] std::vector<SliderRow> look(int component) const {
    struct Part {
      int joint;
      double degrees;
    };
    std::vector<Part> parts = {{joint_of("leftEye"), 30}, {joint_of("rightEye"), 30}};
    std::erase_if(parts, [](const Part& part) { return part.joint < 0; });
    if (parts.empty()) {
      parts = {{joint_of("neck"), 25}, {joint_of("head"), 35}};
      std::erase_if(parts, [](const Part& part) { return part.joint < 0; });
    }
    std::vector<SliderRow> rows;
    for (const Part& part : parts) {
      const glm::dquat rest = world_rotation(part.joint);
      const auto faces = [&](rig::PoseBuilder& pose) {
        const glm::dquat turn = motion::world_rotation(pose, part.joint) * glm::conjugate(rest);
        return (turn * glm::dvec3(0, 0, 1))[component];
      };
      Control control;
      double sign = 1;
      if (strongest(part.joint, faces, 0.03, control, sign)) {
        const double degrees = std::min(room(control, sign, part.degrees), room(control, -sign, part.degrees));
        rows.push_back({control_text(character_, control.joint, control.dof), static_cast<float>(sign * degrees)});
      }
    }
    return rows;
  }

  [[nodiscard]] std::vector<SliderRow> jaw() const {
    const int joint = joint_of("jaw");
    if (joint < 0) {
      return {};
    }
    const glm::dquat rest = world_rotation(joint);
    const auto opens = [&](rig::PoseBuilder& pose) {
      const glm::dquat turn = motion::world_rotation(pose, joint) * glm::conjugate(rest);
      return -(turn * glm::dvec3(0, 0, 1)).y;
    };
    Control control;
    double sign = 1;
    if (!strongest(joint, opens, 0.03, control, sign)) {
      return {};
    }
    return {{control_text(character_, joint, control.dof), static_cast<float>(sign * room(control, sign, 25))}};
  }

  [[nodiscard]] glm::dquat world_rotation(int joint) const {
    rig::Pose pose = rest_;
    return motion::world_rotation(rig::PoseBuilder(character_.skeleton, pose), joint);
  }

  const rig::Character& character_;
  std::vector<std::string> roles_;
  rig::Pose rest_;
  std::vector<SemanticSlider> out_;
};

}  // namespace

std::vector<SemanticSlider> proposed_sliders(const rig::Character& character) {
  return Proposals(character).make();
}

}  // namespace pelt::motion
