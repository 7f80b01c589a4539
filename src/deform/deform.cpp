#include "deform/deform.h"

#include <algorithm>

#include "core/expect.h"
#include "core/parallel.h"
#include "deform/morph.h"
#include "deform/skinning_methods.h"
#include "deform/vertex_frame.h"
#include "rig/kinematics.h"

namespace pelt::deform {
namespace {

constexpr std::size_t kVerticesPerChunk = 4096;

// Places vertices by one matrix; normals by its inverse transpose.
void place_rigidly(const glm::mat4& world, const SkinInput& input, const SkinOutput& output) {
  parallel_for(input.positions.size(), kVerticesPerChunk, [&](std::size_t begin, std::size_t end) {
    const std::uint16_t joint = 0;
    const float weight = 1.0f;
    const VertexRow row = {&world, &joint, &weight, 1, 1.0f};
    for (std::size_t v = begin; v < end; ++v) {
      write_vertex(input, output, v, world, row);
    }
  });
}

bool same_shape_settings(const SkinningSettings& a, const SkinningSettings& b) {
  return a.method == b.method && a.normals == b.normals && a.influence_limit == b.influence_limit &&
         a.weights_as_stored == b.weights_as_stored;
}

struct PartCache {
  mesh::Influences limited;          // empty where the primitive's own serve
  std::vector<glm::vec4> prepared;   // by the method
  std::vector<glm::mat4> matrices;   // of the skin, or the one that places the part
  std::vector<float> morph_weights;  // of the last call
  bool valid = false;                // the output holds what these give
  std::vector<glm::vec3> morphed_positions;
  std::vector<glm::vec3> morphed_normals;
  std::vector<glm::vec4> morphed_tangents;
  Bounds bounds;
};

}  // namespace

struct CpuDeformer::Cache {
  const rig::Character* character = nullptr;
  const DeformedCharacter* out = nullptr;
  SkinningSettings settings;
  std::vector<PartCache> parts;
  std::vector<glm::mat4> matrices;
};

CpuDeformer::CpuDeformer() = default;
CpuDeformer::~CpuDeformer() = default;
CpuDeformer::CpuDeformer(CpuDeformer&&) noexcept = default;
CpuDeformer& CpuDeformer::operator=(CpuDeformer&&) noexcept = default;

void CpuDeformer::reset() {
  cache_.reset();
}

bool is_skinned(const rig::Character& character, const rig::Part& part) {
  return part.skin >= 0 && !character.primitive(part).influences.empty();
}

mesh::Influences effective_influences(const mesh::Primitive& primitive, const SkinningSettings& settings) {
  return settings.influence_limit > 0 ? mesh::limit_influences(primitive.influences, settings.influence_limit)
                                      : primitive.influences;
}

bool CpuDeformer::deform(const rig::Character& character, const rig::Pose& pose, std::span<const glm::mat4> world,
                         const SkinningSettings& settings, DeformedCharacter& out) {
  PELT_EXPECT(world.size() == character.skeleton.parent.size(), "one world matrix per node");
  PELT_EXPECT(settings.method >= 0 && static_cast<std::size_t>(settings.method) < skinning_methods().size(),
              "a row of skinning_methods()");
  const SkinningMethod& method = skinning_methods()[static_cast<std::size_t>(settings.method)];

  if (cache_ == nullptr || cache_->character != &character || cache_->parts.size() != character.parts.size() ||
      !same_shape_settings(cache_->settings, settings)) {
    cache_ = std::make_unique<Cache>();
    cache_->character = &character;
    cache_->settings = settings;
    cache_->parts.resize(character.parts.size());
    for (std::size_t p = 0; p < character.parts.size(); ++p) {
      if (!is_skinned(character, character.parts[p])) {
        continue;
      }
      const mesh::Primitive& primitive = character.primitive(character.parts[p]);
      PELT_EXPECT(std::all_of(primitive.influences.joint.begin(), primitive.influences.joint.end(),
                              [&](std::uint16_t joint) {
                                const int skin = character.parts[p].skin;
                                return joint < character.skins[static_cast<std::size_t>(skin)].joints.size();
                              }),
                  "influences name joints of the skin");
      PartCache& part_cache = cache_->parts[p];
      if (settings.influence_limit > 0) {
        part_cache.limited = effective_influences(primitive, settings);
      }
      if (method.prepare != nullptr) {
        part_cache.prepared =
            method.prepare(primitive, settings.influence_limit > 0 ? part_cache.limited : primitive.influences);
      }
    }
  }
  if (cache_->out != &out || out.parts.size() != character.parts.size()) {
    cache_->out = &out;
    out.parts.resize(character.parts.size());
    for (PartCache& part_cache : cache_->parts) {
      part_cache.valid = false;
    }
  }

  bool anything = false;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const rig::Part& part = character.parts[p];
    const mesh::Primitive& primitive = character.primitive(part);
    PartCache& part_cache = cache_->parts[p];
    DeformedPart& result = out.parts[p];
    const bool skinned = is_skinned(character, part);

    std::vector<glm::mat4>& matrices = cache_->matrices;
    if (skinned) {
      const rig::Skin& skin = character.skins[static_cast<std::size_t>(part.skin)];
      matrices.resize(skin.joints.size());
      rig::skin_matrices(skin, world, matrices);
    } else {
      matrices.assign(1, world[static_cast<std::size_t>(part.joint)]);
    }
    const std::span<const float> morph_weights =
        primitive.morph_targets.empty() ? std::span<const float>() : character.morph_weights(pose, part.joint);
    if (part_cache.valid && part_cache.matrices == matrices &&
        std::equal(part_cache.morph_weights.begin(), part_cache.morph_weights.end(), morph_weights.begin(),
                   morph_weights.end()) &&
        result.positions.size() == primitive.positions.size()) {
      continue;
    }
    anything = true;
    part_cache.matrices = matrices;
    part_cache.morph_weights.assign(morph_weights.begin(), morph_weights.end());

    SkinInput input;
    input.positions = primitive.positions;
    input.normals = primitive.normals;
    input.tangents = primitive.tangents;
    if (std::any_of(morph_weights.begin(), morph_weights.end(), [](float weight) { return weight != 0.0f; })) {
      part_cache.morphed_positions.resize(primitive.positions.size());
      part_cache.morphed_normals.resize(primitive.normals.size());
      part_cache.morphed_tangents.resize(primitive.tangents.size());
      apply_morph_targets(primitive, morph_weights, part_cache.morphed_positions, part_cache.morphed_normals,
                          part_cache.morphed_tangents);
      input.positions = part_cache.morphed_positions;
      input.normals = part_cache.morphed_normals;
      input.tangents = part_cache.morphed_tangents;
    }
    result.positions.resize(input.positions.size());
    result.normals.resize(input.normals.size());
    result.tangents.resize(input.tangents.size());
    const SkinOutput output = {result.positions, result.normals, result.tangents};
    if (skinned) {
      input.influences = settings.influence_limit > 0 ? &part_cache.limited : &primitive.influences;
      input.skin_matrices = part_cache.matrices;
      input.normal_variant = settings.normals;
      input.weights_as_stored = settings.weights_as_stored;
      input.prepared = part_cache.prepared;
      skin_all(method, input, output);
    } else {
      place_rigidly(part_cache.matrices.front(), input, output);
    }
    part_cache.bounds = bounds_of(result.positions);
    part_cache.valid = true;
  }
  if (anything) {
    out.bounds = Bounds();
    for (const PartCache& part_cache : cache_->parts) {
      out.bounds.add(part_cache.bounds);
    }
  }
  return anything;
}

DeformedCharacter deform_once(const rig::Character& character, const rig::Pose& pose,
                              const SkinningSettings& settings) {
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  CpuDeformer deformer;
  DeformedCharacter out;
  deformer.deform(character, pose, world.world(), settings, out);
  return out;
}

}  // namespace pelt::deform
