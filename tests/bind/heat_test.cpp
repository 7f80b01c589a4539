#include <numeric>

#include <gtest/gtest.h>

#include "bind/character_binding.h"
#include "bind/character_problem.h"
#include "bind/heat_system.h"
#include "bind/surface_sight.h"
#include "formats/open.h"
#include "support/binding.h"
#include "support/fixtures.h"
#include "support/requirements.h"

namespace pelt::bind {
namespace {

// Solutions before anything is cut off, [W][B].
std::vector<double> raw_heat(const Problem& problem, const Heat& how) {
  const HeatSources sources = *heat_sources(problem, how);
  const HeatSystem system(problem, sources, how);
  std::vector<std::uint16_t> bones;
  for (std::size_t b = 0; b < problem.bone_count(); ++b) {
    bones.push_back(static_cast<std::uint16_t>(b));
  }
  std::vector<double> out;
  system.solve(bones, out);
  return out;
}

// Half of the difference across the joint decays along the tube; 1 for the bone on the right.
double on_a_tube(double x, double c) {
  const double decay = 0.5 * std::exp(-std::sqrt(c) * std::abs(x) / 0.1);
  return x > 0 ? 1 - decay : decay;
}

double largest_tube_error(int bands, int around, double c) {
  const Problem problem = test::tube_to_bind(bands, around);
  const std::vector<double> w = raw_heat(problem, {.c = c});
  double largest = 0;
  for (std::size_t v = 0; v < problem.place_count(); ++v) {
    const double x = problem.positions[v].x;
    if (std::abs(x) <= 0.5 + 1e-9) {
      largest = std::max(largest, std::abs(w[2 * v + 1] - on_a_tube(x, c)));
    }
  }
  return largest;
}

TEST(Heat, C34_1_ATubeHasTheClosedForm) {
  for (const auto& [x, w] :
       {std::pair{0.0, 0.5}, {0.05, 0.696735}, {0.1, 0.816060}, {0.2, 0.932332}, {0.3, 0.975106}}) {
    EXPECT_NEAR(on_a_tube(x, 1), w, 5.1e-7);
  }
  const double coarse = largest_tube_error(100, 32, 1);
  const double fine = largest_tube_error(200, 32, 1);
  const double finer = largest_tube_error(400, 64, 1);
  EXPECT_NEAR(coarse, 3.1e-4, 5e-6);
  EXPECT_NEAR(fine, 7.7e-5, 5e-7);
  EXPECT_NEAR(finer, 1.93e-5, 3e-7);
  for (const auto& [c, analytic, solved] : {std::array{3.0, 0.911539, 0.910780}, {0.22, 0.687199, 0.687104}}) {
    const Problem problem = test::tube_to_bind();
    const std::size_t at = 55 * 32;
    EXPECT_NEAR(problem.positions[at].x, 0.1, 1e-12);
    EXPECT_NEAR(on_a_tube(0.1, c), analytic, 5.1e-7);
    EXPECT_NEAR(raw_heat(problem, {.c = c})[2 * at + 1], solved, 1e-6);
  }
}

TEST(Heat, C34_2_SumsAreOne) {
  for (const Problem& problem : {test::cylinder_to_bind(), test::fingers_to_bind(), test::tube_to_bind(30, 12)}) {
    const std::size_t bones = problem.bone_count();
    const std::vector<double> w = raw_heat(problem, {});
    for (std::size_t v = 0; v < problem.place_count(); ++v) {
      double sum = 0;
      for (std::size_t b = 0; b < bones; ++b) {
        sum += w[v * bones + b];
      }
      EXPECT_NEAR(sum, 1, 1e-9) << v;
    }
  }
}

TEST(Heat, C34_3_NothingLeavesTheRangeOnClosedDelaunayMeshes) {
  for (const Problem& problem : {test::cylinder_to_bind(), test::fingers_to_bind()}) {
    for (const double weight : raw_heat(problem, {})) {
      EXPECT_GE(weight, -1e-12);
      EXPECT_LE(weight, 1 + 1e-12);
    }
  }
}

TEST(Heat, C34_4_ScaleChangesNothing) {
  const Problem problem = test::cylinder_to_bind();
  const Rows one = test::bound(problem, "heat").rows;
  for (const double scale : {1e-3, 0.01, 100.0, 12345.0}) {
    Problem other = problem;
    for (glm::dvec3& p : other.positions) {
      p *= scale;
    }
    for (Bone& bone : other.bones) {
      bone.head *= scale;
      bone.tails[0] *= scale;
    }
    finish(other);
    EXPECT_LT(test::largest_difference(one, test::bound(other, "heat").rows), 1e-9) << scale;
    EXPECT_LT(test::largest_difference(test::bound(problem, "heat", {{"compatible", 1}}).rows,
                                       test::bound(other, "heat", {{"compatible", 1}}).rows),
              1e-9)
        << scale;
  }
}

TEST(Heat, C34_5_HeatDoesNotCrossTheGap) {
  const Problem problem = test::fingers_to_bind();
  const Binding binding = test::bound(problem, "heat");
  for (std::size_t w = 0; w < problem.place_count(); ++w) {
    EXPECT_LE(binding.rows.weight(w, w < 1346 ? 1 : 0), 1e-6) << w;
  }
}

TEST(Heat, C34_6_EquallyNearBonesShare) {
  Problem problem = test::cylinder_to_bind();
  problem.bones = {test::bone_between({0, 0, 0}, {1, 0, 0}), test::bone_between({1, 0, 0}, {0, 0, 0}, 0)};
  finish(problem);
  for (const double compatible : {0.0, 1.0}) {
    const Binding binding = test::bound(problem, "heat", {{"compatible", compatible}});
    for (std::size_t w = 0; w < problem.place_count(); ++w) {
      EXPECT_NEAR(binding.rows.weight(w, 0), 0.5, 1e-9);
      EXPECT_EQ(binding.cause[w], Cause::kSolved);
    }
  }
}

// On regular quads the mixed area is the third of the triangles, so that compatible heat is that of four times c, but
// for what fades out.
TEST(Heat, CompatibleHeatIsFourTimesAsSharp) {
  const Problem problem = test::tube_to_bind();
  const Rows compatible = test::bound(problem, "heat", {{"compatible", 1}}).rows;
  const Rows standard = test::bound(problem, "heat", {{"c", 4}}).rows;
  for (std::size_t w = 10 * 32; w < 91 * 32; ++w) {
    const double expected = standard.weight(w, 1);
    if (expected > 0.06 && expected < 0.94) {
      EXPECT_NEAR(compatible.weight(w, 1), expected, 1e-4) << w;
    } else if (expected < 0.02) {
      EXPECT_EQ(compatible.weight(w, 1), 0) << w;
    }
  }
}

// What a closed cube with a wall inside can see: from a corner of the floor along it and through the wall.
Problem walled_box() {
  Problem problem;
  problem.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.4, -1, -1}, {0.4, 2, -1}, {0.4, 0.5, 3}};
  problem.triangles = {{0, 1, 2}, {3, 4, 5}};  // the second one faces +x, across the way
  problem.bones = {test::bone_between({1, 1, 1}, {1, 1, 2})};
  finish(problem);
  return problem;
}

TEST(SurfaceSight, TrianglesBetweenBlockAsTheyFace) {
  const Problem problem = walled_box();
  const SurfaceSight sight(problem);
  using Blocks = SurfaceSight::Blocks;
  EXPECT_TRUE(sight.is_blocked(0, {1, 0.1, 0.1}, Blocks::kBothSides));
  EXPECT_FALSE(sight.is_blocked(0, {1, 0.1, 0.1}, Blocks::kOuterSide)) << "it leaves by the inner side";
  EXPECT_TRUE(sight.is_blocked(1, {0, 0.1, 0.1}, Blocks::kBothSides));
  EXPECT_TRUE(sight.is_blocked(1, {0, 0.1, 0.1}, Blocks::kOuterSide));
  EXPECT_FALSE(sight.is_blocked(0, {0.39, 0.1, 0.1}, Blocks::kBothSides)) << "the wall lies behind";
  EXPECT_FALSE(sight.is_blocked(0, {0.4, 0.1, 0.1}, Blocks::kBothSides)) << "the end only touches the wall";
  EXPECT_FALSE(sight.is_blocked(0, {1, 0.1, 20}, Blocks::kBothSides)) << "above the wall";
  EXPECT_FALSE(sight.is_blocked(0, {0.3, 0.3, 0}, Blocks::kBothSides)) << "its own triangle";
  EXPECT_FALSE(sight.is_blocked(0, {0, 0, 0}, Blocks::kBothSides)) << "the place itself";
}

// A hidden bone heats nothing: H is 0 where the nearest one is not seen, though a farther one is.
TEST(Heat, PlacesThatDoNotSeeTheNearestBoneHaveNoHeat) {
  Problem problem = test::cylinder_to_bind();
  problem.bones.push_back(test::bone_between({0.2, 0.15, 0}, {0.3, 0.15, 0}, 0));  // above the surface
  finish(problem);
  const HeatSources sources = *heat_sources(problem, {});
  std::size_t cold = 0;
  for (std::size_t w = 0; w < problem.place_count(); ++w) {
    if (nearest_bone(problem.positions[w], problem.bones) == 2) {
      EXPECT_EQ(sources.heat[w], 0) << w;
      EXPECT_TRUE(sources.of(w).empty()) << w;
      ++cold;
    } else {
      EXPECT_GT(sources.heat[w], 0) << w;
      const double d = distance_to_bone(problem.positions[w], problem.bones[sources.of(w)[0]]);
      if (d > 0.01) {
        EXPECT_NEAR(sources.heat[w] * d * d, static_cast<double>(sources.of(w).size()), 1e-9) << w;
      }
    }
  }
  EXPECT_GT(cold, 20u);
  const Binding binding = test::bound(problem, "heat");
  EXPECT_TRUE(std::ranges::any_of(binding.remarks, [](const Remark& remark) {
    return remark.kind == RemarkKind::kBoneUnused && remark.bone == 2;
  }));
}

TEST(Heat, AnIslandWithoutABoneMovesRigidlyAndIsNamed) {
  Problem problem = test::cylinder_to_bind();
  const std::size_t body = problem.place_count();
  test::add_tube(problem, 0.55, 0.75, 4, 8, {0, 0.3, 0}, 0.05, true);  // a buckle above the second bone
  problem.positions.emplace_back(0.1, 0.5, 0);                         // and a place of no triangle
  finish(problem);
  const Binding binding = test::bound(problem, "heat");
  for (std::size_t w = body; w + 1 < problem.place_count(); ++w) {
    EXPECT_EQ(binding.rows.weight(w, 1), 1) << w;
    EXPECT_EQ(binding.cause[w], Cause::kRigid) << w;
  }
  EXPECT_EQ(binding.rows.weight(problem.place_count() - 1, 0), 1);
  EXPECT_EQ(binding.cause.back(), Cause::kNearest);
  const std::vector<Remark>& remarks = binding.remarks;
  const auto island = std::ranges::find(remarks, RemarkKind::kIslandSeesNoBone, &Remark::kind);
  ASSERT_NE(island, remarks.end());
  EXPECT_EQ(island->places, problem.place_count() - 1 - body);
  EXPECT_EQ(island->island, 1);
  EXPECT_EQ(island->bone, 1);
  const auto fallback = std::ranges::find(remarks, RemarkKind::kFallback, &Remark::kind);
  ASSERT_NE(fallback, remarks.end());
  EXPECT_EQ(fallback->places, 1u);
  // The body's weights are what they are without the others.
  const Rows alone = test::bound(test::cylinder_to_bind(), "heat").rows;
  for (std::size_t w = 0; w < body; ++w) {
    EXPECT_NEAR(binding.rows.weight(w, 0), alone.weight(w, 0), 1e-6) << w;
  }
}

TEST(Heat, AClosedIslandInsideOutIsTakenAsItIsMeant) {
  const Problem problem = test::fingers_to_bind();
  Problem turned = problem;
  for (std::size_t t = 0; t < turned.triangles.size(); ++t) {
    if (turned.triangles[t][0] >= 1346) {
      std::swap(turned.triangles[t][1], turned.triangles[t][2]);
    }
  }
  const Binding binding = test::bound(turned, "heat");
  EXPECT_LT(test::largest_difference(binding.rows, test::bound(problem, "heat").rows), 1e-9);
  const auto remark = std::ranges::find(binding.remarks, RemarkKind::kInsideOut, &Remark::kind);
  ASSERT_NE(remark, binding.remarks.end());
  EXPECT_EQ(remark->island, 1);
  EXPECT_EQ(remark->places, 1346u);
}

// Obtuse triangles: weights below 0 are cut off and said.
TEST(Heat, NegativeWeightsAreCutOffAndSaid) {
  test::Random random(34);
  Problem problem = test::tube_to_bind(20, 32);
  for (glm::dvec3& p : problem.positions) {  // within the surface, far enough to make narrow triangles
    const double turn = random.real(-0.09, 0.09);
    p = {p.x + random.real(-0.045, 0.045), p.y * std::cos(turn) - p.z * std::sin(turn),
         p.y * std::sin(turn) + p.z * std::cos(turn)};
  }
  finish(problem);
  const std::vector<double> raw = raw_heat(problem, {.c = 20});
  const double least = std::ranges::min(raw);
  ASSERT_LT(least, -1e-5);
  const Binding binding = test::bound(problem, "heat", {{"c", 20}});
  const auto remark = std::ranges::find(binding.remarks, RemarkKind::kNegative, &Remark::kind);
  ASSERT_NE(remark, binding.remarks.end());
  EXPECT_NEAR(remark->amount, least, 1e-6 * std::abs(least));
  std::size_t places = 0;
  for (std::size_t w = 0; w < problem.place_count(); ++w) {
    places += std::min(raw[2 * w], raw[2 * w + 1]) < -1e-6 ? 1 : 0;
  }
  EXPECT_EQ(remark->places, places);
}

// Fins, doubled faces and slivers in a soup: everything is bound, and the rest stays as it was.
TEST(Heat, SoupsAreBound) {
  test::Random random(345);
  Problem problem = test::cylinder_to_bind();
  const auto body = static_cast<std::uint32_t>(problem.place_count());
  for (int i = 0; i < 30; ++i) {
    const auto triangle = problem.triangles[static_cast<std::size_t>(random.below(2600))];
    const auto tip = static_cast<std::uint32_t>(problem.place_count());
    problem.positions.push_back(1.1 * problem.positions[triangle[0]] + glm::dvec3(0.001 * i, 0, 0));
    problem.triangles.push_back({triangle[0], triangle[1], tip});
    problem.triangles.push_back(triangle);
  }
  problem.positions.push_back(0.5 *
                              (problem.positions[40] + problem.positions[41]));  // a T-junction by a flat triangle
  problem.triangles.push_back({40, 41, static_cast<std::uint32_t>(problem.place_count() - 1)});
  finish(problem);
  const Rows clean = test::bound(test::cylinder_to_bind(), "heat").rows;
  for (const double compatible : {0.0, 1.0}) {
    const Binding binding = test::bound(problem, "heat", {{"compatible", compatible}});
    for (std::size_t w = 0; w < problem.place_count(); ++w) {
      ASSERT_FALSE(binding.rows[w].empty());
      EXPECT_EQ(binding.cause[w], Cause::kSolved) << w;
      if (w < body && compatible == 0.0) {
        EXPECT_NEAR(binding.rows.weight(w, 0), clean.weight(w, 0), 0.05) << w;
      }
    }
  }
}

// Three characters of the corpus have weights that their authors let the published program make, and hardly changed.
TEST(Heat, CompatibleHeatIsWhatMadeThreeCharacters) {
  for (const char* name : {"dragon", "human", "zombie"}) {
    const std::string file = std::string("characters/") + name + ".glb";
    PELT_NEEDS_CORPUS(file);
    const auto character = formats::open_character(std::string(PELT_CORPUS_DIR) + "/" + file);
    ASSERT_TRUE(character) << character.error().message;
    Request request;
    request.mean_tails = true;
    const auto made = make_problem(*character, request);
    ASSERT_TRUE(made) << made.error().message;
    const Rows authors = rows_of(*character, *made);
    const auto differences = [&](double compatible) {
      const Binding binding = test::bound(made->problem, "heat", {{"compatible", compatible}});
      const Rows rows = limited(binding.rows, 4);
      std::vector<double> out(rows.size(), 0);
      for (std::size_t w = 0; w < rows.size(); ++w) {
        for (std::size_t b = 0; b < made->problem.bone_count(); ++b) {
          out[w] += std::abs(rows.weight(w, b) - authors.weight(w, b));
        }
      }
      std::ranges::sort(out);
      return out;
    };
    const std::vector<double> compatible = differences(1);
    EXPECT_LT(compatible[compatible.size() / 2], 1e-3) << name << ": median over vertices";
    EXPECT_LT(std::accumulate(compatible.begin(), compatible.end(), 0.0) / static_cast<double>(compatible.size()), 0.08)
        << name << ": mean";
    EXPECT_GT(differences(0)[compatible.size() / 2], 0.1) << name << ": the standard differs";
  }
}

}  // namespace
}  // namespace pelt::bind
