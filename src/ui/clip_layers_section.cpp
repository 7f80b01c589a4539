#include "ui/clip_layers_section.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "core/index.h"
#include "core/text.h"
#include "edit/commands.h"
#include "ui/icons.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

using motion::ClipLayer;

struct LayerNumber {
  const char* id;
  const char* label;
  SliderStyle style;
  const char* help;
  float ClipLayer::*number;
};
constexpr float kLongestShown = 5;  // seconds on a slider; more is typed
constexpr glm::vec2 kTyped = {0, motion::kLongestClipLayer};
const std::array<LayerNumber, 7>& layer_numbers() {
  static const std::array<LayerNumber, 7> kNumbers = {
      LayerNumber{"weight", "Weight", {.origin = 1}, "How much of it counts", &ClipLayer::weight},
      LayerNumber{"speed",
                  "Speed",
                  {.lower = -2,
                   .upper = 2,
                   .format = "%.2f\u00d7",
                   .origin = 1,
                   .number = glm::vec2(-motion::kFastestClipLayer, motion::kFastestClipLayer)},
                  "How often as fast as it was made; below 0 it plays backwards",
                  &ClipLayer::speed},
      LayerNumber{"start",
                  "Start",
                  {.upper = kLongestShown, .format = "%.2f s", .number = kTyped},
                  "It begins so long after the start of the clip below",
                  &ClipLayer::start},
      LayerNumber{"offset",
                  "Offset",
                  {.lower = -kLongestShown,
                   .upper = kLongestShown,
                   .format = "%.2f s",
                   .number = glm::vec2(-motion::kLongestClipLayer, motion::kLongestClipLayer)},
                  "It begins with that moment of its own clip",
                  &ClipLayer::offset},
      LayerNumber{"length",
                  "Length",
                  {.upper = kLongestShown, .format = "%.2f s", .number = kTyped},
                  "It does nothing behind that; 0: it goes on",
                  &ClipLayer::length},
      LayerNumber{"fade-in",
                  "Fade in",
                  {.upper = kLongestShown, .format = "%.2f s", .number = kTyped},
                  "So long it takes to come, from its start on",
                  &ClipLayer::fade_in},
      LayerNumber{"fade-out",
                  "Fade out",
                  {.upper = kLongestShown, .format = "%.2f s", .number = kTyped},
                  "So long it takes to go, up to its end; one that goes on fades up to the end of the clip below",
                  &ClipLayer::fade_out}};
  return kNumbers;
}

// The document's layers with one of them changed.
template <typename Edit>
edit::SetClipLayers changed_layers(const Desk& desk, std::size_t layer, const Edit& change) {
  edit::SetClipLayers out{desk.document().content.behaviour->clip_layers};
  change(out.layers[layer]);
  return out;
}

std::string mask_text(const ClipLayer& layer) {
  if (layer.joints.empty()) {
    return "All joints";
  }
  const auto count = static_cast<std::int64_t>(layer.joints.size());
  const std::string which = count == 1 ? printable(layer.joints.front(), 30) : count_of(count, "joint", "joints");
  return layer.below ? which + " and below" : which;
}

void draw_mask(std::size_t l, const ClipLayer& layer, const std::string& name, Desk& desk) {
  row_label(desk, "Mask", "The joints that it may move");
  text(mask_text(layer));
  const std::vector<int>& selected = desk.document().view.selected_joints;
  ImGui::BeginDisabled(selected.empty());
  if (ImGui::Button("From the selection")) {
    desk.change(changed_layers(desk, l, [&](ClipLayer& changed) {
      changed.joints.clear();
      for (const int joint : selected) {
        changed.joints.push_back(motion::joint_reference(desk.character().skeleton, joint));
      }
    }));
  }
  ImGui::EndDisabled();
  report_item(desk, name + ".mask");
  tip(selected.empty() ? "Select joints first" : "It moves the selected joints and no others");
  ImGui::SameLine(0, desk.theme.px(6));
  ImGui::BeginDisabled(layer.joints.empty());
  if (ImGui::Button("All")) {
    desk.change(changed_layers(desk, l, [](ClipLayer& changed) { changed.joints.clear(); }));
  }
  ImGui::EndDisabled();
  report_item(desk, name + ".all");
  tip("It moves every joint that its clip moves");
  if (!layer.joints.empty()) {
    bool below = layer.below;
    if (checkbox(desk, (name + ".below").c_str(), "And all below", below,
                 "Joints below those of the mask belong to it, too")) {
      desk.change(changed_layers(desk, l, [below](ClipLayer& changed) { changed.below = below; }));
    }
  }
}

void draw_modes(std::size_t l, const ClipLayer& layer, const std::string& name, Desk& desk) {
  constexpr std::array kModes = {"Override", "Additive"};
  int mode = layer.mode == motion::ClipLayerMode::kAdditive ? 1 : 0;
  row_label(desk, "Mode", "Override goes over to the clip; Additive puts on top what the clip changes");
  if (segmented(desk, (name + ".mode").c_str(), kModes, mode, ImGui::GetContentRegionAvail().x)) {
    desk.change(changed_layers(
        desk, l, [mode](ClipLayer& changed) { changed.mode = static_cast<motion::ClipLayerMode>(mode); }));
  }
  if (layer.mode != motion::ClipLayerMode::kAdditive) {
    return;
  }
  constexpr std::array kReferences = {"First frame", "Rest"};
  int reference = layer.reference == motion::AdditiveReference::kRest ? 1 : 0;
  row_label(desk, "Change since", "The pose of which the layer takes the difference");
  if (segmented(desk, (name + ".reference").c_str(), kReferences, reference, ImGui::GetContentRegionAvail().x)) {
    desk.change(changed_layers(desk, l, [reference](ClipLayer& changed) {
      changed.reference = static_cast<motion::AdditiveReference>(reference);
    }));
  }
}

void draw_numbers(std::size_t l, const ClipLayer& layer, const std::string& name, Desk& desk) {
  for (const LayerNumber& row : layer_numbers()) {
    row_label(desk, row.label, row.help);
    float value = layer.*row.number;
    bool ended = false;
    const std::string widget = fmt::format("{}.{}", name, row.id);
    if (value_slider(desk, widget.c_str(), value, row.style, ImGui::GetContentRegionAvail().x, ended)) {
      desk.change(changed_layers(desk, l, [&](ClipLayer& changed) { changed.*row.number = value; }), widget);
    }
    desk.requests.end_merge |= ended;
  }
}

void move_layer(std::size_t from, std::size_t to, ClipLayersSection& state, Desk& desk) {
  edit::SetClipLayers change{desk.document().content.behaviour->clip_layers};
  std::swap(change.layers[from], change.layers[to]);
  state.open = state.open == static_cast<int>(from) ? static_cast<int>(to) : state.open;
  desk.change(std::move(change));
}

// Switch, name, order, removal. @returns whether the list changed its order or length
bool draw_head(ClipLayersSection& state, std::size_t l, const ClipLayer& layer, const std::string& name, Desk& desk) {
  const float side = ImGui::GetFrameHeight();
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - 2 * side;
  bool on = layer.on;
  if (checkbox(desk, name.c_str(), "", on, "Whether the layer plays")) {
    desk.change(changed_layers(desk, l, [on](ClipLayer& changed) { changed.on = on; }));
  }
  ImGui::SameLine(0, desk.theme.px(6));
  const bool is_open = state.open == static_cast<int>(l);
  const std::string clip = layer.clip.empty() ? "no clip" : printable(layer.clip, 60);
  const float width = right - ImGui::GetCursorPosX() - desk.theme.px(4);
  if (ImGui::Selectable(fitted(clip, width).c_str(), is_open, 0, ImVec2(width, side))) {
    state.open = is_open ? -1 : static_cast<int>(l);
  }
  report_item(desk, name + ".open");
  tip("Its numbers; click to show or hide them");
  ImGui::SameLine(right, 0);
  if (icon_button(desk, (name + ".up").c_str(), icon::kUp, "Let it work before the one above", false, l > 0)) {
    move_layer(l, l - 1, state, desk);
    return true;
  }
  ImGui::SameLine(0, 0);
  if (icon_button(desk, (name + ".remove").c_str(), icon::kClose, "Remove this layer")) {
    edit::SetClipLayers change{desk.document().content.behaviour->clip_layers};
    change.layers.erase(change.layers.begin() + static_cast<std::ptrdiff_t>(l));
    state.open = -1;
    desk.change(std::move(change));
    return true;
  }
  return false;
}

bool draw_clip_layer(ClipLayersSection& state, std::size_t l, const std::string& fault, Desk& desk) {
  const ClipLayer& layer = desk.document().content.behaviour->clip_layers[l];
  const std::string name = fmt::format("clip-layers.{}", l);
  if (draw_head(state, l, layer, name, desk)) {
    return false;
  }
  if (!fault.empty()) {
    wrapped_text(fault, severity_color(static_cast<int>(Severity::kError)));
  }
  if (state.open != static_cast<int>(l)) {
    return true;
  }
  ImGui::Indent(desk.theme.px(12));
  draw_modes(l, layer, name, desk);
  draw_numbers(l, layer, name, desk);
  bool loops = layer.loops;
  if (checkbox(desk, (name + ".loops").c_str(), "Loops", loops,
               "It begins again at its end; else it holds its last frame")) {
    desk.change(changed_layers(desk, l, [loops](ClipLayer& changed) { changed.loops = loops; }));
  }
  draw_mask(l, layer, name, desk);
  ImGui::Unindent(desk.theme.px(12));
  return true;
}

void draw_layer_adding(ClipLayersSection& state, Desk& desk) {
  const rig::Character& character = desk.character();
  int chosen = -1;
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  const auto clip_label = [&](int clip) { return printable(motion::clip_reference(character, clip), 60); };
  if (combo(desk, "clip-layers.add", static_cast<int>(character.clips.size()), chosen, clip_label,
            "Add a layer of \u2026") &&
      has_index(character.clips, chosen)) {
    edit::SetClipLayers change{desk.document().content.behaviour->clip_layers};
    state.open = static_cast<int>(change.layers.size());
    change.layers.push_back({.clip = motion::clip_reference(character, chosen)});
    desk.change(std::move(change));
  }
}

const std::string& why_not_baked(ClipLayersSection::Refusal& known, const Desk& desk) {
  const edit::Document& document = desk.document();
  const edit::Content& content = document.content;
  if (known.character.lock() != document.character || !known.behaviour.is(content.behaviour) ||
      !known.pose_layers.is(content.pose_layers) || known.clip != content.clip ||
      known.timing != document.view.timing) {
    known = {document.character, content.behaviour,    content.pose_layers,
             content.clip,       document.view.timing, edit::refusal(document, edit::BakeClipLayers{})};
  }
  return known.why;
}

}  // namespace

void draw(ClipLayersSection& state, Desk& desk) {
  const std::vector<ClipLayer>& layers = desk.document().content.behaviour->clip_layers;
  if (!section(desk, "Layers over this clip", !layers.empty())) {
    return;
  }
  ImGui::PushID("clip-layers");
  const edit::MotionCache::Prepared prepared =
      desk.document().motion->prepared(desk.document().content, desk.character());
  for (std::size_t l = 0; l < layers.size(); ++l) {
    ImGui::PushID(static_cast<int>(l));
    const bool is_whole = draw_clip_layer(state, l, prepared.clip_layers->faults[l], desk);
    ImGui::PopID();
    if (!is_whole) {
      break;  // the next picture shows the other list
    }
  }
  draw_layer_adding(state, desk);
  if (!layers.empty()) {
    const std::string& why = why_not_baked(state.refusal, desk);
    ImGui::BeginDisabled(!why.empty());
    if (ImGui::Button("Bake to a clip", ImVec2(-1, 0))) {
      desk.change(edit::BakeClipLayers{});
    }
    ImGui::EndDisabled();
    report_item(desk, "clip-layers.bake");
    tip(why.empty() ? "A new clip with a key at each frame of what clip and layers say together" : why);
  }
  ImGui::PopID();
}

}  // namespace pelt::ui
