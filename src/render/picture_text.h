#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <glm/glm.hpp>

#include "deform/vertex_steps.h"
#include "measure/posed_cracks.h"
#include "render/renderer.h"

namespace pelt::render {

/// A word beside a point of the picture.
struct PictureText {
  glm::vec2 pixel;  ///< of the point, from the upper left of the picture
  std::string text;
  glm::vec3 color;        ///< sRGB
  bool optional = false;  ///< left out where other words stand already
};

/// Pixels from the upper left of the picture, and in z the depth along the view direction from the eye, metres; nothing
/// where the point is outside.
std::optional<glm::vec3> on_screen(const Frame& frame, const glm::vec3& point);

/// How the pinned vertex gets to its place; nothing where none is pinned, or the frame has no deformed shape.
std::optional<deform::VertexSteps> pinned_steps(const Frame& frame);

/// What stands beside a ghost point: the joint's name and the weight that counts, "forearm  0.2".
std::string ghost_text(const rig::Character& character, const deform::JointStep& step);

/// Of the pinned vertex and its ghost points, heaviest first, as far as they lie inside the picture; none where ghost
/// points are not shown.
std::vector<PictureText> vertex_texts(const Frame& frame);

/// The widest of the cracks that T-junctions show in the pose, with their sizes in millimetres, widest first.
std::vector<PictureText> crack_texts(const Frame& frame, std::span<const measure::PosedCrack> cracks);
/// Indices of those that are told: at most twenty that have opened, widest first.
std::vector<std::size_t> told_cracks(std::span<const measure::PosedCrack> cracks);
/// "1.25 mm".
std::string crack_text(const measure::PosedCrack& crack);

/// The names of the joints that the skeleton overlay draws, nearest first.
std::vector<PictureText> joint_texts(const Frame& frame);

}  // namespace pelt::render
