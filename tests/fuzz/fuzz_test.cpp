// Every fuzz target for a moment, with damage that is always the same.
#include <ostream>

#include <gtest/gtest.h>

#include "fuzz/targets.h"
#include "support/mutations.h"

namespace pelt::fuzz {

/// Found by the test framework only where the target itself is declared.
inline void PrintTo(const Target& target, std::ostream* out) {
  *out << target.name;
}

namespace {

class FuzzTargets : public testing::TestWithParam<Target> {};

std::span<const std::uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

TEST_P(FuzzTargets, KeepTheirPromisesUnderSeededDamage) {
  const std::vector<std::string> seeds = GetParam().seeds();
  ASSERT_FALSE(seeds.empty());
  for (std::size_t s = 0; s < seeds.size(); ++s) {
    ASSERT_FALSE(seeds[s].empty());
    GetParam().run(bytes_of(seeds[s]));
    std::mt19937 random(static_cast<std::uint32_t>(s));
    for (int round = 0; round < 3000 / static_cast<int>(seeds.size()); ++round) {
      SCOPED_TRACE(testing::Message() << "seed " << s << ", round " << round);
      GetParam().run(bytes_of(test::mutated(seeds[s], random)));
    }
  }
}

// A seed that the reader refuses at once tries nothing: damage must reach behind the first check.
TEST(Mutations, ChangeWithoutEmptying) {
  std::mt19937 random(1);
  int same = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::string text = "{\"a\": [1, 2.5, -3]}";
    const std::string damaged = test::mutated(text, random);
    ASSERT_FALSE(damaged.empty());
    same += damaged == text ? 1 : 0;
  }
  EXPECT_LT(same, 200);
}

INSTANTIATE_TEST_SUITE_P(All, FuzzTargets, testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace pelt::fuzz
