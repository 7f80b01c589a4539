#pragma once

#include <span>

#include "deform/layers.h"

namespace pelt::deform {

inline constexpr std::array kPushFields = {rig::LayerField{.id = "distance",
                                                           .label = "Distance",
                                                           .unit = rig::LayerUnit::kMetres,
                                                           .minimum = -0.1f,
                                                           .maximum = 0.1f,
                                                           .standard = 0.005f,
                                                           .help = "How far, in metres; inwards where negative"},
                                           rig::kWeightField};

/// Pushes vertices along their normals: p' = p + distance * weight * n / |n|. Two surfaces that lie in each other come
/// apart and show. Vertices without a normal stay, and normals stay what they are: of a surface pushed by less than its
/// radius of curvature they are the same ones.
/// @param values  of kPushFields
void push(std::span<const float> values, const MovedVertices& vertices);
/// |distance * weight|.
float push_reach(std::span<const float> values);

}  // namespace pelt::deform
