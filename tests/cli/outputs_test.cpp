// What is read is never written over, whatever it is called; and what cannot be written to is said.
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text.h"
#include "gltf/sample_character.h"
#include "run_pelt.h"
#include "support/write_faults.h"

namespace pelt {
namespace {

namespace fs = std::filesystem;
using test::files_in;
using test::Outcome;
using testing::HasSubstr;

class Outputs : public test::PeltTest {
 protected:
  // A document with a buffer and a picture beside it, a pose, an environment, and links to each.
  void SetUp() override {
    PeltTest::SetUp();
    ASSERT_TRUE(
        gltf::export_file(test::sample_character(), folder_ / "model.gltf", {.form = gltf::FileForm::kSeparate}));
    for (const auto& [name, bytes] : files_in(folder_)) {
      picture_ = name.ends_with(".png") ? name : picture_;
      buffer_ = name.ends_with(".bin") ? name : buffer_;
    }
    std::ofstream(folder_ / "sit.json") << R"({"pelt": "pose", "version": 1, "joints": {}})";
    fs::create_symlink("model.gltf", folder_ / "link.gltf");
    fs::create_symlink("sit.json", folder_ / "link.json");
    fs::create_hard_link(folder_ / picture_, folder_ / "hard.png");
  }

  std::string picture_;
  std::string buffer_;
};

TEST_F(Outputs, WhatIsReadIsRefusedInEveryVerb) {
  const std::map<std::string, std::string> before = files_in(folder_);
  const std::vector<std::vector<std::string>> calls = {
      {"bake", "model.gltf", "-o", "model.gltf", "--format", "json"},
      {"bake", "model.gltf", "-o", buffer_, "--format", "json"},
      {"bake", "model.gltf", "-o", picture_, "--format", "json"},
      {"bake", "model.gltf", "--pose", "sit.json", "-o", "sit.json"},
      {"bake", "model.gltf", "--pose", "sit.json", "-o", "./link.json"},
      {"bake", "model.gltf", "--pose", "link.json", "-o", "../work/sit.json"},
      {"convert", "model.gltf", "-o", "model.gltf"},
      {"convert", "model.gltf", "-o", "link.gltf"},
      {"convert", "link.gltf", "-o", "model.gltf", "--embed"},
      {"render", "model.gltf", "-o", picture_, "--size", "16x16"},
      {"render", "model.gltf", "-o", "hard.png", "--size", "16x16"},
      {"compare", "model.gltf", "--a", "lbs", "--b", "rigid", "--csv", "model.gltf"},
      {"compare", "model.gltf", "--a", "lbs", "--b", "rigid", "--csv", buffer_},
      {"compare", "model.gltf", "--a", "lbs", "--b", "rigid", "--poses", ".", "--csv", "sit.json"},
      {"compare", "model.gltf", "--a", "lbs", "--b", "rigid", "--pose", "sit.json", "--csv", "sit.json"}};
  for (const std::vector<std::string>& call : calls) {
    std::string words;
    for (const std::string& word : call) {
      words += word + " ";
    }
    const Outcome outcome = pelt(call);
    EXPECT_EQ(outcome.code, 1) << words << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("is the same file as ")) << words;
    EXPECT_THAT(outcome.err, HasSubstr("choose another name for the output")) << words;
    ASSERT_EQ(files_in(folder_), before) << words;
  }
  // Appending to what is read counts as well.
  const Outcome appended =
      pelt({"bake", "model.gltf", "-o", "-", "--pose", "sit.json"}, "/dev/null", (folder_ / "sit.json").string());
  EXPECT_EQ(appended.code, 1);
  EXPECT_THAT(appended.err, HasSubstr("standard output: is the same file as sit.json (--pose)"));
}

// A shell empties what an example redirects to before the program can look at it.
TEST_F(Outputs, ExamplesInTheHelpKeepWhatTheyRead) {
  int examples = 0;
  for (const char* verb : {"", "view", "render", "bake", "convert", "info", "lint", "bench", "compare"}) {
    const Outcome help = *verb == '\0' ? pelt({"--help"}) : pelt({verb, "--help"});
    for (const std::string_view line : split(help.out, '\n')) {
      if (!line.starts_with("  pelt ")) {
        continue;
      }
      ++examples;
      std::vector<std::string_view> read;
      std::vector<std::string_view> written;
      const std::vector<std::string_view> words = split(line, ' ');
      for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string_view last = words[i - 1];
        if (last == "-o" || last == "--output" || last == ">" || last == ">>" || last == "--csv") {
          written.push_back(words[i]);
        } else if (words[i].find('.') != std::string_view::npos && !words[i].starts_with('-')) {
          read.push_back(words[i]);
        }
      }
      for (const std::string_view file : written) {
        EXPECT_THAT(read, testing::Not(testing::Contains(file))) << line;
      }
    }
  }
  EXPECT_GT(examples, 15);
}

TEST_F(Outputs, PlacesThatCannotBeWrittenToAreSaid) {
  fs::create_directory(folder_ / "taken.obj");
  const auto complaint = [&](const std::string& output) { return pelt({"bake", arm_, "-o", output}).err; };
  EXPECT_EQ(complaint("taken.obj"), "pelt: taken.obj: is a folder; add the name of a file\n");
  EXPECT_EQ(complaint("none/x.obj"), "pelt: none/x.obj: there is no folder none\n");
  EXPECT_THAT(complaint(std::string(300, 'n') + ".obj"), HasSubstr("File name too long"));
  fs::create_symlink("/dev/full", folder_ / "full.obj");
  EXPECT_EQ(complaint("full.obj"), "pelt: cannot write 'full.obj': No space left on device\n");
  EXPECT_EQ(complaint(std::string(245, 'n') + ".obj"), "");
  EXPECT_TRUE(fs::exists(folder_ / (std::string(245, 'n') + ".obj")));
}

TEST_F(Outputs, LeftoversOfAKilledWriteGo) {
  std::ofstream(folder_ / ".pelt-0123456789abcdef-0.new") << "half";
  ASSERT_EQ(pelt({"bake", arm_, "-o", "x.obj"}).code, 0);
  EXPECT_FALSE(fs::exists(folder_ / ".pelt-0123456789abcdef-0.new"));
}

}  // namespace
}  // namespace pelt
