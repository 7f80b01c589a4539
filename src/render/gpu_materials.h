#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "render/gl_objects.h"
#include "render/shader_library.h"
#include "rig/character.h"

namespace pelt::render {

/// Textures that a material can have.
inline constexpr std::size_t kMaterialSlots = 13;

/// The image in half its size, down to one pixel: what a minifying filter reads. Averages light rather than codes where
/// codes are sRGB; alpha is linear always. The last row or column of an odd number is left out.
std::vector<rig::Image> halvings(const rig::Image& image, bool srgb);

/// A character's materials and textures in GPU memory.
class GpuMaterials {
 public:
  /// Uploads what the character has, unless it is what was uploaded last: materials, textures and images are compared
  /// by pointer. Textures are encoded as their use asks (colours sRGB, data linear).
  void upload(const rig::Character& character, const DeviceLimits& limits);
  /// Takes over what a clip makes of the character's materials; textures uploaded before are kept.
  /// @param materials  as many as the character has
  void update(const rig::Character& character, std::span<const rig::Material> materials, const DeviceLimits& limits);

  /// Binds the Material block and the textures. @param material  index, -1 for the default material
  void bind(int material) const;

  /// What surface/surface.frag must be compiled with: which extensions and which of their textures there are.
  [[nodiscard]] const std::vector<Define>& defines(int material) const { return row(material).defines; }
  /// True where what stands behind shows through.
  [[nodiscard]] bool transmits(int material) const { return row(material).transmits; }
  /// Textures uploaded so far.
  [[nodiscard]] std::int64_t uploaded_textures() const { return uploaded_textures_; }
  /// True where any material has sheen.
  [[nodiscard]] bool has_sheen() const { return has_sheen_; }
  /// What this device cannot show, a sentence each.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct Row {
    std::array<int, kMaterialSlots> textures;  ///< into textures_, by slot of surface/material.glsl; -1: none
    std::vector<Define> defines = {};
    bool transmits = false;
  };
  [[nodiscard]] const Row& row(int material) const;

  Buffer block_;
  std::size_t stride_ = 256;
  std::vector<Row> rows_;  ///< the default material last
  std::vector<Texture> textures_;
  std::map<std::pair<int, bool>, int> made_;  ///< into textures_, by the character's texture and whether it is sRGB
  std::vector<std::string> notes_;
  bool has_sheen_ = false;
  std::int64_t uploaded_textures_ = 0;
  // What was uploaded.
  bool valid_ = false;
  SharedArray<rig::Material> of_materials_;
  SharedArray<rig::Texture> of_textures_;
  SharedList<rig::Image> of_images_;
};

}  // namespace pelt::render
