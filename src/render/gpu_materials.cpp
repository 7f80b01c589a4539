#include "render/gpu_materials.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <glm/glm.hpp>

#include "core/index.h"
#include "core/parallel.h"
#include "render/shader_interface.h"

namespace pelt::render {
namespace {

// std140 image of the block in shaders/surface/material.glsl.
struct MaterialBlock {
  glm::vec4 base_color;
  glm::vec4 emissive;
  glm::vec4 factors;
  glm::ivec4 textures;
  glm::vec4 dielectric;
  glm::vec4 clearcoat;
  glm::vec4 sheen;
  glm::vec4 transmission;
  std::array<glm::vec4, 2 * kMaterialSlots> texture_rows;
};

// A texture of a material, in the order of the slots.
struct MaterialSlot {
  const rig::TextureRef* reference;
  bool srgb;
  const char* define;  ///< of those that programs are made for; null: always there
};

std::array<MaterialSlot, kMaterialSlots> slots_of(const rig::Material& m) {
  return {{
      {&m.base_color_texture, true, nullptr},
      {&m.metallic_roughness_texture, false, nullptr},
      {&m.normal_texture, false, nullptr},
      {&m.occlusion_texture, false, nullptr},
      {&m.emissive_texture, true, nullptr},
      {&m.specular.texture, false, "SPECULAR_TEXTURE"},
      {&m.specular.color_texture, true, "SPECULAR_COLOR_TEXTURE"},
      {&m.clearcoat.texture, false, "CLEARCOAT_TEXTURE"},
      {&m.clearcoat.roughness_texture, false, "CLEARCOAT_ROUGHNESS_TEXTURE"},
      {&m.clearcoat.normal_texture, false, "CLEARCOAT_NORMAL_TEXTURE"},
      {&m.sheen.color_texture, true, "SHEEN_COLOR_TEXTURE"},
      {&m.sheen.roughness_texture, false, "SHEEN_ROUGHNESS_TEXTURE"},
      {&m.transmission.texture, false, "TRANSMISSION_TEXTURE"},
  }};
}

constexpr std::array<int, kMaterialSlots> kMaterialUnits = {
    kUnitBaseColor,  kUnitMetallicRoughness, kUnitNormal,      kUnitOcclusion,          kUnitEmissive,
    kUnitSpecular,   kUnitSpecularColor,     kUnitClearcoat,   kUnitClearcoatRoughness, kUnitClearcoatNormal,
    kUnitSheenColor, kUnitSheenRoughness,    kUnitTransmission};

// Samplers of surface/surface.frag that have nothing to do with extensions: five of the material, six of the light.
constexpr int kPlainSamplers = 11;

// KHR_texture_transform: T R S, with v growing downwards.
std::array<glm::vec4, 2> rows_of(const rig::TextureTransform& t) {
  const float c = std::cos(t.rotation);
  const float s = std::sin(t.rotation);
  return {glm::vec4(c * t.scale.x, s * t.scale.y, t.offset.x, 0.0f),
          glm::vec4(-s * t.scale.x, c * t.scale.y, t.offset.y, 0.0f)};
}

// Reflection at normal incidence of a surface in air.
float reflection_of(float ior) {
  // KHR_materials_ior: 0 stands for an infinite one.
  const float ratio = ior > 0.0f ? (ior - 1.0f) / (ior + 1.0f) : 1.0f;
  return ratio * ratio;
}

// What a part without a material is made of: a light satin grey that shows form.
rig::Material default_material() {
  rig::Material material;
  material.base_color = glm::vec4(0.6f, 0.6f, 0.61f, 1.0f);
  material.metallic = 0;
  material.roughness = 0.55f;
  return material;
}

GLint wrap_of(rig::Wrap wrap) {
  return wrap == rig::Wrap::kRepeat ? GL_REPEAT : wrap == rig::Wrap::kClamp ? GL_CLAMP_TO_EDGE : GL_MIRRORED_REPEAT;
}

// Halves an image until it fits the device, by plain averaging.
rig::Image fitted(const rig::Image& image, int limit) {
  rig::Image small = image;
  while (small.width > limit || small.height > limit) {
    rig::Image half;
    half.width = std::max(small.width / 2, 1);
    half.height = std::max(small.height / 2, 1);
    half.pixels.resize(static_cast<std::size_t>(half.width) * static_cast<std::size_t>(half.height) * 4);
    for (int y = 0; y < half.height; ++y) {
      for (int x = 0; x < half.width; ++x) {
        for (std::size_t c = 0; c < 4; ++c) {
          int sum = 0;
          for (int dy = 0; dy < 2; ++dy) {
            for (int dx = 0; dx < 2; ++dx) {
              const int sx = std::min(2 * x + dx, small.width - 1);
              const int sy = std::min(2 * y + dy, small.height - 1);
              sum += small.pixels[(static_cast<std::size_t>(sy) * static_cast<std::size_t>(small.width) +
                                   static_cast<std::size_t>(sx)) *
                                      4 +
                                  c];
            }
          }
          half.pixels[(static_cast<std::size_t>(y) * static_cast<std::size_t>(half.width) +
                       static_cast<std::size_t>(x)) *
                          4 +
                      c] = static_cast<std::uint8_t>(sum / 4);
        }
      }
    }
    small = std::move(half);
  }
  return small;
}

Texture make_texture(const rig::Texture& description, const rig::Image& source, bool srgb, const DeviceLimits& limits) {
  rig::Image reduced;
  const rig::Image* image = &source;
  if (source.width > limits.texture_size || source.height > limits.texture_size) {
    reduced = fitted(source, limits.texture_size);
    image = &reduced;
  }
  Texture texture = Texture::make();
  glBindTexture(GL_TEXTURE_2D, texture.id());
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glTexImage2D(GL_TEXTURE_2D, 0, srgb ? GL_SRGB8_ALPHA8 : GL_RGBA8, image->width, image->height, 0, GL_RGBA,
               GL_UNSIGNED_BYTE, image->pixels.data());
  const bool nearest = description.minify == rig::Filter::kNearest;
  GLint minify = nearest ? GL_NEAREST : GL_LINEAR;
  if (description.mipmaps) {
    if (limits.software) {
      // Software renderers compile programs for it: of a texture of 1024 x 1024, 75 ms instead of 4.
      GLint level = 0;
      for (const rig::Image& half : halvings(*image, srgb)) {
        glTexImage2D(GL_TEXTURE_2D, ++level, srgb ? GL_SRGB8_ALPHA8 : GL_RGBA8, half.width, half.height, 0, GL_RGBA,
                     GL_UNSIGNED_BYTE, half.pixels.data());
      }
    } else {
      glGenerateMipmap(GL_TEXTURE_2D);
    }
    minify = nearest ? GL_NEAREST_MIPMAP_LINEAR : GL_LINEAR_MIPMAP_LINEAR;
  }
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, minify);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER,
                  description.magnify == rig::Filter::kNearest ? GL_NEAREST : GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, wrap_of(description.wrap_s));
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, wrap_of(description.wrap_t));
  if (GLAD_GL_EXT_texture_filter_anisotropic != 0 && !nearest) {
    float most = 1;
    glGetFloatv(GL_MAX_TEXTURE_MAX_ANISOTROPY_EXT, &most);
    glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MAX_ANISOTROPY_EXT, std::min(most, 8.0f));
  }
  return texture;
}

}  // namespace

std::vector<rig::Image> halvings(const rig::Image& image, bool srgb) {
  constexpr std::size_t kSteps = 8192;  // of light; no code of sRGB is narrower than a step
  static const auto light_of = [] {
    std::array<std::uint16_t, 256> table{};
    for (std::size_t code = 0; code < table.size(); ++code) {
      const float c = static_cast<float>(code) / 255.0f;
      const float light = c <= 0.04045f ? c / 12.92f : std::pow((c + 0.055f) / 1.055f, 2.4f);
      table[code] = static_cast<std::uint16_t>(std::lround(light * static_cast<float>(kSteps - 1)));
    }
    return table;
  }();
  static const auto code_of = [] {
    std::array<std::uint8_t, kSteps> table{};
    for (std::size_t step = 0; step < table.size(); ++step) {
      const float light = static_cast<float>(step) / static_cast<float>(kSteps - 1);
      const float c = light <= 0.0031308f ? light * 12.92f : 1.055f * std::pow(light, 1.0f / 2.4f) - 0.055f;
      table[step] = static_cast<std::uint8_t>(std::lround(c * 255.0f));
    }
    return table;
  }();
  std::vector<rig::Image> smaller;
  const rig::Image* from = &image;
  while (from->width > 1 || from->height > 1) {
    rig::Image half;
    half.width = std::max(from->width / 2, 1);
    half.height = std::max(from->height / 2, 1);
    const std::size_t width = half.width;
    half.pixels.resize(4 * width * static_cast<std::size_t>(half.height));
    const std::size_t right = from->width > 1 ? 4 : 0;
    const std::size_t below = from->height > 1 ? 4 * static_cast<std::size_t>(from->width) : 0;
    constexpr std::size_t kTexelsPerChunk = 65536;
    parallel_for(static_cast<std::size_t>(half.height), std::max<std::size_t>(kTexelsPerChunk / width, 1),
                 [&](std::size_t begin, std::size_t end) {
                   for (std::size_t y = begin; y < end; ++y) {
                     const std::uint8_t* in = from->pixels.data() + 2 * y * below;
                     std::uint8_t* out = half.pixels.data() + 4 * width * y;
                     for (std::size_t x = 0; x < width; ++x, in += 2 * right, out += 4) {
                       for (std::size_t c = 0; c < 3 && srgb; ++c) {
                         const unsigned sum = light_of[in[c]] + 0u + light_of[in[right + c]] + light_of[in[below + c]] +
                                              light_of[in[below + right + c]];
                         out[c] = code_of[(sum + 2) / 4];
                       }
                       for (std::size_t c = srgb ? 3 : 0; c < 4; ++c) {
                         const unsigned sum = in[c] + 0u + in[right + c] + in[below + c] + in[below + right + c];
                         out[c] = static_cast<std::uint8_t>((sum + 2) / 4);
                       }
                     }
                   }
                 });
    smaller.push_back(std::move(half));
    from = &smaller.back();
  }
  return smaller;
}

void GpuMaterials::upload(const rig::Character& character, const DeviceLimits& limits) {
  const bool same_textures = valid_ && of_textures_.is(character.textures) && of_images_.is(character.images);
  if (same_textures && of_materials_.is(character.materials)) {
    return;
  }
  if (!same_textures) {
    textures_.clear();
    made_.clear();
  }
  of_materials_ = character.materials;
  of_textures_ = character.textures;
  of_images_ = character.images;
  valid_ = true;
  update(character, character.materials, limits);
}

void GpuMaterials::update(const rig::Character& character, std::span<const rig::Material> materials,
                          const DeviceLimits& limits) {
  rows_.clear();
  notes_.clear();
  has_sheen_ = false;
  const std::size_t alignment = std::max(limits.uniform_alignment, 1);
  stride_ = (sizeof(MaterialBlock) + alignment - 1) / alignment * alignment;
  std::vector<std::byte> bytes((materials.size() + 1) * stride_);

  const auto add = [&](const rig::Material& material) {
    Row row;
    row.textures.fill(-1);
    MaterialBlock block{};
    block.base_color = material.base_color;
    block.emissive = glm::vec4(material.emissive, material.alpha_cutoff);
    block.factors = glm::vec4(material.metallic, material.roughness, material.normal_texture.strength,
                              material.occlusion_texture.strength);
    block.textures.z = static_cast<int>(material.alpha_mode);
    block.textures.w = material.unlit ? 1 : 0;
    block.dielectric = glm::vec4(material.specular.color * reflection_of(material.ior), material.specular.factor);
    block.clearcoat = glm::vec4(material.clearcoat.factor, material.clearcoat.roughness,
                                material.clearcoat.normal_texture.strength, 0.0f);
    block.sheen = glm::vec4(material.sheen.color, material.sheen.roughness);
    // A sheet of the same index as the air on both sides does not scatter what passes it, however rough.
    block.transmission =
        glm::vec4(material.transmission.factor,
                  material.ior > 0.0f ? std::clamp(2.0f * material.ior - 2.0f, 0.0f, 1.0f) : 1.0f, 0.0f, 0.0f);
    const bool specular = material.specular.factor != 1.0f || material.specular.color != glm::vec3(1.0f);
    const bool coated = material.clearcoat.factor > 0.0f;
    const bool fibrous = material.sheen.color != glm::vec3(0.0f);
    row.transmits = material.transmission.factor > 0.0f && !material.unlit;
    has_sheen_ = has_sheen_ || fibrous;
    const std::array<std::pair<bool, const char*>, 4> layers = {{{specular, "MATERIAL_SPECULAR"},
                                                                 {coated, "MATERIAL_CLEARCOAT"},
                                                                 {fibrous, "MATERIAL_SHEEN"},
                                                                 {row.transmits, "MATERIAL_TRANSMISSION"}}};
    for (const auto& [there, define] : layers) {
      if (there && !material.unlit) {
        row.defines.emplace_back(define, "1");
      }
    }
    // Layers that are not there need no textures.
    const std::array<bool, kMaterialSlots> wanted = {true,   true,   true,   true,    true,    specular,     specular,
                                                     coated, coated, coated, fibrous, fibrous, row.transmits};
    const std::array<MaterialSlot, kMaterialSlots> slots = slots_of(material);
    int samplers = kPlainSamplers + (fibrous ? 1 : 0) + (row.transmits ? 1 : 0);
    int refused = 0;
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
      const MaterialSlot& description = slots[slot];
      const rig::TextureRef& reference = *description.reference;
      if (!wanted[slot] || !has_index(character.textures, reference.texture)) {
        continue;
      }
      const rig::Texture& texture = character.textures[reference.texture];
      if (!has_index(character.images, texture.image) || character.images[texture.image].pixels.empty()) {
        continue;
      }
      if (description.define != nullptr) {
        if (samplers == limits.texture_units) {
          ++refused;
          continue;
        }
        ++samplers;
        row.defines.emplace_back(description.define, "1");
      }
      const auto [found, is_new] =
          made_.try_emplace({reference.texture, description.srgb}, static_cast<int>(textures_.size()));
      if (is_new) {
        ++uploaded_textures_;
        textures_.push_back(make_texture(texture, character.images[texture.image], description.srgb, limits));
      }
      row.textures[slot] = found->second;
      block.textures.x |= 1 << slot;
      block.textures.y |= reference.texcoord == 1 ? 1 << slot : 0;
      if (reference.transform != rig::TextureTransform{}) {
        block.textures.y |= 1 << (16 + slot);
        const std::array<glm::vec4, 2> rows = rows_of(reference.transform);
        std::copy(rows.begin(), rows.end(), block.texture_rows.begin() + static_cast<std::ptrdiff_t>(2 * slot));
      }
    }
    if (refused > 0) {
      notes_.push_back(
          fmt::format("material {} has {} textures more than the {} this device reads at once; its layers "
                      "are drawn without them",
                      rows_.size(), refused, limits.texture_units));
    }
    std::memcpy(bytes.data() + rows_.size() * stride_, &block, sizeof(block));
    rows_.push_back(row);
  };
  for (const rig::Material& material : materials) {
    add(material);
  }
  add(default_material());
  if (!block_) {
    block_ = Buffer::make();
  }
  render::upload(block_, std::span<const std::byte>(bytes), GL_STATIC_DRAW);
}

const GpuMaterials::Row& GpuMaterials::row(int material) const {
  const std::size_t last = rows_.size() - 1;
  return rows_[material >= 0 ? std::min(static_cast<std::size_t>(material), last) : last];
}

void GpuMaterials::bind(int material) const {
  const Row& shown = row(material);
  glBindBufferRange(GL_UNIFORM_BUFFER, kBindingMaterial, block_.id(),
                    static_cast<GLintptr>(static_cast<std::size_t>(&shown - rows_.data()) * stride_),
                    static_cast<GLsizeiptr>(sizeof(MaterialBlock)));
  for (std::size_t slot = 0; slot < kMaterialSlots; ++slot) {
    const int texture = shown.textures[slot];
    // Units of extensions keep what they had: only programs of materials that set them look there.
    if (texture >= 0 || kMaterialUnits[slot] <= kUnitEmissive) {
      glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(kMaterialUnits[slot]));
      glBindTexture(GL_TEXTURE_2D, texture >= 0 ? textures_[texture].id() : 0);
    }
  }
  glActiveTexture(GL_TEXTURE0);
}

}  // namespace pelt::render
