#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "edit/document.h"
#include "edit/hand_pose.h"
#include "edit/pose_library.h"

namespace pelt::edit {

// Edits of the pose library, and of the pose by it. A pose that is not there, or that has a number which is not finite,
// changes nothing; joints and shapes that the character does not have are left out.

/// Puts poses into the library. Names become one line and, with a number behind them, names that no other pose has.
struct StorePoses {
  std::vector<Shared<StoredPose>> poses;
  int at = -1;  ///< the first one's place; -1: behind the last
};
/// Another pose in the place and under the name of one.
struct ReplaceStoredPose {
  int index;
  Shared<StoredPose> pose;
};
struct RenameStoredPose {
  int index;
  std::string name;
};
struct RemoveStoredPose {
  int index;
};
/// Takes a pose out and puts it in again where it has the number `to`.
struct MoveStoredPose {
  int index;
  int to;
};

bool is_finite_pose(const StoredPose& pose);
/// A pose as a document holds it: what of it the character has, with unit rotations, under that name. A rotation that
/// is unit but for rounding stays as it is, bit by bit.
Shared<StoredPose> fitting_pose(const Document& document, const Shared<StoredPose>& pose, std::string name);

/// The pose as a drag of ApplyPose found it.
struct BlendStart {
  Shared<std::map<int, JointOverride>> overrides;
  Shared<std::map<int, float>> morph_overrides;
  HandPose hand;
};
std::shared_ptr<const BlendStart> blend_start(const Document& document);

/// Takes the pose that is seen to a stored one: local rotations along the shorter arc, everything else straight. At
/// share 0 the document's pose is what it was, bit for bit, at 1 that of the library, bit for bit where no layer comes
/// after what is posed by hand. What sliders, drivers, constraints and springs add is taken off (HandPose).
struct ApplyPose {
  Shared<StoredPose> pose;
  float share = 1;               ///< 0 to 1
  bool flipped = false;          ///< flipped() is meant
  std::vector<int> joints = {};  ///< of which alone is applied what the pose has, without shapes; empty: all
  std::shared_ptr<const BlendStart> start = nullptr;  ///< null: the pose as it is
};

std::string label(const Document& document, const StorePoses& change);
void carry_out(const Document& document, const StorePoses& change, Content& content, View& view);
std::string refusal(const Document& document, const StorePoses& change);
std::string label(const Document& document, const ReplaceStoredPose& change);
void carry_out(const Document& document, const ReplaceStoredPose& change, Content& content, View& view);
std::string label(const Document& document, const RenameStoredPose& change);
void carry_out(const Document& document, const RenameStoredPose& change, Content& content, View& view);
std::string refusal(const Document& document, const RenameStoredPose& change);
std::string label(const Document& document, const RemoveStoredPose& change);
void carry_out(const Document& document, const RemoveStoredPose& change, Content& content, View& view);
std::string label(const Document& document, const MoveStoredPose& change);
void carry_out(const Document& document, const MoveStoredPose& change, Content& content, View& view);
std::string label(const Document& document, const ApplyPose& change);
void carry_out(const Document& document, const ApplyPose& change, Content& content, View& view);
std::string remark(const Document& document, const ApplyPose& change);

}  // namespace pelt::edit
