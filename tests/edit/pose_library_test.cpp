// Poses that are put aside and come back.
#include "edit/pose_library.h"

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.h"
#include "edit/behaviour_edits.h"
#include "edit/commands.h"
#include "edit/constraint_edits.h"
#include "edit/edit_fixtures.h"
#include "edit/pose_file.h"
#include "edit/remap.h"
#include "edit/session.h"
#include "gltf/bundled.h"
#include "gltf/import.h"
#include "motion/retarget.h"
#include "rig/joint_matching.h"
#include "rig/kinematics.h"
#include "rig/mirror.h"
#include "support/requirements.h"

namespace pelt::edit {
namespace {

using test::arm;
using test::kDegree;
using test::kElbow;
using test::kHand;
using test::kShoulder;
using testing::HasSubstr;

Document library_arm() {
  return make_document(std::make_shared<const rig::Character>(arm()));
}

Document bent_arm() {
  Document document = library_arm();
  apply(document, {SetDof{kElbow, 0, 70 * kDegree}, {}, true});
  apply(document, {SetMorph{0, 0.75f}, {}, true});
  return document;
}

void store(Document& document, const std::string& name, const std::vector<int>& joints = {}) {
  apply(document, {StorePoses{{stored_pose(document, name, joints)}}, {}, true});
}

std::vector<std::string> names(const Document& document) {
  std::vector<std::string> out;
  for (const StoredPose& pose : document.content.library) {
    out.push_back(pose.name);
  }
  return out;
}

TEST(PoseLibrary, BlendsFromWhatWasToWhatIsStoredBitForBit) {
  Document document = bent_arm();
  store(document, "bent");
  const rig::Pose wanted = evaluate_pose(document);
  apply(document, {ResetJoints{{}, ResetScope::kAll, ResetTo::kRest}, {}, true});
  apply(document, {ResetMorphs{}, {}, true});
  apply(document,
        {SetJointLocal{kShoulder, {{0.2f, 0.4f, 0}, glm::angleAxis(0.7f, glm::vec3(0, 1, 0)), {1, 1, 1}}}, {}, true});
  const Content before = document.content;
  const rig::Pose first = evaluate_pose(document);
  const auto start = blend_start(document);
  const Shared<StoredPose> pose = document.content.library.shared(0);
  const auto blend = [&](float share) {
    apply(document, {ApplyPose{pose, share, false, {}, start}, "blend", true});
    return evaluate_pose(document);
  };
  const rig::Pose half = blend(0.5f);
  for (std::size_t j = 0; j < half.local.size(); ++j) {
    // The turn from the start is half of the whole, by the shorter way.
    const auto angle = [](const glm::quat& a, const glm::quat& b) {
      return 2 * std::acos(std::min(1.0f, std::abs(glm::dot(a, b))));
    };
    EXPECT_NEAR(angle(first.local[j].rotation, half.local[j].rotation),
                0.5f * angle(first.local[j].rotation, wanted.local[j].rotation), 1e-3f)
        << j;
    EXPECT_NEAR(
        glm::distance(half.local[j].translation, 0.5f * (first.local[j].translation + wanted.local[j].translation)), 0,
        1e-6f);
  }
  EXPECT_FLOAT_EQ(half.morph_weights[0], 0.375f);
  EXPECT_EQ(blend(1), wanted);
  EXPECT_EQ(blend(0), first);
  EXPECT_EQ(document.content, before) << "a drag that comes back leaves no step";
  EXPECT_EQ(blend(1), wanted);
  end_merge(document);
  undo(document);
  EXPECT_EQ(document.content, before) << "one step for the whole drag";
}

// Sliders, constraints and springs come after what is posed by hand: what they add is in the stored pose already.
TEST(PoseLibrary, WhatLaterLayersAddIsNotAddedAgain) {
  Document document = bent_arm();
  test::apply(document, SetSemanticSliders{{{"curl", 0, 1, {{"elbow_l.bend", 40}, {"shape(smile)", 0.6f}}, 0.5f}}});
  motion::Constraint half{.kind = motion::ConstraintKind::kRotation, .joint = "elbow_r", .target = "elbow_l"};
  half.weight = 0.5f;
  test::apply(document, SetConstraints{{half}});
  motion::SpringSet springs;
  springs.chains = {{.name = "arm", .joints = {{.joint = "shoulder_r"}}, .end = "elbow_r"}};
  test::apply(document, SetSprings{springs});
  const rig::Pose shown = evaluate_pose(document);
  EXPECT_FLOAT_EQ(shown.morph_weights[0], 1.05f) << "0.75 by hand and 0.3 by the slider";
  store(document, "seen");
  const Shared<StoredPose> pose = document.content.library.shared(0);
  EXPECT_EQ(pose->joints.at(kElbow), shown.local[kElbow]);
  const auto worst = [&](const rig::Pose& now) {
    float most = test::distance(now, shown);
    for (std::size_t m = 0; m < shown.morph_weights.size(); ++m) {
      most = std::max(most, std::abs(now.morph_weights[m] - shown.morph_weights[m]));
    }
    return most;
  };
  const auto start = blend_start(document);
  for (const float share : {1e-3f, 0.5f, 1.0f}) {
    apply(document, {ApplyPose{pose, share, false, {}, start}, {}, true});
    EXPECT_LT(worst(evaluate_pose(document)), 2e-6f) << share;
  }
  // From elsewhere, too, and over another value of the slider.
  test::apply(document, SetDof{kElbow, 0, 10 * kDegree});
  test::apply(document, SetMorph{0, 0.1f});
  test::apply(document, SetSemanticValue{0, 0.25f});
  const rig::Pose before = evaluate_pose(document);
  apply(document, {ApplyPose{pose, 1e-3f}, {}, true});
  EXPECT_LT(test::distance(evaluate_pose(document), before), 1e-2f) << "a thousandth of the way is no jump";
  undo(document);
  apply(document, {ApplyPose{pose}, {}, true});
  EXPECT_NEAR(evaluate_pose(document).morph_weights[0], 1.05f, 1e-6f);
  EXPECT_LT(test::distance(evaluate_pose(document).local[kElbow], shown.local[kElbow]), 2e-6f);
}

TEST(PoseLibrary, BecomesKeysWhereEverythingThatIsPosedDoes) {
  Document document = bent_arm();
  store(document, "bent");
  const rig::Pose wanted = evaluate_pose(document);
  document.view.timing.auto_key = true;
  apply(document, {SetClip{0}, {}, true});
  apply(document, {ResetJoints{{}, ResetScope::kAll, ResetTo::kBase}, {}, true});
  apply(document, {ResetMorphs{}, {}, true});
  apply(document, {SetTime{2}, {}, false});
  const rig::Pose before = evaluate_pose(document);
  const auto start = blend_start(document);
  const ApplyPose whole{document.content.library.shared(0), 1, false, {}, start};
  apply(document, {whole, "blend", true});
  EXPECT_TRUE(document.content.overrides->empty());
  EXPECT_EQ(evaluate_pose(document).local[kElbow], wanted.local[kElbow]);
  ApplyPose none = whole;
  none.share = 0;
  apply(document, {none, "blend", true});
  for (std::size_t j = 0; j < before.local.size(); ++j) {
    EXPECT_NEAR(std::abs(glm::dot(evaluate_pose(document).local[j].rotation, before.local[j].rotation)), 1, 1e-6);
  }
}

TEST(PoseLibrary, AppliesToTheSelectionAlone) {
  Document document = bent_arm();
  apply(document,
        {SetJointLocal{kHand, {{0.25f, 0, 0}, glm::angleAxis(1.0f, glm::vec3(1, 0, 0)), {1, 1, 1}}}, {}, true});
  store(document, "all");
  store(document, "hand", {kHand});
  EXPECT_EQ(document.content.library[1].joints.size(), 1u);
  EXPECT_TRUE(document.content.library[1].shapes.empty());
  const Transform hand = evaluate_pose(document).local[kHand];
  apply(document, {ResetJoints{{}, ResetScope::kAll, ResetTo::kRest}, {}, true});
  apply(document, {ResetMorphs{}, {}, true});
  const rig::Pose rest = evaluate_pose(document);
  for (const int pose : {0, 1}) {
    ApplyPose change{document.content.library.shared(pose)};
    change.joints = {kHand};
    apply(document, {change, {}, true});
    rig::Pose wanted = rest;
    wanted.local[kHand] = hand;
    EXPECT_EQ(evaluate_pose(document), wanted);
    undo(document);
  }
}

TEST(PoseLibrary, FlippedTwiceIsItself) {
  for (const EmbeddedFile& file : gltf::bundled_characters()) {
    const std::string_view name = file.name.substr(0, file.name.rfind('.'));
    SCOPED_TRACE(name);
    auto character = gltf::import_bundled(name);
    ASSERT_TRUE(character) << character.error().message;
    Document document = make_document(std::make_shared<const rig::Character>(*std::move(character)));
    const rig::Mirror mirror(*document.character);
    StoredPose pose = stored_pose(document, "any");
    test::Random random(7);
    for (auto& [joint, local] : pose.joints) {
      local.rotation = glm::normalize(
          local.rotation * glm::angleAxis(random.real(-1.0f, 1.0f), glm::normalize(random.vector(0.1f, 1.0f))));
    }
    const StoredPose once = flipped(*document.character, pose);
    const StoredPose twice = flipped(*document.character, once);
    std::size_t paired = 0;
    for (const auto& [joint, local] : pose.joints) {
      const int partner = mirror.partner(joint);
      if (partner < 0) {
        EXPECT_FALSE(twice.joints.contains(joint));
        continue;
      }
      ++paired;
      ASSERT_TRUE(twice.joints.contains(joint));
      EXPECT_NEAR(std::abs(glm::dot(twice.joints.at(joint).rotation, local.rotation)), 1, 2e-6f);
      EXPECT_NEAR(glm::distance(twice.joints.at(joint).translation, local.translation), 0, 1e-5f);
    }
    EXPECT_EQ(once.joints.size(), paired);
  }
}

TEST(PoseLibrary, FlippedIsWhatTheMirrorMakes) {
  auto character = gltf::import_bundled("mannequin");
  ASSERT_TRUE(character) << character.error().message;
  Document document = make_document(std::make_shared<const rig::Character>(*std::move(character)));
  test::Random random(5);
  for (int n = 0; n < 12; ++n) {
    const int joint = random.below(document.character->skeleton->size());
    Transform local = document.character->skeleton->rest[joint];
    local.rotation = glm::normalize(local.rotation * glm::quat(random.rotation()));
    apply(document, {SetJointLocal{joint, local, false}, {}, true});
  }
  const Shared<StoredPose> pose = stored_pose(document, "any");
  apply(document, {MirrorPose{}, {}, true});
  const rig::Pose mirrored = evaluate_pose(document);
  undo(document);
  apply(document, {ApplyPose{.pose = pose, .flipped = true}, {}, true});
  const rig::Pose applied = evaluate_pose(document);
  const rig::Mirror mirror(*document.character);
  for (int j = 0; j < document.character->skeleton->size(); ++j) {
    if (mirror.partner(j) >= 0) {
      EXPECT_EQ(applied.local[j], mirrored.local[j]) << document.character->skeleton->label(j);
    }
  }
}

TEST(PoseLibrary, KeepsNamesSound) {
  Document document = bent_arm();
  const std::string long_name(10'000, 'x');
  for (const std::string& name :
       {std::string(), std::string("two\nlines"), long_name, std::string("Fist"), std::string("Fist")}) {
    store(document, name);
  }
  const std::vector<std::string> stored = names(document);
  EXPECT_EQ(stored[0], "Pose");
  EXPECT_EQ(stored[1], "two?lines");
  EXPECT_EQ(stored[2].size(), 200u);
  EXPECT_EQ(stored[3], "Fist");
  EXPECT_EQ(stored[4], "Fist 2");
  EXPECT_THAT(why_refused(document, RenameStoredPose{3, ""}), HasSubstr("Fist keeps its name"));
  apply(document, {RenameStoredPose{3, ""}, {}, true});
  apply(document, {RenameStoredPose{3, "Fist 2"}, {}, true});
  EXPECT_EQ(names(document)[3], "Fist 2 2");
  apply(document, {MoveStoredPose{4, 0}, {}, true});
  EXPECT_EQ(names(document)[0], "Fist 2");
  apply(document, {RemoveStoredPose{0}, {}, true});
  EXPECT_EQ(names(document).size(), 4u);
  EXPECT_EQ(find_pose(document.content.library, "Fist 2 2"), 3);
  EXPECT_EQ(find_pose(document.content.library, "Fist 2"), -1);
  const std::string proposed = proposed_pose_name(document.content.library);
  EXPECT_EQ(find_pose(document.content.library, proposed), -1);
}

// Reading a session cuts names, and two that become one are refused: then nothing could be saved any more.
TEST(PoseLibrary, LongNamesWithNumbersGoThroughASession) {
  Document document = bent_arm();
  const std::string longest(200, 'x');
  for (const std::string& name :
       {longest, longest, longest, longest.substr(1), longest.substr(1), std::string("\u00e4") + longest}) {
    store(document, name);
    store(document, name);
  }
  apply(document, {RenameStoredPose{4, longest}, {}, true});
  const auto text = session_to_text(document, {.file = "arm.glb", .hash = "1"});
  ASSERT_TRUE(text) << text.error().message;
  const auto opened = session_from_text(text->json, document.file,
                                        [](const std::string&) { return Result<std::string>(error("none")); });
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->document.content.library, document.content.library);
}

// A file may have any number of entries of one name: one step stores them all. pose_library_cost_test.cpp measures
// the time.
TEST(PoseLibrary, ThousandsOfOneNameAreStoredAtOnce) {
  Document document = library_arm();
  constexpr std::size_t kCount = 12'000;
  StorePoses change;
  change.poses.assign(kCount, Shared<StoredPose>(StoredPose{.name = "P", .joints = {}, .shapes = {}}));
  Document stored = document;
  apply(stored, {change, {}, true});
  EXPECT_EQ(stored.content.library.size(), kCount);
  EXPECT_EQ(stored.content.library[kCount - 1].name, fmt::format("P {}", kCount));
  StorePoses too_many;
  too_many.poses.assign(kMostPoses + 1, Shared<StoredPose>(StoredPose{.name = "P", .joints = {}, .shapes = {}}));
  EXPECT_EQ(why_refused(document, too_many), "a library has at most 100000 poses; expected no more, got 100001");
  apply(document, {too_many, {}, true});
  EXPECT_TRUE(document.content.library.empty());
}

TEST(PoseLibrary, OutlivesASessionWithAndWithoutItsPictures) {
  Document document = bent_arm();
  store(document, "bent");
  store(document, "hand", {kHand});
  StoredPose pictured = stored_pose(document, "seen");
  pictured.picture = std::string("not really a picture");
  pictured.note = "3 of 4 joints found; without counterpart: tail_1";
  apply(document, {StorePoses{{pictured}}, {}, true});
  const auto text = session_to_text(document, {.file = "arm.glb", .hash = "1"});
  ASSERT_TRUE(text) << text.error().message;
  ASSERT_EQ(text->files.size(), 1u);
  const auto open = [&](const SessionFiles& files) { return session_from_text(text->json, document.file, files); };
  const auto whole = open([&](const std::string&) -> Result<std::string> { return text->files[0].bytes; });
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_EQ(whole->document.content.library, document.content.library);
  EXPECT_EQ(content_hash(whole->document.content), content_hash(document.content));
  const auto without = open([](const std::string&) -> Result<std::string> { return error("it is gone"); });
  ASSERT_TRUE(without) << without.error().message;
  PoseLibrary unseen = document.content.library;
  unseen.edit(2).picture = {};
  EXPECT_EQ(without->document.content.library, unseen);
  EXPECT_TRUE(without->lost.empty());
}

TEST(PoseLibrary, GoesThroughAFileBitForBit) {
  Document document = bent_arm();
  store(document, "bent");
  store(document, "hand at rest", {kHand, 7});  // a name that two joints have
  const std::string text = poses_to_json(document, document.content.library);
  const auto opened = poses_from_json(document, text, "file");
  ASSERT_TRUE(opened) << opened.error().message;
  ASSERT_EQ(opened->poses.size(), 2u);
  EXPECT_EQ(opened->poses[0], document.content.library[0]);
  EXPECT_EQ(opened->poses[1], document.content.library[1]);
  const auto single = poses_from_json(document, pose_to_json(document), "saved");
  ASSERT_TRUE(single) << single.error().message;
  StoredPose saved = document.content.library[0];
  saved.name = "saved";
  EXPECT_EQ(single->poses[0], saved);
}

TEST(PoseLibrary, SaysWhatIsWrongWithAFile) {
  const Document document = library_arm();
  const auto message = [&](const std::string& text) {
    const auto opened = poses_from_json(document, text, "file");
    return opened ? std::string() : opened.error().message;
  };
  EXPECT_THAT(message("{}"), HasSubstr("not a pose file"));
  EXPECT_THAT(message(R"({"pelt": "poses", "version": 9, "poses": []})"), HasSubstr("expected 1"));
  EXPECT_THAT(message(R"({"pelt": "poses", "version": 1})"), HasSubstr("\"poses\": expected an array"));
  EXPECT_THAT(message(R"({"pelt": "poses", "version": 1, "poses": [{}]})"), HasSubstr("pose 0: expected an object"));
  EXPECT_THAT(message(R"({"pelt": "poses", "version": 1, "poses": [{"name": "x", "joints": {"tail": {}}}]})"),
              HasSubstr("x: the character has none of the joints"));
  const auto some = poses_from_json(
      document,
      R"({"pelt": "poses", "version": 1, "poses": [{"name": "x", "joints": {"tail": {}}}, {"name": "y", "joints": {"hand_l": {}, "tail": {}}}]})",
      "file");
  ASSERT_TRUE(some) << some.error().message;
  EXPECT_EQ(some->lost.size(), 1u);
  ASSERT_EQ(some->poses.size(), 1u);
  EXPECT_EQ(some->poses[0].note, "1 of 2 joints found; without counterpart: tail");
}

// Directions of upper and lower arms and legs in the world, by human role.
std::map<std::string, glm::dvec3> library_limbs(const rig::Character& character, const rig::Pose& pose) {
  const motion::HumanBody body = motion::target_rig(character).body;
  rig::WorldMatrices matrices;
  matrices.evaluate(character.skeleton, pose);
  const std::vector<glm::mat4>& world = matrices.world();
  std::map<std::string, glm::dvec3> out;
  for (const char* side : {"left", "right"}) {
    for (const auto& [upper, lower] : {std::pair("UpperArm", "LowerArm"), std::pair("LowerArm", "Hand"),
                                       std::pair("UpperLeg", "LowerLeg"), std::pair("LowerLeg", "Foot")}) {
      const int i = body.find(side + std::string(upper));
      const int k = body.find(side + std::string(lower));
      if (i >= 0 && k >= 0) {
        out[side + std::string(upper)] = glm::normalize(glm::dvec3(world[k][3]) - glm::dvec3(world[i][3]));
      }
    }
  }
  return out;
}

// From facing as one character rests to facing as another does: about the vertical, by quarters of a turn.
glm::dquat turned_to_face(const rig::Character& from, const rig::Character& to) {
  const auto quarters = [](const rig::Character& character) {
    const motion::RetargetRig rig = motion::target_rig(character);
    const glm::dvec3 left =
        rig.frames.position[rig.body.find("leftUpperLeg")] - rig.frames.position[rig.body.find("rightUpperLeg")];
    return std::round(std::atan2(left.x, left.z) / (90 * static_cast<double>(kDegree)));
  };
  return glm::angleAxis((quarters(to) - quarters(from)) * 90 * static_cast<double>(kDegree), glm::dvec3(0, 1, 0));
}

TEST(PoseLibrary, KeepsDirectionsOfLimbsOnAnotherRig) {
  auto mannequin = gltf::import_bundled("mannequin");
  ASSERT_TRUE(mannequin);
  Document from = make_document(std::make_shared<const rig::Character>(*std::move(mannequin)));
  const std::vector<std::string> roles = rig::human_roles(rig::named_joints(*from.character));
  test::Random random(11);
  for (std::size_t j = 0; j < roles.size(); ++j) {
    if (roles[j].ends_with("Arm") || roles[j].ends_with("Leg")) {
      Transform local = from.character->skeleton->rest[j];
      local.rotation = glm::normalize(
          local.rotation * glm::angleAxis(random.real(-1.0f, 1.0f), glm::normalize(random.vector(0.1f, 1.0f))));
      apply(from, {SetJointLocal{static_cast<int>(j), local, false}, {}, true});
    }
  }
  store(from, "limbs");
  const std::string text = poses_to_json(from, from.content.library);
  const auto wanted = library_limbs(*from.character, evaluate_pose(from));
  ASSERT_EQ(wanted.size(), 8u);
  for (const char* file : {"characters/cesium_man.gltf", "characters/human.glb", "characters/mannequiny.glb"}) {
    SCOPED_TRACE(file);
    PELT_NEEDS_CORPUS(file);
    auto character = gltf::import_file(std::filesystem::path(PELT_CORPUS_DIR) / file);
    ASSERT_TRUE(character) << character.error().message;
    Document to = make_document(std::make_shared<const rig::Character>(*std::move(character)));
    const auto opened = poses_from_json(to, text, "");
    ASSERT_TRUE(opened) << opened.error().message;
    apply(to, {StorePoses{{opened->poses[0]}}, {}, true});
    apply(to, {ApplyPose{to.content.library.shared(0)}, {}, true});
    const auto made = library_limbs(*to.character, evaluate_pose(to));
    EXPECT_GE(made.size(), 6u);
    const glm::dquat facing = turned_to_face(*from.character, *to.character);
    for (const auto& [role, direction] : made) {
      EXPECT_LT(std::acos(std::min(1.0, glm::dot(direction, facing * wanted.at(role)))) / kDegree, 0.1) << role;
    }
  }
}

TEST(PoseLibrary, FollowsJointsThatChangeTheirPlaces) {
  Document document = bent_arm();
  store(document, "all");
  store(document, "hand", {kHand});
  Remap numbers = identity(*document.character);
  numbers.joints[kHand] = -1;
  std::swap(numbers.joints[kShoulder], numbers.joints[4]);
  std::vector<std::string> lost;
  const PoseLibrary now = remapped(numbers, document.content.library, &lost);
  EXPECT_EQ(lost, (std::vector<std::string>{"some of the stored pose all", "some of the stored pose hand"}));
  EXPECT_EQ(now[0].joints.at(4), document.content.library[0].joints.at(kShoulder));
  EXPECT_FALSE(now[0].joints.contains(kHand));
  EXPECT_TRUE(now[1].joints.empty());
  EXPECT_TRUE(remapped(identity(*document.character), document.content.library, nullptr)
                  .shared(0)
                  .is(document.content.library.shared(0)));
}

}  // namespace
}  // namespace pelt::edit
