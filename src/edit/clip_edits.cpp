#include "edit/clip_edits.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/expect.h"

namespace pelt::edit {

void carry_out(const Document& document, const SetClip& change, Content& content, View& view) {
  const SharedList<rig::Clip>& clips = document.character->clips;
  PELT_EXPECT(change.clip >= -1 && change.clip < static_cast<int>(clips.size()), "clip index out of range");
  content.clip = change.clip;
  if (change.clip >= 0) {
    view.time = clips[change.clip].start;
  }
}

void carry_out(const Document& document, const SetTime& change, Content& content, View& view) {
  if (content.clip < 0 || !std::isfinite(change.time)) {
    return;
  }
  const rig::Clip& clip = document.character->clips[content.clip];
  view.time = std::clamp(change.time, clip.start, std::max(clip.start, clip.end));
}

std::string label(const Document& document, const SetClip& change) {
  if (change.clip < 0) {
    return "No clip";
  }
  const std::string& name = document.character->clips[change.clip].name;
  return name.empty() ? fmt::format("Clip {}", change.clip) : fmt::format("Clip {}", name);
}

std::string label(const Document&, const SetTime&) {
  return "Scrub";
}

}  // namespace pelt::edit
