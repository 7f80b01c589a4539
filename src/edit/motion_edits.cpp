#include "edit/motion_edits.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/index.h"
#include "core/text.h"
#include "edit/clip_edits.h"

namespace pelt::edit {

std::string label(const Document&, const InsertClip& change) {
  return fmt::format("Add motion {}", printable(change.clip->name, 80));
}

void carry_out(const Document& document, const InsertClip& change, Content& content, View& view) {
  const rig::Character& character = *own_character(document);
  rig::Clip clip = *change.clip;
  std::erase_if(clip.channels, [&](const rig::Channel& channel) {
    return !has_index(character.skeleton->parent, channel.joint) || channel.times.empty();
  });
  for (rig::Channel& channel : clip.channels) {
    channel.source = -1;  // the file says nothing of it
    channel.source_sampler = -1;
  }
  clip.properties.clear();
  clip.source = -1;
  clip.room = 0;
  clip.name = own_clip_name(clip.name.empty() ? "motion" : clip.name, character.clips);
  auto changed = std::make_shared<rig::Character>(character);
  changed->clips.push_back(std::move(clip));
  content.clip = static_cast<int>(changed->clips.size()) - 1;
  view.time = changed->clips[content.clip].start;
  content.character = std::move(changed);
}

}  // namespace pelt::edit
