// What the history calls changes.
#include <string>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "core/overloaded.h"
#include "deform/skinning_methods.h"
#include "edit/commands.h"
#include "edit/local_transforms.h"

namespace pelt::edit {
namespace {

std::string_view verb(rig::DofKind kind) {
  switch (kind) {
    case rig::DofKind::kRotation:
      return "Rotate";
    case rig::DofKind::kTranslation:
      return "Move";
    case rig::DofKind::kScale:
      return "Scale";
  }
  return "Change";
}

std::string_view name_of(ResetTo to) {
  switch (to) {
    case ResetTo::kBase:
      return "to the base pose";
    case ResetTo::kRest:
      return "to rest";
    case ResetTo::kBind:
      return "to bind";
    case ResetTo::kZero:
      return "to zero";
  }
  return "";
}

std::string_view name_of(BasePose base) {
  switch (base) {
    case BasePose::kRest:
      return "Rest pose";
    case BasePose::kBind:
      return "Bind pose";
    case BasePose::kZero:
      return "Zero pose";
  }
  return "";
}

std::string skinning_label(const deform::SkinningSettings& a, const deform::SkinningSettings& b) {
  const deform::SkinningMethod& method = deform::skinning_methods()[static_cast<std::size_t>(b.method)];
  if (a.method != b.method) {
    return fmt::format("Skin by {}", method.label);
  }
  if (a.backend != b.backend) {
    return b.backend == deform::Backend::kCpu ? "Skin on the CPU" : "Skin on the GPU";
  }
  if (a.normals != b.normals) {
    return "Change normals";
  }
  if (a.palette_limit != b.palette_limit) {
    return "Change palette limit";
  }
  if (a.influence_limit != b.influence_limit) {
    return "Limit influences";
  }
  if (a.prune_threshold != b.prune_threshold) {
    return "Prune weights";
  }
  if (a.weight_format != b.weight_format) {
    return "Change how weights are stored";
  }
  if (a.partition != b.partition) {
    return b.partition ? "Draw rigid triangles apart" : "Draw all triangles together";
  }
  for (const deform::MethodParameter& parameter : method.parameters) {
    if (parameter.get(a.parameters) != parameter.get(b.parameters)) {
      return fmt::format("Change {} of {}", parameter.label, method.label);
    }
  }
  return b.weights_as_stored ? "Use weights as stored" : "Normalise weights";
}

std::string morph_label(const rig::Character& character, int index) {
  for (const rig::MeshNode& node : character.mesh_nodes) {
    const int first = character.morph_offset[static_cast<std::size_t>(node.joint)];
    const auto& names = character.meshes[static_cast<std::size_t>(node.mesh)].morph_names;
    if (index >= first && index < first + static_cast<int>(names.size()) &&
        !names[static_cast<std::size_t>(index - first)].empty()) {
      return names[static_cast<std::size_t>(index - first)];
    }
  }
  return fmt::format("shape {}", index);
}

std::string mirror_label(const rig::Skeleton& skeleton, const MirrorPose& change) {
  const std::string_view what = change.direction == MirrorDirection::kLeftToRight   ? "Mirror left to right"
                                : change.direction == MirrorDirection::kRightToLeft ? "Mirror right to left"
                                                                                    : "Swap left and right";
  return change.joint < 0 ? std::string(what) : fmt::format("{} from {}", what, skeleton.label(change.joint));
}

}  // namespace

std::string label(const Document& document, const Change& change) {
  const rig::Character& character = *document.character;
  const rig::Skeleton& skeleton = character.skeleton;
  return std::visit(
      Overloaded{
          [&](const SetDof& c) {
            const rig::Dof& dof =
                skeleton.dofs[static_cast<std::size_t>(c.joint)].dofs[static_cast<std::size_t>(c.dof)];
            return fmt::format("{} {}", verb(dof.kind), skeleton.label(c.joint));
          },
          [&](const SetDofs&) { return std::string("Set sliders"); },
          [&](const SetJointLocal& c) {
            const Transform now = current_local(document, c.joint);
            const bool turns_only = same_translation(c.local, now) && same_scale(c.local, now);
            return fmt::format("{} {}", turns_only ? "Rotate" : "Pose", skeleton.label(c.joint));
          },
          [&](const ResetDof& c) {
            const std::vector<rig::Dof> dofs = joint_dofs(document, c.joint).dofs;
            return fmt::format("Reset {} {}", skeleton.label(c.joint), dofs[static_cast<std::size_t>(c.dof)].name);
          },
          [&](const ResetJoints& c) {
            return c.scope == ResetScope::kAll ? fmt::format("Reset all {}", name_of(c.to))
                   : c.scope == ResetScope::kSubtree
                       ? fmt::format("Reset {} and below {}", skeleton.label(c.joint), name_of(c.to))
                       : fmt::format("Reset {} {}", skeleton.label(c.joint), name_of(c.to));
          },
          [&](const SetBasePose& c) { return std::string(name_of(c.base)); },
          [&](const MirrorPose& c) { return mirror_label(skeleton, c); },
          [&](const SetMorph& c) { return fmt::format("Set {}", morph_label(character, c.index)); },
          [&](const ResetMorphs&) { return std::string("Reset shapes"); },
          [&](const SetClip& c) {
            if (c.clip < 0) {
              return std::string("No clip");
            }
            const std::string& name = character.clips[static_cast<std::size_t>(c.clip)].name;
            return name.empty() ? fmt::format("Clip {}", c.clip) : fmt::format("Clip {}", name);
          },
          [&](const SetTime&) { return std::string("Scrub"); },
          [&](const SetEulerOrder& c) { return fmt::format("Rotation order of {}", skeleton.label(c.joint)); },
          [&](const SetSkinning& c) { return skinning_label(skinning_of(document.state, c.pane), c.settings); },
          [](const SetPanes& c) {
            return c.count <= 1 ? std::string("Show one pane") : fmt::format("Show {} panes", c.count);
          },
          [&](const ReplacePose&) { return std::string("Open pose"); },
          [](const ReplaceCharacter&) { return std::string("Fix findings"); },
          [&](const RebindSkin& c) {
            const std::string& name = character.skins[static_cast<std::size_t>(c.skin)].name;
            return name.empty() ? fmt::format("Re-bind skin {}", c.skin) : fmt::format("Re-bind {}", name);
          },
      },
      change);
}

}  // namespace pelt::edit
