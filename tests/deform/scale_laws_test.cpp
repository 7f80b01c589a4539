// Units do not matter, under every method and normal variant: neither those of the whole character, nor those in which
// a mesh is stored where its inverse bind matrices say so, nor a scale that all joints share. tests/render/
// gpu_scale_test.cpp holds the shaders to the same; tests/expected/quantized_laws_test.cpp holds both to it on files.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <glm/gtc/matrix_transform.hpp>

#include "deform/common_stretch.h"
#include "deform/deform.h"
#include "deform/skin_cache.h"
#include "deform/skinning_methods.h"
#include "measure/surface.h"
#include "mesh/mesh_surface.h"
#include "one_vertex.h"
#include "scaled_characters.h"

namespace pelt::deform {
namespace {

using test::Units;

// Of the diagonal, and radians: single precision, after products with matrices of other units.
constexpr double kSame = 1e-5;
constexpr double kSameDirection = 1e-3;

// By definition these turn a normal with the matrices themselves, which is wrong where they stretch.
constexpr NormalVariants kByMatrices =
    one_of(NormalVariant::kBlend) | one_of(NormalVariant::kLargestWeight) | one_of(NormalVariant::kFastRenormalised);

SkinningSettings settings_of(std::size_t method, NormalVariant normals) {
  SkinningSettings settings;
  settings.method = static_cast<int>(method);
  settings.normals = normals;
  settings.parameters.direct_iterations = 3;  // no law is about how much is smoothed
  return settings;
}

class ScaleLaws : public testing::TestWithParam<std::size_t> {
 protected:
  [[nodiscard]] const SkinningMethod& method() const { return skinning_methods()[GetParam()]; }

  template <typename Visit>
  void for_each_variant(const Visit& visit) const {
    for (const NormalVariantInfo& info : kNormalVariants) {
      if (normals_under(method(), info.variant) == info.variant) {
        SCOPED_TRACE(std::string("normals ") + info.letter);
        visit(settings_of(GetParam(), info.variant));
      }
    }
  }
};

// `other` is `expected`, after p -> scale (p - center) + center.
void expect_same(const DeformedCharacter& other, const DeformedCharacter& expected, double scale = 1,
                 const glm::dvec3& center = glm::dvec3(0.0)) {
  const double diagonal = scale * static_cast<double>(expected.bounds.diagonal());
  double worst = 0;
  double worst_angle = 0;
  ASSERT_EQ(other.parts.size(), expected.parts.size());
  for (std::size_t p = 0; p < expected.parts.size(); ++p) {
    const DeformedPart& a = other.parts[p];
    const DeformedPart& b = expected.parts[p];
    ASSERT_EQ(a.positions.size(), b.positions.size());
    for (std::size_t v = 0; v < b.positions.size(); ++v) {
      const glm::dvec3 image = (glm::dvec3(b.positions[v]) - center) * scale + center;
      worst = std::max(worst, glm::distance(glm::dvec3(a.positions[v]), image) / diagonal);
    }
    for (std::size_t v = 0; v < b.normals.size(); ++v) {
      worst_angle = std::max(worst_angle, test::angle_between(a.normals[v], b.normals[v]));
    }
    for (std::size_t v = 0; v < b.tangents.size(); ++v) {
      worst_angle = std::max(worst_angle, test::angle_between(glm::vec3(a.tangents[v]), glm::vec3(b.tangents[v])));
      ASSERT_EQ(a.tangents[v].w, b.tangents[v].w);
    }
  }
  EXPECT_LE(worst, kSame) << "of the diagonal";
  EXPECT_LE(worst_angle, kSameDirection) << "radians";
}

TEST_P(ScaleLaws, TheSizeOfAllOfACharacterIsThatOfTheResult) {
  for (const test::PosedCharacter& subject : test::posed_characters()) {
    SCOPED_TRACE(subject.character.name);
    for (const float scale : {0.01f, 0.37f, 100.0f}) {
      SCOPED_TRACE(scale);
      const test::PosedCharacter scaled = test::similar(subject, scale);
      for_each_variant([&](const SkinningSettings& settings) {
        expect_same(deform_once(scaled.character, scaled.pose, settings),
                    deform_once(subject.character, subject.pose, settings), static_cast<double>(scale));
      });
    }
  }
}

// As characters in centimetres are shown: the skin matrices then carry the scale.
TEST_P(ScaleLaws, AScaleThatAllJointsShareIsThatOfTheResult) {
  for (const test::PosedCharacter& subject : test::posed_characters()) {
    SCOPED_TRACE(subject.character.name);
    for (const float scale : {0.01f, 0.37f, 100.0f}) {
      SCOPED_TRACE(scale);
      const test::PosedCharacter scaled = test::under_scaled_root(subject, scale);
      const glm::dvec3 center(subject.pose.local[0].translation);
      for_each_variant([&](const SkinningSettings& settings) {
        expect_same(deform_once(scaled.character, scaled.pose, settings),
                    deform_once(subject.character, subject.pose, settings), static_cast<double>(scale), center);
      });
    }
  }
}

TEST_P(ScaleLaws, UnitsOfTheMeshThatItsBindingUndoesDoNotMatter) {
  for (const test::PosedCharacter& subject : test::posed_characters()) {
    SCOPED_TRACE(subject.character.name);
    for (const Units& units : test::kUnits) {
      SCOPED_TRACE(units.name);
      const test::PosedCharacter stored = test::in_units(subject, units);
      for_each_variant([&](const SkinningSettings& settings) {
        if (!units.uniform() && (kByMatrices & one_of(settings.normals)) != 0) {
          return;
        }
        expect_same(deform_once(stored.character, stored.pose, settings),
                    deform_once(subject.character, subject.pose, settings));
      });
    }
  }
}

// A head that an animation enlarges with all its joints.
TEST_P(ScaleLaws, AScaleThatALimbSharesIsThatOfItsVertices) {
  if (method().finish != nullptr || method().vec4s_per_row > 0) {
    GTEST_SKIP() << method().id << " smooths over the border of a limb";
  }
  constexpr int kFirst = 2;  // of the joints that are scaled, all that hang on it
  const test::PosedCharacter subject = test::posed_characters()[0];
  rig::WorldMatrices world;
  world.evaluate(subject.character.skeleton, subject.pose);
  const glm::dvec3 center(world[kFirst][3]);
  const mesh::Influences& rows = subject.character.meshes[0].primitives[0].influences;
  for (const double scale : {0.1, 2.0}) {
    rig::Pose pose = subject.pose;
    pose.local[kFirst].scale *= static_cast<float>(scale);
    const DeformedCharacter expected = deform_once(subject.character, subject.pose, settings_of(GetParam(), {}));
    const DeformedCharacter actual = deform_once(subject.character, pose, settings_of(GetParam(), {}));
    const double diagonal = static_cast<double>(actual.bounds.diagonal());
    int count = 0;
    for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
      const bool of_limb =
          std::ranges::all_of(rows.joints(v), [](int joint) { return joint >= kFirst && joint < test::kLimbJoints; });
      if (of_limb) {
        ++count;
        const glm::dvec3 image = center + (glm::dvec3(expected.parts[0].positions[v]) - center) * scale;
        ASSERT_LE(glm::distance(glm::dvec3(actual.parts[0].positions[v]), image), kSame * diagonal) << v;
      }
    }
    EXPECT_GT(count, 100);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, ScaleLaws, testing::Range<std::size_t>(0, skinning_methods().size()),
                         [](const testing::TestParamInfo<std::size_t>& row) {
                           std::string name(skinning_methods()[row.param].id);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(CommonStretch, IsThatOfMostJointsInAnyUnits) {
  test::Random random(3);
  const glm::dmat3 shared(glm::dvec3(2, 0.5, 0), glm::dvec3(0.5, 1, 0.25), glm::dvec3(0, 0.25, 3));
  std::vector<glm::dmat3> linear;
  for (int j = 0; j < 9; ++j) {
    const glm::dmat3 rotation = glm::mat3_cast(random.rotation());
    linear.push_back(rotation * shared * (j % 4 == 0 ? glm::dmat3(1.0 + j) : glm::dmat3(1.0)));
  }
  const auto expect_gram = [](const glm::dmat3& stretch, const glm::dmat3& like) {
    const glm::dmat3 gram = glm::transpose(stretch) * stretch;
    const glm::dmat3 expected = glm::transpose(like) * like;
    for (int c = 0; c < 3; ++c) {
      EXPECT_VEC_NEAR(gram[c], expected[c], 1e-9);
      EXPECT_NEAR(stretch[c][(c + 1) % 3], stretch[(c + 1) % 3][c], 1e-12);
    }
    EXPECT_GT(glm::determinant(stretch), 0);
  };
  expect_gram(common_stretch(linear), shared);
  const glm::dmat3 mesh_from_stored(glm::dvec3(0.1, 0.02, 0), glm::dvec3(0, 7, 0.3), glm::dvec3(0.1, 0, 2));
  for (glm::dmat3& a : linear) {
    a *= mesh_from_stored;
  }
  expect_gram(common_stretch(linear), shared * mesh_from_stored);
}

TEST(CommonStretch, JointsWithoutAnInverseSayNothing) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(common_stretch({}), glm::dmat3(1.0));
  const std::vector<glm::dmat3> flat = {glm::dmat3(0.0), glm::dmat3(kNan)};
  EXPECT_EQ(common_stretch(flat), glm::dmat3(1.0));
  const std::vector<glm::dmat3> three = {glm::dmat3(0.0), glm::dmat3(kNan), glm::dmat3(3.0)};
  EXPECT_NEAR(common_stretch(three)[1][1], 3.0, 1e-12);
}

// The binding knows the joints that vertices follow, and which of them hangs on which.
TEST(SkinBinding, LeavesOutJointsThatNothingFollows) {
  rig::Character character = test::limb();
  mesh::Influences& rows = character.meshes.edit(0).primitives.edit(0).influences.edit();
  // Twice in a row for some: rows are read one entry at a time here.
  rows.renumber_joints([](std::uint16_t joint) { return joint == 2 ? std::uint16_t{3} : joint; });
  const SkinBinding binding = skin_bindings(character)[0];
  EXPECT_EQ(binding.order, (std::vector<std::uint16_t>{0, 1, 3, 4, 5, 6, 7}));
  EXPECT_EQ(binding.parent, (std::vector<int>{-1, 0, -1, 1, 3, 4, -1, 6}));
  EXPECT_EQ(binding.anchor, 0);
  EXPECT_EQ(binding.shape_from_mesh, glm::dmat3(1.0));
  EXPECT_EQ(common_stretches(character)[0], glm::dmat3(1.0));
}

// Against a walk from each joint up to the root.
TEST(SkinBinding, HangsJointsOnTheNearestAbove) {
  test::Random random(12);
  for (int trial = 0; trial < 50; ++trial) {
    rig::Character character;
    for (int j = 0; j < 40; ++j) {
      test::add_node(character, "n" + std::to_string(j), j == 0 ? -1 : random.below(j + 1) - 1, {});
    }
    std::vector<int> joints;
    mesh::Primitive primitive;
    for (int k = 0; k < 15; ++k) {
      joints.push_back(random.below(40));  // some of them twice
      const std::uint16_t joint[] = {static_cast<std::uint16_t>(k)};
      const float weight[] = {1.0f};
      if (random.below(5) > 0) {
        primitive.positions.emplace_back(0.0f);
        mesh::append_row(primitive.influences.edit(), joint, weight);
      }
    }
    test::add_skinned_mesh(character, "mesh", joints, primitive);
    rig::finish(character);
    const SkinBinding binding = skin_bindings(character)[0];
    const auto listed = [&](int node) {
      const auto found =
          std::ranges::find_if(binding.order, [&](std::uint16_t j) { return character.skins[0].joints[j] == node; });
      return found == binding.order.end() ? -1 : int{*found};
    };
    for (const std::uint16_t j : binding.order) {
      int above = character.skeleton->parent[character.skins[0].joints[j]];
      while (above >= 0 && listed(above) < 0) {
        above = character.skeleton->parent[above];
      }
      EXPECT_EQ(binding.parent[j], above < 0 ? -1 : listed(above)) << "trial " << trial << ", joint " << j;
    }
  }
}

TEST(SkinBinding, AreGatheredOnceForACharacter) {
  const rig::Character character = test::limb();
  const rig::Character other = test::limb();
  SkinCache cache;
  const auto first = cache.bindings(character);
  EXPECT_EQ(cache.bindings(character), first);
  SkinningSettings settings;
  settings.method = find_method("delta-mush");
  cache.get(character, 0, settings);
  EXPECT_EQ(cache.bindings(character), first);
  EXPECT_NE(cache.bindings(other), first);
  const auto second = cache.bindings(character);
  cache.reset();
  EXPECT_NE(cache.bindings(character), second);
}

// Sixty thousand joints stretch differently, and a sample of them is compared. These lie so close that the sample gives
// the same answer. common_stretch_cost_test.cpp measures the time.
TEST(CommonStretch, OfVeryManyUnlikeJointsIsFoundAtOnce) {
  constexpr int kJoints = 60'000;
  std::vector<glm::dmat3> linear;
  for (int j = 0; j < kJoints; ++j) {
    linear.emplace_back(1.0);
    linear.back()[0][0] = std::exp(0.5 * j / kJoints);
    linear.back()[2][2] = 2;
  }
  const glm::dmat3 stretch = common_stretch(linear);
  EXPECT_NEAR(stretch[0][0], std::exp(0.25), 5e-3);  // the middle one, where sums are flat
  EXPECT_NEAR(stretch[1][1], 1, 1e-12);
  EXPECT_NEAR(stretch[2][2], 2, 1e-12);
  // Where all but one are alike they count, wherever that one stands.
  for (const std::size_t odd : {std::size_t{0}, std::size_t{777}}) {
    std::vector<glm::dmat3> alike(5000, glm::dmat3(3.0));
    alike[odd] = glm::dmat3(1.0);
    EXPECT_NEAR(common_stretch(alike)[1][1], 3, 1e-12);
  }
}

TEST(SkinBinding, KnowsInWhatUnitsMeshesAreStored) {
  const rig::Character character = test::limb();
  const test::PosedCharacter stored = test::in_units({character, rig::rest_pose(character)}, test::kUnits[3]);
  const glm::dvec3 undone = 1.0 / glm::dvec3(test::kUnits[3].scale);
  const glm::dmat3 stretch = common_stretches(stored.character)[0];
  const SkinBinding binding = skin_bindings(stored.character)[0];
  for (int c = 0; c < 3; ++c) {
    EXPECT_NEAR(stretch[c][c] / undone[c], 1, 1e-5);
    EXPECT_NEAR(binding.shape_from_mesh[c][c] / (undone[c] / std::cbrt(undone.x * undone.y * undone.z)), 1, 1e-5);
  }
  // So that what is measured against the bind shape is measured in the lengths that are shown.
  const DeformedCharacter plain = measure::bind_shape(character);
  const DeformedCharacter shown = measure::bind_shape(stored.character);
  const glm::vec3 moved = shown.parts[0].positions[0] - plain.parts[0].positions[0];
  for (std::size_t v = 0; v < plain.parts[0].positions.size(); ++v) {
    EXPECT_LE(glm::distance(shown.parts[0].positions[v], plain.parts[0].positions[v] + moved), 1e-5f);
    EXPECT_LE(test::angle_between(shown.parts[0].normals[v], plain.parts[0].normals[v]), 1e-4);
  }
}

// What looks at neighbours takes vertices for one that only rounding has parted.
TEST(MeshSurface, RoundingOpensNoSeam) {
  mesh::Primitive whole = test::limb().meshes[0].primitives[0];
  mesh::Primitive torn = whole;
  std::vector<std::uint32_t> copy_of;
  test::Random random(8);
  for (std::uint32_t& index : torn.indices.edit()) {
    if (random.below(3) == 0) {
      const glm::vec3 p = torn.positions[index];
      torn.positions.push_back(p + random.vector(-3e-7f, 3e-7f));
      copy_of.push_back(index);
      index = static_cast<std::uint32_t>(torn.positions.size() - 1);
    }
  }
  const mesh::Influences none;
  const mesh::Primitive* const torn_only[] = {&torn};
  const mesh::Influences* const rows[] = {&none};
  const mesh::MeshSurface surface = mesh::make_mesh_surface(torn_only, rows);
  EXPECT_EQ(surface.welded_count(), whole.positions.size());
  for (std::size_t i = 0; i < copy_of.size(); ++i) {
    EXPECT_EQ(surface.welded[whole.positions.size() + i], surface.welded[copy_of[i]]);
  }
  // Ten times as far apart they are two places.
  for (std::size_t v = whole.positions.size(); v < torn.positions.size(); ++v) {
    torn.positions.edit()[v] = torn.positions[copy_of[v - whole.positions.size()]] + glm::vec3(2e-5f, 0, 0);
  }
  EXPECT_GT(mesh::make_mesh_surface(torn_only, rows).welded_count(), whole.positions.size());
}

}  // namespace
}  // namespace pelt::deform
