#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/jobs.h"
#include "edit/spot_mends.h"
#include "edit/worst_spots.h"

namespace pelt::ui {

struct Desk;

/// The mends of one of the worst spots: each is made and measured while the list is open, and says what it would do
/// before somebody chooses it.
struct SpotMendsMenu {
  /// What one of the mends would do.
  struct Prospect {
    std::unique_ptr<JobSlot<edit::MendedSpot>> job = nullptr;
    std::optional<edit::MendedSpot> result = {};
  };
  std::vector<Prospect> prospects = {};                ///< by edit::spot_mends()
  std::shared_ptr<const edit::WorstSpots> spots = {};  ///< whose spot it is
  int spot = -1;                                       ///< that they would mend; -1: none
  std::shared_ptr<const rig::Character> of = {};       ///< the weights that they would change
  int chosen = -1;                                     ///< of edit::spot_mends(): will be done when it is known
  SharedArray<int> locked = {};                        ///< joints that kept theirs
  bool is_open = false;                                ///< in this picture
  bool patient = false;                                ///< pictures wait for results

  /// What was done, by spot.
  struct Outcome {
    std::string said = {};   ///< why a mend changed nothing, until the weights change
    std::string label = {};  ///< of the mend that was done last
    edit::MendedSpot mended = {};
    std::shared_ptr<const rig::Character> made = {};  ///< of which `mended` speaks
    edit::WorstSpot now = {};                         ///< as it is with the weights of now
  };
  std::map<int, Outcome> outcomes = {};
};

/// What a button that opens the list takes of a row, the same while it says that it mends.
float mends_width();
/// The button at the end of the row of a spot, and the list while it is open. @return whether it was opened just now
bool draw_mends(SpotMendsMenu& menu, const std::shared_ptr<const edit::WorstSpots>& spots, std::size_t i, Desk& desk);
/// What a mend made of the spot, below its row.
void draw_outcome(const SpotMendsMenu& menu, const edit::WorstSpots& spots, std::size_t i, Desk& desk);
/// Takes what is known by now, and does what was chosen; once in every picture, after the lists.
/// @param spots  that are listed; what was tried for others is given up
void follow_mends(SpotMendsMenu& menu, const std::shared_ptr<const edit::WorstSpots>& spots, Desk& desk);

}  // namespace pelt::ui
