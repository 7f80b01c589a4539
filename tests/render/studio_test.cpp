// The recording of the built-in studio's light (assets/studio.light) is what its shaders compute. PELT_RECORD_GOLDEN
// records it again; what was built in before is then out of date until the next build.
#include "render/studio.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "render/gl_test.h"

namespace pelt::render {
namespace {

class StudioLight : public GlTest {
 protected:
  void TearDown() override {
    glUseProgram(0);  // of a cache that is gone
    GlTest::TearDown();
  }
};

float float_of(std::uint16_t half) {
  const int exponent = half >> 10 & 31;
  const float fraction = static_cast<float>(half & 1023);
  const float size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024.0f, exponent - 25);
  return (half & 0x8000) != 0 ? -size : size;
}

TEST_F(StudioLight, IsRecordedAsItsShadersComputeIt) {
  ProgramCache programs(ShaderLibrary::from_environment());
  const Result<Studio> computed = Studio::create(programs, false);
  ASSERT_TRUE(computed.has_value()) << computed.error().message;
  const std::vector<std::uint16_t> wanted = computed->recording();
  if (std::getenv("PELT_RECORD_GOLDEN") != nullptr) {
    std::ofstream(PELT_SOURCE_DIR "/assets/studio.light", std::ios::binary)
        .write(reinterpret_cast<const char*>(wanted.data()), static_cast<std::streamsize>(2 * wanted.size()));
    return;
  }
  const Result<Studio> recorded = Studio::create(programs);
  ASSERT_TRUE(recorded.has_value()) << recorded.error().message;
  const std::vector<std::uint16_t> actual = recorded->recording();
  ASSERT_EQ(actual.size(), wanted.size());
  constexpr float kLimit = 0.004f;  // of a white wall's radiance; other drivers round otherwise
  float sum = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    sum += float_of(wanted[i]);
    ASSERT_NEAR(float_of(actual[i]), float_of(wanted[i]), kLimit * std::max(1.0f, float_of(wanted[i]))) << i;
  }
  EXPECT_GT(sum, 0.1f * static_cast<float>(actual.size()));
}

// Going to another environment and back brings the same light.
TEST_F(StudioLight, ComesBackAfterAnotherEnvironment) {
  ProgramCache programs(ShaderLibrary::from_environment());
  Result<Studio> studio = Studio::create(programs);
  ASSERT_TRUE(studio.has_value()) << studio.error().message;
  const std::vector<std::uint16_t> first = studio->recording();
  ViewSettings view;
  view.environment = Environment::kSunset;
  ASSERT_TRUE(studio->prepare(programs, view, false).has_value());
  EXPECT_NE(studio->recording(), first);
  view.environment = Environment::kStudio;
  ASSERT_TRUE(studio->prepare(programs, view, false).has_value());
  EXPECT_EQ(studio->recording(), first);
}

}  // namespace
}  // namespace pelt::render
