#include <atomic>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "support/binding.h"
#include "support/fixtures.h"

// Laws that hold for every row of the table.

namespace pelt::bind {
namespace {

class EveryBinder : public testing::TestWithParam<std::string> {};

std::vector<std::string> binder_ids() {
  std::vector<std::string> ids;
  for (const Binder& binder : binders()) {
    ids.emplace_back(binder.id);
  }
  return ids;
}

// On a coarse grid where fine ones take seconds: the laws hold on any.
Binding bound_quickly(const Problem& problem, const std::string& id) {
  using Values = std::vector<std::pair<std::string_view, double>>;
  return test::bound(problem, id, id == "biharmonic" ? Values{{"voxels", 24}} : Values{});
}

Problem moved(Problem problem, const glm::dmat3& turn, double scale, const glm::dvec3& by) {
  const auto move = [&](glm::dvec3& p) { p = scale * (turn * p) + by; };
  for (glm::dvec3& p : problem.positions) {
    move(p);
  }
  for (Bone& bone : problem.bones) {
    move(bone.head);
    for (glm::dvec3& tail : bone.tails) {
      move(tail);
    }
  }
  finish(problem);
  return problem;
}

TEST_P(EveryBinder, BindsEveryPlaceWithWeightsThatSumToOne) {
  for (const Problem& problem :
       {test::cylinder_to_bind(), test::fingers_to_bind(), test::tube_to_bind(20, 12), test::cylinder_under_plate()}) {
    const Binding binding = bound_quickly(problem, GetParam());
    ASSERT_EQ(binding.rows.size(), problem.place_count());
    ASSERT_EQ(binding.cause.size(), problem.place_count());
    for (std::size_t w = 0; w < binding.rows.size(); ++w) {
      double sum = 0;
      for (const Share& share : binding.rows[w]) {
        EXPECT_GT(share.weight, 0);
        ASSERT_LT(share.bone, problem.bone_count());
        sum += share.weight;
      }
      EXPECT_NEAR(sum, 1, 1e-12) << w;
    }
  }
}

TEST_P(EveryBinder, PowersOfTwoAsUnitChangeNothing) {
  const Problem problem = test::cylinder_to_bind();
  const Binding one = bound_quickly(problem, GetParam());
  for (const double scale : {1.0 / 128, 64.0}) {
    EXPECT_EQ(one.rows, bound_quickly(moved(problem, glm::dmat3(1.0), scale, {}), GetParam()).rows) << scale;
  }
}

TEST_P(EveryBinder, TheOrderOfPlacesTrianglesAndBonesDoesNotMatter) {
  const Problem problem = test::cylinder_to_bind();
  Problem other = problem;
  const std::size_t count = problem.place_count();
  const auto image = [&](std::size_t w) { return (w * 523 + 11) % count; };  // 523 and 1314 have no common factor
  for (std::size_t w = 0; w < count; ++w) {
    other.positions[image(w)] = problem.positions[w];
  }
  for (auto& triangle : other.triangles) {
    for (std::uint32_t& corner : triangle) {
      corner = static_cast<std::uint32_t>(image(corner));
    }
  }
  std::ranges::reverse(other.triangles);
  std::ranges::reverse(other.bones);
  for (Bone& bone : other.bones) {
    bone.parent = -1;
  }
  finish(other);
  const Binding one = bound_quickly(problem, GetParam());
  const Binding two = bound_quickly(other, GetParam());
  const std::size_t last = problem.bone_count() - 1;
  for (std::size_t w = 0; w < count; ++w) {
    for (std::size_t b = 0; b <= last; ++b) {
      EXPECT_NEAR(one.rows.weight(w, b), two.rows.weight(image(w), last - b), 1e-5) << w;
    }
  }
}

// Weights that differ by more than 1e-5 may be a thousandth of all.
void expect_same_weights(const Rows& a, const Rows& b, std::size_t bone_count, const char* what) {
  std::size_t different = 0;
  for (std::size_t w = 0; w < a.size(); ++w) {
    for (std::size_t bone = 0; bone < bone_count; ++bone) {
      different += std::abs(a.weight(w, bone) - b.weight(w, bone)) > 1e-5 ? 1 : 0;
    }
  }
  EXPECT_LE(different, a.size() * bone_count / 1000) << what;
}

TEST_P(EveryBinder, UnitsAndRigidMotionsChangeNothing) {
  test::Random random(2026);
  const glm::dmat3 turn = glm::mat3_cast(random.rotation());
  const glm::dvec3 by = random.dvector(-3, 3);
  for (const Problem& problem : {test::cylinder_to_bind(), test::fingers_to_bind()}) {
    const Rows one = bound_quickly(problem, GetParam()).rows;
    const auto expect_same = [&](const Problem& other, const char* what) {
      expect_same_weights(one, bound_quickly(other, GetParam()).rows, problem.bone_count(), what);
    };
    expect_same(moved(problem, glm::dmat3(1.0), 0.01, {}), "x 0.01");
    expect_same(moved(problem, glm::dmat3(1.0), 100, {}), "x 100");
    // Ways and nodes of voxels follow the grid, see geodesic_voxel_test.cpp and biharmonic_test.cpp.
    if (GetParam() != "geodesic-voxel" && GetParam() != "biharmonic") {
      expect_same(moved(problem, turn, 1, by), "turned and moved");
    }
  }
}

// A tube along x whose right half is the mirror image of its left one, triangles and all, with a bone in each half and
// one across the middle.
Problem mirrored_tube(int bands, int around) {
  Problem problem;
  test::add_tube(problem, -1, 0, bands, around, {}, 0.1, false);
  const auto half = static_cast<std::uint32_t>(problem.place_count());
  const auto row = static_cast<std::uint32_t>(around);
  const auto image = [&](std::uint32_t w) { return w >= half - row ? w : half + w; };
  for (std::uint32_t w = 0; w + row < half; ++w) {
    const glm::dvec3 p = problem.positions[w];
    problem.positions.emplace_back(-p.x, p.y, p.z);
  }
  for (std::size_t t = 0, count = problem.triangles.size(); t < count; ++t) {
    const auto [a, b, c] = problem.triangles[t];
    problem.triangles.push_back({image(a), image(c), image(b)});
  }
  problem.bones = {test::bone_between({0, -0.05, 0}, {0, 0.05, 0}), test::bone_between({-0.2, 0, 0}, {-1, 0, 0}, 0),
                   test::bone_between({0.2, 0, 0}, {1, 0, 0}, 0)};
  finish(problem);
  return problem;
}

TEST_P(EveryBinder, SymmetricSurfacesHaveSymmetricWeights) {
  const int bands = 15;
  const int around = 12;
  const Problem problem = mirrored_tube(bands, around);
  const Binding binding = bound_quickly(problem, GetParam());
  const std::size_t half = static_cast<std::size_t>(bands + 1) * around;
  const std::size_t other[] = {0, 2, 1};
  for (std::size_t w = 0; w < half; ++w) {
    const std::size_t image = w + around >= half ? w : half + w;
    ASSERT_EQ(problem.positions[w].x, -problem.positions[image].x);
    for (std::size_t b = 0; b < 3; ++b) {
      EXPECT_NEAR(binding.rows.weight(w, b), binding.rows.weight(image, other[b]), 1e-6) << w;
    }
  }
}

// Places without triangles, of one bone without length, one place, coincident places, islands of one triangle.
TEST_P(EveryBinder, BindsWhatIsHardlyASurface) {
  Problem one_place;
  one_place.positions = {{0, 0, 0}};
  one_place.bones = {test::bone_between({0, 0, 0}, {0, 0, 0})};
  Problem flat;
  flat.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 5, 5}, {6, 5, 5}, {5, 5, 5.5}, {2, 2, 2}};
  flat.triangles = {{0, 1, 2}, {3, 4, 5}, {3, 5, 4}};
  flat.bones = {test::bone_between({0, 0, 0}, {1, 1, 0}), test::bone_between({1, 1, 0}, {1, 1, 0}, 0),
                test::bone_between({-100, 0, 0}, {-101, 0, 0})};
  Problem line;  // triangles without area
  line.positions = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}};
  line.triangles = {{0, 1, 2}, {1, 2, 3}};
  line.bones = {test::bone_between({0, 1, 0}, {3, 1, 0})};
  for (Problem* problem : {&one_place, &flat, &line}) {
    finish(*problem);
    const Binding binding = bound_quickly(*problem, GetParam());
    ASSERT_EQ(binding.rows.size(), problem->place_count());
    for (std::size_t w = 0; w < binding.rows.size(); ++w) {
      EXPECT_FALSE(binding.rows[w].empty()) << w;
    }
    EXPECT_TRUE(std::ranges::all_of(problem->bones, [&](const Bone& bone) {
      const auto b = static_cast<std::size_t>(&bone - problem->bones.data());
      bool used = false;
      for (std::size_t w = 0; w < binding.rows.size(); ++w) {
        used = used || binding.rows.weight(w, b) > 0;
      }
      return used || std::ranges::any_of(binding.remarks, [&](const Remark& remark) {
               return remark.kind == RemarkKind::kBoneUnused && remark.bone == static_cast<int>(b);
             });
    }));
  }
}

// Whichever report it is that is refused, and also where it is the only one. The second surface has a part that no bone
// sees and a bone outside, so that what is done about them reports, too.
TEST_P(EveryBinder, StopsWhenAsked) {
  Problem lonely = test::cylinder_to_bind();
  test::add_ball(lonely, {0.5, 0.3, 0}, 0.05, 16);
  lonely.bones.push_back(test::bone_between({0.4, -0.4, 0}, {0.6, -0.4, 0}));
  finish(lonely);
  const Binder& binder = *find_binder(GetParam());
  std::vector<double> values = standard_values(binder);
  for (std::size_t f = 0; f < values.size(); ++f) {
    values[f] = binder.fields[f].id != "voxels" ? values[f] : binder.id == "biharmonic" ? 24 : 48;
  }
  for (const Problem& problem : {test::fingers_to_bind(), lonely}) {
    std::atomic<int> reports = 0;
    const Watcher patient{[&](float, std::string_view) { return ++reports > 0; }, {}};
    ASSERT_TRUE(run(binder, problem, values, patient));
    const int all = reports;
    ASSERT_GT(all, 0);
    const std::set<int> refused = {1, 2, all / 3, all / 2, all - 1, all};
    for (const int k : refused) {
      if (k < 1 || k > all) {
        continue;
      }
      reports = 0;
      const Watcher impatient{[&](float, std::string_view) { return ++reports != k; }, {}};
      EXPECT_FALSE(run(binder, problem, values, impatient)) << k << " of " << all;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Table, EveryBinder, testing::ValuesIn(binder_ids()), [](const auto& row) {
  std::string name = row.param;
  std::erase_if(name, [](char c) { return c == '-'; });
  return name;
});

}  // namespace
}  // namespace pelt::bind
