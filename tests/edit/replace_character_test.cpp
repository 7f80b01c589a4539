// Commands that put another character in the place of the one that is open: a mended copy, a skin bound anew.
#include <gtest/gtest.h>
#include <array>
#include <string>

#include "edit/evaluation.h"
#include "edit_fixtures.h"
#include "gltf/bundled.h"
#include "gltf/export.h"
#include "gltf/import.h"
#include "rig/surface_variants.h"
#include "support/glb_builder.h"

namespace pelt::edit {
namespace {

using test::apply;
using test::arm_document;
using test::dof;
using test::kDegree;
using test::kElbow;

TEST(ReplaceCharacter, TheStepSaysWhatItFixes) {
  EXPECT_EQ(label_of_fix(std::array<std::string, 1>{"weight-sum"}), "Fix weight-sum");
  EXPECT_EQ(label_of_fix(std::array<std::string, 2>{"weight-sum", "winding"}), "Fix weight-sum, winding");
  EXPECT_EQ(label_of_fix(std::array<std::string, 4>{"weight-sum", "winding", "unused-vertex", "duplicate-vertex"}),
            "Fix weight-sum and 3 more");
}

TEST(ReplaceCharacter, IsOneStepThatKeepsThePose) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, dof(document, kElbow, "bend"), 60 * kDegree});
  document.view.pinned_part = 0;
  document.view.pinned_vertex = 1;
  const Content posed = document.content;
  const auto before = document.character;
  const auto mended = std::make_shared<const rig::Character>(*before);
  const std::uint64_t version = document.character_version;
  apply(document, ReplaceCharacter{mended});
  EXPECT_EQ(document.character, mended);
  EXPECT_GT(document.character_version, version);
  EXPECT_EQ(document.content.overrides, posed.overrides);
  EXPECT_EQ(document.view.pinned_vertex, -1);
  EXPECT_EQ(document.history.undo_label(), "Fix findings");
  apply(document, SetDof{kElbow, dof(document, kElbow, "bend"), 30 * kDegree});
  undo(document);
  EXPECT_EQ(document.character, mended);
  EXPECT_EQ(document.content.overrides, posed.overrides);
  undo(document);
  EXPECT_EQ(document.character, before);
  EXPECT_EQ(document.content, posed);
  const std::uint64_t undone = document.character_version;
  redo(document);
  EXPECT_EQ(document.character, mended);
  EXPECT_GT(document.character_version, undone);
  undo(document);
  undo(document);
  EXPECT_EQ(document.character, before);
  EXPECT_TRUE(document.content.overrides->empty());
}

TEST(RebindSkin, IsUndone) {
  Document document = make_document(std::make_shared<rig::Character>(test::cylinder()));
  apply(document,
        {SetJointLocal{1, {.translation = {0.5f, 0, 0}, .rotation = glm::angleAxis(1.0f, glm::vec3(0, 0, 1))}},
         {},
         true});
  document.view.pinned_part = 0;
  document.view.pinned_vertex = 7;
  const std::shared_ptr<const rig::Character> before = document.character;
  const rig::Pose pose = evaluate_pose(document);
  const std::uint64_t version = document.character_version;
  apply(document, {RebindSkin{0}, {}, true});
  EXPECT_NE(document.character, before);
  EXPECT_GT(document.character_version, version);
  EXPECT_EQ(document.history.undo_label(), "Re-bind cylinder");
  EXPECT_EQ(evaluate_pose(document), pose) << "the pose stays";
  EXPECT_EQ(document.view.pinned_part, 0);
  EXPECT_EQ(document.view.pinned_vertex, 7) << "the same vertices";
  rig::WorldMatrices world;
  world.evaluate(document.character->skeleton, pose);
  const glm::mat4 m = rig::skin_matrix(document.character->skins[0], world.world(), 1);
  EXPECT_NEAR(m[0][1], 0.0f, 1e-6f);
  EXPECT_NEAR(m[0][0], 1.0f, 1e-6f);
  undo(document);
  EXPECT_EQ(document.character, before);
  EXPECT_EQ(evaluate_pose(document), pose);
  redo(document);
  EXPECT_NE(document.character, before);

  // Where that is impossible nothing happens.
  undo(document);
  apply(document, {SetJointLocal{1, {.translation = {0.5f, 0, 0}, .scale = {0, 1, 1}}}, {}, true});
  const std::size_t steps = document.history.cursor();
  apply(document, {RebindSkin{0}, {}, true});
  EXPECT_EQ(document.character, before);
  EXPECT_EQ(document.history.cursor(), steps);
}

TEST(ReplaceCharacter, LeavesThePlayheadAlone) {
  Document document = arm_document();
  apply(document, SetClip{0});
  apply(document, ReplaceCharacter{std::make_shared<const rig::Character>(*document.character)});
  edit::apply(document, {SetTime{2.5f}, "", false});
  undo(document);
  EXPECT_EQ(document.view.time, 2.5f);
}

TEST(ReplaceCharacter, NothingCanBeRedoneAfterwards) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 0.5f});
  undo(document);
  ASSERT_TRUE(can_redo(document));
  apply(document, ReplaceCharacter{std::make_shared<const rig::Character>(*document.character)});
  EXPECT_FALSE(can_redo(document));
  undo(document);
  ASSERT_TRUE(can_redo(document));
  apply(document, RebindSkin{0});
  EXPECT_FALSE(can_redo(document));
}

TEST(ReplaceCharacter, EndsADrag) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 0.5f}, "drag");
  const std::uint64_t state_version = document.state_version;
  apply(document, ReplaceCharacter{std::make_shared<const rig::Character>(*document.character)});
  EXPECT_GT(document.state_version, state_version);
  apply(document, SetDof{kElbow, 0, 0.75f}, "drag");
  EXPECT_EQ(document.history.cursor(), 3u);
}

// Going back to another character keeps the pinned vertex where it is the same one, and lets it go where it may not be.
TEST(ReplaceCharacter, GoingBackKeepsThePinnedVertexWhereItIsTheSame) {
  Document document = arm_document();
  rig::Character other = *document.character;
  other.meshes.edit(0).primitives.edit(0).indices = {1, 0};
  rig::Character same = other;
  same.meshes.edit(0).primitives.edit(0).positions.edit()[1].x += 1;
  apply(document, ReplaceCharacter{std::make_shared<const rig::Character>(other)});
  apply(document, ReplaceCharacter{std::make_shared<const rig::Character>(same)});
  document.view.pinned_part = 0;
  document.view.pinned_vertex = 1;
  undo(document);
  EXPECT_EQ(document.view.pinned_vertex, 1);
  undo(document);
  EXPECT_EQ(document.view.pinned_part, -1);
  EXPECT_EQ(document.view.pinned_vertex, -1);
}

// A step may be gone back to from another scene and another surface: the scene stays, the surface is the file's own.
TEST(ReplaceCharacter, GoingBackKeepsTheSceneAndShowsTheFilesOwnSurface) {
  rig::Character arm = test::arm();
  arm.scenes = {{.name = "all", .roots = {0, 9}}, {.name = "bones", .roots = {0}}};
  rig::finish(arm);
  Document document = make_document(std::make_shared<const rig::Character>(std::move(arm)));
  const auto before = document.character;
  apply(document, ReplaceCharacter{std::make_shared<const rig::Character>(*before)});
  show_scene(document, 1);
  const auto own = document.character;
  show_surface(document, std::make_shared<rig::Character>(*own), {.subdivisions = 1}, 0.25);
  document.view.pinned_part = 0;
  document.view.pinned_vertex = 0;
  const std::uint64_t version = document.character_version;
  undo(document);
  EXPECT_GT(document.character_version, version);
  EXPECT_EQ(document.character->scene, 1);
  EXPECT_TRUE(document.character->parts.empty());
  EXPECT_EQ(before->scene, 0) << "what a step holds is not changed";
  EXPECT_TRUE(shows_own_surface(document));
  EXPECT_EQ(document.surface, rig::SurfaceChoice());
  EXPECT_EQ(document.detail_error, 0);
  EXPECT_EQ(document.view.pinned_part, -1);
  EXPECT_EQ(document.view.pinned_vertex, -1);
  redo(document);
  EXPECT_EQ(document.character, own) << "the very one that was there";
}

rig::Character read(std::span<const std::uint8_t> glb) {
  auto character = gltf::import_memory(glb, {});
  EXPECT_TRUE(character) << (character ? "" : character.error().message);
  return character ? *std::move(character) : rig::Character();
}

using Places = std::vector<std::vector<glm::vec3>>;

// Of all parts, as the document shows them by linear blending.
Places places(const Document& document) {
  Evaluation evaluation;
  Places out;
  for (const deform::DeformedPart& part : evaluation.deformed(document).parts) {
    out.emplace_back(part.positions.begin(), part.positions.end());
  }
  return out;
}

// As far as any vertex is from where the other has it, of the size of the whole.
double apart(const Places& a, const Places& b) {
  Bounds bounds;
  double farthest = 0;
  EXPECT_EQ(a.size(), b.size());
  for (std::size_t p = 0; p < a.size(); ++p) {
    EXPECT_EQ(a[p].size(), b[p].size());
    for (std::size_t v = 0; v < a[p].size(); ++v) {
      bounds.add(b[p][v]);
      farthest = std::max(farthest, static_cast<double>(glm::distance(a[p][v], b[p][v])));
    }
  }
  return farthest / static_cast<double>(bounds.diagonal());
}

// From a file, by the program's own command, and into a file again.
TEST(RebindSkin, C8_1_OfAFileKeepsTheShapeAndMakesThePoseTheBindPose) {
  constexpr double kSame = 1e-5;
  std::vector<rig::Character> characters = {read(test::skinned_quad().glb())};
  for (const char* name : {"mannequin", "centipede"}) {
    const auto bundled = gltf::import_bundled(name);
    ASSERT_TRUE(bundled) << bundled.error().message;
    characters.push_back(*bundled);
  }
  for (const rig::Character& character : characters) {
    SCOPED_TRACE(character.name);
    test::Random random(81);
    Document document = make_document(std::make_shared<const rig::Character>(character));
    const Places modelled = places(document);
    for (const int joint : character.skins[0].joints) {
      Transform local = character.skeleton->rest[joint];
      local.rotation = local.rotation * glm::quat(random.rotation(0.7));
      apply(document, SetJointLocal{joint, local, false});
    }
    const Places posed = places(document);
    ASSERT_GT(apart(posed, modelled), 0.01);
    for (std::size_t skin = 0; skin < character.skins.size(); ++skin) {
      apply(document, RebindSkin{static_cast<int>(skin)});
    }
    ASSERT_EQ(document.history.undo_label().substr(0, 7), "Re-bind") << "it was bound";
    EXPECT_LT(apart(places(document), posed), kSame);
    // C3.1: the pose is that of binding now, where the skin matrices are one and the mesh is what is seen.
    const auto expect_bound = [&](const Document& bound) {
      const rig::Pose pose = rig::bind_pose(*bound.character);
      rig::WorldMatrices world;
      world.evaluate(bound.character->skeleton, pose);
      for (const rig::Skin& skin : bound.character->skins) {
        for (std::size_t k = 0; k < skin.joints.size(); ++k) {
          const glm::mat4 m = rig::skin_matrix(skin, world.world(), k);
          for (int c = 0; c < 4; ++c) {
            EXPECT_LT(glm::length(m[c] - glm::mat4(1.0f)[c]), kSame) << skin.name << ", joint " << k;
          }
        }
      }
      Document reset = bound;
      apply(reset, SetBasePose{BasePose::kBind});
      EXPECT_LT(apart(places(reset), posed), kSame);
    };
    expect_bound(document);
    const auto glb = gltf::export_glb(*document.character);
    ASSERT_TRUE(glb) << glb.error().message;
    expect_bound(make_document(std::make_shared<const rig::Character>(read(*glb))));
    // Nothing of it stays behind.
    while (can_undo(document)) {
      undo(document);
    }
    EXPECT_EQ(places(document), modelled);
  }
}

TEST(RebindSkin, OnAnotherSurfaceLetsThePinnedVertexGo) {
  Document document = make_document(std::make_shared<rig::Character>(test::cylinder()));
  const auto own = document.character;
  show_surface(document, std::make_shared<rig::Character>(*own), {.subdivisions = 1}, 0);
  document.view.pinned_part = 0;
  document.view.pinned_vertex = 7;
  apply(document, RebindSkin{0});
  EXPECT_TRUE(shows_own_surface(document));
  EXPECT_EQ(document.view.pinned_part, -1);
  EXPECT_EQ(document.view.pinned_vertex, -1);
}

TEST(RebindSkin, BindsTheFilesOwnSurfaceWhateverIsShown) {
  Document document = make_document(std::make_shared<rig::Character>(test::cylinder()));
  const std::size_t vertices = document.character->meshes[0].primitives[0].vertex_count();
  const rig::SurfaceChoice choice = {.subdivisions = 1};
  auto made = rig::with_surface(*own_character(document), choice);
  ASSERT_TRUE(made.has_value());
  ASSERT_GT(made->meshes[0].primitives[0].vertex_count(), vertices);
  show_surface(document, std::make_shared<const rig::Character>(*made), choice, 0);
  apply(document, RebindSkin{0});
  ASSERT_TRUE(can_undo(document));
  EXPECT_TRUE(shows_own_surface(document));
  EXPECT_EQ(own_character(document)->meshes[0].primitives[0].vertex_count(), vertices);
}

}  // namespace
}  // namespace pelt::edit
