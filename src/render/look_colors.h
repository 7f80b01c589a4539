#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include <glm/glm.hpp>

#include "deform/deform.h"
#include "deform/settings.h"
#include "render/difference_map.h"
#include "render/renderer.h"
#include "render/view_settings.h"
#include "rig/character.h"

namespace pelt::render {

/// What vertices without influences show in every heat map.
inline constexpr glm::vec3 kLookNoInfluence = {0.20f, 0.20f, 0.20f};  ///< linear RGB
/// Triangles that follow several joints, where those that follow one are drawn apart in its colour.
inline constexpr glm::vec3 kLookSkinnedRest = {0.36f, 0.36f, 0.36f};  ///< linear RGB
/// A weight of exactly zero: apart from the ramp, so that the area of influence has an edge.
inline constexpr glm::vec3 kLookZero = {0.045f, 0.058f, 0.085f};  ///< linear RGB
/// The same in the look kMask, which look.frag lights; where nothing is lit, as in a legend.
inline constexpr glm::vec3 kLookMaskZero = {0.034f, 0.041f, 0.056f};  ///< linear RGB
/// Error of a weight sum at which the diverging ramp ends.
inline constexpr float kLookSumRange = 0.05f;
/// Influence counts told apart: 0 to 7, and 8 or more.
inline constexpr int kLookCounts = 9;

/// The colours of a heat map, one per source vertex of a part: linear RGB; alpha is the
/// weight in the look of one joint's, of which isolines are drawn, else 1. Empty for looks that need none
/// (shaded, clay, normals, and batches, whose colours go by batch_color()).
/// @param map, scale  of the look kDifference; nullptr counts as no difference
/// @pre 0 <= part < character.parts.size()  @cost O(influences of the part)
std::vector<glm::vec4> look_colors(const rig::Character& character, int part, const ViewSettings& view,
                                   const deform::SkinningSettings& settings, const DifferenceMap* map = nullptr,
                                   const DifferenceScale& scale = {});

// The scales behind look_colors(), for legends and tests. All return linear RGB.

/// The colours between which sequential_ramp() mixes, evenly spread over 0..1; linear RGB.
std::span<const glm::vec3> sequential_stops();
inline constexpr int kSequentialStops = 16;
/// Sequential ramp over 0..1, clamped: lightness grows evenly from violet through red to yellow.
glm::vec3 sequential_ramp(float value);
/// The stops of the look kMask: grey whose sRGB code is the weight, so that half a weight is half way to the eye.
std::span<const glm::vec3> mask_stops();
/// Mixed from them as sequential_ramp() is from its own.
glm::vec3 mask_ramp(float value);
/// Diverging ramp over -1..1, clamped: blue, light grey at 0, red. The distance from 0 is widened by a square root so
/// that errors of quantisation can be seen.
glm::vec3 diverging_ramp(float value);
/// Colour of an influence count; told apart by lightness from its neighbours, for colour-blind readers.
glm::vec3 count_color(int count);

// Colours of things that are only told apart, sRGB. Neighbouring numbers differ by the golden angle in hue.

glm::vec3 joint_color(int joint);
glm::vec3 batch_color(int batch);

/// What the look kBatches shows of one draw.
struct BatchLook {
  int part;
  glm::vec3 color;    ///< sRGB
  std::string label;  ///< equal for draws of equal colour
  int joint = -1;     ///< the only node that it follows
};
/// The draws of all parts in their order, those of a part in the order of its batches. A rigid batch has the colour of
/// its joint; in a part that has such, the others are grey. A part that is not skinned has the colour of its node, one
/// that is skinned elsewhere than in the shader a number of its own behind those of the batches.
/// @param batches  of Renderer::stats()
std::vector<BatchLook> batch_looks(const rig::Character& character, std::span<const BatchInfo> batches);

glm::vec3 srgb_from_linear(glm::vec3 linear);
glm::vec3 linear_from_srgb(glm::vec3 srgb);

}  // namespace pelt::render
