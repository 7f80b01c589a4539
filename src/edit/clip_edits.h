#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "edit/document.h"

namespace pelt::edit {

/// Keeps overrides, which win over the clip; the playhead goes to the clip's start.
struct SetClip {
  int clip;  ///< -1: none
};
/// Moves the playhead, which is clamped to playhead_range(); without a clip nothing changes. Never a step of the
/// history.
struct SetTime {
  float time;
};

// Clips come and go, ALGORITHMS.md §47. Names stay unique: a second "walk" becomes "walk 2".

/// The name that a clip gets which is to have that one: one line of at most kLongestName bytes that no other clip has.
/// @param but  number of the clip itself, -1: it is not among them yet
std::string own_clip_name(std::string_view wish, const SharedList<rig::Clip>& clips, int but = -1);

/// A clip without keys behind all others, or a copy of one. It becomes the one that plays; an empty one has two seconds
/// of room for keys.
struct AddClip {
  std::string name;
  int copy_of = -1;  ///< -1: empty
};
struct RenameClip {
  int clip;
  std::string name;  ///< any text, which becomes one line
};
/// The one before it plays from then on, where it played.
struct RemoveClip {
  int clip;
};

/// Numbers of a ClipOperation, as its fields say them.
inline constexpr std::size_t kMostClipNumbers = 2;
using ClipNumbers = std::array<double, kMostClipNumbers>;
struct ClipField {
  std::string_view id;
  const char* label;
  const char* unit;
  double standard;
  double minimum;
  double maximum;
};
/// What can be done to a whole clip. Window and tests iterate these rows.
struct ClipOperation {
  std::string_view id;  ///< "reverse"
  const char* label;    ///< "Reverse"
  const char* help;
  std::span<const ClipField> fields = {};
  /// @pre numbers within the fields' ranges
  Result<rig::Clip> (*apply)(const rig::Character& character, const rig::Clip& clip, const ClipNumbers& numbers);
};
std::span<const ClipOperation> clip_operations();
/// -1 where there is none.
int find_clip_operation(std::string_view id);
ClipNumbers standard_numbers(const ClipOperation& operation);

struct ChangeClip {
  int clip;
  int operation;  ///< of clip_operations()
  ClipNumbers numbers = {};
};

// Each of them in words, and what it makes of the document's content and view.
std::string label(const Document& document, const SetClip& change);
void carry_out(const Document& document, const SetClip& change, Content& content, View& view);
std::string label(const Document& document, const SetTime& change);
void carry_out(const Document& document, const SetTime& change, Content& content, View& view);
std::string label(const Document& document, const AddClip& change);
void carry_out(const Document& document, const AddClip& change, Content& content, View& view);
std::string label(const Document& document, const RenameClip& change);
void carry_out(const Document& document, const RenameClip& change, Content& content, View& view);
std::string label(const Document& document, const RemoveClip& change);
void carry_out(const Document& document, const RemoveClip& change, Content& content, View& view);
std::string label(const Document& document, const ChangeClip& change);
void carry_out(const Document& document, const ChangeClip& change, Content& content, View& view);
std::string refusal(const Document& document, const ChangeClip& change);

}  // namespace pelt::edit
