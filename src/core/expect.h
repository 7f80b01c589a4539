#pragma once

namespace pelt {

/// Prints the broken precondition and aborts.
[[noreturn]] void expectation_failed(const char* condition, const char* message, const char* file, int line);

}  // namespace pelt

/// States a precondition the caller must keep. Stops in every build but plain release (NDEBUG).
#ifdef NDEBUG
#define PELT_EXPECT(condition, message) ((void)0)
#else
#define PELT_EXPECT(condition, message) \
  ((condition) ? (void)0 : ::pelt::expectation_failed(#condition, message, __FILE__, __LINE__))
#endif
