#pragma once

#include <memory>

#include <gtest/gtest.h>

#include "render/gl_objects.h"
#include "render/offscreen_context.h"
#include "support/requirements.h"

namespace pelt::render {

/// A test with an OpenGL context, made once per suite. Without OpenGL it skips with the reason, or fails where the
/// environment variable PELT_REQUIRE_GL is set.
class GlTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto context = OffscreenContext::create();
    if (context) {
      context_ = std::move(*context);
    } else {
      reason_ = context.error().message;
    }
  }
  static void TearDownTestSuite() { context_.reset(); }

  void SetUp() override { PELT_NEEDS(context_ != nullptr, "PELT_REQUIRE_GL", reason_); }
  void TearDown() override {
    if (context_ != nullptr) {
      const Status status = check_gl("test");
      EXPECT_TRUE(status.has_value()) << status.error().message;
    }
  }

 private:
  static inline std::unique_ptr<OffscreenContext> context_;
  static inline std::string reason_;
};

}  // namespace pelt::render
