// Laws that need no reference, on every bundled character and every readable one of the corpus.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <variant>

#include <gtest/gtest.h>
#include <glm/gtc/matrix_transform.hpp>

#include "deform/deform.h"
#include "deform/fast_root.h"
#include "deform/palette_batches.h"
#include "deform/skin_lbs.h"
#include "deform/skinning_methods.h"
#include "deform/vertex_frame.h"
#include "edit/document.h"
#include "edit/pose_battery.h"
#include "gltf/bundled.h"
#include "gltf/import.h"
#include "measure/skin_meter.h"
#include "support/expected.h"
#include "support/fixtures.h"
#include "support/requirements.h"

namespace pelt {
namespace {

std::vector<std::filesystem::path> readable_models() {
  std::vector<std::filesystem::path> out;
  for (const char* folder : {"characters", "derived", "features", "unrigged"}) {
    if (!std::filesystem::exists(test::corpus_dir() / folder)) {
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(test::corpus_dir() / folder)) {
      if (entry.path().extension() == ".glb" || entry.path().extension() == ".gltf") {
        out.push_back(entry.path());
      }
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

// The bundled characters, and those of the corpus where it is.
template <typename Check>
void for_each_model(const Check& check) {
  int count = 0;
  const auto visit = [&](const std::string& name, Result<rig::Character> character) {
    ASSERT_TRUE(character) << character.error().message;
    SCOPED_TRACE(name);
    check(*character);
    ++count;
  };
  for (const EmbeddedFile& file : gltf::bundled_characters()) {
    const std::string name = std::filesystem::path(file.name).stem().string();
    visit(name, gltf::import_bundled(name, {.decode_images = false}));
    if (testing::Test::HasFatalFailure()) {
      return;
    }
  }
  const std::vector<std::filesystem::path> models = readable_models();
  for (const std::filesystem::path& path : models) {
    visit(path.filename().string(), gltf::import_file(path, {.decode_images = false}));
    if (testing::Test::HasFatalFailure()) {
      return;
    }
  }
  std::cout << "  " << count << " models\n";
  PELT_NEEDS(!models.empty(), "PELT_REQUIRE_CORPUS", "no corpus at " + test::corpus_dir().string());
}

// The rest pose, two moments at which clips turn some joint farthest, and a random pose.
std::vector<rig::Pose> some_poses(const rig::Character& character) {
  std::vector<rig::Pose> out = {rig::rest_pose(character)};
  const std::shared_ptr<const rig::Character> not_owned(std::shared_ptr<void>(), &character);
  const std::vector<edit::TrialPose> extremes =
      edit::make_battery(edit::make_document(not_owned), {.limits = false, .clips = true});
  for (std::size_t i = 1; i <= 2 && extremes.size() >= 2; ++i) {
    const auto moment = std::get<edit::ClipMoment>(extremes[extremes.size() * i / 3].what);
    out.push_back(out.front());
    rig::apply(character.clips[moment.clip], moment.time, character.morph_offset, out.back());
  }
  test::Random random(143);
  out.push_back(test::random_pose(character, random, std::numbers::pi / 2));
  return out;
}

// Keeps neighbouring elements of about `most` vertices, which get tangents.
void cut(mesh::Primitive& primitive, std::size_t most) {
  const std::size_t corners = primitive.topology == mesh::Topology::kTriangles ? 3
                              : primitive.topology == mesh::Topology::kLines   ? 2
                                                                               : 1;
  constexpr std::uint32_t kNone = 0xffffffff;
  const mesh::Primitive whole = std::move(primitive);
  primitive = {};
  primitive.topology = whole.topology;
  primitive.morph_targets.resize(whole.morph_targets.size());
  std::vector<std::uint32_t> renamed(whole.vertex_count(), kNone);
  const auto keep = [](auto& to, const auto& from, std::uint32_t v) {
    if (!from.empty()) {
      to.push_back(from[v]);
    }
  };
  // Not from the first one on: files often begin with what hangs on one joint alone.
  const std::size_t elements = whole.indices.size() / corners;
  for (std::size_t e = elements / 3; e < elements && primitive.positions.size() < most; ++e) {
    for (std::size_t c = 0; c < corners; ++c) {
      const std::uint32_t v = whole.indices[e * corners + c];
      if (renamed[v] == kNone) {
        renamed[v] = static_cast<std::uint32_t>(primitive.positions.size());
        keep(primitive.positions, whole.positions, v);
        keep(primitive.normals, whole.normals, v);
        keep(primitive.tangents, whole.tangents, v);
        if (whole.tangents.empty() && !whole.normals.empty()) {  // as most files have it
          primitive.tangents.emplace_back(deform::any_tangent(whole.normals[v]), v % 2 == 0 ? 1.0f : -1.0f);
        }
        if (!whole.influences->empty()) {
          mesh::append_row(primitive.influences.edit(), whole.influences->joints(v), whole.influences->weights(v));
        }
        for (std::size_t m = 0; m < whole.morph_targets.size(); ++m) {
          mesh::MorphTarget& target = primitive.morph_targets.edit(m);
          keep(target.position_deltas, whole.morph_targets[m].position_deltas, v);
          keep(target.normal_deltas, whole.morph_targets[m].normal_deltas, v);
          keep(target.tangent_deltas, whole.morph_targets[m].tangent_deltas, v);
        }
      }
      primitive.indices.push_back(renamed[v]);
    }
  }
}

constexpr double kFrameDigits = 1e-6;

void expect_frames(const deform::DeformedCharacter& shape, deform::NormalVariant variant) {
  // Fast renormalisation leaves normals too short by design.
  const double allowance = variant == deform::NormalVariant::kFastRenormalised ? double{deform::kFastRootError} : 0.0;
  const auto dot = [](const auto& a, const auto& b) {
    return double{a[0]} * double{b[0]} + double{a[1]} * double{b[1]} + double{a[2]} * double{b[2]};
  };
  for (const deform::DeformedPart& part : shape.parts) {
    for (const glm::vec3& p : part.positions) {
      ASSERT_TRUE(std::isfinite(dot(p, p)));
    }
    double worst = 0;  // stays where something is not a number
    bool sound = true;
    const auto expect_zero = [&](double value, double allowed = kFrameDigits) {
      worst = std::max(worst, std::abs(value));
      sound = sound && std::abs(value) <= allowed;
    };
    for (const glm::vec3& n : part.normals) {
      expect_zero(std::sqrt(dot(n, n)) - 1, kFrameDigits + allowance);
    }
    for (std::size_t v = 0; v < part.tangents.size(); ++v) {
      const glm::vec4& t = part.tangents[v];
      expect_zero(std::sqrt(dot(t, t)) - 1);
      expect_zero(part.normals.empty() ? 0 : dot(t, part.normals[v]));
    }
    ASSERT_TRUE(sound) << "off by " << worst;
  }
}

// Every vertex under linear blending; a few of each model under every method with every variant that it has.
TEST(CorpusLaws, C14_3_NormalsAndTangentsAreUnitAndPerpendicular) {
  for_each_model([](rig::Character& character) {
    const std::vector<rig::Pose> poses = some_poses(character);
    for (std::size_t i = 1; i < poses.size(); ++i) {
      for (const deform::NormalVariantInfo& info : deform::kVertexNormalVariants) {
        SCOPED_TRACE(std::string("normals ") + info.letter);
        ASSERT_NO_FATAL_FAILURE(
            expect_frames(deform::deform_once(character, poses[i], {.normals = info.variant}), info.variant));
      }
    }
    for (mesh::Mesh& mesh : character.meshes.edit_each()) {
      for (mesh::Primitive& primitive : mesh.primitives.edit_each()) {
        cut(primitive, std::max<std::size_t>(20, 120 / character.parts.size()));
      }
    }
    const auto cache = std::make_shared<deform::SkinCache>();
    for (std::size_t method = 0; method < deform::skinning_methods().size(); ++method) {
      const deform::SkinningMethod& row = deform::skinning_methods()[method];
      for (const deform::NormalVariantInfo& info : deform::kNormalVariants) {
        if (deform::normals_under(row, info.variant) != info.variant) {
          continue;
        }
        SCOPED_TRACE(std::string(row.id) + ", normals " + info.letter);
        const deform::SkinningSettings settings = {
            .method = static_cast<int>(method), .normals = info.variant, .parameters = {.direct_iterations = 3}};
        deform::CpuDeformer deformer(cache);
        deform::DeformedCharacter out;
        rig::WorldMatrices world;
        for (const rig::Pose& pose : poses) {
          world.evaluate(character.skeleton, pose);
          deformer.deform(character, pose, world.world(), settings, out);
          ASSERT_NO_FATAL_FAILURE(expect_frames(out, info.variant));
        }
      }
    }
  });
}

// What kernels are called with for each skinned part of a character.
template <typename Visit>
void for_each_skinned_part(const rig::Character& character, const rig::Pose& pose, const Visit& visit) {
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  for (const rig::Part& part : character.parts) {
    if (!deform::is_skinned(character, part)) {
      continue;
    }
    const rig::Skin& skin = character.skins[part.skin];
    std::vector<glm::mat4> matrices(skin.joints.size());
    rig::skin_matrices(skin, world.world(), matrices);
    const mesh::Primitive& primitive = character.primitive(part);
    deform::SkinInput input;
    input.positions = primitive.positions;
    input.influences = &*primitive.influences;
    input.skin_matrices = matrices;
    std::vector<glm::vec3> positions(primitive.positions.size());
    deform::skin_lbs(input, {positions, {}, {}}, 0, positions.size());
    visit(primitive, input, positions);
  }
}

TEST(CorpusLaws, C7_7_C11_1_AllFormsAndOrdersAgree) {
  double worst = 0;
  for_each_model([&](const rig::Character& character) {
    test::Random random(77);
    const rig::Pose pose = test::random_pose(character, random, std::numbers::pi / 2);
    for_each_skinned_part(
        character, pose,
        [&](const mesh::Primitive& primitive, const deform::SkinInput& placed, const std::vector<glm::vec3>& there) {
          // Far from the origin rounding grows with the distance, not with the size: the part is put into the middle,
          // bound and posed.
          const glm::vec3 bound = bounds_of(primitive.positions).center();
          const Bounds bounds = bounds_of(there);
          std::vector<glm::vec3> positions = primitive.positions;
          for (glm::vec3& p : positions) {
            p -= bound;
          }
          std::vector<glm::mat4> matrices;
          for (const glm::mat4& m : placed.skin_matrices) {
            matrices.emplace_back(glm::translate(glm::dmat4(1.0), -glm::dvec3(bounds.center())) * glm::dmat4(m) *
                                  glm::translate(glm::dmat4(1.0), glm::dvec3(bound)));
          }
          deform::SkinInput input = placed;
          input.positions = positions;
          input.skin_matrices = matrices;
          std::vector<glm::vec3> matrix_form(positions.size());
          deform::skin_lbs(input, {matrix_form, {}, {}}, 0, positions.size());
          std::vector<glm::vec3> sum_form(positions.size());
          deform::skin_lbs_sum_of_points(input, {sum_form, {}, {}}, 0, positions.size());
          std::vector<glm::vec3> bone_major(positions.size());
          deform::skin_lbs_bone_major(input, deform::make_joint_vertices(primitive.influences, matrices.size()),
                                      bone_major, {});
          const double size = static_cast<double>(bounds.diagonal());
          for (std::size_t v = 0; v < positions.size(); ++v) {
            const double d = std::max(static_cast<double>(glm::distance(matrix_form[v], sum_form[v])),
                                      static_cast<double>(glm::distance(matrix_form[v], bone_major[v])));
            worst = std::max(worst, d / size);
            ASSERT_LE(d, 1e-6 * size);
          }
        });
  });
  std::cout << "  largest difference " << worst << " of the size\n";
}

TEST(CorpusLaws, C10_3_BatchesOfTwelveJointsSkinBitwiseEqual) {
  int split_parts = 0;
  for_each_model([&](const rig::Character& character) {
    test::Random random(103);
    const rig::Pose pose = test::random_pose(character, random, 1.0);
    for_each_skinned_part(
        character, pose,
        [&](const mesh::Primitive& primitive, const deform::SkinInput& input, const std::vector<glm::vec3>& expected) {
          const int corners = primitive.topology == mesh::Topology::kTriangles ? 3
                              : primitive.topology == mesh::Topology::kLines   ? 2
                                                                               : 1;
          mesh::Influences four = mesh::limit_influences(primitive.influences, 4);
          const bool untouched = four.entry_count() == primitive.influences->entry_count();
          const auto batches = deform::split_into_batches(primitive.indices, corners, four, 12);
          ASSERT_TRUE(batches.has_value());
          split_parts += (*batches).size() > 1 ? 1 : 0;
          std::size_t elements = 0;
          for (const deform::PaletteBatch& batch : *batches) {
            ASSERT_LE(batch.palette.size(), 12u);
            elements += batch.elements.size();
            if (!untouched) {
              continue;
            }
            std::vector<std::uint16_t> slot_of(input.skin_matrices.size(), 0);
            std::vector<glm::mat4> palette;
            for (const std::uint16_t joint : batch.palette) {
              slot_of[joint] = static_cast<std::uint16_t>(palette.size());
              palette.push_back(input.skin_matrices[joint]);
            }
            mesh::Influences rows;
            std::vector<glm::vec3> positions;
            for (const std::uint32_t v : batch.vertices) {
              positions.push_back(primitive.positions[v]);
              std::vector<std::uint16_t> slots;
              for (const std::uint16_t joint : four.joints(v)) {
                slots.push_back(slot_of[joint]);
              }
              rows.push_row({slots, four.weights(v), four.stored_sum(v)});
            }
            deform::SkinInput part = input;
            part.positions = positions;
            part.influences = &rows;
            part.skin_matrices = palette;
            std::vector<glm::vec3> out(positions.size());
            deform::skin_lbs(part, {out, {}, {}}, 0, out.size());
            for (std::size_t i = 0; i < out.size(); ++i) {
              ASSERT_EQ(out[i], expected[batch.vertices[i]]);
            }
          }
          ASSERT_EQ(elements * static_cast<std::size_t>(corners), primitive.indices.size());
        });
  });
  std::cout << "  " << split_parts << " parts needed more than one batch\n";
}

TEST(CorpusLaws, RestPoseKeepsTheBindShapesVolumeAndArea) {
  // Also where the file folds scale into its inverse bind matrices.
  for_each_model([](const rig::Character& character) {
    const bool bound = std::all_of(character.skins.begin(), character.skins.end(),
                                   [](const rig::Skin& skin) { return skin.has_inverse_binds; });
    if (!bound) {
      return;
    }
    const deform::DeformedCharacter out = deform::deform_once(character, rig::rest_pose(character), {});
    const measure::CollapseMeasures measures = measure::collapse_measures(character, out);
    EXPECT_NEAR(measures.volume_ratio, 1.0, 1e-4);
    EXPECT_NEAR(measures.area_ratio, 1.0, 1e-4);
    EXPECT_NEAR(measures.max_edge_stretch, 1.0, 1e-3);
  });
}

}  // namespace
}  // namespace pelt
