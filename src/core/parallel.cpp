#include "core/parallel.h"

#include <algorithm>
#include <memory>
#include <new>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>

namespace pelt {
namespace {

// At the end of the program waits until the worker threads are gone. Otherwise they end while it ends, at the same time
// as whatever runs last and looks at all threads, such as a leak checker.
class WorkersEnd {
 public:
  WorkersEnd() = default;
  ~WorkersEnd() { tbb::finalize(handle_, std::nothrow); }
  WorkersEnd(const WorkersEnd&) = delete;
  WorkersEnd& operator=(const WorkersEnd&) = delete;

 private:
  tbb::task_scheduler_handle handle_{tbb::attach{}};
};

}  // namespace

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
  static const WorkersEnd workers_end;
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
