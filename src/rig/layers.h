#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pelt::rig {

/// Where a layer works, in the order in which a character is evaluated, ALGORITHMS.md §18. "Layer" alone means one of
/// these: a pose layer makes local transforms and morph weights, a deformer layer vertices.
enum class LayerSlot {
  kPose,       ///< base pose, clip, what is posed by hand, constraints
  kShapes,     ///< morph targets
  kBindSpace,  ///< vertices before the skin moves them
  kSkin,       ///< the skin itself: the method of each pane
  kPosedSkin,  ///< vertices after the skin moved them
  kSmoothing,  ///< what a method does with the whole posed surface
  kNormals,    ///< normals made from the posed surface
};

enum class LayerUnit { kShare, kMetres };

/// A number that a kind of layers is adjusted by: a slider and a flag.
struct LayerField {
  std::string_view id;     ///< for `--layer KIND.ID=VALUE`
  std::string_view label;  ///< of its slider
  LayerUnit unit;
  float minimum;
  float maximum;
  float standard;
  std::string_view help;
};

/// How much of a layer counts: the share between what the layers before say and what this one says.
inline constexpr LayerField kWeightField = {
    .id = "weight",
    .label = "Weight",
    .unit = LayerUnit::kShare,
    .minimum = 0,
    .maximum = 1,
    .standard = 1,
    .help = "The share between what the layers before say (0) and what this one says (1)"};

/// A kind of layers, as windows, flags and help show it. What it does is said by the tables that hold kinds.
struct LayerKind {
  std::string_view id;     ///< stable: "clip"
  std::string_view label;  ///< "Clip"
  std::string_view help;   ///< one sentence
  LayerSlot slot;
  std::span<const LayerField> fields = {};
  bool optional = true;  ///< false: nothing can be seen without it, and it has no switch
  bool starts_on = true;
};

/// A layer of a stack.
struct Layer {
  std::string kind;  ///< id of its kind
  bool on = true;
  std::vector<float> values;  ///< one per field of the kind, within its range
  /// What a session says of it that this version of the program does not know, as a JSON object; kept for writing.
  std::string kept = {};
  bool operator==(const Layer&) const = default;
};

/// A layer as it is before anybody changed it.
Layer standard_layer(const LayerKind& kind);

/// The value of a field. @pre the layer is of that kind, which has the field
float value_of(const LayerKind& kind, const Layer& layer, std::string_view field);

/// How much of the layer counts: 0 where it is off, its weight where its kind has one, else 1.
float share_of(const LayerKind& kind, const Layer& layer);

}  // namespace pelt::rig
