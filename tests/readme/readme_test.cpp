// What the README says is true: every `pelt` line in a shell block runs from an empty folder, every picture is what the
// command in the comment above it makes today.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/file.h"
#include "core/text.h"
#include "support/image_compare.h"
#include "support/output_folder.h"
#include "support/program_path.h"

namespace pelt {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> readme_lines() {
  const Result<std::string> text = read_file(fs::path(PELT_SOURCE_DIR) / "README.md");
  std::vector<std::string> lines;
  if (text) {
    for (const std::string_view line : split(*text, '\n')) {
      lines.emplace_back(line);
    }
  }
  return lines;
}

fs::path empty_folder(const std::string& name) {
  const fs::path folder = test::output_folder() / "readme" / name;
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

// "pelt ARGUMENTS" with the program's path in place of its name, run in `folder`, no display.
int run_in(const fs::path& folder, const std::string& line) {
  const std::string command = fmt::format("cd '{}' && env -u DISPLAY -u WAYLAND_DISPLAY '{}' {} > stdout 2> stderr",
                                          folder.string(), test::program_path(), line.substr(5));
  return std::system(command.c_str());
}

TEST(Readme, EveryCommandRunsFromAnEmptyFolder) {
  bool in_shell = false;
  int count = 0;
  for (const std::string& raw : readme_lines()) {
    if (raw.rfind("```", 0) == 0) {
      in_shell = raw == "```sh";
      continue;
    }
    if (!in_shell || raw.rfind("pelt ", 0) != 0 || raw.rfind("pelt view", 0) == 0) {
      continue;  // the window has its own scripted run
    }
    const std::string line = raw.substr(0, raw.find(" #"));
    const fs::path folder = empty_folder("command_" + std::to_string(count++));
    EXPECT_EQ(run_in(folder, line), 0) << line << "\n" << *read_file(folder / "stderr");
  }
  EXPECT_GE(count, 8);
}

TEST(Readme, EveryPictureIsWhatItsCommandMakes) {
  constexpr std::string_view kOpen = "<!-- pelt ";
  int count = 0;
  for (const std::string& raw : readme_lines()) {
    if (raw.rfind(kOpen, 0) != 0) {
      continue;
    }
    const std::string line = raw.substr(5, raw.find(" -->") - 5);
    const std::string path = line.substr(line.rfind(' ') + 1);
    const fs::path folder = empty_folder("picture_" + std::to_string(count++));
    fs::create_directories(folder / fs::path(path).parent_path());
    ASSERT_EQ(run_in(folder, line), 0) << line << "\n" << *read_file(folder / "stderr");
    const fs::path recorded = fs::path(PELT_SOURCE_DIR) / path;
    if (std::getenv("PELT_RECORD_GOLDEN") != nullptr) {
      fs::create_directories(recorded.parent_path());
      fs::copy_file(folder / path, recorded, fs::copy_options::overwrite_existing);
      continue;
    }
    EXPECT_EQ(test::compare_pictures(folder / path, recorded, folder / "difference.png"), "");
  }
  EXPECT_GE(count, 1);
}

}  // namespace
}  // namespace pelt
