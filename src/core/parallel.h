#pragma once

#include <cstddef>
#include <functional>

namespace pelt {

/// Calls `body(begin, end)` for disjoint chunks that cover [0, count), on all worker threads, and waits for them.
///
/// Chunks are of about `grain` elements; runs inline when one chunk is enough. Chunk borders depend on count and grain
/// only, never on the number of threads, so a body that writes each element once gives the same result on any machine.
void parallel_for(std::size_t count, std::size_t grain, const std::function<void(std::size_t, std::size_t)>& body);

/// Limits parallel_for to `threads` workers from now on; 0 restores all hardware threads.
void set_thread_limit(int threads);

}  // namespace pelt
