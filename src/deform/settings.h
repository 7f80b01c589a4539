#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <span>
#include <string_view>

#include "core/shared.h"
#include "mesh/weight_formats.h"
#include "rig/layers.h"

namespace pelt::deform {

enum class Backend { kGpu, kCpu };

/// How normals follow the skin, ALGORITHMS.md §13. The letter is the variant's name in --normals.
enum class NormalVariant {
  kBlend,                     ///< a
  kInverseTransposePerJoint,  ///< b
  kPerJointNormalized,        ///< c
  kInverseTransposeOfBlend,   ///< d, what the glTF specification asks for
  kLargestWeight,             ///< e
  kExact,                     ///< f, with the gradient of the weights
  kRecomputed,                ///< g, from the posed triangles
  kFastRenormalised,          ///< h, a with an approximate reciprocal square root
};

struct NormalVariantInfo {
  NormalVariant variant;
  char letter;
  std::string_view label;
  std::string_view help;
};
inline constexpr std::array<NormalVariantInfo, 8> kNormalVariants = {{
    {NormalVariant::kBlend, 'a', "Blend and renormalise", "Σ w A n: right for rigid joints"},
    {NormalVariant::kInverseTransposePerJoint, 'b', "Inverse transpose per joint",
     "Σ w A⁻ᵀ n: right for one scaled joint"},
    {NormalVariant::kPerJointNormalized, 'c', "Normalised per joint",
     "Σ w norm(A⁻ᵀ n): the best cheap one under strong scale"},
    {NormalVariant::kInverseTransposeOfBlend, 'd', "Inverse transpose of blend", "(Σ w A)⁻ᵀ n: as glTF describes it"},
    {NormalVariant::kLargestWeight, 'e', "Largest weight only", "A n of the heaviest joint"},
    {NormalVariant::kExact, 'f', "Exact, with weight gradient",
     "cof(Σ w A + Σ (M v) ∇wᵀ) n: what the bent surface really has"},
    {NormalVariant::kRecomputed, 'g', "Recomputed from triangles", "Area-weighted normals of the posed mesh"},
    {NormalVariant::kFastRenormalised, 'h', "Fast renormalisation",
     "Σ w A n by an approximate 1/√: up to 0.18 % too short, as games once had it"},
}};

constexpr char letter_of(NormalVariant variant) {
  return kNormalVariants[static_cast<std::size_t>(variant)].letter;
}

/// Variants a to e and h look at one vertex alone; f and g at the triangles round it.
inline constexpr std::array<NormalVariantInfo, 6> kVertexNormalVariants = {{kNormalVariants[0], kNormalVariants[1],
                                                                            kNormalVariants[2], kNormalVariants[3],
                                                                            kNormalVariants[4], kNormalVariants[7]}};

/// A set of normal variants.
using NormalVariants = unsigned;
constexpr NormalVariants one_of(NormalVariant variant) {
  return 1u << static_cast<unsigned>(variant);
}
inline constexpr NormalVariants kAllNormalVariants = (1u << kNormalVariants.size()) - 1;

using mesh::kWeightFormats;
using mesh::WeightFormat;
using mesh::WeightFormatInfo;

/// When a surface that has control points (mesh::ControlCage) is made of them, ALGORITHMS.md §52.
enum class Refine {
  kBeforeSkin,  ///< once, and its vertices follow the skin by weights of their own: a mesh like any other
  kAfterSkin,   ///< in each pose anew: the skin moves the control points alone
};

inline constexpr int kDefaultPaletteLimit = 64;  ///< joints per palette batch

/// What single methods can be adjusted by; each method's row says which of these it reads.
struct MethodParameters {
  float dual_quaternion_share = 0.5f;  ///< of the mix: 0 all linear, 1 all dual quaternion
  bool antipodality = true;            ///< turn dual quaternions to the heaviest one's side
  float center_sigma = 0.1f;           ///< width of the similarity of weights, §23
  int mush_iterations = 10;            ///< smoothing steps, §24
  float mush_lambda = 0.5f;            ///< share of the neighbours' mean per step
  bool mush_deltas = true;             ///< put the lost detail back
  int direct_iterations = 20;          ///< p of direct delta mush, §24
  float direct_lambda = 3.0f;          ///< smoothing of weights and of the shape round a vertex
  float direct_kappa = 1.0f;           ///< smoothing of the weights that places follow; below lambda
  float direct_alpha = 0.8f;           ///< 0 smooths most, towards 1 places follow those weights
  auto operator<=>(const MethodParameters&) const = default;
};

/// What decides the deformed shape besides the pose. Part of the document.
struct SkinningSettings {
  int method = 1;  ///< row of skinning_methods(); "lbs"
  Backend backend = Backend::kGpu;
  NormalVariant normals = NormalVariant::kInverseTransposeOfBlend;
  int palette_limit = kDefaultPaletteLimit;  ///< joints per batch, 12..256; 0 for one batch per primitive
  int influence_limit = 0;                   ///< 1..8, 0 for all
  float prune_threshold = 0;                 ///< weights below this are dropped, 0..1
  WeightFormat weight_format = WeightFormat::kFloat;
  bool partition = false;  ///< draw triangles that follow one joint alone with its matrix, §12; the GPU backend only
  /// Do not renormalise what the file says. Makes no difference where the format is fixed-point: those sum to one.
  bool weights_as_stored = false;
  Refine refine = Refine::kBeforeSkin;  ///< makes no difference to surfaces without control points
  MethodParameters parameters = {};
  /// Those of the document's layers that move vertices, in bind space or on the posed skin, in order. A pane's own
  /// settings have none; see deform/layers.h.
  SharedArray<rig::Layer> layers = {};

  bool operator==(const SkinningSettings&) const = default;
};

}  // namespace pelt::deform
