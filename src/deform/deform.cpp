#include "deform/deform.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/expect.h"
#include "core/index.h"
#include "deform/common_stretch.h"
#include "deform/deformer_state.h"
#include "deform/layers.h"
#include "deform/skin_cor.h"
#include "deform/surface_normals.h"
#include "deform/weight_gradients.h"
#include "mesh/stencils.h"
#include "rig/kinematics.h"

namespace pelt::deform {
namespace {

// Resizes what will be written over.
template <typename T>
void fit(LineVector<T>& out, std::size_t count) {
  if (out.capacity() < count) {
    out = LineVector<T>(count);
  } else {
    out.resize(count);
  }
}

// Windows of what an edit left for later: about a millisecond.
constexpr std::size_t kSettledPerCall = 16;

}  // namespace

NormalVariant kernel_normals(NormalVariant normals) {
  return normals == NormalVariant::kRecomputed ? NormalVariant::kInverseTransposeOfBlend : normals;
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

SkinOutput DeformCall::output_of(std::size_t part) const {
  return {out.parts[part].positions, out.parts[part].normals, out.parts[part].tangents};
}

std::span<const float> DeformCall::morph_weights_of(std::size_t part) const {
  const rig::Part& of = character.parts[part];
  return character.primitive(of).morph_targets.empty() ? std::span<const float>()
                                                       : character.morph_weights(pose, of.joint);
}

// What a kernel is given of a part, but for the palette.
void CpuDeformer::State::read_primitive(const DeformCall& call, std::size_t p) {
  const rig::Part& part = call.character.parts[p];
  const mesh::Primitive& primitive = call.character.primitive(part);
  PartState& state = parts[p];
  SkinInput& input = state.input = {};
  input.positions = primitive.positions;
  input.normals = primitive.normals;
  input.tangents = primitive.tangents;
  input.skin_matrices = placements[state.placement].matrices;
  if (state.data == nullptr) {
    if (state.rows.empty()) {
      state.rows = rows_of_one(primitive.positions.size());
    }
    input.influences = &state.rows;
    return;
  }
  const std::size_t primitive_index = part.primitive;
  input.influences = &state.data->influences[primitive_index];
  input.shape_from_mesh = glm::mat3((*bindings)[part.skin].shape_from_mesh);
  input.normal_variant = kernel_normals(call.normals);
  input.weights_as_stored = call.settings.weights_as_stored;
  input.parameters = call.settings.parameters;
  input.prepared = state.data->prepared.empty() ? nullptr : &state.data->prepared[primitive_index];
  if (call.normals == NormalVariant::kExact) {
    input.weight_gradients = &state.data->weight_gradients[primitive_index];
  }
}

// Whether the part goes through the fast kernels, for which it is laid out where it was not.
bool CpuDeformer::State::make_fast(const DeformCall& call, std::size_t p) {
  const rig::Part& part = call.character.parts[p];
  PartState& state = parts[p];
  const bool skinned = state.data != nullptr;
  const FastMethod fast_method = skinned ? call.method.fast : FastMethod::kLinear;
  if (moves_vertices(call.settings, rig::LayerSlot::kBindSpace)) {
    return false;  // it morphs by itself
  }
  if (!state.fast && (state.plain || !FastSkin::covers(state.input, fast_method))) {
    state.plain = true;
    return false;
  }
  if (fast_method == FastMethod::kHeaviest) {
    if (!state.fast) {
      state.rows = mesh::limit_influences(*state.input.influences, 1);
    }
    state.input.influences = &state.rows;
  }
  if (!state.fast) {
    constexpr std::array<int, 1> kOne = {0};
    const std::span<const int> ranks = skinned ? std::span<const int>(call.character.skins[part.skin].joints) : kOne;
    // Rows of rounded weights keep their values in 16 bits, at half the memory.
    const BlockWeights weights =
        call.settings.weight_format == WeightFormat::kFloat ? BlockWeights::kFloat : BlockWeights::kUnorm16;
    const bool morphs_normals =
        std::ranges::any_of(call.character.primitive(part).morph_targets,
                            [](const mesh::MorphTarget& target) { return !target.normal_deltas.empty(); });
    state.fast.emplace(state.input, ranks,
                       FastSkinOptions{.method = fast_method, .weights = weights, .morphs_normals = morphs_normals});
  }
  if (state.whole && state.fast->loose_windows() > 0) {
    state.fast->settle(*state.input.influences, kSettledPerCall);
  }
  return true;
}

void CpuDeformer::State::shape(const DeformCall& call) {
  for (std::size_t p = 0; p < parts.size(); ++p) {
    PartState& state = parts[p];
    if (!state.changed) {
      continue;
    }
    const mesh::Primitive& primitive = call.character.primitive(call.character.parts[p]);
    const std::span<const float> morph_weights = call.morph_weights_of(p);
    state.morph_weights.assign(morph_weights.begin(), morph_weights.end());
    read_primitive(call, p);
    if (make_fast(call, p)) {
      state.fast->set_morph_weights(primitive.morph_targets, morph_weights);
      continue;
    }
    if (!state.morphed && std::ranges::any_of(morph_weights, [](float weight) { return weight != 0.0f; })) {
      state.morphed.emplace(primitive);
    }
    if (state.morphed) {
      state.morphed->set_weights(morph_weights);
      state.input.positions = state.morphed->positions();
      state.input.normals = state.morphed->normals();
      state.input.tangents = state.morphed->tangents();
    }
    if (moves_vertices(call.settings, rig::LayerSlot::kBindSpace)) {
      state.moved.assign(state.input.positions.begin(), state.input.positions.end());
      move_vertices(call.settings, rig::LayerSlot::kBindSpace, {state.moved, state.input.normals});
      state.input.positions = state.moved;
    }
  }
}

void CpuDeformer::State::skin(const DeformCall& call) {
  const SkinningMethod& placing = skinning_methods()[find_method("lbs")];
  const Placement* palette_of = nullptr;  // whose palette `palette` holds
  for (std::size_t p = 0; p < parts.size(); ++p) {
    PartState& state = parts[p];
    if (!state.changed) {
      continue;
    }
    const bool skinned = state.data != nullptr;
    const Placement& placement = placements[state.placement];
    if (skinned && call.method.reads_palette && palette_of != &placement) {
      const int skin = call.character.parts[p].skin;
      pack_palette(call.method, (*bindings)[skin], placement.matrices, palette);
      palette_of = &placement;
    }
    if (skinned) {
      state.input.palette = palette;
    }
    DeformedPart& result = call.out.parts[p];
    fit(result.positions, state.input.positions.size());
    fit(result.normals, state.input.normals.size());
    fit(result.tangents, state.input.tangents.size());
    if (state.fast && !state.whole) {
      note_written(p, state.fast->run_changed(state.input, call.output_of(p), &state.bounds));
    } else if (state.fast) {
      state.fast->run(state.input, call.output_of(p), &state.bounds);
    } else {
      skin_all(skinned ? call.method : placing, state.input, call.output_of(p));
    }
    if (state.whole || !state.fast) {
      state.written.assign((result.positions.size() + FastSkin::kChunkVertices - 1) / FastSkin::kChunkVertices, serial);
    }
    state.input = {};
    state.valid = true;
    state.edited = false;
  }
}

void CpuDeformer::State::note_written(std::size_t p, std::span<const std::uint32_t> chunks) {
  for (const std::uint32_t chunk : chunks) {
    parts[p].written[chunk] = serial;
  }
}

void CpuDeformer::State::move_posed(const DeformCall& call) {
  if (!moves_vertices(call.settings, rig::LayerSlot::kPosedSkin)) {
    return;
  }
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (parts[p].changed) {
      const SkinOutput output = call.output_of(p);
      move_vertices(call.settings, rig::LayerSlot::kPosedSkin, {output.positions, output.normals});
    }
  }
}

// Calls f(data, skin matrices, outputs) for each mesh whose skinned parts changed, with the outputs of all its
// primitives, by its first skinned part.
template <typename F>
void CpuDeformer::State::for_changed_surfaces(const DeformCall& call, F f) {
  std::vector<char> seen(call.character.mesh_nodes.size(), 0);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const rig::Part& part = call.character.parts[p];
    char& seen_before = seen[part.mesh_node];
    if (parts[p].data == nullptr || std::exchange(seen_before, char{1}) != 0 || !parts[p].changed) {
      continue;
    }
    std::vector<SkinOutput> outputs(call.character.meshes[part.mesh].primitives.size());
    for (std::size_t q = 0; q < parts.size(); ++q) {
      if (call.character.parts[q].mesh_node == part.mesh_node) {
        outputs[call.character.parts[q].primitive] = call.output_of(q);
      }
    }
    f(*parts[p].data, std::span<const glm::mat4>(placements[parts[p].placement].matrices),
      std::span<const SkinOutput>(outputs));
  }
}

void CpuDeformer::State::smooth(const DeformCall& call) {
  if (call.method.finish != nullptr) {
    for_changed_surfaces(
        call, [&](const SkinData& data, std::span<const glm::mat4> skin_matrices, std::span<const SkinOutput> outputs) {
          call.method.finish(data.surface, call.settings.parameters, data.prepared, skin_matrices, outputs);
        });
  }
}

void CpuDeformer::State::refine(const DeformCall& call) {
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (!parts[p].changed || !has_cage(p)) {
      continue;
    }
    const SkinOutput output = call.output_of(p);
    mesh::apply(call.character.primitive(call.character.parts[p]).cage_rows,
                posed_cages.parts[cages->part[p]].positions, output.positions);
    move_vertices(call.settings, rig::LayerSlot::kPosedSkin, {output.positions, output.normals});
    parts[p].written.assign(parts[p].written.size(), serial);
  }
}

// Of primitives without control points the normals stay as the method made them.
std::vector<SkinOutput> of_cages(const SharedList<mesh::Primitive>& primitives, std::span<const SkinOutput> outputs) {
  std::vector<SkinOutput> out(outputs.begin(), outputs.end());
  for (std::size_t q = 0; q < out.size(); ++q) {
    if (!primitives[q].has_cage()) {
      out[q].normals = {};
      out[q].tangents = {};
    }
  }
  return out;
}

// Of surfaces that were made of posed control points nothing else knows the normals.
void CpuDeformer::State::remake_normals(const DeformCall& call) {
  const bool all = call.normals == NormalVariant::kRecomputed;
  if (all || cages != nullptr) {
    for_changed_surfaces(call, [all](const SkinData& data, std::span<const glm::mat4> skin_matrices,
                                     std::span<const SkinOutput> outputs) {
      if (all) {
        recompute_normals(data.surface, skin_matrices, outputs);
      } else if (std::ranges::any_of(data.mesh->primitives, &mesh::Primitive::has_cage)) {
        recompute_normals(data.surface, skin_matrices, of_cages(data.mesh->primitives, outputs));
      }
    });
  }
}

void CpuDeformer::State::bound(const DeformCall& call) {
  const bool moved_after =
      call.method.finish != nullptr || cages != nullptr || moves_vertices(call.settings, rig::LayerSlot::kPosedSkin);
  call.out.bounds = Bounds();
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (parts[p].changed && (!parts[p].fast || moved_after)) {
      parts[p].bounds = bounds_of(call.out.parts[p].positions);
    }
    call.out.bounds.add(parts[p].bounds);
  }
}

bool CpuDeformer::deform(const rig::Character& character, const rig::Pose& pose, std::span<const glm::mat4> world,
                         const SkinningSettings& settings, DeformedCharacter& out) {
  PELT_EXPECT(world.size() == character.skeleton->parent.size(), "one world matrix per node");
  PELT_EXPECT(has_index(skinning_methods(), settings.method), "a row of skinning_methods()");
  const SkinningMethod& method = skinning_methods()[settings.method];
  const DeformCall call{character, pose, world, settings, method, normals_under(method, settings.normals), out};
  State& state = *state_;
  state.follow(call);
  state.place(call);
  state.pose_cages(call);
  if (!state.find_changed(call)) {
    return false;
  }
  ++state.serial;
  state.shape(call);
  state.skin(call);
  state.move_posed(call);
  state.smooth(call);
  state.refine(call);
  state.remake_normals(call);
  state.bound(call);
  return true;
}

std::uint64_t CpuDeformer::serial() const {
  return state_->serial;
}

std::vector<VertexRange> CpuDeformer::written_since(std::uint64_t since, std::size_t part) const {
  std::vector<VertexRange> out;
  if (part >= state_->parts.size()) {
    return out;
  }
  const std::vector<std::uint64_t>& written = state_->parts[part].written;
  for (std::size_t c = 0; c < written.size(); ++c) {
    if (written[c] <= since) {
      continue;
    }
    const std::size_t first = c * FastSkin::kChunkVertices;
    if (out.empty() || out.back().end != first) {
      out.push_back({first, first});
    }
    out.back().end = std::min(first + FastSkin::kChunkVertices, state_->out->parts[part].positions.size());
  }
  return out;
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
  const std::array<SkinOutput, 1> outputs = {{{out.positions, out.normals, out.tangents}}};
  skin_all(method, input, outputs[0]);
  if (method.finish != nullptr) {
    method.finish(surface, parameters, prepared, skin_matrices, outputs);
  }
  if (normals == NormalVariant::kRecomputed) {
    recompute_normals(surface, skin_matrices, outputs);
  }
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
