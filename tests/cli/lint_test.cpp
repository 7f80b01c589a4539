// `pelt lint`: reports, exit codes, several files, mended copies.

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/run_pelt.h"
#include "rig/lint.h"
#include "support/glb_builder.h"

namespace pelt {
namespace {

using nlohmann::json;
using test::Outcome;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

/// One triangle on a bone whose weights sum to a half, and another vertex that nothing uses.
test::GlbBuilder odd_file() {
  test::GlbBuilder builder;
  const int positions = builder.floats({0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}, "VEC3");
  builder.root["accessors"][0]["min"] = {0, 0, 0};
  builder.root["accessors"][0]["max"] = {1, 1, 0};
  const int joints = builder.accessor(std::vector<std::uint8_t>(16, 0), test::kU8, "VEC4");
  const int weights = builder.floats({0.5f, 0, 0, 0, 0.5f, 0, 0, 0, 0.5f, 0, 0, 0, 1, 0, 0, 0}, "VEC4");
  const int indices = builder.accessor(std::vector<std::uint16_t>{0, 1, 2}, test::kU16, "SCALAR");
  builder.root["meshes"] = {{{"primitives",
                              {{{"attributes", {{"POSITION", positions}, {"JOINTS_0", joints}, {"WEIGHTS_0", weights}}},
                                {"indices", indices}}}}}};
  builder.root["nodes"] = {{{"mesh", 0}, {"skin", 0}}, {{"name", "bone"}, {"children", {2}}}, {{"name", "handslot"}}};
  builder.root["skins"] = {{{"joints", {1, 2}}}};
  builder.root["scenes"] = {{{"nodes", {0, 1}}}};
  builder.root["scene"] = 0;
  return builder;
}

class LintVerb : public test::PeltTest {
 protected:
  void SetUp() override {
    PeltTest::SetUp();
    write("odd.glb", odd_file());
  }
  void write(const std::string& name, const test::GlbBuilder& builder) const {
    const std::vector<std::uint8_t> bytes = builder.glb();
    std::ofstream(folder_ / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  [[nodiscard]] static json parsed(const std::string& text) { return json::parse(text, nullptr, false); }
  /// The codes of a list of findings.
  [[nodiscard]] static std::vector<std::string> codes(const json& findings) {
    std::vector<std::string> out;
    for (const json& finding : findings) {
      out.push_back(finding["code"]);
    }
    return out;
  }
};

TEST_F(LintVerb, ReportsAndFailsOnRequest) {
  const Outcome report = pelt({"lint", "odd.glb", "--json"});
  EXPECT_EQ(report.code, 1);
  EXPECT_EQ(report.err, "pelt: odd.glb: 1 error(s) and 0 warning(s)\n");
  const json findings = parsed(report.out);
  ASSERT_TRUE(findings.is_object()) << report.out;
  EXPECT_EQ(findings["file"], "odd.glb");
  EXPECT_EQ(findings["counts"]["error"], 1);
  EXPECT_THAT(codes(findings["findings"]), ElementsAre("weight-sum", "attachment-joint", "inverse-bind-missing",
                                                       "zero-length-bone", "unused-vertex"));
  EXPECT_EQ(findings["findings"][0]["severity"], "error");
  const Outcome text = pelt({"lint", "odd.glb"});
  EXPECT_EQ(text.code, 1);
  EXPECT_THAT(text.out, StartsWith("error: mesh 0, primitive 0: "));
  EXPECT_THAT(text.out, HasSubstr("[weight-sum]\n"));
  EXPECT_THAT(text.out, HasSubstr("\n1 error(s), 0 warning(s), 4 remark(s)\n"));
  EXPECT_EQ(pelt({"lint", "odd.glb", "--fail-on=warning"}).code, 1);
  EXPECT_EQ(pelt({"lint", "odd.glb", "--fail-on=never"}).code, 0);
  EXPECT_EQ(pelt({"lint", cylinder_, "--fail-on", "warning"}).code, 0);
}

TEST_F(LintVerb, WhatTheSpecificationForbidsFails) {
  test::GlbBuilder file = odd_file();
  file.poke(2, 0, {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
  write("sound.glb", file);
  EXPECT_EQ(pelt({"lint", "sound.glb"}).code, 0);
  file.root["accessors"][0].erase("max");
  write("boundless.glb", file);
  const Outcome outcome = pelt({"lint", "boundless.glb"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out,
              HasSubstr("error: mesh 0, primitive 0: POSITION: expected min and max, max is missing. Write "
                        "the least and the greatest of the elements. [accessor-bounds]\n"));
  EXPECT_EQ(pelt({"lint", "boundless.glb", "--fix", "-o", "mended.glb"}).code, 0);
  EXPECT_EQ(pelt({"lint", "mended.glb"}).code, 0);
}

TEST_F(LintVerb, ListsItsRulesAndMends) {
  const Outcome rules = pelt({"lint", "--rules", "--json"});
  EXPECT_EQ(rules.code, 0);
  EXPECT_EQ(parsed(rules.out)["rules"].size(), rig::lint_rules().size());
  EXPECT_THAT(pelt({"lint", "--rules"}).out, HasSubstr("weight-sum (error, --fix)\n"));
  EXPECT_EQ(pelt({"lint", "odd.glb", "--fix"}).code, 2);
  EXPECT_EQ(pelt({"lint", "odd.glb", "--fix", "-o", "sound.obj"}).code, 2);
  EXPECT_EQ(pelt({"lint", "odd.glb", "-o", "sound.glb"}).code, 2);
  const Outcome fixed = pelt({"lint", "odd.glb", "--fix", "-o", "sound.glb", "--json"});
  EXPECT_EQ(fixed.code, 0) << fixed.err;
  const json report = parsed(fixed.out);
  EXPECT_THAT(codes(report["fixed"]), ElementsAre("weight-sum", "inverse-bind-missing", "unused-vertex"));
  EXPECT_THAT(codes(report["findings"]), ElementsAre("attachment-joint", "zero-length-bone"));
  const json again = parsed(pelt({"lint", "sound.glb", "--json"}).out);
  EXPECT_EQ(again["findings"], report["findings"]);
  for (const json& finding : again["findings"]) {
    EXPECT_FALSE(finding["fixable"]) << finding;
  }
}

TEST_F(LintVerb, CodesAreIgnored) {
  const Outcome outcome = pelt({"lint", "odd.glb", "--ignore", "weight-sum", "--ignore", "zero-length-bone", "--json"});
  EXPECT_EQ(outcome.code, 0);
  const json report = parsed(outcome.out);
  EXPECT_EQ(report["counts"]["error"], 0);
  EXPECT_THAT(codes(report["findings"]), ElementsAre("attachment-joint", "inverse-bind-missing", "unused-vertex"));
  const Outcome unknown = pelt({"lint", "odd.glb", "--ignore", "weight-sums"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("--ignore: there is no code \"weight-sums\""));
  for (const rig::LintRule& rule : rig::lint_rules()) {
    EXPECT_THAT(unknown.err, HasSubstr(std::string(rule.code)));
  }
}

TEST_F(LintVerb, CodesAreMendedAlone) {
  const std::vector<std::string> call = {"lint", "odd.glb", "--fix", "-o", "sound.glb", "--json", "--fix-only"};
  const auto mended = [&](const char* code) {
    std::vector<std::string> words = call;
    words.emplace_back(code);
    return parsed(pelt(words).out);
  };
  const json sums = mended("weight-sum");
  EXPECT_THAT(codes(sums["fixed"]), ElementsAre("weight-sum"));
  EXPECT_THAT(codes(sums["findings"]),
              ElementsAre("attachment-joint", "inverse-bind-missing", "zero-length-bone", "unused-vertex"));
  const json vertices = mended("unused-vertex");
  EXPECT_THAT(codes(vertices["fixed"]), ElementsAre("unused-vertex"));
  EXPECT_THAT(codes(vertices["findings"]),
              ElementsAre("weight-sum", "attachment-joint", "inverse-bind-missing", "zero-length-bone"));
  const Outcome cannot = pelt({"lint", "odd.glb", "--fix", "-o", "sound.glb", "--fix-only", "zero-length-bone"});
  EXPECT_EQ(cannot.code, 2);
  EXPECT_THAT(cannot.err, HasSubstr("--fix-only: there is no fixable code \"zero-length-bone\""));
  EXPECT_THAT(cannot.err, HasSubstr("unused-vertex"));
  EXPECT_EQ(pelt({"lint", "odd.glb", "--fix-only", "weight-sum"}).code, 2);
}

TEST_F(LintVerb, SeveralFilesAreAList) {
  std::ofstream(folder_ / "garbage.glb") << "garbage";
  const Outcome outcome = pelt({"lint", "odd.glb", "garbage.glb", "@cylinder", "--json"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "pelt: 2 of 3 files failed, the first odd.glb: 1 error(s) and 0 warning(s)\n");
  const json reports = parsed(outcome.out);
  ASSERT_EQ(reports.size(), 3u) << outcome.out;
  EXPECT_EQ(reports[0]["file"], "odd.glb");
  EXPECT_EQ(reports[0]["counts"]["error"], 1);
  EXPECT_EQ(reports[1],
            json({{"file", "garbage.glb"}, {"error", "garbage.glb: neither a binary glTF nor a JSON object"}}));
  EXPECT_EQ(reports[2]["file"], "@cylinder");
  const Outcome text = pelt({"lint", "odd.glb", "garbage.glb", "@cylinder"});
  EXPECT_THAT(text.out, StartsWith("odd.glb: error: mesh 0, primitive 0: "));
  EXPECT_THAT(text.out, HasSubstr("\ngarbage.glb: cannot be read\n@cylinder: "));
  EXPECT_EQ(pelt({"lint", "-", "-"}).code, 2);
}

TEST_F(LintVerb, AFileThatCannotBeReadIsAnObjectWithTheReason) {
  const Outcome outcome = pelt({"lint", "absent.glb", "--json"});
  EXPECT_EQ(outcome.code, 1);
  const json report = parsed(outcome.out);
  EXPECT_EQ(report["file"], "absent.glb");
  EXPECT_EQ("pelt: " + report["error"].get<std::string>() + "\n", outcome.err);
  EXPECT_FALSE(report.contains("findings"));
}

TEST_F(LintVerb, CopiesOfSeveralFilesGoIntoAFolder) {
  std::filesystem::create_directory(folder_ / "mended");
  const Outcome outcome = pelt({"lint", "odd.glb", "@cylinder", "--fix", "-o", "mended"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "mended" / "odd.glb"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "mended" / "cylinder.glb"));
  EXPECT_EQ(pelt({"lint", "odd.glb", "@cylinder", "--fix", "-o", "mended.glb"}).code, 2);
  const Outcome nowhere = pelt({"lint", "odd.glb", "@cylinder", "--fix", "-o", "nosuch"});
  EXPECT_EQ(nowhere.code, 1);
  EXPECT_THAT(nowhere.err, HasSubstr("there is no folder nosuch"));
  const Outcome twice = pelt({"lint", cylinder_, "@cylinder", "--fix", "-o", "mended"});
  EXPECT_EQ(twice.code, 1);
  EXPECT_THAT(twice.err, HasSubstr("would both be written there"));
}

// The copy's name is too long for a file by its new ending: the others are written, and all are told of.
TEST_F(LintVerb, OneCopyThatCannotBeWrittenDropsNoReport) {
  std::filesystem::create_directory(folder_ / "mended");
  const std::string longest(252, 'a');
  write(longest + ".g", odd_file());
  const std::vector<std::string> call = {"lint", "odd.glb", longest + ".g", "@cylinder", "--fix", "-o", "mended"};
  std::vector<std::string> as_json = call;
  as_json.emplace_back("--json");
  const Outcome outcome = pelt(as_json);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, StartsWith("pelt: cannot write 'mended/" + longest + ".glb': "));
  const json reports = parsed(outcome.out);
  ASSERT_EQ(reports.size(), 3u) << outcome.out;
  EXPECT_EQ(reports[0]["fixed"].size(), 3u);
  EXPECT_EQ(reports[1]["counts"]["error"], 1) << "as the file is";
  EXPECT_THAT(reports[1]["error"].get<std::string>(), StartsWith("cannot write 'mended/" + longest + ".glb': "));
  EXPECT_FALSE(reports[1].contains("fixed"));
  EXPECT_TRUE(reports[2].contains("fixed"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "mended" / "odd.glb"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "mended" / "cylinder.glb"));
  const Outcome text = pelt(call);
  EXPECT_EQ(text.code, 1);
  EXPECT_THAT(text.out, HasSubstr(": no mended copy was written\n@cylinder: "));
}

TEST_F(LintVerb, InputsAreNotWrittenOver) {
  const std::string before = test::content_of(folder_ / "odd.glb");
  for (const std::vector<std::string>& call :
       {std::vector<std::string>{"lint", "odd.glb", "--fix", "-o", "odd.glb"},
        {"lint", "@cylinder", "odd.glb", "--fix", "-o", "."},
        {"lint", "@robot", "@cylinder", cylinder_, "--fix", "-o", (base_ / "input").string()}}) {
    const Outcome outcome = pelt(call);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, testing::AnyOf(HasSubstr("is the same file as"), HasSubstr("would both be written")));
  }
  EXPECT_EQ(test::content_of(folder_ / "odd.glb"), before);
  EXPECT_THAT(files(), ElementsAre("odd.glb"));
}

// Two corners at one place that follow different bones.
TEST_F(LintVerb, WeightsAreMendedWhereThatIsAskedFor) {
  test::GlbBuilder builder = odd_file();
  const int positions = builder.floats({0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}, "VEC3");
  builder.root["accessors"][positions]["min"] = {0, 0, 0};
  builder.root["accessors"][positions]["max"] = {1, 1, 0};
  std::vector<std::uint8_t> followed(24, 0);
  followed[12] = 1;
  std::vector<float> full(24, 0);
  for (std::size_t v = 0; v < 6; ++v) {
    full[4 * v] = 1;
  }
  const int joints = builder.accessor(followed, test::kU8, "VEC4");
  const int weights = builder.floats(full, "VEC4");
  const int indices = builder.accessor(std::vector<std::uint16_t>{0, 1, 2, 3, 5, 4}, test::kU16, "SCALAR");
  builder.root["meshes"][0]["primitives"][0] = {
      {"attributes", {{"POSITION", positions}, {"JOINTS_0", joints}, {"WEIGHTS_0", weights}}}, {"indices", indices}};
  write("torn.glb", builder);
  const std::vector<std::string> call = {"lint",      "torn.glb", "--fix",     "-o",
                                         "sound.glb", "--json",   "--fail-on", "never"};
  const json without = parsed(pelt(call).out);
  EXPECT_THAT(codes(without["findings"]), testing::Contains("open-seam"));
  EXPECT_FALSE(without.contains("repairs")) << "only where it is asked for";
  std::vector<std::string> asked = call;
  asked.emplace_back("--fix-weights");
  const json with = parsed(pelt(asked).out);
  EXPECT_THAT(codes(with["findings"]), testing::Not(testing::Contains("open-seam")));
  EXPECT_THAT(codes(with["fixed"]), testing::Contains("open-seam"));
  ASSERT_EQ(with["repairs"].size(), 1u) << with;
  EXPECT_EQ(with["repairs"][0]["tool"], "weld");
  EXPECT_EQ(with["repairs"][0]["vertices"], 2);
  EXPECT_DOUBLE_EQ(with["repairs"][0]["largest"], 0.5) << "each gives half of its weight to the other's bone";
  EXPECT_EQ(with["repairs"][0]["named"], 2);
  EXPECT_EQ(with["repairs"][0]["beyond"], 0);
  EXPECT_EQ(with["repairs"][0]["left"], 0);
  EXPECT_EQ(with["repairs"][0]["unchanged_because"], "");
  std::vector<std::string> in_words = asked;
  std::erase(in_words, "--json");
  EXPECT_THAT(pelt(in_words).out, HasSubstr("weld: 2 of the 2 vertices named and none beyond, by 0.5 of the weight at "
                                            "most and 0.5 on average; none left [open-seam]"));
  std::vector<std::string> ignoring = asked;
  ignoring.insert(ignoring.end(), {"--ignore", "open-seam"});
  EXPECT_FALSE(parsed(pelt(ignoring).out).contains("repairs")) << "what is not to be told is not mended either";
  asked.insert(asked.end(), {"--fix-only", "weight-sum"});
  EXPECT_FALSE(parsed(pelt(asked).out).contains("repairs")) << "of that code there is none";
  const Outcome unasked =
      pelt({"lint", "torn.glb", "--fix", "-o", "sound.glb", "--fix-only", "weight-sum", "--fix-only", "open-seam"});
  EXPECT_EQ(unasked.code, 2);
  EXPECT_THAT(unasked.err, HasSubstr("add --fix-weights"));
  EXPECT_THAT(pelt({"lint", "--rules"}).out, HasSubstr("open-seam (warning, --fix-weights)\n"));
  EXPECT_THAT(pelt({"lint", "--rules"}).out, HasSubstr("unused-joint (info, --fix-only)\n"));
  for (const json& finding : with["findings"]) {
    EXPECT_EQ(finding["also_at"], json::array()) << finding;
  }
}

}  // namespace
}  // namespace pelt
