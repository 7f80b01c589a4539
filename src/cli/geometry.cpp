#include "cli/geometry.h"

#include <algorithm>
#include <iterator>
#include <list>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "formats/obj_writer.h"
#include "formats/ply_writer.h"
#include "gltf/export.h"
#include "mesh/measures.h"
#include "rig/own_bindings.h"

namespace pelt::cli {
namespace {

std::string json_string(std::string_view text) {
  return printable_json(nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void append(fmt::memory_buffer& out, std::string_view text) {
  out.append(text.data(), text.data() + text.size());
}

// [x0, y0, z0, x1, ...]
void append_vectors(fmt::memory_buffer& out, std::span<const glm::vec3> vectors) {
  append(out, "[");
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    fmt::format_to(std::back_inserter(out), "{}{},{},{}", i == 0 ? "" : ",", vectors[i].x, vectors[i].y, vectors[i].z);
  }
  append(out, "]");
}

// The joints and weights that differ from the rest pose, by node index.
std::string overrides_json(const edit::Document& document) {
  const rig::Character& character = *document.character;
  const auto numbers = [](std::initializer_list<float> values) { return fmt::format("{}", fmt::join(values, ",")); };
  std::map<int, std::string> by_joint;
  for (const auto& [j, joint_override] : *document.content.overrides) {
    const Transform& rest = character.skeleton->rest[j];
    const Transform& local = joint_override.local;
    std::vector<std::string> parts;
    if (local.rotation != rest.rotation) {
      const glm::quat& q = local.rotation;
      parts.push_back(fmt::format("\"rotation\":[{}]", numbers({q.x, q.y, q.z, q.w})));
    }
    if (local.translation != rest.translation) {
      const glm::vec3& t = local.translation;
      parts.push_back(fmt::format("\"translation\":[{}]", numbers({t.x, t.y, t.z})));
    }
    if (local.scale != rest.scale) {
      const glm::vec3& s = local.scale;
      parts.push_back(fmt::format("\"scale\":[{}]", numbers({s.x, s.y, s.z})));
    }
    by_joint[j] = fmt::format("{}", fmt::join(parts, ","));
  }
  const rig::Pose pose = edit::evaluate_pose(document);
  for (int j = 0; j < character.skeleton->size(); ++j) {
    const int first = character.morph_offset[j];
    const int last = character.morph_offset[static_cast<std::size_t>(j) + 1];
    const auto begin = document.content.morph_overrides->lower_bound(first);
    if (begin != document.content.morph_overrides->end() && begin->first < last) {
      std::string& parts = by_joint[j];
      parts +=
          fmt::format("{}\"weights\":[{}]", parts.empty() ? "" : ",", fmt::join(character.morph_weights(pose, j), ","));
    }
  }
  std::vector<std::string> entries;
  for (const auto& [j, parts] : by_joint) {
    entries.push_back(fmt::format("\"{}\":{{{}}}", character.skeleton->source_node[j], parts));
  }
  return fmt::format("{{{}}}", fmt::join(entries, ","));
}

bool is_mirrored(const BakedPose& baked, std::size_t p) {
  const rig::Part& part = baked.document->character->parts[p];
  return part.skin < 0 && glm::determinant(glm::mat3(baked.world[part.joint])) < 0.0f;
}

// A part that its node mirrors keeps its facing: the corners of each triangle are exchanged, vertices stay.
std::vector<std::uint32_t> facing_indices(const BakedPose& baked, std::size_t p) {
  const mesh::Primitive& primitive = baked.document->character->primitive(baked.document->character->parts[p]);
  std::vector<std::uint32_t> indices = primitive.indices;
  if (is_mirrored(baked, p) && primitive.topology == mesh::Topology::kTriangles) {
    for (std::size_t i = 0; i + 2 < indices.size(); i += 3) {
      std::swap(indices[i + 1], indices[i + 2]);
    }
  }
  return indices;
}

// The parts as the formats' writers take them. `turned` holds the indices of those that are mirrored.
struct WrittenShape {
  std::vector<formats::WrittenPart> parts;
  std::list<std::vector<std::uint32_t>> turned;
};

WrittenShape written_shape(const BakedPose& baked) {
  const rig::Character& character = *baked.document->character;
  WrittenShape out;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const rig::Part& part = character.parts[p];
    const mesh::Primitive& primitive = character.primitive(part);
    const deform::DeformedPart& shape = baked.deformed->parts[p];
    const std::vector<std::uint32_t>& indices =
        is_mirrored(baked, p) ? out.turned.emplace_back(facing_indices(baked, p)) : primitive.indices.get();
    out.parts.push_back({fmt::format("{}.{}", printable(character.skeleton->label(part.joint)), part.primitive),
                         primitive.topology, shape.positions, shape.normals, primitive.texcoords[0].get(), indices});
  }
  return out;
}

void append_primitives(fmt::memory_buffer& out, const BakedPose& baked) {
  const rig::Character& character = *baked.document->character;
  const auto at = std::back_inserter(out);
  append(out, "\"primitives\":[");
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const rig::Part& part = character.parts[p];
    const mesh::Primitive& primitive = character.primitive(part);
    const deform::DeformedPart& deformed = baked.deformed->parts[p];
    const std::size_t joint = part.joint;
    fmt::format_to(
        at,
        "{}\n{{\"node\":{},\"nodeName\":{},\"mesh\":{},\"meshName\":{},\"primitive\":{},\"skin\":{},\"jointCount\":{},"
        "\"vertexCount\":{},\"morphTargets\":{},\"poses\":[{{\"positions\":",
        p == 0 ? "" : ",", character.skeleton->source_node[joint], json_string(character.skeleton->name[joint]),
        part.mesh, json_string(character.meshes[part.mesh].name), part.primitive, part.skin,
        part.skin < 0 ? 0 : character.skins[part.skin].joints.size(), deformed.positions.size(),
        primitive.morph_targets.size());
    append_vectors(out, deformed.positions);
    if (!deformed.normals.empty()) {
      append(out, ",\"normals\":");
      append_vectors(out, deformed.normals);
    }
    append(out, "}]}");
  }
}

void append_skins(fmt::memory_buffer& out, const BakedPose& baked) {
  const rig::Character& character = *baked.document->character;
  const auto at = std::back_inserter(out);
  append(out, "\n],\n\"jointMatrices\":[");
  const rig::Pose pose = edit::evaluate_pose(*baked.document);
  for (std::size_t s = 0; s < character.skins.size(); ++s) {
    const rig::Skin& skin = character.skins[s];
    std::vector<int> nodes;
    for (const int j : skin.joints) {
      nodes.push_back(character.skeleton->source_node[j]);
    }
    std::vector<glm::mat4> matrices(skin.joints.size());
    rig::posed_skin_matrices(character, pose, baked.world, static_cast<int>(s), matrices);
    fmt::format_to(at, "{}\n{{\"skin\":{},\"joints\":[{}],\"poses\":[[", s == 0 ? "" : ",", s, fmt::join(nodes, ","));
    for (std::size_t k = 0; k < matrices.size(); ++k) {
      for (int c = 0; c < 4; ++c) {
        const glm::vec4& column = matrices[k][c];
        fmt::format_to(at, "{}{},{},{},{}", k == 0 && c == 0 ? "" : ",", column.x, column.y, column.z, column.w);
      }
    }
    append(out, "]]}");
  }
}

}  // namespace

std::string bake_json(const BakedPose& baked) {
  const edit::Document& document = *baked.document;
  const edit::Content& content = document.content;
  const rig::Character& character = *document.character;
  deform::SkinningSettings settings = content.skinning;
  settings.backend = deform::Backend::kCpu;
  const float diagonal = deform::deform_once(character, rig::rest_pose(character), settings).bounds.diagonal();
  const bool posed =
      !content.overrides->empty() || !content.morph_overrides->empty() || content.base != edit::BasePose::kRest;
  fmt::memory_buffer out;
  const auto at = std::back_inserter(out);
  fmt::format_to(at, "{{\n\"format\":\"skin-expected/1\",\n\"file\":{},\n\"weights\":\"{}\",\n\"every\":1,\n",
                 json_string(baked.file), content.skinning.weights_as_stored ? "as stored" : "renormalised");
  fmt::format_to(at, "\"bboxDiagonal\":{},\n", diagonal);
  fmt::format_to(
      at, "\"poses\":[{{\"label\":\"{}\",\"animation\":{},\"animationName\":{},\"time\":{},\"overrides\":{}}}],\n",
      posed               ? "pose"
      : content.clip >= 0 ? "anim"
                          : "rest",
      content.clip, json_string(content.clip < 0 ? std::string() : character.clips[content.clip].name),
      document.view.time, overrides_json(document));
  append_primitives(out, baked);
  append_skins(out, baked);
  append(out, "\n]\n}\n");
  return fmt::to_string(out);
}

std::string bake_obj(const BakedPose& baked) {
  return formats::write_obj(baked.file, written_shape(baked).parts);
}

std::string bake_ply(const BakedPose& baked) {
  return formats::write_ply(baked.file, written_shape(baked).parts);
}

Result<std::vector<std::uint8_t>> bake_glb(const BakedPose& baked, std::set<std::string>& left_out) {
  const rig::Character& source = *baked.document->character;
  rig::Character posed;
  posed.name = source.name;
  posed.materials = source.materials;
  posed.textures = source.textures;
  posed.images = source.images;
  rig::Scene scene;
  int previous = -1;  // mesh node whose primitives are being collected
  for (std::size_t p = 0; p < source.parts.size(); ++p) {
    const rig::Part& part = source.parts[p];
    if (part.mesh_node != previous) {
      previous = part.mesh_node;
      const int joint = posed.skeleton->size();
      rig::Skeleton& skeleton = posed.skeleton.edit();
      skeleton.parent.push_back(-1);
      skeleton.name.push_back(source.skeleton->name[part.joint]);
      skeleton.rest.emplace_back();
      posed.meshes.emplace_back().name = source.meshes[part.mesh].name;
      rig::MeshNode node;
      node.joint = joint;
      node.mesh = joint;
      posed.mesh_nodes.push_back(node);
      scene.roots.push_back(joint);
    }
    mesh::Primitive primitive = source.primitive(part);
    const deform::DeformedPart& shape = baked.deformed->parts[p];
    primitive.positions.assign(shape.positions.begin(), shape.positions.end());
    primitive.normals.assign(shape.normals.begin(), shape.normals.end());
    primitive.tangents.assign(shape.tangents.begin(), shape.tangents.end());
    primitive.indices = facing_indices(baked, p);
    primitive.influences = {};
    primitive.morph_targets.clear();
    std::erase_if(primitive.kept.edit(), [&](const mesh::KeptAttribute& kept) {
      const bool of_shape = kept.name == "TANGENT" || kept.name.find(':') != std::string::npos;
      if (of_shape) {
        left_out.insert(printable(kept.name, 40));
      }
      return of_shape;
    });
    posed.meshes.edit_back().primitives.push_back(std::move(primitive));
  }
  posed.scenes.push_back(std::move(scene));
  rig::finish(posed);
  return gltf::export_glb(posed);
}

}  // namespace pelt::cli
