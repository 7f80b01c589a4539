#include "core/huge_pages.h"

#include <gtest/gtest.h>

#ifdef __linux__
#include <sys/resource.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

namespace pelt {
namespace {

// Page faults of filling 24 MB, most of which lie in whole huge pages.
long faults_of_filling() {
  constexpr std::size_t kBytes = std::size_t{24} << 20;
  struct rusage before {};
  struct rusage after {};
  getrusage(RUSAGE_SELF, &before);
  void* volatile memory = std::malloc(kBytes);
  std::memset(memory, 1, kBytes);
  getrusage(RUSAGE_SELF, &after);
  std::free(memory);
  return after.ru_minflt - before.ru_minflt;
}

TEST(HugePagesDeathTest, FillMemoryWithFewFaults) {
  std::string offered;
  std::getline(std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"), offered);
  if (offered.find("[madvise]") == std::string::npos) {
    GTEST_SKIP() << "the system has no huge pages on demand: " << offered;
  }
  EXPECT_EXIT(
      {
        prefer_huge_pages();
        std::_Exit(faults_of_filling() < 2000 ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace pelt
#endif
