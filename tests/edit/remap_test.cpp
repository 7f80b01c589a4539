// Numbers of one version of a character by those of another, in cases small enough to be seen: twins above all.
#include "edit/remap.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "edit/reload.h"
#include "edit_fixtures.h"

namespace pelt::edit {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

rig::Skeleton named(const std::vector<std::string>& names) {
  rig::Character character;
  for (const std::string& name : names) {
    test::add_node(character, name, -1, {});
  }
  rig::finish(character);
  return character.skeleton;
}

std::vector<int> joints(const std::vector<std::string>& before, const std::vector<std::string>& after) {
  return matching_joints(named(before), named(after));
}

TEST(Remap, NoTwoJointsBecomeOne) {
  EXPECT_THAT(joints({"root", "twin", "twin"}, {"root", "other", "left", "twin"}), ElementsAre(0, 3, -1));
  EXPECT_THAT(joints({"root", "twin", "twin"}, {"root", "twin", "other"}), ElementsAre(0, 1, -1));
  EXPECT_THAT(joints({"root", "twin", "twin"}, {"root", "other", "twin"}), ElementsAre(0, -1, 2))
      << "that of one place, though another comes first";
  EXPECT_THAT(joints({"root", "twin", "twin"}, {"root", "other", "left", "twin", "twin"}), ElementsAre(0, -1, -1))
      << "which is which?";
  EXPECT_THAT(joints({"twin", "root", "twin"}, {"twin", "root", "twin"}), ElementsAre(0, 1, 2));
  EXPECT_THAT(joints({"", "a", ""}, {"", "b", "a", ""}), ElementsAre(0, 2, -1)) << "nothing is no name";
}

TEST(Remap, NoTwoJointsBecomeOneByTheNamesOfTheFile) {
  // The second was renamed here to what the file calls the first.
  const rig::Skeleton file = named({"a", "b", "c"});
  rig::Skeleton before = file;
  before.name = {"x", "a", "c"};
  EXPECT_THAT(matching_joints(before, file, named({"c", "a"})), ElementsAre(1, -1, 0));
  // Both were given one name, which the file has taken over for one.
  before.name = {"twin", "twin", "c"};
  EXPECT_THAT(matching_joints(before, file, named({"c", "q", "twin"})), ElementsAre(2, -1, 0));
}

// A face with these shapes, clips and variants.
std::shared_ptr<const rig::Character> face(const std::vector<std::string>& shapes,
                                           const std::vector<std::string>& clips = {},
                                           const std::vector<std::string>& variants = {}) {
  rig::Character character;
  test::add_node(character, "face", -1, {});
  mesh::Primitive primitive;
  primitive.topology = mesh::Topology::kPoints;
  primitive.positions = {{0, 0, 0}};
  primitive.indices = {0};
  for (const std::string& name : shapes) {
    primitive.morph_targets.push_back({name, {{0, 0, 1}}, {}, {}});
  }
  mesh::Mesh mesh;
  mesh.primitives.push_back(std::move(primitive));
  mesh.morph_names = shapes;
  character.meshes.push_back(std::move(mesh));
  character.mesh_nodes.push_back({.joint = 0, .mesh = 0, .skin = -1, .morph_weights = {}});
  for (const std::string& name : clips) {
    rig::Clip clip;
    clip.name = name;
    clip.channels.push_back({.joint = 0, .times = {0, 1}, .values = {0, 0, 0, 1, 0, 0}});
    clip.end = 1;
    character.clips.push_back(std::move(clip));
  }
  character.variants = SharedArray<std::string>(variants.begin(), variants.end());
  rig::finish(character);
  return std::make_shared<const rig::Character>(std::move(character));
}

TEST(Remap, NoTwoShapesBecomeOne) {
  const auto shapes = [](const std::vector<std::string>& before, const std::vector<std::string>& after) {
    const auto file = face(before);
    return matching(*file, *file, *face(after)).morphs;
  };
  EXPECT_THAT(shapes({"smile", "smile", "wink"}, {"wink", "frown", "smile"}), ElementsAre(2, -1, 0));
  EXPECT_THAT(shapes({"smile", "smile", "wink"}, {"wink", "smile"}), ElementsAre(-1, 1, 0));
  EXPECT_THAT(shapes({"smile", "smile", "wink"}, {"wink", "frown", "smile", "smile"}), ElementsAre(2, 3, 0));
  EXPECT_THAT(shapes({"", "", "wink"}, {"wink", "q", ""}), ElementsAre(2, -1, 0)) << "nothing is a name as others";

  Document document = make_document(face({"smile", "smile", "wink"}));
  for (const int m : {0, 1, 2}) {
    test::apply(document, SetMorph{m, 0.25f * static_cast<float>(m + 1)});
  }
  const ReloadReport report = reload_character(document, face({"wink", "frown", "smile"}));
  EXPECT_THAT(*document.content.morph_overrides, ElementsAre(Pair(0, 0.75f), Pair(2, 0.25f)));
  EXPECT_THAT(report.lost, ElementsAre("the shape smile"));
}

TEST(Remap, NoTwoClipsOrVariantsBecomeOne) {
  const auto before = face({}, {"", "walk", ""}, {"red", "red"});
  const auto after = face({}, {"run", ""}, {"blue", "red"});
  const Remap numbers = matching(*before, *before, *after);
  EXPECT_THAT(numbers.clips, ElementsAre(1, -1, -1));
  EXPECT_THAT(numbers.variants, ElementsAre(-1, 1));
  for (const int clip : {0, 2}) {
    SCOPED_TRACE(clip);
    Document document = make_document(before);
    test::apply(document, SetClip{clip});
    const ReloadReport report = reload_character(document, after);
    EXPECT_EQ(document.content.clip, clip == 0 ? 1 : -1);
    EXPECT_EQ(report.lost, clip == 0 ? std::vector<std::string>{} : std::vector<std::string>{"the clip number 2"});
  }
}

// Whatever the numbers say: what has no place is said.
TEST(Remap, WhatHasNoPlaceIsSaid) {
  Document document = test::arm_document();
  for (const int joint : {test::kShoulder, test::kHand}) {
    test::apply(document, SetEulerOrder{joint, EulerOrder::kZXY});
    test::apply(document, SetJointLocal{joint, {{static_cast<float>(joint), 0, 0}}, false});
  }
  test::apply(document, SetMorph{0, 0.25f});
  test::apply(document, SetMorph{1, 0.75f});
  Remap numbers = identity(*document.character);
  std::vector<std::string> lost;
  EXPECT_EQ(remap(document.content, numbers, document.character, &lost), document.content);
  EXPECT_THAT(lost, IsEmpty());
  numbers.joints[test::kHand] = test::kShoulder;
  numbers.morphs[1] = 0;
  const Content content = remap(document.content, numbers, document.character, &lost);
  EXPECT_THAT(lost, ElementsAre("the rotation order of hand_l", "the pose of hand_l", "the shape frown"));
  ASSERT_EQ(content.overrides->size(), 1u);
  EXPECT_EQ(content.overrides->at(test::kShoulder).local.translation, glm::vec3(test::kShoulder, 0, 0));
  EXPECT_THAT(*content.euler_orders, ElementsAre(Pair(test::kShoulder, EulerOrder::kZXY)));
  EXPECT_THAT(*content.morph_overrides, ElementsAre(Pair(0, 0.25f)));
}

}  // namespace
}  // namespace pelt::edit
