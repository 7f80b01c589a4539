// Sessions whose character's file has changed: weights and selections that no longer fit are carried over by position.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "edit/held_edits.h"
#include "edit/history.h"
#include "edit_fixtures.h"
#include "gltf/import.h"
#include "reopened.h"
#include "rig/surface_variants.h"

namespace pelt::edit {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using SharedCharacter = std::shared_ptr<const rig::Character>;

SharedCharacter mannequin() {
  static const SharedCharacter kRead = std::make_shared<const rig::Character>(
      *gltf::import_file(std::filesystem::path(PELT_SOURCE_DIR) / "assets" / "mannequin.glb"));
  return kRead;
}

// The vertices of a primitive in another order: old vertex v becomes number[v].
mesh::Primitive reordered(const mesh::Primitive& primitive, const std::vector<std::uint32_t>& number) {
  mesh::Primitive out = primitive;
  const auto move = [&](const auto& from, auto& to) {
    if (!from.empty()) {
      for (std::size_t v = 0; v < number.size(); ++v) {
        to.edit()[number[v]] = from[v];
      }
    }
  };
  move(primitive.positions, out.positions);
  move(primitive.normals, out.normals);
  move(primitive.tangents, out.tangents);
  move(primitive.texcoords[0], out.texcoords[0]);
  move(primitive.texcoords[1], out.texcoords[1]);
  move(primitive.colors, out.colors);
  for (std::size_t t = 0; t < out.morph_targets.size(); ++t) {
    mesh::MorphTarget& target = out.morph_targets.edit(t);
    move(primitive.morph_targets[t].position_deltas, target.position_deltas);
    move(primitive.morph_targets[t].normal_deltas, target.normal_deltas);
    move(primitive.morph_targets[t].tangent_deltas, target.tangent_deltas);
  }
  for (std::uint32_t& v : out.indices.edit()) {
    v = number[v];
  }
  std::vector<std::uint32_t> old(number.size());
  for (std::uint32_t v = 0; v < number.size(); ++v) {
    old[number[v]] = v;
  }
  mesh::Influences rows;
  for (const std::uint32_t v : old) {
    rows.push_row(primitive.influences->row(v));
  }
  rows.set_budget(primitive.influences->budget());
  out.influences = std::move(rows);
  return out;
}

using Numbers = std::vector<std::vector<std::vector<std::uint32_t>>>;  // by mesh, primitive, vertex

rig::Character with_other_order(const rig::Character& character, Numbers& out_number) {
  rig::Character out = character;
  test::Random random(11);
  for (std::size_t m = 0; m < out.meshes.size(); ++m) {
    out_number.emplace_back();
    for (std::size_t p = 0; p < out.meshes[m].primitives.size(); ++p) {
      std::vector<std::uint32_t> number(out.meshes[m].primitives[p].vertex_count());
      std::iota(number.begin(), number.end(), 0u);
      for (std::size_t v = number.size(); v > 1; --v) {
        std::swap(number[v - 1], number[random.below(static_cast<int>(v))]);
      }
      out.meshes.edit(m).primitives.edit(p) = reordered(character.meshes[m].primitives[p], number);
      out_number.back().push_back(std::move(number));
    }
  }
  rig::finish(out);
  return out;
}

// A triangle becomes four, with vertices of their own in the middle of its edges, which follow what their ends do.
rig::Character with_split_triangles(const rig::Character& character) {
  rig::Character out = character;
  for (std::size_t m = 0; m < out.meshes.size(); ++m) {
    for (std::size_t p = 0; p < out.meshes[m].primitives.size(); ++p) {
      const mesh::Primitive before = character.meshes[m].primitives[p];
      mesh::Primitive& primitive = out.meshes.edit(m).primitives.edit(p);
      primitive.normals = {};
      primitive.tangents = {};
      primitive.colors = {};
      primitive.texcoords[0] = {};
      primitive.texcoords[1] = {};
      primitive.morph_targets = {};
      primitive.kept = {};
      primitive.cage = {};
      primitive.cage_rows = {};
      std::vector<std::uint32_t> indices;
      mesh::Influences rows = *before.influences;
      const auto middle = [&](std::uint32_t a, std::uint32_t b) {
        primitive.positions.edit().push_back((before.positions[a] + before.positions[b]) * 0.5f);
        rows.push_row(mesh::Influences(*before.influences).row(a));
        return static_cast<std::uint32_t>(primitive.positions.size() - 1);
      };
      for (std::size_t k = 0; k + 2 < before.indices.size(); k += 3) {
        const std::uint32_t a = before.indices[k];
        const std::uint32_t b = before.indices[k + 1];
        const std::uint32_t c = before.indices[k + 2];
        const std::uint32_t ab = middle(a, b);
        const std::uint32_t bc = middle(b, c);
        const std::uint32_t ca = middle(c, a);
        indices.insert(indices.end(), {a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca});
      }
      primitive.indices = std::move(indices);
      primitive.influences = std::move(rows);
    }
    out.meshes.edit(m).morph_names = {};
    out.meshes.edit(m).morph_weights = {};
  }
  for (rig::MeshNode& node : out.mesh_nodes.edit()) {
    node.morph_weights.clear();
  }
  out.clips = {};
  rig::finish(out);
  return out;
}

int skinned_mesh(const rig::Character& character) {
  int mesh = 0;
  while (rig::first_skin_of(character, mesh) < 0) {
    ++mesh;
  }
  return mesh;
}

// Some of a mesh smoothed, half of it selected.
Document edited(const SharedCharacter& file) {
  Document document = make_document(file);
  const int mesh = skinned_mesh(*file);
  SmoothWeights change{.mesh = mesh, .primitive = 0, .iterations = 4};
  for (std::uint32_t v = 0; v < file->meshes[mesh].primitives[0].vertex_count() / 2; ++v) {
    change.vertices.push_back(v);
  }
  test::apply(document, change);
  NamedSelection selection{{0}, {}};
  for (std::size_t n = 0; n < file->mesh_nodes.size(); ++n) {
    if (file->mesh_nodes[n].mesh == mesh) {
      selection.vertices = {{static_cast<int>(n), 0, {}}};
    }
  }
  for (std::uint32_t v = 3; v < 40; ++v) {
    selection.vertices[0].vertices.push_back(v);
  }
  test::apply(document, NameSelection{"some", selection});
  return document;
}

OpenedSession opened_with(const Document& document, const rig::Character& newer,
                          const std::function<void(nlohmann::ordered_json&)>& change = {}) {
  const Result<SessionText> text = session_to_text(document, test::kSessionSource);
  EXPECT_TRUE(text) << (text ? "" : text.error().message);
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(text->json);
  if (change) {
    change(json);
  }
  Result<OpenedSession> opened =
      session_from_text(json.dump(), std::make_shared<const rig::Character>(newer), test::files_of(*text));
  EXPECT_TRUE(opened) << (opened ? "" : opened.error().message);
  opened->document.origin.lost = opened->lost;  // as whoever opens the file does
  return *std::move(opened);
}

// Without the surfaces, as sessions were before they held any.
void without_surfaces(nlohmann::ordered_json& json) {
  json.erase("surfaces");
}

TEST(HeldEdits, VerticesInAnotherOrderGetTheirVeryRows) {
  const SharedCharacter file = mannequin();
  const Document document = edited(file);
  Numbers number;
  const rig::Character newer = with_other_order(*file, number);
  OpenedSession opened = opened_with(document, newer);
  Document& now = opened.document;
  ASSERT_FALSE(opened.lost.empty());
  ASSERT_NE(now.origin.held, nullptr);
  const int mesh = skinned_mesh(*file);
  EXPECT_THAT(sentence(*now.origin.held, *now.character),
              HasSubstr(fmt::format("2 edits of mesh \"{}\" are of another version of the file: weights of ",
                                    newer.meshes[mesh].name)));
  EXPECT_FALSE(now.content.selections->contains("some") && !now.content.selections->at("some").vertices.empty())
      << "these numbers are other vertices now";
  const Result<std::string> done = carry_over_held(now);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(*done, HasSubstr("matched, at most 0 m (0 % of the diagonal) away"));
  const mesh::Influences& wanted = document.content.character->meshes[mesh].primitives[0].influences;
  const mesh::Influences& rows = now.content.character->meshes[mesh].primitives[0].influences;
  std::size_t changed = 0;
  for (std::uint32_t v = 0; v < wanted.vertex_count(); ++v) {
    ASSERT_TRUE(mesh::same_row(rows.row(number[mesh][0][v]), wanted.row(v))) << v;
    changed += mesh::same_row(wanted.row(v), file->meshes[mesh].primitives[0].influences->row(v)) ? 0 : 1;
  }
  EXPECT_GT(changed, 50u);
  const NamedVertices& selected = now.content.selections->at("some").vertices;
  ASSERT_EQ(selected.size(), 1u);
  // Copies of a place may stand for each other where their normals are the same.
  EXPECT_NEAR(static_cast<double>(selected[0].vertices.size()), 37, 3);
  EXPECT_EQ(now.content.selections->at("some").joints, std::vector<int>{0});
  EXPECT_THAT(now.origin.lost, IsEmpty());
  EXPECT_EQ(now.origin.held, nullptr);
}

TEST(HeldEdits, AreOneStepThatCanBeUndone) {
  Numbers number;
  OpenedSession opened = opened_with(edited(mannequin()), with_other_order(*mannequin(), number));
  Document& now = opened.document;
  const Content before = now.content;
  ASSERT_FALSE(can_undo(now));
  ASSERT_TRUE(carry_over_held(now));
  EXPECT_FALSE(now.content == before);
  EXPECT_EQ(now.history.cursor(), 1u);
  undo(now);
  EXPECT_EQ(content_hash(now.content), content_hash(before));
  redo(now);
  EXPECT_TRUE(now.content.selections->contains("some"));
}

TEST(HeldEdits, WhoLeavesThemOutChangesNothing) {
  Numbers number;
  const rig::Character newer = with_other_order(*mannequin(), number);
  const OpenedSession opened = opened_with(edited(mannequin()), newer);
  EXPECT_TRUE(rig::equal(*opened.document.content.character, newer));
  // The selection, and each primitive that has copies of the smoothed places.
  EXPECT_THAT(opened.lost, testing::SizeIs(1 + opened.document.origin.held->weights.size()));
  EXPECT_FALSE(can_undo(opened.document));
}

TEST(HeldEdits, AFinerSurfaceTakesWhatIsBetween) {
  const SharedCharacter file = mannequin();
  const Document document = edited(file);
  const rig::Character newer = with_split_triangles(*file);
  OpenedSession opened = opened_with(document, newer);
  Document& now = opened.document;
  const Result<std::string> done = carry_over_held(now);
  ASSERT_TRUE(done) << done.error().message;
  const int mesh = skinned_mesh(*file);
  const mesh::Influences& wanted = document.content.character->meshes[mesh].primitives[0].influences;
  const mesh::Primitive& primitive = now.content.character->meshes[mesh].primitives[0];
  const mesh::Influences& rows = primitive.influences;
  const mesh::Primitive& coarse = file->meshes[mesh].primitives[0];
  for (std::uint32_t v = 0; v < wanted.vertex_count(); ++v) {
    ASSERT_TRUE(mesh::same_row(rows.row(v), wanted.row(v))) << v;
  }
  const auto weight_of = [](const mesh::InfluenceRow& row, std::uint16_t joint) {
    const auto at = std::ranges::find(row.joints, joint);
    return at == row.joints.end() ? 0.0 : static_cast<double>(row.weights[at - row.joints.begin()]);
  };
  std::size_t between = 0;
  std::uint32_t next = static_cast<std::uint32_t>(wanted.vertex_count());
  for (std::size_t k = 0; k + 2 < coarse.indices.size(); k += 3) {
    for (int e = 0; e < 3; ++e) {
      const std::uint32_t a = coarse.indices[k + static_cast<std::size_t>(e)];
      const std::uint32_t b = coarse.indices[k + static_cast<std::size_t>((e + 1) % 3)];
      const std::uint32_t v = next++;
      const auto is_edited = [&](std::uint32_t one) {
        return !mesh::same_row(wanted.row(one), coarse.influences->row(one));
      };
      if (!is_edited(a) || !is_edited(b)) {
        continue;
      }
      ASSERT_LE(rows.count(v), std::max(4u, rows.budget()));
      double off = 0;
      double lost = 0;  // what a row of so many has no place for
      for (const std::uint16_t joint : wanted.joints(a)) {
        off = std::max(off, std::abs(weight_of(rows.row(v), joint) -
                                     0.5 * (weight_of(wanted.row(a), joint) + weight_of(wanted.row(b), joint))));
        lost = std::max(lost, weight_of(rows.row(v), joint) > 0 ? 0 : weight_of(wanted.row(a), joint));
      }
      between += lost == 0 && off < 1e-3 ? 1 : 0;
      ASSERT_LT(off, 0.15) << v;
    }
  }
  EXPECT_GT(between, 200u);
}

TEST(HeldEdits, ACoarserSurfaceKeepsTheRowsOfItsVertices) {
  const SharedCharacter file = mannequin();
  const Document document = edited(file);
  const Result<rig::Character> coarse = rig::with_surface(*file, {.detail = 1});
  ASSERT_TRUE(coarse) << coarse.error().message;
  const int mesh = skinned_mesh(*file);
  ASSERT_LT(coarse->meshes[mesh].primitives[0].vertex_count(), file->meshes[mesh].primitives[0].vertex_count());
  OpenedSession opened = opened_with(document, *coarse);
  ASSERT_TRUE(carry_over_held(opened.document));
  const mesh::Primitive& before = document.content.character->meshes[mesh].primitives[0];
  const mesh::Primitive& now = opened.document.content.character->meshes[mesh].primitives[0];
  std::size_t same = 0;
  for (std::uint32_t v = 0; v < now.vertex_count(); ++v) {
    for (std::uint32_t o = 0; o < before.vertex_count(); ++o) {
      if (before.positions[o] == now.positions[v] &&
          mesh::same_row(before.influences->row(o), now.influences->row(v))) {
        ++same;
        break;
      }
    }
  }
  EXPECT_EQ(same, now.vertex_count());
}

TEST(HeldEdits, WhatNobodyEditedStaysAsTheNewerFileHasIt) {
  const SharedCharacter file = mannequin();
  Numbers number;
  rig::Character newer = with_other_order(*file, number);
  const int mesh = skinned_mesh(*file);
  const std::size_t count = file->meshes[mesh].primitives[0].vertex_count();
  Document document = make_document(file);
  SmoothWeights change{.mesh = mesh, .primitive = 0, .iterations = 2};
  for (std::uint32_t v = 0; v < count / 4; ++v) {
    change.vertices.push_back(v);
  }
  test::apply(document, change);
  const mesh::Influences& wanted = document.content.character->meshes[mesh].primitives[0].influences;
  std::vector<char> is_edited(count);
  mesh::Influences rows = *newer.meshes[mesh].primitives[0].influences;
  for (std::size_t v = 0; v < count; ++v) {
    is_edited[v] = mesh::same_row(wanted.row(v), file->meshes[mesh].primitives[0].influences->row(v)) ? 0 : 1;
    const std::uint16_t joints[] = {1};
    const float weights[] = {1.0f};
    rows.set_row(number[mesh][0][v], joints, weights);  // the newer file has other weights
  }
  newer.meshes.edit(mesh).primitives.edit(0).influences = rows;
  OpenedSession opened = opened_with(document, newer);
  const Result<std::string> done = carry_over_held(opened.document);
  ASSERT_TRUE(done) << done.error().message;
  const mesh::Influences& now = opened.document.content.character->meshes[mesh].primitives[0].influences;
  ASSERT_GT(std::ranges::count(is_edited, 1), 20);
  ASSERT_GT(std::ranges::count(is_edited, 0), 20);
  for (std::size_t v = 0; v < count; ++v) {
    const std::uint32_t at = number[mesh][0][v];
    ASSERT_TRUE(mesh::same_row(now.row(at), is_edited[v] != 0 ? wanted.row(v) : rows.row(at))) << v;
  }
}

// The first primitive of a mesh without the triangles of some vertices.
rig::Character without_triangles(const rig::Character& character, int mesh, const std::vector<char>& is_edited) {
  rig::Character out = character;
  const mesh::Primitive& before = character.meshes[mesh].primitives[0];
  std::vector<char> is_used(before.vertex_count());
  std::vector<std::uint32_t> indices;
  for (std::size_t k = 0; k + 2 < before.indices.size(); k += 3) {
    const bool touches =
        is_edited[before.indices[k]] + is_edited[before.indices[k + 1]] + is_edited[before.indices[k + 2]] > 0;
    for (std::size_t c = 0; !touches && c < 3; ++c) {
      indices.push_back(before.indices[k + c]);
      is_used[indices.back()] = 1;
    }
  }
  std::vector<std::uint32_t> number(before.vertex_count());
  mesh::Primitive& primitive = out.meshes.edit(mesh).primitives.edit(0);
  mesh::Primitive made = before;
  made.positions = {};
  made.normals = {};
  made.tangents = {};
  made.colors = {};
  made.texcoords[0] = {};
  made.texcoords[1] = {};
  made.morph_targets = {};
  made.kept = {};
  mesh::Influences rows;
  for (std::uint32_t v = 0; v < before.vertex_count(); ++v) {
    if (is_used[v] != 0) {
      number[v] = static_cast<std::uint32_t>(rows.vertex_count());
      made.positions.edit().push_back(before.positions[v]);
      rows.push_row(before.influences->row(v));
    }
  }
  for (std::uint32_t& v : indices) {
    v = number[v];
  }
  rows.set_budget(before.influences->budget());
  made.indices = std::move(indices);
  made.influences = std::move(rows);
  primitive = std::move(made);
  out.meshes.edit(mesh).morph_names = {};
  out.meshes.edit(mesh).morph_weights = {};
  for (rig::MeshNode& node : out.mesh_nodes.edit()) {
    node.morph_weights.clear();
  }
  out.clips = {};
  rig::finish(out);
  return out;
}

TEST(HeldEdits, WhatHasNoPlaceAnyMoreIsCountedAndStaysLost) {
  const SharedCharacter file = mannequin();
  const int mesh = skinned_mesh(*file);
  const mesh::Primitive& before = file->meshes[mesh].primitives[0];
  // Two places far from each other: the highest vertices, and the lowest.
  float low = before.positions[0].y;
  float high = low;
  for (const glm::vec3& position : before.positions) {
    low = std::min(low, position.y);
    high = std::max(high, position.y);
  }
  std::vector<char> is_high(before.vertex_count());
  UseWeightTool change{.tool = "set", .values = {0.5}, .mesh = mesh, .primitive = 0, .joints = {1}};
  std::size_t high_count = 0;
  for (std::uint32_t v = 0; v < before.vertex_count(); ++v) {
    const float share = (before.positions[v].y - low) / (high - low);
    is_high[v] = share > 0.9f ? 1 : 0;
    high_count += is_high[v] != 0 ? 1u : 0u;
    if (share > 0.9f || share < 0.1f) {
      change.vertices.push_back(v);
    }
  }
  ASSERT_GT(high_count, 5u);
  ASSERT_LT(high_count, change.vertices.size());
  Document document = make_document(file);
  test::apply(document, change);
  OpenedSession opened = opened_with(document, without_triangles(*file, mesh, is_high));
  ASSERT_NE(opened.document.origin.held, nullptr);
  const Result<std::string> done = carry_over_held(opened.document);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(*done, HasSubstr("the mesh has nothing now at ")) << *done;
  EXPECT_THAT(*done, HasSubstr(" edited vertices, the farthest "));
  EXPECT_THAT(opened.document.origin.lost, testing::Contains(HasSubstr("the mesh has nothing there now")));
  EXPECT_THAT(opened.document.origin.lost, testing::Not(testing::Contains(HasSubstr("primitive 0: "))));
}

// A document whose selection "gone" has a triangle which a newer file has no more.
struct GoneSelection {
  Document document;
  rig::Character newer;
};
GoneSelection gone_selection(bool sets_weights) {
  const SharedCharacter file = mannequin();
  const int mesh = skinned_mesh(*file);
  const mesh::Primitive& before = file->meshes[mesh].primitives[0];
  Document document = make_document(file);
  NamedSelection selection{{}, {}};
  std::vector<char> is_selected(before.vertex_count());
  for (std::size_t n = 0; n < file->mesh_nodes.size(); ++n) {
    if (file->mesh_nodes[n].mesh == mesh) {
      selection.vertices = {{static_cast<int>(n), 0, {before.indices[0], before.indices[1], before.indices[2]}}};
    }
  }
  std::ranges::sort(selection.vertices[0].vertices);
  for (const std::uint32_t v : selection.vertices[0].vertices) {
    is_selected[v] = 1;
  }
  test::apply(document, NameSelection{"gone", selection});
  if (sets_weights) {
    test::apply(document, UseWeightTool{.tool = "set", .values = {0.5}, .mesh = mesh, .joints = {1}});
  }
  return {std::move(document), without_triangles(*file, mesh, is_selected)};
}

// Rows of one joint alone for all vertices of a surface, of which the mesh has no primitive any more.
HeldWeights whole_rows(std::vector<glm::vec3> positions, std::uint16_t joint) {
  HeldWeights out{.mesh = 0, .primitive = -1};
  const std::array<std::uint16_t, 1> joints = {joint};
  const std::array<float, 1> weights = {1};
  mesh::Influences rows;
  for (std::uint32_t v = 0; v < positions.size(); ++v) {
    out.vertices.push_back(v);
    rows.push_row({joints, weights, 1});
    out.rows.push_row(rows.row(v));
  }
  out.joints = {0, 1};
  out.surface = std::make_shared<const EditedSurface>(EditedSurface{std::move(positions), test::cylinder_indices()});
  return out;
}

// A shirt lies close to the body, and both are one primitive now: each takes the rows of its own surface, whichever
// comes last, and a vertex counts once.
TEST(HeldEdits, TheNearestSurfaceGivesAVertexItsRow) {
  rig::Character character = test::cylinder();
  mesh::Primitive& primitive = character.meshes.edit(0).primitives.edit(0);
  const mesh::Primitive body = primitive;
  const auto count = static_cast<std::uint32_t>(body.vertex_count());
  std::vector<glm::vec3> shirt;
  for (std::uint32_t v = 0; v < count; ++v) {
    shirt.push_back(body.positions[v] + 0.005f * body.normals[v]);
    primitive.positions.edit().push_back(shirt.back());
    primitive.normals.edit().push_back(glm::vec3(body.normals[v]));
    primitive.influences.edit().push_row(body.influences->row(v));
  }
  for (const std::uint32_t v : test::cylinder_indices()) {
    primitive.indices.edit().push_back(count + v);
  }
  rig::finish(character);
  const std::vector<glm::vec3> skin(body.positions.begin(), body.positions.end());
  for (const bool body_first : {true, false}) {
    HeldEdits held;
    held.weights = {whole_rows(skin, 0), whole_rows(shirt, 1)};
    if (!body_first) {
      std::swap(held.weights[0], held.weights[1]);
    }
    const CarriedEdits carried = carried_edits(character, {}, held);
    ASSERT_NE(carried.character, nullptr);
    const mesh::Influences& rows = carried.character->meshes[0].primitives[0].influences;
    for (std::uint32_t v = 0; v < 2 * count; ++v) {
      ASSERT_EQ(rows.count(v), 1u) << v;
      ASSERT_EQ(rows.joints(v)[0], v < count ? 0 : 1) << v;
    }
    ASSERT_EQ(carried.transfers.size(), 1u);
    EXPECT_EQ(carried.transfers[0].vertices, 2 * count);
    EXPECT_EQ(carried.transfers[0].matched, 2 * count);
    EXPECT_EQ(carried.transfers[0].largest, 0);
  }
}

TEST(HeldEdits, AMeshWithoutThePartThatWasEditedTakesNothing) {
  const GoneSelection gone = gone_selection(false);
  OpenedSession opened = opened_with(gone.document, gone.newer);
  const std::vector<std::string> lost = opened.document.origin.lost;
  ASSERT_FALSE(lost.empty());
  const Content content = opened.document.content;
  const Result<std::string> done = carry_over_held(opened.document);
  ASSERT_FALSE(done) << *done;
  EXPECT_THAT(done.error().message, HasSubstr("no vertex lies near the vertices that were edited"));
  EXPECT_EQ(opened.document.origin.lost, lost);
  EXPECT_TRUE(opened.document.content == content);
}

TEST(HeldEdits, OnlyEditsThatFoundAPlaceAreLostNoMore) {
  const GoneSelection gone = gone_selection(true);
  OpenedSession opened = opened_with(gone.document, gone.newer);
  const std::vector<std::string>& lost = opened.document.origin.lost;
  ASSERT_THAT(lost, testing::Contains("some of the selection gone"));
  ASSERT_THAT(lost, testing::Contains(HasSubstr("primitive 0: ")));
  const Result<std::string> done = carry_over_held(opened.document);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(lost, testing::Contains("some of the selection gone"));
  EXPECT_THAT(lost, testing::Not(testing::Contains(HasSubstr("primitive 0: "))));
}

TEST(HeldEdits, AnOlderSessionSaysWhatItSaidBefore) {
  Numbers number;
  const OpenedSession opened =
      opened_with(edited(mannequin()), with_other_order(*mannequin(), number), without_surfaces);
  EXPECT_EQ(opened.document.origin.held, nullptr);
  ASSERT_FALSE(opened.lost.empty());
  EXPECT_THAT(opened.lost[0], HasSubstr("its vertices lie elsewhere"));
  Document document = opened.document;
  const Result<std::string> done = carry_over_held(document);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "the session holds no edits of another version of its character's file");
}

TEST(HeldEdits, JointsInAnotherOrderFitAndOneThatIsGoneIsSaid) {
  const SharedCharacter file = mannequin();
  const Document document = edited(file);
  const int mesh = skinned_mesh(*file);
  // The skin lists its joints the other way round.
  rig::Character turned = *file;
  rig::Skin& skin = turned.skins.edit(rig::first_skin_of(turned, mesh));
  std::ranges::reverse(skin.joints);
  std::ranges::reverse(skin.joint_from_mesh);
  const auto last = static_cast<std::uint16_t>(skin.joints.size() - 1);
  for (std::size_t p = 0; p < turned.meshes[mesh].primitives.size(); ++p) {
    turned.meshes.edit(mesh).primitives.edit(p).influences.edit().renumber_joints(
        [&](std::uint16_t k) { return static_cast<std::uint16_t>(last - k); });
  }
  rig::finish(turned);
  const OpenedSession fits = opened_with(document, turned);
  EXPECT_THAT(fits.lost, IsEmpty());
  EXPECT_EQ(fits.document.origin.held, nullptr);
  // One has another name, and the vertices another order.
  Numbers number;
  rig::Character renamed = with_other_order(*file, number);
  const mesh::Influences& wanted = document.content.character->meshes[mesh].primitives[0].influences;
  const int gone = file->skins[rig::first_skin_of(*file, mesh)].joints[wanted.joints(0)[0]];
  renamed.skeleton.edit().name[gone] = "somebody else";
  OpenedSession opened = opened_with(document, renamed);
  const Result<std::string> done = carry_over_held(opened.document);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(*done, HasSubstr("joints that are gone"));
  ASSERT_FALSE(opened.document.origin.lost.empty());
  EXPECT_THAT(opened.document.origin.lost.back(), HasSubstr("joints that are gone"));
  const mesh::Influences& rows = opened.document.content.character->meshes[mesh].primitives[0].influences;
  EXPECT_TRUE(mesh::same_row(rows.row(number[mesh][0][0]), file->meshes[mesh].primitives[0].influences->row(0)))
      << "a vertex that followed it keeps what the file says";
}

TEST(HeldEdits, AMeshFarAwayTakesNothing) {
  const SharedCharacter file = mannequin();
  rig::Character newer = *file;
  const int mesh = skinned_mesh(*file);
  for (std::size_t p = 0; p < newer.meshes[mesh].primitives.size(); ++p) {
    for (glm::vec3& position : newer.meshes.edit(mesh).primitives.edit(p).positions.edit()) {
      position.x += 100;
    }
  }
  OpenedSession opened = opened_with(edited(file), newer);
  const Content before = opened.document.content;
  const Result<std::string> done = carry_over_held(opened.document);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("no vertex lies near the surface that was edited"));
  EXPECT_TRUE(opened.document.content == before);
  EXPECT_FALSE(opened.document.origin.lost.empty());
}

TEST(HeldEdits, DamagedSurfacesAreRefusedInASentence) {
  Numbers number;
  const rig::Character newer = with_other_order(*mannequin(), number);
  const Document document = edited(mannequin());
  const Result<SessionText> text = session_to_text(document, test::kSessionSource);
  ASSERT_TRUE(text) << text.error().message;
  const auto message = [&](const std::function<void(nlohmann::ordered_json&)>& change) {
    nlohmann::ordered_json json = nlohmann::ordered_json::parse(text->json);
    change(json);
    const Result<OpenedSession> opened =
        session_from_text(json.dump(), std::make_shared<const rig::Character>(newer), test::files_of(*text));
    return opened ? std::string("opened") : opened.error().message;
  };
  EXPECT_EQ(message([](nlohmann::ordered_json&) {}), "opened");
  EXPECT_THAT(message([](auto& json) { json["surfaces"].front()["positions"]["count"] = 1 << 30; }),
              HasSubstr("an array within its file"));
  EXPECT_THAT(message([](auto& json) { json["surfaces"].front()["positions"]["count"] = 3; }), HasSubstr("expected"));
  EXPECT_THAT(message([](auto& json) { json["surfaces"].front()["corners"]["count"] = 4; }),
              HasSubstr("triangles of the vertices that there are"));
  EXPECT_THAT(message([](auto& json) { json["surfaces"].front() = 7; }), HasSubstr("expected an object"));
  EXPECT_THAT(message([](auto& json) { json["surfaces"].front().erase("corners"); }), HasSubstr("corners"));
  EXPECT_THAT(message([](auto& json) { json["meshes"][0]["weights"]["joints"] = nlohmann::json::array(); }),
              HasSubstr("rows of weights"));
  EXPECT_EQ(message([](auto& json) { json["surfaces"].front()["more"] = 1; }), "opened");
}

}  // namespace
}  // namespace pelt::edit
