#pragma once

#include <memory>
#include <string>
#include <vector>

#include "edit/document.h"
#include "edit/remap.h"

namespace pelt::edit {

/// What a newer version of a file could not take over.
struct ReloadReport {
  Remap numbers;                  ///< of what was shown to what is shown now
  std::vector<std::string> lost;  ///< one phrase each
};

/// "No longer applies: the pose of hand_l, the shape smile and 3 more"; empty where nothing was lost.
std::string lost_sentence(const std::vector<std::string>& lost);

/// Replaces the open character by a newer version of its file. What was done stays, with its history: pose and shapes
/// as far as joints, morph targets and clips can be found again by name (matching()); edits of the character itself as
/// far as the newer version has what they changed as the file had it (rig::carried_over()); selection, panes and, where
/// its part still has as many vertices, the pinned vertex. The surface is the new version's own. Steps of the history
/// follow when they are travelled to, and say then what they lost (Document::lost).
///
/// Where the file says what it said nothing changes. Document::file is the newer version afterwards, sharing with the
/// older one what both have alike.
/// @param character  finished (rig::finish)
ReloadReport reload_character(Document& document, std::shared_ptr<const rig::Character> character);

}  // namespace pelt::edit
