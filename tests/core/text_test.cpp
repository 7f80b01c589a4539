#include "core/text.h"

#include <gtest/gtest.h>

namespace pelt {
namespace {

TEST(Printable, KeepsPlainAndReplacesControlAndInvalidBytes) {
  EXPECT_EQ(printable("elbow_l"), "elbow_l");
  EXPECT_EQ(printable("größe"), "größe");
  EXPECT_EQ(printable("a\nb\x01"), "a?b?");
  EXPECT_EQ(printable("x\xFF\xC3"), "x??");
  EXPECT_EQ(printable("\xED\xA0\x80"), "???");  // a surrogate is no character
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a?b");
}

TEST(Printable, CutsAtCharacterBorders) {
  EXPECT_EQ(printable("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(printable("abcdefghi", 8), "abcde…");
  EXPECT_EQ(printable("ääääää", 8), "ää…");
}

TEST(Split, KeepsEmptyPieces) {
  EXPECT_EQ(split("", ',').size(), 0u);
  EXPECT_EQ(split("a", ',').size(), 1u);
  EXPECT_EQ(split("a,,b", ',').size(), 3u);
  EXPECT_EQ(split("a,", ',').size(), 2u);
}

TEST(ParseNumber, TakesWholeFiniteNumbersOnly) {
  EXPECT_EQ(parse_number("1.5"), 1.5);
  EXPECT_EQ(parse_number("+2"), 2.0);
  EXPECT_EQ(parse_number("1.5x"), std::nullopt);
  EXPECT_EQ(parse_number("nan"), std::nullopt);
  EXPECT_EQ(parse_number("inf"), std::nullopt);
  EXPECT_EQ(parse_number(""), std::nullopt);
  EXPECT_EQ(parse_integer("12"), 12);
  EXPECT_EQ(parse_integer("12.0"), std::nullopt);
}

TEST(ClosestWord, FindsTypingMistakesOnly) {
  EXPECT_EQ(closest_word("elbw_l", {"hip", "elbow_l", "elbow_r"}), "elbow_l");
  EXPECT_EQ(closest_word("banana", {"hip", "elbow_l"}), std::nullopt);
  EXPECT_EQ(closest_word("x", {}), std::nullopt);
}

TEST(Suggestion, EndsAMessageOrSaysNothing) {
  EXPECT_EQ(suggestion("elbw_l", {"hip", "elbow_l"}), " (did you mean \"elbow_l\"?)");
  EXPECT_EQ(suggestion("banana", {"hip", "elbow_l"}), "");
  EXPECT_EQ(suggestion("", {"", "a"}), "");
}

TEST(ContainsIgnoringCase, Works) {
  EXPECT_TRUE(contains_ignoring_case("LeftArm", "arm"));
  EXPECT_TRUE(contains_ignoring_case("LeftArm", ""));
  EXPECT_FALSE(contains_ignoring_case("LeftArm", "leg"));
}

}  // namespace
}  // namespace pelt
