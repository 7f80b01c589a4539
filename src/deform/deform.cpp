#include "deform/deform.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "core/expect.h"
#include "core/large_memory.h"
#include "deform/common_stretch.h"
#include "deform/fast_skin.h"
#include "deform/morph.h"
#include "deform/skin_cor.h"
#include "deform/surface_normals.h"
#include "deform/weight_gradients.h"
#include "rig/kinematics.h"
#include "rig/own_bindings.h"

namespace pelt::deform {
namespace {

// Whether the same pose gives the same shape under both.
bool same_shape(const SkinningSettings& a, const SkinningSettings& b) {
  SkinningSettings like_b = a;
  like_b.backend = b.backend;
  like_b.palette_limit = b.palette_limit;
  like_b.partition = b.partition;
  return like_b == b;
}

// The matrices of a skin, for all parts that follow it; or the one that places parts without a skin.
struct Placement {
  int skin = -1;
  int joint = -1;             // that parts without a skin hang on
  std::vector<char> follows;  // [joints of the skin] whether anything does; the matrices of others stay the identity
  std::vector<glm::mat4> matrices;
  bool changed = true;  // in this call
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

  // What was kept of the primitive.
  void forget() {
    data = nullptr;
    morph_weights.clear();
    valid = false;
    fast.reset();
    rows = {};
    morphed.reset();
  }
};

// [joints of the skin] whether anything follows it.
std::vector<char> followed(const SkinBinding& binding) {
  std::vector<char> out(binding.joint_count(), 0);
  for (const std::uint16_t joint : binding.order) {
    out[joint] = 1;
  }
  return out;
}

// Whether the same parts follow a skin as with these meshes, which are of the same parts.
bool skinned_alike(const SharedList<mesh::Mesh>& meshes, const rig::Character& character) {
  return meshes.size() == character.meshes.size() && std::ranges::all_of(character.parts, [&](const rig::Part& part) {
           const SharedList<mesh::Primitive>& before = meshes[static_cast<std::size_t>(part.mesh)].primitives;
           const SharedList<mesh::Primitive>& now = character.meshes[static_cast<std::size_t>(part.mesh)].primitives;
           const auto p = static_cast<std::size_t>(part.primitive);
           return before.size() == now.size() && before[p].influences->empty() == now[p].influences->empty();
         });
}

// Resizes what will be written over.
template <typename T>
void fit(LineVector<T>& out, std::size_t count) {
  if (out.capacity() < count) {
    out = LineVector<T>(count);
  } else {
    out.resize(count);
  }
}

void update(Placement& placement, const rig::Character& character, const rig::Pose& pose,
            std::span<const glm::mat4> world) {
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
  for (std::size_t j = 0; j < placement.follows.size(); ++j) {
    if (placement.follows[j] != 0) {
      put(j, rig::posed_skin_matrix(character, pose, world, placement.skin, j));
    }
  }
}

// What a kernel gets in place of a variant that is made afterwards: tangents are perpendicular to these first, and
// where triangles have no normal, these stay.
NormalVariant kernel_normals(NormalVariant normals) {
  return normals == NormalVariant::kRecomputed ? NormalVariant::kInverseTransposeOfBlend : normals;
}

bool needs_finish(const SkinningMethod& method, NormalVariant normals) {
  return method.finish != nullptr || normals == NormalVariant::kRecomputed;
}

// The stage after single vertices, for all parts of one mesh.
void finish_surface(const SkinningMethod& method, NormalVariant normals, const MethodParameters& parameters,
                    const mesh::MeshSurface& surface, std::span<const Prepared> prepared,
                    std::span<const glm::mat4> skin_matrices, std::span<const SkinOutput> outputs) {
  if (method.finish != nullptr) {
    method.finish(surface, parameters, prepared, skin_matrices, outputs);
  }
  if (normals == NormalVariant::kRecomputed) {
    recompute_normals(surface, skin_matrices, outputs);
  }
}

}  // namespace

struct CpuDeformer::State {
  std::shared_ptr<SkinCache> cache;
  // What the character's shape follows from besides the pose, as it was in the last call.
  bool known = false;
  Shared<rig::Skeleton> skeleton;
  SharedList<rig::Skin> skins;
  SharedList<mesh::Mesh> meshes;
  SharedArray<rig::MeshNode> mesh_nodes;
  SharedArray<rig::Part> character_parts;
  const DeformedCharacter* out = nullptr;
  SkinningSettings settings;
  std::vector<PartState> parts;
  std::vector<Placement> placements;
  std::shared_ptr<const std::vector<SkinBinding>> bindings;  // per skin
  std::vector<glm::vec4> palette;

  void begin(const rig::Character& character);
  void follow_meshes(const rig::Character& character);
};

// Everything anew.
void CpuDeformer::State::begin(const rig::Character& character) {
  parts.clear();
  parts.resize(character.parts.size());
  placements.clear();
  bindings = cache->bindings(character);
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> of_skin(character.skins.size(), kNone);
  std::vector<std::size_t> of_joint(character.skeleton->parent.size(), kNone);
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const rig::Part& part = character.parts[p];
    const bool skinned = is_skinned(character, part);
    std::size_t& at =
        skinned ? of_skin[static_cast<std::size_t>(part.skin)] : of_joint[static_cast<std::size_t>(part.joint)];
    if (at == kNone) {
      at = placements.size();
      Placement placement;
      (skinned ? placement.skin : placement.joint) = skinned ? part.skin : part.joint;
      if (skinned) {
        placement.follows = followed((*bindings)[static_cast<std::size_t>(part.skin)]);
      }
      placement.matrices.assign(skinned ? placement.follows.size() : 1, glm::mat4(1.0f));
      placements.push_back(std::move(placement));
    }
    parts[p].placement = at;
    if (skinned) {
      parts[p].data = cache->get(character, part.mesh, settings);
    }
  }
}

// Meshes were edited, and nothing else: parts whose primitives are the same keep what they have, unless they follow a
// skin that binds otherwise since.
void CpuDeformer::State::follow_meshes(const rig::Character& character) {
  const auto mesh_of = [](const rig::Part& part) { return static_cast<std::size_t>(part.mesh); };
  const auto shares = [&](const rig::Part& part) {
    const SharedList<mesh::Primitive>& before = meshes[mesh_of(part)].primitives;
    const SharedList<mesh::Primitive>& now = character.meshes[mesh_of(part)].primitives;
    return meshes.shared(mesh_of(part)).is(character.meshes.shared(mesh_of(part))) ||
           (before.size() == now.size() && before.shared(static_cast<std::size_t>(part.primitive))
                                               .is(now.shared(static_cast<std::size_t>(part.primitive))));
  };
  bindings = cache->bindings(character);
  for (Placement& placement : placements) {
    if (placement.skin >= 0) {
      std::vector<char> follows = followed((*bindings)[static_cast<std::size_t>(placement.skin)]);
      for (std::size_t j = 0; j < follows.size(); ++j) {
        placement.matrices[j] = follows[j] != 0 ? placement.matrices[j] : glm::mat4(1.0f);
      }
      placement.follows = std::move(follows);
    }
  }
  std::vector<char> skin_edited(character.skins.size(), 0);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const rig::Part& part = character.parts[p];
    if (!meshes.shared(mesh_of(part)).is(character.meshes.shared(mesh_of(part))) && part.skin >= 0) {
      skin_edited[static_cast<std::size_t>(part.skin)] = 1;
    }
  }
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const rig::Part& part = character.parts[p];
    PartState& state = parts[p];
    if (!shares(part)) {
      state.forget();
    }
    if (is_skinned(character, part)) {
      // A neighbour's weights may matter to what is smoothed or prepared.
      state.data = cache->get(character, part.mesh, settings);
      state.valid = state.valid && skin_edited[static_cast<std::size_t>(part.skin)] == 0;
    }
  }
}

CpuDeformer::CpuDeformer(std::shared_ptr<SkinCache> cache) : state_(std::make_unique<State>()) {
  state_->cache = cache != nullptr ? std::move(cache) : std::make_shared<SkinCache>();
}
CpuDeformer::~CpuDeformer() = default;
CpuDeformer::CpuDeformer(CpuDeformer&&) noexcept = default;
CpuDeformer& CpuDeformer::operator=(CpuDeformer&&) noexcept = default;

void CpuDeformer::reset() {
  state_->cache->reset();
  state_->known = false;
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
  return part.skin >= 0 && !character.primitive(part).influences->empty();
}

bool CpuDeformer::deform(const rig::Character& character, const rig::Pose& pose, std::span<const glm::mat4> world,
                         const SkinningSettings& settings, DeformedCharacter& out) {
  PELT_EXPECT(world.size() == character.skeleton->parent.size(), "one world matrix per node");
  PELT_EXPECT(settings.method >= 0 && static_cast<std::size_t>(settings.method) < skinning_methods().size(),
              "a row of skinning_methods()");
  State& s = *state_;
  const SkinningMethod& method = skinning_methods()[static_cast<std::size_t>(settings.method)];
  const NormalVariant normals = normals_under(method, settings.normals);

  const bool same_parts = s.known && s.skeleton.is(character.skeleton) && s.skins.is(character.skins) &&
                          s.mesh_nodes.is(character.mesh_nodes) && s.character_parts.is(character.parts) &&
                          same_shape(s.settings, settings);
  if (!same_parts || !s.meshes.is(character.meshes)) {
    if (same_parts && skinned_alike(s.meshes, character)) {
      s.follow_meshes(character);
    } else {
      s.settings = settings;
      s.begin(character);
    }
    s.known = true;
    s.skeleton = character.skeleton;
    s.skins = character.skins;
    s.meshes = character.meshes;
    s.mesh_nodes = character.mesh_nodes;
    s.character_parts = character.parts;
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
  for (Placement& placement : s.placements) {
    update(placement, character, pose, world);
  }
  const auto weights_of = [&](const rig::Part& part) {
    return character.primitive(part).morph_targets.empty() ? std::span<const float>()
                                                           : character.morph_weights(pose, part.joint);
  };
  bool anything = false;
  std::vector<char> node_changed(character.mesh_nodes.size(), 0);
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const rig::Part& part = character.parts[p];
    PartState& state = s.parts[p];
    state.changed = !state.valid || s.placements[state.placement].changed ||
                    !std::ranges::equal(state.morph_weights, weights_of(part)) ||
                    out.parts[p].positions.size() != character.primitive(part).positions.size();
    if (state.changed) {
      anything = true;
      node_changed[static_cast<std::size_t>(part.mesh_node)] = 1;
    }
  }
  const Placement* palette_of = nullptr;  // whose palette s.palette holds
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const rig::Part& part = character.parts[p];
    const mesh::Primitive& primitive = character.primitive(part);
    PartState& state = s.parts[p];
    DeformedPart& result = out.parts[p];
    const bool skinned = state.data != nullptr;
    // The stage after single vertices reads all parts of a mesh, skinned or not, and writes over them.
    state.changed =
        state.changed || (needs_finish(method, normals) && node_changed[static_cast<std::size_t>(part.mesh_node)] != 0);
    if (!state.changed) {
      continue;
    }
    const Placement& placement = s.placements[state.placement];
    const std::span<const float> morph_weights = weights_of(part);
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
        pack_palette(method, (*s.bindings)[static_cast<std::size_t>(part.skin)], placement.matrices, s.palette);
        palette_of = &placement;
      }
      input.influences = &state.data->influences[primitive_index];
      input.palette = s.palette;
      input.shape_from_mesh = glm::mat3((*s.bindings)[static_cast<std::size_t>(part.skin)].shape_from_mesh);
      input.normal_variant = kernel_normals(normals);
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
        // Rows of rounded weights keep their values in 16 bits, at half the memory.
        const BlockWeights weights =
            settings.weight_format == WeightFormat::kFloat ? BlockWeights::kFloat : BlockWeights::kUnorm16;
        const bool morphs_normals = std::ranges::any_of(
            primitive.morph_targets, [](const mesh::MorphTarget& target) { return !target.normal_deltas.empty(); });
        state.fast.emplace(
            input, ranks, FastSkinOptions{.method = fast_method, .weights = weights, .morphs_normals = morphs_normals});
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
      skin_all(skinned ? method : skinning_methods()[static_cast<std::size_t>(find_method("lbs"))], input,
               output_of(p));
    }
    state.valid = true;
  }

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
                       std::span<const glm::vec3> pivots, NormalVariant normals, const MethodParameters& parameters,
                       bool weights_as_stored) {
  const std::vector<glm::vec3> origins(pivots.empty() ? skin_matrices.size() : 0, glm::vec3(0.0f));
  std::vector<char> follows(skin_matrices.size(), 0);
  influences.for_each_entry([&](std::uint16_t joint, float) { follows[joint] = 1; });
  const SkinBinding binding = loose_binding(pivots.empty() ? std::span<const glm::vec3>(origins) : pivots, follows);
  return skin_bound_once(method, primitive, influences, skin_matrices, binding, normals, parameters, weights_as_stored);
}

DeformedPart skin_bound_once(const SkinningMethod& method, const mesh::Primitive& primitive,
                             const mesh::Influences& influences, std::span<const glm::mat4> skin_matrices,
                             const SkinBinding& binding, NormalVariant wanted, const MethodParameters& parameters,
                             bool weights_as_stored) {
  const NormalVariant normals = normals_under(method, wanted);
  const mesh::Primitive* const primitives[] = {&primitive};
  const mesh::Influences* const rows[] = {&influences};
  const mesh::MeshSurface surface = mesh::make_mesh_surface(primitives, rows, binding.shape_from_mesh);
  std::vector<Prepared> prepared(1);
  if (method.prepare != nullptr) {
    method.prepare(surface, parameters, {}, prepared);
  }
  std::vector<WeightGradients> gradients(1);
  if (normals == NormalVariant::kExact) {
    gradients = weight_gradients(surface);
    if (method.has_centers) {
      add_center_gradients(surface, prepared, gradients);
    }
  }
  std::vector<glm::vec4> palette;
  pack_palette(method, binding, skin_matrices, palette);

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
  input.shape_from_mesh = glm::mat3(binding.shape_from_mesh);
  input.normal_variant = kernel_normals(normals);
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
