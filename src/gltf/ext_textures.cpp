// KHR_texture_transform, EXT_texture_webp, KHR_texture_basisu.

#include <algorithm>

#include "core/index.h"
#include "gltf/image_codec.h"
#include "gltf/reader.h"

namespace pelt::gltf {
namespace {

/// The image that an extension offers, -1 where there is none.
int extension_source(const tinygltf::Texture& texture, const char* extension) {
  const auto entry = texture.extensions.find(extension);
  return entry == texture.extensions.end() ? -1 : whole_number(entry->second, "source");
}

/// Whether an image of the file is one that can be shown, as far as its header tells.
bool is_showable(const Reader& reader, int image) {
  if (!has_index(reader.character.images, image)) {
    return false;
  }
  const std::vector<std::uint8_t>& encoded = reader.character.images[image].encoded;
  return !encoded.empty() && image_size(encoded, reader.options.max_image_size).has_value();
}

/// A member of `count` numbers; false where it is anything else, true and unchanged where there is none.
bool read_numbers(const tinygltf::Value& from, const char* member, std::size_t count, float* out) {
  if (!from.Has(member)) {
    return true;
  }
  const tinygltf::Value& value = from.Get(member);
  const auto read = [](const tinygltf::Value& number, float& into) {
    if (!number.IsNumber() || !(std::abs(number.GetNumberAsDouble()) <= kLargest)) {
      return false;
    }
    into = static_cast<float>(number.GetNumberAsDouble());
    return true;
  };
  if (count == 1) {
    return read(value, *out);
  }
  if (!value.IsArray() || value.ArrayLen() != count) {
    return false;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!read(value.Get(static_cast<int>(i)), out[i])) {
      return false;
    }
  }
  return true;
}

}  // namespace

void read_texture_transform(Reader& reader, const tinygltf::Value& from, const char* name, const std::string& place,
                            rig::TextureRef& ref) {
  rig::TextureTransform transform;
  if (!read_numbers(from, "offset", 2, &transform.offset.x) ||
      !read_numbers(from, "rotation", 1, &transform.rotation) || !read_numbers(from, "scale", 2, &transform.scale.x)) {
    reader.warn(
        "texture-transform", place,
        fmt::format("{}: KHR_texture_transform: expected numbers of offset, rotation and scale; ignored", name));
    return;
  }
  ref.transform = transform;
  if (const int set = whole_number(from, "texCoord"); set >= 0) {
    ref.texcoord = set;
  }
}

int choose_texture_image(Reader& reader, const tinygltf::Texture& from, const std::string& place) {
  const int webp = extension_source(from, "EXT_texture_webp");
  const int basis = extension_source(from, "KHR_texture_basisu");
  int image = from.source;
  if (webp >= 0 && (is_showable(reader, webp) || !is_showable(reader, image))) {
    image = webp;
  } else if (basis >= 0 && image < 0) {
    image = basis;
  }
  if (has_index(reader.character.images, image) && reader.character.images[image].mime_type == "image/ktx2") {
    reader.warn(
        "image-format", place,
        fmt::format("image {} is KTX2, and a transcoder for Basis Universal is missing here; shown without it", image));
  }
  return image;
}

}  // namespace pelt::gltf
