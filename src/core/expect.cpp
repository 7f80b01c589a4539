#include "core/expect.h"

#include <cstdio>
#include <cstdlib>

namespace pelt {

void expectation_failed(const char* condition, const char* message, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: expected %s: %s\n", file, line, condition, message);
  std::abort();
}

}  // namespace pelt
