// Names that are made to deceive, and command lines that contradict themselves.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "run_pelt.h"

namespace pelt {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::Outcome;
using testing::HasSubstr;

// What an escape sequence, a title, an overridden direction, a hidden text and a formula are made of.
const std::string kDeceiving =
    "=\u009b31m\u009d0;title\u009c\u202ekcab\u2066x\u2069\u200b\u2028\u061c\ufeff\U000E0041\U000E007F!";

class Hostile : public test::PeltTest {
 protected:
  // A character with such names wherever it has names, in a file with such a name.
  void SetUp() override {
    PeltTest::SetUp();
    rig::Character character = test::arm();
    for (std::string& name : character.skeleton.name) {
      name = kDeceiving + name;
    }
    for (rig::Clip& clip : character.clips) {
      clip.name = kDeceiving + clip.name;
    }
    for (mesh::Mesh& mesh : character.meshes) {
      mesh.name = kDeceiving;
      for (std::string& name : mesh.morph_names) {
        name = kDeceiving + name;
      }
    }
    for (rig::Skin& skin : character.skins) {
      skin.name = kDeceiving;
    }
    character.generator = kDeceiving;
    first_joint_ = character.skeleton.name.front();
    file_ = "\u009b2J\u202e\u2028.glb";
    ASSERT_TRUE(gltf::export_file(character, folder_ / file_));
  }

  std::string file_;
  std::string first_joint_;
};

TEST_F(Hostile, NamesNeverReachTheTerminalAsTheyAre) {
  const std::string clip = kDeceiving;
  const std::vector<std::vector<std::string>> calls = {
      {"info", file_},
      {"info", file_, "--joints"},
      {"info", file_, "--json", "--joints"},
      {"info", file_, "--diet", "--random", "1"},
      {"info", file_, "--clip", clip},
      {"info", file_, "--scene", clip},
      {"lint", file_, "--fail-on", "never"},
      {"lint", file_, "--json", "--fail-on", "never"},
      {"bake", file_, "-o", "-", "--format", "json"},
      {"bake", file_, "-o", "-", "--format", "obj"},
      {"bake", file_, "-o", "-", "--set", clip + ".bend=1"},
      {"bake", file_, "-o", "-", "--set", first_joint_ + "." + clip + "=1"},
      {"bake", file_, "-o", "-", "--morph", clip + "=1"},
      {"bake", file_, "-o", clip},
      {"bake", file_, "-o", "-", "--format", clip},
      {"bake", clip, "-o", "-"},
      {"bake", file_, "-o", "-", "--pose", clip},
      {"convert", file_, "-o", "/nowhere" + clip + "/a.glb"},
      {"compare", file_, "--methods", "lbs,dqs", "--battery", "--random", "1"},
      {"compare", file_, "--methods", "lbs,dqs", "--battery", "--random", "1", "--json"},
      {"compare", file_, "--methods", "lbs,dqs", "--battery", "--random", "1", "--csv", "-"},
      {"compare", file_, "--a", clip, "--b", "lbs"},
      {"render", file_, "-o", "a.png", "--joint", clip + "!"},
      {"render", file_, "-o", clip + ".png", "--" + clip},
      {clip}};
  for (const std::vector<std::string>& call : calls) {
    const Outcome outcome = pelt(call);
    const std::string words = printable(fmt::format("{}", fmt::join(call, " ")), 300);
    EXPECT_LE(outcome.code, 2) << words;
    EXPECT_EQ(outcome.out, printable_lines(outcome.out)) << words;
    EXPECT_EQ(outcome.err, printable_lines(outcome.err)) << words;
    EXPECT_GT(outcome.out.size() + outcome.err.size(), 20u) << words;
  }
}

TEST_F(Hostile, JsonAndConvertedFilesKeepTheNames) {
  const json info = json::parse(pelt({"info", file_, "--json", "--joints"}).out);
  EXPECT_EQ(info.at("skeleton").at(0).at("name"), first_joint_);
  EXPECT_EQ(json::parse(pelt({"bake", file_, "-o", "-", "--format", "json"}).out).at("primitives").at(0).at("meshName"),
            kDeceiving);
  ASSERT_EQ(pelt({"convert", file_, "-o", "again.glb"}).code, 0);
  EXPECT_EQ(json::parse(pelt({"info", "again.glb", "--json", "--joints"}).out), [&] {
    json same = info;
    same["file"] = "again.glb";
    same["generator"] = json::parse(pelt({"info", "again.glb", "--json"}).out).at("generator");
    return same;
  }());
}

// Spreadsheets take a cell for a formula by its first letter.
TEST_F(Hostile, CellsAreNoFormulas) {
  const Outcome table = pelt({"compare", file_, "--methods", "lbs,dqs", "--battery", "--random", "1", "--csv", "-"});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("\n'=?31m?0;title"));
  for (const std::string_view line : split(table.out, '\n')) {
    for (const std::string_view cell : split(line, ',')) {
      EXPECT_TRUE(cell.empty() || std::string_view("=+-@").find(cell.front()) == std::string_view::npos ||
                  parse_number(cell))
          << cell;
    }
  }
}

}  // namespace
}  // namespace pelt
