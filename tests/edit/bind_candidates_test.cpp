// Candidates of binders, the file's weights as a change, and panes that show other weights.
#include <gtest/gtest.h>

#include "bind/deforming_joints.h"
#include "edit/bind_candidates.h"
#include "edit/evaluation.h"
#include "gltf/bundled.h"
#include "rig/character_parts.h"
#include "support/fixtures.h"

namespace pelt::edit {
namespace {

Document mannequin_document() {
  return make_document(std::make_shared<const rig::Character>(*gltf::import_bundled("mannequin")));
}

BindSkin by_distance(const Document& document, double power = 4) {
  BindSkin change{.binder = "point-to-line", .values = {power, 4}};
  change.request.joints = bind::proposed_joints(*document.file);
  return change;
}

TEST(BindCandidate, HasTheWeightsThatItsUseGives) {
  Document document = mannequin_document();
  const Result<BindCandidate> made =
      make_candidate(document.content.character, *document.file, by_distance(document), {});
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_TRUE(made->score);
  EXPECT_GT(made->score->rms, 0);
  ASSERT_TRUE(made->shape);
  EXPECT_GT(made->shape->poses, 20u) << "those of the clips as well";
  apply(document, {use_of(*made), ""});
  EXPECT_TRUE(rig::equal(*document.content.character, *made->character));
  EXPECT_EQ(document.history.size(), 2u);
}

TEST(BindCandidate, RespectsLocks) {
  Document document = mannequin_document();
  const int locked = document.character->skeleton->find("spine_02");
  ASSERT_GE(locked, 0);
  apply(document, {LockJoints{{locked}, true}, ""});
  const Result<BindCandidate> made =
      make_candidate(document.content.character, *document.file, by_distance(document), std::vector{locked});
  ASSERT_TRUE(made);
  apply(document, {use_of(*made), ""});
  EXPECT_TRUE(rig::equal(*document.content.character, *made->character));
}

TEST(BindCandidate, StopsWhenAskedTo) {
  const Document document = mannequin_document();
  const bind::Watcher stopping{[](float, std::string_view) { return false; }, {}};
  EXPECT_FALSE(make_candidate(document.content.character, *document.file, by_distance(document), {}, stopping));
}

TEST(BindCandidate, WithoutWeightsInTheFileHasNoScore) {
  rig::Character bare = *gltf::import_bundled("mannequin");
  for (std::size_t m = 0; m < bare.meshes.size(); ++m) {
    for (mesh::Primitive& primitive : bare.meshes.edit(m).primitives.edit_each()) {
      primitive.influences = mesh::Influences{};
    }
  }
  for (std::size_t n = 0; n < bare.mesh_nodes.size(); ++n) {
    bare.mesh_nodes.edit()[n].skin = -1;
  }
  rig::finish(bare);
  const Document document = make_document(std::make_shared<const rig::Character>(std::move(bare)));
  const Result<BindCandidate> made =
      make_candidate(document.content.character, *document.file, BindSkin{.binder = "point-to-line"}, {});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_FALSE(made->score);
  ASSERT_TRUE(made->shape) << "what it does to the surface is known without them";
  std::size_t vertices = 0;
  for (const rig::Part& part : document.character->parts) {
    vertices += document.character->primitive(part).vertex_count();
  }
  EXPECT_EQ(made->shape->vertices, vertices);
  EXPECT_EQ(made->shape->unbound, 0u);
  EXPECT_GT(made->shape->stretch, 1.05);
  ASSERT_TRUE(made->shape->volume);
  EXPECT_NE(*made->shape->volume, 1);
  EXPECT_TRUE(can_stand_in(*made->character, *document.character)) << "with a skin that no mesh has had";
  EXPECT_FALSE(can_stand_in(*document.character, *made->character));
  EXPECT_FALSE(
      make_candidate(document.content.character, *document.file, BindSkin{.binder = std::string(kFileWeights)}, {}));
  EXPECT_NE(why_refused(document, UseFileWeights{}), "");
}

TEST(UseFileWeights, GivesThemBackInOneStep) {
  Document document = mannequin_document();
  const auto file = document.content.character;
  apply(document, {UseFileWeights{}, ""});
  EXPECT_FALSE(can_undo(document)) << "nothing changed";
  BindSkin change = by_distance(document);
  change.request.joints.push_back(0);  // perhaps one more in the skin
  apply(document, {change, ""});
  const auto bound = document.content.character;
  EXPECT_EQ(why_refused(document, UseFileWeights{}), "");
  apply(document, {UseFileWeights{}, ""});
  EXPECT_EQ(document.history.size(), 3u);
  for (std::size_t m = 0; m < file->meshes.size(); ++m) {
    for (std::size_t p = 0; p < file->meshes[m].primitives.size(); ++p) {
      EXPECT_TRUE(
          document.content.character->meshes[m].primitives[p].influences.is(file->meshes[m].primitives[p].influences));
    }
  }
  undo(document);
  EXPECT_TRUE(rig::equal(*document.content.character, *bound));
}

TEST(UseFileWeights, CaresForNumbersOfJointsAlone) {
  Document document = mannequin_document();
  const auto file = document.content.character;
  apply(document, {by_distance(document), ""});
  apply(document, {RenameJoint{0, "another name"}, ""});
  apply(document, {AddJoints{{{"one more", -1, {}}}}, ""});
  EXPECT_EQ(why_refused(document, UseFileWeights{}), "");
  apply(document, {UseFileWeights{}, ""});
  EXPECT_EQ(document.content.character->meshes[0].primitives[0].influences, file->meshes[0].primitives[0].influences);
}

TEST(UseFileWeights, LeavesLockedJointsAsTheyAre) {
  Document document = mannequin_document();
  apply(document, {by_distance(document), ""});
  const int locked = document.character->skeleton->find("spine_02");
  ASSERT_GE(locked, 0);
  apply(document, {LockJoints{{locked}, true}, ""});
  const auto before = document.content.character;
  apply(document, {UseFileWeights{}, ""});
  const auto after = document.content.character;
  ASSERT_NE(before, after);
  std::size_t moved = 0;
  for (const rig::Part& part : before->parts) {
    if (part.skin < 0) {
      continue;
    }
    const std::vector<int>& joints = before->skins[part.skin].joints;
    const auto slot = std::ranges::find(joints, locked) - joints.begin();
    const auto weight = [&](const rig::Character& one, std::size_t v) {
      const mesh::InfluenceRow row = one.primitive(part).influences->row(v);
      for (std::size_t k = 0; k < row.joints.size(); ++k) {
        if (row.joints[k] == slot) {
          return row.weights[k];
        }
      }
      return 0.0f;
    };
    for (std::size_t v = 0; v < before->primitive(part).vertex_count(); ++v) {
      EXPECT_EQ(weight(*before, v), weight(*after, v)) << v;
      moved +=
          mesh::same_row(before->primitive(part).influences->row(v), after->primitive(part).influences->row(v)) ? 0 : 1;
    }
  }
  EXPECT_GT(moved, 100u);
}

// Each pane has the shape that a document with its weights would have in the same pose.
TEST(StandIns, EachPaneIsDeformedByItsOwnWeights) {
  Document document = mannequin_document();
  apply(document, {SetPanes{3}, ""});
  const int elbow = document.character->skeleton->find("elbow_l");
  ASSERT_GE(elbow, 0);
  apply(document, {SetDof{elbow, 0, 1.0f}, ""});
  Evaluation evaluation;
  const auto own = evaluation.deformed(document, 1).parts;
  document.stand_ins = {nullptr};  // the first pane shows the character itself
  for (const double power : {2.0, 8.0}) {
    const auto made = make_candidate(document.content.character, *document.file, by_distance(document, power), {});
    ASSERT_TRUE(made);
    document.stand_ins.push_back(made->character);
  }
  Document first = document;
  first.stand_ins.clear();
  for (const int pane : {0, 1, 2}) {
    Document alone = first;
    if (document.stand_ins[pane] != nullptr) {
      alone.character = document.stand_ins[pane];
      alone.content.character = document.stand_ins[pane];
    }
    Evaluation other;
    const deform::DeformedCharacter& wanted = other.deformed(alone, pane);
    const deform::DeformedCharacter& shown = evaluation.deformed(document, pane);
    ASSERT_EQ(shown.parts.size(), wanted.parts.size());
    for (std::size_t p = 0; p < wanted.parts.size(); ++p) {
      EXPECT_EQ(shown.parts[p].positions, wanted.parts[p].positions) << pane;
    }
  }
  EXPECT_NE(evaluation.deformed(document, 1).parts[0].positions, evaluation.deformed(document, 0).parts[0].positions);
  EXPECT_NE(evaluation.deformed(document, 1).parts[0].positions, evaluation.deformed(document, 2).parts[0].positions);
  document.stand_ins.clear();
  EXPECT_TRUE(evaluation.update(document)) << "another shape";
  EXPECT_EQ(evaluation.deformed(document, 1).parts[0].positions, own[0].positions);
}

TEST(StandIns, HaveAllButTheWeightsOfTheCharacter) {
  Document document = mannequin_document();
  const auto made = make_candidate(document.content.character, *document.file, by_distance(document), {});
  ASSERT_TRUE(made);
  apply(document, {AddClip{"later"}, ""});
  ASSERT_GT(document.character->clips.size(), made->character->clips.size());
  const auto shown = stand_in(*made->character, *document.character);
  EXPECT_TRUE(shown->clips.is(document.character->clips));
  EXPECT_TRUE(shown->skeleton.is(document.character->skeleton)) << "nothing is computed again for it";
  EXPECT_TRUE(shown->meshes.is(made->character->meshes));
  EXPECT_TRUE(same_weights(*shown, *made->character));
  EXPECT_FALSE(same_weights(*shown, *document.character));
}

// The skin lists two joints of three: the third comes with a binding to it.
TEST(StandIns, MayHaveMoreJointsInTheirSkins) {
  rig::Character tube = test::cylinder();
  const int more = test::add_node(tube, "more", tube.skins[0].joints.back(), {.translation = {0.5f, 0, 0}});
  rig::finish(tube);
  const Document document = make_document(std::make_shared<const rig::Character>(std::move(tube)));
  const rig::Character& character = *document.character;
  BindSkin change{.binder = "point-to-line"};
  change.request.joints = character.skins[0].joints;
  change.request.joints.push_back(more);
  const auto made = make_candidate(document.content.character, *document.file, change, {});
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_GT(made->character->skins[0].joints.size(), character.skins[0].joints.size());
  EXPECT_FALSE(made->character->skeleton.is(character.skeleton));
  ASSERT_TRUE(can_stand_in(*made->character, character));
  EXPECT_FALSE(can_stand_in(character, *made->character)) << "a skin without one of the joints";
  EXPECT_TRUE(stand_in(*made->character, character)->skeleton.is(made->character->skeleton)) << "other joints deform";
  // What was made before the skin had that joint still fits.
  Document bound = document;
  apply(bound, {use_of(*made), ""});
  ASSERT_TRUE(rig::equal(*bound.content.character, *made->character));
  EXPECT_TRUE(fits(*made->change.made, *bound.content.character));
  EXPECT_EQ(why_refused(bound, UseFileWeights{}), "");
}

TEST(SameWeights, AreThoseOfEachVertexWhateverElseChanges) {
  Document document = mannequin_document();
  const auto before = document.content.character;
  apply(document, {AddClip{"later"}, ""});
  ASSERT_NE(document.content.character, before);
  EXPECT_TRUE(same_weights(*document.content.character, *before));
  apply(document, {by_distance(document), ""});
  EXPECT_FALSE(same_weights(*document.content.character, *before));
  undo(document);
  EXPECT_TRUE(same_weights(*document.content.character, *before));
  rig::Character other = *before;
  mesh::Influences& rows = other.meshes.edit(0).primitives.edit(0).influences.edit();
  rows.put_row(0, rows.row(rows.vertex_count() - 1));
  EXPECT_FALSE(same_weights(other, *before)) << "one vertex";
}

TEST(StandIns, OnlyTheSameSurfaceAndJointsStandIn) {
  const rig::Character character = *gltf::import_bundled("mannequin");
  EXPECT_TRUE(can_stand_in(character, character));
  EXPECT_FALSE(can_stand_in(test::elbow(), character));
  rig::Character other = character;
  other.meshes.edit(0).primitives.edit(0).positions.edit()[0] += glm::vec3(1);
  EXPECT_FALSE(can_stand_in(other, character));
  rig::Character joints = character;
  joints.skeleton.edit().name[0] = "renamed";
  EXPECT_FALSE(can_stand_in(joints, character));
}

}  // namespace
}  // namespace pelt::edit
