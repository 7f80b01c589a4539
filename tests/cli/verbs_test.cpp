// The program as a user meets it: exit codes, messages, what goes to stdout, what files appear.
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "deform/deform.h"
#include "deform/skinning_methods.h"
#include "gltf/bundled.h"
#include "gltf/export.h"
#include "gltf/import.h"
#include "rig/clip_error.h"
#include "rig/joint_types.h"
#include "rig/key_folding.h"
#include "rig/learned_limits.h"
#include "run_pelt.h"
#include "support/effort.h"
#include "support/glb_builder.h"

namespace pelt {
namespace {

using nlohmann::json;
using test::Outcome;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

using Verbs = test::PeltTest;

json parsed(const std::string& text) {
  return json::parse(text, nullptr, false);
}

// One line, and it says who speaks.
void expect_one_line(const std::string& err) {
  EXPECT_THAT(err, StartsWith("pelt: "));
  EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;
  EXPECT_EQ(err.back(), '\n');
}

void expect_quiet_success(const Outcome& outcome) {
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
}

// Every number of a JSON value is finite (nlohmann writes the others as null).
void expect_no_null(const json& value) {
  EXPECT_FALSE(value.is_null());
  if (value.is_structured()) {
    for (const json& item : value) {
      expect_no_null(item);
    }
  }
}

// One triangle on a node of its own.
rig::Character one_triangle(const Transform& placed, std::vector<mesh::KeptAttribute> kept) {
  rig::Character character;
  test::add_node(character, "node", -1, placed);
  mesh::Primitive triangle;
  triangle.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  triangle.indices = {0, 1, 2};
  triangle.kept = std::move(kept);
  character.meshes.emplace_back();
  character.meshes.edit(0).primitives.push_back(std::move(triangle));
  character.mesh_nodes.push_back({.joint = 0, .mesh = 0, .skin = -1, .morph_weights = {}});
  rig::finish(character);
  return character;
}

void write(const std::filesystem::path& path, const std::vector<std::uint8_t>& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

// --- asking for help
// ---------------------------------------------------------------------------------------------------

TEST_F(Verbs, HelpAtEveryLevelHasExamples) {
  Outcome top = pelt({"--help"});
  expect_quiet_success(top);
  for (const char* verb : {"view", "render", "bake", "convert", "info", "lint", "bench", "compare"}) {
    EXPECT_THAT(top.out, HasSubstr(verb));
    const Outcome help = pelt({verb, "--help"});
    expect_quiet_success(help);
    EXPECT_THAT(help.out, HasSubstr("Example"));
    EXPECT_THAT(help.out, HasSubstr(std::string("pelt ") + verb));
  }
  EXPECT_EQ(pelt({"-h"}).out, top.out);
  const Outcome version = pelt({"--version"});
  expect_quiet_success(version);
  EXPECT_THAT(version.out, testing::MatchesRegex("pelt [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST_F(Verbs, WithoutDisplayTheWindowNamesRender) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{}, {arm_}, {"view"}, {"view", arm_}, {"--clip", "0", arm_}}) {
    const Outcome outcome = pelt(arguments);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.out, "");
    expect_one_line(outcome.err);
    EXPECT_THAT(outcome.err, HasSubstr("pelt render"));
  }
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(Verbs, WrongCommandLinesEndWithTwo) {
  const std::string& f = arm_;
  const struct {
    std::vector<std::string> arguments;
    const char* message;
  } cases[] = {
      {{"rendr", f}, "\"rendr\" is neither a verb nor a file (did you mean \"render\"?)"},
      {{"--bogus"}, "unexpected \"--bogus\""},
      {{"render", f, "--camra", "0,0", "-o", "x.png"}, "unexpected \"--camra\" (did you mean \"--camera\"?)"},
      {{"render", f, "two.glb", "-o", "x.png"}, "unexpected \"two.glb\""},
      {{"render", f}, "--output is required"},
      {{"render", "-o", "x.png"}, "FILE is required"},
      {{"render", f, "-o", "x.jpg", "--format", "png"}, "--format: png contradicts the name, which ends in .jpg"},
      {{"render", f, "-o", "x.WebP", "--format", "png"}, "--format: png contradicts the name, which ends in .webp"},
      {{"render", f, "-o", "x.glb", "--format", "png"}, "--format: png contradicts the name, which ends in .glb"},
      {{"render", f, "-o", "x.tif"}, "--output: expected a name that ends in .png, got \"x.tif\""},
      {{"render", f, "-o", "x.jpg"}, "--output: expected a name that ends in .png, got \"x.jpg\""},
      {{"render", f, "-o", "x.png", "--size", "12"},
       "--size: expected WxH with sides from 1 to 16384 pixels, got \"12\""},
      {{"render", f, "-o", "x.png", "--size", "0x5"}, "--size: expected WxH"},
      {{"render", f, "-o", "x.png", "--size", "99999x5"}, "--size: expected WxH"},
      {{"render", f, "-o", "x.png", "--size", "3x4x5"}, "--size: expected WxH"},
      {{"render", f, "-o", "x.png", "--samples", "0"}, "--samples: expected samples per pixel from 1 to 64, got \"0\""},
      {{"render", f, "-o", "x.png", "--camera", "1"}, "--camera: expected AZIMUTH,ELEVATION[,DISTANCE]"},
      {{"render", f, "-o", "x.png", "--camera", "1,95"}, "--camera: expected AZIMUTH,ELEVATION[,DISTANCE]"},
      {{"render", f, "-o", "x.png", "--camera", "1,2,-3"}, "--camera: expected AZIMUTH,ELEVATION[,DISTANCE]"},
      {{"render", f, "-o", "x.png", "--camera", "1,2,nan"}, "--camera: expected AZIMUTH,ELEVATION[,DISTANCE]"},
      {{"render", f, "-o", "x.png", "--camera", "1,2", "--scene-camera", "0"}, "--scene-camera: excludes --camera"},
      {{"render", f, "-o", "x.png", "--scene-camera", "-1"}, "--scene-camera: expected an index"},
      {{"render", f, "-o", "x.png", "--background", "#12345"}, "--background: expected #rrggbb"},
      {{"render", f, "-o", "x.png", "--background", "whte"}, "(did you mean \"white\"?)"},
      {{"render", f, "-o", "x.png", "--show", "shadd"}, "got \"shadd\" (did you mean \"shaded\"?)"},
      {{"render", f, "-o", "x.png", "--pane", "lbz"}, "--pane: expected a skinning method"},
      {{"render", f, "-o", "x.png", "--pane", "lbs:tpu"}, "--pane: expected gpu or cpu, got \"tpu\""},
      {{"render", f, "-o", "x.png", "--pane", "lbs:cpu:z"}, "--pane: expected a letter from a to h, got \"z\""},
      {{"render", f, "-o", "x.png", "--pane", "lbs:cpu:d:9"}, "--pane: expected 1 to 8 influences"},
      {{"render", f, "-o", "x.png", "--pane", "lbs:cpu:d:4:1"}, "--pane: expected before or after, got \"1\""},
      {{"render", f, "-o", "x.png", "--pane", "lbs:cpu:d:4:after:1"},
       "--pane: expected METHOD[:BACKEND[:NORMALS[:INFLUENCES[:REFINE]]]]"},
      {{"render", f, "-o", "x.png", "--pane", "lbs", "--pane", "lbs", "--pane", "lbs", "--pane", "lbs"},
       "--pane: at most 3 beside the first"},
      {{"view", f, "--wipe", "0.5"}, "--wipe: needs --pane"},
      {{"render", f, "-o", "x.png", "--pane", "lbs", "--wipe", "1.5"}, "--wipe: expected a number from 0 to 1"},
      {{"render", f, "-o", "x.png", "--measure", "distanc"}, "(did you mean \"distance\"?)"},
      {{"render", f, "-o", "x.png", "--against", "2"}, "--against: expected a pane from 1 to 1"},
      {{"render", f, "-o", "x.png", "--against", "5"}, "--against: expected a pane from 1 to 4, got \"5\""},
      {{"render", f, "-o", "x.png", "--against", "bnd"},
       "--against: expected bind, backend, full, the number of a pane"},
      {{"render", f, "-o", "x.png", "--range", "0"}, "--range: expected a number above 0, got \"0\""},
      {{"render", f, "-o", "x.png", "--frames", "3:1"}, "--frames: expected all, N frames or A:B[:FPS]"},
      {{"render", f, "-o", "x.png", "--frames", "0"}, "--frames: expected all, N frames or A:B[:FPS]"},
      {{"render", f, "-o", "x.png", "--frames", "0:2:0"}, "--frames: expected all, N frames or A:B[:FPS]"},
      {{"render", f, "-o", "x.png", "--turntable", "0"}, "--turntable"},
      {{"render", f, "-o", "x.png", "--turntable", "3", "--frames", "3"}, "excludes"},
      {{"render", f, "-o", "x.png", "--tab", "compare"}, "--tab, --plot: need --ui"},
      {{"render", f, "-o", "x.png", "--instances", "4", "--pane", "dqs"}, "--instances: excludes --pane"},
      {{"render", f, "-o", "x.png", "--instances", "4", "--ghosts", "1,1"}, "--ghosts: excludes --instances"},
      {{"render", f, "-o", "x.png", "--ghosts", "3"}, "--ghosts: expected BEFORE,AFTER[,STEP|keys]"},
      {{"render", f, "-o", "x.png", "--ghosts", "3,99"}, "two counts from 0 to 24"},
      {{"render", f, "-o", "x.png", "--ghosts", "3,3,0"}, "a step from 1 to 240"},
      {{"render", f, "-o", "x.png", "--instances", "4", "--show", "weights"}, "--instances: needs --show"},
      {{"render", f, "-o", "x.png", "--instances", "4", "--method", "dqs"}, "--instances: a crowd is skinned by lbs"},
      {{"render", f, "-o", "x.png", "--instances", "4", "--set", "tip.twist=9"}, "--instances: excludes --pose, --set"},
      {{"render", f, "-o", "-", "--turntable", "3"}, "--output: a sequence of pictures needs a file name"},
      {{"bake", f, "-o", "x.stl"}, "--output: expected a name that ends in .json, .obj, .ply or .glb, got \"x.stl\""},
      {{"bake", f, "-o", "x"}, "--output: expected a name that ends in"},
      {{"bake", f, "-o", "-", "--format", "stl"}, "--format"},
      {{"bake", f, "-o", "-", "--method", "lbz"}, "got \"lbz\" (did you mean \"lbs\"?)"},
      {{"bake", f, "-o", "-", "--backend", "tpu"}, "--backend: expected gpu or cpu, got \"tpu\""},
      {{"bake", f, "-o", "-", "--normals", "z"}, "--normals: expected a letter from a to h, got \"z\""},
      {{"bake", f, "-o", "-", "--palette", "11"}, "--palette: expected 12 to 256 joints per palette, or 0"},
      {{"bake", f, "-o", "-", "--influences", "9"},
       "--influences: expected 1 to 8 influences, or 0 for all, got \"9\""},
      {{"bake", f, "-o", "-", "--subdivide", "4"}, "--subdivide: expected steps from 0 to 3, got \"4\""},
      {{"bake", f, "-o", "-", "--lod", "-1"}, "--lod: expected a level of detail from 0 to 3, got \"-1\""},
      {{"bake", f, "-o", "-", "--weights", "raw"},
       "--weights: expected float, 16bit, 8bit, 56bit, as-stored or normalised, got \"raw\""},
      {{"bake", f, "-o", "-", "--weights", "8bit,7bit"}, "as-stored or normalised, got \"7bit\""},
      {{"bake", f, "-o", "-", "--prune", "2"}, "--prune: expected a weight from 0 to 1, got \"2\""},
      {{"bake", f, "-o", "-", "--parameter", "sigma"}, "--parameter: expected ID=VALUE, got \"sigma\""},
      {{"bake", f, "-o", "-", "--parameter", "nothing=1"}, "--parameter: expected a parameter of some method"},
      {{"bake", f, "-o", "-", "--set", "elbow_l"}, "--set: expected JOINT.DOF=VALUE, got \"elbow_l\""},
      {{"bake", f, "-o", "-", "--set", "elbow_l=3"}, "--set: expected JOINT.DOF=VALUE, got \"elbow_l=3\""},
      {{"bake", f, "-o", "-", "--set", "elbow_l.bend=x"}, "--set: expected JOINT.DOF=VALUE with a number as VALUE"},
      {{"bake", f, "-o", "-", "--set", "elbow_l.bend=inf"}, "--set: expected JOINT.DOF=VALUE with a number as VALUE"},
      {{"bake", f, "-o", "-", "--morph", "smile"}, "--morph: expected NAME=WEIGHT, got \"smile\""},
      {{"bake", f, "-o", "-", "--morph", "smile=nan"}, "--morph: expected NAME=WEIGHT"},
      {{"bake", f, "-o", "-", "--morph", "smile=1e300"}, "--morph: expected NAME=WEIGHT"},
      {{"bake", f, "-o", "-", "--layer", "clip"}, "--layer: expected ID=on|off|WEIGHT or ID.FIELD=VALUE, got \"clip\""},
      {{"bake", f, "-o", "-", "--layer", "clop=off"}, "got \"clop\" (did you mean \"clip\"?)"},
      {{"bake", f, "-o", "-", "--layer", "base=off"}, "--layer: base is always on"},
      {{"bake", f, "-o", "-", "--layer", "skin=0.5"}, "--layer: expected on or off for skin, got \"0.5\""},
      {{"bake", f, "-o", "-", "--layer", "clip=2"}, "--layer: expected on, off or 0 to 1 for clip, got \"2\""},
      {{"bake", f, "-o", "-", "--layer", "push.distance=1"},
       "--layer: expected -0.1 to 0.1 metres for push.distance, got \"1\""},
      {{"bake", f, "-o", "-", "--layer", "push.far=1"}, "--layer: expected a field of push (distance, weight)"},
      {{"bake", f, "-o", "-", "--stop-after", "shape"}, "got \"shape\" (did you mean \"shapes\"?)"},
      {{"bake", f, "-o", "-", "--time", "soon", "--clip", "0"}, "--time: expected a number, got \"soon\""},
      {{"bake", f, "-o", "-", "--time", "1"}, "--time: needs --clip"},
      {{"bake", f, "-o", "-", "--bind-pose", "--zero-pose"}, "excludes"},
      {{"bake", f, "-o", "-", "--bind-pose", "--pose", "p.json"}, "--pose: excludes --bind-pose and --zero-pose"},
      {{"bake", f, "-o", "a.obj", "-o", "b.obj"}, "--output"},
      {{"info"}, "FILE: is required"},
      {{"info", f, "--vertex", "0"}, "--vertex: expected PART,V with the name or index of a part"},
      {{"info", f, "--vertex", ",3"}, "--vertex: expected PART,V"},
      {{"info", f, "--vertex", "0,-1"}, "--vertex: expected PART,V"},
      {{"info", f, "--vertex", "0,1", "--joints"},
       "--vertex: excludes --methods, --joints, --diet, --behaviour and --worst"},
      {{"render", f, "-o", "x.png", "--vertex", "0,x"}, "--vertex: expected PART,V"},
      {{"render", f, "-o", "x.png", "--vertex", "0,0", "--instances", "3"}, "--vertex: excludes --instances"},
      {{"bake", f, "-o", "-", "--explode", "3"}, "--explode: expected a number from 0 to 2, got \"3\""},
      {{"lint", f, "--fail-on", "info"}, "--fail-on"},
      {{"bench", f, "--seconds", "0"}, "--seconds"},
      {{"bench", f, "--threads", "-2"}, "--threads"},
      {{"compare", f, "--a", "lbs"}, "--b is required"},
      {{"compare", f, "--a", "lbs", "--b", "lbs:tpu"}, "--b: expected gpu or cpu, got \"tpu\""},
      {{"compare", f, "--a", "rigit", "--b", "lbs"}, "(did you mean \"rigid\"?)"},
      {{"compare", f, "--a", "lbs", "--b", "lbs", "--random", "0"}, "--random"},
      {{"view", f, "--ui"}, "--ui: belongs to `pelt render`"},
  };
  for (const auto& one : cases) {
    const Outcome outcome = pelt(one.arguments);
    EXPECT_EQ(outcome.code, 2) << testing::PrintToString(one.arguments);
    EXPECT_EQ(outcome.out, "");
    expect_one_line(outcome.err);
    EXPECT_THAT(outcome.err, HasSubstr(one.message));
  }
  EXPECT_THAT(files(), IsEmpty());
}

// C7.1 and C22.2: upper arm alone (3, 1), forearm alone (5, 1), blend (3.4, 1).
TEST_F(Verbs, InfoTellsOneVertexStepByStep) {
  const std::vector<std::string> common = {"info", "@elbow", "--vertex", "0,544", "--set", "forearm.bend=-90"};
  const auto with = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), common.begin(), common.end());
    return pelt(flags);
  };
  const Outcome outcome = with({"--json"});
  expect_quiet_success(outcome);
  const json info = parsed(outcome.out);
  ASSERT_TRUE(info.is_object()) << outcome.out;
  expect_no_null(info);
  const auto expect_point = [&](const json& point, double x, double y) {
    ASSERT_EQ(point.size(), 3u);
    EXPECT_NEAR(point[0].get<double>(), x, 1e-5);
    EXPECT_NEAR(point[1].get<double>(), y, 1e-5);
    EXPECT_NEAR(point[2].get<double>(), 0, 1e-5);
  };
  EXPECT_EQ(info["part"], 0);
  EXPECT_EQ(info["vertex"], 544);
  EXPECT_EQ(info["method"], "lbs");
  EXPECT_EQ(info["normals"], "d");
  expect_point(info["position"], 3, 1);
  ASSERT_EQ(info["joints"].size(), 2u);
  EXPECT_EQ(info["joints"][0]["name"], "upper_arm");
  EXPECT_EQ(info["joints"][1]["name"], "forearm");
  EXPECT_NEAR(info["joints"][1]["weight"].get<double>(), 0.2, 1e-6);
  expect_point(info["joints"][1]["in_joint"], -1, 1);
  expect_point(info["joints"][1]["ghost"], 5, 1);
  expect_point(info["joints"][1]["weighted"], 1, 0.2);
  expect_point(info["sum"], 3.4, 1);
  expect_point(info["result"], 3.4, 1);
  EXPECT_EQ(info["normal"].size(), 3u);
  EXPECT_EQ(info["result_normal"].size(), 3u);
  expect_point(info["arc"][0], 3, 1);
  expect_point(info["arc"].back(), 5, 1);

  const json dual = parsed(with({"--json", "--method", "dqs"}).out);
  expect_point(dual["sum"], 3.4, 1);
  EXPECT_NEAR(std::hypot(dual["result"][0].get<double>() - 4, dual["result"][1].get<double>()), std::sqrt(2), 1e-5);
  EXPECT_FALSE(parsed(with({"--json", "--method", "cor"}).out).contains("arc"));

  const Outcome text = with({});
  expect_quiet_success(text);
  EXPECT_THAT(text.out, HasSubstr("forearm\n"));
  EXPECT_THAT(text.out, HasSubstr("(5, 1, "));
  EXPECT_THAT(text.out, HasSubstr("(3.4, 1, "));
  // By name, and by what is no name.
  EXPECT_EQ(parsed(pelt({"info", cylinder_, "--json", "--vertex", "cylinder,0"}).out)["part"], 0);
  const struct {
    std::vector<std::string> arguments;
    std::string message;
  } cases[] = {
      {{"info", "@elbow", "--vertex", "1,0"}, "--vertex: expected a part from 0 to 0 or its name, got \"1\""},
      {{"info", "@elbow", "--vertex", "0,9999"}, "--vertex: part 0 has 1378 vertices, from 0 on; got vertex 9999"},
      {{"info", cylinder_, "--vertex", "cilinder,0"}, "(did you mean \"cylinder\"?)"},
      {{"render", "@elbow", "-o", "x.png", "--vertex", "leg,0"}, "got \"leg\""}};
  for (const auto& one : cases) {
    const Outcome failed = pelt(one.arguments);
    EXPECT_EQ(failed.code, 1);
    EXPECT_EQ(failed.out, "");
    expect_one_line(failed.err);
    EXPECT_THAT(failed.err, HasSubstr(one.message));
  }
}

// Under variant a half a twist leaves the ring of weights one half without normals.
TEST_F(Verbs, InfoCountsLostNormals) {
  const std::vector<std::string> half = {"info", cylinder_, "--normals", "a", "--set", "tip.twist=180"};
  EXPECT_THAT(pelt(half).out, HasSubstr("32 of 1314 are lost in this pose, the first at vertex 640 of part 0"));
  std::vector<std::string> as_json = half;
  as_json.push_back("--json");
  EXPECT_EQ(parsed(pelt(as_json).out)["degenerate_normals"], 32);
  EXPECT_THAT(pelt({"info", cylinder_}).out, Not(HasSubstr("lost")));
  EXPECT_FALSE(parsed(pelt({"info", cylinder_, "--json", "--normals", "g"}).out).contains("degenerate_normals"));
}

TEST_F(Verbs, ExplodedPartsAreBaked) {
  const json whole = parsed(pelt({"bake", cylinder_, "-o", "-"}).out);
  const json apart = parsed(pelt({"bake", cylinder_, "-o", "-", "--explode", "1"}).out);
  EXPECT_EQ(whole["primitives"][0]["vertexCount"], 1314);
  EXPECT_EQ(apart["primitives"][0]["vertexCount"], 1378) << "two rings of 32 are doubled";
  EXPECT_NEAR(apart["primitives"][0]["poses"][0]["positions"][0].get<double>(), -0.3, 1e-5);
}

TEST_F(Verbs, FailedWorkEndsWithOne) {
  const std::string& f = arm_;
  write(folder_ / "garbage.glb", {'n', 'o', 't', ' ', 'g', 'l', 't', 'f'});
  std::ofstream(folder_ / "bad.json") << R"({"pelt": "pose", "version": 1, "joints": {"elbow_k": {}}})";
  const struct {
    std::vector<std::string> arguments;
    const char* message;
  } cases[] = {
      {{"info", "absent.glb"}, "absent.glb"},
      {{"info", "."}, "pelt: "},
      {{"info", "garbage.glb"}, "garbage.glb"},
      {{"info", "@nobody"}, "@nobody: no such bundled character"},
      {{"lint", "garbage.glb"}, "garbage.glb"},
      {{"bake", f, "-o", "x.obj", "--clip", "wav"},
       "--clip wav: the character has 1 clips and none of that name or index "
       "(did you mean \"wave\"?)"},
      {{"bake", f, "-o", "x.obj", "--clip", "1"}, "--clip 1: the character has 1 clips and none"},
      {{"bake", f, "-o", "x.obj", "--clip", "-1"}, "--clip -1: the character has 1 clips and none"},
      {{"bake", cylinder_, "-o", "x.obj", "--clip", "0"}, "--clip 0: the character has no clips"},
      {{"bake", f, "-o", "x.obj", "--scene", "7"},
       "--scene 7: the character has 1 scenes and none of that name or index"},
      {{"render", f, "-o", "x.png", "--variant", "blue"}, "--variant blue: the character has no variants"},
      {{"bake", f, "-o", "x.obj", "--set", "elbow_k.bend=3"},
       "--set elbow_k.bend: the character has no joint \"elbow_k\" (did you mean \"elbow_l\"?)"},
      {{"bake", f, "-o", "x.obj", "--set", "elbow_l.twist=3"},
       "--set elbow_l.twist: the joint has no such degree of freedom; it has bend"},
      {{"bake", f, "-o", "x.obj", "--set", "twin.bend=3"},
       "--set twin.bend: 2 joints are named \"twin\"; say \"node INDEX\" instead"},
      {{"bake", f, "-o", "x.obj", "--set", "shoulder_l.twist=1e300"}, "the value is too large"},
      {{"bake", f, "-o", "x.obj", "--morph", "smyle=1"},
       "--morph smyle: the character has no such morph target (did you mean \"smile\"?)"},
      {{"bake", f, "-o", "x.obj", "--pose", "bad.json"},
       "--pose: bad.json: the character has none of the joints that the file poses: elbow_k"},
      {{"bake", f, "-o", "x.obj", "--pose", "absent.json"}, "absent.json"},
      {{"bake", f, "-o", "no/such/folder/x.obj"}, "no/such/folder/x.obj"},
      {{"bake", f, "-o", f}, "(the input), which is read; choose another name for the output"},
      {{"render", f, "-o", "x.png", "--frames", "3"}, "--frames: needs a clip; choose one with --clip"},
      {{"render", f, "-o", "x_%s.png", "--turntable", "3"}, "-o: expected at most one %d or %04d in the name"},
      {{"render", f, "-o", "x.png", "--scene-camera", "0"}, "--scene-camera 0: the file has 0 camera(s)"},
      {{"render", f, "-o", "x.png", "--joint", "hand"}, "--joint: the character has no joint \"hand\""},
      {{"compare", f, "--a", "lbs", "--b", "lbs", "--frames", "3"}, "--frames: needs a clip; choose one with --clip"},
  };
  const std::string before = test::content_of(f);
  for (const auto& one : cases) {
    const Outcome outcome = pelt(one.arguments);
    EXPECT_EQ(outcome.code, 1) << testing::PrintToString(one.arguments);
    EXPECT_EQ(outcome.out, "");
    expect_one_line(outcome.err);
    EXPECT_THAT(outcome.err, HasSubstr(one.message));
  }
  EXPECT_THAT(files(), ElementsAre("bad.json", "garbage.glb")) << "nothing half-written stays behind";
  EXPECT_EQ(test::content_of(f), before);
}

TEST_F(Verbs, APoseFileAppliesWhatMatches) {
  std::ofstream(folder_ / "some.json") << R"({"pelt": "pose", "version": 1, "joints": {
      "Elbow.L": {"rotation": [0, 0, 0.6, 0.8]}, "hand.l": {"rotation": [0, 0, 0.6, 0.8]}, "tail": {}}})";
  Outcome outcome = pelt({"bake", arm_, "-o", "-", "--pose", "some.json"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err,
            "pelt: note: some.json: 2 of 3 joints, 1 by similar names; 1 not found (missing: tail; Elbow.L is elbow_l; "
            "the file does not tell its rest pose, so rotations were taken as they are)\n");
  outcome = pelt({"bake", arm_, "-o", "-", "--pose", "some.json", "--strict"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("some.json: 2 of 3 joints"));
  expect_one_line(outcome.err);
  std::ofstream(folder_ / "all.json") << R"({"pelt": "pose", "version": 1, "joints": {"hand.l": {}}})";
  outcome = pelt({"bake", arm_, "-o", "-", "--pose", "all.json", "--strict"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
}

TEST_F(Verbs, FullStandardOutputIsAFailure) {
  if (!std::filesystem::exists("/dev/full")) {
    GTEST_SKIP() << "no /dev/full";
  }
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"--help"}, {"info", arm_}, {"info", "--methods"}, {"bake", arm_, "-o", "-"}, {"lint", arm_}}) {
    const Outcome outcome = pelt(arguments, "/dev/null", "/dev/full");
    EXPECT_EQ(outcome.code, 1) << testing::PrintToString(arguments);
    EXPECT_THAT(outcome.err, HasSubstr("standard output: No space left on device"));
  }
}

// --- info, lint, bench
// -------------------------------------------------------------------------------------------------

TEST_F(Verbs, InfoListsMethodsOnePerLine) {
  std::string expected;
  for (const deform::SkinningMethod& method : deform::skinning_methods()) {
    expected += std::string(method.id) + "\n";
  }
  const Outcome outcome = pelt({"info", "--methods"});
  expect_quiet_success(outcome);
  EXPECT_EQ(outcome.out, expected);
}

// The same as the Rig mode learns, for all joints, and the other side where the clips tell nothing of it.
TEST_F(Verbs, ConvertLearnsLimits) {
  const rig::Character before = *gltf::import_bundled("mannequin");
  const Outcome learned = pelt({"convert", "@mannequin", "--learn-limits", "-o", "limited.glb"});
  ASSERT_EQ(learned.code, 0) << learned.err;
  EXPECT_THAT(learned.err, HasSubstr("joints got limits from"));
  const rig::Character after = *gltf::import_file(folder_ / "limited.glb");
  int taken = 0;
  for (int j = 0; j < before.skeleton->size(); ++j) {
    const rig::JointDofs wanted =
        rig::with_limits(before.skeleton->dofs[j], rig::learn_limits(before, j, before.skeleton->dofs[j]));
    ASSERT_EQ(after.skeleton->dofs[j].dofs.size(), wanted.dofs.size());
    for (std::size_t d = 0; d < wanted.dofs.size(); ++d) {
      EXPECT_NEAR(after.skeleton->dofs[j].dofs[d].lower, wanted.dofs[d].lower, 1e-5f) << before.skeleton->label(j);
      EXPECT_NEAR(after.skeleton->dofs[j].dofs[d].upper, wanted.dofs[d].upper, 1e-5f) << before.skeleton->label(j);
      taken += wanted.dofs[d].upper != before.skeleton->dofs[j].dofs[d].upper ? 1 : 0;
    }
  }
  EXPECT_GT(taken, 0);
  EXPECT_EQ(pelt({"convert", "@mannequin", "--mirror-limits", "-o", "x.glb"}).code, 2) << "of what is learned alone";
}

TEST_F(Verbs, ConvertGivesLearnedLimitsToTheOtherSide) {
  const auto converted = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"convert", "@robot", "-o", "limited.glb"});
    const Outcome outcome = pelt(flags);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err.find("; 1 more got those of their other side") != std::string::npos, flags.size() == 6);
    return *gltf::import_file(folder_ / "limited.glb");
  };
  const rig::Character one = converted({"--learn-limits"});
  const rig::Character both = converted({"--learn-limits", "--mirror-limits"});
  const std::vector<int> partners = rig::mirrored_joints(one.skeleton);
  int given = 0;
  for (int j = 0; j < one.skeleton->size(); ++j) {
    const rig::JointDofs& now = both.skeleton->dofs[j];
    if (std::ranges::equal(now.dofs, one.skeleton->dofs[j].dofs, [](const rig::Dof& a, const rig::Dof& b) {
          return a.lower == b.lower && a.upper == b.upper;
        })) {
      continue;
    }
    ++given;
    ASSERT_GE(partners[j], 0);
    const rig::JointDofs wanted = rig::mirrored_dofs(one, partners[j], j, one.skeleton->dofs[partners[j]]);
    ASSERT_EQ(now.dofs.size(), wanted.dofs.size());
    for (std::size_t d = 0; d < wanted.dofs.size(); ++d) {
      EXPECT_NEAR(now.dofs[d].lower, wanted.dofs[d].lower, 1e-5f);
      EXPECT_NEAR(now.dofs[d].upper, wanted.dofs[d].upper, 1e-5f);
    }
  }
  EXPECT_EQ(given, 1);
}

TEST_F(Verbs, ConvertKeepsTheClipsThatAreNamed) {
  ASSERT_EQ(pelt({"convert", "@robot", "--only-clip", "wave", "-o", "wave.glb"}).code, 0);
  const auto waving = gltf::import_file(folder_ / "wave.glb");
  ASSERT_TRUE(waving) << waving.error().message;
  ASSERT_EQ(waving->clips.size(), 1u);
  EXPECT_EQ(waving->clips[0].name, "wave");
  const Outcome none = pelt({"convert", "@robot", "--only-clip", "swim", "-o", "x.glb"});
  EXPECT_NE(none.code, 0);
  EXPECT_THAT(none.err, HasSubstr("--only-clip: "));
}

TEST_F(Verbs, ConvertFoldsKeysAndSaysWhatThatMoves) {
  const auto keys = [&](const std::string& file) { return rig::key_count(*gltf::import_file(folder_ / file)); };
  const std::string character = test::sanitized() ? "@robot" : "@mannequin";
  ASSERT_EQ(pelt({"convert", character, "-o", "whole.glb"}).code, 0);
  const Outcome folded = pelt({"convert", character, "-o", "folded.glb", "--fold-keys", "0.2,0.2"});
  ASSERT_EQ(folded.code, 0) << folded.err;
  const double most_left = test::sanitized() ? 0.8 : 0.75;  // the robot has keys on few joints
  EXPECT_LT(static_cast<double>(keys("folded.glb")), static_cast<double>(keys("whole.glb")) * most_left);
  std::smatch said;
  ASSERT_TRUE(
      std::regex_search(folded.err, said,
                        std::regex("note: clips: ([0-9]+) of ([0-9]+) keys .* at most ([0-9.e-]+) mm .* at most "
                                   "([0-9.e-]+) degrees")))
      << folded.err;
  EXPECT_EQ(std::stoul(said[1]), keys("folded.glb"));
  EXPECT_EQ(std::stoul(said[2]), keys("whole.glb"));
  EXPECT_LE(std::stod(said[3]), 0.2);
  EXPECT_GT(std::stod(said[3]), 0.02) << "what is allowed is used";
  EXPECT_LE(std::stod(said[4]), 0.2);
  const auto whole = gltf::import_file(folder_ / "whole.glb");
  const auto after = gltf::import_file(folder_ / "folded.glb");
  EXPECT_NEAR(rig::clip_error(*whole, *after).distance * 1000, std::stod(said[3]), 1e-3) << "it is what was written";

  const Outcome least = pelt(
      {"convert", character, "-o", "least.glb", "--fold-keys", "0.01%", "--strip-channels", "--rotations", "16bit"});
  ASSERT_EQ(least.code, 0) << least.err;
  EXPECT_LT(std::filesystem::file_size(folder_ / "least.glb"), std::filesystem::file_size(folder_ / "whole.glb"));
  for (const char* odd : {"0", "-1", "nan", "x", "1,0", "1,", "1,200", "%"}) {
    const Outcome refused = pelt({"convert", "@mannequin", "-o", "odd.glb", "--fold-keys", odd});
    EXPECT_EQ(refused.code, 2) << odd;
    EXPECT_THAT(refused.err, HasSubstr("--fold-keys: expected MM[,DEGREES] or P%[,DEGREES]"));
  }
  EXPECT_EQ(pelt({"convert", "@mannequin", "-o", "odd.glb", "--strip-channels"}).code, 2) << "within what?";
}

TEST_F(Verbs, C10_1_InfoCountsBatchesUnderThePaletteLimitAskedFor) {
  write(folder_ / "strip.glb", *gltf::export_glb(test::strip100()));
  const auto batches = [&](const char* file, std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"info", file, "--json"});
    return parsed(pelt(flags).out)["meshes"][0]["primitives"][0]["palette_batches"].get<int>();
  };
  EXPECT_EQ(batches("strip.glb", {}), 2);
  EXPECT_EQ(batches("strip.glb", {"--palette", "24"}), 5);
  EXPECT_EQ(batches("strip.glb", {"--palette", "12"}), 9);
  EXPECT_EQ(batches("strip.glb", {"--palette", "0"}), 1);
  EXPECT_THAT(pelt({"info", "strip.glb", "--palette", "12"}).out, HasSubstr(", 9 palette batches"));
  EXPECT_EQ(batches("@cylinder", {}), 1);
  EXPECT_EQ(batches("@cylinder", {"--partition"}), 3) << "rigid triangles make batches of their own";
}

TEST_F(Verbs, InfoSaysWhatIsInside) {
  const Outcome text = pelt({"info", arm_});
  expect_quiet_success(text);
  EXPECT_THAT(text.out, HasSubstr("wave"));
  EXPECT_THAT(text.out, HasSubstr("morph targets: smile, frown, morph 2"));
  const Outcome outcome = pelt({"info", arm_, "--json", "--joints"});
  expect_quiet_success(outcome);
  const json info = parsed(outcome.out);
  ASSERT_TRUE(info.is_object()) << outcome.out;
  expect_no_null(info);
  EXPECT_EQ(info["file"], "arm.glb");
  EXPECT_EQ(info["joints"], 6);
  EXPECT_EQ(info["vertices"], 2);
  EXPECT_EQ(info["max_influences"], 1);
  EXPECT_EQ(info["degenerate_normals"], 0);
  EXPECT_EQ(info["clips"][0]["name"], "wave");
  // The documented members, so that none goes by accident.
  for (const char* key : {"file",
                          "extensions_used",
                          "extensions_required",
                          "nodes",
                          "joints",
                          "vertices",
                          "triangles",
                          "max_influences",
                          "influence_histogram",
                          "diagonal",
                          "rest_bind_difference",
                          "memory",
                          "scenes",
                          "scene",
                          "variants",
                          "meshes",
                          "skins",
                          "clips",
                          "materials",
                          "images",
                          "cameras",
                          "lights",
                          "diagnostics"}) {
    EXPECT_TRUE(info.contains(key)) << key;
  }
  EXPECT_EQ(info["clips"][0]["start"], 1.0);
  EXPECT_EQ(info["clips"][0]["end"], 3.0);
  EXPECT_EQ(info["meshes"][0]["morph_targets"][0], "smile");
  EXPECT_EQ(info["skeleton"][2]["name"], "elbow_l");
  EXPECT_EQ(info["skeleton"][2]["dofs"][0]["name"], "bend");
  EXPECT_EQ(info["skeleton"][2]["dofs"][0]["unit"], "deg");
  EXPECT_EQ(info["skeleton"][2]["dofs"][0]["upper"], 140.0);
  const Outcome joints = pelt({"info", arm_, "--joints"});
  expect_quiet_success(joints);
  EXPECT_THAT(joints.out, HasSubstr("elbow_l  [bend 0..140 deg]"));
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(Verbs, InfoNamesWhatIsKeptUnread) {
  rig::Character character = test::cylinder();
  mesh::Primitive& primitive = character.meshes.edit(0).primitives.edit(0);
  primitive.kept = {{"_ID", mesh::NumberType::kUnsignedShort}};
  primitive.kept.edit()[0].bytes.resize(2 * primitive.vertex_count(), 7);
  ASSERT_TRUE(gltf::export_file(character, folder_ / "numbered.glb"));
  const json info = parsed(pelt({"info", "numbered.glb", "--json"}).out);
  EXPECT_EQ(info["meshes"][0]["primitives"][0]["kept"], json::array({"_ID (SCALAR of UNSIGNED_SHORT)"}));
  EXPECT_EQ(info["instances"], json::array());
  EXPECT_THAT(pelt({"info", "numbered.glb"}).out, HasSubstr("kept unread: _ID (SCALAR of UNSIGNED_SHORT)\n"));
}

TEST_F(Verbs, WhatAFileHasAndAResultLacksIsNoted) {
  const json forest = {{"asset", {{"version", "2.0"}}},
                       {"accessors",
                        {{{"componentType", 5126}, {"count", 1}, {"type", "VEC3"}},
                         {{"componentType", 5126}, {"count", 5000}, {"type", "VEC3"}}}},
                       {"meshes", {{{"primitives", {{{"attributes", {{"POSITION", 0}}}, {"mode", 0}}}}}}},
                       {"nodes",
                        {{{"name", "trees"},
                          {"mesh", 0},
                          {"extensions", {{"EXT_mesh_gpu_instancing", {{"attributes", {{"TRANSLATION", 1}}}}}}}}}}};
  ASSERT_TRUE(write_file_atomically(folder_ / "forest.gltf", forest.dump()));
  const Outcome baked = pelt({"bake", "forest.gltf", "-o", "forest.ply"});
  EXPECT_EQ(baked.code, 0);
  EXPECT_EQ(baked.err, "pelt: note: trees: 904 of 5000 instances are not shown\n");
  const Outcome converted = pelt({"convert", "forest.gltf", "-o", "again.glb"});
  EXPECT_EQ(converted.code, 0);
  EXPECT_EQ(converted.err, "pelt: note: 1 finding(s) on reading; `pelt lint` lists them\n");
  EXPECT_EQ(parsed(pelt({"info", "again.glb", "--json"}).out)["instances"][0]["unshown"], 904);
}

TEST_F(Verbs, FileFromStandardInput) {
  const Outcome outcome = pelt({"info", "-", "--json"}, cylinder_);
  expect_quiet_success(outcome);
  EXPECT_EQ(parsed(outcome.out)["vertices"], 1314);
  const Outcome empty = pelt({"info", "-"});
  EXPECT_EQ(empty.code, 1);
  expect_one_line(empty.err);
  EXPECT_THAT(empty.err, HasSubstr("standard input"));
}

TEST_F(Verbs, C52_2_LintFindsATJunctionAndNoneInBundledCharacters) {
  for (const char* bundled : {"@mannequin", "@cylinder", "@centipede", "@robot"}) {
    const std::string out = pelt({"lint", bundled}).out;
    EXPECT_TRUE(out == "no findings\n" || out.find("\n0 error(s), 0 warning(s)") != std::string::npos) << out;
  }
  // The second triangle's corner stands in the middle of the first's side.
  test::GlbBuilder builder;
  const int positions = builder.floats({0, 0, 0, 2, 0, 0, 0, 1, 0, 1, 0, 0, 1, -1, 0, 2, 0, 0}, "VEC3");
  builder.root["accessors"][0]["min"] = {0, -1, 0};
  builder.root["accessors"][0]["max"] = {2, 1, 0};
  const int joints = builder.accessor(
      std::vector<std::uint8_t>{0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0}, test::kU8,
      "VEC4");
  const int weights = builder.floats({1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, "VEC4");
  builder.root["meshes"] = {
      {{"name", "flap"},
       {"primitives", {{{"attributes", {{"POSITION", positions}, {"JOINTS_0", joints}, {"WEIGHTS_0", weights}}}}}}}};
  builder.root["nodes"] = {{{"mesh", 0}, {"skin", 0}}, {{"name", "a"}, {"children", {2}}}, {{"name", "b"}}};
  builder.root["skins"] = {{{"joints", {1, 2}}}};
  builder.root["scenes"] = {{{"nodes", {0, 1}}}};
  builder.root["scene"] = 0;
  write(folder_ / "flap.glb", builder.glb());
  const Outcome outcome = pelt({"lint", "flap.glb"});
  expect_quiet_success(outcome);
  EXPECT_THAT(outcome.out, HasSubstr("warning: mesh 0 (\"flap\"), primitive 0: 1 T-junction"));
  EXPECT_THAT(outcome.out, HasSubstr("the first vertex 3 between vertex 0 and vertex 1"));
  EXPECT_THAT(outcome.out, HasSubstr("(--split-t-junctions). [t-junction]"));
  const Outcome baked = pelt({"bake", "flap.glb", "--split-t-junctions", "-o", "-"});
  expect_quiet_success(baked);
  EXPECT_EQ(parsed(baked.out)["primitives"][0]["vertexCount"], 7);
}

TEST_F(Verbs, SurfaceFlagsChangeWhatIsEvaluated) {
  const auto vertices = [&](const std::vector<std::string>& flags) {
    std::vector<std::string> arguments = {"bake", cylinder_, "-o", "-"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const Outcome outcome = pelt(arguments);
    expect_quiet_success(outcome);
    return parsed(outcome.out)["primitives"][0]["vertexCount"].get<int>();
  };
  EXPECT_EQ(vertices({"--lod", "0", "--subdivide", "0"}), 1314);
  EXPECT_EQ(vertices({"--subdivide", "1"}), 1314 + 3936);  // one for each edge
  // Closed: half as many triangles as before, so half as many vertices, and two.
  EXPECT_EQ(vertices({"--lod", "1"}), 1312 / 2 + 2);
  EXPECT_EQ(vertices({"--lod", "2", "--subdivide", "1"}), 656 / 2 + 2 + 656 * 3 / 2);
}

// The mid ring of a tube that is bound hard: bent, it tears most there, next to which nothing moves.
TEST_F(Verbs, InfoTellsTheWorstPlaces) {
  const Outcome outcome = pelt({"info", cylinder_, "--worst", "3", "--json"});
  expect_quiet_success(outcome);
  const json worst = parsed(outcome.out);
  ASSERT_TRUE(worst.is_object()) << outcome.out;
  expect_no_null(worst);
  ASSERT_GE(worst["spots"].size(), 1u);
  ASSERT_LE(worst["spots"].size(), 3u);
  double before = 1e9;
  for (const json& spot : worst["spots"]) {
    EXPECT_LE(spot["badness"].get<double>(), before) << "the worst first";
    before = spot["badness"];
    EXPECT_EQ(spot["part"], 0);
    EXPECT_LT(spot["vertex"].get<int>(), 1314);
    EXPECT_NE(spot["pose"], "");
  }
  const Outcome lines = pelt({"info", cylinder_, "--worst", "3"});
  EXPECT_THAT(lines.out, HasSubstr(fmt::format("vertex {}", worst["spots"][0]["vertex"].get<int>())));
  EXPECT_GT(parsed(pelt({"info", cylinder_, "--worst", "1", "--random", "5", "--json"}).out)["poses"].get<int>(),
            worst["poses"].get<int>());
}

TEST_F(Verbs, InfoTellsWhatADietSavesAndCosts) {
  const Outcome outcome = pelt({"info", cylinder_, "--diet", "--json"});
  expect_quiet_success(outcome);
  const json diet = parsed(outcome.out);
  ASSERT_TRUE(diet.is_object()) << outcome.out;
  expect_no_null(diet);
  EXPECT_EQ(diet["method"], "lbs");
  EXPECT_GT(diet["poses"], 1);
  EXPECT_NEAR(diet["histogram"]["reference_mean"], 1.45, 1e-12);
  std::map<std::string, json> rows;
  for (const json& row : diet["rows"]) {
    rows[row["what"]] = row;
  }
  EXPECT_EQ(rows.size(), 8u + 4 + 4 + 1);
  EXPECT_EQ(rows["influences 2"]["max_error"], 0) << "no vertex follows more than two";
  EXPECT_GT(rows["influences 1"]["max_error"], 0);
  EXPECT_GT(rows["weights 8bit"]["max_error"], rows["weights 16bit"]["max_error"]);
  EXPECT_EQ(rows["palette 24"]["batches"], 1);
  EXPECT_EQ(rows["partition"]["rigid_triangles"], 1056 + 1056);  // C12.1
  EXPECT_EQ(rows["partition"]["skinned_triangles"], 512);
  EXPECT_EQ(rows["partition"]["max_error"], 0);
  EXPECT_THAT(pelt({"info", cylinder_, "--diet", "--prune", "0.3"}).out, HasSubstr("as asked"));
  // Judged in the poses in which methods are.
  const auto poses_of = [&](std::vector<std::string> arguments, const std::vector<std::string>& random) {
    arguments.insert(arguments.end(), random.begin(), random.end());
    return parsed(pelt(arguments).out)["poses"].get<int>();
  };
  const std::vector<std::string> methods = {"compare", cylinder_, "--methods", "lbs", "--battery", "--json"};
  EXPECT_EQ(diet["poses"], poses_of(methods, {}));
  const std::vector<std::string> few = {"--random", "2", "--seed", "5"};
  EXPECT_EQ(poses_of({"info", cylinder_, "--diet", "--json"}, few), poses_of(methods, few));
  EXPECT_THAT(pelt({"info", cylinder_, "--seed", "5"}).err, HasSubstr("--random, --seed: need --diet"));
}

TEST_F(Verbs, BenchMeasuresADiet) {
  const Outcome outcome = pelt({"bench", cylinder_, "--diet", "--seconds", "0.001", "--json"});
  expect_quiet_success(outcome);
  const json bench = parsed(outcome.out);
  ASSERT_TRUE(bench.is_object()) << outcome.out;
  expect_no_null(bench);
  ASSERT_EQ(bench["rows"].size(), 17u);
  for (const json& row : bench["rows"]) {
    EXPECT_GT(row["cpu_milliseconds"], 0.0) << row["what"];
  }
}

TEST_F(Verbs, BenchMeasuresEveryMethod) {
  const Outcome outcome = pelt({"bench", cylinder_, "--seconds", "0.001", "--json"});
  expect_quiet_success(outcome);
  const json bench = parsed(outcome.out);
  ASSERT_TRUE(bench.is_object()) << outcome.out;
  expect_no_null(bench);
  EXPECT_EQ(bench["vertices"], 1314);
  std::vector<std::string> paths;
  for (const json& row : bench["rows"]) {
    paths.push_back(row["path"]);
    EXPECT_GT(row["milliseconds"], 0.0);
    EXPECT_GT(row["vertices_per_second"], 0.0);
  }
  for (const deform::SkinningMethod& method : deform::skinning_methods()) {
    EXPECT_THAT(paths, testing::Contains(std::string(method.id) + ":cpu"));
  }
  EXPECT_THAT(paths, testing::Contains("frame:lbs"));
  const Outcome peer = pelt({"bench", cylinder_, "--seconds", "0.001", "--peer", "nowhere.so"});
  EXPECT_EQ(peer.code, 1);
  EXPECT_THAT(peer.err, HasSubstr("nowhere.so: cannot be loaded"));
}

TEST_F(Verbs, BenchTimesShapesThatMorph) {
  write(folder_ / "morphing.glb",
        *gltf::export_glb(test::random_rig({.seed = 3, .vertices = 300, .morph_targets = 2})));
  const json bench = parsed(pelt({"bench", "morphing.glb", "--seconds", "0.001", "--json"}).out);
  ASSERT_TRUE(bench.is_object());
  expect_no_null(bench);
  EXPECT_EQ(bench["vertices"], 300);
  std::vector<std::string> paths;
  for (const json& row : bench["rows"]) {
    paths.push_back(row["path"]);
    EXPECT_GT(row["milliseconds"], 0.0) << paths.back();
  }
  EXPECT_THAT(paths, testing::IsSupersetOf({"frame:morph", "frame:morph, plain"}));
}

TEST_F(Verbs, BenchTimesAPeerThatIsRightAndRefusesOneThatIsWrong) {
  const Outcome right = pelt({"bench", cylinder_, "--seconds", "0.001", "--peer", PELT_PEER_textbook, "--json"});
  expect_quiet_success(right);
  double milliseconds = 0;
  const json timed = parsed(right.out);
  for (const json& row : timed["rows"]) {
    milliseconds = row["path"] == "frame:textbook" ? row["milliseconds"].get<double>() : milliseconds;
  }
  EXPECT_GT(milliseconds, 0.0);
  // Two influences: the second weight is what the first one leaves, and a peer that forgets it is found out.
  const Outcome wrong = pelt({"bench", cylinder_, "--seconds", "0.001", "--peer", PELT_PEER_forgetful});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_EQ(wrong.out, "");
  expect_one_line(wrong.err);
  EXPECT_THAT(wrong.err, HasSubstr("forgetful: part 0 vertex "));
  EXPECT_THAT(wrong.err, HasSubstr(" m from ours, at most "));
  const Outcome text = pelt({"bench", cylinder_, "--seconds", "0.001", "--threads", "1"});
  expect_quiet_success(text);
  EXPECT_THAT(text.out, HasSubstr("1 threads"));
}

// --- bake
// --------------------------------------------------------------------------------------------------------------

std::vector<glm::vec3> vectors(const json& flat) {
  std::vector<glm::vec3> out;
  for (std::size_t i = 0; i + 2 < flat.size(); i += 3) {
    out.emplace_back(flat[i].get<float>(), flat[i + 1].get<float>(), flat[i + 2].get<float>());
  }
  return out;
}

TEST_F(Verbs, BakeJsonIsTheDeformedShape) {
  expect_quiet_success(pelt({"bake", cylinder_, "-o", "x.json", "--set", "tip.bend=60"}));
  EXPECT_THAT(files(), ElementsAre("x.json"));
  const json baked = parsed(test::content_of(folder_ / "x.json"));
  ASSERT_TRUE(baked.is_object());
  expect_no_null(baked);
  EXPECT_EQ(baked["format"], "skin-expected/1");
  EXPECT_EQ(baked["file"], "cylinder.glb");
  EXPECT_EQ(baked["weights"], "renormalised");
  EXPECT_EQ(baked["every"], 1);
  EXPECT_EQ(baked["poses"].size(), 1u);
  EXPECT_EQ(baked["poses"][0]["label"], "pose");
  EXPECT_EQ(baked["poses"][0]["animation"], -1);
  EXPECT_EQ(baked["poses"][0]["overrides"]["1"]["rotation"].size(), 4u);
  const json& part = baked["primitives"][0];
  EXPECT_EQ(part["node"], 2);
  EXPECT_EQ(part["skin"], 0);
  EXPECT_EQ(part["jointCount"], 2);
  EXPECT_EQ(part["vertexCount"], 1314);
  // Bending about +z (ALGORITHMS.md §0).
  const rig::Character character = test::cylinder();
  rig::Pose pose = rig::rest_pose(character);
  pose.local[1].rotation = glm::angleAxis(60 * test::kDegree, glm::vec3(0, 0, 1));
  deform::SkinningSettings settings;
  const deform::DeformedCharacter expected = deform::deform_once(character, pose, settings);
  const std::vector<glm::vec3> positions = vectors(part["poses"][0]["positions"]);
  const std::vector<glm::vec3> normals = vectors(part["poses"][0]["normals"]);
  ASSERT_EQ(positions.size(), 1314u);
  ASSERT_EQ(normals.size(), 1314u);
  for (std::size_t v = 0; v < positions.size(); ++v) {
    ASSERT_LT(glm::length(positions[v] - expected.parts[0].positions[v]), 1e-6f) << v;
    ASSERT_LT(glm::length(normals[v] - expected.parts[0].normals[v]), 1e-5f) << v;
  }
  EXPECT_EQ(baked["jointMatrices"][0]["joints"], json({0, 1}));
  EXPECT_EQ(baked["jointMatrices"][0]["poses"][0].size(), 32u);
}

TEST_F(Verbs, BakeLabelsItsPose) {
  const auto pose_of = [&](std::vector<std::string> flags) {
    std::vector<std::string> arguments = {"bake", arm_, "-o", "-"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const Outcome outcome = pelt(arguments);
    expect_quiet_success(outcome);
    return parsed(outcome.out)["poses"][0];
  };
  EXPECT_EQ(pose_of({})["label"], "rest");
  EXPECT_EQ(pose_of({"--clip", "none"})["label"], "rest");
  const json anim = pose_of({"--clip", "wave", "--time", "2.5"});
  EXPECT_EQ(anim["label"], "anim");
  EXPECT_EQ(anim["animation"], 0);
  EXPECT_EQ(anim["animationName"], "wave");
  EXPECT_EQ(anim["time"], 2.5);
  EXPECT_EQ(pose_of({"--clip", "0"})["time"], 1.0);
  const json posed = pose_of({"--morph", "smile=0.5", "--set", "hand.l.twist=10", "--set", "node 7.bend=5"});
  EXPECT_EQ(posed["label"], "pose");
  EXPECT_EQ(posed["overrides"]["9"]["weights"], json({0.5, 0.25, 0.0}));
  EXPECT_TRUE(posed["overrides"].contains("3")) << "the joint's name has a dot in it";
  EXPECT_TRUE(posed["overrides"].contains("7")) << "a joint without a name of its own";
}

// The same layers as in the window, by the ids of their kinds.
TEST_F(Verbs, LayersAreSwitchedByFlags) {
  const auto positions = [&](std::vector<std::string> flags) {
    std::vector<std::string> arguments = {"bake", arm_, "-o", "-", "--clip", "wave", "--time", "3"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const Outcome outcome = pelt(arguments);
    expect_quiet_success(outcome);
    return parsed(outcome.out)["primitives"][0]["poses"][0]["positions"];
  };
  const json rest = parsed(pelt({"bake", arm_, "-o", "-"}).out)["primitives"][0]["poses"][0]["positions"];
  const json whole = positions({});
  const json no_clip = positions({"--layer", "clip=off"});
  EXPECT_NE(whole, rest);
  EXPECT_EQ(no_clip, rest);
  EXPECT_EQ(positions({"--layer", "clip=0"}), rest);
  EXPECT_EQ(positions({"--layer", "clip=1"}), whole);
  EXPECT_EQ(positions({"--layer", "clip=off", "--layer", "clip=on"}), whole) << "the last one counts";
  const json half = positions({"--layer", "clip=0.5"});
  EXPECT_NE(half, rest);
  EXPECT_NE(half, whole);
  EXPECT_EQ(positions({"--stop-after", "normals"}), whole);
  const json bound = positions({"--stop-after", "clip"});
  EXPECT_EQ(bound, positions({"--layer", "shapes=off", "--layer", "skin=off"})) << "no skin follows the pose yet";
}

TEST_F(Verbs, PoseFileAndSlidersAddUp) {
  std::ofstream(folder_ / "pose.json")
      << R"({"pelt": "pose", "version": 1, "joints": {"shoulder_l": {"rotation": [0, 0, 0.6, 0.8]}}})";
  const Outcome both = pelt(
      {"bake", arm_, "-o", "-", "--pose", "pose.json", "--set", "elbow_l.bend=90", "--clip", "wave", "--time", "3"});
  expect_quiet_success(both);
  const json overrides = parsed(both.out)["poses"][0]["overrides"];
  EXPECT_NEAR(overrides["1"]["rotation"][2].get<double>(), 0.6, 1e-6) << "the override wins over the clip";
  EXPECT_NEAR(overrides["2"]["rotation"][2].get<double>(), std::sqrt(0.5), 1e-6);
}

TEST_F(Verbs, ValueBeyondItsLimitIsClampedAndSaidSo) {
  const Outcome outcome = pelt({"bake", arm_, "-o", "x.json", "--set", "elbow_l.bend=200"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "pelt: note: --set elbow_l.bend: 200 is outside of the limits; 140 is used\n");
  const Outcome late = pelt({"bake", arm_, "-o", "x.json", "--clip", "wave", "--time", "9"});
  EXPECT_EQ(late.code, 0);
  EXPECT_EQ(late.err, "pelt: note: --time 9: outside of wave (1 to 3 s); 3 is used\n");
}

TEST_F(Verbs, C16_4_FewerInfluencesThanTheFileHasAreSaid) {
  const EightInfluences eight = eight_influences();
  ASSERT_GT(eight.above_four, 1);
  const std::string note = fmt::format("pelt: note: {} vertices keep 4 of up to 8 influences\n", eight.above_four);
  for (const std::vector<std::string>& verb : {std::vector<std::string>{"bake", eight.path, "-o", "x.json"},
                                               {"info", eight.path},
                                               {"compare", eight.path, "--a", "lbs", "--b", "dqs"}}) {
    EXPECT_EQ(pelt(verb).err, "") << verb[0];
    std::vector<std::string> limited = verb;
    limited.insert(limited.end(), {"--influences", "4"});
    EXPECT_EQ(pelt(limited).err, note) << verb[0];
  }
  EXPECT_EQ(pelt({"bake", eight.path, "-o", "x.json", "--influences", "8"}).err, "");
  EXPECT_THAT(pelt({"info", eight.path, "--influences", "4", "--prune", "0.1"}).err,
              HasSubstr("vertices keep 4 or fewer of up to 8 influences"));
  EXPECT_THAT(pelt({"info", eight.path, "--prune", "0.1"}).err, HasSubstr("vertices keep fewer of up to 8 influences"));
  const std::filesystem::path human = std::filesystem::path(PELT_CORPUS_DIR) / "derived/human_influences8.glb";
  if (std::filesystem::exists(human)) {
    EXPECT_THAT(pelt({"info", human.string(), "--influences", "4"}).err,
                HasSubstr("vertices keep 4 of up to 8 influences"));
  }
}

TEST_F(Verbs, NormalsThatAMethodDoesNotOfferAreSaid) {
  EXPECT_EQ(pelt({"bake", cylinder_, "-o", "x.json", "--method", "ddm", "--normals", "f"}).err,
            "pelt: note: normals f: ddm does not offer them; d is used\n");
  EXPECT_EQ(pelt({"bake", cylinder_, "-o", "x.json", "--method", "delta-mush"}).err, "") << "nobody asked for any";
  EXPECT_EQ(pelt({"bake", cylinder_, "-o", "x.json", "--method", "dqs", "--normals", "f"}).err, "");
}

TEST_F(Verbs, BakeObjKeepsVertexOrderAndCount) {
  expect_quiet_success(pelt({"bake", cylinder_, "-o", "x.obj"}));
  std::istringstream lines(test::content_of(folder_ / "x.obj"));
  std::vector<glm::vec3> positions;
  int normals = 0;
  int faces = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "v") {
      glm::vec3 v;
      ASSERT_TRUE(words >> v.x >> v.y >> v.z) << line;
      positions.push_back(v);
    }
    normals += kind == "vn";
    faces += kind == "f";
    if (kind == "f") {
      int corner = 0;
      char slash = 0;
      int normal = 0;
      while (words >> corner >> slash >> slash >> normal) {
        ASSERT_GE(corner, 1);
        ASSERT_LE(corner, 1314);
        ASSERT_EQ(corner, normal);
      }
    }
  }
  EXPECT_EQ(positions, test::cylinder_primitive().positions);
  EXPECT_EQ(normals, 1314);
  EXPECT_EQ(faces, 2624);
}

TEST_F(Verbs, BakePlyIsBinaryLittleEndian) {
  expect_quiet_success(pelt({"bake", cylinder_, "-o", "x.ply"}));
  const std::string ply = test::content_of(folder_ / "x.ply");
  EXPECT_THAT(ply, StartsWith("ply\nformat binary_little_endian 1.0\n"));
  EXPECT_THAT(ply.substr(0, 300), HasSubstr("element vertex 1314\n"));
  EXPECT_THAT(ply.substr(0, 300), HasSubstr("element face 2624\n"));
  const std::string end = "end_header\n";
  const std::size_t body = ply.find(end) + end.size();
  ASSERT_EQ(ply.size() - body, 1314u * 24 + 2624u * 13);
  const std::vector<glm::vec3> expected = test::cylinder_primitive().positions;
  for (std::size_t v = 0; v < expected.size(); ++v) {
    glm::vec3 position;
    std::memcpy(&position, ply.data() + body + v * 24, sizeof(position));
    ASSERT_EQ(position, expected[v]);
  }
  const std::vector<std::uint32_t> indices = test::cylinder_indices();
  for (std::size_t t = 0; t < 2624; ++t) {
    const char* face = ply.data() + body + 1314 * 24 + t * 13;
    ASSERT_EQ(face[0], 3);
    ASSERT_EQ(std::memcmp(face + 1, indices.data() + t * 3, 12), 0);
  }
}

TEST_F(Verbs, BakeGlbOpensAgainPosed) {
  expect_quiet_success(pelt({"bake", cylinder_, "-o", "x.glb", "--set", "tip.bend=90"}));
  const auto posed = gltf::import_file(folder_ / "x.glb");
  ASSERT_TRUE(posed) << posed.error().message;
  EXPECT_TRUE(posed->skins.empty());
  ASSERT_EQ(posed->parts.size(), 1u);
  const std::vector<glm::vec3>& positions = posed->primitive(posed->parts[0]).positions;
  ASSERT_EQ(positions.size(), 1314u);
  // The far cap's centre, (1,0,0), turns about (0.5,0,0) by 90 degrees.
  EXPECT_LT(glm::length(positions.back() - glm::vec3(0.5f, 0.5f, 0)), 1e-6f);
}

TEST_F(Verbs, BakeToStandardOutputIsTheSameAsToAFile) {
  for (const char* format : {"json", "obj", "ply", "glb"}) {
    const std::string name = std::string("x.") + format;
    expect_quiet_success(pelt({"bake", cylinder_, "-o", name}));
    const Outcome piped = pelt({"bake", cylinder_, "-o", "-", "--format", format});
    expect_quiet_success(piped);
    EXPECT_EQ(piped.out, test::content_of(folder_ / name)) << format;
  }
}

TEST_F(Verbs, MirroredPartKeepsItsFacing) {
  const rig::Character character = one_triangle({.scale = {-1, 1, 1}}, {});
  ASSERT_TRUE(gltf::export_file(character, folder_ / "mirror.glb"));
  const Outcome outcome = pelt({"bake", "mirror.glb", "-o", "-", "--format", "obj"});
  expect_quiet_success(outcome);
  EXPECT_THAT(outcome.out, HasSubstr("v -1 0 0\n"));
  EXPECT_THAT(outcome.out, testing::ContainsRegex("f 1[^ ]* 3[^ ]* 2")) << outcome.out;
}

TEST_F(Verbs, BakeGlbLeavesOutKeptTangents) {
  const std::vector<std::uint8_t> zeros(3 * 4 * sizeof(float), 0);
  const rig::Character character = one_triangle({}, {{"TANGENT", mesh::NumberType::kFloat, false, 4, 1, zeros},
                                                     {"_HEAT", mesh::NumberType::kFloat, false, 4, 1, zeros}});
  ASSERT_TRUE(gltf::export_file(character, folder_ / "kept.glb"));
  const Outcome outcome = pelt({"bake", "kept.glb", "-o", "x.glb"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("left out, as the pose does not turn them: TANGENT\n"));
  const auto posed = gltf::import_file(folder_ / "x.glb");
  ASSERT_TRUE(posed) << posed.error().message;
  const mesh::Primitive& primitive = posed->primitive(posed->parts.at(0));
  EXPECT_TRUE(primitive.tangents.empty());
  ASSERT_EQ(primitive.kept.size(), 1u);
  EXPECT_EQ(primitive.kept[0].name, "_HEAT");
}

// --- compare
// -----------------------------------------------------------------------------------------------------------

TEST_F(Verbs, C53_1_CompareGivesTheGoldenRatios) {
  const struct {
    const char* set;
    double volume;
    double area;
  } cases[] = {{"tip.twist=60", 0.965956, 0.986646},  {"tip.twist=90", 0.932513, 0.975254},
               {"tip.twist=120", 0.899289, 0.964468}, {"tip.twist=180", 0.866667, 0.946414},
               {"tip.bend=60", 0.982812, 0.997286},   {"tip.bend=90", 0.965625, 0.997330},
               {"tip.bend=120", 0.948437, 1.002260}};
  for (const auto& one : cases) {
    const Outcome outcome = pelt({"compare", cylinder_, "--a", "lbs", "--b", "rigid:cpu", "--set", one.set, "--json"});
    expect_quiet_success(outcome);
    const json result = parsed(outcome.out);
    ASSERT_TRUE(result.is_object()) << outcome.out;
    EXPECT_NEAR(result["a"]["volume_ratio"].get<double>(), one.volume, 1e-5) << one.set;
    EXPECT_NEAR(result["a"]["area_ratio"].get<double>(), one.area, 1e-5) << one.set;
  }
}

TEST_F(Verbs, CompareHasTheDocumentedShape) {
  const Outcome outcome =
      pelt({"compare", cylinder_, "--a", "rigid", "--b", "lbs:cpu", "--set", "tip.bend=90", "--json"});
  expect_quiet_success(outcome);
  const json result = parsed(outcome.out);
  expect_no_null(result);
  EXPECT_EQ(result["poses"], 1);
  EXPECT_EQ(result["a"]["method"], "rigid");
  EXPECT_EQ(result["b"]["method"], "lbs");
  EXPECT_EQ(result["per_pose"].size(), 1u);
  EXPECT_EQ(result["per_pose"][0]["difference"], result["difference"]);
  const double max = result["difference"]["max"];
  EXPECT_GT(max, 0.01);
  EXPECT_GT(max, result["difference"]["rms"].get<double>());
  EXPECT_GE(result["difference"]["worst_vertex"], 0);
  EXPECT_NEAR(result["difference"]["max_over_diagonal"].get<double>(), max / std::sqrt(1 + 0.04 + 0.04), 1e-6);
  const Outcome same = pelt({"compare", cylinder_, "--a", "lbs", "--b", "lbs", "--set", "tip.bend=90", "--json"});
  expect_quiet_success(same);
  EXPECT_EQ(parsed(same.out)["difference"]["max"], 0.0);
  const Outcome text = pelt({"compare", cylinder_, "--a", "rigid", "--b", "lbs"});
  expect_quiet_success(text);
  EXPECT_THAT(text.out, HasSubstr("Rigid, CPU against Linear blend, CPU, 1 pose(s)"));
}

TEST_F(Verbs, CompareOverPoseSets) {
  const auto poses = [&](std::vector<std::string> flags) {
    std::vector<std::string> arguments = {"compare", arm_, "--a", "rigid", "--b", "lbs", "--json"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const Outcome outcome = pelt(arguments);
    expect_quiet_success(outcome);
    return parsed(outcome.out)["poses"].get<int>();
  };
  EXPECT_EQ(poses({}), 1);
  EXPECT_EQ(poses({"--random", "12"}), 12);
  EXPECT_EQ(poses({"--clip", "wave"}), 61) << "two seconds at 30 per second";
  EXPECT_EQ(poses({"--clip", "wave", "--time", "2"}), 1);
  EXPECT_EQ(poses({"--clip", "wave", "--frames", "5"}), 5);
  EXPECT_EQ(poses({"--clip", "wave", "--frames", "0:10:24"}), 11);
  // The moments are those at which `render --frames 4` draws, and a whole clip includes its end.
  const auto labels = [&](std::vector<std::string> flags) {
    std::vector<std::string> arguments = {"compare", arm_, "--a", "lbs", "--b", "lbs", "--json", "--clip", "wave"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    std::vector<std::string> list;
    const json report = parsed(pelt(arguments).out);
    for (const json& pose : report["per_pose"]) {
      list.push_back(pose["label"].get<std::string>());
    }
    return list;
  };
  EXPECT_THAT(labels({"--frames", "4"}), ElementsAre("1 s", "1.5 s", "2 s", "2.5 s"));
  EXPECT_THAT(labels({"--frames", "2147483646:2147483647:1000"}), testing::SizeIs(2));
  EXPECT_EQ(labels({}).back(), "3 s");
  const std::vector<std::string> seeded = {"compare", cylinder_, "--a",      "rigid", "--b",
                                           "lbs",     "--json",  "--random", "5"};
  std::vector<std::string> other = seeded;
  other.insert(other.end(), {"--seed", "2"});
  EXPECT_EQ(pelt(seeded).out, pelt(seeded).out);
  EXPECT_NE(pelt(seeded).out, pelt(other).out);
}

TEST_F(Verbs, ConvertWritesEveryForm) {
  ASSERT_EQ(pelt({"convert", arm_, "-o", "arm.gltf"}).code, 0);
  EXPECT_THAT(files(), ElementsAre(testing::MatchesRegex("arm-[0-9a-f]+\\.bin"), "arm.gltf"));
  ASSERT_EQ(pelt({"convert", "arm.gltf", "-o", "one.gltf", "--embed"}).code, 0);
  ASSERT_EQ(pelt({"convert", "one.gltf", "-o", "again.glb"}).code, 0);
  ASSERT_EQ(pelt({"convert", cylinder_, "-o", "small.glb", "--influences", "2", "--weights", "u8", "--quantize",
                  "--meshopt", "--strip-joints", "--sort-influences"})
                .code,
            0);
  const Outcome piped = pelt({"convert", "small.glb", "-o", "-"});
  EXPECT_EQ(piped.code, 0) << piped.err;
  EXPECT_EQ(piped.out.substr(0, 4), "glTF");
  const auto small = gltf::import_file(folder_ / "small.glb");
  ASSERT_TRUE(small) << small.error().message;
  EXPECT_EQ(small->extensions_required, (std::vector<std::string>{"EXT_meshopt_compression", "KHR_mesh_quantization"}));
}

TEST_F(Verbs, ConvertBakesThePoseThatFlagsDescribe) {
  ASSERT_EQ(pelt({"convert", cylinder_, "-o", "bent.glb", "--bake-pose", "--set", "tip.bend=40", "--inverse-binds",
                  "rebuild"})
                .code,
            0);
  const Outcome posed = pelt({"bake", cylinder_, "-o", "-", "--set", "tip.bend=40"});
  const Outcome baked = pelt({"bake", "bent.glb", "-o", "-"});
  const auto a = nlohmann::json::parse(posed.out)["primitives"][0]["poses"][0]["positions"].get<std::vector<double>>();
  const auto b = nlohmann::json::parse(baked.out)["primitives"][0]["poses"][0]["positions"].get<std::vector<double>>();
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_NEAR(a[i], b[i], 1e-6);
  }
}

TEST_F(Verbs, DriversAndSlidersTravelInTheFile) {
  const std::vector<std::string> driven = {"--drive", "shape(smile)=elbow_l.bend / 100", "--set", "elbow_l.bend=50"};
  const auto with = [&](std::vector<std::string> call) {
    call.insert(call.end(), driven.begin(), driven.end());
    return pelt(call);
  };
  const json said = json::parse(with({"info", arm_, "--behaviour", "--json"}).out);
  ASSERT_EQ(said["drivers"].size(), 1U);
  EXPECT_NEAR(said["drivers"][0]["value"].get<double>(), 0.5, 1e-6);
  EXPECT_EQ(said["drivers"][0]["fault"], "");
  EXPECT_THAT(with({"info", arm_, "--behaviour"}).out, testing::HasSubstr("shape(smile)"));
  ASSERT_EQ(pelt({"convert", arm_, "-o", "driven.glb", "--drive", "shape(smile)=elbow_l.bend / 100"}).code, 0);
  const json again = json::parse(pelt({"info", "driven.glb", "--behaviour", "--json", "--set", "elbow_l.bend=25"}).out);
  EXPECT_NEAR(again["drivers"][0]["value"].get<double>(), 0.25, 1e-6);
  // The shape as if its weight were given.
  const auto baked = [&](const std::vector<std::string>& what) {
    std::vector<std::string> call = {"bake", "-o", "-", "--format", "json", "--set", "elbow_l.bend=50"};
    call.insert(call.end(), what.begin(), what.end());
    return json::parse(pelt(call).out)["primitives"][0]["poses"];
  };
  EXPECT_EQ(baked({"driven.glb"}), baked({arm_, "--morph", "smile=0.5"}));
  EXPECT_EQ(baked({"driven.glb", "--layer", "drivers=off"}), baked({arm_}));
  EXPECT_EQ(baked({arm_, "--slider", "smile=0.25"}), baked({arm_, "--morph", "smile=0.25"})) << "one that is proposed";
  const Outcome cycle = pelt({"info", arm_, "--drive", "elbow_l.bend=elbow_l.bend"});
  EXPECT_EQ(cycle.code, 1);
  EXPECT_THAT(cycle.err, testing::HasSubstr("elbow_l.bend -> elbow_l.bend"));
  EXPECT_EQ(pelt({"info", arm_, "--drive", "elbow_l.bend"}).code, 2);
  EXPECT_THAT(pelt({"info", arm_, "--slider", "smle=1"}).err, testing::HasSubstr("did you mean \"smile\"?"));
}

TEST_F(Verbs, SpringsAreMeasuredOverFrameRates) {
  const json rows = json::parse(pelt({"bench", "--springs", "--json"}).out)["springs"];
  ASSERT_EQ(rows.size(), 6U);
  for (const json& row : rows) {
    EXPECT_EQ(row["exact_from_itself_at_60"]["largest_mm"], 0) << row["frames_per_second"];
    EXPECT_EQ(row["reference_from_itself_at_60"]["largest_mm"] == 0, row["frames_per_second"] == 60);
  }
}

TEST_F(Verbs, LayersTravelInTheFile) {
  ASSERT_EQ(pelt({"convert", arm_, "-o", "plain.glb"}).code, 0);
  ASSERT_EQ(pelt({"convert", arm_, "-o", "layers.glb", "--layer", "clip=0.5", "--layer", "push.distance=0.01"}).code,
            0);
  const Outcome info = pelt({"info", "layers.glb"});
  EXPECT_THAT(info.out, testing::HasSubstr("layers that are not as usual\n"));
  EXPECT_THAT(info.out, testing::HasSubstr("  clip                     on, weight 0.5\n"));
  EXPECT_THAT(info.out, testing::HasSubstr("  push                     on, distance 0.01 m, weight 1\n"));
  EXPECT_THAT(pelt({"info", "plain.glb"}).out, testing::Not(testing::HasSubstr("layers")));
  const json layers = json::parse(pelt({"info", "layers.glb", "--json"}).out)["layers"];
  ASSERT_EQ(layers.size(), 15U);
  EXPECT_EQ(layers[1], json::parse(R"({"stack":"pose","kind":"clip","known":true,"on":true,"values":{"weight":0.5}})"));
  // As if the flags were given.
  const auto baked = [&](const std::vector<std::string>& what) {
    std::vector<std::string> call = {"bake", "-o", "-", "--format", "json", "--clip", "wave", "--time", "1"};
    call.insert(call.end(), what.begin(), what.end());
    const Outcome outcome = pelt(call);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    json shape = json::parse(outcome.out);
    EXPECT_EQ(shape.erase("file"), 1U);
    return shape;
  };
  const json flags = baked({arm_, "--layer", "clip=0.5", "--layer", "push.distance=0.01"});
  EXPECT_EQ(baked({"layers.glb"}), flags);
  EXPECT_NE(baked({"plain.glb"}), flags);
  // Back to the usual ones, and on through another verb.
  ASSERT_EQ(pelt({"convert", "layers.glb", "-o", "back.glb", "--layer", "clip=1", "--layer", "push=off", "--layer",
                  "push.distance=0.005", "--layer", "push=off"})
                .code,
            0);
  EXPECT_EQ(test::content_of(folder_ / "back.glb"), test::content_of(folder_ / "plain.glb"));
  ASSERT_EQ(pelt({"weights", "layers.glb", "-o", "smooth.glb", "smooth"}).code, 0);
  EXPECT_THAT(pelt({"info", "smooth.glb"}).out, testing::HasSubstr("  clip                     on, weight 0.5\n"));
}

TEST_F(Verbs, ConvertRefusesWhatItCannotDo) {
  const auto complaint = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"convert", arm_});
    const Outcome outcome = pelt(flags);
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    return outcome.err;
  };
  EXPECT_THAT(complaint({"-o", "a.obj"}), testing::HasSubstr("expected a name that ends in .glb or .gltf"));
  EXPECT_THAT(complaint({"-o", "a.glb", "--embed"}), testing::HasSubstr("--embed"));
  EXPECT_THAT(complaint({"-o", "a.glb", "--weights", "56bit"}), testing::HasSubstr("glTF has float, 16bit and 8bit"));
  EXPECT_THAT(complaint({"-o", "a.glb", "--bind-pose"}), testing::HasSubstr("need --bake-pose"));
  EXPECT_THAT(complaint({"-o", "a.glb", "--method", "dqs"}), testing::HasSubstr("nothing is deformed here"));
  EXPECT_THAT(complaint({"-o", "a.glb", "--bake-pose", "--stop-after", "skin"}),
              testing::HasSubstr("nothing is deformed here"));
  const Outcome onto_itself = pelt({"convert", arm_, "-o", arm_});
  EXPECT_EQ(onto_itself.code, 1);
  EXPECT_THAT(onto_itself.err, testing::HasSubstr("(the input), which is read"));
  EXPECT_TRUE(files().empty());
}

}  // namespace
}  // namespace pelt
