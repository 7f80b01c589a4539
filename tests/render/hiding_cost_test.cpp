// Tests the cost of drawing a large surface without its hidden faces.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "render/gl_test.h"
#include "render/gpu_character.h"
#include "render/large_grid.h"
#include "support/effort.h"

namespace pelt::render {
namespace {

class HidingUploadsCost : public GlTest {};

TEST_F(HidingUploadsCost, AreOneIndexBufferAlsoForAMillionTriangles) {
  LargeGrid grid;
  GpuCharacter gpu(device_limits());
  ASSERT_TRUE(gpu.update(grid.input));
  const double hiding_seconds = test::processor_seconds([&] { grid.hide_a_third(); });
  const double seconds = test::processor_seconds([&] { ASSERT_TRUE(gpu.update(grid.input)); });
  RecordProperty("hiding",
                 fmt::format("{:.1f} ms marking, {:.1f} ms index buffer", 1e3 * hiding_seconds, 1e3 * seconds));
  EXPECT_LT(hiding_seconds + seconds, 0.25) << "about a tenth of that is needed";
}

}  // namespace
}  // namespace pelt::render
