#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/jobs.h"
#include "edit/weight_foresight.h"
#include "edit/weight_tools.h"
#include "ui/weight_scope.h"
#include "ui/weight_source.h"

namespace pelt::ui {

/// Of its row of tabs().
inline constexpr std::string_view kWeightToolsTab = "tools";

struct Desk;

/// Tools that change weights at once, with the difference shown before it is accepted.
struct WeightToolsPanel : WeightScope {
  std::string tool = {};                                   ///< id of edit::weight_tools(); empty: the first
  std::map<std::string, std::vector<double>> values = {};  ///< of the fields of each that was looked at

  /// What the chosen tool would do, and what that was computed of.
  struct Foreseen {
    std::shared_ptr<const rig::Character> character;
    std::string tool;
    std::vector<double> values;
    int area = kAll;
    int area_joint = -1;  ///< whose vertices are the area
    std::vector<int> joints;
    std::vector<int> locked;
    SharedArray<edit::PartVertices> vertices;
    bool own_surface = true;                       ///< it is shown, so that these are its
    std::shared_ptr<const rig::Character> source;  ///< for a tool that needs one
    std::shared_ptr<const edit::WeightTable> table;
    bool operator==(const Foreseen&) const = default;
  };
  Foreseen foreseen = {};
  std::string difference = {};  ///< in words
  std::string left = {};        ///< why a mesh is left out, where others are changed
  bool is_refused = false;      ///< then it says why
  std::unique_ptr<JobSlot<edit::ForeseenWeights>> foreseeing = nullptr;
  bool foresees_long = false;                                 ///< it is in the list of jobs, to be cancelled there
  bool is_cancelled = false;                                  ///< nothing is computed until somebody asks again
  std::shared_ptr<const edit::ForeseenWeights> outcome = {};  ///< null: refused, or not there yet

  WeightSource source = {};
  bool scroll_up = false;  ///< to the tool that has just been taken into the hand

  bool patient = false;  ///< pictures wait for results, also for those of the worst spots
};

void draw(WeightToolsPanel& panel, Desk& desk);
/// Ends a transfer whose outcome is being computed; false where there is none.
bool cancel_foresight(WeightToolsPanel& panel);

}  // namespace pelt::ui
