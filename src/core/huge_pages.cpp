#include "core/huge_pages.h"

#include <cstdlib>  // also says which C library there is

#if defined(__linux__) && defined(__GLIBC__)
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#endif

namespace pelt {

void prefer_huge_pages() {
#if defined(__linux__) && defined(__GLIBC__)
  constexpr std::uintptr_t kHugePage = std::uintptr_t{2} << 20;
  constexpr int kBlock = 160 << 20;          // of addresses; what is not touched takes no memory
  constexpr int kOwnMappings = 32 << 20;     // the largest that malloc takes: above, blocks are mapped by themselves
  constexpr rlim_t kRoom = rlim_t{1} << 32;  // less may be limited for a purpose
  for (const int resource : std::array<int, 2>{RLIMIT_AS, RLIMIT_DATA}) {
    struct rlimit limit {};
    if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur < kRoom) {
      return;
    }
  }
  ::mallopt(M_MMAP_THRESHOLD, kOwnMappings);
  ::mallopt(M_TRIM_THRESHOLD, 2 * kBlock);
  ::mallopt(M_TOP_PAD, kBlock);
  const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(::sbrk(0)) + kHugePage - 1) / kHugePage * kHugePage;
  // More than is free makes the block grow, by the padding.
  void* volatile block = std::malloc(kOwnMappings / 2);  // volatile: else the compiler leaves both calls out
  std::free(block);
  ::mallopt(M_TOP_PAD, kOwnMappings);
  const auto end = reinterpret_cast<std::uintptr_t>(::sbrk(0)) / kHugePage * kHugePage;
  if (begin < end) {
    ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  }
#endif
}

}  // namespace pelt
