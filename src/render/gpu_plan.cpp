#include "render/gpu_plan.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "deform/deform.h"
#include "deform/layers.h"
#include "deform/skinning_methods.h"

namespace pelt::render {
namespace {

std::string part_label(const rig::Character& character, int p) {
  const std::string& name = character.meshes[character.parts[p].mesh].name;
  return name.empty() ? fmt::format("part {}", p) : fmt::format("part {} ({})", p, name);
}

int joint_count(const rig::Character& character, int p) {
  const int skin = character.parts[p].skin;
  return static_cast<int>(character.skins[skin].joints.size());
}

void plan_whole_palette(const rig::Character& character, int p, const deform::SkinningSettings& settings,
                        PartPlan& plan) {
  const int joints = joint_count(character, p);
  if (settings.palette_limit > 0 && joints > settings.palette_limit) {
    plan.notes.push_back(fmt::format("{}: {} reads all {} joints at once, the palette limit of {} is not used",
                                     part_label(character, p), deform::skinning_methods()[settings.method].label,
                                     joints, settings.palette_limit));
  }
  plan.palette_cap = std::max(joints, 1);
}

void plan_batches(const rig::Character& character, int p, const deform::SkinningSettings& settings,
                  const DeviceLimits& limits, PartPlan& plan) {
  const mesh::Primitive& primitive = character.primitive(character.parts[p]);
  const int vec4s_per_joint = deform::skinning_methods()[settings.method].vec4s_per_joint;
  const int device_cap = palette_block_sizes(vec4s_per_joint, limits.uniform_block_bytes).back();
  const int joints = joint_count(character, p);
  int cap = std::min(settings.palette_limit, device_cap);
  if (cap == 0) {
    cap = joints;
    if (joints > device_cap) {
      cap = device_cap;
      plan.notes.push_back(fmt::format("{} has {} joints, this device's uniform block holds {}: split into batches",
                                       part_label(character, p), joints, device_cap));
    }
  } else if (joints > cap) {
    const int widest = deform::widest_element(primitive, deform::effective_influences(primitive, settings));
    if (widest > cap) {
      plan.notes.push_back(fmt::format("{} has an element that needs {} joints, the palette limit is {}: {} used",
                                       part_label(character, p), widest, cap, widest));
      cap = widest;
    }
  }
  plan.palette_cap = std::max(cap, 1);
  plan.variant.palette_joints =
      palette_block_for(std::min(plan.palette_cap, std::max(joints, 1)), vec4s_per_joint, limits.uniform_block_bytes);
}

// One batch however many joints there are.
void plan_paint(const rig::Character& character, int p, int influences, const deform::SkinningSettings& settings,
                PartPlan& plan) {
  plan.palette_cap = std::max(joint_count(character, p), 1);
  plan.partition = false;
  plan.influences = influences;
  plan.variant.palette_texture = true;
  plan.variant.influence_sets = paint_slots(influences, settings.weight_format) > 4 ? 2 : 1;
}

bool refines_after(const rig::Character& character, const rig::Part& part, const deform::SkinningSettings& settings) {
  return settings.refine == deform::Refine::kAfterSkin && character.primitive(part).has_cage();
}

// Why a part that follows its skin cannot do so in the shader; empty where it can.
std::string streamed_because(const rig::Character& character, int p, int influences,
                             const deform::SkinningSettings& settings) {
  const deform::SkinningMethod& method = deform::skinning_methods()[settings.method];
  if (refines_after(character, character.parts[p], settings)) {
    return fmt::format("{}: its control points are skinned, and the surface made of them, on the CPU only",
                       part_label(character, p));
  }
  if (!skinned_in_shader(settings)) {
    return method.shader.empty() ? fmt::format("{}: {} runs on the CPU only", part_label(character, p), method.label)
                                 : fmt::format("{}: these normals are made on the CPU only", part_label(character, p));
  }
  if (method.vec4s_per_row == 0 && influences > kShaderInfluences) {
    return fmt::format("{} has {} influences per vertex, the shader takes {}: skinned on the CPU",
                       part_label(character, p), influences, kShaderInfluences);
  }
  return {};
}

}  // namespace

int paint_slots(int influences, deform::WeightFormat format) {
  if (format == deform::WeightFormat::kPacked56) {
    return mesh::kPacked56Slots;
  }
  constexpr int kSpare = 2;
  return influences + kSpare <= 4 ? 4 : kShaderInfluences;
}

PartPlan plan_part(const rig::Character& character, int p, const deform::SkinningSettings& settings,
                   const DeviceLimits& limits, bool paint) {
  const rig::Part& part = character.parts[p];
  const mesh::Primitive& primitive = character.primitive(part);
  const bool skinned = deform::is_skinned(character, part);
  const bool morphs = !primitive.morph_targets.empty();
  const bool moved = !settings.layers.empty() && !primitive.normals.empty();

  PartPlan plan;
  plan.variant = {.method = -1, .influence_sets = 1, .palette_joints = 0, .morphs = false};
  const int influences = deform::influence_limit_of(primitive, settings);
  deform::SkinningSettings unpacked = settings;
  unpacked.weight_format = deform::WeightFormat::kFloat;
  const int wanted = settings.weight_format == deform::WeightFormat::kPacked56
                         ? deform::influence_limit_of(primitive, unpacked)
                         : influences;
  if (skinned && wanted > influences) {
    plan.notes.push_back(fmt::format("{} has {} influences per vertex, 56 bits hold {}: the heaviest are kept",
                                     part_label(character, p), wanted, influences));
  }
  if (settings.backend == deform::Backend::kCpu) {
    // A part that only hangs on a node is the same picture either way and stays where it is.
    plan.path = skinned || morphs || moved ? VertexPath::kStreamed : VertexPath::kNode;
    return plan;
  }
  if (moved) {
    plan.path = VertexPath::kStreamed;
    plan.notes.push_back(fmt::format("{}: the layer {} moves vertices on the CPU only", part_label(character, p),
                                     deform::find_deformer_layer_kind(settings.layers.front().kind)->about.label));
    return plan;
  }

  if (skinned) {
    if (std::string why = streamed_because(character, p, influences, settings); !why.empty()) {
      plan.path = VertexPath::kStreamed;
      plan.notes.push_back(std::move(why));
      return plan;
    }
    const bool own_rows = deform::skinning_methods()[settings.method].vec4s_per_row > 0;
    plan.path = VertexPath::kSkinned;
    plan.partition = settings.partition && deform::can_partition(primitive, settings);
    if (!paint && plan.partition != settings.partition && primitive.topology == mesh::Topology::kTriangles) {
      plan.notes.push_back(fmt::format(
          "{} has no rigid triangles {}", part_label(character, p),
          settings.weights_as_stored ? "with weights as stored" : "under this method, which looks at neighbours"));
    }
    plan.variant.method = settings.method;
    if (own_rows) {
      plan_whole_palette(character, p, settings, plan);
    } else if (paint) {
      plan_paint(character, p, influences, settings, plan);
    } else {
      plan_batches(character, p, settings, limits, plan);
      plan.variant.influence_sets = influences > 4 ? 2 : 1;
    }
  }
  if (morphs) {
    plan.morph_on_cpu = morph_layout(primitive, limits.texture_size).rows > limits.texture_size;
    plan.variant.morphs = !plan.morph_on_cpu;
    if (plan.morph_on_cpu) {
      plan.notes.push_back(fmt::format("{} has more morph data than a texture of this device holds: morphed on the CPU",
                                       part_label(character, p)));
    }
  }
  return plan;
}

bool skinned_in_shader(const deform::SkinningSettings& settings) {
  const deform::SkinningMethod& method = deform::skinning_methods()[settings.method];
  const deform::NormalVariant normals = deform::normals_under(method, settings.normals);
  return !method.shader.empty() && normals != deform::NormalVariant::kExact &&
         normals != deform::NormalVariant::kRecomputed;
}

bool needs_cpu(const rig::Character& character, const deform::SkinningSettings& settings) {
  return std::any_of(character.parts.begin(), character.parts.end(), [&](const rig::Part& part) {
    const mesh::Primitive& primitive = character.primitive(part);
    const bool skinned = deform::is_skinned(character, part);
    if (!settings.layers.empty() && !primitive.normals.empty()) {
      return true;
    }
    if (settings.backend == deform::Backend::kCpu) {
      return skinned || !primitive.morph_targets.empty();
    }
    const bool own_rows = deform::skinning_methods()[settings.method].vec4s_per_row > 0;
    return skinned && (!skinned_in_shader(settings) || refines_after(character, part, settings) ||
                       (!own_rows && deform::influence_limit_of(primitive, settings) > kShaderInfluences));
  });
}

MorphLayout morph_layout(const mesh::Primitive& primitive, int texture_size) {
  MorphLayout layout;
  for (const mesh::MorphTarget& target : primitive.morph_targets) {
    layout.normals = layout.normals || (!target.normal_deltas.empty() && !primitive.normals.empty());
    layout.tangents = layout.tangents || (!target.tangent_deltas.empty() && !primitive.tangents.empty());
  }
  layout.kinds = 1 + (layout.normals ? 1 : 0) + (layout.tangents ? 1 : 0);
  // The shader counts texels in an int.
  const std::size_t texels =
      primitive.morph_targets.size() * primitive.vertex_count() * static_cast<std::size_t>(layout.kinds);
  layout.columns = std::min(texture_size, 4096);
  const std::size_t rows =
      (texels + static_cast<std::size_t>(layout.columns) - 1) / static_cast<std::size_t>(layout.columns);
  layout.rows = static_cast<int>(std::min(rows, static_cast<std::size_t>(std::numeric_limits<int>::max())));
  return layout;
}

}  // namespace pelt::render
