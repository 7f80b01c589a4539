// Instanced crowds on the GPU, ALGORITHMS.md section 51.
#include "render/gpu_crowd.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include <gtest/gtest.h>

#include "gltf/bundled.h"
#include "measure/compare.h"
#include "render/gl_test.h"
#include "render/renderer.h"
#include "render/shader_interface.h"
#include "rig/kinematics.h"

namespace pelt::render {
namespace {

using GpuCrowds = GlTest;

rig::Character bundled(std::string_view name) {
  Result<rig::Character> character = gltf::import_bundled(name);
  EXPECT_TRUE(character) << character.error().message;
  return *std::move(character);
}

deform::DeformedCharacter posed(const rig::Character& character, int clip, float share) {
  rig::Pose pose = rig::rest_pose(character);
  const rig::Clip& source = character.clips[clip];
  rig::apply(source, source.start + share * source.duration(), character.morph_offset, pose);
  pose.morph_weights = rig::rest_pose(character).morph_weights;  // as a crowd keeps them
  return deform::deform_once(character, pose, {});
}

TEST_F(GpuCrowds, C51_3_InstancesAtWholeFramesEqualDirectSkinning) {
  ProgramCache programs(ShaderLibrary::from_environment());
  for (const char* name : {"mannequin", "robot"}) {
    const rig::Character character = bundled(name);
    ASSERT_FALSE(character.clips.empty());
    const rig::Character* const levels[] = {&character};
    const int clips[] = {0};
    Result<GpuCrowd> crowd = GpuCrowd::create(levels, clips, device_limits());
    ASSERT_TRUE(crowd) << crowd.error().message;
    const deform::BakedClip& clip = crowd->baked().clips[0];
    std::vector<deform::CrowdInstance> instances(3);
    const int steps[] = {0, clip.steps / 3, clip.steps - 1};
    for (std::size_t i = 0; i < 3; ++i) {
      instances[i].phase = static_cast<float>(steps[i]) / static_cast<float>(clip.steps);
    }
    const int visible[] = {0, 1, 2};
    crowd->place(instances, visible, 0, glm::vec3(0), {});
    for (int i = 0; i < 3; ++i) {
      const Result<deform::DeformedCharacter> shape = crowd->read_back(programs, i);
      ASSERT_TRUE(shape) << shape.error().message;
      const deform::DeformedCharacter direct = posed(character, 0, instances[i].phase);
      const measure::Difference difference = measure::difference(*shape, direct);
      EXPECT_LE(difference.max, 1e-5 * static_cast<double>(direct.bounds.diagonal())) << name << ", instance " << i;
      EXPECT_LE(difference.max_normal_angle, 0.1 * 3.14159265 / 180) << name << ", instance " << i;
    }
  }
}

TEST_F(GpuCrowds, C51_2_TheFirstOneIsThePictureOfTheCharacterAlone) {
  const auto renderer = Renderer::create();
  ASSERT_TRUE(renderer) << renderer.error().message;
  const rig::Character character = bundled("mannequin");
  rig::Pose pose = rig::rest_pose(character);
  const rig::Clip& clip = character.clips[0];
  const deform::BakedClip baked = deform::bake_palettes(character, std::vector<int>{0}).clips[0];
  // A moment that is a row of the bake.
  const double seconds = clip.duration() * std::floor(baked.steps / 3.0) / baked.steps;
  rig::apply(clip, clip.start + static_cast<float>(seconds), character.morph_offset, pose);
  pose.morph_weights = rig::rest_pose(character).morph_weights;  // as a crowd keeps them
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  Frame frame;
  frame.character = &character;
  frame.pose = &pose;
  frame.pose_version = 1;
  frame.world = world.world();
  frame.size = glm::ivec2(320, 240);
  frame.bounds = deform::deform_once(character, pose, {}).bounds;
  frame.bounds.add(deform::crowd_bounds(character, 1));  // what light and shadows are laid out for
  frame.clip = 0;
  frame.clip_seconds = seconds;
  frame.skinning.normals = deform::NormalVariant::kInverseTransposeOfBlend;  // as crowds have them
  render::frame(frame.camera, frame.bounds, 4.0f / 3.0f);
  const Result<ImageRgba> alone = (*renderer)->render_image(frame);
  ASSERT_TRUE(alone) << alone.error().message;
  EXPECT_FALSE((*renderer)->stats().crowd);
  const auto differing = [&](const ImageRgba& image) {
    int count = 0;
    for (std::size_t i = 0; i < image.pixels.size(); ++i) {
      count += std::abs(static_cast<int>(image.pixels[i]) - static_cast<int>(alone->pixels[i])) > 2 ? 1 : 0;
    }
    return count;
  };
  frame.view.instances = 1;
  const Result<ImageRgba> first = (*renderer)->render_image(frame);
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_TRUE((*renderer)->stats().crowd);
  EXPECT_EQ((*renderer)->stats().crowd->visible, 1);
  EXPECT_LE(differing(*first), 20) << "of " << first->pixels.size() << " values, rounding at edges";
  frame.clip_seconds += 5 * static_cast<double>(clip.duration());
  const Result<ImageRgba> periods_later = (*renderer)->render_image(frame);
  ASSERT_TRUE(periods_later) << periods_later.error().message;
  EXPECT_LE(differing(*periods_later), 20);
  frame.view.instances = 50;
  const Result<ImageRgba> many = (*renderer)->render_image(frame);
  ASSERT_TRUE(many) << many.error().message;
  EXPECT_GT(differing(*many), 1000) << "the others stand behind";
}

/// Reads what draws of instances would read, as long as it lives; nothing is drawn.
class InstanceWatch {
 public:
  struct Drawn {
    int draw = 0;  ///< which one
    std::array<glm::vec4, 3> world;
    glm::vec4 moment;
  };

  InstanceWatch() {
    current_ = this;
    draw_ = std::exchange(glad_glDrawElementsInstanced, [](GLenum, GLsizei, GLenum, const void*, GLsizei count) {
      // A row per instance, and none of them skipped.
      GLint buffer = 0;
      GLint stride = 0;
      GLint divisor = 0;
      void* offset = nullptr;
      glGetVertexAttribiv(kAttributeInstance, GL_VERTEX_ATTRIB_ARRAY_BUFFER_BINDING, &buffer);
      glGetVertexAttribiv(kAttributeInstance, GL_VERTEX_ATTRIB_ARRAY_STRIDE, &stride);
      glGetVertexAttribiv(kAttributeInstance, GL_VERTEX_ATTRIB_ARRAY_DIVISOR, &divisor);
      glGetVertexAttribPointerv(kAttributeInstance, GL_VERTEX_ATTRIB_ARRAY_POINTER, &offset);
      EXPECT_EQ(stride, 64);
      EXPECT_EQ(divisor, 1);
      std::vector<std::array<glm::vec4, 4>> rows(count);
      glBindBuffer(GL_COPY_READ_BUFFER, static_cast<GLuint>(buffer));
      glGetBufferSubData(GL_COPY_READ_BUFFER, reinterpret_cast<GLintptr>(offset), GLsizeiptr{64} * count, rows.data());
      glBindBuffer(GL_COPY_READ_BUFFER, 0);
      for (const std::array<glm::vec4, 4>& row : rows) {
        current_->drawn.push_back({current_->draws, {row[0], row[1], row[2]}, row[3]});
      }
      ++current_->draws;
    });
  }
  ~InstanceWatch() {
    glad_glDrawElementsInstanced = draw_;
    current_ = nullptr;
  }
  InstanceWatch(const InstanceWatch&) = delete;
  InstanceWatch& operator=(const InstanceWatch&) = delete;

  int draws = 0;
  std::vector<Drawn> drawn;

 private:
  static inline InstanceWatch* current_ = nullptr;
  PFNGLDRAWELEMENTSINSTANCEDPROC draw_ = nullptr;
};

TEST_F(GpuCrowds, C51_4_EveryVisibleInstanceIsDrawnOnce) {
  const rig::Character character = bundled("mannequin");
  const rig::Character* const levels[] = {&character, &character};
  const int clips[] = {0, -1};
  Result<GpuCrowd> crowd = GpuCrowd::create(levels, clips, device_limits());
  ASSERT_TRUE(crowd) << crowd.error().message;
  const Bounds bounds = deform::deform_once(character, rig::rest_pose(character), {}).bounds;
  const std::vector<deform::CrowdInstance> instances = deform::arrange_crowd(10'000, 2, bounds);
  std::vector<int> visible;
  for (int i = 0; i < static_cast<int>(instances.size()); ++i) {
    if (i % 3 != 1) {
      visible.push_back(i);
    }
  }
  const float limits[] = {20.0f};
  constexpr double kSeconds = 0.7;
  crowd->place(instances, visible, kSeconds, glm::vec3(0), limits);
  // Nobody stands in anybody's place, so the place tells who is drawn.
  std::map<std::pair<float, float>, int> who;
  for (const int i : visible) {
    const glm::vec4& place = instances[i].world[3];
    who.emplace(std::pair(place.x, place.z), i);
  }
  ASSERT_EQ(who.size(), visible.size());
  for (int p = 0; p < static_cast<int>(character.parts.size()); ++p) {
    InstanceWatch watch;
    EXPECT_EQ(crowd->draw(p), watch.draws);
    ASSERT_EQ(watch.draws, 2);
    std::vector<int> drawn;
    for (const InstanceWatch::Drawn& row : watch.drawn) {
      const auto found = who.find({row.world[0].w, row.world[2].w});
      ASSERT_NE(found, who.end()) << "nobody is there, or nobody who is visible";
      drawn.push_back(found->second);
      const deform::CrowdInstance& instance = instances[found->second];
      const glm::mat4 rows = glm::transpose(instance.world);
      ASSERT_TRUE(row.world[0] == rows[0] && row.world[1] == rows[1] && row.world[2] == rows[2]) << found->second;
      const deform::BakedClip& clip = crowd->baked().clips[instance.clip];
      const deform::BakedMoment moment = deform::moment_of(clip, deform::phase_at(instance, clip, kSeconds));
      ASSERT_EQ(glm::vec3(row.moment),
                glm::vec3(static_cast<float>(moment.row0), static_cast<float>(moment.row1), moment.share))
          << found->second;
      ASSERT_EQ(row.draw, deform::detail_level(instance, glm::vec3(0), limits)) << found->second;
    }
    std::ranges::sort(drawn);
    EXPECT_EQ(drawn, visible) << "part " << p << ": each one once";
  }
}

TEST_F(GpuCrowds, C51_4_DrawCallsDoNotDependOnTheCount) {
  const rig::Character character = bundled("mannequin");
  const rig::Character* const levels[] = {&character, &character};
  const int clips[] = {0, -1};
  Result<GpuCrowd> crowd = GpuCrowd::create(levels, clips, device_limits());
  ASSERT_TRUE(crowd) << crowd.error().message;
  Bounds bounds = deform::deform_once(character, rig::rest_pose(character), {}).bounds;
  for (const int count : {1, 40, 10'000}) {
    const std::vector<deform::CrowdInstance> instances = deform::arrange_crowd(count, 2, bounds);
    std::vector<int> all(instances.size());
    std::iota(all.begin(), all.end(), 0);
    const float limits[] = {1.0f};
    crowd->place(instances, all, 0.5, glm::vec3(0), limits);
    EXPECT_EQ(crowd->per_level()[0] + crowd->per_level()[1], count);
    EXPECT_EQ(crowd->uploaded_bytes(), std::int64_t{64} * count);
    for (int p = 0; p < static_cast<int>(character.parts.size()); ++p) {
      EXPECT_EQ(crowd->draw_calls(p), count == 1 ? 1 : 2);
    }
  }
}

TEST_F(GpuCrowds, WhatATextureCannotHoldIsSaid) {
  const rig::Character character = bundled("mannequin");
  const rig::Character* const levels[] = {&character};
  const int clips[] = {0};
  DeviceLimits small = device_limits();
  small.texture_size = 16;
  const Result<GpuCrowd> frames = GpuCrowd::create(levels, clips, small);
  ASSERT_FALSE(frames);
  EXPECT_NE(frames.error().message.find("frames, a texture of this device holds 16"), std::string::npos)
      << frames.error().message;
  const int rest[] = {-1};
  const Result<GpuCrowd> matrices = GpuCrowd::create(levels, rest, small);
  ASSERT_FALSE(matrices);
  EXPECT_NE(matrices.error().message.find("a texture of this device holds 5 and 16"), std::string::npos)
      << matrices.error().message;
  rig::Character endless = bundled("mannequin");
  for (rig::Channel& channel : endless.clips.edit(0).channels) {
    for (float& time : channel.times) {
      time *= 1e9f;
    }
  }
  endless.clips.edit(0).end *= 1e9f;
  const rig::Character* const endless_levels[] = {&endless};
  EXPECT_FALSE(GpuCrowd::create(endless_levels, clips, device_limits())) << "without baking a row";
}

}  // namespace
}  // namespace pelt::render
