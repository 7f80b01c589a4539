// Sessions on disk: whole after whatever goes wrong, and careful with what strangers write into them.
#include "cli/session_file.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "edit/edit_fixtures.h"
#include "formats/open.h"
#include "formats/source_hash.h"
#include "gltf/export.h"
#include "rig/character_parts.h"
#include "support/write_faults.h"

namespace pelt::cli {
namespace {

namespace fs = std::filesystem;

using test::apply;
using testing::HasSubstr;

class SessionFileTest : public testing::Test {
 protected:
  void SetUp() override {
    base_ =
        fs::path(PELT_TEST_OUTPUT_DIR) / "session_file" / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(base_);
    fs::create_directories(base_ / "work");
    ASSERT_TRUE(gltf::export_file(test::cylinder(), base_ / "work/cylinder.glb"));
    session_ = base_ / "work/cylinder.pelt";
    character_ = (base_ / "work/cylinder.glb").string();
  }

  // The character of a file, as a document that can be saved.
  static edit::Document document_of(const std::string& file) {
    Result<rig::Character> character = formats::open_character(file);
    EXPECT_TRUE(character);
    return edit::make_document(std::make_shared<const rig::Character>(*std::move(character)));
  }
  static edit::SessionSource source_of(const std::string& file) { return {file, *formats::source_hash(file, {})}; }

  // A document with other weights; the more, the more of them.
  edit::Document edited(int strokes) {
    edit::Document document = document_of(character_);
    for (int i = 0; i < strokes; ++i) {
      apply(document, edit::SmoothWeights{.iterations = 1 + i});
    }
    return document;
  }
  [[nodiscard]] Status save(const edit::Document& document) const {
    return save_session_file(document, source_of(character_), session_, "{\"look\": \"clay\"}");
  }
  [[nodiscard]] std::uint64_t saved_hash() const {
    const Result<OpenedSessionFile> opened = open_session_file(session_, {});
    EXPECT_TRUE(opened) << opened.error().message;
    return opened ? edit::content_hash(opened->session.document.content) : 0;
  }
  // Files of data beside the session.
  [[nodiscard]] std::size_t data_files() const {
    std::error_code none;
    std::size_t count = 0;
    for (auto at = fs::directory_iterator(session_.string() + ".d", none); !none && at != fs::directory_iterator();
         ++at) {
      ++count;
    }
    return count;
  }

  fs::path base_;
  fs::path session_;
  std::string character_;
};

TEST_F(SessionFileTest, OpensAsItWasSaved) {
  const edit::Document document = edited(2);
  ASSERT_TRUE(save(document));
  EXPECT_EQ(data_files(), 1u);
  const Result<OpenedSessionFile> opened = open_session_file(session_, {});
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(edit::content_hash(opened->session.document.content), edit::content_hash(document.content));
  EXPECT_FALSE(opened->is_changed);
  EXPECT_EQ(opened->session.document.origin.window, "{\"look\":\"clay\"}");
  EXPECT_EQ(opened->session.document.origin.file, character_);
  EXPECT_TRUE(is_session_file(session_));
  fs::rename(session_, base_ / "work/other");
  EXPECT_TRUE(is_session_file(base_ / "work/other")) << "whatever it is called";
  EXPECT_FALSE(is_session_file(character_));
}

TEST_F(SessionFileTest, DataThatNothingNeedsIsRemovedByTheNextSave) {
  ASSERT_TRUE(save(edited(1)));
  ASSERT_TRUE(save(edited(2)));
  EXPECT_EQ(data_files(), 1u);
  std::ofstream(session_.string() + ".d/notes.txt") << "a person's";
  ASSERT_TRUE(save(document_of(character_)));
  EXPECT_EQ(data_files(), 1u) << "what a person put there stays";
  fs::remove(session_.string() + ".d/notes.txt");
  ASSERT_TRUE(save(document_of(character_)));
  EXPECT_FALSE(fs::exists(session_.string() + ".d")) << "nothing is in it";
}

// A sentence, the old session or the new one, and the next save goes through.
TEST_F(SessionFileTest, AFaultAtAnyFileOperationLeavesAWholeSession) {
  const edit::Document old = edited(1);
  const edit::Document now = edited(3);
  const std::uint64_t old_hash = edit::content_hash(old.content);
  const std::uint64_t new_hash = edit::content_hash(now.content);
  for (const test::WriteCall call : test::kWriteCalls) {
    int faults = 0;
    for (int n = 0; n < 20; ++n) {
      ASSERT_TRUE(save(old));
      Status status;
      {
        const test::WriteFault fault(call, n, ENOSPC);
        status = save(now);
        if (!fault.happened()) {
          break;
        }
      }
      ++faults;
      const std::uint64_t hash = saved_hash();
      EXPECT_TRUE(hash == new_hash || (!status && hash == old_hash)) << static_cast<int>(call) << ", " << n;
      if (!status) {
        EXPECT_EQ(status.error().message.find('\n'), std::string::npos);
        EXPECT_THAT(status.error().message, HasSubstr("No space left"));
      }
      ASSERT_TRUE(save(now));
      EXPECT_EQ(saved_hash(), new_hash);
      EXPECT_EQ(data_files(), 1u);
    }
    EXPECT_GT(faults, 0) << static_cast<int>(call);
  }
}

// Killed before each call that changes a file, one after the other.
TEST_F(SessionFileTest, AKillBetweenAnyTwoCallsLeavesAWholeSession) {
  const edit::Document old = edited(1);
  const edit::Document now = edited(3);
  const std::uint64_t old_hash = edit::content_hash(old.content);
  const std::uint64_t new_hash = edit::content_hash(now.content);
  for (const test::WriteCall call : test::kWriteCalls) {
    bool is_done = false;
    for (int n = 0; !is_done; ++n) {
      ASSERT_LT(n, 100);
      ASSERT_TRUE(save(old));
      is_done = test::in_a_child([&] {
        const test::WriteFault fault(call, n, test::WriteFault::kKill);
        return save(now).has_value();
      });
      const std::uint64_t hash = saved_hash();
      EXPECT_TRUE(hash == new_hash || (!is_done && hash == old_hash)) << static_cast<int>(call) << ", " << n;
      ASSERT_TRUE(save(old)) << n;
      EXPECT_EQ(saved_hash(), old_hash);
      EXPECT_EQ(data_files(), 1u) << "orphans are removed by the next save";
    }
  }
}

TEST_F(SessionFileTest, ACharacterInsideTheFolderMayChange) {
  edit::Document document = edited(1);
  apply(document, edit::SetDof{1, 0, 0.5f});
  ASSERT_TRUE(save(document));
  rig::Character newer = test::cylinder();
  newer.meshes.edit(0).primitives.edit(0).positions.edit()[0].x += 1;
  ASSERT_TRUE(gltf::export_file(newer, character_));
  const Result<OpenedSessionFile> opened = open_session_file(session_, {});
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_TRUE(opened->is_changed);
  EXPECT_EQ(opened->session.lost.size(), 1u);
  EXPECT_EQ(edit::dof_values(opened->session.document, 1)[0], 0.5f);
}

TEST_F(SessionFileTest, ACharacterElsewhereIsOpenedByItsHash) {
  fs::create_directories(base_ / "elsewhere");
  session_ = base_ / "elsewhere/cylinder.pelt";
  const edit::Document document = edited(1);
  ASSERT_TRUE(save(document));
  EXPECT_EQ(saved_hash(), edit::content_hash(document.content));
  ASSERT_TRUE(gltf::export_file(test::elbow(), character_));
  SessionFailure failure;
  EXPECT_FALSE(open_session_file(session_, {}, {}, &failure));
  EXPECT_EQ(failure.kind, SessionFailure::Kind::kOutside);
  EXPECT_THAT(failure.error.message, HasSubstr("lies outside of its folder"));
  SessionOpening agreed;
  agreed.allow_outside = true;
  EXPECT_TRUE(open_session_file(session_, agreed));
  // A link in the folder that leads out of it is outside.
  fs::remove(session_);
  session_ = base_ / "elsewhere/linked.pelt";
  fs::create_symlink(character_, base_ / "elsewhere/link.glb");
  std::ofstream(session_) << R"({"pelt": "session", "version": 1, "source": {"file": "link.glb", "hash": "?"}})";
  EXPECT_FALSE(open_session_file(session_, {}, {}, &failure));
  EXPECT_EQ(failure.kind, SessionFailure::Kind::kOutside);
}

TEST_F(SessionFileTest, AMissingCharacterCanBeLocated) {
  const edit::Document document = edited(1);
  ASSERT_TRUE(save(document));
  fs::create_directories(base_ / "moved");
  fs::rename(character_, base_ / "moved/cylinder.glb");
  SessionFailure failure;
  EXPECT_FALSE(open_session_file(session_, {}, {}, &failure));
  EXPECT_EQ(failure.kind, SessionFailure::Kind::kMissing);
  SessionOpening how;
  how.located = (base_ / "moved/cylinder.glb").string();
  const Result<OpenedSessionFile> opened = open_session_file(session_, how);
  ASSERT_TRUE(opened);
  EXPECT_TRUE(rig::equal(opened->session.document.character->meshes[0].primitives[0],
                         document.character->meshes[0].primitives[0]));
  EXPECT_FALSE(opened->is_changed);
}

// One file, mailed to somebody who has nothing else.
TEST_F(SessionFileTest, InOnePieceItNeedsNothingBesideIt) {
  const edit::Document document = edited(2);
  ASSERT_TRUE(pack_session_file(document, source_of(character_), {}, session_, "{}"));
  fs::create_directories(base_ / "mailed");
  fs::rename(session_, base_ / "mailed/it.pelt");
  session_ = base_ / "mailed/it.pelt";
  fs::remove(character_);
  Result<OpenedSessionFile> opened = open_session_file(session_, {});
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_FALSE(opened->is_changed);
  EXPECT_TRUE(rig::equal(opened->session.document.character->meshes[0].primitives[0],
                         document.character->meshes[0].primitives[0]));
  // It goes on being one file.
  edit::Document& more = opened->session.document;
  apply(more, edit::SetDof{1, 0, 0.25f});
  ASSERT_TRUE(save_session_file(more, opened->source, session_, "{}"));
  EXPECT_EQ(data_files(), 0u);
  EXPECT_EQ(saved_hash(), edit::content_hash(more.content));
}

TEST_F(SessionFileTest, WithBuffersAndFoldersInOnePiece) {
  gltf::ExportOptions separate;
  separate.form = gltf::FileForm::kSeparate;
  fs::create_directories(base_ / "work/parts");
  character_ = (base_ / "work/parts/cylinder.gltf").string();
  ASSERT_TRUE(gltf::export_file(test::cylinder(), character_, separate));
  std::vector<StampedFile> beside;
  gltf::ImportOptions import;
  import.files = &beside;
  Result<rig::Character> character = formats::open_character(character_, import);
  ASSERT_TRUE(character);
  ASSERT_EQ(beside.size(), 1u);
  const edit::Document document = edit::make_document(std::make_shared<const rig::Character>(*std::move(character)));
  const edit::SessionSource source{character_, *formats::source_hash(character_, beside)};
  ASSERT_TRUE(pack_session_file(document, source, beside, session_, "{}"));
  fs::remove_all(base_ / "work/parts");
  const Result<OpenedSessionFile> opened = open_session_file(session_, {});
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_FALSE(opened->is_changed);
}

TEST_F(SessionFileTest, NamesInOnePieceLeadNowhereElse) {
  for (const char* name : {"../evil.glb", "/tmp/evil.glb", "a/../../evil.glb", ""}) {
    std::ofstream(session_, std::ios::trunc)
        << R"({"pelt": "session", "version": 1, "source": {"file": "a.glb", "hash": "?"}, "packed": {"a.glb": "data:,", ")"
        << name << R"(": "data:application/octet-stream;base64,AAAA"}})";
    const Result<OpenedSessionFile> opened = open_session_file(session_, {});
    ASSERT_FALSE(opened) << name;
  }
  EXPECT_FALSE(fs::exists(fs::temp_directory_path() / "evil.glb"));
}

TEST_F(SessionFileTest, DataIsTakenFromItsFolderAlone) {
  ASSERT_TRUE(save(edited(1)));
  std::string text = *read_file(session_);
  const std::size_t at = text.find("\"data\": \"") + 9;
  std::ofstream(base_ / "secret") << "secret";
  text.replace(at, text.find('"', at) - at, "../../secret");
  std::ofstream(session_) << text;
  const Result<OpenedSessionFile> opened = open_session_file(session_, {});
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("expected 32 hexadecimal digits and .bin"));
}

}  // namespace
}  // namespace pelt::cli
