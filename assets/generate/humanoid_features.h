#pragma once

#include <algorithm>
#include <cmath>

#include <glm/glm.hpp>

/// Where the mannequin's features lie, metres, on its left half: what shapes, materials, mesh and morph targets share.
namespace pelt::assets::features {

// Face. Eyes and brows are ovals and strokes seen from the front, z is free.
inline constexpr glm::dvec2 kEye{0.0430, 1.6480};
inline constexpr glm::dvec2 kEyeRadii{0.0150, 0.0215};
inline constexpr glm::dvec2 kGlint{0.0395, 1.6565};  ///< the white spot in the eye
inline constexpr double kGlintRadius = 0.0045;
inline constexpr double kMouthHalfWidth = 0.0240;
inline constexpr double kMouthHeight = 1.5830;
inline constexpr double kMouthRise = 0.0050;  ///< of its corners
inline constexpr double kMouthHalfThickness = 0.0029;

/// Height of the line of the mouth at a distance from the middle.
inline double mouth_height(double x) {
  return kMouthHeight + kMouthRise * (x / kMouthHalfWidth) * (x / kMouthHalfWidth);
}

// The brow: a shallow arc.
inline constexpr double kBrowInner = 0.0270;
inline constexpr double kBrowOuter = 0.0610;
inline constexpr double kBrowHalfThickness = 0.0036;
inline double brow_height(double x) {
  const double t = (x - 0.0440) / 0.0200;
  return 1.6895 - 0.0040 * t * t;
}

// The rim of the hair: a plane that rises to the front. The sweatband sits on it.
inline constexpr glm::dvec3 kHairPoint{0, 1.6660, 0};
inline const glm::dvec3 kHairUp = glm::normalize(glm::dvec3(0, 1, -0.60));
inline constexpr double kBand = 0.0260;

// The neck of the shirt: where a ball about the throat meets the body.
inline constexpr glm::dvec3 kCollarPoint{0, 1.5150, -0.0260};
inline constexpr double kCollarRadius = 0.0900;
inline constexpr double kCollarWidth = 0.0070;  ///< half of it

// From the lowest edge of a rim of cloth to where it is widest.
inline constexpr double kRim = 0.0050;

// Cloth: along the upper arm and the forearm, and heights.
inline constexpr double kSleeve = 0.1500;
inline constexpr double kSleeveTrim = 0.0150;
inline constexpr double kWristband = 0.1920;
inline constexpr double kWristbandWidth = 0.0330;
inline constexpr double kShirtHem = 0.9250;
inline constexpr double kShortsHem = 0.6550;
inline constexpr double kShortsTrim = 0.0170;

// Shoes.
inline constexpr double kSole = 0.0310;
/// Height of the sole's lower edge, metres along the foot from below the ankle: the heel rises.
inline double sole_edge(double t) {
  return 0.0055 + 0.42 * std::max(-0.048 - t, 0.0);
}
inline constexpr double kShoeTop = 0.1080;
inline constexpr double kSock = 0.1500;

}  // namespace pelt::assets::features
