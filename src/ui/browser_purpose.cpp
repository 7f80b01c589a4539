#include "ui/browser_purpose.h"

#include <algorithm>

namespace pelt::ui {
namespace {

constexpr std::array kPurposes = {
    PurposeInfo{BrowserPurpose::kOpenCharacter, "Open", "Open", "character", false, "",
                [] { return std::vector<std::string>{".glb", ".gltf", ".vrm", ".pelt", ".obj", ".ply", ".bvh"}; }},
    PurposeInfo{BrowserPurpose::kOpenPose, "Open pose", "Open", "pose", false, "",
                [] { return std::vector<std::string>{".json"}; }},
    PurposeInfo{BrowserPurpose::kSavePose, "Save pose as", "Save", "pose", true, "pose.json",
                [] { return std::vector<std::string>{".json"}; }},
    PurposeInfo{BrowserPurpose::kSaveTable, "Save numbers as", "Save", "table", true, "numbers.csv",
                [] { return std::vector<std::string>{".csv"}; }},
    PurposeInfo{BrowserPurpose::kExportCharacter, "Export character as", "Export", "export", true, "export.glb",
                [] {
                  return std::vector<std::string>{".glb", ".gltf"};
                },
                "form"},
    PurposeInfo{BrowserPurpose::kOpenEnvironment, "Open environment", "Open", "environment", false, "",
                [] { return std::vector<std::string>{".hdr"}; }},
    PurposeInfo{BrowserPurpose::kOpenBehind, "Open picture behind", "Open", "reference", false, "",
                [] {
                  return std::vector<std::string>{".png", ".jpg", ".jpeg", ".webp"};
                }},
    PurposeInfo{BrowserPurpose::kSavePicture, "Save picture as", "Save", "picture", true, "picture.png",
                [] { return std::vector<std::string>{".png"}; }, "format"},
    PurposeInfo{BrowserPurpose::kSaveSession, "Save session as", "Save", "session", true, ".pelt",
                [] { return std::vector<std::string>{".pelt"}; }, "kind of file"},
    PurposeInfo{BrowserPurpose::kPackSession, "Pack session as", "Pack", "session", true, "packed.pelt",
                [] { return std::vector<std::string>{".pelt"}; }, "kind of file"},
    PurposeInfo{BrowserPurpose::kOpenMotion, "Open motion", "Open", "motion", false, "",
                [] {
                  return std::vector<std::string>{".bvh", ".vrma", ".glb", ".gltf", ".vrm"};
                }},
    PurposeInfo{BrowserPurpose::kOpenPoses, "Open poses", "Open", "pose", false, "",
                [] { return std::vector<std::string>{".json"}; }},
    PurposeInfo{BrowserPurpose::kSavePoses, "Save poses as", "Save", "pose", true, "poses.json",
                [] { return std::vector<std::string>{".json"}; }},
    PurposeInfo{BrowserPurpose::kOpenJointMap, "Open joint map", "Open", "joint-map", false, "",
                [] { return std::vector<std::string>{".json"}; }},
    PurposeInfo{BrowserPurpose::kSaveJointMap, "Save joint map as", "Save", "joint-map", true, "map.json",
                [] { return std::vector<std::string>{".json"}; }},
    PurposeInfo{BrowserPurpose::kOpenWeightsFrom, "Take weights from", "Open", "character", false, "",
                [] {
                  return std::vector<std::string>{".glb", ".gltf", ".vrm", ".pelt"};
                }},
    PurposeInfo{BrowserPurpose::kOpenWeightText, "Load weights", "Load", "weights", false, "",
                [] {
                  return std::vector<std::string>{".txt", ".jsonl"};
                }},
    PurposeInfo{BrowserPurpose::kOpenVolume, "Open a mesh as a volume", "Open", "character", false, "",
                [] {
                  return std::vector<std::string>{".obj", ".ply", ".glb", ".gltf"};
                }},
    PurposeInfo{BrowserPurpose::kSaveWeightText, "Save weights as", "Save", "weights", true, "weights.txt",
                [] {
                  return std::vector<std::string>{".txt", ".jsonl"};
                }},
    PurposeInfo{BrowserPurpose::kLocateCharacter, "Find the character of the session", "Use", "character", false, "",
                [] { return std::vector<std::string>{".glb", ".gltf", ".vrm", ".obj", ".ply", ".bvh"}; }},
};

}  // namespace

const PurposeInfo& info_of(BrowserPurpose purpose) {
  return *std::ranges::find(kPurposes, purpose, &PurposeInfo::purpose);
}

}  // namespace pelt::ui
