#include "edit/reload.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/expect.h"
#include "core/index.h"
#include "edit/file_behaviour.h"
#include "edit/file_layers.h"
#include "rig/character_parts.h"
#include "rig/new_joints.h"
#include "rig/newer_version.h"

namespace pelt::edit {
namespace {

// `to` with the joints that `edited` has besides those of its file.
rig::Character with_added(const rig::Character& file, const rig::Character& edited, const rig::Character& to) {
  const int first = file.skeleton->size();
  return edited.skeleton->size() <= first ? to : rig::with_new_joints(to, rig::new_joints_of(edited.skeleton, first));
}

class NewerVersion : public ContentMap {
 public:
  NewerVersion(std::shared_ptr<const rig::Character> file, std::shared_ptr<const rig::Character> newer)
      : file_(std::move(file)),
        newer_(std::move(newer)),
        layers_(file_layers(*file_)),
        newer_layers_(file_layers(*newer_)),
        behaviour_(file_behaviour(*file_).behaviour),
        newer_behaviour_(file_behaviour(*newer_).behaviour) {}

  [[nodiscard]] Content mapped(const Content& content, std::vector<std::string>* lost) const override {
    const rig::Character& before = *content.character;
    // Joints that were added are added to the newer version as well.
    const rig::Character file = with_added(*file_, before, *file_);
    const rig::Character newer = with_added(*file_, before, *newer_);
    Remap numbers = matching(before, file, newer);
    auto after = content.character == file_ ? newer_ : characters_.mapped(content.character, [&] {
      rig::CarriedOver carried = rig::carried_over(file, before, newer, numbers.joints, numbers.skins, numbers.meshes);
      // Steps that lose the same are many, and it is said once.
      for (std::string& what : carried.lost) {
        if (lost != nullptr && std::ranges::find(*lost, what) == lost->end()) {
          lost->push_back(std::move(what));
        }
      }
      return std::make_shared<const rig::Character>(std::move(carried.character));
    });
    if (after != newer_) {
      numbers.clips = matching(before, file, *after).clips;  // it may have more or fewer than the file
    }
    Content out = remap(content, numbers, std::move(after), lost);
    // Layers that nobody changed are what the file says of them.
    if (out.pose_layers == layers_.pose_layers) {
      out.pose_layers = newer_layers_.pose_layers;
    }
    if (*out.behaviour == behaviour_) {
      out.behaviour = newer_behaviour_;
    }
    if (out.deformer_layers == layers_.deformer_layers) {
      out.deformer_layers = newer_layers_.deformer_layers;
    }
    return out;
  }
  [[nodiscard]] std::size_t bytes(const Content& met) const override {
    return met.character == file_
               ? 0
               : std::min(rig::bytes_changed(*newer_, *file_), rig::bytes_changed(*met.character, *file_));
  }

 private:
  std::shared_ptr<const rig::Character> file_;
  std::shared_ptr<const rig::Character> newer_;
  FileLayers layers_;
  FileLayers newer_layers_;
  motion::Behaviour behaviour_;
  motion::Behaviour newer_behaviour_;
  MappedCharacters characters_;
};

Remap numbers_of(const Document& document, const rig::Character& newer) {
  const rig::Character& shown = *document.content.character;
  return matching(shown, with_added(*document.file, shown, *document.file), with_added(*document.file, shown, newer));
}

}  // namespace

std::string lost_sentence(const std::vector<std::string>& lost) {
  constexpr std::size_t kNamed = 3;
  if (lost.empty()) {
    return {};
  }
  std::string out = "No longer applies: " + lost.front();
  for (std::size_t i = 1; i < std::min(lost.size(), kNamed); ++i) {
    out += (i + 1 == lost.size() ? " and " : ", ") + lost[i];
  }
  return lost.size() > kNamed ? fmt::format("{} and {} more", out, lost.size() - kNamed) : out;
}

ReloadReport reload_character(Document& document, std::shared_ptr<const rig::Character> character) {
  PELT_EXPECT(character != nullptr, "a document needs a character");
  const int shown_scene = document.character->scene;
  const auto scene_of_newer = character->scene;
  const bool has_scene = has_index(character->scenes, shown_scene);
  if (has_scene && shown_scene != scene_of_newer) {
    rig::Character in_scene = *character;
    rig::show_scene(in_scene, shown_scene);
    character = std::make_shared<const rig::Character>(std::move(in_scene));
  }
  const bool is_same = rig::equal(*document.file, *character);
  const std::shared_ptr<const rig::Character> newer =
      is_same ? document.file : std::make_shared<const rig::Character>(rig::sharing(*character, *document.file));
  ReloadReport report{.numbers = is_same ? identity(*document.content.character) : numbers_of(document, *newer),
                      .lost = {}};
  document.history.close(document.content);
  if (!is_same) {
    const auto map = std::make_shared<const NewerVersion>(document.file, newer);
    Content content = map->mapped(document.content, &report.lost);
    document.history.map(document.content, content, map);
    document.content = std::move(content);
  }
  document.open_merge_key.clear();
  if (!shows_own_surface(document) && document.surface != rig::SurfaceChoice()) {
    document.view.pinned_part = -1;
    document.view.selected_vertices.clear();  // of another surface
  }
  remap(document.view, report.numbers);
  document.file = newer;
  document.origin.held = nullptr;  // it is about the version before
  document.lost = report.lost;
  document.character = document.content.character;
  document.surface = {};
  document.detail_error = 0;
  keep_valid(document.view, document);
  ++document.character_version;
  ++document.state_version;
  return report;
}

}  // namespace pelt::edit
