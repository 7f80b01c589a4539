// The tab "Drivers", springs in the tab "Layers" and semantic sliders in the tab "Shapes".
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include "headless_window.h"
#include "ui/clips_panel.h"
#include "ui/constraints_section.h"
#include "ui/drivers_panel.h"
#include "ui/layers_section.h"
#include "ui/pose_panel.h"
#include "ui/shapes_panel.h"
#include "ui/springs_section.h"

namespace pelt::ui {
namespace {

// F-ELBOW with a shape that means something.
rig::Character smiling_elbow() {
  rig::Character character = test::elbow();
  mesh::MorphTarget smile;
  smile.position_deltas = {{0, 0.5f, 0}};
  character.meshes.edit(0).primitives.edit(0).morph_targets.push_back(smile);
  character.meshes.edit(0).morph_names = {"smile"};
  character.meshes.edit(0).morph_weights = {0};
  character.mesh_nodes.edit()[0].morph_weights = {0};
  rig::finish(character);
  return character;
}

class BehaviourPanels : public HeadlessWindow {
 protected:
  void SetUp() override {
    HeadlessWindow::SetUp();
    resize({1440, 2400}, 1);
    open(smiling_elbow());
    document_.view.select_only(1);
    show(kDriversTab);
  }
  void show(std::string_view tab) {
    workspace_.tab = tab;
    frames(3);
  }
  // Behind what stands there: a click behind a short text puts the cursor at its end.
  void type(const std::string& widget, const char* text) {
    click(widget);
    ImGui::GetIO().AddInputCharactersUTF8(text);
    frames(2);
  }
  [[nodiscard]] const motion::Behaviour& behaviour() const { return *document_.content.behaviour; }
};

TEST_F(BehaviourPanels, ADriverIsAddedTypedAndRemoved) {
  EXPECT_FALSE(report_.contains("drivers.0"));
  click("drivers.add");
  ASSERT_EQ(behaviour().drivers.size(), 1u);
  EXPECT_EQ(behaviour().drivers[0].target, "forearm.twist") << "the first slider of the selected joint";
  EXPECT_NE(behaviour().drivers[0].expression.find("upper_arm.bend"), std::string::npos);
  ASSERT_TRUE(report_.contains("drivers.0.curve"));
  ASSERT_TRUE(report_.contains("drivers.0.value"));
  edit::apply(document_, {edit::with_driver(document_, "forearm.twist", "7"), "", true});
  frames(2);
  const std::size_t steps = document_.history.size();
  type("drivers.0.expression", " + upper_arm.bend");
  EXPECT_EQ(behaviour().drivers[0].expression, "7 + upper_arm.bend");
  EXPECT_EQ(document_.history.size(), steps + 1) << "typing is one step";
  EXPECT_NE(words().find("7 + upper_arm.bend"), std::string::npos);
  click("drivers.0");
  EXPECT_FALSE(behaviour().drivers[0].on);
  click("drivers.0.remove");
  EXPECT_TRUE(behaviour().drivers.empty());
  edit::undo(document_);
  EXPECT_EQ(behaviour().drivers.size(), 1u);
}

TEST_F(BehaviourPanels, AMistakeIsSaidWithItsColumnAndChangesNothing) {
  edit::apply(document_, {edit::with_driver(document_, "forearm.bend", "10"), "", true});
  frames(2);
  type("drivers.0.expression", " * (");
  EXPECT_EQ(behaviour().drivers[0].expression, "10");
  EXPECT_NE(words().find("column 7: expected a number"), std::string::npos) << words();
  // Left alone, the field takes what the document has meanwhile; and no double click, which would select a word.
  click("tab.drivers");
  edit::apply(document_, {edit::with_driver(document_, "forearm.bend", "1"), "", true});
  frames(30);
  type("drivers.0.expression", " + forearm.bend");
  EXPECT_NE(words().find("forearm.bend -> forearm.bend"), std::string::npos) << words();
  EXPECT_EQ(behaviour().drivers[0].expression, "1");
}

TEST_F(BehaviourPanels, SlidersAreProposedMovedAndLearned) {
  show(kShapesTab);
  click("sliders.propose");
  ASSERT_EQ(behaviour().sliders.size(), 1u);
  EXPECT_EQ(behaviour().sliders[0].name, "smile");
  const std::size_t steps = document_.history.size();
  const Rect slider = report_["sliders.0"];
  drag({slider.x + 2, slider.center().y}, {slider.x + slider.w * 0.4f, slider.center().y});
  EXPECT_EQ(document_.history.size(), steps + 1);
  EXPECT_GT(behaviour().sliders[0].value, 0.2f);
  EXPECT_EQ(evaluation_.pose().morph_weights[0], behaviour().sliders[0].value);
  // The shape's own slider shows what is posed: what is added comes on top of that.
  const float added = behaviour().sliders[0].value;
  const Rect shape = report_["shape.smile"];
  drag({shape.x + 2, shape.center().y}, {shape.x + shape.w * 0.3f, shape.center().y});
  EXPECT_NEAR(evaluation_.pose().morph_weights[0] - document_.content.morph_overrides->at(0), added, 1e-6);
  edit::undo(document_);
  frames(2);
  click("sliders.0.reset");
  EXPECT_EQ(behaviour().sliders[0].value, 0);
  edit::apply(document_, {edit::SetDof{1, 0, 0.5f}, "", true});
  frames(2);
  type("sliders.name", "turn");
  click("sliders.learn");
  ASSERT_EQ(behaviour().sliders.size(), 2u);
  EXPECT_EQ(behaviour().sliders[1].name, "turn");
  EXPECT_EQ(behaviour().sliders[1].rows.size(), 1u);
  click("sliders.1.remove");
  EXPECT_EQ(behaviour().sliders.size(), 1u);
}

// Two clips, a layer of the second over the first.
TEST_F(BehaviourPanels, AClipLayerIsAddedChangedMaskedAndBaked) {
  rig::Character character = smiling_elbow();
  for (const char* name : {"bend", "twist"}) {
    rig::Clip clip;
    clip.name = name;
    rig::Channel channel;
    channel.joint = 1;
    channel.path = rig::ChannelPath::kRotation;
    channel.width = 4;
    channel.times = {0, 1};
    const bool is_bend = clip.name == "bend";
    channel.values = {0, 0, 0, 1, is_bend ? 0.0f : 0.6f, 0, is_bend ? 0.6f : 0.0f, 0.8f};
    clip.channels = {channel};
    clip.end = 1;
    character.clips.push_back(clip);
  }
  open(std::move(character));
  edit::apply(document_, {edit::SetClip{0}, "", true});
  document_.view.select_only(1);
  show(kClipsTab);
  click("section.Layers over this clip");
  frames(2);
  EXPECT_FALSE(report_.contains("clip-layers.bake"));
  click("clip-layers.add");
  frames(2);
  click("clip-layers.add.1");
  ASSERT_EQ(behaviour().clip_layers.size(), 1u);
  EXPECT_EQ(behaviour().clip_layers[0].clip, "twist");
  EXPECT_TRUE(report_.contains("clip-layers.0.speed")) << "a new layer is open";
  edit::apply(document_, {edit::SetClipLayers{{{.clip = "twist"}, {.clip = "bend"}}}, "", true});
  frames(2);
  const std::size_t steps = document_.history.size();
  const Rect weight = report_["clip-layers.0.weight"];
  drag({weight.x + weight.w * 0.5f, weight.center().y}, {weight.x + weight.w * 0.25f, weight.center().y});
  EXPECT_LT(behaviour().clip_layers[0].weight, 0.5f);
  EXPECT_EQ(document_.history.size(), steps + 1) << "one step for the drag";
  click("clip-layers.0.mask");
  EXPECT_EQ(behaviour().clip_layers[0].joints, std::vector<std::string>{"forearm"});
  EXPECT_NE(words().find("forearm"), std::string::npos);
  click("clip-layers.0.below");
  EXPECT_TRUE(behaviour().clip_layers[0].below);
  click("clip-layers.0.all");
  EXPECT_TRUE(behaviour().clip_layers[0].joints.empty());
  click("clip-layers.0.loops");
  EXPECT_FALSE(behaviour().clip_layers[0].loops);
  click("clip-layers.1.up");
  EXPECT_EQ(behaviour().clip_layers[0].clip, "bend");
  click("clip-layers.0.remove");
  ASSERT_EQ(behaviour().clip_layers.size(), 1u);
  EXPECT_EQ(behaviour().clip_layers[0].clip, "twist");
  click("clip-layers.bake");
  ASSERT_EQ(document_.character->clips.size(), 3u);
  EXPECT_EQ(document_.content.clip, 2);
  EXPECT_FALSE(behaviour().clip_layers[0].on);
}

// F-ELBOW with two clips of two seconds, one of them a layer over the other, in the Animate mode.
TEST_F(BehaviourPanels, BarsOfClipLayersMoveInTimeAndEndWhereTheyAreDraggedTo) {
  rig::Character character = smiling_elbow();
  for (const char* name : {"main", "over"}) {
    rig::Clip clip;
    clip.name = name;
    clip.end = 2;
    rig::Channel channel;
    channel.joint = 1;
    channel.path = rig::ChannelPath::kRotation;
    channel.width = 4;
    channel.times = {0, 2};
    channel.values = {0, 0, 0, 1, 0, 0, 1, 0};
    clip.channels = {channel};
    character.clips.push_back(std::move(clip));
  }
  open(std::move(character));
  resize({1440, 900}, 1);
  act("mode.animate");
  edit::apply(document_, {edit::SetClip{0}, "", true});
  frames(3);
  EXPECT_FALSE(report_.contains("layer-bars.0"));
  const Rect without = report_["keys.tracks"];
  motion::ClipLayer layer{.clip = "over"};
  layer.start = 0.5f;
  layer.length = 1;
  layer.fade_in = 0.25f;
  edit::apply(document_, {edit::SetClipLayers{{layer}}, "", true});
  document_.view.timing.frame_rate = 10;
  frames(3);
  ASSERT_TRUE(report_.contains("layer-bars.0"));
  EXPECT_LT(report_["keys.tracks"].h, without.h) << "the keys make room";
  const Rect bar = report_["layer-bars.0"];
  const float second = bar.w;  // it is as long
  const std::size_t steps = document_.history.size();
  drag(bar.center(), bar.center() + glm::vec2(0.33f * second, 0));
  EXPECT_NEAR(behaviour().clip_layers[0].start, 0.8f, 1e-4f) << "a whole frame of ten in a second";
  EXPECT_EQ(behaviour().clip_layers[0].length, 1) << "it is as long as it was";
  EXPECT_EQ(document_.history.size(), steps + 1) << "one step for the drag";
  EXPECT_NEAR(report_["layer-bars.0"].x, bar.x + 0.3f * second, 1.5f);
  const Rect moved = report_["layer-bars.0"];
  const glm::vec2 end(moved.x + moved.w - 2, moved.center().y);
  drag(end, end - glm::vec2(0.4f * second, 0));
  EXPECT_NEAR(behaviour().clip_layers[0].length, 0.6f, 1e-4f);
  EXPECT_NEAR(behaviour().clip_layers[0].start, 0.8f, 1e-4f);
  drag(report_["layer-bars.0"].center(), report_["layer-bars.0"].center() - glm::vec2(5 * second, 0));
  EXPECT_EQ(behaviour().clip_layers[0].start, 0) << "not before the main clip";
  for (int undone = 0; undone < 3; ++undone) {
    act("edit.undo");
  }
  EXPECT_EQ(behaviour().clip_layers[0], layer);
}

TEST_F(BehaviourPanels, AConstraintIsMadeOfTheSelectionAndChanged) {
  document_.view.selected_joints = {1};
  show(kConstraintsTab);
  EXPECT_FALSE(report_.contains("constraints.add")) << "a target is missing";
  document_.view.selected_joints = {0, 1};
  click("constraints.kind");
  click("constraints.kind.4");
  click("constraints.add");
  ASSERT_EQ(behaviour().constraints.size(), 1u) << words();
  EXPECT_EQ(behaviour().constraints[0].kind, motion::ConstraintKind::kAim);
  EXPECT_EQ(behaviour().constraints[0].joint, "forearm") << "the active joint follows";
  EXPECT_EQ(behaviour().constraints[0].target, "upper_arm");
  click("constraints.0.axis");
  click("constraints.0.axis.5");
  EXPECT_EQ(behaviour().constraints[0].axis, glm::vec3(0, 0, -1));
  const std::size_t steps = document_.history.size();
  const Rect weight = report_["constraints.0.weight"];
  drag({weight.x + weight.w * 0.5f, weight.center().y}, {weight.x + weight.w * 0.25f, weight.center().y});
  EXPECT_LT(behaviour().constraints[0].weight, 0.5f);
  EXPECT_EQ(document_.history.size(), steps + 1) << "one step for the drag";
  click("constraints.0");
  EXPECT_FALSE(behaviour().constraints[0].on);
  click("constraints.0.remove");
  EXPECT_TRUE(behaviour().constraints.empty());
  click("constraints.kind");
  click("constraints.kind.5");
  click("constraints.add");
  ASSERT_EQ(behaviour().constraints.size(), 1u) << "a floor needs no target";
  EXPECT_TRUE(report_.contains("constraints.0.height"));
}

TEST_F(BehaviourPanels, AChainSwingsFromTheSelectedJointOn) {
  document_.view.select_only(0);
  show(kSpringsTab);
  click("springs.add");
  ASSERT_EQ(behaviour().springs.chains.size(), 1u);
  EXPECT_EQ(behaviour().springs.chains[0].joints.size(), 2u);
  const float before = behaviour().springs.chains[0].joints[1].stiffness;
  const Rect slider = report_["springs.0.swings"];
  drag({slider.x + slider.w * 0.2f, slider.center().y}, {slider.x + slider.w * 0.4f, slider.center().y});
  EXPECT_GT(behaviour().springs.chains[0].joints[1].stiffness, before) << "all joints of the chain";
  EXPECT_EQ(behaviour().springs.chains[0].joints[0].stiffness, behaviour().springs.chains[0].joints[1].stiffness);
  ASSERT_TRUE(report_.contains("springs.wind.2"));
  click("springs.0");
  EXPECT_FALSE(behaviour().springs.chains[0].on);
  click("springs.0.remove");
  EXPECT_TRUE(behaviour().springs.chains.empty());
}

TEST_F(BehaviourPanels, DampingSurvivesSwingsOfZero) {
  document_.view.select_only(0);
  show(kSpringsTab);
  click("springs.add");
  const motion::SpringJoint before = behaviour().springs.chains[0].joints[0];
  ASSERT_GT(before.damping, 0);
  const Rect slider = report_["springs.0.swings"];
  const float usual = slider.x + slider.w * 0.15f;
  drag({usual, slider.center().y}, {slider.x - 40, slider.center().y});
  EXPECT_EQ(behaviour().springs.chains[0].joints[0].stiffness, 0);
  EXPECT_GT(behaviour().springs.chains[0].joints[0].damping, 0);
  drag({slider.x + 2, slider.center().y}, {usual, slider.center().y});
  const motion::SpringJoint after = behaviour().springs.chains[0].joints[0];
  ASSERT_GT(after.stiffness, 0);
  // The share of the critical damping is the same.
  EXPECT_NEAR(after.damping / std::sqrt(after.stiffness), before.damping / std::sqrt(before.stiffness),
              1e-4f * before.damping);
}

TEST_F(BehaviourPanels, ACollidersNumbersAreDraggedAsOneStepAndItIsDrawn) {
  document_.view.select_only(1);
  show(kSpringsTab);
  EXPECT_FALSE(report_.contains("colliders.add")) << "nothing could meet one";
  click("springs.add");
  document_.view.select_only(0);
  frames(2);
  click("colliders.shape.1");
  click("colliders.add");
  ASSERT_EQ(behaviour().springs.colliders.size(), 1u);
  EXPECT_EQ(behaviour().springs.colliders[0].shape, rig::ColliderShape::kCapsule);
  EXPECT_EQ(behaviour().springs.colliders[0].joint, "upper_arm");
  EXPECT_EQ(behaviour().springs.chains[0].colliders, std::vector<std::string>{"upper_arm"});
  ASSERT_TRUE(report_.contains("colliders.0.radius")) << "a new one shows its numbers";
  ASSERT_TRUE(report_.contains("colliders.0.tail.2"));
  workspace_.mode = "rig";
  frames(2);
  ASSERT_TRUE(report_.contains("collider.0")) << "outlined in the picture";
  const glm::vec2 outlined = report_["collider.0"].center();
  const std::size_t steps = document_.history.size();
  const Rect place = report_["colliders.0.offset.1"];
  drag({place.x + place.w * 0.3f, place.center().y}, {place.x + place.w * 0.4f, place.center().y});
  EXPECT_EQ(document_.history.size(), steps + 1) << "one step for the drag";
  EXPECT_NE(behaviour().springs.colliders[0].offset.y, 0);
  EXPECT_EQ(document_.history.undo_label(), "Change the collider upper_arm");
  EXPECT_GT(glm::distance(report_["collider.0"].center(), outlined), 1.0f) << "the outline follows";
  click("colliders.0.chain.0");
  EXPECT_TRUE(behaviour().springs.chains[0].colliders.empty());
  click("colliders.0.chain.0");
  EXPECT_EQ(behaviour().springs.chains[0].colliders.size(), 1u);
  click("colliders.0.inside");
  EXPECT_TRUE(behaviour().springs.colliders[0].inside);
  click("colliders.0.shape.2");
  EXPECT_EQ(behaviour().springs.colliders[0].shape, rig::ColliderShape::kPlane);
  EXPECT_FALSE(report_.contains("colliders.0.radius")) << "a plane has none";
  click("colliders.0.normal");
  click("colliders.0.normal.4");
  EXPECT_EQ(behaviour().springs.colliders[0].normal, glm::vec3(-1, 0, 0));
  click("colliders.0.remove");
  EXPECT_TRUE(behaviour().springs.colliders.empty());
  EXPECT_TRUE(behaviour().springs.chains[0].colliders.empty());
}

TEST_F(BehaviourPanels, ADrivenSliderSaysByWhatAndWhatBecomesOfAValue) {
  workspace_.mode = "pose";
  show(kPoseTab);
  document_.view.select_only(1);
  frames(2);
  EXPECT_FALSE(report_.contains("dof.forearm.bend.driven"));
  edit::apply(document_, {edit::with_driver(document_, "forearm.bend", "-30"), "", true});
  frames(2);
  ASSERT_TRUE(report_.contains("dof.forearm.bend.driven"));
  EXPECT_NE(words().find("Driven to -30.0"), std::string::npos) << words();
  move(report_["dof.forearm.bend.driven"].center());
  const std::string tip = words();
  EXPECT_NE(tip.find("The driver -30: The pose does not show a value"), std::string::npos) << tip;
}

TEST_F(BehaviourPanels, ConstraintsAndSpringsHaveTabsWhereTheyBelong) {
  for (const auto& [mode, tab] :
       {std::pair(std::string_view("rig"), kConstraintsTab), std::pair(std::string_view("rig"), kSpringsTab)}) {
    workspace_.mode = mode;
    show(tab);
    EXPECT_TRUE(report_.contains(fmt::format("tab.{}", tab))) << mode;
    EXPECT_EQ(workspace_.tab, tab) << mode;
  }
  workspace_.mode = "rig";
  show(kLayersTab);
  EXPECT_FALSE(report_.contains("springs.add")) << "once is enough";
}

TEST_F(BehaviourPanels, TheWeightOfAFilesConstraintIsASlider) {
  rig::Character character = smiling_elbow();
  character.constraints.push_back({.kind = rig::ConstraintKind::kRotation, .joint = 1, .source = 0});
  open(std::move(character));
  show(kConstraintsTab);
  ASSERT_TRUE(report_.contains("constraints.file.0.weight"));
  const std::size_t steps = document_.history.size();
  const Rect weight = report_["constraints.file.0.weight"];
  drag({weight.x + weight.w * 0.5f, weight.center().y}, {weight.x + weight.w * 0.25f, weight.center().y});
  EXPECT_LT(document_.content.character->constraints[0].weight, 0.5f);
  EXPECT_EQ(document_.history.size(), steps + 1) << "one step for the drag";
  act("edit.undo");
  EXPECT_EQ(document_.content.character->constraints[0].weight, 1);
}

}  // namespace
}  // namespace pelt::ui
