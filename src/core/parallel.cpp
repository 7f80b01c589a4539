#include "core/parallel.h"

#include <algorithm>
#include <memory>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>

namespace pelt {

void parallel_for(std::size_t count, std::size_t grain, const std::function<void(std::size_t, std::size_t)>& body) {
  if (count == 0) {
    return;
  }
  grain = std::max<std::size_t>(grain, 1);
  const std::size_t chunk_count = (count + grain - 1) / grain;
  if (chunk_count == 1) {
    body(0, count);
    return;
  }
  tbb::parallel_for(std::size_t{0}, chunk_count, [&](std::size_t chunk) {
    const std::size_t begin = chunk * grain;
    body(begin, std::min(begin + grain, count));
  });
}

void set_thread_limit(int threads) {
  static std::unique_ptr<tbb::global_control> limit;
  limit.reset();
  if (threads > 0) {
    limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                  static_cast<std::size_t>(threads));
  }
}

}  // namespace pelt
