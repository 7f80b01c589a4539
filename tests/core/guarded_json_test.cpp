#include "core/guarded_json.h"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace pelt {
namespace {

using nlohmann::json;

std::string nested(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

std::string error_of(std::string_view text, const JsonLimits& limits = {}) {
  const auto value = parse_json<json>(text, limits);
  return value ? std::string() : value.error().message;
}

TEST(GuardedJson, ParsesWhatIsWithinTheLimits) {
  const auto value = parse_json<json>(R"({"a": [1, "[[[[", {"b": "\\"}], "c": null})");
  ASSERT_TRUE(value);
  EXPECT_EQ((*value)["a"][1], "[[[[");
  EXPECT_EQ((*value)["a"][2]["b"], "\\");
  EXPECT_TRUE(parse_json<nlohmann::ordered_json>(nested(64)));
}

TEST(GuardedJson, DepthIsLimited) {
  EXPECT_EQ(error_of(nested(3), {.depth = 3}), "");
  EXPECT_EQ(error_of(nested(4), {.depth = 3}), "JSON: nested deeper than 3 levels at byte 4");
  EXPECT_EQ(error_of(R"({"a": {"b": [0]}})", {.depth = 2}), "JSON: nested deeper than 2 levels at byte 13");
  EXPECT_EQ(error_of("[[], [], [[]]]", {.depth = 3}), "");  // beside each other is not within each other
  for (const std::size_t depth : {std::size_t{65}, std::size_t{100'000}, std::size_t{10'000'000}}) {
    EXPECT_EQ(error_of(nested(depth)), "JSON: nested deeper than 64 levels at byte 65");
  }
  std::string objects;
  for (int i = 0; i < 100'000; ++i) {
    objects += "{\"a\":";
  }
  EXPECT_EQ(error_of(objects), "JSON: nested deeper than 64 levels at byte 321");
}

TEST(GuardedJson, BracketsInTextsDoNotCount) {
  EXPECT_EQ(error_of(R"(["[[", "\"[[", "\\", "[["])", {.depth = 1}), "");
  EXPECT_EQ(error_of(R"(["\\", []])", {.depth = 1}), "JSON: nested deeper than 1 levels at byte 8");
}

TEST(GuardedJson, ValuesAndBytesAreLimited) {
  EXPECT_EQ(error_of("[1, 2, 3]", {.values = 4}), "");
  EXPECT_EQ(error_of("[1, 2, 3, 4, 5]", {.values = 4}), "JSON: more than 4 values");
  EXPECT_EQ(error_of("[1, 2]", {.bytes = 6}), "");
  EXPECT_EQ(error_of("[1, 2 ]", {.bytes = 6}), "JSON: expected at most 6 bytes, got 7");
}

TEST(GuardedJson, OtherFaultsAreTheParsers) {
  EXPECT_EQ(error_of(""), "not JSON: stopped at byte 1 of 0");
  EXPECT_EQ(error_of("]]]"), "not JSON: stopped at byte 1 of 3");
  EXPECT_EQ(error_of("[1e999]"), "not JSON: a number is out of range");
  EXPECT_EQ(error_of("\"\\"), "not JSON: stopped at byte 3 of 2");
}

}  // namespace
}  // namespace pelt
