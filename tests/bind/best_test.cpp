#include <gtest/gtest.h>

#include "bind/best.h"
#include "bind/character_problem.h"
#include "bind/skeleton_shift.h"
#include "bind/surface_below.h"
#include "formats/open.h"
#include "support/binding.h"
#include "support/fixtures.h"

namespace pelt::bind {
namespace {

const Remark* remark_of(const Binding& binding, RemarkKind kind, int island) {
  for (const Remark& remark : binding.remarks) {
    if (remark.kind == kind && remark.island == island) {
      return &remark;
    }
  }
  return nullptr;
}

TEST(Best, ALayerTakesItsWeightsFromBelow) {
  Problem problem = test::cylinder_to_bind();
  const std::size_t body = problem.place_count();
  const Binding alone = test::bound(problem, "best");
  test::add_tube(problem, 0.2, 0.8, 30, 32, {}, 0.11, false);  // a sleeve about the joint
  finish(problem);
  const Binding binding = test::bound(problem, "best");
  ASSERT_NE(remark_of(binding, RemarkKind::kIslandFromBody, 1), nullptr);
  EXPECT_EQ(remark_of(binding, RemarkKind::kIslandFromBody, 1)->other, 0);
  EXPECT_EQ(remark_of(binding, RemarkKind::kIslandFromBody, 0), nullptr);
  const SurfaceSearch search(problem);
  for (std::size_t w = body; w < problem.place_count(); ++w) {
    EXPECT_EQ(binding.cause[w], Cause::kBody);
    const double x = problem.positions[w].x;
    const auto below = search.nearest(problem.positions[w], 0.05, [&](const SurfacePoint& point) {
      return problem.island[problem.triangles[point.triangle][0]] == 0;
    });
    ASSERT_TRUE(below);
    EXPECT_NEAR(below->where.x, x, 1e-6);
    double expected = 0;
    for (int k = 0; k < 3; ++k) {
      expected += below->corner[k] * binding.rows.weight(problem.triangles[below->triangle][k], 1);
    }
    EXPECT_NEAR(binding.rows.weight(w, 1), expected, 1e-9) << x;
  }
  // The body is bound as without clothes, but for voxels that the sleeve adds.
  for (std::size_t w = 0; w < body; ++w) {
    EXPECT_NEAR(binding.rows.weight(w, 1), alone.rows.weight(w, 1), 1e-9) << w;
  }
}

// What overhangs has no surface below: it goes on as the layer does where it ends.
TEST(Best, ALayerThatOverhangsIsBoundAsAWhole) {
  const Problem problem = test::cylinder_under_plate();
  const Binding binding = test::bound(problem, "best");
  ASSERT_NE(remark_of(binding, RemarkKind::kIslandFromBody, 1), nullptr);
  std::size_t overhanging = 0;
  for (std::size_t w = 1314; w < problem.place_count(); ++w) {
    ASSERT_FALSE(binding.rows[w].empty()) << problem.positions[w].x;
    EXPECT_EQ(binding.cause[w], Cause::kBody);
    if (problem.positions[w].x > 1.02) {
      ++overhanging;
      EXPECT_GT(binding.rows.weight(w, 1), 0.99) << problem.positions[w].x;
    }
  }
  EXPECT_GT(overhanging, 20u);
}

// No bone sees a ball in the air. best_cost_test.cpp measures the time.
TEST(Best, PartsThatSeeNoBoneAreBoundInTime) {
  Problem problem = test::cylinder_to_bind();
  test::add_ball(problem, {0.5, 0.3, 0}, 0.04, 90);
  finish(problem);
  const Binding binding = test::bound(problem, "best");
  ASSERT_NE(remark_of(binding, RemarkKind::kIslandSeesNoBone, 1), nullptr);
  EXPECT_NEAR(binding.rows.weight(problem.place_count() - 1, 0), 0.5, 0.1);
}

TEST(Best, SmallPartsMoveRigidlyWithWhatTheySitOn) {
  Problem problem = test::cylinder_to_bind();
  const std::size_t body = problem.place_count();
  test::add_tube(problem, 0.47, 0.49, 2, 8, {0, 0.14, 0}, 0.01, true);  // a bead beside the joint, in the air
  test::add_tube(problem, 0.9, 0.92, 2, 8, {0, 0.1, 0}, 0.01, true);    // one in the skin
  finish(problem);
  const Binding binding = test::bound(problem, "best");
  for (const std::size_t first : {body, body + 26}) {
    const auto island = static_cast<int>(problem.island[first]);
    ASSERT_NE(remark_of(binding, RemarkKind::kIslandRigid, island), nullptr);
    for (std::size_t w = first; w < first + 26; ++w) {
      EXPECT_EQ(binding.cause[w], Cause::kRigid);
      EXPECT_TRUE(std::ranges::equal(binding.rows[w], binding.rows[first]));
    }
  }
  EXPECT_GT(binding.rows.weight(body, 0), 0.5);
  EXPECT_GT(binding.rows.weight(body, 1), 0.1);
  EXPECT_GT(binding.rows.weight(body + 26, 1), 0.99);
  EXPECT_NE(remark_of(binding, RemarkKind::kIslandSeesNoBone, 1), nullptr);
}

TEST(Best, OfManySmallPartsTheLargestAreNamed) {
  Problem problem = test::cylinder_to_bind();
  for (int k = 0; k < 30; ++k) {
    test::add_tube(problem, 0.02 + 0.03 * k, 0.03 + 0.03 * k, 1, k == 7 ? 6 : 4, {0, 0.15, 0}, 0.005, true);
  }
  finish(problem);
  const Binding binding = test::bound(problem, "best");
  for (const RemarkKind kind : {RemarkKind::kIslandRigid, RemarkKind::kIslandSeesNoBone}) {
    std::vector<Remark> remarks;
    std::ranges::copy_if(binding.remarks, std::back_inserter(remarks),
                         [&](const Remark& remark) { return remark.kind == kind; });
    ASSERT_EQ(remarks.size(), 21u);
    EXPECT_EQ(remarks[0].places, 14u) << "the largest first";
    for (std::size_t k = 0; k < 20; ++k) {
      EXPECT_GE(remarks[k].island, 1);
      EXPECT_EQ(remarks[k].islands, 0u);
    }
    EXPECT_EQ(remarks[20].island, -1);
    EXPECT_EQ(remarks[20].islands, 10u);
    EXPECT_EQ(remarks[20].places, 100u);
    EXPECT_TRUE(sentence(remarks[20], {}).starts_with("10 more islands (100 vertices) "));
  }
}

// What the window folds, and the command line says in one line.
TEST(Best, ManyIslandsOfAKindMakeARun) {
  const Remark one{.kind = RemarkKind::kIslandRigid, .island = 1, .places = 5};
  const Remark rest{.kind = RemarkKind::kIslandRigid, .places = 30, .islands = 7};
  const Remark bone{.kind = RemarkKind::kBoneUnused, .bone = 0};
  std::vector<Remark> remarks = {bone, bone, bone, bone, one, one, one};
  for (std::size_t r = 0; r < remarks.size(); ++r) {
    EXPECT_EQ(end_of_run(remarks, r), r + 1) << "three are read one by one, and bones always";
  }
  remarks.push_back(rest);
  remarks.push_back({.kind = RemarkKind::kInsideOut, .island = 2, .places = 1});
  EXPECT_EQ(end_of_run(remarks, 4), 8u);
  EXPECT_EQ(end_of_run(remarks, 8), 9u);
  EXPECT_EQ(sentence_of_run(std::span(remarks).subspan(4, 4)), "10 islands (45 vertices) are small and move rigidly");
  const Remark unseen{.kind = RemarkKind::kIslandSeesNoBone, .places = 2, .instead = Cause::kNearest};
  EXPECT_EQ(sentence_of_run(std::vector(4, unseen)),
            "4 islands (8 vertices) see no bone: bound to the nearest bone instead");
  std::vector<Remark> mixed(4, unseen);
  mixed[2].instead = Cause::kBody;
  EXPECT_EQ(sentence_of_run(mixed), "4 islands (8 vertices) see no bone");
}

TEST(Best, ASkeletonBesideItsSurfaceIsMovedIntoIt) {
  Problem problem = test::cylinder_to_bind();
  const Binding inside = test::bound(problem, "best");
  for (const glm::dvec3& by : {glm::dvec3(0, 0.15, 0), glm::dvec3(0, -0.1, -0.1)}) {
    Problem beside = problem;
    beside.bones = shifted_bones(problem.bones, by);
    const Binding binding = test::bound(beside, "best");
    double sum = 0;
    for (std::size_t w = 0; w < problem.place_count(); ++w) {
      sum += std::abs(binding.rows.weight(w, 1) - inside.rows.weight(w, 1));
    }
    EXPECT_LT(sum / static_cast<double>(problem.place_count()), 0.02);
    EXPECT_EQ(std::ranges::count(binding.remarks, RemarkKind::kBoneOutside, &Remark::kind), 2);
    ASSERT_EQ(std::ranges::count(binding.remarks, RemarkKind::kSkeletonShifted, &Remark::kind), 1);
    EXPECT_GT(binding.remarks[0].amount, 0.05);
    EXPECT_LT(binding.remarks[0].amount, 0.2);
    EXPECT_TRUE(sentence(binding.remarks[0], {}).starts_with("the skeleton lies beside its surface and was moved by "));
  }
  const Voxels voxels = *voxelised(problem, 64);
  EXPECT_EQ(shift_into_volume(voxels, problem.bones), glm::dvec3(0.0));
  EXPECT_EQ(shift_into_volume(voxels, shifted_bones(problem.bones, {0, 5, 0})), glm::dvec3(0.0));  // out of reach
}

TEST(Best, SymmetricShapesGetSymmetricWeights) {
  Problem problem = test::cylinder_to_bind();
  problem.bones = {test::bone_between({0.1, -0.02, 0}, {0.5, -0.02, 0}),
                   test::bone_between({0.1, 0.02, 0}, {0.5, 0.02, 0}), test::bone_between({0.5, 0, 0}, {0.95, 0, 0})};
  finish(problem);
  for (const char* id : {"best", "volume-heat", "geodesic-voxel"}) {
    const Binding binding = test::bound(problem, id);
    for (std::size_t i = 0; i <= 40; ++i) {
      for (std::size_t k = 0; k < 32; ++k) {  // y -> -y is k -> 16 - k
        const std::size_t w = i * 32 + k;
        const std::size_t mirrored = i * 32 + (48 - k) % 32;
        EXPECT_NEAR(binding.rows.weight(w, 0), binding.rows.weight(mirrored, 1), 1e-5) << id << ' ' << i << ' ' << k;
        EXPECT_NEAR(binding.rows.weight(w, 2), binding.rows.weight(mirrored, 2), 1e-5) << id << ' ' << i << ' ' << k;
      }
    }
  }
}

// Holes, faces inside out and fins hardly change the weights of a whole character.
TEST(Best, DamagedCharactersAreBoundAsWholeOnes) {
  const auto character = formats::open_character("@mannequin");
  ASSERT_TRUE(character);
  const Problem whole = make_problem(*character, {})->problem;
  const Binding clean = test::bound(whole, "best");
  const auto expect_close = [&](Problem damaged, double tolerance, const char* what) {
    finish(damaged);
    const Binding binding = test::bound(damaged, "best");
    double sum = 0;
    for (std::size_t w = 0; w < whole.place_count(); ++w) {
      EXPECT_FALSE(binding.rows[w].empty());
      for (std::size_t b = 0; b < whole.bone_count(); ++b) {
        sum += std::abs(binding.rows.weight(w, b) - clean.rows.weight(w, b));
      }
    }
    EXPECT_LT(sum / static_cast<double>(whole.place_count()), tolerance) << what;
  };
  test::Random random(8);
  Problem turned = whole;
  for (auto& triangle : turned.triangles) {
    std::swap(triangle[1], triangle[2]);
  }
  expect_close(turned, 1e-9, "inside out");
  Problem torn = whole;
  std::erase_if(torn.triangles, [&](const auto&) { return random.below(20) == 0; });
  expect_close(torn, 0.1, "torn");
  Problem finned = whole;
  for (std::size_t t = 0; t < whole.triangles.size(); t += 40) {
    const auto& triangle = whole.triangles[t];
    finned.positions.push_back(whole.positions[triangle[0]] + 0.01 * whole.diagonal * random.unit());
    finned.triangles.push_back({triangle[0], triangle[1], static_cast<std::uint32_t>(finned.positions.size() - 1)});
  }
  expect_close(finned, 0.1, "fins");
}

TEST(Best, ShowsCoarseResultsOnTheWay) {
  const Problem problem = test::cylinder_to_bind();
  for (const char* id : {"best", "volume-heat"}) {
    const Binder& binder = *find_binder(id);
    std::vector<Rows> shown;
    const Watcher watcher{{}, [&](const Binding& binding) {
                            ASSERT_EQ(binding.rows.size(), problem.place_count());
                            ASSERT_EQ(binding.cause.size(), problem.place_count());
                            for (std::size_t w = 0; w < problem.place_count(); ++w) {
                              ASSERT_FALSE(binding.rows[w].empty());
                            }
                            shown.push_back(binding.rows);
                          }};
    const auto watched = run(binder, problem, standard_values(binder), watcher);
    ASSERT_TRUE(watched);
    ASSERT_EQ(shown.size(), 2u) << "32 and 64 cubes of 128";
    EXPECT_NE(shown[0], shown[1]);
    EXPECT_EQ(watched->rows, run(binder, problem, standard_values(binder))->rows) << "whoever watches changes nothing";
    // They are of the right bone wherever that is plain.
    for (const Rows& rows : shown) {
      for (std::size_t w = 0; w < problem.place_count(); ++w) {
        if (std::abs(problem.positions[w].x - 0.5) > 0.1) {
          ASSERT_EQ(rows.strongest(w), watched->rows.strongest(w)) << w;
        }
      }
    }
    // Of a coarse grid there is nothing coarser.
    std::vector<double> coarse = standard_values(binder);
    coarse[1] = 32;
    shown.clear();
    ASSERT_TRUE(run(binder, problem, coarse, watcher));
    EXPECT_TRUE(shown.empty());
    // And the job can be stopped while they are made.
    const Watcher stopping{[](float, std::string_view) { return false; }, [](const Binding&) {}};
    EXPECT_FALSE(run(binder, problem, standard_values(binder), stopping));
  }
}

TEST(SurfaceSearch, FindsTheNearestPoint) {
  const Problem problem = test::fingers_to_bind();
  const SurfaceSearch search(problem);
  test::Random random(9);
  for (int k = 0; k < 50; ++k) {
    const glm::dvec3 p = random.dvector(-0.3, 2.3);
    double least = 1e9;
    for (std::size_t t = 0; t < problem.triangles.size(); ++t) {
      const SurfacePoint point = nearest_on_triangle(problem, t, p);
      EXPECT_NEAR(point.corner.x + point.corner.y + point.corner.z, 1, 1e-12);
      least = std::min(least, point.distance);
    }
    const auto found = search.nearest(p, 5, [](const SurfacePoint&) { return true; });
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->distance, least, 1e-6);
    EXPECT_FALSE(search.nearest(p, 0.9 * least, [](const SurfacePoint&) { return true; }));
  }
  const Problem flat = [] {
    Problem one;
    one.positions = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
    one.triangles = {{0, 1, 2}};
    return one;
  }();
  EXPECT_NEAR(nearest_on_triangle(flat, 0, {1, 1, 3}).distance, 3, 1e-12);
  EXPECT_NEAR(nearest_on_triangle(flat, 0, {3, 3, 0}).distance, std::sqrt(2), 1e-12);
  EXPECT_NEAR(nearest_on_triangle(flat, 0, {-3, -4, 0}).distance, 5, 1e-12);
}

}  // namespace
}  // namespace pelt::bind
