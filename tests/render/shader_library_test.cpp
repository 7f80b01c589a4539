#include "render/shader_library.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.h"
#include "render/gl_test.h"
#include "render/shader_interface.h"
#include "support/output_folder.h"

namespace pelt::render {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::map<std::string, std::string, std::less<>> defines_of(const std::string& text) {
  std::map<std::string, std::string, std::less<>> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string directive;
    std::string name;
    std::string value;
    if (words >> directive >> name >> value && directive == "#define") {
      found[name] = value;
    }
  }
  return found;
}

TEST(ShaderInterface, MirrorsTheGlslFile) {
  const auto text = ShaderLibrary::from_environment().file("common/interface.glsl");
  ASSERT_TRUE(text) << text.error().message;
  std::map<std::string, std::string, std::less<>> expected;
  for (const AttributeRow& row : kAttributes) {
    expected.emplace(row.define, std::to_string(row.location));
  }
  for (const BlockRow& row : kBlocks) {
    expected.emplace(row.define, std::to_string(row.binding));
  }
  for (const SamplerRow& row : kSamplers) {
    expected.emplace(row.define, std::to_string(row.unit));
  }
  expected.emplace("MORPH_LIMIT", std::to_string(kMorphLimit));
  expected.emplace("LIGHT_LIMIT", std::to_string(kLightLimit));
  EXPECT_EQ(defines_of(*text), expected);
}

ShaderLibrary example() {
  return ShaderLibrary(std::map<std::string, std::string, std::less<>>{
      {"main.vert", "#include \"a.glsl\"\n#include METHOD\nvoid main() {}\n"},
      {"a.glsl", "int a;\n#include \"b.glsl\"\nint c;\n"},
      {"b.glsl", "int b;\n"},
      {"lost.vert", "\n#include \"nowhere.glsl\"\n"},
      {"odd.vert", "#include <b.glsl>\n"},
      {"cycle.vert", "#include \"cycle.vert\"\nint once;\n"},
  });
}

TEST(ShaderLibrary, ResolvesIncludesWithLinesAndGuards) {
  const auto text = example().assemble("main.vert", {{"K", "4"}, {"METHOD", "\"b.glsl\""}});
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_THAT(text->files, ElementsAre("main.vert", "a.glsl", "b.glsl"));
  EXPECT_EQ(text->text,
            "#version 330 core\n#define K 4\n"
            "#ifndef INCLUDED_main_vert\n#define INCLUDED_main_vert\n#line 1 0\n"
            "#ifndef INCLUDED_a_glsl\n#define INCLUDED_a_glsl\n#line 1 1\nint a;\n"
            "#ifndef INCLUDED_b_glsl\n#define INCLUDED_b_glsl\n#line 1 2\nint b;\n#endif\n"
            "#line 3 1\nint c;\n#endif\n"
            "#line 2 0\n"
            "#ifndef INCLUDED_b_glsl\n#define INCLUDED_b_glsl\n#line 1 2\nint b;\n#endif\n"
            "#line 3 0\nvoid main() {}\n#endif\n");
}

TEST(ShaderLibrary, RefusesACycle) {
  const auto text = example().assemble("cycle.vert", {});
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message, "shader cycle.vert:1: includes cycle.vert, which includes it");
}

TEST(ShaderLibrary, NamesTheFileAndLineOfABadInclude) {
  const auto lost = example().assemble("lost.vert", {});
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().message, "included from lost.vert:2: shader nowhere.glsl: no such file among the 6 built in");
  const auto odd = example().assemble("odd.vert", {});
  ASSERT_FALSE(odd);
  EXPECT_EQ(odd.error().message,
            "shader odd.vert:1: expected #include \"path\" or the name of a define that holds one, got "
            "#include <b.glsl>");
}

TEST(ShaderLibrary, ReadsAFolderAnewAtEachUse) {
  const std::filesystem::path folder = test::output_folder() / "live_shaders";
  std::filesystem::create_directories(folder);
  ASSERT_TRUE(write_file_atomically(folder / "x.vert", "int first;\n"));
  const ShaderLibrary library(folder);
  EXPECT_TRUE(library.is_live());
  EXPECT_EQ(*library.file("x.vert"), "int first;\n");
  ASSERT_TRUE(write_file_atomically(folder / "x.vert", "int second;\n"));
  EXPECT_EQ(*library.file("x.vert"), "int second;\n");
  EXPECT_GT(library.newest(), std::filesystem::file_time_type::min());
  EXPECT_THAT(library.file("y.vert").error().message, StartsWith("shader y.vert: "));
}

using ShaderProgram = GlTest;

TEST_F(ShaderProgram, ErrorCarriesTheLogWithFileNames) {
  const ShaderLibrary library(std::map<std::string, std::string, std::less<>>{
      {"broken.vert", "#include \"part.glsl\"\nvoid main() { gl_Position = vec4(0.0); }\n"},
      {"part.glsl", "\nfloat f() { return undeclared_name; }\n"},
      {"fine.frag", "out vec4 o_color;\nvoid main() { o_color = vec4(1.0); }\n"},
  });
  const auto program = make_program(library, {"broken.vert", "fine.frag", {}, {}});
  ASSERT_FALSE(program);
  EXPECT_THAT(program.error().message, StartsWith("shader broken.vert does not compile: "));
  EXPECT_THAT(program.error().message, AnyOf(HasSubstr("part.glsl:2"), HasSubstr("part.glsl(2)"))) << "Mesa, NVIDIA";
  EXPECT_THAT(program.error().message, HasSubstr("undeclared_name"));
}

TEST_F(ShaderProgram, LinkErrorNamesBothFiles) {
  const ShaderLibrary library(std::map<std::string, std::string, std::less<>>{
      // NVIDIA's driver links a vec3 to a vec4.
      {"a.vert", "flat out int v_value;\nvoid main() { v_value = 1; gl_Position = vec4(0.0); }\n"},
      {"a.frag", "in vec4 v_value;\nout vec4 o_color;\nvoid main() { o_color = v_value; }\n"},
  });
  const auto program = make_program(library, {"a.vert", "a.frag", {}, {}});
  ASSERT_FALSE(program);
  EXPECT_THAT(program.error().message, StartsWith("shaders a.vert and a.frag do not link: "));
}

TEST_F(ShaderProgram, ConnectsBlocksAndSamplersByName) {
  const ShaderLibrary library(std::map<std::string, std::string, std::less<>>{
      {"a.vert",
       "layout(std140) uniform Material { vec4 u_color; };\nout vec4 v_color;\n"
       "void main() { v_color = u_color; gl_Position = u_color; }\n"},
      {"a.frag",
       "uniform sampler2D t_normal;\nin vec4 v_color;\nout vec4 o_color;\n"
       "void main() { o_color = v_color + texture(t_normal, vec2(0.5)); }\n"},
  });
  const auto program = make_program(library, {"a.vert", "a.frag", {}, {}});
  ASSERT_TRUE(program) << program.error().message;
  GLint binding = -1;
  glGetActiveUniformBlockiv(program->id(), glGetUniformBlockIndex(program->id(), "Material"), GL_UNIFORM_BLOCK_BINDING,
                            &binding);
  EXPECT_EQ(binding, static_cast<GLint>(kBindingMaterial));
  GLint unit = -1;
  glGetUniformiv(program->id(), uniform(*program, "t_normal"), &unit);
  EXPECT_EQ(unit, kUnitNormal);
}

using GlObjects = GlTest;

TEST_F(GlObjects, MoveHandsOverTheName) {
  Buffer a = Buffer::make();
  const GLuint id = a.id();
  ASSERT_NE(id, 0u);
  Buffer b = std::move(a);
  EXPECT_EQ(b.id(), id);
  Buffer c;
  EXPECT_FALSE(c);
  c = std::move(b);
  EXPECT_EQ(c.id(), id);
}

TEST_F(GlObjects, CheckGlNamesTheError) {
  glBindBuffer(GL_TEXTURE_2D, 0);
  const Status status = check_gl("binding");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "binding: OpenGL reports GL_INVALID_ENUM");
  EXPECT_TRUE(check_gl("binding"));
}

TEST_F(GlObjects, DeviceKeepsTheGuaranteesOfOpenGl33) {
  const DeviceLimits limits = device_limits();
  EXPECT_GE(limits.uniform_block_bytes, 16384);
  EXPECT_GE(limits.texture_size, 1024);
  EXPECT_THAT(device_name(), HasSubstr("OpenGL "));
}

}  // namespace
}  // namespace pelt::render
