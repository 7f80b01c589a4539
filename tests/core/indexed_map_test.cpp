#include "core/indexed_map.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace pelt {
namespace {

using Map = IndexedMap<std::string, int>;
using Members = std::vector<std::pair<std::string, int>>;

Members members_of(const Map& map) {
  return {map.begin(), map.end()};
}

// Every member is found, and those that are not there are not, whatever the map was made of.
void expect_finds(const Map& map, const Members& members) {
  ASSERT_EQ(members_of(map), members);
  EXPECT_EQ(map.size(), members.size());
  for (int key = 0; key < 60; ++key) {
    const std::string name = "a key too long for the string itself " + std::to_string(key);
    const auto expected = std::ranges::find(members, name, &Members::value_type::first);
    const auto found = map.find(name);
    ASSERT_EQ(found == map.end(), expected == members.end()) << name;
    EXPECT_EQ(map.count(name), expected == members.end() ? 0u : 1u);
    if (found != map.end()) {
      EXPECT_EQ(found->second, expected->second) << name;
      EXPECT_EQ(map.at(name), expected->second);
    } else {
      EXPECT_THROW(static_cast<void>(map.at(name)), std::out_of_range);
    }
  }
}

// Against a list that is searched, through all sizes at which the index comes and goes.
TEST(IndexedMap, Law_IsAListThatIsSearched) {
  std::mt19937 random(7);
  const auto below = [&](unsigned n) { return static_cast<int>(random() % n); };
  for (int round = 0; round < 40; ++round) {
    Map map;
    Members members;
    for (int step = 0; step < 120; ++step) {
      const std::string key = "a key too long for the string itself " + std::to_string(below(50));
      const auto known = std::ranges::find(members, key, &Members::value_type::first);
      switch (below(8)) {
        case 0:
          EXPECT_EQ(map.erase(key), known == members.end() ? 0u : 1u);
          if (known != members.end()) {
            members.erase(known);
          }
          break;
        case 1:
          if (!members.empty()) {
            const int place = below(static_cast<unsigned>(members.size()));
            map.erase(std::next(map.begin(), place));
            members.erase(members.begin() + place);
          }
          break;
        case 2:
          map[key] = step;
          if (known != members.end()) {
            known->second = step;
          } else {
            members.emplace_back(key, step);
          }
          break;
        default:
          EXPECT_EQ(map.emplace(key, step).second, known == members.end());
          if (known == members.end()) {
            members.emplace_back(key, step);
          }
      }
    }
    expect_finds(map, members);
    Map copy = map;
    EXPECT_TRUE(copy == map);
    Map moved = std::move(map);
    expect_finds(moved, members);
    moved.clear();
    expect_finds(moved, {});
    expect_finds(copy, members);  // nothing of it was in the other
    moved = copy;
    expect_finds(moved, members);
    moved.emplace("more", 1);
    EXPECT_FALSE(moved == copy);
    moved = Map(members.begin(), members.end());
    expect_finds(moved, members);
    moved.erase(moved.begin(), moved.end());
    expect_finds(moved, {});
  }
}

}  // namespace
}  // namespace pelt
