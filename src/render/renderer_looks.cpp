#include <algorithm>
#include <optional>
#include <ranges>
#include <utility>

#include "core/expect.h"
#include "render/look_colors.h"
#include "render/renderer_impl.h"

namespace pelt::render {
namespace {

// Below the origin by more than this share of the diagonal, a character does not stand on y = 0 and the ground goes
// under it.
constexpr float kStandingTolerance = 0.05f;

bool shows_look_colors(Look look) {
  return is_weight_look(look) || look == Look::kInfluences || look == Look::kWeightSum || look == Look::kBatches ||
         look == Look::kDifference;
}

}  // namespace

void Renderer::Impl::update_character(const Frame& frame) {
  programs.refresh();  // references into the cache are gone then; nothing here keeps any
  const rig::Character& character = *frame.character;
  const std::int64_t textures = materials.uploaded_textures();
  materials.upload(character, limits);
  pane(frame).stats.textures = materials.uploaded_textures() - textures;
  const SurfaceParts now(character);
  if (!has_character || !(of == now)) {
    // The floor stays where it is while weights are edited: it is not to move under a brush.
    if (!has_character || !same_but_weights(of, now)) {
      const Bounds rest = deform::deform_once(character, rig::rest_pose(character), {}).bounds;
      ground_height = !rest.empty() && rest.lower.y < -kStandingTolerance * rest.diagonal() ? rest.lower.y : 0.0f;
    }
    of = now;
    has_character = true;
  }
  update_looks(frame);
}

void Renderer::Impl::update_looks(const Frame& frame) {
  const rig::Character& character = *frame.character;
  rig::AppearanceChoice choice{
      .variant = frame.view.variant, .toggled = frame.view.toggled_nodes, .by_hand = frame.view.hiding};
  if (frame.clip >= 0 && !character.clips[frame.clip].properties.empty()) {
    choice.clip = frame.clip;
    choice.time = character.clips[frame.clip].start + static_cast<float>(frame.clip_seconds);
  }
  AppearanceParts now(character);
  if (choice == appearance_choice && now == looks_of && looks.hidden.size() == character.skeleton->parent.size()) {
    return;
  }
  if (!frame.hold_shadows || choice != appearance_choice || !same_but_weights(now.surface, looks_of.surface)) {
    studio.forget_shadows();
  }
  looks_of = std::move(now);
  looks = rig::appearance(character, choice);
  if (choice.clip >= 0 || appearance_choice.clip >= 0) {
    materials.update(character, looks.materials, limits);
  }
  appearance_choice = std::move(choice);
}

const measure::SurfaceField& Renderer::Impl::field_of(const Frame& frame, measure::Measure measure) {
  std::shared_ptr<MapFields>& own = pane(frame).fields;
  const SurfaceParts now(*frame.character);
  if (own == nullptr || !(own->of == now)) {
    own = nullptr;
    for (const std::unique_ptr<PaneState>& other : panes) {
      if (other != nullptr && other->fields != nullptr && other->fields->of == now) {
        own = other->fields;
      }
    }
    if (own == nullptr) {
      own = std::make_shared<MapFields>(MapFields{now, {}});
    }
  }
  auto field = own->by_measure.find(measure);
  if (field == own->by_measure.end()) {
    field = own->by_measure.try_emplace(measure, *frame.character, measure).first;
  }
  return field->second;
}

Status Renderer::Impl::update_difference(const Frame& frame) {
  PaneState& state = pane(frame);
  state.shows_map = frame.view.look == Look::kDifference;
  if (!state.shows_map) {
    return {};
  }
  MapKey key{SurfaceParts(*frame.character), frame.pose_version, frame.skinning, frame.view.compare, frame.reference};
  key.compare.range = 0;
  if (key == state.map_key) {
    return {};
  }
  state.map_key = {};
  const Compare& compare = frame.view.compare;
  const bool backends = compare.reference == Reference::kOtherBackend;
  // The shape is the one that the pane shows, also where backends are not what is compared; but against full
  // precision rounding between backends would be mistaken for that of weights.
  std::optional<deform::DeformedCharacter> gpu_shape;
  if (backends || (frame.skinning.backend == deform::Backend::kGpu && compare.reference != Reference::kFullPrecision)) {
    Frame on_gpu = frame;
    on_gpu.skinning.backend = deform::Backend::kGpu;
    PELT_TRY_TO(deform::DeformedCharacter read, read_back(on_gpu));
    gpu_shape = std::move(read);
  }
  const deform::DeformedCharacter& shape = gpu_shape ? *gpu_shape : *frame.deformed;
  const deform::DeformedCharacter* reference = backends ? frame.deformed : frame.reference;
  if (reference == nullptr) {
    reference = &shape;
  }
  if (backends && compare.measure == measure::Measure::kDistance) {
    state.map = backend_difference(shape, *reference);
  } else {
    state.map = difference_map(field_of(frame, compare.measure), compare.measure, shape, *reference);
  }
  state.map_key = key;
  ++state.map_version;
  return {};
}

Result<deform::DeformedCharacter> Renderer::Impl::read_back(const Frame& frame) {
  GpuCharacter& character = gpu(frame);
  PELT_TRY(character.update(input_of(frame)));
  return character.read_back(programs);
}

/// One colour per palette batch.
void Renderer::Impl::set_batch_looks(const Frame& frame) {
  GpuCharacter& character = gpu(frame);
  const std::vector<BatchLook> looks_of_batches = batch_looks(*frame.character, character.batches());
  auto batch = looks_of_batches.begin();
  for (int p = 0; p < static_cast<int>(frame.character->parts.size()); ++p) {
    std::vector<glm::vec4> colors;
    for (; batch != looks_of_batches.end() && batch->part == p; ++batch) {
      if (static_cast<int>(colors.size()) < character.batch_count(p)) {  // none of a part without triangles
        colors.emplace_back(linear_from_srgb(batch->color), 1.0f);
      }
    }
    character.set_look_batch_colors(p, colors);
  }
}

Status Renderer::Impl::update_look_colors(const Frame& frame, const DifferenceScale& scale) {
  PaneState& state = pane(frame);
  const Look look = frame.view.look;
  const rig::Character& model = *frame.character;
  state.stats.difference.reset();
  state.shows_weights = is_weight_look(look) && !crowded;
  if (state.shows_weights) {
    state.character.set_weight_look(model, frame.view.weight_joint, look == Look::kMask);
  }
  if (!shows_look_colors(look)) {
    return {};
  }
  const bool difference = look == Look::kDifference;
  LookKey key{state.character.plan_version(), {}, look, frame.view.weight_joint, frame.skinning, 0, {}};
  const int parts = static_cast<int>(model.parts.size());
  const auto weighs = [&](int p) { return state.shows_weights && state.character.shows_weights(p); };
  const bool any_gathered = std::ranges::any_of(
      std::views::iota(0, parts), [&](int p) { return !weighs(p) && deform::is_skinned(model, model.parts[p]); });
  if (any_gathered) {
    key.of = SurfaceParts(model);
  } else if (state.shows_weights) {
    key.weight_joint = -1;  // nothing depends on it that is not in the shader
  }
  if (difference) {
    key.map = state.map_version;
    key.scale = scale;
    state.stats.difference = scale;
  }
  if (key == state.look_key) {
    return {};
  }
  if (look == Look::kBatches) {
    set_batch_looks(frame);
  }
  for (int p = 0; p < parts && look != Look::kBatches; ++p) {
    state.character.set_look_colors(
        p, weighs(p) ? std::vector<glm::vec4>()
                     : look_colors(model, p, frame.view, frame.skinning, difference ? &state.map : nullptr, scale));
  }
  state.look_key = std::move(key);
  return {};
}

bool Renderer::Impl::shows_weights(const Frame& frame, int part) {
  const PaneState& state = pane(frame);
  return state.shows_weights && state.character.shows_weights(part);
}

}  // namespace pelt::render
