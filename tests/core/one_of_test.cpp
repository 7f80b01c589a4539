#include "core/one_of.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace pelt {
namespace {

using Some = OneOf<int, std::string, std::vector<int>>;

TEST(OneOf, KnowsWhichOfTheTypesItIs) {
  const Some text = std::string("weights");
  EXPECT_EQ(text.index(), 1u);
  EXPECT_TRUE(text.is<std::string>());
  EXPECT_FALSE(text.is<int>());
  ASSERT_NE(text.get_if<std::string>(), nullptr);
  EXPECT_EQ(*text.get_if<std::string>(), "weights");
  EXPECT_EQ(text.get_if<int>(), nullptr);
  EXPECT_EQ(Some(7).index(), 0u);
  EXPECT_EQ(Some(std::vector{1, 2}).index(), 2u);
  static_assert(std::same_as<Some::Alternative<2>, std::vector<int>>);
  static_assert(!Some::kHas<float>);
}

TEST(OneOf, ACopyIsNotChangedWithTheOther) {
  Some first = std::vector{1, 2};
  const Some second = first;
  EXPECT_EQ(first.edit_if<int>(), nullptr);
  first.edit_if<std::vector<int>>()->push_back(3);
  EXPECT_EQ(*first.get_if<std::vector<int>>(), (std::vector{1, 2, 3}));
  EXPECT_EQ(*second.get_if<std::vector<int>>(), (std::vector{1, 2}));
  const int* const alone = first.edit_if<std::vector<int>>()->data();
  EXPECT_EQ(first.edit_if<std::vector<int>>()->data(), alone) << "who is alone needs no copy";
}

TEST(OneOf, AnotherValueReplacesIt) {
  Some one = 3;
  one = std::string("three");
  EXPECT_EQ(*one.get_if<std::string>(), "three");
  EXPECT_EQ(one.get_if<int>(), nullptr);
}

}  // namespace
}  // namespace pelt
