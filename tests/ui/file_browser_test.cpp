#include "ui/file_browser.h"
#include "support/output_folder.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace pelt::ui {
namespace {

namespace fs = std::filesystem;

class FileBrowserFolder : public testing::Test {
 protected:
  void SetUp() override {
    // Of this test: they run side by side.
    folder_ = test::output_folder() / "browser" / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "zebra");
    fs::create_directories(folder_ / "Apple");
    fs::create_directories(folder_ / ".hidden");
    for (const char* name : {"b.glb", "A.GLTF", "notes.txt", "pose.json", ".secret.glb"}) {
      std::ofstream(folder_ / name) << "12345";
    }
  }
  fs::path folder_;
};

std::vector<std::string> names(const FileBrowser& browser) {
  std::vector<std::string> result;
  for (const BrowserEntry& entry : browser.entries) {
    result.push_back(entry.name);
  }
  return result;
}

TEST_F(FileBrowserFolder, ListsFoldersFirstThenWhatCanBeOpened) {
  FileBrowser browser;
  enter(browser, folder_);
  EXPECT_TRUE(browser.error.empty());
  EXPECT_EQ(names(browser), (std::vector<std::string>{"Apple", "zebra", "A.GLTF", "b.glb"}));
  EXPECT_EQ(browser.entries[3].bytes, 5u);
}

TEST_F(FileBrowserFolder, PosesAreJson) {
  FileBrowser browser;
  browser.purpose = BrowserPurpose::kOpenPose;
  enter(browser, folder_);
  EXPECT_EQ(names(browser), (std::vector<std::string>{"Apple", "zebra", "pose.json"}));
}

TEST_F(FileBrowserFolder, AFolderThatCannotBeReadIsNamedAndTheOldOneStays) {
  FileBrowser browser;
  enter(browser, folder_);
  enter(browser, folder_ / "missing");
  EXPECT_EQ(browser.folder, folder_);
  EXPECT_EQ(browser.entries.size(), 4u);
  EXPECT_NE(browser.error.find("missing"), std::string::npos);
  EXPECT_NE(browser.error.find("No such file or directory"), std::string::npos);
}

}  // namespace
}  // namespace pelt::ui
