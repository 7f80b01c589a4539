#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/result.h"
#include "edit/pose_file.h"

namespace pelt::edit {

inline constexpr int kPoseVersion = 1;

/// One morph target on one node.
struct MorphSlot {
  int joint;
  int index;  ///< flat
  std::string name;
};
std::vector<MorphSlot> morph_slots(const rig::Character& character);

/// "a, b and 3 more".
std::string listed(const std::vector<std::string>& names, std::size_t most);

/// What pose_from_json() makes of parsed text.
Result<ReplacePose> read_pose(const Document& document, const nlohmann::json& root, PoseReport& report);

}  // namespace pelt::edit
