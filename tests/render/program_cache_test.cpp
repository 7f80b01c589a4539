#include "render/program_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.h"
#include "deform/skinning_methods.h"
#include "render/gl_test.h"
#include "render/shader_interface.h"
#include "support/output_folder.h"

namespace pelt::render {
namespace {

using ::testing::ElementsAre;

TEST(PaletteBlock, SizesAreAClosedListThatFitsTheDevice) {
  EXPECT_THAT(palette_block_sizes(3, 16384), ElementsAre(64, 256, 341));
  EXPECT_THAT(palette_block_sizes(4, 16384), ElementsAre(64, 256));
  EXPECT_THAT(palette_block_sizes(3, 65536), ElementsAre(64, 256, 1365));
  EXPECT_EQ(palette_block_for(12, 3, 16384), 64);
  EXPECT_EQ(palette_block_for(65, 3, 16384), 256);
  EXPECT_EQ(palette_block_for(341, 3, 16384), 341);
  EXPECT_EQ(palette_block_for(342, 3, 16384), 0);
}

using Programs = GlTest;

TEST_F(Programs, EveryVertexVariantCompiles) {
  ProgramCache cache(ShaderLibrary::from_environment());
  const std::vector<VertexVariant> variants = all_vertex_variants(device_limits().uniform_block_bytes);
  EXPECT_GE(variants.size(), 18u);
  for (const VertexVariant& variant : variants) {
    const auto program = cache.get_feedback(variant);
    ASSERT_TRUE(program) << program.error().message;
    for (const AttributeRow& row : kAttributes) {
      const GLint location = glGetAttribLocation((*program)->id(), std::string(row.name).c_str());
      EXPECT_TRUE(location < 0 || location == static_cast<GLint>(row.location)) << row.name;
    }
    EXPECT_NE(glGetAttribLocation((*program)->id(), "a_position"), -1);
    // Simple skin looks at the heaviest influence alone, vertices that follow a node at none.
    const bool one_joint = variant.method >= 0 && deform::skinning_methods()[variant.method].id == "rigid";
    EXPECT_EQ(glGetAttribLocation((*program)->id(), "a_blend_weights1") >= 0, variant.influence_sets == 2 && !one_joint)
        << variant.method;
    EXPECT_EQ(glGetUniformBlockIndex((*program)->id(), "Palette") != GL_INVALID_INDEX, variant.palette_joints > 0);
    EXPECT_EQ(glGetUniformBlockIndex((*program)->id(), "Morph") != GL_INVALID_INDEX, variant.morphs);
  }
}

TEST_F(Programs, AreMadeOnce) {
  ProgramCache cache(ShaderLibrary::from_environment());
  const auto first = cache.get_feedback({.method = -1, .influence_sets = 1, .palette_joints = 0});
  const auto second = cache.get_feedback({.method = -1, .influence_sets = 1, .palette_joints = 0});
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_TRUE(second);
  EXPECT_EQ(*first, *second);
  EXPECT_FALSE(cache.refresh()) << "built-in files do not change";
}

TEST_F(Programs, LiveShadersAreCompiledAgainWhenAFileChanges) {
  const std::filesystem::path folder = test::output_folder() / "live_programs";
  std::filesystem::create_directories(folder);
  ASSERT_TRUE(write_file_atomically(folder / "x.vert", "void main() { gl_Position = vec4(0.0); }\n"));
  ASSERT_TRUE(write_file_atomically(folder / "x.frag", "out vec4 o;\nvoid main() { o = vec4(1.0); }\n"));
  ProgramCache cache{ShaderLibrary(folder)};
  const ProgramSource source{"x.vert", "x.frag", {}, {}};
  ASSERT_TRUE(cache.get(source));
  EXPECT_FALSE(cache.refresh());
  ASSERT_TRUE(write_file_atomically(folder / "x.frag", "broken\n"));
  std::filesystem::last_write_time(folder / "x.frag",
                                   std::filesystem::last_write_time(folder / "x.frag") + std::chrono::seconds(2));
  EXPECT_TRUE(cache.refresh());
  EXPECT_FALSE(cache.get(source)) << "the new text does not compile";
}

}  // namespace
}  // namespace pelt::render
