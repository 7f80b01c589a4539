#pragma once

#include <cstddef>
#include <vector>

namespace pelt {

/// Asks the system to back memory that is about to be filled with large pages, since a page at a time costs more than
/// filling it. Does nothing for less than a few megabytes, or where the system has none.
void prefer_large_pages(void* memory, std::size_t bytes);

/// A vector of `count` zeros in such memory.
template <typename T>
std::vector<T> large_vector(std::size_t count) {
  std::vector<T> out;
  out.reserve(count);
  prefer_large_pages(out.data(), count * sizeof(T));
  out.resize(count);
  return out;
}

}  // namespace pelt
