// What is typed into a slider or dragged with it is the pose that one gets, and keeps.
#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "edit/key_edits.h"
#include "edit/reopened.h"
#include "edit_fixtures.h"
#include "rig/kinematics.h"

namespace pelt::edit {
namespace {

constexpr float kFine = 1e-4f;  // of a world matrix, metres and parts of 1

rig::Dof rotation(const char* name, const glm::vec3& axis) {
  return {.name = name, .axis = axis, .lower = -180 * test::kDegree, .upper = 180 * test::kDegree};
}

struct SliderSet {
  std::string name;
  rig::JointDofs dofs;
};

// Every joint type, with the axes of a ball in every order.
std::vector<SliderSet> slider_sets() {
  const glm::vec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const char* const names[] = {"twist", "side", "bend"};
  std::vector<SliderSet> out;
  const auto add = [&](const std::string& name, std::initializer_list<int> order, rig::RotationKind kind) {
    rig::JointDofs joint;
    joint.authored = true;
    joint.rotation = kind;
    for (const int axis : order) {
      joint.dofs.push_back(rotation(names[axis], axes[axis]));
    }
    out.push_back({name, joint});
  };
  for (int a = 0; a < 3; ++a) {
    add(fmt::format("hinge {}", a), {a}, rig::RotationKind::kAxes);
    for (int b = 0; b < 3; ++b) {
      if (a != b) {
        add(fmt::format("universal {}{}", a, b), {a, b}, rig::RotationKind::kAxes);
        add(fmt::format("ball {}{}{}", a, b, 3 - a - b), {a, b, 3 - a - b}, rig::RotationKind::kAxes);
      }
    }
  }
  add("vector", {0, 1, 2}, rig::RotationKind::kRotationVector);
  return out;
}

// The arm with these sliders, a place and a size of its own at both elbows, and a clip that moves the left one.
Document with_sliders(const rig::JointDofs& given, rig::Interpolation interpolation, test::Random& random) {
  rig::Character character = test::arm();
  rig::JointDofs dofs = given;
  dofs.orientation = glm::quat(random.rotation());
  dofs.dofs.push_back({.name = "tx", .kind = rig::DofKind::kTranslation, .axis = {1, 0, 0}, .lower = -1, .upper = 1});
  dofs.dofs.push_back(
      {.name = "sx", .kind = rig::DofKind::kScale, .axis = {1, 0, 0}, .lower = 0.5f, .upper = 2, .default_value = 1});
  for (const int joint : {test::kElbow, 5}) {
    dofs.offset = character.skeleton->rest[joint].translation;
    character.skeleton.edit().dofs[joint] = dofs;
    character.skeleton.edit().rest[joint].rotation = dofs.orientation;
  }
  rig::Clip& wave = character.clips.edit(0);
  rig::Channel turn{.joint = test::kElbow,
                    .path = rig::ChannelPath::kRotation,
                    .interpolation = interpolation,
                    .times = {1, 2, 3},
                    .values = {},
                    .width = 4};
  for (std::size_t key = 0; key < turn.times.size(); ++key) {
    std::vector<float> values = rig::default_values(dofs);
    for (std::size_t d = 0; d < given.dofs.size(); ++d) {
      values[d] = random.real(-80.0f, 80.0f) * test::kDegree;
    }
    const glm::quat q = rig::local_from_dofs(dofs, values).rotation;
    const std::vector<float> none(interpolation == rig::Interpolation::kCubicSpline ? 4 : 0, 0.0f);
    turn.values.insert(turn.values.end(), none.begin(), none.end());
    turn.values.insert(turn.values.end(), {q.x, q.y, q.z, q.w});
    turn.values.insert(turn.values.end(), none.begin(), none.end());
  }
  wave.channels.push_back(std::move(turn));
  rig::finish(character);
  return make_document(std::make_shared<const rig::Character>(std::move(character)));
}

std::vector<glm::mat4> world_of(const Document& document, const rig::Pose& pose) {
  rig::WorldMatrices matrices;
  matrices.evaluate(document.character->skeleton, pose);
  return matrices.world();
}

std::vector<glm::mat4> world(const Document& document) {
  return world_of(document, evaluate_pose(document));
}

// Does to the sliders of the left elbow what a person does, and knows what they meant.
class Hand {
 public:
  Hand(Document& document, test::Random& random) : document_(document), random_(random) { look(); }

  // What one sees is where one goes on from. Between two keys a joint of two axes turns about a third: that stays.
  void look() {
    meant_ = dof_values(document_, test::kElbow);
    const rig::Pose pose = evaluate_pose(document_);
    const glm::quat expressed = rig::local_from_dofs(joint_dofs(document_, test::kElbow), meant_).rotation;
    beyond_ = glm::conjugate(expressed) * pose.local[test::kElbow].rotation;
  }

  // A field applies what stands in it with every character, and what was given once more when it is left.
  void type() {
    const std::size_t dof = any_dof();
    const float value = any_value(dof);
    for (const float partly : {value / 100, value / 10, value, value, value}) {
      set(dof, partly, "typed");
    }
    end_merge(document_);
  }

  void drag() {
    const std::size_t dof = any_dof();
    const float to = any_value(dof);
    const float from = meant_[dof];
    constexpr int kSteps = 16;
    for (int step = 1; step <= kSteps; ++step) {
      set(dof, from + (to - from) * static_cast<float>(step) / kSteps, "dragged");
    }
    set(dof, to, "dragged");  // the mouse rests
    end_merge(document_);
  }

  [[nodiscard]] std::vector<glm::mat4> meant_world() const {
    Transform local = rig::local_from_dofs(joint_dofs(document_, test::kElbow), meant_);
    local.rotation = local.rotation * beyond_;
    rig::Pose pose = evaluate_pose(document_);
    pose.local[test::kElbow] = local;
    return world_of(document_, pose);
  }

 private:
  std::size_t any_dof() { return random_.below(static_cast<int>(meant_.size())); }

  float any_value(std::size_t dof) {
    const rig::Dof limits = joint_dofs(document_, test::kElbow).dofs[dof];
    const float somewhere = random_.real(limits.lower, limits.upper);
    // Often at an end, in the middle and where three angles lock.
    const float odd[] = {limits.lower, limits.upper, 0.5f * limits.lower, 0.5f * limits.upper, limits.default_value};
    return random_.below(3) == 0 ? odd[random_.below(5)] : somewhere;
  }

  void set(std::size_t dof, float value, const std::string& merge_key) {
    apply(document_, {SetDof{test::kElbow, static_cast<int>(dof), value}, merge_key, true});
    const rig::Dof limits = joint_dofs(document_, test::kElbow).dofs[dof];
    meant_[dof] = std::clamp(value, limits.lower, limits.upper);
  }

  Document& document_;
  test::Random& random_;
  std::vector<float> meant_;
  glm::quat beyond_ = kIdentityQuat;  // what the sliders do not express
};

void expect_meant(const Document& document, const std::vector<glm::mat4>& meant, const std::string& when) {
  const std::vector<glm::mat4> now = world(document);
  float worst = 0;
  for (std::size_t j = 0; j < now.size(); ++j) {
    for (int column = 0; column < 4; ++column) {
      for (int row = 0; row < 4; ++row) {
        worst = std::max(worst, std::abs(now[j][column][row] - meant[j][column][row]));
      }
    }
  }
  EXPECT_LE(worst, kFine) << when;
}

void seek(Document& document, float time) {
  apply(document, {SetTime{time}, {}, false});
}

void work_a_while(Document document, bool has_clip, test::Random& random) {
  const float time = 1 + 0.25f * static_cast<float>(random.below(9));
  if (has_clip) {
    apply(document, {SetClip{0}, {}, false});
    seek(document, time);
  }
  Hand hand(document, random);
  const std::vector<glm::mat4> before = world(document);
  for (int action = 0; action < 4; ++action) {
    random.below(2) == 0 ? hand.type() : hand.drag();
    expect_meant(document, hand.meant_world(), fmt::format("action {}", action));
  }
  const std::vector<glm::mat4> meant = hand.meant_world();
  if (has_clip) {
    seek(document, time < 2 ? 3.0f : 1.0f);
    seek(document, time);
    expect_meant(document, meant, "away and back");
  }
  const std::size_t steps = document.history.cursor();
  travel(document, 0);
  expect_meant(document, before, "undone");
  travel(document, steps);
  expect_meant(document, meant, "done again");
  Document again = test::reopened(document).document;
  expect_meant(again, meant, "reopened");
  // And one goes on where one was.
  Hand later(document, random);
  later.type();
  expect_meant(document, later.meant_world(), "after all that");
}

TEST(SliderMeaningLaw, WhatIsTypedOrDraggedIsThePoseThatStays) {
  test::Random random(35);
  const int rounds = test::rounds(40);
  const rig::Interpolation kinds[] = {rig::Interpolation::kLinear, rig::Interpolation::kStep,
                                      rig::Interpolation::kCubicSpline};
  for (const SliderSet& set : slider_sets()) {
    for (int round = 0; round < rounds; ++round) {
      Document document = with_sliders(set.dofs, kinds[round % 3], random);
      const bool has_clip = round % 4 != 0;
      document.view.timing.auto_key = round % 4 != 1;
      SCOPED_TRACE(fmt::format("{}, round {}, {}, {}", set.name, round, has_clip ? "clip" : "no clip",
                               document.view.timing.auto_key ? "automatic keys" : "by hand"));
      work_a_while(std::move(document), has_clip, random);
      if (testing::Test::HasFailure()) {
        return;
      }
    }
  }
}

// Found by a rigger: the arm was keyed at -70 degrees though -110 had been typed.
TEST(SliderMeaningLaw, AnAngleBeyondARightOneIsKeyedAsItWasTyped) {
  test::Random random(1);
  Document document = test::arm_document();
  apply(document, {SetClip{0}, {}, false});
  document.view.timing.auto_key = true;
  const int bend = test::dof(document, test::kShoulder, "bend");
  const auto type = [&](float degrees) {
    for (int again = 0; again < 3; ++again) {
      apply(document, {SetDof{test::kShoulder, bend, degrees * test::kDegree}, "typed", true});
    }
    end_merge(document);
  };
  seek(document, 1);
  type(-90);
  seek(document, 3);
  type(-60);
  seek(document, 2);
  type(-110);
  const rig::Character& character = *document.character;
  const glm::quat keyed = evaluate_pose(document).local[test::kShoulder].rotation;
  std::vector<float> values = rig::default_values(character.skeleton->dofs[test::kShoulder]);
  values[bend] = -110 * test::kDegree;
  const glm::quat meant = rig::local_from_dofs(character.skeleton->dofs[test::kShoulder], values).rotation;
  EXPECT_NEAR(std::abs(glm::dot(keyed, meant)), 1, 1e-6f);
  EXPECT_NEAR(dof_values(document, test::kShoulder)[bend], -110 * test::kDegree, 1e-6f) << "what was typed is shown";
}

Document beyond_a_right_angle(bool auto_key) {
  Document document = test::arm_document();
  apply(document, {SetClip{0}, {}, false});
  seek(document, 2);
  document.view.timing.auto_key = auto_key;
  for (const auto& [name, degrees] : {std::pair("bend", -110.0f), std::pair("twist", 20.0f)}) {
    const int dof = test::dof(document, test::kShoulder, name);
    apply(document, {SetDof{test::kShoulder, dof, degrees * test::kDegree}, {}, true});
  }
  return document;
}

float bend_of(const Document& document) {
  return dof_values(document, test::kShoulder)[test::dof(document, test::kShoulder, "bend")] / test::kDegree;
}

// Whatever takes the override away leaves its angles: a key by hand, a document that works on a copy.
TEST(SliderMeaning, StaysWhenAPoseIsKeyedByHandAndInCopies) {
  Document document = beyond_a_right_angle(false);
  apply(document, {KeyJoints{0, {test::kShoulder}}, {}, true});
  ASSERT_TRUE(document.content.overrides->empty());
  EXPECT_NEAR(bend_of(document), -110, 1e-3f);
  EXPECT_NEAR(bend_of(without_history(document)), -110, 1e-3f);
}

// A moment beside the key, as rounding of a time leaves it, is read by the angles nearest to those that were meant;
// where the joint stands elsewhere they say nothing.
TEST(SliderMeaning, HoldsCloseByAndNowhereElse) {
  Document document = beyond_a_right_angle(true);
  seek(document, 2.01f);
  EXPECT_NEAR(bend_of(document), -110, 2);
  seek(document, 1);
  EXPECT_NEAR(bend_of(document), 0, 1e-3f) << "the clip's own first key";
}

// Resetting one slider goes to the value of the base pose by the angles that were meant for that.
TEST(SliderMeaning, AResetGoesToTheAngleThatWasKeyed) {
  Document document = beyond_a_right_angle(true);
  document.view.timing.auto_key = false;
  const int bend = test::dof(document, test::kShoulder, "bend");
  apply(document, {SetDof{test::kShoulder, bend, -30 * test::kDegree}, {}, true});
  apply(document, {ResetDof{test::kShoulder, bend}, {}, true});
  EXPECT_NEAR(bend_of(document), -110, 1e-3f);
}

// Other degrees of freedom make other transforms of the same numbers.
TEST(SliderMeaning, EndsWithTheDegreesOfFreedom) {
  Document document = beyond_a_right_angle(true);
  const Transform local = evaluate_pose(document).local[test::kShoulder];
  apply(document, {SetEulerOrder{test::kShoulder, EulerOrder::kZYX}, {}, true});
  const rig::JointDofs dofs = joint_dofs(document, test::kShoulder);
  const Transform again = rig::local_from_dofs(dofs, dof_values(document, test::kShoulder));
  EXPECT_LT(test::distance(again, local), 1e-5f);
}

// Half a turn about each of three axes is no turn at all, and yet the next slider goes on from there.
TEST(SliderMeaningLaw, AnglesThatComeBackToTheBasePoseAreKept) {
  Document document = test::arm_document();
  for (const char* const name : {"twist", "bend", "side"}) {
    test::apply(document, SetDof{test::kShoulder, test::dof(document, test::kShoulder, name), 180 * test::kDegree});
  }
  const int bend = test::dof(document, test::kShoulder, "bend");
  std::vector<float> values = dof_values(document, test::kShoulder);
  EXPECT_NEAR(values[bend], 180 * test::kDegree, 1e-6f);
  test::apply(document, SetDof{test::kShoulder, bend, 100 * test::kDegree});
  values[bend] = 100 * test::kDegree;
  const Transform meant = rig::local_from_dofs(joint_dofs(document, test::kShoulder), values);
  EXPECT_LT(test::distance(evaluate_pose(document).local[test::kShoulder], meant), 1e-5f);
  // At rest by the angles of rest: nothing is posed.
  for (const char* const name : {"twist", "bend", "side"}) {
    test::apply(document, SetDof{test::kShoulder, test::dof(document, test::kShoulder, name), 0.0f});
  }
  EXPECT_TRUE(document.content.overrides->empty());
}

}  // namespace
}  // namespace pelt::edit
