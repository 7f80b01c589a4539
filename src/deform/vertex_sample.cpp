#include "deform/vertex_sample.h"

#include <utility>

#include "core/expect.h"
#include "deform/layers.h"
#include "deform/skinning_methods.h"

namespace pelt::deform {
namespace {

template <typename T>
SharedArray<T> chosen(const SharedArray<T>& values, std::span<const std::uint32_t> vertices) {
  std::vector<T> out;
  if (!values.empty()) {
    out.reserve(vertices.size());
    for (const std::uint32_t v : vertices) {
      out.push_back(values[v]);
    }
  }
  return out;
}

mesh::Primitive chosen(const mesh::Primitive& primitive, std::span<const std::uint32_t> vertices) {
  mesh::Primitive out;
  out.topology = mesh::Topology::kPoints;
  out.positions = chosen(primitive.positions, vertices);
  out.normals = chosen(primitive.normals, vertices);
  for (const mesh::MorphTarget& target : primitive.morph_targets) {
    out.morph_targets.push_back({.name = {},
                                 .position_deltas = chosen(target.position_deltas, vertices),
                                 .normal_deltas = chosen(target.normal_deltas, vertices),
                                 .tangent_deltas = {}});
  }
  if (!primitive.influences->empty()) {
    mesh::Influences& rows = out.influences.edit();
    for (const std::uint32_t v : vertices) {
      rows.push_row(primitive.influences->row(v));
    }
  }
  return out;
}

// One more vertex for each joint: what joints are bound like depends on which of them anything follows.
void follow_each(std::span<const char> follows, mesh::Primitive& primitive) {
  mesh::Influences& rows = primitive.influences.edit();
  for (std::size_t j = 0; j < follows.size(); ++j) {
    if (follows[j] == 0) {
      continue;
    }
    const auto joint = static_cast<std::uint16_t>(j);
    const float one = 1.0f;
    mesh::append_row(rows, {&joint, 1}, {&one, 1});
    primitive.positions.edit().emplace_back(0.0f);
    if (!primitive.normals.empty()) {
      primitive.normals.edit().emplace_back(0.0f, 0.0f, 1.0f);
    }
    for (mesh::MorphTarget& target : primitive.morph_targets.edit_each()) {
      for (SharedArray<glm::vec3>* deltas : {&target.position_deltas, &target.normal_deltas}) {
        if (!deltas->empty()) {
          deltas->edit().emplace_back(0.0f);
        }
      }
    }
  }
}

}  // namespace

bool VertexSample::covers(const SkinningSettings& settings) {
  const SkinningMethod& method = skinning_methods()[settings.method];
  return method.prepare == nullptr && method.finish == nullptr &&
         !moves_vertices(settings, rig::LayerSlot::kBindSpace) && !moves_vertices(settings, rig::LayerSlot::kPosedSkin);
}

void VertexSample::follow(const rig::Character& character) {
  if (known_ && of_.skeleton.is(character.skeleton) && of_.skins.is(character.skins) &&
      of_.meshes.is(character.meshes) && of_.mesh_nodes.is(character.mesh_nodes) && of_.parts.is(character.parts)) {
    return;
  }
  const bool same_meshes = known_ && of_.meshes.is(character.meshes) && of_.parts.is(character.parts) &&
                           of_.mesh_nodes.is(character.mesh_nodes) && of_.skins.is(character.skins);
  of_ = character;
  known_ = true;
  if (same_meshes) {  // as by another name or limit of a joint
    sample_.skeleton = character.skeleton;
    return;
  }
  followed_.follow(character.meshes);
  const std::vector<std::vector<char>> follows = followed_.of_skins(character);
  std::vector<char> is_anchored(character.skins.size(), 0);
  sample_ = character;
  sample_.meshes = {};
  sample_.mesh_nodes = {};
  sample_.parts = {};
  for (const VertexChoice& choice : choices_) {
    const rig::Part& part = character.parts[choice.part];
    const mesh::Mesh& whole = character.meshes[part.mesh];
    mesh::Primitive primitive = chosen(character.primitive(part), choice.vertices);
    if (is_skinned(character, part) && std::exchange(is_anchored[part.skin], char{1}) == 0) {
      follow_each(follows[part.skin], primitive);
    }
    std::vector<std::uint32_t> indices(primitive.positions.size());
    for (std::size_t i = 0; i < indices.size(); ++i) {
      indices[i] = static_cast<std::uint32_t>(i);
    }
    primitive.indices = std::move(indices);
    const int at = static_cast<int>(sample_.parts.size());
    mesh::Mesh own{
        .name = {}, .primitives = {}, .morph_names = whole.morph_names, .morph_weights = whole.morph_weights};
    own.primitives.push_back(std::move(primitive));
    sample_.meshes.push_back(std::move(own));
    rig::MeshNode node = character.mesh_nodes[part.mesh_node];
    node.mesh = at;
    sample_.mesh_nodes.push_back(std::move(node));
    sample_.parts.push_back({.mesh_node = at, .joint = part.joint, .mesh = at, .primitive = 0, .skin = part.skin});
  }
}

const DeformedCharacter& VertexSample::deform(const rig::Character& character, const rig::Pose& pose,
                                              std::span<const glm::mat4> world, const SkinningSettings& settings) {
  PELT_EXPECT(covers(settings), "settings under which a vertex finds its place by itself");
  follow(character);
  SkinningSettings own = settings;
  own.normals = NormalVariant::kInverseTransposeOfBlend;
  deformer_.deform(sample_, pose, world, own, shape_);
  return shape_;
}

}  // namespace pelt::deform
