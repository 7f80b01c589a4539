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
  std::string name = {};
  int sampler = -1;  ///< number of the file's sampler; its extras are known by it
  int image = -1;
  int fallback = -1;  ///< image for readers that do not know the format of `image`; kept for writing
  Filter magnify = Filter::kLinear;
  Filter minify = Filter::kLinear;
  bool mipmaps = true;
  Wrap wrap_s = Wrap::kRepeat;
  Wrap wrap_t = Wrap::kRepeat;
};

/// Where a texture is read: uv' = T(offset) R(rotation) S(scale) uv. Source: KHR_texture_transform.
struct TextureTransform {
  glm::vec2 offset = glm::vec2(0.0f);
  float rotation = 0;  ///< radians, counter-clockwise in an image whose v grows downwards
  glm::vec2 scale = glm::vec2(1.0f);

  bool operator==(const TextureTransform&) const = default;
};

struct TextureRef {
  int texture = -1;    ///< -1: none
  int texcoord = 0;    ///< 0 or 1; from 2 on shown with set 0, and one that mesh::Primitive::kept has
  float strength = 1;  ///< normal scale, occlusion strength
  TextureTransform transform = {};
};

enum class AlphaMode { kOpaque, kMask, kBlend };

/// KHR_materials_specular: the dielectric reflection's strength and colour at normal incidence.
struct Specular {
  float factor = 1;
  glm::vec3 color = glm::vec3(1.0f);
  TextureRef texture;        ///< A
  TextureRef color_texture;  ///< sRGB
};

/// KHR_materials_clearcoat: a clear layer over everything, none with factor 0.
struct Clearcoat {
  float factor = 0;
  float roughness = 0;
  TextureRef texture;            ///< R
  TextureRef roughness_texture;  ///< G
  TextureRef normal_texture;     ///< without one the coat follows the surface, not the base's normal texture
};

/// KHR_materials_sheen: back-scattering of fibres, none with a black colour.
struct Sheen {
  glm::vec3 color = glm::vec3(0.0f);
  float roughness = 0;
  TextureRef color_texture;      ///< sRGB
  TextureRef roughness_texture;  ///< A
};

/// KHR_materials_transmission: the share of light that passes a thin surface, none with factor 0.
struct Transmission {
  float factor = 0;
  TextureRef texture;  ///< R
};

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
  float ior = 1.5f;  ///< KHR_materials_ior; 0: reflects everything from every side, as its text has it
  Specular specular = {};
  Clearcoat clearcoat = {};
  Sheen sheen = {};
  Transmission transmission = {};
};

}  // namespace pelt::rig
