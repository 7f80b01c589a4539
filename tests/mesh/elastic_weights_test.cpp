// Relaxed weights, ALGORITHMS.md §40, on a sheet whose patch is moved by several joints.
#include "mesh/elastic_weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <glm/gtc/matrix_transform.hpp>

#include "math/polar.h"
#include "support/fixtures.h"

namespace pelt::mesh {
namespace {

constexpr int kSheetSide = 9;  // places along an edge of the sheet
constexpr std::uint16_t kSheetJoints = 3;

// A sheet of triangles, not quite flat; places of its middle 5 by 5 are the patch.
class Sheet {
 public:
  explicit Sheet(double scale) {
    Primitive& primitive = mesh_.primitives.emplace_back();
    for (int y = 0; y < kSheetSide; ++y) {
      for (int x = 0; x < kSheetSide; ++x) {
        const double height = 0.3 * std::sin(0.7 * x) * std::cos(0.9 * y);
        primitive.positions.push_back(
            glm::vec3(scale * glm::dvec3(x + 0.6 * std::sin(1.3 * x), y + 0.5 * std::cos(1.7 * y), height)));
        push({1, 0, 0});
      }
    }
    for (int y = 0; y + 1 < kSheetSide; ++y) {
      for (int x = 0; x + 1 < kSheetSide; ++x) {
        const auto at = static_cast<std::uint32_t>(y * kSheetSide + x);
        primitive.indices.append({at, at + 1, at + kSheetSide + 1});
        primitive.indices.append({at, at + kSheetSide + 1, at + kSheetSide});
      }
    }
  }
  void set(std::uint32_t v, const std::array<double, kSheetJoints>& weights) {
    const std::array<std::uint16_t, kSheetJoints> joints = {0, 1, 2};
    const std::array<float, kSheetJoints> floats = {static_cast<float>(weights[0]), static_cast<float>(weights[1]),
                                                    static_cast<float>(weights[2])};
    mesh_.primitives.edit(0).influences.edit().set_row(v, joints, floats);
  }
  [[nodiscard]] double weight(std::uint32_t v, std::uint16_t joint) const {
    const InfluenceRow row = mesh_.primitives[0].influences->row(v);
    double out = 0;
    for (std::size_t k = 0; k < row.joints.size(); ++k) {
      out += row.joints[k] == joint ? static_cast<double>(row.weights[k]) : 0;
    }
    return out;
  }
  void relax(const Relaxing& relaxing) {
    const auto surface = welded_surface(mesh_);
    const std::array rows = {&*mesh_.primitives[0].influences};
    const std::vector<InfluencesPatch> patches = relaxed_weights(*surface, rows, relaxing);
    Shared<Influences>& own = mesh_.primitives.edit(0).influences;
    own = patched(*own, patches[0]);
  }
  [[nodiscard]] const Mesh& mesh() const { return mesh_; }
  void set_budget(std::uint32_t influences) { mesh_.primitives.edit(0).influences.edit().set_budget(influences); }

 private:
  void push(const std::array<float, kSheetJoints>& weights) {
    const std::array<std::uint16_t, kSheetJoints> joints = {0, 1, 2};
    append_row(mesh_.primitives.edit(0).influences.edit(), joints, weights);
  }
  Mesh mesh_;
};

// The places that are relaxed, all alike.
struct Patch {
  Patch() {
    for (std::uint32_t y = 2; y < kSheetSide - 2; ++y) {
      for (std::uint32_t x = 2; x < kSheetSide - 2; ++x) {
        places.push_back(y * kSheetSide + x);
      }
    }
    amounts.assign(places.size(), 1.0f);
  }
  std::vector<std::uint32_t> places;
  std::vector<float> amounts;
};

// Skin matrices of the joints in some poses.
struct Poses {
  std::vector<std::array<glm::dmat4, kSheetJoints>> matrices;
  [[nodiscard]] std::vector<std::span<const glm::dmat4>> spans() const { return {matrices.begin(), matrices.end()}; }
};

// Joints that turn and move at random about the sheet's middle.
Poses random_sheet_poses(test::Random& random, int count, double scale) {
  Poses out;
  for (int p = 0; p < count; ++p) {
    std::array<glm::dmat4, kSheetJoints>& pose = out.matrices.emplace_back();
    for (glm::dmat4& matrix : pose) {
      const glm::dvec3 middle = scale * glm::dvec3(4, 4, 0);
      matrix = glm::translate(glm::dmat4(1), middle + scale * random.dvector(-1, 1)) *
               glm::rotate(glm::dmat4(1), random.real(-0.8, 0.8), glm::normalize(random.dvector(0.1, 1))) *
               glm::translate(glm::dmat4(1), -middle);
    }
  }
  return out;
}

void scatter(Sheet& sheet, const Patch& patch, test::Random& random) {
  for (const std::uint32_t v : patch.places) {
    const double a = random.real(0.0, 1.0);
    const double b = random.real(0.0, 1.0 - a);
    sheet.set(v, {a, b, 1 - a - b});
  }
}

// The energy of the sheet's cells that have a place of the patch: by the definition, each cell with its best turn.
double energy(const Sheet& sheet, const Patch& patch, const Poses& poses) {
  const auto surface = welded_surface(sheet.mesh());
  const auto count = static_cast<std::uint32_t>(surface->place_count());
  double sum = 0;
  for (const auto& pose : poses.matrices) {
    std::vector<glm::dvec3> at;
    for (std::uint32_t v = 0; v < count; ++v) {
      glm::dvec3 x(0);
      for (std::uint16_t k = 0; k < kSheetJoints; ++k) {
        x += sheet.weight(v, k) * glm::dvec3(pose[k] * glm::dvec4(surface->position(v), 1));
      }
      at.push_back(x);
    }
    for (std::uint32_t v = 0; v < count; ++v) {
      const auto neighbors = surface->adjacency.neighbors(v);
      const auto is_inside = [&](std::uint32_t w) { return std::ranges::find(patch.places, w) != patch.places.end(); };
      if (!is_inside(v) && std::ranges::none_of(neighbors, is_inside)) {
        continue;
      }
      glm::dmat3 covariance(0);
      for (const std::uint32_t u : neighbors) {
        const glm::dvec3 rest = glm::dvec3(surface->position(u)) - glm::dvec3(surface->position(v));
        covariance += glm::outerProduct((at[u] - at[v]) / glm::dot(rest, rest), rest);
      }
      const SingularValues parts = singular_values(covariance);
      const glm::dmat3 turn = parts.u * glm::transpose(parts.v);
      for (const std::uint32_t u : neighbors) {
        const glm::dvec3 rest = glm::dvec3(surface->position(u)) - glm::dvec3(surface->position(v));
        const glm::dvec3 off = at[u] - at[v] - turn * rest;
        sum += glm::dot(off, off) / glm::dot(rest, rest);
      }
    }
  }
  return sum;
}

Relaxing relaxing_of(const Patch& patch, std::span<const std::span<const glm::dmat4>> poses, int passes) {
  Relaxing out;
  out.places = patch.places;
  out.amounts = patch.amounts;
  out.poses = poses;
  out.passes = passes;
  return out;
}

TEST(RelaxedWeights, C40_5_APatchInAStiffSheetGoesWithTheSheet) {
  test::Random random(5);
  Sheet sheet(1);
  const Patch patch;
  scatter(sheet, patch, random);
  const Poses poses = random_sheet_poses(random, 3, 1);
  EXPECT_GT(energy(sheet, patch, poses), 1);
  sheet.relax(relaxing_of(patch, poses.spans(), 200));
  for (const std::uint32_t v : patch.places) {
    EXPECT_NEAR(sheet.weight(v, 0), 1, 1e-5) << v;
  }
  EXPECT_NEAR(energy(sheet, patch, poses), 0, 1e-8);
}

TEST(RelaxedWeights, Law_NoPassRaisesTheEnergy) {
  test::Random random(6);
  for (int n = 0; n < 12; ++n) {
    SCOPED_TRACE(n);
    Sheet before(1);
    const Patch patch;
    scatter(before, patch, random);
    // What lies round it follows several joints as well.
    for (std::uint32_t v = 0; v < kSheetSide * kSheetSide; ++v) {
      if (std::ranges::find(patch.places, v) == patch.places.end()) {
        const double a = 0.5 + 0.4 * std::sin(0.5 * static_cast<double>(v % kSheetSide));
        before.set(v, {a, (1 - a) * 0.7, (1 - a) * 0.3});
      }
    }
    const Poses poses = random_sheet_poses(random, 1 + random.below(3), 1);
    double last = energy(before, patch, poses);
    for (const int passes : {1, 2, 3, 5, 8, 12}) {
      Sheet after = before;
      after.relax(relaxing_of(patch, poses.spans(), passes));
      const double now = energy(after, patch, poses);
      EXPECT_LE(now, last * (1 + 1e-6)) << passes;
      last = now;
    }
    EXPECT_LT(last, 0.8 * energy(before, patch, poses));
  }
}

TEST(RelaxedWeights, Law_NoRowGetsMoreInfluencesThanItMay) {
  test::Random random(9);
  for (const int budget : {1, 2}) {
    Sheet before(1);
    const Patch patch;
    for (const std::uint32_t v : patch.places) {
      std::array<double, kSheetJoints> weights = {};
      weights[static_cast<std::size_t>(random.below(kSheetJoints))] = 1;
      before.set(v, weights);
    }
    before.set_budget(static_cast<std::uint32_t>(budget));
    const Poses poses = random_sheet_poses(random, 2, 1);
    const auto spans = poses.spans();
    Sheet after = before;
    Relaxing relaxing = relaxing_of(patch, spans, 8);
    const std::array<std::uint16_t, 3> more = {0, 1, 2};
    relaxing.more = more;
    after.relax(relaxing);
    int moved = 0;
    for (const std::uint32_t v : patch.places) {
      int count = 0;
      for (std::uint16_t k = 0; k < kSheetJoints; ++k) {
        count += after.weight(v, k) > 0 ? 1 : 0;
        moved += std::abs(after.weight(v, k) - before.weight(v, k)) > 0.5 ? 1 : 0;
      }
      EXPECT_LE(count, budget) << v;
    }
    EXPECT_GT(moved, 4) << budget;
    EXPECT_LT(energy(after, patch, poses), 0.7 * energy(before, patch, poses)) << budget;
  }
}

TEST(RelaxedWeights, Law_UnitsAndTheTurnOfTheWholeDoNotMatter) {
  for (const double scale : {1.0, 0.01, 100.0}) {
    for (const bool is_turned : {false, true}) {
      test::Random random(7);
      Sheet one(1);
      Sheet other(scale);
      const Patch patch;
      test::Random again = random;
      scatter(one, patch, random);
      scatter(other, patch, again);
      const Poses poses = random_sheet_poses(random, 2, 1);
      Poses scaled = random_sheet_poses(again, 2, scale);
      for (auto& pose : scaled.matrices) {
        for (glm::dmat4& matrix : pose) {
          matrix = (is_turned ? glm::rotate(glm::dmat4(1), 1.1, glm::dvec3(0.6, 0, 0.8)) : glm::dmat4(1)) * matrix;
        }
      }
      one.relax(relaxing_of(patch, poses.spans(), 6));
      Relaxing relaxing = relaxing_of(patch, {}, 6);
      const auto spans = scaled.spans();
      relaxing.poses = spans;
      relaxing.coincident *= scale;
      other.relax(relaxing);
      for (const std::uint32_t v : patch.places) {
        EXPECT_NEAR(one.weight(v, 0), other.weight(v, 0), 2e-5) << v << " of scale " << scale;
      }
    }
  }
}

TEST(RelaxedWeights, StretchedUnitsAreThoseOfTheReference) {
  // The mesh is stored ten times as large as the joints show it: with the reference said, nothing is to be changed.
  const Patch patch;
  Poses poses;
  poses.matrices.push_back({});
  for (glm::dmat4& matrix : poses.matrices[0]) {
    matrix = glm::scale(glm::dmat4(1), glm::dvec3(0.1));
  }
  poses.matrices[0][1] = glm::rotate(glm::dmat4(1), 0.5, glm::dvec3(0, 0, 1)) * poses.matrices[0][1];
  const auto spans = poses.spans();
  Sheet sheet(10);
  Relaxing relaxing = relaxing_of(patch, spans, 4);
  relaxing.reference = glm::dmat3(0.1);
  relaxing.more = {};
  const std::array<std::uint16_t, 1> more = {1};
  relaxing.more = more;
  sheet.relax(relaxing);
  for (const std::uint32_t v : patch.places) {
    EXPECT_NEAR(sheet.weight(v, 0), 1, 1e-6) << v;
  }
}

TEST(RelaxedWeights, LocksAmountsAndEmptyPatchesAreKept) {
  test::Random random(8);
  Sheet before(1);
  Patch patch;
  scatter(before, patch, random);
  const Poses poses = random_sheet_poses(random, 2, 1);
  const auto spans = poses.spans();
  Sheet locked = before;
  Relaxing relaxing = relaxing_of(patch, spans, 4);
  const std::array<std::uint16_t, 1> one = {2};
  relaxing.locked = one;
  locked.relax(relaxing);
  double change = 0;
  for (const std::uint32_t v : patch.places) {
    EXPECT_EQ(locked.weight(v, 2), before.weight(v, 2)) << v;
    change += std::abs(locked.weight(v, 0) - before.weight(v, 0));
  }
  EXPECT_GT(change, 0.1);
  // A place with half the amount keeps nearer to where it was than one with all.
  Sheet whole = before;
  whole.relax(relaxing_of(patch, spans, 8));
  std::ranges::fill(patch.amounts, 0.2f);
  Sheet little = before;
  little.relax(relaxing_of(patch, spans, 8));
  double far = 0;
  double near = 0;
  for (const std::uint32_t v : patch.places) {
    far += std::abs(whole.weight(v, 0) - before.weight(v, 0));
    near += std::abs(little.weight(v, 0) - before.weight(v, 0));
  }
  EXPECT_LT(near, 0.7 * far);
  EXPECT_GT(near, 0);
  Sheet untouched = before;
  untouched.relax({});
  std::ranges::fill(patch.amounts, 0.0f);
  untouched.relax(relaxing_of(patch, spans, 4));
  EXPECT_EQ(*untouched.mesh().primitives[0].influences, *before.mesh().primitives[0].influences);
}

}  // namespace
}  // namespace pelt::mesh
