#include "render/gpu_materials.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

#include <glm/glm.hpp>

#include "render/shader_interface.h"

namespace pelt::render {
namespace {

// std140 image of the block in shaders/surface/material.glsl.
struct MaterialBlock {
  glm::vec4 base_color;
  glm::vec4 emissive;
  glm::vec4 factors;
  glm::ivec4 textures;
};

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
    glGenerateMipmap(GL_TEXTURE_2D);
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

void GpuMaterials::upload(const rig::Character& character, const DeviceLimits& limits) {
  rows_.clear();
  textures_.clear();
  const std::size_t alignment = static_cast<std::size_t>(std::max(limits.uniform_alignment, 1));
  stride_ = (sizeof(MaterialBlock) + alignment - 1) / alignment * alignment;
  std::vector<std::byte> bytes((character.materials.size() + 1) * stride_);
  std::map<std::pair<int, bool>, int> made;

  const auto add = [&](const rig::Material& material) {
    Row row;
    MaterialBlock block{};
    block.base_color = material.base_color;
    block.emissive = glm::vec4(material.emissive, material.alpha_cutoff);
    block.factors = glm::vec4(material.metallic, material.roughness, material.normal_texture.strength,
                              material.occlusion_texture.strength);
    block.textures.z = static_cast<int>(material.alpha_mode);
    block.textures.w = material.unlit ? 1 : 0;
    const std::array<std::pair<const rig::TextureRef*, bool>, 5> slots = {{
        {&material.base_color_texture, true},
        {&material.metallic_roughness_texture, false},
        {&material.normal_texture, false},
        {&material.occlusion_texture, false},
        {&material.emissive_texture, true},
    }};
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
      const auto& [reference, srgb] = slots[slot];
      if (reference->texture < 0 || static_cast<std::size_t>(reference->texture) >= character.textures.size()) {
        continue;
      }
      const rig::Texture& texture = character.textures[static_cast<std::size_t>(reference->texture)];
      if (texture.image < 0 || static_cast<std::size_t>(texture.image) >= character.images.size() ||
          character.images[static_cast<std::size_t>(texture.image)].pixels.empty()) {
        continue;
      }
      const auto [found, is_new] = made.try_emplace({reference->texture, srgb}, static_cast<int>(textures_.size()));
      if (is_new) {
        textures_.push_back(
            make_texture(texture, character.images[static_cast<std::size_t>(texture.image)], srgb, limits));
      }
      row.textures[slot] = found->second;
      block.textures.x |= 1 << slot;
      block.textures.y |= reference->texcoord == 1 ? 1 << slot : 0;
    }
    std::memcpy(bytes.data() + rows_.size() * stride_, &block, sizeof(block));
    rows_.push_back(row);
  };
  for (const rig::Material& material : character.materials) {
    add(material);
  }
  add(default_material());
  if (!block_) {
    block_ = Buffer::make();
  }
  render::upload(block_, std::span<const std::byte>(bytes), GL_STATIC_DRAW);
}

void GpuMaterials::bind(int material) const {
  const std::size_t index = material >= 0 && static_cast<std::size_t>(material) + 1 < rows_.size()
                                ? static_cast<std::size_t>(material)
                                : rows_.size() - 1;
  glBindBufferRange(GL_UNIFORM_BUFFER, kBindingMaterial, block_.id(), static_cast<GLintptr>(index * stride_),
                    static_cast<GLsizeiptr>(sizeof(MaterialBlock)));
  for (int slot = 0; slot < 5; ++slot) {
    const int texture = rows_[index].textures[slot];
    glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(kUnitBaseColor + slot));
    glBindTexture(GL_TEXTURE_2D, texture >= 0 ? textures_[static_cast<std::size_t>(texture)].id() : 0);
  }
  glActiveTexture(GL_TEXTURE0);
}

}  // namespace pelt::render
