// Smoothing weights and renaming joints as edits of a document.
#include "edit/weight_edits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include <gmock/gmock.h>

#include "edit/edits.h"
#include "edit_fixtures.h"
#include "gltf/export.h"
#include "gltf/import.h"
#include "rig/surface_variants.h"
#include "support/two_skins.h"

namespace pelt::edit {
namespace {

using test::apply;
using test::arm_document;
using test::kElbow;
using testing::ElementsAre;
using testing::HasSubstr;

Document document_of(rig::Character character) {
  return make_document(std::make_shared<const rig::Character>(std::move(character)));
}

const mesh::Influences& rows(const Document& document, std::size_t mesh = 0, std::size_t primitive = 0) {
  return document.character->meshes[mesh].primitives[primitive].influences;
}

double weight_of(const mesh::InfluenceRow& row, std::uint16_t joint) {
  for (std::size_t k = 0; k < row.joints.size(); ++k) {
    if (row.joints[k] == joint) {
      return static_cast<double>(row.weights[k]);
    }
  }
  return 0;
}

// Vertices on a circle, line by line, with a wave of `k` periods in the weights of joint 1.
rig::Character ring(int k) {
  rig::Character character;
  character.name = "ring";
  test::add_node(character, "root", -1, {});
  test::add_node(character, "tip", 0, {.translation = {0.5f, 0, 0}});
  mesh::Primitive primitive;
  primitive.topology = mesh::Topology::kLines;
  for (std::uint32_t v = 0; v < 16; ++v) {
    const double angle = 2 * std::numbers::pi * v / 16;
    primitive.positions.push_back(glm::vec3(std::cos(angle), std::sin(angle), 0));
    primitive.indices.append({v, (v + 1) % 16});
    const double weight = 0.5 + 0.25 * std::cos(k * angle);
    const std::array<std::uint16_t, 2> joints = {0, 1};
    const std::array<float, 2> weights = {static_cast<float>(1 - weight), static_cast<float>(weight)};
    mesh::append_row(primitive.influences.edit(), joints, weights);
  }
  test::add_skinned_mesh(character, "ring", {0, 1}, std::move(primitive));
  rig::finish(character);
  return character;
}

// Written and read again, so that files, documents and edits are all on the way.
Document as_read(const rig::Character& character) {
  const auto exported = gltf::export_character(character, {});
  EXPECT_TRUE(exported.has_value());
  auto read = gltf::import_memory(exported->files.front().bytes, "");
  EXPECT_TRUE(read.has_value());
  return document_of(*std::move(read));
}

TEST(SmoothWeights, C37_1_ModesOfARingThatWasReadFromAFileDecay) {
  for (const auto& [k, left] : {std::pair{1, 0.961940}, {2, 0.853553}, {4, 0.5}, {8, 0.0}}) {
    Document document = as_read(ring(k));
    apply(document, SmoothWeights{.strength = 0.5f});
    double sum = 0;
    double norm = 0;
    for (std::size_t v = 0; v < 16; ++v) {
      const double wave = std::cos(2 * std::numbers::pi * k * static_cast<double>(v) / 16);
      sum += wave * (weight_of(rows(document).row(v), 1) - 0.5);
      norm += wave * wave;
    }
    EXPECT_NEAR(sum / norm / 0.25, left, 1e-6) << k;
  }
}

TEST(SmoothWeights, OnlyWhatIsNamedChangesAndUndoRestoresTheVeryBlocks) {
  Document document = document_of(test::cylinder());
  const auto before = document.content.character;
  SmoothWeights change;
  change.vertices = {test::cylinder_vertex(24, 3), test::cylinder_vertex(16, 3)};
  change.strengths = {1, 0.5f};
  apply(document, change);
  std::vector<std::size_t> changed;
  mesh::for_changed_rows(before->meshes[0].primitives[0].influences, rows(document),
                         [&](std::size_t v) { changed.push_back(v); });
  EXPECT_THAT(changed, ElementsAre(test::cylinder_vertex(16, 3), test::cylinder_vertex(24, 3)));
  const auto& now = document.character->meshes[0].primitives[0];
  EXPECT_TRUE(now.positions.is(before->meshes[0].primitives[0].positions)) << "nothing else is copied";
  EXPECT_TRUE(now.indices.is(before->meshes[0].primitives[0].indices));
  EXPECT_TRUE(document.character->skeleton.is(before->skeleton));
  std::size_t blocks = 0;
  mesh::for_changed_blocks(before->meshes[0].primitives[0].influences, rows(document),
                           [&](std::size_t, std::size_t, std::size_t) { ++blocks; });
  EXPECT_EQ(blocks, 2u) << "of six: that of vertex 515 and that of vertex 771";
  EXPECT_EQ(document.history.undo_label(), "Smooth weights of cylinder");
  undo(document);
  EXPECT_EQ(document.content.character, before);
}

TEST(SmoothWeights, AStrokeIsOneStepThatEscTakesBack) {
  Document document = document_of(test::cylinder());
  const auto before = document.content.character;
  for (std::uint32_t k = 0; k < 5; ++k) {
    SmoothWeights dab;
    dab.vertices = {test::cylinder_vertex(16, static_cast<int>(k))};
    apply(document, dab, "stroke");
    EXPECT_EQ(document.history.size(), 2u);
  }
  std::size_t changed = 0;
  mesh::for_changed_rows(before->meshes[0].primitives[0].influences, rows(document), [&](std::size_t) { ++changed; });
  EXPECT_EQ(changed, 5u);
  cancel_merge(document, "stroke");
  EXPECT_EQ(document.history.size(), 1u);
  EXPECT_EQ(document.content.character, before);
}

// Dabs go on from what the dab before left, as many edits do.
TEST(SmoothWeights, DabsOfAStrokeAddUp) {
  Document stroke = document_of(test::cylinder());
  Document edits = document_of(test::cylinder());
  SmoothWeights dab;
  dab.vertices = {test::cylinder_vertex(16, 0), test::cylinder_vertex(16, 1)};
  for (int k = 0; k < 3; ++k) {
    apply(stroke, dab, "stroke");
    apply(edits, dab);
  }
  EXPECT_EQ(rows(stroke), rows(edits));
  EXPECT_EQ(edits.history.size(), 4u);
  undo(stroke);
  undo(edits);
  EXPECT_NE(rows(stroke), rows(edits));
}

TEST(SmoothWeights, ASurfaceOfOtherArraysIsNotUsed) {
  Document document = document_of(test::cylinder());
  SmoothWeights change;
  change.surface = mesh::welded_surface(test::elbow().meshes[0]);
  Document plain = document;
  Document given = document;
  apply(document, change);
  change.surface = nullptr;
  apply(plain, change);
  EXPECT_EQ(rows(document), rows(plain));
  change.surface = mesh::welded_surface(given.character->meshes[0]);
  apply(given, change);
  EXPECT_EQ(rows(given), rows(plain));
}

// Joints are meant as the skeleton counts them: the second skin lists them the other way round.
TEST(SmoothWeights, JointsAreThoseOfTheSkeleton) {
  Document document = document_of(test::two_skins());
  SmoothWeights change{.mesh = 1, .locked = {1}};
  const mesh::Influences before = rows(document, 1);
  apply(document, change);
  for (std::size_t v = 0; v < before.vertex_count(); ++v) {
    ASSERT_EQ(weight_of(rows(document, 1).row(v), 0), weight_of(before.row(v), 0)) << "slot 0 is joint 1 there";
  }
  EXPECT_EQ(rows(document, 1), before) << "of two joints the other has what is left";
  change.locked = {};
  change.across = {0, 1};
  apply(document, change);
  EXPECT_NE(rows(document, 1), before);
  const std::size_t steps = document.history.size();
  change.across = {2};  // a node that no skin lists
  apply(document, change);
  EXPECT_EQ(document.history.size(), steps) << "nothing to exchange, which is not everything";
}

TEST(SmoothWeights, TwoNodesOnOneMeshAreSaidToChangeBoth) {
  rig::Character character = test::cylinder();
  EXPECT_EQ(notice(document_of(character), SmoothWeights{}), "");
  test::add_node(character, "again", 0, {});
  character.mesh_nodes.push_back({.joint = 3, .mesh = 0, .skin = 0, .morph_weights = {}});
  rig::finish(character);
  EXPECT_EQ(notice(document_of(character), SmoothWeights{}), "2 nodes share cylinder: all of them change");
}

TEST(SmoothWeights, TheOwnSurfaceComesBack) {
  Document document = document_of(test::cylinder());
  const rig::SurfaceChoice choice = {.subdivisions = 1};
  auto made = rig::with_surface(*own_character(document), choice);
  ASSERT_TRUE(made.has_value());
  show_surface(document, std::make_shared<const rig::Character>(*made), choice, 0);
  ASSERT_FALSE(shows_own_surface(document));
  EXPECT_THAT(notice(document, SmoothWeights{}), HasSubstr("the file's own surface"));
  EXPECT_THAT(notice(document, RebindSkin{0}), HasSubstr("the file's own surface"));
  apply(document, SmoothWeights{});
  EXPECT_TRUE(shows_own_surface(document));
  EXPECT_EQ(rows(document).vertex_count(), test::cylinder_points().size());
}

TEST(SmoothWeights, APrimitiveCountsItsOwnVertices) {
  rig::Character character = test::cylinder();
  mesh::Primitive twin = character.meshes[0].primitives[0];
  for (glm::vec3& position : twin.positions.edit()) {
    position += glm::vec3(0, 3, 0);
  }
  character.meshes.edit(0).primitives.push_back(twin);
  rig::finish(character);
  const auto v = test::cylinder_vertex(16, 3);
  Document one = document_of(character);
  apply(one, SmoothWeights{.primitive = 1, .vertices = {v}});
  Document other = document_of(character);
  apply(other, SmoothWeights{.vertices = {static_cast<std::uint32_t>(twin.positions.size()) + v}});
  EXPECT_EQ(rows(one, 0, 1), rows(other, 0, 1));
  EXPECT_FALSE(mesh::same_row(rows(one, 0, 1).row(v), rows(one, 0, 0).row(v)));
  EXPECT_EQ(rows(one, 0, 0), *character.meshes[0].primitives[0].influences) << "the other one is left alone";
  apply(one, SmoothWeights{.primitive = 0});
  EXPECT_NE(rows(one, 0, 0), *character.meshes[0].primitives[0].influences);
  EXPECT_EQ(rows(one, 0, 1), rows(other, 0, 1));
}

TEST(SmoothWeights, WithoutASkinThereIsNothingToDo) {
  rig::Character character = test::cylinder();
  character.meshes.edit(0).primitives.edit(0).influences = {};
  character.mesh_nodes.edit()[0].skin = -1;
  rig::finish(character);
  Document document = document_of(character);
  apply(document, SmoothWeights{});
  EXPECT_FALSE(can_undo(document));
  EXPECT_TRUE(vertices_of_joint(character, 0, 1).empty());
}

TEST(SmoothWeights, VerticesOfAJoint) {
  const rig::Character character = test::cylinder();
  const std::vector<std::uint32_t> tip = vertices_of_joint(character, 0, 1);
  EXPECT_EQ(tip.front(), test::cylinder_vertex(17, 0)) << "weights begin behind x = 0.4";
  EXPECT_EQ(tip.size(), 24u * 32 + 1);
  EXPECT_TRUE(vertices_of_joint(character, 0, 2).empty()) << "the mesh's own node";
}

TEST(SmoothWeights, FieldsSayAndSetTheirValues) {
  for (const WeightSmoothingField& field : weight_smoothing_fields()) {
    SCOPED_TRACE(field.id);
    EXPECT_FALSE(field.label.empty());
    EXPECT_FALSE(field.help.empty());
    EXPECT_LE(field.minimum, standard_value(field));
    EXPECT_GE(field.maximum, standard_value(field));
    SmoothWeights change;
    for (const float value : {field.minimum, field.maximum}) {
      field.set(change, value);
      EXPECT_EQ(field.get(change), value);
      for (const WeightSmoothingField& other : weight_smoothing_fields()) {
        EXPECT_TRUE(&other == &field || other.get(change) == standard_value(other)) << other.id;
      }
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------

TEST(RenameJoint, ChangesTheNameAlone) {
  Document document = arm_document();
  document.view.select_only(kElbow);
  apply(document, SetDof{kElbow, 0, 0.5f});
  const View view = document.view;
  const auto before = document.character;
  apply(document, RenameJoint{kElbow, "forearm"});
  EXPECT_EQ(document.character->skeleton->name[kElbow], "forearm");
  EXPECT_EQ(document.history.undo_label(), "Rename elbow_l to forearm");
  EXPECT_EQ(document.view, view);
  EXPECT_EQ(dof_values(document, kElbow)[0], 0.5f) << "the pose goes on";
  EXPECT_TRUE(document.character->meshes.is(before->meshes));
  EXPECT_TRUE(document.character->skins.is(before->skins));
  undo(document);
  EXPECT_EQ(document.character, before);
  apply(document, RenameJoint{kElbow, "elbow_l"});
  EXPECT_EQ(document.history.size(), 3u) << "no step where the name is the same";
}

// A name is nothing of the surface: the one that is shown stays.
TEST(RenameJoint, KeepsTheSurfaceThatIsShown) {
  Document document = document_of(test::cylinder());
  const rig::SurfaceChoice choice = {.subdivisions = 1};
  auto made = rig::with_surface(*own_character(document), choice);
  ASSERT_TRUE(made.has_value());
  show_surface(document, std::make_shared<const rig::Character>(*made), choice, 0.25);
  document.view.pinned_part = 0;
  document.view.pinned_vertex = static_cast<int>(test::cylinder_points().size());  // it has more
  const auto shown = document.character;
  const std::uint64_t version = document.character_version;
  apply(document, RenameJoint{1, "end"});
  EXPECT_GT(document.character_version, version) << "whoever shows names looks again";
  EXPECT_EQ(document.surface, choice);
  EXPECT_EQ(document.detail_error, 0.25);
  EXPECT_TRUE(document.character->meshes.is(shown->meshes));
  EXPECT_EQ(document.character->skeleton->name[1], "end");
  EXPECT_EQ(own_character(document)->skeleton->name[1], "end");
  EXPECT_EQ(document.view.pinned_part, 0);
  undo(document);
  EXPECT_GT(document.character_version, version + 1);
  EXPECT_EQ(document.surface, choice);
  EXPECT_EQ(document.character->skeleton->name[1], "tip");
  apply(document, SmoothWeights{});
  EXPECT_TRUE(shows_own_surface(document));
}

TEST(RenameJoint, SaysWhatFollowsFromANameThatOthersHaveOrNone) {
  const Document document = arm_document();
  EXPECT_EQ(notice(document, RenameJoint{kElbow, "forearm"}), "");
  EXPECT_EQ(notice(document, RenameJoint{kElbow, "elbow_l"}), "");
  EXPECT_THAT(notice(document, RenameJoint{kElbow, "hand_l"}), HasSubstr("1 other joint is so called"));
  EXPECT_THAT(notice(document, RenameJoint{kElbow, "twin"}), HasSubstr("2 other joints are so called"));
  EXPECT_THAT(notice(document, RenameJoint{7, "twin"}), HasSubstr("1 other joint is so called"));
  EXPECT_THAT(notice(document, RenameJoint{kElbow, ""}), HasSubstr("node 2"));
  EXPECT_EQ(label(document, RenameJoint{kElbow, ""}), "Take the name of elbow_l");
}

TEST(RenameJoint, NamesBecomeOneLineOfText) {
  Document document = arm_document();
  apply(document, RenameJoint{kElbow, "a\nb\xff"});
  EXPECT_EQ(document.character->skeleton->name[kElbow], "a?b?");
  apply(document, RenameJoint{kElbow, std::string(5000, 'x')});
  EXPECT_LE(document.character->skeleton->name[kElbow].size(), kLongestName);
}

TEST(RenameJoint, TheExportedFileHasTheName) {
  Document document = document_of(test::cylinder());
  apply(document, RenameJoint{1, "Spitze \"2\""});
  const Document read = as_read(*document.character);
  EXPECT_EQ(read.character->skeleton->name[1], "Spitze \"2\"");
}

TEST(SmoothWeights, VerticesOfAJointAreCountedThroughAllPrimitives) {
  rig::Character character = test::cylinder();
  const std::vector<std::uint32_t> one = vertices_of_joint(character, 0, 1);
  const auto twin = mesh::Primitive(character.meshes[0].primitives[0]);
  character.meshes.edit(0).primitives.push_back(twin);
  rig::finish(character);
  const std::vector<std::uint32_t> both = vertices_of_joint(character, 0, 1);
  ASSERT_EQ(both.size(), 2 * one.size());
  for (std::size_t k = 0; k < one.size(); ++k) {
    ASSERT_EQ(both[k], one[k]);
    ASSERT_EQ(both[one.size() + k], one[k] + twin.vertex_count());
  }
}

TEST(SmoothWeights, SkinsOfOtherMeshesAreNotAsked) {
  const rig::Character character = test::two_skins();  // the second skin lists {1, 0}
  const mesh::Influences& second = character.meshes[1].primitives[0].influences;
  const std::vector<std::uint32_t> tip = vertices_of_joint(character, 1, 1);
  ASSERT_FALSE(tip.empty());
  ASSERT_LT(tip.size(), second.vertex_count());
  for (const std::uint32_t v : tip) {
    ASSERT_GT(weight_of(second.row(v), 0), 0) << v;
  }
  Document document = document_of(character);
  apply(document, SmoothWeights{.mesh = 1, .across = {1}});
  EXPECT_FALSE(can_undo(document)) << "one joint alone has nobody to exchange with";
}

TEST(SmoothWeights, EachVertexHasItsOwnStrength) {
  const std::uint32_t one = test::cylinder_vertex(24, 3);
  const std::uint32_t other = test::cylinder_vertex(16, 3);
  Document both = document_of(test::cylinder());
  SmoothWeights change;
  change.vertices = {one, other};
  change.strengths = {1, 0.5f};
  apply(both, change);
  for (const auto& [v, strength] : {std::pair{one, 0.5f}, std::pair{other, 0.25f}}) {
    Document alone = document_of(test::cylinder());
    apply(alone, SmoothWeights{.vertices = {v}, .strength = strength});
    EXPECT_TRUE(mesh::same_row(rows(both).row(v), rows(alone).row(v))) << v;
  }
}

TEST(RenameJoint, ANameAndWeightsTogetherAreAnotherSurface) {
  Document document = document_of(test::cylinder());
  const mesh::Influences before = rows(document);
  apply(document, RenameJoint{1, "end"});
  apply(document, SmoothWeights{});
  const rig::SurfaceChoice choice = {.subdivisions = 1};
  auto made = rig::with_surface(*own_character(document), choice);
  ASSERT_TRUE(made.has_value());
  show_surface(document, std::make_shared<const rig::Character>(*made), choice, 0);
  travel(document, 0);
  EXPECT_TRUE(shows_own_surface(document));
  EXPECT_EQ(document.surface, rig::SurfaceChoice());
  EXPECT_EQ(rows(document), before);
}

TEST(SmoothWeights, EveryFieldReachesTheResult) {
  const std::uint32_t v = test::cylinder_vertex(16, 3);  // the root's alone, beside the ramp
  const auto smoothed = [&](SmoothWeights change) {
    change.vertices = {v};
    Document document = document_of(test::cylinder());
    apply(document, change);
    const auto weights = rows(document).weights(v);
    return std::vector<float>(weights.begin(), weights.end());
  };
  const std::vector<float> plain = smoothed({});
  ASSERT_EQ(plain.size(), 2u);
  EXPECT_EQ(smoothed({.limit = 1}).size(), 1u);
  EXPECT_EQ(smoothed({.threshold = 0.1f}).size(), 1u);
  EXPECT_NE(smoothed({.cotangents = true}), plain);
  EXPECT_NE(smoothed({.iterations = 2}), plain);
  EXPECT_NE(smoothed({.strength = 0.25f}), plain);
}

TEST(SmoothWeights, OfCopiesTheStrongestCounts) {
  rig::Character character = test::cylinder();
  const auto twin = mesh::Primitive(character.meshes[0].primitives[0]);
  character.meshes.edit(0).primitives.push_back(twin);
  rig::finish(character);
  const std::uint32_t v = test::cylinder_vertex(16, 3);
  const std::uint32_t copy = v + static_cast<std::uint32_t>(twin.vertex_count());
  for (const bool first : {false, true}) {
    Document both = document_of(character);
    SmoothWeights change;
    change.vertices = {v, copy};
    change.strengths = first ? SharedArray<float>{1, 0} : SharedArray<float>{0, 1};
    apply(both, change);
    Document one = document_of(character);
    apply(one, SmoothWeights{.vertices = {v}});
    EXPECT_EQ(rows(both), rows(one));
  }
}

TEST(SmoothWeights, NumbersThatAreNotFiniteChangeNothing) {
  Document document = document_of(test::cylinder());
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    apply(document, SmoothWeights{.strength = bad});
    apply(document, SmoothWeights{.threshold = bad});
    apply(document, SmoothWeights{.vertices = {test::cylinder_vertex(16, 3), 5}, .strengths = {1, bad}});
  }
  EXPECT_FALSE(can_undo(document));
}

}  // namespace
}  // namespace pelt::edit
