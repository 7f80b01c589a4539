#include "core/shared.h"

#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pelt {
namespace {

using testing::ElementsAre;

/// Counts how often it is copied.
struct Counted {
  explicit Counted(int* counter = nullptr) : copies(counter) {}
  Counted(const Counted& other) : copies(other.copies), value(other.value) {
    if (copies != nullptr) {
      ++*copies;
    }
  }
  Counted& operator=(const Counted&) = delete;
  int* copies;
  int value = 0;
};

TEST(Shared, CopiesAreOneValueUntilOneIsEdited) {
  Shared<std::vector<int>> a(std::vector{1, 2, 3});
  Shared<std::vector<int>> b = a;
  EXPECT_TRUE(a.is(b));
  EXPECT_EQ(&*a, &*b);
  b.edit()[1] = 7;
  EXPECT_FALSE(a.is(b));
  EXPECT_THAT(*a, ElementsAre(1, 2, 3));
  EXPECT_THAT(*b, ElementsAre(1, 7, 3));
}

TEST(Shared, TheOnlyOwnerEditsWithoutACopy) {
  int copies = 0;
  Shared<Counted> a{Counted(&copies)};
  copies = 0;
  const Counted* before = &*a;
  a.edit().value = 1;
  EXPECT_EQ(copies, 0);
  EXPECT_EQ(&*a, before);
  {
    const Shared<Counted> b = a;
    a.edit().value = 2;
    EXPECT_EQ(copies, 1);
    EXPECT_EQ(b->value, 1);
  }
  a.edit().value = 3;
  EXPECT_EQ(copies, 1);
  EXPECT_EQ(a->value, 3);
}

TEST(Shared, DefaultsAreOneValueAndEditable) {
  Shared<std::string> a;
  const Shared<std::string> b;
  EXPECT_TRUE(a.is(b));
  EXPECT_EQ(*a, "");
  a.edit() = "word";
  EXPECT_EQ(*b, "");
  EXPECT_EQ(*a, "word");
}

TEST(Shared, WhatWasMovedFromIsADefault) {
  Shared<std::string> a(std::string("word"));
  const Shared<std::string> b = std::move(a);
  EXPECT_EQ(*a, "");  // NOLINT(bugprone-use-after-move): that is the promise
  EXPECT_EQ(*b, "word");
}

TEST(Shared, EqualIsWeakerThanTheSame) {
  const Shared<int> a(3);
  const Shared<int> b(3);
  EXPECT_EQ(a, b);
  EXPECT_FALSE(a.is(b));
  EXPECT_NE(a, Shared<int>(4));
}

TEST(Shared, CopiesComeAndGoOnOtherThreads) {
  SharedArray<int> mine(std::vector(1000, 1));
  for (int round = 0; round < 200; ++round) {
    long sum = 0;
    std::thread reader([copy = mine, &sum] {
      for (const int i : copy) {
        sum += i;
      }
    });
    for (int& i : mine.edit()) {
      i = round;
    }
    reader.join();
    EXPECT_EQ(sum, 1000L * (round == 0 ? 1 : round - 1));
  }
}

TEST(SharedArray, ReadsLikeAVector) {
  const SharedArray<int> a = {4, 5, 6};
  EXPECT_EQ(a.size(), 3U);
  EXPECT_FALSE(a.empty());
  EXPECT_EQ(a[1], 5);
  EXPECT_EQ(a.front(), 4);
  EXPECT_EQ(a.back(), 6);
  EXPECT_THAT(a, ElementsAre(4, 5, 6));
  const std::span<const int> span = a;
  EXPECT_EQ(span.data(), a.data());
  const std::vector<int>& vector = a;
  EXPECT_EQ(vector.data(), a.data());
  EXPECT_EQ(a, (std::vector{4, 5, 6}));
  EXPECT_NE(a, (std::vector{4, 5}));
}

TEST(SharedArray, IsBuiltUpWithoutTouchingCopies) {
  SharedArray<int> a = {1};
  const SharedArray<int> before = a;
  a.push_back(2);
  a.append(std::vector{3, 4});
  a.resize(5, 9);
  EXPECT_THAT(a, ElementsAre(1, 2, 3, 4, 9));
  EXPECT_THAT(before, ElementsAre(1));
  a.clear();
  EXPECT_TRUE(a.empty());
  EXPECT_THAT(before, ElementsAre(1));
  a.assign(2, 7);
  EXPECT_THAT(a, ElementsAre(7, 7));
}

TEST(SharedList, AnEditedItemIsTheOnlyOneThatIsNoLongerShared) {
  SharedList<std::string> a = {"one", "two", "three"};
  const SharedList<std::string> before = a;
  EXPECT_TRUE(a.is(before));
  a.edit(1) = "zwei";
  EXPECT_FALSE(a.is(before));
  EXPECT_TRUE(a.shared(0).is(before.shared(0)));
  EXPECT_FALSE(a.shared(1).is(before.shared(1)));
  EXPECT_TRUE(a.shared(2).is(before.shared(2)));
  EXPECT_THAT(before, ElementsAre("one", "two", "three"));
  EXPECT_THAT(a, ElementsAre("one", "zwei", "three"));
}

TEST(SharedList, EachItemCanBeEdited) {
  SharedList<std::string> a(2);
  const SharedList<std::string> before = a;
  for (std::string& item : a.edit_each()) {
    item += "x";
  }
  a.push_back(std::string("y"));
  a.emplace_back() = "z";
  a.edit_back() += "z";
  EXPECT_THAT(a, ElementsAre("x", "x", "y", "zz"));
  EXPECT_THAT(before, ElementsAre("", ""));
  EXPECT_EQ(a.end() - a.begin(), 4);
  EXPECT_EQ(a.begin()[2], "y");
}

}  // namespace
}  // namespace pelt
