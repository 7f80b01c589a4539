// The weight of a joint along its limb, and the closed form of heat on a tube.
#include "measure/weight_profile.h"
#include "bind/character_binding.h"

#include <cmath>

#include <gmock/gmock.h>

#include "bind/binders.h"
#include "bind/character_problem.h"
#include "support/binding.h"
#include "support/fixtures.h"

namespace pelt::measure {
namespace {

rig::Character scaled(rig::Character character, float unit) {
  character.skeleton.edit().rest[0].scale = glm::vec3(unit);
  rig::finish(character);
  return character;
}

// F-CYL: two bones along x that meet in the middle, weights known at each ring.
TEST(WeightProfile, RunsAlongBothBones) {
  const rig::Character character = test::cylinder();
  const rig::Character* const only[] = {&character};
  const auto profile = weight_profile(character, 1, only);
  ASSERT_TRUE(profile.has_value());
  ASSERT_EQ(profile->weights.size(), 1u);
  ASSERT_EQ(profile->weights[0].size(), profile->along.size());
  EXPECT_GE(profile->along.size(), 41u);
  EXPECT_TRUE(std::ranges::is_sorted(profile->along));
  ASSERT_TRUE(profile->tube_radius.has_value());
  EXPECT_NEAR(*profile->tube_radius, 0.1, 1e-6);
  const mesh::Primitive& primitive = character.meshes[0].primitives[0];
  for (std::size_t k = 0; k < profile->along.size(); ++k) {
    double sum = 0;
    int count = 0;
    for (std::uint32_t v = 0; v < primitive.vertex_count(); ++v) {
      if (std::abs(primitive.positions[v].x - 0.5f - profile->along[k]) > 1e-5f) {
        continue;
      }
      ++count;
      for (std::size_t i = 0; i < primitive.influences->count(v); ++i) {
        sum += primitive.influences->joints(v)[i] == 1 ? static_cast<double>(primitive.influences->weights(v)[i]) : 0;
      }
    }
    ASSERT_GT(count, 0) << profile->along[k];
    EXPECT_NEAR(static_cast<double>(profile->weights[0][k]), sum / count, 1e-6) << profile->along[k];
  }
}

TEST(WeightProfile, IsInMetresOfTheWorld) {
  const rig::Character character = test::cylinder();
  const rig::Character larger = scaled(test::cylinder(), 100);
  const rig::Character* const small_one[] = {&character};
  const rig::Character* const large_one[] = {&larger};
  const auto small = weight_profile(character, 1, small_one);
  const auto large = weight_profile(larger, 1, large_one);
  ASSERT_TRUE(small && large);
  ASSERT_EQ(small->along.size(), large->along.size());
  EXPECT_NEAR(static_cast<double>(large->along.back()), 100 * static_cast<double>(small->along.back()), 1e-3);
  EXPECT_EQ(small->weights, large->weights);
}

TEST(WeightProfile, IsNoneWithoutABoneAbove) {
  const rig::Character character = test::cylinder();
  const rig::Character* const only[] = {&character};
  EXPECT_FALSE(weight_profile(character, 0, only).has_value());
  const auto none = weight_profile(character, 1, {});
  ASSERT_TRUE(none.has_value());
  EXPECT_TRUE(none->weights.empty());
}

// Hips with a leg and a spine: the spine is no part of the leg, though it is a bone of the joint above.
TEST(WeightProfile, OtherBonesOfTheJointAboveAreOtherLimbs) {
  rig::Character character;
  test::add_node(character, "hips", -1, {});
  test::add_node(character, "leg", 0, {.translation = {1, 0, 0}});
  test::add_node(character, "spine", 0, {.translation = {0, 1, 0}});
  mesh::Primitive primitive;
  mesh::Influences rows;
  const auto add = [&](const glm::vec3& at, std::vector<std::uint16_t> joints, std::vector<float> weights) {
    primitive.positions.push_back(at);
    mesh::append_row(rows, joints, weights);
  };
  for (int k = 1; k <= 12; ++k) {
    const float t = 0.1f * static_cast<float>(k);
    add({t, 0.05f, 0}, {0, 1}, {0.5f, 0.5f});
    add({0.05f, t, 0}, {0}, {1});
  }
  primitive.influences = std::move(rows);
  test::add_skinned_mesh(character, "body", {0, 1, 2}, primitive);
  rig::finish(character);
  const rig::Character* const only[] = {&character};
  const auto profile = weight_profile(character, 1, only);
  ASSERT_TRUE(profile.has_value());
  EXPECT_EQ(profile->along.size(), 12u);
  for (const float weight : profile->weights[0]) {
    EXPECT_EQ(weight, 0.5f);
  }
}

// C34.1 as the window's plot shows it: bone heat on a tube lies on the closed form, other binders do not.
TEST(WeightProfile, C34_1_HeatOnATubeLiesOnTheClosedForm) {
  EXPECT_NEAR(heat_on_tube(0, 0.1, 1), 0.5, 1e-12);
  EXPECT_NEAR(heat_on_tube(0.05, 0.1, 1), 0.696735, 5.1e-7);
  EXPECT_NEAR(heat_on_tube(0.3, 0.1, 1), 0.975106, 5.1e-7);
  EXPECT_NEAR(heat_on_tube(-0.3, 0.1, 1), 1 - 0.975106, 5.1e-7);
  EXPECT_NEAR(heat_on_tube(0.1, 0.1, 3), 0.911539, 5.1e-7);
  const rig::Character character = test::cylinder();
  const auto problem = bind::make_problem(character, {});
  ASSERT_TRUE(problem) << problem.error().message;
  for (const char* id : {"heat", "point-to-line", "containment"}) {
    const bind::Binder& binder = *bind::find_binder(id);
    const auto binding = bind::run(binder, problem->problem, bind::standard_values(binder));
    ASSERT_TRUE(binding) << id;
    const rig::Character bound = bind::with_binding(character, *problem, *binding, 0);
    const rig::Character* const only[] = {&bound};
    const auto profile = weight_profile(character, 1, only);
    ASSERT_TRUE(profile.has_value());
    double largest = 0;
    for (std::size_t k = 0; k < profile->along.size(); ++k) {
      const auto x = static_cast<double>(profile->along[k]);
      if (std::abs(x) <= 0.25) {
        largest = std::max(largest, std::abs(static_cast<double>(profile->weights[0][k]) - heat_on_tube(x, 0.1, 1)));
      }
    }
    if (std::string_view(id) == "heat") {
      EXPECT_LT(largest, 0.01) << "rings 25 mm apart, and caps at the ends";
    } else {
      EXPECT_GT(largest, 0.03) << id;
    }
  }
}

}  // namespace
}  // namespace pelt::measure
