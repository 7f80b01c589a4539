#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "edit/commands.h"
#include "edit/document.h"

namespace pelt::edit {

/// What of a pose file a character has. Names are printable.
struct PoseReport {
  int joints = 0;  ///< that the file poses
  int joints_found = 0;
  int shapes = 0;  ///< morph targets
  int shapes_found = 0;
  bool rest_known = false;           ///< the file tells its rest pose, so that turns can be carried over to other rigs
  std::vector<std::string> guessed;  ///< "LeftForeArm is elbow_l"
  std::vector<std::string> not_found;  ///< names; "hand_l (hand.l or hand-l?)" where several could be meant

  [[nodiscard]] int missing() const { return joints - joints_found + shapes - shapes_found; }
  [[nodiscard]] bool exact() const { return missing() == 0 && guessed.empty(); }
};
/// "38 of 45 joints, 20 by similar names; 7 not found"; empty where all are there by their very names.
std::string summary(const PoseReport& report);
/// The names behind it: "missing: tail_1, tail_2; LeftForeArm is elbow_l". @param most  names of each kind
std::string details(const PoseReport& report, std::size_t most = 1000);

/// The pose as text (its form: pose_file.md): what differs from the rest pose, keyed by joint name, by node
/// index where names are missing or repeated; stable order, one joint per line. Below it, under "rest", the rig at
/// rest, so that the pose can be carried over to a rig with other names and axes.
std::string pose_to_json(const Document& document);

/// Reads pose text against the document's character and takes what it has, see rig::match_joints() and transfer_pose().
/// Nothing that matches is an error, as is what is no pose file.
Result<ReplacePose> pose_from_json(const Document& document, std::string_view text, PoseReport* report = nullptr);

Status save_pose(const Document& document, const std::filesystem::path& path);
/// @param content  receives the file's text
Result<ReplacePose> load_pose(const Document& document, const std::filesystem::path& path, PoseReport* report = nullptr,
                              std::string* content = nullptr);

}  // namespace pelt::edit
