// `pelt compare` as a user meets it: the numbers of ALGORITHMS.md §53 out of the program itself.

#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <numbers>
#include <ostream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/run_pelt.h"
#include "deform/skinning_methods.h"

namespace pelt {
namespace {

using nlohmann::json;
using test::Outcome;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class Compare : public test::PeltTest {
 protected:
  [[nodiscard]] json compared(std::vector<std::string> flags) const {
    flags.insert(flags.begin(), "compare");
    flags.emplace_back("--json");
    const Outcome outcome = pelt(flags);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    json result = json::parse(outcome.out, nullptr, false);
    EXPECT_TRUE(result.is_object()) << outcome.out;
    return result;
  }
  [[nodiscard]] std::string text(std::vector<std::string> flags) const {
    flags.insert(flags.begin(), "compare");
    const Outcome outcome = pelt(flags);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out;
  }
};

struct Golden {
  const char* method;
  double tolerance;
  std::array<double, 4> twist_volume;  // 0, 60, 120, 180
  std::array<double, 4> twist_area;    // 0: not given
  std::array<double, 5> bend_volume;   // 0, 30, 60, 90, 120; the second is not given
  std::array<double, 5> bend_area;
  double twist_90_volume;
  double twist_90_area;
};

void PrintTo(const Golden& golden, std::ostream* out) {
  *out << golden.method;
}

class GoldenCompare : public Compare, public testing::WithParamInterface<Golden> {};

TEST_P(GoldenCompare, C53_1_C23_5_SweepsOfTheCylinderOnBothBackends) {
  const Golden& golden = GetParam();
  const std::string method = golden.method;
  std::string other = "gpu";
  std::string reason;
  const auto flags = [&](const char* range) {
    return std::vector<std::string>{"@cylinder", "--a", method + ":cpu", "--b", method + ":" + other, "--sweep", range};
  };
  std::vector<std::string> trial = flags("tip.twist=0:180:2");
  trial.insert(trial.begin(), "compare");
  if (const Outcome outcome = pelt(trial); outcome.code != 0) {
    ASSERT_EQ(std::getenv("PELT_REQUIRE_GL"), nullptr) << outcome.err;
    ASSERT_THAT(outcome.err, HasSubstr("OpenGL"));
    reason = outcome.err;
    other = "cpu";
  }
  const auto check = [&](const json& pose, double volume, double area) {
    for (const char* side : {"a", "b"}) {
      EXPECT_EQ(pose[side]["backend"], std::string_view(side) == "a" ? "cpu" : other);
      if (volume > 0) {
        EXPECT_NEAR(pose[side]["volume_ratio"].get<double>(), volume, golden.tolerance) << pose["label"] << side;
      }
      if (area > 0) {
        EXPECT_NEAR(pose[side]["area_ratio"].get<double>(), area, golden.tolerance) << pose["label"] << side;
      }
    }
  };
  const json twist = compared(flags("tip.twist=0:180:7"));
  ASSERT_THAT(twist["per_pose"], SizeIs(7));
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(twist["per_pose"][i]["value"], 30.0 * static_cast<double>(i));
  }
  for (std::size_t i = 0; i < 4; ++i) {
    check(twist["per_pose"][2 * i], golden.twist_volume[i], golden.twist_area[i]);
  }
  check(twist["per_pose"][3], golden.twist_90_volume, golden.twist_90_area);
  const json bend = compared(flags("tip.bend=0:120:5"));
  ASSERT_THAT(bend["per_pose"], SizeIs(5));
  for (std::size_t i = 0; i < 5; ++i) {
    check(bend["per_pose"][i], golden.bend_volume[i], golden.bend_area[i]);
  }
  if (!reason.empty()) {
    GTEST_SKIP() << "the CPU alone: " << reason;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Methods, GoldenCompare,
    testing::Values(
        Golden{"lbs",
               1e-5,
               {1, 0.965956, 0.899289, 0.866667},
               {1, 0.986646, 0.964468, 0.946414},
               {1, 0, 0.982812, 0.965625, 0.948437},
               {1, 0, 0.997286, 0.997330, 1.002260},
               0.932513,
               0.975254},
        Golden{"dqs",
               1e-4,
               {1, 0.998572, 0.996014, 0.992232},
               {1, 1.000660, 1.005156, 1.020053},
               {1, 0, 0.999144, 0.998075, 0.996570},
               {1, 0, 1.004070, 1.010582, 1.023131},
               0.997435,
               1.002130},
        Golden{
            "cor", 1e-4, {1, 0.998572, 0.996014, 0.992232}, {}, {1, 0, 0.998733, 0.996102, 0.990803}, {}, 0.997435, 0}),
    [](const auto& param) { return std::string(param.param.method); });

TEST_F(Compare, C7_3_C53_2_SweepPrintsTheCandyWrapperBesideItsClosedForm) {
  const json result = compared({"@cylinder", "--methods", "all", "--sweep", "tip.twist=0:180:7"});
  ASSERT_THAT(result["per_pose"], SizeIs(7));
  for (const json& pose : result["per_pose"]) {
    const double radius = 0.1 * std::abs(std::cos(pose["value"].get<double>() / 2 * std::numbers::pi / 180));
    ASSERT_THAT(pose["methods"], SizeIs(deform::skinning_methods().size()));
    for (const json& method : pose["methods"]) {
      if (method["method"] == "lbs") {
        EXPECT_NEAR(method["ring"]["mean"].get<double>(), radius, 1e-7);
        EXPECT_NEAR(method["theory"][0]["measured"].get<double>(), radius, 1e-7);
        EXPECT_NEAR(method["theory"][0]["closed_form"].get<double>(), radius, 1e-7);
      }
    }
  }
  const std::string out = text({"@cylinder", "--methods", "lbs,rigid", "--sweep", "tip.twist=0:180:7"});
  EXPECT_THAT(out, HasSubstr("2 method(s) against Linear blend, CPU, 7 pose(s)"));
  EXPECT_THAT(out, testing::ContainsRegex("180 +0\\.866667"));
  EXPECT_THAT(out, testing::ContainsRegex("120 +0\\.050000 = 0\\.050000 +0\\.100000 = 0\\.100000"));
}

TEST_F(Compare, OnlyNumbersThatAgreeAreCalledEqual) {
  const std::regex pair("(-?[0-9.]+) (!?=) (-?[0-9.]+)");
  std::map<std::string, int> seen;
  for (const char* slider : {"tip.twist=0:180:7", "tip.bend=0:120:5"}) {
    const std::string out = text({"@cylinder", "--methods", "all", "--sweep", slider});
    for (auto found = std::sregex_iterator(out.begin(), out.end(), pair); found != std::sregex_iterator(); ++found) {
      EXPECT_EQ((*found)[1].str() == (*found)[3].str(), (*found)[2].str() == "=") << found->str();
      ++seen[(*found)[2].str()];
    }
  }
  EXPECT_GT(seen["="], 20);
  EXPECT_GT(seen["!="], 3) << "the enclosed volume is the continuum's only nearly";
}

TEST_F(Compare, C53_3_BonesAndFlipsAndStretch) {
  const json bent = compared({"@cylinder", "--methods", "lbs", "--set", "tip.bend=90", "--ring", "tip"});
  const json& a = bent["a"];
  EXPECT_NEAR(a["bone_distance"]["min"].get<double>(), 0.05, 1e-6);
  EXPECT_NEAR(a["bone_distance"]["max"].get<double>(), 0.101845, 1e-6);
  EXPECT_NEAR(a["ring"]["min"].get<double>(), 0.1 * std::numbers::sqrt2 / 2, 1e-7);
  EXPECT_NEAR(a["ring"]["max"].get<double>(), 0.1, 1e-7);
  EXPECT_NEAR(a["ring"]["rest"].get<double>(), 0.1, 1e-7);
  EXPECT_EQ(a["flipped_triangles"], 0);
  EXPECT_LT(a["min_edge_stretch"], 1.0);
  EXPECT_FALSE(a.contains("self_intersections"));
  const json folded = compared({"@cylinder", "--methods", "lbs", "--set", "tip.bend=170", "--intersections"});
  EXPECT_GT(folded["a"]["self_intersections"], 0);
}

TEST_F(Compare, C7_1_ElbowPrintsItsVertexBesideTheClosedForm) {
  const json bent = compared({"@elbow", "--methods", "lbs", "--set", "forearm.bend=-90"});
  const json& theory = bent["a"]["theory"];
  ASSERT_THAT(theory, SizeIs(3));
  const double expected[] = {3.4, 1.0, 1.166190};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(theory[i]["closed_form"].get<double>(), expected[i], 1e-6);
    EXPECT_NEAR(theory[i]["measured"].get<double>(), expected[i], 5e-6) << "single precision, 8 m";
  }
}

TEST_F(Compare, BatteryNamesTheWorstJoints) {
  const json result = compared({"@cylinder", "--methods", "rigid,lbs", "--battery"});
  // The root's default DOFs and the tip's, which turns all around, a quarter both ways; the clip at its two extremes,
  // which are one: half a turn.
  std::vector<std::string> labels;
  for (const json& pose : result["per_pose"]) {
    labels.push_back(pose["label"]);
  }
  ASSERT_THAT(labels, SizeIs(11 + 24)) << "as many random ones as the window tries";
  EXPECT_EQ(labels[11], "random 0");
  labels.resize(11);
  EXPECT_THAT(labels, ElementsAre("root.twist=-90", "root.twist=90", "root.bend=-90", "root.bend=90", "root.side=-90",
                                  "root.side=90", "tip.twist=-90", "tip.twist=90", "tip.bend=-90", "tip.bend=90",
                                  "sweep 4.5 s"));
  ASSERT_THAT(result["joints"], SizeIs(1)) << "the zone between root and tip";
  EXPECT_EQ(result["joints"][0]["joint"], "tip");
  const json& lbs = result["joints"][0]["methods"][1];
  EXPECT_EQ(lbs["method"], "lbs");
  EXPECT_EQ(lbs["volume_pose"], "sweep 4.5 s");
  EXPECT_LT(lbs["volume_ratio"], 0.4) << "half a turn leaves a third";
  EXPECT_GT(lbs["volume_ratio"], 0.3);
  const std::string out = text({"@cylinder", "--methods", "rigid,lbs", "--battery", "--random", "2"});
  EXPECT_THAT(out, HasSubstr("13 pose(s)"));
  EXPECT_THAT(out, HasSubstr("worst joints"));
  EXPECT_THAT(out, testing::ContainsRegex("tip .*sweep 4.5 s"));
}

TEST_F(Compare, BatteryNamesTheMethodThatKeepsTheVolume) {
  const std::vector<std::string> arguments = {"@cylinder", "--methods", "rigid,lbs,dqs", "--battery"};
  const json result = compared(arguments);
  EXPECT_EQ(result["verdict"]["method"], "dqs");
  EXPECT_EQ(result["verdict"]["worst_joint"], "tip");
  EXPECT_EQ(result["verdict"]["judged_joints"], 1);
  const std::string out = text(arguments);
  EXPECT_THAT(out, HasSubstr(result["verdict"]["text"].get<std::string>()));
  EXPECT_THAT(out, testing::ContainsRegex("tip +[^ ]+ % .* -6[0-9]\\.[0-9] %")) << "what is lost, as in the window";
  EXPECT_THAT(out, HasSubstr("against Linear blend, CPU")) << "linear blending is the reference wherever it stands";
  EXPECT_THAT(text({"@cylinder", "--methods", "lbs,dqs", "--reference", "dqs"}),
              HasSubstr("against Dual quaternion, CPU"));
  EXPECT_THAT(pelt({"compare", "@cylinder", "--methods", "lbs", "--reference", "dqs"}).err,
              HasSubstr("--reference: is none of the methods compared"));
  EXPECT_THAT(text({"@cylinder", "--methods", "lbs:cpu:d:1,lbs", "--reference", "lbs"}),
              HasSubstr("against Linear blend, CPU, 1 pose"))
      << "the side that says no more";
  EXPECT_THAT(pelt({"compare", "@cylinder", "--methods", "lbs:cpu:d:1,lbs:cpu:d:2", "--reference", "lbs"}).err,
              HasSubstr("--reference: fits several of the methods compared"));
  // The table of joints follows in the CSV, too.
  const std::string csv = text({"@cylinder", "--methods", "rigid,lbs,dqs", "--battery", "--csv", "-"});
  EXPECT_THAT(csv, HasSubstr("\n\njoint,method,volume_ratio,volume_pose,"));
  EXPECT_THAT(csv, testing::ContainsRegex("\ntip,lbs,0\\.3[0-9]+,sweep 4.5 s,"));
}

TEST_F(Compare, BatteryOfTheFilesOwnClips) {
  const json result = compared({"@cylinder", "--methods", "rigid,lbs,dqs", "--battery=clips"});
  ASSERT_THAT(result["per_pose"], SizeIs(40));
  for (const json& pose : result["per_pose"]) {
    EXPECT_THAT(pose["label"].get<std::string>(), testing::ContainsRegex("^[a-z]+ [0-9.]+ s$")) << "of a clip";
  }
  const json& verdict = result["verdict"];
  EXPECT_EQ(verdict["standard"]["method"], "lbs");
  EXPECT_NEAR(verdict["margin"].get<double>(),
              verdict["standard"]["mean_volume_change"].get<double>() - verdict["mean_volume_change"].get<double>(),
              1e-12);
  EXPECT_GT(verdict["margin"], 0);
  EXPECT_THAT(text({"@cylinder", "--methods", "lbs", "--battery=clips", "--random", "3"}), HasSubstr("43 pose(s)"));
  EXPECT_THAT(text({"@cylinder", "--methods", "lbs", "--battery=standard"}),
              HasSubstr(text({"@cylinder", "--methods", "lbs", "--battery"})));
  EXPECT_EQ(pelt({"compare", "@cylinder", "--methods", "lbs", "--battery=half"}).code, 2);
  EXPECT_THAT(pelt({"compare", "@cylinder", "--methods", "lbs", "--battery=half"}).err,
              HasSubstr("expected standard or clips, got \"half\""));
}

TEST_F(Compare, WhatChangesNothingIsNoted) {
  EXPECT_THAT(pelt({"compare", "@cylinder", "--methods", "lbs,dqs", "--parameter", "iterations=3"}).err,
              HasSubstr("note: --parameter iterations: lbs, dqs does not read it"));
  EXPECT_THAT(pelt({"compare", "@robot", "--methods", "lbs", "--battery"}).err, HasSubstr("note: --battery: "));
  EXPECT_THAT(pelt({"info", "@robot", "--diet"}).err, HasSubstr("note: --diet: "));
  for (const std::vector<std::string>& nowhere : {std::vector<std::string>{"bake", "@cylinder", "-o", "nosuch/x.glb"},
                                                  {"convert", "@cylinder", "-o", "nosuch/x.glb"},
                                                  {"lint", "@cylinder", "--fix", "-o", "nosuch/x.glb"}}) {
    const Outcome outcome = pelt(nowhere);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("nosuch"));
  }
  // A range that goes beyond a limit ends there: no value is measured twice.
  const Outcome swept = pelt({"compare", arm_, "--methods", "lbs", "--sweep", "elbow_l.bend=0:280:3", "--json"});
  EXPECT_THAT(swept.err, HasSubstr("280 is outside of the limits; 140 is used"));
  const json result = json::parse(swept.out, nullptr, false);
  ASSERT_THAT(result["per_pose"], SizeIs(3));
  EXPECT_EQ(result["per_pose"][1]["value"], 70.0);
  EXPECT_EQ(result["per_pose"][2]["value"], 140.0);
}

TEST_F(Compare, CsvHasTheDocumentedColumns) {
  const auto lines_of = [](const std::string& content) {
    std::vector<std::string> lines;
    std::istringstream stream(content);
    for (std::string line; std::getline(stream, line);) {
      lines.push_back(line);
    }
    return lines;
  };
  const std::vector<std::string> arguments = {"@cylinder", "--methods", "rigid,lbs", "--sweep", "tip.bend=0:90:3"};
  std::vector<std::string> to_output = arguments;
  to_output.insert(to_output.end(), {"--csv", "-"});
  const std::vector<std::string> lines = lines_of(text(to_output));
  ASSERT_THAT(lines, SizeIs(1 + 3 * 2));
  EXPECT_THAT(lines[0],
              testing::StartsWith("pose,value,method,backend,max_distance (m),rms_distance (m),max_normal_angle (rad),"
                                  "volume_ratio,area_ratio,max_edge_stretch,min_edge_stretch,flipped_triangles,"
                                  "bone_distance_min (m),bone_distance_max (m),ring_mean (m),ring_min (m),ring_max (m),"
                                  "self_intersections,"));
  EXPECT_THAT(lines[0], HasSubstr("self_intersections,normals,influences,edge_strain_max,edge_strain_rms,"
                                  "edge_strain_part,edge_strain_vertex,area_strain_max,"));
  EXPECT_THAT(lines[0], HasSubstr("normal_angle_max (rad),normal_angle_rms (rad),normal_angle_part,"));
  EXPECT_THAT(lines[0], HasSubstr(": closed form (m)")) << "as on the screen";
  EXPECT_THAT(lines[1], testing::StartsWith("tip.bend=0,0,rigid,cpu,0,0,0,"));
  EXPECT_THAT(lines[5], testing::StartsWith("tip.bend=90,90,rigid,cpu,0.0707")) << "from linear blending";
  EXPECT_THAT(lines[6], testing::StartsWith("tip.bend=90,90,lbs,cpu,0,0,0,"));
  const auto cells = std::ranges::count(lines[1], ',');
  EXPECT_GT(cells, 17) << "the closed forms, two for each";
  for (std::size_t i = 1; i < lines.size(); ++i) {
    EXPECT_EQ(std::ranges::count(lines[i], ','), cells) << lines[i];
  }
  // Into a file the numbers are the same, and the text is printed too.
  std::vector<std::string> to_file = arguments;
  to_file.insert(to_file.end(), {"--csv", "bend.csv"});
  EXPECT_THAT(text(to_file), HasSubstr("volume against rest"));
  EXPECT_EQ(lines_of(test::content_of(folder_ / "bend.csv")), lines);
}

// A side is what a pane is: method, backend, normals, influence limit.
TEST_F(Compare, C13_6_SidesTakeNormalsAndInfluences) {
  // Twisted by 120 degrees, ring 17 of F-CYL (w = 1/8) has a radius that changes fastest along the axis but for the
  // border of the blend: rho = r sqrt(1 - 4 w (1 - w) sin^2(theta / 2)). Variant a points along the radius, variant f
  // off it by atan(d rho / dx).
  const std::vector<std::string> twisted = {"@cylinder", "--set", "tip.twist=120"};
  const auto with = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), twisted.begin(), twisted.end());
    return compared(flags);
  };
  const json normals = with({"--a", "lbs:cpu:f", "--b", "lbs:cpu:a"});
  const double w = 0.125;
  const double slope = 0.1 * 2 * (1 - 2 * w) * 0.75 * 5 / std::sqrt(1 - 4 * w * (1 - w) * 0.75);
  const json& angle = normals["b"]["surface"]["normal_angle"];
  EXPECT_NEAR(angle["max"].get<double>(), std::atan(slope), 1e-5);
  EXPECT_NEAR(normals["difference"]["max_normal_angle"].get<double>(), std::atan(slope), 1e-5);
  const int ring = angle["worst_vertex"].get<int>() / 32;
  EXPECT_TRUE(ring == 17 || ring == 23) << ring;
  EXPECT_LT(normals["difference"]["max"], 1e-7) << "points stay where they are";
  EXPECT_EQ(normals["a"]["normals"], "f");
  // One influence is the rigid method; --influences is for sides that say nothing.
  const Outcome limited = pelt({"compare", "@cylinder", "--set", "tip.twist=120", "--methods", "rigid,lbs,lbs:cpu:d:0",
                                "--influences", "1", "--json"});
  const json three = json::parse(limited.out, nullptr, false);
  ASSERT_TRUE(three.is_object()) << limited.err;
  EXPECT_THAT(limited.err, testing::MatchesRegex("pelt: note: [0-9]+ vertices keep 1 of up to 2 influences\n"));
  const json& methods = three["per_pose"][0]["methods"];
  EXPECT_EQ(methods[0]["difference"]["max"], 0.0);
  EXPECT_EQ(methods[1]["influences"], 1);
  EXPECT_EQ(methods[2]["influences"], 0);
  EXPECT_GT(methods[2]["difference"]["max"], 0.01);
  EXPECT_THAT(text({"@cylinder", "--methods", "lbs:cpu:f,lbs:cpu:d:1", "--reference", "lbs:cpu:d:1"}),
              HasSubstr("2 method(s) against Linear blend, CPU, normals d, 1 influence, 1 pose(s)"));
}

// Twice as large all over: edges, areas and volumes by s - 1, s^2 - 1, s^3 - 1 at every vertex.
TEST_F(Compare, C53_4_FieldsOverTheSurface) {
  std::ofstream(folder_ / "twice.json")
      << R"({"pelt": "pose", "version": 1, "joints": {"root": {"scale": [2, 2, 2]}}})";
  const json scaled = compared({cylinder_, "--a", "lbs", "--b", "dqs", "--pose", "twice.json"});
  for (const char* side : {"a", "b"}) {
    const json& surface = scaled[side]["surface"];
    EXPECT_EQ(surface["against"], "bind");
    const std::pair<const char*, double> expected[] = {{"edge_strain", 1}, {"area_strain", 3}, {"volume_change", 7}};
    for (const auto& [key, value] : expected) {
      EXPECT_NEAR(surface[key]["max"].get<double>(), value, 1e-4) << side << " " << key;
      EXPECT_NEAR(surface[key]["rms"].get<double>(), value, 1e-4) << side << " " << key;
    }
    EXPECT_NEAR(surface["normal_angle"]["max"].get<double>(), 0, 1e-3) << "against the other side, not the bind shape";
  }
  const std::vector<std::string> sides = {cylinder_, "--a",        "lbs",       "--b",      "dqs",
                                          "--pose",  "twice.json", "--against", "reference"};
  const json same = compared(sides);
  EXPECT_NEAR(same["b"]["surface"]["volume_change"]["max"].get<double>(), 0, 1e-4) << "both are as large";
  EXPECT_THAT(text(sides), testing::ContainsRegex("on the surface +Edge strain +Area strain +Volume change +Normal"));
  EXPECT_THAT(text(sides), HasSubstr("strains against Linear blend, CPU, normals against Linear blend, CPU"));
}

TEST_F(Compare, PoseFilesOfAFolder) {
  std::filesystem::create_directories(folder_ / "poses");
  const auto write = [&](const char* name, const char* content) { std::ofstream(folder_ / "poses" / name) << content; };
  write("b.json", R"({"pelt": "pose", "version": 1, "joints": {"tip": {"rotation": [0, 0, 0.7071068, 0.7071068]}}})");
  write("a,1.json", R"({"pelt": "pose", "version": 1, "joints": {}})");
  write("notes.txt", "no pose");
  const json result = compared({cylinder_, "--a", "lbs", "--b", "rigid", "--poses", "poses"});
  ASSERT_THAT(result["per_pose"], SizeIs(2));
  EXPECT_EQ(result["per_pose"][0]["label"], "a,1");
  EXPECT_EQ(result["worst_pose"], "b");
  EXPECT_NEAR(result["a"]["volume_ratio"].get<double>(), 0.965625, 1e-5);
  EXPECT_THAT(text({cylinder_, "--a", "lbs", "--b", "rigid", "--poses", "poses", "--csv", "-"}),
              HasSubstr("\n\"a,1\",,lbs,cpu,"));
  write("c.json", "{}");
  const Outcome broken = pelt({"compare", cylinder_, "--a", "lbs", "--b", "rigid", "--poses", "poses"});
  EXPECT_EQ(broken.code, 1);
  EXPECT_THAT(broken.err, HasSubstr("c.json"));
  const Outcome missing = pelt({"compare", cylinder_, "--a", "lbs", "--b", "rigid", "--poses", "nowhere"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.err, HasSubstr("--poses nowhere"));
}

TEST_F(Compare, RandomPosesRepeatAndAddUpWithOthers) {
  const std::vector<std::string> arguments = {arm_,       "--methods", "rigid,lbs", "--sweep", "elbow_l.bend=0:90:4",
                                              "--random", "5",         "--seed",    "3"};
  const json result = compared(arguments);
  EXPECT_EQ(result["poses"], 9);
  EXPECT_TRUE(result["per_pose"][3].contains("value"));
  EXPECT_FALSE(result["per_pose"][4].contains("value"));
  EXPECT_EQ(result["per_pose"][4]["label"], "random 0");
  EXPECT_EQ(result, compared(arguments));
}

TEST_F(Compare, WrongCommandLinesAndJointsAreNamed) {
  const struct {
    std::vector<std::string> flags;
    int code;
    const char* message;
  } cases[] = {
      {{"--methods", "lbs", "--a", "lbs"}, 2, "--a excludes --methods"},
      {{"--methods", "lbs,rigit"}, 2, "(did you mean \"rigid\"?)"},
      {{"--methods", "all:tpu"}, 2, "--methods: expected gpu or cpu"},
      {{"--a", "lbs"}, 2, "--b is required"},
      {{"--b", "lbs"}, 2, "--a is required"},
      {{"--methods", "lbs", "--sweep", "tip=3"}, 2, "--sweep: expected JOINT.DOF=FROM:TO[:STEPS]"},
      {{"--methods", "lbs", "--sweep", "tip.bend=3"}, 2, "--sweep: expected JOINT.DOF=FROM:TO[:STEPS]"},
      {{"--methods", "lbs", "--sweep", "tip.bend=0:90:1"}, 2, "--sweep: expected from 2 to 100000 steps"},
      {{"--methods", "lbs", "--csv", "-", "--json"}, 2, "excludes"},
      {{"--methods", "lbs", "--sweep", "tap.bend=0:90"}, 1, "(did you mean \"tip\"?)"},
      {{"--methods", "lbs", "--sweep", "tip.roll=0:90"}, 1, "--sweep tip.roll: the joint has no such degree"},
      {{"--methods", "lbs", "--ring", "nose"}, 1, "--ring: the character has no joint \"nose\""},
      {{"--methods", "lbs", "--ring", "cylinder"}, 1, "--ring: no skin lists the joint cylinder"},
  };
  for (const auto& one : cases) {
    std::vector<std::string> arguments = {"compare", "@cylinder"};
    arguments.insert(arguments.end(), one.flags.begin(), one.flags.end());
    const Outcome outcome = pelt(arguments);
    EXPECT_EQ(outcome.code, one.code) << testing::PrintToString(one.flags);
    EXPECT_THAT(outcome.err, HasSubstr(one.message));
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  }
}

}  // namespace
}  // namespace pelt
