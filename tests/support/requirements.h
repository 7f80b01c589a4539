#pragma once

// What single tests need of the machine. A test that lacks it is skipped with the reason, which nobody reads where all
// tests are meant to run: there an environment variable makes it fail instead.
//
//   PELT_REQUIRE_GL      an OpenGL context
//   PELT_REQUIRE_WINDOW  programs for a screen without a monitor, and for its mouse and eyes
//   PELT_REQUIRE_CORPUS  the files beside the checkout

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

/// Ends the test, or the whole of it from SetUp(), unless `there`. @param reason  one sentence
#define PELT_NEEDS(there, variable, reason)              \
  if (!(there)) {                                        \
    if (std::getenv(variable) != nullptr) {              \
      FAIL() << (reason) << ", and " variable " is set"; \
    }                                                    \
    GTEST_SKIP() << (reason);                            \
  }                                                      \
  static_assert(true, "a semicolon follows")

/// @param context  Result of making one
#define PELT_NEEDS_GL(context) PELT_NEEDS((context).has_value(), "PELT_REQUIRE_GL", (context).error().message)

/// @param below  a file or folder of the corpus, relative to it; empty for any
#define PELT_NEEDS_CORPUS(below)                                                                               \
  PELT_NEEDS(std::filesystem::exists(std::filesystem::path(PELT_CORPUS_DIR) / (below)), "PELT_REQUIRE_CORPUS", \
             (std::filesystem::path(PELT_CORPUS_DIR) / (below)).string() + " is not here")
