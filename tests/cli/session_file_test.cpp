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
#include "gltf/uri.h"
#include "rig/character_parts.h"
#include "support/output_folder.h"
#include "support/write_faults.h"

namespace pelt::cli {
namespace {

namespace fs = std::filesystem;

using test::apply;
using testing::HasSubstr;

class SessionFileTest : public testing::Test {
 protected:
  void SetUp() override {
    base_ = test::output_folder() / "session_file" / testing::UnitTest::GetInstance()->current_test_info()->name();
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
  // In one piece it has no path to its character, which the hash of all would see.
  void expect_opens_as(const edit::Document& document) const {
    const Result<OpenedSessionFile> opened = open_session_file(session_, {});
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_FALSE(opened->is_changed);
    EXPECT_TRUE(opened->session.lost.empty());
    EXPECT_TRUE(rig::equal(opened->session.document.character->meshes[0].primitives[0],
                           document.character->meshes[0].primitives[0]));
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
  EXPECT_EQ(data_files(), 2u) << "rows, and their surface";
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
  EXPECT_EQ(data_files(), 2u);
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
      EXPECT_EQ(data_files(), 2u);
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
      EXPECT_EQ(data_files(), 2u) << "orphans are removed by the next save";
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

// Names of strangers' files. Everything else about these sessions is sound, as that with a good name shows.
TEST_F(SessionFileTest, NamesInOnePieceLeadNowhereElse) {
  const auto message = [&](const std::string& name) {
    const Result<FileBytes> bytes = read_file_bytes(character_);
    const std::string uri = gltf::data_uri(bytes->bytes());
    std::ofstream(session_, std::ios::trunc)
        << R"({"pelt": "session", "version": 1, "source": {"file": "a.glb", "hash": "?"}, "packed": {"a.glb": ")" << uri
        << "\", \"" << name << R"(": "data:application/octet-stream;base64,AAAA"}})";
    const Result<OpenedSessionFile> opened = open_session_file(session_, {});
    return opened ? std::string() : opened.error().message;
  };
  EXPECT_EQ(message("b/inner.glb"), "");
  const fs::path evil = fs::temp_directory_path() / "evil.glb";
  fs::remove(evil);
  for (const std::string name : {"../evil.glb", "/tmp/evil.glb", "a/../../evil.glb", "", "./evil.glb",
                                 "percent:..%2Fevil.glb", "percent:%2Ftmp/evil.glb"}) {
    EXPECT_THAT(message(name), HasSubstr("expected the name of a file within")) << name;
  }
  for (const std::string name : {"evil.glb\\u0000", "percent:evil.glb%00"}) {
    EXPECT_THAT(message(name), HasSubstr("expected the name of a file")) << name;
  }
  EXPECT_FALSE(fs::exists(evil));
}

// The folder as one enters it and the folder as it lies have other ways to the character.
TEST_F(SessionFileTest, AFolderMayBeReachedThroughALink) {
  fs::create_directories(base_ / "deep/er/store");
  fs::create_directory_symlink(base_ / "deep/er/store", base_ / "link");
  session_ = base_ / "link/cylinder.pelt";
  const edit::Document document = edited(1);
  ASSERT_TRUE(save(document));
  EXPECT_EQ(saved_hash(), edit::content_hash(document.content));
  session_ = base_ / "deep/er/store/cylinder.pelt";
  EXPECT_EQ(saved_hash(), edit::content_hash(document.content));
}

TEST_F(SessionFileTest, ASessionMayBeALinkItself) {
  fs::create_directories(base_ / "deep/er");
  session_ = base_ / "deep/er/cylinder.pelt";
  ASSERT_TRUE(save(edited(1)));
  const fs::path real = session_;
  session_ = base_ / "work/link.pelt";
  fs::create_symlink(real, session_);
  const edit::Document document = edited(2);
  ASSERT_TRUE(save(document));
  EXPECT_TRUE(fs::is_symlink(session_));
  EXPECT_EQ(saved_hash(), edit::content_hash(document.content));
  session_ = real;
  EXPECT_EQ(saved_hash(), edit::content_hash(document.content));
  EXPECT_EQ(data_files(), 2u) << "with the session, not with the link";
}

// What stands beside the link is not what stands beside the file that it leads to.
TEST_F(SessionFileTest, ACharacterThatIsALinkKeepsItsOwnName) {
  fs::create_directories(base_ / "work/store");
  fs::rename(character_, base_ / "work/store/v3.glb");
  fs::create_symlink("store/v3.glb", character_);
  EXPECT_EQ(source_from(session_, character_), "cylinder.glb");
}

TEST_F(SessionFileTest, AnAtMayBeginAName) {
  fs::create_directories(base_ / "work/@scope");
  for (const char* name : {"@scope/hero.glb", "@hero.glb", "percent:41.glb"}) {
    character_ = (base_ / "work" / name).string();
    ASSERT_TRUE(gltf::export_file(test::cylinder(), character_));
    const edit::Document document = edited(1);
    ASSERT_TRUE(save(document));
    EXPECT_EQ(saved_hash(), edit::content_hash(document.content)) << name;
    ASSERT_TRUE(pack_session_file(document, source_of(character_), {}, session_, "{}"));
    expect_opens_as(document);
  }
  EXPECT_EQ(source_from(session_, "@mannequin"), "@mannequin") << "a character of the program's own";
}

TEST_F(SessionFileTest, ANameNeedNotBeUtf8) {
  const std::string name = "f\xfc\xdf%41 100%.glb";
  character_ = (base_ / "work" / name).string();
  ASSERT_TRUE(gltf::export_file(test::cylinder(), character_));
  const edit::Document document = edited(1);
  const Status saved = save(document);
  ASSERT_TRUE(saved) << saved.error().message;
  EXPECT_EQ(saved_hash(), edit::content_hash(document.content));
  const Status packed = pack_session_file(document, source_of(character_), {}, session_, "{}");
  ASSERT_TRUE(packed) << packed.error().message;
  fs::remove(character_);
  const Result<OpenedSessionFile> opened = open_session_file(session_, {});
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->source.file, name);
  ASSERT_TRUE(save_session_file(opened->session.document, opened->source, session_, "{}"));
  expect_opens_as(document);
}

// A character of several files, all of which the test names as it likes.
class PackedFilesTest : public SessionFileTest {
 protected:
  void SetUp() override {
    SessionFileTest::SetUp();
    gltf::ExportOptions separate;
    separate.form = gltf::FileForm::kSeparate;
    character_ = (base_ / "work/cylinder.gltf").string();
    ASSERT_TRUE(gltf::export_file(test::cylinder(), character_, separate));
    const std::string text = *read_file(character_);
    const std::size_t at = text.find("\"uri\"");
    const std::size_t begin = text.find('"', text.find(':', at)) + 1;
    buffer_ = text.substr(begin, text.find('"', begin) - begin);
    ASSERT_TRUE(fs::exists(base_ / "work" / buffer_));
  }
  // Calls the buffer so in the document.
  void name_buffer(const std::string& uri) {
    std::string text = *read_file(character_);
    text.replace(text.find(buffer_), buffer_.size(), uri);
    std::ofstream(character_, std::ios::trunc) << text;
  }
  [[nodiscard]] Status pack(bool allow_outside = false) const {
    std::vector<StampedFile> beside;
    gltf::ImportOptions import;
    import.files = &beside;
    import.allow_outside_uris = allow_outside;
    Result<rig::Character> character = formats::open_character(character_, import);
    EXPECT_TRUE(character) << character.error().message;
    edit::Document document = edit::make_document(std::make_shared<const rig::Character>(*std::move(character)));
    apply(document, edit::SmoothWeights{});
    const edit::SessionSource source{character_, *formats::source_hash(character_, beside)};
    return pack_session_file(document, source, beside, session_, "{}");
  }
  // Packs it and opens it elsewhere, twice: as it was packed, and as it was saved again.
  void check_mailed() {
    const Status packed = pack();
    ASSERT_TRUE(packed) << packed.error().message;
    fs::create_directories(base_ / "mailed");
    fs::rename(session_, base_ / "mailed/it.pelt");
    fs::remove_all(base_ / "work");
    session_ = base_ / "mailed/it.pelt";
    for (const char* when : {"packed", "saved again"}) {
      const Result<OpenedSessionFile> opened = open_session_file(session_, {});
      ASSERT_TRUE(opened) << when << ": " << opened.error().message;
      EXPECT_FALSE(opened->is_changed) << when;
      EXPECT_TRUE(opened->session.lost.empty()) << when;
      EXPECT_FALSE(rig::equal(*opened->session.document.character, *opened->session.document.file)) << "weights";
      const Status saved = save_session_file(opened->session.document, opened->source, session_, "{}");
      ASSERT_TRUE(saved) << saved.error().message;
    }
  }

  std::string buffer_;
};

TEST_F(PackedFilesTest, TheCharacterMayBeALink) {
  fs::create_directories(base_ / "work/store");
  fs::rename(character_, base_ / "work/store/v3.gltf");
  fs::create_symlink("store/v3.gltf", character_);
  check_mailed();
}

TEST_F(PackedFilesTest, ABufferMayBeALink) {
  fs::create_directories(base_ / "work/store");
  fs::rename(base_ / "work" / buffer_, base_ / "work/store/v3");
  fs::create_symlink("store/v3", base_ / "work" / buffer_);
  check_mailed();
}

TEST_F(PackedFilesTest, ItsFolderMayBeALink) {
  fs::create_directories(base_ / "work/far/away");
  fs::rename(base_ / "work" / buffer_, base_ / "work/far/away" / buffer_);
  fs::rename(character_, base_ / "work/far/away/cylinder.gltf");
  fs::create_directory_symlink("far/away", base_ / "work/near");
  character_ = (base_ / "work/near/cylinder.gltf").string();
  check_mailed();
}

TEST_F(PackedFilesTest, ABufferMayBeCalledAsSessionDataIs) {
  const std::string name = "d41d8cd98f00b204e9800998ecf8427e.bin";
  fs::rename(base_ / "work" / buffer_, base_ / "work" / name);
  name_buffer(name);
  check_mailed();
}

TEST_F(PackedFilesTest, ABuffersNameNeedNotBeUtf8) {
  fs::create_directories(base_ / "work/\xff");
  fs::rename(base_ / "work" / buffer_, base_ / "work/\xff/\xfe.bin");
  name_buffer("%FF/%FE.bin");
  check_mailed();
}

// Names that only a program that was allowed to leave the folder can follow.
TEST_F(PackedFilesTest, WhatCouldNotBeOpenedIsNotWritten) {
  fs::create_directories(base_ / "work/sub");
  name_buffer("sub/../" + buffer_);
  const Status packed = pack(true);
  ASSERT_FALSE(packed);
  EXPECT_THAT(packed.error().message, HasSubstr("could not be opened again"));
  EXPECT_FALSE(fs::exists(session_));
  EXPECT_EQ(packed.error().message.find("/pelt-"), std::string::npos) << "no path of a moment";
}

TEST_F(PackedFilesTest, WhatChangedMeanwhileIsNotPackedAsWhatItWas) {
  const Result<rig::Character> character = formats::open_character(character_);
  edit::Document document = edit::make_document(std::make_shared<const rig::Character>(*character));
  apply(document, edit::SmoothWeights{});
  rig::Character newer = test::cylinder();
  newer.meshes.edit(0).primitives.edit(0).positions.edit()[0].x += 1;
  ASSERT_TRUE(gltf::export_file(newer, character_));
  const Status packed = pack_session_file(document, {character_, "sha256:0"}, {}, session_, "{}");
  ASSERT_FALSE(packed);
  EXPECT_THAT(packed.error().message, HasSubstr("edits of"));
}

TEST_F(SessionFileTest, PackingOverASessionTakesItsDataAlong) {
  const edit::Document document = edited(1);
  ASSERT_TRUE(save(document));
  ASSERT_EQ(data_files(), 2u);
  ASSERT_TRUE(pack_session_file(document, source_of(character_), {}, session_, "{}"));
  EXPECT_FALSE(fs::exists(session_.string() + ".d"));
  expect_opens_as(document);
}

// As the first program that had them wrote sessions in one piece: data among the character's files.
TEST_F(SessionFileTest, DataMayStandAmongTheFilesThatArePacked) {
  const edit::Document document = edited(1);
  ASSERT_TRUE(save(document));
  std::string text = *read_file(session_);
  std::string packed =
      ",\n  \"packed\": {\n    \"cylinder.glb\": \"" + gltf::data_uri(read_file_bytes(character_)->bytes()) + '"';
  for (const auto& file : fs::directory_iterator(session_.string() + ".d")) {
    packed += ",\n    \"" + file.path().filename().string() + "\": \"" +
              gltf::data_uri(read_file_bytes(file.path())->bytes()) + '"';
  }
  text.insert(text.rfind('}') - 1, packed + "\n  }");
  fs::remove_all(base_ / "work");
  fs::create_directories(base_ / "work");
  std::ofstream(session_) << text;
  Result<OpenedSessionFile> opened = open_session_file(session_, {});
  ASSERT_TRUE(opened) << opened.error().message;
  expect_opens_as(document);
  EXPECT_EQ(opened->session.document.origin.packed->size(), 1u) << "the character alone";
  ASSERT_TRUE(save_session_file(opened->session.document, opened->source, session_, "{}"));
  expect_opens_as(document);
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
