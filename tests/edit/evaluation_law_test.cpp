// Whatever was done to a document, what is shown is what a fresh start would show, and it costs what changed.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "deform/fast_skin.h"
#include "edit/evaluation.h"
#include "edit/surface_marks.h"
#include "edit_fixtures.h"

namespace pelt::edit {
namespace {

using test::apply;

constexpr int kLawJoints = 12;
constexpr int kLawVertices = 5000;

rig::Character two_parts(std::uint32_t seed) {
  rig::Character character =
      test::random_rig({.seed = seed, .joints = kLawJoints, .vertices = kLawVertices, .morph_targets = 1});
  rig::Character second = test::random_rig({.seed = seed + 1, .joints = kLawJoints, .vertices = 500});
  character.meshes.push_back(second.meshes[0]);
  character.mesh_nodes.push_back({.joint = 5, .mesh = 1, .skin = 0, .morph_weights = {}});
  std::vector<int> roots;
  for (std::size_t j = 0; j < character.skeleton->parent.size(); ++j) {
    if (character.skeleton->parent[j] < 0) {
      roots.push_back(static_cast<int>(j));
    }
  }
  character.scenes = {{"both", roots}, {"the second", {5}}};
  rig::finish(character);
  return character;
}

// The character with some rows written anew, as a brush leaves it.
std::shared_ptr<const rig::Character> dabbed(const rig::Character& character, int first, int count,
                                             test::Random& random) {
  auto out = std::make_shared<rig::Character>(character);
  mesh::Influences& rows = out->meshes.edit(0).primitives.edit(0).influences.edit();
  for (int v = first; v < std::min(first + count, kLawVertices); ++v) {
    const std::uint16_t joints[] = {static_cast<std::uint16_t>(random.below(kLawJoints / 2)),
                                    static_cast<std::uint16_t>(kLawJoints / 2 + random.below(kLawJoints / 2))};
    const float weights[] = {random.real(0.1f, 1.0f), random.real(0.1f, 1.0f)};
    rows.set_row(static_cast<std::size_t>(v), joints, weights);
  }
  return out;
}

void expect_equal(const deform::DeformedCharacter& a, const deform::DeformedCharacter& b) {
  ASSERT_EQ(a.parts.size(), b.parts.size());
  for (std::size_t p = 0; p < a.parts.size(); ++p) {
    ASSERT_EQ(a.parts[p].positions, b.parts[p].positions) << p;
    ASSERT_EQ(a.parts[p].normals, b.parts[p].normals) << p;
    ASSERT_EQ(a.parts[p].tangents, b.parts[p].tangents) << p;
  }
  ASSERT_EQ(a.bounds.lower, b.bounds.lower);
  ASSERT_EQ(a.bounds.upper, b.bounds.upper);
}

deform::SkinningSettings any_settings(test::Random& random) {
  const char* const methods[] = {"lbs", "dqs", "rigid", "lbs-dqs"};
  deform::SkinningSettings out;
  out.method = deform::find_method(methods[random.below(4)]);
  out.backend = deform::Backend::kCpu;
  out.influence_limit = random.below(3) == 0 ? 2 : 0;
  out.weight_format = random.below(3) == 0 ? mesh::WeightFormat::kUnorm8 : mesh::WeightFormat::kFloat;
  return out;
}

// One change of the document, whatever it is.
void change(Document& document, test::Random& random) {
  switch (random.below(12)) {
    case 0:
      apply(document, SetMorph{0, random.real(0.0f, 1.0f)});
      break;
    case 1:
      apply(document, SetPanes{1 + random.below(3)});
      break;
    case 2:
      apply(document, SetSkinning{any_settings(random), random.below(pane_count(document.content))});
      break;
    case 3:
      show_scene(document, random.below(2));
      break;
    case 4:
    case 5:
      undo(document);
      break;
    case 6:
      redo(document);
      break;
    case 7:
      travel(document, static_cast<std::size_t>(random.below(static_cast<int>(document.history.size()))));
      break;
    case 8: {
      Transform local = document.character->skeleton->rest[1];
      local.rotation = glm::quat(random.rotation(1.0));
      apply(document, SetJointLocal{1, local, false});
      break;
    }
    case 9: {
      auto other = std::make_shared<rig::Character>(*own_character(document));
      other->meshes.edit(1).primitives.edit(0).positions.edit()[0] += glm::vec3(0.1f);
      apply(document, ReplaceCharacter{other});
      break;
    }
    default:
      apply(document, ReplaceCharacter{dabbed(*own_character(document), random.below(kLawVertices), 80, random)});
      break;
  }
}

TEST(Evaluation, WhateverWasDoneEveryPaneShowsWhatAFreshStartShows) {
  test::Random random(61);
  Document document = make_document(std::make_shared<rig::Character>(two_parts(62)));
  Evaluation evaluation;
  for (int step = 0; step < 150; ++step) {
    SCOPED_TRACE(step);
    if (step == 100) {
      open_character(document, std::make_shared<rig::Character>(two_parts(65)));
    } else {
      change(document, random);
    }
    evaluation.update(document);
    const rig::Pose pose = evaluate_pose(document);
    ASSERT_EQ(evaluation.pose(), pose);
    rig::WorldMatrices world;
    world.evaluate(document.character->skeleton, pose);
    ASSERT_EQ(evaluation.world(), world.world());
    for (int pane = 0; pane < pane_count(document.content); ++pane) {
      const deform::SkinningSettings& settings = skinning_of(document.content, pane);
      ASSERT_NO_FATAL_FAILURE(
          expect_equal(evaluation.deformed(document, pane), deform::deform_once(*document.character, pose, settings)));
    }
    if (step % 5 == 0) {
      ASSERT_NO_FATAL_FAILURE(expect_equal(evaluation.bound(document), Evaluation().bound(document)));
    }
  }
}

TEST(Evaluation, ADabCostsItsBlocksAndUndoFindsWhatThereWas) {
  test::Random random(66);
  Document document = make_document(std::make_shared<rig::Character>(two_parts(67)));
  deform::SkinningSettings settings;
  settings.backend = deform::Backend::kCpu;
  settings.influence_limit = 2;
  apply(document, SetSkinning{settings});
  Evaluation evaluation;
  evaluation.deformed(document);
  const deform::DeformedCharacter* const bound = &evaluation.bound(document);
  const glm::vec3* const bound_positions = bound->parts[0].positions.data();
  const deform::SkinCache::Work start = evaluation.cache()->work();
  const std::uint64_t serial = evaluation.serial(0);
  apply(document, ReplaceCharacter{dabbed(*document.character, 300, 30, random)});
  evaluation.deformed(document);
  deform::SkinCache::Work work = evaluation.cache()->work();
  EXPECT_EQ(work.blocks - start.blocks, 1u);
  EXPECT_EQ(work.surfaces, 0u);
  EXPECT_EQ(work.bound, start.bound) << "the same joints are followed";
  EXPECT_EQ(evaluation.computed_joints(), 0u);
  if (!deform::fast_kernels().empty()) {
    const std::size_t large = document.character->parts[0].mesh == 0 ? 0 : 1;
    EXPECT_EQ(evaluation.written_since(0, serial, large),
              (std::vector<deform::VertexRange>{{0, deform::FastSkin::kChunkVertices}}));
    EXPECT_TRUE(evaluation.written_since(0, serial, 1 - large).empty());
  }
  EXPECT_EQ(evaluation.bound(document).parts[0].positions.data(), bound_positions) << "a bind shape has no weights";
  undo(document);
  evaluation.deformed(document);
  redo(document);
  evaluation.deformed(document);
  EXPECT_LE(evaluation.cache()->work().blocks, work.blocks + 2)
      << "a step keeps rows: undo and redo put the one block together, and find all others";
  EXPECT_EQ(evaluation.cache()->work().bound, start.bound);
}

// While what a method prepares is made anew, a pane goes on with what there was.
TEST(Evaluation, AnEditOfWeightsGoesOnWithWhatWasPrepared) {
  test::Random random(68);
  for (const char* id : {"cor", "ddm", "delta-mush"}) {
    SCOPED_TRACE(id);
    Document document = make_document(std::make_shared<rig::Character>(test::cylinder()));
    const deform::SkinningSettings settings = {.method = deform::find_method(id)};  // by the shader
    apply(document, SetDof{1, test::dof(document, 1, "twist"), 1.0f});
    apply(document, SetSkinning{settings});
    Evaluation evaluation;
    evaluation.hold_unprepared(true);
    evaluation.cache()->prepare(*document.character, settings, {});
    evaluation.deformed(document);
    EXPECT_FALSE(evaluation.outdated(0));
    const auto before = document.character;
    auto dab = std::make_shared<rig::Character>(*document.character);
    mesh::Influences& rows = dab->meshes.edit(0).primitives.edit(0).influences.edit();
    const std::uint16_t joints[] = {0, 1};
    const float weights[] = {0.3f, 0.7f};
    for (std::size_t v = 400; v < 460; ++v) {
      rows.set_row(v, joints, weights);
    }
    const auto prepared = evaluation.cache()->work().prepared;
    evaluation.deformed_under(document, settings);
    EXPECT_TRUE(evaluation.prepared(document, settings));
    apply(document, ReplaceCharacter{dab});
    EXPECT_TRUE(evaluation.update(document));
    EXPECT_TRUE(evaluation.outdated(0));
    EXPECT_FALSE(evaluation.waits(0));
    EXPECT_EQ(evaluation.skinning(0), settings) << "the GPU asks again";
    evaluation.deformed(document);
    evaluation.deformed_under(document, settings);
    EXPECT_TRUE(evaluation.available(document, settings));
    EXPECT_FALSE(evaluation.prepared(document, settings));
    EXPECT_EQ(evaluation.cache()->work().prepared, prepared) << "nothing was made in between";
    EXPECT_FALSE(evaluation.update(document));
    ASSERT_TRUE(evaluation.cache()->prepare(*document.character, settings, {}));
    EXPECT_TRUE(evaluation.update(document)) << "though the document is the same";
    EXPECT_FALSE(evaluation.outdated(0));
    EXPECT_EQ(evaluation.skinning(0), settings);
    expect_equal(evaluation.deformed(document),
                 deform::deform_once(*document.character, evaluate_pose(document), settings));
    undo(document);
    EXPECT_TRUE(evaluation.update(document));
    EXPECT_FALSE(evaluation.outdated(0)) << "its own is still there";
  }
}

TEST(Evaluation, WhatAPaneIsComparedWithIsOfTheWeightsOfNowOnceItIsPrepared) {
  for (const char* id : {"cor", "ddm", "delta-mush"}) {
    SCOPED_TRACE(id);
    Document document = make_document(std::make_shared<rig::Character>(test::cylinder()));
    const deform::SkinningSettings reference = {.method = deform::find_method(id)};
    apply(document, SetDof{1, test::dof(document, 1, "twist"), 1.0f});
    Evaluation evaluation;
    evaluation.hold_unprepared(true);
    evaluation.cache()->prepare(*document.character, reference, {});
    evaluation.deformed_under(document, reference);
    auto dab = std::make_shared<rig::Character>(*document.character);
    mesh::Influences& rows = dab->meshes.edit(0).primitives.edit(0).influences.edit();
    const std::uint16_t joints[] = {0, 1};
    const float weights[] = {0.3f, 0.7f};
    for (std::size_t v = 400; v < 460; ++v) {
      rows.set_row(v, joints, weights);
    }
    apply(document, ReplaceCharacter{dab});
    evaluation.deformed_under(document, reference);
    EXPECT_FALSE(evaluation.outdated(0)) << "the pane itself has nothing to wait for";
    EXPECT_FALSE(evaluation.update(document));
    ASSERT_TRUE(evaluation.cache()->prepare(*document.character, reference, {}));
    EXPECT_TRUE(evaluation.update(document)) << "so that the picture is made again";
    expect_equal(evaluation.deformed_under(document, reference),
                 deform::deform_once(*document.character, evaluate_pose(document), reference));
    EXPECT_FALSE(evaluation.update(document));
  }
}

}  // namespace
}  // namespace pelt::edit
