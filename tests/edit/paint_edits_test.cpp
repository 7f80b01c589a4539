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
  test::apply(document, SetDof{document.character->skeleton->find("elbow_l"), 0, 1.2f});
  const auto before = document.content.character;
  const PullWeights pull = pull_everything(document, {0, 0.02f, 0});
  test::apply(document, pull);
  EXPECT_NE(document.content.character, before);
}

}  // namespace
}  // namespace pelt::edit
