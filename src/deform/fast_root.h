#pragma once

#include <bit>
#include <cstdint>

namespace pelt::deform {

/// Largest relative error of fast_inverse_root(), and so how much too short a vector may be that it made "unit".
inline constexpr float kFastRootError = 0.00176f;

/// 1 / sqrt(x) as games did it before processors had an instruction for it: the bits of x halved as an integer, then
/// one Newton step. Never above the true value, below it by at most kFastRootError of it.
/// shaders/skinning/vertex_frame.glsl has the same steps. Source: the practice that [UCSD] gives; the constant is that
/// of Quake III Arena.
/// @pre  x > 0, finite and not denormal
inline float fast_inverse_root(float x) {
  const float guess = std::bit_cast<float>(0x5f3759dfu - (std::bit_cast<std::uint32_t>(x) >> 1));
  return guess * (1.5f - 0.5f * x * guess * guess);
}

/// How far a vector of this length is from unit length after being divided by it that way: 0 to -kFastRootError.
inline float fast_length_error(float length) {
  return length * fast_inverse_root(length * length) - 1.0f;
}

}  // namespace pelt::deform
