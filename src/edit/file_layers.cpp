#include "edit/file_layers.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/guarded_json.h"
#include "core/text.h"
#include "edit/file_behaviour.h"
#include "edit/file_extras.h"
#include "edit/layer_stacks.h"
#include "rig/clip_changes.h"

namespace pelt::edit {
namespace {

constexpr int kLayersVersion = 1;
constexpr const char* kUnused = "; the standard layers are used";
constexpr const char* kCode = "layers";

FileLayers read_layers(const SessionJson& json) {
  FileLayers out;
  try {
    const Place root(json, "extras.pelt.layers");
    root.each_member([](const std::string&, const Place&) {});  // it must be an object
    if (root.has("version")) {
      const int version = root.at("version").integer(1, 1'000'000);
      if (version > kLayersVersion) {
        out.remarks.push_back(
            fmt::format("{}: made by a newer version of Pelt (its form is {}, this program reads up to {}){}",
                        root.path(), version, kLayersVersion, kUnused));
        out.refused = true;
        return out;
      }
    }
    if (root.has("pose")) {
      out.pose_layers = read_stack(root.at("pose"), out.pose_layers, find_pose_kind, &out.remarks);
    }
    if (root.has("deformers")) {
      out.deformer_layers = read_stack(root.at("deformers"), out.deformer_layers, find_deformer_kind, &out.remarks);
    }
    return out;
  } catch (const SessionFault& fault) {
    FileLayers none;
    none.remarks.push_back(fault.message + kUnused);
    none.refused = true;
    return none;
  }
}

void set_stack(SessionJson& layers, const char* name, const SharedArray<rig::Layer>& stack,
               const SharedArray<rig::Layer>& standard, FindLayerKind find_kind) {
  if (stack == standard) {
    layers.erase(name);
  } else {
    layers[name] = stack_json(stack, find_kind);
  }
}

}  // namespace

FileLayers file_layers(const rig::Character& character) {
  if (!may_name(character, kCode)) {
    return {};
  }
  const SessionJson extras = extras_of(character);
  const SessionJson* const layers = pelt_member(extras, kCode);
  return layers == nullptr ? FileLayers() : read_layers(*layers);
}

void note_file_layers(rig::Character& character) {
  for (const Diagnostic& one : character.diagnostics) {
    if (one.code == kCode) {
      return;
    }
  }
  for (std::string& remark : file_layers(character).remarks) {
    character.diagnostics.push_back({Severity::kWarning, kCode, "file", std::move(remark)});
  }
  for (std::string& remark : file_behaviour(character).remarks) {
    character.diagnostics.push_back({Severity::kWarning, kCode, "file", std::move(remark)});
  }
}

Content with_layers_of_clips(Content content, const std::vector<int>& clips, std::vector<std::string>& lost) {
  const rig::Character& before = *content.character;
  const rig::Character after = rig::with_clips(before, clips);
  std::vector<int> numbers;
  for (int c = 0, next = 0; c < static_cast<int>(before.clips.size()); ++c) {
    numbers.push_back(std::ranges::find(clips, c) == clips.end() ? -1 : next++);
  }
  motion::Behaviour behaviour = motion::with_clips_renamed(*content.behaviour, before, after, numbers);
  std::vector<motion::ClipLayer> kept;
  for (std::size_t l = 0; l < behaviour.clip_layers.size(); ++l) {
    const std::string& name = content.behaviour->clip_layers[l].clip;
    if (motion::find_named_clip(before, name) && !motion::find_named_clip(after, behaviour.clip_layers[l].clip)) {
      lost.push_back(fmt::format("the layer of the clip {}", printable(name, 60)));
    } else {
      kept.push_back(behaviour.clip_layers[l]);
    }
  }
  behaviour.clip_layers = std::move(kept);
  if (behaviour != *content.behaviour) {
    content.behaviour = std::move(behaviour);
  }
  return content;
}

Status put_layers(rig::Character& character, const Content& content) {
  PELT_TRY(put_behaviour(character, content.behaviour));
  const bool is_standard = content.pose_layers == motion::standard_pose_layers() &&
                           content.deformer_layers == deform::standard_deformer_layers();
  if (is_standard && !may_name(character, kCode)) {
    return {};
  }
  SessionJson extras = extras_of(character);
  const SessionJson* const written = pelt_member(extras, kCode);
  const bool refused = written != nullptr && read_layers(*written).refused;
  if (is_standard && (written == nullptr || refused)) {
    return {};
  }
  if (!extras.is_object() || (extras.contains("pelt") && !extras["pelt"].is_object())) {
    return error("the file's extras are no object, and its layers are not written");
  }
  SessionJson layers = {{"version", kLayersVersion}};
  if (written != nullptr && !refused) {
    layers.update(*written);
  }
  set_stack(layers, "pose", content.pose_layers, motion::standard_pose_layers(), find_pose_kind);
  set_stack(layers, "deformers", content.deformer_layers, deform::standard_deformer_layers(), find_deformer_kind);
  SessionJson& pelt = extras["pelt"];
  if (layers.size() == 1) {  // nothing but its version
    pelt.erase("layers");
  } else {
    pelt["layers"] = std::move(layers);
  }
  if (pelt.empty()) {
    extras.erase("pelt");
  }
  keep_extras(character, extras);
  return {};
}

}  // namespace pelt::edit
