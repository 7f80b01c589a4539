// GpuCharacter::draw() into a small framebuffer: what is covered, which colours arrive, which side is the front.

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/gl_test.h"
#include "render/gpu_parity.h"
#include "render/shader_interface.h"
#include "support/fixtures.h"

namespace pelt::render {
namespace {

using ::testing::SizeIs;

/// The built-in vertex shader with a fragment shader that shows one varying.
ShaderLibrary library_showing(const std::string& color) {
  const ShaderLibrary built_in = ShaderLibrary::from_environment();
  std::map<std::string, std::string, std::less<>> files;
  for (const char* path :
       {"common/interface.glsl", "common/part.glsl", "common/frame.glsl", "surface/varyings.glsl",
        "surface/surface.vert", "skinning/vertex_frame.glsl", "skinning/row.glsl", "skinning/palette.glsl",
        "skinning/lbs.glsl", "skinning/node.glsl", "skinning/morph.glsl", "surface/weight_look.glsl"}) {
    files[path] = *built_in.file(path);
  }
  files["show.frag"] =
      "#define VARYING in\n#include \"surface/varyings.glsl\"\nout vec4 o_color;\nvoid main() { o_color = " + color +
      "; }\n";
  return ShaderLibrary(std::move(files));
}

constexpr int kSize = 16;

/// Draws all parts with back faces culled, world space being clip space; rows bottom to top.
class Canvas {
 public:
  explicit Canvas(const std::string& color) : programs_(library_showing(color)) {
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.id());
    glBindRenderbuffer(GL_RENDERBUFFER, image_.id());
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, kSize, kSize);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, image_.id());
    struct {
      glm::mat4 clip_from_world = glm::mat4(1.0f);
      glm::mat4 view_from_world = glm::mat4(1.0f);
      glm::vec4 rest[14] = {};  // whatever else the block holds
    } frame;
    upload(frame_, std::span<const std::byte>(std::as_bytes(std::span(&frame, 1))), GL_STATIC_DRAW);
  }
  ~Canvas() {
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glDisable(GL_CULL_FACE);
  }
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  void draw(const rig::Character& character, const GpuCharacter& gpu) {
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.id());
    glViewport(0, 0, kSize, kSize);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    glEnable(GL_CULL_FACE);
    glBindBufferBase(GL_UNIFORM_BUFFER, kBindingFrame, frame_.id());
    draws_ = 0;
    for (int p = 0; p < static_cast<int>(character.parts.size()); ++p) {
      const auto program = programs_.get(gpu.variant(p), "show.frag");
      ASSERT_TRUE(program) << program.error().message;
      glUseProgram((*program)->id());
      draws_ += gpu.draw(p);
    }
    glUseProgram(0);
    glReadPixels(0, 0, kSize, kSize, GL_RGBA, GL_UNSIGNED_BYTE, pixels_.data());
  }
  [[nodiscard]] glm::ivec4 at(int x, int y) const {
    const std::size_t i = 4 * static_cast<std::size_t>(y * kSize + x);
    return {pixels_[i], pixels_[i + 1], pixels_[i + 2], pixels_[i + 3]};
  }
  [[nodiscard]] int draws() const { return draws_; }

 private:
  ProgramCache programs_;
  Framebuffer framebuffer_ = Framebuffer::make();
  Renderbuffer image_ = Renderbuffer::make();
  Buffer frame_ = Buffer::make();
  std::array<std::uint8_t, 4 * kSize * kSize> pixels_{};
  int draws_ = 0;
};

/// A quad over the left half of clip space and one over the right, each on its own joint, facing +Z.
rig::Character two_quads() {
  rig::Character character;
  std::vector<int> joints;
  mesh::Primitive primitive;
  for (int j = 0; j < 2; ++j) {
    joints.push_back(test::add_node(character, "joint_" + std::to_string(j), -1, {}));
    const float left = j == 0 ? -1.0f : 0.0f;
    for (int corner = 0; corner < 4; ++corner) {
      primitive.positions.emplace_back(left + static_cast<float>(corner % 2), corner < 2 ? -1.0f : 1.0f, 0.0f);
      const auto joint = static_cast<std::uint16_t>(j);
      const float one = 1.0f;
      mesh::append_row(primitive.influences.edit(), {&joint, 1}, {&one, 1});
    }
    const auto base = static_cast<std::uint32_t>(4 * j);
    primitive.indices.append({base, base + 1, base + 3, base, base + 3, base + 2});
  }
  test::add_skinned_mesh(character, "quads", std::move(joints), std::move(primitive));
  rig::finish(character);
  return character;
}

/// Uploads a pose with its CPU result.
void update(GpuCharacter& gpu, const rig::Character& character, const rig::Pose& pose, std::uint64_t version,
            const deform::SkinningSettings& settings = {}) {
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  const deform::DeformedCharacter deformed = deform::deform_once(character, pose, settings);
  const Status status = gpu.update({.character = &character,
                                    .pose = &pose,
                                    .world = world.world(),
                                    .pose_version = version,
                                    .skinning = settings,
                                    .deformed = &deformed});
  ASSERT_TRUE(status) << status.error().message;
}

using GpuDraw = GlTest;

TEST_F(GpuDraw, PosedQuadsCoverTheSamePixelsOnBothBackends) {
  const rig::Character character = two_quads();
  rig::Pose pose = rig::rest_pose(character);
  pose.local[1].translation = glm::vec3(0.0f, 1.0f, 0.0f);  // the right quad moves up by half the picture
  GpuCharacter gpu(device_limits());
  Canvas canvas("vec4(v_color.rgb, 1.0)");
  std::uint64_t version = 0;
  for (const deform::Backend backend : {deform::Backend::kGpu, deform::Backend::kCpu, deform::Backend::kGpu}) {
    update(gpu, character, pose, ++version, {.backend = backend});
    canvas.draw(character, gpu);
    EXPECT_EQ(canvas.draws(), 1);
    EXPECT_EQ(canvas.at(4, 4), glm::ivec4(255)) << "white where the primitive has no colours";
    EXPECT_EQ(canvas.at(12, 4), glm::ivec4(0));
    EXPECT_EQ(canvas.at(12, 12), glm::ivec4(255));
  }
}

TEST_F(GpuDraw, LookColorsArePerSourceVertex) {
  const rig::Character character = two_quads();
  GpuCharacter gpu(device_limits());
  update(gpu, character, rig::rest_pose(character), 1);
  Canvas canvas("v_look");
  canvas.draw(character, gpu);
  EXPECT_EQ(canvas.at(4, 8), glm::ivec4(0)) << "zero where none is set";

  std::vector<glm::vec4> colors(4, glm::vec4(1, 0, 0, 1));
  colors.resize(8, glm::vec4(0, 1, 0, 1));
  gpu.set_look_colors(0, colors);
  canvas.draw(character, gpu);
  EXPECT_EQ(canvas.at(4, 8), glm::ivec4(255, 0, 0, 255));
  EXPECT_EQ(canvas.at(12, 8), glm::ivec4(0, 255, 0, 255));

  gpu.set_look_colors(0, {});
  canvas.draw(character, gpu);
  EXPECT_EQ(canvas.at(4, 8), glm::ivec4(0));
}

TEST_F(GpuDraw, BatchColorsFollowTheBatches) {
  const rig::Character character = two_quads();
  GpuCharacter gpu(device_limits());
  update(gpu, character, rig::rest_pose(character), 1, {.palette_limit = 1});
  ASSERT_THAT(gpu.batches(), SizeIs(2));
  ASSERT_EQ(gpu.batch_count(0), 2);
  gpu.set_look_batch_colors(0, std::vector<glm::vec4>{{1, 0, 0, 1}, {0, 0, 1, 1}});
  Canvas canvas("v_look");
  canvas.draw(character, gpu);
  EXPECT_EQ(canvas.draws(), 2);
  EXPECT_EQ(canvas.at(4, 8), glm::ivec4(255, 0, 0, 255));
  EXPECT_EQ(canvas.at(12, 8), glm::ivec4(0, 0, 255, 255));
}

TEST_F(GpuDraw, MirroringTurnsTheFrontFaceSoThatCullingKeepsTheOutside) {
  const rig::Character character = two_quads();
  rig::Pose pose = rig::rest_pose(character);
  for (std::size_t j = 0; j < 2; ++j) {
    pose.local[j].scale = glm::vec3(-1.0f, 1.0f, 1.0f);
  }
  GpuCharacter gpu(device_limits());
  Canvas canvas("vec4(1.0)");
  std::uint64_t version = 0;
  for (const deform::Backend backend : {deform::Backend::kGpu, deform::Backend::kCpu}) {
    update(gpu, character, pose, ++version, {.backend = backend});
    canvas.draw(character, gpu);
    EXPECT_EQ(canvas.at(4, 8), glm::ivec4(255));
    EXPECT_EQ(canvas.at(12, 8), glm::ivec4(255));
  }
}

}  // namespace
}  // namespace pelt::render
