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
#include "edit/weight_tools.h"
#include "edit/worst_spots.h"

namespace pelt::ui {

/// Of its row of tabs().
inline constexpr std::string_view kWeightToolsTab = "tools";

struct Desk;

/// Tools that change weights at once, with the difference shown before it is accepted; and the worst spots of the skin.
struct WeightToolsPanel {
  enum Area { kSelection, kJoint, kAll };
  std::string tool = {};                                   ///< id of edit::weight_tools(); empty: the first
  std::map<std::string, std::vector<double>> values = {};  ///< of the fields of each that was looked at
  int area = kAll;

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
    bool own_surface = true;  ///< it is shown, so that these are its
    bool operator==(const Foreseen&) const = default;
  };
  Foreseen foreseen = {};
  std::string difference = {};  ///< in words
  bool is_refused = false;      ///< then it says why

  std::unique_ptr<JobSlot<edit::WorstSpots>> job = nullptr;
  std::shared_ptr<const edit::Document> searched = {};  ///< whose spots they are
  std::shared_ptr<const edit::WorstSpots> spots = {};
  int spot = -1;         ///< that was looked at last
  bool patient = false;  ///< pictures wait for the result
};

void draw(WeightToolsPanel& panel, Desk& desk);

}  // namespace pelt::ui
