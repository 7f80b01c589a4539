// Tests the cost of checking a character with very many skins.
#include "rig/lint.h"

#include <gtest/gtest.h>

#include "rig/skeleton.h"
#include "support/effort.h"
#include "support/fixtures.h"

namespace pelt::rig {
namespace {

// A chain of 150 000 nodes and 50 000 skins, each of two of them, took 16 s: for each skin all nodes were walked.
TEST(Lint, SkinsOfADeepTreeCostWhatTheyList) {
  constexpr int kSkins = 50'000;
  Character character;
  for (int j = 0; j < 3 * kSkins; ++j) {
    test::add_node(character, "n", j - 1, {.translation = {0, 1e-3f, 0}});
  }
  for (int s = 0; s < kSkins; ++s) {
    character.skins.push_back(
        {.name = {}, .joints = {3 * s, 3 * s + 1}, .joint_from_mesh = {glm::mat4(1.0f), glm::mat4(1.0f)}});
  }
  finish(character);
  EXPECT_LT(test::processor_seconds([&] { EXPECT_TRUE(lint(character)); }), 4);
}

}  // namespace
}  // namespace pelt::rig
