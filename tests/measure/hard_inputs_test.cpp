#include "measure/hard_inputs.h"
#include "bind/character_binding.h"
#include "bind/deforming_joints.h"

#include <map>
#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "bind/character_problem.h"
#include "formats/open.h"
#include "measure/binding_score.h"
#include "support/binding.h"
#include "support/effort.h"

namespace pelt::measure {
namespace {

class EveryHardInput : public testing::TestWithParam<std::string> {
 protected:
  static const rig::Character& mannequin() {
    static const rig::Character character = *formats::open_character("@mannequin");
    return character;
  }
  static const rig::Character& elbow() {
    static const rig::Character character = *formats::open_character("@elbow");
    return character;
  }
  // The character that most tests make worse: on a small one the sanitizers see what they see on a large one.
  static const rig::Character& usual() { return test::sanitized() ? elbow() : mannequin(); }
  static rig::Character made(std::string_view id, const rig::Character& of = mannequin()) {
    for (const HardInput& input : hard_inputs()) {
      if (input.id == id) {
        auto character = input.make(of);
        EXPECT_TRUE(character) << character.error().message;
        return character ? *std::move(character) : rig::Character();
      }
    }
    ADD_FAILURE() << id;
    return {};
  }
  static bind::CharacterProblem problem_of(const rig::Character& character, const rig::Character& of = mannequin()) {
    bind::Request request;
    request.joints = bind::proposed_joints(of);
    return *bind::make_problem(character, request);
  }
};

std::vector<std::string> hard_ids() {
  std::vector<std::string> ids;
  for (const HardInput& input : hard_inputs()) {
    ids.emplace_back(input.id);
  }
  return ids;
}

// Nothing is left unbound, and a joint that nothing follows is named.
void expect_whole(const bind::CharacterProblem& problem, const bind::Binding& binding) {
  std::set<int> followed;
  ASSERT_EQ(binding.rows.size(), problem.problem.place_count());
  for (std::size_t w = 0; w < binding.rows.size(); ++w) {
    double sum = 0;
    for (const bind::Share& share : binding.rows[w]) {
      followed.insert(share.bone);
      sum += share.weight;
    }
    ASSERT_NEAR(sum, 1, 1e-9) << w;
  }
  for (std::size_t b = 0; b < problem.problem.bone_count(); ++b) {
    const bool is_named = std::ranges::any_of(binding.remarks, [&](const bind::Remark& remark) {
      return remark.kind == bind::RemarkKind::kBoneUnused && remark.bone == static_cast<int>(b);
    });
    EXPECT_NE(followed.contains(static_cast<int>(b)), is_named) << problem.names[b];
  }
}

TEST_P(EveryHardInput, IsBoundAsAWholeAndEmptyJointsAreNamed) {
  const bind::CharacterProblem problem = problem_of(made(GetParam(), usual()), usual());
  for (const std::string_view id : {"best", "containment", "point-to-line"}) {
    SCOPED_TRACE(id);
    expect_whole(problem, test::bound(problem.problem, id));
  }
  expect_whole(problem, test::bound(problem.problem, "point-to-line", {{"bones", 1}}));
}

// On a small character, since some of them solve or search over all of the surface.
TEST_P(EveryHardInput, IsBoundAsAWholeByEveryBinder) {
  const bind::CharacterProblem problem = problem_of(made(GetParam(), elbow()), elbow());
  constexpr std::size_t kQuickPlaces = 20'000;
  for (const bind::Binder& binder : bind::binders()) {
    const bool is_quick = binder.id == "containment" || binder.id == "point-to-line";
    if (problem.problem.place_count() > kQuickPlaces && !is_quick) {
      continue;
    }
    SCOPED_TRACE(binder.id);
    using Values = std::vector<std::pair<std::string_view, double>>;
    expect_whole(problem, test::bound(problem.problem, binder.id,
                                      binder.id == "biharmonic" ? Values{{"voxels", 16}} : Values{}));
  }
}

// New vertices have weights, too, and those of vertices that are there still are the artist's.
TEST_P(EveryHardInput, TheArtistsWeightsAreAPerfectScore) {
  // What is subdivided takes long to pose.
  const rig::Character& of = GetParam() == "dense" ? elbow() : usual();
  const rig::Character character = made(GetParam(), of);
  const bind::CharacterProblem problem = problem_of(character, of);
  const bind::Rows truth = bind::rows_of(character, problem);
  for (std::size_t w = 0; w < truth.size(); ++w) {
    ASSERT_FALSE(truth[w].empty()) << w;
  }
  const BindingScore score = *score_binding(problem, truth, truth, benchmark_poses(character, problem));
  EXPECT_EQ(score.unbound, 0u);
  // Only the four largest weights count, and subdivision makes more.
  EXPECT_LT(score.rms, GetParam() == "dense" ? 0.01 : 1e-9);
  EXPECT_EQ(score.agreement, 1);
}

INSTANTIATE_TEST_SUITE_P(Table, EveryHardInput, testing::ValuesIn(hard_ids()), [](const auto& row) {
  std::string name = row.param;
  std::erase(name, '-');
  return name;
});

class HardInputs : public EveryHardInput {};

std::size_t triangles_of(const rig::Character& character) {
  std::size_t count = 0;
  for (const mesh::Mesh& mesh : character.meshes) {
    for (const mesh::Primitive& primitive : mesh.primitives) {
      count += primitive.influences->empty() ? 0 : primitive.triangle_count();
    }
  }
  return count;
}

TEST_F(HardInputs, AreWhatTheirNamesSay) {
  const bind::CharacterProblem clean = problem_of(mannequin());
  const double before = static_cast<double>(triangles_of(mannequin()));
  EXPECT_NEAR(static_cast<double>(triangles_of(made("holes"))) / before, 0.95, 0.02);
  EXPECT_LT(static_cast<double>(triangles_of(made("open-back"))) / before, 0.95);
  EXPECT_NEAR((static_cast<double>(triangles_of(made("fins"))) / before - 1) / 2, 0.025, 0.01);
  const bind::CharacterProblem soup = problem_of(made("soup"));
  // But for triangles so small that their corners are welded all the same.
  EXPECT_GT(static_cast<double>(soup.problem.place_count()), 2.95 * static_cast<double>(soup.problem.triangles.size()));
  EXPECT_GT(static_cast<double>(soup.problem.island_count()),
            0.95 * static_cast<double>(soup.problem.triangles.size()));
  EXPECT_GE(problem_of(made("unwelded")).problem.place_count(), clean.problem.place_count());
  EXPECT_GT(problem_of(made("clothes")).problem.island_count(), clean.problem.island_count());
  EXPECT_EQ(problem_of(made("specks")).problem.island_count(), clean.problem.island_count() + 13);
  EXPECT_GT(problem_of(made("dense")).problem.place_count(), 50000u);
  const bind::CharacterProblem beside = problem_of(made("beside"));
  EXPECT_NEAR(glm::distance(beside.problem.positions[0], clean.problem.positions[0]), 0.12 * clean.problem.diagonal,
              1e-4 * clean.problem.diagonal);
  for (const auto& [id, unit] : {std::pair("small", 0.01), std::pair("large", 100.0)}) {
    const bind::CharacterProblem scaled = problem_of(made(id));
    EXPECT_NEAR(scaled.problem.diagonal, unit * clean.problem.diagonal, 1e-5 * unit * clean.problem.diagonal);
    for (std::size_t b = 0; b < scaled.problem.bone_count(); ++b) {
      EXPECT_LT(glm::distance(scaled.problem.bones[b].head, unit * clean.problem.bones[b].head),
                1e-5 * scaled.problem.diagonal);
    }
  }
}

// Units change nothing that is measured: poses are of the size of the bind shape.
TEST_F(HardInputs, UnitsDoNotChangeAScore) {
  const auto rms = [](const rig::Character& character) {
    const bind::CharacterProblem problem = problem_of(character);
    const bind::Binding binding = test::bound(problem.problem, "point-to-line");
    return score_binding(problem, binding.rows, bind::rows_of(character, problem), benchmark_poses(character, problem))
        ->rms;
  };
  const double clean = rms(mannequin());
  EXPECT_GT(clean, 0.1);
  EXPECT_NEAR(rms(made("small")), clean, 1e-3 * clean);
  EXPECT_NEAR(rms(made("large")), clean, 1e-3 * clean);
}

TEST_F(HardInputs, InsideOutTurnsEveryFace) {
  const rig::Character turned = made("inside-out");
  for (std::size_t m = 0; m < turned.meshes.size(); ++m) {
    for (std::size_t p = 0; p < turned.meshes[m].primitives.size(); ++p) {
      const mesh::Primitive& before = mannequin().meshes[m].primitives[p];
      const mesh::Primitive& after = turned.meshes[m].primitives[p];
      for (std::size_t t = 0; t < before.indices.size() && !before.influences->empty(); t += 3) {
        ASSERT_EQ(before.indices[t + 1], after.indices[t + 2]);
        ASSERT_EQ(before.indices[t + 2], after.indices[t + 1]);
      }
    }
  }
}

}  // namespace
}  // namespace pelt::measure
