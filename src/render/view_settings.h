#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <glm/glm.hpp>

#include "measure/surface_fields.h"
#include "render/behind.h"
#include "rig/hiding.h"

namespace pelt::render {

/// What the surface shows. Everything that offers looks iterates kLooks.
enum class Look {
  kShaded,
  kClay,
  kWeights,     ///< heat map of one joint, or all joints in blended colours when none is chosen
  kInfluences,  ///< influence count
  kWeightSum,   ///< error of the stored weight sum
  kBatches,     ///< palette batch
  kNormals,
  kDifference,  ///< a heat map of one shape against another, see Compare
  kBaseColor,   ///< with its texture, unlit
  kTangents,
  kUvChecker,  ///< of the first texture coordinates
  kOcclusion,  ///< the file's and the screen's
  kRoughness,
  kMetallic,
  kWireframe,  ///< edges on plain paper
  kMask,       ///< the weight of one joint from black to white, without light; of all joints as kWeights
};

/// The weights of a joint, or of all.
constexpr bool is_weight_look(Look look) {
  return look == Look::kWeights || look == Look::kMask;
}

/// Looks in which many can be drawn; the others are about one.
constexpr bool draws_crowds(Look look) {
  return !is_weight_look(look) && look != Look::kInfluences && look != Look::kWeightSum && look != Look::kBatches &&
         look != Look::kDifference;
}

struct LookInfo {
  Look look;
  std::string_view id;  ///< for --show
  std::string_view label;
};
inline constexpr std::array<LookInfo, 16> kLooks = {{
    {Look::kShaded, "shaded", "Shaded"},
    {Look::kClay, "clay", "Clay"},
    {Look::kWeights, "weights", "Weights"},
    {Look::kInfluences, "influences", "Influence count"},
    {Look::kWeightSum, "weight-sum", "Weight-sum error"},
    {Look::kBatches, "batches", "Palette batches"},
    {Look::kNormals, "normals", "Normals"},
    {Look::kDifference, "difference", "Difference"},
    {Look::kBaseColor, "base-color", "Base colour"},
    {Look::kTangents, "tangents", "Tangents"},
    {Look::kUvChecker, "uv-checker", "UV checker"},
    {Look::kOcclusion, "occlusion", "Occlusion"},
    {Look::kRoughness, "roughness", "Roughness"},
    {Look::kMetallic, "metallic", "Metallic"},
    {Look::kWireframe, "wireframe", "Wireframe"},
    {Look::kMask, "mask", "Weight mask"},
}};

/// What the look kDifference compares a pane with.
enum class Reference {
  kOtherBackend,  ///< the same settings on the other backend
  kBindShape,
  kPane,           ///< another pane
  kMethod,         ///< the same settings with another method
  kFullPrecision,  ///< the same settings with all influences as floats, see measure::full_precision()
};
struct Compare {
  measure::Measure measure = measure::Measure::kDistance;
  Reference reference = Reference::kOtherBackend;
  int pane = 0;     ///< of kPane
  int method = 0;   ///< of kMethod: row of deform::skinning_methods()
  float range = 0;  ///< where the colours end, in the measure's own unit; 0: by the largest value in sight
  bool operator==(const Compare&) const = default;
};

/// What shines from all around. Everything that offers environments iterates kEnvironments.
enum class Environment {
  kStudio,
  kOvercast,
  kSunset,
  kWhite,
  kImage,  ///< ViewSettings::environment_image
};
struct EnvironmentInfo {
  Environment environment;
  std::string_view id;  ///< for --environment
  std::string_view label;
};
/// Those that are computed.
inline constexpr std::array<EnvironmentInfo, 4> kEnvironments = {{
    {Environment::kStudio, "studio", "Studio"},
    {Environment::kOvercast, "overcast", "Overcast"},
    {Environment::kSunset, "sunset", "Sunset"},
    {Environment::kWhite, "white", "White"},
}};

/// How light becomes display colours.
enum class ToneMapping { kKhronos, kAces, kNone };
struct ToneMappingInfo {
  ToneMapping tone;
  std::string_view id;  ///< for --tone
  std::string_view label;
};
inline constexpr std::array<ToneMappingInfo, 3> kToneMappings = {{
    {ToneMapping::kKhronos, "khronos", "Khronos"},
    {ToneMapping::kAces, "aces", "ACES"},
    {ToneMapping::kNone, "none", "None"},
}};

struct EnvironmentImage;

/// The character at other moments of its clip, as see-through silhouettes behind it.
struct GhostSettings {
  bool shown = false;
  int before = 3;  ///< of the playhead, how many; at most kMostGhosts
  int after = 3;
  int step = 2;           ///< frames between them
  bool on_keys = false;   ///< at keys of the clip instead
  float opacity = 0.45f;  ///< of the nearest ones; those further away are fainter
  bool operator==(const GhostSettings&) const = default;
};
inline constexpr int kMostGhosts = 24;      ///< on either side
inline constexpr int kMostGhostStep = 240;  ///< frames

/// How the character is drawn; no effect on its geometry. Not part of the document, not undone.
struct ViewSettings {
  Look look = Look::kShaded;
  int weight_joint = -1;       ///< skeleton index whose weights are shown; -1 all joints at once
  bool isolines = false;       ///< of the weights of weight_joint: where they are 0.1, 0.2 ... 0.9
  Compare compare;             ///< of the look kDifference
  bool wipe = false;           ///< the first two panes lie over each other, with a line between them
  float wipe_position = 0.5f;  ///< of that line, share of the picture's width
  GhostSettings ghosts;        ///< where a clip is shown
  int instances = 0;           ///< of a crowd, each at another moment of the clip; 0: the character itself
  bool ghost_points = true;    ///< of the pinned vertex
  bool skeleton = false;
  bool deforming_only = false;  ///< bones of joints that no weight uses (ends, controls, helpers) are left out
  bool joint_names = false;
  bool joint_axes = false;
  bool wireframe = false;
  bool normal_lines = false;
  bool rotation_centers = false;  ///< of methods that have them, with a line to each vertex
  bool cage = false;              ///< edges of the character's own surface, where another is shown
  bool t_junctions = false;       ///< marked with dots
  bool grid = true;
  bool ground = true;
  bool shadow = true;
  bool turntable = false;
  bool occlusion = true;  ///< ambient occlusion in screen space
  bool lights = true;     ///< those of the file shine, instead of the environment's key light
  Environment environment = Environment::kStudio;
  std::shared_ptr<const EnvironmentImage> environment_image;  ///< of Environment::kImage
  ToneMapping tone = ToneMapping::kKhronos;
  float exposure = 0;                   ///< stops
  std::optional<glm::vec4> background;  ///< linear RGBA; none: the studio backdrop
  Behind behind;                        ///< a picture to compare with
  int samples = 4;                      ///< MSAA, reduced to what the driver offers
  int variant = -1;                     ///< of Character::variants; -1: the materials that the file gives first
  std::vector<int> toggled_nodes = {};  ///< see rig::AppearanceChoice::toggled
  rig::SharedHiding hiding = {};        ///< see rig::AppearanceChoice::by_hand
  bool operator==(const ViewSettings&) const = default;
};

/// Whether that view draws them.
inline bool shows_isolines(const ViewSettings& view) {
  return view.isolines && is_weight_look(view.look) && view.weight_joint >= 0;
}

}  // namespace pelt::render
