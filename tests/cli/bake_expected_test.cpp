// Every pose of every file in corpus/expected through `pelt bake -o X.json`, by both backends. In this process, since
// starting the program two hundred times would take longer than its work.
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/cli.h"
#include "core/file.h"
#include "render/offscreen_context.h"
#include "support/expected.h"
#include "support/output_folder.h"
#include "support/requirements.h"

namespace pelt {
namespace {

using nlohmann::json;

constexpr double kTolerance = 2e-5;  // of the bounding-box diagonal

int run(const std::vector<std::string>& arguments) {
  std::vector<const char*> argv = {"pelt"};
  for (const std::string& argument : arguments) {
    argv.push_back(argument.c_str());
  }
  return cli::run(static_cast<int>(argv.size()), argv.data(), {});
}

struct Case {
  test::ExpectedFile file;
  const char* backend;
};

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.file.name << ", " << one.backend;
}

class BakeExpected : public testing::TestWithParam<Case> {};

TEST_P(BakeExpected, EveryPose) {
  const auto& [file, backend] = GetParam();
  PELT_NEEDS_CORPUS("expected");
  if (std::string_view(backend) == "gpu") {
    const auto context = render::OffscreenContext::create();
    PELT_NEEDS_GL(context);
  }
  const json expected = test::load_expected(file.name);
  ASSERT_TRUE(expected.is_object());
  const std::string model = (test::corpus_dir() / expected["file"].get<std::string>()).string();
  const std::filesystem::path folder = test::output_folder() / fmt::format("bake-{}-{}", file.name, backend);
  std::filesystem::create_directories(folder);
  const auto every = expected["every"].get<std::size_t>();
  const double diagonal = expected["bboxDiagonal"];
  double worst = 0;
  for (std::size_t i = 0; i < expected["poses"].size(); ++i) {
    const json& pose = expected["poses"][i];
    const std::string out = (folder / "out.json").string();
    std::vector<std::string> arguments = {"bake", model, "-o", out, "--backend", backend};
    if (expected["weights"] == "as stored") {
      arguments.insert(arguments.end(), {"--weights", "as-stored"});
    }
    if (pose["animation"].get<int>() >= 0) {
      arguments.insert(arguments.end(), {"--clip", std::to_string(pose["animation"].get<int>()), "--time",
                                         fmt::format("{}", pose["time"].get<double>())});
    }
    if (!pose["overrides"].empty()) {
      const json file_pose = {{"pelt", "pose"}, {"version", 1}, {"nodes", pose["overrides"]}};
      const std::string pose_path = (folder / "pose.json").string();
      std::ofstream(pose_path) << file_pose.dump();
      arguments.insert(arguments.end(), {"--pose", pose_path});
    }
    ASSERT_EQ(run(arguments), 0);
    const Result<std::string> text = read_file(out);
    ASSERT_TRUE(text);
    const json baked = json::parse(*text, nullptr, false);
    ASSERT_TRUE(baked.is_object());
    EXPECT_EQ(baked["weights"], expected["weights"]);
    EXPECT_NEAR(baked["bboxDiagonal"].get<double>(), diagonal, 1e-4 * diagonal);
    ASSERT_EQ(baked["primitives"].size(), expected["primitives"].size());
    for (std::size_t p = 0; p < expected["primitives"].size(); ++p) {
      const json& theirs = expected["primitives"][p];
      const json& ours = baked["primitives"][p];
      for (const char* key :
           {"node", "nodeName", "mesh", "meshName", "primitive", "skin", "jointCount", "vertexCount", "morphTargets"}) {
        EXPECT_EQ(ours[key], theirs[key]) << key << " of primitive " << p;
      }
      const json& reference = theirs["poses"][i]["positions"];
      const json& positions = ours["poses"][0]["positions"];
      for (std::size_t k = 0; k + 2 < reference.size(); k += 3) {
        double squared = 0;
        for (std::size_t c = 0; c < 3; ++c) {
          const double difference = positions.at(k * every + c).get<double>() - reference[k + c].get<double>();
          squared += difference * difference;
        }
        worst = std::max(worst, std::sqrt(squared) / diagonal);
      }
    }
    ASSERT_LE(worst, kTolerance) << "pose " << i << " of " << expected["file"];
  }
  std::filesystem::remove_all(folder);
  std::cout << "  worst " << worst << " of the diagonal\n";
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const test::ExpectedFile& file : test::kExpectedFiles) {
    for (const char* backend : {"cpu", "gpu"}) {
      all.push_back({file, backend});
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Corpus, BakeExpected, testing::ValuesIn(cases()), [](const testing::TestParamInfo<Case>& one) {
  return fmt::format("{}_{}", one.param.file.name, one.param.backend);
});

}  // namespace
}  // namespace pelt
