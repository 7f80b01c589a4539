// Thumbnails of stored poses.
#include "app/pose_pictures.h"

#include <cmath>
#include <memory>
#include <optional>

#include <gtest/gtest.h>

#include "gltf/bundled.h"
#include "gltf/image_codec.h"
#include "render/offscreen_context.h"
#include "support/requirements.h"

namespace pelt::app {
namespace {

class PosePicturesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto context = render::OffscreenContext::create();
    PELT_NEEDS_GL(context);
    context_ = *std::move(context);
    auto made = render::Renderer::create();
    ASSERT_TRUE(made) << made.error().message;
    renderer_ = *std::move(made);
    session_.document = edit::make_document(std::make_shared<rig::Character>(*gltf::import_bundled("mannequin")));
    update(session_);
  }
  void TearDown() override {
    pictures_.reset();  // textures go before their context
    renderer_.reset();
  }
  std::vector<std::uint8_t> pixels(const edit::StoredPose& pose) {
    const auto png = pictures_->png(session_, *renderer_, pose);
    EXPECT_TRUE(png) << png.error().message;
    const auto bytes = std::span(reinterpret_cast<const std::uint8_t*>(png->data()), png->size());
    const auto size = gltf::image_size(bytes, 4096);
    EXPECT_TRUE(size);
    EXPECT_EQ(size->width, 192);
    EXPECT_EQ(size->height, 192);
    return *gltf::decode_image(bytes, *size);
  }
  static double difference(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      sum += std::abs(int{a[i]} - int{b[i]});
    }
    return sum / static_cast<double>(a.size());
  }

  std::unique_ptr<render::OffscreenContext> context_;
  std::unique_ptr<render::Renderer> renderer_;
  std::optional<PosePictures> pictures_{std::in_place};
  Session session_;
};

TEST_F(PosePicturesTest, ShowsThePoseWhateverTheDocumentShows) {
  const edit::StoredPose rest = edit::stored_pose(session_.document, "rest");
  const int arm = session_.document.character->skeleton->find("shoulder_l");
  ASSERT_GE(arm, 0);
  Transform local = session_.document.character->skeleton->rest[arm];
  local.rotation = local.rotation * glm::angleAxis(1.2f, glm::vec3(0, 0, 1));
  edit::apply(session_.document, {edit::SetJointLocal{arm, local, false}, {}, true});
  const edit::StoredPose raised = edit::stored_pose(session_.document, "raised");
  const std::vector<std::uint8_t> a = pixels(rest);
  const std::vector<std::uint8_t> b = pixels(raised);
  EXPECT_GT(difference(a, b), 2) << "an arm";
  EXPECT_EQ(pixels(rest), a) << "the same pose, the same picture";
  const edit::StoredPose hand = edit::stored_pose(
      session_.document, "hand",
      session_.document.character->skeleton->subtree(session_.document.character->skeleton->find("wrist_l")));
  EXPECT_GT(difference(pixels(hand), b), 5) << "a part fills its picture";
  edit::StoredPose of_more_joints = hand;  // of a version of the file that had more, for example
  of_more_joints.joints[100'000] = {};
  EXPECT_EQ(pixels(of_more_joints), pixels(hand));
}

TEST_F(PosePicturesTest, MakesThemWhenStoredAndAgainWhereTheyAreMissing) {
  edit::Commands commands = {{edit::StorePoses{{edit::stored_pose(session_.document, "a")}}, {}, true}};
  pictures_->add_pictures(session_, *renderer_, commands);
  edit::apply(session_.document, commands[0]);
  const edit::PoseLibrary& library = session_.document.content.library;
  ASSERT_FALSE(library[0].picture->empty());
  EXPECT_NE(pictures_->texture(library.shared(0)), 0U) << "read at once";
  EXPECT_FALSE(pictures_->make_next(session_, *renderer_));

  edit::StoredPose bare = edit::stored_pose(session_.document, "b");
  edit::StoredPose damaged = bare;
  damaged.name = "c";
  damaged.picture = std::string("no picture");
  edit::apply(session_.document, {edit::StorePoses{{bare, damaged}}, {}, true});
  const std::uint64_t hash = edit::content_hash(session_.document.content);
  for (const int i : {1, 2}) {
    EXPECT_EQ(pictures_->texture(library.shared(i)), 0U);
    EXPECT_TRUE(pictures_->make_next(session_, *renderer_));
    EXPECT_NE(pictures_->texture(library.shared(i)), 0U);
  }
  EXPECT_EQ(edit::content_hash(session_.document.content), hash) << "nobody changed the document";
}

}  // namespace
}  // namespace pelt::app
