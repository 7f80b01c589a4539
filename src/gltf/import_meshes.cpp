// glTF 2.0, section 3.7.2 "Meshes", KHR_mesh_quantization.

#include "gltf/import_meshes.h"

#include <algorithm>
#include <numeric>

#include "core/index.h"
#include "gltf/unit_vectors.h"

namespace pelt::gltf {
namespace {

/// An attribute that only affects looks: where it cannot be read the character still opens, without it.
template <int N>
std::vector<glm::vec<N, float>> read_optional(PrimitiveContext& context, const tinygltf::Primitive& from,
                                              const std::string& name, std::size_t vertex_count) {
  const int accessor = find_attribute(from.attributes, name);
  if (accessor < 0) {
    return {};
  }
  auto values = context.reader.read_vectors<N>(accessor);
  context.reader.finish_read(accessor);
  const Status status = values ? check_count(values->size(), vertex_count) : Status(values.error());
  if (!status) {
    context.reader.warn("attribute", context.place, fmt::format("{}: {}; left out", name, status.error().message));
    return {};
  }
  return *std::move(values);
}

// These ask of all elements at once, without a branch, which compilers turn into vectors; only files that have
// something to tell are looked at one by one.
template <typename V>
bool all_reasonable(const std::vector<V>& values) {
  const float* const from = values.empty() ? nullptr : &values[0].x;
  std::uint32_t odd = 0;
  for (std::size_t i = 0; i < values.size() * static_cast<std::size_t>(V::length()); ++i) {
    odd |= std::abs(from[i]) <= kLargest ? 0U : 1U;
  }
  return odd == 0;
}

/// Whether tidy_normals() would certainly leave all as they are: it lets squares be off by 1e-6, of which rounding here
/// may hide 3e-7.
bool all_unit(const std::vector<glm::vec3>& normals) {
  constexpr float kOff = 5e-7f;
  std::uint32_t odd = 0;
  for (const glm::vec3& normal : normals) {
    const float square = normal.x * normal.x + normal.y * normal.y + normal.z * normal.z;
    odd |= std::abs(square - 1) <= kOff ? 0U : 1U;
  }
  return odd == 0;
}

/// Whether an attribute is stored as floats: integers are off the unit sphere by their rounding, which is no change.
bool is_stored_as_floats(const PrimitiveContext& context, const tinygltf::Primitive& from, const std::string& name) {
  const int accessor = find_attribute(from.attributes, name);
  return has_index(context.reader.model.accessors, accessor) &&
         context.reader.model.accessors[accessor].componentType == TINYGLTF_COMPONENT_TYPE_FLOAT;
}

/// @param counts  those that change are told when they are written
void tidy_normals(PrimitiveContext& context, std::vector<glm::vec3>& normals, bool counts) {
  if (all_unit(normals)) {
    return;
  }
  OddVertices odd;
  for (std::size_t v = 0; v < normals.size(); ++v) {
    glm::vec3& normal = normals[v];
    const double square = glm::dot(glm::dvec3(normal), glm::dvec3(normal));
    if (!(std::abs(square - 1) <= 0.02)) {
      odd.add(v);
    }
    if (!(square > 1e-30) || !reasonable(normal)) {
      normal = glm::vec3(0, 1, 0);
    } else {
      const glm::vec3 unit = unit_as_read(normal);
      context.reader.made_unit.normals += counts && unit != normal ? 1U : 0U;
      normal = unit;
    }
  }
  if (odd.count > 0) {
    context.reader.warn("normal-length", context.place,
                        fmt::format("{} of {} normals do not have length 1; normalised", odd.count, normals.size()),
                        std::move(odd.listed));
  }
}

void tidy_tangents(PrimitiveContext& context, std::vector<glm::vec4>& tangents, bool counts) {
  OddVertices odd;
  for (std::size_t v = 0; v < tangents.size(); ++v) {
    glm::vec4& tangent = tangents[v];
    const glm::dvec3 direction(tangent);
    const double square = glm::dot(direction, direction);
    if (!(std::abs(square - 1) <= 0.02 && std::abs(std::abs(tangent.w) - 1) <= 0.02f)) {
      odd.add(v);
    }
    const float sign = tangent.w < 0 ? -1.0f : 1.0f;
    if (!(square > 1e-30) || !reasonable(tangent)) {
      tangent = glm::vec4(1, 0, 0, sign);
    } else {
      const glm::vec4 unit(unit_as_read(glm::vec3(tangent)), sign);
      context.reader.made_unit.tangents += counts && unit != tangent ? 1U : 0U;
      tangent = unit;
    }
  }
  if (odd.count > 0) {
    context.reader.warn(
        "tangent", context.place,
        fmt::format("{} of {} tangents lack length 1 or a sign; normalised", odd.count, tangents.size()),
        std::move(odd.listed));
  }
}

template <typename V>
void replace_unreasonable(PrimitiveContext& context, std::vector<V>& values, const char* name, const V& otherwise) {
  if (all_reasonable(values)) {
    return;
  }
  std::size_t odd = 0;
  for (V& value : values) {
    if (!reasonable(value)) {
      value = otherwise;
      ++odd;
    }
  }
  if (odd > 0) {
    context.reader.warn("not-finite", context.place,
                        fmt::format("{}: {} of {} values are not finite; replaced", name, odd, values.size()));
  }
}

std::vector<glm::vec4> read_colors(PrimitiveContext& context, const tinygltf::Primitive& from,
                                   std::size_t vertex_count) {
  const int accessor = find_attribute(from.attributes, "COLOR_0");
  const auto view = accessor >= 0 ? context.reader.view_accessor(accessor) : Result<AccessorView>(Error{});
  std::vector<glm::vec4> colors;
  if (view && view->rows == 3 && view->columns == 1) {
    for (const glm::vec3& color : read_optional<3>(context, from, "COLOR_0", vertex_count)) {
      colors.emplace_back(color, 1.0f);
    }
  } else {
    colors = read_optional<4>(context, from, "COLOR_0", vertex_count);
  }
  replace_unreasonable(context, colors, "COLOR_0", glm::vec4(1.0f));
  return colors;
}

/// The indices of strips, fans and loops written out. @param modes of glTF: 2 loop, 3 line strip, 5 triangle strip, 6
/// fan
std::vector<std::uint32_t> unrolled(const std::vector<std::uint32_t>& in, int mode) {
  std::vector<std::uint32_t> out;
  const std::size_t count = in.size();
  if ((mode == 2 || mode == 3) && count >= 2) {
    out.reserve(2 * count);
    for (std::size_t i = 0; i + 1 < count; ++i) {
      out.insert(out.end(), {in[i], in[i + 1]});
    }
    if (mode == 2) {
      out.insert(out.end(), {in[count - 1], in[0]});
    }
  } else if ((mode == 5 || mode == 6) && count >= 3) {
    out.reserve(3 * (count - 2));
    for (std::size_t i = 0; i + 2 < count; ++i) {
      if (mode == 6) {
        out.insert(out.end(), {in[i + 1], in[i + 2], in[0]});
      } else {
        out.insert(out.end(), {in[i], in[i + 1 + i % 2], in[i + 2 - i % 2]});  // every other triangle turns round
      }
    }
  }
  return out;
}

Status read_topology(PrimitiveContext& context, const tinygltf::Primitive& from, mesh::Primitive& out) {
  // Draco stores triangles, even those of a primitive that is a strip where it is not compressed.
  const bool decoded = from.indices >= 0 && context.reader.decoded_accessors.count(from.indices) != 0;
  const int mode = decoded ? TINYGLTF_MODE_TRIANGLES : from.mode;
  if (mode < 0 || mode > 6) {
    return error("mode: expected 0 to 6, got {}", mode);
  }
  out.topology = mode == 0 ? mesh::Topology::kPoints : mode <= 3 ? mesh::Topology::kLines : mesh::Topology::kTriangles;
  const std::size_t vertex_count = out.vertex_count();
  if (from.indices >= 0) {
    auto indices = context.reader.read_indices(from.indices, 1);
    context.reader.finish_read(from.indices);
    if (!indices) {
      return indices.error().in("indices");
    }
    std::uint32_t largest = 0;
    for (const std::uint32_t at : *indices) {
      largest = std::max(largest, at);
    }
    for (std::size_t i = 0; largest >= vertex_count && i < indices->size(); ++i) {
      if ((*indices)[i] >= vertex_count) {
        return error("index {} is {}, expected less than {}", i, (*indices)[i], vertex_count);
      }
    }
    out.indices = *std::move(indices);
  } else {
    if (const Status status = context.reader.budget.take(vertex_count, sizeof(std::uint32_t)); !status) {
      return status;
    }
    std::vector<std::uint32_t>& all = out.indices.edit();
    all.resize(vertex_count);
    std::iota(all.begin(), all.end(), 0U);
  }
  if (mode == 2 || mode == 3 || mode == 5 || mode == 6) {
    if (const Status status = context.reader.budget.take(out.indices.size(), 3 * sizeof(std::uint32_t)); !status) {
      return status;
    }
    out.indices = unrolled(out.indices, mode);
  }
  const std::size_t corners = out.topology == mesh::Topology::kTriangles ? 3
                              : out.topology == mesh::Topology::kLines   ? 2
                                                                         : 1;
  if (const std::size_t rest = out.indices.size() % corners; rest != 0) {
    context.reader.warn(
        "index-count", context.place,
        fmt::format("{} indices are no multiple of {}; the last {} are left out", out.indices.size(), corners, rest));
    out.indices.resize(out.indices.size() - rest);
  }
  if (out.indices.empty() && vertex_count > 0) {
    context.reader.warn("index-count", context.place, "it has vertices but nothing to draw");
  }
  return {};
}

Status read_targets(PrimitiveContext& context, const tinygltf::Primitive& from, mesh::Primitive& out) {
  const std::size_t vertex_count = out.vertex_count();
  LostDeltas lost;
  for (std::size_t i = 0; i < from.targets.size(); ++i) {
    mesh::MorphTarget target;
    for (const auto& [name, member] :
         {std::pair{"POSITION", &target.position_deltas}, std::pair{"NORMAL", &target.normal_deltas},
          std::pair{"TANGENT", &target.tangent_deltas}}) {
      const int accessor = find_attribute(from.targets[i], name);
      if (accessor < 0 || !has_attribute(out, name)) {
        continue;
      }
      const auto where = [&, name = name] { return fmt::format("morph target {}: {}", i, name); };
      auto values = context.reader.read_vectors<3>(accessor);
      context.reader.finish_read(accessor);
      if (!values) {
        return values.error().in(where());
      }
      if (const Status status = check_count(values->size(), vertex_count); !status) {
        return status.error().in(where());
      }
      const bool all = all_reasonable(*values);
      for (std::size_t v = 0; !all && v < vertex_count; ++v) {
        if (!reasonable((*values)[v])) {
          return error("{}: vertex {} is not finite or beyond {}", where(), v, kLargest);
        }
      }
      *member = *std::move(values);
    }
    keep_deltas(context, from, i, out, target, lost);
    out.morph_targets.push_back(std::move(target));
  }
  report_lost_deltas(context, lost);
  return {};
}

/// Whether a primitive whose data are compressed can be read without decoding them.
bool has_uncompressed_copy(Reader& reader, const tinygltf::Primitive& from) {
  const auto is_stored = [&](int accessor) {
    if (!has_index(reader.model.accessors, accessor)) {
      return false;
    }
    const tinygltf::Accessor& entry = reader.model.accessors[accessor];
    return (entry.bufferView >= 0 || entry.sparse.isSparse) && reader.view_accessor(accessor).has_value();
  };
  return is_stored(find_attribute(from.attributes, "POSITION")) && (from.indices < 0 || is_stored(from.indices));
}

Status read_primitive(PrimitiveContext& context, const tinygltf::Primitive& from, mesh::Primitive& out) {
  Reader& reader = context.reader;
  if (has_index(reader.model.materials, from.material)) {
    out.material = from.material;
  } else if (from.material >= 0) {
    reader.warn("material", context.place,
                fmt::format("material {} does not exist, there are {}; the default is used", from.material,
                            reader.model.materials.size()));
  }
  read_variant_materials(reader, from, context.place, out);
  const int position_accessor = find_attribute(from.attributes, "POSITION");
  if (from.extensions.count("KHR_draco_mesh_compression") != 0) {
    if (has_uncompressed_copy(reader, from)) {
      reader.note(Severity::kInfo, "fallback", context.place,
                  "the uncompressed copy is used, not that of KHR_draco_mesh_compression");
    } else if (const Status status = decode_draco_primitive(reader, from); !status) {
      return status.error().in("KHR_draco_mesh_compression");
    }
  }
  if (position_accessor < 0) {
    reader.warn("no-position", context.place, "it has no positions; left empty");
    return {};
  }
  auto positions = reader.read_vectors<3>(position_accessor);
  reader.finish_read(position_accessor);
  if (!positions) {
    return positions.error().in("POSITION");
  }
  const bool all = all_reasonable(*positions);
  for (std::size_t v = 0; !all && v < positions->size(); ++v) {
    if (!reasonable((*positions)[v])) {
      const glm::vec3& p = (*positions)[v];
      return error("POSITION: vertex {} is ({}, {}, {}), expected finite numbers within {}", v, p.x, p.y, p.z,
                   kLargest);
    }
  }
  out.positions = *std::move(positions);
  const std::size_t vertex_count = out.vertex_count();
  if (vertex_count == 0) {
    reader.warn("no-position", context.place, "it has no vertices");
    return {};
  }
  if (const Status status = read_topology(context, from, out); !status) {
    return status;
  }
  out.normals = read_optional<3>(context, from, "NORMAL", vertex_count);
  tidy_normals(context, out.normals.edit(), is_stored_as_floats(context, from, "NORMAL"));
  if (!out.normals.empty()) {
    out.tangents = read_optional<4>(context, from, "TANGENT", vertex_count);
    tidy_tangents(context, out.tangents.edit(), is_stored_as_floats(context, from, "TANGENT"));
  }
  for (std::size_t set = 0; set < 2; ++set) {
    const std::string name = fmt::format("TEXCOORD_{}", set);
    out.texcoords[set] = read_optional<2>(context, from, name, vertex_count);
    replace_unreasonable(context, out.texcoords[set].edit(), name.c_str(), glm::vec2(0.0f));
  }
  out.colors = read_colors(context, from, vertex_count);
  keep_attributes(context, from, out);
  if (const Status status = read_influences(context, from, out); !status) {
    return status;
  }
  return read_targets(context, from, out);
}

/// Default weights for `target_count` targets.
std::vector<float> tidy_weights(Reader& reader, const std::vector<double>& from, std::size_t target_count,
                                const std::string& place) {
  if (!from.empty() && from.size() != target_count) {
    reader.warn("morph-weights", place,
                fmt::format("expected {} morph weights, got {}; cut or filled with zeros", target_count, from.size()));
  }
  std::vector<float> out(target_count, 0.0f);
  for (std::size_t i = 0; i < std::min(target_count, from.size()); ++i) {
    const auto weight = static_cast<float>(from[i]);
    if (std::abs(weight) <= kLargest) {
      out[i] = weight;
    } else {
      reader.warn("morph-weights", place, fmt::format("morph weight {} is {}; 0 is used", i, from[i]));
    }
  }
  return out;
}

std::vector<std::string> target_names(const tinygltf::Mesh& from, std::size_t target_count) {
  std::vector<std::string> names;
  const tinygltf::Value* given = from.extras.Has("targetNames") ? &from.extras.Get("targetNames") : nullptr;
  for (std::size_t i = 0; i < target_count; ++i) {
    std::string name;
    if (given != nullptr && given->IsArray() && i < given->ArrayLen() && given->Get(static_cast<int>(i)).IsString()) {
      name = single_line(given->Get(static_cast<int>(i)).Get<std::string>(), kNameLimit);
    }
    names.push_back(name.empty() ? fmt::format("morph {}", i) : std::move(name));
  }
  return names;
}

}  // namespace

Status read_meshes(Reader& reader) {
  const tinygltf::Model& model = reader.model;
  rig::Character& character = reader.character;
  std::vector<MeshUse> uses(model.meshes.size());
  for (const tinygltf::Node& node : model.nodes) {
    if (node.mesh >= 0 && node.skin >= 0) {
      MeshUse& use = uses[node.mesh];
      use.skins.insert(node.skin);
      if (use.skin < 0 || model.skins[node.skin].joints.size() < model.skins[use.skin].joints.size()) {
        use.skin = node.skin;
      }
    }
  }
  for (const tinygltf::Skin& skin : model.skins) {
    reader.joint_is_used.emplace_back(skin.joints.size(), 0);
  }
  JointSet used;
  for (std::size_t m = 0; m < model.meshes.size(); ++m) {
    const tinygltf::Mesh& from = model.meshes[m];
    if (!report(reader.progress, 0.2f + 0.5f * static_cast<float>(m) / static_cast<float>(model.meshes.size()),
                "Reading meshes")) {
      return error("cancelled");
    }
    mesh::Mesh mesh;
    mesh.name = single_line(from.name, kNameLimit);
    std::size_t target_count = 0;
    for (std::size_t p = 0; p < from.primitives.size(); ++p) {
      PrimitiveContext context{reader, uses[m], used, fmt::format("mesh {}, primitive {}", m, p)};
      mesh::Primitive primitive;
      const Status status = read_primitive(context, from.primitives[p], primitive);
      reader.decoded_accessors.clear();
      if (!status) {
        return status.error().in(context.place);
      }
      read_cage(context, from.primitives[p], fmt::format("/meshes/{}/primitives/{}", m, p), primitive);
      target_count = std::max(target_count, primitive.morph_targets.size());
      mesh.primitives.push_back(std::move(primitive));
    }
    for (const int skin : uses[m].skins) {
      for (const std::uint16_t joint : used.members) {
        reader.joint_is_used[skin][joint] = 1;
      }
    }
    used.clear();
    mesh.morph_names = target_names(from, target_count);
    for (std::size_t p = 0; p < mesh.primitives.size(); ++p) {
      mesh::Primitive& primitive = mesh.primitives.edit(p);
      if (primitive.morph_targets.size() != target_count) {
        if (primitive.vertex_count() > 0) {
          reader.warn(
              "morph-count", fmt::format("mesh {}, primitive {}", m, p),
              fmt::format("it has {} morph targets, another primitive of the mesh has {}; the missing ones do nothing",
                          primitive.morph_targets.size(), target_count));
        }
        primitive.morph_targets.resize(target_count);
      }
      for (std::size_t i = 0; i < target_count; ++i) {
        primitive.morph_targets.edit(i).name = mesh.morph_names[i];
      }
    }
    mesh.morph_weights = tidy_weights(reader, from.weights, target_count, fmt::format("mesh {}", m));
    character.meshes.push_back(std::move(mesh));
  }
  for (std::size_t j = 0; j < reader.joint_of_node.size(); ++j) {
    const int n = character.skeleton->source_node[j];
    const tinygltf::Node& node = model.nodes[n];
    if (node.mesh < 0) {
      if (node.skin >= 0) {
        reader.warn("skin-without-mesh", fmt::format("node {}", n),
                    "it has a skin but no mesh; the skin is not used there");
      }
      continue;
    }
    const mesh::Mesh& mesh = character.meshes[node.mesh];
    if (reader.repeats(n)) {
      // Of one group the nodes come one behind the other.
      character.mesh_nodes.push_back(character.mesh_nodes.back());
      character.mesh_nodes.edit().back().joint = static_cast<int>(j);
      continue;
    }
    // A file may name a mesh of many targets again and again.
    const std::size_t shown = reader.has_node(n) ? 1 : reader.instances.at(reader.file_node(n)).size();
    if (const Status status = reader.budget.take(shown * mesh.morph_names.size(), sizeof(float)); !status) {
      return status.error().in(reader.node_place(n));
    }
    rig::MeshNode mesh_node;
    mesh_node.joint = static_cast<int>(j);
    mesh_node.mesh = node.mesh;
    mesh_node.skin = node.skin;
    const bool follows = std::any_of(mesh.primitives.begin(), mesh.primitives.end(),
                                     [](const mesh::Primitive& primitive) { return !primitive.influences->empty(); });
    if (node.skin >= 0 && !follows) {
      reader.warn("skin-without-weights", fmt::format("node {}", n),
                  fmt::format("it has skin {}, but mesh {} has no joints and weights; placed by the node", node.skin,
                              node.mesh));
      mesh_node.skin = -1;
    }
    const std::vector<double>& weights = model.nodes[reader.file_node(n)].weights;
    mesh_node.morph_weights = weights.empty()
                                  ? mesh.morph_weights
                                  : tidy_weights(reader, weights, mesh.morph_names.size(), reader.node_place(n));
    character.mesh_nodes.push_back(std::move(mesh_node));
  }
  return {};
}

}  // namespace pelt::gltf
