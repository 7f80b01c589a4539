#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/shared.h"
#include "math/transform.h"
#include "rig/character.h"

namespace pelt::edit {

struct Document;

/// A pose that was put aside under a name: of all joints, or of some, which leaves the others alone.
struct StoredPose {
  std::string name;                  ///< one line, no other pose of the library has it
  std::map<int, Transform> joints;   ///< local, by skeleton index
  std::map<int, float> shapes;       ///< by flat index into Pose::morph_weights; all of them, or none
  std::string note = {};             ///< a sentence: what of the rig that it came from has no counterpart here
  Shared<std::string> picture = {};  ///< the character in it, a small PNG; empty: nobody has made it
  bool operator==(const StoredPose&) const = default;
};
/// Of a library.
inline constexpr std::size_t kMostPoses = 100'000;
/// Of a note, bytes.
inline constexpr std::size_t kLongestNote = 600;
/// Of a picture, bytes.
inline constexpr std::size_t kLargestPicture = std::size_t{1} << 20;
/// In the order in which a person put them.
using PoseLibrary = SharedList<StoredPose>;

/// What the document shows now, without a picture.
/// @param joints  that are stored; empty: all, with the shapes
StoredPose stored_pose(const Document& document, std::string name, const std::vector<int>& joints = {});
/// The same pose seen in a mirror: rig::Mirror, and shapes whose names have a side take that of their partners. Joints
/// and shapes without a partner are not in it.
StoredPose flipped(const rig::Character& character, const StoredPose& pose);
/// "Pose 3": a name that no pose of the library has.
std::string proposed_pose_name(const PoseLibrary& library);
/// The number of the pose of that name, -1 where there is none.
int find_pose(const PoseLibrary& library, std::string_view name);

/// The library, or some of its poses, as text; its form: pose_file.md. Pictures are not in it.
std::string poses_to_json(const Document& document, const PoseLibrary& poses);

/// Whether a file that begins so holds a pose or a library, whatever it is called.
bool is_poses(std::string_view beginning);

/// Poses that were read from a file, fitted to the character.
struct OpenedPoses {
  std::vector<StoredPose> poses;
  std::vector<std::string>
      lost;  ///< "Fist: the character has none of the joints ...", one for each that has nothing here
};
/// Reads the text of a library or of a pose file, which is one pose of all joints. What comes from another rig goes
/// over as with pose_from_json(), and the pose's note says what has no counterpart.
/// @param name  of a pose file's pose
Result<OpenedPoses> poses_from_json(const Document& document, std::string_view text, const std::string& name);

}  // namespace pelt::edit
