#include "cli/lint_benchmark.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "gltf/import.h"
#include "support/requirements.h"

namespace pelt::cli {
namespace {

namespace fs = std::filesystem;

BenchmarkedCharacter read(const fs::path& path) {
  Result<rig::Character> character = gltf::import_file(path);
  EXPECT_TRUE(character) << path;
  return {path.stem().string(),
          std::make_shared<const rig::Character>(character ? *std::move(character) : rig::Character())};
}

BenchmarkedCharacter mannequin() {
  return read(fs::path(PELT_SOURCE_DIR) / "assets" / "mannequin.glb");
}

// At least 95 of 100 planted vertices of every fault are named, mends leave none of them, and sound characters have
// less than one vertex in a hundred that is named.
std::map<std::string, std::set<std::string>> expect_named(const std::vector<BenchmarkedCharacter>& characters) {
  std::map<std::string, std::set<std::string>> files;  // by fault
  const Result<std::string> text = benchmark_lint(characters, true);
  EXPECT_TRUE(text) << text.error().message;
  const nlohmann::json all = nlohmann::json::parse(text ? *text : "{\"lint\":[],\"sound\":[]}");
  for (const nlohmann::json& row : all["lint"]) {
    const std::string fault = row["fault"];
    const std::string file = row["file"];
    SCOPED_TRACE(fmt::format("{} {} {}", fault, file, row["strength"].get<int>()));
    files[fault].insert(file);
    EXPECT_GT(row["planted"].get<double>(), 0);
    EXPECT_GE(row["named"].get<double>(), 0.95 * row["planted"].get<double>());
    EXPECT_EQ(row["left"], 0);
    // A hard edge names the band of a whole falloff, of which most had next to nothing to lose.
    EXPECT_LE(row["beside"].get<double>(), (fault == "hard-edge-weight" ? 1.5 : 0.3) * row["planted"].get<double>());
  }
  EXPECT_EQ(all["sound"].size(), characters.size());
  for (const nlohmann::json& row : all["sound"]) {
    EXPECT_GT(row["vertices"].get<double>(), 0);
    EXPECT_LT(row["named"].get<double>(), 0.01 * row["vertices"].get<double>()) << row["file"];
  }
  return files;
}

TEST(LintBenchmark, FaultsInTheMannequinAreNamedAndMended) {
  const auto files = expect_named({mannequin()});
  EXPECT_EQ(files.size(), 12u);
}

TEST(LintBenchmark, FaultsInASmallCharacterAreNamedAndMended) {
  PELT_NEEDS_CORPUS("characters");
  const auto files = expect_named({read(fs::path(PELT_CORPUS_DIR) / "characters" / "zombie.glb")});
  EXPECT_EQ(files.size(), 12u);
}

TEST(LintBenchmark, FaultsInCharactersOfTheCorpusAreNamedAndMended) {
  PELT_NEEDS_CORPUS("characters");
  std::vector<BenchmarkedCharacter> characters;
  for (const char* const name : {"human", "mannequiny", "fox"}) {
    characters.push_back(read(fs::path(PELT_CORPUS_DIR) / "characters" / fmt::format("{}.glb", name)));
  }
  const auto files = expect_named(characters);
  EXPECT_EQ(files.size(), 12u);
  for (const auto& [fault, in] : files) {
    EXPECT_GE(in.size(), 2u) << fault;  // not every animal has two sides, nor every file normals
  }
}

}  // namespace
}  // namespace pelt::cli
