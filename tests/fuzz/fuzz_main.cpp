// The entry of libFuzzer to the target that this program was built for.
#include <algorithm>
#include <cstdlib>

#include "core/parallel.h"
#include "fuzz/targets.h"

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  pelt::set_thread_limit(1);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const pelt::fuzz::Target& kTarget =
      *std::ranges::find(pelt::fuzz::targets(), PELT_FUZZ_TARGET, &pelt::fuzz::Target::name);
  kTarget.run({data, size});
  return 0;
}
