#include "render/openness.h"

#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "render/shader_interface.h"

namespace pelt::render {
namespace {

// How far from an edge the light behind is seen, of the radius of occlusion.
constexpr float kRimReach = 0.14f;

Texture make_texture(GLint internal, glm::ivec2 size, GLenum format, GLenum type, GLint filter) {
  Texture texture = Texture::make();
  glBindTexture(GL_TEXTURE_2D, texture.id());
  glTexImage2D(GL_TEXTURE_2D, 0, internal, size.x, size.y, 0, format, type, nullptr);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  return texture;
}

Result<Framebuffer> make_target(GLenum attachment, const Texture& texture) {
  Framebuffer framebuffer = Framebuffer::make();
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer.id());
  glFramebufferTexture2D(GL_FRAMEBUFFER, attachment, GL_TEXTURE_2D, texture.id(), 0);
  if (attachment == GL_DEPTH_ATTACHMENT) {
    glDrawBuffer(GL_NONE);
    glReadBuffer(GL_NONE);
  }
  PELT_TRY(check_framebuffer("ambient occlusion"));
  return framebuffer;
}

void bind_texture(int unit, GLuint texture) {
  glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(unit));
  glBindTexture(GL_TEXTURE_2D, texture);
}

}  // namespace

Status Openness::make(glm::ivec2 size) {
  if (size_ == size) {
    return {};
  }
  size_ = glm::ivec2(0);
  glActiveTexture(GL_TEXTURE0);
  empty_ = VertexArray::make();
  depth_ = make_texture(GL_DEPTH_COMPONENT24, size, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, GL_NEAREST);
  rough_ = make_texture(GL_RG8, size, GL_RG, GL_UNSIGNED_BYTE, GL_NEAREST);
  smooth_ = make_texture(GL_RG8, size, GL_RG, GL_UNSIGNED_BYTE, GL_LINEAR);
  for (auto [target, attachment, texture] : {std::tuple(&depth_target_, GL_DEPTH_ATTACHMENT, &depth_),
                                             std::tuple(&rough_target_, GL_COLOR_ATTACHMENT0, &rough_),
                                             std::tuple(&smooth_target_, GL_COLOR_ATTACHMENT0, &smooth_)}) {
    PELT_TRY_TO(Framebuffer made, make_target(static_cast<GLenum>(attachment), *texture));
    *target = std::move(made);
  }
  size_ = size;
  return {};
}

Status Openness::draw(ProgramCache& programs, const Camera& camera, const Section& section, float radius,
                      const glm::vec3& rim_direction, const std::function<Status()>& draw_surfaces) {
  const glm::ivec2 size = section.picture;
  if (Status status = make(section.size); !status) {
    return status;
  }
  glBindFramebuffer(GL_FRAMEBUFFER, depth_target_.id());
  glViewport(-section.origin.x, -section.origin.y, size.x, size.y);
  glEnable(GL_DEPTH_TEST);
  glDepthMask(GL_TRUE);
  glDepthFunc(GL_LESS);
  glDisable(GL_CULL_FACE);
  glDisable(GL_BLEND);
  glClear(GL_DEPTH_BUFFER_BIT);
  if (Status status = draw_surfaces(); !status) {
    return status;
  }
  glDisable(GL_DEPTH_TEST);

  const float aspect = static_cast<float>(size.x) / static_cast<float>(size.y);
  const glm::mat4 view_from_clip = glm::mat4(glm::inverse(glm::dmat4(camera.clip_from_view(aspect))));
  float pixels_per_metre = 0.5f * static_cast<float>(size.y) / std::tan(0.5f * camera.yfov);
  if (camera.orthographic) {
    pixels_per_metre /= camera.distance;
  }
  const glm::vec2 rim(glm::mat3(camera.view_from_world()) * rim_direction);
  const float rim_length = glm::length(rim);
  const glm::vec2 rim_on_screen = rim_length > 0.0f ? rim / rim_length : glm::vec2(0, 1);
  for (const bool gather : {true, false}) {
    std::vector<Define> defines;
    if (gather) {
      defines.emplace_back("OPENNESS_GATHER", "1");
    }
    const Result<const Program*> program =
        programs.get(ProgramSource{"screen/triangle.vert", "studio/openness.frag", defines, {}});
    if (!program) {
      return program.error();
    }
    glBindFramebuffer(GL_FRAMEBUFFER, gather ? rough_target_.id() : smooth_target_.id());
    glUseProgram((*program)->id());
    bind_texture(kUnitSource, depth_.id());
    bind_texture(kUnitOpenness, gather ? 0 : rough_.id());
    glUniformMatrix4fv(uniform(**program, "u_view_from_clip"), 1, GL_FALSE, &view_from_clip[0][0]);
    glUniform4f(uniform(**program, "u_gather"), radius, pixels_per_metre, camera.orthographic ? 0.0f : 1.0f, 0.0f);
    glUniform4f(uniform(**program, "u_section"), static_cast<float>(section.origin.x),
                static_cast<float>(section.origin.y), static_cast<float>(size.x), static_cast<float>(size.y));
    glUniform4f(uniform(**program, "u_rim"), rim_on_screen.x, rim_on_screen.y, kRimReach * radius, 0.0f);
    glBindVertexArray(empty_.id());
    glDrawArrays(GL_TRIANGLES, 0, 3);
  }
  return {};
}

void Openness::bind_open() {
  if (!open_) {
    glActiveTexture(GL_TEXTURE0 + kUnitOpenness);
    open_ = make_texture(GL_RG8, glm::ivec2(1), GL_RG, GL_UNSIGNED_BYTE, GL_NEAREST);
    constexpr unsigned char kOpen[4] = {255, 0, 0, 0};
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RG, GL_UNSIGNED_BYTE, kOpen);
  }
  bind_texture(kUnitOpenness, open_.id());
  glActiveTexture(GL_TEXTURE0);
}

void Openness::bind() const {
  bind_texture(kUnitOpenness, smooth_.id());
  glActiveTexture(GL_TEXTURE0);
}

}  // namespace pelt::render
