#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <numbers>
#include <utility>

#include "render/gl_test.h"
#include "render/renderer.h"
#include "rig/kinematics.h"
#include "support/fixtures.h"

namespace pelt::render {

inline constexpr int kSide = 96;  // pixels

/// One rigid part of one material on a node at the origin.
inline rig::Character rigid(mesh::Primitive primitive, const rig::Material& material) {
  rig::Character character;
  test::add_node(character, "node", -1, {});
  primitive.material = 0;
  character.materials.push_back(material);
  character.meshes.emplace_back();
  character.meshes.edit_back().primitives.push_back(std::move(primitive));
  character.mesh_nodes.push_back({.joint = 0, .mesh = 0, .skin = -1, .morph_weights = {}});
  character.scenes.push_back({.name = "", .roots = {0}});
  rig::finish(character);
  return character;
}

/// A unit ball on the ground.
inline rig::Character ball(const rig::Material& material) {
  constexpr int kAround = 48;
  constexpr int kUp = 24;
  mesh::Primitive primitive;
  for (int k = 0; k <= kUp; ++k) {
    for (int i = 0; i <= kAround; ++i) {
      const double theta = std::numbers::pi * k / kUp;
      const double phi = 2.0 * std::numbers::pi * i / kAround;
      const glm::dvec3 n(std::sin(theta) * std::cos(phi), std::cos(theta), std::sin(theta) * std::sin(phi));
      primitive.positions.emplace_back(glm::vec3(n) + glm::vec3(0, 1, 0));
      primitive.normals.emplace_back(n);
      if (k < kUp && i < kAround) {
        const auto a = static_cast<std::uint32_t>(k * (kAround + 1) + i);
        const std::uint32_t b = a + kAround + 1;
        primitive.indices.append({a, a + 1, b, a + 1, b + 1, b});
      }
    }
  }
  return rigid(std::move(primitive), material);
}

inline rig::Material white(float metallic, float roughness) {
  rig::Material material;
  material.metallic = metallic;
  material.roughness = roughness;
  return material;
}

/// A character at rest in a frame of its own.
class PictureScene {
 public:
  explicit PictureScene(rig::Character character)
      : character_(std::move(character)), pose_(rig::rest_pose(character_)) {
    world_.evaluate(character_.skeleton, pose_);
    deformed_ = deform::deform_once(character_, pose_, {});
    frame.character = &character_;
    frame.pose = &pose_;
    frame.world = world_.world();
    frame.pose_version = 1;
    frame.deformed = &deformed_;
    frame.bounds = deformed_.bounds;
    frame.size = glm::ivec2(kSide);
    frame.view.grid = false;
    render::frame(frame.camera, frame.bounds, 1.0f);
  }
  PictureScene(const PictureScene&) = delete;
  PictureScene& operator=(const PictureScene&) = delete;

  Frame frame;

 private:
  rig::Character character_;
  rig::Pose pose_;
  rig::WorldMatrices world_;
  deform::DeformedCharacter deformed_;
};

inline glm::ivec4 pixel(const ImageRgba& image, int x, int y) {
  const std::uint8_t* p = &image.pixels[static_cast<std::size_t>(y * image.width + x) * 4];
  return {p[0], p[1], p[2], p[3]};
}

inline int sum(const glm::ivec4& p) {
  return p.r + p.g + p.b;
}

/// Largest difference of a channel.
inline int difference(const ImageRgba& a, const ImageRgba& b) {
  int largest = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    largest = std::max(largest, std::abs(int{a.pixels[i]} - int{b.pixels[i]}));
  }
  return largest;
}

/// Pictures from a renderer of its own.
class PictureTest : public GlTest {
 protected:
  void SetUp() override {
    GlTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    auto made = Renderer::create();
    ASSERT_TRUE(made.has_value()) << made.error().message;
    renderer_ = std::move(*made);
  }
  void TearDown() override {
    renderer_.reset();
    GlTest::TearDown();
  }
  ImageRgba draw(const PictureScene& scene) {
    auto image = renderer_->render_image(scene.frame);
    EXPECT_TRUE(image.has_value()) << image.error().message;
    return image ? std::move(*image) : ImageRgba{};
  }

  std::unique_ptr<Renderer> renderer_;
};

}  // namespace pelt::render
