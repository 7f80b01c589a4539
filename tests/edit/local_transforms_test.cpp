#include "edit/local_transforms.h"

#include <gtest/gtest.h>

#include "edit_fixtures.h"

namespace pelt::edit {
namespace {

Transform at(const glm::vec3& translation) {
  return {.translation = translation};
}
Transform sized(const glm::vec3& scale) {
  return {.scale = scale};
}

// A thousandth of a millimetre, and per metre from the parent as much again.
TEST(LocalTransforms, TranslationsAreTheSameWithinRoundingOfTheirLength) {
  EXPECT_TRUE(same_translation(at({0, 0, 0}), at({0, 0.9e-6f, 0})));
  EXPECT_FALSE(same_translation(at({0, 0, 0}), at({0, 1.1e-6f, 0})));
  EXPECT_TRUE(same_translation(at({100, 0, 0}), at({100, 0.9e-4f, 0})));
  EXPECT_FALSE(same_translation(at({100, 0, 0}), at({100, 0, 1.1e-4f})));
}

TEST(LocalTransforms, ScalesAreTheSameWithinRoundingOfTheirSize) {
  EXPECT_TRUE(same_scale(sized({0, 0, 0}), sized({0, 0.9e-6f, 0})));
  EXPECT_FALSE(same_scale(sized({0, 0, 0}), sized({0, 1.1e-6f, 0})));
  EXPECT_TRUE(same_scale(sized({100, 1, 1}), sized({100, 1 + 0.9e-4f, 1})));
  EXPECT_FALSE(same_scale(sized({100, 1, 1}), sized({100, 1, 1 + 1.2e-4f})));
}

TEST(LocalTransforms, RotationsAreTheSameByEitherQuaternionAndByAllComponents) {
  test::Random random(19);
  for (int n = 0; n < 50; ++n) {
    const Transform one{.rotation = glm::quat(random.rotation())};
    const Transform opposite{.rotation = -one.rotation};
    EXPECT_TRUE(same_rotation(one, one));
    EXPECT_TRUE(same_rotation(one, opposite));
    for (int i = 0; i < 4; ++i) {
      for (const float off : {2e-6f, -2e-6f}) {
        Transform other = one;
        other.rotation[i] += off;
        EXPECT_FALSE(same_rotation(one, other)) << "component " << i;
      }
    }
  }
}

TEST(LocalTransforms, AllThreePartsCount) {
  const Transform rest{{1, 2, 3}, glm::angleAxis(0.5f, glm::vec3(0, 0, 1)), {1, 2, 1}};
  EXPECT_TRUE(same(rest, rest));
  Transform other = rest;
  other.translation.x += 1;
  EXPECT_FALSE(same(rest, other));
  other = rest;
  other.rotation = kIdentityQuat;
  EXPECT_FALSE(same(rest, other));
  other = rest;
  other.scale.z = 2;
  EXPECT_FALSE(same(rest, other));
}

TEST(LocalTransforms, AnOverrideIsTheCurrentOneElseTheBasePose) {
  Document document = test::arm_document();
  EXPECT_EQ(current_local(document, test::kElbow), document.character->skeleton->rest[test::kElbow]);
  const Transform turned{{1, 2, 3}, glm::angleAxis(0.5f, glm::vec3(0, 0, 1)), {1, 2, 1}};
  test::apply(document, SetJointLocal{test::kElbow, turned, false});
  EXPECT_EQ(current_local(document, test::kElbow), turned);
}

}  // namespace
}  // namespace pelt::edit
