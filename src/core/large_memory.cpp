#include "core/large_memory.h"

#include <cstdint>

#include <sys/mman.h>
#include <unistd.h>

namespace pelt {

void prefer_large_pages(void* memory, std::size_t bytes) {
  if (bytes < kWorthLargePages) {
    return;
  }
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::size_t skipped = (page - begin % page) % page;
  ::madvise(static_cast<char*>(memory) + skipped, (bytes - skipped) / page * page, MADV_HUGEPAGE);
}

}  // namespace pelt
