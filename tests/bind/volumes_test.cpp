
#include <gtest/gtest.h>

#include "bind/containment.h"
#include "bind/joint_volumes.h"
#include "bind/volumes.h"
#include "support/binding.h"
#include "support/fixtures.h"

namespace pelt::bind {
namespace {

Volume capsule(std::size_t bone, const glm::dvec3& head, const glm::dvec3& tail, double radius) {
  const glm::dvec3 x = glm::normalize(tail - head);
  const glm::dvec3 y = std::abs(x.y) < 0.9 ? glm::normalize(glm::cross({0, 1, 0}, x)) : glm::dvec3(0, 0, 1);
  return {.kind = VolumeKind::kCapsule,
          .bone = bone,
          .center = 0.5 * (head + tail),
          .axes = {x, y, glm::cross(x, y)},
          .half = {0.5 * glm::length(tail - head), radius, radius},
          .head_radius = radius,
          .tail_radius = radius};
}

const std::vector<Volume> kElbow = {capsule(0, {0, 0, 0}, {4, 0, 0}, 1.5), capsule(1, {4, 0, 0}, {8, 0, 0}, 1.0)};

Problem points_to_bind(std::vector<glm::dvec3> positions) {
  Problem problem;
  problem.positions = std::move(positions);
  problem.bones = {test::bone_between({0, 0, 0}, {4, 0, 0}), test::bone_between({4, 0, 0}, {8, 0, 0}, 0)};
  finish(problem);
  return problem;
}

// A volume of each kind, turned and moved by no round numbers, and as sizes another one for each axis.
std::vector<Volume> odd_volumes(test::Random& random) {
  std::vector<Volume> volumes;
  for (std::size_t kind = 0; kind < kVolumeKindCount; ++kind) {
    volumes.push_back({.kind = static_cast<VolumeKind>(kind),
                       .bone = 0,
                       .center = random.dvector(-2, 2),
                       .axes = glm::mat3_cast(random.rotation()),
                       .half = {random.real(0.5, 2.0), random.real(0.2, 1.0), random.real(0.2, 1.0)},
                       .head_radius = random.real(0.2, 1.0),
                       .tail_radius = random.real(0.2, 1.0)});
  }
  return volumes;
}

TEST(Volumes, C31_1_TheElbowsCapsules) {
  const glm::dvec3 p(3, 1, 0);
  EXPECT_NEAR(score(kElbow[0], p), 0.666667, 1e-6);
  EXPECT_NEAR(score(kElbow[1], p), 1.414214, 1e-6);
  const Problem problem = points_to_bind({p});
  const ContainmentSolver solver(problem);
  EXPECT_EQ(solver.bind(kElbow, {.soft = false})->rows.weight(0, 0), 1);
  EXPECT_EQ(solver.bind(kElbow, {.soft = true, .range = 1})->rows.weight(0, 0), 1);
  const auto raw = [&](double s, double range) { return std::pow(std::max(0.0, 1 - s * s / range / range), 2); };
  EXPECT_NEAR(raw(score(kElbow[0], p), 1), 0.308642, 1e-6);
  EXPECT_NEAR(raw(score(kElbow[0], p), 2), 0.790123, 1e-6);
  const Binding soft = *solver.bind(kElbow, {.soft = true, .range = 2});
  EXPECT_NEAR(soft.rows.weight(0, 0), 0.759644, 1e-6);
  EXPECT_NEAR(soft.rows.weight(0, 1), 0.240356, 1e-6);
  EXPECT_EQ(soft.cause[0], Cause::kSolved);
}

TEST(Volumes, C31_2_Ellipsoids) {
  const Volume upper{.kind = VolumeKind::kEllipsoid, .center = {2, 0, 0}, .half = {2.5, 1.5, 1.5}};
  const Volume lower{.kind = VolumeKind::kEllipsoid, .center = {6, 0, 0}, .half = {2.5, 1, 1}};
  EXPECT_NEAR(score(upper, {3, 1, 0}), 0.777460, 1e-6);
  EXPECT_NEAR(score(lower, {3, 1, 0}), 1.562050, 1e-6);
}

TEST(Volumes, ScoresByHand) {
  const Volume cylinder{.kind = VolumeKind::kCylinder, .half = {2, 0, 0}, .head_radius = 0.5};
  EXPECT_NEAR(score(cylinder, {1, 0.25, 0}), 0.5, 1e-12);
  EXPECT_NEAR(score(cylinder, {-3, 0.25, 0}), 1.5, 1e-12);
  EXPECT_NEAR(score(cylinder, {0, 0.3, 0.4}), 1, 1e-12);
  const Volume box{.kind = VolumeKind::kBox, .half = {1, 2, 4}};
  EXPECT_NEAR(score(box, {0.5, -1.5, 1}), 0.75, 1e-12);
  EXPECT_NEAR(score(box, {0.5, 0, -6}), 1.5, 1e-12);
  Volume taper = capsule(0, {0, 0, 0}, {4, 0, 0}, 1);
  taper.tail_radius = 0.5;
  EXPECT_NEAR(score(taper, {2, 0.75, 0}), 1, 1e-12);
  EXPECT_NEAR(score(taper, {4.5, 0, 0}), 1, 1e-12);
  EXPECT_NEAR(score(taper, {-1, 0, 0}), 1, 1e-12);
  const Volume sphere{.kind = VolumeKind::kSphere, .center = {1, 0, 0}, .half = {2, 0, 0}};
  EXPECT_NEAR(score(sphere, {1, 1, 0}), 0.5, 1e-12);
  // Without any size everything is far out, but a number.
  for (std::size_t kind = 0; kind < kVolumeKindCount; ++kind) {
    const Volume nothing{.kind = static_cast<VolumeKind>(kind), .half = {0, 0, 0}, .head_radius = 0, .tail_radius = 0};
    EXPECT_GT(score(nothing, {1, 1, 1}), 1e6);
    EXPECT_TRUE(std::isfinite(score(nothing, {1, 1, 1})));
    EXPECT_EQ(score(nothing, {0, 0, 0}), 0);
  }
}

TEST(Volumes, C31_3_MovingEverythingChangesNothing) {
  test::Random random(31);
  const Problem problem = test::fingers_to_bind();
  const glm::dmat3 turn = glm::mat3_cast(random.rotation());
  const glm::dvec3 by = random.dvector(-5, 5);
  Problem moved = problem;
  for (glm::dvec3& p : moved.positions) {
    p = turn * p + by;
  }
  finish(moved);
  for (std::size_t kind = 0; kind < kVolumeKindCount; ++kind) {
    std::vector<Volume> volumes = fitted_volumes(problem, static_cast<VolumeKind>(kind));
    for (const Containment& how : {Containment{}, Containment{.soft = false, .passes = 3}, Containment{.range = 1}}) {
      const Binding here = *ContainmentSolver(problem).bind(volumes, how);
      std::vector<Volume> carried = volumes;
      for (Volume& volume : carried) {
        volume.center = turn * volume.center + by;
        volume.axes = turn * volume.axes;
      }
      const Binding there = *ContainmentSolver(moved).bind(carried, how);
      EXPECT_LT(test::largest_difference(here.rows, there.rows), 1e-6) << kind;
      for (std::size_t w = 0; w < problem.place_count(); ++w) {
        double sum = 0;
        for (const Share& share : here.rows[w]) {
          sum += share.weight;
        }
        ASSERT_NEAR(sum, 1, 1e-12);
      }
    }
  }
}

TEST(Volumes, C31_4_SurfacePointsScoreOne) {
  test::Random random(314);
  for (int round = 0; round < 20; ++round) {
    for (const Volume& volume : odd_volumes(random)) {
      for (const glm::dvec3& p : surface_points(volume, 12, 16)) {
        ASSERT_NEAR(score(volume, p), 1, 1e-9) << static_cast<int>(volume.kind);
      }
      for (int i = 0; i < 20; ++i) {
        ASSERT_NEAR(score(volume, on_surface(volume, random.dvector(-4, 4))), 1, 1e-9);
      }
      EXPECT_NEAR(score(volume, on_surface(volume, volume.center)), 1, 1e-9);
    }
  }
}

// What is drawn lies on the surface, straight lines of what is straight along the axis included.
TEST(Volumes, OutlinesLieOnTheSurface) {
  test::Random random(3141);
  for (int round = 0; round < 10; ++round) {
    for (const Volume& volume : odd_volumes(random)) {
      const std::vector<std::vector<glm::dvec3>> lines = outlines(volume);
      ASSERT_GE(lines.size(), 3u);
      for (const std::vector<glm::dvec3>& line : lines) {
        ASSERT_GE(line.size(), 2u);
        for (const glm::dvec3& p : line) {
          ASSERT_NEAR(score(volume, p), 1, 1e-9) << static_cast<int>(volume.kind);
        }
        if (line.size() == 2) {
          ASSERT_NEAR(score(volume, 0.3 * line[0] + 0.7 * line[1]), 1, 1e-9) << static_cast<int>(volume.kind);
        }
      }
    }
  }
}

TEST(Volumes, InTheMirrorScoresAreThoseOfTheMirroredPoint) {
  test::Random random(3142);
  const glm::dvec3 normal = glm::normalize(random.dvector(-1, 1));
  const double offset = 0.3;
  const auto image = [&](const glm::dvec3& p) { return p - 2 * (glm::dot(normal, p) - offset) * normal; };
  for (const Volume& volume : odd_volumes(random)) {
    const Volume other = mirrored(volume, 7, normal, offset);
    EXPECT_EQ(other.bone, 7u);
    EXPECT_NEAR(glm::determinant(other.axes), 1, 1e-12);
    for (int i = 0; i < 50; ++i) {
      const glm::dvec3 p = random.dvector(-3, 3);
      ASSERT_NEAR(score(other, image(p)), score(volume, p), 1e-9) << static_cast<int>(volume.kind);
    }
    const Volume again = mirrored(other, volume.bone, normal, offset);
    EXPECT_NEAR(score(again, {1, 2, 3}), score(volume, {1, 2, 3}), 1e-9);
  }
}

TEST(Volumes, BetweenOtherEnds) {
  test::Random random(3143);
  for (const Volume& volume : odd_volumes(random)) {
    const glm::dvec3 head = random.dvector(-2, 2);
    const glm::dvec3 tail = random.dvector(-2, 2);
    const Volume there = between(volume, head, tail);
    EXPECT_LT(glm::distance(there.center - there.half.x * there.axes[0], head), 1e-9);
    EXPECT_LT(glm::distance(there.center + there.half.x * there.axes[0], tail), 1e-9);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(glm::length(there.axes[i]), 1, 1e-12);
      EXPECT_NEAR(glm::dot(there.axes[i], there.axes[(i + 1) % 3]), 0, 1e-12);
    }
    EXPECT_NEAR(glm::determinant(there.axes), 1, 1e-12);
    EXPECT_EQ(there.head_radius, volume.head_radius);
    EXPECT_EQ(there.half.z, volume.half.z);
    const Volume point = between(volume, head, head);
    EXPECT_EQ(point.axes, volume.axes) << "without a length its turn stays";
    EXPECT_EQ(point.half.x, 0);
  }
}

// Another kind is what fitting makes of that kind, where the radii are one: so are those of a tube.
TEST(Volumes, AnotherKindIsAsFittingMakesIt) {
  Problem problem;
  test::add_tube(problem, 0, 2, 20, 64, {}, 0.3, false);
  problem.bones = {test::bone_between({0, 0, 0}, {2, 0, 0})};
  finish(problem);
  test::Random random(3144);
  for (std::size_t from = 0; from < kVolumeKindCount; ++from) {
    const Volume fitted = fitted_volumes(problem, static_cast<VolumeKind>(from)).at(0);
    for (std::size_t to = 0; to < kVolumeKindCount; ++to) {
      const Volume wanted = fitted_volumes(problem, static_cast<VolumeKind>(to)).at(0);
      const Volume made = as_kind(fitted, static_cast<VolumeKind>(to));
      for (int i = 0; i < 20; ++i) {
        const glm::dvec3 p = random.dvector(-1, 3);
        ASSERT_NEAR(score(made, p), score(wanted, p), 1e-9) << from << " to " << to;
      }
    }
  }
}

TEST(Volumes, ThoseByHandStandInForAllOfABone) {
  const auto at = [](std::size_t bone, double x) { return Volume{.bone = bone, .center = {x, 0, 0}}; };
  const std::vector<Volume> fitted = {at(0, 1), at(1, 2), at(1, 3), at(3, 4)};
  EXPECT_EQ(with_volumes_by_hand(fitted, {}), fitted);
  const std::vector<Volume> by_hand = {at(1, 7), at(2, 8), at(2, 9), at(4, 10)};
  EXPECT_EQ(with_volumes_by_hand(fitted, by_hand),
            (std::vector{at(0, 1), at(1, 7), at(2, 8), at(2, 9), at(3, 4), at(4, 10)}));
  EXPECT_EQ(with_volumes_by_hand({}, by_hand), by_hand);
}

TEST(JointVolumes, HangOnTheirJointAndKeepTheirForm) {
  test::Random random(3145);
  for (const Volume& volume : odd_volumes(random)) {
    glm::dmat4 joint = glm::dmat4(glm::mat4_cast(glm::dquat(random.rotation())));
    joint[3] = glm::dvec4(random.dvector(-2, 2), 1);
    const glm::dmat4 larger = joint * glm::dmat4(glm::dmat3(100.0));
    for (const glm::dmat4& from_joint : {joint, larger, joint * glm::dmat4(glm::dmat3(1, 0, 0, 0, 1, 0, 0, 0, -1))}) {
      const JointVolume held = on_joint(volume, 5, from_joint);
      EXPECT_EQ(held.joint, 5);
      const Volume there = placed(held, 2, from_joint);
      EXPECT_EQ(there.bone, 2u);
      for (int i = 0; i < 20; ++i) {
        const glm::dvec3 p = random.dvector(-3, 3);
        ASSERT_NEAR(score(there, p), score(volume, p), 1e-4 * (1 + score(volume, p)));
      }
      // A rigid motion of the joint carries the volume along.
      glm::dmat4 by = glm::dmat4(glm::mat4_cast(glm::dquat(random.rotation())));
      by[3] = glm::dvec4(random.dvector(-2, 2), 1);
      const Volume moved = placed(held, 2, by * from_joint);
      const glm::dvec3 p = random.dvector(-3, 3);
      EXPECT_NEAR(score(moved, glm::dvec3(by * glm::dvec4(p, 1))), score(there, p), 1e-9 * (1 + score(there, p)));
    }
    EXPECT_TRUE(std::isfinite(score(placed(on_joint(volume, 0, glm::dmat4(0.0)), 0, glm::dmat4(0.0)), {1, 1, 1})));
  }
}

// The points that are drawn reach as far as the volume does.
TEST(Volumes, DrawnPointsReachBothEnds) {
  for (std::size_t kind = 0; kind < kVolumeKindCount; ++kind) {
    const Volume volume{.kind = static_cast<VolumeKind>(kind), .half = {2, 1, 1}, .head_radius = 1, .tail_radius = 0.5};
    const double head = is_capsule(volume.kind) ? -3 : -2;
    const double tail = volume.kind == VolumeKind::kCapsule ? 2.5 : is_capsule(volume.kind) ? 3 : 2;
    double least = 0;
    double most = 0;
    for (const glm::dvec3& p : surface_points(volume, 8, 8)) {
      least = std::min(least, p.x);
      most = std::max(most, p.x);
    }
    EXPECT_NEAR(least, head, 1e-9) << kind;
    EXPECT_NEAR(most, tail, 1e-9) << kind;
  }
}

TEST(Volumes, RadiiAreTheMedianDistance) {
  const Problem problem = test::fingers_to_bind();
  const std::vector<Volume> capsules = fitted_volumes(problem, VolumeKind::kCapsule);
  ASSERT_EQ(capsules.size(), 2u);
  // A loses what is nearer to B's bone, which lies at the same distance; the caps' centres lie on the bones.
  EXPECT_NEAR(capsules[0].head_radius, 0.3, 1e-9);
  EXPECT_NEAR(capsules[0].tail_radius, 0.3, 1e-9);
  const std::vector<Volume> twice = fitted_volumes(problem, VolumeKind::kCylinder, 2.0);
  EXPECT_NEAR(twice[0].head_radius, 0.6, 1e-9);
  EXPECT_NEAR(twice[0].half.x, 1, 1e-9);
  // A cone of radius 0.2 to 0.1 has a taper.
  Problem cone = test::cylinder_to_bind();
  for (glm::dvec3& p : cone.positions) {
    p = {p.x, p.y * (2 - p.x), p.z * (2 - p.x)};
  }
  cone.bones.resize(1);
  cone.bones[0].tails = {{1, 0, 0}};
  finish(cone);
  const Volume taper = fitted_volumes(cone, VolumeKind::kCapsule).at(0);
  EXPECT_NEAR(taper.head_radius, 0.175, 0.005);
  EXPECT_NEAR(taper.tail_radius, 0.125, 0.005);
}

TEST(Volumes, ABoneWithoutPlacesTakesTheRadiusAboveIt) {
  Problem problem = test::cylinder_to_bind();
  problem.bones.push_back(test::bone_between({5, 0, 0}, {7, 0, 0}, 1));
  finish(problem);
  const std::vector<Volume> volumes = fitted_volumes(problem, VolumeKind::kCapsule);
  EXPECT_NEAR(volumes[2].head_radius, 0.1, 1e-9);
}

TEST(Containment, HardTakesTheBestScoreAndSmoothsAcrossTheBorder) {
  const Problem problem = test::tube_to_bind(20, 8);
  const std::vector<Volume> volumes = fitted_volumes(problem, VolumeKind::kCapsule);
  const ContainmentSolver solver(problem);
  const Binding hard = *solver.bind(volumes, {.soft = false});
  for (std::size_t w = 0; w < problem.place_count(); ++w) {
    const double x = problem.positions[w].x;
    const double expected = std::abs(x) < 1e-9 ? 0.5 : x > 0 ? 1.0 : 0.0;
    EXPECT_EQ(hard.rows.weight(w, 1), expected) << w;
  }
  // A pass on regular rows of quads with one diagonal: two of six neighbours are on each neighbouring ring.
  const Binding smooth = *solver.bind(volumes, {.soft = false, .passes = 1});
  const std::size_t at = 9 * 8;  // the ring before the middle one
  EXPECT_NEAR(smooth.rows.weight(at, 1), 0.5 * 2 / 6 * 0.5, 1e-12);
  EXPECT_NEAR(smooth.rows.weight(at + 8, 1), 0.5, 1e-12);
  EXPECT_EQ(smooth.rows.weight(at - 8, 1), 0);
}

// A drag binds few places anew, and those as a whole binding does.
TEST(Containment, AfterADragIsAsBoundAnewBitForBit) {
  test::Random random(315);
  const Problem problem = test::fingers_to_bind();
  const ContainmentSolver solver(problem);
  for (const Containment& how : {Containment{}, Containment{.range = 0.6}, Containment{.soft = false},
                                 Containment{.soft = false, .passes = 3}}) {
    std::vector<Volume> volumes = fitted_volumes(problem, VolumeKind::kCapsule);
    std::optional<ContainedPlaces> now = solver.places(volumes, how);
    for (int step = 0; step < 40; ++step) {
      std::vector<Volume> next = volumes;
      Volume& dragged = next[static_cast<std::size_t>(random.below(2))];
      dragged = as_kind(dragged, static_cast<VolumeKind>(random.below(static_cast<int>(kVolumeKindCount))));
      dragged.center += random.dvector(-0.2, 0.2);
      dragged.head_radius *= random.real(0.5, 1.6);
      dragged.half.y *= random.real(0.5, 1.6);
      now = solver.places_after(*now, volumes, next, how);
      const Binding after = solver.binding(*now, how);
      const Binding anew = *solver.bind(next, how);
      ASSERT_EQ(after.rows, anew.rows) << step;
      ASSERT_EQ(after.cause, anew.cause) << step;
      ASSERT_EQ(after.remarks, anew.remarks) << step;
      volumes = std::move(next);
    }
  }
}

TEST(Containment, TheBinderTakesVolumesByHandForTheirBones) {
  Problem problem = test::fingers_to_bind();
  const Binder& binder = *find_binder("containment");
  const std::vector<double> values = standard_values(binder);
  const Binding fitted = *run(binder, problem, values);
  std::vector<Volume> volumes = fitted_volumes(problem, VolumeKind::kCapsule);
  problem.volumes = {capsule(1, {0, 0.45, 0}, {1, 0.45, 0}, 0.4)};
  const Binding by_hand = *run(binder, problem, values);
  volumes[1] = problem.volumes[0];
  EXPECT_EQ(by_hand.rows, ContainmentSolver(problem).bind(volumes, Containment{.passes = 4})->rows);
  EXPECT_NE(by_hand.rows, fitted.rows);
}

TEST(Containment, NumbersAndValuesAreTheSame) {
  const ContainmentNumbers numbers{VolumeKind::kBox, 1.5, {.soft = false, .range = 3, .passes = 7}};
  EXPECT_EQ(containment_numbers(containment_values(numbers)), numbers);
  EXPECT_EQ(containment_numbers(standard_values(*find_binder("containment"))).size, 1);
}

TEST(Containment, WhatNoVolumeReachesIsSaid) {
  const Problem problem = points_to_bind({{3, 1, 0}, {3, 50, 0}, {9, -40, 0}});
  const Binding binding = *ContainmentSolver(problem).bind(kElbow, {});
  EXPECT_EQ(binding.cause, (std::vector{Cause::kSolved, Cause::kNearest, Cause::kNearest}));
  EXPECT_EQ(binding.rows.strongest(2), 0u) << "40.3 / 1.5 against 40.0 radii";
  ASSERT_EQ(binding.remarks.size(), 1u);
  EXPECT_EQ(binding.remarks[0].places, 2u);
  EXPECT_EQ(binding.remarks[0].kind, RemarkKind::kFallback);
}

}  // namespace
}  // namespace pelt::bind
