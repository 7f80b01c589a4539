// KHR_materials_variants.

#include "gltf/extension_values.h"

#include <utility>

namespace pelt::gltf {
namespace {

constexpr const char* kVariants = "KHR_materials_variants";

const tinygltf::Value* variant_list(const Reader& reader) {
  const tinygltf::Value* root = find_extension(reader.model.extensions, kVariants);
  return root != nullptr ? find_member(*root, "variants") : nullptr;
}

}  // namespace

void read_variants(Reader& reader) {
  const tinygltf::Value* list = variant_list(reader);
  for (std::size_t v = 0; list != nullptr && v < list->ArrayLen(); ++v) {
    const tinygltf::Value* name = find_member(list->Get(static_cast<int>(v)), "name");
    reader.character.variants.push_back(
        name != nullptr && name->IsString() ? single_line(name->Get<std::string>(), kNameLimit) : std::string());
  }
}

void read_variant_materials(Reader& reader, const tinygltf::Primitive& from, const std::string& place,
                            mesh::Primitive& out) {
  const tinygltf::Value* object = find_extension(from.extensions, kVariants);
  const tinygltf::Value* mappings = object != nullptr ? find_member(*object, "mappings") : nullptr;
  const std::size_t variant_count = variant_list(reader) != nullptr ? variant_list(reader)->ArrayLen() : 0;
  for (std::size_t m = 0; mappings != nullptr && m < mappings->ArrayLen(); ++m) {
    const tinygltf::Value& mapping = mappings->Get(static_cast<int>(m));
    const ExtensionValues values(reader, mapping, kVariants, place);
    const std::optional<int> material = values.index_below("material", reader.model.materials.size());
    const tinygltf::Value* variants = find_member(mapping, "variants");
    for (std::size_t v = 0; material && variants != nullptr && v < variants->ArrayLen(); ++v) {
      const tinygltf::Value& variant = variants->Get(static_cast<int>(v));
      if (!variant.IsInt() || variant.GetNumberAsInt() < 0 ||
          std::cmp_greater_equal(variant.GetNumberAsInt(), variant_count)) {
        values.warn(fmt::format("variants: expected indices below {}, got {}; left out", variant_count,
                                ExtensionValues::label(variant)));
        continue;
      }
      out.variant_materials.push_back({variant.GetNumberAsInt(), *material});
    }
  }
  // The first to name a variant wins.
  std::stable_sort(out.variant_materials.begin(), out.variant_materials.end(),
                   [](const auto& a, const auto& b) { return a.variant < b.variant; });
  const auto repeated = std::unique(out.variant_materials.begin(), out.variant_materials.end(),
                                    [](const auto& a, const auto& b) { return a.variant == b.variant; });
  if (repeated != out.variant_materials.end()) {
    reader.warn("extension-value", place,
                fmt::format("{}: {} variants are named again; the first material counts", kVariants,
                            out.variant_materials.end() - repeated));
    out.variant_materials.erase(repeated, out.variant_materials.end());
  }
}

}  // namespace pelt::gltf
