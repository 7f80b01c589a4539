#pragma once

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
#include "support/program.h"

namespace pelt::test {

inline constexpr double kLongestRun = 600;  // seconds, on a machine with much else to do

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
    character.skeleton.edit().name[3] = "hand.l";
    ASSERT_TRUE(gltf::export_file(character, arm_));
    ASSERT_TRUE(gltf::export_file(test::cylinder(), cylinder_));
  }
  void TearDown() override { std::filesystem::remove_all(base_); }

  /// Runs `pelt` with these arguments.
  [[nodiscard]] Outcome pelt(const std::vector<std::string>& arguments, const std::string& standard_input = "/dev/null",
                             const std::string& standard_output = {}) const {
    const Ran ran = run_pelt(arguments, {.folder = folder_,
                                         .input = standard_input,
                                         .output = standard_output,
                                         .environment = environment_,
                                         .limit = kLongestRun});
    return {ran.signal != 0 ? 128 + ran.signal : ran.code, ran.out, ran.err};
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
  std::vector<std::string> environment_;  ///< "NAME=value": more of it
};

}  // namespace pelt::test
