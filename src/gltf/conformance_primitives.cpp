// Attributes, morph targets and materials of primitives.

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "gltf/conformance_checks.h"

namespace pelt::gltf {
namespace {

/// A form of an attribute: "VEC3" of FLOAT and so on.
struct Format {
  std::string_view semantic;
  std::string_view type;
  std::int64_t component_type;
  bool normalized = false;
  bool quantized = false;  ///< needs KHR_mesh_quantization
};
constexpr std::int64_t kInt8 = 5120;
constexpr std::int64_t kUint8 = 5121;
constexpr std::int64_t kInt16 = 5122;
constexpr std::int64_t kUint16 = 5123;
constexpr std::int64_t kFloat32 = 5126;

constexpr Format kAttributeFormats[] = {
    {"POSITION", "VEC3", kFloat32},
    {"NORMAL", "VEC3", kFloat32},
    {"TANGENT", "VEC4", kFloat32},
    {"TEXCOORD", "VEC2", kFloat32},
    {"TEXCOORD", "VEC2", kUint8, true},
    {"TEXCOORD", "VEC2", kUint16, true},
    {"COLOR", "VEC3", kFloat32},
    {"COLOR", "VEC3", kUint8, true},
    {"COLOR", "VEC3", kUint16, true},
    {"COLOR", "VEC4", kFloat32},
    {"COLOR", "VEC4", kUint8, true},
    {"COLOR", "VEC4", kUint16, true},
    {"JOINTS", "VEC4", kUint8},
    {"JOINTS", "VEC4", kUint16},
    {"WEIGHTS", "VEC4", kFloat32},
    {"WEIGHTS", "VEC4", kUint8, true},
    {"WEIGHTS", "VEC4", kUint16, true},
    {"POSITION", "VEC3", kInt8, false, true},
    {"POSITION", "VEC3", kInt8, true, true},
    {"POSITION", "VEC3", kUint8, false, true},
    {"POSITION", "VEC3", kUint8, true, true},
    {"POSITION", "VEC3", kInt16, false, true},
    {"POSITION", "VEC3", kInt16, true, true},
    {"POSITION", "VEC3", kUint16, false, true},
    {"POSITION", "VEC3", kUint16, true, true},
    {"NORMAL", "VEC3", kInt8, true, true},
    {"NORMAL", "VEC3", kInt16, true, true},
    {"TANGENT", "VEC4", kInt8, true, true},
    {"TANGENT", "VEC4", kInt16, true, true},
    {"TEXCOORD", "VEC2", kInt8, false, true},
    {"TEXCOORD", "VEC2", kInt8, true, true},
    {"TEXCOORD", "VEC2", kUint8, false, true},
    {"TEXCOORD", "VEC2", kInt16, false, true},
    {"TEXCOORD", "VEC2", kInt16, true, true},
    {"TEXCOORD", "VEC2", kUint16, false, true},
};
constexpr Format kTargetFormats[] = {
    {"POSITION", "VEC3", kFloat32},
    {"NORMAL", "VEC3", kFloat32},
    {"TANGENT", "VEC3", kFloat32},
    {"TEXCOORD", "VEC2", kFloat32},
    {"TEXCOORD", "VEC2", kInt8, true},
    {"TEXCOORD", "VEC2", kUint8, true},
    {"TEXCOORD", "VEC2", kInt16, true},
    {"TEXCOORD", "VEC2", kUint16, true},
    {"COLOR", "VEC3", kFloat32},
    {"COLOR", "VEC3", kInt8, true},
    {"COLOR", "VEC3", kUint8, true},
    {"COLOR", "VEC3", kInt16, true},
    {"COLOR", "VEC3", kUint16, true},
    {"COLOR", "VEC4", kFloat32},
    {"COLOR", "VEC4", kInt8, true},
    {"COLOR", "VEC4", kUint8, true},
    {"COLOR", "VEC4", kInt16, true},
    {"COLOR", "VEC4", kUint16, true},
    {"POSITION", "VEC3", kInt8, false, true},
    {"POSITION", "VEC3", kInt8, true, true},
    {"POSITION", "VEC3", kInt16, false, true},
    {"POSITION", "VEC3", kInt16, true, true},
    {"NORMAL", "VEC3", kInt8, true, true},
    {"NORMAL", "VEC3", kInt16, true, true},
    {"TANGENT", "VEC3", kInt8, true, true},
    {"TANGENT", "VEC3", kInt16, true, true},
    {"TEXCOORD", "VEC2", kInt8, false, true},
    {"TEXCOORD", "VEC2", kInt16, false, true},
};

/// Whether the table has the form; true for names that it does not have.
bool fits_format(std::span<const Format> formats, std::string_view semantic, const AccessorShape& shape,
                 bool quantized) {
  bool is_known = false;
  for (const Format& one : formats) {
    if (one.semantic == semantic) {
      is_known = true;
      if (one.type == shape.type && one.component_type == shape.component_type && one.normalized == shape.normalized &&
          (quantized || !one.quantized)) {
        return true;
      }
    }
  }
  return !is_known;
}

/// "TEXCOORD_12" as its name and number; no number where there is none. A number is written without leading zeros.
struct Semantic {
  std::string name;
  std::optional<std::size_t> set;
  bool is_plain = true;  ///< without an underscore
};
Semantic parse_semantic(const std::string& text) {
  const std::size_t underscore = text.find('_');
  Semantic out{text.substr(0, underscore), std::nullopt, underscore == std::string::npos};
  if (out.is_plain) {
    return out;
  }
  const std::string digits = text.substr(underscore + 1);
  const bool is_number = !digits.empty() && digits.size() < 9 && (digits.size() == 1 || digits[0] != '0') &&
                         std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  if (is_number) {
    out.set = static_cast<std::size_t>(parse_integer(digits).value_or(0));
  }
  return out;
}

/// What a material wants of a primitive.
struct Wants {
  std::vector<std::int64_t> texcoords;  ///< sets
  bool tangents = false;
  bool has_normal_map = false;
};

/// Sets that a reference to a texture names, its own and that of a texture transform.
void add_reference(const Conformance& check, const FileJson* reference, Wants& wants) {
  if (reference == nullptr) {
    return;
  }
  const bool is_plain = member(reference, "texCoord") == nullptr;
  wants.texcoords.push_back(is_plain ? 0 : whole_member(reference, "texCoord"));
  if (check.uses("KHR_texture_transform")) {
    const FileJson* transform = object_member(object_member(reference, "extensions"), "KHR_texture_transform");
    wants.texcoords.push_back(whole_member(transform, "texCoord"));
  }
}

Wants wants_of(const Conformance& check, const FileJson* material) {
  Wants wants;
  const FileJson* rough = object_member(material, "pbrMetallicRoughness");
  for (const char* name : {"baseColorTexture", "metallicRoughnessTexture"}) {
    add_reference(check, object_member(rough, name), wants);
  }
  for (const char* name : {"normalTexture", "occlusionTexture", "emissiveTexture"}) {
    add_reference(check, object_member(material, name), wants);
  }
  wants.has_normal_map = object_member(material, "normalTexture") != nullptr;
  wants.tangents = wants.has_normal_map;
  const FileJson* extensions = object_member(material, "extensions");
  constexpr std::pair<const char*, const char*> kTextures[] = {
      {"KHR_materials_anisotropy", "anisotropyTexture"},
      {"KHR_materials_clearcoat", "clearcoatTexture"},
      {"KHR_materials_clearcoat", "clearcoatRoughnessTexture"},
      {"KHR_materials_clearcoat", "clearcoatNormalTexture"},
      {"KHR_materials_iridescence", "iridescenceTexture"},
      {"KHR_materials_iridescence", "iridescenceThicknessTexture"},
      {"KHR_materials_pbrSpecularGlossiness", "diffuseTexture"},
      {"KHR_materials_pbrSpecularGlossiness", "specularGlossinessTexture"},
      {"KHR_materials_sheen", "sheenColorTexture"},
      {"KHR_materials_sheen", "sheenRoughnessTexture"},
      {"KHR_materials_specular", "specularTexture"},
      {"KHR_materials_specular", "specularColorTexture"},
      {"KHR_materials_transmission", "transmissionTexture"},
      {"KHR_materials_volume", "thicknessTexture"},
  };
  for (const auto& [extension, name] : kTextures) {
    const FileJson* reference =
        check.uses(extension) ? object_member(object_member(extensions, extension), name) : nullptr;
    add_reference(check, reference, wants);
    const std::string_view what = name;
    if (reference != nullptr && (what == "clearcoatNormalTexture" || what == "anisotropyTexture")) {
      wants.tangents = true;
    }
  }
  return wants;
}

/// One primitive.
class PrimitiveCheck {
 public:
  PrimitiveCheck(Conformance& check, const FileJson& primitive, std::string place)
      : check_(check),
        primitive_(primitive),
        place_(std::move(place)),
        attributes_(object_member(&primitive, "attributes")) {}

  void check() {
    if (attributes_ != nullptr) {
      check_names();
      check_attributes();
    }
    check_indices();
    check_targets();
    check_material(whole_member(&primitive_, "material"));
    check_variants();
  }

 private:
  void check_names();
  void check_attributes();
  void check_indices();
  void check_targets();
  void check_material(std::int64_t number);
  void check_variants();
  /// What holds of attributes and of what morph targets say of them.
  void check_accessor(const std::string& name, const AccessorShape& shape, const FileJson& accessor,
                      std::span<const Format> formats);

  Conformance& check_;
  const FileJson& primitive_;
  std::string place_;
  const FileJson* attributes_;
  std::size_t texcoord_sets_ = 0;
};

void PrimitiveCheck::check_names() {
  std::map<std::string, std::set<std::size_t>> sets;
  for (const auto& [name, accessor] : attributes_->items()) {
    if (name.starts_with('_') || name == "POSITION" || name == "NORMAL" || name == "TANGENT") {
      continue;
    }
    const Semantic semantic = parse_semantic(name);
    const bool is_array = semantic.name == "TEXCOORD" || semantic.name == "COLOR" || semantic.name == "JOINTS" ||
                          semantic.name == "WEIGHTS";
    if (!is_array || !semantic.set) {
      check_.tell(
          "attribute-name", place_,
          fmt::format("{}: expected a name of glTF's own, or one that begins with an underscore", printable(name, 40)));
    } else {
      sets[semantic.name].insert(*semantic.set);
    }
  }
  std::map<std::string, std::size_t> count;
  for (const auto& [name, numbers] : sets) {
    if (*numbers.rbegin() + 1 != numbers.size()) {
      check_.tell("attribute-name", place_,
                  fmt::format("{} sets: expected them to be numbered from 0 without gaps, got {} up to {}_{}", name,
                              numbers.size(), name, *numbers.rbegin()));
    } else {
      count[name] = numbers.size();
    }
  }
  if (count["JOINTS"] != count["WEIGHTS"]) {
    check_.tell(
        "attribute-name", place_,
        fmt::format("expected as many sets of weights as of joints, got {} and {}", count["WEIGHTS"], count["JOINTS"]));
  }
  texcoord_sets_ = count["TEXCOORD"];
}

void PrimitiveCheck::check_accessor(const std::string& name, const AccessorShape& shape, const FileJson& accessor,
                                    std::span<const Format> formats) {
  if (name == "POSITION" && (!accessor.contains("min") || !accessor.contains("max"))) {
    check_.tell("accessor-bounds", place_,
                fmt::format("{}: expected min and max, {}", name,
                            accessor.contains("min")   ? "max is missing"
                            : accessor.contains("max") ? "min is missing"
                                                       : "both are missing"));
  }
  const std::string semantic = name.starts_with('_') ? std::string() : parse_semantic(name).name;
  const bool is_known = std::ranges::find(kAttributeFormats, std::string_view(semantic), &Format::semantic) !=
                        std::end(kAttributeFormats);
  if (!fits_format(formats, semantic, shape, check_.uses("KHR_mesh_quantization"))) {
    check_.tell("accessor-format", place_,
                fmt::format("{}: {} is no form that glTF allows for it", printable(name, 40), shape.text()));
  } else if (!is_known && shape.component_type == 5125 && formats.data() == kAttributeFormats) {
    check_.tell("accessor-format", place_, fmt::format("{}: attributes cannot be UNSIGNED_INT", printable(name, 40)));
  }
  const FileJson* view = check_.item("bufferViews", shape.view);
  if (shape.offset % 4 != 0 ||
      (view != nullptr && member(view, "byteStride") == nullptr && shape.element_size() % 4 != 0)) {
    check_.tell("alignment", place_,
                fmt::format("{}: elements begin at byte {} and every {} bytes, expected multiples of 4",
                            printable(name, 40), shape.offset, shape.element_size()));
  }
}

void PrimitiveCheck::check_attributes() {
  std::int64_t vertex_count = -1;
  for (const auto& [name, number] : attributes_->items()) {
    const FileJson* accessor = check_.item("accessors", whole(&number));
    if (accessor == nullptr) {
      continue;
    }
    const AccessorShape shape = accessor_shape(accessor);
    check_accessor(name, shape, *accessor, kAttributeFormats);
    vertex_count = vertex_count < 0 ? shape.count : vertex_count;
    if (shape.count >= 0 && shape.count != vertex_count) {
      check_.tell("attribute-count", place_,
                  fmt::format("{}: expected {} elements as in the other attributes, got {}", printable(name, 40),
                              vertex_count, shape.count));
    }
  }
}

void PrimitiveCheck::check_indices() {
  const FileJson* accessor = check_.item("accessors", whole_member(&primitive_, "indices"));
  const AccessorShape shape = accessor_shape(accessor);
  const bool is_sound = shape.type == "SCALAR" && !shape.normalized &&
                        (shape.component_type == 5121 || shape.component_type == 5123 || shape.component_type == 5125);
  if (accessor != nullptr && !is_sound) {
    check_.tell(
        "accessor-format", place_,
        fmt::format("indices: expected SCALAR of UNSIGNED_BYTE, UNSIGNED_SHORT or UNSIGNED_INT, got {}", shape.text()));
  }
}

void PrimitiveCheck::check_targets() {
  std::size_t t = 0;
  for (const FileJson& target : list_member(&primitive_, "targets")) {
    for (const auto& [name, number] : object_or_empty(&target).items()) {
      const Semantic semantic = parse_semantic(name);
      const bool has_name = name.starts_with('_') || name == "POSITION" || name == "NORMAL" || name == "TANGENT" ||
                            ((semantic.name == "TEXCOORD" || semantic.name == "COLOR") && semantic.set);
      if (!has_name) {
        check_.tell(
            "attribute-name", place_,
            fmt::format("morph target {}, {}: expected a name that morph targets may have", t, printable(name, 40)));
      }
      const FileJson* accessor = check_.item("accessors", whole(&number));
      if (accessor == nullptr) {
        continue;
      }
      const AccessorShape shape = accessor_shape(accessor);
      const FileJson* base = check_.item("accessors", whole_member(attributes_, name));
      if (base == nullptr) {
        check_.tell("attribute-count", place_,
                    fmt::format("morph target {}, {}: the primitive has no such attribute", t, printable(name, 40)));
      } else if (accessor_shape(base).count != shape.count) {
        check_.tell("attribute-count", place_,
                    fmt::format("morph target {}, {}: expected {} elements as in the primitive, got {}", t,
                                printable(name, 40), accessor_shape(base).count, shape.count));
      }
      check_accessor(name, shape, *accessor, kTargetFormats);
    }
    ++t;
  }
}

void PrimitiveCheck::check_material(std::int64_t number) {
  const FileJson* material = check_.item("materials", number);
  if (material == nullptr) {
    return;
  }
  const Wants wants = wants_of(check_, material);
  const bool has_tangents = member(attributes_, "NORMAL") != nullptr && member(attributes_, "TANGENT") != nullptr;
  if (wants.tangents && !wants.has_normal_map && !has_tangents && member(&primitive_, "material") != nullptr &&
      number == whole_member(&primitive_, "material")) {
    check_.tell("tangent-space", place_,
                fmt::format("material {} needs normals and tangents, which the primitive does not have", number));
  }
  for (const std::int64_t set : wants.texcoords) {
    if (set >= static_cast<std::int64_t>(texcoord_sets_)) {
      check_.tell("texcoord", place_,
                  fmt::format("material {} wants TEXCOORD_{}, which the primitive does not have", number, set));
    }
  }
}

void PrimitiveCheck::check_variants() {
  if (!check_.uses("KHR_materials_variants")) {
    return;
  }
  const FileJson* variants = object_member(object_member(&primitive_, "extensions"), "KHR_materials_variants");
  const FileJson* listed = object_member(object_member(&check_.file, "extensions"), "KHR_materials_variants");
  const std::size_t count = list_member(listed, "variants").size();
  std::set<std::int64_t> seen;
  for (const FileJson& mapping : list_member(variants, "mappings")) {
    if (listed == nullptr) {
      check_.tell("reference", place_, "it has variants, but the file has no list of them");
      return;
    }
    for (const FileJson& one : list_member(&mapping, "variants")) {
      const std::int64_t variant = whole(&one);
      if (variant >= 0 && !seen.insert(variant).second) {
        check_.tell("variant", place_, fmt::format("variant {} is mapped twice, expected once", variant));
      }
      if (variant >= 0 && static_cast<std::size_t>(variant) >= count) {
        check_.tell("reference", place_, fmt::format("there is no variant {}", variant));
      }
    }
    check_material(whole_member(&mapping, "material"));
  }
}

}  // namespace

void check_primitives(Conformance& check) {
  for (std::size_t m = 0; m < check.count("meshes"); ++m) {
    const FileJson* mesh = check.item("meshes", static_cast<std::int64_t>(m));
    const std::span<const FileJson> primitives = list_member(mesh, "primitives");
    std::size_t targets = 0;
    for (std::size_t p = 0; p < primitives.size(); ++p) {
      const std::string place = fmt::format("{}, primitive {}", place_in("meshes", m), p);
      PrimitiveCheck(check, primitives[p], place).check();
      const std::size_t own = list_member(&primitives[p], "targets").size();
      targets = p == 0 ? own : targets;
      if (own != targets) {
        check.tell("morph-count", place,
                   fmt::format("expected {} morph targets as in the first primitive, got {}", targets, own));
      }
    }
    if (const FileJson* weights = member(mesh, "weights");
        weights != nullptr && weights->is_array() && !primitives.empty() && weights->size() != targets) {
      check.tell("morph-weights", place_in("meshes", m),
                 fmt::format("expected {} weights, got {}", targets, weights->size()));
    }
  }
}

}  // namespace pelt::gltf
