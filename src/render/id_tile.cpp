#include "render/id_tile.h"

#include <algorithm>
#include <array>
#include <utility>

namespace pelt::render {

bool IdTile::covers(const Key& key, const PixelRect& rect) const {
  return key_ && rect.origin.x >= rect_.origin.x && rect.origin.y >= rect_.origin.y &&
         rect.origin.x + rect.size.x <= rect_.origin.x + rect_.size.x &&
         rect.origin.y + rect.size.y <= rect_.origin.y + rect_.size.y && *key_ == key;
}

Status IdTile::begin(const PixelRect& rect) {
  key_.reset();
  if (rect.size.x > capacity_.x || rect.size.y > capacity_.y) {
    capacity_ = glm::max(capacity_, rect.size);
    texture_ = Texture::make();
    glBindTexture(GL_TEXTURE_2D, texture_.id());
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RG32UI, capacity_.x, capacity_.y, 0, GL_RG_INTEGER, GL_UNSIGNED_INT, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glBindTexture(GL_TEXTURE_2D, 0);
    depth_ = Renderbuffer::make();
    glBindRenderbuffer(GL_RENDERBUFFER, depth_.id());
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, capacity_.x, capacity_.y);
    glBindRenderbuffer(GL_RENDERBUFFER, 0);
    target_ = Framebuffer::make();
    glBindFramebuffer(GL_FRAMEBUFFER, target_.id());
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture_.id(), 0);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth_.id());
    if (Status status = check_framebuffer("what is under the cursor"); !status) {
      capacity_ = glm::ivec2(0);
      return status;
    }
  }
  rect_ = rect;
  glBindFramebuffer(GL_FRAMEBUFFER, target_.id());
  constexpr std::array<GLuint, 4> kNothing = {};
  constexpr float kFar = 1.0f;
  glDepthMask(GL_TRUE);
  glClearBufferuiv(GL_COLOR, 0, kNothing.data());
  glClearBufferfv(GL_DEPTH, 0, &kFar);
  return {};
}

Status IdTile::end(Key key) {
  ids_.resize(static_cast<std::size_t>(rect_.size.x) * static_cast<std::size_t>(rect_.size.y));
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  glReadPixels(0, 0, rect_.size.x, rect_.size.y, GL_RG_INTEGER, GL_UNSIGNED_INT, ids_.data());
  ++drawn_;
  if (Status status = check_gl("reading what is under the cursor"); !status) {
    return status;
  }
  key_ = std::move(key);
  return {};
}

const IdTile::Ids& IdTile::at(glm::ivec2 pixel) const {
  const glm::ivec2 in = pixel - rect_.origin;
  const int row = rect_.size.y - 1 - in.y;
  return ids_[static_cast<std::size_t>(row) * static_cast<std::size_t>(rect_.size.x) + static_cast<std::size_t>(in.x)];
}

std::optional<glm::ivec2> IdTile::nearest(glm::ivec2 center, int radius) const {
  const glm::ivec2 first = glm::max(center - radius, rect_.origin);
  const glm::ivec2 end = glm::min(center + radius + 1, rect_.origin + rect_.size);
  std::optional<glm::ivec2> best;
  int best_square = radius * radius + 1;
  for (int y = first.y; y < end.y; ++y) {
    for (int x = first.x; x < end.x; ++x) {
      const glm::ivec2 away = glm::ivec2(x, y) - center;
      const int square = away.x * away.x + away.y * away.y;
      if (square < best_square && at({x, y}).x != 0) {
        best = glm::ivec2(x, y);
        best_square = square;
      }
    }
  }
  return best;
}

}  // namespace pelt::render
