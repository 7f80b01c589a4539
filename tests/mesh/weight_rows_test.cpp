// Rows of weights under locks and dabs of a brush, ALGORITHMS.md §39.
#include "mesh/weight_rows.h"

#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include <gmock/gmock.h>

#include "core/parallel.h"
#include "mesh/dab.h"
#include "mesh/stroke.h"
#include "mesh/surface_disc.h"
#include "support/fixtures.h"

namespace pelt::mesh {
namespace {

using testing::ElementsAre;

constexpr std::uint16_t kA = 0;
constexpr std::uint16_t kB = 1;
constexpr std::uint16_t kC = 2;
constexpr std::uint16_t kD = 3;

using Weights = std::map<int, double>;

Influences one_row(const Weights& weights) {
  Influences out;
  std::vector<std::uint16_t> joints;
  std::vector<float> values;
  for (const auto& [joint, weight] : weights) {
    joints.push_back(static_cast<std::uint16_t>(joint));
    values.push_back(static_cast<float>(weight));
  }
  append_row(out, joints, values);
  return out;
}

Weights weights_in(const InfluenceRow& row) {
  Weights out;
  for (std::size_t k = 0; k < row.joints.size(); ++k) {
    out[row.joints[k]] = static_cast<double>(row.weights[k]);
  }
  return out;
}

// What an edit makes of a row.
Weights edited_row(const Weights& before, const std::vector<std::uint16_t>& locked,
                   const std::function<void(WeightRow&)>& edit) {
  const Influences rows = one_row(before);
  WeightRow row(locked);
  row.read(rows.row(0));
  edit(row);
  return weights_in(row.stored());
}

void expect_weights(const Weights& actual, const Weights& expected, double tolerance = 1e-7) {
  ASSERT_EQ(actual.size(), expected.size()) << testing::PrintToString(actual);
  for (const auto& [joint, weight] : expected) {
    ASSERT_TRUE(actual.contains(joint)) << joint;
    EXPECT_NEAR(actual.at(joint), weight, tolerance) << joint;
  }
}

const Weights kThree = {{kA, 0.5}, {kB, 0.3}, {kC, 0.2}};

TEST(WeightRow, C39_1_AddingUnderLocks) {
  expect_weights(edited_row(kThree, {}, [](WeightRow& row) { row.add(kA, 0.2); }), {{kA, .7}, {kB, .18}, {kC, .12}});
  expect_weights(edited_row(kThree, {kC}, [](WeightRow& row) { row.add(kA, 0.2); }), {{kA, .7}, {kB, .1}, {kC, .2}});
  expect_weights(edited_row(kThree, {kC}, [](WeightRow& row) { row.add(kA, 0.6); }), {{kA, .8}, {kC, .2}});
  // Others have nothing: the remainder stays.
  expect_weights(edited_row({{kA, 0.8}, {kC, 0.2}}, {kC}, [](WeightRow& row) { row.set(kA, 0.1); }),
                 {{kA, .8}, {kC, .2}});
  // A joint with nothing, and rows of nothing.
  expect_weights(edited_row(kThree, {kA}, [](WeightRow& row) { row.set(kD, 0.25); }),
                 {{kA, .5}, {kB, .15}, {kC, .1}, {kD, .25}});
  expect_weights(edited_row({}, {}, [](WeightRow& row) { row.add(kD, 0.25); }), {{kD, 1}});
  expect_weights(edited_row({}, {}, [](WeightRow& row) { row.add(kD, -0.25); }), {});
}

TEST(WeightRow, LockedJointsAndNumbersThatAreNoneChangeNothing) {
  const std::vector<std::function<void(WeightRow&)>> edits = {[](WeightRow& row) { row.set(kC, 0.9); },
                                                              [](WeightRow& row) { row.move(kC, kA); },
                                                              [](WeightRow& row) { row.move(kA, kC); },
                                                              [](WeightRow& row) { row.swap(kA, kC); },
                                                              [](WeightRow& row) { row.set(kA, std::nan("")); },
                                                              [](WeightRow& row) { row.set(kA, 0.5); },
                                                              [](WeightRow& row) { row.towards({}, 1); },
                                                              [](WeightRow& row) { row.prune(0.1); },
                                                              [](WeightRow& row) { row.limit(3); },
                                                              [](WeightRow& row) { row.move(kD, kA); }};
  for (const auto& edit : edits) {
    const std::vector<std::uint16_t> locked = {kC};
    const Influences rows = one_row(kThree);
    WeightRow row(locked);
    row.read(rows.row(0));
    edit(row);
    EXPECT_FALSE(row.is_changed());
    EXPECT_TRUE(same_row(row.stored(), rows.row(0)));
  }
}

TEST(WeightRow, C39_2_SwapTwiceIsTheIdentityAndReplaceMovesAllMass) {
  expect_weights(edited_row(kThree, {}, [](WeightRow& row) { row.swap(kA, kB); }), {{kA, .3}, {kB, .5}, {kC, .2}});
  test::Random random(7);
  for (int n = 0; n < 200; ++n) {
    Weights weights;
    for (int k = 0; k < 6; ++k) {
      weights[random.below(8)] = random.real(0.001, 1.0);
    }
    const Influences rows = one_row(weights);
    WeightRow row;
    row.read(rows.row(0));
    row.swap(2, 5);
    row.swap(2, 5);
    EXPECT_TRUE(std::ranges::equal(row.stored().joints, rows.joints(0)));
    EXPECT_TRUE(std::ranges::equal(row.stored().weights, rows.weights(0)));
    const double mass = row.weight(1) + row.weight(6);
    row.move(1, 6);
    EXPECT_EQ(row.weight(1), 0);
    EXPECT_NEAR(row.weight(6), mass, 1e-7);
  }
}

TEST(WeightRow, RowsTowardsAnotherAndAwayFromIt) {
  const std::vector<WeightEntry> target = {{kB, 0.5}, {kD, 0.5}};
  expect_weights(edited_row(kThree, {}, [&](WeightRow& row) { row.towards(target, 0.5); }),
                 {{kA, .25}, {kB, .4}, {kC, .1}, {kD, .25}});
  // With A locked the target's halves are quarters of what is left.
  expect_weights(edited_row(kThree, {kA}, [&](WeightRow& row) { row.towards(target, 1); }),
                 {{kA, .5}, {kB, .25}, {kD, .25}});
  const std::vector<WeightEntry> mean = {{kA, 0.3}, {kB, 0.5}, {kC, 0.2}};
  expect_weights(edited_row(kThree, {}, [&](WeightRow& row) { row.away_from(mean, 0.5); }),
                 {{kA, .6}, {kB, .2}, {kC, .2}});
}

TEST(WeightRow, PruneAndLimitKeepWhatIsLockedOrPainted) {
  const Weights four = {{kA, 0.6}, {kB, 0.25}, {kC, 0.1}, {kD, 0.05}};
  expect_weights(edited_row(four, {}, [](WeightRow& row) { row.prune(0.15); }), {{kA, .6 / .85}, {kB, .25 / .85}});
  expect_weights(edited_row(four, {kD}, [](WeightRow& row) { row.prune(0.15); }),
                 {{kA, .6 * .95 / .85}, {kB, .25 * .95 / .85}, {kD, .05}});
  expect_weights(edited_row(four, {}, [](WeightRow& row) { row.limit(2, kD); }), {{kA, .6 / .65}, {kD, .05 / .65}});
  expect_weights(edited_row(four, {kC, kD}, [](WeightRow& row) { row.limit(2); }), {{kA, .85}, {kC, .1}, {kD, .05}});
  expect_weights(edited_row(four, {}, [](WeightRow& row) { row.prune(2); }), {{kA, 1}});
}

TEST(WeightRow, QuantisedWeightsAreWholeStepsAndSumToOne) {
  expect_weights(edited_row(kThree, {}, [](WeightRow& row) { row.quantise(4); }), {{kA, .5}, {kB, .25}, {kC, .25}});
  expect_weights(edited_row({{kA, .5}, {kB, .33}, {kC, .17}}, {kC}, [](WeightRow& row) { row.quantise(10); }),
                 {{kA, .53}, {kB, .3}, {kC, .17}});
  test::Random random(3);
  for (int n = 0; n < 500; ++n) {
    Weights weights;
    for (int k = 0; k < 6; ++k) {
      weights[random.below(9)] = random.real(0.001, 1.0);
    }
    const Influences rows = one_row(weights);
    for (const int steps : {5, 100, 255}) {
      WeightRow row;
      row.read(rows.row(0));
      row.quantise(steps);
      double sum = 0;
      for (const WeightEntry& entry : row.free()) {
        EXPECT_NEAR(entry.weight * steps, std::round(entry.weight * steps), 1e-9);
        const Weights before = weights_in(rows.row(0));
        EXPECT_LT(std::abs(entry.weight - before.at(entry.joint)), 1.0 / steps + 1e-6);
        sum += entry.weight;
      }
      EXPECT_NEAR(sum, 1, 1e-12);
      Influences once;
      once.push_row(row.stored());
      WeightRow again;
      again.read(once.row(0));
      again.quantise(steps);
      EXPECT_FALSE(again.is_changed()) << steps;
    }
  }
}

std::uint32_t bits_of_joint(const InfluenceRow& row, std::uint16_t joint) {
  for (std::size_t k = 0; k < row.joints.size(); ++k) {
    if (row.joints[k] == joint) {
      return std::bit_cast<std::uint32_t>(row.weights[k]);
    }
  }
  return 0;
}

void random_edit(WeightRow& row, test::Random& random) {
  const auto joint = [&] { return static_cast<std::uint16_t>(random.below(8)); };
  std::vector<WeightEntry> other;
  for (int k = 0; k < 8; k += 1 + random.below(3)) {
    other.push_back({static_cast<std::uint16_t>(k), random.real(0.0, 1.0)});
  }
  const std::uint16_t a = joint();
  const std::uint16_t b = joint();
  switch (random.below(11)) {
    case 0:
      row.set(a, random.real(-0.2, 1.2));
      break;
    case 1:
      row.add(a, random.real(-0.5, 0.5));
      break;
    case 2:
      row.scale(a, random.real(0.0, 2.0));
      break;
    case 3:
      row.move(a, b, random.real(0.0, 1.0));
      break;
    case 4:
      row.swap(a, b);
      break;
    case 5:
      row.towards(other, random.real(0.0, 1.0));
      break;
    case 6:
      row.away_from(other, random.real(0.0, 1.0));
      break;
    case 7:
      row.prune(random.real(0.0, 0.1));
      break;
    case 8:
      row.limit(static_cast<std::size_t>(1 + random.below(6)), a);
      break;
    case 9:
      row.quantise(4 + random.below(252));
      break;
    default:
      row.normalise();
      break;
  }
}

TEST(WeightRow, C39_3_TenThousandRandomOperationsKeepTheSumAndLockedBits) {
  test::Random random(39);
  const std::vector<std::vector<std::uint16_t>> locks = {{}, {kC}, {kA, 5}, {1, 2, 3, 4, 5, 6, 7}};
  for (const std::vector<std::uint16_t>& locked : locks) {
    Influences rows = one_row({{0, .2}, {1, .1}, {2, .17}, {3, .13}, {4, .1}, {5, .3}});
    std::map<int, std::uint32_t> bits;
    for (const std::uint16_t joint : locked) {
      bits[joint] = bits_of_joint(rows.row(0), joint);
    }
    for (int n = 0; n < 10000; ++n) {
      WeightRow row(locked);
      row.read(rows.row(0));
      random_edit(row, random);
      const InfluenceRow after = row.stored();
      ASSERT_NEAR(std::accumulate(after.weights.begin(), after.weights.end(), 0.0), 1, 1e-6) << n;
      for (const std::uint16_t joint : locked) {
        ASSERT_EQ(bits_of_joint(after, joint), bits[joint]) << n;
      }
      for (std::size_t k = 0; k < after.weights.size(); ++k) {
        ASSERT_GT(after.weights[k], 0);
        ASSERT_TRUE(k == 0 || after.weights[k] <= after.weights[k - 1]);
      }
      Influences next;
      next.push_row(after);
      rows = next;
    }
  }
}

// --- on surfaces ---

std::vector<const Influences*> rows_of_mesh(const Mesh& mesh) {
  std::vector<const Influences*> out;
  for (const Primitive& primitive : mesh.primitives) {
    out.push_back(&*primitive.influences);
  }
  return out;
}

void apply_patches(Mesh& mesh, const std::vector<InfluencesPatch>& patches) {
  for (std::size_t p = 0; p < patches.size(); ++p) {
    if (!patches[p].empty()) {
      Shared<Influences>& rows = mesh.primitives.edit(p).influences;
      rows = patched(*rows, patches[p]);
    }
  }
}

// A grid of triangles in the plane z = 0, from the origin on, steps apart.
Primitive grid_of(int columns, int lines, float step, const std::function<Weights(int, int)>& weights) {
  Primitive grid;
  for (int y = 0; y < lines; ++y) {
    for (int x = 0; x < columns; ++x) {
      grid.positions.push_back(glm::vec3(step * static_cast<float>(x), step * static_cast<float>(y), 0));
      const Influences row = one_row(weights(x, y));
      grid.influences.edit().push_row(row.row(0));
      if (x + 1 < columns && y + 1 < lines) {
        const auto at = [&](int i, int j) { return static_cast<std::uint32_t>(j * columns + i); };
        grid.indices.append({at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y), at(x + 1, y + 1), at(x, y + 1)});
      }
    }
  }
  return grid;
}

TEST(Dab, EachModeDoesWhatItSays) {
  Mesh mesh;
  mesh.primitives.push_back(grid_of(3, 3, 1, [](int x, int) {
    return x == 1 ? Weights{{kA, 0.4}, {kB, 0.6}} : Weights{{kA, 0.8}, {kB, 0.2}};
  }));
  const auto surface = welded_surface(mesh);
  const std::vector<std::uint32_t> places = {surface->place[4]};
  const auto after = [&](Dab dab, float amount) {
    dab.places = places;
    const std::vector<float> amounts = {amount};
    dab.amounts = amounts;
    Mesh copy = mesh;
    apply_patches(copy, dabbed_weights(*surface, rows_of_mesh(mesh), dab));
    return weights_in(copy.primitives[0].influences->row(4));
  };
  const std::vector<WeightEntry> first = {{kC, 1}};
  const std::vector<WeightEntry> second = {{kD, 1}};
  expect_weights(after({.mode = DabMode::kAdd, .value = 0.4f}, 0.5f), {{kA, .6}, {kB, .4}});
  expect_weights(after({.mode = DabMode::kSubtract, .value = 0.4f}, 0.5f), {{kA, .2}, {kB, .8}});
  expect_weights(after({.mode = DabMode::kReplace, .value = 0.9f}, 0.5f), {{kA, .65}, {kB, .35}});
  expect_weights(after({.mode = DabMode::kScale, .value = 0.5f}, 0.5f), {{kA, .3}, {kB, .7}});
  // The middle of the grid has two neighbours in its own column and four beside it.
  const double mean = (4 * 0.8 + 2 * 0.4) / 6;
  expect_weights(after({.mode = DabMode::kSmooth}, 0.5f), {{kA, .2 + mean / 2}, {kB, .8 - mean / 2}});
  expect_weights(after({.mode = DabMode::kSharpen}, 0.5f), {{kA, .4 + (.4 - mean) / 2}, {kB, .6 - (.4 - mean) / 2}});
  expect_weights(after({.mode = DabMode::kBlend, .value = 0.25f, .first = first, .second = second}, 0.5f),
                 {{kA, .2}, {kB, .3}, {kC, .375}, {kD, .125}});
  const std::vector<std::uint16_t> locked = {kB};
  expect_weights(
      after({.mode = DabMode::kBlend, .value = 0.25f, .first = first, .second = second, .locked = locked}, 1),
      {{kB, .6}, {kC, .3}, {kD, .1}});
}

TEST(Dab, CopiesOfAPlaceChangeTogetherButKeepTheirLockedWeights) {
  Mesh mesh;
  for (const double locked : {0.5, 0.5, 0.25}) {
    mesh.primitives.push_back(grid_of(2, 2, 1, [&](int, int) {
      return Weights{{kA, 0.75 - locked}, {kB, locked}, {kC, 0.25}};
    }));
  }
  const auto surface = welded_surface(mesh);
  ASSERT_EQ(surface->place_count(), 4u);
  const std::vector<std::uint32_t> places = {3, 0};
  const std::vector<float> amounts = {1, 0};
  const std::vector<std::uint16_t> lock = {kB};
  apply_patches(mesh, dabbed_weights(*surface, rows_of_mesh(mesh),
                                     {.places = places, .amounts = amounts, .value = 0.1f, .locked = lock}));
  expect_weights(weights_in(mesh.primitives[0].influences->row(3)), {{kA, .35}, {kB, .5}, {kC, .15}});
  EXPECT_TRUE(same_row(mesh.primitives[0].influences->row(3), mesh.primitives[1].influences->row(3)));
  expect_weights(weights_in(mesh.primitives[2].influences->row(3)), {{kA, .6}, {kB, .25}, {kC, .15}});
  expect_weights(weights_in(mesh.primitives[0].influences->row(0)), {{kA, .25}, {kB, .5}, {kC, .25}});
}

TEST(Dab, PaintedJointsEnterFullRows) {
  Mesh mesh;
  mesh.primitives.push_back(grid_of(2, 2, 1, [](int, int) { return Weights{{kA, .4}, {kB, .3}, {kC, .2}, {4, .1}}; }));
  const auto surface = welded_surface(mesh);
  const std::vector<std::uint32_t> places = {0};
  const std::vector<float> amounts = {1};
  apply_patches(mesh, dabbed_weights(*surface, rows_of_mesh(mesh),
                                     {.places = places, .amounts = amounts, .value = 0.05f, .joint = kD, .limit = 4}));
  const Weights after = weights_in(mesh.primitives[0].influences->row(0));
  EXPECT_EQ(after.size(), 4u);
  EXPECT_FALSE(after.contains(4));
  // The painted joint has what was painted, and the others what the dropped one had, by their shares.
  expect_weights(after, {{kA, .95 * 4 / 9}, {kB, .95 * 3 / 9}, {kC, .95 * 2 / 9}, {kD, .05}});
}

TEST(EditedWeights, RowsThatDifferAtASeamMayStayDifferent) {
  Mesh mesh;
  mesh.primitives.push_back(grid_of(2, 2, 1, [](int, int) { return Weights{{kA, .75}, {kB, .25}}; }));
  mesh.primitives.push_back(grid_of(2, 2, 1, [](int, int) { return Weights{{kA, .5}, {kB, .5}}; }));
  const auto surface = welded_surface(mesh);
  const std::vector<std::uint32_t> places = {0, 1, 2, 3};
  const Mesh before = mesh;
  const RowEdit swap = [](std::size_t, WeightRow& row) { row.swap(kA, kB); };
  apply_patches(mesh, edited_weights(*surface, rows_of_mesh(mesh), places, {}, Copies::kEach, swap));
  expect_weights(weights_in(mesh.primitives[0].influences->row(1)), {{kA, .25}, {kB, .75}});
  EXPECT_TRUE(mesh.primitives[1].influences == before.primitives[1].influences);
  apply_patches(mesh, edited_weights(*surface, rows_of_mesh(mesh), places, {}, Copies::kEach, swap));
  EXPECT_TRUE(mesh.primitives[0].influences == before.primitives[0].influences);
}

TEST(EditedWeights, KeepAsManyInfluencesAsEveryCopyMayHave) {
  Mesh mesh;
  for (const std::uint32_t budget : {4U, 8U}) {  // at the same places
    mesh.primitives.push_back(grid_of(2, 2, 1, [](int, int) { return Weights{{kA, .75}, {kB, .25}}; }));
    mesh.primitives.edit(mesh.primitives.size() - 1).influences.edit().set_budget(budget);
  }
  const auto surface = welded_surface(mesh);
  const std::vector<std::uint32_t> places = {0, 1};
  const std::vector<WeightEntry> wanted = {{kA, .3}, {kB, .25}, {kC, .2}, {kD, .15}, {4, .06}, {5, .04}};
  const RowEdit give = [&](std::size_t, WeightRow& row) { row.towards(wanted, 1); };
  const auto patches = edited_weights(*surface, rows_of_mesh(mesh), places, {}, Copies::kTogether, give);
  apply_patches(mesh, patches);
  for (const Primitive& primitive : mesh.primitives) {
    expect_weights(weights_in(primitive.influences->row(1)),
                   {{kA, .3 / .9}, {kB, .25 / .9}, {kC, .2 / .9}, {kD, .15 / .9}});
    EXPECT_EQ(primitive.influences->count(3), 2u);
  }
  EXPECT_TRUE(same_row(mesh.primitives[0].influences->row(0), mesh.primitives[1].influences->row(0)));
  ASSERT_EQ(patches[0].cuts.size(), 2u);
  EXPECT_NEAR(patches[0].cuts[1].lost, 0.1, 1e-6);
  EXPECT_EQ(patches[0].cuts[1].vertex, 1u);
  // One that has more already keeps as many, and an edit may have a limit of its own.
  mesh.primitives.edit(0).influences.edit().put_row(
      2, one_row({{0, .3}, {1, .2}, {2, .2}, {3, .1}, {4, .1}, {5, .1}}).row(0));
  mesh.primitives.edit(1).influences.edit().put_row(2, mesh.primitives[0].influences->row(2));
  const std::vector<std::uint32_t> third = {2, 3};
  const RowEdit free = [&](std::size_t t, WeightRow& row) {
    row.set_most(t == 1 ? 5 : row.most());
    row.towards(wanted, 0.5);
  };
  apply_patches(mesh, edited_weights(*surface, rows_of_mesh(mesh), third, {}, Copies::kTogether, free));
  EXPECT_EQ(mesh.primitives[0].influences->count(2), 6u);
  EXPECT_EQ(mesh.primitives[1].influences->count(3), 5u);
}

TEST(EditedWeights, PaintingUnderLocksDoesNotDropTheHeaviest) {
  Mesh mesh;
  mesh.primitives.push_back(grid_of(2, 2, 1, [](int, int) { return Weights{{kA, .2}, {kB, .2}, {kC, .2}, {4, .4}}; }));
  mesh.primitives.edit(0).influences.edit().set_budget(4);
  const auto surface = welded_surface(mesh);
  const std::vector<std::uint32_t> places = {0};
  const std::vector<float> amounts = {1};
  const std::vector<std::uint16_t> locked = {kA, kB, kC};
  apply_patches(mesh,
                dabbed_weights(*surface, rows_of_mesh(mesh),
                               {.places = places, .amounts = amounts, .value = 0.05f, .joint = kD, .locked = locked}));
  expect_weights(weights_in(mesh.primitives[0].influences->row(0)), {{kA, .2}, {kB, .2}, {kC, .2}, {4, .4}});
}

TEST(EditedWeights, AreTheSameForAnyNumberOfThreads) {
  Mesh mesh;
  mesh.primitives.push_back(grid_of(60, 60, 1, [](int x, int y) {
    return Weights{{kA, 1 + x % 7}, {kB, 1 + y % 5}, {kC, 1 + (x * y) % 3}};
  }));
  const auto surface = welded_surface(mesh);
  std::vector<std::uint32_t> places(surface->place_count());
  std::iota(places.begin(), places.end(), 0u);
  const std::vector<float> amounts(places.size(), 0.3f);
  const Dab dab = {.mode = DabMode::kSharpen, .places = places, .amounts = amounts};
  const auto made = [&](int threads) {
    set_thread_limit(threads);
    Mesh copy = mesh;
    apply_patches(copy, dabbed_weights(*surface, rows_of_mesh(mesh), dab));
    return copy;
  };
  const Mesh alone = made(1);
  const Mesh together = made(4);
  set_thread_limit(0);
  EXPECT_TRUE(*alone.primitives[0].influences == *together.primitives[0].influences);
  EXPECT_FALSE(*alone.primitives[0].influences == *mesh.primitives[0].influences);
}

// One straight stroke of a second with so many events, of ten radii, over a plane whose left half follows A.
Mesh stroked(const Mesh& mesh, DabMode mode, bool airbrush, int rate) {
  constexpr double kRadius = 0.1;
  const auto surface = welded_surface(mesh);
  const PlacePosition position = [&](std::uint32_t w) { return surface->position(w); };
  const StrokeSpacing spacing = {.radius = kRadius, .airbrush = airbrush};
  Stroke stroke(spacing);
  Mesh out = mesh;
  const std::vector<WeightEntry> target = {{kC, 1}};
  const float value = mode == DabMode::kReplace ? 0.9f : mode == DabMode::kScale ? 0.4f : 0.5f;
  for (int event = 0; event <= rate; ++event) {
    const double time = static_cast<double>(event) / rate;
    for (const StrokeDab& dab : stroke.add({{0.2 + 10 * kRadius * time, 0.2, 0}, time})) {
      std::vector<std::uint32_t> places;
      std::vector<float> amounts;
      for (std::uint32_t w = 0; w < surface->place_count(); ++w) {
        const double distance = glm::length(glm::dvec3(position(w)) - dab.position);
        const auto falloff =
            static_cast<double>(brush_falloff(static_cast<float>(distance), static_cast<float>(kRadius)));
        if (falloff > 0) {
          places.push_back(w);
          amounts.push_back(static_cast<float>(dab_amount(mode, spacing, 0.3 * falloff, dab, double{value})));
        }
      }
      apply_patches(out, dabbed_weights(*surface, rows_of_mesh(out),
                                        {.mode = mode,
                                         .places = places,
                                         .amounts = amounts,
                                         .value = value,
                                         .joint = kB,
                                         .first = target,
                                         .second = target,
                                         .threshold = 0}));
    }
  }
  return out;
}

double weight_at(const Mesh& mesh, std::size_t v, int joint) {
  const Weights weights = weights_in(mesh.primitives[0].influences->row(v));
  return weights.contains(joint) ? weights.at(joint) : 0;
}

TEST(Stroke, C39_7_StrokesDoNotDependOnTheRateOfEvents) {
  Mesh mesh;
  mesh.primitives.push_back(grid_of(70, 20, 0.02f, [](int x, int) {
    const double wave = 0.4 + 0.3 * std::sin(x * 1.5);
    return Weights{{kA, 1 - wave}, {kB, wave}};
  }));
  for (const bool airbrush : {false, true}) {
    for (const DabMode mode : {DabMode::kAdd, DabMode::kSubtract, DabMode::kReplace, DabMode::kScale, DabMode::kSmooth,
                               DabMode::kSharpen, DabMode::kBlend}) {
      SCOPED_TRACE(testing::Message() << "mode " << static_cast<int>(mode) << (airbrush ? ", airbrush" : ", spaced"));
      const Mesh slow = stroked(mesh, mode, airbrush, 30);
      const Mesh fast = stroked(mesh, mode, airbrush, 144);
      double largest = 0;
      double difference = 0;
      for (std::size_t v = 0; v < mesh.primitives[0].vertex_count(); ++v) {
        largest = std::max(largest, std::abs(weight_at(slow, v, kB) - weight_at(mesh, v, kB)));
        difference = std::max(difference, std::abs(weight_at(slow, v, kB) - weight_at(fast, v, kB)));
      }
      EXPECT_GT(largest, 0.01);
      EXPECT_LE(difference, 0.02 * largest);
    }
  }
}

TEST(Stroke, ABrushThatStandsStillAddsOnlyAsAnAirbrush) {
  for (const bool airbrush : {false, true}) {
    Stroke stroke({.radius = 1, .airbrush = airbrush, .rate = 10});
    double sum = 0;
    for (int event = 0; event <= 60; ++event) {
      for (const StrokeDab& dab : stroke.add({{1, 2, 3}, event / 60.0})) {
        EXPECT_EQ(dab.position, glm::dvec3(1, 2, 3));
        sum += dab.share;
      }
    }
    EXPECT_NEAR(sum, airbrush ? 10 : 1, 1e-9);
  }
}

TEST(Stroke, DabsLieAShareOfTheRadiusApartWhateverTheEvents) {
  const auto places = [](const std::vector<double>& events) {
    Stroke stroke({.radius = 2, .share = 0.25});
    std::vector<double> out;
    double time = 0;
    for (const double x : events) {
      for (const StrokeDab& dab : stroke.add({{x, 0, 0}, time += 0.01})) {
        out.push_back(dab.position.x);
      }
    }
    return out;
  };
  const auto near = [](double x) { return testing::DoubleNear(x, 1e-9); };
  EXPECT_THAT(places({0, 2}), ElementsAre(near(0), near(.5), near(1), near(1.5), near(2)));
  EXPECT_THAT(places({0, .1, .2, .3, .4, .7, 1.9, 1.99}), ElementsAre(near(0), near(.5), near(1), near(1.5)));
  EXPECT_THAT(places({0, std::nan(""), .6}), ElementsAre(near(0), near(.5)));
  std::vector<double> many;
  for (int k = 0; k <= 1000; ++k) {
    many.push_back(k * 0.01);
  }
  EXPECT_EQ(places(many).size(), 21u);
}

}  // namespace
}  // namespace pelt::mesh
