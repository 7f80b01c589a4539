// What a picture costs: that nothing is allocated from one picture to the next, and what timers tell.

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "deform/skinning_methods.h"
#include "render/gl_test.h"
#include "render/gpu_parity.h"
#include "render/renderer.h"
#include "rig/kinematics.h"
#include "support/fixtures.h"

namespace pelt::render {
namespace {

using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// Calls of OpenGL that take memory, as long as it lives: sizes of buffers in order, and the names of calls that make
/// anything new.
class AllocationWatch {
 public:
  AllocationWatch() {
    current_ = this;
    buffer_data_ = std::exchange(glad_glBufferData, [](GLenum target, GLsizeiptr size, const void* data, GLenum usage) {
      current_->buffers.push_back(static_cast<std::int64_t>(size));
      current_->buffer_data_(target, size, data, usage);
    });
    gen_buffers_ = std::exchange(glad_glGenBuffers, [](GLsizei count, GLuint* names) {
      current_->made.emplace_back("buffer");
      current_->gen_buffers_(count, names);
    });
    gen_textures_ = std::exchange(glad_glGenTextures, [](GLsizei count, GLuint* names) {
      current_->made.emplace_back("texture");
      current_->gen_textures_(count, names);
    });
    gen_framebuffers_ = std::exchange(glad_glGenFramebuffers, [](GLsizei count, GLuint* names) {
      current_->made.emplace_back("framebuffer");
      current_->gen_framebuffers_(count, names);
    });
    gen_queries_ = std::exchange(glad_glGenQueries, [](GLsizei count, GLuint* names) {
      current_->made.emplace_back("query");
      current_->gen_queries_(count, names);
    });
    storage_ =
        std::exchange(glad_glRenderbufferStorage, [](GLenum target, GLenum format, GLsizei width, GLsizei height) {
          current_->made.emplace_back("renderbuffer storage");
          current_->storage_(target, format, width, height);
        });
    image_ =
        std::exchange(glad_glTexImage2D, [](GLenum target, GLint level, GLint internal, GLsizei width, GLsizei height,
                                            GLint border, GLenum format, GLenum type, const void* pixels) {
          current_->made.emplace_back("texture image");
          current_->image_(target, level, internal, width, height, border, format, type, pixels);
        });
  }
  ~AllocationWatch() {
    glad_glBufferData = buffer_data_;
    glad_glGenBuffers = gen_buffers_;
    glad_glGenTextures = gen_textures_;
    glad_glGenFramebuffers = gen_framebuffers_;
    glad_glGenQueries = gen_queries_;
    glad_glRenderbufferStorage = storage_;
    glad_glTexImage2D = image_;
    current_ = nullptr;
  }
  AllocationWatch(const AllocationWatch&) = delete;
  AllocationWatch& operator=(const AllocationWatch&) = delete;

  std::vector<std::int64_t> buffers;
  std::vector<std::string> made;

 private:
  static inline AllocationWatch* current_ = nullptr;
  PFNGLBUFFERDATAPROC buffer_data_ = nullptr;
  PFNGLGENBUFFERSPROC gen_buffers_ = nullptr;
  PFNGLGENTEXTURESPROC gen_textures_ = nullptr;
  PFNGLGENFRAMEBUFFERSPROC gen_framebuffers_ = nullptr;
  PFNGLGENQUERIESPROC gen_queries_ = nullptr;
  PFNGLRENDERBUFFERSTORAGEPROC storage_ = nullptr;
  PFNGLTEXIMAGE2DPROC image_ = nullptr;
};

class FrameCostTest : public GlTest {
 protected:
  void SetUp() override {
    GlTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) {
      return;
    }
    auto made = Renderer::create();
    ASSERT_TRUE(made) << made.error().message;
    renderer_ = std::move(*made);
  }
  void TearDown() override {
    renderer_.reset();
    GlTest::TearDown();
  }

  /// Draws the character turned a little further, in as many panes as there are settings.
  void draw(const std::vector<deform::SkinningSettings>& panes, float angle, bool time_skinning = false) {
    rig::Pose pose = rig::rest_pose(character_);
    pose.local[1].rotation = glm::angleAxis(angle, glm::vec3(1, 0, 0));
    rig::WorldMatrices world;
    world.evaluate(character_.skeleton, pose);
    ++pose_version_;
    const PaneLayout layout = pane_layout({96, 48}, static_cast<int>(panes.size()), {}, 1);
    std::vector<deform::DeformedCharacter> deformed;
    std::vector<Frame> frames;
    for (const deform::SkinningSettings& settings : panes) {
      deformed.push_back(deform::deform_once(character_, pose, settings));
    }
    for (std::size_t i = 0; i < panes.size(); ++i) {
      Frame frame;
      frame.character = &character_;
      frame.pose = &pose;
      frame.world = world.world();
      frame.pose_version = pose_version_;
      frame.pane = static_cast<int>(i);
      frame.skinning = panes[i];
      frame.deformed = &deformed[i];
      frame.time_skinning = time_skinning;
      frame.view.samples = 1;
      frame.view.skeleton = skeleton_;
      frame.bounds = deformed[i].bounds;
      render::frame(frame.camera, frame.bounds, 1.0f);
      frames.push_back(std::move(frame));
    }
    const auto image = renderer_->render_image(frames, layout);
    ASSERT_TRUE(image) << image.error().message;
  }

  rig::Character character_ = test::cylinder();
  bool skeleton_ = true;
  std::uint64_t pose_version_ = 0;
  std::unique_ptr<Renderer> renderer_;
};

deform::SkinningSettings settings_of(std::string_view method, deform::Backend backend = deform::Backend::kGpu) {
  deform::SkinningSettings settings;
  settings.method = deform::find_method(method);
  settings.backend = backend;
  return settings;
}

TEST_F(FrameCostTest, NothingIsAllocatedFromPictureToPicture) {
  const std::vector<deform::SkinningSettings> panes = {settings_of("lbs"), settings_of("lbs", deform::Backend::kCpu)};
  // Timers take up to as many queries as may be in flight.
  for (int i = 0; i < 5; ++i) {
    draw(panes, 0.1f * static_cast<float>(i), true);
  }
  std::vector<std::int64_t> first;
  for (int i = 5; i < 8; ++i) {
    AllocationWatch watch;
    draw(panes, 0.1f * static_cast<float>(i), true);
    EXPECT_THAT(watch.made, IsEmpty());
    ASSERT_THAT(watch.buffers, Not(IsEmpty()));
    if (first.empty()) {
      first = watch.buffers;
    }
    EXPECT_THAT(watch.buffers, ElementsAreArray(first));
  }
}

TEST_F(FrameCostTest, OneUploadMovesAllPalettes) {
  character_ = test::strip100();
  skeleton_ = false;  // its lines are larger
  deform::SkinningSettings batched = settings_of("lbs");
  batched.palette_limit = 24;
  draw({batched}, 0);
  AllocationWatch watch;
  draw({batched}, 0.5f);
  const RenderStats& stats = renderer_->stats();
  EXPECT_GT(stats.batches.size(), 1U);
  EXPECT_GE(stats.palette_bytes, 100 * 48);
  EXPECT_EQ(std::ranges::count_if(watch.buffers, [&](std::int64_t size) { return size >= stats.palette_bytes; }), 1);
}

using PaletteUpload = GlTest;

TEST_F(PaletteUpload, ASkinOfTwoPartsIsPackedOnceAndMovesInOneCall) {
  rig::Character character = test::random_rig({.seed = 61, .joints = 20, .vertices = 200, .influences = 4});
  character.meshes.edit(0).primitives.push_back(character.meshes[0].primitives[0]);
  rig::finish(character);
  ASSERT_THAT(character.parts, SizeIs(2));
  test::Random random(61);
  for (const char* id : {"rigid", "lbs", "dqs", "cor", "ddm"}) {
    const deform::SkinningMethod& method = deform::skinning_methods()[deform::find_method(id)];
    const bool whole = method.vec4s_per_row > 0;
    for (const int limit : {0, 12}) {
      SCOPED_TRACE(fmt::format("{}, {} joints per batch", id, limit));
      deform::SkinningSettings settings = settings_of(id);
      settings.palette_limit = limit;
      settings.parameters.direct_iterations = 2;  // in a soup of triangles more reach every vertex
      Parity parity;
      parity.gpu(character, test::random_pose(character, random, 1.0), settings);
      std::vector<std::int64_t> first;
      for (int pose = 0; pose < 3; ++pose) {
        AllocationWatch watch;
        parity.update(character, test::random_pose(character, random, 1.0), settings);
        const UploadStats& uploads = parity.character().uploads();
        EXPECT_EQ(uploads.packed_joints, 20) << "each joint once, whatever reads it";
        std::int64_t joints = whole ? 20 : 0;
        for (const BatchInfo& batch : parity.character().batches()) {
          joints += whole ? 0 : batch.joints;
        }
        EXPECT_EQ(uploads.palette_bytes, joints * method.vec4s_per_joint * 16);
        EXPECT_GE(uploads.palette_bytes, 20 * method.vec4s_per_joint * 16);
        EXPECT_THAT(watch.made, IsEmpty());
        EXPECT_THAT(watch.buffers, SizeIs(whole ? 2 : 1)) << "the uniform buffer; the palette's own where it has one";
        first = first.empty() ? watch.buffers : first;
        EXPECT_THAT(watch.buffers, ElementsAreArray(first)) << "a store of the same size is one that is used again";
      }
    }
  }
}

TEST_F(PaletteUpload, SkinsOfOneMeshHavePalettesOfTheirOwnLength) {
  rig::Character character = test::random_rig({.seed = 62, .joints = 20, .vertices = 120, .influences = 1});
  character.meshes.edit(0).primitives.edit(0).influences.edit().renumber_joints(
      [&](std::uint16_t joint) { return joint % 12; });
  rig::Skin shorter = character.skins[0];
  shorter.joints.resize(12);
  shorter.joint_from_mesh.resize(12);
  character.skins.push_back(std::move(shorter));
  rig::MeshNode second;
  second.joint = test::add_node(character, "second", -1, {});
  second.mesh = 0;
  second.skin = 1;
  character.mesh_nodes.push_back(std::move(second));
  rig::finish(character);
  ASSERT_THAT(character.parts, SizeIs(2));
  test::Random random(62);
  for (const char* id : {"lbs", "ddm"}) {
    deform::SkinningSettings settings = settings_of(id);
    settings.parameters.direct_iterations = 2;
    Parity parity;
    parity.expect_equal(character, test::random_pose(character, random, 1.0), settings, id);
    const bool whole = std::string_view(id) == "ddm";
    EXPECT_EQ(parity.character().uploads().packed_joints, 12 + 12) << "those that vertices follow";
    EXPECT_EQ(parity.character().uploads().palette_bytes, whole ? (20 + 12) * 80 : (12 + 12) * 48);
  }
}

TEST_F(FrameCostTest, TimersTellWhatEachPaneCosts) {
  const std::vector<deform::SkinningSettings> panes = {settings_of("lbs"), settings_of("dqs")};
  double longest = 0;
  double all = 0;
  for (int i = 0; i < 3; ++i) {
    const auto start = std::chrono::steady_clock::now();
    draw(panes, 0.1f * static_cast<float>(i), true);
    const double took = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    longest = std::max(longest, took);
    all += took;
  }
  double sum = 0;
  for (int i = 0; i < 2; ++i) {
    const RenderStats& stats = renderer_->stats(i);
    if (stats.has_gpu_timer) {
      EXPECT_GT(stats.drawing_milliseconds, 0);
      EXPECT_GT(stats.skinning_milliseconds, 0);
    } else {
      EXPECT_EQ(stats.drawing_milliseconds, 0);
    }
    sum += stats.skinning_milliseconds;
    EXPECT_LT(stats.drawing_milliseconds, longest);
  }
  EXPECT_LT(sum, all) << "of pictures of which each is over before the next";
}

TEST_F(FrameCostTest, NothingIsSkinnedTwiceUnlessAskedTo) {
  draw({settings_of("lbs")}, 0);
  draw({settings_of("lbs")}, 0.1f);
  EXPECT_EQ(renderer_->stats().skinning_milliseconds, 0);
}

}  // namespace
}  // namespace pelt::render
