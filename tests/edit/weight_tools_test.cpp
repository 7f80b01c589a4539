// The tools of weights as edits of a document, ALGORITHMS.md §38 and §39.
#include "edit/weight_tools.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include <gmock/gmock.h>

#include "edit/weight_foresight.h"
#include "edit/weight_text.h"
#include "edit_fixtures.h"
#include "trousers.h"

namespace pelt::edit {
namespace {

using test::apply;
using test::expect_sums_of_one;
using test::rows_in;
using test::trousers;
using test::trousers_document;
using testing::HasSubstr;

double weight_in(const mesh::Influences& rows, std::size_t v, std::uint16_t joint) {
  const auto at = std::ranges::find(rows.joints(v), joint);
  return at == rows.joints(v).end() ? 0 : static_cast<double>(rows.weights(v)[at - rows.joints(v).begin()]);
}

TEST(WeightTools, EveryRowHasWordsAndFieldsInRange) {
  std::vector<std::string_view> ids;
  for (const WeightTool& tool : weight_tools()) {
    EXPECT_EQ(find_weight_tool(tool.id), &tool);
    EXPECT_FALSE(tool.label.empty());
    EXPECT_GT(tool.help.size(), 20u);
    ASSERT_NE(tool.make, nullptr);
    for (const bind::Field& field : tool.fields) {
      EXPECT_LE(field.minimum, field.standard);
      EXPECT_LE(field.standard, field.maximum);
      EXPECT_FALSE(field.help.empty());
    }
    ids.push_back(tool.id);
  }
  std::ranges::sort(ids);
  EXPECT_EQ(std::ranges::adjacent_find(ids), ids.end());
  EXPECT_EQ(find_weight_tool("paint"), nullptr);
}

// What a tool is given so that it changes the trousers.
UseWeightTool use_of(const WeightTool& tool) {
  UseWeightTool change{.tool = std::string(tool.id)};
  change.joints = tool.joints == ToolJoints::kOne                                       ? std::vector{1}
                  : tool.joints == ToolJoints::kNone || tool.joints == ToolJoints::kAny ? std::vector<int>()
                                                                                        : std::vector{1, 3};
  if (tool.id == "limit") {
    change.values = {2};
  }
  if (tool.id == "prune") {
    change.values = {0.01};
  }
  if (tool.needs_source) {
    change.source = std::make_shared<const rig::Character>(trousers(99));
  }
  if (tool.needs_table) {
    change.table = std::make_shared<const WeightTable>(*read_weights_text(weights_as_text(trousers(99))));
  }
  if (tool.id == "hammer" || tool.id == "average" || tool.id == "inpaint") {
    change.vertices = {test::cylinder_vertex(4, 4), test::cylinder_vertex(4, 5)};
  }
  return change;
}

TEST(WeightTools, C39_6_UndoOfEveryToolRestoresTheVeryBlocks) {
  for (const WeightTool& tool : weight_tools()) {
    SCOPED_TRACE(tool.id);
    Document document = trousers_document(3, 2);
    const auto before = document.content.character;
    const UseWeightTool change = use_of(tool);
    EXPECT_EQ(why_refused(document, change), "");
    apply(document, change);
    ASSERT_NE(document.content.character, before);
    EXPECT_THAT(label(document, Change(change)), HasSubstr(tool.label));
    expect_sums_of_one(document);
    const auto after = document.content.character;
    undo(document);
    for (std::size_t p = 0; p < 2; ++p) {
      const mesh::Influences& was = before->meshes[0].primitives[p].influences;
      const mesh::Influences& is = rows_in(document, p);
      ASSERT_TRUE(was == is);
      for (std::size_t v = 0; v < was.vertex_count(); ++v) {
        for (std::size_t k = 0; k < was.weights(v).size(); ++k) {
          ASSERT_EQ(std::bit_cast<std::uint32_t>(was.weights(v)[k]), std::bit_cast<std::uint32_t>(is.weights(v)[k]));
        }
      }
    }
    redo(document);
    EXPECT_TRUE(*after->meshes[0].primitives[0].influences == rows_in(document));
  }
}

TEST(WeightTools, LockedJointsKeepTheirBitsUnderEveryTool) {
  for (const WeightTool& tool : weight_tools()) {
    SCOPED_TRACE(tool.id);
    Document document = trousers_document(5);
    const mesh::Influences before = rows_in(document);
    UseWeightTool change = use_of(tool);
    change.locked = {0, 2};
    apply(document, change);
    const mesh::Influences& after = rows_in(document);
    for (std::size_t v = 0; v < before.vertex_count(); ++v) {
      for (const std::uint16_t slot : {std::uint16_t{0}, std::uint16_t{2}}) {
        ASSERT_EQ(weight_in(before, v, slot), weight_in(after, v, slot)) << v;
      }
    }
    expect_sums_of_one(document);
  }
}

TEST(WeightTools, LocksOfTheDocumentHoldForEveryToolAndForSmoothing) {
  std::vector<Change> changes = {SmoothWeights{.mesh = 0}};
  for (const WeightTool& tool : weight_tools()) {
    changes.emplace_back(use_of(tool));
  }
  for (const Change& change : changes) {
    Document document = trousers_document(5);
    SCOPED_TRACE(label(document, change));
    const mesh::Influences before = rows_in(document);
    apply(document, LockJoints{{0, 2}, true});
    apply(document, change);
    const mesh::Influences& after = rows_in(document);
    for (std::size_t v = 0; v < before.vertex_count(); ++v) {
      for (const std::uint16_t slot : {std::uint16_t{0}, std::uint16_t{2}}) {
        ASSERT_EQ(weight_in(before, v, slot), weight_in(after, v, slot)) << v;
      }
    }
  }
}

TEST(WeightTools, OnlyChosenVerticesChangeAndStrengthGoesHalfWay) {
  for (const WeightTool& tool : weight_tools()) {
    SCOPED_TRACE(tool.id);
    Document document = trousers_document(7);
    const mesh::Influences before = rows_in(document);
    UseWeightTool change = use_of(tool);
    change.vertices = {test::cylinder_vertex(4, 4), test::cylinder_vertex(36, 4)};
    apply(document, change);
    const mesh::Influences whole = rows_in(document);
    mesh::for_changed_rows(before, whole, [&](std::size_t v) {
      EXPECT_TRUE(v == test::cylinder_vertex(4, 4) || v == test::cylinder_vertex(36, 4)) << v;
    });
  }
  Document document = trousers_document(7);
  const mesh::Influences before = rows_in(document);
  const std::uint32_t v = test::cylinder_vertex(10, 0);
  apply(document, UseWeightTool{.tool = "set", .values = {1}, .vertices = {v}, .strengths = {0.5f}, .joints = {2}});
  for (std::uint16_t slot = 0; slot < 5; ++slot) {
    EXPECT_NEAR(weight_in(rows_in(document), v, slot), 0.5 * weight_in(before, v, slot) + (slot == 2 ? 0.5 : 0), 1e-6);
  }
}

TEST(WeightTools, C39_5_MirrorAndExchangeThroughDocuments) {
  Document document = trousers_document(11);
  const mesh::Influences before = rows_in(document);
  const std::array<std::uint16_t, 5> partner = {0, 3, 4, 1, 2};
  apply(document, UseWeightTool{.tool = "exchange-sides"});
  for (int ring = 0; ring < test::kCylinderRings; ++ring) {
    const std::uint32_t v = test::cylinder_vertex(ring, 9);
    for (std::uint16_t slot = 0; slot < 5; ++slot) {
      EXPECT_EQ(weight_in(rows_in(document), v, slot),
                weight_in(before, test::cylinder_vertex(40 - ring, 9), partner[slot]));
    }
  }
  apply(document, UseWeightTool{.tool = "exchange-sides"});
  for (std::size_t v = 0; v < before.vertex_count(); ++v) {
    for (std::uint16_t slot = 0; slot < 5; ++slot) {
      ASSERT_EQ(weight_in(rows_in(document), v, slot), weight_in(before, v, slot));
    }
  }
  apply(document, UseWeightTool{.tool = "mirror"});
  const auto once = document.content.character;
  for (int ring = 0; ring < 20; ++ring) {
    const std::uint32_t right = test::cylinder_vertex(ring, 9);
    const std::uint32_t left = test::cylinder_vertex(40 - ring, 9);
    for (std::uint16_t slot = 0; slot < 5; ++slot) {
      EXPECT_EQ(weight_in(rows_in(document), left, slot), weight_in(before, left, slot));
      EXPECT_EQ(weight_in(rows_in(document), right, slot), weight_in(before, left, partner[slot]));
    }
  }
  apply(document, UseWeightTool{.tool = "mirror"});
  EXPECT_EQ(document.content.character, once);  // a command that changes nothing records nothing
  apply(document, UseWeightTool{.tool = "mirror", .values = {1, 1e-3}});
  EXPECT_EQ(document.content.character, once);  // both sides are alike now
}

TEST(WeightTools, HammerTakesFromOutsideRingByRing) {
  Document document = trousers_document(13);
  // A square of rows, three by three, all on one joint.
  std::vector<std::uint32_t> square;
  for (int ring = 9; ring <= 11; ++ring) {
    for (int k = 3; k <= 5; ++k) {
      square.push_back(test::cylinder_vertex(ring, k));
    }
  }
  UseWeightTool everywhere{.tool = "set", .values = {1}, .joints = {1}};
  apply(document, everywhere);
  apply(document, UseWeightTool{.tool = "set", .values = {1}, .vertices = square, .joints = {4}});
  EXPECT_EQ(weight_in(rows_in(document), square[4], 4), 1);
  apply(document, UseWeightTool{.tool = "hammer", .vertices = square});
  for (const std::uint32_t v : square) {
    EXPECT_EQ(weight_in(rows_in(document), v, 1), 1) << v;
  }
  EXPECT_THAT(why_refused(document, UseWeightTool{.tool = "hammer"}), HasSubstr("chosen vertices"));
}

TEST(WeightTools, WeldedSeamsHaveTheMeanOfTheirRowsWithinWhatTheFileHasAPlaceFor) {
  Document document = trousers_document(17, 2);
  Document of_four = document;
  ASSERT_EQ(rows_in(of_four).budget(), 4u);
  apply(of_four, UseWeightTool{.tool = "weld"});
  EXPECT_EQ(rows_in(of_four).max_count(), 4u);
  rig::Character wide = *document.content.character;
  for (std::size_t p = 0; p < 2; ++p) {
    wide.meshes.edit(0).primitives.edit(p).influences.edit().set_budget(8);
  }
  document = make_document(std::make_shared<const rig::Character>(std::move(wide)));
  const mesh::Influences a = rows_in(document, 0);
  const mesh::Influences b = rows_in(document, 1);
  apply(document, UseWeightTool{.tool = "weld"});
  for (std::size_t v = 0; v < a.vertex_count(); ++v) {
    for (std::uint16_t slot = 0; slot < 5; ++slot) {
      ASSERT_EQ(weight_in(rows_in(document, 0), v, slot), weight_in(rows_in(document, 1), v, slot));
      ASSERT_NEAR(weight_in(rows_in(document), v, slot), 0.5 * (weight_in(a, v, slot) + weight_in(b, v, slot)), 1e-6);
    }
  }
  EXPECT_EQ(rows_in(document).max_count(), 5u);
  const auto welded_once = document.content.character;
  apply(document, UseWeightTool{.tool = "weld"});
  EXPECT_EQ(document.content.character, welded_once);
}

// The first copy of a place is there already, and the other one is not.
TEST(WeightTools, FillReachesEveryCopyOfAPlace) {
  Document document = trousers_document(19, 2);
  auto character = std::make_shared<rig::Character>(*document.content.character);
  mesh::Influences& first = character->meshes.edit(0).primitives.edit(0).influences.edit();
  const std::array<std::uint16_t, 1> joints = {1};
  const std::array<float, 1> weights = {1};
  for (std::size_t v = 0; v < first.vertex_count(); ++v) {
    first.set_row(v, joints, weights);
  }
  apply(document, ReplaceCharacter{character});
  apply(document, UseWeightTool{.tool = "set", .values = {1}, .joints = {1}});
  for (std::size_t v = 0; v < first.vertex_count(); ++v) {
    ASSERT_EQ(weight_in(rows_in(document, 1), v, 1), 1) << v;
  }
}

TEST(WeightTools, MergeReplaceMoveAndSwapKeepTheMass) {
  const mesh::Influences before = rows_in(trousers_document(19));
  const auto after = [&](const UseWeightTool& change) {
    Document document = trousers_document(19);
    apply(document, change);
    return rows_in(document);
  };
  const mesh::Influences merged = after({.tool = "merge", .joints = {1, 2, 0}});
  const mesh::Influences replaced = after({.tool = "replace", .joints = {1, 0}});
  const mesh::Influences moved = after({.tool = "move", .values = {0.25}, .joints = {1, 0}});
  const mesh::Influences swapped = after({.tool = "swap", .joints = {1, 0}});
  for (std::size_t v = 0; v < before.vertex_count(); ++v) {
    const auto w = [&](std::uint16_t slot) { return weight_in(before, v, slot); };
    EXPECT_NEAR(weight_in(merged, v, 0), w(0) + w(1) + w(2), 1e-6);
    EXPECT_EQ(weight_in(merged, v, 1) + weight_in(merged, v, 2), 0);
    EXPECT_NEAR(weight_in(replaced, v, 0), w(0) + w(1), 1e-6);
    EXPECT_NEAR(weight_in(moved, v, 1), 0.75 * w(1), 1e-6);
    EXPECT_EQ(weight_in(swapped, v, 0), w(1));
    EXPECT_EQ(weight_in(swapped, v, 1), w(0));
  }
}

TEST(WeightTools, TransferTakesTheWeightsOfAnotherCharacterInOtherUnits) {
  // The same trousers in centimetres, joints in another order and spelling, one of them split in two.
  rig::Character other;
  test::add_node(other, "hip", -1, {});
  test::add_node(other, "leg.R", 0, {.translation = {-20, 0, 0}});
  test::add_node(other, "foot.R", 1, {.translation = {-20, 0, 0}});
  test::add_node(other, "leg.L", 0, {.translation = {20, 0, 0}});
  test::add_node(other, "foot.L", 3, {.translation = {20, 0, 0}});
  test::add_node(other, "toes.L", 4, {.translation = {1, 0, 0}});
  const rig::Character like = trousers(31);
  mesh::Primitive primitive = like.meshes[0].primitives[0];
  const mesh::Influences wanted = primitive.influences;
  mesh::Influences rows;
  const std::array<std::uint16_t, 5> slot_of = {0, 3, 5, 1, 2};  // the left foot follows the toes
  for (std::size_t v = 0; v < wanted.vertex_count(); ++v) {
    std::vector<std::uint16_t> joints;
    for (const std::uint16_t joint : wanted.joints(v)) {
      joints.push_back(slot_of[joint]);
    }
    append_row(rows, joints, wanted.weights(v));
  }
  primitive.influences = rows;
  for (glm::vec3& position : primitive.positions.edit()) {
    position *= 100.0f;
  }
  test::add_skinned_mesh(other, "other", {0, 1, 2, 3, 4, 5}, primitive);
  other.skeleton.edit().rest[0].scale = glm::vec3(0.01f);
  rig::finish(other);
  // Bound before the root shrank: in the world both are alike.
  Document document = trousers_document(37);
  const UseWeightTool change{.tool = "transfer", .source = std::make_shared<const rig::Character>(std::move(other))};
  EXPECT_EQ(why_refused(document, change), "");
  EXPECT_EQ(notice(document, change), "");
  apply(document, change);
  for (std::size_t v = 0; v < wanted.vertex_count(); ++v) {
    for (std::uint16_t slot = 0; slot < 5; ++slot) {
      ASSERT_NEAR(weight_in(rows_in(document), v, slot), weight_in(wanted, v, slot), 1e-4) << v << " " << slot;
    }
  }
}

TEST(WeightTools, WhatWasForeseenIsWhatTheEditsMake) {
  for (const WeightTool& tool : weight_tools()) {
    SCOPED_TRACE(tool.id);
    Document document = trousers_document(3, 2);
    const auto before = document.content.character;
    std::optional<ForeseenWeights> foreseen = foreseen_weights(before, {use_of(tool)});
    ASSERT_TRUE(foreseen.has_value());
    ASSERT_EQ(foreseen->edits.size(), 1u);
    Document made_here = trousers_document(3, 2);
    apply(made_here, use_of(tool));
    const WeightDifference difference = weight_difference(*before, *made_here.content.character, 0);
    EXPECT_EQ(foreseen->difference.vertices, difference.vertices);
    EXPECT_DOUBLE_EQ(foreseen->difference.largest, difference.largest);
    EXPECT_NEAR(foreseen->difference.mean, difference.mean, 1e-12);
    apply(document, foreseen->edits[0]);
    EXPECT_EQ(document.content.character, foreseen->edits[0].made->result) << "the very one";
    // Of another character it is made anew.
    Document other = trousers_document(5, 2);
    Document alone = trousers_document(5, 2);
    apply(other, foreseen->edits[0]);
    apply(alone, use_of(tool));
    EXPECT_NE(other.content.character, foreseen->edits[0].made->result);
    for (std::size_t p = 0; p < 2; ++p) {
      EXPECT_EQ(rows_in(other, p), rows_in(alone, p)) << p;
    }
  }
}

TEST(WeightTools, ForesightStopsWhenItIsAskedTo) {
  const Document document = trousers_document();
  EXPECT_FALSE(foreseen_weights(document.content.character, {{.tool = "prune"}}, [](float, std::string_view) {
                 return false;
               }).has_value());
}

// Asked to stop at any of its parts, a transfer ends there: with what comes behind nobody is asked any more.
TEST(WeightTools, ATransferStopsInTheMiddle) {
  const Document document = trousers_document(37);
  rig::Character other = trousers(31);
  for (glm::vec3& position : other.meshes.edit(0).primitives.edit(0).positions.edit()) {
    position.y += position.x > 0.3f ? 100.0f : 0.0f;  // so that some places are inpainted
  }
  const UseWeightTool change{.tool = "transfer", .source = std::make_shared<const rig::Character>(std::move(other))};
  std::mutex mutex;
  std::vector<std::string> parts;
  float last = 0;
  const auto all = foreseen_weights(document.content.character, {change}, [&](float fraction, std::string_view what) {
    const std::lock_guard lock(mutex);
    if (parts.empty() || parts.back() != what) {
      parts.emplace_back(what);
    }
    EXPECT_GE(fraction, 0);
    EXPECT_LE(fraction, 1);
    last = std::max(last, fraction);
    return true;
  });
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(last, 1);
  EXPECT_THAT(parts, testing::IsSupersetOf({"Closest points", "Filling what has no match", "Weights"}));
  for (const char* const stop : {"Closest points", "Filling what has no match", "Weights"}) {
    std::set<std::string> asked;
    const auto none = foreseen_weights(document.content.character, {change}, [&](float, std::string_view what) {
      const std::lock_guard lock(mutex);
      asked.emplace(what);
      return what != stop && !asked.contains(stop);
    });
    EXPECT_FALSE(none.has_value()) << stop;
    EXPECT_FALSE(std::string_view(stop) == "Closest points" && asked.contains("Filling what has no match")) << stop;
  }
}

// Before it is applied: how many vertices have no image, and which.
TEST(WeightTools, AMirrorSaysWhatHasNoImage) {
  rig::Character character = trousers(37);
  mesh::Primitive& primitive = character.meshes.edit(0).primitives.edit(0);
  const auto surface = mesh::welded_surface(character.meshes[0]);
  std::size_t odd = 0;  // a place of one side that has moved
  while (!(primitive.positions[odd].x > 0.2f)) {
    ++odd;
  }
  const std::uint32_t place = surface->place[odd];
  for (const std::uint32_t v : surface->copies(place)) {
    primitive.positions.edit()[v] += glm::vec3(0, 0, 0.05f);
  }
  const auto whole = std::make_shared<const rig::Character>(trousers(37));
  const auto before = foreseen_weights(whole, {{.tool = "mirror"}});
  EXPECT_EQ(before->matches[0].kept, 0u);
  EXPECT_EQ(before->matches[0].places, surface->place_count());
  const auto foreseen = foreseen_weights(std::make_shared<const rig::Character>(character), {{.tool = "mirror"}});
  const TransferMatch& match = foreseen->matches[0];
  EXPECT_EQ(match.kept, 2u) << "the place that moved, and the one whose image it was";
  EXPECT_TRUE(std::ranges::is_sorted(match.unmatched));
  for (const std::uint32_t v : surface->copies(place)) {
    EXPECT_TRUE(std::ranges::binary_search(match.unmatched, v)) << v;
  }
}

TEST(WeightTools, ATransferSaysWhatHasNoMatchAndWhoIsWhose) {
  Document document = trousers_document(37);
  rig::Character other = trousers(31);
  other.skeleton.edit().name[2] = "qx";  // the left foot: its weights go to the leg
  std::size_t far = 0;
  mesh::Primitive& primitive = other.meshes.edit(0).primitives.edit(0);
  for (glm::vec3& position : primitive.positions.edit()) {
    // The ring at the border stays, on triangles that lead to the far end and face elsewhere.
    far += position.x >= 0.3f ? 1 : 0;
    position.y += position.x > 0.3f ? 100.0f : 0.0f;
  }
  UseWeightTool change{.tool = "transfer", .source = std::make_shared<const rig::Character>(std::move(other))};
  const auto foreseen = foreseen_weights(document.content.character, {change});
  const TransferMatch& match = foreseen->matches[0];
  const mesh::Mesh& mesh = document.character->meshes[0];
  EXPECT_EQ(match.places, mesh::welded_surface(mesh)->place_count());
  EXPECT_EQ(match.nearest, 0u);
  EXPECT_GT(match.inpainted, 0u);
  EXPECT_GE(match.unmatched.size(), match.inpainted);
  EXPECT_LE(match.unmatched.size(), far);
  for (const std::uint32_t v : match.unmatched) {
    EXPECT_GE(mesh.primitives[0].positions[v].x, 0.3f);
  }
  change.values = {0.05, 60, 1};
  const auto nearest = foreseen_weights(document.content.character, {change});
  EXPECT_EQ(nearest->matches[0].nearest, match.inpainted);
  EXPECT_EQ(nearest->matches[0].inpainted, 0u);
  change.vertices = {0, 1};
  EXPECT_LE(foreseen_weights(document.content.character, {change})->matches[0].places, 2u);
  const std::vector<JointPartner> partners = joint_partners(*change.source, *document.content.character);
  ASSERT_EQ(partners.size(), 5u);
  for (const JointPartner& partner : partners) {
    EXPECT_EQ(partner.own, partner.from != 2);
    EXPECT_EQ(partner.to, partner.from == 2 ? 1 : partner.from);
  }
}

TEST(WeightText, ReadsBackTheVeryBits) {
  Document document = trousers_document(41, 2);
  const rig::Character wanted = trousers(43, 2);
  const std::string text = weights_as_text(wanted);
  EXPECT_TRUE(
      text.starts_with("{\"pelt\": \"weights\", \"version\": 1}\n"
                       "{\"mesh\": 0, \"primitive\": 0, \"name\": \"trousers\", \"vertices\": 1314}\n"
                       "[0, {\""))
      << text.substr(0, 200);
  EXPECT_EQ(std::ranges::count(text, '\n'), 1 + 2 * 1315);
  const Result<WeightTable> table = read_weights_text(text);
  ASSERT_TRUE(table.has_value());
  apply(document, UseWeightTool{.tool = "load", .table = std::make_shared<const WeightTable>(*table)});
  for (std::size_t p = 0; p < 2; ++p) {
    const mesh::Influences& rows = wanted.meshes[0].primitives[p].influences;
    for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
      ASSERT_TRUE(std::ranges::equal(rows.joints(v), rows_in(document, p).joints(v))) << v;
      ASSERT_TRUE(std::ranges::equal(rows.weights(v), rows_in(document, p).weights(v))) << v;
    }
  }
  EXPECT_EQ(weights_as_text(*document.character), text);
}

TEST(WeightText, MeshesOnDifferentSkinsReadBackTheirOwn) {
  rig::Character two = trousers(51);
  const rig::Character other = trousers(53);
  test::add_skinned_mesh(two, "glasses", {3, 0}, test::cylinder_primitive());
  mesh::Influences rows;
  for (std::size_t v = 0; v < two.meshes[1].primitives[0].vertex_count(); ++v) {
    append_row(rows, std::array<std::uint16_t, 2>{0, 1}, std::array<float, 2>{0.25f, 0.75f});
  }
  two.meshes.edit(1).primitives.edit(0).influences = rows;
  rig::finish(two);
  const auto table = std::make_shared<const WeightTable>(*read_weights_text(weights_as_text(two)));
  rig::Character spoilt = two;
  spoilt.meshes.edit(0).primitives.edit(0).influences = other.meshes[0].primitives[0].influences;
  mesh::Influences one;
  for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
    append_row(one, std::array<std::uint16_t, 1>{1}, std::array<float, 1>{1.0f});
  }
  spoilt.meshes.edit(1).primitives.edit(0).influences = one;
  Document document = make_document(std::make_shared<const rig::Character>(spoilt));
  for (const int mesh : {0, 1}) {
    const UseWeightTool change{.tool = "load", .mesh = mesh, .table = table};
    EXPECT_EQ(why_refused(document, change), "");
    apply(document, change);
  }
  EXPECT_EQ(weights_as_text(*document.character), weights_as_text(two));
}

TEST(WeightText, StopsWhenItIsAskedTo) {
  const rig::Character character = trousers(43, 2);
  int asked = 0;
  EXPECT_EQ(weights_as_text(character, [&](float, std::string_view) { return ++asked < 2; }), "");
  EXPECT_EQ(asked, 2) << "the second primitive is the last that is begun";
  EXPECT_EQ(weights_as_text(character, [](float, std::string_view) { return true; }), weights_as_text(character));
}

TEST(WeightText, VerticesThatAreLeftOutKeepTheirWeights) {
  Document document = trousers_document(47);
  const mesh::Influences before = rows_in(document);
  const Result<WeightTable> table = read_weights_text(
      "{\"pelt\": \"weights\", \"version\": 1}\n\n"
      "{\"mesh\": 0, \"primitive\": 0, \"vertices\": 1314}\r\n[7, {\"foot_r\": 0.25, \"#0\": 0.75}]");
  ASSERT_TRUE(table.has_value()) << table.error().message;
  const UseWeightTool change{.tool = "load", .table = std::make_shared<const WeightTable>(*table)};
  EXPECT_EQ(why_refused(document, change), "line 4: the mesh follows no joint \"#0\"") << "it has a name of its own";
  const auto named = read_weights_text(
      "{\"pelt\": \"weights\", \"version\": 1}\n"
      "{\"mesh\": 0, \"primitive\": 0, \"vertices\": 1314}\n[7, {\"foot_r\": 0.25, \"hip\": 0.75}]");
  apply(document, UseWeightTool{.tool = "load", .table = std::make_shared<const WeightTable>(*named)});
  EXPECT_EQ(weight_in(rows_in(document), 7, 0), 0.75);
  EXPECT_EQ(weight_in(rows_in(document), 7, 4), 0.25);
  std::size_t changed = 0;
  mesh::for_changed_rows(before, rows_in(document), [&](std::size_t) { ++changed; });
  EXPECT_EQ(changed, 1u);
}

TEST(WeightText, ErrorsNameTheLine) {
  const auto complaint = [](const std::string& lines) {
    const Result<WeightTable> table = read_weights_text("{\"pelt\": \"weights\", \"version\": 1}\n" + lines);
    return table ? "" : table.error().message;
  };
  const std::string part = "{\"mesh\": 0, \"primitive\": 0, \"vertices\": 3}\n";
  EXPECT_EQ(complaint(part + "[0, {\"a\": 1}]\n"), "");
  EXPECT_EQ(complaint("[0, {\"a\": 1}]"), "line 2: expected the line of a mesh before its vertices");
  EXPECT_EQ(complaint(part + "[3, {\"a\": 1}]"), "line 3: the part has vertices 0 to 2, got 3");
  EXPECT_EQ(complaint(part + "[1, {\"a\": 1}]\n[1, {\"a\": 1}]"), "line 4: expected a vertex above 1, got 1");
  EXPECT_EQ(complaint(part + "[1, {\"a\": 0.5}]"), "line 3: vertex 1: expected weights that sum to 1, got 0.5");
  EXPECT_EQ(complaint(part + "[1, {\"a\": -1}]"), "line 3: vertex 1: expected a weight above 0 and up to 1 for a");
  EXPECT_THAT(complaint(part + "[1, 2]"), HasSubstr("line 3: expected a row such as"));
  EXPECT_THAT(complaint("{\"mesh\": -1}"), HasSubstr("line 2: expected whole numbers"));
  EXPECT_THAT(complaint("what"), HasSubstr("line 2: expected JSON, got \"what\""));
  EXPECT_THAT(read_weights_text("").error().message, HasSubstr("in the first line"));
  EXPECT_THAT(read_weights_text("{\"pelt\": \"weights\", \"version\": 2}").error().message,
              HasSubstr("line 1: expected version 1, got 2"));
}

TEST(WeightTools, NormaliseMakesTheFilesSumOne) {
  rig::Character character = trousers(23);
  character.meshes.edit(0).primitives.edit(0).influences.edit().set_stored_sum(5, 0.9f);
  Document document = make_document(std::make_shared<const rig::Character>(std::move(character)));
  apply(document, UseWeightTool{.tool = "normalise"});
  EXPECT_EQ(rows_in(document).stored_sum(5), 1);
}

TEST(WeightTools, RefusalsSayWhatWasExpected) {
  Document document = trousers_document();
  const auto why = [&](const UseWeightTool& change) { return why_refused(document, change); };
  EXPECT_EQ(why({.tool = "paint"}), "there is no weight tool \"paint\"");
  EXPECT_EQ(why({.tool = "load"}), "expected a text of weights");
  EXPECT_EQ(why({.tool = "transfer"}), "expected a character to take weights from");
  EXPECT_EQ(why({.tool = "set"}), "expected one joint, got 0");
  EXPECT_EQ(why({.tool = "swap", .joints = {1}}), "expected two joints, the one that gives first, got 1");
  EXPECT_EQ(why({.tool = "merge", .joints = {1}}), "expected two joints or more, the one that gets last, got 1");
  EXPECT_EQ(why({.tool = "set", .joints = {5}}), "trousers is none of the joints that trousers can follow");
  EXPECT_THAT(why({.tool = "prune", .values = {std::numeric_limits<double>::quiet_NaN()}}),
              HasSubstr("threshold: expected a number"));
  const auto before = document.content.character;
  apply(document, UseWeightTool{.tool = "set"});
  EXPECT_EQ(document.content.character, before);
  Document plain = make_document(std::make_shared<const rig::Character>(test::cylinder()));
  EXPECT_THAT(why_refused(plain, UseWeightTool{.tool = "mirror"}), HasSubstr("do not mirror each other"));
}

TEST(WeightTools, TheDifferenceIsShownBeforeItIsAccepted) {
  const rig::Character character = test::cylinder();
  const UseWeightTool change{
      .tool = "set", .values = {1}, .vertices = {0, test::cylinder_vertex(20, 3)}, .joints = {1}};
  const auto after = with_weight_tool(character, change);
  ASSERT_TRUE(after.has_value());
  const WeightDifference difference = weight_difference(character, **after, 0);
  // One vertex goes over from one joint to the other, the other one by half.
  EXPECT_EQ(difference.vertices, 2u);
  EXPECT_NEAR(difference.largest, 1, 1e-6);
  EXPECT_NEAR(difference.mean, 0.75, 1e-6);
  EXPECT_EQ(difference.vertex, 0u);
  EXPECT_EQ(difference.most_joints, 2u);
  EXPECT_EQ(sentence(difference), "2 vertices, by 1 of the weight at most and 0.75 on average");
  EXPECT_EQ(sentence(weight_difference(character, character, 0)), "nothing changes");
  // A vertex without weights gets some, or loses what it has: all of it counts, once.
  rig::Character without = character;
  mesh::Influences rows = *without.meshes[0].primitives[0].influences;
  rows.put_row(0, {});
  without.meshes.edit(0).primitives.edit(0).influences = std::move(rows);
  EXPECT_NEAR(weight_difference(without, character, 0).largest, 1, 1e-6);
  EXPECT_NEAR(weight_difference(character, without, 0).largest, 1, 1e-6);
}

}  // namespace
}  // namespace pelt::edit
