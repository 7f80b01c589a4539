// What follows edited rows gives what is laid out anew gives, bit by bit.
#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <ostream>
#include <string>
#include <tuple>

#include <gtest/gtest.h>
#include <glm/gtc/matrix_transform.hpp>

#include "core/large_memory.h"
#include "deform/dual_quaternion_row.h"
#include "deform/fast_skin.h"
#include "deform/skinning_methods.h"
#include "support/fixtures.h"

namespace pelt::deform {
namespace {

struct Skinned {
  LineVector<glm::vec3> positions;
  LineVector<glm::vec3> normals;
  LineVector<glm::vec4> tangents;

  explicit Skinned(const mesh::Primitive& of)
      : positions(of.positions.size()), normals(of.normals.size()), tangents(of.tangents.size()) {}
  [[nodiscard]] SkinOutput output() { return {positions, normals, tangents}; }
  bool operator==(const Skinned&) const = default;
};

constexpr int kSkinJoints = 24;

struct LoadWithOptions {
  mesh::Primitive primitive;
  std::vector<glm::mat4> matrices;
  std::vector<glm::vec4> palette;
  FastSkinOptions options;

  [[nodiscard]] SkinInput input(const mesh::Influences& rows) const {
    SkinInput in;
    in.positions = primitive.positions;
    in.normals = primitive.normals;
    in.tangents = primitive.tangents;
    in.influences = &rows;
    in.skin_matrices = matrices;
    in.palette = palette;
    return in;
  }
  [[nodiscard]] FastSkin fresh(const mesh::Influences& rows) const {
    std::vector<int> ranks(kSkinJoints);
    std::iota(ranks.rbegin(), ranks.rend(), 0);
    return {input(rows), ranks, options};
  }
};

// Rows as a file has them: neighbours follow neighbours, some one joint alone, some nothing, all heaviest alone where
// `one`.
void write_row(test::Random& random, int v, int vertex_count, bool one, mesh::Influences& rows) {
  std::array<std::uint16_t, 6> joints{};
  std::array<float, 6> weights{};
  const int kind = random.below(8);
  const int count = one || kind < 3 ? 1 : kind == 3 ? 0 : 2 + random.below(kind == 4 ? 5 : 3);
  const int first = kind == 7 ? random.below(kSkinJoints) : v * kSkinJoints / vertex_count;
  for (int k = 0; k < count; ++k) {
    joints[k] = static_cast<std::uint16_t>((first + k) % kSkinJoints);
    weights[k] = random.real(0.1f, 1.0f);
  }
  rows.set_row(static_cast<std::size_t>(v), std::span(joints).first(count), std::span(weights).first(count));
}

// Contiguous ones, ones at random, and now and then all of them.
std::vector<int> some_vertices(test::Random& random, int vertex_count) {
  std::vector<int> out;
  const int kind = random.below(12);
  const int count = kind == 0 ? vertex_count : 1 + random.below(120);
  const int first = random.below(vertex_count);
  for (int i = 0; i < count; ++i) {
    out.push_back(kind < 6 ? (first + i) % vertex_count : random.below(vertex_count));
  }
  return out;
}

}  // namespace

inline void PrintTo(FastMethod method, std::ostream* out) {
  *out << (method == FastMethod::kHeaviest ? "heaviest" : method == FastMethod::kLinear ? "linear" : "motions");
}
inline void PrintTo(BlockWeights weights, std::ostream* out) {
  *out << (weights == BlockWeights::kFloat ? "float" : "16 bits");
}

namespace {

class FastSkinUpdate : public testing::TestWithParam<std::tuple<std::size_t, FastMethod, BlockWeights>> {
 protected:
  static constexpr int kVertices = 256 * 9 + 37;

  static LoadWithOptions load() {
    const auto& [kernels, method, weights] = GetParam();
    const rig::Character character =
        test::random_rig({.seed = 5, .joints = kSkinJoints, .vertices = kVertices, .morph_targets = 3});
    LoadWithOptions out;
    out.primitive = character.meshes[0].primitives[0];
    out.primitive.tangents.clear();  // so that normals may be made one long at once
    for (mesh::MorphTarget& target : out.primitive.morph_targets.edit_each()) {
      target.normal_deltas.clear();
      target.tangent_deltas.clear();
      for (int v = 0; v < kVertices; ++v) {  // some blocks stay
        if (v / 16 % 3 != 0 || v % 5 != 0) {
          target.position_deltas.edit()[v] = glm::vec3(0.0f);
        }
      }
    }
    test::Random random(6);
    for (int j = 0; j < kSkinJoints; ++j) {
      out.matrices.push_back(glm::translate(glm::mat4(1.0f), random.vector(-1, 1)) *
                             glm::mat4(glm::mat4_cast(random.rotation(1.0))));
      out.matrices.back() = glm::scale(out.matrices.back(), random.vector(0.8f, 1.25f));
    }
    const std::vector<glm::vec3> pivots(kSkinJoints, glm::vec3(0.0f));
    pack_palette(skinning_methods()[find_method("dqs")], loose_binding(pivots), out.matrices, out.palette);
    out.options = {
        .method = method, .weights = weights, .instruction_set = fast_kernels()[kernels].name, .morphs_normals = false};
    return out;
  }
};

TEST_P(FastSkinUpdate, AfterAnyEditsTheResultIsThatOfANewOne) {
  const LoadWithOptions load = FastSkinUpdate::load();
  const bool one = load.options.method == FastMethod::kHeaviest;
  test::Random random(7);
  mesh::Influences rows;
  rows.push_empty(kVertices);
  for (int v = 0; v < kVertices; ++v) {
    write_row(random, v, kVertices, one, rows);
  }
  FastSkin skin = load.fresh(rows);
  Skinned out(load.primitive);
  Bounds bounds;
  std::vector<float> morph(3, 0.0f);
  std::vector<mesh::Influences> earlier = {rows};
  bool ran = false;
  bool compacted = false;
  for (int step = 0; step < 60; ++step) {
    const mesh::Influences before = rows;
    if (random.below(5) == 0) {  // undo, travel
      rows = earlier[random.below(static_cast<int>(earlier.size()))];
    } else {
      for (const int v : some_vertices(random, kVertices)) {
        write_row(random, v, kVertices, one, rows);
      }
    }
    earlier.push_back(rows);
    const std::size_t bytes = skin.bytes();
    ASSERT_TRUE(skin.update_rows(before, rows));
    compacted = compacted || skin.bytes() < bytes;
    ASSERT_EQ(skin.loose_windows(), 0u);
    const bool morphs = step % 4 == 1;
    if (morphs) {
      morph = {random.real(-1.0f, 1.0f), static_cast<float>(random.below(2)), random.real(0.0f, 1.0f)};
      skin.set_morph_weights(load.primitive.morph_targets, morph);
    }
    if (ran && !morphs) {
      skin.run_changed(load.input(rows), out.output(), &bounds);
    } else {
      skin.run(load.input(rows), out.output(), &bounds);
    }
    ran = true;
    FastSkin other = load.fresh(rows);
    other.set_morph_weights(load.primitive.morph_targets, morph);
    Skinned expected(load.primitive);
    Bounds expected_bounds;
    other.run(load.input(rows), expected.output(), &expected_bounds);
    ASSERT_EQ(out.positions, expected.positions) << step;
    ASSERT_EQ(out.normals, expected.normals) << step;
    ASSERT_EQ(bounds.lower, expected_bounds.lower) << step;
    ASSERT_EQ(bounds.upper, expected_bounds.upper) << step;
    ASSERT_EQ(skin.blocks().used_groups, other.blocks().used_groups) << step;
    const std::size_t groups = (skin.blocks().weights.size() + skin.blocks().weights16.size()) / skin.blocks().lanes;
    ASSERT_LE((groups - skin.blocks().used_groups) * 4, groups) << "no more than a quarter is left behind";
  }
  EXPECT_TRUE(compacted);
}

TEST_P(FastSkinUpdate, VerticesThatFollowNoOtherJointsStayInTheirLanes) {
  const LoadWithOptions load = FastSkinUpdate::load();
  test::Random random(8);
  mesh::Influences rows;
  rows.push_empty(kVertices);
  for (int v = 0; v < kVertices; ++v) {
    write_row(random, v, kVertices, false, rows);
  }
  FastSkin skin = load.fresh(rows);
  const SkinBlocks at_first = skin.blocks();
  mesh::Influences now = rows;
  for (int v = 300; v < 330; ++v) {
    const std::vector<std::uint16_t> joints(rows.joints(v).begin(), rows.joints(v).end());
    std::vector<float> weights;
    std::ranges::generate_n(std::back_inserter(weights), static_cast<std::ptrdiff_t>(joints.size()),
                            [&] { return random.real(0.1f, 1.0f); });
    now.set_row(static_cast<std::size_t>(v), joints, weights);
  }
  ASSERT_TRUE(skin.update_rows(rows, now));
  EXPECT_EQ(skin.blocks().lane, at_first.lane);
  EXPECT_EQ(skin.blocks().joints, at_first.joints);
  EXPECT_EQ(skin.bytes(), load.fresh(rows).bytes()) << "weights are written where they were";
}

TEST_P(FastSkinUpdate, ComputesTheChunksThatWereEditedAlone) {
  const LoadWithOptions load = FastSkinUpdate::load();
  test::Random random(9);
  mesh::Influences rows;
  rows.push_empty(kVertices);
  for (int v = 0; v < kVertices; ++v) {
    write_row(random, v, kVertices, true, rows);
  }
  FastSkin skin = load.fresh(rows);
  Skinned out(load.primitive);
  Bounds bounds;
  skin.run(load.input(rows), out.output(), &bounds);
  EXPECT_TRUE(skin.run_changed(load.input(rows), out.output(), &bounds).empty());
  mesh::Influences now = rows;
  const std::array<std::uint16_t, 1> joint = {rows.joints(10)[0]};
  const std::array<float, 1> whole = {1.0f};
  now.set_row(FastSkin::kChunkVertices + 3, joint, whole);
  ASSERT_TRUE(skin.update_rows(rows, now));
  const std::span<const std::uint32_t> written = skin.run_changed(load.input(now), out.output(), &bounds);
  EXPECT_TRUE(std::ranges::equal(written, std::vector<std::uint32_t>{1}));
}

TEST_P(FastSkinUpdate, RowsTooLongChangeNothing) {
  const LoadWithOptions load = FastSkinUpdate::load();
  if (load.options.method == FastMethod::kHeaviest) {
    return;  // has rows of one joint alone
  }
  test::Random random(10);
  mesh::Influences rows;
  rows.push_empty(kVertices);
  for (int v = 0; v < kVertices; ++v) {
    write_row(random, v, kVertices, false, rows);
  }
  FastSkin skin = load.fresh(rows);
  std::vector<std::uint16_t> joints(kMostBlockInfluences + 1);
  std::iota(joints.begin(), joints.end(), std::uint16_t{0});
  const std::vector<float> weights(joints.size(), 1.0f);
  mesh::Influences now = rows;
  now.set_row(0, std::span(joints).first(1), std::span(weights).first(1));
  now.set_row(700, joints, weights);
  EXPECT_FALSE(skin.update_rows(rows, now));
  Skinned out(load.primitive);
  Skinned expected(load.primitive);
  skin.run(load.input(rows), out.output());
  load.fresh(rows).run(load.input(rows), expected.output());
  EXPECT_EQ(out, expected);
}

// More windows than are arranged at once: places are bit by bit those of a new one at once, all is after settle().
TEST(FastSkinSettling, WindowsLeftLooseAreSettledLater) {
  const std::size_t vertex_count = 256 * 80;
  const rig::Character character = test::random_rig({.seed = 5, .joints = kSkinJoints, .vertices = int{vertex_count}});
  LoadWithOptions load;
  load.primitive = character.meshes[0].primitives[0];
  load.primitive.tangents.clear();
  test::Random random(11);
  for (int j = 0; j < kSkinJoints; ++j) {
    load.matrices.emplace_back(glm::mat4_cast(random.rotation(1.0)));
  }
  load.options.morphs_normals = false;
  mesh::Influences rows;
  rows.push_empty(vertex_count);
  for (int v = 0; v < int{vertex_count}; ++v) {
    write_row(random, v, int{vertex_count}, false, rows);
  }
  FastSkin skin = load.fresh(rows);
  const mesh::Influences before = rows;
  for (int v = 0; v < int{vertex_count}; v += 100) {
    write_row(random, v, int{vertex_count}, false, rows);
  }
  ASSERT_TRUE(skin.update_rows(before, rows));
  EXPECT_EQ(skin.loose_windows() > 0, skin.blocks().lanes == kMostBlockLanes);
  Skinned expected(load.primitive);
  load.fresh(rows).run(load.input(rows), expected.output());
  Skinned out(load.primitive);
  skin.run(load.input(rows), out.output());
  EXPECT_EQ(out.positions, expected.positions);
  while (skin.loose_windows() > 0) {
    const std::size_t left = skin.loose_windows();
    skin.settle(rows, 7);
    ASSERT_EQ(skin.loose_windows(), left - std::min<std::size_t>(left, 7));
  }
  skin.run(load.input(rows), out.output());
  EXPECT_EQ(out, expected);
}

std::string name_of_case(const testing::TestParamInfo<FastSkinUpdate::ParamType>& info) {
  const auto& [kernels, method, weights] = info.param;
  return std::string(fast_kernels()[kernels].name) + "_" +
         (method == FastMethod::kHeaviest ? "Heaviest"
          : method == FastMethod::kLinear ? "Linear"
                                          : "Motions") +
         (weights == BlockWeights::kFloat ? "_Float" : "_Unorm16");
}
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FastSkinUpdate);
INSTANTIATE_TEST_SUITE_P(Sets, FastSkinUpdate,
                         testing::Combine(testing::Range(std::size_t{0}, fast_kernels().size()),
                                          testing::Values(FastMethod::kHeaviest, FastMethod::kLinear,
                                                          FastMethod::kDualQuaternion),
                                          testing::Values(BlockWeights::kFloat, BlockWeights::kUnorm16)),
                         name_of_case);

}  // namespace
}  // namespace pelt::deform
