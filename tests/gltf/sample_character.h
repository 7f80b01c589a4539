#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "rig/character.h"

namespace pelt::test {

/// A 2 x 1 pixel picture.
inline rig::Image sample_image() {
  rig::Image image;
  image.name = "checker";
  image.width = 2;
  image.height = 1;
  image.pixels = {255, 0, 0, 255, 0, 128, 255, 255};
  return image;
}

/// A strip of quads on two joints that has one of everything a file can hold: influences with and without a full sum,
/// more than four per vertex, morph targets (one sparse, one dense, one still), a textured and an unlit material, clips
/// with all paths and interpolations, a camera, authored degrees of freedom, a sheared node, two scenes.
inline rig::Character sample_character() {
  rig::Character character;
  character.name = "sample";

  rig::Skeleton& skeleton = character.skeleton.edit();
  skeleton.parent = {-1, 0, 1, 0, 0};
  skeleton.name = {"armature", "root", "tip", "strip", "prop"};
  skeleton.rest.resize(5);
  skeleton.rest[2].translation = {0, 1, 0};
  skeleton.rest[2].rotation = glm::quat(std::sqrt(0.5f), 0, 0, std::sqrt(0.5f));
  skeleton.rest[3].scale = {2, 2, 2};
  skeleton.rest[4].translation = {1, 0, 0.25f};
  skeleton.rest_residual.assign(5, glm::mat4(1.0f));
  skeleton.rest_residual[4][1][0] = 0.5f;
  skeleton.source_node = {0, 1, 2, 3, 4};
  skeleton.is_joint.assign(5, 0);
  skeleton.dofs.resize(5);
  skeleton.dofs[2].authored = true;
  skeleton.dofs[2].offset = {0, 1, 0};
  skeleton.dofs[2].orientation = glm::quat(std::sqrt(0.5f), 0, 0, std::sqrt(0.5f));
  skeleton.dofs[2].dofs = {
      {.name = "bend", .axis = {0, 0, 1}, .lower = -0.5f, .upper = 2.5f},
      {.name = "ty", .kind = rig::DofKind::kTranslation, .axis = {0, 1, 0}, .lower = -1, .upper = 1},
      {.name = "sx",
       .kind = rig::DofKind::kScale,
       .axis = {1, 0, 0},
       .lower = 0.5f,
       .upper = 2,
       .default_value = 1,
       .folded = true}};
  skeleton.dofs[1].authored = true;
  skeleton.dofs[1].rotation = rig::RotationKind::kRotationVector;
  skeleton.dofs[1].swing_limit = 0.75f;
  for (const auto& [name, axis] : {std::pair{"rx", glm::vec3(1, 0, 0)}, std::pair{"ry", glm::vec3(0, 1, 0)},
                                   std::pair{"rz", glm::vec3(0, 0, 1)}}) {
    skeleton.dofs[1].dofs.push_back({.name = name, .axis = axis, .lower = -1, .upper = 1});
  }

  rig::Skin skin;
  skin.name = "skin";
  skin.joints = {1, 2};
  skin.joint_from_mesh = {glm::mat4(1.0f), glm::mat4(1.0f)};
  skin.joint_from_mesh[1][3] = glm::vec4(0, -1, 0, 1);
  skin.skeleton_root = 1;
  character.skins = {skin};

  mesh::Mesh strip;
  strip.name = "strip";
  strip.morph_names = {"nudge", "swell", "still"};
  strip.morph_weights = {0.25f, 0, 0};
  mesh::Primitive primitive;
  primitive.material = 0;
  for (int row = 0; row < 3; ++row) {
    for (int side = 0; side < 2; ++side) {
      const float y = static_cast<float>(row);
      const float x = static_cast<float>(side) - 0.5f;
      primitive.positions.emplace_back(x, y, 0);
      primitive.normals.emplace_back(0, 0, 1);
      primitive.tangents.emplace_back(1, 0, 0, row == 2 ? -1.0f : 1.0f);
      primitive.texcoords[0].emplace_back(x + 0.5f, y / 2);
      primitive.texcoords[1].emplace_back(y / 2, x + 0.5f);
      primitive.colors.emplace_back(0.5f, 0.25f, y / 2, 1);
    }
  }
  primitive.indices = {0, 1, 2, 2, 1, 3, 2, 3, 4, 4, 3, 5};
  const std::vector<std::uint16_t> joints = {0, 1};
  for (const float tip : {0.0f, 0.0f, 0.3f, 0.5f, 1.0f, 1.0f}) {
    const std::vector<float> weights = {1 - tip, tip};
    mesh::append_row(primitive.influences.edit(), joints, weights);
  }
  mesh::MorphTarget nudge;
  nudge.name = "nudge";
  nudge.position_deltas.assign(6, glm::vec3(0.0f));
  nudge.position_deltas.edit()[4] = {0, 0, 0.5f};
  nudge.normal_deltas.assign(6, glm::vec3(0.0f));
  nudge.normal_deltas.edit()[4] = {0.1f, 0, 0};
  mesh::MorphTarget swell;
  swell.name = "swell";
  for (const glm::vec3& position : primitive.positions) {
    swell.position_deltas.push_back(position * 0.125f + glm::vec3(0, 0, 0.0625f));
  }
  swell.tangent_deltas.assign(6, glm::vec3(0, 0.25f, 0));
  mesh::MorphTarget still;
  still.name = "still";
  primitive.morph_targets = {nudge, swell, still};
  strip.primitives = {primitive};

  mesh::Mesh prop;
  prop.name = "prop";
  mesh::Primitive lines;
  lines.topology = mesh::Topology::kLines;
  lines.positions = {{0, 0, 0}, {0, 0.5f, 0}, {0.25f, 0.5f, 0}};
  lines.indices = {0, 1, 1, 2};
  lines.material = 1;
  mesh::Primitive points;
  points.topology = mesh::Topology::kPoints;
  points.positions = {{0, 0.75f, 0}};
  points.indices = {0};
  prop.primitives = {lines, points};
  character.meshes = {strip, prop};
  character.mesh_nodes = {{.joint = 3, .mesh = 0, .skin = 0, .morph_weights = {0.25f, 0.5f, 0}},
                          {.joint = 4, .mesh = 1, .skin = -1, .morph_weights = {}}};

  rig::Material cloth;
  cloth.name = "cloth";
  cloth.base_color = {1, 0.5f, 0.25f, 0.75f};
  cloth.metallic = 0;
  cloth.roughness = 0.5f;
  cloth.emissive = {0, 4, 2};
  cloth.base_color_texture.texture = 0;
  cloth.normal_texture = {.texture = 1, .texcoord = 1, .strength = 0.5f};
  cloth.occlusion_texture = {.texture = 0, .texcoord = 0, .strength = 0.25f};
  cloth.metallic_roughness_texture.texture = 1;
  cloth.emissive_texture.texture = 0;
  cloth.alpha_mode = rig::AlphaMode::kMask;
  cloth.alpha_cutoff = 0.25f;
  cloth.double_sided = true;
  rig::Material ink;
  ink.name = "ink";
  ink.unlit = true;
  ink.alpha_mode = rig::AlphaMode::kBlend;
  character.materials = {cloth, ink};
  character.images = {sample_image()};
  character.textures = {{.image = 0},
                        {.image = 0,
                         .magnify = rig::Filter::kNearest,
                         .minify = rig::Filter::kNearest,
                         .mipmaps = false,
                         .wrap_s = rig::Wrap::kClamp,
                         .wrap_t = rig::Wrap::kMirror}};

  rig::Clip wave;
  wave.name = "wave";
  const float s = std::sqrt(0.5f);
  wave.channels.push_back({.joint = 2,
                           .path = rig::ChannelPath::kRotation,
                           .interpolation = rig::Interpolation::kLinear,
                           .times = {0.5f, 1, 1.5f},
                           .values = {0, 0, 0, 1, 0, 0, s, s, 0, 0, 0, 1},
                           .width = 4});
  wave.channels.push_back({.joint = 1,
                           .path = rig::ChannelPath::kRotation,
                           .interpolation = rig::Interpolation::kLinear,
                           .times = {0.5f, 1, 1.5f},
                           .values = {0, 0, 0, 1, 0, 0, s, s, 0, 0, 0, 1},
                           .width = 4});
  wave.channels.push_back({.joint = 1,
                           .path = rig::ChannelPath::kTranslation,
                           .interpolation = rig::Interpolation::kCubicSpline,
                           .times = {0.5f, 1},
                           .values = {0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0.5f, 0, 0, 0, 0},
                           .width = 3});
  rig::Clip swelling;
  swelling.name = "swelling";
  swelling.channels.push_back({.joint = 3,
                               .path = rig::ChannelPath::kWeights,
                               .interpolation = rig::Interpolation::kStep,
                               .times = {0.5f, 1},
                               .values = {0, 0, 0, 1, 0.5f, 0.25f},
                               .width = 3});
  swelling.channels.push_back({.joint = 2,
                               .path = rig::ChannelPath::kScale,
                               .interpolation = rig::Interpolation::kLinear,
                               .times = {0},
                               .values = {1, 2, 1},
                               .width = 3});
  wave.start = 0.5f;
  wave.end = 1.5f;
  swelling.start = 0;
  swelling.end = 1;
  character.clips = {wave, swelling};

  character.cameras = {
      {.name = "front", .joint = 0, .yfov = 0.5f, .aspect = 1.5f, .znear = 0.125f, .zfar = 100},
      {.name = "plan", .joint = 1, .perspective = false, .znear = 0, .zfar = 10, .xmag = 2, .ymag = 3}};
  character.scenes = {{.name = "empty", .roots = {}}, {.name = "main", .roots = {0}}};
  character.scene = 1;
  rig::finish(character);
  return character;
}

}  // namespace pelt::test
