#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string_view>

#include "core/jobs.h"
#include "edit/worst_spots.h"
#include "ui/spot_mends_menu.h"

namespace pelt::ui {

struct Desk;

inline constexpr std::string_view kWorstSpotsTab = "spots";

/// The tab "Spots": where the skin deforms worst, by joint, each with ways to mend it.
struct WorstSpotsSection {
  std::unique_ptr<JobSlot<edit::WorstSpots>> job = nullptr;
  std::shared_ptr<const edit::Document> searched = {};  ///< whose spots they are
  std::shared_ptr<const edit::WorstSpots> spots = {};
  int spot = -1;                                            ///< that was looked at last
  int frames_spot = 0;                                      ///< pictures until it is framed; 0: it is
  std::shared_ptr<const rig::Character> spot_weights = {};  ///< that were seen last, to count changes since the search
  int changes = 0;                                          ///< of weights since the search
  bool patient = false;                                     ///< pictures wait for results

  bool only_selected = false;  ///< lists the selected joints' alone
  SpotMendsMenu menu = {};
  std::unique_ptr<JobSlot<std::map<int, edit::WorstSpot>>> measuring = nullptr;
};

void draw(WorstSpotsSection& state, Desk& desk);
/// Counts changes of weights since the worst spots were looked for, measures again what was mended, and goes to a spot
/// once its pose is seen; in every picture, whichever tab is in front.
void follow_spots(Desk& desk);

}  // namespace pelt::ui
