#include "core/shared.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
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

TEST(Shared, TheSameIsEqualWithoutBeingRead) {
  const Shared<double> a(std::numeric_limits<double>::quiet_NaN());
  const Shared<double> b = a;
  EXPECT_EQ(a, b) << "though what they hold is not equal to itself";
  EXPECT_NE(a, Shared<double>(*a));
}

TEST(Shared, PassesAsWhatItHolds) {
  const Shared<std::string> a(std::string("word"));
  const std::string& text = a;
  EXPECT_EQ(&text, &*a);
  EXPECT_EQ(a->size(), 4U);
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

TEST(SharedArray, EveryWayToBuildItUpLeavesCopiesAlone) {
  const SharedArray<std::string> before = {"a", "b", "c"};
  const auto changed = [&](auto change) {
    SharedArray<std::string> copy = before;
    change(copy);
    EXPECT_THAT(before, ElementsAre("a", "b", "c"));
    EXPECT_FALSE(copy.is(before));
    return copy.get();
  };
  using Array = SharedArray<std::string>;
  const std::vector<std::string> more = {"x", "y"};
  EXPECT_THAT(changed([](Array& a) { a.resize(2); }), ElementsAre("a", "b"));
  EXPECT_THAT(changed([](Array& a) { a.resize(4); }), ElementsAre("a", "b", "c", ""));
  EXPECT_THAT(changed([&](Array& a) { a.assign(more.begin(), more.end()); }), ElementsAre("x", "y"));
  EXPECT_THAT(changed([](Array& a) { a.emplace_back(2U, 'z') += "!"; }), ElementsAre("a", "b", "c", "zz!"));
  EXPECT_THAT(changed([](Array& a) { a.append({"x", "y"}); }), ElementsAre("a", "b", "c", "x", "y"));
  EXPECT_THAT(changed([&](Array& a) { a.append(more); }), ElementsAre("a", "b", "c", "x", "y"));
  EXPECT_THAT(changed([](Array& a) { a.clear(); }), ElementsAre());
  EXPECT_THAT(changed([](Array& a) { a.edit()[1] = "z"; }), ElementsAre("a", "z", "c"));
  EXPECT_THAT(SharedArray<std::string>(more.begin(), more.end()), ElementsAre("x", "y"));
  EXPECT_EQ(SharedArray<int>(3, 7), (std::vector{7, 7, 7}));
}

TEST(SharedArray, ReservingKeepsWhatIsThereInItsPlace) {
  SharedArray<int> a = {1, 2};
  a.reserve(100);
  const int* before = a.data();
  a.resize(100, 5);
  EXPECT_EQ(a.data(), before);
  EXPECT_EQ(a[0], 1);
  EXPECT_EQ(a.at(99), 5);
  EXPECT_THROW((void)a.at(100), std::out_of_range);
}

TEST(SharedArray, TheSameAndEqual) {
  const SharedArray<int> a = {1, 2};
  const SharedArray<int> copy = a;
  const SharedArray<int> equal = {1, 2};
  EXPECT_TRUE(a.is(copy));
  EXPECT_FALSE(a.is(equal));
  EXPECT_TRUE(a == equal);
  EXPECT_FALSE(a == (SharedArray<int>{1, 3}));
  EXPECT_TRUE(SharedArray<int>().is(SharedArray<int>()));
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

TEST(SharedList, OnlyTheItemThatIsEditedIsCopied) {
  int copies = 0;
  SharedList<Counted> a;
  for (int i = 0; i < 3; ++i) {
    a.emplace_back(Counted(&copies)).value = i;
  }
  const SharedList<Counted> before = a;
  copies = 0;
  a.edit(1).value = 10;
  EXPECT_EQ(copies, 1);
  a.edit(1).value = 11;
  EXPECT_EQ(copies, 1) << "it is nobody else's now";
  for (Counted& item : a.edit_each()) {
    item.value += 100;
  }
  EXPECT_EQ(copies, 3) << "the two that were still shared";
  EXPECT_THAT(std::vector({a[0].value, a[1].value, a[2].value}), ElementsAre(100, 111, 102));
  EXPECT_THAT(std::vector({before[0].value, before[1].value, before[2].value}), ElementsAre(0, 1, 2));
}

TEST(SharedList, ItemsArePutInAnotherOrderWithoutBeingCopied) {
  SharedList<std::string> a = {"one", "two", "three"};
  const SharedList<std::string> before = a;
  std::vector<Shared<std::string>>& items = a.edit_items();
  std::swap(items[0], items[2]);
  items.erase(items.begin() + 1);
  EXPECT_THAT(a, ElementsAre("three", "one"));
  EXPECT_THAT(before, ElementsAre("one", "two", "three"));
  EXPECT_TRUE(a.shared(0).is(before.shared(2)));
  EXPECT_TRUE(a.shared(1).is(before.shared(0)));
}

TEST(SharedList, EveryWayToBuildItUpLeavesCopiesAlone) {
  const SharedList<std::string> before = {"a", "b"};
  SharedList<std::string> a = before;
  a.reserve(10);
  a.push_back(before.shared(1));
  EXPECT_TRUE(a.shared(2).is(before.shared(1))) << "an item that is shared already";
  a.resize(4);
  EXPECT_THAT(a, ElementsAre("a", "b", "b", ""));
  a.resize(1);
  EXPECT_THAT(a, ElementsAre("a"));
  EXPECT_FALSE(a.empty());
  a.clear();
  EXPECT_TRUE(a.empty());
  EXPECT_THAT(before, ElementsAre("a", "b"));
  const std::vector<std::string> words = {"x", "y"};
  EXPECT_THAT(SharedList<std::string>(words), ElementsAre("x", "y"));
  EXPECT_THAT(SharedList<std::string>(words.begin(), words.end()), ElementsAre("x", "y"));
}

TEST(SharedList, ReservingKeepsTheItemsInTheirPlace) {
  SharedList<int> a = {1};
  a.reserve(100);
  const Shared<int>* before = &a.shared(0);
  a.resize(100);
  EXPECT_EQ(&a.shared(0), before);
}

TEST(SharedList, ReadsLikeAVector) {
  const SharedList<std::string> a = {"one", "two", "three"};
  EXPECT_EQ(a.size(), 3U);
  EXPECT_EQ(a[1], "two");
  EXPECT_EQ(a.at(2), "three");
  EXPECT_EQ(a.front(), "one");
  EXPECT_EQ(a.back(), "three");
  EXPECT_THROW((void)a.at(3), std::out_of_range);
  auto at = a.begin();
  EXPECT_EQ(*at++, "one");
  EXPECT_EQ(at->size(), 3U);
  EXPECT_EQ(*++at, "three");
  EXPECT_EQ(*at--, "three");
  EXPECT_EQ(*at, "two");
  EXPECT_EQ(*--at, "one");
  EXPECT_EQ(*(at + 2), "three");
  EXPECT_EQ(*(2 + at), "three");
  EXPECT_EQ(*(a.end() - 1), "three");
  at += 2;
  at -= 1;
  EXPECT_EQ(*at, "two");
  EXPECT_EQ(a.end() - at, 2);
  EXPECT_LT(a.begin(), at);
  EXPECT_EQ(std::ranges::find(a, "three") - a.begin(), 2);
}

TEST(SharedList, TheSameAndEqual) {
  const SharedList<std::string> a = {"one", "two"};
  const SharedList<std::string> copy = a;
  const SharedList<std::string> equal = {"one", "two"};
  EXPECT_TRUE(a.is(copy));
  EXPECT_FALSE(a.is(equal));
  EXPECT_TRUE(a == equal);
  EXPECT_FALSE(a == (SharedList<std::string>{"one", "zwei"}));
}

}  // namespace
}  // namespace pelt
