// Every file of the corpus beside the checkout. Without the corpus these tests skip; sample characters cover the code.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "gltf/import.h"
#include "gltf/invalid_files.h"
#include "rig/kinematics.h"
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

// hostile_cost_test.cpp measures the time and the memory.
TEST_F(Corpus, EveryInvalidFileIsRefusedOrLoadsFinite) {
  const std::vector<test::InvalidFile> files = test::invalid_files();
  EXPECT_EQ(files.size(), 175U);
  for (const test::InvalidFile& file : files) {
    SCOPED_TRACE(file.path);
    const Result<rig::Character> character = gltf::import_file(kCorpus / "invalid" / file.path);
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

}  // namespace
}  // namespace pelt
