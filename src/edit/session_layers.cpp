// Layers and panes, in a session.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/guarded_json.h"
#include "core/text.h"
#include "deform/skinning_methods.h"
#include "edit/layer_stacks.h"
#include "edit/session_parts.h"

namespace pelt::edit {
namespace {

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
  to.json["pose_layers"] = stack_json(content.pose_layers, find_pose_kind);
  to.json["deformer_layers"] = stack_json(content.deformer_layers, find_deformer_kind);
}

void read_layers(SessionReader& from) {
  Content& content = from.document.content;
  if (from.root.has("pose_layers")) {
    content.pose_layers = read_stack(from.root.at("pose_layers"), motion::standard_pose_layers(), find_pose_kind);
  }
  if (from.root.has("deformer_layers")) {
    content.deformer_layers =
        read_stack(from.root.at("deformer_layers"), deform::standard_deformer_layers(), find_deformer_kind);
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
