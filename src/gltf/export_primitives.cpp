// glTF 2.0, section 3.7.2 "Meshes", KHR_mesh_quantization.

#include "gltf/export_primitives.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

#include "gltf/export_weights.h"
#include "gltf/kept.h"
#include "gltf/unit_vectors.h"

namespace pelt::gltf {
namespace {

template <int N>
std::span<const float> floats_of(const std::vector<glm::vec<N, float>>& values) {
  static_assert(sizeof(glm::vec<N, float>) == N * sizeof(float));
  return {reinterpret_cast<const float*>(values.data()), N * values.size()};
}

bool within(std::span<const float> values, float lower, float upper) {
  return std::all_of(values.begin(), values.end(), [&](float value) { return value >= lower && value <= upper; });
}

/// The attribute at a place; those of morph targets by themselves.
std::string_view stream_of(std::string_view place) {
  const std::size_t targets = place.find("/targets/");
  return targets != std::string_view::npos ? std::string_view("targets") : place.substr(place.rfind('/') + 1);
}

Json json_of(const PlaceInView& place) {
  Json out = {{"bufferView", place.view}};
  if (place.offset > 0) {
    out["byteOffset"] = place.offset;
  }
  return out;
}

/// The largest integer of a type, which stands for 1 where it is normalised.
int largest_of(int component_type) {
  return component_type == kSignedByte    ? 127
         : component_type == kByte        ? 255
         : component_type == kSignedShort ? 32767
                                          : 65535;
}

Integers integers_of(std::span<const float> values, int components, int component_type) {
  const int largest = largest_of(component_type);
  const std::size_t size = largest <= 255 ? 1 : 2;
  const std::size_t width = components;
  Integers out;
  out.stride = (size * width + 3) / 4 * 4;
  out.bytes.resize(values.size() / width * out.stride, 0);
  out.lower.assign(width, std::numeric_limits<int>::max());
  out.upper.assign(width, std::numeric_limits<int>::min());
  const bool is_signed = component_type == kSignedByte || component_type == kSignedShort;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float scaled = std::round(values[i] * static_cast<float>(largest));
    const int value = std::clamp(static_cast<int>(scaled), is_signed ? -largest : 0, largest);
    const auto bits = static_cast<std::uint16_t>(value);  // two's complement
    std::memcpy(out.bytes.data() + i / width * out.stride + i % width * size, &bits, size);
    out.lower[i % width] = std::min(out.lower[i % width], value);
    out.upper[i % width] = std::max(out.upper[i % width], value);
  }
  return out;
}

/// The direction that is nearest among those which signed bytes hold and which, made unit when they are read, round to
/// the same bytes: otherwise what is written again would differ. One rounded vector of fifty is off the unit sphere by
/// so much that it does not; its best neighbour keeps within the 0.4 degrees of the others.
glm::vec3 settled_direction(const glm::vec3& direction) {
  constexpr float kUnit = 127;
  const auto rounded = [](const glm::vec3& v) { return glm::clamp(glm::round(v * kUnit), -kUnit, kUnit); };
  const auto settles = [&](const glm::vec3& bytes) { return rounded(unit_as_read(bytes / kUnit)) == bytes; };
  const glm::vec3 nearest = rounded(direction);
  if (nearest == glm::vec3(0.0f) || settles(nearest)) {
    return nearest / kUnit;
  }
  glm::vec3 best = nearest;
  float least = std::numeric_limits<float>::max();
  for (int i = 0; i < 27; ++i) {
    const glm::vec3 bytes = nearest + glm::vec3(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1);
    const float distance = glm::distance(unit_as_read(bytes / kUnit), direction);
    if (distance < least && settles(bytes)) {
      best = bytes;
      least = distance;
    }
  }
  return best / kUnit;
}

// The influences of all vertices, their sets side by side, since the integers of a row sum to one over all of them.
struct InfluenceRows {
  std::size_t width = 0;              // of a row, a whole number of sets
  std::size_t longest = 1;            // row
  std::vector<std::uint16_t> joints;  // [V * width]
  std::vector<float> weights;         // the same, or empty where `units` are not
  std::vector<std::uint16_t> units;   // weights as integers
};

InfluenceRows empty_rows(const mesh::Influences& influences, bool integers) {
  InfluenceRows out;
  out.width = 4 * std::max<std::size_t>(1, (influences.max_count() + 3) / 4);
  const std::size_t size = out.width * influences.vertex_count();
  out.joints.assign(size, 0);
  out.weights.assign(integers ? 0 : size, 0.0f);
  out.units.assign(integers ? size : 0, 0);
  return out;
}

InfluenceRows integer_rows(const mesh::Influences& influences, mesh::WeightFormat format) {
  InfluenceRows out = empty_rows(influences, true);
  std::vector<std::uint16_t> units;
  std::vector<std::size_t> order;
  for (std::size_t v = 0; v < influences.vertex_count(); ++v) {
    const std::size_t count = influences.count(v);
    if (count == 0) {
      continue;
    }
    const auto joints = influences.joints(v);
    const auto weights = influences.weights(v);
    units.resize(count);
    mesh::round_weights(weights, mesh::weight_total(format), units);
    order.resize(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return units[a] != units[b] ? units[a] > units[b] : joints[a] < joints[b];
    });
    for (std::size_t k = 0; k < count && units[order[k]] > 0; ++k) {
      out.joints[out.width * v + k] = joints[order[k]];
      out.units[out.width * v + k] = units[order[k]];
      out.longest = std::max(out.longest, k + 1);
    }
  }
  return out;
}

InfluenceRows float_rows(const mesh::Influences& influences, bool sums_as_stored) {
  InfluenceRows out = empty_rows(influences, false);
  std::vector<std::uint16_t> joints;
  std::vector<float> weights;
  mesh::FlatInfluences read;
  for (std::size_t v = 0; v < influences.vertex_count(); ++v) {
    const std::size_t count = influences.count(v);
    if (count == 0) {
      continue;
    }
    settle_row(influences.joints(v), influences.weights(v), sums_as_stored ? influences.stored_sum(v) : 1.0f,
               sums_as_stored, joints, weights, read);
    const auto row = static_cast<std::ptrdiff_t>(out.width * v);
    std::copy(joints.begin(), joints.end(), out.joints.begin() + row);
    std::copy(weights.begin(), weights.end(), out.weights.begin() + row);
    out.longest = std::max(out.longest, joints.size());
  }
  return out;
}

// An attribute has one element per vertex, or there is none.
Status check_size(std::string_view name, std::size_t size, std::size_t vertex_count) {
  if (size != 0 && size != vertex_count) {
    return error("{}: expected {} elements, one per vertex, got {}", name, vertex_count, size);
  }
  return {};
}

Status check_kept(const std::vector<mesh::KeptAttribute>& all, std::size_t vertex_count) {
  for (const mesh::KeptAttribute& kept : all) {
    if (kept.count() != vertex_count) {
      return error("{}: expected {} elements, one per vertex, got {}", kept.name, vertex_count, kept.count());
    }
  }
  return {};
}

Status check_primitive(const mesh::Primitive& primitive, std::size_t target_count) {
  const std::size_t vertex_count = primitive.vertex_count();
  for (std::size_t v = 0; v < vertex_count; ++v) {
    if (!finite(primitive.positions[v])) {
      return error("position {} is not finite", v);
    }
  }
  for (const auto& [name, size] :
       {std::pair{"normals", primitive.normals.size()}, std::pair{"tangents", primitive.tangents.size()},
        std::pair{"texture coordinates 0", primitive.texcoords[0].size()},
        std::pair{"texture coordinates 1", primitive.texcoords[1].size()},
        std::pair{"colours", primitive.colors.size()}, std::pair{"influences", primitive.influences->vertex_count()}}) {
    if (Status status = check_size(name, size, vertex_count); !status) {
      return status;
    }
  }
  if (Status status = check_kept(primitive.kept, vertex_count); !status) {
    return status;
  }
  if (primitive.morph_targets.size() != target_count) {
    return error("expected {} morph targets as in the mesh's first primitive, got {}", target_count,
                 primitive.morph_targets.size());
  }
  for (const std::uint32_t index : primitive.indices) {
    if (index >= vertex_count) {
      return error("index {} names no vertex, there are {}", index, vertex_count);
    }
  }
  return {};
}

Status check_target(const mesh::MorphTarget& target, std::size_t vertex_count) {
  for (const auto& [name, size] : {std::pair{"position deltas", target.position_deltas.size()},
                                   std::pair{"normal deltas", target.normal_deltas.size()},
                                   std::pair{"tangent deltas", target.tangent_deltas.size()}}) {
    if (Status status = check_size(name, size, vertex_count); !status) {
      return status;
    }
  }
  return check_kept(target.kept, vertex_count);
}

}  // namespace

int PrimitiveWriter::add_integers(const Integers& integers, int components, int component_type,
                                  const std::string& place) {
  return buffers_.add_accessor({.stream = stream_of(place),
                                .bytes = integers.bytes,
                                .component_type = component_type,
                                .components = components,
                                .count = integers.bytes.size() / integers.stride,
                                .stride = integers.stride,
                                .normalized = true},
                               ViewUse::kVertices, form_.string_at(place));
}

template <int N>
int PrimitiveWriter::add_rounded(const std::vector<glm::vec<N, float>>& values, int component_type, float lower,
                                 const std::string& place) {
  if (!options_.quantize || !within(floats_of(values), lower, 1)) {
    return buffers_.add_vectors(values, stream_of(place), form_.string_at(place));
  }
  return add_integers(integers_of(floats_of(values), N, component_type), N, component_type, place);
}

template <int N>
int PrimitiveWriter::add_directions(const std::vector<glm::vec<N, float>>& values, const std::string& place) {
  if (!options_.quantize) {
    return buffers_.add_vectors(values, stream_of(place), form_.string_at(place));
  }
  std::vector<glm::vec<N, float>> settled = values;
  for (glm::vec<N, float>& value : settled) {
    const glm::vec3 direction = settled_direction(glm::vec3(value));
    for (int i = 0; i < 3; ++i) {
      value[i] = direction[i];
    }
  }
  return add_rounded(settled, kSignedByte, -1, place);
}

int PrimitiveWriter::add_positions(const std::vector<glm::vec3>& values, bool on_grid, const std::string& place) {
  if (!on_grid) {
    const int index = buffers_.add_vectors(values, stream_of(place), form_.string_at(place));
    add_bounds(buffers_.last_accessor(), values, false);
    return index;
  }
  const Integers integers = integers_of(floats_of(values), 3, kShort);
  const int index = add_integers(integers, 3, kShort, place);
  buffers_.last_accessor()["min"] = integers.lower;
  buffers_.last_accessor()["max"] = integers.upper;
  return index;
}

int PrimitiveWriter::add_colors(const std::vector<glm::vec4>& values, const std::string& primitive) {
  const std::string place = primitive + "/attributes/COLOR_0";
  const bool opaque = std::all_of(values.begin(), values.end(), [](const glm::vec4& color) { return color.a == 1; });
  if (!opaque || form_.string_at(primitive + "/colors") != "VEC3") {
    return add_rounded(values, kShort, 0, place);
  }
  return add_rounded(std::vector<glm::vec3>(values.begin(), values.end()), kShort, 0, place);
}

int PrimitiveWriter::add_kept(const mesh::KeptAttribute& values, const std::string& place, bool is_delta) {
  constexpr std::array kTypes = {kSignedByte, kByte, kSignedShort, kShort, kInt, kFloat};
  // The extension allows no integers of four bytes.
  const bool narrow = values.type != mesh::NumberType::kFloat && values.type != mesh::NumberType::kUnsignedInt;
  const bool is_signed = values.type == mesh::NumberType::kByte || values.type == mesh::NumberType::kShort;
  const bool is_extended = values.name == "TANGENT" ? narrow
                           : values.name.starts_with("TEXCOORD_")
                               ? narrow && (!values.normalized || (is_signed && !is_delta))
                               : false;
  if (is_extended) {
    extensions_.require("KHR_mesh_quantization");
  }
  if (const std::size_t colon = values.name.find(':'); colon != std::string::npos && values.name[0] != '_') {
    extensions_.used.insert(values.name.substr(0, colon));  // whose name it is
  }
  // Elements of vertex attributes begin at multiples of four bytes.
  const std::size_t size = values.element_size();
  const std::size_t stride = (size + 3) / 4 * 4;
  std::vector<std::uint8_t> padded(stride == size ? 0 : values.count() * stride, 0);
  for (std::size_t i = 0; i * stride < padded.size(); ++i) {
    std::memcpy(padded.data() + i * stride, values.bytes.data() + i * size, size);
  }
  return buffers_.add_accessor({.stream = values.name,
                                .bytes = stride == size ? values.bytes : padded,
                                .component_type = kTypes[static_cast<std::size_t>(values.type)],
                                .components = values.rows,
                                .columns = values.columns,
                                .count = values.count(),
                                .stride = stride,
                                .normalized = values.normalized},
                               ViewUse::kVertices, form_.string_at(place));
}

void PrimitiveWriter::add_bounds(Json& accessor, std::span<const glm::vec3> values, bool include_zero) {
  glm::vec3 lower = include_zero ? glm::vec3(0.0f) : values.front();
  glm::vec3 upper = lower;
  for (const glm::vec3& value : values) {
    lower = glm::min(lower, value);
    upper = glm::max(upper, value);
  }
  accessor["min"] = json_of(lower);
  accessor["max"] = json_of(upper);
}

int PrimitiveWriter::add_deltas(const std::vector<glm::vec3>& values, std::size_t vertex_count, bool bounds,
                                bool on_grid, const std::string& place) {
  const bool rounds = on_grid && within(floats_of(values), -1, 1);
  const int type = bounds ? kSignedShort : kSignedByte;
  const float steps = rounds ? static_cast<float>(largest_of(type)) : 0.0f;
  std::vector<std::uint32_t> moved;
  for (std::size_t v = 0; v < values.size(); ++v) {
    const glm::vec3 stored = rounds ? glm::round(values[v] * steps) : values[v];
    if (stored != glm::vec3(0.0f)) {
      moved.push_back(static_cast<std::uint32_t>(v));
    }
  }
  if (2 * moved.size() >= vertex_count) {
    if (rounds) {
      const Integers integers = integers_of(floats_of(values), 3, type);
      const int index = add_integers(integers, 3, type, place);
      if (bounds) {
        buffers_.last_accessor()["min"] = integers.lower;
        buffers_.last_accessor()["max"] = integers.upper;
      }
      return index;
    }
    const int index = buffers_.add_vectors(values, stream_of(place), form_.string_at(place));
    if (bounds) {
      add_bounds(buffers_.last_accessor(), values, false);
    }
    return index;
  }
  Json accessor = {{"componentType", kFloat}, {"count", vertex_count}, {"type", "VEC3"}};
  std::vector<glm::vec3> moved_values;
  moved_values.reserve(moved.size());
  for (const std::uint32_t v : moved) {
    moved_values.push_back(values[v]);
  }
  if (bounds) {
    add_bounds(accessor, moved_values, true);
  }
  if (!moved.empty()) {
    const bool narrow = vertex_count <= 0xffff;
    const std::vector<std::uint16_t> narrow_indices(moved.begin(), narrow ? moved.end() : moved.begin());
    const PlaceInView indices =
        buffers_.add_bytes(narrow ? bytes_of(narrow_indices) : bytes_of(moved), "sparse indices", narrow ? 2 : 4);
    const PlaceInView deltas = buffers_.add_bytes(bytes_of(moved_values), "sparse values", sizeof(glm::vec3));
    accessor["sparse"] = {{"count", moved.size()}, {"indices", json_of(indices)}, {"values", json_of(deltas)}};
    accessor["sparse"]["indices"]["componentType"] = narrow ? kShort : kInt;
  }
  return buffers_.add_accessor(std::move(accessor), form_.string_at(place));
}

void PrimitiveWriter::write_influences(const mesh::Influences& influences, const std::string& place, Json& attributes) {
  const std::size_t vertex_count = influences.vertex_count();
  bool narrow = true;
  influences.for_each_entry([&](std::uint16_t joint, float) { narrow = narrow && joint < 256; });
  const bool integers = options_.weights != mesh::WeightFormat::kFloat;
  const InfluenceRows rows =
      integers ? integer_rows(influences, options_.weights) : float_rows(influences, options_.sums_as_stored);
  const std::size_t sets = (rows.longest + 3) / 4;
  const bool bytes = options_.weights == mesh::WeightFormat::kUnorm8;
  const auto add_set = [&](const char* prefix, const auto& values_of, auto element, std::size_t set, int component_type,
                           bool normalized) {
    std::vector<decltype(element)> values(4 * vertex_count);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<decltype(element)>(values_of[rows.width * (i / 4) + 4 * set + i % 4]);
    }
    const std::string name = fmt::format("{}_{}", prefix, set);
    attributes[name] = buffers_.add_accessor({.stream = name,
                                              .bytes = bytes_of(values),
                                              .component_type = component_type,
                                              .components = 4,
                                              .count = vertex_count,
                                              .normalized = normalized},
                                             ViewUse::kVertices, form_.string_at(place + "/attributes/" + name));
  };
  for (std::size_t set = 0; set < sets; ++set) {
    if (narrow) {
      add_set("JOINTS", rows.joints, std::uint8_t{}, set, kByte, false);
    } else {
      add_set("JOINTS", rows.joints, std::uint16_t{}, set, kShort, false);
    }
    if (!integers) {
      add_set("WEIGHTS", rows.weights, float{}, set, kFloat, false);
    } else if (bytes) {
      add_set("WEIGHTS", rows.units, std::uint8_t{}, set, kByte, true);
    } else {
      add_set("WEIGHTS", rows.units, std::uint16_t{}, set, kShort, true);
    }
  }
}

Json PrimitiveWriter::attributes_json(const mesh::Primitive& primitive, const std::string& place, bool on_grid) {
  Json attributes = Json::object();
  const auto at = [&](const std::string& name) { return place + "/attributes/" + name; };
  attributes["POSITION"] = add_positions(primitive.positions, on_grid, at("POSITION"));
  if (!primitive.normals.empty()) {
    attributes["NORMAL"] = add_directions(primitive.normals.get(), at("NORMAL"));
  }
  if (!primitive.tangents.empty()) {
    attributes["TANGENT"] = add_directions(primitive.tangents.get(), at("TANGENT"));
  }
  if (options_.quantize && (on_grid || !primitive.normals.empty())) {
    extensions_.require("KHR_mesh_quantization");
  }
  write_texcoords_and_colors(primitive, place, attributes);
  for (const mesh::KeptAttribute& kept : primitive.kept) {
    attributes[kept.name] = add_kept(kept, at(kept.name));
  }
  if (!primitive.influences->empty()) {
    write_influences(primitive.influences, place, attributes);
  }
  return attributes;
}

void PrimitiveWriter::write_texcoords_and_colors(const mesh::Primitive& primitive, const std::string& place,
                                                 Json& attributes) {
  const std::size_t vertex_count = primitive.vertex_count();
  // Sets must be numbered without gaps: what is missing before a kept one says nothing.
  const auto keeps = [&](std::string_view prefix) {
    return std::any_of(primitive.kept.begin(), primitive.kept.end(),
                       [&](const mesh::KeptAttribute& kept) { return set_number(kept.name, prefix) >= 0; });
  };
  const std::size_t uv_sets = !primitive.texcoords[1].empty() || keeps("TEXCOORD_") ? 2
                              : !primitive.texcoords[0].empty()                     ? 1
                                                                                    : 0;
  for (std::size_t set = 0; set < uv_sets; ++set) {
    const std::vector<glm::vec2>& given = primitive.texcoords[set];
    const std::string name = fmt::format("TEXCOORD_{}", set);
    attributes[name] = add_rounded(given.empty() ? std::vector<glm::vec2>(vertex_count, glm::vec2(0.0f)) : given,
                                   kShort, 0, fmt::format("{}/attributes/{}", place, name));
  }
  if (!primitive.colors.empty()) {
    attributes["COLOR_0"] = add_colors(primitive.colors, place);
  } else if (keeps("COLOR_")) {
    attributes["COLOR_0"] = add_colors(std::vector<glm::vec4>(vertex_count, glm::vec4(1.0f)), place);
  }
}

int PrimitiveWriter::add_indices(const mesh::Primitive& primitive, const std::string& place) {
  // Those of triangles are packed three by three.
  const std::size_t index_count = primitive.indices.size();
  const bool triangles = primitive.topology == mesh::Topology::kTriangles && index_count % 3 == 0;
  const ViewUse use = triangles ? ViewUse::kTriangles : ViewUse::kIndices;
  const bool narrow = primitive.vertex_count() <= 0xffff;
  const std::vector<std::uint16_t> short_indices(primitive.indices.begin(),
                                                 narrow ? primitive.indices.end() : primitive.indices.begin());
  return buffers_.add_accessor({.stream = "indices",
                                .bytes = narrow ? bytes_of(short_indices) : bytes_of(primitive.indices.get()),
                                .component_type = narrow ? kShort : kInt,
                                .count = index_count},
                               use, form_.string_at(place + "/indices"));
}

Json PrimitiveWriter::target_json(const mesh::Primitive& primitive, const mesh::MorphTarget& target,
                                  const std::string& place, bool on_grid, const Json& attributes) {
  const std::size_t vertex_count = primitive.vertex_count();
  Json entry = Json::object();
  const auto at = [&](const std::string& name) { return fmt::format("{}/{}", place, name); };
  entry["POSITION"] = add_deltas(target.position_deltas, vertex_count, true, on_grid, at("POSITION"));
  if (!target.normal_deltas.empty() && !primitive.normals.empty()) {
    entry["NORMAL"] = add_deltas(target.normal_deltas, vertex_count, false, on_grid, at("NORMAL"));
  }
  if (!target.tangent_deltas.empty() && !primitive.tangents.empty()) {
    entry["TANGENT"] = add_deltas(target.tangent_deltas, vertex_count, false, on_grid, at("TANGENT"));
  }
  for (const mesh::KeptAttribute& kept : target.kept) {
    if (attributes.contains(kept.name)) {
      entry[kept.name] = add_kept(kept, at(kept.name), true);
    }
  }
  return entry;
}

Status PrimitiveWriter::write(const mesh::Primitive& primitive, const std::string& place, std::size_t target_count,
                              bool on_grid, Json& out) {
  if (Status status = check_primitive(primitive, target_count); !status) {
    return status;
  }
  out["attributes"] = attributes_json(primitive, place, on_grid);
  out["indices"] = add_indices(primitive, place);
  constexpr int kModes[] = {0, 1, 4};
  if (primitive.topology != mesh::Topology::kTriangles) {  // which a primitive means that says nothing
    out["mode"] = kModes[static_cast<int>(primitive.topology)];
  }
  if (primitive.material >= 0) {
    out["material"] = primitive.material;
  }
  if (primitive.has_cage() && primitive.cage->nurbs.is_one()) {
    out["extras"]["pelt"]["nurbs"] = nurbs_json(primitive.cage);
  }
  for (std::size_t i = 0; i < target_count; ++i) {
    const mesh::MorphTarget& target = primitive.morph_targets[i];
    if (const Status status = check_target(target, primitive.vertex_count()); !status) {
      return status.error().in(fmt::format("morph target {}", i));
    }
    out["targets"].push_back(
        target_json(primitive, target, fmt::format("{}/targets/{}", place, i), on_grid, out["attributes"]));
  }
  return {};
}

}  // namespace pelt::gltf
