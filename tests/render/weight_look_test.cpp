#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "render/picture_test.h"
#include "support/fixtures.h"
#include "support/two_skins.h"

namespace pelt::render {
namespace {

class WeightLook : public PictureTest {
 protected:
  ImageRgba picture(PictureScene& scene) {
    scene.frame.view.look = look_;
    scene.frame.view.samples = 1;
    return draw(scene);
  }
  Look look_ = Look::kWeights;

  /// Largest difference of a channel, and how many pixels differ at all.
  static std::pair<int, int> compare(const ImageRgba& a, const ImageRgba& b) {
    std::pair<int, int> found = {0, 0};
    for (std::size_t i = 0; i + 3 < std::min(a.pixels.size(), b.pixels.size()); i += 4) {
      int largest = 0;
      for (std::size_t c = 0; c < 4; ++c) {
        largest = std::max(largest, std::abs(int{a.pixels[i + c]} - int{b.pixels[i + c]}));
      }
      found.first = std::max(found.first, largest);
      found.second += largest > 0 ? 1 : 0;
    }
    return found;
  }
};

// All vertices alike: without light every pixel of the skin has the grey whose code is the weight.
TEST_F(WeightLook, AMaskIsTheWeightAsGreyWithoutLight) {
  rig::Character character = test::random_rig({.seed = 4, .joints = 4, .vertices = 120, .influences = 2});
  mesh::Influences& rows = character.meshes.edit(0).primitives.edit(0).influences.edit();
  for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
    rows.set_row(v, std::array<std::uint16_t, 2>{0, 1}, std::array{0.6f, 0.4f});
  }
  PictureScene scene(std::move(character));
  scene.frame.view.grid = false;
  look_ = Look::kMask;
  const std::array<int, 3> greys = {153, 102, 0};  // of a joint with 0.6, with 0.4, with nothing
  for (const deform::Backend backend : {deform::Backend::kGpu, deform::Backend::kCpu}) {
    scene.frame.skinning.backend = backend;
    std::array<std::array<int, 3>, 3> count{};  // [slot][grey] pixels
    for (std::size_t slot = 0; slot < 3; ++slot) {
      scene.frame.view.weight_joint = scene.frame.character->skins[0].joints[slot];
      const ImageRgba image = picture(scene);
      for (std::size_t i = 0; i + 3 < image.pixels.size(); i += 4) {
        for (std::size_t g = 0; g < 3; ++g) {
          const auto near = [&](std::size_t c) { return std::abs(int{image.pixels[i + c]} - greys[g]) <= 1; };
          count[slot][g] += near(0) && near(1) && near(2) ? 1 : 0;
        }
      }
    }
    for (std::size_t slot = 0; slot < 3; ++slot) {
      const int elsewhere = count[(slot + 1) % 3][slot];  // of the background, if it has such a grey
      EXPECT_GT(count[slot][slot] - elsewhere, kSide * kSide / 50) << slot << ", elsewhere " << elsewhere;
    }
  }
}

// What the CPU backend shows is gathered by look_colors(); at rest both have the same vertices but for rounding.
TEST_F(WeightLook, TheShaderShowsWhatIsGatheredOnTheCpu) {
  rig::Character character = test::random_rig({.seed = 4, .joints = 30, .vertices = 120, .influences = 8});
  test::set_stored_sums(character.meshes.edit(0).primitives.edit(0).influences.edit(), 0.8f);
  character.meshes.edit(0).primitives.edit(0).influences.edit().set_row(5, {}, {});
  PictureScene scene(std::move(character));
  const std::vector<std::pair<Look, int>> looks = {
      {Look::kWeights, -1}, {Look::kWeights, 7}, {Look::kWeights, 100000}, {Look::kMask, -1}, {Look::kMask, 7}};
  int worst = 0;
  for (const deform::WeightFormatInfo& format : deform::kWeightFormats) {
    for (const bool as_stored : {false, true}) {
      for (const auto& [look, joint] : looks) {
        look_ = look;
        if (as_stored && format.format != deform::WeightFormat::kFloat) {
          continue;  // makes no difference
        }
        scene.frame.view.weight_joint = joint;
        scene.frame.skinning = {};
        scene.frame.skinning.weight_format = format.format;
        scene.frame.skinning.weights_as_stored = as_stored;
        // The same shape for both, so that nothing but colours can differ.
        const deform::DeformedCharacter shape =
            deform::deform_once(*scene.frame.character, *scene.frame.pose, scene.frame.skinning);
        scene.frame.deformed = &shape;
        scene.frame.skinning.backend = deform::Backend::kCpu;
        const ImageRgba gathered = picture(scene);
        scene.frame.skinning.backend = deform::Backend::kGpu;
        for (const bool paint : {false, true}) {
          scene.frame.paint = paint;
          scene.frame.skinning.palette_limit = paint ? 64 : 24;
          const auto [largest, count] = compare(picture(scene), gathered);
          EXPECT_LE(count, kSide * kSide / 100)
              << format.id << ", joint " << joint << ", paint " << paint << ", largest " << largest;
          worst = std::max(worst, largest);
        }
        scene.frame.paint = false;
      }
    }
  }
  EXPECT_LE(worst, 3) << "rounding, also of where edges pass samples";
}

TEST_F(WeightLook, ChoosingAnotherJointUploadsNothingAndADabItsRows) {
  rig::Character character = test::random_rig({.seed = 4, .joints = 30, .vertices = 300, .influences = 4});
  const rig::Pose pose = rig::rest_pose(character);
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  const deform::DeformedCharacter deformed = deform::deform_once(character, pose, {});
  for (const bool paint : {false, true}) {
    Frame frame;
    frame.character = &character;
    frame.pose = &pose;
    frame.world = world.world();
    frame.deformed = &deformed;
    frame.bounds = deformed.bounds;
    frame.size = glm::ivec2(kSide);
    frame.paint = paint;
    frame.view.look = Look::kWeights;
    frame.view.weight_joint = 3;
    render::frame(frame.camera, frame.bounds, 1.0f);
    ASSERT_TRUE(renderer_->render_image(frame));
    const auto first = renderer_->render_image(frame);
    for (const int joint : {5, -1, 3}) {
      frame.view.weight_joint = joint;
      const auto image = renderer_->render_image(frame);
      ASSERT_TRUE(image);
      EXPECT_EQ(joint == 3, image->pixels == first->pixels) << "joint " << joint;
      const RenderStats& stats = renderer_->stats();
      EXPECT_EQ(stats.look_bytes + stats.static_bytes + stats.row_bytes + stats.palette_bytes + stats.vertex_bytes, 0)
          << "joint " << joint;
    }
    if (paint) {
      for (std::size_t v = 0; v < 60; ++v) {
        character.meshes.edit(0).primitives.edit(0).influences.edit().set_row(v, std::array<std::uint16_t, 2>{3, 4},
                                                                              std::array{0.5f, 0.5f});
      }
      const auto image = renderer_->render_image(frame);
      const RenderStats& stats = renderer_->stats();
      EXPECT_EQ(stats.look_bytes + stats.static_bytes + stats.textures, 0);
      EXPECT_EQ(stats.row_bytes, 60 * 40);
      EXPECT_NE(image->pixels, first->pixels) << "the dab shows";
    }
  }
}

TEST_F(WeightLook, GatheredColoursFollowAnEditOfWeights) {
  rig::Character character = test::random_rig({.seed = 4, .joints = 30, .vertices = 300, .influences = 4});
  const rig::Pose pose = rig::rest_pose(character);
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  const deform::DeformedCharacter deformed = deform::deform_once(character, pose, {});
  for (const Look look : {Look::kWeights, Look::kInfluences}) {
    Frame frame;
    frame.character = &character;
    frame.pose = &pose;
    frame.world = world.world();
    frame.deformed = &deformed;
    frame.bounds = deformed.bounds;
    frame.size = glm::ivec2(kSide);
    frame.skinning.backend = deform::Backend::kCpu;
    frame.view.look = look;
    frame.view.weight_joint = character.skins[0].joints[0];
    render::frame(frame.camera, frame.bounds, 1.0f);
    const auto before = renderer_->render_image(frame);
    const std::size_t first = look == Look::kWeights ? 0 : 100;
    for (std::size_t v = first; v < first + 60; ++v) {
      character.meshes.edit(0).primitives.edit(0).influences.edit().set_row(v, std::array<std::uint16_t, 1>{0},
                                                                            std::array{1.0f});
    }
    const auto after = renderer_->render_image(frame);
    ASSERT_TRUE(before && after);
    EXPECT_NE(after->pixels, before->pixels) << "the edit shows";
  }
}

TEST_F(WeightLook, EachPartAsksItsOwnSkinForTheJoint) {
  PictureScene scene(test::two_skins());  // the second lists the joints the other way round
  for (const int joint : {0, 1, -1}) {
    scene.frame.view.weight_joint = joint;
    scene.frame.skinning.backend = deform::Backend::kCpu;
    const ImageRgba gathered = picture(scene);
    scene.frame.skinning.backend = deform::Backend::kGpu;
    for (const bool paint : {false, true}) {
      scene.frame.paint = paint;
      EXPECT_LE(compare(picture(scene), gathered).second, kSide * kSide / 200) << joint << ", paint " << paint;
    }
    scene.frame.paint = false;
  }
}

}  // namespace
}  // namespace pelt::render
