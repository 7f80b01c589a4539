#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "edit/bind_edits.h"
#include "edit/commands.h"
#include "edit/session.h"
#include "gltf/bundled.h"
#include "rig/character_parts.h"
#include "support/fixtures.h"

namespace pelt::edit {
namespace {

Document opened_mannequin() {
  return make_document(std::make_shared<const rig::Character>(*gltf::import_bundled("mannequin")));
}

std::size_t rows_changed(const rig::Character& before, const rig::Character& now) {
  std::size_t count = 0;
  for (std::size_t m = 0; m < before.meshes.size(); ++m) {
    for (std::size_t p = 0; p < before.meshes[m].primitives.size(); ++p) {
      mesh::for_changed_rows(before.meshes[m].primitives[p].influences, now.meshes[m].primitives[p].influences,
                             [&](std::size_t) { ++count; });
    }
  }
  return count;
}

Content through_session(const Document& document) {
  const Result<SessionText> text = session_to_text(document, {"mannequin.glb", "hash", false}, "");
  EXPECT_TRUE(text) << (text ? "" : text.error().message);
  if (!text) {
    return {};
  }
  const Result<OpenedSession> again =
      session_from_text(text->json, document.file, [&](const std::string& name) -> Result<std::string> {
        return std::ranges::find(text->files, name, &SessionFile::name)->bytes;
      });
  EXPECT_TRUE(again) << (again ? "" : again.error().message);
  return again ? again->document.content : Content{};
}

TEST(BindSkin, IsOneStepAndUndoRestoresTheVeryWeights) {
  Document document = opened_mannequin();
  const auto before = document.content.character;
  const BindSkin change{.binder = "point-to-line"};
  EXPECT_EQ(why_refused(document, change), "");
  apply(document, {change, ""});
  EXPECT_GT(rows_changed(*before, *document.content.character), 1000u);
  EXPECT_EQ(document.history.size(), 2u);
  undo(document);
  EXPECT_EQ(document.content.character, before);
}

TEST(BindSkin, WhatWasMadeBeforeIsWhatIsMadeHere) {
  Document document = opened_mannequin();
  BindSkin change{.binder = "point-to-line", .limit = 2};
  Document other = document;
  apply(document, {change, ""});
  change.made = *make_binding(own_character(other), change);
  apply(other, {change, ""});
  EXPECT_TRUE(rig::equal(*document.content.character, *other.content.character));
  for (const rig::Part& part : document.character->parts) {
    if (part.skin >= 0) {
      EXPECT_LE(document.character->primitive(part).influences->max_count(), 2u);
    }
  }
}

BindSkin by_volumes(const Document& document) {
  BindSkin change{.binder = std::string(kVolumesBinder)};
  const int elbow = document.character->skeleton->find("elbow_l");
  change.values = {2, 1.25, 1, 2.5, 3};
  change.request.volumes = {{.joint = elbow,
                             .kind = bind::VolumeKind::kBox,
                             .center = {0.1f, 0.02f, -0.03f},
                             .rotation = glm::normalize(glm::quat(0.9f, 0.1f, 0.2f, -0.3f)),
                             .half = {0.2f, 0.05f, 0.07f}}};
  return change;
}

TEST(BindSkin, ByVolumesLeavesTheVolumesInDocumentAndSession) {
  Document document = opened_mannequin();
  const Content before = document.content;
  const BindSkin change = by_volumes(document);
  apply(document, {change, ""});
  EXPECT_EQ(document.content.volumes->of_joints, change.request.volumes);
  EXPECT_EQ(document.content.volumes->numbers.kind, bind::VolumeKind::kEllipsoid);
  EXPECT_EQ(document.content.volumes->numbers.how, (bind::Containment{.soft = true, .range = 2.5, .passes = 3}));
  const Content again = through_session(document);
  EXPECT_EQ(*again.volumes, *document.content.volumes);
  EXPECT_NE(content_hash(document.content), content_hash(before));

  // Without the one by hand other weights come out, and other binders leave the volumes alone.
  const auto with_box = document.content.character;
  BindSkin fitted = change;
  fitted.request.volumes.clear();
  apply(document, {fitted, ""});
  EXPECT_TRUE(document.content.volumes->of_joints.empty());
  EXPECT_GT(rows_changed(*with_box, *document.content.character), 20u);
  undo(document);
  EXPECT_EQ(document.content.character, with_box);
  EXPECT_EQ(document.content.volumes->of_joints, change.request.volumes);
  apply(document, {BindSkin{.binder = "point-to-line"}, ""});
  EXPECT_EQ(document.content.volumes->of_joints, change.request.volumes);
  travel(document, 0);
  EXPECT_EQ(document.content, before);
}

// The mannequin's own mesh, as it stands, for one joint and in the mirror for another.
TEST(BindSkin, AMeshAsAVolumeGoesThroughASession) {
  Document document = opened_mannequin();
  BindSkin change{.binder = std::string(kVolumesBinder)};
  const Result<bind::CharacterProblem> problem = bind::make_problem(*document.content.character, change.request);
  ASSERT_TRUE(problem);
  const int elbow = document.character->skeleton->find("elbow_l");
  Result<bind::JointVolume> volume = bind::volume_of_surface(
      "body \xff.obj", bind::rest_surface(*document.content.character), *document.content.character, *problem, elbow);
  ASSERT_TRUE(volume) << volume.error().message;
  change.request.volumes = {*volume};
  volume->flipped = true;
  volume->joint = elbow + 1;
  change.request.volumes.push_back(*volume);
  apply(document, {change, ""});
  ASSERT_EQ(document.content.volumes->of_joints.size(), 2u);
  const Content again = through_session(document);
  ASSERT_EQ(again.volumes->of_joints.size(), 2u);
  EXPECT_EQ(*again.volumes, *document.content.volumes);
  EXPECT_EQ(again.volumes->of_joints[0].shape->name, "body \xff.obj");
  EXPECT_TRUE(again.volumes->of_joints[1].flipped);
  EXPECT_NEAR(again.volumes->of_joints[0].shape->score({0.1, 0.2, 0.3}), volume->shape->score({0.1, 0.2, 0.3}), 1e-12);
  Content other = document.content;
  other.volumes.edit().of_joints[0].shape.edit().positions[0].x += 0.5f;
  EXPECT_NE(content_hash(other), content_hash(document.content));
  EXPECT_NE(other.volumes, document.content.volumes);
  const std::size_t bytes =
      volume->shape->positions.size() * sizeof(glm::vec3) + volume->shape->triangles.size() * 3 * sizeof(std::uint32_t);
  EXPECT_GT(exclusive_bytes(other, document.content), bytes);
  EXPECT_LT(exclusive_bytes(other, document.content), bytes + 1000) << "the form of the other is shared";
}

TEST(BindSkin, AVolumeOfNoJointIsRefused) {
  Document document = opened_mannequin();
  BindSkin change = by_volumes(document);
  change.request.volumes[0].joint = 1000;
  EXPECT_THAT(why_refused(document, change), testing::HasSubstr("the volume of joint 1000: expected 0 to "));
}

// What a drag makes: only rows that changed are looked at, and the character is the one that all rows give.
TEST(BindSkin, RowsOfSomePlacesAreAsThoseOfAll) {
  Document document = opened_mannequin();
  BindSkin change = by_volumes(document);
  const Result<std::shared_ptr<const MadeBinding>> first = make_binding(own_character(document), change);
  ASSERT_TRUE(first);
  apply(document, {change, ""});
  const auto bound = document.content.character;
  change.request.volumes[0].half.x = 0.3f;
  const auto next = make_binding(own_character(document), change);
  ASSERT_TRUE(next);
  auto some = std::make_shared<MadeBinding>(**next);
  std::vector<std::uint32_t>& changed = some->changed.emplace();
  for (std::uint32_t w = 0; w < some->binding.rows.size(); ++w) {
    if (!std::ranges::equal(some->binding.rows[w], (*first)->binding.rows[w])) {
      changed.push_back(w);
    }
  }
  ASSERT_GT(changed.size(), 5u);
  ASSERT_LT(changed.size(), some->binding.rows.size() / 2);
  const rig::Character all = with_made_binding(*bound, change, **next);
  const rig::Character part = with_made_binding(*bound, change, *some);
  EXPECT_TRUE(rig::equal(all, part));
  EXPECT_TRUE(part.skeleton.is(bound->skeleton)) << "nothing but rows was made anew";
  EXPECT_TRUE(part.skins.is(bound->skins));
  // Of another character the list says nothing.
  const rig::Character other = *bound;
  EXPECT_TRUE(rig::equal(with_made_binding(other, change, *some), all));
  some->changed->clear();
  EXPECT_TRUE(rig::equal(with_made_binding(*bound, change, *some), *bound));
}

TEST(BindSkin, OnlySelectedVerticesAreBoundAnew) {
  Document document = opened_mannequin();
  const auto before = document.content.character;
  BindSkin change{.binder = "point-to-line"};
  change.vertices = {{0, {3, 5, 8}}};
  apply(document, {change, ""});
  EXPECT_LE(rows_changed(*before, *document.content.character), 3u);
  EXPECT_GE(rows_changed(*before, *document.content.character), 1u);
}

TEST(BindSkin, OnlySelectedJointsShareAnew) {
  Document document = opened_mannequin();
  const auto before = document.content.character;
  const int elbow = before->skeleton->find("elbow_l");
  const int shoulder = before->skeleton->find("shoulder_l");
  BindSkin change{.binder = "point-to-line"};
  change.joints = {elbow, shoulder};
  change.limit = 0;
  apply(document, {change, ""});
  const rig::Character& now = *document.content.character;
  EXPECT_GT(rows_changed(*before, now), 10u);
  for (std::size_t part = 0; part < before->parts.size(); ++part) {
    const rig::Part& at = before->parts[part];
    if (at.skin < 0) {
      continue;
    }
    const std::vector<int>& joints = before->skins[at.skin].joints;
    const mesh::Influences& was = before->primitive(at).influences;
    const mesh::Influences& is = now.primitive(now.parts[part]).influences;
    for (std::size_t v = 0; v < was.vertex_count(); ++v) {
      const auto weight = [&](const mesh::Influences& rows, int joint) {
        for (std::size_t k = 0; k < rows.count(v); ++k) {
          if (joints[rows.joints(v)[k]] == joint) {
            return rows.weights(v)[k];
          }
        }
        return 0.0f;
      };
      for (const int joint : joints) {
        if (joint != elbow && joint != shoulder) {
          ASSERT_EQ(weight(was, joint), weight(is, joint)) << v << ' ' << joint;
        }
      }
    }
  }
}

TEST(BindSkin, TheLimitHoldsBesideWhatIsLocked) {
  Document document = opened_mannequin();
  const rig::Character before = *document.content.character;
  apply(document, {LockJoints{{before.skeleton->find("elbow_l")}, true}, ""});
  apply(document, {BindSkin{.binder = "point-to-line", .limit = 2}, ""});
  EXPECT_GT(rows_changed(before, *document.content.character), 100u);
  for (const rig::Part& part : document.character->parts) {
    if (part.skin >= 0) {
      EXPECT_LE(document.character->primitive(part).influences->max_count(), 2u);
    }
  }
}

TEST(BindSkin, LockedJointsKeepTheirWeightsBitForBit) {
  Document document = opened_mannequin();
  const rig::Character before = *document.content.character;
  const int locked = before.skeleton->find("elbow_l");
  apply(document, {LockJoints{{locked}, true}, ""});
  apply(document, {BindSkin{.binder = "point-to-line"}, ""});
  const rig::Character& now = *document.content.character;
  EXPECT_GT(rows_changed(before, now), 100u);
  std::size_t held = 0;
  for (const rig::Part& part : before.parts) {
    if (part.skin < 0) {
      continue;
    }
    const std::vector<int>& joints = before.skins[part.skin].joints;
    const mesh::Influences& was = before.primitive(part).influences;
    const mesh::Influences& is = now.meshes[part.mesh].primitives[part.primitive].influences;
    for (std::size_t v = 0; v < was.vertex_count(); ++v) {
      const auto weight = [&](const mesh::Influences& rows) {
        for (std::size_t k = 0; k < rows.count(v); ++k) {
          if (joints[rows.joints(v)[k]] == locked) {
            return rows.weights(v)[k];
          }
        }
        return 0.0f;
      };
      ASSERT_EQ(weight(was), weight(is)) << v;
      held += weight(was) > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(held, 10u);
}

TEST(BindSkin, IsRefusedInWords) {
  const Document document = opened_mannequin();
  EXPECT_NE(why_refused(document, BindSkin{.binder = "magic"}).find("magic"), std::string::npos);
  EXPECT_NE(why_refused(document, BindSkin{.binder = "point-to-line", .request = {.joints = {4000}}}).find("4000"),
            std::string::npos);
  EXPECT_NE(why_refused(document, BindSkin{.binder = "point-to-line", .request = {.meshes = {99}}}).find("99"),
            std::string::npos);
}

TEST(BindSkin, ASessionHoldsIt) {
  Document document = opened_mannequin();
  apply(document, {BindSkin{.binder = "point-to-line"}, ""});
  EXPECT_TRUE(rig::equal(*through_session(document).character, *document.content.character));
}

// Two joints and a mesh beside them that hangs on no skin; and a skin that lacks one of the joints.
TEST(BindSkin, ASessionHoldsNewSkinsAndAddedJoints) {
  rig::Character character;
  test::add_node(character, "hip", -1, {.translation = {0, 1, 0}});
  test::add_node(character, "knee", 0, {.translation = {0, 2, 0}});
  mesh::Primitive primitive;
  primitive.positions = {{0, 1, 0}, {1, 2, 0}, {0, 5, 0}};
  primitive.indices = {0, 1, 2};
  for (const bool skinned : {false, true}) {
    rig::Character one = character;
    if (skinned) {
      mesh::Primitive rows = primitive;
      const std::vector<std::uint16_t> joints = {0};
      const std::vector<float> weights = {1};
      for (int v = 0; v < 3; ++v) {
        mesh::append_row(rows.influences.edit(), joints, weights);
      }
      test::add_skinned_mesh(one, "cloth", {0}, std::move(rows));
    } else {
      mesh::Mesh mesh;
      mesh.name = "cloth";
      mesh.primitives.push_back(primitive);
      one.meshes.push_back(std::move(mesh));
      rig::MeshNode node;
      node.joint = test::add_node(one, "cloth", -1, {});
      node.mesh = 0;
      one.mesh_nodes.push_back(node);
    }
    rig::finish(one);
    Document document = make_document(std::make_shared<const rig::Character>(one));
    const BindSkin change{.binder = "point-to-line", .request = {.joints = {0, 1}}};
    EXPECT_EQ(why_refused(document, change), "");
    apply(document, {change, ""});
    ASSERT_EQ(document.character->skins.size(), 1u);
    EXPECT_EQ(document.character->skins[0].joints.size(), 2u);
    EXPECT_EQ(document.character->parts[0].skin, 0);
    const Content again = through_session(document);
    ASSERT_NE(again.character, nullptr);
    EXPECT_TRUE(rig::equal(*again.character, *document.content.character)) << skinned;
    undo(document);
    EXPECT_EQ(document.character->skins.size(), skinned ? 1u : 0u);
  }
}

}  // namespace
}  // namespace pelt::edit
