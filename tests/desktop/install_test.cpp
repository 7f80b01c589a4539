// What `cmake --install` puts in place, tried as a desktop would: from a folder of its own, without a display.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.h"
#include "core/text.h"
#include "render/offscreen_context.h"
#include "support/output_folder.h"
#include "support/program.h"
#include "support/requirements.h"

namespace pelt {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kDesktop = fs::path(PELT_SOURCE_DIR) / "assets" / "desktop";

struct Finished {
  int code = -1;
  std::string output;  ///< both streams
};

std::string text_of(const fs::path& path) {
  const Result<std::string> text = read_file(path);
  return text ? *text : std::string();
}

// Of this process alone: tests run at the same time.
fs::path own_folder() {
  return test::output_folder() / "desktop" / std::to_string(getpid());
}

// A shell's command. Its output goes through a file of that name.
Finished run(const std::string& name, const std::string& command) {
  const fs::path log = own_folder() / (name + ".log");
  fs::create_directories(log.parent_path());
  const int status = std::system(fmt::format("{{ {}\n}} >'{}' 2>&1 </dev/null", command, log.string()).c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128, text_of(log)};
}

bool has_program(const std::string& name) {
  return run("has_program", "command -v " + name).code == 0;
}

// The value of a key in a desktop file.
std::string value_of(const fs::path& path, const std::string& key) {
  const std::string text = text_of(path);
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with(key + "=")) {
      return std::string(line.substr(key.size() + 1));
    }
  }
  ADD_FAILURE() << path << " has no " << key;
  return {};
}

std::vector<std::string> words_of(const std::string& text, char separator) {
  std::vector<std::string> words;
  for (const std::string_view word : split(text, separator)) {
    if (!word.empty()) {
      words.emplace_back(word);
    }
  }
  return words;
}

class Install : public testing::Test {
 protected:
  // Once for all tests: the build, installed under /usr of a folder of its own.
  static void SetUpTestSuite() {
    stage_ = new fs::path(own_folder() / "stage");
    const Finished install = run("install", fmt::format("DESTDIR='{}' '{}' --install '{}' --prefix /usr",
                                                        stage_->string(), PELT_CMAKE, PELT_BUILD_DIR));
    ASSERT_EQ(install.code, 0) << install.output;
  }
  static void TearDownTestSuite() {
    fs::remove_all(own_folder());
    delete stage_;
  }

  [[nodiscard]] static fs::path installed(const std::string& path) { return *stage_ / "usr" / path; }
  [[nodiscard]] static fs::path share(const std::string& path) { return installed("share") / path; }

  // The thumbnailer's command line with the codes replaced, as file managers do it: absolute names, no environment but
  // where programs are, and an output that no ending explains.
  static Finished thumbnail(const fs::path& input, const fs::path& output, int size) {
    std::string line;
    for (const std::string& word : words_of(value_of(share("thumbnailers/pelt.thumbnailer"), "Exec"), ' ')) {
      std::string filled;
      for (std::size_t i = 0; i < word.size(); ++i) {
        const std::string code = word.substr(i, 2);
        const bool known = code == "%i" || code == "%o" || code == "%s";
        filled += code == "%i"   ? input.string()
                  : code == "%o" ? output.string()
                  : code == "%s" ? std::to_string(size)
                                 : std::string(1, word[i]);
        i += known ? 1 : 0;
      }
      line += fmt::format(" '{}'", filled);
    }
    std::string drawing;
    for (const char* name : test::kDrawingVariables) {
      if (const char* value = std::getenv(name)) {
        drawing += fmt::format("{}='{}' ", name, value);
      }
    }
    return run("thumbnail", fmt::format("cd / && env -i PATH='{}' {}{}", installed("bin").string(), drawing, line));
  }

  static fs::path* stage_;
};

fs::path* Install::stage_ = nullptr;

TEST_F(Install, PutsTheseFilesInPlaceAndNoOthers) {
  std::set<std::string> wanted = {"bin/pelt",
                                  "share/bash-completion/completions/pelt",
                                  "share/fish/vendor_completions.d/pelt.fish",
                                  "share/man/man1/pelt.1.gz",
                                  "share/mime/packages/pelt.xml",
                                  "share/thumbnailers/pelt.thumbnailer",
                                  "share/zsh/vendor-completions/_pelt"};
#ifdef PELT_WINDOW
  wanted.insert({"share/applications/pelt.desktop", "share/icons/hicolor/scalable/apps/pelt.svg",
                 "share/metainfo/example.pelt.pelt.metainfo.xml"});
#endif
  std::set<std::string> found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(*stage_)) {
    if (!entry.is_directory()) {
      found.insert(entry.path().lexically_relative(*stage_ / "usr").string());
    }
  }
  EXPECT_EQ(found, wanted);
}

TEST_F(Install, UnderAnotherPrefixZshFindsItsFileElsewhere) {
  const fs::path other = own_folder() / "local";
  const Finished install = run(
      "install_local", fmt::format("'{}' --install '{}' --prefix '{}'", PELT_CMAKE, PELT_BUILD_DIR, other.string()));
  ASSERT_EQ(install.code, 0) << install.output;
  EXPECT_TRUE(fs::exists(other / "share/zsh/site-functions/_pelt"));
  EXPECT_TRUE(fs::exists(other / "bin/pelt"));
}

TEST_F(Install, DescriptionsAreThoseOfTheProgramThatIsInstalled) {
  const std::vector<std::pair<std::string, std::string>> files = {{"bash", "bash-completion/completions/pelt"},
                                                                  {"fish", "fish/vendor_completions.d/pelt.fish"},
                                                                  {"zsh", "zsh/vendor-completions/_pelt"}};
  for (const auto& [form, path] : files) {
    const Finished said = run("describe", fmt::format("'{}' describe {}", installed("bin/pelt").string(), form));
    EXPECT_EQ(said.code, 0) << said.output;
    EXPECT_NE(said.output.find("no-grid"), std::string::npos) << form;
    EXPECT_TRUE(said.output == text_of(share(path))) << form;
  }
  const Finished page = run("manual", fmt::format("gzip -dc '{}'", share("man/man1/pelt.1.gz").string()));
  EXPECT_THAT(page.output, HasSubstr("\n.SS render\n"));
}

TEST_F(Install, ThumbnailerWorksWithoutDisplayAndEnvironment) {
  const auto context = render::OffscreenContext::create();
  PELT_NEEDS_GL(context);
  const fs::path folder = own_folder() / "thumbnails";
  fs::create_directories(folder);
  for (const char* name : {"cylinder.glb", "a name with spaces.glb"}) {
    const fs::path input = folder / name;
    fs::copy_file(fs::path(PELT_SOURCE_DIR) / "assets" / "cylinder.glb", input);
    const fs::path output = folder / "out";
    const Finished drawn = thumbnail(input, output, 64);
    EXPECT_EQ(drawn.code, 0) << drawn.output;
    EXPECT_EQ(drawn.output, "");
    const std::string bytes = text_of(output);
    ASSERT_GT(bytes.size(), 24u);
    EXPECT_EQ(bytes.substr(1, 3), "PNG");
    // Width and height stand behind the first chunk's name, most significant byte first.
    EXPECT_EQ(bytes.substr(16, 8), std::string("\0\0\0\x40\0\0\0\x40", 8));
    EXPECT_GT(bytes.size(), 1000u) << "an empty picture is smaller";
    fs::remove(output);
    fs::remove(input);
    EXPECT_TRUE(fs::is_empty(folder)) << "nothing else may be left";
  }
}

TEST_F(Install, ThumbnailerRefusesWhatIsBrokenInOneSentence) {
  const fs::path folder = own_folder() / "broken";
  fs::create_directories(folder);
  const Finished drawn = thumbnail(kDesktop / "pelt.svg", folder / "out", 64);
  EXPECT_EQ(drawn.code, 1);
  EXPECT_TRUE(drawn.output.starts_with("pelt: ")) << drawn.output;
  EXPECT_EQ(std::ranges::count(drawn.output, '\n'), 1);
  EXPECT_TRUE(fs::is_empty(folder));
}

// The types that the desktop file opens and the thumbnailer draws: those of glTF, which shared-mime-info knows, and
// ours.
TEST_F(Install, TypesAreTheSameEverywhere) {
  const std::string types = value_of(kDesktop / "pelt.desktop", "MimeType");
  EXPECT_EQ(value_of(kDesktop / "pelt.thumbnailer", "MimeType"), types);
  const std::string ours = text_of(kDesktop / "pelt.xml");
  const std::string metainfo = text_of(kDesktop / "example.pelt.pelt.metainfo.xml");
  int declared = 0;
  for (const std::string& type : words_of(types, ';')) {
    const bool of_gltf = type.starts_with("model/gltf");
    EXPECT_EQ(ours.find(fmt::format("<mime-type type=\"{}\">", type)) == std::string::npos, of_gltf) << type;
    EXPECT_THAT(metainfo, HasSubstr(fmt::format("<mediatype>{}</mediatype>", type)));
    declared += of_gltf ? 0 : 1;
  }
  EXPECT_EQ(declared, 3);
}

TEST_F(Install, DatabaseOfTypesTakesVrmForAnAvatar) {
  const fs::path known = "/usr/share/mime/packages/freedesktop.org.xml";
  if (!has_program("update-mime-database") || !fs::exists(known)) {
    GTEST_SKIP() << "shared-mime-info is not installed";
  }
  const fs::path types = own_folder() / "mime";
  fs::create_directories(types / "packages");
  fs::copy_file(known, types / "packages" / "freedesktop.org.xml");
  fs::copy_file(share("mime/packages/pelt.xml"), types / "packages" / "pelt.xml");
  const Finished update =
      run("mime", fmt::format("XDG_DATA_DIRS='{}' update-mime-database '{}'", own_folder().string(), types.string()));
  EXPECT_EQ(update.code, 0) << update.output;
  EXPECT_EQ(update.output, "");
  const std::string globs = text_of(types / "globs2");
  for (const char* line :
       {"60:model/x-vrm:*.vrm\n", "50:model/vrml:*.vrm\n", "50:model/x-bvh:*.bvh\n",
        "50:application/x-pelt-session:*.pelt\n", "50:model/gltf-binary:*.glb\n", "50:model/gltf+json:*.gltf\n"}) {
    EXPECT_THAT(globs, HasSubstr(line));
  }
  const std::string magic = text_of(types / "magic");
  // Before that of glTF, which is 50: an avatar without an ending is told from other characters.
  EXPECT_THAT(magic, HasSubstr("[60:model/x-vrm]\n"));
  EXPECT_THAT(magic, HasSubstr("[50:model/x-bvh]\n"));
  EXPECT_THAT(magic, HasSubstr("[60:application/x-pelt-session]\n"));
}

TEST_F(Install, ValidatorsAreContent) {
  if (has_program("desktop-file-validate")) {
    const Finished check =
        run("desktop_file", fmt::format("desktop-file-validate '{}'", (kDesktop / "pelt.desktop").string()));
    EXPECT_EQ(check.code, 0);
    EXPECT_EQ(check.output, "");
  }
  if (has_program("appstreamcli")) {
    const Finished check = run("appstream", fmt::format("appstreamcli validate --no-net '{}'",
                                                        (kDesktop / "example.pelt.pelt.metainfo.xml").string()));
    EXPECT_EQ(check.code, 0) << check.output;
  }
  // What starts the window is the program that is installed, and there is such an icon.
  EXPECT_EQ(value_of(kDesktop / "pelt.desktop", "Exec"), "pelt view %f");
  EXPECT_TRUE(fs::exists(kDesktop / (value_of(kDesktop / "pelt.desktop", "Icon") + ".svg")));
}

}  // namespace
}  // namespace pelt
