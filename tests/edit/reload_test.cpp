#include "edit/reload.h"

#include <array>
#include <functional>
#include <map>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "edit_fixtures.h"

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

// A newer version: a joint in front, "hand_l" gone, targets in another order, the same clip as the second one.
rig::Character newer_arm() {
  const rig::Character old = test::arm();
  rig::Character character = old;
  rig::Skeleton& skeleton = character.skeleton.edit();
  const auto put_in_front = [](auto& list, auto value) { list.insert(list.begin(), std::move(value)); };
  put_in_front(skeleton.parent, -1);
  put_in_front(skeleton.name, std::string("new root"));
  put_in_front(skeleton.rest, Transform{});
  put_in_front(skeleton.dofs, rig::JointDofs{});
  skeleton.source_node.clear();
  skeleton.is_joint.clear();
  for (std::size_t j = 1; j < skeleton.parent.size(); ++j) {
    ++skeleton.parent[j];
  }
  skeleton.name[kHand + 1] = "renamed";
  for (rig::MeshNode& node : character.mesh_nodes.edit()) {
    ++node.joint;
  }
  mesh::Mesh& mesh = character.meshes.edit(0);
  std::swap(mesh.morph_names[0], mesh.morph_names[1]);
  for (rig::Clip& clip : character.clips.edit_each()) {
    for (rig::Channel& channel : clip.channels) {
      ++channel.joint;
    }
  }
  std::vector<Shared<rig::Clip>>& clips = character.clips.edit_items();
  clips.insert(clips.begin(), clips.front());
  character.clips.edit(0).name = "other";
  character.scenes = {{.name = "", .roots = {0}}};
  rig::finish(character);
  return character;
}

TEST(Reload, WhatWasDoneIsFoundAgainByName) {
  Document document = arm_document();
  apply(document, SetClip{0});
  apply(document, SetTime{2});
  apply(document, SetDof{kElbow, 0, 0.5f});
  apply(document, SetDof{kHand, 0, 0.25f});
  apply(document, SetMorph{0, 0.75f});
  document.view.selected_joint = kElbow;
  const Transform bent = local(evaluate_pose(document), kElbow);
  const std::uint64_t version = document.character_version;
  reload_character(document, std::make_shared<rig::Character>(newer_arm()));
  EXPECT_GT(document.character_version, version);
  EXPECT_EQ(document.view.selected_joint, kElbow + 1);
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
  EXPECT_EQ(document.view.selected_joint, -1);
  while (can_redo(document)) {
    redo(document);
    EXPECT_EQ(evaluate_pose(document).local.size(), document.character->skeleton->rest.size());
  }
}

TEST(Reload, TwinsAreFoundByTheirPlaceAlone) {
  const rig::Character arm = test::arm();
  const rig::Character newer = newer_arm();
  const std::vector<int> same = matching_joints(arm.skeleton, arm.skeleton);
  for (int j = 0; j < arm.skeleton->size(); ++j) {
    EXPECT_EQ(same[static_cast<std::size_t>(j)], j);
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
  reload_character(document, std::make_shared<rig::Character>(newer_arm()));
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
  EXPECT_EQ(document.view.selected_joint, -1);
  document.view.selected_joint = kRoot;
  reload_character(document, std::make_shared<rig::Character>(test::arm()));
  EXPECT_EQ(document.view.selected_joint, kRoot);
  reload_character(document, std::make_shared<rig::Character>(newer_arm()));
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
  reload_character(document, shared_arm([](rig::Character&) {}));
  EXPECT_EQ(document.content.clip, 0) << "the only one left";
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
  const int hat = character.morph_offset[static_cast<std::size_t>(character.mesh_nodes[1].joint)];
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

// A mended character belongs to the file as it was, so that its step cannot be gone back to; the others can.
TEST(Reload, StepsBetweenCharactersAreForgotten) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 0.25f});
  apply(document, ReplaceCharacter{std::make_shared<const rig::Character>(*document.character)});
  apply(document, SetDof{kElbow, 0, 0.5f});
  undo(document);
  ASSERT_EQ(document.history.cursor(), 2u);
  const auto newer = std::make_shared<const rig::Character>(test::arm());
  const std::uint64_t state_version = document.state_version;
  document.detail_error = 0.5;
  reload_character(document, newer);
  EXPECT_GT(document.state_version, state_version);
  EXPECT_EQ(document.detail_error, 0);
  EXPECT_EQ(document.history.cursor(), 1u);
  redo(document);
  EXPECT_EQ(dof_values(document, kElbow)[0], 0.5f);
  undo(document);
  undo(document);
  EXPECT_EQ(document.character, newer);
  EXPECT_TRUE(document.content.overrides->empty());
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
