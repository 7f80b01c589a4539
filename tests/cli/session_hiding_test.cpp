// What a session says of how it is drawn: what is hidden, and the picture behind.
#include "cli/session_view.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/back_picture.h"
#include "edit/hiding.h"
#include "gltf/image_codec.h"
#include "support/fixtures.h"
#include "support/output_folder.h"

namespace pelt::cli {
namespace {

namespace fs = std::filesystem;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SessionViewTest : public testing::Test {
 protected:
  void SetUp() override {
    base_ = test::output_folder() / "session_view" / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(base_);
    fs::create_directories(base_ / "work/pictures");
    session_ = base_ / "work/one.pelt";
    document_ = edit::make_document(std::make_shared<const rig::Character>(test::cylinder()));
  }
  static void write_png(const fs::path& path, int width, int height, std::uint8_t red) {
    std::vector<std::uint8_t> pixels;
    for (int i = 0; i < width * height; ++i) {
      pixels.insert(pixels.end(), {red, 20, 30, 255});
    }
    const std::vector<std::uint8_t> bytes = gltf::encode_png(pixels, {width, height});
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  /// As another program would find it that opens the session.
  SessionView reopened(const SessionView& view, const rig::Character* other = nullptr) {
    edit::Document opened =
        edit::make_document(std::make_shared<const rig::Character>(other != nullptr ? *other : test::cylinder()));
    opened.origin.window = to_json(view, document_, session_);
    opened.origin.path = session_.string();
    Result<SessionView> out = session_view(opened);
    EXPECT_TRUE(out) << out.error().message;
    reopened_ = opened.character;
    return out ? *std::move(out) : SessionView{};
  }

  fs::path base_;
  fs::path session_;
  edit::Document document_;
  std::shared_ptr<const rig::Character> reopened_;
};

TEST_F(SessionViewTest, KeepsWhatIsHidden) {
  const rig::Character& character = *document_.character;
  edit::SurfaceCache surfaces;
  SessionView view;
  view.view.hiding =
      edit::set_part_hidden(edit::hide_faces(nullptr, character, surfaces, {{0, {3, 4, 5, 40}}}), character, 0, true);
  const SessionView now = reopened(view);
  EXPECT_THAT(now.notes, IsEmpty());
  ASSERT_NE(now.view.hiding, nullptr);
  EXPECT_EQ(now.view.hiding->parts, view.view.hiding->parts);
  EXPECT_TRUE(std::ranges::equal(now.view.hiding->of_part(0), view.view.hiding->of_part(0)));
  EXPECT_EQ(rig::fitting(now.view.hiding, *reopened_), now.view.hiding);
  EXPECT_EQ(reopened(SessionView{}).view.hiding, nullptr);
}

TEST_F(SessionViewTest, ShowsWhatWasHiddenOfAnotherSurfaceAndSaysSo) {
  edit::SurfaceCache surfaces;
  SessionView view;
  view.view.hiding = edit::hide_faces(nullptr, *document_.character, surfaces, {{0, {3}}});
  rig::Character other = test::cylinder();
  mesh::Primitive& primitive = other.meshes.edit(0).primitives.edit(0);
  primitive.positions.push_back({0, 0, 0});
  const SessionView now = reopened(view, &other);
  EXPECT_EQ(now.view.hiding, nullptr);
  EXPECT_THAT(now.notes, ElementsAre("What was hidden of one part is shown: the surface is another one"));
}

TEST_F(SessionViewTest, NamesThePictureFromItsFolderAndKeepsHowItStands) {
  const fs::path file = base_ / "work/pictures/front.png";
  write_png(file, 6, 4, 200);
  SessionView view;
  view.view.behind = {.picture = *load_back_picture(file),
                      .shown = false,
                      .opacity = 0.25f,
                      .scale = 1.5f,
                      .offset = {0.125f, -0.5f},
                      .without_background = true};
  EXPECT_THAT(to_json(view, document_, session_), HasSubstr(R"("file":"pictures/front.png")"));
  SessionView now = reopened(view);
  ASSERT_NE(now.view.behind.picture, nullptr);
  EXPECT_EQ(now.view.behind.picture->width, 0) << "named, not opened";
  EXPECT_EQ(open_session_picture(now.view.behind, session_), "");
  EXPECT_EQ(now.view.behind.picture->pixels, view.view.behind.picture->pixels);
  now.view.behind.picture = view.view.behind.picture;
  EXPECT_EQ(now.view.behind, view.view.behind);
  // Moved as a whole, it is found again.
  fs::rename(base_ / "work", base_ / "elsewhere");
  edit::Document moved = edit::make_document(document_.file);
  moved.origin.window = to_json(view, document_, session_);
  moved.origin.path = (base_ / "elsewhere/one.pelt").string();
  SessionView there = *session_view(moved);
  EXPECT_EQ(open_session_picture(there.view.behind, moved.origin.path), "");
  EXPECT_EQ(there.view.behind.picture->width, 6);
}

TEST_F(SessionViewTest, AMissingPictureIsASentenceAndStaysNamed) {
  const fs::path file = base_ / "work/pictures/front.png";
  write_png(file, 6, 4, 200);
  SessionView view;
  view.view.behind.picture = *load_back_picture(file);
  SessionView now = reopened(view);
  fs::remove(file);
  const std::string why = open_session_picture(now.view.behind, session_);
  EXPECT_THAT(why, HasSubstr("The picture behind is not shown: "));
  EXPECT_THAT(why, HasSubstr("front.png"));
  EXPECT_FALSE(render::is_drawn(now.view.behind, false));
  EXPECT_THAT(to_json(now, document_, session_), HasSubstr(R"("file":"pictures/front.png")"));
}

TEST_F(SessionViewTest, OpensNoOtherPictureOutsideOfItsFolder) {
  fs::create_directories(base_ / "private");
  const fs::path file = base_ / "private/one.png";
  write_png(file, 6, 4, 200);
  SessionView view;
  view.view.behind.picture = *load_back_picture(file);
  SessionView same = reopened(view);
  EXPECT_EQ(open_session_picture(same.view.behind, session_), "") << "the very one";
  SessionView other = reopened(view);
  write_png(file, 6, 4, 90);
  EXPECT_THAT(open_session_picture(other.view.behind, session_), HasSubstr("lies outside of the session's folder"));
  EXPECT_EQ(other.view.behind.picture->width, 0);
  // Within the folder a picture may be painted on.
  const fs::path inner = base_ / "work/pictures/front.png";
  write_png(inner, 6, 4, 200);
  view.view.behind.picture = *load_back_picture(inner);
  SessionView painted = reopened(view);
  write_png(inner, 6, 4, 90);
  EXPECT_EQ(open_session_picture(painted.view.behind, session_), "");
  EXPECT_EQ(painted.view.behind.picture->pixels.front(), 90);
}

TEST_F(SessionViewTest, BadMembersAreNamed) {
  document_.origin.path = session_.string();
  const auto fault = [&](const std::string& window) {
    document_.origin.window = window;
    const Result<SessionView> view = session_view(document_);
    return view ? std::string() : view.error().message;
  };
  EXPECT_THAT(fault(R"({"hidden": {"vertices": [{"part": 0, "of": "many", "vertices": []}]}})"),
              HasSubstr("hidden, vertices"));
  const std::string count =
      std::to_string(document_.character->primitive(document_.character->parts[0]).vertex_count());
  EXPECT_THAT(fault(R"({"hidden": {"vertices": [{"part": 0, "of": )" + count + R"(, "vertices": [5, 2, 1, 1]}]}})"),
              HasSubstr("runs in ascending order"));
  EXPECT_THAT(fault(R"({"behind": {"file": 3}})"), HasSubstr("behind, file"));
  EXPECT_EQ(fault(R"({"hidden": {"parts": [7], "vertices": [{"part": 9, "of": 4, "vertices": [0, 4000000000]}]}})"),
            "");
}

TEST_F(SessionViewTest, LargePicturesAreHalvedAndOthersRefused) {
  write_png(base_ / "wide.png", 9001, 5, 200);
  const auto wide = load_back_picture(base_ / "wide.png");
  ASSERT_TRUE(wide) << wide.error().message;
  EXPECT_EQ((*wide)->width, 2250);
  EXPECT_EQ((*wide)->height, 1);
  EXPECT_EQ((*wide)->pixels.size(), 4u * 2250);
  EXPECT_EQ((*wide)->pixels[0], 200);
  std::ofstream(base_ / "text.png") << "no picture";
  const auto text = load_back_picture(base_ / "text.png");
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().message, HasSubstr("expected a PNG, JPEG or WebP picture"));
  EXPECT_FALSE(load_back_picture(base_ / "nowhere.png"));
  EXPECT_FALSE(load_back_picture(base_)) << "a folder";
  write_png(base_ / "huge.png", kLargestBackPicture + 1, 1, 200);
  EXPECT_FALSE(load_back_picture(base_ / "huge.png"));
  // A header that promises more than the bytes can hold.
  std::vector<std::uint8_t> bomb = gltf::encode_png(std::vector<std::uint8_t>(4, 9), {1, 1});
  bomb[18] = bomb[22] = 0x3f;
  std::ofstream(base_ / "bomb.png", std::ios::binary)
      .write(reinterpret_cast<const char*>(bomb.data()), static_cast<std::streamsize>(bomb.size()));
  EXPECT_FALSE(load_back_picture(base_ / "bomb.png"));
}

}  // namespace
}  // namespace pelt::cli
