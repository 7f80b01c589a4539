#pragma once

#include <cstdint>
#include <vector>

#include "render/gl_objects.h"
#include "rig/character.h"

namespace pelt::render {

/// A character's materials and textures in GPU memory.
class GpuMaterials {
 public:
  /// Uploads what the character has; textures are encoded as their use asks (colours sRGB, data linear).
  void upload(const rig::Character& character, const DeviceLimits& limits);

  /// Binds the Material block and the five textures. @param material  index, -1 for the default material
  void bind(int material) const;

 private:
  struct Row {
    int textures[5] = {-1, -1, -1, -1, -1};  ///< into textures_, by slot of surface/material.glsl
  };
  Buffer block_;
  std::size_t stride_ = 256;
  std::vector<Row> rows_;  ///< the default material last
  std::vector<Texture> textures_;
};

}  // namespace pelt::render
