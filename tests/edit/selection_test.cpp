// What is selected: joints by how they hang together, vertices along edges, and what a click or a box does to it.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "edit/edit_fixtures.h"
#include "edit/selection_edits.h"
#include "gltf/bundled.h"
#include "support/fixtures.h"

namespace pelt {
namespace {

using namespace edit;  // NOLINT: the names that the tests are about

//        0
//      1    5
//     2  4   6
//     3
rig::Skeleton tree() {
  rig::Skeleton skeleton;
  skeleton.parent = {-1, 0, 1, 2, 1, 0, 5};
  skeleton.name = {"hips", "arm_l", "hand_l", "finger_l", "", "arm_r", "hand_r"};
  skeleton.rest.resize(7);
  skeleton.is_joint.assign(7, 1);
  skeleton.source_node = {0, 1, 2, 3, 4, 5, 6};
  skeleton.dofs.resize(7);
  skeleton.link_children();
  return skeleton;
}

using Joints = std::vector<int>;

rig::Character bundled(std::string_view name) {
  return *gltf::import_bundled(name);
}

TEST(Selection, ClicksReplaceAddAndToggle) {
  EXPECT_EQ(combined(Joints{1, 2}, Joints{3}, SelectBy::kReplace), (Joints{3}));
  EXPECT_EQ(combined(Joints{1, 2}, Joints{}, SelectBy::kReplace), Joints{});
  EXPECT_EQ(combined(Joints{1, 2}, Joints{3}, SelectBy::kAdd), (Joints{1, 2, 3}));
  EXPECT_EQ(combined(Joints{1, 2, 3}, Joints{1}, SelectBy::kAdd), (Joints{2, 3, 1})) << "what is picked becomes active";
  EXPECT_EQ(combined(Joints{1, 2, 3}, Joints{2}, SelectBy::kToggle), (Joints{1, 3}));
  EXPECT_EQ(combined(Joints{1}, Joints{2, 1, 3, 3}, SelectBy::kToggle), (Joints{2, 3})) << "each once";
}

TEST(Selection, LawsOfCombining) {
  test::Random random(7);
  for (int round = 0; round < 200; ++round) {
    Joints a;
    Joints b;
    for (int i = random.below(8); i > 0; --i) {
      a = combined(a, Joints{random.below(10)}, SelectBy::kAdd);
    }
    for (int i = random.below(8); i > 0; --i) {
      b = combined(b, Joints{random.below(10)}, SelectBy::kAdd);
    }
    const auto has = [](const Joints& joints, int j) { return std::ranges::count(joints, j) == 1; };
    const Joints both = combined(a, b, SelectBy::kAdd);
    const Joints either = combined(a, b, SelectBy::kToggle);
    for (int j = 0; j < 10; ++j) {
      EXPECT_EQ(has(both, j), has(a, j) || has(b, j));
      EXPECT_EQ(has(either, j), has(a, j) != has(b, j));
    }
    EXPECT_TRUE(b.empty() || both.back() == b.back());
    Joints back = combined(either, b, SelectBy::kToggle);
    std::ranges::sort(back);
    std::ranges::sort(a);
    EXPECT_EQ(back, a) << "toggled twice";
  }
}

TEST(Selection, JointsByHowTheyHangTogether) {
  const rig::Skeleton s = tree();
  EXPECT_EQ(branch(s, Joints{1}), (Joints{2, 3, 4, 1})) << "the joint itself stays the active one";
  EXPECT_EQ(branch(s, Joints{3, 5}), (Joints{3, 6, 5}));
  EXPECT_EQ(branch(s, Joints{}), Joints{});
  EXPECT_EQ(chain(s, 3, 6), (Joints{3, 2, 1, 0, 5, 6}));
  EXPECT_EQ(chain(s, 1, 3), (Joints{1, 2, 3}));
  EXPECT_EQ(chain(s, 3, 1), (Joints{3, 2, 1}));
  EXPECT_EQ(chain(s, 2, 2), (Joints{2}));
  EXPECT_EQ(above(s, Joints{3, 6, 0}), (Joints{2, 5, 0}));
  EXPECT_EQ(above(s, Joints{2, 4}), (Joints{1}));
  EXPECT_EQ(below(s, Joints{0}), (Joints{1})) << "where most joints hang";
  EXPECT_EQ(below(s, Joints{1, 3}), (Joints{2, 3}));
  EXPECT_EQ(mirrored(s, Joints{1, 0, 6}), (Joints{5, 0, 2}));
  EXPECT_EQ(mirrored(s, Joints{3}), Joints{}) << "it has no partner";
  rig::Skeleton two = tree();
  two.parent[5] = -1;
  two.link_children();
  EXPECT_EQ(chain(two, 3, 6), Joints{}) << "another tree";
}

VertexSelection one(std::uint32_t v) {
  return {{0, {v}}};
}

TEST(Selection, VerticesAlongEdges) {
  const rig::Character character = bundled("cylinder");
  SurfaceCache surfaces;
  const VertexSelection all = all_vertices(character);
  const VertexSelection start = grown(character, surfaces, {});
  EXPECT_TRUE(start.empty());
  VertexSelection ring = grown(character, surfaces, one(0));
  EXPECT_GT(vertex_count(ring), 3u);
  EXPECT_LT(vertex_count(ring), 20u);
  // A ring and back: what one grew from is inside again.
  const VertexSelection two = grown(character, surfaces, ring);
  const VertexSelection back = shrunk(character, surfaces, two);
  EXPECT_EQ(combined(back, ring, SelectBy::kAdd), back) << "opening holds what was there";
  EXPECT_LT(vertex_count(back), vertex_count(two));
  EXPECT_EQ(shrunk(character, surfaces, all), all) << "nothing lies outside";
  EXPECT_EQ(connected(character, surfaces, one(0)), all) << "one tube";
  // Growing until it stops is the same.
  while (grown(character, surfaces, ring) != ring) {
    ring = grown(character, surfaces, ring);
  }
  EXPECT_EQ(ring, all);
}

TEST(Selection, VerticesAtOnePlaceGoTogether) {
  rig::Character character = bundled("robot");
  SurfaceCache surfaces;
  const std::shared_ptr<const mesh::WeldedSurface> surface = surfaces.of(character, character.parts[0].mesh);
  std::size_t shared = 0;
  for (std::uint32_t v = 0; v < surface->first[1]; v += 7) {
    const VertexSelection selection = connected(character, surfaces, one(v));
    for (const std::uint32_t copy : surface->copies(surface->place[v])) {
      if (copy < surface->first[1]) {
        shared += copy != v ? 1 : 0;
        EXPECT_TRUE(std::ranges::binary_search(selection.front().vertices, copy));
      }
    }
  }
  EXPECT_GT(shared, 0u) << "a mesh with hard edges has copies";
}

TEST(Selection, ThoseAtOnePlaceAreOne) {
  const rig::Character character = bundled("robot");
  SurfaceCache surfaces;
  const std::shared_ptr<const mesh::WeldedSurface> surface = surfaces.of(character, character.parts[0].mesh);
  std::size_t seams = 0;
  for (std::uint32_t v = 0; v < surface->first[1]; v += 7) {
    const VertexSelection all = at_same_places(character, surfaces, one(v));
    EXPECT_EQ(vertex_count(all), surface->copies(surface->place[v]).size()) << v;
    EXPECT_EQ(combined(one(v), all, SelectBy::kAdd), all) << "with itself";
    EXPECT_EQ(at_same_places(character, surfaces, all), all);
    seams += vertex_count(all) > 1 ? 1 : 0;
  }
  EXPECT_GT(seams, 0u);
  EXPECT_TRUE(at_same_places(character, surfaces, {}).empty());
}

TEST(Selection, VerticesByWeight) {
  const rig::Character character = bundled("cylinder");
  const int tip = character.skeleton->find("tip");
  const VertexSelection any = with_weight(character, tip, 0, 1);
  const VertexSelection most = with_weight(character, tip, 0.9f, 1);
  const VertexSelection rest = with_weight(character, tip, 0, std::nextafter(0.9f, 0.0f));
  EXPECT_GT(vertex_count(most), 0u);
  EXPECT_EQ(combined(most, rest, SelectBy::kAdd), any);
  EXPECT_EQ(vertex_count(most) + vertex_count(rest), vertex_count(any));
  const mesh::Influences& influences = character.primitive(character.parts[0]).influences;
  for (const std::uint32_t v : most.front().vertices) {
    EXPECT_EQ(character.skins[0].joints[influences.joints(v)[0]], tip);
    EXPECT_GE(influences.weights(v)[0], 0.9f);
  }
  EXPECT_TRUE(with_weight(character, 99, 0, 1).empty());
}

TEST(Selection, WhatIsGoneIsLeftOut) {
  const rig::Character character = bundled("cylinder");
  const auto count = static_cast<std::uint32_t>(character.primitive(character.parts[0]).vertex_count());
  VertexSelection selection = {{0, {0, count - 1, count}}, {7, {1}}, {-1, {0}}};
  keep_valid(selection, character);
  EXPECT_EQ(selection, (VertexSelection{{0, {0, count - 1}}}));
}

TEST(Selection, NamesAreEditsAndTravel) {
  Document document = make_document(std::make_shared<rig::Character>(bundled("mannequin")));
  const int hand = 5;
  apply(document, {NameSelection{"left", {{hand}, {{0, 0, {3}}}}}, {}, true});
  ASSERT_EQ(document.content.selections->size(), 1u);
  apply(document, {NameSelection{"left", {{hand}, {{0, 0, {3}}}}}, {}, true});
  EXPECT_EQ(document.history.size(), 2u) << "nothing changed";
  apply(document, {NameSelection{"", {{hand}, {}}}, {}, true});
  apply(document, {NameSelection{"nobody", {}}, {}, true});
  apply(document, {RemoveSelection{"nobody"}, {}, true});
  EXPECT_EQ(document.history.size(), 2u);
  apply(document, {RemoveSelection{"left"}, {}, true});
  EXPECT_TRUE(document.content.selections->empty());
  undo(document);
  EXPECT_EQ(document.content.selections->at("left").joints, (Joints{hand}));
  undo(document);
  EXPECT_TRUE(document.content.selections->empty());
}

TEST(Selection, EditsOfWeightsKeepIt) {
  Document document = make_document(std::make_shared<rig::Character>(bundled("mannequin")));
  document.view.selected_joints = {1, 2, 3};
  document.view.selected_vertices = one(5);
  apply(document, {SmoothWeights{.strength = 1}, {}, true});
  ASSERT_TRUE(can_undo(document));
  EXPECT_EQ(document.view.selected_vertices, one(5));
  undo(document);
  EXPECT_EQ(document.view.selected_vertices, one(5));
  EXPECT_EQ(document.view.selected_joints, (Joints{1, 2, 3}));
  EXPECT_EQ(document.view.selected_joint(), 3);
  document.view.selected_joints = {1, 999, 2};
  keep_valid(document.view, document);
  EXPECT_EQ(document.view.selected_joints, (Joints{1, 2}));
}

}  // namespace
}  // namespace pelt
