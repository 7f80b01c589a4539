#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace pelt::ui {

/// What the file dialog is open for.
enum class BrowserPurpose {
  kOpenCharacter,
  kOpenPose,
  kSavePose,
  kSaveTable,
  kExportCharacter,
  kOpenEnvironment,
  kOpenBehind,
  kSavePicture,
  kSaveSession,
  kPackSession,
  kLocateCharacter,
  kOpenMotion,
  kOpenPoses,
  kSavePoses,
  kOpenJointMap,
  kSaveJointMap,
  kOpenWeightsFrom,
  kOpenWeightText,
  kSaveWeightText,
  kOpenVolume
};

/// The kinds of files whose folder is remembered each for itself, as in Preferences::folders.
inline constexpr std::array<std::string_view, 11> kFileKinds = {"character", "pose",      "picture", "environment",
                                                                "export",    "table",     "session", "reference",
                                                                "motion",    "joint-map", "weights"};

struct PurposeInfo {
  BrowserPurpose purpose;
  const char* title;
  const char* verb;
  std::string_view kind;  ///< one of kFileKinds
  bool saves;
  const char* usual_name;                    ///< of a file to save, after the character's name
  std::vector<std::string> (*extensions)();  ///< accepted, in lower case with their dot; the first is the usual one
  const char* decides = nullptr;             ///< what the extension of a file to save decides: no other will do
};
const PurposeInfo& info_of(BrowserPurpose purpose);

}  // namespace pelt::ui
