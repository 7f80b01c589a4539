#include "bind/skeleton_template.h"
#include "bind/character_binding.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <glm/gtc/matrix_transform.hpp>

#include "bind/body_landmarks.h"
#include "bind/character_problem.h"
#include "bind/winding.h"
#include "support/bare.h"
#include "support/binding.h"
#include "support/surfaces.h"

namespace pelt::bind {
namespace {

using glm::dvec2;
using glm::dvec3;
using test::bare;

// A closed capsule of rings round a segment.
void add_capsule(const dvec3& a, const dvec3& b, double radius, mesh::Primitive& out) {
  constexpr int kAround = 16;
  constexpr int kRings = 5;  // of each half ball
  const dvec3 along = glm::normalize(b - a);
  const dvec3 aside = glm::normalize(glm::cross(along, std::abs(along.x) < 0.9 ? dvec3(1, 0, 0) : dvec3(0, 1, 0)));
  const dvec3 third = glm::cross(along, aside);
  const auto first = static_cast<std::uint32_t>(out.positions.size());
  const auto put = [&](const dvec3& p) { out.positions.emplace_back(p); };
  put(a - radius * along);
  for (int ring = 0; ring < 2 * kRings; ++ring) {
    const bool lower = ring < kRings;
    const double angle = (lower ? ring + 1 - kRings : ring - kRings) * std::numbers::pi / 2 / kRings;
    for (int k = 0; k < kAround; ++k) {
      const double turn = 2 * std::numbers::pi * k / kAround;
      put((lower ? a : b) +
          radius * (std::sin(angle) * along + std::cos(angle) * (std::cos(turn) * aside + std::sin(turn) * third)));
    }
  }
  put(b + radius * along);
  const auto at = [&](int ring, int k) {
    return first + 1 + static_cast<std::uint32_t>(ring * kAround + (k + kAround) % kAround);
  };
  const auto last = static_cast<std::uint32_t>(out.positions.size()) - 1;
  for (int k = 0; k < kAround; ++k) {
    out.indices.append({first, at(0, k + 1), at(0, k), last, at(2 * kRings - 1, k), at(2 * kRings - 1, k + 1)});
    for (int ring = 0; ring + 1 < 2 * kRings; ++ring) {
      out.indices.append(
          {at(ring, k), at(ring, k + 1), at(ring + 1, k + 1), at(ring, k), at(ring + 1, k + 1), at(ring + 1, k)});
    }
  }
}

struct Capsule {
  dvec3 a;
  dvec3 b;
  double radius;
};

// C30.1: the man of capsules. `drop` turns his left and his right arm down about the shoulders, radians.
mesh::Primitive capsule_man(dvec2 drop = {}, bool has_feet = false) {
  mesh::Primitive out;
  const dvec3 shoulder(0.2, 1.38, 0);
  for (const Capsule& one : {Capsule{{0, .95, 0}, {0, 1.35, 0}, .13}, Capsule{{0, 1.35, 0}, {0, 1.68, 0}, .10}}) {
    add_capsule(one.a, one.b, one.radius, out);
  }
  for (const int side : {0, 1}) {
    const dvec3 mirror(side == 0 ? 1 : -1, 1, 1);
    const auto arm = [&](double x) {
      return shoulder + (x - shoulder.x) * dvec3(std::cos(drop[side]), -std::sin(drop[side]), 0);
    };
    std::vector<Capsule> capsules = {{{0, .95, 0}, {.11, .92, 0}, .10},  {{.11, .92, 0}, {.14, .5, 0}, .08},
                                     {{.14, .5, 0}, {.17, .08, 0}, .07}, {{0, 1.35, 0}, shoulder, .08},
                                     {shoulder, arm(.47), .06},          {arm(.47), arm(.74), .06}};
    if (has_feet) {
      capsules.push_back({{.17, .05, 0}, {.18, .05, .2}, .04});
    }
    for (const Capsule& one : capsules) {
      add_capsule(one.a * mirror, one.b * mirror, one.radius, out);
    }
  }
  return out;
}
constexpr double kManHeight = 1.77;

FittedTemplate fitted_in(const rig::Character& character, const TemplateChoice& choice = {}, bool symmetric = true) {
  const auto volume = rest_volume(character);
  EXPECT_TRUE(volume) << volume.error().message;
  return fitted_template(choice, *volume, symmetric);
}

dvec3 place_of(const FittedTemplate& fitted, const std::string& name) {
  const auto found = std::ranges::find(fitted.joints, name, &TemplateJoint::name);
  EXPECT_NE(found, fitted.joints.end()) << name;
  return found->place;
}

// The joints of C30.1, of the left side and the middle.
struct ManTruth {
  const char* name;
  dvec3 place;
};
constexpr double kDropped = 0.7;  // radians
std::vector<ManTruth> man_truth(double drop) {
  const dvec3 shoulder(.2, 1.38, 0);
  const dvec3 along(std::cos(drop), -std::sin(drop), 0);
  return {{"hips", {0, .95, 0}},
          {"chest", {0, 1.35, 0}},
          {"head", {0, 1.68, 0}},
          {"thigh.L", {.11, .92, 0}},
          {"shin.L", {.14, .5, 0}},
          {"foot.L", {.17, .08, 0}},
          {"upper_arm.L", shoulder},
          {"forearm.L", shoulder + .27 * along},
          {"hand.L", shoulder + .54 * along}};
}

TEST(SkeletonTemplate, C30_1_JointsOfTheManOfCapsulesLieInsideAndNearTheirTruth) {
  for (const double drop : {0.0, kDropped}) {
    const auto volume = rest_volume(bare(capsule_man({drop, drop})));
    ASSERT_TRUE(volume);
    const WindingTree winding(volume->surface.positions, volume->surface.triangles, {});
    const FittedTemplate fitted = fitted_template({}, *volume, true);
    EXPECT_TRUE(fitted.notes.empty()) << fitted.notes.front();
    for (const TemplateJoint& joint : fitted.joints) {
      EXPECT_TRUE(winding.is_inside(joint.place)) << joint.name;
    }
    for (const ManTruth& one : man_truth(drop)) {
      const double share = glm::distance(place_of(fitted, one.name), one.place) / kManHeight;
      RecordProperty(one.name + std::string(drop > 0 ? " dropped" : ""), std::to_string(100 * share));
      EXPECT_LE(share, 0.1) << one.name << " with arms turned down by " << drop;
    }
    // Symmetric: each pair is its mirror image, and the others are in between.
    const std::vector<int> opposite = opposite_joints(fitted.joints);
    for (std::size_t j = 0; j < fitted.joints.size(); ++j) {
      dvec3 other = fitted.joints[static_cast<std::size_t>(opposite[j])].place;
      other.x = 2 * fitted.middle - other.x;
      EXPECT_LT(glm::distance(other, fitted.joints[j].place), 1e-9) << fitted.joints[j].name;
    }
  }
}

mesh::Primitive transformed_by(mesh::Primitive primitive, const glm::mat4& matrix) {
  for (glm::vec3& p : primitive.positions.edit()) {
    p = glm::vec3(matrix * glm::vec4(p, 1));
  }
  return primitive;
}

TEST(SkeletonTemplate, C30_2_UnitsAndPlacesGoThrough) {
  const mesh::Primitive man = capsule_man({0.2, 0.6}, true);
  const FittedTemplate one = fitted_in(bare(man), {}, false);
  const FittedTemplate twice = fitted_in(bare(transformed_by(man, glm::scale(glm::mat4(1), glm::vec3(2)))), {}, false);
  const FittedTemplate there =
      fitted_in(bare(transformed_by(man, glm::translate(glm::mat4(1), glm::vec3(1, 2, 3)))), {}, false);
  for (std::size_t j = 0; j < one.joints.size(); ++j) {
    EXPECT_LT(glm::distance(twice.joints[j].place, 2.0 * one.joints[j].place), 2e-9) << one.joints[j].name;
    EXPECT_LT(glm::distance(there.joints[j].place, one.joints[j].place + dvec3(1, 2, 3)), 1e-3 * kManHeight)
        << one.joints[j].name;
  }
}

// The man holds his arms differently, so that left and right are not mixed up unseen.
TEST(SkeletonTemplate, AMirroredMeshHasMirroredJoints) {
  const mesh::Primitive man = capsule_man({0.2, 0.6}, true);
  mesh::Primitive mirrored = transformed_by(man, glm::scale(glm::mat4(1), glm::vec3(-1, 1, 1)));
  std::vector<std::uint32_t>& indices = mirrored.indices.edit();
  for (std::size_t i = 0; i < indices.size(); i += 3) {
    std::swap(indices[i], indices[i + 1]);
  }
  const FittedTemplate one = fitted_in(bare(man), {}, false);
  const FittedTemplate other = fitted_in(bare(mirrored), {}, false);
  EXPECT_GT(std::abs(place_of(one, "hand.L").y - place_of(one, "hand.R").y), 0.1);
  const std::vector<int> opposite = opposite_joints(one.joints);
  for (std::size_t j = 0; j < one.joints.size(); ++j) {
    const dvec3 place = one.joints[static_cast<std::size_t>(opposite[j])].place * dvec3(-1, 1, 1);
    EXPECT_LT(glm::distance(other.joints[j].place, place), 1e-3 * kManHeight) << one.joints[j].name;
  }
}

// Toes tell where the front is, and with it which side is left.
TEST(SkeletonTemplate, WhoTurnsHisBackHasHisLeftOnTheOtherSide) {
  const mesh::Primitive man = capsule_man({}, true);
  const mesh::Primitive turned = transformed_by(man, glm::scale(glm::mat4(1), glm::vec3(-1, 1, -1)));
  EXPECT_GT(place_of(fitted_in(bare(man)), "hand.L").x, 0.5);
  EXPECT_GT(place_of(fitted_in(bare(man)), "toe.L").z, 0.05);
  EXPECT_LT(place_of(fitted_in(bare(turned)), "hand.L").x, -0.5);
  EXPECT_LT(place_of(fitted_in(bare(turned)), "toe.L").z, -0.05);
}

TEST(SkeletonTemplate, WhatIsNoBodySaysWhatWasNotFoundAndStaysFinite) {
  mesh::Primitive ball = test::sphere(3);
  const auto volume = rest_volume(bare(std::move(ball)));
  ASSERT_TRUE(volume);
  const FittedTemplate fitted = fitted_template({}, *volume, true);
  ASSERT_EQ(fitted.notes.size(), 3u);
  EXPECT_EQ(fitted.notes[0], "there is no air between the legs: they were placed by proportion");
  EXPECT_EQ(fitted.notes[1], "the left arm was not found beside the body: it was placed by proportion");
  for (const TemplateJoint& joint : fitted.joints) {
    EXPECT_LT(glm::length(joint.place), 1.05) << joint.name;
  }
}

// A quarter of a ring of radius 1 in the plane z = 0.
TEST(SkeletonTemplate, AChainFollowsABentTube) {
  mesh::Primitive tube;
  const auto on_ring = [](double angle) { return dvec3(1 - std::cos(angle), std::sin(angle), 0); };
  constexpr int kPieces = 16;
  for (int k = 0; k < kPieces; ++k) {
    add_capsule(on_ring(std::numbers::pi / 2 * k / kPieces), on_ring(std::numbers::pi / 2 * (k + 1) / kPieces), 0.1,
                tube);
  }
  constexpr int kJoints = 5;
  const FittedTemplate fitted = fitted_in(bare(tube), {.kind = TemplateChoice::Kind::kChain, .joints = kJoints});
  ASSERT_EQ(fitted.joints.size(), 5u);
  EXPECT_LT(fitted.joints[0].place.y, 0.1) << "it begins at the lower end";
  std::vector<double> lengths;
  for (std::size_t k = 0; k < fitted.joints.size(); ++k) {
    EXPECT_EQ(fitted.joints[k].parent, static_cast<int>(k) - 1);
    if (k > 0) {
      // By three hundredths of the radius of the ring in the middle of the tube; its ends are round.
      EXPECT_NEAR(glm::distance(fitted.joints[k].place, dvec3(1, 0, 0)), 1, 0.03) << k;
      EXPECT_NEAR(fitted.joints[k].place.z, 0, 0.01) << k;
      lengths.push_back(glm::distance(fitted.joints[k].place, fitted.joints[k - 1].place));
    }
  }
  EXPECT_LT(*std::ranges::max_element(lengths), 1.15 * *std::ranges::min_element(lengths));
}

TEST(SkeletonTemplate, IsNamedInWords) {
  ASSERT_TRUE(parse_template("humanoid"));
  const auto chain = parse_template("chain:12");
  ASSERT_TRUE(chain);
  EXPECT_EQ(chain->joints, 12);
  EXPECT_EQ(chain->kind, TemplateChoice::Kind::kChain);
  for (const char* wrong : {"", "human", "chain", "chain:", "chain:0", "chain:201", "chain:3x", "chain:-2"}) {
    const auto refused = parse_template(wrong);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_EQ(refused.error().message,
              "expected humanoid or chain:N with 1 to 200 joints, got \"" + std::string(wrong) + "\"");
  }
}

TEST(SkeletonTemplate, ParentsComeFirstAndEveryLeftHasItsRight) {
  const std::vector<TemplateJoint> joints = template_joints({});
  const std::vector<int> opposite = opposite_joints(joints);
  int pairs = 0;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    EXPECT_LT(joints[j].parent, static_cast<int>(j));
    const TemplateJoint& other = joints[static_cast<std::size_t>(opposite[j])];
    EXPECT_EQ(other.place, joints[j].place * dvec3(-1, 1, 1)) << joints[j].name;
    pairs += opposite[j] > static_cast<int>(j) ? 1 : 0;
    if (joints[j].parent >= 0) {
      const int above = joints[j].parent;
      EXPECT_EQ(other.parent, opposite[static_cast<std::size_t>(above)]) << joints[j].name;
    }
  }
  EXPECT_EQ(joints.size(), 21u);
  EXPECT_EQ(pairs, 8);
}

// What is bound to a template follows it whole: every vertex has weights that add up to one.
TEST(SkeletonTemplate, TheBestBinderBindsEveryVertexToIt) {
  const rig::Character man = bare(capsule_man());
  const FittedTemplate fitted = fitted_in(man);
  const rig::Character rigged = rig::with_new_joints(man, new_joints(fitted.joints));
  Request request;
  for (int j = man.skeleton->size(); j < rigged.skeleton->size(); ++j) {
    request.joints.push_back(j);
  }
  const auto problem = make_problem(rigged, request);
  ASSERT_TRUE(problem);
  for (std::size_t b = 0; b < problem->problem.bone_count(); ++b) {
    EXPECT_LT(glm::distance(problem->problem.bones[b].head, fitted.joints[b].place), 1e-6);
  }
  const Binding binding = test::bound(problem->problem, "best");
  const rig::Character bound = with_binding(rigged, *problem, binding, 4);
  const mesh::Influences& rows = bound.meshes[0].primitives[0].influences;
  ASSERT_EQ(rows.vertex_count(), man.meshes[0].primitives[0].vertex_count());
  for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
    float sum = 0;
    for (const float weight : rows.row(v).weights) {
      sum += weight;
    }
    EXPECT_NEAR(sum, 1, 1e-6) << v;
  }
  EXPECT_LT(rig::rest_bind_difference(bound), 1e-5);
}

TEST(VolumeMiddle, ASectionOfATubeHasItsMiddleOnTheAxis) {
  mesh::Primitive tube;
  add_capsule({0, 0, 0}, {2, 0, 0}, 0.2, tube);
  const auto volume = rest_volume(bare(tube));
  ASSERT_TRUE(volume);
  const double edge = volume->voxels.grid.edge;
  const dvec3 middle = middle_of_section(volume->voxels, {0.8, 0.15, -0.05}, {1, 0, 0});
  EXPECT_LT(glm::distance(middle, dvec3(0.8, 0, 0)), edge);
  const dvec3 from_outside = middle_of_section(volume->voxels, {0.8, 0.5, 0}, {1, 0, 0});
  EXPECT_LT(glm::length(dvec2(from_outside.y, from_outside.z)), edge);
}

TEST(VolumeMiddle, ARayStopsInTheMiddleOfWhatItMeetsFirst) {
  mesh::Primitive two;
  add_capsule({0, 0, 0}, {1, 0, 0}, 0.2, two);
  add_capsule({0, 0, 1}, {1, 0, 1}, 0.3, two);
  const auto volume = rest_volume(bare(two));
  ASSERT_TRUE(volume);
  const double edge = volume->voxels.grid.edge;
  const auto first = middle_along(volume->voxels, {0.5, 0.05, -5}, {0, 0, 1});
  ASSERT_TRUE(first);
  EXPECT_LT(glm::distance(*first, dvec3(0.5, 0.05, 0)), edge);
  const auto from_behind = middle_along(volume->voxels, {0.5, 0.05, 5}, {0, 0, -1});
  ASSERT_TRUE(from_behind);
  EXPECT_LT(glm::distance(*from_behind, dvec3(0.5, 0.05, 1)), edge);
  EXPECT_FALSE(middle_along(volume->voxels, {0.5, 2, -5}, {0, 0, 1}));
}

}  // namespace
}  // namespace pelt::bind
