// Layers of a document, ALGORITHMS.md §18.
#include "deform/layers.h"

#include <array>
#include <cstring>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "deform/skinning_methods.h"
#include "edit/evaluation.h"
#include "edit/reload.h"
#include "edit_fixtures.h"

namespace pelt::edit {
namespace {

using deform::DeformedCharacter;
using deform::SkinningSettings;
using test::apply;
using test::arm_document;
using test::kElbow;

SetLayer switched(const Document& document, std::string_view kind, bool on) {
  const std::size_t k = find_layer(document.content, kind);
  return {k, on, layer_at(document.content, k).values};
}

SetLayer with_value(const Document& document, std::string_view kind, std::string_view field, float value) {
  SetLayer change = switched(document, kind, true);
  const auto fields = layer_kind_at(document.content, change.layer)->fields;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    change.values[f] = fields[f].id == field ? value : change.values[f];
  }
  return change;
}

bool same_bits(const DeformedCharacter& a, const DeformedCharacter& b) {
  const auto same = [](const auto& x, const auto& y) {
    return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(x[0])) == 0);
  };
  if (a.parts.size() != b.parts.size()) {
    return false;
  }
  for (std::size_t p = 0; p < a.parts.size(); ++p) {
    if (!same(a.parts[p].positions, b.parts[p].positions) || !same(a.parts[p].normals, b.parts[p].normals) ||
        !same(a.parts[p].tangents, b.parts[p].tangents)) {
      return false;
    }
  }
  return a.bounds.lower == b.bounds.lower && a.bounds.upper == b.bounds.upper;
}

// A character with something for each layer: morph targets, a clip, joints posed by hand.
Document posed(rig::Character character, std::uint32_t seed) {
  test::Random random(seed);
  Document document = make_document(std::make_shared<const rig::Character>(std::move(character)));
  for (int j = 0; j < std::min(6, document.character->skeleton->size()); ++j) {
    Transform local = document.character->skeleton->rest[j];
    local.rotation = glm::quat(glm::dquat(local.rotation) * random.rotation(1.0));
    apply(document, SetJointLocal{j, local, false});
  }
  for (int m = 0; m < document.character->morph_offset.back(); ++m) {
    apply(document, SetMorph{m, random.real(0.25f, 1.0f)});
  }
  if (!document.character->clips.empty()) {
    apply(document, SetClip{0});
    apply(document, SetTime{1.5f});
  }
  return document;
}

std::vector<rig::Character> characters() {
  return {test::arm(),
          test::elbow(),
          test::cylinder(),
          test::strip100(),
          test::random_rig({.seed = 18, .joints = 12, .vertices = 120, .morph_targets = 3}),
          test::random_rig({.seed = 19, .joints = 9, .vertices = 90, .influences = 7, .scaled = true})};
}

TEST(Layers, EachKindHasANameAHelpAndValuesInRange) {
  std::set<std::string_view> ids;
  rig::LayerSlot slot = rig::LayerSlot::kPose;
  const Document document = arm_document();
  ASSERT_EQ(layer_count(document.content), motion::pose_layer_kinds().size() + deform::deformer_layer_kinds().size());
  for (std::size_t k = 0; k < layer_count(document.content); ++k) {
    const rig::LayerKind& kind = *layer_kind_at(document.content, k);
    SCOPED_TRACE(kind.id);
    EXPECT_TRUE(ids.insert(kind.id).second) << "one name for flags, whatever the slot";
    EXPECT_FALSE(kind.label.empty());
    EXPECT_FALSE(kind.help.empty());
    EXPECT_GE(kind.slot, slot) << "the stack is in the order of slots";
    slot = kind.slot;
    EXPECT_EQ(layer_at(document.content, k), rig::standard_layer(kind));
    EXPECT_EQ(find_layer(document.content, kind.id), k);
    for (const rig::LayerField& field : kind.fields) {
      EXPECT_LE(field.minimum, field.standard);
      EXPECT_LE(field.standard, field.maximum);
    }
  }
  EXPECT_EQ(find_layer(document.content, "no such layer"), layer_count(document.content));
}

TEST(Layers, TheStandardStackChangesNothing) {
  const Document document = posed(test::random_rig({.seed = 4, .morph_targets = 2}), 4);
  const rig::Pose pose = evaluate_pose(document);
  EXPECT_EQ(deformed_pose(document, pose), pose);
  for (const deform::NormalVariantInfo& normals : deform::kNormalVariants) {
    const SkinningSettings settings{.method = 3, .normals = normals.variant, .influence_limit = 2};
    EXPECT_EQ(in_effect(document, settings), settings);
  }
}

// C18.1: without optional layers the shape is the plain one of the method, of the rest pose without morph targets; and
// where the method differs from linear blending by what it does afterwards, it is plain linear blending.
TEST(Layers, C18_1_WithoutOptionalLayersTheShapeIsPlainLinearBlending) {
  const auto methods = deform::skinning_methods();
  const std::size_t lbs = deform::find_method("lbs");
  int linear = 0;
  std::uint32_t seed = 0;
  for (rig::Character& character : characters()) {
    Document document = posed(std::move(character), ++seed);
    for (std::size_t m = 0; m < methods.size(); ++m) {
      SCOPED_TRACE(methods[m].id);
      apply(document, SetSkinning{{.method = static_cast<int>(m), .normals = deform::NormalVariant::kRecomputed}});
      for (const bool also_pose : {false, true}) {
        Document plain = without_history(document);
        for (std::size_t k = 0; k < layer_count(plain.content); ++k) {
          const rig::LayerKind& kind = *layer_kind_at(plain.content, k);
          if (kind.optional && kind.id != "skin" && (also_pose || kind.slot != rig::LayerSlot::kPose)) {
            apply(plain, switched(plain, kind.id, false));
          }
        }
        rig::Pose pose = also_pose ? rig::rest_pose(*plain.character) : evaluate_pose(document);
        pose.morph_weights.assign(pose.morph_weights.size(), 0.0f);
        Evaluation evaluation;
        const DeformedCharacter& shape = evaluation.deformed(plain);
        if (methods[m].finish == nullptr) {
          ASSERT_TRUE(methods[m].smooths.empty());
          EXPECT_TRUE(same_bits(
              shape, deform::deform_once(*plain.character, pose,
                                         {.method = static_cast<int>(m), .normals = methods[m].default_normals})));
        }
        if (m == lbs || methods[m].smooths == "lbs") {
          ++linear;
          EXPECT_TRUE(same_bits(shape, deform::deform_once(*plain.character, pose, {.method = static_cast<int>(lbs)})));
        }
      }
    }
  }
  EXPECT_EQ(linear, 24) << "linear blending and delta mush, of six characters";
}

// ---------------------------------------------------------------------------------------------------------------------

// C17.4: a vertex at (1, 0, 0) with the normal x, a target that moves it by (0.5, 0, 0), a joint at the origin.
rig::Character one_vertex() {
  rig::Character character;
  test::add_node(character, "joint", -1, {});
  mesh::Primitive primitive;
  primitive.topology = mesh::Topology::kPoints;
  primitive.positions = {{1, 0, 0}};
  primitive.normals = {{1, 0, 0}};
  primitive.indices = {0};
  const std::uint16_t joint = 0;
  const float weight = 1;
  mesh::append_row(primitive.influences.edit(), {&joint, 1}, {&weight, 1});
  primitive.morph_targets.push_back({"bulge", {{0.5f, 0, 0}}, {}, {}});
  test::add_skinned_mesh(character, "mesh", {0}, std::move(primitive));
  character.meshes.edit(0).morph_names = {"bulge"};
  character.meshes.edit(0).morph_weights = {0};
  rig::finish(character);
  return character;
}

// Turned by +90 degrees about z, the target full.
Document turned_vertex(float scale = 1) {
  Document document = make_document(std::make_shared<const rig::Character>(one_vertex()));
  Transform local;
  local.rotation = glm::angleAxis(90 * test::kDegree, glm::vec3(0, 0, 1));
  local.scale = glm::vec3(scale);
  apply(document, SetJointLocal{0, local, false});
  apply(document, SetMorph{0, 1});
  return document;
}

glm::vec3 vertex_of(const Document& document) {
  Evaluation evaluation;
  return evaluation.deformed(document).parts.at(0).positions.at(0);
}

constexpr float kTolerance = 1e-6f;  // metres

TEST(Layers, C18_2_ShapesComeBeforeTheSkinUnderEveryMethod) {
  for (std::size_t m = 0; m < deform::skinning_methods().size(); ++m) {
    SCOPED_TRACE(deform::skinning_methods()[m].id);
    Document document = turned_vertex();
    apply(document, SetSkinning{{.method = static_cast<int>(m)}});
    EXPECT_LT(glm::distance(vertex_of(document), glm::vec3(0, 1.5f, 0)), kTolerance) << "not (0.5, 1, 0)";
    apply(document, switched(document, "shapes", false));
    EXPECT_LT(glm::distance(vertex_of(document), glm::vec3(0, 1, 0)), kTolerance);
    apply(document, with_value(document, "shapes", "weight", 0.5f));
    EXPECT_LT(glm::distance(vertex_of(document), glm::vec3(0, 1.25f, 0)), kTolerance);
    apply(document, switched(document, "skin", false));
    EXPECT_LT(glm::distance(vertex_of(document), glm::vec3(1.25f, 0, 0)), kTolerance) << "the morphed bind shape";
  }
}

// The same distance on both sides of a skin that makes everything twice as large.
TEST(Layers, PushActsInTheSpaceOfItsSlot) {
  Document document = turned_vertex(2);
  ASSERT_LT(glm::distance(vertex_of(document), glm::vec3(0, 3, 0)), kTolerance);
  apply(document, with_value(document, "push", "distance", 0.1f));
  EXPECT_LT(glm::distance(vertex_of(document), glm::vec3(0, 3.2f, 0)), kTolerance);
  apply(document, with_value(document, "push-posed", "distance", 0.1f));
  EXPECT_LT(glm::distance(vertex_of(document), glm::vec3(0, 3.3f, 0)), kTolerance);
  apply(document, switched(document, "push", false));
  EXPECT_LT(glm::distance(vertex_of(document), glm::vec3(0, 3.1f, 0)), kTolerance);
  apply(document, with_value(document, "push-posed", "weight", 0.5f));
  EXPECT_LT(glm::distance(vertex_of(document), glm::vec3(0, 3.05f, 0)), kTolerance);
  apply(document, with_value(document, "push-posed", "distance", -0.1f));
  EXPECT_LT(glm::distance(vertex_of(document), glm::vec3(0, 2.95f, 0)), kTolerance);
}

TEST(Layers, APushedSurfaceIsBoundedWhereItIs) {
  for (const char* const kind : {"push", "push-posed"}) {
    Document document = posed(test::cylinder(), 2);
    apply(document, with_value(document, kind, "distance", 0.05f));
    Evaluation evaluation;
    const DeformedCharacter& shape = evaluation.deformed(document);
    const Bounds bounds = bounds_of(shape.parts[0].positions);
    EXPECT_EQ(shape.bounds.lower, bounds.lower) << kind;
    EXPECT_EQ(shape.bounds.upper, bounds.upper) << kind;
  }
}

TEST(Layers, WithoutSmoothingTheShapeIsTheOneThatWouldBeSmoothed) {
  Document document = posed(test::cylinder(), 3);
  apply(document, SetSkinning{{.method = deform::find_method("delta-mush")}});
  Evaluation evaluation;
  const DeformedCharacter smoothed = evaluation.deformed(document);
  apply(document, switched(document, "smoothing", false));
  const DeformedCharacter plain = evaluation.deformed(document);
  EXPECT_FALSE(same_bits(smoothed, plain));
  Document linear = without_history(document);
  apply(linear, SetSkinning{{.method = deform::find_method("lbs")}});
  EXPECT_TRUE(same_bits(plain, Evaluation().deformed(linear)));
  EXPECT_EQ(document.content.skinning.method, deform::find_method("delta-mush")) << "chosen still";
  apply(document, switched(document, "smoothing", true));
  EXPECT_TRUE(same_bits(evaluation.deformed(document), smoothed));
}

// Every other vertex is pushed inwards: smoothing after that, without putting the detail back, takes it away again.
TEST(Layers, SmoothingSmoothesWhatWasPushed) {
  rig::Character character = test::cylinder();
  std::vector<glm::vec3> normals = character.meshes[0].primitives[0].normals;
  for (std::size_t v = 1; v < normals.size(); v += 2) {
    normals[v] = -normals[v];
  }
  character.meshes.edit(0).primitives.edit(0).normals = normals;
  Document document = make_document(std::make_shared<const rig::Character>(std::move(character)));
  apply(document, SetSkinning{{.method = deform::find_method("delta-mush"), .parameters = {.mush_deltas = false}}});
  const DeformedCharacter without = Evaluation().deformed(document);
  constexpr float kDistance = 0.05f;
  apply(document, with_value(document, "push-posed", "distance", kDistance));
  const DeformedCharacter with = Evaluation().deformed(document);
  double sum = 0;
  for (std::size_t v = 0; v < normals.size(); ++v) {
    sum += static_cast<double>(glm::distance(with.parts[0].positions[v], without.parts[0].positions[v]));
  }
  EXPECT_LT(sum / static_cast<double>(normals.size()), 0.2 * static_cast<double>(kDistance));
}

TEST(Layers, WithoutTheNormalsLayerTheyAreTheStandardOnes) {
  Document document = posed(test::cylinder(), 3);
  apply(document, SetSkinning{{.normals = deform::NormalVariant::kRecomputed}});
  apply(document, switched(document, "normals", false));
  Evaluation evaluation;
  evaluation.update(document);
  EXPECT_EQ(evaluation.skinning().normals, deform::NormalVariant::kInverseTransposeOfBlend);
  EXPECT_EQ(document.content.skinning.normals, deform::NormalVariant::kRecomputed) << "chosen still";
}

// ---------------------------------------------------------------------------------------------------------------------

// Stopping behind a layer is as switching off all behind it.
TEST(Layers, Law_StoppingIsSwitchingOffWhatComesAfter) {
  std::uint32_t seed = 40;
  for (rig::Character& character : characters()) {
    Document document = posed(std::move(character), ++seed);
    apply(document,
          SetSkinning{{.method = deform::find_method("delta-mush"), .normals = deform::NormalVariant::kRecomputed}});
    apply(document, with_value(document, "push", "distance", 0.02f));
    apply(document, with_value(document, "push-posed", "distance", 0.01f));
    Evaluation evaluation;
    const DeformedCharacter all = evaluation.deformed(document);
    const std::size_t steps = document.history.size();
    for (std::size_t k = 0; k < layer_count(document.content); ++k) {
      stop_after(document, static_cast<int>(k));
      Document off = without_history(document);
      stop_after(off, -1);
      for (std::size_t later = k + 1; later < layer_count(off.content); ++later) {
        EXPECT_FALSE(layer_works(document, later));
        apply(off, SetLayer{later, false, layer_at(off.content, later).values});
      }
      EXPECT_EQ(evaluate_pose(document), evaluate_pose(off)) << "layer " << k;
      EXPECT_TRUE(same_bits(evaluation.deformed(document), Evaluation().deformed(off))) << "layer " << k;
    }
    EXPECT_EQ(document.history.size(), steps) << "where one looks is no step";
    stop_after(document, -1);
    EXPECT_TRUE(same_bits(evaluation.deformed(document), all));
  }
}

TEST(Layers, EditsMeanTheWholeStackWhereverTheViewStops) {
  Document document = arm_document();
  apply(document, SetClip{0});
  apply(document, SetTime{3});
  const rig::Pose base = evaluate_base_pose(document);
  stop_after(document, 0);
  EXPECT_EQ(evaluate_base_pose(document), base);
  EXPECT_EQ(evaluate_pose(document), rig::rest_pose(*document.character));
}

// Whatever happened before, the evaluation that saw it all has what a fresh one has.
TEST(Layers, Law_CachedShapesAreFreshShapes) {
  test::Random random(77);
  Document document = posed(test::random_rig({.seed = 77, .joints = 10, .vertices = 60, .morph_targets = 2}), 77);
  Evaluation evaluation;
  for (int i = 0; i < 200; ++i) {
    const int what = random.below(10);
    if (what < 6) {
      SetLayer change{static_cast<std::size_t>(random.below(static_cast<int>(layer_count(document.content)))),
                      random.below(2) == 0,
                      {}};
      for (const rig::LayerField& field : layer_kind_at(document.content, change.layer)->fields) {
        change.values.push_back(random.real(field.minimum, field.maximum));
      }
      apply(document, change);
    } else if (what < 7) {
      stop_after(document, random.below(static_cast<int>(layer_count(document.content)) + 1) - 1);
    } else if (what < 8) {
      SkinningSettings settings;
      settings.method = random.below(static_cast<int>(deform::skinning_methods().size()));
      settings.normals = deform::kNormalVariants[random.below(8)].variant;
      settings.parameters.direct_iterations = 2;
      apply(document, SetSkinning{settings});
    } else if (what < 9) {
      apply(document, SetMorph{random.below(2), random.real(0.0f, 1.0f)});
    } else {
      undo(document);
    }
    ASSERT_TRUE(same_bits(evaluation.deformed(document), Evaluation().deformed(document))) << "after " << i;
  }
}

// ---------------------------------------------------------------------------------------------------------------------

TEST(SetLayer, IsAStepAndADragIsOne) {
  Document document = arm_document();
  apply(document, switched(document, "clip", false));
  EXPECT_EQ(document.history.undo_label(), "Layer Clip off");
  EXPECT_FALSE(layer_works(document, find_layer(document.content, "clip")));
  for (const float weight : {0.75f, 0.5f, 0.25f}) {
    apply(document, with_value(document, "shapes", "weight", weight), "drag");
  }
  EXPECT_EQ(document.history.size(), 3u);
  EXPECT_EQ(document.history.undo_label(), "Change layer Shapes");
  undo(document);
  undo(document);
  EXPECT_TRUE(document.content.pose_layers.is(motion::standard_pose_layers()));
  EXPECT_TRUE(document.content.deformer_layers.is(deform::standard_deformer_layers()));
}

TEST(SetLayer, KeepsValuesInTheirRanges) {
  Document document = arm_document();
  apply(document, with_value(document, "clip", "weight", 7));
  EXPECT_FALSE(can_undo(document)) << "1 at most, which it is";
  apply(document, with_value(document, "clip", "weight", -7));
  EXPECT_EQ(layer_at(document.content, find_layer(document.content, "clip")).values[0], 0.0f);
  apply(document, with_value(document, "clip", "weight", std::numeric_limits<float>::quiet_NaN()));
  EXPECT_EQ(layer_at(document.content, find_layer(document.content, "clip")).values[0], 0.0f);
  apply(document, switched(document, "base", false));
  EXPECT_EQ(document.history.size(), 2u) << "nothing is seen without a base pose";
}

TEST(SetLayer, StaysWithANewerVersionOfTheFile) {
  Document document = arm_document();
  apply(document, with_value(document, "clip", "weight", 0.5f));
  apply(document, switched(document, "smoothing", false));
  const Content before = document.content;
  reload_character(document, std::make_shared<const rig::Character>(test::arm()));
  EXPECT_EQ(document.content.pose_layers, before.pose_layers);
  EXPECT_EQ(document.content.deformer_layers, before.deformer_layers);
  open_character(document, std::make_shared<const rig::Character>(test::cylinder()));
  EXPECT_EQ(document.content.pose_layers, motion::standard_pose_layers()) << "another character";
}

// A pane's own settings never keep what layers made of them.
TEST(SetLayer, SettingsThatTookEffectAreNotKept) {
  Document document = arm_document();
  apply(document, with_value(document, "push", "distance", 0.02f));
  Evaluation evaluation;
  evaluation.update(document);
  SkinningSettings settings = evaluation.skinning();
  ASSERT_EQ(settings.layers.size(), 1u);
  settings.influence_limit = 2;
  apply(document, SetSkinning{settings});
  EXPECT_TRUE(document.content.skinning.layers.empty());
  EXPECT_EQ(document.content.skinning.influence_limit, 2);
}

TEST(Layers, WhatAPaneIsComparedWithIsPushedOnce) {
  Document document = turned_vertex();
  apply(document, with_value(document, "push-posed", "distance", 0.1f));
  Evaluation evaluation;
  evaluation.update(document);
  SkinningSettings other = evaluation.skinning();
  ASSERT_EQ(other.layers.size(), 1u);
  other.method = deform::find_method("dqs");
  const glm::vec3 there = evaluation.deformed_under(document, other).parts.at(0).positions.at(0);
  EXPECT_LT(glm::distance(there, glm::vec3(0, 1.6f, 0)), kTolerance);
  EXPECT_EQ(in_effect(document, other).layers.size(), 1u);
}

}  // namespace
}  // namespace pelt::edit
