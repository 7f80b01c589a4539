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
  const std::array<int, 3> greys = {153, 102, 0};  // of a joint with 0.6, with 0.4, and nothing is black
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
    for (std::size_t slot = 0; slot < 2; ++slot) {
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

// A square whose weights of the second joint go from 0 at its left edge to 1 at its right one.
rig::Character ramp_square(int columns) {
  rig::Character character;
  for (int j = 0; j < 2; ++j) {
    test::add_node(character, j == 0 ? "left" : "right", -1, {});
  }
  rig::Skin skin;
  skin.joints = {0, 1};
  skin.joint_from_mesh = {glm::mat4(1.0f), glm::mat4(1.0f)};
  character.skins.push_back(std::move(skin));
  mesh::Primitive primitive;
  mesh::Influences influences;
  for (int column = 0; column <= columns; ++column) {
    const float x = static_cast<float>(column) / static_cast<float>(columns);
    for (const float y : {0.0f, 1.0f}) {
      primitive.positions.emplace_back(x, y, 0.0f);
      primitive.normals.emplace_back(0.0f, 0.0f, 1.0f);
      mesh::append_row(influences, std::array<std::uint16_t, 2>{0, 1}, std::array{1.0f - x, x});
    }
    if (column < columns) {
      const auto a = static_cast<std::uint32_t>(2 * column);
      primitive.indices.append({a, a + 2, a + 1, a + 1, a + 2, a + 3});
    }
  }
  primitive.influences = std::move(influences);
  character.meshes.emplace_back();
  character.meshes.edit_back().primitives.push_back(std::move(primitive));
  test::add_node(character, "mesh", -1, {});
  character.mesh_nodes.push_back({.joint = 2, .mesh = 0, .skin = 0, .morph_weights = {}});
  character.scenes.push_back({.name = "", .roots = {0, 1, 2}});
  rig::finish(character);
  return character;
}

class Isolines : public WeightLook {
 protected:
  struct Line {
    float middle;  // pixels
    float width;   // pixels, whole ones and shares of others
  };
  // What the lines add to the middle row of a picture of the ramp, from left to right.
  std::vector<Line> lines(PictureScene& scene) {
    scene.frame.view.isolines = false;
    const ImageRgba plain = picture(scene);
    scene.frame.view.isolines = true;
    const ImageRgba lined = picture(scene);
    std::vector<Line> found;
    const int y = plain.height / 2;
    double covered = 0;
    double moment = 0;
    for (int x = 0; x < plain.width; ++x) {
      const int change = std::abs(sum(pixel(lined, x, y)) - sum(pixel(plain, x, y)));
      if (change > 12) {
        covered += change;
        moment += change * (x + 0.5);
      } else if (covered > 0) {
        found.push_back({static_cast<float>(moment / covered), static_cast<float>(covered)});
        covered = moment = 0;
      }
    }
    return found;
  }
  static void look_straight(PictureScene& scene, int side, float height) {
    scene.frame.size = glm::ivec2(side);
    scene.frame.view.weight_joint = 1;
    scene.frame.camera = {};
    scene.frame.camera.azimuth = 0;
    scene.frame.camera.elevation = 0;
    scene.frame.camera.orthographic = true;
    scene.frame.camera.pivot = glm::vec3(0.5f, 0.5f, 0.0f);
    scene.frame.camera.distance = 0.5f * height / std::tan(0.5f * scene.frame.camera.yfov);
  }
};

TEST_F(Isolines, OfALinearRampAreNineAndStandAtTheTenths) {
  for (const int columns : {1, 7, 200}) {
    PictureScene scene(ramp_square(columns));
    look_ = columns == 7 ? Look::kMask : Look::kWeights;
    for (const bool on_gpu : {true, false}) {
      scene.frame.skinning.backend = on_gpu ? deform::Backend::kGpu : deform::Backend::kCpu;
      for (const int side : {240, 700}) {
        look_straight(scene, side, 1.25f);
        const std::vector<Line> found = lines(scene);
        ASSERT_EQ(found.size(), 9u) << columns << " columns, " << side << " pixels, " << on_gpu;
        for (std::size_t i = 0; i < found.size(); ++i) {
          const double x = 0.5 + (0.1 * static_cast<double>(i + 1) - 0.5) / 1.25;
          EXPECT_NEAR(found[i].middle, x * side, 0.75) << i << ", " << columns << ", " << side;
        }
      }
    }
  }
}

TEST_F(Isolines, HaveOneWidthHoweverSteepTheWeightsAre) {
  PictureScene scene(ramp_square(20));
  std::vector<float> widths;
  for (const int side : {240, 480, 960}) {  // a quarter of the slope in the last
    look_straight(scene, side, 1.25f);
    const std::vector<Line> found = lines(scene);
    ASSERT_EQ(found.size(), 9u) << side;
    widths.push_back(found[7].width);  // dark on bright, whose contrast is the same in all
    EXPECT_GT(found[4].width, 1.2f * found[5].width) << "that of a half is the widest, also on a darker ground";
  }
  EXPECT_NEAR(widths[1] / widths[0], 1.0f, 0.2f);
  EXPECT_NEAR(widths[2] / widths[0], 1.0f, 0.2f);
}

TEST_F(Isolines, AreNoneWhereTheyWouldCoverEverythingOrNothingChanges) {
  PictureScene scene(ramp_square(20));
  look_straight(scene, 96, 12.0f);  // the square is eight pixels wide
  EXPECT_TRUE(lines(scene).empty());
  rig::Character even = ramp_square(4);
  mesh::Influences& rows = even.meshes.edit(0).primitives.edit(0).influences.edit();
  for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
    rows.set_row(v, std::array<std::uint16_t, 2>{0, 1}, std::array{0.5f, 0.5f});
  }
  PictureScene flat(std::move(even));
  look_straight(flat, 240, 1.25f);
  EXPECT_TRUE(lines(flat).empty()) << "a half everywhere";
}

TEST_F(Isolines, BelongToTheWeightsOfOneJoint) {
  PictureScene scene(ramp_square(20));
  look_straight(scene, 240, 1.25f);
  scene.frame.view.weight_joint = -1;
  EXPECT_TRUE(lines(scene).empty());
  ViewSettings view = scene.frame.view;
  EXPECT_TRUE(view.isolines);
  EXPECT_FALSE(shows_isolines(view));
  view.weight_joint = 0;
  EXPECT_TRUE(shows_isolines(view));
  view.look = Look::kInfluences;
  EXPECT_FALSE(shows_isolines(view));
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
