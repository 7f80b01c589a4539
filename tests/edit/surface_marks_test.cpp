#include "edit/surface_marks.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "edit_fixtures.h"
#include "support/control_points.h"

namespace pelt::edit {
namespace {

using test::apply;

/// The tube with its tip turned, its surface shown once subdivided, in two panes: by linear blending and dual
/// quaternions.
Document finer_tube() {
  const auto own = std::make_shared<const rig::Character>(test::cylinder());
  Document document = make_document(own);
  apply(document, SetPanes{2});
  apply(document, SetSkinning{{.method = deform::find_method("lbs")}, 0});
  apply(document, SetSkinning{{.method = deform::find_method("dqs")}, 1});
  apply(document, SetDof{1, test::dof(document, 1, "twist"), 1.0f});
  show_surface(document, std::make_shared<const rig::Character>(*rig::subdivided(*own, 1)), {.subdivisions = 1}, 0);
  return document;
}

/// Both ends of each edge of the document's own surface, as the method moves them.
std::vector<glm::vec3> edges_under(const Document& document, std::string_view method) {
  const rig::Character& own = *own_character(document);
  const mesh::Primitive& primitive = own.primitive(own.parts.at(0));
  const deform::DeformedCharacter shape =
      deform::deform_once(own, evaluate_pose(document), {.method = deform::find_method(method)});
  std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::size_t i = 0; i < primitive.indices.size(); ++i) {
    edges.insert(std::minmax({primitive.indices[i], primitive.indices[i % 3 == 2 ? i - 2 : i + 1]}));
  }
  std::vector<glm::vec3> out;
  for (const auto& [a, b] : edges) {
    out.push_back(shape.parts[0].positions[a]);
    out.push_back(shape.parts[0].positions[b]);
  }
  return out;
}

std::vector<glm::vec3> cage_of(SurfaceMarks& marks, const Document& document, Evaluation& evaluation, int pane) {
  evaluation.update(document);
  const std::span<const glm::vec3> cage = marks.cage(document, evaluation, pane);
  return {cage.begin(), cage.end()};
}

TEST(SurfaceMarks, C52_TheCageIsTheOwnSurfaceInTheSamePose) {
  Document document = finer_tube();
  Evaluation evaluation;
  SurfaceMarks marks;
  const std::vector<glm::vec3> linear = cage_of(marks, document, evaluation, 0);
  EXPECT_EQ(linear.size(), 2u * (1314 + 2624 - 2)) << "of a closed surface, each edge once";
  EXPECT_TRUE(linear == edges_under(document, "lbs"));
  const std::vector<glm::vec3> dual = cage_of(marks, document, evaluation, 1);
  EXPECT_TRUE(dual == edges_under(document, "dqs"));
  EXPECT_FALSE(dual == linear) << "each pane by its own method";
  // It follows the pose, and the settings.
  apply(document, SetDof{1, test::dof(document, 1, "twist"), 0.5f});
  EXPECT_TRUE(cage_of(marks, document, evaluation, 0) == edges_under(document, "lbs"));
  apply(document, SetSkinning{{.method = deform::find_method("rigid")}, 0});
  EXPECT_TRUE(cage_of(marks, document, evaluation, 0) == edges_under(document, "rigid"));
  // What would have to be prepared first is left aside.
  apply(document, SetSkinning{{.method = deform::find_method("delta-mush")}, 0});
  EXPECT_TRUE(cage_of(marks, document, evaluation, 0) == edges_under(document, "lbs"));
  // The own surface needs no cage.
  show_surface(document, own_character(document), {}, 0);
  EXPECT_TRUE(cage_of(marks, document, evaluation, 0).empty());
}

TEST(SurfaceMarks, C52_TheCageIsThatOfTheCharacterThatIsOpen) {
  Document document = finer_tube();
  Evaluation evaluation;
  SurfaceMarks marks;
  cage_of(marks, document, evaluation, 0);
  rig::Character other = test::cylinder();
  mesh::Primitive& primitive = other.meshes.edit(0).primitives.edit(0);
  primitive.indices.resize(6);
  for (glm::vec3& p : primitive.positions.edit()) {
    p *= 2.0f;
  }
  const auto own = std::make_shared<const rig::Character>(std::move(other));
  const auto finer = document.character;
  apply(document, ReplaceCharacter{own});
  show_surface(document, finer, {.subdivisions = 1}, 0);
  const std::vector<glm::vec3> cage = cage_of(marks, document, evaluation, 0);
  EXPECT_EQ(cage.size(), 2u * 5);
  EXPECT_TRUE(cage == edges_under(document, "lbs"));
}

/// Triangles above and below one edge from (0, 0, 0) to (2, 0, 0), which only those below cut in its middle, vertex 4.
/// The edge's ends follow a joint each, what is between follows both.
Document cracked() {
  rig::Character character;
  test::add_node(character, "left", -1, {});
  test::add_node(character, "right", -1, {.translation = {2, 0, 0}});
  mesh::Primitive primitive;
  primitive.positions = {{0, 0, 0}, {2, 0, 0}, {1, 1, 0}, {1, -1, 0}, {1, 0, 0}};
  primitive.indices = {0, 1, 2, 0, 3, 4, 4, 3, 1};
  for (const float right : {0.0f, 1.0f, 0.5f, 0.5f, 0.75f}) {
    const std::uint16_t joints[] = {0, 1};
    const float weights[] = {1 - right, right};
    mesh::append_row(primitive.influences.edit(), joints, weights);
  }
  test::add_skinned_mesh(character, "sheet", {0, 1}, std::move(primitive));
  rig::finish(character);
  return make_document(std::make_shared<const rig::Character>(std::move(character)));
}

TEST(SurfaceMarks, C52_CracksOpenInAPose) {
  Document document = cracked();
  Evaluation evaluation;
  SurfaceMarks marks;
  EXPECT_FALSE(marks.knows_t_junctions(document));
  EXPECT_TRUE(marks.cracks(document, evaluation, 0).empty());
  EXPECT_TRUE(marks.crack_points(document, evaluation, 0).empty());
  const TJunctionLists lists = t_junction_lists(*document.character);
  ASSERT_EQ(lists.size(), 1u);
  ASSERT_EQ(lists[0].size(), 1u);
  EXPECT_EQ(lists[0][0].vertex.vertex, 4u);
  marks.set_t_junctions(document.character->meshes, lists);
  EXPECT_TRUE(marks.knows_t_junctions(document));
  ASSERT_EQ(marks.cracks(document, evaluation, 0).size(), 1u) << "though nothing has changed since they were not known";
  EXPECT_NEAR(marks.cracks(document, evaluation, 0)[0].size, 0, 1e-6);
  // The right joint rises by one: the end of the edge by one, its middle by half, the vertex by three quarters.
  Transform raised = document.character->skeleton->rest[1];
  raised.translation.y += 1;
  apply(document, SetJointLocal{1, raised, false});
  const std::span<const measure::PosedCrack> cracks = marks.cracks(document, evaluation, 0);
  ASSERT_EQ(cracks.size(), 1u);
  EXPECT_EQ(cracks[0].vertex, glm::vec3(1, 0.75f, 0));
  EXPECT_NEAR(cracks[0].size, 0.25 * 2 / std::sqrt(5.0), 1e-6) << "from a line that rises by one in two";
  EXPECT_THAT(marks.crack_points(document, evaluation, 0), testing::ElementsAre(glm::vec3(1, 0.75f, 0)));
  // By another method elsewhere, in the other pane.
  apply(document, SetPanes{2});
  apply(document, SetSkinning{{.method = deform::find_method("rigid")}, 1});
  EXPECT_THAT(marks.crack_points(document, evaluation, 1), testing::ElementsAre(glm::vec3(1, 1, 0)));
  EXPECT_THAT(marks.crack_points(document, evaluation, 0), testing::ElementsAre(glm::vec3(1, 0.75f, 0)));
}

TEST(SurfaceMarks, C52_CracksAreOfTheListsThatAreKnown) {
  Document document = cracked();
  Evaluation evaluation;
  SurfaceMarks marks;
  const TJunctionLists lists = t_junction_lists(*document.character);
  marks.set_t_junctions(document.character->meshes, lists);
  EXPECT_EQ(marks.crack_points(document, evaluation, 0).size(), 1u);
  marks.set_t_junctions(document.character->meshes, TJunctionLists(1));
  EXPECT_TRUE(marks.cracks(document, evaluation, 0).empty()) << "none are left";
  EXPECT_TRUE(marks.crack_points(document, evaluation, 0).empty());
  marks.set_t_junctions(document.character->meshes, lists);
  EXPECT_EQ(marks.cracks(document, evaluation, 0).size(), 1u);
  // Whatever the numbers say: of another surface nothing is known, and going back finds what was.
  ++document.character_version;
  EXPECT_TRUE(marks.knows_t_junctions(document));
  auto other = std::make_shared<rig::Character>(*document.character);
  other->meshes.edit(0).primitives.edit(0).positions.edit()[0].x -= 1;
  apply(document, ReplaceCharacter{other});
  EXPECT_FALSE(marks.knows_t_junctions(document)) << "of another surface";
  EXPECT_TRUE(marks.cracks(document, evaluation, 0).empty());
  undo(document);
  EXPECT_TRUE(marks.knows_t_junctions(document));
  EXPECT_EQ(marks.cracks(document, evaluation, 0).size(), 1u);
}

TEST(SurfaceMarks, C52_ControlPointsAreShownWhereTheyAreSkinned) {
  Document document = make_document(std::make_shared<const rig::Character>(test::control_character()));
  apply(document, SetPanes{2});
  deform::SkinningSettings points{.method = deform::find_method("lbs")};
  points.refine = deform::Refine::kAfterSkin;
  apply(document, SetSkinning{points, 0});
  apply(document, SetSkinning{{.method = deform::find_method("lbs")}, 1});
  Transform local = document.character->skeleton->rest[1];
  local.rotation = glm::angleAxis(0.8f, glm::vec3(0, 0, 1));
  apply(document, SetJointLocal{1, local});
  Evaluation evaluation;
  SurfaceMarks marks;
  evaluation.update(document);
  const mesh::ControlCage& cage = document.character->meshes[0].primitives[0].cage;
  const std::span<const glm::vec3> shown = marks.cage_points(document, evaluation, 0);
  ASSERT_EQ(shown.size(), cage.positions.size());
  // A row of one joint moves with it.
  const auto last = cage.positions.size() - 1;
  const glm::mat4 b =
      evaluation.world()[1] * glm::inverse(glm::mat4(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.35f, 0, 0, 1));
  EXPECT_LE(glm::distance(shown[last], glm::vec3(b * glm::vec4(cage.positions[last], 1))), 1e-6f);
  // The net: along u 8 lines in each of 8 rows, along v 9 in each of 7 gaps.
  EXPECT_EQ(marks.cage(document, evaluation, 0).size(), 2u * (8 * 8 + 9 * 7));
  EXPECT_TRUE(marks.cage(document, evaluation, 1).empty()) << "the mesh alone is skinned there";
  EXPECT_TRUE(marks.cage_points(document, evaluation, 1).empty());
  // They follow the pose.
  local.rotation = glm::angleAxis(-0.4f, glm::vec3(0, 0, 1));
  const glm::vec3 before = shown[last];
  apply(document, SetJointLocal{1, local});
  evaluation.update(document);
  EXPECT_GT(glm::distance(marks.cage_points(document, evaluation, 0)[last], before), 0.1f);
  // Of a finer surface the cage is the own one again.
  show_surface(document, std::make_shared<const rig::Character>(*rig::subdivided(*own_character(document), 1)),
               {.subdivisions = 1}, 0);
  evaluation.update(document);
  EXPECT_GT(marks.cage(document, evaluation, 0).size(), 2u * (8 * 8 + 9 * 7));
  EXPECT_TRUE(marks.cage_points(document, evaluation, 0).empty());
}

}  // namespace
}  // namespace pelt::edit
