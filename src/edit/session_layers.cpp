// Layers and panes, in a session.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/guarded_json.h"
#include "core/text.h"
#include "deform/skinning_methods.h"
#include "edit/layer_edits.h"
#include "edit/session_parts.h"

namespace pelt::edit {
namespace {

SessionJson layer_json(const rig::Layer& layer, const rig::LayerKind* kind) {
  SessionJson out = {{"kind", layer.kind}, {"on", layer.on}};
  for (std::size_t f = 0; kind != nullptr && f < layer.values.size(); ++f) {
    out[std::string(kind->fields[f].id)] = session_number(layer.values[f]);
  }
  if (!layer.kept.empty()) {
    out.update(SessionJson::parse(layer.kept));
  }
  return out;
}

rig::Layer read_layer(const Place& place, const rig::LayerKind* kind) {
  rig::Layer layer = kind != nullptr ? rig::standard_layer(*kind) : rig::Layer{place.at("kind").text(), true, {}};
  layer.on = place.at("on").flag() || (kind != nullptr && !kind->optional);
  SessionJson kept = SessionJson::object();
  place.each_member([&](const std::string& name, const Place& value) {
    if (name == "kind" || name == "on") {
      return;
    }
    const auto field = kind == nullptr ? decltype(kind->fields.begin()){}
                                       : std::ranges::find(kind->fields, name, &rig::LayerField::id);
    if (kind == nullptr || field == kind->fields.end()) {
      kept[name] = value.json();
      return;
    }
    layer.values[field - kind->fields.begin()] = std::clamp(value.number(), field->minimum, field->maximum);
  });
  if (!kept.empty()) {
    layer.kept = kept.dump();
  }
  return layer;
}

// Kinds that the session does not list, since it is older than they are, take their place behind the kind that they
// follow in the standard stack.
template <typename FindKind>
SharedArray<rig::Layer> read_stack(const Place& list, const SharedArray<rig::Layer>& standard, FindKind find_kind) {
  constexpr std::size_t kMostLayers = 1000;
  std::vector<rig::Layer> layers;
  int slot = 0;
  list.each([&](const Place& place) {
    const std::string id = place.at("kind").text();
    const auto* row = find_kind(id);
    if (row != nullptr) {
      if (std::ranges::find(layers, id, &rig::Layer::kind) != layers.end()) {
        place.fail("each kind of layers once");
      }
      if (static_cast<int>(row->about.slot) < slot) {
        place.fail("layers in the order in which they work");
      }
      slot = static_cast<int>(row->about.slot);
    }
    if (layers.size() == kMostLayers) {
      place.fail(fmt::format("at most {} layers", kMostLayers));
    }
    layers.push_back(read_layer(place, row == nullptr ? nullptr : &row->about));
  });
  for (std::size_t k = 0; k < standard.size(); ++k) {
    if (std::ranges::find(layers, standard[k].kind, &rig::Layer::kind) == layers.end()) {
      const auto before = k == 0 ? layers.end() : std::ranges::find(layers, standard[k - 1].kind, &rig::Layer::kind);
      layers.insert(before == layers.end() ? layers.begin() : before + 1, standard[k]);
    }
  }
  return layers == standard.get() ? standard : SharedArray<rig::Layer>(std::move(layers));
}

SessionJson pane_json(const deform::SkinningSettings& settings) {
  const auto format =
      std::ranges::find(deform::kWeightFormats, settings.weight_format, &deform::WeightFormatInfo::format);
  SessionJson parameters = SessionJson::object();  // by method, since two of them call different numbers alike
  for (const deform::SkinningMethod& method : deform::skinning_methods()) {
    for (const deform::MethodParameter& parameter : method.parameters) {
      parameters[std::string(method.id)][std::string(parameter.id)] =
          session_number(parameter.get(settings.parameters));
    }
  }
  return {{"method", std::string(deform::skinning_methods()[settings.method].id)},
          {"backend", settings.backend == deform::Backend::kGpu ? "gpu" : "cpu"},
          {"normals", std::string(1, deform::letter_of(settings.normals))},
          {"palette", settings.palette_limit},
          {"influences", settings.influence_limit},
          {"prune", session_number(settings.prune_threshold)},
          {"weights", std::string(format->id)},
          {"as_stored", settings.weights_as_stored},
          {"partition", settings.partition},
          {"refine", settings.refine == deform::Refine::kAfterSkin ? "after" : "before"},
          {"parameters", std::move(parameters)}};
}

void read_choices(SessionReader& from, const Place& place, deform::SkinningSettings& settings) {
  if (place.has("method")) {
    const std::string id = place.at("method").text();
    const auto methods = deform::skinning_methods();
    const auto method = std::ranges::find(methods, id, &deform::SkinningMethod::id);
    if (method == methods.end()) {
      from.lost.push_back(fmt::format("the skinning method {}", printable(id)));
    } else {
      settings.method = static_cast<int>(method - methods.begin());
    }
  }
  if (place.has("backend")) {
    const std::string id = place.at("backend").text();
    if (id != "gpu" && id != "cpu") {
      place.at("backend").fail("gpu or cpu");
    }
    settings.backend = id == "gpu" ? deform::Backend::kGpu : deform::Backend::kCpu;
  }
  if (place.has("normals")) {
    const std::string letter = place.at("normals").text();
    const auto normals = letter.size() == 1
                             ? std::ranges::find(deform::kNormalVariants, letter[0], &deform::NormalVariantInfo::letter)
                             : deform::kNormalVariants.end();
    if (normals == deform::kNormalVariants.end()) {
      place.at("normals").fail("a letter from a to h");
    }
    settings.normals = normals->variant;
  }
  if (place.has("weights")) {
    const std::string id = place.at("weights").text();
    const auto format = std::ranges::find(deform::kWeightFormats, id, &deform::WeightFormatInfo::id);
    if (format == deform::kWeightFormats.end()) {
      place.at("weights").fail("float, 16bit, 8bit or 56bit");
    }
    settings.weight_format = format->format;
  }
}

void read_parameters(const Place& place, deform::MethodParameters& parameters) {
  for (const deform::SkinningMethod& method : deform::skinning_methods()) {
    const std::string id(method.id);
    for (const deform::MethodParameter& parameter : method.parameters) {
      const std::string name(parameter.id);
      if (place.has(id.c_str()) && place.at(id.c_str()).has(name.c_str())) {
        const float value = place.at(id.c_str()).at(name.c_str()).number();
        parameter.set(parameters, std::clamp(value, parameter.minimum, parameter.maximum));
      }
    }
  }
}

deform::SkinningSettings read_pane(SessionReader& from, const Place& place) {
  constexpr int kSmallestPalette = 12;
  constexpr int kLargestPalette = 256;
  constexpr int kMostInfluences = 8;
  deform::SkinningSettings settings;
  read_choices(from, place, settings);
  if (place.has("palette")) {
    settings.palette_limit = place.at("palette").integer(0, kLargestPalette);
    if (settings.palette_limit > 0 && settings.palette_limit < kSmallestPalette) {
      place.at("palette").fail("0 or a number from 12 to 256");
    }
  }
  if (place.has("influences")) {
    settings.influence_limit = place.at("influences").integer(0, kMostInfluences);
  }
  if (place.has("prune")) {
    settings.prune_threshold = std::clamp(place.at("prune").number(), 0.0f, 1.0f);
  }
  settings.weights_as_stored = place.has("as_stored") && place.at("as_stored").flag();
  settings.partition = place.has("partition") && place.at("partition").flag();
  if (place.has("refine")) {
    const std::string when = place.at("refine").text();
    if (when != "before" && when != "after") {
      place.at("refine").fail("before or after");
    }
    settings.refine = when == "after" ? deform::Refine::kAfterSkin : deform::Refine::kBeforeSkin;
  }
  if (place.has("parameters")) {
    read_parameters(place.at("parameters"), settings.parameters);
  }
  return settings;
}

}  // namespace

void write_layers(SessionWriter& to) {
  const Content& content = to.document.content;
  SessionJson poses = SessionJson::array();
  SessionJson deformers = SessionJson::array();
  for (std::size_t k = 0; k < layer_count(content); ++k) {
    (k < content.pose_layers.size() ? poses : deformers)
        .push_back(layer_json(layer_at(content, k), layer_kind_at(content, k)));
  }
  to.json["pose_layers"] = std::move(poses);
  to.json["deformer_layers"] = std::move(deformers);
}

void read_layers(SessionReader& from) {
  Content& content = from.document.content;
  if (from.root.has("pose_layers")) {
    content.pose_layers = read_stack(from.root.at("pose_layers"), motion::standard_pose_layers(),
                                     [](const std::string& id) { return motion::find_pose_layer_kind(id); });
  }
  if (from.root.has("deformer_layers")) {
    content.deformer_layers = read_stack(from.root.at("deformer_layers"), deform::standard_deformer_layers(),
                                         [](const std::string& id) { return deform::find_deformer_layer_kind(id); });
  }
}

void write_panes(SessionWriter& to) {
  SessionJson panes = SessionJson::array();
  for (int pane = 0; pane < pane_count(to.document.content); ++pane) {
    panes.push_back(pane_json(skinning_of(to.document.content, pane)));
  }
  to.json["panes"] = std::move(panes);
}

void read_panes(SessionReader& from) {
  if (!from.root.has("panes")) {
    return;
  }
  Content& content = from.document.content;
  int pane = 0;
  from.root.at("panes").each([&](const Place& place) {
    if (pane == kPaneLimit) {
      place.fail(fmt::format("at most {} panes", kPaneLimit));
    }
    const deform::SkinningSettings settings = read_pane(from, place);
    if (pane == 0) {
      content.skinning = settings;
    } else {
      content.panes.push_back(settings);
    }
    ++pane;
  });
}

}  // namespace pelt::edit
