#include "deform/deformer_state.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "deform/layers.h"
#include "deform/skin_data.h"
#include "rig/own_bindings.h"

namespace pelt::deform {
namespace {

// Whether the same pose gives the same shape under both, but for what layers do.
bool same_shape(const SkinningSettings& a, const SkinningSettings& b) {
  SkinningSettings like_b = a;
  like_b.backend = b.backend;
  like_b.palette_limit = b.palette_limit;
  like_b.partition = b.partition;
  like_b.layers = b.layers;
  return like_b == b;
}

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
           const SharedList<mesh::Primitive>& before = meshes[part.mesh].primitives;
           const SharedList<mesh::Primitive>& now = character.meshes[part.mesh].primitives;
           const std::size_t p = part.primitive;
           return before.size() == now.size() && before[p].influences->empty() == now[p].influences->empty();
         });
}

// Whether what is skinned and morphed is the same, whatever its weights and triangles are.
bool same_arrays(const mesh::Primitive& a, const mesh::Primitive& b) {
  return a.positions.is(b.positions) && a.normals.is(b.normals) && a.tangents.is(b.tangents) &&
         a.morph_targets.is(b.morph_targets) && a.influences->vertex_count() == b.influences->vertex_count();
}

// Whether what a method computes reads more of a mesh than single vertices and their rows.
bool reads_surface(const SkinningSettings& settings) {
  const SkinningMethod& method = skinning_methods()[settings.method];
  const NormalVariant normals = normals_under(method, settings.normals);
  return method.prepare != nullptr || method.finish != nullptr || normals == NormalVariant::kExact ||
         normals == NormalVariant::kRecomputed;
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
    put(0, world[placement.joint]);
    return;
  }
  for (std::size_t j = 0; j < placement.follows.size(); ++j) {
    if (placement.follows[j] != 0) {
      put(j, rig::posed_skin_matrix(character, pose, world, placement.skin, j));
    }
  }
}

bool needs_surface(const DeformCall& call, bool has_cages) {
  return call.method.finish != nullptr || call.normals == NormalVariant::kRecomputed || has_cages;
}

SharedArray<rig::Layer> layers_in(const SharedArray<rig::Layer>& layers, rig::LayerSlot slot) {
  SharedArray<rig::Layer> out;
  for (const rig::Layer& layer : layers) {
    if (find_deformer_layer_kind(layer.kind)->about.slot == slot) {
      out.push_back(layer);
    }
  }
  return out;
}

}  // namespace

void PartState::forget() {
  data = nullptr;
  morph_weights.clear();
  valid = false;
  fast.reset();
  rows = {};
  morphed.reset();
  edited = plain = false;
}

void PartState::follow_rows(const mesh::Influences& before, const mesh::Influences& now, FastMethod method) {
  bool followed = fast.has_value();
  if (fast && method == FastMethod::kHeaviest) {
    const mesh::Influences rows_before = rows;
    mesh::for_changed_blocks(before, now, [&](std::size_t b, std::size_t, std::size_t) {
      rows.put_block(b, mesh::limit_block(now.blocks()[b], 1, 0.0f));
    });
    followed = fast->update_rows(rows_before, rows);
  } else if (fast) {
    followed = fast->update_rows(before, now);
  }
  if (followed) {
    edited = true;
    return;
  }
  fast.reset();
  rows = {};
  plain = valid = false;
}

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
    std::size_t& at = skinned ? of_skin[part.skin] : of_joint[part.joint];
    if (at == kNone) {
      at = placements.size();
      Placement placement;
      (skinned ? placement.skin : placement.joint) = skinned ? part.skin : part.joint;
      if (skinned) {
        placement.follows = followed((*bindings)[part.skin]);
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

// The matrices of joints that nothing follows any more are the identity again.
void CpuDeformer::State::follow_bindings(const rig::Character& character) {
  bindings = cache->bindings(character);
  for (Placement& placement : placements) {
    if (placement.skin >= 0) {
      std::vector<char> follows = followed((*bindings)[placement.skin]);
      for (std::size_t j = 0; j < follows.size(); ++j) {
        placement.matrices[j] = follows[j] != 0 ? placement.matrices[j] : glm::mat4(1.0f);
      }
      placement.follows = std::move(follows);
    }
  }
}

// Meshes were edited, and nothing else: parts keep what they have as far as it follows from what is the same, and
// follow rows that are not.
void CpuDeformer::State::follow_meshes(const rig::Character& character) {
  const std::shared_ptr<const std::vector<SkinBinding>> bindings_before = bindings;
  follow_bindings(character);
  const FastMethod fast_method = skinning_methods()[settings.method].fast;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const rig::Part& part = character.parts[p];
    PartState& state = parts[p];
    const std::size_t primitive = part.primitive;
    const std::shared_ptr<const SkinData> data_before = state.data;
    if (!same_arrays(meshes[part.mesh].primitives[primitive], character.primitive(part))) {
      state.forget();
    }
    if (!is_skinned(character, part)) {
      continue;
    }
    state.data = cache->get(character, part.mesh, settings);
    const Shared<mesh::Influences>& before = data_before->influences.shared(primitive);
    const Shared<mesh::Influences>& now = state.data->influences.shared(primitive);
    if (!before.is(now)) {
      state.follow_rows(before, now, fast_method);
    }
    // A neighbour's weights may matter to what is smoothed or prepared, or to how the joints hang on each other.
    state.valid = state.valid && bindings == bindings_before && (state.data == data_before || !reads_surface(settings));
  }
}

// Parts that went on with what had been prepared for earlier weights ask whether there is their own.
void CpuDeformer::State::take_prepared(const rig::Character& character) {
  for (std::size_t p = 0; p < parts.size(); ++p) {
    PartState& state = parts[p];
    if (state.data != nullptr && state.data->outdated) {
      std::shared_ptr<const SkinData> data = cache->get(character, character.parts[p].mesh, settings);
      state.valid = state.valid && data == state.data;
      state.data = std::move(data);
    }
  }
}

// Only layers are others: what was laid out for the kernels stays, unless they cannot have the shape any more.
void CpuDeformer::State::follow_layers(const SharedArray<rig::Layer>& layers) {
  settings.layers = layers;
  const bool before_the_skin = moves_vertices(settings, rig::LayerSlot::kBindSpace);
  for (PartState& part : parts) {
    part.valid = false;
    part.moved.clear();
    if (before_the_skin) {
      part.fast.reset();
    }
  }
}

void CpuDeformer::State::follow(const DeformCall& call) {
  const rig::Character& character = call.character;
  if (settings.layers != call.settings.layers) {
    follow_layers(call.settings.layers);
  }
  const bool same_parts = known && skeleton.is(character.skeleton) && skins.is(character.skins) &&
                          mesh_nodes.is(character.mesh_nodes) && character_parts.is(character.parts) &&
                          same_shape(settings, call.settings);
  if (!same_parts || !meshes.is(character.meshes)) {
    if (same_parts && skinned_alike(meshes, character)) {
      follow_meshes(character);
    } else {
      settings = call.settings;
      begin(character);
    }
    known = true;
    skeleton = character.skeleton;
    skins = character.skins;
    meshes = character.meshes;
    mesh_nodes = character.mesh_nodes;
    character_parts = character.parts;
  }
  take_prepared(character);
  if (out != &call.out || call.out.parts.size() != character.parts.size()) {
    out = &call.out;
    call.out.parts.resize(character.parts.size());
    for (PartState& state : parts) {
      state.valid = false;
    }
  }
}

void CpuDeformer::State::place(const DeformCall& call) {
  for (Placement& placement : placements) {
    update(placement, call.character, call.pose, call.world);
  }
}

// Control points go through a deformer of their own, as vertices do. Layers on the posed skin wait for the surface.
void CpuDeformer::State::pose_cages(const DeformCall& call) {
  cages = call.settings.refine == Refine::kAfterSkin ? cache->cages(call.character) : nullptr;
  cages_moved = false;
  if (cages == nullptr) {
    cage_deformer.reset();
    posed_cages = {};
    return;
  }
  if (cage_deformer == nullptr) {
    cage_deformer = std::make_unique<CpuDeformer>(cages->cache);
  }
  SkinningSettings of_points = settings_of_points(call.settings);
  of_points.layers = layers_in(call.settings.layers, rig::LayerSlot::kBindSpace);
  cages_moved = cage_deformer->deform(cages->character, call.pose, call.world, of_points, posed_cages);
}

bool CpuDeformer::State::find_changed(const DeformCall& call) {
  bool anything = false;
  std::vector<char> node_changed(call.character.mesh_nodes.size(), 0);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const rig::Part& part = call.character.parts[p];
    PartState& state = parts[p];
    state.whole = !state.valid || placements[state.placement].changed || (cages_moved && has_cage(p)) ||
                  !std::ranges::equal(state.morph_weights, call.morph_weights_of(p)) ||
                  call.out.parts[p].positions.size() != call.character.primitive(part).positions.size() ||
                  (state.edited && moves_vertices(call.settings, rig::LayerSlot::kPosedSkin));
    state.changed = state.whole || state.edited;
    if (state.changed) {
      anything = true;
      node_changed[part.mesh_node] = 1;
    }
  }
  // The stages after single vertices read all parts of a mesh, skinned or not, and write over them.
  for (std::size_t p = 0; p < parts.size() && needs_surface(call, cages != nullptr); ++p) {
    parts[p].whole = parts[p].changed = parts[p].changed || node_changed[call.character.parts[p].mesh_node] != 0;
  }
  return anything;
}

}  // namespace pelt::deform
