// Painting and pulling as edits of a document, ALGORITHMS.md §39 and §40.
#include "edit/paint_edits.h"

#include <numeric>

#include <gmock/gmock.h>

#include "edit/evaluation.h"
#include "edit_fixtures.h"
#include "gltf/bundled.h"

namespace pelt::edit {
namespace {

using testing::HasSubstr;

PullWeights pull_everything(const Document& document, const glm::vec3& displacement) {
  const rig::Character& character = *own_character(document);
  PullWeights pull{.mesh = 0};
  pull.places.resize(mesh::welded_surface(character.meshes[0])->place_count());
  std::iota(pull.places.begin(), pull.places.end(), 0u);
  pull.amounts.assign(pull.places.size(), 1.0f);
  Evaluation evaluation;
  evaluation.update(document);
  pull.poses = {{.world = evaluation.world(), .displacement = displacement}};
  return pull;
}

// At rest all joints put a vertex to one place, but for the rounding of world matrices and inverse binds.
TEST(PullWeights, C40_4_AtRestNothingCanMoveInAnyUnit) {
  for (const float unit : {1.0f, 0.01f, 100.0f}) {
    SCOPED_TRACE(unit);
    rig::Character character = *gltf::import_bundled("mannequin");
    for (std::size_t j = 0; j < character.skeleton->parent.size(); ++j) {
      if (character.skeleton->parent[j] < 0) {
        Transform& root = character.skeleton.edit().rest[j];
        root.scale *= unit;
        root.translation *= unit;
      }
    }
    rig::finish(character);
    Document document = make_document(std::make_shared<const rig::Character>(character));
    const auto before = document.content.character;
    const PullWeights pull = pull_everything(document, glm::vec3(0.05f * unit));
    EXPECT_THAT(notice(document, pull), HasSubstr("the vertex stays"));
    test::apply(document, pull);
    EXPECT_EQ(document.content.character, before);
  }
}

TEST(PullWeights, ABentElbowMovesAndSaysNothing) {
  Document document = make_document(std::make_shared<const rig::Character>(*gltf::import_bundled("mannequin")));
  const int elbow = document.character->skeleton->find("elbow_l");
  test::apply(document, SetDof{elbow, 0, 1.2f});
  const auto before = document.content.character;
  PullWeights pull = pull_everything(document, {0, 0.02f, 0});
  // In the middle of the brush is one that half follows the elbow.
  const auto surface = mesh::welded_surface(before->meshes[0]);
  std::vector<const mesh::Influences*> rows;
  for (const mesh::Primitive& primitive : before->meshes[0].primitives) {
    rows.push_back(&*primitive.influences);
  }
  for (std::size_t k = 0; k < pull.places.size(); ++k) {
    const mesh::InfluenceRow row = mesh::row_at(*surface, rows, pull.places[k]);
    bool is_half = false;
    for (std::size_t i = 0; i < row.joints.size(); ++i) {
      is_half |= before->skins[0].joints[row.joints[i]] == elbow && std::abs(row.weights[i] - 0.5f) < 0.2f;
    }
    pull.amounts[k] = is_half ? 1.0f : 0.5f;
  }
  EXPECT_EQ(notice(document, pull), "");
  // Nor with a second pose in which all places are to stay.
  PullWeights kept = pull;
  Evaluation evaluation;
  evaluation.update(document);
  const std::span<const glm::mat4> world = evaluation.world();
  kept.poses.push_back({.world = {world.begin(), world.end()}});
  kept.poses.back().targets = posed_places(*before, 0, *surface, kept.places, kept.poses.back().world);
  EXPECT_EQ(notice(document, kept), "");
  test::apply(document, pull);
  EXPECT_NE(document.content.character, before);
}

}  // namespace
}  // namespace pelt::edit
