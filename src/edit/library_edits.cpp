// How poses are put aside, and how the pose is made of them again.
#include "edit/library_edits.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/free_names.h"
#include "core/index.h"
#include "core/text.h"
#include "edit/character_edits.h"
#include "edit/local_transforms.h"
#include "rig/clip.h"
#include "rig/conversions.h"

namespace pelt::edit {
namespace {

// Of all poses but one; of -1 of all.
FreeNames names_of_poses(const PoseLibrary& library, int but) {
  FreeNames names(kLongestName);
  for (std::size_t i = 0; i < library.size(); ++i) {
    if (static_cast<int>(i) != but) {
      names.take(library[i].name);
    }
  }
  return names;
}

constexpr std::string_view kUnnamedPose = "Pose";

std::string name_of_pose(const Document& document, int index) {
  const PoseLibrary& library = document.content.library;
  return has_index(library, index) ? library[index].name : fmt::format("pose {}", index);
}

Transform blended(const Transform& from, const Transform& to, float share) {
  const glm::dquat turned =
      rig::slerp_shortest(glm::dquat(from.rotation), glm::dquat(to.rotation), static_cast<double>(share));
  return {glm::mix(from.translation, to.translation, share), glm::quat(normalized_or_identity(turned)),
          glm::mix(from.scale, to.scale, share)};
}

// As it was at share 0 of a drag.
template <typename T>
void put_back(Shared<std::map<int, T>>& now, const std::map<int, T>& start, int key) {
  const auto was = start.find(key);
  if (was != start.end()) {
    now.edit()[key] = was->second;
  } else if (now->contains(key)) {
    now.edit().erase(key);
  }
}

}  // namespace

bool is_finite_pose(const StoredPose& pose) {
  return std::ranges::all_of(pose.joints,
                             [](const auto& entry) {
                               const glm::quat& q = entry.second.rotation;
                               return is_finite(entry.second.translation) && is_finite(entry.second.scale) &&
                                      std::isfinite(glm::dot(q, q));
                             }) &&
         std::ranges::all_of(pose.shapes, [](const auto& entry) { return std::isfinite(entry.second); });
}

Shared<StoredPose> fitting_pose(const Document& document, const Shared<StoredPose>& pose, std::string name) {
  constexpr float kUnitRounding = 1e-6f;
  const rig::Character& character = *document.character;
  StoredPose out = pose;
  out.name = std::move(name);
  out.note = single_line(out.note, kLongestNote);
  if (out.picture->size() > kLargestPicture) {
    out.picture = {};
  }
  std::erase_if(out.joints, [&](const auto& entry) { return !has_index(character.skeleton->parent, entry.first); });
  std::erase_if(out.shapes,
                [&](const auto& entry) { return entry.first < 0 || entry.first >= character.morph_offset.back(); });
  for (auto& entry : out.joints) {
    glm::quat& q = entry.second.rotation;
    q = std::abs(glm::dot(q, q) - 1.0f) <= kUnitRounding ? q : normalized_or_identity(q);
  }
  return out == *pose ? pose : Shared<StoredPose>(std::move(out));
}

std::shared_ptr<const BlendStart> blend_start(const Document& document) {
  return std::make_shared<const BlendStart>(
      BlendStart{document.content.overrides, document.content.morph_overrides, HandPose(document)});
}

void carry_out(const Document& document, const StorePoses& change, Content& content, View&) {
  if (change.poses.empty() || !refusal(document, change).empty() ||
      !std::ranges::all_of(change.poses, [](const auto& pose) { return is_finite_pose(pose); })) {
    return;
  }
  const std::size_t size = content.library.size();
  const std::size_t at = change.at < 0 ? size : std::min(static_cast<std::size_t>(change.at), size);
  FreeNames names = names_of_poses(content.library, -1);
  std::vector<Shared<StoredPose>> fit;
  for (const Shared<StoredPose>& pose : change.poses) {
    fit.push_back(fitting_pose(document, pose, names.give(pose->name, kUnnamedPose)));
  }
  auto& items = content.library.edit_items();
  items.insert(items.begin() + static_cast<std::ptrdiff_t>(at), fit.begin(), fit.end());
}

void carry_out(const Document& document, const ReplaceStoredPose& change, Content& content, View&) {
  if (has_index(content.library, change.index) && is_finite_pose(change.pose)) {
    const Shared<StoredPose> pose = fitting_pose(document, change.pose, content.library[change.index].name);
    if (pose != content.library.shared(change.index)) {
      content.library.edit_items()[change.index] = pose;
    }
  }
}

void carry_out(const Document&, const RenameStoredPose& change, Content& content, View&) {
  if (!has_index(content.library, change.index) || single_line(change.name, kLongestName).empty()) {
    return;
  }
  std::string name = names_of_poses(content.library, change.index).give(change.name, kUnnamedPose);
  if (name != content.library[change.index].name) {
    content.library.edit(change.index).name = std::move(name);
  }
}

void carry_out(const Document&, const RemoveStoredPose& change, Content& content, View&) {
  if (has_index(content.library, change.index)) {
    auto& items = content.library.edit_items();
    items.erase(items.begin() + change.index);
  }
}

void carry_out(const Document&, const MoveStoredPose& change, Content& content, View&) {
  const int last = static_cast<int>(content.library.size()) - 1;
  const int to = std::clamp(change.to, 0, std::max(last, 0));
  if (!has_index(content.library, change.index) || to == change.index) {
    return;
  }
  auto& items = content.library.edit_items();
  Shared<StoredPose> pose = items[change.index];
  items.erase(items.begin() + change.index);
  items.insert(items.begin() + to, std::move(pose));
}

void carry_out(const Document& document, const ApplyPose& change, Content& content, View&) {
  if (!std::isfinite(change.share) || !is_finite_pose(change.pose)) {
    return;
  }
  const rig::Character& character = *document.character;
  const float share = std::clamp(change.share, 0.0f, 1.0f);
  const std::shared_ptr<const BlendStart> start = change.start != nullptr ? change.start : blend_start(document);
  const rig::Pose& by_hand = start->hand.now();
  if (by_hand.local.size() != static_cast<std::size_t>(character.skeleton->size())) {
    return;  // of another character
  }
  const StoredPose pose = change.flipped ? flipped(character, change.pose) : *change.pose;
  const rig::Pose base = evaluate_base_pose(document);
  // Where poses become keys, going back to the beginning has to become keys as well.
  const bool goes_back = share == 0 && !(document.view.timing.auto_key && content.clip >= 0);
  for (const auto& [joint, local] : pose.joints) {
    const bool is_meant = change.joints.empty() || std::ranges::find(change.joints, joint) != change.joints.end();
    if (!has_index(base.local, joint) || !is_meant) {
      continue;
    }
    if (goes_back) {
      put_back(content.overrides, *start->overrides, joint);
      continue;
    }
    const Transform& from = by_hand.local[joint];
    const Transform to = start->hand.local(joint, local);
    const Transform now = share == 1 ? to : share == 0 ? from : blended(from, to, share);
    if (content.clip < 0 && now == base.local[joint]) {
      content.overrides.edit().erase(joint);
    } else {
      content.overrides.edit()[joint] = {
          now, rig::dofs_from_local(joint_dofs(document, joint), now, dof_values(document, joint, base))};
    }
  }
  for (const auto& [shape, weight] : change.joints.empty() ? pose.shapes : std::map<int, float>()) {
    if (!has_index(base.morph_weights, shape)) {
      continue;
    }
    if (goes_back) {
      put_back(content.morph_overrides, *start->morph_overrides, shape);
      continue;
    }
    const float to = start->hand.weight(shape, weight);
    const float now = share == 1 ? to : glm::mix(by_hand.morph_weights[shape], to, share);
    if (content.clip < 0 && now == base.morph_weights[shape]) {
      content.morph_overrides.edit().erase(shape);
    } else {
      content.morph_overrides.edit()[shape] = now;
    }
  }
}

std::string label(const Document&, const StorePoses& change) {
  return change.poses.size() == 1 ? fmt::format("Store {}", single_line(change.poses[0]->name, kLongestName))
                                  : fmt::format("Store {} poses", change.poses.size());
}
std::string label(const Document& document, const ReplaceStoredPose& change) {
  return fmt::format("Replace {}", name_of_pose(document, change.index));
}
std::string label(const Document& document, const RenameStoredPose& change) {
  return fmt::format("Rename {} to {}", name_of_pose(document, change.index), single_line(change.name, kLongestName));
}
std::string label(const Document& document, const RemoveStoredPose& change) {
  return fmt::format("Delete {}", name_of_pose(document, change.index));
}
std::string label(const Document& document, const MoveStoredPose& change) {
  return fmt::format("Move {}", name_of_pose(document, change.index));
}
std::string label(const Document&, const ApplyPose& change) {
  const std::string name = single_line(change.pose->name, kLongestName) + (change.flipped ? " flipped" : "");
  return change.share < 1 ? fmt::format("Blend to {}", name) : fmt::format("Apply {}", name);
}

std::string refusal(const Document& document, const StorePoses& change) {
  const std::size_t count = document.content.library.size() + change.poses.size();
  return count > kMostPoses ? fmt::format("a library has at most {} poses; expected no more, got {}", kMostPoses, count)
                            : "";
}

std::string refusal(const Document& document, const RenameStoredPose& change) {
  return single_line(change.name, kLongestName).empty()
             ? fmt::format("{} keeps its name: a pose needs one", printable(name_of_pose(document, change.index)))
             : std::string();
}

std::string remark(const Document&, const ApplyPose& change) {
  return change.share == 1 ? change.pose->note : std::string();
}

}  // namespace pelt::edit
