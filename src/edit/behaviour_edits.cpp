#include "edit/behaviour_edits.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/free_names.h"
#include "core/text.h"
#include "edit/pose_sources.h"
#include "motion/controls.h"

namespace pelt::edit {
namespace {

constexpr std::size_t kLongestBehaviourName = 200;

bool has(const std::vector<motion::Driver>& drivers, const motion::Driver& driver) {
  return std::ranges::find(drivers, driver) != drivers.end();
}

// The first that one list has and the other has not.
const motion::Driver* first_new(const std::vector<motion::Driver>& now, const std::vector<motion::Driver>& before) {
  const auto found = std::ranges::find_if(now, [&](const motion::Driver& driver) { return !has(before, driver); });
  return found == now.end() ? nullptr : &*found;
}

bool is_finite_slider(const motion::SemanticSlider& slider) {
  return std::isfinite(slider.value) && std::isfinite(slider.lower) && std::isfinite(slider.upper) &&
         std::ranges::all_of(slider.rows, [](const motion::SliderRow& row) {
           return std::isfinite(row.amount) && std::isfinite(row.curve);
         });
}

bool has_finite_numbers(const motion::ClipLayer& layer) {
  return std::ranges::all_of(std::initializer_list<float>{layer.weight, layer.speed, layer.start, layer.offset,
                                                          layer.length, layer.fade_in, layer.fade_out},
                             [](float number) { return std::isfinite(number); });
}

std::vector<motion::SemanticSlider> sound(std::vector<motion::SemanticSlider> sliders) {
  FreeNames names(kLongestBehaviourName);
  for (motion::SemanticSlider& slider : sliders) {
    slider.name = names.give(slider.name, "slider");
    slider.lower = std::min(slider.lower, 0.0f);
    slider.upper = std::max(slider.upper, 0.0f);
    slider.value = std::clamp(slider.value, slider.lower, slider.upper);
  }
  return sliders;
}

// Why one of them cannot be; what a file said before may stay as it is.
std::string refused_collider(const Document& document, const std::vector<motion::SpringCollider>& colliders) {
  if (colliders.size() > motion::kMostSpringColliders) {
    return fmt::format("expected at most {} colliders, got {}", motion::kMostSpringColliders, colliders.size());
  }
  const std::vector<motion::SpringCollider>& before = document.content.behaviour->springs.colliders;
  for (const motion::SpringCollider& one : colliders) {
    if (std::ranges::find(before, one) != before.end()) {
      continue;
    }
    const std::string name = printable(one.name, 60);
    if (std::ranges::count(colliders, one.name, &motion::SpringCollider::name) != 1) {
      return fmt::format("collider {}: another one has this name", name);
    }
    if (const Result<int> joint = motion::find_named_joint(*document.character, one.joint); !joint) {
      return fmt::format("collider {}: {}", name, joint.error().message);
    }
    const auto finite = [](const glm::vec3& v) { return std::isfinite(glm::dot(v, v)); };
    if (!finite(one.offset) || !finite(one.tail) || !finite(one.normal) || !(glm::length(one.normal) > 0)) {
      return fmt::format("collider {}: expected finite places and a normal", name);
    }
    if (!(one.radius >= 0) || !std::isfinite(one.radius)) {
      return fmt::format("collider {}: expected a radius of 0 or more, got {:g}", name, one.radius);
    }
  }
  return "";
}

}  // namespace

std::string label(const Document& document, const SetDrivers& change) {
  const std::vector<motion::Driver>& before = document.content.behaviour->drivers;
  if (const motion::Driver* const made = first_new(change.drivers, before); made != nullptr) {
    return fmt::format("Drive {}", printable(made->target, 60));
  }
  const motion::Driver* const gone = first_new(before, change.drivers);
  return gone == nullptr ? "Change drivers" : fmt::format("Remove the driver of {}", printable(gone->target, 60));
}

std::string refusal(const Document& document, const SetDrivers& change) {
  if (change.drivers.size() > motion::kMostDrivers) {
    return fmt::format("expected at most {} drivers, got {}", motion::kMostDrivers, change.drivers.size());
  }
  const motion::DriverRig rig = motion::make_driver_rig(*document.character, change.drivers);
  const std::vector<motion::Driver>& before = document.content.behaviour->drivers;
  const motion::DriverRig rig_before = motion::make_driver_rig(*document.character, before);
  // Of a cycle the driver is named that closes it.
  for (const bool wants_new : {true, false}) {
    for (std::size_t d = 0; d < change.drivers.size(); ++d) {
      const auto was = std::ranges::find(before, change.drivers[d]);
      const bool was_faulty = was != before.end() && !rig_before.faults[was - before.begin()].empty();
      if (!rig.faults[d].empty() && !was_faulty && wants_new == (was == before.end())) {
        return fmt::format("{}: {}", printable(change.drivers[d].target, 60), rig.faults[d]);
      }
    }
  }
  return "";
}

void carry_out(const Document& document, const SetDrivers& change, Content& content, View&) {
  if (content.behaviour->drivers != change.drivers && refusal(document, change).empty()) {
    content.behaviour.edit().drivers = change.drivers;
  }
}

std::string label(const Document& document, const SetSemanticSliders& change) {
  const std::vector<motion::SemanticSlider>& before = document.content.behaviour->sliders;
  for (const motion::SemanticSlider& slider : change.sliders) {
    if (std::ranges::find(before, slider.name, &motion::SemanticSlider::name) == before.end()) {
      return fmt::format("Add the slider {}", printable(slider.name, 60));
    }
  }
  return change.sliders.size() < before.size() ? "Remove sliders" : "Change sliders";
}

void carry_out(const Document&, const SetSemanticSliders& change, Content& content, View&) {
  std::size_t rows = 0;
  for (const motion::SemanticSlider& slider : change.sliders) {
    rows += slider.rows.size();
    if (!is_finite_slider(slider)) {
      return;
    }
  }
  std::vector<motion::SemanticSlider> sliders = sound(change.sliders);
  if (rows <= motion::kMostSliderRows && content.behaviour->sliders != sliders) {
    content.behaviour.edit().sliders = std::move(sliders);
  }
}

std::string label(const Document& document, const SetSemanticValue& change) {
  const std::vector<motion::SemanticSlider>& sliders = document.content.behaviour->sliders;
  return change.slider < sliders.size() ? fmt::format("Move {}", printable(sliders[change.slider].name, 60))
                                        : "Move a slider";
}

void carry_out(const Document& document, const SetSemanticValue& change, Content& content, View&) {
  const std::vector<motion::SemanticSlider>& sliders = document.content.behaviour->sliders;
  if (change.slider >= sliders.size() || !std::isfinite(change.value)) {
    return;
  }
  const motion::SemanticSlider& slider = sliders[change.slider];
  const float value = std::clamp(change.value, slider.lower, slider.upper);
  if (content.behaviour->sliders[change.slider].value != value) {
    content.behaviour.edit().sliders[change.slider].value = value;
  }
}

std::string label(const Document& document, const SetSprings& change) {
  const std::size_t before = document.content.behaviour->springs.chains.size();
  const std::size_t now = change.springs.chains.size();
  if (now != before) {
    return now > before ? "Add springs" : "Remove springs";
  }
  const std::vector<motion::SpringCollider>& were = document.content.behaviour->springs.colliders;
  const std::vector<motion::SpringCollider>& are = change.springs.colliders;
  if (are.size() != were.size()) {
    return are.size() > were.size() ? fmt::format("Add the collider {}", printable(are.back().name, 60))
                                    : "Remove a collider";
  }
  const auto other = std::ranges::mismatch(are, were).in1;
  return other == are.end() ? "Change springs" : fmt::format("Change the collider {}", printable(other->name, 60));
}

std::string refusal(const Document& document, const SetSprings& change) {
  if (std::string why = refused_collider(document, change.springs.colliders); !why.empty()) {
    return why;
  }
  const motion::SpringRig rig = motion::make_spring_rig(*document.character, change.springs);
  const std::vector<motion::SpringChain>& before = document.content.behaviour->springs.chains;
  for (std::size_t c = 0; c < rig.faults.size(); ++c) {
    if (!rig.faults[c].empty() && std::ranges::find(before, change.springs.chains[c]) == before.end()) {
      return fmt::format("springs {}: {}", printable(change.springs.chains[c].name, 60), rig.faults[c]);
    }
  }
  return "";
}

void carry_out(const Document& document, const SetSprings& change, Content& content, View&) {
  if (content.behaviour->springs != change.springs && refusal(document, change).empty()) {
    content.behaviour.edit().springs = change.springs;
  }
}

std::string label(const Document& document, const SetClipLayers& change) {
  const std::vector<motion::ClipLayer>& before = document.content.behaviour->clip_layers;
  if (change.layers.size() > before.size()) {
    return fmt::format("Add a layer of {}", printable(change.layers.back().clip, 60));
  }
  if (change.layers.size() < before.size()) {
    return before.size() == 1 || change.layers.empty() ? "Remove clip layers" : "Remove a clip layer";
  }
  return "Change clip layers";
}

std::string refusal(const Document& document, const SetClipLayers& change) {
  if (change.layers.size() > motion::kMostClipLayers) {
    return fmt::format("expected at most {} clip layers, got {}", motion::kMostClipLayers, change.layers.size());
  }
  for (std::size_t l = 0; l < change.layers.size(); ++l) {
    if (!has_finite_numbers(change.layers[l])) {
      return fmt::format("clip layer {}: it has a number that is not finite", l);
    }
  }
  const motion::ClipLayerRig rig = motion::make_clip_layer_rig(*document.character, change.layers);
  const std::vector<motion::ClipLayer>& before = document.content.behaviour->clip_layers;
  for (std::size_t l = 0; l < change.layers.size(); ++l) {
    // What a new file broke may still be changed.
    const auto same_names = [&](const motion::ClipLayer& layer) {
      return layer.clip == change.layers[l].clip && layer.joints == change.layers[l].joints;
    };
    if (!rig.faults[l].empty() && std::ranges::none_of(before, same_names)) {
      return fmt::format("clip layer {}: {}", l, rig.faults[l]);
    }
  }
  return "";
}

void carry_out(const Document& document, const SetClipLayers& change, Content& content, View&) {
  if (!refusal(document, change).empty()) {
    return;
  }
  std::vector<motion::ClipLayer> layers = change.layers;
  for (motion::ClipLayer& layer : layers) {
    constexpr float kLongest = motion::kLongestClipLayer;
    layer.weight = std::clamp(layer.weight, 0.0f, 1.0f);
    layer.speed = std::clamp(layer.speed, -motion::kFastestClipLayer, motion::kFastestClipLayer);
    layer.offset = std::clamp(layer.offset, -kLongest, kLongest);
    for (float* const time : {&layer.start, &layer.length, &layer.fade_in, &layer.fade_out}) {
      *time = std::clamp(*time, 0.0f, kLongest);
    }
    layer.below = layer.below && !layer.joints.empty();
  }
  if (content.behaviour->clip_layers != layers) {
    content.behaviour.edit().clip_layers = std::move(layers);
  }
}

SetDrivers with_driver(const Document& document, std::string_view target, std::string_view expression) {
  SetDrivers out{document.content.behaviour->drivers};
  const auto known = std::ranges::find(out.drivers, target, &motion::Driver::target);
  if (known != out.drivers.end()) {
    known->expression = expression;
    known->on = true;
  } else {
    out.drivers.push_back({std::string(target), std::string(expression)});
  }
  return out;
}

int find_semantic_slider(const Document& document, std::string_view name) {
  const std::vector<motion::SemanticSlider>& sliders = document.content.behaviour->sliders;
  const auto found = std::ranges::find(sliders, name, &motion::SemanticSlider::name);
  return found == sliders.end() ? -1 : static_cast<int>(found - sliders.begin());
}

Result<SetSemanticSliders> learned_slider(const Document& document, std::string_view name) {
  Document plain = document;  // without what sliders and drivers add to either pose
  plain.content.behaviour = {};
  plain.view.layer_limit = -1;
  const rig::Pose from = evaluate_base_pose(plain);
  rig::Pose to = from;
  rig::PoseBuilder builder(document.character->skeleton, to);
  for (const auto& [joint, posed] : *document.content.overrides) {
    builder.set_local(joint, posed.local);
  }
  for (const auto& [morph, weight] : *document.content.morph_overrides) {
    builder.morph_weights()[static_cast<std::size_t>(morph)] = weight;
  }
  std::vector<motion::SliderRow> rows = motion::learned_rows(pose_sources(document), from, to);
  if (rows.empty()) {
    return error("nothing is posed by hand that a slider could learn");
  }
  SetSemanticSliders out{document.content.behaviour->sliders};
  if (const int known = find_semantic_slider(document, name); known >= 0) {
    out.sliders[static_cast<std::size_t>(known)].rows = std::move(rows);
  } else {
    out.sliders.push_back({std::string(name), 0, 1, std::move(rows)});
  }
  return out;
}

}  // namespace pelt::edit
