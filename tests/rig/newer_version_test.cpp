// Three versions of a character written out by hand: what the file said, what was made of it, what the file says now;
// and what must come of them, seen through names alone.
#include "rig/newer_version.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fixtures.h"

namespace pelt::rig {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Weights = std::map<std::string, float>;

// Nodes "a", "b" below it, "c" below that, "body", which carries the mesh; skin and mesh are "body", too. Vertex 0
// follows a, vertex 1 a and b, vertex 2 b; c is listed and not used. One shape, "smile".
Character three_points() {
  Character character;
  character.name = "three";
  test::add_node(character, "a", -1, {});
  test::add_node(character, "b", 0, {.translation = {1, 0, 0}});
  test::add_node(character, "c", 1, {.translation = {1, 0, 0}});
  mesh::Primitive primitive;
  primitive.topology = mesh::Topology::kPoints;
  primitive.positions = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  primitive.indices = {0, 1, 2};
  mesh::Influences& rows = primitive.influences.edit();
  rows.push_row({std::vector<std::uint16_t>{0}, std::vector{1.0f}, 1.0f});
  rows.push_row({std::vector<std::uint16_t>{0, 1}, std::vector{0.75f, 0.25f}, 1.0f});
  rows.push_row({std::vector<std::uint16_t>{1}, std::vector{1.0f}, 1.0f});
  primitive.morph_targets.push_back({"smile", {{0, 1, 0}, {0, 0, 0}, {0, 0, 0}}, {}, {}});
  test::add_skinned_mesh(character, "body", {0, 1, 2}, std::move(primitive));
  character.meshes.edit(0).morph_names = {"smile"};
  character.meshes.edit(0).morph_weights = {0};
  finish(character);
  return character;
}

Skin& skin(Character& character) {
  return character.skins.edit(0);
}
mesh::Mesh& mesh(Character& character) {
  return character.meshes.edit(0);
}
mesh::Primitive& primitive(Character& character) {
  return mesh(character).primitives.edit(0);
}
void weigh(Character& character, std::size_t v, const std::vector<std::uint16_t>& places,
           const std::vector<float>& weights) {
  primitive(character).influences.edit().put_row(v, {places, weights, 1.0f});
}

// The joints that a vertex follows.
Weights weights(const Character& character, std::size_t v, std::size_t of_mesh = 0) {
  const Skin& skin = character.skins[0];
  Weights out;
  const mesh::InfluenceRow row = character.meshes[of_mesh].primitives[0].influences->row(v);
  for (std::size_t k = 0; k < row.joints.size(); ++k) {
    out[character.skeleton->name[skin.joints.at(row.joints[k])]] += row.weights[k];
  }
  return out;
}

std::vector<std::string> listed(const Character& character, std::size_t s = 0) {
  std::vector<std::string> out;
  for (const int j : character.skins[s].joints) {
    out.push_back(character.skeleton->name[j]);
  }
  return out;
}

using Change = std::function<void(Character&)>;

struct Case {
  Change edit = [](Character&) {};
  Change update = [](Character&) {};  ///< of the file
  std::vector<int> joints = {0, 1, 2, 3};
  std::vector<int> skins = {0};
  std::vector<int> meshes = {0};
  Character file = three_points();
};

CarriedOver carried(const Case& of) {
  Character edited = of.file;
  of.edit(edited);
  Character newer = of.file;
  of.update(newer);
  finish(newer);
  return carried_over(of.file, edited, newer, of.joints, of.skins, of.meshes);
}

// A joint "new" between a and b, in the skin's list as well.
void insert_joint(Character& character) {
  Character out;
  test::add_node(out, "a", -1, {});
  test::add_node(out, "new", 0, {.translation = {0.5f, 0, 0}});
  test::add_node(out, "b", 1, {.translation = {0.5f, 0, 0}});
  test::add_node(out, "c", 2, {.translation = {1, 0, 0}});
  mesh::Primitive points = character.meshes[0].primitives[0];
  points.influences.edit().renumber_joints([](int k) { return k == 0 ? 0 : k + 1; });
  test::add_skinned_mesh(out, "body", {0, 1, 2, 3}, std::move(points));
  out.meshes.edit(0).morph_names = {"smile"};
  out.meshes.edit(0).morph_weights = {0};
  out.name = character.name;
  character = std::move(out);
}
const std::vector<int> kBesideTheInserted = {0, 2, 3, 4};

TEST(NewerVersion, NothingDoneIsTheNewerFile) {
  const CarriedOver out = carried({.update = [](Character& c) {
    c.name = "newer";
    weigh(c, 0, {2}, {1.0f});
  }});
  EXPECT_THAT(out.lost, IsEmpty());
  EXPECT_EQ(out.character.name, "newer");
  EXPECT_EQ(weights(out.character, 0), (Weights{{"c", 1.0f}}));
  EXPECT_THAT(listed(out.character), ElementsAre("a", "b", "c"));
}

TEST(NewerVersion, WeightsChangedHere) {
  const CarriedOver out = carried({.edit = [](Character& c) { weigh(c, 0, {2, 1}, {0.875f, 0.125f}); }});
  EXPECT_THAT(out.lost, IsEmpty());
  EXPECT_EQ(weights(out.character, 0), (Weights{{"b", 0.125f}, {"c", 0.875f}}));
  EXPECT_EQ(weights(out.character, 1), (Weights{{"a", 0.75f}, {"b", 0.25f}}));
}

TEST(NewerVersion, WeightsChangedInTheFileAndOthersHere) {
  const CarriedOver out = carried({.edit = [](Character& c) { weigh(c, 0, {1}, {1.0f}); },
                                   .update = [](Character& c) { weigh(c, 2, {2}, {1.0f}); }});
  EXPECT_THAT(out.lost, IsEmpty());
  EXPECT_EQ(weights(out.character, 0), (Weights{{"b", 1.0f}}));
  EXPECT_EQ(weights(out.character, 1), (Weights{{"a", 0.75f}, {"b", 0.25f}}));
  EXPECT_EQ(weights(out.character, 2), (Weights{{"c", 1.0f}}));
}

TEST(NewerVersion, WeightsChangedInBoth) {
  const Change half = [](Character& c) { weigh(c, 0, {0, 1}, {0.5f, 0.5f}); };
  const CarriedOver alike = carried({.edit = half, .update = half});
  EXPECT_THAT(alike.lost, IsEmpty());
  EXPECT_EQ(weights(alike.character, 0), (Weights{{"a", 0.5f}, {"b", 0.5f}}));
  const CarriedOver differently = carried({.edit = half, .update = [](Character& c) { weigh(c, 0, {2}, {1.0f}); }});
  EXPECT_THAT(differently.lost, ElementsAre("weights of 1 vertex of \"body\": changed in the file, too"));
  EXPECT_EQ(weights(differently.character, 0), (Weights{{"c", 1.0f}}));
}

TEST(NewerVersion, WeightsWhosePlacesMoved) {
  // The list the other way round, and half and half of a row, whose ties are in the order of places.
  const CarriedOver out = carried({.edit =
                                       [](Character& c) {
                                         weigh(c, 2, {0, 2}, {0.5f, 0.5f});
                                       },
                                   .update =
                                       [](Character& c) {
                                         skin(c).joints = {2, 1, 0};
                                         std::swap(skin(c).joint_from_mesh[0], skin(c).joint_from_mesh[2]);
                                         weigh(c, 0, {2}, {1.0f});
                                         weigh(c, 1, {2, 1}, {0.75f, 0.25f});
                                       }});
  EXPECT_THAT(out.lost, IsEmpty());
  EXPECT_THAT(listed(out.character), ElementsAre("c", "b", "a"));
  EXPECT_EQ(weights(out.character, 0), (Weights{{"a", 1.0f}}));
  EXPECT_EQ(weights(out.character, 1), (Weights{{"a", 0.75f}, {"b", 0.25f}}));
  EXPECT_EQ(weights(out.character, 2), (Weights{{"a", 0.5f}, {"c", 0.5f}}));
  EXPECT_THAT(out.character.meshes[0].primitives[0].influences->joints(2), ElementsAre(0, 2)) << "lowest first";
}

TEST(NewerVersion, WeightsOfAJointThatIsGone) {
  const CarriedOver out = carried({.edit =
                                       [](Character& c) {
                                         weigh(c, 0, {2}, {1.0f});
                                         weigh(c, 2, {0}, {1.0f});
                                       },
                                   .update =
                                       [](Character& c) {
                                         skin(c).joints.pop_back();
                                         skin(c).joint_from_mesh.pop_back();
                                       },
                                   .joints = {0, 1, -1, 3}});
  EXPECT_THAT(out.lost, ElementsAre("weights of 1 vertex of \"body\": joints that are gone"));
  EXPECT_EQ(weights(out.character, 0), (Weights{{"a", 1.0f}}));
  EXPECT_EQ(weights(out.character, 2), (Weights{{"a", 1.0f}}));
}

TEST(NewerVersion, WeightsBesideAJointThatWasInserted) {
  const CarriedOver out = carried({.edit =
                                       [](Character& c) {
                                         weigh(c, 0, {1, 2}, {0.75f, 0.25f});
                                       },
                                   .update = insert_joint,
                                   .joints = kBesideTheInserted});
  EXPECT_THAT(out.lost, IsEmpty());
  EXPECT_THAT(listed(out.character), ElementsAre("a", "new", "b", "c"));
  EXPECT_EQ(weights(out.character, 0), (Weights{{"b", 0.75f}, {"c", 0.25f}}));
  EXPECT_EQ(weights(out.character, 1), (Weights{{"a", 0.75f}, {"b", 0.25f}}));
}

TEST(NewerVersion, WeightsOfVerticesThatMovedOrCame) {
  const Change edit = [](Character& c) { weigh(c, 0, {1}, {1.0f}); };
  const CarriedOver moved =
      carried({.edit = edit, .update = [](Character& c) { primitive(c).positions.edit()[2].y = 1; }});
  EXPECT_THAT(moved.lost, ElementsAre("weights of \"body\""));
  EXPECT_EQ(weights(moved.character, 0), (Weights{{"a", 1.0f}}));
  const CarriedOver more =
      carried({.edit = edit, .update = [](Character& c) {
                 mesh::Primitive& points = primitive(c);
                 points.positions.push_back(glm::vec3(3, 0, 0));
                 points.influences.edit().push_row({std::vector<std::uint16_t>{2}, std::vector{1.0f}, 1.0f});
                 points.morph_targets.edit(0).position_deltas.push_back(glm::vec3(0));
               }});
  EXPECT_THAT(more.lost, ElementsAre("edits of \"body\": 3 vertices, now 4"));
  EXPECT_EQ(more.character.meshes[0].primitives[0].vertex_count(), 4u);
  EXPECT_EQ(weights(more.character, 0), (Weights{{"a", 1.0f}}));
}

// ---------------------------------------------------------------------------------------------------------------------

glm::mat4 shifted(float x) {
  return {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {x, 0, 0, 1}};
}

TEST(NewerVersion, BindMatrices) {
  const auto at = [](std::size_t k, float x) { return [=](Character& c) { skin(c).joint_from_mesh[k] = shifted(x); }; };
  // As the rest pose has them: 0, -1, -2.
  const auto shifts = [](const CarriedOver& out) {
    std::map<std::string, float> found;
    for (std::size_t k = 0; k < listed(out.character).size(); ++k) {
      found[listed(out.character)[k]] = out.character.skins[0].joint_from_mesh[k][3].x;
    }
    return found;
  };
  const CarriedOver here = carried({.edit = at(1, 5)});
  EXPECT_THAT(here.lost, IsEmpty());
  EXPECT_EQ(shifts(here), (Weights{{"a", 0}, {"b", 5}, {"c", -2}}));
  const CarriedOver there = carried({.update = at(1, 5)});
  EXPECT_THAT(there.lost, IsEmpty());
  EXPECT_EQ(shifts(there), (Weights{{"a", 0}, {"b", 5}, {"c", -2}}));
  const CarriedOver alike = carried({.edit = at(1, 5), .update = at(1, 5)});
  EXPECT_THAT(alike.lost, IsEmpty());
  EXPECT_EQ(shifts(alike), (Weights{{"a", 0}, {"b", 5}, {"c", -2}}));
  // A binding is of all joints together.
  for (const std::size_t k : {std::size_t{1}, std::size_t{2}}) {
    const CarriedOver both = carried({.edit = at(1, 5), .update = at(k, 7)});
    EXPECT_THAT(both.lost, ElementsAre("binding of skin \"body\""));
    EXPECT_EQ(shifts(both), (Weights{{"a", 0}, {"b", k == 1 ? 7.0f : -1.0f}, {"c", k == 2 ? 7.0f : -2.0f}}));
  }
  const CarriedOver turned = carried({.edit = at(0, 5), .update = [](Character& c) {
                                        skin(c).joints = {2, 1, 0};
                                        std::swap(skin(c).joint_from_mesh[0], skin(c).joint_from_mesh[2]);
                                        primitive(c).influences.edit().renumber_joints([](int k) { return 2 - k; });
                                      }});
  EXPECT_THAT(turned.lost, IsEmpty());
  EXPECT_EQ(shifts(turned), (Weights{{"a", 5}, {"b", -1}, {"c", -2}}));
  const CarriedOver inserted = carried({.edit = at(1, 5), .update = insert_joint, .joints = kBesideTheInserted});
  EXPECT_THAT(inserted.lost, ElementsAre("binding of skin \"body\""));
  EXPECT_EQ(shifts(inserted), (Weights{{"a", 0}, {"b", -1}, {"c", -2}, {"new", -0.5f}}));
  const CarriedOver gone = carried({.edit = at(1, 5), .skins = {-1}});
  EXPECT_THAT(gone.lost, ElementsAre("binding of skin \"body\""));
}

TEST(NewerVersion, WhetherThereAreBindMatrices) {
  const Change none = [](Character& c) { skin(c).has_inverse_binds = false; };
  EXPECT_FALSE(carried({.edit = none}).character.skins[0].has_inverse_binds);
  EXPECT_FALSE(carried({.update = none}).character.skins[0].has_inverse_binds);
  const Change other_name = [](Character& c) { skin(c).name = "other"; };
  EXPECT_FALSE(carried({.edit = other_name, .update = none}).character.skins[0].has_inverse_binds);
}

TEST(NewerVersion, TwoSkinsThatBecameOneKeepTheFirstBinding) {
  Character file = three_points();
  file.skins.push_back(file.skins[0]);
  const CarriedOver out = carried({.edit =
                                       [](Character& c) {
                                         c.skins.edit(0).joint_from_mesh[0] = shifted(5);
                                         c.skins.edit(1).joint_from_mesh[0] = shifted(7);
                                         c.skins.edit(1).name = "second";
                                       },
                                   .update = [](Character& c) { c.skins.edit_items().pop_back(); },
                                   .skins = {0, 0},
                                   .file = file});
  EXPECT_THAT(out.lost, ElementsAre("binding of skin \"second\""));
  EXPECT_EQ(out.character.skins[0].joint_from_mesh[0], shifted(5));
  EXPECT_EQ(out.character.skins[0].name, "body");
}

TEST(NewerVersion, Names) {
  using Member = std::function<std::string&(Character&)>;
  const std::vector<std::pair<std::string, Member>> members = {
      {"name of skin \"here\"", [](Character& c) -> std::string& { return skin(c).name; }},
      {"name of \"here\"", [](Character& c) -> std::string& { return mesh(c).name; }},
      {"names of shapes of \"body\"", [](Character& c) -> std::string& { return mesh(c).morph_names[0]; }},
      {"name of the character", [](Character& c) -> std::string& { return c.name; }},
      {"copyright", [](Character& c) -> std::string& { return c.copyright; }},
  };
  for (const auto& [lost, member] : members) {
    SCOPED_TRACE(lost);
    const auto called = [&member = member](const char* name) {
      return [&member, name](Character& c) { member(c) = name; };
    };
    CarriedOver out = carried({.edit = called("here")});
    EXPECT_EQ(member(out.character), "here");
    EXPECT_THAT(out.lost, IsEmpty());
    out = carried({.update = called("there")});
    EXPECT_EQ(member(out.character), "there");
    EXPECT_THAT(out.lost, IsEmpty());
    out = carried({.edit = called("same"), .update = called("same")});
    EXPECT_EQ(member(out.character), "same");
    EXPECT_THAT(out.lost, IsEmpty());
    out = carried({.edit = called("here"), .update = called("there")});
    EXPECT_EQ(member(out.character), "there");
    EXPECT_THAT(out.lost, ElementsAre(lost));
  }
}

TEST(NewerVersion, Joints) {
  const auto called = [](const char* name) { return [=](Character& c) { c.skeleton.edit().name[1] = name; }; };
  EXPECT_EQ(carried({.edit = called("here"), .update = called("there")}).character.skeleton->name[1], "here")
      << "whatever the file calls it";
  EXPECT_EQ(carried({.update = called("there")}).character.skeleton->name[1], "there");

  const auto moved = [](float x) { return [=](Character& c) { c.skeleton.edit().rest[1].translation.x = x; }; };
  const auto x_of_b = [](const CarriedOver& out) { return out.character.skeleton->rest[1].translation.x; };
  EXPECT_EQ(x_of_b(carried({.edit = moved(5)})), 5);
  EXPECT_EQ(x_of_b(carried({.update = moved(7)})), 7);
  CarriedOver out = carried({.edit = moved(5), .update = moved(7)});
  EXPECT_EQ(x_of_b(out), 7);
  EXPECT_THAT(out.lost, ElementsAre("rest transform of \"b\""));

  const auto limited = [](float upper) {
    return [=](Character& c) { c.skeleton.edit().dofs[1].dofs[0].upper = upper; };
  };
  const auto upper_of_b = [](const CarriedOver& result) { return result.character.skeleton->dofs[1].dofs[0].upper; };
  EXPECT_EQ(upper_of_b(carried({.edit = limited(0.5f)})), 0.5f);
  EXPECT_EQ(upper_of_b(carried({.update = limited(0.25f)})), 0.25f);
  out = carried({.edit = limited(0.5f), .update = limited(0.25f)});
  EXPECT_EQ(upper_of_b(out), 0.25f);
  EXPECT_THAT(out.lost, ElementsAre("sliders of \"b\""));

  out = carried({.edit =
                     [&](Character& c) {
                       called("here")(c);
                       moved(5)(c);
                     },
                 .update = insert_joint,
                 .joints = kBesideTheInserted});
  EXPECT_THAT(out.character.skeleton->name, ElementsAre("a", "new", "here", "c", "body"));
  EXPECT_EQ(out.character.skeleton->rest[2].translation.x, 0.5f);
  EXPECT_THAT(out.lost, ElementsAre("rest transform of \"here\"")) << "the file moved it, too";
  out = carried({.edit = moved(5), .joints = {0, -1, 2, 3}});
  EXPECT_THAT(out.lost, ElementsAre("edits of joint \"b\""));
}

TEST(NewerVersion, Shapes) {
  const auto raised = [](float y) {
    return [=](Character& c) { primitive(c).morph_targets.edit(0).position_deltas.edit()[0].y = y; };
  };
  const auto y_of = [](const CarriedOver& out) {
    return out.character.meshes[0].primitives[0].morph_targets[0].position_deltas[0].y;
  };
  const Change elsewhere = [](Character& c) { primitive(c).positions.edit()[1].z = 1; };
  CarriedOver out = carried({.edit = raised(5), .update = elsewhere});
  EXPECT_EQ(y_of(out), 5);
  EXPECT_EQ(out.character.meshes[0].primitives[0].positions[1].z, 1);
  EXPECT_THAT(out.lost, IsEmpty());
  out = carried({.edit = elsewhere, .update = raised(7)});
  EXPECT_EQ(y_of(out), 7);
  EXPECT_EQ(out.character.meshes[0].primitives[0].positions[1].z, 1);
  EXPECT_THAT(out.lost, IsEmpty());
  out = carried({.edit = raised(5), .update = raised(7)});
  EXPECT_EQ(y_of(out), 7);
  EXPECT_THAT(out.lost, ElementsAre("shapes of \"body\""));
  out = carried({.edit = [](Character& c) { mesh(c).morph_weights[0] = 0.5f; }, .update = raised(7)});
  EXPECT_THAT(out.character.meshes[0].morph_weights, ElementsAre(0.5f));
  out = carried({.edit = [](Character& c) { mesh(c).morph_weights[0] = 0.5f; },
                 .update = [](Character& c) { mesh(c).morph_weights[0] = 0.25f; }});
  EXPECT_THAT(out.character.meshes[0].morph_weights, ElementsAre(0.25f));
  EXPECT_THAT(out.lost, ElementsAre("weights of shapes of \"body\""));
}

// Two nodes carry one mesh; the second one was given its own.
TEST(NewerVersion, AMeshThatWasParted) {
  Character file = three_points();
  test::add_node(file, "again", -1, {});
  file.mesh_nodes.push_back(MeshNode(file.mesh_nodes[0]));
  file.mesh_nodes.edit()[1].joint = 4;
  finish(file);
  const Change part = [](Character& c) {
    c.meshes.push_back(c.meshes[0]);
    c.mesh_nodes.edit()[1].mesh = 1;
    c.meshes.edit(1).primitives.edit(0).positions.edit()[0].y = 5;
  };
  CarriedOver out = carried({.edit = part, .joints = {0, 1, 2, 3, 4}, .meshes = {0, 0}, .file = file});
  ASSERT_EQ(out.character.meshes.size(), 1u) << "nodes are the file's";
  EXPECT_THAT(out.lost, ElementsAre("edits of nodes with meshes"));
  EXPECT_EQ(out.character.meshes[0].primitives[0].positions[0].y, 5);
  out = carried({.edit =
                     [&](Character& c) {
                       part(c);
                       c.meshes.edit(0).primitives.edit(0).positions.edit()[0].y = 7;
                     },
                 .joints = {0, 1, 2, 3, 4},
                 .meshes = {0, 0},
                 .file = file});
  EXPECT_THAT(out.lost, ElementsAre("edits of \"body\"", "edits of nodes with meshes"));
  EXPECT_EQ(out.character.meshes[0].primitives[0].positions[0].y, 7) << "of two the first";
}

// ---------------------------------------------------------------------------------------------------------------------

// What mending takes from a list: its matrix goes, and rows name places of the shorter list.
Change without(std::size_t place, std::size_t s = 0) {
  return [=](Character& c) {
    Skin& list = c.skins.edit(s);
    list.joints.erase(list.joints.begin() + static_cast<std::ptrdiff_t>(place));
    list.joint_from_mesh.erase(list.joint_from_mesh.begin() + static_cast<std::ptrdiff_t>(place));
    if (s == 0) {
      primitive(c).influences.edit().renumber_joints([=](std::size_t k) { return k > place ? k - 1 : k; });
    }
    finish(c);
  };
}

// The same rig with an unused joint in the middle of the list: b, c, a.
Character with_c_in_the_middle() {
  Character file = three_points();
  skin(file).joints = {1, 2, 0};
  skin(file).joint_from_mesh = {shifted(-1), shifted(-2), shifted(0)};
  primitive(file).influences.edit().renumber_joints([](int k) { return k == 0 ? 2 : k - 1; });
  finish(file);
  return file;
}

TEST(NewerVersion, AJointTakenFromAListStaysOut) {
  const Change others = [](Character& c) { weigh(c, 2, {2}, {1.0f}); };
  for (const bool is_updated : {false, true}) {
    const CarriedOver out = carried(
        {.edit = without(1), .update = is_updated ? others : [](Character&) {}, .file = with_c_in_the_middle()});
    EXPECT_THAT(out.lost, IsEmpty());
    EXPECT_THAT(listed(out.character), ElementsAre("b", "a"));
    EXPECT_THAT(out.character.skins[0].joint_from_mesh, ElementsAre(shifted(-1), shifted(0)));
    EXPECT_EQ(weights(out.character, 0), (Weights{{"a", 1.0f}}));
    EXPECT_EQ(weights(out.character, 1), (Weights{{"a", 0.75f}, {"b", 0.25f}}));
    EXPECT_EQ(weights(out.character, 2), (is_updated ? Weights{{"a", 1.0f}} : Weights{{"b", 1.0f}}));
    EXPECT_THAT(out.character.skeleton->is_joint, ElementsAre(1, 1, 0, 0));
  }
}

TEST(NewerVersion, AJointTakenFromAListStaysWhereAVertexFollowsIt) {
  const CarriedOver out = carried(
      {.edit = without(1), .update = [](Character& c) { weigh(c, 2, {1}, {1.0f}); }, .file = with_c_in_the_middle()});
  EXPECT_THAT(out.lost, ElementsAre("removal of \"c\" from skin \"body\""));
  EXPECT_THAT(listed(out.character), ElementsAre("b", "c", "a"));
  EXPECT_EQ(weights(out.character, 0), (Weights{{"a", 1.0f}}));
  EXPECT_EQ(weights(out.character, 1), (Weights{{"a", 0.75f}, {"b", 0.25f}}));
  EXPECT_EQ(weights(out.character, 2), (Weights{{"c", 1.0f}}));
}

// No vertex follows b any more, and it is taken from the list.
TEST(NewerVersion, AJointWhoseWeightsWentToAnotherStaysOut) {
  const Change to_c = [](Character& c) {
    weigh(c, 1, {2, 0}, {0.75f, 0.25f});
    weigh(c, 2, {2}, {1.0f});
    without(1)(c);
  };
  CarriedOver out = carried({.edit = to_c});
  EXPECT_THAT(out.lost, IsEmpty());
  EXPECT_THAT(listed(out.character), ElementsAre("a", "c"));
  EXPECT_EQ(weights(out.character, 0), (Weights{{"a", 1.0f}}));
  EXPECT_EQ(weights(out.character, 1), (Weights{{"a", 0.25f}, {"c", 0.75f}}));
  EXPECT_EQ(weights(out.character, 2), (Weights{{"c", 1.0f}}));
  // But for one that the file gives to b, too.
  out = carried({.edit = to_c, .update = [](Character& c) { weigh(c, 1, {1}, {1.0f}); }});
  EXPECT_THAT(out.lost, ElementsAre("removal of \"b\" from skin \"body\"",
                                    "weights of 1 vertex of \"body\": changed in the file, too"));
  EXPECT_THAT(listed(out.character), ElementsAre("a", "b", "c"));
  EXPECT_EQ(weights(out.character, 1), (Weights{{"b", 1.0f}}));
  EXPECT_EQ(weights(out.character, 2), (Weights{{"c", 1.0f}}));
}

TEST(NewerVersion, AJointTakenFromAListThatIsAnotherNow) {
  CarriedOver out = carried({.edit = without(2), .update = insert_joint, .joints = kBesideTheInserted});
  EXPECT_THAT(out.lost, IsEmpty());
  EXPECT_THAT(listed(out.character), ElementsAre("a", "new", "b"));
  EXPECT_EQ(weights(out.character, 1), (Weights{{"a", 0.75f}, {"b", 0.25f}}));
  // The file took it from the list as well; then the joint itself.
  out = carried({.edit = without(2), .update = without(2)});
  EXPECT_THAT(out.lost, IsEmpty());
  EXPECT_THAT(listed(out.character), ElementsAre("a", "b"));
  out = carried({.edit = without(2), .update = without(2), .joints = {0, 1, -1, 3}});
  EXPECT_THAT(out.lost, IsEmpty());
  EXPECT_THAT(listed(out.character), ElementsAre("a", "b"));
}

// A binding with the list: what was bound anew is, and what went is gone.
TEST(NewerVersion, AJointTakenFromAListThatWasBoundAnew) {
  const CarriedOver out = carried({.edit =
                                       [](Character& c) {
                                         without(1)(c);
                                         skin(c).joint_from_mesh[1] = shifted(5);
                                       },
                                   .file = with_c_in_the_middle()});
  EXPECT_THAT(out.lost, IsEmpty());
  EXPECT_THAT(listed(out.character), ElementsAre("b", "a"));
  EXPECT_THAT(out.character.skins[0].joint_from_mesh, ElementsAre(shifted(-1), shifted(5)));
}

TEST(NewerVersion, TwoJointsTakenFromAListStayOut) {
  Character file = three_points();
  for (const std::size_t v : {0, 1, 2}) {
    weigh(file, v, {2}, {1.0f});
  }
  const CarriedOver out = carried({.edit =
                                       [](Character& c) {
                                         without(0)(c);
                                         without(0)(c);
                                       },
                                   .file = file});
  EXPECT_THAT(out.lost, IsEmpty());
  EXPECT_THAT(listed(out.character), ElementsAre("c"));
  EXPECT_THAT(out.character.skins[0].joint_from_mesh, ElementsAre(shifted(-2)));
  EXPECT_EQ(weights(out.character, 1), (Weights{{"c", 1.0f}}));
}

// The file hangs another mesh on the skin: all that have it must agree, whichever comes first.
TEST(NewerVersion, AJointTakenFromAListStaysWhereAnotherMeshFollowsIt) {
  for (const bool is_first : {false, true}) {
    SCOPED_TRACE(is_first);
    const CarriedOver out = carried({.edit = without(1),
                                     .update =
                                         [=](Character& c) {
                                           c.meshes.push_back(c.meshes[0]);
                                           mesh::Influences& rows =
                                               c.meshes.edit(1).primitives.edit(0).influences.edit();
                                           rows.put_row(0, {std::vector<std::uint16_t>{1}, std::vector{1.0f}, 1.0f});
                                           MeshNode node = c.mesh_nodes[0];
                                           node.joint = test::add_node(c, "again", -1, {});
                                           node.mesh = 1;
                                           std::vector<MeshNode>& nodes = c.mesh_nodes.edit();
                                           nodes.insert(is_first ? nodes.begin() : nodes.end(), node);
                                           c.scenes = {};
                                         },
                                     .file = with_c_in_the_middle()});
    EXPECT_THAT(out.lost, ElementsAre("removal of \"c\" from skin \"body\""));
    EXPECT_THAT(listed(out.character), ElementsAre("b", "c", "a"));
    EXPECT_EQ(weights(out.character, 1), (Weights{{"a", 0.75f}, {"b", 0.25f}}));
    EXPECT_EQ(weights(out.character, 0, 1), (Weights{{"c", 1.0f}}));
    EXPECT_EQ(weights(out.character, 1, 1), (Weights{{"a", 0.75f}, {"b", 0.25f}}));
  }
}

// Rows index the lists of all skins that a mesh is shown with.
TEST(NewerVersion, AJointIsTakenFromAllListsOfAMeshOrNone) {
  Character file = three_points();
  skin(file).joints = {2, 1, 0};
  skin(file).joint_from_mesh = {shifted(-2), shifted(-1), shifted(0)};
  primitive(file).influences.edit().renumber_joints([](int k) { return 2 - k; });
  test::add_node(file, "again", -1, {});
  file.skins.push_back(file.skins[0]);
  file.skins.edit(1).name = "second";
  file.mesh_nodes.push_back(MeshNode(file.mesh_nodes[0]));
  file.mesh_nodes.edit()[1].joint = 4;
  file.mesh_nodes.edit()[1].skin = 1;
  finish(file);
  const Change both = [](Character& c) {
    without(0)(c);
    without(0, 1)(c);
  };
  Case of{.edit = both, .joints = {0, 1, 2, 3, 4}, .skins = {0, 1}, .file = file};
  CarriedOver out = carried(of);
  EXPECT_THAT(out.lost, IsEmpty());
  EXPECT_THAT(listed(out.character), ElementsAre("b", "a"));
  EXPECT_THAT(listed(out.character, 1), ElementsAre("b", "a"));
  EXPECT_EQ(weights(out.character, 1), (Weights{{"a", 0.75f}, {"b", 0.25f}})) << "renumbered once";
  // The second skin is another one now, and shows the mesh with all joints.
  of.skins = {0, -1};
  out = carried(of);
  EXPECT_THAT(out.lost, ElementsAre("binding of skin \"second\"", "removal of \"c\" from skin \"body\""));
  EXPECT_THAT(listed(out.character), ElementsAre("c", "b", "a"));
  EXPECT_THAT(listed(out.character, 1), ElementsAre("c", "b", "a"));
  EXPECT_EQ(weights(out.character, 0), (Weights{{"a", 1.0f}}));
}

}  // namespace
}  // namespace pelt::rig
