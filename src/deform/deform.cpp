#include "deform/deform.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/expect.h"
#include "core/large_memory.h"
#include "core/parallel.h"
#include "deform/fast_skin.h"
#include "deform/morph.h"
#include "deform/surface_normals.h"
#include "deform/vertex_frame.h"
#include "deform/weight_gradients.h"
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

// Whether the same pose gives the same shape under both.
bool same_shape(const SkinningSettings& a, const SkinningSettings& b) {
  SkinningSettings like_b = a;
  like_b.backend = b.backend;
  like_b.palette_limit = b.palette_limit;
  like_b.partition = b.partition;
  return like_b == b;
}

// Skin matrices of a mesh under a skin, for all parts that share them; or the one that places a part without a skin.
struct Placement {
  int mesh = -1;
  int skin = -1;
  int joint = -1;                   // that a part without a skin hangs on
  std::vector<std::size_t> used;    // joints of the skin that anything follows
  std::vector<glm::mat4> matrices;  // of joints not used: the identity
  bool changed = true;              // in this call
};

struct PartState {
  std::shared_ptr<const SkinData> data;  // where skinned
  std::size_t placement = 0;
  std::vector<float> morph_weights;     // of the last call
  bool valid = false;                   // the output holds what these give
  bool changed = false;                 // in this call
  std::optional<FastSkin> fast;         // where it covers settings and influences
  mesh::Influences rows;                // what it follows where that is the heaviest joint, or a node, alone
  std::optional<MorphedShape> morphed;  // once a target was active, where nothing is fast
  Bounds bounds;
};

// Resizes what will be written over.
template <typename T>
void fit(std::vector<T>& out, std::size_t count) {
  if (out.capacity() < count) {
    out = large_vector<T>(count);
  } else {
    out.resize(count);
  }
}

std::vector<std::size_t> joints_of(const SkinData& data, std::size_t joint_count) {
  std::vector<bool> follows(joint_count, false);
  for (const mesh::Influences& influences : data.influences) {
    for (const std::uint16_t joint : influences.joint) {
      follows[joint] = true;
    }
  }
  std::vector<std::size_t> out;
  for (std::size_t j = 0; j < joint_count; ++j) {
    if (follows[j]) {
      out.push_back(j);
    }
  }
  return out;
}

void update(Placement& placement, const rig::Character& character, std::span<const glm::mat4> world) {
  placement.changed = false;
  const auto put = [&](std::size_t at, const glm::mat4& matrix) {
    if (!(placement.matrices[at] == matrix)) {
      placement.matrices[at] = matrix;
      placement.changed = true;
    }
  };
  if (placement.skin < 0) {
    put(0, world[static_cast<std::size_t>(placement.joint)]);
    return;
  }
  const rig::Skin& skin = character.skins[static_cast<std::size_t>(placement.skin)];
  for (const std::size_t j : placement.used) {
    put(j, rig::skin_matrix(skin, world, j));
  }
}

// What a kernel gets in place of a variant that is made afterwards.
NormalVariant kernel_normals(const SkinningMethod& method, NormalVariant normals) {
  return normals == NormalVariant::kRecomputed ? method.default_normals : normals;
}

bool needs_finish(const SkinningMethod& method, NormalVariant normals) {
  return method.finish != nullptr || normals == NormalVariant::kRecomputed;
}

// The stage after single vertices, for all parts of one mesh.
void finish_surface(const SkinningMethod& method, NormalVariant normals, const MethodParameters& parameters,
                    const MeshSurface& surface, std::span<const Prepared> prepared,
                    std::span<const glm::mat4> skin_matrices, std::span<const SkinOutput> outputs) {
  if (method.finish != nullptr) {
    method.finish(surface, parameters, prepared, skin_matrices, outputs);
  }
  if (normals == NormalVariant::kRecomputed) {
    recompute_normals(surface, outputs);
  }
}

}  // namespace

struct CpuDeformer::State {
  std::shared_ptr<SkinCache> cache;
  const rig::Character* character = nullptr;
  const DeformedCharacter* out = nullptr;
  SkinningSettings settings;
  std::vector<PartState> parts;
  std::vector<Placement> placements;
  std::vector<std::vector<glm::vec3>> pivots;  // per skin
  std::vector<glm::vec4> palette;
};

CpuDeformer::CpuDeformer(std::shared_ptr<SkinCache> cache) : state_(std::make_unique<State>()) {
  state_->cache = cache != nullptr ? std::move(cache) : std::make_shared<SkinCache>();
}
CpuDeformer::~CpuDeformer() = default;
CpuDeformer::CpuDeformer(CpuDeformer&&) noexcept = default;
CpuDeformer& CpuDeformer::operator=(CpuDeformer&&) noexcept = default;

void CpuDeformer::reset() {
  state_->cache->reset();
  state_->character = nullptr;
  state_->parts.clear();
}

mesh::Influences rows_of_one(std::size_t vertex_count) {
  mesh::Influences out;
  const std::uint16_t joint = 0;
  const float weight = 1.0f;
  for (std::size_t v = 0; v < vertex_count; ++v) {
    mesh::append_row(out, {&joint, 1}, {&weight, 1});
  }
  return out;
}

bool is_skinned(const rig::Character& character, const rig::Part& part) {
  return part.skin >= 0 && !character.primitive(part).influences.empty();
}

bool CpuDeformer::deform(const rig::Character& character, const rig::Pose& pose, std::span<const glm::mat4> world,
                         const SkinningSettings& settings, DeformedCharacter& out) {
  PELT_EXPECT(world.size() == character.skeleton.parent.size(), "one world matrix per node");
  PELT_EXPECT(settings.method >= 0 && static_cast<std::size_t>(settings.method) < skinning_methods().size(),
              "a row of skinning_methods()");
  State& s = *state_;
  const SkinningMethod& method = skinning_methods()[static_cast<std::size_t>(settings.method)];
  const NormalVariant normals = normals_under(method, settings.normals);

  if (s.character != &character || s.parts.size() != character.parts.size() || !same_shape(s.settings, settings)) {
    s.character = &character;
    s.settings = settings;
    s.parts.clear();
    s.parts.resize(character.parts.size());
    s.placements.clear();
    for (std::size_t p = 0; p < character.parts.size(); ++p) {
      const rig::Part& part = character.parts[p];
      const bool skinned = is_skinned(character, part);
      if (skinned) {
        PELT_EXPECT(std::ranges::all_of(character.primitive(part).influences.joint,
                                        [&](std::uint16_t joint) {
                                          return joint <
                                                 character.skins[static_cast<std::size_t>(part.skin)].joints.size();
                                        }),
                    "influences name joints of the skin");
        s.parts[p].data = s.cache->get(character, part.mesh, settings);
      }
      Placement placement;
      (skinned ? placement.skin : placement.joint) = skinned ? part.skin : part.joint;
      placement.mesh = skinned ? part.mesh : -1;
      const auto same = std::ranges::find_if(s.placements, [&](const Placement& other) {
        return other.mesh == placement.mesh && other.skin == placement.skin && other.joint == placement.joint;
      });
      s.parts[p].placement = static_cast<std::size_t>(same - s.placements.begin());
      if (same != s.placements.end()) {
        continue;
      }
      placement.matrices.assign(1, glm::mat4(1.0f));
      if (skinned) {
        const std::size_t joint_count = character.skins[static_cast<std::size_t>(part.skin)].joints.size();
        placement.used = joints_of(*s.parts[p].data, joint_count);
        placement.matrices.assign(joint_count, glm::mat4(1.0f));
      }
      s.placements.push_back(std::move(placement));
    }
    s.pivots.clear();
    for (const rig::Skin& skin : character.skins) {
      s.pivots.push_back(joint_pivots(skin));
    }
  }
  if (s.out != &out || out.parts.size() != character.parts.size()) {
    s.out = &out;
    out.parts.resize(character.parts.size());
    for (PartState& state : s.parts) {
      state.valid = false;
    }
  }

  const auto output_of = [&](std::size_t p) {
    return SkinOutput{out.parts[p].positions, out.parts[p].normals, out.parts[p].tangents};
  };
  bool anything = false;
  const Placement* palette_of = nullptr;  // whose palette s.palette holds
  for (Placement& placement : s.placements) {
    update(placement, character, world);
  }
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const rig::Part& part = character.parts[p];
    const mesh::Primitive& primitive = character.primitive(part);
    PartState& state = s.parts[p];
    DeformedPart& result = out.parts[p];
    const bool skinned = state.data != nullptr;
    state.changed = false;

    const Placement& placement = s.placements[state.placement];
    const std::span<const float> morph_weights =
        primitive.morph_targets.empty() ? std::span<const float>() : character.morph_weights(pose, part.joint);
    if (state.valid && !placement.changed && std::ranges::equal(state.morph_weights, morph_weights) &&
        result.positions.size() == primitive.positions.size()) {
      continue;
    }
    anything = true;
    state.changed = true;
    state.morph_weights.assign(morph_weights.begin(), morph_weights.end());

    SkinInput input;
    input.positions = primitive.positions;
    input.normals = primitive.normals;
    input.tangents = primitive.tangents;
    fit(result.positions, input.positions.size());
    fit(result.normals, input.normals.size());
    fit(result.tangents, input.tangents.size());
    input.skin_matrices = placement.matrices;
    FastMethod fast_method = FastMethod::kLinear;
    if (skinned) {
      fast_method = method.fast;
      const auto primitive_index = static_cast<std::size_t>(part.primitive);
      if (method.reads_palette && palette_of != &placement) {
        pack_palette(method, placement.matrices, s.pivots[static_cast<std::size_t>(part.skin)], s.palette);
        palette_of = &placement;
      }
      input.influences = &state.data->influences[primitive_index];
      input.palette = s.palette;
      input.normal_variant = kernel_normals(method, normals);
      input.weights_as_stored = settings.weights_as_stored;
      input.parameters = settings.parameters;
      input.prepared = state.data->prepared.empty() ? nullptr : &state.data->prepared[primitive_index];
      if (normals == NormalVariant::kExact) {
        input.weight_gradients = &state.data->weight_gradients[primitive_index];
      }
    } else {
      if (state.rows.empty()) {
        state.rows = rows_of_one(primitive.positions.size());
      }
      input.influences = &state.rows;
    }
    if (state.fast || FastSkin::covers(input, fast_method)) {
      if (fast_method == FastMethod::kHeaviest) {
        if (!state.fast) {
          state.rows = mesh::limit_influences(*input.influences, 1);
        }
        input.influences = &state.rows;
      }
      if (!state.fast) {
        constexpr std::array<int, 1> kOne = {0};
        const std::span<const int> ranks =
            skinned ? std::span<const int>(character.skins[static_cast<std::size_t>(part.skin)].joints) : kOne;
        state.fast.emplace(input, ranks, FastSkinOptions{.method = fast_method});
      }
      state.fast->set_morph_weights(primitive.morph_targets, morph_weights);
      state.fast->run(input, output_of(p), &state.bounds);
    } else {
      if (!state.morphed && std::ranges::any_of(morph_weights, [](float weight) { return weight != 0.0f; })) {
        state.morphed.emplace(primitive);
      }
      if (state.morphed) {
        state.morphed->set_weights(morph_weights);
        input.positions = state.morphed->positions();
        input.normals = state.morphed->normals();
        input.tangents = state.morphed->tangents();
      }
      if (skinned) {
        skin_all(method, input, output_of(p));
      } else {
        place_rigidly(placement.matrices.front(), input, output_of(p));
      }
    }
    state.valid = true;
  }

  // Parts of one mesh node share matrices and morph weights, so all of them changed or none.
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const rig::Part& part = character.parts[p];
    const bool first_skinned =
        s.parts[p].data != nullptr &&
        std::none_of(s.parts.begin(), s.parts.begin() + static_cast<std::ptrdiff_t>(p), [&](const PartState& other) {
          return other.data != nullptr &&
                 character.parts[static_cast<std::size_t>(&other - s.parts.data())].mesh_node == part.mesh_node;
        });
    if (!needs_finish(method, normals) || !first_skinned || !s.parts[p].changed) {
      continue;
    }
    std::vector<SkinOutput> outputs(character.meshes[static_cast<std::size_t>(part.mesh)].primitives.size());
    for (std::size_t q = 0; q < character.parts.size(); ++q) {
      if (character.parts[q].mesh_node == part.mesh_node) {
        outputs[static_cast<std::size_t>(character.parts[q].primitive)] = output_of(q);
      }
    }
    const SkinData& data = *s.parts[p].data;
    finish_surface(method, normals, settings.parameters, data.surface, data.prepared,
                   s.placements[s.parts[p].placement].matrices, outputs);
  }

  if (anything) {
    out.bounds = Bounds();
    for (std::size_t p = 0; p < s.parts.size(); ++p) {
      if (s.parts[p].changed && (!s.parts[p].fast || method.finish != nullptr)) {
        s.parts[p].bounds = bounds_of(out.parts[p].positions);
      }
      out.bounds.add(s.parts[p].bounds);
    }
  }
  return anything;
}

DeformedPart skin_once(const SkinningMethod& method, const mesh::Primitive& primitive,
                       const mesh::Influences& influences, std::span<const glm::mat4> skin_matrices,
                       std::span<const glm::vec3> pivots, NormalVariant wanted, const MethodParameters& parameters,
                       bool weights_as_stored) {
  const NormalVariant normals = normals_under(method, wanted);
  const mesh::Primitive* const primitives[] = {&primitive};
  const mesh::Influences* const rows[] = {&influences};
  const MeshSurface surface = make_mesh_surface(primitives, rows);
  std::vector<Prepared> prepared(1);
  if (method.prepare != nullptr) {
    method.prepare(surface, parameters, {}, prepared);
  }
  std::vector<WeightGradients> gradients(1);
  if (normals == NormalVariant::kExact) {
    gradients = weight_gradients(surface);
  }
  const std::vector<glm::vec3> origins(pivots.empty() ? skin_matrices.size() : 0, glm::vec3(0.0f));
  std::vector<glm::vec4> palette;
  pack_palette(method, skin_matrices, pivots.empty() ? std::span<const glm::vec3>(origins) : pivots, palette);

  DeformedPart out;
  out.positions.resize(primitive.positions.size());
  out.normals.resize(primitive.normals.size());
  out.tangents.resize(primitive.tangents.size());
  SkinInput input;
  input.positions = primitive.positions;
  input.normals = primitive.normals;
  input.tangents = primitive.tangents;
  input.influences = &influences;
  input.skin_matrices = skin_matrices;
  input.palette = palette;
  input.normal_variant = kernel_normals(method, normals);
  input.weights_as_stored = weights_as_stored;
  input.parameters = parameters;
  input.prepared = method.prepare != nullptr ? prepared.data() : nullptr;
  input.weight_gradients = gradients.data();
  const SkinOutput outputs[] = {{out.positions, out.normals, out.tangents}};
  skin_all(method, input, outputs[0]);
  finish_surface(method, normals, parameters, surface, prepared, skin_matrices, outputs);
  return out;
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
