#pragma once

#include <concepts>
#include <iterator>
#include <utility>

namespace pelt {

/// Whether there is an element `index` in `container`. Indices of the model are signed, since -1 is none of them.
template <typename Container>
[[nodiscard]] constexpr bool has_index(const Container& container, std::integral auto index) {
  return std::cmp_greater_equal(index, 0) && std::cmp_less(index, std::size(container));
}

}  // namespace pelt
