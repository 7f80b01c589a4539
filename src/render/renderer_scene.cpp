#include <algorithm>
#include <array>
#include <cmath>

#include "render/renderer_impl.h"
#include "render/shader_interface.h"

namespace pelt::render {
namespace {

// How far off a surface darkens another, of the diagonal of the bounds.
constexpr float kOpennessRadius = 0.07f;

}  // namespace

// Rectangles are given from the upper left of a picture of `size`, OpenGL counts from the lower left of `origin`.
void scissor(const PixelRect& rect, glm::ivec2 size, glm::ivec2 origin) {
  glScissor(origin.x + rect.origin.x, origin.y + size.y - rect.origin.y - rect.size.y, rect.size.x, rect.size.y);
}

void fill(const PixelRect& rect, glm::ivec2 size, glm::ivec2 origin, const glm::vec4& color) {
  glEnable(GL_SCISSOR_TEST);
  scissor(rect, size, origin);
  glClearColor(color.r, color.g, color.b, color.a);
  glClear(GL_COLOR_BUFFER_BIT);
  glDisable(GL_SCISSOR_TEST);
}

Section Renderer::Impl::section_of(const Frame& frame, const glm::mat4& clip_from_world) const {
  // Points are drawn larger than they are, and what smooths occlusion looks a few pixels around.
  constexpr float kMargin = 8.0f;
  const bool known = frame.deformed != nullptr && !crowded;
  if (!alone || !known || !limits.software || frame.view.samples < 2 || limits.samples < 2 || shows_overlay(frame) ||
      shows_through(frame) || !frame.ghosts.empty()) {
    return Section::whole(frame.size);
  }
  return section_around(frame.deformed->bounds, clip_from_world, frame.size,
                        static_cast<int>(std::ceil(kMargin * std::max(frame.pixel_scale, 1.0f))));
}

Status Renderer::Impl::draw_around(const Frame& frame, const glm::mat4& clip_from_world, const Section& section) {
  const glm::ivec2 end = section.origin + section.size;
  const glm::ivec2 size = frame.size;
  const std::array<PixelRect, 4> around = {{{{0, 0}, {size.x, section.origin.y}},
                                            {{0, end.y}, {size.x, size.y - end.y}},
                                            {{0, section.origin.y}, {section.origin.x, section.size.y}},
                                            {{end.x, section.origin.y}, {size.x - end.x, section.size.y}}}};
  glBindFramebuffer(GL_FRAMEBUFFER, targets.resolved.id());
  glViewport(0, 0, size.x, size.y);
  glEnable(GL_SCISSOR_TEST);
  Status status;
  for (const PixelRect& rect : around) {
    if (status && rect.size.x > 0 && rect.size.y > 0) {
      glScissor(rect.origin.x, rect.origin.y, rect.size.x, rect.size.y);
      status = studio.draw_backdrop(programs, frame, clip_from_world);
      if (status) {
        status = studio.draw_ground(programs, frame);
      }
      if (status) {
        status = draw_back_picture(frame);
      }
    }
  }
  glDisable(GL_SCISSOR_TEST);
  return status;
}

Status Renderer::Impl::draw_scene(const Frame& frame, const glm::mat4& clip_from_world, const PixelRect& shown) {
  Bounds bounds = frame.bounds;
  if (bounds.empty()) {
    bounds.add(glm::vec3(-0.5f));
    bounds.add(glm::vec3(0.5f));
  }
  if (Status status = studio.prepare(programs, frame.view, materials.has_sheen()); !status) {
    return status;
  }
  std::vector<rig::Light> lights;
  for (const rig::Light& light : looks.lights) {
    if (frame.view.lights && light.joint >= 0 && looks.hidden[light.joint] == 0) {
      lights.push_back(light);
    }
  }
  if (Status status = studio.place(frame, bounds, ground_height, lights); !status) {
    return status;
  }
  if (Status status = studio.draw_shadows(programs, [&] { return draw_depth(frame, true); }); !status) {
    return status;
  }
  const int samples = std::clamp(frame.view.samples, 1, std::max(limits.samples, 1));
  const Section section = section_of(frame, clip_from_world);
  if (Status status = targets.make(section, samples, limits.software); !status) {
    return status;
  }
  bind_frame(frame, clip_from_world);
  if (frame.view.occlusion) {
    if (Status status = openness.draw(programs, frame.camera, section, kOpennessRadius * bounds.diagonal(),
                                      studio.rim_direction(frame.camera), [&] { return draw_depth(frame, false); });
        !status) {
      return status;
    }
  }
  studio.bind();
  if (frame.view.occlusion) {
    openness.bind();
  } else {
    openness.bind_open();
  }
  glPointSize(std::max(2.0f, 3.0f * frame.pixel_scale));
  glViewport(-section.origin.x, -section.origin.y, frame.size.x, frame.size.y);
  glEnable(GL_SCISSOR_TEST);
  scissor(shown, frame.size, glm::ivec2(0));
  if (!section.is_whole()) {
    glEnable(GL_FRAMEBUFFER_SRGB);
    if (Status status = draw_around(frame, clip_from_world, section); !status) {
      return status;
    }
    glViewport(-section.origin.x, -section.origin.y, frame.size.x, frame.size.y);
    bind_frame(frame, clip_from_world, false, section.origin);
  }
  if (shows_through(frame)) {
    if (Status status = draw_behind(frame, clip_from_world); !status) {
      glDisable(GL_SCISSOR_TEST);
      return status;
    }
  }
  glBindFramebuffer(GL_FRAMEBUFFER, targets.drawn.id());
  glEnable(GL_FRAMEBUFFER_SRGB);
  glDepthMask(GL_TRUE);
  glClearColor(0, 0, 0, 0);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
  Status status = draw_solid(frame, clip_from_world, samples > 1);
  if (status) {
    status = draw_ghosts(frame);
  }
  if (status) {
    status = draw_surfaces(frame, SurfacePass::kTransmitting, samples > 1);
  }
  if (status) {
    status = draw_surfaces(frame, SurfacePass::kBlended, samples > 1);
  }
  if (status && (frame.view.wireframe || frame.view.look == Look::kWireframe)) {
    status = draw_wireframe(frame);
  }
  glDepthMask(GL_TRUE);
  glDisable(GL_BLEND);
  glDisable(GL_DEPTH_TEST);
  if (status) {
    status = targets.resolve(programs, empty, shows_overlay(frame));
  }
  glDisable(GL_FRAMEBUFFER_SRGB);
  glDisable(GL_SCISSOR_TEST);
  return status;
}

Status Renderer::Impl::draw_pane(const Frame& frame, const PixelRect& picture, const PixelRect& shown, glm::ivec2 size,
                                 unsigned target, glm::ivec2 origin) {
  const float aspect = static_cast<float>(frame.size.x) / static_cast<float>(frame.size.y);
  const glm::mat4 clip_from_world = frame.camera.clip_from_view(aspect) * frame.camera.view_from_world();
  if (Status status = draw_scene(frame, clip_from_world, {shown.origin - picture.origin, shown.size}); !status) {
    return status;
  }
  const Result<const Program*> present =
      programs.get(ProgramSource{"screen/triangle.vert", "screen/present.frag", {}, {}});
  if (!present) {
    return present.error();
  }
  const glm::ivec2 corner(origin.x + picture.origin.x, origin.y + size.y - picture.origin.y - picture.size.y);
  glBindFramebuffer(GL_FRAMEBUFFER, target);
  glViewport(corner.x, corner.y, frame.size.x, frame.size.y);
  glEnable(GL_SCISSOR_TEST);
  scissor(shown, size, origin);
  glUseProgram((*present)->id());
  glActiveTexture(GL_TEXTURE0 + kUnitSource);
  glBindTexture(GL_TEXTURE_2D, targets.resolved_color.id());
  glActiveTexture(GL_TEXTURE0);
  glBindVertexArray(empty.id());
  glDrawArrays(GL_TRIANGLES, 0, 3);
  const OverlayInput input{frame, clip_from_world, targets.resolved_depth.id(), corner};
  Status status = overlay.draw(input, programs);
  glDisable(GL_SCISSOR_TEST);
  glBindVertexArray(0);
  glUseProgram(0);
  return status;
}

}  // namespace pelt::render
