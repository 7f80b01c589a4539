#include "core/parallel.h"

#include <vector>

#include <gtest/gtest.h>

namespace pelt {
namespace {

TEST(ParallelFor, CoversEachIndexOnce) {
  for (const std::size_t count : {0u, 1u, 63u, 64u, 65u, 1000u}) {
    std::vector<int> hits(count, 0);
    parallel_for(count, 64, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        ++hits[i];
      }
    });
    for (const int hit : hits) {
      EXPECT_EQ(hit, 1);
    }
  }
}

TEST(ParallelFor, ChunksDoNotDependOnThreadCount) {
  const auto borders = [](int threads) {
    set_thread_limit(threads);
    std::vector<std::size_t> border(1000, 0);
    parallel_for(1000, 33, [&](std::size_t begin, std::size_t end) { border[begin] = end; });
    set_thread_limit(0);
    return border;
  };
  EXPECT_EQ(borders(1), borders(2));
}

}  // namespace
}  // namespace pelt
