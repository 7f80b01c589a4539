#include "render/program_cache.h"

#include <algorithm>

#include <fmt/format.h>

#include "deform/skinning_methods.h"

namespace pelt::render {
namespace {

constexpr int kLargestPaletteLimit = 256;  // offered in SkinningSettings; left out where a block is too small
constexpr int kVec4Bytes = 16;

const deform::SkinningMethod& method_of(const VertexVariant& variant) {
  return deform::skinning_methods()[variant.method];
}

}  // namespace

std::vector<int> palette_block_sizes(int vec4s_per_joint, int block_bytes) {
  std::vector<int> sizes = {deform::kDefaultPaletteLimit, kLargestPaletteLimit,
                            block_bytes / (vec4s_per_joint * kVec4Bytes)};
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  std::erase_if(sizes, [&](int joints) { return joints * vec4s_per_joint * kVec4Bytes > block_bytes; });
  return sizes;
}

int palette_block_for(int joints, int vec4s_per_joint, int block_bytes) {
  for (const int size : palette_block_sizes(vec4s_per_joint, block_bytes)) {
    if (joints <= size) {
      return size;
    }
  }
  return 0;
}

std::vector<VertexVariant> all_vertex_variants(int block_bytes) {
  std::vector<VertexVariant> variants;
  for (const bool morphs : {false, true}) {
    variants.push_back({.method = -1, .influence_sets = 1, .palette_joints = 0, .morphs = morphs});
    for (std::size_t method = 0; method < deform::skinning_methods().size(); ++method) {
      const deform::SkinningMethod& row = deform::skinning_methods()[method];
      if (row.shader.empty()) {
        continue;
      }
      if (row.vec4s_per_row > 0) {
        variants.push_back(
            {.method = static_cast<int>(method), .influence_sets = 1, .palette_joints = 0, .morphs = morphs});
        continue;
      }
      for (const int sets : {1, 2}) {
        variants.push_back({.method = static_cast<int>(method),
                            .influence_sets = sets,
                            .palette_joints = 0,
                            .palette_texture = true,
                            .morphs = morphs});
        for (const int joints : palette_block_sizes(row.vec4s_per_joint, block_bytes)) {
          variants.push_back(
              {.method = static_cast<int>(method), .influence_sets = sets, .palette_joints = joints, .morphs = morphs});
        }
      }
    }
  }
  for (const int sets : {1, 2}) {
    variants.push_back({.method = -1, .influence_sets = sets, .palette_joints = 0, .morphs = false, .instanced = true});
  }
  return variants;
}

std::vector<Define> defines_of(const VertexVariant& variant) {
  std::vector<Define> defines;
  if (variant.instanced) {
    defines.emplace_back("SKINNING", "\"skinning/crowd.glsl\"");
    defines.emplace_back("INSTANCED", "1");
    defines.emplace_back("INFLUENCE_SETS", fmt::format("{}", variant.influence_sets));
    defines.emplace_back("VEC4S_PER_VERTEX", "0");
  } else if (variant.method < 0) {
    defines.emplace_back("SKINNING", "\"skinning/node.glsl\"");
  } else {
    const deform::SkinningMethod& method = method_of(variant);
    defines.emplace_back("SKINNING", fmt::format("\"{}\"", method.shader));
    defines.emplace_back("INFLUENCE_SETS", fmt::format("{}", variant.influence_sets));
    if (variant.palette_texture) {
      defines.emplace_back("PALETTE_TEXTURE", "1");
    } else {
      defines.emplace_back("PALETTE_JOINTS", fmt::format("{}", variant.palette_joints));
    }
    defines.emplace_back("VEC4S_PER_JOINT", fmt::format("{}", method.vec4s_per_joint));
    defines.emplace_back("VEC4S_PER_VERTEX", fmt::format("{}", method.vec4s_per_vertex));
    defines.emplace_back("VEC4S_PER_ROW", fmt::format("{}", method.vec4s_per_row));
  }
  if (variant.morphs) {
    defines.emplace_back("MORPHS", "1");
  }
  return defines;
}

ProgramCache::ProgramCache(ShaderLibrary library) : library_(std::move(library)), newest_(library_.newest()) {}

Result<const Program*> ProgramCache::get(const VertexVariant& variant, std::string_view fragment,
                                         const std::vector<Define>& defines) {
  ProgramSource source{"surface/surface.vert", std::string(fragment), defines_of(variant), {}};
  source.defines.insert(source.defines.end(), defines.begin(), defines.end());
  return get(source);
}

Result<const Program*> ProgramCache::get_feedback(const VertexVariant& variant) {
  ProgramSource source{
      "surface/surface.vert", "", defines_of(variant), {"v_position_world", "v_normal_world", "v_tangent_world"}};
  source.defines.emplace_back("FEEDBACK", "1");
  return get(source);
}

Result<const Program*> ProgramCache::get(const ProgramSource& source) {
  std::string key = source.vertex + '\n' + source.fragment;
  for (const auto& [name, value] : source.defines) {
    key += '\n' + name + ' ' + value;
  }
  for (const std::string& varying : source.feedback) {
    key += "\n>" + varying;
  }
  if (const auto found = programs_.find(key); found != programs_.end()) {
    return found->second.get();
  }
  PELT_TRY_TO(Program made, make_program(library_, source));
  return programs_.emplace(std::move(key), std::make_unique<Program>(std::move(made))).first->second.get();
}

bool ProgramCache::refresh() {
  if (!library_.is_live() || library_.newest() <= newest_) {
    return false;
  }
  newest_ = library_.newest();
  clear();
  return true;
}

}  // namespace pelt::render
