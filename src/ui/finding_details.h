#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "core/jobs.h"
#include "core/shared.h"
#include "edit/weight_foresight.h"
#include "edit/weight_tools.h"
#include "rig/character.h"

namespace pelt::ui {

struct Desk;

/// The area below the list of findings: what helps against the marked one, its vertices and its mend. The area keeps
/// its place and height, so that no row of the list moves when a finding is marked.
struct FindingDetails {
  /// What a mend would do, made in the background.
  struct Foreseen {
    std::string words;
    bool changes_nothing = false;
    std::optional<edit::ForeseenWeights> weights = {};  ///< of a tool of weights
  };
  /// What the rest was computed of.
  struct About {
    int finding = -1;  ///< index into ListedFindings
    std::shared_ptr<const rig::Character> character = nullptr;
    std::shared_ptr<const rig::Character> looked_at = nullptr;  ///< whose search gave the finding
    SharedArray<int> locked = {};
    bool operator==(const About&) const = default;
  };
  About about = {};
  std::size_t vertices = 0;                        ///< that the finding is about, or lists
  bool lists_few = false;                          ///< it lists these only
  std::optional<edit::UseWeightTool> repair = {};  ///< the tool of weights that mends it
  std::string refusal = {};                        ///< why the tool is refused; empty where it is not
  std::string fix = {};                            ///< the code that rig::fixed() mends; empty: nothing does
  std::unique_ptr<JobSlot<Foreseen>> job = nullptr;
  std::optional<Foreseen> foreseen = {};  ///< nothing until the job has ended
  bool patient = false;                   ///< pictures wait for the job
};

/// Pixels that the area takes of `room`; 0 where there is no finding to tell of, and in little room while none is
/// marked.
float finding_details_height(int finding, float room, const Desk& desk);
/// Fills the rest of the window.
/// @param finding  the marked one, index into ListedFindings; -1: none. Becomes -1 where the user closes it
void draw_finding_details(FindingDetails& details, int& finding, Desk& desk);

}  // namespace pelt::ui
