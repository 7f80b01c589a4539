#include "core/free_names.h"

#include <string>
#include <unordered_set>

#include <gtest/gtest.h>

#include "core/text.h"

namespace pelt {
namespace {

constexpr std::size_t kLimit = 40;

TEST(FreeNames, AreTheWishedOnesOrCount) {
  FreeNames names(kLimit);
  names.take("walk");
  names.take("walk 3");
  EXPECT_EQ(names.give("run", "clip"), "run");
  EXPECT_EQ(names.give("walk", "clip"), "walk 2");
  EXPECT_EQ(names.give("walk", "clip"), "walk 4");
  EXPECT_EQ(names.give("walk 2", "clip"), "walk 2 2");
  EXPECT_EQ(names.give("", "clip"), "clip");
  EXPECT_EQ(names.give("", "clip"), "clip 2");
  EXPECT_EQ(names.give("two\nlines", "clip"), "two?lines");
}

// Whatever is wished, the name is one that reading a name leaves as it is, and no two are the same.
TEST(FreeNames, StayWithinTheirLimitWithTheirNumbers) {
  FreeNames names(kLimit);
  std::unordered_set<std::string> seen;
  for (std::size_t length = kLimit - 13; length <= kLimit + 3; ++length) {
    for (const std::string& letter : {std::string("x"), std::string("\u00e4"), std::string("\u2026")}) {
      std::string wish;
      while (wish.size() < length) {
        wish += letter;
      }
      for (int n = 0; n < 12; ++n) {
        const std::string name = names.give(wish, "clip");
        ASSERT_LE(name.size(), kLimit) << wish;
        ASSERT_EQ(single_line(name, kLimit), name);
        ASSERT_TRUE(seen.insert(name).second) << name;
      }
    }
  }
}

}  // namespace
}  // namespace pelt
