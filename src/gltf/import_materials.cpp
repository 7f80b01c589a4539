// glTF 2.0, sections 3.8 "Texture data" and 3.9 "Materials"; KHR_materials_unlit, KHR_materials_emissive_strength.

#include <algorithm>

#include "core/index.h"
#include "gltf/reader.h"

namespace pelt::gltf {
namespace {

float number_in(double value, float lower, float upper, float otherwise) {
  const auto narrow = static_cast<float>(value);
  return std::isfinite(narrow) ? std::clamp(narrow, lower, upper) : otherwise;
}

/// @param Info  one of tinygltf's three kinds of texture reference
template <typename Info>
rig::TextureRef read_reference(Reader& reader, const Info& from, const char* name, double strength,
                               const std::string& place) {
  rig::TextureRef out;
  if (from.index < 0) {
    return out;
  }
  if (!has_index(reader.model.textures, from.index)) {
    reader.warn("texture", place,
                fmt::format("{}: texture {} does not exist, there are {}; left out", name, from.index,
                            reader.model.textures.size()));
    return out;
  }
  out.texture = from.index;
  out.texcoord = from.texCoord;
  out.strength = number_in(strength, 0, kLargest, 1);
  if (const auto entry = from.extensions.find("KHR_texture_transform"); entry != from.extensions.end()) {
    read_texture_transform(reader, entry->second, name, place, out);
  }
  if (out.texcoord < 0 || out.texcoord >= reader.texcoord_sets) {
    reader.warn("texcoord", place,
                fmt::format("{}: there is no texture coordinate set {}; set 0 is used", name, out.texcoord));
    out.texcoord = 0;
  } else if (out.texcoord > 1) {
    reader.warn("texcoord-unshown", place,
                fmt::format("{}: texture coordinate set {} is kept but not shown; set 0 is shown", name, out.texcoord));
  }
  return out;
}

/// The most sets of texture coordinates that a primitive of each material has; all have those that are read.
std::vector<int> count_texcoord_sets(const rig::Character& character, std::size_t material_count) {
  std::vector<int> out(material_count, 2);
  const auto give = [&out](int material, int count) {
    if (has_index(out, material)) {
      out[material] = std::max(out[material], count);
    }
  };
  for (const mesh::Mesh& mesh : character.meshes) {
    for (const mesh::Primitive& primitive : mesh.primitives) {
      // Kept sets are numbered on without gaps.
      const auto kept = std::count_if(primitive.kept.begin(), primitive.kept.end(),
                                      [](const auto& values) { return values.name.starts_with("TEXCOORD_"); });
      const int count = 2 + static_cast<int>(kept);
      give(primitive.material, count);
      for (const mesh::VariantMaterial& variant : primitive.variant_materials) {
        give(variant.material, count);
      }
    }
  }
  return out;
}

rig::Wrap wrap_of(int mode) {
  return mode == TINYGLTF_TEXTURE_WRAP_CLAMP_TO_EDGE     ? rig::Wrap::kClamp
         : mode == TINYGLTF_TEXTURE_WRAP_MIRRORED_REPEAT ? rig::Wrap::kMirror
                                                         : rig::Wrap::kRepeat;
}

}  // namespace

rig::TextureRef texture_reference(Reader& reader, const tinygltf::TextureInfo& from, const char* name, double strength,
                                  const std::string& place) {
  return read_reference(reader, from, name, strength, place);
}

void read_materials(Reader& reader) {
  rig::Character& character = reader.character;
  const std::vector<int> texcoord_sets = count_texcoord_sets(character, reader.model.materials.size());
  for (std::size_t m = 0; m < reader.model.materials.size(); ++m) {
    reader.texcoord_sets = texcoord_sets[m];
    const tinygltf::Material& from = reader.model.materials[m];
    const tinygltf::PbrMetallicRoughness& pbr = from.pbrMetallicRoughness;
    const std::string place = fmt::format("material {}", m);
    rig::Material out;
    out.name = single_line(from.name, kNameLimit);
    for (int i = 0; i < 4 && has_index(pbr.baseColorFactor, i); ++i) {
      out.base_color[i] = number_in(pbr.baseColorFactor[i], 0, 1, 1);
    }
    out.metallic = number_in(pbr.metallicFactor, 0, 1, 1);
    out.roughness = number_in(pbr.roughnessFactor, 0, 1, 1);
    float strength = 1;
    if (const auto entry = from.extensions.find("KHR_materials_emissive_strength");
        entry != from.extensions.end() && entry->second.Has("emissiveStrength") &&
        entry->second.Get("emissiveStrength").IsNumber()) {
      strength = number_in(entry->second.Get("emissiveStrength").GetNumberAsDouble(), 0, 1e6f, 1);
    }
    for (int i = 0; i < 3 && has_index(from.emissiveFactor, i); ++i) {
      out.emissive[i] = strength * number_in(from.emissiveFactor[i], 0, 1, 0);
    }
    out.base_color_texture = read_reference(reader, pbr.baseColorTexture, "baseColorTexture", 1, place);
    out.metallic_roughness_texture =
        read_reference(reader, pbr.metallicRoughnessTexture, "metallicRoughnessTexture", 1, place);
    out.normal_texture = read_reference(reader, from.normalTexture, "normalTexture", from.normalTexture.scale, place);
    out.occlusion_texture =
        read_reference(reader, from.occlusionTexture, "occlusionTexture", from.occlusionTexture.strength, place);
    out.emissive_texture = read_reference(reader, from.emissiveTexture, "emissiveTexture", 1, place);
    if (from.alphaMode == "MASK") {
      out.alpha_mode = rig::AlphaMode::kMask;
    } else if (from.alphaMode == "BLEND") {
      out.alpha_mode = rig::AlphaMode::kBlend;
    } else if (from.alphaMode != "OPAQUE") {
      reader.warn(
          "alpha-mode", place,
          fmt::format("alpha mode '{}' is not OPAQUE, MASK or BLEND; OPAQUE is used", printable(from.alphaMode, 40)));
    }
    out.alpha_cutoff = number_in(from.alphaCutoff, 0, 1, 0.5f);
    out.double_sided = from.doubleSided;
    out.unlit = from.extensions.count("KHR_materials_unlit") != 0;
    read_material_extensions(reader, from, place, out);
    character.materials.push_back(std::move(out));
  }
  for (std::size_t t = 0; t < reader.model.textures.size(); ++t) {
    const tinygltf::Texture& from = reader.model.textures[t];
    rig::Texture out;
    out.name = single_line(from.name, kNameLimit);
    out.image = choose_texture_image(reader, from, fmt::format("texture {}", t));
    if (from.source >= 0 && from.source != out.image && has_index(character.images, from.source)) {
      out.fallback = from.source;
    }
    if (out.image < -1 || out.image >= static_cast<int>(character.images.size())) {
      reader.warn("image", fmt::format("texture {}", t),
                  fmt::format("image {} does not exist, there are {}", out.image, character.images.size()));
      out.image = -1;
    }
    if (has_index(reader.model.samplers, from.sampler)) {
      const tinygltf::Sampler& sampler = reader.model.samplers[from.sampler];
      out.sampler = from.sampler;
      out.magnify = sampler.magFilter == TINYGLTF_TEXTURE_FILTER_NEAREST ? rig::Filter::kNearest : rig::Filter::kLinear;
      switch (sampler.minFilter) {
        case TINYGLTF_TEXTURE_FILTER_NEAREST:
          out.minify = rig::Filter::kNearest;
          out.mipmaps = false;
          break;
        case TINYGLTF_TEXTURE_FILTER_LINEAR:
          out.mipmaps = false;
          break;
        case TINYGLTF_TEXTURE_FILTER_NEAREST_MIPMAP_NEAREST:
        case TINYGLTF_TEXTURE_FILTER_NEAREST_MIPMAP_LINEAR:
          out.minify = rig::Filter::kNearest;
          break;
        default:
          break;
      }
      out.wrap_s = wrap_of(sampler.wrapS);
      out.wrap_t = wrap_of(sampler.wrapT);
    } else if (from.sampler >= 0) {
      reader.warn("sampler", fmt::format("texture {}", t),
                  fmt::format("sampler {} does not exist, there are {}; the default is used", from.sampler,
                              reader.model.samplers.size()));
    }
    character.textures.push_back(out);
  }
}

}  // namespace pelt::gltf
