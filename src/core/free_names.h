#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace pelt {

/// The names that things of one kind have, of which no two are the same; gives new things names of their own. Any
/// number of equal wishes costs a look-up each.
class FreeNames {
 public:
  /// @param limit  longest name that is given, bytes; at least 32
  explicit FreeNames(std::size_t limit);
  /// A thing has that name, whatever it is.
  void take(std::string name);
  /// The wish as one line of at most so many bytes (single_line()). Where a thing has that name, its beginning and the
  /// first number from 2 on with which none has it: "walk 2". The thing that asks has it from then on.
  /// @param otherwise  what is wished where the wish is empty
  std::string give(std::string_view wish, std::string_view otherwise);

 private:
  std::size_t limit_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> next_;  // by beginning: all numbers below are taken
};

}  // namespace pelt
