// Every file of the corpus beside the checkout. Without the corpus these tests skip; sample characters cover the code.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "core/file.h"
#include "core/text.h"
#include "gltf/export.h"
#include "gltf/import.h"
#include "rig/kinematics.h"
#include "support/effort.h"
#include "support/requirements.h"

namespace pelt {
namespace {

namespace fs = std::filesystem;

const fs::path kCorpus = PELT_CORPUS_DIR;

bool all_finite(const rig::Character& character) {
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, rig::rest_pose(character));
  std::vector<glm::mat4> matrices;
  for (const rig::Part& part : character.parts) {
    const mesh::Primitive& primitive = character.primitive(part);
    if (part.skin >= 0) {
      const rig::Skin& skin = character.skins[part.skin];
      matrices.resize(skin.joints.size());
      rig::skin_matrices(skin, world.world(), matrices);
    }
    for (std::size_t v = 0; v < primitive.vertex_count(); ++v) {
      glm::vec4 position(0.0f);
      const glm::vec4 bound(primitive.positions[v], 1.0f);
      if (part.skin >= 0 && !primitive.influences->empty()) {
        const mesh::Influences& rows = primitive.influences;
        const mesh::InfluenceRow row = rows.row(v);
        for (std::size_t k = 0; k < row.joints.size(); ++k) {
          position += row.weights[k] * (matrices[row.joints[k]] * bound);
        }
      } else {
        position = world[part.joint] * bound;
      }
      if (!std::isfinite(position.x) || !std::isfinite(position.y) || !std::isfinite(position.z)) {
        return false;
      }
    }
  }
  return true;
}

class Corpus : public testing::Test {
 protected:
  void SetUp() override { PELT_NEEDS_CORPUS("README.md"); }
};

std::vector<std::string> sound_files() {
  std::vector<std::string> files;
  for (const char* folder : {"characters", "features", "derived", "unrigged"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kCorpus / folder)) {
      if (entry.path().extension() == ".glb" || entry.path().extension() == ".gltf") {
        files.push_back(fs::relative(entry.path(), kCorpus).generic_string());
      }
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST_F(Corpus, EverySoundFileOpens) {
  const std::vector<std::string> files = sound_files();
  EXPECT_GT(files.size(), 60U);
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    const auto character = gltf::import_file(kCorpus / file);
    ASSERT_TRUE(character) << character.error().message;
    EXPECT_TRUE(all_finite(*character));
    if (std::getenv("PELT_SHOW_DIAGNOSTICS") != nullptr) {
      for (const Diagnostic& diagnostic : character->diagnostics) {
        std::printf("%s: %s: %s: %s\n", file.c_str(), diagnostic.code.c_str(), diagnostic.place.c_str(),
                    diagnostic.message.c_str());
      }
    }
  }
}

struct InvalidFile {
  std::string path;
  std::string expected;
};

std::vector<InvalidFile> invalid_files() {
  std::vector<InvalidFile> files;
  std::ifstream list(kCorpus / "invalid" / "EXPECTED.tsv");
  for (std::string line; std::getline(list, line);) {
    const auto fields = split(line, '\t');
    if (fields.size() >= 2 && line[0] != '#') {
      files.push_back({std::string(fields[0]), std::string(fields[1])});
    }
  }
  return files;
}

TEST_F(Corpus, EveryInvalidFileIsRefusedOrLoadsFinite) {
  const std::vector<InvalidFile> files = invalid_files();
  EXPECT_EQ(files.size(), 175U);
  for (const InvalidFile& file : files) {
    SCOPED_TRACE(file.path);
    Result<rig::Character> character = error("not read");
    EXPECT_LT(test::processor_seconds([&] { character = gltf::import_file(kCorpus / "invalid" / file.path); }),
              2.0 * test::kSlowness);
    if (std::getenv("PELT_SHOW_DIAGNOSTICS") != nullptr) {
      std::printf("%s %s: %s\n", file.expected.c_str(), file.path.c_str(),
                  character ? "loads" : character.error().message.c_str());
      for (const Diagnostic& diagnostic : character ? character->diagnostics : Diagnostics()) {
        std::printf("    %s: %s: %s\n", diagnostic.code.c_str(), diagnostic.place.c_str(), diagnostic.message.c_str());
      }
    }
    if (character) {
      EXPECT_NE(file.expected, "malformed");
      EXPECT_TRUE(all_finite(*character));
    } else {
      EXPECT_NE(file.expected, "odd") << character.error().message;
      EXPECT_FALSE(character.error().message.empty());
      EXPECT_LT(character.error().message.size(), 500U);
      EXPECT_EQ(character.error().message.find('\n'), std::string::npos);
    }
  }
}

/// Runs this program again with only the tests that read hostile files, and looks at its peak memory.
TEST(Memory, HostileFilesTakeLessThanOneGigabyte) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "shadow memory and quarantine of the sanitizer count too";
#endif
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // All of them, however many processes the tests of this program are dealt to.
    unsetenv("GTEST_TOTAL_SHARDS");
    unsetenv("GTEST_SHARD_INDEX");
    execl("/proc/self/exe", "test_gltf",
          "--gtest_filter=ImportMemory.*:ImportFiles.WhatIsNamedOften*:Corpus.EveryInvalid*", "--gtest_brief=1",
          nullptr);
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  ASSERT_EQ(wait4(child, &status, 0, &usage), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_LT(usage.ru_maxrss, 1'000'000) << "kilobytes";
  RecordProperty("peak_kilobytes", static_cast<int>(usage.ru_maxrss));
}

}  // namespace
}  // namespace pelt
