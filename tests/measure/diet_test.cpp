#include "measure/diet.h"

#include <cmath>
#include <string_view>

#include <gtest/gtest.h>

#include "deform/deform.h"
#include "deform/draw_batches.h"
#include "rig/kinematics.h"
#include "support/fixtures.h"

namespace pelt::measure {
namespace {

TEST(Diet, C9_5_BytesOfPalettes) {
  for (const auto& [joints, bytes] : {std::pair{64, 3072}, std::pair{85, 4080}}) {
    const rig::Character character = test::random_rig({.seed = 12, .joints = joints, .vertices = 600});
    EXPECT_EQ(diet_cost(character, {.palette_limit = joints}).upload_bytes, bytes);
  }
}

TEST(Diet, C10_1_BatchesOfTheStrip) {
  const rig::Character strip = test::strip100();
  for (const auto& [cap, batches] : {std::pair{64, 2}, std::pair{24, 5}, std::pair{12, 9}, std::pair{0, 1}}) {
    const DietCost cost = diet_cost(strip, {.palette_limit = cap});
    EXPECT_EQ(cost.batches, batches) << cap;
    EXPECT_EQ(cost.draw_calls, batches) << cap;
  }
}

TEST(Diet, C12_1_C12_2_PartitionCountsEveryTriangleOnce) {
  const rig::Character cylinder = test::cylinder();
  const DietCost cost = diet_cost(cylinder, {.partition = true});
  EXPECT_EQ(cost.rigid_triangles, 1056 + 1056);
  EXPECT_EQ(cost.skinned_triangles, 512);
  EXPECT_EQ(cost.draw_calls, 3) << "one per joint and the rest";
  const mesh::Primitive& primitive = cylinder.meshes[0].primitives[0];
  const auto batches = deform::make_draw_batches(primitive, primitive.influences, 64, true);
  ASSERT_TRUE(batches);
  std::vector<int> seen(primitive.triangle_count(), 0);
  for (const deform::DrawBatch& batch : *batches) {
    for (std::size_t e = 0; e < batch.elements.size(); ++e) {
      ++seen[batch.elements[e]];
      for (std::size_t corner = 0; corner < 3; ++corner) {
        ASSERT_EQ(batch.vertices[batch.indices[3 * e + corner]], primitive.indices[3 * batch.elements[e] + corner]);
      }
    }
  }
  EXPECT_EQ(seen, std::vector<int>(primitive.triangle_count(), 1));
}

TEST(Diet, NeighboursAndStoredWeightsForbidAPartition) {
  const mesh::Primitive primitive = test::cylinder_primitive();
  EXPECT_TRUE(deform::can_partition(primitive, {}));
  EXPECT_FALSE(deform::can_partition(primitive, {.weights_as_stored = true}));
  EXPECT_TRUE(
      deform::can_partition(primitive, {.weight_format = deform::WeightFormat::kUnorm8, .weights_as_stored = true}));
  mesh::Primitive points = primitive;
  points.topology = mesh::Topology::kPoints;
  EXPECT_FALSE(deform::can_partition(points, {}));
}

TEST(Diet, BytesPerVertexOfEachFormat) {
  const rig::Character character = test::random_rig({.seed = 2, .joints = 40, .influences = 4});
  const auto bytes = [&](deform::WeightFormat format) {
    return diet_cost(character, {.weight_format = format}).bytes_per_vertex;
  };
  EXPECT_EQ(bytes(deform::WeightFormat::kFloat), 20);
  EXPECT_EQ(bytes(deform::WeightFormat::kUnorm16), 12);
  EXPECT_EQ(bytes(deform::WeightFormat::kUnorm8), 8);
  EXPECT_EQ(bytes(deform::WeightFormat::kPacked56), 7);
}

TEST(Diet, FullPrecisionIsNoErrorAndNoWork) {
  const rig::Character character = test::random_rig({.seed = 3});
  test::Random random(3);
  const rig::Pose poses[] = {test::random_pose(character, random, 1.0)};
  DietMeter meter;
  const std::optional<DietError> error = meter.measure(character, {}, poses);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->max, 0);
  EXPECT_EQ(error->worst_vertex, -1);
}

// A file whose weights are in 8 or 16 bits already, as most are.
TEST(Diet, WeightsThatAFormatHoldsExactlyCostNothing) {
  rig::Character character = test::random_rig({.seed = 6, .joints = 30, .vertices = 400, .influences = 4});
  mesh::Influences& rows = character.meshes.edit(0).primitives.edit(0).influences.edit();
  rows = mesh::quantized_influences(rows, deform::WeightFormat::kUnorm8);
  test::Random random(6);
  const rig::Pose poses[] = {test::random_pose(character, random, 1.0, 5.0f)};
  for (const char* method : {"lbs", "dqs", "cor"}) {
    SCOPED_TRACE(method);
    for (const deform::WeightFormat format : {deform::WeightFormat::kUnorm8, deform::WeightFormat::kUnorm16}) {
      DietMeter meter;
      const std::optional<DietError> error =
          meter.measure(character, {.method = deform::find_method(method), .weight_format = format}, poses);
      ASSERT_TRUE(error);
      EXPECT_EQ(error->max, 0);
      EXPECT_EQ(error->rms, 0);
      EXPECT_EQ(error->worst_vertex, -1);
    }
    // One weight that it does not hold is that vertex's cost alone, but where centres come from the whole mesh.
    rig::Character one = character;
    mesh::Influences& of_one = one.meshes.edit(0).primitives.edit(0).influences.edit();
    std::size_t v = 0;
    while (of_one.count(v) < 2) {
      ++v;
    }
    mesh::Influences::Block& block = of_one.edit_block(v / mesh::Influences::kBlockRows);
    const std::uint32_t first = block.offset[v % mesh::Influences::kBlockRows];
    block.weight[first] += 0.001f;
    block.weight[first + 1] -= 0.001f;
    DietMeter meter;
    const std::optional<DietError> error = meter.measure(
        one, {.method = deform::find_method(method), .weight_format = deform::WeightFormat::kUnorm8}, poses);
    ASSERT_TRUE(error);
    EXPECT_GT(error->max, 0);
    if (std::string_view(method) != "cor") {
      EXPECT_EQ(error->worst_vertex, static_cast<std::int64_t>(v));
      EXPECT_NEAR(error->rms * std::sqrt(400.0), error->max, 1e-9);
    }
  }
}

// The weight error multiplies the spread of the ghost points, not the size of the model: §15 and §16.
TEST(Diet, C15_3_C16_4_ErrorsStayWithinTheirBounds) {
  const rig::Character character = test::random_rig({.seed = 5, .joints = 30, .influences = 8});
  const mesh::Primitive& primitive = character.meshes[0].primitives[0];
  const mesh::Influences& full = primitive.influences;
  test::Random random(5);
  const rig::Pose poses[] = {test::random_pose(character, random, 1.0), test::random_pose(character, random, 1.0)};
  DietMeter meter;
  for (const deform::SkinningSettings& settings :
       {deform::SkinningSettings{.influence_limit = 4}, deform::SkinningSettings{.prune_threshold = 0.1f},
        deform::SkinningSettings{.weight_format = deform::WeightFormat::kUnorm8},
        deform::SkinningSettings{.weight_format = deform::WeightFormat::kUnorm16},
        deform::SkinningSettings{.weight_format = deform::WeightFormat::kPacked56}}) {
    const mesh::Influences diet = deform::effective_influences(primitive, settings);
    std::vector<double> bound(primitive.vertex_count(), 0.0);
    double diagonal = 0;
    for (const rig::Pose& pose : poses) {
      rig::WorldMatrices world;
      world.evaluate(character.skeleton, pose);
      std::vector<glm::mat4> matrices(character.skins[0].joints.size());
      rig::skin_matrices(character.skins[0], world.world(), matrices);
      diagonal = std::max(diagonal, static_cast<double>(deform::deform_once(character, pose, {}).bounds.diagonal()));
      for (std::size_t v = 0; v < bound.size(); ++v) {
        double half_l1 = 0;
        double spread = 0;
        const mesh::InfluenceRow row = full.row(v);
        const mesh::InfluenceRow dieted = diet.row(v);
        for (std::size_t k = 0; k < row.joints.size(); ++k) {
          double kept = 0;
          for (std::size_t l = 0; l < dieted.joints.size(); ++l) {
            kept += dieted.joints[l] == row.joints[k] ? static_cast<double>(dieted.weights[l]) : 0.0;
          }
          half_l1 += std::abs(static_cast<double>(row.weights[k]) - kept) / 2;
          for (std::size_t l = 0; l < k; ++l) {
            const glm::vec4 p(primitive.positions[v], 1.0f);
            spread = std::max(
                spread, static_cast<double>(glm::distance(matrices[row.joints[k]] * p, matrices[row.joints[l]] * p)));
          }
        }
        bound[v] = std::max(bound[v], half_l1 * spread);
      }
    }
    const std::optional<DietError> error = meter.measure(character, settings, poses);
    ASSERT_TRUE(error);
    EXPECT_GT(error->max, 0);
    EXPECT_LE(error->rms, error->max);
    double largest = 0;
    for (std::size_t n = 0; n < std::size(poses); ++n) {
      const deform::DeformedCharacter on_diet = deform::deform_once(character, poses[n], settings);
      const deform::DeformedCharacter exact = deform::deform_once(character, poses[n], {});
      for (std::size_t v = 0; v < bound.size(); ++v) {
        const double seen =
            glm::distance(glm::dvec3(on_diet.parts[0].positions[v]), glm::dvec3(exact.parts[0].positions[v]));
        ASSERT_LE(seen, bound[v] + 1e-6 * diagonal) << v;
        if (seen > largest) {
          largest = seen;
          EXPECT_LE(seen, error->max);
        }
        if (static_cast<int>(n) == error->worst_pose && static_cast<std::int64_t>(v) == error->worst_vertex) {
          EXPECT_EQ(seen, error->max);
        }
      }
    }
    EXPECT_EQ(error->max, largest);
    EXPECT_EQ(error->worst_part, 0);
  }
}

TEST(Diet, C16_4_SaysHowManyVerticesLoseInfluences) {
  const rig::Character character = test::random_rig({.seed = 5, .joints = 30, .influences = 8});
  const mesh::Influences& rows = character.meshes[0].primitives[0].influences;
  for (const int limit : {0, 1, 4, 8}) {
    std::int64_t more = 0;
    for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
      more += limit > 0 && static_cast<int>(rows.count(v)) > limit ? 1 : 0;
    }
    EXPECT_EQ(diet_cost(character, {.influence_limit = limit}).reduced_vertices, more) << limit;
  }
  EXPECT_GT(diet_cost(character, {.prune_threshold = 0.1f}).reduced_vertices, 0);
}

TEST(Diet, StopsWhenAsked) {
  const rig::Character character = test::random_rig({.seed = 6});
  const std::vector<rig::Pose> poses(3, rig::rest_pose(character));
  int calls = 0;
  const Progress stop = [&](float, std::string_view) { return ++calls < 2; };
  DietMeter meter;
  EXPECT_FALSE(meter.measure(character, {.influence_limit = 1}, poses, stop));
  EXPECT_EQ(calls, 2);
  calls = 0;
  std::size_t made = 0;
  const auto pose_of = [&](std::size_t) { return ++made, rig::rest_pose(character); };
  EXPECT_FALSE(meter.measure(character, {.influence_limit = 1}, 10'000, pose_of, stop));
  EXPECT_EQ(made, 1u) << "of a pose that nobody waits for any more, nothing is computed";
}

TEST(Diet, HistogramOfTheCylinder) {
  // The rings between x = 0.4 and 0.6 follow two joints, all others one.
  const rig::Character cylinder = test::cylinder();
  const InfluenceHistogram histogram = influence_histogram(cylinder, {});
  ASSERT_EQ(histogram.total, 1314);
  std::int64_t two = 0;
  for (const glm::dvec3& point : test::cylinder_points()) {
    two += point.x > 0.4 + 1e-9 && point.x < 0.6 - 1e-9 ? 1 : 0;
  }
  ASSERT_EQ(two, 7 * 32);
  EXPECT_EQ(influence_histogram(cylinder, {.prune_threshold = 1e-4f}).vertices[2], two);
  EXPECT_EQ(influence_histogram(cylinder, {.influence_limit = 1}).mean(), 1.0);
  double sum = 0;
  for (const double share : kReferenceShares) {
    sum += share;
  }
  EXPECT_NEAR(sum, 1.0, 1e-12);
  EXPECT_NEAR(1 * kReferenceShares[0] + 2 * kReferenceShares[1] + 3 * kReferenceShares[2], kReferenceMean, 1e-12);
}

}  // namespace
}  // namespace pelt::measure
