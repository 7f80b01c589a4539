#include "edit/reload.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "edit_fixtures.h"
#include "newer_arm.h"
#include "rig/lint_fix.h"

namespace pelt::edit {
namespace {

using test::apply;
using test::arm_document;
using test::distance;
using test::dof;
using test::kElbow;
using test::kHand;
using test::kRoot;
using test::kShoulder;
using test::local;

TEST(Reload, WhatWasDoneIsFoundAgainByName) {
  Document document = arm_document();
  apply(document, SetClip{0});
  apply(document, SetTime{2});
  apply(document, SetDof{kElbow, 0, 0.5f});
  apply(document, SetDof{kHand, 0, 0.25f});
  apply(document, SetMorph{0, 0.75f});
  document.view.select_only(kElbow);
  const Transform bent = local(evaluate_pose(document), kElbow);
  const std::uint64_t version = document.character_version;
  reload_character(document, std::make_shared<rig::Character>(test::newer_arm()));
  EXPECT_GT(document.character_version, version);
  EXPECT_EQ(document.view.selected_joint(), kElbow + 1);
  EXPECT_EQ(document.content.overrides->size(), 1u) << "hand_l is no more";
  EXPECT_LT(distance(local(evaluate_pose(document), kElbow + 1), bent), 1e-6f);
  EXPECT_EQ(document.content.morph_overrides, (std::map<int, float>{{1, 0.75f}})) << "\"smile\" is the second now";
  EXPECT_EQ(document.content.clip, 1);
  EXPECT_EQ(document.view.time, 2);
  undo(document);
  EXPECT_TRUE(document.content.morph_overrides->empty()) << "history goes on";
  undo(document);
  undo(document);
  EXPECT_TRUE(document.content.overrides->empty());
  // Nothing can be found again in another character, and nothing breaks.
  reload_character(document, std::make_shared<rig::Character>(test::cylinder()));
  EXPECT_EQ(document.content.clip, -1);
  EXPECT_EQ(document.view.selected_joint(), -1);
  while (can_redo(document)) {
    redo(document);
    EXPECT_EQ(evaluate_pose(document).local.size(), document.character->skeleton->rest.size());
  }
}

TEST(Reload, TwinsAreFoundByTheirPlaceAlone) {
  const rig::Character arm = test::arm();
  const rig::Character newer = test::newer_arm();
  const std::vector<int> same = matching_joints(arm.skeleton, arm.skeleton);
  for (int j = 0; j < arm.skeleton->size(); ++j) {
    EXPECT_EQ(same[j], j);
  }
  const std::vector<int> moved = matching_joints(arm.skeleton, newer.skeleton);
  EXPECT_EQ(moved[kRoot], kRoot + 1);
  EXPECT_EQ(moved[kHand], -1);
  EXPECT_EQ(moved[6], -1) << "without a name";
  EXPECT_EQ(moved[7], -1) << "of two of its name";
  EXPECT_EQ(moved[8], 8);
  EXPECT_EQ(matching_joints(newer.skeleton, arm.skeleton)[kRoot + 1], kRoot);
}

std::shared_ptr<const rig::Character> shared_arm(const std::function<void(rig::Character&)>& change) {
  rig::Character character = test::arm();
  change(character);
  rig::finish(character);
  return std::make_shared<const rig::Character>(std::move(character));
}

// The order goes with its joint, the sliders say it in that order, and so does what can be undone and redone.
TEST(Reload, C2_1_EulerOrdersStay) {
  Document document = arm_document();
  apply(document, SetEulerOrder{kShoulder, EulerOrder::kYZX});
  apply(document, SetDof{kShoulder, dof(document, kShoulder, "bend"), 0.5f});
  apply(document, SetDof{kShoulder, dof(document, kShoulder, "twist"), 0.8f});
  apply(document, SetDof{kShoulder, dof(document, kShoulder, "side"), -0.4f});
  const std::vector<float> before = dof_values(document, kShoulder);
  apply(document, SetEulerOrder{kShoulder, EulerOrder::kZXY});
  undo(document);
  reload_character(document, std::make_shared<rig::Character>(test::newer_arm()));
  constexpr int kNow = kShoulder + 1;
  EXPECT_THAT(*document.content.euler_orders, testing::ElementsAre(testing::Pair(kNow, EulerOrder::kYZX)));
  EXPECT_EQ(rig::euler_order(joint_dofs(document, kNow)), EulerOrder::kYZX);
  EXPECT_THAT(dof_values(document, kNow), testing::Pointwise(testing::FloatNear(1e-6f), before));
  redo(document);
  EXPECT_THAT(*document.content.euler_orders, testing::ElementsAre(testing::Pair(kNow, EulerOrder::kZXY)));
  EXPECT_LT(distance(rig::local_from_dofs(joint_dofs(document, kNow), dof_values(document, kNow)),
                     local(evaluate_pose(document), kNow)),
            1e-6f);
  // A joint that is a hinge now has no order.
  reload_character(document, shared_arm([](rig::Character& character) {
                     rig::Skeleton& skeleton = character.skeleton.edit();
                     skeleton.dofs[kShoulder] = skeleton.dofs[kElbow];
                     skeleton.dofs[kShoulder].offset = skeleton.rest[kShoulder].translation;
                   }));
  EXPECT_TRUE(document.content.euler_orders->empty());
  EXPECT_EQ(dof_values(document, kShoulder).size(), 1u) << "the sliders of the joint as it is now";
}

// The first joint is as good as any, and what is not selected or played stays so.
TEST(Reload, OfTheSameCharacterChangesNothing) {
  Document document = arm_document();
  apply(document, SetEulerOrder{kRoot, EulerOrder::kZXY});
  apply(document, SetEulerOrder{kHand, EulerOrder::kZXY});
  apply(document, SetDof{kRoot, 0, 0.5f});
  apply(document, SetDof{kHand, 0, 0.25f});
  const Content before = document.content;
  reload_character(document, std::make_shared<rig::Character>(test::arm()));
  EXPECT_EQ(document.content.euler_orders, before.euler_orders);
  EXPECT_TRUE(document.content.overrides->contains(kRoot));
  EXPECT_TRUE(document.content.overrides->contains(kHand));
  EXPECT_EQ(document.content.clip, -1);
  EXPECT_EQ(document.view.selected_joint(), -1);
  document.view.select_only(kRoot);
  reload_character(document, std::make_shared<rig::Character>(test::arm()));
  EXPECT_EQ(document.view.selected_joint(), kRoot);
  reload_character(document, std::make_shared<rig::Character>(test::newer_arm()));
  EXPECT_THAT(*document.content.euler_orders, testing::ElementsAre(testing::Pair(kRoot + 1, EulerOrder::kZXY)))
      << "without that of the hand, which is gone";
}

// Three angles of which the middle one is beyond a right angle: three others, all less, make the same rotation.
TEST(Reload, SlidersStayWhereTheTransformAllows) {
  Document document = arm_document();
  for (const char* name : {"bend", "twist", "side"}) {
    apply(document, SetDof{kShoulder, dof(document, kShoulder, name), 2.0f});
  }
  const std::vector<float> before = dof_values(document, kShoulder);
  EXPECT_NE(rig::dofs_from_local(joint_dofs(document, kShoulder), local(evaluate_pose(document), kShoulder)), before);
  reload_character(document, document.character);
  EXPECT_THAT(dof_values(document, kShoulder), testing::Pointwise(testing::FloatNear(1e-5f), before));
}

TEST(Reload, TheTimeStaysWithinTheClip) {
  Document document = arm_document();
  apply(document, SetClip{0});
  apply(document, SetTime{2.75f});
  const auto moved = [](float start, float end) {
    return shared_arm([=](rig::Character& character) {
      character.clips.edit(0).start = start;
      character.clips.edit(0).end = end;
    });
  };
  reload_character(document, moved(1, 2));
  EXPECT_EQ(document.view.time, 2);
  reload_character(document, moved(2.5f, 3));
  EXPECT_EQ(document.view.time, 2.5f);
  reload_character(document, shared_arm([](rig::Character& character) { character.clips.edit(0).name = "other"; }));
  EXPECT_EQ(document.content.clip, -1);
}

// Of two clips with one name the one in the same place is meant.
TEST(Reload, ClipsOfOneNameAreToldApartByTheirPlace) {
  const auto twice = shared_arm([](rig::Character& character) {
    character.clips.push_back(character.clips[0]);
    character.clips.push_back(character.clips[0]);
  });
  Document document = make_document(twice);
  apply(document, SetClip{1});
  reload_character(document, twice);
  EXPECT_EQ(document.content.clip, 1);
  const ReloadReport report = reload_character(document, shared_arm([](rig::Character&) {}));
  EXPECT_EQ(document.content.clip, -1) << "the only one left is the first";
  EXPECT_THAT(report.lost, testing::ElementsAre("the clip wave"));
}

TEST(Reload, MorphsAreFoundOnTheirOwnMesh) {
  const auto with_another = [](bool in_front) {
    return shared_arm([=](rig::Character& character) {
      mesh::Primitive primitive;
      primitive.topology = mesh::Topology::kPoints;
      primitive.positions = {{0, 0, 0}};
      primitive.indices = {0};
      primitive.influences = {};
      mesh::append_row(primitive.influences.edit(), std::array<std::uint16_t, 1>{0}, std::array{1.0f});
      primitive.morph_targets = {{"smile", {{0, 0, 1}}, {}, {}}, {"wink", {{0, 0, 1}}, {}, {}}};
      test::add_skinned_mesh(character, "hat", {0}, std::move(primitive));
      character.meshes.edit_back().morph_names = {"smile", "wink"};
      if (in_front) {
        std::vector<rig::MeshNode>& nodes = character.mesh_nodes.edit();
        std::swap(nodes[0], nodes[1]);
      }
    });
  };
  Document document = make_document(with_another(false));
  const rig::Character& character = *document.character;
  const int hat = character.morph_offset[character.mesh_nodes[1].joint];
  ASSERT_EQ(hat, 3);
  for (int m = 0; m < 5; ++m) {
    apply(document, SetMorph{m, 0.1f * static_cast<float>(m + 1)});
  }
  const std::map<int, float> before = document.content.morph_overrides;
  ASSERT_EQ(before.size(), 5u);
  reload_character(document, with_another(true));
  EXPECT_EQ(document.content.morph_overrides, before) << "nodes in another order are the same nodes";
  reload_character(document, shared_arm([](rig::Character&) {}));
  EXPECT_EQ(document.content.morph_overrides, (std::map<int, float>(before.begin(), std::next(before.begin(), 3))))
      << "the hat is gone";
}

// Targets of one name are told apart by their place, and one that is gone is forgotten; the mesh's node may be the
// first.
TEST(Reload, MorphsAreFoundByNameElsePlace) {
  const auto face = [](const std::vector<std::string>& names) {
    rig::Character character;
    test::add_node(character, "face", -1, {});
    mesh::Primitive primitive;
    primitive.topology = mesh::Topology::kPoints;
    primitive.positions = {{0, 0, 0}};
    primitive.indices = {0};
    for (const std::string& name : names) {
      primitive.morph_targets.push_back({name, {{0, 0, 1}}, {}, {}});
    }
    mesh::Mesh mesh;
    mesh.primitives.push_back(std::move(primitive));
    mesh.morph_names = names;
    character.meshes.push_back(std::move(mesh));
    character.mesh_nodes.push_back({.joint = 0, .mesh = 0, .skin = -1, .morph_weights = {}});
    rig::finish(character);
    return std::make_shared<const rig::Character>(std::move(character));
  };
  Document document = make_document(face({"smile", "smile", "wink"}));
  apply(document, SetMorph{1, 0.25f});
  apply(document, SetMorph{2, 0.5f});
  reload_character(document, document.character);
  EXPECT_EQ(document.content.morph_overrides, (std::map<int, float>{{1, 0.25f}, {2, 0.5f}}));
  reload_character(document, face({"frown", "smile"}));
  EXPECT_EQ(document.content.morph_overrides, (std::map<int, float>{{1, 0.25f}}));
}

TEST(Reload, ThePinnedVertexStaysOnAPartOfTheSameSize) {
  const auto pinned_after = [](int part, int vertex, const std::function<void(rig::Character&)>& change) {
    Document document = arm_document();
    document.view.pinned_part = part;
    document.view.pinned_vertex = vertex;
    reload_character(document, shared_arm(change));
    return glm::ivec2(document.view.pinned_part, document.view.pinned_vertex);
  };
  EXPECT_EQ(pinned_after(0, 1, [](rig::Character&) {}), glm::ivec2(0, 1));
  EXPECT_EQ(pinned_after(0, 1,
                         [](rig::Character& character) {
                           mesh::Primitive& primitive = character.meshes.edit(0).primitives.edit(0);
                           primitive.positions.push_back(glm::vec3(0.0f));
                           mesh::append_row(primitive.influences.edit(), std::array<std::uint16_t, 1>{0},
                                            std::array{1.0f});
                         }),
            glm::ivec2(-1, -1));
  EXPECT_EQ(pinned_after(0, 1, [](rig::Character& character) { character.mesh_nodes.clear(); }), glm::ivec2(-1, -1));
  EXPECT_EQ(pinned_after(-1, -1, [](rig::Character&) {}), glm::ivec2(-1, -1));
}

// What was done to the character itself goes over as what was done to its pose.
TEST(Reload, StepsBetweenCharactersStay) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 0.25f});
  auto mended = std::make_shared<rig::Character>(*document.character);
  mended->meshes.edit(0).primitives.edit(0).positions.edit()[1] = {0, 2, 0};
  apply(document, ReplaceCharacter{mended});
  apply(document, SetDof{kElbow, 0, 0.5f});
  undo(document);
  ASSERT_EQ(document.history.cursor(), 2u);
  rig::Character newer = test::newer_arm();
  const std::uint64_t state_version = document.state_version;
  document.detail_error = 0.5;
  const ReloadReport report = reload_character(document, std::make_shared<const rig::Character>(std::move(newer)));
  EXPECT_TRUE(report.lost.empty()) << lost_sentence(report.lost);
  EXPECT_GT(document.state_version, state_version);
  EXPECT_EQ(document.detail_error, 0);
  EXPECT_EQ(document.history.cursor(), 2u);
  const auto position = [&] { return document.character->meshes[0].primitives[0].positions[1]; };
  EXPECT_EQ(position(), glm::vec3(0, 2, 0));
  redo(document);
  EXPECT_EQ(dof_values(document, kElbow + 1)[0], 0.5f);
  EXPECT_EQ(position(), glm::vec3(0, 2, 0));
  travel(document, 1);
  EXPECT_EQ(document.character, document.file);
  EXPECT_EQ(position(), glm::vec3(0.4f, 1.4f, 0));
  EXPECT_EQ(dof_values(document, kElbow + 1)[0], 0.25f);
  undo(document);
  EXPECT_TRUE(document.content.overrides->empty());
}

mesh::Influences& weights_of(rig::Character& character) {
  return character.meshes.edit(0).primitives.edit(0).influences.edit();
}

// Vertex 1 half with the root, half with the hand.
void weigh(Document& document) {
  auto character = std::make_shared<rig::Character>(*own_character(document));
  weights_of(*character).set_row(1, std::array<std::uint16_t, 2>{0, 3}, std::array{0.5f, 0.5f});
  apply(document, ReplaceCharacter{character});
}

// The joint indices that a vertex follows.
std::vector<int> joints_of(const rig::Character& character, std::size_t v) {
  std::vector<int> out;
  for (const std::uint16_t k : character.meshes[0].primitives[0].influences->joints(v)) {
    out.push_back(character.skins[0].joints[k]);
  }
  std::ranges::sort(out);
  return out;
}

TEST(Reload, EditedWeightsStayWhereVerticesAndPlacesDo) {
  Document document = arm_document();
  weigh(document);
  // The joints come in another order, and the file has other weights for the other vertex.
  ReloadReport report =
      reload_character(document, shared_arm([](rig::Character& character) {
                         rig::Skin& skin = character.skins.edit(0);
                         std::ranges::reverse(skin.joints);
                         std::ranges::reverse(skin.joint_from_mesh);
                         weights_of(character).renumber_joints([](int k) { return 5 - k; });
                         weights_of(character).set_row(0, std::array<std::uint16_t, 1>{0}, std::array{1.0f});
                       }));
  EXPECT_TRUE(report.lost.empty()) << lost_sentence(report.lost);
  EXPECT_EQ(joints_of(*document.character, 1), (std::vector{kRoot, kHand}));
  EXPECT_EQ(joints_of(*document.character, 0), (std::vector{5})) << "the file's";
  undo(document);
  EXPECT_EQ(joints_of(*document.character, 1), (std::vector{kElbow}));
  redo(document);
  EXPECT_EQ(joints_of(*document.character, 1), (std::vector{kRoot, kHand}));
  // The file changed the same row: it wins, and that is said once, however many steps had it.
  {
    Document both = arm_document();
    weigh(both);
    apply(both, SetDof{kElbow, 0, 0.5f});
    const ReloadReport conflict =
        reload_character(both, shared_arm([](rig::Character& character) {
                           weights_of(character).set_row(1, std::array<std::uint16_t, 1>{0}, std::array{1.0f});
                         }));
    EXPECT_THAT(conflict.lost, testing::ElementsAre(testing::HasSubstr("changed in the file, too")));
    EXPECT_EQ(joints_of(*both.character, 1), (std::vector{kRoot}));
  }
  // A joint of the row is gone: that row alone goes back to the file's.
  report = reload_character(document, std::make_shared<const rig::Character>([] {
                              rig::Character character = test::arm();
                              character.skeleton.edit().name[kHand] = "claw";
                              return character;
                            }()));
  EXPECT_THAT(report.lost, testing::ElementsAre(testing::HasSubstr("weights of 1 vertex")));
  EXPECT_THAT(document.lost, report.lost);
  EXPECT_EQ(joints_of(*document.character, 1), (std::vector{kElbow}));
}

// Mending takes unused joints from a skin's list; a newer file does not put them back.
TEST(Reload, WhatWasMendedStaysMended) {
  Document document = arm_document();
  ASSERT_EQ(document.character->skins[0].joints, (std::vector{0, 1, 2, 3, 4, 5}));
  const std::vector<std::string> only = {"unused-joint"};
  apply(document, ReplaceCharacter{std::make_shared<const rig::Character>(rig::fixed(*document.character, only))});
  ASSERT_EQ(document.character->skins[0].joints, (std::vector{0, 1, 2})) << "what no weight lies at or below";
  ReloadReport report = reload_character(document, shared_arm([](rig::Character& character) {
                                           character.copyright = "nobody";
                                           character.mesh_nodes.edit()[0].morph_weights = {0, 0.5f, 0};
                                         }));
  EXPECT_TRUE(report.lost.empty()) << lost_sentence(report.lost);
  EXPECT_EQ(document.character->skins[0].joints, (std::vector{0, 1, 2}));
  EXPECT_EQ(joints_of(*document.character, 1), (std::vector{kElbow}));
  undo(document);
  EXPECT_EQ(document.character->skins[0].joints, (std::vector{0, 1, 2, 3, 4, 5}));
  redo(document);
  report = reload_character(document, shared_arm([](rig::Character& character) {
                              weights_of(character).set_row(0, std::array<std::uint16_t, 1>{4}, std::array{1.0f});
                            }));
  EXPECT_THAT(report.lost, testing::ElementsAre("removal of \"shoulder_r\" from skin \"body\""));
  EXPECT_EQ(document.character->skins[0].joints, (std::vector{0, 1, 2, 4}));
  EXPECT_EQ(joints_of(*document.character, 0), (std::vector{4}));
}

TEST(Reload, WhatASteppedBackEditLosesIsSaidWhenItIsTravelledTo) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 0.5f});
  weigh(document);
  apply(document, SetDof{kHand, 0, 0.5f});
  travel(document, 0);
  const ReloadReport report = reload_character(document, shared_arm([](rig::Character& character) {
                                                 mesh::Primitive& primitive =
                                                     character.meshes.edit(0).primitives.edit(0);
                                                 primitive.positions.edit()[0].x += 0.5f;
                                                 character.skeleton.edit().name[kHand] = "claw";
                                               }));
  EXPECT_TRUE(report.lost.empty()) << "nothing of what is shown";
  travel(document, 1);
  EXPECT_TRUE(document.lost.empty());
  travel(document, 2);
  EXPECT_THAT(document.lost, testing::ElementsAre(testing::HasSubstr("weights of")));
  EXPECT_EQ(joints_of(*document.character, 1), (std::vector{kElbow}));
  travel(document, 3);
  EXPECT_THAT(document.lost, testing::ElementsAre("the pose of hand_l"));
  EXPECT_EQ(lost_sentence(document.lost), "No longer applies: the pose of hand_l");
  travel(document, 2);
  EXPECT_TRUE(document.lost.empty()) << "it was said";
}

TEST(Reload, ARenamedJointIsFoundByTheNameThatTheFileGivesItAndKeepsItsOwn) {
  Document document = arm_document();
  auto renamed = std::make_shared<rig::Character>(*document.character);
  renamed->skeleton.edit().name[kElbow] = "hinge";
  apply(document, ReplaceCharacter{renamed});
  apply(document, SetDof{kElbow, 0, 0.5f});
  document.view.select_only(kElbow);
  ReloadReport report = reload_character(document, std::make_shared<const rig::Character>(test::newer_arm()));
  EXPECT_TRUE(report.lost.empty()) << lost_sentence(report.lost);
  EXPECT_EQ(document.character->skeleton->name[kElbow + 1], "hinge");
  EXPECT_EQ(document.file->skeleton->name[kElbow + 1], "elbow_l");
  EXPECT_EQ(dof_values(document, kElbow + 1)[0], 0.5f);
  EXPECT_EQ(document.view.selected_joint(), kElbow + 1);
  travel(document, 0);
  EXPECT_EQ(document.character->skeleton->name[kElbow + 1], "elbow_l");
  travel(document, 2);
  // Now the file gives it that name, too.
  report = reload_character(
      document, shared_arm([](rig::Character& character) { character.skeleton.edit().name[kElbow] = "hinge"; }));
  EXPECT_TRUE(report.lost.empty()) << lost_sentence(report.lost);
  EXPECT_EQ(dof_values(document, kElbow)[0], 0.5f);
  travel(document, 1);
  EXPECT_EQ(document.character->skeleton->name[kElbow], "hinge");
}

TEST(Reload, EndsADrag) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 0.5f}, "drag");
  reload_character(document, document.character);
  apply(document, SetDof{kElbow, 0, 0.75f}, "drag");
  EXPECT_EQ(document.history.cursor(), 2u);
}

TEST(Reload, ShowsTheFilesOwnSurfaceInTheSceneThatWasShown) {
  const auto with_scenes = [](int scene) {
    return shared_arm([=](rig::Character& character) {
      character.scenes = {{.name = "all", .roots = {0, 9}}, {.name = "bones", .roots = {0}}};
      character.scene = scene;
    });
  };
  Document document = make_document(with_scenes(0));
  show_scene(document, 1);
  const auto own = document.character;
  show_surface(document, std::make_shared<rig::Character>(*own), {.subdivisions = 1}, 0);
  reload_character(document, with_scenes(0));
  EXPECT_TRUE(shows_own_surface(document));
  EXPECT_EQ(document.surface, rig::SurfaceChoice());
  EXPECT_EQ(document.character->scene, 1);
  EXPECT_TRUE(document.character->parts.empty()) << "the mesh is in the other scene";
  reload_character(document, shared_arm([](rig::Character& character) {
                     character.scenes = {{.name = "all", .roots = {0, 9}}};
                   }));
  EXPECT_EQ(document.character->scene, 0) << "there is no other";
}

}  // namespace
}  // namespace pelt::edit
