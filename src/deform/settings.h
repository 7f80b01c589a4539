#pragma once

#include <array>
#include <string_view>

namespace pelt::deform {

enum class Backend { kGpu, kCpu };

/// How normals follow the skin, algorithms.md §13. The letter is the variant's name in --normals.
enum class NormalVariant {
  kBlend,                     ///< a
  kInverseTransposePerJoint,  ///< b
  kPerJointNormalized,        ///< c
  kInverseTransposeOfBlend,   ///< d, what the glTF specification asks for
  kLargestWeight,             ///< e
};

struct NormalVariantInfo {
  NormalVariant variant;
  char letter;
  std::string_view label;
  std::string_view help;
};
inline constexpr std::array<NormalVariantInfo, 5> kNormalVariants = {{
    {NormalVariant::kBlend, 'a', "Blend and renormalise", "Σ w A n: right for rigid joints"},
    {NormalVariant::kInverseTransposePerJoint, 'b', "Inverse transpose per joint",
     "Σ w A⁻ᵀ n: right for one scaled joint"},
    {NormalVariant::kPerJointNormalized, 'c', "Normalised per joint",
     "Σ w norm(A⁻ᵀ n): the best cheap one under strong scale"},
    {NormalVariant::kInverseTransposeOfBlend, 'd', "Inverse transpose of the blend",
     "(Σ w A)⁻ᵀ n: as glTF describes it"},
    {NormalVariant::kLargestWeight, 'e', "Largest weight only", "A n of the heaviest joint"},
}};

inline constexpr int kDefaultPaletteLimit = 64;  ///< joints per palette batch

/// What decides the deformed shape besides the pose. Part of the document.
struct SkinningSettings {
  int method = 1;  ///< row of skinning_methods(); "lbs"
  Backend backend = Backend::kGpu;
  NormalVariant normals = NormalVariant::kInverseTransposeOfBlend;
  int palette_limit = kDefaultPaletteLimit;  ///< joints per batch, 12..256; 0 for one batch per primitive
  int influence_limit = 0;                   ///< 1..8, 0 for all
  bool weights_as_stored = false;            ///< do not renormalise what the file says

  bool operator==(const SkinningSettings&) const = default;
};

}  // namespace pelt::deform
