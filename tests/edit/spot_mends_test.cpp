// Mends of the worst spots: one change each, measured again where the spot was found.
#include "edit/spot_mends.h"

#include <algorithm>
#include <array>
#include <string>

#include <gmock/gmock.h>

#include "bind/binders.h"
#include "edit_fixtures.h"

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
    EXPECT_EQ(result.now.badness, spots_.spots[0].badness);
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
