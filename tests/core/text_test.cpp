#include "core/text.h"

#include <string>
#include <vector>

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

// Everything that steers a terminal or cannot be seen, and its neighbours that can.
TEST(Printable, ReplacesWhatMisleads) {
  const std::vector<std::string> bad = {"\u0080", "\u009b",     "\u009f",     "\u007f",    "\u00ad", "\u061c",
                                        "\u200b", "\u200d",     "\u200e",     "\u200f",    "\u2028", "\u2029",
                                        "\u202a", "\u202e",     "\u2060",     "\u2066",    "\u2069", "\ufeff",
                                        "\ufff9", "\U000E0000", "\U000E0041", "\U000E007F"};
  for (const std::string& character : bad) {
    EXPECT_EQ(printable("a" + character + "b"), "a?b") << testing::PrintToString(character);
    EXPECT_EQ(printable_lines("a\n" + character + "b\n"), "a\n?b\n") << testing::PrintToString(character);
    EXPECT_EQ(single_line("a" + character + "b", 80), character == "\u007f" ? "a?b" : "a" + character + "b");
  }
  for (const std::string good : {"\u00a0", "\u00ae", "\u200a", "\u2010", "\u2027", "\u2030", "\u205f", "\u2070",
                                 "\U000E0080", "\U0001F98A", "~"}) {
    EXPECT_EQ(printable(good), good) << testing::PrintToString(good);
  }
}

TEST(Printable, LinesAreNotCut) {
  const std::string line(5000, 'x');
  EXPECT_EQ(printable_lines(line + "\n" + line), line + "\n" + line);
  EXPECT_EQ(printable_lines("a\tb\r\x1b[31m\xff"), "a?b??[31m?");
}

TEST(Printable, SingleLinesKeepAllButControlCharacters) {
  EXPECT_EQ(single_line("a\nb\x1b\xff", 80), "a?b??");
  EXPECT_EQ(single_line("abcdefghi", 8), "abcde…");
}

TEST(Printable, JsonSaysTheSameInEscapes) {
  EXPECT_EQ(printable_json("{\"größe\":\n [1]}"), "{\"größe\":\n [1]}");
  EXPECT_EQ(printable_json("\"\u202e\u009b\u007f\""), R"("\u202e\u009b\u007f")");
  EXPECT_EQ(printable_json("\"\U000E0041\""), R"("\udb40\udc41")");
  EXPECT_EQ(printable_json("\"\xff\""), R"("\ufffd")");
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
