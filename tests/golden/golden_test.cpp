// Pictures of the bundled characters through `pelt render`, held against recorded ones. `./dev golden` records them
// again; on failure the actual picture and the difference (times eight) are kept in the build's test-output folder.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/image_compare.h"
#include "support/output_folder.h"
#include "support/program_path.h"

namespace pelt {
namespace {

namespace fs = std::filesystem;

struct Golden {
  const char* name;
  const char* arguments;  ///< after `pelt render`
};

// Small pictures: a fault in light, pose or palette shows in 320 pixels, and the repository stays small.
constexpr Golden kGoldens[] = {
    {"mannequin_shaded", "@mannequin --camera 30,10"},
    {"mannequin_back", "@mannequin --camera 200,15"},
    {"mannequin_cpu", "@mannequin --camera 30,10 --backend cpu --clip walk --time 0.4"},
    {"mannequin_walk", "@mannequin --camera 60,10 --clip walk --time 0.4"},
    {"mannequin_clay", "@mannequin --camera 30,10 --show clay --clip wave --time 0.8"},
    {"mannequin_weights_joint", "@mannequin --camera 30,10 --show weights --joint elbow_l"},
    {"mannequin_weights_all", "@mannequin --camera 30,10 --show weights"},
    {"mannequin_influences", "@mannequin --camera 30,10 --show influences"},
    {"mannequin_normals", "@mannequin --camera 30,10 --show normals"},
    {"mannequin_difference", "@mannequin --camera 30,10 --show difference --against dqs --clip walk --time 0.4"},
    {"mannequin_skeleton", "@mannequin --camera 30,10 --skeleton"},
    {"mannequin_wireframe", "@mannequin --camera 30,10 --wireframe"},
    {"mannequin_transparent", "@mannequin --camera 0,0 --background transparent"},
    {"mannequin_ortho", "@mannequin --camera 90,0 --ortho --grid"},
    {"cylinder_bend", "@cylinder --set tip.bend=90 --camera 20,20"},
    {"cylinder_twist", "@cylinder --set tip.twist=150 --camera 20,20 --show clay"},
    {"cylinder_rigid", "@cylinder --set tip.bend=90 --method rigid --camera 20,20"},
    {"cylinder_shaded", "@cylinder --camera 20,20"},
    {"cylinder_weights", "@cylinder --set tip.bend=90 --camera 20,20 --show weights --joint tip"},
    {"cylinder_difference", "@cylinder --set tip.bend=90 --camera 20,20 --show difference --against dqs"},
    {"centipede_shaded", "@centipede --camera 40,25"},
    {"centipede_batches", "@centipede --camera 40,25 --show batches"},
    {"centipede_clay", "@centipede --camera 40,25 --show clay --clip walk --time 0.3"},
    {"centipede_weights", "@centipede --camera 40,25 --show weights"},
    {"centipede_difference", "@centipede --camera 40,25 --show difference --against dqs"},
    {"robot_weights", "@robot --camera 30,10 --show weights"},
    {"robot_difference", "@robot --camera 30,10 --show difference --against bind --clip wave --time 0.5"},
    {"robot_shaded", "@robot --camera 30,10"},
    {"robot_clay", "@robot --camera 30,10 --show clay"},
};

void PrintTo(const Golden& golden, std::ostream* out) {
  *out << golden.arguments;
}

class GoldenTest : public ::testing::TestWithParam<Golden> {};

TEST_P(GoldenTest, LooksAsRecorded) {
  const Golden& golden = GetParam();
  const fs::path output = test::output_folder() / "golden";
  fs::create_directories(output);
  const fs::path actual_path = output / fmt::format("{}.png", golden.name);
  fs::remove(actual_path);
  const std::string command = fmt::format("'{}' render {} --size 320x320 -o '{}'", test::program_path(),
                                          golden.arguments, actual_path.string());
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  const fs::path recorded_path = fs::path(PELT_SOURCE_DIR) / "tests/golden/images" / fmt::format("{}.png", golden.name);
  if (std::getenv("PELT_RECORD_GOLDEN") != nullptr) {
    fs::create_directories(recorded_path.parent_path());
    fs::copy_file(actual_path, recorded_path, fs::copy_options::overwrite_existing);
    return;
  }
  EXPECT_EQ(test::compare_pictures(actual_path, recorded_path, output / fmt::format("{}_difference.png", golden.name)),
            "");
}

INSTANTIATE_TEST_SUITE_P(Golden, GoldenTest, ::testing::ValuesIn(kGoldens),
                         [](const auto& parameter) { return std::string(parameter.param.name); });

// Every recorded picture belongs to a row of the table.
TEST(GoldenTable, HasARowForEveryPicture) {
  for (const auto& entry : fs::directory_iterator(fs::path(PELT_SOURCE_DIR) / "tests/golden/images")) {
    const std::string name = entry.path().stem();
    EXPECT_TRUE(std::any_of(std::begin(kGoldens), std::end(kGoldens), [&](const Golden& g) { return g.name == name; }))
        << entry.path();
  }
}

}  // namespace
}  // namespace pelt
