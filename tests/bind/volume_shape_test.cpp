// Meshes of the user's own as volumes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bind/containment.h"
#include "bind/joint_volumes.h"
#include "support/binding.h"
#include "support/fixtures.h"

namespace pelt::bind {
namespace {

using testing::HasSubstr;

struct ShapeMesh {
  std::vector<glm::vec3> positions;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  void add(const ShapeMesh& other, const glm::vec3& by) {
    const auto first = static_cast<std::uint32_t>(positions.size());
    for (const glm::vec3& p : other.positions) {
      positions.push_back(p + by);
    }
    for (const auto& [a, b, c] : other.triangles) {
      triangles.push_back({first + a, first + b, first + c});
    }
  }
};

// Corners by bits of x, y, z; outward; the two triangles of the face +x come last.
ShapeMesh box_mesh(const glm::vec3& half) {
  ShapeMesh out;
  for (int i = 0; i < 8; ++i) {
    out.positions.push_back(half * glm::vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1));
  }
  out.triangles = {{0, 4, 6}, {0, 6, 2}, {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3},
                   {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {1, 3, 7}, {1, 7, 5}};
  return out;
}

ShapeMesh ball_mesh(float radius, int rings) {
  ShapeMesh out;
  const int around = 2 * rings;
  for (int i = 0; i <= rings; ++i) {
    for (int k = 0; k < around; ++k) {
      const double polar = std::numbers::pi * i / rings;
      const double turn = 2 * std::numbers::pi * k / around;
      const double across = i == 0 || i == rings ? 0 : std::sin(polar);  // the poles are one place each
      out.positions.emplace_back(double{radius} *
                                 glm::dvec3(across * std::cos(turn), std::cos(polar), across * std::sin(turn)));
    }
  }
  const auto at = [&](int i, int k) { return static_cast<std::uint32_t>(i * around + k % around); };
  for (int i = 0; i < rings; ++i) {
    for (int k = 0; k < around; ++k) {
      out.triangles.push_back({at(i, k), at(i, k + 1), at(i + 1, k + 1)});
      out.triangles.push_back({at(i, k), at(i + 1, k + 1), at(i + 1, k)});
    }
  }
  return out;
}

VolumeShape shape_of(const ShapeMesh& mesh, const std::string& name = "hull.obj") {
  Result<VolumeShape> shape = make_volume_shape(name, mesh.positions, mesh.triangles);
  EXPECT_TRUE(shape) << (shape ? "" : shape.error().message);
  return shape ? *std::move(shape) : VolumeShape{};
}

std::string fault_of(const ShapeMesh& mesh) {
  const Result<VolumeShape> shape = make_volume_shape("hull.obj", mesh.positions, mesh.triangles);
  return shape ? "none" : shape.error().message;
}

Volume volume_of(const ShapeMesh& mesh, const Bone& bone = test::bone_between({-1, 0, 0}, {1, 0, 0})) {
  std::vector<glm::dvec3> positions(mesh.positions.begin(), mesh.positions.end());
  Result<Volume> volume = mesh_volume("hull.obj", positions, mesh.triangles, bone, 0);
  EXPECT_TRUE(volume) << (volume ? "" : volume.error().message);
  return volume ? *std::move(volume) : Volume{};
}

TEST(VolumeShape, ABallScoresAsASphere) {
  const VolumeShape ball = shape_of(ball_mesh(2, 48));
  EXPECT_EQ(ball.remark(), "");
  EXPECT_NEAR(ball.depth(), 2, 0.01);
  test::Random random(3101);
  const Volume sphere{.kind = VolumeKind::kSphere, .half = {2, 2, 2}};
  for (int i = 0; i < 200; ++i) {
    const glm::dvec3 p = random.dvector(-4, 4);
    ASSERT_NEAR(ball.score(p), score(sphere, p), 0.01) << i;
  }
}

TEST(VolumeShape, ABoxByHand) {
  const VolumeShape box = shape_of(box_mesh({2, 1, 0.5f}));
  EXPECT_EQ(box.remark(), "");
  EXPECT_NEAR(box.depth(), 0.5, 1e-4);
  EXPECT_NEAR(box.score({0, 0, 0}), 0, 1e-3);
  EXPECT_NEAR(box.score({1.5, 0.2, 0.25}), 0.5, 1e-3);  // a quarter from the face z = 0.5
  EXPECT_NEAR(box.score({1.9, 0, 0}), 0.8, 1e-3);
  EXPECT_NEAR(box.score({2, 0.3, 0.1}), 1, 1e-6);
  EXPECT_NEAR(box.score({0, 0, 1.5}), 3, 1e-3);
  EXPECT_NEAR(box.score({5, 5, 0}), 1 + 5 / 0.5, 1e-2);  // three and four off the edge
  for (const glm::vec3& corner : box.positions) {
    EXPECT_NEAR(box.score(glm::dvec3(corner)), 1, 1e-6);
  }
  // Farther off than this nothing is in range.
  test::Random random(3102);
  for (int i = 0; i < 100; ++i) {
    const glm::dvec3 p = glm::normalize(random.dvector(-1, 1)) * (1.0001 * box.reach(2.5));
    ASSERT_GE(box.score(p), 2.5);
  }
}

TEST(VolumeShape, TurnedInsideOutItIsTheSame) {
  ShapeMesh mesh = box_mesh({2, 1, 0.5f});
  const VolumeShape box = shape_of(mesh);
  for (auto& triangle : mesh.triangles) {
    std::swap(triangle[1], triangle[2]);
  }
  const VolumeShape turned = shape_of(mesh);
  EXPECT_EQ(turned.remark(), "");
  for (const glm::dvec3& p : {glm::dvec3(0, 0, 0.2), glm::dvec3(1.9, 0.9, 0), glm::dvec3(3, 0, 0)}) {
    EXPECT_NEAR(turned.score(p), box.score(p), 1e-3);
  }
}

TEST(VolumeShape, OpenAndCrossingOnesAreTakenByWindingNumberAndSaySo) {
  ShapeMesh open = box_mesh({2, 1, 0.5f});
  open.triangles.resize(10);  // without the face +x
  const VolumeShape lidless = shape_of(open);
  EXPECT_EQ(lidless.remark(),
            "hull.obj is not closed: inside is where its surface goes round a point more than half a time");
  EXPECT_LT(lidless.score({-1, 0, 0}), 1) << "deep in it";
  EXPECT_GT(lidless.score({2.5, 0, 0}), 1) << "before the hole";
  ShapeMesh crossing = box_mesh({1, 1, 1});
  crossing.add(box_mesh({1, 1, 1}), {0.7f, 0.3f, 0.2f});
  const VolumeShape two = shape_of(crossing);
  EXPECT_THAT(two.remark(), HasSubstr("hull.obj crosses itself: "));
  EXPECT_LT(two.score({0.5, 0.2, 0.1}), 1) << "in both";
  EXPECT_LT(two.score({-0.9, -0.5, -0.5}), 1) << "in one";
}

TEST(VolumeShape, FaultsAreSentences) {
  ShapeMesh sheet = box_mesh({2, 1, 0.5f});
  sheet.triangles.resize(2);
  EXPECT_EQ(fault_of(sheet), "hull.obj: encloses nothing that could be the inside of a volume");
  EXPECT_EQ(fault_of({}), "hull.obj: has no triangles that could enclose a volume");
  ShapeMesh flat = box_mesh({2, 1, 0});
  EXPECT_THAT(fault_of(flat), HasSubstr("encloses nothing"));
  ShapeMesh point = box_mesh({0, 0, 0});
  EXPECT_THAT(fault_of(point), HasSubstr("encloses nothing"));
  ShapeMesh wrong = box_mesh({1, 1, 1});
  wrong.triangles[3] = {0, 1, 8};
  EXPECT_EQ(fault_of(wrong), "hull.obj: triangle 3: expected vertices 0 to 7, got 8");
  wrong = box_mesh({1, 1, 1});
  wrong.positions[5].y = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(fault_of(wrong), "hull.obj: vertex 5: expected finite numbers");
}

TEST(MeshVolume, StandsWhereTheMeshDoes) {
  ShapeMesh mesh;
  mesh.add(box_mesh({2, 1, 0.5f}), {3, -1, 4});
  const VolumeShape shape = shape_of(mesh);
  const Volume volume = volume_of(mesh, test::bone_between({0, 0, 0}, {1, 2, -1}));
  test::Random random(3103);
  for (int i = 0; i < 100; ++i) {
    const glm::dvec3 p = glm::dvec3(3, -1, 4) + random.dvector(-3, 3);
    ASSERT_NEAR(score(volume, p), shape.score(p), 2e-3 * (1 + shape.score(p)));
  }
  // Its axis runs along the bone, from one side of its box to the other.
  const glm::dvec3 along = glm::normalize(glm::dvec3(1, 2, -1));
  EXPECT_LT(glm::distance(volume.axes[0], along), 1e-12);
  double least = 1e9;
  double most = -1e9;
  for (const glm::vec3& p : mesh.positions) {
    least = std::min(least, glm::dot(glm::dvec3(p), along));
    most = std::max(most, glm::dot(glm::dvec3(p), along));
  }
  EXPECT_NEAR(glm::dot(volume.center, along) - volume.half.x, least, 1e-6);
  EXPECT_NEAR(glm::dot(volume.center, along) + volume.half.x, most, 1e-6);
  for (const std::vector<glm::dvec3>& line : outlines(volume)) {
    for (const glm::dvec3& p : line) {
      ASSERT_NEAR(score(volume, p), 1, 1e-5);
    }
  }
  for (const glm::dvec3& p : surface_points(volume, 4, 6)) {
    ASSERT_NEAR(score(volume, p), 1, 1e-5);
  }
}

TEST(MeshVolume, IsDraggedAndMirroredWithItsForm) {
  const Volume volume = volume_of(box_mesh({2, 1, 0.5f}));
  const Volume twice = between(volume, {-4, 1, 0}, {4, 1, 0});
  EXPECT_NEAR(score(twice, {3.8, 1, 0}), score(volume, {1.9, 0, 0}), 1e-6) << "twice as large, one higher";
  // A form without any symmetry shows which way round its mirror image is.
  ShapeMesh odd = box_mesh({2, 1, 0.5f});
  odd.positions[3] = {3, 2, -1};
  odd.positions[6] = {-1, 0.2f, 2};
  const Volume left = volume_of(odd, test::bone_between({0, 0, 0}, {1, 1, 0}));
  const Volume right = mirrored(left, 3, {1, 0, 0}, 5);
  const glm::dmat4 joint = glm::dmat4(glm::mat4_cast(glm::dquat(0.5, 0.5, -0.5, 0.5)));
  const Volume again = placed(on_joint(right, 1, joint), 3, joint);
  test::Random random(3104);
  for (int i = 0; i < 100; ++i) {
    const glm::dvec3 p = random.dvector(-3, 3);
    const glm::dvec3 image(10 - p.x, p.y, p.z);
    ASSERT_NEAR(score(right, image), score(left, p), 1e-6 * (1 + score(left, p)));
    ASSERT_NEAR(score(again, image), score(left, p), 1e-3 * (1 + score(left, p)));
  }
  EXPECT_EQ(as_kind(left, VolumeKind::kBox).shape->positions.size(), 0u);
}

TEST(MeshVolume, BindsWhatIsInside) {
  Problem problem = test::fingers_to_bind();
  // A box round the thin finger alone, whose bone is the second.
  ShapeMesh mesh;
  mesh.add(box_mesh({1.2f, 0.12f, 0.15f}), {1, 0.45f, 0});
  Volume volume = volume_of(mesh, problem.bones[1]);
  volume.bone = 1;
  problem.volumes = {volume};
  const Binder& binder = *find_binder("containment");
  std::vector<double> values = standard_values(binder);
  values[2] = 0;  // hard
  values[4] = 0;  // not smoothed
  const Binding binding = *run(binder, problem, values);
  std::size_t inside = 0;
  for (std::size_t w = 0; w < problem.place_count(); ++w) {
    if (score(volume, problem.positions[w]) < 0.9) {
      const bool is_in_both = w < 1346;
      EXPECT_TRUE(is_in_both || binding.rows.weight(w, 1) == 1) << w;
      ++inside;
    }
  }
  EXPECT_GT(inside, 500u);
  // A drag of it binds as from the beginning.
  const ContainmentSolver solver(problem);
  const std::vector<Volume> before =
      with_volumes_by_hand(fitted_volumes(problem, VolumeKind::kCapsule), problem.volumes);
  std::vector<Volume> after = before;
  after[1] = between(after[1], {-0.1, 0.4, 0}, {2, 0.5, 0.1});
  const Containment how;
  EXPECT_EQ(solver.places_after(*solver.places(before, how), before, after, how)->rows,
            solver.places(after, how)->rows);
  // An open one is remarked on.
  mesh.triangles.pop_back();
  problem.volumes = {volume_of(mesh, problem.bones[1])};
  problem.volumes[0].bone = 1;
  const Binding open = *run(binder, problem, values);
  const std::vector<std::string> names = {"thick", "thin"};
  ASSERT_EQ(std::ranges::count(open.remarks, RemarkKind::kVolumeOpen, &Remark::kind), 1);
  EXPECT_THAT(sentence(*std::ranges::find(open.remarks, RemarkKind::kVolumeOpen, &Remark::kind), names),
              HasSubstr("the volume of thin: hull.obj is not closed"));
}

}  // namespace
}  // namespace pelt::bind
