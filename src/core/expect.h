#pragma once

namespace pelt {

/// Prints the broken precondition and aborts.
[[noreturn]] void expectation_failed(const char* condition, const char* message, const char* file, int line);

}  // namespace pelt

/// States a precondition the caller must keep. Stops in every build but plain release (NDEBUG).
#ifdef NDEBUG
// Not evaluated, and yet a use of what only the condition names.
#define PELT_EXPECT(condition, message) ((void)sizeof((condition) ? 1 : 0))
#else
#define PELT_EXPECT(condition, message) \
  ((condition) ? (void)0 : ::pelt::expectation_failed(#condition, message, __FILE__, __LINE__))
#endif
