// Applies flags to a document: --pose, --clip, --time, --set, --morph, --slider, --drive and the layers.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/open.h"
#include "cli/output.h"
#include "core/file.h"
#include "core/guarded_json.h"
#include "core/text.h"
#include "edit/commands.h"
#include "edit/pose_file.h"

namespace pelt::cli {
namespace {

Status set_slider(edit::Document& document, const SetFlag& flag, std::vector<std::string>& notes) {
  const std::string what = fmt::format("--set {}.{}", printable(flag.joint), printable(flag.dof));
  const Result<ResolvedDof> slider = resolve_dof(document, flag.joint, flag.dof);
  if (!slider) {
    return slider.error().in(what);
  }
  const auto value = static_cast<float>(flag.value * slider->unit);
  if (!std::isfinite(value)) {
    return error("{}: the value is too large", what);
  }
  edit::apply(document, {edit::SetDof{slider->joint, slider->index, value}, "", false});
  const float used = edit::dof_values(document, slider->joint)[slider->index];
  // A quarter of what is shown: less is rounding between degrees and radians.
  if (std::abs(used - value) > 1e-4f * (1.0f + std::abs(value))) {
    notes.push_back(fmt::format("{}: {:g} is outside of the limits; {:.6g} is used", what, flag.value,
                                static_cast<double>(used) / slider->unit));
  }
  return {};
}

// Finds a driver of that name in the character or among those that are proposed for it.
Status set_semantic_slider(edit::Document& document, const SliderFlag& flag, std::vector<std::string>& notes) {
  int slider = edit::find_semantic_slider(document, flag.name);
  if (slider < 0) {
    std::vector<std::string> names;
    edit::SetSemanticSliders more{document.content.behaviour->sliders};
    for (const motion::SemanticSlider& own : more.sliders) {
      names.push_back(own.name);
    }
    for (motion::SemanticSlider& proposed : motion::proposed_sliders(*document.character)) {
      names.push_back(proposed.name);
      if (proposed.name == flag.name) {
        slider = static_cast<int>(more.sliders.size());
        more.sliders.push_back(std::move(proposed));
      }
    }
    if (slider < 0) {
      return error("--slider: there is no slider \"{}\"{}", printable(flag.name), suggestion(flag.name, names));
    }
    edit::apply(document, {std::move(more), "", false});
  }
  const motion::SemanticSlider& found = document.content.behaviour->sliders[slider];
  if (flag.value < found.lower || flag.value > found.upper) {
    notes.push_back(fmt::format("--slider {}: {:g} is outside of {:g} to {:g}, which is used", printable(flag.name),
                                flag.value, found.lower, found.upper));
  }
  edit::apply(document, {edit::SetSemanticValue{static_cast<std::size_t>(slider), flag.value}, "", false});
  return {};
}

Status set_morph(edit::Document& document, const MorphFlag& flag) {
  const rig::Character& character = *document.character;
  std::vector<std::string> names;
  bool found = false;
  for (const rig::MeshNode& node : character.mesh_nodes) {
    const mesh::Mesh& mesh = character.meshes[node.mesh];
    for (std::size_t m = 0; m < mesh.morph_names.size(); ++m) {
      names.push_back(mesh.morph_names[m]);
      if (mesh.morph_names[m] == flag.name) {
        const int index = character.morph_offset[node.joint] + static_cast<int>(m);
        edit::apply(document, {edit::SetMorph{index, static_cast<float>(flag.weight)}, "", false});
        found = true;
      }
    }
  }
  if (!found) {
    return error("--morph {}: the character has no such morph target{}", printable(flag.name),
                 suggestion(flag.name, names));
  }
  return {};
}

void set_layer(edit::Document& document, const LayerFlag& flag) {
  const std::size_t k = edit::find_layer(document.content, flag.kind);
  edit::SetLayer change{k, flag.on, edit::layer_at(document.content, k).values};
  const auto fields = edit::layer_kind_at(document.content, k)->fields;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    if (fields[f].id == flag.field) {
      change.values[f] = flag.value;
    }
  }
  edit::apply(document, {std::move(change), "", false});
}

// "poses.json#Fist": a pose of a library file; "#Fist": of the session's library. Nothing where a file is called so.
std::optional<std::pair<std::string, std::string>> library_pose_name(const std::string& pose) {
  const std::size_t at = pose.rfind('#');
  std::error_code ignored;
  if (at == std::string::npos || std::filesystem::exists(pose, ignored)) {
    return std::nullopt;
  }
  return std::pair(pose.substr(0, at), pose.substr(at + 1));
}

Result<edit::ApplyPose> pose_of_library(const edit::Document& document, const std::string& file,
                                        const std::string& name, const EvaluationOptions& options,
                                        std::vector<std::string>& notes) {
  edit::PoseLibrary library = document.content.library;
  if (!file.empty()) {
    note_read(file, "--pose");
    PELT_TRY_TO(const std::string text, read_file(file, JsonLimits().bytes));
    Result<edit::OpenedPoses> opened =
        edit::poses_from_json(document, text, std::filesystem::path(file).stem().string());
    if (!opened) {
      return opened.error().in(printable(file, 200));
    }
    library = edit::PoseLibrary(std::move(opened->poses));
  }
  const int index = edit::find_pose(library, name);
  if (index < 0) {
    std::vector<std::string> names;
    for (const edit::StoredPose& pose : library) {
      names.push_back(printable(pose.name, 80));
    }
    return error("{}: there is no pose \"{}\"{}", file.empty() ? "the session's library" : printable(file, 200),
                 printable(name, 80),
                 names.empty()
                     ? "; it is empty"
                     : fmt::format("; it has {}",
                                   fmt::join(std::span(names).first(std::min<std::size_t>(names.size(), 12)), ", ")));
  }
  if (const std::string& note = library[index].note; !note.empty()) {
    if (options.strict && note.find("without counterpart") != std::string::npos) {
      return error("{}: {}", printable(name, 80), note);
    }
    notes.push_back(fmt::format("{}: {}", printable(name, 80), note));
  }
  return edit::ApplyPose{.pose = library.shared(index)};
}

}  // namespace

Status apply_evaluation_flags(edit::Document& document, const EvaluationOptions& options,
                              std::vector<std::string>& notes) {
  const rig::Character& character = *document.character;
  const auto change = [&](edit::Change what) { edit::apply(document, {std::move(what), "", false}); };
  deform::SkinningSettings skinning = document.content.skinning;
  for (const auto& flag : options.skinning_flags) {
    flag(skinning);
  }
  skinning.partition = skinning.partition || options.skinning.partition;
  change(edit::SetSkinning{skinning});
  if (options.bind_pose || options.zero_pose) {
    change(edit::SetBasePose{options.bind_pose ? edit::BasePose::kBind : edit::BasePose::kZero});
  }
  if (const auto named = options.pose ? library_pose_name(*options.pose) : std::nullopt; named) {
    Result<edit::ApplyPose> pose = pose_of_library(document, named->first, named->second, options, notes);
    if (!pose) {
      return pose.error().in("--pose");
    }
    change(*std::move(pose));
  } else if (options.pose) {
    Result<edit::ReplacePose> pose = open_pose(document, *options.pose, options, notes);
    if (!pose) {
      return pose.error().in("--pose");
    }
    change(*std::move(pose));
  }
  if (options.clip) {
    PELT_TRY_TO(const int clip, resolve_clip(character, *options.clip));
    change(edit::SetClip{clip});
  }
  if (options.time) {
    const auto time = static_cast<float>(*options.time);
    if (document.content.clip >= 0) {
      change(edit::SetTime{time});
      if (std::abs(document.view.time - time) > 1e-4f) {
        notes.push_back(fmt::format("--time {:g}: outside of {} ({:g} to {:g} s); {:g} is used", *options.time,
                                    clip_label(character, document.content.clip),
                                    character.clips[document.content.clip].start,
                                    character.clips[document.content.clip].end, document.view.time));
      }
    }
  }
  for (const SetFlag& flag : options.sets) {
    if (Status status = set_slider(document, flag, notes); !status) {
      return status;
    }
  }
  for (const MorphFlag& flag : options.morphs) {
    if (Status status = set_morph(document, flag); !status) {
      return status;
    }
  }
  for (const SliderFlag& flag : options.sliders) {
    if (Status status = set_semantic_slider(document, flag, notes); !status) {
      return status;
    }
  }
  for (const DriveFlag& flag : options.drives) {
    const edit::Change driven = edit::with_driver(document, flag.target, flag.expression);
    if (const std::string why = edit::why_refused(document, driven); !why.empty()) {
      return error("--drive {}", why);
    }
    change(driven);
  }
  for (const LayerFlag& flag : options.layers) {
    set_layer(document, flag);
  }
  if (options.stop_after) {
    edit::stop_after(document, static_cast<int>(edit::find_layer(document.content, *options.stop_after)));
  }
  return {};
}

}  // namespace pelt::cli
