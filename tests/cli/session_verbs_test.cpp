// What verbs do to the session that they read.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/cli.h"
#include "run_pelt.h"

namespace pelt::test {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;
using testing::Not;

class SessionVerbs : public PeltTest {
 protected:
  // A session with edited weights, whose character has become another.
  void SetUp() override {
    PeltTest::SetUp();
    const Outcome made = pelt({"weights", cylinder_, "-o", "a.pelt", "smooth", "--iterations", "2"});
    ASSERT_EQ(made.code, 0) << made.err;
    saved_ = content_of(folder_ / "a.pelt");
  }
  void replace_character() const { ASSERT_TRUE(gltf::export_file(test::elbow(), cylinder_)); }
  [[nodiscard]] bool is_whole() const {
    return content_of(folder_ / "a.pelt") == saved_ && !fs::is_empty(folder_ / "a.pelt.d");
  }
  std::string saved_;
};

TEST_F(SessionVerbs, WriteOverASessionThatTheyHaveReadWhole) {
  EXPECT_EQ(pelt({"session", "a.pelt", "--method", "dqs", "-o", "a.pelt"}).code, 0);
  EXPECT_FALSE(content_of(folder_ / "a.pelt") == saved_);
  EXPECT_EQ(pelt({"weights", "a.pelt", "-o", "a.pelt", "smooth"}).code, 0);
}

TEST_F(SessionVerbs, DoNotWriteOverASessionOfWhichSomethingIsLost) {
  replace_character();
  fs::create_symlink("a.pelt", folder_ / "link.pelt");
  const std::vector<std::vector<std::string>> commands = {
      {"session", "a.pelt", "--allow-outside-uris", "-o", "a.pelt"},
      {"session", "a.pelt", "--allow-outside-uris", "--pack", "-o", "a.pelt"},
      {"session", "a.pelt", "--allow-outside-uris", "-o", "link.pelt"},
      {"weights", "a.pelt", "--allow-outside-uris", "-o", "./a.pelt", "smooth"}};
  for (const auto& command : commands) {
    const Outcome outcome = pelt(command);
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("would lose something of the session that does not apply to its character"));
    EXPECT_THAT(outcome.err, HasSubstr("--allow-loss"));
    EXPECT_THAT(outcome.err, HasSubstr("such as edits of "));
    EXPECT_TRUE(is_whole()) << outcome.err;
  }
  EXPECT_EQ(pelt({"session", "a.pelt", "--allow-outside-uris", "-o", "b.pelt"}).code, 0)
      << "another name loses nothing";
  EXPECT_TRUE(is_whole());
  const Outcome allowed = pelt({"session", "a.pelt", "--allow-outside-uris", "--allow-loss", "-o", "a.pelt"});
  EXPECT_EQ(allowed.code, 0) << allowed.err;
  EXPECT_FALSE(fs::exists(folder_ / "a.pelt.d"));
  const Outcome whole = pelt({"weights", "a.pelt", "-o", "a.pelt", "smooth"});
  EXPECT_EQ(whole.code, 0) << "nothing of the new one is lost: " << whole.err;
}

// The note of files outside of the character's folder asks for a flag; it is none.
TEST_F(SessionVerbs, ACharacterReadWithFilesOutsideOfItsFolderIsReadSoOnlyWhereAllowed) {
  fs::create_directories(folder_ / "character");
  const std::string character = (folder_ / "character/arm.gltf").string();
  ASSERT_EQ(pelt({"convert", cylinder_, "-o", character}).code, 0);
  std::string buffer;
  for (const auto& entry : fs::directory_iterator(folder_ / "character")) {
    buffer = entry.path().extension() == ".bin" ? entry.path().filename().string() : buffer;
  }
  ASSERT_FALSE(buffer.empty());
  const Outcome inside = pelt({"session", character, "--allow-outside-uris", "-o", "inside.pelt"});
  ASSERT_EQ(inside.code, 0) << inside.err;
  EXPECT_THAT(content_of(folder_ / "inside.pelt"), Not(HasSubstr("outside_uris"))) << "the flag was not needed";
  fs::rename(folder_ / "character" / buffer, folder_ / buffer);
  std::string text = content_of(character);
  text.insert(text.find("\"" + buffer) + 1, "../");
  std::ofstream(character) << text;
  ASSERT_EQ(pelt({"session", character, "--allow-outside-uris", "-o", "outside.pelt"}).code, 0);
  EXPECT_THAT(content_of(folder_ / "outside.pelt"), HasSubstr("\"outside_uris\": true"));
  const Outcome refused = pelt({"info", "outside.pelt"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("was read with files outside of its folder; --allow-outside-uris opens it"));
  const Outcome agreed = pelt({"info", "outside.pelt", "--allow-outside-uris"});
  EXPECT_EQ(agreed.code, 0) << agreed.err;
  EXPECT_THAT(agreed.out, Not(HasSubstr("leaves the folder")));
  EXPECT_EQ(pelt({"session", "outside.pelt", "--allow-outside-uris", "-o", "again.pelt"}).code, 0);
  EXPECT_THAT(content_of(folder_ / "again.pelt"), HasSubstr("\"outside_uris\": true")) << "it is noted again";
}

TEST_F(SessionVerbs, PosesOfALibraryByTheirNames) {
  // A library file of the cylinder's own joints.
  std::ofstream(folder_ / "poses.json") << R"({"pelt": "poses", "version": 1, "poses": [
    {"name": "bent", "joints": {"tip": {"rotation": [0, 0, 0.3826834, 0.9238795]}}}, {"name": "straight", "joints": {"tip": {}}}]})";
  const auto baked = [&](const std::string& pose, const std::string& out) {
    std::vector<std::string> arguments = {"bake", cylinder_, "-o", out};
    if (!pose.empty()) {
      arguments.insert(arguments.end(), {"--pose", pose});
    }
    const Outcome made = pelt(arguments);
    EXPECT_EQ(made.code, 0) << made.err;
    return content_of(folder_ / out);
  };
  const std::string rest = baked("", "rest.obj");
  EXPECT_EQ(baked("poses.json#straight", "straight.obj"), rest);
  EXPECT_NE(baked("poses.json#bent", "bent.obj"), rest);
  const Outcome wrong = pelt({"bake", cylinder_, "-o", "no.obj", "--pose", "poses.json#fist"});
  EXPECT_NE(wrong.code, 0);
  EXPECT_THAT(wrong.err, HasSubstr("poses.json: there is no pose \"fist\"; it has bent, straight"));
  const Outcome none = pelt({"bake", cylinder_, "-o", "no.obj", "--pose", "#fist"});
  EXPECT_NE(none.code, 0);
  EXPECT_THAT(none.err, HasSubstr("the session's library: there is no pose \"fist\"; it is empty"));
  const Outcome over = pelt({"bake", cylinder_, "-o", "poses.json", "--pose", "poses.json#bent"});
  EXPECT_NE(over.code, 0) << "what was read is not written over";
}

TEST_F(SessionVerbs, TransferEditsOfAnotherVersionOfTheFileWhereThatIsAskedFor) {
  rig::Character newer = test::cylinder();
  newer.meshes.edit(0).primitives.edit(0).positions.edit()[0].y += 0.01f;
  ASSERT_TRUE(gltf::export_file(newer, cylinder_));
  const Outcome plain = pelt({"session", "a.pelt", "--allow-outside-uris", "-o", "b.pelt"});
  EXPECT_EQ(plain.code, 0) << plain.err;
  EXPECT_THAT(plain.err, HasSubstr("1 edit of mesh \"cylinder\" is of another version of the file: weights of "));
  EXPECT_THAT(plain.err, HasSubstr("`pelt session --transfer` takes it over by position"));
  EXPECT_THAT(plain.err, HasSubstr("no longer applies: edits of "));
  EXPECT_FALSE(fs::exists(folder_ / "b.pelt.d")) << "they are left out";
  const Outcome moved = pelt({"session", "a.pelt", "--allow-outside-uris", "--transfer", "-o", "a.pelt"});
  EXPECT_EQ(moved.code, 0) << "nothing of it is lost: " << moved.err;
  EXPECT_THAT(moved.err, HasSubstr("transfer: cylinder: "));
  EXPECT_THAT(moved.err, HasSubstr("vertices matched, at most "));
  EXPECT_THAT(moved.err, HasSubstr("% of the diagonal) away; "));
  EXPECT_THAT(moved.err, Not(HasSubstr("no longer applies")));
  EXPECT_TRUE(fs::exists(folder_ / "a.pelt.d"));
  const Outcome again = pelt({"session", "a.pelt", "--transfer", "-o", "c.pelt"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("transfer: the session holds no edits of another version"));
}

// What the window is asked to begin with.
TEST_F(SessionVerbs, ViewPlaysNoClipOfASession) {
  ASSERT_EQ(setenv("DISPLAY", ":0", 1), 0);  // nobody opens it
  cli::ViewRequest request;
  const auto view = [&](const std::string& file) {
    cli::WindowHooks hooks;
    hooks.view = [&](cli::ViewRequest asked) {
      request = std::move(asked);
      return 0;
    };
    const std::vector<const char*> argv = {"pelt", "view", file.c_str(), "--allow-outside-uris"};
    return cli::run(static_cast<int>(argv.size()), argv.data(), hooks);
  };
  ASSERT_EQ(view(arm_), 0);
  EXPECT_TRUE(request.autoplay);
  const Outcome made = pelt({"session", arm_, "--clip", "wave", "-o", "wave.pelt"});
  ASSERT_EQ(made.code, 0) << made.err;
  ASSERT_EQ(view((folder_ / "wave.pelt").string()), 0);
  EXPECT_EQ(request.document.content.clip, 0);
  EXPECT_FALSE(request.autoplay) << "it stands where it was saved, as one that the menu opens";
  EXPECT_TRUE(request.document.origin.lost.empty());
  replace_character();
  ASSERT_EQ(view((folder_ / "a.pelt").string()), 0);
  EXPECT_EQ(request.document.origin.lost.size(), 1u) << "the window is told what was lost";
  EXPECT_TRUE(request.document.origin.is_changed);
}

}  // namespace
}  // namespace pelt::test
