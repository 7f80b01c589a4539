// Names that are made to deceive, and command lines that contradict themselves.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/text.h"
#include "run_pelt.h"
#include "support/program_path.h"

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
    for (std::string& name : character.skeleton.edit().name) {
      name = kDeceiving + name;
    }
    for (rig::Clip& clip : character.clips.edit_each()) {
      clip.name = kDeceiving + clip.name;
    }
    for (mesh::Mesh& mesh : character.meshes.edit_each()) {
      mesh.name = kDeceiving;
      for (std::string& name : mesh.morph_names) {
        name = kDeceiving + name;
      }
    }
    for (rig::Skin& skin : character.skins.edit_each()) {
      skin.name = kDeceiving;
    }
    character.generator = kDeceiving;
    first_joint_ = character.skeleton->name.front();
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
      {"info", file_, "--worst", "3"},
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

// ---- command lines

TEST_F(Hostile, NoNumberAndWhatContradictsItselfIsTheCommandLinesFault) {
  const std::string f = cylinder_;
  const std::vector<std::pair<std::vector<std::string>, std::string>> calls = {
      {{"bench", f, "--seconds", "nan"}, "--seconds: expected a number from 0.001 to 60, got \"nan\""},
      {{"bench", f, "--seconds", "inf"}, "--seconds: expected a number from 0.001 to 60, got \"inf\""},
      {{"bench", f, "--threads", "1.5"}, "--threads: expected a whole number from 1 to 1024, got \"1.5\""},
      {{"bench", f, "--threads", "0"}, "--threads: expected a whole number from 1 to 1024, got \"0\""},
      {{"bench", f, "--open", "--kernels"},
       "--open, --edit, --ik, --springs, --bind, --lint, --instances, --diet, --kernels: exclude each other"},
      {{"bench", f, "--instances", "4", "--diet"}, "exclude each other"},
      {{"info", f, "--joints", "--diet"}, "--methods, --joints, --diet, --behaviour, --worst: exclude each other"},
      {{"info", f, "--methods", "--diet"}, "exclude each other"},
      {{"bake", f, "-o", "a.glb", "--format", "ply"}, "--format: ply contradicts the name, which ends in .glb"},
      {{"bake", f, "-o", "a.glb", "--clip", "none", "--time", "1"}, "--time: needs --clip"},
      {{"render", f, "-o", "a.png", "--clip", "none", "--time", "1"}, "--time: needs --clip"},
      {{"render", f, "-o", "a.png", "--show", "clay", "--measure", "distance"}, "are about --show difference"},
      {{"render", f, "-o", "a.png", "--show", "weights", "--range", "1"}, "are about --show difference"},
      {{"compare", f, "--a", "lbs", "--b", "dqs", "--clip", "0", "--time", "1", "--frames", "3"},
       "--frames: excludes --time"},
      {{"render", f, "-o", "a.png", "--size", "16384x16384"},
       "--size: expected at most 134217728 pixels together, got 268435456 in \"16384x16384\""},
      {{"render", f, "-o", "a.png", "--size", "16385x1"}, "--size: expected WxH with sides from 1 to 16384 pixels"}};
  for (const auto& [call, sentence] : calls) {
    const Outcome outcome = pelt(call);
    EXPECT_EQ(outcome.code, 2) << testing::PrintToString(call) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(sentence)) << testing::PrintToString(call);
    EXPECT_EQ(outcome.out, "") << testing::PrintToString(call);
  }
  EXPECT_EQ(pelt({"bake", f, "-o", "a.ply", "--format", "ply"}).code, 0);
  EXPECT_EQ(pelt({"bake", f, "-o", "a.txt", "--format", "ply"}).code, 0);
}

TEST_F(Hostile, NothingIsBakedFromNothing) {
  std::ofstream(folder_ / "bones.bvh") << "HIERARCHY\nROOT hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation "
                                          "Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 1\nFrame "
                                          "Time: 0.1\n0 0 0\n";
  for (const char* ending : {"json", "obj", "ply", "glb"}) {
    const Outcome outcome = pelt({"bake", "bones.bvh", "-o", fmt::format("out.{}", ending)});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.err, "pelt: bones.bvh: there is nothing to bake: the character has no geometry\n");
    EXPECT_FALSE(fs::exists(folder_ / fmt::format("out.{}", ending)));
  }
}

TEST_F(Hostile, NamesAsLongAsFileSystemsTake) {
  const std::string stem(244, 'n');
  std::string umlauts;
  while (umlauts.size() + 6 <= 251) {
    umlauts += "\u00e4";
  }
  const std::vector<std::vector<std::string>> calls = {
      {"convert", cylinder_, "-o", stem + ".gltf"},
      {"convert", cylinder_, "-o", stem + "nnnnnnn.glb"},
      {"convert", "@robot", "-o", umlauts + ".gltf"},
      {"bake", cylinder_, "-o", stem + "nnnnnn.json"},
      {"lint", cylinder_, "--fix", "-o", stem + "fixed.glb"},
      {"compare", cylinder_, "--a", "lbs", "--b", "dqs", "--csv", stem + ".csv"}};
  for (const std::vector<std::string>& call : calls) {
    const Outcome outcome = pelt(call);
    EXPECT_EQ(outcome.code, 0) << call[0] << outcome.err;
  }
  EXPECT_EQ(pelt({"info", stem + ".gltf"}).code, 0);
  const Outcome too_long = pelt({"bake", cylinder_, "-o", std::string(252, 'n') + ".obj"});
  EXPECT_EQ(too_long.code, 1);
  EXPECT_THAT(too_long.err, HasSubstr("File name too long"));
}

TEST_F(Hostile, OlderOpenGlIsSaid) {
  environment_ = {"MESA_GL_VERSION_OVERRIDE=3.1"};
  const Outcome outcome = pelt({"render", cylinder_, "-o", "a.png", "--size", "16x16"});
  if (outcome.code == 0) {
    GTEST_SKIP() << "this OpenGL is not Mesa's, which alone can be told to be older";
  }
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, testing::StartsWith("pelt: OpenGL: OpenGL is too old: expected 3.3, got 3.1"));
}

// ---- progress

// What a run writes to a terminal that is its stderr; to a file it writes nothing.
TEST_F(Hostile, LongSequencesSayOnATerminalHowFarTheyAre) {
  const std::vector<std::string> words = {"pelt",   "render", cylinder_,     "-o",  "turn_%d.png",
                                          "--size", "16x16",  "--turntable", "2000"};
  std::vector<char*> argv;
  std::vector<std::string> kept = words;
  for (std::string& word : kept) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  const std::string program = test::program_path();
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (chdir(folder_.c_str()) != 0) {
      _exit(126);
    }
    execv(program.c_str(), argv.data());
    _exit(127);
  }
  std::string said;
  char piece[4096];
  // It is ended once it has said what it should: how long it draws depends on the machine.
  for (ssize_t got = 0;
       said.find("of 2000: ") == std::string::npos && (got = read(terminal, piece, sizeof(piece))) > 0;) {
    said.append(piece, static_cast<std::size_t>(got));
  }
  kill(child, SIGTERM);
  int status = 0;
  close(terminal);
  waitpid(child, &status, 0);
  EXPECT_THAT(said, testing::ContainsRegex("\rpelt: picture [0-9]+ of 2000: [0-9]+ %"));

  const Outcome quiet = pelt({"render", cylinder_, "-o", "still_%d.png", "--size", "16x16", "--turntable", "3"});
  EXPECT_EQ(quiet.code, 0);
  EXPECT_EQ(quiet.err, "");
}

}  // namespace
}  // namespace pelt
