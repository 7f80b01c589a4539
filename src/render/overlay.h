#pragma once

#include <cstdint>
#include <vector>

#include <glm/glm.hpp>

#include "core/result.h"
#include "render/gl_objects.h"
#include "render/program_cache.h"
#include "render/renderer.h"
#include "render/surface_parts.h"

namespace pelt::render {

struct OverlayInput {
  const Frame& frame;
  glm::mat4 clip_from_world;
  GLuint scene_depth = 0;  ///< GL_TEXTURE_2D of Frame::size: depth of the scene, one sample, drawn with clip_from_world
  glm::ivec2 origin = glm::ivec2(0);  ///< lower left of the picture in the framebuffer, pixels
};

/// Lines and markers over a finished picture: bones, joint axes, normals, centres of rotation, a surface's cage and
/// marks, and what moves the pinned vertex. What lies behind the surface shows through, fainter; centres, which all do,
/// and marks as if there were none.
///
/// Bones, axes and markers are turned into triangles in clip space on the CPU, sorted back to front and drawn at once;
/// normals, centres and cages are expanded in the shaders.
class Overlay {
 public:
  /// Compiles the shaders; the error carries the driver's log.
  static Result<Overlay> create(ProgramCache& programs);

  /// Blends over the bound framebuffer, which holds sRGB-encoded colours, within the viewport `origin` + Frame::size.
  /// Where the picture is transparent the result is premultiplied by its alpha. Leaves blending, depth test and culling
  /// disabled, and no program or vertex array bound.
  /// @pre Frame::deformed is set where normal lines or a pinned vertex are asked for
  Status draw(const OverlayInput& input, ProgramCache& programs);

 private:
  Overlay();
  Buffer shape_vertices_;
  std::size_t shape_capacity_ = 0;  ///< vertices
  VertexArray shapes_;
  Buffer line_positions_;
  Buffer line_normals_;
  VertexArray lines_;
  VertexArray dots_;
  std::vector<glm::mat4> matrices_;
  std::vector<glm::vec4> centers_;  // of one part
  std::vector<glm::vec3> starts_;
  std::vector<glm::vec3> directions_;
  std::vector<char> deforming_;  ///< [J] of the character drawn last
  SurfaceParts deforming_of_;    ///< its parts

  const std::vector<char>& deforming(const Frame& frame);

  void draw_normals(const OverlayInput& input, const Program& program);
  void draw_centers(const OverlayInput& input, const Program& lines, const Program& dots);
  void draw_dots(const OverlayInput& input, const Program& program, int count, float pixels, const glm::vec4& color);
  void draw_cage(const OverlayInput& input, const Program& program);
};

/// Whether Overlay::draw() draws anything.
bool shows_overlay(const Frame& frame);

/// Whether the picture shows what vertices turn about: asked for, and the method has such centres.
bool shows_centers(const Frame& frame);

/// Where a joint's name belongs in the picture.
struct ScreenLabel {
  int joint;
  glm::vec2 pixel;  ///< of the pivot, from the upper left of the picture
  float depth;      ///< along the view direction from the eye, metres
};
/// One per joint that the skeleton overlay draws and that lies inside the picture, nearest first.
std::vector<ScreenLabel> joint_labels(const Frame& frame);

}  // namespace pelt::render
