// glTF 2.0, sections 3.7.2.1 and 3.7.2.2, KHR_mesh_quantization: attributes that nothing here reads.

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "gltf/import_meshes.h"
#include "gltf/kept.h"

namespace pelt::gltf {
namespace {

std::string shown_name(const std::string& name) {
  return name.empty() ? "''" : printable(name, 40);
}

/// Whether glTF (3.7.2), with KHR_mesh_quantization, lets an attribute have this form; what a file's makers named
/// themselves may have any.
/// @param is_delta  it is a morph target's
Status check_form(const mesh::KeptAttribute& kept, bool is_delta) {
  const bool uv = set_number(kept.name, "TEXCOORD_") >= 0;
  const bool color = set_number(kept.name, "COLOR_") >= 0;
  const bool tangent = kept.name == "TANGENT";
  const bool joints = set_number(kept.name, "JOINTS_") >= 0;
  if (!uv && !color && !tangent && !joints && set_number(kept.name, "WEIGHTS_") < 0) {
    return {};
  }
  const int rows = uv ? 2 : tangent && is_delta ? 3 : 4;
  if (kept.columns != 1 || (kept.rows != rows && !(color && kept.rows == 3))) {
    return error("expected {}VEC{}, got {}", color ? "VEC3 or " : "", rows, mesh::shape_name(kept));
  }
  const bool is_signed = kept.type == mesh::NumberType::kByte || kept.type == mesh::NumberType::kShort;
  const bool may_be = kept.type == mesh::NumberType::kFloat ? !joints
                      : mesh::size_of(kept.type) == 4       ? false
                      : joints                              ? !is_signed && !kept.normalized
                      : uv                                  ? kept.normalized || is_signed || !is_delta
                      : tangent                             ? kept.normalized && is_signed
                                                            : kept.normalized && (!is_signed || (color && is_delta));
  if (!may_be) {
    return error("expected {} of 8 or 16 bits, got {}",
                 joints              ? "unsigned integers"
                 : uv                ? is_delta ? "floats, normalised integers or signed ones" : "floats or integers"
                 : tangent           ? "floats or normalised signed integers"
                 : color && is_delta ? "floats or normalised integers"
                                     : "floats or normalised unsigned integers",
                 mesh::form_name(kept));
  }
  return {};
}

/// Keeps an attribute for writing. @returns false where it is not sound, with a diagnostic
/// @param target  the morph target whose it is, none: the primitive's
bool keep_attribute(PrimitiveContext& context, int accessor, const std::string& name, std::size_t vertex_count,
                    std::optional<std::size_t> target, std::vector<mesh::KeptAttribute>& out) {
  auto kept = context.reader.read_kept(accessor, name);
  context.reader.finish_read(accessor);
  Status status = kept ? check_count(kept->count(), vertex_count) : Status(kept.error());
  if (status) {
    status = check_form(*kept, target.has_value());
    status = status ? status : Status(status.error().in(fmt::format("accessor {}", accessor)));
  }
  if (!status) {
    context.reader.warn("attribute", context.place,
                        fmt::format("{}{}: {}; left out", target ? fmt::format("morph target {}: ", *target) : "",
                                    shown_name(name), status.error().message));
    return false;
  }
  out.push_back(*std::move(kept));
  return true;
}

/// Whether a name is one that a file's makers chose: those of their own begin with an underscore, those of an
/// extension ("KHR_gaussian_splatting:SCALE") with its name.
bool is_free_name(const Reader& reader, std::string_view name) {
  const std::size_t colon = name.find(':');
  return name.starts_with('_') ||
         (colon != std::string_view::npos && reader.extensions_used.count(name.substr(0, colon)) != 0);
}

/// Joints and weights that no skin gives a meaning.
void keep_influences(PrimitiveContext& context, const tinygltf::Primitive& from, mesh::Primitive& out) {
  int next = 0;
  for (;; ++next) {
    const std::string names[] = {fmt::format("JOINTS_{}", next), fmt::format("WEIGHTS_{}", next)};
    const int accessors[] = {find_attribute(from.attributes, names[0]), find_attribute(from.attributes, names[1])};
    if (accessors[0] < 0 && accessors[1] < 0) {
      break;
    }
    // One means nothing without the other.
    std::vector<mesh::KeptAttribute> pair;
    bool is_kept[2] = {};
    for (std::size_t i = 0; i < 2; ++i) {
      is_kept[i] =
          accessors[i] >= 0 && keep_attribute(context, accessors[i], names[i], out.vertex_count(), std::nullopt, pair);
    }
    if (!is_kept[0] || !is_kept[1]) {
      for (std::size_t i = 0; i < 2; ++i) {
        if (is_kept[i]) {
          context.reader.warn("attribute", context.place,
                              fmt::format("{}: it cannot be used without {}; left out", names[i], names[1 - i]));
        }
      }
      break;
    }
    std::move(pair.begin(), pair.end(), std::back_inserter(out.kept));
  }
  report_gap(context, from, "JOINTS_", next);
  report_gap(context, from, "WEIGHTS_", next);
}

}  // namespace

bool has_attribute(const mesh::Primitive& primitive, std::string_view name) {
  return name == "NORMAL"       ? !primitive.normals.empty()
         : name == "TANGENT"    ? !primitive.tangents.empty()
         : name == "TEXCOORD_0" ? !primitive.texcoords[0].empty()
         : name == "TEXCOORD_1" ? !primitive.texcoords[1].empty()
         : name == "COLOR_0"    ? !primitive.colors.empty()
                                : name == "POSITION";
}

void report_gap(PrimitiveContext& context, const tinygltf::Primitive& from, std::string_view prefix, int next) {
  for (const auto& [name, accessor] : from.attributes) {
    if (set_number(name, prefix) > next) {
      context.reader.warn("attribute", context.place,
                          fmt::format("{}: set {} of the same is missing; left out", name, next));
    }
  }
}

void keep_attributes(PrimitiveContext& context, const tinygltf::Primitive& from, mesh::Primitive& out) {
  const auto& attributes = from.attributes;
  const std::size_t vertex_count = out.vertex_count();
  const auto keep = [&](const std::string& name, int accessor) {
    return keep_attribute(context, accessor, name, vertex_count, std::nullopt, out.kept.edit());
  };
  for (const auto& [prefix, first] : {std::pair{"TEXCOORD_", 2}, std::pair{"COLOR_", 1}}) {
    int next = first;
    for (auto entry = attributes.find(fmt::format("{}{}", prefix, next)); entry != attributes.end();
         entry = attributes.find(fmt::format("{}{}", prefix, ++next))) {
      if (!keep(entry->first, entry->second)) {
        break;
      }
    }
    report_gap(context, from, prefix, next);
  }
  if (context.use.skin < 0) {
    keep_influences(context, from, out);
  }
  if (const auto tangent = attributes.find("TANGENT"); tangent != attributes.end() && out.normals.empty()) {
    keep(tangent->first, tangent->second);
  }
  for (const auto& [name, accessor] : attributes) {
    if (is_free_name(context.reader, name)) {
      keep(name, accessor);
      continue;
    }
    const bool is_known = name == "POSITION" || name == "NORMAL" || name == "TANGENT" ||
                          set_number(name, "TEXCOORD_") >= 0 || set_number(name, "COLOR_") >= 0 ||
                          set_number(name, "JOINTS_") >= 0 || set_number(name, "WEIGHTS_") >= 0;
    if (!is_known) {
      context.reader.warn("attribute", context.place,
                          fmt::format("{}: glTF has no attribute of that name, and others begin with an underscore; "
                                      "left out",
                                      shown_name(name)));
    }
  }
}

void keep_deltas(PrimitiveContext& context, const tinygltf::Primitive& from, std::size_t i,
                 const mesh::Primitive& primitive, mesh::MorphTarget& out, LostDeltas& lost) {
  for (const auto& [name, accessor] : from.targets[i]) {
    const bool is_vector = name == "POSITION" || name == "NORMAL" || name == "TANGENT";
    const bool base_is_kept = std::any_of(primitive.kept.begin(), primitive.kept.end(),
                                          [&name = name](const auto& kept) { return kept.name == name; });
    const bool has_base = base_is_kept || has_attribute(primitive, name);
    if (is_vector && has_base && !base_is_kept) {
      continue;
    }
    if (has_base && set_number(name, "JOINTS_") < 0 && set_number(name, "WEIGHTS_") < 0) {
      keep_attribute(context, accessor, name, primitive.vertex_count(), i, out.kept.edit());
    } else {
      lost[name].push_back(i);
    }
  }
}

void report_lost_deltas(PrimitiveContext& context, const LostDeltas& lost) {
  for (const auto& [name, targets] : lost) {
    const bool can_move = is_free_name(context.reader, name) || name == "NORMAL" || name == "TANGENT" ||
                          set_number(name, "TEXCOORD_") >= 0 || set_number(name, "COLOR_") >= 0;
    context.reader.warn(
        "attribute", context.place,
        fmt::format(
            "morph target {}{}: {}: {}; left out", targets.front(),
            targets.size() > 1 ? fmt::format(" and {} more", targets.size() - 1) : "", shown_name(name),
            can_move ? "the primitive has no such attribute to be moved" : "glTF moves no attribute of that name"));
  }
}

}  // namespace pelt::gltf
