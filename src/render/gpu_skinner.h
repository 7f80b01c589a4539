#pragma once

#include <memory>
#include <span>
#include <string>

#include <glm/glm.hpp>

#include "core/result.h"
#include "deform/deform.h"
#include "deform/settings.h"
#include "rig/character.h"

namespace pelt::render {

/// The GPU's skinning without a picture, for verbs: an OpenGL context without a window and one character in its memory.
/// Lighter than a Renderer, which makes a whole studio; the shaders are the same. Create and use on one thread.
class GpuSkinner {
 public:
  static Result<std::unique_ptr<GpuSkinner>> create();
  ~GpuSkinner();
  GpuSkinner(const GpuSkinner&) = delete;
  GpuSkinner& operator=(const GpuSkinner&) = delete;

  /// True where skin() needs the CPU's result of the same pose: CPU backend, parts with more than eight influences.
  [[nodiscard]] static bool needs_cpu(const rig::Character& character, const deform::SkinningSettings& settings);

  /// The shape in world space, as the shader makes it, in source vertex order.
  /// @param world     [J] world matrices of `pose`
  /// @param deformed  the CPU's result where needs_cpu() says so, else null
  Result<deform::DeformedCharacter> skin(const rig::Character& character, const rig::Pose& pose,
                                         std::span<const glm::mat4> world, const deform::SkinningSettings& settings,
                                         const deform::DeformedCharacter* deformed);

  /// "Mesa llvmpipe, OpenGL 4.5" and so on.
  [[nodiscard]] std::string device() const;

 private:
  struct Impl;
  explicit GpuSkinner(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace pelt::render
