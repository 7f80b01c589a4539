#include "render/gpu_character.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/expect.h"
#include "deform/skinning_methods.h"
#include "render/gpu_character_state.h"

namespace pelt::render {
namespace {

/// Whether settings differ at most in what is a uniform: normals that the shader makes, and parameters that nothing is
/// prepared from.
bool same_geometry(const deform::SkinningSettings& a, const deform::SkinningSettings& b) {
  deform::SkinningSettings like_b = a;
  const deform::SkinningMethod& method = deform::skinning_methods()[b.method];
  if (skinned_in_shader(a) == skinned_in_shader(b)) {
    like_b.normals = b.normals;
  }
  if (deform::preparing_parameters(method, a.parameters) == deform::preparing_parameters(method, b.parameters)) {
    like_b.parameters = b.parameters;
  }
  if (std::ranges::equal(a.layers, b.layers, {}, &rig::Layer::kind, &rig::Layer::kind)) {
    like_b.layers = b.layers;  // what they move is streamed
  }
  return like_b == b;
}

/// True where rows of the paint layout hold all primitives whose weights differ, and so count which joints are
/// followed; a method with rows of its own has none. @pre  same_but_weights(before, now)
template <typename Geometries>
bool all_painted(std::span<const GeometryKey> keys, const Geometries& geometries, const SurfaceParts& before,
                 const SurfaceParts& now) {
  for (std::size_t m = 0; m < now.meshes.size(); ++m) {
    for (std::size_t p = 0; p < now.meshes[m].primitives.size(); ++p) {
      const bool same = now.meshes[m].primitives[p].influences.is(before.meshes[m].primitives[p].influences);
      if (!same && std::ranges::none_of(keys, [&](const GeometryKey& key) {
            const auto found = geometries.find(key);
            return std::cmp_equal(key.mesh, m) && std::cmp_equal(key.primitive, p) && found != geometries.end() &&
                   found->second != nullptr && !found->second->paint.empty();
          })) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

Result<std::shared_ptr<const CharacterPlan>> GpuCharacter::State::plan(const GpuInput& input) {
  uploads.took_plan = input.plan != nullptr && input.plan->paint == input.paint &&
                      same_geometry(input.plan->skinning, input.skinning) &&
                      input.plan->of == SurfaceParts(*input.character);
  if (uploads.took_plan) {
    return input.plan;
  }
  KnownLayouts known;
  for (const auto& [key, geometry] : geometries) {
    known.emplace(key, geometry->layout);
  }
  return plan_character(*input.character, input.skinning, input.paint, limits, &cache(input), known);
}

const MorphTexture* GpuCharacter::State::morphs_of(const rig::Part& part, const mesh::Primitive& primitive,
                                                   MorphTextures& kept) {
  const std::pair<int, int> key(part.mesh, part.primitive);
  std::unique_ptr<MorphTexture>& morphs = kept[key];
  if (morphs == nullptr) {
    if (const auto found = morph_textures.find(key);
        found != morph_textures.end() && found->second != nullptr && found->second->is_of(primitive)) {
      morphs = std::move(found->second);
    } else {
      morphs = make_morph_texture(primitive, limits.texture_size);
      uploads.static_bytes += morphs->bytes;
    }
  }
  return morphs.get();
}

// The other backend's geometry is kept for the next toggle; that of other settings goes.
void GpuCharacter::State::keep_for_toggling(const GpuInput& input, Geometries& kept) {
  for (auto& [key, geometry] : geometries) {
    if (geometry != nullptr &&
        (!key.skinned ||
         (key.influence_limit == input.skinning.influence_limit &&
          key.prune_threshold == input.skinning.prune_threshold && key.weight_format == input.skinning.weight_format &&
          key.weights_as_stored == input.skinning.weights_as_stored && key.paint == input.paint &&
          input.skinning.backend == deform::Backend::kCpu))) {
      kept.try_emplace(key, std::move(geometry));
    }
  }
}

/// Brings buffers and parts in line with a plan. Parts whose vertex arrays stay right stay.
/// @param other_joints  set where painting made joints followed that were not, or the reverse
Status GpuCharacter::State::take_plan(const GpuInput& input, const CharacterPlan& plan, bool& other_joints) {
  const rig::Character& c = *input.character;
  Geometries kept;
  MorphTextures kept_morphs;
  std::vector<PartState> made(c.parts.size());
  bool rebuilt = parts.size() != c.parts.size();
  StaticUpload upload;
  std::map<const Geometry*, GeometryChange> changes;
  plan_notes.clear();
  for (std::size_t p = 0; p < c.parts.size(); ++p) {
    const rig::Part& source = c.parts[p];
    const mesh::Primitive& primitive = c.primitive(source);
    PartPlan of_part = plan.parts[p];
    plan_notes.insert(plan_notes.end(), of_part.notes.begin(), of_part.notes.end());
    std::unique_ptr<Geometry>& geometry = kept[plan.keys[p]];
    if (geometry == nullptr) {
      const auto found = geometries.find(plan.keys[p]);
      geometry = found != geometries.end() && found->second != nullptr ? std::move(found->second)
                                                                       : std::make_unique<Geometry>();
      std::shared_ptr<const deform::SkinData> data =
          of_part.path == VertexPath::kSkinned ? cache(input).get(c, source.mesh, input.skinning) : nullptr;
      PELT_TRY_TO(const GeometryChange change, follow(*geometry, c, source, of_part, plan.keys[p],
                                                      plan.layouts.at(plan.keys[p]), std::move(data), limits, upload));
      changes[geometry.get()] = change;
      other_joints = other_joints || change.other_joints;
    }
    if (!geometry->paint.empty()) {
      of_part.variant.influence_sets = geometry->paint.slots() > 4 ? 2 : 1;
      of_part.influences = 0;  // as long as they find room they make no difference
    }
    const MorphTexture* const morphs =
        of_part.variant.morphs && primitive.vertex_count() > 0 ? morphs_of(source, primitive, kept_morphs) : nullptr;
    const auto is_as_it_was = [&](const PartState& before) {
      return before.plan == of_part && before.skin == source.skin && before.geometry == geometry.get() &&
             !changes[geometry.get()].arrays && before.morphs == morphs;
    };
    rebuilt = rebuilt || !is_as_it_was(parts[p]);
    made[p].plan = std::move(of_part);
    made[p].geometry = geometry.get();
    made[p].morphs = morphs;
  }
  if (rebuilt) {
    for (std::size_t p = 0; p < c.parts.size(); ++p) {
      made[p] = make_part(c, c.parts[p], made[p].plan, *made[p].geometry, made[p].morphs);
    }
    parts = std::move(made);
    ++plan_version;
  }
  keep_for_toggling(input, kept);
  geometries = std::move(kept);
  morph_textures = std::move(kept_morphs);
  keys = plan.keys;
  uploads.static_bytes += upload.bytes;
  uploads.row_bytes += upload.rows.bytes;
  uploads.row_ranges += upload.rows.ranges;
  return {};
}

Status GpuCharacter::State::follow_character(const GpuInput& input, const SurfaceParts& now) {
  if (!of.skins.is(now.skins) && !of.meshes.is(now.meshes)) {
    own_cache.reset();  // another character: what was kept of the last one only takes memory
    if (!of.skeleton.is(now.skeleton)) {
      geometries.clear();
      morph_textures.clear();
      parts.clear();
    }
  }
  PELT_TRY_TO(const std::shared_ptr<const CharacterPlan> planned, plan(input));
  bool other_joints = false;
  if (Status taken = take_plan(input, *planned, other_joints); !taken) {
    return taken;
  }
  // Bindings follow from weights by which joints are followed at all, which painted rows count as they change.
  const bool same_bindings =
      skins.is_bound() &&
      (of == now || (!other_joints && same_but_weights(of, now) && all_painted(keys, geometries, of, now)));
  if (!same_bindings) {
    skins.bind(cache(input).bindings(*input.character));
  }
  of = now;
  return {};
}

void GpuCharacter::State::follow_hiding(const GpuInput& input) {
  if (hiding == input.hiding && hiding_plan == plan_version) {
    return;
  }
  for (std::size_t p = 0; p < parts.size(); ++p) {
    static const SharedArray<char> kAllShown;
    const rig::Hiding* by_hand = input.hiding.get();
    const auto found = by_hand == nullptr ? std::map<int, rig::Hiding::Vertices>::const_iterator()
                                          : by_hand->vertices.find(static_cast<int>(p));
    const SharedArray<char>& hidden =
        by_hand == nullptr || found == by_hand->vertices.end() ? kAllShown : found->second.hidden;
    if (!parts[p].hidden_vertices.is(hidden)) {
      uploads.element_bytes += hide_faces(parts[p], input.character->primitive(input.character->parts[p]), hidden);
    }
  }
  hiding = input.hiding;
  hiding_plan = plan_version;
}

GpuCharacter::GpuCharacter(const DeviceLimits& limits) : state_(std::make_unique<State>()) {
  state_->limits = limits;
}
GpuCharacter::~GpuCharacter() = default;
GpuCharacter::GpuCharacter(GpuCharacter&&) noexcept = default;
GpuCharacter& GpuCharacter::operator=(GpuCharacter&&) noexcept = default;

Status GpuCharacter::update(const GpuInput& input) {
  PELT_EXPECT(input.character != nullptr && input.pose != nullptr, "a character and its pose");
  PELT_EXPECT(input.world.size() == input.character->skeleton->parent.size(), "one world matrix per node");
  State& s = *state_;
  const auto start = std::chrono::steady_clock::now();
  s.uploads = {};
  const SurfaceParts now(*input.character);
  const bool same_parts = s.valid && s.of == now;
  const bool same_settings = s.valid && s.skinning == input.skinning && s.paint == input.paint;
  if (same_parts && same_settings && s.pose_version == input.pose_version) {
    s.follow_hiding(input);
    return {};
  }
  // What a stand-in for other weights was uploaded from is asked for again until its own is there.
  const bool outdated = std::ranges::any_of(s.geometries, [](const auto& of) {
    return of.second != nullptr && of.second->data != nullptr && of.second->data->outdated;
  });
  const bool as_planned =
      same_parts && !outdated && s.paint == input.paint && same_geometry(s.skinning, input.skinning);
  s.valid = false;
  if (!as_planned) {
    if (Status followed = s.follow_character(input, now); !followed) {
      s.parts.clear();
      s.geometries.clear();
      s.morph_textures.clear();
      return followed;
    }
  }
  s.notes = s.plan_notes;
  s.follow_hiding(input);
  s.write_uniforms(input);
  if (Status status = check_gl("uploading the character"); !status) {
    return status;
  }
  s.valid = true;
  s.of = now;
  s.pose_version = input.pose_version;
  s.skinning = input.skinning;
  s.paint = input.paint;
  s.uploads.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return {};
}

const VertexVariant& GpuCharacter::variant(int part) const {
  return state_->parts[part].plan.variant;
}

VertexPath GpuCharacter::path(int part) const {
  return state_->parts[part].plan.path;
}

std::uint64_t GpuCharacter::plan_version() const {
  return state_->plan_version;
}

int GpuCharacter::batch_count(int part) const {
  return state_->parts[part].geometry->layout->drawn_batches;
}

std::vector<BatchInfo> GpuCharacter::batches() const {
  std::vector<BatchInfo> rows;
  for (std::size_t p = 0; p < state_->parts.size(); ++p) {
    const PartState& part = state_->parts[p];
    if (part.plan.path != VertexPath::kSkinned) {
      continue;
    }
    for (const BatchRange& batch : part.geometry->layout->batches) {
      if (batch.index_count == 0) {
        continue;
      }
      rows.push_back({.part = static_cast<int>(p),
                      .batch = static_cast<int>(rows.size()),
                      .joints = static_cast<int>(batch.palette.size()),
                      .triangles = part.mode == GL_TRIANGLES ? batch.index_count / 3 : 0,
                      .vertices = batch.vertex_count,
                      .palette = {batch.palette.begin(), batch.palette.end()},
                      .rigid_slot = batch.rigid ? static_cast<int>(batch.palette.front()) : -1});
    }
  }
  return rows;
}

const UploadStats& GpuCharacter::uploads() const {
  return state_->uploads;
}

const std::vector<std::string>& GpuCharacter::notes() const {
  return state_->notes;
}

std::int64_t GpuCharacter::resident_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& [key, geometry] : state_->geometries) {
    bytes += geometry->bytes();
  }
  for (const auto& [key, morphs] : state_->morph_textures) {
    bytes += morphs->bytes;
  }
  return bytes;
}

std::int64_t GpuCharacter::influence_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& [key, geometry] : state_->geometries) {
    bytes += geometry->influence_bytes;
  }
  return bytes;
}

}  // namespace pelt::render
