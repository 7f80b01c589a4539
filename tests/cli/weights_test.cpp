// `pelt weights` and `pelt convert --rename-joint` as a user meets them.
#include <cmath>

#include <gmock/gmock.h>

#include "edit/weight_edits.h"
#include "edit/weight_tools.h"
#include "gltf/import.h"
#include "run_pelt.h"

namespace pelt {
namespace {

using test::Outcome;
using testing::HasSubstr;
using testing::IsEmpty;

class Weights : public test::PeltTest {
 protected:
  rig::Character read(const std::string& name) {
    auto character = gltf::import_file(folder_ / name);
    EXPECT_TRUE(character.has_value());
    return character ? *std::move(character) : rig::Character();
  }
  static const mesh::Influences& rows(const rig::Character& character) {
    return character.meshes[0].primitives[0].influences;
  }
};

TEST_F(Weights, OperationsAreCarriedOutInTheOrderGiven) {
  const Outcome once = pelt({"weights", cylinder_, "-o", "once.glb", "smooth", "--strength", "0.25"});
  EXPECT_EQ(once.code, 0);
  EXPECT_EQ(once.out, "");
  EXPECT_THAT(once.err, HasSubstr("smooth: 64 vertices of cylinder changed")) << "two rings, at the ends of the ramp";
  ASSERT_EQ(pelt({"weights", cylinder_, "-o", "twice.glb", "smooth", "--strength", "0.25", "smooth", "--strength", "1",
                  "--lock", "root"})
                .code,
            0);
  ASSERT_EQ(pelt({"weights", "once.glb", "-o", "then.glb", "smooth", "--lock", "root", "--strength", "1"}).code, 0);
  EXPECT_EQ(rows(read("twice.glb")), rows(read("then.glb"))) << "each has its own flags";
  ASSERT_EQ(pelt({"weights", cylinder_, "-o", "three.glb", "smooth", "--iterations", "3"}).code, 0);
  ASSERT_EQ(pelt({"weights", cylinder_, "-o", "thrice.glb", "smooth", "smooth", "smooth"}).code, 0);
  const rig::Character three = read("three.glb");
  const rig::Character thrice = read("thrice.glb");
  for (std::size_t v = 0; v < rows(three).vertex_count(); ++v) {
    ASSERT_NEAR(rows(three).weights(v)[0], rows(thrice).weights(v)[0], 4e-7) << "but for floats between passes";
  }
}

TEST_F(Weights, OnlyWhatFlagsNameChanges) {
  ASSERT_EQ(pelt({"convert", cylinder_, "-o", "plain.glb"}).code, 0);
  const rig::Character plain = read("plain.glb");
  const std::string v = std::to_string(test::cylinder_vertex(16, 3));
  const Outcome some = pelt(
      {"weights", cylinder_, "-o", "some.glb", "smooth", "--part", "cylinder", "--vertices", v + "," + v + "-" + v});
  EXPECT_EQ(some.code, 0);
  EXPECT_THAT(some.err, HasSubstr("smooth: 1 vertices of cylinder changed"));
  ASSERT_EQ(pelt({"weights", cylinder_, "-o", "alone.gltf", "--embed", "smooth", "--vertices", v}).code, 0);
  EXPECT_EQ(rows(read("some.glb")), rows(read("alone.gltf"))) << "there is one part";
  EXPECT_NE(rows(read("some.glb")), rows(plain));
  const Outcome none = pelt({"weights", cylinder_, "-o", "none.glb", "smooth", "--lock", "root,tip"});
  EXPECT_THAT(none.err, HasSubstr("smooth: 0 vertices of cylinder changed"));
  EXPECT_EQ(rows(read("none.glb")), rows(plain));
  ASSERT_EQ(pelt({"weights", cylinder_, "-o", "across.glb", "smooth", "--joints", "root,tip"}).code, 0);
  ASSERT_EQ(pelt({"weights", cylinder_, "-o", "all.glb", "smooth"}).code, 0);
  EXPECT_EQ(rows(read("across.glb")), rows(read("all.glb")));
}

TEST_F(Weights, RefusesWhatItDoesNotKnow) {
  const auto complaint = [&](std::vector<std::string> flags, int code = 2) {
    flags.insert(flags.begin(), {"weights", cylinder_, "-o", "a.glb"});
    const Outcome outcome = pelt(flags);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    return outcome.err;
  };
  EXPECT_THAT(complaint({}), HasSubstr("OPERATION: expected what to do, such as smooth or prune"));
  EXPECT_THAT(complaint({"smoth"}),
              HasSubstr("unknown operation \"smoth\" (did you mean \"smooth\"?); there are: smooth"));
  EXPECT_THAT(complaint({"smooth", "sharpen"}), HasSubstr("unknown operation \"sharpen\"; there are: smooth"));
  EXPECT_THAT(complaint({"smooth", "--strenght", "1"}), HasSubstr("did you mean \"--strength\"?"));
  EXPECT_THAT(complaint({"smooth", "--strength", "1.5"}), HasSubstr("expected a number from 0 to 1, got \"1.5\""));
  EXPECT_THAT(complaint({"smooth", "--iterations", "0"}), HasSubstr("expected a whole number from 1 to 100"));
  EXPECT_THAT(complaint({"smooth", "--vertices", "3-1"}), HasSubstr("expected vertices such as 0-99,205, got \"3-1\""));
  EXPECT_THAT(complaint({"smooth", "--vertices", "5000"}, 1), HasSubstr("the part has vertices 0 to 1313, got 5000"));
  EXPECT_THAT(complaint({"smooth", "--joints", "tipp"}, 1), HasSubstr("--joints: the character has no joint \"tipp\""));
  EXPECT_THAT(complaint({"smooth", "--lock", "a,b"}, 1), HasSubstr("--lock: the character has no joint \"a\""));
  EXPECT_THAT(complaint({"smooth", "--part", "head"}, 1), HasSubstr("--part: expected a part"));
  const Outcome form = pelt({"weights", cylinder_, "-o", "a.obj", "smooth"});
  EXPECT_EQ(form.code, 2);
  EXPECT_THAT(form.err, HasSubstr("expected a name that ends in .glb or .gltf"));
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(Weights, HelpNamesEachFieldOfTheEdit) {
  const Outcome help = pelt({"weights", cylinder_, "-o", "a.glb", "smooth", "--help"});
  EXPECT_EQ(help.code, 0);
  for (const edit::WeightSmoothingField& field : edit::weight_smoothing_fields()) {
    EXPECT_THAT(help.out, HasSubstr("--" + std::string(field.id)));
  }
  EXPECT_THAT(help.out, HasSubstr("Usage: pelt weights smooth"));
  EXPECT_THAT(pelt({"weights", "--help"}).out, HasSubstr("FILE [OPERATION...]"));
  EXPECT_THAT(pelt({"describe", "man"}).out, HasSubstr("cotangents"));
}

TEST_F(Weights, ToolsAreOperationsWithTheirFieldsAsFlags) {
  for (const edit::WeightTool& tool : edit::weight_tools()) {
    SCOPED_TRACE(tool.id);
    const Outcome help = pelt({"weights", cylinder_, "-o", "a.glb", std::string(tool.id), "--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_THAT(help.out, HasSubstr("Usage: pelt weights " + std::string(tool.id)));
    for (const bind::Field& field : tool.fields) {
      EXPECT_THAT(help.out, HasSubstr("--" + std::string(field.id)));
    }
    EXPECT_EQ(help.out.find("--joints") != std::string::npos, tool.joints != edit::ToolJoints::kNone);
  }
  const Outcome outcome = pelt({"weights", cylinder_, "-o", "tools.glb", "swap", "--joints", "root,tip", "quantise",
                                "--steps", "3", "set", "--joints", "root", "--value", "0.25", "--vertices", "0-1"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("swap: cylinder: "));
  EXPECT_THAT(outcome.err, HasSubstr("set: cylinder: 2 vertices, by 0.25 of the weight at most and 0.25 on average"));
  const mesh::Influences after = rows(read("tools.glb"));
  for (std::size_t v = 0; v < after.vertex_count(); ++v) {
    for (const float weight : after.weights(v)) {
      const auto thirds = static_cast<double>(weight) * (v < 2 ? 4 : 3);
      EXPECT_NEAR(thirds, std::round(thirds), 1e-5) << v;
    }
  }
  EXPECT_EQ(after.joints(0)[0], 1) << "the swap had given vertex 0 to the tip, which keeps three quarters";
}

TEST_F(Weights, AreTakenFromAnotherFileAndSavedAsText) {
  ASSERT_EQ(pelt({"weights", cylinder_, "-o", "odd.glb", "swap", "--joints", "root,tip"}).code, 0);
  const Outcome outcome =
      pelt({"weights", "odd.glb", "-o", "whole.glb", "transfer", "--from", cylinder_, "save", "--to", "weights.txt"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  ASSERT_EQ(pelt({"weights", "odd.glb", "-o", "loaded.glb", "load", "--from", "weights.txt"}).code, 0);
  const rig::Character before = read("odd.glb");
  const rig::Character whole = read("whole.glb");
  EXPECT_NE(rows(before), rows(whole));
  EXPECT_EQ(rows(read("loaded.glb")), rows(whole));
}

TEST_F(Weights, ToolsSayWhyTheyAreRefused) {
  const auto complaint = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"weights", cylinder_, "-o", "a.glb"});
    const Outcome outcome = pelt(flags);
    EXPECT_NE(outcome.code, 0);
    return outcome.err;
  };
  EXPECT_THAT(complaint({"mirror"}), HasSubstr("mirror: the joints that cylinder follows do not mirror each other"));
  EXPECT_THAT(complaint({"hammer"}), HasSubstr("hammer: expected chosen vertices"));
  EXPECT_THAT(complaint({"swap", "--joints", "root"}), HasSubstr("swap: expected two joints"));
  EXPECT_THAT(complaint({"limit", "--count", "0"}), HasSubstr("expected a whole number from 1 to 64"));
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(Weights, ConvertRenamesJoints) {
  const Outcome outcome = pelt({"convert", arm_, "-o", "named.glb", "--rename-joint", "elbow_l=forearm",
                                "--rename-joint", "forearm=a=b", "--rename-joint", "root="});
  EXPECT_EQ(outcome.code, 1) << "\"forearm=a\" is no joint";
  EXPECT_THAT(outcome.err, HasSubstr("--rename-joint: the character has no joint \"forearm=a\""));
  const Outcome named = pelt({"convert", arm_, "-o", "named.glb", "--rename-joint", "elbow_l=swap", "--rename-joint",
                              "elbow_r=elbow_l", "--rename-joint", "swap=elbow_r", "--rename-joint", "hand.l=twin"});
  EXPECT_EQ(named.code, 0) << named.err;
  EXPECT_THAT(named.err, HasSubstr("2 other joints are so called"));
  const rig::Character character = read("named.glb");
  EXPECT_EQ(character.skeleton->name[2], "elbow_r");
  EXPECT_EQ(character.skeleton->name[5], "elbow_l");
  EXPECT_EQ(character.skeleton->name[3], "twin");
  const Outcome finer =
      pelt({"convert", cylinder_, "-o", "finer.glb", "--subdivide", "1", "--rename-joint", "tip=end"});
  EXPECT_EQ(finer.code, 0);
  EXPECT_GT(read("finer.glb").meshes[0].primitives[0].vertex_count(), test::cylinder_points().size())
      << "a name is nothing of the surface";
  EXPECT_EQ(pelt({"convert", arm_, "-o", "odd.glb", "--rename-joint", "elbow_l"}).code, 2);
}

}  // namespace
}  // namespace pelt
