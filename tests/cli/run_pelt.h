#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "edit/edit_fixtures.h"
#include "gltf/export.h"

namespace pelt::test {

struct Outcome {
  int code = -1;  ///< exit code; 128 + signal where the program was killed
  std::string out;
  std::string err;
};

inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A fresh empty folder in which the program runs, with nothing in its environment but the folder as HOME and how many
/// threads draw. Holds `arm.glb` (joints, limits, morph targets, a clip) and `cylinder.glb` (F-CYL) in a folder of
/// their own.
class PeltTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "pelt-cli-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    base_ = pattern;
    folder_ = base_ / "work";
    std::filesystem::create_directories(folder_);
    std::filesystem::create_directories(base_ / "input");
    arm_ = (base_ / "input" / "arm.glb").string();
    cylinder_ = (base_ / "input" / "cylinder.glb").string();
    rig::Character character = arm();
    character.skeleton.name[3] = "hand.l";
    ASSERT_TRUE(gltf::export_file(character, arm_));
    ASSERT_TRUE(gltf::export_file(test::cylinder(), cylinder_));
  }
  void TearDown() override { std::filesystem::remove_all(base_); }

  /// Runs `pelt` with these arguments.
  [[nodiscard]] Outcome pelt(const std::vector<std::string>& arguments, const std::string& standard_input = "/dev/null",
                             const std::string& standard_output = {}) const {
    const std::string out = standard_output.empty() ? (base_ / "stdout").string() : standard_output;
    const std::string err = (base_ / "stderr").string();
    std::vector<std::string> words = {"pelt"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) {
      argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    std::string home = "HOME=" + folder_.string();
    // As many drawing threads as the test has itself: where they are watched, each costs more than it does.
    const char* threads = std::getenv("LP_NUM_THREADS");
    std::string drawing = "LP_NUM_THREADS=" + std::string(threads != nullptr ? threads : "");
    char* environment[] = {home.data(), threads != nullptr ? drawing.data() : nullptr, nullptr};
    const pid_t child = fork();
    if (child == 0) {
      if (freopen(standard_input.c_str(), "rb", stdin) == nullptr || freopen(out.c_str(), "wb", stdout) == nullptr ||
          freopen(err.c_str(), "wb", stderr) == nullptr || chdir(folder_.c_str()) != 0) {
        _exit(126);
      }
      execve(PELT_PROGRAM, argv.data(), environment);
      _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    Outcome outcome;
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    outcome.out = standard_output.empty() ? content_of(out) : std::string();
    outcome.err = content_of(err);
    return outcome;
  }

  /// A file of up to eight influences a vertex, and how many vertices have more than four.
  struct EightInfluences {
    std::string path;
    int above_four = 0;
  };
  [[nodiscard]] EightInfluences eight_influences() const {
    const rig::Character character = test::random_rig({.seed = 8, .joints = 12, .vertices = 90, .influences = 8});
    EightInfluences out{(base_ / "input" / "eight.glb").string()};
    EXPECT_TRUE(gltf::export_file(character, out.path));
    const mesh::Influences& rows = character.meshes[0].primitives[0].influences;
    for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
      out.above_four += rows.count(v) > 4 ? 1 : 0;
    }
    return out;
  }

  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  std::filesystem::path base_;
  std::filesystem::path folder_;  ///< where the program runs
  std::string arm_;
  std::string cylinder_;
};

}  // namespace pelt::test
