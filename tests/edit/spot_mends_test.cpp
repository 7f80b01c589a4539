// Mends of the worst spots: one change each, measured again where the spot was found.
#include "edit/spot_mends.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "bind/binders.h"
#include "edit_fixtures.h"
#include "gltf/bundled.h"

namespace pelt::edit {
namespace {

using testing::HasSubstr;

// A tube with a vertex far from the bend that follows the tip.
class SpotMends : public testing::Test {
 protected:
  void SetUp() override {
    rig::Character character = test::cylinder();
    const std::array<std::uint16_t, 1> joint = {1};
    const std::array<float, 1> weight = {1};
    character.meshes.edit(0).primitives.edit(0).influences.edit().set_row(stray_, joint, weight);
    rig::finish(character);
    document_ = make_document(std::make_shared<const rig::Character>(std::move(character)));
    spots_ = *find_worst_spots(document_, {.clips = false, .plausible = true}, 20, cache_, {});
  }
  [[nodiscard]] MendedSpot mended(std::string_view id, std::size_t spot = 0) {
    const auto out = mend_spot(document_, spots_, spot, id, {.binder = "point-to-line"}, cache_, {});
    EXPECT_TRUE(out.has_value());
    return out.value_or(MendedSpot());
  }

  const std::uint32_t stray_ = test::cylinder_vertex(4, 7);
  std::shared_ptr<deform::SkinCache> cache_ = std::make_shared<deform::SkinCache>();
  Document document_;
  WorstSpots spots_;
};

TEST_F(SpotMends, EachMakesAStrayBetterInOneStep) {
  ASSERT_EQ(spots_.spots[0].vertex, stray_);
  for (const SpotMend& mend : spot_mends()) {
    SCOPED_TRACE(mend.id);
    const MendedSpot result = mended(mend.id);
    ASSERT_TRUE(result.change.has_value()) << result.why;
    EXPECT_LT(result.now.badness, 0.8 * spots_.spots[0].badness);
    Document after = document_;
    const std::size_t steps = after.history.size();
    test::apply(after, *result.change);
    EXPECT_EQ(after.history.size(), std::max<std::size_t>(steps, 1) + 1);
    EXPECT_FALSE(same_weights(*after.character, *document_.character));
    // Only what lies round the spot.
    const mesh::Influences& rows = after.character->meshes[0].primitives[0].influences;
    const mesh::Influences& before = document_.character->meshes[0].primitives[0].influences;
    const auto& at = after.character->meshes[0].primitives[0].positions;
    for (std::uint32_t v = 0; v < rows.vertex_count(); ++v) {
      EXPECT_TRUE(mesh::same_row(rows.row(v), before.row(v)) || glm::distance(at[v], at[stray_]) < 0.1f) << v;
    }
    // What was foreseen is what is measured.
    const std::array<std::size_t, 1> which = {0};
    const auto now = measure_spots(after, spots_, which, cache_, {});
    ASSERT_TRUE(now.has_value());
    EXPECT_NEAR(now->front().badness, result.now.badness, 1e-9);
    // Another mend begins with what this one left.
    const MendedSpot again = *mend_spot(after, spots_, 0, mend.id, {.binder = "point-to-line"}, cache_, {});
    EXPECT_NEAR(again.before.badness, result.now.badness, 1e-9);
    EXPECT_LE(again.now.badness, again.before.badness);
    undo(after);
    EXPECT_NEAR(measure_spots(after, spots_, which, cache_, {})->front().badness, spots_.spots[0].badness, 1e-9);
  }
}

TEST_F(SpotMends, SaysWhyNothingChanges) {
  test::apply(document_, LockJoints{{0, 1}, true});
  for (const char* id : {"smooth", "relax", "pull", "rebind"}) {
    const MendedSpot result = mended(id);
    EXPECT_FALSE(result.change.has_value()) << id;
    EXPECT_THAT(result.why, HasSubstr("changes nothing: ")) << id;
    EXPECT_EQ(result.verdict, "changes nothing") << id;
    EXPECT_EQ(result.now.badness, spots_.spots[0].badness);
  }
}

// What a mend says of the places round a spot is what the whole skin does in all poses.
void expect_truth(const char* name, std::size_t step) {
  const auto cache = std::make_shared<deform::SkinCache>();
  const Document document = make_document(std::make_shared<const rig::Character>(*gltf::import_bundled(name)));
  const WorstSpots found = *find_worst_spots(document, {.clips = false, .plausible = true}, 40, cache, {});
  std::vector<PartVertex> all;
  for (std::size_t k = 0; k < document.character->parts.size(); ++k) {
    for (std::uint32_t v = 0; v < document.character->primitive(document.character->parts[k]).vertex_count(); ++v) {
      all.push_back({static_cast<int>(k), v});
    }
  }
  std::vector<int> poses(found.poses.size());
  std::iota(poses.begin(), poses.end(), 0);
  const std::vector<WorstSpot> before = *measure_vertices(document, found, all, poses, cache, {});
  int mended = 0;
  for (std::size_t spot = 0; spot < found.spots.size(); spot += step) {
    for (const SpotMend& mend : spot_mends()) {
      const MendedSpot result = *mend_spot(document, found, spot, mend.id, {.binder = "point-to-line"}, cache, {});
      if (!result.change) {
        EXPECT_NE(result.why, "") << mend.id;
        continue;
      }
      SCOPED_TRACE(fmt::format("{} of spot {}", mend.id, spot));
      ++mended;
      Document after = document;
      test::apply(after, *result.change);
      const std::vector<WorstSpot> now = *measure_vertices(after, found, all, poses, cache, {});
      std::set<std::tuple<double, double, double>> worse;  // once for all copies of a place
      double most = 0;
      for (std::size_t i = 0; i < all.size(); ++i) {
        const double more = now[i].badness - before[i].badness;
        if (more > std::max(0.05, 0.1 * before[i].badness)) {
          const auto& part = document.character->parts[static_cast<std::size_t>(all[i].part)];
          const glm::vec3 at = document.character->primitive(part).positions[all[i].vertex];
          worse.emplace(at.x, at.y, at.z);
          most = std::max(most, more);
        }
      }
      EXPECT_EQ(result.worse, worse.size());
      const std::array pose = {found.spots[spot].pose};
      const auto flips_in = [&](const Document& of) {
        std::set<std::tuple<float, float, float>> flipped;
        const std::vector<WorstSpot> there = *measure_vertices(of, found, all, pose, cache, {});
        for (std::size_t i = 0; i < all.size(); ++i) {
          const auto& part = document.character->parts[static_cast<std::size_t>(all[i].part)];
          const glm::vec3 at = document.character->primitive(part).positions[all[i].vertex];
          if (there[i].flipped) {
            flipped.emplace(at.x, at.y, at.z);
          }
        }
        return static_cast<int>(flipped.size());
      };
      EXPECT_EQ(static_cast<int>(result.flips_now) - static_cast<int>(result.flips_before),
                flips_in(after) - flips_in(document));
      EXPECT_LE(result.flips_now, result.flips_before);
      // Poses that move the place as a whole are not looked at; floats make them a little different.
      EXPECT_NEAR(result.worst.now.badness - result.worst.before.badness, most, 1e-5);
      EXPECT_LT(result.now.badness, found.spots[spot].badness);
      EXPECT_LT(result.area_now, result.area_before);
      EXPECT_EQ(result.difference.vertices, weight_difference(*document.character, *after.character, 0).vertices);
    }
  }
  EXPECT_GT(mended, 1);
}

TEST(SpotMendsOfABody, Law_WhatBecomesWorseIsSaid) {
  expect_truth("elbow", 1);
}

TEST(SpotMendsOfABody, OfAMannequinWhatBecomesWorseIsSaid) {
  expect_truth("mannequin", 13);
}

// A vertex gets no joint that reaches into the place from afar.
TEST(SpotMendsOfABody, JointsKeepToTheirPlaces) {
  const auto cache = std::make_shared<deform::SkinCache>();
  rig::Character character = *gltf::import_bundled("mannequin");
  // A vertex of an elbow that follows the head a little.
  const rig::Skin& skin = character.skins[0];
  const auto slot = [&](const char* name) {
    const int joint = character.skeleton->find(name);
    return static_cast<std::uint16_t>(std::ranges::find(skin.joints, joint) - skin.joints.begin());
  };
  const Document sound = make_document(std::make_shared<const rig::Character>(character));
  WorstSpots found = *find_worst_spots(sound, {.clips = false, .plausible = true}, 40, cache, {});
  const auto elbow = std::ranges::find_if(found.spots, [&](const WorstSpot& spot) {
    return character.skeleton->label(joint_of(found, spot)).starts_with("elbow");
  });
  ASSERT_NE(elbow, found.spots.end());
  const std::uint16_t head = slot("head");
  mesh::Influences& rows = character.meshes.edit(0).primitives.edit(0).influences.edit();
  const mesh::InfluenceRow row = rows.row(elbow->vertex);
  std::vector<std::uint16_t> joints(row.joints.begin(), row.joints.end());
  std::vector<float> weights(row.weights.begin(), row.weights.end());
  for (float& weight : weights) {
    weight *= 0.88f;
  }
  joints.push_back(head);
  weights.push_back(0.12f);
  const std::uint32_t tampered = elbow->vertex;
  rows.set_row(tampered, joints, weights);
  rig::finish(character);
  const Document document = make_document(std::make_shared<const rig::Character>(std::move(character)));
  found = *find_worst_spots(document, {.clips = false, .plausible = true}, 40, cache, {});
  int mended = 0;
  const glm::vec3 place = document.character->meshes[0].primitives[0].positions[tampered];
  for (std::size_t spot = 0; spot < found.spots.size(); ++spot) {
    const glm::vec3 at = document.character->meshes[0].primitives[0].positions[found.spots[spot].vertex];
    if (glm::distance(at, place) > 0.02f) {
      continue;
    }
    for (const char* id : {"relax", "pull"}) {
      const MendedSpot result = *mend_spot(document, found, spot, id, {}, cache, {});
      if (!result.change) {
        continue;
      }
      ++mended;
      Document after = document;
      test::apply(after, *result.change);
      for (std::uint32_t v = 0; v < rows.vertex_count(); ++v) {
        const auto head_of = [&](const Document& of) {
          return mesh::weight_on(of.character->meshes[0].primitives[0].influences->row(v), head);
        };
        EXPECT_LE(head_of(after), head_of(document) + 1e-6f) << id << " of spot " << spot << " at " << v;
      }
    }
  }
  EXPECT_GT(mended, 0);
}

// Skins of one mesh move it in different ways, of which a spot knows one.
TEST_F(SpotMends, AMeshOnTwoSkinsIsLeftAlone) {
  rig::Character character = *document_.character;
  rig::Skin other = character.skins[0];
  character.skins.push_back(std::move(other));
  rig::MeshNode twin = character.mesh_nodes[0];
  twin.skin = 1;
  character.mesh_nodes.push_back(twin);
  rig::finish(character);
  document_ = make_document(std::make_shared<const rig::Character>(std::move(character)));
  spots_ = *find_worst_spots(document_, {.clips = false, .plausible = true}, 20, cache_, {});
  ASSERT_FALSE(spots_.spots.empty());
  for (const SpotMend& mend : spot_mends()) {
    const MendedSpot result = mended(mend.id);
    EXPECT_FALSE(result.change.has_value()) << mend.id;
    EXPECT_THAT(result.why, HasSubstr("skins")) << mend.id;
  }
}

TEST_F(SpotMends, SpotsAreGroupedByTheJointThatTurns) {
  const std::vector<SpotGroup> groups = grouped_by_joint(spots_);
  ASSERT_FALSE(groups.empty());
  std::size_t count = 0;
  double before = 1e9;
  for (const SpotGroup& group : groups) {
    count += group.spots.size();
    EXPECT_LE(spots_.spots[group.spots[0]].badness, before) << "the worst joint first";
    before = spots_.spots[group.spots[0]].badness;
    EXPECT_TRUE(std::ranges::is_sorted(group.spots)) << "of each the worst place first";
    for (const std::size_t i : group.spots) {
      EXPECT_EQ(joint_of(spots_, spots_.spots[i]), group.joint);
    }
  }
  EXPECT_EQ(count, spots_.spots.size());
}

}  // namespace
}  // namespace pelt::edit
