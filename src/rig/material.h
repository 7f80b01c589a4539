#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <glm/glm.hpp>

namespace pelt::rig {

/// Decoded 8-bit RGBA pixels, rows top to bottom. Empty where decoding failed (a diagnostic says why).
struct Image {
  std::string name;
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;   ///< [height][width][4]
  std::string mime_type;              ///< of the encoded form
  std::vector<std::uint8_t> encoded;  ///< as in the file; kept so that nothing is lost on writing
};

enum class Filter { kNearest, kLinear };
enum class Wrap { kRepeat, kClamp, kMirror };

struct Texture {
  int image = -1;
  Filter magnify = Filter::kLinear;
  Filter minify = Filter::kLinear;
  bool mipmaps = true;
  Wrap wrap_s = Wrap::kRepeat;
  Wrap wrap_t = Wrap::kRepeat;
};

struct TextureRef {
  int texture = -1;    ///< -1: none
  int texcoord = 0;    ///< 0 or 1
  float strength = 1;  ///< normal scale, occlusion strength
};

enum class AlphaMode { kOpaque, kMask, kBlend };

/// glTF's metallic-roughness material. Colour factors are linear.
struct Material {
  std::string name;
  glm::vec4 base_color = glm::vec4(1.0f);
  float metallic = 1;
  float roughness = 1;
  glm::vec3 emissive = glm::vec3(0.0f);
  TextureRef base_color_texture;          ///< sRGB
  TextureRef metallic_roughness_texture;  ///< G roughness, B metallic
  TextureRef normal_texture;
  TextureRef occlusion_texture;  ///< R
  TextureRef emissive_texture;   ///< sRGB
  AlphaMode alpha_mode = AlphaMode::kOpaque;
  float alpha_cutoff = 0.5f;
  bool double_sided = false;
  bool unlit = false;
};

}  // namespace pelt::rig
