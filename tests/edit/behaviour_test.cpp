// Drivers, springs and semantic sliders as part of a document: undone, kept in sessions and files, carried over by
// names.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "edit/behaviour_edits.h"
#include "edit/behaviour_readings.h"
#include "edit/evaluation.h"
#include "edit/file_behaviour.h"
#include "edit/file_layers.h"
#include "edit/reload.h"
#include "edit/session.h"
#include "edit_fixtures.h"
#include "gltf/export.h"
#include "gltf/import.h"
#include "motion/vrm_springs.h"
#include "support/requirements.h"

namespace pelt::edit {
namespace {

using test::apply;
using test::arm_document;
using test::kElbow;
using test::kHand;

float smile(const Document& document) {
  return evaluate_pose(document).morph_weights[0];
}

// A driver, a slider and a spring each.
Document busy_arm() {
  Document document = arm_document();
  apply(document, with_driver(document, "shape(smile)", "elbow_l.bend / 100"));
  apply(document, SetSemanticSliders{{{"flex", 0, 1, {{"elbow_l.bend", 50}}, 0.5f}}});
  motion::SpringChain chain{.name = "hand", .joints = {{.joint = "elbow_l"}}, .end = "hand_l"};
  motion::SpringSet springs;
  springs.chains = {chain};
  apply(document, SetSprings{springs});
  return document;
}

TEST(Behaviour, DriversAreStepsOfTheHistory) {
  Document document = arm_document();
  EXPECT_EQ(label(document, with_driver(document, "shape(smile)", "0.5")), "Drive shape(smile)");
  apply(document, with_driver(document, "shape(smile)", "0.5"));
  EXPECT_EQ(smile(document), 0.5f);
  apply(document, with_driver(document, "shape(smile)", "0.75"));
  EXPECT_EQ(document.content.behaviour->drivers.size(), 1u) << "in place of the one before";
  EXPECT_EQ(smile(document), 0.75f);
  EXPECT_EQ(label(document, SetDrivers{}), "Remove the driver of shape(smile)");
  apply(document, SetDrivers{});
  EXPECT_EQ(smile(document), 0);
  undo(document);
  undo(document);
  EXPECT_EQ(smile(document), 0.5f);
  undo(document);
  EXPECT_EQ(document.content.behaviour->drivers.size(), 0u);
  redo(document);
  EXPECT_EQ(smile(document), 0.5f);
}

TEST(Behaviour, C18_4_ACycleIsRefusedWhenItIsMade) {
  Document document = arm_document();
  apply(document, with_driver(document, "shape(smile)", "elbow_l.bend"));
  const SetDrivers cycle = with_driver(document, "elbow_l.bend", "shape(smile) + 1");
  EXPECT_EQ(why_refused(document, cycle),
            "elbow_l.bend: it reads its own target: elbow_l.bend -> shape(smile) -> elbow_l.bend");
  const Content before = document.content;
  apply(document, cycle);
  EXPECT_EQ(document.content, before);
  EXPECT_EQ(why_refused(document, with_driver(document, "shape(smile)", "1 +")),
            "shape(smile): column 4: expected a number, a name or '(', got the end");
}

// What a new version of a file broke does not stand in the way of other drivers.
TEST(Behaviour, AnOldFaultDoesNotHinderOthers) {
  Document document = arm_document();
  document.content.behaviour.edit().drivers = {{"gone.bend", "1"}};
  const SetDrivers more = with_driver(document, "shape(smile)", "0.5");
  EXPECT_EQ(why_refused(document, more), "");
  apply(document, more);
  EXPECT_EQ(smile(document), 0.5f);
}

TEST(Behaviour, ASliderMovesWithinItsRangeAndOneDragIsOneStep) {
  Document document = busy_arm();
  const std::size_t steps = document.history.size();
  for (const float value : {0.1f, 0.6f, 7.0f}) {
    edit::apply(document, {SetSemanticValue{0, value}, "drag"});
  }
  end_merge(document);
  EXPECT_EQ(document.content.behaviour->sliders[0].value, 1);
  EXPECT_EQ(document.history.size(), steps + 1);
  EXPECT_NEAR(smile(document), 0.5f, 1e-5) << "the slider bends the elbow, and the driver follows it";
  edit::apply(document, {SetSemanticValue{9, 1}, ""});
  EXPECT_EQ(document.history.size(), steps + 1);
}

TEST(Behaviour, SlidersGetNamesOfTheirOwn) {
  Document document = arm_document();
  apply(document, SetSemanticSliders{{{"a", 1, -1}, {"a"}, {""}}});
  const std::vector<motion::SemanticSlider>& sliders = document.content.behaviour->sliders;
  EXPECT_EQ(sliders[0].name, "a");
  EXPECT_EQ(sliders[0].lower, 0) << "neutral is within";
  EXPECT_EQ(sliders[0].upper, 0);
  EXPECT_EQ(sliders[1].name, "a 2");
  EXPECT_EQ(sliders[2].name, "slider");
}

TEST(Behaviour, ASliderIsLearnedFromThePose) {
  Document document = arm_document();
  EXPECT_EQ(learned_slider(document, "flex").error().message, "nothing is posed by hand that a slider could learn");
  apply(document, SetDof{kElbow, 0, 60 * test::kDegree});
  apply(document, SetMorph{0, 0.4f});
  const rig::Pose posed = evaluate_pose(document);
  const Result<SetSemanticSliders> learned = learned_slider(document, "flex");
  ASSERT_TRUE(learned);
  ASSERT_EQ(learned->sliders.size(), 1u);
  ASSERT_EQ(learned->sliders[0].rows.size(), 2u);
  EXPECT_EQ(learned->sliders[0].rows[0].target, "elbow_l.bend");
  EXPECT_NEAR(learned->sliders[0].rows[0].amount, 60, 1e-4);
  Document other = arm_document();
  apply(other, *learned);
  apply(other, SetSemanticValue{0, 1});
  const rig::Pose made = evaluate_pose(other);
  EXPECT_NEAR(glm::angle(made.local[kElbow].rotation), glm::angle(posed.local[kElbow].rotation), 1e-5);
  EXPECT_NEAR(made.morph_weights[0], 0.4f, 1e-6);
  // Learned again under the same name: other rows, the same slider.
  apply(document, *learned);
  apply(document, SetDof{kElbow, 0, 30 * test::kDegree});
  const Result<SetSemanticSliders> again = learned_slider(document, "flex");
  ASSERT_TRUE(again);
  ASSERT_EQ(again->sliders.size(), 1u);
  EXPECT_NEAR(again->sliders[0].rows[0].amount, 30, 1e-4) << "what the slider itself adds does not count";
}

TEST(Behaviour, SpringsThatCannotSwingAreRefused) {
  Document document = arm_document();
  SetSprings wrong;
  wrong.springs.chains.push_back({.name = "x"});
  wrong.springs.chains[0].joints.push_back({.joint = "elbw_l"});
  EXPECT_EQ(why_refused(document, wrong), "springs x: there is no joint 'elbw_l' (did you mean \"elbow_l\"?)");
  apply(document, wrong);
  EXPECT_TRUE(document.content.behaviour->springs.chains.empty());
}

// The whole document at frames in any order, a fresh one each time, and under undo.
TEST(Behaviour, SeekingEqualsPlaying) {
  Document document = busy_arm();
  apply(document, SetClip{0});
  apply(document, with_driver(document, "hand_l.twist", "sqrt(0.5 - shape(smile)) * 20"));
  std::map<float, rig::Pose> played;
  for (float time = 1; time <= 3; time += 0.1f) {
    apply(document, SetTime{time});
    played[time] = evaluate_pose(document);
  }
  EXPECT_NE(played.begin()->second, played.rbegin()->second);
  for (auto at = played.rbegin(); at != played.rend(); ++at) {
    apply(document, SetTime{at->first});
    ASSERT_EQ(evaluate_pose(document), at->second) << at->first;
    Document fresh = document;
    fresh.motion = std::make_shared<MotionCache>();
    ASSERT_EQ(evaluate_pose(fresh), at->second) << at->first;
  }
  // Another pose by hand is another run, and coming back finds the first one again.
  apply(document, SetTime{2.5f});
  const rig::Pose before = evaluate_pose(document);
  apply(document, SetDof{1, 0, 0.5f});
  EXPECT_NE(evaluate_pose(document), before);
  undo(document);
  EXPECT_EQ(evaluate_pose(document), before);
  // So is another pin: what springs and drivers found without it does not count.
  apply(document, PinJoints{{kHand}, true});
  for (const float time : {1.25f, 1.75f, 2.25f, 2.9f}) {
    apply(document, SetTime{time});
    Document fresh = document;
    fresh.motion = std::make_shared<MotionCache>();
    EXPECT_EQ(evaluate_pose(document), evaluate_pose(fresh)) << time;
  }
}

TEST(Behaviour, SessionsKeepIt) {
  const Document document = busy_arm();
  const Result<SessionText> text = session_to_text(document, {"arm.glb", "sha256:0"});
  ASSERT_TRUE(text);
  EXPECT_NE(text->json.find("\"expression\": \"elbow_l.bend / 100\""), std::string::npos) << text->json;
  const Result<OpenedSession> again = session_from_text(
      text->json, document.file, [](const std::string&) { return Result<std::string>(error("none")); });
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again->document.content.behaviour, *document.content.behaviour);
}

TEST(Behaviour, SessionsRefuseWhatNoBehaviourCanHave) {
  const Document document = arm_document();
  const auto fault = [&](const std::string& behaviour) {
    const std::string text =
        R"({"pelt": "session", "version": 2, "source": {"file": "a", "hash": "b"}, "behaviour": )" + behaviour + "}";
    const Result<OpenedSession> opened =
        session_from_text(text, document.file, [](const std::string&) { return Result<std::string>(error("none")); });
    return opened ? "" : opened.error().message;
  };
  EXPECT_EQ(fault(R"({"drivers": [{"target": "a", "expression": "b"}]})"), "");
  EXPECT_NE(fault(R"({"drivers": [{"target": "a"}]})"), "");
  EXPECT_NE(fault(R"({"drivers": {"target": "a"}})"), "");
  EXPECT_NE(fault(R"({"sliders": [{"name": "a", "rows": [{"target": "b", "amount": "c"}]}]})"), "");
  EXPECT_NE(fault(R"({"springs": {"chains": [{"joints": [{"joint": "a", "mass": -1}]}]}})"), "");
  EXPECT_NE(fault(R"({"springs": {"colliders": [{"name": "a", "joint": "b", "shape": "cube"}]}})"), "");
  EXPECT_NE(fault(R"(3)"), "");
}

rig::Character written_and_read(const Document& document) {
  rig::Character character = *document.character;
  EXPECT_TRUE(put_layers(character, document.content));
  const Result<std::vector<std::uint8_t>> bytes = gltf::export_glb(character);
  EXPECT_TRUE(bytes) << (bytes ? "" : bytes.error().message);
  Result<rig::Character> again = gltf::import_memory(*bytes, {});
  EXPECT_TRUE(again) << (again ? "" : again.error().message);
  return *std::move(again);
}

TEST(Behaviour, AnExportedFileOpensWithIt) {
  const Document document = busy_arm();
  const Document again = make_document(std::make_shared<const rig::Character>(written_and_read(document)));
  EXPECT_EQ(*again.content.behaviour, *document.content.behaviour);
  EXPECT_NEAR(smile(again), smile(document), 1e-6);
  Document without = again;
  without.content.behaviour = {};
  const rig::Character plain = written_and_read(without);
  EXPECT_EQ(file_behaviour(plain).behaviour, motion::Behaviour()) << "taken out again";
}

TEST(Behaviour, AFileThatCannotBeUnderstoodSaysSo) {
  rig::Character character = *arm_document().character;
  character.kept.push_back({"", "", R"({"pelt": {"behaviour": {"version": 2, "drivers": []}}})"});
  FileBehaviour read = file_behaviour(character);
  ASSERT_EQ(read.remarks.size(), 1u);
  EXPECT_EQ(
      read.remarks[0],
      "extras.pelt.behaviour: made by a newer version of Pelt (its form is 2, this program reads up to 1); left out");
  note_file_layers(character);
  EXPECT_EQ(character.diagnostics.back().message, read.remarks[0]);
  EXPECT_TRUE(put_behaviour(character, {}));
  EXPECT_NE(character.kept.back().extras.find("\"version\": 2"), std::string::npos) << "left as it is";
}

TEST(Behaviour, ARenamedJointIsRenamedInIt) {
  Document document = busy_arm();
  const rig::Pose before = evaluate_pose(document);
  apply(document, RenameJoint{kElbow, "Ellen Bogen"});
  const motion::Behaviour& behaviour = document.content.behaviour;
  EXPECT_EQ(behaviour.drivers[0].expression, "\"Ellen Bogen\".bend / 100");
  EXPECT_EQ(behaviour.sliders[0].rows[0].target, "\"Ellen Bogen\".bend");
  EXPECT_EQ(behaviour.springs.chains[0].joints[0].joint, "Ellen Bogen");
  EXPECT_EQ(evaluate_pose(document), before);
  undo(document);
  EXPECT_EQ(document.content.behaviour->drivers[0].expression, "elbow_l.bend / 100");
}

TEST(Behaviour, ANewVersionOfTheFileKeepsItByNames) {
  Document document = busy_arm();
  rig::Character newer = *document.character;
  newer.skeleton.edit().name[kHand] = "paw_l";
  reload_character(document, std::make_shared<const rig::Character>(newer));
  EXPECT_EQ(document.content.behaviour->drivers[0].expression, "elbow_l.bend / 100");
  EXPECT_EQ(driver_states(document)[0].fault, "");
  const motion::SpringRig rig = motion::make_spring_rig(*document.character, document.content.behaviour->springs);
  EXPECT_EQ(rig.faults[0], "there is no joint 'hand_l'") << "said, and kept";
}

TEST(Behaviour, StatesAreThoseOfThePose) {
  Document document = busy_arm();
  apply(document, SetDof{kElbow, 0, 30 * test::kDegree});
  document.content.behaviour.edit().drivers.push_back({"elbow_r.bend", "1 / shape(frown)"});
  document.content.behaviour.edit().drivers.push_back({"elbow_r.bend", "2"});
  apply(document, SetMorph{1, 0});
  const std::vector<DriverState> states = driver_states(document);
  EXPECT_NEAR(*states[0].value, 0.55, 1e-6) << "30 by hand and 25 by the slider";
  EXPECT_NEAR(states[0].inputs.at(0), 55, 1e-4);
  EXPECT_FALSE(states[1].value);
  EXPECT_EQ(states[1].fault, "");
  EXPECT_NE(states[2].fault, "");
  EXPECT_TRUE(held_back(document).empty());
  apply(document, SetDof{kElbow, 0, 130 * test::kDegree});
  EXPECT_EQ(held_back(document), std::vector<std::string>{"elbow_l.bend"}) << "C50.3";
}

TEST(Behaviour, SpringsOfAVrmFileSwing) {
  PELT_NEEDS_CORPUS("vrm/spring_sphere.gltf");
  const std::filesystem::path folder = std::filesystem::path(PELT_CORPUS_DIR) / "vrm";
  for (const char* name : {"spring_sphere.gltf", "spring_plane.gltf", "spring_inside.gltf"}) {
    const Result<rig::Character> character = gltf::import_file(folder / name);
    ASSERT_TRUE(character) << character.error().message;
    ASSERT_EQ(character->spring_bones.size(), 1u) << name;
    ASSERT_EQ(character->spring_colliders.size(), 1u) << name;
    Document document = make_document(std::make_shared<const rig::Character>(*character));
    const motion::SpringSet& springs = document.content.behaviour->springs;
    ASSERT_EQ(springs.chains.size(), 1u) << name;
    EXPECT_EQ(springs.chains[0].joints.size(), 4u);
    const motion::SpringRig rig = motion::make_spring_rig(*document.character, springs);
    EXPECT_EQ(rig.faults[0], "") << name;
    // Pushed aside by a bit the hanging chain touches its collider, and leans away from it.
    const int root = document.character->skeleton->find("Spring A");
    Transform aside = document.character->skeleton->rest[static_cast<std::size_t>(root)];
    aside.translation.x += std::string_view(name) == "spring_plane.gltf" ? -0.3f : 0.3f;
    apply(document, SetJointLocal{root, aside});
    Document free = document;
    free.content.behaviour.edit().springs.chains[0].colliders.clear();
    EXPECT_NE(evaluate_pose(document), evaluate_pose(free)) << name;
    EXPECT_EQ(file_behaviour(written_and_read(document)).behaviour.springs, springs) << name;
  }
}

}  // namespace
}  // namespace pelt::edit
