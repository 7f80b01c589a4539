#include "core/free_names.h"

#include <utility>

#include <fmt/format.h>

#include "core/expect.h"
#include "core/text.h"

namespace pelt {
namespace {

constexpr std::size_t kNumberRoom = 11;  // a space and ten digits
constexpr std::size_t kLeastLimit = 32;

}  // namespace

FreeNames::FreeNames(std::size_t limit) : limit_(limit) {
  PELT_EXPECT(limit >= kLeastLimit, "room for a name and a number");
}

void FreeNames::take(std::string name) {
  taken_.insert(std::move(name));
}

std::string FreeNames::give(std::string_view wish, std::string_view otherwise) {
  std::string name = single_line(wish.empty() ? otherwise : wish, limit_);
  if (taken_.contains(name)) {
    const std::string beginning = single_line(name, limit_ - kNumberRoom);
    int& next = next_.try_emplace(beginning, 2).first->second;
    do {
      name = fmt::format("{} {}", beginning, next++);
    } while (taken_.contains(name));
  }
  taken_.insert(name);
  return name;
}

}  // namespace pelt
