#pragma once

/// Glyphs of Font Awesome 4.7, merged into the text face.
namespace pelt::ui::icon {

inline constexpr const char* kPlay = "\uf04b";
inline constexpr const char* kPause = "\uf04c";
inline constexpr const char* kStepBack = "\uf048";
inline constexpr const char* kStepForward = "\uf051";
inline constexpr const char* kToStart = "\uf049";
inline constexpr const char* kToEnd = "\uf050";
inline constexpr const char* kLoop = "\uf01e";
inline constexpr const char* kPingPong = "\uf0ec";
inline constexpr const char* kOnce = "\uf178";
inline constexpr const char* kReset = "\uf0e2";
inline constexpr const char* kRedo = "\uf01e";
inline constexpr const char* kRefresh = "\uf021";
inline constexpr const char* kSearch = "\uf002";
inline constexpr const char* kClose = "\uf00d";
inline constexpr const char* kFolder = "\uf07b";
inline constexpr const char* kFolderOpen = "\uf07c";
inline constexpr const char* kFile = "\uf016";
inline constexpr const char* kSave = "\uf0c7";
inline constexpr const char* kMesh = "\uf1b2";
inline constexpr const char* kNode = "\uf10c";
inline constexpr const char* kJoint = "\uf192";
inline constexpr const char* kSkin = "\uf1e0";
inline constexpr const char* kMaterial = "\uf1fc";
inline constexpr const char* kBrush = "\uf1fc";
inline constexpr const char* kPull = "\uf0a6";
inline constexpr const char* kLock = "\uf023";
inline constexpr const char* kUnlock = "\uf09c";
inline constexpr const char* kClip = "\uf008";
inline constexpr const char* kScene = "\uf0ac";
inline constexpr const char* kCharacter = "\uf183";
inline constexpr const char* kCamera = "\uf030";
inline constexpr const char* kVideo = "\uf03d";
inline constexpr const char* kWarning = "\uf071";
inline constexpr const char* kInfo = "\uf05a";
inline constexpr const char* kError = "\uf057";
inline constexpr const char* kCheck = "\uf00c";
inline constexpr const char* kHome = "\uf015";
inline constexpr const char* kDisk = "\uf0a0";
inline constexpr const char* kRecent = "\uf1da";
inline constexpr const char* kStar = "\uf005";
inline constexpr const char* kUp = "\uf062";
inline constexpr const char* kPin = "\uf08d";
inline constexpr const char* kGrid = "\uf00a";
inline constexpr const char* kTag = "\uf02b";
inline constexpr const char* kWire = "\uf1cb";
inline constexpr const char* kSun = "\uf185";
inline constexpr const char* kWeights = "\uf043";
inline constexpr const char* kClay = "\uf111";
inline constexpr const char* kChip = "\uf2db";
inline constexpr const char* kTarget = "\uf05b";
inline constexpr const char* kKeyboard = "\uf11c";
inline constexpr const char* kOnePane = "\uf096";
inline constexpr const char* kPanes = "\uf0db";
inline constexpr const char* kWipe = "\uf07e";
inline constexpr const char* kMap = "\uf06d";
inline constexpr const char* kPlot = "\uf201";
inline constexpr const char* kTable = "\uf0ce";
inline constexpr const char* kExport = "\uf019";
inline constexpr const char* kEye = "\uf06e";
inline constexpr const char* kEyeClosed = "\uf070";
inline constexpr const char* kLight = "\uf0eb";
inline constexpr const char* kVariant = "\uf1fb";
inline constexpr const char* kCursor = "\uf245";
inline constexpr const char* kBox = "\uf247";
inline constexpr const char* kChain = "\uf0c1";
inline constexpr const char* kMove = "\uf047";
inline constexpr const char* kScale = "\uf065";
inline constexpr const char* kSymmetric = "\uf0ec";
inline constexpr const char* kReach = "\uf256";
inline constexpr const char* kTeach = "\uf19d";

}  // namespace pelt::ui::icon
