// The picture that stands behind the character.
#include <algorithm>
#include <cmath>

#include "render/renderer_impl.h"
#include "render/shader_interface.h"

namespace pelt::render {

bool is_drawn(const Behind& behind, bool transparent) {
  return behind.picture != nullptr && behind.picture->width > 0 && behind.picture->height > 0 && behind.shown &&
         behind.opacity > 0 && behind.scale > 0 && (!transparent || behind.without_background);
}

glm::vec4 place_of(const Behind& behind, glm::vec2 pane) {
  const glm::vec2 picture(behind.picture->width, behind.picture->height);
  const float fit = std::min(pane.x / picture.x, pane.y / picture.y);
  const glm::vec2 size = picture * (fit * behind.scale);
  const glm::vec2 corner = 0.5f * (pane - size) + behind.offset * pane.y;
  return {corner, size};
}

Status Renderer::Impl::upload_back_picture(const Frame& frame) {
  const std::shared_ptr<const BackPicture>& picture = frame.view.behind.picture;
  if (back_picture == picture && back_texture) {
    return {};
  }
  if (picture->width > limits.texture_size || picture->height > limits.texture_size) {
    return error("the picture behind is {} x {} pixels, this device holds at most {} x {}", picture->width,
                 picture->height, limits.texture_size, limits.texture_size);
  }
  back_texture = Texture::make();
  back_picture = picture;
  glActiveTexture(GL_TEXTURE0 + kUnitSource);
  glBindTexture(GL_TEXTURE_2D, back_texture.id());
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_SRGB8_ALPHA8, picture->width, picture->height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
               picture->pixels.data());
  glGenerateMipmap(GL_TEXTURE_2D);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glActiveTexture(GL_TEXTURE0);
  return check_gl("uploading the picture behind");
}

Status Renderer::Impl::draw_back_picture(const Frame& frame) {
  const Behind& placed = frame.view.behind;
  if (!is_drawn(placed, frame.view.background && frame.view.background->a <= 0)) {
    return {};
  }
  PELT_TRY(upload_back_picture(frame));
  PELT_TRY_TO(const Program* const program,
              programs.get(ProgramSource{"screen/triangle.vert", "screen/behind.frag", {}, {}}));
  const glm::vec2 pane(frame.size);
  const glm::vec4 place = place_of(placed, pane);
  glUseProgram(program->id());
  glUniform4f(uniform(*program, "u_place"), place.x / pane.x, place.y / pane.y, place.z / pane.x, place.w / pane.y);
  glUniform1f(uniform(*program, "u_opacity"), std::min(placed.opacity, 1.0f));
  glActiveTexture(GL_TEXTURE0 + kUnitSource);
  glBindTexture(GL_TEXTURE_2D, back_texture.id());
  glActiveTexture(GL_TEXTURE0);
  // At the far end of the depth range: under all surfaces, over backdrop and ground, which leave no depth.
  glEnable(GL_DEPTH_TEST);
  glDepthFunc(GL_LEQUAL);
  glDepthMask(GL_FALSE);
  glDepthRange(1.0, 1.0);
  glEnable(GL_BLEND);
  glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  glBindVertexArray(empty.id());
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glDepthRange(0.0, 1.0);
  glDepthFunc(GL_LESS);
  glDisable(GL_BLEND);
  return {};
}

}  // namespace pelt::render
