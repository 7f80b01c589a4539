#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace pelt {

/// Bytes from which on large pages are worth asking for.
inline constexpr std::size_t kWorthLargePages = std::size_t{4} << 20;

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

/// std::vector's memory aligned to cache lines, for full-width loads; on large pages where it is large, and then
/// aligned to them, since what lies before the first whole one stays on small ones.
template <typename T>
struct LineAllocator {
  using value_type = T;
  LineAllocator() = default;
  template <typename U>
  LineAllocator(const LineAllocator<U>&) noexcept {}  // NOLINT: allocators convert into each other
  T* allocate(std::size_t count) {
    void* memory = ::operator new(count * sizeof(T), alignment(count));
    prefer_large_pages(memory, count * sizeof(T));
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) { ::operator delete(memory, alignment(count)); }
  static std::align_val_t alignment(std::size_t count) {
    return std::align_val_t{count * sizeof(T) < kWorthLargePages ? std::size_t{64} : std::size_t{2} << 20};
  }
  template <typename U>
  bool operator==(const LineAllocator<U>&) const {
    return true;
  }
};
template <typename T>
using LineVector = std::vector<T, LineAllocator<T>>;

}  // namespace pelt
