#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <glm/glm.hpp>

#include "core/result.h"
#include "deform/settings.h"
#include "render/camera.h"
#include "render/gl_objects.h"
#include "render/panes.h"
#include "render/surface_parts.h"
#include "rig/hiding.h"

namespace pelt::render {

/// A small part of a picture in which each pixel says which triangle is seen there, kept until something moves.
class IdTile {
 public:
  /// What one pixel shows: a part plus one, 0 where there is nothing; a triangle of it as it stands in the buffers.
  using Ids = glm::uvec2;

  /// What the tile was drawn from besides where it lies.
  struct Key {
    SurfaceParts of;
    std::uint64_t pose = 0;
    std::uint64_t plan = 0;
    deform::SkinningSettings skinning;
    Camera camera;
    glm::ivec2 size = glm::ivec2(0);
    rig::HiddenSurface hidden;
    bool operator==(const Key&) const = default;
  };

  /// True where the pixels of `rect` are known and still right.
  [[nodiscard]] bool covers(const Key& key, const PixelRect& rect) const;
  /// Binds a target for `rect` and clears it.
  Status begin(const PixelRect& rect);
  /// Reads back what was drawn.
  Status end(Key key);
  /// @param pixel  of the picture, from its upper left; within the tile
  [[nodiscard]] const Ids& at(glm::ivec2 pixel) const;
  /// The pixel nearest to `center` within a disc that shows something; of equally near ones the first in reading order.
  [[nodiscard]] std::optional<glm::ivec2> nearest(glm::ivec2 center, int radius) const;
  [[nodiscard]] const PixelRect& rect() const { return rect_; }
  /// Times that something was drawn.
  [[nodiscard]] std::int64_t drawn() const { return drawn_; }

 private:
  std::optional<Key> key_;
  PixelRect rect_;
  std::vector<Ids> ids_;  // rows from below
  Texture texture_;
  Renderbuffer depth_;
  Framebuffer target_;
  glm::ivec2 capacity_ = glm::ivec2(0);
  std::int64_t drawn_ = 0;
};

}  // namespace pelt::render
