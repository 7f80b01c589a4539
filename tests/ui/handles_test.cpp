// Handles of Move and Scale, and rings about other axes: what is grabbed stays under the cursor, Esc and undo give back
// every bit, common pivots keep distances, limits hold.
#include "ui/transform_handle.h"

#include <imgui.h>

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "math/transform.h"
#include "rig/dofs.h"
#include "rig/kinematics.h"
#include "selecting_window.h"
#include "ui/rotation_rings.h"
#include "ui/tools.h"
#include "ui/viewport_geometry.h"

namespace pelt::ui {
namespace {

constexpr std::array kAllAxes = {HandleAxes::kLocal, HandleAxes::kParent, HandleAxes::kWorld, HandleAxes::kView,
                                 HandleAxes::kBone};

// Joints below parents that turn and grow, in any unit.
rig::Character crooked(float unit) {
  rig::Character character;
  const auto node = [&](const char* name, int parent, glm::vec3 at, glm::quat turn, glm::vec3 scale) {
    test::add_node(character, name, parent, {.translation = at * unit, .rotation = turn, .scale = scale});
  };
  const auto turn = [](float angle, glm::vec3 axis) { return glm::angleAxis(angle, glm::normalize(axis)); };
  node("root", -1, {0, 1, 0}, turn(0.7f, {1, 2, 0.5f}), glm::vec3(2));
  node("a", 0, {0.1f, 0.2f, 0}, turn(-0.4f, {0, 1, 1}), {1, 0.6f, 1.4f});
  node("b", 1, {0, 0.2f, 0.05f}, turn(1.1f, {1, 0, 1}), glm::vec3(0.8f));
  node("c", 2, {0, 0.2f, 0}, kIdentityQuat, glm::vec3(1));
  node("d", 0, {-0.2f, 0.1f, 0.1f}, turn(0.3f, {0, 0, 1}), glm::vec3(1));
  node("e", 4, {0, 0.2f, 0}, kIdentityQuat, glm::vec3(1));
  mesh::Primitive primitive;
  primitive.topology = mesh::Topology::kLines;
  primitive.positions = {glm::vec3(-0.6f, 0.4f, -0.6f) * unit, glm::vec3(0.6f, 2.0f, 0.6f) * unit};
  primitive.indices = {0, 1};
  for (const std::uint16_t joint : {std::uint16_t{0}, std::uint16_t{2}}) {
    const std::uint16_t joints[] = {joint};
    const float weights[] = {1.0f};
    mesh::append_row(primitive.influences.edit(), joints, weights);
  }
  test::add_skinned_mesh(character, "body", {0, 1, 2, 3, 4, 5}, std::move(primitive));
  rig::finish(character);
  return character;
}

class Handles : public Selecting {
 protected:
  void show(float unit) {
    open(crooked(unit));
    framed_ = false;
    frames(3);
    workspace_.camera.azimuth = 0.6f;
    workspace_.camera.elevation = 0.35f;
    frames(2);
  }
  [[nodiscard]] Desk desk() {
    evaluation_.update(document_);
    asked_scene_.document = &document_;
    asked_scene_.world = evaluation_.world();
    asked_scene_.pose = &evaluation_.pose();
    asked_scene_.bounds = evaluation_.deformed(document_).bounds;
    return Desk{asked_scene_, workspace_, requests_, report_, theme_};
  }
  [[nodiscard]] glm::dvec3 place(int joint) { return glm::dvec3(evaluation_.world()[joint][3]); }
  void select_joints(std::initializer_list<const char*> names) {
    document_.view.selected_joints.clear();
    for (const char* name : names) {
      document_.view.selected_joints.push_back(joint(name));
    }
    frames(2);
  }
  // A point of the picture that no float has rounded.
  [[nodiscard]] glm::dvec2 picture_of(const Projector& project, const glm::dvec3& point) {
    const glm::dvec4 clip = glm::dmat4(project.clip_from_world) * glm::dvec4(point, 1);
    const glm::dvec2 ndc = glm::dvec2(clip) / clip.w;
    return {project.rect.x + (ndc.x * 0.5 + 0.5) * project.rect.w,
            project.rect.y + (0.5 - ndc.y * 0.5) * project.rect.h};
  }
  HandleOptions& options() { return workspace_.preferences.handles; }
  Scene asked_scene_;
  Requests requests_;
};

// Of the handle's axes the one that is best seen from the side.
int clearest_axis(const HandledJoints& handled, const glm::dvec3& eye) {
  int best = 0;
  for (int i = 1; i < 3; ++i) {
    best = std::abs(glm::dot(handled.axes[i], eye)) < std::abs(glm::dot(handled.axes[best], eye)) ? i : best;
  }
  return best;
}

TEST_F(Handles, WhatIsGrabbedOnAnArrowStaysUnderTheCursor) {
  int tried = 0;
  for (const float unit : {1.0f, 0.01f, 100.0f}) {
    show(unit);
    for (const bool orthographic : {false, true}) {
      workspace_.camera.orthographic = orthographic;
      for (const HandleAxes axes : kAllAxes) {
        for (const std::initializer_list<const char*>& names :
             {std::initializer_list<const char*>{"b"}, {"d", "c", "b"}}) {
          options().axes = axes;
          take_tool(workspace_, kMoveTool);
          select_joints(names);
          const Desk now = desk();
          const HandledJoints handled = handled_joints(now);
          const Projector project(now);
          const glm::dvec3 eye(towards_eye(now, glm::vec3(handled.center)));
          const int axis = clearest_axis(handled, eye);
          const glm::vec2 tip = report_[std::string("handle.") + "xyz"[axis]].center();
          const glm::vec2 center(picture_of(project, handled.center));
          const glm::vec2 from = glm::floor(glm::mix(center, tip, 0.85f));  // as ImGui rounds it
          move(from);
          ASSERT_EQ(workspace_.viewport.handle.hovered,
                    static_cast<HandlePart>(static_cast<int>(HandlePart::kX) + axis));
          const std::optional<double> grip =
              place_on_line(project, handled.center, handled.axes[axis], glm::dvec2(from));
          ASSERT_TRUE(grip);
          const glm::dvec3 grabbed = handled.center + handled.axes[axis] * *grip;
          const int lead = handled.joints[handled.lead].joint;
          const glm::dvec3 before = place(lead);
          const edit::Content content = document_.content;
          const std::size_t steps = document_.history.cursor();
          const glm::vec2 to = glm::floor(from + glm::normalize(tip - center) * 47.0f);
          drag(from, to);
          frames(2);
          const glm::dvec3 gone = place(lead) - before;
          // Whole pixels lie beside the axis: along it the point is at the mouse, across it as far off as at first.
          const glm::dvec2 off = picture_of(project, grabbed + gone) - glm::dvec2(to);
          const glm::dvec2 along = glm::normalize(glm::dvec2(tip - center));
          EXPECT_LT(std::abs(glm::dot(along, off)), 0.1)
              << unit << " " << orthographic << " axes " << static_cast<int>(axes);
          EXPECT_LT(glm::length(off), 2.1);
          EXPECT_GT(glm::length(gone), 1e-3 * unit);
          EXPECT_LT(glm::length(gone - handled.axes[axis] * glm::dot(gone, handled.axes[axis])),
                    1e-4 * glm::length(gone))
              << "along the axis and no other way";
          EXPECT_EQ(document_.history.cursor(), steps + 1);
          EXPECT_TRUE(document_.history.undo_label().starts_with("Move ")) << document_.history.undo_label();
          act("edit.undo");
          EXPECT_EQ(document_.content, content) << "bit by bit";
          ++tried;
        }
      }
    }
  }
  EXPECT_EQ(tried, 60);
}

TEST_F(Handles, WhatIsGrabbedInAPlaneOrAtTheCentreStaysUnderTheCursor) {
  for (const float unit : {1.0f, 0.01f, 100.0f}) {
    show(unit);
    for (const bool orthographic : {false, true}) {
      workspace_.camera.orthographic = orthographic;
      for (const HandleAxes axes : kAllAxes) {
        for (const bool in_plane : {true, false}) {
          options().axes = axes;
          take_tool(workspace_, kMoveTool);
          select_joints({"b"});
          const Desk now = desk();
          const HandledJoints handled = handled_joints(now);
          const Projector project(now);
          const char* const kSquares[] = {"handle.xy", "handle.yz", "handle.zx"};
          std::string part = "handle.center";
          for (const char* square : kSquares) {
            part = in_plane && report_.contains(square) ? square : part;
          }
          const glm::vec2 from = glm::floor(report_[part].center());
          move(from);
          ASSERT_NE(workspace_.viewport.handle.hovered, HandlePart::kNone);
          if (in_plane && workspace_.viewport.handle.hovered < HandlePart::kYZ) {
            continue;  // an arrow lies over the square there
          }
          const HandlePart hovered = workspace_.viewport.handle.hovered;
          glm::dvec3 u = glm::transpose(glm::dmat3(workspace_.camera.view_from_world()))[0];
          glm::dvec3 v = glm::transpose(glm::dmat3(workspace_.camera.view_from_world()))[1];
          if (hovered != HandlePart::kCenter) {
            const int across = static_cast<int>(hovered) - static_cast<int>(HandlePart::kYZ);
            u = handled.axes[(across + 1) % 3];
            v = handled.axes[(across + 2) % 3];
          }
          const std::optional<glm::dvec2> grip = place_in_plane(project, handled.center, u, v, glm::dvec2(from));
          ASSERT_TRUE(grip);
          const glm::dvec3 grabbed = handled.center + u * grip->x + v * grip->y;
          const int lead = handled.joints[handled.lead].joint;
          const glm::dvec3 before = place(lead);
          const glm::vec2 to = from + glm::vec2(31, -38);
          drag(from, to);
          frames(2);
          const glm::dvec3 gone = place(lead) - before;
          EXPECT_LT(glm::distance(picture_of(project, grabbed + gone), glm::dvec2(to)), 0.1)
              << unit << " " << orthographic << " " << part << " axes " << static_cast<int>(axes);
          EXPECT_GT(glm::length(gone), 1e-3 * unit);
          act("edit.undo");
        }
      }
    }
  }
}

TEST_F(Handles, EscGivesBackEveryBit) {
  show(1);
  for (const std::string_view tool : {kMoveTool, kScaleTool}) {
    take_tool(workspace_, tool);
    select_joints({"d", "b"});
    const edit::Content before = document_.content;
    const glm::vec2 from = report_["handle.center"].center();
    move(from);
    button(true);
    move(from + glm::vec2(40, -30));
    EXPECT_NE(document_.content, before);
    ImGui::GetIO().KeyMap[ImGuiKey_Escape] = 1;
    press(1);
    button(false);
    EXPECT_EQ(document_.content, before);
    EXPECT_EQ(workspace_.viewport.handle.grabbed, HandlePart::kNone);
  }
}

TEST_F(Handles, CtrlStopsAtRoundDistancesAndTenthsOfAFactor) {
  show(1);
  options().axes = HandleAxes::kWorld;
  select_joints({"b"});
  ImGui::GetIO().KeyCtrl = true;
  take_tool(workspace_, kMoveTool);
  frames(2);
  const glm::dvec3 before = place(joint("b"));
  const glm::vec2 arrow = report_["handle.y"].center();
  drag(arrow, arrow + glm::vec2(3, -71));
  frames(2);
  const double step = round_step(static_cast<double>(desk().scene.bounds.diagonal()));
  const double gone = place(joint("b")).y - before.y;
  EXPECT_GT(gone, 0);
  EXPECT_NEAR(gone / step, std::round(gone / step), 1e-3);
  take_tool(workspace_, kScaleTool);
  frames(2);
  const glm::vec3 scale = evaluation_.pose().local[joint("b")].scale;
  const glm::vec2 middle = report_["handle.center"].center();
  drag(middle, middle + glm::vec2(33, 0));
  frames(2);
  const glm::vec3 factor = evaluation_.pose().local[joint("b")].scale / scale;
  EXPECT_GT(factor.x, 1.05f);
  EXPECT_NEAR(factor.x * 10, std::round(factor.x * 10), 1e-3f);
  EXPECT_NEAR(factor.y, factor.x, 1e-5f);
  EXPECT_NEAR(factor.z, factor.x, 1e-5f);
}

TEST_F(Handles, ACubeScalesItsAxisAloneAndTheTipStaysUnderTheCursor) {
  show(1);
  take_tool(workspace_, kScaleTool);
  select_joints({"b"});
  const glm::vec3 before = evaluation_.pose().local[joint("b")].scale;
  const Projector project(desk());
  const HandledJoints handled = handled_joints(desk());
  const int axis = clearest_axis(handled, glm::dvec3(towards_eye(desk(), glm::vec3(handled.center))));
  const std::string part = std::string("handle.") + "xyz"[axis];
  const glm::vec2 from = report_[part].center();
  const glm::vec2 center(picture_of(project, handled.center));
  const glm::vec2 to = from + glm::normalize(from - center) * 60.0f;
  move(from);
  button(true);
  move(to);
  frames(2);
  EXPECT_LT(glm::distance(report_[part].center(), to), 0.75f) << "pixels; the report has whole widgets";
  button(false);
  const glm::vec3 factor = evaluation_.pose().local[joint("b")].scale / before;
  for (int i = 0; i < 3; ++i) {
    if (i == axis) {
      EXPECT_GT(factor[i], 1.2f);
    } else {
      EXPECT_NEAR(factor[i], 1, 1e-6f);
    }
  }
  EXPECT_EQ(document_.history.undo_label(), "Scale b");
}

// Two halves of a turn are one turn, about every kind of axes that the first half does not carry along.
TEST_F(Handles, TwoTurnsAreOneAndOnlyTheDirectionIsTurned) {
  show(1);
  for (const HandleAxes axes : {HandleAxes::kParent, HandleAxes::kWorld, HandleAxes::kView}) {
    for (const HandlePivot pivot : {HandlePivot::kOwn, HandlePivot::kMedian, HandlePivot::kActive}) {
      options() = {axes, pivot};
      select_joints({"d", "b"});
      const edit::Document begin = document_;
      edit::apply(document_, {turned(handled_joints(desk()), 1, 0.35), ""});
      edit::apply(document_, {turned(handled_joints(desk()), 1, 0.35), ""});
      evaluation_.update(document_);
      const std::vector<glm::mat4> twice(evaluation_.world().begin(), evaluation_.world().end());
      document_ = begin;
      edit::apply(document_, {turned(handled_joints(desk()), 1, 0.7), ""});
      evaluation_.update(document_);
      for (std::size_t j = 0; j < twice.size(); ++j) {
        for (int c = 0; c < 4; ++c) {
          EXPECT_LT(glm::distance(twice[j][c], evaluation_.world()[j][c]), 2e-5f)
              << static_cast<int>(axes) << " " << static_cast<int>(pivot) << " joint " << j;
        }
      }
      document_ = begin;
    }
  }
}

TEST_F(Handles, ACommonPivotKeepsDistances) {
  for (const float unit : {1.0f, 0.01f, 100.0f}) {
    show(unit);
    for (const HandlePivot pivot : {HandlePivot::kMedian, HandlePivot::kActive}) {
      options() = {HandleAxes::kWorld, pivot};
      select_joints({"d", "a", "e"});  // the last hangs on the first
      const HandledJoints before = handled_joints(desk());
      ASSERT_EQ(before.joints.size(), 2u);
      ASSERT_TRUE(before.about_center);
      const double apart = glm::distance(before.joints[0].place, before.joints[1].place);
      const double away = glm::distance(before.joints[0].place, before.center);
      edit::apply(document_, {turned(before, 2, 1.1), ""});
      const HandledJoints after = handled_joints(desk());
      EXPECT_NEAR(glm::distance(after.joints[0].place, after.joints[1].place), apart, 1e-5 * apart);
      EXPECT_NEAR(glm::distance(after.joints[0].place, before.center), away, 1e-5 * apart);
      EXPECT_GT(glm::distance(after.joints[0].place, before.joints[0].place), 1e-2 * apart);
      edit::apply(document_, {scaled(after, glm::dvec3(2)), ""});
      const HandledJoints grown = handled_joints(desk());
      EXPECT_NEAR(glm::distance(grown.joints[0].place, grown.joints[1].place), 2 * apart, 2e-5 * apart);
    }
  }
}

TEST_F(Handles, OwnPivotsStayWhereTheyAreAndNoJointIsTurnedTwice) {
  show(1);
  options() = {HandleAxes::kWorld, HandlePivot::kOwn};
  select_joints({"d", "b", "c"});
  const HandledJoints before = handled_joints(desk());
  ASSERT_EQ(before.joints.size(), 2u);
  const std::vector<glm::mat4> world(evaluation_.world().begin(), evaluation_.world().end());
  edit::apply(document_, {turned(before, 0, 0.4), ""});
  const HandledJoints after = handled_joints(desk());
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_LT(glm::distance(after.joints[i].place, before.joints[i].place), 1e-6);
  }
  // Below "d" scales are uniform, so that the turn is seen as it is.
  const int d = joint("d");
  const glm::mat3 turn = glm::mat3(evaluation_.world()[d]) * glm::inverse(glm::mat3(world[d]));
  EXPECT_LT(glm::distance(rotation_vector(normalized_or_identity(glm::quat_cast(turn))), glm::vec3(0.4f, 0, 0)), 1e-5f);
}

TEST_F(Handles, LimitsHoldAndWhatAJointHasNoSliderForStays) {
  select_joints({"elbow_l"});
  const int elbow = joint("elbow_l");
  test::Random random(3);
  const Transform rest = evaluation_.pose().local[elbow];
  for (int i = 0; i < 40; ++i) {
    options().axes = kAllAxes[static_cast<std::size_t>(random.below(5))];
    const HandledJoints handled = handled_joints(desk());
    switch (i % 3) {
      case 0:
        edit::apply(document_, {turned(handled, random.below(3), random.real(-3.0, 3.0)), ""});
        break;
      case 1:
        edit::apply(document_, {moved(handled, random.dvector(-1, 1)), ""});
        break;
      default:
        edit::apply(document_, {scaled(handled, random.dvector(0.5, 2)), ""});
    }
    const rig::JointDofs dofs = edit::joint_dofs(document_, elbow);
    const std::vector<float> values = edit::dof_values(document_, elbow);
    for (std::size_t k = 0; k < values.size(); ++k) {
      EXPECT_GE(values[k], dofs.dofs[k].lower - 1e-5f);
      EXPECT_LE(values[k], dofs.dofs[k].upper + 1e-5f);
    }
    evaluation_.update(document_);
    const Transform now = evaluation_.pose().local[elbow];
    EXPECT_LT(glm::distance(now.translation, rest.translation), 1e-6f);
    EXPECT_LT(glm::distance(now.scale, rest.scale), 1e-6f);
  }
  take_tool(workspace_, kMoveTool);
  frames(2);
  ASSERT_TRUE(report_.contains("handle.center"));
  move(report_["handle.center"].center());
  EXPECT_EQ(workspace_.viewport.handle.hovered, HandlePart::kNone) << "it is grey";
}

TEST_F(Handles, AnAxisThatPointsAtTheViewerCannotBeGrabbed) {
  show(1);
  options().axes = HandleAxes::kWorld;
  take_tool(workspace_, kMoveTool);
  act("view.front");
  workspace_.camera.orthographic = true;
  select_joints({"b"});
  EXPECT_TRUE(report_.contains("handle.x"));
  EXPECT_TRUE(report_.contains("handle.y"));
  EXPECT_FALSE(report_.contains("handle.z"));
  EXPECT_TRUE(report_.contains("handle.xy"));
  EXPECT_FALSE(report_.contains("handle.yz"));
}

TEST_F(Handles, RingsAboutTheWorldTurnAsFarAsTheMouseGoes) {
  show(1);
  options().axes = HandleAxes::kWorld;
  workspace_.view.skeleton = false;
  act("view.front");
  workspace_.camera.orthographic = true;
  select_joints({"d"});
  const std::vector<Ring> rings = all_rings(desk());
  ASSERT_EQ(rings.size(), 4u);
  const Ring& about_z = rings[2];
  EXPECT_EQ(about_z.dof, kAxisRings[2]);
  const Projector project(desk());
  const auto on_ring = [&](float angle) {
    return *project(about_z.center + about_z.radius * glm::vec3(std::cos(angle), std::sin(angle), 0));
  };
  const glm::mat3 before(evaluation_.world()[joint("d")]);
  move(on_ring(0.9f));
  ASSERT_EQ(workspace_.viewport.hovered_ring, kAxisRings[2]);
  drag(on_ring(0.9f), on_ring(1.4f));
  frames(2);
  const glm::mat3 turn = glm::mat3(evaluation_.world()[joint("d")]) * glm::inverse(before);
  EXPECT_LT(glm::distance(rotation_vector(normalized_or_identity(glm::quat_cast(turn))), glm::vec3(0, 0, 0.5f)), 0.01f);
  EXPECT_EQ(document_.history.undo_label(), "Rotate d");
  EXPECT_EQ(document_.history.cursor(), 1u);
}

TEST_F(Handles, KeysGoRoundAxesAndPivots) {
  for (std::size_t i = 1; i <= kHandleAxes.size(); ++i) {
    tap({','});
    EXPECT_EQ(options().axes, kHandleAxes[i % kHandleAxes.size()].axes);
  }
  for (std::size_t i = 1; i <= kHandlePivots.size(); ++i) {
    tap({'.'});
    EXPECT_EQ(options().pivot, kHandlePivots[i % kHandlePivots.size()].pivot);
  }
  frames(2);
  EXPECT_TRUE(report_.contains("handle.axes"));
  EXPECT_TRUE(report_.contains("handle.pivot"));
  click("handle.symmetric");
  EXPECT_TRUE(document_.view.symmetric_posing);
  take_tool(workspace_, kReachTool);
  frames(2);
  EXPECT_FALSE(report_.contains("handle.axes"));
}

TEST_F(Handles, SymmetricPosingTakesTheOtherHandAlongAndIsOneStep) {
  act("pose.symmetric");
  ASSERT_TRUE(document_.view.symmetric_posing);
  take_tool(workspace_, kReachTool);
  frames(2);
  const edit::Content before = document_.content;
  const Projector project(desk());
  const glm::vec2 from = glm::mix(bone("forearm_twist_l"), *project(glm::vec3(place(joint("wrist_l")))), 0.4f);
  drag(from, from + glm::vec2(-40, -60));
  frames(2);
  EXPECT_EQ(document_.history.cursor(), 1u);
  evaluation_.update(document_);
  const glm::dvec3 left = place(joint("wrist_l"));
  const glm::dvec3 right = place(joint("wrist_r"));
  EXPECT_LT(glm::distance(left * glm::dvec3(-1, 1, 1), right), 1e-5);
  act("edit.undo");
  EXPECT_EQ(document_.content, before) << "bit by bit";
}

TEST_F(Handles, GhostsAreForClipsAndHaveAKey) {
  EXPECT_FALSE(workspace_.view.ghosts.shown);
  tap({'O', false, true});
  EXPECT_FALSE(workspace_.view.ghosts.shown) << "there is no clip";
  edit::apply(document_, {edit::SetClip{0}, ""});
  frames(2);
  tap({'O', false, true});
  EXPECT_TRUE(workspace_.view.ghosts.shown);
}

TEST(RoundStep, IsOneTwoOrFiveAboutAHundredth) {
  EXPECT_DOUBLE_EQ(round_step(1.8), 0.01);
  EXPECT_DOUBLE_EQ(round_step(2.2), 0.02);
  EXPECT_DOUBLE_EQ(round_step(180), 1);
  EXPECT_DOUBLE_EQ(round_step(0.0055), 0.00005);
  EXPECT_DOUBLE_EQ(round_step(0), 0.01);
}

}  // namespace
}  // namespace pelt::ui
