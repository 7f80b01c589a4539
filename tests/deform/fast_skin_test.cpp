// The vector kernels give what the plain ones give, for every instruction set that this machine has.
#include "deform/fast_skin.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <numeric>
#include <ostream>
#include <type_traits>

#include <gtest/gtest.h>
#include <glm/gtc/matrix_inverse.hpp>
#include <glm/gtc/matrix_transform.hpp>

#include "core/large_memory.h"
#include "core/parallel.h"
#include "deform/morph.h"
#include "deform/skin_dqs.h"
#include "deform/skin_lbs.h"
#include "one_vertex.h"
#include "support/fixtures.h"

namespace pelt::deform {
namespace {

constexpr double kRelative = 1e-6;  // of the posed mesh's diagonal
constexpr double kRadians = 1e-5;
constexpr double kTenthOfDegree = 0.1 * std::numbers::pi / 180;

constexpr NormalVariant kCovered[] = {NormalVariant::kBlend, NormalVariant::kInverseTransposeOfBlend,
                                      NormalVariant::kLargestWeight};

/// A mesh with its skin matrices.
struct Load {
  mesh::Primitive primitive;
  std::vector<glm::mat4> matrices;

  [[nodiscard]] SkinInput input(NormalVariant variant = NormalVariant::kInverseTransposeOfBlend) const {
    SkinInput in;
    in.positions = primitive.positions;
    in.normals = primitive.normals;
    in.tangents = primitive.tangents;
    in.influences = &*primitive.influences;
    in.skin_matrices = matrices;
    in.normal_variant = variant;
    return in;
  }
};

struct Shape {
  LineVector<glm::vec3> positions;
  LineVector<glm::vec3> normals;
  LineVector<glm::vec4> tangents;

  explicit Shape(const SkinInput& input)
      : positions(input.positions.size()), normals(input.normals.size()), tangents(input.tangents.size()) {}
  [[nodiscard]] SkinOutput output() { return {positions, normals, tangents}; }
  bool operator==(const Shape&) const = default;
};

Shape plain(const SkinInput& input) {
  Shape out(input);
  skin_lbs(input, out.output(), 0, input.positions.size());
  return out;
}

/// Positions and normals alone have kernels of their own.
SkinInput without_tangents(SkinInput input) {
  input.tangents = {};
  return input;
}

std::vector<int> ranks(std::size_t joint_count) {
  std::vector<int> out(joint_count);
  std::iota(out.begin(), out.end(), 0);
  return out;
}

Shape fast(const SkinInput& input, const FastSkinOptions& options = {}) {
  Shape out(input);
  FastSkin(input, ranks(input.skin_matrices.size()), options).run(input, out.output());
  return out;
}

void expect_same(const Shape& actual, const Shape& expected, double radians) {
  const double diagonal = static_cast<double>(bounds_of(expected.positions).diagonal());
  for (std::size_t v = 0; v < expected.positions.size(); ++v) {
    ASSERT_LE(glm::distance(actual.positions[v], expected.positions[v]), kRelative * diagonal) << v;
    if (!expected.normals.empty()) {
      ASSERT_LE(test::angle_between(actual.normals[v], expected.normals[v]), radians) << v;
      ASSERT_NEAR(glm::length(actual.normals[v]), 1.0, kRelative) << v;
    }
    if (!expected.tangents.empty()) {
      const glm::vec3 tangent(actual.tangents[v]);
      ASSERT_LE(test::angle_between(tangent, glm::vec3(expected.tangents[v])), radians) << v;
      ASSERT_NEAR(glm::length(tangent), 1.0, kRelative) << v;
      ASSERT_EQ(actual.tangents[v].w, expected.tangents[v].w) << v;
    }
  }
}

/// A random rig in a random pose; joints turn by up to `radians`.
Load random_load(const test::RandomRigOptions& options, double radians) {
  const rig::Character character = test::random_rig(options);
  Load load;
  load.primitive = character.meshes[0].primitives[0];
  test::Random random(options.seed + 1000);
  for (int j = 0; j < options.joints; ++j) {
    load.matrices.emplace_back(glm::translate(glm::dmat4(1.0), random.dvector(-1, 1)) *
                               glm::mat4_cast(random.rotation(radians)));
    if (options.scaled) {
      load.matrices.back() = glm::scale(load.matrices.back(), random.vector(0.7f, 1.4f));
    }
  }
  return load;
}

/// By the kernels that `options` lead to: those that count on unit normals take no tangents.
void expect_agreement(SkinInput input, const FastSkinOptions& options, double radians) {
  if (!options.morphs_normals) {
    input.tangents = {};
  }
  expect_same(fast(input, options), plain(input), radians);
}

struct Kernel {
  std::string_view instruction_set;
  bool morphs_normals;
};
void PrintTo(const Kernel& kernel, std::ostream* out) {  // not its bytes, which change from run to run
  *out << kernel.instruction_set << (kernel.morphs_normals ? "" : ", unit normals");
}

class FastSkinTest : public testing::TestWithParam<Kernel> {
 protected:
  [[nodiscard]] static FastSkinOptions options() {
    return {.instruction_set = GetParam().instruction_set, .morphs_normals = GetParam().morphs_normals};
  }
};
/// Of normals that may morph.
class FastMorphTest : public FastSkinTest {};

TEST_P(FastSkinTest, RandomRigsAgreeWithThePlainKernel) {
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    for (const int influences : {1, 2, 3, 4, 8}) {
      // 333 vertices: the last block is partly empty; 40 joints: neighbours name more than any register holds.
      const Load load = random_load(
          {.seed = seed, .joints = 40, .vertices = 333, .influences = influences, .scaled = seed % 2 == 0}, 0.5);
      for (const NormalVariant variant : kCovered) {
        const SkinInput input = load.input(variant);
        ASSERT_TRUE(FastSkin::covers(input));
        expect_agreement(input, options(), kRadians);
      }
    }
  }
}

TEST_P(FastSkinTest, WildPosesAgreeWithThePlainKernel) {
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    Load load = random_load({.seed = seed, .joints = 6, .vertices = 2000, .influences = 4}, std::numbers::pi);
    for (const float unit : {1.0f, 0.001f, 1000.0f}) {
      for (glm::mat4& m : load.matrices) {
        m = glm::scale(m, glm::vec3(unit));
      }
      for (const NormalVariant variant : kCovered) {
        expect_agreement(load.input(variant), options(), kTenthOfDegree);
      }
      for (glm::mat4& m : load.matrices) {
        m = glm::scale(m, glm::vec3(1.0f / unit));
      }
    }
  }
}

TEST_P(FastSkinTest, EveryChoiceOfAttributesAgrees) {
  const Load load = random_load({.seed = 3, .joints = 12, .vertices = 100, .influences = 4}, 0.5);
  for (const bool normals : {false, true}) {
    for (const bool tangents : {false, true}) {
      SkinInput input = load.input();
      input.normals = normals ? input.normals : std::span<const glm::vec3>();
      input.tangents = tangents ? input.tangents : std::span<const glm::vec4>();
      expect_same(fast(input, options()), plain(input), kRadians);
    }
  }
}

TEST_P(FastSkinTest, EmptyRowsFollowTheIdentity) {
  Load load = random_load({.seed = 5, .joints = 4, .vertices = 70, .influences = 3}, 0.5);
  mesh::Influences some;
  for (std::size_t v = 0; v < load.primitive.vertex_count(); ++v) {
    const std::uint32_t count = v % 3 == 0 ? 0 : load.primitive.influences->count(v);
    mesh::append_row(some, load.primitive.influences->joints(v).first(count),
                     load.primitive.influences->weights(v).first(count));
  }
  load.primitive.influences = some;
  for (const BlockWeights weights : {BlockWeights::kFloat, BlockWeights::kUnorm16}) {
    FastSkinOptions its = options();
    its.weights = weights;
    for (const SkinInput& input : {load.input(), without_tangents(load.input())}) {
      const Shape out = fast(input, its);
      if (weights == BlockWeights::kFloat) {
        expect_same(out, plain(input), kRadians);
      }
      for (std::size_t v = 0; v < load.primitive.vertex_count(); v += 3) {
        ASSERT_EQ(out.positions[v], load.primitive.positions[v]);
      }
    }
  }
}

TEST_P(FastSkinTest, MirroredAndFlattenedJointsAgree) {
  Load load = random_load({.seed = 7, .joints = 5, .vertices = 400, .influences = 2}, 0.5);
  load.matrices[1] = glm::scale(load.matrices[1], glm::vec3(-1, 1, 1));
  load.matrices[2] = glm::scale(load.matrices[2], glm::vec3(1, 0, 1));
  load.matrices[3] = glm::scale(load.matrices[3], glm::vec3(0, 0, 0));
  for (const NormalVariant variant : kCovered) {
    expect_agreement(load.input(variant), options(), kTenthOfDegree);
  }
}

TEST_P(FastSkinTest, HoweverFlatAJointIsTheSameThresholdsDecide) {
  // Each vertex between a joint that keeps its shape and one that is flatter, or mirrors flatter, than the last one's.
  // Directions near the flat one are those that cofactors shorten most.
  test::Random random(5);
  for (const float sign : {1.0f, -1.0f}) {
    for (float flat = 1; flat > 1e-9f; flat *= 0.1f) {
      Load load;
      load.matrices = {glm::mat4(1.0f), glm::scale(glm::mat4(1.0f), glm::vec3(1, sign * flat, flat))};
      for (int v = 0; v < 64; ++v) {
        load.primitive.positions.push_back(random.vector(-1, 1));
        const glm::vec3 near = v % 2 == 0 ? glm::vec3(1, 0, 0) : glm::vec3(0, 1, 0);
        load.primitive.normals.push_back(glm::normalize(near + random.vector(-1e-3f, 1e-3f)));
        const std::uint16_t joints[] = {0, 1};
        const float share = static_cast<float>(v) / 64.0f * flat;
        const float weights[] = {share, 1 - share};
        mesh::append_row(load.primitive.influences.edit(), joints, weights);
      }
      SCOPED_TRACE(sign * flat);
      expect_agreement(load.input(), options(), kTenthOfDegree);
    }
  }
}

TEST_P(FastSkinTest, NormalsShortenedBelowAThousandthAreThePlainKernels) {
  // One stretched joint, by itself and as both of two: as long as a matrix of its size can be, where the bound that
  // clears blocks of doubt is tightest.
  test::Random random(6);
  const glm::mat4 turned(glm::mat4_cast(random.rotation(3.0)));
  const glm::mat4 axes(glm::mat4_cast(random.rotation(3.0)));
  std::size_t shortened = 0;
  for (float flat = 0.016f; flat < 0.021f; flat += 0.0001f) {
    Load load;
    load.matrices.assign(2, turned * glm::scale(glm::mat4(1.0f), glm::vec3(1, flat, flat)) * axes);
    const glm::dmat3 linear(load.matrices[0]);
    const glm::dvec3 axis = glm::transpose(glm::dmat3(axes)) * glm::dvec3(1, 0, 0);
    for (int v = 0; v < 256; ++v) {
      load.primitive.positions.push_back(random.vector(-1, 1));
      glm::vec3 normal(axis + random.dvector(-3e-3, 3e-3));
      for (int i = 0; i < 8; ++i) {  // until making it one long again changes no bit
        normal = glm::vec3(glm::normalize(glm::dvec3(normal)));
      }
      load.primitive.normals.push_back(normal);
      const std::uint16_t joints[] = {0, 1};
      const float weights[] = {0.3f, 0.7f};
      const std::size_t count = v < 128 ? 1 : 2;
      mesh::append_row(load.primitive.influences.edit(), {joints, count}, {weights, count});
    }
    SCOPED_TRACE(flat);
    expect_agreement(load.input(), options(), kTenthOfDegree);
    const Shape actual = fast(load.input(), options());
    const Shape expected = plain(load.input());
    double size = 0;
    for (int c = 0; c < 3; ++c) {
      size += glm::dot(linear[c], linear[c]) / 3;
    }
    const glm::dmat3 cofactors = glm::determinant(linear) * glm::inverseTranspose(linear);
    for (std::size_t v = 0; v < expected.normals.size(); ++v) {
      if (glm::length(cofactors * glm::dvec3(load.primitive.normals[v])) <= 0.999e-3 * size) {
        ++shortened;
        ASSERT_EQ(actual.normals[v], expected.normals[v]) << v;
      }
    }
  }
  EXPECT_GT(shortened, 1000u);
}

TEST_P(FastSkinTest, TheFloorWritesWhatSkinningWritesAndNoMore) {
  const Load load = random_load({.seed = 23, .joints = 10, .vertices = 1003, .influences = 3}, 1.0);
  const FastSkin skin(load.input(), ranks(load.matrices.size()), options());
  const auto whole = static_cast<std::ptrdiff_t>(1003 / skin.blocks().lanes * skin.blocks().lanes);
  for (const bool stream : {false, true}) {
    LineVector<glm::vec3> positions(1003, glm::vec3(7));
    LineVector<glm::vec3> normals(1003, glm::vec3(7));
    LineVector<glm::vec4> tangents(1003, glm::vec4(7));
    skin.run_floor({positions, normals, tangents}, stream);
    EXPECT_EQ(std::count(positions.begin(), positions.end(), glm::vec3(7)), 1003 - whole);
    EXPECT_EQ(std::count(normals.begin(), normals.end(), glm::vec3(7)), 1003 - whole);
    EXPECT_EQ(std::count(tangents.begin(), tangents.end(), glm::vec4(7)), 1003 - whole);
    EXPECT_EQ(positions.back(), glm::vec3(7));
  }
}

TEST_P(FastSkinTest, C7_7_OrderOfInfluencesDoesNotMatter) {
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    const Load load = random_load({.seed = seed, .joints = 12, .vertices = 333, .influences = 8}, 2.0);
    Load other = load;
    test::Random random(seed);
    other.primitive.influences = test::shuffled_rows(load.primitive.influences, random);
    ASSERT_FALSE(other.primitive.influences == load.primitive.influences);
    for (const NormalVariant variant : kCovered) {
      // A block's joints stand in an order of their own, so the sums are the same ones.
      EXPECT_TRUE(fast(load.input(variant), options()) == fast(other.input(variant), options()));
    }
  }
}

TEST_P(FastSkinTest, BlocksOfOneJointAgree) {
  Load load = random_load({.seed = 15, .joints = 6, .vertices = 260, .influences = 1}, 0.5);
  mesh::Influences rows;
  for (std::size_t v = 0; v < load.primitive.vertex_count(); ++v) {
    const auto joint = static_cast<std::uint16_t>(v / 50);
    const float weight = 1.0f;
    mesh::append_row(rows, {&joint, 1}, {&weight, 1});
  }
  load.primitive.influences = rows;
  load.matrices[1] = glm::scale(load.matrices[1], glm::vec3(-1, 1, 1));
  load.matrices[2] = glm::scale(load.matrices[2], glm::vec3(1, 0, 1));
  load.matrices[3] = glm::scale(load.matrices[3], glm::vec3(0, 0, 0));
  load.matrices[4] = glm::scale(load.matrices[4], glm::vec3(2, 1, -0.5f));
  load.matrices[5] = glm::scale(load.matrices[5], glm::vec3(1, -1e-6f, 1));
  for (const float size : {1.0f, 20.0f, 1e-7f}) {  // of one joint: all alike, and not
    Load sized = load;
    sized.matrices[0] = glm::scale(sized.matrices[0], glm::vec3(size));
    for (const NormalVariant variant : kCovered) {
      expect_same(fast(sized.input(variant), options()), plain(sized.input(variant)), kTenthOfDegree);
      Load bare = sized;
      bare.primitive.tangents.clear();
      expect_same(fast(bare.input(variant), options()), plain(bare.input(variant)), kTenthOfDegree);
    }
  }
}

TEST_P(FastSkinTest, C13_4_CancelledAndZeroDirectionsAreThePlainKernels) {
  Load load;
  load.matrices = {glm::mat4(1.0f), glm::rotate(glm::mat4(1.0f), std::numbers::pi_v<float>, glm::vec3(0, 0, 1))};
  // Zero, and what single precision squares to zero or infinity, keep a mesh from counting on unit normals.
  const glm::vec3 normals[] = {{1, 0, 0}, {0, 0, 1}, {0, 1, 0},      {0, 0, 20},
                               {0, 0, 0}, {0, 0, 1}, {0, 1e-23f, 0}, {0, 1e20f, 0}};
  for (int v = 0; v < 50; ++v) {
    load.primitive.positions.emplace_back(v, 0, 0);
    load.primitive.normals.push_back(normals[v % 8]);
    load.primitive.tangents.emplace_back(v % 2 == 0 ? glm::vec3(0, 0, 1) : glm::vec3(1, 0, 0), 1.0f);
    const std::uint16_t joints[] = {0, 1};
    const float weights[] = {0.5f, 0.5f};
    mesh::append_row(load.primitive.influences.edit(), joints, weights);
  }
  const auto expect_all_agree = [&] {
    for (const NormalVariant variant : kCovered) {
      const SkinInput input = load.input(variant);
      const Shape expected = plain(input);
      const Shape actual = fast(input, options());
      for (std::size_t v = 0; v < expected.normals.size(); ++v) {
        ASSERT_LE(glm::distance(actual.normals[v], expected.normals[v]), kRadians) << v;  // zero where squares overflow
      }
    }
  };
  expect_all_agree();
  load.primitive.tangents.clear();
  expect_all_agree();
  for (std::size_t v = 0; v < load.primitive.normals.size(); ++v) {
    load.primitive.normals.edit()[v] = normals[v % 4];
  }
  expect_all_agree();
}

TEST_P(FastSkinTest, ScatteredBlocksKeepTheOrderOfTheSource) {
  // Every other vertex follows another half of the body: exchanging lanes halves the lists.
  Load load = random_load({.seed = 9, .joints = 16, .vertices = 250, .influences = 4}, 0.5);
  mesh::Influences rows;
  test::Random random(10);
  for (std::size_t v = 0; v < load.primitive.vertex_count(); ++v) {
    std::uint16_t joints[4];
    float weights[4];
    for (std::uint16_t k = 0; k < 4; ++k) {
      joints[k] = static_cast<std::uint16_t>(8 * (v % 2) + k);
      weights[k] = random.real(0.1f, 1.0f);
    }
    mesh::append_row(rows, joints, weights);
  }
  load.primitive.influences = rows;
  const FastSkin skin(load.input(), ranks(load.matrices.size()), options());
  const SkinBlocks& blocks = skin.blocks();
  if (blocks.lanes == kMostBlockLanes) {
    for (const SkinBlocks::Block& block : std::span(blocks.blocks).first(15)) {  // the last one is not full
      EXPECT_TRUE(block.scattered);
      EXPECT_EQ(block.joint_count, &block == blocks.blocks.data() + 7 ? 8 : 4);  // 125 of each kind
    }
  }
  for (const NormalVariant variant : kCovered) {
    expect_agreement(load.input(variant), options(), kRadians);
  }
}

TEST_P(FastSkinTest, C11_2_ResultsDoNotDependOnThreads) {
  const Load load = random_load({.seed = 11, .joints = 30, .vertices = 20003, .influences = 4}, 3.0);
  for (const SkinInput& input : {load.input(), without_tangents(load.input())}) {
    for (const std::size_t cache_bytes : {FastSkinOptions().cache_bytes, std::size_t{0}}) {
      FastSkinOptions its = options();
      its.cache_bytes = cache_bytes;
      set_thread_limit(1);
      const Shape one = fast(input, its);
      set_thread_limit(0);
      EXPECT_TRUE(one == fast(input, its));
      expect_same(one, plain(input), kRadians);
    }
  }
}

TEST_P(FastSkinTest, WritesTheSameAnywhere) {
  const Load load = random_load({.seed = 13, .joints = 10, .vertices = 5003, .influences = 3}, 1.0);
  for (const SkinInput& input : {load.input(), without_tangents(load.input())}) {
    const Shape expected = fast(input, options());
    for (const std::size_t cache_bytes : {FastSkinOptions().cache_bytes, std::size_t{0}}) {
      FastSkinOptions its = options();
      its.cache_bytes = cache_bytes;
      FastSkin skin(input, ranks(load.matrices.size()), its);
      // Outputs that begin at different places within a cache line, or on one as 16 vertices do, with guards around
      // them.
      constexpr std::size_t kLine = 16;
      struct Begin {
        std::size_t position, normal;
      };
      for (const Begin begin : {Begin{kLine, kLine}, Begin{kLine, 1}, Begin{1, kLine}, Begin{2, 0}, Begin{0, 2}}) {
        const std::size_t count = input.positions.size();
        const std::size_t tangent_count = input.tangents.size();
        LineVector<glm::vec3> positions(count + 2 * kLine, glm::vec3(7));
        LineVector<glm::vec3> normals(count + 2 * kLine, glm::vec3(7));
        LineVector<glm::vec4> tangents(tangent_count + 2 * kLine, glm::vec4(7));
        skin.run(input,
                 {std::span(positions).subspan(begin.position, count), std::span(normals).subspan(begin.normal, count),
                  std::span(tangents).subspan(begin.position, tangent_count)});
        const auto expect_at = [](const auto& all, std::size_t first, const auto& wanted) {
          const auto written = std::span(all).subspan(first, wanted.size());
          EXPECT_TRUE(std::ranges::equal(written, wanted));
          EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(all, std::decay_t<decltype(all[0])>(7))),
                    all.size() - wanted.size());
        };
        expect_at(positions, begin.position, expected.positions);
        expect_at(normals, begin.normal, expected.normals);
        expect_at(tangents, begin.position, expected.tangents);
      }
    }
  }
}

TEST_P(FastSkinTest, WritesPastTheCachesWhatItWritesIntoThem) {
  // Blocks in place and scattered ones, of one joint and of several, with normals in doubt in each kind of one joint;
  // the last block is not full.
  constexpr std::uint16_t kFlat = 4;
  Load load = random_load({.seed = 31, .joints = 12, .vertices = 1003, .influences = 4}, 2.0);
  // Its determinant is a millionth of its size's cube below zero, where mirroring begins.
  load.matrices[kFlat] = glm::scale(load.matrices[kFlat], glm::vec3(1, 1, -5.44e-7f));
  mesh::Influences rows;
  test::Random random(32);
  for (std::size_t v = 0; v < load.primitive.vertex_count(); ++v) {
    std::uint16_t joints[4] = {kFlat};
    float weights[4] = {1};
    std::size_t count = 1;
    if (v < 128 || (v >= 512 && v % 2 == 1)) {
      count = 4;
      for (std::size_t k = 0; k < count; ++k) {
        joints[k] = static_cast<std::uint16_t>(5 + v / 256 + k);
        weights[k] = random.real(0.1f, 1.0f);
      }
    } else if (v < 192) {
      joints[0] = 3;
    }
    mesh::append_row(rows, {joints, count}, {weights, count});
  }
  load.primitive.influences = rows;
  for (const BlockWeights weights : {BlockWeights::kFloat, BlockWeights::kUnorm16}) {
    for (const NormalVariant variant : kCovered) {
      const SkinInput input = without_tangents(load.input(variant));
      const Shape reference = plain(input);
      FastSkinOptions its = options();
      its.weights = weights;
      const Shape within = fast(input, its);
      its.cache_bytes = 0;
      FastSkin skin(input, ranks(load.matrices.size()), its);
      for (const bool asks_bounds : {false, true}) {
        Shape past(input);
        Bounds found;
        skin.run(input, past.output(), asks_bounds ? &found : nullptr);
        EXPECT_TRUE(past == within);
        // Equal results do not show which way they went; on lines they can go past the caches.
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(past.positions.data()) % 64, 0u);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(past.normals.data()) % 64, 0u);
        if (asks_bounds) {
          EXPECT_EQ(found.lower, bounds_of(within.positions).lower);
          EXPECT_EQ(found.upper, bounds_of(within.positions).upper);
        }
      }
      const SkinBlocks& blocks = skin.blocks();
      for (const bool scattered : {false, true}) {
        for (const bool one : {false, true}) {
          EXPECT_TRUE(blocks.lanes < kMostBlockLanes ||
                      std::ranges::any_of(blocks.blocks, [&](const SkinBlocks::Block& block) {
                        return block.scattered == scattered && (block.joint_count == 1) == one;
                      }));
        }
      }
      for (std::size_t v = 0; v < 1003; ++v) {
        // These are the plain kernel's, bit by bit unless their shape was made one long before.
        if (its.morphs_normals && variant == NormalVariant::kInverseTransposeOfBlend && rows.joints(v)[0] == kFlat) {
          EXPECT_EQ(within.normals[v], reference.normals[v]) << v;
        }
      }
      if (weights == BlockWeights::kFloat) {
        expect_same(within, reference, kRadians);
      }
    }
  }
}

TEST_P(FastSkinTest, BoundsAreThoseOfThePositions) {
  const Load load = random_load({.seed = 15, .joints = 10, .vertices = 3000, .influences = 3}, 1.0);
  for (const float extra : {0.0f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Load odd = load;
    odd.primitive.positions.edit()[1234].y += extra;
    for (const SkinInput& input : {odd.input(), without_tangents(odd.input())}) {
      Shape out(input);
      Bounds bounds;
      FastSkin skin(input, ranks(load.matrices.size()), options());
      skin.run(input, out.output(), &bounds);
      EXPECT_EQ(bounds.lower, bounds_of(out.positions).lower);
      EXPECT_EQ(bounds.upper, bounds_of(out.positions).upper);
    }
  }
}

TEST_P(FastSkinTest, C9_2_MatricesThatAreNotFiniteReachOnlyTheirOwnVertices) {
  Load load = random_load({.seed = 17, .joints = 6, .vertices = 300, .influences = 2}, 0.5);
  load.matrices[2][3].x = std::numeric_limits<float>::quiet_NaN();
  const Shape out = fast(load.input(), options());
  const mesh::Influences& rows = load.primitive.influences;
  for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
    const bool follows = std::ranges::find(rows.joints(v), 2) != rows.joints(v).end();
    ASSERT_EQ(is_finite(out.positions[v]), !follows) << v;
  }
}

// Against the plain loop over all targets and the plain kernel, whatever weights came before.
TEST_P(FastMorphTest, C17_MorphsAsThePlainLoopDoes) {
  const Load load = random_load({.seed = 23, .joints = 6, .vertices = 301, .influences = 3, .morph_targets = 4}, 0.5);
  SharedList<mesh::MorphTarget> targets = load.primitive.morph_targets;
  ASSERT_EQ(targets.size(), 4u);
  targets.edit(1).normal_deltas.clear();
  targets.edit(1).tangent_deltas.clear();
  mesh::MorphTarget& third = targets.edit(2);
  for (std::size_t v = 0; v < load.primitive.positions.size(); ++v) {
    if (v < 290) {  // the last window alone, whose last lanes have no vertex of their own
      third.position_deltas.edit()[v] = third.normal_deltas.edit()[v] = third.tangent_deltas.edit()[v] =
          glm::vec3(0.0f);
    }
  }
  Load morphed = load;
  morphed.primitive.morph_targets = targets;
  const mesh::Primitive base = morphed.primitive;
  FastSkin skin(load.input(), ranks(load.matrices.size()), options());
  const std::vector<std::vector<float>> history = {{1}, {0, 0.5f, 2},      {0, 0.5f, 2},
                                                   {},  {-1, 0, 0, 0.25f}, {0, 0, 3, 1}};
  for (const std::vector<float>& weights : history) {
    skin.set_morph_weights(targets, weights);
    apply_morph_targets(base, weights, morphed.primitive.positions.edit(), morphed.primitive.normals.edit(),
                        morphed.primitive.tangents.edit());
    Shape out(load.input());
    Bounds bounds;
    skin.run(load.input(), out.output(), &bounds);
    expect_same(out, plain(morphed.input()), kRadians);
    EXPECT_EQ(out, fast(morphed.input(), options())) << "bit by bit what a shape loaded as a whole gives";
    EXPECT_EQ(bounds.lower, bounds_of(out.positions).lower);
    EXPECT_EQ(bounds.upper, bounds_of(out.positions).upper);
  }
  Load broken = load;  // what is not finite goes to the plain kernel, which has to see the same shape
  broken.matrices[2][3].x = std::numeric_limits<float>::quiet_NaN();
  morphed.matrices = broken.matrices;
  Shape out(load.input());
  skin.run(broken.input(), out.output());
  const Shape expected = plain(morphed.input());
  for (std::size_t v = 0; v < out.positions.size(); ++v) {
    ASSERT_EQ(is_finite(out.positions[v]), is_finite(expected.positions[v])) << v;
    if (is_finite(out.positions[v])) {
      ASSERT_EQ(out.positions[v], expected.positions[v]) << v;
    }
  }
}

TEST_P(FastSkinTest, C15_SixteenBitWeightsStayWithinTheirBound) {
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    const Load load = random_load({.seed = seed, .joints = 30, .vertices = 500, .influences = 8}, 1.0);
    FastSkinOptions compressed = options();
    compressed.weights = BlockWeights::kUnorm16;
    const Shape out = fast(load.input(), compressed);
    const Shape exact = plain(load.input());
    const double diagonal = static_cast<double>(bounds_of(exact.positions).diagonal());
    const mesh::Influences& rows = load.primitive.influences;
    // They are what the rounded rows give, and that is not what the file's rows give.
    Load rounded = load;
    rounded.primitive.influences = mesh::quantized_influences(rows, WeightFormat::kUnorm16);
    expect_same(out, plain(rounded.input()), kRadians);
    double farthest = 0;
    for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
      farthest = std::max(farthest, static_cast<double>(glm::distance(out.positions[v], exact.positions[v])));
    }
    EXPECT_GE(farthest, 4 * kRelative * diagonal);
    const FastSkin skin(load.input(), ranks(load.matrices.size()), compressed);
    EXPECT_TRUE(skin.blocks().weights.empty());
    EXPECT_FALSE(skin.blocks().weights16.empty());
    for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
      double spread = 0;
      const mesh::InfluenceRow row = rows.row(v);
      for (std::size_t a = 0; a < row.joints.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
          const glm::vec4 bind(load.primitive.positions[v], 1.0f);
          spread = std::max(spread, static_cast<double>(glm::distance(load.matrices[row.joints[a]] * bind,
                                                                      load.matrices[row.joints[b]] * bind)));
        }
      }
      // Half the sum of the weights' errors: at most a quarter unit per influence (ALGORITHMS.md §15).
      const double bound = rows.count(v) / 4.0 / 65535 * spread;
      ASSERT_LE(glm::distance(out.positions[v], exact.positions[v]), bound + kRelative * diagonal) << v;
    }
  }
}

/// A load with its palette of dual quaternions; joints stretch about random pivots.
struct MotionLoad : Load {
  std::vector<glm::vec4> palette;

  explicit MotionLoad(Load load) : Load(std::move(load)) {
    test::Random random(77);
    std::vector<glm::vec3> pivots;
    for (std::size_t j = 0; j < matrices.size(); ++j) {
      pivots.push_back(random.vector(-1, 1));
    }
    pack_palette(skinning_methods()[find_method("dqs")], loose_binding(pivots), matrices, palette);
  }
  [[nodiscard]] SkinInput motion_input() const {
    SkinInput in = input();
    in.palette = palette;
    return in;
  }
};

Shape plain_motions(const SkinInput& input) {
  Shape out(input);
  skin_dqs(input, out.output(), 0, input.positions.size());
  return out;
}

Shape fast_motions(const SkinInput& input, FastSkinOptions options) {
  options.method = FastMethod::kDualQuaternion;
  return fast(input, options);
}

TEST_P(FastMorphTest, C17_MorphsUnderDualQuaternions) {
  const MotionLoad load(
      random_load({.seed = 29, .joints = 6, .vertices = 301, .influences = 3, .morph_targets = 2}, 0.5));
  MotionLoad morphed = load;
  FastSkinOptions of_motions = options();
  of_motions.method = FastMethod::kDualQuaternion;
  FastSkin skin(load.motion_input(), ranks(load.matrices.size()), of_motions);
  const std::vector<float> weights = {0.5f, -1};
  skin.set_morph_weights(load.primitive.morph_targets, weights);
  apply_morph_targets(load.primitive, weights, morphed.primitive.positions.edit(), morphed.primitive.normals.edit(),
                      morphed.primitive.tangents.edit());
  Shape out(load.input());
  skin.run(load.motion_input(), out.output());
  expect_same(out, plain_motions(morphed.motion_input()), kRadians);
  // What is not finite goes to the plain kernel, which has to see the same shape.
  MotionLoad broken = load;
  broken.matrices[2][3].x = std::numeric_limits<float>::quiet_NaN();
  morphed.matrices = broken.matrices;
  skin.run(broken.motion_input(), out.output());
  EXPECT_EQ(out, plain_motions(morphed.motion_input()));
}

TEST_P(FastSkinTest, C17_PositionsMorphWhereNormalsDoNot) {
  Load load = random_load({.seed = 37, .joints = 6, .vertices = 301, .influences = 3, .morph_targets = 2}, 0.5);
  load.primitive.tangents.clear();
  for (glm::vec3& normal : load.primitive.normals.edit()) {
    normal *= 3.0f;
  }
  for (mesh::MorphTarget& target : load.primitive.morph_targets.edit_each()) {
    target.normal_deltas.clear();
    target.tangent_deltas.clear();
  }
  const std::vector<float> weights = {0.5f, -1};
  FastSkin skin(load.input(), ranks(load.matrices.size()), options());
  skin.set_morph_weights(load.primitive.morph_targets, weights);
  Shape out(load.input());
  skin.run(load.input(), out.output());
  const mesh::Primitive base = load.primitive;
  apply_morph_targets(base, weights, load.primitive.positions.edit(), load.primitive.normals.edit(),
                      load.primitive.tangents.edit());
  expect_same(out, plain(load.input()), kRadians);
}

TEST_P(FastSkinTest, DualQuaternionsAgreeWithThePlainKernel) {
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    for (const int influences : {1, 2, 3, 4, 8}) {
      const MotionLoad load(random_load(
          {.seed = seed, .joints = 40, .vertices = 333, .influences = influences, .scaled = seed % 2 == 0}, 0.5));
      for (const std::size_t attributes : {0, 1, 2}) {
        SkinInput input = load.motion_input();
        input.normals = attributes >= 1 ? input.normals : std::span<const glm::vec3>();
        input.tangents = attributes >= 2 ? input.tangents : std::span<const glm::vec4>();
        ASSERT_TRUE(FastSkin::covers(input, FastMethod::kDualQuaternion));
        expect_same(fast_motions(input, options()), plain_motions(input), kRadians);
      }
    }
  }
}

TEST_P(FastSkinTest, C7_7_OrderOfInfluencesDoesNotMatterToDualQuaternions) {
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    const MotionLoad load(random_load({.seed = seed, .joints = 12, .vertices = 333, .influences = 8}, 2.0));
    MotionLoad other = load;
    test::Random random(seed);
    other.primitive.influences = test::shuffled_rows(load.primitive.influences, random);
    EXPECT_TRUE(fast_motions(load.motion_input(), options()) == fast_motions(other.motion_input(), options()));
  }
}

TEST_P(FastSkinTest, C14_2_MirroredJointsOfDualQuaternionsAgree) {
  for (const int influences : {1, 3}) {
    Load load = random_load({.seed = 19, .joints = 6, .vertices = 400, .influences = influences}, 0.5);
    for (std::size_t j = 0; j < load.matrices.size(); ++j) {
      // One between others that are not; all but one.
      if ((j == 2) == (influences == 1)) {
        load.matrices[j] = glm::scale(load.matrices[j], glm::vec3(1, -1, 1));
      }
    }
    const MotionLoad motions(load);
    expect_same(fast_motions(motions.motion_input(), options()), plain_motions(motions.motion_input()), kTenthOfDegree);
  }
}

TEST_P(FastSkinTest, C13_4_DualQuaternionsTurnNormalsOfAnyLength) {
  const Load random = random_load({.seed = 31, .joints = 5, .vertices = 70, .influences = 3}, 0.5);
  for (const float least : {0.0f, 1e-10f}) {
    MotionLoad load(random);
    load.primitive.tangents.clear();
    for (std::size_t v = 0; v < load.primitive.normals.size(); v += 3) {
      load.primitive.normals.edit()[v] *= v % 2 == 0 ? least : 20.0f;
    }
    expect_same(fast_motions(load.motion_input(), options()), plain_motions(load.motion_input()), kRadians);
  }
}

TEST_P(FastSkinTest, C22_5_EveryVertexTakesItsOwnShortestWay) {
  // Turns by up to a whole one: no side serves all joints of a list.
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    const MotionLoad load(
        random_load({.seed = seed, .joints = 12, .vertices = 500, .influences = 2}, 2 * std::numbers::pi));
    for (const bool antipodality : {true, false}) {
      SkinInput input = load.motion_input();
      input.parameters.antipodality = antipodality;
      expect_same(fast_motions(input, options()), plain_motions(input), kRadians);
    }
  }
}

TEST_P(FastSkinTest, C22_OpposedRotationsAreThePlainKernels) {
  Load half_turns;
  half_turns.matrices = {glm::mat4(1.0f), glm::rotate(glm::mat4(1.0f), std::numbers::pi_v<float>, glm::vec3(0, 0, 1)),
                         glm::rotate(glm::mat4(1.0f), 2 * std::numbers::pi_v<float>, glm::vec3(0, 0, 1))};
  for (int v = 0; v < 50; ++v) {
    half_turns.primitive.positions.emplace_back(v, 1, 0);
    half_turns.primitive.normals.push_back(v % 7 == 0 ? glm::vec3(0) : glm::vec3(0, 1, 0));
    half_turns.primitive.tangents.emplace_back(1, 0, 0, 1);
    const std::uint16_t joints[] = {static_cast<std::uint16_t>(v % 3), static_cast<std::uint16_t>((v + 1) % 3)};
    const float weights[] = {0.5f, 0.5f};
    mesh::append_row(half_turns.primitive.influences.edit(), joints, weights);
  }
  MotionLoad load(half_turns);
  // The third joint's motion is the first's by its other name, so that they cancel where the sign is not minded.
  load.palette[2 * 5] = -load.palette[0];
  load.palette[2 * 5 + 1] = -load.palette[1];
  for (const bool antipodality : {true, false}) {
    SkinInput input = load.motion_input();
    input.parameters.antipodality = antipodality;
    Shape out(input);
    Bounds bounds;
    FastSkinOptions motions = options();
    motions.method = FastMethod::kDualQuaternion;
    FastSkin(input, ranks(3), motions).run(input, out.output(), &bounds);
    expect_same(out, plain_motions(input), kRadians);
    EXPECT_EQ(bounds.lower, bounds_of(out.positions).lower);
    EXPECT_EQ(bounds.upper, bounds_of(out.positions).upper);
  }
}

TEST_P(FastSkinTest, C52_5_EqualVerticesMeetWhateverTheirNeighboursFollow) {
  const MotionLoad load(random_load({.seed = 21, .joints = 20, .vertices = 200, .influences = 4}, 3.0));
  // The same vertices in another order, each among others.
  MotionLoad turned = load;
  turned.primitive.influences = {};
  const std::size_t count = load.primitive.vertex_count();
  for (std::size_t v = 0; v < count; ++v) {
    const std::size_t from = v * 67 % count;
    turned.primitive.positions.edit()[v] = load.primitive.positions[from];
    turned.primitive.influences.edit().push_row(load.primitive.influences->row(from));
  }
  const auto expect_meeting = [&](const Shape& a, const Shape& b) {
    for (std::size_t v = 0; v < count; ++v) {
      ASSERT_EQ(b.positions[v], a.positions[v * 67 % count]) << v;
    }
  };
  for (const BlockWeights weights : {BlockWeights::kFloat, BlockWeights::kUnorm16}) {
    FastSkinOptions its = options();
    its.weights = weights;
    expect_meeting(fast(load.input(), its), fast(turned.input(), its));
    expect_meeting(fast(without_tangents(load.input()), its), fast(without_tangents(turned.input()), its));
    expect_meeting(fast_motions(load.motion_input(), its), fast_motions(turned.motion_input(), its));
  }
}

TEST_P(FastSkinTest, C52_5_VerticesOfOneJointMeetWhateverTheirBlocksFollow) {
  // Numbers that change when they are divided by the units of 16-bit weights and multiplied by them again; few do.
  constexpr std::uint16_t kTurns = 1;
  constexpr std::uint16_t kMoves = 4;
  Load load = random_load({.seed = 33, .joints = 5, .vertices = 64, .influences = 1}, 3.0);
  float number = 1.0f;
  const auto next = [&number] {
    do {
      number = std::nextafter(number, 2.0f);
    } while (number * (1.0f / kWeightUnits) * kWeightUnits == number);
    return number;
  };
  for (int e = 0; e < 12; ++e) {
    load.matrices[kTurns][e / 3][e % 3] = e < 9 ? next() : 0.0f;
    load.matrices[kMoves][e / 3][e % 3] = e < 9 ? 0.0f : next();
  }
  for (std::size_t v = 0; v < 64; ++v) {  // each shows a column of theirs, bit by bit
    load.primitive.positions.edit()[v] = glm::vec3(0.0f);
    load.primitive.positions.edit()[v][static_cast<int>(v / 4 % 3)] = 1.0f;
  }
  for (const BlockWeights weights : {BlockWeights::kFloat, BlockWeights::kUnorm16}) {
    FastSkinOptions its = options();
    its.weights = weights;
    for (const std::uint16_t joint : {kTurns, kMoves}) {
      for (const std::size_t others : {0, 2, 4}) {  // joints of every fourth vertex; four make its block scatter
        Load of = load;
        of.primitive.influences = {};
        constexpr std::array<std::uint16_t, 4> kJoints = {0, 1, 2, 3};
        constexpr std::array kWeights = {0.3f, 0.4f, 0.1f, 0.2f};
        for (std::size_t v = 0; v < 64; ++v) {
          if (others > 0 && v % 4 == 3) {
            mesh::append_row(of.primitive.influences.edit(), std::span(kJoints).first(others),
                             std::span(kWeights).first(others));
          } else {
            mesh::append_row(of.primitive.influences.edit(), std::array{joint}, std::array{1.0f});
          }
        }
        for (const SkinInput& input : {of.input(), without_tangents(of.input())}) {
          FastSkin skin(input, ranks(5), its);
          Shape out(input);
          skin.run(input, out.output());
          EXPECT_EQ(std::ranges::any_of(skin.blocks().blocks, &SkinBlocks::Block::scattered),
                    others == 4 && skin.blocks().lanes == kMostBlockLanes);
          const Shape alone = plain(input);
          for (std::size_t v = 0; v < 64; ++v) {
            if (others > 0 && v % 4 == 3) {
              continue;
            }
            for (int c = 0; c < 3; ++c) {
              const float wanted = alone.positions[v][c];
              const float units = wanted * (1.0f / kWeightUnits) * kWeightUnits;
              EXPECT_EQ(out.positions[v][c], weights == BlockWeights::kFloat ? wanted : units) << v;
            }
          }
        }
      }
    }
  }
}

std::vector<Kernel> kernels(bool unit_normals_too) {
  std::vector<Kernel> out;
  for (const FastKernels& kernels : fast_kernels()) {
    out.push_back({kernels.name, true});
    if (unit_normals_too) {
      out.push_back({kernels.name, false});
    }
  }
  return out;
}
std::string name_of(const testing::TestParamInfo<Kernel>& kernel) {
  return std::string(kernel.param.instruction_set) + (kernel.param.morphs_normals ? "" : "_UnitNormals");
}
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FastSkinTest);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FastMorphTest);
INSTANTIATE_TEST_SUITE_P(Sets, FastSkinTest, testing::ValuesIn(kernels(true)), name_of);
INSTANTIATE_TEST_SUITE_P(Sets, FastMorphTest, testing::ValuesIn(kernels(false)), name_of);

TEST(FastSkin, CoversWhatItSays) {
  const Load load = random_load({.seed = 1, .joints = 20, .vertices = 40, .influences = 20}, 0.5);
  EXPECT_FALSE(FastSkin::covers(load.input()));  // a row of more than 16
  const Load light = random_load({.seed = 1, .joints = 20, .vertices = 40, .influences = 4}, 0.5);
  SkinInput input = light.input();
  EXPECT_EQ(FastSkin::covers(input), !fast_kernels().empty());
  input.weights_as_stored = true;
  EXPECT_FALSE(FastSkin::covers(input));
  EXPECT_FALSE(FastSkin::covers(light.input(NormalVariant::kPerJointNormalized)));
}

TEST(SkinBlocks, C15_SixteenBitsHoldWhatCompressedRowsHold) {
  const Load load = random_load({.seed = 3, .joints = 20, .vertices = 200, .influences = 4}, 1.0);
  std::vector<int> ranks(load.matrices.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  for (const WeightFormat format : {WeightFormat::kUnorm16, WeightFormat::kUnorm8, WeightFormat::kPacked56}) {
    const mesh::Influences rows = mesh::quantized_influences(load.primitive.influences, format);
    const SkinBlocks blocks = make_skin_blocks(rows, ranks, 8, BlockWeights::kUnorm16);
    for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
      const SkinBlocks::Block& block = blocks.blocks[v / 8];
      for (std::uint32_t u = 0; u < block.joint_count && block.joint_count > 1; ++u) {
        float expected = 0;
        const mesh::InfluenceRow row = rows.row(v);
        for (std::size_t k = 0; k < row.joints.size(); ++k) {
          expected = row.joints[k] == blocks.joints[block.first_joint + u] ? row.weights[k] : expected;
        }
        const std::uint16_t units = blocks.weights16[(block.weight_group + u) * 8 + v % 8];
        ASSERT_EQ(units, std::lround(static_cast<double>(expected) * 65535)) << v;
        ASSERT_NEAR(units / 65535.0, static_cast<double>(expected), 6e-8) << v;
      }
    }
  }
}

TEST(SkinBlocks, NeighboursWithTheSameJointsShareTheirList) {
  mesh::Influences rows;
  for (int v = 0; v < 64; ++v) {
    const std::uint16_t joints[] = {3, 5};
    const float weights[] = {0.75f, 0.25f};
    mesh::append_row(rows, joints, weights);
  }
  const SkinBlocks blocks = make_skin_blocks(rows, ranks(6), 16, BlockWeights::kFloat);
  ASSERT_EQ(blocks.blocks.size(), 4u);
  EXPECT_EQ(blocks.joints, (std::vector<std::uint16_t>{3, 5}));
  for (const SkinBlocks::Block& block : blocks.blocks) {
    EXPECT_EQ(block.first_joint, 0u);
    EXPECT_EQ(block.joint_count, 2u);
  }
  ASSERT_EQ(blocks.weights.size(), 2u * 64);
  for (std::size_t i = 0; i < blocks.weights.size(); ++i) {
    EXPECT_EQ(blocks.weights[i], i / 16 % 2 == 0 ? 0.75f : 0.25f);
  }
}

TEST(LoopOrder, C11_1_BoneMajorSumAndMatrixFormAgree) {
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    const Load load = random_load({.seed = seed, .joints = 30, .vertices = 500, .influences = 8}, 1.0);
    const SkinInput input = load.input(NormalVariant::kBlend);
    const Shape matrix_form = plain(input);
    const double diagonal = static_cast<double>(bounds_of(matrix_form.positions).diagonal());
    Shape sum_form(input);
    skin_lbs_sum_of_points(input, sum_form.output(), 0, input.positions.size());
    Shape bone_major(input);
    skin_lbs_bone_major(input, make_joint_vertices(load.primitive.influences, load.matrices.size()),
                        bone_major.positions, bone_major.normals);
    for (std::size_t v = 0; v < input.positions.size(); ++v) {
      ASSERT_LE(glm::distance(sum_form.positions[v], matrix_form.positions[v]), kRelative * diagonal);
      ASSERT_LE(glm::distance(bone_major.positions[v], matrix_form.positions[v]), kRelative * diagonal);
      ASSERT_LE(test::angle_between(bone_major.normals[v], matrix_form.normals[v]), kRadians);
    }
  }
}

}  // namespace
}  // namespace pelt::deform
