#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include <glm/glm.hpp>

#include "deform/surface_fields.h"

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
};

/// Looks in which many can be drawn; the others are about one.
constexpr bool draws_crowds(Look look) {
  return look == Look::kShaded || look == Look::kClay || look == Look::kNormals;
}

struct LookInfo {
  Look look;
  std::string_view id;  ///< for --show
  std::string_view label;
};
inline constexpr std::array<LookInfo, 8> kLooks = {{
    {Look::kShaded, "shaded", "Shaded"},
    {Look::kClay, "clay", "Clay"},
    {Look::kWeights, "weights", "Weights"},
    {Look::kInfluences, "influences", "Influence count"},
    {Look::kWeightSum, "weight-sum", "Weight-sum error"},
    {Look::kBatches, "batches", "Palette batches"},
    {Look::kNormals, "normals", "Normals"},
    {Look::kDifference, "difference", "Difference"},
}};

/// What the look kDifference compares a pane with.
enum class Reference {
  kOtherBackend,  ///< the same settings on the other backend
  kBindShape,
  kPane,           ///< another pane
  kMethod,         ///< the same settings with another method
  kFullPrecision,  ///< the same settings with all influences as floats, see deform::full_precision()
};
struct Compare {
  deform::Measure measure = deform::Measure::kDistance;
  Reference reference = Reference::kOtherBackend;
  int pane = 0;     ///< of kPane
  int method = 0;   ///< of kMethod: row of deform::skinning_methods()
  float range = 0;  ///< where the colours end, in the measure's own unit; 0: by the largest value in sight
  bool operator==(const Compare&) const = default;
};

/// How the character is drawn; no effect on its geometry. Not part of the document, not undone.
struct ViewSettings {
  Look look = Look::kShaded;
  int weight_joint = -1;       ///< skeleton index whose weights are shown; -1 all joints at once
  Compare compare;             ///< of the look kDifference
  bool wipe = false;           ///< the first two panes lie over each other, with a line between them
  float wipe_position = 0.5f;  ///< of that line, share of the picture's width
  int instances = 0;           ///< of a crowd, each at another moment of the clip; 0: the character itself
  bool ghost_points = true;    ///< of the pinned vertex
  bool skeleton = false;
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
  float exposure = 0;                   ///< stops
  std::optional<glm::vec4> background;  ///< linear RGBA; none: the studio backdrop
  int samples = 4;                      ///< MSAA, reduced to what the driver offers
  int variant = -1;                     ///< of Character::variants; -1: the materials that the file gives first
  std::vector<int> toggled_nodes = {};  ///< see rig::AppearanceChoice::toggled
  bool operator==(const ViewSettings&) const = default;
};

}  // namespace pelt::render
