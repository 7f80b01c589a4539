#include "render/gpu_plan.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "deform/deform.h"
#include "deform/skinning_methods.h"

namespace pelt::render {
namespace {

int corners_of(mesh::Topology topology) {
  switch (topology) {
    case mesh::Topology::kPoints:
      return 1;
    case mesh::Topology::kLines:
      return 2;
    case mesh::Topology::kTriangles:
      break;
  }
  return 3;
}

/// Influences per vertex under the limit.
int limited_count(const mesh::Primitive& primitive, const deform::SkinningSettings& settings) {
  const int stored = static_cast<int>(primitive.influences.max_count());
  return settings.influence_limit > 0 ? std::min(stored, settings.influence_limit) : stored;
}

/// Influences per vertex under the settings, without making the rows. Pruned ones may be fewer.
int influence_count(const mesh::Primitive& primitive, const deform::SkinningSettings& settings) {
  const int limited = limited_count(primitive, settings);
  return settings.weight_format == deform::WeightFormat::kPacked56 ? std::min(limited, mesh::kPacked56Slots) : limited;
}

/// The joints of the widest element, which no batch can be smaller than.
int widest_element(const mesh::Primitive& primitive, const mesh::Influences& influences) {
  const auto corners = static_cast<std::size_t>(corners_of(primitive.topology));
  std::size_t widest = 0;
  std::vector<std::uint16_t> joints;
  for (std::size_t i = 0; i + corners <= primitive.indices.size(); i += corners) {
    joints.clear();
    for (std::size_t c = 0; c < corners; ++c) {
      const std::uint32_t v = primitive.indices[i + c];
      joints.insert(joints.end(), influences.joint.begin() + influences.offset[v],
                    influences.joint.begin() + influences.offset[v + 1]);
    }
    std::sort(joints.begin(), joints.end());
    widest = std::max(widest, static_cast<std::size_t>(std::unique(joints.begin(), joints.end()) - joints.begin()));
  }
  return static_cast<int>(widest);
}

std::string part_label(const rig::Character& character, int p) {
  const std::string& name =
      character.meshes[static_cast<std::size_t>(character.parts[static_cast<std::size_t>(p)].mesh)].name;
  return name.empty() ? fmt::format("part {}", p) : fmt::format("part {} ({})", p, name);
}

}  // namespace

PartPlan plan_part(const rig::Character& character, int p, const deform::SkinningSettings& settings,
                   const DeviceLimits& limits) {
  const rig::Part& part = character.parts[static_cast<std::size_t>(p)];
  const mesh::Primitive& primitive = character.primitive(part);
  const bool skinned = deform::is_skinned(character, part);
  const bool morphs = !primitive.morph_targets.empty();

  PartPlan plan;
  plan.variant = {.method = -1, .influence_sets = 1, .palette_joints = 0, .morphs = false};
  if (skinned && influence_count(primitive, settings) < limited_count(primitive, settings)) {
    plan.notes.push_back(fmt::format("{} has {} influences per vertex, 56 bits hold {}: the heaviest are kept",
                                     part_label(character, p), limited_count(primitive, settings),
                                     mesh::kPacked56Slots));
  }
  if (settings.backend == deform::Backend::kCpu) {
    // A part that only hangs on a node is the same picture either way and stays where it is.
    plan.path = skinned || morphs ? VertexPath::kStreamed : VertexPath::kNode;
    return plan;
  }

  if (skinned) {
    const deform::SkinningMethod& method = deform::skinning_methods()[static_cast<std::size_t>(settings.method)];
    if (!skinned_in_shader(settings)) {
      plan.path = VertexPath::kStreamed;
      plan.notes.push_back(method.shader.empty()
                               ? fmt::format("{}: {} runs on the CPU only", part_label(character, p), method.label)
                               : fmt::format("{}: these normals are made on the CPU only", part_label(character, p)));
      return plan;
    }
    const int influences = influence_count(primitive, settings);
    if (influences > kShaderInfluences) {
      plan.path = VertexPath::kStreamed;
      plan.notes.push_back(fmt::format("{} has {} influences per vertex, the shader takes {}: skinned on the CPU",
                                       part_label(character, p), influences, kShaderInfluences));
      return plan;
    }
    const int device_cap = palette_block_sizes(method.vec4s_per_joint, limits.uniform_block_bytes).back();
    const int joints = static_cast<int>(character.skins[static_cast<std::size_t>(part.skin)].joints.size());
    int cap = std::min(settings.palette_limit, device_cap);
    if (cap == 0) {
      cap = joints;
      if (joints > device_cap) {
        cap = device_cap;
        plan.notes.push_back(fmt::format("{} has {} joints, this device's uniform block holds {}: split into batches",
                                         part_label(character, p), joints, device_cap));
      }
    } else if (joints > cap) {
      const int widest = widest_element(primitive, deform::effective_influences(primitive, settings));
      if (widest > cap) {
        plan.notes.push_back(fmt::format("{} has an element that needs {} joints, the palette limit is {}: {} used",
                                         part_label(character, p), widest, cap, widest));
        cap = widest;
      }
    }
    plan.path = VertexPath::kSkinned;
    plan.palette_cap = std::max(cap, 1);
    plan.variant.method = settings.method;
    plan.variant.influence_sets = influences > 4 ? 2 : 1;
    plan.variant.palette_joints = palette_block_for(std::min(plan.palette_cap, std::max(joints, 1)),
                                                    method.vec4s_per_joint, limits.uniform_block_bytes);
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
  const deform::SkinningMethod& method = deform::skinning_methods()[static_cast<std::size_t>(settings.method)];
  const deform::NormalVariant normals = deform::normals_under(method, settings.normals);
  return !method.shader.empty() && normals != deform::NormalVariant::kExact &&
         normals != deform::NormalVariant::kRecomputed;
}

bool needs_cpu(const rig::Character& character, const deform::SkinningSettings& settings) {
  return std::any_of(character.parts.begin(), character.parts.end(), [&](const rig::Part& part) {
    const mesh::Primitive& primitive = character.primitive(part);
    const bool skinned = deform::is_skinned(character, part);
    if (settings.backend == deform::Backend::kCpu) {
      return skinned || !primitive.morph_targets.empty();
    }
    return skinned && (!skinned_in_shader(settings) || influence_count(primitive, settings) > kShaderInfluences);
  });
}

Result<std::vector<deform::PaletteBatch>> batches_of(const mesh::Primitive& primitive,
                                                     const mesh::Influences& influences, int cap) {
  auto batches = deform::split_into_batches(primitive.indices, corners_of(primitive.topology), influences, cap);
  if (!batches) {
    return batches;
  }
  std::vector<char> used(primitive.vertex_count(), 0);
  for (const std::uint32_t v : primitive.indices) {
    used[v] = 1;
  }
  const std::size_t room = cap == 0 ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(cap);
  std::vector<std::uint16_t> joints;
  std::vector<std::uint16_t> missing;
  for (std::uint32_t v = 0; v < used.size(); ++v) {
    if (used[v] != 0) {
      continue;
    }
    joints.assign(influences.joint.begin() + influences.offset[v], influences.joint.begin() + influences.offset[v + 1]);
    std::sort(joints.begin(), joints.end());
    auto batch = batches->begin();
    for (;; ++batch) {
      if (batch == batches->end()) {
        batch = batches->insert(batch, deform::PaletteBatch());
      }
      missing.clear();
      std::set_difference(joints.begin(), joints.end(), batch->palette.begin(), batch->palette.end(),
                          std::back_inserter(missing));
      if (batch->palette.size() + missing.size() <= room || batch->palette.empty()) {
        break;
      }
    }
    const auto middle = static_cast<std::ptrdiff_t>(batch->palette.size());
    batch->palette.insert(batch->palette.end(), missing.begin(), missing.end());
    std::inplace_merge(batch->palette.begin(), batch->palette.begin() + middle, batch->palette.end());
    batch->vertices.push_back(v);
  }
  return batches;
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
